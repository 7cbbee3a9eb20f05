/*
 * kernel_text.h - the words of a kernel's name, without what profilers put around them.
 *
 * Purpose: one form for names that are demangled or mangled, whole or cut, in camel or snake case.
 * Ownership: plain data, no heap.
 * Errors:  none; any bytes give some words, perhaps none.
 * Threads: pure.
 */
#ifndef REGIME_KERNEL_TEXT_H
#define REGIME_KERNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Letters kept of one name; what lies beyond says nothing new of a kernel. */
#define KERNEL_LETTERS_MAX 2048

enum { KERNEL_PAIRS = 36 * 36 };

/* What stands before a letter. */
enum kernel_edge {
    EDGE_NONE,
    EDGE_WORD,      /* `_` or a change of case */
    EDGE_IDENTIFIER /* anything that cannot stand in an identifier */
};

struct kernel_text {
    size_t n;
    char letters[KERNEL_LETTERS_MAX + 1];        /* lower-case letters and digits, NUL at n */
    unsigned char edges[KERNEL_LETTERS_MAX + 1]; /* edges[i] stands before letters[i] */
    uint64_t pairs[(KERNEL_PAIRS + 63) / 64];    /* which pairs of neighbours occur */
};

/*
 * name[0..length) in two forms: *ret_own has the kernel's own name, without return type,
 * namespaces, template arguments, parameters and clone suffix; *ret_all has all but parameters and
 * suffix. A mangled name gives the identifiers that its lengths enclose (Itanium C++ ABI, 5.1).
 */
void kernel_text_read(const char *name, size_t length, struct kernel_text *ret_own,
                      struct kernel_text *ret_all);

/* Whether the letters a and b stand side by side anywhere in the text. */
bool kernel_text_has_pair(const struct kernel_text *text, char a, char b);

#endif
