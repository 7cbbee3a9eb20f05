/*
 * store_dispute.h - two sources that disagree about a field, or a measurement that is doubted.
 *
 * Purpose: a dispute stands beside the record, it never changes what the record says; of an anchor
 *          with a flag it ends its use as evidence.
 */
#ifndef REGIME_STORE_DISPUTE_H
#define REGIME_STORE_DISPUTE_H

#include "store_write.h"

/*
 * Writes the dispute {"kind", "id", "field", "value", "source", "why", "flag"} inside the write's
 * transaction. Sets the outcome's kind, id and revision (the one before) and *ret_before, the
 * record's text, to be freed. WRITE_ADDED when it is done.
 */
enum write_verdict store_dispute_write(struct import *import, const struct write *write,
                                       struct write_outcome *out, char **ret_before);

/* A record's text, to be freed, and its revision; false when it is not there. */
MUST_USE bool store_record_read(sqlite3 *db, const char *kind, const char *id, char **ret_doc,
                                int *ret_revision);

/* A member of a record's text that gets another value, a text or a list of one. */
struct doc_member {
    const char *name, *value;
    bool list;
};

/* Sets members of a record's text, and its digest; the caller writes the trail. */
MUST_USE bool store_doc_change(sqlite3 *db, const char *kind, const char *id,
                               const struct doc_member *members, size_t n);

#endif
