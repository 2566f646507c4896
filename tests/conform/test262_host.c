/*
 * tests/conform/test262_host.c -- $262, print and modules from files.
 *
 * The engine reaches the host through the functions of worker/imports.c. Ours
 * go in front of two of them (the linker's --wrap), so that the product needs
 * no hook for a test and the tests run on the product's own objects.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/conform/test262.h"
#include "base/io.h"
#include "base/json.h"
#include "worker/guest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PRINTED_BYTES = 1 << 20, MAX_ARGUMENTS = 2 };

/*
 * Evaluated in each realm; called with the host's functions and a number that
 * stands for the realm. There is no $262.agent: a cell has no shared memory.
 */
static const char prelude[] =
    "(function (host, realm) {\n"
    "    const $262 = {\n"
    "        createRealm() { return host.createRealm(); },\n"
    "        detachArrayBuffer(buffer) { host.detach(buffer); return null; },\n"
    "        evalScript(text) { return host.evalScript(realm, text); },\n"
    "        gc() { host.gc(); },\n"
    "        crash() { host.crash(); },    // not of test262: to test the runner\n"
    "        IsHTMLDDA: host.nothing,\n"
    "        global: globalThis,\n"
    "    };\n"
    "    const put = (name, value) => Object.defineProperty(globalThis, name,\n"
    "        { value, writable: true, configurable: true });\n"
    "    put('$262', $262);\n"
    "    put('print', function print(text) { host.print(text); });\n"
    "    return $262;\n"
    "})";

static struct {
    const char *root;
    struct buf  printed;
    jsval       functions;    /* the object that prelude calls host */
} host;

/* ---- host functions --------------------------------------------------- */

struct arguments {
    jsval at[MAX_ARGUMENTS];
};

static jsval host_print(const struct arguments *a)
{
    int r = guest_text(a->at[0], &host.printed);
    if (r < 0)
        return js_make(TAG_EXCEPTION, 0);
    buf_adds(&host.printed, "\n");
    return JS_UNDEFINED;
}

static jsval evaluate_in(u32 context, struct str source, const char *name, u32 flags)
{
    u32 text = guest_copy(source), n = guest_copy(str_of(name));
    jsval v = Q(JS_Eval)(E, context, text, (u32)source.len, n, flags);
    Q(wasm_free)(E, text);
    Q(wasm_free)(E, n);
    return v;
}

static jsval host_eval_script(const struct arguments *a)
{
    AUTO_BUF source;
    buf_init(&source, MAX_TEST_BYTES);
    if (guest_text(a->at[1], &source) < 0)
        return js_make(TAG_EXCEPTION, 0);
    return evaluate_in((u32)guest_number(a->at[0]), buf_str(&source), "evalScript",
                       EVAL_SCRIPT);
}

static jsval host_detach(const struct arguments *a)
{
    Q(JS_DetachArrayBuffer)(E, guest_context(), a->at[0]);
    return JS_UNDEFINED;
}

static jsval host_gc(const struct arguments *a)
{
    (void)a;
    Q(qjs_run_gc)(E);
    return JS_UNDEFINED;
}

static jsval host_crash(const struct arguments *a)
{
    (void)a;
    abort();
}

static jsval host_nothing(const struct arguments *a)
{
    (void)a;
    return js_make(TAG_NULL, 0);
}

/* $262 of a realm: the prelude evaluated in it, and called. */
static jsval define_in(u32 context)
{
    jsval make = evaluate_in(context, STR(prelude), "test262:host", EVAL_SCRIPT);
    if (js_is_exception(make))
        return make;
    u32 args = Q(wasm_malloc)(E, 2 * sizeof(jsval));
    guest_put_u64(args, host.functions);
    guest_put_u64(args + 8, Q(JS_NewNumber)(E, context, (double)context));
    jsval made = Q(JS_Call)(E, context, make, JS_UNDEFINED, 2, args);
    Q(wasm_free)(E, args);
    return made;
}

static jsval host_create_realm(const struct arguments *a)
{
    (void)a;
    u32 context = Q(JS_NewContext)(E, guest_runtime());
    return context ? define_in(context) : js_make(TAG_EXCEPTION, 0);
}

static const struct function {
    const char *name, *full;
    jsval (*run)(const struct arguments *);
} functions[] = {
    { "print",       "test262.print",       host_print        },
    { "evalScript",  "test262.evalScript",  host_eval_script  },
    { "detach",      "test262.detach",      host_detach       },
    { "gc",          "test262.gc",          host_gc           },
    { "crash",       "test262.crash",       host_crash        },
    { "nothing",     "test262.nothing",     host_nothing      },
    { "createRealm", "test262.createRealm", host_create_realm },
};

void host_define(void)
{
    u32 context = guest_context();
    host.functions = Q(JS_NewObject)(E, context);
    for (size_t i = 0; i < COUNT(functions); i++) {
        struct str name = str_of(functions[i].full);
        u32 p = guest_copy(name);
        jsval fn = guest_u64(Q(qjs_new_host_function)(E, p, (u32)name.len, 0));
        if (functions[i].run == host_nothing)
            Q(JS_SetIsHTMLDDA)(E, context, fn);
        guest_define(host.functions, functions[i].name, fn);
    }
    define_in(context);
    /* Rejections nobody handles are no failures here. */
    Q(qjs_set_promise_rejection_handler)(E, 0);
}

/* ---- in front of worker/imports.c ------------------------------------- */

/* The linker's names for both sides of a wrapped import. */
#define JOIN(a, b)    a##b
#define JOINED(a, b)  JOIN(a, b)
#define WRAP(f)       JOINED(__wrap_, ENV(f))
#define REAL(f)       JOINED(__real_, ENV(f))

u32 REAL(host_call)(struct engine_env *, u32, u32, u32, u32, u32);
u32 WRAP(host_call)(struct engine_env *, u32, u32, u32, u32, u32);
u32 WRAP(host_module_load)(struct engine_env *, u32, u32);

u32 WRAP(host_call)(struct engine_env *env, u32 name, u32 name_len,
                    u32 this_value, u32 argc, u32 argv)
{
    struct str want = { (const char *)guest_at(name, name_len), name_len };
    for (size_t i = 0; i < COUNT(functions); i++) {
        if (!str_is(want, functions[i].full))
            continue;
        struct arguments a = { { JS_UNDEFINED, JS_UNDEFINED } };
        for (u32 k = 0; k < argc && k < MAX_ARGUMENTS; k++)
            a.at[k] = guest_u64(guest_u32(argv + 4 * k));
        jsval v = functions[i].run(&a);
        if (js_is_exception(v))
            return 0;
        u32 box = Q(wasm_malloc)(E, sizeof v);
        guest_put_u64(box, v);
        return box;
    }
    return REAL(host_call)(env, name, name_len, this_value, argc, argv);
}

/* Names are paths under the root already: modules_normalize() joined them. */
u32 WRAP(host_module_load)(struct engine_env *env, u32 name_at, u32 out_len)
{
    (void)env;
    char path[4096];
    const char *name = (const char *)guest_at(name_at, 1);
    size_t n = strnlen(name, engine.w2c_memory.size - name_at);
    snprintf(path, sizeof path, "%s/%.*s", host.root, (int)n, name);

    AUTO_BUF file, source;
    buf_init(&file, MAX_TEST_BYTES);
    buf_init(&source, 6 * MAX_TEST_BYTES);
    if (io_read_file(path, MAX_TEST_BYTES, &file, NULL) < 0) {
        u32 p = guest_copy(STR("Cannot find module"));
        Q(JS_ThrowPlainError)(E, guest_context(), p, 0);
        return 0;
    }
    if (n > 5 && memcmp(name + n - 5, ".json", 5) == 0) {
        buf_adds(&source, "export default JSON.parse(");
        json_string(&source, buf_str(&file));
        buf_adds(&source, ");");
    } else {
        buf_add(&source, file.at, file.len);
    }
    u32 len = (u32)source.len, copy = guest_copy(buf_str(&source));
    memcpy(guest_at(out_len, sizeof len), &len, sizeof len);
    return copy;
}

/* ---- for test262_case.c ----------------------------------------------- */

void host_start(const char *root)
{
    host.root = root;
    if (!host.printed.max)
        buf_init(&host.printed, MAX_PRINTED_BYTES);
    buf_clear(&host.printed);
}

struct str host_printed(void)
{
    return buf_str(&host.printed);
}

jsval host_script(struct str source, const char *name, u32 flags)
{
    return evaluate_in(guest_context(), source, name, flags);
}
