// An include that a test has to ask for.  SPDX-License-Identifier: MIT
assert.compareArray = function (got, want) {
    assert.sameValue(got.length, want.length, 'length');
    for (let i = 0; i < want.length; i++)
        assert.sameValue(got[i], want[i], 'item ' + i);
};
