/*
 * memory_vllm.h - what the two halves of vLLM's memory rule share: terms and pool in
 * memory_vllm.c, pages and groups in memory_vllm_pages.c.
 */
#ifndef REGIME_MEMORY_VLLM_H
#define REGIME_MEMORY_VLLM_H

#include "memory_engine.h"

/* The engine before 0.8. */
bool memory_vllm_is_v0(const struct deployment *dep);

/* Steps that are captured as full graphs. */
double memory_vllm_graph_sizes(const struct deployment *dep);

void memory_vllm_layout(const struct memory_case *mc, struct memory_plan *plan);
double memory_vllm_units(const struct problem *problem, const struct kv_layout *layout,
                         double tokens, bool running);
double memory_vllm_printed(const struct problem *problem, const struct memory_plan *plan);

#endif
