/*
 * tests/fuzz/seeds.c -- write what the fuzzers start from.
 *
 *   seeds DIR    fills DIR/frame, DIR/json and DIR/num
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/io.h"
#include "tests/recode.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct str json_seeds[] = {
    STR("null"), STR("true"), STR("false"), STR("-0.5e+10"), STR("[]"),
    STR("{}"), STR("[1,[2,{\"a\":[]}],\"x\"]"), STR(" { \"a\" : 1 } "),
    STR("{\"a\":{\"b\":{\"c\":[null,true,false]}}}"),
    STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\""),
    STR("\"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80\""),
    STR("\"\\ud800\""), STR("\xEF\xBB\xBF" "1"), STR("[1,]"), STR("01"),
    STR("\x80\xC0\xE0\x80\xED\xA0\x80\xF4\x90\x80\x80"),
    STR("{\"$undefined\":true,\"$bigint\":\"123\"}"),
};

static const struct str num_seeds[] = {
    STR("0"), STR("5s"), STR("200ms"), STR("1.5s"), STR("2m"), STR("1h"),
    STR("64mb"), STR("1gb"), STR("512kb"), STR("100b"), STR("1.5 MB"),
    STR("16MiB"), STR("10k"), STR("-1"), STR("-9223372036854775808"),
    STR("18446744073709551615"), STR("18446744073709551.615s"),
    STR("0.0009765625kb"), STR("1e3"), STR(".5"), STR("5x"),
};

static int save(const char *dir, const char *kind, size_t n, struct str s)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, kind);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/seed-%03zu", dir, kind, n);
    AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd >= 0 && io_write_all(fd, s.at, s.len) == 0)
        return 0;
    perror(path);
    return -1;
}

static int save_frames(const char *dir)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < COUNT(message_types); i++) {
        AUTO_BUF b;
        buf_init(&b, 1 << 20);
        sample(message_types[i], &b);
        r = save(dir, "frame", i, buf_str(&b));
    }
    return r;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: seeds DIR\n");
        return 2;
    }
    mkdir(argv[1], 0777);
    int r = save_frames(argv[1]);
    for (size_t i = 0; r == 0 && i < COUNT(json_seeds); i++)
        r = save(argv[1], "json", i, json_seeds[i]);
    for (size_t i = 0; r == 0 && i < COUNT(num_seeds); i++)
        r = save(argv[1], "num", i, num_seeds[i]);
    return r < 0;
}
