/*
 * tests/conform/test262.c -- run test262 in cells, without a jail.
 *
 * Theory of operation. tools/test262/index.py has read the front matter; each
 * line of its index is a run. The images are made once, then each process
 * forked from here takes the next stretch of the index and writes what it finds
 * into shared memory. A process that dies has failed the one run it was at, and
 * another goes on behind it; one that hangs beyond its own timers is killed.
 *
 * The report is TAP, one test an area: an area is good when it failed exactly
 * where the list of known failures says (known.h; the key is "path mode status").
 * tests/conform/test262-known.txt says how that list is made.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/conform/test262.h"
#include "base/io.h"
#include "base/num.h"
#include "tests/conform/known.h"
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { STRETCH = 200, MAX_JOBS = 64, MAX_AREAS = 64, SHOWN = 40 };
enum { TICK_MS = 500, LATE_MS = 3000, NO_RUN = -1 };
enum { MAX_INDEX_BYTES = 256 << 20, FIELDS = 7 };

const char *const mode_text[MODES] = { "sloppy", "strict", "module", "raw" };
const char *const when_text[PHASES] = { "-", "parse", "resolution", "runtime" };
const char *const status_text[STATUSES] = {
    "not-run", "pass", "fail", "timeout", "crash", "skip",
};

/* Tests of these are not run; each with its reason. */
static const struct { const char *feature, *why; } skipped[] = {
    { "Atomics",              "a cell has no shared memory" },
    { "Atomics.pause",        "a cell has no shared memory" },
    { "Atomics.waitAsync",    "a cell has no shared memory" },
    { "SharedArrayBuffer",    "a cell has no shared memory" },
    { "CanBlockIsTrue",       "a cell has no agents" },
    { "host-gc-required",     "the engine counts references" },
    { "Temporal",             "not in QuickJS-NG" },
    { "ShadowRealm",          "not in QuickJS-NG" },
    { "decorators",           "not in QuickJS-NG" },
    { "tail-call-optimization", "not in QuickJS-NG" },
    { "import-defer",         "not in QuickJS-NG" },
    { "import-text",          "not in QuickJS-NG" },
    { "import-bytes",         "not in QuickJS-NG" },
    { "source-phase-imports", "not in QuickJS-NG" },
    { "source-phase-imports-module-source", "not in QuickJS-NG" },
    { "await-dictionary",     "not in QuickJS-NG" },
    { "Intl-enumeration",     "a cell has no Intl" },
};

static struct {
    const char *image, *root, *index, *known, *results, *write_known, *only;
    uint64_t jobs, timeout_ms;
} opt = { .jobs = 2, .timeout_ms = 10000 };

struct job {
    pid_t            pid;
    int              pidfd;
    int              end;
    _Atomic int      at;         /* the run it is at; shared with the process */
    _Atomic uint64_t since_ms;
};

static struct test262 *tests;
static int             test_count;
static struct outcome *outcomes;     /* shared */
static struct job     *jobs;         /* shared */

static _Noreturn void die(const struct err *e)
{
    fprintf(stderr, "test262: %s\n", e->msg);
    exit(2);
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- the index -------------------------------------------------------- */

static int find_text(const char *const *table, int count, const char *text)
{
    for (int i = 0; i < count; i++)
        if (strcmp(table[i], text) == 0)
            return i;
    return -1;
}

static int parse_line(char *line, struct test262 *out)
{
    char *field[FIELDS], *rest = line;
    for (int i = 0; i < FIELDS; i++)
        if (!(field[i] = strsep(&rest, "\t")))
            return -EINVAL;
    int mode = find_text(mode_text, MODES, field[1]);
    int phase = find_text(when_text, PHASES, field[4]);
    if (mode < 0 || phase < 0 || rest)
        return -EINVAL;
    *out = (struct test262){
        .path = field[0], .mode = (enum mode)mode,
        .is_async = strcmp(field[2], "async") == 0, .includes = field[3],
        .phase = (enum when)phase, .type = field[5], .features = field[6],
    };
    return 0;
}

static int read_index(struct err *e)
{
    static struct buf text;
    buf_init(&text, MAX_INDEX_BYTES);
    int r = io_read_file(opt.index, MAX_INDEX_BYTES - 1, &text, e);
    if (r < 0)
        return r;
    buf_add(&text, "", 1);
    size_t lines = 1;
    for (size_t i = 0; i < text.len; i++)
        lines += text.at[i] == '\n';
    tests = calloc(lines, sizeof *tests);
    if (!tests)
        return err_set(e, -ENOMEM, "no memory for %zu tests", lines);
    char *rest = text.at;
    int number = 1;
    for (char *line; (line = strsep(&rest, "\n")) != NULL && *line; number++) {
        if (parse_line(line, &tests[test_count]) < 0)
            return err_set(e, -EINVAL, "%s: line %d is not one of index.py",
                           opt.index, number);
        if (!opt.only || strstr(tests[test_count].path, opt.only))
            test_count++;
    }
    return test_count ? 0 : err_set(e, -ENOENT, "%s: no test to run", opt.index);
}

static const char *why_skipped(const struct test262 *t)
{
    for (const char *at = t->features; *at;) {
        size_t n = strcspn(at, ",");
        for (size_t i = 0; i < COUNT(skipped); i++)
            if (str_is((struct str){ at, n }, skipped[i].feature))
                return skipped[i].why;
        at += n + (at[n] == ',');
    }
    return NULL;
}

/* ---- processes -------------------------------------------------------- */

static void *shared(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                   -1, 0);
    if (p == MAP_FAILED) {
        perror("test262: shared memory");
        exit(2);
    }
    return p;
}

static _Noreturn void work(struct job *j, int from)
{
    struct err e = { 0 };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (case_process(&e) < 0)
        die(&e);
    for (int i = from; i < j->end; i++) {
        j->since_ms = now_ms();
        j->at = i;
        const char *skip = why_skipped(&tests[i]);
        if (skip) {
            snprintf(outcomes[i].why, WHY_BYTES, "%s", skip);
            outcomes[i].status = SKIPPED;
        } else {
            case_run(&tests[i], (unsigned)opt.timeout_ms, &outcomes[i]);
        }
    }
    j->at = j->end;
    _exit(0);
}

static void start(struct job *j, int from, int end)
{
    j->end = end;
    j->at = from;
    j->since_ms = now_ms();
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        work(j, from);    /* *j is shared: the child must not set its pid */
    j->pid = pid;
    j->pidfd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    if (j->pidfd < 0) {
        perror("test262: fork");
        exit(2);
    }
}

/* The process is gone. Returns where another should go on, or its end. */
static int reap(struct job *j)
{
    int status = 0, at = j->at;
    waitpid(j->pid, &status, 0);
    close(j->pidfd);
    j->pid = 0;
    if (at >= j->end)
        return j->end;
    struct outcome *o = &outcomes[at];
    if (o->status == NOT_RUN) {
        int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        o->status = sig == SIGKILL ? TIMED_OUT : CRASHED;
        snprintf(o->why, WHY_BYTES, sig ? "the process died of signal %d (%s)"
                                        : "the process ended (%d, %s)",
                 sig ? sig : WEXITSTATUS(status), sig ? strsignal(sig) : "exit");
    }
    return at + 1;
}

static void watch(struct job *j)
{
    if (j->pid && now_ms() - j->since_ms > opt.timeout_ms + LATE_MS)
        kill(j->pid, SIGKILL);
}

static int next_stretch(int *next, int *end)
{
    if (*next >= test_count)
        return NO_RUN;
    int from = *next;
    *end = from + STRETCH < test_count ? from + STRETCH : test_count;
    *next = *end;
    return from;
}

static void run_all(void)
{
    int next = 0, alive = 0, end;
    struct pollfd fds[MAX_JOBS];
    jobs = shared(opt.jobs * sizeof *jobs);
    for (uint64_t i = 0; i < opt.jobs; i++) {
        int from = next_stretch(&next, &end);
        if (from == NO_RUN)
            break;
        start(&jobs[alive++], from, end);
    }
    int running = alive;
    while (running > 0) {
        for (int i = 0; i < alive; i++)
            fds[i] = (struct pollfd){ jobs[i].pid ? jobs[i].pidfd : -1, POLLIN, 0 };
        poll(fds, (nfds_t)alive, TICK_MS);
        for (int i = 0; i < alive; i++) {
            watch(&jobs[i]);
            if (!(fds[i].revents & POLLIN))
                continue;
            int from = reap(&jobs[i]);
            end = jobs[i].end;
            if (from >= end)
                from = next_stretch(&next, &end);
            if (from == NO_RUN)
                running--;
            else
                start(&jobs[i], from, end);
        }
    }
}

/* ---- the report ------------------------------------------------------- */

struct area {
    struct str name;
    unsigned   by_status[STATUSES], runs, surprises;
};
static struct area areas[MAX_AREAS];
static int         area_count;
static struct known known;

/* "test/language/types/..." is of "language". */
static struct area *area_of(const struct test262 *t)
{
    const char *at = strncmp(t->path, "test/", 5) == 0 ? t->path + 5 : t->path;
    struct str name = { at, strcspn(at, "/") };
    int i = 0;
    for (; i < area_count; i++)
        if (areas[i].name.len == name.len &&
            memcmp(areas[i].name.at, name.at, name.len) == 0)
            return &areas[i];
    if (area_count == MAX_AREAS)
        return &areas[MAX_AREAS - 1];
    areas[area_count].name = name;
    return &areas[area_count++];
}

static void account(int i, FILE *results, FILE *list)
{
    const struct test262 *t = &tests[i];
    const struct outcome *o = &outcomes[i];
    struct area *a = area_of(t);
    char key[4096];
    snprintf(key, sizeof key, "%s %s %s", t->path, mode_text[t->mode],
             status_text[o->status]);
    a->runs++;
    a->by_status[o->status]++;
    if (results)
        fprintf(results, "%s%s%s\n", key, o->why[0] ? "\t" : "", o->why);
    if (o->status == PASSED || o->status == SKIPPED)
        return;
    if (list)
        fprintf(list, "%s  # %s\n", key, o->why);
    if (known_has(&known, key))
        return;
    if (a->surprises++ < SHOWN)
        printf("# %s: %s\n", key, o->why);
}

static int report_areas(void)
{
    int failed = 0;
    printf("# %-12s %7s %7s %6s %7s %6s %6s  rate\n", "area", "runs", "pass", "fail",
           "timeout", "crash", "skip");
    for (int i = 0; i < area_count; i++) {
        const struct area *a = &areas[i];
        unsigned counted = a->runs - a->by_status[SKIPPED];
        printf("# %-12.*s %7u %7u %6u %7u %6u %6u  %.2f %%\n", (int)a->name.len,
               a->name.at, a->runs, a->by_status[PASSED], a->by_status[FAILED],
               a->by_status[TIMED_OUT], a->by_status[CRASHED], a->by_status[SKIPPED],
               counted ? 100.0 * a->by_status[PASSED] / counted : 100.0);
    }
    for (int i = 0; i < area_count; i++) {
        const struct area *a = &areas[i];
        failed += a->surprises != 0;
        printf("%s %d - %.*s: %u runs, %u failures that are not known\n",
               a->surprises ? "not ok" : "ok", i + 1, (int)a->name.len, a->name.at,
               a->runs, a->surprises);
    }
    return failed;
}

/* Of a part, the list of the whole says nothing. */
static int report_known(void)
{
    unsigned gone = 0;
    for (size_t i = 0; !opt.only && i < known.count; i++)
        if (!known.line[i].seen && gone++ < SHOWN)
            printf("# %s: did not happen; take it off the list\n", known.line[i].key);
    printf("%s %d - all of %zu known failures still fail\n", gone ? "not ok" : "ok",
           area_count + 1, known.count);
    return gone != 0;
}

static FILE *open_for(const char *path)
{
    FILE *f = path ? fopen(path, "we") : NULL;
    if (path && !f) {
        perror(path);
        exit(2);
    }
    return f;
}

static int report(void)
{
    FILE *results = open_for(opt.results), *list = open_for(opt.write_known);
    for (int i = 0; i < test_count; i++)
        account(i, results, list);
    if (results)
        fclose(results);
    if (list)
        fclose(list);
    int failed = report_areas() + report_known();
    printf("1..%d\n", area_count + 1);
    return failed != 0;
}

/* ---- options ---------------------------------------------------------- */

static const char usage[] =
    "usage: test262 --image FILE --root DIR --index FILE [SUBSTRING]\n"
    "  --known FILE        failures that are expected\n"
    "  --results FILE      write what became of each run\n"
    "  --write-known FILE  write all failures, in the form of --known\n"
    "  --jobs N            processes (2)\n"
    "  --timeout TIME      for one run (10s)\n";

static void read_options(int argc, char **argv)
{
    static const struct option options[] = {
        { "image",       required_argument, NULL, 'i' },
        { "root",        required_argument, NULL, 'r' },
        { "index",       required_argument, NULL, 'x' },
        { "known",       required_argument, NULL, 'k' },
        { "results",     required_argument, NULL, 'o' },
        { "write-known", required_argument, NULL, 'w' },
        { "jobs",        required_argument, NULL, 'j' },
        { "timeout",     required_argument, NULL, 't' },
        { NULL, 0, NULL, 0 },
    };
    struct err e = { 0 };
    for (int c; (c = getopt_long(argc, argv, "j:", options, NULL)) != -1;) {
        const char **text = c == 'i' ? &opt.image : c == 'r' ? &opt.root
                          : c == 'x' ? &opt.index : c == 'k' ? &opt.known
                          : c == 'o' ? &opt.results : c == 'w' ? &opt.write_known
                          : NULL;
        if (text)
            *text = optarg;
        else if (c == 'j' ? num_u64(optarg, &opt.jobs, &e) < 0
                          : c != 't' || num_duration(optarg, &opt.timeout_ms, &e) < 0)
            opt.image = NULL;
    }
    opt.only = argv[optind];
    if (!opt.image || !opt.root || !opt.index || opt.jobs < 1 || opt.jobs > MAX_JOBS) {
        fputs(e.code ? e.msg : "", stderr);
        fputs(usage, stderr);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct err e = { 0 };
    read_options(argc, argv);
    if (read_index(&e) < 0 || known_read(opt.known, &known, &e) < 0 ||
        case_prepare(opt.image, opt.root, &e) < 0)
        die(&e);
    outcomes = shared((size_t)test_count * sizeof *outcomes);
    run_all();
    return report();
}
