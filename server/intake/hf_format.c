/*
 * hf_format.c - what a checkpoint's weights are stored in: torch_dtype and quantization_config.
 */
#include <string.h>

#include "hf_read.h"
#include "json_member.h"

static const struct torch_dtype {
    const char *name;
    enum dtype dtype;
    const char *format;
} TORCH_DTYPES[] = {
    {"bfloat16", DTYPE_BF16, "bf16"},
    {"float16", DTYPE_FP16, "fp16"},
    {"float32", DTYPE_FP32, "fp32"},
};

/* The text configuration's, else the file's own. */
static const cJSON *find_quantization(const struct hf *hf, const char **ret_pointer)
{
    static const char *const NAMES[] = {"quantization_config", "compression_config"};
    const cJSON *const places[] = {hf->text, hf->root};
    const char *const pointers[] = {hf->text_pointer, hf->root_pointer};
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        for (size_t j = 0; j < ARRAY_LEN(NAMES); j++) {
            const cJSON *quant = json_member(places[i], NAMES[j]);
            if (quant != NULL && !cJSON_IsNull(quant)) {
                *ret_pointer = arena_printf(hf->arena, "%s/%s", pointers[i], NAMES[j]);
                return quant;
            }
        }
    }
    return NULL;
}

static void read_quantization(struct hf *hf)
{
    const char *pointer = NULL;
    const cJSON *quant = find_quantization(hf, &pointer);
    if (quant == NULL || pointer == NULL) {
        return;
    }
    if (!hf_quant_types_suit(hf, quant, pointer)) {
        return;
    }
    hf->recipe = hf_read_recipe(hf, quant, pointer);
    if (hf->recipe == NULL || hf->recipe->n_groups == 0) {
        return;
    }
    hf->recipe->plain_bytes = hf->model->native_dtype == DTYPE_FP32 ? 4 : 2;
    hf->model->native_format = hf->recipe->groups[0].format;
    const cJSON *expert = json_member(hf->text, "expert_dtype");
    if (expert != NULL && cJSON_IsString(expert) && strcmp(expert->valuestring, "fp4") == 0) {
        hf->model->native_expert_format = "mxfp4";
    }
}

void hf_read_format(struct hf *hf)
{
    const char *name = hf_text(hf, HF("torch_dtype", "dtype"));
    static const char *const NAMES[] = {"torch_dtype", "dtype"};
    for (size_t i = 0; i < ARRAY_LEN(NAMES) && name == NULL; i++) {
        const cJSON *item = json_member(hf->root, NAMES[i]);
        name = item != NULL && cJSON_IsString(item) ? item->valuestring : NULL;
    }
    hf->model->native_dtype = DTYPE_BF16;
    hf->model->native_format = "bf16";
    for (size_t i = 0; i < ARRAY_LEN(TORCH_DTYPES) && name != NULL; i++) {
        if (strcmp(TORCH_DTYPES[i].name, name) == 0) {
            hf->model->native_dtype = TORCH_DTYPES[i].dtype;
            hf->model->native_format = TORCH_DTYPES[i].format;
        }
    }
    read_quantization(hf);
}
