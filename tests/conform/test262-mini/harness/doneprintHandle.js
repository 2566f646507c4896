// SPDX-License-Identifier: MIT
function $DONE(error) {
    if (error)
        print('Test262:AsyncTestFailure:' + String(error));
    else
        print('Test262:AsyncTestComplete');
}
