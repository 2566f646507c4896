/*
 * egress/url.h -- the URLs that we are ready to ask for.
 *
 * Read strictly and by ourselves before anybody else sees them, then written
 * anew: what is judged is what is sent. http and https only; no user names, no
 * characters that two readers could understand differently.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "base/buf.h"
#include "egress/policy.h"

struct url {
    int             https;
    uint16_t        port;
    struct net_name host;
    char           *path;      /* "/a/b"; dot segments are gone */
    char           *query;     /* "?x=1", or "" */
};

/* Gives *out, to be ended with url_free(). -EINVAL, and e says what is wrong. */
int  url_parse(struct str text, struct url *out, struct err *e);
/* What a Location header means, seen from base. Blanks and bytes past ASCII,
 * which servers do send, are escaped. */
int  url_resolve(const struct url *base, struct str location, struct url *out,
                 struct err *e);
void url_free(struct url *u);    /* accepts a zeroed one */

void url_text(const struct url *u, struct buf *b);      /* appends all of it */
void url_origin(const struct url *u, struct buf *b);    /* appends http://host:1 */
int  url_same_origin(const struct url *a, const struct url *b);
#define AUTO_URL __attribute__((cleanup(url_free))) struct url
