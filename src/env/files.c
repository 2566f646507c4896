/* env/files.c -- files into a run's work directory, and out of it again.
 * SPDX-License-Identifier: MIT */
#include "env/files.h"
#include "base/io.h"
#include "base/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { COPY_BYTES = 64 << 10 };

/* The time that a file is put with: one that was not touched still has it. */
static const struct timespec put_time = { .tv_sec = 946684800, .tv_nsec = 1 };

const char *file_skip_text(enum file_skip kind)
{
    static const char *const texts[] = {
#define X(NAME, text) text,
        FILE_SKIPS(X)
#undef X
    };
    return kind < FILE_SKIP_KINDS ? texts[kind] : "";
}

void file_list_free(struct file_list *l)
{
    for (size_t i = 0; i < l->files; i++)
        free(l->file[i].path);
    free(l->file);
    *l = (struct file_list){ 0 };
}

/* The one way in which a path of somebody else's is opened here. */
static int open_beneath(int dir_fd, const char *path, int flags, mode_t mode)
{
    struct open_how how = {
        .flags = (uint64_t)(flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY),
        .mode = mode,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
                   RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
    };
    int fd;
    do
        fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof how);
    while (fd < 0 && (errno == EINTR || errno == EAGAIN));
    return fd;
}

static int open_dir(int dir_fd, const char *path)
{
    return open_beneath(dir_fd, path, O_RDONLY | O_DIRECTORY, 0);
}

/* ---- paths ---------------------------------------------------------------- */

static int plain_name(const char *at, size_t len)
{
    if (!len || len > NAME_MAX || (len == 1 && at[0] == '.') ||
        (len == 2 && at[0] == '.' && at[1] == '.'))
        return 0;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)at[i] < ' ' || at[i] == 0x7f)
            return 0;
    return utf8_check((struct str){ at, len }, NULL) == 0;
}

int files_check_path(const char *path, struct err *e)
{
    size_t depth = 0;
    const char *at = path;
    if (strlen(path) >= PATH_MAX)
        return err_set(e, -EINVAL, "a file's path is too long");
    for (;;) {
        size_t len = strcspn(at, "/");
        if (!plain_name(at, len) || ++depth > FILES_MAX_DEPTH)
            return err_set(e, -EINVAL, "'%.100s' is no plain relative path of a "
                           "file", path);
        if (!at[len])
            return 0;
        at += len + 1;
    }
}

/*
 * Make the folders on the way to a file and open the last of them. One step
 * at a time, each from the descriptor of the one before: there is no moment at
 * which a path is looked up twice.
 */
static int open_parent(int root_fd, const char *path, const char **out_name)
{
    AUTO_FD dir = open_dir(root_fd, ".");
    const char *at = path, *slash;
    if (dir < 0)
        return -errno;
    while ((slash = strchr(at, '/'))) {
        char name[NAME_MAX + 1];
        snprintf(name, sizeof name, "%.*s", (int)(slash - at), at);
        if (mkdirat(dir, name, 0755) < 0 && errno != EEXIST)
            return -errno;
        int next = open_dir(dir, name);
        if (next < 0)
            return -errno;
        close(dir);
        dir = next;
        at = slash + 1;
    }
    *out_name = at;
    return fd_take(&dir);
}

/* ---- in ------------------------------------------------------------------- */

struct identity { uid_t uid; gid_t gid; };

/* For files only, and for this thread only. Asking with -1 changes nothing and
 * tells who we are: the call itself cannot say that it failed. */
static int become(struct identity who)
{
    syscall(SYS_setfsgid, who.gid);
    syscall(SYS_setfsuid, who.uid);
    return (uid_t)syscall(SYS_setfsuid, (uid_t)-1) == who.uid &&
           (gid_t)syscall(SYS_setfsgid, (gid_t)-1) == who.gid ? 0 : -EPERM;
}

static int put_one(int work_fd, const struct guest_file *file, struct err *e)
{
    const char *name = NULL;
    int r = files_check_path(file->path, e);
    if (r < 0)
        return r;
    AUTO_FD dir = open_parent(work_fd, file->path, &name);
    if (dir < 0)
        return err_set(e, dir, "%.100s: %s", file->path, strerror(-dir));
    AUTO_FD fd = open_beneath(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (fd < 0)
        return err_sys(e, "%.100s", file->path);
    r = io_write_all(fd, file->bytes.at, file->bytes.len);
    if (r < 0)
        return err_set(e, r, "%.100s: %s", file->path, strerror(-r));
    const struct timespec times[2] = { put_time, put_time };
    if (futimens(fd, times) < 0)
        return err_sys(e, "%.100s", file->path);
    return 0;
}

int files_put(int work_fd, const struct guest_file *file, size_t files,
              struct err *e)
{
    struct stat st;
    struct identity own = { geteuid(), getegid() };
    if (!files)
        return 0;
    if (fstat(work_fd, &st) < 0)
        return err_sys(e, "the work directory");
    struct identity owner = { st.st_uid, st.st_gid };
    int other = own.uid == 0 && owner.uid != 0;
    int r = other ? become(owner) : 0;
    if (r < 0)
        err_set(e, r, "cannot act as the user of the work directory");
    for (size_t i = 0; r == 0 && i < files; i++)
        r = put_one(work_fd, &file[i], e);
    if (other && become(own) < 0)
        r = err_set(e, -EPERM, "cannot act as ourselves again");
    return r;
}

/* ---- what is there -------------------------------------------------------- */

struct walk {
    struct file_list        *out;
    const struct guest_file *put;
    size_t                   puts;
    const struct guest_file *program;
    size_t                   room, seen;
    char                     path[PATH_MAX];    /* of the folder we are in */
    int                      failed;
};

static int is_file(const struct guest_file *f, const char *path,
                   const struct stat *st)
{
    return strcmp(f->path, path) == 0 && (uint64_t)st->st_size == f->bytes.len;
}

static int was_put(const struct walk *w, const char *path, const struct stat *st)
{
    if (st->st_mtim.tv_sec != put_time.tv_sec ||
        st->st_mtim.tv_nsec != put_time.tv_nsec)
        return 0;
    if (w->program && is_file(w->program, path, st))
        return 1;
    for (size_t i = 0; i < w->puts; i++)
        if (is_file(&w->put[i], path, st))
            return 1;
    return 0;
}

/* A name that JSON, a terminal and a file system all take as it is: itself.
 * Any other: printable, and not to be used as a path. */
static char *shown(const char *path, int *out_odd)
{
    struct buf b;
    buf_init(&b, 4 * PATH_MAX + 1);
    size_t len = strlen(path);
    *out_odd = 0;
    for (size_t i = 0; i < len;) {
        size_t n = utf8_len(path + i, len - i);
        unsigned char c = (unsigned char)path[i];
        if (n && c >= ' ' && c != 0x7f) {
            buf_add(&b, path + i, n);
            i += n;
        } else {
            buf_addf(&b, "\\x%02x", c);
            *out_odd = 1;
            i++;
        }
    }
    buf_add(&b, "", 1);
    if (b.failed) {
        buf_free(&b);
        return NULL;
    }
    return b.at;
}

static void note_file(struct walk *w, const char *path, uint64_t bytes)
{
    struct file_list *l = w->out;
    if (l->files == FILES_MAX_LISTED) {
        l->skipped[SKIP_MANY]++;
        return;
    }
    if (l->files == w->room) {
        size_t room = w->room ? 2 * w->room : 32;
        struct file_entry *more = realloc(l->file, room * sizeof *more);
        if (!more) {
            w->failed = -ENOMEM;
            return;
        }
        l->file = more;
        w->room = room;
    }
    struct file_entry entry = { .bytes = bytes };
    entry.path = shown(path, &entry.odd);
    if (!entry.path)
        w->failed = -ENOMEM;
    else
        l->file[l->files++] = entry;
}

static void walk_dir(struct walk *w, int dir_fd, unsigned depth);

static void walk_entry(struct walk *w, int dir_fd, const char *name,
                       unsigned depth)
{
    uint64_t *skipped = w->out->skipped;
    size_t len = strlen(w->path);
    struct stat st;
    if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
        skipped[SKIP_CLOSED]++;
        return;
    }
    if (len + strlen(name) + 2 > sizeof w->path) {
        skipped[SKIP_DEEP]++;
        return;
    }
    snprintf(w->path + len, sizeof w->path - len, "%s%s", len ? "/" : "", name);
    if (S_ISREG(st.st_mode)) {
        if (!was_put(w, w->path, &st))
            note_file(w, w->path, (uint64_t)st.st_size);
    } else if (S_ISLNK(st.st_mode)) {
        skipped[SKIP_LINK]++;
    } else if (!S_ISDIR(st.st_mode)) {
        skipped[SKIP_SPECIAL]++;
    } else if (depth >= FILES_MAX_DEPTH) {
        skipped[SKIP_DEEP]++;
    } else {
        int fd = open_dir(dir_fd, name);
        if (fd < 0)
            skipped[SKIP_CLOSED]++;
        else
            walk_dir(w, fd, depth + 1);
    }
    w->path[len] = '\0';
}

/* Takes the descriptor. */
static void walk_dir(struct walk *w, int dir_fd, unsigned depth)
{
    DIR *dir = fdopendir(dir_fd);
    if (!dir) {
        close(dir_fd);
        w->failed = -errno;
        return;
    }
    struct dirent *d;
    while (!w->failed && (d = readdir(dir))) {
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
            continue;
        if (++w->seen > FILES_MAX_SEEN) {
            w->out->skipped[SKIP_MANY]++;
            break;
        }
        walk_entry(w, dirfd(dir), d->d_name, depth);
    }
    closedir(dir);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct file_entry *)a)->path,
                  ((const struct file_entry *)b)->path);
}

int files_list(int work_fd, const struct guest_file *put, size_t puts,
               const struct guest_file *program, struct file_list *out,
               struct err *e)
{
    struct file_list list = { 0 };
    struct walk w = { .out = &list, .put = put, .puts = puts, .program = program };
    int fd = open_dir(work_fd, ".");
    if (fd < 0)
        return err_sys(e, "the work directory");
    walk_dir(&w, fd, 1);
    if (w.failed) {
        file_list_free(&list);
        return err_set(e, w.failed, "listing files: %s", strerror(-w.failed));
    }
    if (list.files)
        qsort(list.file, list.files, sizeof *list.file, by_path);
    *out = list;
    return 0;
}

/* ---- out ------------------------------------------------------------------ */

/* Copies at most *left bytes; -EFBIG if there are more. */
static int copy_bytes(int from, int to, uint64_t *left)
{
    char chunk[COPY_BYTES];
    for (;;) {
        ssize_t n = io_read_full(from, chunk, sizeof chunk);
        if (n <= 0)
            return (int)n;
        if ((uint64_t)n > *left)
            return -EFBIG;
        *left -= (uint64_t)n;
        int r = io_write_all(to, chunk, (size_t)n);
        if (r < 0)
            return r;
    }
}

/* A free name beside the one we want, so that a copy is whole or not there. */
static int create_beside(int dir_fd, char out_name[static 32])
{
    for (unsigned i = 0; i < 100; i++) {
        snprintf(out_name, 32, ".glovebox-%d-%u", (int)getpid(), i);
        int fd = open_beneath(dir_fd, out_name, O_WRONLY | O_CREAT | O_EXCL, 0644);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    errno = EEXIST;
    return -1;
}

static int target_free(int dir_fd, const char *name)
{
    struct stat st;
    if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT;
    return S_ISREG(st.st_mode);
}

static int copy_into(int from, int out_fd, const char *path, uint64_t *left,
                     struct err *e)
{
    const char *name = NULL;
    char beside[32];
    AUTO_FD dir = open_parent(out_fd, path, &name);
    if (dir < 0)
        return err_set(e, -ENOTDIR, "%.100s: %s", path, strerror(-dir));
    if (!target_free(dir, name))
        return err_set(e, -EEXIST, "%.100s: there is something that is no file",
                       path);
    AUTO_FD to = create_beside(dir, beside);
    if (to < 0)
        return err_sys(e, "%.100s", path);
    int r = copy_bytes(from, to, left);
    if (r == 0 && renameat(dir, beside, dir, name) < 0)
        r = -errno;
    if (r < 0) {
        unlinkat(dir, beside, 0);
        return err_set(e, r, "%.100s: %s", path, strerror(-r));
    }
    return 0;
}

static int open_regular(int work_fd, const char *path)
{
    struct stat st;
    AUTO_FD fd = open_beneath(work_fd, path, O_RDONLY, 0);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return -1;
    return fd_take(&fd);
}

int files_fetch(int work_fd, struct file_list *l, int out_fd,
                uint64_t max_bytes, struct err *e)
{
    uint64_t left = max_bytes;
    int status = 0;
    for (size_t i = 0; i < l->files; i++) {
        struct file_entry *f = &l->file[i];
        struct err why = { 0 };
        if (f->odd) {
            l->skipped[SKIP_NAME]++;
            continue;
        }
        AUTO_FD from = open_regular(work_fd, f->path);
        if (from < 0) {
            l->skipped[SKIP_CLOSED]++;
            continue;
        }
        int r = copy_into(from, out_fd, f->path, &left, &why);
        f->copied = r == 0;
        if (r < 0)
            l->skipped[r == -EFBIG ? SKIP_LARGE : SKIP_TARGET]++;
        if (r < 0 && r != -EFBIG && status == 0)
            status = err_set(e, r, "%s", why.msg);
    }
    return status;
}
