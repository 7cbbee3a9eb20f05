/*
 * schema_check.h - does a JSON value fit a schema? The part of JSON Schema that the description of
 * the API uses: $ref, anyOf, type, enum, required, properties, additionalProperties, items, minimum
 * and maximum.
 */
#ifndef REGIME_SCHEMA_CHECK_H
#define REGIME_SCHEMA_CHECK_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#define SCHEMA_WHERE_MAX 300

/* Whether `value` fits `schema` of the document; if not, where and why goes to ret_where. */
bool schema_fits(const cJSON *document, const cJSON *schema, const cJSON *value,
                 char ret_where[SCHEMA_WHERE_MAX]);

/* The schema behind any number of $ref; NULL when one leads nowhere. */
const cJSON *schema_resolve(const cJSON *document, const cJSON *schema);

/* Whether the schema allows that type ("string", "null"), itself or as one of several. */
bool schema_allows(const cJSON *schema, const char *type);

#endif
