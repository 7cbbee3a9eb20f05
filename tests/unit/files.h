/*
 * files.h - a file of the tree as text; include after cmocka.h.
 */
#ifndef REGIME_FILES_H
#define REGIME_FILES_H

#include <stdio.h>
#include <stdlib.h>

/* The whole file with a NUL behind it, or the test fails; free() it. */
static inline char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("cannot open %s", path);
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

#endif
