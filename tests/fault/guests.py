#!/usr/bin/env python3
# tests/fault/guests.py -- fail the 1st, 2nd, 3rd ... call of every kind, while a
# zygote starts and while it forks.
# SPDX-License-Identifier: MIT
#
#   guests.py [--out build/release] [system call]      TAP on stdout
#
# Two parts. While a zygote starts, strace is around everything. While it forks,
# strace comes to a zygote that is ready: so a fork is hit at the Nth call of
# its own, and the supervisor is not. Programs look at themselves: who they are,
# what they may, what is mounted, what is open. Whatever fails, a run sees what
# an undisturbed one sees, or there is an orderly error and no run. Never a wall
# less, a hang, a dead supervisor or a process left behind.

import collections
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from processes import alive, descendants    # noqa: E402

MAX_NTH = 24
TIMEOUT_S = 40
JOBS = 3

# What a fork calls on its way, and what builds the jail around a zygote.
SEAL = ('unshare', 'setns', 'clone', 'mount', 'mkdir', 'openat', 'write', 'setsid', 'chdir', 'socket', 'ioctl',
        'prctl', 'capset', 'landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self', 'prlimit64',
        'sched_setaffinity', 'sched_getaffinity', 'seccomp', 'dup3', 'fcntl', 'close_range', 'pidfd_open', 'sendmsg',
        'recvmsg', 'rt_sigprocmask', 'poll', 'getrandom', 'mmap', 'read')
NODE_SEAL = ('epoll_create1', 'epoll_ctl', 'eventfd2', 'pipe2', 'dup3', 'dup2', 'close_range', 'openat', 'clone',
    'unshare')
JAIL = ('clone', 'clone3', 'unshare', 'mount', 'pivot_root', 'umount2', 'fsopen', 'fsconfig', 'fsmount',
    'move_mount', 'open_tree',
        'mount_setattr', 'prctl', 'setgroups', 'setresgid', 'setresuid', 'capset', 'seccomp', 'sethostname',
            'close_range',
        'setsid', 'execveat', 'fchdir', 'chdir', 'landlock_create_ruleset', 'socketpair', 'pidfd_open',
            'mkdirat', 'symlinkat')
ERRORS = {'clone': ('EAGAIN', 'EPERM'), 'mount': ('EPERM',), 'write': ('ENOSPC',), 'sendmsg': ('ENOBUFS',),
    'mmap': ('ENOMEM',)}

# Ends that are nobody's fault but ours, and say so.
# (strace makes a call fail by asking for number -1, which a filter that stands
# already ends as it should.)
ORDERLY = {'internal', 'lost', 'syscall_denied'}
# From its program on a call may be the guest's own, and then its failure is.
OF_THE_GUEST = {'openat', 'write', 'mmap', 'read', 'ioctl', 'prctl', 'fcntl', 'clone', 'getrandom',
    'sched_getaffinity', 'poll',
                'sendmsg', 'recvmsg', 'rt_sigprocmask', 'prlimit64', 'epoll_ctl', 'close_range', 'socket',
                'epoll_create1', 'eventfd2', 'pipe2', 'dup2', 'dup3', 'mkdir'}

LOOK = r'''
import ctypes, os, re, resource, signal, socket
def look():
    libc = ctypes.CDLL(None)
    status = open('/proc/self/status').read()
    field = lambda k: re.search(r'(?m)^%s:[ \t]*(.*)' % k, status)[1].split()
    seen = {k: field(k) for k in ('Uid', 'Gid', 'Groups', 'CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb',
        'NoNewPrivs', 'Seccomp',
                                  'Pid', 'PPid', 'NSpid', 'SigBlk')}
    seen['processors'] = len(os.sched_getaffinity(0))
    # That of memory has the zygote's own on top, which is never quite the same.
    kinds = [n for n in sorted(dir(resource)) if n.startswith('RLIMIT_') and n != 'RLIMIT_DATA']
    seen['data'] = 0 < resource.getrlimit(resource.RLIMIT_DATA)[1] < 1 << 30
    seen['limits'] = [resource.getrlimit(getattr(resource, n)) for n in kinds]
    mounts = [l.split() for l in open('/proc/self/mountinfo')]
    seen['mounts'] = sorted(' '.join((m[4], m[5], m[m.index('-') + 1])) for m in mounts)
    seen['sizes'] = [(s.f_blocks, s.f_files, s.f_flag) for s in map(os.statvfs, ('/workspace', '/tmp', '/dev/shm'))]
    seen['maps'] = [open('/proc/self/' + f).read().split() for f in ('uid_map', 'gid_map', 'setgroups')]
    seen['fds'] = [f for f in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + f)]
    seen['self'] = [os.getcwd(), os.umask(0o22), os.getsid(0), libc.prctl(3), socket.gethostname(),
        socket.if_nameindex()]
    death = ctypes.c_int(); libc.prctl(2, ctypes.byref(death)); seen['death'] = death.value
    seen['group'] = sorted({re.sub(r'\d+', 'N', l.rsplit(':', 1)[1].strip()) for l in open('/proc/self/cgroup')})
    def tries(what):
        try: what(); return 'could'
        except OSError as e: return e.errno
    # Landlock alone keeps this; and the filter that.
    seen['comm'] = tries(lambda: open('/proc/self/comm', 'w').write('x'))
    seen['calls'] = [libc.unshare(0), libc.syscall(425, 1, 0)]
    seen['others'] = [p for p in os.listdir('/proc') if p.isdigit()]
    return seen
look()
'''
NODE_LOOK = r'''
const fs = require('fs'), text = fs.readFileSync('/proc/self/status', 'utf8');
const field = (k) => new RegExp('^' + k + ':[ \\t]*(.*)', 'm').exec(text)[1];
const of = (f) => { try { return fs.readlinkSync('/proc/self/fd/' + f); } catch { return ''; } };
const all = fs.readdirSync('/proc/self/fd').map(of);
({ status: ['Uid', 'Groups', 'CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp', 'NSpid', 'SigBlk'].map(field),
   strange: all.filter((l) => !/^$|proc|^pipe|eventpoll|eventfd|^socket|null$/.test(l)),
       channel: of(200).replace(/\d+/, 'N'),
   open: all,
   mounts: fs.readFileSync('/proc/self/mounts', 'utf8').split('\n').map((l) => l.split(' ')[1]).sort() })
'''
WAIT = {'python': 'import time; time.sleep(%s)',
        'node': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, %s * 1000)'}
SUFFIX = {'python': '.py', 'node': '.cjs'}
FLAGS = ('--timeout', '5s', '--cpu', '4s', '--cpus', '1', '--spares', '0')


class Lab:
    def __init__(self, out, folder):
        self.glovebox = os.path.abspath(os.path.join(out, 'glovebox'))
        self.env = dict(os.environ, HOME='/nonexistent', XDG_CACHE_HOME=folder)
        self.folder = folder
        self.clean = {}
        self.felt = 0      # faults that ended a run
        for engine, look in (('python', LOOK), ('node', NODE_LOOK)):
            self.file('look' + SUFFIX[engine], look)
            for name, s in (('short', 0.01), ('wait', 0.5)):
                self.file(name + SUFFIX[engine], WAIT[engine] % s)

    def file(self, name, text):
        with open(os.path.join(self.folder, name), 'w') as f:
            f.write(text)

    def path(self, engine, name):
        return os.path.join(self.folder, name + SUFFIX[engine])

    def command(self, engine, names):
        return [self.glovebox, 'run', '--json', '--engine', engine, *FLAGS, *(self.path(engine, n) for n in names)]

    def learn(self, engine):
        """What an undisturbed run sees, and how often a fork calls what."""
        p = subprocess.run(self.command(engine, ['look', 'look']), stdin=subprocess.DEVNULL, capture_output=True,
                           env=self.env, timeout=TIMEOUT_S)
        first, second = [json.loads(l) for l in p.stdout.decode().split('\n') if l]
        for r in (first, second):
            (r['value'] or {}).pop('open', None)
        assert first['ok'] and first['value'] == second['value'], (first['error'], first['value'], second['value'])
        self.clean[engine] = first['value']


def judge(lab, engine, call, results, code, zygote_has=frozenset()):
    """What is wrong with these ends of look programs."""
    if code < 0:
        return ['the supervisor died of signal %d' % -code]
    for r in results:
        reason = r['termination']['reason']
        shared = set((r['value'] or {}).pop('open', ())) & zygote_has if r['ok'] else ()
        if shared:
            return ['it has %s in common with the zygote' % sorted(shared)]
        if r['ok'] and r['value'] != lab.clean[engine]:
            differ = [k for k in lab.clean[engine] if r['value'].get(k) != lab.clean[engine][k]]
            return ['it ran, and %s' % ['%s is %s' % (k, r['value'].get(k)) for k in differ]]
        if not r['ok'] and reason not in ORDERLY and not (call in OF_THE_GUEST and reason in
                                                          ('exception', 'crashed', 'nonzero_exit', 'memory_limit')):
            return ['blames the program: %s %r' % (reason, r['error'])]
    return []


# ---- a zygote that starts ----------------------------------------------------------

def start_fault(lab, call, error, nth):
    cmd = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=' + call, '-e',
        'inject=%s:error=%s:when=%d' % (call, error, nth),
           *lab.command('python', ['look'])]
    with subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=lab.env,
                          start_new_session=True) as p:
        try:
            said, errors = p.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            return ['hangs']
    results = [json.loads(l) for l in said.decode('utf-8', 'replace').split('\n') if l.startswith('{')]
    if not results and p.returncode != 125:
        return ['exit %d without a result: %s' % (p.returncode, errors[-200:])]
    return judge(lab, 'python', call, results, p.returncode)


# ---- a zygote that forks ------------------------------------------------------------

def zygote_of(pid):
    for c in descendants(pid):
        try:
            if re.search('node|python', os.path.basename(os.readlink('/proc/%d/exe' % c))):
                return c
        except OSError:
            pass
    return None


def pipes_of(pid):
    """Pipes and sockets, by inode; other kinds share one."""
    found = set()
    for f in os.listdir('/proc/%d/fd' % pid):
        try:
            found.add(os.readlink('/proc/%d/fd/%s' % (pid, f)))
        except OSError:
            pass
    return {f for f in found if f.startswith(('pipe:', 'socket:'))}


def attach(zygote, options):
    """strace at a zygote; returns when it has it."""
    p = subprocess.Popen(['strace', '-f', '-o', '/dev/null', '-p', str(zygote), *options],
                         stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    line = p.stderr.readline()
    threading.Thread(target=p.stderr.read, daemon=True).start()
    return p if b'attached' in line else None


def fork_fault(lab, engine, call, error, nth):
    """Two forks with this fault, and one without: the zygote must not keep it."""
    names = ['short', 'wait', 'look', 'look']
    with subprocess.Popen(lab.command(engine, names), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=lab.env, start_new_session=True) as p:
        tracer, everybody = None, []
        timer = threading.Timer(TIMEOUT_S, os.killpg, (p.pid, signal.SIGKILL))
        timer.start()
        try:
            lines = [p.stdout.readline()]
            zygote = zygote_of(p.pid)
            if zygote:
                held = pipes_of(zygote)
                tracer = attach(zygote, ['-e', 'trace=' + call, '-e',
                                         'inject=%s:error=%s:when=%d' % (call, error, nth)])
            everybody = descendants(p.pid)
            lines += p.stdout.readlines()
            errors = p.stderr.read()
            p.wait()
        finally:
            late = not timer.is_alive()
            timer.cancel()
            if tracer:
                tracer.terminate()
                tracer.wait()
    if late:
        return ['hangs']
    if not tracer:
        return ['strace found no zygote: %s' % errors[-200:]]
    results = [json.loads(l) for l in lines if l.strip()]
    if len(results) != len(names) and p.returncode != 125:
        return ['%d results of %d, exit %d: %s' % (len(results), len(names), p.returncode, errors[-200:])]
    for _ in range(60):
        left = alive(everybody)
        if not left:
            break
        time.sleep(0.05)
    lab.felt += any(not r['ok'] for r in results[2:])
    return judge(lab, engine, call, results[2:], p.returncode, held) + (['left behind: %s' % left] if left else [])


def count_calls(lab, engine):
    """{call: the most that the zygote or a fork makes of it, up to its program}"""
    with tempfile.NamedTemporaryFile(prefix='gbx-fault-') as trace, \
            subprocess.Popen(lab.command(engine, ['short', 'wait', 'short']), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, env=lab.env) as p:
        p.stdout.readline()
        tracer = subprocess.Popen(['strace', '-f', '-qq', '-o', trace.name, '-p', str(zygote_of(p.pid))],
                                  stderr=subprocess.DEVNULL)
        p.stdout.read()
        p.wait()
        tracer.terminate()
        tracer.wait()
        by = collections.defaultdict(collections.Counter)
        sealed = set()
        for line in open(trace.name, errors='replace'):
            m = re.match(r'(\d+)\s+(\w+)\(', line)
            if m and m[1] not in sealed:
                by[m[2]][m[1]] += 1
                if m[2] == 'sendmsg' and '(200' in line:
                    sealed.add(m[1])
    return {c: max(n.values()) for c, n in by.items()}


# ---- the plan ------------------------------------------------------------------------

def plan(lab, only):
    for engine, calls in (('python', SEAL), ('node', NODE_SEAL)):
        counts = count_calls(lab, engine)
        assert 'landlock_restrict_self' in counts, 'strace did not see a seal: %s' % sorted(counts)
        for call in calls:
            if call in counts and only in ('', call):
                for error in ERRORS.get(call, ('EPERM',)):
                    yield ('%s forks: ' % engine, call, error, min(counts[call], MAX_NTH),
                           lambda nth, e=engine, c=call, r=error: fork_fault(lab, e, c, r, nth))
    for call in JAIL:
        if only in ('', call):
            error = ERRORS.get(call, ('EPERM',))[0]
            yield 'a zygote starts: ', call, error, 4, lambda nth, c=call, r=error: start_fault(lab, c, r, nth)


def main(argv):
    if os.environ.get('GB_SANITIZED') == '1':
        print('1..0 # SKIP strace on a sanitizer build takes many minutes')
        return 0
    out = os.environ.get('GB_OUT', 'build/release')
    if argv[1:2] == ['--out']:
        out = argv[2]
        argv = argv[:1] + argv[3:]
    if shutil.which('strace') is None or os.getuid() != 0:
        print('1..0 # SKIP needs strace, and root to look into a zygote')
        return 0
    number = failed = 0
    with tempfile.TemporaryDirectory(prefix='gbx-fault-') as folder:
        lab = Lab(out, folder)
        lab.learn('python')
        lab.learn('node')
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            work = [(head, call, error, count, [pool.submit(once, n) for n in range(1, count + 1)])
                    for head, call, error, count, once in list(plan(lab, argv[1] if len(argv) > 1 else ''))]
            for head, call, error, count, futures in work:
                wrong = [(n, w) for n, f in enumerate(futures, 1) for w in f.result()]
                number += 1
                failed += bool(wrong)
                for n, w in wrong[:4]:
                    print('# call %d: %s' % (n, w.replace('\n', ' ')[:500]))
                print('%s %d - %s%s fails with %s, each of %d' % (
                    'not ok' if wrong else 'ok', number, head, call, error, count), flush=True)
        # Faults that nobody feels would mean that strace came too late.
        number += 1
        felt = lab.felt or len(argv) > 1
        failed += not felt
        print('%s %d - control: %d faults ended a run' % ('ok' if felt else 'not ok', number, lab.felt))
    print('1..%d' % number)
    return failed != 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
