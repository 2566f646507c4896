/* cli/incomplete.c -- does this input go on in the next line?
 * SPDX-License-Identifier: MIT */
#include "cli/incomplete.h"

#include <string.h>

enum { MAX_OPEN = 256 };

/* A template's ${ is an open bracket of its own kind, '$': at its } the text
 * of the template goes on. */
struct scan {
    struct str s;
    size_t     i;
    char       open[MAX_OPEN];
    int        depth;
    char       last, before;    /* the last two that were not blank */
    int        unended;         /* a comment or template reached the end */
};

static char at(const struct scan *c, size_t ahead)
{
    return c->i + ahead < c->s.len ? c->s.at[c->i + ahead] : '\0';
}

static void note(struct scan *c, char seen)
{
    c->before = c->last;
    c->last = seen;
}

static void push(struct scan *c, char bracket)
{
    if (c->depth < MAX_OPEN)
        c->open[c->depth] = bracket;
    c->depth++;
}

/* A quoted text ends with its line, whether closed or not. */
static void skip_quoted(struct scan *c, char end)
{
    for (c->i++; c->i < c->s.len && at(c, 0) != end && at(c, 0) != '\n'; c->i++)
        if (at(c, 0) == '\\')
            c->i++;
    note(c, '"');
}

static void skip_template(struct scan *c)
{
    for (c->i++; c->i < c->s.len; c->i++) {
        if (at(c, 0) == '\\') {
            c->i++;
        } else if (at(c, 0) == '`') {
            note(c, '"');
            return;
        } else if (at(c, 0) == '$' && at(c, 1) == '{') {
            c->i++;
            push(c, '$');
            note(c, '{');
            return;
        }
    }
    c->unended = 1;
}

static void skip_comment(struct scan *c)
{
    if (at(c, 1) == '/') {
        while (c->i < c->s.len && at(c, 0) != '\n')
            c->i++;
        return;
    }
    for (c->i += 2; c->i < c->s.len; c->i++) {
        if (at(c, 0) == '*' && at(c, 1) == '/') {
            c->i++;
            return;
        }
    }
    c->unended = 1;
}

/* After a value a slash divides; elsewhere it begins a regular expression. */
static int divides(const struct scan *c)
{
    char l = c->last;
    return (l >= 'a' && l <= 'z') || (l >= 'A' && l <= 'Z') ||
           (l >= '0' && l <= '9') || strchr("_$)]\"", l ? l : '(') != NULL;
}

static void skip_regex(struct scan *c)
{
    int in_class = 0;
    for (c->i++; c->i < c->s.len && at(c, 0) != '\n'; c->i++) {
        char ch = at(c, 0);
        if (ch == '\\')
            c->i++;
        else if (ch == '[')
            in_class = 1;
        else if (ch == ']')
            in_class = 0;
        else if (ch == '/' && !in_class)
            break;
    }
    note(c, '"');
}

static void close_bracket(struct scan *c, char bracket)
{
    if (c->depth > 0)
        c->depth--;
    note(c, bracket);
    if (bracket == '}' && c->depth < MAX_OPEN && c->open[c->depth] == '$')
        skip_template(c);
}

static void step(struct scan *c)
{
    char ch = at(c, 0);
    if (ch == '"' || ch == '\'')
        skip_quoted(c, ch);
    else if (ch == '`')
        skip_template(c);
    else if (ch == '/' && (at(c, 1) == '/' || at(c, 1) == '*'))
        skip_comment(c);
    else if (ch == '/' && !divides(c))
        skip_regex(c);
    else if (ch == '(' || ch == '[' || ch == '{') {
        push(c, ch);
        note(c, ch);
    } else if (ch == ')' || ch == ']' || ch == '}')
        close_bracket(c, ch);
    else if (ch != ' ' && ch != '\t' && ch != '\n' && ch != '\r')
        note(c, ch);
}

static int ends_open(const struct scan *c)
{
    char l = c->last, b = c->before;
    if (!l || (l == b && (l == '+' || l == '-')))    /* i++ */
        return 0;
    if (l == '>')
        return b == '=';                             /* => */
    if (l == '.')
        return b < '0' || b > '9';                   /* 1. is a number */
    return strchr("=+-*%&|^<?:,", l) != NULL;
}

int input_incomplete(struct str text)
{
    struct scan c = { .s = text };
    for (; c.i < text.len; c.i++)
        step(&c);
    return c.depth > 0 || c.unended || ends_open(&c);
}
