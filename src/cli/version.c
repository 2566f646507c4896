/* cli/version.c -- glovebox version.  SPDX-License-Identifier: MIT */
#include "cli/version.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/trial.h"
#include "wire/messages.h"

#include <string.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

const char *build_flavour(void)
{
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
    return "SANITIZED (address): a test build, slow, and its memory has no limit";
#elif defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
    return "SANITIZED (thread): a test build, slow";
#elif __has_feature(memory_sanitizer)
    return "SANITIZED (memory): a test build, slow";
#else
    return "";
#endif
}

struct version_options {
    int json;
};

static const struct option rows[] = {
    { "json", 0, OPTION_FLAG, NULL, "as JSON",
      offsetof(struct version_options, json) },
    { NULL }
};

static void as_json(struct buf *out, const struct trial *trial,
                    const struct err *e)
{
    const struct { const char *key, *text; } texts[] = {
        { "version", GLOVEBOX_VERSION }, { "engine", trial->engine },
        { "engine_id", trial->engine_id }, { "flavour", build_flavour() },
        { "problem", e->msg },
    };
    json_open(out, '{');
    for (size_t i = 0; i < COUNT(texts); i++) {
        json_key(out, texts[i].key);
        if (texts[i].text[0])
            json_string(out, str_of(texts[i].text));
        else
            json_null(out);
    }
    json_key(out, "wire_version");
    json_u64(out, WIRE_VERSION);
    json_close(out, '}');
    buf_adds(out, "\n");
}

static void as_text(struct buf *out, const struct trial *trial,
                    const struct err *e)
{
    buf_addf(out, "glovebox %s\n", GLOVEBOX_VERSION);
    buf_addf(out, "engine   %s\n", trial->engine[0] ? trial->engine : "none");
    if (trial->engine_id[0])
        buf_addf(out, "id       %s\n", trial->engine_id);
    buf_addf(out, "wire     %d\n", WIRE_VERSION);
    if (build_flavour()[0])
        buf_addf(out, "BUILD    %s\n", build_flavour());
    if (e->code)
        buf_addf(out, "problem  %s\n", e->msg);
}

static int run(const struct command *c, int argc, char **argv)
{
    struct version_options o = { 0 };
    struct texts operands = { 0 };
    int code = command_options(c, argc, argv, &o, &operands);
    if (code >= 0)
        return code;
    struct term t;
    struct trial trial;
    struct err e = { 0 };
    term_init(&t, 0);
    trial_greet(&trial, &e);
    AUTO_BUF out;
    buf_init(&out, 8192);
    if (o.json)
        as_json(&out, &trial, &e);
    else
        as_text(&out, &trial, &e);
    term_put(&t, TO_STDOUT, buf_str(&out));
    return e.code || t.broken ? EXIT_OURS : 0;
}

const struct command command_version = {
    .name = "version",
    .usage = "version [--json]",
    .summary = "Say which glovebox and which engine this is",
    .options = rows,
    .run = run,
};
