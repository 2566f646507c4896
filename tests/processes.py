"""tests/processes.py -- who is below a process, and who of them is alive, by
/proc.  SPDX-License-Identifier: MIT"""
import os


def children(pid):
    try:
        return [int(c) for t in os.listdir('/proc/%d/task' % pid)
                for c in open('/proc/%d/task/%s/children' % (pid, t)).read().split()]
    except OSError:
        return []


def descendants(pid):
    found = children(pid)
    for c in found:
        found += children(c)
    return found


def alive(pids):
    left = []
    for p in pids:
        try:
            if open('/proc/%d/stat' % p).read().rsplit(') ', 1)[1][0] not in 'ZX':
                left.append(p)
        except OSError:
            pass
    return left
