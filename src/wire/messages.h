/*
 * wire/messages.h -- every message between the supervisor and a js worker.
 *
 * The supervisor trusts none of what a worker sends: type, phase and size are
 * checked from the table below before anybody looks into a body
 * (env/peer.c). Numbers are forever.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "wire/frame.h"
#include "wire/reason.h"

/* What a worker is doing, as the supervisor knows it. */
enum phase {
    PHASE_STARTING = BIT(0),    /* before hello: sealing itself */
    PHASE_IDLE     = BIT(1),
    PHASE_RUNNING  = BIT(2),    /* between run and result */
    PHASE_DUMPING  = BIT(3),    /* between dump and the last image frame */
};

enum {
    MAX_SOURCE_BYTES  = 16 << 20,    /* one program or module */
    MAX_RUN_BYTES     = 64 << 20,    /* a run message with all its modules */
    MAX_RESULT_BYTES  = 64 << 20,    /* ceiling of limits.result_bytes, and more */
    MAX_CHUNK_BYTES   = 64 << 10,    /* one output frame */
    MAX_MODULES       = 4096,
    MAX_NAME_BYTES    = 4096,        /* file names, module names */
    IMAGE_CHUNK_BYTES = 1 << 20,
};

/* Requests of a guest over HTTP (fetch). */
enum {
    MAX_FETCHES       = 64,          /* in flight, of one run */
    MAX_METHOD_BYTES  = 64,
    MAX_URL_BYTES     = 64 << 10,
    MAX_HEADERS       = 256,
    MAX_HEADERS_BYTES = 128 << 10,
    MAX_FETCH_BODY    = 16 << 20,    /* of a request; an answer comes in chunks */
    FETCH_WINDOW      = 256 << 10,   /* bytes of an answer not yet asked for */
};

/* X(NAME, number, largest body, phases it is legal in) */
#define FROM_WORKER(X)                                                      \
    X(HELLO,  1, 4096,                                  PHASE_STARTING)     \
    X(OUTPUT, 2, MAX_CHUNK_BYTES + 64,                  PHASE_RUNNING)      \
    X(LOAD,   3, 2 * MAX_NAME_BYTES + 64,               PHASE_RUNNING)      \
    X(RESULT, 4, MAX_RESULT_BYTES + (4 << 20),          PHASE_RUNNING)      \
    X(IMAGE,  5, IMAGE_CHUNK_BYTES + 64,                PHASE_DUMPING)      \
    X(FATAL,  6, 1024,  PHASE_STARTING | PHASE_IDLE | PHASE_RUNNING | PHASE_DUMPING) \
    X(FETCH,  7, MAX_FETCH_BODY + (256 << 10),          PHASE_RUNNING)      \
    X(FETCH_ABORT,  8, 64,                              PHASE_RUNNING)      \
    X(FETCH_MORE,   9, 64,                              PHASE_RUNNING)      \
    X(FETCH_DENIED, 10, MAX_URL_BYTES + 64,             PHASE_RUNNING)

#define TO_WORKER(X)                                                        \
    X(RUN,    32, MAX_RUN_BYTES,               PHASE_IDLE)                  \
    X(LOADED, 33, MAX_SOURCE_BYTES + 8192,     PHASE_RUNNING)               \
    X(DUMP,   34, 64,                          PHASE_IDLE)                  \
    X(RESET,  35, 64,                          PHASE_IDLE)                  \
    X(FETCH_HEAD, 36, 256 << 10,               PHASE_RUNNING)               \
    X(FETCH_DATA, 37, MAX_CHUNK_BYTES + 64,    PHASE_RUNNING)               \
    X(FETCH_END,  38, 64,                      PHASE_RUNNING)               \
    X(FETCH_FAIL, 39, 16 << 10,                PHASE_RUNNING)

enum message {
#define X(NAME, number, max, phases) MSG_##NAME = number,
    FROM_WORKER(X)
    TO_WORKER(X)
#undef X
};

/* The row of a message, or NULL. */
struct message_rule {
    const char *name;
    uint64_t    max_body;
    unsigned    phases;
};
const struct message_rule *message_from_worker(uint32_t type);
const struct message_rule *message_to_worker(uint32_t type);

/* hello: the worker is sealed and proved it. */
struct msg_hello {
    uint32_t   version;       /* WIRE_VERSION */
    uint32_t   walls;         /* WALL_* bits the worker itself put up and proved */
    uint32_t   cells;
    struct str engine;        /* "quickjs-ng 0.17.0, fast build" */
    struct str engine_id;     /* must equal the image's */
};
enum { WIRE_VERSION = 2 };

enum program_mode {
    MODE_AUTO, MODE_SCRIPT, MODE_MODULE, MODE_BODY, MODE_MAIN, MODE_COUNT
};

enum run_flags {
    RUN_PLAIN   = BIT(0),    /* plain JSON, documented lossy conversions */
    RUN_DISPLAY = BIT(1),    /* also the value as console.log would show it */
    RUN_COLOR   = BIT(2),    /* ... with colours */
    RUN_KEEP    = BIT(3),    /* a session: state stays for the next run */
    RUN_TS      = BIT(4),    /* strip types first; needs an image with the stripper */
    RUN_SEEDED  = BIT(5),    /* randomness from seed, not from the kernel */
    RUN_CLOCKED = BIT(6),    /* a clock that starts at clock_ns and waits for nobody */
    RUN_ROOT    = BIT(7),    /* relative imports may be asked for with load */
    RUN_SETUP   = BIT(8),    /* set-up code of an image: no value, hooks stay */
    RUN_NET     = BIT(9),    /* fetch may be sent */
    RUN_ALL     = BIT(10) - 1,
};

/* Every limit of a run, with its default and ceiling. Timers, module loads and
 * stack are the js engine's; from processes to cpus they are those of node and
 * python, where processes counts threads too.
 * X(field, "name on every surface", default, ceiling) */
#define RUN_LIMITS(X)                                                    \
    X(wall_time_ms,     "wall_time_ms",      30000,      86400000)       \
    X(cpu_time_ms,      "cpu_time_ms",       10000,      86400000)       \
    X(memory_bytes,     "memory_mb",     128 * MIB,    2048 * MIB)       \
    X(stack_bytes,      "stack_kb",      832 * KIB,     832 * KIB)       \
    X(output_bytes,     "max_output_bytes",  1 * MIB,  256 * MIB)        \
    X(result_bytes,     "max_result_bytes", 16 * MIB,   48 * MIB)        \
    X(timers,           "max_timers",         1000,       100000)        \
    X(module_loads,     "max_module_loads",   1000,        10000)        \
    X(processes,        "max_processes",        64,         4096)        \
    X(open_files,       "max_open_files",      256,        65536)        \
    X(disk_bytes,       "disk_mb",         64 * MIB,  16384 * MIB)       \
    X(files,            "max_files",          4096,      1000000)        \
    X(file_bytes,       "max_file_mb",     64 * MIB,  16384 * MIB)       \
    X(cpus,             "cpus",                  2,           64)        \
    X(egress_bytes,     "max_egress_bytes", 64 * MIB, 16384 * MIB)

struct run_limits {
#define X(field, name, initial, ceiling) uint64_t field;
    RUN_LIMITS(X)
#undef X
};
extern const struct run_limits run_limits_default, run_limits_ceiling;

enum module_kind { MODULE_JS, MODULE_JSON, MODULE_TS, MODULE_KINDS };
/* By the file's name: .json, .ts and .mts are what they say, the rest is js. */
enum module_kind module_kind_of(struct str file_name);

struct module_source {
    struct str name, source;
    uint8_t    kind;          /* enum module_kind */
};

struct msg_run {
    uint64_t          id;
    uint32_t          cell;
    uint32_t          flags;         /* enum run_flags */
    uint8_t           mode;          /* enum program_mode */
    struct run_limits  limits;
    uint64_t          seed;
    uint64_t          clock_ns;      /* since 1970 */
    struct str        name;          /* file name in stacks, e.g. "main.js" */
    struct str        source;
    struct str        input;         /* tagged JSON, or empty */
    struct str        secrets;       /* JSON object of names and what stands for
                                        their values, or empty */
    uint32_t          modules;
    const struct module_source *module;    /* on decode: borrowed from scratch */
};

struct msg_output {
    uint8_t    stream;               /* 1 or 2 */
    struct str bytes;
};

/* load: the guest imports something the run did not bring along. */
struct msg_load {
    struct str base, name;           /* importing module, specifier as resolved */
};
struct msg_loaded {
    uint8_t    ok;                   /* 0: text says why not, to the guest */
    struct str text;
};

/* Which limit ended a run; index into RUN_LIMITS, LIMIT_NONE if none did. */
enum run_limit {
#define X(field, name, initial, ceiling) LIMIT_##field,
    RUN_LIMITS(X)
#undef X
    LIMIT_NONE
};

struct msg_result {
    uint64_t   id;
    uint8_t    reason;               /* enum reason, as the worker saw it */
    uint8_t    limit;                /* enum run_limit */
    uint64_t   observed;             /* in the limit's own unit */
    struct str value, exports;       /* JSON made by the guest: check it */
    struct str display;
    struct str error_name, error_message, error_stack, error_printed;
    struct str file;                 /* where it happened; line 0: unknown */
    uint32_t   line, column;
    struct str detail;               /* for people: which trap, which import */
    uint64_t   wall_ns, cpu_ns, memory_peak_bytes;
    uint64_t   stdout_bytes, stderr_bytes;    /* attempted, not only kept */
    uint8_t    state_lost;           /* a kept cell was rolled back */
};

/* dump: give the image of a cell, in chunks; the last chunk has last = 1. */
struct msg_dump  { uint32_t cell; };
struct msg_image { uint8_t last; struct str bytes; };
/* reset: the cell becomes a fresh copy of the image (sessions). */
struct msg_reset { uint32_t cell; };
struct msg_fatal { struct str text; };

/*
 * fetch: the guest asks for a resource; legal with RUN_NET only. The worker
 * numbers its calls, each number once a run. One head and any number of data
 * answer it, then an end; or, at any time, a fail, which is the last. Of the body
 * FETCH_WINDOW bytes may come unasked, and as many more as fetch_more grants.
 *
 * A call is over with its end, its fail or its abort, and all of a run's with the
 * result. Answers may still be on their way then: who gets one for a call that is
 * over drops it. They cannot be taken for answers to a later run, because the
 * supervisor sends none for a run whose result it has, and the stream is in order:
 * the last of them comes before the next run message.
 */
enum fetch_redirect { REDIRECT_FOLLOW, REDIRECT_ERROR, REDIRECT_MANUAL, REDIRECTS };
struct msg_fetch {
    uint32_t   call;
    struct str method, url;
    struct str headers;              /* see header_next() */
    uint8_t    redirect;             /* enum fetch_redirect */
    struct str body;
};
struct msg_fetch_abort { uint32_t call; };
struct msg_fetch_more  { uint32_t call, bytes; };
/* fetch_denied: a run without RUN_NET wanted this; nothing answers. */
struct msg_fetch_denied { struct str url; };

struct msg_fetch_head {
    uint32_t   call, status;
    struct str status_text;
    struct str url;                  /* of the last redirect */
    uint8_t    redirected;
    struct str headers;
};
struct msg_fetch_data { uint32_t call; struct str bytes; };
struct msg_fetch_end  { uint32_t call; };
struct msg_fetch_fail { uint32_t call; struct str code, message, hint; };

/*
 * Headers travel as one str: a name, LF, its value, LF, and again. A body with
 * others than these is refused: names are tokens of HTTP, values hold no CR, LF
 * or NUL, and there are at most MAX_HEADERS. So nothing that was taken off the
 * wire can smuggle a line into a request.
 * header_next takes the first pair off: 1, 0 at the end, -EPROTO.
 */
int header_next(struct str *rest, struct str *out_name, struct str *out_value);

/*
 * put_X appends a whole frame to b. get_X reads a body; strs in the result are
 * borrowed from it. Both sides refuse out-of-range enums and unknown flags.
 * Returns 0 or -EPROTO (-EMSGSIZE for too many modules).
 */
void put_hello(struct buf *b, const struct msg_hello *m);
void put_run(struct buf *b, const struct msg_run *m);
void put_output(struct buf *b, const struct msg_output *m);
void put_load(struct buf *b, const struct msg_load *m);
void put_loaded(struct buf *b, const struct msg_loaded *m);
void put_result(struct buf *b, const struct msg_result *m);
void put_dump(struct buf *b, const struct msg_dump *m);
void put_image(struct buf *b, const struct msg_image *m);
void put_reset(struct buf *b, const struct msg_reset *m);
void put_fatal(struct buf *b, const struct msg_fatal *m);
void put_fetch(struct buf *b, const struct msg_fetch *m);
void put_fetch_abort(struct buf *b, const struct msg_fetch_abort *m);
void put_fetch_more(struct buf *b, const struct msg_fetch_more *m);
void put_fetch_denied(struct buf *b, const struct msg_fetch_denied *m);
void put_fetch_head(struct buf *b, const struct msg_fetch_head *m);
void put_fetch_data(struct buf *b, const struct msg_fetch_data *m);
void put_fetch_end(struct buf *b, const struct msg_fetch_end *m);
void put_fetch_fail(struct buf *b, const struct msg_fetch_fail *m);

int get_hello(struct str body, struct msg_hello *out);
/* modules are stored into room[MAX_MODULES]-sized scratch of the caller */
int get_run(struct str body, struct module_source *room, size_t rooms,
            struct msg_run *out);
int get_output(struct str body, struct msg_output *out);
int get_load(struct str body, struct msg_load *out);
int get_loaded(struct str body, struct msg_loaded *out);
int get_result(struct str body, struct msg_result *out);
int get_dump(struct str body, struct msg_dump *out);
int get_image(struct str body, struct msg_image *out);
int get_reset(struct str body, struct msg_reset *out);
int get_fatal(struct str body, struct msg_fatal *out);
int get_fetch(struct str body, struct msg_fetch *out);
int get_fetch_abort(struct str body, struct msg_fetch_abort *out);
int get_fetch_more(struct str body, struct msg_fetch_more *out);
int get_fetch_denied(struct str body, struct msg_fetch_denied *out);
int get_fetch_head(struct str body, struct msg_fetch_head *out);
int get_fetch_data(struct str body, struct msg_fetch_data *out);
int get_fetch_end(struct str body, struct msg_fetch_end *out);
int get_fetch_fail(struct str body, struct msg_fetch_fail *out);
