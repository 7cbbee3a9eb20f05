#include "config_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES 65536
#define BLANKS " \t\r"

char *config_file_text(const char *path, char ret_error[CONFIG_ERROR_MAX])
{
    FILE *file = fopen(path, "rb");
    char *text = file ? calloc(1, FILE_MAX_BYTES + 1) : NULL;

    snprintf(ret_error, CONFIG_ERROR_MAX, "%.200s: cannot be read", path);
    size_t length = text ? fread(text, 1, FILE_MAX_BYTES, file) : 0;
    bool good = text && !ferror(file);
    if (good && (length == FILE_MAX_BYTES || strlen(text) != length)) {
        snprintf(ret_error, CONFIG_ERROR_MAX, "%.200s: is no file of settings", path);
        good = false;
    }
    if (file)
        fclose(file);
    if (good)
        return text;
    free(text);
    return NULL;
}

/* Cuts the blanks off both ends. */
static char *trimmed(char *text)
{
    text += strspn(text, BLANKS);
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

bool config_file_next(char **at, struct config_line *line)
{
    while (**at) {
        char *text = *at;
        size_t length = strcspn(text, "\n");
        *at += length + (text[length] == '\n');
        text[length] = '\0';
        line->number++;
        text = trimmed(text);
        if (!*text || *text == '#')
            continue;
        char *equals = strchr(text, '=');
        if (equals)
            *equals = '\0';
        line->name = trimmed(text);
        line->value = equals ? trimmed(equals + 1) : NULL;
        return true;
    }
    return false;
}
