/*
 * hf_format.c - what a checkpoint's weights are stored in: torch_dtype and quantization_config.
 */
#include <string.h>

#include "hf_read.h"

static const struct torch_dtype {
    const char *name;
    enum dtype dtype;
    const char *format;
} TORCH_DTYPES[] = {
    {"bfloat16", DTYPE_BF16, "bf16"},
    {"float16", DTYPE_FP16, "fp16"},
    {"float32", DTYPE_FP32, "fp32"},
};

/* quant_method to weight format; bits tell the rest where one method has several. */
static const struct quant_method {
    const char *method;
    double bits; /* 0 = any */
    const char *format;
} METHODS[] = {
    {"mxfp4", 0, "mxfp4"},      {"awq", 0, "awq"},
    {"gptq", 8, "int8"},        {"gptq", 0, "gptq"},
    {"fbgemm_fp8", 0, "fp8"},   {"bitsandbytes", 8, "int8"},
    {"bitsandbytes", 4, "nf4"}, {"auto-round", 8, "int8"},
    {"auto-round", 0, "int4"},  {"intel/auto-round", 0, "int4"},
};

/* How compressed-tensors and modelopt describe one group of weights. */
static const struct group_format {
    const char *type;
    double bits;
    bool micro_block; /* a scale per 16 values */
    const char *format;
} GROUP_FORMATS[] = {
    {"int", 4, false, "int4"},   {"int", 8, false, "int8"},    {"float", 8, false, "fp8"},
    {"float", 4, true, "nvfp4"}, {"float", 4, false, "mxfp4"},
};

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *member_text(const cJSON *object, const char *name)
{
    const cJSON *item = member(object, name);
    return item != NULL && cJSON_IsString(item) ? item->valuestring : "";
}

static double member_number(const cJSON *object, const char *name)
{
    const cJSON *item = member(object, name);
    return item != NULL && cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* Whether a text of the list contains `word`. */
static bool list_mentions(const cJSON *list, const char *word)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        if (cJSON_IsString(item) && strstr(item->valuestring, word) != NULL) {
            return true;
        }
    }
    return false;
}

static const char *group_format(const cJSON *group)
{
    const cJSON *weights = member(group, "weights");
    double bits = member_number(weights, "num_bits");
    double size = member_number(weights, "group_size");
    for (size_t i = 0; i < ARRAY_LEN(GROUP_FORMATS); i++) {
        const struct group_format *row = &GROUP_FORMATS[i];
        bool same_bits = !(row->bits < bits) && !(row->bits > bits);
        bool fits = !row->micro_block || (size > 0 && size <= 16);
        if (same_bits && fits && strcmp(row->type, member_text(weights, "type")) == 0) {
            return row->format;
        }
    }
    return NULL;
}

/*
 * Groups of weights by number: the first is the model's format. A second group that names experts
 * is theirs. Attention and shared experts on the ignore list leave the routed experts alone.
 */
static const char *read_groups(struct hf *hf, const cJSON *quant)
{
    const cJSON *group = member(quant, "config_groups");
    group = group != NULL ? group->child : NULL;
    const char *format = group_format(group);
    for (group = group != NULL ? group->next : NULL; group != NULL; group = group->next) {
        if (list_mentions(member(group, "targets"), "experts")) {
            hf->model->native_expert_format = group_format(group);
        }
    }
    const cJSON *ignored = member(quant, "ignore");
    hf->model->native_experts_only =
        list_mentions(ignored, "self_attn.*") && list_mentions(ignored, "shared_experts");
    return format;
}

static const char *method_format(struct hf *hf, const cJSON *quant)
{
    const char *method = member_text(quant, "quant_method");
    double bits = member_number(quant, "bits");
    if (cJSON_IsTrue(member(quant, "load_in_8bit"))) {
        bits = 8;
    } else if (cJSON_IsTrue(member(quant, "load_in_4bit"))) {
        bits = 4;
    }
    if (strcmp(method, "fp8") == 0) {
        return cJSON_IsArray(member(quant, "weight_block_size")) ? "fp8_block" : "fp8";
    }
    if (member(quant, "config_groups") != NULL) {
        return read_groups(hf, quant);
    }
    if (strcmp(method, "modelopt") == 0) {
        return strcmp(member_text(quant, "quant_algo"), "NVFP4") == 0 ? "nvfp4" : "fp8";
    }
    for (size_t i = 0; i < ARRAY_LEN(METHODS); i++) {
        bool same_bits =
            !(METHODS[i].bits > 0) || (!(METHODS[i].bits < bits) && !(METHODS[i].bits > bits));
        if (same_bits && strcmp(METHODS[i].method, method) == 0) {
            return METHODS[i].format;
        }
    }
    return NULL;
}

static void read_quantization(struct hf *hf)
{
    const char *pointer = hf->text_pointer;
    const cJSON *quant = member(hf->text, "quantization_config");
    if (quant == NULL) {
        quant = member(hf->root, "quantization_config");
        pointer = hf->root_pointer;
    }
    if (quant == NULL || cJSON_IsNull(quant)) {
        return;
    }
    const char *format = method_format(hf, quant);
    if (format == NULL) {
        const char *where = arena_printf(hf->arena, "%s/quantization_config/quant_method", pointer);
        fault_add(hf->faults, where != NULL ? where : "", NULL,
                  "'%.40s' is not a quantisation that is known, or its widths are not",
                  member_text(quant, "quant_method"));
        return;
    }
    hf->model->native_format = format;
    /* MXFP4 as a method of its own quantises the experts alone. */
    if (strcmp(member_text(quant, "quant_method"), "mxfp4") == 0) {
        hf->model->native_experts_only = true;
    }
    if (strcmp(member_text(hf->text, "expert_dtype"), "fp4") == 0) {
        hf->model->native_expert_format = "mxfp4";
    }
}

void hf_read_format(struct hf *hf)
{
    const char *name = hf_text(hf, HF("torch_dtype", "dtype"));
    if (name == NULL) {
        name = member_text(hf->root, "torch_dtype");
    }
    if (name[0] == '\0') {
        name = member_text(hf->root, "dtype");
    }
    hf->model->native_dtype = DTYPE_BF16;
    hf->model->native_format = "bf16";
    for (size_t i = 0; i < ARRAY_LEN(TORCH_DTYPES); i++) {
        if (strcmp(TORCH_DTYPES[i].name, name) == 0) {
            hf->model->native_dtype = TORCH_DTYPES[i].dtype;
            hf->model->native_format = TORCH_DTYPES[i].format;
        }
    }
    read_quantization(hf);
}
