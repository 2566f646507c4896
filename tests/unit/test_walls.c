/*
 * tests/unit/test_walls.c -- what a process takes from itself stays taken
 * (jail/seal.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "jail/seal.h"
#include "tests/test.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static char dir[] = "/tmp/gb-walls-XXXXXX";

static void seal(void)
{
    const struct seal_path paths[] = {
        { "/usr",            SEAL_READ | SEAL_EXEC },
        { "/lib",            SEAL_READ | SEAL_EXEC },
        { "/lib64",          SEAL_READ | SEAL_EXEC },
        { dir,               SEAL_WRITE },
        { "/dev/null",       SEAL_WRITE },    /* a file: no rights of folders */
        { "/",               SEAL_LIST },
        { "/no/such/thing",  SEAL_READ },
    };
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    int r = seal_landlock(paths, COUNT(paths));
    if (r == -EOPNOTSUPP)
        SKIP("no Landlock");
    CHECK_INT(r, 0);
}

static int opens(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

/* The status of a program, or the errno that it could not be run with. */
static int runs(const char *path)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        execl(path, "true", NULL);
        _exit(errno);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* In a child, which can no longer remove the folder itself. */
static void sealed(void (*check)(void))
{
    CHECK(mkdtemp(dir));
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        check();
        _exit(0);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(rmdir(dir) == 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIPPED)
        SKIP("this kernel's Landlock does not know it");
    CHECK_INT(status, 0);
}

static void check_paths(void)
{
    char file[64], sub[64];
    snprintf(file, sizeof file, "%s/file", dir);
    snprintf(sub, sizeof sub, "%s/sub", dir);
    CHECK_INT(opens("/etc/passwd", O_RDONLY), 0);
    CHECK_INT(runs("/usr/bin/true"), 0);
    seal();

    CHECK_INT(opens("/etc/passwd", O_RDONLY), -EACCES);
    CHECK_INT(opens("/proc/self/status", O_RDONLY), -EACCES);
    CHECK_INT(opens("/usr/bin/env", O_RDONLY), 0);
    CHECK_INT(opens("/usr/gb-walls", O_WRONLY | O_CREAT), -EACCES);
    CHECK_INT(opens("/dev/null", O_RDWR), 0);
    CHECK_INT(opens("/dev/zero", O_RDONLY), -EACCES);
    CHECK_INT(runs("/usr/bin/true"), 0);

    CHECK_INT(opens(file, O_RDWR | O_CREAT), 0);
    CHECK(truncate(file, 10) == 0 && mkdir(sub, 0755) == 0);
    CHECK(chmod(file, 0755) == 0);
    CHECK_INT(runs(file), EACCES);    /* what is written is not run */
    CHECK(rmdir(sub) == 0 && unlink(file) == 0);

    DIR *root = opendir("/");
    CHECK(root && readdir(root));
    closedir(root);
}

static void check_signals(void)
{
    pid_t outside = getppid();
    CHECK_INT(kill(outside, 0), 0);
    seal();
    int abi = (int)syscall(444 /* landlock_create_ruleset */, NULL, 0, 1);
    if (abi < 6)
        SKIP("Landlock of this kernel does not know signals");
    CHECK(kill(outside, 0) == -1 && errno == EPERM);
    CHECK_INT(kill(getpid(), 0), 0);
}

TEST(only_listed_paths_are_left)      { sealed(check_paths); }
TEST(nobody_outside_can_be_signalled) { sealed(check_signals); }

/* One of the sets in /proc/self/status, in hexadecimal. */
static unsigned long long capabilities(const char *set)
{
    char text[4096], key[16];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, text, sizeof text - 1);
    CHECK(n > 0);
    text[n] = 0;
    close(fd);
    snprintf(key, sizeof key, "\n%s:", set);
    const char *at = strstr(text, key);
    CHECK(at);
    return strtoull(at + strlen(key), NULL, 16);
}

TEST(no_capability_is_left_and_none_comes_back)
{
    static const char *const sets[] = { "CapInh", "CapPrm", "CapEff", "CapBnd",
                                        "CapAmb" };
    if (geteuid() != 0)
        SKIP("needs root");
    CHECK(capabilities("CapEff") != 0);
    CHECK_INT(seal_capabilities(), 0);
    for (size_t i = 0; i < COUNT(sets); i++)
        CHECK(capabilities(sets[i]) == 0);
    CHECK(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == -1 && errno == EPERM);
    CHECK(sethostname("x", 1) == -1 && errno == EPERM);
    /* uid 0 alone gives nothing back at exec */
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c",
              "grep -q 'CapEff:.0*$' /proc/self/status", NULL);
        _exit(99);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_INT(status, 0);
}

TEST(one_without_the_right_to_lock_is_told)
{
    if (geteuid() == 0)
        CHECK(setresuid(54321, 54321, 54321) == 0);
    CHECK_INT(seal_capabilities(), -EPERM);
}
