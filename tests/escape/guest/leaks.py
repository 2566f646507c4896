#!/usr/bin/env python3
# tests/escape/guest/leaks.py -- a run of node or python sees nothing of the one
# before it, of the one beside it, of its zygote or of the host.
# SPDX-License-Identifier: MIT
#
#   leaks.py [substring]      TAP on stdout; GB_OUT names the build
#
# All programs of a test are forks of one zygote. Where a wall can be left out,
# the same probe is a control: without the wall it must see.

import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
OUT = os.path.abspath(os.environ.get('GB_OUT', os.path.join(ROOT, 'build/release')))
SUFFIX = {'node': '.cjs', 'python': '.py'}
CANARY = 'canary-7f3a9c51'
# No probe may hold the word that it looks for.
PATTERN = 'canary-7f3a9c5[1]'
RUNS = 12
LIMITS = ('--timeout', '10s', '--cpu', '5s', '--memory', '256mb')


class Box:
    def __init__(self, folder):
        self.folder = folder
        self.files = 0

    def file(self, text, suffix):
        self.files += 1
        path = os.path.join(self.folder, '%03d%s' % (self.files, suffix))
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        return path

    def command(self, engine, programs, flags, program='glovebox'):
        names = {}
        for p in programs:
            if p not in names:
                names[p] = self.file(p, SUFFIX[engine])
        return [os.path.join(OUT, program), 'run', '--json', '--engine', engine, *LIMITS, *flags,
                *(names[p] for p in programs)]

    def run(self, engine, programs, *flags, program='glovebox', env=None):
        """Results in the order of the programs."""
        p = subprocess.run(self.command(engine, programs, flags, program), stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=120, env=dict(ENV, **(env or {})))
        results = [json.loads(l) for l in p.stdout.decode().split('\n') if l]
        assert len(results) == len(programs), '%d results: %s' % (len(results), p.stderr[-300:])
        return results

    def values(self, engine, programs, *flags, program='glovebox', env=None):
        results = self.run(engine, programs, *flags, program=program, env=env)
        for r in results:
            assert r['ok'], r['error']
        return [r['value'] for r in results]


# ---- what one leaves, and another looks for ------------------------------------

DIRTY = {
    'node': r'''
const fs = require('fs'), C = '%(c)s';
for (const d of ['/workspace', '/tmp', '/dev/shm']) { fs.writeFileSync(d + '/' + C, C); fs.mkdirSync(d + '/d-' + C); }
process.env.LEFT = C; globalThis.canary = C; fs.canary = C; require('os').canary = C; require('path').sep2 = C;
Object.prototype.polluted = C; Array.prototype.map = null; Math.random = () => 0.5; Date.now = () => 0;
JSON.stringify2 = JSON.stringify; process.title = C; process.umask(0o777); process.chdir('/tmp');
require.cache[C] = { exports: C }; require('module').globalPaths.push(C); process.on('exit',
    () => fs.writeFileSync('/tmp/late', C));
require('net').createServer().listen(4567, '127.0.0.1'); require('net').createServer().listen('\0' + C);
require('dgram').createSocket('udp4').bind(4568);
setInterval(() => console.log(C), 5);
require('child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref();
setTimeout(() => process.exit(0), 60);
''',
    'python': r'''
import builtins, ctypes, os, socket, subprocess, sys, tempfile, threading, time
C = '%(c)s'
for d in ('/workspace', '/tmp', '/dev/shm'):
    open(d + '/' + C, 'w').write(C); os.mkdir(d + '/d-' + C)
os.environ['LEFT'] = C; builtins.canary = C; sys.canary = C; os.canary = C; sys.modules[C] = os
sys.path.insert(0, C); tempfile.tempdir = '/' + C; sys.setrecursionlimit(77); os.umask(0o777); os.chdir('/tmp')
sys.argv.append(C); socket.setdefaulttimeout(0.001); time.time = lambda: 0
held = [socket.socket(), socket.socket(socket.AF_UNIX), socket.socket(type=socket.SOCK_DGRAM)]
held[0].bind(('127.0.0.1', 4567)); held[0].listen(); held[1].bind('\0' + C); held[1].listen(); held[2].bind(('',
    4568))
subprocess.Popen(['sleep', '1000'], start_new_session=True)
from multiprocessing import shared_memory, resource_tracker
s = shared_memory.SharedMemory('shm-' + C, create=True, size=4096); s.buf[:6] = b'canary'
libc = ctypes.CDLL(None); libc.prctl(15, C.encode()[:15])
try:
    import matplotlib.pyplot as plt
    plt.rcParams['font.size'] = 77; plt.figure(); plt.plot([1, 2])
except ImportError: pass
try:
    import numpy; numpy.canary = C; numpy.random.seed(5)
except ImportError: pass
time.sleep(0.06)
os._exit(0)
''',
}
PROBE = {
    'node': r'''
const fs = require('fs'), net = require('net'), seen = [];
const look = (what, is) => { if (is) seen.push(what); };
for (const d of ['/workspace', '/tmp', '/dev/shm'])
    look(d, fs.readdirSync(d).some((n) => n !== require('path').basename(__filename) && !n.startsWith('.')));
look('environment', JSON.stringify(process.env).includes('canary-') || process.env.LEFT);
look('globals', typeof canary !== 'undefined' || ({}).polluted);
look('modules', fs.canary || require('os').canary || require('path').sep2);
look('builtins', typeof [].map !== 'function' || JSON.stringify2 || Date.now() < 1e12 ||
    Math.random() === Math.random());
look('cache', Object.keys(require.cache).join().includes('canary-') ||
    require('module').globalPaths.join().includes('canary-'));
look('title', process.title.includes('canary-')); look('umask', process.umask() !== 0o022); look('cwd',
    process.cwd() !== '/workspace');
look('processes', fs.readdirSync('/proc').filter((n) => /^\d+$/.test(n)).some((n) => n !== String(process.pid)));
look('net', ['tcp', 'udp', 'unix', 'tcp6'].some((n) => fs.readFileSync('/proc/net/' + n,
    'utf8').trim().split('\n').length > 1));
look('ipc', ['shm', 'sem', 'msg'].some((n) => fs.readFileSync('/proc/sysvipc/' + n,
    'utf8').trim().split('\n').length > 1));
const dial = (...to) => new Promise((done) => {
    const s = net.connect(...to, () => { s.destroy(); done(true); });
    s.on('error', () => done(false)); });
globalThis.answer = (async () => {
    look('loopback', await dial(4567, '127.0.0.1')); look('abstract', await dial('\0canary-' + '7f3a9c51'));
    look('timers', process.getActiveResourcesInfo?.().includes('Timeout'));
    return seen; })();
answer
''',
    'python': r'''
import builtins, os, socket, sys, tempfile, time
seen = []
def look(what, is_): is_ and seen.append(what)
own = os.path.basename(sys.argv[0])
for d in ('/workspace', '/tmp', '/dev/shm'):
    look(d, [n for n in os.listdir(d) if n != own and not n.startswith('.')])
look('environment', 'canary-' in repr(os.environ) or 'LEFT' in os.environ)
look('globals', hasattr(builtins, 'canary') or hasattr(sys, 'canary') or hasattr(os, 'canary'))
look('modules', [m for m in sys.modules if 'canary-' in m])
look('path', [p for p in sys.path if 'canary-' in p] or len(sys.argv) != 1)
look('state', tempfile.gettempdir() != '/tmp' or sys.getrecursionlimit() == 77 or time.time() == 0 or
    socket.getdefaulttimeout())
look('umask', os.umask(0o022) != 0o022); look('cwd', os.getcwd() != '/workspace')
look('processes', [n for n in os.listdir('/proc') if n.isdigit() and int(n) != os.getpid()])
look('name', 'canary-' in open('/proc/self/comm').read())
look('net', [n for n in ('tcp', 'udp', 'unix', 'tcp6') if len(open('/proc/net/' + n).readlines()) > 1])
look('ipc', [n for n in ('shm', 'sem', 'msg') if len(open('/proc/sysvipc/' + n).readlines()) > 1])
for what, family, to in (('loopback', socket.AF_INET, ('127.0.0.1', 4567)),
                         ('abstract', socket.AF_UNIX, '\0canary-' + '7f3a9c51')):
    s = socket.socket(family); look(what, s.connect_ex(to) == 0); s.close()
try:
    import matplotlib.pyplot as plt
    look('figures', plt.get_fignums() or plt.rcParams['font.size'] == 77)
except ImportError: pass
try:
    import numpy
    look('numpy', hasattr(numpy, 'canary'))
except ImportError: pass
seen
''',
}
# Held open while others look.
STAY = {
    'node': DIRTY['node'].replace('}, 60);', '}, 1500);').replace('process.exit(0), 60', 'process.exit(0), 1500'),
    'python': DIRTY['python'].replace('time.sleep(0.06)', 'time.sleep(1.5)'),
}
WAIT = {
    'node': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);\n',
    'python': 'import time; time.sleep(0.4)\n',
}


def t_earlier(box, engine):
    """nothing that a run left is there in the next one"""
    dirty = DIRTY[engine] % {'c': CANARY}
    got = box.run(engine, [PROBE[engine], dirty, PROBE[engine], dirty, dirty, PROBE[engine]])
    for i in (1, 3, 4):
        assert got[i]['ok'], (got[i]['error'], got[i]['stderr'][-300:])
    for i in (0, 2, 5):
        assert got[i]['value'] == [], got[i]
        assert CANARY not in json.dumps(got[i]), got[i]


def t_parallel(box, engine):
    """nor of a run that is there at the same time"""
    stay = STAY[engine] % {'c': CANARY}
    probe = WAIT[engine] + PROBE[engine]
    got = box.run(engine, [stay, probe, stay, probe], '--jobs', '4')
    assert got[0]['ok'] and got[2]['ok'], (got[0]['error'], got[2]['error'])
    for r in (got[1], got[3]):
        assert r['value'] == [], r
        assert CANARY not in json.dumps(r), r


def sees(box, engine, wall, want):
    """Without a wall the probe beside it must see this."""
    stay = STAY[engine] % {'c': CANARY}
    got = box.run(engine, [stay, WAIT[engine] + PROBE[engine]], '--jobs', '2',
                  *(x for w in wall.split(',') for x in ('--leave-out', w)), program='glovebox-testing')
    found = got[1]['value'] or got[1]['error']
    assert want in (got[1]['value'] or []), (wall, found, got[1]['stderr'][-200:])


def t_parallel_net_control(box, engine):
    """control: without a network namespace of its own a run meets its neighbour"""
    sees(box, engine, 'net_ns', 'loopback')


# ---- randomness ---------------------------------------------------------------

RANDOM = {
    'node': r'''
const c = require('crypto'), w = globalThis.crypto;
[Math.random(), Math.random(), c.randomUUID(), c.randomUUID({ disableEntropyCache: true }), c.randomInt(2 ** 47),
    c.randomBytes(12).toString('hex'),
 w.randomUUID(), [...w.getRandomValues(new Uint8Array(12))].join(),
     c.randomFillSync(Buffer.alloc(12)).toString('hex'),
 c.generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x, require('fs').mkdtempSync('/tmp/x')]
''',
    'python': r'''
import os, random, secrets, tempfile, uuid
out = [random.random(), random.getrandbits(64), secrets.token_hex(), str(uuid.uuid4()), os.urandom(12).hex(),
    tempfile.mkdtemp(),
       tempfile.NamedTemporaryFile(delete=False).name, random.SystemRandom().random(), random.Random().random(),
           str(uuid.uuid1())]
try:
    import numpy as np
    out += [np.random.random(), int(np.random.randint(1 << 60)), np.random.default_rng().random(),
        str(np.random.bytes(8))]
except ImportError: pass
try:
    import ssl
    out.append(ssl.RAND_bytes(12).hex())
except ImportError: pass
out
''',
}


def same(lists):
    return [i for i in range(len(lists[0])) if len({json.dumps(l[i]) for l in lists}) != len(lists)]


def t_random(box, engine):
    """no two runs share a random number, a key or a name, in turn, at once or as spares"""
    for flags in ((), ('--jobs', '4'), ('--spares', '3')):
        got = same(box.values(engine, [RANDOM[engine]] * RUNS, *flags))
        assert not got, 'positions %s with %s' % (got, flags)


def t_random_control(box, engine):
    """control: with a seed the same numbers come again"""
    program = {'node': '[Math.random(), Math.random()]',
               'python': 'import random\n[random.random(), random.random()]'}[engine]
    got = box.values(engine, [program] * 3, '--seed', '5')
    assert got[0] == got[1] == got[2], got
    assert box.values(engine, [program], '--seed', '6')[0] != got[0]


CLOCK = {
    'node': '[Date.now(), performance.timeOrigin, performance.now(), process.uptime(), process.pid, process.ppid]',
    'python': 'import os, time\n[time.time() * 1000, time.time() * 1000, time.process_time() * 1000, 0, '
              'os.getpid(), os.getppid()]',
}


def t_clock(box, engine):
    """clocks are of now, and pids say nothing"""
    # What Node.js counts from its start it counts from the zygote's (docs/node.md).
    programs = [CLOCK[engine], {'node': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)',
                                'python': 'import time; time.sleep(1.5)'}[engine], CLOCK[engine]]
    began = time.time() * 1000
    got = box.values(engine, programs)
    ended = time.time() * 1000
    for now, origin, since, up, pid, parent in (got[0], got[2]):
        assert began <= now <= ended, (began, now)
        assert (pid, parent) == (2, 0), (pid, parent)
        assert engine == 'node' or 0 <= since < 1500, 'began %d ms before its program' % since
        assert engine == 'node' or began - 1 <= origin <= ended, origin - began


# ---- secrets of the host --------------------------------------------------------

SCAN = {
    'node': r'''
const fs = require('fs'), hits = [], mem = fs.openSync('/proc/self/mem'), buf = Buffer.alloc(1 << 20);
const has = (b) => {
    for (let i = -1; (i = b.indexOf('canary-', i + 1)) >= 0;) if (/%(p)s/.test(b.latin1Slice(i, i + 15))) return true;
    return false; };
let bytes = 0;
for (const l of fs.readFileSync('/proc/self/maps', 'utf8').split('\n')) {
    const m = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(l);
    if (!m || /vvar|vsyscall/.test(l)) continue;
    for (let a = BigInt('0x' + m[1]), end = BigInt('0x' + m[2]); a < end;) {
        let n;
        try { n = fs.readSync(mem, buf, 0, Number(end - a < 1048576n ? end - a : 1048576n), a); } catch { break; }
        if (!n) break;
        if (has(buf.subarray(0, n))) hits.push(l);
        a += BigInt(n); bytes += n;
    }
}
for (const f of ['environ', 'cmdline', 'auxv', 'maps', 'mountinfo', 'status', 'cgroup'])
    if (has(fs.readFileSync('/proc/self/' + f))) hits.push(f);
if (bytes < 2e7) hits.push('only ' + bytes + ' bytes could be read');
hits
''' % {'p': PATTERN},
    'python': r'''
import gc, re
want, hits, size = re.compile(b'%(p)s'), [], 0
with open('/proc/self/mem', 'rb', 0) as mem:
    for line in open('/proc/self/maps'):
        m = re.match(r'([0-9a-f]+)-([0-9a-f]+) r', line)
        if not m or 'vvar' in line or 'vsyscall' in line: continue
        at, end, before = int(m[1], 16), int(m[2], 16), b''
        while at < end:
            try: mem.seek(at); got = mem.read(min(end - at, 1 << 20))
            except OSError: break
            if not got: break
            if want.search(before[-20:] + got): hits.append(line.strip())
            at += len(got); before = got; size += len(got)
for f in ('environ', 'cmdline', 'auxv', 'maps', 'mountinfo', 'status', 'cgroup'):
    if want.search(open('/proc/self/' + f, 'rb').read()): hits.append(f)
if size < 5e6: hits.append('only %%d bytes could be read' %% size)
hits
''' % {'p': PATTERN},
}


def t_secrets(box, engine):
    """no byte of the supervisor's environment, arguments or other programs is in a run's memory"""
    other = {'node': 'var held = "%s"; held.length', 'python': 'held = "%s"; len(held)'}[engine] % CANARY
    got = box.values(engine, [other, SCAN[engine], other, SCAN[engine]], '--env', 'PUBLIC=1',
                     env={'SECRET_TOKEN': CANARY, 'GLOVEBOX_X': CANARY, 'LD_X': CANARY, 'NODE_EXTRA': CANARY,
                         'PYTHONX': CANARY})
    assert got[1] == got[3] == [], (got[1], got[3])


def t_secrets_control(box, engine):
    """control: what a run is given is found there"""
    got = box.values(engine, [SCAN[engine]], '--env', 'PUBLIC=' + CANARY)
    assert got[0], 'the scan finds nothing'


# ---- descriptors -----------------------------------------------------------------

FDS = {
    'node': r'''
const fs = require('fs'), cp = require('child_process');
const of = (list) => list.map((l) => l.replace(/\d{4,}/g, 'N'));
const name = (f) => { try { return f + ' ' + fs.readlinkSync('/proc/self/fd/' + f); } catch { return null; } };
const own = fs.readdirSync('/proc/self/fd').sort((a, b) => a - b).map(name).filter(Boolean);
const child = cp.execSync('ls /proc/self/fd', { encoding: 'utf8' }).trim().split('\n');
[of(own), child]
''',
    'python': r'''
import os, re, subprocess
def own():
    for f in sorted(os.listdir('/proc/self/fd'), key=int):
        try: yield f + ' ' + re.sub(r'\d{4,}', 'N', os.readlink('/proc/self/fd/' + f))
        except OSError: pass
child = subprocess.run('ls /proc/self/fd', shell=True, stdout=subprocess.PIPE, close_fds=False)
[list(own()), child.stdout.decode().strip().split('\n')]
''',
}
SLEEP = {'node': 'setTimeout(() => {}, 1200); 0', 'python': 'import time; time.sleep(1.2)'}


def t_descriptors(box, engine):
    """a run and its children hold pipes, the channel and what their own loop needs, also among ten others"""
    private = {'node': ('anon_inode:[eventpoll]', 'anon_inode:[eventfd]', 'pipe:[N]', 'anon_inode:[timerfd]',
        '/dev/null'),
               'python': ()}[engine]
    got = box.values(engine, [SLEEP[engine]] * 10 + [FDS[engine], SLEEP[engine], FDS[engine]], '--jobs', '13')
    for own, child in (got[10], got[12]):
        stdio = ['0 pipe:[N]', '1 pipe:[N]', '2 pipe:[N]']
        assert own[:3] == stdio and '200 socket:[N]' in own, own
        rest = [l for l in own[3:] if l.split(' ',
            1)[1] not in private and l != '200 socket:[N]' and '/proc/' not in l]
        assert not rest, rest
        assert child == ['0', '1', '2', '3'], child    # 3 is the folder that it lists


# Bytes into everything that is open but stdio and the channel: a pipe of the
# zygote's would carry them to it, and what it reads there it believes.
SPRAY = {
    'node': r'''
const fs = require('fs');
for (const f of fs.readdirSync('/proc/self/fd')) if (f > 2 && f != 200)
    for (const b of [Buffer.alloc(8, 255), Buffer.alloc(512, 65)]) try { fs.writeSync(+f, b); } catch {}
process.reallyExit(0);
''',
    'python': r'''
import os
for f in os.listdir('/proc/self/fd'):
    if int(f) > 2 and int(f) != 200:
        for b in (b'\xff' * 8, b'A' * 512):
            try: os.write(int(f), b)
            except OSError: pass
os._exit(0)
''',
}


def t_spray(box, engine):
    """bytes written to every descriptor reach neither the zygote nor a neighbour"""
    honest = {'node': "require('crypto').pbkdf2Sync('a', 'b', 1000, 8, 'sha1').toString('hex')",
              'python': 'sum(range(1000))'}[engine]
    got = box.run(engine, [honest] + [SPRAY[engine], honest] * 6, '--jobs', '3')
    for r in got[::2]:
        assert r['ok'] and r['value'] == got[0]['value'] and r['stdout'] == r['stderr'] == '', r
    assert all(r['started_as'] != 'process' and r['termination']['reason'] != 'lost' for r in got)


# ---- what the host does ------------------------------------------------------------

WATCH = r'''
import ctypes, os, select, struct, time
libc, seen = ctypes.CDLL(None, use_errno=True), set()
fd = libc.inotify_init1(os.O_NONBLOCK)
for d in (b'/usr/bin', b'/usr/lib', b'/glovebox', b'/etc'):
    libc.inotify_add_watch(fd, d, 0xfff)
open('/workspace/ready', 'w').close()
end = time.time() + 1.5
while time.time() < end:
    select.select([fd], [], [], 0.1)
    try: b = os.read(fd, 65536)
    except OSError: continue
    while b:
        n = struct.unpack('iIII', b[:16])[3]
        seen.add(b[16:16 + n].rstrip(b'\0').decode()); b = b[16 + n:]
sorted(seen)
'''


def t_watch(box, engine):
    """what others run cannot be watched by way of the files that all share"""
    if engine != 'python':
        return 'the same for both'
    with subprocess.Popen(box.command('python', [WATCH], ()), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, env=ENV) as p:
        while p.poll() is None:
            subprocess.run(['/usr/bin/env', 'true'])
            time.sleep(0.05)
        got = json.loads(p.stdout.read())
    assert got['value'] == [] or not got['ok'], got['value']


def main(argv):
    want = argv[1] if len(argv) > 1 else ''
    tests = [(n, f, e) for n, f in list(globals().items()) if n.startswith('t_') for e in SUFFIX if want in n]
    number = failed = 0
    for name, test, engine in tests:
        number += 1
        verdict, more = 'ok', ''
        with tempfile.TemporaryDirectory(prefix='gbx-leaks-') as folder:
            try:
                skip = test(Box(folder), engine)
                more = ' # SKIP ' + skip if skip else ''
            except (AssertionError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired) as e:
                print('# ' + (str(e) or type(e).__name__).replace('\n', ' ')[:900])
                verdict = 'not ok'
                failed += 1
        print('%s %d - %s: %s%s' % (verdict, number, engine, test.__doc__, more), flush=True)
    print('1..%d' % number)
    return failed != 0


if __name__ == '__main__':
    with tempfile.TemporaryDirectory(prefix='gbx-cache-') as cache:
        ENV = dict(os.environ, HOME='/nonexistent', XDG_CACHE_HOME=cache)
        sys.exit(main(sys.argv))
