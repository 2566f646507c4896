/*
 * egress/inside.h -- the parts of the process that has a network.
 *
 *   supervisor ══ link ══> runs ──> relay: sockets of a run's own namespace,
 *                                │         answered and connected by name
 *                                └> fetch: requests of js runs, by libcurl
 *                                     both ask the policy, then the resolver,
 *                                     then the policy again about the address
 *
 * One thread, one epoll set. Everything that a guest or a server can make grow
 * has a ceiling below.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "egress/dns.h"
#include "egress/policy.h"
#include "egress/url.h"
#include "wire/egress.h"

enum {
    NAMES_PER_RUN        = 4096,
    CONNECTIONS_DEFAULT  = 256,
    ADDRESSES_MOST       = 8,           /* of one name */
    CONNECT_MS           = 10000,
    IDLE_MS_DEFAULT      = 300000,
    FETCH_MS_DEFAULT     = 300000,
    LOOKUP_TRY_MS        = 2000,
    LOOKUP_TRIES         = 3,
    LOOKUPS_MOST         = 512,         /* at a time, of all runs */
    REDIRECTS_MOST       = 20,
    DECISIONS_TOLD       = 512,         /* of one run, of each kind; then counted */
    TICK_MS              = 500,
};

struct server;

/* ---- loop.c: who waits for which descriptor -------------------------------------- */

struct watch {
    int           fd;               /* owned; -1: none */
    uint32_t      events;           /* EPOLL*, 0: not in the set */
    void        (*ready)(struct server *s, struct watch *w, uint32_t events);
    void         *owner;
};

/* Something that died while events for it may still be on their way: freed when
 * the round is over. First member of what is buried. */
struct grave {
    struct grave *next;
};

struct loop {
    int           epoll;
    int           stop;
    uint64_t      now_ms;
    uint64_t      tick_at;
    struct grave *graves;
};

int  loop_init(struct loop *l);
/* Wait for exactly these events; 0 takes it out of the set. */
int  loop_watch(struct loop *l, struct watch *w, uint32_t events);
void loop_close(struct loop *l, struct watch *w);    /* and its descriptor */
void loop_bury(struct loop *l, struct grave *g);
void loop_once(struct server *s);    /* wait, and serve what came */

/* ---- link.c: the supervisor ------------------------------------------------------- */

enum { LINK_FDS = 64, LINK_OUT_MOST = 96 << 20 };

struct link {
    struct watch watch;
    struct buf   in, out;
    size_t       out_at;
    int          fd[LINK_FDS];      /* came, but not yet claimed by a frame */
    size_t       fds;
};

int  link_init(struct server *s, int fd);
/* Send what was put into link.out; later, if the socket is full. */
void link_flush(struct server *s);
/* The first n descriptors that came; the caller owns them. -EPROTO: too few. */
int  link_take_fds(struct link *l, int *out, size_t n);

/* ---- run.c: what all runs have ------------------------------------------------------ */

struct relay;
struct fetch;

struct run {
    struct run         *next;
    uint64_t            max_bytes;
    struct egress_usage usage;       /* run, sent, received ... */
    unsigned            told[2];     /* decisions: denied, allowed */
    uint32_t            recent[64];  /* hashes of what was told last */
    size_t              recents;
    struct relay       *relay;       /* NULL: no sockets */
    struct fetch       *fetches;
    unsigned            fetch_count;
};

struct run *run_find(struct server *s, uint64_t id);
int  run_attach(struct server *s, const struct egress_attach *m);
void run_detach(struct server *s, struct run *r);
/* Count bytes. -EDQUOT once past the limit: the run's traffic is over. */
int  run_count(struct server *s, struct run *r, uint64_t sent,
               uint64_t received);
void run_tell_usage(struct server *s, struct run *r);

struct decision {
    int                       allowed;
    const char               *what, *subject, *rule, *hint;
    const struct net_address *address;     /* NULL: none yet */
};
void run_decide(struct server *s, struct run *r, const struct decision *d);

/* ---- resolve.c: names to addresses -------------------------------------------------- */

struct lookup;
struct host_row {
    char              *name;
    struct net_address address;
};
struct resolver {
    struct host_row        *row;
    size_t                  rows;
    struct sockaddr_storage server[3];
    socklen_t               server_len[3];
    size_t                  servers;
    struct lookup          *lookups;
    unsigned                count;
};

struct addresses {
    struct net_address at[ADDRESSES_MOST];
    size_t             n;
};
/* status: 0, -ENOENT, -ETIMEDOUT. */
typedef void lookup_done(struct server *s, void *user, int status,
                         const struct addresses *found);

int  resolver_init(struct resolver *r, const struct egress_config *c,
                   struct err *e);
/* May call done before it returns, and then returns NULL. */
struct lookup *resolve(struct server *s, const struct net_name *name,
                       lookup_done *done, void *user);
void resolve_cancel(struct server *s, struct lookup *l);    /* accepts NULL */
void resolve_tick(struct server *s);

/* Keep those that the policy allows; tells a denial if none is left. */
int  addresses_judge(struct server *s, struct run *r,
                     const struct net_name *host, uint16_t port,
                     const char *subject, const char *what,
                     struct addresses *a);

/* ---- relay.c, names.c: sockets of node and python runs ------------------------------ */

struct relay_name {
    uint32_t        hash;
    struct net_name name;
};
struct names {
    struct relay_name **row;     /* NAMES_PER_RUN of them */
    size_t              count;
};
void names_free(struct names *n);
/* The number of a name, a new one if need be; -ENOSPC, -ENOMEM. */
int  names_add(struct names *n, const struct net_name *name);
const struct net_name *names_at(const struct names *n, uint32_t address);
uint32_t names_address(int number);    /* host order */

int  relay_attach(struct server *s, struct run *r, const int *fds, size_t n);
void relay_detach(struct server *s, struct run *r);
void relay_cut(struct server *s, struct run *r);    /* end all connections */
void relay_tick(struct server *s, struct run *r);
/* names.c: one packet of DNS; returns the bytes of the answer, 0: none. */
size_t relay_answer(struct server *s, struct run *r, struct names *names,
                    const uint8_t *at, size_t len, uint8_t out[DNS_PACKET]);

/* ---- secrets.c ----------------------------------------------------------------------- */

struct secret {
    char  *name, *value;
    char  *host;            /* lower case; "*.x" for subdomains */
};
struct secrets {
    struct secret row[EGRESS_MAX_SECRETS];
    size_t        n;
};
int  secrets_init(struct secrets *x, const struct egress_config *c,
                  struct err *e);
void secrets_wipe(struct secrets *x);
/* Append value to out with each placeholder replaced; `used` has a bit for each
 * secret. -EACCES if one may not go to this URL: e says which and why. */
int  secrets_fill(const struct secrets *x, const struct url *to,
                  struct str value, struct buf *out, uint64_t *used,
                  struct err *e);
int  secrets_in(struct str value);       /* does it hold a placeholder? */
/* Strike out the values of `used`. At most the last `held` bytes may be the
 * beginning of one. */
void   secrets_strike(const struct secrets *x, uint64_t used, char *at,
                      size_t len);
size_t secrets_longest(const struct secrets *x, uint64_t used);

/* ---- request.c, fetch.c, body.c ------------------------------------------------------ */

int  fetch_init(struct server *s, struct str ca_pem, struct err *e);
const char *fetch_version(void);    /* of libcurl */
void fetch_start(struct server *s, struct run *r, const struct egress_fetch *m);
void fetch_abort(struct server *s, struct run *r, uint64_t call);
void fetch_more(struct server *s, struct run *r, uint64_t call, uint64_t credit);
/* End all of a run's; code and why go to the supervisor. */
void fetch_cut(struct server *s, struct run *r, enum fetch_failure code,
               const char *why);
void fetch_tick(struct server *s, struct run *r);
int  fetch_timeout_ms(struct server *s);    /* libcurl's timer; -1: none */
void fetch_timer(struct server *s);

/* ---- seal.c ---------------------------------------------------------------------------- */

/* Give up what this process never needs: user, capabilities, files but
 * certificates, programs, children. */
int  seal_egress(struct err *e);

/* ---- all together ------------------------------------------------------------------------ */

struct server {
    struct loop       loop;
    struct link       link;
    struct net_policy policy;
    struct secrets    secrets;
    struct resolver   resolver;
    struct run       *runs;
    uint32_t          connections, idle_ms;
    int               configured;
    struct fetching  *fetching;
};
void server_offline(struct server *s, const char *text);    /* and stop */
