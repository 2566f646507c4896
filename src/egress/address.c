/* egress/address.c -- IP addresses, and which of them are nobody's business.
 * SPDX-License-Identifier: MIT */
#include "egress/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

static size_t width(const struct net_address *a)
{
    return a->family == 4 ? 4 : 16;
}

int net_address_parse(struct str text, struct net_address *out)
{
    char at[INET6_ADDRSTRLEN];
    if (text.len == 0 || text.len >= sizeof at ||
        memchr(text.at, '\0', text.len))
        return -EINVAL;
    memcpy(at, text.at, text.len);
    at[text.len] = '\0';

    struct net_address a = { 0 };
    a.family = memchr(at, ':', text.len) ? 6 : 4;
    if (inet_pton(a.family == 4 ? AF_INET : AF_INET6, at, a.at) != 1)
        return -EINVAL;
    *out = a;
    return 0;
}

void net_address_text(const struct net_address *a, char out[NET_ADDRESS_TEXT])
{
    if (!inet_ntop(a->family == 4 ? AF_INET : AF_INET6, a->at, out,
                   NET_ADDRESS_TEXT))
        out[0] = '\0';
}

int net_address_same(const struct net_address *a, const struct net_address *b)
{
    return a->family == b->family && !memcmp(a->at, b->at, width(a));
}

int net_range_holds(const struct net_range *r, const struct net_address *a)
{
    if (r->from.family != a->family)
        return 0;
    size_t whole = r->bits / 8;
    if (memcmp(r->from.at, a->at, whole) != 0)
        return 0;
    unsigned rest = r->bits % 8;
    return !rest || !((r->from.at[whole] ^ a->at[whole]) >> (8 - rest));
}

int net_range_is_tidy(const struct net_range *r)
{
    for (unsigned i = r->bits; i < 8 * width(&r->from); i++)
        if (r->from.at[i / 8] & (0x80u >> (i % 8)))
            return 0;
    return 1;
}

int net_address_is_loopback(const struct net_address *a)
{
    static const struct net_range v4 = { { 4, { 127 } }, 8 };
    static const struct net_range v6 = { { 6, { [15] = 1 } }, 128 };
    return net_range_holds(&v4, a) || net_range_holds(&v6, a);
}

/* ---- addresses that no policy opens by accident ------------------------------- */

#define V4(bits, text, ...) { { { 4, { __VA_ARGS__ } }, (bits) }, (text) }
#define V6(bits, text, ...) { { { 6, { __VA_ARGS__ } }, (bits) }, (text) }
#define METADATA "a metadata service"
#define PRIVATE  "a private address"
#define RESERVED "a reserved address"
#define EXAMPLE  "an address for documentation"
#define DISGUISE "an IPv6 address that carries an IPv4 address"

/* Narrow rows before the wide ones that hold them. */
static const struct net_special specials[] = {
    V4(32, METADATA, 169, 254, 169, 254),
    V4(32, METADATA, 169, 254, 170, 2),
    V4(32, METADATA, 100, 100, 100, 200),
    V4(32, METADATA, 168, 63, 129, 16),
    V4(32, METADATA, 192, 0, 0, 192),
    V4(32, "the broadcast address", 255, 255, 255, 255),
    V4( 8, "an address of this host", 0),
    V4( 8, PRIVATE, 10),
    V4(10, "a shared address (CGNAT)", 100, 64),
    V4( 8, "a loopback address", 127),
    V4(16, "a link-local address", 169, 254),
    V4(12, PRIVATE, 172, 16),
    V4(24, RESERVED, 192, 0, 0),
    V4(24, EXAMPLE, 192, 0, 2),
    V4(24, RESERVED, 192, 88, 99),
    V4(16, PRIVATE, 192, 168),
    V4(15, "an address for benchmarks", 198, 18),
    V4(24, EXAMPLE, 198, 51, 100),
    V4(24, EXAMPLE, 203, 0, 113),
    V4( 4, "a multicast address", 224),
    V4( 4, RESERVED, 240),

    V6(128, METADATA, 0xfd, 0, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54),
    V6(128, METADATA, 0xfd, 0x20, 0, 0xce, [14] = 0x02, [15] = 0x54),
    V6(128, "an address of this host", 0),
    V6(128, "a loopback address", [15] = 1),
    V6( 96, DISGUISE " (mapped)", [10] = 0xff, [11] = 0xff),
    V6( 96, DISGUISE " (translated)", [8] = 0xff, [9] = 0xff),
    V6( 96, DISGUISE " (compatible)", 0),
    V6( 96, DISGUISE " (NAT64)", 0, 0x64, 0xff, 0x9b),
    V6( 48, DISGUISE " (NAT64)", 0, 0x64, 0xff, 0x9b, 0, 1),
    V6( 64, RESERVED, 1),
    V6( 32, DISGUISE " (Teredo)", 0x20, 0x01, 0, 0),
    V6( 23, RESERVED, 0x20, 0x01),
    V6( 32, EXAMPLE, 0x20, 0x01, 0x0d, 0xb8),
    V6( 16, DISGUISE " (6to4)", 0x20, 0x02),
    V6( 20, EXAMPLE, 0x3f, 0xff),
    V6(  7, PRIVATE, 0xfc),
    V6( 10, "a link-local address", 0xfe, 0x80),
    V6( 10, PRIVATE, 0xfe, 0xc0),
    V6(  8, "a multicast address", 0xff),
};

/* ISATAP is recognised by its interface identifier, under any prefix. */
static int is_isatap(const struct net_address *a)
{
    return a->family == 6 && (a->at[8] & 0xfd) == 0 && a->at[9] == 0 &&
           a->at[10] == 0x5e && a->at[11] == 0xfe;
}

const struct net_special *net_address_special(const struct net_address *a)
{
    static const struct net_special isatap =
        V6(96, DISGUISE " (ISATAP)", 0);
    static const struct net_special elsewhere = V6(3, RESERVED, 0);
    static const struct net_range   global = { { 6, { 0x20 } }, 3 };

    for (size_t i = 0; i < COUNT(specials); i++)
        if (net_range_holds(&specials[i].range, a))
            return &specials[i];
    if (is_isatap(a))
        return &isatap;
    if (a->family == 6 && !net_range_holds(&global, a))
        return &elsewhere;
    return NULL;
}

/* ---- sockets -------------------------------------------------------------------- */

socklen_t net_address_to_sock(const struct net_address *a, uint16_t port,
                              struct sockaddr_storage *out)
{
    memset(out, 0, sizeof *out);
    if (a->family == 4) {
        struct sockaddr_in *in = (struct sockaddr_in *)out;
        in->sin_family = AF_INET;
        in->sin_port = htons(port);
        memcpy(&in->sin_addr, a->at, 4);
        return sizeof *in;
    }
    struct sockaddr_in6 *in = (struct sockaddr_in6 *)out;
    in->sin6_family = AF_INET6;
    in->sin6_port = htons(port);
    memcpy(&in->sin6_addr, a->at, 16);
    return sizeof *in;
}

int net_address_from_sock(const struct sockaddr *sa, struct net_address *out,
                          uint16_t *out_port)
{
    struct net_address a = { 0 };
    if (sa->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)sa;
        a.family = 4;
        memcpy(a.at, &in->sin_addr, 4);
        *out_port = ntohs(in->sin_port);
    } else if (sa->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)sa;
        a.family = 6;
        memcpy(a.at, &in->sin6_addr, 16);
        *out_port = ntohs(in->sin6_port);
    } else {
        return -EAFNOSUPPORT;
    }
    *out = a;
    return 0;
}
