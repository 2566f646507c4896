#!/bin/sh
# tools/engine/flavour.sh -- can the fast engine be built and run here?
#
# usage: flavour.sh CC DIR WASM MODULE...
#
# Rewrites DIR/MODULE.c into DIR/fast and prints the answer for make, fast or
# plain. Plain has a reason, which is also a warning here and is what
# `glovebox version` says of the build.
#
# SPDX-License-Identifier: MIT
set -eu
cc=$1 dir=$2 wasm=$3
shift 3

plain() {
    echo "ENGINE ?= plain $*"
    echo "  WARNING  the engine will be plain and slow: $*" >&2
    exit 0
}

[ "$(uname -m)" = x86_64 ] || plain "$(uname -m) has no %gs segment"
echo 'int x; int f(void) { return *(int __seg_gs *)&x; }' |
    $cc -x c -c -o /dev/null - 2>/dev/null || plain "$cc does not know __seg_gs"
grep -qw fsgsbase /proc/cpuinfo || plain "this CPU has no FSGSBASE"

mkdir -p "$dir/fast"
for module; do
    interpreter=
    [ "$module" != qjs ] || interpreter="--interpreter $wasm"
    # shellcheck disable=SC2086
    why=$(tools/engine/rewrite.py "$dir/$module.c" "$dir/fast/$module.c" \
          $interpreter 2>&1) || plain "$why ($module.c, wasm2c $(wasm2c --version))"
done
echo 'ENGINE ?= fast'
