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
    order = order ? order : compare_ints((int)y->form, (int)x->form);
    order = order ? order : -engine_version_compare(x->version, y->version);
    return order ? order : compare_ints(x->id, y->id);
}

int comm_order(const void *a, const void *b)
{
    const struct comm_fit *x = a;
    const struct comm_fit *y = b;
    int order = compare_ints(x->hardware, y->hardware);
    order = order ? order : compare_ints(x->engine, y->engine);
    order = order ? order : compare_ints((int)x->op, (int)y->op);
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

const struct weight_format *library_model_format(const struct library *lib,
                                                 const struct model *model,
                                                 const struct weight_format *format)
{
    const struct weight_format *block = model->fp8_block_scales && strcmp(format->id, "fp8") == 0
                                            ? library_weight_format(lib, "fp8_block")
                                            : NULL;
    return block ? block : format;
}

static bool is_mxfp4(const char *id)
{
    return id && strcmp(id, "mxfp4") == 0;
}

const struct weight_format *library_model_fp4(const struct library *lib, const struct model *model)
{
    bool own = is_mxfp4(model->native_format) || is_mxfp4(model->native_expert_format);
    return library_weight_format(lib, own ? model->native_format : "nvfp4");
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

/* Whether `fit` is a better choice than `best` (which may be NULL): the engine asked for before
 * others, used before fallback; of that engine a form of its own before the plain one, then the
 * nearest version; of others the first listed. */
static bool fit_is_better(const struct op_fit *fit, const struct op_fit *best, int engine,
                          const int version[3])
{
    if (!best) {
        return true;
    }
    bool own = fit->engine == engine;
    if (own != (best->engine == engine)) {
        return own;
    }
    if (fit->status != best->status) {
        return fit->status < best->status;
    }
    if (!own) {
        return false;
    }
    if (fit->form != best->form) {
        return fit->form > best->form;
    }
    return version_distance(fit->version, version) < version_distance(best->version, version);
}

static const struct op_fit *fit_of_type(const struct library *lib, int hardware, int engine,
                                        const int version[3], const struct fit_query *query,
                                        enum fit_dtype dtype)
{
    enum fit_op op = query->op;
    const struct op_fit *best = NULL;
    for (int i = fits_begin(lib, hardware, op, dtype);
         i < lib->n_op_fits && compare_key(&lib->op_fits[i], hardware, op, dtype) == 0; i++) {
        const struct op_fit *fit = &lib->op_fits[i];
        bool shape_fits = query->has_shape || fit->form != FIT_FORM_SHAPES;
        if (shape_fits && fit->status != FIT_REJECTED &&
            fit_is_better(fit, best, engine, version)) {
            best = fit;
        }
    }
    return best;
}

static const struct neighbours *neighbours_of(const struct library *lib, int part)
{
    static const struct neighbours NOBODY = {.n = 0};
    return lib->neighbours ? &lib->neighbours[part] : &NOBODY;
}

static enum fit_match match_of(const struct op_fit *fit, const struct hardware *hw,
                               const struct engine *engine, const int version[3], bool other_type)
{
    if (fit->hardware != hw->index) {
        return FIT_OTHER_PART;
    }
    if (other_type) {
        return FIT_OTHER_TYPE;
    }
    if (fit->engine != engine->index) {
        return FIT_OTHER_ENGINE;
    }
    return engine_version_compare(fit->version, version) == 0 ? FIT_EXACT : FIT_OTHER_VERSION;
}

const struct op_fit *library_op_fit(const struct library *lib, const struct hardware *hw,
                                    const struct engine *engine, const int version[3],
                                    const struct fit_query *query, enum fit_match *ret_match)
{
    *ret_match = FIT_NONE;
    const enum fit_dtype *types = query->types;
    for (int i = 0; hw->index >= 0 && i < query->n_types && types[i] != FIT_DTYPE_COUNT; i++) {
        const struct neighbours *near = neighbours_of(lib, hw->index);
        const struct op_fit *fit =
            fit_of_type(lib, hw->index, engine->index, version, query, types[i]);
        for (int j = 0; !fit && j < near->n; j++) {
            fit = fit_of_type(lib, near->part[j], engine->index, version, query, types[i]);
        }
        if (fit) {
            *ret_match = match_of(fit, hw, engine, version, i > 0);
            return fit;
        }
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
                                             enum comm_op op, double devices, bool graph)
{
    const struct comm_fit *best = NULL;
    for (int i = comms_begin(lib, hardware, engine); i < lib->n_comm_fits; i++) {
        const struct comm_fit *fit = &lib->comm_fits[i];
        if (fit->hardware != hardware || fit->engine != engine) {
            break;
        }
        if (fit->op != op || fit->devices < devices || (best && fit->devices > best->devices)) {
            continue;
        }
        if (!best || (best->graph != graph && fit->graph == graph)) {
            best = fit;
        }
    }
    return best;
}

/* The engine's own kernel on a part, else the vendor library's. */
static const struct comm_fit *comm_on_part(const struct library *lib, int hardware, int engine,
                                           enum comm_op op, double devices, bool graph)
{
    const struct comm_fit *fit = comm_of_engine(lib, hardware, engine, op, devices, graph);
    return fit ? fit : comm_of_engine(lib, hardware, VENDOR_LIBRARY, op, devices, graph);
}

const struct comm_fit *library_comm_fit(const struct library *lib, const struct hardware *hw,
                                        const struct engine *engine, enum comm_op op,
                                        double devices, bool graph, enum fit_match *ret_match)
{
    *ret_match = FIT_NONE;
    if (hw->index < 0) {
        return NULL;
    }
    const struct comm_fit *fit = comm_on_part(lib, hw->index, engine->index, op, devices, graph);
    if (fit && (fit->engine == engine->index || op != COMM_ALL_REDUCE)) {
        *ret_match = fit->devices > devices ? FIT_OTHER_VERSION : FIT_EXACT;
        return fit;
    }
    if (fit) {
        *ret_match = FIT_OTHER_ENGINE;
        return fit;
    }
    const struct neighbours *near = neighbours_of(lib, hw->index);
    for (int i = 0; i < near->n && !fit && devices <= hw->link_domain; i++) {
        if (hardware_same_link(hw, &lib->hardware[near->part[i]])) {
            fit = comm_on_part(lib, near->part[i], engine->index, op, devices, graph);
        }
    }
    *ret_match = fit ? FIT_OTHER_PART : FIT_NONE;
    return fit;
}

double comm_fit_scale(const struct library *lib, const struct comm_fit *fit,
                      const struct hardware *hw)
{
    if (fit->hardware == hw->index) {
        return 1.0;
    }
    return hw->link_bytes_us / lib->hardware[fit->hardware].link_bytes_us;
}

bool fit_match_is_weaker(enum fit_match a, enum fit_match b)
{
    return a != b && (a == FIT_NONE || (b != FIT_NONE && a > b));
}

/* Whether a part has a fit that may be chosen. */
static bool part_is_measured(const struct library *lib, int part)
{
    for (int i = 0; i < lib->n_op_fits; i++) {
        if (lib->op_fits[i].hardware == part && lib->op_fits[i].status != FIT_REJECTED) {
            return true;
        }
    }
    return false;
}

/* How far two parts of a family are apart: the same bandwidth and peak are 0. */
static double part_distance(const struct hardware *a, const struct hardware *b)
{
    enum dtype used;
    double peak_a = hardware_peak(a, DTYPE_BF16, &used);
    double peak_b = hardware_peak(b, DTYPE_BF16, &used);
    double peaks = peak_a > 0 && peak_b > 0 ? fabs(log(peak_a / peak_b)) : 0;
    return fabs(log(a->bw_bytes_us / b->bw_bytes_us)) + peaks;
}

struct neighbours library_neighbours(const struct library *lib, int part)
{
    const struct hardware *hw = &lib->hardware[part];
    struct neighbours near = {.n = 0};
    double distances[NEIGHBOURS_MAX + 1];
    for (int i = 0; i < lib->n_hardware; i++) {
        if (i == part || !hardware_same_family(hw, &lib->hardware[i]) ||
            !part_is_measured(lib, i)) {
            continue;
        }
        double distance = part_distance(hw, &lib->hardware[i]);
        int at = near.n;
        for (; at > 0 && distances[at - 1] > distance; at--) {
            distances[at] = distances[at - 1];
            if (at < NEIGHBOURS_MAX) {
                near.part[at] = near.part[at - 1];
            }
        }
        distances[at] = distance;
        if (at < NEIGHBOURS_MAX) {
            near.part[at] = i;
        }
        near.n += near.n < NEIGHBOURS_MAX;
    }
    return near;
}
