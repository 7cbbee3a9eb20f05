/*
 * openapi_fields.h - tables of request fields, as JSON Schema and as query parameters.
 *
 * Purpose: the same rows that read a request describe it: types, names, ranges, defaults.
 * Units:   of the API, as the rows state them.
 * Errors:  the writer's.
 */
#ifndef REGIME_OPENAPI_FIELDS_H
#define REGIME_OPENAPI_FIELDS_H

#include "field.h"
#include "json_out.h"

/* Writes the schema of the table's object; unknown members are refused. */
void openapi_table_schema(struct json_out *out, const struct field_table *table);

/* Writes one parameter object per leaf into the open array "parameters". */
void openapi_table_parameters(struct json_out *out, const struct field_table *table);

/* What an absent field becomes, for people: "1024", "by the engine's version"; in the arena. */
const char *openapi_field_default(struct arena *arena, const struct field *field);

#endif
