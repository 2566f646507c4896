/* worker/form.c -- a scanner for JavaScript's words and brackets.
 * SPDX-License-Identifier: MIT */
#include "worker/form.h"
#include <string.h>

enum token { T_END, T_WORD, T_NUMBER, T_TEXT, T_REGEXP, T_PUNCTUATION };
enum { MAX_NESTING = 256 };

/*
 * `brace` remembers for each open { whether it belongs to a template's ${, so
 * that its } goes back into the template. Deeper nesting than MAX_NESTING ends
 * the scan: the hints are then of the part before.
 */
struct scan {
    struct str  source;
    size_t      at;            /* behind the current token */
    struct str  token;
    enum token  kind;
    enum token  last_kind;     /* of the token before */
    struct str  last;
    int         line_before;   /* a line break stands before the token */
    int         braces, others;    /* open { and open ( [ */
    char        in_template[MAX_NESTING];
};

static int is_word_byte(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || (c >= '0' && c <= '9') || c >= 0x80 || c == '\\' || c == '#';
}

static int peek(const struct scan *s, size_t ahead)
{
    return s->at + ahead < s->source.len
        ? (unsigned char)s->source.at[s->at + ahead] : -1;
}

static int in_word(const struct scan *s) { return is_word_byte(peek(s, 0)); }

static void skip_line(struct scan *s)
{
    while (peek(s, 0) >= 0 && peek(s, 0) != '\n')
        s->at++;
}

static void skip_comment(struct scan *s)
{
    for (s->at += 2; peek(s, 0) >= 0; s->at++) {
        if (peek(s, 0) == '\n')
            s->line_before = 1;
        if (peek(s, 0) == '*' && peek(s, 1) == '/') {
            s->at += 2;
            return;
        }
    }
}

static void skip_blank(struct scan *s)
{
    for (;;) {
        int c = peek(s, 0);
        if (c == '\n')
            s->line_before = 1;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            s->at++;
        else if (c == '/' && peek(s, 1) == '/')
            skip_line(s);
        else if (c == '/' && peek(s, 1) == '*')
            skip_comment(s);
        else if (c == '#' && peek(s, 1) == '!' && s->at == 0)
            skip_line(s);
        else
            return;
    }
}

static void skip_quoted(struct scan *s, int quote)
{
    for (s->at++; peek(s, 0) >= 0 && peek(s, 0) != '\n'; s->at++) {
        if (peek(s, 0) == '\\')
            s->at++;
        else if (peek(s, 0) == quote) {
            s->at++;
            return;
        }
    }
}

/* From inside a template to its end, or to behind the next ${. */
static void skip_template(struct scan *s)
{
    for (; peek(s, 0) >= 0; s->at++) {
        if (peek(s, 0) == '\\') {
            s->at++;
        } else if (peek(s, 0) == '`') {
            s->at++;
            return;
        } else if (peek(s, 0) == '$' && peek(s, 1) == '{') {
            s->at += 2;
            if (s->braces < MAX_NESTING)
                s->in_template[s->braces] = 1;
            s->braces++;
            return;
        }
    }
}

static void skip_regexp(struct scan *s)
{
    int class = 0;
    for (s->at++; peek(s, 0) >= 0 && peek(s, 0) != '\n'; s->at++) {
        int c = peek(s, 0);
        if (c == '\\') {
            s->at++;
        } else if (c == '[') {
            class = 1;
        } else if (c == ']') {
            class = 0;
        } else if (c == '/' && !class) {
            s->at++;
            return;
        }
    }
}

/* A slash begins a regexp where an expression may begin. */
static int slash_is_regexp(const struct scan *s)
{
    static const char *const before[] = {
        "return", "typeof", "instanceof", "in", "of", "new", "delete", "void",
        "throw", "case", "do", "else", "await", "yield",
    };
    if (s->last_kind == T_END)
        return 1;
    if (s->last_kind == T_PUNCTUATION) {
        char c = s->last.at[0];
        int twice = s->last.at > s->source.at && s->last.at[-1] == c;
        if ((c == '+' || c == '-') && twice)    /* x++ / 2 */
            return 0;
        return c != ')' && c != ']' && c != '}';
    }
    if (s->last_kind != T_WORD)
        return 0;
    for (size_t i = 0; i < COUNT(before); i++)
        if (str_is(s->last, before[i]))
            return 1;
    return 0;
}

static enum token punctuation(struct scan *s, int c)
{
    s->at++;
    if (c == '(' || c == '[') {
        s->others++;
    } else if (c == ')' || c == ']') {
        s->others -= s->others > 0;
    } else if (c == '{') {
        if (s->braces < MAX_NESTING)
            s->in_template[s->braces] = 0;
        s->braces++;
    } else if (c == '}' && s->braces > 0) {
        s->braces--;
        if (s->braces < MAX_NESTING && s->in_template[s->braces]) {
            skip_template(s);
            return T_TEXT;
        }
    }
    return T_PUNCTUATION;
}

static enum token scan_token(struct scan *s)
{
    int c = peek(s, 0);
    if (c < 0 || s->braces > MAX_NESTING)
        return T_END;
    if (c >= '0' && c <= '9') {
        while (peek(s, 0) == '.' || in_word(s))
            s->at++;
        return T_NUMBER;
    }
    if (in_word(s)) {
        while (in_word(s))
            s->at++;
        return T_WORD;
    }
    if (c == '"' || c == '\'') {
        skip_quoted(s, c);
        return T_TEXT;
    }
    if (c == '`') {
        s->at++;
        skip_template(s);
        return T_TEXT;
    }
    if (c == '/' && slash_is_regexp(s)) {
        skip_regexp(s);
        return T_REGEXP;
    }
    return punctuation(s, c);
}

static enum token next(struct scan *s)
{
    s->last_kind = s->kind;
    s->last = s->token;
    s->line_before = 0;
    skip_blank(s);
    size_t from = s->at;
    s->kind = scan_token(s);
    if (s->at > s->source.len)
        s->at = s->source.len;
    s->token = (struct str){ s->source.at + from, s->at - from };
    return s->kind;
}

static int at_top(const struct scan *s) { return s->braces == 0 && s->others == 0; }

/* Behind `function` at the top: is it main, without parameters? */
static int is_main(const struct scan *s)
{
    struct scan ahead = *s;
    if (next(&ahead) != T_WORD || !str_is(ahead.token, "main"))
        return 0;
    return next(&ahead) == T_PUNCTUATION && ahead.token.at[0] == '(' &&
           next(&ahead) == T_PUNCTUATION && ahead.token.at[0] == ')';
}

struct form form_of(struct str source)
{
    struct form f = { 0 };
    struct scan s = { .source = source };
    while (next(&s) != T_END) {
        if (s.kind != T_WORD ||
            (s.last_kind == T_PUNCTUATION && s.last.at[0] == '.'))
            continue;
        if (str_is(s.token, "await"))
            f.has_await = 1;
        else if (str_is(s.token, "return"))
            f.has_return = 1;
        else if (str_is(s.token, "import") || str_is(s.token, "export"))
            f.has_module_word = 1;
        else if (str_is(s.token, "main"))
            f.names_main++;
        else if (str_is(s.token, "function") && at_top(&s) && is_main(&s))
            f.declares_main = 1;
    }
    return f;
}

static int starts_statement(const struct scan *s)
{
    if (s->last_kind == T_END || s->line_before)
        return 1;
    return s->last_kind == T_PUNCTUATION &&
           (s->last.at[0] == ';' || s->last.at[0] == '}');
}

/* `let` is also a name: it declares only before a name, [ or {. */
static int declares(const struct scan *s)
{
    struct scan ahead = *s;
    enum token kind = next(&ahead);
    return kind == T_WORD || (kind == T_PUNCTUATION &&
                              (ahead.token.at[0] == '[' || ahead.token.at[0] == '{'));
}

int form_for_session(struct str source, struct buf *out)
{
    struct scan s = { .source = source };
    size_t done = 0;
    while (next(&s) != T_END) {
        if (s.kind != T_WORD || !at_top(&s) || !starts_statement(&s) || !declares(&s))
            continue;
        size_t from = (size_t)(s.token.at - source.at);
        const char *instead = str_is(s.token, "let")   ? "var"
                            : str_is(s.token, "const") ? "var  " : NULL;
        struct scan ahead = s;
        if (instead) {
            buf_add(out, source.at + done, from - done);
            buf_adds(out, instead);
            done = s.at;
        } else if (str_is(s.token, "class") && next(&ahead) == T_WORD) {
            buf_add(out, source.at + done, from - done);
            buf_adds(out, "var ");
            buf_add(out, ahead.token.at, ahead.token.len);
            buf_adds(out, "=");
            done = from;
        }
    }
    return buf_add(out, source.at + done, source.len - done);
}
