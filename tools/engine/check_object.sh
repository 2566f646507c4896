#!/bin/sh
# tools/engine/check_object.sh OBJECT... -- no copy that forgot its segment.
#
# In a fast object every access to linear memory goes through %gs. gcc's loop
# idioms (memcpy, memset, strlen, ...) lose the segment: the call would work on
# host addresses. We forbid the idiom by a flag and make sure here that the
# objects call no such function. rewrite.py gave the real ones other names.
#
# SPDX-License-Identifier: MIT
for object; do
    found=$(nm -u "$object" | awk '$2 ~ /^(mem|str|stp|bcmp|rawmem|bzero)/ { print $2 }')
    [ -z "$found" ] || {
        echo "check_object: $object calls" $found "-- the compiler lost a segment" >&2
        exit 1
    }
done
