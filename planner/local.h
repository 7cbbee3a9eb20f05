/*
 * local.h - decode and prefill speed of local engines (llama.cpp, MLX) from fitted constants.
 *
 * Decode, a step of B rows, one token each, at context L:
 *   t = W(B)/(f_w m BW) + KV/(f_kv BW) + c_layer layers + c_moe MoE layers + u 2 P/peak
 *       + r (min(B, 8) - 1) W(1)/BW + c_step
 * W(B) are the weights read: the head, every matrix outside the routed experts, and the experts
 * that B rows meet, each in its format; KV the cache read with every sequence's recurrent state
 * twice; P the parameters that a token meets.
 *
 * Prefill of n tokens after c, in nu chunks:
 *   t = FL/(e m peak) + a FL/(m alu) + pad 128 P nu/peak + w W nu/BW + AT/(e_attn peak)
 *       + k KV(pairs)/BW + c_layer layers nu + c_h layers n (recurrent layers) + c_prompt
 * FL are the flops of the matrices, P and W the parameters and bytes that a chunk touches, AT the
 * flops of attention. Quantised weights are unpacked in the ordinary units for every tile of rows:
 * `a` is that work for each flop of the matrices, 0 in 16 bits. A multiply runs in tiles of up to
 * 128 rows: `pad` is the part of one that is wasted in each chunk. KV(pairs) is the cache that rows
 * would read one by one; a tile of them shares a read: 1/k is its height.
 *
 * `peak` is the fp16 peak; on NVIDIA parts with int8 matrix units half of the int8 one, since
 * GeForce parts halve fp16 only where sums are kept in fp32; on CPUs the fp32 one. `alu` is the
 * fp32 peak, twice that on chips whose processors issue to half as many fp32 lanes (Volta, Turing,
 * GA100).
 *
 * Each constant is that of the narrowest scope on record: part and format, format, family, engine,
 * back end. Which one it was for the weights is the tier, and the tier says how wide the error is.
 * Layers split over several devices run one after the other: a decode step takes that of one device
 * over LAYER_SPLIT_DECODE; a prompt flows through p devices in chunks, in (1 + (p - 1) chunk/n)/p
 * of that over LAYER_SPLIT_PREFILL. Weights above RESIDENT_SHARE of the devices' memory may be
 * offloaded in part, which no constant describes: no prediction.
 */
#ifndef REGIME_LOCAL_H
#define REGIME_LOCAL_H

#include "parallel.h"
#include "plan.h"

/* Measured on 2 to 8 GPUs: decode at 0.93 to 0.98 of one device's rate; an 8B prompt of 4,096 in 8
 * chunks 1.5, 2.4 and 2.7 times as fast on 2, 4 and 8 devices, one chunk 0.85 to 1.0 times
 * (https://github.com/XiongjieDai/GPU-Benchmarks-on-LLM-Inference). */
#define LAYER_SPLIT_DECODE 0.955
#define LAYER_SPLIT_PREFILL 0.84

/* Files above this share of a device's memory run 1.4 times slower in the median (a quarter of them
 * 2.2 times): layers were left to the host without the source saying so. */
#define RESIDENT_SHARE 0.8

/* The constants of a problem, multiplied out; microseconds per unit. */
struct local_speed {
    bool is_local;        /* the engine is one of these: its kernels are in no other fit */
    bool is_offloaded;    /* the weights may not be resident */
    bool samples_inside;  /* its benchmarks sample: the constants hold the sampler */
    enum local_tier tier; /* LOCAL_NONE: no constants */
    const struct local_fit *weights, *prefill; /* rows behind f_w and e: the evidence */
    /* decode */
    double us_per_weight_byte, us_per_kv_byte, unpack_us_per_flop, row_us_per_byte;
    double layer_us, moe_layer_us, step_us;
    /* prefill; chunk_layer_us of one layer and chunk, token_layer_us of one layer and token */
    double us_per_flop, us_per_pad_param, us_per_read_byte, us_per_attention_flop, us_per_pair_byte;
    double chunk_layer_us, token_layer_us, prompt_us;
};

/* Rows up to which decode was measured often enough to tell errors by tier. */
#define LOCAL_BATCH_VALIDATED 4.0
/* Threads of a CPU that unpacking is told for; fewer unpack more slowly. */
#define LOCAL_THREADS 16.0
/* The last build of August 2024: kernels before it were slower. */
#define LOCAL_OLD_BUILD 3650
/* Rows of the tile that a chunk is rounded up to. */
#define LOCAL_TILE_ROWS 128.0

/* Whether an engine's speed is this model's: llama.cpp, MLX and what is built on them. */
bool local_is_engine(const struct engine *engine);

/* Where a local engine lays a model of several devices: one rank per device, layers in a row. Other
 * engines: ranks_of(). */
struct ranks local_ranks(const struct deployment *dep);

/* What the constants of a problem are looked up by; false when it is none of this model. */
bool local_scope_of(const struct problem *problem, struct local_scope *ret_scope);

/* Looks up the constants of a problem; `bandwidth` and `compute` scale the part's. */
void local_speed_find(const struct problem *problem, double bandwidth, double compute,
                      struct local_speed *ret_speed);

/* Whether a local engine is told to leave layers or experts to the host. */
bool local_leaves_to_host(const struct problem *problem);

/*
 * Between which factors of the predicted time four of five measured ones lie, by how near
 * measurements are: the back end's own figures, else those of all. Decode steps of more than
 * LOCAL_BATCH_VALIDATED rows have an interval of their own. False where there is none.
 */
bool local_interval(const struct problem *problem, const struct local_speed *speed,
                    enum phase phase, double batch, double *ret_low, double *ret_high);

/* The same on a part with `factor` times the bandwidth. */
void local_scale_bandwidth(struct local_speed *speed, double factor);

/* The peak that e and u refer to, flops per microsecond; 0 when the part states none. */
double local_peak(const struct hardware *hw);

/* The rate of the ordinary units that `a` refers to, flops per microsecond; 0 when unknown. */
double local_alu(const struct hardware *hw);

/* Rows that a decode kernel serves with one read of the weights; from there on they cost what a
 * matrix multiply does. */
#define DECODE_ROWS_MAX 8.0

#endif
