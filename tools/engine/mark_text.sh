#!/bin/sh
# tools/engine/mark_text.sh OBJECT -- put all its code into section engine_text.
#
# The linker then gives the worker the first and last address of guest code
# (__start_engine_text, __stop_engine_text), and a hard deadline leaves by force
# only what runs between them: never malloc, never a system call (sfi.c).
#
# SPDX-License-Identifier: MIT
set -eu
renames=$(objdump -h "$1" |
    awk '$2 ~ /^\.text/ { print "--rename-section " $2 "=engine_text" }' | sort -u)
# shellcheck disable=SC2086
objcopy $renames "$1"
