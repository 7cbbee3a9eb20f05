/*
 * trace_step.h - what the annotations of a trace say about its steps.
 *
 * Purpose: vLLM names each forward pass by its new tokens and sequences, in the forms of 2025
 *          ("execute_context_1(888_788544)_generation_0(0)": sequences, new tokens and the sum of
 *          their squares) and 2026 ("execute_32_context_0(sq0sk0...)_generation_32(sq32sk32785
 *          ...)": new tokens and tokens attended); SGLang by its mode ("step[DECODE bs=32]");
 *          PyTorch's profiler numbers its own ("ProfilerStep#6").
 * Errors:  none; a name of none of these forms is no step.
 */
#ifndef REGIME_TRACE_STEP_H
#define REGIME_TRACE_STEP_H

#include "profile.h"

/* Reads name[0..length) into *ret_step (text, window and on_device are left to the caller); false
 * when it names no step. */
bool trace_step_read(const char *name, size_t length, struct profile_step *ret_step);

#endif
