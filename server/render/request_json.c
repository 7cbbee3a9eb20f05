#include "request_json.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "units.h"

/* A member's name that came from outside: escaped, unlike those of json_key(). */
static void write_name(struct json_out *out, const char *name)
{
    json_text(out, name);
    out_text(out, ":");
    out->needs_comma[out->depth] = false;
}

/* Bounded by the nesting that a body may have. */
void request_json_tree(struct json_out *out, const cJSON *tree)
{
    const cJSON *child;

    if (cJSON_IsObject(tree) || cJSON_IsArray(tree)) {
        bool is_object = cJSON_IsObject(tree);
        if (is_object)
            json_begin_object(out);
        else
            json_begin_array(out);
        cJSON_ArrayForEach(child, tree)
        {
            if (is_object)
                write_name(out, child->string);
            request_json_tree(out, child);
        }
        if (is_object)
            json_end_object(out);
        else
            json_end_array(out);
        return;
    }
    if (cJSON_IsString(tree))
        json_text(out, tree->valuestring);
    else if (cJSON_IsNumber(tree))
        json_number(out, tree->valuedouble);
    else if (cJSON_IsBool(tree))
        json_bool(out, cJSON_IsTrue(tree));
    else
        json_null(out);
}

static void write_model(struct json_out *out, const struct plan_request *request)
{
    if (!request->inline_model) {
        json_text(out, request->problem.model->id);
        return;
    }
    request_json_tree(out, request->inline_model);
}

static void write_part(struct json_out *out, const struct hardware *hw)
{
    if (hw->index >= 0) {
        json_text(out, hw->id);
        return;
    }
    json_begin_object(out);
    json_put_text(out, "id", hw->id);
    json_put_text(out, "name", hw->name);
    json_put_number(out, "memory_bytes", hw->memory_bytes);
    json_put_number(out, "mem_bw_gbps", hw->bw_bytes_us / BYTES_PER_US_PER_GBPS);
    json_key(out, "peak_dense_tflops");
    json_begin_object(out);
    for (int i = 0; i < DTYPE_COUNT; i++) {
        if (hw->peak_flops_us[i] > 0)
            json_put_number(out, dtype_name((enum dtype)i),
                            hw->peak_flops_us[i] / FLOPS_PER_US_PER_TFLOPS);
    }
    json_end_object(out);
    json_key(out, "interconnect");
    json_begin_object(out);
    json_put_text(out, "kind", hw->link_kind);
    json_put_number(out, "gbps_per_gpu_total_bidir", 2 * hw->link_bytes_us / BYTES_PER_US_PER_GBPS);
    json_put_number(out, "max_domain", hw->link_domain);
    json_end_object(out);
    json_put_number(out, "host_gbps", hw->host_bytes_us / BYTES_PER_US_PER_GBPS);
    json_end_object(out);
}

static void write_names(struct json_out *out, const struct field *field, unsigned bits)
{
    json_begin_array(out);
    for (const struct field_name *name = field->names; name->name; name++) {
        if (bits & (unsigned)name->value)
            json_text(out, name->name);
    }
    json_end_array(out);
}

static int read_int(const void *place)
{
    int value;

    memcpy(&value, place, sizeof(value));
    return value;
}

static void write_value(struct json_out *out, const struct field *field,
                        const struct plan_request *request)
{
    const void *place = (const char *)request + field->offset;
    double scale = field->scale != 0 ? field->scale : 1;

    switch (field->kind) {
    case FIELD_NUMBER:
    case FIELD_WHOLE:
        json_number(out, *(const double *)place / scale);
        break;
    case FIELD_BOOL:
        json_bool(out, *(const bool *)place);
        break;
    case FIELD_NAME:
        json_text(out, field_name_of(field->names, read_int(place)));
        break;
    case FIELD_NAMES:
        write_names(out, field, *(const unsigned *)place);
        break;
    case FIELD_TEXT:
        json_text(out, *(const char *const *)place);
        break;
    case FIELD_MODEL:
        write_model(out, request);
        break;
    case FIELD_HARDWARE:
        write_part(out, request->problem.hw);
        break;
    case FIELD_ENGINE:
        json_text(out, request->problem.dep.engine->id);
        break;
    case FIELD_WEIGHTS:
        json_text(out, request->problem.dep.weights->id);
        break;
    case FIELD_KV_CACHE:
        json_text(out, request->problem.dep.kv_cache->id);
        break;
    case FIELD_TREE:
    case FIELD_UNUSED:
    case FIELD_KIND_COUNT:
        json_null(out);
    }
}

/* Inner objects that stand for an absent thing are null. */
static bool is_absent(const struct plan_request *request, int section)
{
    const struct deployment *dep = &request->problem.dep;

    if (section == SECTION_DISAGGREGATION)
        return !dep->disaggregated;
    if (section == SECTION_SPECULATIVE)
        return dep->spec_method == SPEC_NONE;
    const struct field_section *part = &PLAN_FIELDS.sections[section];
    for (int i = part->first; i < part->first + part->n; i++)
        if (request->given[i] || request->assumed[i])
            return false;
    return true;
}

static void write_section(struct json_out *out, const struct plan_request *request, int section)
{
    const struct field_section *part = &PLAN_FIELDS.sections[section];

    json_begin_object(out);
    for (int i = part->first; i < part->first + part->n; i++) {
        const struct field *field = &PLAN_FIELDS.rows[i];
        json_key(out, field->name);
        if (request->given[i] || request->assumed[i])
            write_value(out, field, request);
        else
            json_null(out);
    }
    for (int i = 0; i < PLAN_FIELDS.n_sections; i++) {
        if (PLAN_FIELDS.sections[i].parent != section)
            continue;
        json_key(out, PLAN_FIELDS.sections[i].name);
        if (is_absent(request, i))
            json_null(out);
        else
            write_section(out, request, i);
    }
    json_end_object(out);
}

void request_json_write(struct json_out *out, const struct plan_request *request)
{
    write_section(out, request, SECTION_ROOT);
}

void request_json_assumed(struct json_out *out, const struct plan_request *request)
{
    const char *before = "\"";

    json_begin_array(out);
    for (int i = 0; i < FIELD_ID_COUNT; i++) {
        if (!request->assumed[i])
            continue;
        /* pointers of the table need no escape */
        out_text(out, before);
        out_text(out, PLAN_FIELDS.rows[i].pointer);
        before = "\",\"";
    }
    if (before[1])
        out_text(out, "\"");
    json_end_array(out);
}

void request_json_assumed_from(struct json_out *out, const struct plan_request *request)
{
    json_begin_object(out);
    for (int i = 0; i < FIELD_ID_COUNT; i++) {
        if (request->assumed[i] && request->launches[i])
            json_put_text(out, PLAN_FIELDS.rows[i].pointer, request->launches[i]->id);
    }
    json_end_object(out);
}

void request_json_leaf(struct json_out *out, const struct plan_request *request, enum field_id id)
{
    if (request->given[id] || request->assumed[id])
        write_value(out, &PLAN_FIELDS.rows[id], request);
    else
        json_null(out);
}

void request_text_leaf(struct json_out *out, const struct plan_request *request, enum field_id id)
{
    const struct field *field = &PLAN_FIELDS.rows[id];
    struct json_out value;

    json_out_init(&value, out->arena, 64, 4096);
    write_value(&value, field, request);
    if (!json_out_ok(&value))
        return;
    out_text(out, field->query);
    out_text(out, " ");
    bool quoted = value.length >= 2 && value.text[0] == '"';
    out_bytes(out, value.text + quoted, value.length - 2 * (size_t)quoted);
}
