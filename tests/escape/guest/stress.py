#!/usr/bin/env python3
# tests/escape/guest/stress.py -- many forks, in a row and at once, honest and
# hostile; and the sudden end of everybody involved.
# SPDX-License-Identifier: MIT
#
#   stress.py [substring]      TAP on stdout; GB_OUT names the build,
#                              GB_RUNS how many forks in a row (400)
#
# What must stay constant is counted in /proc: descriptors of supervisor and
# zygote, their memory and their processes. No time is measured.

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
OUT = os.path.abspath(os.environ.get('GB_OUT', os.path.join(ROOT, 'build/release')))
sys.path.insert(0, os.path.join(ROOT, 'tests'))
from processes import alive, descendants    # noqa: E402
RUNS = int(os.environ.get('GB_RUNS', '400'))
AT_ONCE = 50
WARM_UP = 60               # runs after which nothing may grow any more
GROWTH_KB = 3072
SUFFIX = {'node': '.cjs', 'python': '.py'}
NODE26 = os.path.join(ROOT, 'tests/packages/node_modules/node26/bin/node')
KINDS = {'node': ('node', ()), 'python': ('python', ())}
if os.path.exists(NODE26):
    KINDS['node 26'] = ('node', ('--node', NODE26))

HONEST = {
    'node': "const fs = require('fs'); fs.writeFileSync('/workspace/a', 'x'); console.log('honest');"
            " [1, 2, 3].map((n) => n * 2)",
    'python': "open('/workspace/a', 'w').write('x')\nprint('honest')\n[n * 2 for n in (1, 2, 3)]",
}
HOSTILE = {
    'node': ["process.kill(process.pid, 'SIGKILL')", 'process.abort()', 'throw new Error("x")', 'process.exit(3)',
             "require('fs').writeSync(200, Buffer.alloc(64, 255)); setTimeout(() => {}, 1e6)",
             "require('child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'inherit' }).unref(); 1",
             "require('fs').writeFileSync('/tmp/x', Buffer.alloc(1 << 20)); process.stdout.write('y'.repeat(70000));"
             " process.kill(process.pid, 'SIGSEGV')",
             "for (let i = 3; i < 300; i++) try { require('fs').closeSync(i) } catch {} 1"],
    'python': ['import os; os.kill(os.getpid(), 9)', 'import os; os.abort()', '1/0', 'raise SystemExit(3)',
               'import os, time; os.write(200, b"\\xff" * 64); time.sleep(1000)',
               'import os, time\nif os.fork() == 0: os.setsid(); time.sleep(1000)',
               'open("/tmp/x", "wb").write(bytes(1 << 20)); print("y" * 70000); import ctypes; ctypes.string_at(0)',
               'import os; os.closerange(0, 300)', 'import ctypes; ctypes.CDLL(None).ptrace(0, 0, 0, 0)'],
}
LIMITS = ('--timeout', '20s', '--cpu', '5s', '--memory', '128mb', '--max-output', '200kb')


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    return path


def start(engine, flags, files, **more):
    command = [os.path.join(OUT, 'glovebox'), 'run', '--json', '--engine', engine, *LIMITS, *flags, *files]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=ENV, **more)


# ---- /proc ----------------------------------------------------------------------

def memory_kb(pid):
    return int(re.search(r'(?m)^RssAnon:\s+(\d+)', open('/proc/%d/status' % pid).read())[1])


def zygote_of(pid):
    """The process below a supervisor with the runtime's descriptors: the one that has children or threads."""
    best = None
    for c in descendants(pid):
        try:
            exe = os.readlink('/proc/%d/exe' % c)
        except OSError:
            continue
        if 'node' in os.path.basename(exe) or 'python' in os.path.basename(exe):
            best = best or c
    return best


def look(pid):
    z = zygote_of(pid)
    return {'supervisor fds': len(os.listdir('/proc/%d/fd' % pid)), 'supervisor kb': memory_kb(pid),
            'zygote fds': len(os.listdir('/proc/%d/fd' % z)), 'zygote kb': memory_kb(z), 'zygote': z}


def least(looks):
    """Of looks in a row: several runs may be dying when we look, but not every time."""
    return {key: min(s[key] for s in looks) for key in looks[0]}


def gone(pids, what):
    for _ in range(100):
        left = alive(pids)
        if not left:
            return
        time.sleep(0.05)
    assert not left, '%s: %s still there' % (what, [(p, open('/proc/%d/comm' % p).read()) for p in left])


# ---- tests -------------------------------------------------------------------------

def t_row(folder, engine, flags):
    """forks in a row, every fourth hostile: all honest ones right, nothing grows"""
    honest = write(folder, 'honest' + SUFFIX[engine], HONEST[engine])
    bad = [write(folder, 'bad%d%s' % (i, SUFFIX[engine]), c) for i, c in enumerate(HOSTILE[engine])]
    files = [bad[i // 4 % len(bad)] if i % 4 == 3 else honest for i in range(RUNS)]
    seen = []
    with start(engine, flags, files) as p:
        everybody = set()
        for i, line in enumerate(p.stdout):
            r = json.loads(line)
            if files[i] == honest:
                assert r['ok'] and r['value'] == [2, 4, 6] and r['stdout'] == 'honest\n', (i, r)
                assert r['started_as'] == 'fork' and [f['path'] for f in r['files']] == ['a'], (i, r)
            else:
                assert r['termination']['reason'] not in ('lost', 'internal', 'wall_time_limit'), (i, r)
            if i % 20 == 0 and i < RUNS - 20:
                seen.append((i, look(p.pid)))
                everybody |= set(descendants(p.pid))
        assert i == RUNS - 1, i
    warm = [s for i, s in seen if i >= min(WARM_UP, RUNS // 3)]
    begin, end = least(warm[:3]), least(warm[-3:])
    assert len({s['zygote'] for s in warm}) == 1, 'another zygote'
    # One run may be on its way when we look.
    assert end['supervisor fds'] - begin['supervisor fds'] <= 12, (begin, end)
    assert end['zygote fds'] - begin['zygote fds'] <= 10, (begin, end)
    assert end['supervisor kb'] - begin['supervisor kb'] <= GROWTH_KB, (begin, end)
    assert end['zygote kb'] - begin['zygote kb'] <= GROWTH_KB, (begin, end)
    gone(everybody, 'after the end')


def t_at_once(folder, engine, flags):
    """fifty at once, honest and hostile in any order, twice"""
    honest = write(folder, 'honest' + SUFFIX[engine], HONEST[engine])
    bad = [write(folder, 'bad%d%s' % (i, SUFFIX[engine]), c) for i, c in enumerate(HOSTILE[engine])]
    files = [honest] * AT_ONCE + bad * (AT_ONCE // len(bad))
    random.Random(5).shuffle(files)
    for more in ((), ('--spares', '4')):
        with start(engine, (*flags, '--jobs', str(AT_ONCE), *more), files) as p:
            said, errors = p.communicate(timeout=120)
        results = [json.loads(l) for l in said.decode().split('\n') if l]
        assert len(results) == len(files), (len(results), errors[-300:])
        for f, r in zip(files, results):
            if f == honest:
                assert r['ok'] and r['value'] == [2, 4, 6] and r['stdout'] == 'honest\n', r
            assert r['termination']['reason'] not in ('lost', 'internal'), r


LONG = {
    'node': "require('child_process').spawn('sleep', ['1000'], { detached: true });"
            " console.log('up'); setInterval(() => {}, 1000)",
    'python': "import subprocess, time; subprocess.Popen(['sleep', '1000'], start_new_session=True);"
              " time.sleep(1000)",
}


def in_the_middle(folder, engine, flags, jobs=3, programs=None):
    files = [write(folder, 'long%d%s' % (i, SUFFIX[engine]), c)
             for i, c in enumerate(programs or [LONG[engine]] * jobs)]
    p = start(engine, (*flags, '--jobs', str(jobs)), files, start_new_session=True)
    for _ in range(400):
        names = [c for c in descendants(p.pid) if comm(c) == 'sleep']
        if len(names) >= jobs:
            return p, descendants(p.pid)
        time.sleep(0.05)
    p.kill()
    raise AssertionError('its runs did not come up: %s' % p.communicate()[1])


def comm(pid):
    try:
        return open('/proc/%d/comm' % pid).read().strip()
    except OSError:
        return ''


def t_supervisor_killed(folder, engine, flags):
    """the supervisor killed in the middle: no process of it stays, the next one starts"""
    p, others = in_the_middle(folder, engine, flags)
    p.kill()
    p.communicate()
    gone(others, 'after SIGKILL')
    with start(engine, flags, [write(folder, 'h' + SUFFIX[engine], HONEST[engine])]) as q:
        assert json.loads(q.communicate(timeout=60)[0])['ok']
    left = [d for top in ('/sys/fs/cgroup/memory', '/sys/fs/cgroup/pids', '/sys/fs/cgroup') if os.path.isdir(top)
            for d in os.listdir(top) if d.startswith('glovebox-%d-' % p.pid)]
    assert not left, 'groups of the dead: %s' % left


def t_zygote_killed(folder, engine, flags):
    """its zygote killed in the middle: runs end as lost, later ones have another zygote"""
    honest = HONEST[engine]
    if os.getuid() != 0:
        return 'needs root to kill it'
    p, others = in_the_middle(folder, engine, flags)
    zygote = zygote_of(p.pid)
    os.kill(zygote, signal.SIGKILL)
    said, errors = p.communicate(timeout=60)
    results = [json.loads(l) for l in said.decode().split('\n') if l]
    assert len(results) == 3 and all(r['termination']['reason'] == 'lost' for r in results), (results, errors[-300:])
    gone(others, 'after the zygote')
    # In one supervisor: the run that is lost, then one that is not.
    killer, nobody = in_the_middle(folder, engine, flags, 1, [LONG[engine], honest, honest])
    os.kill(zygote_of(killer.pid), signal.SIGKILL)
    said, errors = killer.communicate(timeout=60)
    results = [json.loads(l) for l in said.decode().split('\n') if l]
    assert [r['termination']['reason'] for r in results] == ['lost', 'completed', 'completed'], (results,
        errors[-300:])
    return None


def t_interrupted(folder, engine, flags):
    """Ctrl-C and SIGTERM: it says so, and takes everything along"""
    for sig in (signal.SIGINT, signal.SIGTERM):
        p, others = in_the_middle(folder, engine, flags)
        os.kill(p.pid, sig)
        said, _ = p.communicate(timeout=60)
        assert p.returncode in (130, 143, -sig), p.returncode
        for l in said.decode().split('\n'):
            assert not l or json.loads(l)['termination']['reason'] == 'cancelled', l
        gone(others, 'after signal %d' % sig)


def t_deaf_to_hup(folder, engine, flags):
    """its terminal and its pipes gone: nothing stays"""
    p, others = in_the_middle(folder, engine, flags)
    p.stdout.close()
    p.stderr.close()
    os.killpg(p.pid, signal.SIGHUP)
    p.wait(timeout=60)
    gone(others, 'after SIGHUP')


def main(argv):
    want = argv[1] if len(argv) > 1 else ''
    tests = [f for n, f in list(globals().items()) if n.startswith('t_') and want in n]
    number = failed = 0
    for test in tests:
        for kind, (engine, flags) in KINDS.items():
            number += 1
            verdict, more = 'ok', ''
            with tempfile.TemporaryDirectory(prefix='gbx-stress-') as folder:
                try:
                    skip = test(folder, engine, flags)
                    more = ' # SKIP ' + skip if skip else ''
                except (AssertionError, ValueError, KeyError, TypeError, OSError, subprocess.TimeoutExpired) as e:
                    print('# ' + (str(e) or type(e).__name__).replace('\n', ' ')[:900])
                    verdict = 'not ok'
                    failed += 1
            print('%s %d - %s: %s%s' % (verdict, number, kind, test.__doc__, more), flush=True)
    print('1..%d' % number)
    return failed != 0


if __name__ == '__main__':
    with tempfile.TemporaryDirectory(prefix='gbx-cache-') as cache:
        ENV = dict(os.environ, HOME='/nonexistent', XDG_CACHE_HOME=cache)
        sys.exit(main(sys.argv))
