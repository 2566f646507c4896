/* env/ending.c -- which ending a run of node or python had, from evidence.
 * SPDX-License-Identifier: MIT */
#include "env/ending.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { STDERR_TAIL = 16 << 10 };

static int contains(struct str s, const char *word)
{
    return s.len && memmem(s.at, s.len, word, strlen(word)) != NULL;
}

static void by_limit(struct run_result *r, enum reason reason,
                     enum run_limit limit, uint64_t observed)
{
    result_end(r, reason, NULL);
    r->limit = limit;
    r->observed = observed;
}

/* ---- signs ---------------------------------------------------------------- */

/* What runtimes say when an allocation fails, before they give up. */
static int speaks_of_memory(const struct run_result *r)
{
    static const char *const words[] = {
        "heap out of memory", "Array buffer allocation failed", "MemoryError",
        "std::bad_alloc", "Cannot allocate memory", "OutOfMemory", "ENOMEM",
    };
    struct str tail = buf_str(&r->output[OUT_STDERR]);
    if (tail.len > STDERR_TAIL)
        tail = (struct str){ tail.at + tail.len - STDERR_TAIL, STDERR_TAIL };
    for (size_t i = 0; i < COUNT(words); i++)
        if (contains(tail, words[i]) || contains(r->error_message, words[i]) ||
            contains(r->error_name, words[i]))
            return 1;
    return 0;
}

/* Within a fifth of the limit: the allocation that failed is not in the peak. */
static int near_limit(const struct run_result *r, const struct evidence *ev)
{
    return ev->memory_peak_bytes >= r->limits.memory_bytes / 5 * 4;
}

/* How a runtime dies that cannot go on without memory. */
static int dies_like_memory(int sig)
{
    return sig == SIGABRT || sig == SIGSEGV || sig == SIGTRAP || sig == SIGILL ||
           sig == SIGBUS || sig == SIGKILL;
}

static int speaks_of(const struct run_result *r, const char *name,
                     const char *sentence)
{
    return contains(r->error_message, name) || contains(r->error_message, sentence);
}

/* Its limit of processes may refuse before the cgroup does, and does not count:
 * its own words must do. */
static int speaks_of_processes(const struct run_result *r)
{
    return speaks_of(r, "can't start new thread", "ERR_WORKER_INIT_FAILED") ||
           (contains(r->error_message, "EAGAIN") &&
            speaks_of(r, "spawn", "fork"));
}

/* ---- the two ways to end -------------------------------------------------- */

static void ended_by_signal(struct run_result *r, const struct evidence *ev,
                            int sig)
{
    const char *name = sigabbrev_np(sig);
    char detail[460];
    r->exit_code = 128 + sig;
    if (sig == SIGSYS) {
        result_end(r, REASON_SYSCALL_DENIED, NULL);
    } else if (sig == SIGXFSZ) {
        by_limit(r, REASON_DISK_LIMIT, LIMIT_file_bytes, r->limits.file_bytes);
    } else if (sig == SIGXCPU) {
        by_limit(r, REASON_CPU_TIME_LIMIT, LIMIT_cpu_time_ms, ev->cpu_ns / 1000000);
    } else if (ev->out_of_memory ||
               (dies_like_memory(sig) &&
                (speaks_of_memory(r) || (sig != SIGKILL && near_limit(r, ev))))) {
        by_limit(r, REASON_MEMORY_LIMIT, LIMIT_memory_bytes, ev->memory_peak_bytes);
    } else {
        snprintf(detail, sizeof detail, "it died of SIG%s%s%s", name ? name : "?",
                 ev->words[0] ? " after saying: " : "", ev->words);
        result_end(r, REASON_CRASHED, detail);
    }
}

/*
 * It failed by its own account. A limit that it ran into is the better answer
 * than the error that came of it, which stays in `error`.
 */
static int failed_by_limit(struct run_result *r, const struct evidence *ev)
{
    if (ev->out_of_memory ||
        (speaks_of_memory(r) && (near_limit(r, ev) ||
                                 r->reason == REASON_MEMORY_LIMIT)))
        by_limit(r, REASON_MEMORY_LIMIT, LIMIT_memory_bytes, ev->memory_peak_bytes);
    else if (ev->out_of_processes || speaks_of_processes(r))
        by_limit(r, REASON_PROCESS_LIMIT, LIMIT_processes, r->limits.processes);
    else if (ev->disk_full || (!ev->files_full &&
                               speaks_of(r, "ENOSPC", "No space left on device")))
        by_limit(r, REASON_DISK_LIMIT, LIMIT_disk_bytes, r->limits.disk_bytes);
    else if (ev->files_full)
        by_limit(r, REASON_DISK_LIMIT, LIMIT_files, r->limits.files);
    else if (speaks_of(r, "EFBIG", "File too large"))
        by_limit(r, REASON_DISK_LIMIT, LIMIT_file_bytes, r->limits.file_bytes);
    else
        return 0;
    return 1;
}

static void ended_by_exit(struct run_result *r, const struct evidence *ev,
                          int code)
{
    int failed = code != 0 || (ev->has_result && r->reason != REASON_COMPLETED);
    r->exit_code = code;
    if (!failed) {
        result_end(r, REASON_COMPLETED, NULL);
    } else if (failed_by_limit(r, ev)) {
        return;
    } else if (!ev->has_result || r->reason == REASON_COMPLETED ||
               r->reason == REASON_NONZERO_EXIT) {
        char detail[32];
        snprintf(detail, sizeof detail, "exit code %d", code);
        result_end(r, REASON_NONZERO_EXIT, detail);
    }    /* else: as its result says */
}

void ending_decide(struct run_result *r, const struct evidence *ev)
{
    if (!ev->reaped) {
        result_end(r, REASON_LOST, ev->words);
        return;
    }
    if (!ev->has_result)
        r->reason = REASON_COMPLETED;
    if (WIFSIGNALED(ev->status))
        ended_by_signal(r, ev, WTERMSIG(ev->status));
    else
        ended_by_exit(r, ev, WEXITSTATUS(ev->status));
}

void ending_close(struct run_result *r, const struct evidence *ev)
{
    r->cpu_ns = ev->cpu_ns;
    r->memory_peak_bytes = ev->memory_peak_bytes;
    r->counted_by = ev->counted_by;
    r->egress_bytes = ev->egress_bytes;
    if (!result_ok(r))
        result_drop_value(r);
}
