/* wire/guest.c -- the frames of a run of node or python.
 * SPDX-License-Identifier: MIT */
#include "wire/guest.h"

const struct message_rule *message_from_guest(uint32_t type)
{
#define ROW(NAME, number, max, phases) [number] = { #NAME, (max), (phases) },
    static const struct message_rule rules[] = { FROM_GUEST(ROW) };
#undef ROW
    return type < COUNT(rules) && rules[type].name ? &rules[type] : NULL;
}

void put_sealed(struct buf *b, const struct msg_sealed *m)
{
    size_t start = frame_begin(b, MSG_SEALED);
    put_u32(b, m->walls);
    put_u8(b, m->listener);
    put_u8(b, m->sockets);
    frame_end(b, start);
}

int get_sealed(struct str body, struct msg_sealed *out)
{
    struct fields f = fields_of(body);
    out->walls = get_u32(&f);
    out->listener = get_u8(&f);
    out->sockets = get_u8(&f);
    if (out->listener > 1 || out->sockets > 1 + FORK_PORTS)
        f.failed = 1;
    return get_end(&f);
}

void put_denied(struct buf *b, const struct msg_denied *m)
{
    size_t start = frame_begin(b, MSG_DENIED);
    put_str(b, m->what);
    put_str(b, m->subject);
    put_str(b, m->rule);
    put_str(b, m->hint);
    frame_end(b, start);
}

int get_denied(struct str body, struct msg_denied *out)
{
    struct fields f = fields_of(body);
    out->what = get_str(&f);
    out->subject = get_str(&f);
    out->rule = get_str(&f);
    out->hint = get_str(&f);
    return get_end(&f);
}

void put_program(struct buf *b, const struct msg_program *m)
{
    size_t start = frame_begin(b, MSG_PROGRAM);
    put_str(b, m->settings);
    put_str(b, m->source);
    frame_end(b, start);
}

int get_program(struct str body, struct msg_program *out)
{
    struct fields f = fields_of(body);
    out->settings = get_str(&f);
    out->source = get_str(&f);
    return get_end(&f);
}
