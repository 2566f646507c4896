/* tests/unit/test_json_read.c -- base/json_read.h  SPDX-License-Identifier: MIT */
#include "base/json_read.h"
#include "tests/test.h"

#include <errno.h>

static struct err why;

static int reads(const char *text, struct json_value *out)
{
    why = (struct err){ 0 };
    return json_read(str_of(text), out, &why);
}

static int refused(const char *text, const char *words)
{
    struct json_value v;
    return reads(text, &v) == -EINVAL && strstr(why.msg, words);
}

static const char *meant(const char *json)
{
    static char text[256];
    struct json_value v;
    AUTO_BUF b;
    buf_init(&b, sizeof text - 1);
    if (reads(json, &v) < 0)
        return why.msg;
    json_string_text(&v, &b);
    memcpy(text, b.at ? b.at : "", b.len);
    text[b.len] = '\0';
    return text;
}

TEST(every_kind_is_told_apart)
{
    static const struct { const char *text; enum json_kind kind; } all[] = {
        { "{}", JSON_OBJECT }, { " [ ] ", JSON_ARRAY }, { "\"x\"", JSON_STRING },
        { "-1.5e3", JSON_NUMBER }, { "true", JSON_TRUE }, { "false", JSON_FALSE },
        { "\n null", JSON_NULL }, { "0", JSON_NUMBER },
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        struct json_value v;
        CHECK_INT(reads(all[i].text, &v), 0);
        CHECK_INT(v.kind, all[i].kind);
    }
}

TEST(a_value_is_exactly_its_own_text)
{
    struct json_value v;
    CHECK_INT(reads("  12 ", &v), 0);
    CHECK(str_is(v.text, "12"));
    CHECK_INT(reads(" {\"a\":[1,{}]}\n", &v), 0);
    CHECK(str_is(v.text, "{\"a\":[1,{}]}"));
}

TEST(members_come_in_order_with_their_values)
{
    struct json_value all, v;
    struct json_walk w;
    CHECK_INT(reads("{ \"a\" : 1 , \"b\":[2,\"]}\"] ,\"c\":{\"d\":null}}", &all), 0);
    json_walk_begin(&w, &all);
    CHECK(json_walk_next(&w, &v) && json_key_is(&w, "a") && str_is(v.text, "1"));
    CHECK(json_walk_next(&w, &v) && json_key_is(&w, "b"));
    CHECK(str_is(v.text, "[2,\"]}\"]"));
    CHECK(json_walk_next(&w, &v) && json_key_is(&w, "c"));
    CHECK(str_is(v.text, "{\"d\":null}"));
    CHECK(!json_walk_next(&w, &v));
    CHECK(!json_walk_next(&w, &v));
}

TEST(items_come_in_order)
{
    struct json_value all, v;
    struct json_walk w;
    CHECK_INT(reads("[ 1, \"a,b\" ,[[]],{},true ]", &all), 0);
    static const char *const want[] = { "1", "\"a,b\"", "[[]]", "{}", "true" };
    json_walk_begin(&w, &all);
    for (size_t i = 0; i < COUNT(want); i++) {
        CHECK(json_walk_next(&w, &v));
        CHECK(str_is(v.text, want[i]));
        CHECK(!json_key_is(&w, ""));
    }
    CHECK(!json_walk_next(&w, &v));
}

TEST(what_is_no_list_has_no_members)
{
    struct json_value all, v;
    struct json_walk w;
    CHECK_INT(reads("\"text\"", &all), 0);
    json_walk_begin(&w, &all);
    CHECK(!json_walk_next(&w, &v));
    CHECK(!json_member(&all, "a", &v));
}

TEST(escapes_are_read_as_what_they_mean)
{
    CHECK_TEXT(meant("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "\"\\/\b\f\n\r\t");
    CHECK_TEXT(meant("\"\\u0041\\u00e9\\u20ac\""), "A\u00e9\u20ac");
    CHECK_TEXT(meant("\"\\ud83d\\ude00\""), "\U0001F600");
    CHECK_TEXT(meant("\"gr\u00fc\u00df\""), "gr\u00fc\u00df");
    CHECK_TEXT(meant("\"\""), "");
}

TEST(a_key_twice_is_refused_however_it_is_spelt)
{
    CHECK(refused("{\"a\":1,\"a\":2}", "the key \"a\" stands twice"));
    CHECK(refused("{\"a\":1,\"b\":0,\"\\u0061\":2}", "stands twice"));
    CHECK(refused("[{\"x\":{\"k\":1,\"k\":1}}]", "stands twice"));
    struct json_value v;
    CHECK_INT(reads("{\"a\":{\"a\":1},\"b\":{\"a\":1},\"A\":0}", &v), 0);
}

TEST(what_is_no_json_is_refused_with_its_place)
{
    CHECK(refused("", "not JSON (at byte 0)"));
    CHECK(refused("{a:1}", "not JSON (at byte 1)"));
    CHECK(refused("[1,]", "not JSON (at byte 3)"));
    CHECK(refused("\"\\ud800\"", "not JSON"));
    CHECK(refused("1 2", "not JSON (at byte 2)"));
}

TEST(depth_and_size_have_ceilings)
{
    char text[2 * JSON_READ_DEPTH + 3];
    memset(text, '[', JSON_READ_DEPTH);
    memset(text + JSON_READ_DEPTH, ']', JSON_READ_DEPTH);
    text[2 * JSON_READ_DEPTH] = '\0';
    struct json_value v;
    CHECK_INT(reads(text, &v), 0);
    memset(text, '[', JSON_READ_DEPTH + 1);
    memset(text + JSON_READ_DEPTH + 1, ']', JSON_READ_DEPTH + 1);
    text[2 * JSON_READ_DEPTH + 2] = '\0';
    CHECK(refused(text, "nested deeper than 32"));

    AUTO_BUF many;
    buf_init(&many, 1 << 20);
    for (int i = 0; i <= JSON_READ_MEMBERS; i++)
        buf_addf(&many, "%c\"%d\":0", i ? ',' : '{', i);
    buf_add(&many, "}", 2);
    CHECK(refused(many.at, "more than 1024 members"));

    static char large[JSON_READ_BYTES + 2];
    memset(large, ' ', JSON_READ_BYTES + 1);
    large[0] = '1';
    CHECK(refused(large, "larger than 1 MB"));
}

TEST(whole_numbers_are_whole)
{
    uint64_t n = 7;
    struct json_value v;
    CHECK(reads("18446744073709551615", &v) == 0 && json_whole(&v, &n) == 0);
    CHECK(n == UINT64_MAX);
    static const char *const not[] = { "-1", "1.0", "1e2", "\"1\"", "null",
                                       "18446744073709551616" };
    for (size_t i = 0; i < COUNT(not); i++)
        CHECK(reads(not[i], &v) == 0 && json_whole(&v, &n) == -EINVAL);
}

TEST(members_are_found_by_name)
{
    struct json_value all, v;
    CHECK_INT(reads("{\"x\":1,\"na\\u006de\":\"v\"}", &all), 0);
    CHECK(json_member(&all, "name", &v) && json_string_is(&v, "v"));
    CHECK(!json_string_is(&v, "vv") && !json_string_is(&v, ""));
    CHECK(!json_member(&all, "nam", &v) && !json_member(&all, "name2", &v));
}
