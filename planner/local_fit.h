/*
 * local_fit.h - constants of the speed model of local engines (llama.cpp, MLX), and their keys.
 *
 * Purpose: one row per constant and scope; a scope is a back end, and below it as much as the row
 *          speaks of: engine, family of parts, class of formats, part. The equations are in
 * local.h. Units:   in the name of the constant; fractions are of the part's data-sheet figures.
 * Ownership: plain data; strings are borrowed from the catalogue.
 * Threads: pure.
 */
#ifndef REGIME_LOCAL_FIT_H
#define REGIME_LOCAL_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "hardware.h"

/* Compute back ends of local engines. Append only. */
#define BACKEND_LIST(X)                                                                            \
    X(BACKEND_CUDA, "cuda")                                                                        \
    X(BACKEND_METAL, "metal")                                                                      \
    X(BACKEND_VULKAN, "vulkan")                                                                    \
    X(BACKEND_HIP, "hip")                                                                          \
    X(BACKEND_SYCL, "sycl")                                                                        \
    X(BACKEND_CPU, "cpu")

#define X(ID, NAME) ID,

enum backend { BACKEND_LIST(X) BACKEND_COUNT };

#undef X

/* Parts whose kernels are the same: NVIDIA's consumer and datacenter chips of one name apart (c,
 * dc), chips without matrix units apart (nt). Append only. */
#define LOCAL_FAMILY_LIST(X)                                                                       \
    X(FAMILY_PASCAL, "pascal")                                                                     \
    X(FAMILY_VOLTA, "volta")                                                                       \
    X(FAMILY_TURING, "turing")                                                                     \
    X(FAMILY_TURING_NT, "turing-nt")                                                               \
    X(FAMILY_AMPERE_C, "ampere-c")                                                                 \
    X(FAMILY_AMPERE_DC, "ampere-dc")                                                               \
    X(FAMILY_JETSON, "jetson")                                                                     \
    X(FAMILY_ADA, "ada")                                                                           \
    X(FAMILY_HOPPER, "hopper")                                                                     \
    X(FAMILY_BLACKWELL_C, "blackwell-c")                                                           \
    X(FAMILY_BLACKWELL_DC, "blackwell-dc")                                                         \
    X(FAMILY_GB10, "gb10")                                                                         \
    X(FAMILY_GCN, "gcn")                                                                           \
    X(FAMILY_CDNA, "cdna")                                                                         \
    X(FAMILY_RDNA2, "rdna2")                                                                       \
    X(FAMILY_RDNA3, "rdna3")                                                                       \
    X(FAMILY_RDNA3_5, "rdna3.5")                                                                   \
    X(FAMILY_RDNA4, "rdna4")                                                                       \
    X(FAMILY_XE, "xe")                                                                             \
    X(FAMILY_XE2, "xe2")                                                                           \
    X(FAMILY_M1, "m1")                                                                             \
    X(FAMILY_M2, "m2")                                                                             \
    X(FAMILY_M3, "m3")                                                                             \
    X(FAMILY_M4, "m4")                                                                             \
    X(FAMILY_M5, "m5")                                                                             \
    X(FAMILY_X86, "x86")                                                                           \
    X(FAMILY_ARM, "arm")

#define X(ID, NAME) ID,

enum local_family { LOCAL_FAMILY_LIST(X) LOCAL_FAMILY_COUNT };

#undef X

/* Formats whose kernels unpack alike. Append only. */
#define LOCAL_FORMAT_LIST(X)                                                                       \
    X(LOCAL_F16, "f16")     /* 16 bits and more: nothing to unpack */                              \
    X(LOCAL_Q8, "q8")       /* 8 bits */                                                           \
    X(LOCAL_Q4_0, "q4_0")   /* plain blocks of 4 and 5 bits */                                     \
    X(LOCAL_K456, "k456")   /* K-quants of 4 to 6 bits */                                          \
    X(LOCAL_K23, "k23")     /* K-quants of 2 and 3 bits */                                         \
    X(LOCAL_IQ4, "iq4+")    /* look-up tables, 4 bits and more */                                  \
    X(LOCAL_IQ123, "iq123") /* look-up tables and codebooks below 4 bits */                        \
    X(LOCAL_FP4, "fp4")     /* mxfp4, nvfp4 */                                                     \
    X(LOCAL_INT4, "int4")   /* GPTQ, AWQ and their kin */                                          \
    X(LOCAL_MLX4, "mlx4")   /* MLX affine, below 8 bits */                                         \
    X(LOCAL_MLX8, "mlx8")                                                                          \
    X(LOCAL_OTHER, "other")

#define X(ID, NAME) ID,

enum local_format { LOCAL_FORMAT_LIST(X) LOCAL_FORMAT_COUNT };

#undef X

/* The constants; what each does is in the equations of local.h. An interval's are factors on the
 * predicted time between which four of five measured ones lie, by what is near (enum local_tier, in
 * its order); their rows need no back end. Append only. */
#define LOCAL_CONSTANT_LIST(X)                                                                     \
    X(LOCAL_F_W, "decode_f_w")                                                                     \
    X(LOCAL_PART_MULT, "decode_part_mult")                                                         \
    X(LOCAL_F_W_OLD, "decode_f_w_mult_before_2024_09")                                             \
    X(LOCAL_UNPACK, "decode_unpack")                                                               \
    X(LOCAL_ROW_MULT, "decode_row_mult")                                                           \
    X(LOCAL_F_KV, "decode_f_kv")                                                                   \
    X(LOCAL_F_KV_MLA, "decode_f_kv_mult_mla")                                                      \
    X(LOCAL_F_KV_NO_FA, "decode_f_kv_mult_fa_off")                                                 \
    X(LOCAL_LAYER_US, "decode_c_layer_us")                                                         \
    X(LOCAL_LAYER_HYBRID, "decode_c_layer_mult_hybrid")                                            \
    X(LOCAL_MOE_US, "decode_c_moe_us")                                                             \
    X(LOCAL_STEP_US, "decode_c_step_us")                                                           \
    X(LOCAL_E, "prefill_e")                                                                        \
    X(LOCAL_ALU, "prefill_alu")                                                                    \
    X(LOCAL_E_PART, "prefill_part_mult")                                                           \
    X(LOCAL_E_MOE, "prefill_e_mult_moe")                                                           \
    X(LOCAL_E_OLD, "prefill_e_mult_before_2024_09")                                                \
    X(LOCAL_PAD, "prefill_pad")                                                                    \
    X(LOCAL_PAD_MOE, "prefill_pad_mult_moe")                                                       \
    X(LOCAL_READ, "prefill_weight_read")                                                           \
    X(LOCAL_E_ATTN, "prefill_e_attn")                                                              \
    X(LOCAL_E_ATTN_MLA, "prefill_e_attn_mult_mla")                                                 \
    X(LOCAL_E_ATTN_NO_FA, "prefill_e_attn_mult_fa_off")                                            \
    X(LOCAL_KV_READS, "prefill_kv_reads_per_row")                                                  \
    X(LOCAL_CHUNK_LAYER_US, "prefill_c_layer_us")                                                  \
    X(LOCAL_HYBRID_NS, "prefill_c_hybrid_ns")                                                      \
    X(LOCAL_PROMPT_MS, "prefill_c_ms")                                                             \
    X(LOCAL_DECODE_LOW_PART_FORMAT, "interval_decode_low_part_format")                             \
    X(LOCAL_DECODE_LOW_PART, "interval_decode_low_part")                                           \
    X(LOCAL_DECODE_LOW_FAMILY, "interval_decode_low_family")                                       \
    X(LOCAL_DECODE_LOW_ENGINE, "interval_decode_low_engine")                                       \
    X(LOCAL_DECODE_HIGH_PART_FORMAT, "interval_decode_high_part_format")                           \
    X(LOCAL_DECODE_HIGH_PART, "interval_decode_high_part")                                         \
    X(LOCAL_DECODE_HIGH_FAMILY, "interval_decode_high_family")                                     \
    X(LOCAL_DECODE_HIGH_ENGINE, "interval_decode_high_engine")                                     \
    X(LOCAL_PREFILL_LOW_PART_FORMAT, "interval_prefill_low_part_format")                           \
    X(LOCAL_PREFILL_LOW_PART, "interval_prefill_low_part")                                         \
    X(LOCAL_PREFILL_LOW_FAMILY, "interval_prefill_low_family")                                     \
    X(LOCAL_PREFILL_LOW_ENGINE, "interval_prefill_low_engine")                                     \
    X(LOCAL_PREFILL_HIGH_PART_FORMAT, "interval_prefill_high_part_format")                         \
    X(LOCAL_PREFILL_HIGH_PART, "interval_prefill_high_part")                                       \
    X(LOCAL_PREFILL_HIGH_FAMILY, "interval_prefill_high_family")                                   \
    X(LOCAL_PREFILL_HIGH_ENGINE, "interval_prefill_high_engine")                                   \
    X(LOCAL_BATCH_LOW, "interval_decode_low_batch")                                                \
    X(LOCAL_BATCH_HIGH, "interval_decode_high_batch")

#define X(ID, NAME) ID,

enum local_constant { LOCAL_CONSTANT_LIST(X) LOCAL_CONSTANT_COUNT };

#undef X

/* How near the measurements behind a prediction are. */
#define LOCAL_TIER_LIST(X)                                                                         \
    X(LOCAL_NONE, "none")                                                                          \
    X(LOCAL_SAME_PART_FORMAT, "same part and format")                                              \
    X(LOCAL_SAME_PART, "same part")                                                                \
    X(LOCAL_SAME_FAMILY, "same family")                                                            \
    X(LOCAL_SAME_ENGINE, "same back end and engine")

#define X(ID, NAME) ID,

enum local_tier { LOCAL_TIER_LIST(X) LOCAL_TIER_COUNT };

#undef X

#define LOCAL_ANY (-1)

/* What a row speaks of, and what is asked: engine and part are indexes in the library, the others
 * the enums above; LOCAL_ANY where it does not matter. */
struct local_scope {
    int backend, engine, family, format, part;
};

struct local_fit {
    uint64_t key;       /* of constant and scope: set by local_fits_sort() */
    const char *record; /* id of its calibration record */
    enum local_constant constant;
    struct local_scope scope;
    double value;
    double n;                           /* measurements behind it */
    double median_abs_err, p90_abs_err; /* of their predictions, source left out; NAN = none */
};

/* Names of the records, and back (the COUNT when unknown). */
const char *backend_name(enum backend backend);
enum backend backend_parse(const char *name);
const char *local_family_name(enum local_family family);
enum local_family local_family_parse(const char *name);
const char *local_format_name(enum local_format format);
enum local_format local_format_parse(const char *name);
const char *local_constant_name(enum local_constant constant);
enum local_constant local_constant_parse(const char *name);
const char *local_tier_name(enum local_tier tier);

/* The back end that a part is usually run with: CUDA on NVIDIA's, HIP on AMD's, Metal on Apple's,
 * Vulkan on Intel's graphics, the CPU back end on CPUs. BACKEND_COUNT where llama.cpp has none. */
enum backend backend_default(const struct hardware *hw);

/* The family of a part under a back end (a part's own CPU cores under BACKEND_CPU), or
 * LOCAL_FAMILY_COUNT: unknown, or a discrete device whose host is not in its record. */
enum local_family local_family_of(const struct hardware *hw, enum backend backend);

/* The class of a weight format by its id; LOCAL_OTHER when none fits. */
enum local_format local_format_of(const char *format_id);

/* Sorts rows by constant and scope, as a library has them. */
void local_fits_sort(struct local_fit *fits, int n);

/* Whether a constant is told by classes of formats. */
bool local_constant_by_format(enum local_constant constant);

/* The row of exactly that constant and scope among `n` sorted ones; NULL when there is none. */
const struct local_fit *local_fit_find(const struct local_fit *fits, int n,
                                       enum local_constant constant,
                                       const struct local_scope *scope);

#endif
