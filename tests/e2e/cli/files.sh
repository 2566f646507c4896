#!/bin/sh
# tests/e2e/cli/files.sh -- files into a run and out of it: --file, --out, --mount.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../tap.sh"

command -v python3 >/dev/null 2>&1 || skip_all 'no python3'
py() { glovebox run --engine python "$@"; }
run py -e 1
[ "$code" = 0 ] || skip_all "python does not run here: $err"

printf 'given\n' >given
printf 'secret\n' >secret

# ---- in -----------------------------------------------------------------------
run py --file data/in.txt=given -e 'open("data/in.txt").read().strip()'
is "$out" given 'a file is where it was put'
run py --file a=given --file -b=given --file 'c d=given' \
    -e 'import os; sorted(f for f in os.listdir() if f != "[eval]")'
is "$out" "['-b', 'a', 'c d']" 'odd but plain names are taken'
run py --file a=given -e 'import os; s = os.stat("a"); open("a", "a").write("x"); [s.st_uid, s.st_size]'
is "$out" '[1000, 6]' 'it is the guest'\''s own copy'
is "$(cat given)" given 'and the original is untouched'
for path in ../x /etc/x a/../../x ./x a//x a/ . .. 'a/..'; do
    run py --file "$path=given" -e 1
    is "$code" 125 "--file $path is refused"
done
run py --file "$(printf 'a\nb')=given" -e 1
is "$code" 125 'a name with a newline is refused'
run py --file a=given --file a=secret -e 1
is "$code" 125 'two files of one name are refused'
run py --file a=given --file a/b=given -e 1
is "$code" 125 'a file below a file is refused'
for from in nowhere . /dev/zero; do
    run py --file "a=$from" -e 1
    [ "$code" = 125 ] || [ "$code" = 127 ]
    ok $? "--file a=$from is refused"
done

# ---- out ------------------------------------------------------------------------
cat >litter.py <<'END'
import os, socket
os.symlink('/etc/passwd', 'link'); os.symlink('/', 'root'); os.symlink('..', 'up'); os.symlink('plain', 'near')
os.mkfifo('fifo'); s = socket.socket(socket.AF_UNIX); s.bind('sock')
open('plain', 'w').write('x'); os.link('plain', 'hard')
for name in (b'new\nline', b'bad\xff', b'esc\x1b[2J', b'-rf', b'a' * 255, b'...', b' ', b'.hidden'):
    open(name, 'w').write('x')
with open('sparse', 'wb') as f: f.truncate(50 << 20)
os.mkdir('dir'); open('dir/f', 'w').write('y'); os.chmod('plain', 0o6777)
deep = 'deep'
for i in range(150):
    os.mkdir(deep); os.chdir(deep)
open('bottom', 'w').write('x')
END
run glovebox run --json --out here litter.py
is "$code" 0 'a run that leaves all sorts of things'
for f in plain hard -rf ... ' ' .hidden dir/f sparse; do
    [ -f "here/$f" ] && [ ! -L "here/$f" ]
    ok $? "out: '$f' is there"
done
is "$(find here -type l -o -type p -o -type s | wc -l | tr -d ' ')" 0 'no link, pipe or socket comes out'
is "$(find here -perm /6111 -type f | wc -l | tr -d ' ')" 0 'nor a file that could be run'
is "$(find here -name '*line' -o -name 'bad*' -o -name 'esc*' | wc -l | tr -d ' ')" 0 \
    'nor a name that a terminal would act on'
skipped() { printf '%s' "$out" | json "j.files_skipped.$1"; }
is "$(skipped links)/$(skipped special)/$(skipped odd_names)/$(skipped too_deep)" 4/2/3/1 'what stays inside is counted'

mkdir there victim && printf 'orig\n' >victim/f && ln -s ../victim there/dir && \
    ln -s ../victim/f there/plain && mkdir there/hard
run glovebox run --json --out there litter.py
is "$(cat victim/f)" orig 'links in the target folder are not followed'
is "$(ls victim)" f 'nothing new behind them'
[ -L there/plain ] && [ -d there/hard ]
ok $? 'what is no file there stays'
is "$(skipped not_written)" 3 'and is said'
printf 'old\n' >there/given
run py --out there -e 'open("given", "w").write("new")'
is "$(cat there/given)" new 'a file that was there is replaced'
run py --out there/new/folder -e 'open("x", "w").write("new")'
case $code in 0) [ -f there/new/folder/x ] ;; *) [ -n "$err" ] ;; esac
ok $? 'a folder that is not there is made, or it is said'
run py --out given -e 1
is "$code" 125 '--out to a file is refused'
is "$(ls -A there | grep -c glovebox-)" 0 'no half copies stay'

# A link in the place of a file at the last moment, and after the end of its maker.
run py --out race -e '
import os, subprocess
open("f", "w").write("x")
subprocess.Popen(["sh", "-c", "while :; do ln -sf /etc/passwd f; rm -f f; echo x > f; done"], start_new_session=True)
import time; time.sleep(0.2)'
[ ! -L race/f ] && ! grep -q root race/f 2>/dev/null
ok $? 'a file that turns into a link and back is a file or nothing'

# ---- mounts -----------------------------------------------------------------------
mkdir m && printf 'data\n' >m/f && ln -s "$PWD/secret" m/away && \
    ln -s ../secret m/up && mkfifo m/fifo && chmod 666 m/fifo
chmod 755 . m && chmod 644 m/f
cat >look.py <<'END'
import errno, os
def t(f):
    try: return f() or 'ok'
    except OSError as e: return 'no' if e.errno in refused else errno.errorcode[e.errno]
refused = (errno.EROFS, errno.EACCES, errno.EPERM)
[t(lambda: open('/data/f').read().strip()), t(lambda: open('/data/away').read()), t(lambda: open('/data/up').read()),
 t(lambda: open('/data/new', 'w').close()), t(lambda: open('/data/f', 'a').close()), t(lambda: os.unlink('/data/f')),
 t(lambda: os.chmod('/data/f', 0o777)), t(lambda: os.utime('/data/f')), t(lambda: os.mkdir('/data/d')),
 t(lambda: os.open('/data/fifo', os.O_WRONLY | os.O_NONBLOCK)), t(lambda: os.link('/data/f', '/workspace/l')),
 t(lambda: os.rename('/data/f', '/workspace/l'))]
END
run glovebox run --mount m:/data look.py
is "$out" "['data', 'ENOENT', 'ENOENT', 'no', 'no', 'no', 'no', 'no', 'no', 'no', 'EXDEV', 'EXDEV']" \
    'a folder is shown read-only, and links do not lead out of it'
is "$(ls m)" "$(printf 'away\nf\nfifo\nup')" 'and is as it was'
if [ "$(id -u)" = 0 ]; then chmod 777 m; fi
run py --mount m:/data:rw -e 'open("/data/new", "w").write("x"); open("/data/new").read()'
is "$out" x 'rw: it can be written'
is "$(cat m/new)" x 'and the file is there'
for at in / /usr /etc /etc/x /proc /proc/x /dev /workspace /workspace/x /tmp /tmp/x /dev/shm /glovebox \
    /glovebox/x ../x data /a/../etc /a/..; do
    run py --mount "m:$at" -e 1
    is "$code" 125 "--mount at $at is refused"
done
# A socket of the host in a folder that is shown; the control: it answers outside.
cat >listen.py <<'END'
import os, socket
s = socket.socket(socket.AF_UNIX); s.bind('m/s'); os.chmod('m/s', 0o777); s.listen(8)
print('ready', flush=True)
while True: c, _ = s.accept(); c.sendall(b'from the host'); c.close()
END
mkfifo ready
/usr/bin/python3 listen.py >ready &
listener=$!
read -r _ <ready
trap 'kill $listener 2>/dev/null; rm -rf "$tap_dir"' EXIT
connect='import socket
def t():
    try:
        s = socket.socket(socket.AF_UNIX); s.connect("%s/s"); return s.recv(20).decode()
    except OSError as e: return e.strerror
t()'
# shellcheck disable=SC2059
heard=$(printf "$connect" m | sed 's/^t()$/print(t())/' | /usr/bin/python3)
is "$heard" 'from the host' 'a socket answers outside'
# shellcheck disable=SC2059
run py --mount m:/data --json -e "$(printf "$connect" /data)"
has "$out" '"value":"Operation not permitted"' 'and is out of reach inside'
has "$out" '"subject":"socket"' 'and the refusal is named'
run py -e 'import socket; socket.socket(socket.AF_UNIX).close(); 1'
is "$out" 1 'without mounts there are unix sockets'

run py --mount nowhere:/data -e 1
[ "$code" = 125 ] || [ "$code" = 127 ]
ok $? 'a folder that is not there is refused'
run py --mount m:/data --mount m:/data -e 1
is "$code" 125 'twice the same place is refused'

done_testing
