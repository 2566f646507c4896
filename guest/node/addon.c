/*
 * guest/node/addon.c -- the zygote's loop and the channel, for JavaScript.
 *
 * Plain Node-API, version 8: one library serves every Node.js from 20 on. The
 * functions trust their caller, which is zygote.cjs or cold.cjs; a guest that
 * gets hold of them can do no more than it can with the descriptor of the
 * channel itself.
 *
 *   serve(version)    in the zygote; returns in forks only: { pid, seed, spare }
 *   program()         wait for the program: { settings, source }
 *   result(object)    send a result; members as in send_result()
 *   denied(what, subject, rule, hint)
 *   exit(code)        end at once, without node's own way out
 *   compact()         make the zygote's memory cheap to fork
 *
 * SPDX-License-Identifier: MIT
 */
#define NAPI_VERSION 8
#include "inside.h"
#include "base/buf.h"
#include "zygote/zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <node_api.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <uv.h>

enum {
    EXIT_UNFIT = 70,      /* this zygote cannot be forked */
    EXIT_NO_SEAL = 125,
};
#define RESULT_TEXT_MAX ((size_t)MAX_RESULT_BYTES + (4 << 20))

static uv_loop_t *loop;                /* node's main loop */
static uint64_t   run_id;
static uint64_t   began_wall, began_cpu;

static uint64_t clock_ns(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static napi_value throw_text(napi_env env, const char *text)
{
    napi_throw_error(env, NULL, text);
    return NULL;
}

/* ---- texts ---------------------------------------------------------------------- */

/* Appends a JavaScript string as UTF-8; what is no string adds nothing. */
static void add_text(napi_env env, napi_value from, struct buf *b)
{
    size_t len = 0, got = 0;
    if (napi_get_value_string_utf8(env, from, NULL, 0, &len) != napi_ok)
        return;
    char *room = buf_reserve(b, len + 1);
    if (room &&
        napi_get_value_string_utf8(env, from, room, len + 1, &got) == napi_ok)
        b->len += got;
}

static uint64_t member_number(napi_env env, napi_value object, const char *name)
{
    napi_value member;
    double value = 0;
    if (napi_get_named_property(env, object, name, &member) != napi_ok ||
        napi_get_value_double(env, member, &value) != napi_ok)
        return 0;
    return value > 0 && value < 1e18 ? (uint64_t)value : 0;
}

static void set_text(napi_env env, napi_value object, const char *name,
                     struct str text)
{
    napi_value value;
    if (napi_create_string_utf8(env, text.at, text.len, &value) == napi_ok)
        napi_set_named_property(env, object, name, value);
}

static void set_number(napi_env env, napi_value object, const char *name,
                       double number)
{
    napi_value value;
    if (napi_create_double(env, number, &value) == napi_ok)
        napi_set_named_property(env, object, name, value);
}

/* ---- the zygote ----------------------------------------------------------------- */

static void before_fork(void *user)
{
    (void)user;
    if (threads_settle() < 0)
        _exit(EXIT_UNFIT);
}

static void in_child(void *user)
{
    (void)user;
    threads_fork();
    descriptors_fork();
    if (uv_loop_fork(loop) != 0)
        _exit(EXIT_NO_SEAL);
}

static napi_value serve(napi_env env, napi_callback_info info)
{
    napi_value arg, out;
    size_t args = 1;
    char version[64] = "";
    struct zygote_child child;

    if (napi_get_cb_info(env, info, &args, &arg, NULL, NULL) != napi_ok ||
        napi_get_uv_event_loop(env, &loop) != napi_ok)
        return throw_text(env, "no event loop");
    if (args > 0)
        napi_get_value_string_utf8(env, arg, version, sizeof version, NULL);
    if (!threads_known())
        return throw_text(env, "this Node.js starts its threads in a way that "
                               "is not known, or the library was not preloaded");
    if (threads_settle() < 0)
        return throw_text(env, "V8's threads do not come to rest");
    if (descriptors_learn(uv_backend_fd(loop)) < 0)
        return throw_text(env, "cannot tell whose descriptors are whose");

    environment_wipe();
    const struct zygote_hooks hooks = {
        .before = before_fork, .child = in_child, .version = version,
    };
    zygote_serve(&hooks, &child);
    run_id = child.id;
    if (napi_create_object(env, &out) != napi_ok)
        return NULL;
    uint32_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        _exit(EXIT_NO_SEAL);
    set_number(env, out, "pid", getpid());
    set_number(env, out, "seed", seed);
    set_number(env, out, "spare", child.flags & FORK_SPARE ? 1 : 0);
    return out;
}

static napi_value compact(napi_env env, napi_callback_info info)
{
    (void)env;
    (void)info;
    memory_compact();
    return NULL;
}

/* ---- the channel ---------------------------------------------------------------- */

static napi_value program(napi_env env, napi_callback_info info)
{
    (void)info;
    struct msg_program m;
    napi_value out;

    fcntl(GUEST_CHANNEL_FD, F_SETFD, FD_CLOEXEC);
    channel_program(&m);
    began_wall = clock_ns(CLOCK_MONOTONIC);
    began_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    /* The wait may have been long: timers count from the loop's idea of now. */
    if (loop || napi_get_uv_event_loop(env, &loop) == napi_ok)
        uv_update_time(loop);
    if (napi_create_object(env, &out) != napi_ok)
        return NULL;
    set_text(env, out, "settings", m.settings);
    set_text(env, out, "source", m.source);
    return out;
}

static enum reason reason_of(const char *text)
{
    for (int r = REASON_COMPLETED; r < REASON_END; r++)
        if (strcmp(reason_text(r), text) == 0)
            return r;
    return REASON_INTERNAL;
}

/* Texts of a result: where each one goes, and what it is called in JavaScript. */
static const struct {
    const char *name;
    size_t      at;
} result_texts[] = {
    { "value",   offsetof(struct msg_result, value) },
    { "exports", offsetof(struct msg_result, exports) },
    { "display", offsetof(struct msg_result, display) },
    { "name",    offsetof(struct msg_result, error_name) },
    { "message", offsetof(struct msg_result, error_message) },
    { "stack",   offsetof(struct msg_result, error_stack) },
    { "printed", offsetof(struct msg_result, error_printed) },
    { "file",    offsetof(struct msg_result, file) },
    { "detail",  offsetof(struct msg_result, detail) },
};

/* Gathers all texts in one buffer; strs are made when it grows no more. */
static void result_read_texts(napi_env env, napi_value object, struct buf *b,
                              struct msg_result *out)
{
    size_t end[COUNT(result_texts)];
    for (size_t i = 0; i < COUNT(result_texts); i++) {
        napi_value member;
        if (napi_get_named_property(env, object, result_texts[i].name,
                                    &member) == napi_ok)
            add_text(env, member, b);
        end[i] = b->len;
    }
    for (size_t i = 0, start = 0; i < COUNT(result_texts); start = end[i++]) {
        struct str *text = (struct str *)((char *)out + result_texts[i].at);
        *text = (struct str){ b->at + start, end[i] - start };
    }
}

static void result_read_numbers(napi_env env, napi_value object,
                                struct msg_result *out)
{
    struct rusage used;
    AUTO_BUF reason;
    buf_init(&reason, 64);
    napi_value member;
    if (napi_get_named_property(env, object, "reason", &member) == napi_ok)
        add_text(env, member, &reason);
    buf_add(&reason, "", 1);
    out->reason = (uint8_t)reason_of(reason.failed ? "" : reason.at);
    out->limit = LIMIT_NONE;
    if (out->reason == REASON_RESULT_TOO_LARGE) {
        out->limit = LIMIT_result_bytes;
        out->observed = member_number(env, object, "observed");
    }
    out->line = (uint32_t)member_number(env, object, "line");
    out->column = (uint32_t)member_number(env, object, "column");
    out->wall_ns = clock_ns(CLOCK_MONOTONIC) - began_wall;
    out->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - began_cpu;
    if (getrusage(RUSAGE_SELF, &used) == 0)
        out->memory_peak_bytes = (uint64_t)used.ru_maxrss * 1024;
}

/* Returns whether it was sent. */
static napi_value send_result(napi_env env, napi_callback_info info)
{
    napi_value object, out;
    size_t args = 1;
    struct msg_result m = { .id = run_id };
    AUTO_BUF texts;
    buf_init(&texts, RESULT_TEXT_MAX);

    if (napi_get_cb_info(env, info, &args, &object, NULL, NULL) != napi_ok ||
        args < 1)
        return throw_text(env, "result: an object is needed");
    result_read_numbers(env, object, &m);
    result_read_texts(env, object, &texts, &m);
    int sent = texts.failed ? texts.failed : channel_result(&m);
    return napi_get_boolean(env, sent == 0, &out) == napi_ok ? out : NULL;
}

static napi_value denied(napi_env env, napi_callback_info info)
{
    napi_value arg[4];
    size_t args = COUNT(arg), end[COUNT(arg)] = { 0 };
    AUTO_BUF b;
    buf_init(&b, 3 << 10);

    if (napi_get_cb_info(env, info, &args, arg, NULL, NULL) != napi_ok ||
        args < COUNT(arg))
        return throw_text(env, "denied: four texts are needed");
    for (size_t i = 0; i < COUNT(arg); i++) {
        add_text(env, arg[i], &b);
        end[i] = b.len;
    }
    if (b.failed)
        return NULL;
    const struct msg_denied m = {
        .what    = { b.at, end[0] },
        .subject = { b.at + end[0], end[1] - end[0] },
        .rule    = { b.at + end[1], end[2] - end[1] },
        .hint    = { b.at + end[2], end[3] - end[2] },
    };
    channel_denied(&m);
    return NULL;
}

static napi_value quick_exit(napi_env env, napi_callback_info info)
{
    napi_value arg;
    size_t args = 1;
    int32_t code = 0;
    if (napi_get_cb_info(env, info, &args, &arg, NULL, NULL) == napi_ok &&
        args > 0)
        napi_get_value_int32(env, arg, &code);
    _exit(code);
}

/* ---- the module ----------------------------------------------------------------- */

#ifdef NODE_API_MODULE_GET_API_VERSION    /* which the macro defines undeclared */
NAPI_MODULE_EXPORT int32_t NODE_API_MODULE_GET_API_VERSION(void);
#endif

NAPI_MODULE_INIT(/* napi_env env, napi_value exports */)
{
    static const struct {
        const char   *name;
        napi_callback call;
    } functions[] = {
        { "serve", serve },   { "compact", compact }, { "program", program },
        { "result", send_result }, { "denied", denied }, { "exit", quick_exit },
    };
    for (size_t i = 0; i < COUNT(functions); i++) {
        napi_value f;
        if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH,
                                 functions[i].call, NULL, &f) != napi_ok ||
            napi_set_named_property(env, exports, functions[i].name, f) != napi_ok)
            return NULL;
    }
    return exports;
}
