#include "memory_rules.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "deployment.h"

#define X(ID, NAME, UNIT) [ID] = NAME,
static const char *const CONSTANT_NAMES[] = {MEMORY_CONSTANT_LIST(X)};
#undef X
#define X(ID, NAME, UNIT) [ID] = UNIT,
static const char *const CONSTANT_UNITS[] = {MEMORY_CONSTANT_LIST(X)};
#undef X

static const struct memory_constant NO_RECORD = {.basis = BASIS_NO_RECORD};

const char *memory_constant_name(enum memory_constant_id id)
{
    return id < MEMORY_CONSTANT_COUNT ? CONSTANT_NAMES[id] : NULL;
}

const char *memory_constant_unit(enum memory_constant_id id)
{
    return id < MEMORY_CONSTANT_COUNT ? CONSTANT_UNITS[id] : NULL;
}

enum memory_constant_id memory_constant_parse(const char *name)
{
    int found = 0;
    while (found < MEMORY_CONSTANT_COUNT && strcmp(CONSTANT_NAMES[found], name) != 0)
        found++;
    return (enum memory_constant_id)found;
}

int memory_constant_order(const void *a, const void *b)
{
    const struct memory_constant *one = a;
    const struct memory_constant *other = b;
    if (one->engine != other->engine)
        return one->engine < other->engine ? -1 : 1;
    if (one->constant != other->constant)
        return one->constant < other->constant ? -1 : 1;
    return (one->position > other->position) - (one->position < other->position);
}

void memory_constants_index(struct memory_constants *constants)
{
    memset(constants->first, 0, sizeof(constants->first));
    memset(constants->count, 0, sizeof(constants->count));
    for (int i = constants->n - 1; i >= 0; i--) {
        const struct memory_constant *row = &constants->rows[i];
        constants->first[row->engine][row->constant] = i;
        constants->count[row->engine][row->constant]++;
    }
}

/* False only outside; an open end (NAN) has no outside. */
static bool in_range(double value, double min, double max)
{
    return !(value < min) && !(value > max);
}

static bool version_holds(const struct memory_constant *row, const int version[3])
{
    static const int OPEN[3] = {0, 0, 0};

    return engine_version_compare(version, row->version_min) >= 0 &&
           (engine_version_compare(row->version_max, OPEN) == 0 ||
            engine_version_compare(version, row->version_max) <= 0);
}

static bool row_holds(const struct memory_constant *row, const struct deployment *dep,
                      const struct hardware *hw)
{
    return version_holds(row, dep->version) && in_range(dep->tp, row->tp_min, row->tp_max) &&
           in_range(dep->pp, row->pp_min, row->pp_max) &&
           (row->fabric < 0 || (row->fabric == 1) == hw->link_is_fabric) &&
           (row->class == HW_CLASS_COUNT || row->class == hw->class) &&
           (row->arch == NULL || (hw->arch != NULL && strcmp(row->arch, hw->arch) == 0));
}

const struct memory_constant *memory_constant(const struct memory_constants *constants,
                                              enum memory_constant_id id,
                                              const struct deployment *dep,
                                              const struct hardware *hw)
{
    if (constants == NULL)
        return &NO_RECORD;
    enum memory_rule engine = dep->engine->memory_rule;
    const struct memory_constant *rows = &constants->rows[constants->first[engine][id]];
    for (int i = 0; i < constants->count[engine][id]; i++)
        if (row_holds(&rows[i], dep, hw))
            return &rows[i];
    return &NO_RECORD;
}
