#!/bin/sh
# tests/escape/segment.sh -- a compiler that loses %gs is caught by the build.
# SPDX-License-Identifier: MIT
#
# The control compiles an extension of the engine without the flags that keep
# the segment: check_object.sh must refuse it. With them it must pass.
cd "$(dirname "$0")/../.." || exit 1
cc=${ENGINE_CC:-gcc}
source=build/engine/fast/url.c
if [ ! -f $source ]; then
    echo "1..0 # SKIP the engine was built plain"
    exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
flags=$(sed -n 's/^KEEP_SEGMENT := //p' tools/engine/engine.mk)

compile() {    # compile NAME FLAG...
    name=$1
    shift
    $cc -w -O3 -fPIE -mfsgsbase -I/usr/src/wasm2c -Ibuild/engine "$@" \
        -c $source -o "$work/$name.o"
}

echo 1..3
[ -n "$flags" ] && echo "ok 1 - the build names the flags" || echo "not ok 1 - the build names the flags"
# shellcheck disable=SC2086
if compile kept $flags && tools/engine/check_object.sh "$work/kept.o"; then
    echo "ok 2 - with the flags every access keeps its segment"
else
    echo "not ok 2 - with the flags every access keeps its segment"
fi
compile lost || exit 1
if tools/engine/check_object.sh "$work/lost.o" 2>/dev/null; then
    echo "ok 3 - control # SKIP $cc keeps the segment by itself"
else
    echo "ok 3 - control: without them it does not, and the check says so"
fi
