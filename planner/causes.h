/*
 * causes.h - what can make a deployment slow or fail: the list of causes.
 */
#ifndef REGIME_CAUSES_H
#define REGIME_CAUSES_H

/* Causes: id, as the API prints it. Append only. */
#define CAUSE_LIST(X)                                                                              \
    X(CAUSE_KV_QUEUEING, "kv-capacity-queueing")                                                   \
    X(CAUSE_KV_PREEMPTION, "kv-preemption")                                                        \
    X(CAUSE_KV_WORKSPACE, "kv-budget-workspace")                                                   \
    X(CAUSE_KV_ACTIVATION, "kv-budget-activation")                                                 \
    X(CAUSE_GRAPH_MEMORY, "cuda-graph-memory")                                                     \
    X(CAUSE_GRAPH_COVERAGE, "cuda-graph-not-covering-batch")                                       \
    X(CAUSE_EAGER, "eager-mode/unfused")                                                           \
    X(CAUSE_MAX_NUM_SEQS, "max-num-seqs-cap")                                                      \
    X(CAUSE_SATURATION, "queueing-saturation")                                                     \
    X(CAUSE_PREFILL_INTERFERENCE, "prefill-interference")                                          \
    X(CAUSE_PREFILL_COMPUTE, "prefill-compute-bound")                                              \
    X(CAUSE_PREFIX_MISS, "prefix-cache-miss")                                                      \
    X(CAUSE_BANDWIDTH, "memory-bandwidth-bound")                                                   \
    X(CAUSE_KV_READ, "kv-read-growth")                                                             \
    X(CAUSE_KV_LAYOUT, "kv-layout-attention-span")                                                 \
    X(CAUSE_ATTENTION_KERNEL, "attention-kernel")                                                  \
    X(CAUSE_QUANT_BATCH, "quant-kernel-large-batch")                                               \
    X(CAUSE_QUANT_PREFILL, "quant-kernel-prefill")                                                 \
    X(CAUSE_QUANT_EMULATED, "quant-kernel-no-native-path")                                         \
    X(CAUSE_MOE_CONFIG, "moe-kernel-config")                                                       \
    X(CAUSE_EXPERT_IMBALANCE, "moe-expert-imbalance")                                              \
    X(CAUSE_LORA, "lora-kernel")                                                                   \
    X(CAUSE_SPEC_COST, "speculative-decoding-cost")                                                \
    X(CAUSE_SPEC_BATCH, "speculative-decoding-high-batch")                                         \
    X(CAUSE_PCIE_ALLREDUCE, "pcie-allreduce")                                                      \
    X(CAUSE_ALLREDUCE_LATENCY, "allreduce-latency")                                                \
    X(CAUSE_PIPELINE_BUBBLE, "pipeline-bubble")                                                    \
    X(CAUSE_RANK_SKEW, "rank-skew")                                                                \
    X(CAUSE_KV_TRANSFER, "kv-transfer-network")                                                    \
    X(CAUSE_HOST_LINK, "pcie-host-link")                                                           \
    X(CAUSE_OFFLOAD, "cpu-offload-placement")                                                      \
    X(CAUSE_POWER_CAP, "power-cap")                                                                \
    X(CAUSE_THERMAL, "thermal-throttling")                                                         \
    X(CAUSE_CLOCKS, "low-clocks")                                                                  \
    X(CAUSE_SHARED_GPU, "gpu-shared-with-others")                                                  \
    X(CAUSE_SCHEDULER, "host-scheduler-overhead")                                                  \
    X(CAUSE_GC, "host-gc")                                                                         \
    X(CAUSE_PENALTIES_HOST, "host-sampling-penalties")                                             \
    X(CAUSE_PENALTIES_DEVICE, "device-sampling-penalties")                                         \
    X(CAUSE_VOCAB_SORT, "host-sampling-vocab-sort")                                                \
    X(CAUSE_SORT_DEVICE, "device-sampling-vocab-sort")                                             \
    X(CAUSE_LOGPROBS, "host-logprobs")                                                             \
    X(CAUSE_GUIDED_COMPILE, "host-guided-decoding-compile")                                        \
    X(CAUSE_GUIDED_MASK, "host-guided-decoding-mask")                                              \
    X(CAUSE_DETOKENIZATION, "host-detokenization")                                                 \
    X(CAUSE_TOKENIZER, "host-tokenizer")                                                           \
    X(CAUSE_MULTIMODAL, "host-multimodal-preprocess")                                              \
    X(CAUSE_GATEWAY, "host-gateway-buffering")                                                     \
    X(CAUSE_API_SERVER, "host-api-server")                                                         \
    X(CAUSE_NUMA, "host-numa")                                                                     \
    X(CAUSE_CPU_LIMIT, "host-cpu-starvation")                                                      \
    X(CAUSE_COLD_START, "cold-start-compile")                                                      \
    X(CAUSE_LEAK, "memory-leak")                                                                   \
    X(CAUSE_REGRESSION, "version-regression")                                                      \
    X(CAUSE_CLIENT, "client-limit")                                                                \
    X(CAUSE_ENVIRONMENT, "environment-misconfig")                                                  \
    X(CAUSE_PROFILING, "profiling-misattribution")

#define X(ID, NAME) ID,

enum cause_id { CAUSE_LIST(X) CAUSE_COUNT };

#undef X

#endif
