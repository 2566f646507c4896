#!/bin/sh
# tools/engine/check_object.sh OBJECT... -- no access that forgot its segment.
#
# In a fast object every access to linear memory goes through %gs. Two of gcc's
# optimisations lose the segment, and the access would then be to the host
# address of that number: loop idioms (memcpy, memset, strlen, ...) and the
# vectoriser. Both are switched off by flags; here we make sure that the object
# calls no such function (rewrite.py gave the real ones other names), that no
# vector register is loaded or stored but through %gs, the stack or %rip, and
# that no 32-bit register is an address without %gs: host addresses have 64.
#
# The run-time half of this promise is in src/worker/sfi.c: the addresses that
# such an access could reach are kept empty.
#
# SPDX-License-Identifier: MIT
for object; do
    calls=$(nm -u "$object" | awk '$2 ~ /^(mem|str|stp|bcmp|rawmem|bzero)/ { print $2 }')
    vectors=$(objdump -d --no-show-raw-insn "$object" |
        awk '/%[xyz]mm/ && /\(/ && !/%gs:/ && !/\((%rsp|%rip)/' | head -5)
    narrow=$(objdump -d --no-show-raw-insn "$object" |
        awk '/\((,?)%(e[a-ds]|e[sd]i|ebp|r[0-9]+d)/ && !/%gs:/ && !/\t(lea|nop|data16|cs nop)/' | head -5)
    [ -z "$calls$vectors$narrow" ] || {
        echo "check_object: $object: the compiler lost a segment:" $calls >&2
        echo "$vectors$narrow" >&2
        exit 1
    }
done
