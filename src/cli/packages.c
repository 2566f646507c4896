/* cli/packages.c -- which npm packages a folder holds.
 * SPDX-License-Identifier: MIT */
#include "cli/packages.h"
#include "base/io.h"
#include "base/json_read.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int joined(char *out, size_t room, const char *a, const char *b)
{
    int n = snprintf(out, room, "%s/%s", a, b);
    return n > 0 && (size_t)n < room ? 0 : -ENAMETOOLONG;
}

/* A name as npm has it: name or @scope/name. */
static int name_ok(const char *name)
{
    const char *slash = strchr(name, '/');
    if (!*name || *name == '.' || *name == '/' || strstr(name, "..") ||
        strlen(name) > 214)
        return 0;
    return slash ? *name == '@' && slash[1] && slash[1] != '.' &&
                   !strchr(slash + 1, '/')
                 : *name != '@';
}

/* Types only: nothing in it can be loaded. */
static int is_types(const char *name)
{
    return strncmp(name, "@types/", 7) == 0;
}

static int add(struct package_list *list, const char *folder, const char *name,
               struct err *e)
{
    char path[PATH_MAX];
    if (!name_ok(name) || is_types(name) ||
        joined(path, sizeof path, folder, name) < 0 || !is_folder(path))
        return 0;    /* not installed: an import says so, if there is one */
    if (list->n == list->room)
        return err_set(e, -EINVAL, "--packages: more than %zu packages to load ahead; "
                       "name those that matter in a package.json", list->room);
    char *copy = strdup(name);
    if (!copy)
        return err_set(e, -ENOMEM, "no memory");
    list->name[list->n++] = copy;
    return 0;
}

/* The dependencies of a package.json. 0 if there is no such file, 1 if it was
 * read, or a negative errno. */
static int from_manifest(const char *manifest, const char *folder,
                         struct package_list *list, struct err *e)
{
    AUTO_BUF text;
    struct err why = { 0 };
    struct json_value all, found, v;
    struct json_walk w;
    buf_init(&text, JSON_READ_BYTES + 1);
    int r = io_read_file(manifest, JSON_READ_BYTES, &text, &why);
    if (r == -ENOENT)
        return 0;
    if (r == 0)
        r = json_read(buf_str(&text), &all, &why);
    if (r < 0)
        return err_set(e, -EINVAL, "--packages: %s: %s", manifest, why.msg);
    if (!json_member(&all, "dependencies", &found))
        return 1;
    for (json_walk_begin(&w, &found); json_walk_next(&w, &v);) {
        AUTO_BUF name;
        buf_init(&name, 256);
        json_key_text(&w, &name);
        buf_add(&name, "", 1);
        r = name.failed ? 0 : add(list, folder, name.at, e);
        if (r < 0)
            return r;
    }
    return 1;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int from_folder(const char *folder, const char *scope,
                       struct package_list *list, struct err *e)
{
    char path[PATH_MAX];
    int r = joined(path, sizeof path, folder, scope);
    DIR *d = r == 0 ? opendir(path) : NULL;
    if (!d)
        return err_sys(e, "--packages: %s", folder);
    for (struct dirent *entry; r == 0 && (entry = readdir(d));) {
        char name[600];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s%s%s", scope, scope[0] ? "/" : "",
                 entry->d_name);
        r = !scope[0] && name[0] == '@' ? from_folder(folder, name, list, e)
                                        : add(list, folder, name, e);
    }
    closedir(d);
    return r;
}

int packages_find(const char *dir, char **out_folder, struct package_list *list,
                  struct err *e)
{
    char inner[PATH_MAX], manifest[PATH_MAX];
    char *real = realpath(dir, NULL);
    if (!real || !is_folder(real)) {
        free(real);
        return err_set(e, -ENOENT, "--packages: %s: no such folder", dir);
    }
    const char *slash = strrchr(real, '/');
    int is_modules = slash && strcmp(slash, "/node_modules") == 0;
    int r = joined(inner, sizeof inner, real, "node_modules");
    if (!is_modules && (r < 0 || !is_folder(inner))) {
        free(real);
        return err_set(e, -ENOENT, "--packages: %s holds no node_modules; run npm "
                       "install there first", dir);
    }
    if (!is_modules) {
        free(real);
        real = realpath(inner, NULL);
        if (!real)
            return err_sys(e, "--packages: %s", inner);
    }
    *out_folder = real;
    r = joined(manifest, sizeof manifest, is_modules ? real : dir,
               is_modules ? "../package.json" : "package.json");
    if (r == 0)
        r = from_manifest(manifest, real, list, e);
    if (r == 0)
        r = from_folder(real, "", list, e);
    if (list->n)
        qsort(list->name, list->n, sizeof *list->name, by_name);
    return r < 0 ? r : 0;
}
