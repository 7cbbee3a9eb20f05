/*
 * space.h - what a search looks through: a request's space, as numbered candidates.
 *
 * Purpose: a row per dimension: its name, the field that it sets, what it is when the request says
 *          nothing. Candidates are numbered group by group; a group is one model on one part under
 *          one engine, and has its own formats and layouts, since their defaults depend on those.
 * Ownership: a space lies in the request's arena and borrows from the parsed body and the
 * catalogue. Errors:  faults. Threads: a space is constant once it is read.
 */
#ifndef REGIME_SPACE_H
#define REGIME_SPACE_H

#include "plan_request.h"
#include "routes.h"
#include "search.h"

struct cJSON;

/* Dimensions; a row of SPACE_ROWS each. */
enum space_id {
    SPACE_MODEL,
    SPACE_HARDWARE,
    SPACE_ENGINE,
    SPACE_WEIGHTS,
    SPACE_KV_CACHE,
    SPACE_TP,
    SPACE_PP,
    SPACE_DP,
    SPACE_EP,
    SPACE_REPLICAS,
    SPACE_PREFILL,
    SPACE_CHUNK,
    SPACE_SLOTS,
    SPACE_SPECULATIVE,
    SPACE_COUNT
};

struct space_row {
    const char *name;    /* member of "space" */
    enum field_id field; /* that it sets; of an object the first one */
    int whole_from;      /* the least whole number; -1: names or objects */
    const char *doc;     /* what it is and its default, for people */
};

extern const struct space_row SPACE_ROWS[SPACE_COUNT];

struct space_value {
    const struct cJSON *json; /* of names and objects; NULL: the field's own default */
    double number;            /* of whole numbers */
};

/* Values of a dimension. */
struct space_list {
    const struct space_value *values;
    int n;
    bool given; /* the request lists them, or fixes the one */
};

/* How a deployment is spread. */
struct space_layout {
    int tp, pp, dp, ep, replicas, prefill;
};

/* One model on one part under one engine. */
struct space_group {
    int model, hardware; /* places in their lists */
    const struct cJSON *engine;
    struct space_list weights, kv_cache;
    const struct space_layout *layouts;
    int n_layouts;
    long first; /* candidate */
};

/* Where a candidate stands. */
struct space_place {
    int group, weights, kv_cache, layout, chunk, slots, speculative;
};

/* The devices that a candidate may have. */
struct space_devices {
    const double *list; /* NULL: any number from `least` to `most` */
    int n;
    double least, most;
};

struct space {
    const struct catalogue *catalogue;
    struct plan_request base; /* workload, objectives and fixed leaves */
    struct space_list lists[SPACE_COUNT];
    struct space_devices devices;
    const struct hardware **hardware; /* of each value of its list */
    const struct space_group *groups;
    int n_groups;
    long n_candidates; /* that are numbered */
    double n_dropped;  /* layouts of other numbers of devices, times their formats and knobs */
    enum search_objective objective;
    int limit;
    const double *usd_per_device_hour; /* by part: the request's own; NAN = it gives none */
};

/*
 * Reads the body of a search into *space, which must be zeroed; `faults` may already hold some,
 * `own` are the n_own arguments of the route itself. False when a reply has been written.
 */
MUST_USE bool space_read(struct context *ctx, struct faults *faults, const char *const *own,
                         int n_own, struct space *space);

/* Numbers the candidates of a space whose lists are read. False with a fault when there are none
 * or too many, or no memory for them. */
MUST_USE bool space_expand(const struct intake *intake, struct space *space);

/* The values that a dimension has where the request says nothing, for a model on a part under an
 * engine; false when out of memory. */
MUST_USE bool space_default_engines(const struct intake *intake, const struct hardware *hw,
                                    struct space_list *ret_list);
MUST_USE bool space_default_weights(const struct intake *intake, const struct plan_request *group,
                                    struct space_list *ret_list);
MUST_USE bool space_default_kv_cache(const struct intake *intake, const struct plan_request *group,
                                     struct space_list *ret_list);

/* The price of a part: the request's own, else the one on record. */
struct part_price space_price(const struct space *space, const struct hardware *hw);

/* Sets the leaves of a way of drafting; false, with faults, when one does not suit. */
MUST_USE bool space_set_drafts(const struct intake *intake, const struct cJSON *object,
                               struct plan_request *request);

/* Where a candidate stands. */
struct space_place space_place_of(const struct space *space, long candidate);

#endif
