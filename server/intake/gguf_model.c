#include "gguf_model.h"

#include <math.h>
#include <string.h>

#include "compiler.h"

/* general.architecture and the model_type that its geometry is read as, with experts another. */
static const struct architecture {
    const char *name, *type, *moe_type;
} ARCHITECTURES[] = {
    {"llama", "llama", "mixtral"},
    {"mistral3", "mistral", "mixtral"},
    {"llama4", "llama4", NULL},
    {"deci", "nemotron-nas", NULL},
    {"qwen2", "qwen2", NULL},
    {"qwen2vl", "qwen2", NULL},
    {"qwen2moe", "qwen2_moe", NULL},
    {"qwen3", "qwen3", NULL},
    {"qwen3vl", "qwen3", NULL},
    {"qwen3moe", "qwen3_moe", NULL},
    {"qwen3vlmoe", "qwen3_moe", NULL},
    {"qwen3next", "qwen3_next", NULL},
    {"qwen35", "qwen3_5", NULL},
    {"qwen35moe", "qwen3_5_moe", NULL},
    {"gemma", "gemma", NULL},
    {"gemma2", "gemma2", NULL},
    {"gemma3", "gemma3_text", NULL},
    {"gemma4", "gemma4", NULL},
    {"phi2", "phi", NULL},
    {"phi3", "phi3", NULL},
    {"phimoe", "phimoe", NULL},
    {"gpt-oss", "gpt_oss", NULL},
    {"deepseek2", "deepseek_v3", NULL},
    {"glm4moe", "glm4_moe", NULL},
    {"minimax-m2", "minimax_m2", NULL},
    {"dots1", "dots1", NULL},
    {"ernie4_5-moe", "ernie4_5_moe", NULL},
    {"dbrx", "dbrx", NULL},
    {"seed_oss", "seed_oss", NULL},
    {"smollm3", "smollm3", NULL},
    {"exaone", "exaone", NULL},
    {"exaone4", "exaone4", NULL},
    {"granite", "granite", NULL},
    {"internlm2", "internlm2", NULL},
    {"olmo2", "olmo2", NULL},
    {"olmoe", "olmoe", NULL},
    {"command-r", "cohere", NULL},
    {"cohere2", "cohere2", NULL},
    {"starcoder2", "starcoder2", NULL},
    {"nemotron", "nemotron", NULL},
    {"nemotron_h", "nemotron_h", NULL},
    {"nemotron_h_moe", "nemotron_h", NULL},
    {"gpt2", "gpt2", NULL},
    {"gptneox", "gpt_neox", NULL},
    {"bloom", "bloom", NULL},
    {"falcon", "falcon", NULL},
    {"stablelm", "stablelm", NULL},
    {"minicpm", "minicpm", NULL},
    {"lfm2", "lfm2", NULL},
    {"lfm2moe", "lfm2_moe", NULL},
    {"mamba2", "mamba2", NULL},
};

/* Keys below the architecture's name, and the fields of a config.json that say the same. */
static const struct key_row {
    const char *key, *field;
} KEYS[] = {
    {"embedding_length", "hidden_size"},
    {"context_length", "max_position_embeddings"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.sliding_window", "sliding_window"},
    {"attention.chunk_size", "attention_chunk_size"},
    {"expert_count", "num_experts"},
    {"expert_used_count", "num_experts_per_tok"},
    {"expert_feed_forward_length", "moe_intermediate_size"},
    {"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
    {"expert_shared_count", "n_shared_experts"},
    {"leading_dense_block_count", "first_k_dense_replace"},
    {"interleave_moe_layer_step", "interleave_moe_layer_step"},
    {"nextn_predict_layers", "num_nextn_predict_layers"},
    {"attention.q_lora_rank", "q_lora_rank"},
    {"attention.kv_lora_rank", "kv_lora_rank"},
    {"attention.indexer.head_count", "index_n_heads"},
    {"attention.indexer.key_length", "index_head_dim"},
    {"attention.indexer.top_k", "index_topk"},
    {"attention.shared_kv_layers", "num_kv_shared_layers"},
    {"embedding_length_per_layer_input", "hidden_size_per_layer_input"},
    {"full_attention_interval", "full_attention_interval"},
    {"shortconv.l_cache", "conv_L_cache"},
};

/* general.file_type, by number. */
static const struct file_type {
    int number;
    const char *format;
} FILE_TYPES[] = {
    {0, "fp32"},     {1, "fp16"},     {2, "q4_0"},       {3, "q4_1"},        {7, "q8_0"},
    {8, "q5_0"},     {9, "q5_1"},     {10, "q2_k"},      {11, "q3_k_s"},     {12, "q3_k_m"},
    {13, "q3_k_l"},  {14, "q4_k_s"},  {15, "q4_k_m"},    {16, "q5_k_s"},     {17, "q5_k_m"},
    {18, "q6_k"},    {19, "iq2_xxs"}, {20, "iq2_xs"},    {21, "q2_k_s"},     {22, "iq3_xs"},
    {23, "iq3_xxs"}, {24, "iq1_s"},   {25, "iq4_nl"},    {26, "iq3_s"},      {27, "iq3_m"},
    {28, "iq2_s"},   {29, "iq2_m"},   {30, "iq4_xs"},    {31, "iq1_m"},      {32, "bf16"},
    {36, "tq1_0"},   {37, "tq2_0"},   {38, "mxfp4_moe"}, {39, "gguf_nvfp4"},
};

/* Types whose format has another name than the type. */
static const struct type_format {
    const char *type, *format;
} TYPE_FORMATS[] = {
    {"f32", "fp32"},    {"f16", "fp16"},        {"q3_K", "q3_k_m"},      {"q4_K", "q4_k_m"},
    {"q5_K", "q5_k_m"}, {"mxfp4", "mxfp4_moe"}, {"nvfp4", "gguf_nvfp4"},
};

/* One writing. */
struct describing {
    struct json_out *out;
    const struct gguf_facts *facts;
    struct faults *faults;
    const char *prefix; /* general.architecture */
    int n_layers;       /* without MTP layers */
};

static const struct gguf_value *find_below(const struct describing *d, const char *key)
{
    const char *name = arena_printf(d->faults->arena, "%s.%s", d->prefix, key);
    return name ? gguf_find(d->facts, name) : NULL;
}

/* A number, or a list's largest; `fallback` where the key is absent. */
static double number_of(const struct describing *d, const char *key, double fallback)
{
    const struct gguf_value *value = find_below(d, key);
    if (!value || value->kind == GGUF_TEXT)
        return fallback;
    if (value->kind == GGUF_NUMBER)
        return value->number;
    double largest = 0;
    for (int i = 0; i < value->n; i++)
        largest = fmax(largest, value->list[i]);
    return largest;
}

static void put(const struct describing *d, const char *field, double value)
{
    if (value > 0 && isfinite(value))
        json_put_number(d->out, field, value);
}

const struct weight_format *gguf_model_format(const struct catalogue *catalogue,
                                              const struct gguf_facts *facts)
{
    const struct gguf_value *stated = gguf_find(facts, "general.file_type");
    const char *name = NULL;
    uint32_t most = 0;
    for (size_t i = 0; stated && i < ARRAY_LEN(FILE_TYPES); i++) {
        if (!(fabs(stated->number - FILE_TYPES[i].number) > 0))
            name = FILE_TYPES[i].format;
    }
    for (uint32_t type = 0; type < GGUF_TYPES_MAX; type++)
        most = facts->types[type].bytes > facts->types[most].bytes ? type : most;
    if (!name)
        name = gguf_type_name(most);
    for (size_t i = 0; i < ARRAY_LEN(TYPE_FORMATS); i++) {
        if (strcmp(TYPE_FORMATS[i].type, name) == 0)
            name = TYPE_FORMATS[i].format;
    }
    int found = catalogue_find_weight_format(catalogue, name);
    return found >= 0 ? &catalogue->lib.weight_formats[found] : NULL;
}

bool gguf_model_is_part(const struct gguf_facts *facts)
{
    const struct gguf_value *count = gguf_find(facts, "split.count");
    return count && count->number > 1;
}

static const struct architecture *find_architecture(struct describing *d)
{
    const struct gguf_value *stated = gguf_find(d->facts, "general.architecture");
    const char *names[ARRAY_LEN(ARCHITECTURES)];
    if (!stated || stated->kind != GGUF_TEXT) {
        fault_add(d->faults, "", NULL, "the file has no general.architecture");
        return NULL;
    }
    d->prefix = stated->text;
    for (size_t i = 0; i < ARRAY_LEN(ARCHITECTURES); i++) {
        if (strcmp(ARCHITECTURES[i].name, stated->text) == 0)
            return &ARCHITECTURES[i];
        names[i] = ARCHITECTURES[i].name;
    }
    fault_add(d->faults, "", fault_nearest(stated->text, names, (int)ARRAY_LEN(ARCHITECTURES)),
              "general.architecture is \"%.60s\", whose geometry is not known", stated->text);
    return NULL;
}

/* Multi-head latent attention: the key's width is the latent's where the file caches that, and the
 * heads' own under *_mla. */
static void put_latent(const struct describing *d)
{
    double rope = number_of(d, "rope.dimension_count", 0);
    double key = number_of(d, "attention.key_length_mla", number_of(d, "attention.key_length", 0));
    put(d, "qk_rope_head_dim", rope);
    put(d, "qk_nope_head_dim", key - rope);
    put(d, "v_head_dim",
        number_of(d, "attention.value_length_mla", number_of(d, "attention.value_length", 0)));
}

/* Head counts and widths; with a window's own where the file has them (Gemma 4). */
static void put_heads(const struct describing *d)
{
    const struct gguf_value *kv = find_below(d, "attention.head_count_kv");
    const struct gguf_value *windows = find_below(d, "attention.sliding_window_pattern");
    double narrow = number_of(d, "attention.key_length_swa", 0);
    double wide = number_of(d, "attention.key_length", 0);
    double n_kv = number_of(d, "attention.head_count_kv", 0), n_full = 0;
    bool by_layer = kv && kv->kind == GGUF_LIST && windows && windows->kind == GGUF_LIST;
    for (int i = 0; by_layer && i < kv->n && i < windows->n; i++) {
        if (windows->list[i] > 0)
            n_kv = kv->list[i];
        else
            n_full = kv->list[i];
    }
    put(d, "num_key_value_heads", n_kv);
    put(d, "num_global_key_value_heads", n_full);
    put(d, "head_dim", narrow > 0 ? narrow : wide);
    if (narrow > 0)
        put(d, "global_head_dim", wide);
}

/* States: those of a gated delta net, and those of Mamba. */
static void put_states(const struct describing *d, const char *type)
{
    double inner = number_of(d, "ssm.inner_size", 0), rank = number_of(d, "ssm.time_step_rank", 0);
    double state = number_of(d, "ssm.state_size", 0), kernel = number_of(d, "ssm.conv_kernel", 0);
    double groups = number_of(d, "ssm.group_count", 0);
    if (!(inner > 0) || !(rank > 0))
        return;
    if (strncmp(type, "qwen3", 5) == 0) {
        put(d, "linear_num_value_heads", rank);
        put(d, "linear_value_head_dim", floor(inner / rank));
        put(d, "linear_num_key_heads", groups);
        put(d, "linear_key_head_dim", state);
        put(d, "linear_conv_kernel_dim", kernel);
        return;
    }
    put(d, "mamba_num_heads", rank);
    put(d, "mamba_head_dim", floor(inner / rank));
    put(d, "ssm_state_size", state);
    put(d, "n_groups", groups);
    put(d, "conv_kernel", kernel);
}

/* What layer i of a file with lists is: of attention where it has KV heads, of an FFN where that
 * has a width. */
static double at(const struct gguf_value *list, int i, double otherwise)
{
    if (!list || list->kind == GGUF_TEXT)
        return otherwise;
    if (list->kind == GGUF_NUMBER)
        return list->number;
    return i < list->n ? list->list[i] : 0;
}

static void put_nemotron_blocks(const struct describing *d)
{
    const struct gguf_value *kv = find_below(d, "attention.head_count_kv");
    const struct gguf_value *ffn = find_below(d, "feed_forward_length");
    bool moe = number_of(d, "expert_count", 0) > 0;
    json_key(d->out, "layers_block_type");
    json_begin_array(d->out);
    for (int i = 0; i < d->n_layers; i++) {
        const char *wide = moe ? "moe" : "mlp";
        const char *narrow = at(ffn, i, 0) > 0 ? wide : "mamba";
        json_text(d->out, at(kv, i, 0) > 0 ? "attention" : narrow);
    }
    json_end_array(d->out);
}

/* Windowed layers by their list; convolutions where a layer has no KV heads. */
static void put_layer_types(const struct describing *d)
{
    const struct gguf_value *windows = find_below(d, "attention.sliding_window_pattern");
    const struct gguf_value *kv = find_below(d, "attention.head_count_kv");
    bool windowed = windows && windows->kind == GGUF_LIST;
    bool mixed = kv && kv->kind == GGUF_LIST && find_below(d, "shortconv.l_cache");
    if (!windowed && !mixed) {
        if (windows && windows->kind == GGUF_NUMBER)
            put(d, "sliding_window_pattern", windows->number);
        return;
    }
    json_key(d->out, "layer_types");
    json_begin_array(d->out);
    for (int i = 0; i < d->n_layers; i++) {
        const char *plain = mixed && !(at(kv, i, 0) > 0) ? "conv" : "full_attention";
        json_text(d->out, windowed && at(windows, i, 0) > 0 ? "sliding_attention" : plain);
    }
    json_end_array(d->out);
}

/* Widths of the FFN, from the metadata or from the shapes of its tensors. */
static void put_ffn(const struct describing *d)
{
    const double(*shapes)[GGUF_DIMS_MAX] = d->facts->shapes;
    double dense = number_of(d, "feed_forward_length", 0);
    put(d, "intermediate_size", dense > 0 ? dense : shapes[GGUF_FFN_UP][1]);
    if (!(number_of(d, "expert_feed_forward_length", 0) > 0))
        put(d, "moe_intermediate_size", shapes[GGUF_FFN_UP_EXPERTS][1]);
    if (!(number_of(d, "expert_shared_feed_forward_length", 0) > 0))
        put(d, "shared_expert_intermediate_size", shapes[GGUF_FFN_UP_SHARED][1]);
}

static void write_config(struct describing *d, const struct architecture *architecture)
{
    struct json_out *out = d->out;
    const double(*shapes)[GGUF_DIMS_MAX] = d->facts->shapes;
    bool moe = architecture->moe_type && number_of(d, "expert_count", 0) > 0;
    const char *type = moe ? architecture->moe_type : architecture->type;
    double blocks = number_of(d, "block_count", 0), draft = number_of(d, "nextn_predict_layers", 0);
    d->n_layers = blocks - draft >= 1 && blocks < 10000 ? (int)(blocks - draft) : 0;
    json_begin_object(out);
    json_put_text(out, "model_type", type);
    put(d, "num_hidden_layers", d->n_layers);
    for (size_t i = 0; i < ARRAY_LEN(KEYS); i++)
        put(d, KEYS[i].field, number_of(d, KEYS[i].key, 0));
    put(d, "vocab_size", shapes[GGUF_TOKEN_EMBEDDING][1]);
    json_put_bool(out, "tie_word_embeddings", !(shapes[GGUF_OUTPUT][0] > 0));
    if (shapes[GGUF_QUERY_BIAS][0] > 0)
        json_put_bool(out, "attention_bias", true);
    if (number_of(d, "attention.kv_lora_rank", 0) > 0)
        put_latent(d);
    else
        put_heads(d);
    put_ffn(d);
    put_states(d, type);
    if (strcmp(type, "nemotron_h") == 0)
        put_nemotron_blocks(d);
    else
        put_layer_types(d);
    json_end_object(out);
}

static void write_checkpoint(const struct describing *d, const struct weight_format *format)
{
    struct json_out *out = d->out;
    json_begin_object(out);
    json_put_text(out, "format", format->id);
    if (!gguf_model_is_part(d->facts)) {
        json_put_number(out, "bytes", d->facts->data_bytes);
        json_key(out, "bytes_by_role");
        json_begin_object(out);
        for (int role = 0; role < ROLE_COUNT; role++) {
            if (d->facts->roles[role].bytes > 0)
                json_put_number(out, role_name((enum role)role), d->facts->roles[role].bytes);
        }
        json_end_object(out);
    }
    json_end_object(out);
}

bool gguf_model_write(struct json_out *out, const struct catalogue *catalogue,
                      const struct gguf_facts *facts, struct faults *faults)
{
    struct describing d = {.out = out, .facts = facts, .faults = faults};
    const struct architecture *architecture = find_architecture(&d);
    const struct weight_format *format = gguf_model_format(catalogue, facts);
    if (!architecture)
        return false;
    if (!format) {
        fault_add(faults, "", NULL, "the file's type of weights is not one of the catalogue");
        return false;
    }
    json_begin_object(out);
    json_key(out, "hf_config");
    write_config(&d, architecture);
    json_key(out, "checkpoint");
    write_checkpoint(&d, format);
    json_end_object(out);
    return true;
}
