/* env/result.c -- how a run ended.  SPDX-License-Identifier: MIT */
#include "env/result.h"
#include "base/json.h"
#include "jail/jail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* ---- what is said about each ending --------------------------------------- */

/* %s is the limit with its unit. */
static const struct ending {
    const char *sentence, *hint;
} endings[REASON_END] = {
    [REASON_EXCEPTION]    = { "the program threw an error", NULL },
    [REASON_NONZERO_EXIT] = { "the program ended with a code", NULL },
    [REASON_SYNTAX_ERROR] = { "the program cannot be parsed", NULL },
    [REASON_WALL_TIME_LIMIT] = {
        "the program was still running after %s",
        "raise it with --timeout, or do less in one run" },
    [REASON_CPU_TIME_LIMIT] = {
        "the program computed for more than %s",
        "raise it with --cpu, or compute less" },
    [REASON_MEMORY_LIMIT] = {
        "the program held more than %s",
        "raise it with --memory, or hold less at once" },
    [REASON_STACK_OVERFLOW] = {
        "the calls of the program nested too deep for its stack",
        "look for a recursion without an end, or use a loop" },
    [REASON_OUTPUT_LIMIT] = {
        "the program wrote more than %s",
        "raise it with --max-output, or print less" },
    [REASON_CALL_LIMIT] = {
        "the program asked for more than %s",
        "raise it with --max-timers or --max-module-loads, or wait for some "
        "before starting more" },
    [REASON_RESULT_TOO_LARGE] = {
        "the value of the program is larger than %s",
        "raise it with --max-result, or return less" },
    [REASON_SYSCALL_DENIED] = {
        "the worker made a system call outside its list and was killed",
        "an attack, or a bug in glovebox: keep the program and report it" },
    [REASON_POLICY_DENIED] = { "the program asked for what it may not have", NULL },
    [REASON_NEVER_SETTLED] = {
        "the program waits for something that can no longer happen",
        "look for a promise whose resolve() is never called" },
    [REASON_CANCELLED] = { "the run was cancelled", NULL },
    [REASON_CRASHED] = {
        "the worker crashed",
        "the engine failed; if it happens again, keep the program and report it" },
    [REASON_LOST] = {
        "the worker was killed from outside",
        "is the host out of memory? nothing is known about this run" },
    [REASON_INTERNAL] = { "glovebox failed", "see glovebox doctor" },
};

/* Where it is another story for node and python; the rest is as above. */
static const struct ending guest_endings[REASON_END] = {
    [REASON_NONZERO_EXIT] = { "the program reported a failure", NULL },
    [REASON_CALL_LIMIT]   = { "the program asked for more than %s", NULL },
    [REASON_PROCESS_LIMIT] = {
        "the program wanted more than %s, threads among them",
        "raise it with --max-processes, or start fewer at once" },
    [REASON_DISK_LIMIT] = {
        "the program wrote more than %s",
        "raise it with --disk, --max-files or --max-file, or keep less" },
    [REASON_SYSCALL_DENIED] = {
        "the program made a system call that is not allowed and was ended",
        "denials names the call; programs of these runtimes do not need it" },
    [REASON_CRASHED] = {
        "the program crashed",
        "native code failed: an extension, the runtime, or the program killed "
        "itself" },
    [REASON_LOST] = {
        "the zygote of the run is gone",
        "is the host out of memory? nothing is known about this run" },
};

static const struct ending *ending_of(const struct run_result *r)
{
    const struct ending *own = &guest_endings[r->reason];
    return r->engine != ENGINE_JS && own->sentence ? own : &endings[r->reason];
}

/* How each limit is said: by its name and in the unit of that name. */
static const struct limit_row {
    const char *unit;
    size_t      offset;
    uint64_t    per_unit;
} limit_rows[] = {
#define ROW(field, unit, per) \
    [LIMIT_##field] = { unit, offsetof(struct run_limits, field), per }
    ROW(wall_time_ms, "ms", 1),            ROW(cpu_time_ms, "ms", 1),
    ROW(memory_bytes, "MB", MIB),          ROW(stack_bytes, "KB", KIB),
    ROW(output_bytes, "bytes", 1),         ROW(result_bytes, "bytes", 1),
    ROW(timers, "timers", 1),              ROW(module_loads, "module loads", 1),
    ROW(processes, "processes", 1),        ROW(open_files, "open files", 1),
    ROW(disk_bytes, "MB", MIB),            ROW(files, "files", 1),
    ROW(file_bytes, "MB", MIB),            ROW(cpus, "CPUs", 1),
    ROW(egress_bytes, "bytes", 1),
#undef ROW
};
_Static_assert(COUNT(limit_rows) == LIMIT_NONE, "a row for every limit");

static const char *limit_name(enum run_limit limit)
{
    static const char *const names[] = {
#define X(field, name, initial, ceiling) [LIMIT_##field] = name,
        RUN_LIMITS(X)
#undef X
    };
    return names[limit];
}

static uint64_t limit_value(const struct run_result *r)
{
    uint64_t v;
    memcpy(&v, (const char *)&r->limits + limit_rows[r->limit].offset, sizeof v);
    return v;
}

/* A quantity in the unit of the limit: whole, or with one decimal. */
static void quantity(struct buf *out, enum run_limit limit, uint64_t v)
{
    uint64_t per = limit_rows[limit].per_unit;
    if (v % per == 0)
        json_u64(out, v / per);
    else
        json_real(out, (double)v / (double)per, 1);
}

int result_ok(const struct run_result *r)
{
    return r->reason == REASON_COMPLETED;
}

int result_exit_code(const struct run_result *r)
{
    int code = reason_exit_code(r->reason);
    /* Where the guest failed by itself, its own code says more than ours. */
    if (r->exit_code > 0 && (code < 0 || code == 1))
        return r->exit_code;
    return code < 0 ? 1 : code;
}

const char *result_hint(const struct run_result *r)
{
    return ending_of(r)->hint;
}

void result_limit_text(const struct run_result *r, struct buf *out)
{
    if (r->limit == LIMIT_NONE)
        return;
    buf_addf(out, "%s ", limit_name(r->limit));
    quantity(out, r->limit, limit_value(r));
}

void result_sentence(const struct run_result *r, struct buf *out)
{
    const char *text = ending_of(r)->sentence;
    const char *hole = text ? strstr(text, "%s") : NULL;
    if (!text)
        text = reason_text(r->reason);
    buf_add(out, text, hole ? (size_t)(hole - text) : strlen(text));
    if (hole && r->limit == LIMIT_NONE)
        buf_adds(out, "it may");
    if (hole && r->limit != LIMIT_NONE) {
        quantity(out, r->limit, limit_value(r));
        buf_addf(out, " %s", limit_rows[r->limit].unit);
    }
    if (hole)
        buf_adds(out, hole + 2);
    if (r->detail[0])
        buf_addf(out, ": %s", r->detail);
}

/* ---- collecting ----------------------------------------------------------- */

/* 100 random bits, in an alphabet without look-alikes in one case. */
static void new_id(char *out)
{
    static const char alphabet[] = "abcdefghijkmnpqrstuvwxyz23456789";
    unsigned char random[20];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        memset(random, 0, sizeof random);
    memcpy(out, "exec_", 5);
    for (size_t i = 0; i < sizeof random; i++)
        out[5 + i] = alphabet[random[i] % 32];
    out[5 + sizeof random] = '\0';
}
_Static_assert(5 + 20 + 1 == RESULT_ID_BYTES, "an id fits");

void result_init(struct run_result *r, const struct run_limits *limits)
{
    *r = (struct run_result){ .reason = REASON_INTERNAL, .limit = LIMIT_NONE,
                              .limits = *limits, .exit_code = -1 };
    new_id(r->id);
    buf_init(&r->text, MAX_RESULT_BYTES + (8 << 20));
    for (int i = 0; i < OUT_STREAMS; i++)
        buf_init(&r->output[i], limits->output_bytes);
}

void result_free(struct run_result *r)
{
    buf_free(&r->text);
    for (int i = 0; i < OUT_STREAMS; i++)
        buf_free(&r->output[i]);
    free(r->denial);
    r->denial = NULL;
    r->denials = 0;
    file_list_free(&r->files);
}

struct str result_output(struct run_result *r, int stream, struct str bytes)
{
    struct buf *b = &r->output[stream];
    uint64_t kept = r->output[OUT_STDOUT].len + r->output[OUT_STDERR].len;
    uint64_t left = r->limits.output_bytes - kept;
    r->output_total[stream] += bytes.len;
    if (bytes.len > left)
        bytes.len = (size_t)left;
    if (buf_add(b, bytes.at, bytes.len) < 0)
        bytes.len = 0;
    return bytes;
}

void result_end(struct run_result *r, enum reason reason, const char *detail)
{
    r->reason = reason;
    snprintf(r->detail, sizeof r->detail, "%s", detail ? detail : "");
}

/* Endings that a worker can see for itself; the others are ours to say. A js
 * worker is sealed code of ours that may have been taken over; node and python
 * are the guest itself, so their word is only on what concerns nobody else. */
enum teller { JS_GIVES = BIT(0), GUEST_GIVES = BIT(1) };

static int may_give(enum teller who, enum reason reason)
{
    enum { BOTH = JS_GIVES | GUEST_GIVES };
    static const unsigned char given[REASON_END] = {
        [REASON_COMPLETED] = BOTH,           [REASON_EXCEPTION] = BOTH,
        [REASON_SYNTAX_ERROR] = BOTH,        [REASON_MEMORY_LIMIT] = BOTH,
        [REASON_STACK_OVERFLOW] = BOTH,      [REASON_RESULT_TOO_LARGE] = BOTH,
        [REASON_POLICY_DENIED] = BOTH,       [REASON_NEVER_SETTLED] = BOTH,
        [REASON_WALL_TIME_LIMIT] = JS_GIVES, [REASON_CPU_TIME_LIMIT] = JS_GIVES,
        [REASON_OUTPUT_LIMIT] = JS_GIVES,    [REASON_CALL_LIMIT] = JS_GIVES,
        [REASON_CRASHED] = JS_GIVES,         [REASON_INTERNAL] = JS_GIVES,
        [REASON_NONZERO_EXIT] = GUEST_GIVES,
    };
    return reason < REASON_END && (given[reason] & who);
}

static int check_taken(const struct run_result *r, const struct msg_result *m,
                       enum teller who, struct err *e)
{
    if (!may_give(who, (enum reason)m->reason))
        return err_set(e, -EPROTO, "the worker claimed the ending %s",
                       reason_text((enum reason)m->reason));
    if (m->limit > LIMIT_NONE)
        return err_set(e, -EPROTO, "the worker named an unknown limit");
    if (m->reason != REASON_COMPLETED && (m->value.len || m->exports.len))
        return err_set(e, -EPROTO, "the worker sent a value of a run that ended "
                       "with %s", reason_text((enum reason)m->reason));
    if (m->value.len + m->exports.len > r->limits.result_bytes)
        return err_set(e, -EPROTO, "the worker sent a value larger than its limit");
    if (m->exports.len && m->exports.at[0] != '{')
        return err_set(e, -EPROTO, "the worker sent exports that are no object");
    const struct { struct str json; const char *name; } parts[] = {
        { m->value, "value" }, { m->exports, "exports" },
    };
    for (size_t i = 0; i < COUNT(parts); i++) {
        size_t at = 0;
        if (parts[i].json.len && json_check(parts[i].json, &at) < 0)
            return err_set(e, -EPROTO, "the worker sent a malformed %s "
                           "(at byte %zu)", parts[i].name, at);
    }
    return 0;
}

/* The text buf has room for all, so what is kept stays where it is. */
static void keep(struct run_result *r, struct str *out, struct str in)
{
    size_t at = r->text.len;
    if (in.len && buf_add(&r->text, in.at, in.len) == 0)
        *out = (struct str){ r->text.at + at, in.len };
}

static int take_texts(struct run_result *r, const struct msg_result *m,
                      struct err *e)
{
    struct { struct str *out; struct str in; } all[] = {
        { &r->value, m->value },                 { &r->exports, m->exports },
        { &r->display, m->display },             { &r->file, m->file },
        { &r->error_name, m->error_name },       { &r->error_stack, m->error_stack },
        { &r->error_message, m->error_message },
        { &r->error_printed, m->error_printed },
    };
    size_t need = 0;
    for (size_t i = 0; i < COUNT(all); i++)
        need += all[i].in.len;
    if (need && !buf_reserve(&r->text, need))
        return err_set(e, -EPROTO, "the worker sent more than a result may hold");
    for (size_t i = 0; i < COUNT(all); i++)
        keep(r, all[i].out, all[i].in);
    r->reason = (enum reason)m->reason;
    r->limit = (enum run_limit)m->limit;
    r->observed = m->observed;
    r->line = m->line;
    r->column = m->column;
    size_t n = m->detail.len < sizeof r->detail ? m->detail.len
                                                : sizeof r->detail - 1;
    if (n)
        memcpy(r->detail, m->detail.at, n);
    r->detail[n] = '\0';
    return 0;
}

int result_take(struct run_result *r, const struct msg_result *m,
                struct err *e)
{
    int status = check_taken(r, m, JS_GIVES, e);
    if (status == 0)
        status = take_texts(r, m, e);
    if (status < 0)
        return status;
    r->cpu_ns = m->cpu_ns;
    r->memory_peak_bytes = m->memory_peak_bytes;
    r->state_lost = m->state_lost;
    if (m->wall_ns)
        r->wall_ns = m->wall_ns;
    if (m->stdout_bytes > r->output_total[OUT_STDOUT])
        r->output_total[OUT_STDOUT] = m->stdout_bytes;
    if (m->stderr_bytes > r->output_total[OUT_STDERR])
        r->output_total[OUT_STDERR] = m->stderr_bytes;
    return 0;
}

int result_take_guest(struct run_result *r, const struct msg_result *m,
                      struct err *e)
{
    int status = check_taken(r, m, GUEST_GIVES, e);
    if (status < 0)
        return status;
    buf_clear(&r->text);
    r->value = r->exports = r->display = r->file = (struct str){ 0 };
    r->error_name = r->error_message = (struct str){ 0 };
    r->error_stack = r->error_printed = (struct str){ 0 };
    return take_texts(r, m, e);
}

void result_drop_value(struct run_result *r)
{
    r->value = r->exports = r->display = (struct str){ 0 };
}

static void cut(char *out, size_t room, struct str s)
{
    size_t n = s.len < room ? s.len : room - 1;
    while (n < s.len && n > 0 && ((unsigned char)s.at[n] & 0xc0) == 0x80)
        n--;    /* not through a character */
    for (size_t i = 0; i < n; i++)
        out[i] = s.at[i] ? s.at[i] : ' ';
    out[n] = '\0';
}

void result_deny(struct run_result *r, const struct msg_denied *m)
{
    struct denial d = { .count = 1 };
    cut(d.what, sizeof d.what, m->what);
    cut(d.subject, sizeof d.subject, m->subject);
    cut(d.rule, sizeof d.rule, m->rule);
    cut(d.hint, sizeof d.hint, m->hint);
    for (size_t i = 0; i < r->denials; i++) {
        struct denial *old = &r->denial[i];
        if (strcmp(old->what, d.what) == 0 && strcmp(old->rule, d.rule) == 0 &&
            strcmp(old->subject, d.subject) == 0) {
            old->count++;
            return;
        }
    }
    if (!r->denial)
        r->denial = calloc(RESULT_MAX_DENIALS, sizeof *r->denial);
    if (r->denial && r->denials < RESULT_MAX_DENIALS)
        r->denial[r->denials++] = d;
    else
        r->denials_lost++;
}

/* ---- telling -------------------------------------------------------------- */

static void key_str(struct buf *b, const char *key, struct str s)
{
    json_key(b, key);
    if (s.len)
        json_string(b, s);
    else
        json_null(b);
}

static void key_u64(struct buf *b, const char *key, uint64_t v)
{
    json_key(b, key);
    json_u64(b, v);
}

static void key_real(struct buf *b, const char *key, double v, int decimals)
{
    json_key(b, key);
    json_real(b, v, decimals);
}

static void key_json(struct buf *b, const char *key, struct str json,
                     const char *otherwise)
{
    json_key(b, key);
    json_raw(b, json.len ? json : str_of(otherwise));
}

static void tell_termination(struct buf *b, const struct run_result *r)
{
    json_key(b, "termination");
    json_open(b, '{');
    key_str(b, "reason", str_of(reason_text(r->reason)));
    int by_limit = r->limit != LIMIT_NONE;
    key_str(b, "limit", by_limit ? str_of(limit_name(r->limit)) : STR(""));
    json_key(b, "limit_value");
    if (by_limit)
        quantity(b, r->limit, limit_value(r));
    else
        json_null(b);
    json_key(b, "observed");
    if (by_limit)
        quantity(b, r->limit, r->observed);
    else
        json_null(b);
    json_key(b, "location");
    if (r->line) {
        json_open(b, '{');
        json_key(b, "file");
        json_string(b, r->file);
        key_u64(b, "line", r->line);
        key_u64(b, "column", r->column);
        json_close(b, '}');
    } else {
        json_null(b);
    }
    key_str(b, "hint", str_of(result_hint(r)));
    json_close(b, '}');
}

static void tell_error(struct buf *b, const struct run_result *r)
{
    json_key(b, "error");
    if (result_ok(r)) {
        json_null(b);
        return;
    }
    AUTO_BUF sentence;
    buf_init(&sentence, 1024);
    result_sentence(r, &sentence);
    json_open(b, '{');
    key_str(b, "code", str_of(reason_text(r->reason)));
    key_str(b, "name", r->error_name);
    json_key(b, "message");
    json_string(b, r->error_name.len || r->error_message.len
                       ? r->error_message : buf_str(&sentence));
    key_str(b, "stack", r->error_stack);
    json_close(b, '}');
}

static const char *counted_by_text(enum counted_by by)
{
    static const char *const texts[BY_KINDS] = {
        [BY_ENGINE] = "engine",        [BY_CGROUP_V1] = "cgroup v1",
        [BY_CGROUP_V2] = "cgroup v2",  [BY_RLIMITS] = "rlimits",
    };
    return by < BY_KINDS ? texts[by] : "";
}

static const char *started_as_text(enum started_as as)
{
    static const char *const texts[AS_KINDS] = {
        [AS_CELL] = "cell", [AS_SPARE] = "spare",
        [AS_FORK] = "fork", [AS_PROCESS] = "process",
    };
    return as < AS_KINDS ? texts[as] : "";
}

static void tell_usage(struct buf *b, const struct run_result *r)
{
    json_key(b, "usage");
    json_open(b, '{');
    key_real(b, "wall_ms", (double)r->wall_ns / 1e6, 3);
    key_real(b, "cpu_ms", (double)r->cpu_ns / 1e6, 3);
    key_real(b, "memory_peak_mb", (double)r->memory_peak_bytes / (double)MIB, 1);
    key_u64(b, "output_bytes",
            r->output_total[OUT_STDOUT] + r->output_total[OUT_STDERR]);
    key_u64(b, "calls", 0);
    key_u64(b, "egress_bytes", r->egress_bytes);
    key_str(b, "counted_by", str_of(counted_by_text(r->counted_by)));
    json_close(b, '}');
}

static void tell_truncated(struct buf *b, const struct run_result *r)
{
    static const struct { const char *flag, *total; } names[OUT_STREAMS] = {
        [OUT_STDOUT] = { "stdout", "stdout_total_bytes" },
        [OUT_STDERR] = { "stderr", "stderr_total_bytes" },
    };
    json_key(b, "truncated");
    json_open(b, '{');
    for (int i = 0; i < OUT_STREAMS; i++) {
        json_key(b, names[i].flag);
        json_bool(b, r->output_total[i] > r->output[i].len);
        key_u64(b, names[i].total, r->output_total[i]);
    }
    json_close(b, '}');
}

static void tell_denials(struct buf *b, const struct run_result *r)
{
    json_key(b, "denials");
    json_open(b, '[');
    for (size_t i = 0; i < r->denials; i++) {
        const struct denial *d = &r->denial[i];
        json_item(b);
        json_open(b, '{');
        key_str(b, "what", str_of(d->what));
        key_str(b, "subject", str_of(d->subject));
        key_str(b, "rule", str_of(d->rule));
        key_str(b, "hint", str_of(d->hint));
        key_u64(b, "count", d->count);
        json_close(b, '}');
    }
    json_close(b, ']');
}

static void tell_files(struct buf *b, const struct file_list *l)
{
    json_key(b, "files");
    json_open(b, '[');
    for (size_t i = 0; i < l->files; i++) {
        json_item(b);
        json_open(b, '{');
        key_str(b, "path", str_of(l->file[i].path));
        key_u64(b, "bytes", l->file[i].bytes);
        json_close(b, '}');
    }
    json_close(b, ']');
    json_key(b, "files_skipped");
    json_open(b, '{');
    for (int i = 0; i < FILE_SKIP_KINDS; i++)
        if (l->skipped[i])
            key_u64(b, file_skip_text((enum file_skip)i), l->skipped[i]);
    json_close(b, '}');
}

void walls_json(struct buf *out, unsigned walls)
{
    json_open(out, '[');
    for (unsigned bit = 1; bit; bit <<= 1) {
        if (!(walls & bit) || !wall_text(bit))
            continue;
        json_item(out);
        json_string(out, str_of(wall_text(bit)));
    }
    json_close(out, ']');
}

static void tell(struct buf *b, const struct run_result *r)
{
    json_open(b, '{');
    key_str(b, "id", str_of(r->id));
    json_key(b, "ok");
    json_bool(b, result_ok(r));
    key_str(b, "status", result_ok(r)                    ? STR("completed")
                         : r->reason == REASON_CANCELLED ? STR("cancelled")
                                                         : STR("failed"));
    key_json(b, "value", r->value, result_ok(r) && !r->plain
                                       ? "{\"$undefined\":true}" : "null");
    key_json(b, "exports", r->exports, "{}");
    json_key(b, "stdout");
    json_string(b, buf_str(&r->output[OUT_STDOUT]));
    json_key(b, "stderr");
    json_string(b, buf_str(&r->output[OUT_STDERR]));
    key_u64(b, "exit_code", (uint64_t)result_exit_code(r));
    tell_termination(b, r);
    tell_error(b, r);
    tell_usage(b, r);
    tell_truncated(b, r);
    key_json(b, "calls", STR("[]"), NULL);
    tell_denials(b, r);
    key_json(b, "findings", STR("[]"), NULL);
    tell_files(b, &r->files);
    json_key(b, "walls");
    walls_json(b, r->walls);
    key_str(b, "engine", str_of(engine_text(r->engine)));
    key_str(b, "started_as", str_of(started_as_text(r->started_as)));
    key_str(b, "fallback", str_of(r->fallback));
    json_key(b, "environment");
    json_null(b);
    json_close(b, '}');
}

void result_json(struct buf *out, const struct run_result *r,
                 enum json_layout layout)
{
    if (layout == JSON_COMPACT) {
        tell(out, r);
        return;
    }
    AUTO_BUF compact;
    buf_init(&compact, out->max);
    tell(&compact, r);
    json_indent(out, buf_str(&compact));
    if (compact.failed)
        out->failed = compact.failed;
}
