/* tests/unit/test_buf.c -- base/buf.h.  SPDX-License-Identifier: MIT */
#include "base/buf.h"
#include "tests/test.h"

#include <errno.h>

TEST(bytes_come_back_in_order)
{
    AUTO_BUF b;
    buf_init(&b, 1000);
    CHECK_INT(buf_add(&b, "a\0b", 3), 0);
    CHECK_INT(buf_adds(&b, "cd"), 0);
    CHECK_INT(buf_addf(&b, "%d-%s", 12, "x"), 0);
    CHECK_INT(b.len, 9);
    CHECK(memcmp(b.at, "a\0bcd12-x", 9) == 0);
    CHECK(str_is(buf_str(&b), "a") == 0);
}

TEST(a_zeroed_buf_can_be_freed_and_holds_nothing)
{
    struct buf b = { 0 };
    CHECK_INT(buf_add(&b, "x", 1), -EMSGSIZE);
    buf_free(&b);
    buf_free(&b);
    buf_drop(&b, 10);
    CHECK_INT(b.len, 0);
}

TEST(adding_nothing_is_fine_even_from_nowhere)
{
    AUTO_BUF b;
    buf_init(&b, 0);
    CHECK_INT(buf_add(&b, NULL, 0), 0);
    CHECK_INT(buf_adds(&b, ""), 0);
    CHECK_INT(buf_addf(&b, "%s", ""), 0);
    CHECK(buf_reserve(&b, 0) != NULL);
    CHECK_INT(b.len, 0);
}

TEST(the_ceiling_can_be_reached_exactly)
{
    for (size_t max = 1; max < 600; max++) {
        AUTO_BUF b;
        buf_init(&b, max);
        for (size_t i = 0; i < max; i++)
            CHECK_INT(buf_adds(&b, "x"), 0);
        CHECK_INT(b.len, max);
        CHECK_INT(buf_adds(&b, "y"), -EMSGSIZE);
        CHECK_INT(b.len, max);
    }
}

TEST(formatted_text_may_fill_the_buf_to_the_last_byte)
{
    AUTO_BUF b;
    buf_init(&b, 5);
    CHECK_INT(buf_addf(&b, "%s", "12345"), 0);
    CHECK_INT(b.len, 5);
    buf_clear(&b);
    CHECK_INT(buf_addf(&b, "%s", "123456"), -EMSGSIZE);
    CHECK_INT(b.len, 0);
}

TEST(formatted_text_longer_than_the_room_is_kept_whole)
{
    AUTO_BUF b;
    buf_init(&b, 100000);
    char text[5000];
    memset(text, 'q', sizeof text);
    text[sizeof text - 1] = 0;
    buf_adds(&b, "head");
    CHECK_INT(buf_addf(&b, "<%s>", text), 0);
    CHECK_INT(b.len, 4 + 2 + sizeof text - 1);
    CHECK(b.at[4] == '<' && b.at[b.len - 1] == '>');
}

TEST(once_failed_it_swallows_everything_until_cleared)
{
    AUTO_BUF b;
    buf_init(&b, 4);
    buf_adds(&b, "abc");
    CHECK_INT(buf_adds(&b, "de"), -EMSGSIZE);
    CHECK_INT(buf_adds(&b, "d"), -EMSGSIZE);
    CHECK_INT(buf_addf(&b, "d"), -EMSGSIZE);
    CHECK(buf_reserve(&b, 1) == NULL);
    CHECK_INT(b.failed, -EMSGSIZE);
    CHECK(str_is(buf_str(&b), "abc"));
    buf_clear(&b);
    CHECK_INT(b.failed, 0);
    CHECK_INT(buf_adds(&b, "de"), 0);
    CHECK(str_is(buf_str(&b), "de"));
}

TEST(a_size_near_the_end_of_the_number_line_is_refused)
{
    AUTO_BUF b;
    buf_init(&b, SIZE_MAX);
    buf_adds(&b, "x");
    CHECK(buf_reserve(&b, SIZE_MAX) == NULL);
    CHECK_INT(b.failed, -EMSGSIZE);
    buf_clear(&b);
    buf_adds(&b, "x");
    CHECK(buf_reserve(&b, SIZE_MAX - 1) == NULL);
    CHECK_INT(b.failed, -EMSGSIZE);
}

TEST(reserved_room_is_the_callers_to_fill)
{
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    buf_adds(&b, "ab");
    char *room = buf_reserve(&b, 100000);
    CHECK(room != NULL);
    memset(room, 'c', 100000);
    b.len += 3;
    CHECK(str_is(buf_str(&b), "abccc"));
}

TEST(dropping_from_the_front_keeps_the_rest)
{
    AUTO_BUF b;
    buf_init(&b, 100);
    buf_adds(&b, "abcdef");
    buf_drop(&b, 2);
    CHECK(str_is(buf_str(&b), "cdef"));
    buf_drop(&b, 0);
    CHECK(str_is(buf_str(&b), "cdef"));
    buf_drop(&b, 99);
    CHECK_INT(b.len, 0);
    buf_adds(&b, "g");
    CHECK(str_is(buf_str(&b), "g"));
}

TEST(a_freed_buf_can_be_used_again)
{
    AUTO_BUF b;
    buf_init(&b, 3);
    buf_adds(&b, "abc");
    buf_free(&b);
    CHECK_INT(buf_adds(&b, "xyz"), 0);
    CHECK_INT(buf_adds(&b, "!"), -EMSGSIZE);
}
