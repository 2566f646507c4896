/* tests/unit/test_err.c -- base/err.h.  SPDX-License-Identifier: MIT */
#include "base/err.h"
#include "tests/test.h"

#include <errno.h>

TEST(setting_an_error_returns_its_code_and_keeps_the_text)
{
    struct err e = { 0 };
    CHECK_INT(err_set(&e, -EINVAL, "bad %s %d", "thing", 7), -EINVAL);
    CHECK_INT(e.code, -EINVAL);
    CHECK_TEXT(e.msg, "bad thing 7");
}

TEST(a_failed_system_call_brings_its_own_reason)
{
    struct err e = { 0 };
    errno = ENOENT;
    CHECK_INT(err_sys(&e, "image: open %s", "base.image"), -ENOENT);
    CHECK_INT(e.code, -ENOENT);
    CHECK_TEXT(e.msg, "image: open base.image: No such file or directory");
}

TEST(nobody_has_to_want_the_text)
{
    CHECK_INT(err_set(NULL, -EPERM, "no"), -EPERM);
    errno = EACCES;
    CHECK_INT(err_sys(NULL, "no"), -EACCES);
}

TEST(a_failure_never_looks_like_success)
{
    struct err e = { 0 };
    CHECK_INT(err_set(&e, EINVAL, "sign forgotten"), -EINVAL);
    CHECK_INT(err_set(&e, 0, "code forgotten"), -EIO);
    errno = 0;
    CHECK_INT(err_sys(&e, "errno was zero"), -EIO);
    CHECK(e.code < 0);
}

TEST(context_can_be_added_to_an_error_in_place)
{
    struct err e = { 0 };
    err_set(&e, -ENOENT, "no such file");
    CHECK_INT(err_set(&e, e.code, "image: %s", e.msg), -ENOENT);
    CHECK_TEXT(e.msg, "image: no such file");
}

TEST(a_long_text_is_cut_and_stays_terminated)
{
    struct err e;
    char text[1000];
    memset(&e, 'z', sizeof e);
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 0;
    err_set(&e, -EINVAL, "%s", text);
    CHECK_INT(strlen(e.msg), sizeof e.msg - 1);
}

TEST(a_long_name_does_not_push_out_the_reason)
{
    struct err e = { 0 };
    char name[1000];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = 0;
    errno = ENOENT;
    err_sys(&e, "open %s", name);
    CHECK(strstr(e.msg, "aaa: No such file or directory"));
    CHECK_INT(strlen(e.msg), sizeof e.msg - 1);
}
