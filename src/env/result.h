/*
 * env/result.h -- how a run ended, and the one shape in which it is told.
 *
 * Everything a worker reported is copied in: a result borrows nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "wire/messages.h"

enum { RESULT_ID_BYTES = 26 };    /* "exec_", 20 characters, NUL */
enum { OUT_STDOUT, OUT_STDERR, OUT_STREAMS };

struct run_result {
    char             id[RESULT_ID_BYTES];
    enum reason      reason;
    enum run_limit    limit;
    uint64_t         observed;            /* in the limit's own unit */
    struct run_limits limits;              /* what the run was given */

    struct buf       text;                /* holds the strs below */
    struct str       value, exports;      /* checked JSON, or empty */
    struct str       display;
    struct str       error_name, error_message, error_stack, error_printed;
    struct str       file;
    uint32_t         line, column;        /* line 0: unknown */
    char             detail[420];         /* ours or the worker's, for people */

    struct buf       output[OUT_STREAMS]; /* kept */
    uint64_t         output_total[OUT_STREAMS];    /* attempted */
    uint64_t         wall_ns, cpu_ns, memory_peak_bytes;
    unsigned         walls;               /* WALL_* that stood */
    int              state_lost;
    int              plain;               /* the caller wants no tags */
};

void result_init(struct run_result *r, const struct run_limits *limits);
void result_free(struct run_result *r);    /* accepts a zeroed result */

/*
 * Take over what a worker reported. The worker is hostile: reasons that are
 * not its to give and values that are not JSON are refused with -EPROTO, and
 * why in e.
 */
int result_take(struct run_result *r, const struct msg_result *m,
                struct err *e);

/* Keep bytes of a stream (OUT_*) up to the limit; gives what was kept. */
struct str result_output(struct run_result *r, int stream, struct str bytes);

/* An ending that we saw, not the worker. */
void result_end(struct run_result *r, enum reason reason, const char *detail);

int  result_ok(const struct run_result *r);
int  result_exit_code(const struct run_result *r);
/* One sentence: "the program held more than 64 MB". */
void result_sentence(const struct run_result *r, struct buf *out);
/* What to do about it, or NULL. */
const char *result_hint(const struct run_result *r);
/* "memory_mb 64", or nothing if no limit ended the run. */
void result_limit_text(const struct run_result *r, struct buf *out);

enum json_layout { JSON_COMPACT, JSON_PRETTY };
/* The result object of every surface; errors are the buf's. */
void result_json(struct buf *out, const struct run_result *r,
                 enum json_layout layout);
/* Checked JSON again, indented by two. */
void json_indent(struct buf *out, struct str json);
