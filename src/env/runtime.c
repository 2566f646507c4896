/* env/runtime.c -- find Node.js and Python on this host.
 * SPDX-License-Identifier: MIT */
#include "env/runtime.h"
#include "base/buf.h"
#include "base/json_read.h"
#include "env/clock.h"
#include "env/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Both print one line of JSON. Python says which folders of packages it has
 * besides those that come with its library. */
#define NODE_QUESTION                                                         \
    "console.log(JSON.stringify({ program: process.execPath, "                \
    "version: process.version, prefix: '', sites: [] }))"
#define PYTHON_QUESTION                                                       \
    "import json, os, site, sys\n"                                            \
    "real = os.path.realpath\n"                                               \
    "program = real(getattr(sys, '_base_executable', None) or sys.executable)\n" \
    "base = real(sys.base_prefix)\n"                                          \
    "found = [p for p in sys.path + [site.getusersitepackages()]\n"           \
    "         if p.endswith(('site-packages', 'dist-packages'))]\n"           \
    "sites = []\n"                                                            \
    "for p in map(real, found):\n"                                            \
    "    if os.path.isdir(p) and p not in sites:\n"                           \
    "        sites.append(p)\n"                                               \
    "print(json.dumps({'program': program, 'prefix': base, 'sites': sites,\n" \
    "                  'version': '%d.%d.%d' % sys.version_info[:3]}))\n"

enum { MAX_WORDS = 4 };
static const struct kind {
    const char *title, *name, *variable, *flag;
    const char *argv[MAX_WORDS];    /* after the program */
    int         major, minor;    /* at least */
    const char *shown_at, *how;
} kinds[ENGINES] = {
    [ENGINE_NODE] = {
        "Node.js", "node", "GLOVEBOX_NODE", "--node",
        { "-e", NODE_QUESTION }, 20, 0, "/opt/node",
        "install nodejs with your package manager, or npm install node, or say "
        "--node PATH",
    },
    [ENGINE_PYTHON] = {
        "Python", "python3", "GLOVEBOX_PYTHON", "--python",
        { "-I", "-c", PYTHON_QUESTION }, 3, 9, "/opt/python",
        "install python3 with your package manager, or say --python PATH",
    },
};

/* What a shim needs to find its way; nothing that changes an interpreter. */
static const char *const passed_on[] = {
    "PATH", "HOME", "PYENV_ROOT", "PYENV_VERSION", "ASDF_DIR", "ASDF_DATA_DIR",
    "VOLTA_HOME", "NVM_DIR", "MISE_DATA_DIR", "XDG_DATA_HOME",
};

/* ---- asking ------------------------------------------------------------------ */

enum { ENV_WORDS = COUNT(passed_on) + 2, ENV_BYTES = 16 << 10 };

static void clean_environment(char *room, char *envp[ENV_WORDS])
{
    size_t used = 0, n = 0;
    envp[n++] = (char *)(uintptr_t)"LC_ALL=C.UTF-8";
    for (size_t i = 0; i < COUNT(passed_on); i++) {
        const char *value = getenv(passed_on[i]);
        size_t len = value ? strlen(passed_on[i]) + strlen(value) + 2 : 0;
        if (!value || used + len > ENV_BYTES)
            continue;
        snprintf(room + used, ENV_BYTES - used, "%s=%s", passed_on[i], value);
        envp[n++] = room + used;
        used += len;
    }
    envp[n] = NULL;
}

/* In the child: system calls only. */
static _Noreturn void become(const char *program, char *const *argv,
                             char *const *envp, int out)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    if (null >= 0 && dup2(null, STDIN_FILENO) == STDIN_FILENO &&
        dup2(out, STDOUT_FILENO) == STDOUT_FILENO &&
        dup2(out, STDERR_FILENO) == STDERR_FILENO && chdir("/") == 0)
        execve(program, argv, envp);
    _exit(127);
}

/* All it says until it closes its end, the deadline or the cap. */
static int listen_to(int fd, struct buf *out)
{
    uint64_t deadline = clock_now_ns() + RUNTIME_ASK_MS * NS_PER_MS;
    for (;;) {
        uint64_t now = clock_now_ns();
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (now >= deadline)
            return -ETIMEDOUT;
        int r = poll(&p, 1, (int)((deadline - now) / NS_PER_MS) + 1);
        if (r <= 0)
            continue;
        char chunk[4096];
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        if (buf_add(out, chunk, (size_t)n) < 0)
            return -EMSGSIZE;
    }
}

/* Run it and give what it printed. The program is named by its path. */
static int ask(const struct kind *k, const char *program,
               const char *const *words, struct buf *out, struct err *e)
{
    char room[ENV_BYTES], *envp[ENV_WORDS], *argv[MAX_WORDS + 2];
    int ends[2], status = 0;
    size_t n = 0;
    clean_environment(room, envp);
    argv[n++] = (char *)(uintptr_t)program;
    for (size_t i = 0; i < MAX_WORDS && words[i]; i++)
        argv[n++] = (char *)(uintptr_t)words[i];
    argv[n] = NULL;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_sys(e, "asking %s", program);
    AUTO_FD in = ends[0];
    pid_t pid = fork();
    if (pid == 0)
        become(program, argv, envp, ends[1]);
    close(ends[1]);
    if (pid < 0)
        return err_sys(e, "asking %s", program);
    int r = listen_to(in, out);
    if (r < 0) {
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (r == -ETIMEDOUT)
        return err_set(e, r, "%s: %s gave no answer within %d s", k->flag, program,
                       RUNTIME_ASK_MS / 1000);
    if (r < 0)
        return err_set(e, r, "%s: %s: %s", k->flag, program, strerror(-r));
    return 0;
}

/* ---- reading the answer ------------------------------------------------------ */

static int copy(char *out, size_t room, const struct json_value *all,
                const char *name)
{
    struct json_value v;
    AUTO_BUF text;
    buf_init(&text, room - 1);
    if (!json_member(all, name, &v) || v.kind != JSON_STRING)
        return -EINVAL;
    json_string_text(&v, &text);
    if (text.failed || (text.len && memchr(text.at, 0, text.len)))
        return -EINVAL;
    if (text.len)
        memcpy(out, text.at, text.len);
    out[text.len] = '\0';
    return 0;
}

/* Below a folder, or the folder itself. */
static int is_beneath(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return n && strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}

static int add_site(struct runtime *r, const struct json_value *v)
{
    AUTO_BUF text;
    buf_init(&text, sizeof r->site[0] - 1);
    json_string_text(v, &text);
    if (text.failed || !text.len || text.at[0] != '/' ||
        memchr(text.at, 0, text.len) || r->sites == COUNT(r->site))
        return -EINVAL;
    char *at = r->site[r->sites];
    memcpy(at, text.at, text.len);
    at[text.len] = '\0';
    /* What comes with the runtime is shown with the runtime. */
    if (is_beneath(at, "/usr/lib") || is_beneath(at, r->prefix))
        at[0] = '\0';
    else
        r->sites++;
    return 0;
}

static void parse_version(struct runtime *r)
{
    const char *at = r->version + (r->version[0] == 'v');
    r->major = (int)strtol(at, NULL, 10);
    at = strchr(at, '.');
    r->minor = at ? (int)strtol(at + 1, NULL, 10) : 0;
}

/* The line of JSON among what it said; before it a shim may have had its say. */
static int read_answer(struct str said, struct runtime *r)
{
    const char *at = said.len ? memmem(said.at, said.len, "{\"program\"", 10) : NULL;
    if (!at)
        return -EINVAL;
    size_t left = said.len - (size_t)(at - said.at);
    const char *end = memchr(at, '\n', left);
    struct str line = { at, end ? (size_t)(end - at) : left };
    struct json_value all, sites, v;
    struct json_walk w;
    if (json_read(line, &all, NULL) < 0 ||
        copy(r->program, sizeof r->program, &all, "program") < 0 ||
        copy(r->version, sizeof r->version, &all, "version") < 0 ||
        copy(r->prefix, sizeof r->prefix, &all, "prefix") < 0 ||
        !json_member(&all, "sites", &sites))
        return -EINVAL;
    if (is_beneath(r->program, "/usr/bin"))
        r->prefix[0] = '\0';    /* not all of /usr is shown with it */
    for (json_walk_begin(&w, &sites); json_walk_next(&w, &v);)
        if (add_site(r, &v) < 0)
            return -EINVAL;
    parse_version(r);
    return 0;
}

/* A node that is no shim: its version is all there is to ask, and quickly told. */
static int is_binary_node(const struct kind *k, const char *program)
{
    char magic[4] = "";
    AUTO_FD fd = open(program, O_RDONLY | O_CLOEXEC);
    return strcmp(k->name, "node") == 0 && fd >= 0 &&
           read(fd, magic, sizeof magic) == sizeof magic &&
           memcmp(magic, "\177ELF", 4) == 0;
}

static int read_version(struct str said, const char *program, struct runtime *r)
{
    const char *end = said.len ? memchr(said.at, '\n', said.len) : NULL;
    size_t n = end ? (size_t)(end - said.at) : said.len;
    if (n < 2 || n >= sizeof r->version || said.at[0] != 'v' ||
        !realpath(program, r->program))
        return -EINVAL;
    memcpy(r->version, said.at, n);
    r->version[n] = '\0';
    parse_version(r);
    return r->major > 0 ? 0 : -EINVAL;
}

static int no_answer(const struct kind *k, const char *program, struct str said,
                     struct err *e)
{
    while (said.len && (said.at[0] == '\n' || said.at[0] == ' ')) {
        said.at++;
        said.len--;
    }
    const char *end = said.len ? memchr(said.at, '\n', said.len) : NULL;
    size_t n = end ? (size_t)(end - said.at) : said.len;
    return err_set(e, -EINVAL, "%s: %s is no %s that works%s%.*s", k->flag, program,
                   k->title, n ? ": " : "", (int)(n < 120 ? n : 120),
                   n ? said.at : "");
}

/* ---- how it is shown --------------------------------------------------------- */

/* What an installation's own folder may hold at its top, and no more. */
static int is_ordinary(const char *name)
{
    static const char *const names[] = {
        ".", "..", "bin", "lib", "lib64", "include", "share", "etc", "man", "sbin",
        "src", "games", "doc", "docs", "libexec", "conda-meta", "condabin", "envs",
        "pkgs", "shell", "compiler_compat", "ssl", "var", "x86_64-conda-linux-gnu",
        "LICENSE", "LICENSE.txt", "README.md", "CHANGELOG.md", "package.json",
        "pyvenv.cfg", "BUILD", "VERSION", "node_modules", "installation", "corepack",
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

static int is_persons(const char *folder)
{
    char home[PATH_MAX], local[PATH_MAX + 8];
    const char *named = getenv("HOME");
    if (strcmp(folder, "/") == 0 || strcmp(folder, "/home") == 0)
        return 1;
    if (!named || !realpath(named, home))
        return 0;
    snprintf(local, sizeof local, "%s/.local", home);
    return is_beneath(home, folder) || strcmp(folder, local) == 0;
}

static int is_own_folder(const char *folder)
{
    if (is_persons(folder))
        return 0;
    if (strcmp(folder, "/usr/local") == 0)
        return 1;
    DIR *d = opendir(folder);
    int own = d != NULL;
    for (struct dirent *entry; own && (entry = readdir(d));)
        own = is_ordinary(entry->d_name);
    if (d)
        closedir(d);
    return own;
}

/* .../bin/node: the folder above bin. */
static void node_prefix(struct runtime *r)
{
    char *prefix = r->prefix;
    snprintf(prefix, sizeof r->prefix, "%s", r->program);
    char *slash = strrchr(prefix, '/');
    if (slash)
        *slash = '\0';
    slash = strrchr(prefix, '/');
    if (!slash || strcmp(slash, "/bin") != 0) {
        prefix[0] = '\0';
        return;
    }
    *slash = '\0';
}

/* Folders of packages keep their path inside; a run has these for itself. */
static int check_sites(const struct kind *k, const struct runtime *r,
                       struct err *e)
{
    static const char *const own[] = { "/tmp", "/workspace", "/dev", "/proc" };
    for (size_t i = 0; i < r->sites; i++)
        for (size_t n = 0; n < COUNT(own); n++)
            if (is_beneath(r->site[i], own[n]))
                return err_set(e, -EINVAL, "%s: its packages lie in %s, and every run "
                               "has a %s of its own that hides them; move them "
                               "elsewhere", k->flag, r->site[i], own[n]);
    return 0;
}

static int show(const struct kind *k, struct runtime *r, struct err *e)
{
    int status = check_sites(k, r, e);
    if (status < 0)
        return status;
    if (is_beneath(r->program, "/usr/bin")) {
        snprintf(r->inside, sizeof r->inside, "%s", r->program);
        return 0;
    }
    if (r->engine == ENGINE_NODE)
        node_prefix(r);
    size_t n = strlen(r->prefix);
    if (n && is_beneath(r->program, r->prefix) && is_own_folder(r->prefix)) {
        snprintf(r->inside, sizeof r->inside, "%s%s", k->shown_at, r->program + n);
        return 0;
    }
    if (r->engine == ENGINE_NODE) {
        snprintf(r->prefix, sizeof r->prefix, "%s", r->program);
        snprintf(r->inside, sizeof r->inside, "%s", k->shown_at);
        return 0;
    }
    return err_set(e, -EINVAL, "%s: %s is installed in %s together with other files, "
                   "and programs would see all of them; use one with a folder of its "
                   "own (a package of your system, pyenv, uv)", k->flag, r->program,
                   r->prefix[0] ? r->prefix : "/");
}

/* ---- where to look ----------------------------------------------------------- */

static int in_path(const char *name, char *out, size_t room)
{
    const char *path = getenv("PATH");
    if (!path || !*path)
        path = "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        size_t n = strcspn(path, ":");
        struct stat st;
        /* An empty part means the current folder, which nobody chose. */
        if (n && path[0] == '/') {
            int len = snprintf(out, room, "%.*s/%s", (int)n, path, name);
            if (len > 0 && (size_t)len < room && stat(out, &st) == 0 &&
                S_ISREG(st.st_mode) && access(out, X_OK) == 0)
                return 0;
        }
        if (!path[n])
            return -ENOENT;
        path += n + 1;
    }
}

static int beside_us(char *out, size_t room)
{
    char link[40];
    AUTO_FD fd = -1;
    if (place_open("node", &fd, NULL) < 0)
        return -ENOENT;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, room - 1);
    if (n <= 0)
        return -ENOENT;
    out[n] = '\0';
    return access(out, X_OK) == 0 ? 0 : -ENOENT;
}

static int named_one(const struct kind *k, const char *given, char *out,
                     struct err *e)
{
    const char *by = k->flag;
    if (!given) {
        given = getenv(k->variable);
        by = k->variable;
    }
    if (!given || !*given)
        return 0;
    char *real = realpath(given, NULL);
    if (!real)
        return err_set(e, -errno, "%s: %s: %s", by, given, strerror(errno));
    /* A venv's python is a link, and means more than what it points to. */
    int n = given[0] == '/' ? snprintf(out, PATH_MAX, "%s", given)
                            : snprintf(out, PATH_MAX, "%s", real);
    if (given[0] != '/' && strcmp(k->name, "python3") == 0) {
        char *cwd = getcwd(NULL, 0);
        n = cwd ? snprintf(out, PATH_MAX, "%s/%s", cwd, given) : n;
        free(cwd);
    }
    free(real);
    struct stat st;
    if (n < 0 || n >= PATH_MAX || stat(out, &st) < 0 || !S_ISREG(st.st_mode) ||
        access(out, X_OK) < 0)
        return err_set(e, -EINVAL, "%s: %s is no program", by, given);
    return 1;
}

static int find_program(const struct kind *k, const char *given, char *out,
                        struct err *e)
{
    int r = named_one(k, given, out, e);
    if (r != 0)
        return r < 0 ? r : 0;
    if (strcmp(k->name, "node") == 0 && beside_us(out, PATH_MAX) == 0)
        return 0;
    if (in_path(k->name, out, PATH_MAX) == 0)
        return 0;
    return err_set(e, -ENOENT, "there is no %s here: %s. js programs need none", k->title,
                   k->how);
}

static int ask_all(const struct kind *k, const char *program,
                   struct runtime *r, struct err *e)
{
    static const char *const version[MAX_WORDS] = { "--version" };
    AUTO_BUF said;
    buf_init(&said, RUNTIME_ANSWER_BYTES);
    int binary = is_binary_node(k, program);
    int status = ask(k, program, binary ? version : k->argv, &said, e);
    if (status < 0)
        return status;
    status = binary ? read_version(buf_str(&said), program, r)
                    : read_answer(buf_str(&said), r);
    if (status < 0)
        return no_answer(k, program, buf_str(&said), e);
    if (r->major < k->major || (r->major == k->major && r->minor < k->minor))
        return err_set(e, -EINVAL, "%s %s (%s) is too old: %d.%d or newer is needed; "
                       "%s", k->title, r->version, r->program, k->major, k->minor,
                       k->how);
    return show(k, r, e);
}

int runtime_find(enum engine engine, const char *given, struct runtime *out,
                 struct err *e)
{
    const struct kind *k = &kinds[engine];
    char program[PATH_MAX];
    int r = find_program(k, given, program, e);
    if (r < 0)
        return r;
    struct runtime *found = calloc(1, sizeof *found);
    if (!found)
        return err_set(e, -ENOMEM, "no memory");
    found->engine = engine;
    r = ask_all(k, program, found, e);
    if (r == 0)
        *out = *found;
    free(found);
    return r;
}
