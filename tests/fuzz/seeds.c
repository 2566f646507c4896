/*
 * tests/fuzz/seeds.c -- write what the fuzzers start from.
 *
 *   seeds DIR    fills a folder for each fuzzer
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

/* Rules, a NUL, then a URL. */
static const struct str policy_seeds[] = {
    STR("allow example.com\0https://example.com/"),
    STR("allow *.example.com:8443 methods=GET,POST path=/v1/**\ndeny *"
        "\0http://a.example.com:8443/v1/x?y#z"),
    STR("allow 10.0.0.0/8\nallow [fd00::/8]:443\0http://[fd00::1]/"),
    STR("allow localhost:80\0http://0x7f.1/"),
};

static const struct str dns_seeds[] = {
    STR("\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x07" "example\x03" "com\0\0\x01\0\x01"),
    STR("\x12\x34\x81\x80\0\x01\0\x01\0\0\0\0\x01" "a\0\0\x01\0\x01\xc0\x0c\0\x01"
        "\0\x01\0\0\0\x3c\0\x04\x5d\xb8\xd8\x22"),
};

static const struct str calls_seeds[] = {
    STR("\0\0\0\0\0\0\0\0"), STR("\x01\x38\0\0\0\x11\0\0\x10\0\0\0"),
};

static const struct {
    const char       *kind;
    const struct str *seed;
    size_t            seeds;
} texts[] = {
    { "json",      json_seeds,   COUNT(json_seeds)   },
    { "json_read", json_seeds,   COUNT(json_seeds)   },
    { "num",       num_seeds,    COUNT(num_seeds)    },
    { "policy",    policy_seeds, COUNT(policy_seeds) },
    { "dns",       dns_seeds,    COUNT(dns_seeds)    },
    { "calls",     calls_seeds,  COUNT(calls_seeds)  },
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
    for (size_t t = 0; t < COUNT(texts); t++)
        for (size_t i = 0; r == 0 && i < texts[t].seeds; i++)
            r = save(argv[1], texts[t].kind, i, texts[t].seed[i]);
    return r < 0;
}
