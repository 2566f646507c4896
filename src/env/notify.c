/* env/notify.c -- system calls that a run's filter leaves to the supervisor.
 * SPDX-License-Identifier: MIT */
#include "env/notify.h"
#include "jail/calls.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>

int notify_is(int fd)
{
    uint64_t id = 0;
    return ioctl(fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) < 0 && errno == ENOENT;
}

/* Never "continue": the arguments could change between our look and the call. */
static int answer(int fd, uint64_t id, int error)
{
    struct seccomp_notif_resp resp = { .id = id, .error = error };
    int r;
    do
        r = ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &resp);
    while (r < 0 && errno == EINTR);
    return r < 0 && errno != ENOENT ? -errno : 0;
}

int notify_take(int fd, unsigned calls_flags, struct notify_call *out)
{
    /* Room for a kernel whose struct is larger than the one we know. */
    union { struct seccomp_notif n; char room[512]; } got;
    uint64_t args[6];
    int r;
    memset(&got, 0, sizeof got);
    do
        r = ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &got);
    while (r < 0 && errno == EINTR);
    if (r < 0)
        return errno == ENOENT ? 0 : -errno;

    for (size_t i = 0; i < COUNT(args); i++)
        args[i] = got.n.data.args[i];
    enum call_answer a = calls_judge(calls_flags, got.n.data.arch, got.n.data.nr,
                                     args);
    *out = (struct notify_call){
        .nr = got.n.data.nr, .name = call_name(got.n.data.nr),
        .fatal = a == CALL_KILL,
    };
    if (out->fatal)
        return 1;
    r = answer(fd, got.n.id, a == CALL_ABSENT ? -ENOSYS : -EPERM);
    return r < 0 ? r : 1;
}
