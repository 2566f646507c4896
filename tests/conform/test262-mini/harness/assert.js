// SPDX-License-Identifier: MIT
function assert(condition, message) {
    if (condition !== true)
        throw new Test262Error(message || 'expected true, got ' + String(condition));
}

assert.sameValue = function (got, want, message) {
    if (!Object.is(got, want))
        throw new Test262Error((message || 'value') + ': ' + String(got) + ', not ' + String(want));
};

assert.throws = function (Expected, f) {
    try {
        f();
    } catch (e) {
        if (e.constructor !== Expected)
            throw new Test262Error('threw ' + e.constructor.name + ', not ' + Expected.name);
        return;
    }
    throw new Test262Error('nothing was thrown, expected ' + Expected.name);
};
