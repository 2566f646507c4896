/*
 * worker/imports.c -- every call from guest code into trusted code.
 *
 * Arguments are hostile: addresses and lengths go through guest_at(), values
 * are copied before they are judged, and whatever grows has a ceiling.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worker/imports.h"
#include "worker/fetch.h"
#include "worker/guest.h"
#include "worker/meter.h"
#include "worker/modules.h"
#include "worker/moment.h"
#include "worker/run.h"
#include "worker/sfi.h"
#include <string.h>

enum { WASI_OK = 0, WASI_BAD_DESCRIPTOR = 8, WASI_IO = 29 };
enum { WASI_CLOCK_REALTIME = 0 };
#define NS_PER_MS 1e6

/* ---- host functions of guest/js --------------------------------------- */

struct call {
    u32 argc, argv;    /* argv: guest array of addresses of boxed values */
};

static jsval argument(const struct call *c, u32 i)
{
    return i < c->argc ? guest_u64(guest_u32(c->argv + 4 * i)) : JS_UNDEFINED;
}

static jsval host_write(const struct call *c)
{
    run_write(guest_number(argument(c, 0)) == 2 ? 2 : 1, argument(c, 1));
    return JS_UNDEFINED;
}

static jsval number(double v)
{
    return Q(JS_NewNumber)(E, guest_context(), v);
}

static jsval host_monotonic(const struct call *c)
{
    (void)c;
    return number((double)moment_monotonic_ns() / NS_PER_MS);
}

static jsval host_exceeded(const struct call *c)
{
    struct buf *name = guest_take();
    guest_text(argument(c, 0), name);
    double observed = guest_number(argument(c, 1));
    uint64_t n = observed > 0 && observed < 1e18 ? (uint64_t)observed : 0;
    if (str_is(buf_str(name), "max_timers"))
        meter_stop(REASON_CALL_LIMIT, LIMIT_timers, n);
    else
        meter_stop(REASON_RESULT_TOO_LARGE, LIMIT_result_bytes, n);
    sfi_stop();
}

static jsval host_deliver(const struct call *c)
{
    run_deliver(argument(c, 0), argument(c, 1), argument(c, 2));
    return JS_UNDEFINED;
}

static jsval host_deliver_error(const struct call *c)
{
    jsval text[5] = { argument(c, 0), argument(c, 1), argument(c, 2),
                      argument(c, 3), argument(c, 4) };
    run_deliver_error(text, guest_number(argument(c, 5)),
                      guest_number(argument(c, 6)));
    return JS_UNDEFINED;
}

/* Three questions that only the engine can answer, for console.log. */

static jsval host_promise_state(const struct call *c)
{
    jsval v = argument(c, 0);
    if (!Q(JS_IsPromise)(E, v))
        return JS_UNDEFINED;
    return js_make(TAG_INT, Q(JS_PromiseState)(E, guest_context(), v));
}

static jsval host_promise_result(const struct call *c)
{
    return Q(JS_PromiseResult)(E, guest_context(), argument(c, 0));
}

static jsval host_proxy_target(const struct call *c)
{
    jsval v = argument(c, 0);
    return Q(JS_IsProxy)(E, v) ? Q(JS_GetProxyTarget)(E, guest_context(), v)
                               : JS_UNDEFINED;
}

/* Requests over HTTP, by way of the supervisor. */

static jsval host_fetch_send(const struct call *c)
{
    struct fetch_call f = {
        .call = guest_number(argument(c, 0)), .method = argument(c, 1),
        .url = argument(c, 2), .headers = argument(c, 3),
        .redirect = guest_number(argument(c, 4)), .body = argument(c, 5),
    };
    return js_make(TAG_BOOL, (u32)fetch_send(&f));
}

static jsval host_fetch_abort(const struct call *c)
{
    fetch_abort(guest_number(argument(c, 0)));
    return JS_UNDEFINED;
}

static jsval host_fetch_more(const struct call *c)
{
    fetch_more(guest_number(argument(c, 0)), guest_number(argument(c, 1)));
    return JS_UNDEFINED;
}

static jsval host_fetch_denied(const struct call *c)
{
    fetch_denied(argument(c, 0));
    return JS_UNDEFINED;
}

static const struct host_function {
    const char *name;
    jsval (*run)(const struct call *);
} host_functions[] = {
    { "write",        host_write         },
    { "monotonic",    host_monotonic     },
    { "exceeded",     host_exceeded      },
    { "deliver",      host_deliver       },
    { "deliverError", host_deliver_error },
    { "promiseState", host_promise_state },
    { "promiseResult", host_promise_result },
    { "proxyTarget",  host_proxy_target  },
    { "fetchSend",    host_fetch_send    },
    { "fetchAbort",   host_fetch_abort   },
    { "fetchMore",    host_fetch_more    },
    { "fetchDenied",  host_fetch_denied  },
};

void imports_define_host(void)
{
    jsval host = Q(JS_NewObject)(E, guest_context());
    for (size_t i = 0; i < COUNT(host_functions); i++) {
        struct str name = str_of(host_functions[i].name);
        u32 p = guest_copy(name);
        u32 box = Q(qjs_new_host_function)(E, p, (u32)name.len, 0);
        Q(wasm_free)(E, p);
        guest_define(host, host_functions[i].name, guest_u64(box));
    }
    guest_define(Q(JS_GetGlobalObject)(E, guest_context()), "__host", host);
}

/* A boxed copy of v, which the engine frees; 0 tells it of an exception. */
static u32 boxed(jsval v)
{
    u32 box = Q(wasm_malloc)(E, sizeof v);
    if (!box)
        sfi_trap(TRAP_MEMORY);
    guest_put_u64(box, v);
    return box;
}

u32 ENV(host_call)(struct engine_env *env, u32 name, u32 name_len,
                     u32 this_value, u32 argc, u32 argv)
{
    (void)env;
    (void)this_value;
    struct call c = { argc, argv };
    struct str want = { (const char *)guest_at(name, name_len), name_len };
    for (size_t i = 0; i < COUNT(host_functions); i++)
        if (str_is(want, host_functions[i].name)) {
            jsval v = host_functions[i].run(&c);
            sfi_leave();
            return boxed(v);
        }
    sfi_trap(TRAP_ENGINE);
}

/* ---- the engine's own hooks ------------------------------------------- */

u32 ENV(host_interrupt)(struct engine_env *env)
{
    (void)env;
    if (meter_flush_due())
        run_flush();
    return (u32)meter_poll();
}

/* A cell is in UTC: the host's zone is nobody's business inside. */
u32 ENV(host_get_timezone_offset)(struct engine_env *env, u32 hi, u32 lo)
{
    (void)env, (void)hi, (void)lo;
    return 0;
}

u32 ENV(host_module_normalize)(struct engine_env *env, u32 base, u32 name)
{
    (void)env;
    return modules_normalize(base, name);
}

u32 ENV(host_module_load)(struct engine_env *env, u32 name, u32 out_len)
{
    (void)env;
    return modules_load(name, out_len);
}

void ENV(host_promise_rejection)(struct engine_env *env, u32 promise,
                                   u32 reason, u32 handled)
{
    (void)env;
    run_rejection(guest_u64(promise), guest_u64(reason), handled != 0);
    Q(qjs_free_value)(E, promise);
    Q(qjs_free_value)(E, reason);
}

/* ---- the little of WASI that is linked in ----------------------------- */

u32 WASI(clock_time_get)(struct engine_wasi *w, u32 id,
                                             u64 precision, u32 out)
{
    (void)w, (void)precision;
    guest_put_u64(out, id == WASI_CLOCK_REALTIME ? moment_realtime_ns()
                                                 : moment_monotonic_ns());
    return WASI_OK;
}

/* The kernel must not write into a protected page: bytes come by a buffer. */
u32 WASI(random_get)(struct engine_wasi *w, u32 to, u32 len)
{
    (void)w;
    unsigned char some[256];
    for (u32 done = 0; done < len;) {
        u32 n = len - done < sizeof some ? len - done : sizeof some;
        u8 *at = guest_at(to + done, n);
        if (moment_random(some, n) < 0)
            return WASI_IO;
        memcpy(at, some, n);
        done += n;
    }
    memset(some, 0, sizeof some);
    return WASI_OK;
}

u32 WASI(fd_close)(struct engine_wasi *w, u32 fd)
{
    (void)w, (void)fd;
    return WASI_BAD_DESCRIPTOR;
}

u32 WASI(fd_fdstat_get)(struct engine_wasi *w, u32 fd, u32 out)
{
    (void)w, (void)fd, (void)out;
    return WASI_BAD_DESCRIPTOR;
}

u32 WASI(fd_seek)(struct engine_wasi *w, u32 fd, u64 offset,
                                      u32 whence, u32 out)
{
    (void)w, (void)fd, (void)offset, (void)whence, (void)out;
    return WASI_BAD_DESCRIPTOR;
}

u32 WASI(fd_write)(struct engine_wasi *w, u32 fd, u32 iov,
                                       u32 count, u32 out)
{
    (void)w, (void)fd, (void)iov, (void)count, (void)out;
    return WASI_BAD_DESCRIPTOR;
}
