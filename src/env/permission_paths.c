/*
 * env/permission_paths.c -- rules about files become rights to folders.
 *
 * Landlock knows folders that exist, each with all that is beneath, and adds up
 * what is given on the way. A policy knows patterns, of which the last that
 * matches decides. What can be said in both ways is translated here; the rest
 * is refused, with what to write instead.
 *
 * SPDX-License-Identifier: MIT
 */
#include "env/permission_rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BASES = 128 };

/* A folder that a rule names, or that a run has anyway. */
struct base {
    char     at[FORK_PATH_BYTES];
    unsigned rights;
    int      last;      /* the last rule that spoke about it; -1: none */
    int      named;     /* by this rule; -1: the run has it anyway */
};

struct fs_rule {
    int      allow;
    unsigned rights;    /* PATH_* that it speaks about */
    char     base[MAX_PATTERNS][FORK_PATH_BYTES];
    size_t   bases;
};

struct path_set {
    const struct guest_mount *mount;
    size_t         mounts;
    struct base    base[MAX_BASES];
    size_t         bases;
    struct fs_rule rule[PERMISSION_RULES];
    size_t         rules;
    int            allow;      /* by default */
};

/* Inside a run these are the runtime's: readable, or nothing would work. */
static const char *const of_the_runtime[] = {
    "/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/proc", "/dev",
    "/glovebox", GUEST_PACKAGES, GUEST_NODE_PACKAGES, "/opt",
};
static const char *const of_the_run[] = { "/workspace", "/tmp", "/dev/shm" };

static int is_beneath(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    if (strcmp(folder, "/") == 0)
        return path[0] == '/';
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}

#define RULE_AT(rule) (rule)->name, (rule)->index

static int fs_refuse(const struct rule *s, struct err *e, const char *what,
                     const char *instead)
{
    return err_set(e, -EINVAL, "permissions: %s.rules[%zu]: %s; %s", RULE_AT(s),
                   what, instead);
}

/* Which rights a rule speaks about; an operation that cannot be had or denied
 * by itself is refused. */
static int fs_rights(const struct rule *s, unsigned *out, struct err *e)
{
    unsigned o = s->operations, r = 0;
    const unsigned changes = FS_CREATE_DIR | FS_RM | FS_RENAME | FS_SYMLINK |
                             FS_TRUNCATE;
    if (o & (OP_ALL | FS_READ))
        r |= PATH_READ;
    if (o & (OP_ALL | FS_WRITE))
        r |= PATH_WRITE;
    if ((o & FS_READDIR) && !(r & PATH_READ))
        return fs_refuse(s, e, "listing cannot be had or denied without reading",
                         "name \"read\" too");
    if ((o & changes) && !(r & PATH_WRITE))
        return fs_refuse(s, e, "one way to change a tree cannot be had or denied "
                         "without the others", "name \"write\" too");
    if (!s->allow && (o & (FS_STAT | FS_READLINK)) && !(r & PATH_READ))
        return fs_refuse(s, e, "the kernel cannot deny stat or readlink alone",
                         "deny \"read\", or leave the rule out");
    *out = r;
    return 0;
}

/* The folder that a pattern is about: without its stars. */
static int fs_base(const struct rule *s, const char *pattern, char *out,
                   struct err *e)
{
    size_t n = strlen(pattern);
    if (pattern_is_everything(pattern)) {
        memcpy(out, "/", 2);
        return 0;
    }
    int beneath = n > 3 && strcmp(pattern + n - 3, "/**") == 0;
    size_t len = beneath ? n - 3 : n;
    if (pattern[0] != '/' || strstr(pattern, "//") || strstr(pattern, "/../") ||
        strstr(pattern, "/./"))
        return err_set(e, -EINVAL, "permissions: %s.rules[%zu]: '%.80s' is not an "
                       "absolute path; e.g. /workspace/**", RULE_AT(s), pattern);
    if (strcspn(pattern, "*?[{") < len)
        return err_set(e, -EINVAL, "permissions: %s.rules[%zu]: '%.80s' has a "
                       "wildcard inside, and the kernel knows folders only; write "
                       "FOLDER/**", RULE_AT(s), pattern);
    if (len >= FORK_PATH_BYTES)
        return err_set(e, -EINVAL, "permissions: %s.rules[%zu]: a path of more than "
                       "%d bytes", RULE_AT(s), FORK_PATH_BYTES - 1);
    memcpy(out, pattern, len);
    out[len] = '\0';
    return 0;
}

/* A folder alone, without what is in it, is nothing that Landlock knows. */
static int fs_covers(const struct rule *s, const char *folder)
{
    for (size_t i = 0; i < s->patterns; i++) {
        const char *p = s->pattern[i];
        size_t n = strlen(p);
        if (pattern_is_everything(p) || (n > 3 && strcmp(p + n - 3, "/**") == 0 &&
                                 strncmp(p, folder, n - 3) == 0 &&
                                 strlen(folder) == n - 3))
            return 1;
    }
    return 0;
}

static int add_base(struct path_set *set, const char *at, int named, struct err *e)
{
    for (size_t i = 0; i < set->bases; i++)
        if (strcmp(set->base[i].at, at) == 0)
            return 0;
    if (set->bases == MAX_BASES)
        return err_set(e, -EINVAL, "permissions: fs names more than %d folders",
                       MAX_BASES);
    struct base *b = &set->base[set->bases++];
    *b = (struct base){ .named = named };
    snprintf(b->at, sizeof b->at, "%s", at);
    return 0;
}

struct path_set *path_set_new(const struct guest_mount *mount, size_t mounts)
{
    struct path_set *set = calloc(1, sizeof *set);
    if (set) {
        set->mount = mount;
        set->mounts = mounts;
    }
    return set;
}

void path_set_default(struct path_set *set, int allow)
{
    set->allow = allow;
}

int path_set_add(struct path_set *set, const struct rule *s, struct err *e)
{
    struct fs_rule *rule = &set->rule[set->rules];
    *rule = (struct fs_rule){ .allow = s->allow };
    int r = fs_rights(s, &rule->rights, e);
    for (size_t i = 0; r == 0 && i < s->patterns; i++) {
        char *base = rule->base[rule->bases];
        r = fs_base(s, s->pattern[i], base, e);
        if (r == 0 && !fs_covers(s, base))
            r = err_set(e, -EINVAL, "permissions: %s.rules[%zu]: %.80s alone, "
                        "without what is beneath, cannot be enforced; write "
                        "%.80s/**", RULE_AT(s), base, base);
        if (r == 0)
            r = add_base(set, base, (int)set->rules, e);
        rule->bases++;
    }
    set->rules++;
    return r;
}

static void judge_base(const struct path_set *set, struct base *b)
{
    b->rights = set->allow ? PATH_READ | PATH_WRITE : 0;
    b->last = -1;
    for (size_t i = 0; i < set->rules; i++) {
        const struct fs_rule *rule = &set->rule[i];
        for (size_t k = 0; k < rule->bases; k++) {
            if (!is_beneath(b->at, rule->base[k]))
                continue;
            b->rights = rule->allow ? b->rights | rule->rights
                                    : b->rights & ~rule->rights;
            b->last = (int)i;
        }
    }
}

static const struct base *around(const struct path_set *set, const struct base *b)
{
    const struct base *best = NULL;
    for (size_t i = 0; i < set->bases; i++) {
        const struct base *o = &set->base[i];
        if (o != b && is_beneath(b->at, o->at) &&
            (!best || strlen(o->at) > strlen(best->at)))
            best = o;
    }
    return best;
}

static int is_of_run(const struct path_set *set, const char *at)
{
    for (size_t i = 0; i < COUNT(of_the_run); i++)
        if (is_beneath(at, of_the_run[i]))
            return 1;
    for (size_t i = 0; i < set->mounts; i++)
        if (is_beneath(at, set->mount[i].guest))
            return 1;
    return 0;
}

static int holds_any(const struct path_set *set, const char *at)
{
    for (size_t i = 0; i < COUNT(of_the_run); i++)
        if (is_beneath(of_the_run[i], at))
            return 1;
    for (size_t i = 0; i < set->mounts; i++)
        if (is_beneath(set->mount[i].guest, at))
            return 1;
    return 0;
}

static int is_of_runtime(const char *at)
{
    for (size_t i = 0; i < COUNT(of_the_runtime); i++)
        if (is_beneath(at, of_the_runtime[i]))
            return 1;
    return 0;
}

/* Does this folder stand when the wall is built? Of the work directory and its
 * like only the top does: they are empty then. */
static int stands(const char *at)
{
    for (size_t i = 0; i < COUNT(of_the_run); i++)
        if (is_beneath(at, of_the_run[i]))
            return strcmp(at, of_the_run[i]) == 0;
    return 1;
}

/* Landlock adds up what is given on the way to a file: below a folder there
 * can be more rights, never fewer. */
static int check_below(const struct path_set *set, const struct base *b,
                       const struct base *parent, struct err *e)
{
    if (!parent || !is_of_run(set, parent->at) ||
        (b->rights & parent->rights) == parent->rights)
        return 0;
    return err_set(e, -EINVAL, "permissions: fs.rules[%d]: %s is denied below "
                   "%s, which is allowed; the kernel cannot take away below. Allow "
                   "the folders that are meant instead, one by one",
                   b->last < 0 ? b->named : b->last, b->at, parent->at);
}

/* A rule's folder that a run does not have anyway. */
static int check_named(const struct path_set *set, const struct base *b,
                       const struct base *parent, struct err *e)
{
    if (holds_any(set, b->at))
        return 0;
    if (is_of_runtime(b->at) && !is_of_run(set, b->at)) {
        if (b->rights & PATH_READ)
            return 0;
        return err_set(e, -EINVAL, "permissions: fs.rules[%d]: %s belongs to the "
                       "runtime, which must read it; leave the rule out (it is "
                       "the same for every run and holds nothing of yours)",
                       b->last < 0 ? b->named : b->last, b->at);
    }
    if (!is_of_run(set, b->at))
        return !b->rights ? 0
            : err_set(e, -EINVAL, "permissions: fs.rules[%d]: there is no %s inside; "
                      "show a folder of yours with --mount HOST:%s", b->named, b->at,
                      b->at);
    if (!stands(b->at) && (!parent || b->rights != parent->rights))
        return err_set(e, -EINVAL, "permissions: fs.rules[%d]: %s does not exist yet "
                       "when the wall is built; write %s/**, or give the folder "
                       "with --mount", b->named, b->at,
                       parent ? parent->at : "/workspace");
    return 0;
}

static int check_rights(const struct path_set *set, const struct base *b,
                        struct err *e)
{
    if ((b->rights & PATH_WRITE) && !(b->rights & PATH_READ) && is_of_run(set, b->at))
        return err_set(e, -EINVAL, "permissions: fs.rules[%d]: %s may be written "
                       "but not read, which the kernel cannot tell apart; allow "
                       "\"read\" too, or deny \"write\"", b->last, b->at);
    return 0;
}

static int add_row(struct permissions *p, const char *at, unsigned rights,
                   struct err *e)
{
    if (p->paths == FORK_RULES)
        return err_set(e, -EINVAL, "permissions: fs names more folders than there is "
                       "room for; at most %d", FORK_RULES);
    char *text = p->path_text[p->paths];
    snprintf(text, FORK_PATH_BYTES, "%s", at);
    p->path[p->paths++] = (struct guest_path){ text, rights };
    return 0;
}

/* Rights to the runtime's own folders come with every run; these are the rest. */
static int add_rows(const struct path_set *set, struct permissions *p,
                    struct err *e)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < set->bases; i++) {
        const struct base *b = &set->base[i], *parent = around(set, b);
        int same = parent && is_of_run(set, parent->at) &&
                   parent->rights == b->rights;
        if (b->rights && is_of_run(set, b->at) && !same)
            r = add_row(p, b->at, b->rights, e);
    }
    return r;
}

static int add_own(struct path_set *set, struct err *e)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < COUNT(of_the_run); i++)
        r = add_base(set, of_the_run[i], -1, e);
    for (size_t i = 0; r == 0 && i < set->mounts; i++) {
        if (strlen(set->mount[i].guest) >= FORK_PATH_BYTES)
            return err_set(e, -EINVAL, "--mount: %.60s...: too long a path for rules "
                           "of fs", set->mount[i].guest);
        r = add_base(set, set->mount[i].guest, -1, e);
    }
    return r;
}

int path_set_end(struct path_set *set, struct permissions *p, struct err *e)
{
    int r = add_own(set, e);
    for (size_t i = 0; i < set->bases; i++)
        judge_base(set, &set->base[i]);
    for (size_t i = 0; r == 0 && i < set->bases; i++) {
        const struct base *b = &set->base[i], *parent = around(set, b);
        r = check_rights(set, b, e);
        if (r == 0)
            r = check_below(set, b, parent, e);
        if (r == 0 && b->named >= 0)
            r = check_named(set, b, parent, e);
    }
    return r == 0 ? add_rows(set, p, e) : r;
}
