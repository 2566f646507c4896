/* env/child_flow.c -- stdin, stdout and stderr of a run.
 * SPDX-License-Identifier: MIT */
#include "env/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

static void shut(int *fd)
{
    fd_closep(fd);
    *fd = -1;
}

/* A pipe of which one end is theirs and the other, ours, never blocks. */
static int make_pipe(int *out_read, int *out_write, int *ours)
{
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) < 0)
        return -1;
    *out_read = pair[0];
    *out_write = pair[1];
    return fcntl(*ours, F_SETFL, O_NONBLOCK);
}

/*
 * All three are pipes, whatever the caller's are: a guest never holds a
 * descriptor of ours, so it cannot write to a terminal it should read from,
 * or change how ours behave.
 */
int flow_open(struct child *c, struct err *e)
{
    int pair[2];
    if (make_pipe(&c->theirs[FORK_STDIN], &c->stdin_fd, &c->stdin_fd) < 0 ||
        make_pipe(&c->out_fd[OUT_STDOUT], &c->theirs[FORK_STDOUT],
                  &c->out_fd[OUT_STDOUT]) < 0 ||
        make_pipe(&c->out_fd[OUT_STDERR], &c->theirs[FORK_STDERR],
                  &c->out_fd[OUT_STDERR]) < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(e, "the pipes of a run");
    c->channel = pair[0];
    c->theirs[FORK_CHANNEL] = pair[1];
    if (fcntl(c->channel, F_SETFL, O_NONBLOCK) < 0)
        return err_sys(e, "the channel of a run");
    return 0;
}

void flow_sent(struct child *c)
{
    for (int i = 0; i < FORK_FDS; i++)
        shut(&c->theirs[i]);
}

void flow_free(struct child *c)
{
    flow_sent(c);
    for (int i = 0; i < OUT_STREAMS; i++)
        shut(&c->out_fd[i]);
    shut(&c->stdin_fd);
    free(c->pump);
    c->pump = NULL;
}

/* ---- out ------------------------------------------------------------------ */

static int over_limit(const struct child *c)
{
    return c->out_bytes > c->spec.limits.output_bytes;
}

static void stop_for_output(struct child *c)
{
    child_stop(c, &(struct child_stop){
        .reason = REASON_OUTPUT_LIMIT, .limit = LIMIT_output_bytes,
        .observed = c->out_bytes });
}

/* What comes before a program was sent is nobody's. */
static ssize_t read_once(struct child *c, int stream)
{
    char chunk[CHILD_READ_BYTES];
    ssize_t n;
    if (c->out_fd[stream] < 0)
        return 0;
    do
        n = read(c->out_fd[stream], chunk, sizeof chunk);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        shut(&c->out_fd[stream]);
    if (n <= 0)
        return 0;
    if (c->phase == PHASE_RUNNING) {
        c->out_bytes += (uint64_t)n;
        if (c->events && c->events->output)
            c->events->output(c->user, stream, (struct str){ chunk, (size_t)n });
    }
    return n;
}

void flow_read(struct child *c, int stream)
{
    for (int i = 0; i < CHILD_READS_AT_ONCE && c->state != CHILD_KILLING; i++) {
        ssize_t n = read_once(c, stream);
        if (c->state == CHILD_ACTIVE && over_limit(c))
            stop_for_output(c);
        if (n < CHILD_READ_BYTES)
            return;
    }
}

/* Whoever wrote is dead: what is in the pipes is all there will be. */
void flow_drain(struct child *c)
{
    for (int i = 0; i < OUT_STREAMS; i++)
        while (read_once(c, i) > 0)
            ;
    if (c->state == CHILD_ACTIVE && over_limit(c))
        stop_for_output(c);
}

/* ---- in ------------------------------------------------------------------- */

void flow_input(struct child *c, const struct guest_run *g)
{
    c->input = g->input;
    c->input_fd = g->input.len ? -1 : g->input_fd;
    if (c->input_fd >= 0)
        c->pump = malloc(CHILD_READ_BYTES);
    if (!c->pump)
        c->input_fd = -1;
    flow_write(c, POLLOUT, 0);
}

short flow_stdin_events(const struct child *c)
{
    return c->input.len ? POLLOUT : 0;
}

static void refill(struct child *c)
{
    ssize_t n;
    do
        n = read(c->input_fd, c->pump, CHILD_READ_BYTES);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return;
    if (n <= 0)
        c->input_fd = -1;
    else
        c->input = (struct str){ c->pump, (size_t)n };
}

/* A guest that does not read, or closed its end, costs nothing but the pipe. */
void flow_write(struct child *c, short stdin_events, short input_events)
{
    if (c->stdin_fd < 0)
        return;
    if (input_events && c->input_fd >= 0 && !c->input.len)
        refill(c);
    while (c->input.len) {
        ssize_t n = write(c->stdin_fd, c->input.at, c->input.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0)
            break;
        c->input.at += n;
        c->input.len -= (size_t)n;
    }
    if (c->input.len || (stdin_events & POLLERR) || c->input_fd < 0) {
        c->input = (struct str){ 0 };
        shut(&c->stdin_fd);
    }
}
