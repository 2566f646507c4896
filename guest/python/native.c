/*
 * guest/python/native.c -- what Python cannot say itself: the zygote's loop and
 * the channel, for ctypes.
 *
 * Built as glovebox-python.so without a Python header, so that one library
 * serves every CPython. guest/python/channel.py loads it with PyDLL: the GIL
 * stays held, which is what the fork hooks of the interpreter expect and what
 * makes one frame of several threads come out whole.
 *
 * Endings and limits are named by their text, so the lists of wire/ stand
 * nowhere twice.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zygote/zygote.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define EXPORT __attribute__((visibility("default")))

/* PyOS_BeforeFork() and its two sisters. */
typedef void python_hook(void);
struct python_hooks {
    python_hook *before, *parent, *child;
};

EXPORT uint32_t glovebox_serve(python_hook *before, python_hook *parent,
                               python_hook *child, const char *version);
EXPORT void glovebox_attach(uint64_t id);
EXPORT void glovebox_program(struct str *out_settings, struct str *out_source);
EXPORT int  glovebox_text(const char *field, const char *at, size_t len);
EXPORT int  glovebox_result(const char *reason, const char *limit,
                            uint64_t observed, uint32_t line, uint32_t column);
EXPORT int  glovebox_denied(const char *what, const char *subject,
                            const char *rule, const char *hint);
EXPORT unsigned glovebox_compact(void);

/* Of the run that this process is; texts are borrowed from Python. */
static struct msg_result result;

/* ---- the zygote ------------------------------------------------------------- */

static void call_before(void *user) { ((struct python_hooks *)user)->before(); }
static void call_parent(void *user) { ((struct python_hooks *)user)->parent(); }
static void call_child(void *user)  { ((struct python_hooks *)user)->child(); }

/* What a preloaded library holds open is not the run's. */
static void close_others(void *user)
{
    (void)user;
    syscall(SYS_close_range, STDERR_FILENO + 1, GUEST_CHANNEL_FD - 1, 0);
    syscall(SYS_close_range, GUEST_CHANNEL_FD + 1, ~0u, 0);
}

/* Returns in forks only, with their enum fork_flags. */
uint32_t glovebox_serve(python_hook *before, python_hook *parent,
                        python_hook *child, const char *version)
{
    struct python_hooks python = { before, parent, child };
    const struct zygote_hooks hooks = {
        .before = call_before, .parent = call_parent, .child = call_child,
        .sealed = close_others, .user = &python, .version = version,
    };
    struct zygote_child self;
    zygote_serve(&hooks, &self);
    glovebox_attach(self.id);
    return self.flags;
}

/* This process is the run `id`, however it came to be. */
void glovebox_attach(uint64_t id)
{
    result = (struct msg_result){ .id = id, .limit = LIMIT_NONE };
}

/* ---- the channel ------------------------------------------------------------ */

void glovebox_program(struct str *out_settings, struct str *out_source)
{
    struct msg_program m;
    channel_program(&m);
    *out_settings = m.settings;
    *out_source = m.source;
}

/* Set a text of the result; borrowed until glovebox_result() returns. */
int glovebox_text(const char *field, const char *at, size_t len)
{
    const struct { const char *name; struct str *out; } fields[] = {
        { "value", &result.value },
        { "display", &result.display },
        { "error_name", &result.error_name },
        { "error_message", &result.error_message },
        { "error_stack", &result.error_stack },
        { "error_printed", &result.error_printed },
        { "file", &result.file },
        { "detail", &result.detail },
    };
    for (size_t i = 0; i < COUNT(fields); i++)
        if (strcmp(fields[i].name, field) == 0) {
            *fields[i].out = (struct str){ at, len };
            return 0;
        }
    return -EINVAL;
}

static uint8_t reason_of(const char *text)
{
    for (int r = REASON_COMPLETED; r < REASON_END; r++)
        if (strcmp(reason_text((enum reason)r), text) == 0)
            return (uint8_t)r;
    return REASON_INTERNAL;
}

static uint8_t limit_of(const char *text)
{
#define X(field, name, initial, ceiling) name,
    static const char *const names[] = { RUN_LIMITS(X) };
#undef X
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(names[i], text) == 0)
            return (uint8_t)i;
    return LIMIT_NONE;
}

/* Send what glovebox_text() gathered, and forget it. */
int glovebox_result(const char *reason, const char *limit, uint64_t observed,
                    uint32_t line, uint32_t column)
{
    struct msg_result m = result;
    m.reason = reason_of(reason);
    m.limit = limit_of(limit);
    m.observed = observed;
    m.line = line;
    m.column = column;
    glovebox_attach(m.id);
    return channel_result(&m);
}

int glovebox_denied(const char *what, const char *subject, const char *rule,
                    const char *hint)
{
    const struct msg_denied m = {
        .what = str_of(what), .subject = str_of(subject),
        .rule = str_of(rule), .hint = str_of(hint),
    };
    return channel_denied(&m);
}

/* ---- memory ----------------------------------------------------------------- */

enum { HUGE_PAGE = 2 << 20, SMALL_PAGE = 4096, COLLAPSE = 25 };
enum { WORTH_IT = 128 };    /* small pages in use, of the 512 of a huge one */

static int pages_in_use(char *at)
{
    unsigned char use[HUGE_PAGE / SMALL_PAGE];
    int n = 0;
    if (mincore(at, HUGE_PAGE, use) < 0)
        return 0;
    for (size_t i = 0; i < sizeof use; i++)
        n += use[i] & 1;
    return n;
}

static unsigned collapse(uintptr_t from, uintptr_t to)
{
    unsigned done = 0;
    from = (from + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    for (; from + HUGE_PAGE <= to; from += HUGE_PAGE)
        if (pages_in_use((char *)from) >= WORTH_IT)
            done += syscall(SYS_madvise, from, HUGE_PAGE, COLLAPSE) == 0;
    return done;
}

/*
 * Before the first fork: give back what is free and turn the rest into huge
 * pages where the kernel can, because a fork pays for each page it copies the
 * entry of. Returns how many there are now.
 */
unsigned glovebox_compact(void)
{
    malloc_trim(0);
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return 0;
    char line[512], rights[8];
    unsigned long from, to;
    unsigned done = 0;
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 &&
            strcmp(rights, "rw-p") == 0 && !strchr(line, '/'))
            done += collapse(from, to);
    fclose(maps);
    return done;
}
