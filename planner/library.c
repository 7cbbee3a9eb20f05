/*
 * library.c - look-ups in the planner's tables.
 *
 * The op fits are sorted by part, op, type, engine and newest version first, so that a look-up is
 * one binary search and a walk over the few fits of one part, op and type.
 */
#include "library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VENDOR_LIBRARY (-1)

static int compare_ints(int a, int b)
{
    return (a > b) - (a < b);
}

static int compare_doubles(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_key(const struct op_fit *a, int hardware, enum fit_op op, enum fit_dtype dtype)
{
    int order = compare_ints(a->hardware, hardware);
    order = order ? order : compare_ints((int)a->op, (int)op);
    return order ? order : compare_ints((int)a->dtype, (int)dtype);
}

int fit_order(const void *a, const void *b)
{
    const struct op_fit *x = a;
    const struct op_fit *y = b;
    int order = compare_key(x, y->hardware, y->op, y->dtype);
    order = order ? order : compare_ints(x->engine, y->engine);
    order = order ? order : -engine_version_compare(x->version, y->version);
    return order ? order : compare_ints(x->id, y->id);
}

int comm_order(const void *a, const void *b)
{
    const struct comm_fit *x = a;
    const struct comm_fit *y = b;
    int order = compare_ints(x->hardware, y->hardware);
    order = order ? order : compare_ints(x->engine, y->engine);
    order = order ? order : compare_doubles(x->devices, y->devices);
    order = order ? order : compare_ints(y->graph, x->graph);
    order = order ? order : -engine_version_compare(x->version, y->version);
    return order ? order : compare_ints(x->id, y->id);
}

const struct model *library_model(const struct library *lib, const char *id)
{
    for (int i = 0; i < lib->n_models; i++) {
        if (strcmp(lib->models[i].id, id) == 0) {
            return &lib->models[i];
        }
    }
    return NULL;
}

const struct hardware *library_hardware(const struct library *lib, const char *id)
{
    for (int i = 0; i < lib->n_hardware; i++) {
        if (strcmp(lib->hardware[i].id, id) == 0) {
            return &lib->hardware[i];
        }
    }
    return NULL;
}

const struct weight_format *library_weight_format(const struct library *lib, const char *id)
{
    for (int i = 0; i < lib->n_weight_formats; i++) {
        if (strcmp(lib->weight_formats[i].id, id) == 0) {
            return &lib->weight_formats[i];
        }
    }
    return NULL;
}

const struct kv_format *library_kv_format(const struct library *lib, const char *id)
{
    for (int i = 0; i < lib->n_kv_formats; i++) {
        if (strcmp(lib->kv_formats[i].id, id) == 0) {
            return &lib->kv_formats[i];
        }
    }
    return NULL;
}

const struct engine *library_engine(const struct library *lib, const char *id)
{
    for (int i = 0; i < lib->n_engines; i++) {
        if (strcmp(lib->engines[i].id, id) == 0) {
            return &lib->engines[i];
        }
    }
    return NULL;
}

/* The first fit of a part, op and type, or n_op_fits. */
static int fits_begin(const struct library *lib, int hardware, enum fit_op op, enum fit_dtype dtype)
{
    int low = 0;
    int high = lib->n_op_fits;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare_key(&lib->op_fits[middle], hardware, op, dtype) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* How far apart two versions are: one number, the major part first. */
static double version_distance(const int a[3], const int b[3])
{
    return fabs(1e8 * (a[0] - b[0]) + 1e4 * (a[1] - b[1]) + (a[2] - b[2]));
}

/* Whether `fit` is a better choice than `best` (which may be NULL): used before fallback, the
 * engine asked for before others; of that engine the nearest version, of others the first listed.
 */
static bool fit_is_better(const struct op_fit *fit, const struct op_fit *best, int engine,
                          const int version[3])
{
    if (!best || fit->status != best->status) {
        return !best || fit->status < best->status;
    }
    bool own = fit->engine == engine;
    if (!own || best->engine != engine) {
        return own && best->engine != engine;
    }
    return version_distance(fit->version, version) < version_distance(best->version, version);
}

static const struct op_fit *fit_of_type(const struct library *lib, int hardware, int engine,
                                        const int version[3], enum fit_op op, enum fit_dtype dtype)
{
    const struct op_fit *best = NULL;
    for (int i = fits_begin(lib, hardware, op, dtype);
         i < lib->n_op_fits && compare_key(&lib->op_fits[i], hardware, op, dtype) == 0; i++) {
        const struct op_fit *fit = &lib->op_fits[i];
        if (fit->status != FIT_REJECTED && fit_is_better(fit, best, engine, version)) {
            best = fit;
        }
    }
    return best;
}

const struct op_fit *library_op_fit(const struct library *lib, const struct hardware *hw,
                                    const struct engine *engine, const int version[3],
                                    enum fit_op op, const enum fit_dtype *types, int n_types,
                                    enum fit_match *ret_match)
{
    *ret_match = FIT_NONE;
    if (hw->index < 0) {
        return NULL;
    }
    for (int i = 0; i < n_types && types[i] != FIT_DTYPE_COUNT; i++) {
        const struct op_fit *fit =
            fit_of_type(lib, hw->index, engine->index, version, op, types[i]);
        if (!fit) {
            continue;
        }
        if (fit->engine != engine->index) {
            *ret_match = FIT_OTHER_ENGINE;
        } else {
            bool same = engine_version_compare(fit->version, version) == 0;
            *ret_match = same ? FIT_EXACT : FIT_OTHER_VERSION;
        }
        return fit;
    }
    return NULL;
}

/* The first collective fit of a part and engine, or n_comm_fits. */
static int comms_begin(const struct library *lib, int hardware, int engine)
{
    int low = 0;
    int high = lib->n_comm_fits;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const struct comm_fit *fit = &lib->comm_fits[middle];
        int order = compare_ints(fit->hardware, hardware);
        order = order ? order : compare_ints(fit->engine, engine);
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The fit with the least device count that reaches `devices`, in the variant asked where both
 * exist. */
static const struct comm_fit *comm_of_engine(const struct library *lib, int hardware, int engine,
                                             double devices, bool graph)
{
    const struct comm_fit *best = NULL;
    for (int i = comms_begin(lib, hardware, engine); i < lib->n_comm_fits; i++) {
        const struct comm_fit *fit = &lib->comm_fits[i];
        if (fit->hardware != hardware || fit->engine != engine) {
            break;
        }
        if (fit->devices < devices || (best && fit->devices > best->devices)) {
            continue;
        }
        if (!best || (best->graph != graph && fit->graph == graph)) {
            best = fit;
        }
    }
    return best;
}

const struct comm_fit *library_comm_fit(const struct library *lib, const struct hardware *hw,
                                        const struct engine *engine, double devices, bool graph,
                                        enum fit_match *ret_match)
{
    *ret_match = FIT_NONE;
    if (hw->index < 0) {
        return NULL;
    }
    const struct comm_fit *fit = comm_of_engine(lib, hw->index, engine->index, devices, graph);
    if (fit) {
        *ret_match = fit->devices > devices ? FIT_OTHER_VERSION : FIT_EXACT;
        return fit;
    }
    fit = comm_of_engine(lib, hw->index, VENDOR_LIBRARY, devices, graph);
    *ret_match = fit ? FIT_OTHER_ENGINE : FIT_NONE;
    return fit;
}
