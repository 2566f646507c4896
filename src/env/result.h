/*
 * env/result.h -- how a run ended, and the one shape in which it is told.
 *
 * Everything a worker reported is copied in: a result borrows nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "env/files.h"
#include "env/guest.h"
#include "wire/messages.h"

enum { RESULT_ID_BYTES = 26 };    /* "exec_", 20 characters, NUL */
enum { OUT_STDOUT, OUT_STDERR, OUT_STREAMS };

/* How the process of a run came to be. */
enum started_as { AS_CELL, AS_SPARE, AS_FORK, AS_PROCESS, AS_KINDS };
/* Who counted its memory and its processes. */
enum counted_by { BY_ENGINE, BY_CGROUP_V1, BY_CGROUP_V2, BY_RLIMITS, BY_KINDS };

/* What was refused, cut to size; equal ones are counted. */
struct denial {
    char     what[64], subject[512], rule[160], hint[256];
    uint64_t count;
};
enum { RESULT_MAX_DENIALS = 64 };

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

    enum engine      engine;
    int              exit_code;           /* the guest's own; -1: it has none */
    enum started_as  started_as;
    char             fallback[400];       /* why it was not as asked, or empty */
    enum counted_by  counted_by;
    uint64_t         egress_bytes;
    struct denial   *denial;              /* owned */
    size_t           denials;
    uint64_t         denials_lost;        /* past RESULT_MAX_DENIALS */
    struct file_list files;
    char             files_error[400];    /* why not all could be written out */
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

/* The same of a guest that is node or python: it may speak more than once, and
 * the last word counts. What it says that it used is not looked at. */
int result_take_guest(struct run_result *r, const struct msg_result *m,
                      struct err *e);
/* The program has no value after all. */
void result_drop_value(struct run_result *r);

/* Something was refused. Bytes that are not UTF-8 are replaced when told. */
void result_deny(struct run_result *r, const struct msg_denied *m);

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
/* An array of the names of WALL_*. */
void walls_json(struct buf *out, unsigned walls);
/* Checked JSON again, indented by two. */
void json_indent(struct buf *out, struct str json);
