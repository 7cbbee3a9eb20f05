/*
 * command_ollama.c - Ollama's settings: variables of its server, parameters of a Modelfile.
 *
 * The rows follow envconfig/config.go and docs/modelfile.md of https://github.com/ollama/ollama.
 */
#include "command_parts.h"

#include <string.h>

#define CONTEXT 4096.0

static void read_batch(struct reading *reading, const struct flag *flag, const char *value)
{
    double tokens;

    read_leaf(reading, flag, value);
    if (command_number(value, &tokens))
        leaf_number(reading, reading->spelled, "/deployment/chunked_prefill_tokens", tokens);
}

/* What the library (https://ollama.com/library) gives for names that tell no size, or another model
 * than their first word says; the first row that begins a name counts. */
static const struct {
    const char *theirs, *model;
} LIBRARY[] = {
    {"codellama", "codellama-7b"},
    {"deepseek-r1", "qwen3-8b"},
    {"deepseek-r1:14b", "DeepSeek-R1-Distill-Qwen-14B"},
    {"deepseek-r1:32b", "DeepSeek-R1-Distill-Qwen-32B"},
    {"deepseek-r1:671b", "deepseek-r1"},
    {"deepseek-r1:70b", "DeepSeek-R1-Distill-Llama-70B"},
    {"deepseek-r1:7b", "DeepSeek-R1-Distill-Qwen-7B"},
    {"deepseek-r1:8b-llama", "DeepSeek-R1-Distill-Llama-8B"},
    {"deepseek-r1:8b", "qwen3-8b"},
    {"gemma", "gemma-7b"},
    {"gemma2", "gemma-2-9b"},
    {"gemma3", "gemma-3-4b"},
    {"gemma3n", "gemma-3n-e4b"},
    {"gpt-oss", "gpt-oss-20b"},
    {"llama2", "llama-2-7b"},
    {"llama3", "llama-3-8b"},
    {"llama3.1", "llama-3.1-8b"},
    {"llama3.2", "llama-3.2-3b"},
    {"llama3.3", "llama-3.3-70b"},
    {"llama4", "llama-4-scout"},
    {"mistral", "mistral-7b-v0.3"},
    {"mistral:7b", "mistral-7b-v0.3"},
    {"mistral-nemo", "mistral-nemo-12b"},
    {"mixtral", "mixtral-8x7b"},
    {"phi3", "phi-3-mini"},
    {"phi4", "phi-4"},
    {"qwen2", "qwen2-7b"},
    {"qwen2.5", "qwen2.5-7b"},
    {"qwen2.5-coder", "qwen2.5-7b"},
    {"qwen3", "qwen3-8b"},
    {"qwen3-coder", "qwen3-coder-30b-a3b"},
    {"qwq", "qwq-32b"},
};

/* A row's name is all of the text but ":latest", or its beginning up to a dash of the tag. */
static bool begins_with(const char *text, const char *name)
{
    size_t length = strlen(name);

    if (strncmp(text, name, length) != 0)
        return false;
    return !text[length] || strcmp(text + length, ":latest") == 0 ||
           (text[length] == '-' && strchr(name, ':') && !strstr(text + length, "-v0."));
}

/* A model by a name of the library; what its tag says of the weights is kept beside it. */
static void keep_model(struct reading *reading, const char *flag, const char *word)
{
    reading->texts[TEXT_MODEL] = word;
    reading->text_flags[TEXT_MODEL] = flag;
    for (size_t i = 0; i < ARRAY_LEN(LIBRARY); i++) {
        if (!begins_with(word, LIBRARY[i].theirs))
            continue;
        reading->texts[TEXT_MODEL] = LIBRARY[i].model;
        reading->texts[TEXT_MODEL_FILE] = word;
        return;
    }
}

static void read_from(struct reading *reading, const struct flag *flag, const char *value)
{
    keep_model(reading, flag->name, value);
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
    FLAG_LEAF("FROM", ARITY_ONE, read_from, NULL),
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
    if (n == 0)
        keep_model(reading, "model", word);
}

/* Whether a tag says that the weights were trained for their quantisation, which is Q4_0. */
static bool is_trained_for(const char *name)
{
    size_t length = strlen(name);

    return length > 4 && strcmp(name + length - 4, "-qat") == 0;
}

/* Models of its library are stored in Q4_K_M where neither the tag nor the model says otherwise. */
static void settle_library_weights(struct reading *reading)
{
    const struct plan_request *request = reading->request;
    const char *name = reading->texts[TEXT_MODEL], *flag = reading->text_flags[TEXT_MODEL];
    const char *own = request->problem.model ? request->problem.model->native_format : NULL;

    if (!name || !own || strcmp(own, "mxfp4") == 0 || request->name_format ||
        leaf_is_given(reading, "/deployment/weights"))
        return;
    leaf_text(reading, flag, "/deployment/weights", is_trained_for(name) ? "q4_0" : "q4_k_m");
    if (!is_trained_for(name))
        reading_note(reading, "weights_assumed",
                     "the tag does not tell the weight format: Q4_K_M, the library's usual one, is "
                     "planned");
}

/* docs/faq.mdx: a context has 4096 tokens unless a setting or the model's file says otherwise. */
static void settle_context(struct reading *reading)
{
    static const char LENGTH[] = "/deployment/max_model_len";

    if (leaf_is_given(reading, LENGTH))
        return;
    leaf_number(reading, reading->found->program, LENGTH, CONTEXT);
    reading_note(reading, "context_assumed",
                 "no context length is set: %.9g tokens, the engine's own, are planned", CONTEXT);
}

static void finish(struct reading *reading)
{
    settle_library_weights(reading);
    settle_context(reading);
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
