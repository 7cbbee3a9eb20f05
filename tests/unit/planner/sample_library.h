/*
 * sample_library.h - a small library for the planner's tests, written by hand.
 *
 * Geometry is that of the published config.json files; peaks and bandwidths are the data sheets'
 * (H100 SXM 3,350 GB/s and 989.5 TFLOP/s bf16 dense, H200 4,800 GB/s, RTX 5090 1,792 GB/s); the
 * kernel fits are rows of db/records/fits.
 */
#ifndef REGIME_SAMPLE_LIBRARY_H
#define REGIME_SAMPLE_LIBRARY_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "units.h"

enum { SAMPLE_H100, SAMPLE_H200, SAMPLE_RTX5090, SAMPLE_HARDWARE };

enum { SAMPLE_VLLM, SAMPLE_LLAMACPP, SAMPLE_ENGINES };

enum {
    SAMPLE_BF16,
    SAMPLE_FP8,
    SAMPLE_FP8_BLOCK,
    SAMPLE_AWQ,
    SAMPLE_Q8_0,
    SAMPLE_Q4,
    SAMPLE_FORMATS
};

enum {
    SAMPLE_LLAMA_8B,
    SAMPLE_LLAMA_70B,
    SAMPLE_QWEN25_7B,
    SAMPLE_QWEN3_06B,
    SAMPLE_DEEPSEEK_V3,
    SAMPLE_LLAMA2_7B,
    SAMPLE_MODELS
};

struct sample {
    struct library lib;
    struct model models[SAMPLE_MODELS];
    struct layer_group groups[SAMPLE_MODELS][2];
    struct hardware hardware[SAMPLE_HARDWARE];
    struct engine engines[SAMPLE_ENGINES];
    struct weight_format weights[SAMPLE_FORMATS];
    struct kv_format kv[3];
    struct op_fit fits[16];
    struct comm_fit comms[2];
    struct local_fit locals[24];
    struct memory_constant memory_rows[32];
    struct memory_constants memory_constants;
};

/* A constant of vLLM's memory rule for any version and part. */
struct memory_constant sample_constant(enum memory_constant_id id, double value);

/* Adds one, after those that are there. */
void sample_memory_add(struct sample *s, struct memory_constant row);

/* Gives every row of a constant another value. */
void sample_memory_set(struct sample *s, enum memory_constant_id id, double value);

struct hardware sample_part(int index, const char *id, double gib, double gbps, double bf16,
                            double link_gbps, double domain);

/* llama.cpp on consumer Blackwell parts: rows as db/records/calibration/local.csv has them. */
void sample_locals(struct sample *s);

struct sample *sample_new(void);

/* One user of a bf16 model on one part under vLLM, lengths to be set. */
struct problem sample_problem(const struct sample *s, int model, int hardware);

/* llama-server on one part: host sampler, graphs, serial scheduling. */
struct problem sample_llama_server(const struct sample *s, int model, int hardware, double slots);

#endif
