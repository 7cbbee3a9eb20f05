/*
 * kept_texts.h - pieces of replies that are computed once per catalogue snapshot.
 *
 * Purpose: what the planner says about a record changes only with the records; a list of them is
 *          then a copy.
 * Ownership: texts are copied in and out.
 * Errors:  what finds no memory is not kept, and computed again the next time.
 * Threads: any number.
 */
#ifndef REGIME_KEPT_TEXTS_H
#define REGIME_KEPT_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "json_out.h"

/* Texts past that number are not kept. */
#define KEPT_TEXTS_MAX 1024

struct kept_texts;

/* NULL when out of memory. */
struct kept_texts *kept_texts_new(void);
void kept_texts_free(struct kept_texts *kept);

/* Appends the text kept under `key` for this revision of the catalogue, as it is; false when there
 * is none. `kept` may be NULL. */
bool kept_texts_write(struct kept_texts *kept, const char *revision, const char *key,
                      struct json_out *out);

/* Keeps text[0..length); those of another revision are dropped. `kept` may be NULL. */
void kept_texts_put(struct kept_texts *kept, const char *revision, const char *key,
                    const char *text, size_t length);

#endif
