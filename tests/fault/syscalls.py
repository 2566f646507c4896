#!/usr/bin/env python3
# tests/fault/syscalls.py -- fail the 1st, 2nd, 3rd ... call of every kind.
# SPDX-License-Identifier: MIT
#
#   syscalls.py [--out build/release] [system call]      TAP on stdout
#
# strace counts the calls of a clean run, of the supervisor, the jailed child
# and the worker; then each is made to fail in turn, in each process at once.
# Whatever fails, the run completes with walls it really has, or it ends in
# order: a reason, or exit 125. Never a hang, a crash of the supervisor, a
# process left behind, or a wall that is claimed and was not built.
#
# An injected call does not happen. So a run that completes with all walls
# although a call failed that builds one (BUILDS) has ignored the failure.

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

MAX_NTH = 40
TIMEOUT_S = 15
JOBS = 3

# Walls that jail.c may do without when the host refuses them, and says so.
OPTIONAL = {'user_ns', 'pid_ns', 'mount_ns', 'net_ns', 'ipc_ns', 'uts_ns', 'cgroup_ns', 'landlock'}

# Calls in a child of the supervisor that build a wall, and which. Empty: no
# wall of the list, but no run may go on without it either.
BUILDS = {
    'seccomp': {'seccomp'}, 'prctl': {'no_new_privs', 'non_dumpable', 'uid'},
    'close_range': {'descriptors'}, 'dup3': {'descriptors'}, 'prlimit64': {'rlimits'},
    'setgroups': {'uid'}, 'setresgid': {'uid'}, 'setresuid': {'uid'}, 'capset': {'uid'},
    'clone': {'pid_ns', 'mount_ns', 'net_ns', 'ipc_ns', 'uts_ns', 'cgroup_ns'},
    'mount': {'mount_ns'}, 'pivot_root': {'mount_ns'}, 'umount2': {'mount_ns'},
    'chroot': {'mount_ns'}, 'fsopen': {'mount_ns'}, 'fsconfig': {'mount_ns'},
    'fsmount': {'mount_ns'}, 'move_mount': {'mount_ns'}, 'fchdir': {'mount_ns'},
    'mount_setattr': {'mount_ns'}, 'open_tree': {'mount_ns'},
    'landlock_create_ruleset': {'landlock'}, 'landlock_add_rule': {'landlock'},
    'landlock_restrict_self': {'landlock'}, 'sethostname': {'uts_ns'},
    'setsid': set(), 'personality': set(), 'timer_create': set(), 'sigaltstack': set(),
    'execveat': set(),
}
# Only of these a failure may go unnoticed in a child although they are above:
# (call, text in its arguments)
HARMLESS = {
    ('prctl', 'PR_GET_'),            # asked, and the answer decides
    ('prctl', 'PR_CAPBSET_READ'),    # the end of the list of capabilities
    ('prctl', 'PR_CAP_AMBIENT'),     # 0 capabilities leave none to be ambient
    ('prctl', 'PR_SET_VMA'),         # names of memory areas
    ('prlimit64', ', NULL, '),       # asked; the jail refuses, libc guesses
    ('landlock_create_ruleset', 'LANDLOCK_CREATE_RULESET_VERSION'),
    # set again, and looked at, by the program's own seal
    ('prctl', 'PR_SET_DUMPABLE'), ('prctl', 'PR_SET_NO_NEW_PRIVS'),
}
# close() closes even where it fails, which an injected failure does not.
SKIP = {'close', 'execve', 'exit_group', 'exit', 'rt_sigreturn', 'arch_prctl', 'restart_syscall', 'vfork',
        'set_tid_address'}
# A second error for those: one that says "this host does not offer it".
REFUSABLE = ('clone', 'mount', 'pivot_root', 'umount2', 'chroot', 'fsopen', 'fsconfig', 'fsmount',
             'move_mount', 'landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self',
             'seccomp', 'prctl', 'setresuid', 'setresgid', 'setgroups', 'capset', 'sethostname',
             'close_range', 'prlimit64', 'personality', 'timer_create', 'sigaltstack', 'getrandom')

class Lab:
    """A private copy of the worker, so that what is left of it can be told apart."""

    def __init__(self, out, folder):
        self.glovebox = os.path.abspath(os.path.join(out, 'glovebox'))
        self.libexec = folder
        for name in ('glovebox-worker', 'base.image'):
            shutil.copy(os.path.join(out, name), folder)
        os.chmod(folder, 0o755)
        self.worker = os.path.realpath(os.path.join(folder, 'glovebox-worker'))
        self.full = None
        self.loader = collections.Counter()    # calls before main()

    def left(self):
        found = []
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                if os.readlink('/proc/%s/exe' % pid) == self.worker:
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def run(self, trace, options):
        cmd = ['strace', '-f', '-qq', '-o', trace, *options, self.glovebox, 'run', '-e',
               '1+1', '--json', '--timeout', '2s']
        with subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, start_new_session=True,
                              env=dict(os.environ, GLOVEBOX_LIBEXEC=self.libexec)) as p:
            try:
                said, errors = p.communicate(timeout=TIMEOUT_S)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)    # the workers die with their supervisor
                raise
        return subprocess.CompletedProcess(cmd, p.returncode, said, errors)


def calls_of(trace):
    """[(pid, call, line)] in order; an interrupted call counts where it begins."""
    found = []
    for line in open(trace, errors='replace'):
        m = re.match(r'(\d+)\s+(\w+)\(', line)
        if m:
            found.append((int(m[1]), m[2], line.rstrip()))
    return found


def judge(lab, p, trace, loading):
    """What is wrong with how this ended; loading: before main() of the supervisor."""
    calls = calls_of(trace)
    if not calls:
        return ['strace saw nothing: %s' % p.stderr[-200:]]
    first = calls[0][0]
    hits = [(pid == first, call, line) for pid, call, line in calls if '(INJECTED)' in line]
    text = p.stdout.decode('utf-8', 'replace').strip()
    said = p.stderr.decode('utf-8', 'replace')
    if loading and not text and len(hits) == 1 and hits[0][0]:
        return []    # it is the loader's own failure, and no program ran
    if p.returncode < 0:
        return ['the supervisor died of signal %d (%s)' % (-p.returncode, hits)]
    if not text:
        if p.returncode == 125:
            return []
        return ['exit %d without a result: %s' % (p.returncode, said[-200:])]
    try:
        r = json.loads(text)
    except ValueError:
        return [] if p.returncode not in (0,) else ['half a result and exit 0']
    if r['termination']['reason'] != 'completed':
        blamed = {'exception', 'syntax_error', 'never_settled', 'memory_limit', 'stack_overflow'}
        if r['termination']['reason'] in blamed:
            return ['blames the program: %s %r' % (r['termination']['reason'], r['error'])]
        return []
    if r['value'] != 2:
        return ['completed with %r' % r['value']]
    missing = set(lab.full) - set(r['walls'])
    if missing - OPTIONAL:
        return ['ran without %s' % sorted(missing - OPTIONAL)]
    for by_supervisor, call, line in hits:
        if by_supervisor and call != 'clone':
            continue
        if call not in BUILDS or any(call == c and t in line for c, t in HARMLESS):
            continue
        if not (BUILDS[call] and BUILDS[call] & missing):
            return ['ran on after %s, and claims %s' % (line, r['walls'])]
    return []


def fault(lab, call, error, nth):
    with tempfile.NamedTemporaryFile(prefix='gbx-fault-') as trace:
        try:
            # brk() says no by giving an address that is too low, not by an error
            how = 'retval=0' if call == 'brk' else 'error=' + error
            p = lab.run(trace.name, ['-e', 'trace=' + call, '-e',
                                     'inject=%s:%s:when=%d' % (call, how, nth)])
        except subprocess.TimeoutExpired:
            return ['hangs']
        return judge(lab, p, trace.name, nth <= lab.loader[call])


def main(argv):
    if os.environ.get('GB_SANITIZED') == '1':
        print('1..0 # SKIP strace on a sanitizer build takes many minutes')
        return 0
    out = os.environ.get('GB_OUT', 'build/release')
    if argv[1:2] == ['--out']:
        out = argv[2]
        argv = argv[:1] + argv[3:]
    if shutil.which('strace') is None:
        print('1..0 # SKIP no strace')
        return 0
    with tempfile.TemporaryDirectory(prefix='gbx-fault-') as folder:
        lab = Lab(out, folder)
        with tempfile.NamedTemporaryFile(prefix='gbx-fault-') as trace:
            p = lab.run(trace.name, [])
            counts = collections.defaultdict(collections.Counter)
            calls = calls_of(trace.name)
            for pid, call, _ in calls:
                counts[call][pid] += 1
            # the loader gives back its cache just before it calls main()
            end = next(i for i, c in enumerate(calls) if c[1] == 'munmap')
            lab.loader.update(call for _, call, _ in calls[:end])
        if not p.stdout:
            print('Bail out! no clean run under strace: %s' % p.stderr[-200:])
            return 1
        lab.full = json.loads(p.stdout)['walls']
        most = {c: min(max(by.values()), MAX_NTH) for c, by in counts.items() if c not in SKIP}
        if len(argv) > 1:
            most = {c: n for c, n in most.items() if c == argv[1]}
        plan = [(c, 'ENOMEM', n) for c, n in sorted(most.items())]
        plan += [(c, 'EPERM', n) for c, n in sorted(most.items()) if c in REFUSABLE]

        def whole(item):
            call, error, count = item
            return [(nth, w) for nth in range(1, count + 2) for w in fault(lab, call, error, nth)]

        number = failed = 0
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for (call, error, count), wrong in zip(plan, pool.map(whole, plan)):
                number += 1
                failed += bool(wrong)
                for nth, w in wrong[:4]:
                    print('# call %d: %s' % (nth, w.replace('\n', ' ')))
                print('%s %d - %s fails with %s, each of %d' % (
                    'not ok' if wrong else 'ok', number, call, error, count), flush=True)
        left = lab.left()
        number += 1
        failed += bool(left)
        print('%s %d - no worker is left behind%s' % ('not ok' if left else 'ok', number,
                                                     ': %s' % left if left else ''))
    print('1..%d' % number)
    return failed != 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
