/*
 * import.h - fills a migrated, empty database from db/records/.
 *
 * Purpose: check every record (unknown field, wrong type, missing source, duplicate name, number
 * out of range), list every fault, and write the rows. Ownership: the struct lives for one import.
 * Errors:  faults are printed to `log`, one line each, and counted; import_records() is false when
 *          there was one. The database is then not to be used.
 */
#ifndef REGIME_IMPORT_H
#define REGIME_IMPORT_H

#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

#include "compiler.h"

#define IMPORT_AT_MAX 120

/* Takes a fault with the JSON pointer of what it is about, into the record. */
typedef void import_sink_fn(void *ctx, const char *pointer, const char *text);

struct import {
    sqlite3 *db;
    FILE *log;            /* NULL: none */
    import_sink_fn *sink; /* gets the faults too; NULL */
    void *sink_ctx;
    bool broken;            /* a statement failed for another reason than what it was to write */
    bool posted;            /* the records are not of the bundle */
    char at[IMPORT_AT_MAX]; /* JSON pointer of the object being read, "" = the record */
    int faults;
    const char *file;   /* for fault lines: what is being read */
    const char *record; /* id of the record being read, or NULL */
    int position;       /* of the record among those of its kind */
};

/* Imports everything below `folder` (db/records) in one transaction. */
MUST_USE bool import_records(sqlite3 *db, const char *folder, FILE *log);

/* Adds a fault of the record being read. */
void import_fault(struct import *import, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same of a member of the object being read. */
void import_fault_at(struct import *import, const char *member, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Steps into a member of the object being read ("sources/0") and, with NULL, back to the record. */
void import_step(struct import *import, const char *member);

/* Counts and reports a failed statement; `what` names the table. */
void import_check(struct import *import, bool done, const char *what);

/* ---- reading a record; each adds a fault and returns a harmless value when the field is wrong
 * ---- */

/* Every member of `object` is one of `known` (NULL ends). */
void field_known(struct import *import, const cJSON *object, const char *const *known);

/* A text that must be there; "" after a fault. */
const char *field_text(struct import *import, const cJSON *object, const char *name);

/* A text that may be null or absent; NULL then. */
const char *field_text_or_null(struct import *import, const cJSON *object, const char *name);

/* A finite number within min..max. */
double field_number(struct import *import, const cJSON *object, const char *name, double min,
                    double max);

/* The same, NaN when it is null or absent. */
double field_number_or_nan(struct import *import, const cJSON *object, const char *name, double min,
                           double max);

bool field_bool(struct import *import, const cJSON *object, const char *name);

/* ---- writing what all records have ---- */

/* The record itself with its aliases (id, title and `aliases` of the object), sources, disputes and
 * search text. `doc` is its text as written. */
void import_record(struct import *import, const char *kind, const char *id, const char *title,
                   const cJSON *object, const char *doc);

/* Of a record its row alone, and its sources alone (`sources` of the object): for kinds that keep
 * their own names and search text. */
void import_record_row(struct import *import, const char *kind, const char *id, const char *title,
                       const char *notes, const char *doc);
void import_record_sources(struct import *import, const char *kind, const char *id,
                           const cJSON *object);

/* The id of a source: the start of the digest of its title, kind, url and date. */
#define SOURCE_ID_MAX 20
void import_source_id(const cJSON *source, char ret_id[SOURCE_ID_MAX]);

/* One further name of a record. */
void import_alias(struct import *import, const char *kind, const char *id, const char *alias);

/* A kind of record: where its files lie and what reads one. Rows of KINDS in import.c. */
typedef void import_fn(struct import *import, const cJSON *record, const char *doc);

import_fn import_source, import_model, import_hardware, import_weight_format, import_kv_format,
    import_engine, import_host_cost, import_interval, import_explained, import_more_aliases,
    import_more_disputes, import_anchor_json, import_claim, import_gap, import_launch,
    import_capacity, import_memory_rule, import_price;

/* CSV files: one record per line. */
typedef void import_csv_fn(struct import *import, const char *const *names,
                           const char *const *values, int n);

import_csv_fn import_op_fit, import_collective_fit, import_local_fit, import_prediction;

/* When all fits are there: a plain one is a fallback where its part, engine, op and type have a
 * used one of another form. */
void import_fits_settle(struct import *import);

/* The tables of measurements in `folder`/anchors, and the checks over all anchors. */
void import_anchors(struct import *import, const char *folder);

/* Classes, regimes and cures, from the planner's tables. */
void import_explanations(struct import *import);

#endif
