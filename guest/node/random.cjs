// guest/node/random.cjs -- randomness that no two forks share  (SPDX-License-Identifier: MIT)
//
// V8 seeds Math.random at its first use and keeps the state; crypto.randomUUID
// and crypto.randomInt keep a store of bytes. Whatever is used before a fork is
// the same in all of them, so until then these functions are stand-ins that
// leave the originals untouched. A package that holds on to a stand-in gets the
// original's answers once it is in a fork. OpenSSL takes care of itself.
'use strict';

const crypto = require('crypto');
const v8 = require('v8');

const { random } = Math;
const { randomBytes, randomInt, randomUUID } = crypto;
const webcrypto = Object.getPrototypeOf(crypto.webcrypto);
const webUUID = webcrypto.randomUUID;

let inFork = false;
let state = 1;

const standIns = {
    random() {
        if (inFork)
            return random();
        state = state * 48271 % 2147483647;
        return state / 2147483647;
    },
    randomUUID(options) {
        return inFork ? randomUUID(options) : randomUUID({ disableEntropyCache: true });
    },
    randomInt(min, max, callback) {
        if (inFork)
            return randomInt(...arguments);
        const [low, high, done] = typeof max === 'number' ? [min, max, callback] : [0, min, max];
        const value = low + randomBytes(6).readUIntBE(0, 6) % (high - low);
        return typeof done === 'function' ? process.nextTick(done, undefined, value) : value;
    },
};

function webStandIn() {
    return inFork ? webUUID.call(this) : randomUUID({ disableEntropyCache: true });
}

/** In the zygote, before anything else is loaded. */
function holdBack() {
    Math.random = standIns.random;
    crypto.randomUUID = standIns.randomUUID;
    crypto.randomInt = standIns.randomInt;
    webcrypto.randomUUID = { randomUUID: webStandIn }.randomUUID;
    require('module').syncBuiltinESMExports();
}

/** In the zygote, when all packages are there: the names mean the originals again. */
function release() {
    crypto.randomUUID = randomUUID;
    crypto.randomInt = randomInt;
    webcrypto.randomUUID = webUUID;
    require('module').syncBuiltinESMExports();
}

/** In a fork, with a fresh seed. */
function begin(seed) {
    inFork = true;
    Math.random = random;
    seedWith(seed);
}

/** Takes effect if Math.random was not used yet. V8 takes 31 bits, and 0 for none. */
function seedWith(seed) {
    v8.setFlagsFromString('--random-seed=' + (seed % 0x7ffffffe + 1));
}

module.exports = { begin, holdBack, release, seedWith };
