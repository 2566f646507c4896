/*
 * tests/fuzz/fuzz_dns.c -- hostile packets of DNS, from a guest and to us.
 *
 * The input is read as a question, and as the answer to every question it could
 * be one to. Properties: nothing is read past its end (AddressSanitizer), an
 * answer we write is one that we read, and the number of addresses is bounded.
 *
 * SPDX-License-Identifier: MIT
 */
#include "egress/dns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) { if (!holds) abort(); }

static void check_question(const uint8_t *data, size_t size)
{
    static const uint8_t ip[4] = { 198, 18, 1, 2 };
    struct dns_question q;
    struct net_address found[4];
    uint8_t out[DNS_PACKET];
    int r = dns_read_question(data, size, &q);
    if (r == -EINVAL)
        return;
    size_t n = dns_write_answer(data, &q, r ? DNS_FORMERR : 0, r ? NULL : ip, 60,
                                out);
    require(n >= 12 && n <= sizeof out && out[0] == data[0] && out[2] & 0x80);
    if (r != 0)
        return;
    require(strlen(q.name) <= NET_NAME_MAX);
    if (q.type == DNS_A) {
        require(dns_read_answer(out, n, q.id, q.name, DNS_A, found, 4) == 1);
        require(!memcmp(found[0].at, ip, 4));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "a", "api.example.com", "" };
    static const uint16_t types[] = { DNS_A, DNS_AAAA };
    check_question(data, size);
    uint16_t id = size >= 2 ? (uint16_t)(data[0] << 8 | data[1]) : 0;
    for (size_t i = 0; i < COUNT(names); i++) {
        for (size_t k = 0; k < COUNT(types); k++) {
            struct net_address found[4];
            int n = dns_read_answer(data, size, id, names[i], types[k], found, 4);
            require(n <= 4);
        }
    }
    return 0;
}
