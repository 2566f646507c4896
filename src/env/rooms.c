/* env/rooms.c -- what a zygote's jail holds, and how its runtime is started.
 * SPDX-License-Identifier: MIT */
#include "env/rooms.h"
#include "base/json.h"
#include "env/place.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIST_BYTES = 64 << 10 };

/* ---- what every runtime finds --------------------------------------------- */

#define HOST(path) { ROOM_BIND, ROOM_OPTIONAL, path, path }

/* Not /usr/local and not all of /usr: those are the operator's own things. */
static const struct jail_item common[] = {
    { ROOM_BIND, 0, "/usr/bin", "/usr/bin" },
    { ROOM_BIND, 0, "/usr/lib", "/usr/lib" },
    HOST("/usr/lib64"),
    HOST("/usr/share"),

    { ROOM_FILE, 0, "/etc/passwd",
      "root:x:0:0:root:/root:/usr/sbin/nologin\n"
      "glovebox:x:1000:1000:glovebox:/workspace:/bin/sh\n" },
    { ROOM_FILE, 0, "/etc/group", "root:x:0:\nglovebox:x:1000:\n" },
    { ROOM_FILE, 0, "/etc/nsswitch.conf",
      "passwd: files\ngroup: files\nhosts: files dns\n" },
    { ROOM_FILE, 0, "/etc/resolv.conf",
      "nameserver 127.0.0.1\noptions timeout:2 attempts:1\n" },
    HOST("/etc/ssl/certs"),
    HOST("/etc/ssl/openssl.cnf"),
    HOST("/etc/ld.so.cache"),
    HOST("/etc/alternatives"),
    HOST("/etc/fonts"),
    HOST("/etc/matplotlibrc"),
    HOST("/etc/mime.types"),
    HOST("/etc/localtime"),

    { ROOM_DEVICE, 0, "/dev/null", "/dev/null" },
    { ROOM_DEVICE, 0, "/dev/zero", "/dev/zero" },
    { ROOM_DEVICE, 0, "/dev/full", "/dev/full" },
    { ROOM_DEVICE, 0, "/dev/random", "/dev/random" },
    { ROOM_DEVICE, 0, "/dev/urandom", "/dev/urandom" },
    { ROOM_LINK, 0, "/dev/fd", "/proc/self/fd" },
    { ROOM_LINK, 0, "/dev/stdin", "/proc/self/fd/0" },
    { ROOM_LINK, 0, "/dev/stdout", "/proc/self/fd/1" },
    { ROOM_LINK, 0, "/dev/stderr", "/proc/self/fd/2" },
    { ROOM_PROC, 0, "/proc", NULL },

    { ROOM_DIR, 0, "/workspace", NULL },
    { ROOM_DIR, ROOM_WRITABLE, "/tmp", NULL },    /* libraries that cache as they load */
    { ROOM_DIR, 0, "/dev/shm", NULL },
    { ROOM_DIR, 0, "/run", NULL },
};

/* ---- how each is started -------------------------------------------------- */

enum when {
    ALWAYS,
    WARM,          /* of a zygote that is the runtime itself */
    COLD,          /* of a process for each run */
    PACKAGES,      /* only with a folder of packages */
    MOVED,         /* the runtime is shown at another place than it has outside */
    AT_HOME,       /* ... at the same */
    SIGUSR1,       /* the runtime knows --disable-sigusr1 */
    MEMORY,        /* %llu: the limit in MB */
    PRELOAD,       /* %s: a JSON list of names */
    SITES,         /* %s: a JSON list of folders of packages */
    RUNTIME,       /* %s: the binary inside */
};
struct word {
    enum when   when;
    const char *text;
};
enum { RECIPE_WORDS = 16 };

static const struct recipe {
    struct word argv[RECIPE_WORDS], envp[RECIPE_WORDS];
} recipes[ENGINES] = {
    [ENGINE_NODE] = {
        .argv = {
            { COLD,    "/glovebox/glovebox-cold" },
            { COLD,    "--" },
            { RUNTIME, "%s" },
            { WARM,    "--v8-pool-size=1" },
            { WARM,    "--no-memory-reducer" },
            { ALWAYS,  "--experimental-vm-modules" },
            { MEMORY,  "--max-old-space-size=%llu" },
            { SIGUSR1, "--disable-sigusr1" },
            { WARM,    "/glovebox/zygote.cjs" },
            { COLD,    "/glovebox/cold.cjs" },
        },
        .envp = {
            { ALWAYS,   "PATH=/usr/bin:/bin" },
            { WARM,     "LD_PRELOAD=/glovebox/glovebox-node.so" },
            { ALWAYS,   "UV_USE_IO_URING=0" },
            { PRELOAD,  "GLOVEBOX_PRELOAD=%s" },
            { PACKAGES, "GLOVEBOX_PACKAGES=" GUEST_NODE_PACKAGES },
        },
    },
    [ENGINE_PYTHON] = {
        .argv = {
            { COLD,    "/glovebox/glovebox-cold" },
            { COLD,    "--" },
            { RUNTIME, "%s" },
            { ALWAYS,  "-I" },
            { ALWAYS,  "-B" },
            { WARM,    "/glovebox/zygote.py" },
            { COLD,    "/glovebox/cold.py" },
        },
        .envp = {
            /* Its own library, not one of the host's of the same name: the path
             * that was linked in leads nowhere here. */
            { MOVED,    "LD_LIBRARY_PATH=/opt/python/lib" },
            { MOVED,    "PATH=/opt/python/bin:/usr/bin:/bin" },
            { AT_HOME,  "PATH=/usr/bin:/bin" },
            /* Threads made while warming would be missing from every fork. */
            { ALWAYS,   "OPENBLAS_NUM_THREADS=1" },
            { ALWAYS,   "OMP_NUM_THREADS=1" },
            { ALWAYS,   "MPLBACKEND=Agg" },
            { ALWAYS,   "MPLCONFIGDIR=/tmp/.matplotlib" },
            { PRELOAD,  "GLOVEBOX_PRELOAD=%s" },
            { SITES,    "GLOVEBOX_SITE=%s" },
            { PACKAGES, "GLOVEBOX_PACKAGES=" GUEST_PACKAGES },
        },
    },
};
static const char *const common_envp[] = {
    "HOME=/workspace", "USER=glovebox", "LANG=C.UTF-8",
    "TMPDIR=/tmp", "XDG_CACHE_HOME=/tmp/.cache",
};

/* Added in 22.14 and 23.7; an option that it does not know ends node. */
static int knows_disable_sigusr1(const struct runtime *r)
{
    return r->major >= 24 || (r->major == 23 && r->minor >= 7) ||
           (r->major == 22 && r->minor >= 14);
}

static int applies(const struct guest_image *image, enum when when)
{
    switch (when) {
    case WARM:     return !image->cold;
    case COLD:     return image->cold;
    case PACKAGES: return image->packages != NULL;
    case MOVED:    return image->runtime->prefix[0] != '\0';
    case AT_HOME:  return image->runtime->prefix[0] == '\0';
    case SIGUSR1:  return knows_disable_sigusr1(image->runtime);
    case ALWAYS:
    case MEMORY:
    case PRELOAD:
    case SITES:
    case RUNTIME:  break;
    }
    return 1;
}

/* ---- putting it together -------------------------------------------------- */

static void *grown(void *list, size_t n, size_t *room, size_t each)
{
    if (n < *room)
        return list;
    *room = *room ? 2 * *room : 64;
    return realloc(list, *room * each);
}

/* A text that lives as long as the rooms. */
__attribute__((format(printf, 2, 3)))
static const char *text(struct rooms *r, const char *fmt, ...)
{
    char *made = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&made, fmt, ap);
    va_end(ap);
    char **list = grown(r->text, r->texts, &r->text_room, sizeof *list);
    if (list)
        r->text = list;
    if (n < 0 || !list) {
        if (n >= 0)
            free(made);
        r->failed = -ENOMEM;
        return "";
    }
    return r->text[r->texts++] = made;
}

static void add(struct rooms *r, struct jail_item item)
{
    struct jail_item *list = grown(r->item, r->items, &r->room, sizeof *list);
    if (!list) {
        r->failed = -ENOMEM;
        return;
    }
    r->item = list;
    r->item[r->items++] = item;
}

static void add_bind(struct rooms *r, const char *at, const char *from,
                     unsigned flags)
{
    add(r, (struct jail_item){ ROOM_BIND, flags, text(r, "%s", at),
                               text(r, "%s", from) });
}

static void add_text(struct rooms *r, const char *at, const struct buf *b)
{
    if (b->failed)
        r->failed = b->failed;
    add(r, (struct jail_item){ ROOM_FILE, 0, at,
                               text(r, "%.*s", (int)b->len, b->len ? b->at : "") });
}

/* /bin and its like: the links of a merged /usr, or folders of their own. */
static void add_roots(struct rooms *r)
{
    static const char *const names[] = { "/bin", "/lib", "/lib64" };
    for (size_t i = 0; i < COUNT(names); i++) {
        struct stat st;
        char target[PATH_MAX];
        ssize_t n = -1;
        if (lstat(names[i], &st) < 0)
            continue;
        if (S_ISLNK(st.st_mode))
            n = readlink(names[i], target, sizeof target - 1);
        if (n > 0) {
            target[n] = '\0';
            add(r, (struct jail_item){ ROOM_LINK, 0, names[i],
                                       text(r, "%s", target) });
        } else if (S_ISDIR(st.st_mode)) {
            add_bind(r, names[i], names[i], 0);
        }
    }
}

static void add_mounts(struct rooms *r, const struct guest_image *image)
{
    AUTO_BUF writable;
    buf_init(&writable, 1 << 20);
    for (size_t i = 0; i < image->mounts; i++) {
        const struct guest_mount *m = &image->mount[i];
        add_bind(r, m->guest, m->host, m->writable ? ROOM_WRITABLE : 0);
        if (m->writable)
            buf_addf(&writable, "%s\n", m->guest);
    }
    add_text(r, GUEST_WRITABLE, &writable);
}

static void add_sites(struct rooms *r, const struct runtime *runtime)
{
    AUTO_BUF readable;
    buf_init(&readable, 1 << 20);
    for (size_t i = 0; i < runtime->sites; i++) {
        add_bind(r, runtime->site[i], runtime->site[i], ROOM_OPTIONAL);
        buf_addf(&readable, "%s\n", runtime->site[i]);
    }
    add_text(r, GUEST_READABLE, &readable);
}

static int add_rows(struct rooms *r, const struct guest_image *image,
                    struct err *e)
{
    const struct runtime *runtime = image->runtime;
    const char *engine = engine_text(image->engine);
    char folder[64], glue[PATH_MAX];
    snprintf(folder, sizeof folder, PLACE_GUEST "/%s", engine);
    int status = place_path(folder, glue, sizeof glue, e);
    if (status < 0)
        return status;
    for (size_t i = 0; i < COUNT(common); i++)
        add(r, common[i]);
    add_roots(r);
    const char *host = image->hostname ? image->hostname : "glovebox";
    add(r, (struct jail_item){ ROOM_FILE, 0, "/etc/hosts",
        text(r, "127.0.0.1 localhost %s\n::1 localhost\n", host) });
    add(r, (struct jail_item){ ROOM_FILE, 0, "/etc/hostname",
        text(r, "%s\n", host) });
    add_bind(r, "/glovebox", glue, 0);
    if (runtime->prefix[0])
        add_bind(r, text(r, "/opt/%s", engine), runtime->prefix, 0);
    add_sites(r, runtime);
    if (image->packages)
        add_bind(r, image->engine == ENGINE_NODE ? GUEST_NODE_PACKAGES
                                                 : GUEST_PACKAGES,
                 image->packages, 0);
    add_mounts(r, image);
    return 0;
}

/* fmt with a JSON list of n texts in place of its %s. */
static const char *list_text(struct rooms *r, const char *fmt,
                             const char *const *item, size_t n)
{
    AUTO_BUF list;
    buf_init(&list, LIST_BYTES);
    json_open(&list, '[');
    for (size_t i = 0; i < n; i++) {
        json_item(&list);
        json_string(&list, str_of(item[i]));
    }
    json_close(&list, ']');
    buf_add(&list, "", 1);
    if (list.failed) {
        r->failed = list.failed;
        return "";
    }
    const char *mark = strstr(fmt, "%s");
    return text(r, "%.*s%s", (int)(mark - fmt), fmt, list.at);
}

static const char *sites_text(struct rooms *r, const char *fmt,
                              const struct runtime *runtime)
{
    const char *site[COUNT(runtime->site)];
    for (size_t i = 0; i < runtime->sites; i++)
        site[i] = runtime->site[i];
    return list_text(r, fmt, site, runtime->sites);
}

static const char *word_text(struct rooms *r, const struct guest_image *image,
                             const struct word *w)
{
    const char *mark = strchr(w->text, '%');
    unsigned long long mb = image->limits.memory_bytes / MIB;
    switch (w->when) {
    case MEMORY:  return text(r, "%.*s%llu", (int)(mark - w->text), w->text, mb);
    case PRELOAD: return list_text(r, w->text, image->preload, image->preloads);
    case SITES:   return sites_text(r, w->text, image->runtime);
    case RUNTIME: return text(r, "%s", image->runtime->inside);
    case ALWAYS:
    case WARM:
    case COLD:
    case PACKAGES:
    case MOVED:
    case AT_HOME:
    case SIGUSR1: break;
    }
    return w->text;
}

/* The words of a recipe that apply, after those that are there; ends with NULL. */
static void add_words(struct rooms *r, const struct guest_image *image,
                      const struct word *words, const char **out, size_t n)
{
    for (size_t i = 0; i < RECIPE_WORDS && words[i].text; i++)
        if (applies(image, words[i].when) && n + 1 < ROOMS_WORDS)
            out[n++] = word_text(r, image, &words[i]);
    out[n] = NULL;
}

int rooms_furnish(struct rooms *out, const struct guest_image *image,
                  struct err *e)
{
    struct rooms r = { 0 };
    const struct recipe *recipe = &recipes[image->engine];
    int status = add_rows(&r, image, e);
    add_words(&r, image, recipe->argv, r.argv, 0);
    for (size_t i = 0; i < COUNT(common_envp); i++)
        r.envp[i] = common_envp[i];
    add_words(&r, image, recipe->envp, r.envp, COUNT(common_envp));
    if (status == 0 && r.failed)
        status = err_set(e, r.failed, "the jail's rooms: %s", strerror(-r.failed));
    if (status < 0) {
        rooms_free(&r);
        return status;
    }
    *out = r;
    return 0;
}

void rooms_free(struct rooms *r)
{
    for (size_t i = 0; i < r->texts; i++)
        free(r->text[i]);
    free(r->text);
    free(r->item);
    *r = (struct rooms){ 0 };
}
