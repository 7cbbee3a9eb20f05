/*
 * check_report.h - what all renderings of a verdict share: sentences, changes, flags.
 *
 * Purpose: a check's sentence with its figures, a cure's change in the engine's own spelling, and
 *          the order in which people read checks.
 * Ownership: texts lie in the arena given.
 * Threads: pure.
 */
#ifndef REGIME_CHECK_REPORT_H
#define REGIME_CHECK_REPORT_H

#include "check_cures.h"
#include "json_out.h"
#include "phrase.h"
#include "plan_request.h"

/* Where no cure is known. */
#define CHECK_NO_CURE "no single change to this deployment was found"

/* Everything that a rendering of a verdict shows. */
struct check_report {
    const struct plan_request *request; /* what is checked */
    const struct plan *plan;
    const struct check_list *checks;
    const struct check_cure *cures;
    int n_cures;
    bool unknown_fails; /* what the asking pipeline takes an unknown for */
    const char *file;   /* that annotations point at; NULL = none */
};

/* Replaces the phrase by the check's sentence. */
void check_sentence(const struct check *check, struct phrase *phrase);

/*
 * The n-th change of a cure (from 0) as the engine is told it, "--tensor-parallel-size 4": its
 * changes first, then flags whose value follows from them (llama.cpp's context is that of all slots
 * together). Where the engine has no flag for a change: what to do and the leaf, "2 replicas
 * (/deployment/replicas=2)". From the arena; NULL past the end or without memory.
 */
const char *check_cure_flag(struct arena *arena, const struct check_report *report,
                            const struct check_cure *cure, int n);

/* All flags of a cure, separated by blanks. From the arena; NULL without memory. */
const char *check_cure_flags(struct arena *arena, const struct check_report *report,
                             const struct check_cure *cure);

/* Replaces the phrase by what the cure does: "twice the devices, TPOT -43 %". */
void check_cure_effect(const struct check_cure *cure, struct phrase *phrase);

/* Whether the cure makes the check pass. */
bool check_cure_passes(const struct check_cure *cure, enum check_id id);

/* The n-th cure (from 0) to show beside a check: those that make it pass; where none does, the
 * first one that reaches further than now. NULL past the end. */
const struct check_cure *check_cure_for(const struct check_report *report,
                                        const struct check *check, int n);

/* How many checks have that verdict. */
int check_count(const struct check_list *checks, enum check_verdict verdict);

#endif
