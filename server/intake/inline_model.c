#include "inline_model.h"

#include <string.h>

#include "hf_config.h"
#include "weight_files.h"

typedef bool read_fn(const struct weight_files *files, const cJSON *value);

/* Members of the object; those with a reader give the weights' bytes, and are read in this order.
 */
static const struct model_member {
    const char *name, *doc;
    read_fn *read;
} MEMBERS[] = {
    {"hf_config", "a Hugging Face config.json", NULL},
    {"hf_quant_config", "modelopt's hf_quant_config.json, where config.json has none", NULL},
    {"safetensors_index",
     "model.safetensors.index.json: metadata.total_size gives the exact bytes; weight_map may be "
     "left out",
     weight_files_index},
    {"safetensors_headers",
     "the JSON header of model.safetensors, or a list of those of all its parts: exact bytes by "
     "role",
     weight_files_headers},
    {"checkpoint",
     "format, bytes and bytes_by_role of the weights, as POST /v1/models/gguf gives them",
     weight_files_checkpoint},
};

enum { MEMBER_CONFIG, MEMBER_QUANT_CONFIG };

/* False, with a fault, for names that are not members. */
static bool names_known(struct arena *arena, struct faults *faults, const char *pointer,
                        const cJSON *object)
{
    const char *names[ARRAY_LEN(MEMBERS)];
    const cJSON *item;
    bool known = true;
    for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++)
        names[i] = MEMBERS[i].name;
    cJSON_ArrayForEach(item, object)
    {
        size_t i = 0;
        while (i < ARRAY_LEN(MEMBERS) && strcmp(MEMBERS[i].name, item->string) != 0)
            i++;
        if (i < ARRAY_LEN(MEMBERS))
            continue;
        const char *where = arena_printf(arena, "%s/%.60s", pointer, item->string);
        fault_add(faults, where ? where : pointer,
                  fault_nearest(item->string, names, (int)ARRAY_LEN(MEMBERS)),
                  "is not part of a model given by its configuration");
        known = false;
    }
    return known;
}

static const cJSON *find(const cJSON *object, size_t i)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, MEMBERS[i].name);
    return item && !cJSON_IsNull(item) ? item : NULL;
}

/* The configuration with the quantisation that lies beside it, where it has none of its own: heads
 * of the tree, copied; NULL when out of memory. */
static const cJSON *with_quantization(struct arena *arena, const cJSON *config, const cJSON *quant)
{
    if (!quant || !cJSON_IsObject(config) ||
        cJSON_GetObjectItemCaseSensitive(config, "quantization_config"))
        return config;
    static const char NAME[] = "quantization_config";
    cJSON *whole = arena_alloc(arena, sizeof(*whole)), *part = arena_alloc(arena, sizeof(*part));
    char *name = arena_copy(arena, NAME, sizeof(NAME) - 1);
    if (!whole || !part || !name)
        return NULL;
    *whole = *config;
    *part = *quant;
    part->string = name;
    part->next = config->child;
    part->prev = part;
    whole->child = part;
    return whole;
}

static bool out_of_memory(struct faults *faults, const char *pointer)
{
    fault_add(faults, pointer, NULL, "out of memory");
    return false;
}

static bool read_config(struct arena *arena, struct faults *faults, const char *pointer,
                        const cJSON *object, struct model **ret_model)
{
    const cJSON *config = find(object, MEMBER_CONFIG);
    const char *where = arena_printf(arena, "%s/hf_config", pointer);
    if (!where)
        return out_of_memory(faults, pointer);
    if (!config) {
        fault_add(faults, where, NULL, "required: the content of a config.json");
        return false;
    }
    config = with_quantization(arena, config, find(object, MEMBER_QUANT_CONFIG));
    return config ? hf_config_model(config, arena, faults, where, ret_model)
                  : out_of_memory(faults, pointer);
}

const struct model *inline_model_read(const struct catalogue *catalogue, struct arena *arena,
                                      struct faults *faults, const char *pointer,
                                      const cJSON *object)
{
    struct model *model = NULL;
    if (!names_known(arena, faults, pointer, object) ||
        !read_config(arena, faults, pointer, object, &model))
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
        const cJSON *value = find(object, i);
        const char *where = arena_printf(arena, "%s/%s", pointer, MEMBERS[i].name);
        if (!where && !out_of_memory(faults, pointer))
            return NULL;
        const struct weight_files files = {catalogue, arena, faults, where, model};
        if (value && MEMBERS[i].read && !MEMBERS[i].read(&files, value))
            return NULL;
    }
    return model;
}

const char *inline_model_uncounted(const cJSON *object)
{
    static const char *const TOWERS[] = {"vision_config", "audio_config", "vision_tower_config"};
    const cJSON *config = object ? find(object, MEMBER_CONFIG) : NULL;

    for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++)
        if (object && MEMBERS[i].read && find(object, i))
            return NULL;
    for (size_t i = 0; i < ARRAY_LEN(TOWERS); i++)
        if (cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(config, TOWERS[i])))
            return TOWERS[i];
    return NULL;
}

void inline_model_schema(struct json_out *out)
{
    json_begin_object(out);
    json_put_text(out, "type", "object");
    json_key(out, "required");
    json_begin_array(out);
    json_text(out, MEMBERS[MEMBER_CONFIG].name);
    json_end_array(out);
    json_key(out, "properties");
    json_begin_object(out);
    for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
        json_key(out, MEMBERS[i].name);
        json_begin_object(out);
        json_key(out, "type");
        json_begin_array(out);
        json_text(out, "object");
        if (MEMBERS[i].read == weight_files_headers)
            json_text(out, "array");
        if (i != MEMBER_CONFIG)
            json_text(out, "null");
        json_end_array(out);
        json_put_text(out, "description", MEMBERS[i].doc);
        json_end_object(out);
    }
    json_end_object(out);
    json_put_bool(out, "additionalProperties", false);
    json_end_object(out);
}
