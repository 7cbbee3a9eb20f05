#include "model_record.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "name_key.h"

#define COUNT_MAX 1e15 /* parameters, elements, tokens: far above any model, exact in a double */

/* FIELD_BOOL is false unless said, FIELD_TRUE is true unless said. */
enum field_type { FIELD_COUNT, FIELD_SIGNED, FIELD_BOOL, FIELD_TRUE };

/* A scalar of a record: its JSON name and where it goes. */
struct record_field {
    const char *name;
    size_t offset;
    enum field_type type;
};

#define COUNT(TYPE, NAME) #NAME, offsetof(struct TYPE, NAME), FIELD_COUNT
#define FLAG(TYPE, NAME) #NAME, offsetof(struct TYPE, NAME), FIELD_BOOL

static const struct record_field MODEL_FIELDS[] = {
    {COUNT(model, hidden)},
    {COUNT(model, vocab)},
    {FLAG(model, tied_embedding)},
    {FLAG(model, lm_head_bias)},
    {COUNT(model, embedding_dim)},
    {COUNT(model, learned_positions)},
    {COUNT(model, final_norm_params)},
    {COUNT(model, max_positions)},
    {FLAG(model, native_experts_only)},
    {COUNT(model, state_bytes_per_element)},
    {NULL, 0, FIELD_COUNT},
};

static const struct record_field GROUP_FIELDS[] = {
    {COUNT(layer_group, count)},
    {COUNT(layer_group, invocations)},
    {COUNT(layer_group, norm_params)},
    {NULL, 0, FIELD_COUNT},
};

static const struct record_field MIXER_FIELDS[] = {
    {COUNT(mixer, input_width)},
    {COUNT(mixer, n_heads)},
    {COUNT(mixer, n_kv_heads)},
    {COUNT(mixer, k_dim)},
    {COUNT(mixer, v_dim)},
    {COUNT(mixer, window_tokens)},
    {FLAG(mixer, k_equals_v)},
    {FLAG(mixer, shares_kv)},
    {"has_kv_projection", offsetof(struct mixer, has_kv_projection), FIELD_TRUE},
    {FLAG(mixer, qkv_bias)},
    {FLAG(mixer, o_bias)},
    {FLAG(mixer, output_gate)},
    {FLAG(mixer, head_gate)},
    {FLAG(mixer, sinks)},
    {COUNT(mixer, qk_norm_params)},
    {COUNT(mixer, q_lora_rank)},
    {COUNT(mixer, kv_lora_rank)},
    {COUNT(mixer, rope_dim)},
    {COUNT(mixer, nope_dim)},
    {COUNT(mixer, o_lora_rank)},
    {COUNT(mixer, o_groups)},
    {COUNT(mixer, compress_tokens)},
    {COUNT(mixer, index_heads)},
    {COUNT(mixer, index_dim)},
    {COUNT(mixer, index_kv_heads)},
    {COUNT(mixer, topk_tokens)},
    {COUNT(mixer, conv_kernel)},
    {COUNT(mixer, state_size)},
    {COUNT(mixer, n_groups)},
    {COUNT(mixer, inner_dim)},
    {COUNT(mixer, dt_rank)},
    {COUNT(mixer, k_heads)},
    {COUNT(mixer, v_heads)},
    {FLAG(mixer, full_rank_gate)},
    {FLAG(mixer, gated_norm)},
    {FLAG(mixer, inner_norms)},
    {COUNT(mixer, image_tokens)},
    {COUNT(mixer, extra_params)},
    {NULL, 0, FIELD_COUNT},
};

static const struct record_field FFN_FIELDS[] = {
    {COUNT(ffn, matrices)},     {COUNT(ffn, width)},      {FLAG(ffn, bias)},
    {COUNT(ffn, n_experts)},    {COUNT(ffn, top_k)},      {COUNT(ffn, expert_width)},
    {COUNT(ffn, latent)},       {FLAG(ffn, latent_norm)}, {COUNT(ffn, shared_width)},
    {FLAG(ffn, shared_gate)},   {FLAG(ffn, router_bias)}, {FLAG(ffn, expert_bias)},
    {COUNT(ffn, router_extra)}, {NULL, 0, FIELD_COUNT},
};

/* Derived figures of one layer, shown and never read. */
static const struct record_field MIXER_DERIVED[] = {
    {COUNT(mixer, linear_params)},    {COUNT(mixer, small_params)},
    {COUNT(mixer, cached_per_token)}, {COUNT(mixer, tokens_per_entry)},
    {COUNT(mixer, index_width)},      {COUNT(mixer, fixed_elements)},
    {COUNT(mixer, state_elements)},   {COUNT(mixer, conv_elements)},
    {NULL, 0, FIELD_COUNT},
};

static const struct record_field FFN_DERIVED[] = {
    {COUNT(ffn, linear_params)},
    {COUNT(ffn, expert_params)},
    {COUNT(ffn, small_params)},
    {NULL, 0, FIELD_COUNT},
};

static const struct record_field GROUP_DERIVED[] = {
    {COUNT(layer_group, layer_params)},
    {COUNT(layer_group, layer_params_active)},
    {NULL, 0, FIELD_COUNT},
};

static const struct record_field EXTRA_FIELDS[] = {
    {"count", offsetof(struct model_extra, count), FIELD_SIGNED},
    {"read_per_step", offsetof(struct model_extra, read_per_step), FIELD_TRUE},
    {NULL, 0, FIELD_COUNT},
};

/* "mtp" holds one layer group's members beside these of the model. */
static const struct record_field MTP_FIELDS[] = {
    {"projections", offsetof(struct model, mtp_projections), FIELD_COUNT},
    {"copies", offsetof(struct model, mtp_copies), FIELD_COUNT},
    {"extra_params", offsetof(struct model, mtp_extra_params), FIELD_COUNT},
    {NULL, 0, FIELD_COUNT},
};

#undef COUNT
#undef FLAG

/* Members that are not scalars of the tables above, or that say nothing of the geometry. */
static const char *const MODEL_OTHER[] = {
    "id",         "name",    "hf_repo", "aliases",      "family",        "release",
    "notes",      "sources", "pattern", "native_dtype", "native_format", "native_expert_format",
    "fp8_scales", "groups",  "extras",  "mtp",          "vision",        "published",
    "lengths",    NULL,
};
static const char *const GROUP_OTHER[] = {"label", "mixers", "ffns", NULL};
static const char *const MTP_OTHER[] = {"label",        "mixers",      "ffns",        "count",
                                        "invocations",  "norm_params", "projections", "copies",
                                        "extra_params", NULL};
static const char *const KIND_OTHER[] = {"kind", NULL};
static const char *const EXTRA_OTHER[] = {"what", NULL};

static const char *const FFN_KINDS[] = {[FFN_DENSE] = "dense", [FFN_MOE] = "moe"};

/* One reading: where memory comes from and where faults go. */
struct reader {
    model_alloc_fn *alloc;
    void *alloc_ctx;
    char *error;
    size_t error_length;
    bool failed;
};

static void PRINTF_LIKE(2, 3) add_fault(struct reader *reader, const char *format, ...)
{
    size_t room = STORE_ERROR_MAX - reader->error_length;
    size_t skip = 0;
    if (reader->failed && room > 2) {
        memcpy(reader->error + reader->error_length, "; ", 3);
        skip = 2;
    }
    reader->failed = true;
    va_list args;
    va_start(args, format);
    int written = vsnprintf(reader->error + reader->error_length + skip, room - skip, format, args);
    va_end(args);
    size_t length = written > 0 ? (size_t)written : 0;
    reader->error_length += skip + (length < room - skip ? length : room - skip - 1);
}

static void *take(struct reader *reader, size_t size)
{
    void *memory = reader->alloc(reader->alloc_ctx, size);
    if (memory == NULL) {
        add_fault(reader, "out of memory");
        return NULL;
    }
    memset(memory, 0, size);
    return memory;
}

static const char *copy_text(struct reader *reader, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = take(reader, size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

/* The member's text, copied; NULL when absent. */
static const char *read_text(struct reader *reader, const cJSON *object, const char *name,
                             const char *path)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (item == NULL) {
        return NULL;
    }
    if (!cJSON_IsString(item) || item->valuestring == NULL) {
        add_fault(reader, "%s/%s must be a text", path, name);
        return NULL;
    }
    return copy_text(reader, item->valuestring);
}

static void read_scalar(struct reader *reader, const cJSON *item, const struct record_field *field,
                        const char *path, void *target)
{
    char *place = (char *)target + field->offset;
    if (field->type == FIELD_BOOL || field->type == FIELD_TRUE) {
        if (!cJSON_IsBool(item)) {
            add_fault(reader, "%s/%s must be true or false", path, field->name);
            return;
        }
        *(bool *)(void *)place = cJSON_IsTrue(item) != 0;
        return;
    }
    double value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    double least = field->type == FIELD_SIGNED ? -COUNT_MAX : 0;
    if (!(value >= least && value <= COUNT_MAX)) {
        add_fault(reader, "%s/%s must be a number from %.0f to 1e15", path, field->name, least);
        return;
    }
    memcpy(place, &value, sizeof(value));
}

static const struct record_field *find_field(const struct record_field *fields, const char *name)
{
    while (fields->name != NULL && strcmp(fields->name, name) != 0) {
        fields++;
    }
    return fields->name != NULL ? fields : NULL;
}

static bool is_listed(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

/* Reads the scalars of `object` into `target`; a member that neither list knows is a fault. */
static void read_fields(struct reader *reader, const cJSON *object,
                        const struct record_field *fields, const char *const *others,
                        const char *path, void *target)
{
    if (!cJSON_IsObject(object)) {
        add_fault(reader, "%s must be an object", path[0] != '\0' ? path : "the record");
        return;
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        const struct record_field *field = find_field(fields, item->string);
        if (field != NULL) {
            read_scalar(reader, item, field, path, target);
        } else if (!is_listed(others, item->string)) {
            add_fault(reader, "%s/%s is not a field of this object", path, item->string);
        }
    }
}

#define PATH_MAX_BYTES 80

/* The number of entries of the array `name`, 0 when absent; more than `max` is a fault. */
static int count_entries(struct reader *reader, const cJSON *object, const char *name,
                         const char *path, int max)
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, name);
    if (array == NULL) {
        return 0;
    }
    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) > max) {
        add_fault(reader, "%s/%s must be a list of at most %d", path, name, max);
        return 0;
    }
    return cJSON_GetArraySize(array);
}

static void read_mixers(struct reader *reader, const cJSON *object, const char *path,
                        struct layer_group *group)
{
    group->n_mixers = count_entries(reader, object, "mixers", path, GROUP_MIXERS_MAX);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "mixers");
    item = item != NULL ? item->child : NULL;
    for (int i = 0; i < group->n_mixers && item != NULL; i++, item = item->next) {
        char place[PATH_MAX_BYTES];
        snprintf(place, sizeof(place), "%s/mixers/%d", path, i);
        struct mixer *mixer = &group->mixers[i];
        mixer->has_kv_projection = true;
        read_fields(reader, item, MIXER_FIELDS, KIND_OTHER, place, mixer);
        const cJSON *kind = cJSON_GetObjectItemCaseSensitive(item, "kind");
        bool is_text = kind != NULL && cJSON_IsString(kind);
        mixer->kind = is_text ? mixer_kind_parse(kind->valuestring) : MIXER_KIND_COUNT;
        if (mixer->kind == MIXER_KIND_COUNT) {
            add_fault(reader, "%s/kind '%.40s' is not a mixer kind", place,
                      is_text ? kind->valuestring : "");
        }
    }
}

static void read_ffns(struct reader *reader, const cJSON *object, const char *path,
                      struct layer_group *group)
{
    group->n_ffns = count_entries(reader, object, "ffns", path, GROUP_FFNS_MAX);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "ffns");
    item = item != NULL ? item->child : NULL;
    for (int i = 0; i < group->n_ffns && item != NULL; i++, item = item->next) {
        char place[PATH_MAX_BYTES];
        snprintf(place, sizeof(place), "%s/ffns/%d", path, i);
        struct ffn *ffn = &group->ffns[i];
        read_fields(reader, item, FFN_FIELDS, KIND_OTHER, place, ffn);
        const cJSON *kind = cJSON_GetObjectItemCaseSensitive(item, "kind");
        bool is_text = kind != NULL && cJSON_IsString(kind);
        if (is_text && strcmp(kind->valuestring, FFN_KINDS[FFN_MOE]) == 0) {
            ffn->kind = FFN_MOE;
        } else if (!is_text || strcmp(kind->valuestring, FFN_KINDS[FFN_DENSE]) != 0) {
            add_fault(reader, "%s/kind must be \"dense\" or \"moe\"", place);
        }
    }
}

static void read_group(struct reader *reader, const cJSON *object, const char *path,
                       const char *const *others, struct layer_group *group)
{
    read_fields(reader, object, GROUP_FIELDS, others, path, group);
    group->label = read_text(reader, object, "label", path);
    read_mixers(reader, object, path, group);
    read_ffns(reader, object, path, group);
    if (!(group->invocations > 0)) {
        group->invocations = group->count;
    }
}

static void read_groups(struct reader *reader, const cJSON *record, struct model *model)
{
    model->n_groups = count_entries(reader, record, "groups", "", MODEL_GROUPS_MAX);
    if (model->n_groups == 0) {
        add_fault(reader, "/groups must hold at least one group of layers");
        return;
    }
    model->groups = take(reader, (size_t)model->n_groups * sizeof(*model->groups));
    if (model->groups == NULL) {
        return;
    }
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(record, "groups")->child;
    for (int i = 0; i < model->n_groups; i++, item = item->next) {
        char path[PATH_MAX_BYTES];
        snprintf(path, sizeof(path), "/groups/%d", i);
        read_group(reader, item, path, GROUP_OTHER, &model->groups[i]);
    }
}

static void read_extras(struct reader *reader, const cJSON *record, struct model *model)
{
    model->n_extras = count_entries(reader, record, "extras", "", MODEL_EXTRAS_MAX);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(record, "extras");
    item = item != NULL ? item->child : NULL;
    for (int i = 0; i < model->n_extras && item != NULL; i++, item = item->next) {
        char path[PATH_MAX_BYTES];
        snprintf(path, sizeof(path), "/extras/%d", i);
        struct model_extra *extra = &model->extras[i];
        extra->read_per_step = true;
        read_fields(reader, item, EXTRA_FIELDS, EXTRA_OTHER, path, extra);
        extra->what = read_text(reader, item, "what", path);
    }
}

static void read_mtp(struct reader *reader, const cJSON *record, struct model *model)
{
    const cJSON *mtp = cJSON_GetObjectItemCaseSensitive(record, "mtp");
    if (mtp == NULL) {
        return;
    }
    model->mtp = take(reader, sizeof(*model->mtp));
    if (model->mtp != NULL) {
        read_group(reader, mtp, "/mtp", MTP_OTHER, model->mtp);
        /* The fields of the group were checked above: only its own are left. */
        for (const struct record_field *field = MTP_FIELDS; field->name != NULL; field++) {
            const cJSON *item = cJSON_GetObjectItemCaseSensitive(mtp, field->name);
            if (item != NULL) {
                read_scalar(reader, item, field, "/mtp", model);
            }
        }
    }
}

/* Checkpoints that state a length of their own: their names with it. */
static void read_lengths(struct reader *reader, const cJSON *record, struct model *model)
{
    const cJSON *lengths = cJSON_GetObjectItemCaseSensitive(record, "lengths");
    int n = cJSON_GetArraySize(lengths);
    struct model_length *rows = n > 0 ? take(reader, (size_t)n * sizeof(*rows)) : NULL;
    const cJSON *item = rows != NULL ? lengths->child : NULL;
    for (; item != NULL; item = item->next) {
        char key[NAME_KEY_MAX];
        bool is_named = cJSON_IsObject(lengths) && name_key(item->string, true, key);
        bool is_number = cJSON_IsNumber(item) && item->valuedouble >= 1.0;
        if (!is_named || !is_number) {
            add_fault(reader, "/lengths must be names of checkpoints with their lengths");
            return;
        }
        rows[model->n_lengths++] = (struct model_length){copy_text(reader, key), item->valuedouble};
    }
    model->lengths = rows;
}

/* A number of a nested object, 0 when it is absent or null. */
static double read_count(struct reader *reader, const cJSON *object, const char *name,
                         const char *path, enum field_type type)
{
    double value = 0;
    const struct record_field field = {name, 0, type};
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (item != NULL && !cJSON_IsNull(item)) {
        read_scalar(reader, item, &field, path, &value);
    }
    return value;
}

/* The published count and what it includes beside the main language model. */
static void read_published(struct reader *reader, const cJSON *record, struct model *model)
{
    model->vision_params = read_count(reader, cJSON_GetObjectItemCaseSensitive(record, "vision"),
                                      "params", "/vision", FIELD_COUNT);
    const cJSON *published = cJSON_GetObjectItemCaseSensitive(record, "published");
    if (published == NULL) {
        return;
    }
    model->params_checkpoint = read_count(reader, published, "count", "/published", FIELD_COUNT);
    const cJSON *precision = cJSON_GetObjectItemCaseSensitive(published, "precision");
    model->params_checkpoint_exact = precision != NULL && cJSON_IsString(precision) &&
                                     strcmp(precision->valuestring, "exact") == 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(published, "includes"))
    {
        const char *part = cJSON_IsString(item) ? item->valuestring : "";
        model->published_includes_mtp |= strcmp(part, "mtp") == 0;
        model->published_includes_vision |= strcmp(part, "vision") == 0;
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(published, "other_tensors"))
    {
        model->published_other_params +=
            read_count(reader, item, "count", "/published/other_tensors", FIELD_SIGNED);
    }
}

static void read_texts(struct reader *reader, const cJSON *record, struct model *model)
{
    model->id = read_text(reader, record, "id", "");
    model->name = read_text(reader, record, "name", "");
    const cJSON *repository = cJSON_GetObjectItemCaseSensitive(record, "hf_repo");
    if (repository != NULL && !cJSON_IsNull(repository)) {
        model->hf_repo = read_text(reader, record, "hf_repo", "");
    }
    model->native_format = read_text(reader, record, "native_format", "");
    model->native_expert_format = read_text(reader, record, "native_expert_format", "");
    if (model->id == NULL || model->name == NULL || model->native_format == NULL) {
        add_fault(reader, "/id, /name and /native_format are required");
    }
    const char *scales = read_text(reader, record, "fp8_scales", "");
    if (scales != NULL && strcmp(scales, "block") != 0 && strcmp(scales, "tensor") != 0) {
        add_fault(reader, "/fp8_scales must be block or tensor");
    }
    model->fp8_block_scales = scales != NULL && strcmp(scales, "block") == 0;
    const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(record, "native_dtype");
    bool is_text = dtype != NULL && cJSON_IsString(dtype);
    model->native_dtype = is_text ? dtype_parse(dtype->valuestring) : DTYPE_COUNT;
    if (model->native_dtype == DTYPE_COUNT) {
        add_fault(reader, "/native_dtype must be a compute type");
    }
}

static void add_geometry_fault(struct reader *reader, const struct model_fault *fault)
{
    char group[PATH_MAX_BYTES] = "";
    char part[PATH_MAX_BYTES] = "";
    if (fault->group >= 0) {
        snprintf(group, sizeof(group), "/groups/%d", fault->group);
    } else if (fault->group == MODEL_FAULT_IN_MTP) {
        snprintf(group, sizeof(group), "/mtp");
    }
    if (fault->mixer >= 0) {
        snprintf(part, sizeof(part), "/mixers/%d", fault->mixer);
    } else if (fault->ffn >= 0) {
        snprintf(part, sizeof(part), "/ffns/%d", fault->ffn);
    }
    add_fault(reader, "%s%s/%s %s", group, part, fault->field, fault->need);
}

bool model_record_parse(const cJSON *record, model_alloc_fn *alloc, void *alloc_ctx,
                        struct model *ret_model, char ret_error[STORE_ERROR_MAX])
{
    struct reader reader = {.alloc = alloc, .alloc_ctx = alloc_ctx, .error = ret_error};
    struct model model = {0};
    ret_error[0] = '\0';
    read_fields(&reader, record, MODEL_FIELDS, MODEL_OTHER, "", &model);
    if (reader.failed) {
        return false;
    }
    read_texts(&reader, record, &model);
    read_groups(&reader, record, &model);
    read_extras(&reader, record, &model);
    read_lengths(&reader, record, &model);
    read_mtp(&reader, record, &model);
    read_published(&reader, record, &model);
    struct model_fault fault;
    if (!reader.failed && !model_derive(&model, &fault)) {
        add_geometry_fault(&reader, &fault);
    }
    if (!reader.failed) {
        *ret_model = model;
    }
    return !reader.failed;
}

/* Adds one field unless it has its default. */
static bool put_field(cJSON *object, const struct record_field *field, const void *source)
{
    const char *place = (const char *)source + field->offset;
    if (field->type == FIELD_BOOL || field->type == FIELD_TRUE) {
        bool value;
        memcpy(&value, place, sizeof(value));
        return value == (field->type == FIELD_TRUE) ||
               cJSON_AddBoolToObject(object, field->name, value) != NULL;
    }
    double value;
    memcpy(&value, place, sizeof(value));
    return !(value > 0 || value < 0) || cJSON_AddNumberToObject(object, field->name, value) != NULL;
}

static bool put_fields(cJSON *object, const struct record_field *fields, const void *source)
{
    while (fields->name != NULL && put_field(object, fields, source)) {
        fields++;
    }
    return fields->name == NULL;
}

/* A new object at the end of `array`, its "kind" set. */
static cJSON *put_part(cJSON *array, const char *kind)
{
    cJSON *part = cJSON_CreateObject();
    if (part == NULL || !cJSON_AddItemToArray(array, part)) {
        cJSON_Delete(part);
        return NULL;
    }
    return cJSON_AddStringToObject(part, "kind", kind) != NULL ? part : NULL;
}

static bool put_mixers(cJSON *object, const struct layer_group *group)
{
    cJSON *array = cJSON_AddArrayToObject(object, "mixers");
    bool went = array != NULL;
    for (int i = 0; went && i < group->n_mixers; i++) {
        const struct mixer *mixer = &group->mixers[i];
        cJSON *part = put_part(array, mixer_kind_name(mixer->kind));
        went = part != NULL && put_fields(part, MIXER_FIELDS, mixer) &&
               put_fields(part, MIXER_DERIVED, mixer);
    }
    return went;
}

static bool put_ffns(cJSON *object, const struct layer_group *group)
{
    cJSON *array = cJSON_AddArrayToObject(object, "ffns");
    bool went = array != NULL;
    for (int i = 0; went && i < group->n_ffns; i++) {
        const struct ffn *ffn = &group->ffns[i];
        cJSON *part = put_part(array, FFN_KINDS[ffn->kind]);
        went =
            part != NULL && put_fields(part, FFN_FIELDS, ffn) && put_fields(part, FFN_DERIVED, ffn);
    }
    return went;
}

cJSON *model_group_to_json(const struct layer_group *group)
{
    cJSON *object = cJSON_CreateObject();
    if (object == NULL) {
        return NULL;
    }
    bool labelled =
        group->label == NULL || cJSON_AddStringToObject(object, "label", group->label) != NULL;
    if (labelled && put_fields(object, GROUP_FIELDS, group) &&
        put_fields(object, GROUP_DERIVED, group) && put_mixers(object, group) &&
        put_ffns(object, group)) {
        return object;
    }
    cJSON_Delete(object);
    return NULL;
}
