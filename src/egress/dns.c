/* egress/dns.c -- packets of DNS, read strictly.
 * SPDX-License-Identifier: MIT */
#include "egress/dns.h"

#include <errno.h>
#include <string.h>

enum {
    HEAD         = 12,
    QR           = 0x8000,
    OPCODE       = 0x7800,
    AA           = 0x0400,
    TC           = 0x0200,
    RD           = 0x0100,
    RA           = 0x0080,
    RCODE        = 0x000f,
    CLASS_IN     = 1,
    TYPE_OPT     = 41,
    QUERY_MOST   = 512,     /* of a guest */
    ADDED_MOST   = 4,
    RECORDS_MOST = 128,
    JUMPS_MOST   = 16,
    ALIASES_MOST = 16,
};

struct cursor {
    const uint8_t *at;
    size_t         len, pos;
    int            failed;
};

static unsigned take(struct cursor *c, size_t bytes)
{
    unsigned v = 0;
    if (c->failed || c->len - c->pos < bytes) {
        c->failed = 1;
        return 0;
    }
    while (bytes--)
        v = v << 8 | c->at[c->pos++];
    return v;
}

static char lower(uint8_t c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* A label's letters, of which a dot or a NUL would fake another name. */
static int add_label(const uint8_t *at, size_t len, char *out, size_t *n)
{
    if (*n + len + 1 > NET_NAME_MAX + 1)
        return -EINVAL;
    if (*n)
        out[(*n)++] = '.';
    if (*n + len > NET_NAME_MAX)
        return -EINVAL;
    for (size_t i = 0; i < len; i++) {
        if (at[i] <= ' ' || at[i] >= 0x7f || at[i] == '.')
            return -EINVAL;
        out[(*n)++] = lower(at[i]);
    }
    return 0;
}

/* A name at the cursor. Pointers, where they are legal, only point back. */
static void take_name(struct cursor *c, int pointers, char out[NET_NAME_MAX + 1])
{
    size_t n = 0, pos = c->pos, limit = c->pos;
    int jumps = 0;
    out[0] = '\0';
    while (!c->failed) {
        if (pos >= c->len)
            break;
        uint8_t len = c->at[pos++];
        if (len == 0) {
            out[n] = '\0';
            if (!jumps)
                c->pos = pos;
            return;
        }
        if ((len & 0xc0) == 0xc0 && pointers && pos < c->len) {
            size_t to = (size_t)(len & 0x3f) << 8 | c->at[pos++];
            if (!jumps)
                c->pos = pos;
            if (to >= limit || ++jumps > JUMPS_MOST)
                break;
            pos = limit = to;
            continue;
        }
        if (len > 63 || c->len - pos < len ||
            add_label(c->at + pos, len, out, &n) < 0)
            break;
        pos += len;
    }
    c->failed = 1;
}

/* ---- a guest's question ------------------------------------------------------------ */

/* Records after the question: only the one of EDNS has a meaning here. */
static void skip_added(struct cursor *c, unsigned count)
{
    char name[NET_NAME_MAX + 1];
    for (unsigned i = 0; i < count && !c->failed; i++) {
        take_name(c, 0, name);
        take(c, 2);
        take(c, 2);
        take(c, 4);
        size_t len = take(c, 2);
        if (c->len - c->pos < len)
            c->failed = 1;
        else
            c->pos += len;
    }
}

int dns_read_question(const uint8_t *at, size_t len, struct dns_question *out)
{
    struct cursor c = { at, len, 0, 0 };
    struct dns_question q = { 0 };
    if (len < HEAD || len > QUERY_MOST)
        return -EINVAL;
    q.id = (uint16_t)take(&c, 2);
    unsigned flags = take(&c, 2), questions = take(&c, 2);
    unsigned answers = take(&c, 2), authority = take(&c, 2);
    unsigned added = take(&c, 2);
    q.recursion = !!(flags & RD);
    q.bytes = HEAD;
    if (flags & QR)
        return -EINVAL;    /* answering answers makes loops */
    *out = q;
    if (flags & OPCODE)
        return -EOPNOTSUPP;
    if (questions != 1 || answers || authority || added > ADDED_MOST)
        return -EBADMSG;
    take_name(&c, 0, q.name);
    q.type = (uint16_t)take(&c, 2);
    unsigned class = take(&c, 2);
    q.bytes = c.pos;
    skip_added(&c, added);
    if (c.failed || c.pos != c.len)
        return -EBADMSG;
    *out = q;
    return class == CLASS_IN ? 0 : -EOPNOTSUPP;
}

/* ---- writing ------------------------------------------------------------------------ */

static size_t store(uint8_t *at, uint32_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
    return bytes;
}

static size_t store_head(uint8_t *at, uint16_t id, uint32_t flags,
                         uint32_t questions, uint32_t answers, uint32_t added)
{
    size_t n = store(at, id, 2);
    n += store(at + n, flags, 2);
    n += store(at + n, questions, 2);
    n += store(at + n, answers, 2);
    n += store(at + n, 0, 2);
    return n + store(at + n, added, 2);
}

size_t dns_write_answer(const uint8_t *packet, const struct dns_question *q,
                        int rcode, const uint8_t address[4], uint32_t ttl,
                        uint8_t out[DNS_PACKET])
{
    int echo = q->bytes > HEAD;
    uint32_t flags = QR | AA | RA | (q->recursion ? RD : 0) | (uint32_t)rcode;
    size_t n = store_head(out, q->id, flags, echo, echo && address, 0);
    if (!echo)
        return n;
    memcpy(out + n, packet + HEAD, q->bytes - HEAD);
    n += q->bytes - HEAD;
    if (!address)
        return n;
    n += store(out + n, 0xc000 | HEAD, 2);
    n += store(out + n, DNS_A, 2);
    n += store(out + n, CLASS_IN, 2);
    n += store(out + n, ttl, 4);
    n += store(out + n, 4, 2);
    memcpy(out + n, address, 4);
    return n + 4;
}

size_t dns_write_question(uint16_t id, const char *name, uint16_t type,
                          uint8_t out[DNS_PACKET])
{
    size_t n = store_head(out, id, RD, 1, 0, 1);
    for (const char *at = name; *at;) {
        size_t len = strcspn(at, ".");
        out[n++] = (uint8_t)len;
        memcpy(out + n, at, len);
        n += len;
        at += len + (at[len] == '.');
    }
    out[n++] = 0;
    n += store(out + n, type, 2);
    n += store(out + n, CLASS_IN, 2);
    out[n++] = 0;    /* EDNS: we take packets of DNS_PACKET bytes */
    n += store(out + n, TYPE_OPT, 2);
    n += store(out + n, DNS_PACKET, 2);
    n += store(out + n, 0, 4);
    return n + store(out + n, 0, 2);
}

/* ---- a server's answer --------------------------------------------------------------- */

struct record {
    char           name[NET_NAME_MAX + 1];
    unsigned       type, class;
    size_t         at, len;    /* its data in the packet */
};

static void take_record(struct cursor *c, struct record *out)
{
    take_name(c, 1, out->name);
    out->type = take(c, 2);
    out->class = take(c, 2);
    take(c, 4);
    out->len = take(c, 2);
    out->at = c->pos;
    if (!c->failed && c->len - c->pos < out->len)
        c->failed = 1;
    if (!c->failed)
        c->pos += out->len;
}

/* One pass over the records: takes addresses of `name`, returns how many; and
 * gives the name it is an alias of, or "". -EINVAL for a broken packet. */
static int pass(struct cursor c, unsigned count, const char *name,
                unsigned type, struct net_address *out, size_t room,
                char alias[NET_NAME_MAX + 1])
{
    struct record r;
    size_t n = 0, width = type == DNS_A ? 4 : 16;
    alias[0] = '\0';
    for (unsigned i = 0; i < count; i++) {
        take_record(&c, &r);
        if (c.failed)
            return -EINVAL;
        if (r.class != CLASS_IN || strcmp(r.name, name) != 0)
            continue;
        if (r.type == type && r.len == width && n < room) {
            out[n] = (struct net_address){ .family = width == 4 ? 4 : 6 };
            memcpy(out[n++].at, c.at + r.at, width);
        } else if (r.type == DNS_CNAME && !alias[0]) {
            struct cursor d = { c.at, r.at + r.len, r.at, 0 };
            take_name(&d, 1, alias);
            if (d.failed || d.pos != d.len)
                return -EINVAL;
        }
    }
    return (int)n;
}

int dns_read_answer(const uint8_t *at, size_t len, uint16_t id,
                    const char *name, uint16_t type, struct net_address *out,
                    size_t room)
{
    struct cursor c = { at, len, 0, 0 };
    char asked[NET_NAME_MAX + 1], alias[NET_NAME_MAX + 1];
    unsigned got_id = take(&c, 2), flags = take(&c, 2);
    unsigned questions = take(&c, 2), answers = take(&c, 2);
    take(&c, 4);
    if (c.failed || got_id != id || !(flags & QR) || (flags & OPCODE) ||
        questions != 1 || answers > RECORDS_MOST)
        return -EINVAL;
    take_name(&c, 0, asked);
    unsigned got_type = take(&c, 2), class = take(&c, 2);
    if (c.failed || got_type != type || class != CLASS_IN ||
        strcmp(asked, name) != 0)
        return -EINVAL;
    if ((flags & RCODE) == DNS_NXDOMAIN)
        return -ENOENT;
    if ((flags & RCODE) != DNS_NOERROR)
        return -EAGAIN;

    for (int i = 0; i < ALIASES_MOST; i++) {
        int n = pass(c, answers, asked, type, out, room, alias);
        if (n != 0 || !alias[0])
            return n;
        memcpy(asked, alias, sizeof asked);
    }
    return -EINVAL;
}
