/* tests/unit/test_modules.c -- env/modules.h
 * SPDX-License-Identifier: MIT */
#include "env/modules.h"
#include "wire/image.h"
#include "wire/messages.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

static int root = -1;
static unsigned image_flags;

static void put(const char *path, const char *text, size_t len)
{
    int fd = openat(root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    CHECK(fd >= 0 && write(fd, text, len) == (ssize_t)len);
    close(fd);
}

static char folder[64];

static void set_up(void)
{
    snprintf(folder, sizeof folder, "/tmp/gb_modules_XXXXXX");
    CHECK(mkdtemp(folder));
    root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    CHECK(root >= 0 && mkdirat(root, "lib", 0755) == 0);
    put("main.js", "1", 1);
    put("lib/util.js", "export const u = 1", 18);
    put("lib/data.json", "{\"a\":1}", 7);
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void tear_down(void)
{
    close(root);
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static char text[32 << 10];

/* Load; what came back is in text[]. */
static int load(const char *base, const char *name)
{
    struct buf out;
    buf_init(&out, MAX_SOURCE_BYTES);
    struct module_ask ask = { root, image_flags, str_of(base), str_of(name) };
    int r = module_load(&ask, &out);
    size_t n = out.len < sizeof text ? out.len : sizeof text - 1;
    if (n)
        memcpy(text, out.at, n);
    text[n] = '\0';
    buf_free(&out);
    return r;
}

TEST(a_file_is_loaded_as_it_is)
{
    set_up();
    CHECK(load("main.js", "lib/util.js") == 0 && strcmp(text, "export const u = 1") == 0);
    CHECK(load("main.js", "lib/data.json") == 0 && strcmp(text, "{\"a\":1}") == 0);
    put("empty.js", "", 0);
    CHECK(load("main.js", "empty.js") == 0 && text[0] == '\0');
    tear_down();
}

TEST(names_that_could_lead_out_are_not_looked_up)
{
    static const char *const bad[] = {
        "", "/", "/etc/passwd", "..", "../x.js", "a/../b.js", "a/..", "./a.js",
        "a//b.js", "a/", "a/./b.js",
    };
    for (size_t i = 0; i < COUNT(bad); i++)
        CHECK(!module_name_ok(str_of(bad[i])));
    CHECK(!module_name_ok(STR("a\0b.js")));
    CHECK(module_name_ok(STR("a.js")) && module_name_ok(STR("..a/b..js")));
    char long_name[MAX_NAME_BYTES + 1];
    memset(long_name, 'a', sizeof long_name);
    CHECK(!module_name_ok((struct str){ long_name, sizeof long_name }));
}

TEST(links_lead_nowhere)
{
    set_up();
    CHECK(symlinkat("/etc/passwd", root, "abs.js") == 0);
    CHECK(symlinkat("lib/util.js", root, "inside.js") == 0);
    CHECK(symlinkat("..", root, "up") == 0);
    CHECK(symlinkat("/proc/self/root", root, "magic") == 0);
    CHECK(load("main.js", "abs.js") == -ELOOP && strstr(text, "symbolic link"));
    CHECK(load("main.js", "inside.js") == -ELOOP);
    CHECK(load("main.js", "up/x.js") == -ELOOP);
    CHECK(load("main.js", "magic/etc/passwd") == -ELOOP);
    CHECK(!strstr(text, folder));
    tear_down();
}

TEST(only_ordinary_files_are_read)
{
    set_up();
    CHECK(mkfifoat(root, "pipe.js", 0644) == 0);
    CHECK(load("main.js", "pipe.js") == -EINVAL && strstr(text, "not an ordinary file"));
    CHECK(load("main.js", "lib") == -EISDIR && strstr(text, "folder"));
    put("notes.txt", "x", 1);
    CHECK(load("main.js", "notes.txt") == -EINVAL && strstr(text, "only .js"));
    tear_down();
}

TEST(typescript_needs_an_image_that_strips_it)
{
    set_up();
    put("t.ts", "let n: number", 13);
    CHECK(load("main.js", "t.ts") == -EINVAL && strstr(text, "--ts"));
    image_flags = IMAGE_TS;
    CHECK(load("main.js", "t.ts") == 0 && strcmp(text, "let n: number") == 0);
    tear_down();
}

TEST(only_text_of_a_fair_size_is_given)
{
    set_up();
    put("latin.js", "a\xff", 2);
    CHECK(load("main.js", "latin.js") == -EINVAL && strstr(text, "not UTF-8 (at byte 1)"));
    put("bad.json", "{\"a\":}", 6);
    CHECK(load("main.js", "bad.json") == -EINVAL && strstr(text, "not valid JSON (at byte 5)"));
    put("big.js", "", 0);
    int fd = openat(root, "big.js", O_WRONLY | O_CLOEXEC);
    CHECK(ftruncate(fd, MAX_SOURCE_BYTES + 1) == 0);
    CHECK(load("main.js", "big.js") == -EFBIG && strstr(text, "larger than 16 MB"));
    CHECK(ftruncate(fd, MAX_SOURCE_BYTES) == 0);
    CHECK(load("main.js", "big.js") == 0);
    close(fd);
    tear_down();
}

TEST(a_missing_module_is_named_as_its_importer_would)
{
    set_up();
    CHECK(load("main.js", "lib/nope.js") == -ENOENT);
    CHECK(strstr(text, "Cannot find module './lib/nope.js' imported from main.js"));
    CHECK(strstr(text, "Files in lib: data.json, util.js"));
    CHECK(load("lib/util.js", "x.js") == -ENOENT);
    CHECK(strstr(text, "'../x.js' imported from lib/util.js"));
    CHECK(load("a/b/c.js", "a/d/x.js") == -ENOENT && strstr(text, "'../d/x.js'"));
    CHECK(load("a/b/c.js", "a/bc/x.js") == -ENOENT && strstr(text, "'../bc/x.js'"));
    CHECK(load("main.js", "main.js/x.js") == -ENOTDIR && strstr(text, "Cannot find"));
    CHECK(!strstr(text, folder));
    tear_down();
}

TEST(a_hint_says_what_was_meant)
{
    set_up();
    CHECK(load("main.js", "lib/util") == -ENOENT && strstr(text, "did you mean './lib/util.js'?"));
    CHECK(load("lib/x.js", "lib/utli.js") == -ENOENT && strstr(text, "did you mean './util.js'?"));
    CHECK(load("main.js", "lib/zzzzzz.js") == -ENOENT && !strstr(text, "did you mean"));
    tear_down();
}

TEST(a_listing_is_short_and_hides_dot_files)
{
    set_up();
    put(".env", "S", 1);
    for (int i = 0; i < 40; i++) {
        char name[32];
        snprintf(name, sizeof name, "file%02d.js", i);
        put(name, "1", 1);
    }
    CHECK(load("main.js", "qqqqqqqq.js") == -ENOENT);
    CHECK(!strstr(text, ".env") && strstr(text, "file19.js") && !strstr(text, "file20.js"));
    CHECK(strstr(text, "and 22 more"));
    tear_down();
}
