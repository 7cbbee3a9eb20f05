#include "claim_verdict.h"

#include <stddef.h>
#include <string.h>

const struct claim_verdict CLAIM_VERDICTS[] = {
    {"reproduced", "the arithmetic is right and so is what it stands on"},
    {"rounding", "right but for the last digit"},
    {"measured", "measured, and its source was read"},
    {"source_partial", "measured, its source known in part or at second hand"},
    {"derived", "follows from a measurement by arithmetic"},
    {"plausible", "agrees with single published cases, not general"},
    {"wrong_basis", "the numbers multiply out, the formula or what it divides by is wrong"},
    {"wrong_label", "a right number under the name of another quantity"},
    {"wrong_attribution", "a right number, of another model, part or cause"},
    {"overstated", "holds within narrower bounds than said"},
    {"outdated", "was so, and partly is no more"},
    {"ambiguous", "can be read in two ways"},
    {"opinion", "a judgement that no figure decides"},
    {"refuted", "a recomputation or a measurement contradicts it"},
    {NULL, NULL},
};

const struct claim_verdict *claim_verdict_find(const char *id)
{
    for (const struct claim_verdict *row = CLAIM_VERDICTS; row->id; row++) {
        if (strcmp(row->id, id) == 0) {
            return row;
        }
    }
    return NULL;
}
