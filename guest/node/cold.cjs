// guest/node/cold.cjs -- one ordinary process for one run  (SPDX-License-Identifier: MIT)
//
// The way that always works: no fork, no warmth. The channel is descriptor 200,
// the walls stand, and the program runs as it does in a fork of the zygote.
'use strict';

const { load, native: loadNative } = require('./boot.cjs');
const warningListeners = process.listeners('warning');
process.removeAllListeners('warning');

load('identity').scrub();
const native = loadNative();

load('begin').begin(native, undefined, (settings) => {
    if (settings.seed !== undefined)
        load('random').seedWith(settings.seed);
    load('workers').install();
    if (load('words').isNeeded(settings.permissions)) {
        load('words').install();
        load('words').obey(native, settings.permissions);
    }
    // Warnings come once each and a tick late: after those about our own means.
    new (require('vm').SyntheticModule)([], () => {}, { identifier: 'node:glovebox/cold' });
    load('modules').importer('file:///workspace/')('node:fs');
    process.nextTick(() => warningListeners.forEach((listener) => process.on('warning', listener)));
});
