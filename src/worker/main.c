/*
 * worker/main.c -- glovebox-worker: the sealed process that hosts js cells.
 *
 * Theory of operation. The supervisor starts this program inside a jail
 * (jail/spawn.c) with two descriptors: 3, the channel to the supervisor, and
 * 4, an image. The order here is the argument for its safety:
 *
 *   1  map the image into every cell this worker will ever have
 *   2  close the image; now the channel is the only descriptor
 *   3  make the timer and the signal handlers
 *   4  seal: no system call is left but a short list (seal.c), and prove it
 *   5  say hello; only now does the supervisor send a program
 *   6  loop: a message in, a run, a result out, the cell reset
 *
 * So no byte of a guest is in this process before step 5. From step 6 on the
 * guest is inside of linear memory (sfi.c); if it breaks out of that, it is in
 * a process that can read, write and exit.
 *
 * There is one thread and one run at a time. What a run leaves behind is undone
 * by cell_reset(); what cannot be undone ends the process.
 *
 * The same program makes images in the build, unsealed, from our own code:
 *   glovebox-worker --make-image=FILE RUNTIME.js [TYPES.js]
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/io.h"
#include "jail/jail.h"
#include "worker/boot.h"
#include "worker/channel.h"
#include "worker/dump.h"
#include "worker/engine.h"
#include "worker/fetch.h"
#include "worker/image.h"
#include "worker/meter.h"
#include "worker/run.h"
#include "worker/seal.h"
#include "worker/sfi.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_CANNOT_START = 2, EXIT_BAD_MESSAGE = 3, MAX_CELLS = 4096 };

static struct image  image;
static struct cell  *cells;
static uint32_t      cell_count = 1;
static struct buf    in, out;
static struct module_source module_room[MAX_MODULES];

static _Noreturn void fatal(const struct err *e, int code)
{
    buf_clear(&out);
    put_fatal(&out, &(struct msg_fatal){ str_of(e->msg) });
    channel_send(&out);
    _exit(code);
}

#ifdef GB_SANITIZED
/* A worker has no environment to read these from. Faults in linear memory are
 * ours to handle, and a sealed process cannot look for leaks. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allow_user_segv_handler=1:use_sigaltstack=0";
}
#endif

/* ---- messages --------------------------------------------------------- */

static struct cell *cell_of(uint32_t number)
{
    if (number >= cell_count)
        _exit(EXIT_BAD_MESSAGE);
    return &cells[number];
}

static void reset(struct cell *c)
{
    int r = cell_reset(c);
    if (r < 0) {
        struct err e;
        err_set(&e, r, "cell: reset: %s", strerror(-r));
        fatal(&e, EXIT_CANNOT_START);
    }
}

static void on_run(struct str body)
{
    struct msg_run req;
    struct msg_result result;
    uint64_t ns;
    if (get_run(body, module_room, COUNT(module_room), &req) < 0)
        _exit(EXIT_BAD_MESSAGE);
    struct cell *c = cell_of(req.cell);
    run_start(c, &req);
    while (run_step(&ns) == RUN_WAITS)
        if (ns && channel_wait(ns))
            fetch_receive();
    run_finish(&result);
    put_result(&out, &result);
    channel_send(&out);
    if (!(req.flags & RUN_KEEP))
        reset(c);
}

static int put_chunk(void *to, const void *bytes, size_t len)
{
    (void)to;
    put_image(&out, &(struct msg_image){ 0, { bytes, len } });
    channel_send(&out);
    return 0;
}

/* The dumped cell has become a copy of something else: start over with the
 * next worker. */
static void on_dump(struct str body)
{
    struct msg_dump m;
    struct err e = { 0 };
    if (get_dump(body, &m) < 0)
        _exit(EXIT_BAD_MESSAGE);
    if (dump_cell(cell_of(m.cell), &image.head, put_chunk, NULL, &e) < 0)
        fatal(&e, EXIT_CANNOT_START);
    put_image(&out, &(struct msg_image){ 1, STR("") });
    channel_send(&out);
    _exit(0);
}

static void on_reset(struct str body)
{
    struct msg_reset m;
    if (get_reset(body, &m) < 0)
        _exit(EXIT_BAD_MESSAGE);
    reset(cell_of(m.cell));
}

static _Noreturn void serve(void)
{
    for (;;) {
        uint32_t type = channel_receive(&in);
        struct str body = buf_str(&in);
        if (type == MSG_RUN)
            on_run(body);
        else if (type == MSG_DUMP)
            on_dump(body);
        else if (type == MSG_RESET)
            on_reset(body);
        else if (!fetch_is_answer(type))    /* else: to a run that is over */
            _exit(EXIT_BAD_MESSAGE);
    }
}

/* ---- start ------------------------------------------------------------ */

static void say_hello(void)
{
    char engine_text[200];
    snprintf(engine_text, sizeof engine_text, "%s, %s", engine_version(), sfi_build());
    put_hello(&out, &(struct msg_hello){
        .version = WIRE_VERSION, .walls = seal_walls() | WALL_SFI,
        .cells = cell_count, .engine = str_of(engine_text),
        .engine_id = str_of(engine_id()),
    });
    channel_send(&out);
}

/* The first cell serves runs and is reset all the time; more than that are
 * sessions, which live long and must be cheap to keep. */
static int make_cells(struct err *e)
{
    cells = calloc(cell_count, sizeof *cells);
    if (!cells)
        return err_set(e, -ENOMEM, "no memory for %u cells", cell_count);
    for (uint32_t i = 0; i < cell_count; i++) {
        int r = cell_new(&image, i == 0 ? CELL_TRACKED : CELL_PLAIN, &cells[i], e);
        if (r < 0)
            return r;
    }
    return 0;
}

static int start(struct err *e)
{
    int r = sfi_init(e);
    if (r == 0)
        r = image_open(JAIL_IMAGE_FD, engine_id(), &image, e);
    if (r == 0)
        r = boot_attach(&image.head, e);
    if (r == 0)
        r = make_cells(e);
    close(JAIL_IMAGE_FD);
    if (r == 0)
        r = meter_init(e);
    if (r == 0)
        r = seal_worker(e);
    return r;
}

static int work(void)
{
    struct err e = { 0 };
    buf_init(&in, MAX_RUN_BYTES);
    buf_init(&out, (size_t)256 << 20);
    run_sink = channel_send;
    if (start(&e) < 0)
        fatal(&e, EXIT_CANNOT_START);
    say_hello();
    reset(&cells[0]);    /* takes the faults of the hot pages ahead of time */
    serve();
}

/* ---- making the base image, in the build ------------------------------ */

static int put_file(void *to, const void *bytes, size_t len)
{
    return io_write_all(*(int *)to, bytes, len);
}

/* Never in place: a worker may have the old file mapped. */
static int write_image(const char *path, struct cell *c,
                       const struct image_head *head, struct err *e)
{
    char fresh[4096];
    if (snprintf(fresh, sizeof fresh, "%s.new", path) >= (int)sizeof fresh)
        return err_set(e, -ENAMETOOLONG, "%s", path);
    AUTO_FD fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return err_sys(e, "%s", fresh);
    int r = dump_cell(c, head, put_file, &fd, e);
    if (r == 0 && rename(fresh, path) < 0)
        r = err_sys(e, "%s", path);
    if (r < 0)
        unlink(fresh);
    return r;
}

static int make_image(const char *path, char **sources, int count, struct err *e)
{
    enum { MAX_BUNDLE_BYTES = 16 << 20 };
    AUTO_BUF runtime, stripper;
    buf_init(&runtime, MAX_BUNDLE_BYTES);
    buf_init(&stripper, MAX_BUNDLE_BYTES);
    if (io_read_file(sources[0], MAX_BUNDLE_BYTES, &runtime, e) < 0 ||
        (count > 1 && io_read_file(sources[1], MAX_BUNDLE_BYTES, &stripper, e) < 0))
        return e->code;
    struct image_head head;
    int r = sfi_init(e);
    if (r == 0)
        r = meter_init(e);
    if (r == 0)
        r = boot_fresh(buf_str(&runtime), buf_str(&stripper), &head, e);
    if (r < 0)
        return r;
    struct cell c = { .slot = engine.w2c_memory.data };
    cell_leave(&c);
    return write_image(path, &c, &head, e);
}

int main(int argc, char **argv)
{
    static const char making[] = "--make-image=", making_cells[] = "--cells=";
    struct err e = { 0 };
    if (argc >= 3 && strncmp(argv[1], making, sizeof making - 1) == 0) {
        if (make_image(argv[1] + sizeof making - 1, argv + 2, argc - 2, &e) == 0)
            return 0;
        fprintf(stderr, "glovebox-worker: %s\n", e.msg);
        return 1;
    }
    if (argc == 2 && strncmp(argv[1], making_cells, sizeof making_cells - 1) == 0) {
        long n = strtol(argv[1] + sizeof making_cells - 1, NULL, 10);
        if (n >= 1 && n <= MAX_CELLS) {
            cell_count = (uint32_t)n;
            return work();
        }
    }
    fputs("glovebox-worker is started by glovebox, not by hand.\n", stderr);
    return EXIT_CANNOT_START;
}
