/* worker/meter.c -- one timer, two clocks, and the memory ceiling.
 * SPDX-License-Identifier: MIT */
#include "worker/meter.h"
#include "worker/sfi.h"
#include <signal.h>
#include <time.h>

#define NS_PER_MS 1000000u
enum { FLUSH_MS = 20 };           /* output waits no longer than this */
enum { HARD_AFTER_MS = 2 };       /* polite first, then by force ... */
enum { HARD_AFTER_FULL_MS = 40 }; /* ... with time to collect when memory is full */
/* So that an error can still be made when the ceiling was hit. */
enum { HEADROOM_PAGES = 32 };

static struct {
    struct run_limits limits;
    struct verdict   verdict;
    uint64_t wall_start, cpu_start;
    uint64_t force_at;            /* when polite is over; 0: not stopped */
    volatile uint64_t alarm_at;   /* when the timer fires; 0: it has */
    uint32_t ceiling_pages;
    volatile sig_atomic_t on, stop, flush;
} m;
static timer_t alarm_timer;

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void alarm_in(uint64_t ns)
{
    m.alarm_at = read_clock(CLOCK_MONOTONIC) + ns;
    struct itimerspec it = { .it_value = { (time_t)(ns / 1000000000u),
                                           (long)(ns % 1000000000u) } };
    timer_settime(alarm_timer, 0, &it, NULL);
}

uint64_t meter_wall_ns(void) { return read_clock(CLOCK_MONOTONIC) - m.wall_start; }
uint64_t meter_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID) - m.cpu_start;
}

static uint64_t left(uint64_t limit_ms, uint64_t used_ns)
{
    uint64_t limit = limit_ms * NS_PER_MS;
    return used_ns < limit ? limit - used_ns : 0;
}

uint64_t meter_wall_left_ns(void)
{
    return left(m.limits.wall_time_ms, meter_wall_ns());
}

/* CPU time never passes faster than wall time, so a precise wall timer set to
 * what is left of the CPU budget cannot come late; it may come early, and then
 * it is set again. */
static void set_alarm(uint64_t wall, uint64_t cpu)
{
    uint64_t next = FLUSH_MS * NS_PER_MS;
    uint64_t wall_left = left(m.limits.wall_time_ms, wall);
    uint64_t cpu_left = left(m.limits.cpu_time_ms, cpu);
    if (wall_left < next)
        next = wall_left;
    if (cpu_left < next)
        next = cpu_left;
    /* An alarm of the run before that comes in time is as good: it costs a
     * short run nothing, and looks at the clocks again when it comes. */
    uint64_t now = m.wall_start + wall;
    if (m.alarm_at <= now || m.alarm_at > now + next)
        alarm_in(next + 1);
}

static void on_alarm(int sig, siginfo_t *si, void *context)
{
    (void)sig, (void)si;
    m.alarm_at = 0;    /* first: a run that starts now must set its own */
    if (!m.on)
        return;
    m.flush = 1;
    uint64_t wall = meter_wall_ns(), cpu = meter_cpu_ns();
    if (m.force_at) {
        if (wall >= m.force_at)
            sfi_deadline(context);
        alarm_in(NS_PER_MS / 2);
        return;
    }
    if (left(m.limits.wall_time_ms, wall) == 0)
        meter_stop(REASON_WALL_TIME_LIMIT, LIMIT_wall_time_ms, wall / NS_PER_MS);
    else if (left(m.limits.cpu_time_ms, cpu) == 0)
        meter_stop(REASON_CPU_TIME_LIMIT, LIMIT_cpu_time_ms, cpu / NS_PER_MS);
    else
        set_alarm(wall, cpu);
}

static void force_in(uint64_t ms)
{
    m.force_at = meter_wall_ns() + ms * NS_PER_MS;
    alarm_in(ms * NS_PER_MS);
}

void meter_stop(enum reason reason, enum run_limit limit, uint64_t observed)
{
    if (m.verdict.reason)
        return;
    m.verdict = (struct verdict){ reason, limit, observed };
    m.stop = 1;
    force_in(reason == REASON_MEMORY_LIMIT ? HARD_AFTER_FULL_MS : HARD_AFTER_MS);
}

void meter_grace(unsigned ms)
{
    m.stop = 0;
    force_in(ms);
}

/* The guest asks for memory. At the ceiling the run is over, but what little
 * an error message needs is still granted. */
static uint32_t on_grow(uint32_t now, uint32_t wanted)
{
    if (!m.on)
        return wanted;
    uint32_t may = wanted;
    if (wanted > m.ceiling_pages) {
        meter_stop(REASON_MEMORY_LIMIT, LIMIT_memory_bytes,
                   (uint64_t)wanted * SFI_WASM_PAGE);
        may = wanted <= m.ceiling_pages + HEADROOM_PAGES ? wanted : now;
    }
    return may;
}

int meter_init(struct err *e)
{
    struct sigaction sa = { .sa_sigaction = on_alarm,
                            .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER |
                                        SA_RESTART };
    if (sigaction(SIGALRM, &sa, NULL) < 0)
        return err_sys(e, "meter: sigaction");
    struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
    if (timer_create(CLOCK_MONOTONIC, &ev, &alarm_timer) < 0)
        return err_sys(e, "meter: timer_create");
    m.alarm_at = 0;    /* of another timer, if this process was forked */
    sfi_on_grow = on_grow;
    return 0;
}

void meter_start(const struct run_limits *limits)
{
    m.limits = *limits;
    m.verdict = (struct verdict){ .limit = LIMIT_NONE };
    m.wall_start = read_clock(CLOCK_MONOTONIC);
    m.cpu_start = read_clock(CLOCK_THREAD_CPUTIME_ID);
    m.force_at = 0;
    m.stop = m.flush = 0;
    m.ceiling_pages = (uint32_t)(limits->memory_bytes / SFI_WASM_PAGE);
    m.on = 1;
    set_alarm(0, 0);
}

void meter_end(void)
{
    m.on = 0;    /* the alarm may still come, and then finds nothing to do */
}

struct verdict meter_verdict(void) { return m.verdict; }
int            meter_poll(void)    { return m.stop; }

int meter_flush_due(void)
{
    int due = m.flush;
    m.flush = 0;
    return due;
}
