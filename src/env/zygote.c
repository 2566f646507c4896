/* env/zygote.c -- one zygote, as seen from the supervisor.
 * SPDX-License-Identifier: MIT */
#include "env/zygote.h"
#include "env/clock.h"
#include "env/rooms.h"
#include "env/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum {
    POLL_CONTROL, POLL_WORDS, POLL_EXIT,    /* rows of zygote_watch() */
    REPORT_FDS   = 2,
    REPORTS_MAX  = 64,              /* then others have their turn */
    SOCKET_BYTES = 256 << 10,
    STACK_BYTES  = 8 << 20,
    OWN_THREADS  = 64,              /* of the runtime itself */
    RUN_THREADS  = 8,               /* of a run, before its limit begins */
    OPEN_FILES   = 4096,
};
/* A runtime reserves more than it uses; each run has a limit of its own. */
#define DATA_BYTES (16 * 1024 * MIB)

struct zygote {
    struct jail                *jail;         /* NULL: somebody else's process */
    int                         control, words_fd;
    enum zygote_phase           phase;
    unsigned                    pending;
    uint64_t                    deadline_ns;
    const struct zygote_events *events;
    void                       *user;
    uint64_t                    base_bytes;
    char                        version[64];
    char                        words[ZYGOTE_WORDS_BYTES + 1];
    size_t                      words_len;
    char                        why[400];
};

/* ---- life ----------------------------------------------------------------- */

static int make(int control_fd, struct zygote **out, struct err *e)
{
    struct zygote *z = calloc(1, sizeof *z);
    if (!z) {
        close(control_fd);
        return err_set(e, -ENOMEM, "zygote: no memory");
    }
    z->control = control_fd;
    z->words_fd = -1;
    z->deadline_ns = clock_now_ns() + ZYGOTE_READY_MS * NS_PER_MS;
    int size = SOCKET_BYTES;
    setsockopt(control_fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    if (fcntl(control_fd, F_SETFL, O_NONBLOCK) < 0) {
        zygote_free(z);
        return err_sys(e, "zygote: control socket");
    }
    *out = z;
    return 0;
}

int zygote_over(int control_fd, struct zygote **out, struct err *e)
{
    return make(control_fd, out, e);
}

unsigned zygote_required(const struct guest_image *image)
{
    /* Landlock is put up by each run: the zygote has to seal them first. */
    return (GUEST_REQUIRES | image->required) & JAIL_BUILDS &
           ~(unsigned)WALL_LANDLOCK & ~(image->may_miss & GUEST_MAY_MISS) &
           ~image->leave_out & ~JAIL_BUILD_LACKS;
}

static int start_jail(struct zygote *z, const struct zygote_spec *spec,
                      const struct rooms *rooms, int channel, struct err *e)
{
    const struct guest_image *image = spec->image;
    const struct run_limits *l = &image->limits;
    int words[2];
    AUTO_FD null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || pipe2(words, O_CLOEXEC) < 0)
        return err_sys(e, "zygote: stdio");
    z->words_fd = words[0];
    AUTO_FD said = words[1];
    if (fcntl(z->words_fd, F_SETFL, O_NONBLOCK) < 0)
        return err_sys(e, "zygote: stdio");
    struct jail_rooms furnished = {
        .item = rooms->item, .items = rooms->items,
        .program = rooms->argv[0], .envp = rooms->envp,
        .hostname = image->hostname, .stdio = { null, said, said },
        .processes = OWN_THREADS + (uint64_t)spec->forks *
                                   (l->processes + RUN_THREADS),
        .open_files = l->open_files > OPEN_FILES ? l->open_files : OPEN_FILES,
    };
    struct jail_spec jail = {
        .argv = rooms->argv, .exec_fd = -1, .channel_fd = channel,
        .image_fd = -1, .rooms = &furnished,
        .required = zygote_required(image), .leave_out = image->leave_out,
        .limits = { .data_bytes = DATA_BYTES + l->memory_bytes,
                    .stack_bytes = STACK_BYTES },
    };
    return jail_start(&jail, &z->jail, e);
}

int zygote_start(const struct zygote_spec *spec, struct zygote **out,
                 struct err *e)
{
    int pair[2];
    struct rooms rooms = { 0 };
    struct zygote *z = NULL;
    int r = rooms_furnish(&rooms, spec->image, e);
    if (r < 0)
        return r;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        rooms_free(&rooms);
        return err_sys(e, "zygote: socketpair");
    }
    AUTO_FD theirs = pair[1];
    r = make(pair[0], &z, e);
    if (r == 0)
        r = start_jail(z, spec, &rooms, theirs, e);
    rooms_free(&rooms);
    if (r < 0) {
        zygote_free(z);
        return r;
    }
    *out = z;
    return 0;
}

static void hang_up(struct zygote *z)
{
    fd_closep(&z->control);
    z->control = -1;
}

void zygote_free(struct zygote *z)
{
    if (!z)
        return;
    hang_up(z);
    jail_free(z->jail);
    fd_closep(&z->words_fd);
    free(z);
}

void zygote_listen(struct zygote *z, const struct zygote_events *events,
                   void *user)
{
    z->events = events;
    z->user = user;
}

uint64_t zygote_deadline_ns(const struct zygote *z)       { return z->deadline_ns; }
enum zygote_phase zygote_phase(const struct zygote *z)    { return z->phase; }
uint64_t zygote_base_bytes(const struct zygote *z)        { return z->base_bytes; }
const char *zygote_version(const struct zygote *z)        { return z->version; }
const char *zygote_why(const struct zygote *z)            { return z->why; }

unsigned zygote_walls(const struct zygote *z)
{
    return z->jail ? jail_walls(z->jail) : 0;
}

/* ---- its words ------------------------------------------------------------ */

static void hear(struct zygote *z)
{
    char chunk[ZYGOTE_WORDS_BYTES];
    ssize_t n;
    while (z->words_fd >= 0 && (n = read(z->words_fd, chunk, sizeof chunk)) != 0) {
        if (n < 0) {
            if (errno == EINTR)
                continue;
            break;
        }
        size_t keep = ZYGOTE_WORDS_BYTES - (size_t)n;
        if (z->words_len > keep) {
            memmove(z->words, z->words + z->words_len - keep, keep);
            z->words_len = keep;
        }
        memcpy(z->words + z->words_len, chunk, (size_t)n);
        z->words_len += (size_t)n;
    }
    if (z->words_fd >= 0 && n == 0) {
        close(z->words_fd);
        z->words_fd = -1;
    }
}

/* Where to begin: at the line that names the error, if it says one. */
static size_t words_start(const struct zygote *z, size_t n, size_t room)
{
    static const char word[] = "Error";
    const char *found = NULL, *at = z->words;
    while ((at = memmem(at, n - (size_t)(at - z->words), word, strlen(word))))
        found = at++;
    if (!found)
        return n > room ? n - room : 0;
    while (found > z->words && found[-1] != '\n')
        found--;
    return (size_t)(found - z->words);
}

struct str zygote_words(const struct zygote *z)
{
    return (struct str){ z->words, z->words_len };
}

/* The end of what it said, on one line and printable. */
static void last_words(const struct zygote *z, char *out, size_t room)
{
    size_t n = z->words_len, len = 0;
    while (n && (unsigned char)z->words[n - 1] <= ' ')
        n--;
    for (size_t i = words_start(z, n, room - 1); i < n && len + 1 < room; i++) {
        unsigned char c = (unsigned char)z->words[i];
        out[len++] = c > ' ' && c <= '~' ? (char)c : ' ';
    }
    out[len] = '\0';
}

/* ---- its end -------------------------------------------------------------- */

/* Nobody may use it again. Its forks die with it: they live in its namespace. */
static void gone(struct zygote *z, const char *why)
{
    char words[280];
    if (z->phase == ZYGOTE_GONE)
        return;
    hear(z);
    last_words(z, words, sizeof words);
    snprintf(z->why, sizeof z->why, "%s%s%s", why, words[0] ? ": " : "", words);
    z->phase = ZYGOTE_GONE;
    z->deadline_ns = 0;
    hang_up(z);
    if (z->jail)
        jail_kill(z->jail);
    if (z->events && z->events->gone)
        z->events->gone(z->user, z->why);
}

void zygote_kill(struct zygote *z, const char *why)
{
    gone(z, why);
}

static void exited(struct zygote *z)
{
    int status;
    char why[100];
    if (!jail_reap(z->jail, &status))
        return;
    const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "the zygote died of SIG%s", name ? name : "?");
    else
        snprintf(why, sizeof why, "the zygote exited with status %d",
                 WEXITSTATUS(status));
    gone(z, why);
}

/* ---- what it says --------------------------------------------------------- */

static void close_all(const int *fd, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        close(fd[i]);
}

/* One packet with its descriptors. 1, 0 if there is none, or a negative errno. */
static int receive(struct zygote *z, struct zygote_report *out,
                   int fds[REPORT_FDS], unsigned *out_n)
{
    union { struct cmsghdr head; char room[CMSG_SPACE(REPORT_FDS * sizeof(int))]; }
        control;
    char spare;    /* a longer packet is no report */
    struct iovec parts[2] = { { out, sizeof *out }, { &spare, 1 } };
    struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2, .msg_control = &control,
                        .msg_controllen = sizeof control };
    ssize_t n;
    do
        n = recvmsg(z->control, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN ? 0 : -errno;
    *out_n = 0;
    for (struct cmsghdr *c = n ? CMSG_FIRSTHDR(&m) : NULL; c; c = CMSG_NXTHDR(&m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(fds, CMSG_DATA(c), count * sizeof(int));
        *out_n = (unsigned)count;
    }
    if (n == 0)
        return -EPIPE;
    if (n != sizeof *out || (m.msg_flags & (MSG_CTRUNC | MSG_TRUNC))) {
        close_all(fds, *out_n);
        return -EPROTO;
    }
    return 1;
}

static int is_pidfds(const int *fds, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (watch_pid_of(fds[i]) < 0)
            return 0;
    return n == REPORT_FDS;
}

/* Is this something that a zygote may say now? */
static int admit(const struct zygote *z, const struct zygote_report *r,
                 const int *fds, unsigned n)
{
    if (r->magic != ZYGOTE_MAGIC || memchr(r->step, 0, sizeof r->step) == NULL)
        return 0;
    switch (r->op) {
    case ZYGOTE_READY:  return z->phase == ZYGOTE_WARMING && n == 0;
    case ZYGOTE_FORKED: return z->pending > 0 && is_pidfds(fds, n);
    case ZYGOTE_FAILED: return n == 0;
    case ZYGOTE_EXITED: return z->phase == ZYGOTE_WARM && n == 0;
    default:            return 0;
    }
}

static void on_ready(struct zygote *z, const struct zygote_report *r)
{
    size_t len = 0;
    for (const char *at = r->step; *at; at++)
        z->version[len++] = *at > ' ' && *at <= '~' ? *at : '?';
    z->version[len] = '\0';
    z->phase = ZYGOTE_WARM;
    z->deadline_ns = 0;
    z->base_bytes = r->base_kb * KIB;
    if (z->events && z->events->ready)
        z->events->ready(z->user);
}

static void on_report(struct zygote *z, const struct zygote_report *r,
                      const int *fds, unsigned n)
{
    char why[160];
    if (!admit(z, r, fds, n)) {
        close_all(fds, n);
        gone(z, "the zygote said something that it may not say");
    } else if (r->op == ZYGOTE_READY) {
        on_ready(z, r);
    } else if (r->op == ZYGOTE_FAILED && z->phase == ZYGOTE_WARMING) {
        snprintf(why, sizeof why, "the zygote could not get ready: %s: %s", r->step,
                 strerror(r->error));
        gone(z, why);
    } else {
        if (r->op != ZYGOTE_EXITED && z->pending)
            z->pending--;
        if (z->events && z->events->report)
            z->events->report(z->user, r, n ? fds : NULL);
        else
            close_all(fds, n);
    }
}

static void hear_reports(struct zygote *z)
{
    for (int i = 0; i < REPORTS_MAX && z->control >= 0; i++) {
        struct zygote_report report;
        int fds[REPORT_FDS];
        unsigned n = 0;
        int r = receive(z, &report, fds, &n);
        if (r == 0)
            return;
        if (r > 0) {
            on_report(z, &report, fds, n);
        } else if (z->jail && r == -EPIPE) {
            hang_up(z);    /* its exit follows and says more */
            z->deadline_ns = clock_now_ns() + 1000 * NS_PER_MS;
        } else {
            gone(z, r == -EPROTO ? "the zygote sent something that is no report"
                                 : "the zygote hung up");
        }
    }
}

void zygote_watch(const struct zygote *z, struct pollfd out[ZYGOTE_POLLS])
{
    int dead = z->phase == ZYGOTE_GONE;
    out[POLL_CONTROL] = (struct pollfd){ .fd = z->control, .events = POLLIN };
    out[POLL_WORDS] = (struct pollfd){ .fd = z->words_fd, .events = POLLIN };
    out[POLL_EXIT] = (struct pollfd){ .fd = z->jail && !dead ? jail_pidfd(z->jail)
                                                            : -1,
                                      .events = POLLIN };
}

void zygote_turn(struct zygote *z, const struct pollfd f[ZYGOTE_POLLS],
                 uint64_t now_ns)
{
    if (f[POLL_WORDS].revents)
        hear(z);
    if (f[POLL_CONTROL].revents)
        hear_reports(z);
    if (f[POLL_EXIT].revents && z->phase != ZYGOTE_GONE)
        exited(z);
    if (z->deadline_ns && now_ns >= z->deadline_ns)
        gone(z, z->control < 0 ? "the zygote hung up"
                               : "the zygote did not get ready in time");
}

/* ---- what we ask ---------------------------------------------------------- */

int zygote_ask(struct zygote *z, const struct zygote_fork *f, const int *fds,
               unsigned n)
{
    enum { MAX = FORK_FDS + FORK_CGROUPS_MAX };
    union { struct cmsghdr head; char room[CMSG_SPACE(MAX * sizeof(int))]; }
        control = { 0 };
    if (z->phase != ZYGOTE_WARM || z->control < 0 || n > MAX)
        return -EPIPE;
    if (z->pending >= ZYGOTE_PENDING_MAX)
        return -EAGAIN;
    struct iovec part = { (void *)f, sizeof *f };
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                        .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    ssize_t sent;
    do
        sent = sendmsg(z->control, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    if (sent < 0)
        return -errno;
    z->pending++;
    return 0;
}
