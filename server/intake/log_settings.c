/*
 * log_settings.c - the settings that an engine prints at its start, as the command they come to.
 *
 * vLLM prints a Python dict of the arguments that were given and the configuration they led to,
 * SGLang the repr of its ServerArgs, text-generation-inference the Debug text of its Args,
 * llama.cpp what its context was made with. A setting that counts here is a row.
 */
#include <ctype.h>
#include <string.h>

#include "log_parts.h"

/* How a printed value is written on a command line. */
enum spelling {
    AS_IS,
    SWITCH,    /* True = the flag; nothing otherwise */
    SWITCH_NO, /* False = the flag with "no-" */
    JSON,      /* a dict */
    KEBAB,     /* CompressedTensors = compressed-tensors */
    LOWER,
};

struct setting_row {
    enum log_engine engine;
    const char *name, *flag; /* flag NULL = the model */
    enum spelling spelling;
};

static const struct setting_row SETTINGS[] = {
    {LOG_VLLM, "model", NULL, AS_IS},
    {LOG_VLLM, "model_tag", NULL, AS_IS},
    {LOG_VLLM, "tensor_parallel_size", "--tensor-parallel-size", AS_IS},
    {LOG_VLLM, "pipeline_parallel_size", "--pipeline-parallel-size", AS_IS},
    {LOG_VLLM, "data_parallel_size", "--data-parallel-size", AS_IS},
    {LOG_VLLM, "decode_context_parallel_size", "--decode-context-parallel-size", AS_IS},
    {LOG_VLLM, "enable_expert_parallel", "--enable-expert-parallel", SWITCH},
    {LOG_VLLM, "max_model_len", "--max-model-len", AS_IS},
    {LOG_VLLM, "max_seq_len", "--max-model-len", AS_IS},
    {LOG_VLLM, "gpu_memory_utilization", "--gpu-memory-utilization", AS_IS},
    {LOG_VLLM, "kv_cache_dtype", "--kv-cache-dtype", AS_IS},
    {LOG_VLLM, "kv_cache_memory_bytes", "--kv-cache-memory-bytes", AS_IS},
    {LOG_VLLM, "quantization", "--quantization", AS_IS},
    {LOG_VLLM, "dtype", "--dtype", AS_IS},
    {LOG_VLLM, "enforce_eager", "--enforce-eager", SWITCH},
    {LOG_VLLM, "max_num_seqs", "--max-num-seqs", AS_IS},
    {LOG_VLLM, "max_num_batched_tokens", "--max-num-batched-tokens", AS_IS},
    {LOG_VLLM, "enable_prefix_caching", "--enable-prefix-caching", SWITCH_NO},
    {LOG_VLLM, "enable_chunked_prefill", "--enable-chunked-prefill", SWITCH_NO},
    {LOG_VLLM, "speculative_config", "--speculative-config", JSON},
    {LOG_VLLM, "num_gpu_blocks_override", "--num-gpu-blocks-override", AS_IS},
    {LOG_VLLM, "block_size", "--block-size", AS_IS},
    {LOG_VLLM, "enable_lora", "--enable-lora", SWITCH},
    {LOG_VLLM, "max_loras", "--max-loras", AS_IS},
    {LOG_VLLM, "max_lora_rank", "--max-lora-rank", AS_IS},
    {LOG_VLLM, "cpu_offload_gb", "--cpu-offload-gb", AS_IS},
    {LOG_VLLM, "limit_mm_per_prompt", "--limit-mm-per-prompt", JSON},
    {LOG_VLLM, "language_model_only", "--language-model-only", SWITCH},
    {LOG_VLLM, "disable_hybrid_kv_cache_manager", "--disable-hybrid-kv-cache-manager", SWITCH},
    {LOG_VLLM, "async_scheduling", "--async-scheduling", SWITCH_NO},
    {LOG_VLLM, "mamba_ssm_cache_dtype", "--mamba-ssm-cache-dtype", AS_IS},
    {LOG_VLLM, "hf_overrides", "--hf-overrides", JSON},
    {LOG_SGLANG, "model_path", NULL, AS_IS},
    {LOG_SGLANG, "tp_size", "--tp-size", AS_IS},
    {LOG_SGLANG, "pp_size", "--pp-size", AS_IS},
    {LOG_SGLANG, "dp_size", "--dp-size", AS_IS},
    {LOG_SGLANG, "ep_size", "--ep-size", AS_IS},
    {LOG_SGLANG, "enable_dp_attention", "--enable-dp-attention", SWITCH},
    {LOG_SGLANG, "mem_fraction_static", "--mem-fraction-static", AS_IS},
    {LOG_SGLANG, "context_length", "--context-length", AS_IS},
    {LOG_SGLANG, "kv_cache_dtype", "--kv-cache-dtype", AS_IS},
    {LOG_SGLANG, "quantization", "--quantization", AS_IS},
    {LOG_SGLANG, "dtype", "--dtype", AS_IS},
    {LOG_SGLANG, "chunked_prefill_size", "--chunked-prefill-size", AS_IS},
    {LOG_SGLANG, "max_running_requests", "--max-running-requests", AS_IS},
    {LOG_SGLANG, "max_total_tokens", "--max-total-tokens", AS_IS},
    {LOG_SGLANG, "page_size", "--page-size", AS_IS},
    {LOG_SGLANG, "swa_full_tokens_ratio", "--swa-full-tokens-ratio", AS_IS},
    {LOG_SGLANG, "cuda_graph_max_bs", "--cuda-graph-max-bs", AS_IS},
    {LOG_SGLANG, "disable_cuda_graph", "--disable-cuda-graph", SWITCH},
    {LOG_SGLANG, "disable_radix_cache", "--disable-radix-cache", SWITCH},
    {LOG_SGLANG, "speculative_algorithm", "--speculative-algorithm", AS_IS},
    {LOG_SGLANG, "speculative_num_steps", "--speculative-num-steps", AS_IS},
    {LOG_SGLANG, "speculative_num_draft_tokens", "--speculative-num-draft-tokens", AS_IS},
    {LOG_TGI, "model_id", NULL, AS_IS},
    {LOG_TGI, "num_shard", "--num-shard", AS_IS},
    {LOG_TGI, "quantize", "--quantize", KEBAB},
    {LOG_TGI, "dtype", "--dtype", LOWER},
    {LOG_TGI, "max_input_tokens", "--max-input-tokens", AS_IS},
    {LOG_TGI, "max_concurrent_requests", "--max-concurrent-requests", AS_IS},
    {LOG_TGI, "max_total_tokens", "--max-total-tokens", AS_IS},
    {LOG_TGI, "max_batch_prefill_tokens", "--max-batch-prefill-tokens", AS_IS},
    {LOG_TGI, "max_batch_total_tokens", "--max-batch-total-tokens", AS_IS},
    {LOG_TGI, "max_batch_size", "--max-batch-size", AS_IS},
    {LOG_TGI, "cuda_memory_fraction", "--cuda-memory-fraction", AS_IS},
};

/* Where settings begin; what closes them. "config: " has no bracket and ends with the text. */
static const struct {
    enum log_engine engine;
    const char *begin;
    char close;
} LISTS[] = {
    {LOG_VLLM, "non-default args: {", '}'}, {LOG_VLLM, "args: Namespace(", ')'},
    {LOG_VLLM, " with config: ", '\0'},     {LOG_SGLANG, "server_args=ServerArgs(", ')'},
    {LOG_SGLANG, "server_args=", '\0'},     {LOG_TGI, "text_generation_launcher: Args {", '}'},
};

/* Where a version begins. */
static const struct {
    enum log_engine engine;
    const char *begin, *prefix;
} VERSIONS[] = {
    {LOG_VLLM, "vLLM API server version ", ""},
    {LOG_VLLM, "LLM engine (v", ""},
    {LOG_TRTLLM, "TensorRT-LLM version: ", ""},
    {LOG_LLAMA, "build: ", "b"},
};

static const char *const PROGRAMS[LOG_ENGINE_COUNT][3] = {
    [LOG_VLLM] = {"vllm", "serve", NULL},
    [LOG_SGLANG] = {"python", "-m", "sglang.launch_server"},
    [LOG_LLAMA] = {"llama-server", NULL, NULL},
    [LOG_TGI] = {"text-generation-launcher", NULL, NULL},
};

static const char *const MODEL_FLAGS[LOG_ENGINE_COUNT] = {
    [LOG_VLLM] = "",
    [LOG_SGLANG] = "--model-path",
    [LOG_LLAMA] = "-m",
    [LOG_TGI] = "--model-id",
};

/* Texts -----------------------------------------------------------------------------------------
 */

char *log_flatten(struct arena *arena, const char *text)
{
    char *flat = arena_alloc_raw(arena, strlen(text) + 2);
    size_t used = 0;

    if (!flat)
        return NULL;
    while (*text) {
        if (text[0] == '\033' && text[1] == '[') {
            text += 2 + strspn(text + 2, "0123456789;");
            text += *text != '\0';
        } else if (isspace((unsigned char)*text)) {
            text += strspn(text, " \t\r\n\v\f");
            flat[used++] = ' ';
        } else {
            flat[used++] = *text++;
        }
    }
    flat[used] = '\0';
    return flat;
}

/* The closing quote of the text that begins at `at`, or the end. */
static const char *quote_end(const char *at)
{
    char quote = *at++;

    while (*at && *at != quote)
        at += 1 + (*at == '\\' && at[1]);
    return at;
}

/* Where the value that begins at `at` ends: at a comma, bracket or blank outside of its own quotes
 * and brackets. A line's last value is followed by what the next line begins with. */
static const char *value_end(const char *at)
{
    int depth = 0;

    for (at += strspn(at, " "); *at; at++) {
        if (*at == '\'' || *at == '"')
            at = quote_end(at);
        if (!*at)
            break;
        bool closes = strchr(")]}>", *at) != NULL;
        if (depth == 0 && (closes || *at == ',' || *at == ' '))
            break;
        depth += (strchr("([{<", *at) != NULL) - closes;
    }
    return at;
}

/* text[0..length) without blanks, quotes and "Some(...)" around it; NULL for None. */
static const char *bare_value(struct arena *arena, const char *text, size_t length)
{
    static const char SOME[] = "Some(";

    for (int i = 0; i < 3; i++) {
        while (length && strchr(" ,", text[0])) {
            text++;
            length--;
        }
        while (length && strchr(" ,", text[length - 1]))
            length--;
        if (length > strlen(SOME) && strncmp(text, SOME, strlen(SOME)) == 0 &&
            text[length - 1] == ')') {
            text += strlen(SOME);
            length -= strlen(SOME) + 1;
        } else if (length >= 2 && strchr("'\"", text[0]) && text[length - 1] == text[0]) {
            return arena_copy(arena, text + 1, length - 2);
        }
    }
    static const char TORCH[] = "torch.";
    if (length > strlen(TORCH) && strncmp(text, TORCH, strlen(TORCH)) == 0) {
        text += strlen(TORCH);
        length -= strlen(TORCH);
    }
    bool none = length == 0 || (length == 4 && strncmp(text, "None", length) == 0);
    return none ? NULL : arena_copy(arena, text, length);
}

/* The next setting of a list; the place behind it, NULL when the list ends. */
static const char *next_setting(struct arena *arena, const char *at,
                                struct log_setting *ret_setting)
{
    at += strspn(at, " ,'\"");
    size_t name = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    const char *behind = at + name + strspn(at + name, " '\"");

    if (name == 0 || (*behind != ':' && *behind != '='))
        return NULL;
    const char *end = value_end(behind + 1);
    ret_setting->name = arena_copy(arena, at, name);
    ret_setting->value = bare_value(arena, behind + 1, (size_t)(end - behind - 1));
    return ret_setting->name ? end : NULL;
}

/* A Python dict as JSON: quotes, True, False and None. */
static const char *json_of_dict(struct arena *arena, const char *dict)
{
    static const char *const WORDS[][2] = {{"True", "true"}, {"False", "false"}, {"None", "null"}};
    char *json = arena_copy(arena, dict, strlen(dict));
    char *to = json;

    if (!json)
        return NULL;
    while (*dict) {
        size_t i = 0;
        while (i < ARRAY_LEN(WORDS) && strncmp(dict, WORDS[i][0], strlen(WORDS[i][0])) != 0)
            i++;
        if (i < ARRAY_LEN(WORDS)) {
            memcpy(to, WORDS[i][1], strlen(WORDS[i][1]));
            to += strlen(WORDS[i][1]);
            dict += strlen(WORDS[i][0]);
            continue;
        }
        *to++ = (char)(*dict == '\'' ? '"' : *dict);
        dict++;
    }
    *to = '\0';
    return json;
}

/* CompressedTensors = compressed-tensors. */
static const char *kebab_of(struct arena *arena, const char *word, bool dashes)
{
    char *text = arena_alloc(arena, 2 * strlen(word) + 1);
    size_t used = 0;

    for (size_t i = 0; text && word[i]; i++) {
        if (dashes && i && isupper((unsigned char)word[i]))
            text[used++] = '-';
        text[used++] = (char)tolower((unsigned char)word[i]);
    }
    return text;
}

/* Words -----------------------------------------------------------------------------------------
 */

static void add_word(struct log_facts *facts, const char *word)
{
    if (word && facts->n_words < LOG_SETTINGS_MAX)
        facts->words[facts->n_words++] = word;
}

/* The word of a setting; NULL when it says nothing. */
static const char *word_of(struct arena *arena, const struct setting_row *row, const char *value)
{
    bool yes = strcmp(value, "True") == 0 || strcmp(value, "true") == 0;

    switch (row->spelling) {
    case AS_IS:
        return strchr("<{[(", value[0]) ? NULL : arena_printf(arena, "%s=%s", row->flag, value);
    case SWITCH:
        return yes ? row->flag : NULL;
    case SWITCH_NO:
        return yes ? row->flag : arena_printf(arena, "--no-%s", row->flag + 2);
    case JSON:
        return value[0] == '{' && value[1] != '}'
                   ? arena_printf(arena, "%s=%s", row->flag, json_of_dict(arena, value))
                   : NULL;
    case KEBAB:
    case LOWER:
        return arena_printf(arena, "%s=%s", row->flag,
                            kebab_of(arena, value, row->spelling == KEBAB));
    }
    return NULL;
}

/* What the lists of one log have given so far. */
struct taken {
    bool flags[ARRAY_LEN(SETTINGS)];
};

/* Rows of the same flag are one setting. */
static bool is_taken(const struct taken *taken, size_t row)
{
    for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++) {
        const char *a = SETTINGS[i].flag, *b = SETTINGS[row].flag;
        if (taken->flags[i] && SETTINGS[i].engine == SETTINGS[row].engine &&
            (a == b || (a && b && strcmp(a, b) == 0)))
            return true;
    }
    return false;
}

static void take_setting(struct arena *arena, const struct log_setting *setting,
                         struct taken *taken, struct log_facts *facts)
{
    for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++) {
        const struct setting_row *row = &SETTINGS[i];
        if (row->engine != facts->engine || strcmp(row->name, setting->name) != 0 ||
            is_taken(taken, i))
            continue;
        taken->flags[i] = true;
        if (!row->flag)
            facts->model = setting->value;
        else
            add_word(facts, word_of(arena, row, setting->value));
    }
}

static void read_list(struct arena *arena, const char *at, struct taken *taken,
                      struct log_facts *facts)
{
    struct log_setting setting;

    for (int i = 0; i < LOG_SETTINGS_MAX * 2; i++) {
        at = next_setting(arena, at, &setting);
        if (!at)
            return;
        if (setting.value)
            take_setting(arena, &setting, taken, facts);
        at += strspn(at, " ");
        if (*at != ',')
            return;
    }
}

/* llama.cpp -------------------------------------------------------------------------------------
 */

/* The text behind `begin` and before `end`, of the first occurrence; NULL when there is none. */
static const char *between(struct arena *arena, const char *flat, const char *begin,
                           const char *end)
{
    const char *from = strstr(flat, begin);
    const char *to = from ? strstr(from + strlen(begin), end) : NULL;

    if (!to || to - from > 1024)
        return NULL;
    from += strlen(begin);
    return arena_copy(arena, from, (size_t)(to - from));
}

/* "Q4_K - Medium" as "Q4_K_M", "all F32" as "F32"; NULL when it is not said. */
static const char *file_type(struct arena *arena, const char *flat)
{
    static const char BEGIN[] = "file type = ";
    static const char *const SIZES[][2] = {
        {" - Small", "_S"}, {" - Medium", "_M"}, {" - Large", "_L"}};
    const char *at = strstr(flat, BEGIN);

    if (!at)
        return NULL;
    at += strlen(BEGIN);
    at += strncmp(at, "all ", 4) == 0 ? 4 : 0;
    size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const char *size = "";
    for (size_t i = 0; i < ARRAY_LEN(SIZES); i++)
        if (strncmp(at + length, SIZES[i][0], strlen(SIZES[i][0])) == 0)
            size = SIZES[i][1];
    return length && length < 16 ? arena_printf(arena, "%.*s%s", (int)length, at, size) : NULL;
}

static void read_llama(struct arena *arena, const char *flat, struct log_facts *facts)
{
    static const struct {
        enum log_slot slot;
        const char *flag;
    } NUMBERS[] = {
        {LOG_CONTEXT, "-c"},    {LOG_BATCH, "-b"},        {LOG_MICRO_BATCH, "-ub"},
        {LOG_SEQUENCES, "-np"}, {LOG_GPU_LAYERS, "-ngl"},
    };

    const char *loaded = strstr(flat, "loaded meta data with ");
    const char *keys = between(arena, flat, " K (", ")");
    const char *values = between(arena, flat, " V (", ")");

    facts->weights = file_type(arena, flat);
    facts->model = loaded ? between(arena, loaded, " tensors from ", " (version") : NULL;
    /* A store that names files by their hash: the name inside counts. */
    if (!facts->model || strstr(facts->model, "sha256"))
        facts->model = between(arena, flat, "general.name str = ", " llama_model_loader");
    for (size_t i = 0; i < ARRAY_LEN(NUMBERS); i++) {
        double number = facts->numbers[NUMBERS[i].slot];
        if (isnan(number))
            continue;
        add_word(facts, NUMBERS[i].flag);
        add_word(facts, arena_printf(arena, "%.9g", number));
    }
    if (keys && values && strlen(keys) < 12 && strlen(values) < 12) {
        add_word(facts, "-ctk");
        add_word(facts, keys);
        add_word(facts, "-ctv");
        add_word(facts, values);
    }
}

/* Whole -----------------------------------------------------------------------------------------
 */

static void read_version(struct arena *arena, const char *flat, struct log_facts *facts)
{
    for (size_t i = 0; i < ARRAY_LEN(VERSIONS) && !facts->version; i++) {
        const char *at = strstr(flat, VERSIONS[i].begin);
        if (!at || VERSIONS[i].engine != facts->engine)
            continue;
        at += strlen(VERSIONS[i].begin);
        size_t length = strcspn(at, " ),");
        if (length && length < 40 && isdigit((unsigned char)at[0]))
            facts->version = arena_printf(arena, "%s%.*s", VERSIONS[i].prefix, (int)length, at);
    }
}

/* Puts the program and the model before the flags. */
static void finish_words(struct log_facts *facts, const char **all)
{
    const char *const *program = PROGRAMS[facts->engine];
    const char *flag = MODEL_FLAGS[facts->engine];
    int n = 0;

    for (int i = 0; i < 3 && program[i]; i++)
        all[n++] = program[i];
    if (facts->model && flag[0])
        all[n++] = flag;
    if (facts->model)
        all[n++] = facts->model;
    if (facts->n_words)
        memcpy(all + n, facts->words, (size_t)facts->n_words * sizeof(*all));
    facts->n_words = facts->model || facts->n_words ? n + facts->n_words : 0;
    facts->words = all;
}

void log_settings_read(struct arena *arena, const char *flat, struct log_facts *facts)
{
    struct taken taken = {.flags = {false}};
    const char **all = arena_alloc(arena, (LOG_SETTINGS_MAX + 8) * sizeof(*all));

    facts->words = arena_alloc(arena, LOG_SETTINGS_MAX * sizeof(*facts->words));
    if (facts->engine == LOG_ENGINE_COUNT || !facts->words || !all)
        return;
    read_version(arena, flat, facts);
    for (size_t i = 0; i < ARRAY_LEN(LISTS); i++) {
        const char *at = LISTS[i].engine == facts->engine ? strstr(flat, LISTS[i].begin) : NULL;
        if (at)
            read_list(arena, at + strlen(LISTS[i].begin), &taken, facts);
    }
    if (facts->engine == LOG_LLAMA)
        read_llama(arena, flat, facts);
    if (PROGRAMS[facts->engine][0])
        finish_words(facts, all);
}
