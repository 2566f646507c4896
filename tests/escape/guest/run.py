#!/usr/bin/env python3
# tests/escape/guest/run.py -- hostile programs of node and python, each followed
# by an honest one, and a census of what is left behind.
# SPDX-License-Identifier: MIT
#
#   run.py [substring]      TAP on stdout; GB_OUT names the build
#
# A .cases file holds programs between "== name" lines:
#
#   engine:   node or python                                 (required)
#   reason:   how it may end, one or several with |          (required)
#   flags:    of glovebox run, besides the usual limits
#   value:    JSON that the value must equal
#   error:    text that must be in error.message
#   denial:   a `what` or `subject` that must be among the denials
#   without:  walls, with commas: the control. The same program run without
#             them must end as `control` says (reason, or value: JSON), which
#             shows that it was the wall
#   user:     yes: also as an ordinary user, when started by root
#   --        the program follows
#
# Programs with the same engine and flags go through one `glovebox run`, so they
# are forks of one zygote, and the honest run after each is its neighbour.

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
OUT = os.path.abspath(os.environ.get('GB_OUT', os.path.join(ROOT, 'build/release')))
USUAL = {'--timeout': '2s', '--cpu': '1s', '--memory': '96mb', '--disk': '16mb',
         '--max-files': '200', '--max-processes': '40', '--max-open-files': '64',
         '--max-output': '100kb'}
LATE_MS = 200            # past a limit
SLOW_HOST_MS = 400       # more, for tests that share their cores
SUFFIX = {'node': '.cjs', 'python': '.py'}
HONEST = {
    'node': "const fs = require('fs'); fs.writeFileSync('/workspace/a', 'x');"
            " console.log('honest'); [1, 2, 3].map((n) => n * 2)"
            ".concat(fs.readdirSync('/workspace').filter((f) => f !== 'honest.cjs'))",
    'python': "open('/workspace/a', 'w').write('x')\nprint('honest')\nimport os\n"
              "[n * 2 for n in (1, 2, 3)] + [f for f in os.listdir('/workspace') if f != 'honest.py']",
}
HONEST_VALUE = [2, 4, 6, 'a']
ORDINARY_UID = 54321

Case = collections.namedtuple('Case', 'name family engine reasons flags value error denial without control user code')


def parse(path):
    family = os.path.basename(path).removesuffix('.cases')
    for block in re.split(r'(?m)^== ', open(path, encoding='utf-8').read())[1:]:
        head, _, code = block.partition('\n--\n')
        lines = head.strip().split('\n')
        f = dict(re.match(r'(\w+):\s*(.*)', l).groups() for l in lines[1:])
        for engine in f['engine'].split('|'):
            yield Case(lines[0].strip(), family, engine, set(f['reason'].split('|')),
                       tuple(f.get('flags', '').split()), f.get('value'), f.get('error'),
                       f.get('denial'), f.get('without'), f.get('control'), f.get('user'), code)


def flags_of(case):
    given = dict(USUAL)
    rest, words = [], list(case.flags)
    while words:
        w = words.pop(0)
        if w in given:
            given[w] = words.pop(0)
        else:
            rest.append(w)
    return [x for pair in given.items() for x in pair] + rest


def glovebox(program, engine, files, flags, uid=None):
    begun = time.monotonic()
    p = subprocess.run([os.path.join(OUT, program), 'run', '--json', '--engine', engine, *flags, *files],
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=120, user=uid,
                       group=uid, extra_groups=[] if uid else None,
                       env=dict(os.environ, HOME='/nonexistent', XDG_CACHE_HOME=CACHE))
    took = time.monotonic() - begun
    results = [json.loads(l) for l in p.stdout.decode('utf-8', 'replace').split('\n') if l]
    return results, took, p.stderr.decode('utf-8', 'replace')


def ms(text):
    n, unit = re.match(r'([\d.]+)(ms|s)$', text).groups()
    return float(n) * (1000 if unit == 's' else 1)


def judge(case, r):
    wrong = []
    flags = flags_of(case)
    limit = lambda name: flags[flags.index(name) + 1]
    reason = r['termination']['reason']
    if reason not in case.reasons:
        wrong.append('ended by %s (%s): %s %s' % (reason, r['exit_code'], (r['error'] or {}).get('message'),
                                                  r['stderr'][-300:]))
    if r['ok'] != (reason == 'completed') or (r['error'] is None) != r['ok']:
        wrong.append('ok and error do not fit %s' % reason)
    if r['usage']['wall_ms'] > ms(limit('--timeout')) + LATE_MS + SLOW_HOST_MS:
        wrong.append('took %.0f ms of wall time' % r['usage']['wall_ms'])
    if reason.endswith('_limit') and not r['termination']['limit']:
        wrong.append('does not name its limit')
    if case.value is not None and r['value'] != json.loads(case.value):
        wrong.append('value %s' % json.dumps(r['value'])[:300])
    if case.error is not None and case.error not in (r['error'] or {}).get('message', ''):
        wrong.append('error %r' % r['error'])
    if case.denial is not None and not any(case.denial in (d['what'], d['subject']) for d in r['denials']):
        wrong.append('denials %s' % json.dumps(r['denials'])[:300])
    return wrong


# ---- what is left behind ------------------------------------------------------

def census():
    """Processes of jails, mounts, groups and memory files of ours, by number."""
    left = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            status = open('/proc/%s/status' % pid).read()
            uid = int(re.search(r'(?m)^Uid:\s+(\d+)', status)[1])
            name = re.search(r'(?m)^Name:\s+(\S+)', status)[1]
        except OSError:
            continue
        if uid >= 0x70000000 or uid == ORDINARY_UID or (name.startswith('glovebox') and name != 'glovebox-census'):
            left.append('process %s %s uid %d' % (pid, name, uid))
    for kind in ('memory', 'pids', 'unified', ''):
        for folder, names, _ in os.walk(os.path.join('/sys/fs/cgroup', kind)):
            left += ['cgroup %s/%s' % (folder, n) for n in names if n.startswith('glovebox-') and n != 'glovebox-sup']
    left += ['mount ' + l for l in open('/proc/self/mountinfo').read().split('\n') if '/workspace' in l]
    return sorted(set(left))


def census_soon():
    """A dying process may be seen for a moment after its end was reported."""
    for _ in range(40):
        left = census()
        if not left:
            break
        time.sleep(0.05)
    return left


# ---- runs ---------------------------------------------------------------------

def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    os.chmod(path, 0o644)
    return path


def run_group(folder, engine, cases, uid=None):
    honest = write(folder, 'honest' + SUFFIX[engine], HONEST[engine])
    files = [honest]
    for i, c in enumerate(cases):
        files += [write(folder, '%03d-%s%s' % (i, c.name, SUFFIX[engine]), c.code), honest]
    results, took, err = glovebox('glovebox', engine, files, flags_of(cases[0]), uid)
    if len(results) != len(files):
        return [(c, ['%d results for %d programs: %s' % (len(results), len(files), err[-300:])]) for c in cases]
    lines = []
    for i, c in enumerate(cases):
        wrong = judge(c, results[1 + 2 * i])
        after = results[2 + 2 * i]
        if '--permissions' in c.flags:
            pass    # they bind the honest one, too
        elif not after['ok'] or after['value'] != HONEST_VALUE or after['stdout'] != 'honest\n':
            wrong.append('the honest run after it: %s %s %r %s' % (
                after['termination']['reason'], after['value'], after['stdout'], after['stderr'][-200:]))
        lines.append((c, wrong))
    return lines


def control(folder, case):
    """Without the wall the same attempt must succeed."""
    path = write(folder, 'control-%s%s' % (case.name, SUFFIX[case.engine]), case.code)
    drop = [x for w in case.without.split(',') for x in ('--leave-out', w)]
    results, _, err = glovebox('glovebox-testing', case.engine, [path], flags_of(case) + drop)
    if not results:
        return ['no result: ' + err[-300:]]
    r = results[0]
    if case.control.startswith('value:'):
        want = json.loads(case.control[6:])
        return [] if r['value'] == want else ['value %s %s %s' % (
            json.dumps(r['value']), r['termination']['reason'], r['stderr'][-300:])]
    reason = r['termination']['reason']
    return [] if reason in case.control.split('|') else ['ended by %s %s' % (reason, r['stderr'][-300:])]


def all_cases(want):
    files = sorted(f for f in os.listdir(HERE) if f.endswith('.cases'))
    return [c for f in files for c in parse(os.path.join(HERE, f)) if want in c.name or want == c.engine]


class Tap:
    number = failed = 0

    def line(self, wrong, text):
        self.number += 1
        self.failed += bool(wrong)
        for w in wrong:
            print('# ' + w.replace('\n', ' '))
        print('%s %d - %s' % ('not ok' if wrong else 'ok', self.number, text), flush=True)


def main(argv):
    cases = all_cases(argv[1] if len(argv) > 1 else '')
    groups = collections.defaultdict(list)
    for c in cases:
        groups[c.engine, c.flags].append(c)
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix='gbx-escape-') as folder:
        os.chmod(folder, 0o755)
        for (engine, _), group in groups.items():
            for c, wrong in run_group(folder, engine, group):
                tap.line(wrong, '%s: %s (%s)' % (c.family, c.name, engine))
            tap.line(census_soon(), 'nothing is left of %s: %s' % (engine, ', '.join(c.name for c in group)[:60]))
        for c in cases:
            if c.without and (os.getuid() == 0 or 'uid' not in c.without):
                tap.line(control(folder, c), 'control: %s (%s) succeeds without %s' % (c.name, c.engine, c.without))
        if os.getuid() == 0:
            for engine in SUFFIX:
                group = [c for c in cases if c.user and c.engine == engine and not c.flags]
                for c, wrong in run_group(folder, engine, group, ORDINARY_UID) if group else ():
                    tap.line(wrong, 'as an ordinary user: %s (%s)' % (c.name, engine))
        tap.line(census_soon(), 'nothing is left of controls and ordinary users')
    print('1..%d' % tap.number)
    return tap.failed != 0


if __name__ == '__main__':
    with tempfile.TemporaryDirectory(prefix='gbx-cache-') as CACHE:
        os.chmod(CACHE, 0o777)
        sys.exit(main(sys.argv))
