/* cli/guest_plan.c -- what a run of node or python needs, before anything runs.
 * SPDX-License-Identifier: MIT */
#include "cli/guest_plan.h"
#include "base/io.h"
#include "base/nearest.h"
#include "cli/packages.h"
#include "env/files.h"
#include "env/runtime.h"
#include "jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STDIN_BYTES = 64 << 20, MAX_POLICY = 1 << 20 };

/* Keeps a text as long as the plan; takes it. NULL if there was no memory. */
static const char *keep(struct guest_plan *g, char *text)
{
    if (text && g->owns == g->owned_room) {
        size_t room = g->owned_room ? 2 * g->owned_room : 64;
        char **more = realloc(g->owned, room * sizeof *more);
        if (!more) {
            free(text);
            return NULL;
        }
        g->owned = more;
        g->owned_room = room;
    }
    if (text)
        g->owned[g->owns++] = text;
    return text;
}

static int no_memory(struct err *e)
{
    return err_set(e, -ENOMEM, "no memory");
}

/* ---- arguments, variables, input --------------------------------------------- */

static int plan_args(struct guest_plan *g, const struct guest_ask *a, struct err *e)
{
    const struct text_list *list = &a->options->args;
    if (a->args.n > MAX_LIST)
        return err_set(e, -EINVAL, "more than %d arguments", MAX_LIST);
    for (size_t i = 0; i < list->n; i++)
        g->arg[g->run.args++] = list->at[i];
    for (size_t i = 0; i < a->args.n; i++)
        g->arg[g->run.args++] = a->args.at[i];
    g->run.arg = g->arg;
    return 0;
}

static int plan_variable(struct guest_plan *g, const char *text, struct err *e)
{
    size_t n = strcspn(text, "=");
    const char *value = text[n] ? text + n + 1 : NULL;
    if (!n)
        return err_set(e, -EINVAL, "--env: '%.60s' has no name; NAME=VALUE, or NAME "
                       "for the value it has here", text);
    if (!permissions_env(&g->permissions, (struct str){ text, n }))
        return 0;
    if (value) {
        g->env[g->run.envs++] = text;
        return 0;
    }
    value = getenv(text);
    if (!value)
        return err_set(e, -EINVAL, "--env: there is no variable %.60s here; give it a "
                       "value: --env %.60s=...", text, text);
    char *made = malloc(n + strlen(value) + 2);
    if (!made)
        return no_memory(e);
    memcpy(made, text, n);
    made[n] = '=';
    memcpy(made + n + 1, value, strlen(value) + 1);
    const char *kept = keep(g, made);
    if (!kept)
        return no_memory(e);
    g->env[g->run.envs++] = kept;
    return 0;
}

static int plan_env(struct guest_plan *g, const struct guest_ask *a, struct err *e)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < a->options->env.n; i++)
        r = plan_variable(g, a->options->env.at[i], e);
    g->run.env = g->env;
    return r;
}

/* One run reads our stdin as it comes; several all get the same bytes. */
static int plan_own_stdin(struct guest_plan *g, const struct guest_ask *a,
                          struct err *e)
{
    if (a->runs == 1) {
        g->run.input_fd = STDIN_FILENO;
        return 0;
    }
    int r = io_read_fd(STDIN_FILENO, "stdin", STDIN_BYTES, &g->input, e);
    g->run.input = buf_str(&g->input);
    return r;
}

/*
 * What the program reads. Without --stdin it is what is piped into us, unless
 * that was the program, or nobody said so for several runs.
 */
static int plan_stdin(struct guest_plan *g, const struct guest_ask *a,
                      struct err *e)
{
    const char *from = a->options->stdin_from;
    struct stat st;
    if (!from && (a->stdin_taken || a->runs > 1 || fstat(STDIN_FILENO, &st) < 0 ||
                  isatty(STDIN_FILENO)))
        from = "none";
    if (!from)
        from = "-";
    if (strcmp(from, "none") == 0)
        return 0;
    if (strcmp(from, "-") == 0 && a->stdin_taken)
        return err_set(e, -EINVAL, "--stdin -: the program itself came from there");
    if (strcmp(from, "-") == 0)
        return plan_own_stdin(g, a, e);
    if (a->runs > 1) {
        int r = io_read_file(from, STDIN_BYTES, &g->input, e);
        g->run.input = buf_str(&g->input);
        return r == -ENOENT ? err_set(e, r, "--stdin: %s: no such file", from) : r;
    }
    g->input_fd = open(from, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (g->input_fd < 0)
        return errno == ENOENT ? err_set(e, -ENOENT, "--stdin: %s: no such file", from)
                               : err_sys(e, "--stdin: %s", from);
    g->run.input_fd = g->input_fd;
    return 0;
}

/* ---- files ------------------------------------------------------------------- */

static int plan_file(struct guest_plan *g, const struct guest_ask *a,
                     const char *text, struct err *e)
{
    static const char work[] = "/workspace/";
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return err_set(e, -EINVAL, "--file: '%.60s' is not PATH=FILE, e.g. --file "
                       "data/in.csv=./in.csv", text);
    if (strncmp(text, work, sizeof work - 1) == 0)
        text += sizeof work - 1;
    char *path = strndup(text, (size_t)(equals - text));
    if (!keep(g, path))
        return no_memory(e);
    struct err why = { 0 };
    if (files_check_path(path, &why) < 0)
        return err_set(e, -EINVAL, "--file: %s", why.msg);
    for (size_t i = 0; i < g->files; i++)
        if (strcmp(g->file[i].path, path) == 0)
            return err_set(e, -EINVAL, "--file: %.80s is given twice", path);
    struct buf *b = &g->file_bytes[g->files];
    size_t cap = (size_t)a->limits.file_bytes;
    buf_init(b, cap + 1);
    int r = io_read_file(equals + 1, cap, b, e);
    g->file[g->files] = (struct guest_file){ path, buf_str(b) };
    g->files++;
    if (r == -ENOENT)
        return err_set(e, r, "--file: %s: no such file", equals + 1);
    if (r == -EISDIR)
        return err_set(e, -EINVAL, "--file: %s: a folder; show it with --mount",
                       equals + 1);
    if (r == -EFBIG)
        return err_set(e, -EINVAL, "--file: %s: larger than --max-file", equals + 1);
    return r;
}

static int plan_files(struct guest_plan *g, const struct guest_ask *a,
                      struct err *e)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < a->options->files.n; i++)
        r = plan_file(g, a, a->options->files.at[i], e);
    g->run.file = g->file;
    g->run.files = g->files;
    return r;
}

static int plan_out(struct guest_plan *g, const struct guest_ask *a, struct err *e)
{
    const char *dir = a->options->out;
    if (!dir)
        return 0;
    if (a->runs > 1)
        return err_set(e, -EINVAL, "--out takes the files of one run, and there are "
                       "%zu", a->runs);
    if (mkdir(dir, 0777) < 0 && errno != EEXIST)
        return err_sys(e, "--out: %s", dir);
    g->out_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (g->out_fd < 0)
        return err_sys(e, "--out: %s", dir);
    g->run.out_fd = g->out_fd;
    return 0;
}

static int is_beneath(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}

/* Where a folder may be shown: nowhere that means something already. */
static int check_guest_path(const char *at, struct err *e)
{
    static const char *const taken[] = {
        "/proc", "/sys", "/dev", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
        "/etc", "/run", "/glovebox", "/opt/node", "/opt/python", GUEST_PACKAGES,
        GUEST_NODE_PACKAGES,
    };
    static const char *const runs[] = { "/workspace", "/tmp" };
    if (at[0] != '/' || !at[1] || strstr(at, "//") || strstr(at, "/./") ||
        strstr(at, "/../") || at[strlen(at) - 1] == '/' || strlen(at) > 200 ||
        strpbrk(at, "\n*?"))
        return err_set(e, -EINVAL, "--mount: '%.80s' is not a place for a folder; give "
                       "an absolute path like /data", at);
    for (size_t i = 0; i < COUNT(taken); i++)
        if (is_beneath(at, taken[i]) || is_beneath(taken[i], at))
            return err_set(e, -EINVAL, "--mount: %.80s belongs to the system inside; "
                           "choose another place, like /data", at);
    for (size_t i = 0; i < COUNT(runs); i++)
        if (is_beneath(at, runs[i]))
            return err_set(e, -EINVAL, "--mount: %.80s: each run has a %s of its own, "
                           "which would hide it; choose another place, like /data",
                           at, runs[i]);
    return 0;
}

static int check_host_path(const char *real, struct err *e)
{
    static const char *const never[] = { "/proc", "/sys", "/dev" };
    if (strcmp(real, "/") == 0)
        return err_set(e, -EINVAL, "--mount: all of this host is no folder to show");
    for (size_t i = 0; i < COUNT(never); i++)
        if (is_beneath(real, never[i]))
            return err_set(e, -EINVAL, "--mount: %s is this host's kernel, which a "
                           "sandbox hides", real);
    return 0;
}

/* Runs that root starts are a user of their own, whom the folder does not know. */
static int check_writable(const char *real, struct err *e)
{
    struct stat st;
    if (geteuid() != 0 || stat(real, &st) < 0 || (st.st_mode & S_IWOTH))
        return 0;
    return err_set(e, -EINVAL, "--mount: %.80s:rw: runs started by root are a user of "
                   "their own, who may not write there; start glovebox as the folder's "
                   "owner, or let others write (chmod o+w)", real);
}

static int plan_mount(struct guest_plan *g, const char *text, struct err *e)
{
    struct guest_mount *m = &g->mount[g->image.mounts];
    char host[PATH_MAX], *guest;
    const char *last = strrchr(text, ':');
    int writable = last && strcmp(last, ":rw") == 0;
    int marked = writable || (last && strcmp(last, ":ro") == 0);
    size_t len = marked ? (size_t)(last - text) : strlen(text);
    const char *colon = len ? memrchr(text, ':', len) : NULL;
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof host)
        return err_set(e, -EINVAL, "--mount: '%.80s' is not DIR:AT, e.g. --mount "
                       "./data:/data, or ./data:/data:rw", text);
    memcpy(host, text, (size_t)(colon - text));
    host[colon - text] = '\0';
    guest = strndup(colon + 1, len - (size_t)(colon + 1 - text));
    char *real = realpath(host, NULL);
    int missing = errno;
    if (!keep(g, guest) || (real && !keep(g, real)))
        return no_memory(e);
    if (!real)
        return err_set(e, missing == ENOENT ? -ENOENT : -missing, "--mount: %.80s: %s",
                       host, missing == ENOENT ? "no such folder" : strerror(missing));
    int r = check_guest_path(guest, e);
    if (r == 0)
        r = check_host_path(real, e);
    if (r == 0 && writable)
        r = check_writable(real, e);
    for (size_t i = 0; r == 0 && i < g->image.mounts; i++)
        if (strcmp(g->mount[i].guest, guest) == 0)
            r = err_set(e, -EINVAL, "--mount: %.80s is given twice", guest);
    *m = (struct guest_mount){ real, guest, writable };
    g->image.mounts++;
    return r;
}

static int plan_mounts(struct guest_plan *g, const struct guest_ask *a,
                       struct err *e)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < a->options->mounts.n; i++)
        r = plan_mount(g, a->options->mounts.at[i], e);
    g->image.mount = g->mount;
    return r;
}

/* ---- what it may do ---------------------------------------------------------- */

static int read_policy(const char *text, struct buf *out, struct err *e)
{
    if (text[0] != '@')
        return buf_adds(out, text) < 0
            ? err_set(e, -EINVAL, "--permissions: too large") : 0;
    int r = io_read_file(text + 1, MAX_POLICY, out, e);
    return r == -ENOENT ? err_set(e, r, "--permissions: %s: no such file", text + 1)
                        : r;
}

static int plan_net(struct guest_plan *g, const struct guest_ask *a, struct err *e)
{
    struct permissions *p = &g->permissions;
    struct err why = { 0 };
    for (size_t i = 0; i < a->options->allow_net.n; i++)
        if (permissions_allow_host(p, a->options->allow_net.at[i], &why) < 0)
            return err_set(e, -EINVAL, "--allow-net: %s", why.msg);
    if (p->net == PERMISSION_DENY)
        return 0;
    if (net_policy_parse(buf_str(&p->net_rules), &g->net, &why) < 0)
        return err_set(e, -EINVAL, "%s: %s",
                       a->options->allow_net.n ? "--allow-net" : "--permissions: net",
                       why.msg);
    g->image.net = &g->net;
    return 0;
}

static int plan_permissions(struct guest_plan *g, const struct guest_ask *a,
                            struct err *e)
{
    struct permissions *p = &g->permissions;
    AUTO_BUF text;
    buf_init(&text, MAX_POLICY + 4096);
    int r = 0;
    if (a->options->permissions) {
        r = read_policy(a->options->permissions, &text, e);
        if (r == 0)
            r = permissions_read(p, buf_str(&text), g->mount, g->image.mounts, e);
    }
    if (r == 0)
        r = plan_net(g, a, e);
    if (r < 0)
        return r;
    g->image.no_children = p->child_process == PERMISSION_DENY;
    if (g->image.no_children && a->options->cold)
        return err_set(e, -EINVAL, "--cold and child_process = deny: a process for each "
                       "run cannot be started under a rule that forbids it");
    if (g->image.no_children)
        g->image.cold = 0;
    g->image.path = p->fs == PERMISSION_ALLOW ? NULL : p->path;
    g->image.paths = p->paths;
    permissions_words(p, &g->words);
    g->run.permissions = buf_str(&g->words);
    return g->words.failed ? no_memory(e) : 0;
}

static int wall_named(const char *flag, const char *text, unsigned *out,
                      struct err *e)
{
    static const char *const names[] = {
#define X(NAME, bit, text, what) text,
        WALLS(X)
#undef X
    };
    *out = wall_by_text(text);
    const char *near = nearest_word(text, names, COUNT(names));
    if (*out)
        return 0;
    return err_set(e, -EINVAL, "%s: no wall is named '%.60s'%s%s", flag, text,
                   near ? "; did you mean " : "", near ? near : "");
}

static int plan_walls(struct guest_plan *g, const struct guest_ask *a,
                      struct err *e)
{
    const struct run_options *o = a->options;
    unsigned wall = 0;
    if (a->required & WALL_SFI)
        return err_set(e, -EINVAL, "--require sfi: %s runs as native code, which has no "
                       "such wall; js has", engine_text(a->engine));
    for (size_t i = 0; i < o->allow_missing.n; i++) {
        int r = wall_named("--allow-missing", o->allow_missing.at[i], &wall, e);
        if (r < 0)
            return r;
        if (!(wall & GUEST_MAY_MISS))
            return err_set(e, -EINVAL, "--allow-missing: %s is %s; only landlock, "
                           "cgroup_ns and uts_ns can be done without by name",
                           wall_text(wall), wall & GUEST_REQUIRES
                           ? "a wall without which native code is in no sandbox"
                           : "not required in the first place");
        g->image.may_miss |= wall;
    }
    for (size_t i = 0; i < o->leave_out.n; i++) {
        int r = wall_named("--leave-out", o->leave_out.at[i], &wall, e);
        if (r < 0)
            return r;
        g->image.leave_out |= wall;
    }
    g->image.required = a->required;
    return 0;
}

/* ---- the rest ----------------------------------------------------------------- */

static int plan_names(struct guest_plan *g, const struct guest_ask *a,
                      struct err *e)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    const struct run_options *o = a->options;
    const char *h = o->hostname;
    if (h && (!*h || strlen(h) > 63 || strspn(h, letters) != strlen(h) || *h == '-'))
        return err_set(e, -EINVAL, "--hostname: '%.70s' is no name of a host", h);
    if (o->cwd && (o->cwd[0] != '/' || strstr(o->cwd, "/..")))
        return err_set(e, -EINVAL, "--cwd: '%.80s' is not an absolute path inside, like "
                       "/workspace", o->cwd);
    g->image.hostname = h;
    g->run.cwd = o->cwd;
    g->run.allowed_import = o->allow_imports.n ? o->allow_imports.at : NULL;
    g->run.allowed_imports = o->allow_imports.n;
    return 0;
}

static int plan_packages(struct guest_plan *g, const struct guest_ask *a,
                         struct err *e)
{
    const struct run_options *o = a->options;
    struct package_list found = { .name = g->preload, .room = MAX_LIST };
    int r = 0;
    if (o->packages)
        r = packages_find(o->packages, &g->packages, &found, e);
    for (size_t i = 0; i < found.n; i++)
        if (!keep(g, (char *)(uintptr_t)found.name[i]) && r == 0)
            r = no_memory(e);
    for (size_t i = 0; r == 0 && i < o->preload.n; i++) {
        if (found.n == MAX_LIST)
            return err_set(e, -EINVAL, "--preload: more than %d packages", MAX_LIST);
        g->preload[found.n++] = o->preload.at[i];
    }
    g->image.packages = g->packages;
    g->image.preload = g->preload;
    g->image.preloads = found.n;
    return r;
}

static int plan_runtime(struct guest_plan *g, const struct guest_ask *a,
                        struct err *e)
{
    const struct run_options *o = a->options;
    int r = runtime_find(a->engine, a->engine == ENGINE_NODE ? o->node : o->python,
                         &g->runtime, e);
    g->image.runtime = &g->runtime;
    return r;
}

static int plan_network(struct guest_plan *g, const struct guest_ask *a,
                        struct err *e)
{
    (void)a;
    struct network_spec spec = { .policy = &g->net,
                                 .rules = buf_str(&g->permissions.net_rules) };
    if (!g->image.net)
        return 0;
    for (size_t i = 0; i < g->net.rules; i++)
        if (g->net.rule[i].methods || g->net.rule[i].path)
            return err_set(e, -EINVAL, "the rule '%.80s' has methods or a path: of "
                           "node and python only hosts and ports can be seen, as "
                           "their connections are encrypted end to end; fetch of js "
                           "programs can be held to it", g->net.rule[i].text);
    return network_open(&spec, &g->network, e);
}

/* To warm up takes longer than one start, and pays from the second run on. */
static int starts_cold(const struct guest_ask *a)
{
    const struct run_options *o = a->options;
    return o->cold || (a->runs == 1 && !o->spares.given && !o->preload.n);
}

static void begin(struct guest_plan *g, const struct guest_ask *a)
{
    const struct run_options *o = a->options;
    g->input_fd = g->out_fd = -1;
    buf_init(&g->input, STDIN_BYTES + 4096);
    buf_init(&g->words, 4096);
    permissions_init(&g->permissions);
    g->image = (struct guest_image){
        .engine = a->engine, .limits = a->limits, .cold = starts_cold(a),
        .spares = o->spares.given ? (unsigned)o->spares.value : 0,
    };
    g->run = (struct guest_run){ .input_fd = -1, .out_fd = -1 };
}

int guest_plan_make(const struct guest_ask *ask, struct guest_plan **out,
                    struct err *e)
{
    /* Looking for the runtime takes longest, making a folder changes the host
     * and a network is a process: last, when nothing else can be wrong. */
    static int (*const steps[])(struct guest_plan *, const struct guest_ask *,
                                struct err *) = {
        plan_names, plan_walls, plan_args, plan_mounts, plan_permissions, plan_env,
        plan_files, plan_packages, plan_stdin, plan_runtime, plan_out, plan_network,
    };
    struct guest_plan *g = calloc(1, sizeof *g);
    if (!g)
        return no_memory(e);
    begin(g, ask);
    int r = 0;
    for (size_t i = 0; r == 0 && i < COUNT(steps); i++)
        r = steps[i](g, ask, e);
    if (r < 0) {
        guest_plan_free(g);
        return r;
    }
    *out = g;
    return 0;
}

void guest_plan_free(struct guest_plan *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->owns; i++)
        free(g->owned[i]);
    free(g->owned);
    free(g->packages);
    for (size_t i = 0; i < g->files; i++)
        buf_free(&g->file_bytes[i]);
    buf_free(&g->input);
    buf_free(&g->words);
    network_close(g->network);
    permissions_free(&g->permissions);
    net_policy_free(&g->net);
    fd_closep(&g->input_fd);
    fd_closep(&g->out_fd);
    free(g);
}
