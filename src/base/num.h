/*
 * base/num.h -- numbers as people write and read them.
 *
 * Parsing is exact: no rounding, no wrapping, nothing ignored at the end. A
 * refused text leaves *out alone and says in e what was wrong and what would
 * have been right. Units may be written in any case, after at most one space.
 *
 *   durations   500ms  1.5s  2m (or min)  1h  1d        bare: milliseconds
 *   sizes       100b  512kb (k, kib)  64mb  1gb  1tb    bare: bytes; 1024s
 *   counts      1000  10k  1m                           bare: one; 1000s
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include <stdint.h>

struct err;

int num_duration(const char *text, uint64_t *out_ms, struct err *e);
int num_size(const char *text, uint64_t *out_bytes, struct err *e);
int num_count(const char *text, uint64_t *out, struct err *e);
int num_u64(const char *text, uint64_t *out, struct err *e);
int num_i64(const char *text, int64_t *out, struct err *e);

/* For printf: num_show_bytes(n).at lives until the end of the statement. */
struct num_text {
    char at[32];
};
struct num_text num_show_bytes(uint64_t bytes);    /* "1.5 MB", rounded */
struct num_text num_show_ms(uint64_t ms);          /* "1.234 s", "2 min 30 s" */
