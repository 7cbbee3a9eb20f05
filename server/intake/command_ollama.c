/*
 * command_ollama.c - Ollama's settings: variables of its server, parameters of a Modelfile.
 *
 * The rows follow envconfig/config.go and docs/modelfile.md of https://github.com/ollama/ollama.
 */
#include "command_parts.h"

#include <string.h>

static void read_batch(struct reading *reading, const struct flag *flag, const char *value)
{
    double tokens;

    read_leaf(reading, flag, value);
    if (command_number(value, &tokens))
        leaf_number(reading, reading->spelled, "/deployment/chunked_prefill_tokens", tokens);
}

/* -1 and 999 put all layers on the GPU. */
static void read_layers(struct reading *reading, const struct flag *flag, const char *value)
{
    if (value[0] != '-')
        read_leaf(reading, flag, value);
}

static const struct flag FLAGS[] = {
    FLAG_NOTHING("--dimensions", ARITY_ONE),
    FLAG_NOTHING("--file", ARITY_ONE),
    FLAG_NOTHING("--format", ARITY_ONE),
    FLAG_NOTHING("--help", ARITY_NONE),
    FLAG_NOTHING("--hidethinking", ARITY_NONE),
    FLAG_NOTHING("--insecure", ARITY_NONE),
    FLAG_NOTHING("--keepalive", ARITY_ONE),
    FLAG_NOTHING("--nowordwrap", ARITY_NONE),
    FLAG_NOTHING("--think", ARITY_MAYBE),
    FLAG_NOTHING("--truncate", ARITY_NONE),
    FLAG_NOTHING("--verbose", ARITY_NONE),
    FLAG_NOTHING("-f", ARITY_ONE),
    FLAG_NOTHING("-h", ARITY_NONE),
    FLAG_KEPT("FROM", ARITY_ONE, read_kept_text, TEXT_MODEL, NULL),
    FLAG_LEAF("OLLAMA_CONTEXT_LENGTH", ARITY_ONE, read_leaf, "/deployment/max_model_len"),
    FLAG_NOTHING("OLLAMA_DEBUG", ARITY_ONE),
    FLAG_LEAF("OLLAMA_FLASH_ATTENTION", ARITY_ONE, read_on, "/deployment/flash_attention"),
    FLAG_LEAF("OLLAMA_GPU_OVERHEAD", ARITY_ONE, read_leaf, "/deployment/other_processes_bytes"),
    FLAG_NOTHING("OLLAMA_HOST", ARITY_ONE),
    FLAG_NOTHING("OLLAMA_KEEP_ALIVE", ARITY_ONE),
    FLAG_LEAF("OLLAMA_KV_CACHE_TYPE", ARITY_ONE, read_leaf, "/deployment/kv_cache"),
    FLAG_NOTHING("OLLAMA_LOAD_TIMEOUT", ARITY_ONE),
    FLAG_NOTHING("OLLAMA_MAX_LOADED_MODELS", ARITY_ONE),
    FLAG_NOTHING("OLLAMA_MAX_QUEUE", ARITY_ONE),
    FLAG_NOTHING("OLLAMA_MODELS", ARITY_ONE),
    FLAG_NOTHING("OLLAMA_NEW_ENGINE", ARITY_ONE),
    FLAG_NOTHING("OLLAMA_NOPRUNE", ARITY_ONE),
    FLAG_LEAF("OLLAMA_NUM_PARALLEL", ARITY_ONE, read_leaf, "/deployment/max_num_seqs"),
    FLAG_NOTHING("OLLAMA_ORIGINS", ARITY_ONE),
    FLAG_NOTHING("OLLAMA_SCHED_SPREAD", ARITY_ONE),
    FLAG_LEAF("num_batch", ARITY_ONE, read_batch, "/deployment/micro_batch_tokens"),
    FLAG_LEAF("num_ctx", ARITY_ONE, read_leaf, "/deployment/max_model_len"),
    FLAG_LEAF("num_gpu", ARITY_ONE, read_layers, "/deployment/gpu_layers"),
    FLAG_LEAF("num_thread", ARITY_ONE, read_leaf, "/deployment/cpu_threads"),
};

/* ollama run MODEL, then the words of a prompt. */
static void take_positional(struct reading *reading, int n, const char *word)
{
    if (n > 0)
        return;
    reading->texts[TEXT_MODEL] = word;
    reading->text_flags[TEXT_MODEL] = "model";
}

/* Models of its library are stored in Q4_K_M where neither the tag nor the model says otherwise. */
static void finish(struct reading *reading)
{
    const struct plan_request *request = reading->request;
    const char *own = request->problem.model ? request->problem.model->native_format : NULL;
    bool plain = !own || strcmp(own, "bf16") == 0 || strcmp(own, "fp16") == 0;

    if (reading->texts[TEXT_MODEL] && plain && !request->name_format &&
        !leaf_is_given(reading, "/deployment/weights")) {
        leaf_text(reading, reading->text_flags[TEXT_MODEL], "/deployment/weights", "q4_k_m");
        reading_note(reading, "weights_assumed",
                     "the tag does not tell the weight format: Q4_K_M, the library's usual one, is "
                     "planned");
    }
}

const struct command_engine COMMAND_OLLAMA = {
    .id = "ollama",
    .label = "Ollama",
    .flags = FLAGS,
    .n_flags = (int)ARRAY_LEN(FLAGS),
    .joins_values = true,
    .positional = take_positional,
    .finish = finish,
};
