/*
 * tests/unit/test_rooms.c -- a furnished jail shows what it was given, read
 * only, and nothing else; its root is root of nothing but itself.
 *
 * A shell inside says what it sees. All but the failures run by root and again
 * by an ordinary user.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "jail/jail.h"
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { ORDINARY_UID = 54321, TEXT_ROOM = 8192 };

/* Of a host: a folder with a file, a mount below it, and a secret beside. */
static char host_dir[64];

static const struct jail_item rooms_of_a_shell[] = {
    { ROOM_BIND,   0, "/usr", "/usr" },
    { ROOM_LINK,   0, "/bin", "usr/bin" },
    { ROOM_LINK,   0, "/lib", "usr/lib" },
    { ROOM_LINK,   0, "/lib64", "usr/lib64" },
    { ROOM_PROC,   0, "/proc", NULL },
    { ROOM_DEVICE, 0, "/dev/null", "/dev/null" },
    { ROOM_FILE,   0, "/etc/motd", "hello\n" },
    { ROOM_DIR,    0, "/work/deep", NULL },
    { ROOM_BIND,   0, "/shown", host_dir },
    { ROOM_BIND,   ROOM_NOEXEC, "/one/file", "/usr/bin/env" },
    { ROOM_BIND,   ROOM_WRITABLE, "/open", host_dir },
    { ROOM_BIND,   ROOM_OPTIONAL, "/missing", "/no/such/thing" },
};

#define REQUIRED (JAIL_BUILDS & ~(unsigned)WALL_LANDLOCK)

static struct jail_rooms shell_rooms(int out)
{
    static const char *const env[] = { "PATH=/bin", "GREETING=hi", NULL };
    return (struct jail_rooms){
        .item = rooms_of_a_shell, .items = COUNT(rooms_of_a_shell),
        .program = "/bin/sh", .envp = env, .hostname = "cell",
        .stdio = { out, out, out }, .processes = 20, .open_files = 64,
    };
}

static struct jail_spec shell_spec(const struct jail_rooms *rooms,
                                   const char *const *argv, int channel)
{
    return (struct jail_spec){
        .argv = argv, .exec_fd = -1, .channel_fd = channel, .image_fd = -1,
        .required = REQUIRED, .limits = { UINT64_MAX, 8 * MIB },
        .rooms = rooms,
    };
}

static void read_all(int fd, char *text)
{
    size_t n = 0;
    for (ssize_t r; n < TEXT_ROOM - 1; n += (size_t)r)
        if ((r = read(fd, text + n, TEXT_ROOM - 1 - n)) <= 0)
            break;
    text[n] = 0;
}

/* What a script prints inside; out_walls may be NULL. */
static char *tell(const char *script, unsigned leave_out, unsigned *out_walls)
{
    static char text[TEXT_ROOM];
    const char *argv[] = { "sh", "-c", script, NULL };
    int out[2], channel[2];
    CHECK(pipe2(out, O_CLOEXEC) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) == 0);
    struct jail_rooms rooms = shell_rooms(out[1]);
    struct jail_spec spec = shell_spec(&rooms, argv, channel[1]);
    spec.leave_out = leave_out;
    spec.required &= ~leave_out;

    struct jail *j;
    struct err e = { 0 };
    if (jail_start(&spec, &j, &e) < 0)
        TEST_FAIL("%s", e.msg);
    close(out[1]);
    read_all(out[0], text);
    if (out_walls)
        *out_walls = jail_walls(j);
    jail_free(j);
    close(out[0]);
    close(channel[0]);
    close(channel[1]);
    return text;
}

static void expect(const char *script, const char *want)
{
    const char *got = tell(script, 0, NULL);
    if (strcmp(got, want) != 0)
        TEST_FAIL("%s\n# gives \"%s\",\n# not   \"%s\"", script, got, want);
}

/* ---- both ways in ---------------------------------------------------------------- */

static void make_host_dir(mode_t mode)
{
    char path[96];
    snprintf(host_dir, sizeof host_dir, "/tmp/gb-rooms-XXXXXX");
    CHECK(mkdtemp(host_dir) && chmod(host_dir, mode) == 0);
    snprintf(path, sizeof path, "%s/given", host_dir);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    CHECK(fd >= 0 && write(fd, "given\n", 6) == 6);
    close(fd);
}

static void remove_host_dir(void)
{
    static const char *const names[] = { "given", "made" };
    char path[96];
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", host_dir, names[i]);
        unlink(path);
    }
    CHECK(rmdir(host_dir) == 0);
}

static void become_ordinary(void)
{
    if (geteuid() != 0)
        return;
    CHECK(setgroups(0, NULL) == 0);
    CHECK(setresgid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID) == 0);
    CHECK(setresuid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID) == 0);
    CHECK(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
}

static void by_root(void (*check)(void))
{
    if (geteuid() != 0)
        SKIP("needs root");
    make_host_dir(0755);
    check();
    remove_host_dir();
}

static void by_user(void (*check)(void))
{
    become_ordinary();
    make_host_dir(0755);
    check();
    remove_host_dir();
}

#define BOTH(name)                                                            \
    static void check_##name(void);                                           \
    TEST(name##_by_root) { by_root(check_##name); }                           \
    TEST(name##_by_a_user) { by_user(check_##name); }                         \
    static void check_##name(void)

BOTH(it_shows_what_it_was_given)
{
    expect("cd /; echo *", "bin dev etc lib lib64 one open proc shown usr work\n");
    expect("cat /etc/motd /shown/given; echo $GREETING",
           "hello\ngiven\nhi\n");
    expect("cd /work && echo * && cd deep && echo *; uname -n",
           "deep\n*\ncell\n");
    expect("echo gone > /dev/null && cat /dev/null && echo kept", "kept\n");
}

BOTH(nothing_of_the_host_is_seen)
{
    expect("ls /tmp /home /root /sys /etc/passwd 2>/dev/null; echo end",
           "end\n");
    expect("cat /proc/mounts | while read -r dev at rest; do echo $at; done | "
           "grep -v -e '^/$' -e ^/usr -e ^/proc$ -e ^/dev/null -e ^/shown -e "
           "^/one/file -e ^/open; echo end", "end\n");
    expect("echo $$; cd /proc; echo [0-9]*", "1\n1\n");
}

BOTH(all_is_read_only_but_what_is_open)
{
    expect("for f in /x /etc/motd /usr/x /shown/x /shown/given /work/deep/x "
           "/dev/x /one/file; do (echo > $f) 2>/dev/null && echo wrote $f; "
           "done; echo end", "end\n");
    expect("grep -c ' / .*ro,' /proc/mounts", "1\n");
    expect("grep -E ' /(usr|shown|one/file) ' /proc/mounts | "
           "grep -v ' ro,[^ ]*nosuid,nodev'; echo end", "end\n");
    expect("/one/file true 2>/dev/null || echo no", "no\n");
    if (geteuid() != 0)    /* root's files are not the jail's to write */
        expect("echo new > /open/made && cat /open/made", "new\n");
}

/* Root inside; outside somebody whom nobody knows. */
BOTH(its_root_is_nobody_outside)
{
    unsigned inside = 0, outside = 0, count = 0;
    const char *map = tell("cat /proc/self/uid_map", 0, NULL);
    CHECK(sscanf(map, "%u %u %u", &inside, &outside, &count) == 3);
    CHECK_INT(inside, 0);
    CHECK_INT(count, 1);
    CHECK(geteuid() == 0 ? outside >= 0x8000 : outside == geteuid());
    map = tell("cat /proc/self/gid_map; id -G", 0, NULL);
    CHECK(sscanf(map, "%u %u %u", &inside, &outside, &count) == 3);
    CHECK(inside == 0 && outside != 0 && count == 1);
    if (geteuid() == 0)
        CHECK(strstr(map, "\n0\n") != NULL);
    expect("grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\t'",
           "NoNewPrivs:1\nSeccomp:2\n");
}

/* What a zygote does for every run. */
BOTH(it_can_seal_its_children_further)
{
    expect("unshare -m sh -c 'mount -t tmpfs -o size=1m none /work && "
           "echo x > /work/x && echo sealed'; echo x 2>/dev/null > /work/x || "
           "echo still read-only", "sealed\nstill read-only\n");
    expect("unshare -pfm --mount-proc sh -c 'echo $$'", "1\n");
    expect("unshare -Un sh -c 'id -u'", "65534\n");
    expect("nsenter --pid=/proc/self/ns/pid echo own", "own\n");
}

/* The mounts of a mightier namespace cannot be changed by a weaker one. */
BOTH(what_is_read_only_stays_so)
{
    if (geteuid() == 0)
        expect("mount -o remount,bind,rw /usr 2>/dev/null || echo no; "
               "umount /usr 2>/dev/null; "
               "mount -o remount,bind,rw /shown 2>/dev/null; "
               "(echo > /shown/x) 2>/dev/null || echo no", "no\nno\n");
    expect("unshare -Um --map-root-user mount -o remount,bind,rw /usr "
           "2>/dev/null || echo no", "no\n");
}

BOTH(limits_hold)
{
    expect("ulimit -n; ulimit -c", "64\n0\n");
    const char *text = tell("i=0; while [ $i -lt 40 ]; do sleep 10 & "
                            "i=$((i+1)); done; echo all", 0, NULL);
    if (strstr(text, "all") || !strstr(text, "fork"))
        TEST_FAIL("40 processes of 20: %s", text);
}

BOTH(descriptors_are_stdio_and_the_channel)
{
    expect("ls /proc/$$/fd; true", "0\n1\n2\n3\n");
}

/* Each wall can be left out alone, and is then not claimed. */
BOTH(a_wall_left_out_is_not_claimed)
{
    unsigned usual = 0;
    tell("true", 0, &usual);
    CHECK_INT(usual, REQUIRED);
    for (unsigned wall = 1; wall < BIT(17); wall <<= 1) {
        if (!(wall & REQUIRED) || (wall == WALL_USERNS && geteuid() != 0))
            continue;
        unsigned walls = 0;
        tell("true", wall, &walls);
        CHECK_INT(walls, usual & ~wall);
    }
}

BOTH(controls_show_that_it_is_the_wall)
{
    CHECK(strcmp(tell("test -d /tmp && echo seen", WALL_MOUNTNS, NULL),
                 "seen\n") == 0);
    CHECK(strcmp(tell("echo $$", WALL_PIDNS, NULL), "1\n") != 0);
    CHECK(strcmp(tell("uname -n", WALL_UTSNS, NULL), "cell\n") != 0);
    if (geteuid() == 0) {
        unsigned inside, outside = 1;
        CHECK(sscanf(tell("cat /proc/self/uid_map", WALL_UID, NULL), "%u %u",
                     &inside, &outside) == 2);
        CHECK_INT(outside, 0);
        CHECK(strstr(tell("unshare -n true || echo no", WALL_USERNS, NULL),
                     "no\n"));
    }
}

/* ---- what only root can bind ------------------------------------------------------ */

TEST(root_shows_what_only_root_can_reach)
{
    if (geteuid() != 0)
        SKIP("needs root");
    char outer[] = "/tmp/gb-rooms-XXXXXX";
    CHECK(mkdtemp(outer));    /* 0700 */
    CHECK(chown(outer, 1234, 1234) == 0);
    snprintf(host_dir, sizeof host_dir, "%s/in", outer);
    CHECK(mkdir(host_dir, 0755) == 0);
    expect("cd /shown && pwd", "/shown\n");
    CHECK(rmdir(host_dir) == 0 && rmdir(outer) == 0);
}

/* ---- failures ---------------------------------------------------------------------- */

static void refuses(const struct jail_item *items, size_t n, int code,
                    const char *text)
{
    static const char *const argv[] = { "sh", NULL };
    struct jail *untouched = (struct jail *)(uintptr_t)8, *j = untouched;
    struct jail_rooms rooms = shell_rooms(1);
    struct jail_spec spec = shell_spec(&rooms, argv, 0);
    struct err e = { 0 };
    rooms.item = items;
    rooms.items = n;
    CHECK_INT(jail_start(&spec, &j, &e), code);
    if (!strstr(e.msg, text))
        TEST_FAIL("\"%s\" does not say \"%s\"", e.msg, text);
    CHECK(j == untouched);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

BOTH(a_row_that_cannot_be_had_is_named)
{
    const struct jail_item missing[] = {
        { ROOM_DIR, 0, "/a", NULL },
        { ROOM_BIND, 0, "/b/c", "/no/such/thing" },
    };
    refuses(missing, 2, -ENOENT,
            "jail: furnished root: /b/c: No such file or directory");
    const struct jail_item no_device = { ROOM_DEVICE, 0, "/d", "/usr/bin/env" };
    refuses(&no_device, 1, -ENODEV, "furnished root: /d");
    const struct jail_item climbs = { ROOM_DIR, 0, "/a/../b", NULL };
    refuses(&climbs, 1, -ENOTSUP, "mount_ns");
    const struct jail_item nothing = { ROOM_DIR, 0, "/a", NULL };
    refuses(&nothing, 1, -ENOENT, "jail: exec: No such file");
}

/* A link in a folder that was bound before leads nowhere. */
BOTH(no_link_is_followed_on_the_way)
{
    char path[96];
    snprintf(path, sizeof path, "%s/made", host_dir);
    CHECK(symlink("/tmp", path) == 0);
    const struct jail_item through[] = {
        { ROOM_BIND, ROOM_WRITABLE, "/shown", host_dir },
        { ROOM_DIR, 0, "/shown/made/escaped", NULL },
    };
    refuses(through, 2, -ENOTDIR, "/shown/made/escaped");
    CHECK(access("/tmp/escaped", F_OK) < 0);
}

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

/* A required wall whose calls fail is no jail, whatever the reason. */
BOTH(a_refused_call_is_a_refused_start)
{
    static const struct { long nr; int error; const char *text; } rows[] = {
        { SYS_open_tree,   ENOSYS, "mount_ns" },
        { 442 /* mount_setattr */, ENOSYS, "mount_ns" },
        { SYS_move_mount,  EPERM,  "mount_ns" },
        { SYS_pivot_root,  EINVAL, "mount_ns" },
        { SYS_umount2,     EBUSY,  "furnished root" },
        { SYS_sethostname, EPERM,  "uts_ns" },
        { SYS_setresuid,   EPERM,  "user_ns" },
        { SYS_seccomp,     EINVAL, "filter" },
        { SYS_execve,      EACCES, "exec" },
    };
    static const char *const argv[] = { "sh", "-c", "true", NULL };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].nr == SYS_setresuid && geteuid() != 0)
            continue;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            struct jail_rooms rooms = shell_rooms(1);
            struct jail_spec spec = shell_spec(&rooms, argv, 0);
            struct jail *j;
            struct err e = { 0 };
            host_refuses(rows[i].nr, rows[i].error);
            int r = jail_start(&spec, &j, &e);
            if (r == 0 || !strstr(e.msg, rows[i].text))
                TEST_FAIL("call %ld: %d %s", rows[i].nr, r, e.msg);
            _exit(0);
        }
        int status;
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK_INT(status, 0);
    }
}

BOTH(no_mount_and_no_process_survives)
{
    char before[65536] = "", after[65536] = "";
    for (int i = 0; i < 2; i++) {
        int fd = open("/proc/self/mounts", O_RDONLY | O_CLOEXEC);
        CHECK(fd >= 0 && read(fd, i ? after : before, sizeof after - 1) > 0);
        close(fd);
        if (i == 0)
            tell("sleep 100 & echo", 0, NULL);
    }
    CHECK_TEXT(after, before);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* A supervisor that is killed takes its jail along. */
BOTH(it_dies_with_its_supervisor)
{
    static const char *const argv[] = { "sh", "-c", "echo; sleep 100", NULL };
    int out[2];
    char byte;
    CHECK(pipe2(out, O_CLOEXEC) == 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct jail_rooms rooms = shell_rooms(out[1]);
        struct jail_spec spec = shell_spec(&rooms, argv, 0);
        struct jail *j;
        if (jail_start(&spec, &j, NULL) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    close(out[1]);
    CHECK(read(out[0], &byte, 1) == 1);
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
    CHECK(read(out[0], &byte, 1) == 0);    /* nobody has the other end */
}
