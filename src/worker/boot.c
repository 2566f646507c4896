/* worker/boot.c -- the engine from nothing, or on an image.
 * SPDX-License-Identifier: MIT */
#include "worker/boot.h"
#include "engine_id.h"    /* generated: ENGINE_ID, a hash of all that matters */
#include "worker/extensions.h"
#include "worker/guest.h"
#include "worker/imports.h"
#include "worker/sfi.h"
#include "wire/messages.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static struct engine_env env = { .engine = &engine };
static struct engine_wasi wasi = { .engine = &engine };

enum { DEFAULT_STACK_BYTES = 832 << 10, EXTENSION_ALIGN = 16 };
/* The collector's first run comes after this much was allocated. */
enum { FIRST_COLLECTION_BYTES = 4 << 20 };

const char *engine_id(void) { return ENGINE_ID; }
const char *engine_version(void) { return "quickjs-ng " ENGINE_VERSION; }

/* An extension takes memset's address: give it an index in the table. */
static void table_memset(void)
{
    wasm_rt_funcref_t ref = {
        .func_type = engine_func_type(3, 1, WASM_RT_I32, WASM_RT_I32, WASM_RT_I32,
                                      WASM_RT_I32),
        .func = (wasm_rt_function_ptr_t)Q(memset), .module_instance = &engine,
    };
    got_func_memset = wasm_rt_grow_funcref_table(
        Q(__indirect_function_table)(E), 1, ref);
}

static void extension_place(unsigned i, u32 memory_base)
{
    const struct extension *x = &extension_table[i];
    extension_env[i] = (struct engine_env){
        .engine = &engine, .self = x->instance, .memory_base = memory_base,
        .table_base = wasm_rt_grow_funcref_table(
            Q(__indirect_function_table)(E), x->table_entries,
            wasm_rt_funcref_null_value),
    };
    x->start(&wasi);
}

static void attach(void *arg)
{
    const struct image_head *head = arg;
    engine_init_module();
    engine_instantiate(E, &env, &wasi);
    uint32_t pages = (uint32_t)(head->memory_bytes / SFI_WASM_PAGE);
    if (pages > engine.w2c_memory.pages)
        wasm_rt_grow_memory(&engine.w2c_memory, pages - engine.w2c_memory.pages);
    table_memset();
    for (unsigned i = 0; i < extension_count; i++)
        extension_place(i, head->extension_base[i]);
}

/*
 * Instantiating also writes the modules' initial data, into a slot that is
 * thrown away: what a cell sees is the image.
 */
int boot_attach(const struct image_head *head, struct err *e)
{
    uint8_t *slot = sfi_slot_new();
    if (!slot)
        return err_sys(e, "engine: no address space");
    sfi_use(slot);
    enum trap t = sfi_enter(attach, (void *)head);
    sfi_use(NULL);
    sfi_slot_free(slot);
    if (t)
        return err_set(e, -ENOEXEC, "engine: %s while starting", trap_text(t));
    return 0;
}

struct fresh {
    struct str runtime, stripper;
    struct image_head *head;
    struct err *e;
    int r;
};

static jsval evaluate(struct str source, const char *name)
{
    u32 p = guest_copy(source), n = guest_copy(str_of(name));
    return Q(JS_Eval)(E, guest_context(), p, (u32)source.len, n, EVAL_SCRIPT);
}

static int complain(struct fresh *f, const char *what)
{
    AUTO_BUF text;
    buf_init(&text, 4096);
    jsval x = guest_exception();
    guest_text(x, &text);
    buf_adds(&text, " ");
    guest_text(guest_property(x, "stack"), &text);
    return err_set(f->e, -ENOEXEC, "%s: %.*s", what, (int)text.len, text.at);
}

/*
 * Math.random's state is somewhere in the context. Find the one word that a
 * call changes, and prove it: the same state must give the same number.
 */
static int find_random_state(struct fresh *f)
{
    enum { CONTEXT_BYTES = 1024 };
    u32 context = guest_context(), found = 0;
    u8 before[CONTEXT_BYTES];

    for (u32 off = 0; off + 8 <= CONTEXT_BYTES; off += 8) {
        memcpy(before, guest_at(context, CONTEXT_BYTES), CONTEXT_BYTES);
        guest_release(evaluate(STR("Math.random()"), "glovebox:boot"));
        u64 was;
        memcpy(&was, before + off, 8);
        if (guest_u64(context + off) == was)
            continue;
        guest_put_u64(context + off, 0x9E3779B97F4A7C15u);
        jsval a = evaluate(STR("Math.random()"), "glovebox:boot");
        guest_put_u64(context + off, 0x9E3779B97F4A7C15u);
        jsval b = evaluate(STR("Math.random()"), "glovebox:boot");
        if (a != b)
            continue;
        if (found)
            return err_set(f->e, -ENOEXEC, "engine: two words look like the "
                                           "state of Math.random");
        found = context + off;
    }
    if (!found)
        return err_set(f->e, -ENOEXEC, "engine: the state of Math.random is "
                                       "not where it is looked for");
    f->head->random_state = found;
    return 0;
}

static int check_tags(struct fresh *f)
{
    static const struct { const char *source; int tag; } want[] = {
        { "({})", TAG_OBJECT }, { "1", TAG_INT }, { "true", TAG_BOOL },
        { "null", TAG_NULL }, { "undefined", TAG_UNDEFINED },
        { "throw 1", TAG_EXCEPTION },
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        jsval v = evaluate(str_of(want[i].source), "glovebox:boot");
        if (js_tag(v) != want[i].tag)
            return err_set(f->e, -ENOEXEC, "engine: the tag of %s is %d, not %d",
                           want[i].source, js_tag(v), want[i].tag);
        if (js_is_exception(v))
            guest_release(guest_exception());
        guest_release(v);
    }
    return 0;
}

static int start_extensions(struct fresh *f)
{
    table_memset();
    for (unsigned i = 0; i < extension_count; i++) {
        const struct extension *x = &extension_table[i];
        u32 room = Q(malloc)(E, x->memory_bytes + EXTENSION_ALIGN);
        if (!room)
            return err_set(f->e, -ENOMEM, "engine: no memory for %s", x->name);
        u32 base = (room + EXTENSION_ALIGN - 1) & ~(u32)(EXTENSION_ALIGN - 1);
        memset(guest_at(base, x->memory_bytes), 0, x->memory_bytes);
        f->head->extension_base[i] = base;
        extension_place(i, base);
        x->relocate();
        if (x->init(guest_context(), guest_runtime()))
            return err_set(f->e, -ENOEXEC, "engine: extension %s did not start",
                           x->name);
    }
    return 0;
}

static int start_runtime(struct fresh *f)
{
    static const char *const names[] = {
#define X(name) #name,
        INTERNALS(X)
#undef X
    };
    imports_define_host();
    jsval internals = evaluate(f->runtime, "glovebox:runtime");
    if (js_is_exception(internals))
        return complain(f, "guest runtime");
    for (size_t i = 0; i < COUNT(names); i++) {
        jsval fn = guest_property(internals, names[i]);
        if (!Q(JS_IsFunction)(E, guest_context(), fn))
            return err_set(f->e, -ENOEXEC, "guest runtime: no %s()", names[i]);
        f->head->handle[i] = js_low(fn);
    }
    jsval limits[2] = { js_make(TAG_INT, (u32)run_limits_default.result_bytes),
                        js_make(TAG_INT, (u32)run_limits_default.timers) };
    guest_release(guest_call(INTERNAL_configure, 2, limits));
    if (!f->stripper.len)
        return 0;
    jsval strip = evaluate(f->stripper, "glovebox:types");
    if (js_is_exception(strip))
        return complain(f, "type stripper");
    f->head->handle[INTERNAL_strip] = js_low(strip);
    f->head->flags |= IMAGE_TS;
    return 0;
}

static void fresh(void *arg)
{
    struct fresh *f = arg;
    engine_init_module();
    engine_instantiate(E, &env, &wasi);
    Q(_initialize)(E);
    Q(qjs_init)(E);
    Q(qjs_set_max_stack_size)(E, DEFAULT_STACK_BYTES);
    f->head->scratch = Q(malloc)(E, IMAGE_SCRATCH_BYTES);
    guest_head = f->head;
    f->r = check_tags(f);
    if (f->r == 0)
        f->r = find_random_state(f);
    if (f->r == 0)
        f->r = start_extensions(f);
    if (f->r == 0)
        f->r = start_runtime(f);
    Q(qjs_set_module_loader)(E, 1);
    Q(qjs_set_promise_rejection_handler)(E, 1);
    Q(qjs_set_interrupt_handler)(E, 1);
    Q(qjs_run_gc)(E);
    Q(qjs_set_gc_threshold)(E, FIRST_COLLECTION_BYTES);
}

int boot_fresh(struct str runtime, struct str stripper, struct image_head *head,
               struct err *e)
{
    uint8_t *slot = sfi_slot_new();
    if (!slot)
        return err_sys(e, "engine: no address space");
    *head = (struct image_head){ .magic = IMAGE_MAGIC, .format = IMAGE_FORMAT };
    memcpy(head->engine_id, ENGINE_ID, strlen(ENGINE_ID));
    sfi_use(slot);
    struct fresh f = { runtime, stripper, head, e, 0 };
    enum trap t = sfi_enter(fresh, &f);
    if (t)
        return err_set(e, -ENOEXEC, "engine: %s while starting", trap_text(t));
    head->memory_bytes = engine.w2c_memory.size;
    head->stack_pointer = *Q(__stack_pointer)(E);
    return f.r;
}
