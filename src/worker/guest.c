/* worker/guest.c -- the checked ways to and from linear memory.
 * SPDX-License-Identifier: MIT */
#include "worker/guest.h"
#include "worker/sfi.h"
#include <errno.h>
#include <string.h>

const struct image_head *guest_head;

/* Where things lie in our scratch area of guest memory. */
enum { SCRATCH_LEN = 0, SCRATCH_NUMBER = 8, SCRATCH_ARGS = 64, MAX_ARGS = 8 };
_Static_assert(SCRATCH_ARGS + 8 * MAX_ARGS <= IMAGE_SCRATCH_BYTES, "scratch");

enum { MAX_TAKEN = 8, MAX_BUF_BYTES = 96 << 20, KEEP_BUF_BYTES = 1 << 20 };
static struct buf taken[MAX_TAKEN];
static int taken_count;

struct buf *guest_take(void)
{
    if (taken_count == MAX_TAKEN)
        sfi_trap(TRAP_ENGINE);
    struct buf *b = &taken[taken_count++];
    if (!b->max)
        buf_init(b, MAX_BUF_BYTES);
    buf_clear(b);
    return b;
}

void guest_give(void)
{
    struct buf *b = &taken[--taken_count];
    if (b->room > KEEP_BUF_BYTES)
        buf_free(b);
}

void guest_bufs_clear(void)
{
    while (taken_count > 0)
        guest_give();
}

u8 *guest_at(u32 address, u32 len)
{
    if ((u64)address + len > engine.w2c_memory.size)
        sfi_trap(TRAP_MEMORY);
    return engine.w2c_memory.data + address;
}

u32 guest_u32(u32 address)
{
    u32 v;
    memcpy(&v, guest_at(address, sizeof v), sizeof v);
    return v;
}

u64 guest_u64(u32 address)
{
    u64 v;
    memcpy(&v, guest_at(address, sizeof v), sizeof v);
    return v;
}

void guest_put_u64(u32 address, u64 v)
{
    memcpy(guest_at(address, sizeof v), &v, sizeof v);
}

u32 guest_context(void) { return Q(qjs_get_context_ptr)(E); }
u32 guest_runtime(void) { return Q(qjs_get_runtime_ptr)(E); }

u32 guest_copy(struct str s)
{
    if (s.len >= UINT32_MAX)
        sfi_trap(TRAP_MEMORY);
    u32 p = Q(wasm_malloc)(E, (u32)s.len + 1);
    if (!p)
        sfi_trap(TRAP_MEMORY);
    u8 *to = guest_at(p, (u32)s.len + 1);
    if (s.len)
        memcpy(to, s.at, s.len);
    to[s.len] = 0;
    return p;
}

jsval guest_string(struct str s)
{
    u32 p = guest_copy(s);
    jsval v = Q(JS_NewStringLen)(E, guest_context(), p, (u32)s.len);
    Q(wasm_free)(E, p);
    return v;
}

void guest_release(jsval v)
{
    Q(JS_FreeValue)(E, guest_context(), v);
}

int guest_text(jsval v, struct buf *out)
{
    u32 len_at = guest_head->scratch + SCRATCH_LEN;
    u32 p = Q(JS_ToCStringLen2)(E, guest_context(), len_at, v, 0);
    if (!p)
        return -EINVAL;
    u32 len = guest_u32(len_at);
    int r = buf_add(out, guest_at(p, len), len);
    Q(JS_FreeCString)(E, guest_context(), p);
    return r;
}

double guest_number(jsval v)
{
    if (js_tag(v) == TAG_INT)
        return (double)(s32)js_low(v);
    u32 at = guest_head->scratch + SCRATCH_NUMBER;
    double d = 0;
    if ((s32)Q(JS_ToFloat64)(E, guest_context(), at, v) < 0)
        return 0;
    memcpy(&d, guest_at(at, sizeof d), sizeof d);
    return d;
}

jsval guest_call(enum internal which, int argc, const jsval *args)
{
    u32 at = guest_head->scratch + SCRATCH_ARGS;
    for (int i = 0; i < argc && i < MAX_ARGS; i++)
        guest_put_u64(at + 8 * (u32)i, args[i]);
    return Q(JS_Call)(E, guest_context(),
                      js_make(TAG_OBJECT, guest_head->handle[which]),
                      JS_UNDEFINED, (u32)argc, at);
}

jsval guest_exception(void)
{
    return Q(JS_GetException)(E, guest_context());
}

void guest_define(jsval obj, const char *name, jsval v)
{
    u32 p = guest_copy(str_of(name));
    enum { CONFIGURABLE = 1, WRITABLE = 2 };
    Q(JS_DefinePropertyValueStr)(E, guest_context(), obj, p, v,
                                 CONFIGURABLE | WRITABLE);
    Q(wasm_free)(E, p);
}

jsval guest_property(jsval obj, const char *name)
{
    u32 p = guest_copy(str_of(name));
    jsval v = Q(JS_GetPropertyStr)(E, guest_context(), obj, p);
    Q(wasm_free)(E, p);
    return v;
}
