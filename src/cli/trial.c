/* cli/trial.c -- a tiny program in a real worker.
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

static int add_one_and_one(struct local *l, const struct plan *p,
                           struct trial *out, struct err *e)
{
    struct run run;
    struct msg_run m = plan_message(p, &p->program[0], 1);
    run_init(&run, &m, -1, NULL, NULL);
    uint64_t began = clock_now_ns();
    int r = local_run(l, &run, e);
    out->run_ms = (double)(clock_now_ns() - began) / 1e6;
    out->ran = r == 0 && result_ok(&run.result) && str_is(run.result.value, "2");
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

static int try(struct trial *out, struct err *e,
               int (*more)(struct local *, const struct plan *, struct trial *,
                           struct err *))
{
    const struct run_options o = { .eval = "1 + 1" };
    const struct texts none = { 0 };
    struct plan plan;
    struct local_spec spec;
    struct local *l = NULL;
    *out = (struct trial){ 0 };
    int r = plan_make(&plan, &o, &none, e);
    if (r == 0) {
        plan_local(&plan, -1, &spec);
        r = local_open(&spec, &l, e);
    }
    if (r == 0)
        r = greet(l, out, e);
    if (r == 0 && more)
        r = more(l, &plan, out, e);
    local_free(l);
    plan_free(&plan);
    return r;
}

int trial_run(struct trial *out, struct err *e)
{
    return try(out, e, add_one_and_one);
}

int trial_greet(struct trial *out, struct err *e)
{
    return try(out, e, NULL);
}
