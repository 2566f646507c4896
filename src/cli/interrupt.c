/* cli/interrupt.c -- Ctrl-C and SIGTERM as a descriptor.
 * SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"
#include "base/base.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>

static volatile sig_atomic_t seen;
static int event_fd = -1;

static void handle(int number)
{
    int saved = errno;
    seen = number;
    (void)!write(event_fd, &(uint64_t){ 1 }, sizeof(uint64_t));
    errno = saved;
}

int interrupt_open(int *out_fd, struct err *e)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    if (event_fd < 0)
        event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event_fd < 0)
        return err_sys(e, "eventfd");
    for (size_t i = 0; i < COUNT(signals); i++) {
        struct sigaction act = { .sa_handler = handle }, before;
        if (sigaction(signals[i], NULL, &before) < 0)
            return err_sys(e, "sigaction");
        if (before.sa_handler != SIG_IGN)    /* nohup, or `&` in a script */
            sigaction(signals[i], &act, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    *out_fd = event_fd;
    return 0;
}

int interrupt_seen(void)
{
    return seen;
}

void interrupt_clear(void)
{
    uint64_t count;
    seen = 0;
    (void)!read(event_fd, &count, sizeof count);
}
