/* worker/program.c -- compile in one of five forms, then evaluate.
 * SPDX-License-Identifier: MIT */
#include "worker/program.h"
#include "worker/form.h"
#include "worker/guest.h"
#include "worker/sfi.h"
#include <stdlib.h>
#include <string.h>

/* JSEvalOptions of the engine: version, flags, file name, first line. */
enum { OPTIONS_BYTES = 16, OPTIONS_VERSION = 1 };

static const char body_before[] = "(async function () {\n";
static const char body_after[] = "\n})()";

struct attempt {
    enum program_kind kind;
    u32               flags;
};
static const struct attempt attempts[] = {
    [KIND_SCRIPT] = { KIND_SCRIPT, EVAL_SCRIPT },
    [KIND_ASYNC]  = { KIND_ASYNC,  EVAL_SCRIPT | EVAL_ASYNC },
    [KIND_MODULE] = { KIND_MODULE, EVAL_MODULE },
    [KIND_BODY]   = { KIND_BODY,   EVAL_SCRIPT },
};

/* A text in guest memory, ready to compile more than once. */
struct text {
    u32 source, len, name;
    u32 wrapped, wrapped_len;    /* as the body of a function; made when needed */
};

static void wrap(struct text *t, struct str source)
{
    struct buf *b = guest_take();
    buf_adds(b, body_before);
    buf_add(b, source.at, source.len);
    buf_adds(b, body_after);
    if (b->failed)
        sfi_trap(TRAP_ENGINE);
    t->wrapped = guest_copy(buf_str(b));
    t->wrapped_len = (u32)b->len;
    guest_give();
}

/*
 * A body stands inside of a function whose head is line 0, so that its lines
 * and columns are the caller's own.
 */
static jsval compile(struct text *t, struct str source, enum program_kind kind)
{
    u32 flags = attempts[kind].flags | EVAL_COMPILE_ONLY | EVAL_BARRIER;
    if (kind != KIND_BODY)
        return Q(JS_Eval)(E, guest_context(), t->source, t->len, t->name, flags);
    if (!t->wrapped)
        wrap(t, source);
    u32 at = Q(wasm_malloc)(E, OPTIONS_BYTES);
    u32 options[4] = { OPTIONS_VERSION, flags, t->name, 0 };
    memcpy(guest_at(at, OPTIONS_BYTES), options, OPTIONS_BYTES);
    return Q(JS_Eval2)(E, guest_context(), t->wrapped, t->wrapped_len, at);
}

/* How far into the text an error is, from the end of its stack ("...:3:5"). */
static uint64_t depth_of(jsval error)
{
    struct buf *b = guest_take();
    jsval stack = guest_property(error, "stack");
    guest_text(stack, b);
    guest_release(stack);
    unsigned long part[2] = { 0, 0 };
    size_t end = b->len;
    const char *at = b->at;
    while (end > 0 && (at[end - 1] < '0' || at[end - 1] > '9'))
        end--;
    for (int i = 1; i >= 0 && end > 0; i--) {
        unsigned long scale = 1;
        for (; end > 0 && at[end - 1] >= '0' && at[end - 1] <= '9'; end--) {
            part[i] += scale * (unsigned long)(at[end - 1] - '0');
            scale *= 10;
        }
        if (end > 0 && at[end - 1] == ':')
            end--;
    }
    guest_give();
    return (uint64_t)part[0] << 32 | (uint32_t)part[1];
}

static void text_free(struct text *t)
{
    const u32 all[] = { t->source, t->name, t->wrapped };
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i])
            Q(wasm_free)(E, all[i]);
}

static int is_syntax_error(jsval error)
{
    struct buf *b = guest_take();
    jsval name = guest_property(error, "name");
    guest_text(name, b);
    guest_release(name);
    int is = str_is(buf_str(b), "SyntaxError");
    guest_give();
    return is;
}

/* The forms to try, in order; returns how many. */
static int candidates(struct str source, enum program_mode mode,
                      struct evaluated *out, enum program_kind order[4])
{
    int n = 0;
    switch (mode) {
    case MODE_SCRIPT:
        order[n++] = KIND_SCRIPT;
        break;
    case MODE_MODULE:
        order[n++] = KIND_MODULE;
        break;
    case MODE_BODY:
        order[n++] = KIND_BODY;
        break;
    case MODE_MAIN:
        out->call_main = 1;
        order[n++] = KIND_SCRIPT;
        order[n++] = KIND_ASYNC;
        break;
    case MODE_AUTO:
    case MODE_COUNT: {
        struct form f = form_of(source);
        out->call_main = f.declares_main && f.names_main == 1 && !f.has_module_word;
        order[n++] = f.has_await ? KIND_ASYNC : KIND_SCRIPT;
        order[n++] = f.has_await ? KIND_SCRIPT : KIND_ASYNC;
        order[n++] = f.has_return && !f.has_module_word ? KIND_BODY : KIND_MODULE;
        order[n++] = f.has_return && !f.has_module_word ? KIND_MODULE : KIND_BODY;
        break;
    }
    }
    return n;
}

static void evaluate(jsval compiled, struct evaluated *out)
{
    u32 module = js_low(compiled);
    out->value = Q(JS_EvalFunction)(E, guest_context(), compiled);
    if (out->kind == KIND_MODULE && !js_is_exception(out->value))
        out->namespace = Q(JS_GetModuleNamespace)(E, guest_context(), module);
}

struct evaluated program_evaluate(struct str source, struct str name,
                                  enum program_mode mode)
{
    struct evaluated out = { .namespace = JS_UNDEFINED };
    enum program_kind order[4];
    int n = candidates(source, mode, &out, order);
    struct text t = { .source = guest_copy(source), .len = (u32)source.len,
                      .name = guest_copy(name) };
    jsval worst = JS_UNDEFINED;
    uint64_t deepest = 0;
    for (int i = 0; i < n; i++) {
        out.kind = order[i];
        jsval compiled = compile(&t, source, order[i]);
        if (!js_is_exception(compiled)) {
            text_free(&t);
            evaluate(compiled, &out);
            return out;
        }
        jsval error = guest_exception();
        if (!is_syntax_error(error)) {    /* an import that was refused */
            Q(JS_Throw)(E, guest_context(), error);
            out.value = compiled;
            return out;
        }
        uint64_t depth = depth_of(error);
        if (i == 0 || depth > deepest) {
            worst = error;
            deepest = depth;
        }
    }
    Q(JS_Throw)(E, guest_context(), worst);
    out.value = js_make(TAG_EXCEPTION, 0);
    out.not_compiled = 1;
    return out;
}
