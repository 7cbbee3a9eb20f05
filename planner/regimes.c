/* The table of regimes: what names each, and what one would see on the machine in it. */
#include "plan.h"

#include "costs.h"

static const struct regime_info REGIMES[REGIME_COUNT] = {
    [REGIME_CAPACITY] = {REGIME_CAPACITY,
                         "The KV pool is too small for the load",
                         "weights do not fit, or the pool holds fewer sequences than are in flight",
                         "Requests wait for memory; queueing or preemption sets the latency.",
                         {"waiting requests above zero at steady state", "KV usage near 100 %",
                          "preemptions or recomputation in the engine's log",
                          "TTFT grows with concurrency while TPOT stays", NULL}},
    [REGIME_HOST_BOUND_BATCH] =
        {REGIME_HOST_BOUND_BATCH,
         "The host works per sequence while the device waits",
         "host per sequence",
         "Sampling, processors, text and slot bookkeeping multiply with the batch and are "
         "serial with the device.",
         {"GPU utilisation falls as concurrency rises", "device gaps of a millisecond and more",
          "one CPU core at 100 %", "throughput per card stops scaling past some slot count",
          "power well under the limit", NULL}},
    [REGIME_WEIGHT_BANDWIDTH] =
        {REGIME_WEIGHT_BANDWIDTH,
         "Decode reads the weights",
         "weight read in dense_gemm, lm_head and moe_expert_gemm",
         "Every step streams the weights once, whatever the batch; one user is the purest case.",
         {"TPOT hardly moves with concurrency", "memory controller busy, tensor cores idle",
          "TPOT near streamed bytes over bandwidth", "throughput grows nearly with batch", NULL}},
    [REGIME_KV_BANDWIDTH] = {REGIME_KV_BANDWIDTH,
                             "Decode reads the KV cache or the state",
                             "KV and state read",
                             "Long contexts, or many middling ones: each sequence reads its own "
                             "cache, no batch shares it.",
                             {"TPOT grows with context length",
                              "TPOT grows in proportion to concurrency x context",
                              "memory controller busy", "fp8 KV shortens the step", NULL}},
    [REGIME_PREFILL_COMPUTE] =
        {REGIME_PREFILL_COMPUTE,
         "Prefill computes",
         "compute in the prefill phase",
         "Prompts take more of the cycle than answers do: the part that wants flops.",
         {"TTFT dominates the request", "GPU power at its limit during prompts",
          "inter-token latency spikes when a prompt arrives", "prefix hits shorten TTFT sharply",
          NULL}},
    [REGIME_SMALL_MODEL_HOST] =
        {REGIME_SMALL_MODEL_HOST,
         "Fixed costs outrun the device",
         "fixed: kernel launches and scheduler",
         "The step is launches, small kernels and the scheduler; faster silicon no longer helps.",
         {"the same TPOT on a faster part", "GPU utilisation low at one user",
          "thousands of short kernels in a profile", "CUDA graphs shorten the step", NULL}},
    [REGIME_DECODE_COMPUTE] = {REGIME_DECODE_COMPUTE,
                               "Decode computes",
                               "compute in decode",
                               "The batch has passed the ridge: each further row costs its flops.",
                               {"TPOT grows in proportion to batch at short contexts",
                                "GPU power at its limit in decode",
                                "quantised weights help only where the multiply is faster too",
                                NULL}},
    [REGIME_INTERCONNECT] = {REGIME_INTERCONNECT,
                             "The links between devices",
                             "collectives, dispatch, transfer",
                             "All-reduces or expert exchange take the largest part of the step.",
                             {"fewer devices give a similar TPOT",
                              "collective kernels lead the profile",
                              "devices joined by PCIe instead of a fabric", NULL}},
};

const struct regime_info *regime_info(enum regime_id id)
{
    return &REGIMES[id];
}

bool regime_has_class(enum regime_id regime, enum class_id id)
{
    const struct class_row *row = &CLASSES[id];
    bool reads = row->memory_part == PART_WEIGHT || row->memory_part == PART_KV;
    switch (regime) {
    case REGIME_HOST_BOUND_BATCH:
        return row->memory_part == PART_HOST_PER_SEQUENCE;
    case REGIME_WEIGHT_BANDWIDTH:
        return row->memory_part == PART_WEIGHT;
    case REGIME_KV_BANDWIDTH:
        return row->memory_part == PART_KV && row->decode != NULL;
    case REGIME_PREFILL_COMPUTE:
        return reads && row->prefill != NULL;
    case REGIME_SMALL_MODEL_HOST:
        return row->memory_part == PART_FIXED;
    case REGIME_DECODE_COMPUTE:
        return reads && row->decode != NULL;
    case REGIME_INTERCONNECT:
        return row->memory_part == PART_LINK;
    case REGIME_CAPACITY:
    case REGIME_COUNT:
        break;
    }
    return false;
}
