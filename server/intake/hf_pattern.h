/*
 * hf_pattern.h - the ways in which quantisation configurations name modules.
 *
 * Purpose: a list entry is a module's whole name, a part of one ("self_attn"), a name with
 *          asterisks, or a Python regular expression ("re:.*mlp\\.gate$"). All are matched in
 * bounded time, whatever the pattern. Ownership: a compiled pattern lies in the arena and borrows
 * its text. Errors:  an expression with parts that are not read here is said to be so, never
 * guessed. Threads: a compiled pattern is constant. Source:  compressed-tensors
 * (github.com/vllm-project/compressed-tensors, utils/match.py: names and "re:" with re.match),
 * modelopt and gpt-oss (fnmatch), transformers (parts of names).
 */
#ifndef REGIME_HF_PATTERN_H
#define REGIME_HF_PATTERN_H

#include <stdbool.h>

#include "arena.h"
#include "compiler.h"

enum hf_pattern_kind {
    HF_PATTERN_NONE,  /* names nothing of a language model's layers (a vision tower's module) */
    HF_PATTERN_PART,  /* whole components of a name */
    HF_PATTERN_GLOB,  /* '*' stands for anything */
    HF_PATTERN_REGEX, /* from the start of a name on */
    HF_PATTERN_UNREAD /* an expression that is not understood */
};

struct hf_regex;

struct hf_pattern {
    enum hf_pattern_kind kind;
    int layer;         /* the only layer that it can name; -1 = any */
    const char *text;  /* of a part: below the layers' own prefix */
    unsigned prefixes; /* bits of what may stand before "layers." in the names it is held against */
    const struct hf_regex *regex;
};

/* Reads one entry of a list; false when the arena is full. `regex`: the list holds expressions
 * without the mark "re:" (GPTQ's "dynamic"). */
MUST_USE bool hf_pattern_read(struct arena *arena, const char *text, bool regex,
                              struct hf_pattern *ret_pattern);

/*
 * Whether the pattern names the module `name`, or one around it. `name` is given below the prefix
 * of its model: "layers.3.self_attn.q_proj", "lm_head". What the match took is added to *visits: 1,
 * and the steps of an expression.
 */
bool hf_pattern_matches(const struct hf_pattern *pattern, const char *name, long *visits);

#endif
