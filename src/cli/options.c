/* cli/options.c -- flags as tables.  SPDX-License-Identifier: MIT */
#include "cli/options.h"
#include "base/nearest.h"
#include "base/num.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What is being read: the arguments left, and how the current flag was spelt. */
struct scan {
    const struct option *rows;
    char               **argv;
    int                  argc, at;
    void                *target;
    char                 spelt[64];    /* "--memory", "-e" */
    struct err          *e;
};

/* ---- one value ------------------------------------------------------------ */

static int too_far(struct scan *s, const struct option *o, const char *value,
                   const char *how, uint64_t bound)
{
    struct num_text shown;
    if (o->kind == OPTION_DURATION)
        shown = num_show_ms(bound);
    else if (o->kind == OPTION_SIZE)
        shown = num_show_bytes(bound);
    else
        snprintf(shown.at, sizeof shown.at, "%llu", (unsigned long long)bound);
    return err_set(s->e, -EINVAL, "%s %.60s is %s %s", s->spelt, value, how,
                   shown.at);
}

static int set_number(struct scan *s, const struct option *o, const char *value)
{
    struct err why = { 0 };
    uint64_t v = 0;
    int r = o->kind == OPTION_DURATION ? num_duration(value, &v, &why)
            : o->kind == OPTION_SIZE   ? num_size(value, &v, &why)
                                       : num_u64(value, &v, &why);
    if (r < 0)
        return err_set(s->e, -EINVAL, "%s: %s", s->spelt, why.msg);
    if (v < o->least)
        return too_far(s, o, value, "below the least possible,", o->least);
    if (o->most && v > *o->most)
        return too_far(s, o, value, "above the ceiling of", *o->most);
    struct option_number *out = (void *)((char *)s->target + o->offset);
    *out = (struct option_number){ .value = v, .given = 1 };
    return 0;
}

static int set_choice(struct scan *s, const struct option *o, const char *value)
{
    size_t n = 0;
    AUTO_BUF all;
    buf_init(&all, 256);
    for (; o->choices[n]; n++) {
        if (strcmp(o->choices[n], value) == 0) {
            *(int *)(void *)((char *)s->target + o->offset) = (int)n;
            return 0;
        }
        buf_addf(&all, "%s%s", n ? ", " : "", o->choices[n]);
    }
    const char *near = nearest_word(value, o->choices, n);
    return err_set(s->e, -EINVAL, "%s: '%.60s' is none of %.*s%s%s%s", s->spelt,
                   value, (int)all.len, all.at, near ? "; did you mean " : "",
                   near ? near : "", near ? "?" : "");
}

static int add_to_list(struct scan *s, struct text_list *list, const char *value)
{
    if (list->n == MAX_LIST)
        return err_set(s->e, -EINVAL, "%s: more than %d of them", s->spelt, MAX_LIST);
    list->at[list->n++] = value;
    return 0;
}

static int set_value(struct scan *s, const struct option *o, const char *value)
{
    void *out = (char *)s->target + o->offset;
    switch (o->kind) {
    case OPTION_FLAG:
        *(int *)out = 1;
        return 0;
    case OPTION_ONCE:
        if (*(const char **)out)
            return err_set(s->e, -EINVAL, "%s is given twice", s->spelt);
        /* fall through */
    case OPTION_TEXT:
        *(const char **)out = value;
        return 0;
    case OPTION_LIST:
        return add_to_list(s, out, value);
    case OPTION_DURATION:
    case OPTION_SIZE:
    case OPTION_NUMBER:
        return set_number(s, o, value);
    case OPTION_CHOICE:
        return set_choice(s, o, value);
    case OPTION_HEADING:
        break;
    }
    return err_set(s->e, -EINVAL, "%s is of no known kind", s->spelt);
}

/* ---- one argument --------------------------------------------------------- */

static int take_value(struct scan *s, const struct option *o,
                      const char *attached)
{
    if (!o->argument) {
        if (attached)
            return err_set(s->e, -EINVAL, "%s takes no value", s->spelt);
        return set_value(s, o, NULL);
    }
    if (!attached) {
        if (s->at >= s->argc)
            return err_set(s->e, -EINVAL, "%s needs a value: %s %s", s->spelt,
                           s->spelt, o->argument);
        attached = s->argv[s->at++];
    }
    return set_value(s, o, attached);
}

static int unknown(struct scan *s, const char *word)
{
    const char *names[128];
    size_t n = 0;
    for (const struct option *o = s->rows; o->name && n < COUNT(names); o++)
        if (o->help && o->name[0])    /* hidden ones are not advertised */
            names[n++] = o->name;
    const char *near = nearest_word(word, names, n);
    return err_set(s->e, -EINVAL, "unknown flag %s%s%s%s", s->spelt,
                   near ? "; did you mean --" : "", near ? near : "",
                   near ? "?" : "");
}

static int long_flag(struct scan *s, const char *word)
{
    size_t len = strcspn(word, "=");
    const char *attached = word[len] == '=' ? word + len + 1 : NULL;
    snprintf(s->spelt, sizeof s->spelt, "--%.*s", (int)(len < 60 ? len : 60), word);
    for (const struct option *o = s->rows; len && o->name; o++)
        if (strlen(o->name) == len && memcmp(o->name, word, len) == 0)
            return take_value(s, o, attached);
    return unknown(s, s->spelt + 2);
}

/* -q, -e CODE, -eCODE, and flags together: -qe CODE. */
static int short_flags(struct scan *s, const char *letters)
{
    for (; *letters; letters++) {
        snprintf(s->spelt, sizeof s->spelt, "-%c", *letters);
        const struct option *o = s->rows;
        while (o->name && o->letter != *letters)
            o++;
        if (!o->name)
            return err_set(s->e, -EINVAL, "unknown flag %s", s->spelt);
        if (o->argument)
            return take_value(s, o, letters[1] ? letters + 1 : NULL);
        int r = take_value(s, o, NULL);
        if (r < 0)
            return r;
    }
    return 0;
}

int options_parse(const struct option *rows, int argc, char **argv,
                  void *target, struct texts *operands, struct err *e)
{
    struct scan s = { .rows = rows, .argv = argv, .argc = argc,
                      .target = target, .e = e };
    int ended = 0, r = 0;
    size_t n = 0, ahead = 0;
    while (r == 0 && s.at < argc) {
        char *word = argv[s.at++];
        if (ended || word[0] != '-' || !word[1])
            argv[n++] = word;    /* never past what has been read */
        else if (strcmp(word, "--") == 0)
            ended = 1;
        else if (word[1] == '-')
            r = long_flag(&s, word + 2);
        else
            r = short_flags(&s, word + 1);
        if (!ended)
            ahead = n;
    }
    *operands = (struct texts){ (const char *const *)argv, n, ahead };
    return r;
}

/* ---- looking up ----------------------------------------------------------- */

const struct option *option_named(const struct option *rows, const char *name)
{
    for (; rows->name; rows++)
        if (strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

int option_given(const struct option *row, const void *target)
{
    const void *at = (const char *)target + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
    case OPTION_CHOICE:
        return *(const int *)at != 0;
    case OPTION_TEXT:
    case OPTION_ONCE:
        return *(const char *const *)at != NULL;
    case OPTION_LIST:
        return ((const struct text_list *)at)->n > 0;
    case OPTION_DURATION:
    case OPTION_SIZE:
    case OPTION_NUMBER:
        return ((const struct option_number *)at)->given;
    case OPTION_HEADING:
        break;
    }
    return 0;
}

/* ---- help ----------------------------------------------------------------- */

void options_help(const struct option *rows, struct buf *out)
{
    enum { HELP_COLUMN = 26 };
    for (const struct option *o = rows; o->name; o++) {
        if (!o->help)
            continue;
        if (o->kind == OPTION_HEADING) {
            buf_addf(out, "%s%s:\n", o == rows ? "" : "\n", o->help);
            continue;
        }
        char left[64], letter[8] = "    ";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        int n = snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name,
                         o->argument ? " " : "", o->argument ? o->argument : "");
        if (n >= HELP_COLUMN)
            buf_addf(out, "%s\n%*s%s\n", left, HELP_COLUMN, "", o->help);
        else
            buf_addf(out, "%-*s%s\n", HELP_COLUMN, left, o->help);
    }
}
