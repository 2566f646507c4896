// What every test may use.  SPDX-License-Identifier: MIT
function Test262Error(message) {
    this.message = message || '';
}
Test262Error.prototype.toString = function () {
    return 'Test262Error: ' + this.message;
};

function $DONOTEVALUATE() {
    throw 'this statement must not be evaluated';
}
