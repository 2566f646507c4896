/* wire/egress.c -- the frames between the supervisor and the egress process.
 * SPDX-License-Identifier: MIT */
#include "wire/egress.h"
#include "wire/inside.h"

/* --- which messages there are --------------------------------------------- */

#define ROW(NAME, number, max) [number] = { #NAME, (max), 0 },
static const struct message_rule to_egress[]   = { TO_EGRESS(ROW) };
static const struct message_rule from_egress[] = { FROM_EGRESS(ROW) };
#undef ROW

const struct message_rule *message_to_egress(uint32_t type)
{
    return rule_in(to_egress, COUNT(to_egress), type);
}

const struct message_rule *message_from_egress(uint32_t type)
{
    return rule_in(from_egress, COUNT(from_egress), type);
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

/* Kinds of these messages; those of every channel are in wire/inside.h. */
KIND(sockets, uint32_t,   u32, v <= EGRESS_MAX_SOCKETS)
KIND(secrets, uint32_t,   u32, v <= EGRESS_MAX_SECRETS)
KIND(failure, uint8_t,    u8,  fetch_failure_text(v) != NULL)
KIND(status,  uint32_t,   u32, v >= 200 && v <= 999)
KIND(method,  struct str, str, v.len <= MAX_METHOD_BYTES)
KIND(url,     struct str, str, v.len <= MAX_URL_BYTES)
KIND(chunk,   struct str, str, v.len <= EGRESS_MAX_DATA)
KIND(value,   struct str, str, v.len <= EGRESS_MAX_SECRET)
KIND(words,   struct str, str, v.len <= EGRESS_MAX_TEXT)

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

#define MESSAGE(NAME, name)                                               \
    MESSAGE_OF(egress_##name, struct egress_##name, EGRESS_##NAME,        \
               NAME##_FIELDS)
EGRESS_PLAIN(MESSAGE)

FIELDS_OF(secret, struct egress_secret, SECRET_FIELDS)
FIELDS_OF(config, struct egress_config, CONFIG_FIELDS)

void put_egress_config(struct buf *b, const struct egress_config *m)
{
    size_t start = frame_begin(b, EGRESS_CONFIG);
    add_config_fields(b, m);
    for (uint32_t i = 0; i < m->secrets && !b->failed; i++)
        add_secret_fields(b, &m->secret[i]);
    close_frame(b, start, max_body(EGRESS_CONFIG));
}

int get_egress_config(struct str body,
                      struct egress_secret room[EGRESS_MAX_SECRETS],
                      struct egress_config *out)
{
    struct fields f = fields_of(body);
    struct egress_config m;
    take_config_fields(&f, &m);
    for (uint32_t i = 0; !f.failed && i < m.secrets; i++)
        take_secret_fields(&f, &room[i]);
    if (close_body(&f, body, max_body(EGRESS_CONFIG)) < 0)
        return -EPROTO;
    m.secret = room;
    *out = m;
    return 0;
}
