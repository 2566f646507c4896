/* wire/messages.c -- every message, its fields written down once.
 * SPDX-License-Identifier: MIT */
#include "wire/messages.h"
#include "wire/inside.h"

#include <string.h>

/* --- which messages there are --------------------------------------------- */

#define ROW(NAME, number, max, phases) [number] = { #NAME, (max), (phases) },
static const struct message_rule from_worker[] = { FROM_WORKER(ROW) };
static const struct message_rule to_worker[]   = { TO_WORKER(ROW) };
#undef ROW

const struct message_rule *message_from_worker(uint32_t type)
{
    return rule_in(from_worker, COUNT(from_worker), type);
}

const struct message_rule *message_to_worker(uint32_t type)
{
    return rule_in(to_worker, COUNT(to_worker), type);
}

static uint64_t max_body(enum message type)
{
    const struct message_rule *r = message_from_worker(type);
    return r ? r->max_body : message_to_worker(type)->max_body;
}

/* --- kinds of fields ------------------------------------------------------ */

static int is_reason(unsigned v)
{
#define X(NAME, number, text, code) || v == (number)
    return 0 REASONS(X);
#undef X
}

/* A token of HTTP: what a method and the name of a header are made of. */
static int is_token(struct str s)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < s.len; i++) {
        char c = s.at[i], low = (char)(c | 0x20);
        if (!(low >= 'a' && low <= 'z') && !(c >= '0' && c <= '9') &&
            !memchr(others, c, sizeof others - 1))
            return 0;
    }
    return s.len > 0;
}

/* URLs are made by the guest's own parser: printable, and nothing to escape. */
static int is_url(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.at[i] <= ' ' || s.at[i] > '~')
            return 0;
    return s.len <= MAX_URL_BYTES;
}

/* Up to the next LF; 0 if there is none. */
static int take_line(struct str *rest, struct str *out)
{
    const char *end = rest->len ? memchr(rest->at, '\n', rest->len) : NULL;
    if (!end)
        return 0;
    *out = (struct str){ rest->at, (size_t)(end - rest->at) };
    rest->at += out->len + 1;
    rest->len -= out->len + 1;
    return 1;
}

int header_next(struct str *rest, struct str *out_name, struct str *out_value)
{
    struct str left = *rest, name, value;
    if (!left.len)
        return 0;
    if (!take_line(&left, &name) || !take_line(&left, &value) || !is_token(name))
        return -EPROTO;
    for (size_t i = 0; i < value.len; i++)
        if (value.at[i] == '\r' || value.at[i] == '\0')
            return -EPROTO;
    *rest = left;
    *out_name = name;
    *out_value = value;
    return 1;
}

/* Kinds of these messages; those of every channel are in wire/inside.h. */
KIND(stream, uint8_t,    u8,  v == 1 || v == 2)
KIND(reason, uint8_t,    u8,  is_reason(v))
KIND(limit,  uint8_t,    u8,  v <= LIMIT_NONE)
KIND(mode,   uint8_t,    u8,  v < MODE_COUNT)
KIND(kind,   uint8_t,    u8,  v < MODULE_KINDS)
KIND(flags,  uint32_t,   u32, !(v & ~(uint32_t)RUN_ALL))
KIND(name,   struct str, str, v.len <= MAX_NAME_BYTES)
KIND(source, struct str, str, v.len <= MAX_SOURCE_BYTES)
KIND(chunk,  struct str, str, v.len <= MAX_CHUNK_BYTES)
KIND(pages,  struct str, str, v.len <= IMAGE_CHUNK_BYTES)
KIND(status, uint32_t,   u32, v >= 100 && v <= 999)
KIND(method, struct str, str, v.len <= MAX_METHOD_BYTES && is_token(v))
KIND(url,    struct str, str, is_url(v))

static void add_limits(struct buf *b, struct run_limits v)
{
#define X(field, name, initial, ceiling) put_u64(b, v.field);
    RUN_LIMITS(X)
#undef X
}

static struct run_limits take_limits(struct fields *f)
{
    struct run_limits v;
#define X(field, name, initial, ceiling) v.field = get_u64(f);
    RUN_LIMITS(X)
#undef X
    return v;
}

/* --- the fields of each message, F(kind, name), in wire order ------------- */

#define HELLO_FIELDS(F)                                                   \
    F(u32,    version)                                                    \
    F(u32,    walls)                                                      \
    F(u32,    cells)                                                      \
    F(name,   engine)                                                     \
    F(name,   engine_id)

/* run ends with its modules: `modules` times a name, a source and a kind */
#define RUN_FIELDS(F)                                                     \
    F(u64,    id)                                                         \
    F(u32,    cell)                                                       \
    F(flags,  flags)                                                      \
    F(mode,   mode)                                                       \
    F(limits, limits)                                                     \
    F(u64,    seed)                                                       \
    F(u64,    clock_ns)                                                   \
    F(name,   name)                                                       \
    F(source, source)                                                     \
    F(text,   input)                                                      \
    F(text,   secrets)                                                    \
    F(u32,    modules)

#define MODULE_FIELDS(F)                                                  \
    F(name,   name)                                                       \
    F(source, source)                                                     \
    F(kind,   kind)

#define OUTPUT_FIELDS(F)                                                  \
    F(stream, stream)                                                     \
    F(chunk,  bytes)

#define LOAD_FIELDS(F)                                                    \
    F(name,   base)                                                       \
    F(name,   name)

#define LOADED_FIELDS(F)                                                  \
    F(yesno,  ok)                                                         \
    F(source, text)

#define RESULT_FIELDS(F)                                                  \
    F(u64,    id)                                                         \
    F(reason, reason)                                                     \
    F(limit,  limit)                                                      \
    F(u64,    observed)                                                   \
    F(text,   value)                                                      \
    F(text,   exports)                                                    \
    F(text,   display)                                                    \
    F(text,   error_name)                                                 \
    F(text,   error_message)                                              \
    F(text,   error_stack)                                                \
    F(text,   error_printed)                                              \
    F(name,   file)                                                       \
    F(u32,    line)                                                       \
    F(u32,    column)                                                     \
    F(text,   detail)                                                     \
    F(u64,    wall_ns)                                                    \
    F(u64,    cpu_ns)                                                     \
    F(u64,    memory_peak_bytes)                                          \
    F(u64,    stdout_bytes)                                               \
    F(u64,    stderr_bytes)                                               \
    F(yesno,  state_lost)

#define DUMP_FIELDS(F)                                                    \
    F(u32,    cell)

#define IMAGE_FIELDS(F)                                                   \
    F(yesno,  last)                                                       \
    F(pages,  bytes)

#define RESET_FIELDS(F)                                                   \
    F(u32,    cell)

#define FATAL_FIELDS(F)                                                   \
    F(text,   text)

#define FETCH_FIELDS(F)                                                   \
    F(u32,    call)                                                       \
    F(method, method)                                                     \
    F(url,    url)                                                        \
    F(headers, headers)                                                   \
    F(redirect, redirect)                                                 \
    F(body,   body)

#define FETCH_ABORT_FIELDS(F)                                             \
    F(u32,    call)

#define FETCH_MORE_FIELDS(F)                                              \
    F(u32,    call)                                                       \
    F(u32,    bytes)

#define FETCH_DENIED_FIELDS(F)                                            \
    F(url,    url)

#define FETCH_HEAD_FIELDS(F)                                              \
    F(u32,    call)                                                       \
    F(status, status)                                                     \
    F(name,   status_text)                                                \
    F(url,    url)                                                        \
    F(yesno,  redirected)                                                 \
    F(headers, headers)

#define FETCH_DATA_FIELDS(F)                                              \
    F(u32,    call)                                                       \
    F(chunk,  bytes)

#define FETCH_END_FIELDS(F)                                               \
    F(u32,    call)

#define FETCH_FAIL_FIELDS(F)                                              \
    F(u32,    call)                                                       \
    F(name,   code)                                                       \
    F(name,   message)                                                    \
    F(name,   hint)

/* --- put and get ---------------------------------------------------------- */

#define MESSAGE(NAME, name)                                               \
    MESSAGE_OF(name, struct msg_##name, MSG_##NAME, NAME##_FIELDS)

MESSAGE(HELLO,  hello)
MESSAGE(OUTPUT, output)
MESSAGE(LOAD,   load)
MESSAGE(LOADED, loaded)
MESSAGE(RESULT, result)
MESSAGE(DUMP,   dump)
MESSAGE(IMAGE,  image)
MESSAGE(RESET,  reset)
MESSAGE(FATAL,  fatal)
MESSAGE(FETCH,        fetch)
MESSAGE(FETCH_ABORT,  fetch_abort)
MESSAGE(FETCH_MORE,   fetch_more)
MESSAGE(FETCH_DENIED, fetch_denied)
MESSAGE(FETCH_HEAD,   fetch_head)
MESSAGE(FETCH_DATA,   fetch_data)
MESSAGE(FETCH_END,    fetch_end)
MESSAGE(FETCH_FAIL,   fetch_fail)

enum module_kind module_kind_of(struct str file_name)
{
    static const struct { const char *tail; enum module_kind kind; } kinds[] = {
        { ".json", MODULE_JSON }, { ".ts", MODULE_TS }, { ".mts", MODULE_TS },
    };
    for (size_t i = 0; i < COUNT(kinds); i++) {
        size_t n = strlen(kinds[i].tail);
        if (file_name.len > n && memcmp(file_name.at + file_name.len - n,
                                        kinds[i].tail, n) == 0)
            return kinds[i].kind;
    }
    return MODULE_JS;
}

FIELDS_OF(module, struct module_source, MODULE_FIELDS)
FIELDS_OF(run,    struct msg_run,       RUN_FIELDS)

void put_run(struct buf *b, const struct msg_run *m)
{
    size_t start = frame_begin(b, MSG_RUN);
    add_run_fields(b, m);
    if (m->modules > MAX_MODULES)
        refuse(b, -EMSGSIZE);
    for (uint32_t i = 0; i < m->modules && !b->failed; i++)
        add_module_fields(b, &m->module[i]);
    close_frame(b, start, max_body(MSG_RUN));
}

int get_run(struct str body, struct module_source *room, size_t rooms,
            struct msg_run *out)
{
    struct fields f = fields_of(body);
    struct msg_run m;
    take_run_fields(&f, &m);
    if (!f.failed && (m.modules > rooms || m.modules > MAX_MODULES))
        return -EMSGSIZE;
    for (uint32_t i = 0; !f.failed && i < m.modules; i++)
        take_module_fields(&f, &room[i]);
    if (close_body(&f, body, max_body(MSG_RUN)) < 0)
        return -EPROTO;
    m.module = room;
    *out = m;
    return 0;
}
