/* tests/unit/test_files.c -- env/files.h
 * SPDX-License-Identifier: MIT */
#include "env/files.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static char base[32];
static int  work = -1, target = -1;

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

static void tidy(void)
{
    nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A folder with a work directory and a target in it; gone with the test. */
static void set_up(void)
{
    snprintf(base, sizeof base, "/tmp/gb-files-XXXXXX");
    CHECK(mkdtemp(base));
    atexit(tidy);
    CHECK(chdir(base) == 0);
    CHECK(mkdir("work", 0755) == 0 && mkdir("target", 0755) == 0);
    work = open("work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    target = open("target", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(work >= 0 && target >= 0);
}

static void text_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static int holds(const char *path, const char *text)
{
    char got[100] = "";
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    return strlen(text) == n && memcmp(got, text, n) == 0;
}

static struct file_list listed(const struct guest_file *put, size_t puts)
{
    struct file_list l;
    struct err e = { 0 };
    int r = files_list(work, put, puts, NULL, &l, &e);
    if (r < 0)
        TEST_FAIL("%s", e.msg);
    return l;
}

TEST(files_are_put_with_their_folders)
{
    static const struct guest_file files[] = {
        { "a.txt", STR("one") }, { "x/y/z.txt", STR("two") }, { "x/y/w", STR("") },
    };
    struct stat st;
    set_up();
    CHECK(files_put(work, files, COUNT(files), NULL) == 0);
    CHECK(holds("work/a.txt", "one") && holds("work/x/y/z.txt", "two"));
    CHECK(stat("work/a.txt", &st) == 0 && (st.st_mode & 07777) == 0644);
}

TEST(paths_that_are_not_plain_are_refused)
{
    static const char *const bad[] = {
        "", "/etc/passwd", "..", "../x", "a/../../x", "./a", "a//b", "a/", "a\nb",
        "a\x1b[2J", "\xff", "a/.",
    };
    set_up();
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct guest_file f = { bad[i], STR("x") };
        struct err e = { 0 };
        CHECK_INT(files_put(work, &f, 1, &e), -EINVAL);
        CHECK(e.msg[0]);
    }
    CHECK(files_check_path("a/b c/.hidden", NULL) == 0);
}

TEST(a_file_is_not_put_through_a_link_or_over_another)
{
    set_up();
    CHECK(symlink("../target", "work/link") == 0);
    CHECK(symlink("../target/file", "work/file") == 0);
    text_file("work/there", "old");
    static const char *const paths[] = { "link/x", "file", "there" };
    for (size_t i = 0; i < COUNT(paths); i++) {
        struct guest_file f = { paths[i], STR("x") };
        CHECK(files_put(work, &f, 1, NULL) < 0);
    }
    CHECK(access("target/x", F_OK) < 0 && access("target/file", F_OK) < 0);
    CHECK(holds("work/there", "old"));
}

TEST(files_belong_to_the_owner_of_the_directory)
{
    struct stat st;
    struct guest_file f = { "sub/x", STR("x") };
    if (geteuid() != 0)
        SKIP("needs root");
    set_up();
    CHECK(fchown(work, 12345, 12346) == 0);
    CHECK(files_put(work, &f, 1, NULL) == 0);
    CHECK(stat("work/sub", &st) == 0 && st.st_uid == 12345 && st.st_gid == 12346);
    CHECK(stat("work/sub/x", &st) == 0 && st.st_uid == 12345);
    text_file("work/again", "x");    /* and we are ourselves again */
    CHECK(stat("work/again", &st) == 0 && st.st_uid == 0);
}

TEST(only_what_is_new_or_changed_is_listed)
{
    static const struct guest_file put[] = {
        { "same", STR("abc") }, { "changed", STR("abc") }, { "longer", STR("abc") },
    };
    set_up();
    CHECK(files_put(work, put, COUNT(put), NULL) == 0);
    text_file("work/changed", "xyz");
    text_file("work/longer", "abcd");
    CHECK(mkdir("work/dir", 0755) == 0);
    text_file("work/dir/new", "12345");
    struct file_list l = listed(put, COUNT(put));
    CHECK_INT(l.files, 3);
    CHECK_TEXT(l.file[0].path, "changed");
    CHECK_TEXT(l.file[1].path, "dir/new");
    CHECK_INT(l.file[1].bytes, 5);
    CHECK_TEXT(l.file[2].path, "longer");
    file_list_free(&l);
}

TEST(the_program_itself_is_not_its_work)
{
    struct guest_file program = { "main.py", STR("print(1)") };
    struct file_list l;
    set_up();
    CHECK(files_put(work, &program, 1, NULL) == 0);
    text_file("work/other.py", "print(1)");
    CHECK(files_list(work, NULL, 0, &program, &l, NULL) == 0);
    CHECK_INT(l.files, 1);
    CHECK_TEXT(l.file[0].path, "other.py");
    file_list_free(&l);

    text_file("work/main.py", "print(2)");    /* unless it changed itself */
    CHECK(files_list(work, NULL, 0, &program, &l, NULL) == 0);
    CHECK_INT(l.files, 2);
    file_list_free(&l);
}

TEST(links_pipes_and_sockets_are_counted_and_never_opened)
{
    set_up();
    text_file("secret", "secret");
    CHECK(symlink("../secret", "work/link") == 0 && symlink("..", "work/up") == 0);
    CHECK(mkfifo("work/fifo", 0644) == 0);
    struct file_list l = listed(NULL, 0);
    CHECK_INT(l.files, 0);
    CHECK_INT(l.skipped[SKIP_LINK], 2);
    CHECK_INT(l.skipped[SKIP_SPECIAL], 1);
    file_list_free(&l);
}

TEST(odd_names_are_shown_escaped_and_not_copied)
{
    set_up();
    text_file("work/a\nb", "x");
    text_file("work/\xff\x1b", "x");
    struct file_list l = listed(NULL, 0);
    CHECK_INT(l.files, 2);
    CHECK_TEXT(l.file[0].path, "\\xff\\x1b");
    CHECK_TEXT(l.file[1].path, "a\\x0ab");
    CHECK(l.file[0].odd && l.file[1].odd);
    CHECK(files_fetch(work, &l, target, 1000, NULL) == 0);
    CHECK_INT(l.skipped[SKIP_NAME], 2);
    CHECK(rmdir("target") == 0);    /* nothing is in it */
    file_list_free(&l);
}

TEST(a_deep_tree_and_a_wide_one_have_an_end)
{
    set_up();
    int dir = dup(work);
    for (int i = 0; i < FILES_MAX_DEPTH + 5; i++) {
        CHECK(mkdirat(dir, "d", 0755) == 0);
        int next = openat(dir, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(dir);
        dir = next;
    }
    close(dir);
    for (int i = 0; i < FILES_MAX_LISTED + 7; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%d", i);
        close(openat(work, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    }
    struct file_list l = listed(NULL, 0);
    CHECK_INT(l.files, FILES_MAX_LISTED);
    CHECK_INT(l.skipped[SKIP_MANY], 7);
    CHECK_INT(l.skipped[SKIP_DEEP], 1);
    file_list_free(&l);
}

TEST(what_is_fetched_replaces_files_and_nothing_else)
{
    set_up();
    static const char *const names[] = { "new", "old", "link", "dir" };
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[32];
        snprintf(path, sizeof path, "work/%s", names[i]);
        text_file(path, "fresh");
    }
    text_file("target/old", "stale");
    text_file("outside", "mine");
    CHECK(symlink("../outside", "target/link") == 0);
    CHECK(mkdir("target/dir", 0755) == 0);
    struct file_list l = listed(NULL, 0);
    struct err e = { 0 };
    CHECK(files_fetch(work, &l, target, 1000, &e) < 0 && e.msg[0]);
    CHECK(holds("target/new", "fresh") && holds("target/old", "fresh"));
    CHECK(holds("outside", "mine"));
    CHECK_INT(l.skipped[SKIP_TARGET], 2);
    file_list_free(&l);
}

TEST(a_link_among_the_targets_folders_is_not_followed)
{
    set_up();
    CHECK(mkdir("work/sub", 0755) == 0 && mkdir("elsewhere", 0755) == 0);
    text_file("work/sub/x", "x");
    CHECK(symlink("../elsewhere", "target/sub") == 0);
    struct file_list l = listed(NULL, 0);
    CHECK(files_fetch(work, &l, target, 1000, NULL) < 0);
    CHECK(access("elsewhere/x", F_OK) < 0);
    file_list_free(&l);
}

TEST(a_link_that_takes_the_place_of_a_listed_file_is_not_followed)
{
    set_up();
    text_file("secret", "secret");
    text_file("work/x", "x");
    struct file_list l = listed(NULL, 0);
    CHECK(unlink("work/x") == 0 && symlink("../secret", "work/x") == 0);
    CHECK(files_fetch(work, &l, target, 1000, NULL) == 0);
    CHECK_INT(l.skipped[SKIP_CLOSED], 1);
    CHECK(access("target/x", F_OK) < 0);
    file_list_free(&l);
}

TEST(bytes_are_counted_as_they_are_read)
{
    set_up();
    text_file("work/a", "12345");
    int fd = openat(work, "sparse", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    CHECK(ftruncate(fd, (off_t)1 << 40) == 0);    /* takes no room inside */
    close(fd);
    struct file_list l = listed(NULL, 0);
    CHECK(files_fetch(work, &l, target, 100000, NULL) == 0);
    CHECK(holds("target/a", "12345") && access("target/sparse", F_OK) < 0);
    CHECK_INT(l.skipped[SKIP_LARGE], 1);
    file_list_free(&l);
}
