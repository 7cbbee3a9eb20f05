/*
 * check_launch.h - what engines refuse of a launch whatever the hardware.
 *
 * Purpose: lengths past the model's positions, a step smaller than the sequences in it, a
 *          quantisation that is not the checkpoint's.
 * Sources: github.com/vllm-project/vllm: vllm/config/model.py (max_model_len is greater than the
 *          derived max_model_len, unless VLLM_ALLOW_LONG_MAX_MODEL_LEN=1; the quantization argument
 *          does not match the model config's), vllm/config/scheduler.py (max_num_batched_tokens
 *          must be greater than or equal to max_num_seqs);
 *          github.com/sgl-project/sglang: python/sglang/srt/configs/model_config.py (context_length
 *          is greater than the derived one, unless SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1).
 * Threads: pure.
 */
#ifndef REGIME_CHECK_LAUNCH_H
#define REGIME_CHECK_LAUNCH_H

#include "checks.h"

/* Each fills the check; false where it does not apply. */
bool check_positions(const struct plan *plan, const struct check_asked *asked, struct check *check);
bool check_step_holds(const struct problem *problem, struct check *check);
bool check_checkpoint(const struct plan *plan, const struct check_asked *asked,
                      struct check *check);

/* The method that a format's name begins with, "awq" of "AWQ-INT4"; NULL where it is none of those
 * that exclude each other. */
const char *check_method(const char *format);

#endif
