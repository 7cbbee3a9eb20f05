#include "exact_weights.h"

#include <string.h>

const struct exact_weights *exact_weights_of(const struct model *model,
                                             const struct deployment *dep)
{
    const struct exact_weights *exact = model->exact;
    if (exact == NULL || dep->weights == NULL || strcmp(exact->format, dep->weights->id) != 0)
        return NULL;
    return exact;
}
