/*
 * backtest_make.c - the rows of a backtest: forecasts, cells, intervals without one's own cell,
 * orders, sources and notes.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "backtest.h"
#include "backtest_classes.h"
#include "regression.h"
#include "runs.h"
#include "store.h"

#define ARENA_MAX ((size_t)64 << 20)
#define COVERED 0.8

/* What is needed until the backtest is made. */
struct making {
    struct backtest *backtest;
    const struct catalogue *catalogue;
    struct store *store;
    struct arena *arena;
    struct problem *cells; /* a problem of each cell */
    int n_cells;
    short *source_of; /* per anchor */
};

/* ---- sources and notes ---- */

static const char *copy_column(struct arena *arena, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text != NULL ? arena_copy(arena, text, strlen(text)) : NULL;
}

/* A copy that lives as long as the backtest. */
static void *keep(struct making *making, const void *items, size_t bytes)
{
    void *copy = arena_alloc_raw(making->backtest->arena, bytes + 1);
    if (copy != NULL)
        memcpy(copy, items, bytes);
    return copy;
}

/* Rows come by source, so that each is copied once. */
static bool read_sources(struct making *making)
{
    static const char SQL[] = "SELECT a.id, s.id, s.title, s.url FROM anchors a JOIN sources s ON "
                              "s.id = a.source_id ORDER BY s.id";
    struct backtest *backtest = making->backtest;
    size_t most = (size_t)making->catalogue->anchors.n + 1;
    struct backtest_source *sources = arena_alloc_raw(making->arena, most * sizeof(*sources));
    sqlite3_stmt *row = store_read(making->store, SQL);
    int rc = sources != NULL && row != NULL ? SQLITE_ROW : SQLITE_ERROR;
    int n = 0;
    while (rc == SQLITE_ROW && (rc = sqlite3_step(row)) == SQLITE_ROW) {
        const char *id = (const char *)sqlite3_column_text(row, 1);
        int anchor =
            anchor_find(&making->catalogue->anchors, (const char *)sqlite3_column_text(row, 0));
        if (anchor < 0)
            continue;
        if (n == 0 || strcmp(sources[n - 1].id, id) != 0) {
            sources[n] = (struct backtest_source){copy_column(backtest->arena, row, 1),
                                                  copy_column(backtest->arena, row, 2),
                                                  copy_column(backtest->arena, row, 3)};
            if (sources[n++].id == NULL)
                rc = SQLITE_NOMEM;
        }
        making->source_of[anchor] = (short)(n - 1);
    }
    store_done(row);
    backtest->n_sources = n;
    backtest->sources =
        rc == SQLITE_DONE ? keep(making, sources, (size_t)n * sizeof(*sources)) : NULL;
    return backtest->sources != NULL;
}

static int find_row(const struct backtest *backtest, int anchor, enum anchor_metric metric)
{
    for (int i = 0; i < backtest->n; i++)
        if (backtest->rows[i].anchor == anchor && backtest->rows[i].metric == metric)
            return i;
    return -1;
}

static bool read_notes(struct making *making)
{
    static const char SQL[] = "SELECT anchor_id, metric, cause, why, source_title, source_url FROM "
                              "residual_notes ORDER BY anchor_id, metric";
    struct backtest *backtest = making->backtest;
    size_t most = (size_t)backtest->n + 1;
    struct backtest_note *notes = arena_alloc_raw(making->arena, most * sizeof(*notes));
    sqlite3_stmt *row = store_read(making->store, SQL);
    int rc = notes != NULL && row != NULL ? SQLITE_ROW : SQLITE_ERROR;
    int n = 0;
    while (rc == SQLITE_ROW && (rc = sqlite3_step(row)) == SQLITE_ROW) {
        int anchor =
            anchor_find(&making->catalogue->anchors, (const char *)sqlite3_column_text(row, 0));
        enum anchor_metric metric = metric_parse((const char *)sqlite3_column_text(row, 1));
        int at = anchor >= 0 ? find_row(backtest, anchor, metric) : -1;
        if (at < 0)
            continue;
        notes[n] = (struct backtest_note){
            copy_column(backtest->arena, row, 2), copy_column(backtest->arena, row, 3),
            copy_column(backtest->arena, row, 4), copy_column(backtest->arena, row, 5)};
        if (notes[n].cause == NULL || notes[n].why == NULL)
            rc = SQLITE_NOMEM;
        backtest->rows[at].note = n++;
    }
    store_done(row);
    backtest->n_notes = n;
    backtest->notes = rc == SQLITE_DONE ? keep(making, notes, (size_t)n * sizeof(*notes)) : NULL;
    return backtest->notes != NULL;
}

/* ---- rows ---- */

/* The number of a problem's cell; a new one when it is the first of it. */
static int cell_of(struct making *making, const struct problem *problem)
{
    for (int i = 0; i < making->n_cells; i++)
        if (problem_same_cell(&making->cells[i], problem))
            return i;
    making->cells[making->n_cells] = *problem;
    return making->n_cells++;
}

static short metric_place(enum anchor_metric metric)
{
    short i = 0;
    while (forecast_metric(i) != metric)
        i++;
    return i;
}

static void place_row(const struct making *making, const struct problem *problem,
                      struct backtest_row *row)
{
    const struct library *lib = &making->catalogue->lib;
    row->metric_at = metric_place(row->metric);
    row->value[BY_ALL] = 0;
    row->value[BY_ENGINE] = (short)problem->dep.engine->index;
    row->value[BY_HARDWARE] = (short)problem->hw->index;
    row->value[BY_MODEL] = (short)(problem->model - lib->models);
    row->value[BY_WEIGHTS] = (short)problem->dep.weights->index;
    row->value[BY_CONCURRENCY] = (short)concurrency_class(&problem->load);
    row->value[BY_INPUT] = (short)input_class(&problem->load);
    row->value[BY_NEARNESS] = (short)row->by[HOLDOUT_RUN].tier;
    row->value[BY_SOURCE] = making->source_of[row->anchor];
}

static enum judgement judge(double measured, double low, double high)
{
    if (isnan(low) || isnan(high))
        return JUDGED_NOT;
    return measured >= low && measured <= high ? JUDGED_INSIDE : JUDGED_OUTSIDE;
}

static void add_rows(struct making *making, int anchor, const struct forecast *forecast)
{
    static const enum backtest_set SETS[] = {
        [ORIGIN_STORED] = SET_CALIBRATED, [ORIGIN_PLANNED] = SET_OTHER, [ORIGIN_LOCAL] = SET_LOCAL};
    struct backtest *backtest = making->backtest;
    for (int i = 0; i < forecast->n; i++) {
        const struct forecast_figure *figure = &forecast->figures[i];
        struct backtest_row *row = &backtest->rows[backtest->n++];
        *row = (struct backtest_row){.anchor = anchor,
                                     .set = SETS[figure->origin],
                                     .metric = figure->metric,
                                     .measured = figure->measured,
                                     .cell = cell_of(making, &forecast->problem),
                                     .note = -1};
        for (int j = 0; j < HOLDOUT_COUNT; j++) {
            const struct forecast_value *value = &figure->by[j];
            row->by[j] = (struct backtest_value){(float)value->predicted, (float)value->low,
                                                 (float)value->high, value->tier};
            row->inside[j] = (unsigned char)judge(figure->measured, value->low, value->high);
        }
        place_row(making, &forecast->problem, row);
    }
}

static void forecast_all(struct making *making, struct forecaster *forecaster)
{
    const struct anchor_index *index = &making->catalogue->anchors;
    for (int i = 0; i < index->n; i++) {
        struct forecast forecast;
        bool stored = !isnan((double)index->predicted_ms[0][INTERVAL_TPOT][i]);
        if (index->flags[i] & ANCHOR_DISPUTED)
            continue;
        forecast_anchor(forecaster, i, stored ? FORECAST_STORED : FORECAST_COMPUTED, &forecast);
        add_rows(making, i, &forecast);
    }
}

/* ---- intervals without one's own cell ---- */

/* Rows whose errors make one interval. */
struct pool {
    const struct backtest *backtest;
    enum holdout holdout;
    enum anchor_metric metric;
    int engine;
    double *values, *weights; /* workspace, one element per row */
    int *in_cell;             /* rows of each cell */
};

/* Of what the run itself is left out of, only rows with a near one are of a kind. */
static bool is_pooled(const struct pool *pool, const struct backtest_row *row)
{
    return row->set == SET_CALIBRATED && row->metric == pool->metric &&
           row->value[BY_ENGINE] == pool->engine &&
           !isnan((double)row->by[pool->holdout].predicted) &&
           (pool->holdout != HOLDOUT_RUN || row->by[HOLDOUT_RUN].tier == TIER_ANCHORED);
}

/* Factors between which measured/predicted lies in four of five rows of the other cells, every cell
 * of the same weight; the quantiles are those of split conformal prediction. */
static void draw_interval(const struct pool *pool, int without, double ret_factors[2])
{
    int n = 0;
    for (int i = 0; i < pool->backtest->n; i++) {
        const struct backtest_row *row = &pool->backtest->rows[i];
        if (row->cell == without || !is_pooled(pool, row))
            continue;
        pool->values[n] = row->measured / (double)row->by[pool->holdout].predicted;
        pool->weights[n++] = 1.0 / pool->in_cell[row->cell];
    }
    double outside = fmax((1.0 - COVERED) / 2.0 - 1.0 / (n + 1.0), 0.0);
    ret_factors[0] = weighted_quantile(pool->values, pool->weights, n, outside);
    ret_factors[1] = weighted_quantile(pool->values, pool->weights, n, 1.0 - outside);
}

static void judge_cell(const struct pool *pool, int cell)
{
    double factors[2] = {NAN, NAN};
    bool drawn = false;
    for (int i = 0; i < pool->backtest->n; i++) {
        struct backtest_row *row = &pool->backtest->rows[i];
        if (row->cell != cell || !is_pooled(pool, row))
            continue;
        if (!drawn)
            draw_interval(pool, cell, factors);
        drawn = true;
        double predicted = (double)row->by[pool->holdout].predicted;
        row->covered[pool->holdout] =
            (unsigned char)judge(row->measured, predicted * factors[0], predicted * factors[1]);
    }
}

static bool judge_covered(struct making *making)
{
    size_t n = (size_t)making->backtest->n + 1;
    struct pool pool = {.backtest = making->backtest,
                        .values = arena_alloc_raw(making->arena, n * sizeof(double)),
                        .weights = arena_alloc_raw(making->arena, n * sizeof(double)),
                        .in_cell = arena_alloc_raw(making->arena, n * sizeof(int))};
    if (pool.values == NULL || pool.weights == NULL || pool.in_cell == NULL)
        return false;
    for (int i = 0; i < making->catalogue->lib.n_engines * 2 * HOLDOUT_COUNT; i++) {
        pool.engine = i / (2 * HOLDOUT_COUNT);
        pool.metric = i % 2 ? METRIC_TTFT : METRIC_TPOT;
        pool.holdout = (enum holdout)(i / 2 % HOLDOUT_COUNT);
        if (pool.holdout == HOLDOUT_NONE)
            continue;
        memset(pool.in_cell, 0, n * sizeof(int));
        for (int j = 0; j < making->backtest->n; j++)
            pool.in_cell[making->backtest->rows[j].cell] +=
                is_pooled(&pool, &making->backtest->rows[j]);
        for (int cell = 0; cell < making->n_cells; cell++)
            if (pool.in_cell[cell] > 0)
                judge_cell(&pool, cell);
    }
    return true;
}

/* ---- orders ---- */

struct keyed {
    double key;
    int row;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return left->row - right->row;
}

static double error_size(double error)
{
    return fabs(error);
}

static double error_itself(double error)
{
    return error;
}

/* The farthest off first: twice too much is as far as half. */
static double error_factor(double error)
{
    return -fabs(log1p(error));
}

static int *order_rows(struct making *making, enum holdout holdout, double (*key)(double),
                       int *ret_n)
{
    const struct backtest *backtest = making->backtest;
    size_t most = (size_t)backtest->n + 1;
    struct keyed *keyed = arena_alloc_raw(making->arena, most * sizeof(*keyed));
    int *order = arena_alloc_raw(backtest->arena, most * sizeof(*order));
    int n = 0;
    for (int i = 0; keyed != NULL && i < backtest->n; i++) {
        double error = backtest_error(&backtest->rows[i], holdout);
        if (!isnan(error))
            keyed[n++] = (struct keyed){key(error), i};
    }
    if (keyed == NULL || order == NULL)
        return NULL;
    qsort(keyed, (size_t)n, sizeof(*keyed), by_key);
    for (int i = 0; i < n; i++)
        order[i] = keyed[i].row;
    *ret_n = n;
    return order;
}

static bool order_all(struct making *making)
{
    struct backtest *backtest = making->backtest;
    bool done = true;
    for (int i = 0; i < HOLDOUT_COUNT; i++) {
        enum holdout holdout = (enum holdout)i;
        int *n = &backtest->n_predicted[i];
        backtest->by_error[i] = order_rows(making, holdout, error_itself, n);
        backtest->by_size[i] = order_rows(making, holdout, error_size, n);
        backtest->by_factor[i] = order_rows(making, holdout, error_factor, n);
        done = done && backtest->by_error[i] != NULL && backtest->by_size[i] != NULL &&
               backtest->by_factor[i] != NULL;
    }
    return done;
}

/* ---- the whole ---- */

static bool make(struct making *making, struct forecaster *forecaster)
{
    struct backtest *backtest = making->backtest;
    size_t n = (size_t)making->catalogue->anchors.n + 1;
    making->cells = arena_alloc_raw(making->arena, n * sizeof(*making->cells));
    making->source_of = arena_alloc(making->arena, n * sizeof(*making->source_of));
    struct backtest_row *rows =
        arena_alloc_raw(making->arena, n * FORECAST_METRICS * sizeof(*rows));
    if (making->cells == NULL || making->source_of == NULL || rows == NULL || !read_sources(making))
        return false;
    backtest->rows = rows;
    forecast_all(making, forecaster);
    backtest->rows = keep(making, rows, (size_t)backtest->n * sizeof(*rows));
    return backtest->rows != NULL && judge_covered(making) && order_all(making) &&
           read_notes(making);
}

struct backtest *backtest_new(struct store *store, const struct catalogue *catalogue)
{
    struct backtest *backtest = calloc(1, sizeof(*backtest));
    struct forecaster *forecaster = forecaster_new(catalogue);
    struct making making = {.backtest = backtest,
                            .catalogue = catalogue,
                            .store = store,
                            .arena = arena_new(ARENA_MAX)};
    bool done = backtest != NULL && forecaster != NULL && making.arena != NULL &&
                (backtest->arena = arena_new(ARENA_MAX)) != NULL && make(&making, forecaster);
    arena_free(making.arena);
    forecaster_free(forecaster);
    if (!done) {
        backtest_free(backtest);
        return NULL;
    }
    return backtest;
}

void backtest_free(struct backtest *backtest)
{
    if (backtest == NULL)
        return;
    arena_free(backtest->arena);
    free(backtest);
}
