/*
 * defaults.h - rules for the defaults that are more than a constant.
 *
 * Purpose: one function per field; rows of PLAN_FIELDS name them. They run in the order of the
 * table, so a rule may use what earlier rows have settled (model, part, engine, version). Errors:
 * none; a rule returns false when the field stays absent.
 */
#ifndef REGIME_DEFAULTS_H
#define REGIME_DEFAULTS_H

#include "plan_request.h"

field_rule_fn default_engine, default_version, default_weights, default_kv_cache, default_sampler,
    default_max_num_seqs, default_max_model_len, default_control_plane, default_disagg_devices,
    default_disagg_link, default_disagg_tp, default_disagg_dp, default_disagg_ep,
    default_spec_tokens, default_memory_utilization, default_spec_acceptance,
    default_load_generator, default_backend;

/* The format that the engine, at its version, computes bf16 weights in on a part without bfloat16
 * when no type is stated: "fp16" or "fp32"; NULL where it does not fall back. The model, part,
 * engine and version are settled. */
const char *default_dtype_fallback(const struct plan_request *request);

/*
 * Reads the request's engine version into numbers. Returns true when the records reach that far; a
 * text without a number and a version newer than all records become the newest known one.
 */
bool engine_version_settle(struct plan_request *request);

#endif
