/* openapi_schema_write.c - the tables of shapes as JSON Schema. */
#include "openapi_schemas.h"

#include "compiler.h"

#define REFERENCE "#/components/schemas/"

void schema_write_names(struct json_out *out, schema_name_fn *name_at, int n, bool or_null)
{
    json_key(out, "enum");
    json_begin_array(out);
    for (int i = 0; i < n && name_at(i); i++) {
        json_text(out, name_at(i));
    }
    if (or_null) {
        json_null(out);
    }
    json_end_array(out);
}

void schema_write_reference(struct json_out *out, const char *name)
{
    const char *path = arena_printf(out->arena, REFERENCE "%s", name);
    json_begin_object(out);
    json_put_text(out, "$ref", path);
    json_end_object(out);
}

static void write_reference_or_null(struct json_out *out, const char *name)
{
    json_begin_object(out);
    json_key(out, "anyOf");
    json_begin_array(out);
    schema_write_reference(out, name);
    json_begin_object(out);
    json_put_text(out, "type", "null");
    json_end_object(out);
    json_end_array(out);
    json_end_object(out);
}

static void write_type(struct json_out *out, const char *type, bool or_null)
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

/* The schema of one value, of a list's entry where it is a list. */
static void write_value(struct json_out *out, const struct schema_member *member, bool with_doc)
{
    static const char *const TYPES[] = {
        [SHAPE_TEXT] = "string", [SHAPE_NUMBER] = "number", [SHAPE_BOOL] = "boolean"};
    bool or_null = member->flags & SCHEMA_NULL;
    if (member->shape == SHAPE_OBJECT && or_null) {
        write_reference_or_null(out, member->of);
        return;
    }
    if (member->shape == SHAPE_OBJECT) {
        schema_write_reference(out, member->of);
        return;
    }
    json_begin_object(out);
    if (member->shape != SHAPE_ANY) {
        write_type(out, TYPES[member->shape], or_null);
    }
    if (member->name_at) {
        schema_write_names(out, member->name_at, member->n_names, or_null);
    }
    if (with_doc && member->doc) {
        json_put_text(out, "description", member->doc);
    }
    json_end_object(out);
}

static void write_member(struct json_out *out, const struct schema_member *member)
{
    json_key(out, member->name);
    if (!(member->flags & SCHEMA_LIST)) {
        write_value(out, member, true);
        return;
    }
    json_begin_object(out);
    write_type(out, "array", member->flags & SCHEMA_NULL_LIST);
    if (member->doc) {
        json_put_text(out, "description", member->doc);
    }
    json_key(out, "items");
    write_value(out, member, false);
    json_end_object(out);
}

static void write_schema(struct json_out *out, const struct schema *schema)
{
    json_key(out, schema->name);
    json_begin_object(out);
    json_put_text(out, "type", "object");
    json_put_text(out, "description", schema->doc);
    json_key(out, "required");
    json_begin_array(out);
    for (int i = 0; i < schema->n; i++) {
        if (!(schema->members[i].flags & SCHEMA_OPTIONAL)) {
            json_text(out, schema->members[i].name);
        }
    }
    json_end_array(out);
    json_key(out, "properties");
    json_begin_object(out);
    for (int i = 0; i < schema->n; i++) {
        write_member(out, &schema->members[i]);
    }
    json_end_object(out);
    json_put_bool(out, "additionalProperties", schema->open);
    json_end_object(out);
}

const struct schema *schema_at(int index)
{
    const struct {
        const struct schema *schemas;
        int n;
    } tables[] = {
        {SCHEMAS, N_SCHEMAS},
        {CHECK_SCHEMAS, N_CHECK_SCHEMAS},
        {CAPACITY_SCHEMAS, N_CAPACITY_SCHEMAS},
        {KERNEL_SCHEMAS, N_KERNEL_SCHEMAS},
        {MEMORY_SCHEMAS, N_MEMORY_SCHEMAS},
        {SWEEP_SCHEMAS, N_SWEEP_SCHEMAS},
        {DIAGNOSE_SCHEMAS, N_DIAGNOSE_SCHEMAS},
        {SEARCH_SCHEMAS, N_SEARCH_SCHEMAS},
        {ATTRIBUTE_SCHEMAS, N_ATTRIBUTE_SCHEMAS},
        {WRITE_SCHEMAS, N_WRITE_SCHEMAS},
    };

    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        if (index < tables[i].n) {
            return &tables[i].schemas[index];
        }
        index -= tables[i].n;
    }
    return NULL;
}

void openapi_schemas_write(struct json_out *out)
{
    const struct schema *schema;

    for (int i = 0; (schema = schema_at(i)) != NULL; i++) {
        write_schema(out, schema);
    }
}
