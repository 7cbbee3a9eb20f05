/*
 * anchor_load.c - anchors out of the rows of a store.
 *
 * Both queries come in the order of ids, so that metrics meet their anchor in one pass.
 */
#include "anchor_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"

/* Column of the first condition in SQL below. */
#define FIRST_CONDITION 19

/* Columns of SQL below whose texts recur from row to row. */
#define FIRST_TEXT 15

enum { COLUMN_GENERATOR, COLUMN_GEMM, COLUMN_MOE, COLUMN_MEASURED, TEXT_COLUMNS };

/* What grows while rows are read; copied into the block once its size is known. */
struct pairs {
    unsigned char *what, *statistic;
    double *value;
    int n, room;
};

/* Ids of one table of the library with their places, sorted by id. */
struct id_list {
    struct id_place {
        const char *id;
        short index;
    } * items;

    int n;
};

enum { LIST_MODEL, LIST_HARDWARE, LIST_ENGINE, LIST_WEIGHTS, LIST_KV, LIST_COUNT };

/* A row of the full-text index. */
struct text_row {
    int64_t number;
    int anchor;
};

struct loader {
    sqlite3 *db;
    const struct library *lib;
    struct block *block;
    struct id_list lists[LIST_COUNT];
    struct pairs conditions, metrics;
    const char **ids, **versions, **backends, **texts[TEXT_COLUMNS];
    struct anchor_point *points;
    unsigned char *kinds, *flags, *loads, *doubts;
    int *condition_start, *metric_start;
    struct text_row *text_rows;
    int n;
    const char *why; /* NULL: nothing failed */
};

static bool fail(struct loader *loader, const char *why)
{
    loader->why = loader->why ? loader->why : why;
    return false;
}

/* ---- pairs ---- */

/* Bytes with more room; false, and the bytes as they were, without memory. */
static bool grow(unsigned char **bytes, size_t room)
{
    unsigned char *larger = realloc(*bytes, room);
    if (!larger) {
        return false;
    }
    *bytes = larger;
    return true;
}

static bool pairs_add(struct pairs *pairs, int what, int statistic, double value)
{
    if (pairs->n == pairs->room) {
        int room = pairs->room ? pairs->room * 2 : 4096;
        if (!grow(&pairs->what, (size_t)room) || !grow(&pairs->statistic, (size_t)room)) {
            return false;
        }
        double *values = realloc(pairs->value, (size_t)room * sizeof(*values));
        if (!values) {
            return false;
        }
        pairs->value = values;
        pairs->room = room;
    }
    pairs->what[pairs->n] = (unsigned char)what;
    pairs->statistic[pairs->n] = (unsigned char)statistic;
    pairs->value[pairs->n++] = value;
    return true;
}

static void pairs_free(struct pairs *pairs)
{
    free(pairs->what);
    free(pairs->statistic);
    free(pairs->value);
}

static const void *keep(struct block *block, const void *from, size_t size)
{
    void *copy = block_alloc(block, size + 1);
    if (copy && size > 0) {
        memcpy(copy, from, size);
    }
    return copy;
}

/* ---- ids of the library ---- */

static int compare_places(const void *a, const void *b)
{
    const struct id_place *x = a;
    const struct id_place *y = b;
    return strcmp(x->id, y->id);
}

/* The id of element i of a table of the library. */
static const char *id_of(const struct library *lib, int list, int i)
{
    switch (list) {
    case LIST_MODEL:
        return lib->models[i].id;
    case LIST_HARDWARE:
        return lib->hardware[i].id;
    case LIST_ENGINE:
        return lib->engines[i].id;
    case LIST_WEIGHTS:
        return lib->weight_formats[i].id;
    default:
        return lib->kv_formats[i].id;
    }
}

static bool lists_build(struct loader *loader)
{
    const struct library *lib = loader->lib;
    const int counts[LIST_COUNT] = {lib->n_models, lib->n_hardware, lib->n_engines,
                                    lib->n_weight_formats, lib->n_kv_formats};
    for (int k = 0; k < LIST_COUNT; k++) {
        struct id_list *list = &loader->lists[k];
        list->items = calloc((size_t)counts[k] + 1, sizeof(*list->items));
        if (!list->items) {
            return fail(loader, "out of memory");
        }
        for (int i = 0; i < counts[k]; i++) {
            list->items[list->n++] = (struct id_place){id_of(lib, k, i), (short)i};
        }
        qsort(list->items, (size_t)list->n, sizeof(*list->items), compare_places);
    }
    return true;
}

static short list_find(const struct id_list *list, const char *id)
{
    struct id_place wanted = {id, 0};
    const struct id_place *found =
        id ? bsearch(&wanted, list->items, (size_t)list->n, sizeof(wanted), compare_places) : NULL;
    if (!found) {
        return -1;
    }
    return found->index;
}

/* ---- rows ---- */

static const char *column_text(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

static double log_condition(const double *numbers, enum anchor_condition condition)
{
    return numbers[condition] > 0.0 ? log2(numbers[condition]) : (double)NAN;
}

/* Whether a version as found is that of a release ("0.19.1", "v1.2", "b10809"), not a commit or a
 * date in words. */
static bool is_release(const char *version)
{
    bool build = *version == 'b';
    const char *at = version + (build || *version == 'v');
    size_t digits = strspn(at, "0123456789");
    return digits > 0 && (build ? at[digits] == '\0' || at[digits] == ' ' : at[digits] == '.');
}

/* What its source calls fp8 is the format that the model's fp8 checkpoint has. */
static short weights_of(const struct library *lib, int model, short weights)
{
    if (model < 0 || weights < 0) {
        return weights;
    }
    return (short)library_model_format(lib, &lib->models[model], &lib->weight_formats[weights])
        ->index;
}

static struct anchor_point point_of(const struct loader *loader, sqlite3_stmt *row,
                                    const double *numbers)
{
    const struct library *lib = loader->lib;
    struct anchor_point point = {
        .log_concurrency = log_condition(numbers, CONDITION_CONCURRENCY),
        .log_input = log_condition(numbers, CONDITION_INPUT_TOKENS),
        .log_output = log_condition(numbers, CONDITION_OUTPUT_TOKENS),
        .log_tp = log_condition(numbers, CONDITION_TP),
        .log_pp = log_condition(numbers, CONDITION_PP),
        .log_dp = log_condition(numbers, CONDITION_DP),
        .log_ep = log_condition(numbers, CONDITION_EP),
        .model = list_find(&loader->lists[LIST_MODEL], column_text(row, 2)),
        .hardware = list_find(&loader->lists[LIST_HARDWARE], column_text(row, 3)),
        .engine = list_find(&loader->lists[LIST_ENGINE], column_text(row, 4)),
        .weights = list_find(&loader->lists[LIST_WEIGHTS], column_text(row, 7)),
        .kv_cache = list_find(&loader->lists[LIST_KV], column_text(row, 8)),
        .log_weight_bytes = NAN,
        .log_kv_bytes = NAN,
        .log_bandwidth = NAN,
        .log_active = NAN,
        .speculative = sqlite3_column_int(row, 10) != 0,
        .disaggregated = strcmp(column_text(row, 1), "disaggregated") == 0,
    };
    /* A single device has one layout whatever its source says. */
    if (isnan(point.log_tp) && numbers[CONDITION_N_DEVICES] == 1.0) {
        point.log_tp = 0.0;
    }
    point.weights = weights_of(lib, point.model, point.weights);
    if (point.weights >= 0) {
        point.log_weight_bytes = log2(lib->weight_formats[point.weights].bytes[ROLE_DENSE_FFN]);
    }
    if (point.kv_cache >= 0) {
        point.log_kv_bytes = log2(lib->kv_formats[point.kv_cache].bytes_per_element);
    }
    if (point.hardware >= 0) {
        point.log_bandwidth = log2(lib->hardware[point.hardware].bw_bytes_us);
    }
    if (point.model >= 0) {
        point.log_active = log2(lib->models[point.model].params_active);
    }
    const char *version = column_text(row, 5);
    if (version && is_release(version)) {
        (void)engine_version_parse(version, point.version);
    }
    return point;
}

static unsigned char flags_of(sqlite3_stmt *row)
{
    int flags = sqlite3_column_int(row, 9) ? ANCHOR_DISPUTED : 0;
    flags |= sqlite3_column_int(row, 10) ? ANCHOR_SPECULATIVE : 0;
    flags |= sqlite3_column_int(row, 11) ? ANCHOR_PREFIX_CACHED : 0;
    return (unsigned char)flags;
}

static bool read_conditions(struct loader *loader, sqlite3_stmt *row,
                            double ret_numbers[CONDITION_COUNT])
{
    for (int i = 0; i < CONDITION_COUNT; i++) {
        ret_numbers[i] = NAN;
        if (sqlite3_column_type(row, FIRST_CONDITION + i) != SQLITE_NULL) {
            ret_numbers[i] = sqlite3_column_double(row, FIRST_CONDITION + i);
            if (!pairs_add(&loader->conditions, i, 0, ret_numbers[i])) {
                return fail(loader, "out of memory");
            }
        }
    }
    return true;
}

/* Recurring texts of a row; one that stands in the row before is not copied again. */
static void read_texts(struct loader *loader, sqlite3_stmt *row, int at)
{
    for (int i = 0; i < TEXT_COLUMNS; i++) {
        const char **texts = loader->texts[i];
        const char *text = column_text(row, FIRST_TEXT + i);
        const char *before = at > 0 ? texts[at - 1] : NULL;
        bool recurs = text && before && strcmp(text, before) == 0;
        texts[at] = recurs ? before : block_text(loader->block, text);
    }
}

static bool read_anchor(struct loader *loader, sqlite3_stmt *row, int at)
{
    double numbers[CONDITION_COUNT];
    enum anchor_kind kind = anchor_kind_parse(column_text(row, 1));
    if (kind == ANCHOR_KIND_COUNT) {
        return fail(loader, "an anchor is of an unknown kind");
    }
    loader->ids[at] = block_text(loader->block, column_text(row, 0));
    loader->versions[at] = block_text(loader->block, column_text(row, 5));
    loader->backends[at] = block_text(loader->block, column_text(row, 6));
    loader->kinds[at] = (unsigned char)kind;
    loader->flags[at] = flags_of(row);
    const char *load = column_text(row, 12);
    loader->loads[at] = (unsigned char)load_profile_parse(load ? load : "");
    const char *doubt = column_text(row, 14);
    enum anchor_doubt parsed = anchor_doubt_parse(doubt ? doubt : "");
    if (parsed == ANCHOR_DOUBT_COUNT) {
        return fail(loader, "an anchor has an unknown flag");
    }
    loader->doubts[at] = (unsigned char)parsed;
    read_texts(loader, row, at);
    loader->text_rows[at] = (struct text_row){sqlite3_column_int64(row, 13), at};
    loader->condition_start[at] = loader->conditions.n;
    if (!read_conditions(loader, row, numbers)) {
        return false;
    }
    loader->points[at] = point_of(loader, row, numbers);
    return true;
}

static bool rooms_make(struct loader *loader, long long n)
{
    size_t count = (size_t)n + 1;
    struct block *block = loader->block;
    loader->ids = block_alloc(block, count * sizeof(*loader->ids));
    loader->versions = block_alloc(block, count * sizeof(*loader->versions));
    loader->backends = block_alloc(block, count * sizeof(*loader->backends));
    loader->points = block_alloc(block, count * sizeof(*loader->points));
    loader->kinds = block_alloc(block, count);
    loader->flags = block_alloc(block, count);
    loader->loads = block_alloc(block, count);
    loader->doubts = block_alloc(block, count);
    for (int i = 0; i < TEXT_COLUMNS; i++) {
        loader->texts[i] = block_alloc(block, count * sizeof(*loader->texts[i]));
    }
    loader->condition_start = block_alloc(block, count * sizeof(int));
    loader->metric_start = block_alloc(block, count * sizeof(int));
    loader->text_rows = calloc(count, sizeof(*loader->text_rows));
    return (loader->text_rows && !block->failed) || fail(loader, "out of memory");
}

static bool read_anchors(struct loader *loader)
{
#define X(ID, NAME, MAX) ", " NAME
    static const char SQL[] =
        "SELECT id, anchor_kind, model_id, hardware_id, engine_id, "
        "engine_version, backend, weights_id, kv_cache_id, disputed IS NOT "
        "NULL, speculative, prefix_cached, load_profile, number, flag, load_generator, "
        "gemm_quant, moe_quant, measured_on" ANCHOR_CONDITION_LIST(X) " FROM anchors ORDER BY id";
#undef X
    long long n = sql_number(loader->db, "SELECT count(*) FROM anchors", -1);
    sqlite3_stmt *row = NULL;
    if (n < 0 || sqlite3_prepare_v2(loader->db, SQL, -1, &row, NULL) != SQLITE_OK) {
        return fail(loader, sqlite3_errmsg(loader->db));
    }
    bool good = rooms_make(loader, n);
    while (good && loader->n < n && sqlite3_step(row) == SQLITE_ROW) {
        good = read_anchor(loader, row, loader->n);
        loader->n++;
    }
    sqlite3_finalize(row);
    if (good) {
        loader->condition_start[loader->n] = loader->conditions.n;
    }
    return good && !loader->block->failed;
}

/* Metrics up to those of an anchor; both come sorted by id. */
static bool read_metrics(struct loader *loader)
{
    static const char SQL[] = "SELECT anchor_id, metric, statistic, value FROM anchor_metrics "
                              "ORDER BY anchor_id, metric, statistic";
    sqlite3_stmt *row = NULL;
    int at = 0;
    bool good = true;
    if (sqlite3_prepare_v2(loader->db, SQL, -1, &row, NULL) != SQLITE_OK) {
        return fail(loader, sqlite3_errmsg(loader->db));
    }
    while (good && sqlite3_step(row) == SQLITE_ROW) {
        const char *id = column_text(row, 0);
        while (at < loader->n && strcmp(loader->ids[at], id) < 0) {
            loader->metric_start[++at] = loader->metrics.n;
        }
        enum anchor_metric metric = metric_parse(column_text(row, 1));
        enum statistic statistic = statistic_parse(column_text(row, 2));
        if (at == loader->n || metric == ANCHOR_METRIC_COUNT || statistic == STATISTIC_COUNT) {
            good = fail(loader, "a metric is unknown or of no anchor");
        } else if (!pairs_add(&loader->metrics, (int)metric, (int)statistic,
                              sqlite3_column_double(row, 3))) {
            good = fail(loader, "out of memory");
        }
    }
    sqlite3_finalize(row);
    while (good && at < loader->n) {
        loader->metric_start[++at] = loader->metrics.n;
    }
    return good;
}

#define PREDICTION_COLUMNS (INTERVAL_METRIC_COUNT * PREDICTION_FOLDS)

/* NAN for every anchor, until a row says otherwise. */
static void alloc_predictions(struct loader *loader, struct anchor_index *index,
                              float *ret_columns[PREDICTION_COLUMNS])
{
    size_t n = (size_t)loader->n + 1;
    for (int i = 0; i < PREDICTION_COLUMNS; i++) {
        ret_columns[i] = block_alloc(loader->block, n * sizeof(float));
        for (size_t j = 0; ret_columns[i] && j < n; j++) {
            ret_columns[i][j] = NAN;
        }
        index->predicted_ms[i % PREDICTION_FOLDS][i / PREDICTION_FOLDS] = ret_columns[i];
    }
}

static void take_prediction(sqlite3_stmt *row, int anchor, float *columns[PREDICTION_COLUMNS])
{
    for (int i = 0; i < PREDICTION_COLUMNS; i++) {
        if (sqlite3_column_type(row, i + 1) != SQLITE_NULL) {
            columns[i][anchor] = (float)sqlite3_column_double(row, i + 1);
        }
    }
}

static bool read_predictions(struct loader *loader, struct anchor_index *index)
{
    static const char SQL[] =
        "SELECT anchor_id, tpot_ms, tpot_ms_cell_out, tpot_ms_model_out, ttft_ms, "
        "ttft_ms_cell_out, ttft_ms_model_out FROM predictions ORDER BY anchor_id";
    float *columns[PREDICTION_COLUMNS];
    sqlite3_stmt *row = NULL;
    int at = 0;
    alloc_predictions(loader, index, columns);
    if (loader->block->failed || sqlite3_prepare_v2(loader->db, SQL, -1, &row, NULL) != SQLITE_OK) {
        return fail(loader, "predictions cannot be read");
    }
    while (sqlite3_step(row) == SQLITE_ROW) {
        const char *id = column_text(row, 0);
        while (at < loader->n && strcmp(loader->ids[at], id) < 0) {
            at++;
        }
        if (at < loader->n && strcmp(loader->ids[at], id) == 0) {
            take_prediction(row, at, columns);
        }
    }
    sqlite3_finalize(row);
    return true;
}

static bool residuals_fill(struct loader *loader, struct anchor_index *index)
{
    for (int metric = 0; metric < INTERVAL_METRIC_COUNT; metric++) {
        double *residual = block_alloc(loader->block, ((size_t)loader->n + 1) * sizeof(double));
        for (int i = 0; residual && i < loader->n; i++) {
            double predicted = (double)index->predicted_ms[0][metric][i];
            residual[i] = predicted > 0.0
                              ? log(anchor_mean(index, i, (enum interval_metric)metric) / predicted)
                              : (double)NAN;
        }
        index->residual[metric] = residual;
    }
    return !loader->block->failed || fail(loader, "out of memory");
}

/* ---- groups ---- */

static bool is_comparable(const struct loader *loader, int anchor)
{
    const struct anchor_point *point = &loader->points[anchor];
    enum anchor_kind kind = (enum anchor_kind)loader->kinds[anchor];
    bool compared = kind == ANCHOR_SERVING || kind == ANCHOR_DISAGGREGATED ||
                    kind == ANCHOR_SPEED || kind == ANCHOR_ATTRIBUTION;
    return compared && !(loader->flags[anchor] & ANCHOR_DISPUTED) && point->model >= 0 &&
           point->hardware >= 0;
}

/* Sorts anchors by a key below n_keys, stable; fills the starts of every key. */
static void group_sort(const int *from, int n, const short *keys, int n_keys, int *ret_sorted,
                       int *ret_start)
{
    for (int i = 0; i < n; i++) {
        ret_start[keys[from[i]] + 1]++;
    }
    for (int k = 0; k < n_keys; k++) {
        ret_start[k + 1] += ret_start[k];
    }
    for (int i = 0; i < n; i++) {
        ret_sorted[ret_start[keys[from[i]]]++] = from[i];
    }
    for (int k = n_keys; k > 0; k--) {
        ret_start[k] = ret_start[k - 1];
    }
    ret_start[0] = 0;
}

static bool groups_build(struct loader *loader, struct anchor_index *index)
{
    size_t n = (size_t)loader->n + 1;
    int *all = calloc(n, sizeof(int));
    short *models = calloc(n, sizeof(short));
    short *parts = calloc(n, sizeof(short));
    int *by_part = block_alloc(loader->block, n * sizeof(int));
    int *by_model = block_alloc(loader->block, n * sizeof(int));
    int *part_start =
        block_alloc(loader->block, ((size_t)loader->lib->n_hardware + 2) * sizeof(int));
    int *model_start =
        block_alloc(loader->block, ((size_t)loader->lib->n_models + 2) * sizeof(int));
    bool good = all && models && parts && by_part && by_model && part_start && model_start;
    int count = 0;
    for (int i = 0; good && i < loader->n; i++) {
        if (is_comparable(loader, i)) {
            all[count++] = i;
            models[i] = loader->points[i].model;
            parts[i] = loader->points[i].hardware;
        }
    }
    if (good) {
        /* By part first, then stably by model: those of a model lie by part. */
        group_sort(all, count, parts, loader->lib->n_hardware, by_part, part_start);
        group_sort(by_part, count, models, loader->lib->n_models, by_model, model_start);
    }
    free(all);
    free(models);
    free(parts);
    index->n_compared = count;
    index->by_part = by_part;
    index->part_start = part_start;
    index->by_model = by_model;
    index->model_start = model_start;
    return good || fail(loader, "out of memory");
}

static int compare_text_rows(const void *a, const void *b)
{
    const struct text_row *x = a;
    const struct text_row *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static bool text_rows_fill(struct loader *loader, struct anchor_index *index)
{
    size_t n = (size_t)loader->n;
    int64_t *numbers = block_alloc(loader->block, n * sizeof(*numbers) + 1);
    int *anchors = block_alloc(loader->block, n * sizeof(*anchors) + 1);
    if (!numbers || !anchors) {
        return fail(loader, "out of memory");
    }
    qsort(loader->text_rows, n, sizeof(*loader->text_rows), compare_text_rows);
    for (size_t i = 0; i < n; i++) {
        numbers[i] = loader->text_rows[i].number;
        anchors[i] = loader->text_rows[i].anchor;
    }
    index->numbers = numbers;
    index->number_anchor = anchors;
    return true;
}

static bool index_fill(struct loader *loader, struct anchor_index *index)
{
    struct block *block = loader->block;
    const struct pairs *conditions = &loader->conditions;
    const struct pairs *metrics = &loader->metrics;
    index->n = loader->n;
    index->ids = loader->ids;
    index->versions = loader->versions;
    index->backends = loader->backends;
    index->points = loader->points;
    index->kinds = loader->kinds;
    index->flags = loader->flags;
    index->loads = loader->loads;
    index->doubts = loader->doubts;
    index->generators = loader->texts[COLUMN_GENERATOR];
    index->gemm_quants = loader->texts[COLUMN_GEMM];
    index->moe_quants = loader->texts[COLUMN_MOE];
    index->measured = loader->texts[COLUMN_MEASURED];
    index->condition_start = loader->condition_start;
    index->metric_start = loader->metric_start;
    index->condition_what = keep(block, conditions->what, (size_t)conditions->n);
    index->condition_value = keep(block, conditions->value, (size_t)conditions->n * sizeof(double));
    index->metric_what = keep(block, metrics->what, (size_t)metrics->n);
    index->metric_statistic = keep(block, metrics->statistic, (size_t)metrics->n);
    index->metric_value = keep(block, metrics->value, (size_t)metrics->n * sizeof(double));
    return !block->failed || fail(loader, "out of memory");
}

bool anchor_index_build(sqlite3 *db, const struct library *lib, struct block *block,
                        struct anchor_index *ret_index, const char **ret_why)
{
    struct loader loader = {.db = db, .lib = lib, .block = block};
    bool good = lists_build(&loader) && read_anchors(&loader) && read_metrics(&loader) &&
                index_fill(&loader, ret_index) && text_rows_fill(&loader, ret_index) &&
                read_predictions(&loader, ret_index) && residuals_fill(&loader, ret_index) &&
                groups_build(&loader, ret_index);
    for (int i = 0; i < LIST_COUNT; i++) {
        free(loader.lists[i].items);
    }
    free(loader.text_rows);
    pairs_free(&loader.conditions);
    pairs_free(&loader.metrics);
    *ret_why = good ? NULL : loader.why ? loader.why : "out of memory";
    return good;
}
