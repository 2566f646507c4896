#!/usr/bin/env python3
# tests/escape/js/run.py -- hostile programs, each followed by an honest one.
# SPDX-License-Identifier: MIT
#
#   run.py [--out build/release] [substring]      TAP on stdout
#   run.py --seeds FOLDER                         programs for tests/fuzz/fuzz_imports
#
# A .cases file holds programs between "== name" lines:
#
#   reason:  how it may end, one or several with |      (required)
#   limits:  flags instead of the usual ones of the same name; above the first
#            program they are for the whole file
#   value:   JSON that the value must equal
#   stdout:  text that must be among the output that was kept
#   error:   text that must be in error.message
#   note:    why the case is there
#   --       the program follows; or gen: a Python expression that gives it
#
# Programs with the same limits go through one `glovebox run --jobs 1`, in turn
# with honest.js, so the honest run sits in the worker that the hostile one
# used, unless that had to be killed. A run must be over at its limit and a bit.

import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
USUAL = {'--timeout': '1s', '--cpu': '500ms', '--memory': '48mb'}
SLOW_HOST_MS = 150       # more for a process that shares its cores with others
BATCH = 14
SANITIZED = os.environ.get('GB_SANITIZED') == '1'
LATE_MS = 400 if SANITIZED else 100    # past a limit
# Such a build is slow, and its way out of a handler asks the system where the
# stack is, which the seal forbids: there these say nothing about the program.
SANITIZER_ENDS = {'syscall_denied', 'cpu_time_limit', 'wall_time_limit'} if SANITIZED else set()
JOBS = 2

Case = collections.namedtuple('Case', 'name family reasons flags value stdout error note code')


def parse(path):
    family = os.path.basename(path).removesuffix('.cases')
    text = open(path, encoding='utf-8').read()
    start, *blocks = re.split(r'(?m)^== ', text)
    common = re.search(r'(?m)^limits: (.*)', start)
    for block in blocks:
        head, _, code = block.partition('\n--\n')
        lines = head.strip().split('\n')
        fields = dict(re.match(r'(\w+):\s*(.*)', l).groups() for l in lines[1:])
        if 'gen' in fields:
            code = eval(fields['gen'], {})
        flags = dict(USUAL)
        words = ((common[1] if common else '') + ' ' + fields.get('limits', '')).split()
        flags.update(zip(words[::2], words[1::2]))
        yield Case(lines[0].strip(), family, set(fields['reason'].split('|')),
                   tuple(sorted(flags.items())), fields.get('value'), fields.get('stdout'),
                   fields.get('error'), fields.get('note'), code.strip('\n'))


def ms(text):
    n, unit = re.match(r'([\d.]+)(ms|s)$', text).groups()
    return float(n) * (1000 if unit == 's' else 1)


def run_batch(out, cases):
    """Results of cases and of the honest runs between them, and the seconds."""
    with tempfile.TemporaryDirectory(prefix='gbx-escape-') as folder:
        honest = os.path.join(HERE, 'honest.js')
        files = [honest]
        for i, c in enumerate(cases):
            path = os.path.join(folder, '%03d-%s.js' % (i, c.name))
            with open(path, 'w', encoding='utf-8', errors='surrogatepass') as f:
                f.write(c.code)
            files += [path, honest]
        flags = [w for pair in cases[0].flags for w in pair]
        begun = time.monotonic()
        p = subprocess.run([os.path.join(out, 'glovebox'), 'run', '--engine', 'js', '--json', '--jobs', '1',
                            *flags, *files],
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        took = time.monotonic() - begun
    results = [json.loads(l) for l in p.stdout.decode('utf-8', 'replace').split('\n') if l]
    return results, took, p


def judge(case, r):
    """What is wrong with this result; empty if nothing is."""
    wrong = []
    t = r['termination']['reason']
    flags = dict(case.flags)
    usage = r['usage']
    # A program that got too little of a busy host meets the other clock first.
    starved = t == 'wall_time_limit' and usage['wall_ms'] >= ms(flags['--timeout'])
    if t in SANITIZER_ENDS - case.reasons:
        return []
    if t not in case.reasons and not (starved and 'cpu_time_limit' in case.reasons):
        wrong.append('ended by %s: %s' % (t, (r['error'] or {}).get('message')))
    if r['ok'] != (t == 'completed') or (r['error'] is None) != r['ok']:
        wrong.append('ok and error do not fit %s' % t)
    if usage['wall_ms'] > ms(flags['--timeout']) + LATE_MS:
        wrong.append('took %.0f ms of wall time' % usage['wall_ms'])
    if usage['cpu_ms'] > ms(flags['--cpu']) + LATE_MS:
        wrong.append('took %.0f ms of CPU time' % usage['cpu_ms'])
    if usage['memory_peak_mb'] > float(flags['--memory'].removesuffix('mb')) + 2.1:
        wrong.append('held %.1f MB' % usage['memory_peak_mb'])
    if t in ('wall_time_limit', 'cpu_time_limit', 'memory_limit') and not r['termination']['limit']:
        wrong.append('does not name its limit')
    if case.value is not None and r['value'] != json.loads(case.value):
        wrong.append('value %s' % json.dumps(r['value'])[:200])
    if case.stdout is not None and case.stdout not in r['stdout']:
        wrong.append('stdout not kept: %r' % r['stdout'][:100])
    if case.error is not None and case.error not in (r['error'] or {}).get('message', ''):
        wrong.append('error %r' % r['error'])
    return wrong


def judge_batch(out, cases):
    """[(case, problems)]"""
    try:
        results, took, p = run_batch(out, cases)
    except subprocess.TimeoutExpired:
        return [(c, ['the batch did not end']) for c in cases]
    if len(results) != 2 * len(cases) + 1:
        tail = p.stderr.decode('utf-8', 'replace')[-300:]
        return [(c, ['%d results for %d programs, exit %d: %s' %
                     (len(results), 2 * len(cases) + 1, p.returncode, tail)]) for c in cases]
    first = results[0]['value']
    lines = []
    for i, c in enumerate(cases):
        wrong = judge(c, results[1 + 2 * i])
        after = results[2 + 2 * i]
        if not after['ok'] or after['value'] != first or after['stdout'] != 'honest\n':
            wrong.append('the honest run after it: %s %s %r' % (
                after['termination']['reason'], after['value'], after['error']))
        lines.append((c, wrong))
    if not results[0]['ok']:
        lines[0][1].append('the first honest run failed: %r' % results[0]['error'])
    counted = sum(r['usage']['wall_ms'] for r in results) / 1000
    if not SANITIZED and took > counted + 1.5 + len(results) * SLOW_HOST_MS / 1000:
        lines[-1][1].append('%.1f s outside for %.1f s inside' % (took, counted))
    return lines


def write_seeds(folder):
    os.makedirs(folder, exist_ok=True)
    for f in sorted(os.listdir(HERE)):
        for c in parse(os.path.join(HERE, f)) if f.endswith('.cases') else ():
            code = c.code.encode('utf-8', 'surrogatepass')
            if len(code) < 4096:
                with open(os.path.join(folder, c.name), 'wb') as seed:
                    seed.write(b'\x01' + code)
    for i in range(64):    # short lists of operations
        with open(os.path.join(folder, 'operations-%d' % i), 'wb') as seed:
            seed.write(bytes([0] + [(i * 37 + k * k * 11 + k) % 256 for k in range(120)]))


def main(argv):
    if argv[1:2] == ['--seeds']:
        write_seeds(argv[2])
        return 0
    out = os.environ.get('GB_OUT', 'build/release')
    if argv[1:2] == ['--out']:
        out = argv[2]
        argv = argv[:1] + argv[3:]
    want = argv[1] if len(argv) > 1 else ''
    files = sorted(f for f in os.listdir(HERE) if f.endswith('.cases'))
    cases = [c for f in files for c in parse(os.path.join(HERE, f)) if want in c.name]
    if len({c.name for c in cases}) != len(cases):
        print('Bail out! two cases have one name')
        return 1
    groups = collections.defaultdict(list)
    for c in cases:
        groups[c.flags].append(c)
    batches = [g[i:i + BATCH] for g in groups.values() for i in range(0, len(g), BATCH)]
    number = failed = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for lines in pool.map(lambda b: judge_batch(out, b), batches):
            for c, wrong in lines:
                number += 1
                failed += bool(wrong)
                for w in wrong:
                    print('# ' + w.replace('\n', ' '))
                print('%s %d - %s: %s' % ('not ok' if wrong else 'ok', number, c.family, c.name), flush=True)
    print('1..%d' % number)
    return failed != 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
