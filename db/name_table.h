/*
 * name_table.h - names of one kind of record, by hash.
 *
 * Purpose: name to record, with ambiguous names kept as such.
 * Ownership: everything lies in the block it was built in.
 * Threads: immutable once built.
 */
#ifndef REGIME_NAME_TABLE_H
#define REGIME_NAME_TABLE_H

#include "block.h"
#include "compiler.h"

struct name_entry {
    const char *key;
    int index; /* of the record in its library table */
};

struct name_table {
    struct name_entry *entries; /* sorted by key; entries of an ambiguous name are neighbours */
    int n;
    int *slots; /* hash to the first entry of a key + 1; 0 = empty */
    unsigned n_slots;
};

/* Sorts `entries` (n of them, in the block), drops repeats and hashes them; false when out of
 * memory. */
MUST_USE bool name_table_build(struct name_table *table, struct block *block,
                               struct name_entry *entries, int n);

/* The entries of that key: their number, and the first one. 0 when there is none. */
int name_table_find(const struct name_table *table, const char *key,
                    const struct name_entry **ret_first);

/* A table of the same names without any '-', of those that stay unambiguous. */
MUST_USE bool name_table_squeeze(const struct name_table *table, struct block *block,
                                 struct name_table *ret_table);

/* Takes the '-' out of a key, in place. */
void name_squeeze(char *key);

/* Writes '-' for every '.' of a key, in place. */
void name_dash(char *key);

/*
 * Up to `max` records whose names are nearest to `key` by edit distance (insert, delete, replace,
 * swap of neighbours), nearest first, none further than a third of its length + 1. Returns their
 * number.
 */
int name_table_nearest(const struct name_table *table, const char *key, int *ret_indexes, int max);

#endif
