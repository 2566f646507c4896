#!/usr/bin/env python3
# tests/escape/js/turncoat.py -- the supervisor against a worker that was taken over.
# SPDX-License-Identifier: MIT
#
#   turncoat.py [--out build/release] [substring]      TAP on stdout
#
# Each way to break the protocol (turncoat.c) is written into a copy of the
# program, which GLOVEBOX_LIBEXEC puts in the place of glovebox-worker. The
# supervisor must end the run by the named reason within its limit, print one
# well-formed result, and leave no process. `honest` is the control: the same
# program, breaking nothing, completes.

import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

WALL_MS = 400
LATE_S = 2.0             # to start, and on a host that is busy with other tests
HELLO_S = 5.0            # how long the supervisor waits for a hello

BEFORE = {'internal'}
DURING = {'crashed'}

# way -> reasons, and flags of the run
WAYS = {
    'honest': ({'completed'}, []),
    'hello-never': (BEFORE, []), 'hello-exit': (BEFORE, []), 'hello-crash': (BEFORE, []),
    'hello-closes': (BEFORE, []), 'hello-version': (BEFORE, []), 'hello-engine': (BEFORE, []),
    'hello-no-walls': (BEFORE, []), 'hello-junk': (BEFORE, []), 'hello-empty-body': (BEFORE, []),
    'hello-truncated': (BEFORE, []), 'hello-huge': (BEFORE, []), 'hello-endless': (BEFORE, []),
    'hello-negative': (BEFORE, []), 'hello-magic': (BEFORE, []), 'hello-half': (BEFORE, []),
    'hello-trailing': (BEFORE, []), 'hello-odd-text': ({'completed'}, []),
    'hello-twice': (BEFORE | DURING, []), 'type-0': (BEFORE, []), 'type-7': (BEFORE, []),
    'type-max': (BEFORE, []), 'type-of-ours': (BEFORE, []),
    'result-before-hello': (BEFORE, []), 'output-before-hello': (BEFORE, []),
    'fatal-before-hello': (BEFORE, []),
    'reason-0': (DURING, []), 'reason-255': (DURING, []), 'reason-cancelled': (DURING, []),
    'reason-lost': (DURING, []), 'reason-syscall': (DURING, []), 'reason-approval': (DURING, []),
    'json-open': (DURING, []), 'json-two': (DURING, []), 'json-comma': (DURING, []),
    'json-nan': (DURING, []), 'json-utf8': (DURING, []), 'json-overlong': (DURING, []),
    'json-surrogate': (DURING, []), 'json-control': (DURING, []), 'json-break-out': (DURING, []),
    'result-of-another-run': (DURING, []), 'result-limit': (DURING, []),
    'result-exports': (DURING, []), 'result-deep': (DURING, []), 'result-too-long': (DURING, []),
    'result-large': (DURING | {'result_too_large'}, ['--max-result', '64kb']),
    'result-largest': (DURING | {'result_too_large', 'wall_time_limit'}, []),
    'result-promised': ({'wall_time_limit'}, []),
    'result-lies': ({'completed'}, []), 'result-failed-lies': (DURING, []),
    'exit-0': (DURING, []), 'exit-7': (DURING, []), 'segv': (DURING, []), 'abort': (DURING, []),
    'killed': (DURING, []), 'hang': ({'wall_time_limit'}, []), 'syscall': ({'syscall_denied'}, []),
    'child-stays': (DURING, []), 'closes': (DURING | {'wall_time_limit'}, []),
    'shuts-down': (DURING | {'wall_time_limit'}, []),
    'fatal-hangs': (DURING | {'wall_time_limit'}, []), 'fatal-exits': (DURING, []),
    'half-a-result': (DURING, []), 'stream-0': (DURING, []), 'stream-3': (DURING, []),
    'output-flood': ({'completed', 'output_limit'} | DURING, []),
    'output-endless': ({'wall_time_limit', 'output_limit'} | DURING, []),
    'output-long': (DURING, []), 'image-in-run': (DURING, []), 'hello-in-run': (DURING, []),
    'load-no-root': (DURING, []), 'load-flood': (DURING, ['--root', 'ROOT']),
    'fatal-flood': (DURING | {'wall_time_limit'}, []), 'trickle': ({'wall_time_limit'}, []),
    'result-twice': ({'completed'}, []), 'output-after': ({'completed'}, []),
    'load-honest': ({'completed'}, ['--root', 'ROOT']),
    'load-climbs': ({'completed'}, ['--root', 'ROOT']),
    'load-absolute': ({'completed'}, ['--root', 'ROOT']),
    'load-nul': ({'completed'}, ['--root', 'ROOT']),
    'load-dots': ({'completed'}, ['--root', 'ROOT']),
    'load-link': ({'completed'}, ['--root', 'ROOT']),
    'load-fifo': ({'completed'}, ['--root', 'ROOT']),
    'load-folder': ({'completed'}, ['--root', 'ROOT']),
    'fetch-before-hello': (BEFORE, []), 'fetch-no-network': (DURING, []),
    'fetch-flood': (DURING, []), 'fetch-long': (DURING, []), 'fetch-empty': (DURING, []),
    'fetch-method': (DURING, []), 'fetch-url': (DURING, []), 'fetch-header': (DURING, []),
    'fetch-unknown-call': ({'completed', 'wall_time_limit'}, []), 'fetch-answers-itself': (DURING, []),
    'fetch-denied-flood': ({'completed', 'wall_time_limit'}, []), 'fetch-after': ({'completed'}, []),
    'image-honest': ({'completed'}, ['--setup', 'SETUP']),
    # Set-up code that fails has no result: exit 125 and a sentence.
    'image-endless': (None, ['--setup', 'SETUP']), 'image-empty': (None, ['--setup', 'SETUP']),
    'image-exits': (None, ['--setup', 'SETUP']), 'image-long-chunk': (None, ['--setup', 'SETUP']),
    'image-result': (None, ['--setup', 'SETUP']), 'image-magic': (None, ['--setup', 'SETUP']),
    'image-engine': (None, ['--setup', 'SETUP']), 'image-hot': (None, ['--setup', 'SETUP']),
    'image-size': (None, ['--setup', 'SETUP']), 'image-short': (None, ['--setup', 'SETUP']),
    'image-flags': (None, ['--setup', 'SETUP']),
}
MARK = b'@@WAY@@'


def make_root(folder):
    root = os.path.join(folder, 'root')
    os.mkdir(root)
    for name in ('root/lib.js', 'secret.js'):
        with open(os.path.join(folder, name), 'w') as f:
            f.write('export default 1')
    os.symlink('../secret.js', os.path.join(root, 'link.js'))
    os.mkfifo(os.path.join(root, 'fifo.js'))
    return root


def still_running(program):
    """Processes whose program is this file: none may be left."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if os.readlink('/proc/%s/exe' % pid) == program:
                found.append(int(pid))
        except OSError:
            pass
    return found


def try_way(out, binary, way):
    reasons, flags = WAYS[way]
    wrong = []
    with tempfile.TemporaryDirectory(prefix='gbx-turncoat-') as folder:
        image = open(binary, 'rb').read()
        if image.count(MARK) != 1:
            return ['the mark is not once in the program']
        name = way.encode().ljust(64, b'\0')
        at = image.index(MARK)
        program = os.path.join(folder, 'glovebox-worker')
        with open(program, 'wb') as f:
            f.write(image[:at] + name + image[at + 64:])
        os.chmod(program, 0o755)
        shutil.copy(os.path.join(out, 'base.image'), folder)
        root = make_root(folder)
        os.chmod(folder, 0o755)
        args = [os.path.join(out, 'glovebox'), 'run', '-e', '1', '--json', '--timeout', '%dms' % WALL_MS]
        places = {'ROOT': root, 'SETUP': os.path.join(root, 'lib.js')}
        args += [places.get(f, f) for f in flags]
        begun = time.monotonic()
        try:
            p = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, timeout=30,
                               env=dict(os.environ, GLOVEBOX_LIBEXEC=folder))
        except subprocess.TimeoutExpired:
            return ['the supervisor hangs']
        took = time.monotonic() - begun
        if p.returncode < 0:
            return ['the supervisor died of signal %d: %s' % (-p.returncode, p.stderr[-300:])]
        # Death is reported when the process is gone; a pid namespace ends with it.
        left = still_running(os.path.realpath(program))
        if left:
            wrong.append('processes are left: %s' % left)
    if reasons is None:
        if p.returncode != 125 or p.stdout or not p.stderr:
            wrong.append('exit %d: %r %r' % (p.returncode, p.stdout[:200], p.stderr[:200]))
        return wrong
    try:
        r = json.loads(p.stdout.decode('utf-8', 'strict'))
    except ValueError as e:
        return wrong + ['no result: %s %r %r' % (e, p.stdout[:200], p.stderr[:200])]
    got = r['termination']['reason']
    if got not in reasons:
        wrong.append('ended by %s: %r' % (got, r['error']))
    if r['ok'] != (got == 'completed'):
        wrong.append('ok is %s' % r['ok'])
    limit = LATE_S + WALL_MS / 1000 + (HELLO_S if got == 'internal' else 0)
    if took > limit:
        wrong.append('took %.1f s' % took)
    if got == 'internal' and p.returncode != 125:
        wrong.append('exit %d' % p.returncode)
    if len(r['stdout']) + len(r['stderr']) > 1 << 20:
        wrong.append('more output than the limit was kept')
    if got != 'completed' and r['value'] is not None:
        wrong.append('a value although it failed')
    if any(ord(c) < 32 for c in p.stderr.decode('utf-8', 'replace') if c not in '\n\t'):
        wrong.append('control bytes on stderr: %r' % p.stderr[:200])
    if way.startswith('load-') and way not in ('load-no-root', 'load-flood'):
        want = 'given' if way == 'load-honest' else 'refused'
        if r['value'] != want:
            wrong.append('the file was %s' % r['value'])
    return wrong


def main(argv):
    out = os.environ.get('GB_OUT', 'build/release')
    if argv[1:2] == ['--out']:
        out = argv[2]
        argv = argv[:1] + argv[3:]
    want = argv[1] if len(argv) > 1 else ''
    binary = os.environ.get('GB_TURNCOAT', os.path.join(out, 'tests/turncoat'))
    ways = [w for w in WAYS if want in w]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for n, (way, wrong) in enumerate(zip(ways, pool.map(lambda w: try_way(out, binary, w), ways)), 1):
            failed += bool(wrong)
            for w in wrong:
                print('# ' + w.replace('\n', ' '))
            print('%s %d - %s' % ('not ok' if wrong else 'ok', n, way), flush=True)
    print('1..%d' % len(ways))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
