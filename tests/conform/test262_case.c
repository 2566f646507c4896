/*
 * tests/conform/test262_case.c -- one test in one fresh cell.
 *
 * Two images are made from the product's: one with $262 and print, for raw
 * tests, and from that one with the harness evaluated, for all others. So a
 * test costs its own text and its includes, and what it leaves behind is undone
 * by cell_reset() like everything else.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/conform/test262.h"
#include "base/io.h"
#include "bench/inproc.h"
#include "worker/dump.h"
#include "worker/modules.h"
#include "worker/moment.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

enum { MEMORY_MIB = 512, SLICE_MS = 100 };
enum { PROMISE_PENDING = 0, PROMISE_FULFILLED = 1, PROMISE_REJECTED = 2 };

static const char *const harness[] = { "assert.js", "sta.js" };
static const char complete[] = "Test262:AsyncTestComplete";
static const char failure[] = "Test262:AsyncTestFailure:";

static struct {
    const char  *root;
    struct image raw, full;              /* without and with the harness */
    struct cell  raw_cell, full_cell;
} here;

/* ---- images ----------------------------------------------------------- */

static int put_fd(void *to, const void *bytes, size_t len)
{
    return io_write_all(*(int *)to, bytes, len);
}

/* A cell of `from` in which fn() has been run becomes the image *out. */
static int image_after(const struct image *from, void (*fn)(void *),
                       struct image *out, struct err *e)
{
    struct cell c;
    int r = cell_new(from, CELL_PLAIN, &c, e);
    if (r < 0)
        return r;
    guest_head = &from->head;
    cell_enter(&c);
    e->code = 0;
    enum trap t = sfi_enter(fn, e);
    cell_leave(&c);
    if (t)
        return err_set(e, -EIO, "image: %s", trap_text(t));
    if (e->code < 0)
        return e->code;
    int fd = memfd_create("test262", MFD_CLOEXEC);
    if (fd < 0)
        return err_sys(e, "memfd");
    r = dump_cell(&c, &from->head, put_fd, &fd, e);
    cell_free(&c);
    return r < 0 ? r : image_open(fd, engine_id(), out, e);
}

static void define(void *unused)
{
    (void)unused;
    host_define();
}

static int read_harness(const char *name, struct buf *out, struct err *e)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/harness/%s", here.root, name);
    return io_read_file(path, MAX_TEST_BYTES, out, e);
}

static void load_harness(void *arg)
{
    struct err *e = arg;
    for (size_t i = 0; i < COUNT(harness); i++) {
        AUTO_BUF source;
        buf_init(&source, MAX_TEST_BYTES);
        if (read_harness(harness[i], &source, e) < 0)
            return;
        if (js_is_exception(host_script(buf_str(&source), harness[i], EVAL_SCRIPT)))
            err_set(e, -EINVAL, "harness/%s cannot be evaluated", harness[i]);
    }
}

int case_prepare(const char *image, const char *root, struct err *e)
{
    static struct image base;
    here.root = root;
    inproc_start(image, &base);
    int r = image_after(&base, define, &here.raw, e);
    if (r == 0)
        r = image_after(&here.raw, load_harness, &here.full, e);
    if (r == 0)
        r = cell_new(&here.raw, CELL_TRACKED, &here.raw_cell, e);
    if (r == 0)
        r = cell_new(&here.full, CELL_TRACKED, &here.full_cell, e);
    return r;
}

int case_process(struct err *e)
{
    return meter_init(e);
}

/* ---- inside of guest code --------------------------------------------- */

struct attempt {
    const struct test262 *t;
    struct str  source;
    struct buf  includes;         /* texts, each behind its name; NUL between */
    jsval       promise;          /* of a module */
    double      wait_ms;          /* until a timer is due; < 0: nothing to do */
    enum when   threw;
    struct buf  type, message;    /* of what it threw */
};

/* Remember the first error, by its constructor's name. */
static void threw(struct attempt *a, enum when when, jsval error)
{
    if (a->threw)
        return;
    a->threw = when;
    if (js_tag(error) == TAG_OBJECT) {
        jsval constructor = guest_property(error, "constructor");
        if (js_tag(constructor) == TAG_OBJECT)
            guest_text(guest_property(constructor, "name"), &a->type);
        else
            guest_release(guest_exception());
    }
    if (guest_text(error, &a->message) < 0)
        buf_adds(&a->message, "(something without a text)");
}

static int evaluate_includes(struct attempt *a)
{
    const char *at = a->includes.at, *end = at + a->includes.len;
    while (at < end) {
        const char *name = at, *text = name + strlen(name) + 1;
        jsval v = host_script(str_of(text), name, EVAL_SCRIPT);
        if (js_is_exception(v)) {
            threw(a, AT_RUNTIME, guest_exception());
            return -1;
        }
        at = text + strlen(text) + 1;
    }
    return 0;
}

/*
 * Compiling a module also loads and compiles what it imports, so a failure
 * there is either phase. Linking throws at once; evaluating gives a promise.
 */
static void begin(void *arg)
{
    struct attempt *a = arg;
    int is_module = a->t->mode == MODE_IS_MODULE;
    if (evaluate_includes(a) < 0)
        return;
    jsval v = host_script(a->source, a->t->path,
                          (is_module ? EVAL_MODULE : EVAL_SCRIPT) | EVAL_COMPILE_ONLY);
    if (js_is_exception(v)) {
        int may_be_other = is_module && a->t->phase == AT_RESOLUTION;
        threw(a, may_be_other ? AT_RESOLUTION : AT_PARSE, guest_exception());
        return;
    }
    v = Q(JS_EvalFunction)(E, guest_context(), v);
    if (js_is_exception(v))
        threw(a, is_module ? AT_RESOLUTION : AT_RUNTIME, guest_exception());
    else if (is_module)
        a->promise = v;
}

static int printed(const char *text)
{
    struct str all = host_printed();
    return all.len && memmem(all.at, all.len, text, strlen(text)) != NULL;
}

static int said_done(void)
{
    return printed(complete) || printed(failure);
}

static void settle(struct attempt *a)
{
    if (js_tag(a->promise) != TAG_OBJECT)
        return;
    u32 state = Q(JS_PromiseState)(E, guest_context(), a->promise);
    if (state == PROMISE_REJECTED)
        threw(a, AT_RUNTIME, Q(JS_PromiseResult)(E, guest_context(), a->promise));
    else if (state == PROMISE_PENDING)
        threw(a, AT_RUNTIME, guest_string(STR("the module never settled")));
}

/* Jobs, then timers that are due, until there is nothing to do but wait. */
static void step(void *arg)
{
    struct attempt *a = arg;
    a->wait_ms = -1;
    for (;;) {
        while (Q(JS_IsJobPending)(E, guest_runtime()))
            if ((s32)Q(qjs_execute_pending_job)(E) < 0)
                threw(a, AT_RUNTIME, guest_exception());
        if (a->threw || (a->t->is_async && said_done()))
            break;
        double ms = guest_number(guest_call(INTERNAL_pending, 0, NULL));
        if (ms > 0) {
            a->wait_ms = ms;
            return;
        }
        if (ms < 0)
            break;
        guest_release(guest_call(INTERNAL_tick, 0, NULL));
    }
    settle(a);
}

/* ---- outside of it ---------------------------------------------------- */

static void say(struct outcome *out, enum status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void say(struct outcome *out, enum status status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out->why, sizeof out->why, fmt, ap);
    va_end(ap);
    for (char *c = out->why; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    out->status = status;
}

static void judge_negative(const struct attempt *a, struct outcome *out)
{
    const struct test262 *t = a->t;
    if (a->threw == t->phase && str_is(buf_str(&a->type), t->type))
        out->status = PASSED;
    else if (!a->threw)
        say(out, FAILED, "expected %s at %s, but nothing was thrown", t->type,
            when_text[t->phase]);
    else
        say(out, FAILED, "expected %s at %s, but %.*s at %s", t->type,
            when_text[t->phase], (int)a->message.len, a->message.at,
            when_text[a->threw]);
}

static void judge(const struct attempt *a, struct outcome *out)
{
    struct str all = host_printed();
    if (a->t->phase)
        judge_negative(a, out);
    else if (a->threw)
        say(out, FAILED, "%.*s", (int)a->message.len, a->message.at);
    else if (a->t->is_async && printed(failure))
        say(out, FAILED, "%.*s", (int)all.len, all.at);
    else if (a->t->is_async && !printed(complete))
        say(out, FAILED, "$DONE was never called");
    else
        out->status = PASSED;
}

static enum trap run_in(struct cell *c, struct attempt *a, unsigned timeout_ms,
                        struct verdict *out)
{
    static struct msg_run run;
    run = (struct msg_run){ .limits = run_limits_ceiling };
    run.limits.wall_time_ms = run.limits.cpu_time_ms = timeout_ms;
    run.limits.memory_bytes = MEMORY_MIB * MIB;
    guest_head = &c->image->head;
    moment_start(&run);
    modules_start(&run);
    cell_enter(c);
    meter_start(&run.limits);
    enum trap t = sfi_enter(begin, a);
    while (!t && !a->threw) {
        t = sfi_enter(step, a);
        if (t || a->wait_ms < 0 || meter_verdict().reason)
            break;
        poll(NULL, 0, a->wait_ms < SLICE_MS ? (int)a->wait_ms + 1 : SLICE_MS);
        if (meter_wall_left_ns() == 0)
            meter_stop(REASON_WALL_TIME_LIMIT, LIMIT_wall_time_ms, timeout_ms);
    }
    *out = meter_verdict();
    meter_end();
    cell_leave(c);
    return t;
}

static int read_texts(const struct test262 *t, struct buf *source,
                      struct buf *includes, struct err *e)
{
    char path[4096], names[1024];
    if (t->mode == MODE_IS_STRICT)
        buf_adds(source, "\"use strict\";\n");
    snprintf(path, sizeof path, "%s/%s", here.root, t->path);
    int r = io_read_file(path, MAX_TEST_BYTES - 16, source, e);
    snprintf(names, sizeof names, "%s", t->includes);
    char *rest = names;
    for (char *name; r == 0 && (name = strsep(&rest, ",")) != NULL;) {
        if (strcmp(name, "-") == 0 || strcmp(name, harness[0]) == 0 ||
            strcmp(name, harness[1]) == 0)
            continue;
        buf_add(includes, name, strlen(name) + 1);
        r = read_harness(name, includes, e);
        buf_add(includes, "", 1);
    }
    return r;
}

void case_run(const struct test262 *t, unsigned timeout_ms, struct outcome *out)
{
    struct err e = { 0 };
    AUTO_BUF source;
    struct attempt a = { .t = t, .promise = JS_UNDEFINED };
    buf_init(&source, MAX_TEST_BYTES);
    buf_init(&a.includes, MAX_TEST_BYTES);
    buf_init(&a.type, 4096);
    buf_init(&a.message, 4096);
    host_start(here.root);
    if (read_texts(t, &source, &a.includes, &e) < 0) {
        say(out, FAILED, "%s", e.msg);
        return;
    }
    a.source = buf_str(&source);
    struct cell *c = t->mode == MODE_IS_RAW ? &here.raw_cell : &here.full_cell;
    struct verdict v;
    enum trap trap = run_in(c, &a, timeout_ms, &v);
    if (v.reason == REASON_WALL_TIME_LIMIT || v.reason == REASON_CPU_TIME_LIMIT)
        say(out, TIMED_OUT, "not done after %u ms", timeout_ms);
    else if (v.reason)
        say(out, FAILED, "%s", reason_text(v.reason));
    else if (trap)
        say(out, CRASHED, "%s", trap_text(trap));
    else
        judge(&a, out);
    buf_free(&a.includes);
    buf_free(&a.type);
    buf_free(&a.message);
    if (cell_reset(c) < 0)
        abort();
}
