/*
 * tests/unit/test_jail.c -- jail_start() starts all of it or nothing, and
 * leaves nothing behind. What the walls stop is tests/escape/jail_escape.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/escape/inmate.h"
#include "jail/probe.h"
#include <dirent.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static int count_fds(void)
{
    DIR *d = opendir("/proc/self/fd");
    CHECK(d);
    int n = 0;
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static int has_children(void)
{
    return waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD;
}

/* A spec that would work; tests break one thing. */
static struct jail_spec good_spec(int channel)
{
    static const char *const argv[] = { "probe", "raw", "pid", "0", "0", "0",
                                        "0", NULL };
    if (probe_fd < 0)
        probe_fd = open_probe();
    return (struct jail_spec){
        .argv = argv, .exec_fd = probe_fd, .channel_fd = channel,
        .image_fd = -1, .limits = { DATA_BYTES, STACK_BYTES },
    };
}

static void expect_failure(const struct jail_spec *spec, int code,
                           const char *text)
{
    struct jail *untouched = (struct jail *)&probe_fd, *j = untouched;
    struct err e = { 0 };
    int fds = count_fds();
    CHECK_INT(jail_start(spec, &j, &e), code);
    CHECK_INT(e.code, code);
    if (!strstr(e.msg, text))
        TEST_FAIL("\"%s\" does not say \"%s\"", e.msg, text);
    CHECK(j == untouched);
    CHECK(!has_children());
    CHECK_INT(count_fds(), fds);
    CHECK(jail_start(spec, &j, NULL) == code);    /* without an err, too */
}

TEST(every_wall_has_a_text_and_is_found_by_it)
{
    unsigned all = 0;
#define X(NAME, bit, text, what)                                              \
    CHECK_TEXT(wall_text(WALL_##NAME), text);                                 \
    CHECK(wall_by_text(text) == WALL_##NAME);                                 \
    all |= WALL_##NAME;
    WALLS(X)
#undef X
    CHECK(wall_text(0) == NULL && wall_text(WALL_NNP | WALL_FDS) == NULL);
    CHECK(wall_by_text("") == 0 && wall_by_text("moat") == 0);
    CHECK((JAIL_BUILDS & ~all) == 0);
}

TEST(a_bad_spec_is_refused)
{
    static const char *const nothing[] = { NULL };
    struct jail_spec s = good_spec(-1);
    expect_failure(&s, -EINVAL, "channel");
    s = good_spec(0);
    s.exec_fd = -1;
    expect_failure(&s, -EINVAL, "program");
    s = good_spec(0);
    s.argv = nothing;
    expect_failure(&s, -EINVAL, "program");
    s = good_spec(0);
    s.limits.data_bytes = 0;
    expect_failure(&s, -EINVAL, "data_bytes");
    s = good_spec(0);
    s.limits.stack_bytes = 0;
    expect_failure(&s, -EINVAL, "stack_bytes");
}

TEST(a_failing_step_is_reported_by_name)
{
    struct jail_spec s = good_spec(999);
    expect_failure(&s, -EBADF, "jail: place descriptors: Bad file descriptor");
}

TEST(a_failing_exec_is_reported_by_name)
{
    struct jail_spec s = good_spec(0);
    s.exec_fd = open("/", O_RDONLY | O_CLOEXEC);
    expect_failure(&s, -EACCES, "jail: exec: Permission denied");

    char path[] = "/tmp/gb-test-jail-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    CHECK(fd >= 0 && write(fd, "not a program", 13) == 13);
    CHECK(fchmod(fd, 0755) == 0);
    s.exec_fd = open(path, O_RDONLY | O_CLOEXEC);
    unlink(path);
    close(fd);
    expect_failure(&s, -ENOEXEC, "jail: exec: Exec format error");
}

TEST(a_required_wall_that_is_left_out_is_a_refusal)
{
    for (unsigned wall = 1; wall & ((JAIL_BUILDS << 1) - 1); wall <<= 1) {
        if (!(wall & JAIL_BUILDS))
            continue;
        struct jail_spec s = good_spec(0);
        s.required = s.leave_out = wall;
        expect_failure(&s, -ENOTSUP, wall_text(wall));
    }
}

TEST(root_is_told_how_to_get_a_user_namespace)
{
    if (geteuid() != 0)
        SKIP("needs root");
    struct jail_spec s = good_spec(0);
    s.required = WALL_USERNS;
    expect_failure(&s, -ENOTSUP, "start glovebox as an ordinary user");
}

TEST(walls_of_the_program_inside_are_not_asked_of_the_jail)
{
    struct inmate in;
    struct err e = { 0 };
    CHECK_INT(start_inmate(&in, "raw", "pid", 0, WALL_SFI | WALL_SECCOMP |
                           WALL_DUMPABLE, &e), 0);
    CHECK((jail_walls(in.jail) & ~JAIL_BUILDS) == 0);
    hear(&in, NULL);
    end_inmate(&in);
}


/* As a container does: no capability to make namespaces with. */
static void lose_sys_admin(void)
{
    CHECK(prctl(PR_CAPBSET_DROP, 21 /* CAP_SYS_ADMIN */, 0, 0, 0) == 0);
    struct { uint32_t version; int pid; } head = { 0x20080522, 0 };
    struct { uint32_t effective, permitted, inheritable; } data[2];
    CHECK(syscall(SYS_capget, &head, data) == 0);
    data[0].effective &= ~BIT(21);
    data[0].permitted &= ~BIT(21);
    CHECK(syscall(SYS_capset, &head, data) == 0);
}

#define NAMESPACES ((unsigned)(WALL_PIDNS | WALL_MOUNTNS | WALL_NETNS |       \
                               WALL_IPCNS | WALL_UTSNS | WALL_CGROUPNS))

TEST(root_without_the_right_to_namespaces_gets_the_other_walls)
{
    if (geteuid() != 0)
        SKIP("needs root");
    lose_sys_admin();
    struct inmate in;
    unsigned walls = run_inmate(&in, "look", "", 0);
    CHECK((walls & (NAMESPACES | WALL_USERNS)) == 0);
    unsigned rest = WALL_UID | WALL_NNP | WALL_FDS;
    CHECK((walls & rest) == rest);
    CHECK(said(&in, "uid") >= 0x8000);
    CHECK_INT(said(&in, "capabilities"), 0);
    CHECK_INT(said(&in, "bounding"), 0);
}

TEST(a_required_wall_that_the_host_refuses_starts_nothing)
{
    if (geteuid() != 0)
        SKIP("needs root");
    lose_sys_admin();
    for (unsigned wall = WALL_PIDNS; wall <= WALL_CGROUPNS; wall <<= 1) {
        struct jail_spec s = good_spec(0);
        s.required = wall;
        expect_failure(&s, -ENOTSUP, wall_text(wall));
    }
#ifndef GB_SANITIZED
    struct jail_spec s = good_spec(0);
    s.required = WALL_PIDNS;
    expect_failure(&s, -ENOTSUP, "clone: Operation not permitted");
#endif
}

/* A kernel where this call fails: for us and for all that we start. */
static void host_refuses(long nr, int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog prog = { COUNT(code), code };
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0) == 0);
}

/* What one refused call costs: a wall that may be missing, or the start. */
enum cost { LOSES_THE_WALL, NO_JAIL };
static const struct refusal {
    long      nr;
    int       error;
    unsigned  wall;    /* whose step makes the call; 0: every jail */
    enum cost cost;
} refusals[] = {
    { SYS_fsopen,      EPERM,  WALL_MOUNTNS,  LOSES_THE_WALL },
    { SYS_move_mount,  EACCES, WALL_MOUNTNS,  LOSES_THE_WALL },
    { SYS_pivot_root,  EINVAL, WALL_MOUNTNS,  LOSES_THE_WALL },
    { SYS_sethostname, EPERM,  WALL_UTSNS,    LOSES_THE_WALL },
    { 444 /* landlock_create_ruleset */, ENOSYS, WALL_LANDLOCK, LOSES_THE_WALL },
    { 446 /* landlock_restrict_self */,  EPERM,  WALL_LANDLOCK, LOSES_THE_WALL },
    { SYS_fsopen,      ENOMEM, WALL_MOUNTNS,  NO_JAIL },    /* just now */
    { SYS_pivot_root,  EBUSY,  WALL_MOUNTNS,  NO_JAIL },
    { 446,             ENOMEM, WALL_LANDLOCK, NO_JAIL },
    { 436 /* close_range */, ENOSYS, WALL_FDS, NO_JAIL },    /* never without */
    { SYS_capset,      EPERM,  WALL_UID,      NO_JAIL },
    { SYS_prlimit64,   EPERM,  WALL_RLIMITS,  NO_JAIL },
    { SYS_setsid,      EPERM,  0,             NO_JAIL },
    { SYS_execveat,    ENOSYS, 0,             NO_JAIL },
    { SYS_clone,       EAGAIN, 0,             NO_JAIL },
};

static void check_refusal(const struct refusal *f)
{
    struct inmate in = { 0 };
    struct err e = { 0 };
    unsigned usual = run_inmate(&in, "raw", "pid", 0);
    if (f->wall & ~usual)
        return;
    host_refuses(f->nr, f->error);
    int r = start_inmate(&in, "raw", "pid", 0, 0, &e);
    if (f->cost == NO_JAIL) {
        CHECK(r < 0 && e.msg[0] && !has_children());
        return;
    }
    CHECK_INT(r, 0);
    CHECK_INT(jail_walls(in.jail), usual & ~f->wall);
    jail_free(in.jail);
    struct jail_spec s = good_spec(0);
    s.required = f->wall;
    expect_failure(&s, -ENOTSUP, wall_text(f->wall));
}

/* One process each: what a host refuses it refuses for good. */
static void check_refusals(void)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            check_refusal(&refusals[i]);
            _exit(0);
        }
        int status;
        CHECK(waitpid(pid, &status, 0) == pid);
        if (status)
            TEST_FAIL("call %ld refused with %d: status %#x", refusals[i].nr,
                      refusals[i].error, (unsigned)status);
    }
}

TEST(a_refused_call_costs_its_wall_or_the_start_by_root)
{
    if (geteuid() != 0)
        SKIP("needs root");
    check_refusals();
}

TEST(a_refused_call_costs_its_wall_or_the_start_by_a_user)
{
    become_ordinary();
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    check_refusals();
}

TEST(root_that_cannot_change_its_id_starts_nothing)
{
    if (geteuid() != 0)
        SKIP("needs root");
    host_refuses(SYS_setresuid, EPERM);
    struct jail_spec s = good_spec(0);
    expect_failure(&s, -EPERM, "jail: identity");
}

TEST(a_worker_whose_seal_has_no_effect_does_not_go_on)
{
    struct inmate in;
    host_refuses(SYS_seccomp, EINVAL);
    run_inmate(&in, "work", "", 0);
    CHECK(WIFEXITED(in.status) && WEXITSTATUS(in.status) == 11);
    CHECK(strstr(in.said, "seal: a forbidden call did not kill"));
}

/* A host that gives its users no user namespace; only this test sees it. */
static void lose_user_namespaces(void)
{
    static const struct { const char *path, *text; } writes[] = {
        { "/proc/self/setgroups", "deny" },
        { "/proc/self/gid_map",   "54321 54321 1" },
        { "/proc/self/uid_map",   "54321 54321 1" },
        { "/proc/sys/user/max_user_namespaces", "0" },
    };
    become_ordinary();
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    if (getuid() != ORDINARY_UID || unshare(CLONE_NEWUSER) < 0)
        SKIP("needs root, and a host with user namespaces");
    for (size_t i = 0; i < COUNT(writes); i++) {
        int fd = open(writes[i].path, O_WRONLY | O_CLOEXEC);
        CHECK(fd >= 0);
        CHECK(write(fd, writes[i].text, strlen(writes[i].text)) > 0);
        close(fd);
    }
}

TEST(a_supervisor_that_is_not_dumpable_can_make_a_user_namespace)
{
    struct inmate in;
    become_ordinary();
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    unsigned usual = run_inmate(&in, "raw", "pid", 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    CHECK_INT(run_inmate(&in, "raw", "pid", 0), usual);
    CHECK_INT(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 0);
}

TEST(a_user_without_user_namespaces_gets_the_other_walls)
{
    lose_user_namespaces();
    struct inmate in;
    unsigned walls = run_inmate(&in, "work", "", 0);
    CHECK((walls & (NAMESPACES | WALL_USERNS)) == 0);
    unsigned rest = WALL_UID | WALL_NNP | WALL_FDS;
    CHECK((walls & rest) == rest);
    CHECK_TEXT(in.said, "done 0\n");

    struct jail_spec s = good_spec(0);
    s.required = WALL_NETNS;
    expect_failure(&s, -ENOTSUP, "net_ns");
}

/* Descriptors land where they should, wherever they come from. */
TEST(descriptors_may_come_from_each_others_places)
{
    static const struct { int channel, image, exec; } from[] = {
        { 3, 4, 5 }, { 4, 3, 5 }, { 5, 6, 3 }, { 6, 5, 4 }, { 4, 5, 3 },
        { 16, 17, 18 }, { 0, 1, 40 }, { 3, -1, 4 }, { 30, 3, 6 },
    };
    static const char *const argv[] = { "probe", "raw", "descriptors", "0", "0",
                                        "0", "0", NULL };
    int program = open_probe();
    for (size_t i = 0; i < COUNT(from); i++) {
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            int pair[2];
            CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
            int here = fcntl(pair[0], F_DUPFD, 100);
            int channel = fcntl(pair[1], F_DUPFD, 100);
            int image = fcntl(2, F_DUPFD, 100);
            int prog = fcntl(program, F_DUPFD, 100);
            CHECK(dup2(channel, from[i].channel) >= 0);
            CHECK(from[i].image < 0 || dup2(image, from[i].image) >= 0);
            CHECK(dup2(prog, from[i].exec) >= 0);
            struct jail_spec s = {
                .argv = argv, .exec_fd = from[i].exec,
                .channel_fd = from[i].channel, .image_fd = from[i].image,
                .limits = { DATA_BYTES, STACK_BYTES },
            };
            struct jail *j;
            struct err e;
            if (jail_start(&s, &j, &e) < 0)
                _exit(1);
            char line[64] = "";
            if (read(here, line, sizeof line - 1) < 0)
                _exit(2);
            jail_free(j);
            _exit(strcmp(line, from[i].image < 0 ? "descriptors 1\n"
                                                 : "descriptors 2\n") ? 3 : 0);
        }
        int status;
        CHECK(waitpid(pid, &status, 0) == pid);
        if (status)
            TEST_FAIL("row %zu: status %#x", i, (unsigned)status);
    }
}

static void check_census(void)
{
    struct inmate in;
    struct err e = { 0 };
    struct jail_spec broken = good_spec(999);
    struct jail *j;
    run_inmate(&in, "raw", "pid", 0);
    int fds = count_fds();
    for (int i = 0; i < 200; i++) {
        if (start_inmate(&in, "sleep", "", 0, 0, &e) < 0)
            TEST_FAIL("start %d: %s", i, e.msg);
        if (i % 3 == 0)
            hear(&in, "hello");
        jail_free(in.jail);    /* alive, starting or dead */
        close(in.fd);
        CHECK(jail_start(&broken, &j, &e) < 0);
    }
    CHECK_INT(count_fds(), fds);
    CHECK(!has_children());
}

TEST(two_hundred_jails_leave_no_descriptor_and_no_process_by_root)
{
    if (geteuid() != 0)
        SKIP("needs root");
    check_census();
}

TEST(two_hundred_jails_leave_no_descriptor_and_no_process_by_a_user)
{
    become_ordinary();
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);    /* to see our own /proc/self/fd */
    check_census();
}

TEST(no_mount_survives_a_jail)
{
    char before[65536] = "", after[65536] = "";
    for (int i = 0; i < 2; i++) {
        int fd = open("/proc/self/mounts", O_RDONLY | O_CLOEXEC);
        CHECK(fd >= 0 && read(fd, i ? after : before, sizeof after - 1) > 0);
        close(fd);
        struct inmate in;
        if (i == 0)
            run_inmate(&in, "raw", "pid", 0);
    }
    CHECK_TEXT(after, before);
}

TEST(a_jail_is_killed_and_reaped_once)
{
    struct inmate in;
    struct err e;
    CHECK(start_inmate(&in, "sleep", "", 0, 0, &e) == 0);
    hear(&in, "hello");
    int status = -1;
    CHECK_INT(jail_reap(in.jail, &status), 0);
    CHECK_INT(status, -1);
    jail_kill(in.jail);
    jail_kill(in.jail);
    struct pollfd p = { .fd = jail_pidfd(in.jail), .events = POLLIN };
    CHECK(poll(&p, 1, -1) == 1);
    CHECK_INT(jail_reap(in.jail, &status), 1);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    status = 0;
    CHECK_INT(jail_reap(in.jail, &status), 1);
    CHECK(WIFSIGNALED(status));
    jail_kill(in.jail);    /* its pid may belong to another by now */
    jail_free(in.jail);
    jail_free(NULL);
}

/* The channel closes when the last process that holds it has died. */
static void check_dies_with_parent(void)
{
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    static const char *const argv[] = { "probe", "sleep", "", "0", "0", "0",
                                        "0", NULL };
    struct jail_spec s = good_spec(pair[1]);
    s.argv = argv;
    fflush(stdout);
    pid_t parent = fork();
    if (parent == 0) {
        struct jail *j;
        close(pair[0]);
        if (jail_start(&s, &j, NULL) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    close(pair[1]);
    char line[16];
    CHECK(read(pair[0], line, sizeof line) > 0);
    CHECK(kill(parent, SIGKILL) == 0);
    CHECK(waitpid(parent, NULL, 0) == parent);
    CHECK_INT(read(pair[0], line, sizeof line), 0);
}

TEST(the_jail_dies_with_its_parent_by_root)
{
    if (geteuid() != 0)
        SKIP("needs root");
    check_dies_with_parent();
}

TEST(the_jail_dies_with_its_parent_by_a_user)
{
    become_ordinary();
    check_dies_with_parent();
}

/* Handlers and masks of the supervisor are as before. */
static volatile sig_atomic_t handled;
static void on_signal(int sig)
{
    (void)sig;
    handled++;
}

TEST(the_supervisors_signals_are_left_as_they_were)
{
    sigset_t mine, now;
    struct sigaction sa = { .sa_handler = on_signal }, was;
    sigaction(SIGUSR1, &sa, NULL);
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR2);
    sigprocmask(SIG_SETMASK, &mine, NULL);
    struct inmate in;
    run_inmate(&in, "look", "", 0);
    CHECK_INT(said(&in, "blocked_or_ignored_signals"), 0);
    sigprocmask(SIG_SETMASK, NULL, &now);
    CHECK(sigismember(&now, SIGUSR2) && !sigismember(&now, SIGUSR1));
    sigaction(SIGUSR1, NULL, &was);
    CHECK(was.sa_handler == on_signal);
    raise(SIGUSR1);
    CHECK_INT(handled, 1);
}

/* What doctor says and what a jail then has must be the same. */
static void check_probe_agrees(void)
{
    struct probe_result found[32];
    struct inmate in;
    size_t n = probe_walls(found, COUNT(found));
    unsigned offered = 0, asked = 0, stood = run_inmate(&in, "raw", "pid", 0);
    for (size_t i = 0; i < n; i++) {
        asked |= found[i].wall;
        offered |= found[i].offered ? found[i].wall : 0;
        CHECK(found[i].why[0]);
        if (getenv("VERBOSE"))
            printf("# %-14s %d %s\n", wall_text(found[i].wall),
                   found[i].offered, found[i].why);
    }
    CHECK_INT(asked, BIT(15) - 1);
    unsigned not_by_root = geteuid() == 0 ? WALL_USERNS : 0;
    CHECK_INT(stood, offered & JAIL_BUILDS & ~JAIL_BUILD_LACKS & ~not_by_root);
    CHECK(!has_children());
}

TEST(the_probe_finds_what_a_jail_then_has_by_root)
{
    if (geteuid() != 0)
        SKIP("needs root");
    check_probe_agrees();
}

TEST(the_probe_finds_what_a_jail_then_has_by_a_user)
{
    become_ordinary();
    check_probe_agrees();
}

TEST(the_probe_finds_what_a_jail_then_has_without_namespaces)
{
    if (geteuid() != 0)
        SKIP("needs root");
    lose_sys_admin();
    check_probe_agrees();
}

TEST(the_probe_writes_no_more_than_there_is_room_for)
{
    struct probe_result one[2] = { { .wall = 0 }, { .wall = 0xabcd } };
    struct probe_fact fact[2] = { { .ok = 0 }, { .ok = 0xabcd } };
    CHECK_INT(probe_walls(one, 1), 1);
    CHECK_INT(one[1].wall, 0xabcd);
    CHECK_INT(probe_facts(fact, 1), 1);
    CHECK_INT(fact[1].ok, 0xabcd);
}

TEST(every_fact_says_why)
{
    struct probe_fact facts[16];
    size_t n = probe_facts(facts, COUNT(facts));
    CHECK(n >= 4);
    for (size_t i = 0; i < n; i++) {
        CHECK(facts[i].name && facts[i].why[0]);
        if (getenv("VERBOSE"))
            printf("# %-22s %d %s\n", facts[i].name, facts[i].ok, facts[i].why);
    }
}
