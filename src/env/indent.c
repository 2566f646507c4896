/* env/indent.c -- JSON for people.  SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "env/result.h"

static void new_line(struct buf *out, size_t depth)
{
    buf_adds(out, "\n");
    for (size_t i = 0; i < depth && i < JSON_MAX_DEPTH; i++)
        buf_adds(out, "  ");
}

/* The length of the string literal at s, quotes included. */
static size_t literal_len(struct str s)
{
    size_t i = 1;
    while (i < s.len && s.at[i] != '"')
        i += s.at[i] == '\\' ? 2 : 1;
    return i < s.len ? i + 1 : s.len;
}

static int is_empty_pair(struct str json, size_t i)
{
    return i + 1 < json.len &&
           ((json.at[i] == '{' && json.at[i + 1] == '}') ||
            (json.at[i] == '[' && json.at[i + 1] == ']'));
}

void json_indent(struct buf *out, struct str json)
{
    size_t depth = 0;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.at[i];
        if (c == '"') {
            size_t n = literal_len((struct str){ json.at + i, json.len - i });
            buf_add(out, json.at + i, n);
            i += n - 1;
        } else if (is_empty_pair(json, i)) {
            buf_add(out, json.at + i++, 2);
        } else if (c == '{' || c == '[') {
            buf_add(out, &c, 1);
            new_line(out, ++depth);
        } else if (c == '}' || c == ']') {
            new_line(out, --depth);
            buf_add(out, &c, 1);
        } else if (c == ',') {
            buf_add(out, &c, 1);
            new_line(out, depth);
        } else if (c == ':') {
            buf_adds(out, ": ");
        } else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
            buf_add(out, &c, 1);
        }
    }
}
