/*
 * yaml_tree.h - a YAML stream as the tree that JSON gives.
 *
 * Purpose: manifests come as YAML or JSON and have one reader. Documents of the stream become the
 *          items of an array; aliases are copied, merge keys ("<<") merged, tags of YAML's own
 *          followed ("!!str 5") and others left out. Plain words follow the core schema (null,
 *          true, false, numbers); a number or truth value keeps its source text beside it.
 * Limits:  depth, nodes (those that aliases copy count), bytes of text, keys of one mapping and
 *          directives are bounded, so that no alias bomb grows.
 * Ownership: the tree is cJSON's, made by its hooks; the fault's text is the arena's or static.
 * Errors:  the first fault with its line and column.
 */
#ifndef REGIME_YAML_TREE_H
#define REGIME_YAML_TREE_H

#include <stddef.h>

#include "arena.h"
#include "compiler.h"

struct cJSON;

#define YAML_DEPTH_MAX 64
#define YAML_NODES_MAX 50000
#define YAML_TEXT_MAX ((size_t)2 << 20)
#define YAML_KEYS_MAX 1000
#define YAML_ANCHORS_MAX 256
#define YAML_DIRECTIVES_MAX 16

struct yaml_fault {
    const char *what;    /* "mapping values are not allowed in this context" */
    size_t line, column; /* from 1 */
};

/* Reads the stream, which has a NUL at text[length]; NULL with *ret_fault when it is refused or
 * memory ran out. */
MUST_USE struct cJSON *yaml_tree_read(struct arena *arena, const char *text, size_t length,
                                      struct yaml_fault *ret_fault);

/*
 * The text of a scalar: a string, the source of a number or truth value, "" for null. Numbers that
 * came as JSON are written as short as they can be. NULL for lists, mappings and a missing node.
 */
const char *yaml_text(struct arena *arena, const struct cJSON *node);

#endif
