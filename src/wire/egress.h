/*
 * wire/egress.h -- how the supervisor talks with the process that has a network.
 *
 * Frames on a stream socket, which is descriptor 3 over there. Both sides check
 * type, size and every field: the egress process reads what servers of the
 * internet send, so the supervisor takes it for a stranger.
 *
 *   CONFIG                        once, first; answered by ONLINE or FATAL
 *   ATTACH ... DETACH             a run; DETACH is answered by USAGE with last = 1
 *   FETCH (MORE, ABORT)           a request of an attached run; is answered by
 *                                 HEAD DATA* END, or at any point by FAIL: exactly
 *                                 one END or FAIL for each FETCH
 *   DECISION                      what the policy said, allowed or denied
 *
 * Numbers are forever.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "wire/messages.h"

enum { EGRESS_FD = 3, EGRESS_VERSION = 1 };

enum {
    EGRESS_MAX_SOCKETS = 17,         /* of a run: DNS and 16 listeners */
    EGRESS_MAX_SECRETS = 64,
    EGRESS_MAX_SECRET  = 8192,       /* bytes of one value */
    EGRESS_MAX_DATA    = MAX_CHUNK_BYTES,    /* one DATA */
    EGRESS_MAX_TEXT    = 1024,
    EGRESS_MAX_HEAD    = MAX_HEADERS_BYTES + MAX_URL_BYTES + 4096,
    EGRESS_MAX_CONFIG  = 4 << 20,
};

/* X(NAME, number, largest body) */
#define TO_EGRESS(X)                                                      \
    X(CONFIG,   96, EGRESS_MAX_CONFIG)                                    \
    X(ATTACH,   97, 64)                                                   \
    X(DETACH,   98, 64)                                                   \
    X(FETCH,    99, MAX_FETCH_BODY + EGRESS_MAX_HEAD)                     \
    X(ABORT,   100, 64)                                                   \
    X(MORE,    101, 64)

#define FROM_EGRESS(X)                                                    \
    X(ONLINE,   112, 256)                                                 \
    X(DECISION, 113, 6 * EGRESS_MAX_TEXT)                                 \
    X(USAGE,    114, 128)                                                 \
    X(HEAD,     115, EGRESS_MAX_HEAD)                                     \
    X(DATA,     116, EGRESS_MAX_DATA + 64)                                \
    X(END,      117, 64)                                                  \
    X(FAIL,     118, 3 * EGRESS_MAX_TEXT)                                 \
    X(OFFLINE,  119, 2 * EGRESS_MAX_TEXT)

enum egress_message {
#define X(NAME, number, max) EGRESS_##NAME = number,
    TO_EGRESS(X)
    FROM_EGRESS(X)
#undef X
};

/* The row of a message, or NULL; phases are not used. */
const struct message_rule *message_to_egress(uint32_t type);
const struct message_rule *message_from_egress(uint32_t type);

/* ---- to the egress process ------------------------------------------------------ */

/*
 * A secret: in values of request headers the text glovebox-secret:NAME becomes
 * the value, if the request goes to `host` (a name, or *.name for its
 * subdomains) by https, or to loopback. To any other host it is not sent.
 */
#define EGRESS_PLACEHOLDER "glovebox-secret:"
struct egress_secret {
    struct str name;          /* [A-Za-z_][A-Za-z0-9_]* */
    struct str value;         /* printable ASCII */
    struct str host;
};

struct egress_config {
    uint32_t   version;
    struct str policy;        /* egress/policy.h */
    struct str hosts;         /* lines "ADDRESS NAME...", before /etc/hosts */
    struct str nameserver;    /* ADDRESS or ADDRESS:PORT; empty: the host's */
    struct str ca_pem;        /* certificates; empty: the host's */
    uint32_t   connections;   /* of one run at a time; 0: 256 */
    uint32_t   idle_ms;       /* of a connection; 0: five minutes */
    uint32_t   secrets;
    const struct egress_secret *secret;
};

/* The descriptors of its sockets come with this frame: a UDP socket of DNS and
 * TCP listeners, all of the run's network namespace; a js run has none. */
struct egress_attach {
    uint64_t run;
    uint64_t max_bytes;       /* both ways together */
    uint32_t sockets;
};
struct egress_detach { uint64_t run; };

struct egress_fetch {
    uint64_t   run, call;     /* call: the supervisor's choice, unique in its run */
    struct str method, url;
    uint8_t    redirect;      /* enum fetch_redirect */
    uint8_t    has_body;
    uint64_t   timeout_ms;    /* all of it; 0: five minutes */
    uint64_t   max_bytes;     /* of the decoded body; 0: 64 MiB */
    uint64_t   credit;        /* bytes of DATA that may come before a MORE */
    struct str headers;       /* see header_next() */
    struct str body;
};
struct egress_abort { uint64_t run, call; };
struct egress_more  { uint64_t run, call, credit; };

/* ---- from the egress process ---------------------------------------------------- */

struct egress_online { uint32_t version; struct str curl; };

struct egress_decision {
    uint64_t   run;
    uint8_t    allowed;
    struct str what;          /* "net.resolve", "net.connect", "net.fetch", "net.limit" */
    struct str subject;       /* "tcp://api.example.com:443", "dns://x", "GET http://..." */
    struct str rule;          /* that decided */
    struct str address;       /* connected to, or refused; may be empty */
    struct str hint;          /* what an operator could do; may be empty */
};

struct egress_usage {
    uint64_t run;
    uint64_t sent, received;  /* as the guest sees it */
    uint32_t connections, requests;
    uint32_t denied;          /* also those past the number that is reported */
    uint8_t  over;            /* max_bytes was reached: nothing goes any more */
    uint8_t  last;            /* the run is detached */
};

struct egress_head {
    uint64_t   run, call;
    uint32_t   status;
    uint8_t    redirected;
    struct str status_text;
    struct str url;           /* of the last redirect */
    struct str headers;       /* see header_next(); names in lower case */
};
struct egress_data { uint64_t run, call; struct str bytes; };
struct egress_end  { uint64_t run, call, bytes; };

/* X(NAME, number, "text") */
#define FETCH_FAILURES(X)              \
    X(DENIED,    1, "denied")          \
    X(BAD_URL,   2, "bad_url")         \
    X(BAD_REQUEST, 3, "bad_request")   \
    X(RESOLVE,   4, "not_found")       \
    X(CONNECT,   5, "connect")         \
    X(TLS,       6, "tls")             \
    X(TIMEOUT,   7, "timeout")         \
    X(TOO_LARGE, 8, "too_large")       \
    X(REDIRECT,  9, "redirect")        \
    X(NETWORK,  10, "network")         \
    X(LIMIT,    11, "limit")           \
    X(ABORTED,  12, "aborted")         \
    X(GONE,     13, "gone")            \
    X(INTERNAL, 14, "internal")
enum fetch_failure {
#define X(NAME, number, text) FETCH_##NAME = number,
    FETCH_FAILURES(X)
#undef X
};
const char *fetch_failure_text(unsigned code);    /* NULL if there is none */

struct egress_fail {
    uint64_t   run, call;
    uint8_t    code;          /* enum fetch_failure */
    struct str message;       /* for the guest and for people */
    struct str hint;          /* for people; may be empty */
};
struct egress_offline { struct str text; };    /* it cannot serve, and ends */

/* ---- put and get ------------------------------------------------------------------
 * As in wire/messages.h: put_X appends a whole frame to b, get_X reads a body and
 * refuses whatever is out of range. */
#define EGRESS_PLAIN(M)                                                       \
    M(ATTACH, attach) M(DETACH, detach) M(FETCH, fetch) M(ABORT, abort)       \
    M(MORE, more) M(ONLINE, online) M(DECISION, decision) M(USAGE, usage)     \
    M(HEAD, head) M(DATA, data) M(END, end) M(FAIL, fail) M(OFFLINE, offline)
#define X(NAME, name)                                                         \
    void put_egress_##name(struct buf *b, const struct egress_##name *m);     \
    int  get_egress_##name(struct str body, struct egress_##name *out);
EGRESS_PLAIN(X)
#undef X

/* Secrets are stored into the caller's room. */
void put_egress_config(struct buf *b, const struct egress_config *m);
int  get_egress_config(struct str body,
                       struct egress_secret room[EGRESS_MAX_SECRETS],
                       struct egress_config *out);
