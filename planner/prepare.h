/*
 * prepare.h - a problem compiled to a list of kernels, ready to be timed at any batch and context.
 *
 * Purpose: everything that does not depend on batch or length is done once: shares of a rank, fits,
 *          bytes per row. Evaluating a step is then a few dozen multiplications and a few pow().
 * Units:   bytes, flops, microseconds; per device.
 * Ownership: plain data; borrows the problem's model, part and library.
 * Threads: pure.
 */
#ifndef REGIME_PREPARE_H
#define REGIME_PREPARE_H

#include "local.h"
#include "parallel.h"
#include "plan.h"
#include "roofline.h"

#define GEMM_OPS_MAX 96
#define MOE_OPS_MAX 12
#define ATTENTION_OPS_MAX 32
#define ROOFS_MAX 24

/* Bytes of a 16-bit activation. */
#define ACTIVATION_BYTES 2.0
/* Bytes of a logit: engines sample in fp32. */
#define LOGIT_BYTES 4.0

/* What a counterfactual scales without being a change to the deployment. */
struct scale {
    double bandwidth; /* of device memory */
    double compute;   /* of every peak */
    double model;     /* of every weight matrix */
};

struct gemm_op {
    double count; /* layers that run it on this rank */
    double weight_bytes, row_bytes, row_flops;
    int roof;
    /* An absorbed up-projection of a latent multiplies in 16 bits whatever it is stored in: the
     * roof of its decode step, and how many times the stored bytes it reads there. */
    int decode_roof;
    double decode_reread;
    bool module; /* part of an op whose launches a graph does not hide */
};

struct moe_op {
    double count;
    double experts;      /* on this rank: E/ep */
    double miss;         /* 1 - k/E: the chance that one token leaves an expert alone */
    double fewest;       /* experts that must be read: k/ep, all rows may agree */
    double rows_share;   /* routed rows on this rank per token: k/ep */
    double expert_bytes; /* one expert's weights on this rank */
    double row_bytes, row_flops;
    double padding;   /* the fit counts this many times the bytes and flops of an expert ... */
    double imbalance; /* ... and this many times the flops of the mean rank */
    int roof;
};

/* How a prompt passes a recurrent mixer: a scan along the longest sequence, and work per token. */
struct scan {
    const struct op_fit *fit; /* NULL: no record, the state's roof stands */
    enum fit_match match;
    double us_per_token; /* of the longest sequence */
    double us_per_row;   /* of every token, on this rank */
};

struct attention_op {
    const struct mixer *mixer;
    double count;
    double entry_bytes;        /* one cached entry on this rank */
    double io_bytes;           /* q in and o out, one row */
    double entry_flops;        /* one row against one entry */
    double pair_flops;         /* prefill: one query against one key */
    double prefill_io_bytes;   /* prefill: q, k, v in and o out, one row */
    double prefill_pair_flops; /* ... as the kernel multiplies it: latents when it gathers */
    double gather_bytes;       /* ... of entries, per pair, where each query picks its own */
    double expanded_bytes;     /* ... of an earlier entry's keys and values of all heads ... */
    struct gemm_op expansion;  /* ... and the matrix that makes them; count 0 = none */
    double index_bytes, index_flops; /* one token of context; one row against it */
    double state_bytes;              /* one sequence's state on this rank */
    double state_fit_bytes;          /* of it what a fit of the state kernel counts */
    double state_flops;              /* one row */
    double conv_row_bytes;           /* passes of a row through the causal convolution */
    struct scan scan;
    double kv_write_bytes; /* one token */
    int decode_roof, prefill_roof, index_roof;
    bool module;
};

/* The fit of a collective on this part's links. */
struct link_fit {
    const struct comm_fit *fit; /* NULL: no record */
    enum fit_match match;
    double bus_bytes_us; /* the fit's bus, a neighbour's scaled to this part's link */
};

struct prefill_store;

struct prepared {
    const struct problem *problem;
    struct scale scale;
    struct ranks ranks;
    double bw_bytes_us;
    struct roof roofs[ROOFS_MAX];
    int n_roofs;
    struct gemm_op gemms[GEMM_OPS_MAX];
    int n_gemms;
    struct gemm_op head;
    double head_weight_bytes;
    double
        head_ranks; /* attention-DP ranks whose rows meet on one shard of the head; 1 = own rows */
    struct moe_op moes[MOE_OPS_MAX];
    int n_moes;
    struct attention_op attention[ATTENTION_OPS_MAX];
    int n_attention;
    int stream_roof;     /* memory-only work at ASSUMED_EFFICIENCY */
    int half_roof;       /* 16-bit compute at ASSUMED_EFFICIENCY */
    int plain_gemm_roof; /* of 16-bit matrices, and of quantised ones; 0 = not looked up yet */
    int quantized_gemm_roof;
    double layers, moe_layers; /* on this rank */
    double norm_weight_bytes, elementwise_row_bytes;
    struct gemm_op router;     /* of the mean MoE layer */
    double weight_gemm_bytes;  /* sum over gemms */
    double prefill_factor;     /* time of a prompt's step over the sum of its kernels */
    double reduces;            /* all-reduces of a row of `hidden` per step on this rank */
    double exchanges;          /* expert dispatch + combine pairs (MoE layers under attention DP) */
    double exchange_row_bytes; /* one way, one row */
    double exchange_sent;      /* share of it that leaves the device */
    double exchange_devices;
    struct link_fit reduce, gather;    /* tensor-parallel all-reduce; the head's logits */
    struct link_fit dispatch, combine; /* rows to experts and back */
    double kv_bytes_per_token;
    double kernels_per_layer;
    double ridge;
    const struct op_fit *gemm_fit;
    enum dtype emulated;      /* compute type the part lacks, DTYPE_COUNT when native */
    double spec_rows;         /* rows a sequence brings to a step: 1 + draft tokens */
    double spec_gain;         /* tokens a sequence gains in a step */
    double host_weights_us;   /* what a step takes at least to fetch weights out of host memory */
    double local_peak_us;     /* the peak that a local engine's kernels reach; 0 on others */
    struct local_speed local; /* llama.cpp and MLX: what their kernels take */
    /* Prefills that step_prefill() found before, and where it leaves new ones; NULL = nowhere, as
     * prepare() leaves it and a copy that changes needs it. */
    struct prefill_store *prefills;
};

/* Compiles a problem; `scale` NULL means 1, 1, 1. */
void prepare(const struct problem *problem, const struct scale *scale,
             struct prepared *ret_prepared);

/* A host constant of the problem's engine, in the unit of its name, host_cpu_factor applied. */
double host_value(const struct prepared *prep, enum host_cost cost);

#endif
