/* tests/unit/test_text.c -- words and UTF-8.  SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/nearest.h"
#include "tests/test.h"

#include <errno.h>

TEST(a_str_is_the_text_it_equals)
{
    CHECK(str_is(STR("abc"), "abc"));
    CHECK(!str_is(STR("abc"), "ab"));
    CHECK(!str_is(STR("ab"), "abc"));
    CHECK(!str_is(STR("a\0c"), "a"));
    CHECK(str_is(str_of(NULL), ""));
    CHECK(str_is((struct str){ NULL, 0 }, ""));
    CHECK_INT(str_of("four").len, 4);
}

/* The rules of RFC 3629, written another way than in json.c. */
static int encodes(uint32_t c, unsigned char *out)
{
    if (c < 0x80)
        return out[0] = (unsigned char)c, 1;
    int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (unsigned char)(0x80 | (c & 0x3F));
    out[0] = (unsigned char)((0xF00 >> n) | c);
    return n;
}

TEST(every_code_point_is_valid_and_no_surrogate_is)
{
    unsigned char text[4];
    for (uint32_t c = 0; c < 0x10FFFF + 0x1000; c++) {
        int n = encodes(c, text);
        int legal = c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
        CHECK_INT(utf8_len((char *)text, 4), legal ? n : 0);
        for (int cut = 1; cut < n; cut++)
            CHECK_INT(utf8_len((char *)text, (size_t)cut), 0);
    }
}

TEST(what_is_not_utf8_is_found_where_it_stands)
{
    static const struct { struct str text; size_t at; } bad[] = {
        { STR("\x80"), 0 },                   /* a tail without a head */
        { STR("abc\xBF"), 3 },
        { STR("\xC0\x80"), 0 },               /* overlong NUL */
        { STR("\xC1\xBF"), 0 },
        { STR("\xE0\x80\xAF"), 0 },           /* overlong slash */
        { STR("\xE0\x9F\xBF"), 0 },
        { STR("\xF0\x80\x80\xAF"), 0 },
        { STR("\xF0\x8F\xBF\xBF"), 0 },
        { STR("\xED\xA0\x80"), 0 },           /* surrogates */
        { STR("\xED\xBF\xBF"), 0 },
        { STR("\xF4\x90\x80\x80"), 0 },       /* past U+10FFFF */
        { STR("\xF5\x80\x80\x80"), 0 },
        { STR("\xFE"), 0 }, { STR("\xFF"), 0 },
        { STR("12345678\xE2\x82"), 8 },       /* cut short */
        { STR("\xE2\x82x"), 0 },
        { STR("\xF0\x9F\x98"), 0 },
        { STR("\xF0\x9F\x98x"), 0 },
        { STR("\xC3\xA4\xC3"), 2 },
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        size_t at = 99;
        CHECK_INT(utf8_check(bad[i].text, &at), -EINVAL);
        CHECK_INT(at, bad[i].at);
        CHECK_INT(utf8_check(bad[i].text, NULL), -EINVAL);
    }
    CHECK_INT(utf8_check(STR("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80 "
                             "\x01\x7F\"\\ and NUL \0."), NULL), 0);
    CHECK_INT(utf8_check((struct str){ NULL, 0 }, NULL), 0);
    CHECK_INT(utf8_len("", 0), 0);
}

static const char *guess(const char *word)
{
    static const char *const flags[] = {
        "timeout", "memory", "json", "cpu", "env", "engine", "max-output",
    };
    const char *found = nearest_word(word, flags, COUNT(flags));
    return found ? found : "(none)";
}

TEST(a_misspelt_word_finds_the_one_that_was_meant)
{
    CHECK_TEXT(guess("tiemout"), "timeout");       /* swapped */
    CHECK_TEXT(guess("timout"), "timeout");        /* missing */
    CHECK_TEXT(guess("timeoutt"), "timeout");      /* added */
    CHECK_TEXT(guess("timeaut"), "timeout");       /* changed */
    CHECK_TEXT(guess("Memory"), "memory");
    CHECK_TEXT(guess("jsno"), "json");
    CHECK_TEXT(guess("cup"), "cpu");
    CHECK_TEXT(guess("max_output"), "max-output");
    CHECK_TEXT(guess("maxoutput"), "max-output");
    CHECK_TEXT(guess("engin"), "engine");
}

TEST(a_word_that_is_far_from_all_gets_no_advice)
{
    CHECK_TEXT(guess("banana"), "(none)");
    CHECK_TEXT(guess("x"), "(none)");
    CHECK_TEXT(guess(""), "(none)");
    CHECK_TEXT(guess("tmt"), "(none)");
    CHECK(nearest_word("timeout", NULL, 0) == NULL);
}

TEST(very_long_words_are_left_alone)
{
    char word[5000];
    memset(word, 'a', sizeof word);
    word[sizeof word - 1] = 0;
    const char *list[] = { word, "aab" };
    CHECK(nearest_word(word, list, 2) == NULL);
    CHECK_TEXT(nearest_word("aba", list, 2), "aab");
}

TEST(the_first_of_two_equally_close_words_wins)
{
    const char *list[] = { "cart", "card" };
    CHECK_TEXT(nearest_word("carx", list, 2), "cart");
}
