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

/* X(NAME, number, largest body, phases it is legal in) */
#define FROM_WORKER(X)                                                      \
    X(HELLO,  1, 4096,                                  PHASE_STARTING)     \
    X(OUTPUT, 2, MAX_CHUNK_BYTES + 64,                  PHASE_RUNNING)      \
    X(LOAD,   3, 2 * MAX_NAME_BYTES + 64,               PHASE_RUNNING)      \
    X(RESULT, 4, MAX_RESULT_BYTES + (4 << 20),          PHASE_RUNNING)      \
    X(IMAGE,  5, IMAGE_CHUNK_BYTES + 64,                PHASE_DUMPING)      \
    X(FATAL,  6, 1024,  PHASE_STARTING | PHASE_IDLE | PHASE_RUNNING | PHASE_DUMPING)

#define TO_WORKER(X)                                                        \
    X(RUN,    32, MAX_RUN_BYTES,               PHASE_IDLE)                  \
    X(LOADED, 33, MAX_SOURCE_BYTES + 8192,     PHASE_RUNNING)               \
    X(DUMP,   34, 64,                          PHASE_IDLE)                  \
    X(RESET,  35, 64,                          PHASE_IDLE)

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
enum { WIRE_VERSION = 1 };

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
    RUN_ALL     = BIT(9) - 1,
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
