#include "exact_weights.h"

#include <math.h>
#include <string.h>

#include "parallel.h"

const struct exact_weights *exact_weights_of(const struct model *model,
                                             const struct deployment *dep)
{
    const struct exact_weights *exact = model->exact;
    if (exact == NULL || dep->weights == NULL || strcmp(exact->format, dep->weights->id) != 0)
        return NULL;
    return exact;
}

bool exact_weights_layers(const struct model *model, const struct deployment *dep, int first, int n,
                          double *ret_expert_bytes, double *ret_rest_bytes)
{
    const struct exact_weights *exact = exact_weights_of(model, dep);
    if (exact == NULL || exact->layers == NULL || first < 0 || n < 0 || n > exact->n_layers - first)
        return false;
    double experts = 0.0, rest = 0.0;
    for (int i = first; i < first + n; i++) {
        experts += exact->layers[i].expert_bytes;
        rest += exact->layers[i].rest_bytes;
    }
    *ret_expert_bytes = experts;
    *ret_rest_bytes = rest;
    return true;
}

double exact_weights_rank_bytes(const struct model *model, const struct deployment *dep)
{
    return exact_weights_of(model, dep) != NULL ? rank_weight_bytes_max(model, dep) : (double)NAN;
}
