/*
 * tests/recode.h -- every message, once more: an example of each, and how to
 * read it and write it again. For the unit tests, the fuzzer and its seeds.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "wire/messages.h"

#define FIXED_MESSAGES(M)                                                 \
    M(HELLO,  hello,  { .version = WIRE_VERSION, .walls = 5, .cells = 4,  \
                        .engine = STR("quickjs-ng"),                      \
                        .engine_id = STR("0123abcd") })                   \
    M(OUTPUT, output, { .stream = 2, .bytes = STR("a\0b") })              \
    M(LOAD,   load,   { .base = STR("main.js"), .name = STR("./x.js") })  \
    M(LOADED, loaded, { .ok = 1, .text = STR("export default 1") })       \
    M(RESULT, result, { .id = 1, .reason = REASON_EXCEPTION,              \
                        .limit = LIMIT_NONE, .value = STR("{\"a\":1}"),   \
                        .exports = STR("{}"), .display = STR("{ a: 1 }"), \
                        .error_name = STR("TypeError"),                   \
                        .error_message = STR("x is not a function"),      \
                        .error_stack = STR("at main.js:1:2"),             \
                        .error_printed = STR("TypeError"),                \
                        .file = STR("main.js"), .line = 1, .column = 2,   \
                        .detail = STR("trap"), .wall_ns = 3, .cpu_ns = 4, \
                        .memory_peak_bytes = 5, .stdout_bytes = 6,        \
                        .stderr_bytes = 7, .state_lost = 1 })             \
    M(DUMP,   dump,   { .cell = 3 })                                      \
    M(IMAGE,  image,  { .last = 1, .bytes = STR("\0asm") })               \
    M(RESET,  reset,  { .cell = 3 })                                      \
    M(FATAL,  fatal,  { .text = STR("cannot map the image") })            \
    M(FETCH,  fetch,  { .call = 3, .method = STR("POST"),                 \
                        .url = STR("https://example.com/a?b"),            \
                        .headers = STR("accept\n*/*\nx-a\n\n"),           \
                        .redirect = REDIRECT_MANUAL,                      \
                        .body = STR("a\0b") })                            \
    M(FETCH_ABORT, fetch_abort, { .call = 3 })                            \
    M(FETCH_MORE, fetch_more, { .call = 3, .bytes = 65536 })              \
    M(FETCH_DENIED, fetch_denied, { .url = STR("http://example.com/") })  \
    M(FETCH_HEAD, fetch_head, { .call = 3, .status = 404,                 \
                        .status_text = STR("Not Found"),                  \
                        .url = STR("https://example.com/c"),              \
                        .redirected = 1,                                  \
                        .headers = STR("content-type\ntext/plain\n") })   \
    M(FETCH_DATA, fetch_data, { .call = 3, .bytes = STR("\0\xff") })      \
    M(FETCH_END, fetch_end, { .call = 3 })                                \
    M(FETCH_FAIL, fetch_fail, { .call = 3, .code = STR("EACCES"),         \
                        .message = STR("EACCES: permission denied"),      \
                        .hint = STR("allow it") })

static const uint32_t message_types[] = {
#define X(NAME, number, max, phases) number,
    FROM_WORKER(X)
    TO_WORKER(X)
#undef X
};

static inline struct msg_run sample_run_message(void)
{
    static const struct module_source modules[] = {
        { STR("./a.js"), STR("export let a = 1") }, { STR("b"), STR("") },
    };
    return (struct msg_run){
        .id = 7, .cell = 1, .flags = RUN_DISPLAY | RUN_SETUP,
        .mode = MODE_MODULE, .limits = run_limits_default, .seed = 9,
        .clock_ns = 10, .name = STR("main.js"), .source = STR("1 + 1"),
        .input = STR("null"), .secrets = STR("{}"), .modules = 2,
        .module = modules,
    };
}

/* Appends an example frame of that type; nothing for an unknown type. */
static inline void sample(uint32_t type, struct buf *b)
{
    if (type == MSG_RUN) {
        struct msg_run m = sample_run_message();
        put_run(b, &m);
    }
#define M(NAME, name, ...)                                                \
    if (type == MSG_##NAME) {                                             \
        struct msg_##name m = __VA_ARGS__;                                \
        put_##name(b, &m);                                                \
    }
    FIXED_MESSAGES(M)
#undef M
}

/* Reads a body as that type and appends it as a new frame. Returns what get_X
 * returned; the frame is then b's last. */
static inline int recode(uint32_t type, struct str body,
                         struct module_source room[MAX_MODULES], struct buf *b)
{
    int r = -1;
    if (type == MSG_RUN) {
        struct msg_run m;
        r = get_run(body, room, MAX_MODULES, &m);
        if (r == 0)
            put_run(b, &m);
    }
#define M(NAME, name, ...)                                                \
    if (type == MSG_##NAME) {                                             \
        struct msg_##name m;                                              \
        r = get_##name(body, &m);                                         \
        if (r == 0)                                                       \
            put_##name(b, &m);                                            \
    }
    FIXED_MESSAGES(M)
#undef M
    return r;
}
