/*
 * hf_quant.c - quantization_config of each method: how wide, with how many scales, which modules.
 *
 * Sources: github.com/huggingface/transformers, utils/quantization_config.py (awq, gptq,
 *          bitsandbytes, fbgemm_fp8, fp8, mxfp4, hqq, auto-round, torchao, quark);
 *          github.com/vllm-project/compressed-tensors (config_groups, ignore, kv_cache_scheme);
 *          github.com/NVIDIA/Model-Optimizer (quant_algo, exclude_modules, quantized_layers).
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "hf_read.h"
#include "json_member.h"

/* Bytes of a 16-bit scale, a 32-bit one, and one of 8 bits. */
#define HALF 2.0
#define SINGLE 4.0
#define BYTE 1.0
#define BITS_PER_BYTE 8.0
/* A 4-bit code and an 8-bit scale per 64 weights, a 32-bit one per 256 of those (QLoRA,
 * arXiv:2305.14314, section 3: 0.127 bits per weight of scales). */
#define NF4_DOUBLE_BYTES (0.5 + 0.127 / BITS_PER_BYTE)
#define GROUP_DEFAULT 128.0

static const char *member_text(const cJSON *object, const char *name)
{
    const cJSON *item = json_member(object, name);
    return item != NULL && cJSON_IsString(item) ? item->valuestring : "";
}

static double member_number(const cJSON *object, const char *name, double fallback)
{
    const cJSON *item = json_member(object, name);
    return item != NULL && cJSON_IsNumber(item) && isfinite(item->valuedouble) ? item->valuedouble
                                                                               : fallback;
}

static bool member_flag(const cJSON *object, const char *name, bool fallback)
{
    const cJSON *item = json_member(object, name);
    return item != NULL && cJSON_IsBool(item) ? cJSON_IsTrue(item) != 0 : fallback;
}

static bool is_width(double bits)
{
    return bits >= 2 && bits <= 8;
}

/* A scale of `scale` bytes and, with `zero`, a zero point of the weights' own width per group; a
 * group of 0 or less is a whole column, whose scale is not counted. */
static double group_bytes(double bits, double group, double scale, bool zero)
{
    double each = bits / BITS_PER_BYTE;
    return group > 0 ? each + (scale + (zero ? each : 0)) / group : each;
}

static struct hf_group *add_group(struct hf_recipe *recipe, const char *format, double bytes)
{
    struct hf_group *group = &recipe->groups[recipe->n_groups++];
    *group = (struct hf_group){.format = format, .bytes = bytes};
    return group;
}

static bool mentions_layer(const char *text)
{
    return strpbrk(text, "0123456789") != NULL;
}

/* Appends the texts of a list (or the names of an object's members) to the patterns. */
static bool read_patterns(struct hf *hf, const cJSON *list, bool regex,
                          struct hf_pattern **patterns, int *n)
{
    int more = cJSON_GetArraySize(list);
    struct hf_pattern *all = hf_alloc(hf, (size_t)(*n + more) * sizeof(*all) + 1);
    const cJSON *item;
    if (all == NULL) {
        return false;
    }
    if (*n > 0) {
        memcpy(all, *patterns, (size_t)*n * sizeof(*all));
    }
    cJSON_ArrayForEach(item, list)
    {
        const char *text = cJSON_IsString(item) ? item->valuestring : item->string;
        if (text == NULL) {
            continue;
        }
        if (!hf_pattern_read(hf->arena, text, regex, &all[*n])) {
            return false;
        }
        hf->recipe->by_layer |= mentions_layer(text);
        (*n)++;
    }
    *patterns = all;
    return true;
}

/* Every spelling of the list of modules that stay as they were. */
static bool read_ignored(struct hf *hf, const cJSON *quant)
{
    static const char *const NAMES[] = {
        "modules_to_not_convert", "ignored_layers",         "ignore", "exclude", "exclude_modules",
        "llm_int8_skip_modules",  "modules_to_not_quantize"};
    struct hf_recipe *recipe = hf->recipe;
    for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
        const cJSON *list = json_member(quant, NAMES[i]);
        if (list != NULL && cJSON_IsArray(list) &&
            !read_patterns(hf, list, false, &recipe->ignored, &recipe->n_ignored)) {
            return false;
        }
    }
    return true;
}

/* One target or ignored module more. */
static bool add_pattern(struct hf *hf, const char *text, bool regex, struct hf_pattern **patterns,
                        int *n)
{
    struct hf_pattern *all = hf_alloc(hf, (size_t)(*n + 1) * sizeof(*all));
    if (all == NULL) {
        return false;
    }
    if (*n > 0) {
        memcpy(all, *patterns, (size_t)*n * sizeof(*all));
    }
    hf->recipe->by_layer |= mentions_layer(text);
    *patterns = all;
    return hf_pattern_read(hf->arena, text, regex, &all[(*n)++]);
}

static bool read_fp8(struct hf *hf, const cJSON *quant)
{
    const cJSON *block = json_member(quant, "weight_block_size");
    double rows = 0, columns = 0;
    if (block != NULL && cJSON_IsArray(block) && cJSON_GetArraySize(block) == 2 &&
        cJSON_IsNumber(block->child) && cJSON_IsNumber(block->child->next)) {
        rows = block->child->valuedouble;
        columns = block->child->next->valuedouble;
    }
    bool blocks = rows >= 1 && columns >= 1;
    add_group(hf->recipe, blocks ? "fp8_block" : "fp8", blocks ? 1 + SINGLE / (rows * columns) : 1);
    return true;
}

static bool read_plain_fp8(struct hf *hf, const cJSON *quant)
{
    (void)quant;
    add_group(hf->recipe, "fp8", 1);
    return true;
}

static bool read_mxfp4(struct hf *hf, const cJSON *quant)
{
    (void)quant;
    hf->recipe->experts_alone = true;
    add_group(hf->recipe, "mxfp4", group_bytes(4, 32, BYTE, false));
    return true;
}

static bool read_mxfp8(struct hf *hf, const cJSON *quant)
{
    (void)quant;
    add_group(hf->recipe, "mxfp8", group_bytes(8, 32, BYTE, false));
    return true;
}

static bool read_awq(struct hf *hf, const cJSON *quant)
{
    double bits = member_number(quant, "bits", member_number(quant, "w_bit", 4));
    double group =
        member_number(quant, "group_size", member_number(quant, "q_group_size", GROUP_DEFAULT));
    bool zero = member_flag(quant, "zero_point", true);
    if (!is_width(bits)) {
        return false;
    }
    add_group(hf->recipe, bits > 4 ? "gptq_int8" : "awq", group_bytes(bits, group, HALF, zero));
    return true;
}

static const char *gptq_format(double bits, double group, bool symmetric)
{
    if (bits > 4) {
        return "gptq_int8";
    }
    if (group > 0 && group <= 32) {
        return "gptq_g32";
    }
    return symmetric ? "gptq" : "gptq_asym";
}

/* GPTQModel's "dynamic": "-:expression" leaves modules alone, "+:expression" gives them a width of
 * their own. Written without a mark it is the latter. */
static bool read_dynamic(struct hf *hf, const cJSON *quant, double bits, double group,
                         bool symmetric)
{
    struct hf_recipe *recipe = hf->recipe;
    const cJSON *rule;
    cJSON_ArrayForEach(rule, json_member(quant, "dynamic"))
    {
        const char *text = rule->string != NULL ? rule->string : "";
        bool leaves = strncmp(text, "-:", 2) == 0;
        const char *expression = leaves || strncmp(text, "+:", 2) == 0 ? text + 2 : text;
        if (leaves) {
            if (!add_pattern(hf, expression, true, &recipe->ignored, &recipe->n_ignored)) {
                return false;
            }
            continue;
        }
        double own_bits = member_number(rule, "bits", bits);
        double own_group = member_number(rule, "group_size", group);
        bool own_symmetric = member_flag(rule, "sym", symmetric);
        if (!is_width(own_bits) || recipe->n_groups >= HF_GROUPS_MAX - 1) {
            return false;
        }
        struct hf_group *own = add_group(recipe, gptq_format(own_bits, own_group, own_symmetric),
                                         group_bytes(own_bits, own_group, HALF, !own_symmetric));
        if (!add_pattern(hf, expression, true, &own->targets, &own->n_targets)) {
            return false;
        }
    }
    return true;
}

static bool read_gptq(struct hf *hf, const cJSON *quant)
{
    double bits = member_number(quant, "bits", 4);
    double group = member_number(quant, "group_size", GROUP_DEFAULT);
    bool symmetric = member_flag(quant, "sym", true);
    if (!is_width(bits)) {
        return false;
    }
    add_group(hf->recipe, gptq_format(bits, group, symmetric),
              group_bytes(bits, group, HALF, !symmetric));
    hf->recipe->head = member_flag(quant, "lm_head", false);
    return read_dynamic(hf, quant, bits, group, symmetric);
}

static bool read_bitsandbytes(struct hf *hf, const cJSON *quant)
{
    bool eight = member_flag(quant, "load_in_8bit", member_flag(quant, "_load_in_8bit", false));
    bool four = member_flag(quant, "load_in_4bit", member_flag(quant, "_load_in_4bit", !eight));
    bool twice = member_flag(quant, "bnb_4bit_use_double_quant", true);
    if (!eight && !four) {
        return false;
    }
    if (eight) {
        add_group(hf->recipe, "llm_int8", 1);
    } else {
        add_group(hf->recipe, twice ? "nf4" : "nf4_single",
                  twice ? NF4_DOUBLE_BYTES : group_bytes(4, 64, SINGLE, false));
    }
    return true;
}

/* extra_config: single modules with a width of their own; 16 bits and more are left alone. */
static bool read_extra_config(struct hf *hf, const cJSON *quant, double group, bool symmetric)
{
    struct hf_recipe *recipe = hf->recipe;
    const cJSON *module;
    cJSON_ArrayForEach(module, json_member(quant, "extra_config"))
    {
        double bits = member_number(module, "bits", 16);
        double own_group = member_number(module, "group_size", group);
        const char *name = module->string != NULL ? module->string : "";
        if (bits > 8) {
            if (!add_pattern(hf, name, false, &recipe->ignored, &recipe->n_ignored)) {
                return false;
            }
            continue;
        }
        if (!is_width(bits) || recipe->n_groups >= HF_GROUPS_MAX - 1) {
            return false;
        }
        struct hf_group *own = add_group(recipe, bits > 4 ? "gptq_int8" : "int4",
                                         group_bytes(bits, own_group, HALF, !symmetric));
        if (!add_pattern(hf, name, false, &own->targets, &own->n_targets)) {
            return false;
        }
    }
    return true;
}

static bool read_auto_round(struct hf *hf, const cJSON *quant)
{
    double bits = member_number(quant, "bits", 4);
    double group = member_number(quant, "group_size", GROUP_DEFAULT);
    bool symmetric = member_flag(quant, "sym", true);
    if (!is_width(bits)) {
        return false;
    }
    const char *narrow = group > 32 ? "int4_g128" : "int4";
    add_group(hf->recipe, bits > 4 ? "gptq_int8" : narrow,
              group_bytes(bits, group, HALF, !symmetric));
    return read_extra_config(hf, quant, group, symmetric);
}

static bool read_hqq(struct hf *hf, const cJSON *quant)
{
    const cJSON *weights = json_member(json_member(quant, "quant_config"), "weight_quant_params");
    double bits = member_number(weights, "nbits", member_number(quant, "nbits", 4));
    double group = member_number(weights, "group_size", member_number(quant, "group_size", 64));
    if (!is_width(bits)) {
        return false;
    }
    /* A 16-bit scale and a 16-bit zero point. */
    add_group(hf->recipe, bits > 4 ? "int8_wo" : "hqq", group_bytes(bits, group, 2 * HALF, false));
    return true;
}

/* torchao by the name of its type, wherever the file keeps it. */
static const struct torchao_type {
    const char *word, *format;
    double bytes;
} TORCHAO_TYPES[] = {
    {"int4_weight_only", "int4_tinygemm", 0},
    {"int4weightonly", "int4_tinygemm", 0},
    {"int8_weight_only", "int8_wo", 1},
    {"int8weightonly", "int8_wo", 1},
    {"int8_dynamic", "int8", 1},
    {"int8dynamicactivationint8", "int8", 1},
    {"float8", "fp8", 1},
    {"int4wo", "int4_tinygemm", 0},
    {"int8wo", "int8_wo", 1},
};

static const char *torchao_name(const cJSON *quant)
{
    const cJSON *type = json_member(quant, "quant_type");
    if (type != NULL && cJSON_IsString(type)) {
        return type->valuestring;
    }
    return member_text(json_member(type, "default"), "_type");
}

static bool contains_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (; *text != '\0'; text++) {
        if (strncasecmp(text, word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_torchao(struct hf *hf, const cJSON *quant)
{
    const char *name = torchao_name(quant);
    const cJSON *inner =
        json_member(json_member(json_member(quant, "quant_type"), "default"), "_data");
    double group = member_number(
        inner, "group_size",
        member_number(json_member(quant, "quant_type_kwargs"), "group_size", GROUP_DEFAULT));
    for (size_t i = 0; i < ARRAY_LEN(TORCHAO_TYPES); i++) {
        const struct torchao_type *row = &TORCHAO_TYPES[i];
        if (contains_word(name, row->word)) {
            /* tinygemm: a 16-bit scale and zero point per group */
            double bytes = row->bytes > 0 ? row->bytes : group_bytes(4, group, 2 * HALF, false);
            add_group(hf->recipe, row->format, bytes);
            return true;
        }
    }
    return false;
}

/* What weights are stored in. */
struct spec {
    const char *format;
    double bytes;
};

static struct spec int_spec(double bits, double group, bool symmetric, bool quantised_inputs)
{
    const char *wide = quantised_inputs ? "int8" : "gptq_int8";
    const char *narrow = group > 32 || !(group > 0) ? "int4_g128" : "int4";
    return (struct spec){bits > 4 ? wide : narrow, group_bytes(bits, group, HALF, !symmetric)};
}

/* Groups of 16 are NVFP4, of 32 MXFP4. */
static struct spec fp4_spec(double group)
{
    bool micro = group > 0 && group <= 16;
    return (struct spec){micro ? "nvfp4" : "mxfp4",
                         group_bytes(4, group > 0 ? group : 32, BYTE, false)};
}

/* `block`: [rows, columns] that share a scale. */
static struct spec fp8_spec(double group, bool blocks, const cJSON *block)
{
    double cells = 128.0 * 128.0;
    if (group > 0 && group <= 32) {
        return (struct spec){"mxfp8", group_bytes(8, group, BYTE, false)};
    }
    if (!blocks) {
        return (struct spec){"fp8", 1};
    }
    if (cJSON_IsArray(block) && block->child != NULL && block->child->next != NULL) {
        cells = block->child->valuedouble * block->child->next->valuedouble;
    }
    return (struct spec){"fp8_block", cells >= 1 ? 1 + SINGLE / cells : 1};
}

/* A group's weights: {num_bits, type, group_size, strategy, symmetric, block_structure}. */
static bool weights_spec(const cJSON *weights, bool quantised_inputs, struct spec *ret_spec)
{
    double bits = member_number(weights, "num_bits", 8);
    double group = member_number(weights, "group_size", 0);
    bool is_float = strcmp(member_text(weights, "type"), "float") == 0;
    bool blocks = strcmp(member_text(weights, "strategy"), "block") == 0;
    if (!is_width(bits) || (is_float && bits < 4)) {
        return false;
    }
    if (!is_float) {
        *ret_spec =
            int_spec(bits, group, member_flag(weights, "symmetric", true), quantised_inputs);
    } else if (bits < 8) {
        *ret_spec = fp4_spec(group);
    } else {
        *ret_spec = fp8_spec(group, blocks, json_member(weights, "block_structure"));
    }
    return true;
}

/* Classes of modules, which stand for every matrix. */
static bool names_class(const cJSON *targets)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, targets)
    {
        if (cJSON_IsString(item) && (strcmp(item->valuestring, "Linear") == 0 ||
                                     strcmp(item->valuestring, "FusedMoE") == 0)) {
            return true;
        }
    }
    return false;
}

/* What the group is stored in may stand beside it ("mxfp4-pack-quantized"). */
static bool read_config_group(struct hf *hf, const cJSON *config)
{
    const cJSON *weights = json_member(config, "weights");
    const cJSON *inputs = json_member(config, "input_activations");
    const cJSON *targets = json_member(config, "targets");
    struct spec spec;
    if (weights == NULL || cJSON_IsNull(weights)) {
        return true; /* activations alone */
    }
    bool quantised_inputs = inputs == NULL || cJSON_IsObject(inputs); /* null: weights alone */
    if (hf->recipe->n_groups >= HF_GROUPS_MAX || !weights_spec(weights, quantised_inputs, &spec)) {
        return false;
    }
    struct hf_group *group = add_group(hf->recipe, spec.format, spec.bytes);
    group->every_linear = targets == NULL || names_class(targets);
    return targets == NULL || read_patterns(hf, targets, false, &group->targets, &group->n_targets);
}

static bool read_config_groups(struct hf *hf, const cJSON *quant)
{
    const cJSON *config;
    cJSON_ArrayForEach(config, json_member(quant, "config_groups"))
    {
        if (!read_config_group(hf, config)) {
            return false;
        }
    }
    return true;
}

static const struct algorithm {
    const char *name, *format;
    double bytes;
} ALGORITHMS[] = {
    {"FP8", "fp8", 1},
    {"FP8_PER_CHANNEL_PER_TOKEN", "fp8", 1},
    {"FP8_PB_WO", "fp8_block", 1 + SINGLE / (128 * 128)},
    {"FP8_PB_REAL", "fp8_block", 1 + SINGLE / (128 * 128)},
    {"NVFP4", "nvfp4", 0.5 + BYTE / 16},
    {"NVFP4_AWQ", "nvfp4", 0.5 + BYTE / 16},
    {"W4A16_NVFP4", "nvfp4", 0.5 + BYTE / 16},
    {"NVFP4_SVDQUANT", "nvfp4", 0.5 + BYTE / 16},
    {"MXFP8", "mxfp8", 1 + BYTE / 32},
    {"W4A8_MXFP4_FP8", "mxfp4", 0.5 + BYTE / 32},
    {"W4A16_MXFP4", "mxfp4", 0.5 + BYTE / 32},
    {"MXFP4", "mxfp4", 0.5 + BYTE / 32},
    {"W4A16_AWQ", "awq", 0.5 + HALF / 128},
    {"W4A8_AWQ", "awq", 0.5 + HALF / 128},
    {"INT4_AWQ", "awq", 0.5 + HALF / 128},
    {"W8A8_SQ_PER_CHANNEL", "int8", 1},
    {"INT8_SQ", "int8", 1},
    {"W8A16", "gptq_int8", 1},
};

static const struct algorithm *find_algorithm(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(ALGORITHMS); i++) {
        if (strcasecmp(ALGORITHMS[i].name, name) == 0) {
            return &ALGORITHMS[i];
        }
    }
    return NULL;
}

/* The group of that algorithm, made when it is the first. */
static struct hf_group *algorithm_group(struct hf_recipe *recipe, const struct algorithm *algorithm)
{
    for (int i = 0; i < recipe->n_groups; i++) {
        if (recipe->groups[i].format == algorithm->format) {
            return &recipe->groups[i];
        }
    }
    return recipe->n_groups < HF_GROUPS_MAX ? add_group(recipe, algorithm->format, algorithm->bytes)
                                            : NULL;
}

/* quantized_layers: {"model.layers.0.mlp.down_proj": {"quant_algo": "FP8"}}. */
static bool read_mixed(struct hf *hf, const cJSON *layers)
{
    int n = cJSON_GetArraySize(layers);
    const cJSON *layer;
    cJSON_ArrayForEach(layer, layers)
    {
        const struct algorithm *algorithm = find_algorithm(member_text(layer, "quant_algo"));
        struct hf_group *group = algorithm != NULL ? algorithm_group(hf->recipe, algorithm) : NULL;
        if (group == NULL || layer->string == NULL) {
            return false;
        }
        if (group->targets == NULL) {
            group->targets = hf_alloc(hf, (size_t)n * sizeof(*group->targets));
        }
        if (group->targets == NULL || !hf_pattern_read(hf->arena, layer->string, false,
                                                       &group->targets[group->n_targets++])) {
            return false;
        }
    }
    hf->recipe->by_layer = true;
    return hf->recipe->n_groups > 0;
}

static bool read_modelopt(struct hf *hf, const cJSON *quant)
{
    const cJSON *mixed = json_member(quant, "quantized_layers");
    const struct algorithm *algorithm = find_algorithm(member_text(quant, "quant_algo"));
    if (mixed != NULL && cJSON_IsObject(mixed)) {
        return read_mixed(hf, mixed);
    }
    if (json_member(quant, "config_groups") != NULL) {
        return read_config_groups(hf, quant);
    }
    if (algorithm == NULL) {
        return false;
    }
    struct hf_group *group = add_group(hf->recipe, algorithm->format, algorithm->bytes);
    group->every_linear = true;
    return true;
}

/* {"weight": {"dtype": "fp8_e4m3", "qscheme": "per_group", "group_size": 32}}. */
static bool quark_spec(const cJSON *config, struct spec *ret_spec)
{
    const cJSON *weight = json_member(config, "weight");
    weight = cJSON_IsArray(weight) ? weight->child : weight;
    const char *dtype = member_text(weight, "dtype");
    bool grouped = strcmp(member_text(weight, "qscheme"), "per_group") == 0;
    double group = grouped ? member_number(weight, "group_size", 32) : 0;
    if (contains_word(dtype, "fp8")) {
        *ret_spec = fp8_spec(group, false, NULL);
    } else if (contains_word(dtype, "fp4") || contains_word(dtype, "mx")) {
        *ret_spec = fp4_spec(32);
        ret_spec->bytes = fp4_spec(group).bytes;
    } else if (contains_word(dtype, "int8") || contains_word(dtype, "int4")) {
        *ret_spec = int_spec(contains_word(dtype, "int8") ? 8 : 4, group,
                             member_flag(weight, "symmetric", true),
                             cJSON_IsObject(json_member(config, "input_tensors")));
    } else {
        return false;
    }
    return true;
}

static bool read_quark(struct hf *hf, const cJSON *quant)
{
    const cJSON *config;
    struct spec spec;
    if (!quark_spec(json_member(quant, "global_quant_config"), &spec)) {
        return false;
    }
    add_group(hf->recipe, spec.format, spec.bytes)->every_linear = true;
    cJSON_ArrayForEach(config, json_member(quant, "layer_quant_config"))
    {
        if (hf->recipe->n_groups >= HF_GROUPS_MAX || config->string == NULL ||
            !quark_spec(config, &spec)) {
            return false;
        }
        struct hf_group *own = add_group(hf->recipe, spec.format, spec.bytes);
        if (!add_pattern(hf, config->string, false, &own->targets, &own->n_targets)) {
            return false;
        }
    }
    return true;
}

static const struct quant_method {
    const char *method;
    bool (*read)(struct hf *hf, const cJSON *quant);
} METHODS[] = {
    {"fp8", read_fp8},
    {"fbgemm_fp8", read_plain_fp8},
    {"ptpc_fp8", read_plain_fp8},
    {"mxfp4", read_mxfp4},
    {"mxfp8", read_mxfp8},
    {"awq", read_awq},
    {"awq_marlin", read_awq},
    {"gptq", read_gptq},
    {"gptq_marlin", read_gptq},
    {"gptqmodel", read_gptq},
    {"bitsandbytes", read_bitsandbytes},
    {"auto-round", read_auto_round},
    {"auto_round", read_auto_round},
    {"intel/auto-round", read_auto_round},
    {"compressed-tensors", read_config_groups},
    {"modelopt", read_modelopt},
    {"modelopt_fp4", read_modelopt},
    {"modelopt_mixed", read_modelopt},
    {"quark", read_quark},
    {"hqq", read_hqq},
    {"torchao", read_torchao},
};

static bool read_method(struct hf *hf, const cJSON *quant, const char *method)
{
    for (size_t i = 0; i < ARRAY_LEN(METHODS); i++) {
        if (strcmp(METHODS[i].method, method) == 0) {
            return METHODS[i].read(hf, quant);
        }
    }
    return false;
}

/* What the cache is quantised to beside the weights: a scheme of 8-bit floats, or an algorithm. */
static void read_kv_cache(struct hf *hf, const cJSON *quant)
{
    const cJSON *scheme = json_member(quant, "kv_cache_scheme");
    const char *algorithm = member_text(quant, "kv_cache_quant_algo");
    bool eight = member_number(scheme, "num_bits", 0) > 7 &&
                 strcmp(member_text(scheme, "type"), "float") == 0;
    if (eight || strcasecmp(algorithm, "FP8") == 0) {
        hf->model->native_kv_format = "fp8";
    } else if (strcasecmp(algorithm, "NVFP4") == 0) {
        hf->model->native_kv_format = "nvfp4";
    }
}

/* A method that names no group of its own covers every matrix; its first group is then the rest's.
 */
static void settle_groups(struct hf_recipe *recipe)
{
    bool rest = false;
    for (int i = 0; i < recipe->n_groups; i++) {
        rest |= recipe->groups[i].every_linear || recipe->groups[i].n_targets > 0;
    }
    if (recipe->n_groups > 0 && (!rest || recipe->groups[0].n_targets == 0)) {
        recipe->groups[0].every_linear = true;
    }
}

struct hf_recipe *hf_read_recipe(struct hf *hf, const cJSON *quant, const char *pointer)
{
    const char *method = member_text(quant, "quant_method");
    const cJSON *inner = json_member(quant, "quantization"); /* as hf_quant_config.json nests it */
    if (inner != NULL && cJSON_IsObject(inner)) {
        quant = inner;
    }
    if (method[0] == '\0' && json_member(quant, "quant_algo") != NULL) {
        method = "modelopt";
    } else if (method[0] == '\0' && json_member(quant, "config_groups") != NULL) {
        method = "compressed-tensors";
    }
    struct hf_recipe *recipe = hf_alloc(hf, sizeof(*recipe));
    hf->recipe = recipe;
    if (recipe == NULL) {
        return NULL;
    }
    int before = hf->faults->n + hf->faults->dropped;
    if (!read_method(hf, quant, method) || !read_ignored(hf, quant)) {
        const char *where = arena_printf(hf->arena, "%s/quant_method", pointer);
        if (hf->faults->n + hf->faults->dropped == before) {
            fault_add(hf->faults, where != NULL ? where : "", NULL,
                      "'%.40s' is not a quantisation that is known, or its widths are not", method);
        }
        return NULL;
    }
    settle_groups(recipe);
    read_kv_cache(hf, quant);
    return recipe;
}
