/* env/selftest.c -- does a runtime survive being forked while warm?
 * SPDX-License-Identifier: MIT */
#include "env/selftest.h"
#include "base/io.h"
#include "env/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
    VERDICT_BYTES   = 16 << 10,
    BAD_FOR_SECONDS = 24 * 60 * 60,    /* a busy host may be why: try again */
};

/* ---- the programs --------------------------------------------------------- */

/* Work for every thread that a fork must have again: compiler and collector
 * (WebAssembly, garbage), the pool of libuv, another isolate; and an end. */
static const char node_source[] =
    "import { Worker } from 'node:worker_threads';\n"
    "import { stat } from 'node:fs/promises';\n"
    "const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127,\n"
    "    127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0,\n"
    "    32, 0, 32, 1, 106, 11]);\n"
    "const { instance } = await WebAssembly.instantiate(wasm);\n"
    "if (instance.exports.add(2, 3) !== 5) throw new Error('wasm');\n"
    "let keep = [];\n"
    "for (let i = 0; i < 300000; i++) {\n"
    "    keep.push({ i, text: 'x' + i });\n"
    "    if (keep.length > 20000) keep = [];\n"
    "}\n"
    "if (!(await stat('/workspace')).isDirectory()) throw new Error('stat');\n"
    "const answer = await new Promise((resolve, reject) => {\n"
    "    const w = new Worker(\"const { parentPort } = require('node:worker_threads');\"\n"
    "        + \"parentPort.once('message', (m) => parentPort.postMessage(m + 1));\",\n"
    "        { eval: true });\n"
    "    w.once('message', resolve);\n"
    "    w.once('error', reject);\n"
    "    w.postMessage(41);\n"
    "});\n"
    "if (answer !== 42) throw new Error('worker');\n"
    "console.log('selftest ok');\n"
    "process.exit(7);\n";

static const char python_source[] =
    "import gc, hashlib, os, random, sys, threading\n"
    "out = []\n"
    "threads = [threading.Thread(target=lambda i=i: out.append(i * i)) for i in range(4)]\n"
    "for t in threads: t.start()\n"
    "for t in threads: t.join()\n"
    "assert sorted(out) == [0, 1, 4, 9]\n"
    "junk = [[str(i)] for i in range(100000)]\n"
    "junk.clear()\n"
    "gc.collect()\n"
    "assert len(hashlib.sha256(os.urandom(16)).digest()) == 32\n"
    "with open('/workspace/selftest', 'w') as f: f.write('x')\n"
    "assert os.stat('/workspace/selftest').st_size == 1\n"
    "random.random()\n"
    "print('selftest ok')\n"
    "sys.exit(7)\n";

static const struct {
    const char *name, *source;
    uint8_t     mode;
} programs[ENGINES] = {
    [ENGINE_NODE]   = { "selftest.mjs", node_source,   MODE_MODULE },
    [ENGINE_PYTHON] = { "selftest.py",  python_source, MODE_SCRIPT },
};

void selftest_init(struct run *out, const struct guest_image *image)
{
    static const struct guest_run nothing = { .input_fd = -1, .out_fd = -1 };
    struct msg_run m = {
        .limits = run_limits_default, .mode = programs[image->engine].mode,
        .name = str_of(programs[image->engine].name),
        .source = str_of(programs[image->engine].source),
    };
    m.limits.wall_time_ms = m.limits.cpu_time_ms = SELFTEST_MS;
    if (m.limits.memory_bytes < image->limits.memory_bytes)
        m.limits.memory_bytes = image->limits.memory_bytes;
    run_init(out, &m, -1, NULL, NULL);
    out->guest = &nothing;
}

enum selftest_verdict selftest_judge(const struct run_result *r, char *out_why,
                                     size_t room)
{
    if (r->reason == REASON_NONZERO_EXIT && r->exit_code == SELFTEST_EXIT_CODE &&
        str_is(buf_str(&r->output[OUT_STDOUT]), "selftest ok\n"))
        return SELFTEST_GOOD;
    AUTO_BUF sentence;
    buf_init(&sentence, 1024);
    result_sentence(r, &sentence);
    snprintf(out_why, room, "a fork of the warm runtime failed its self-test: "
             "%.*s%s%.*s", (int)sentence.len, sentence.at ? sentence.at : "",
             r->error_message.len ? ": " : "",
             (int)(r->error_message.len < 100 ? r->error_message.len : 100),
             r->error_message.len ? r->error_message.at : "");
    return SELFTEST_BAD;
}

/* ---- what is remembered --------------------------------------------------- */

static uint64_t hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;    /* FNV-1a: only names a file */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

static void add_file(struct buf *b, const char *path)
{
    struct stat st = { 0 };
    if (stat(path, &st) < 0)
        b->failed = -errno;
    buf_addf(b, "%s %lld %lld.%09ld\n", path, (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* What a verdict is about: change any of it, and it is about something else. */
static int key_of(const struct guest_image *image, struct buf *out)
{
    char folder[64], path[PATH_MAX];
    buf_addf(out, "glovebox %s %s\n", GB_VERSION, engine_text(image->engine));
    add_file(out, image->runtime->program);
    snprintf(folder, sizeof folder, PLACE_GUEST "/%s", engine_text(image->engine));
    if (place_path(folder, path, sizeof path, NULL) < 0)
        return -ENOENT;
    add_file(out, path);
    size_t len = strlen(path);
    snprintf(path + len, sizeof path - len, "/glovebox-%s.so",
             engine_text(image->engine));
    add_file(out, path);
    return out->failed;
}

static int ours_alone(int fd, mode_t kind)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind &&
           st.st_uid == geteuid() && !(st.st_mode & 022);
}

/* The cache folder, made if it is not there; -1 without one that we trust. */
static int open_cache(void)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char path[PATH_MAX];
    if (xdg && xdg[0] == '/')
        snprintf(path, sizeof path, "%s", xdg);
    else if (home && home[0] == '/')
        snprintf(path, sizeof path, "%s/.cache", home);
    else
        return -1;
    mkdir(path, 0700);
    AUTO_FD base = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (base < 0 || !ours_alone(base, S_IFDIR))
        return -1;
    mkdirat(base, "glovebox", 0700);
    AUTO_FD dir = openat(base, "glovebox",
                         O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return dir >= 0 && ours_alone(dir, S_IFDIR) ? fd_take(&dir) : -1;
}

static void name_of(const struct buf *key, char *out, size_t room)
{
    snprintf(out, room, "selftest-%016llx", (unsigned long long)hash(key->at));
}

/* "GOOD" or "BAD why", after the key that it belongs to. */
static enum selftest_verdict parse(struct str text, const struct buf *key,
                                   char *out_why, size_t room)
{
    if (text.len < key->len || memcmp(text.at, key->at, key->len) != 0)
        return SELFTEST_UNKNOWN;
    struct str rest = { text.at + key->len, text.len - key->len };
    if (str_is(rest, "GOOD\n"))
        return SELFTEST_GOOD;
    if (rest.len < 5 || memcmp(rest.at, "BAD ", 4) != 0)
        return SELFTEST_UNKNOWN;
    snprintf(out_why, room, "%.*s", (int)(rest.len - 5), rest.at + 4);
    return SELFTEST_BAD;
}

static int begin(const struct guest_image *image, struct buf *key,
                 char *out_name, size_t room)
{
    buf_init(key, VERDICT_BYTES);
    if (key_of(image, key) < 0 || buf_add(key, "", 1) < 0)
        return -1;
    key->len--;    /* a C string for hashing, without its NUL for comparing */
    name_of(key, out_name, room);
    return open_cache();
}

enum selftest_verdict selftest_recall(const struct guest_image *image,
                                      char *out_why, size_t room)
{
    AUTO_BUF key;
    AUTO_BUF text;
    char name[64];
    struct stat st;
    buf_init(&text, VERDICT_BYTES);
    AUTO_FD dir = begin(image, &key, name, sizeof name);
    if (dir < 0)
        return SELFTEST_UNKNOWN;
    AUTO_FD fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || !ours_alone(fd, S_IFREG) || fstat(fd, &st) < 0 ||
        io_read_fd(fd, name, VERDICT_BYTES - 1, &text, NULL) < 0)
        return SELFTEST_UNKNOWN;
    enum selftest_verdict v = parse(buf_str(&text), &key, out_why, room);
    int old = time(NULL) - st.st_mtim.tv_sec > BAD_FOR_SECONDS;
    return v == SELFTEST_BAD && old ? SELFTEST_UNKNOWN : v;
}

void selftest_remember(const struct guest_image *image,
                       enum selftest_verdict verdict, const char *why)
{
    AUTO_BUF key;
    char name[64], beside[80];
    AUTO_FD dir = begin(image, &key, name, sizeof name);
    if (dir < 0 || verdict == SELFTEST_UNKNOWN)
        return;
    if (verdict == SELFTEST_GOOD)
        buf_adds(&key, "GOOD\n");
    else
        buf_addf(&key, "BAD %s\n", why);
    snprintf(beside, sizeof beside, "%s.%d", name, (int)getpid());
    AUTO_FD fd = openat(dir, beside,
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (key.failed || io_write_all(fd, key.at, key.len) < 0 ||
        renameat(dir, beside, dir, name) < 0)
        unlinkat(dir, beside, 0);
}
