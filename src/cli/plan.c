/* cli/plan.c -- everything a run needs, before anything runs.
 * SPDX-License-Identifier: MIT */
#include "cli/plan.h"
#include "base/io.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/num.h"
#include "cli/fit.h"
#include "cli/moment.h"
#include "env/modules.h"
#include "env/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* ---- one part after the other --------------------------------------------- */

static void set_limit(uint64_t *limit, struct option_number given)
{
    if (given.given)
        *limit = given.value;
}

static void plan_limits(struct plan *p, const struct run_options *o)
{
    struct run_limits *l = &p->message.limits;
    *l = run_limits_default;
    set_limit(&l->wall_time_ms, o->wall);
    set_limit(&l->cpu_time_ms, o->cpu);
    set_limit(&l->memory_bytes, o->memory);
    set_limit(&l->stack_bytes, o->stack);
    set_limit(&l->output_bytes, o->output);
    set_limit(&l->result_bytes, o->result);
    set_limit(&l->timers, o->timers);
    set_limit(&l->module_loads, o->module_loads);
    set_limit(&l->processes, o->processes);
    set_limit(&l->open_files, o->open_files);
    set_limit(&l->disk_bytes, o->disk);
    set_limit(&l->files, o->max_files);
    set_limit(&l->file_bytes, o->max_file);
    set_limit(&l->cpus, o->cpus);
    set_limit(&l->egress_bytes, o->egress);
}

static int plan_settings(struct plan *p, const struct run_options *o,
                         struct err *e)
{
    struct msg_run *m = &p->message;
    m->mode = (uint8_t)o->mode;
    m->flags = (o->plain ? RUN_PLAIN : 0) | (o->root ? RUN_ROOT : 0);
    if (o->seed.given) {
        m->flags |= RUN_SEEDED;
        m->seed = o->seed.value;
    }
    if (o->clock) {
        struct err why = { 0 };
        m->flags |= RUN_CLOCKED;
        if (moment_parse(o->clock, &m->clock_ns, &why) < 0)
            return err_set(e, -EINVAL, "--clock: %s", why.msg);
    }
    return 0;
}

static int plan_walls(struct plan *p, const struct run_options *o,
                      struct err *e)
{
    static const char *const names[] = {
#define X(NAME, bit, text, what) text,
        WALLS(X)
#undef X
    };
    for (size_t i = 0; i < o->require.n; i++) {
        unsigned wall = wall_by_text(o->require.at[i]);
        const char *near = nearest_word(o->require.at[i], names, COUNT(names));
        if (!wall)
            return err_set(e, -EINVAL, "--require: no wall is named '%.60s'%s%s; "
                           "glovebox doctor lists them", o->require.at[i],
                           near ? "; did you mean " : "", near ? near : "");
        p->required |= wall;
    }
    return 0;
}

static int plan_input(struct plan *p, const char *text, struct err *e)
{
    size_t at = 0;
    int r = 0;
    buf_init(&p->input, MAX_SOURCE_BYTES + (1 << 20));
    if (!text)
        return 0;
    if (text[0] == '@')
        r = io_read_file(text + 1, MAX_SOURCE_BYTES, &p->input, e);
    else if (buf_adds(&p->input, text) < 0)
        r = err_set(e, -EFBIG, "--input: too large");
    if (r < 0)
        return r == -ENOENT ? err_set(e, r, "--input: %s: no such file", text + 1)
                            : r;
    if (json_check(buf_str(&p->input), &at) < 0)
        return err_set(e, -EINVAL, "--input: not JSON (at byte %zu); for a text "
                       "write '\"text\"'", at);
    p->message.input = buf_str(&p->input);
    return 0;
}

static int plan_root(struct plan *p, const char *root, struct err *e)
{
    if (!root)
        return 0;
    p->root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (p->root_fd >= 0)
        return 0;
    if (errno == ENOENT || errno == ENOTDIR)
        return err_set(e, -ENOENT, "--root: %s: no such folder", root);
    return err_sys(e, "--root: %s", root);
}

static int read_list(struct program **out, size_t *out_n,
                     struct texts paths, const char *root, struct err *e)
{
    *out = calloc(paths.n + 1, sizeof **out);
    if (!*out)
        return err_set(e, -ENOMEM, "no memory");
    for (size_t i = 0; i < paths.n; i++) {
        *out_n = i + 1;
        int r = program_read(&(*out)[i], paths.at[i], root, e);
        if (r < 0)
            return r;
    }
    return 0;
}

static int plan_programs(struct plan *p, const struct texts *files,
                         struct err *e)
{
    const char *eval = p->options->eval;
    if (!eval)
        return read_list(&p->program, &p->programs, *files, p->options->root, e);
    if (files->n)
        return err_set(e, -EINVAL, "-e CODE and a file: which of them?");
    p->program = calloc(1, sizeof *p->program);
    if (!p->program)
        return err_set(e, -ENOMEM, "no memory");
    p->programs = 1;
    return program_eval(p->program, eval, e);
}

static int plan_module(struct plan *p, size_t i, const char *text, struct err *e)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return err_set(e, -EINVAL, "--module: '%.60s' is not NAME=FILE, e.g. "
                       "--module lodash=./lodash.mjs", text);
    struct program *m = &p->module[i];
    p->modules = i + 1;
    int r = program_read(m, equals + 1, NULL, e);
    if (r < 0)
        return r;
    free(m->name);
    m->name = strndup(text, (size_t)(equals - text));
    if (!m->name)
        return err_set(e, -ENOMEM, "no memory");
    p->sources[i] = (struct module_source){
        str_of(m->name), buf_str(&m->source),
        (uint8_t)module_kind_of(str_of(equals + 1)),
    };
    return 0;
}

static int plan_modules(struct plan *p, const struct text_list *list,
                        struct err *e)
{
    p->module = calloc(list->n + 1, sizeof *p->module);
    p->sources = calloc(list->n + 1, sizeof *p->sources);
    if (!p->module || !p->sources)
        return err_set(e, -ENOMEM, "no memory");
    for (size_t i = 0; i < list->n; i++) {
        int r = plan_module(p, i, list->at[i], e);
        if (r < 0)
            return r;
    }
    p->message.modules = (uint32_t)p->modules;
    p->message.module = p->sources;
    return 0;
}

/* The image with the type stripper is larger: taken only if somebody needs it. */
static int wants_ts(const struct plan *p)
{
    int ts = p->options->ts;
    for (size_t i = 0; i < p->programs; i++)
        ts |= p->program[i].ts;
    for (size_t i = 0; i < p->setups; i++)
        ts |= p->setup[i].ts;
    for (size_t i = 0; i < p->modules; i++)
        ts |= p->module[i].ts;
    return ts;
}

static int plan_places(struct plan *p, struct err *e)
{
    struct image_head head;
    const char *image = wants_ts(p) ? PLACE_TS_IMAGE : PLACE_BASE_IMAGE;
    int r = place_open(PLACE_WORKER, &p->worker_fd, e);
    if (r == 0)
        r = place_open(image, &p->image_fd, e);
    if (r == 0)
        r = image_head_read(p->image_fd, &head, e);
    if (r < 0)
        return r;
    if (p->message.limits.memory_bytes < head.memory_bytes)
        return err_set(e, -EINVAL, "--memory: the engine by itself needs %s",
                       num_show_bytes(head.memory_bytes).at);
    return 0;
}

/* ---- which engine --------------------------------------------------------- */

static void say_engine(struct buf *out, const struct program *program,
                       const struct engine_choice *c)
{
    buf_addf(out, "%s is %s", program->path, engine_text(c->engine));
    if (c->why[0])
        buf_addf(out, " (%s)", c->why);
}

static int differ(const struct plan *p, size_t i, const struct engine_choice *c,
                  struct err *e)
{
    AUTO_BUF text;
    buf_init(&text, 1024);
    say_engine(&text, &p->program[0], &p->choice);
    buf_adds(&text, ", ");
    say_engine(&text, &p->program[i], c);
    return err_set(e, -EINVAL, "%.*s: run them one engine at a time, or say --engine",
                   (int)text.len, text.at ? text.at : "");
}

/* What the programs need; all the same. A session begins without a program. */
static int find_engine(struct plan *p, struct err *e)
{
    struct str known[MAX_LIST];
    for (size_t i = 0; i < p->modules; i++)
        known[i] = p->sources[i].name;
    for (size_t i = 0; i < p->programs; i++) {
        struct engine_choice c;
        engine_of_program(p->program[i].path, buf_str(&p->program[i].source), known,
                          p->modules, &c);
        if (i == 0)
            p->choice = c;
        if (c.engine != p->choice.engine)
            return differ(p, i, &c, e);
    }
    p->engine = p->choice.engine;
    return 0;
}

static int plan_engine(struct plan *p, struct err *e)
{
    static const enum engine wishes[] = {
        [WISH_JS] = ENGINE_JS, [WISH_NODE] = ENGINE_NODE, [WISH_PYTHON] = ENGINE_PYTHON,
    };
    const struct run_options *o = p->options;
    struct err why = { 0 };
    if (o->engine == WISH_AUTO) {
        int r = find_engine(p, e);
        if (r < 0)
            return r;
    } else {
        p->engine = wishes[o->engine];
    }
    if (fit_check(o, p->engine, &why) == 0)
        return 0;
    if (!p->choice.why[0])
        return err_set(e, -EINVAL, "%s", why.msg);
    return err_set(e, -EINVAL, "%s (this one is %s because %s)", why.msg,
                   engine_text(p->engine), p->choice.why);
}

/* ---- the plan of each engine ------------------------------------------------ */

static int plan_js(struct plan *p, const struct texts *args, struct err *e)
{
    const struct run_options *o = p->options;
    if (args->n)
        return err_set(e, -EINVAL, "js programs have no arguments (%.60s); give them data "
                       "with --input, or say --engine node", args->at[0]);
    int r = read_list(&p->setup, &p->setups,
                      (struct texts){ o->setup.at, o->setup.n }, NULL, e);
    if (r == 0)
        r = plan_places(p, e);
    /* A network is a process: last, when nothing else can be wrong. */
    if (r == 0)
        r = js_network_make(&p->js_network, o, e);
    if (r == 0)
        p->message.secrets = buf_str(&p->js_network.secrets);
    return r;
}

static int plan_guest(struct plan *p, const struct texts *args, struct err *e)
{
    struct guest_ask ask = {
        .engine = p->engine, .options = p->options, .args = *args,
        .limits = p->message.limits, .required = p->required, .runs = plan_runs(p),
    };
    for (size_t i = 0; i < p->programs; i++)
        ask.stdin_taken |= strcmp(p->program[i].name, STDIN_NAME) == 0;
    struct err why = { 0 };
    int r = guest_plan_make(&ask, &p->guest, &why);
    if (r == 0)
        return 0;
    if (r == -ENOENT && !p->options->node && !p->options->python && p->choice.why[0] &&
        strncmp(why.msg, "there is no ", 12) == 0)
        return err_set(e, -ENODATA, "%s needs %s (%s), and %s", p->program[0].path,
                       engine_text(p->engine), p->choice.why, why.msg);
    *e = why;
    return r;
}

int plan_make(struct plan *p, const struct run_options *o,
              const struct texts *files, const struct texts *args,
              struct err *e)
{
    *p = (struct plan){ .options = o, .root_fd = -1, .worker_fd = -1,
                        .image_fd = -1 };
    plan_limits(p, o);
    int r = plan_settings(p, o, e);
    if (r == 0)
        r = plan_walls(p, o, e);
    if (r == 0)
        r = plan_root(p, o->root, e);
    if (r == 0)
        r = plan_input(p, o->input, e);
    if (r == 0)
        r = plan_programs(p, files, e);
    if (r == 0)
        r = plan_modules(p, &o->modules, e);
    if (r == 0)
        r = plan_engine(p, e);
    if (r == 0)
        r = p->engine == ENGINE_JS ? plan_js(p, args, e) : plan_guest(p, args, e);
    return r;
}

static void free_programs(struct program *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        program_free(&list[i]);
    free(list);
}

void plan_free(struct plan *p)
{
    free_programs(p->program, p->programs);
    free_programs(p->module, p->modules);
    free_programs(p->setup, p->setups);
    free(p->sources);
    guest_plan_free(p->guest);
    js_network_free(&p->js_network);
    buf_free(&p->input);
    fd_closep(&p->root_fd);
    fd_closep(&p->worker_fd);
    fd_closep(&p->image_fd);
}

/* ---- what others ask of it ------------------------------------------------ */

struct msg_run plan_message(const struct plan *p, const struct program *program,
                            uint64_t id)
{
    struct msg_run m = p->message;
    m.id = id;
    m.name = str_of(program->name);
    m.source = buf_str(&program->source);
    if (program->ts || p->options->ts)
        m.flags |= RUN_TS;
    return m;
}

void plan_local(const struct plan *p, int interrupt_fd, struct local_spec *out)
{
    *out = (struct local_spec){
        .peer = { .worker_fd = p->worker_fd, .image_fd = p->image_fd,
                  .required = p->required, .cells = 1,
                  .memory_bytes = p->message.limits.memory_bytes },
        .jobs = p->options->jobs.given ? (unsigned)p->options->jobs.value : 1,
        .interrupt_fd = interrupt_fd,
        .image = p->guest ? &p->guest->image : NULL,
        .net = p->guest ? p->guest->network : p->js_network.network,
    };
}

size_t plan_runs(const struct plan *p)
{
    const struct option_number *repeat = &p->options->repeat;
    return p->programs * (repeat->given ? (size_t)repeat->value : 1);
}

static const struct program *named(const struct program *list, size_t n,
                                   struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(name, list[i].name))
            return &list[i];
    return NULL;
}

struct str plan_source(const struct plan *p, struct str name,
                       struct buf *scratch)
{
    const struct program *found = named(p->program, p->programs, name);
    if (!found)
        found = named(p->module, p->modules, name);
    if (!found)
        found = named(p->setup, p->setups, name);
    if (found)
        return buf_str(&found->source);
    if (p->root_fd >= 0 && module_read(p->root_fd, name, scratch) == 0)
        return buf_str(scratch);
    return STR("");
}
