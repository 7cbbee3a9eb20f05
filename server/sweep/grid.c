#include "grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "body.h"
#include "check_report.h"
#include "csv_cells.h"
#include "nearness.h"
#include "plan_body.h"
#include "plan_keeper.h"
#include "problem.h"
#include "request_json.h"
#include "request_limits.h"

#define RANGE_STEPS_MAX 10000
#define VALUE_TEXT_MAX 256

static const char *const DEFAULT_COLUMNS[] = {"regime",  "dominant_class", "ttft_ms",
                                              "tpot_ms", "output_tok_s",   "fits"};

/* Reading -------------------------------------------------------------------------------------- */

/* What reading needs at every step. */
struct reading {
    struct context *ctx;
    struct faults *faults;
    struct grid *grid;
};

static struct intake intake_of(const struct reading *reading, const char *base)
{
    return (struct intake){reading->ctx->catalogue, reading->ctx->request->arena, reading->faults,
                           base};
}

/* A pointer of the body: "/axes/~1workload~1concurrency" (RFC 6901), with an index unless < 0. */
static const char *place_of(struct arena *arena, const char *member, const char *name, int index)
{
    char escaped[300];
    size_t n = 0;

    for (; *name && n < sizeof(escaped) - 3; name++) {
        const char *special = *name == '/' ? "~1" : "~0";
        if (*name == '/' || *name == '~') {
            escaped[n++] = special[0];
            escaped[n++] = special[1];
        } else {
            escaped[n++] = *name;
        }
    }
    escaped[n] = '\0';
    const char *shown = field_quote(arena, escaped);
    const char *place = index < 0 ? arena_printf(arena, "/%s/%s", member, shown)
                                  : arena_printf(arena, "/%s/%s/%d", member, shown, index);
    return place ? place : member;
}

/* A leaf of a copy; what a model's name said before it is forgotten with the model. */
static bool set_leaf(const struct intake *intake, struct plan_request *request, int row,
                     const struct cJSON *value)
{
    if (row == FIELD_ID_MODEL) {
        request->name_format = NULL;
        request->inline_model = NULL;
    }
    return plan_request_set(intake, request, row, value);
}

static bool is_scalar(const cJSON *value)
{
    return cJSON_IsNumber(value) || cJSON_IsString(value) || cJSON_IsBool(value) ||
           cJSON_IsNull(value);
}

static bool write_texts(struct arena *arena, struct axis_value *value)
{
    const cJSON *json = value->json;
    struct json_out as_json, as_csv;

    json_out_init(&as_json, arena, 32, VALUE_TEXT_MAX);
    request_json_tree(&as_json, json);
    out_bytes(&as_json, "", 1);
    json_out_init(&as_csv, arena, 32, VALUE_TEXT_MAX);
    if (cJSON_IsString(json))
        csv_text(&as_csv, json->valuestring);
    else if (cJSON_IsNull(json))
        csv_text(&as_csv, "");
    else
        csv_text(&as_csv, as_json.text);
    out_bytes(&as_csv, "", 1);
    value->json_text = as_json.text;
    value->csv_text = as_csv.text;
    return json_out_ok(&as_json) && json_out_ok(&as_csv);
}

/* Holds a value against its field, and keeps it. */
static void take_value(const struct reading *reading, struct axis *axis, const cJSON *json,
                       struct axis_value *value)
{
    struct arena *arena = reading->ctx->request->arena;
    int index = (int)(value - axis->values);
    const char *place = place_of(arena, "axes", axis->pointer, index);
    struct faults own;
    struct plan_request scratch = {0};
    const struct intake intake = {reading->ctx->catalogue, arena, &own, ""};

    *value = (struct axis_value){.json = json};
    if (!is_scalar(json)) {
        fault_add(reading->faults, place, NULL,
                  "expected a number, a text, a truth or null; lists and objects make no axis");
        return;
    }
    faults_init(&own, arena);
    if (!set_leaf(&intake, &scratch, axis->row, json)) {
        for (int i = 0; i < own.n; i++)
            fault_add(reading->faults, place, own.items[i].suggestion, "%s", own.items[i].detail);
        return;
    }
    if (!write_texts(arena, value))
        fault_add(reading->faults, place, NULL, "a value of an axis has at most %d bytes",
                  VALUE_TEXT_MAX);
}

static double number_of(const cJSON *object, const char *name, double absent)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    if (!item)
        return absent;
    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static bool is_listed(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Whether a range is whole, and nothing else. */
static bool range_is_sound(const cJSON *range, double from, double to, double steps)
{
    static const char *const NAMES[] = {"from", "to", "steps", "scale"};
    const cJSON *scale = cJSON_GetObjectItemCaseSensitive(range, "scale");
    bool named = scale && cJSON_IsString(scale);
    bool logarithmic = named && strcmp(scale->valuestring, "log") == 0;
    bool linear = !scale || (named && strcmp(scale->valuestring, "linear") == 0);

    for (const cJSON *item = range->child; item; item = item->next)
        if (!is_listed(item->string, NAMES, ARRAY_LEN(NAMES)))
            return false;
    return isfinite(from) && isfinite(to) && (linear || (logarithmic && from > 0 && to > 0)) &&
           steps >= 2 && steps <= RANGE_STEPS_MAX && floor(steps) == steps;
}

/* {"from", "to", "steps", "scale"} as a list of numbers; NULL with a fault. */
static const cJSON *expand_range(const struct reading *reading, const struct axis *axis,
                                 const cJSON *range)
{
    const char *place = place_of(reading->ctx->request->arena, "axes", axis->pointer, -1);
    double from = number_of(range, "from", NAN), to = number_of(range, "to", NAN);
    double steps = number_of(range, "steps", NAN);

    if (!range_is_sound(range, from, to, steps)) {
        fault_add(reading->faults, place, NULL,
                  "a range is {\"from\", \"to\", \"steps\" from 2 to %d, \"scale\": \"linear\" or "
                  "\"log\"}, its ends above 0 where it is logarithmic",
                  RANGE_STEPS_MAX);
        return NULL;
    }
    const cJSON *scale = cJSON_GetObjectItemCaseSensitive(range, "scale");
    bool logarithmic = scale && strcmp(scale->valuestring, "log") == 0;
    cJSON *list = cJSON_CreateArray();
    bool whole = PLAN_FIELDS.rows[axis->row].kind == FIELD_WHOLE;
    double last = NAN;
    for (int i = 0; list && i < (int)steps; i++) {
        double share = i / (steps - 1);
        double value = logarithmic ? from * pow(to / from, share) : from + (to - from) * share;
        value = i == (int)steps - 1 ? to : value;
        value = whole ? round(value) : value;
        if (value != last && !cJSON_AddItemToArray(list, cJSON_CreateNumber(value)))
            return NULL;
        last = value;
    }
    return list;
}

static void read_axis(const struct reading *reading, const cJSON *member)
{
    struct grid *grid = reading->grid;
    struct arena *arena = reading->ctx->request->arena;
    struct axis axis = {.row = field_by_pointer(&PLAN_FIELDS, member->string),
                        .pointer = member->string};
    const char *place = place_of(arena, "axes", member->string, -1);
    const cJSON *list = member;

    if (axis.row < 0) {
        const char *candidates[FIELD_ID_COUNT];
        for (int i = 0; i < FIELD_ID_COUNT; i++)
            candidates[i] = PLAN_FIELDS.rows[i].pointer;
        fault_add(reading->faults, place, fault_nearest(member->string, candidates, FIELD_ID_COUNT),
                  "an axis is the pointer of a field of a plan request");
        return;
    }
    for (int i = 0; i < grid->n_axes; i++)
        if (grid->axes[i].row == axis.row) {
            fault_add(reading->faults, place, NULL, "given twice");
            return;
        }
    if (grid->n_axes == GRID_AXES_MAX) {
        fault_add(reading->faults, place, NULL, "a sweep has at most %d axes", GRID_AXES_MAX);
        return;
    }
    if (cJSON_IsObject(member))
        list = expand_range(reading, &axis, member);
    else if (!cJSON_IsArray(member) || !member->child)
        fault_add(reading->faults, place, NULL,
                  "expected a list of values, or a range {\"from\", \"to\", \"steps\", \"scale\"}");
    if (!list || !cJSON_IsArray(list) || !list->child)
        return;
    axis.n = cJSON_GetArraySize(list);
    struct axis_value *values = arena_alloc(arena, (size_t)axis.n * sizeof(*values));
    axis.values = values;
    for (const cJSON *item = list->child; values && item; item = item->next)
        take_value(reading, &axis, item, values++);
    if (axis.values)
        grid->axes[grid->n_axes++] = axis;
}

static void read_axes(const struct reading *reading, const cJSON *axes)
{
    struct grid *grid = reading->grid;
    double points = 1;

    if (!axes || !cJSON_IsObject(axes) || !axes->child) {
        fault_add(reading->faults, "/axes", NULL,
                  "required: an object of lists, {\"/workload/concurrency\": [1, 2, 4]}");
        return;
    }
    for (const cJSON *member = axes->child; member; member = member->next)
        read_axis(reading, member);
    for (int i = 0; i < grid->n_axes; i++)
        points *= grid->axes[i].n;
    if (points > SWEEP_POINTS_MAX)
        fault_add(reading->faults, "/axes", NULL, "%.9g points are more than the %d of one sweep",
                  points, SWEEP_POINTS_MAX);
    grid->n_points = points > SWEEP_POINTS_MAX ? 0 : (long)points;
}

static void add_column(const struct reading *reading, const char *place, const char *name)
{
    struct grid *grid = reading->grid;

    for (int i = 0; i < grid->n_columns; i++)
        if (strcmp(grid->columns[i].name, name) == 0) {
            fault_add(reading->faults, place, NULL, "given twice");
            return;
        }
    if (grid->n_columns == GRID_COLUMNS_MAX)
        fault_add(reading->faults, place, NULL, "a sweep has at most %d columns", GRID_COLUMNS_MAX);
    else if (column_find(reading->faults, place, name, &grid->columns[grid->n_columns]))
        grid->n_columns++;
}

static void read_columns(const struct reading *reading, const cJSON *columns)
{
    struct arena *arena = reading->ctx->request->arena;
    int index = 0;

    if (!columns || cJSON_IsNull(columns)) {
        for (size_t i = 0; i < ARRAY_LEN(DEFAULT_COLUMNS); i++)
            add_column(reading, "/columns", DEFAULT_COLUMNS[i]);
        return;
    }
    if (!cJSON_IsArray(columns) || !columns->child) {
        fault_add(reading->faults, "/columns", NULL, "expected a list of names of columns");
        return;
    }
    for (const cJSON *item = columns->child; item; item = item->next, index++) {
        const char *place = arena_printf(arena, "/columns/%d", index);
        if (!place)
            place = "/columns";
        if (cJSON_IsString(item))
            add_column(reading, place, item->valuestring);
        else
            fault_add(reading->faults, place, NULL, "expected the name of a column");
    }
}

static void read_replay(const struct reading *reading, const cJSON *replay)
{
    struct grid *grid = reading->grid;

    for (int i = 0; i < grid->n_columns; i++) {
        enum plan_depth depth = column_depth(&grid->columns[i]);
        grid->depth = depth > grid->depth ? depth : grid->depth;
    }
    grid->replays = grid->depth != PLAN_BARE || grid->n_points <= SWEEP_REPLAY_POINTS;
    if (replay && !cJSON_IsBool(replay) && !cJSON_IsNull(replay)) {
        fault_add(reading->faults, "/replay", NULL, "expected true or false");
        return;
    }
    if (cJSON_IsBool(replay))
        grid->replays = cJSON_IsTrue(replay);
    if (!grid->replays && grid->depth != PLAN_BARE)
        fault_add(reading->faults, "/replay", NULL,
                  "the columns max_request_rate, first_cure and first_cure_gain need a replay");
    if (grid->replays && grid->depth == PLAN_BARE)
        grid->depth = PLAN_CHECK;
    if (grid->replays && grid->n_points > SWEEP_REPLAY_POINTS_MAX)
        fault_add(reading->faults, "/replay", NULL,
                  "%ld points are more than the %d that one sweep replays", grid->n_points,
                  SWEEP_REPLAY_POINTS_MAX);
}

/* What every point shares; leaves that are axes need not be there. */
static void read_base(const struct reading *reading, const cJSON *base)
{
    struct intake intake = intake_of(reading, "/base");
    struct grid *grid = reading->grid;

    if (cJSON_IsNull(base))
        base = NULL;
    if (base && !cJSON_IsObject(base)) {
        fault_add(reading->faults, "/base", NULL,
                  "expected an object: a deployment as /v1/plan takes it");
        return;
    }
    described_init(&grid->base.described, reading->ctx->request->arena);
    int before = reading->faults->n;
    if (base)
        plan_request_read_json(&intake, base, &grid->base);
    bool readable = reading->faults->n == before;

    static const enum field_id REQUIRED[] = {FIELD_ID_MODEL, FIELD_ID_HARDWARE};

    for (size_t i = 0; readable && i < ARRAY_LEN(REQUIRED); i++) {
        bool given = grid->base.given[REQUIRED[i]];
        for (int k = 0; k < grid->n_axes; k++)
            given = given || grid->axes[k].row == (int)REQUIRED[i] ||
                    PLAN_FIELDS.rows[grid->axes[k].row].describes;
        const char *pointer = PLAN_FIELDS.rows[REQUIRED[i]].pointer;
        if (!given)
            fault_add(reading->faults,
                      arena_printf(reading->ctx->request->arena, "/base%s", pointer), NULL,
                      "required, here or as an axis: %s", PLAN_FIELDS.rows[REQUIRED[i]].doc);
    }
}

bool grid_read(struct context *ctx, struct faults *faults, const char *const *own, int n_own,
               struct grid *grid)
{
    static const char *const MEMBERS[] = {"base", "axes", "columns", "replay"};
    const struct reading reading = {ctx, faults, grid};
    const cJSON *body = body_json(ctx);

    if (!body)
        return false;
    plan_body_refuse_leaves(ctx->request, own, n_own, faults);
    grid->catalogue = ctx->catalogue;
    if (cJSON_IsObject(body)) {
        body_refuse_members(ctx->request->arena, faults, body, "", MEMBERS, (int)ARRAY_LEN(MEMBERS),
                            "unknown member of a sweep");
        read_axes(&reading, cJSON_GetObjectItemCaseSensitive(body, "axes"));
        read_base(&reading, cJSON_GetObjectItemCaseSensitive(body, "base"));
        read_columns(&reading, cJSON_GetObjectItemCaseSensitive(body, "columns"));
        read_replay(&reading, cJSON_GetObjectItemCaseSensitive(body, "replay"));
    } else {
        fault_add(faults, "", NULL, "expected an object with base, axes and columns");
    }
    if (faults->n == 0)
        return true;
    problem_faults(ctx, faults);
    return false;
}

/* Evaluating ----------------------------------------------------------------------------------- */

struct grid_worker {
    const struct grid *grid;
    struct arena *arena;
    struct faults faults;
    int at[GRID_AXES_MAX]; /* the point that the levels stand at; -1 = none yet */
    struct plan_request levels[GRID_AXES_MAX + 1]; /* [k]: the base with the first k axes set */
    struct plan_request request;
    struct plan_keeper *kept;
    struct nearness_keeper *near;
    struct check refusal; /* why no engine starts the deployment that the keepers turned to */
    bool refused;
    struct plan plan;
};

int grid_index(const struct grid *grid, long point, int axis)
{
    for (int i = grid->n_axes - 1; i > axis; i--)
        point /= grid->axes[i].n;
    return (int)(point % grid->axes[axis].n);
}

struct grid_worker *grid_worker_new(const struct grid *grid)
{
    struct grid_worker *worker = calloc(1, sizeof(*worker));

    if (!worker)
        return NULL;
    worker->grid = grid;
    worker->arena = arena_new(REQUEST_ARENA_MAX);
    worker->kept = calloc(1, sizeof(*worker->kept));
    worker->near = nearness_keeper_new(grid->catalogue);
    worker->levels[0] = grid->base;
    worker->at[0] = -1;
    if (worker->arena && worker->kept && worker->near)
        return worker;
    grid_worker_free(worker);
    return NULL;
}

void grid_worker_free(struct grid_worker *worker)
{
    if (!worker)
        return;
    arena_free(worker->arena);
    nearness_keeper_free(worker->near);
    free(worker->kept);
    free(worker);
}

static bool describes(const struct grid *grid, int axis)
{
    return PLAN_FIELDS.rows[grid->axes[axis].row].describes;
}

/* What was read of a text lies in the arena, and so may what the keepers compare by. */
void grid_worker_reset(struct grid_worker *worker)
{
    arena_reset(worker->arena);
    worker->at[0] = -1;
    for (int i = 0; i < worker->grid->n_axes; i++)
        worker->kept->holds = worker->kept->holds && !describes(worker->grid, i);
}

/* Whether a text will be read that is not the one of the point before. */
static bool reads_text(const struct grid_worker *worker, long point)
{
    const struct grid *grid = worker->grid;
    bool reads = false, turned = worker->at[0] < 0;

    for (int i = 0; i < grid->n_axes; i++) {
        turned = turned || grid_index(grid, point, i) != worker->at[i];
        reads = reads || (turned && describes(grid, i));
    }
    return reads;
}

/* Brings the levels to a point: those behind the first axis that turned are made anew. */
static bool move_to(struct grid_worker *worker, const struct intake *intake, long point)
{
    const struct grid *grid = worker->grid;
    int index[GRID_AXES_MAX], first = 0;

    for (int i = grid->n_axes - 1; i >= 0; i--) {
        index[i] = (int)(point % grid->axes[i].n);
        point /= grid->axes[i].n;
    }
    while (worker->at[0] >= 0 && first < grid->n_axes && index[first] == worker->at[first])
        first++;
    for (int i = first; i < grid->n_axes; i++) {
        const struct axis *axis = &grid->axes[i];
        worker->levels[i + 1] = worker->levels[i];
        worker->at[0] = -1;
        if (!set_leaf(intake, &worker->levels[i + 1], axis->row, axis->values[index[i]].json))
            return false;
    }
    memcpy(worker->at, index, sizeof(index));
    return true;
}

static const char *fault_text(struct grid_worker *worker)
{
    const struct fault *fault = &worker->faults.items[0];
    const char *text = worker->faults.n == 0
                           ? "these leaves do not go together"
                           : arena_printf(worker->arena, "%s: %s", fault->pointer, fault->detail);
    return text ? text : "these leaves do not go together";
}

/* Why no engine starts this shape. */
static const char *refusal_text(struct grid_worker *worker)
{
    struct phrase phrase;

    check_sentence(&worker->refusal, &phrase);
    const char *text = arena_copy(worker->arena, phrase_text(&phrase), phrase.length);
    return text ? text : check_info(worker->refusal.id)->title;
}

/* Plans the resolved request; NULL, or why there is no plan. */
static const char *plan_point(struct grid_worker *worker)
{
    struct problem *problem = &worker->request.problem;

    if (!plan_keeper_turn(worker->kept, problem)) {
        nearness_keeper_turn(worker->near, problem);
        worker->refused = check_shape_refused(problem, &worker->refusal);
    }
    if (worker->refused)
        return refusal_text(worker);
    nearness_find_kept(worker->near, problem, &problem->near);
    plan_compute_kept(worker->kept, problem, worker->grid->depth, &worker->plan);
    return NULL;
}

const char *grid_point(struct grid_worker *worker, long point, union cell *ret_cells)
{
    const struct grid *grid = worker->grid;
    const struct intake intake = {grid->catalogue, worker->arena, &worker->faults, ""};

    if (reads_text(worker, point))
        grid_worker_reset(worker); /* texts may be long */
    faults_init(&worker->faults, worker->arena);
    bool good = move_to(worker, &intake, point);
    if (good) {
        worker->request = worker->levels[grid->n_axes];
        described_init(&worker->request.described, worker->arena);
        good = plan_request_resolve(&intake, &worker->request);
    }
    const char *why = good ? plan_point(worker) : fault_text(worker);
    for (int i = 0; i < grid->n_columns; i++)
        ret_cells[i] =
            why ? column_nothing(&grid->columns[i]) : column_cell(&grid->columns[i], &worker->plan);
    return why;
}
