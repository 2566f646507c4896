/* env/permissions.c -- what a program of node or python may do.
 * SPDX-License-Identifier: MIT */
#include "env/permission_rules.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The scopes: their names, and the operations that a rule can name, by bit. */
static const struct scope_row {
    const char *name, *other;
    const char *operations[MAX_OPERATIONS];
} scopes[SCOPES] = {
    [SCOPE_NET] = { "net", "network", { "fetch", "http", "dns", "listen" } },
    [SCOPE_FS]  = { "fs", NULL, { "read", "stat", "readdir", "readlink", "write",
                    "create_dir", "rm", "rename", "symlink", "truncate",
                    "mount_sensitive" } },
    [SCOPE_CHILDREN] = { "child_process", "childProcess", { "spawn" } },
    [SCOPE_PROCESS]  = { "process", NULL, { "inspect", "signal", "kill" } },
    [SCOPE_ENV]      = { "env", NULL, { "read", "write" } },
};
enum { NET_FETCH = BIT(0), NET_HTTP = BIT(1), NET_DNS = BIT(2) };
enum { ENV_READ = BIT(0) };

struct reading {
    struct permissions *p;
    struct path_set    *paths;    /* of fs */
    struct err         *e;
    struct rule         rule;     /* the one being read */
};

#define RULE_AT(rule) (rule)->name, (rule)->index

/* ---- patterns --------------------------------------------------------------- */

int permission_matches(const char *pattern, struct str text)
{
    if (!*pattern)
        return text.len == 0;
    if (pattern[0] == '*') {
        int across = pattern[1] == '*';
        const char *rest = pattern + 1 + across;
        for (size_t i = 0;; i++) {
            if (permission_matches(rest, (struct str){ text.at + i, text.len - i }))
                return 1;
            if (i == text.len || (text.at[i] == '/' && !across))
                return 0;
        }
    }
    if (!text.len || (pattern[0] == '?' ? text.at[0] == '/'
                                        : pattern[0] != text.at[0]))
        return 0;
    return permission_matches(pattern + 1, (struct str){ text.at + 1, text.len - 1 });
}

int pattern_is_everything(const char *pattern)
{
    return strcmp(pattern, "*") == 0 || strcmp(pattern, "**") == 0 ||
           strcmp(pattern, "/**") == 0;
}

/* ---- hosts ------------------------------------------------------------------- */

/* HOST[:PORT] out of a pattern: tcp://HOST:PORT, https://HOST, dns://HOST, or as
 * the egress rules write it. */
static int net_host(const struct rule *s, const char *pattern,
                    struct buf *out, int *out_dns, struct err *e)
{
    static const struct { const char *scheme, *port; int dns; } schemes[] = {
        { "tcp://", "", 0 }, { "dns://", "", 1 },
        { "http://", ":80", 0 }, { "https://", ":443", 0 },
    };
    const char *host = pattern, *port = "";
    *out_dns = 0;
    for (size_t i = 0; i < COUNT(schemes); i++) {
        size_t n = strlen(schemes[i].scheme);
        if (strncmp(pattern, schemes[i].scheme, n) != 0)
            continue;
        host = pattern + n;
        port = schemes[i].port;
        *out_dns = schemes[i].dns;
    }
    if (pattern_is_everything(host))
        host = "*";
    const char *slash = strchr(host, '/');
    if (slash && !slash[1] && slash > host && host != pattern)
        return err_set(e, -EINVAL, "permissions: %s.rules[%zu]: '%.80s' ends in a "
                       "slash; a host has none", RULE_AT(s), pattern);
    if (strstr(host, "://") || (slash && port[0]))
        return err_set(e, -EINVAL, "permissions: %s.rules[%zu]: '%.80s' is nothing "
                       "that is let out; write HOST, HOST:PORT or tcp://HOST:PORT "
                       "(only TCP goes out, and what it carries is not looked into)",
                       RULE_AT(s), pattern);
    if (!*host || strpbrk(host, " \t\r\n#"))
        return err_set(e, -EINVAL, "permissions: %s.rules[%zu]: '%.80s' is not a host",
                       RULE_AT(s), pattern);
    buf_addf(out, "%s%s", host, strchr(host, ':') ? "" : port);
    return 0;
}

static int net_rule(struct reading *rd, const struct rule *s)
{
    unsigned o = s->operations;
    int connects = (o & (OP_ALL | NET_FETCH | NET_HTTP)) != 0;
    if (!s->allow && !connects && !(o & NET_DNS))
        return err_set(rd->e, -EINVAL, "permissions: %s.rules[%zu]: listening cannot "
                       "be denied alone, and need not be: a run's loopback is its "
                       "own, nobody else is there", RULE_AT(s));
    for (size_t i = 0; i < s->patterns; i++) {
        AUTO_BUF host;
        int dns = 0;
        buf_init(&host, 1024);
        int r = net_host(s, s->pattern[i], &host, &dns, rd->e);
        if (r < 0)
            return r;
        /* A name that may be connected to can be looked up; no other can. */
        if (s->allow && (dns || !connects))
            continue;
        buf_addf(&rd->p->net_rules, "%s %.*s\n", s->allow ? "allow" : "deny",
                 (int)host.len, host.at ? host.at : "");
    }
    return rd->p->net_rules.failed
        ? err_set(rd->e, -ENOMEM, "permissions: too many rules of net") : 0;
}

int permissions_allow_host(struct permissions *p, const char *host,
                           struct err *e)
{
    if (!*host || strpbrk(host, " \t\r\n#"))
        return err_set(e, -EINVAL, "'%.80s' is not HOST or HOST:PORT", host);
    p->net = PERMISSION_SOME;
    buf_addf(&p->net_rules, "allow %s\n", host);
    return p->net_rules.failed ? err_set(e, -ENOMEM, "too many hosts") : 0;
}

/* ---- variables, processes ---------------------------------------------------- */

static int env_rule(struct reading *rd, const struct rule *s)
{
    struct permissions *p = rd->p;
    unsigned o = s->operations;
    if (!(o & (OP_ALL | ENV_READ))) {
        if (s->allow)
            return 0;
        return err_set(rd->e, -EINVAL, "permissions: %s.rules[%zu]: a program can "
                       "always write its own variables; deny \"read\" to keep one "
                       "from it", RULE_AT(s));
    }
    for (size_t i = 0; i < s->patterns; i++) {
        if (p->env_rules == PERMISSION_RULES)
            return err_set(rd->e, -EINVAL, "permissions: env has more than %d patterns",
                           PERMISSION_RULES);
        struct env_rule *out = &p->env_rule[p->env_rules++];
        out->allow = s->allow;
        snprintf(out->pattern, sizeof out->pattern, "%s", s->pattern[i]);
    }
    return 0;
}

int permissions_env(const struct permissions *p, struct str name)
{
    if (p->env != PERMISSION_SOME)
        return p->env == PERMISSION_ALLOW;
    int allow = p->env_default;
    for (size_t i = 0; i < p->env_rules; i++)
        if (permission_matches(p->env_rule[i].pattern, name))
            allow = p->env_rule[i].allow;
    return allow;
}

/* All or none: which program is started is not for a filter to see. */
static int whole_rule(struct reading *rd, const struct rule *s,
                      enum permission *out)
{
    for (size_t i = 0; i < s->patterns; i++)
        if (!pattern_is_everything(s->pattern[i]))
            return err_set(rd->e, -EINVAL, "permissions: %s.rules[%zu]: '%.80s' "
                           "cannot be told from other programs by the kernel, so it "
                           "is all or none; write [\"*\"], or \"allow\" or \"deny\" "
                           "for the whole scope", RULE_AT(s), s->pattern[i]);
    *out = s->allow ? PERMISSION_ALLOW : PERMISSION_DENY;
    return 0;
}

static int check_process(struct reading *rd)
{
    if (rd->p->process != PERMISSION_DENY)
        return 0;
    return err_set(rd->e, -EINVAL, "permissions: process cannot be denied, and need "
                   "not be: a run sees and signals no processes but its own. Leave it "
                   "out; child_process \"deny\" keeps it from starting any");
}

/* ---- scopes ------------------------------------------------------------------ */

static int take_rule(struct reading *rd)
{
    struct permissions *p = rd->p;
    const struct rule *s = &rd->rule;
    switch (s->scope) {
    case SCOPE_NET:      return net_rule(rd, s);
    case SCOPE_FS:       return path_set_add(rd->paths, s, rd->e);
    case SCOPE_CHILDREN: return whole_rule(rd, s, &p->child_process);
    case SCOPE_PROCESS:  return whole_rule(rd, s, &p->process);
    case SCOPE_ENV:      return env_rule(rd, s);
    case SCOPES:         break;
    }
    return 0;
}

/* A scope's own default; rules follow, or do not. */
static void begin_scope(struct reading *rd, enum scope scope, int allow, int rules)
{
    struct permissions *p = rd->p;
    enum permission *const all[SCOPES] = {
        [SCOPE_NET] = &p->net, [SCOPE_FS] = &p->fs, [SCOPE_ENV] = &p->env,
        [SCOPE_CHILDREN] = &p->child_process, [SCOPE_PROCESS] = &p->process,
    };
    int whole = scope == SCOPE_CHILDREN || scope == SCOPE_PROCESS;
    *all[scope] = rules && !whole ? PERMISSION_SOME
                  : allow         ? PERMISSION_ALLOW : PERMISSION_DENY;
    if (scope == SCOPE_NET) {
        buf_clear(&p->net_rules);
        buf_adds(&p->net_rules, allow ? "allow *\n" : "");
    }
    if (scope == SCOPE_ENV) {
        p->env_rules = 0;
        p->env_default = allow;
    }
    if (scope == SCOPE_FS)
        path_set_default(rd->paths, allow);
}

/* ---- reading ------------------------------------------------------------------ */

static int read_mode(const struct json_value *v, const char *scope,
                     const char *where, int *out, struct err *e)
{
    if (json_string_is(v, "allow"))
        *out = 1;
    else if (json_string_is(v, "deny") || json_string_is(v, "ask"))
        *out = 0;
    else
        return err_set(e, -EINVAL, "invalid permissions policy: %s%s must be "
                       "\"allow\" or \"deny\"", scope, where);
    return 0;
}

static int unknown(const char *what, const char *where, struct str word,
                   const char *const *names, size_t n, struct err *e)
{
    char text[64];
    size_t len = word.len < sizeof text ? word.len : sizeof text - 1;
    memcpy(text, word.at ? word.at : "", len);
    text[len] = '\0';
    const char *near = nearest_word(text, names, n);
    return err_set(e, -EINVAL, "invalid permissions policy: %s%sno %s is named "
                   "'%s'%s%s%s", where, where[0] ? ": " : "", what, text,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int unknown_key(const char *where, const struct json_walk *w,
                       const char *const *names, size_t n, struct err *e)
{
    AUTO_BUF key;
    buf_init(&key, 4096);
    json_key_text(w, &key);
    return unknown(where[0] ? "member" : "scope", where, buf_str(&key), names, n, e);
}

static int read_operation(struct rule *s, const char *where,
                          const struct json_value *v, struct err *e)
{
    const struct scope_row *row = &scopes[s->scope];
    size_t n = 0;
    if (json_string_is(v, "*") || json_string_is(v, "**")) {
        s->operations |= OP_ALL;
        return 0;
    }
    for (; n < MAX_OPERATIONS && row->operations[n]; n++) {
        if (json_string_is(v, row->operations[n])) {
            s->operations |= BIT(n);
            return 0;
        }
    }
    AUTO_BUF word;
    buf_init(&word, 4096);
    json_string_text(v, &word);
    return unknown("operation", where, buf_str(&word), row->operations, n, e);
}

static int read_pattern(struct rule *s, const char *where,
                        const struct json_value *v, struct err *e)
{
    AUTO_BUF text;
    buf_init(&text, PERMISSION_PATTERN - 1);
    json_string_text(v, &text);
    if (v->kind != JSON_STRING || text.failed || !text.len ||
        memchr(text.at, 0, text.len))
        return err_set(e, -EINVAL, "invalid permissions policy: %s must be texts of "
                       "1 to %d bytes", where, PERMISSION_PATTERN - 1);
    if (s->patterns == MAX_PATTERNS)
        return err_set(e, -EINVAL, "invalid permissions policy: %s has more than %d",
                       where, MAX_PATTERNS);
    char *out = s->pattern[s->patterns++];
    memcpy(out, text.at, text.len);
    out[text.len] = '\0';
    return 0;
}

static int read_list(struct rule *s, const char *name,
                     const struct json_value *list, struct err *e)
{
    char where[80];
    int operations = strcmp(name, "operations") == 0;
    size_t n = 0;
    struct json_walk w;
    struct json_value v;
    snprintf(where, sizeof where, "%s.rules[%zu].%s", RULE_AT(s), name);
    if (list->kind != JSON_ARRAY)
        return err_set(e, -EINVAL, "invalid permissions policy: %s must be an array",
                       where);
    for (json_walk_begin(&w, list); json_walk_next(&w, &v); n++) {
        int r = operations ? read_operation(s, where, &v, e)
                           : read_pattern(s, where, &v, e);
        if (r < 0)
            return r;
    }
    if (n == 0)
        return err_set(e, -EINVAL, "invalid permissions policy: %s must not be empty; "
                       "use [\"*\"] for wildcard", where);
    return 0;
}

static int read_rule(struct rule *s, const struct json_value *rule,
                     struct err *e)
{
    static const char *const names[] = { "mode", "operations", "paths", "patterns" };
    const char *const list = s->scope == SCOPE_FS ? "paths" : "patterns";
    char where[40];
    int modes = 0, r = 0;
    struct json_walk w;
    struct json_value v;
    snprintf(where, sizeof where, "%s.rules[%zu]", RULE_AT(s));
    s->allow = 0;
    s->operations = 0;
    s->patterns = 0;
    if (rule->kind != JSON_OBJECT)
        return err_set(e, -EINVAL, "invalid permissions policy: %s must be an object",
                       where);
    for (json_walk_begin(&w, rule); r == 0 && json_walk_next(&w, &v);) {
        if (json_key_is(&w, "mode")) {
            r = read_mode(&v, where, ".mode", &s->allow, e);
            modes++;
        } else if (json_key_is(&w, "operations")) {
            r = read_list(s, "operations", &v, e);
        } else if (json_key_is(&w, "paths") || json_key_is(&w, "patterns")) {
            r = read_list(s, json_key_is(&w, "paths") ? "paths" : "patterns", &v, e);
        } else {
            r = unknown_key(where, &w, names, COUNT(names), e);
        }
    }
    if (r == 0 && !modes)
        r = err_set(e, -EINVAL, "invalid permissions policy: %s has no mode; "
                    "\"allow\" or \"deny\"", where);
    if (r == 0 && (!s->operations || !s->patterns))
        r = err_set(e, -EINVAL, "invalid permissions policy: %s.%s must not be empty; "
                    "use [\"*\"] for wildcard", where,
                    s->operations ? list : "operations");
    return r;
}

static int read_rules(struct reading *rd, enum scope scope,
                      const struct json_value *rules)
{
    struct json_walk w;
    struct json_value v;
    struct rule *s = &rd->rule;
    *s = (struct rule){ .scope = scope, .name = scopes[scope].name };
    if (rules->kind != JSON_ARRAY)
        return err_set(rd->e, -EINVAL, "invalid permissions policy: %s.rules must be "
                       "an array", s->name);
    for (json_walk_begin(&w, rules); json_walk_next(&w, &v); s->index++) {
        if (s->index == PERMISSION_RULES)
            return err_set(rd->e, -EINVAL, "invalid permissions policy: %s has more "
                           "than %d rules", s->name, PERMISSION_RULES);
        int r = read_rule(s, &v, rd->e);
        if (r == 0)
            r = take_rule(rd);
        if (r < 0)
            return r;
    }
    return 0;
}

static int read_scope(struct reading *rd, enum scope scope,
                      const struct json_value *v)
{
    static const char *const names[] = { "default", "rules" };
    const char *name = scopes[scope].name;
    struct json_walk w;
    struct json_value part, rules = { .kind = JSON_NULL };
    int r = 0, allow = 0;
    if (v->kind != JSON_OBJECT) {
        r = read_mode(v, name, "", &allow, rd->e);
        if (r == 0)
            begin_scope(rd, scope, allow, 0);
        return r;
    }
    for (json_walk_begin(&w, v); r == 0 && json_walk_next(&w, &part);) {
        if (json_key_is(&w, "default"))
            r = read_mode(&part, name, ".default", &allow, rd->e);
        else if (json_key_is(&w, "rules"))
            rules = part;
        else
            r = unknown_key(name, &w, names, COUNT(names), rd->e);
    }
    if (r < 0)
        return r;
    begin_scope(rd, scope, allow, 1);
    return rules.kind == JSON_NULL ? 0 : read_rules(rd, scope, &rules);
}

static int scope_of(const struct json_walk *w, enum scope *out, struct err *e)
{
    const char *names[2 * SCOPES];
    size_t n = 0;
    for (int i = 0; i < SCOPES; i++) {
        names[n++] = scopes[i].name;
        if (scopes[i].other)
            names[n++] = scopes[i].other;
        if (json_key_is(w, scopes[i].name) ||
            (scopes[i].other && json_key_is(w, scopes[i].other))) {
            *out = (enum scope)i;
            return 0;
        }
    }
    return unknown_key("", w, names, n, e);
}

static int read_all(struct reading *rd, const struct json_value *all)
{
    struct json_walk w;
    struct json_value v;
    unsigned seen = 0;
    int r = 0;
    if (all->kind != JSON_OBJECT)
        return err_set(rd->e, -EINVAL, "invalid permissions policy: it must be an "
                       "object, e.g. {\"net\":\"allow\"}");
    for (json_walk_begin(&w, all); r == 0 && json_walk_next(&w, &v);) {
        enum scope scope = SCOPES;
        r = scope_of(&w, &scope, rd->e);
        if (r == 0 && (seen & BIT(scope)))
            r = err_set(rd->e, -EINVAL, "invalid permissions policy: %s stands twice",
                        scopes[scope].name);
        if (r == 0)
            r = read_scope(rd, scope, &v);
        seen |= BIT(scope);
    }
    if (r == 0)
        r = check_process(rd);
    return r == 0 && rd->p->fs != PERMISSION_ALLOW
        ? path_set_end(rd->paths, rd->p, rd->e) : r;
}

int permissions_read(struct permissions *p, struct str json,
                     const struct guest_mount *mount, size_t mounts,
                     struct err *e)
{
    struct err why = { 0 };
    struct json_value all;
    if (json_read(json, &all, &why) < 0)
        return err_set(e, -EINVAL, "invalid permissions policy: %s", why.msg);
    struct path_set *paths = path_set_new(mount, mounts);
    if (!paths)
        return err_set(e, -ENOMEM, "no memory");
    struct reading rd = { .p = p, .paths = paths, .e = e };
    int r = read_all(&rd, &all);
    free(paths);
    return r;
}

void permissions_init(struct permissions *p)
{
    memset(p, 0, sizeof *p);
    p->fs = p->child_process = p->process = p->env = PERMISSION_ALLOW;
    buf_init(&p->net_rules, 64 << 10);
}

void permissions_free(struct permissions *p)
{
    buf_free(&p->net_rules);
}

void permissions_words(const struct permissions *p, struct buf *out)
{
    static const char *const words[] = {
        [PERMISSION_DENY] = "deny", [PERMISSION_ALLOW] = "allow",
        [PERMISSION_SOME] = "rules",
    };
    const struct { const char *key; enum permission is; } all[] = {
        { "net", p->net }, { "fs", p->fs }, { "child_process", p->child_process },
        { "process", p->process }, { "env", p->env },
    };
    json_open(out, '{');
    for (size_t i = 0; i < COUNT(all); i++) {
        json_key(out, all[i].key);
        json_string(out, str_of(words[all[i].is]));
    }
    json_close(out, '}');
}
