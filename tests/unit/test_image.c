/*
 * tests/unit/test_image.c -- after a reset a cell is its image, byte for byte.
 *
 * Uses the image of this build: GB_OUT names the folder (build/release).
 *
 * SPDX-License-Identifier: MIT
 */
#include "bench/inproc.h"
#include "tests/test.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static struct image image;
static struct cell  cell;

static const char *image_path(void)
{
    static char path[512];
    const char *out = getenv("GB_OUT");
    snprintf(path, sizeof path, "%s/base.image", out ? out : "build/release");
    return path;
}

static void start(enum cell_kind kind)
{
    struct err e = { 0 };
    inproc_start(image_path(), &image);
    if (cell_new(&image, kind, &cell, &e) < 0)
        TEST_FAIL("%s", e.msg);
    cell_enter(&cell);
}

static uint64_t bytes(void) { return image.head.memory_bytes; }

static void check_fresh(void)
{
    CHECK_INT(cell.wasm_pages, bytes() / SFI_WASM_PAGE);
    CHECK_INT(cell.stack_pointer, image.head.stack_pointer);
    for (uint64_t at = 0; at < bytes(); at += SFI_PAGE)
        if (memcmp(cell.slot + at, image.view + at, SFI_PAGE) != 0)
            TEST_FAIL("page %llu differs", (unsigned long long)(at / SFI_PAGE));
}

static unsigned seed = 1;
static unsigned any(unsigned below)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % below;
}

static void scribble(unsigned pages)
{
    for (unsigned i = 0; i < pages; i++) {
        uint64_t at = (uint64_t)any(image.pages) * SFI_PAGE + any(SFI_PAGE);
        cell.slot[at] ^= 0x5a;
    }
}

static struct msg_result run(const char *source, uint32_t flags)
{
    struct msg_run req = { .limits = run_limits_default, .mode = MODE_AUTO,
                           .flags = flags, .name = STR("t.js"),
                           .source = str_of(source) };
    struct msg_result r;
    req.limits.memory_bytes = 64 * MIB;
    inproc_run(&cell, &req, &r);
    return r;
}

static void check_value(struct msg_result r, const char *want)
{
    if (r.reason != REASON_COMPLETED || !str_is(r.value, want))
        TEST_FAIL("%s %.*s (%.*s), not %s", reason_text(r.reason),
                  (int)r.value.len, r.value.at, (int)r.error_message.len,
                  r.error_message.at, want);
}

TEST(a_new_cell_is_its_image)
{
    start(CELL_TRACKED);
    check_fresh();
}

TEST(reset_restores_every_page_of_a_tracked_cell)
{
    start(CELL_TRACKED);
    static const unsigned pages[] = { 1, 3, 50, 200, 700, 5, 1, 0 };
    for (size_t i = 0; i < COUNT(pages); i++) {
        scribble(pages[i]);
        CHECK(cell_reset(&cell) == 0);
        check_fresh();
    }
}

TEST(reset_restores_every_page_of_a_plain_cell)
{
    start(CELL_PLAIN);
    for (unsigned n = 1; n < 1000; n *= 3) {
        scribble(n);
        CHECK(cell_reset(&cell) == 0);
        check_fresh();
    }
}

TEST(reset_restores_all_pages_at_once)
{
    start(CELL_TRACKED);
    memset(cell.slot, 0xa5, bytes());
    CHECK(cell_reset(&cell) == 0);
    check_fresh();
    CHECK(cell.count <= image.head.hot_pages);
}

TEST(reset_after_a_run_leaves_nothing)
{
    static const char *const programs[] = {
        "1+1", "globalThis.x = 'canary'; Array.prototype.y = 1; 2",
        "throw new Error('e')", "const a = []; for (let i = 0; i < 1e5; i++) a.push({ i }); 3",
        "function f() { f() } f()", "await new Promise(() => {})",
    };
    start(CELL_TRACKED);
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < COUNT(programs); i++) {
            run(programs[i], 0);
            CHECK(cell_reset(&cell) == 0);
            check_fresh();
        }
    check_value(run("[typeof x, [].y].join()", 0), "\"undefined,\"");
}

static int readable(const uint8_t *at)
{
    int fd[2];
    CHECK(pipe2(fd, O_CLOEXEC) == 0);
    int ok = write(fd[1], at, 1) == 1;
    close(fd[0]);
    close(fd[1]);
    return ok;
}

TEST(grown_memory_is_gone_after_a_reset_and_zero_when_it_returns)
{
    static const uint32_t by[] = { 1, 64, 65, 200, 2 };
    start(CELL_TRACKED);
    for (size_t i = 0; i < COUNT(by); i++) {
        CHECK(wasm_rt_grow_memory(&engine.w2c_memory, by[i]) != UINT32_MAX);
        uint8_t *from = cell.slot + bytes();
        uint64_t grown = (uint64_t)by[i] * SFI_WASM_PAGE;
        for (uint64_t k = 0; k < grown; k += 64)
            CHECK(from[k] == 0);
        memset(from, 0xc3, grown);
        cell_leave(&cell);
        CHECK(cell_reset(&cell) == 0);
        cell_enter(&cell);
        check_fresh();
        CHECK(!readable(from));
        CHECK(!readable(from + grown - 1));
    }
}

/* A run that wrote many pages must not make every later reset slow. */
TEST(the_list_of_pages_is_capped)
{
    start(CELL_TRACKED);
    for (int i = 0; i < 100; i++) {    /* all of the image, if nothing stopped it */
        scribble(20);
        CHECK(cell_reset(&cell) == 0);
        CHECK(cell.count <= image.head.hot_pages + 256);
        check_fresh();
    }
}

TEST(cold_pages_are_listed_once)
{
    start(CELL_TRACKED);
    uint32_t before = cell.count, cold = 0;
    while (cell.listed[cold])
        cold++;
    for (int i = 0; i < 5; i++)
        cell.slot[(uint64_t)cold * SFI_PAGE + (uint64_t)i] ^= 1;
    CHECK_INT(cell.count, before + 1);
}

TEST(rollback_returns_to_the_backup)
{
    start(CELL_TRACKED);
    check_value(run("var kept = [1, 2]; kept.length", RUN_KEEP), "2");
    CHECK(cell_backup(&cell) == 0);
    uint64_t had = (uint64_t)cell.wasm_pages * SFI_WASM_PAGE;
    uint8_t *copy = malloc(had);
    CHECK(copy);
    memcpy(copy, cell.slot, had);
    cell_enter(&cell);
    CHECK(wasm_rt_grow_memory(&engine.w2c_memory, 40) != UINT32_MAX);
    memset(cell.slot + had, 1, 40 * SFI_WASM_PAGE);
    cell_leave(&cell);
    scribble(500);
    CHECK(cell_rollback(&cell) == 0);
    CHECK_INT((uint64_t)cell.wasm_pages * SFI_WASM_PAGE, had);
    CHECK(memcmp(copy, cell.slot, had) == 0);
    CHECK(!readable(cell.slot + had));
    check_value(run("kept.join()", RUN_KEEP), "\"1,2\"");
    free(copy);
}

TEST(rollback_needs_a_backup)
{
    start(CELL_TRACKED);
    CHECK_INT(cell_rollback(&cell), -ENOENT);
}

TEST(a_session_sees_its_state_and_a_reset_ends_it)
{
    start(CELL_TRACKED);
    check_value(run("let n = 1; n", RUN_KEEP), "1");
    check_value(run("n += 1", RUN_KEEP), "2");
    check_value(run("let n = 10; n", RUN_KEEP), "10");
    CHECK(cell_reset(&cell) == 0);
    check_value(run("typeof n", RUN_KEEP), "\"undefined\"");
}

TEST(a_session_that_was_forced_out_is_rolled_back)
{
    start(CELL_TRACKED);
    check_value(run("var n = 1; n", RUN_KEEP), "1");
    struct msg_run req = { .limits = run_limits_default, .flags = RUN_KEEP,
                           .name = STR("t.js"),
                           .source = STR("n = 2; 'a'.repeat(5e6).indexOf("
                                         "'a'.repeat(2e6) + 'b')") };
    struct msg_result r;
    req.limits.cpu_time_ms = 30;
    inproc_run(&cell, &req, &r);
    CHECK_INT(r.reason, REASON_CPU_TIME_LIMIT);
    CHECK_INT(r.state_lost, 1);
    check_value(run("n", RUN_KEEP), "1");
}

TEST(two_cells_do_not_share)
{
    struct err e = { 0 };
    struct cell other;
    start(CELL_TRACKED);
    CHECK(cell_new(&image, CELL_PLAIN, &other, &e) == 0);
    check_value(run("globalThis.mine = 1; mine", RUN_KEEP), "1");
    struct cell first = cell;
    cell = other;
    check_value(run("typeof mine", RUN_KEEP), "\"undefined\"");
    other = cell;
    cell = first;
    check_value(run("mine", RUN_KEEP), "1");
    cell_free(&other);
}

/* ---- images that are not what they say ---------------------------------- */

static int opens(struct image_head head, uint64_t memory)
{
    int fd = memfd_create("image", MFD_CLOEXEC);
    struct image out;
    CHECK(fd >= 0 && ftruncate(fd, (off_t)(IMAGE_DATA_OFFSET + memory)) == 0);
    CHECK(pwrite(fd, &head, sizeof head, 0) == sizeof head);
    int r = image_open(fd, engine_id(), &out, NULL);
    if (r == 0)
        munmap((void *)(uintptr_t)out.view, memory);
    close(fd);
    return r;
}

TEST(a_head_that_lies_is_refused)
{
    start(CELL_TRACKED);
    struct image_head good = image.head;
    uint64_t n = good.memory_bytes;
    CHECK_INT(opens(good, n), 0);
    CHECK(opens(good, n - SFI_WASM_PAGE) < 0);
    CHECK(opens(good, n + 1) < 0);
#define LIE(field, v, size) do {                                          \
        struct image_head bad = good;                                     \
        bad.field = (v);                                                  \
        CHECK(opens(bad, size) < 0);                                      \
    } while (0)
    LIE(magic[0], 'X', n);
    LIE(format, 99, n);
    LIE(engine_id[3], 'x', n);
    LIE(memory_bytes, 0, n);
    LIE(memory_bytes, n + 4096, n + 4096);
    LIE(memory_bytes, SFI_SLOT_BYTES, n);
    LIE(memory_bytes, UINT64_MAX - 65535, n);
    LIE(memory_bytes, UINT64_MAX, n);
    LIE(stack_pointer, (uint32_t)n, n);
    LIE(stack_pointer, UINT32_MAX, n);
    LIE(random_state, (uint32_t)n - 8, n);
    LIE(random_state, UINT32_MAX, n);
    LIE(scratch, (uint32_t)n - IMAGE_SCRATCH_BYTES, n);
    LIE(scratch, UINT32_MAX, n);
    LIE(hot_pages, IMAGE_HOT_PAGES + 1, n);
    LIE(hot_pages, UINT32_MAX, n);
    LIE(hot_page[0], (uint32_t)(n / SFI_PAGE), n);
}

/* Where the extensions lie is written in the head, by whoever made the image. */
TEST(extension_addresses_that_lie_are_a_trap_or_stay_inside)
{
    static const uint32_t where[] = { 0, 1, 0x7fffffff, 0xffffffff, 0xfffffff0,
                                      0x80000000 };
    start(CELL_TRACKED);
    for (size_t i = 0; i < COUNT(where); i++) {
        pid_t pid = fork();
        if (pid == 0) {
            struct image_head head = image.head;
            for (int k = 0; k < IMAGE_EXTENSIONS; k++)
                head.extension_base[k] = where[i];
            struct err e = { 0 };
            int r = boot_attach(&head, &e);
            _exit(r == 0 || r == -ENOEXEC ? 0 : 1);
        }
        int st;
        CHECK(waitpid(pid, &st, 0) == pid);
        CHECK_INT(st, 0);
    }
}

/* From now on this system call ends like that. */
static void forbid(uint32_t nr, uint32_t how)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, how),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog prog = { COUNT(code), code };
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0) == 0);
}

/* libc's qsort() asks how much memory the host has once it sorts more than
 * 1 KiB; a sealed worker dies of it. */
TEST(reset_makes_no_call_that_the_seal_forbids)
{
    static const unsigned pages[] = { 10, 60, 150, 300, 700, 3000 };
    start(CELL_TRACKED);
    forbid(SYS_sysinfo, SECCOMP_RET_KILL_PROCESS);
    for (size_t i = 0; i < COUNT(pages); i++) {
        scribble(pages[i]);
        CHECK(cell_reset(&cell) == 0);
    }
    check_fresh();
}

/* A run that cannot be given fresh randomness must not run, and it is not the
 * program's fault. */
TEST(a_run_without_randomness_is_our_failure)
{
    start(CELL_TRACKED);
    forbid(SYS_getrandom, SECCOMP_RET_ERRNO | EIO);
    struct msg_result r = run("globalThis.ran = 1; Math.random()", 0);
    CHECK_INT(r.reason, REASON_INTERNAL);
}

/* What an ended run leaves in the process itself must not add up. */
TEST(a_run_that_traps_leaves_no_host_memory_behind)
{
#ifdef GB_SANITIZED
    SKIP("memory is counted by the sanitizer's own allocator");
#endif
    enum { SOURCE = 3 << 20, RUNS = 40 };
    start(CELL_TRACKED);
    char *source = malloc(SOURCE + 1);
    CHECK(source);
    memset(source, ' ', SOURCE);
    memcpy(source, "return 1 //", 11);
    struct msg_run req = { .limits = run_limits_default, .name = STR("t.js"),
                           .source = { source, SOURCE }, .mode = MODE_BODY };
    struct msg_result r;
    req.limits.memory_bytes = 6 * MIB + MIB / 2;    /* for one copy, not for two */
    struct rlimit data = { 100 << 20, 100 << 20 };
    CHECK(setrlimit(RLIMIT_DATA, &data) == 0);
    for (int i = 0; i < RUNS; i++) {
        inproc_run(&cell, &req, &r);
        CHECK_INT(r.reason, REASON_MEMORY_LIMIT);
        CHECK(cell_reset(&cell) == 0);
    }
    req.limits.memory_bytes = 64 * MIB;
    inproc_run(&cell, &req, &r);
    CHECK_INT(r.reason, REASON_COMPLETED);
}
