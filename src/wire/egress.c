/* wire/egress.c -- the frames between the supervisor and the egress process.
 * SPDX-License-Identifier: MIT */
#include "wire/egress.h"

#include <errno.h>

/* --- which messages there are --------------------------------------------- */

#define ROW(NAME, number, max) [number] = { #NAME, (max), 0 },
static const struct message_rule to_egress[]   = { TO_EGRESS(ROW) };
static const struct message_rule from_egress[] = { FROM_EGRESS(ROW) };
#undef ROW

const struct message_rule *message_to_egress(uint32_t type)
{
    return type < COUNT(to_egress) && to_egress[type].name
        ? &to_egress[type] : NULL;
}

const struct message_rule *message_from_egress(uint32_t type)
{
    return type < COUNT(from_egress) && from_egress[type].name
        ? &from_egress[type] : NULL;
}

static uint64_t max_body(enum egress_message type)
{
    const struct message_rule *r = message_to_egress(type);
    return r ? r->max_body : message_from_egress(type)->max_body;
}

const char *fetch_failure_text(unsigned code)
{
    static const char *const texts[] = {
#define X(NAME, number, text) [number] = text,
        FETCH_FAILURES(X)
#undef X
    };
    return code < COUNT(texts) ? texts[code] : NULL;
}

/* --- kinds of fields ------------------------------------------------------ */

static int are_headers(struct str s)
{
    struct str name, value;
    int r, n = 0;
    if (s.len > MAX_HEADERS_BYTES)
        return 0;
    while ((r = header_next(&s, &name, &value)) > 0)
        if (++n > MAX_HEADERS)
            return 0;
    return r == 0;
}

/* K(kind, type in C, encoding, which values v are legal) */
#define KINDS(K)                                                          \
    K(u32,      uint32_t,   u32, 1)                                       \
    K(u64,      uint64_t,   u64, 1)                                       \
    K(yesno,    uint8_t,    u8,  v <= 1)                                  \
    K(sockets,  uint32_t,   u32, v <= EGRESS_MAX_SOCKETS)                 \
    K(secrets,  uint32_t,   u32, v <= EGRESS_MAX_SECRETS)                 \
    K(redirect, uint8_t,    u8,  v < REDIRECTS)                           \
    K(failure,  uint8_t,    u8,  fetch_failure_text(v) != NULL)           \
    K(status,   uint32_t,   u32, v >= 200 && v <= 999)                    \
    K(method,   struct str, str, v.len <= MAX_METHOD_BYTES)               \
    K(url,      struct str, str, v.len <= MAX_URL_BYTES)                  \
    K(headers,  struct str, str, are_headers(v))                          \
    K(body,     struct str, str, v.len <= MAX_FETCH_BODY)                 \
    K(chunk,    struct str, str, v.len <= EGRESS_MAX_DATA)                \
    K(value,    struct str, str, v.len <= EGRESS_MAX_SECRET)              \
    K(words,    struct str, str, v.len <= EGRESS_MAX_TEXT)                \
    K(text,     struct str, str, 1)    /* as long as the message may be */

static void refuse(struct buf *b, int code)
{
    if (!b->failed)
        b->failed = code;
}

#define KIND(kind, type, code, legal)                                     \
    static void add_##kind(struct buf *b, type v)                         \
    {                                                                     \
        if (!(legal))                                                     \
            refuse(b, -EPROTO);                                           \
        put_##code(b, v);                                                 \
    }                                                                     \
    static type take_##kind(struct fields *f)                             \
    {                                                                     \
        type v = get_##code(f);                                           \
        if (!(legal))                                                     \
            f->failed = 1;                                                \
        return v;                                                         \
    }
KINDS(KIND)
#undef KIND

/* --- the fields of each message, F(kind, name), in wire order ------------- */

/* config ends with its secrets: `secrets` times a name, a value and a host */
#define CONFIG_FIELDS(F)                                                  \
    F(u32,      version)                                                  \
    F(text,     policy)                                                   \
    F(text,     hosts)                                                    \
    F(words,    nameserver)                                               \
    F(text,     ca_pem)                                                   \
    F(u32,      connections)                                              \
    F(u32,      idle_ms)                                                  \
    F(secrets,  secrets)

#define SECRET_FIELDS(F)                                                  \
    F(words,    name)                                                     \
    F(value,    value)                                                    \
    F(words,    host)

#define ATTACH_FIELDS(F)                                                  \
    F(u64,      run)                                                      \
    F(u64,      max_bytes)                                                \
    F(sockets,  sockets)

#define DETACH_FIELDS(F)                                                  \
    F(u64,      run)

#define FETCH_FIELDS(F)                                                   \
    F(u64,      run)                                                      \
    F(u64,      call)                                                     \
    F(method,   method)                                                   \
    F(url,      url)                                                      \
    F(redirect, redirect)                                                 \
    F(yesno,    has_body)                                                 \
    F(u64,      timeout_ms)                                               \
    F(u64,      max_bytes)                                                \
    F(u64,      credit)                                                   \
    F(headers,  headers)                                                  \
    F(body,     body)

#define ABORT_FIELDS(F)                                                   \
    F(u64,      run)                                                      \
    F(u64,      call)

#define MORE_FIELDS(F)                                                    \
    F(u64,      run)                                                      \
    F(u64,      call)                                                     \
    F(u64,      credit)

#define ONLINE_FIELDS(F)                                                  \
    F(u32,      version)                                                  \
    F(words,    curl)

#define DECISION_FIELDS(F)                                                \
    F(u64,      run)                                                      \
    F(yesno,    allowed)                                                  \
    F(words,    what)                                                     \
    F(words,    subject)                                                  \
    F(words,    rule)                                                     \
    F(words,    address)                                                  \
    F(words,    hint)

#define USAGE_FIELDS(F)                                                   \
    F(u64,      run)                                                      \
    F(u64,      sent)                                                     \
    F(u64,      received)                                                 \
    F(u32,      connections)                                              \
    F(u32,      requests)                                                 \
    F(u32,      denied)                                                   \
    F(yesno,    over)                                                     \
    F(yesno,    last)

#define HEAD_FIELDS(F)                                                    \
    F(u64,      run)                                                      \
    F(u64,      call)                                                     \
    F(status,   status)                                                   \
    F(yesno,    redirected)                                               \
    F(words,    status_text)                                              \
    F(url,      url)                                                      \
    F(headers,  headers)

#define DATA_FIELDS(F)                                                    \
    F(u64,      run)                                                      \
    F(u64,      call)                                                     \
    F(chunk,    bytes)

#define END_FIELDS(F)                                                     \
    F(u64,      run)                                                      \
    F(u64,      call)                                                     \
    F(u64,      bytes)

#define FAIL_FIELDS(F)                                                    \
    F(u64,      run)                                                      \
    F(u64,      call)                                                     \
    F(failure,  code)                                                     \
    F(words,    message)                                                  \
    F(words,    hint)

#define OFFLINE_FIELDS(F)                                                 \
    F(words,    text)

/* --- put and get ---------------------------------------------------------- */

/* A body the other side would refuse for its size never leaves this one. What
 * stood in b before a refused message stays whole. */
static void close_frame(struct buf *b, size_t start, enum egress_message type)
{
    frame_end(b, start);
    if (!b->failed && b->len - start - FRAME_HEAD_BYTES > max_body(type))
        refuse(b, -EMSGSIZE);
    if (b->failed)
        b->len = start;
}

#define PUT(kind, field) add_##kind(b, m->field);
#define GET(kind, field) m.field = take_##kind(&f);
#define MESSAGE(NAME, name)                                               \
    void put_egress_##name(struct buf *b, const struct egress_##name *m)  \
    {                                                                     \
        size_t start = frame_begin(b, EGRESS_##NAME);                     \
        NAME##_FIELDS(PUT)                                                \
        close_frame(b, start, EGRESS_##NAME);                             \
    }                                                                     \
    int get_egress_##name(struct str body, struct egress_##name *out)     \
    {                                                                     \
        struct fields f = fields_of(body);                                \
        struct egress_##name m;                                           \
        NAME##_FIELDS(GET)                                                \
        if (get_end(&f) < 0 || body.len > max_body(EGRESS_##NAME))        \
            return -EPROTO;                                               \
        *out = m;                                                         \
        return 0;                                                         \
    }
EGRESS_PLAIN(MESSAGE)

static void add_secret(struct buf *b, const struct egress_secret *m)
{
    SECRET_FIELDS(PUT)
}

static struct egress_secret take_secret(struct fields *from)
{
    struct fields f = *from;
    struct egress_secret m;
    SECRET_FIELDS(GET)
    *from = f;
    return m;
}

void put_egress_config(struct buf *b, const struct egress_config *m)
{
    size_t start = frame_begin(b, EGRESS_CONFIG);
    CONFIG_FIELDS(PUT)
    for (uint32_t i = 0; i < m->secrets && !b->failed; i++)
        add_secret(b, &m->secret[i]);
    close_frame(b, start, EGRESS_CONFIG);
}

int get_egress_config(struct str body,
                      struct egress_secret room[EGRESS_MAX_SECRETS],
                      struct egress_config *out)
{
    struct fields f = fields_of(body);
    struct egress_config m;
    CONFIG_FIELDS(GET)
    for (uint32_t i = 0; !f.failed && i < m.secrets; i++)
        room[i] = take_secret(&f);
    if (get_end(&f) < 0 || body.len > max_body(EGRESS_CONFIG))
        return -EPROTO;
    m.secret = room;
    *out = m;
    return 0;
}
