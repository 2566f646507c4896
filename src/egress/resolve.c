/* egress/resolve.c -- names to addresses.
 *
 * A stub resolver of our own, not getaddrinfo(): that one blocks, loads modules
 * of the host's choice, tries search domains, and takes 0x7f.1 for an address.
 * This one knows the hosts table and one question of each type to the host's
 * name server, each from a socket, and so a port, of its own. Files are read
 * once, before the process gives up files.
 *
 * SPDX-License-Identifier: MIT */
#include "egress/inside.h"
#include "base/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>

enum { FILE_MOST = 1 << 20, ROWS_MOST = 8192 };

struct lookup {
    struct grave     grave;
    struct watch     watch;
    struct lookup   *next;
    struct net_name  name;
    lookup_done     *done;
    void            *user;
    uint64_t         deadline_ms;
    unsigned         tries;
    uint16_t         id[2];
    int              answered[2];    /* A, AAAA */
    int              missing;        /* a server said there is no such name */
    struct addresses found;
};

static const uint16_t types[2] = { DNS_A, DNS_AAAA };

/* ---- tables ------------------------------------------------------------------------- */

static struct str next_word(struct str *line)
{
    size_t i = 0, n;
    while (i < line->len && strchr(" \t\r", line->at[i]))
        i++;
    for (n = i; n < line->len && !strchr(" \t\r", line->at[n]);)
        n++;
    struct str word = { line->at + i, n - i };
    *line = (struct str){ line->at + n, line->len - n };
    return word;
}

static struct str next_line(struct str *text)
{
    const char *lf = memchr(text->at, '\n', text->len);
    size_t n = lf ? (size_t)(lf - text->at) : text->len;
    struct str line = { text->at, n };
    *text = (struct str){ text->at + n + (lf != NULL),
                          text->len - n - (lf != NULL) };
    const char *hash = memchr(line.at, '#', line.len);
    if (hash)
        line.len = (size_t)(hash - line.at);
    return line;
}

static int add_row(struct resolver *r, struct str name,
                   const struct net_address *a)
{
    struct net_name n;
    if (r->rows == ROWS_MOST || net_name_parse(name, &n, NULL) < 0 ||
        n.is_address)
        return 0;    /* a line of the host's file that is none of ours */
    if (!(r->rows & (r->rows - 1))) {
        size_t room = r->rows ? 2 * r->rows : 1;
        struct host_row *row = realloc(r->row, room * sizeof *row);
        if (!row)
            return -ENOMEM;
        r->row = row;
    }
    char *kept = strdup(n.text);
    if (!kept)
        return -ENOMEM;
    r->row[r->rows++] = (struct host_row){ kept, *a };
    return 0;
}

static int add_hosts(struct resolver *r, struct str text)
{
    while (text.len) {
        struct str line = next_line(&text), word = next_word(&line);
        struct net_address a;
        if (!word.len || net_address_parse(word, &a) < 0)
            continue;
        while ((word = next_word(&line)).len)
            if (add_row(r, word, &a) < 0)
                return -ENOMEM;
    }
    return 0;
}

static void add_server(struct resolver *r, const struct net_address *a,
                       uint16_t port)
{
    if (r->servers == COUNT(r->server))
        return;
    r->server_len[r->servers] =
        net_address_to_sock(a, port, &r->server[r->servers]);
    r->servers++;
}

static void add_resolv_conf(struct resolver *r, struct str text)
{
    while (text.len) {
        struct str line = next_line(&text);
        struct net_address a;
        if (str_is(next_word(&line), "nameserver") &&
            net_address_parse(next_word(&line), &a) == 0)
            add_server(r, &a, 53);
    }
}

/* ADDRESS or ADDRESS:PORT, as in a rule. */
static int add_named_server(struct resolver *r, struct str text, struct err *e)
{
    struct net_policy p = { 0 };
    AUTO_BUF b;
    buf_init(&b, 2 * EGRESS_MAX_TEXT);
    buf_adds(&b, "allow ");
    buf_add(&b, text.at, text.len);
    int got = net_policy_parse(buf_str(&b), &p, e);
    if (got == 0 && (p.rules != 1 || p.rule[0].kind != NET_RANGE ||
                     p.rule[0].port == NET_PORT_ANY))
        got = err_set(e, -EINVAL, "the name server must be ADDRESS or "
                      "ADDRESS:PORT");
    if (got == 0)
        add_server(r, &p.rule[0].range.from,
                   p.rule[0].port ? (uint16_t)p.rule[0].port : 53);
    net_policy_free(&p);
    return got;
}

int resolver_init(struct resolver *r, const struct egress_config *c,
                  struct err *e)
{
    AUTO_BUF file;
    buf_init(&file, FILE_MOST);
    int got = add_hosts(r, c->hosts);
    if (got == 0 && io_read_file("/etc/hosts", FILE_MOST, &file, NULL) == 0)
        got = add_hosts(r, buf_str(&file));
    if (got < 0)
        return err_set(e, got, "the hosts table: no memory");
    if (c->nameserver.len)
        return add_named_server(r, c->nameserver, e);
    buf_clear(&file);
    if (io_read_file("/etc/resolv.conf", FILE_MOST, &file, NULL) == 0)
        add_resolv_conf(r, buf_str(&file));
    return 0;
}

/* All addresses of one table entry; that of the operator stands first and hides
 * the host's only by being first. */
static void find_rows(const struct resolver *r, const char *name,
                      struct addresses *out)
{
    for (size_t i = 0; i < r->rows && out->n < ADDRESSES_MOST; i++)
        if (strcmp(r->row[i].name, name) == 0)
            out->at[out->n++] = r->row[i].address;
    if (out->n == 0 && strcmp(name, "localhost") == 0) {
        out->at[out->n++] = (struct net_address){ 4, { 127, 0, 0, 1 } };
        out->at[out->n++] = (struct net_address){ 6, { [15] = 1 } };
    }
}

/* ---- asking ------------------------------------------------------------------------------ */

static void unlink_lookup(struct server *s, struct lookup *l)
{
    struct lookup **at = &s->resolver.lookups;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    s->resolver.count--;
    loop_close(&s->loop, &l->watch);
    loop_bury(&s->loop, &l->grave);
}

void resolve_cancel(struct server *s, struct lookup *l)
{
    if (l)
        unlink_lookup(s, l);
}

static void finish(struct server *s, struct lookup *l)
{
    int status = l->found.n ? 0
        : l->missing || (l->answered[0] && l->answered[1]) ? -ENOENT
        : -ETIMEDOUT;
    lookup_done *done = l->done;
    void *user = l->user;
    struct addresses found = l->found;
    unlink_lookup(s, l);
    done(s, user, status, &found);
}

static void take_answer(struct lookup *l, const uint8_t *at, size_t len)
{
    for (int i = 0; i < 2; i++) {
        if (l->answered[i])
            continue;
        struct net_address *room = l->found.at + l->found.n;
        int n = dns_read_answer(at, len, l->id[i], l->name.text, types[i],
                                room, ADDRESSES_MOST - l->found.n);
        if (n == -EINVAL || n == -EAGAIN)
            continue;
        l->answered[i] = 1;
        if (n == -ENOENT)
            l->missing = 1;
        else
            l->found.n += (size_t)n;
        return;
    }
}

static void on_answer(struct server *s, struct watch *w, uint32_t events)
{
    struct lookup *l = w->owner;
    (void)events;
    for (int i = 0; i < 8; i++) {
        uint8_t packet[DNS_PACKET];
        ssize_t n = recv(w->fd, packet, sizeof packet, MSG_DONTWAIT);
        if (n < 0)
            break;    /* nothing there, or refused: the next try is timed */
        take_answer(l, packet, (size_t)n);
        if ((l->answered[0] && l->answered[1]) || l->missing) {
            finish(s, l);
            return;
        }
    }
}

/* A fresh socket for each try: a forger must guess its port and both numbers. */
static int ask(struct server *s, struct lookup *l)
{
    struct resolver *r = &s->resolver;
    size_t which = l->tries++ % r->servers;
    struct sockaddr *to = (struct sockaddr *)&r->server[which];
    loop_close(&s->loop, &l->watch);
    l->watch = (struct watch){ .ready = on_answer, .owner = l };
    l->watch.fd = socket(to->sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                         0);
    l->deadline_ms = s->loop.now_ms + LOOKUP_TRY_MS;
    if (l->watch.fd < 0 || connect(l->watch.fd, to, r->server_len[which]) < 0 ||
        getrandom(l->id, sizeof l->id, 0) != sizeof l->id)
        return -errno;
    for (int i = 0; i < 2; i++) {
        uint8_t packet[DNS_PACKET];
        size_t n = dns_write_question(l->id[i], l->name.text, types[i], packet);
        if (!l->answered[i] && send(l->watch.fd, packet, n, MSG_NOSIGNAL) < 0)
            return -errno;
    }
    return loop_watch(&s->loop, &l->watch, EPOLLIN);
}

struct lookup *resolve(struct server *s, const struct net_name *name,
                       lookup_done *done, void *user)
{
    struct resolver *r = &s->resolver;
    struct addresses found = { 0 };
    if (name->is_address)
        found.at[found.n++] = name->address;
    else
        find_rows(r, name->text, &found);
    if (found.n || r->servers == 0 || r->count == LOOKUPS_MOST) {
        done(s, user, found.n ? 0 : -ETIMEDOUT, &found);
        return NULL;
    }
    struct lookup *l = calloc(1, sizeof *l);
    if (!l) {
        done(s, user, -ETIMEDOUT, &found);
        return NULL;
    }
    l->watch.fd = -1;
    l->name = *name;
    l->done = done;
    l->user = user;
    l->next = r->lookups;
    r->lookups = l;
    r->count++;
    ask(s, l);    /* a failure is a try that runs out */
    return l;
}

void resolve_tick(struct server *s)
{
    struct lookup *next;
    for (struct lookup *l = s->resolver.lookups; l; l = next) {
        next = l->next;
        if (s->loop.now_ms < l->deadline_ms)
            continue;
        if (l->found.n || l->tries >= LOOKUP_TRIES) {
            finish(s, l);
            next = s->resolver.lookups;    /* done() may have changed the list */
        } else {
            ask(s, l);
        }
    }
}

/* ---- judging ------------------------------------------------------------------------------ */

int addresses_judge(struct server *s, struct run *r,
                    const struct net_name *host, uint16_t port,
                    const char *subject, const char *what, struct addresses *a)
{
    size_t kept = 0;
    struct net_verdict no = { 0 };
    struct net_address bad = { 0 };
    for (size_t i = 0; i < a->n; i++) {
        struct net_verdict v = net_policy_address(&s->policy, host, &a->at[i],
                                                  port);
        if (v.allow)
            a->at[kept++] = a->at[i];
        else if (!bad.family)
            no = v, bad = a->at[i];
    }
    a->n = kept;
    if (kept)
        return 0;
    char text[NET_ADDRESS_TEXT], hint[160];
    net_address_text(&bad, text);
    snprintf(hint, sizeof hint, bad.family == 6
             ? "if it is meant: allow [%s]:%u" : "if it is meant: allow %s:%u",
             text, port);
    run_decide(s, r, &(struct decision){
        .what = what, .subject = subject, .rule = net_verdict_rule(&no),
        .address = &bad, .hint = no.why ? hint : "" });
    return -EACCES;
}
