/*
 * command_tgi.c - the flags of text-generation-launcher, each also a variable of the environment.
 *
 * The rows follow docs/source/reference/launcher.md of
 * https://github.com/huggingface/text-generation-inference.
 */
#include "command_parts.h"

#include <string.h>

/* "0" is none. */
static void read_graphs(struct reading *reading, const struct flag *flag, const char *value)
{
    if (strcmp(value, "0") == 0)
        leaf_bool(reading, reading->spelled, "/deployment/cuda_graphs", false);
    else
        read_largest(reading, flag, value);
}

/* Without heads of its own a model drafts by n-grams. */
static void read_speculate(struct reading *reading, const struct flag *flag, const char *value)
{
    double tokens;

    if (command_number(value, &tokens) && tokens == 0)
        return;
    leaf_text(reading, reading->spelled, "/deployment/speculative/method", "ngram");
    read_leaf(reading, flag, value);
}

static void read_prefix(struct reading *reading, const struct flag *flag, const char *value)
{
    read_on(reading, flag, value);
}

static const struct flag FLAGS[] = {
    FLAG_NOTHING("--api-key", ARITY_ONE),
    FLAG_NOTHING("--cors-allow-origin", ARITY_ONE),
    FLAG_LEAF("--cuda-graphs", ARITY_ONE, read_graphs, "/deployment/graph_max_batch"),
    FLAG_LEAF("--cuda-memory-fraction", ARITY_ONE, read_leaf, "/deployment/memory_utilization"),
    FLAG_UNKNOWN_EFFECT("--disable-custom-kernels", ARITY_NONE),
    FLAG_NOTHING("--disable-grammar-support", ARITY_NONE),
    FLAG_KEPT("--dtype", ARITY_ONE, read_kept_text, TEXT_DTYPE, "/deployment/dtype"),
    FLAG_UNKNOWN_EFFECT("--enable-prefill-logprobs", ARITY_NONE),
    FLAG_NOTHING("--env", ARITY_NONE),
    FLAG_NOTHING("--graceful-termination-timeout", ARITY_ONE),
    FLAG_NOTHING("--help", ARITY_NONE),
    FLAG_NOTHING("--hostname", ARITY_ONE),
    FLAG_NOTHING("--huggingface-hub-cache", ARITY_ONE),
    FLAG_NOTHING("--json-output", ARITY_NONE),
    FLAG_LEAF("--kv-cache-dtype", ARITY_ONE, read_kv_name, "/deployment/kv_cache"),
    FLAG_UNKNOWN_EFFECT("--lora-adapters", ARITY_ONE),
    FLAG_NOTHING("--master-addr", ARITY_ONE),
    FLAG_NOTHING("--master-port", ARITY_ONE),
    FLAG_LEAF("--max-batch-prefill-tokens", ARITY_ONE, read_leaf,
              "/deployment/chunked_prefill_tokens"),
    FLAG_LEAF("--max-batch-size", ARITY_ONE, read_leaf, "/deployment/max_num_seqs"),
    FLAG_LEAF("--max-batch-total-tokens", ARITY_ONE, read_leaf, "/deployment/kv_cache_tokens"),
    FLAG_NOTHING("--max-best-of", ARITY_ONE),
    FLAG_NOTHING("--max-client-batch-size", ARITY_ONE),
    FLAG_LEAF("--max-concurrent-requests", ARITY_ONE, read_leaf,
              "/deployment/max_concurrent_requests"),
    FLAG_NOTHING("--max-image-fetch-size", ARITY_ONE),
    FLAG_LEAF("--max-input-length", ARITY_ONE, read_leaf, "/deployment/max_input_tokens"),
    FLAG_LEAF("--max-input-tokens", ARITY_ONE, read_leaf, "/deployment/max_input_tokens"),
    FLAG_NOTHING("--max-stop-sequences", ARITY_ONE),
    FLAG_NOTHING("--max-top-n-tokens", ARITY_ONE),
    FLAG_LEAF("--max-total-tokens", ARITY_ONE, read_leaf, "/deployment/max_model_len"),
    FLAG_NOTHING("--max-waiting-tokens", ARITY_ONE),
    FLAG_KEPT("--model-id", ARITY_ONE, read_kept_text, TEXT_MODEL, NULL),
    FLAG_NOTHING("--ngrok", ARITY_NONE),
    FLAG_NOTHING("--ngrok-authtoken", ARITY_ONE),
    FLAG_NOTHING("--ngrok-edge", ARITY_ONE),
    FLAG_KEPT("--num-shard", ARITY_ONE, read_kept, SLOT_TP, "/deployment/tp"),
    FLAG_NOTHING("--otlp-endpoint", ARITY_ONE),
    FLAG_NOTHING("--otlp-service-name", ARITY_ONE),
    FLAG_NOTHING("--payload-limit", ARITY_ONE),
    FLAG_NOTHING("--port", ARITY_ONE),
    FLAG_KEPT("--quantize", ARITY_ONE, read_kept_text, TEXT_QUANTIZATION, "/deployment/weights"),
    FLAG_NOTHING("--revision", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--rope-factor", ARITY_ONE),
    FLAG_UNKNOWN_EFFECT("--rope-scaling", ARITY_ONE),
    FLAG_NOTHING("--shard-uds-path", ARITY_ONE),
    FLAG_KEPT("--sharded", ARITY_ONE, read_kept_on, SLOT_SHARDED, NULL),
    FLAG_LEAF("--speculate", ARITY_ONE, read_speculate, "/deployment/speculative/tokens"),
    FLAG_NOTHING("--tokenizer-config-path", ARITY_ONE),
    FLAG_NOTHING("--trust-remote-code", ARITY_NONE),
    FLAG_NOTHING("--usage-stats", ARITY_ONE),
    FLAG_NOTHING("--validation-workers", ARITY_ONE),
    FLAG_NOTHING("--version", ARITY_NONE),
    FLAG_NOTHING("--waiting-served-ratio", ARITY_ONE),
    FLAG_NOTHING("--watermark-delta", ARITY_ONE),
    FLAG_NOTHING("--watermark-gamma", ARITY_ONE),
    FLAG_NOTHING("--weights-cache-override", ARITY_ONE),
    FLAG_NOTHING("-V", ARITY_NONE),
    FLAG_NOTHING("-e", ARITY_NONE),
    FLAG_NOTHING("-h", ARITY_NONE),
    FLAG_NOTHING("-p", ARITY_ONE),
    FLAG_LEAF("CUDA_GRAPHS", ARITY_ONE, read_graphs, "/deployment/graph_max_batch"),
    FLAG_LEAF("CUDA_MEMORY_FRACTION", ARITY_ONE, read_leaf, "/deployment/memory_utilization"),
    FLAG_KEPT("DTYPE", ARITY_ONE, read_kept_text, TEXT_DTYPE, NULL),
    FLAG_KEPT("HF_MODEL_ID", ARITY_ONE, read_kept_text, TEXT_MODEL, NULL),
    FLAG_KEPT("HF_MODEL_QUANTIZE", ARITY_ONE, read_kept_text, TEXT_QUANTIZATION,
              "/deployment/weights"),
    FLAG_LEAF("KV_CACHE_DTYPE", ARITY_ONE, read_kv_name, "/deployment/kv_cache"),
    FLAG_LEAF("MAX_BATCH_PREFILL_TOKENS", ARITY_ONE, read_leaf,
              "/deployment/chunked_prefill_tokens"),
    FLAG_LEAF("MAX_BATCH_SIZE", ARITY_ONE, read_leaf, "/deployment/max_num_seqs"),
    FLAG_LEAF("MAX_BATCH_TOTAL_TOKENS", ARITY_ONE, read_leaf, "/deployment/kv_cache_tokens"),
    FLAG_LEAF("MAX_CONCURRENT_REQUESTS", ARITY_ONE, read_leaf,
              "/deployment/max_concurrent_requests"),
    FLAG_LEAF("MAX_INPUT_LENGTH", ARITY_ONE, read_leaf, "/deployment/max_input_tokens"),
    FLAG_LEAF("MAX_INPUT_TOKENS", ARITY_ONE, read_leaf, "/deployment/max_input_tokens"),
    FLAG_LEAF("MAX_TOTAL_TOKENS", ARITY_ONE, read_leaf, "/deployment/max_model_len"),
    FLAG_KEPT("MODEL_ID", ARITY_ONE, read_kept_text, TEXT_MODEL, NULL),
    FLAG_KEPT("NUM_SHARD", ARITY_ONE, read_kept, SLOT_TP, "/deployment/tp"),
    FLAG_LEAF("PREFIX_CACHING", ARITY_ONE, read_prefix, "/deployment/prefix_caching"),
    FLAG_KEPT("QUANTIZE", ARITY_ONE, read_kept_text, TEXT_QUANTIZATION, "/deployment/weights"),
    FLAG_KEPT("SHARDED", ARITY_ONE, read_kept_on, SLOT_SHARDED, NULL),
    FLAG_KEPT("SM_NUM_GPUS", ARITY_ONE, read_kept, SLOT_TP, "/deployment/tp"),
    FLAG_LEAF("SPECULATE", ARITY_ONE, read_speculate, "/deployment/speculative/tokens"),
    FLAG_LEAF("USE_PREFIX_CACHING", ARITY_ONE, read_prefix, "/deployment/prefix_caching"),
};

static const struct flag_name KV_NAMES[] = {
    {"fp8_e4m3fn", "fp8", false}, {"fp8_e5m2", "fp8", false}, {NULL, NULL, false}};

static const struct flag_name WEIGHT_NAMES[] = {
    {"fp8", "fp8", false},
    {"bitsandbytes", "llm_int8", false},
    {"bitsandbytes_nf4", "nf4", false},
    {"bitsandbytes_fp4", "nf4", false},
    {"eetq", "int8_wo", false},
    {"awq", "awq", true},
    {"gptq", "gptq", true},
    {"marlin", "gptq", true},
    {"exl2", "exl2_4", true},
    {"compressed_tensors", NULL, true},
    {NULL, NULL, false},
};

/* Without --num-shard all devices that are seen share the model. */
static void finish(struct reading *reading)
{
    double shards = slot_or(reading, SLOT_TP, reading->found->n_devices);
    const char *flag =
        slot_said(reading, SLOT_TP) ? reading->slot_flags[SLOT_TP] : reading->found->program;

    if (shards > 1 && slot_or(reading, SLOT_SHARDED, 1) != 0)
        leaf_number(reading, flag, "/deployment/tp", shards);
    else if (slot_said(reading, SLOT_TP))
        slot_to_leaf(reading, SLOT_TP, "/deployment/tp");
    command_settle_weights(reading);
}

const struct command_engine COMMAND_TGI = {
    .id = "tgi",
    .label = "text-generation-inference",
    .flags = FLAGS,
    .n_flags = (int)ARRAY_LEN(FLAGS),
    .joins_values = true,
    .finish = finish,
    .kv_names = KV_NAMES,
    .weight_names = WEIGHT_NAMES,
};
