/*
 * memory.h - what of a device's memory is left for the KV cache, and what it holds.
 *
 * Rules:   vLLM: u T - W - A - N; SGLang: f T - W (activations live in the rest); TensorRT-LLM:
 *          f (T - W - A - N), a fraction of what is free; llama.cpp: T - 1 GiB - W - compute
 * buffer, cells allocated up front; TGI: u T - W - A - N. T is the memory that the driver reports,
 *          W the weights of a rank, A the activation peak, N context, graphs and communication
 * buffers. Units:   bytes, tokens; per device. Source:  vllm/v1/worker/gpu_worker.py, sglang
 * server_args.py, tensorrt_llm kv_cache_creator, and llama.cpp common/fit.
 */
#ifndef REGIME_MEMORY_H
#define REGIME_MEMORY_H

#include "prepare.h"

/* Memory of one device under the problem, `held_sequences` at its workload's lengths; the weights
 * are `weights_scale` times the model's (1, but for a model of another size). */
void memory_compute(const struct problem *problem, double weights_scale,
                    struct memory_plan *ret_memory);

/* Tokens that one sequence is admitted with: input + the reserved share of the output (at least
 * half, the mean), in whole blocks. */
double memory_held_tokens(const struct problem *problem, double input_tokens, double output_tokens);

/* Sequences of that many tokens that the pool of one rank holds. */
double memory_held(const struct problem *problem, const struct memory_plan *memory,
                   double input_tokens, double output_tokens);

#endif
