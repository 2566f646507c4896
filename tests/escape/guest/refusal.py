#!/usr/bin/env python3
# tests/escape/guest/refusal.py -- a host that lacks a wall: node and python are
# refused by its name, or have a stand-in that is stated. Never a silent run.
# SPDX-License-Identifier: MIT
#
#   refusal.py [substring]      TAP on stdout; GB_OUT names the build
#
# The lack is made by a seccomp filter around glovebox that answers as an older
# or stricter kernel would, or by a namespace of the test's own with a setting in
# it. Nothing of this host is changed. Started by root, each test is done again
# as an ordinary user.

import ctypes
import json
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
OUT = os.path.abspath(os.environ.get('GB_OUT', os.path.join(ROOT, 'build/release')))
ORDINARY_UID = 54321
EPERM, EINVAL, ENOSYS = 1, 22, 38
GUESTS = ('node', 'python')

# What a run has at the least, wherever it completes.
REQUIRED = {'seccomp', 'no_new_privs', 'descriptors', 'rlimits', 'uid', 'user_ns', 'pid_ns', 'mount_ns', 'net_ns',
            'ipc_ns', 'uts_ns', 'cgroup_ns', 'landlock', 'non_dumpable', 'quota'}

if os.uname().machine == 'x86_64':
    CLONE, UNSHARE, SECCOMP, PIVOT, MOUNT = 56, 272, 317, 155, 165
else:
    CLONE, UNSHARE, SECCOMP, PIVOT, MOUNT = 220, 97, 277, 41, 40
LANDLOCK, CLONE3, PIDFD_OPEN, CLOSE_RANGE, OPENAT2, MOUNT_SETATTR = 444, 435, 434, 436, 437, 442
NEW_MOUNTS = (428, 429, 430, 431, 432, 442)


def namespace(flag, error):
    return [(CLONE, (0, flag, flag), error), (UNSHARE, (0, flag, flag), error), (CLONE3, None, ENOSYS)]


# ---- a kernel that lacks something ------------------------------------------------

def bpf(code, yes, no, k):
    return struct.pack('HBBI', code, yes, no, k)


def program(rules):
    """[(call, None or (argument, mask, wanted), errno)]"""
    out = [bpf(0x20, 0, 0, 0)]
    for nr, when, error in rules:
        answer = bpf(0x06, 0, 0, 0x50000 | error)
        if when is None:
            out += [bpf(0x15, 0, 1, nr), answer]
        else:
            arg, mask, want = when
            out += [bpf(0x15, 0, 5, nr), bpf(0x20, 0, 0, 16 + 8 * arg), bpf(0x54, 0, 0, mask),
                    bpf(0x15, 0, 1, want), answer, bpf(0x20, 0, 0, 0)]
    return b''.join(out + [bpf(0x06, 0, 0, 0x7fff0000)])


def lack(rules):
    libc = ctypes.CDLL(None, use_errno=True)
    code = program(rules)
    held = ctypes.create_string_buffer(code, len(code))
    head = struct.pack('HxxxxxxQ', len(code) // 8, ctypes.addressof(held))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.create_string_buffer(head, len(head)), 0, 0):
        raise OSError(ctypes.get_errno(), 'seccomp')


# ---- runs ---------------------------------------------------------------------------

class Lab:
    uid = None

    def run(self, engine, code='1+1', flags=(), rules=None, before=()):
        p = subprocess.run([*before, os.path.join(OUT, 'glovebox'), 'run', '--json', '--engine', engine,
            '--timeout', '10s',
                            *flags, '-e', code],
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=90, env=ENV,
                           user=self.uid, group=self.uid, extra_groups=[] if self.uid else None,
                           preexec_fn=(lambda: lack(rules)) if rules else None)
        line = p.stdout.decode().strip()
        return json.loads(line) if line else None, p.returncode, p.stderr.decode('utf-8', 'replace')

    def refused(self, engine, names, **how):
        """No guest byte ran, and one of these words says why."""
        r, code, said = self.run(engine, code='open("/workspace/ran", "w")' if engine == 'python' else '1', **how)
        text = said + ((r['error'] or {}).get('message') or '' if r else '')
        assert code == 125, (code, text)
        assert r is None or (not r['ok'] and r['termination']['reason'] == 'internal' and not r['files']), r
        assert any(n in text for n in names), text

    def completes(self, engine, missing=(), **how):
        r, code, said = self.run(engine, **how)
        assert r and r['ok'] and r['value'] == 2, (code, said, r and r['error'])
        lacks = REQUIRED - set(r['walls'])
        assert engine == 'js' or lacks <= set(missing), 'without %s' % sorted(lacks)
        return r


def t_control(lab):
    """control: without a lack everything runs, with all walls"""
    for e in ('js',) + GUESTS:
        lab.completes(e, rules=[(999, None, EPERM)])


def t_user_namespaces(lab):
    """user namespaces forbidden: refused by name, with what would help; js runs"""
    rules = namespace(0x10000000, EPERM)
    for e in GUESTS:
        lab.refused(e, ["'user_ns'"], rules=rules)
        lab.refused(e, ['it needs root', 'user namespaces'], rules=rules)
    lab.completes('js', rules=rules)


def t_user_namespaces_by_setting(lab):
    """user.max_user_namespaces=0: refused by name"""
    script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    for e in GUESTS:
        lab.refused(e, ["'user_ns'"], before=('unshare', '-Ur', 'sh', '-c', script, '-'))


def t_namespaces(lab):
    """without pid, mount, net or ipc namespaces: refused; js says what it lacks"""
    for flag, wall in ((0x20000000, 'pid_ns'), (0x20000, 'mount_ns'), (0x40000000, 'net_ns'), (0x8000000, 'ipc_ns')):
        lab.refused('python', ['_ns'], rules=namespace(flag, EINVAL))
        r = lab.completes('js', rules=namespace(flag, EINVAL))
        assert wall not in r['walls'], wall


def t_mounts(lab):
    """without mount, pivot_root, the new mount calls or mount_setattr: refused"""
    for calls in ((MOUNT,), (PIVOT,), NEW_MOUNTS, (MOUNT_SETATTR,)):
        rules = [(nr, None, ENOSYS) for nr in calls]
        lab.refused('python', ["'mount_ns'"], rules=rules)
        lab.completes('js', rules=rules)


def t_seccomp(lab):
    """without seccomp nothing runs, js neither"""
    for e in ('js',) + GUESTS:
        lab.refused(e, ['filter', 'seccomp', 'forbidden call'], rules=[(SECCOMP, None, ENOSYS)])


def t_notifier(lab):
    """without a notifier calls are denied all the same, though nobody is told"""
    rules = [(SECCOMP, (0, 0xffffffff, 3), EINVAL), (SECCOMP, (1, 8, 8), EINVAL)]
    for e in GUESTS:
        lab.completes(e, rules=rules)
    mount = 'import ctypes; ctypes.CDLL(None).mount(b"a", b"/tmp", b"tmpfs", 0, None)'
    r, _, _ = lab.run('python', mount, rules=rules)
    assert r['value'] == -1, r
    r, _, _ = lab.run('python', 'import ctypes; ctypes.CDLL(None).ptrace(0, 0, 0, 0)', rules=rules)
    assert r['termination']['reason'] == 'syscall_denied', r['termination']
    r, _, _ = lab.run('python', mount)
    assert r['value'] == -1 and r['denials'], r


NO_LANDLOCK = [(LANDLOCK, None, ENOSYS)]


def t_landlock(lab):
    """without Landlock: refused by name, unless the operator said otherwise, and then not claimed"""
    for e in GUESTS:
        lab.refused(e, ['landlock'], rules=NO_LANDLOCK)
        r = lab.completes(e, missing=('landlock',), rules=NO_LANDLOCK, flags=('--allow-missing', 'landlock'))
        assert 'landlock' not in r['walls']
    lab.completes('js', rules=NO_LANDLOCK)


def t_landlock_policy(lab):
    """a policy of files that only Landlock can keep is never dropped silently"""
    r, code, _ = lab.run('python', 'open("/workspace/x", "w").write("x")', rules=NO_LANDLOCK,
                         flags=('--allow-missing', 'landlock', '--permissions', '{"fs":"deny"}'))
    assert r is None or not r['ok'], 'it wrote, with fs denied'


def t_other_calls(lab):
    """without pidfd_open, close_range or openat2: refused, or no part of the job is lost silently"""
    lab.refused('python', ['pidfd'], rules=[(PIDFD_OPEN, None, ENOSYS)])
    lab.refused('python', ['descriptors'], rules=[(CLOSE_RANGE, None, ENOSYS)])
    rules = [(OPENAT2, None, ENOSYS)]
    with tempfile.TemporaryDirectory(prefix='gbx-out-') as out:
        os.chmod(out, 0o777)
        r, code, said = lab.run('python', 'open("/workspace/x", "w").write("x")', rules=rules, flags=('--out', out))
        text = said + json.dumps(r or '')
        assert os.path.exists(out + '/x') or 'not implemented' in text, 'a file was lost without a word'


def t_cgroups(lab):
    """without cgroups that can be written: counted by rlimits, and said so; required they are refused"""
    if lab.uid:
        r = lab.completes('python')
        assert ('cgroup' in r['walls']) == (r['usage']['counted_by'] != 'rlimits'), r['usage']
        return
    gone = 'umount -R /sys/fs/cgroup 2>/dev/null; exec "$@"'
    locked = ('for m in $(grep -o " /sys/fs/cgroup[^ ]*" /proc/self/mountinfo); '
              'do mount -o remount,bind,ro $m; done; '
              'exec "$@"')
    for script in (gone, locked):
        before = ('unshare', '-m', 'sh', '-c', script, '-')
        r = lab.completes('python', before=before)
        assert r['usage']['counted_by'] == 'rlimits' and 'cgroup' not in r['walls'], r['usage']
        lab.refused('python', ["'cgroup'"], before=before, flags=('--require', 'cgroup'))


def t_unknown_wall(lab):
    """walls that may be missing are only those of the list, by their names"""
    for wall in ('seccomp', 'user_ns', 'mount_ns', 'everything', ''):
        r, code, said = lab.run('python', flags=('--allow-missing', wall))
        assert r is None and code == 125, (wall, r)
    r, code, _ = lab.run('python', flags=('--leave-out', 'seccomp'))
    assert r is None and code == 125, 'the product has the flag of the tests'


def main(argv):
    want = argv[1] if len(argv) > 1 else ''
    tests = [f for n, f in list(globals().items()) if n.startswith('t_') and want in n]
    users = [None, ORDINARY_UID] if os.getuid() == 0 else [None]
    number = failed = 0
    for uid in users:
        lab = Lab()
        lab.uid = uid
        for test in tests:
            number += 1
            verdict = 'ok'
            try:
                test(lab)
            except (AssertionError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired) as e:
                print('# ' + (str(e) or type(e).__name__).replace('\n', ' ')[:600])
                verdict = 'not ok'
                failed += 1
            print('%s %d - %s%s' % (verdict, number, 'as an ordinary user: ' if uid else '', test.__doc__),
                flush=True)
    print('1..%d' % number)
    return failed != 0


if __name__ == '__main__':
    with tempfile.TemporaryDirectory(prefix='gbx-cache-') as cache:
        os.chmod(cache, 0o777)
        ENV = dict(os.environ, HOME='/nonexistent', XDG_CACHE_HOME=cache)
        sys.exit(main(sys.argv))
