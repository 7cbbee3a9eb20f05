/*
 * space_expand.c - the candidates of a space: defaults of each dimension, groups, layouts.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "local.h"
#include "request_limits.h"
#include "space.h"

/* Layouts of one group. */
#define LAYOUTS_MAX 20000
#define POWERS_MAX 16

/* Defaults of names --------------------------------------------------------------------------- */

/* Engines that serve on a maker's parts, as their projects document it. */
static const struct engine_row {
    const char *vendor;
    enum hardware_class class; /* HW_CLASS_COUNT = any */
    const char *engines[4];
} ENGINE_ROWS[] = {
    {"nvidia", HW_CONSUMER, {"vllm", "sglang", "llama.cpp"}},
    {"nvidia", HW_CLASS_COUNT, {"vllm", "sglang", "tensorrt-llm"}},
    {"amd", HW_DATACENTER, {"vllm", "sglang"}},
    {"amd", HW_WORKSTATION, {"vllm", "llama.cpp"}},
    {"apple", HW_CLASS_COUNT, {"llama.cpp", "mlx"}},
    {"google", HW_CLASS_COUNT, {"vllm"}},
    {"intel", HW_DATACENTER, {"vllm"}},
};

static bool list_names(const struct intake *intake, const char *const *names, int n,
                       struct space_list *ret_list)
{
    struct space_value *values = arena_alloc(intake->arena, ((size_t)n + 1) * sizeof(*values));
    bool good = values;

    for (int i = 0; good && i < n; i++) {
        values[i].json = names[i] ? cJSON_CreateStringReference(names[i]) : NULL;
        good = values[i].json || !names[i];
    }
    *ret_list = (struct space_list){values, n, false};
    return good;
}

bool space_default_engines(const struct intake *intake, const struct hardware *hw,
                           struct space_list *ret_list)
{
    static const char *const OWN_DEFAULT[] = {NULL};
    const struct engine_row *row = NULL;
    int n = 0;

    for (size_t i = 0; hw->vendor && !row && i < ARRAY_LEN(ENGINE_ROWS); i++)
        if (strcmp(ENGINE_ROWS[i].vendor, hw->vendor) == 0 &&
            (ENGINE_ROWS[i].class == hw->class || ENGINE_ROWS[i].class == HW_CLASS_COUNT))
            row = &ENGINE_ROWS[i];
    if (!row)
        return list_names(intake, OWN_DEFAULT, 1, ret_list);
    while (n < (int)ARRAY_LEN(row->engines) && row->engines[n])
        n++;
    return list_names(intake, row->engines, n, ret_list);
}

/* The format of the checkpoint; NULL where nobody recorded it. */
static const struct weight_format *own_format(const struct intake *intake,
                                              const struct plan_request *group)
{
    const char *name =
        group->name_format ? group->name_format : group->problem.model->native_format;
    int found = name ? catalogue_find_weight_format(intake->catalogue, name) : -1;

    return found < 0 ? NULL : &intake->catalogue->lib.weight_formats[found];
}

bool space_default_weights(const struct intake *intake, const struct plan_request *group,
                           struct space_list *ret_list)
{
    const struct problem *problem = &group->problem;
    const struct weight_format *own = own_format(intake, group);
    double bits = 8.0 * (own ? own->bytes[ROLE_DENSE_FFN] : 2.0);
    const double *peaks = problem->hw->peak_flops_us;
    bool local = problem->dep.engine && local_is_engine(problem->dep.engine);
    const char *names[4] = {NULL};
    int n = 1;

    if (local && strcmp(problem->dep.engine->id, "mlx") != 0) {
        names[n++] = "q8_0";
        names[n++] = "q4_k_m";
    } else if (local) {
        names[n++] = "mlx_q8_g64";
        names[n++] = "mlx_q4_g64";
    } else {
        if (bits > 12.0 && peaks[DTYPE_FP8] > 0.0)
            names[n++] = "fp8";
        if (bits > 6.0 && peaks[DTYPE_FP4] > 0.0)
            names[n++] = "nvfp4";
    }
    return list_names(intake, names, n, ret_list);
}

bool space_default_kv_cache(const struct intake *intake, const struct plan_request *group,
                            struct space_list *ret_list)
{
    const struct problem *problem = &group->problem;
    bool local = problem->dep.engine && local_is_engine(problem->dep.engine);
    const char *names[2] = {NULL, "fp8"};
    bool takes_fp8 = !local && problem->hw->peak_flops_us[DTYPE_FP8] > 0.0;

    return list_names(intake, names, takes_fp8 ? 2 : 1, ret_list);
}

/* Layouts -------------------------------------------------------------------------------------- */

/* What the layouts of a group are made of. */
struct spread {
    const struct space *space;
    const struct plan_request *group;
    double joined; /* devices that the part's fabric joins */
    struct space_layout *layouts;
    int n, max;
    double dropped;
    long *steps; /* ways looked at, of all groups */
    bool overflows;
};

/* 1, 2, 4 ... up to `most`. */
struct powers {
    struct space_value values[POWERS_MAX];
    int n;
};

static void fill_powers(double most, struct powers *ret_powers)
{
    double power = 1;

    ret_powers->n = 0;
    while (power <= fmax(most, 1.0) && ret_powers->n < POWERS_MAX) {
        ret_powers->values[ret_powers->n++].number = power;
        power *= 2;
    }
}

/* The request's list, else powers of two up to `most`, which lie in *powers. */
static struct space_list numbers_of(const struct spread *spread, enum space_id id, double most,
                                    struct powers *powers)
{
    const struct space_list *list = &spread->space->lists[id];

    if (list->given)
        return *list;
    fill_powers(most, powers);
    return (struct space_list){powers->values, powers->n, false};
}

static bool is_allowed(const struct space_devices *devices, double n)
{
    if (!devices->list)
        return n >= devices->least && n <= devices->most;
    for (int i = 0; i < devices->n; i++)
        if (devices->list[i] == n)
            return true;
    return false;
}

static void add_layout(struct spread *spread, const struct space_layout *layout)
{
    double devices =
        (double)layout->tp * layout->pp * layout->dp * layout->replicas + layout->prefill;

    if (!is_allowed(&spread->space->devices, devices)) {
        spread->dropped += 1;
    } else if (spread->n == spread->max) {
        spread->overflows = true;
    } else {
        spread->layouts[spread->n++] = *layout;
    }
}

/* Replicas that fill the allowed devices, where the request lists none. */
static void fill_replicas(struct spread *spread, struct space_layout layout)
{
    const struct space_devices *devices = &spread->space->devices;
    double ranks = (double)layout.tp * layout.pp * layout.dp;
    double most = floor((devices->most - layout.prefill) / ranks);

    for (int i = 0; i < devices->n; i++) {
        double replicas = (devices->list[i] - layout.prefill) / ranks;
        layout.replicas = (int)replicas;
        if (replicas >= 1 && floor(replicas) == replicas)
            add_layout(spread, &layout);
    }
    if (devices->n > 0)
        return;
    double power = 1;
    while (power <= most) {
        layout.replicas = (int)power;
        if (power * ranks + layout.prefill >= devices->least)
            add_layout(spread, &layout);
        power *= 2;
    }
    layout.replicas = (int)most;
    if (most >= 1 && most != power / 2)
        add_layout(spread, &layout);
}

static void spread_replicas(struct spread *spread, struct space_layout layout)
{
    const struct space_list *replicas = &spread->space->lists[SPACE_REPLICAS];
    const struct space_list *prefill = &spread->space->lists[SPACE_PREFILL];
    int n = prefill->given ? prefill->n : 1;

    *spread->steps += replicas->given ? (long)n * replicas->n : n;
    spread->overflows = spread->overflows || *spread->steps > SEARCH_CANDIDATES_MAX;
    for (int i = 0; i < n && !spread->overflows; i++) {
        layout.prefill = prefill->given ? (int)prefill->values[i].number : 0;
        if (!replicas->given)
            fill_replicas(spread, layout);
        for (int k = 0; replicas->given && k < replicas->n; k++) {
            layout.replicas = (int)replicas->values[k].number;
            add_layout(spread, &layout);
        }
    }
}

static void spread_experts(struct spread *spread, struct space_layout layout)
{
    const struct space_list *ep = &spread->space->lists[SPACE_EP];

    for (int i = 0; ep->given && i < ep->n && !spread->overflows; i++) {
        layout.ep = (int)ep->values[i].number;
        spread_replicas(spread, layout);
    }
    if (ep->given)
        return;
    layout.ep = 1;
    spread_replicas(spread, layout);
    layout.ep = layout.tp * layout.dp;
    if (layout.ep > 1 && spread->group->problem.model->has_moe)
        spread_replicas(spread, layout);
}

static void spread_ranks(struct spread *spread)
{
    const struct problem *problem = &spread->group->problem;
    bool local = problem->dep.engine && local_is_engine(problem->dep.engine);
    double most = spread->space->devices.most;
    struct powers tp, pp, dp;
    bool shares = problem->model->has_moe && !local;
    /* layers of a local engine lie on its devices in a row */
    const struct space_list tps =
        numbers_of(spread, SPACE_TP, local ? 1 : fmin(spread->joined, most), &tp);
    const struct space_list pps =
        numbers_of(spread, SPACE_PP, local ? most : floor(most / spread->joined), &pp);

    for (int i = 0; i < tps.n; i++) {
        double left = shares ? fmin(spread->joined, most) / tps.values[i].number : 1;
        const struct space_list dps = numbers_of(spread, SPACE_DP, left, &dp);
        for (int k = 0; k < pps.n * dps.n && !spread->overflows; k++)
            spread_experts(spread, (struct space_layout){.tp = (int)tps.values[i].number,
                                                         .pp = (int)pps.values[k / dps.n].number,
                                                         .dp = (int)dps.values[k % dps.n].number});
    }
}

/* Groups --------------------------------------------------------------------------------------- */

static int count_of(const struct space *space, enum space_id id)
{
    return space->lists[id].given ? space->lists[id].n : 1;
}

/* What the groups are made with. */
struct expansion {
    const struct intake *intake;
    struct space *space;
    struct space_group *groups;
    int n, max;
    struct space_layout *layouts; /* room for LAYOUTS_MAX */
    long steps;
    double total;
};

static bool own_list(const struct space *space, enum space_id id, struct space_list *ret_list)
{
    *ret_list = space->lists[id];
    return space->lists[id].given;
}

static bool fill_group(struct expansion *expansion, const struct plan_request *request,
                       struct space_group *group)
{
    const struct intake *intake = expansion->intake;
    const struct space *space = expansion->space;
    struct spread spread = {.space = space,
                            .group = request,
                            .joined = fmax(request->problem.hw->link_domain, 1.0),
                            .layouts = expansion->layouts,
                            .max = LAYOUTS_MAX,
                            .steps = &expansion->steps};

    if (!own_list(space, SPACE_WEIGHTS, &group->weights) &&
        !space_default_weights(intake, request, &group->weights))
        return false;
    if (!own_list(space, SPACE_KV_CACHE, &group->kv_cache) &&
        !space_default_kv_cache(intake, request, &group->kv_cache))
        return false;
    spread_ranks(&spread);
    size_t size = (size_t)spread.n * sizeof(*spread.layouts);
    struct space_layout *layouts = arena_alloc_raw(intake->arena, size + 1);
    if (!layouts)
        return false;
    if (size > 0)
        memcpy(layouts, spread.layouts, size);
    group->layouts = layouts;
    group->n_layouts = spread.n;
    double knobs = (double)group->weights.n * group->kv_cache.n * count_of(space, SPACE_CHUNK) *
                   count_of(space, SPACE_SLOTS) * count_of(space, SPACE_SPECULATIVE);
    group->first = (long)expansion->total;
    double layouts_least = spread.overflows ? SEARCH_CANDIDATES_MAX + 1.0 : spread.n;
    expansion->total += knobs * layouts_least;
    expansion->space->n_dropped += knobs * spread.dropped;
    return expansion->total <= SEARCH_CANDIDATES_MAX;
}

/* The groups of one model on one part. */
static bool add_groups(struct expansion *expansion, int model, int hardware)
{
    const struct intake *intake = expansion->intake;
    const struct space *space = expansion->space;
    struct plan_request request = space->base;
    struct space_list engines;

    if (!plan_request_set(intake, &request, FIELD_ID_MODEL,
                          space->lists[SPACE_MODEL].values[model].json) ||
        !plan_request_set(intake, &request, FIELD_ID_HARDWARE,
                          space->lists[SPACE_HARDWARE].values[hardware].json))
        return false;
    space->hardware[hardware] = request.problem.hw;
    if (!own_list(space, SPACE_ENGINE, &engines) &&
        !space_default_engines(intake, request.problem.hw, &engines))
        return false;
    for (int i = 0; i < engines.n; i++) {
        struct plan_request of_engine = request;
        struct space_group *group = &expansion->groups[expansion->n];
        const cJSON *engine = engines.values[i].json;
        if (expansion->n == expansion->max ||
            (engine && !plan_request_set(intake, &of_engine, FIELD_ID_ENGINE, engine)))
            return false;
        *group = (struct space_group){.model = model, .hardware = hardware, .engine = engine};
        if (!fill_group(expansion, &of_engine, group))
            return false;
        expansion->n++;
    }
    return true;
}

#define ENGINES_MOST 16

bool space_expand(const struct intake *intake, struct space *space)
{
    int models = space->lists[SPACE_MODEL].n, parts = space->lists[SPACE_HARDWARE].n;
    int engines = space->lists[SPACE_ENGINE].given ? space->lists[SPACE_ENGINE].n : ENGINES_MOST;
    struct expansion expansion = {
        .intake = intake, .space = space, .max = models * parts * engines};
    bool good;

    expansion.groups =
        arena_alloc(intake->arena, ((size_t)expansion.max + 1) * sizeof(*expansion.groups));
    expansion.layouts = arena_alloc_raw(intake->arena, LAYOUTS_MAX * sizeof(*expansion.layouts));
    space->hardware = arena_alloc(intake->arena, ((size_t)parts + 1) * sizeof(struct hardware *));
    good = expansion.groups && expansion.layouts && space->hardware;
    for (int i = 0; good && i < models; i++)
        for (int k = 0; good && k < parts; k++)
            good = add_groups(&expansion, i, k);
    space->groups = expansion.groups;
    space->n_groups = expansion.n;
    if (good) {
        space->n_candidates = (long)expansion.total;
        return true;
    }
    if (expansion.total > SEARCH_CANDIDATES_MAX)
        fault_add(intake->faults, "/space", NULL,
                  "%.9g candidates and more are beyond the %d of one search", expansion.total,
                  SEARCH_CANDIDATES_MAX);
    else if (intake->faults->n == 0)
        fault_add(intake->faults, "/space", NULL, "the space needs more memory than there is");
    return false;
}

static int turn(long *rest, int n)
{
    int at = (int)(*rest % n);

    *rest /= n;
    return at;
}

struct space_place space_place_of(const struct space *space, long candidate)
{
    struct space_place place;
    int low = 0, high = space->n_groups - 1;

    /* the last group that begins at or before it and is not empty */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (space->groups[middle].first <= candidate)
            low = middle;
        else
            high = middle - 1;
    }
    const struct space_group *group = &space->groups[low];
    long rest = candidate - group->first;
    place.group = low;
    place.slots = turn(&rest, count_of(space, SPACE_SLOTS));
    place.chunk = turn(&rest, count_of(space, SPACE_CHUNK));
    place.speculative = turn(&rest, count_of(space, SPACE_SPECULATIVE));
    place.layout = turn(&rest, group->n_layouts);
    place.kv_cache = turn(&rest, group->kv_cache.n);
    place.weights = (int)rest;
    return place;
}
