/* env/image.c -- an image as the supervisor sees it.
 * SPDX-License-Identifier: MIT */
#include "env/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { WASM_PAGE_BYTES = 64 << 10 };

static const char *head_fault(const struct image_head *h, uint64_t file_bytes)
{
    if (memcmp(h->magic, IMAGE_MAGIC, sizeof IMAGE_MAGIC) != 0)
        return "not an image";
    if (h->format != IMAGE_FORMAT)
        return "of another format version";
    if (h->flags & ~(uint32_t)IMAGE_TS)
        return "with unknown flags";
    if (!h->engine_id[0])
        return "without an engine id";
    if (!h->memory_bytes || h->memory_bytes % WASM_PAGE_BYTES)
        return "of a broken memory size";
    if (h->hot_pages > IMAGE_HOT_PAGES)
        return "with too many hot pages";
    if (file_bytes != IMAGE_DATA_OFFSET + h->memory_bytes)
        return "shorter or longer than its head says";
    return NULL;
}

int image_head_read(int fd, struct image_head *out, struct err *e)
{
    struct image_head h;
    struct stat st;
    ssize_t n = pread(fd, &h, sizeof h, 0);
    if (n < 0 || fstat(fd, &st) < 0)
        return err_sys(e, "image: read");
    if (n != sizeof h)
        return err_set(e, -EINVAL, "image: shorter than its head");
    const char *fault = head_fault(&h, (uint64_t)st.st_size);
    if (fault)
        return err_set(e, -EINVAL, "image: %s: run make again", fault);
    *out = h;
    return 0;
}

int image_sink_open(struct image_sink *s, uint64_t max_bytes, struct err *e)
{
    int fd = memfd_create("glovebox-image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return err_sys(e, "image: memfd");
    *s = (struct image_sink){ .fd = fd, .max_bytes = max_bytes };
    return 0;
}

int image_sink_add(struct image_sink *s, struct str chunk, struct err *e)
{
    if (chunk.len > s->max_bytes - s->bytes)
        return err_set(e, -EMSGSIZE, "image: past %llu bytes",
                       (unsigned long long)s->max_bytes);
    while (chunk.len) {
        ssize_t n = write(s->fd, chunk.at, chunk.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(e, "image: write");
        s->bytes += (uint64_t)n;
        chunk.at += n;
        chunk.len -= (size_t)n;
    }
    return 0;
}

int image_sink_seal(struct image_sink *s, const struct image_head *parent,
                    int *out_fd, struct err *e)
{
    struct image_head h;
    int r = image_head_read(s->fd, &h, e);
    if (r < 0)
        return r;
    if (memcmp(h.engine_id, parent->engine_id, sizeof h.engine_id) != 0)
        return err_set(e, -EINVAL, "image: made for another engine");
    if (h.flags != parent->flags)
        return err_set(e, -EINVAL, "image: its flags changed on the way");
    if (fcntl(s->fd, F_ADD_SEALS,
              F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return err_sys(e, "image: seal");
    *out_fd = s->fd;
    s->fd = -1;
    return 0;
}

void image_sink_close(struct image_sink *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}
