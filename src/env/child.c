/* env/child.c -- one fork of a zygote, from the request to its last trace.
 * SPDX-License-Identifier: MIT */
#include "env/child.h"
#include "env/clock.h"
#include "env/files.h"
#include "env/inside.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

enum { CHECK_LEAST_MS = 5 };

/* ---- the table ------------------------------------------------------------ */

enum event {
    EV_ASKED,       /* the zygote has the request */
    EV_SEALED,      /* forked and sealed: its processes are known */
    EV_PROGRAM,     /* the program is on its way */
    EV_KILL,
    EV_GONE,        /* no process of it is left */
    EVENTS
};

static void keep(struct child *c)
{
    (void)c;
}

static void await_seal(struct child *c)
{
    c->deadline_ns = clock_now_ns() + CHILD_SEAL_MS * NS_PER_MS;
}

static void park(struct child *c)
{
    c->deadline_ns = 0;
}

static void go(struct child *c);
static void slay(struct child *c);
static void bury(struct child *c);

/* An empty cell is an event that makes no sense there. */
static const struct cell {
    void (*act)(struct child *);
    enum child_state next;
} table[CHILD_STATES][EVENTS] = {
    [CHILD_QUEUED] = {
        [EV_ASKED]   = { await_seal, CHILD_STARTING },
        [EV_KILL]    = { bury,       CHILD_DONE     },
        [EV_GONE]    = { bury,       CHILD_DONE     },
    },
    [CHILD_STARTING] = {
        [EV_SEALED]  = { park,       CHILD_PARKED   },
        [EV_KILL]    = { slay,       CHILD_KILLING  },
        [EV_GONE]    = { bury,       CHILD_DONE     },
    },
    [CHILD_PARKED] = {
        [EV_PROGRAM] = { go,         CHILD_ACTIVE   },
        [EV_KILL]    = { slay,       CHILD_KILLING  },
        [EV_GONE]    = { bury,       CHILD_DONE     },
    },
    [CHILD_ACTIVE] = {
        [EV_KILL]    = { slay,       CHILD_KILLING  },
        [EV_GONE]    = { bury,       CHILD_DONE     },
    },
    [CHILD_KILLING] = {
        [EV_SEALED]  = { slay,       CHILD_KILLING  },
        [EV_KILL]    = { keep,       CHILD_KILLING  },
        [EV_GONE]    = { bury,       CHILD_DONE     },
    },
    /* CHILD_DONE has no row. */
};

static int event(struct child *c, enum event ev)
{
    const struct cell *cell = &table[c->state][ev];
    if (!cell->act)
        return -EINVAL;
    if (cell->next != CHILD_DONE)
        c->state = cell->next;    /* burying looks at how it lived */
    cell->act(c);
    c->state = cell->next;
    return 0;
}

/* ---- usage ---------------------------------------------------------------- */

static uint64_t cpu_now(struct child *c, struct cgroup_usage *u)
{
    *u = (struct cgroup_usage){ 0 };
    if (c->cgroup)
        cgroup_usage(c->cgroup, u);
    if (u->cpu_ns)
        return u->cpu_ns;
    watch_sample(&c->watch, c->spec.limits.memory_bytes);
    return c->watch.cpu_ns;
}

static uint64_t since(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

/* Not before all its processors together could have used up what is left. */
static void plan_check(struct child *c, uint64_t now_ns, uint64_t used_ns)
{
    const struct run_limits *l = &c->spec.limits;
    uint64_t left = since(l->cpu_time_ms * NS_PER_MS, used_ns);
    uint64_t wait = left / (l->cpus ? l->cpus : 1);
    if (wait < CHECK_LEAST_MS * NS_PER_MS)
        wait = CHECK_LEAST_MS * NS_PER_MS;
    /* Memory is ours to watch; where a cgroup does, it may have killed one
     * process of several, and the others would go on without it. */
    if (wait > WATCH_EVERY_MS * NS_PER_MS)
        wait = WATCH_EVERY_MS * NS_PER_MS;
    c->check_ns = now_ns + wait;
}

static void check(struct child *c, uint64_t now_ns)
{
    const struct run_limits *l = &c->spec.limits;
    struct cgroup_usage u;
    uint64_t used = since(cpu_now(c, &u), c->base_cpu_ns);
    if (used >= l->cpu_time_ms * NS_PER_MS)
        child_stop(c, &(struct child_stop){
            .reason = REASON_CPU_TIME_LIMIT, .limit = LIMIT_cpu_time_ms,
            .observed = used / NS_PER_MS });
    else if (!c->cgroup && c->watch.memory_bytes > l->memory_bytes)
        child_stop(c, &(struct child_stop){
            .reason = REASON_MEMORY_LIMIT, .limit = LIMIT_memory_bytes,
            .observed = c->watch.memory_bytes });
    else if (u.out_of_memory)
        child_stop(c, &(struct child_stop){
            .reason = REASON_MEMORY_LIMIT, .limit = LIMIT_memory_bytes,
            .observed = u.memory_peak_bytes });
    else
        plan_check(c, now_ns, used);
}

static enum counted_by counter(const struct child *c)
{
    if (!c->cgroup)
        return BY_RLIMITS;
    return strcmp(cgroups_kind(c->spec.cgroups), "v1") == 0 ? BY_CGROUP_V1
                                                           : BY_CGROUP_V2;
}

/* r: what the zygote said of its end; NULL if nobody is there to say it. */
static void sum_up(struct child *c, const struct zygote_report *r)
{
    struct evidence *ev = &c->ev;
    struct cgroup_usage u = { 0 };
    struct statvfs vfs;
    ev->counted_by = counter(c);
    ev->cpu_ns = since(c->watch.cpu_ns, c->base_cpu_ns);
    ev->memory_peak_bytes = c->watch.memory_peak_bytes;
    if (r) {
        uint64_t grown = since(r->max_rss_kb * KIB, c->base_bytes);
        ev->reaped = 1;
        ev->status = r->status;
        if (r->cpu_us * 1000 > ev->cpu_ns)
            ev->cpu_ns = r->cpu_us * 1000;
        if (grown > ev->memory_peak_bytes)
            ev->memory_peak_bytes = grown;
    }
    if (c->cgroup) {
        cgroup_usage(c->cgroup, &u);
        ev->memory_peak_bytes = u.memory_peak_bytes;
        if (u.cpu_ns)
            ev->cpu_ns = since(u.cpu_ns, c->base_cpu_ns);
    }
    ev->out_of_memory = u.out_of_memory;
    ev->out_of_processes = u.out_of_processes ||
        (!c->cgroup && c->watch.threads_peak >= c->spec.limits.processes);
    if (c->work >= 0 && fstatvfs(c->work, &vfs) == 0) {
        ev->disk_full = vfs.f_blocks && vfs.f_bfree == 0;
        ev->files_full = vfs.f_files && vfs.f_ffree == 0;
    }
    if (c->fatal[0])
        snprintf(ev->words, sizeof ev->words, "%s", c->fatal);
}

/* ---- life ----------------------------------------------------------------- */

static int check_paths(const struct guest_image *image, struct err *e)
{
    if (image->paths > FORK_RULES)
        return err_set(e, -EINVAL, "permissions.fs has %zu paths: at most %d fit",
                       image->paths, FORK_RULES);
    for (size_t i = 0; i < image->paths; i++)
        if (strlen(image->path[i].at) >= FORK_PATH_BYTES)
            return err_set(e, -EINVAL, "permissions.fs: %.80s... is too long",
                           image->path[i].at);
    return 0;
}

int child_new(const struct child_spec *spec, struct child **out, struct err *e)
{
    int r = check_paths(spec->image, e);
    if (r < 0)
        return r;
    struct child *c = calloc(1, sizeof *c);
    if (!c)
        return err_set(e, -ENOMEM, "no memory for a run");
    c->spec = *spec;
    c->init_fd = c->run_fd = c->channel = c->work = c->listener = -1;
    c->stdin_fd = c->input_fd = -1;
    for (int i = 0; i < FORK_FDS; i++)
        c->theirs[i] = -1;
    for (int i = 0; i < OUT_STREAMS; i++)
        c->out_fd[i] = -1;
    talk_init(c);
    r = flow_open(c, e);
    if (r == 0 && spec->cgroups) {
        struct cgroup_limits limits = { .memory_bytes = spec->limits.memory_bytes,
                                        .processes = spec->limits.processes };
        r = cgroup_make(spec->cgroups, &limits, &c->cgroup, e);
    }
    if (r < 0) {
        child_free(c);
        return r;
    }
    *out = c;
    return 0;
}

static void close_net(struct child *c)
{
    if (c->net_open)
        c->ev.egress_bytes = c->spec.net->close(c->spec.net->user, c);
    c->net_open = 0;
}

/* Everything but the memory of it. */
static void release(struct child *c)
{
    close_net(c);
    flow_free(c);
    talk_free(c);
    watch_free(&c->watch);
    fd_closep(&c->init_fd);
    fd_closep(&c->run_fd);
    c->init_fd = c->run_fd = -1;
    if (c->cgroup)
        cgroup_free(c->cgroup);
    c->cgroup = NULL;
}

void child_free(struct child *c)
{
    if (!c)
        return;
    if (c->state != CHILD_DONE) {
        slay(c);
        release(c);
    }
    free(c);
}

static void fill_fork(const struct child *c, struct zygote_fork *f)
{
    const struct guest_image *image = c->spec.image;
    *f = (struct zygote_fork){
        .magic = ZYGOTE_MAGIC, .op = ZYGOTE_FORK, .id = c->spec.id,
        .flags = (c->spec.spare ? FORK_SPARE : 0u) |
                 (c->spec.net ? FORK_EGRESS : 0u) |
                 (image->no_children ? FORK_NO_CHILDREN : 0u) |
                 (c->cgroup ? FORK_COUNTED : 0u) |
                 (image->mounts ? FORK_NO_UNIX : 0u) |
                 (image->path ? FORK_PATHS : 0u),
        .leave_out = image->leave_out, .limits = c->spec.limits,
        .paths = (uint32_t)image->paths,
    };
    for (size_t i = 0; i < image->paths; i++) {
        f->path[i].rights = image->path[i].rights;
        snprintf(f->path[i].at, sizeof f->path[i].at, "%s", image->path[i].at);
    }
    if (c->spec.net)
        c->spec.net->ports(c->spec.net->user, f);
}

int child_ask(struct child *c, struct zygote *z)
{
    struct zygote_fork f;
    int fds[FORK_FDS + CGROUP_PROCS_MAX];
    unsigned n = FORK_FDS;
    if (c->state != CHILD_QUEUED)
        return -EINVAL;
    memcpy(fds, c->theirs, sizeof c->theirs);
    if (c->cgroup)
        n += cgroup_procs(c->cgroup, fds + n);
    fill_fork(c, &f);
    int r = zygote_ask(z, &f, fds, n);
    if (r < 0)
        return r;
    flow_sent(c);
    c->jail_walls = zygote_walls(z);
    c->base_bytes = zygote_base_bytes(z);
    return event(c, EV_ASKED);
}

void child_listen(struct child *c, const struct child_events *events, void *user)
{
    c->events = events;
    c->user = user;
}

enum child_state child_state(const struct child *c)         { return c->state; }
uint64_t child_id(const struct child *c)                    { return c->spec.id; }
int child_is_spare(const struct child *c)                   { return c->spec.spare; }
const struct run_limits *child_limits(const struct child *c) { return &c->spec.limits; }
unsigned child_walls(const struct child *c)    { return c->jail_walls | c->walls; }
const char *child_trouble(const struct child *c)            { return c->trouble; }
int child_is_stuck(const struct child *c)                   { return c->stuck; }
uint64_t child_deadline_ns(const struct child *c)
{
    if (c->state == CHILD_ACTIVE)
        return c->check_ns;
    return c->deadline_ns;
}

/* ---- its seal ------------------------------------------------------------- */

/* Two words from two mouths, in any order: the zygote's, with which we can end
 * the run, and the run's own. */
static void maybe_park(struct child *c)
{
    struct err e = { 0 };
    if (!c->forked || !c->sealed)
        return;
    if (c->sockets && c->spec.net) {
        int r = c->spec.net->open(c->spec.net->user, c,
                                  c->spec.limits.egress_bytes, c->socket,
                                  c->sockets, &e);
        if (r < 0) {
            child_broken(c, e.msg);
            return;
        }
        c->net_open = 1;
    }
    if (event(c, EV_SEALED) == 0 && c->state == CHILD_PARKED && c->events &&
        c->events->sealed)
        c->events->sealed(c->user);
}

void child_sealed(struct child *c)
{
    c->sealed = 1;
    maybe_park(c);
}

static void take_processes(struct child *c, const int *fds)
{
    if (c->forked) {
        close(fds[0]);
        close(fds[1]);
        return;
    }
    c->init_fd = fds[0];
    c->run_fd = fds[1];
    c->forked = 1;
    pid_t init = watch_pid_of(c->init_fd), run = watch_pid_of(c->run_fd);
    watch_init(&c->watch, init > 0 && init != run ? init : 0, run > 0 ? run : 0);
    if (c->state == CHILD_KILLING)
        slay(c);
    else
        maybe_park(c);
}

/* ---- its program ---------------------------------------------------------- */

static void go(struct child *c)
{
    struct cgroup_usage u;
    if (c->cgroup || c->spec.spare)
        c->base_cpu_ns = cpu_now(c, &u);
    plan_check(c, clock_now_ns(), 0);
}

/* The program by its name below the work directory; 0 if it has none. */
static int program_file(const struct msg_run *m, char name[NAME_MAX + 1],
                        struct guest_file *out)
{
    if (!m->name.len || m->name.len > NAME_MAX)
        return 0;
    snprintf(name, NAME_MAX + 1, "%.*s", (int)m->name.len, m->name.at);
    *out = (struct guest_file){ name, m->source };
    return files_check_path(name, NULL) == 0;
}

/* A program looks for itself: a thread or a process of the same file, a line of
 * a traceback. A file of the caller's with that name goes first, and one that
 * would take most of the quota is left out. */
static int place_program(struct child *c, const struct msg_run *m,
                       const struct guest_run *g, struct err *e)
{
    char name[NAME_MAX + 1];
    struct guest_file program;
    if (!program_file(m, name, &program) ||
        program.bytes.len > c->spec.limits.disk_bytes / 2)
        return 0;
    for (size_t i = 0; i < g->files; i++)
        if (strcmp(g->file[i].path, name) == 0)
            return 0;
    return files_put(c->work, &program, 1, e);
}

int child_run(struct child *c, const struct msg_run *m,
              const struct guest_run *g, struct err *e)
{
    if (c->state != CHILD_PARKED)
        return err_set(e, -EINVAL, "a run that is not ready for a program");
    int r = files_put(c->work, g->file, g->files, e);
    if (r == 0)
        r = place_program(c, m, g, e);
    if (r < 0)
        return r;
    flow_drain(c);
    event(c, EV_PROGRAM);
    r = talk_program(c, m, g, e);
    if (r == 0)
        flow_input(c, g);
    return r;
}

/* ---- its end -------------------------------------------------------------- */

static void kill_by(int pidfd)
{
    if (pidfd >= 0)
        syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

/* Pid 1 takes everything in its namespace along; the group is the second way.
 * Before the zygote has said who they are there is nobody to kill: its word
 * comes, and we are back. */
static void slay(struct child *c)
{
    c->check_ns = 0;
    c->deadline_ns = clock_now_ns() + CHILD_KILL_MS * NS_PER_MS;
    kill_by(c->init_fd);
    kill_by(c->run_fd);
    if (c->cgroup && c->forked)
        cgroup_kill(c->cgroup);
}

void child_kill(struct child *c)
{
    event(c, EV_KILL);
}

void child_stop(struct child *c, const struct child_stop *why)
{
    if (c->state == CHILD_KILLING || c->state == CHILD_DONE)
        return;
    if (c->state != CHILD_ACTIVE)
        snprintf(c->trouble, sizeof c->trouble, "%s", why->detail ? why->detail : "");
    child_kill(c);
    if (c->events && c->events->stop)
        c->events->stop(c->user, why);
}

void child_broken(struct child *c, const char *what)
{
    char detail[440];
    snprintf(detail, sizeof detail, "%s sent %s",
             c->phase == PHASE_RUNNING ? "the program" : "the fork", what);
    child_stop(c, &(struct child_stop){ .reason = REASON_CRASHED,
                                        .limit = LIMIT_NONE, .detail = detail });
}

/* Nothing of it lives. Its last words are read, its listener has its say while
 * the work directory is still there, then all goes. */
static void bury(struct child *c)
{
    c->deadline_ns = c->check_ns = 0;
    flow_drain(c);
    talk_drain(c);
    const struct child_events *events = c->events;
    if (c->fatal[0] && !c->trouble[0] && c->phase != PHASE_RUNNING)
        snprintf(c->trouble, sizeof c->trouble, "%s", c->fatal);
    close_net(c);
    if (!c->ev.words[0])
        snprintf(c->ev.words, sizeof c->ev.words, "%s", c->trouble);
    c->events = NULL;
    if (events && events->exit)
        events->exit(c->user, &c->ev);
    release(c);
}

void child_deny(struct child *c, const struct msg_denied *m)
{
    if (c->events && c->events->denied)
        c->events->denied(c->user, m);
}

int child_files(struct child *c, const struct msg_run *m,
                const struct guest_run *g, struct file_list *out, struct err *e)
{
    char name[NAME_MAX + 1];
    struct guest_file program;
    if (c->work < 0)
        return 0;
    int r = files_list(c->work, g->file, g->files,
                       program_file(m, name, &program) ? &program : NULL, out, e);
    if (r == 0 && g->out_fd >= 0)
        r = files_fetch(c->work, out, g->out_fd, c->spec.limits.disk_bytes, e);
    return r;
}

void child_orphaned(struct child *c, const char *why)
{
    if (c->state == CHILD_DONE)
        return;
    if (c->cgroup)
        cgroup_kill(c->cgroup);
    sum_up(c, NULL);
    snprintf(c->ev.words, sizeof c->ev.words, "%s", why);
    event(c, EV_GONE);
}

void child_report(struct child *c, const struct zygote_report *r, const int *fds)
{
    switch (r->op) {
    case ZYGOTE_FORKED:
        take_processes(c, fds);
        break;
    case ZYGOTE_FAILED:
        snprintf(c->trouble, sizeof c->trouble, "no fork: %s: %s", r->step,
                 strerror(r->error));
        sum_up(c, NULL);
        event(c, EV_GONE);
        break;
    case ZYGOTE_EXITED:
        flow_drain(c);
        talk_drain(c);
        sum_up(c, r);
        event(c, EV_GONE);
        break;
    default:
        break;
    }
}

/* ---- one turn ------------------------------------------------------------- */

void child_watch(const struct child *c, struct pollfd out[CHILD_POLLS])
{
    for (int i = 0; i < CHILD_POLLS; i++)
        out[i] = (struct pollfd){ .fd = -1 };
    if (c->state == CHILD_KILLING || c->state == CHILD_DONE ||
        c->state == CHILD_QUEUED)
        return;
    short pending = c->out.len > c->out_at ? POLLOUT : 0;
    out[POLL_CHANNEL] = (struct pollfd){ c->channel, (short)(POLLIN | pending), 0 };
    out[POLL_STDOUT] = (struct pollfd){ c->out_fd[OUT_STDOUT], POLLIN, 0 };
    out[POLL_STDERR] = (struct pollfd){ c->out_fd[OUT_STDERR], POLLIN, 0 };
    out[POLL_NOTIFY] = (struct pollfd){ c->listener, POLLIN, 0 };
    if (c->state != CHILD_ACTIVE)
        return;
    out[POLL_STDIN] = (struct pollfd){ c->stdin_fd, flow_stdin_events(c), 0 };
    if (c->stdin_fd >= 0 && !c->input.len)
        out[POLL_INPUT] = (struct pollfd){ c->input_fd, POLLIN, 0 };
}

static int alive(const struct child *c)
{
    return c->state != CHILD_KILLING && c->state != CHILD_DONE;
}

void child_turn(struct child *c, const struct pollfd f[CHILD_POLLS],
                uint64_t now_ns)
{
    static const int streams[] = { OUT_STDOUT, OUT_STDERR };
    for (size_t i = 0; i < COUNT(streams); i++)
        if (alive(c) && f[POLL_STDOUT + i].revents)
            flow_read(c, streams[i]);
    if (alive(c) && (f[POLL_CHANNEL].revents & POLLOUT))
        talk_write(c);
    if (alive(c) && (f[POLL_CHANNEL].revents & (POLLIN | POLLHUP | POLLERR)))
        talk_read(c);
    if (alive(c) && (f[POLL_STDIN].revents || f[POLL_INPUT].revents))
        flow_write(c, f[POLL_STDIN].revents, f[POLL_INPUT].revents);
    /* Only when one is there: an old kernel would wait for one for ever. */
    if (alive(c) && (f[POLL_NOTIFY].revents & POLLIN)) {
        talk_notify(c);
    } else if (alive(c) && f[POLL_NOTIFY].revents) {
        fd_closep(&c->listener);
        c->listener = -1;
    }
    if (c->state == CHILD_ACTIVE && c->check_ns && now_ns >= c->check_ns)
        check(c, now_ns);
    if (c->deadline_ns && now_ns >= c->deadline_ns) {
        c->deadline_ns = 0;
        if (c->state == CHILD_KILLING)
            c->stuck = 1;
        else
            child_stop(c, &(struct child_stop){
                .reason = REASON_INTERNAL, .limit = LIMIT_NONE,
                .detail = "the fork was not sealed in time" });
    }
}
