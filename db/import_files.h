/*
 * import_files.h - reading the record files of a folder in a stable order.
 */
#ifndef REGIME_IMPORT_FILES_H
#define REGIME_IMPORT_FILES_H

#include <stddef.h>

/* The whole file with a NUL behind it, to be freed; NULL when it cannot be read, is no regular file
 * or exceeds 16 MiB. */
char *import_file_read(const char *path, size_t *ret_length);

/* Why a file that was not read was not, as the end of a sentence about it. */
const char *import_file_trouble(const char *path);

/* Paths of the files of `folder` that end in `suffix`, sorted by name, each to be freed; at most
 * `max`. Returns their number. */
int import_files_list(const char *folder, const char *suffix, char **ret_paths, int max);

#endif
