/*
 * kernel_names_fuzz - any bytes as a kernel's name.
 *
 * Properties: the words keep to their form and bounds; a class comes from a row or is
 * "unclassified"; the same name gives the same row.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_names.h"
#include "kernel_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_text(const struct kernel_text *text)
{
    require(text->n <= KERNEL_LETTERS_MAX);
    require(text->letters[text->n] == '\0');
    require(strspn(text->letters, "abcdefghijklmnopqrstuvwxyz0123456789") == text->n);
    require(text->edges[0] == EDGE_IDENTIFIER);
    for (size_t i = 1; i < text->n; i++)
        require(kernel_text_has_pair(text, text->letters[i - 1], text->letters[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct kernel_text own, all;
    const char *name = (const char *)data;

    kernel_text_read(name, size, &own, &all);
    check_text(&own);
    check_text(&all);
    struct kernel_match match = kernel_class_of(name, size);
    require((match.row == NULL) == (match.class == KERNEL_UNCLASSIFIED));
    require(match.row == NULL || match.row->class == match.class);
    require(kernel_class_of(name, size).row == match.row);
    return 0;
}
