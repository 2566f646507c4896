/*
 * egress/address.h -- IP addresses: reading, comparing, and which of them are
 * nobody's business.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"

#include <netinet/in.h>
#include <sys/socket.h>

struct net_address {
    uint8_t family;    /* 4 or 6 */
    uint8_t at[16];    /* network order; the first four of an IPv4 address */
};

struct net_range {
    struct net_address from;
    unsigned           bits;
};

enum { NET_ADDRESS_TEXT = 48 };

/* Strictly: four decimal numbers without leading zeros, or an IPv6 address
 * without a zone. Returns 0 or -EINVAL. */
int  net_address_parse(struct str text, struct net_address *out);
void net_address_text(const struct net_address *a, char out[NET_ADDRESS_TEXT]);
int  net_address_same(const struct net_address *a, const struct net_address *b);
int  net_range_holds(const struct net_range *r, const struct net_address *a);
/* Are all bits of r.from past its prefix zero? */
int  net_range_is_tidy(const struct net_range *r);

int  net_address_is_loopback(const struct net_address *a);

/* Addresses that no policy opens by accident; the first row that holds one
 * speaks for it. NULL: an address like any other. */
struct net_special {
    struct net_range range;
    const char      *text;      /* "a private address" */
};
const struct net_special *net_address_special(const struct net_address *a);

socklen_t net_address_to_sock(const struct net_address *a, uint16_t port,
                              struct sockaddr_storage *out);
/* 0, or -EAFNOSUPPORT. */
int       net_address_from_sock(const struct sockaddr *sa,
                                struct net_address *out, uint16_t *out_port);
