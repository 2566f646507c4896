/*
 * jail/facts.c -- what is no wall, but decides which walls or what speed can be
 * had on this host.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jail/probe.h"
#include "jail/cgroup.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#ifndef HWCAP2_FSGSBASE
#define HWCAP2_FSGSBASE BIT(1)
#endif

/* The first line of a small file, or NULL. */
static const char *first_line(const char *path, char *text, size_t room)
{
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);
    if (n < 0)
        return NULL;
    text[n] = 0;
    text[strcspn(text, "\n")] = 0;
    return text;
}

static void fact_kernel(struct probe_fact *f)
{
    struct utsname u;
    f->ok = uname(&u) == 0;
    if (f->ok)
        snprintf(f->why, sizeof f->why, "%.40s %.40s %.40s", u.sysname,
                 u.release, u.machine);
}

/* What stands between an ordinary user and a user namespace. */
static void fact_user_namespaces(struct probe_fact *f)
{
    static const struct { const char *path, *bad, *name; } knobs[] = {
        { "/proc/sys/user/max_user_namespaces", "0",
          "user.max_user_namespaces is 0" },
        { "/proc/sys/kernel/unprivileged_userns_clone", "0",
          "kernel.unprivileged_userns_clone is 0" },
        { "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
          "kernel.apparmor_restrict_unprivileged_userns is 1" },
    };
    char text[32];
    f->ok = 1;
    snprintf(f->why, sizeof f->why, "no setting forbids them");
    for (size_t i = 0; i < COUNT(knobs); i++) {
        const char *now = first_line(knobs[i].path, text, sizeof text);
        if (now && strcmp(now, knobs[i].bad) == 0) {
            f->ok = 0;
            snprintf(f->why, sizeof f->why, "%s", knobs[i].name);
        }
    }
}

/* A group is made with limits, and taken away. */
static void fact_cgroups(struct probe_fact *f)
{
    struct cgroups *c = NULL;
    struct err e = { 0 };
    f->ok = cgroups_open(&c, &e) == 0;
    if (f->ok)
        snprintf(f->why, sizeof f->why, "%s: made a group with limits of memory "
                 "and processes", cgroups_kind(c));
    else
        snprintf(f->why, sizeof f->why, "%.150s", e.msg);
    cgroups_free(c);
}

/* There is nothing to run inside: to be told so, all walls must stand. */
static void fact_rooms(struct probe_fact *f)
{
    static const char *const argv[] = { "none", NULL }, *const env[] = { NULL };
    static const struct jail_item items[] = {
        { ROOM_BIND,   ROOM_OPTIONAL, "/usr", "/usr" },
        { ROOM_PROC,   0, "/proc", NULL },
        { ROOM_DEVICE, ROOM_OPTIONAL, "/dev/null", "/dev/null" },
    };
    const struct jail_rooms rooms = {
        .item = items, .items = COUNT(items), .program = "/none", .envp = env,
        .stdio = { -1, -1, -1 }, .processes = 8, .open_files = 64,
    };
    AUTO_FD channel = open("/", O_PATH | O_CLOEXEC);
    const struct jail_spec spec = {
        .argv = argv, .exec_fd = -1, .channel_fd = channel, .image_fd = -1,
        .required = JAIL_BUILDS, .rooms = &rooms,
        .limits = { UINT64_MAX, 8 * MIB },
    };
    struct err e = { 0 };
    struct jail *j = NULL;
    int r = jail_start(&spec, &j, &e);
    jail_free(j);
    f->ok = r == -ENOENT && strncmp(e.msg, "jail: exec", 10) == 0;
    snprintf(f->why, sizeof f->why, "%.150s",
             f->ok ? "a furnished jail was built, with all its walls" : e.msg);
}

static void fact_fsgsbase(struct probe_fact *f)
{
#ifdef __x86_64__
    f->ok = (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0;
    snprintf(f->why, sizeof f->why, f->ok ? "the fast js engine can run"
             : "the js engine changes cells by a system call");
#else
    snprintf(f->why, sizeof f->why, "only x86-64 has it");
#endif
}

static const struct {
    const char *name;
    void (*ask)(struct probe_fact *);
} facts[] = {
    { "kernel",               fact_kernel          },
    { "user namespaces",      fact_user_namespaces },
    { "cgroups",              fact_cgroups         },
    { "jail of node, python", fact_rooms           },
    { "fsgsbase",             fact_fsgsbase        },
};

size_t probe_facts(struct probe_fact *out, size_t n)
{
    size_t i;
    for (i = 0; i < n && i < COUNT(facts); i++) {
        out[i] = (struct probe_fact){ .name = facts[i].name };
        facts[i].ask(&out[i]);
    }
    return i;
}
