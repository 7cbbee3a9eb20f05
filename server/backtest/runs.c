#include "runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "anchor_request.h"
#include "replay.h"
#include "units.h"

#define ARENA_MAX ((size_t)256 << 20)
/* Rows of a cell that count fully, and rows of one layout that take part in a fit: what was run
 * often says no more of an engine than what was run once. */
#define CELL_ROWS 12.0
#define LAYOUT_ROWS 3

/* Block-scaled and plain fp8 of one model are one precision. */
static const char *precision(const struct weight_format *format)
{
    return strncmp(format->id, "fp8", 3) == 0 ? "fp8" : format->id;
}

static bool same_geometry(const struct model *a, const struct model *b)
{
    return a->n_layers == b->n_layers && a->hidden == b->hidden && a->vocab == b->vocab &&
           fabs(a->params_total / b->params_total - 1.0) < 1e-3;
}

bool problem_same_cell(const struct problem *a, const struct problem *b)
{
    return same_geometry(a->model, b->model) && a->hw == b->hw && a->dep.engine == b->dep.engine &&
           strcmp(precision(a->dep.weights), precision(b->dep.weights)) == 0;
}

static bool same_layout(const struct problem *a, const struct problem *b)
{
    return a->dep.tp == b->dep.tp && a->dep.pp == b->dep.pp && a->dep.dp == b->dep.dp &&
           a->dep.ep == b->dep.ep && a->load.input_tokens == b->load.input_tokens &&
           memcmp(a->dep.version, b->dep.version, sizeof(a->dep.version)) == 0;
}

/* Why an anchor is no run of the fit, as far as its index says; NULL: it may be one. */
static const char *index_lack(const struct anchor_index *index, int anchor)
{
    if (index->kinds[anchor] != ANCHOR_SERVING || isnan(anchor_mean(index, anchor, INTERVAL_TPOT)))
        return "";
    if (index->flags[anchor] & ANCHOR_DISPUTED)
        return "it is disputed";
    if (index->flags[anchor] & ANCHOR_SPECULATIVE)
        return "drafted tokens have no place in the fit";
    return index->generators[anchor] ? NULL : "its load generator is not stated";
}

/* Numbers the classes that a run falls into: that of an earlier run, or a new one. */
static void number_run(struct runs *runs, struct run *run)
{
    run->cell = run->geometry = run->layout = -1;
    for (int i = 0; i < runs->n; i++) {
        const struct run *other = &runs->items[i];
        if (run->geometry < 0 && same_geometry(other->problem.model, run->problem.model))
            run->geometry = other->geometry;
        if (!problem_same_cell(&other->problem, &run->problem))
            continue;
        run->cell = other->cell;
        if (!same_layout(&other->problem, &run->problem))
            continue;
        run->layout = other->layout;
        break;
    }
    if (run->geometry < 0)
        run->geometry = runs->n_geometries++;
    if (run->cell < 0)
        run->cell = runs->n_cells++;
    if (run->layout < 0)
        run->layout = runs->n_layouts++;
}

static double load_order(const struct run *run)
{
    return run->problem.load.concurrency * 1e7 + run->problem.load.output_tokens;
}

static int by_layout(const void *a, const void *b)
{
    const struct run *left = *(struct run *const *)a, *right = *(struct run *const *)b;
    if (left->layout != right->layout)
        return left->layout - right->layout;
    double order = load_order(left) - load_order(right);
    return order != 0.0 ? (order > 0.0 ? 1 : -1) : left->anchor - right->anchor;
}

/* Of each layout the lightest, the middle and the heaviest load take part in a fit. */
static bool choose_fitted(struct runs *runs)
{
    struct run **sorted = calloc((size_t)runs->n + 1, sizeof(struct run *));
    int *in_cell = calloc((size_t)runs->n_cells + 1, sizeof(*in_cell));
    if (sorted == NULL || in_cell == NULL) {
        free(sorted);
        free(in_cell);
        return false;
    }
    for (int i = 0; i < runs->n; i++) {
        sorted[i] = &runs->items[i];
        in_cell[runs->items[i].cell]++;
    }
    qsort(sorted, (size_t)runs->n, sizeof(struct run *), by_layout);
    for (int i = 0, end; i < runs->n; i = end) {
        for (end = i; end < runs->n && sorted[end]->layout == sorted[i]->layout; end++)
            continue;
        int n = end - i, taken = n < LAYOUT_ROWS ? n : LAYOUT_ROWS;
        for (int j = 0; j < taken; j++) {
            struct run *run = sorted[i + (taken > 1 ? j * (n - 1) / (taken - 1) : 0)];
            run->weight = sqrt(fmin(1.0, CELL_ROWS / in_cell[run->cell]));
        }
    }
    free(sorted);
    free(in_cell);
    return true;
}

const char *fit_run_read(const struct intake *intake, int anchor, struct run *ret_run)
{
    const struct anchor_index *index = &intake->catalogue->anchors;
    struct plan_request request;
    struct run run = {.anchor = anchor};
    const char *why = index_lack(index, anchor);
    if (why != NULL)
        return why;
    enum anchor_lack lack = anchor_request(intake, anchor, &request);
    if (lack != LACK_NOTHING)
        return anchor_lack_text(lack);
    run.problem = request.problem;
    run.engine = request.problem.dep.engine->index;
    run.measured_ms[INTERVAL_TPOT] = anchor_mean(index, anchor, INTERVAL_TPOT);
    run.measured_ms[INTERVAL_TTFT] = anchor_mean(index, anchor, INTERVAL_TTFT);
    if (isnan(run_predict(&run, request.problem.dep.engine->host).tpot_ms))
        return "nothing is predicted for its part";
    *ret_run = run;
    return NULL;
}

struct runs *runs_read(const struct catalogue *catalogue)
{
    struct runs *runs = calloc(1, sizeof(*runs));
    if (runs == NULL)
        return NULL;
    runs->arena = arena_new(ARENA_MAX);
    runs->items = malloc((size_t)(catalogue->anchors.n + 1) * sizeof(*runs->items));
    if (runs->arena == NULL || runs->items == NULL) {
        runs_free(runs);
        return NULL;
    }
    struct faults faults;
    faults_init(&faults, runs->arena);
    const struct intake intake = {catalogue, runs->arena, &faults, ""};
    for (int i = 0; i < catalogue->anchors.n; i++) {
        faults_init(&faults, runs->arena);
        struct run *run = &runs->items[runs->n];
        if (fit_run_read(&intake, i, run) != NULL)
            continue;
        number_run(runs, run);
        runs->n++;
    }
    if (!choose_fitted(runs)) {
        runs_free(runs);
        return NULL;
    }
    return runs;
}

void runs_free(struct runs *runs)
{
    if (runs == NULL)
        return;
    arena_free(runs->arena);
    free(runs->items);
    free(runs);
}

struct run_prediction run_predict(const struct run *run, const struct host_constant *constants)
{
    struct run_prediction prediction = {NAN, NAN, NAN};
    struct problem problem = run->problem;
    struct engine engine = *problem.dep.engine;
    struct prepared prep;
    struct core core;
    struct replay replay;
    memcpy(engine.host, constants, sizeof(engine.host));
    engine.host[HOST_FIRST_TOKEN_STEPS].value = engine.host[HOST_FIRST_TOKEN_US].value = 0.0;
    problem.dep.engine = &engine;
    prepare(&problem, NULL, &prep);
    core_evaluate(&prep, &core);
    if (isnan(core.decode.expected_us) || isnan(core.prefill.expected_us))
        return prediction;
    replay_run(&prep, &core, NAN, false, &replay);
    if (!replay.done)
        return prediction;
    return (struct run_prediction){replay.tpot_us / US_PER_MS, replay.ttft_us / US_PER_MS,
                                   core.decode.time_us / US_PER_MS};
}
