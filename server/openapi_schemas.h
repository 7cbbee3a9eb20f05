/*
 * openapi_schemas.h - the shapes of replies, as JSON Schema (draft 2020-12, as OpenAPI 3.1 uses
 * it).
 *
 * Purpose: one table of objects and their members; names of enums come from the planner's own
 *          tables.
 * Errors:  the writer's.
 */
#ifndef REGIME_OPENAPI_SCHEMAS_H
#define REGIME_OPENAPI_SCHEMAS_H

#include <limits.h>

#include "json_out.h"

/* The n-th name of an enum. */
typedef const char *schema_name_fn(int index);

/* For `n` where the name past the last one is NULL. */
#define SCHEMA_UNTIL_NULL INT_MAX

/* Writes "enum": [...] of n names; with `or_null`, null is one of its values. */
void schema_write_names(struct json_out *out, schema_name_fn *name_at, int n, bool or_null);

/* Writes {"$ref": "#/components/schemas/NAME"}. */
void schema_write_reference(struct json_out *out, const char *name);

/* Writes the shapes of replies as members of the open object "schemas". */
void openapi_schemas_write(struct json_out *out);

/* What replies say, for readers: a table of each shape's members. */
struct schema_member {
    const char *name;

    enum { SHAPE_TEXT, SHAPE_NUMBER, SHAPE_BOOL, SHAPE_ANY, SHAPE_OBJECT } shape;

    unsigned flags;
    const char *of; /* SHAPE_OBJECT: the name of its schema */
    schema_name_fn *name_at;
    int n_names;
    const char *doc; /* NULL = its name says it */
};

#define SCHEMA_NULL 1u      /* may be null */
#define SCHEMA_OPTIONAL 2u  /* may be absent */
#define SCHEMA_LIST 4u      /* an array of it */
#define SCHEMA_NULL_LIST 8u /* the array itself may be null */

struct schema {
    const char *name, *doc;
    bool open; /* may have members beside these */
    const struct schema_member *members;
    int n;
};

extern const struct schema SCHEMAS[];
extern const int N_SCHEMAS;
/* Those of verdicts and comparisons. */
extern const struct schema CHECK_SCHEMAS[];
extern const int N_CHECK_SCHEMAS;
/* Those of memory against engine logs. */
extern const struct schema CAPACITY_SCHEMAS[];
extern const int N_CAPACITY_SCHEMAS;
/* Those of kernel names. */
extern const struct schema KERNEL_SCHEMAS[];
extern const int N_KERNEL_SCHEMAS;
/* Those of memory. */
extern const struct schema MEMORY_SCHEMAS[];
extern const int N_MEMORY_SCHEMAS;
/* Those of tables of plans. */
extern const struct schema SWEEP_SCHEMAS[];
extern const int N_SWEEP_SCHEMAS;
/* Those of diagnoses. */
extern const struct schema DIAGNOSE_SCHEMAS[];
extern const int N_DIAGNOSE_SCHEMAS;
/* Those of searches. */
extern const struct schema SEARCH_SCHEMAS[];
extern const int N_SEARCH_SCHEMAS;
/* Those of measured profiles. */
extern const struct schema ATTRIBUTE_SCHEMAS[];
extern const int N_ATTRIBUTE_SCHEMAS;
/* Those of what is posted. */
extern const struct schema WRITE_SCHEMAS[];
extern const int N_WRITE_SCHEMAS;

/* The schema at that place of all tables, one behind the other; NULL past the end. */
const struct schema *schema_at(int index);

#endif
