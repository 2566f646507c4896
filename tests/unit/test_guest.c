/* tests/unit/test_guest.c -- runs over the forks of a zygote: env/forks.h,
 * env/child.h, env/zygote.h, against a zygote that is none.
 * SPDX-License-Identifier: MIT */
#include "tests/test.h"
#include "base/json.h"
#include "env/program.h"
#include "jail/calls.h"
#include "tests/unit/fake_zygote.h"

#include <dirent.h>
#include <sys/eventfd.h>

static const struct runtime runtime = { .engine = ENGINE_NODE, .version = "v0",
                                        .inside = "/usr/bin/fake" };

enum { MAX_RUNS = 32 };

struct scene {
    struct guest_image image;
    struct guest_run   guest;
    struct run_limits  limits;
    const char        *source[MAX_RUNS];
    size_t             sources, begun;
    unsigned           jobs;
    int                interrupt_fd;
    struct run         run[MAX_RUNS];
    size_t             done;
    int                status;
    struct err         e;
};

static int count_fds(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static struct run *scene_next(void *user)
{
    struct scene *s = user;
    if (s->begun == s->sources)
        return NULL;
    struct run *r = &s->run[s->begun];
    struct msg_run m = { .id = s->begun, .limits = s->limits, .name = STR("main.js"),
                         .source = str_of(s->source[s->begun]) };
    s->begun++;
    run_init(r, &m, -1, NULL, NULL);
    r->guest = &s->guest;
    return r;
}

static void scene_done(void *user, struct run *r)
{
    struct scene *s = user;
    CHECK(r->state == RUN_DONE && !r->child);
    s->done++;
}

static struct scene scene(const char *source)
{
    signal(SIGPIPE, SIG_IGN);
    fake_open();
    return (struct scene){
        .image = { .engine = ENGINE_NODE, .runtime = &runtime,
                   .limits = run_limits_default },
        .guest = { .input_fd = -1, .out_fd = -1 },
        .limits = run_limits_default, .source = { source }, .sources = 1,
        .jobs = 1, .interrupt_fd = -1,
    };
}

/* To its end; nothing may be left open. */
static void play(struct scene *s)
{
    int before = count_fds();
    struct forks *f = NULL;
    struct local_work w = { scene_next, scene_done, s };
    struct forks_spec spec = { .image = &s->image, .jobs = s->jobs,
                               .interrupt_fd = s->interrupt_fd,
                               .start = fake_start };
    CHECK(forks_open(&spec, &f, &s->e) == 0);
    s->status = forks_drive(f, &w, &s->e);
    CHECK_INT(s->done, s->begun);
    forks_free(f);
    CHECK_INT(count_fds(), before);
    fake_close();
}

static void finish(struct scene *s)
{
    for (size_t i = 0; i < s->begun; i++)
        run_free(&s->run[i]);
}

/* One program, and how it ended. */
static void ends(const char *source, enum reason reason, int exit_code)
{
    struct scene s = scene(source);
    s.limits.wall_time_ms = 5000;
    play(&s);
    if (s.run[0].result.reason != reason)
        printf("# %s: %s %s\n", source, reason_text(s.run[0].result.reason),
               s.run[0].result.detail);
    CHECK(s.run[0].result.reason == reason);
    CHECK_INT(result_exit_code(&s.run[0].result), exit_code);
    CHECK(reason == REASON_COMPLETED || !s.run[0].result.value.len);
    finish(&s);
}

TEST(a_program_gives_its_value)
{
    struct scene s = scene("value {\"a\":1}");
    play(&s);
    const struct run_result *r = &s.run[0].result;
    CHECK(s.status == 0 && result_ok(r) && str_is(r->value, "{\"a\":1}"));
    CHECK(r->started_as == AS_FORK && r->engine == ENGINE_NODE && r->wall_ns > 0);
    finish(&s);
}

TEST(how_it_exits_is_how_it_ended)
{
    ends("exit 0", REASON_COMPLETED, 0);
    ends("exit 3", REASON_NONZERO_EXIT, 3);
    ends("value-exit 4", REASON_NONZERO_EXIT, 4);
    ends("error out of luck", REASON_EXCEPTION, 1);
    ends("signal 11", REASON_CRASHED, 139);
    ends("signal 31", REASON_SYSCALL_DENIED, 126);
    ends("signal 25", REASON_DISK_LIMIT, 153);
    ends("last", REASON_COMPLETED, 0);
}

TEST(endings_that_are_not_a_guests_to_give_end_it)
{
    ends("claim 17", REASON_CRASHED, 1);     /* cancelled */
    ends("claim 5", REASON_CRASHED, 1);      /* wall_time_limit */
    ends("claim 22", REASON_CRASHED, 1);     /* internal */
    ends("value {", REASON_CRASHED, 1);
    ends("bytes", REASON_CRASHED, 1);
}

TEST(the_wall_clock_ends_a_program_that_waits)
{
    struct scene s = scene("sleep");
    s.limits.wall_time_ms = 50;
    play(&s);
    CHECK(s.run[0].result.reason == REASON_WALL_TIME_LIMIT);
    CHECK(s.run[0].result.limit == LIMIT_wall_time_ms);
    CHECK(s.run[0].result.observed >= 50);
    finish(&s);
}

TEST(the_processors_clock_ends_a_program_that_computes)
{
    struct scene s = scene("spin");
    s.limits.cpu_time_ms = 50;
    play(&s);
    CHECK(s.run[0].result.reason == REASON_CPU_TIME_LIMIT);
    CHECK(s.run[0].result.observed >= 50);
    finish(&s);
}

TEST(output_is_kept_up_to_the_limit_and_then_ends_it)
{
    struct scene s = scene("flood");
    s.limits.output_bytes = 1000;
    play(&s);
    CHECK(s.run[0].result.reason == REASON_OUTPUT_LIMIT);
    CHECK_INT(s.run[0].result.output[OUT_STDOUT].len, 1000);
    finish(&s);
    s = scene("print twelve bytes");
    s.limits.output_bytes = 5;
    play(&s);
    CHECK(s.run[0].result.reason == REASON_OUTPUT_LIMIT);    /* however fast it was */
    CHECK_INT(s.run[0].result.output_total[OUT_STDOUT], 12);
    finish(&s);
}

TEST(stdin_is_what_the_caller_gives)
{
    static char long_input[300000];
    memset(long_input, 'x', sizeof long_input);
    struct scene s = scene("cat");
    s.guest.input = (struct str){ long_input, sizeof long_input };
    play(&s);
    CHECK(str_is(s.run[0].result.value, "300000"));
    finish(&s);

    int p[2];
    CHECK(pipe2(p, O_CLOEXEC) == 0 && write(p[1], "12345", 5) == 5);
    close(p[1]);
    s = scene("cat");
    s.guest.input_fd = p[0];
    play(&s);
    CHECK(str_is(s.run[0].result.value, "5"));
    close(p[0]);
    finish(&s);

    s = scene("cat");
    play(&s);
    CHECK(str_is(s.run[0].result.value, "0"));
    finish(&s);
}

TEST(files_go_in_before_and_come_out_after)
{
    char folder[] = "/tmp/gb-out-XXXXXX", path[64];
    CHECK(mkdtemp(folder));
    struct guest_file files[] = { { "data/in.txt", STR("in") } };
    struct scene s = scene("write data/out.txt");
    s.guest.file = files;
    s.guest.files = 1;
    s.guest.out_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    play(&s);
    const struct file_list *l = &s.run[0].result.files;
    CHECK_INT(l->files, 1);
    CHECK_TEXT(l->file[0].path, "data/out.txt");
    CHECK(l->file[0].bytes == 5 && l->file[0].copied);
    snprintf(path, sizeof path, "%s/data/out.txt", folder);
    CHECK(unlink(path) == 0);
    snprintf(path, sizeof path, "%s/data", folder);
    CHECK(rmdir(path) == 0 && rmdir(folder) == 0);
    close(s.guest.out_fd);
    finish(&s);
}

TEST(a_seal_that_lacks_something_runs_nothing)
{
    fake.walls = ~(uint32_t)WALL_QUOTA;
    struct scene s = scene("value 1");
    play(&s);
    CHECK(s.run[0].result.reason == REASON_INTERNAL);
    CHECK(strstr(s.run[0].result.detail, "quota"));
    finish(&s);
    fake.walls = ~0u;
    fake.no_descriptors = 1;
    s = scene("value 1");
    play(&s);
    CHECK(s.run[0].result.reason == REASON_INTERNAL);
    CHECK(strstr(s.run[0].result.detail, "descriptors"));
    finish(&s);
}

TEST(a_wall_may_be_missed_only_if_it_was_named)
{
    fake.walls = ~(uint32_t)WALL_LANDLOCK;
    struct scene s = scene("value 1");
    s.image.may_miss = WALL_LANDLOCK;
    play(&s);
    CHECK(result_ok(&s.run[0].result));
    CHECK(!(s.run[0].result.walls & WALL_LANDLOCK));
    finish(&s);
    fake.walls = ~(uint32_t)WALL_PIDNS;
    s = scene("value 1");
    s.image.may_miss = WALL_PIDNS;    /* never without this one */
    play(&s);
    CHECK(s.run[0].result.reason == REASON_INTERNAL);
    finish(&s);
}

TEST(a_fork_that_fails_is_our_failure)
{
    fake.fail_forks = 1;
    struct scene s = scene("value 1");
    play(&s);
    CHECK(s.run[0].result.reason == REASON_INTERNAL);
    CHECK(strstr(s.run[0].result.detail, "fake"));
    finish(&s);
}

TEST(a_zygote_that_never_gets_ready_is_our_failure)
{
    fake.die_warming = 1;
    struct scene s = scene("value 1");
    play(&s);
    CHECK(s.status < 0 && s.e.msg[0]);
    CHECK(s.run[0].result.reason == REASON_INTERNAL);
    finish(&s);
}

TEST(a_zygote_that_dies_takes_its_run_along_and_the_next_has_a_new_one)
{
    struct scene s = scene("kill-zygote");
    s.source[1] = "value 2";
    s.sources = 2;
    play(&s);
    CHECK(s.run[0].result.reason == REASON_LOST);
    CHECK(result_ok(&s.run[1].result) && fake_started == 2);
    finish(&s);
}

TEST(several_run_at_once_and_each_has_its_own)
{
    static char source[MAX_RUNS][32];
    struct scene s = scene("");
    s.jobs = 4;
    for (s.sources = 0; s.sources < MAX_RUNS; s.sources++) {
        snprintf(source[s.sources], sizeof source[0], "value %zu", s.sources);
        s.source[s.sources] = source[s.sources];
    }
    play(&s);
    for (size_t i = 0; i < s.sources; i++) {
        char want[24];
        snprintf(want, sizeof want, "%zu", i);
        CHECK(str_is(s.run[i].result.value, want));
    }
    finish(&s);
}

TEST(spares_are_taken_if_they_have_the_same_limits)
{
    struct scene s = scene("value 0");
    s.image.spares = 2;
    for (s.sources = 0; s.sources < 8; s.sources++)
        s.source[s.sources] = "value 0";
    play(&s);
    CHECK(s.run[0].result.started_as == AS_FORK);
    CHECK(s.run[7].result.started_as == AS_SPARE && result_ok(&s.run[7].result));
    finish(&s);
    s = scene("value 0");
    s.image.spares = 2;
    s.limits.files++;
    for (s.sources = 0; s.sources < 4; s.sources++)
        s.source[s.sources] = "value 0";
    play(&s);
    CHECK(s.run[3].result.started_as == AS_FORK);
    finish(&s);
}

TEST(an_interrupt_cancels_what_runs)
{
    struct scene s = scene("sleep");
    s.source[1] = "value 1";
    s.sources = 2;
    s.interrupt_fd = eventfd(1, EFD_CLOEXEC);
    play(&s);
    CHECK_INT(s.status, -ECANCELED);
    CHECK(s.begun == 1 && s.run[0].result.reason == REASON_CANCELLED);
    close(s.interrupt_fd);
    finish(&s);
}

static int listens(void)
{
    pid_t pid = fork();
    int st = 1;
    if (pid == 0)
        _exit(fake_listener(SYS_ptrace) < 0);
    waitpid(pid, &st, 0);
    return st == 0;
}

TEST(a_denied_call_is_answered_and_written_down)
{
    static const uint64_t none[6];
    if (!listens())
        SKIP("there is a seccomp notifier above us");
    CHECK(calls_judge(0, 0xc000003e, SYS_mount, none) != CALL_ALLOW);
    fake.call = SYS_mount;
    char source[32];
    snprintf(source, sizeof source, "call %d", (int)SYS_mount);
    struct scene s = scene(source);
    play(&s);
    const struct run_result *r = &s.run[0].result;
    CHECK_INT(r->denials, 1);
    CHECK_TEXT(r->denial[0].subject, "mount");
    CHECK(result_ok(r));
    finish(&s);
}

TEST(a_call_that_nobody_needs_ends_the_run)
{
    if (!listens())
        SKIP("there is a seccomp notifier above us");
    fake.call = SYS_ptrace;
    char source[32];
    snprintf(source, sizeof source, "call %d", (int)SYS_ptrace);
    struct scene s = scene(source);
    play(&s);
    CHECK(s.run[0].result.reason == REASON_SYSCALL_DENIED);
    CHECK(strstr(s.run[0].result.detail, "ptrace"));
    finish(&s);
}

TEST(the_settings_are_json_and_say_all)
{
    static const char *const env[] = { "A=1", "B=x=\"y\"" }, *const arg[] = { "one" };
    struct guest_image image = { .engine = ENGINE_NODE };
    struct guest_run g = { .env = env, .envs = 2, .arg = arg, .args = 1 };
    struct msg_run m = { .mode = MODE_BODY, .name = STR("a.js"), .flags = RUN_SEEDED,
                         .seed = 7, .input = STR("{\"n\":1}"),
                         .limits = run_limits_default };
    AUTO_BUF b;
    buf_init(&b, 1 << 16);
    program_settings(&b, &image, &m, &g);
    CHECK(!b.failed && json_check(buf_str(&b), NULL) == 0);
    buf_add(&b, "", 1);
    static const char *const parts[] = {
        "\"name\":\"a.js\"", "\"mode\":\"function\"", "\"input\":{\"n\":1}",
        "\"argv\":[\"one\"]", "\"env\":{\"A\":\"1\",\"B\":\"x=\\\"y\\\"\"}",
        "\"seed\":7", "\"cwd\":\"/workspace\"", "\"packages\":null",
        "\"permissions\":{\"net\":\"deny\",\"child_process\":\"allow\"}",
    };
    for (size_t i = 0; i < COUNT(parts); i++)
        if (!strstr(b.at, parts[i]))
            TEST_FAIL("%s is not in %s", parts[i], b.at);
}
