/*
 * checks.h - may this deployment roll out: a table of checks held against its plan.
 *
 * Purpose: memory, lengths, objectives and the shapes that engines refuse, each with a verdict, its
 *          limit and the figure that decides. An objective is judged by the bad and the good end of
 *          the 80 % interval: pass when the bad end is inside, fail when the good end is outside or
 *          the physical floor already is, else unknown.
 * Units:   a row's `unit`; NAN where there is no figure.
 * Ownership: plain data; texts are static or the library's.
 * Threads: pure.
 */
#ifndef REGIME_CHECKS_H
#define REGIME_CHECKS_H

#include "plan.h"

/* Append only; the order is that of the reply. */
#define CHECK_LIST(X)                                                                              \
    X(CHECK_MEMORY_FITS, "memory_fits")                                                            \
    X(CHECK_KV_HOLDS, "kv_holds_concurrency")                                                      \
    X(CHECK_MAX_MODEL_LEN, "max_model_len_servable")                                               \
    X(CHECK_REQUEST_LENGTH, "request_fits_max_model_len")                                          \
    X(CHECK_TTFT, "ttft_ms")                                                                       \
    X(CHECK_TPOT, "tpot_ms")                                                                       \
    X(CHECK_OUTPUT_RATE, "output_tok_s")                                                           \
    X(CHECK_ARRIVALS, "request_rate_sustained")                                                    \
    X(CHECK_HEADS, "tp_divides_heads")                                                             \
    X(CHECK_KV_HEADS, "tp_divides_kv_heads")                                                       \
    X(CHECK_VOCABULARY, "tp_divides_vocabulary")                                                   \
    X(CHECK_WIDTH, "tp_divides_intermediate")                                                      \
    X(CHECK_EXPERT_WIDTH, "tp_divides_expert_width")                                               \
    X(CHECK_BLOCKS, "tp_divides_quantization_blocks")                                              \
    X(CHECK_LAYERS, "pp_divides_layers")                                                           \
    X(CHECK_EXPERTS, "ep_divides_experts")                                                         \
    X(CHECK_FORMAT, "engine_supports_format")                                                      \
    X(CHECK_DEVICES, "devices_match")                                                              \
    X(CHECK_TTFT_KEPT, "ttft_no_regression")                                                       \
    X(CHECK_TPOT_KEPT, "tpot_no_regression")                                                       \
    X(CHECK_OUTPUT_KEPT, "output_tok_s_no_regression")                                             \
    X(CHECK_CAPACITY_KEPT, "kv_capacity_no_regression")                                            \
    X(CHECK_POSITIONS, "model_takes_max_model_len")                                                \
    X(CHECK_STEP_HOLDS, "step_holds_max_num_seqs")                                                 \
    X(CHECK_CHECKPOINT, "quantization_of_checkpoint")                                              \
    X(CHECK_CONTEXT, "dcp_divides_tp")

#define X(ID, NAME) ID,

enum check_id { CHECK_LIST(X) CHECK_COUNT };

#undef X

enum check_verdict { CHECK_PASS, CHECK_FAIL, CHECK_UNKNOWN, CHECK_VERDICT_COUNT };

#define CHECK_FIGURES 5

struct check {
    enum check_id id;
    enum check_verdict verdict;
    double limit, predicted, low, high;
    enum basis basis;
    /* A sentence whose holes are figures: {wA} a whole number, {nB} three digits, {bC} bytes, {ss}
     * the first name, {st} the second. */
    const char *detail;
    double figure[CHECK_FIGURES]; /* A, B, C, D, E */
    const char *name[2];          /* s, t */
};

struct check_list {
    struct check items[CHECK_COUNT];
    int n;
    enum check_verdict verdict; /* fail if any fails, else unknown if any is, else pass */
};

/* What is known besides the plan. */
struct check_asked {
    double devices;              /* that one replica was given; NAN = nobody said */
    bool may_idle;               /* they are a machine's: some of them may stay idle */
    bool is_launch;              /* a command or a manifest starts it as it stands */
    bool may_exceed_positions;   /* it scales positions, or allows lengths past the model's */
    const char *checkpoint;      /* the format in the checkpoint's name; NULL = none */
    const char *quantization;    /* the method that the engine is told; NULL = none */
    const struct plan *baseline; /* what runs now: adds the checks against regressions; NULL */
    double tolerance;            /* worse by this share is no regression yet */
};

/* Evaluates every check that applies, in the order of the list. */
void check_plan(const struct plan *plan, const struct check_asked *asked,
                struct check_list *ret_checks);

/* Whether the engine refuses a deployment whatever its load; the check that says so then goes to
 * *ret_check. */
bool check_shape_refused(const struct problem *problem, struct check *ret_check);

/* The check of that id in a list, NULL when it does not apply there. */
const struct check *check_find(const struct check_list *checks, enum check_id id);

/* Tokens of the longest request of which the pool holds one at its low end, no more than the model
 * or max_model_len states. */
double check_longest_context(const struct problem *problem, const struct memory_plan *memory);

/* A row of the table: what a check is about. */
struct check_info {
    const char *title; /* "the KV pool holds the load" */
    const char *unit;  /* of limit and predicted, "" = a count */
    const char *pointer;
    bool is_shape; /* decided by the layout alone */
};
const struct check_info *check_info(enum check_id id);
const char *check_name(enum check_id id);
const char *check_verdict_name(enum check_verdict verdict);

#endif
