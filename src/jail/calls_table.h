/*
 * jail/calls_table.h -- private to calls.c and its table: one row of it.
 *
 * Rows of one call stand in order; the first whose flags and conditions hold
 * gives the answer. A call without such a row is absent.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "jail/calls.h"

enum { CALL_CONDITIONS = 3, CALLS_NUMBERS = 512 };

/* (low half of argument & mask) == want. Every argument that rows look at is an
 * int for the kernel, or flags in the low half: the rest of the register is
 * noise that an attacker could choose. A mask of 0 ends the list. */
struct call_if {
    uint32_t arg, mask, want;
};

struct call_row {
    int              nr;         /* 0 .. CALLS_NUMBERS - 1 */
    const char      *name;
    enum call_answer answer;
    unsigned         only;       /* row counts only with these CALLS_* */
    struct call_if   when[CALL_CONDITIONS];
    const char      *why;        /* of all answers but CALL_ALLOW */
};

extern const struct call_row call_rows[];
extern const size_t          call_rows_count;
