/*
 * diagnose_request.h - what a client says of a slow deployment.
 *
 * Purpose: a deployment as a plan takes it, all of it optional; figures, runs, texts and tools'
 *          output beside it. Names that are not known are a note, never a refusal: the reasoning
 *          then goes without the budget.
 * Ownership: the request's arena.
 * Errors:  faults: members that are not known, values that are none.
 */
#ifndef REGIME_DIAGNOSE_REQUEST_H
#define REGIME_DIAGNOSE_REQUEST_H

#include "diagnose.h"
#include "free_figures.h"
#include "plan_request.h"
#include "routes.h"
#include "symptoms_read.h"

#define DIAGNOSE_NOTES_MAX 32

struct diagnose_request {
    struct plan_request deployment; /* resolved only with a plan */
    struct plan *plan;              /* NULL: no budget */
    const char *no_plan;            /* why there is none; NULL */
    struct observed observed;
    double seen_tpot_us; /* NAN: nobody said */
    struct free_figures figures;
    struct symptoms symptoms;
    int n_texts;
    const char *report; /* all that was said in words; NULL = nothing */
    const char *notes[DIAGNOSE_NOTES_MAX];
    int n_notes;
    const char *unread[DIAGNOSE_NOTES_MAX]; /* texts that no phrase fits */
    int n_unread;
};

/* Reads the body; false when there are faults. */
MUST_USE bool diagnose_request_read(struct context *ctx, struct cJSON *body, struct faults *faults,
                                    struct diagnose_request *request);

#endif
