/*
 * tests/fuzz/fuzz_imports.c -- a guest that owns its engine calls the host.
 *
 * The first byte chooses. Even: the rest is a list of operations, which write
 * into guest memory and call the imports with whatever pointers and lengths;
 * that is what native control over the linear memory gives an attacker. Odd:
 * the rest is a program.
 *
 * Properties: every call returns or traps, nothing outside of linear memory is
 * touched (AddressSanitizer, and a fault elsewhere is a crash), the run still
 * has an ending of the list, the cell is its image again after a reset, and
 * the next program is right.
 *
 * GB_OUT names the folder of base.image (build/san). The engine's own faults
 * are signals: ASAN_OPTIONS=handle_segv=0:allow_user_segv_handler=1.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bench/inproc.h"
#include "worker/imports.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { REGION_BYTES = 4096, MAX_OPERATIONS = 64, MAX_PROGRAM = 64 << 10 };
#define NOBODY NULL    /* no import looks at its instance */

static struct image image;
static struct cell  cell;
static u32 region;         /* guest address of our playground */
static int entered;        /* the playground was made */

static struct input { const uint8_t *at, *end; } in;

static void require(int holds) { if (!holds) abort(); }

/* ---- taking the input apart --------------------------------------------- */

static u32 byte(void) { return in.at < in.end ? *in.at++ : 0; }
static u32 word(void)
{
    u32 v = byte();
    v |= byte() << 8;
    v |= byte() << 16;
    return v | byte() << 24;
}

/* An address or a length that is likely to be near an edge. */
static u32 edge(void)
{
    u32 size = engine.w2c_memory.size, n = byte();
    switch (n % 16) {
    case 0:  return 0;
    case 1:  return size - byte();
    case 2:  return size + byte();
    case 3:  return UINT32_MAX - byte();
    case 4:  return 0x7fffffff + byte();
    case 5:  return guest_head->scratch + byte();
    case 6:  return guest_head->random_state;
    case 7:  return guest_head->handle[byte() % IMAGE_HANDLES];
    case 8:  return word();
    case 9:  return word() % (size ? size : 1);
    case 10: return byte();
    default: return region + (byte() << 4) % REGION_BYTES;
    }
}

/* ---- the operations ----------------------------------------------------- */

static const char *const names[] = {
    "write", "monotonic", "exceeded", "deliver", "deliverError", "promiseState",
    "promiseResult", "proxyTarget", "fetchSend", "fetchAbort", "fetchMore",
    "fetchDenied", "a.js", "./a.js", "b.json", "../../x", "%s%n",
};

static u32 put_name(u32 at)
{
    const char *name = names[byte() % COUNT(names)];
    u32 len = (u32)strlen(name);
    memcpy(guest_at(at, len + 1), name, len + 1);
    return len;
}

/* Values in boxes, and pointers to them where argv will be looked for. */
static void put_arguments(u32 boxes, u32 argv)
{
    for (u32 i = 0; i < 8; i++) {
        jsval v;
        switch (byte() % 6) {
        case 0:  v = guest_string(STR("text")); break;
        case 1:  v = js_make((int)byte() - 128, word()); break;
        case 2:  v = js_make(TAG_INT, word()); break;
        case 3:  v = (u64)word() << 32 | word(); break;
        case 4:  v = js_make(TAG_OBJECT, guest_head->handle[byte() % INTERNAL_COUNT]); break;
        default: v = JS_UNDEFINED; break;
        }
        guest_put_u64(boxes + 8 * i, v);
        u32 pointer = byte() % 8 ? boxes + 8 * i : edge();
        memcpy(guest_at(argv + 4 * i, 4), &pointer, 4);
    }
}

static void call_host(void)
{
    u32 name = region + 64, len = put_name(name);
    put_arguments(region + 256, region + 512);
    if (byte() % 4 == 0)
        name = edge();
    if (byte() % 4 == 0)
        len = edge();
    u32 argc = byte() % 8 ? byte() % 9 : edge();
    u32 argv = byte() % 4 ? region + 512 : edge();
    ENV(host_call)(NOBODY, name, len, edge(), argc, argv);
}

static void scatter(void)
{
    u32 at = edge(), n = byte();
    for (u32 i = 0; i < n; i++)
        *guest_at(at + i, 1) = (u8)byte();
}

static void operate(void)
{
    u32 base = region + 64, name = region + 1024;
    switch (byte() % 14) {
    case 0:  scatter(); break;
    case 1:  ENV(host_interrupt)(NOBODY); break;
    case 2:  ENV(host_get_timezone_offset)(NOBODY, edge(), edge()); break;
    case 3:
        put_name(base);
        put_name(name);
        ENV(host_module_normalize)(NOBODY, byte() % 2 ? base : edge(),
                                   byte() % 2 ? name : edge());
        break;
    case 4:
        put_name(name);
        ENV(host_module_load)(NOBODY, byte() % 2 ? name : edge(), edge());
        break;
    case 5:
        put_arguments(region + 256, region + 512);
        ENV(host_promise_rejection)(NOBODY, edge(), edge(), byte());
        break;
    case 6:
        WASI(clock_time_get)(NOBODY, byte(), 0, edge());
        break;
    case 7:
        WASI(random_get)(NOBODY, edge(), edge());
        break;
    case 8:  WASI(fd_close)(NOBODY, edge()); break;
    case 9:  WASI(fd_fdstat_get)(NOBODY, edge(), edge()); break;
    case 10:
        WASI(fd_seek)(NOBODY, edge(), word(), edge(), edge());
        break;
    case 11:
        WASI(fd_write)(NOBODY, edge(), edge(), edge(), edge());
        break;
    default: call_host(); break;
    }
}

static void operations(void *unused)
{
    (void)unused;
    region = Q(wasm_malloc)(E, REGION_BYTES);
    guest_at(region, REGION_BYTES);
    entered = 1;
    for (int i = 0; i < MAX_OPERATIONS && in.at < in.end; i++)
        operate();
}

/* ---- around them -------------------------------------------------------- */

static const struct module_source modules[] = {
    { STR("a.js"), STR("export default 1") },
    { STR("b.json"), STR("{\"a\": [1, \"\\u20ac\"]}") },
};

static struct msg_run request(struct str source)
{
    struct msg_run req = { .limits = run_limits_default, .mode = MODE_AUTO,
                           .name = STR("f.js"), .source = source,
                           .flags = RUN_DISPLAY, .modules = COUNT(modules),
                           .module = modules };
    req.limits.wall_time_ms = 200;
    req.limits.cpu_time_ms = 30;
    req.limits.memory_bytes = 12 * MIB;
    req.limits.output_bytes = 64 * KIB;
    req.limits.result_bytes = 64 * KIB;
    return req;
}

static void check_ending(const struct msg_result *r)
{
    require(r->reason > 0 && r->reason < REASON_END && r->limit <= LIMIT_NONE);
    require(r->reason != REASON_INTERNAL);
    require(r->value.len + r->exports.len <= 64 * KIB);
}

static void check_after(void)
{
    struct msg_run req = request(STR("1+1"));
    struct msg_result r;
    require(cell_reset(&cell) == 0);
    require(memcmp(cell.slot, image.view, image.head.memory_bytes) == 0);
    req.limits.wall_time_ms = req.limits.cpu_time_ms = 30000;
    inproc_run(&cell, &req, &r);
    require(r.reason == REASON_COMPLETED && str_is(r.value, "2"));
    require(cell_reset(&cell) == 0);
}

static void try_operations(void)
{
    struct msg_run req = request(STR("setTimeout(() => {}, 1e6); 0"));
    struct msg_result r;
    uint64_t ns;
    run_start(&cell, &req);
    entered = 0;
    enum trap t = sfi_enter(operations, NULL);
    require(t <= TRAP_STOP);
    require(entered || t);
    if (t == TRAP_NONE)
        run_step(&ns);    /* the engine goes on with what was done to it */
    run_finish(&r);
    require(r.reason > 0 && r.reason < REASON_END);
}

static void try_program(struct str source)
{
    struct msg_run req = request(source);
    struct msg_result r;
    inproc_run(&cell, &req, &r);
    check_ending(&r);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const char *out = getenv("GB_OUT");
    char path[512];
    struct err e = { 0 };
    snprintf(path, sizeof path, "%s/base.image", out ? out : "build/san");
    inproc_start(path, &image);
    if (cell_new(&image, CELL_TRACKED, &cell, &e) < 0)
        inproc_die(&e);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > MAX_PROGRAM)
        return 0;
    in = (struct input){ data + 1, data + size };
    if (data[0] % 2)
        try_program((struct str){ (const char *)data + 1, size - 1 });
    else
        try_operations();
    check_after();
    return 0;
}
