/*
 * egress/fetch.h -- one request of a js run, private to request.c, answer.c,
 * fetch.c and curl.c.
 *
 *   fetch.c     what happens when: judge, resolve, judge, send, redirect, end
 *   request.c   which headers go out, and with which secrets
 *   answer.c    what came back: head, redirect, body; flow control
 *   curl.c      libcurl: options, sockets, timer
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "egress/inside.h"

#include <curl/curl.h>
#include <zlib.h>

enum {
    RAW_MOST      = 64 << 10,     /* of a body, not yet passed on */
    REDIRECT_BODY = 64 << 10,     /* read and thrown away, to keep a connection */
    BODY_DEFAULT  = 64 << 20,
};

enum coding { CODING_NONE, CODING_GZIP, CODING_DEFLATE };

struct fetch {
    struct grave     grave;
    struct fetch    *next;
    struct server   *server;
    struct run      *run;
    uint64_t         call;
    /* what is asked for */
    char             method[MAX_METHOD_BYTES + 1];
    struct url       url;
    struct buf       headers, body;
    int              has_body;
    enum fetch_redirect redirect;
    unsigned         hops;
    uint64_t         deadline_ms, max_bytes;
    /* this hop */
    struct lookup   *lookup;
    struct addresses to;
    size_t           tried;
    const char      *rule;
    CURL            *easy;
    struct curl_slist *list, *connect_to;
    uint64_t         secrets;          /* a bit for each that was sent */
    /* what came back */
    struct buf       head;             /* name LF value LF ... */
    char             status_text[128];
    unsigned         status, head_count;
    int              head_over, head_sent;
    struct buf       location;
    int              has_location;
    int              redirecting;      /* this answer is a redirect we follow */
    size_t           thrown;
    /* its body */
    enum coding      coding;
    z_stream         z;
    int              z_on, z_over;
    struct buf       raw, held;
    size_t           raw_at;
    uint64_t         credit, given;
    int              paused, complete;
    /* why it must end, said from inside of libcurl */
    enum fetch_failure code;           /* 0: nothing */
    char             why[256];
};

struct fetching {
    CURLM   *multi;
    uint64_t timer_at;      /* 0: none */
    char    *ca_pem;
    size_t   ca_len;
};

/* fetch.c */
void fetch_fail(struct fetch *f, enum fetch_failure code, const char *why);
/* The hop is over, by libcurl's word. Outside of its callbacks only. */
void fetch_hop_over(struct fetch *f, CURLcode result);
/* From inside of a callback: remember why; gives -ECANCELED. */
int  fetch_doom(struct fetch *f, enum fetch_failure code, const char *why);

/* request.c */
int  request_keep_headers(struct buf *out, struct str headers, int across,
                          int drop_body);
/* The list for libcurl, and the bytes it comes to. -EACCES: a secret says no. */
int  request_list(struct fetch *f, size_t *out_bytes, struct err *e);
void request_free_list(struct fetch *f);

/* answer.c */
void   answer_reset(struct fetch *f);
size_t answer_on_header(char *at, size_t size, size_t n, void *user);
size_t answer_on_body(char *at, size_t size, size_t n, void *user);
void   answer_pump(struct fetch *f);    /* as much as there is credit for */
/* Nothing is left to pass on: the end may be told. */
int    answer_is_out(const struct fetch *f);
void   answer_free(struct fetch *f);

/* curl.c */
int  curl_begin(struct fetch *f);       /* 0 or -ENOMEM */
void curl_end(struct fetch *f);         /* accepts one that was not begun */
void curl_resume(struct fetch *f);
