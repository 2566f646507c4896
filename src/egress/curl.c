/* egress/curl.c -- libcurl: its options, sockets and timer.
 *
 * libcurl sends one request to one address that was judged; it does not
 * resolve, redirect, decompress, read the environment or keep cookies.
 *
 * SPDX-License-Identifier: MIT */
#include "egress/fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { KEPT_CONNECTIONS = 64, BUFFER_BYTES = 16 << 10 };

struct curl_watch {
    struct grave grave;
    struct watch watch;
};

/* ---- the loop --------------------------------------------------------------------------- */

static void collect(struct server *s)
{
    CURLMsg *m;
    int left;
    while ((m = curl_multi_info_read(s->fetching->multi, &left))) {
        struct fetch *f = NULL;
        if (m->msg != CURLMSG_DONE)
            continue;
        CURLcode result = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &f);
        fetch_hop_over(f, result);
    }
}

static void on_ready(struct server *s, struct watch *w, uint32_t events)
{
    int mask = (events & EPOLLIN ? CURL_CSELECT_IN : 0) |
               (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
               (events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
    int running;
    curl_multi_socket_action(s->fetching->multi, w->fd, mask, &running);
    collect(s);
}

/* The socket is libcurl's; only the watching is ours. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user,
                     void *known)
{
    struct server *s = user;
    struct curl_watch *w = known;
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (w) {
            loop_watch(&s->loop, &w->watch, 0);
            w->watch.ready = NULL;
            curl_multi_assign(s->fetching->multi, fd, NULL);
            loop_bury(&s->loop, &w->grave);
        }
        return 0;
    }
    if (!w) {
        w = calloc(1, sizeof *w);
        if (!w)
            return -1;
        w->watch = (struct watch){ .fd = fd, .ready = on_ready };
        curl_multi_assign(s->fetching->multi, fd, w);
    }
    uint32_t events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) |
                      (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0);
    return loop_watch(&s->loop, &w->watch, events) < 0 ? -1 : 0;
}

static int on_timer(CURLM *multi, long ms, void *user)
{
    struct server *s = user;
    (void)multi;
    s->fetching->timer_at = ms < 0 ? 0 : s->loop.now_ms + (uint64_t)ms + 1;
    return 0;
}

int fetch_timeout_ms(struct server *s)
{
    if (!s->fetching || !s->fetching->timer_at)
        return -1;
    uint64_t at = s->fetching->timer_at;
    return at <= s->loop.now_ms + 1 ? 0 : (int)(at - s->loop.now_ms - 1);
}

void fetch_timer(struct server *s)
{
    int running;
    if (!s->fetching || !s->fetching->timer_at ||
        s->loop.now_ms + 1 < s->fetching->timer_at)
        return;
    s->fetching->timer_at = 0;
    curl_multi_socket_action(s->fetching->multi, CURL_SOCKET_TIMEOUT, 0,
                             &running);
    collect(s);
}

/* ---- one transfer ------------------------------------------------------------------------- */

/* The last look before a connection is made: this address, or none. */
static curl_socket_t on_open(void *user, curlsocktype purpose,
                             struct curl_sockaddr *to)
{
    struct fetch *f = user;
    struct net_address a;
    uint16_t port;
    if (purpose != CURLSOCKTYPE_IPCXN || to->socktype != SOCK_STREAM ||
        net_address_from_sock(&to->addr, &a, &port) < 0 ||
        !net_address_same(&a, &f->to.at[f->tried - 1]) || port != f->url.port) {
        fetch_doom(f, FETCH_INTERNAL, "a connection to an address nobody judged");
        return CURL_SOCKET_BAD;
    }
    return socket(to->family, to->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                  to->protocol);
}

/* And once more before a request is written: a connection that was kept may be
 * to an address that has since been judged differently. */
static int on_request(void *user, char *ip, char *own_ip, int port, int own_port)
{
    struct fetch *f = user;
    struct net_address a;
    (void)own_ip, (void)own_port;
    if (net_address_parse(str_of(ip), &a) == 0 && port == f->url.port &&
        net_policy_address(&f->server->policy, &f->url.host, &a,
                           f->url.port).allow)
        return CURL_PREREQFUNC_OK;
    fetch_doom(f, FETCH_DENIED, "the connection leads to an address that is not "
                                "allowed");
    return CURL_PREREQFUNC_ABORT;
}

static const struct { CURLoption option; long value; } numbers[] = {
    { CURLOPT_NOSIGNAL, 1 },
    { CURLOPT_FOLLOWLOCATION, 0 },
    { CURLOPT_PATH_AS_IS, 1 },
    { CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1 },
    { CURLOPT_HTTP09_ALLOWED, 0 },
    { CURLOPT_HTTP_CONTENT_DECODING, 0 },
    { CURLOPT_NETRC, CURL_NETRC_IGNORED },
    { CURLOPT_SSL_VERIFYPEER, 1 },
    { CURLOPT_SSL_VERIFYHOST, 2 },
    { CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2 },
    { CURLOPT_BUFFERSIZE, BUFFER_BYTES },
    { CURLOPT_TCP_KEEPALIVE, 1 },
};

static int set_body(struct fetch *f)
{
    static const char *const with_body[] = { "POST", "PUT", "PATCH" };
    int posts = f->has_body;
    for (size_t i = 0; i < COUNT(with_body); i++)
        posts |= !strcmp(f->method, with_body[i]);
    CURLcode r = CURLE_OK;
    if (posts) {
        r |= curl_easy_setopt(f->easy, CURLOPT_POST, 1L);
        r |= curl_easy_setopt(f->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                              (curl_off_t)f->body.len);
        r |= curl_easy_setopt(f->easy, CURLOPT_POSTFIELDS,
                              f->body.len ? f->body.at : "");
    } else if (!strcmp(f->method, "HEAD")) {
        return curl_easy_setopt(f->easy, CURLOPT_NOBODY, 1L) ? -ENOMEM : 0;
    }
    r |= curl_easy_setopt(f->easy, CURLOPT_CUSTOMREQUEST, f->method);
    return r ? -ENOMEM : 0;
}

static int set_target(struct fetch *f)
{
    struct server *s = f->server;
    char address[NET_ADDRESS_TEXT], to[NET_ADDRESS_TEXT + 32];
    const struct net_address *a = &f->to.at[f->tried - 1];
    net_address_text(a, address);
    snprintf(to, sizeof to, a->family == 6 ? "::[%s]:%u" : "::%s:%u", address,
             f->url.port);
    struct curl_slist *connect_to = curl_slist_append(NULL, to);
    AUTO_BUF url;
    buf_init(&url, 2 * MAX_URL_BYTES);
    url_text(&f->url, &url);
    buf_add(&url, "", 1);
    if (!connect_to || url.failed) {
        curl_slist_free_all(connect_to);
        return -ENOMEM;
    }
    f->connect_to = connect_to;    /* libcurl does not copy it */
    CURLcode r = curl_easy_setopt(f->easy, CURLOPT_CONNECT_TO, connect_to);
    r |= curl_easy_setopt(f->easy, CURLOPT_URL, url.at);
    uint64_t left = f->deadline_ms > s->loop.now_ms
                  ? f->deadline_ms - s->loop.now_ms : 1;
    r |= curl_easy_setopt(f->easy, CURLOPT_TIMEOUT_MS, (long)left);
    r |= curl_easy_setopt(f->easy, CURLOPT_CONNECTTIMEOUT_MS,
                          (long)(left < CONNECT_MS ? left : CONNECT_MS));
    return r ? -ENOMEM : 0;
}

static int set_options(struct fetch *f)
{
    CURL *c = f->easy;
    CURLcode r = CURLE_OK;
    for (size_t i = 0; i < COUNT(numbers); i++)
        r |= curl_easy_setopt(c, numbers[i].option, numbers[i].value);
    r |= curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    r |= curl_easy_setopt(c, CURLOPT_PROXY, "");
    r |= curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
    r |= curl_easy_setopt(c, CURLOPT_PRIVATE, f);
    r |= curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, answer_on_header);
    r |= curl_easy_setopt(c, CURLOPT_HEADERDATA, f);
    r |= curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, answer_on_body);
    r |= curl_easy_setopt(c, CURLOPT_WRITEDATA, f);
    r |= curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, on_open);
    r |= curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, f);
    r |= curl_easy_setopt(c, CURLOPT_PREREQFUNCTION, on_request);
    r |= curl_easy_setopt(c, CURLOPT_PREREQDATA, f);
    r |= curl_easy_setopt(c, CURLOPT_HTTPHEADER, f->list);
    if (f->server->fetching->ca_len) {
        struct curl_blob ca = { f->server->fetching->ca_pem,
                                f->server->fetching->ca_len, CURL_BLOB_NOCOPY };
        r |= curl_easy_setopt(c, CURLOPT_CAINFO_BLOB, &ca);
        r |= curl_easy_setopt(c, CURLOPT_CAPATH, NULL);
    }
    return r ? -ENOMEM : 0;
}

int curl_begin(struct fetch *f)
{
    f->easy = curl_easy_init();
    if (!f->easy || set_options(f) < 0 || set_body(f) < 0 || set_target(f) < 0)
        return -ENOMEM;
    return curl_multi_add_handle(f->server->fetching->multi, f->easy)
        ? -ENOMEM : 0;
}

void curl_end(struct fetch *f)
{
    if (f->easy) {
        curl_multi_remove_handle(f->server->fetching->multi, f->easy);
        curl_easy_cleanup(f->easy);
    }
    f->easy = NULL;
    request_free_list(f);
    curl_slist_free_all(f->connect_to);
    f->connect_to = NULL;
}

void curl_resume(struct fetch *f)
{
    if (f->easy)
        curl_easy_pause(f->easy, CURLPAUSE_CONT);
}

/* ---- set-up --------------------------------------------------------------------------------- */

const char *fetch_version(void)
{
    return curl_version_info(CURLVERSION_NOW)->version;
}

int fetch_init(struct server *s, struct str ca_pem, struct err *e)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
        return err_set(e, -ENOMEM, "libcurl does not start");
    struct fetching *x = calloc(1, sizeof *x);
    if (!x || !(x->multi = curl_multi_init())) {
        free(x);
        return err_set(e, -ENOMEM, "libcurl: no memory");
    }
    s->fetching = x;
    if (ca_pem.len) {
        x->ca_pem = malloc(ca_pem.len);
        if (!x->ca_pem)
            return err_set(e, -ENOMEM, "certificates: no memory");
        memcpy(x->ca_pem, ca_pem.at, ca_pem.len);
        x->ca_len = ca_pem.len;
    }
    curl_multi_setopt(x->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(x->multi, CURLMOPT_SOCKETDATA, s);
    curl_multi_setopt(x->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(x->multi, CURLMOPT_TIMERDATA, s);
    curl_multi_setopt(x->multi, CURLMOPT_MAXCONNECTS, (long)KEPT_CONNECTIONS);
    return 0;
}
