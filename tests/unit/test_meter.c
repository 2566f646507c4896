/* tests/unit/test_meter.c -- the first cause stays, and clocks fire.
 * SPDX-License-Identifier: MIT */
#include "worker/meter.h"
#include "worker/sfi.h"
#include "tests/test.h"
#include <time.h>

static struct run_limits limits(uint64_t wall_ms, uint64_t cpu_ms)
{
    struct run_limits l = run_limits_default;
    l.wall_time_ms = wall_ms;
    l.cpu_time_ms = cpu_ms;
    return l;
}

static void begin(uint64_t wall_ms, uint64_t cpu_ms)
{
    struct run_limits l = limits(wall_ms, cpu_ms);
    CHECK(sfi_init(NULL) == 0 && meter_init(NULL) == 0);
    meter_start(&l);
}

TEST(a_new_run_has_no_verdict)
{
    begin(1000, 1000);
    CHECK_INT(meter_verdict().reason, 0);
    CHECK_INT(meter_verdict().limit, LIMIT_NONE);
    CHECK(!meter_poll());
    meter_end();
}

TEST(the_first_verdict_stays)
{
    begin(1000, 1000);
    meter_stop(REASON_OUTPUT_LIMIT, LIMIT_output_bytes, 7);
    meter_stop(REASON_MEMORY_LIMIT, LIMIT_memory_bytes, 8);
    struct verdict v = meter_verdict();
    CHECK_INT(v.reason, REASON_OUTPUT_LIMIT);
    CHECK_INT(v.limit, LIMIT_output_bytes);
    CHECK_INT(v.observed, 7);
    CHECK(meter_poll());
    meter_end();
}

TEST(a_verdict_does_not_reach_the_next_run)
{
    begin(1000, 1000);
    meter_stop(REASON_OUTPUT_LIMIT, LIMIT_output_bytes, 7);
    meter_end();
    struct run_limits l = limits(1000, 1000);
    meter_start(&l);
    CHECK_INT(meter_verdict().reason, 0);
    CHECK(!meter_poll());
    meter_end();
}

TEST(grace_lets_the_guest_run_and_keeps_the_verdict)
{
    begin(1000, 1000);
    meter_stop(REASON_CPU_TIME_LIMIT, LIMIT_cpu_time_ms, 1000);
    meter_grace(20);
    CHECK(!meter_poll());
    CHECK_INT(meter_verdict().reason, REASON_CPU_TIME_LIMIT);
    meter_end();
}

static void burn_until_stopped(void)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (!meter_poll() && now.tv_sec - from.tv_sec < 5);
}

TEST(the_cpu_clock_stops_who_computes)
{
    begin(10000, 40);
    burn_until_stopped();
    CHECK_INT(meter_verdict().reason, REASON_CPU_TIME_LIMIT);
    CHECK_INT(meter_verdict().limit, LIMIT_cpu_time_ms);
    CHECK(meter_verdict().observed >= 40);
    meter_end();
}

TEST(the_wall_clock_stops_who_waits)
{
    begin(40, 10000);
    while (!meter_poll())
        usleep(5000);
    CHECK_INT(meter_verdict().reason, REASON_WALL_TIME_LIMIT);
    CHECK(meter_wall_ns() >= 40000000);
    CHECK_INT(meter_wall_left_ns(), 0);
    meter_end();
}

TEST(waiting_costs_no_cpu_time)
{
    begin(10000, 50);
    struct timespec rest = { 0, 150000000 };
    while (nanosleep(&rest, &rest) < 0)
        ;
    CHECK_INT(meter_verdict().reason, 0);
    CHECK(meter_cpu_ns() < 50000000);
    meter_end();
}

TEST(after_the_end_nothing_fires)
{
    begin(20, 20);
    meter_end();
    struct timespec rest = { 0, 60000000 };
    while (nanosleep(&rest, &rest) < 0)
        ;
    CHECK_INT(meter_verdict().reason, 0);
}

TEST(memory_past_the_ceiling_is_refused_and_remembered)
{
    struct run_limits l = run_limits_default;
    l.memory_bytes = 4 * MIB;    /* 64 pages */
    CHECK(sfi_init(NULL) == 0 && meter_init(NULL) == 0);
    meter_start(&l);
    CHECK_INT(sfi_on_grow(10, 64), 64);
    CHECK_INT(meter_verdict().reason, 0);
    CHECK_INT(sfi_on_grow(64, 65), 65);    /* for the error message */
    CHECK_INT(meter_verdict().reason, REASON_MEMORY_LIMIT);
    CHECK_INT(sfi_on_grow(65, 60000), 65);
    CHECK_INT(sfi_on_grow(65, 64 + 33), 65);
    meter_end();
}

TEST(output_is_flushed_now_and_then)
{
    begin(1000, 1000);
    usleep(45000);
    CHECK(meter_flush_due());
    CHECK(!meter_flush_due());
    meter_end();
}

/* A pending alarm of an earlier run may serve the next, but only if it is
 * really pending: a forked process has none of its parent's timers. */
TEST(an_alarm_that_will_not_come_is_not_relied_on)
{
    begin(1000, 1000);
    meter_end();
    pid_t pid = fork();
    if (pid == 0) {
        struct run_limits l = limits(50, 1000);
        CHECK(meter_init(NULL) == 0);
        meter_start(&l);
        struct timespec from, now;
        clock_gettime(CLOCK_MONOTONIC, &from);
        do
            clock_gettime(CLOCK_MONOTONIC, &now);
        while (!meter_poll() && now.tv_sec - from.tv_sec < 5);
        _exit(meter_verdict().reason == REASON_WALL_TIME_LIMIT ? 0 : 1);
    }
    int st = -1;
    CHECK(waitpid(pid, &st, 0) == pid);
    CHECK_INT(st, 0);
}
