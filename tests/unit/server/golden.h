/*
 * golden.h - a text against the file that was reviewed by eye; include after cmocka.h.
 */
#ifndef REGIME_GOLDEN_H
#define REGIME_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN_MAX ((size_t)1 << 20)

/*
 * Fails when text[0..length) is not the content of TESTS_DIR/golden/<name>; the text then lies in
 * the working directory as <name> without its folders, ready to be compared and, if it is right,
 * taken over.
 */
static inline void assert_golden(const char *name, const char *text, size_t length)
{
    char path[512];
    char *expected = malloc(GOLDEN_MAX);

    snprintf(path, sizeof(path), "%s/golden/%s", TESTS_DIR, name);
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(expected, 1, GOLDEN_MAX, file) : 0;
    if (file)
        fclose(file);
    bool same = file && n == length && memcmp(expected, text, n) == 0;
    free(expected);
    if (same)
        return;
    const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    FILE *actual = fopen(base, "wb");
    if (actual) {
        fwrite(text, 1, length, actual);
        fclose(actual);
    }
    fail_msg("not as reviewed: diff %s %s", path, base);
}

#endif
