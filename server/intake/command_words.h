/*
 * command_words.h - a text cut into commands and words as a POSIX shell does.
 *
 * Purpose: quotes, escapes, continued lines, comments, assignments, parameters, lists (`;`, `&&`,
 *          `|`, lines), redirections and here-documents. Nothing is run: what only a running shell
 *          knows (an unset variable, the output of a command) stays in the word between two
 *          WORD_UNKNOWN bytes, so that it matters only where the word does.
 * Ownership: everything lies in the request's arena.
 * Errors:  faults under the origin: an open quote, more words than SHELL_WORDS_MAX, too much text.
 */
#ifndef REGIME_COMMAND_WORDS_H
#define REGIME_COMMAND_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "command_line.h"

#define WORD_UNKNOWN '\001'

#define SHELL_WORDS_MAX 4096
#define SHELL_VARIABLES_MAX 512
#define SHELL_COMMANDS_MAX 512
#define SHELL_FILES_MAX 16
/* Of a text, and of all its words with what they expand to. */
#define COMMAND_TEXT_MAX ((size_t)64 << 10)
#define SHELL_TEXT_MAX ((size_t)256 << 10)

/* One command without its redirections. */
struct shell_command {
    const char **words;
    int n_words;
    struct command_env *env; /* every assignment up to here, its own last */
    int n_env;
};

/* A file that a here-document writes: `cat > NAME <<EOF`. */
struct shell_file {
    const char *name, *text;
};

struct shell {
    struct shell_command *commands;
    int n_commands;
    struct shell_file files[SHELL_FILES_MAX];
    int n_files;
    /* Variables at the end of the text, for a text of assignments only. */
    struct command_env *env;
    int n_env;
};

/* Reads a text; `env` are n_env variables that are set before it. False after a fault. */
MUST_USE bool shell_read(const struct intake *intake, const char *text, const char *origin,
                         const struct command_env *env, int n_env, struct shell *ret_shell);

/* The value of a variable, the last one set; NULL when there is none. */
const char *command_env_value(const struct command_env *env, int n_env, const char *name);

#endif
