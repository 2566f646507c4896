/* tests/unit/test_watch.c -- env/watch.h, on processes of our own.
 * SPDX-License-Identifier: MIT */
#include "env/watch.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

enum { MUCH = 24 << 20 };

/* A process that does something, says so, and waits to be killed. */
static pid_t start(void (*work)(void))
{
    int p[2];
    char c;
    CHECK(pipe2(p, O_CLOEXEC) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        work();
        (void)!write(p[1], "x", 1);
        for (;;)
            pause();
    }
    close(p[1]);
    CHECK(read(p[0], &c, 1) == 1);
    close(p[0]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void nothing(void)
{
}

static void hold_memory(void)
{
    char *at = mmap(NULL, MUCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0);
    memset(at, 1, MUCH);
}

static void have_children(void)
{
    for (int i = 0; i < 3; i++)
        start(i == 2 ? hold_memory : nothing);
}

/* Until its processor time can be seen: ticks are coarse. */
static void compute(void)
{
    clock_t until = clock() + CLOCKS_PER_SEC / 20;
    while (clock() < until)
        ;
}

TEST(a_process_is_known_by_its_pidfd)
{
    pid_t pid = start(nothing);
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    CHECK_INT(watch_pid_of(pidfd), pid);
    end(pid);
    CHECK_INT(watch_pid_of(pidfd), 0);
    CHECK(watch_pid_of(0) < 0 && watch_pid_of(-1) < 0);
    close(pidfd);
}

TEST(memory_is_that_of_the_whole_tree)
{
    struct watch w;
    pid_t pid = start(have_children);
    watch_init(&w, 0, pid);
    CHECK(watch_sample(&w, 0) == 0);
    CHECK(w.memory_bytes >= MUCH && w.memory_bytes < 2 * MUCH);
    CHECK_INT(w.threads, 4);
    CHECK(w.memory_peak_bytes == w.memory_bytes);
    watch_free(&w);
    end(pid);
}

TEST(shared_pages_are_looked_at_closely_only_when_there_are_many)
{
    struct watch w;
    pid_t pid = start(nothing);
    watch_init(&w, 0, pid);
    CHECK(watch_sample(&w, 1ull << 40) == 0);
    uint64_t resident = w.memory_bytes;
    CHECK(resident > 0 && w.memory_peak_bytes == 0);
    CHECK(watch_sample(&w, 0) == 0);
    CHECK(w.memory_bytes < resident && w.memory_peak_bytes > 0);
    watch_free(&w);
    end(pid);
}

TEST(processor_time_of_who_is_gone_stays_counted)
{
    struct watch w;
    pid_t pid = start(compute);
    watch_init(&w, 0, pid);
    CHECK(watch_sample(&w, 1ull << 40) == 0);
    uint64_t used = w.cpu_ns;
    CHECK(used > 0);
    end(pid);
    CHECK_INT(watch_sample(&w, 0), -ESRCH);
    CHECK(w.cpu_ns == used && w.threads == 0 && w.threads_peak == 1);
    watch_free(&w);
}

TEST(orphans_are_found_below_pid_1)
{
    struct watch w;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    pid_t pid = start(have_children);
    end(pid);    /* its children are ours now, as those of a run are pid 1's */
    watch_init(&w, getpid(), 0);
    CHECK(watch_sample(&w, 0) == 0);
    CHECK_INT(w.threads, 3);
    CHECK(w.memory_bytes >= MUCH);    /* and ours is not counted */
    watch_free(&w);    /* they end with our process group */
}
