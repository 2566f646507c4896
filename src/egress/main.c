/*
 * egress/main.c -- glovebox-egress, the one process with a network.
 *
 * Started by a supervisor with a socket as descriptor 3 and nothing else:
 *
 *   CONFIG comes: rules, secrets -> seal itself -> ONLINE -> serve until the
 *   socket ends.
 *
 * It knows secrets and reads what servers send, so it has no other rights than
 * these two (seal.c).
 *
 * SPDX-License-Identifier: MIT
 */
#include "egress/inside.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

static struct server server;

static int is_socket(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc != 1 || !is_socket(EGRESS_FD)) {
        fprintf(stderr, "glovebox-egress is started by glovebox, which talks "
                        "with it over descriptor %d\n", EGRESS_FD);
        return 125;
    }
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    signal(SIGPIPE, SIG_IGN);
    if (loop_init(&server.loop) < 0 || link_init(&server, EGRESS_FD) < 0)
        return 125;
    while (!server.loop.stop)
        loop_once(&server);
    secrets_wipe(&server.secrets);
    return 0;
}
