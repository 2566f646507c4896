/* tests/unit/test_runtime.c -- env/runtime.h  SPDX-License-Identifier: MIT */
#include "env/runtime.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

static struct runtime found;
static struct err why;
static char folder[64];

static int finds(enum engine engine, const char *given)
{
    memset(&found, 0, sizeof found);
    why = (struct err){ 0 };
    return runtime_find(engine, given, &found, &why);
}

static int says(const char *part) { return strstr(why.msg, part) != NULL; }

/* A folder of our own, and nothing of this host in the environment. */
static void set_up(void)
{
    snprintf(folder, sizeof folder, "/tmp/glovebox-runtime-XXXXXX");
    CHECK(mkdtemp(folder));
    setenv("PATH", folder, 1);
    setenv("HOME", folder, 1);
    setenv("GLOVEBOX_LIBEXEC", folder, 1);
    unsetenv("GLOVEBOX_NODE");
    unsetenv("GLOVEBOX_PYTHON");
}

static void tear_down(void)
{
    setenv("PATH", "/usr/bin:/bin", 1);
    char *const argv[] = { (char *)(uintptr_t)"rm", (char *)(uintptr_t)"-rf", folder, NULL };
    pid_t pid = fork();
    if (pid == 0) {
        execv("/bin/rm", argv);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
}

static const char *script(const char *name, const char *text)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *f = fopen(path, "w");
    CHECK(f);
    fputs(text, f);
    fclose(f);
    CHECK(chmod(path, 0755) == 0);
    return path;
}

static const char *answers(const char *name, const char *program, const char *version,
                           const char *prefix, const char *sites)
{
    char text[1000];
    snprintf(text, sizeof text, "#!/bin/sh\necho 'shim: hello' >&2\n"
             "echo '{\"program\": \"%s\", \"version\": \"%s\", \"prefix\": \"%s\", "
             "\"sites\": [%s]}'\n", program, version, prefix, sites);
    return script(name, text);
}

TEST(without_a_runtime_it_says_how_to_get_one)
{
    set_up();
    CHECK_INT(finds(ENGINE_NODE, NULL), -ENOENT);
    CHECK(says("there is no Node.js here: install nodejs") && says("--node PATH"));
    CHECK(says("js programs need none"));
    CHECK_INT(finds(ENGINE_PYTHON, NULL), -ENOENT);
    CHECK(says("install python3") && says("--python PATH"));
    tear_down();
}

TEST(what_was_named_counts_whether_it_works_or_not)
{
    set_up();
    answers("node", "/usr/bin/node", "v22.1.0", "", "");
    CHECK_INT(finds(ENGINE_NODE, NULL), 0);
    CHECK_INT(finds(ENGINE_NODE, "/nonexistent/node"), -ENOENT);
    CHECK(says("--node: /nonexistent/node: No such file"));
    setenv("GLOVEBOX_NODE", "/nonexistent/other", 1);
    CHECK_INT(finds(ENGINE_NODE, NULL), -ENOENT);
    CHECK(says("GLOVEBOX_NODE: /nonexistent/other"));
    CHECK_INT(finds(ENGINE_NODE, script("mine", "#!/bin/sh\necho no\n")), -EINVAL);
    CHECK(says("is no Node.js that works: no"));
    CHECK_INT(finds(ENGINE_NODE, "/etc/passwd"), -EINVAL);
    CHECK(says("is no program"));
    tear_down();
}

TEST(old_ones_are_refused)
{
    set_up();
    CHECK_INT(finds(ENGINE_NODE, answers("n", "/usr/bin/node", "v18.20.1", "", "")), -EINVAL);
    CHECK(says("Node.js v18.20.1 (/usr/bin/node) is too old: 20.0 or newer"));
    CHECK_INT(finds(ENGINE_PYTHON, answers("p", "/usr/bin/python3.8", "3.8.10", "/usr", "")),
              -EINVAL);
    CHECK(says("Python 3.8.10") && says("3.9 or newer"));
    CHECK_INT(finds(ENGINE_PYTHON, answers("p", "/usr/bin/python3.9", "3.9.0", "/usr", "")), 0);
    CHECK_INT(found.major * 100 + found.minor, 309);
    tear_down();
}

TEST(one_of_the_system_stays_at_its_path)
{
    set_up();
    CHECK_INT(finds(ENGINE_PYTHON, answers("p", "/usr/bin/python3.11", "3.11.2", "/usr",
        "\"/usr/lib/python3/dist-packages\", \"/usr/local/lib/python3.11/dist-packages\"")), 0);
    CHECK_TEXT(found.prefix, "");
    CHECK_TEXT(found.inside, "/usr/bin/python3.11");
    CHECK_INT(found.sites, 1);
    CHECK_TEXT(found.site[0], "/usr/local/lib/python3.11/dist-packages");
    tear_down();
}

TEST(packages_that_a_run_would_not_see_are_refused)
{
    set_up();
    CHECK_INT(finds(ENGINE_PYTHON, answers("p", "/usr/bin/python3.11", "3.11.2", "/usr",
                                           "\"/tmp/venv/lib/site-packages\"")), -EINVAL);
    CHECK(says("every run has a /tmp of its own"));
    tear_down();
}

TEST(an_installation_of_its_own_is_shown_below_opt)
{
    set_up();
    char program[300], prefix[200];
    snprintf(prefix, sizeof prefix, "%s/versions/3.12", folder);
    snprintf(program, sizeof program, "%s/bin/python3.12", prefix);
    script("versions/3.12/bin/python3.12", "");
    script("versions/3.12/lib/x.py", "");
    CHECK_INT(finds(ENGINE_PYTHON, answers("p", program, "3.12.1", prefix, "")), 0);
    CHECK_TEXT(found.prefix, prefix);
    CHECK_TEXT(found.inside, "/opt/python/bin/python3.12");
    tear_down();
}

TEST(a_folder_with_other_files_is_never_shown)
{
    set_up();
    char program[300], prefix[200];
    snprintf(prefix, sizeof prefix, "%s/mine", folder);
    snprintf(program, sizeof program, "%s/bin/python3.12", prefix);
    script("mine/bin/python3.12", "");
    script("mine/diary.txt", "");
    CHECK_INT(finds(ENGINE_PYTHON, answers("p", program, "3.12.1", prefix, "")), -EINVAL);
    CHECK(says("together with other files"));
    /* The home folder itself, however tidy. */
    snprintf(program, sizeof program, "%s/bin/python3", folder);
    CHECK_INT(finds(ENGINE_PYTHON, answers("bin/p", program, "3.12.1", folder, "")), -EINVAL);
    /* Node is one file, and is then shown alone. */
    snprintf(program, sizeof program, "%s/bin/node", prefix);
    script("mine/bin/node", "");
    CHECK_INT(finds(ENGINE_NODE, answers("n", program, "v22.0.0", "", "")), 0);
    CHECK_TEXT(found.prefix, program);
    CHECK_TEXT(found.inside, "/opt/node");
    tear_down();
}

TEST(a_shim_gets_a_clean_environment)
{
    set_up();
    setenv("NODE_OPTIONS", "--require /tmp/evil.js", 1);
    setenv("LD_PRELOAD", "", 1);
    setenv("SECRET", "hunter2", 1);
    CHECK_INT(finds(ENGINE_NODE, script("n", "#!/bin/sh\n"
        "[ -z \"$NODE_OPTIONS$SECRET\" ] && [ -n \"$HOME\" ] && [ \"$PWD\" = / ] &&\n"
        "echo '{\"program\":\"/usr/bin/node\",\"version\":\"v20.0.0\",\"prefix\":\"\","
        "\"sites\":[]}'\n")), 0);
    tear_down();
}

TEST(an_endless_answer_is_cut_off)
{
    set_up();
    CHECK(finds(ENGINE_NODE, script("n", "#!/bin/sh\nwhile :; do echo yyyyyyyyyyyyyyyyyyyy; "
                                    "done\n")) < 0);
    CHECK(says("Message too long"));
    tear_down();
}

TEST(garbled_answers_are_refused)
{
    static const char *const bad[] = {
        "{\"program\"", "{\"program\":1,\"version\":\"v20.0.0\",\"prefix\":\"\",\"sites\":[]}",
        "{\"program\":\"/x\",\"version\":\"v20.0.0\",\"prefix\":\"\"}",
        "{\"program\":\"/x\",\"version\":\"v20.0.0\",\"prefix\":\"\",\"sites\":[\"rel\"]}",
        "{\"program\":\"/x\",\"version\":\"v2\\u0000\",\"prefix\":\"\",\"sites\":[]}",
    };
    set_up();
    for (size_t i = 0; i < COUNT(bad); i++) {
        char text[300];
        snprintf(text, sizeof text, "#!/bin/sh\ncat <<'END'\n%s\nEND\n", bad[i]);
        setenv("PATH", "/usr/bin:/bin", 1);
        CHECK_INT(finds(ENGINE_NODE, script("n", text)), -EINVAL);
        CHECK(says("is no Node.js that works"));
    }
    tear_down();
}

TEST(those_of_this_host_are_found)
{
    if (finds(ENGINE_PYTHON, NULL) == -ENOENT)
        SKIP("no python3 here");
    CHECK_INT(why.code, 0);
    CHECK(found.major == 3 && found.program[0] == '/' && found.inside[0] == '/');
    if (finds(ENGINE_NODE, NULL) == -ENOENT)
        SKIP("no node here");
    CHECK_INT(why.code, 0);
    CHECK(found.major >= 20 && found.inside[0] == '/');
}
