/* tests/unit/test_io.c -- base/io.h.  SPDX-License-Identifier: MIT */
#include "base/io.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

static void make_pipe(int end[2], int flags)
{
    CHECK(pipe2(end, O_CLOEXEC | flags) == 0);
}

/* A child that copies n bytes out of fd and exits 0 if they were all 'x'. */
static pid_t start_reader(int fd, size_t n)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid > 0)
        return pid;
    char c[1000];
    while (n > 0) {
        ssize_t got = io_read_full(fd, c, n < sizeof c ? n : sizeof c);
        if (got <= 0 || c[0] != 'x')
            _exit(1);
        n -= (size_t)got;
    }
    _exit(0);
}

TEST(everything_is_written_even_to_a_slow_nonblocking_pipe)
{
    enum { BYTES = 1 << 20 };
    int end[2], st;
    make_pipe(end, 0);
    CHECK(fcntl(end[1], F_SETFL, O_NONBLOCK) == 0);
    char *text = malloc(BYTES);
    CHECK(text);
    memset(text, 'x', BYTES);

    pid_t pid = start_reader(end[0], BYTES);
    CHECK_INT(io_write_all(end[1], text, BYTES), 0);
    CHECK(waitpid(pid, &st, 0) == pid && st == 0);
    free(text);
}

TEST(a_reader_waits_on_a_nonblocking_pipe_and_stops_at_its_end)
{
    int end[2];
    char got[8];
    make_pipe(end, O_NONBLOCK);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        (void)!write(end[1], "abc", 3);
        (void)!write(end[1], "de", 2);
        _exit(0);
    }
    close(end[1]);
    CHECK_INT(io_read_full(end[0], got, sizeof got), 5);
    CHECK(memcmp(got, "abcde", 5) == 0);
    CHECK_INT(io_read_full(end[0], got, sizeof got), 0);
    CHECK(waitpid(pid, NULL, 0) == pid);
}

TEST(a_bad_descriptor_is_an_error_and_not_an_endless_loop)
{
    char c;
    CHECK_INT(io_write_all(-1, "x", 1), -EBADF);
    CHECK_INT(io_read_full(-1, &c, 1), -EBADF);
    signal(SIGPIPE, SIG_IGN);
    int end[2];
    make_pipe(end, 0);
    close(end[0]);
    CHECK_INT(io_write_all(end[1], "x", 1), -EPIPE);
    CHECK_INT(io_write_all(end[1], NULL, 0), 0);
}

/* A file of n bytes; gone when the descriptor closes. */
static int file_of(size_t n)
{
    char name[] = "/tmp/test_io.XXXXXX";
    int fd = mkostemp(name, O_CLOEXEC);
    CHECK(fd >= 0);
    unlink(name);
    for (size_t i = 0; i < n; i++)
        CHECK_INT(io_write_all(fd, "x", 1), 0);
    CHECK(lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

TEST(a_file_of_exactly_the_cap_is_read_and_one_byte_more_is_not)
{
    struct err e = { 0 };
    AUTO_BUF b;
    buf_init(&b, 100);
    buf_adds(&b, "head ");
    AUTO_FD fits = file_of(95);
    CHECK_INT(io_read_fd(fits, "fits", 95, &b, &e), 0);
    CHECK_INT(b.len, 100);

    b.len = 5;
    AUTO_FD over = file_of(96);
    CHECK_INT(io_read_fd(over, "main.js", 95, &b, &e), -EFBIG);
    CHECK_TEXT(e.msg, "main.js is larger than the limit of 95 B");
    CHECK(str_is(buf_str(&b), "head ") && b.failed == 0);
}

TEST(an_empty_file_is_fine_with_any_cap)
{
    AUTO_BUF b;
    buf_init(&b, 100);
    CHECK_INT(io_read_file("/dev/null", 0, &b, NULL), 0);
    CHECK_INT(io_read_file("/dev/null", 10, &b, NULL), 0);
    CHECK_INT(b.len, 0);
}

TEST(a_pipe_is_read_to_its_end)
{
    int end[2];
    AUTO_BUF b;
    buf_init(&b, 100);
    make_pipe(end, 0);
    CHECK_INT(io_write_all(end[1], "one two", 7), 0);
    close(end[1]);
    CHECK_INT(io_read_fd(end[0], "stdin", 100, &b, NULL), 0);
    CHECK(str_is(buf_str(&b), "one two"));
}

TEST(an_endless_device_stops_at_the_cap)
{
    struct err e = { 0 };
    AUTO_BUF b;
    buf_init(&b, 10 << 20);
    CHECK_INT(io_read_file("/dev/zero", 1 << 20, &b, &e), -EFBIG);
    CHECK_TEXT(e.msg, "/dev/zero is larger than the limit of 1 MB");
    CHECK_INT(b.len, 0);
}

TEST(files_that_do_not_say_their_size_are_read_whole)
{
    AUTO_BUF b;
    buf_init(&b, 1 << 20);
    CHECK_INT(io_read_file("/proc/self/status", 1 << 20, &b, NULL), 0);
    CHECK(b.len > 100 && memcmp(b.at, "Name:", 5) == 0);
}

TEST(what_cannot_be_read_is_named)
{
    struct err e = { 0 };
    AUTO_BUF b;
    buf_init(&b, 100);
    CHECK_INT(io_read_file("/tmp", 100, &b, &e), -EISDIR);
    CHECK_TEXT(e.msg, "/tmp is a directory, not a file");
    CHECK_INT(io_read_file("/nowhere/x.js", 100, &b, &e), -ENOENT);
    CHECK_TEXT(e.msg, "cannot read /nowhere/x.js: No such file or directory");
}

TEST(a_buf_too_small_for_the_file_is_left_as_it_was)
{
    struct err e = { 0 };
    AUTO_BUF b;
    buf_init(&b, 10);
    buf_adds(&b, "abc");
    AUTO_FD fd = file_of(50);
    CHECK(io_read_fd(fd, "f", 50, &b, &e) < 0);
    CHECK(str_is(buf_str(&b), "abc") && b.failed == 0);
}
