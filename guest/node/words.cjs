// guest/node/words.cjs -- what a program is told when it may not  (SPDX-License-Identifier: MIT)
//
// The kernel refuses: there is no network to reach and no process to start.
// Its errors (ENETUNREACH, EPERM) do not say why, so the functions that meet
// them first ask the policy and answer with an error that names the rule, and
// tell the supervisor. Without a policy that denies they cost a comparison. A
// guest that goes around them gets the kernel's words instead.
//
// Connections within the run itself are nobody's business.
'use strict';

const { process } = globalThis;    // a program may replace it

const { syncBuiltinESMExports } = require('module');

let native = null;
let policy = { net: 'allow', child_process: 'allow' };

function obey(addon, permissions) {
    native = addon;
    policy = { ...policy, ...permissions };
}

/** An error that says `act` was refused; `more`: properties as Node's own errors have them. */
function refusal({ what, subject, rule, hint }, act, more) {
    native?.denied(what, subject, rule, hint);
    const error = new Error(`EACCES: permission denied, ${act}: blocked by ${rule} policy`);
    return Object.assign(error, { errno: -13, code: 'EACCES', ...more });
}

// ---- the network -------------------------------------------------------------------------

const loopback = /^(?:localhost|.*\.localhost|127(?:\.\d+){1,3}|::1|::|::ffff:127\..*|0\.0\.0\.0|0)\.?$/i;

function isOwn(host) {
    return host === undefined || host === null || host === '' || loopback.test(host);
}

/** { host, port } of the arguments of connect(); null for a path. */
function target(args) {
    const first = Array.isArray(args[0]) ? args[0][0] : args[0];
    if (typeof first === 'object' && first !== null)
        return first.path ? null : { host: first.host, port: first.port };
    if (typeof first === 'string' && !/^\d+$/.test(first))
        return null;
    return { host: typeof args[1] === 'string' ? args[1] : undefined, port: first };
}

function guardConnect(net) {
    const { connect } = net.Socket.prototype;
    net.Socket.prototype.connect = { connect(...args) {
        const to = policy.net === 'deny' ? target(args) : null;
        if (to === null || isOwn(to.host))
            return Reflect.apply(connect, this, args);
        const place = `${to.host}:${to.port}`;
        const subject = `tcp://${place}`;
        const error = refusal({
            what: 'net.connect', subject, rule: 'network.http', hint: `glovebox run --allow-net ${place}`,
        }, subject, { syscall: 'connect', address: to.host, port: to.port });
        this.connecting = true;
        process.nextTick(() => this.destroy(error));
        return this;
    } }.connect;
}

const isAddress = (host) => require('net').isIP(host) !== 0;

function nameDenied(host) {
    return policy.net === 'deny' && typeof host === 'string' && !isOwn(host) && !isAddress(host);
}

function nameRefusal(host, syscall) {
    const subject = `dns://${host}`;
    return refusal({
        what: 'net.dns', subject, rule: 'network.dns', hint: `glovebox run --allow-net ${host}`,
    }, subject, { syscall, hostname: host });
}

/** Functions that look a name up; the same object has them with callbacks or with promises. */
function guardNames(object, promises) {
    for (const name of ['lookup', ...Object.keys(object).filter((n) => /^resolve/.test(n))]) {
        const original = object[name];
        if (typeof original !== 'function')
            continue;
        object[name] = { [name](host, ...rest) {
            if (!nameDenied(host))
                return Reflect.apply(original, this, [host, ...rest]);
            const error = nameRefusal(host, name);
            if (promises)
                return Promise.reject(error);
            const done = rest[rest.length - 1];
            if (typeof done !== 'function')
                throw error;
            process.nextTick(done, error);
            return undefined;
        } }[name];
        // util.promisify must not find the original's own promise version.
        const custom = require('util').promisify.custom;
        if (Object.hasOwn(original, custom))
            Object.defineProperty(object[name], custom, { value: object.promises[name], configurable: true });
    }
}

// ---- processes ------------------------------------------------------------------------------

function childRefusal(file) {
    return refusal({
        what: 'child_process.spawn', subject: `${file}`, rule: 'child_process.spawn',
        hint: 'permissions.child_process = "allow"',
    }, `spawn ${file}`, { syscall: `spawn ${file}`, path: file });
}

function guardChildren(children) {
    const { spawn } = children.ChildProcess.prototype;
    children.ChildProcess.prototype.spawn = { spawn(options) {
        if (policy.child_process === 'deny')
            throw childRefusal(options?.file);
        return Reflect.apply(spawn, this, [options]);
    } }.spawn;
    for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
        const original = children[name];
        children[name] = { [name](file, ...rest) {
            if (policy.child_process === 'deny')
                throw childRefusal(name === 'execSync' ? '/bin/sh' : file);
            return Reflect.apply(original, this, [file, ...rest]);
        } }[name];
    }
}

/** Once, before any program. */
function install() {
    const dns = require('dns');
    guardNames(dns.promises, true);
    guardNames(dns, false);
    guardConnect(require('net'));
    guardChildren(require('child_process'));
    syncBuiltinESMExports();
}

/** Does a policy have anything to say? */
function isNeeded(permissions) {
    return permissions?.net === 'deny' || permissions?.child_process === 'deny';
}

module.exports = { install, isNeeded, obey };
