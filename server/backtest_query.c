#include "backtest_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backtest_classes.h"
#include "records_query.h"

#define ROW_MARK '~'

/* What an argument is read into. */
struct backtest_reading {
    struct context *ctx;
    const struct backtest *backtest;
    struct faults *faults;
    struct backtest_query *query;
    bool left_out; /* the argument was given */
};

typedef void argument_fn(struct backtest_reading *reading, const char *value);

static argument_fn read_set, read_metric, read_engine, read_part, read_model, read_weights,
    read_concurrency, read_input, read_nearness, read_source, read_left_out, read_min_error,
    read_inside, read_explained, read_sort;

const struct backtest_argument BACKTEST_ARGUMENTS[] = {
    {"set", read_set, "string",
     "calibrated: runs that the engines were fitted to; other: of other sources; local: speed "
     "tests of local engines; memory: what engines printed about memory, in a reply of its own"},
    {"metric", read_metric, "string", "one metric"},
    {"engine", read_engine, "string", "id or alias of an engine"},
    {"hardware", read_part, "string", "id or alias of a part"},
    {"model", read_model, "string", "id or alias of a model"},
    {"weights", read_weights, "string", "id or alias of a weight format"},
    {"concurrency", read_concurrency, "string", "a class of requests in flight, as groups name it"},
    {"input_tokens", read_input, "string", "a class of input lengths, as groups name it"},
    {"nearness", read_nearness, "string", "how near the nearest measured runs are"},
    {"source", read_source, "string", "id of a source"},
    {"left_out", read_left_out, "string",
     "what had no part in the prediction that rows are chosen and sorted by"},
    {"min_error", read_min_error, "number", "least error of a row, 0.25 for a quarter"},
    {"inside", read_inside, "boolean", "rows inside their interval, or outside"},
    {"explained", read_explained, "boolean", "rows that say why they are off, or do not"},
    {"sort", read_sort, "string", "worst, which is the default, or id"},
    {NULL, NULL, NULL, NULL},
};

/* ---- arguments that are one of some names ---- */

typedef const char *nth_name_fn(const struct backtest_reading *reading, int index);

/* The index of the name, -1 and a fault when it is none of the first n. */
static int read_name(const struct backtest_reading *reading, const char *argument,
                     const char *value, nth_name_fn *name_at, int n)
{
    const char **names = arena_alloc(reading->faults->arena, ((size_t)n + 1) * sizeof(*names));
    for (int i = 0; names != NULL && i < n; i++) {
        names[i] = name_at(reading, i);
        if (strcmp(names[i], value) == 0)
            return i;
    }
    const char *list = "";
    for (int i = 0; names != NULL && n <= 8 && i < n; i++)
        list = arena_printf(reading->faults->arena, "%s%s%s", list ? list : "", i ? ", " : ": ",
                            names[i]);
    fault_add(reading->faults, argument, names != NULL ? fault_nearest(value, names, n) : NULL,
              "\"%.100s\" is none of its values%s", value, list ? list : "");
    return -1;
}

static const char *set_at(const struct backtest_reading *reading, int index)
{
    (void)reading;
    return backtest_set_name((enum backtest_set)index);
}

static const char *holdout_at(const struct backtest_reading *reading, int index)
{
    (void)reading;
    return holdout_name((enum holdout)index);
}

static const char *metric_at(const struct backtest_reading *reading, int index)
{
    (void)reading;
    return metric_info(forecast_metric(index))->name;
}

static const char *weights_at(const struct backtest_reading *reading, int index)
{
    return reading->ctx->catalogue->lib.weight_formats[index].id;
}

static const char *concurrency_at(const struct backtest_reading *reading, int index)
{
    (void)reading;
    return concurrency_class_name(index);
}

static const char *input_at(const struct backtest_reading *reading, int index)
{
    (void)reading;
    return input_class_name(index);
}

static const char *tier_at(const struct backtest_reading *reading, int index)
{
    (void)reading;
    return interval_tier_name((enum interval_tier)index);
}

static const char *source_at(const struct backtest_reading *reading, int index)
{
    return reading->backtest->sources[index].id;
}

static const char *sort_at(const struct backtest_reading *reading, int index)
{
    static const char *const NAMES[] = {"worst", "id"};
    (void)reading;
    return NAMES[index];
}

static const char *truth_at(const struct backtest_reading *reading, int index)
{
    static const char *const NAMES[] = {"false", "true"};
    (void)reading;
    return NAMES[index];
}

static int classes(const char *(*name)(int))
{
    int n = 0;
    while (name(n) != NULL)
        n++;
    return n;
}

static void read_set(struct backtest_reading *reading, const char *value)
{
    int set = read_name(reading, "?set", value, set_at, SET_COUNT);
    reading->query->choice.set = set < 0 ? SET_CALIBRATED : (enum backtest_set)set;
}

static void read_metric(struct backtest_reading *reading, const char *value)
{
    int metric = read_name(reading, "?metric", value, metric_at, FORECAST_METRICS);
    reading->query->choice.metric = metric < 0 ? ANCHOR_METRIC_COUNT : forecast_metric(metric);
}

static void read_weights(struct backtest_reading *reading, const char *value)
{
    const struct catalogue *catalogue = reading->ctx->catalogue;
    int found = catalogue_find_weight_format(catalogue, value);
    reading->query->choice.value[BY_WEIGHTS] =
        found >= 0
            ? found
            : read_name(reading, "?weights", value, weights_at, catalogue->lib.n_weight_formats);
}

static void read_concurrency(struct backtest_reading *reading, const char *value)
{
    reading->query->choice.value[BY_CONCURRENCY] =
        read_name(reading, "?concurrency", value, concurrency_at, classes(concurrency_class_name));
}

static void read_input(struct backtest_reading *reading, const char *value)
{
    reading->query->choice.value[BY_INPUT] =
        read_name(reading, "?input_tokens", value, input_at, classes(input_class_name));
}

static void read_nearness(struct backtest_reading *reading, const char *value)
{
    reading->query->choice.value[BY_NEARNESS] =
        read_name(reading, "?nearness", value, tier_at, INTERVAL_TIER_COUNT);
}

static void read_source(struct backtest_reading *reading, const char *value)
{
    reading->query->choice.value[BY_SOURCE] =
        read_name(reading, "?source", value, source_at, reading->backtest->n_sources);
}

static void read_left_out(struct backtest_reading *reading, const char *value)
{
    int holdout = read_name(reading, "?left_out", value, holdout_at, HOLDOUT_COUNT);
    reading->query->holdout = holdout < 0 ? HOLDOUT_CELL : (enum holdout)holdout;
    reading->left_out = holdout >= 0;
}

static void read_sort(struct backtest_reading *reading, const char *value)
{
    reading->query->by_id = read_name(reading, "?sort", value, sort_at, 2) == 1;
}

static void read_inside(struct backtest_reading *reading, const char *value)
{
    reading->query->inside = read_name(reading, "?inside", value, truth_at, 2);
}

static void read_explained(struct backtest_reading *reading, const char *value)
{
    reading->query->explained = read_name(reading, "?explained", value, truth_at, 2);
}

/* ---- names of records, numbers ---- */

static void read_model(struct backtest_reading *reading, const char *value)
{
    const struct library *lib = &reading->ctx->catalogue->lib;
    const char *id = list_model(reading->ctx, value, reading->faults);
    if (id != NULL)
        reading->query->choice.value[BY_MODEL] = (int)(library_model(lib, id) - lib->models);
}

static void read_part(struct backtest_reading *reading, const char *value)
{
    const char *id = list_part(reading->ctx, value, reading->faults);
    if (id != NULL)
        reading->query->choice.value[BY_HARDWARE] =
            library_hardware(&reading->ctx->catalogue->lib, id)->index;
}

static void read_engine(struct backtest_reading *reading, const char *value)
{
    const char *id = list_engine(reading->ctx, value, reading->faults);
    if (id != NULL)
        reading->query->choice.value[BY_ENGINE] =
            library_engine(&reading->ctx->catalogue->lib, id)->index;
}

static void read_min_error(struct backtest_reading *reading, const char *value)
{
    char *end = NULL;
    double error = strtod(value, &end);
    if (end == value || *end != '\0' || !(error >= 0.0) || !isfinite(error))
        fault_add(reading->faults, "?min_error", NULL, "must be a number, 0.25 for a quarter off");
    else
        reading->query->min_error = error;
}

/* ---- the query ---- */

struct backtest_query backtest_query_default(enum backtest_set set, int limit)
{
    struct backtest_query query = {
        .choice = {.set = set, .metric = ANCHOR_METRIC_COUNT},
        .holdout = backtest_set_holdout(set),
        .inside = -1,
        .explained = -1,
        .limit = limit,
    };
    for (int i = 0; i < DIMENSION_COUNT; i++)
        query.choice.value[i] = -1;
    return query;
}

static void fault_unknown(const char *name, struct faults *faults)
{
    const char *names[ARRAY_LEN(BACKTEST_ARGUMENTS) + 2] = {"limit", "cursor", "format"};
    int n = 3;
    if (faults_full(faults)) {
        faults->dropped++;
        return;
    }
    for (const struct backtest_argument *known = BACKTEST_ARGUMENTS; known->name != NULL; known++)
        names[n++] = known->name;
    const char *pointer = arena_printf(faults->arena, "?%.100s", name);
    fault_add(faults, pointer ? pointer : "?", fault_nearest(name, names, n),
              "unknown argument of the backtest");
}

static void read_argument(struct backtest_reading *reading, int at)
{
    const struct request *request = reading->ctx->request;
    const struct argument *argument = &request->arguments[at];
    struct list_query page = {.limit = reading->query->limit};
    if (list_is_repeated(request, at)) {
        const char *pointer = arena_printf(reading->faults->arena, "?%.100s", argument->name);
        fault_add(reading->faults, pointer ? pointer : "?", NULL, "stands twice");
        return;
    }
    if (strcmp(argument->name, "q") != 0 &&
        list_common_read(reading->ctx, argument, reading->faults, &page)) {
        reading->query->limit = page.limit;
        reading->query->cursor = page.cursor != NULL ? page.cursor : reading->query->cursor;
        return;
    }
    for (const struct backtest_argument *known = BACKTEST_ARGUMENTS; known->name != NULL; known++)
        if (strcmp(known->name, argument->name) == 0) {
            if (argument->value[0] != '\0')
                known->read(reading, argument->value);
            return;
        }
    fault_unknown(argument->name, reading->faults);
}

/* The place of the row that a cursor names; -1 when there is none. */
static int cursor_row(const struct backtest *backtest, const struct catalogue *catalogue,
                      const char *cursor)
{
    const char *mark = strrchr(cursor, ROW_MARK);
    if (mark == NULL)
        return -1;
    enum anchor_metric metric = metric_parse(mark + 1);
    for (int i = 0; i < backtest->n; i++) {
        const struct backtest_row *row = &backtest->rows[i];
        const char *id = catalogue->anchors.ids[row->anchor];
        if (row->metric == metric && strlen(id) == (size_t)(mark - cursor) &&
            strncmp(id, cursor, (size_t)(mark - cursor)) == 0)
            return i;
    }
    return -1;
}

bool backtest_query_read(struct context *ctx, const struct backtest *backtest, int limit,
                         struct faults *faults, struct backtest_query *ret_query)
{
    *ret_query = backtest_query_default(SET_CALIBRATED, limit);
    struct backtest_reading reading = {ctx, backtest, faults, ret_query, false};
    for (int i = 0; i < ctx->request->n_arguments; i++)
        read_argument(&reading, i);
    enum holdout usual = backtest_set_holdout(ret_query->choice.set);
    if (ret_query->choice.set != SET_CALIBRATED && reading.left_out && ret_query->holdout != usual)
        fault_add(faults, "?left_out", holdout_name(usual), "of this set there is %s alone",
                  holdout_name(usual));
    if (!reading.left_out)
        ret_query->holdout = usual;
    if (ret_query->cursor != NULL && cursor_row(backtest, ctx->catalogue, ret_query->cursor) < 0)
        fault_add(faults, "?cursor", NULL, "is not a next_cursor of this list");
    return faults->n == 0;
}

/* ---- the page ---- */

static bool is_listed(const struct backtest_query *query, const struct backtest_row *row)
{
    int inside = row->inside[query->holdout];
    return fabs(backtest_error(row, query->holdout)) >= query->min_error &&
           (query->inside < 0 || inside == (query->inside ? JUDGED_INSIDE : JUDGED_OUTSIDE)) &&
           (query->explained < 0 || (row->note >= 0) == (query->explained == 1));
}

/* The n-th row in the order asked for; -1 past the last. */
static int row_at(const struct backtest *backtest, const struct backtest_query *query, int n)
{
    if (query->by_id)
        return n < backtest->n ? n : -1;
    return n < backtest->n_predicted[query->holdout] ? backtest->by_factor[query->holdout][n] : -1;
}

bool backtest_query_run(const struct backtest *backtest, const struct catalogue *catalogue,
                        const struct backtest_query *query, struct arena *arena,
                        struct backtest_page *ret_page)
{
    struct backtest_page page = {
        .chosen = arena_alloc_raw(arena, (size_t)backtest->n + 1),
        .rows = arena_alloc_raw(arena, ((size_t)query->limit + 1) * sizeof(int))};
    int behind = query->cursor != NULL ? cursor_row(backtest, catalogue, query->cursor) : -1;
    bool begun = behind < 0, more = false;
    if (page.chosen == NULL || page.rows == NULL)
        return false;
    page.n_chosen = backtest_choose(backtest, &query->choice, page.chosen);
    for (int i = 0, row; (row = row_at(backtest, query, i)) >= 0; i++) {
        bool listed = page.chosen[row] && is_listed(query, &backtest->rows[row]);
        page.total += listed;
        if (listed && begun && page.n < query->limit)
            page.rows[page.n++] = row;
        else if (listed && begun)
            more = true;
        begun = begun || row == behind;
    }
    if (more && page.n > 0) {
        const struct backtest_row *last = &backtest->rows[page.rows[page.n - 1]];
        const char *sort = arena_printf(arena, "%s%c%s", catalogue->anchors.ids[last->anchor],
                                        ROW_MARK, metric_info(last->metric)->name);
        page.cursor = sort != NULL ? cursor_write(arena, sort) : NULL;
    }
    *ret_page = page;
    return true;
}
