// guest/js/main.js -- what every cell holds before a program runs  (SPDX-License-Identifier: MIT)
//
// Theory of operation. This bundle is evaluated once, when the base image of
// the js engine is made; every run then starts from a copy of that memory. So
// nothing here may be fresh at load: no clock, no random number, no id.
//
// It does three things: gives the guest the globals that a program expects
// (console, timers, URL, events, streams, ...), takes away those it must not
// have, and answers the host with a table of functions, `internals`, through
// which the host drives a run (run.js has the states).
//
// The wall is not here: a guest that took over all of this JavaScript would
// still be inside its own memory. But the host believes what these functions
// say about a run, so they must hold whatever the guest did to the language
// around them; primordials.js says how.

// What is evaluated together lies together in memory: first what every run needs.
import * as p from './primordials.js';
import { installStacks } from './errors.js';
import { inspect } from './inspect.js';
import * as timers from './timers.js';
import * as run from './run.js';
import { installGlobals } from './globals.js';
import { fetched } from './fetch.js';

installStacks();
installGlobals();

export const internals = {
    __proto__: null,
    configure: run.configure,
    input: run.input,
    begin: run.begin,
    pending: run.pending,
    tick: timers.runOne,
    failed: run.failed,
    rejection: run.rejection,
    unhandled: run.unhandled,
    fetched,
    inspect: (value) => p.StringToWellFormed(inspect(value)),
};
