/*
 * field.h - tables of request fields, and the walkers that read an input by them.
 *
 * Purpose: a field is a row: where it stands in the JSON, what it may hold and where it goes. One
 * walker reads a JSON object, one a query string, one sets a single leaf by its pointer; the
 * OpenAPI document, sweeps and searches walk the same rows. Units:   a row's `scale` converts the
 * unit of the API to the unit of the target, at this edge only. Ownership: texts point into the
 * parsed input or the request's arena. Errors:  every fault is added to the reader's faults with
 * its JSON pointer (or "?name" for a query argument); a faulty leaf leaves the target as it was.
 * Threads: tables are constant; a reader belongs to one request.
 */
#ifndef REGIME_FIELD_H
#define REGIME_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "app.h"
#include "catalogue.h"
#include "fault.h"

struct cJSON;

/* What a field holds, and so what its place in the target is. */
enum field_kind {
    FIELD_NUMBER,   /* double */
    FIELD_WHOLE,    /* double without a fraction */
    FIELD_BOOL,     /* bool */
    FIELD_NAME,     /* an enum, by the row's table of names */
    FIELD_NAMES,    /* unsigned bits, a list of names */
    FIELD_TEXT,     /* const char * */
    FIELD_TREE,     /* const struct cJSON *: a text, an object or a list of objects */
    FIELD_MODEL,    /* const struct model * */
    FIELD_HARDWARE, /* const struct hardware * */
    FIELD_ENGINE,   /* const struct engine * */
    FIELD_WEIGHTS,  /* const struct weight_format * */
    FIELD_KV_CACHE, /* const struct kv_format * */
    FIELD_UNUSED,   /* part of a record, accepted in any shape, without a place */
    FIELD_KIND_COUNT
};

/* A name of an enum's value; the first row of a value is the one that replies print. */
struct field_name {
    const char *name; /* NULL ends the table */
    int value;
};

/* Where the value of an absent field comes from. */
enum field_default {
    DEFAULT_NONE,     /* stays absent (NAN, NULL): no assumption is made */
    DEFAULT_REQUIRED, /* its absence is a fault */
    DEFAULT_VALUE,    /* the row's `value` */
    DEFAULT_ENGINE,   /* the engine's record, at `engine_default` of struct engine_defaults */
    DEFAULT_RULE      /* the row's `rule` */
};

struct plan_request;

struct rule_context {
    const struct catalogue *catalogue;
    const struct engine_defaults *engine; /* of the engine, version and part asked */
    const struct launch_choice *launches; /* by flag: what launches say of the case asked */
};

/* Writes the default into the request; returns false when the field stays absent. */
typedef bool field_rule_fn(const struct rule_context *context, struct plan_request *request);

struct field {
    int section;         /* row of the table's sections */
    const char *name;    /* member name in its object */
    const char *pointer; /* "/deployment/tp" */
    const char *query; /* query argument: the leaf name, "speculative.tokens" in an inner object */
    enum field_kind kind;
    size_t offset;   /* in the target */
    double min, max; /* inclusive, in the unit of the API */
    double scale;    /* stored = given * scale; 0 stands for 1 */
    const struct field_name *names;
    int launch; /* enum launch_flag: a launch that speaks of it goes before the fallback */
    enum field_default fallback;
    double value; /* DEFAULT_VALUE, in the target's unit */
    size_t engine_default;
    field_rule_fn *rule;
    bool describes;     /* a text that may say what is required */
    const char *absent; /* DEFAULT_RULE: the rule in words, "when absent, ..." */
    const char *unit, *doc;
};

struct field_section {
    const char *name;    /* member name of this object */
    const char *pointer; /* "/deployment/speculative", "" for the root */
    int parent;          /* -1 for the root */
    int first, n;        /* its rows */
    size_t present;      /* offset of a bool that is set when the object is there; 0 = none */
    const char *doc;
};

struct field_table {
    const struct field *rows;
    int n;
    const struct field_section *sections;
    int n_sections;
};

#define FIELDS_MAX 128
#define FIELD_SECTIONS_MAX 16

/* One reading of one input. */
struct field_reader {
    const struct field_table *table;
    const struct catalogue *catalogue;
    struct arena *arena;
    struct faults *faults;
    const char *base; /* pointer of the object read, "" or "/hardware"; "?" for a query */
    void *target;
    bool *given;                      /* one per row: a value was read */
    const char *stripped_format;      /* weight format found in the model's name, or NULL */
    double max_positions;             /* of the checkpoint named; 0 = the model's own */
    const struct cJSON *inline_model; /* the object that the model was given as, or NULL */
    bool weights_are_fp4;             /* the weight format was given as "fp4" */
    int named_devices;                /* "8x H100" as the part's name is 8; 0 = not said */
};

/* A value before it is understood. */
struct field_value {
    const struct cJSON *json; /* NULL for a query argument */
    const char *text;         /* the argument's value; NULL for JSON */
    const char *argument;     /* the argument's name as sent; NULL for JSON */
    int element;              /* its place in a list, counted from 1; 0 = it is the whole value */
};

/*
 * Reads the object by the reader's table: unknown names, names given twice and values of a wrong
 * type, range or shape become faults; null means absent.
 */
void field_read_json(struct field_reader *reader, const struct cJSON *object);

/*
 * Reads the leaves of the table from a query. A leaf is named by its `query` name, by its dotted
 * path or by its pointer; an empty value means absent; a repeated or unknown argument is a fault,
 * unless its name is in `others` (n_others of them), which belong to the route.
 */
void field_read_query(struct field_reader *reader, const struct argument *arguments, int n,
                      const char *const *others, int n_others);

/* The row with that JSON pointer, -1 when there is none. */
int field_by_pointer(const struct field_table *table, const char *pointer);

/* Sets one leaf. False, with a fault, when the value does not suit; null makes the leaf absent. */
bool field_set(struct field_reader *reader, int row, const struct field_value *value);

/* The name that replies print for a value of FIELD_NAME, NULL when it has none. */
const char *field_name_of(const struct field_name *names, int value);

/* What a field takes, for people: "a whole number from 1 to 1000000"; with `element`, what one
 * entry of its list may be. May allocate from the arena. */
const char *field_expectation(struct arena *arena, const struct field *field, bool element);

/* Adds the fault "expected ..., got ..." of one leaf; suggestion may be NULL. */
void field_refuse(struct field_reader *reader, const struct field *field,
                  const struct field_value *value, const char *suggestion);

/* Where a fault of that leaf points: the JSON pointer below the base, or "?argument". */
const char *field_fault_pointer(const struct field_reader *reader, const struct field *field,
                                const struct field_value *value);

/* Whether a fault already concerns the field, an object around it or something inside it. */
bool field_is_refused(const struct field_reader *reader, int row);

/* The text of a value, NULL when it is not a text. */
const char *field_value_text(const struct field_value *value);

/* `text` shortened to what a message may quote, cut between characters; may allocate from the
 * arena. */
const char *field_quote(struct arena *arena, const char *text);

#endif
