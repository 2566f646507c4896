/* worker/image.c -- mapping, tracking and resetting a cell's memory.
 * SPDX-License-Identifier: MIT */
#include "worker/image.h"
#include "base/base.h"
#include "worker/engine.h"
#include "worker/sfi.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* With this many pages listed beyond the hot ones, copying them all at every
 * reset costs more than letting the cold ones fault again ... */
enum { MAX_EXTRA_PAGES = 160 };
/* ... and this many at once are given back to the kernel. */
enum { MAX_COPIED_PAGES = 2048 };
/* Grown memory up to here is wiped in place; beyond, given back. */
enum { KEEP_GROWN_BYTES = 4 << 20 };

static struct cell *current;

static uint64_t image_bytes(const struct image *im)
{
    return im->head.memory_bytes;
}

static int head_check(const struct image_head *h, uint64_t file_bytes,
                      const char *engine_id, struct err *e)
{
    if (memcmp(h->magic, IMAGE_MAGIC, sizeof h->magic) != 0 ||
        h->format != IMAGE_FORMAT)
        return err_set(e, -EINVAL, "image: not an image of this format");
    if (strncmp(h->engine_id, engine_id, sizeof h->engine_id) != 0)
        return err_set(e, -EINVAL, "image: made by another engine build; "
                                   "make it again");
    uint64_t n = h->memory_bytes;
    if (n == 0 || n % SFI_WASM_PAGE || n >= SFI_SLOT_BYTES ||
        n + IMAGE_DATA_OFFSET != file_bytes)
        return err_set(e, -EINVAL, "image: wrong size");
    if (h->stack_pointer >= n || h->random_state >= n - 8 ||
        h->scratch >= n - IMAGE_SCRATCH_BYTES || h->hot_pages > IMAGE_HOT_PAGES)
        return err_set(e, -EINVAL, "image: head out of range");
    for (uint32_t i = 0; i < h->hot_pages; i++)
        if (h->hot_page[i] >= n / SFI_PAGE ||
            (i > 0 && h->hot_page[i] <= h->hot_page[i - 1]))
            return err_set(e, -EINVAL, "image: hot pages out of order");
    return 0;
}

int image_open(int fd, const char *engine_id, struct image *out, struct err *e)
{
    struct image im = { .fd = fd };
    struct stat st;
    if (fstat(fd, &st) < 0)
        return err_sys(e, "image: stat");
    if (pread(fd, &im.head, sizeof im.head, 0) != sizeof im.head)
        return err_set(e, -EINVAL, "image: too short");
    int r = head_check(&im.head, (uint64_t)st.st_size, engine_id, e);
    if (r < 0)
        return r;
    void *view = mmap(NULL, image_bytes(&im), PROT_READ, MAP_SHARED, fd,
                      IMAGE_DATA_OFFSET);
    if (view == MAP_FAILED)
        return err_sys(e, "image: map");
    im.view = view;
    im.pages = (uint32_t)(image_bytes(&im) / SFI_PAGE);
    *out = im;
    return 0;
}

static void list_page(struct cell *c, uint32_t page)
{
    c->listed[page] = 1;
    c->list[c->count++] = page;
}

/* A page of a tracked cell is written for the first time. */
static int on_fault(uint8_t *address)
{
    struct cell *c = current;
    if (!c || c->kind != CELL_TRACKED || address < c->slot)
        return 0;
    uint64_t page = (uint64_t)(address - c->slot) / SFI_PAGE;
    if (page >= c->image->pages || c->listed[page])
        return 0;
    if (mprotect(c->slot + page * SFI_PAGE, SFI_PAGE, PROT_READ | PROT_WRITE) < 0)
        return 0;
    list_page(c, (uint32_t)page);
    return 1;
}

/* The trained pages become writable and stay listed. They are in order, so
 * that neighbours take one call. */
static int open_hot_pages(struct cell *c)
{
    const struct image_head *h = &c->image->head;
    memset(c->listed, 0, c->image->pages);
    c->count = c->sorted = 0;
    for (uint32_t i = 0, j; i < h->hot_pages; i = j) {
        for (j = i + 1; j < h->hot_pages && h->hot_page[j] == h->hot_page[j - 1] + 1; j++)
            ;
        if (mprotect(c->slot + (uint64_t)h->hot_page[i] * SFI_PAGE,
                     (uint64_t)(j - i) * SFI_PAGE, PROT_READ | PROT_WRITE) < 0)
            return -errno;
        for (uint32_t k = i; k < j; k++)
            list_page(c, h->hot_page[k]);
    }
    c->sorted = c->count;
    return 0;
}

static int map_fresh(struct cell *c)
{
    int prot = c->kind == CELL_TRACKED ? PROT_READ : PROT_READ | PROT_WRITE;
    void *p = mmap(c->slot, image_bytes(c->image), prot,
                   MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, c->image->fd,
                   IMAGE_DATA_OFFSET);
    if (p == MAP_FAILED)
        return -errno;
    c->wasm_pages = (uint32_t)(image_bytes(c->image) / SFI_WASM_PAGE);
    c->stack_pointer = c->image->head.stack_pointer;
    return c->kind == CELL_TRACKED ? open_hot_pages(c) : 0;
}

static int track_room(struct cell *c)
{
    c->listed = calloc(c->image->pages, 1);
    c->list = calloc(c->image->pages, sizeof *c->list);
    sfi_on_fault = on_fault;
    return c->listed && c->list ? 0 : -ENOMEM;
}

int cell_track(struct cell *c, const struct image *im)
{
    free(c->listed);
    free(c->list);
    c->image = im;
    c->kind = CELL_TRACKED;
    c->count = c->sorted = 0;
    int r = track_room(c);
    if (r == 0 && mprotect(c->slot, image_bytes(im), PROT_READ) < 0)
        r = -errno;
    return r;
}

int cell_new(const struct image *im, enum cell_kind kind, struct cell *out,
             struct err *e)
{
    struct cell c = { .slot = sfi_slot_new(), .image = im, .kind = kind };
    if (!c.slot)
        return err_sys(e, "cell: no address space for another one");
    if (kind == CELL_TRACKED && track_room(&c) < 0) {
        cell_free(&c);
        return err_set(e, -ENOMEM, "cell: no memory for its page list");
    }
    int r = map_fresh(&c);
    if (r < 0) {
        cell_free(&c);
        return err_set(e, r, "cell: map the image: %s", strerror(-r));
    }
    *out = c;
    return 0;
}

static void cell_forget(struct cell *c)
{
    if (c->backup)
        munmap(c->backup, c->backup_bytes);
    c->backup = NULL;
    c->backup_bytes = 0;
}

void cell_free(struct cell *c)
{
    if (current == c)
        current = NULL;
    sfi_slot_free(c->slot);
    free(c->listed);
    free(c->list);
    cell_forget(c);
    *c = (struct cell){ 0 };
}

void cell_enter(struct cell *c)
{
    current = c;
    engine.w2c_memory.pages = c->wasm_pages;
    engine.w2c_memory.size = c->wasm_pages * SFI_WASM_PAGE;
    *Q(__stack_pointer)(E) = c->stack_pointer;
    sfi_use(c->slot);
}

void cell_leave(struct cell *c)
{
    c->wasm_pages = engine.w2c_memory.pages;
    c->stack_pointer = *Q(__stack_pointer)(E);
}

/* Neighbouring pages are copied in one go, so the list is kept in order: made
 * anew from the map when pages joined it. (qsort() would ask the kernel how
 * much memory there is, which a sealed process may not.) */
static void copy_back(struct cell *c)
{
    if (c->sorted != c->count) {
        c->count = 0;
        for (uint32_t page = 0; page < c->image->pages; page++)
            if (c->listed[page])
                c->list[c->count++] = page;
        c->sorted = c->count;
    }
    for (uint32_t i = 0, j; i < c->count; i = j) {
        for (j = i + 1; j < c->count && c->list[j] == c->list[j - 1] + 1; j++)
            ;
        uint64_t at = (uint64_t)c->list[i] * SFI_PAGE;
        memcpy(c->slot + at, c->image->view + at, (uint64_t)(j - i) * SFI_PAGE);
    }
}

/* Forget all pages but the hot ones: the others fault again. */
static int close_cold_pages(struct cell *c)
{
    if (mprotect(c->slot, image_bytes(c->image), PROT_READ) < 0)
        return -errno;
    return open_hot_pages(c);
}

/* Drop every private page: the mapping shows the image again. */
static int drop_pages(struct cell *c)
{
    if (madvise(c->slot, image_bytes(c->image), MADV_DONTNEED) < 0)
        return -errno;
    return c->kind == CELL_PLAIN ? 0 : close_cold_pages(c);
}

static int drop_grown(struct cell *c)
{
    uint64_t from = image_bytes(c->image);
    uint64_t grown = (uint64_t)c->wasm_pages * SFI_WASM_PAGE - from;
    if (grown == 0)
        return 0;
    uint64_t wipe = grown < KEEP_GROWN_BYTES ? grown : KEEP_GROWN_BYTES;
    memset(c->slot + from, 0, wipe);
    if (grown > wipe && madvise(c->slot + from + wipe, grown - wipe,
                                MADV_DONTNEED) < 0)
        return -errno;
    return mprotect(c->slot + from, grown, PROT_NONE) < 0 ? -errno : 0;
}

int cell_reset(struct cell *c)
{
    int r = drop_grown(c);
    if (r < 0)
        return r;
    c->wasm_pages = (uint32_t)(image_bytes(c->image) / SFI_WASM_PAGE);
    c->stack_pointer = c->image->head.stack_pointer;
    if (c->kind == CELL_PLAIN ||
        (c->count > MAX_COPIED_PAGES && c->image->fd >= 0))
        return drop_pages(c);
    copy_back(c);
    return c->count > c->image->head.hot_pages + MAX_EXTRA_PAGES
        ? close_cold_pages(c) : 0;
}

int cell_backup(struct cell *c)
{
    uint64_t bytes = (uint64_t)c->wasm_pages * SFI_WASM_PAGE;
    cell_forget(c);
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (room == MAP_FAILED)
        return -ENOMEM;
    memcpy(room, c->slot, bytes);
    c->backup = room;
    c->backup_bytes = bytes;
    c->backup_stack_pointer = c->stack_pointer;
    return 0;
}

/* Between evaluations the engine's stack is empty: whatever lies below the
 * stack pointer is garbage, and a page less to keep. */
void cell_rest(struct cell *c)
{
    cell_forget(c);
    if (c->image->fd >= 0)
        (void)madvise(c->slot, c->stack_pointer & ~(uint32_t)(SFI_PAGE - 1),
                      MADV_DONTNEED);
}

int cell_rollback(struct cell *c)
{
    uint64_t now = (uint64_t)c->wasm_pages * SFI_WASM_PAGE;
    if (!c->backup)
        return -ENOENT;
    if (now > c->backup_bytes) {
        uint8_t *from = c->slot + c->backup_bytes;
        if (madvise(from, now - c->backup_bytes, MADV_DONTNEED) < 0 ||
            mprotect(from, now - c->backup_bytes, PROT_NONE) < 0)
            return -errno;
    }
    memcpy(c->slot, c->backup, c->backup_bytes);
    c->wasm_pages = (uint32_t)(c->backup_bytes / SFI_WASM_PAGE);
    c->stack_pointer = c->backup_stack_pointer;
    return 0;
}
