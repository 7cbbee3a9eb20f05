/*
 * openapi_rows.h - short names for rows of the tables of schemas; only their sources include it.
 */
#ifndef REGIME_OPENAPI_ROWS_H
#define REGIME_OPENAPI_ROWS_H

#include "compiler.h"
#include "openapi_schemas.h"

#define TEXT(NAME, FLAGS, DOC)                                                                     \
    {                                                                                              \
        NAME, SHAPE_TEXT, FLAGS, NULL, NULL, 0, DOC                                                \
    }
#define NUMBER(NAME, FLAGS, DOC)                                                                   \
    {                                                                                              \
        NAME, SHAPE_NUMBER, FLAGS, NULL, NULL, 0, DOC                                              \
    }
#define BOOLEAN(NAME, FLAGS, DOC)                                                                  \
    {                                                                                              \
        NAME, SHAPE_BOOL, FLAGS, NULL, NULL, 0, DOC                                                \
    }
#define ANYTHING(NAME, FLAGS, DOC)                                                                 \
    {                                                                                              \
        NAME, SHAPE_ANY, FLAGS, NULL, NULL, 0, DOC                                                 \
    }
#define OBJECT(NAME, FLAGS, OF)                                                                    \
    {                                                                                              \
        NAME, SHAPE_OBJECT, FLAGS, OF, NULL, 0, NULL                                               \
    }
#define ENUM(NAME, FLAGS, NAME_AT, N, DOC)                                                         \
    {                                                                                              \
        NAME, SHAPE_TEXT, FLAGS, NULL, NAME_AT, N, DOC                                             \
    }
#define NULLABLE SCHEMA_NULL
#define OPTIONAL SCHEMA_OPTIONAL
#define LIST SCHEMA_LIST
#define NULL_LIST (SCHEMA_LIST | SCHEMA_NULL_LIST)

#define CLOSED(NAME, MEMBERS, DOC)                                                                 \
    {                                                                                              \
        NAME, DOC, false, MEMBERS, (int)ARRAY_LEN(MEMBERS)                                         \
    }
#define OPEN(NAME, MEMBERS, DOC)                                                                   \
    {                                                                                              \
        NAME, DOC, true, MEMBERS, (int)ARRAY_LEN(MEMBERS)                                          \
    }

#endif
