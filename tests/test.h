/*
 * tests/test.h -- TEST(name) { ... } registers itself; main prints TAP.
 *
 *   prog [substring]   only the tests whose name holds it
 *   TEST_NOFORK=1      all in one process, for a debugger; CHECK aborts there
 *   GB_MUST_WORK=1     a SKIP is a failure (CI: nothing may be missing)
 *
 * Each test runs in its own process and process group: a crash, a hang or a
 * stray child fails one test, not the file.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEST_SECONDS = 20, TEST_SKIPPED = 77 };

struct test { const char *name; void (*fn)(void); struct test *next; };
static struct test *tests, **tests_end = &tests;

static struct {
    int     nofork;
    jmp_buf skipped;      /* where SKIP goes without a process to leave */
    char   *reason;       /* shared with the test's process */
} test_run;

enum { TEST_REASON_BYTES = 256 };

#define TEST(id)                                                          \
    static void id(void);                                                 \
    __attribute__((constructor)) static void add_##id(void)               \
    {                                                                     \
        static struct test t = { #id, id, NULL };                         \
        *tests_end = &t;                                                  \
        tests_end = &t.next;                                              \
    }                                                                     \
    static void id(void)

#define TEST_FAIL(...) do {                                               \
    printf("# %s:%d: ", __FILE__, __LINE__);                              \
    printf(__VA_ARGS__);                                                  \
    printf("\n");                                                         \
    fflush(stdout);                                                       \
    if (test_run.nofork)                                                  \
        abort();                                                          \
    _exit(1);                                                             \
} while (0)

#define CHECK(cond) do {                                                  \
    if (!(cond))                                                          \
        TEST_FAIL("%s", #cond);                                           \
} while (0)

/* These also show what they got. */
#define CHECK_INT(got, want) do {                                         \
    long long got_ = (long long)(got), want_ = (long long)(want);         \
    if (got_ != want_)                                                    \
        TEST_FAIL("%s is %lld, not %lld", #got, got_, want_);             \
} while (0)

#define CHECK_TEXT(got, want) do {                                        \
    const char *got_ = (got), *want_ = (want);                            \
    if (strcmp(got_, want_) != 0)                                         \
        TEST_FAIL("%s is \"%s\", not \"%s\"", #got, got_, want_);         \
} while (0)

/* This host cannot do it: leave the test, and say why. */
#define SKIP(why) do {                                                    \
    snprintf(test_run.reason, TEST_REASON_BYTES, "%s", (why));            \
    if (test_run.nofork)                                                  \
        longjmp(test_run.skipped, 1);                                     \
    _exit(TEST_SKIPPED);                                                  \
} while (0)

/* Returns what waitpid() would say of the test's process. */
static int test_start(const struct test *t)
{
    if (test_run.nofork) {
        if (setjmp(test_run.skipped))
            return TEST_SKIPPED << 8;
        t->fn();
        return 0;
    }
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        alarm(TEST_SECONDS);
        t->fn();
        exit(0);    /* not _exit(): the leak checker runs at exit */
    }
    int st = 1 << 8;
    if (pid > 0)
        waitpid(pid, &st, 0);
    if (pid > 0)
        kill(-pid, SIGKILL);    /* what the test left behind */
    return st;
}

/* Prints the test's line; returns 1 if it failed. */
static int test_report(const struct test *t, int n, int st)
{
    int skipped = WIFEXITED(st) && WEXITSTATUS(st) == TEST_SKIPPED;
    const char *must = getenv("GB_MUST_WORK");
    int failed = st != 0 && !(skipped && !(must && !strcmp(must, "1")));

    if (WIFSIGNALED(st) && WTERMSIG(st) == SIGALRM)
        printf("# not done after %d s\n", TEST_SECONDS);
    else if (WIFSIGNALED(st))
        printf("# died of signal %d (%s)\n", WTERMSIG(st),
               strsignal(WTERMSIG(st)));
    if (skipped && failed)
        printf("# skipped although GB_MUST_WORK=1: %s\n", test_run.reason);

    printf("%s %d - %s", failed ? "not ok" : "ok", n, t->name);
    if (skipped && !failed)
        printf(" # SKIP %s", test_run.reason);
    printf("\n");
    return failed;
}

int main(int argc, char **argv)
{
    const char *nofork = getenv("TEST_NOFORK");
    int n = 0, failed = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    test_run.nofork = nofork && !strcmp(nofork, "1");
    test_run.reason = mmap(NULL, TEST_REASON_BYTES, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (test_run.reason == MAP_FAILED)
        return 2;
    for (struct test *t = tests; t; t = t->next) {
        if (argc > 1 && !strstr(t->name, argv[1]))
            continue;
        int st = test_start(t);
        failed += test_report(t, ++n, st);
    }
    printf("1..%d\n", n);
    return failed != 0;
}
