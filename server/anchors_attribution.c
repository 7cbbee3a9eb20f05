#include "anchors_attribution.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "plan_request.h"
#include "prepare.h"
#include "step.h"
#include "store.h"
#include "units.h"

#define PARTS_MAX 24
#define ARGUMENTS_OF_PLAN_MAX 12

/* A part of the measured step and what the planner makes of its classes. */
struct part_share {
    const char *label, *classes;
    double measured, planned;
};

struct shares {
    struct part_share parts[PARTS_MAX];
    int n;
};

/* ---- what was measured ---- */

static void read_shares(struct context *ctx, const char *id, struct shares *ret_shares)
{
    struct arena *arena = ctx->request->arena;
    sqlite3_stmt *row =
        store_read(app_store(ctx->app), "SELECT label, classes, share FROM anchor_shares WHERE "
                                        "anchor_id = ?1 ORDER BY position");
    ret_shares->n = 0;
    if (row && sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC) == SQLITE_OK) {
        while (ret_shares->n < PARTS_MAX && sqlite3_step(row) == SQLITE_ROW) {
            const char *label = (const char *)sqlite3_column_text(row, 0);
            const char *classes = (const char *)sqlite3_column_text(row, 1);
            ret_shares->parts[ret_shares->n++] = (struct part_share){
                .label = label ? arena_copy(arena, label, strlen(label)) : "",
                .classes = classes ? arena_copy(arena, classes, strlen(classes)) : "",
                .measured = sqlite3_column_double(row, 2),
            };
        }
    }
    store_done(row);
}

/* ---- what the planner makes of it ---- */

struct arguments {
    struct argument items[ARGUMENTS_OF_PLAN_MAX];
    int n;
};

static void add_text(struct arguments *arguments, const char *name, const char *value)
{
    if (value) {
        arguments->items[arguments->n++] = (struct argument){name, value};
    }
}

static void add_number(struct arena *arena, struct arguments *arguments, const char *name,
                       double value)
{
    if (value > 0.0) {
        add_text(arguments, name, arena_printf(arena, "%.10g", value));
    }
}

/* The deployment of the anchor, everything else at its default. */
static bool resolve_problem(struct context *ctx, int anchor, struct plan_request *request)
{
    const struct anchor_index *index = &ctx->catalogue->anchors;
    const struct anchor_point *point = &index->points[anchor];
    const struct library *lib = &ctx->catalogue->lib;
    struct arena *arena = ctx->request->arena;
    struct arguments arguments = {.n = 0};
    struct faults faults;
    faults_init(&faults, arena);
    add_text(&arguments, "model", lib->models[point->model].id);
    add_text(&arguments, "hardware", lib->hardware[point->hardware].id);
    add_text(&arguments, "engine", point->engine >= 0 ? lib->engines[point->engine].id : "vllm");
    add_text(&arguments, "weights",
             point->weights >= 0 ? lib->weight_formats[point->weights].id : NULL);
    add_text(&arguments, "kv_cache",
             point->kv_cache >= 0 ? lib->kv_formats[point->kv_cache].id : NULL);
    add_number(arena, &arguments, "tp", anchor_number(index, anchor, CONDITION_TP));
    add_number(arena, &arguments, "concurrency", anchor_number(index, anchor, CONDITION_BATCH));
    add_number(arena, &arguments, "input_tokens", anchor_number(index, anchor, CONDITION_DEPTH));
    const struct intake intake = {ctx->catalogue, arena, &faults, "?"};
    plan_request_read_query(&intake, arguments.items, arguments.n, NULL, 0, request);
    return plan_request_resolve(&intake, request);
}

/* Whether a class is one of "dense_gemm+lm_head". */
static bool holds_class(const char *classes, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = classes; *at;) {
        size_t word = strcspn(at, "+");
        if (word == length && memcmp(at, name, length) == 0) {
            return true;
        }
        at += word + (at[word] == '+');
    }
    return false;
}

/* Sums the step's device and link classes by part; returns the class with the most time. */
static enum class_id plan_shares(const struct step *step, struct shares *shares)
{
    double total = 0.0;
    enum class_id most = CLASS_DENSE_GEMM;
    for (int i = 0; i < CLASS_COUNT; i++) {
        enum class_id id = (enum class_id)i;
        const struct class_cost *cost = &step->classes[i];
        if (!cost->present || class_info(id)->pass == PASS_HOST) {
            continue;
        }
        total += cost->time_us;
        most = cost->time_us > step->classes[most].time_us ? id : most;
        for (int j = 0; j < shares->n; j++) {
            if (holds_class(shares->parts[j].classes, class_name(id))) {
                shares->parts[j].planned += cost->time_us;
                break;
            }
        }
    }
    for (int j = 0; j < shares->n && total > 0.0; j++) {
        shares->parts[j].planned /= total;
    }
    return most;
}

/* Parts of the same classes are one: shares of split kernels are compared by their sum. */
static double share_of(const struct shares *shares, const char *classes, bool planned)
{
    double sum = 0.0;
    for (int i = 0; i < shares->n; i++) {
        if (strcmp(shares->parts[i].classes, classes) == 0) {
            sum += planned ? shares->parts[i].planned : shares->parts[i].measured;
        }
    }
    return sum;
}

static const char *largest_part(const struct shares *shares, bool planned)
{
    const char *classes = "";
    double most = -1.0;
    for (int i = 0; i < shares->n; i++) {
        double share = share_of(shares, shares->parts[i].classes, planned);
        if (share > most) {
            most = share;
            classes = shares->parts[i].classes;
        }
    }
    return classes;
}

static void put_parts(struct json_out *out, const struct shares *shares)
{
    json_key(out, "parts");
    json_begin_array(out);
    for (int i = 0; i < shares->n; i++) {
        const char *classes = shares->parts[i].classes;
        bool first = true;
        for (int j = 0; j < i; j++) {
            first = first && strcmp(shares->parts[j].classes, classes) != 0;
        }
        if (!first) {
            continue;
        }
        json_begin_object(out);
        json_put_text(out, "label", shares->parts[i].label);
        json_put_text(out, "classes", classes);
        json_put_number(out, "measured", share_of(shares, classes, false));
        json_put_number(out, "planned", share_of(shares, classes, true));
        json_end_object(out);
    }
    json_end_array(out);
}

/* The phase that the record says its step is of, "decode" where it says none. */
static const char *phase_of(struct context *ctx, const char *id)
{
    struct arena *arena = ctx->request->arena;
    sqlite3_stmt *row = store_read(app_store(ctx->app),
                                   "SELECT json_extract(doc, '$.conditions.phase') FROM records "
                                   "WHERE kind = 'anchor' AND id = ?1");
    const char *phase = NULL;

    if (row && sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(row, 0);
        phase = text ? arena_copy(arena, text, strlen(text)) : NULL;
    }
    store_done(row);
    return phase ? phase : "decode";
}

/* The step of the phase at that batch and depth; false for a phase that is no step of its own. A
 * prefill of several prompts takes as many times that of one. */
static bool plan_phase(const char *phase, const struct prepared *prep, double batch, double depth,
                       struct step *ret_step, double *ret_times)
{
    *ret_times = 1;
    if (strcmp(phase, "decode") == 0) {
        step_decode(prep, batch, depth, ret_step);
        return true;
    }
    if (strcmp(phase, "prefill") != 0) {
        return false;
    }
    step_prefill(prep, depth, 0, ret_step);
    *ret_times = batch;
    return true;
}

void anchor_put_planned(struct context *ctx, struct json_out *out, int anchor)
{
    const struct anchor_index *index = &ctx->catalogue->anchors;
    const struct anchor_point *point = &index->points[anchor];
    struct arena *arena = ctx->request->arena;
    double batch = anchor_number(index, anchor, CONDITION_BATCH);
    double depth = anchor_number(index, anchor, CONDITION_DEPTH);
    struct shares *shares = arena_alloc(arena, sizeof(*shares));
    struct plan_request *request = arena_alloc(arena, sizeof(*request));
    struct prepared *prep = arena_alloc_raw(arena, sizeof(*prep));
    struct step *step = arena_alloc_raw(arena, sizeof(*step));
    bool known = index->kinds[anchor] == ANCHOR_ATTRIBUTION && point->model >= 0 &&
                 point->hardware >= 0 && batch > 0.0 && depth > 0.0;
    if (!known || !shares || !request || !prep || !step || !resolve_problem(ctx, anchor, request)) {
        return;
    }
    read_shares(ctx, index->ids[anchor], shares);
    prepare(&request->problem, NULL, prep);
    double times;
    if (!plan_phase(phase_of(ctx, index->ids[anchor]), prep, batch, depth, step, &times)) {
        return;
    }
    enum class_id most = plan_shares(step, shares);
    json_key(out, "planned");
    json_begin_object(out);
    json_put_number(out, "step_ms", times * step->time_us / US_PER_MS);
    json_put_text(out, "dominant_class", class_name(most));
    json_put_bool(out, "agrees",
                  strcmp(largest_part(shares, false), largest_part(shares, true)) == 0);
    put_parts(out, shares);
    json_end_object(out);
}
