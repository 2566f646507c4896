/* cli/trial.c -- a tiny program in a real sandbox.
 * SPDX-License-Identifier: MIT */
#include "cli/trial.h"
#include "cli/plan.h"
#include "env/clock.h"

#include <errno.h>
#include <stdio.h>

static int greet(struct local *l, struct trial *out, struct err *e)
{
    const struct peer *peer = NULL;
    uint64_t began = clock_now_ns();
    int r = local_greet(l, &peer, e);
    if (r < 0)
        return r;
    out->start_ms = (double)(clock_now_ns() - began) / 1e6;
    out->walls = peer_walls(peer);
    snprintf(out->engine, sizeof out->engine, "%s", peer_engine(peer));
    snprintf(out->engine_id, sizeof out->engine_id, "%s", peer_engine_id(peer));
    return 0;
}

/* One run of `1 + 1`, timed. */
static int add_up(struct local *l, const struct plan *p, uint64_t id,
                  struct trial *out, double *out_ms, struct err *e)
{
    struct run run;
    struct msg_run m = plan_message(p, &p->program[0], id);
    run_init(&run, &m, -1, NULL, NULL);
    run.guest = p->guest ? &p->guest->run : NULL;
    uint64_t began = clock_now_ns();
    int r = local_run(l, &run, e);
    *out_ms = (double)(clock_now_ns() - began) / 1e6;
    out->ran = r == 0 && result_ok(&run.result) && str_is(run.result.value, "2");
    out->walls = run.result.walls;
    out->counted_by = run.result.counted_by;
    snprintf(out->fallback, sizeof out->fallback, "%s", run.result.fallback);
    if (r == 0 && !out->ran) {
        AUTO_BUF why;
        buf_init(&why, 512);
        result_sentence(&run.result, &why);
        r = err_set(e, -EPROTO, "1 + 1 ended as %s: %.*s",
                    reason_text(run.result.reason), (int)why.len, why.at);
    }
    run_free(&run);
    return r;
}

static int add_in_worker(struct local *l, const struct plan *p,
                         struct trial *out, struct err *e)
{
    int r = greet(l, out, e);
    return r < 0 ? r : add_up(l, p, 1, out, &out->run_ms, e);
}

static int add_in_zygote(struct local *l, const struct plan *p,
                         struct trial *out, struct err *e)
{
    snprintf(out->engine, sizeof out->engine, "%s", p->guest->runtime.version);
    snprintf(out->program, sizeof out->program, "%s", p->guest->runtime.program);
    int r = add_up(l, p, 1, out, &out->start_ms, e);
    return r < 0 ? r : add_up(l, p, 2, out, &out->run_ms, e);
}

static int only_greet(struct local *l, const struct plan *p, struct trial *out,
                      struct err *e)
{
    (void)p;
    return greet(l, out, e);
}

static int try(const struct run_options *o, struct trial *out, struct err *e,
               int (*what)(struct local *, const struct plan *, struct trial *,
                           struct err *))
{
    const struct texts none = { 0 };
    struct plan plan;
    struct local_spec spec;
    struct local *l = NULL;
    *out = (struct trial){ 0 };
    int r = plan_make(&plan, o, &none, &none, e);
    if (r == 0) {
        plan_local(&plan, -1, &spec);
        r = local_open(&spec, &l, e);
    }
    if (r == 0)
        r = what(l, &plan, out, e);
    local_free(l);
    plan_free(&plan);
    return r;
}

int trial_run(struct trial *out, struct err *e)
{
    const struct run_options o = { .eval = "1 + 1", .engine = WISH_JS };
    return try(&o, out, e, add_in_worker);
}

int trial_guest(enum engine engine, struct trial *out, struct err *e)
{
    const struct run_options o = {
        .eval = "1 + 1", .stdin_from = "none",
        .engine = engine == ENGINE_NODE ? WISH_NODE : WISH_PYTHON,
        .repeat = { 2, 1 },    /* it takes two for a zygote to pay */
    };
    return try(&o, out, e, add_in_zygote);
}

int trial_greet(struct trial *out, struct err *e)
{
    const struct run_options o = { .eval = "1 + 1", .engine = WISH_JS };
    return try(&o, out, e, only_greet);
}
