/* base/str.c -- borrowed bytes.  SPDX-License-Identifier: MIT */
#include "base/base.h"

#include <string.h>

struct str str_of(const char *s)
{
    return s ? (struct str){ s, strlen(s) } : STR("");
}

int str_is(struct str s, const char *text)
{
    size_t len = strlen(text);
    return s.len == len && (len == 0 || memcmp(s.at, text, len) == 0);
}
