/* tests/unit/test_result.c -- env/result.h
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "env/result.h"
#include "jail/jail.h"
#include "tests/test.h"

#include <errno.h>

static struct run_result fresh(void)
{
    struct run_result r;
    result_init(&r, &run_limits_default);
    return r;
}

static struct msg_result message(enum reason reason)
{
    return (struct msg_result){ .reason = (uint8_t)reason, .limit = LIMIT_NONE };
}

/* The JSON of a result, checked, as a C string; freed with the test. */
static char *json_of(const struct run_result *r, enum json_layout layout)
{
    struct buf out;
    buf_init(&out, 64 << 20);
    result_json(&out, r, layout);
    CHECK(!out.failed && json_check(buf_str(&out), NULL) == 0);
    buf_add(&out, "", 1);
    return out.at;
}

static int has(const struct run_result *r, const char *part)
{
    char *json = json_of(r, JSON_COMPACT);
    int found = strstr(json, part) != NULL;
    if (!found)
        printf("# %s\n", json);
    free(json);
    return found;
}

TEST(an_empty_result_has_every_key)
{
    static const char *const keys[] = {
        "id", "ok", "status", "value", "exports", "stdout", "stderr", "exit_code",
        "termination", "reason", "limit", "limit_value", "observed", "location",
        "hint", "error", "usage", "wall_ms", "cpu_ms", "memory_peak_mb",
        "output_bytes", "calls", "egress_bytes", "truncated", "denials",
        "findings", "files", "files_skipped", "walls", "engine", "started_as",
        "fallback", "counted_by", "environment",
    };
    struct run_result r = fresh();
    for (size_t i = 0; i < COUNT(keys); i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\":", keys[i]);
        CHECK(has(&r, quoted));
    }
    result_free(&r);
}

TEST(ids_differ_and_have_their_form)
{
    struct run_result a = fresh(), b = fresh();
    CHECK(strncmp(a.id, "exec_", 5) == 0 && strlen(a.id) == 25);
    CHECK(strspn(a.id + 5, "abcdefghijkmnpqrstuvwxyz23456789") == 20);
    CHECK(strcmp(a.id, b.id) != 0);
    result_free(&a);
    result_free(&b);
}

TEST(a_value_is_embedded_as_it_is)
{
    struct run_result r = fresh();
    struct msg_result m = message(REASON_COMPLETED);
    m.value = STR("{\"n\":12345678901234567890.10}");
    m.exports = STR("{\"x\":[1]}");
    CHECK(result_take(&r, &m, NULL) == 0);
    CHECK(has(&r, "\"value\":{\"n\":12345678901234567890.10},\"exports\":{\"x\":[1]}"));
    CHECK(has(&r, "\"ok\":true,\"status\":\"completed\"") && has(&r, "\"error\":null"));
    result_free(&r);
}

TEST(a_value_that_is_not_json_is_refused)
{
    static const char *const bad[] = { "{", "1,\"ok\":true", "\"\\x\"", "NaN", "\"\xff\"" };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct run_result r = fresh();
        struct err e = { 0 };
        struct msg_result m = message(REASON_COMPLETED);
        m.value = str_of(bad[i]);
        CHECK(result_take(&r, &m, &e) == -EPROTO && strstr(e.msg, "malformed value"));
        m.value = STR("1");
        m.exports = str_of(bad[i]);
        CHECK(result_take(&r, &m, &e) == -EPROTO && strstr(e.msg, "exports"));
        result_free(&r);
    }
}

TEST(a_value_of_a_failed_run_or_past_its_limit_is_refused)
{
    struct run_result r = fresh();
    struct msg_result m = message(REASON_EXCEPTION);
    m.value = STR("1");
    CHECK(result_take(&r, &m, NULL) == -EPROTO);
    r.limits.result_bytes = 6;
    m = message(REASON_COMPLETED);
    m.value = STR("[1,2]");
    m.exports = STR("{}");
    CHECK(result_take(&r, &m, NULL) == -EPROTO);
    r.limits.result_bytes = 7;
    CHECK(result_take(&r, &m, NULL) == 0);
    result_free(&r);
}

TEST(endings_that_are_not_a_workers_to_give_are_refused)
{
    static const enum reason ours[] = {
        REASON_CANCELLED, REASON_LOST, REASON_SYSCALL_DENIED,
        REASON_APPROVAL_PENDING, REASON_NONZERO_EXIT,
    };
    for (size_t i = 0; i < COUNT(ours); i++) {
        struct run_result r = fresh();
        struct msg_result m = message(ours[i]);
        CHECK(result_take(&r, &m, NULL) == -EPROTO);
        result_free(&r);
    }
}

TEST(endings_that_are_not_a_guests_to_give_are_refused)
{
    static const enum reason ours[] = {
        REASON_CANCELLED, REASON_LOST, REASON_SYSCALL_DENIED, REASON_INTERNAL,
        REASON_CRASHED, REASON_WALL_TIME_LIMIT, REASON_CPU_TIME_LIMIT,
        REASON_OUTPUT_LIMIT, REASON_APPROVAL_PENDING,
    };
    for (size_t i = 0; i < COUNT(ours); i++) {
        struct run_result r = fresh();
        struct msg_result m = message(ours[i]);
        CHECK(result_take_guest(&r, &m, NULL) == -EPROTO);
        result_free(&r);
    }
}

TEST(of_what_a_guest_says_the_last_counts)
{
    struct run_result r = fresh();
    struct msg_result m = message(REASON_EXCEPTION);
    m.error_name = STR("TypeError");
    m.cpu_ns = 12345;
    CHECK(result_take_guest(&r, &m, NULL) == 0);
    m = message(REASON_COMPLETED);
    m.value = STR("[1]");
    CHECK(result_take_guest(&r, &m, NULL) == 0);
    CHECK(result_ok(&r) && str_is(r.value, "[1]") && !r.error_name.len);
    CHECK(r.cpu_ns == 0);    /* that we count ourselves */
    result_drop_value(&r);
    CHECK(!r.value.len);
    result_free(&r);
}

TEST(denials_are_counted_and_cut)
{
    struct run_result r = fresh();
    char subject[2000];
    memset(subject, 'x', sizeof subject);
    struct msg_denied m = { STR("net"), STR("example.com"), STR("deny"), STR("") };
    result_deny(&r, &m);
    result_deny(&r, &m);
    m.subject = (struct str){ subject, sizeof subject };
    result_deny(&r, &m);
    CHECK_INT(r.denials, 2);
    CHECK(has(&r, "\"denials\":[{\"what\":\"net\",\"subject\":\"example.com\","
                  "\"rule\":\"deny\",\"hint\":null,\"count\":2},"));
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        m.subject = str_of(name);
        result_deny(&r, &m);
    }
    CHECK_INT(r.denials, RESULT_MAX_DENIALS);
    CHECK_INT(r.denials_lost, 100 + 2 - RESULT_MAX_DENIALS);
    result_free(&r);
}

TEST(a_text_is_not_cut_through_a_character)
{
    struct run_result r = fresh();
    char what[100];
    for (size_t i = 0; i < sizeof what; i += 2)
        memcpy(what + i, "\xc3\xa4", 2);
    struct msg_denied m = { .what = { what, sizeof what } };
    result_deny(&r, &m);
    CHECK_INT(strlen(r.denial[0].what) % 2, 0);
    result_free(&r);
}

TEST(node_and_python_have_words_and_codes_of_their_own)
{
    struct run_result r = fresh();
    r.engine = ENGINE_PYTHON;
    r.exit_code = 139;
    r.started_as = AS_SPARE;
    r.counted_by = BY_CGROUP_V2;
    r.egress_bytes = 77;
    result_end(&r, REASON_CRASHED, "it died of SIGSEGV");
    CHECK(has(&r, "\"message\":\"the program crashed: it died of SIGSEGV\""));
    CHECK(has(&r, "\"exit_code\":139") && has(&r, "\"engine\":\"python\""));
    CHECK(has(&r, "\"started_as\":\"spare\",\"fallback\":null"));
    CHECK(has(&r, "\"egress_bytes\":77,\"counted_by\":\"cgroup v2\""));
    result_end(&r, REASON_WALL_TIME_LIMIT, NULL);
    CHECK(has(&r, "\"exit_code\":124"));    /* ours, not the guest's */
    r.limit = LIMIT_processes;
    result_end(&r, REASON_PROCESS_LIMIT, NULL);
    CHECK(has(&r, "more than 64 processes") && has(&r, "--max-processes"));
    result_free(&r);
}

TEST(files_are_told_and_why_some_are_not)
{
    struct run_result r = fresh();
    r.files.file = calloc(1, sizeof *r.files.file);
    r.files.file[0] = (struct file_entry){ .path = strdup("out.csv"), .bytes = 12 };
    r.files.files = 1;
    r.files.skipped[SKIP_LINK] = 2;
    CHECK(has(&r, "\"files\":[{\"path\":\"out.csv\",\"bytes\":12}],"
                  "\"files_skipped\":{\"links\":2}"));
    result_free(&r);
}

TEST(what_was_taken_does_not_borrow)
{
    struct run_result r = fresh();
    char value[] = "[1,2,3]", name[] = "TypeError";
    struct msg_result m = message(REASON_COMPLETED);
    m.value = str_of(value);
    m.error_name = str_of(name);
    CHECK(result_take(&r, &m, NULL) == 0);
    memset(value, '#', sizeof value - 1);
    memset(name, '#', sizeof name - 1);
    CHECK(str_is(r.value, "[1,2,3]") && str_is(r.error_name, "TypeError"));
    result_free(&r);
}

TEST(limits_are_said_in_the_unit_of_their_name)
{
    struct run_result r = fresh();
    r.limits.memory_bytes = 64 * MIB;
    struct msg_result m = message(REASON_MEMORY_LIMIT);
    m.limit = LIMIT_memory_bytes;
    m.observed = 64 * MIB + 100 * KIB;
    CHECK(result_take(&r, &m, NULL) == 0);
    CHECK(has(&r, "\"limit\":\"memory_mb\",\"limit_value\":64,\"observed\":64.1"));
    CHECK(has(&r, "\"message\":\"the program held more than 64 MB\""));
    CHECK(has(&r, "--memory") && has(&r, "\"exit_code\":137"));
    AUTO_BUF text;
    buf_init(&text, 100);
    result_limit_text(&r, &text);
    CHECK(str_is(buf_str(&text), "memory_mb 64"));
    result_free(&r);
}

TEST(output_is_kept_up_to_the_limit_of_both_together)
{
    struct run_limits limits = run_limits_default;
    struct run_result r;
    limits.output_bytes = 10;
    result_init(&r, &limits);
    CHECK(result_output(&r, OUT_STDOUT, STR("abcdef")).len == 6);
    CHECK(result_output(&r, OUT_STDERR, STR("123456")).len == 4);
    CHECK(result_output(&r, OUT_STDOUT, STR("more")).len == 0);
    CHECK(has(&r, "\"stdout\":\"abcdef\",\"stderr\":\"1234\""));
    CHECK(has(&r, "\"truncated\":{\"stdout\":true,\"stdout_total_bytes\":10,"
                  "\"stderr\":true,\"stderr_total_bytes\":6}"));
    result_free(&r);
}

TEST(output_that_is_not_utf8_becomes_replacement_characters)
{
    struct run_result r = fresh();
    result_output(&r, OUT_STDOUT, STR("a\xff" "b\0c\x1b"));
    CHECK(has(&r, "\"stdout\":\"a\xef\xbf\xbd" "b\\u0000c\\u001b\""));
    result_free(&r);
}

TEST(a_location_is_there_only_if_known)
{
    struct run_result r = fresh();
    struct msg_result m = message(REASON_EXCEPTION);
    m.file = STR("main.js");
    CHECK(result_take(&r, &m, NULL) == 0 && has(&r, "\"location\":null"));
    result_free(&r);
    r = fresh();
    m.line = 3;
    m.column = 5;
    CHECK(result_take(&r, &m, NULL) == 0);
    CHECK(has(&r, "\"location\":{\"file\":\"main.js\",\"line\":3,\"column\":5}"));
    result_free(&r);
}

TEST(our_endings_carry_their_detail)
{
    struct run_result r = fresh();
    result_end(&r, REASON_CRASHED, "it died of SIGSEGV");
    CHECK(has(&r, "\"code\":\"crashed\",\"name\":null,"
                  "\"message\":\"the worker crashed: it died of SIGSEGV\""));
    CHECK(has(&r, "\"status\":\"failed\""));
    result_end(&r, REASON_CANCELLED, NULL);
    CHECK(has(&r, "\"status\":\"cancelled\"") && result_exit_code(&r) == 130);
    result_free(&r);
}

TEST(every_reason_has_a_sentence_and_an_exit_code)
{
    for (int reason = REASON_COMPLETED; reason < REASON_END; reason++) {
        struct run_result r = fresh();
        AUTO_BUF out;
        buf_init(&out, 1024);
        result_end(&r, (enum reason)reason, NULL);
        result_sentence(&r, &out);
        CHECK(out.len > 5 && !memchr(out.at, '%', out.len));
        CHECK(result_exit_code(&r) >= 0 && result_exit_code(&r) < 256);
        CHECK(result_ok(&r) == (result_exit_code(&r) == 0));
        result_free(&r);
    }
}

TEST(walls_are_named)
{
    struct run_result r = fresh();
    r.walls = WALL_SFI | WALL_SECCOMP | BIT(31);
    CHECK(has(&r, "\"walls\":[\"sfi\",\"seccomp\"]"));
    result_free(&r);
}

TEST(pretty_json_says_the_same)
{
    struct run_result r = fresh();
    struct msg_result m = message(REASON_COMPLETED);
    m.value = STR("{\"a\":[],\"b\":{},\"c\":\"{[,:\\\" \\\\\",\"d\":[1,[2]]}");
    CHECK(result_take(&r, &m, NULL) == 0);
    char *json = json_of(&r, JSON_PRETTY);
    CHECK(strstr(json, "{\n  \"id\": \"exec_"));
    CHECK(strstr(json, "    \"c\": \"{[,:\\\" \\\\\",\n    \"d\": [\n      1,"));
    free(json);
    result_free(&r);
}

TEST(a_free_result_may_be_freed_again)
{
    struct run_result r = fresh();
    result_free(&r);
    result_free(&r);
    struct run_result zero = { 0 };
    result_free(&zero);
}
