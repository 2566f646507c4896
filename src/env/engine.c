/* env/engine.c -- which engine a program needs.  SPDX-License-Identifier: MIT */
#include "env/engine.h"

#include <stdio.h>
#include <string.h>

const char *engine_text(enum engine e)
{
    static const char *const texts[ENGINES] = { "js", "node", "python" };
    return (unsigned)e < ENGINES ? texts[e] : "js";
}

/* ---- tokens of JavaScript and TypeScript ------------------------------------ */

enum token_kind {
    TOKEN_NONE, TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_TEMPLATE,
    TOKEN_REGEX, TOKEN_SIGN,
};

struct token {
    enum token_kind kind;
    struct str      text;    /* of a string: without its quotes */
    uint32_t        line;
    int             plain;   /* a string or template without escapes or holes */
};

/* An open bracket, and what was before it: that tells whether a slash after
 * its end divides, and whether it held parameters. */
struct bracket {
    char open;               /* ( [ { or $ for a template's hole */
    char head;               /* ( of if, while, for, with */
    char block;              /* { of statements, not of an object */
    char has_require;        /* ( with a parameter of that name, perhaps */
    uint32_t calls_require;  /* ( of a call of it: the line */
};
enum { MAX_OPEN = 1024 };    /* nested deeper, brackets are only counted */

struct scan {
    struct str     s;
    size_t         i;
    uint32_t       line;
    struct token   last, before;    /* the two tokens before the current one */
    struct bracket open[MAX_OPEN];
    size_t         depth;
    struct bracket closed;          /* the bracket that `last` closed */
};

static char at(const struct scan *c, size_t ahead)
{
    return c->i + ahead < c->s.len ? c->s.at[c->i + ahead] : '\0';
}

static int word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || c == '#' || c == '\\' || (unsigned char)c >= 0x80;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_word(const struct token *t, const char *word)
{
    return t->kind == TOKEN_WORD && str_is(t->text, word);
}

static int is_sign(const struct token *t, const char *sign)
{
    return t->kind == TOKEN_SIGN && str_is(t->text, sign);
}

static int is_any(struct str s, const char *const *list)
{
    for (; *list; list++)
        if (str_is(s, *list))
            return 1;
    return 0;
}

/* A byte order mark, a fixed blank or a line separator at the current place. */
static size_t wide_blank(const struct scan *c)
{
    static const char *const blanks[] = { "\xc2\xa0", "\xef\xbb\xbf",
                                          "\xe2\x80\xa8", "\xe2\x80\xa9" };
    for (size_t i = 0; (unsigned char)at(c, 0) >= 0x80 && i < COUNT(blanks); i++) {
        size_t n = strlen(blanks[i]);
        if (c->s.len - c->i >= n && memcmp(c->s.at + c->i, blanks[i], n) == 0)
            return n;
    }
    return 0;
}

/* Blanks and comments. */
static void skip_blank(struct scan *c)
{
    for (; c->i < c->s.len; c->i++) {
        char ch = at(c, 0);
        if (ch == '\n') {
            c->line++;
        } else if (ch == '/' && at(c, 1) == '/') {
            while (c->i + 1 < c->s.len && at(c, 1) != '\n')
                c->i++;
        } else if (ch == '/' && at(c, 1) == '*') {
            for (c->i += 2; c->i < c->s.len; c->i++) {
                if (at(c, 0) == '*' && at(c, 1) == '/')
                    break;
                c->line += at(c, 0) == '\n';
            }
            c->i++;
        } else if (wide_blank(c)) {
            c->i += wide_blank(c) - 1;
        } else if ((unsigned char)ch > ' ') {
            return;
        }
    }
}

/* A quoted text ends with its line, closed or not: nothing after is lost. */
static void scan_quoted(struct scan *c, struct token *t)
{
    char quote = at(c, 0);
    size_t start = ++c->i;
    t->kind = TOKEN_STRING;
    t->plain = 1;
    for (; c->i < c->s.len && at(c, 0) != quote && at(c, 0) != '\n'; c->i++) {
        if (at(c, 0) != '\\')
            continue;
        t->plain = 0;
        c->i++;
        c->line += at(c, 0) == '\n';
    }
    if (c->i > c->s.len)
        c->i = c->s.len;
    t->text = (struct str){ c->s.at + start, c->i - start };
    if (at(c, 0) == quote)
        c->i++;
}

static void push(struct scan *c, struct bracket b)
{
    if (c->depth < MAX_OPEN)
        c->open[c->depth] = b;
    c->depth++;
}

/* From a backtick, or from the } that ends a hole. */
static void scan_template(struct scan *c, struct token *t)
{
    size_t start = ++c->i;
    t->kind = TOKEN_TEMPLATE;
    t->plain = c->s.at[start - 1] == '`';
    for (; c->i < c->s.len && at(c, 0) != '`'; c->i++) {
        if (at(c, 0) == '$' && at(c, 1) == '{') {
            c->i += 2;
            push(c, (struct bracket){ .open = '$' });
            t->kind = TOKEN_SIGN;    /* an expression begins */
            t->text = STR("${");
            return;
        }
        t->plain &= at(c, 0) != '\\';
        c->line += at(c, 0) == '\n';
        if (at(c, 0) == '\\') {
            c->i++;
            c->line += at(c, 0) == '\n';
        }
    }
    if (c->i > c->s.len)
        c->i = c->s.len;
    t->text = (struct str){ c->s.at + start, c->i - start };
    c->i++;
}

static void scan_regex(struct scan *c, struct token *t)
{
    int in_class = 0;
    size_t start = c->i++;
    for (; c->i < c->s.len && at(c, 0) != '\n'; c->i++) {
        char ch = at(c, 0);
        if (ch == '\\' && at(c, 1) != '\n')
            c->i++;
        else if (ch == '[')
            in_class = 1;
        else if (ch == ']')
            in_class = 0;
        else if (ch == '/' && !in_class)
            break;
    }
    for (c->i += at(c, 0) == '/'; word_char(at(c, 0)); c->i++)
        ;
    if (c->i > c->s.len)
        c->i = c->s.len;
    t->kind = TOKEN_REGEX;
    t->text = (struct str){ c->s.at + start, c->i - start };
}

/* After a value a slash divides; elsewhere it begins a regular expression. */
static int divides(const struct scan *c)
{
    static const char *const operators[] = {    /* words that wait for a value */
        "return", "typeof", "case", "do", "else", "in", "of", "instanceof",
        "new", "delete", "void", "throw", "await", "yield", "default",
        "extends", NULL
    };
    const struct token *l = &c->last;
    switch (l->kind) {
    case TOKEN_NONE:
        return 0;
    case TOKEN_NUMBER:
    case TOKEN_STRING:
    case TOKEN_TEMPLATE:
    case TOKEN_REGEX:
        return 1;
    case TOKEN_WORD:
        return is_sign(&c->before, ".") || is_sign(&c->before, "?.") ||
               !is_any(l->text, operators);
    case TOKEN_SIGN:
        break;
    }
    if (is_sign(l, ")"))
        return !c->closed.head;
    if (is_sign(l, "}"))
        return !c->closed.block;
    return is_sign(l, "]") || is_sign(l, "++") || is_sign(l, "--");
}

static int opens_head(const struct scan *c)
{
    static const char *const heads[] = { "if", "while", "for", "with", NULL };
    const struct token *l = &c->last;
    if (is_word(l, "await") && is_word(&c->before, "for"))
        return 1;
    return l->kind == TOKEN_WORD && !is_sign(&c->before, ".") &&
           is_any(l->text, heads);
}

/* { begins statements (or a class) unless a value is expected there. */
static int opens_block(const struct scan *c)
{
    static const char *const values[] = {
        "return", "typeof", "case", "in", "of", "instanceof", "new", "delete",
        "void", "throw", "await", "yield", "default", NULL
    };
    static const char *const before_block[] = { ")", ";", "{", "}", "=>", ":", NULL };
    const struct token *l = &c->last;
    if (l->kind == TOKEN_WORD)
        return !is_any(l->text, values);
    return l->kind != TOKEN_SIGN || is_any(l->text, before_block);
}

static void scan_sign(struct scan *c, struct token *t)
{
    static const char *const longer[] = { "...", "=>", "?.", "++", "--", NULL };
    size_t n = 1;
    for (const char *const *l = longer; *l && n == 1; l++)
        if (c->s.len - c->i >= strlen(*l) &&
            memcmp(c->s.at + c->i, *l, strlen(*l)) == 0)
            n = strlen(*l);
    if (n == 2 && at(c, 0) == '?' && is_digit(at(c, 2)))
        n = 1;    /* a ?.5 : b */
    t->kind = TOKEN_SIGN;
    t->text = (struct str){ c->s.at + c->i, n };
    c->i += n;
    switch (t->text.at[0]) {
    case '(':
        push(c, (struct bracket){ .open = '(', .head = (char)opens_head(c) });
        break;
    case '{':
        push(c, (struct bracket){ .open = '{', .block = (char)opens_block(c) });
        break;
    case '[':
        push(c, (struct bracket){ .open = '[' });
        break;
    default:
        break;
    }
}

static void scan_word(struct scan *c, struct token *t)
{
    size_t start = c->i;
    t->kind = is_digit(at(c, 0)) || at(c, 0) == '.' ? TOKEN_NUMBER : TOKEN_WORD;
    while ((word_char(at(c, 0)) && !wide_blank(c)) || is_digit(at(c, 0)) ||
           (t->kind == TOKEN_NUMBER && at(c, 0) == '.'))
        c->i++;
    t->text = (struct str){ c->s.at + start, c->i - start };
}

/* ) ] } : what it closed stays known until the next token. */
static void scan_closing(struct scan *c, struct token *t)
{
    if (c->depth > 0)
        c->depth--;
    c->closed = c->depth < MAX_OPEN ? c->open[c->depth] : (struct bracket){ 0 };
    if (at(c, 0) == '}' && c->closed.open == '$') {
        scan_template(c, t);
        return;
    }
    t->kind = TOKEN_SIGN;
    t->text = (struct str){ c->s.at + c->i++, 1 };
}

/* The next token; TOKEN_NONE at the end. */
static struct token next_token(struct scan *c)
{
    struct token t = { 0 };
    skip_blank(c);
    if (c->i >= c->s.len)
        return t;
    t.line = c->line;
    char ch = at(c, 0);
    if (ch == '"' || ch == '\'')
        scan_quoted(c, &t);
    else if (ch == '`')
        scan_template(c, &t);
    else if (ch == '/' && !divides(c))
        scan_regex(c, &t);
    else if (ch == ')' || ch == ']' || ch == '}')
        scan_closing(c, &t);
    else if (word_char(ch) || is_digit(ch) || (ch == '.' && is_digit(at(c, 1))))
        scan_word(c, &t);
    else
        scan_sign(c, &t);
    c->before = c->last;
    c->last = t;
    return t;
}

/* ---- what a program asks for ------------------------------------------------ */

int engine_is_bare(struct str s)
{
    if (!s.len || s.at[0] == '.' || s.at[0] == '/' || s.at[0] == '#')
        return 0;
    if (s.len > 5 && memcmp(s.at, "node:", 5) == 0)
        return 1;
    return memchr(s.at, ':', s.len) == NULL;
}

/* Where the reading of an import or export stands. */
enum place {
    ELSEWHERE,
    IMPORT,            /* after the word */
    IMPORT_TYPE,       /* after `import type` */
    IMPORT_TYPE_FROM,  /* after `import type from` */
    IMPORT_CALL,       /* after `import(` */
    IMPORT_CALLED,     /* after `import("x"` */
    EXPORT, EXPORT_TYPE,
    CLAUSE,            /* bindings, until `from` and a text */
};

struct search {
    struct scan       scan;
    const struct str *known;
    size_t            knowns;
    struct token      before, older;    /* the tokens before the current one */
    enum place        place;
    int               types_only;
    struct token      called;           /* of import("x" */
    struct token      import;           /* the first that decides; or none */
    uint32_t          require_line;     /* the first call; 0: none */
    int               own_require;      /* it declares one itself */
    struct bracket    closed;           /* when `before` closed a ( */
};

static void asks_for(struct search *s, const struct token *t)
{
    if (s->types_only || s->import.kind || !t->plain || !engine_is_bare(t->text))
        return;
    for (size_t i = 0; i < s->knowns; i++)
        if (s->known[i].len == t->text.len &&
            memcmp(s->known[i].at, t->text.at, t->text.len) == 0)
            return;
    s->import = *t;
}

static int opens_clause(const struct token *t)
{
    return t->kind == TOKEN_WORD || is_sign(t, "{") || is_sign(t, "*");
}

static enum place in_clause(struct search *s, const struct token *t)
{
    static const char *const signs[] = { "{", "}", ",", "*", NULL };
    if (is_sign(&s->before, "}") && !is_word(t, "from"))
        return ELSEWHERE;    /* export { a } and no more */
    if (t->kind == TOKEN_STRING && is_word(&s->before, "from")) {
        asks_for(s, t);
        return ELSEWHERE;
    }
    if (t->kind == TOKEN_WORD || t->kind == TOKEN_STRING)
        return CLAUSE;
    return t->kind == TOKEN_SIGN && is_any(t->text, signs) ? CLAUSE : ELSEWHERE;
}

static enum place after_import(struct search *s, const struct token *t)
{
    if (t->kind == TOKEN_STRING) {
        asks_for(s, t);
        return ELSEWHERE;
    }
    if (is_sign(t, "("))
        return IMPORT_CALL;
    if (is_word(t, "type"))
        return IMPORT_TYPE;
    return opens_clause(t) ? CLAUSE : ELSEWHERE;
}

/* `type` is a word of TypeScript here, or an ordinary name: what follows tells. */
static enum place after_type(struct search *s, const struct token *t)
{
    if (s->place == IMPORT_TYPE && is_word(t, "from"))
        return IMPORT_TYPE_FROM;
    if (s->place == IMPORT_TYPE && is_sign(t, ","))
        return CLAUSE;
    if (s->place == EXPORT_TYPE && t->kind == TOKEN_WORD)
        return ELSEWHERE;    /* export type T = ... */
    s->types_only = 1;
    return opens_clause(t) ? CLAUSE : ELSEWHERE;
}

static enum place go_on(struct search *s, const struct token *t)
{
    switch (s->place) {
    case ELSEWHERE:
        break;
    case IMPORT:
        return after_import(s, t);
    case IMPORT_TYPE:
    case EXPORT_TYPE:
        return after_type(s, t);
    case IMPORT_TYPE_FROM:
        s->types_only = t->kind != TOKEN_STRING;    /* import type from "x" */
        return in_clause(s, t);
    case IMPORT_CALL:
        s->called = *t;
        return t->kind == TOKEN_STRING || t->kind == TOKEN_TEMPLATE
            ? IMPORT_CALLED : ELSEWHERE;
    case IMPORT_CALLED:
        if (is_sign(t, ")") || is_sign(t, ","))
            asks_for(s, &s->called);
        return ELSEWHERE;
    case EXPORT:
        if (is_word(t, "type"))
            return EXPORT_TYPE;
        return is_sign(t, "{") || is_sign(t, "*") ? CLAUSE : ELSEWHERE;
    case CLAUSE:
        return in_clause(s, t);
    }
    return ELSEWHERE;
}

/* Is a word here a name behind a dot, or one that is imported or exported? */
static int is_property(const struct search *s)
{
    return is_sign(&s->before, ".") || is_sign(&s->before, "?.") ||
           (s->place == CLAUSE && (is_word(&s->before, "as") ||
                                   is_sign(&s->before, "{") ||
                                   is_sign(&s->before, ",")));
}

static void look_at_import(struct search *s, const struct token *t)
{
    if (!is_property(s) && (is_word(t, "import") || is_word(t, "export"))) {
        s->place = is_word(t, "import") ? IMPORT : EXPORT;
        s->types_only = 0;
        return;
    }
    s->place = go_on(s, t);
}

static struct bracket *innermost(struct search *s)
{
    size_t depth = s->scan.depth;
    return depth > 0 && depth <= MAX_OPEN ? &s->scan.open[depth - 1] : NULL;
}

/* What stood in the brackets that closed just before t was a call, unless t
 * makes them parameters: { of a body, => of an arrow function. */
static void look_at_closed(struct search *s, const struct token *t)
{
    int body = is_sign(t, "{") && !s->closed.head;
    if (!is_sign(&s->before, ")"))
        return;
    if ((body || is_sign(t, "=>")) && s->closed.has_require)
        s->own_require = 1;
    if (!body && s->closed.calls_require && !s->require_line)
        s->require_line = s->closed.calls_require;
}

static void look_at_require(struct search *s, const struct token *t)
{
    static const char *const declares[] = { "const", "let", "var", "class",
                                            "function", NULL };
    const struct token *b = &s->before, *o = &s->older;
    look_at_closed(s, t);
    if (is_sign(t, ")"))
        s->closed = s->scan.closed;
    if (!is_word(b, "require"))
        return;
    int in_list = is_sign(o, "(") || is_sign(o, ",");
    struct bracket *around = is_sign(t, ")") ? &s->closed : innermost(s);
    if ((o->kind == TOKEN_WORD && is_any(o->text, declares)) || is_sign(t, "=>"))
        s->own_require = 1;
    else if (is_sign(t, "=") && is_sign(o, ","))
        s->own_require = 1;
    else if (is_sign(t, "(") && !is_sign(o, ".") && !is_sign(o, "?.") && around)
        around->calls_require = b->line;
    else if (in_list && around && (is_sign(t, ",") || is_sign(t, ")")))
        around->has_require = 1;
}

static void search_text(struct search *s)
{
    struct scan *c = &s->scan;
    c->line = 1;
    if (c->s.len > 2 && memcmp(c->s.at, "#!", 2) == 0)
        while (c->i < c->s.len && at(c, 0) != '\n')
            c->i++;
    for (;;) {
        struct token t = next_token(c);
        look_at_import(s, &t);
        look_at_require(s, &t);
        if (t.kind == TOKEN_NONE)
            return;
        s->older = s->before;
        s->before = t;
    }
}

/* ---- the choice -------------------------------------------------------------- */

static int ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

static int by_name(const char *name, struct engine_choice *out)
{
    static const struct { const char *end; enum engine engine; } ends[] = {
        { ".py", ENGINE_PYTHON }, { ".cjs", ENGINE_NODE },
    };
    for (size_t i = 0; i < COUNT(ends); i++) {
        if (!ends_in(name, ends[i].end))
            continue;
        out->engine = ends[i].engine;
        snprintf(out->why, sizeof out->why, "its name ends in %s", ends[i].end);
        return 1;
    }
    return 0;
}

/* #!/usr/bin/env python3 */
static int by_first_line(struct str source, struct engine_choice *out)
{
    static const struct { const char *word; enum engine engine; } words[] = {
        { "python", ENGINE_PYTHON }, { "node", ENGINE_NODE },
    };
    if (source.len < 3 || memcmp(source.at, "#!", 2) != 0)
        return 0;
    const char *end = memchr(source.at, '\n', source.len);
    size_t len = end ? (size_t)(end - source.at) : source.len;
    for (size_t i = 0; i < COUNT(words); i++) {
        if (!memmem(source.at, len, words[i].word, strlen(words[i].word)))
            continue;
        out->engine = words[i].engine;
        snprintf(out->why, sizeof out->why, "its first line names %s", words[i].word);
        return 1;
    }
    return 0;
}

static void by_text(struct search *s, struct engine_choice *out)
{
    const struct token *import = &s->import;
    search_text(s);
    uint32_t require = s->own_require ? 0 : s->require_line;
    if (import->kind && (!require || import->line <= require)) {
        out->engine = ENGINE_NODE;
        snprintf(out->why, sizeof out->why, "it imports %.*s (line %u)",
                 (int)(import->text.len < 80 ? import->text.len : 80),
                 import->text.at, import->line);
    } else if (require) {
        out->engine = ENGINE_NODE;
        snprintf(out->why, sizeof out->why, "it calls require (line %u)", require);
    }
}

void engine_of_program(const char *name, struct str source,
                       const struct str *known, size_t knowns,
                       struct engine_choice *out)
{
    *out = (struct engine_choice){ .engine = ENGINE_JS };
    if (by_name(name, out) || by_first_line(source, out))
        return;
    struct search s = { .scan.s = source, .known = known, .knowns = knowns };
    by_text(&s, out);
}
