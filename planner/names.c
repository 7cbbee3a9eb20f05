/* The names of the plan's enumerations, as the API prints them. */
#include <string.h>

#include "compiler.h"
#include "plan.h"

#define X(ID, NAME) NAME,
static const char *const CLASS_NAMES[] = {CLASS_LIST(X)};
static const char *const PASS_NAMES[] = {PASS_LIST(X)};
static const char *const BOUND_NAMES[] = {BOUND_LIST(X)};
static const char *const BASIS_NAMES[] = {BASIS_LIST(X)};
static const char *const SPECULATIVE_NAMES[] = {SPECULATIVE_METHOD_LIST(X)};
#undef X
#define X(ID, NAME, SEED) NAME,
static const char *const REGIME_NAMES[] = {REGIME_LIST(X)};
#undef X
#define X(ID, NAME, SEED) SEED,
static const char *const REGIME_LETTERS[] = {REGIME_LIST(X)};
#undef X

const char *class_name(enum class_id id)
{
    return CLASS_NAMES[id];
}

const char *pass_name(enum pass pass)
{
    return PASS_NAMES[pass];
}

const char *bound_name(enum bound bound)
{
    return BOUND_NAMES[bound];
}

const char *basis_name(enum basis basis)
{
    return BASIS_NAMES[basis];
}

const char *regime_name(enum regime_id id)
{
    return REGIME_NAMES[id];
}

const char *regime_seed_letter(enum regime_id id)
{
    return REGIME_LETTERS[id];
}

bool speculative_method_known(const char *name)
{
    size_t i = 0;
    while (i < ARRAY_LEN(SPECULATIVE_NAMES) && strcmp(SPECULATIVE_NAMES[i], name) != 0) {
        i++;
    }
    return i < ARRAY_LEN(SPECULATIVE_NAMES);
}
