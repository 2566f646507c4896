#!/usr/bin/env python3
# tests/escape/js/leaks.py -- a run sees nothing of the one before it.
# SPDX-License-Identifier: MIT
#
#   leaks.py [--out build/release]      TAP on stdout
#
# Each property with its control: what must not be seen between runs is seen
# where state is meant to stay (a session, set-up code).

import json
import os
import subprocess
import sys
import tempfile
import time

RUNS = 20
CANARY = 'canary-7f3a9c51'


class Box:
    def __init__(self, out, folder):
        self.glovebox = os.path.abspath(os.path.join(out, 'glovebox'))
        self.folder = folder

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w') as f:
            f.write(text)
        return path

    def run(self, programs, *flags):
        """Results of programs, one after another in one worker."""
        files = [self.file('%03d.js' % i, p) for i, p in enumerate(programs)]
        p = subprocess.run([self.glovebox, 'run', '--json', '--jobs', '1', *flags, *files],
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        return [json.loads(l) for l in p.stdout.decode().split('\n') if l]

    def values(self, programs, *flags):
        got = self.run(programs, *flags)
        for r in got:
            assert r['ok'], r['error']
        assert len(got) == len(programs), len(got)
        return [r['value'] for r in got]

    def repl(self, lines):
        p = subprocess.run([self.glovebox, 'repl', '--no-color'], input='\n'.join(lines) + '\n',
                           text=True, capture_output=True, timeout=60)
        return p.stdout


DIRTY = r'''
globalThis.canary = '%(c)s'; var leaked = 1;
Object.prototype.polluted = '%(c)s'; Array.prototype[0] = '%(c)s';
Function.prototype.call = null; Math.random = () => 0.5; Date.now = () => 0; console.log = () => {};
Symbol.for('%(c)s').description; globalThis[Symbol.for('%(c)s')] = 1;
setTimeout(() => { globalThis.late = 1; console.log('late') }, 1e6).unref?.();
/(%(c)s)/.test('%(c)s'); Promise.reject(0).catch(() => {});
Error.stackTraceLimit = 0; RegExp.prototype.exec = null; 'dirty'
''' % {'c': CANARY}

PROBE = r'''
const seen = [];
if (typeof canary !== 'undefined' || typeof leaked !== 'undefined') seen.push('globals');
if (({}).polluted !== undefined || [][0] !== undefined) seen.push('prototypes');
if (typeof Function.prototype.call !== 'function' || typeof RegExp.prototype.exec !== 'function') seen.push('methods');
if (Object.getOwnPropertySymbols(globalThis).some((s) => String(s).includes('canary'))) seen.push('symbols');
if (RegExp.$1 !== undefined && String(RegExp.$1).includes('canary')) seen.push('regexp statics');
if (Error.stackTraceLimit === 0) seen.push('stackTraceLimit');
if (Math.random() === 0.5 && Math.random() === 0.5) seen.push('Math.random');
await new Promise((r) => setTimeout(r, 20));
if (globalThis.late) seen.push('timers');
seen
'''

SCAN = r'''
const want = [...'%s'].map((c) => c.charCodeAt(0));
let dirty = 0;
for (let round = 0; round < 8; round++) {
    const b = new Uint8Array(4 << 20);
    for (let i = 0; i < b.length; i += 8) if (b[i] | b[i + 1] | b[i + 3] | b[i + 7]) dirty++;
}
const r = new Uint8Array(new ArrayBuffer(1 << 20, { maxByteLength: 4 << 20 }));
r.buffer.resize(4 << 20);
for (let i = 0; i < r.length; i++) if (r[i]) dirty++;
dirty
''' % CANARY

FILL = r'''
const keep = [];
for (let i = 0; i < 8; i++) {
    const b = new Uint8Array(4 << 20);
    for (let k = 0; k < b.length; k += 64)
        b.set([99, 97, 110, 97, 114, 121], k);
    keep.push(b);
}
keep.length
'''

RANDOM = r'''
const hex = (b) => [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, '0')).join('');
const s = crypto.subtle, out = [];
out.push(Math.random(), Math.random(), crypto.randomUUID(), hex(crypto.getRandomValues(new Uint8Array(16))));
const big = crypto.getRandomValues(new Uint8Array(1000)); out.push(hex(big.slice(0, 16)), hex(big.slice(-16)));
for (const a of [{ name: 'AES-GCM', length: 256 }, { name: 'HMAC', hash: 'SHA-256' }])
    out.push(hex(await s.exportKey('raw', await s.generateKey(a, true, a.name === 'HMAC' ? ['sign'] : ['encrypt']))));
for (const n of ['ECDSA', 'ECDH']) {
    const uses = n === 'ECDSA' ? ['sign', 'verify'] : ['deriveBits'];
    const k = await s.generateKey({ name: n, namedCurve: 'P-256' }, true, uses);
    out.push(hex(await s.exportKey('raw', k.publicKey)));
}
const key = globalThis.warm ?? await s.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
out.push(hex(await s.sign({ name: 'ECDSA', hash: 'SHA-256' }, key.privateKey, new Uint8Array(3))));
out
'''

WARM = r'''
globalThis.warm = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, warm.privateKey, new Uint8Array(3));
await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt']);
crypto.getRandomValues(new Uint8Array(16)); Math.random(); crypto.randomUUID();
'''

EVERYTHING = r'''
globalThis.clocks = [Date.now(), new Date().toISOString(), performance.now(), performance.timeOrigin ?? 0];
clocks.push(await new Promise((r) => setTimeout(() => r(Date.now()), 1000)), performance.now());
console.log(Math.random(), Date.now());
''' + RANDOM.replace('\nout\n', '\nclocks.concat(out)\n')


def all_different(lists):
    """Positions at which two runs have one value."""
    return [i for i in range(len(lists[0])) if len({json.dumps(l[i]) for l in lists}) != len(lists)]


def t_state(box):
    """nothing that a program changed is there in the next run"""
    results = box.run([PROBE, DIRTY, PROBE, DIRTY, DIRTY, PROBE])
    for r in results:
        assert r['ok'], r['error']
    for i in (0, 2, 5):
        assert results[i]['value'] == [], results[i]['value']
        assert results[i]['stdout'] == ''


def t_state_control(box):
    """control: a session sees what its earlier lines did"""
    said = box.repl(["globalThis.canary = '%s'" % CANARY, 'Object.prototype.polluted = 5', 'let n = 41',
                     "[canary, ({}).polluted, n + 1].join('/')"])
    assert CANARY + '/5/42' in said, said


def t_setup_control(box):
    """control: set-up code is seen by every run, changes of a run by none"""
    setup = box.file('setup.js', 'globalThis.counter = { n: 1 };')
    got = box.values(['counter.n++; counter.n'] * 4, '--setup', setup)
    assert got == [2, 2, 2, 2], got


def t_modules(box):
    """a module is evaluated anew in every run"""
    root = os.path.join(box.folder, 'root')
    os.mkdir(root)
    with open(os.path.join(root, 'lib.js'), 'w') as f:
        f.write('export const state = { n: 0 }; globalThis.evaluated = (globalThis.evaluated ?? 0) + 1;')
    program = 'import { state } from "./lib.js"; export default [++state.n, evaluated]'
    got = Box(os.path.dirname(box.glovebox), root).values([program] * 4, '--root', root)
    assert got == [[1, 1]] * 4, got


def t_memory(box):
    """memory is zero when a run gets it, whatever filled it before"""
    got = box.values([SCAN, FILL, SCAN, FILL, SCAN], '--memory', '64mb')
    assert [got[0], got[2], got[4]] == [0, 0, 0], got


def t_random(box):
    """no two runs share a random number, a key or a nonce"""
    same = all_different(box.values([RANDOM] * RUNS))
    assert not same, 'positions %s' % same


def t_random_after_setup(box):
    """nor do runs from an image whose set-up code used randomness"""
    setup = box.file('warm.js', WARM)
    same = all_different(box.values([RANDOM] * RUNS, '--setup', setup))
    assert not same, 'positions %s' % same


def t_random_control(box):
    """control: with a seed the same numbers come again"""
    program = '[Math.random(), crypto.randomUUID(), crypto.getRandomValues(new Uint32Array(4)).join()]'
    got = box.values([program] * 3, '--seed', '5')
    assert got[0] == got[1] == got[2], got
    assert box.values([program], '--seed', '6')[0] != got[0]


def t_repeatable(box):
    """a seed and a clock make a run repeat bit for bit"""
    flags = ('--seed', '7', '--clock', '2024-01-02T03:04:05Z')
    began = time.monotonic()
    kept = {json.dumps([r['value'], r['stdout'], r['termination']])
            for r in box.run([EVERYTHING] * RUNS, *flags)}
    assert len(kept) == 1, 'in %d ways: %s' % (len(kept), sorted(kept)[:2])
    assert json.loads(list(kept)[0])[2]['reason'] == 'completed', kept
    assert {json.dumps([r['value'], r['stdout'], r['termination']])
            for r in box.run([DIRTY, EVERYTHING], *flags)[1:]} == kept, 'differs after another program'
    assert time.monotonic() - began < RUNS * 0.5, 'it waited for its timers'


def t_time(box):
    """clocks are of now and not of the image, also after set-up code"""
    program = '[Date.now(), performance.now(), performance.timeOrigin ?? Date.now()]'
    setup = box.file('clock.js', 'globalThis.then = Date.now(); performance.now();')
    for flags in ((), ('--setup', setup)):
        now = time.time() * 1000
        for real, since, origin in box.values([program] * 3, *flags):
            assert abs(real - now) < 5000, real - now
            assert 0 <= since < 2000, since
            assert abs(origin - now) < 5000, origin - now


def t_input(box):
    """input of one run is not in the next invocation, nor its output"""
    got = box.run(['console.log(JSON.stringify(input)); input', 'typeof input'], '--input', '"%s"' % CANARY)
    assert got[0]['value'] == CANARY and got[1]['value'] == 'string'
    got = box.run(['typeof input'])
    assert got[0]['value'] == 'undefined' and got[0]['stdout'] == ''


def t_error(box):
    """the error and the output of one run are not in the result of the next"""
    got = box.run(["console.log('%s'); throw new RangeError('%s')" % (CANARY, CANARY), '1',
                   "console.error('%s'); while (1);" % CANARY, '2', 'export const a = "%s"' % CANARY, '3'],
                  '--cpu', '100ms')
    for r in (got[1], got[3], got[5]):
        assert r['ok'] and CANARY not in json.dumps(r), r


def main(argv):
    out = os.environ.get('GB_OUT', 'build/release')
    if argv[1:2] == ['--out']:
        out = argv[2]
    tests = [f for n, f in globals().items() if n.startswith('t_')]
    failed = 0
    for n, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory(prefix='gbx-leaks-') as folder:
            try:
                test(Box(out, folder))
                verdict = 'ok'
            except (AssertionError, ValueError, subprocess.TimeoutExpired) as e:
                print('# ' + (str(e) or type(e).__name__).replace('\n', ' ')[:600])
                verdict = 'not ok'
                failed += 1
        print('%s %d - %s' % (verdict, n, test.__doc__), flush=True)
    print('1..%d' % len(tests))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
