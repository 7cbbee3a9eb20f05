/*
 * command_sglang.c - the flags of SGLang.
 *
 * The rows follow docs/advanced_features/server_arguments.md and python/sglang/srt/server_args.py
 * of https://github.com/sgl-project/sglang, with those that older versions had.
 */
#include "command_parts.h"

#include <math.h>
#include <string.h>

/* SGLang reserves that share of an answer at conservativeness 1 (schedule_batch.py). */
#define RESERVE_SHARE 0.7
#define LORAS 8.0
#define LORA_RANK 16.0

static void read_device(struct reading *reading, const struct flag *flag, const char *value)
{
    (void)flag;
    (void)value;
    described_ignore(reading->described, reading->spelled);
}

/* Adapters that are named turn LoRA on. */
static void read_lora_paths(struct reading *reading, const struct flag *flag, const char *value)
{
    (void)flag;
    (void)value;
    described_ignore(reading->described, reading->spelled);
    reading->slots[SLOT_LORA] = 1;
    reading->slot_flags[SLOT_LORA] = reading->spelled;
}

static void all_experts(struct reading *reading)
{
    reading->slots[SLOT_EXPERT_PARALLEL] = 1;
    reading->slot_flags[SLOT_EXPERT_PARALLEL] = reading->spelled;
}

/* An all-to-all spreads the experts over all ranks. */
static void read_moe_a2a(struct reading *reading, const struct flag *flag, const char *value)
{
    if (strcmp(value, "none") == 0)
        return;
    read_ep_backend(reading, flag, value);
    all_experts(reading);
}

static void read_deepep(struct reading *reading, const struct flag *flag, const char *value)
{
    (void)value;
    leaf_text(reading, reading->spelled, flag->pointer, "all_to_all");
    all_experts(reading);
}

static void read_disaggregation(struct reading *reading, const struct flag *flag, const char *value)
{
    (void)flag;
    described_ignore(reading->described, reading->spelled);
    if (strcmp(value, "null") != 0)
        reading_note(reading, "disaggregated",
                     "this server is one half of a prefill and decode pair: the plan is of a "
                     "server that does both; give \"disaggregation\" for the pair");
}

static const struct flag FLAGS[] = {
    FLAG_NOTHING("--abort-on-priority-when-disabled", ARITY_NONE),
    FLAG_NOTHING("--admin-api-key", ARITY_ONE),
    FLAG_NOTHING("--allow-auto-truncate", ARITY_NONE),
    FLAG_NOTHING("--api-key", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--attention-backend", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--attention-context-parallel-size", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--attn-cp-size", ARITY_ONE),
    FLAG_NOTHING("--base-gpu-id", ARITY_ONE),
    FLAG_NOTHING("--bucket-e2e-request-latency", ARITY_MANY),
    FLAG_NOTHING("--bucket-inter-token-latency", ARITY_MANY),
    FLAG_NOTHING("--bucket-time-to-first-token", ARITY_MANY),
    FLAG_NOTHING("--chat-template", ARITY_ONE),
    FLAG_NOTHING("--checkpoint-engine-wait-weights-before-ready", ARITY_NONE),
    FLAG_KEPT("--chunked-prefill-size", ARITY_ONE, read_kept, SLOT_CHUNK,
              "/deployment/chunked_prefill_tokens"),
    FLAG_NOTHING("--collect-tokens-histogram", ARITY_NONE),
    FLAG_NOTHING("--completion-template", ARITY_ONE),
    FLAG_LEAF("--config", ARITY_ONE, read_config_file, NULL),
    FLAG_NOTHING("--constrained-json-disable-any-whitespace", ARITY_NONE),
    FLAG_NOTHING("--constrained-json-whitespace-pattern", ARITY_ONE),
    FLAG_LEAF("--context-length", ARITY_ONE, read_leaf, "/deployment/max_model_len"),
    FLAG_LEAF("--cpu-offload-gb", ARITY_ONE, read_gib, "/deployment/cpu_offload_bytes"),
    FLAG_NOTHING("--crash-dump-folder", ARITY_ONE),
    FLAG_NOTHING("--crash-on-nan", ARITY_NONE),
    FLAG_LEAF("--cuda-graph-bs", ARITY_MANY, read_largest, "/deployment/graph_max_batch"),
    FLAG_LEAF("--cuda-graph-max-bs", ARITY_ONE, read_leaf, "/deployment/graph_max_batch"),
    FLAG_NOTHING("--custom-sigquit-handler", ARITY_ONE),
    FLAG_NOTHING("--custom-weight-loader", ARITY_MANY),
    FLAG_KEPT("--data-parallel-size", ARITY_ONE, read_kept, SLOT_DP, "/deployment/dp"),
    FLAG_NOTHING("--debug-tensor-dump-inject", ARITY_NONE),
    FLAG_NOTHING("--debug-tensor-dump-input-file", ARITY_ONE),
    FLAG_NOTHING("--debug-tensor-dump-layers", ARITY_ONE),
    FLAG_NOTHING("--debug-tensor-dump-output-folder", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--decode-attention-backend", ARITY_ONE),
    FLAG_NOTHING("--decode-log-interval", ARITY_ONE),
    FLAG_NOTHING("--decrypted-config-file", ARITY_ONE),
    FLAG_NOTHING("--decrypted-draft-config-file", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--deepep-config", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--deepep-dispatcher-output-dtype", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--deepep-mode", ARITY_ONE),
    FLAG_NOTHING("--delete-ckpt-after-loading", ARITY_NONE),
    FLAG_NOTHING("--detokenizer-worker-num", ARITY_ONE),
    FLAG_LEAF("--device", ARITY_ONE, read_device, "/deployment/backend"),
    FLAG_UNKNOWN_EFFECT("--disable-chunked-prefix-cache", ARITY_NONE),
    FLAG_LEAF("--disable-cuda-graph", ARITY_NONE, read_off, "/deployment/cuda_graphs"),
    FLAG_UNKNOWN_EFFECT("--disable-cuda-graph-padding", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--disable-custom-all-reduce", ARITY_NONE),
    FLAG_NOTHING("--disable-fast-image-processor", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--disable-flashinfer", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--disable-flashinfer-autotune", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--disable-flashinfer-cutlass-moe-fp4-allgather", ARITY_NONE),
    FLAG_LEAF("--disable-hybrid-swa-memory", ARITY_NONE, read_on, "/deployment/swa_full"),
    FLAG_UNKNOWN_EFFECT("--disable-mla", ARITY_NONE),
    FLAG_NOTHING("--disable-multimodal", ARITY_NONE),
    FLAG_NOTHING("--disable-outlines-disk-cache", ARITY_NONE),
    FLAG_LEAF("--disable-overlap-schedule", ARITY_NONE, read_off, "/deployment/async_scheduling"),
    FLAG_UNKNOWN_EFFECT("--disable-piecewise-cuda-graph", ARITY_NONE),
    FLAG_LEAF("--disable-radix-cache", ARITY_NONE, read_off, "/deployment/prefix_caching"),
    FLAG_UNKNOWN_EFFECT("--disable-shared-experts-fusion", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--disable-tokenizer-batch-decode", ARITY_NONE),
    FLAG_NOTHING("--disaggregation-bootstrap-port", ARITY_ONE),
    FLAG_NOTHING("--disaggregation-decode-dp", ARITY_ONE),
    FLAG_NOTHING("--disaggregation-decode-enable-offload-kvcache", ARITY_NONE),
    FLAG_NOTHING("--disaggregation-decode-polling-interval", ARITY_ONE),
    FLAG_NOTHING("--disaggregation-decode-tp", ARITY_ONE),
    FLAG_NOTHING("--disaggregation-ib-device", ARITY_ONE),
    FLAG_LEAF("--disaggregation-mode", ARITY_ONE, read_disaggregation, NULL),
    FLAG_NOTHING("--disaggregation-prefill-pp", ARITY_ONE),
    FLAG_NOTHING("--disaggregation-transfer-backend", ARITY_ONE),
    FLAG_NOTHING("--dist-init-addr", ARITY_ONE),
    FLAG_NOTHING("--dist-timeout", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--dllm-algorithm", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--dllm-algorithm-config", ARITY_ONE),
    FLAG_NOTHING("--download-dir", ARITY_ONE),
    FLAG_KEPT("--dp", ARITY_ONE, read_kept, SLOT_DP, "/deployment/dp"),
    FLAG_KEPT("--dp-size", ARITY_ONE, read_kept, SLOT_DP, "/deployment/dp"),
    FLAG_UNKNOWN_EFFECT("--dsa-decode-backend", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--dsa-prefill-backend", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--dsa-prefill-cp-mode", ARITY_ONE),
    FLAG_KEPT("--dtype", ARITY_ONE, read_kept_text, TEXT_DTYPE, "/deployment/dtype"),
    FLAG_UNKNOWN_EFFECT("--dynamic-batch-tokenizer-batch-size", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--dynamic-batch-tokenizer-batch-timeout", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--elastic-ep-backend", ARITY_ONE),
    FLAG_NOTHING("--elastic-ep-rejoin", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-aiter-allreduce-fusion", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-attn-tp-input-scattered", ARITY_NONE),
    FLAG_NOTHING("--enable-broadcast-mm-inputs-process", ARITY_NONE),
    FLAG_NOTHING("--enable-cache-report", ARITY_NONE),
    FLAG_NOTHING("--enable-cudagraph-gc", ARITY_NONE),
    FLAG_NOTHING("--enable-custom-logit-processor", ARITY_NONE),
    FLAG_LEAF("--enable-deepep-moe", ARITY_NONE, read_deepep, "/deployment/ep_backend"),
    FLAG_UNKNOWN_EFFECT("--enable-deepep-waterfill", ARITY_NONE),
    FLAG_LEAF("--enable-deterministic-inference", ARITY_NONE, read_on,
              "/deployment/batch_invariant"),
    FLAG_KEPT("--enable-dp-attention", ARITY_NONE, read_kept_on, SLOT_DP_ATTENTION,
              "/deployment/dp"),
    FLAG_UNKNOWN_EFFECT("--enable-dp-lm-head", ARITY_NONE),
    FLAG_NOTHING("--enable-draft-weights-cpu-backup", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-dsa-prefill-context-parallel", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-dynamic-batch-tokenizer", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-dynamic-chunking", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-elastic-expert-backup", ARITY_NONE),
    FLAG_KEPT("--enable-ep-moe", ARITY_NONE, read_kept_on, SLOT_EXPERT_PARALLEL, "/deployment/ep"),
    FLAG_UNKNOWN_EFFECT("--enable-eplb", ARITY_NONE),
    FLAG_NOTHING("--enable-expert-distribution-metrics", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-flashinfer-allreduce-fusion", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-flashinfer-cutedsl-moe", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-flashinfer-cutlass-moe", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-flashinfer-mla", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-flashinfer-mxfp4-moe", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-flashinfer-trtllm-moe", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-flashmla", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-fp32-lm-head", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-fused-grouped-gemm-combine", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-fused-qk-norm-rope", ARITY_NONE),
    FLAG_LEAF("--enable-hierarchical-cache", ARITY_NONE, read_host_tier, NULL),
    FLAG_NOTHING("--enable-http2", ARITY_NONE),
    FLAG_NOTHING("--enable-kv-cache-events", ARITY_NONE),
    FLAG_NOTHING("--enable-layerwise-nvtx-marker", ARITY_NONE),
    FLAG_LEAF("--enable-lmcache", ARITY_NONE, read_host_tier, NULL),
    FLAG_KEPT("--enable-lora", ARITY_NONE, read_kept_on, SLOT_LORA, NULL),
    FLAG_NOTHING("--enable-lora-overlap-loading", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-memory-saver", ARITY_NONE),
    FLAG_NOTHING("--enable-metrics", ARITY_NONE),
    FLAG_NOTHING("--enable-metrics-for-all-schedulers", ARITY_NONE),
    FLAG_NOTHING("--enable-mfu-metrics", ARITY_NONE),
    FLAG_LEAF("--enable-mixed-chunk", ARITY_NONE, read_off, "/deployment/prefill_priority"),
    FLAG_UNKNOWN_EFFECT("--enable-mla", ARITY_NONE),
    FLAG_NOTHING("--enable-mm-global-cache", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-mscclpp", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-multi-layer-eagle", ARITY_NONE),
    FLAG_NOTHING("--enable-multimodal", ARITY_NONE),
    FLAG_NOTHING("--enable-nan-detection", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-nccl-nvls", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-nsa-prefill-context-parallel", ARITY_NONE),
    FLAG_NOTHING("--enable-p2p-check", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-pdmux", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-piecewise-cuda-graph", ARITY_NONE),
    FLAG_NOTHING("--enable-precise-embedding-interpolation", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-prefill-delayer", ARITY_NONE),
    FLAG_NOTHING("--enable-prefix-mm-cache", ARITY_NONE),
    FLAG_NOTHING("--enable-priority-scheduling", ARITY_NONE),
    FLAG_NOTHING("--enable-profile-cuda-graph", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-quant-communications", ARITY_NONE),
    FLAG_NOTHING("--enable-request-time-stats-logging", ARITY_NONE),
    FLAG_NOTHING("--enable-return-hidden-states", ARITY_NONE),
    FLAG_NOTHING("--enable-return-routed-experts", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-single-batch-overlap", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-symm-mem", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-tokenizer-batch-encode", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-torch-compile", ARITY_NONE),
    FLAG_NOTHING("--enable-torch-compile-debug-mode", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-torch-symm-mem", ARITY_NONE),
    FLAG_NOTHING("--enable-trace", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-triton-kernel-moe", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--enable-two-batch-overlap", ARITY_NONE),
    FLAG_NOTHING("--enable-weights-cpu-backup", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--encoder-only", ARITY_NONE),
    FLAG_NOTHING("--encoder-transfer-backend", ARITY_ONE),
    FLAG_NOTHING("--encoder-urls", ARITY_MANY),
    FLAG_UNKNOWN_EFFECT("--enforce-piecewise-cuda-graph", ARITY_NONE),
    FLAG_KEPT("--ep", ARITY_ONE, read_kept, SLOT_EP, "/deployment/ep"),
    FLAG_UNKNOWN_EFFECT("--ep-dispatch-algorithm", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--ep-num-redundant-experts", ARITY_ONE),
    FLAG_KEPT("--ep-size", ARITY_ONE, read_kept, SLOT_EP, "/deployment/ep"),
    FLAG_UNKNOWN_EFFECT("--eplb-algorithm", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--eplb-min-rebalancing-utilization-threshold", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--eplb-rebalance-layers-per-chunk", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--eplb-rebalance-num-iterations", ARITY_ONE),
    FLAG_NOTHING("--expert-distribution-recorder-buffer-size", ARITY_ONE),
    FLAG_NOTHING("--expert-distribution-recorder-mode", ARITY_ONE),
    FLAG_KEPT("--expert-parallel-size", ARITY_ONE, read_kept, SLOT_EP, "/deployment/ep"),
    FLAG_NOTHING("--export-metrics-to-file", ARITY_NONE),
    FLAG_NOTHING("--export-metrics-to-file-dir", ARITY_ONE),
    FLAG_NOTHING("--fastapi-root-path", ARITY_ONE),
    FLAG_NOTHING("--file-storage-path", ARITY_ONE),
    FLAG_NOTHING("--file-storage-pth", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--flashinfer-mla-disable-ragged", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--flashinfer-mxfp4-moe-precision", ARITY_ONE),
    FLAG_NOTHING("--forward-hooks", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--fp4-gemm-backend", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--fp8-gemm-backend", ARITY_ONE),
    FLAG_NOTHING("--gc-warning-threshold-secs", ARITY_ONE),
    FLAG_NOTHING("--generation-tokens-buckets", ARITY_MANY),
    FLAG_NOTHING("--gpu-id-step", ARITY_ONE),
    FLAG_NOTHING("--grammar-backend", ARITY_ONE),
    FLAG_NOTHING("--grpc-mode", ARITY_NONE),
    FLAG_NOTHING("--hf-chat-template-name", ARITY_ONE),
    FLAG_NOTHING("--hicache-io-backend", ARITY_ONE),
    FLAG_NOTHING("--hicache-mem-layout", ARITY_ONE),
    FLAG_NOTHING("--hicache-ratio", ARITY_ONE),
    FLAG_NOTHING("--hicache-size", ARITY_ONE),
    FLAG_NOTHING("--hicache-storage-backend", ARITY_ONE),
    FLAG_NOTHING("--hicache-storage-backend-extra-config", ARITY_ONE),
    FLAG_NOTHING("--hicache-storage-prefetch-policy", ARITY_ONE),
    FLAG_NOTHING("--hicache-write-policy", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--hierarchical-sparse-attention-extra-config", ARITY_ONE),
    FLAG_NOTHING("--host", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--hybrid-kvcache-ratio", ARITY_ONE),
    FLAG_NOTHING("--incremental-streaming-output", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--init-expert-location", ARITY_ONE),
    FLAG_NOTHING("--is-embedding", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--json-model-override-args", ARITY_ONE),
    FLAG_NOTHING("--keep-mm-feature-on-device", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--kt-cpuinfer", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--kt-max-deferred-experts-per-token", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--kt-method", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--kt-num-gpu-experts", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--kt-threadpool-count", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--kt-weight-path", ARITY_ONE),
    FLAG_LEAF("--kv-cache-dtype", ARITY_ONE, read_kv_name, "/deployment/kv_cache"),
    FLAG_NOTHING("--kv-events-config", ARITY_ONE),
    FLAG_LEAF("--language-only", ARITY_NONE, read_on, "/deployment/text_only"),
    FLAG_LEAF("--limit-mm-data-per-request", ARITY_ONE, read_mm_limits, NULL),
    FLAG_UNKNOWN_EFFECT("--linear-attn-backend", ARITY_ONE),
    FLAG_NOTHING("--load-balance-method", ARITY_ONE),
    FLAG_KEPT("--load-format", ARITY_ONE, read_kept_text, TEXT_LOAD_FORMAT, NULL),
    FLAG_NOTHING("--load-watch-interval", ARITY_ONE),
    FLAG_NOTHING("--log-level", ARITY_ONE),
    FLAG_NOTHING("--log-level-http", ARITY_ONE),
    FLAG_NOTHING("--log-requests", ARITY_NONE),
    FLAG_NOTHING("--log-requests-format", ARITY_ONE),
    FLAG_NOTHING("--log-requests-level", ARITY_ONE),
    FLAG_NOTHING("--log-requests-target", ARITY_MANY),
    FLAG_NOTHING("--lora-backend", ARITY_ONE),
    FLAG_NOTHING("--lora-drain-wait-threshold", ARITY_ONE),
    FLAG_NOTHING("--lora-eviction-policy", ARITY_ONE),
    FLAG_LEAF("--lora-paths", ARITY_MANY, read_lora_paths, NULL),
    FLAG_NOTHING("--lora-target-modules", ARITY_MANY),
    FLAG_UNKNOWN_EFFECT("--mamba-backend", ARITY_ONE),
    FLAG_LEAF("--mamba-full-memory-ratio", ARITY_ONE, read_leaf, "/deployment/state_memory_ratio"),
    FLAG_UNKNOWN_EFFECT("--mamba-scheduler-strategy", ARITY_ONE),
    FLAG_LEAF("--mamba-ssm-dtype", ARITY_ONE, read_leaf, "/deployment/state_dtype"),
    FLAG_UNKNOWN_EFFECT("--mamba-track-interval", ARITY_ONE),
    FLAG_NOTHING("--max-loaded-loras", ARITY_ONE),
    FLAG_NOTHING("--max-lora-chunk-size", ARITY_ONE),
    FLAG_KEPT("--max-lora-rank", ARITY_ONE, read_kept, SLOT_LORA_RANK, "/deployment/max_lora_rank"),
    FLAG_KEPT("--max-loras-per-batch", ARITY_ONE, read_kept, SLOT_LORAS, "/deployment/max_loras"),
    FLAG_LEAF("--max-mamba-cache-size", ARITY_ONE, read_leaf, "/deployment/max_state_slots"),
    FLAG_UNKNOWN_EFFECT("--max-prefill-tokens", ARITY_ONE),
    FLAG_NOTHING("--max-queued-requests", ARITY_ONE),
    FLAG_KEPT("--max-running-requests", ARITY_ONE, read_kept, SLOT_SLOTS,
              "/deployment/max_num_seqs"),
    FLAG_LEAF("--max-total-tokens", ARITY_ONE, read_leaf, "/deployment/kv_cache_tokens"),
    FLAG_LEAF("--mem-fraction-static", ARITY_ONE, read_leaf, "/deployment/memory_utilization"),
    FLAG_UNKNOWN_EFFECT("--mm-attention-backend", ARITY_ONE),
    FLAG_NOTHING("--mm-enable-dp-encoder", ARITY_NONE),
    FLAG_NOTHING("--mm-max-concurrent-calls", ARITY_ONE),
    FLAG_NOTHING("--mm-per-request-timeout", ARITY_ONE),
    FLAG_NOTHING("--mm-process-config", ARITY_ONE),
    FLAG_KEPT("--model", ARITY_ONE, read_kept_text, TEXT_MODEL, NULL),
    FLAG_NOTHING("--model-checksum", ARITY_MAYBE),
    FLAG_NOTHING("--model-impl", ARITY_ONE),
    FLAG_NOTHING("--model-loader-extra-config", ARITY_ONE),
    FLAG_KEPT("--model-path", ARITY_ONE, read_kept_text, TEXT_MODEL, NULL),
    FLAG_NOTHING("--modelopt-checkpoint-restore-path", ARITY_ONE),
    FLAG_NOTHING("--modelopt-checkpoint-save-path", ARITY_ONE),
    FLAG_NOTHING("--modelopt-export-path", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--modelopt-quant", ARITY_ONE),
    FLAG_LEAF("--moe-a2a-backend", ARITY_ONE, read_moe_a2a, "/deployment/ep_backend"),
    FLAG_UNKNOWN_EFFECT("--moe-data-parallel-size", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--moe-dense-tp-size", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--moe-dp-size", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--moe-runner-backend", ARITY_ONE),
    FLAG_NOTHING("--mooncake-ib-device", ARITY_ONE),
    FLAG_NOTHING("--msprobe-dump-config", ARITY_ONE),
    FLAG_NOTHING("--multi-item-scoring-delimiter", ARITY_ONE),
    FLAG_NOTHING("--nccl-init-addr", ARITY_ONE),
    FLAG_NOTHING("--nccl-port", ARITY_ONE),
    FLAG_NOTHING("--nnodes", ARITY_ONE),
    FLAG_NOTHING("--node-rank", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--nsa-decode", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--nsa-decode-backend", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--nsa-prefill", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--nsa-prefill-backend", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--nsa-prefill-cp-mode", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--num-continuous-decode-steps", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--num-reserved-decode-tokens", ARITY_ONE),
    FLAG_NOTHING("--numa-node", ARITY_MANY),
    FLAG_UNKNOWN_EFFECT("--offload-group-size", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--offload-mode", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--offload-num-in-group", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--offload-prefetch-step", ARITY_ONE),
    FLAG_NOTHING("--otlp-traces-endpoint", ARITY_ONE),
    FLAG_LEAF("--page-size", ARITY_ONE, read_leaf, "/deployment/block_size"),
    FLAG_UNKNOWN_EFFECT("--pdmux-config-path", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--piecewise-cuda-graph-compiler", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--piecewise-cuda-graph-max-tokens", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--piecewise-cuda-graph-tokens", ARITY_ONE),
    FLAG_LEAF("--pipeline-parallel-size", ARITY_ONE, read_leaf, "/deployment/pp"),
    FLAG_NOTHING("--port", ARITY_ONE),
    FLAG_LEAF("--pp", ARITY_ONE, read_leaf, "/deployment/pp"),
    FLAG_UNKNOWN_EFFECT("--pp-async-batch-depth", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--pp-max-micro-batch-size", ARITY_ONE),
    FLAG_LEAF("--pp-size", ARITY_ONE, read_leaf, "/deployment/pp"),
    FLAG_NOTHING("--preferred-sampling-params", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--prefill-attention-backend", ARITY_ONE),
    FLAG_NOTHING("--prefill-delayer-forward-passes-buckets", ARITY_MANY),
    FLAG_UNKNOWN_EFFECT("--prefill-delayer-max-delay-ms", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--prefill-delayer-max-delay-passes", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--prefill-delayer-queue-min-ratio", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--prefill-delayer-token-usage-low-watermark", ARITY_ONE),
    FLAG_NOTHING("--prefill-delayer-wait-seconds-buckets", ARITY_MANY),
    FLAG_UNKNOWN_EFFECT("--prefill-max-requests", ARITY_ONE),
    FLAG_NOTHING("--prefill-round-robin-balance", ARITY_ONE),
    FLAG_NOTHING("--priority-scheduling-preemption-threshold", ARITY_ONE),
    FLAG_NOTHING("--prompt-tokens-buckets", ARITY_MANY),
    FLAG_KEPT("--quantization", ARITY_ONE, read_kept_text, TEXT_QUANTIZATION,
              "/deployment/weights"),
    FLAG_UNKNOWN_EFFECT("--quantization-param-path", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--quantize-and-serve", ARITY_NONE),
    FLAG_NOTHING("--radix-eviction-policy", ARITY_ONE),
    FLAG_NOTHING("--random-seed", ARITY_ONE),
    FLAG_NOTHING("--reasoning-parser", ARITY_ONE),
    FLAG_NOTHING("--remote-instance-weight-loader-backend", ARITY_ONE),
    FLAG_NOTHING("--remote-instance-weight-loader-seed-instance-ip", ARITY_ONE),
    FLAG_NOTHING("--remote-instance-weight-loader-seed-instance-service-port", ARITY_ONE),
    FLAG_NOTHING("--remote-instance-weight-loader-send-weights-group-ports", ARITY_ONE),
    FLAG_NOTHING("--remote-instance-weight-loader-start-seed-via-transfer-engine", ARITY_NONE),
    FLAG_NOTHING("--revision", ARITY_ONE),
    FLAG_NOTHING("--rl-on-policy-target", ARITY_ONE),
    FLAG_NOTHING("--rl-quant-profile", ARITY_ONE),
    FLAG_NOTHING("--router-balance-abs-threshold", ARITY_ONE),
    FLAG_NOTHING("--router-balance-rel-threshold", ARITY_ONE),
    FLAG_NOTHING("--router-cache-threshold", ARITY_ONE),
    FLAG_NOTHING("--router-dp-worker-base-port", ARITY_ONE),
    FLAG_NOTHING("--router-eviction-interval", ARITY_ONE),
    FLAG_NOTHING("--router-log-dir", ARITY_ONE),
    FLAG_NOTHING("--router-log-level", ARITY_ONE),
    FLAG_NOTHING("--router-max-payload-size", ARITY_ONE),
    FLAG_NOTHING("--router-max-tree-size", ARITY_ONE),
    FLAG_NOTHING("--router-policy", ARITY_ONE),
    FLAG_NOTHING("--router-prometheus-host", ARITY_ONE),
    FLAG_NOTHING("--router-prometheus-port", ARITY_ONE),
    FLAG_NOTHING("--router-worker-startup-check-interval", ARITY_ONE),
    FLAG_NOTHING("--router-worker-startup-timeout-secs", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--sampling-backend", ARITY_ONE),
    FLAG_NOTHING("--sampling-defaults", ARITY_ONE),
    FLAG_KEPT("--schedule-conservativeness", ARITY_ONE, read_kept, SLOT_CONSERVATIVENESS,
              "/deployment/reserve_output_share"),
    FLAG_NOTHING("--schedule-low-priority-values-first", ARITY_NONE),
    FLAG_NOTHING("--schedule-policy", ARITY_ONE),
    FLAG_LEAF("--scheduler-recv-interval", ARITY_ONE, read_leaf, "/deployment/receive_interval"),
    FLAG_KEPT("--served-model-name", ARITY_ONE, read_name_hint, TEXT_NAMES, NULL),
    FLAG_NOTHING("--show-time-cost", ARITY_NONE),
    FLAG_NOTHING("--skip-server-warmup", ARITY_NONE),
    FLAG_NOTHING("--skip-tokenizer-init", ARITY_NONE),
    FLAG_NOTHING("--sleep-on-idle", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--sm-group-num", ARITY_ONE),
    FLAG_NOTHING("--soft-watchdog-timeout", ARITY_ONE),
    FLAG_NOTHING("--speculative-accept-threshold-acc", ARITY_ONE),
    FLAG_NOTHING("--speculative-accept-threshold-single", ARITY_ONE),
    FLAG_KEPT("--speculative-algo", ARITY_ONE, read_kept_text, TEXT_SPEC_METHOD,
              "/deployment/speculative/method"),
    FLAG_KEPT("--speculative-algorithm", ARITY_ONE, read_kept_text, TEXT_SPEC_METHOD,
              "/deployment/speculative/method"),
    FLAG_UNKNOWN_EFFECT("--speculative-attention-mode", ARITY_ONE),
    FLAG_KEPT("--speculative-draft", ARITY_ONE, read_draft_model, TEXT_SPEC_MODEL, NULL),
    FLAG_UNKNOWN_EFFECT("--speculative-draft-attention-backend", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--speculative-draft-load-format", ARITY_ONE),
    FLAG_KEPT("--speculative-draft-model", ARITY_ONE, read_draft_model, TEXT_SPEC_MODEL, NULL),
    FLAG_KEPT("--speculative-draft-model-path", ARITY_ONE, read_draft_model, TEXT_SPEC_MODEL, NULL),
    FLAG_UNKNOWN_EFFECT("--speculative-draft-model-quantization", ARITY_ONE),
    FLAG_NOTHING("--speculative-draft-model-revision", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--speculative-eagle-topk", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--speculative-moe-a2a-backend", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--speculative-moe-runner-backend", ARITY_ONE),
    FLAG_NOTHING("--speculative-ngram-branch-length", ARITY_ONE),
    FLAG_NOTHING("--speculative-ngram-capacity", ARITY_ONE),
    FLAG_NOTHING("--speculative-ngram-match-type", ARITY_ONE),
    FLAG_NOTHING("--speculative-ngram-max-bfs-breadth", ARITY_ONE),
    FLAG_NOTHING("--speculative-ngram-max-match-window-size", ARITY_ONE),
    FLAG_NOTHING("--speculative-ngram-max-trie-depth", ARITY_ONE),
    FLAG_NOTHING("--speculative-ngram-min-bfs-breadth", ARITY_ONE),
    FLAG_NOTHING("--speculative-ngram-min-match-window-size", ARITY_ONE),
    FLAG_KEPT("--speculative-num-draft-tokens", ARITY_ONE, read_kept, SLOT_DRAFT_TOKENS, NULL),
    FLAG_KEPT("--speculative-num-steps", ARITY_ONE, read_kept, SLOT_SPEC_TOKENS,
              "/deployment/speculative/tokens"),
    FLAG_UNKNOWN_EFFECT("--speculative-token-map", ARITY_ONE),
    FLAG_NOTHING("--ssl-ca-certs", ARITY_ONE),
    FLAG_NOTHING("--ssl-certfile", ARITY_ONE),
    FLAG_NOTHING("--ssl-keyfile", ARITY_ONE),
    FLAG_NOTHING("--ssl-keyfile-password", ARITY_ONE),
    FLAG_NOTHING("--stat-loggers", ARITY_ONE),
    FLAG_LEAF("--stream-interval", ARITY_ONE, read_leaf, "/deployment/stream_interval"),
    FLAG_LEAF("--swa-full-tokens-ratio", ARITY_ONE, read_leaf, "/deployment/swa_full_tokens_ratio"),
    FLAG_UNKNOWN_EFFECT("--tbo-token-distribution-threshold", ARITY_ONE),
    FLAG_KEPT("--tensor-parallel-size", ARITY_ONE, read_kept, SLOT_TP, "/deployment/tp"),
    FLAG_NOTHING("--tokenizer-backend", ARITY_ONE),
    FLAG_NOTHING("--tokenizer-metrics-allowed-custom-labels", ARITY_MANY),
    FLAG_NOTHING("--tokenizer-metrics-custom-labels-header", ARITY_ONE),
    FLAG_NOTHING("--tokenizer-mode", ARITY_ONE),
    FLAG_KEPT("--tokenizer-path", ARITY_ONE, read_name_hint, TEXT_NAMES, NULL),
    FLAG_NOTHING("--tokenizer-worker-num", ARITY_ONE),
    FLAG_NOTHING("--tool-call-parser", ARITY_ONE),
    FLAG_NOTHING("--tool-server", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--torch-compile-max-bs", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--torchao-config", ARITY_ONE),
    FLAG_KEPT("--tp", ARITY_ONE, read_kept, SLOT_TP, "/deployment/tp"),
    FLAG_KEPT("--tp-size", ARITY_ONE, read_kept, SLOT_TP, "/deployment/tp"),
    FLAG_UNKNOWN_EFFECT("--triton-attention-num-kv-splits", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--triton-attention-reduce-in-fp32", ARITY_NONE),
    FLAG_UNKNOWN_EFFECT("--triton-attention-split-tile-size", ARITY_ONE),
    FLAG_NOTHING("--trust-remote-code", ARITY_NONE),
    FLAG_NOTHING("--use-ray", ARITY_NONE),
    FLAG_NOTHING("--uvicorn-access-log-exclude-prefixes", ARITY_MANY),
    FLAG_NOTHING("--warmups", ARITY_ONE),
    FLAG_NOTHING("--watchdog-timeout", ARITY_ONE),
    FLAG_NOTHING("--weight-loader-disable-mmap", ARITY_NONE),
    FLAG_NOTHING("--weight-loader-prefetch-checkpoints", ARITY_NONE),
    FLAG_NOTHING("--weight-loader-prefetch-num-threads", ARITY_ONE),
    FLAG_NOTHING("--weight-version", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN", ARITY_ONE),
};

static const struct flag_name KV_NAMES[] = {
    {"auto", NULL, false},      {"bf16", "bf16", false},    {"bfloat16", "bf16", false},
    {"fp8_e4m3", "fp8", false}, {"fp8_e5m2", "fp8", false}, {"fp4_e2m1", "nvfp4", false},
    {"float16", "fp16", false}, {NULL, NULL, false},
};

static const struct flag_name WEIGHT_NAMES[] = {
    {"fp8", "fp8", false},
    {"w8a8_fp8", "fp8", true},
    {"modelopt", NULL, true},
    {"modelopt_fp8", "fp8", true},
    {"modelopt_fp4", "nvfp4", true},
    {"petit_nvfp4", "nvfp4", true},
    {"nvfp4", "nvfp4", true},
    {"mxfp4", "mxfp4", false},
    {"mxfp8", "mxfp8", false},
    {"awq", "awq", true},
    {"awq_marlin", "awq", true},
    {"gptq", "gptq", true},
    {"gptq_marlin", "gptq", true},
    {"marlin", "gptq", true},
    {"bitsandbytes", "nf4", false},
    {"moe_wna16", "int4", true},
    {"w8a8_int8", "int8", true},
    {"w4afp8", "int4", true},
    {"auto_round", "int4", true},
    {"qoq", "int4", true},
    {"quark_int4fp8_moe", "int4", true},
    {"compressed_tensors", NULL, true},
    {"gguf", NULL, true},
    {"quark", NULL, true},
    {"modelslim", NULL, true},
    {"blockwise_int8", "int8", true},
    {NULL, NULL, false},
};

/* What the server may run and prefill at once, of one rank of `ranks`. */
static void set_shares_of(struct reading *reading, double ranks)
{
    double chunk = slot_or(reading, SLOT_CHUNK, 0);

    if (slot_said(reading, SLOT_SLOTS))
        leaf_number(reading, reading->slot_flags[SLOT_SLOTS], "/deployment/max_num_seqs",
                    fmax(floor(slot_or(reading, SLOT_SLOTS, 1) / ranks), 1));
    if (slot_said(reading, SLOT_CHUNK))
        leaf_number(reading, reading->slot_flags[SLOT_CHUNK], "/deployment/chunked_prefill_tokens",
                    chunk < 0 ? 0 : floor(chunk / ranks));
}

/* Experts are spread over as many devices as is said, or over all of them. */
static void set_experts(struct reading *reading, double devices)
{
    if (slot_said(reading, SLOT_EP))
        slot_to_leaf(reading, SLOT_EP, "/deployment/ep");
    else if (slot_said(reading, SLOT_EXPERT_PARALLEL))
        leaf_number(reading, reading->slot_flags[SLOT_EXPERT_PARALLEL], "/deployment/ep", devices);
}

/*
 * --tp counts all devices of a replica. Under DP attention the dp ranks are among them, and share
 * out what the server may run and prefill at once; without it dp are whole copies.
 */
static void set_ranks(struct reading *reading)
{
    double tp = slot_or(reading, SLOT_TP, 1), dp = slot_or(reading, SLOT_DP, 1);
    bool attention = slot_or(reading, SLOT_DP_ATTENTION, 0) != 0 && dp > 1;

    if (attention && fmod(tp, dp) != 0) {
        reading_fault(reading, reading->slot_flags[SLOT_DP], NULL,
                      "under --enable-dp-attention %.9g ranks do not divide --tp %.9g", dp, tp);
        return;
    }
    if (slot_said(reading, SLOT_TP) || attention)
        leaf_number(reading, reading->slot_flags[slot_said(reading, SLOT_TP) ? SLOT_TP : SLOT_DP],
                    "/deployment/tp", attention ? tp / dp : tp);
    if (slot_said(reading, SLOT_DP))
        leaf_number(reading, reading->slot_flags[SLOT_DP],
                    attention ? "/deployment/dp" : "/deployment/replicas", dp);
    set_experts(reading, tp);
    set_shares_of(reading, attention ? dp : 1);
}

/* Steps are the tokens of a chain; a tree's count has its root besides. */
static void set_drafts(struct reading *reading)
{
    const struct model *model = reading->request->problem.model;
    const char *method = reading->texts[TEXT_SPEC_METHOD];
    bool own = method && !reading->texts[TEXT_SPEC_MODEL] && strcmp(method, "EAGLE") == 0;

    if (own && model && model->mtp_layers > 0)
        reading->texts[TEXT_SPEC_METHOD] = "NEXTN";
    if (!slot_said(reading, SLOT_SPEC_TOKENS) && slot_or(reading, SLOT_DRAFT_TOKENS, 0) > 1) {
        reading->slots[SLOT_SPEC_TOKENS] = slot_or(reading, SLOT_DRAFT_TOKENS, 0) - 1;
        reading->slot_flags[SLOT_SPEC_TOKENS] = reading->slot_flags[SLOT_DRAFT_TOKENS];
    }
    command_settle_drafts(reading);
}

static void finish(struct reading *reading)
{
    set_ranks(reading);
    if (slot_said(reading, SLOT_CONSERVATIVENESS))
        leaf_number(reading, reading->slot_flags[SLOT_CONSERVATIVENESS],
                    "/deployment/reserve_output_share",
                    fmin(RESERVE_SHARE * slot_or(reading, SLOT_CONSERVATIVENESS, 1), 1));
    command_settle_weights(reading);
    set_drafts(reading);
    command_settle_loras(reading, LORAS, LORA_RANK);
}

const struct command_engine COMMAND_SGLANG = {
    .id = "sglang",
    .label = "SGLang",
    .flags = FLAGS,
    .n_flags = (int)ARRAY_LEN(FLAGS),
    .abbreviates = true,
    .joins_values = true,
    .finish = finish,
    .kv_names = KV_NAMES,
    .weight_names = WEIGHT_NAMES,
};
