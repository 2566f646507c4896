#!/usr/bin/env python3
# tests/fault/nomem.py -- fail the 1st, 2nd, 3rd ... allocation of the supervisor.
# SPDX-License-Identifier: MIT
#
#   nomem.py [--out build/release]      TAP on stdout
#
# Once alone and once with all that follow. A run then completes, or ends in
# order: exit 125, or a reason that blames us and not the program.

import json
import os
import subprocess
import sys
import tempfile

MAX_NTH = 150
TIMEOUT_S = 20
OURS = {'completed', 'internal', 'lost', 'crashed', 'cancelled'}

PROGRAMS = {
    'one value': ['-e', '1+1'],
    'output and an error': ['-e', 'console.log("x".repeat(100000)); throw new Error("e")'],
    'a module of a folder': ['-e', 'import x from "./lib.js"; export default x', '--root', 'ROOT'],
    'a module that is missing': ['-e', 'await import("./libb.js")', '--root', 'ROOT'],
    'a large value': ['-e', '"x".repeat(1 << 20)'],
    'set-up code': ['-e', 'y', '--setup', 'ROOT/setup.js'],
}
# How these end by themselves.
ENDS = {'output and an error': 'exception', 'a module that is missing': 'exception'}
# To the program a file we have no memory for is one that cannot be read.
CATCHABLE = {'a module of a folder'}


def once(out, shim, args, nth, stays):
    """(problem or '', whether there was an Nth allocation)"""
    read_fd, write_fd = os.pipe()
    env = dict(os.environ, LD_PRELOAD=shim, GB_NOMEM_NTH=str(nth), GB_NOMEM_STAYS=str(int(stays)),
               GB_NOMEM_REPORT=str(write_fd))
    try:
        p = subprocess.run([os.path.join(out, 'glovebox'), 'run', '--json', '--timeout', '5s', *args],
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, env=env,
                           pass_fds=[write_fd])
    except subprocess.TimeoutExpired:
        return 'hangs', True
    finally:
        os.close(write_fd)
        with os.fdopen(read_fd, 'rb') as f:
            reached = f.read() != b''
    said = p.stderr.decode('utf-8', 'replace')
    if p.returncode < 0:
        return 'died of signal %d: %s' % (-p.returncode, said[-200:]), reached
    text = p.stdout.decode('utf-8', 'replace').strip()
    if not text:
        if p.returncode in (125, 2):
            return '', reached
        return 'exit %d and nothing said: %s' % (p.returncode, said[-200:]), reached
    try:
        r = json.loads(text)
    except ValueError:
        return ('half a result and exit 0' if p.returncode == 0 else ''), reached
    return r, reached


def main(argv):
    if os.environ.get('GB_SANITIZED') == '1':
        print('1..0 # SKIP a sanitizer brings its own allocator')
        return 0
    out = os.environ.get('GB_OUT', 'build/release')
    if argv[1:2] == ['--out']:
        out = argv[2]
    shim = os.path.abspath(os.environ.get('GB_NOMEM', os.path.join(out, 'tests/nomem.so')))
    number = failed = 0
    with tempfile.TemporaryDirectory(prefix='gbx-nomem-') as root:
        for name, text in (('lib.js', 'export default 5'), ('setup.js', 'var y = 7')):
            with open(os.path.join(root, name), 'w') as f:
                f.write(text)
        for title, program in PROGRAMS.items():
            args = [a.replace('ROOT', root) for a in program]
            for stays in (False, True):
                wrong, nth, reached = [], 0, True
                while reached and nth < MAX_NTH:
                    nth += 1
                    got, reached = once(out, shim, args, nth, stays)
                    if isinstance(got, str):
                        if got:
                            wrong.append((nth, got))
                        continue
                    reason = got['termination']['reason']
                    natural = ENDS.get(title, 'completed')
                    if title in CATCHABLE and 'cannot be read' in (got['error'] or {}).get('message', ''):
                        continue
                    if reason not in OURS | {natural}:
                        wrong.append((nth, 'blames the program: %s %r' % (reason, got['error'])))
                    if reason == 'completed' and natural != 'completed':
                        wrong.append((nth, 'completed'))
                number += 1
                failed += bool(wrong)
                for n, w in wrong[:4]:
                    print('# allocation %d: %s' % (n, w.replace('\n', ' ')))
                print('%s %d - %s, allocations fail %s, each of %d' % (
                    'not ok' if wrong else 'ok', number, title,
                    'from one on' if stays else 'once', nth - 1), flush=True)
    print('1..%d' % number)
    return failed != 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
