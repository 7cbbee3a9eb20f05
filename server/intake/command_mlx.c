/*
 * command_mlx.c - the flags of mlx_lm.server and mlx_lm.generate.
 *
 * The rows follow mlx_lm/server.py and mlx_lm/generate.py of https://github.com/ml-explore/mlx-lm.
 */
#include "command_parts.h"

#include <string.h>

static void read_kv_bits(struct reading *reading, const struct flag *flag, const char *value)
{
    if (strcmp(value, "8") == 0 || strcmp(value, "4") == 0)
        leaf_text(reading, reading->spelled, flag->pointer,
                  value[0] == '8' ? "mlx_kv8" : "mlx_kv4");
    else
        read_not_modelled(reading, flag, value);
}

static const struct flag FLAGS[] = {
    FLAG_NOTHING("--adapter-path", ARITY_ONE),
    FLAG_NOTHING("--allowed-origins", ARITY_ONE),
    FLAG_NOTHING("--cache-limit-gb", ARITY_ONE),
    FLAG_NOTHING("--chat-template", ARITY_ONE),
    FLAG_NOTHING("--chat-template-args", ARITY_ONE),
    FLAG_LEAF("--decode-concurrency", ARITY_ONE, read_leaf, "/deployment/max_num_seqs"),
    FLAG_KEPT("--draft-model", ARITY_ONE, read_draft_model, TEXT_SPEC_MODEL, NULL),
    FLAG_NOTHING("--extra-eos-token", ARITY_ONE),
    FLAG_NOTHING("--help", ARITY_NONE),
    FLAG_NOTHING("--host", ARITY_ONE),
    FLAG_NOTHING("--ignore-chat-template", ARITY_NONE),
    FLAG_LEAF("--kv-bits", ARITY_ONE, read_kv_bits, "/deployment/kv_cache"),
    FLAG_NOTHING("--kv-group-size", ARITY_ONE),
    FLAG_NOTHING("--log-level", ARITY_ONE),
    FLAG_LEAF("--max-kv-size", ARITY_ONE, read_leaf, "/deployment/max_model_len"),
    FLAG_NOTHING("--max-tokens", ARITY_ONE),
    FLAG_NOTHING("--min-p", ARITY_ONE),
    FLAG_NOTHING("--min-tokens-to-keep", ARITY_ONE),
    FLAG_KEPT("--model", ARITY_ONE, read_kept_text, TEXT_MODEL, NULL),
    FLAG_KEPT("--num-draft-tokens", ARITY_ONE, read_kept, SLOT_SPEC_TOKENS,
              "/deployment/speculative/tokens"),
    FLAG_NOTHING("--pipeline", ARITY_NONE),
    FLAG_NOTHING("--port", ARITY_ONE),
    FLAG_NOTHING("--prefill-response", ARITY_ONE),
    FLAG_LEAF("--prefill-step-size", ARITY_ONE, read_leaf, "/deployment/chunked_prefill_tokens"),
    FLAG_NOTHING("--prompt", ARITY_ONE),
    FLAG_NOTHING("--prompt-cache-bytes", ARITY_ONE),
    FLAG_NOTHING("--prompt-cache-file", ARITY_ONE),
    FLAG_NOTHING("--prompt-cache-size", ARITY_ONE),
    FLAG_NOTHING("--prompt-concurrency", ARITY_ONE),
    FLAG_NOTHING("--quantize-activations", ARITY_ONE),
    FLAG_NOTHING("--quantized-kv-start", ARITY_ONE),
    FLAG_NOTHING("--seed", ARITY_ONE),
    FLAG_NOTHING("--system-prompt", ARITY_ONE),
    FLAG_NOTHING("--temp", ARITY_ONE),
    FLAG_NOTHING("--top-k", ARITY_ONE),
    FLAG_NOTHING("--top-p", ARITY_ONE),
    FLAG_NOTHING("--trust-remote-code", ARITY_NONE),
    FLAG_NOTHING("--use-default-chat-template", ARITY_NONE),
    FLAG_NOTHING("--verbose", ARITY_ONE),
    FLAG_NOTHING("--xtc-probability", ARITY_ONE),
    FLAG_NOTHING("--xtc-threshold", ARITY_ONE),
    FLAG_NOTHING("-h", ARITY_NONE),
    FLAG_NOTHING("-m", ARITY_ONE),
    FLAG_NOTHING("-p", ARITY_ONE),
};

static void finish(struct reading *reading)
{
    command_settle_drafts(reading);
}

const struct command_engine COMMAND_MLX = {
    .id = "mlx",
    .label = "mlx-lm",
    .flags = FLAGS,
    .n_flags = (int)ARRAY_LEN(FLAGS),
    .abbreviates = true,
    .joins_values = true,
    .finish = finish,
};
