/*
 * egress/policy.h -- which hosts a run may talk to.
 *
 * Rules are lines of text; the LAST one that matches decides, and without a
 * match the answer is no:
 *
 *   allow api.example.com                    ports 80 and 443
 *   allow *.example.com:443                  subdomains, not example.com itself
 *   allow *                                  any host; never private addresses
 *   allow 127.0.0.1:8080                     an address; also [::1]:8080
 *   allow 10.0.0.0/8:*                       a range; also [fd00::/8]:*
 *   deny  tracker.example.com
 *   allow api.example.com methods=GET,POST path=/v1**
 *
 * `#` starts a comment. In a path `*` stands for any characters but a slash and
 * `**` for any at all. Methods and paths can only be seen in a request that we
 * make ourselves (js fetch). Of a bare connection (node, python) nobody can say
 * what it will carry: there an `allow` with methods or a path does not match,
 * and a `deny` does.
 *
 * Above all rules: the address a name resolves to is judged as well. Loopback,
 * private, link-local, metadata, multicast and reserved addresses, and IPv6
 * addresses that carry an IPv4 address within, are denied unless an address or
 * range rule names them, with a range no wider than the block it opens
 * (10.0.0.0/8 opens 10/8; 0.0.0.0/0 opens nothing). A rule for the very name
 * `localhost` opens loopback for that name.
 *
 * Plain data; no clock, no network. Linked into the supervisor too, which asks
 * for ports and routes, and for errors in rules before anything is started.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/base.h"
#include "base/err.h"
#include "egress/address.h"

enum {
    NET_RULES_MAX  = 1024,
    NET_NAME_MAX   = 253,
    NET_RULE_BYTES = 1024,    /* one line */
    NET_LIST_MAX   = 16,      /* ports, routes */
};

enum net_host {
    NET_NAME,          /* api.example.com */
    NET_SUBDOMAINS,    /* *.example.com; host is "example.com" */
    NET_ANY,           /* * */
    NET_RANGE,         /* an address, or a range of them */
};
enum { NET_PORT_WEB = 0, NET_PORT_ANY = 65536 };

struct net_rule {
    int               allow;
    enum net_host     kind;
    uint32_t          port;       /* or NET_PORT_* */
    struct net_range  range;      /* of NET_RANGE */
    const char       *host;       /* lower case; of NET_NAME and NET_SUBDOMAINS */
    const char       *methods;    /* "GET,POST"; NULL: all */
    const char       *path;       /* pattern; NULL: all */
    const char       *text;       /* the rule as written, blanks made single */
};

struct net_policy {
    struct net_rule *rule;
    size_t           rules;
    char            *words;       /* what the rules point into */
};

/*
 * Gives *out, to be ended with net_policy_free(). -EINVAL: e says which line is
 * wrong, in what, and what would be right.
 */
int  net_policy_parse(struct str text, struct net_policy *out, struct err *e);
void net_policy_free(struct net_policy *p);    /* accepts a zeroed one */

/* ---- hosts -------------------------------------------------------------------- */

struct net_name {
    int                is_address;
    struct net_address address;
    char               text[NET_NAME_MAX + 1];    /* lower case, no last dot; of
                                                     an address: as in a URL */
};
/*
 * A host as a guest or an operator writes it: a name in ASCII, an IPv4 address
 * of four decimal numbers, or [IPv6]. Numbers in other spellings (0x7f.1,
 * 2130706433, 017700000001) are refused: to some programs they are addresses.
 */
int  net_name_parse(struct str host, struct net_name *out, struct err *e);
void net_name_of_address(const struct net_address *a, struct net_name *out);

/*
 * A secret as an operator gives it: a name of letters, digits and _, a value of
 * printable ASCII, and the host it is bound to, or *.host for its subdomains.
 */
int net_secret_check(struct str name, struct str value, struct str host,
                     struct err *e);

/* ---- judging ------------------------------------------------------------------ */

struct net_verdict {
    int                    allow;
    const struct net_rule *rule;    /* that decided; NULL: nobody spoke */
    const char            *why;     /* for an address above all rules: "a private
                                       address"; else NULL */
};
/* "default", the rule's text, or "private address" and the like. */
const char *net_verdict_rule(const struct net_verdict *v);

/* method and path are NULL for a bare connection. path without its query. */
struct net_verdict net_policy_judge(const struct net_policy *p,
                                    const struct net_name *host, uint16_t port,
                                    const char *method, const char *path);
/* Is there a port on which a bare connection to this host is allowed? */
struct net_verdict net_policy_somewhere(const struct net_policy *p,
                                        const struct net_name *host);
/* The address that `host`, already allowed, resolved to. */
struct net_verdict net_policy_address(const struct net_policy *p,
                                      const struct net_name *host,
                                      const struct net_address *address,
                                      uint16_t port);

/* ---- for the network namespace of a run (struct zygote_fork) -------------------- */

/*
 * The ports to listen on, in rising order: those that `allow` rules name, 80 and
 * 443 where they name none or all. -E2BIG if they are more than room.
 */
int net_policy_ports(const struct net_policy *p, uint16_t *out, size_t room,
                     size_t *out_count, struct err *e);
/*
 * The IPv4 addresses, host order, that `allow` rules name and that must be made
 * local there; loopback is it already and a range cannot be.
 */
int net_policy_routes(const struct net_policy *p, uint32_t *out, size_t room,
                      size_t *out_count, struct err *e);
