/*
 * kernel_names.h - what a kernel in a profile does, told from its name.
 *
 * Purpose: a table of name patterns, each with its class, engine and source, and the matcher that
 *          takes names as profilers print them: demangled with template arguments or mangled
 *          (`_ZN...`), cut at any column, with or without a parameter list, `[clone .kd]`, and the
 *          runtime's own words for copies (`Memcpy HtoD (Pageable -> Device)`).
 * Ownership: rows and names are static.
 * Errors:  a name that no row matches is KERNEL_UNCLASSIFIED; it is never forced into a class.
 * Threads: pure.
 */
#ifndef REGIME_KERNEL_NAMES_H
#define REGIME_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "plan.h"

/* The classes of measured GPU time: finer than the planner's where a profile can tell more. */
#define KERNEL_CLASS_LIST(X)                                                                       \
    X(KERNEL_DENSE_GEMM, "dense_gemm")                                                             \
    X(KERNEL_ATTENTION, "attention")                                                               \
    X(KERNEL_MOE_EXPERTS, "moe_experts")                                                           \
    X(KERNEL_MOE_GATING, "moe_gating")                                                             \
    X(KERNEL_LINEAR_ATTENTION, "linear_attention")                                                 \
    X(KERNEL_NORM_ELEMENTWISE, "norm_elementwise")                                                 \
    X(KERNEL_QUANTISE, "quantise")                                                                 \
    X(KERNEL_ROPE, "rope")                                                                         \
    X(KERNEL_KV_WRITE, "kv_write")                                                                 \
    X(KERNEL_SAMPLING, "sampling")                                                                 \
    X(KERNEL_COLLECTIVE, "collective")                                                             \
    X(KERNEL_INDEX_COPY, "index_copy")                                                             \
    X(KERNEL_MEMCPY_H2D, "memcpy_h2d")                                                             \
    X(KERNEL_MEMCPY_D2H, "memcpy_d2h")                                                             \
    X(KERNEL_MEMCPY_D2D, "memcpy_d2d")                                                             \
    X(KERNEL_MEMSET, "memset")                                                                     \
    X(KERNEL_OTHER, "other")                                                                       \
    X(KERNEL_UNCLASSIFIED, "unclassified")

#define X(ID, NAME) ID,

enum kernel_class { KERNEL_CLASS_LIST(X) KERNEL_CLASS_COUNT };

#undef X

/*
 * One pattern. Letters and digits stand for themselves in any case, and may have `_`, a change of
 * case or nothing between them; `_` demands a word's edge at its place, `^` the name's beginning,
 * `$` its end, `*` is any text. A pattern looks at the kernel's own name without namespaces,
 * template arguments and parameters, or at all of it where the first finds nothing.
 */
struct kernel_row {
    const char *pattern;
    enum kernel_class class;
    const char *engine;  /* whose kernels are called so; "any" = a word of many engines */
    const char *source;  /* a file or profile that has such names, or where the engine keeps them */
    const char *example; /* a name that this very row matches */
    const char *ambiguous; /* why the name alone does not say it, and the class is the likeliest;
                              NULL = it does */
};

struct kernel_match {
    enum kernel_class class;
    const struct kernel_row *row; /* NULL = no row matched: unclassified */
    bool ambiguous;
};

/* What name[0..length) is. Any bytes are allowed; the cost is bounded whatever the length. */
struct kernel_match kernel_class_of(const char *name, size_t length);

/* The class as the API prints it. */
const char *kernel_class_name(enum kernel_class class);

/* Whether text names a class; *ret_class is written only then. */
MUST_USE bool kernel_class_named(const char *text, enum kernel_class *ret_class);

/* The planner's classes whose budgets together stand beside the measured time of one class; *ret_n
 * of them, none for what no budget speaks of (copies to and from the host, other). */
const enum class_id *kernel_class_budgets(enum kernel_class class, size_t *ret_n);

/* The rows in the order in which they are tried; NULL beyond the last. */
const struct kernel_row *kernel_row_at(size_t index);

#endif
