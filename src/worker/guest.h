/*
 * worker/guest.h -- touching guest memory and calling guest functions.
 *
 * Every pointer and length that comes out of linear memory is checked here
 * against its live size before use; a bad one is a trap, like any other access
 * outside. Data is copied once and only then looked at: nothing between check
 * and use runs in the guest.
 *
 * All of this is called inside sfi_enter().
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "worker/engine.h"
#include "wire/image.h"

/* The functions of guest/js/main.js, in the order of image_head.handle[]. */
#define INTERNALS(X) \
    X(configure) X(input) X(begin) X(pending) X(tick) X(failed) X(rejection) \
    X(unhandled) X(inspect) X(fetched)
enum internal {
#define X(name) INTERNAL_##name,
    INTERNALS(X)
#undef X
    INTERNAL_strip,       /* the type stripper; 0 in images without it */
    INTERNAL_COUNT
};
_Static_assert((int)INTERNAL_COUNT <= (int)IMAGE_HANDLES, "handles fit the image head");

/* The head of the image that the current cell is a copy of. */
extern const struct image_head *guest_head;

u8   *guest_at(u32 address, u32 len);          /* traps if not all inside */
u32   guest_u32(u32 address);
u64   guest_u64(u32 address);
void  guest_put_u64(u32 address, u64 v);
u32   guest_context(void);
u32   guest_runtime(void);

/* A copy of these bytes in guest memory, NUL-terminated; traps when full. */
u32   guest_copy(struct str s);
jsval guest_string(struct str s);
void  guest_release(jsval v);

/*
 * Memory of the host's for one step. A trap skips whoever would free it, so it
 * is not theirs: take and give nest like brackets, and what a trap left taken
 * is taken back by guest_bufs_clear() before the next run.
 */
struct buf *guest_take(void);
void        guest_give(void);
void        guest_bufs_clear(void);

/* Append the text of v (UTF-8). Returns 0, -EINVAL if v has no text, or the
 * buf's failure. */
int   guest_text(jsval v, struct buf *out);
double guest_number(jsval v);

/* Call an internal function. The caller owns args and result. */
jsval guest_call(enum internal which, int argc, const jsval *args);
/* The pending exception. */
jsval guest_exception(void);
/* Define obj[name] = v; takes v. */
void  guest_define(jsval obj, const char *name, jsval v);
jsval guest_property(jsval obj, const char *name);
