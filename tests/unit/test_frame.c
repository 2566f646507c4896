/* tests/unit/test_frame.c -- frames, reasons.  SPDX-License-Identifier: MIT */
#include "wire/frame.h"
#include "wire/reason.h"
#include "tests/test.h"

#include <errno.h>

TEST(a_frame_is_these_very_bytes)
{
    static const unsigned char want[] =
        "GBX1" "\x07\0\0\0" "\x15\0\0\0\0\0\0\0"
        "\xAB" "\x04\x03\x02\x01" "\x08\x07\x06\x05\x04\x03\x02\x01"
        "\x04\0\0\0" "h\0i!";
    AUTO_BUF b;
    buf_init(&b, 1000);
    size_t start = frame_begin(&b, 7);
    put_u8(&b, 0xAB);
    put_u32(&b, 0x01020304);
    put_u64(&b, 0x0102030405060708);
    put_str(&b, STR("h\0i!"));
    frame_end(&b, start);
    CHECK_INT(start, 0);
    CHECK_INT(b.len, sizeof want - 1);
    CHECK(memcmp(b.at, want, b.len) == 0);
}

TEST(frames_follow_each_other_in_one_buf)
{
    AUTO_BUF b;
    buf_init(&b, 1000);
    size_t first = frame_begin(&b, 1);
    put_u8(&b, 1);
    frame_end(&b, first);
    size_t second = frame_begin(&b, 2);
    frame_end(&b, second);
    CHECK_INT(second, FRAME_HEAD_BYTES + 1);

    struct frame_head h;
    CHECK_INT(frame_head_read((unsigned char *)b.at, &h), 0);
    CHECK(h.type == 1 && h.len == 1);
    CHECK_INT(frame_head_read((unsigned char *)b.at + second, &h), 0);
    CHECK(h.type == 2 && h.len == 0);
}

TEST(a_head_without_the_magic_is_refused)
{
    unsigned char head[FRAME_HEAD_BYTES] = "GBX1";
    struct frame_head h = { 77, 88 };
    CHECK_INT(frame_head_read(head, &h), 0);
    CHECK(h.type == 0 && h.len == 0);
    for (int i = 0; i < 4; i++) {
        h = (struct frame_head){ 77, 88 };
        head[i] ^= 0x20;
        CHECK_INT(frame_head_read(head, &h), -EPROTO);
        CHECK(h.type == 77 && h.len == 88);
        head[i] ^= 0x20;
    }
}

TEST(a_head_announces_any_length_and_it_is_only_a_number)
{
    unsigned char head[FRAME_HEAD_BYTES];
    struct frame_head h;
    memset(head, 0xFF, sizeof head);
    memcpy(head, "GBX1", 4);
    CHECK_INT(frame_head_read(head, &h), 0);
    CHECK(h.type == UINT32_MAX && h.len == UINT64_MAX);
}

TEST(fields_come_back_as_they_were_put)
{
    AUTO_BUF b;
    buf_init(&b, 1000);
    put_u8(&b, 255);
    put_u32(&b, UINT32_MAX);
    put_u64(&b, UINT64_MAX);
    put_str(&b, STR(""));
    put_str(&b, (struct str){ NULL, 0 });
    put_str(&b, STR("text"));

    struct fields f = fields_of(buf_str(&b));
    CHECK_INT(get_u8(&f), 255);
    CHECK(get_u32(&f) == UINT32_MAX);
    CHECK(get_u64(&f) == UINT64_MAX);
    CHECK_INT(get_str(&f).len, 0);
    CHECK_INT(get_str(&f).len, 0);
    CHECK_INT(get_end(&f), -EPROTO);    /* not yet */
    struct str s = get_str(&f);
    CHECK(str_is(s, "text") && s.at == b.at + b.len - 4);
    CHECK_INT(get_end(&f), 0);
}

TEST(a_truncated_field_fails_and_stays_failed)
{
    for (size_t n = 0; n < 8; n++) {
        struct fields f = fields_of((struct str){ "\1\2\3\4\5\6\7", n });
        CHECK_INT(get_u64(&f), 0);
        CHECK_INT(get_u8(&f), 0);        /* although a byte is there */
        CHECK_INT(get_u32(&f), 0);
        struct str s = get_str(&f);
        CHECK(s.len == 0 && s.at != NULL);
        CHECK_INT(get_end(&f), -EPROTO);
    }
}

TEST(a_string_cannot_be_longer_than_what_is_left)
{
    static const struct str lies[] = {
        STR("\1\0\0\0"), STR("\5\0\0\0abcd"), STR("\xFF\xFF\xFF\xFF" "abcd"),
        STR("\0\0\0\x80" "abcd"), STR("\xFC\xFF\xFF\xFF" "abcd"), STR("\1\0\0"),
    };
    for (size_t i = 0; i < COUNT(lies); i++) {
        struct fields f = fields_of(lies[i]);
        CHECK_INT(get_str(&f).len, 0);
        CHECK_INT(get_end(&f), -EPROTO);
    }
}

TEST(left_over_bytes_are_refused)
{
    struct fields f = fields_of(STR("\1\2"));
    CHECK_INT(get_u8(&f), 1);
    CHECK_INT(get_end(&f), -EPROTO);
    CHECK_INT(get_u8(&f), 2);
    CHECK_INT(get_end(&f), 0);
}

TEST(an_empty_body_is_complete)
{
    struct fields f = fields_of((struct str){ NULL, 0 });
    CHECK_INT(get_end(&f), 0);
    CHECK_INT(get_u8(&f), 0);
    CHECK_INT(get_end(&f), -EPROTO);
}

TEST(a_frame_that_does_not_fit_fails_the_buf_and_nothing_else)
{
    for (size_t max = 0; max < 24; max++) {
        AUTO_BUF b;
        buf_init(&b, max);
        size_t start = frame_begin(&b, 1);
        put_u64(&b, 1);
        frame_end(&b, start);
        CHECK_INT(b.failed, -EMSGSIZE);
        CHECK(b.len <= max);
    }
}

TEST(a_string_past_four_gigabytes_cannot_be_put)
{
    AUTO_BUF b;
    buf_init(&b, SIZE_MAX);
    put_str(&b, (struct str){ "", (size_t)UINT32_MAX + 1 });
    CHECK_INT(b.failed, -EMSGSIZE);
    CHECK_INT(b.len, 0);
}

TEST(every_reason_has_a_name_and_an_exit_code)
{
    CHECK_TEXT(reason_text(REASON_COMPLETED), "completed");
    CHECK_TEXT(reason_text(REASON_MEMORY_LIMIT), "memory_limit");
    CHECK_INT(reason_exit_code(REASON_COMPLETED), 0);
    CHECK_INT(reason_exit_code(REASON_NONZERO_EXIT), -1);
    CHECK_INT(reason_exit_code(REASON_WALL_TIME_LIMIT), 124);
    CHECK_INT(reason_exit_code(REASON_INTERNAL), 125);
    for (int r = REASON_COMPLETED; r < REASON_INTERNAL; r++)
        CHECK(strcmp(reason_text((enum reason)r), "internal") != 0);
}

TEST(an_unknown_reason_is_our_own_fault)
{
    static const int odd[] = { 0, REASON_END, 255, -1, 1 << 30 };
    for (size_t i = 0; i < COUNT(odd); i++) {
        CHECK_TEXT(reason_text((enum reason)odd[i]), "internal");
        CHECK_INT(reason_exit_code((enum reason)odd[i]), 125);
    }
}
