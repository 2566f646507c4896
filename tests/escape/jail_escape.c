/*
 * tests/escape/jail_escape.c -- can anything get out, and would it have without
 * the wall?
 *
 * Every row is run twice: in the full jail, and as a control with the walls
 * that should have stopped it left out. A wall whose absence nothing notices
 * is not tested, so both results are checked.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/escape/inmate.h"
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define MNT ((unsigned)(WALL_MOUNTNS | WALL_LANDLOCK))
#define NET ((unsigned)(WALL_NETNS | WALL_LANDLOCK))
#define PID ((unsigned)(WALL_PIDNS | WALL_LANDLOCK))

enum who { ROOT = 1, USER = 2, BOTH = 3 };
enum want { FAILS, WORKS, IS, NOT };

struct expect {
    enum want want;
    long      value;    /* of IS and NOT */
};
#define is(n)  { IS, (n) }
#define not(n) { NOT, (n) }
#define fails  { FAILS, 0 }
#define works  { WORKS, 0 }

static const struct row {
    const char   *attempt;
    enum who      who;
    struct expect jailed;
    unsigned      without;    /* walls left out in the control run */
    struct expect control;
} rows[] = {
    /* P2, P3: files */
    { "passwd",         BOTH, fails,  MNT,                  works  },
    { "passwd",         BOTH, fails,  WALL_MOUNTNS,         fails  },    /* Landlock alone */
    { "passwd",         BOTH, fails,  WALL_LANDLOCK,        fails  },    /* empty root alone */
    { "dotdot",         BOTH, fails,  MNT,                  works  },
    { "proc",           BOTH, fails,  MNT,                  works  },
    { "list_root",      BOTH, fails,  MNT,                  not(0) },
    { "list_root",      BOTH, fails,  WALL_LANDLOCK,        is(0)  },
    { "tmpfile",        BOTH, fails,  MNT,                  works  },
    { "mkdir_root",     BOTH, fails,  MNT,                  works  },
    { "mkdir_root",     BOTH, fails,  WALL_LANDLOCK,        fails  },
    { "chmod_root",     BOTH, is(-EROFS), MNT,              is(-EPERM) },
    { "sysctl",         ROOT, fails,  MNT | WALL_UID,       works  },
    { "sysctl",         ROOT, fails,  MNT,                  fails  },    /* own uid alone */
    /* P5: other processes */
    { "pid",            BOTH, is(1),  WALL_PIDNS,           not(1) },
    { "ppid",           BOTH, is(0),  WALL_PIDNS,           not(0) },
    { "kill",           ROOT, fails,  PID | WALL_UID,       works  },
    { "kill",           ROOT, fails,  PID,                  fails  },    /* own uid alone */
    { "kill",           USER, fails,  PID,                  works  },
    { "memory_of_test", ROOT, fails,  PID | WALL_UID,       works  },
    { "memory_of_test", USER, fails,  PID | WALL_USERNS,    works  },
    { "memory_of_test", USER, fails,  PID,                  fails  },    /* user ns alone */
    /* P6: network and shared things */
    { "connect_tcp",      BOTH, fails, NET,                 works  },
    { "connect_tcp",      BOTH, fails, WALL_NETNS,          fails  },
    { "connect_abstract", BOTH, fails, NET,                 works  },
    { "connect_abstract", BOTH, fails, WALL_LANDLOCK,       fails  },
    { "loopback_is_up",   BOTH, is(0), WALL_NETNS,          is(1)  },
    { "shm",              BOTH, fails, WALL_IPCNS,          works  },
    { "hostname_is_ours", BOTH, is(1), WALL_UTSNS,          is(0)  },
    /* P8: privilege */
    { "uid",            BOTH, not(0), WALL_UID,             is(0)  },
    { "gid",            BOTH, not(0), WALL_UID,             is(0)  },
    { "groups",         ROOT, is(0),  WALL_UID,             is(2)  },
    { "setuid0",        BOTH, fails,  WALL_UID,             works  },
    { "capabilities",   BOTH, is(0),  WALL_UID,             not(0) },
    { "bounding",       BOTH, is(0),  WALL_UID,             not(0) },
    { "fsopen",         BOTH, fails,  WALL_UID,             works  },
    { "no_new_privs",   BOTH, is(1),  WALL_NNP,             is(0)  },
    { "unshare_user",   BOTH, fails,  WALL_MOUNTNS,         works  },
    /* P4: what comes along */
    { "channel_only",   BOTH, is(1),  WALL_FDS,             is(0)  },
    { "descriptors",    BOTH, is(1),  WALL_FDS,             not(1) },
    /* P13: limits */
    { "forks",          BOTH, is(1),  WALL_RLIMITS,         is(40) },
    { "memory",         BOTH, fails,  WALL_RLIMITS,         works  },
    { "many_files",     BOTH, fails,  WALL_RLIMITS,         works  },
    { "core",           BOTH, is(0),  WALL_RLIMITS,         works  },
};

static int meets(struct expect x, long got)
{
    switch (x.want) {
    case FAILS: return got < 0;
    case WORKS: return got >= 0;
    case IS:    return got == x.value;
    case NOT:   return got >= 0 && got != x.value;
    }
    return 0;
}

/* What a host must offer for the rows to mean something. */
static void need(unsigned walls, unsigned want)
{
    if ((walls & want) != want)
        SKIP("this host does not offer all walls of the jail; see doctor");
}

static void check_rows(enum who who)
{
    struct inmate full, control;
    unsigned user = who == USER ? WALL_USERNS : 0;
    make_world();
    need(run_inmate(&full, "look", "", 0),
         (JAIL_BUILDS & ~(unsigned)WALL_USERNS) | user);

    unsigned without = 0;
    int bad = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *r = &rows[i];
        if (!(r->who & who))
            continue;
        if (r->without != without) {
            without = r->without;
            run_inmate(&control, "look", "", without);
        }
        long in = said(&full, r->attempt), out = said(&control, r->attempt);
        if (meets(r->jailed, in) && meets(r->control, out))
            continue;
        printf("# %s: jailed %ld, control without %#x %ld\n", r->attempt, in,
               r->without, out);
        bad++;
    }
    CHECK(bad == 0);
}

/* The same in every run, whichever walls stand. */
static void check_always(void)
{
    static const struct { const char *name; long value; } always[] = {
        { "environment", 0 }, { "session", 1 }, { "pdeathsig", SIGKILL },
        { "blocked_or_ignored_signals", 0 },
    };
    static const unsigned leave_out[] = { 0, ~0u };
    struct inmate in;
    make_world();
    for (size_t w = 0; w < COUNT(leave_out); w++) {
        run_inmate(&in, "look", "", leave_out[w]);
        for (size_t i = 0; i < COUNT(always); i++)
            CHECK_INT(said(&in, always[i].name), always[i].value);
    }
}

static void need_root(void)
{
    if (geteuid() != 0)
        SKIP("needs root");
}

TEST(each_wall_built_by_root_stops_what_gets_through_without_it)
{
    need_root();
    check_rows(ROOT);
}

TEST(each_wall_built_by_a_user_stops_what_gets_through_without_it)
{
    become_ordinary();
    check_rows(USER);
}

TEST(environment_session_and_signals_are_clean_by_root)
{
    need_root();
    check_always();
}

TEST(environment_session_and_signals_are_clean_by_a_user)
{
    become_ordinary();
    check_always();
}

/* A namespace can be told by its number, where /proc can be seen. */
static void check_namespace_number(const char *attempt, const char *path,
                                   unsigned wall)
{
    struct inmate in;
    struct stat st;
    CHECK(stat(path, &st) == 0);
    if (!(run_inmate(&in, "look", "", MNT) & wall))
        SKIP("this host does not offer the namespace");
    CHECK(said(&in, attempt) > 0);
    CHECK(said(&in, attempt) != (long)st.st_ino);
    run_inmate(&in, "look", "", MNT | wall);
    CHECK_INT(said(&in, attempt), (long)st.st_ino);
}

TEST(the_cgroup_namespace_is_another_one)
{
    check_namespace_number("cgroup_ns", "/proc/self/ns/cgroup", WALL_CGROUPNS);
}

TEST(the_user_namespace_is_another_one)
{
    become_ordinary();
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    check_namespace_number("user_ns", "/proc/self/ns/user", WALL_USERNS);
}

TEST(two_jails_made_by_root_have_different_ids)
{
    need_root();
    struct inmate a, b;
    struct err e;
    CHECK(start_inmate(&a, "sleep", "", 0, 0, &e) == 0);
    CHECK(start_inmate(&b, "sleep", "", 0, 0, &e) == 0);
    hear(&a, "hello");
    hear(&b, "hello");
    char path[64];
    struct stat sa, sb;
    snprintf(path, sizeof path, "/proc/%d", (int)jail_pid(a.jail));
    CHECK(stat(path, &sa) == 0);
    snprintf(path, sizeof path, "/proc/%d", (int)jail_pid(b.jail));
    CHECK(stat(path, &sb) == 0);
    CHECK(sa.st_uid != sb.st_uid);
    CHECK(sa.st_uid >= 0x8000 && sa.st_uid != 65534);
    jail_free(a.jail);
    jail_free(b.jail);
}

TEST(landlock_alone_stops_abstract_sockets_and_signals)
{
    enum { ABI_WITH_SCOPES = 6 };
    const long create_ruleset = 444;
    if (syscall(create_ruleset, NULL, 0, 1) < ABI_WITH_SCOPES)
        SKIP("needs Landlock ABI 6");
    become_ordinary();
    make_world();
    struct inmate in;
    need(run_inmate(&in, "look", "", WALL_NETNS | WALL_PIDNS), WALL_LANDLOCK);
    CHECK_INT(said(&in, "connect_abstract"), -EPERM);
    CHECK_INT(said(&in, "kill"), -EPERM);
    run_inmate(&in, "look", "", WALL_NETNS | WALL_PIDNS | WALL_LANDLOCK);
    CHECK_INT(said(&in, "connect_abstract"), 0);
    CHECK_INT(said(&in, "kill"), 0);
}

/* Whoever comes to hold the namespace finds no mount of the host in it. */
TEST(no_mount_of_the_host_is_left_in_the_namespace)
{
    need_root();
    struct inmate in;
    struct err e;
    char path[64];
    CHECK(start_inmate(&in, "sleep", "", 0, 0, &e) == 0);
    need(jail_walls(in.jail), WALL_MOUNTNS);
    hear(&in, "hello");
    snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)jail_pid(in.jail));
    int ns = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(ns >= 0 && access("/etc/passwd", F_OK) == 0);
    CHECK(setns(ns, CLONE_NEWNS) == 0);
    CHECK(access("/empty", F_OK) == 0);
    CHECK(access("/etc", F_OK) < 0 && access("/proc", F_OK) < 0);
    jail_free(in.jail);
}

/* P7: each call alone, in a process of its own. */
static const char *const calls[] = {
    "openat", "socket", "netlink", "execve", "fork", "ptrace", "kill_self",
    "prctl", "seccomp", "memfd", "io_uring", "bpf", "userfaultfd", "keyctl",
    "perf", "personality", "dup", "setrlimit", "mount", "unshare", "setns",
    "rt_sigaction", "clock_settime", "read_other", "write_other",
    "sendmsg_other", "map_exec", "map_shared", "map_file", "protect_exec",
#ifdef __x86_64__
    "x32", "x32_read", "int80", "gs_of_others",
#endif
};

static void need_strict_seal(void)
{
#ifdef GB_SANITIZED
    SKIP("the seal of a sanitizer build is no wall");
#endif
}

TEST(the_seal_kills_at_every_call_off_its_list)
{
    need_strict_seal();
    struct inmate in;
    int bad = 0;
    for (size_t i = 0; i < COUNT(calls); i++) {
        run_inmate(&in, "sealed", calls[i], 0);
        if (WIFSIGNALED(in.status) && WTERMSIG(in.status) == SIGSYS)
            continue;
        printf("# sealed %s: status %#x, said %s\n", calls[i],
               (unsigned)in.status, in.said);
        bad++;
    }
    CHECK(bad == 0);
}

TEST(without_the_seal_the_same_calls_return)
{
    struct inmate in;
    for (size_t i = 0; i < COUNT(calls); i++) {
        run_inmate(&in, "raw", calls[i], 0);
        /* A kernel without 32-bit calls faults on the instruction. */
        if (strcmp(calls[i], "int80") == 0 && WIFSIGNALED(in.status)) {
            CHECK(WTERMSIG(in.status) == SIGSEGV);
            continue;
        }
        (void)said(&in, calls[i]);
        CHECK_INT(in.status, 0);
    }
}

static void check_sealed_work(void)
{
    struct inmate in;
    for (int i = 0; i < 200; i++) {
        run_inmate(&in, "work", "", 0);
        if (in.status != 0)
            TEST_FAIL("run %d: status %#x: %s", i, (unsigned)in.status,
                      in.said);
        CHECK_TEXT(in.said, "done 0\n");
    }
}

TEST(an_honest_worker_lives_behind_the_seal_by_root)
{
    need_root();
    check_sealed_work();
}

TEST(an_honest_worker_lives_behind_the_seal_by_a_user)
{
    become_ordinary();
    check_sealed_work();
}

TEST(an_honest_worker_lives_behind_the_seal_with_no_other_wall)
{
    struct inmate in;
    run_inmate(&in, "work", "", ~(unsigned)WALL_FDS);
    CHECK_TEXT(in.said, "done 0\n");
}

TEST(a_sealed_worker_survives_stop_and_continue_in_its_sleep)
{
    struct inmate in;
    struct err e;
    CHECK(start_inmate(&in, "nap", "", 0, 0, &e) == 0);
    hear(&in, "hello");
    siginfo_t si;
    kill(jail_pid(in.jail), SIGSTOP);
    CHECK(waitid(P_PID, (id_t)jail_pid(in.jail), &si, WSTOPPED) == 0);
    kill(jail_pid(in.jail), SIGCONT);
    hear(&in, NULL);
    end_inmate(&in);
    CHECK_INT(in.status, 0);
    CHECK_INT(said(&in, "awake"), 0);
}

TEST(the_seal_claims_what_it_proved)
{
    need_strict_seal();
    struct inmate in;
    run_inmate(&in, "raw", "dumpable", 0);
    CHECK_INT(said(&in, "dumpable"), 1);    /* exec's doing: hence the seal */

    struct err e;
    CHECK(start_inmate(&in, "seal", "", 0, 0, &e) == 0);
    hear(&in, "\n");
    CHECK_INT(said(&in, "walls"), WALL_SECCOMP | WALL_NNP | WALL_DUMPABLE |
              WALL_FDS);

    char path[64], limits[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/limits", (int)jail_pid(in.jail));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && read(fd, limits, sizeof limits - 1) > 0);
    const char *line = strstr(limits, "Max processes");
    CHECK(line && strtol(line + strlen("Max processes"), NULL, 10) == 0);
    close(fd);
    jail_free(in.jail);
}

/* The files of a process that is not dumpable belong to root. */
TEST(a_sealed_worker_is_not_dumpable)
{
    need_root();
    static const struct { const char *verb, *until; int roots; } cases[] = {
        { "sleep", "hello", 0 }, { "seal", "walls", 1 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct inmate in;
        struct err e;
        struct stat st;
        char path[64];
        CHECK(start_inmate(&in, cases[i].verb, "", 0, 0, &e) == 0);
        hear(&in, cases[i].until);
        snprintf(path, sizeof path, "/proc/%d/mem", (int)jail_pid(in.jail));
        CHECK(stat(path, &st) == 0);
        CHECK_INT(st.st_uid == 0, cases[i].roots);
        jail_free(in.jail);
    }
}

TEST(the_seal_refuses_a_descriptor_too_many)
{
    struct inmate in;
    CHECK(dup2(0, 50) == 50);
    run_inmate(&in, "work", "", WALL_FDS);
    CHECK(strstr(in.said, "seal: descriptor") == in.said);
    CHECK(WIFEXITED(in.status) && WEXITSTATUS(in.status) == 11);
}
