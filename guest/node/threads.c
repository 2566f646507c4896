/*
 * guest/node/threads.c -- threads of the zygote that a fork does not have.
 *
 * fork() copies only its caller. Node's other threads are a V8 worker (garbage
 * collection, compilation), a scheduler of delayed tasks, a watcher of signals
 * and perhaps libuv's pool. The zygote forks while the worker waits for tasks.
 * A fork starts it again, lazily, when the first task is posted, by calling the
 * function it was born with; the others are not missed. libuv renews its pool
 * by itself.
 *
 * For that the preloaded library stands in for five functions of libc:
 *
 *   pthread_create     in the zygote: note entry and argument, and use a stack
 *                      of our own. glibc would hand a dead thread's stack, and
 *                      so its pthread_t, to the next one born in a fork.
 *   pthread_cond_wait  in the zygote: note who waits where
 *   pthread_cond_signal, pthread_cond_broadcast
 *                      in the zygote: whoever is woken is at rest no longer;
 *                      in a fork: a signal to a lost worker starts it again
 *   pthread_join       in a fork: of a lost thread, joins the one that took
 *                      its place, or returns at once
 *
 * SPDX-License-Identifier: MIT
 */
#include "inside.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    MAX_THREADS   = 64,
    WORKER_WORDS  = 8,
    STACK_BYTES   = 8 << 20,
    SMALLEST_STACK = 64 << 10,
    GUARD_BYTES   = 4096,
    FRAME_REACH   = 64 << 10,    /* how far up the starter's locals may lie */
    SETTLE_MS     = 5000,
};

/*
 * What node hands to a V8 worker (struct PlatformWorkerData of node_platform.cc):
 * the queue, then a mutex, a condition and a counter, all locals of the starter,
 * which waits until the counter is zero. The first four are the same in every
 * version that is supported; the rest is copied as it is.
 */
enum { WORKER_QUEUE, WORKER_MUTEX, WORKER_READY, WORKER_PENDING };

struct record {
    pthread_t   handle;                    /* as the zygote knows it */
    void     *(*entry)(void *);
    int         worker;                    /* one of V8's */
    void       *data[WORKER_WORDS];        /* its argument, copied */
    _Atomic int waiting;
    pthread_cond_t *_Atomic  cond;         /* last waited for */
    pthread_mutex_t *_Atomic mutex;
    /* in a fork: its successor */
    _Atomic int started;
    pthread_t   successor;
    pthread_mutex_t own_mutex;
    pthread_cond_t  own_ready;
    int             own_pending;
};

_Atomic int in_fork;
static struct record record[MAX_THREADS];
static _Atomic int records;
static _Thread_local struct record *self;

/* ---- libc's own --------------------------------------------------------------- */

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                      void *);
static struct {
    create_fn *create;
    int (*join)(pthread_t, void **);
    int (*wait)(pthread_cond_t *, pthread_mutex_t *);
    int (*signal)(pthread_cond_t *);
    int (*broadcast)(pthread_cond_t *);
} real;

/* glibc keeps an older pthread_cond_t under the same names: ask for the one
 * that programs of today are linked to. */
static void *find_cond(const char *name)
{
    void *at = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return at ? at : dlsym(RTLD_NEXT, name);
}

/* Also called by the first stand-in that is used: libraries that are loaded
 * before this one may start threads. */
__attribute__((constructor)) static void find_real(void)
{
    if (real.create)
        return;
    real.join = (int (*)(pthread_t, void **))dlsym(RTLD_NEXT, "pthread_join");
    real.wait = (int (*)(pthread_cond_t *, pthread_mutex_t *))
        find_cond("pthread_cond_wait");
    real.signal = (int (*)(pthread_cond_t *))find_cond("pthread_cond_signal");
    real.broadcast =
        (int (*)(pthread_cond_t *))find_cond("pthread_cond_broadcast");
    real.create = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");
}

/* ---- in the zygote: notes ------------------------------------------------------ */

static int in_frame(const void *at, const char *frame)
{
    return (const char *)at > frame && (const char *)at < frame + FRAME_REACH;
}

/* Only a V8 worker is given pointers to three locals of its starter, the last
 * of which counts the workers that are still to start. */
static int is_worker(void *const *arg, const char *frame)
{
    if (!arg)
        return 0;
    for (int i = WORKER_MUTEX; i <= WORKER_PENDING; i++)
        if (!in_frame(arg[i], frame))
            return 0;
    int pending = *(const int *)arg[WORKER_PENDING];
    return pending > 0 && pending <= MAX_THREADS;
}

struct birth {
    void         *(*entry)(void *);
    void           *arg;
    struct record  *is;
};

static void *begin(void *arg)
{
    struct birth b = *(struct birth *)arg;
    free(arg);
    self = b.is;
    return b.entry(b.arg);
}

/* A stack that stays taken for good, with a page below that faults. */
static int own_stack(pthread_attr_t *out, const pthread_attr_t *wanted)
{
    size_t size = STACK_BYTES, asked;
    int detached;
    if (wanted && pthread_attr_getstacksize(wanted, &asked) == 0 &&
        asked >= SMALLEST_STACK)
        size = asked;
    char *at = mmap(NULL, size + GUARD_BYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                    -1, 0);
    if (at == MAP_FAILED)
        return -errno;
    mprotect(at, GUARD_BYTES, PROT_NONE);
    pthread_attr_init(out);
    if (wanted && pthread_attr_getdetachstate(wanted, &detached) == 0)
        pthread_attr_setdetachstate(out, detached);
    return -pthread_attr_setstack(out, at + GUARD_BYTES, size);
}

static int create_noted(pthread_t *out, const pthread_attr_t *wanted,
                        void *(*entry)(void *), void *arg, const char *frame)
{
    int at = atomic_fetch_add(&records, 1);
    if (at >= MAX_THREADS)    /* V8's were first */
        return real.create(out, wanted, entry, arg);
    struct birth *b = malloc(sizeof *b);
    pthread_attr_t attr;
    if (!b || own_stack(&attr, wanted) < 0) {
        free(b);
        return EAGAIN;
    }
    struct record *r = &record[at];
    r->entry = entry;
    r->worker = is_worker(arg, frame);
    if (r->worker)
        memcpy(r->data, arg, sizeof r->data);
    *b = (struct birth){ entry, arg, r };
    int failed = real.create(&r->handle, &attr, begin, b);
    pthread_attr_destroy(&attr);
    if (failed) {
        r->worker = 0;
        free(b);
        return failed;
    }
    *out = r->handle;
    return 0;
}

int threads_known(void)
{
    for (int i = 0; i < records && i < MAX_THREADS; i++)
        if (record[i].worker)
            return 1;
    return 0;
}

static int at_rest(void)
{
    for (int i = 0; i < records && i < MAX_THREADS; i++)
        if (record[i].worker && !record[i].waiting)
            return 0;
    return 1;
}

int threads_settle(void)
{
    const struct timespec a_bit = { .tv_nsec = 200000 };
    for (int i = 0; i < SETTLE_MS * 5; i++) {
        if (at_rest())
            return 0;
        nanosleep(&a_bit, NULL);
    }
    return -EBUSY;
}

/* ---- in a fork: successors ----------------------------------------------------- */

/*
 * The lost waiters are still counted in what they waited for: a mutex they hold
 * could never be had, and destroying the condition would wait for them.
 */
void threads_fork(void)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    for (int i = 0; i < records && i < MAX_THREADS; i++) {
        pthread_cond_t *cond = record[i].cond;
        if (!cond)
            continue;
        pthread_cond_init(cond, &monotonic);
        pthread_mutex_init(record[i].mutex, NULL);
    }
    pthread_condattr_destroy(&monotonic);
    in_fork = 1;
}

/* The starter of the first one is gone: the successor reports to us instead.
 * Its argument is its own to free. */
static void revive(struct record *r)
{
    if (atomic_exchange(&r->started, 1))
        return;
    void **data = malloc(sizeof r->data);
    if (!data) {
        r->started = 0;
        return;
    }
    pthread_mutex_init(&r->own_mutex, NULL);
    pthread_cond_init(&r->own_ready, NULL);
    r->own_pending = 1;
    memcpy(data, r->data, sizeof r->data);
    data[WORKER_MUTEX] = &r->own_mutex;
    data[WORKER_READY] = &r->own_ready;
    data[WORKER_PENDING] = &r->own_pending;
    if (real.create(&r->successor, NULL, r->entry, data) != 0) {
        free(data);
        r->started = 0;    /* no thread to be had now: try at the next task */
    }
}

static void wake(const pthread_cond_t *cond)
{
    for (int i = 0; i < records && i < MAX_THREADS; i++) {
        if (record[i].cond != cond)
            continue;
        if (!in_fork)
            record[i].waiting = 0;
        else if (record[i].worker && !record[i].started)
            revive(&record[i]);
    }
}

/* ---- the stand-ins ------------------------------------------------------------- */

STAND_IN int pthread_create(pthread_t *out, const pthread_attr_t *attr,
                            void *(*entry)(void *), void *arg)
{
    find_real();
    if (in_fork)
        return real.create(out, attr, entry, arg);
    return create_noted(out, attr, entry, arg, __builtin_frame_address(0));
}

STAND_IN int pthread_join(pthread_t handle, void **out)
{
    find_real();
    if (!in_fork)
        return real.join(handle, out);
    for (int i = 0; i < records && i < MAX_THREADS; i++) {
        struct record *r = &record[i];
        if (!r->handle || !pthread_equal(r->handle, handle))
            continue;
        if (r->started)
            return real.join(r->successor, out);
        if (out)
            *out = NULL;
        return 0;
    }
    return real.join(handle, out);
}

STAND_IN int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    find_real();
    if (!self || in_fork)
        return real.wait(cond, mutex);
    self->mutex = mutex;
    self->cond = cond;
    self->waiting = 1;
    int r = real.wait(cond, mutex);
    self->waiting = 0;
    return r;
}

STAND_IN int pthread_cond_signal(pthread_cond_t *cond)
{
    find_real();
    wake(cond);
    return real.signal(cond);
}

STAND_IN int pthread_cond_broadcast(pthread_cond_t *cond)
{
    find_real();
    wake(cond);
    return real.broadcast(cond);
}
