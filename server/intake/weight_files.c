#include "weight_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact_weights.h"
#include "json_member.h"

#define BYTES_MAX 1e16
/* Beyond this the files are of another model than the configuration. */
#define RATIO_MIN 0.6
#define RATIO_MAX 1.67
/* Stored as float32 and loaded in 16 bits. */
#define WIDE_MIN 1.9
#define WIDE_MAX 2.1

static bool is_count(const cJSON *item)
{
    return item && cJSON_IsNumber(item) && item->valuedouble >= 0 &&
           item->valuedouble <= BYTES_MAX && !(floor(item->valuedouble) < item->valuedouble);
}

static bool refuse(const struct weight_files *files, const char *member_name, const char *need)
{
    const char *pointer = arena_printf(files->arena, "%s%s", files->pointer, member_name);
    fault_add(files->faults, pointer ? pointer : "", NULL, "%s", need);
    return false;
}

/* Bytes per weight without the files: the recipe's, else the type of the model, else the format's.
 */
static void base_bytes(const struct weight_files *files, double bytes[ROLE_COUNT])
{
    const struct model *model = files->model;
    int found = catalogue_find_weight_format(files->catalogue, model->native_format);
    for (int role = 0; role < ROLE_COUNT; role++) {
        if (model->exact)
            bytes[role] = model->exact->bytes[role];
        else
            bytes[role] =
                found >= 0 ? files->catalogue->lib.weight_formats[found].bytes[role] : 2.0;
    }
}

static bool set_exact(const struct weight_files *files, enum exact_source source,
                      const double bytes[ROLE_COUNT])
{
    struct exact_weights *exact = arena_alloc(files->arena, sizeof(*exact));
    if (!exact)
        return refuse(files, "", "out of memory");
    *exact = (struct exact_weights){.format = files->model->native_format, .source = source};
    memcpy(exact->bytes, bytes, sizeof(exact->bytes));
    if (files->model->tied_embedding)
        exact->bytes[ROLE_LM_HEAD] = exact->bytes[ROLE_EMBEDDING];
    files->model->exact = exact;
    return true;
}

static double expected_bytes(const struct model *model, const double bytes[ROLE_COUNT])
{
    double sum = 0;
    for (int role = 0; role < ROLE_COUNT; role++)
        sum += model->params_by_role[role] * bytes[role];
    return sum;
}

/* False, with a fault, when that many bytes cannot be this model's. */
static bool plausible(const struct weight_files *files, const char *where, double bytes,
                      double expected)
{
    double ratio = bytes / expected;
    if (ratio >= RATIO_MIN && ratio <= RATIO_MAX)
        return true;
    const char *pointer = arena_printf(files->arena, "%s%s", files->pointer, where);
    fault_add(files->faults, pointer ? pointer : "", NULL,
              "%.0f bytes of weights, where hf_config gives about %.0f: not the same model, or a "
              "quantization_config is missing",
              bytes, expected);
    return false;
}

/* All weights together: what differs from the configuration's figure is laid on the matrices of
 * fewer than 16 bits, or on all where there are none. */
static bool apply_total(const struct weight_files *files, const char *where, double total)
{
    const struct model *model = files->model;
    double bytes[ROLE_COUNT], narrow = 0;
    base_bytes(files, bytes);
    double expected = expected_bytes(model, bytes);
    for (int role = 0; role < ROLE_COUNT; role++)
        narrow += bytes[role] < 2 ? model->params_by_role[role] * bytes[role] : 0;
    if (!(narrow > 0) && total >= WIDE_MIN * expected && total <= WIDE_MAX * expected)
        return true;
    if (!plausible(files, where, total, expected))
        return false;
    double part = narrow > 0 ? narrow : expected;
    double factor = fmax((part + total - expected) / part, 0);
    for (int role = 0; role < ROLE_COUNT; role++) {
        if (!(narrow > 0) || bytes[role] < 2)
            bytes[role] *= factor;
    }
    return set_exact(files, EXACT_TOTAL, bytes);
}

/* What a file has and a plan does not load: MTP layers that the configuration does not count, and
 * the second copy of a tied embedding. */
static bool is_dropped(const struct model *model, int role)
{
    return !(model->params_by_role[role] > 0) &&
           (role == ROLE_MTP || (role == ROLE_LM_HEAD && model->tied_embedding));
}

/* A tower is as large as its file says. */
static void size_tower(struct model *model, double in_file, double bytes_each)
{
    if (in_file > 0) {
        model->vision_params = in_file / fmax(bytes_each, 0.5);
        model->params_by_role[ROLE_VISION] = model->vision_params;
    }
}

/* Lays what the geometry has no weights for on the largest role, so that the sum stands. Returns
 * the sum. */
static double gather(const struct model *model, const double in_file[ROLE_COUNT],
                     double ret_bytes[ROLE_COUNT])
{
    double sum = 0, left = 0;
    int largest = ROLE_ATTENTION;
    for (int role = 0; role < ROLE_COUNT; role++) {
        bool placed = model->params_by_role[role] > 0;
        double own = is_dropped(model, role) ? 0 : in_file[role];
        ret_bytes[role] = placed ? own : 0;
        left += placed ? 0 : own;
        sum += own;
        largest = ret_bytes[role] > ret_bytes[largest] ? role : largest;
    }
    ret_bytes[largest] += left;
    return sum;
}

static bool apply_roles(const struct weight_files *files, const char *where,
                        const double in_file[ROLE_COUNT])
{
    struct model *model = files->model;
    double bytes[ROLE_COUNT] = {0}, own[ROLE_COUNT];
    base_bytes(files, bytes);
    size_tower(model, in_file[ROLE_VISION], bytes[ROLE_VISION]);
    double sum = gather(model, in_file, own);
    if (!plausible(files, where, sum, expected_bytes(model, bytes)))
        return false;
    for (int role = 0; role < ROLE_COUNT; role++) {
        if (own[role] > 0 && model->params_by_role[role] > 0)
            bytes[role] = own[role] / model->params_by_role[role];
    }
    return set_exact(files, EXACT_TENSORS, bytes);
}

/* Names of tensors: the first row whose word is in the name decides. */
static const struct name_row {
    const char *word;
    enum role role;
} NAMES[] = {
    {"visual.", ROLE_VISION},
    {"vision_", ROLE_VISION},
    {"vision.", ROLE_VISION},
    {"audio_", ROLE_VISION},
    {"multi_modal_projector", ROLE_VISION},
    {"mm_projector", ROLE_VISION},
    {"image_newline", ROLE_VISION},
    {"mtp.", ROLE_MTP},
    {"nextn", ROLE_MTP},
    {"embed_tokens", ROLE_EMBEDDING},
    {"tok_embeddings", ROLE_EMBEDDING},
    {"word_embeddings", ROLE_EMBEDDING},
    {"wte.", ROLE_EMBEDDING},
    {"backbone.embedding", ROLE_EMBEDDING},
    {"lm_head", ROLE_LM_HEAD},
    {"shared_expert_gate", ROLE_ROUTER},
    {"shared_expert", ROLE_SHARED_EXPERT},
    {"shared_mlp", ROLE_SHARED_EXPERT},
    {"experts.", ROLE_EXPERT},
    {"mlp.gate.", ROLE_ROUTER},
    {"router", ROLE_ROUTER},
    {"moe.gate.", ROLE_ROUTER},
    {"e_score_correction", ROLE_ROUTER},
    {"norm", ROLE_NORM},
    {"ln_", ROLE_NORM},
    {"mixer.up_proj", ROLE_DENSE_FFN},
    {"mixer.down_proj", ROLE_DENSE_FFN},
    {"mlp", ROLE_DENSE_FFN},
    {"feed_forward", ROLE_DENSE_FFN},
    {"ffn", ROLE_DENSE_FFN},
    {"attn", ROLE_ATTENTION},
    {"attention", ROLE_ATTENTION},
    {"mixer", ROLE_ATTENTION},
    {"mamba", ROLE_ATTENTION},
    {"conv", ROLE_ATTENTION},
};

enum role weight_files_role(const char *name, double n_layers)
{
    const char *layer = strstr(name, "layers.");
    if (strncmp(name, "output.", 7) == 0)
        return ROLE_LM_HEAD;
    for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
        bool tower = NAMES[i].role == ROLE_VISION;
        if (strstr(name, NAMES[i].word) && tower)
            return ROLE_VISION;
        if (!tower && layer && strtod(layer + 7, NULL) >= n_layers)
            return ROLE_MTP;
        if (strstr(name, NAMES[i].word))
            return NAMES[i].role;
    }
    return ROLE_OTHER;
}

/* Whether the weight map has tensors of that role; a map that is left out does not say. */
static bool map_lacks(const struct weight_files *files, const cJSON *map, enum role role)
{
    const cJSON *item;
    if (!cJSON_IsObject(map) || !map->child)
        return false;
    cJSON_ArrayForEach(item, map)
    {
        if (weight_files_role(item->string, files->model->n_layers) == role)
            return false;
    }
    return true;
}

bool weight_files_index(const struct weight_files *files, const cJSON *index)
{
    struct model *model = files->model;
    const cJSON *total = json_member(json_member(index, "metadata"), "total_size");
    const cJSON *map = json_member(index, "weight_map");
    if (!is_count(total) || !(total->valuedouble > 0))
        return refuse(files, "/metadata/total_size",
                      "must be the bytes of all tensors, as model.safetensors.index.json has them");
    if (map && !cJSON_IsObject(map))
        return refuse(files, "/weight_map", "must be an object of tensor names and files");
    if (!map_lacks(files, map, ROLE_MTP))
        return apply_total(files, "/metadata/total_size", total->valuedouble);
    double counted = model->params_by_role[ROLE_MTP];
    model->params_by_role[ROLE_MTP] = 0;
    bool went = apply_total(files, "/metadata/total_size", total->valuedouble);
    model->params_by_role[ROLE_MTP] = counted;
    return went;
}

/* Element types of safetensors, in bytes. */
static const struct element_type {
    const char *name;
    double bytes;
} ELEMENT_TYPES[] = {
    {"F64", 8},     {"F32", 4},         {"F16", 2},         {"BF16", 2}, {"F8_E4M3", 1},
    {"F8_E5M2", 1}, {"F8_E8M0", 1},     {"F8_E4M3FNUZ", 1}, {"I64", 8},  {"I32", 4},
    {"I16", 2},     {"I8", 1},          {"U64", 8},         {"U32", 4},  {"U16", 2},
    {"U8", 1},      {"F8_E5M2FNUZ", 1}, {"BOOL", 1},        {"F4", 0.5}, {"F6_E2M3", 0.75},
    {"C64", 8},     {"F6_E3M2", 0.75},
};

static double element_bytes(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(ELEMENT_TYPES); i++) {
        if (strcmp(ELEMENT_TYPES[i].name, name) == 0)
            return ELEMENT_TYPES[i].bytes;
    }
    return 0;
}

/* Bytes of a tensor: its offsets, which must agree with its type and shape; NAN when not. */
static double tensor_bytes(const cJSON *tensor)
{
    const cJSON *dtype = json_member(tensor, "dtype"), *shape = json_member(tensor, "shape"),
                *length;
    const cJSON *offsets = json_member(tensor, "data_offsets");
    const cJSON *first = cJSON_IsArray(offsets) ? offsets->child : NULL;
    const cJSON *last = first ? first->next : NULL;
    if (!cJSON_IsString(dtype) || !cJSON_IsArray(shape) || !is_count(first) || !is_count(last))
        return (double)NAN;
    double bytes = element_bytes(dtype->valuestring);
    cJSON_ArrayForEach(length, shape)
    {
        if (!is_count(length))
            return (double)NAN;
        bytes *= length->valuedouble;
    }
    double spanned = last->valuedouble - first->valuedouble;
    return fabs(spanned - bytes) < 1 ? spanned : (double)NAN;
}

static bool add_header(const struct weight_files *files, const char *where, const cJSON *header,
                       double in_file[ROLE_COUNT])
{
    const cJSON *tensor;
    if (!cJSON_IsObject(header))
        return refuse(files, where, "must be the JSON header of a safetensors file");
    cJSON_ArrayForEach(tensor, header)
    {
        if (strcmp(tensor->string, "__metadata__") == 0)
            continue;
        double bytes = tensor_bytes(tensor);
        if (!isfinite(bytes)) {
            const char *pointer = arena_printf(files->arena, "%s%s", files->pointer, where);
            fault_add(files->faults, pointer ? pointer : "", NULL,
                      "tensor '%.100s' needs a dtype and a shape that make the bytes between its "
                      "data_offsets",
                      tensor->string);
            return false;
        }
        in_file[weight_files_role(tensor->string, files->model->n_layers)] += bytes;
    }
    return true;
}

bool weight_files_headers(const struct weight_files *files, const cJSON *headers)
{
    double in_file[ROLE_COUNT] = {0};
    const cJSON *header;
    int i = 0;
    if (!cJSON_IsArray(headers))
        return add_header(files, "", headers, in_file) && apply_roles(files, "", in_file);
    cJSON_ArrayForEach(header, headers)
    {
        const char *where = arena_printf(files->arena, "/%d", i++);
        if (!where || !add_header(files, where, header, in_file))
            return false;
    }
    return apply_roles(files, "", in_file);
}

static bool read_roles(const struct weight_files *files, const cJSON *roles,
                       double in_file[ROLE_COUNT])
{
    const cJSON *item;
    if (!cJSON_IsObject(roles))
        return refuse(files, "/bytes_by_role", "must be an object of roles and bytes");
    cJSON_ArrayForEach(item, roles)
    {
        enum role role = role_parse(item->string);
        if (role == ROLE_COUNT || !is_count(item)) {
            const char *where = arena_printf(files->arena, "/bytes_by_role/%.40s", item->string);
            return refuse(files, where ? where : "",
                          "must be the bytes of one of the roles attention, dense_ffn, "
                          "shared_expert, expert, router, norm, embedding, lm_head, other, lookup, "
                          "mtp, vision");
        }
        in_file[role] += item->valuedouble;
    }
    return true;
}

/* The file's format in place of the configuration's. */
static bool read_format(const struct weight_files *files, const cJSON *format)
{
    struct model *model = files->model;
    int found = cJSON_IsString(format)
                    ? catalogue_find_weight_format(files->catalogue, format->valuestring)
                    : -1;
    if (found < 0)
        return refuse(files, "/format", "must be the name of a weight format");
    model->native_format = files->catalogue->lib.weight_formats[found].id;
    model->native_experts_only = false;
    model->native_expert_format = NULL;
    model->exact = NULL;
    return true;
}

bool weight_files_checkpoint(const struct weight_files *files, const cJSON *checkpoint)
{
    const cJSON *format = json_member(checkpoint, "format"),
                *bytes = json_member(checkpoint, "bytes");
    const cJSON *roles = json_member(checkpoint, "bytes_by_role");
    double in_file[ROLE_COUNT] = {0};
    if (!cJSON_IsObject(checkpoint))
        return refuse(files, "", "must be an object with a format and bytes");
    if (format && !cJSON_IsNull(format) && !read_format(files, format))
        return false;
    if (roles && !cJSON_IsNull(roles))
        return read_roles(files, roles, in_file) && apply_roles(files, "/bytes_by_role", in_file);
    if (!bytes || cJSON_IsNull(bytes))
        return true;
    if (!is_count(bytes) || !(bytes->valuedouble > 0))
        return refuse(files, "/bytes", "must be the bytes of all weights");
    return apply_total(files, "/bytes", bytes->valuedouble);
}
