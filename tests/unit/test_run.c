/* tests/unit/test_run.c -- env/run.h: the table, without a process.
 * SPDX-License-Identifier: MIT */
#include "env/clock.h"
#include "env/run.h"
#include "tests/test.h"

#include <signal.h>

static int done_calls;

static void count_done(void *user, struct run *r)
{
    (void)user;
    CHECK(r->state == RUN_DONE);
    done_calls++;
}

static const struct run_calls calls = { .done = count_done };

static struct run queued(void)
{
    struct run r;
    struct msg_run m = { .id = 1, .limits = run_limits_default };
    done_calls = 0;
    run_init(&r, &m, -1, &calls, NULL);
    return r;
}

static struct run active(void)
{
    struct run r = queued();
    CHECK(run_event(&r, EV_ASSIGNED) == 0 && r.state == RUN_STARTING);
    CHECK(run_event(&r, EV_STARTED) == 0 && r.state == RUN_ACTIVE);
    return r;
}

TEST(a_late_result_does_not_revive_a_killed_run)
{
    struct run r = active();
    CHECK(run_event(&r, EV_DEADLINE) == 0);
    CHECK(run_event(&r, EV_RESULT) == 0);
    CHECK(r.state == RUN_KILLING && done_calls == 0);
    CHECK(run_event(&r, EV_EXIT) == 0);
    CHECK(r.state == RUN_DONE && done_calls == 1);
    CHECK(r.result.reason == REASON_WALL_TIME_LIMIT);
    run_free(&r);
}

TEST(cancel_after_the_deadline_kills_once_and_still_says_timeout)
{
    struct run r = active();
    run_event(&r, EV_DEADLINE);
    run_event(&r, EV_CANCEL);
    CHECK(r.kills == 1);
    CHECK(r.result.reason == REASON_WALL_TIME_LIMIT);
    run_free(&r);
}

TEST(the_deadline_after_a_cancel_still_says_cancelled)
{
    struct run r = active();
    run_event(&r, EV_CANCEL);
    run_event(&r, EV_DEADLINE);
    CHECK(r.kills == 1 && r.result.reason == REASON_CANCELLED);
    run_free(&r);
}

TEST(a_finished_run_refuses_every_event)
{
    struct run r = active();
    CHECK(run_event(&r, EV_RESULT) == 0 && r.state == RUN_DONE);
    for (int ev = 0; ev < RUN_EVENTS; ev++)
        CHECK(run_event(&r, (enum run_event)ev) < 0);
    CHECK(r.state == RUN_DONE && done_calls == 1);
    run_free(&r);
}

TEST(every_state_but_done_can_be_cancelled)
{
    struct run r = queued();
    CHECK(run_cancel(&r) == 0 && r.state == RUN_DONE);
    CHECK(r.result.reason == REASON_CANCELLED);
    run_free(&r);
    r = queued();
    run_event(&r, EV_ASSIGNED);
    CHECK(run_cancel(&r) == 0 && r.state == RUN_DONE && r.kills == 0);
    run_free(&r);
    r = active();
    CHECK(run_cancel(&r) == 0 && r.state == RUN_KILLING && r.kills == 1);
    run_free(&r);
}

TEST(how_the_worker_died_is_the_reason)
{
    static const struct { int status; enum reason reason; } ways[] = {
        { SIGSYS,  REASON_SYSCALL_DENIED },
        { SIGKILL, REASON_LOST },
        { SIGSEGV, REASON_CRASHED },
        { 3 << 8,  REASON_CRASHED },
        { 0,       REASON_CRASHED },
    };
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct run r = active();
        r.exit_status = ways[i].status;
        CHECK(run_event(&r, EV_EXIT) == 0 && r.state == RUN_DONE);
        CHECK(r.result.reason == ways[i].reason && r.result.detail[0]);
        run_free(&r);
    }
}

TEST(a_worker_that_never_started_is_our_failure)
{
    struct run r = queued();
    run_event(&r, EV_ASSIGNED);
    r.exit_status = SIGSEGV;
    run_event(&r, EV_EXIT);
    CHECK(r.result.reason == REASON_INTERNAL);
    run_free(&r);
    r = queued();
    run_refuse(&r, "no worker");
    CHECK(r.state == RUN_DONE && r.result.reason == REASON_INTERNAL);
    run_free(&r);
}

TEST(a_broken_protocol_is_a_crash_and_a_kill)
{
    struct run r = active();
    CHECK(run_event(&r, EV_BROKEN) == 0);
    CHECK(r.state == RUN_KILLING && r.kills == 1);
    CHECK(r.result.reason == REASON_CRASHED);
    run_free(&r);
}

TEST(the_watchdog_is_armed_only_while_active)
{
    struct run r = queued();
    CHECK(run_deadline_ns(&r) == 0);
    run_free(&r);
    r = active();
    uint64_t deadline = run_deadline_ns(&r);
    CHECK(deadline >= r.started_ns + run_limits_default.wall_time_ms * NS_PER_MS);
    run_tick(&r, deadline - 1);
    CHECK(r.state == RUN_ACTIVE);
    run_tick(&r, deadline);
    CHECK(r.state == RUN_KILLING && run_deadline_ns(&r) == 0);
    CHECK(r.result.limit == LIMIT_wall_time_ms);
    run_free(&r);
}
