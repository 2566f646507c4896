/* cli/setup.c -- the image of --setup.  SPDX-License-Identifier: MIT */
#include "cli/setup.h"
#include "cli/command.h"
#include "cli/report.h"

#include <errno.h>
#include <stdlib.h>

/* stdout belongs to the programs that follow. */
static void to_stderr(void *user, struct run *r, int stream, struct str bytes)
{
    (void)r;
    (void)stream;
    term_guest(user, TO_STDERR, bytes);
}

static const struct run_calls calls = { .output = to_stderr };

static void say_failed(struct term *t, const struct plan *p, size_t which,
                       const struct run_result *r)
{
    if (p->options->json || p->options->pretty)
        report_json(t, r, p->options->pretty ? JSON_PRETTY : JSON_COMPACT);
    term_say(t, "the set-up %s failed: %s", p->setup[which].path,
             reason_text(r->reason));
    report_failure(t, p, r);
}

static int build(struct term *t, struct plan *p, int interrupt_fd,
                 struct msg_run *messages, int *out_code)
{
    struct err e = { 0 };
    struct local_spec spec;
    struct run_result failed_result = { 0 };
    size_t failed = 0;
    AUTO_FD image = -1;
    for (size_t i = 0; i < p->setups; i++)
        messages[i] = plan_message(p, &p->setup[i], i);
    plan_local(p, interrupt_fd, &spec);
    struct setup setup = { .program = messages, .programs = p->setups,
                           .root_fd = p->root_fd, .calls = &calls, .user = t };
    int r = setup_image(&spec, &setup, &image, &failed, &failed_result, &e);
    if (r == 1) {
        *out_code = result_exit_code(&failed_result);
        say_failed(t, p, failed, &failed_result);
        result_free(&failed_result);
        return -1;
    }
    if (r < 0) {
        *out_code = r == -ECANCELED ? reason_exit_code(REASON_CANCELLED) : EXIT_OURS;
        term_say(t, "set-up: %s", e.msg);
        return -1;
    }
    close(p->image_fd);
    p->image_fd = fd_take(&image);
    return 0;
}

int plan_set_up(struct term *t, struct plan *p, int interrupt_fd, int *out_code)
{
    if (!p->setups)
        return 0;
    struct msg_run *messages = calloc(p->setups, sizeof *messages);
    if (!messages) {
        term_say(t, "no memory");
        *out_code = EXIT_OURS;
        return -1;
    }
    int r = build(t, p, interrupt_fd, messages, out_code);
    free(messages);
    return r;
}
