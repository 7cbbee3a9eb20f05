/*
 * gguf.h - the header of a GGUF file, read as it arrives.
 *
 * Purpose: metadata and the tensor table, in any pieces, without keeping more than what a plan
 *          needs: texts of a vocabulary are passed over, tensors are summed up by type and role.
 * Units:   bytes; sums are doubles, exact below 2^53.
 * Ownership: everything lies in the arena; a reader is a few hundred KiB whatever it is fed.
 * Errors:  one text that says what is wrong and where; reading stops there. Counts, lengths,
 *          shapes and types are checked before they are believed.
 * Threads: pure but for the arena.
 * Source:  github.com/ggml-org/ggml, docs/gguf.md (versions 2 and 3), src/gguf.cpp; tensor types
 *          and their blocks: include/ggml.h, src/ggml-common.h.
 */
#ifndef REGIME_GGUF_H
#define REGIME_GGUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "dtype.h"

#define GGUF_TYPES_MAX 64
#define GGUF_LIST_MAX 1024
#define GGUF_VALUES_MAX 192
#define GGUF_DIMS_MAX 4

enum gguf_kind { GGUF_NUMBER, GGUF_TEXT, GGUF_LIST };

/* A metadata value that is kept: numbers, short texts, lists of numbers. */
struct gguf_value {
    const char *key;
    enum gguf_kind kind;
    double number;
    const char *text;   /* its first bytes */
    const double *list; /* `n` of them */
    int n;
};

struct gguf_sum {
    double tensors, elements, bytes;
};

/* Tensors whose shape or presence tells about the model. */
enum gguf_watched {
    GGUF_TOKEN_EMBEDDING,
    GGUF_OUTPUT,
    GGUF_FFN_UP,
    GGUF_FFN_UP_EXPERTS,
    GGUF_FFN_UP_SHARED,
    GGUF_QUERY_BIAS,
    GGUF_WATCHED_COUNT
};

struct gguf_facts {
    bool complete;     /* the whole header was read */
    const char *error; /* NULL: none so far */
    double header_bytes, tensors, values;
    int version;
    const struct gguf_value *kept; /* n_kept of them */
    int n_kept;
    struct gguf_sum types[GGUF_TYPES_MAX]; /* by the number of the type */
    struct gguf_sum roles[ROLE_COUNT];
    double shapes[GGUF_WATCHED_COUNT][GGUF_DIMS_MAX]; /* zeros: not there */
    double data_bytes;                                /* from the first tensor to the last */
    double file_bytes;
};

struct gguf_reader;

/* NULL when out of memory. */
struct gguf_reader *gguf_open(struct arena *arena);

/* The next piece; does nothing once the header is complete or an error is known. */
void gguf_feed(struct gguf_reader *reader, const void *piece, size_t size);

/* Ends the reading: a header that is cut off becomes an error that says how many bytes it needs.
 * What is returned lives as long as the arena. */
const struct gguf_facts *gguf_close(struct gguf_reader *reader);

/* The value of that key; NULL. */
const struct gguf_value *gguf_find(const struct gguf_facts *facts, const char *key);

/* The name of a tensor type ("q4_K"), NULL when there is none of that number. */
const char *gguf_type_name(uint32_t type);

/* Elements and bytes of a block of that type; false when there is none. */
bool gguf_type_block(uint32_t type, double *ret_elements, double *ret_bytes);

#endif
