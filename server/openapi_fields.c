#include "openapi_fields.h"

#include <string.h>

#include "inline_model.h"
#include "openapi_schemas.h"

static double in_api_unit(const struct field *field, double value)
{
    return field->scale != 0 ? value / field->scale : value;
}

static const char *type_of(enum field_kind kind)
{
    switch (kind) {
    case FIELD_NUMBER:
        return "number";
    case FIELD_WHOLE:
        return "integer";
    case FIELD_BOOL:
        return "boolean";
    case FIELD_NAMES:
        return "array";
    case FIELD_NAME:
    case FIELD_TEXT:
    case FIELD_TREE:
    case FIELD_MODEL:
    case FIELD_HARDWARE:
    case FIELD_ENGINE:
    case FIELD_WEIGHTS:
    case FIELD_KV_CACHE:
        return "string";
    case FIELD_UNUSED:
    case FIELD_KIND_COUNT:
        break;
    }
    return NULL;
}

static void put_type(struct json_out *out, const char *type, bool or_null)
{
    json_key(out, "type");
    if (!or_null) {
        json_text(out, type);
        return;
    }
    json_begin_array(out);
    json_text(out, type);
    json_text(out, "null");
    json_end_array(out);
}

static void put_names(struct json_out *out, const struct field_name *names, bool or_null)
{
    json_key(out, "enum");
    json_begin_array(out);
    for (; names->name; names++) {
        json_text(out, names->name);
    }
    if (or_null) {
        json_null(out);
    }
    json_end_array(out);
}

/* What stands in the place of an absent value, when it is one value. */
static void put_default(struct json_out *out, const struct field *field)
{
    if (field->fallback != DEFAULT_VALUE) {
        return;
    }
    json_key(out, "default");
    if (field->kind == FIELD_BOOL) {
        json_bool(out, field->value != 0);
    } else if (field->kind == FIELD_NAME) {
        json_text(out, field_name_of(field->names, (int)field->value));
    } else if (field->kind == FIELD_NAMES) {
        json_begin_array(out);
        json_end_array(out);
    } else {
        json_number(out, in_api_unit(field, field->value));
    }
}

static bool has_range(const struct field *field)
{
    return (field->kind == FIELD_NUMBER || field->kind == FIELD_WHOLE) && field->max > field->min;
}

static const char *fallback_note(const struct field *field)
{
    switch (field->fallback) {
    case DEFAULT_ENGINE:
        return "when absent, what the engine's version does";
    case DEFAULT_RULE:
        return field->absent;
    case DEFAULT_NONE:
    case DEFAULT_REQUIRED:
    case DEFAULT_VALUE:
        break;
    }
    return NULL;
}

static void put_description(struct json_out *out, const struct field *field)
{
    const char *note = fallback_note(field);
    const char *parts[] = {field->doc, field->unit, note};
    const char *text = "";
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (parts[i]) {
            const char *more =
                arena_printf(out->arena, "%s%s%s", text, text[0] ? "; " : "", parts[i]);
            text = more ? more : text;
        }
    }
    if (text[0]) {
        json_put_text(out, "description", text);
    }
}

const char *openapi_field_default(struct arena *arena, const struct field *field)
{
    const char *note = fallback_note(field);
    struct json_out out;
    if (note) {
        return note + sizeof("when absent, ") - 1;
    }
    if (field->fallback == DEFAULT_REQUIRED) {
        return "required";
    }
    if (field->fallback != DEFAULT_VALUE || field->kind == FIELD_NAMES) {
        return "none";
    }
    if (field->kind == FIELD_NAME) {
        return field_name_of(field->names, (int)field->value);
    }
    if (field->kind == FIELD_BOOL) {
        return field->value != 0 ? "true" : "false";
    }
    json_out_init(&out, arena, 64, 4096);
    out_number(&out, in_api_unit(field, field->value));
    return json_out_ok(&out) ? arena_copy(arena, out.text, out.length) : "";
}

static void put_record_field(struct json_out *out, const struct field *field)
{
    json_begin_object(out);
    json_key(out, "anyOf");
    json_begin_array(out);
    json_begin_object(out);
    put_type(out, "string", field->fallback != DEFAULT_REQUIRED);
    json_end_object(out);
    if (field->kind == FIELD_MODEL) {
        inline_model_schema(out);
    } else {
        schema_write_reference(out, "InlinePart");
    }
    json_end_array(out);
    put_description(out, field);
    json_end_object(out);
}

/* A list of names may also be one text, its names between commas; a manifest a text, an object or a
 * list of them. */
static const char *const LIST_TYPES[] = {"array", "string", "null"};
static const char *const TREE_TYPES[] = {"string", "object", "array", "null"};

static void put_types(struct json_out *out, const char *const *types, size_t n)
{
    json_key(out, "type");
    json_begin_array(out);
    for (size_t i = 0; i < n; i++) {
        json_text(out, types[i]);
    }
    json_end_array(out);
}

/* The schema of a leaf; in a body null means absent. */
static void put_leaf(struct json_out *out, const struct field *field, bool in_body)
{
    const char *type = type_of(field->kind);
    bool or_null = in_body && field->fallback != DEFAULT_REQUIRED;
    if (in_body && (field->kind == FIELD_MODEL || field->kind == FIELD_HARDWARE)) {
        put_record_field(out, field);
        return;
    }
    json_begin_object(out);
    if (in_body && field->kind == FIELD_NAMES) {
        put_types(out, LIST_TYPES, ARRAY_LEN(LIST_TYPES));
    } else if (in_body && field->kind == FIELD_TREE) {
        put_types(out, TREE_TYPES, ARRAY_LEN(TREE_TYPES));
    } else if (type) {
        put_type(out, type, or_null);
    }
    if (field->kind == FIELD_NAME) {
        put_names(out, field->names, or_null);
    }
    if (field->kind == FIELD_NAMES) {
        json_key(out, "items");
        json_begin_object(out);
        json_put_text(out, "type", "string");
        put_names(out, field->names, false);
        json_end_object(out);
    }
    if (has_range(field)) {
        json_put_number(out, "minimum", field->min);
        json_put_number(out, "maximum", field->max);
    }
    put_default(out, field);
    if (in_body) {
        put_description(out, field);
    }
    json_end_object(out);
}

/* "required" with the names of the rows that must be there; nothing when none must. */
static void put_required_names(struct json_out *out, const struct field_table *table,
                               const struct field_section *section)
{
    bool any = false;
    for (int i = section->first; i < section->first + section->n; i++) {
        if (table->rows[i].fallback != DEFAULT_REQUIRED) {
            continue;
        }
        if (!any) {
            json_key(out, "required");
            json_begin_array(out);
        }
        any = true;
        json_text(out, table->rows[i].name);
    }
    if (any) {
        json_end_array(out);
    }
}

/* One of the texts in the place of what is required. */
static void put_instead(struct json_out *out, const char *name)
{
    json_begin_object(out);
    json_key(out, "required");
    json_begin_array(out);
    json_text(out, name);
    json_end_array(out);
    json_end_object(out);
}

static void put_required(struct json_out *out, const struct field_table *table,
                         const struct field_section *section)
{
    bool described = false;
    for (int i = section->first; i < section->first + section->n; i++) {
        described = described || table->rows[i].describes;
    }
    if (!described) {
        put_required_names(out, table, section);
        return;
    }
    json_key(out, "anyOf");
    json_begin_array(out);
    json_begin_object(out);
    put_required_names(out, table, section);
    json_end_object(out);
    for (int i = section->first; i < section->first + section->n; i++) {
        if (table->rows[i].describes) {
            put_instead(out, table->rows[i].name);
        }
    }
    json_end_array(out);
}

/* Sections nest three deep. */
static void put_section(struct json_out *out, const struct field_table *table, int index)
{
    const struct field_section *section = &table->sections[index];
    json_begin_object(out);
    put_type(out, "object", section->parent >= 0);
    json_put_text(out, "description", section->doc);
    put_required(out, table, section);
    json_key(out, "properties");
    json_begin_object(out);
    for (int i = section->first; i < section->first + section->n; i++) {
        json_key(out, table->rows[i].name);
        put_leaf(out, &table->rows[i], true);
    }
    for (int i = 0; i < table->n_sections; i++) {
        if (table->sections[i].parent == index) {
            json_key(out, table->sections[i].name);
            put_section(out, table, i);
        }
    }
    json_end_object(out);
    json_put_bool(out, "additionalProperties", false);
    json_end_object(out);
}

void openapi_table_schema(struct json_out *out, const struct field_table *table)
{
    put_section(out, table, 0);
}

void openapi_table_parameters(struct json_out *out, const struct field_table *table)
{
    for (int i = 0; i < table->n; i++) {
        const struct field *field = &table->rows[i];
        json_begin_object(out);
        json_put_text(out, "name", field->query);
        json_put_text(out, "in", "query");
        if (field->fallback == DEFAULT_REQUIRED) {
            json_put_bool(out, "required", true);
        }
        put_description(out, field);
        if (field->kind == FIELD_NAMES) {
            json_put_text(out, "style", "form");
            json_put_bool(out, "explode", false);
        }
        json_key(out, "schema");
        put_leaf(out, field, false);
        json_end_object(out);
    }
}
