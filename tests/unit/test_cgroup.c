/*
 * tests/unit/test_cgroup.c -- a group bounds what is in it, says so, and goes
 * away.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "jail/cgroup.h"
#include "jail/cgroup_find.h"
#include "tests/test.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>

static struct cgroups *open_or_skip(void)
{
    struct err e = { 0 };
    struct cgroups *c = NULL;
    if (cgroups_open(&c, &e) < 0) {
        printf("# %s\n", e.msg);
        SKIP("no cgroups to be had");
    }
    return c;
}

static struct cgroup *make(struct cgroups *c, uint64_t memory, uint64_t pids)
{
    struct cgroup_limits limits = { memory, pids };
    struct cgroup *g = NULL;
    struct err e = { 0 };
    if (cgroup_make(c, &limits, &g, &e) < 0)
        TEST_FAIL("%s", e.msg);
    return g;
}

/* As a run does: join by descriptors that the supervisor opened. */
static pid_t start_inside(const struct cgroup *g, void (*work)(void))
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    int fds[CGROUP_PROCS_MAX];
    unsigned n = cgroup_procs(g, fds);
    for (unsigned i = 0; i < n; i++)
        if (write(fds[i], "0", 1) != 1)
            _exit(99);
    work();
    _exit(0);
}

static int run_inside(const struct cgroup *g, void (*work)(void))
{
    int status;
    pid_t pid = start_inside(g, work);
    CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}

static void do_nothing(void) {}

static void touch(size_t bytes)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        _exit(98);
    for (size_t i = 0; i < bytes; i += 4096)
        p[i] = 1;
}

static void use_8mb(void)   { touch(8 << 20); }
static void use_256mb(void) { touch(256 << 20); }

static void fork_eight(void)
{
    int refused = 0;
    for (int i = 0; i < 8; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            pause();
            _exit(0);
        }
        refused += pid < 0;
    }
    kill(0, SIGKILL);    /* its own group of processes, below */
    _exit(refused);
}

static void fork_eight_apart(void)
{
    setpgid(0, 0);
    fork_eight();
}

static int ready[2];    /* a pipe: both sleepers are inside */

static void sleep_for_ever(void)
{
    if (fork() == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (write(ready[1], "", 1) != 1)
        _exit(97);
    for (;;)
        pause();
}

static pid_t start_sleepers(const struct cgroup *g)
{
    char byte;
    CHECK(pipe(ready) == 0);
    pid_t pid = start_inside(g, sleep_for_ever);
    CHECK(read(ready[0], &byte, 1) == 1 && read(ready[0], &byte, 1) == 1);
    return pid;
}

/* Where groups are made: beside the one that a supervisor steps into. */
static int find(const char *tree, char path[CGROUP_PATH])
{
    int r = cgroup_find(tree, path, NULL);
    char *last = r == 0 ? strrchr(path, '/') : NULL;
    if (last && strncmp(last, "/glovebox-", 10) == 0)
        *last = 0;
    return r;
}

/* Our groups that are still there, in all trees. */
static int groups_left(void)
{
    static const char *const trees[] = { NULL, "memory", "pids", "cpuacct" };
    char path[CGROUP_PATH], own[32];
    int left = 0;
    snprintf(own, sizeof own, "glovebox-%d-", (int)getpid());
    for (size_t i = 0; i < COUNT(trees); i++) {
        DIR *d = find(trees[i], path) == 0 ? opendir(path) : NULL;
        for (const struct dirent *de; d && (de = readdir(d)); )
            left += strncmp(de->d_name, own, strlen(own)) == 0;
        if (d)
            closedir(d);
    }
    return left;
}

TEST(a_group_is_made_joined_and_taken_away)
{
    struct cgroups *c = open_or_skip();
    CHECK(strcmp(cgroups_kind(c), "v1") == 0 ||
          strcmp(cgroups_kind(c), "v2") == 0);
    int before = groups_left();
    struct cgroup *g = make(c, 64 * MIB, 8);
    CHECK(groups_left() > before);
    CHECK_INT(run_inside(g, do_nothing), 0);
    CHECK_INT(cgroup_free(g), 0);
    CHECK_INT(groups_left(), before);
    cgroups_free(c);
    CHECK_INT(groups_left(), 0);
}

TEST(memory_within_the_limit_is_counted)
{
    struct cgroups *c = open_or_skip();
    struct cgroup *g = make(c, 64 * MIB, 8);
    CHECK_INT(run_inside(g, use_8mb), 0);
    struct cgroup_usage u;
    cgroup_usage(g, &u);
    CHECK(u.memory_peak_bytes >= 8 * MIB && u.memory_peak_bytes <= 64 * MIB);
    CHECK(!u.out_of_memory && !u.out_of_processes);
    CHECK_INT(cgroup_free(g), 0);
    cgroups_free(c);
}

TEST(memory_past_the_limit_kills_and_is_said)
{
    struct cgroups *c = open_or_skip();
    struct cgroup *g = make(c, 32 * MIB, 8);
    int status = run_inside(g, use_256mb);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    struct cgroup_usage u;
    cgroup_usage(g, &u);
    CHECK(u.out_of_memory && !u.out_of_processes);
    CHECK(u.memory_peak_bytes > 16 * MIB && u.memory_peak_bytes <= 33 * MIB);
    CHECK_INT(cgroup_free(g), 0);
    cgroups_free(c);
}

TEST(a_fork_too_many_is_refused_and_said)
{
    struct cgroups *c = open_or_skip();
    struct cgroup *g = make(c, 64 * MIB, 4);
    int status = run_inside(g, fork_eight_apart);
    CHECK(WIFSIGNALED(status));
    struct cgroup_usage u;
    cgroup_usage(g, &u);
    CHECK(u.out_of_processes && !u.out_of_memory);
    CHECK_INT(cgroup_free(g), 0);
    cgroups_free(c);
}

/* Joined by nobody else: a group does not bound its neighbour. */
TEST(groups_are_apart)
{
    struct cgroups *c = open_or_skip();
    struct cgroup *small = make(c, 16 * MIB, 4), *big = make(c, 512 * MIB, 4);
    CHECK_INT(run_inside(big, use_256mb), 0);
    CHECK(WIFSIGNALED(run_inside(small, use_256mb)));
    struct cgroup_usage u;
    cgroup_usage(big, &u);
    CHECK(!u.out_of_memory && u.memory_peak_bytes >= 256 * MIB);
    CHECK_INT(cgroup_free(small), 0);
    CHECK_INT(cgroup_free(big), 0);
    cgroups_free(c);
}

TEST(all_inside_can_be_killed)
{
    struct cgroups *c = open_or_skip();
    struct cgroup *g = make(c, 64 * MIB, 8);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    int status;
    pid_t pid = start_sleepers(g);
    cgroup_kill(g);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    while (waitpid(-1, &status, 0) > 0)
        CHECK(WIFSIGNALED(status));
    CHECK_INT(cgroup_free(g), 0);
    cgroups_free(c);
}

TEST(a_group_with_a_process_is_left_and_said)
{
    struct cgroups *c = open_or_skip();
    struct cgroup *g = make(c, 64 * MIB, 8);
    pid_t pid = start_sleepers(g);
    CHECK_INT(cgroup_free(g), -EBUSY);
    kill(pid, SIGKILL);    /* the other one ends with this test */
    waitpid(pid, NULL, 0);
    cgroups_free(c);
}

/* A supervisor that died without a word leaves groups behind. */
TEST(leftovers_of_the_dead_are_swept)
{
    struct cgroups *c = open_or_skip();
    int status, left = 0;
    char path[CGROUP_PATH], name[CGROUP_PATH + 64];
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct cgroups *theirs = NULL;
        if (cgroups_open(&theirs, NULL) < 0)
            _exit(1);
        make(theirs, 64 * MIB, 8);
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    const char *tree = strcmp(cgroups_kind(c), "v1") == 0 ? "pids" : NULL;
    cgroups_free(c);
    c = open_or_skip();
    CHECK(find(tree, path) == 0);
    for (int n = 0; n < 4; n++) {
        snprintf(name, sizeof name, "%s/glovebox-%d-%d", path, (int)pid, n);
        left += access(name, F_OK) == 0;
    }
    CHECK_INT(left, 0);
    cgroups_free(c);
}

TEST(who_has_none_is_told_why)
{
    if (geteuid() != 0)
        SKIP("needs root");
    CHECK(setgroups(0, NULL) == 0 && setresgid(54321, 54321, 54321) == 0 &&
          setresuid(54321, 54321, 54321) == 0);
    struct cgroups *untouched = (struct cgroups *)(uintptr_t)8, *c = untouched;
    struct err e = { 0 };
    CHECK_INT(cgroups_open(&c, &e), -ENOTSUP);
    CHECK(c == untouched && strlen(e.msg) > 20);
    CHECK_TEXT(cgroups_kind(NULL), "none");
    cgroups_free(NULL);
    CHECK_INT(cgroup_free(NULL), 0);
}

TEST(words_are_found_whole)
{
    CHECK(cgroup_has_word("cpuset cpu memory pids\n", "cpu"));
    CHECK(!cgroup_has_word("cpuset memory\n", "cpu"));
    CHECK(cgroup_has_word("rw,cpu,cpuacct", "cpuacct"));
    CHECK(!cgroup_has_word("", "cpu"));
}
