/*
 * verdict.h - sentences of a plan: why this regime, the headline, the warnings.
 *
 * Purpose: one table of reasons by regime and one way to fill a warning in, for JSON, text and
 * page. Units:   as printed. Threads: pure.
 */
#ifndef REGIME_VERDICT_H
#define REGIME_VERDICT_H

#include "phrase.h"
#include "plan.h"
#include "plan_request.h"

/* Replaces the phrase by the reason for the plan's regime, with its figures. */
void verdict_because(const struct plan *plan, struct phrase *phrase);

/* The same as a sentence: a capital first, a full stop behind. */
void verdict_sentence(const struct plan *plan, struct phrase *phrase);

/* Replaces the phrase by what is deployed: "llama-3.1-8b on 1 x h100-sxm, vllm 0.24.0, weights
 * bf16, ..." */
void verdict_deployment(const struct plan_request *request, struct phrase *phrase);

/* Replaces the phrase by the load: "32 requests in flight, 1,024 tokens in, 256 out". */
void verdict_load(const struct workload *load, struct phrase *phrase);

/* Replaces the phrase by what the nearest measurements are and what they did to the figures; false
 * when the plan has no interval or nobody looked. */
bool verdict_nearness(const struct plan *plan, struct phrase *phrase);

/* The classes that occur in a step by falling share, ties in the order of the table; their number.
 */
int verdict_order(const struct step *step, enum class_id ret_order[CLASS_COUNT]);

/* Replaces the phrase by the warning's sentence. */
void verdict_warning(const struct warning *warning, struct phrase *phrase);

/* What a warning points at ("/deployment/tp", "" for the whole), and its id. */
const char *verdict_warning_pointer(const struct warning *warning);
const char *verdict_warning_id(const struct warning *warning);

/* Flops per byte at which computing begins to bind; NAN where the part states no peak. */
double verdict_ridge(const struct step *step);

/* Bytes of all weights as they lie in memory, over all devices of one replica, without draft layers
 * and vision towers. */
double verdict_model_bytes(const struct problem *problem);

/* KV and state bytes that a step reads on one device. */
double verdict_kv_read_bytes(const struct step *step);

#endif
