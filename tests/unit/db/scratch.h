/*
 * scratch.h - a folder of its own for a test's files; include after cmocka.h.
 */
#ifndef REGIME_SCRATCH_H
#define REGIME_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH_PATH_MAX 512

struct scratch {
    char folder[64];
};

static inline struct scratch scratch_new(void)
{
    struct scratch scratch = {"/tmp/regime-test-XXXXXX"};
    assert_non_null(mkdtemp(scratch.folder));
    return scratch;
}

/* A path below the folder. */
static inline const char *scratch_path(const struct scratch *scratch, const char *name,
                                       char ret_path[SCRATCH_PATH_MAX])
{
    snprintf(ret_path, SCRATCH_PATH_MAX, "%s/%s", scratch->folder, name);
    return ret_path;
}

static inline void scratch_write(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Removes the folder and the files in it. */
static inline void scratch_remove(const struct scratch *scratch)
{
    DIR *dir = opendir(scratch->folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char path[SCRATCH_PATH_MAX];
        if (entry->d_name[0] != '.') {
            unlink(scratch_path(scratch, entry->d_name, path));
        }
    }
    closedir(dir);
    rmdir(scratch->folder);
}

#endif
