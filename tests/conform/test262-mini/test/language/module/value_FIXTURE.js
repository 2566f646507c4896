// SPDX-License-Identifier: MIT
let evaluations = 0;
evaluations++;
export const value = 42;
export function count() { return evaluations; }
export default 'default';
