/*
 * name_key.h - how names of records compare.
 *
 * Purpose: one normal form for ids and aliases, used by the importer and by every look-up.
 */
#ifndef REGIME_NAME_KEY_H
#define REGIME_NAME_KEY_H

#include <stdbool.h>
#include <stddef.h>

#define NAME_KEY_MAX 201

/*
 * Lower case; a run of spaces, '_', '-', ':' becomes one '-'; none at either end. With
 * `strip_owner` everything up to the last '/' is dropped first ("meta-llama/"). Returns false, and
 * an empty key, when nothing is left or the name is longer than NAME_KEY_MAX - 1.
 */
bool name_key(const char *name, bool strip_owner, char ret_key[NAME_KEY_MAX]);

#endif
