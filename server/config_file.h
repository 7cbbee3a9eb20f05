/*
 * config_file.h - settings from a file: lines "name = value", # begins a comment.
 *
 * Ownership: the text is the caller's (free() it); names and values point into it.
 * Errors:  NULL or false, and one sentence that names the file and the line.
 */
#ifndef REGIME_CONFIG_FILE_H
#define REGIME_CONFIG_FILE_H

#include <stdbool.h>

#include "compiler.h"

#define CONFIG_ERROR_MAX 300

struct config_line {
    const char *name, *value; /* without blanks around; the value may be "" */
    int number;               /* from 1 */
};

/* The whole file, which is short; NULL when it cannot be read. */
MUST_USE char *config_file_text(const char *path, char ret_error[CONFIG_ERROR_MAX]);

/* Takes the next line that says something off *at, which it cuts into texts; a line without '=' has
 * the value NULL. False at the end. */
bool config_file_next(char **at, struct config_line *line);

#endif
