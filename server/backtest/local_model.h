/*
 * local_model.h - the speed model of local engines as parameters to fit.
 *
 * Purpose: which constants there are, what each may depend on and how much; the terms they make.
 * Ownership: a local_model owns its arrays.
 */
#ifndef REGIME_LOCAL_MODEL_H
#define REGIME_LOCAL_MODEL_H

#include "local_runs.h"
#include "term_fit.h"

/* What an effect depends on besides the back end. */
enum local_field {
    FIELD_OF_ENGINE = 1 << 0,
    FIELD_OF_FAMILY = 1 << 1,
    FIELD_OF_FORMAT = 1 << 2,
    FIELD_OF_PART = 1 << 3
};

#define LOCAL_LEVELS_MAX 4

/* Rows that a constant concerns. */
enum local_when { WHEN_ALWAYS, WHEN_MOE, WHEN_MLA, WHEN_HYBRID, WHEN_WITHOUT_FA, WHEN_OLD };

struct local_level {
    unsigned fields; /* 0 ends the list */
    double spread;   /* of the logarithm of the effect */
};

struct local_constant_spec {
    enum local_constant constant;
    enum phase phase;
    enum local_when when;
    double prior, spread; /* of the back end's own figure; spread 0: it is the prior */
    struct local_level levels[LOCAL_LEVELS_MAX];
};

/* A parameter: the effect of a constant in a scope; level -1 is the back end's own figure. */
struct local_parameter {
    const struct local_constant_spec *spec;
    int level;
    struct local_scope scope;
};

struct local_model {
    struct term_fit fit;
    struct local_parameter *parameters;
    int parameters_max;
    int *runs; /* index of each row's run */
};

const struct local_constant_spec *local_specs(int *ret_n);

/* Whether a constant concerns a run. */
bool local_spec_concerns(const struct local_constant_spec *spec, const struct local_run *run);

/* The scope's named fields and its back end, the others LOCAL_ANY. */
struct local_scope local_scope_keep(const struct local_scope *scope, unsigned fields);

bool local_scope_equal(const struct local_scope *a, const struct local_scope *b);

/* Compiles the runs of one back end and phase. False without memory; local_model_free() anyway. */
MUST_USE bool local_model_build(const struct local_runs *runs, enum backend backend,
                                enum phase phase, struct local_model *ret_model);
void local_model_free(struct local_model *model);

/* A constant in a scope of which only `fields` are known: its effects multiplied. */
double local_model_value(const struct local_model *model, const double *values,
                         const struct local_constant_spec *spec, const struct local_scope *scope,
                         unsigned fields);

#endif
