/* tests/unit/test_sfi.c -- every way out of guest code lands in sfi_enter().
 * SPDX-License-Identifier: MIT */
#include "worker/engine.h"
#include "worker/meter.h"
#include "worker/sfi.h"
#include "tests/test.h"
#include <sys/resource.h>
#include <sys/time.h>

/* Takes the place of the engine: its code is where the engine's is. */
#define AS_ENGINE __attribute__((section("engine_text"), noinline))

static uint8_t *slot;

/* An empty slot with its first wasm page there. */
static void start(void)
{
    CHECK(sfi_init(NULL) == 0);
    slot = sfi_slot_new();
    CHECK(slot);
    sfi_use(slot);
    CHECK(mprotect(slot, SFI_WASM_PAGE, PROT_READ | PROT_WRITE) == 0);
    engine.w2c_memory.pages = 1;
    engine.w2c_memory.max_pages = 65535;
    engine.w2c_memory.size = SFI_WASM_PAGE;
}

static void nothing(void *arg) { *(int *)arg = 1; }

static void touch(void *arg)
{
    volatile uint8_t *p = slot + *(uint64_t *)arg;
    *p = 1;
}

TEST(a_return_is_no_trap)
{
    int ran = 0;
    start();
    CHECK_INT(sfi_enter(nothing, &ran), TRAP_NONE);
    CHECK(ran);
}

TEST(an_access_outside_of_the_memory_is_a_trap)
{
    static const uint64_t where[] = {
        SFI_WASM_PAGE, SFI_WASM_PAGE + 1, (uint64_t)1 << 31, SFI_SLOT_BYTES - 1,
        SFI_SLOT_BYTES, SFI_SLOT_BYTES + SFI_GUARD_BYTES - 1,
    };
    start();
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        uint64_t at = where[i];
        CHECK_INT(sfi_enter(touch, &at), TRAP_MEMORY);
    }
    uint64_t inside = SFI_WASM_PAGE - 1;
    CHECK_INT(sfi_enter(touch, &inside), TRAP_NONE);
}

static void wild(void *arg)
{
    volatile uint8_t *p = *(uint8_t **)arg;
    *p = 1;
}

/* A guest address that lost its base: the low addresses are kept empty. */
TEST(a_low_host_address_is_a_trap)
{
#if !defined(ENGINE_FAST) || defined(GB_SANITIZED)
    SKIP("only the fast build keeps low addresses empty");
#endif
    static const uintptr_t where[] = { 0, 0x231b68, 0x7fffffff, 0xffffffff };
    start();
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        uint8_t *at = (uint8_t *)where[i];
        CHECK_INT(sfi_enter(wild, &at), TRAP_MEMORY);
    }
}

/* Not a trap: the walls of linear memory are broken, and the process must go. */
TEST(an_access_that_is_nobodys_kills_the_process)
{
    start();
    pid_t pid = fork();
    if (pid == 0) {
        uint8_t *at = (uint8_t *)(uintptr_t)0x100000000000;
        sfi_enter(wild, &at);
        _exit(0);
    }
    int st;
    CHECK(waitpid(pid, &st, 0) == pid);
    CHECK(WIFSIGNALED(st) || WEXITSTATUS(st) != 0);
}

TEST(a_fault_outside_of_guest_code_kills_the_process)
{
    start();
    pid_t pid = fork();
    if (pid == 0) {
        uint64_t at = SFI_WASM_PAGE;
        touch(&at);
        _exit(0);
    }
    int st;
    CHECK(waitpid(pid, &st, 0) == pid);
    CHECK(WIFSIGNALED(st) || WEXITSTATUS(st) != 0);
}

static volatile int depth_guard;
AS_ENGINE static int dive(int n)
{
    volatile char frame[2000];
    frame[n % 2000] = (char)n;
    int r = depth_guard ? 0 : dive(n + 1);
    return r + frame[n % 2000];
}

static void recurse(void *arg) { *(int *)arg = dive(0); }

TEST(the_end_of_the_native_stack_is_a_trap)
{
#ifdef GB_SANITIZED
    SKIP("AddressSanitizer has its own word on stacks");
#endif
    struct rlimit small = { 1 << 20, 1 << 20 };
    int r;
    CHECK(setrlimit(RLIMIT_STACK, &small) == 0);
    start();
    for (int i = 0; i < 3; i++)    /* the signal stack is free again each time */
        CHECK_INT(sfi_enter(recurse, &r), TRAP_STACK);
}

AS_ENGINE static void divide(void *arg)
{
    volatile int zero = 0;
#if defined(__x86_64__)
    int high = 0, low = 1;    /* in assembly: a sanitizer would look at '/' */
    __asm__ volatile("idivl %2" : "+a"(low), "+d"(high) : "r"(zero));
    *(int *)arg = low;
#else
    (void)zero;
    *(int *)arg = 1;
    sfi_trap(TRAP_ENGINE);
#endif
}

TEST(a_division_by_zero_is_a_trap)
{
    int r;
    start();
    CHECK_INT(sfi_enter(divide, &r), TRAP_ENGINE);
}

static void trap(void *arg) { wasm_rt_trap(*(wasm_rt_trap_t *)arg); }

TEST(traps_of_the_generated_code_have_their_kinds)
{
    static const struct { wasm_rt_trap_t code; enum trap want; } rows[] = {
        { WASM_RT_TRAP_OOB, TRAP_MEMORY }, { WASM_RT_TRAP_EXHAUSTION, TRAP_STACK },
        { WASM_RT_TRAP_UNREACHABLE, TRAP_ENGINE },
        { WASM_RT_TRAP_CALL_INDIRECT, TRAP_ENGINE },
        { WASM_RT_TRAP_DIV_BY_ZERO, TRAP_ENGINE },
    };
    start();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wasm_rt_trap_t code = rows[i].code;
        CHECK_INT(sfi_enter(trap, &code), rows[i].want);
    }
}

static void stop(void *arg) { (void)arg; sfi_stop(); }

TEST(the_host_can_stop_a_run)
{
    start();
    CHECK_INT(sfi_enter(stop, NULL), TRAP_STOP);
}

static volatile int alarms;

static void on_alarm(int sig, siginfo_t *si, void *context)
{
    (void)sig, (void)si;
    alarms++;
    sfi_deadline(context);
}

/* From now on an alarm comes every millisecond. */
static void start_alarms(void)
{
    struct sigaction sa = { .sa_sigaction = on_alarm,
                            .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
    struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
    alarms = 0;
    CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
}

AS_ENGINE static void spin(void *arg)
{
    volatile int *stop = arg;
    while (!*stop)
        ;
}

static void work_in_host(void *arg)
{
    while (alarms < 5)
        ;
    *(int *)arg = 1;
}

TEST(the_deadline_leaves_guest_code)
{
    int stop = 0;
    start();
    start_alarms();
    for (int i = 0; i < 3; i++)
        CHECK_INT(sfi_enter(spin, &stop), TRAP_DEADLINE);
}

TEST(the_deadline_never_leaves_host_code)
{
    int done = 0;
    start();
    start_alarms();
    CHECK_INT(sfi_enter(work_in_host, &done), TRAP_NONE);
    CHECK(done);
}

static void leave_late(void *arg)
{
    work_in_host(arg);
    sfi_leave();
    *(int *)arg = 2;
}

TEST(host_code_that_the_deadline_spared_leaves_at_its_end)
{
    int done = 0;
    start();
    start_alarms();
    CHECK_INT(sfi_enter(leave_late, &done), TRAP_DEADLINE);
    CHECK_INT(done, 1);
}

TEST(the_deadline_outside_of_guest_code_does_nothing)
{
    int done = 0;
    start();
    start_alarms();
    work_in_host(&done);
    CHECK(done);
}

static void trap_in_host(void *arg)
{
    (void)arg;
    sfi_trap(TRAP_MEMORY);
}

TEST(a_trap_in_the_host_does_not_block_later_deadlines)
{
    int stop = 0;
    start();
    start_alarms();
    CHECK_INT(sfi_enter(trap_in_host, NULL), TRAP_MEMORY);
    CHECK_INT(sfi_enter(spin, &stop), TRAP_DEADLINE);
}

static uint32_t grown;
static void grow(void *arg)
{
    grown = wasm_rt_grow_memory(&engine.w2c_memory, *(uint32_t *)arg);
}

TEST(memory_grows_to_what_it_asked_for_and_no_further)
{
    uint32_t by = 3;
    start();
    CHECK_INT(sfi_enter(grow, &by), TRAP_NONE);
    CHECK_INT(grown, 1);
    CHECK_INT(engine.w2c_memory.pages, 4);
    CHECK_INT(engine.w2c_memory.size, 4 * SFI_WASM_PAGE);
    uint64_t last = 4 * SFI_WASM_PAGE - 1, past = last + 1;
    CHECK_INT(sfi_enter(touch, &last), TRAP_NONE);
    CHECK_INT(sfi_enter(touch, &past), TRAP_MEMORY);
}

TEST(growth_that_cannot_be_is_refused)
{
    static const uint32_t by[] = { 65536, 65535, UINT32_MAX, UINT32_MAX - 1,
                                   0x80000000u };
    start();
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        uint32_t n = by[i];
        CHECK_INT(sfi_enter(grow, &n), TRAP_NONE);
        CHECK_INT(grown, UINT32_MAX);
        CHECK_INT(engine.w2c_memory.pages, 1);
    }
    uint32_t none = 0;
    CHECK_INT(sfi_enter(grow, &none), TRAP_NONE);
    CHECK_INT(grown, 1);
}

static uint32_t allow_two(uint32_t now, uint32_t wanted)
{
    (void)now;
    return wanted < 2 ? wanted : 2;
}

TEST(the_meter_decides_on_growth)
{
    uint32_t by = 1;
    start();
    sfi_on_grow = allow_two;
    CHECK_INT(sfi_enter(grow, &by), TRAP_NONE);
    CHECK_INT(grown, 1);
    CHECK_INT(sfi_enter(grow, &by), TRAP_NONE);
    CHECK_INT(grown, UINT32_MAX);
    CHECK_INT(engine.w2c_memory.pages, 2);
}

#ifdef RT_REGISTERS_TYPES
TEST(equal_signatures_have_equal_numbers)
{
    uint32_t a = wasm_rt_register_func_type(1, 1, WASM_RT_I32, WASM_RT_I64);
    uint32_t b = wasm_rt_register_func_type(1, 1, WASM_RT_I32, WASM_RT_I32);
    uint32_t c = wasm_rt_register_func_type(2, 0, WASM_RT_I32, WASM_RT_I64);
    CHECK(a && a != b && a != c && b != c);
    CHECK_INT(wasm_rt_register_func_type(1, 1, WASM_RT_I32, WASM_RT_I64), a);
}
#endif

TEST(slots_are_apart_and_unreachable)
{
    uint8_t *a = sfi_slot_new(), *b = sfi_slot_new();
    CHECK(a && b);
    CHECK((a > b ? (uint64_t)(a - b) : (uint64_t)(b - a)) >=
          SFI_SLOT_BYTES + SFI_GUARD_BYTES);
    sfi_slot_free(a);
    sfi_slot_free(b);
    sfi_slot_free(NULL);
}
