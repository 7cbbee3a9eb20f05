/*
 * local_step.h - a step's times on a local engine.
 *
 * Purpose: replaces the times of the device classes by the model's of local.h, spread over the
 *          classes by what causes them; bytes, flops and floors stay. Fixed terms stand with
 *          norm_elementwise (c_layer), moe_gating (c_moe) and scheduler (c_step, c_prompt). A class
 *          that would come out under its floor is lifted to it at the expense of the fixed terms.
 * Threads: pure.
 */
#ifndef REGIME_LOCAL_STEP_H
#define REGIME_LOCAL_STEP_H

#include "costs.h"

/* Applies to a step whose classes are evaluated and whose `tokens`, `chunks` and `batch` are set;
 * leaves it as it is where the engine is not local or nothing was measured. */
void local_apply(const struct prepared *prep, const struct shape *shape, struct step *step);

/* Bytes of the cache that the rows between two positions of a prompt would read one by one. */
double local_pair_bytes(const struct prepared *prep, double from, double to);

/*
 * What an engine's own benchmark (llama-bench, mlx_lm.benchmark) measures, in microseconds: a step
 * of `batch` rows, each in the mean `generated` / 2 tokens behind `depth`; a prompt of `tokens`
 * behind `depth`, in the deployment's chunks. The problem's load does not matter. NAN = no record.
 */
double local_decode_us(const struct problem *problem, double batch, double depth, double generated);
double local_prefill_us(const struct problem *problem, double tokens, double depth);

#endif
