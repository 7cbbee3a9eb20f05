#include "schema_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json_look.h"

#define REFERENCE "#/components/schemas/"

const cJSON *schema_resolve(const cJSON *document, const cJSON *schema)
{
    for (const cJSON *to = member(schema, "$ref"); to; to = member(schema, "$ref")) {
        const char *path = cJSON_GetStringValue(to);
        if (!path || strncmp(path, REFERENCE, strlen(REFERENCE)) != 0) {
            return NULL;
        }
        schema =
            member(member(member(document, "components"), "schemas"), path + strlen(REFERENCE));
    }
    return schema;
}

bool schema_allows(const cJSON *schema, const char *type)
{
    const cJSON *types = member(schema, "type");
    const cJSON *item = NULL;
    if (cJSON_IsString(types)) {
        return strcmp(types->valuestring, type) == 0;
    }
    cJSON_ArrayForEach(item, types)
    {
        if (strcmp(item->valuestring, type) == 0) {
            return true;
        }
    }
    return false;
}

static bool type_fits(const cJSON *schema, const cJSON *value)
{
    if (!member(schema, "type")) {
        return true;
    }
    if (cJSON_IsNumber(value)) {
        return schema_allows(schema, "number") || (schema_allows(schema, "integer") &&
                                                   value->valuedouble == floor(value->valuedouble));
    }
    return (cJSON_IsString(value) && schema_allows(schema, "string")) ||
           (cJSON_IsBool(value) && schema_allows(schema, "boolean")) ||
           (cJSON_IsNull(value) && schema_allows(schema, "null")) ||
           (cJSON_IsArray(value) && schema_allows(schema, "array")) ||
           (cJSON_IsObject(value) && schema_allows(schema, "object"));
}

static bool enum_fits(const cJSON *schema, const cJSON *value)
{
    const cJSON *names = member(schema, "enum");
    const cJSON *name = NULL;
    cJSON_ArrayForEach(name, names)
    {
        if (cJSON_Compare(name, value, 1)) {
            return true;
        }
    }
    return !names;
}

static bool range_fits(const cJSON *schema, const cJSON *value)
{
    const cJSON *least = member(schema, "minimum");
    const cJSON *most = member(schema, "maximum");
    return !cJSON_IsNumber(value) || ((!least || value->valuedouble >= least->valuedouble) &&
                                      (!most || value->valuedouble <= most->valuedouble));
}

static bool refuse(char ret_where[SCHEMA_WHERE_MAX], const char *why, const cJSON *value)
{
    char *text = cJSON_PrintUnformatted(value);
    snprintf(ret_where, SCHEMA_WHERE_MAX, ": %s, in %.150s", why, text ? text : "");
    cJSON_free(text);
    return false;
}

/* Puts the name of a member before what its value said. */
static bool refuse_below(char ret_where[SCHEMA_WHERE_MAX], const char *name)
{
    char inner[SCHEMA_WHERE_MAX];
    memcpy(inner, ret_where, sizeof(inner));
    snprintf(ret_where, SCHEMA_WHERE_MAX, "/%.40s%.250s", name, inner);
    return false;
}

static bool object_fits(const cJSON *document, const cJSON *schema, const cJSON *value,
                        char ret_where[SCHEMA_WHERE_MAX])
{
    const cJSON *properties = member(schema, "properties");
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, member(schema, "required"))
    {
        if (!member(value, item->valuestring)) {
            return refuse(ret_where, item->valuestring, value);
        }
    }
    cJSON_ArrayForEach(item, value)
    {
        const cJSON *inner = member(properties, item->string);
        if (!inner && cJSON_IsFalse(member(schema, "additionalProperties"))) {
            (void)refuse(ret_where, "a member that is not described", item);
            return refuse_below(ret_where, item->string);
        }
        if (inner && !schema_fits(document, inner, item, ret_where)) {
            return refuse_below(ret_where, item->string);
        }
    }
    return true;
}

static bool items_fit(const cJSON *document, const cJSON *schema, const cJSON *value,
                      char ret_where[SCHEMA_WHERE_MAX])
{
    const cJSON *items = member(schema, "items");
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, value)
    {
        if (items && !schema_fits(document, items, item, ret_where)) {
            return refuse_below(ret_where, "*");
        }
    }
    return true;
}

static bool any_fits(const cJSON *document, const cJSON *choices, const cJSON *value,
                     char ret_where[SCHEMA_WHERE_MAX])
{
    const cJSON *choice = NULL;
    char other[SCHEMA_WHERE_MAX];
    cJSON_ArrayForEach(choice, choices)
    {
        if (schema_fits(document, choice, value, choice == choices->child ? ret_where : other)) {
            return true;
        }
    }
    return !choices;
}

bool schema_fits(const cJSON *document, const cJSON *schema, const cJSON *value,
                 char ret_where[SCHEMA_WHERE_MAX])
{
    schema = schema_resolve(document, schema);
    if (!schema) {
        return refuse(ret_where, "no such schema", value);
    }
    if (!type_fits(schema, value)) {
        return refuse(ret_where, "its type", value);
    }
    if (!enum_fits(schema, value)) {
        return refuse(ret_where, "not one of the names", value);
    }
    if (!range_fits(schema, value)) {
        return refuse(ret_where, "beyond its range", value);
    }
    return any_fits(document, member(schema, "anyOf"), value, ret_where) &&
           (!cJSON_IsObject(value) || object_fits(document, schema, value, ret_where)) &&
           (!cJSON_IsArray(value) || items_fit(document, schema, value, ret_where));
}
