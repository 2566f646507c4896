/* tests/unit/test_json.c -- base/json.h.  SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "tests/test.h"

#include <errno.h>
#include <math.h>

/* --- the checker ---------------------------------------------------------- */

TEST(what_rfc_8259_calls_json_is_accepted)
{
    static const struct str yes[] = {
        STR("null"), STR("true"), STR("false"), STR(" \t\r\n null \t\r\n "),
        STR("0"), STR("-0"), STR("1"), STR("-1"), STR("10"), STR("0.0"),
        STR("-0.5"), STR("1e1"), STR("1E1"), STR("1e+1"), STR("1e-1"),
        STR("0e0"), STR("0.10e010"), STR("123456789012345678901234567890"),
        STR("1e999999999"), STR("-1.7976931348623157e309"),
        STR("\"\""), STR("\"a\""), STR("\"\x7F\""),
        STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
        STR("\"\\u0000\""), STR("\"\\u00e9\\u00E9\\uABcd\""),
        STR("\"\\ud83d\\ude00\""), STR("\"\\uDBFF\\uDFFF\""),
        STR("\"\\uD7FF\\uE000\\uFFFF\""),
        STR("\"gr\xC3\xBC\xC3\x9F\""), STR("\"\xF0\x9F\x98\x80\""),
        STR("\"\xEF\xBB\xBF\""),                  /* a BOM as text */
        STR("\"\xE2\x80\xA8\""),                  /* U+2028 unescaped */
        STR("\"\xEF\xBF\xBF\""),                  /* a noncharacter */
        STR("[]"), STR("[ ]"), STR("{}"), STR("{ }"), STR("[[]]"),
        STR("[1]"), STR("[1,2]"), STR("[ 1 , 2 ]"), STR("[[],{},\"\",0]"),
        STR("{\"a\":1}"), STR("{\"a\":1,\"b\":[{}]}"), STR("{\"\":0}"),
        STR("{ \"a\" : 1 , \"b\" : 2 }"),
        STR("{\"a\":1,\"a\":2}"),                 /* the last one wins */
        STR("{\"__proto__\":{\"x\":1}}"),
        STR("[1,\n2,\r\n3]"), STR("[true,false,null]"), STR("[-0e-0]"),
    };
    for (size_t i = 0; i < COUNT(yes); i++) {
        size_t at = 0;
        if (json_check(yes[i], &at) != 0)
            TEST_FAIL("refused at %zu: %s", at, yes[i].at);
    }
}

TEST(what_is_not_json_is_refused_at_its_first_wrong_byte)
{
    static const struct { struct str text; size_t at; } no[] = {
        { STR(""), 0 }, { STR(" "), 1 }, { STR("\n\n"), 2 },
        { STR("nul"), 3 }, { STR("nulx"), 3 }, { STR("nulll"), 4 },
        { STR("NULL"), 0 }, { STR("True"), 0 }, { STR("truefalse"), 4 },
        { STR("undefined"), 0 }, { STR("NaN"), 0 }, { STR("-NaN"), 1 },
        { STR("Infinity"), 0 }, { STR("-Infinity"), 1 }, { STR("nan"), 1 },
        { STR("+1"), 0 }, { STR("-"), 1 }, { STR("--1"), 1 }, { STR(".5"), 0 },
        { STR("1."), 2 }, { STR("1.e1"), 2 }, { STR("-.5"), 1 },
        { STR("01"), 1 }, { STR("-01"), 2 }, { STR("00"), 1 },
        { STR("1e"), 2 }, { STR("1e+"), 3 }, { STR("1e1.5"), 3 },
        { STR("0x10"), 1 }, { STR("1_000"), 1 }, { STR("1n"), 1 },
        { STR("1 2"), 2 }, { STR("- 1"), 1 }, { STR("1,"), 1 },
        { STR("\""), 1 }, { STR("\"a"), 2 }, { STR("\"a\"b"), 3 },
        { STR("'a'"), 0 }, { STR("`a`"), 0 }, { STR("a"), 0 },
        { STR("\"\t\""), 1 }, { STR("\"a\nb\""), 2 }, { STR("\"\0\""), 1 },
        { STR("\"\x1F\""), 1 }, { STR("\"12345678\x01\""), 9 },
        { STR("\"\\"), 2 }, { STR("\"\\x41\""), 2 }, { STR("\"\\'\""), 2 },
        { STR("\"\\0\""), 2 }, { STR("\"\\\n\""), 2 }, { STR("\"\\N\""), 2 },
        { STR("\"\\\0\""), 2 }, { STR("\"\\U0041\""), 2 },
        { STR("\"\\u\""), 3 }, { STR("\"\\u12\""), 5 },
        { STR("\"\\u123g\""), 6 }, { STR("\"\\u 123\""), 3 },
        { STR("\"\\u"), 3 }, { STR("\"\\u1234"), 7 },
        { STR("\"\\ud800\""), 1 },                /* lone halves of a pair */
        { STR("\"\\uDFFF\""), 1 }, { STR("\"x\\uDC00\\uD800\""), 2 },
        { STR("\"\\uD800\\uD800\""), 1 }, { STR("\"\\uD800\\u0041\""), 1 },
        { STR("\"\\uD800\\n\""), 1 }, { STR("\"\\uD800\xED\xB0\x80\""), 1 },
        { STR("\"\\uD800\\uDC0\""), 12 },
        { STR("\"\xFF\""), 1 }, { STR("\"\xC0\x80\""), 1 },
        { STR("\"\xED\xA0\x80\""), 1 }, { STR("\"\xE2\x82\""), 1 },
        { STR("\"a\xF4\x90\x80\x80\""), 2 }, { STR("\"\xC3"), 1 },
        { STR("\xEF\xBB\xBF" "1"), 0 },           /* a BOM */
        { STR("\xFF\xFE" "1\0"), 0 },             /* UTF-16 */
        { STR("\xC2\xA0" "1"), 0 },               /* a no-break space */
        { STR("\f1"), 0 }, { STR("\v1"), 0 }, { STR("1\0"), 1 },
        { STR("["), 1 }, { STR("]"), 0 }, { STR("[1"), 2 }, { STR("[1,"), 3 },
        { STR("[1,]"), 3 }, { STR("[,1]"), 1 }, { STR("[,]"), 1 },
        { STR("[1 2]"), 3 }, { STR("[1,,2]"), 3 }, { STR("[1}"), 2 },
        { STR("[]]"), 2 }, { STR("[][]"), 2 }, { STR("[1:2]"), 2 },
        { STR("[\"a\":1]"), 4 }, { STR("[}"), 1 }, { STR("[undefined]"), 1 },
        { STR("{"), 1 }, { STR("}"), 0 }, { STR("{]"), 1 }, { STR("{1:2}"), 1 },
        { STR("{a:1}"), 1 }, { STR("{'a':1}"), 1 }, { STR("{\"a\"}"), 4 },
        { STR("{\"a\":}"), 5 }, { STR("{\"a\" 1}"), 5 }, { STR("{\"a\":1"), 6 },
        { STR("{\"a\":1,}"), 7 }, { STR("{,\"a\":1}"), 1 },
        { STR("{\"a\":1 \"b\":2}"), 7 }, { STR("{\"a\":1]"), 6 },
        { STR("{\"a\":1,,\"b\":2}"), 7 }, { STR("{\"a\"::1}"), 5 },
        { STR("{\"a\":\"a\" 123}"), 9 }, { STR("{null:1}"), 1 },
        { STR("{\"a\""), 4 }, { STR("{\"a\":"), 5 }, { STR("{\"a"), 3 },
        { STR("1 // no"), 2 }, { STR("/* no */ 1"), 0 }, { STR("#1"), 0 },
        { STR("<null>"), 0 }, { STR("(1)"), 0 }, { STR("[1;2]"), 2 },
    };
    for (size_t i = 0; i < COUNT(no); i++) {
        size_t at = 9999;
        if (json_check(no[i].text, &at) != -EINVAL)
            TEST_FAIL("accepted: %s", no[i].text.at);
        if (at != no[i].at)
            TEST_FAIL("at %zu, not %zu: %s", at, no[i].at, no[i].text.at);
        CHECK_INT(json_check(no[i].text, NULL), -EINVAL);
    }
    CHECK_INT(json_check((struct str){ NULL, 0 }, NULL), -EINVAL);
}

/* "[[...]]" or {"":{"":...}} nested depth times. */
static void nest(struct buf *b, size_t depth, const char *open,
                 const char *innermost, const char *close)
{
    buf_clear(b);
    for (size_t i = 0; i < depth; i++)
        buf_adds(b, open);
    buf_adds(b, innermost);
    for (size_t i = 0; i < depth; i++)
        buf_adds(b, close);
}

TEST(nesting_ends_exactly_at_its_limit)
{
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    size_t at = 0;

    nest(&b, JSON_MAX_DEPTH, "[", "", "]");
    CHECK_INT(json_check(buf_str(&b), NULL), 0);
    nest(&b, JSON_MAX_DEPTH, "[", "1", "]");
    CHECK_INT(json_check(buf_str(&b), NULL), 0);
    nest(&b, JSON_MAX_DEPTH + 1, "[", "", "]");
    CHECK_INT(json_check(buf_str(&b), &at), -EINVAL);
    CHECK_INT(at, JSON_MAX_DEPTH);

    nest(&b, JSON_MAX_DEPTH, "{\"\":", "null", "}");
    CHECK_INT(json_check(buf_str(&b), NULL), 0);
    nest(&b, JSON_MAX_DEPTH, "{\"\":", "{}", "}");
    CHECK_INT(json_check(buf_str(&b), &at), -EINVAL);
    CHECK_INT(at, JSON_MAX_DEPTH * 4);
    nest(&b, JSON_MAX_DEPTH / 2, "{\"\":[", "0", "]}");
    CHECK_INT(json_check(buf_str(&b), NULL), 0);
}

TEST(a_million_open_brackets_cost_no_stack)
{
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    nest(&b, 1 << 20, "[", "", "");
    CHECK_INT(json_check(buf_str(&b), NULL), -EINVAL);
}

TEST(a_truncated_text_is_refused_wherever_it_is_cut)
{
    static const char text[] = "{\"a\":[1.5e+3,\"\\ud83d\\ude00\xC3\xA9\",true,"
                               "{\"b\":null}],\"c\":\"\\n\"}";
    CHECK_INT(json_check(STR(text), NULL), 0);
    for (size_t n = 0; n < sizeof text - 1; n++) {
        size_t at = 9999;
        CHECK_INT(json_check((struct str){ text, n }, &at), -EINVAL);
        CHECK(at <= n);
    }
}

TEST(special_bytes_are_seen_at_every_offset_of_a_word)
{
    char text[40];
    for (size_t i = 1; i < 30; i++) {
        for (int c = 0; c < 256; c++) {
            memset(text, 'x', sizeof text);
            text[0] = text[sizeof text - 1] = '"';
            text[i] = (char)c;
            int ok = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
            struct str s = { text, sizeof text };
            CHECK_INT(json_check(s, NULL), ok ? 0 : -EINVAL);
        }
    }
}

/* --- the writer ----------------------------------------------------------- */

static const char *text_of(struct buf *b)
{
    CHECK_INT(b->failed, 0);
    CHECK_INT(json_check(buf_str(b), NULL), 0);
    buf_add(b, "", 1);
    return b->at;
}

TEST(the_writer_places_the_commas)
{
    AUTO_BUF b;
    buf_init(&b, 1000);
    json_open(&b, '{');
    json_key(&b, "a");
    json_u64(&b, UINT64_MAX);
    json_key(&b, "b");
    json_open(&b, '[');
    json_item(&b);
    json_i64(&b, INT64_MIN);
    json_item(&b);
    json_open(&b, '{');
    json_close(&b, '}');
    json_item(&b);
    json_open(&b, '[');
    json_close(&b, ']');
    json_item(&b);
    json_string(&b, STR("[{"));
    json_item(&b);
    json_raw(&b, STR("{\"x\": [1] } "));
    json_close(&b, ']');
    json_key(&b, "c{");
    json_bool(&b, 1);
    json_key(&b, "d");
    json_bool(&b, 0);
    json_key(&b, "e");
    json_null(&b);
    json_close(&b, '}');
    CHECK_TEXT(text_of(&b),
        "{\"a\":18446744073709551615,\"b\":[-9223372036854775808,{},[],\"[{\","
        "{\"x\": [1] } ],\"c{\":true,\"d\":false,\"e\":null}");
}

static const char *quoted(struct buf *b, struct str s)
{
    buf_clear(b);
    json_string(b, s);
    return text_of(b);
}

TEST(strings_are_escaped_and_kept_readable)
{
    AUTO_BUF b;
    buf_init(&b, 10000);
    CHECK_TEXT(quoted(&b, STR("")), "\"\"");
    CHECK_TEXT(quoted(&b, (struct str){ NULL, 0 }), "\"\"");
    CHECK_TEXT(quoted(&b, STR("say \"hi\" \\ /")),
               "\"say \\\"hi\\\" \\\\ /\"");
    CHECK_TEXT(quoted(&b, STR("\b\f\n\r\t")), "\"\\b\\f\\n\\r\\t\"");
    CHECK_TEXT(quoted(&b, STR("a\0b\x1F\x1B[0m")),
               "\"a\\u0000b\\u001f\\u001b[0m\"");
    CHECK_TEXT(quoted(&b, STR("gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80")),
               "\"gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80\"");
}

TEST(bytes_that_are_not_utf8_become_the_replacement_character)
{
    AUTO_BUF b;
    buf_init(&b, 10000);
    CHECK_TEXT(quoted(&b, STR("a\xFF" "b")), "\"a\xEF\xBF\xBD" "b\"");
    CHECK_TEXT(quoted(&b, STR("\xED\xA0\x80")),
               "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    CHECK_TEXT(quoted(&b, STR("\xE2\x82")), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    CHECK_TEXT(quoted(&b, STR("\xC3\"")), "\"\xEF\xBF\xBD\\\"\"");
}

TEST(every_byte_can_be_written_as_text)
{
    AUTO_BUF b;
    buf_init(&b, 10000);
    for (int c = 0; c < 65536; c++) {
        char two[2] = { (char)(c >> 8), (char)c };
        quoted(&b, (struct str){ two, 2 });
    }
}

static const char *real(struct buf *b, double v, int decimals)
{
    buf_clear(b);
    json_real(b, v, decimals);
    return text_of(b);
}

TEST(reals_say_no_more_than_they_know)
{
    AUTO_BUF b;
    buf_init(&b, 1000);
    CHECK_TEXT(real(&b, 64.1, 3), "64.1");
    CHECK_TEXT(real(&b, 64, 3), "64");
    CHECK_TEXT(real(&b, 100, 0), "100");
    CHECK_TEXT(real(&b, 1200, 2), "1200");
    CHECK_TEXT(real(&b, 0.12345, 3), "0.123");
    CHECK_TEXT(real(&b, 0.0001, 3), "0");
    CHECK_TEXT(real(&b, -0.0001, 3), "0");
    CHECK_TEXT(real(&b, -0.0, 0), "0");
    CHECK_TEXT(real(&b, -2.50, 2), "-2.5");
    CHECK_TEXT(real(&b, (double)NAN, 3), "null");
    CHECK_TEXT(real(&b, (double)INFINITY, 3), "null");
    CHECK_TEXT(real(&b, -(double)INFINITY, 3), "null");
    CHECK_INT(strlen(real(&b, 1.7976931348623157e308, 3)), 309);
}

TEST(a_full_buf_fails_once_and_is_never_overrun)
{
    for (size_t max = 0; max < 40; max++) {
        AUTO_BUF b;
        buf_init(&b, max);
        json_open(&b, '{');
        json_key(&b, "k\n\xFF");
        json_real(&b, 1234.5, 3);
        json_key(&b, "l");
        json_string(&b, STR("\x01 \xC3\xA9"));
        json_close(&b, '}');
        CHECK(b.len <= max);
        CHECK(b.failed ? b.failed == -EMSGSIZE
                       : json_check(buf_str(&b), NULL) == 0);
    }
}
