/*
 * tests/unit/test_zygote.c -- forks of a zygote are sealed, counted and gone.
 *
 * This program is both sides. The tests play the supervisor; started once more
 * with --zygote, in a furnished jail, it is a zygote whose forks run the
 * programs of zygote_programs.h. The tests of cold starts run glovebox-cold
 * with a shell, which reads its script from stdin.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/zygote_programs.h"
#include "tests/unit/zygote_supervisor.h"
#include <linux/seccomp.h>
#include <sys/ioctl.h>

/* ---- the tests ----------------------------------------------------------------------- */

#define ALL_WALLS                                                             \
    (WALL_SECCOMP | WALL_NNP | WALL_FDS | WALL_RLIMITS | WALL_UID |           \
     WALL_USERNS | WALL_PIDNS | WALL_MOUNTNS | WALL_NETNS | WALL_IPCNS |      \
     WALL_LANDLOCK | WALL_DUMPABLE | WALL_QUOTA)

TEST(a_fork_is_an_ordinary_user_alone_with_its_four_descriptors)
{
    struct run r = run(house(), "who");
    CHECK_INT(r.sealed.walls, ALL_WALLS);
    CHECK_INT(r.sealed.listener, 1);
    CHECK_TEXT(r.text, "pid=2 uid=1000 gid=1000 euid=1000 sid=1 cwd=/workspace "
                       "pids=2 fds=0,1,2,200 ");
    CHECK_INT(r.end.status, 0);
}

TEST(a_fork_writes_to_its_own_folders_and_reaches_nothing_else)
{
    struct run r = run(house(), "walls");
    CHECK_TEXT(r.text, "root=EROFS etc=EROFS init=ENOENT kill=EPERM "
                       "cpuinfo=EACCES work=ok tmp=ok shm=ok lent=ok "
                       "comm=EACCES null=ok net=ENETUNREACH ");
}

TEST(limits_are_set)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    q.limits.open_files = 10;
    q.limits.processes = 33;
    q.limits.cpu_time_ms = 1500;
    struct run r = run_with(h, &q, "limits");
    CHECK_TEXT(r.text, "nproc=33 nofile=64 fsize=67108864 cpu=4 core=1 "
                       "stack=8388608 ");
    r = run(h, "memory");
    CHECK_TEXT(r.text, "half=ok more=ENOMEM ");
}

TEST(one_quota_holds_for_all_folders_of_a_run)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    q.limits.disk_bytes = 1 * MIB;
    q.limits.files = 100;
    struct run r = run_with(h, &q, "fill");
    expect(&r, "1024=ENOSPC 0=ENOSPC 0=ENOSPC files=98");

    q = request(h);
    q.limits.disk_bytes = 1 * MIB;
    q.leave_out = WALL_QUOTA;
    q.limits.file_bytes = 2 * MIB;
    r = run_with(h, &q, "fill");
    CHECK_INT(r.sealed.walls, ALL_WALLS & ~(unsigned)WALL_QUOTA);
}

TEST(processors_and_memory_are_those_of_the_limits)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    q.limits.cpus = 1;
    struct run r = run_with(h, &q, "cpus");
    CHECK_TEXT(r.text, "1 1");
}

static void deny(int listener, int call)
{
    struct seccomp_notif n = { 0 };
    CHECK(ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n) == 0);
    CHECK_INT(n.data.nr, call);
    struct seccomp_notif_resp a = { .id = n.id, .error = -EPERM };
    CHECK(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &a) == 0);
}

TEST(a_run_may_be_denied_children)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run r;
    q.flags = FORK_NO_CHILDREN;
    start(h, &q, &r, NULL, 0);
    await_seal(&r);
    send_program(&r, "fork");
    deny(r.fd[1], SYS_clone);
    finish(h, &r);
    expect(&r, "fork=EPERM");
}

TEST(a_denied_call_shows_up_at_the_listener)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run r;
    start(h, &q, &r, NULL, 0);
    await_seal(&r);
    send_program(&r, "ptrace");
    int listener = r.fd[1];
    deny(listener, SYS_ptrace);
    deny(listener, SYS_unshare);
    finish(h, &r);
    CHECK_TEXT(r.text, "ptrace=EPERM unshare=EPERM ");
}

TEST(a_fork_bomb_stops_at_its_limit_and_stops_nobody_else)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run bomb;
    start(h, &q, &bomb, NULL, 0);
    await_seal(&bomb);
    send_program(&bomb, "bomb");
    read_text(&bomb);
    expect(&bomb, "63 fork=EAGAIN");
    struct run r = run(h, "fork");
    CHECK_TEXT(r.text, "fork=ok 1");
    kill_run(&bomb);
    finish(h, &bomb);
    CHECK_INT(bomb.end.status, SIGKILL);
}

TEST(killing_pid_1_ends_a_daemon_in_its_own_session)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run r;
    start(h, &q, &r, NULL, 0);
    await_seal(&r);
    send_program(&r, "daemon_stays");
    read_text(&r);
    kill_run(&r);
    finish(h, &r);    /* the daemon had our pipe open */
    CHECK_INT(r.end.status, SIGKILL);
}

TEST(an_exit_is_reported_when_nothing_of_the_run_is_left)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run r;
    start(h, &q, &r, NULL, 0);
    await_seal(&r);
    send_program(&r, "daemon");
    r.end = await(h, r.id, NULL);
    CHECK(fcntl(r.out, F_SETFL, O_NONBLOCK) == 0);
    ssize_t n;
    while ((n = read(r.out, r.text, sizeof r.text)) > 0)
        ;
    CHECK_INT(n, 0);    /* not EAGAIN: nobody has it open */
    CHECK_INT(r.end.status, 0);
}

TEST(orphans_are_reaped_by_pid_1)
{
    struct run r = run(house(), "orphan");
    CHECK_TEXT(r.text, "gone=ESRCH ");
}

TEST(processor_time_of_children_is_counted)
{
    struct run r = run(house(), "burn");
    CHECK_INT(WEXITSTATUS(r.end.status), 3);
    CHECK(r.end.cpu_us >= 60000 && r.end.cpu_us < 10000000);
    CHECK(r.end.max_rss_kb > 0);
}

TEST(results_and_denials_cross_the_channel)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run r;
    struct msg_denied d;
    struct msg_result m;
    start(h, &q, &r, NULL, 0);
    await_seal(&r);
    send_program(&r, "result");
    AUTO_BUF one = { 0 }, two = { 0 };
    CHECK(frame(&r, &one).type == MSG_DENIED &&
          get_denied(buf_str(&one), &d) == 0);
    CHECK(str_is(d.subject, "example.org"));
    CHECK(frame(&r, &two).type == MSG_RESULT &&
          get_result(buf_str(&two), &m) == 0);
    CHECK(m.id == 9 && str_is(m.value, "42"));
    finish(h, &r);
}

TEST(a_run_without_a_program_ends_quietly)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run r;
    start(h, &q, &r, NULL, 0);
    await_seal(&r);
    CHECK(shutdown(r.channel, SHUT_RDWR) == 0);
    finish(h, &r);
    CHECK_INT(r.end.status, 0);
}

static void took(int listener, uint32_t address, uint16_t port)
{
    struct sockaddr_in at;
    socklen_t len = sizeof at;
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    CHECK(fd >= 0 && getsockname(fd, (struct sockaddr *)&at, &len) == 0);
    CHECK_INT(ntohl(at.sin_addr.s_addr), address);
    CHECK_INT(ntohs(at.sin_port), port);
    close(fd);
}

TEST(sockets_of_a_run_are_answered_from_outside)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run r;
    q.flags = FORK_EGRESS;
    q.ports = 2;
    q.port[0] = 80;
    q.port[1] = 443;
    q.routes = 2;
    q.route[0] = q.route[1] = 0x0a010203;
    start(h, &q, &r, NULL, 0);
    await_seal(&r);
    CHECK_INT(r.sealed.sockets, 3);
    send_program(&r, "egress");
    took(r.fd[3], GUEST_NET_BASE + 5, 80);
    took(r.fd[4], 0x0a010203, 443);
    took(r.fd[3], INADDR_LOOPBACK, 80);
    int type;
    socklen_t len = sizeof type;
    CHECK(getsockopt(r.fd[2], SOL_SOCKET, SO_TYPE, &type, &len) == 0);
    CHECK_INT(type, SOCK_DGRAM);
    finish(h, &r);
    CHECK_TEXT(r.text, "c=ok c=ok c=ENETUNREACH c=ECONNREFUSED c=ok ");
}

TEST(rights_by_path_replace_the_usual_ones)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    q.flags = FORK_PATHS;
    q.paths = 1;
    q.path[0].rights = PATH_READ;
    snprintf(q.path[0].at, FORK_PATH_BYTES, "/workspace");
    struct run r = run_with(h, &q, "walls");
    expect(&r, "work=EACCES tmp=EACCES shm=EACCES lent=EACCES");
}

TEST(a_fork_joins_its_cgroups)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run r;
    int one[2], two[2];
    char got[4] = "";
    CHECK(pipe2(one, O_CLOEXEC) == 0 && pipe2(two, O_CLOEXEC) == 0);
    start(h, &q, &r, (int[]){ one[1], two[1] }, 2);
    await_seal(&r);
    CHECK_INT(r.sealed.walls, ALL_WALLS | WALL_CGROUP);
    close(one[1]);
    close(two[1]);
    CHECK(read(one[0], got, 2) == 1 && got[0] == '0');
    CHECK(read(two[0], got, 2) == 1 && got[0] == '0');
    CHECK_INT(read(two[0], got, 1), 0);    /* the run has closed it */
    send_program(&r, "who");
    finish(h, &r);
    expect(&r, "fds=0,1,2,200 ");
}

TEST(a_seal_that_fails_says_which_step_and_ends)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run r;
    int no_cgroup = open("/dev/null", O_RDONLY | O_CLOEXEC);
    start(h, &q, &r, &no_cgroup, 1);
    AUTO_BUF body = { 0 };
    struct msg_fatal why;
    CHECK(frame(&r, &body).type == MSG_FATAL &&
          get_fatal(buf_str(&body), &why) == 0);
    CHECK(str_is(why.text, "join cgroups: Bad file descriptor"));
    finish(h, &r);
    CHECK_INT(WEXITSTATUS(r.end.status), SEAL_EXIT);
}

TEST(a_wall_that_is_left_out_is_not_claimed)
{
    static const struct { unsigned wall; const char *program, *text; } rows[] = {
        { WALL_PIDNS,    "who",   "" },
        { WALL_USERNS,   "who",   "uid=0" },
        { WALL_FDS,      "who",   "fds=0,1,2,3" },
        { WALL_RLIMITS,  "memory", "more=ok" },
        { WALL_LANDLOCK, "walls", "comm=ok" },
        { WALL_SECCOMP,  "ptrace", "" },
        { WALL_NETNS,    "walls", "" },
        { WALL_IPCNS,    "walls", "" },
        { WALL_UID,      "walls", "" },
        { WALL_DUMPABLE, "walls", "" },
        { WALL_MOUNTNS,  "walls", "" },
    };
    struct house *h = house();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct zygote_fork q = request(h);
        q.leave_out = rows[i].wall;
        struct run r = run_with(h, &q, rows[i].program);
        CHECK_INT(r.sealed.walls, ALL_WALLS & ~rows[i].wall);
        expect(&r, rows[i].text);
    }
}

static int zygote_fds(struct house *h)
{
    struct zygote_fork q = request(h);
    q.leave_out = WALL_FDS;
    struct run r = run_with(h, &q, "count_fds");
    return (int)strtol(r.text, NULL, 10);
}

TEST(many_forks_in_a_row_leave_no_descriptor)
{
    const char *asked = getenv("GB_FORKS");
    long n = asked ? strtol(asked, NULL, 10) : 200;
    struct house *h = house();
    int before = zygote_fds(h);
    for (long i = 0; i < n; i++)
        run(h, "nothing");
    CHECK_INT(zygote_fds(h), before);
}

TEST(fifty_runs_at_once_are_told_apart)
{
    enum { RUNS = 50 };
    static struct run r[RUNS];
    struct house *h = house();
    int before = zygote_fds(h);
    for (int i = 0; i < RUNS; i++) {
        struct zygote_fork q = request(h);
        start(h, &q, &r[i], NULL, 0);
    }
    for (int i = 0; i < RUNS; i++) {
        await_seal(&r[i]);
        send_program(&r[i], "stay");
    }
    for (int i = 0; i < RUNS; i++)
        read_text(&r[i]);
    struct run one = run(h, "who");
    expect(&one, "fds=0,1,2,200 ");
    for (int i = 0; i < RUNS; i++)
        kill_run(&r[(i * 7) % RUNS]);
    for (int i = 0; i < RUNS; i++) {
        finish(h, &r[i]);
        CHECK_INT(r[i].end.status, SIGKILL);
        CHECK_TEXT(r[i].text, "here");
    }
    CHECK_INT(zygote_fds(h), before);
}

TEST(without_a_supervisor_nothing_goes_on)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run r;
    start(h, &q, &r, NULL, 0);
    await_seal(&r);
    send_program(&r, "daemon_stays");
    read_text(&r);
    close(h->control);
    CHECK_INT(read(r.out, r.text, sizeof r.text), 0);
    struct pollfd p = { .fd = jail_pidfd(h->jail), .events = POLLIN };
    int status = -1;
    CHECK(poll(&p, 1, -1) == 1 && jail_reap(h->jail, &status) == 1);
    CHECK_INT(status, 0);
}

/* A request that is refused: by which errno; and its descriptors are closed. */
static void refused(struct house *h, const struct zygote_fork *q, size_t len,
                    size_t fds, int error)
{
    struct run r = { 0 };
    int theirs[FORK_FDS + 8];
    make_ends(&r, theirs);
    for (size_t i = FORK_FDS; i < COUNT(theirs); i++)
        theirs[i] = theirs[0];
    send_request(h, q, len, theirs, fds);
    for (size_t i = 0; i < FORK_FDS; i++)
        close(theirs[i]);
    struct zygote_report got = await(h, q->id, NULL);
    CHECK_INT(got.op, ZYGOTE_FAILED);
    CHECK_TEXT(got.step, "request");
    CHECK_INT(got.error, error);
    CHECK_INT(read(r.out, r.text, 1), 0);
}

TEST(a_fork_that_fails_is_reported_and_the_next_one_works)
{
    house_processes = 4;    /* the zygote, a run of two, and pid 1 of another */
    struct house *h = house();
    struct zygote_fork q = request(h);
    struct run r;
    int theirs[FORK_FDS];
    start(h, &q, &r, NULL, 0);
    await_seal(&r);
    for (int i = 0; i < 3; i++) {
        struct run none = { 0 };
        q = request(h);
        make_ends(&none, theirs);
        send_request(h, &q, sizeof q, theirs, FORK_FDS);
        struct zygote_report got = await(h, q.id, NULL);
        CHECK_INT(got.op, ZYGOTE_FAILED);
        CHECK_TEXT(got.step, "fork");
        CHECK_INT(got.error, EAGAIN);
    }
    kill_run(&r);
    finish(h, &r);
    r = run(h, "nothing");
    CHECK_INT(r.end.status, 0);
}

TEST(requests_that_make_no_sense_are_refused)
{
    struct house *h = house();
    struct zygote_fork q = request(h);
    refused(h, &q, sizeof q - 1, FORK_FDS, EPROTO);
    refused(h, &q, sizeof q, FORK_FDS - 1, EBADF);
    refused(h, &q, sizeof q, FORK_FDS + FORK_CGROUPS_MAX + 1, EMFILE);
    q.magic++;
    refused(h, &q, sizeof q, FORK_FDS, EPROTO);
    q = request(h);
    q.op = ZYGOTE_READY;
    refused(h, &q, sizeof q, FORK_FDS, EPROTO);
    q = request(h);
    q.flags = FORK_ALL + 1;
    refused(h, &q, sizeof q, FORK_FDS, EINVAL);
    q = request(h);
    q.ports = FORK_PORTS + 1;
    refused(h, &q, sizeof q, FORK_FDS, EINVAL);
    q = request(h);
    q.limits.memory_bytes = UINT64_MAX;
    refused(h, &q, sizeof q, FORK_FDS, EINVAL);
    q = request(h);
    q.paths = 1;
    memset(q.path[0].at, '/', FORK_PATH_BYTES);
    refused(h, &q, sizeof q, FORK_FDS, EINVAL);
    struct run r = run(h, "nothing");
    CHECK_INT(r.end.status, 0);
}

/* ---- cold starts --------------------------------------------------------------------- */

static struct run shell(struct house *h, const char *script)
{
    struct zygote_fork q = request(h);
    struct run r;
    start(h, &q, &r, NULL, 0);
    await_seal(&r);
    CHECK(write(r.in, script, strlen(script)) == (ssize_t)strlen(script));
    close(r.in);
    r.in = -1;
    finish(h, &r);
    return r;
}

TEST(a_cold_run_is_sealed_like_a_warm_one)
{
    struct house *h = cold_house("/bin/sh");
    CHECK_TEXT(h->ready.step, "cold");
    struct run r = shell(h, "echo $$ $(id -u) $(pwd); cd /proc; echo [0-9]*; "
                            "ls self/fd; exit 5");
    CHECK_INT(r.sealed.walls, ALL_WALLS);
    expect(&r, "2 1000 /workspace\n2\n0\n1\n2\n200\n");
    CHECK_INT(WEXITSTATUS(r.end.status), 5);

    r = shell(h, "nproc; grep -c ^processor /proc/cpuinfo; "
                 "grep MemTotal /proc/meminfo; wc -c < /proc/cmdline; "
                 "grep -c : /proc/net/dev; "
                 "head -c 65M /dev/zero > big; ls -l big | cut -d' ' -f5");
    expect(&r, "MemTotal:      131072 kB\n0\n1\n");
    expect(&r, "67108864\n");
}

TEST(a_program_that_cannot_be_started_is_named)
{
    struct house *h = cold_house("/no/such");
    struct zygote_fork q = request(h);
    struct run r;
    start(h, &q, &r, NULL, 0);
    await_seal(&r);
    AUTO_BUF body = { 0 };
    struct msg_fatal why;
    CHECK(frame(&r, &body).type == MSG_FATAL &&
          get_fatal(buf_str(&body), &why) == 0);
    CHECK(str_is(why.text, "/no/such: No such file or directory"));
}
