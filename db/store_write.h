/*
 * store_write.h - adds a record to a store, whole or not at all, and swaps the snapshot.
 *
 * Purpose: what a file of records and a request write is checked and written by the same readers
 *          (db/import.h); here are the transaction, its trail, requests that are sent again, and
 *          what must hold between records.
 * Ownership: texts of a write are borrowed; what is returned lies in the outcome.
 * Errors:  a verdict; faults of the record go to the sink, all of them.
 * Threads: any; one write at a time, others wait. Readers and plans never do.
 *
 * When store_write() says WRITE_ADDED or WRITE_CHANGED the record is on the disk (synchronous=FULL)
 * and in the snapshot that store_catalogue() gives.
 */
#ifndef REGIME_STORE_WRITE_H
#define REGIME_STORE_WRITE_H

#include <cjson/cJSON.h>

#include "digest.h"
#include "import.h"
#include "store.h"

#define WRITE_ID_MAX 201

enum write_verdict {
    WRITE_ADDED,
    WRITE_CHANGED,    /* another text under an id that was there, or a dispute beside it */
    WRITE_REPLAYED,   /* the key's request was done before: the outcome is that one's */
    WRITE_FAULTY,     /* faults went to the sink */
    WRITE_EXISTS,     /* the id, or the measurement under the outcome's id, is there */
    WRITE_MISSING,    /* what is disputed is not there */
    WRITE_STALE,      /* the record has another revision than the one named */
    WRITE_KEY_REUSED, /* the key belongs to another request */
    WRITE_REFUSED,    /* the store takes no writes: `error` says why */
    WRITE_FAILED      /* it could not be written now: `error` says why */
};

/* What is written, and by whom. */
struct write {
    const char *kind;         /* "source", "model", "hardware", "anchor" or "dispute" */
    const cJSON *record;      /* in the language of db/records; of a dispute {"kind", "id", ...} */
    const char *doc;          /* its text, compact */
    const char *author, *why; /* why may be NULL */
    int revision;             /* that the record has to have to be changed; 0 = it must be new */
    const char *const *answers; /* ids of stated gaps that an anchor answers; NULL ends; NULL */
    const char *token_id, *key; /* a request to be done once; key NULL = none */
    char request[DIGEST_HEX_MAX];
    import_sink_fn *sink;
    void *sink_ctx;
};

struct write_outcome {
    enum write_verdict verdict;
    char kind[WRITE_ID_MAX], id[WRITE_ID_MAX]; /* of the record */
    int revision;
    char error[STORE_ERROR_MAX];
};

/* One record. */
void store_write(struct store *store, const struct write *write, struct write_outcome *ret_outcome);

/*
 * Records of one request: all of them, or none where one has another verdict than WRITE_ADDED or
 * WRITE_CHANGED. All are looked at, so that every outcome and every fault is told; with a key, the
 * first write's stands for all. `dry` looks and writes nothing. True when they are written, or
 * would be.
 */
bool store_write_all(struct store *store, const struct write *writes, int n, bool dry,
                     struct write_outcome *ret_outcomes);

#endif
