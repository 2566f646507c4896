/* worker/run.c -- start, step and finish one run.  SPDX-License-Identifier: MIT */
#include "worker/run.h"
#include "worker/fetch.h"
#include "worker/form.h"
#include "worker/guest.h"
#include "worker/meter.h"
#include "worker/modules.h"
#include "worker/moment.h"
#include "worker/program.h"
#include "worker/sfi.h"
#include <errno.h>
#include <string.h>

/* Flags of begin() in guest/js/run.js. */
enum { BEGIN_PLAIN = 1, BEGIN_DISPLAY = 2, BEGIN_MAIN = 4, BEGIN_COLOR = 8,
       BEGIN_NO_TIMERS = 16, BEGIN_NOT_YET = 32, BEGIN_NO_VALUE = 64 };
/* Answers of pending() other than a time to wait. */
enum { PENDING_NEVER = -1, PENDING_DONE = -2, PENDING_FAILED = -3 };

enum { ERROR_TEXT_BYTES = 256 << 10, DESCRIBE_MS = 20 };
enum { FLUSH_AT_BYTES = 32 << 10 };
/* An overflow of the engine's stack leaves marks near its end. */
enum { ENGINE_STACK_TOP = 1 << 20, STACK_MARK_BYTES = 24 << 10 };

void (*run_sink)(struct buf *);

static struct {
    struct cell          *cell;
    const struct msg_run *req;
    struct msg_result     result;
    enum { NOTHING, VALUE, FAILURE, NEVER } outcome;
    enum trap  trap;
    int        not_compiled, rejections, started;
    double     wait_ms;
    struct buf value, exports, display, name, message, stack, printed, file;
    struct buf source;       /* rewritten: types stripped, or for a session */
    struct buf frames;       /* output on its way */
    uint64_t   written[3];   /* bytes by stream */
    uint64_t   rested_ns;    /* when an own clock began to wait; 0: it does not */
} run;

/* ---- what the guest hands over ---------------------------------------- */

static void append_output(int stream, struct str bytes)
{
    while (bytes.len) {
        size_t n = bytes.len < MAX_CHUNK_BYTES ? bytes.len : MAX_CHUNK_BYTES;
        put_output(&run.frames,
                   &(struct msg_output){ (uint8_t)stream, { bytes.at, n } });
        bytes.at += n;
        bytes.len -= n;
    }
}

void run_flush(void)
{
    if (run.frames.len && run_sink)
        run_sink(&run.frames);
    buf_clear(&run.frames);
}

/*
 * Output up to the limit is kept; the write that passes it is cut there and
 * ends the run.
 */
void run_write(int stream, jsval text)
{
    if (!run.req || stream < 1 || stream > 2)
        return;
    static struct buf bytes;
    if (!bytes.max)
        buf_init(&bytes, (size_t)1 << 31);
    buf_clear(&bytes);
    if (guest_text(text, &bytes) < 0)
        sfi_trap(TRAP_ENGINE);
    uint64_t before = run.written[1] + run.written[2];
    uint64_t limit = run.req->limits.output_bytes;
    uint64_t room = before < limit ? limit - before : 0;
    run.written[stream] += bytes.len;
    append_output(stream, (struct str){ bytes.at, bytes.len < room ? bytes.len : room });
    if (run.frames.len >= FLUSH_AT_BYTES)
        run_flush();
    if (bytes.len > room) {
        meter_stop(REASON_OUTPUT_LIMIT, LIMIT_output_bytes, before + bytes.len);
        sfi_stop();
    }
}

void run_deliver(jsval value, jsval exports, jsval display)
{
    guest_text(value, &run.value);
    guest_text(exports, &run.exports);
    guest_text(display, &run.display);
    uint64_t size = run.value.len + run.exports.len;
    if (run.value.failed || run.exports.failed || size > run.req->limits.result_bytes) {
        meter_stop(REASON_RESULT_TOO_LARGE, LIMIT_result_bytes, size);
        sfi_stop();
    }
    /* The guest's own words for people; they may not cost it its result. */
    if (run.display.failed || size + run.display.len > MAX_RESULT_BYTES)
        buf_clear(&run.display);
    run.outcome = VALUE;
}

static uint32_t position(double v) { return v > 0 && v < 4e9 ? (uint32_t)v : 0; }

void run_deliver_error(const jsval text[5], double line, double column)
{
    struct buf *to[5] = { &run.name, &run.message, &run.stack, &run.printed,
                          &run.file };
    for (int i = 0; i < 5; i++) {
        buf_clear(to[i]);
        guest_text(text[i], to[i]);
    }
    run.result.line = position(line);
    run.result.column = position(column);
    run.outcome = FAILURE;
}

void run_rejection(jsval promise, jsval reason, int handled)
{
    run.rejections = 1;
    jsval args[3] = { promise, reason, js_make(TAG_BOOL, handled) };
    jsval r = guest_call(INTERNAL_rejection, 3, args);
    if (js_is_exception(r))
        guest_release(guest_exception());
}

/* ---- inside of guest code --------------------------------------------- */

/* The pending exception becomes the run's failure, unless a limit was hit:
 * then it only says where. */
static void fail(void)
{
    jsval error = guest_exception();
    run.outcome = FAILURE;
    if (meter_poll()) {
        if (js_tag(error) != TAG_OBJECT)
            return;    /* interrupted between two jobs: it was nowhere */
        meter_grace(DESCRIBE_MS);
    }
    guest_release(guest_call(INTERNAL_failed, 1, &error));
}

static int begin(const struct evaluated *got)
{
    uint32_t f = run.req->flags;
    int busy = run.rejections || Q(JS_IsJobPending)(E, guest_runtime());
    u32 flags = (f & RUN_PLAIN ? BEGIN_PLAIN : 0) |
                (f & RUN_DISPLAY ? BEGIN_DISPLAY : 0) |
                (f & RUN_COLOR ? BEGIN_COLOR : 0) |
                (f & (RUN_KEEP | RUN_SETUP) ? BEGIN_NO_TIMERS : 0) |
                (f & RUN_SETUP ? BEGIN_NO_VALUE : 0) |
                (got->call_main ? BEGIN_MAIN : 0) | (busy ? BEGIN_NOT_YET : 0);
    jsval args[4] = { js_make(TAG_INT, got->kind), got->value,
                      js_make(TAG_INT, flags), got->namespace };
    jsval done = guest_call(INTERNAL_begin, 4, args);
    if (js_is_exception(done)) {
        fail();
        return 1;
    }
    return js_tag(done) == TAG_BOOL && js_low(done);
}

/* Types away, or let and const for a session: the text that is compiled. */
static int prepare_source(struct str *source)
{
    buf_clear(&run.source);
    if (run.req->flags & RUN_TS) {
        jsval args[2] = { guest_string(*source), guest_string(run.req->name) };
        jsval js = guest_call(INTERNAL_strip, 2, args);
        if (js_is_exception(js))
            return -1;
        guest_text(js, &run.source);
        *source = buf_str(&run.source);
    }
    if ((run.req->flags & RUN_KEEP) && !(run.req->flags & RUN_SETUP)) {
        struct buf *plain = guest_take();
        form_for_session(*source, plain);
        buf_clear(&run.source);
        buf_add(&run.source, plain->at, plain->len);
        guest_give();
        *source = buf_str(&run.source);
    }
    return 0;
}

static int hand_in(void)
{
    if (!run.req->input.len)
        return 0;
    jsval text = guest_string(run.req->input);
    return js_is_exception(guest_call(INTERNAL_input, 1, &text)) ? -1 : 0;
}

static int configure(void)
{
    const struct run_limits *l = &run.req->limits;
    if (l->stack_bytes < run_limits_default.stack_bytes)
        Q(qjs_set_max_stack_size)(E, (u32)l->stack_bytes);
    uint64_t state = 0;
    if (moment_random(&state, sizeof state) < 0) {
        meter_stop(REASON_INTERNAL, LIMIT_NONE, 0);
        sfi_stop();
    }
    guest_put_u64(guest_head->random_state, state ? state : 1);

    if (!(run.req->flags & (RUN_KEEP | RUN_NET)) && !run.req->secrets.len &&
        l->result_bytes == run_limits_default.result_bytes &&
        l->timers == run_limits_default.timers)
        return hand_in();    /* so the image was configured */
    uint32_t bytes = l->result_bytes > INT32_MAX ? INT32_MAX : (uint32_t)l->result_bytes;
    jsval args[4] = { js_make(TAG_INT, bytes), js_make(TAG_INT, (u32)l->timers),
                      js_make(TAG_BOOL, (run.req->flags & RUN_NET) != 0),
                      guest_string(run.req->secrets) };
    guest_release(guest_call(INTERNAL_configure, 4, args));
    return hand_in();
}

static void start(void *unused)
{
    (void)unused;
    struct str source = run.req->source;
    if (configure() < 0) {
        fail();
        return;
    }
    if (prepare_source(&source) < 0) {
        run.not_compiled = 1;
        fail();
        return;
    }
    struct evaluated got = program_evaluate(source, run.req->name, run.req->mode);
    if (js_is_exception(got.value)) {
        run.not_compiled = got.not_compiled;
        fail();
        return;
    }
    run.started = 1;
    begin(&got);
}

/* Returns 1 when the run is over. */
static int drain(void)
{
    while (Q(JS_IsJobPending)(E, guest_runtime())) {
        if ((s32)Q(qjs_execute_pending_job)(E) < 0 || meter_poll()) {
            fail();
            return 1;
        }
    }
    if (!run.rejections)
        return 0;
    run.rejections = 0;
    jsval lost = guest_call(INTERNAL_unhandled, 0, NULL);
    if (js_is_exception(lost))
        fail();
    return run.outcome == FAILURE;
}

static void step(void *unused)
{
    (void)unused;
    run.wait_ms = -1;
    for (;;) {
        if (drain())
            return;
        if (fetch_answered()) {
            if (fetch_deliver() < 0) {
                fail();
                return;
            }
            continue;
        }
        jsval p = guest_call(INTERNAL_pending, 0, NULL);
        if (js_is_exception(p)) {
            fail();
            return;
        }
        double ms = guest_number(p);
        if (ms == PENDING_NEVER)
            run.outcome = NEVER;
        if (ms < 0)
            return;
        if (ms > 0) {
            run.wait_ms = ms;
            return;
        }
        if (js_is_exception(guest_call(INTERNAL_tick, 0, NULL))) {
            fail();
            return;
        }
        fetch_collect();    /* a guest that is never idle gets its answers too */
    }
}

/* ---- outside of it ---------------------------------------------------- */

static void clear_results(void)
{
    struct { struct buf *b; size_t max; } all[] = {
        { &run.value, MAX_RESULT_BYTES },    { &run.exports, MAX_RESULT_BYTES },
        { &run.display, MAX_RESULT_BYTES },  { &run.name, ERROR_TEXT_BYTES },
        { &run.message, ERROR_TEXT_BYTES },  { &run.stack, ERROR_TEXT_BYTES },
        { &run.printed, 2 * ERROR_TEXT_BYTES }, { &run.file, MAX_NAME_BYTES },
        { &run.source, 4 * MAX_SOURCE_BYTES }, { &run.frames, (size_t)1 << 31 },
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        if (!all[i].b->max)
            buf_init(all[i].b, all[i].max);
        buf_clear(all[i].b);
    }
}

void run_start(struct cell *cell, const struct msg_run *req)
{
    clear_results();
    guest_bufs_clear();
    run.cell = cell;
    run.req = req;
    run.result = (struct msg_result){ .id = req->id, .limit = LIMIT_NONE };
    run.outcome = NOTHING;
    run.trap = TRAP_NONE;
    run.not_compiled = run.rejections = run.started = 0;
    run.wait_ms = -1;
    run.rested_ns = 0;
    memset(run.written, 0, sizeof run.written);

    guest_head = &cell->image->head;
    if ((req->flags & RUN_KEEP) && cell_backup(cell) < 0)
        run.result.state_lost = 2;    /* nothing to return to; see run_finish() */
    moment_start(req);
    modules_start(req);
    fetch_start(req);
    cell_enter(cell);
    meter_start(&req->limits);
    run.trap = sfi_enter(start, NULL);
}

static int over(void)
{
    return run.trap || run.outcome != NOTHING || meter_verdict().reason;
}

enum run_state run_step(uint64_t *out_ns)
{
    if (over())
        return RUN_DONE;
    if (run.rested_ns)
        moment_skip_ns(meter_wall_ns() - run.rested_ns);
    run.rested_ns = 0;
    run.trap = sfi_enter(step, NULL);
    if (over() || run.wait_ms < 0)
        return RUN_DONE;
    const double max_ms = 1e9;    /* and any limit is sooner */
    uint64_t ns = (uint64_t)((run.wait_ms < max_ms ? run.wait_ms : max_ms) * 1e6);
    uint64_t left = meter_wall_left_ns();
    /* An own clock waits for nobody but the network: that has a clock of its
     * own, and a time limit of the guest's must not run out before it. */
    if (moment_is_own() && fetch_open()) {
        run.rested_ns = meter_wall_ns();
    } else if (moment_is_own()) {
        moment_skip_ns(ns);
        ns = 0;
    }
    run_flush();
    *out_ns = ns < left ? ns : left;
    return RUN_WAITS;
}

/* The engine's stack check throws a plain RangeError. It is believed to be one
 * only if the stack really was that deep: a guest cannot choose its reason. */
static int stack_overflowed(void)
{
    if (!str_is(buf_str(&run.message), "Maximum call stack size exceeded"))
        return 0;
    uint64_t bytes = run.req->limits.stack_bytes;
    const uint8_t *low = run.cell->slot + ENGINE_STACK_TOP - bytes;
    for (int i = 0; i < STACK_MARK_BYTES; i++)
        if (low[i])
            return 1;
    return 0;
}

static enum reason reason_of_trap(void)
{
    switch (run.trap) {
    case TRAP_STACK:
        return REASON_STACK_OVERFLOW;
    case TRAP_NONE:
    case TRAP_MEMORY:
    case TRAP_ENGINE:
    case TRAP_DEADLINE:
    case TRAP_STOP:
        break;
    }
    return REASON_CRASHED;
}

static enum reason reason_of(const struct verdict *v)
{
    if (v->reason)
        return v->reason;
    if (run.trap)
        return reason_of_trap();
    if (run.outcome == VALUE)
        return REASON_COMPLETED;
    if (run.outcome == NEVER)
        return REASON_NEVER_SETTLED;
    if (run.outcome != FAILURE)
        return REASON_INTERNAL;
    if (run.not_compiled)
        return REASON_SYNTAX_ERROR;
    return stack_overflowed() ? REASON_STACK_OVERFLOW : REASON_EXCEPTION;
}

/* A session's cell is rolled back when a trap left it in an unknown state. */
static void settle_cell(void)
{
    struct msg_result *r = &run.result;
    int no_backup = r->state_lost == 2;
    r->state_lost = 0;
    cell_leave(run.cell);
    if (!(run.req->flags & RUN_KEEP))
        return;
    if (run.trap) {
        r->state_lost = 1;
        if (no_backup || cell_rollback(run.cell) < 0)
            cell_reset(run.cell);
    }
    cell_rest(run.cell);
}

void run_finish(struct msg_result *out)
{
    struct msg_result *r = &run.result;
    struct verdict v = meter_verdict();
    r->wall_ns = meter_wall_ns();
    r->cpu_ns = meter_cpu_ns();
    meter_end();
    r->reason = (uint8_t)reason_of(&v);
    r->limit = (uint8_t)v.limit;
    r->observed = v.observed;
    if (r->reason == REASON_STACK_OVERFLOW) {
        r->limit = LIMIT_stack_bytes;
        r->observed = run.req->limits.stack_bytes;
    }
    r->memory_peak_bytes = (uint64_t)engine.w2c_memory.pages * SFI_WASM_PAGE;
    if (r->reason == REASON_COMPLETED) {
        r->value = buf_str(&run.value);
        r->exports = buf_str(&run.exports);
        r->display = buf_str(&run.display);
    }
    if (run.trap && run.trap != TRAP_STOP)
        r->detail = str_of(trap_text(run.trap));
    r->error_name = buf_str(&run.name);
    r->error_message = buf_str(&run.message);
    r->error_stack = buf_str(&run.stack);
    r->error_printed = buf_str(&run.printed);
    r->file = buf_str(&run.file);
    r->stdout_bytes = run.written[1];
    r->stderr_bytes = run.written[2];
    settle_cell();
    run_flush();
    *out = *r;
    run.req = NULL;
}
