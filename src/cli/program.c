/* cli/program.c -- a program as the caller handed it over.
 * SPDX-License-Identifier: MIT */
#include "cli/program.h"
#include "base/io.h"
#include "base/json.h"
#include "wire/messages.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

static int is_ts(const char *path)
{
    return ends_in(path, ".ts") || ends_in(path, ".mts") || ends_in(path, ".cts");
}

int program_check(const char *what, struct str text, struct err *e)
{
    size_t at = 0;
    const char *nul = text.len ? memchr(text.at, 0, text.len) : NULL;
    if (nul)
        return err_set(e, -EINVAL, "%s: not a program but binary (a NUL at byte "
                       "%zu)", what, (size_t)(nul - text.at));
    if (utf8_check(text, &at) < 0)
        return err_set(e, -EINVAL, "%s: not UTF-8 (at byte %zu)", what, at);
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int name_under(const char *path, const char *root, char **out,
                      struct err *e)
{
    char real_root[PATH_MAX], real[PATH_MAX];
    if (!realpath(root, real_root))
        return err_sys(e, "--root %s", root);
    if (!realpath(path, real))
        return err_sys(e, "%s", path);
    size_t n = strlen(real_root);
    if (n == 1)
        n = 0;    /* the root is "/" */
    if (strncmp(real, real_root, n) != 0 || real[n] != '/')
        return err_set(e, -EINVAL, "%s is not under --root %s", path, root);
    *out = strdup(real + n + 1);
    return *out ? 0 : err_set(e, -ENOMEM, "no memory");
}

static int explain(const char *path, int code, struct err *e)
{
    switch (code) {
    case -ENOENT:
        return err_set(e, code, "%s: no such file", path);
    case -EISDIR:
        return err_set(e, code, "%s: a folder, not a program", path);
    case -EFBIG:
        return err_set(e, code, "%s: larger than 16 MB", path);
    default:
        return code;
    }
}

int program_read(struct program *p, const char *path, const char *root,
                 struct err *e)
{
    int from_stdin = strcmp(path, "-") == 0;
    *p = (struct program){ .path = from_stdin ? "stdin" : path };
    buf_init(&p->source, MAX_SOURCE_BYTES + (1 << 20));
    int r = from_stdin
        ? io_read_fd(STDIN_FILENO, "stdin", MAX_SOURCE_BYTES, &p->source, e)
        : io_read_file(path, MAX_SOURCE_BYTES, &p->source, e);
    if (r < 0)
        return explain(p->path, r, e);
    r = program_check(p->path, buf_str(&p->source), e);
    if (r < 0)
        return r;
    p->ts = is_ts(path);
    if (root && !from_stdin)
        return name_under(path, root, &p->name, e);
    p->name = strdup(from_stdin ? STDIN_NAME : base_name(path));
    return p->name ? 0 : err_set(e, -ENOMEM, "no memory");
}

int program_named(struct program *p, const char *name, struct err *e)
{
    *p = (struct program){ .path = name, .name = strdup(name) };
    buf_init(&p->source, MAX_SOURCE_BYTES);
    return p->name ? 0 : err_set(e, -ENOMEM, "no memory");
}

int program_eval(struct program *p, const char *code, struct err *e)
{
    int r = program_named(p, "[eval]", e);
    if (r < 0)
        return r;
    p->path = "-e";
    if (buf_adds(&p->source, code) < 0)
        return err_set(e, -EFBIG, "-e: larger than 16 MB");
    return program_check("-e", buf_str(&p->source), e);
}

void program_free(struct program *p)
{
    buf_free(&p->source);
    free(p->name);
    p->name = NULL;
}
