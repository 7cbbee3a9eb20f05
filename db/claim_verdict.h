/*
 * claim_verdict.h - the closed vocabulary of verdicts on claims.
 *
 * Purpose: one table for the importer, the filter and the reply that explains the words.
 */
#ifndef REGIME_CLAIM_VERDICT_H
#define REGIME_CLAIM_VERDICT_H

struct claim_verdict {
    const char *id, *meaning;
};

/* A NULL id ends the table. */
extern const struct claim_verdict CLAIM_VERDICTS[];

/* The row of that id; NULL when it is none. */
const struct claim_verdict *claim_verdict_find(const char *id);

#endif
