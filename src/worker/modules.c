/* worker/modules.c -- resolve and load imports.  SPDX-License-Identifier: MIT */
#include "worker/modules.h"
#include "base/json.h"
#include "worker/channel.h"
#include "worker/fetch.h"
#include "worker/guest.h"
#include "worker/meter.h"
#include "worker/run.h"
#include "worker/sfi.h"
#include <errno.h>
#include <string.h>

enum { MAX_LISTED_NAMES = 20 };

static struct {
    const struct msg_run *run;
    uint64_t loads;
    char     importer[MAX_NAME_BYTES + 1];    /* of the latest normalize */
    struct buf body;                          /* the supervisor's answer */
} here;

void modules_start(const struct msg_run *run)
{
    here.run = run;
    here.loads = 0;
    here.importer[0] = 0;
    if (!here.body.max)
        buf_init(&here.body, MAX_SOURCE_BYTES + 8192);
}

/* Copy a NUL-terminated guest string; too long a name is cut, and then found
 * nowhere. */
static size_t copy_name(u32 address, char *out)
{
    size_t n = 0;
    for (; n < MAX_NAME_BYTES; n++) {
        char c = (char)*guest_at(address + (u32)n, 1);
        if (!c)
            break;
        out[n] = c;
    }
    out[n] = 0;
    return n;
}

static int is_relative(struct str name)
{
    return (name.len >= 2 && memcmp(name.at, "./", 2) == 0) ||
           (name.len >= 3 && memcmp(name.at, "../", 3) == 0) ||
           str_is(name, ".") || str_is(name, "..");
}

/* Take off the last segment of out[0..len). */
static size_t parent(const char *out, size_t len)
{
    while (len > 0 && out[len - 1] != '/')
        len--;
    return len > 0 ? len - 1 : 0;
}

int modules_join(struct str base, struct str name, char *out, size_t room)
{
    size_t len = 0;
    for (size_t i = 0; i < base.len; i++)
        if (base.at[i] == '/')
            len = i;
    if (len >= room)
        return -ENAMETOOLONG;
    memcpy(out, base.at, len);
    for (size_t i = 0; i < name.len;) {
        size_t end = i;
        while (end < name.len && name.at[end] != '/')
            end++;
        struct str part = { name.at + i, end - i };
        i = end + 1;
        if (part.len == 0 || str_is(part, "."))
            continue;
        if (str_is(part, "..")) {
            if (len == 0)
                return -EINVAL;
            len = parent(out, len);
            continue;
        }
        if (len + part.len + 2 > room)
            return -ENAMETOOLONG;
        if (len)
            out[len++] = '/';
        memcpy(out + len, part.at, part.len);
        len += part.len;
    }
    out[len] = 0;
    return 0;
}

/* Throw an Error with this text; the engine reads % as a format. */
static u32 refuse(struct buf *text)
{
    struct buf *escaped = guest_take();
    for (size_t i = 0; i < text->len; i++) {
        buf_add(escaped, text->at + i, 1);
        if (text->at[i] == '%')
            buf_add(escaped, "%", 1);
    }
    u32 p = guest_copy(buf_str(escaped));
    guest_give();
    Q(JS_ThrowPlainError)(E, guest_context(), p, 0);
    Q(wasm_free)(E, p);
    return 0;
}

static void list_names(struct buf *b)
{
    const struct msg_run *run = here.run;
    if (run->modules == 0) {
        buf_adds(b, (run->flags & RUN_ROOT)
                        ? " Relative files can be imported with ./ and ../."
                        : " This run was given no modules.");
        return;
    }
    buf_adds(b, " Modules here:");
    for (uint32_t i = 0; i < run->modules && i < MAX_LISTED_NAMES; i++) {
        buf_adds(b, i ? ", '" : " '");
        buf_add(b, run->module[i].name.at, run->module[i].name.len);
        buf_adds(b, "'");
    }
    buf_adds(b, run->modules > MAX_LISTED_NAMES ? " and more." : ".");
}

static u32 refuse_unknown(struct str name)
{
    struct buf *b = guest_take();
    buf_addf(b, "Cannot find module '%.*s'", (int)name.len, name.at);
    if (here.importer[0])
        buf_addf(b, " imported from '%s'", here.importer);
    buf_adds(b, ".");
    if (name.len > 5 && memcmp(name.at, "node:", 5) == 0)
        buf_adds(b, " The js engine has no Node.js builtins;"
                    " hand in what the program needs as a module.");
    list_names(b);
    refuse(b);
    guest_give();
    return 0;
}

u32 modules_normalize(u32 base, u32 name)
{
    char from[MAX_NAME_BYTES + 1], want[MAX_NAME_BYTES + 1];
    char joined[2 * MAX_NAME_BYTES + 2];
    size_t from_len = copy_name(base, from), want_len = copy_name(name, want);
    memcpy(here.importer, from, from_len + 1);

    struct str specifier = { want, want_len };
    if (!is_relative(specifier))
        return guest_copy(specifier);
    int r = modules_join((struct str){ from, from_len }, specifier, joined,
                         sizeof joined);
    if (r < 0) {
        struct buf *b = guest_take();
        buf_addf(b, "Cannot import '%s' from '%s': it leads out of the root.",
                 want, from);
        refuse(b);
        guest_give();
        return 0;
    }
    return guest_copy(str_of(joined));
}

static u32 give(struct str source, u32 out_len)
{
    u32 p = guest_copy(source);
    u32 len = (u32)source.len;
    memcpy(guest_at(out_len, sizeof len), &len, sizeof len);
    return p;
}

/* JSON becomes a module whose default is its value. */
static u32 give_json(struct str text, u32 out_len)
{
    struct buf *b = guest_take();
    buf_adds(b, "export default JSON.parse(");
    json_string(b, text);
    buf_adds(b, ");");
    if (b->failed)
        sfi_trap(TRAP_ENGINE);
    u32 p = give(buf_str(b), out_len);
    guest_give();
    return p;
}

static u32 give_typescript(struct str source, struct str name, u32 out_len)
{
    jsval args[2] = { guest_string(source), guest_string(name) };
    jsval js = guest_call(INTERNAL_strip, 2, args);
    if (js_is_exception(js))
        return 0;
    struct buf *b = guest_take();
    if (guest_text(js, b) < 0)
        sfi_trap(TRAP_ENGINE);
    u32 p = give(buf_str(b), out_len);
    guest_give();
    return p;
}

static u32 give_by_kind(struct str source, struct str name, unsigned kind,
                        u32 out_len)
{
    if (kind == MODULE_JSON)
        return give_json(source, out_len);
    if (kind == MODULE_TS && guest_head->handle[INTERNAL_strip])
        return give_typescript(source, name, out_len);
    return give(source, out_len);
}

/* Ask the supervisor. The budget of CPU time rests; the wall clock does not. */
static struct msg_loaded ask(struct str name)
{
    struct buf *b = guest_take();
    put_load(b, &(struct msg_load){ str_of(here.importer), name });
    struct msg_loaded answer = { 0 };
    run_flush();
    channel_send(b);
    guest_give();
    uint32_t type;
    while (type = channel_receive(&here.body), fetch_is_answer(type))
        fetch_keep(type, buf_str(&here.body));
    if (type != MSG_LOADED || get_loaded(buf_str(&here.body), &answer) < 0)
        _exit(3);
    return answer;
}

u32 modules_load(u32 name_at, u32 out_len)
{
    char text[MAX_NAME_BYTES + 1];
    struct str name = { text, copy_name(name_at, text) };

    if (++here.loads > here.run->limits.module_loads) {
        meter_stop(REASON_CALL_LIMIT, LIMIT_module_loads, here.loads);
        sfi_stop();
    }
    for (uint32_t i = 0; i < here.run->modules; i++) {
        const struct module_source *m = &here.run->module[i];
        if (m->name.len == name.len && memcmp(m->name.at, text, name.len) == 0)
            return give_by_kind(m->source, name, m->kind, out_len);
    }
    if (!(here.run->flags & RUN_ROOT) || strchr(text, ':'))
        return refuse_unknown(name);
    struct msg_loaded answer = ask(name);
    if (answer.ok)
        return give_by_kind(answer.text, name, module_kind_of(name), out_len);
    struct buf *why = guest_take();
    buf_add(why, answer.text.at, answer.text.len);
    refuse(why);
    guest_give();
    return 0;
}
