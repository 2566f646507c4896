/* worker/sfi.c -- slots, traps, and the runtime the generated code needs.
 * SPDX-License-Identifier: MIT */
#include "worker/sfi.h"
#include "base/base.h"
#include "worker/engine.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef ENGINE_FAST
#include <immintrin.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <asm/prctl.h>
#endif

struct engine_state engine;
int (*sfi_on_fault)(uint8_t *);
uint32_t (*sfi_on_grow)(uint32_t, uint32_t);

/* What the signal handlers look at. One guest at a time per process. */
static struct {
    sigjmp_buf            out;
    volatile sig_atomic_t in_guest;    /* 1: inside of sfi_enter() */
    volatile sig_atomic_t overdue;     /* a deadline came at a bad moment */
    uint8_t              *memory;
} at;

enum { SIGNAL_STACK_BYTES = 64 << 10, STACK_NEAR_BYTES = 64 << 10 };

/* A fault that is nobody's trap: die, so that the supervisor sees it. Without
 * a system call, which a sealed process does not have. */
static _Noreturn void die(void)
{
    __builtin_trap();
}

const char *trap_text(enum trap t)
{
    static const char *const text[] = {
        [TRAP_NONE]     = "none",
        [TRAP_MEMORY]   = "access outside of the cell's memory",
        [TRAP_STACK]    = "native stack exhausted",
        [TRAP_ENGINE]   = "trap in the engine",
        [TRAP_DEADLINE] = "hard deadline",
        [TRAP_STOP]     = "stopped by the host",
    };
    return t < COUNT(text) ? text[t] : "unknown trap";
}

_Noreturn void sfi_trap(enum trap t)
{
    at.in_guest = 0;
    siglongjmp(at.out, (int)t);
}

_Noreturn void sfi_stop(void)
{
    sfi_trap(TRAP_STOP);
}

/* All of the engine's code is in one section (tools/engine/mark_text.sh). */
extern const char __start_engine_text[], __stop_engine_text[];

static uintptr_t interrupted_at(const ucontext_t *u)
{
#if defined(__x86_64__)
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)u->uc_mcontext.pc;
#endif
}

static uintptr_t stack_of(const ucontext_t *u)
{
#if defined(__x86_64__)
    return (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#else
    return (uintptr_t)u->uc_mcontext.sp;
#endif
}

static int in_engine(const ucontext_t *u)
{
    uintptr_t pc = interrupted_at(u);
    return pc >= (uintptr_t)__start_engine_text && pc < (uintptr_t)__stop_engine_text;
}

void sfi_deadline(void *context)
{
    if (at.in_guest && in_engine(context))
        sfi_trap(TRAP_DEADLINE);
    at.overdue = 1;
}

void sfi_leave(void)
{
    if (at.in_guest && at.overdue)
        sfi_trap(TRAP_DEADLINE);
}

enum trap sfi_enter(void (*fn)(void *), void *arg)
{
    /* No signal mask is saved: the handlers never block one (SA_NODEFER). */
    int t = sigsetjmp(at.out, 0);
    if (t)
        return (enum trap)t;
    at.overdue = 0;
    at.in_guest = 1;
    fn(arg);
    at.in_guest = 0;
    return TRAP_NONE;
}

static void on_fault(int sig, siginfo_t *si, void *context)
{
    uint8_t *a = si->si_addr;
    int in_slot = at.memory && a >= at.memory &&
                  a < at.memory + SFI_SLOT_BYTES + SFI_GUARD_BYTES;

    if (sig == SIGSEGV && in_slot && sfi_on_fault && sfi_on_fault(a))
        return;
    if (!at.in_guest)
        die();
    if (in_slot || (uintptr_t)a < SFI_SLOT_BYTES + SFI_GUARD_BYTES)
        sfi_trap(TRAP_MEMORY);
    if (!in_engine(context))
        die();
    if (sig == SIGFPE)
        sfi_trap(TRAP_ENGINE);
    uintptr_t fault = (uintptr_t)a, sp = stack_of(context);
    if (fault + STACK_NEAR_BYTES > sp && fault < sp + STACK_NEAR_BYTES)
        sfi_trap(TRAP_STACK);
    die();
}

/*
 * A guest address that is used as a host address, because the compiler lost
 * the segment, is below 4 GiB and a guard. Nothing may ever be there.
 */
static int reserve_low(struct err *e)
{
#if defined(ENGINE_FAST) && !defined(GB_SANITIZED)
    const uintptr_t from = 1 << 16;    /* vm.mmap_min_addr */
    void *low = mmap((void *)from, SFI_SLOT_BYTES + SFI_GUARD_BYTES - from,
                     PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                     MAP_FIXED_NOREPLACE, -1, 0);
    if (low == MAP_FAILED)
        return err_sys(e, "sfi: keep the low addresses empty");
#endif
    (void)e;
    return 0;
}

int sfi_init(struct err *e)
{
    static unsigned char stack_room[SIGNAL_STACK_BYTES];
    stack_t ss = { .ss_sp = stack_room, .ss_size = sizeof stack_room };
    if (sigaltstack(&ss, NULL) < 0)
        return err_sys(e, "sigaltstack");

    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE };
    struct sigaction sa = { .sa_sigaction = on_fault,
                            .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
    for (size_t i = 0; i < COUNT(faults); i++)
        if (sigaction(faults[i], &sa, NULL) < 0)
            return err_sys(e, "sigaction");
    return reserve_low(e);
}

uint8_t *sfi_slot_new(void)
{
    void *p = mmap(NULL, SFI_SLOT_BYTES + SFI_GUARD_BYTES, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void sfi_slot_free(uint8_t *slot)
{
    if (slot)
        munmap(slot, SFI_SLOT_BYTES + SFI_GUARD_BYTES);
}

#ifdef ENGINE_FAST
enum { HWCAP2_CAN_FSGSBASE = 1 << 1 };

void sfi_use(uint8_t *memory)
{
    at.memory = memory;
    engine.w2c_memory.data = memory;
    if (getauxval(AT_HWCAP2) & HWCAP2_CAN_FSGSBASE)
        _writegsbase_u64((uintptr_t)memory);
    else
        syscall(SYS_arch_prctl, ARCH_SET_GS, memory);
}

const char *sfi_build(void)
{
    return getauxval(AT_HWCAP2) & HWCAP2_CAN_FSGSBASE
        ? "fast build"
        : "fast build; this CPU or kernel has no FSGSBASE, so switching cells "
          "takes a system call";
}
#else
#ifndef ENGINE_PLAIN_WHY
#define ENGINE_PLAIN_WHY "the fast build was not possible"
#endif
void sfi_use(uint8_t *memory)
{
    at.memory = memory;
    engine.w2c_memory.data = memory;
}

const char *sfi_build(void)
{
    return "plain build: " ENGINE_PLAIN_WHY;
}
#endif

/* ---- what the generated code calls ------------------------------------ */

/* Bounds are checked by the caller; these are names, see tools/engine/rewrite.py. */
void sfi_copy(void *to, const void *from, size_t n);
void sfi_move(void *to, const void *from, size_t n);
void sfi_fill(void *to, int byte, size_t n);
int  sfi_differ(const void *a, const void *b, size_t n);
void sfi_copy(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
    sfi_leave();
}

void sfi_move(void *to, const void *from, size_t n)
{
    memmove(to, from, n);
    sfi_leave();
}

void sfi_fill(void *to, int byte, size_t n)
{
    memset(to, byte, n);
    sfi_leave();
}
int  sfi_differ(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

bool wasm_rt_is_initialized(void) { return true; }

void wasm_rt_trap(wasm_rt_trap_t code)
{
    sfi_trap(code == WASM_RT_TRAP_EXHAUSTION ? TRAP_STACK
             : code == WASM_RT_TRAP_OOB      ? TRAP_MEMORY
                                             : TRAP_ENGINE);
}

#ifdef RT_REGISTERS_TYPES
/* Equal signatures must get equal numbers; there are about eighty of them. */
uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...)
{
    enum { MAX_TYPES = 256, MAX_PARTS = 24 };
    static struct { uint32_t params, results; int part[MAX_PARTS]; } types[MAX_TYPES];
    static uint32_t count;

    if (params + results > MAX_PARTS || count == MAX_TYPES)
        die();
    int part[MAX_PARTS] = { 0 };
    va_list ap;
    va_start(ap, results);
    for (uint32_t i = 0; i < params + results; i++)
        part[i] = va_arg(ap, int);
    va_end(ap);

    for (uint32_t i = 0; i < count; i++)
        if (types[i].params == params && types[i].results == results &&
            memcmp(types[i].part, part, sizeof part) == 0)
            return i + 1;
    types[count].params = params;
    types[count].results = results;
    memcpy(types[count].part, part, sizeof part);
    return ++count;
}
#endif

/* The engine's memory lives in a slot that boot.c chose before. */
void wasm_rt_allocate_memory(wasm_rt_memory_t *m, RT_PAGES pages,
                             RT_PAGES max RT_ALLOCATE_MORE)
{
    (void)max;
    m->pages = pages;
    m->max_pages = SFI_SLOT_BYTES / SFI_WASM_PAGE - 1;
    m->size = pages * SFI_WASM_PAGE;
    if (!at.memory || mprotect(at.memory, m->size, PROT_READ | PROT_WRITE) < 0)
        die();
    m->data = at.memory;
}

RT_PAGES wasm_rt_grow_memory(wasm_rt_memory_t *m, RT_PAGES delta)
{
    uint32_t old = (uint32_t)m->pages;
    uint64_t want = (uint64_t)old + delta;
    uint32_t may = want > m->max_pages ? 0
                 : sfi_on_grow ? sfi_on_grow(old, (uint32_t)want) : (uint32_t)want;
    uint8_t *from = m->data + (uint64_t)old * SFI_WASM_PAGE;
    int ok = want <= may &&
             mprotect(from, (uint64_t)delta * SFI_WASM_PAGE,
                      PROT_READ | PROT_WRITE) == 0;
    if (ok) {
        m->pages = (uint32_t)want;
        m->size = (uint32_t)(want * SFI_WASM_PAGE);
    }
    return ok ? old : UINT32_MAX;
}

void wasm_rt_free_memory(wasm_rt_memory_t *m) { (void)m; }

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *t, uint32_t n,
                                    uint32_t max)
{
    t->data = calloc(n, sizeof *t->data);
    if (!t->data)
        die();
    t->size = n;
    t->max_size = max;
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *t)
{
    free(t->data);
    t->data = NULL;
    t->size = 0;
}

uint32_t wasm_rt_grow_funcref_table(wasm_rt_funcref_table_t *t, uint32_t delta,
                                    wasm_rt_funcref_t init)
{
    uint32_t old = t->size;
    wasm_rt_funcref_t *data = realloc(t->data, (old + delta) * sizeof *data);
    if (!data)
        die();
    for (uint32_t i = 0; i < delta; i++)
        data[old + i] = init;
    t->data = data;
    t->size = old + delta;
    return old;
}
