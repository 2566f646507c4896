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

TEST(a_stop_keeps_the_ending_that_was_written)
{
    struct run r = active();
    result_end(&r.result, REASON_OUTPUT_LIMIT, NULL);
    CHECK(run_event(&r, EV_STOP) == 0);
    CHECK(r.state == RUN_KILLING && r.kills == 1);
    CHECK(run_event(&r, EV_STOP) == 0 && run_event(&r, EV_DEADLINE) == 0);
    CHECK(run_event(&r, EV_EXIT) == 0 && r.state == RUN_DONE);
    CHECK(r.kills == 1 && r.result.reason == REASON_OUTPUT_LIMIT);
    run_free(&r);
}

/* ---- endings of node and python, from evidence ------------------------------- */

static struct run_result claimed(enum reason reason, const char *error)
{
    struct run_result r;
    result_init(&r, &run_limits_default);
    r.engine = ENGINE_NODE;
    struct msg_result m = { .reason = (uint8_t)reason, .limit = LIMIT_NONE,
                            .error_message = str_of(error) };
    if (reason == REASON_COMPLETED)
        m.value = STR("1");
    if (reason != REASON_END)
        CHECK(result_take_guest(&r, &m, NULL) == 0);
    return r;
}

TEST(what_we_saw_counts_more_than_what_the_guest_says)
{
    enum { EXIT_1 = 1 << 8, EXIT_7 = 7 << 8 };
    const enum reason NONE = REASON_END;
    const uint64_t all = run_limits_default.memory_bytes;
    const struct {
        enum reason says;
        const char *error;
        struct evidence ev;
        enum reason is;
        enum run_limit limit;
        int code;
    } cases[] = {
        { NONE, NULL, { .status = 0 }, REASON_COMPLETED, LIMIT_NONE, 0 },
        { NONE, NULL, { .status = EXIT_7 }, REASON_NONZERO_EXIT, LIMIT_NONE, 7 },
        { REASON_COMPLETED, NULL, { .status = 0 }, REASON_COMPLETED, LIMIT_NONE, 0 },
        { REASON_COMPLETED, NULL, { .status = EXIT_7 }, REASON_NONZERO_EXIT,
          LIMIT_NONE, 7 },
        { REASON_COMPLETED, NULL, { .status = SIGSEGV }, REASON_CRASHED, LIMIT_NONE,
          139 },
        { REASON_EXCEPTION, "x", { .status = EXIT_1 }, REASON_EXCEPTION, LIMIT_NONE, 1 },
        { REASON_EXCEPTION, "x", { .status = 0 }, REASON_EXCEPTION, LIMIT_NONE, 1 },
        { NONE, NULL, { .status = SIGSYS }, REASON_SYSCALL_DENIED, LIMIT_NONE, 126 },
        { NONE, NULL, { .status = SIGXFSZ }, REASON_DISK_LIMIT, LIMIT_file_bytes, 153 },
        { NONE, NULL, { .status = SIGXCPU }, REASON_CPU_TIME_LIMIT, LIMIT_cpu_time_ms,
          124 },
        { NONE, NULL, { .status = SIGKILL, .out_of_memory = 1 }, REASON_MEMORY_LIMIT,
          LIMIT_memory_bytes, 137 },
        { NONE, NULL, { .status = SIGKILL }, REASON_CRASHED, LIMIT_NONE, 137 },
        { NONE, NULL, { .status = SIGABRT, .memory_peak_bytes = all - 1 },
          REASON_MEMORY_LIMIT, LIMIT_memory_bytes, 137 },
        { NONE, NULL, { .status = SIGABRT, .memory_peak_bytes = all / 2 },
          REASON_CRASHED, LIMIT_NONE, 134 },
        { REASON_EXCEPTION, "MemoryError", { .status = EXIT_1,
          .memory_peak_bytes = all }, REASON_MEMORY_LIMIT, LIMIT_memory_bytes, 137 },
        { REASON_EXCEPTION, "MemoryError", { .status = EXIT_1 }, REASON_EXCEPTION,
          LIMIT_NONE, 1 },
        { REASON_COMPLETED, NULL, { .status = 0, .out_of_memory = 1,
          .out_of_processes = 1, .disk_full = 1 }, REASON_COMPLETED, LIMIT_NONE, 0 },
        { REASON_EXCEPTION, "x", { .status = EXIT_1, .out_of_processes = 1 },
          REASON_PROCESS_LIMIT, LIMIT_processes, 1 },
        { REASON_EXCEPTION, "spawn sh EAGAIN", { .status = EXIT_1 },
          REASON_PROCESS_LIMIT, LIMIT_processes, 1 },
        { REASON_EXCEPTION, "x", { .status = EXIT_1, .disk_full = 1 },
          REASON_DISK_LIMIT, LIMIT_disk_bytes, 1 },
        { REASON_EXCEPTION, "ENOSPC", { .status = EXIT_1, .files_full = 1 },
          REASON_DISK_LIMIT, LIMIT_files, 1 },
        { REASON_EXCEPTION, "EFBIG: file too large", { .status = EXIT_1 },
          REASON_DISK_LIMIT, LIMIT_file_bytes, 1 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct run_result r = claimed(cases[i].says, cases[i].error);
        struct evidence ev = cases[i].ev;
        ev.reaped = 1;
        ev.has_result = cases[i].says != NONE;
        ending_decide(&r, &ev);
        ending_close(&r, &ev);
        if (r.reason != cases[i].is || r.limit != cases[i].limit)
            printf("# case %zu: %s, limit %d\n", i, reason_text(r.reason), r.limit);
        CHECK(r.reason == cases[i].is && r.limit == cases[i].limit);
        CHECK_INT(result_exit_code(&r), cases[i].code);
        CHECK(result_ok(&r) || !r.value.len);
        result_free(&r);
    }
}

TEST(a_run_whose_zygote_is_gone_is_lost)
{
    struct run_result r = claimed(REASON_COMPLETED, NULL);
    struct evidence ev = { .has_result = 1, .words = "the zygote died of SIGKILL" };
    ending_decide(&r, &ev);
    ending_close(&r, &ev);
    CHECK(r.reason == REASON_LOST && !r.value.len);
    CHECK_TEXT(r.detail, "the zygote died of SIGKILL");
    result_free(&r);
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
