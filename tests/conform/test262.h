/*
 * tests/conform/test262.h -- the parts of the test262 runner.
 *
 *   test262.c        the index, the processes, the report
 *   test262_case.c   one test in one fresh cell
 *   test262_host.c   what test262 expects of a host: $262, print, modules
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "worker/engine.h"
#include "worker/image.h"

enum mode { MODE_IS_SLOPPY, MODE_IS_STRICT, MODE_IS_MODULE, MODE_IS_RAW, MODES };
enum when { NEVER, AT_PARSE, AT_RESOLUTION, AT_RUNTIME, PHASES };
enum status { NOT_RUN, PASSED, FAILED, TIMED_OUT, CRASHED, SKIPPED, STATUSES };
extern const char *const mode_text[MODES], *const when_text[PHASES],
                  *const status_text[STATUSES];

/* One line of the index: a test, and one way to run it. */
struct test262 {
    const char *path;        /* "test/language/..." under the root */
    enum mode   mode;
    int         is_async;
    const char *includes;    /* "a.js,b.js" or "-" */
    enum when   phase;       /* of the error it must end with */
    const char *type;        /* ... and its constructor's name */
    const char *features;    /* "a,b" or "-" */
};

enum { WHY_BYTES = 200 };
struct outcome {
    enum status status;
    char        why[WHY_BYTES];
};

/* ---- test262_host.c --------------------------------------------------- */

enum { MAX_TEST_BYTES = 16 << 20 };

/* Define $262 and print in the current cell. Inside sfi_enter(). */
void host_define(void);
/* What was printed since host_start(), and where modules come from. */
void host_start(const char *root);
struct str host_printed(void);
/* One script in the current realm: its value, or an exception. */
jsval host_script(struct str source, const char *name, u32 flags);

/* ---- test262_case.c --------------------------------------------------- */

/* Images with $262, bare (for raw tests) and with the harness, and a cell of
 * each. Once, before any process is made. */
int  case_prepare(const char *image, const char *root, struct err *e);
/* In each process: timers do not survive a fork. */
int  case_process(struct err *e);
void case_run(const struct test262 *t, unsigned timeout_ms, struct outcome *out);
