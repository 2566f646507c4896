// guest/js/table.js -- console.table  (SPDX-License-Identifier: MIT)

import * as p from './primordials.js';
import { inspect } from './inspect.js';
import { kindOf } from './kinds.js';
import { textWidth } from './layout.js';

function cell(value) {
    const deep = typeof value === 'object' && value !== null && !p.isArray(value) &&
        p.objectKeys(value).length > 2 ? -1 : 0;
    return inspect(value, {
        __proto__: null, depth: deep, maxArrayLength: 3, breakLength: Infinity,
    });
}

function column(head) {
    return { __proto__: null, head, cells: p.list() };
}

/** A table as text: one row an entry, one column a property. */
export function table(data, wanted) {
    const kind = kindOf(data);
    if (kind === 'Map' || kind === 'Set')
        return iterationTable(data, kind);
    const columns = p.list();
    const byName = new p.Map();
    const values = column('Values');
    const index = column('(index)');
    const rows = p.objectKeys(data);
    p.push(columns, index);
    let primitives = false;
    for (let i = 0; i < rows.length; i++) {
        index.cells[i] = rows[i];
        const item = data[rows[i]];
        if (!p.isObject(item) && wanted === undefined) {
            primitives = true;
            values.cells[i] = cell(item);
            continue;
        }
        const names = wanted ?? p.objectKeys(item);
        for (let j = 0; j < names.length; j++) {
            const name = p.String(names[j]);
            let to = p.MapGet(byName, name);
            if (to === undefined) {
                to = column(name);
                p.MapSet(byName, name, to);
                p.push(columns, to);
            }
            to.cells[i] = p.isObject(item) && p.hasOwn(item, name) ? cell(item[name]) : '';
        }
    }
    if (primitives)
        p.push(columns, values);
    return draw(columns, rows.length);
}

function iterationTable(data, kind) {
    const columns = p.list();
    const index = column('(iteration index)');
    const keys = column('Key');
    const values = column('Values');
    p.push(columns, index);
    if (kind === 'Map')
        p.push(columns, keys);
    p.push(columns, values);
    let count = 0;
    const add = (value, key) => {
        index.cells[count] = p.text(count);
        keys.cells[count] = kind === 'Map' ? cell(key) : '';
        values.cells[count] = cell(value);
        count++;
    };
    if (kind === 'Map')
        p.MapForEach(data, add);
    else
        p.SetForEach(data, add);
    return draw(columns, count);
}

function draw(columns, rows) {
    const bars = p.list();
    for (let i = 0; i < columns.length; i++) {
        const at = columns[i];
        at.width = textWidth(at.head);
        for (let j = 0; j < rows; j++)
            at.width = p.max(at.width, textWidth(at.cells[j] ?? ''));
        p.push(bars, p.StringRepeat('─', at.width + 2));
    }
    let text = '┌' + p.ArrayJoin(bars, '┬') + '┐\n' +
        row(columns, (c) => c.head) + '\n├' + p.ArrayJoin(bars, '┼') + '┤\n';
    for (let j = 0; j < rows; j++)
        text += row(columns, (c) => c.cells[j] ?? '') + '\n';
    return text + '└' + p.ArrayJoin(bars, '┴') + '┘';
}

function row(columns, read) {
    let text = '│';
    for (let i = 0; i < columns.length; i++) {
        const content = read(columns[i]);
        text += ' ' + content + p.StringRepeat(' ', columns[i].width - textWidth(content)) + ' │';
    }
    return text;
}
