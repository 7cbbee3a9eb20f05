#include "import_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sql.h"

#define FILE_MAX (16 << 20)
#define PATH_TEXT_MAX 4096

const char *import_file_trouble(const char *path)
{
    struct stat there;
    if (stat(path, &there) != 0) {
        return errno == ENOENT ? "is not there" : "cannot be looked at";
    }
    if (!S_ISREG(there.st_mode)) {
        return "is no regular file";
    }
    return there.st_size > FILE_MAX ? "is longer than 16 MiB" : "cannot be read";
}

/* To open a pipe would wait for who writes into it. */
static bool is_regular(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISREG(there.st_mode);
}

char *import_file_read(const char *path, size_t *ret_length)
{
    FILE *file = is_regular(path) ? fopen(path, "rb") : NULL;
    if (!file) {
        return NULL;
    }
    char *text = malloc(FILE_MAX + 1);
    size_t length = text ? fread(text, 1, FILE_MAX + 1, file) : 0;
    bool good = text && !ferror(file) && length <= FILE_MAX;
    (void)fclose(file);
    if (!good) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    *ret_length = length;
    return text;
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text);
    size_t tail = strlen(suffix);
    return length > tail && strcmp(text + length - tail, suffix) == 0;
}

int import_files_list(const char *folder, const char *suffix, char **ret_paths, int max)
{
    char path[PATH_TEXT_MAX];
    struct dirent **entries = NULL;
    int n = 0;
    int n_entries = scandir(folder, &entries, NULL, compare_entries);
    for (int i = 0; i < n_entries; i++) {
        if (n < max && ends_with(entries[i]->d_name, suffix)) {
            (void)text_print(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
            ret_paths[n] = strdup(path);
            n += ret_paths[n] != NULL;
        }
        free(entries[i]);
    }
    free(entries);
    return n;
}
