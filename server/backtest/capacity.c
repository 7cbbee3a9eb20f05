#include "capacity.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "plan_request.h"
#include "regression.h"
#include "store.h"
#include "units.h"

#define ROWS_OF_A_LOG CAPACITY_FIGURE_COUNT
#define BYTES_PER_MIB 1048576.0
#define KV_BYTES_POINTER "/deployment/measured_memory/kv_bytes"

static const char SQL[] =
    "SELECT r.id, r.title, r.doc, c.status, s.title, s.url FROM records r JOIN capacity c ON c.id "
    "= r.id AND r.kind = 'capacity' LEFT JOIN provenance p ON p.kind = r.kind AND p.record_id = "
    "r.id AND p.position = 0 LEFT JOIN sources s ON s.id = p.source_id ORDER BY r.id";

#define X(ID, NAME, TITLE) {NAME, TITLE},

static const struct {
    const char *name, *title;
} FIGURES[] = {CAPACITY_FIGURE_LIST(X)};

#undef X
#define X(ID, NAME) NAME,

static const char *const KINDS[] = {CAPACITY_KIND_LIST(X)};

#undef X

const char *capacity_figure_name(enum capacity_figure figure)
{
    return FIGURES[figure].name;
}

const char *capacity_figure_title(enum capacity_figure figure)
{
    return FIGURES[figure].title;
}

const char *capacity_verdict_name(enum capacity_verdict verdict)
{
    static const char *const NAMES[] = {"unknown", "fits", "out_of_memory"};
    return NAMES[verdict];
}

const char *capacity_kind_name(enum capacity_kind kind)
{
    return KINDS[kind];
}

/* ---- what is printed ---- */

/* A member of "observed": its unit, and half of its last decimal in that unit. */
struct printed {
    const char *member;
    double unit, half;
};

static const struct printed KV_BYTES[] = {{"kv_gib", BYTES_PER_GIB, 0.005},
                                          {"kv_k_and_v_gib", BYTES_PER_GIB, 0.01},
                                          {"kv_mib", BYTES_PER_MIB, 0.005},
                                          {"kv_bytes", 1, 0},
                                          {NULL, 0, 0}};
static const struct printed WEIGHTS[] = {{"weights_gib", BYTES_PER_GIB, 0.005},
                                         {"weights_mib", BYTES_PER_MIB, 0.5},
                                         {"device_weights_mib", BYTES_PER_MIB, 0.005},
                                         {NULL, 0, 0}};
static const struct printed ACTIVATION[] = {{"activation_gib", BYTES_PER_GIB, 0.005},
                                            {"compute_buffer_mib", BYTES_PER_MIB, 0.005},
                                            {NULL, 0, 0}};
static const struct printed TOKENS[] = {{"kv_tokens", 1, 0}, {NULL, 0, 0}};
static const struct printed CONCURRENCY[] = {{"max_concurrency", 1, 0.005}, {NULL, 0, 0}};
static const struct printed SEQUENCES[] = {{"max_sequences", 1, 0}, {NULL, 0, 0}};

static double figure_weights(const struct plan *plan)
{
    return plan->memory.weights_bytes;
}

static double figure_activation(const struct plan *plan)
{
    return plan->memory.activation_bytes;
}

static double figure_kv_bytes(const struct plan *plan)
{
    return plan->memory.kv_bytes;
}

static double figure_tokens(const struct plan *plan)
{
    return plan->memory.kv_token_capacity;
}

static double figure_concurrency(const struct plan *plan)
{
    return plan->memory.max_concurrency;
}

static double figure_sequences(const struct plan *plan)
{
    return floor(plan->memory.max_concurrency);
}

/* How a figure is compared. */
static const struct comparison {
    const struct printed *printed;
    double (*of)(const struct plan *plan);
    bool given; /* from the printed size of the cache */
} COMPARISONS[] = {
    [CAPACITY_TOKENS_GIVEN] = {TOKENS, figure_tokens, true},
    [CAPACITY_CONCURRENCY_GIVEN] = {CONCURRENCY, figure_concurrency, true},
    [CAPACITY_WEIGHTS] = {WEIGHTS, figure_weights, false},
    [CAPACITY_ACTIVATION] = {ACTIVATION, figure_activation, false},
    [CAPACITY_KV_BYTES] = {KV_BYTES, figure_kv_bytes, false},
    [CAPACITY_TOKENS] = {TOKENS, figure_tokens, false},
    [CAPACITY_CONCURRENCY] = {CONCURRENCY, figure_concurrency, false},
    [CAPACITY_SEQUENCES] = {SEQUENCES, figure_sequences, false},
};

/* What of a log that is not usable as a whole still is: how a stated cache is cut into tokens does
 * not depend on the part or on the weights; one that ran out of memory in service started. */
static const struct compared {
    const char *status;
    bool given, flags, verdict;
} STATUSES[] = {
    {"usable", true, true, true},
    {"no_part", true, false, false},
    {"format_unstated", true, false, false},
    {"runtime", true, true, false},
};

static struct compared what_is_compared(const char *status)
{
    for (size_t i = 0; i < ARRAY_LEN(STATUSES); i++)
        if (strcmp(STATUSES[i].status, status) == 0)
            return STATUSES[i];
    return (struct compared){status, false, false, false};
}

/* A printed figure between what it may be before rounding; false when it is not printed. */
static bool read_printed(const cJSON *observed, const struct printed *printed, double ret_range[3])
{
    for (; printed->member != NULL; printed++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(observed, printed->member);
        if (item == NULL || !cJSON_IsNumber(item) || item->valuedouble <= 0.0)
            continue;
        ret_range[0] = (item->valuedouble - printed->half) * printed->unit;
        ret_range[1] = item->valuedouble * printed->unit;
        ret_range[2] = (item->valuedouble + printed->half) * printed->unit;
        return true;
    }
    return false;
}

/* ---- one log ---- */

struct scoring {
    const struct catalogue *catalogue;
    struct arena *arena;   /* of the score */
    struct arena *scratch; /* of one log */
    struct plan *plan;
    struct capacity_score *score;
};

static enum capacity_kind kind_of(const struct model *model)
{
    if (model->has_state)
        return CAPACITY_HYBRID;
    if (model->has_mla)
        return CAPACITY_MLA;
    if (model->has_window)
        return CAPACITY_WINDOW;
    return model->has_moe ? CAPACITY_MOE : CAPACITY_DENSE;
}

/* vLLM starts only when one request of the longest length fits; the others when a cache is left. */
static double start_tokens(const struct problem *problem)
{
    return problem->dep.engine->memory_rule == MEMORY_VLLM ? problem->dep.max_model_len : 2.0;
}

/* Plans the request, with the cache of that many bytes unless it is NAN, for requests of `tokens`
 * (NAN = the longest that must fit at start). False with a fault. */
static bool plan_case(const struct scoring *scoring, const struct plan_request *asked,
                      double kv_bytes, double tokens, struct faults *faults)
{
    const struct intake intake = {scoring->catalogue, scoring->scratch, faults, ""};
    struct plan_request request = *asked;
    if (!isnan(kv_bytes)) {
        cJSON *value = cJSON_CreateNumber(kv_bytes);
        bool set =
            value != NULL && field_set_by_pointer(&intake, &request, KV_BYTES_POINTER, value);
        cJSON_Delete(value);
        if (!set)
            return false;
    }
    if (!plan_request_resolve(&intake, &request))
        return false;
    double length = isnan(tokens) ? start_tokens(&request.problem) : tokens;
    request.problem.load.input_tokens = fmax(length - 1.0, 1.0);
    request.problem.load.output_tokens = 1.0;
    plan_compute(&request.problem, PLAN_BARE, scoring->plan);
    return true;
}

static void add_row(const struct scoring *scoring, enum capacity_figure figure, double printed,
                    double predicted, double error)
{
    struct capacity_score *score = scoring->score;
    if (isfinite(error))
        score->rows[score->n_rows++] =
            (struct capacity_row){score->n_cases, figure, printed, predicted, error};
}

/* From flags: the figure itself against the printed one, which is exact within its rounding. */
static void compare_flags(const struct scoring *scoring, enum capacity_figure figure,
                          const double range[3])
{
    double predicted = COMPARISONS[figure].of(scoring->plan);
    bool inside = predicted >= range[0] && predicted <= range[2];
    add_row(scoring, figure, range[1], predicted, inside ? 0.0 : predicted / range[1] - 1.0);
}

/* Given the cache: exact when the printed figure lies between what the least and the largest cache
 * of that print give. */
static void compare_given(const struct scoring *scoring, const struct plan_request *asked,
                          enum capacity_figure figure, const double cache[3], const double range[3],
                          double tokens)
{
    double at[3];
    struct faults faults;
    faults_init(&faults, scoring->scratch);
    for (int i = 0; i < 3; i++) {
        if (!plan_case(scoring, asked, cache[i], tokens, &faults))
            return;
        at[i] = COMPARISONS[figure].of(scoring->plan);
    }
    double nearest = range[2] < at[0] ? at[0] : range[0] > at[2] ? at[2] : range[1];
    add_row(scoring, figure, range[1], at[1], nearest / range[1] - 1.0);
}

static void compare_figures(const struct scoring *scoring, const struct plan_request *asked,
                            const cJSON *observed, const char *status)
{
    double cache[3], range[3];
    bool has_cache = read_printed(observed, KV_BYTES, cache);
    const cJSON *at_len = cJSON_GetObjectItemCaseSensitive(observed, "at_len");
    double tokens = at_len != NULL && cJSON_IsNumber(at_len) ? at_len->valuedouble : (double)NAN;
    struct compared compared = what_is_compared(status);
    struct faults faults;
    faults_init(&faults, scoring->scratch);
    for (int i = 0; i < CAPACITY_FIGURE_COUNT; i++) {
        const struct comparison *comparison = &COMPARISONS[i];
        if (!(comparison->given ? compared.given : compared.flags) ||
            !read_printed(observed, comparison->printed, range))
            continue;
        if (comparison->given && has_cache)
            compare_given(scoring, asked, (enum capacity_figure)i, cache, range, tokens);
        else if (!comparison->given && plan_case(scoring, asked, NAN, tokens, &faults))
            compare_flags(scoring, (enum capacity_figure)i, range);
    }
}

static const char *keep_text(const struct scoring *scoring, const char *text)
{
    return text != NULL ? arena_copy(scoring->arena, text, strlen(text)) : NULL;
}

static const char *doc_text(const struct scoring *scoring, const cJSON *doc, const char *member)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(doc, member);
    return item != NULL && cJSON_IsString(item) ? keep_text(scoring, item->valuestring) : NULL;
}

/* The first fault in words. */
static const char *fault_text(const struct scoring *scoring, const struct faults *faults)
{
    if (faults->n == 0)
        return "it cannot be planned";
    return arena_printf(scoring->arena, "%s: %s", faults->items[0].pointer,
                        faults->items[0].detail);
}

static const enum capacity_verdict VERDICTS[] = {[MEMORY_DOES_NOT_FIT] = CAPACITY_FAILS,
                                                 [MEMORY_FITS] = CAPACITY_FITS,
                                                 [MEMORY_MAY_FIT] = CAPACITY_UNKNOWN};

static void judge(const struct scoring *scoring, const cJSON *observed, struct capacity_case *one)
{
    const cJSON *oom = cJSON_GetObjectItemCaseSensitive(observed, "oom");
    one->seen = oom != NULL && cJSON_IsTrue(oom) ? CAPACITY_FAILS : CAPACITY_FITS;
    one->said = VERDICTS[scoring->plan->memory.verdict];
    one->fits = scoring->plan->memory.fits;
    one->is_judged = what_is_compared(one->status).verdict;
}

static void score_doc(const struct scoring *scoring, const cJSON *doc, struct capacity_case *one)
{
    const cJSON *observed = cJSON_GetObjectItemCaseSensitive(doc, "observed");
    const cJSON *body = cJSON_GetObjectItemCaseSensitive(doc, "request");
    struct plan_request asked;
    struct faults faults;
    faults_init(&faults, scoring->scratch);
    const struct intake intake = {scoring->catalogue, scoring->scratch, &faults, ""};
    memset(&asked, 0, sizeof(asked));
    one->engine = "";
    if (!cJSON_IsObject(body)) {
        one->fault = "the catalogue has not its model";
        return;
    }
    plan_request_read_json(&intake, body, &asked);
    if (faults.n > 0 || !plan_case(scoring, &asked, NAN, NAN, &faults)) {
        one->fault = fault_text(scoring, &faults);
        return;
    }
    one->engine = scoring->plan->problem.dep.engine->id;
    one->kind = kind_of(scoring->plan->problem.model);
    judge(scoring, observed, one);
    compare_figures(scoring, &asked, observed, one->status);
}

static bool score_row(const struct scoring *scoring, sqlite3_stmt *row)
{
    struct capacity_case *one = &scoring->score->cases[scoring->score->n_cases];
    const char *text = (const char *)sqlite3_column_text(row, 2);
    cJSON *doc = text != NULL ? cJSON_Parse(text) : NULL;
    *one = (struct capacity_case){
        .id = keep_text(scoring, (const char *)sqlite3_column_text(row, 0)),
        .title = keep_text(scoring, (const char *)sqlite3_column_text(row, 1)),
        .status = keep_text(scoring, (const char *)sqlite3_column_text(row, 3)),
        .source_title = keep_text(scoring, (const char *)sqlite3_column_text(row, 4)),
        .source_url = keep_text(scoring, (const char *)sqlite3_column_text(row, 5)),
        .status_reason = doc_text(scoring, doc, "status_reason"),
        .notes = doc_text(scoring, doc, "notes"),
    };
    bool done = doc != NULL && one->id != NULL && one->title != NULL && one->status != NULL;
    if (done)
        score_doc(scoring, doc, one);
    cJSON_Delete(doc);
    arena_reset(scoring->scratch);
    scoring->score->n_cases += done;
    return done;
}

/* ---- all logs ---- */

#define SCRATCH_MAX ((size_t)16 << 20)
#define LOGS_MAX 4096

static bool score_all(const struct scoring *scoring, struct store *store)
{
    sqlite3_stmt *row = store_read(store, SQL);
    int rc = row != NULL ? SQLITE_ROW : SQLITE_ERROR;
    while (rc == SQLITE_ROW && (rc = sqlite3_step(row)) == SQLITE_ROW)
        if (scoring->score->n_cases == LOGS_MAX || !score_row(scoring, row))
            rc = SQLITE_NOMEM;
    store_done(row);
    return rc == SQLITE_DONE;
}

const struct capacity_score *
capacity_score_new(struct store *store, const struct catalogue *catalogue, struct arena *arena)
{
    struct capacity_score *score = arena_alloc(arena, sizeof(*score));
    struct scoring scoring = {.catalogue = catalogue,
                              .arena = arena,
                              .scratch = arena_new(SCRATCH_MAX),
                              .plan = arena_alloc(arena, sizeof(*scoring.plan)),
                              .score = score};
    bool done = score != NULL && scoring.scratch != NULL && scoring.plan != NULL;
    if (done) {
        score->cases = arena_alloc_raw(arena, LOGS_MAX * sizeof(*score->cases));
        score->rows =
            arena_alloc_raw(arena, (size_t)LOGS_MAX * ROWS_OF_A_LOG * sizeof(*score->rows));
        done = score->cases != NULL && score->rows != NULL && score_all(&scoring, store);
    }
    arena_free(scoring.scratch);
    return done ? score : NULL;
}

/* ---- groups ---- */

static bool is_in(const struct capacity_score *score, const struct capacity_row *row,
                  const struct capacity_group *group)
{
    const struct capacity_case *one = &score->cases[row->of];
    return row->figure == group->figure &&
           (group->engine == NULL || strcmp(group->engine, one->engine) == 0) &&
           (group->kind < 0 || (int)one->kind == group->kind);
}

static void fill_group(const struct capacity_score *score, double *errors, double *weights,
                       struct capacity_group *group)
{
    for (int i = 0; i < score->n_rows; i++) {
        if (!is_in(score, &score->rows[i], group))
            continue;
        double error = fabs(score->rows[i].error);
        group->within_1 += error <= 0.01;
        group->within_5 += error <= 0.05;
        weights[group->n] = 1.0;
        errors[group->n++] = error;
    }
    group->median = group->n > 0 ? weighted_quantile(errors, weights, group->n, 0.5) : (double)NAN;
    group->p90 = group->n > 0 ? weighted_quantile(errors, weights, group->n, 0.9) : (double)NAN;
}

/* The engines of the logs, each once. */
static int list_engines(const struct capacity_score *score, const char **ret_engines, int max)
{
    int n = 0;
    for (int i = 0; i < score->n_cases; i++) {
        int at = 0;
        while (at < n && strcmp(ret_engines[at], score->cases[i].engine) != 0)
            at++;
        if (at == n && n < max && score->cases[i].engine[0] != '\0')
            ret_engines[n++] = score->cases[i].engine;
    }
    return n;
}

#define ENGINES_MAX 16
#define GROUPS_MAX (CAPACITY_FIGURE_COUNT * (1 + ENGINES_MAX * (1 + CAPACITY_KIND_COUNT)))

struct grouping {
    const struct capacity_score *score;
    double *errors, *weights; /* room for all rows */
    struct capacity_group *groups;
    int n;
};

static void add_capacity_group(struct grouping *grouping, struct capacity_group group)
{
    fill_group(grouping->score, grouping->errors, grouping->weights, &group);
    if (group.n > 0)
        grouping->groups[grouping->n++] = group;
}

/* Of one figure: all rows, then each engine's, by kind. */
static void group_figure(struct grouping *grouping, enum capacity_figure figure,
                         const char *const *engines, int n_engines)
{
    add_capacity_group(grouping, (struct capacity_group){.figure = figure, .kind = -1});
    for (int i = 0; i < n_engines; i++)
        for (int kind = -1; kind < CAPACITY_KIND_COUNT; kind++)
            add_capacity_group(grouping, (struct capacity_group){
                                             .figure = figure, .engine = engines[i], .kind = kind});
}

const struct capacity_group *capacity_groups(const struct capacity_score *score,
                                             struct arena *arena, int *ret_n)
{
    size_t most = (size_t)score->n_rows + 1;
    const char *engines[ENGINES_MAX];
    int n_engines = list_engines(score, engines, ENGINES_MAX);
    struct grouping grouping = {
        .score = score,
        .errors = arena_alloc_raw(arena, most * sizeof(double)),
        .weights = arena_alloc_raw(arena, most * sizeof(double)),
        .groups = arena_alloc_raw(arena, (size_t)GROUPS_MAX * sizeof(struct capacity_group))};
    *ret_n = 0;
    if (grouping.groups == NULL || grouping.errors == NULL || grouping.weights == NULL)
        return NULL;
    for (int figure = 0; figure < CAPACITY_FIGURE_COUNT; figure++)
        group_figure(&grouping, (enum capacity_figure)figure, engines, n_engines);
    *ret_n = grouping.n;
    return grouping.groups;
}

void capacity_verdicts(const struct capacity_score *score, const char *engine, int ret_counts[3][3])
{
    memset(ret_counts, 0, 9 * sizeof(int));
    for (int i = 0; i < score->n_cases; i++) {
        const struct capacity_case *one = &score->cases[i];
        if (one->is_judged && (engine == NULL || strcmp(engine, one->engine) == 0))
            ret_counts[one->seen][one->said]++;
    }
}

int capacity_not_fitting(const struct capacity_score *score, const char *engine,
                         enum capacity_verdict seen)
{
    int n = 0;
    for (int i = 0; i < score->n_cases; i++) {
        const struct capacity_case *one = &score->cases[i];
        n += one->is_judged && one->seen == seen && !one->fits &&
             (engine == NULL || strcmp(engine, one->engine) == 0);
    }
    return n;
}

struct ranked {
    double key;
    int row;
};

static int by_key(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->key != right->key)
        return left->key > right->key ? -1 : 1;
    return left->row - right->row;
}

const int *capacity_worst(const struct capacity_score *score, struct arena *arena)
{
    size_t most = (size_t)score->n_rows + 1;
    struct ranked *ranked = arena_alloc_raw(arena, most * sizeof(*ranked));
    int *order = arena_alloc_raw(arena, most * sizeof(*order));
    if (ranked == NULL || order == NULL)
        return NULL;
    for (int i = 0; i < score->n_rows; i++)
        ranked[i] = (struct ranked){fabs(log(fmax(1.0 + score->rows[i].error, 1e-9))), i};
    qsort(ranked, (size_t)score->n_rows, sizeof(*ranked), by_key);
    for (int i = 0; i < score->n_rows; i++)
        order[i] = ranked[i].row;
    return order;
}
