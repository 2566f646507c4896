/*
 * cli/doctor.c -- glovebox doctor: what protects a run on this host.
 *
 * Each wall is tried, not looked up; then a program is really run in each
 * engine. js is at full strength with the walls that need no privilege; the
 * others are a second line. Node and Python are native code and need nearly all
 * of them; a host that cannot run these is still well.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/json.h"
#include "cli/command.h"
#include "cli/trial.h"
#include "cli/version.h"
#include "env/peer.h"
#include "env/result.h"
#include "env/runtime.h"
#include "jail/probe.h"

#include <string.h>
#include <sys/utsname.h>

struct findings {
    struct probe_result wall[32];
    size_t              walls;
    struct probe_fact   fact[16];
    size_t              facts;
    struct utsname      host;
    struct trial        trial;
    struct err          problem;    /* of the trial */
    struct native {
        enum engine     engine;
        struct runtime  runtime;
        int             found;
        struct trial    trial;
        struct err      problem;
    } native[2];
};

struct doctor_options {
    int json, no_color;
};

static const struct option rows[] = {
    { "json", 0, OPTION_FLAG, NULL, "as JSON",
      offsetof(struct doctor_options, json) },
    { "no-color", 0, OPTION_FLAG, NULL, "no colours",
      offsetof(struct doctor_options, no_color) },
    { NULL }
};

static int healthy(const struct findings *f)
{
    return f->trial.ran && (f->trial.walls & PEER_REQUIRES) == PEER_REQUIRES;
}

static const char *what_of(unsigned wall)
{
    static const struct { unsigned wall; const char *what; } all[] = {
#define X(NAME, bit, text, what) { WALL_##NAME, what },
        WALLS(X)
#undef X
    };
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i].wall == wall)
            return all[i].what;
    return "";
}

/* What native code needs and this host does not offer. */
static unsigned lacks(const struct findings *f)
{
    unsigned missing = 0;
    for (size_t i = 0; i < f->walls; i++)
        if (!f->wall[i].offered)
            missing |= f->wall[i].wall;
    return missing & GUEST_REQUIRES;
}

static void look_at_native(struct native *n)
{
    n->found = runtime_find(n->engine, NULL, &n->runtime, &n->problem) == 0;
    if (n->found)
        trial_guest(n->engine, &n->trial, &n->problem);
}

static void look(struct findings *f)
{
    memset(f, 0, sizeof *f);
    uname(&f->host);
    f->walls = probe_walls(f->wall, COUNT(f->wall));
    f->facts = probe_facts(f->fact, COUNT(f->fact));
    trial_run(&f->trial, &f->problem);
    f->native[0].engine = ENGINE_NODE;
    f->native[1].engine = ENGINE_PYTHON;
    for (size_t i = 0; i < COUNT(f->native); i++)
        look_at_native(&f->native[i]);
}

static const char *counter(enum counted_by by)
{
    static const char *const texts[BY_KINDS] = {
        [BY_ENGINE] = "engine", [BY_CGROUP_V1] = "cgroup v1",
        [BY_CGROUP_V2] = "cgroup v2", [BY_RLIMITS] = "rlimits",
    };
    return (unsigned)by < BY_KINDS ? texts[by] : "";
}

/* ---- for people ----------------------------------------------------------- */

static void wall_text_line(struct term *t, const struct findings *f,
                           const struct probe_result *w)
{
    int in_use = (f->trial.walls & w->wall) != 0;
    int needed = (PEER_REQUIRES & w->wall) != 0;
    enum color ink = w->offered ? GREEN : needed ? RED : YELLOW;
    term_putf(t, TO_STDOUT, "  %s%-8s%s %-13s %s%s\n",
              term_ink(t, TO_STDOUT, ink), w->offered ? "ok" : "missing",
              term_ink(t, TO_STDOUT, PLAIN), wall_text(w->wall),
              what_of(w->wall),
              f->trial.ran && w->offered && !in_use ? " (not in use)" : "");
    if (w->why[0])
        term_putf(t, TO_STDOUT, "  %24s%s%s%s\n", "",
                  term_ink(t, TO_STDOUT, DIM), w->why,
                  term_ink(t, TO_STDOUT, PLAIN));
}

static void fact_line(struct term *t, const struct probe_fact *fact)
{
    term_putf(t, TO_STDOUT, "  %s%-8s%s %-22s %s\n",
              term_ink(t, TO_STDOUT, fact->ok ? GREEN : YELLOW),
              fact->ok ? "ok" : "missing", term_ink(t, TO_STDOUT, PLAIN),
              fact->name, fact->why);
}

static void walls_line(struct term *t, unsigned walls)
{
    term_put(t, TO_STDOUT, STR("  walls   "));
    for (unsigned bit = 1; bit; bit <<= 1)
        if ((walls & bit) && wall_text(bit))
            term_putf(t, TO_STDOUT, " %s", wall_text(bit));
    term_put(t, TO_STDOUT, STR("\n"));
}

static void native_text(struct term *t, const struct findings *f,
                        const struct native *n)
{
    unsigned missing = lacks(f);
    int ok = n->trial.ran;
    term_putf(t, TO_STDOUT, "\n%s\n", engine_text(n->engine));
    if (n->found)
        term_putf(t, TO_STDOUT, "  found    %s, %s\n", n->runtime.version,
                  n->runtime.program);
    if (ok) {
        term_putf(t, TO_STDOUT, "  zygote   first result after %.0f ms; then 1 + 1 took "
                                "%.2f ms\n  counts   memory and processes by %s\n",
                  n->trial.start_ms, n->trial.run_ms, counter(n->trial.counted_by));
        if (n->trial.fallback[0])
            term_putf(t, TO_STDOUT, "  note     %s\n", n->trial.fallback);
        walls_line(t, n->trial.walls);
        return;
    }
    term_putf(t, TO_STDOUT, "  %s%-8s%s %s\n", term_ink(t, TO_STDOUT, YELLOW),
              n->found ? "failed" : "missing", term_ink(t, TO_STDOUT, PLAIN),
              n->problem.msg);
    if (!n->found || !missing)
        return;
    term_put(t, TO_STDOUT, STR("  needs    walls that are missing above:"));
    for (unsigned bit = 1; bit; bit <<= 1)
        if (missing & bit)
            term_putf(t, TO_STDOUT, " %s", wall_text(bit));
    term_put(t, TO_STDOUT, STR("\n"));
}

static void as_text(struct term *t, const struct findings *f)
{
    term_putf(t, TO_STDOUT, "glovebox %s on %s %s, %s, uid %u\n",
              GLOVEBOX_VERSION, f->host.sysname, f->host.release,
              f->host.machine, (unsigned)getuid());
    if (build_flavour()[0])
        term_putf(t, TO_STDOUT, "%s%s%s\n", term_ink(t, TO_STDOUT, RED),
                  build_flavour(), term_ink(t, TO_STDOUT, PLAIN));
    term_put(t, TO_STDOUT, STR("\nwalls\n"));
    for (size_t i = 0; i < f->walls; i++)
        wall_text_line(t, f, &f->wall[i]);
    term_put(t, TO_STDOUT, STR("\nthe host\n"));
    for (size_t i = 0; i < f->facts; i++)
        fact_line(t, &f->fact[i]);

    term_put(t, TO_STDOUT, STR("\njs\n"));
    if (f->trial.engine[0])
        term_putf(t, TO_STDOUT, "  engine   %s\n", f->trial.engine);
    if (f->trial.ran) {
        term_putf(t, TO_STDOUT, "  worker   ready in %.1f ms; 1 + 1 took %.2f ms\n",
                  f->trial.start_ms, f->trial.run_ms);
        walls_line(t, f->trial.walls);
    } else {
        term_putf(t, TO_STDOUT, "  %sfailed%s   %s\n", term_ink(t, TO_STDOUT, RED),
                  term_ink(t, TO_STDOUT, PLAIN), f->problem.msg);
    }
    for (size_t i = 0; i < COUNT(f->native); i++)
        native_text(t, f, &f->native[i]);
    term_putf(t, TO_STDOUT, "\n%s\n", healthy(f)
        ? "js programs run here at full strength."
        : "js programs cannot run safely here; see above.");
    for (size_t i = 0; i < COUNT(f->native); i++)
        term_putf(t, TO_STDOUT, "%s programs %s\n", engine_text(f->native[i].engine),
                  f->native[i].trial.ran ? "run here."
                                         : "do not run here; see above.");
}

/* ---- for programs --------------------------------------------------------- */

static void key_text(struct buf *b, const char *key, const char *text)
{
    json_key(b, key);
    json_string(b, str_of(text));
}

static void json_walls(struct buf *b, const struct findings *f)
{
    json_key(b, "walls");
    json_open(b, '[');
    for (size_t i = 0; i < f->walls; i++) {
        const struct probe_result *w = &f->wall[i];
        json_item(b);
        json_open(b, '{');
        key_text(b, "name", wall_text(w->wall));
        json_key(b, "offered");
        json_bool(b, w->offered);
        json_key(b, "needed");
        json_bool(b, (PEER_REQUIRES & w->wall) != 0);
        json_key(b, "in_use");
        json_bool(b, (f->trial.walls & w->wall) != 0);
        key_text(b, "stops", what_of(w->wall));
        key_text(b, "seen", w->why);
        json_close(b, '}');
    }
    json_close(b, ']');
}

static void json_facts(struct buf *b, const struct findings *f)
{
    json_key(b, "facts");
    json_open(b, '[');
    for (size_t i = 0; i < f->facts; i++) {
        json_item(b);
        json_open(b, '{');
        key_text(b, "name", f->fact[i].name);
        json_key(b, "ok");
        json_bool(b, f->fact[i].ok);
        key_text(b, "seen", f->fact[i].why);
        json_close(b, '}');
    }
    json_close(b, ']');
}

static void json_native(struct buf *b, const struct findings *f)
{
    json_key(b, "engines");
    json_open(b, '[');
    for (size_t i = 0; i < COUNT(f->native); i++) {
        const struct native *n = &f->native[i];
        json_item(b);
        json_open(b, '{');
        key_text(b, "engine", engine_text(n->engine));
        json_key(b, "ok");
        json_bool(b, n->trial.ran);
        key_text(b, "program", n->found ? n->runtime.program : "");
        key_text(b, "version", n->found ? n->runtime.version : "");
        json_key(b, "start_ms");
        json_real(b, n->trial.start_ms, 3);
        json_key(b, "run_ms");
        json_real(b, n->trial.run_ms, 3);
        key_text(b, "counted_by", n->trial.ran ? counter(n->trial.counted_by) : "");
        key_text(b, "fallback", n->trial.fallback);
        json_key(b, "walls");
        walls_json(b, n->trial.walls);
        json_key(b, "missing");
        walls_json(b, lacks(f));
        key_text(b, "problem", n->problem.msg);
        json_close(b, '}');
    }
    json_close(b, ']');
}

static void as_json(struct buf *b, const struct findings *f)
{
    json_open(b, '{');
    json_key(b, "ok");
    json_bool(b, healthy(f));
    key_text(b, "version", GLOVEBOX_VERSION);
    key_text(b, "flavour", build_flavour());
    key_text(b, "kernel", f->host.release);
    key_text(b, "machine", f->host.machine);
    json_key(b, "uid");
    json_u64(b, getuid());
    json_walls(b, f);
    json_facts(b, f);
    json_key(b, "trial");
    json_open(b, '{');
    json_key(b, "ok");
    json_bool(b, f->trial.ran);
    key_text(b, "engine", f->trial.engine);
    json_key(b, "start_ms");
    json_real(b, f->trial.start_ms, 3);
    json_key(b, "run_ms");
    json_real(b, f->trial.run_ms, 3);
    key_text(b, "problem", f->problem.msg);
    json_close(b, '}');
    json_native(b, f);
    json_close(b, '}');
    buf_adds(b, "\n");
}

static int run(const struct command *c, int argc, char **argv)
{
    struct doctor_options o = { 0 };
    struct texts operands = { 0 };
    int code = command_options(c, argc, argv, &o, &operands);
    if (code >= 0)
        return code;
    struct term t;
    static struct findings f;    /* large, and needed once */
    term_init(&t, o.no_color);
    look(&f);
    if (o.json) {
        AUTO_BUF out;
        buf_init(&out, 64 << 10);
        as_json(&out, &f);
        term_put(&t, TO_STDOUT, buf_str(&out));
    } else {
        as_text(&t, &f);
    }
    if (t.broken)
        return EXIT_OURS;
    return healthy(&f) ? 0 : 1;
}

const struct command command_doctor = {
    .name = "doctor",
    .usage = "doctor [--json]",
    .summary = "Say which walls this host offers, and try each engine",
    .options = rows,
    .run = run,
};
