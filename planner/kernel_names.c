/*
 * kernel_names.c - matches a kernel's words with the tables of patterns.
 */
#include "kernel_names.h"

#include <string.h>

#include "compiler.h"
#include "kernel_rows.h"
#include "kernel_text.h"

#define NOWHERE ((size_t)-1)

static const struct kernel_table *const TABLES[] = {&KERNEL_ROWS_ENGINES, &KERNEL_ROWS_MOVES,
                                                    &KERNEL_ROWS_LAYERS, &KERNEL_ROWS_PRODUCTS,
                                                    &KERNEL_ROWS_PASSES};

#define X(ID, NAME) NAME,
static const char *const NAMES[] = {KERNEL_CLASS_LIST(X)};
#undef X

const char *kernel_class_name(enum kernel_class class)
{
    return NAMES[class];
}

bool kernel_class_named(const char *text, enum kernel_class *ret_class)
{
    for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
        if (strcmp(NAMES[i], text) == 0) {
            *ret_class = (enum kernel_class)i;
            return true;
        }
    }
    return false;
}

/* What a plan counts together with each measured class; CLASS_COUNT ends. Rotary, casts and moves
 * of activations are passes that the planner's norm_elementwise holds; the output matrix is a GEMM
 * like the others by its name. */
static const enum class_id BUDGETS[KERNEL_CLASS_COUNT][4] = {
    [KERNEL_DENSE_GEMM] = {CLASS_DENSE_GEMM, CLASS_LM_HEAD, CLASS_COUNT},
    [KERNEL_ATTENTION] = {CLASS_DECODE_ATTENTION, CLASS_PREFILL_ATTENTION, CLASS_SPARSE_INDEXER,
                          CLASS_COUNT},
    [KERNEL_MOE_EXPERTS] = {CLASS_MOE_EXPERT_GEMM, CLASS_COUNT},
    [KERNEL_MOE_GATING] = {CLASS_MOE_GATING, CLASS_COUNT},
    [KERNEL_LINEAR_ATTENTION] = {CLASS_STATE_UPDATE, CLASS_COUNT},
    [KERNEL_NORM_ELEMENTWISE] = {CLASS_NORM_ELEMENTWISE, CLASS_COUNT},
    [KERNEL_QUANTISE] = {CLASS_NORM_ELEMENTWISE, CLASS_COUNT},
    [KERNEL_ROPE] = {CLASS_NORM_ELEMENTWISE, CLASS_COUNT},
    [KERNEL_KV_WRITE] = {CLASS_KV_WRITE, CLASS_COUNT},
    [KERNEL_SAMPLING] = {CLASS_SAMPLING, CLASS_PROCESSORS_DEVICE, CLASS_COUNT},
    [KERNEL_COLLECTIVE] = {CLASS_COLLECTIVE, CLASS_COUNT},
    [KERNEL_INDEX_COPY] = {CLASS_NORM_ELEMENTWISE, CLASS_COUNT},
    [KERNEL_MEMCPY_H2D] = {CLASS_COUNT},
    [KERNEL_MEMCPY_D2H] = {CLASS_COUNT},
    [KERNEL_MEMCPY_D2D] = {CLASS_NORM_ELEMENTWISE, CLASS_COUNT},
    [KERNEL_MEMSET] = {CLASS_NORM_ELEMENTWISE, CLASS_COUNT},
    [KERNEL_OTHER] = {CLASS_COUNT},
    [KERNEL_UNCLASSIFIED] = {CLASS_COUNT},
};

const enum class_id *kernel_class_budgets(enum kernel_class class, size_t *ret_n)
{
    size_t n = 0;

    while (BUDGETS[class][n] != CLASS_COUNT) {
        n++;
    }
    *ret_n = n;
    return BUDGETS[class];
}

const struct kernel_row *kernel_row_at(size_t index)
{
    for (size_t i = 0; i < ARRAY_LEN(TABLES); i++) {
        if (index < TABLES[i]->n) {
            return &TABLES[i]->rows[index];
        }
        index -= TABLES[i]->n;
    }
    return index < KERNEL_ROWS_WEAK.n ? &KERNEL_ROWS_WEAK.rows[index] : NULL;
}

/* ---- patterns ---- */

/* Where the piece ends that begins in the text at `at`; NOWHERE = it does not stand there. */
static size_t piece_end(const struct kernel_text *text, const char *piece, size_t length, size_t at)
{
    for (size_t i = 0; i < length; i++) {
        if (piece[i] == '_') {
            if (text->edges[at] == EDGE_NONE) {
                return NOWHERE;
            }
        } else if (text->letters[at++] != piece[i]) {
            return NOWHERE;
        }
    }
    return at;
}

/* Where the first such piece at or after `from` ends, given what must stand before and after it. */
static size_t piece_find(const struct kernel_text *text, const char *piece, size_t length,
                         size_t from, enum kernel_edge before, enum kernel_edge after)
{
    for (size_t at = from; at < text->n; at++) {
        if (text->edges[at] < before) {
            continue;
        }
        size_t end = piece_end(text, piece, length, at);
        if (end != NOWHERE && text->edges[end] >= after) {
            return end;
        }
    }
    return NOWHERE;
}

/* Whether the text has the pattern's first two letters side by side, as it must when it matches:
 * most rows end here. */
static bool may_match(const struct kernel_text *text, const char *pattern)
{
    while (*pattern == '^' || *pattern == '_') {
        pattern++;
    }
    const char *second = pattern + 1;
    second += *second == '_';
    return *second == '\0' || *second == '*' || *second == '$' ||
           kernel_text_has_pair(text, *pattern, *second);
}

static bool matches(const struct kernel_text *text, const char *pattern)
{
    if (!may_match(text, pattern)) {
        return false;
    }
    enum kernel_edge before = *pattern == '^' ? EDGE_IDENTIFIER : EDGE_NONE;
    size_t at = 0;

    pattern += *pattern == '^';
    while (true) {
        size_t length = strcspn(pattern, "*$");
        enum kernel_edge after = pattern[length] == '$' ? EDGE_IDENTIFIER : EDGE_NONE;
        at = piece_find(text, pattern, length, at, before, after);
        if (at == NOWHERE) {
            return false;
        }
        if (pattern[length] != '*') {
            return true;
        }
        pattern += length + 1;
        before = EDGE_NONE;
    }
}

static const struct kernel_row *find_row(const struct kernel_table *table,
                                         const struct kernel_text *text)
{
    for (size_t i = 0; i < table->n; i++) {
        if (matches(text, table->rows[i].pattern)) {
            return &table->rows[i];
        }
    }
    return NULL;
}

static const struct kernel_row *find_strong(const struct kernel_text *text)
{
    for (size_t i = 0; i < ARRAY_LEN(TABLES); i++) {
        const struct kernel_row *row = find_row(TABLES[i], text);
        if (row) {
            return row;
        }
    }
    return NULL;
}

struct kernel_match kernel_class_of(const char *name, size_t length)
{
    struct kernel_text own, all;

    kernel_text_read(name, length, &own, &all);
    const struct kernel_row *row = find_strong(&own);
    if (!row) {
        row = find_strong(&all);
    }
    if (!row) {
        row = find_row(&KERNEL_ROWS_WEAK, &own);
    }
    if (!row) {
        row = find_row(&KERNEL_ROWS_WEAK, &all);
    }
    if (!row) {
        return (struct kernel_match){KERNEL_UNCLASSIFIED, NULL, false};
    }
    return (struct kernel_match){row->class, row, row->ambiguous != NULL};
}
