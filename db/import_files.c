#include "import_files.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"

#define FILE_MAX (16 << 20)
#define PATH_TEXT_MAX 4096

char *import_file_read(const char *path, size_t *ret_length)
{
    FILE *file = fopen(path, "rb");
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
