#!/bin/sh
# tools/engine/flavour.sh -- can the fast engine be built and run here?
# Prints "fast", or "plain" and the reason.  SPDX-License-Identifier: MIT
cc=${1:-gcc}
[ "$(uname -m)" = x86_64 ] || { echo "plain $(uname -m) has no %gs segment"; exit; }
echo 'int x; int f(void) { return *(int __seg_gs *)&x; }' |
    $cc -x c -c -o /dev/null - 2>/dev/null ||
    { echo "plain $cc does not know __seg_gs"; exit; }
grep -qw fsgsbase /proc/cpuinfo || { echo "plain this CPU has no FSGSBASE"; exit; }
echo fast
