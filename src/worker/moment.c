/* worker/moment.c -- clock and randomness of a run.  SPDX-License-Identifier: MIT */
#include "worker/moment.h"
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define STEP_NS     5000u
#define OWN_STEP_NS 1000u

static struct {
    int      own_clock, own_random;
    uint64_t own_now, own_start;
    uint64_t start;               /* CLOCK_MONOTONIC at the beginning */
    uint64_t state[4];            /* of the seeded generator */
    unsigned char pool[256];      /* kernel randomness, used once each */
    size_t   pool_left;
} now;

static uint64_t clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    uint64_t ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    return ns - ns % STEP_NS;
}

static uint64_t own_clock(void)
{
    return now.own_now += OWN_STEP_NS;
}

uint64_t moment_realtime_ns(void)
{
    return now.own_clock ? own_clock() : clock_ns(CLOCK_REALTIME);
}

uint64_t moment_monotonic_ns(void)
{
    return now.own_clock ? own_clock() - now.own_start
                         : clock_ns(CLOCK_MONOTONIC) - now.start;
}

int moment_is_own(void) { return now.own_clock; }
void moment_skip_ns(uint64_t ns) { now.own_now += ns; }

/* splitmix64: spreads one seed over the generator's state. */
static uint64_t spread(uint64_t *x)
{
    uint64_t z = (*x += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }

/* xoshiro256**: repeatable, fast, and not for secrets; nor is a seeded run. */
static uint64_t seeded(void)
{
    uint64_t *s = now.state, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

static int kernel(void *to, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = getrandom((char *)to + done, len - done, 0);
        if (n < 0 && errno != EINTR)
            return -errno;
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* A system call a run would be too dear: take from a pool, and wipe. */
static int pooled(void *to, size_t len)
{
    if (len > now.pool_left) {
        int r = kernel(now.pool, sizeof now.pool);
        if (r < 0)
            return r;
        now.pool_left = sizeof now.pool;
    }
    now.pool_left -= len;
    memcpy(to, now.pool + now.pool_left, len);
    memset(now.pool + now.pool_left, 0, len);
    return 0;
}

int moment_random(void *to, size_t len)
{
    if (!now.own_random)
        return len <= 64 ? pooled(to, len) : kernel(to, len);
    for (size_t i = 0; i < len; i += 8) {
        uint64_t v = seeded();
        memcpy((char *)to + i, &v, len - i < 8 ? len - i : 8);
    }
    return 0;
}

void moment_start(const struct msg_run *run)
{
    now.own_clock = (run->flags & RUN_CLOCKED) != 0;
    now.own_random = (run->flags & RUN_SEEDED) != 0;
    now.own_now = now.own_start = run->clock_ns;
    now.start = now.own_clock ? 0 : clock_ns(CLOCK_MONOTONIC);
    if (now.own_random) {
        uint64_t x = run->seed;
        for (int i = 0; i < 4; i++)
            now.state[i] = spread(&x);
    }
}
