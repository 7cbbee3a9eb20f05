/*
 * hf_quant_types.c - the members of a quantization_config whose value is of the wrong kind.
 *
 * A width given as text would be left out by a reader that looks for a number, and the method's
 * default would stand for it: such a file is refused. null means absent, as it does to the engines.
 * Names and kinds follow github.com/huggingface/transformers, utils/quantization_config.py, and
 * github.com/vllm-project/compressed-tensors, quantization/quant_args.py.
 */
#include <math.h>
#include <string.h>

#include "hf_read.h"

#define DEPTH_MAX 8
#define GROUP_MAX 65536.0

static bool is_whole(const cJSON *value, double min, double max)
{
    double number = cJSON_IsNumber(value) ? value->valuedouble : (double)NAN;
    return number >= min && number <= max && number == floor(number);
}

static bool is_bits(const cJSON *value)
{
    return is_whole(value, 1, 32);
}

/* -1 is a whole column. */
static bool is_group(const cJSON *value)
{
    return is_whole(value, 1, GROUP_MAX) || is_whole(value, -1, -1);
}

static bool is_flag(const cJSON *value)
{
    return cJSON_IsBool(value) != 0;
}

static bool is_text_list(const cJSON *value)
{
    const cJSON *item;
    if (!cJSON_IsArray(value)) {
        return false;
    }
    cJSON_ArrayForEach(item, value)
    {
        if (!cJSON_IsString(item)) {
            return false;
        }
    }
    return true;
}

static bool is_object(const cJSON *value)
{
    return cJSON_IsObject(value) != 0;
}

static const struct quant_member {
    const char *name;
    bool (*suits)(const cJSON *value);
    const char *expected;
} MEMBERS[] = {
    {"bits", is_bits, "a whole number of bits"},
    {"w_bit", is_bits, "a whole number of bits"},
    {"nbits", is_bits, "a whole number of bits"},
    {"num_bits", is_bits, "a whole number of bits"},
    {"group_size", is_group, "a whole number from 1, or -1"},
    {"q_group_size", is_group, "a whole number from 1, or -1"},
    {"load_in_8bit", is_flag, "true or false"},
    {"_load_in_8bit", is_flag, "true or false"},
    {"load_in_4bit", is_flag, "true or false"},
    {"_load_in_4bit", is_flag, "true or false"},
    {"bnb_4bit_use_double_quant", is_flag, "true or false"},
    {"zero_point", is_flag, "true or false"},
    {"sym", is_flag, "true or false"},
    {"symmetric", is_flag, "true or false"},
    {"config_groups", is_object, "an object of groups"},
    {"targets", is_text_list, "a list of texts"},
    {"ignore", is_text_list, "a list of texts"},
    {"ignored_layers", is_text_list, "a list of texts"},
    {"modules_to_not_convert", is_text_list, "a list of texts"},
    {"modules_to_not_quantize", is_text_list, "a list of texts"},
    {"llm_int8_skip_modules", is_text_list, "a list of texts"},
    {"exclude_modules", is_text_list, "a list of texts"},
};

static void check_member(struct hf *hf, const cJSON *value, const char *pointer)
{
    for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
        if (strcmp(MEMBERS[i].name, value->string) == 0 && !MEMBERS[i].suits(value)) {
            fault_add(hf->faults, pointer, NULL, "expected %s", MEMBERS[i].expected);
        }
    }
}

/* Walks objects, and lists of them. */
static void check_below(struct hf *hf, const cJSON *node, const char *pointer, int depth)
{
    const cJSON *item;
    int place = 0;
    cJSON_ArrayForEach(item, node)
    {
        const char *where = item->string != NULL
                                ? arena_printf(hf->arena, "%s/%.60s", pointer, item->string)
                                : arena_printf(hf->arena, "%s/%d", pointer, place);
        place++;
        if (where == NULL || cJSON_IsNull(item)) {
            continue;
        }
        if (item->string != NULL) {
            check_member(hf, item, where);
        }
        if (depth > 0 && (cJSON_IsObject(item) || cJSON_IsArray(item))) {
            check_below(hf, item, where, depth - 1);
        }
    }
}

bool hf_quant_types_suit(struct hf *hf, const cJSON *quant, const char *pointer)
{
    int before = hf->faults->n + hf->faults->dropped;
    check_below(hf, quant, pointer, DEPTH_MAX);
    return hf->faults->n + hf->faults->dropped == before;
}
