#include "local_folds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Predicts every row of a model from the rows of other sources. */
static bool leave_sources_out(struct local_folds *folds, const struct local_model *model,
                              double *values, bool *use)
{
    const struct local_runs *runs = folds->runs;
    int rows = model->fit.n_rows;
    for (int source = 0; source < runs->n_sources; source++) {
        int left = 0;
        for (int i = 0; i < rows; i++) {
            use[i] = runs->items[model->runs[i]].source != source;
            left += !use[i];
        }
        if (left == 0 || left == rows)
            continue;
        if (!term_fit_solve(&model->fit, use, values))
            return false;
        for (int i = 0; i < rows; i++)
            if (!use[i])
                folds->left_us[model->runs[i]] = term_fit_predict(&model->fit, i, values);
    }
    return true;
}

static bool fit_part(struct local_folds *folds, enum backend backend, enum phase phase)
{
    struct local_part_fit *part = &folds->fits[backend][phase];
    if (!local_model_build(folds->runs, backend, phase, &part->model))
        return false;
    const struct term_fit *fit = &part->model.fit;
    size_t n = (size_t)fit->n_parameters + 1;
    part->values = malloc(n * sizeof(*part->values));
    double *values = malloc(n * sizeof(*values));
    bool *use = malloc(((size_t)fit->n_rows + 1) * sizeof(*use));
    bool done = part->values != NULL && values != NULL && use != NULL;
    if (done && fit->n_rows > 0) {
        done = leave_sources_out(folds, &part->model, values, use) &&
               term_fit_solve(fit, NULL, part->values);
        for (int i = 0; done && i < fit->n_rows; i++)
            folds->fitted_us[part->model.runs[i]] = term_fit_predict(fit, i, part->values);
    }
    free(values);
    free(use);
    return done;
}

static enum local_tier tier_of(const struct local_runs *runs, const struct local_run *run)
{
    enum local_tier tier = LOCAL_NONE;
    for (int i = 0; i < runs->n; i++) {
        const struct local_run *other = &runs->items[i];
        if (other->source == run->source || other->phase != run->phase ||
            other->scope.backend != run->scope.backend || other->scope.engine != run->scope.engine)
            continue;
        enum local_tier near = LOCAL_SAME_ENGINE;
        if (other->scope.part == run->scope.part)
            near =
                other->scope.format == run->scope.format ? LOCAL_SAME_PART_FORMAT : LOCAL_SAME_PART;
        else if (other->scope.family == run->scope.family)
            near = LOCAL_SAME_FAMILY;
        if (tier == LOCAL_NONE || near < tier)
            tier = near;
    }
    return tier;
}

bool local_folds_make(const struct local_runs *runs, struct local_folds *ret_folds)
{
    size_t n = (size_t)runs->n + 1;
    *ret_folds = (struct local_folds){.runs = runs,
                                      .fitted_us = malloc(n * sizeof(double)),
                                      .left_us = malloc(n * sizeof(double)),
                                      .tiers = malloc(n * sizeof(enum local_tier))};
    if (!ret_folds->fitted_us || !ret_folds->left_us || !ret_folds->tiers)
        return false;
    for (int i = 0; i < runs->n; i++) {
        ret_folds->fitted_us[i] = ret_folds->left_us[i] = (double)NAN;
        ret_folds->tiers[i] = tier_of(runs, &runs->items[i]);
    }
    for (int i = 0; i < BACKEND_COUNT; i++)
        for (int j = 0; j < 2; j++)
            if (!fit_part(ret_folds, (enum backend)i, (enum phase)j))
                return false;
    return true;
}

void local_folds_free(struct local_folds *folds)
{
    for (int i = 0; i < BACKEND_COUNT; i++)
        for (int j = 0; j < 2; j++) {
            local_model_free(&folds->fits[i][j].model);
            free(folds->fits[i][j].values);
        }
    free(folds->fitted_us);
    free(folds->left_us);
    free(folds->tiers);
    memset(folds, 0, sizeof(*folds));
}
