#include "anchors_query.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

#define NAME_MAX_LENGTH 64
#define ARGUMENTS_OF_LIST_MAX (3 * CONDITION_COUNT + 24)

/* Filters beside the ranges: each reads its value into the query. */
typedef void filter_fn(struct context *ctx, const char *value, struct faults *faults,
                       struct anchor_query *query);

static filter_fn read_model, read_part, read_engine, read_weights, read_kv_cache, read_kind,
    read_metric, read_statistic, read_disputed, read_flag, read_source, read_backend;

static const struct anchor_filter {
    const char *name;
    filter_fn *read;
} FILTERS[] = {
    {"model", read_model},     {"hardware", read_part},       {"engine", read_engine},
    {"weights", read_weights}, {"kv_cache", read_kv_cache},   {"kind", read_kind},
    {"metric", read_metric},   {"statistic", read_statistic}, {"disputed", read_disputed},
    {"source", read_source},   {"backend", read_backend},     {"flag", read_flag},
};

static const char *const PAGE_ARGUMENTS[] = {"limit", "cursor", "q", "format"};

/* ---- values of filters ---- */

static void read_model(struct context *ctx, const char *value, struct faults *faults,
                       struct anchor_query *query)
{
    const struct library *lib = &ctx->catalogue->lib;
    const char *id = list_model(ctx, value, faults);
    const struct model *model = id ? library_model(lib, id) : NULL;
    query->model = model ? (int)(model - lib->models) : -1;
}

static void read_part(struct context *ctx, const char *value, struct faults *faults,
                      struct anchor_query *query)
{
    const char *id = list_part(ctx, value, faults);
    const struct hardware *part = id ? library_hardware(&ctx->catalogue->lib, id) : NULL;
    query->hardware = part ? part->index : -1;
}

static void read_engine(struct context *ctx, const char *value, struct faults *faults,
                        struct anchor_query *query)
{
    const char *id = list_engine(ctx, value, faults);
    const struct engine *engine = id ? library_engine(&ctx->catalogue->lib, id) : NULL;
    query->engine = engine ? engine->index : -1;
}

static void read_weights(struct context *ctx, const char *value, struct faults *faults,
                         struct anchor_query *query)
{
    int n = 0;
    const char *const *names = catalogue_weight_format_names(ctx->catalogue, &n);
    query->weights = catalogue_find_weight_format(ctx->catalogue, value);
    if (query->weights < 0) {
        fault_add(faults, "?weights", fault_nearest(value, names, n),
                  "no weight format is called \"%.100s\"", value);
    } else if (strcmp(ctx->catalogue->lib.weight_formats[query->weights].id, "fp8") == 0) {
        query->scaled_weights = catalogue_find_weight_format(ctx->catalogue, "fp8_block");
    }
}

static void read_kv_cache(struct context *ctx, const char *value, struct faults *faults,
                          struct anchor_query *query)
{
    int n = 0;
    const char *const *names = catalogue_kv_format_names(ctx->catalogue, &n);
    query->kv_cache = catalogue_find_kv_format(ctx->catalogue, value);
    if (query->kv_cache < 0) {
        fault_add(faults, "?kv_cache", fault_nearest(value, names, n),
                  "no KV format is called \"%.100s\"", value);
    }
}

static void read_kind(struct context *ctx, const char *value, struct faults *faults,
                      struct anchor_query *query)
{
    const char *names[ANCHOR_KIND_COUNT];
    (void)ctx;
    for (int i = 0; i < ANCHOR_KIND_COUNT; i++) {
        names[i] = anchor_kind_name((enum anchor_kind)i);
    }
    query->kind = anchor_kind_parse(value);
    if (query->kind == ANCHOR_KIND_COUNT) {
        fault_add(faults, "?kind", fault_nearest(value, names, ANCHOR_KIND_COUNT),
                  "no kind of anchor is called \"%.100s\"", value);
    }
}

/* The nearest name; a word that a name begins with counts as near. */
static const char *near_name(const char *word, const char *const *names, int n)
{
    const char *near = fault_nearest(word, names, n);
    for (int i = 0; !near && i < n; i++) {
        near = strncmp(names[i], word, strlen(word)) == 0 ? names[i] : NULL;
    }
    return near;
}

static void read_metric(struct context *ctx, const char *value, struct faults *faults,
                        struct anchor_query *query)
{
    const char *names[ANCHOR_METRIC_COUNT];
    (void)ctx;
    for (int i = 0; i < ANCHOR_METRIC_COUNT; i++) {
        names[i] = metric_info((enum anchor_metric)i)->name;
    }
    query->metric = metric_parse(value);
    if (query->metric == ANCHOR_METRIC_COUNT) {
        fault_add(faults, "?metric", near_name(value, names, ANCHOR_METRIC_COUNT),
                  "no metric is called \"%.100s\"", value);
    }
}

static void read_statistic(struct context *ctx, const char *value, struct faults *faults,
                           struct anchor_query *query)
{
    const char *names[STATISTIC_COUNT];
    (void)ctx;
    for (int i = 0; i < STATISTIC_COUNT; i++) {
        names[i] = statistic_name((enum statistic)i);
    }
    query->statistic = statistic_parse(value);
    if (query->statistic == STATISTIC_COUNT) {
        fault_add(faults, "?statistic", fault_nearest(value, names, STATISTIC_COUNT),
                  "no statistic is called \"%.100s\"", value);
    }
}

static void read_disputed(struct context *ctx, const char *value, struct faults *faults,
                          struct anchor_query *query)
{
    (void)ctx;
    query->disputed = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
    if (!query->disputed && strcmp(value, "false") != 0 && strcmp(value, "0") != 0) {
        fault_add(faults, "?disputed", NULL, "must be true or false");
    }
}

static void read_flag(struct context *ctx, const char *value, struct faults *faults,
                      struct anchor_query *query)
{
    const char *names[ANCHOR_DOUBT_COUNT];
    (void)ctx;
    for (int i = 0; i < ANCHOR_DOUBT_COUNT; i++) {
        names[i] = anchor_doubt_name((enum anchor_doubt)i);
    }
    query->doubt = anchor_doubt_parse(value);
    if (query->doubt == ANCHOR_DOUBT_COUNT) {
        fault_add(faults, "?flag", near_name(value, names + 1, ANCHOR_DOUBT_COUNT - 1),
                  "no flag of an anchor is called \"%.100s\"", value);
    }
}

static void read_source(struct context *ctx, const char *value, struct faults *faults,
                        struct anchor_query *query)
{
    sqlite3_stmt *row =
        store_read(app_store(ctx->app), "SELECT 1 FROM sources WHERE id = lower(?1)");
    bool known = row && sqlite3_bind_text(row, 1, value, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_step(row) == SQLITE_ROW;
    store_done(row);
    query->source = value;
    if (!known) {
        fault_add(faults, "?source", NULL, "no source has the id \"%.100s\": see /v1/sources",
                  value);
    }
}

static void read_backend(struct context *ctx, const char *value, struct faults *faults,
                         struct anchor_query *query)
{
    (void)ctx;
    (void)faults;
    query->backend = value;
}

/* ---- ranges ---- */

static struct anchor_range *range_of(struct anchor_query *query, enum anchor_condition condition)
{
    for (int i = 0; i < query->n_ranges; i++) {
        if (query->ranges[i].condition == condition) {
            return &query->ranges[i];
        }
    }
    query->ranges[query->n_ranges] =
        (struct anchor_range){condition, -(double)INFINITY, (double)INFINITY};
    return &query->ranges[query->n_ranges++];
}

/* Reads "input_tokens", "input_tokens_min" or "input_tokens_max"; false for other names. */
static bool read_range(const struct argument *argument, struct faults *faults,
                       struct anchor_query *query)
{
    enum { END_MIN, END_MAX, END_BOTH };

    static const char *const ENDS[] = {"_min", "_max", ""};
    char name[NAME_MAX_LENGTH];
    size_t length = strlen(argument->name);
    size_t end = 0;
    while (end < END_BOTH && (length <= 4 || strcmp(argument->name + length - 4, ENDS[end]) != 0)) {
        end++;
    }
    length -= strlen(ENDS[end]);
    if (length >= sizeof(name)) {
        return false;
    }
    memcpy(name, argument->name, length);
    name[length] = '\0';
    enum anchor_condition condition = condition_parse(name);
    if (condition == CONDITION_COUNT) {
        return false;
    }
    char *rest = NULL;
    double value = strtod(argument->value, &rest);
    if (rest == argument->value || *rest || !isfinite(value)) {
        const char *pointer = arena_printf(faults->arena, "?%.100s", argument->name);
        fault_add(faults, pointer ? pointer : "?", NULL, "must be a number");
        return true;
    }
    struct anchor_range *range = range_of(query, condition);
    if (end != END_MAX) {
        range->min = fmax(range->min, value);
    }
    if (end != END_MIN) {
        range->max = fmin(range->max, value);
    }
    return true;
}

const char *const *anchor_query_arguments(struct arena *arena)
{
    const char **names = arena_alloc(arena, (ARGUMENTS_OF_LIST_MAX + 1) * sizeof(*names));
    int n = 0;
    for (size_t i = 0; names && i < ARRAY_LEN(PAGE_ARGUMENTS); i++) {
        names[n++] = PAGE_ARGUMENTS[i];
    }
    for (size_t i = 0; names && i < ARRAY_LEN(FILTERS); i++) {
        names[n++] = FILTERS[i].name;
    }
    for (int i = 0; names && i < CONDITION_COUNT; i++) {
        const char *name = condition_info((enum anchor_condition)i)->name;
        names[n++] = name;
        names[n++] = arena_printf(arena, "%s_min", name);
        names[n++] = arena_printf(arena, "%s_max", name);
    }
    return names;
}

static void fault_unknown(const char *name, struct faults *faults)
{
    if (faults_full(faults)) {
        faults->dropped++;
        return;
    }
    const char *const *names = anchor_query_arguments(faults->arena);
    const char *pointer = arena_printf(faults->arena, "?%.100s", name);
    int n = 0;
    while (names && names[n]) {
        n++;
    }
    fault_add(faults, pointer ? pointer : "?", names ? fault_nearest(name, names, n) : NULL,
              "unknown argument of this list");
}

static void read_argument(struct context *ctx, int at, struct faults *faults,
                          struct anchor_query *query)
{
    const struct argument *argument = &ctx->request->arguments[at];
    if (list_is_repeated(ctx->request, at)) {
        const char *pointer = arena_printf(faults->arena, "?%.100s", argument->name);
        fault_add(faults, pointer ? pointer : "?", NULL, "stands twice");
        return;
    }
    if (list_common_read(ctx, argument, faults, &query->page)) {
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(FILTERS); i++) {
        if (strcmp(FILTERS[i].name, argument->name) == 0) {
            if (argument->value[0]) {
                FILTERS[i].read(ctx, argument->value, faults, query);
            }
            return;
        }
    }
    if (!read_range(argument, faults, query)) {
        fault_unknown(argument->name, faults);
    }
}

bool anchor_query_read(struct context *ctx, struct faults *faults, struct anchor_query *ret_query)
{
    *ret_query = (struct anchor_query){
        .page = {.limit = LIST_LIMIT_DEFAULT},
        .model = -1,
        .hardware = -1,
        .engine = -1,
        .weights = -1,
        .scaled_weights = -1,
        .kv_cache = -1,
        .kind = ANCHOR_KIND_COUNT,
        .metric = ANCHOR_METRIC_COUNT,
        .statistic = STATISTIC_COUNT,
        .disputed = -1,
        .doubt = ANCHOR_DOUBT_COUNT,
    };
    for (int i = 0; i < ctx->request->n_arguments; i++) {
        read_argument(ctx, i, faults, ret_query);
    }
    return faults->n == 0;
}

/* ---- the page ---- */

static bool point_fits(const struct anchor_query *query, const struct anchor_point *point)
{
    return (query->model < 0 || point->model == query->model) &&
           (query->hardware < 0 || point->hardware == query->hardware) &&
           (query->engine < 0 || point->engine == query->engine) &&
           (query->weights < 0 || point->weights == query->weights ||
            (query->scaled_weights >= 0 && point->weights == query->scaled_weights)) &&
           (query->kv_cache < 0 || point->kv_cache == query->kv_cache);
}

static bool ranges_fit(const struct anchor_query *query, const struct anchor_index *index,
                       int anchor)
{
    for (int i = 0; i < query->n_ranges; i++) {
        double value = anchor_number(index, anchor, query->ranges[i].condition);
        if (!(value >= query->ranges[i].min && value <= query->ranges[i].max)) {
            return false;
        }
    }
    return true;
}

static bool metric_fits(const struct anchor_query *query, const struct anchor_index *index,
                        int anchor)
{
    if (query->metric == ANCHOR_METRIC_COUNT && query->statistic == STATISTIC_COUNT) {
        return true;
    }
    for (int i = index->metric_start[anchor]; i < index->metric_start[anchor + 1]; i++) {
        if ((query->metric == ANCHOR_METRIC_COUNT || index->metric_what[i] == query->metric) &&
            (query->statistic == STATISTIC_COUNT ||
             index->metric_statistic[i] == query->statistic)) {
            return true;
        }
    }
    return false;
}

static bool anchor_fits(const struct anchor_query *query, const struct anchor_index *index,
                        int anchor)
{
    int disputed = (index->flags[anchor] & ANCHOR_DISPUTED) != 0;
    const char *backend = index->backends[anchor];
    return point_fits(query, &index->points[anchor]) &&
           (query->kind == ANCHOR_KIND_COUNT || index->kinds[anchor] == query->kind) &&
           (query->disputed < 0 || disputed == query->disputed) &&
           (query->doubt == ANCHOR_DOUBT_COUNT || index->doubts[anchor] == query->doubt) &&
           (!query->backend || (backend && strcmp(backend, query->backend) == 0)) &&
           ranges_fit(query, index, anchor) && metric_fits(query, index, anchor);
}

/* Marks the anchors that a statement names by their rows in the full-text index. */
static bool mark_rows(struct context *ctx, const char *sql, const char *value, unsigned char bit,
                      unsigned char *marks)
{
    const struct anchor_index *index = &ctx->catalogue->anchors;
    sqlite3_stmt *row = store_read(app_store(ctx->app), sql);
    int rc = row ? sqlite3_bind_text(row, 1, value, -1, SQLITE_STATIC) : SQLITE_ERROR;
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(row);
        int anchor = rc == SQLITE_ROW ? anchor_of_number(index, sqlite3_column_int64(row, 0)) : -1;
        if (anchor >= 0) {
            marks[anchor] |= bit;
        }
    }
    store_done(row);
    return rc == SQLITE_DONE;
}

/* The marks of what only the store knows, and of the anchor whose id the words are; *ret_wanted is
 * the value an anchor must have. */
static bool mark_texts(struct context *ctx, const struct anchor_query *query,
                       unsigned char **ret_marks, unsigned char *ret_wanted)
{
    static const char BY_TEXT[] = "SELECT rowid FROM anchor_search WHERE anchor_search MATCH ?1";
    static const char BY_SOURCE[] = "SELECT number FROM anchors WHERE source_id = lower(?1)";
    *ret_wanted = 0;
    *ret_marks = NULL;
    if (!query->page.match && !query->source) {
        return true;
    }
    unsigned char *marks = arena_alloc(ctx->request->arena, (size_t)ctx->catalogue->anchors.n + 1);
    bool good = marks != NULL;
    if (good && query->page.match) {
        good = mark_rows(ctx, BY_TEXT, query->page.match, 1, marks);
        int named = anchor_find(&ctx->catalogue->anchors, request_argument(ctx->request, "q"));
        if (named >= 0) {
            marks[named] |= 1;
        }
        *ret_wanted |= 1;
    }
    if (good && query->source) {
        good = mark_rows(ctx, BY_SOURCE, query->source, 2, marks);
        *ret_wanted |= 2;
    }
    *ret_marks = marks;
    return good;
}

bool anchor_query_run(struct context *ctx, const struct anchor_query *query,
                      struct anchor_page *ret_page)
{
    const struct anchor_index *index = &ctx->catalogue->anchors;
    const char *cursor = query->page.cursor;
    int *anchors = arena_alloc(ctx->request->arena, (size_t)query->page.limit * sizeof(*anchors));
    unsigned char *marks = NULL;
    unsigned char wanted = 0;
    struct anchor_page page = {.anchors = anchors};
    if (!anchors || !mark_texts(ctx, query, &marks, &wanted)) {
        return false;
    }
    for (int i = 0; i < index->n; i++) {
        if ((marks && marks[i] != wanted) || !anchor_fits(query, index, i)) {
            continue;
        }
        page.total++;
        if (cursor && strcmp(index->ids[i], cursor) <= 0) {
            continue;
        }
        if (page.n < query->page.limit) {
            anchors[page.n++] = i;
        } else {
            page.more = true;
        }
    }
    *ret_page = page;
    return true;
}

/* ---- what is asked ---- */

static const struct anchor_range *find_range(const struct anchor_query *query,
                                             enum anchor_condition condition)
{
    for (int i = 0; i < query->n_ranges; i++) {
        if (query->ranges[i].condition == condition) {
            return &query->ranges[i];
        }
    }
    return NULL;
}

double anchor_query_from(const struct anchor_query *query, enum anchor_condition condition)
{
    const struct anchor_range *range = find_range(query, condition);
    if (!range) {
        return NAN;
    }
    return isfinite(range->min) ? range->min : range->max;
}

/* log2 of a range's middle: of both ends, or of the one it has. */
static double middle_log2(const struct anchor_query *query, enum anchor_condition condition)
{
    const struct anchor_range *range = find_range(query, condition);
    if (!range) {
        return NAN;
    }
    double low = range->min > 0.0 ? log2(range->min) : (double)NAN;
    double high = range->max > 0.0 && isfinite(range->max) ? log2(range->max) : (double)NAN;
    if (isnan(low) || isnan(high)) {
        return isnan(low) ? high : low;
    }
    return (low + high) / 2.0;
}

struct anchor_point anchor_query_point(const struct catalogue *cat,
                                       const struct anchor_query *query)
{
    const struct library *lib = &cat->lib;
    struct anchor_point point = {
        .log_concurrency = middle_log2(query, CONDITION_CONCURRENCY),
        .log_input = middle_log2(query, CONDITION_INPUT_TOKENS),
        .log_output = middle_log2(query, CONDITION_OUTPUT_TOKENS),
        .log_tp = middle_log2(query, CONDITION_TP),
        .log_pp = middle_log2(query, CONDITION_PP),
        .log_dp = middle_log2(query, CONDITION_DP),
        .log_ep = middle_log2(query, CONDITION_EP),
        .log_weight_bytes = NAN,
        .log_kv_bytes = NAN,
        .log_bandwidth = NAN,
        .log_active = NAN,
        .model = (short)query->model,
        .hardware = (short)query->hardware,
        .engine = (short)query->engine,
        .weights = (short)query->weights,
        .kv_cache = (short)query->kv_cache,
        .disaggregated = query->kind == ANCHOR_DISAGGREGATED,
    };
    if (query->weights >= 0) {
        point.log_weight_bytes = log2(lib->weight_formats[query->weights].bytes[ROLE_DENSE_FFN]);
    }
    if (query->kv_cache >= 0) {
        point.log_kv_bytes = log2(lib->kv_formats[query->kv_cache].bytes_per_element);
    }
    if (query->hardware >= 0) {
        point.log_bandwidth = log2(lib->hardware[query->hardware].bw_bytes_us);
    }
    if (query->model >= 0) {
        point.log_active = log2(lib->models[query->model].params_active);
    }
    return point;
}
