/* env/program.c -- the settings that go to the glue with a program.
 * SPDX-License-Identifier: MIT */
#include "env/program.h"
#include "base/json.h"

#include <string.h>

static void key_text(struct buf *b, const char *key, struct str s)
{
    json_key(b, key);
    json_string(b, s);
}

static void key_flag(struct buf *b, const char *key, uint32_t flag)
{
    json_key(b, key);
    json_bool(b, flag != 0);
}

static void key_list(struct buf *b, const char *key, const char *const *list,
                     size_t n)
{
    json_key(b, key);
    json_open(b, '[');
    for (size_t i = 0; i < n; i++) {
        json_item(b);
        json_string(b, str_of(list[i]));
    }
    json_close(b, ']');
}

static const char *mode_text(uint8_t mode)
{
    static const char *const texts[MODE_COUNT] = {
        [MODE_AUTO] = "auto",     [MODE_SCRIPT] = "script",
        [MODE_MODULE] = "module", [MODE_BODY] = "function",
        [MODE_MAIN] = "main",
    };
    return mode < MODE_COUNT ? texts[mode] : "auto";
}

/* Of a name that is given twice the last counts, as for any JSON reader. */
static void put_env(struct buf *b, const struct guest_run *g)
{
    json_key(b, "env");
    json_open(b, '{');
    for (size_t i = 0; i < g->envs; i++) {
        const char *equals = strchr(g->env[i], '=');
        if (!equals)
            continue;
        if (b->len && b->at[b->len - 1] != '{')
            buf_adds(b, ",");
        json_string(b, (struct str){ g->env[i], (size_t)(equals - g->env[i]) });
        buf_adds(b, ":");
        json_string(b, str_of(equals + 1));
    }
    json_close(b, '}');
}

static void put_permissions(struct buf *b, const struct guest_image *image,
                            const struct guest_run *g)
{
    json_key(b, "permissions");
    if (g->permissions.len) {
        json_raw(b, g->permissions);
        return;
    }
    json_open(b, '{');
    key_text(b, "net", image->net ? STR("rules") : STR("deny"));
    key_text(b, "child_process", image->no_children ? STR("deny") : STR("allow"));
    json_close(b, '}');
}

void program_settings(struct buf *out, const struct guest_image *image,
                      const struct msg_run *run, const struct guest_run *g)
{
    const char *host = image->hostname ? image->hostname : "glovebox";
    json_open(out, '{');
    key_text(out, "name", run->name);
    key_text(out, "mode", str_of(mode_text(run->mode)));
    key_flag(out, "plain", run->flags & RUN_PLAIN);
    key_flag(out, "display", run->flags & RUN_DISPLAY);
    key_flag(out, "color", run->flags & RUN_COLOR);
    key_flag(out, "ts", run->flags & RUN_TS);
    if (run->input.len) {
        json_key(out, "input");
        json_raw(out, run->input);
    }
    key_list(out, "argv", g->arg, g->args);
    put_env(out, g);
    key_text(out, "cwd", g->cwd ? str_of(g->cwd) : STR("/workspace"));
    json_key(out, "result_bytes");
    json_u64(out, run->limits.result_bytes);
    if (run->flags & RUN_SEEDED) {
        json_key(out, "seed");
        json_u64(out, run->seed);
    }
    if (g->allowed_import)
        key_list(out, "allowed_imports", g->allowed_import, g->allowed_imports);
    put_permissions(out, image, g);
    key_text(out, "hostname", str_of(host));
    json_key(out, "packages");
    if (image->packages)
        json_string(out, image->engine == ENGINE_NODE
                             ? STR(GUEST_NODE_PACKAGES) : STR(GUEST_PACKAGES));
    else
        json_null(out);
    json_close(out, '}');
}
