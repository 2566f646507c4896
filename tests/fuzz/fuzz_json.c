/*
 * tests/fuzz/fuzz_json.c -- hostile bytes as JSON, and as text to be quoted.
 *
 * Properties: what is accepted is still JSON inside a larger document; what is
 * refused is refused at a byte that exists or at the end; any bytes at all,
 * quoted, are JSON, and they come back when unquoted.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_TEXT = 16 << 20 };

static void require(int holds) { if (!holds) abort(); }

static void check_embedding(struct str text)
{
    AUTO_BUF b;
    buf_init(&b, MAX_TEXT);
    json_open(&b, '{');
    json_key(&b, "value");
    json_raw(&b, text);
    json_key(&b, "list");
    json_open(&b, '[');
    json_item(&b);
    json_raw(&b, text);
    json_item(&b);
    json_raw(&b, text);
    json_close(&b, ']');
    json_close(&b, '}');
    size_t at = 0;
    int r = json_check(buf_str(&b), &at);
    /* two levels deeper it may be too deep, and only that */
    require(r == 0 || at >= JSON_MAX_DEPTH - 2);
}

/* The text of a string literal that json_string() wrote. */
static void unquote(struct str literal, struct buf *out)
{
    static const char from[] = "\"\\bfnrt", to[] = "\"\\\b\f\n\r\t";
    for (size_t i = 1; i + 1 < literal.len; i++) {
        const char *at = literal.at + i;
        if (*at != '\\') {
            buf_add(out, at, 1);
        } else if (at[1] == 'u') {
            char hex[5] = { at[2], at[3], at[4], at[5] };
            char c = (char)strtol(hex, NULL, 16);
            buf_add(out, &c, 1);
            i += 5;
        } else {
            const char *k = strchr(from, at[1]);
            require(at[1] && k);
            buf_add(out, to + (k - from), 1);
            i++;
        }
    }
}

static void check_quoting(struct str text)
{
    AUTO_BUF quoted, back;
    buf_init(&quoted, MAX_TEXT);
    buf_init(&back, MAX_TEXT);
    json_string(&quoted, text);
    require(json_check(buf_str(&quoted), NULL) == 0);
    unquote(buf_str(&quoted), &back);
    require(utf8_check(buf_str(&back), NULL) == 0);
    if (utf8_check(text, NULL) == 0)
        require(back.len == text.len && (text.len == 0
                || !memcmp(back.at, text.at, text.len)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    size_t at = SIZE_MAX, bad = SIZE_MAX;

    int json = json_check(text, &at) == 0;
    require(json ? at == SIZE_MAX : at <= size);
    int utf8 = utf8_check(text, &bad) == 0;
    require(utf8 ? bad == SIZE_MAX : bad < size);
    require(!json || utf8);
    if (json)
        check_embedding(text);
    check_quoting(text);
    return 0;
}
