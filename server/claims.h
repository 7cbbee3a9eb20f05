/*
 * claims.h - what a claim shows beside its text.
 *
 * Purpose: the meaning of its verdict, the records that back or refute it as the store has them,
 * and its figures as the planner computes them now, each with the plan that gives it.
 */
#ifndef REGIME_CLAIMS_H
#define REGIME_CLAIMS_H

#include "records_kinds.h"

record_extra_fn record_claim_extra;

#endif
