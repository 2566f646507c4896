/*
 * tests/conform/parse.c -- which texts are programs? test262-parser-tests.
 *
 * usage: parse IMAGE FOLDER KNOWN [SUBSTRING]
 *
 * FOLDER holds pass/, pass-explicit/, fail/ and early/ with thousands of small
 * files. Each is compiled, never run, the way worker/program.c compiles it, in
 * a cell that is a fresh copy of IMAGE: a script, or a module if its name ends
 * in .module.js. The first two kinds must compile, the others must be
 * SyntaxErrors, but for those that KNOWN lists (known.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "bench/inproc.h"
#include "tests/conform/known.h"
#include "worker/modules.h"
#include <dirent.h>

enum { MAX_FILE_BYTES = 1 << 20, MAX_PATH_BYTES = 4096 };

static const struct folder {
    const char *name;
    int         is_program;
} folders[] = {
    { "pass",          1 },
    { "pass-explicit", 1 },
    { "fail",          0 },
    { "early",         0 },
};

static struct {
    struct image image;
    struct cell  cell;
    struct known known;
    const char  *only;
    unsigned     count, failed, known_failures;
} here;

/* ---- one file --------------------------------------------------------- */

struct text {
    struct str source;
    int        is_module;
    int        compiled;
    struct buf error;
};

/*
 * Compiling a module also looks for what it imports, and there is nothing
 * here: that is an Error and no SyntaxError, and the text had been parsed.
 */
static void compile(void *arg)
{
    struct text *t = arg;
    u32 source = guest_copy(t->source), name = guest_copy(STR("main.js"));
    u32 flags = (t->is_module ? EVAL_MODULE : EVAL_SCRIPT) | EVAL_COMPILE_ONLY |
                EVAL_BARRIER;
    jsval v = Q(JS_Eval)(E, guest_context(), source, (u32)t->source.len, name, flags);
    t->compiled = !js_is_exception(v);
    if (t->compiled)
        return;
    jsval error = guest_exception();
    AUTO_BUF kind;
    buf_init(&kind, 1024);
    guest_text(guest_property(error, "name"), &kind);
    guest_text(error, &t->error);
    t->compiled = !str_is(buf_str(&kind), "SyntaxError");
}

static enum trap compile_in_fresh_cell(struct text *t)
{
    static const struct msg_run nothing_to_import = {
        .limits = { .module_loads = 1000 },
    };
    guest_head = &here.image.head;
    modules_start(&nothing_to_import);
    cell_enter(&here.cell);
    meter_start(&run_limits_default);
    enum trap trap = sfi_enter(compile, t);
    meter_end();
    cell_leave(&here.cell);
    if (cell_reset(&here.cell) < 0) {
        fprintf(stderr, "the cell cannot be reset\n");
        exit(1);
    }
    return trap;
}

/* ---- all of them ------------------------------------------------------ */

static void result(int good, const char *key)
{
    here.failed += !good;
    printf("%s %u - %s\n", good ? "ok" : "not ok", ++here.count, key);
}

static void judge(const char *key, const struct folder *in, const struct text *t,
                  enum trap trap)
{
    int good = !trap && t->compiled == in->is_program;
    int is_known = known_has(&here.known, key);
    here.known_failures += is_known;
    if (good && is_known)
        printf("# %s is as it should be now: take it off the list\n", key);
    else if (trap)
        printf("# %s: %s\n", key, trap_text(trap));
    else if (!good && !is_known)
        printf("# %s: %s %.*s\n", key, t->compiled ? "compiled" : "did not compile:",
               (int)t->error.len, t->error.at);
    result(good != is_known && !trap, key);
}

static int ends_with(const char *name, const char *tail)
{
    size_t n = strlen(name), m = strlen(tail);
    return n >= m && strcmp(name + n - m, tail) == 0;
}

static int check_file(const char *root, const struct folder *in, const char *name,
                      struct err *e)
{
    char key[MAX_PATH_BYTES], path[2 * MAX_PATH_BYTES];
    snprintf(key, sizeof key, "%s/%s", in->name, name);
    snprintf(path, sizeof path, "%s/%s", root, key);
    if (here.only && !strstr(key, here.only))
        return 0;
    AUTO_BUF source;
    buf_init(&source, MAX_FILE_BYTES);
    int r = io_read_file(path, MAX_FILE_BYTES, &source, e);
    if (r < 0)
        return r;
    struct text t = { .source = buf_str(&source),
                      .is_module = ends_with(name, ".module.js") };
    buf_init(&t.error, 4096);
    enum trap trap = compile_in_fresh_cell(&t);
    judge(key, in, &t, trap);
    buf_free(&t.error);
    return 0;
}

static int check_folder(const char *root, const struct folder *in, struct err *e)
{
    char path[MAX_PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", root, in->name);
    struct dirent **found;
    int n = scandir(path, &found, NULL, alphasort);
    if (n < 0)
        return err_sys(e, "%s", path);
    int r = 0;
    for (int i = 0; i < n; i++) {
        if (r == 0 && ends_with(found[i]->d_name, ".js"))
            r = check_file(root, in, found[i]->d_name, e);
        free(found[i]);
    }
    free(found);
    return r;
}

int main(int argc, char **argv)
{
    struct err e = { 0 };
    if (argc < 4) {
        fputs("usage: parse IMAGE FOLDER KNOWN [SUBSTRING]\n", stderr);
        return 2;
    }
    here.only = argc > 4 ? argv[4] : NULL;
    inproc_start(argv[1], &here.image);
    if (cell_new(&here.image, CELL_TRACKED, &here.cell, &e) < 0 ||
        known_read(argv[3], &here.known, &e) < 0)
        inproc_die(&e);
    for (size_t i = 0; i < COUNT(folders); i++)
        if (check_folder(argv[2], &folders[i], &e) < 0)
            inproc_die(&e);
    for (size_t i = 0; !here.only && i < here.known.count; i++)
        if (!here.known.line[i].seen)
            result(0, here.known.line[i].key);    /* no such file */
    printf("# %u known failures\n1..%u\n", here.known_failures, here.count);
    return here.failed != 0;
}
