/* tests/unit/test_moment.c -- the clock and the randomness of a run.
 * SPDX-License-Identifier: MIT */
#include "worker/moment.h"
#include "tests/test.h"

static void begin(uint32_t flags, uint64_t seed, uint64_t clock_ns)
{
    struct msg_run run = { .flags = flags, .seed = seed, .clock_ns = clock_ns };
    moment_start(&run);
}

TEST(one_seed_gives_one_sequence)
{
    unsigned char a[1000], b[1000];
    begin(RUN_SEEDED, 42, 0);
    CHECK(moment_random(a, sizeof a) == 0);
    begin(RUN_SEEDED, 42, 0);
    CHECK(moment_random(b, sizeof b) == 0);
    CHECK(memcmp(a, b, sizeof a) == 0);
    begin(RUN_SEEDED, 43, 0);
    CHECK(moment_random(b, sizeof b) == 0);
    CHECK(memcmp(a, b, sizeof a) != 0);
}

TEST(a_seed_of_zero_is_a_seed)
{
    uint64_t v[4] = { 0 }, none[4] = { 0 };
    begin(RUN_SEEDED, 0, 0);
    CHECK(moment_random(v, sizeof v) == 0);
    CHECK(memcmp(v, none, sizeof v) != 0 && v[0] != v[1]);
}

TEST(odd_lengths_stay_in_bounds)
{
    for (size_t n = 0; n < 100; n++) {
        unsigned char at[128];
        memset(at, 0xee, sizeof at);
        begin(RUN_SEEDED, n, 0);
        CHECK(moment_random(at, n) == 0);
        for (size_t i = n; i < sizeof at; i++)
            CHECK(at[i] == 0xee);
        begin(0, 0, 0);
        CHECK(moment_random(at, n) == 0);
        for (size_t i = n; i < sizeof at; i++)
            CHECK(at[i] == 0xee);
    }
}

/* Kernel randomness comes in a pool that runs share: no byte goes out twice. */
TEST(no_two_runs_get_the_same_bytes)
{
    enum { RUNS = 400 };
    static uint64_t got[RUNS];
    for (int i = 0; i < RUNS; i++) {
        if (i % 3 == 1) {    /* a seeded run between must not disturb it */
            uint64_t other;
            begin(RUN_SEEDED, 7, 0);
            CHECK(moment_random(&other, sizeof other) == 0);
        }
        begin(0, 0, 0);
        CHECK(moment_random(&got[i], sizeof got[i]) == 0);
        for (int k = 0; k < i; k++)
            CHECK(got[k] != got[i]);
    }
}

TEST(an_unseeded_run_ignores_the_seed)
{
    uint64_t a[4], b[4];
    begin(0, 42, 0);
    CHECK(moment_random(a, sizeof a) == 0);
    begin(0, 42, 0);
    CHECK(moment_random(b, sizeof b) == 0);
    CHECK(memcmp(a, b, sizeof a) != 0);
}

TEST(a_clock_of_its_own_moves_only_when_read)
{
    begin(RUN_CLOCKED, 0, 1000000000000);
    CHECK(moment_is_own());
    uint64_t a = moment_realtime_ns(), b = moment_realtime_ns();
    CHECK_INT(a, 1000000001000);
    CHECK_INT(b - a, 1000);
    usleep(2000);
    CHECK_INT(moment_realtime_ns() - b, 1000);
    moment_skip_ns(5000000);
    CHECK_INT(moment_realtime_ns() - b, 5002000);
}

TEST(monotonic_time_begins_at_zero)
{
    begin(RUN_CLOCKED, 0, 1000000000000);
    CHECK_INT(moment_monotonic_ns(), 1000);
    begin(0, 0, 0);
    CHECK(!moment_is_own());
    CHECK(moment_monotonic_ns() < 1000000000);
}

TEST(the_host_clock_comes_in_coarse_steps)
{
    begin(0, 0, 0);
    for (int i = 0; i < 1000; i++) {
        CHECK_INT(moment_realtime_ns() % 5000, 0);
        CHECK_INT(moment_monotonic_ns() % 5000, 0);
    }
}

TEST(clocks_never_run_backwards)
{
    begin(0, 0, 0);
    uint64_t last = 0;
    for (int i = 0; i < 10000; i++) {
        uint64_t t = moment_monotonic_ns();
        CHECK(t >= last);
        last = t;
    }
}
