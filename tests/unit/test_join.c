/* tests/unit/test_join.c -- relative imports stay under the root.
 * SPDX-License-Identifier: MIT */
#include "worker/modules.h"
#include "tests/test.h"
#include <errno.h>

static char joined[64];

static int join(const char *base, const char *name)
{
    memset(joined, '#', sizeof joined);
    return modules_join(str_of(base), str_of(name), joined, sizeof joined);
}

static const char *path(const char *base, const char *name)
{
    CHECK_INT(join(base, name), 0);
    return joined;
}

TEST(a_name_is_joined_to_the_folder_of_its_importer)
{
    CHECK_TEXT(path("main.js", "./a.js"), "a.js");
    CHECK_TEXT(path("lib/a.js", "./b.js"), "lib/b.js");
    CHECK_TEXT(path("lib/a.js", "../b.js"), "b.js");
    CHECK_TEXT(path("a/b/c.js", "../../d.js"), "d.js");
    CHECK_TEXT(path("a/b/c.js", "../x/../y/d.js"), "a/y/d.js");
    CHECK_TEXT(path("", "./a.js"), "a.js");
}

TEST(empty_and_dot_parts_vanish)
{
    CHECK_TEXT(path("main.js", ".//a///./b.js"), "a/b.js");
    CHECK_TEXT(path("main.js", "./a/"), "a");
    CHECK_TEXT(path("a/b.js", "."), "a");
    CHECK_TEXT(path("a/b.js", ".."), "");
    CHECK_TEXT(path("main.js", "./..."), "...");
    CHECK_TEXT(path("main.js", "./..a/b.."), "..a/b..");
}

TEST(climbing_out_of_the_root_is_refused)
{
    CHECK_INT(join("main.js", "../a.js"), -EINVAL);
    CHECK_INT(join("a/b.js", "../../c.js"), -EINVAL);
    CHECK_INT(join("a/b.js", "./x/../../../c.js"), -EINVAL);
    CHECK_INT(join("main.js", ".."), -EINVAL);
    CHECK_INT(join("", "../x"), -EINVAL);
}

/* Who imports may lie about its own name; the result must still be below. */
TEST(an_odd_importer_gives_nothing_above_the_root)
{
    static const char *const bases[] = {
        "/etc/x.js", "../../x.js", "a/../../x.js", "//x", "a//b.js", ".", "/",
    };
    for (size_t i = 0; i < COUNT(bases); i++) {
        if (join(bases[i], "./y.js") < 0)
            continue;
        CHECK(memchr(joined, 0, sizeof joined));
    }
    CHECK(join("/etc/x.js", "../../y.js") == -EINVAL || joined[0] != '.');
}

TEST(what_does_not_fit_is_refused_and_never_overruns)
{
    char name[200] = "./";
    for (size_t n = 2; n < sizeof name - 1; n++) {
        name[n] = n % 7 ? 'a' : '/';
        name[n + 1] = 0;
        for (size_t room = 1; room <= 64; room++) {
            char guard[80];
            memset(guard, '#', sizeof guard);
            int r = modules_join(str_of("lib/x.js"), str_of(name), guard, room);
            CHECK(r == 0 || r == -ENAMETOOLONG);
            CHECK(r < 0 || strlen(guard) < room);
            for (size_t k = room; k < sizeof guard; k++)
                CHECK(guard[k] == '#');
        }
    }
}
