/* env/modules.c -- relative imports: files under one folder, and no others.
 * SPDX-License-Identifier: MIT */
#include "env/modules.h"
#include "base/json.h"
#include "base/nearest.h"
#include "wire/image.h"
#include "wire/messages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { MAX_LISTED = 20, MAX_SCANNED = 4096, MAX_HELP_BYTES = 8192 };

/* ---- names ---------------------------------------------------------------- */

static int part_ok(struct str part)
{
    return part.len && !str_is(part, ".") && !str_is(part, "..");
}

int module_name_ok(struct str name)
{
    if (!name.len || name.len > MAX_NAME_BYTES || memchr(name.at, 0, name.len))
        return 0;
    for (size_t start = 0; start <= name.len;) {
        const char *slash = memchr(name.at + start, '/', name.len - start);
        size_t end = slash ? (size_t)(slash - name.at) : name.len;
        if (!part_ok((struct str){ name.at + start, end - start }))
            return 0;
        start = end + 1;
    }
    return 1;
}

/* The folder part of a path, without its slash; empty at the root. */
static struct str folder_of(struct str path)
{
    while (path.len && path.at[path.len - 1] != '/')
        path.len--;
    if (path.len)
        path.len--;
    return path;
}

static struct str leaf_of(struct str path)
{
    struct str folder = folder_of(path);
    size_t skip = folder.len ? folder.len + 1 : 0;
    return (struct str){ path.at + skip, path.len - skip };
}

static struct str extension_of(struct str path)
{
    struct str leaf = leaf_of(path);
    for (size_t i = leaf.len; i-- > 0;)
        if (leaf.at[i] == '.')
            return (struct str){ leaf.at + i, leaf.len - i };
    return STR("");
}

/* name as an import in base would spell it: "./x.js", "../lib/x.js". */
static void add_relative(struct buf *out, struct str base, struct str name)
{
    size_t from = base.len - leaf_of(base).len;    /* its folder, with slash */
    size_t same = 0;
    for (size_t i = 0; i < from && i < name.len && base.at[i] == name.at[i]; i++)
        if (name.at[i] == '/')
            same = i + 1;
    const char *step = "./";
    for (size_t i = same; i < from; i++) {
        if (base.at[i] == '/') {
            buf_adds(out, "../");
            step = "";
        }
    }
    buf_adds(out, step);
    buf_add(out, name.at + same, name.len - same);
}

/* ---- files ---------------------------------------------------------------- */

static int open_beneath(int root_fd, struct str name, uint64_t flags)
{
    char path[MAX_NAME_BYTES + 1];
    if (!name.len)
        name = STR(".");
    if (name.len >= sizeof path)
        return -ENAMETOOLONG;
    memcpy(path, name.at, name.len);
    path[name.len] = '\0';
    /* O_NONBLOCK: a named pipe in the folder must not hold us up. */
    struct open_how how = {
        .flags   = flags | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, root_fd, path, &how, sizeof how);
    return fd < 0 ? -errno : (int)fd;
}

static int read_source(int fd, struct buf *out)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
    if (st.st_size > MAX_SOURCE_BYTES)
        return -EFBIG;
    for (;;) {
        char *room = buf_reserve(out, 64 << 10);
        if (!room)
            return out->failed == -ENOMEM ? -ENOMEM : -EFBIG;
        ssize_t n = read(fd, room, 64 << 10);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        out->len += (size_t)n;
        if (out->len > MAX_SOURCE_BYTES)
            return -EFBIG;
    }
}

int module_read(int root_fd, struct str name, struct buf *out)
{
    if (!module_name_ok(name))
        return -EINVAL;
    AUTO_FD fd = open_beneath(root_fd, name, 0);
    int r = fd < 0 ? fd : read_source(fd, out);
    if (r < 0)
        buf_clear(out);
    return r;
}

/* ---- what to say when there is no such file ------------------------------- */

/* The names in one folder, sorted; folders end in '/'. */
struct listing {
    char  *name[MAX_SCANNED];
    size_t n;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void listing_read(struct listing *l, int root_fd, struct str folder)
{
    int fd = open_beneath(root_fd, folder, O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    struct dirent *d;
    while (l->n < MAX_SCANNED && (d = readdir(dir))) {
        int is_folder = d->d_type == DT_DIR;
        if (d->d_name[0] == '.' || (d->d_type != DT_REG && !is_folder))
            continue;
        if (asprintf(&l->name[l->n], "%s%s", d->d_name, is_folder ? "/" : "") < 0)
            break;
        l->n++;
    }
    closedir(dir);
    qsort(l->name, l->n, sizeof l->name[0], by_name);
}

static void listing_free(struct listing *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->name[i]);
    free(l);
}

static int listed(const struct listing *l, struct str leaf, const char *suffix)
{
    for (size_t i = 0; i < l->n; i++) {
        const char *name = l->name[i];
        if (strncmp(name, leaf.at, leaf.len) == 0 &&
            strcmp(name + leaf.len, suffix) == 0)
            return 1;
    }
    return 0;
}

/* What can be a module: nothing else is read, so that no secret leaks by way of
 * a syntax error. */
static const char *const extensions[] = { ".js", ".mjs", ".ts", ".mts", ".json" };

/* Node's resolver never guesses, people do: say what they meant. */
static void add_guess(struct buf *out, const struct listing *l,
                      struct str base, struct str name)
{
    struct str folder = folder_of(name), leaf = leaf_of(name);
    char word[256] = "";
    if (leaf.len < sizeof word)
        memcpy(word, leaf.at, leaf.len);

    AUTO_BUF meant;
    buf_init(&meant, 2 * MAX_NAME_BYTES);
    if (folder.len) {
        buf_add(&meant, folder.at, folder.len);
        buf_adds(&meant, "/");
    }
    size_t before = meant.len;
    for (size_t i = 0; i < COUNT(extensions) && meant.len == before; i++)
        if (listed(l, leaf, extensions[i]))
            buf_addf(&meant, "%s%s", word, extensions[i]);
    if (meant.len == before && listed(l, leaf, "/"))
        buf_addf(&meant, "%s/index.js", word);
    const char *near = nearest_word(word, (const char *const *)l->name, l->n);
    if (meant.len == before && near)
        buf_adds(&meant, near);
    if (meant.len == before)
        return;
    buf_adds(out, "; did you mean '");
    add_relative(out, base, buf_str(&meant));
    buf_adds(out, "'?");
}

static void add_listing(struct buf *out, const struct listing *l,
                        struct str folder)
{
    if (!l->n) {
        buf_adds(out, "\nThere are no files in its folder.");
        return;
    }
    buf_adds(out, "\nFiles in ");
    if (folder.len)
        buf_add(out, folder.at, folder.len);
    else
        buf_adds(out, "the root");
    for (size_t i = 0; i < l->n && i < MAX_LISTED; i++)
        buf_addf(out, "%s %s", i ? "," : ":", l->name[i]);
    if (l->n > MAX_LISTED)
        buf_addf(out, " and %zu more", l->n - MAX_LISTED);
}

static void say_missing(const struct module_ask *ask, struct buf *out)
{
    struct str base = ask->base, name = ask->name;
    buf_adds(out, "Cannot find module '");
    add_relative(out, base, name);
    buf_adds(out, "' imported from ");
    buf_add(out, base.at, base.len);
    struct listing *l = calloc(1, sizeof *l);
    if (!l)
        return;
    listing_read(l, ask->root_fd, folder_of(name));
    add_guess(out, l, base, name);
    add_listing(out, l, folder_of(name));
    listing_free(l);
}

static void say_refused(const struct module_ask *ask, struct str why,
                        struct buf *out)
{
    buf_adds(out, "Cannot import '");
    add_relative(out, ask->base, ask->name);
    buf_adds(out, "' from ");
    buf_add(out, ask->base.at, ask->base.len);
    buf_adds(out, ": ");
    buf_add(out, why.at, why.len);
}

/* ---- the whole ------------------------------------------------------------ */

static const char *why_not(int code)
{
    switch (code) {
    case -ELOOP:
        return "it is reached by a symbolic link, and links are not followed";
    case -EISDIR:
        return "it is a folder; name the file, e.g. its index.js";
    case -EFBIG:
        return "it is larger than 16 MB";
    case -EXDEV:
        return "it lies outside the root";
    case -EACCES:
        return "it may not be read";
    case -EINVAL:
        return "it is not an ordinary file";
    case -ENOSYS:
        return "this kernel has no openat2(), so files cannot be resolved safely";
    default:
        return "it cannot be read";
    }
}

static int known_extension(struct str name)
{
    struct str ext = extension_of(name);
    for (size_t i = 0; i < COUNT(extensions); i++)
        if (str_is(ext, extensions[i]))
            return 1;
    return 0;
}

static void check_text(struct str name, struct str text, struct buf *why)
{
    size_t at = 0;
    if (utf8_check(text, &at) < 0)
        buf_addf(why, "it is not UTF-8 (at byte %zu)", at);
    else if (module_kind_of(name) == MODULE_JSON && json_check(text, &at) < 0)
        buf_addf(why, "it is not valid JSON (at byte %zu)", at);
}

static int load(const struct module_ask *ask, struct buf *out, struct buf *why)
{
    AUTO_BUF text;
    buf_init(&text, MAX_SOURCE_BYTES + (128 << 10));
    int r = module_read(ask->root_fd, ask->name, &text);
    if (r < 0)
        return r;
    if (!known_extension(ask->name))
        buf_adds(why, "only .js, .mjs, .ts, .mts and .json files are modules");
    else if (module_kind_of(ask->name) == MODULE_TS && !(ask->image_flags & IMAGE_TS))
        buf_adds(why, "it is TypeScript, and the program is not; run it with --ts");
    else
        check_text(ask->name, buf_str(&text), why);
    if (why->len)
        return -EINVAL;
    return buf_add(out, text.at, text.len);
}

int module_load(const struct module_ask *ask, struct buf *out)
{
    AUTO_BUF why;
    buf_init(&why, 256);
    int r = module_name_ok(ask->name) ? load(ask, out, &why) : -EXDEV;
    if (r == 0)
        return 0;
    AUTO_BUF text;
    buf_init(&text, MAX_HELP_BYTES);
    if (r == -ENOENT || r == -ENOTDIR)
        say_missing(ask, &text);
    else
        say_refused(ask, why.len ? buf_str(&why) : str_of(why_not(r)),
                    &text);
    buf_clear(out);
    buf_add(out, text.at, text.len);
    return r;
}
