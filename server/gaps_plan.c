#include "gaps_plan.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "gaps_text.h"
#include "gaps_width.h"
#include "json_member.h"
#include "store.h"

#define LINKS_MAX 64
/* A class below this share of its step is no gap of the plan. */
#define SHARE_MIN 0.01

/* Bits: 1 << class, 1 << cure. */
struct gap_link {
    char *id, *question;
    uint64_t classes, cures;
    double input_tokens_min; /* INFINITY = the length does not matter */
    bool no_fit;
    atomic_bool closed; /* it was answered after it was loaded */
};

struct gap_links {
    struct gap_link items[LINKS_MAX];
    int n;
};

_Static_assert(CLASS_COUNT <= 64 && CURES_MAX <= 64, "classes and cures are bits of a word");

/* ---- loading ---- */

/* Whether the list holds that text. */
static bool holds(const cJSON *list, const char *text)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list)
    {
        if (cJSON_IsString(item) && strcmp(item->valuestring, text) == 0) {
            return true;
        }
    }
    return false;
}

static void link_read(const cJSON *touches, struct gap_link *ret_link)
{
    const cJSON *min = json_member(touches, "input_tokens_min");
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (holds(json_member(touches, "classes"), class_name((enum class_id)i))) {
            ret_link->classes |= UINT64_C(1) << i;
        }
    }
    for (int i = 0; cure_info(i); i++) {
        if (holds(json_member(touches, "cures"), cure_info(i)->id)) {
            ret_link->cures |= UINT64_C(1) << i;
        }
    }
    ret_link->input_tokens_min = INFINITY;
    if (min && cJSON_IsNumber(min)) {
        ret_link->input_tokens_min = min->valuedouble;
    }
    ret_link->no_fit = cJSON_IsTrue(json_member(touches, "no_fit"));
}

/* A row (id, question, doc) of a gap that is open. */
static void link_add(struct gap_links *links, sqlite3_stmt *row)
{
    const char *id = (const char *)sqlite3_column_text(row, 0);
    const char *question = (const char *)sqlite3_column_text(row, 1);
    const char *doc = (const char *)sqlite3_column_text(row, 2);
    cJSON *gap = doc ? cJSON_Parse(doc) : NULL;
    const cJSON *touches = json_member(gap, "touches");
    struct gap_link link = {.id = NULL};
    if (touches && id && question && links->n < LINKS_MAX) {
        link_read(touches, &link);
        link.id = strdup(id);
        link.question = strdup(question);
        links->items[links->n++] = link;
    }
    cJSON_Delete(gap);
}

struct gap_links *gap_links_load(struct store *store)
{
    static const char SQL[] = "SELECT g.id, g.question, r.doc FROM gaps g JOIN records r ON r.kind "
                              "= 'gap' AND r.id = g.id WHERE g.status = 'no record' ORDER BY g.id";
    struct gap_links *links = calloc(1, sizeof(*links));
    sqlite3_stmt *row = links ? store_read(store, SQL) : NULL;
    bool whole = links != NULL;
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        link_add(links, row);
    }
    store_done(row);
    for (int i = 0; whole && i < links->n; i++) {
        whole = links->items[i].id && links->items[i].question;
    }
    if (!whole) {
        gap_links_free(links);
        return NULL;
    }
    return links;
}

void gap_links_close(struct gap_links *links, const char *id)
{
    for (int i = 0; links && i < links->n; i++) {
        if (strcmp(links->items[i].id, id) == 0) {
            atomic_store(&links->items[i].closed, true);
        }
    }
}

void gap_links_free(struct gap_links *links)
{
    for (int i = 0; links && i < links->n; i++) {
        free(links->items[i].id);
        free(links->items[i].question);
    }
    free(links);
}

/* ---- one plan ---- */

/* What of the plan a link can meet. */
struct touched {
    uint64_t classes, cures;
    double input_tokens;
    bool no_fit;
};

static uint64_t unmeasured_classes(const struct step *step)
{
    uint64_t bits = 0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct class_cost *cost = &step->classes[i];
        bool unmeasured = cost->basis == BASIS_ASSUMED || cost->basis == BASIS_NO_RECORD;
        if (cost->present && unmeasured && cost->share >= SHARE_MIN) {
            bits |= UINT64_C(1) << i;
        }
    }
    return bits;
}

/* Cures that help here, and those that nobody measured. */
static uint64_t open_cures(const struct plan *plan)
{
    uint64_t bits = 0;
    for (int i = 0; i < plan->n_results; i++) {
        const struct cure_result *result = &plan->results[i];
        if (result->is_cure || !cure_info(result->cure)->anchors[0]) {
            bits |= UINT64_C(1) << result->cure;
        }
    }
    return bits;
}

static void put_gap(struct plan_gaps *gaps, const char *id, const char *question, double asked)
{
    if (id && question && gaps->n < PLAN_GAPS_MAX) {
        gaps->items[gaps->n++] = (struct plan_gap){id, "no record", question, asked};
    }
}

static double asked_of(struct gaps *gaps, const char *id)
{
    struct gap_count count;
    return gaps_count(gaps, id, &count) ? (double)count.asked_before : 0;
}

static void ask_metric(struct gaps *gaps, const struct plan *plan, enum interval_metric metric,
                       struct arena *arena, struct plan_gaps *ret_gaps)
{
    const struct problem *problem = &plan->problem;
    bool known_model = library_model(problem->lib, problem->model->id) == problem->model;
    const struct gap_key key = {
        .model_id = known_model ? problem->model->id : NULL,
        .hardware_id = problem->hw->index >= 0 ? problem->hw->id : NULL,
        .engine_id = problem->dep.engine->id,
        .metric = interval_metric_name(metric),
        .input_tokens = problem->load.input_tokens,
        .concurrency = NAN,
    };
    char *id = arena_alloc_raw(arena, GAP_ID_MAX);
    char memory[GAP_ID_MAX];
    struct gap_key rounded;
    struct gap_count count;
    if (!id || !gap_key_id(&key, id) || !gap_key_parse(id, memory, &rounded)) {
        return;
    }
    gaps_ask(gaps, &key, gap_width_planned(plan, metric));
    (void)gaps_count(gaps, id, &count);
    if (!count.answered) {
        put_gap(ret_gaps, id, gap_question(arena, &rounded), (double)count.asked_before);
    }
}

static bool link_meets(const struct gap_link *link, const struct touched *touched)
{
    return (link->classes & touched->classes) || (link->cures & touched->cures) ||
           touched->input_tokens >= link->input_tokens_min || (link->no_fit && touched->no_fit);
}

static double share_of(const struct step *step, uint64_t classes)
{
    double share = 0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (classes >> i & 1) {
            share += step->classes[i].share;
        }
    }
    return share;
}

static double effect_of(const struct plan *plan, uint64_t cures)
{
    double best = 0;
    for (int i = 0; i < plan->n_results; i++) {
        if (cures >> plan->results[i].cure & 1) {
            best = fmax(best, fabs(plan->results[i].best));
        }
    }
    return fmin(best, 1);
}

/* What an answer to the gap would narrow of this plan (GAP_RANK_FORMULA): by its classes, its
 * cures, the length of the prompt, or all of it. */
static double link_width(const struct gap_link *link, const struct touched *touched,
                         const struct plan *plan)
{
    double tpot = gap_width_planned(plan, INTERVAL_TPOT);
    double ttft = gap_width_planned(plan, INTERVAL_TTFT);
    uint64_t classes = link->classes & touched->classes;
    double width =
        share_of(&plan->decode, classes) * tpot + share_of(&plan->prefill, classes) * ttft;
    width = fmax(width, effect_of(plan, link->cures & touched->cures) * (tpot + ttft));
    if (touched->input_tokens >= link->input_tokens_min) {
        width = fmax(width, ttft);
    }
    return link->no_fit && touched->no_fit ? tpot + ttft : width;
}

void plan_gaps_find(const struct gap_links *links, struct gaps *gaps, const struct plan *plan,
                    const struct plan_answers *answers, struct arena *arena,
                    struct plan_gaps *ret_gaps)
{
    bool no_decode = isnan(plan->decode.expected_us);
    bool no_prefill = isnan(plan->prefill.expected_us);
    const struct touched touched = {
        .classes = unmeasured_classes(&plan->decode) | unmeasured_classes(&plan->prefill),
        .cures = open_cures(plan),
        .input_tokens = plan->problem.load.input_tokens,
        .no_fit = no_decode || no_prefill,
    };
    ret_gaps->n = 0;
    if (no_decode && !(answers && answers->tpot)) {
        ask_metric(gaps, plan, INTERVAL_TPOT, arena, ret_gaps);
    }
    if (no_prefill && !(answers && answers->ttft)) {
        ask_metric(gaps, plan, INTERVAL_TTFT, arena, ret_gaps);
    }
    for (int i = 0; links && i < links->n; i++) {
        const struct gap_link *link = &links->items[i];
        if (!atomic_load_explicit(&link->closed, memory_order_relaxed) &&
            link_meets(link, &touched)) {
            gaps_ask_stated(gaps, link->id, link_width(link, &touched, plan));
            put_gap(ret_gaps, link->id, link->question, asked_of(gaps, link->id));
        }
    }
}

void gaps_render(struct json_out *out, const struct plan_gaps *gaps)
{
    json_begin_array(out);
    for (int i = 0; gaps && i < gaps->n; i++) {
        const struct plan_gap *gap = &gaps->items[i];
        json_begin_object(out);
        json_put_text(out, "id", gap->id);
        json_put_text(out, "status", gap->status);
        json_put_text(out, "question", gap->question);
        json_put_number(out, "asked", gap->asked);
        json_end_object(out);
    }
    json_end_array(out);
}
