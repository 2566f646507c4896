/*
 * tests/fuzz/fuzz_frame.c -- hostile bytes as frames.
 *
 * Input: a head and a body, as a worker would send them. The body is also read
 * as every other message, whatever the head says. Property: a body that is
 * accepted is written again as exactly the same bytes, so nothing in it was
 * ignored and nothing made up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/recode.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) { if (!holds) abort(); }

static void check_body(uint32_t type, struct str body)
{
    static struct module_source room[MAX_MODULES];
    AUTO_BUF b;
    buf_init(&b, 100 << 20);
    if (recode(type, body, room, &b) < 0) {
        require(b.len == 0);
        return;
    }
    require(!b.failed && b.len == FRAME_HEAD_BYTES + body.len);
    require(!memcmp(b.at + FRAME_HEAD_BYTES, body.at, body.len));

    struct frame_head h;
    require(frame_head_read((const unsigned char *)b.at, &h) == 0);
    require(h.type == type && h.len == body.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < FRAME_HEAD_BYTES)
        return 0;
    struct frame_head h = { 0 };
    struct str body = { (const char *)data + FRAME_HEAD_BYTES,
                        size - FRAME_HEAD_BYTES };

    if (frame_head_read(data, &h) == 0 && h.len < body.len)
        body.len = (size_t)h.len;
    for (size_t i = 0; i < COUNT(message_types); i++)
        check_body(message_types[i], body);
    const struct message_rule *in = message_from_worker(h.type);
    const struct message_rule *out = message_to_worker(h.type);
    require(!in || !out);
    return 0;
}
