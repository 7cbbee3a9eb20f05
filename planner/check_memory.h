/*
 * check_memory.h - the checks of memory and lengths.
 *
 * Purpose: whether weights and requests fit, how many at once, and how long: each over the range of
 *          the pool, so that what straddles is unknown. Each function fills verdict, figures and
 *          sentence of a check.
 * Units:   bytes of one device, tokens, requests of the whole deployment.
 * Threads: pure.
 */
#ifndef REGIME_CHECK_MEMORY_H
#define REGIME_CHECK_MEMORY_H

#include "checks.h"

void check_memory_fits(const struct plan *plan, struct check *check);
void check_kv_holds(const struct plan *plan, struct check *check);
void check_max_model_len(const struct plan *plan, struct check *check);
void check_request_length(const struct plan *plan, struct check *check);

/* Bytes of weights, overhead and one request of the load on one device. */
double check_used_bytes(const struct plan *plan);

/* Whether more arrives than finishes. */
bool check_is_saturated(const struct plan *plan);

#endif
