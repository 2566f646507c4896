/* cli/command.c -- what all commands have in common.
 * SPDX-License-Identifier: MIT */
#include "cli/command.h"

#include <string.h>

void command_help(const struct command *c, struct buf *out)
{
    buf_addf(out, "usage: glovebox %s\n\n%s.\n\n", c->usage, c->summary);
    options_help(c->options, out);
    if (c->more)
        buf_addf(out, "\n%s", c->more);
}

int command_print(const struct buf *text)
{
    struct term t;
    term_init(&t, 1);
    term_put(&t, TO_STDOUT, buf_str(text));
    if (!t.broken)
        return 0;
    term_say(&t, "stdout: %s", strerror(t.broken));
    return EXIT_OURS;
}

int command_is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int command_options(const struct command *c, int argc, char **argv,
                    void *target, struct texts *operands)
{
    struct term t;
    struct err e = { 0 };
    term_init(&t, 1);
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (command_is_help(argv[i])) {
            AUTO_BUF text;
            buf_init(&text, 64 << 10);
            command_help(c, &text);
            return command_print(&text);
        }
    }
    if (options_parse(c->options, argc, argv, target, operands, &e) == 0)
        return -1;
    term_say(&t, "%s: %s\nTry: glovebox %s --help", c->name, e.msg, c->name);
    return EXIT_OURS;
}
