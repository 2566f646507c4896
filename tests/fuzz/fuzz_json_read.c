/*
 * tests/fuzz/fuzz_json_read.c -- hostile bytes for the reader of options.
 *
 * Properties: what is accepted is JSON; every value that a walk gives lies
 * inside its parent and is itself JSON of the kind that was said; every text
 * that was read is UTF-8, and quoted again it reads as the same text; no key
 * stands twice.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/json.h"
#include "base/json_read.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) { if (!holds) abort(); }

static void check_text(const struct json_value *v)
{
    AUTO_BUF text, quoted, again;
    buf_init(&text, JSON_READ_BYTES);
    buf_init(&quoted, 8 * JSON_READ_BYTES);
    buf_init(&again, JSON_READ_BYTES);
    json_string_text(v, &text);
    require(utf8_check(buf_str(&text), NULL) == 0);
    json_string(&quoted, buf_str(&text));
    struct json_value back;
    if (json_read(buf_str(&quoted), &back, NULL) < 0) {
        require(quoted.len > JSON_READ_BYTES);
        return;
    }
    json_string_text(&back, &again);
    require(again.len == text.len &&
            (text.len == 0 || memcmp(again.at, text.at, text.len) == 0));
}

static void check_value(const struct json_value *v)
{
    struct json_walk w;
    struct json_value child;
    size_t at = 0;
    require(json_check(v->text, &at) == 0);
    if (v->kind == JSON_STRING)
        check_text(v);
    for (json_walk_begin(&w, v); json_walk_next(&w, &child);) {
        require(child.text.at > v->text.at && child.text.len < v->text.len);
        require(child.text.at + child.text.len < v->text.at + v->text.len);
        if (w.keyed) {
            const struct json_value key = { JSON_STRING, w.key };
            struct json_value found;
            AUTO_BUF name;
            buf_init(&name, JSON_READ_BYTES);
            check_text(&key);
            json_key_text(&w, &name);
            buf_add(&name, "", 1);
            if (!name.failed && strlen(name.at) == name.len - 1)
                require(json_member(v, name.at, &found) &&
                        found.text.at == child.text.at);
        }
        check_value(&child);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct json_value v;
    struct err e = { 0 };
    int r = json_read(text, &v, &e);
    require(r == 0 || e.msg[0]);
    if (r == 0) {
        require(json_check(text, NULL) == 0);
        check_value(&v);
    }
    return 0;
}
