/*
 * egress/dns.h -- packets of DNS, read strictly.
 *
 * Two sides. A run asks us: its packets are a guest's bytes, and every name it
 * may have gets an address of our choice. And we ask the host's name server,
 * whose answers anybody on the way may have forged: they are matched with the
 * question and then judged as addresses (egress/policy.h).
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "egress/policy.h"

enum {
    DNS_PACKET   = 1232,    /* largest that we send or ask for */
    DNS_A        = 1,
    DNS_CNAME    = 5,
    DNS_AAAA     = 28,
    DNS_NOERROR  = 0,
    DNS_FORMERR  = 1,
    DNS_SERVFAIL = 2,
    DNS_NXDOMAIN = 3,
    DNS_NOTIMP   = 4,
};

struct dns_question {
    uint16_t id, type;
    int      recursion;                  /* was asked for */
    size_t   bytes;                      /* head and question, to be echoed */
    char     name[NET_NAME_MAX + 1];     /* lower case; "" for the root */
};

/*
 * One question of class IN and nothing else but additional records (EDNS), which
 * are not looked at. 0; -EINVAL: not a question, no answer is due;
 * -EBADMSG: answer DNS_FORMERR, id is set; -EOPNOTSUPP: answer DNS_NOTIMP.
 */
int dns_read_question(const uint8_t *at, size_t len, struct dns_question *out);

/*
 * The answer to a question that came as `packet`: address NULL for none. After
 * a question that could not be read, its head alone is echoed. Returns the
 * bytes written into out.
 */
size_t dns_write_answer(const uint8_t *packet, const struct dns_question *q,
                        int rcode, const uint8_t address[4], uint32_t ttl,
                        uint8_t out[DNS_PACKET]);

/* A question of ours; name is checked (net_name_parse). */
size_t dns_write_question(uint16_t id, const char *name, uint16_t type,
                          uint8_t out[DNS_PACKET]);

/*
 * The addresses of an answer to that question, following its aliases. Returns
 * how many were stored; -EINVAL if it is not the answer to it, -ENOENT if there
 * is no such name, -EAGAIN if the server could not say.
 */
int dns_read_answer(const uint8_t *at, size_t len, uint16_t id,
                    const char *name, uint16_t type, struct net_address *out,
                    size_t room);
