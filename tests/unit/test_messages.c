/* tests/unit/test_messages.c -- the messages.  SPDX-License-Identifier: MIT */
#include "tests/recode.h"
#include "tests/test.h"

#include <errno.h>

static struct module_source room[MAX_MODULES];

static struct str body_of(const struct buf *frame)
{
    CHECK_INT(frame->failed, 0);
    CHECK(frame->len >= FRAME_HEAD_BYTES);
    return (struct str){ frame->at + FRAME_HEAD_BYTES,
                         frame->len - FRAME_HEAD_BYTES };
}

/* An example of a message whose bytes a test may change. */
static struct str sample_body(struct buf *b, uint32_t type)
{
    buf_clear(b);
    sample(type, b);
    return body_of(b);
}

/* --- the tables ----------------------------------------------------------- */

TEST(each_message_goes_one_way)
{
    for (size_t i = 0; i < COUNT(message_types); i++) {
        uint32_t t = message_types[i];
        CHECK(!message_from_worker(t) != !message_to_worker(t));
    }
    CHECK_TEXT(message_from_worker(MSG_RESULT)->name, "RESULT");
    CHECK_INT(message_from_worker(MSG_RESULT)->phases, PHASE_RUNNING);
    CHECK_INT(message_to_worker(MSG_RUN)->max_body, MAX_RUN_BYTES);
}

TEST(unknown_types_have_no_row)
{
    static const uint32_t odd[] = { 0, 11, 31, 40, 1000, UINT32_MAX };
    for (size_t i = 0; i < COUNT(odd); i++) {
        CHECK(message_from_worker(odd[i]) == NULL);
        CHECK(message_to_worker(odd[i]) == NULL);
    }
}

TEST(no_default_limit_is_above_its_ceiling)
{
#define X(field, name, initial, ceiling)                                  \
    CHECK(run_limits_default.field > 0);                                   \
    CHECK(run_limits_default.field <= run_limits_ceiling.field);
    RUN_LIMITS(X)
#undef X
    CHECK_INT(run_limits_default.memory_bytes, 128 << 20);
}

/* --- there and back ------------------------------------------------------- */

TEST(every_message_survives_the_trip)
{
    AUTO_BUF a, b;
    buf_init(&a, 1 << 20);
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < COUNT(message_types); i++) {
        uint32_t t = message_types[i];
        struct str body = sample_body(&a, t);
        struct frame_head h;
        CHECK_INT(frame_head_read((unsigned char *)a.at, &h), 0);
        CHECK(h.type == t && h.len == body.len);
        buf_clear(&b);
        CHECK_INT(recode(t, body, room, &b), 0);
        CHECK(a.len == b.len && memcmp(a.at, b.at, a.len) == 0);
    }
}

TEST(a_result_comes_back_field_by_field)
{
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    struct msg_result m;
    CHECK_INT(get_result(sample_body(&b, MSG_RESULT), &m), 0);
    CHECK_INT(m.id, 1);
    CHECK_INT(m.reason, REASON_EXCEPTION);
    CHECK_INT(m.limit, LIMIT_NONE);
    CHECK(str_is(m.value, "{\"a\":1}") && str_is(m.exports, "{}"));
    CHECK(str_is(m.error_name, "TypeError") && str_is(m.file, "main.js"));
    CHECK(m.line == 1 && m.column == 2 && str_is(m.detail, "trap"));
    CHECK(m.wall_ns == 3 && m.cpu_ns == 4 && m.memory_peak_bytes == 5);
    CHECK(m.stdout_bytes == 6 && m.stderr_bytes == 7 && m.state_lost == 1);
}

TEST(a_run_comes_back_with_limits_and_modules)
{
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    struct msg_run m;
    CHECK_INT(get_run(sample_body(&b, MSG_RUN), room, COUNT(room), &m), 0);
    CHECK(m.id == 7 && m.cell == 1 && m.seed == 9 && m.clock_ns == 10);
    CHECK_INT(m.flags, RUN_DISPLAY | RUN_SETUP);
    CHECK_INT(m.mode, MODE_MODULE);
    CHECK(!memcmp(&m.limits, &run_limits_default, sizeof m.limits));
    CHECK(str_is(m.source, "1 + 1") && str_is(m.input, "null"));
    CHECK_INT(m.modules, 2);
    CHECK(m.module == room);
    CHECK(str_is(m.module[0].name, "./a.js"));
    CHECK(str_is(m.module[1].name, "b") && m.module[1].source.len == 0);
}

TEST(a_cut_message_is_refused_wherever_it_is_cut)
{
    AUTO_BUF a, b;
    buf_init(&a, 1 << 20);
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < COUNT(message_types); i++) {
        struct str body = sample_body(&a, message_types[i]);
        for (size_t n = 0; n < body.len; n++) {
            struct str cut = { body.at, n };
            CHECK_INT(recode(message_types[i], cut, room, &b), -EPROTO);
        }
    }
    CHECK_INT(b.len, 0);
}

TEST(a_message_with_one_byte_too_many_is_refused)
{
    AUTO_BUF a, b;
    buf_init(&a, 1 << 20);
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < COUNT(message_types); i++) {
        sample_body(&a, message_types[i]);
        buf_add(&a, "", 1);
        CHECK_INT(recode(message_types[i], body_of(&a), room, &b), -EPROTO);
    }
}

/* Whatever one changed byte means, it is refused or comes back unchanged. */
TEST(no_changed_byte_is_read_as_something_else)
{
    AUTO_BUF a, b;
    buf_init(&a, 1 << 20);
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < COUNT(message_types); i++) {
        struct str body = sample_body(&a, message_types[i]);
        for (size_t at = 0; at < body.len * 256; at++) {
            char *byte = a.at + FRAME_HEAD_BYTES + at / 256, old = *byte;
            *byte = (char)at;
            buf_clear(&b);
            if (recode(message_types[i], body, room, &b) == 0)
                CHECK(a.len == b.len && !memcmp(a.at, b.at, a.len));
            *byte = old;
        }
    }
}

TEST(a_failed_get_leaves_out_alone)
{
    struct msg_hello m = { .version = 4711 };
    CHECK_INT(get_hello(STR("\1\0\0\0"), &m), -EPROTO);
    CHECK_INT(m.version, 4711);
    struct msg_run r = { .id = 4711 };
    CHECK_INT(get_run(STR("\1\0\0\0"), room, COUNT(room), &r), -EPROTO);
    CHECK_INT(r.id, 4711);
}

/* --- values out of range -------------------------------------------------- */

/* A good message whose body has a wrong byte at offset is refused. */
#define GET_REFUSES(name, message, offset, wrong) do {                    \
    AUTO_BUF b_;                                                          \
    buf_init(&b_, 1 << 20);                                               \
    struct msg_##name m_ = message, out_;                                 \
    put_##name(&b_, &m_);                                                 \
    CHECK_INT(get_##name(body_of(&b_), &out_), 0);                        \
    b_.at[FRAME_HEAD_BYTES + (offset)] = (char)(wrong);                   \
    CHECK_INT(get_##name(body_of(&b_), &out_), -EPROTO);                  \
} while (0)

#define PUT_REFUSES(name, code, ...) do {                                 \
    AUTO_BUF b_;                                                          \
    buf_init(&b_, 100 << 20);                                             \
    put_reset(&b_, &(struct msg_reset){ 1 });                             \
    size_t before_ = b_.len;                                              \
    put_##name(&b_, &(struct msg_##name){ __VA_ARGS__ });                 \
    CHECK_INT(b_.failed, code);                                           \
    CHECK_INT(b_.len, before_);    /* what came first stays whole */      \
} while (0)

TEST(a_stream_is_one_or_two)
{
    struct msg_output good = { .stream = 1 };
    GET_REFUSES(output, good, 0, 0);
    GET_REFUSES(output, good, 0, 3);
    PUT_REFUSES(output, -EPROTO, .stream = 0);
    PUT_REFUSES(output, -EPROTO, .stream = 3);
}

TEST(a_yes_or_no_is_one_or_zero)
{
    struct msg_loaded loaded = { .ok = 0 };
    struct msg_image image = { .last = 1 };
    GET_REFUSES(loaded, loaded, 0, 2);
    GET_REFUSES(image, image, 0, 255);
    PUT_REFUSES(loaded, -EPROTO, .ok = 2);
    PUT_REFUSES(image, -EPROTO, .last = 2);
    PUT_REFUSES(result, -EPROTO, .reason = 1, .state_lost = 2);
}

TEST(a_reason_is_on_the_list)
{
    struct msg_result good = { .reason = REASON_COMPLETED };
    enum { REASON_AT = 8, LIMIT_AT = 9 };
    GET_REFUSES(result, good, REASON_AT, 0);
    GET_REFUSES(result, good, REASON_AT, REASON_END);
    GET_REFUSES(result, good, REASON_AT, 255);
    GET_REFUSES(result, good, LIMIT_AT, LIMIT_NONE + 1);
    PUT_REFUSES(result, -EPROTO, .reason = 0);
    PUT_REFUSES(result, -EPROTO, .reason = REASON_END);
    PUT_REFUSES(result, -EPROTO, .reason = 1, .limit = LIMIT_NONE + 1);
}

TEST(a_run_has_only_known_flags_and_modes)
{
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    struct msg_run m;
    enum { FLAGS_AT = 12, MODE_AT = 16 };
    static const struct { size_t at; int wrong; } t[] = {
        { FLAGS_AT + 1, 4 }, { FLAGS_AT + 3, 0x80 },
        { MODE_AT, MODE_COUNT }, { MODE_AT, 255 },
    };
    for (size_t i = 0; i < COUNT(t); i++) {
        struct str body = sample_body(&b, MSG_RUN);
        CHECK_INT(get_run(body, room, COUNT(room), &m), 0);
        b.at[FRAME_HEAD_BYTES + t[i].at] = (char)t[i].wrong;
        CHECK_INT(get_run(body, room, COUNT(room), &m), -EPROTO);
    }
    PUT_REFUSES(run, -EPROTO, .flags = RUN_ALL + 1);
    PUT_REFUSES(run, -EPROTO, .flags = BIT(31));
    PUT_REFUSES(run, -EPROTO, .mode = MODE_COUNT);
}

/* --- sizes ---------------------------------------------------------------- */

static char zeros[MAX_SOURCE_BYTES + 1];

static struct str zeros_of(size_t len) { return (struct str){ zeros, len }; }

TEST(names_and_sources_end_at_their_caps)
{
    AUTO_BUF a, b;
    buf_init(&a, 100 << 20);
    buf_init(&b, 100 << 20);
    put_run(&a, &(struct msg_run){ .name = zeros_of(MAX_NAME_BYTES),
                                   .source = zeros_of(MAX_SOURCE_BYTES) });
    CHECK_INT(recode(MSG_RUN, body_of(&a), room, &b), 0);
    CHECK(a.len == b.len && !memcmp(a.at, b.at, a.len));

    struct module_source big = { .name = zeros_of(MAX_NAME_BYTES + 1) };
    PUT_REFUSES(run, -EPROTO, .name = zeros_of(MAX_NAME_BYTES + 1));
    PUT_REFUSES(run, -EPROTO, .source = zeros_of(MAX_SOURCE_BYTES + 1));
    PUT_REFUSES(run, -EPROTO, .modules = 1, .module = &big);
    PUT_REFUSES(load, -EPROTO, .base = zeros_of(MAX_NAME_BYTES + 1));
    PUT_REFUSES(load, -EPROTO, .name = zeros_of(MAX_NAME_BYTES + 1));
    PUT_REFUSES(loaded, -EPROTO, .text = zeros_of(MAX_SOURCE_BYTES + 1));
    PUT_REFUSES(output, -EPROTO, .stream = 1,
                .bytes = zeros_of(MAX_CHUNK_BYTES + 1));
    PUT_REFUSES(image, -EPROTO, .bytes = zeros_of(IMAGE_CHUNK_BYTES + 1));
    PUT_REFUSES(result, -EPROTO, .reason = 1,
                .file = zeros_of(MAX_NAME_BYTES + 1));
}

/* --- requests ---------------------------------------------------------------- */

#define GOOD_FETCH .method = STR("GET"), .url = STR("http://a/")

TEST(a_method_is_a_token)
{
    static const char *const bad[] = { "", "G T", "GET\r\nX: y", "G\tT", "G:", "\xc3\xa9" };
    for (size_t i = 0; i < COUNT(bad); i++)
        PUT_REFUSES(fetch, -EPROTO, .method = str_of(bad[i]), .url = STR("http://a/"));
    PUT_REFUSES(fetch, -EPROTO, .method = STR("G\0T"), .url = STR("http://a/"));
    char long_one[MAX_METHOD_BYTES + 2] = { 0 };
    memset(long_one, 'A', MAX_METHOD_BYTES + 1);
    PUT_REFUSES(fetch, -EPROTO, .method = str_of(long_one), .url = STR("http://a/"));
}

TEST(a_url_has_no_byte_that_could_end_it)
{
    static const struct str bad[] = {
        STR("http://a/ b"), STR("http://a/\r\nHost: b"), STR("http://a/\0"),
        STR("http://a/\x7f"), STR("http://\xc3\xa9/"),
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        PUT_REFUSES(fetch, -EPROTO, .method = STR("GET"), .url = bad[i]);
        PUT_REFUSES(fetch_denied, -EPROTO, .url = bad[i]);
        PUT_REFUSES(fetch_head, -EPROTO, .status = 200, .url = bad[i]);
    }
    PUT_REFUSES(fetch_denied, -EPROTO, .url = zeros_of(MAX_URL_BYTES + 1));
}

TEST(headers_cannot_smuggle_a_line)
{
    static const struct str bad[] = {
        STR("a"), STR("a\n"), STR("a\nb"), STR("\nb\n"), STR("a b\nc\n"),
        STR("a:\nc\n"), STR("a\nb\rc\n"), STR("a\nb\0c\n"), STR("a\0\nb\n"),
        STR("a\nb\nc\n"), STR("a\nb\n\n\n"), STR("\xe9\nb\n"),
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        PUT_REFUSES(fetch, -EPROTO, GOOD_FETCH, .headers = bad[i]);
        PUT_REFUSES(fetch_head, -EPROTO, .status = 200, .headers = bad[i]);
    }
    struct str all = STR("a\n\nB-c\n\xe9: x\n"), name, value;
    CHECK_INT(header_next(&all, &name, &value), 1);
    CHECK(str_is(name, "a") && value.len == 0);
    CHECK_INT(header_next(&all, &name, &value), 1);
    CHECK(str_is(name, "B-c") && str_is(value, "\xe9: x"));
    CHECK_INT(header_next(&all, &name, &value), 0);
}

TEST(headers_end_at_their_caps)
{
    AUTO_BUF b, out;
    buf_init(&b, 1 << 20);
    buf_init(&out, 1 << 20);
    for (int i = 0; i < MAX_HEADERS; i++)
        buf_adds(&b, "a\nb\n");
    put_fetch(&out, &(struct msg_fetch){ GOOD_FETCH, .headers = buf_str(&b) });
    CHECK_INT(out.failed, 0);
    buf_adds(&b, "a\nb\n");
    PUT_REFUSES(fetch, -EPROTO, GOOD_FETCH, .headers = buf_str(&b));
    buf_clear(&b);
    buf_adds(&b, "a\n");
    while (b.len <= MAX_HEADERS_BYTES)
        buf_adds(&b, "bbbbbbbb");
    buf_adds(&b, "\n");
    PUT_REFUSES(fetch, -EPROTO, GOOD_FETCH, .headers = buf_str(&b));
}

TEST(a_request_ends_at_its_caps)
{
    struct msg_fetch_head head = { .status = 200 };
    struct msg_fetch good = { GOOD_FETCH };
    enum { REDIRECT_AT = 4 + 4 + 3 + 4 + 9 + 4 };
    GET_REFUSES(fetch, good, REDIRECT_AT, REDIRECTS);
    GET_REFUSES(fetch_head, head, 4, 99);
    PUT_REFUSES(fetch, -EPROTO, GOOD_FETCH, .redirect = REDIRECTS);
    PUT_REFUSES(fetch, -EPROTO, GOOD_FETCH, .body = zeros_of(MAX_FETCH_BODY + 1));
    PUT_REFUSES(fetch_head, -EPROTO, .status = 99);
    PUT_REFUSES(fetch_head, -EPROTO, .status = 1000);
    PUT_REFUSES(fetch_head, -EPROTO, .status = 200, .redirected = 2);
    PUT_REFUSES(fetch_data, -EPROTO, .bytes = zeros_of(MAX_CHUNK_BYTES + 1));
    PUT_REFUSES(fetch_fail, -EPROTO, .message = zeros_of(MAX_NAME_BYTES + 1));
}

static struct str long_url(void)
{
    static char url[MAX_URL_BYTES];
    memset(url, 'u', sizeof url);
    return (struct str){ url, sizeof url };
}

TEST(the_largest_of_each_message_is_within_its_row)
{
    AUTO_BUF b;
    buf_init(&b, 200 << 20);
    struct str name = zeros_of(MAX_NAME_BYTES);
    put_output(&b, &(struct msg_output){ 1, zeros_of(MAX_CHUNK_BYTES) });
    put_load(&b, &(struct msg_load){ name, name });
    put_loaded(&b, &(struct msg_loaded){ 1, zeros_of(MAX_SOURCE_BYTES) });
    put_image(&b, &(struct msg_image){ 1, zeros_of(IMAGE_CHUNK_BYTES) });
    put_fetch(&b, &(struct msg_fetch){ .method = STR("GET"), .url = long_url(),
                                       .body = zeros_of(MAX_FETCH_BODY) });
    put_fetch_denied(&b, &(struct msg_fetch_denied){ long_url() });
    put_fetch_head(&b, &(struct msg_fetch_head){ .status = 200, .url = long_url(),
                                                 .status_text = name });
    put_fetch_data(&b, &(struct msg_fetch_data){ 1, zeros_of(MAX_CHUNK_BYTES) });
    put_fetch_fail(&b, &(struct msg_fetch_fail){ 1, name, name, name });
    CHECK_INT(b.failed, 0);
}

TEST(a_name_over_its_cap_is_refused_by_the_reader_too)
{
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    put_str(&b, zeros_of(MAX_NAME_BYTES + 1));
    put_str(&b, zeros_of(0));
    struct msg_load m;
    CHECK_INT(get_load(buf_str(&b), &m), -EPROTO);
}

TEST(a_body_over_its_row_is_neither_put_nor_read)
{
    PUT_REFUSES(fatal, -EMSGSIZE, .text = zeros_of(1021));
    PUT_REFUSES(hello, -EMSGSIZE, .engine = zeros_of(4000),
                .engine_id = zeros_of(4000));

    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    put_str(&b, zeros_of(1021));
    struct msg_fatal m;
    CHECK_INT(get_fatal(buf_str(&b), &m), -EPROTO);
    buf_clear(&b);
    put_str(&b, zeros_of(1020));
    CHECK_INT(get_fatal(buf_str(&b), &m), 0);
}

TEST(a_result_may_be_large_but_not_larger_than_its_row)
{
    static char much[MAX_RESULT_BYTES + (5 << 20)];
    struct str all = { much, sizeof much }, most = { much, MAX_RESULT_BYTES };
    PUT_REFUSES(result, -EMSGSIZE, .reason = 1, .value = all);
    AUTO_BUF b;
    buf_init(&b, 100 << 20);
    struct msg_result m = { .reason = 1, .value = most }, out;
    put_result(&b, &m);
    CHECK_INT(get_result(body_of(&b), &out), 0);
    CHECK_INT(out.value.len, MAX_RESULT_BYTES);
}

/* A run body up to and with its number of modules. */
static void run_head(struct buf *b, uint32_t modules)
{
    buf_clear(b);
    put_run(b, &(struct msg_run){ .id = 1 });
    buf_drop(b, FRAME_HEAD_BYTES);
    b->len -= 4;
    put_u32(b, modules);
}

TEST(more_modules_than_there_is_room_for_are_refused)
{
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    struct msg_run m;
    static const uint32_t many[] = { MAX_MODULES + 1, 1u << 31, UINT32_MAX };
    for (size_t i = 0; i < COUNT(many); i++) {
        run_head(&b, many[i]);
        CHECK_INT(get_run(buf_str(&b), room, COUNT(room), &m), -EMSGSIZE);
        CHECK_INT(get_run(buf_str(&b), room, SIZE_MAX, &m), -EMSGSIZE);
    }
    run_head(&b, 1);
    put_str(&b, STR("a"));
    put_str(&b, STR("b"));
    put_u8(&b, MODULE_JSON);
    CHECK_INT(get_run(buf_str(&b), NULL, 0, &m), -EMSGSIZE);
    CHECK_INT(get_run(buf_str(&b), room, 1, &m), 0);

    struct module_source none[1] = { 0 };
    PUT_REFUSES(run, -EMSGSIZE, .modules = MAX_MODULES + 1, .module = none);
    PUT_REFUSES(run, -EMSGSIZE, .modules = UINT32_MAX, .module = none);
}

TEST(announced_modules_that_are_not_there_are_refused)
{
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    struct msg_run m;
    run_head(&b, MAX_MODULES);
    CHECK_INT(get_run(buf_str(&b), room, COUNT(room), &m), -EPROTO);
    run_head(&b, 2);
    put_str(&b, STR("a"));
    put_str(&b, STR("b"));
    CHECK_INT(get_run(buf_str(&b), room, COUNT(room), &m), -EPROTO);
    run_head(&b, 1);
    put_u32(&b, 0xFFFFFFF0);
    CHECK_INT(get_run(buf_str(&b), room, COUNT(room), &m), -EPROTO);
}
