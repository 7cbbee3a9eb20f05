/*
 * catalogue.h - the immutable in-memory snapshot that planning reads.
 *
 * Purpose: library tables for the planner, names and aliases for intake. Texts stay in SQLite.
 * Ownership: one allocation block per snapshot, freed when the last reader lets go.
 * Threads: a snapshot never changes; store_catalogue() hands out the current one, lock-free.
 */
#ifndef REGIME_CATALOGUE_H
#define REGIME_CATALOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "anchor_index.h"
#include "compiler.h"
#include "library.h"
#include "price.h"

#define CATALOGUE_MATCHES_MAX 8

struct catalogue {
    struct library lib;
    struct anchor_index anchors;
    const struct part_price *prices; /* one for each part of the library */
    char revision[17];               /* changes with every write to the store; part of every ETag */
    const char *records_text;        /* human name of the bundled records, "records 2026-11-29" */
};

/* How a name was understood. */
struct name_match {
    int index; /* in the library table, -1 = none or ambiguous */
    /* Ids it could mean, NULL ends; empty when unique. */
    const char *ambiguous[CATALOGUE_MATCHES_MAX];
    const char *stripped_format; /* weight format id taken off the name, or NULL */
    double max_positions;        /* of a model's checkpoint that states its own; 0 = the record's */
    const char *nearest[3];      /* ids of the nearest known names when none; NULL ends early */
};

/*
 * Finds a model by id or alias. Names compare after lower-casing, with space, '_' and '-' equal and
 * an organisation prefix ("meta-llama/") dropped. When the whole name is unknown, trailing weight
 * formats ("-FP8", "-AWQ", "-GPTQ-Int4", "-w4a16", "-Q4_K_M.gguf", "-bf16", ...) and words such as
 * "-instruct", "-it", "-chat", "-hf" are stripped, repeatedly, and a stripped format is reported;
 * then '.' counts as '-' ("llama-3-1-8b"), last, separators are ignored ("llama3.1:8b"). An alias
 * of two records is ambiguous.
 */
void catalogue_find_model(const struct catalogue *cat, const char *name,
                          struct name_match *ret_match);

/*
 * The same for parts: a maker's name in front ("NVIDIA ") may be left out; last, names compare by
 * their words in any order, without makers and families, and a memory size only chooses between
 * parts that have it (db/name_words.h): "A100 80GB SXM4", "4090", "HGX H200".
 */
void catalogue_find_hardware(const struct catalogue *cat, const char *name,
                             struct name_match *ret_match);

/* Weight formats, KV formats and engines by id or alias, any case; -1 when unknown. */
int catalogue_find_weight_format(const struct catalogue *cat, const char *name);
int catalogue_find_kv_format(const struct catalogue *cat, const char *name);
int catalogue_find_engine(const struct catalogue *cat, const char *name);

/* Every id of a kind, for suggestions; *ret_n is their number. */
const char *const *catalogue_model_ids(const struct catalogue *cat, int *ret_n);
const char *const *catalogue_hardware_ids(const struct catalogue *cat, int *ret_n);
const char *const *catalogue_weight_format_names(const struct catalogue *cat, int *ret_n);
const char *const *catalogue_kv_format_names(const struct catalogue *cat, int *ret_n);
const char *const *catalogue_engine_names(const struct catalogue *cat, int *ret_n);

#endif
