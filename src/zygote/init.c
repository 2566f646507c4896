/*
 * zygote/init.c -- pid 1 of a run.
 *
 * Without it the program itself would be pid 1: it would be deaf to signals it
 * has no handler for, would have to reap orphans, and its end would leave
 * nothing to kill what it left behind. Killing this one ends everything in the
 * namespace, whatever session or parent it has.
 *
 * It shares the zygote's memory (CLONE_VM), because a copy would cost each run
 * a second fork. So it is a guest in a house where everybody else is at work:
 * it calls the kernel without libc (errno and all else of its thread pointer
 * belong to the zygote's thread), touches nothing but its own stack, has every
 * signal blocked so that no handler of the runtime can run on it, and sleeps
 * for ever. The run cannot read it: the zygote is not dumpable.
 *
 * Stacks are carved from one mapping, side by side, without guard pages: this
 * code needs some hundred bytes, and each mapping more would cost every fork.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zygote/inside.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { STACK_BYTES = 4096, STACKS_AT_ONCE = 64 };

#if defined(__x86_64__)
static inline long call(long nr, long a, long b, long c, long d, long e)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    long r;
    __asm__ volatile("syscall" : "=a"(r)
                     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return r;
}
#elif defined(__aarch64__)
static inline long call(long nr, long a, long b, long c, long d, long e)
{
    register long x8 __asm__("x8") = nr;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    __asm__ volatile("svc 0" : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
                     : "memory");
    return x0;
}
#else
#error "no system call in assembler for this architecture"
#endif

/* As the kernel wants it; libc's struct is another. */
struct kernel_action {
    void         (*handler)(int);
    unsigned long flags;
    void         (*restorer)(void);
    uint64_t      mask;
};

__attribute__((noinline, no_sanitize("address", "undefined")))
static int init_main(void *arg)
{
    const struct kernel_action ignore = { .handler = SIG_IGN };
    const uint64_t all = ~(uint64_t)0;
    const struct timespec now = { 0 };
    struct pollfd zygote = { .fd = (int)(intptr_t)arg, .events = POLLIN };

    call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, sizeof all, 0);
    /* Orphans are reaped by the kernel if their parent does not care; but for
     * those that came before it said so. */
    call(SYS_rt_sigaction, SIGCHLD, (long)&ignore, 0, sizeof all, 0);
    while (call(SYS_wait4, -1, 0, WNOHANG | __WALL, 0, 0) > 0)
        ;
    call(SYS_prctl, PR_SET_NAME, (long)"glovebox-init", 0, 0, 0);
    /* The zygote may have died just before it could be noticed. */
    call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (call(SYS_ppoll, (long)&zygote, 1, (long)&now, 0, 0) != 0)
        call(SYS_exit_group, 1, 0, 0, 0, 0);
    call(SYS_close_range, 0, ~0u, 0, 0, 0);
    while (call(SYS_ppoll, 0, 0, 0, 0, 0) != 1)
        ;    /* nothing is asked for, so nothing is found */
    return 0;
}

/* A free stack holds the address of the next one. */
static void *free_stacks;

static void *stack_take(void)
{
    if (!free_stacks) {
        char *at = mmap(NULL, STACK_BYTES * STACKS_AT_ONCE,
                        PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            return NULL;
        for (size_t i = 0; i < STACKS_AT_ONCE; i++)
            init_stack_free(at + i * STACK_BYTES);
    }
    void *stack = free_stacks;
    free_stacks = *(void **)stack;
    return stack;
}

void init_stack_free(void *stack)
{
    if (!stack)
        return;
    *(void **)stack = free_stacks;
    free_stacks = stack;
}

pid_t init_start(int zygote_pidfd, void **out_stack)
{
    char *stack = stack_take();
    if (!stack)
        return -ENOMEM;
    int pid = clone(init_main, stack + STACK_BYTES, CLONE_VM | SIGCHLD,
                    (void *)(intptr_t)zygote_pidfd);
    if (pid < 0) {
        int error = errno;
        init_stack_free(stack);
        return -error;
    }
    *out_stack = stack;
    return pid;
}
