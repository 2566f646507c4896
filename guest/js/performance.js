// guest/js/performance.js -- performance: now, marks and measures  (SPDX-License-Identifier: MIT)
//
// The clock starts with the run, not with the image: now() asks the host, and
// timeOrigin is computed when somebody first asks for it.

import * as p from './primordials.js';
import { monotonic } from './host.js';

let origin;
let entries = p.list();

class PerformanceEntry {
    #name; #type; #start; #duration; #detail;

    constructor(name, type, start, duration, detail) {
        this.#name = name;
        this.#type = type;
        this.#start = start;
        this.#duration = duration;
        this.#detail = detail;
    }

    get name() { return this.#name; }
    get entryType() { return this.#type; }
    get startTime() { return this.#start; }
    get duration() { return this.#duration; }
    get detail() { return this.#detail; }
    toJSON() {
        return {
            name: this.#name, entryType: this.#type, startTime: this.#start,
            duration: this.#duration, detail: this.#detail,
        };
    }
}

/** The time a mark's name or a number says. */
function timeOf(mark, fallback) {
    if (mark === undefined)
        return fallback;
    if (typeof mark === 'number')
        return mark;
    for (let i = entries.length - 1; i >= 0; i--) {
        if (entries[i].entryType === 'mark' && entries[i].name === p.text(mark))
            return entries[i].startTime;
    }
    throw new p.DOMException('The "' + mark + '" performance mark has not been set', 'SyntaxError');
}

function select(keep) {
    const found = [];
    for (let i = 0; i < entries.length; i++) {
        if (keep(entries[i]))
            p.show(found, found.length, entries[i]);
    }
    return found;
}

function clear(type, name) {
    const rest = p.list();
    for (let i = 0; i < entries.length; i++) {
        const other = name !== undefined && entries[i].name !== p.text(name);
        if (other || entries[i].entryType !== type)
            p.push(rest, entries[i]);
    }
    entries = rest;
}

class Performance {
    now() { return monotonic(); }
    get timeOrigin() { return origin ??= p.dateNow() - monotonic(); }
    mark(name, options = undefined) {
        const entry = new PerformanceEntry(p.text(name), 'mark',
            options?.startTime ?? monotonic(), 0, options?.detail ?? null);
        p.push(entries, entry);
        return entry;
    }
    measure(name, from = undefined, to = undefined) {
        const options = p.isObject(from) ? from : { __proto__: null, start: from, end: to };
        const end = timeOf(options.end, monotonic());
        const start = timeOf(options.start, 0);
        const entry = new PerformanceEntry(p.text(name), 'measure', start,
            options.duration ?? end - start, options.detail ?? null);
        p.push(entries, entry);
        return entry;
    }
    clearMarks(name = undefined) { clear('mark', name); }
    clearMeasures(name = undefined) { clear('measure', name); }
    getEntries() { return select(() => true); }
    getEntriesByName(name, type = undefined) {
        return select((e) => e.name === p.text(name) &&
            (type === undefined || e.entryType === type));
    }
    getEntriesByType(type) { return select((e) => e.entryType === type); }
    toJSON() { return { timeOrigin: this.timeOrigin }; }
}
p.tag(Performance, 'Performance');

export const performance = new Performance();
