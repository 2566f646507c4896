/* worker/dump.c -- train, then write an image.  SPDX-License-Identifier: MIT */
#include "worker/dump.h"
#include "base/base.h"
#include "worker/engine.h"
#include "worker/guest.h"
#include "worker/run.h"
#include "worker/sfi.h"
#include "worker/training.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A page is hot if this many of them write it: the more are hot, the more each
 * reset copies, and a cold page costs only the programs that need it. */
enum { HOT_FROM = 3 };

static void run_once(struct cell *c, const char *source)
{
    struct msg_run req = { .limits = run_limits_default, .mode = MODE_AUTO,
                           .name = STR("train.js"), .source = str_of(source) };
    struct msg_result result;
    uint64_t ns;
    run_start(c, &req);
    while (run_step(&ns) == RUN_WAITS)
        ;
    run_finish(&result);
}

static int train(struct cell *c, struct image_head *head)
{
    const struct image *im = c->image;
    unsigned char *writers = calloc(im->pages, 1);
    if (!writers)
        return -ENOMEM;
    int r = 0;
    run_sink = NULL;
    for (size_t i = 0; r == 0 && i < COUNT(training); i++) {
        run_once(c, training[i]);
        for (uint32_t k = 0; k < c->count; k++)
            writers[c->list[k]]++;
        r = cell_reset(c);
        if (r == 0)
            r = cell_track(c, im);
    }
    for (uint32_t page = 0; page < im->pages; page++)
        if (writers[page] >= HOT_FROM && head->hot_pages < IMAGE_HOT_PAGES)
            head->hot_page[head->hot_pages++] = page;
    free(writers);
    return r;
}

static void collect(void *unused)
{
    (void)unused;
    Q(qjs_run_gc)(E);
}

/* From now on the cell is a tracked copy of the memory it has now. */
static int become_tracked(struct cell *c, struct image *im)
{
    uint64_t bytes = im->head.memory_bytes;
    void *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return -errno;
    memcpy(copy, c->slot, bytes);
    im->view = copy;
    im->pages = (uint32_t)(bytes / SFI_PAGE);
    return cell_track(c, im);
}

int dump_cell(struct cell *c, const struct image_head *head, dump_put *put,
              void *to, struct err *e)
{
    struct image im = { .head = *head, .fd = -1 };
    guest_head = head;
    cell_enter(c);
    if (sfi_enter(collect, NULL) != TRAP_NONE)
        return err_set(e, -EIO, "image: the collector trapped");
    cell_leave(c);
    im.head.memory_bytes = (uint64_t)c->wasm_pages * SFI_WASM_PAGE;
    im.head.stack_pointer = c->stack_pointer;
    im.head.hot_pages = 0;
    int r = become_tracked(c, &im);
    if (r < 0)
        return err_set(e, r, "image: no memory to copy the cell");

    struct image_head trained = im.head;
    r = train(c, &trained);
    if (r < 0)
        return err_set(e, r, "image: training: %s", strerror(-r));
    im.head = trained;

    unsigned char page[IMAGE_DATA_OFFSET] = { 0 };
    memcpy(page, &im.head, sizeof im.head);
    r = put(to, page, sizeof page);
    for (uint64_t at = 0; r == 0 && at < im.head.memory_bytes; at += SFI_WASM_PAGE)
        r = put(to, im.view + at, SFI_WASM_PAGE);
    return r < 0 ? err_set(e, r, "image: write: %s", strerror(-r)) : 0;
}
