/*
 * cli/main.c -- glovebox, the program: which command, or help.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/nearest.h"
#include "cli/command.h"

#include <signal.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_run, &command_repl, &command_doctor, &command_version,
};

static void general_help(struct buf *out)
{
    buf_adds(out, "glovebox runs programs nobody has read yet: each in a fresh "
                  "sandbox, with limits.\n\nusage: glovebox COMMAND ...\n\n");
    for (size_t i = 0; i < COUNT(commands); i++)
        buf_addf(out, "  %-10s%s\n", commands[i]->name, commands[i]->summary);
    buf_adds(out, "\n  glovebox run -e '[1, 2, 3].map(n => n * n)'\n"
                  "  glovebox run program.js --input @data.json --timeout 5s "
                  "--memory 64mb\n\n"
                  "`glovebox help COMMAND` says more about each.\n");
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < COUNT(commands); i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(const char *word)
{
    const char *names[COUNT(commands)];
    for (size_t i = 0; i < COUNT(commands); i++)
        names[i] = commands[i]->name;
    const char *near = nearest_word(word, names, COUNT(names));
    struct term t;
    term_init(&t, 1);
    if (near)
        term_say(&t, "unknown command '%.60s'; did you mean %s?", word, near);
    else if (access(word, F_OK) == 0)
        term_say(&t, "unknown command '%.60s'; to run that file: "
                     "glovebox run %.60s", word, word);
    else
        term_say(&t, "unknown command '%.60s'; see glovebox --help", word);
    return EXIT_OURS;
}

static int help(const char *about)
{
    AUTO_BUF text;
    buf_init(&text, 64 << 10);
    const struct command *c = about ? find(about) : NULL;
    if (about && !c)
        return unknown_command(about);
    if (c)
        command_help(c, &text);
    else
        general_help(&text);
    return command_print(&text);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        help(NULL);
        return EXIT_OURS;
    }
    if (command_is_help(argv[1]))
        return help(NULL);
    if (strcmp(argv[1], "help") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    const char *name = strcmp(argv[1], "--version") == 0 ? "version" : argv[1];
    const struct command *c = find(name);
    return c ? c->run(c, argc - 2, argv + 2) : unknown_command(argv[1]);
}
