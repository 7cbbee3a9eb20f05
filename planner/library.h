/*
 * library.h - the tables the planner reads: models, parts, formats, engines, fits.
 *
 * Purpose: one immutable value that a catalogue snapshot fills and every plan borrows.
 * Ownership: the arrays belong to whoever built the library; the planner never changes them.
 * Threads: read-only after library_index().
 */
#ifndef REGIME_LIBRARY_H
#define REGIME_LIBRARY_H

#include "engine.h"
#include "fit.h"
#include "format.h"
#include "hardware.h"
#include "interval.h"
#include "launch.h"
#include "local_fit.h"
#include "memory_rules.h"
#include "model.h"

/* Parts whose kernels stand for those of a part that has none, nearest first. */
#define NEIGHBOURS_MAX 6

struct neighbours {
    int part[NEIGHBOURS_MAX]; /* indexes in the library */
    int n;
};

struct library {
    const struct model *models;
    int n_models;
    const struct hardware *hardware;
    int n_hardware;
    const struct weight_format *weight_formats;
    int n_weight_formats;
    const struct kv_format *kv_formats;
    int n_kv_formats;
    const struct engine *engines;
    int n_engines;
    const struct op_fit *op_fits; /* sorted by fit_order() */
    int n_op_fits;
    const struct comm_fit *comm_fits; /* sorted by comm_order() */
    int n_comm_fits;
    const struct interval *intervals; /* in no order */
    int n_intervals;
    const struct neighbours *neighbours; /* one per part; NULL = no part has any */
    const struct launch *launches;       /* sorted by launch_order() */
    int n_launches;
    const struct local_fit *local_fits; /* sorted by local_fits_sort() */
    int n_local_fits;
    const struct memory_constants *memory_constants; /* NULL = none */
};

/* qsort comparators that a library's fit tables must be sorted by. */
int fit_order(const void *a, const void *b);
int comm_order(const void *a, const void *b);

/* Look-ups by exact id; NULL when there is none. */
const struct model *library_model(const struct library *lib, const char *id);
const struct hardware *library_hardware(const struct library *lib, const char *id);
const struct weight_format *library_weight_format(const struct library *lib, const char *id);
const struct kv_format *library_kv_format(const struct library *lib, const char *id);
const struct engine *library_engine(const struct library *lib, const char *id);

/* The format that weights of that kind have for a model: plain fp8 is fp8_block where the model's
 * published fp8 checkpoint is block-scaled. Any other is itself. */
const struct weight_format *library_model_format(const struct library *lib,
                                                 const struct model *model,
                                                 const struct weight_format *format);

/* What "fp4" means for a model: its own format where weights or experts are mxfp4, else nvfp4. NULL
 * when there is no such format. */
const struct weight_format *library_model_fp4(const struct library *lib, const struct model *model);

/* Why a fit was taken, the nearest first; of several reasons the last in this list. */
enum fit_match {
    FIT_NONE,          /* no record: the caller falls back to the floor */
    FIT_EXACT,         /* same engine, same type */
    FIT_OTHER_VERSION, /* same engine, another version (the nearest) */
    FIT_OTHER_ENGINE,  /* another engine on the same part */
    FIT_OTHER_TYPE,    /* not the first type asked for */
    FIT_OTHER_PART     /* another part of the family, scaled by peak and bandwidth */
};

/* Whether `a` says less about what was asked than `b`; nothing says less than FIT_NONE. */
bool fit_match_is_weaker(enum fit_match a, enum fit_match b);

/*
 * Parts of `part`'s family (hardware_same_family) that have a fit which is not rejected, by how far
 * their bandwidth and 16-bit peak are: |log ratio| of both, summed. What a snapshot keeps in
 * library.neighbours, one for each part.
 */
struct neighbours library_neighbours(const struct library *lib, int part);

/* What is asked for: an op, the types that may stand for it, and whether its shape is one of those
 * that FIT_FORM_SHAPES was fitted to (attention: heads 128 wide). */
struct fit_query {
    enum fit_op op;
    const enum fit_dtype *types; /* best first; FIT_DTYPE_COUNT ends the list early */
    int n_types;
    bool has_shape;
};

/*
 * The fit for an op on a part: types in the order given; within a type the part itself, then its
 * neighbours; on a part the engine asked for, nearest version first, then any other engine. A form
 * of its own goes before the plain roofline. Rejected fits are skipped. A neighbour's e_m and e_c
 * are shares: they hold for this part's bandwidth and peak as they are. Returns NULL and FIT_NONE
 * when nothing was measured. An inline part (index -1) has no fits.
 */
const struct op_fit *library_op_fit(const struct library *lib, const struct hardware *hw,
                                    const struct engine *engine, const int version[3],
                                    const struct fit_query *query, enum fit_match *ret_match);

/*
 * The fit of a collective for that many devices: the engine's own kernel in the graph or eager
 * variant, else the vendor library's, which is what engines call for all but the all-reduce; the
 * nearest device count not below the one asked; on the part, else on a neighbour with the same kind
 * of link (hardware_same_link), its bandwidth to be scaled by comm_fit_scale(). Nothing is taken
 * over for more devices than this part's fabric joins. NULL when there is none.
 */
const struct comm_fit *library_comm_fit(const struct library *lib, const struct hardware *hw,
                                        const struct engine *engine, enum comm_op op,
                                        double devices, bool graph, enum fit_match *ret_match);

/* What the fit's bus bandwidth is multiplied with on `hw`: the ratio of the links, 1 on its own
 * part. */
double comm_fit_scale(const struct library *lib, const struct comm_fit *fit,
                      const struct hardware *hw);

#endif
