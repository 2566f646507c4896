/*
 * tests/unit/zygote_programs.h -- what the forks of the tests' own zygote run.
 *
 * test_zygote.c started with --zygote: serves as one, and each fork runs the
 * program of the table that the supervisor names.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "zygote/inside.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* ---- programs of the forks ----------------------------------------------------- */

static void say_errno(const char *what, int failed)
{
    printf("%s=%s ", what, failed ? strerrorname_np(errno) : "ok");
}

static void list(const char *path)
{
    DIR *d = opendir(path);
    if (!d) {
        say_errno(path, 1);
        return;
    }
    int self = dirfd(d), n = 0;
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.' && strtol(e->d_name, NULL, 10) != self &&
            e->d_name[0] <= '9')
            printf("%s%s", n++ ? "," : "", e->d_name);
    closedir(d);
    printf(" ");
}

static void program_who(void)
{
    char cwd[64] = "";
    printf("pid=%d uid=%d gid=%d euid=%d sid=%d cwd=%s ", getpid(), getuid(),
           getgid(), geteuid(), getsid(0) == getpid(),
           getcwd(cwd, sizeof cwd) ? cwd : "?");
    printf("pids=");
    list("/proc");
    printf("fds=");
    list("/proc/self/fd");
}

static void program_count_fds(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;
    while (d && readdir(d))
        n++;
    printf("%d", n);
}

static void program_limits(void)
{
    static const struct { const char *name; int what; } rows[] = {
        { "nproc", RLIMIT_NPROC }, { "nofile", RLIMIT_NOFILE },
        { "fsize", RLIMIT_FSIZE }, { "cpu", RLIMIT_CPU },
        { "core", RLIMIT_CORE },   { "stack", RLIMIT_STACK },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rlimit l = { 0 };
        getrlimit((__rlimit_resource_t)rows[i].what, &l);
        printf("%s=%llu ", rows[i].name, (unsigned long long)l.rlim_max);
    }
}

static void program_memory(void)
{
    void *half = mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    say_errno("half", half == MAP_FAILED);
    void *more = mmap(NULL, 65 * MIB, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    say_errno("more", more == MAP_FAILED);
}

static void program_walls(void)
{
    int fd;
    say_errno("root", (fd = open("/x", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) < 0);
    say_errno("etc", (fd = open("/etc/x", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) < 0);
    say_errno("init", (fd = open("/proc/1/mem", O_RDWR | O_CLOEXEC)) < 0);
    say_errno("kill", kill(1, SIGKILL) < 0);
    say_errno("cpuinfo", (fd = open("/proc/cpuinfo", O_WRONLY | O_CLOEXEC)) < 0);
    say_errno("work", (fd = open("f", O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0);
    say_errno("tmp", (fd = open("/tmp/f", O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0);
    say_errno("shm", (fd = open("/dev/shm/f", O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0);
    say_errno("lent", (fd = open("/lent/f", O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0);
    unlink("/lent/f");
    say_errno("comm", (fd = open("/proc/self/comm", O_WRONLY | O_CLOEXEC)) < 0);
    say_errno("null", (fd = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0);
    struct sockaddr_in far = { .sin_family = AF_INET, .sin_port = htons(80),
                               .sin_addr = { htonl(0x01010101) } };
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    say_errno("net", connect(fd, (struct sockaddr *)&far, sizeof far) < 0);
}

/* Fill a folder; says after how many KiB, and with which error. */
static void fill(const char *path)
{
    static char block[1024];
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), n = 0;
    while (fd >= 0 && n < 1 << 20 && write(fd, block, sizeof block) > 0)
        n++;
    printf("%d", n);
    say_errno("", 1);
    close(fd);
}

static void program_fill(void)
{
    fill("/workspace/a");
    fill("/tmp/b");
    fill("/dev/shm/c");
    unlink("/workspace/a");
    int n = 0, fd = 0;
    for (char name[32]; fd >= 0 && n < 100000; n++) {
        snprintf(name, sizeof name, "/workspace/n%d", n);
        fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        close(fd < 0 ? -1 : fd);
    }
    printf("files=%d", n - 1);
}

static void program_ptrace(void)
{
    say_errno("ptrace", ptrace(PTRACE_ATTACH, 1, 0, 0) < 0);
    say_errno("unshare", unshare(CLONE_NEWUSER) < 0);
}

/* All the children it can have; they and it stay until the run is killed. */
static void program_bomb(void)
{
    int n = 0;
    for (pid_t pid; n < 10000 && (pid = fork()) >= 0; n++)
        if (pid == 0)
            for (;;)
                pause();
    printf("%d ", n);
    say_errno("fork", 1);
    fflush(stdout);
    for (;;)
        pause();
}

static void program_fork(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(7);
    int status = 0;
    say_errno("fork", pid < 0);
    printf("%d", waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
}

static void daemon_of(int stay)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            (void)!write(1, "daemon", 6);
            for (;;)
                pause();
        }
        _exit(0);
    }
    while (wait(NULL) < 0)
        ;
    while (stay)
        pause();
}
static void program_daemon(void)       { daemon_of(0); }
static void program_daemon_stays(void) { daemon_of(1); }

/* An orphan's end must not need its grandparent. */
static void program_orphan(void)
{
    int p[2];
    (void)!pipe2(p, O_CLOEXEC);
    pid_t pid = fork();
    if (pid == 0) {
        pid_t deep = fork();
        if (deep > 0)
            (void)!write(p[1], &deep, sizeof deep);
        _exit(0);
    }
    pid_t deep = 0;
    waitpid(pid, NULL, 0);
    (void)!read(p[0], &deep, sizeof deep);
    while (kill(deep, 0) == 0)
        sched_yield();
    say_errno("gone", 1);
}

static void connect_to(uint32_t address, uint16_t port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port),
                              .sin_addr = { htonl(address) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    say_errno("c", connect(fd, (struct sockaddr *)&at, sizeof at) < 0);
    close(fd);
}

static void program_egress(void)
{
    connect_to(GUEST_NET_BASE + 5, 80);
    connect_to(0x0a010203, 443);
    connect_to(0x0a010204, 443);
    connect_to(GUEST_NET_BASE + 5, 81);
    connect_to(INADDR_LOOPBACK, 80);
}

static void program_result(void)
{
    struct msg_result m = { .id = 9, .reason = REASON_COMPLETED,
                            .limit = LIMIT_NONE,
                            .value = STR("42") };
    struct msg_denied d = { STR("net"), STR("example.org"), STR(""), STR("") };
    printf("%d ", channel_denied(&d));
    printf("%d", channel_result(&m));
}

static void program_burn(void)
{
    struct rusage use;
    if (fork() == 0) {
        do
            getrusage(RUSAGE_SELF, &use);
        while (use.ru_utime.tv_usec + use.ru_stime.tv_usec < 60000);
        _exit(0);
    }
    wait(NULL);
    _exit(3);
}

static void program_cpus(void)
{
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    printf("%d %ld", CPU_COUNT(&set), sysconf(_SC_NPROCESSORS_ONLN));
}

static void program_stay(void)
{
    printf("here");
    fflush(stdout);
    for (;;)
        pause();
}

static void program_nothing(void) { }

static const struct { const char *name; void (*run)(void); } programs[] = {
#define ROW(name) { #name, program_##name },
    ROW(who) ROW(count_fds) ROW(limits) ROW(memory) ROW(walls) ROW(fill)
    ROW(ptrace) ROW(bomb) ROW(fork) ROW(daemon) ROW(daemon_stays) ROW(orphan)
    ROW(egress) ROW(result) ROW(burn) ROW(cpus) ROW(stay) ROW(nothing)
#undef ROW
};

/* ---- the zygote -------------------------------------------------------------------- */

static int hook_calls[4];
static void hook_before(void *user) { (void)user; hook_calls[0]++; }
static void hook_parent(void *user) { (void)user; hook_calls[1]++; }
static void hook_child(void *user)  { (void)user; hook_calls[2]++; }
static void hook_sealed(void *user) { (void)user; hook_calls[3]++; }

static _Noreturn void be_zygote(void)
{
    const struct zygote_hooks hooks = {
        hook_before, hook_parent, hook_child, hook_sealed, .version = "test 1",
    };
    struct zygote_child child;
    struct msg_program m;
    zygote_serve(&hooks, &child);
    if (hook_calls[2] != 1 || hook_calls[3] != 1 ||
        hook_calls[0] != hook_calls[1] + 1)
        _exit(99);
    channel_program(&m);
    for (size_t i = 0; i < COUNT(programs); i++)
        if (str_is(m.source, programs[i].name)) {
            programs[i].run();
            fflush(stdout);
            _exit(0);
        }
    _exit(98);
}

__attribute__((constructor)) static void maybe_zygote(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--zygote") == 0)
        be_zygote();
}
