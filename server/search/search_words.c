#include "search_words.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* A figure that an objective ranks by: its name, its unit, and whether less is better. */
struct measure {
    const char *what, *unit;
    double (*of)(const struct search_point *point);
    bool less;
};

static double cost_of(const struct search_point *point)
{
    return point->usd_per_million_output_tokens;
}

static double output_of(const struct search_point *point)
{
    return point->output_tok_s;
}

static double e2e_of(const struct search_point *point)
{
    return point->e2e_ms;
}

static double devices_of(const struct search_point *point)
{
    return point->devices;
}

static const struct measure MEASURES[OBJECTIVE_COUNT] = {
    [OBJECTIVE_COST] = {"per million output tokens", "USD", cost_of, true},
    [OBJECTIVE_THROUGHPUT] = {"of output", "tokens/s", output_of, false},
    [OBJECTIVE_LATENCY] = {"for a whole answer", "ms", e2e_of, true},
    [OBJECTIVE_DEVICES] = {"in devices", "devices", devices_of, true},
};

/* "TPOT 21.0 against 18.0 ms" */
static void add_pair(struct phrase *phrase, const char *what, double mine, double other,
                     const char *unit)
{
    phrase_add(phrase, what);
    phrase_number(phrase, mine, 3);
    phrase_add(phrase, " against ");
    phrase_number(phrase, other, 3);
    phrase_add(phrase, " ");
    phrase_add(phrase, unit);
}

/* The class that takes the most more of a decode step than in the other plan; CLASS_COUNT = none.
 */
static enum class_id class_lost_by(const struct step *mine, const struct step *other,
                                   double *ret_more_us)
{
    enum class_id worst = CLASS_COUNT;
    double most = 0.0;

    for (int i = 0; i < CLASS_COUNT; i++) {
        double more = (mine->classes[i].present ? mine->classes[i].time_us : 0.0) -
                      (other->classes[i].present ? other->classes[i].time_us : 0.0);
        if (more > most) {
            most = more;
            worst = (enum class_id)i;
        }
    }
    *ret_more_us = most;
    return worst;
}

/* Why a token takes longer: the class behind it. */
static void add_tpot(const struct search_item *mine, const struct search_item *other,
                     struct phrase *phrase)
{
    double more_us = 0.0;
    enum class_id class = class_lost_by(&mine->plan.decode, &other->plan.decode, &more_us);

    phrase_add(phrase, "; ");
    add_pair(phrase, "TPOT ", mine->point.tpot_ms, other->point.tpot_ms, "ms");
    if (class == CLASS_COUNT)
        return;
    phrase_add(phrase, ", most of it ");
    phrase_add(phrase, class_name(class));
    phrase_add(phrase, " (");
    phrase_time(phrase, more_us);
    phrase_add(phrase, " more of a step)");
}

/* The next figure by which they differ, where the objective's own is the same. */
static void add_tie(const struct search_item *mine, const struct search_item *other,
                    struct phrase *phrase)
{
    const struct search_point *a = &mine->point, *b = &other->point;

    if (a->usd_per_million_output_tokens > b->usd_per_million_output_tokens)
        add_pair(phrase, "", a->usd_per_million_output_tokens, b->usd_per_million_output_tokens,
                 "USD per million output tokens");
    else if (a->e2e_ms > b->e2e_ms)
        add_pair(phrase, "a whole answer takes ", a->e2e_ms, b->e2e_ms, "ms");
    else if (a->output_tok_s < b->output_tok_s)
        add_pair(phrase, "output ", a->output_tok_s, b->output_tok_s, "tokens/s");
    else if (a->devices > b->devices)
        add_pair(phrase, "", a->devices, b->devices, "devices");
    else
        phrase_add(phrase, "more leaves that are not at their default");
}

/* A further figure by which two items differ, behind a semicolon. */
static void add_other(struct phrase *phrase, const char *what, double mine, double other,
                      const char *unit)
{
    if (mine == other || isnan(mine) || isnan(other))
        return;
    phrase_add(phrase, "; ");
    add_pair(phrase, what, mine, other, unit);
}

/* By how much, and what is behind it. */
static void add_reasons(const struct measure *measure, const struct search_item *mine,
                        const struct search_item *other, struct phrase *phrase)
{
    const struct search_point *a = &mine->point, *b = &other->point;

    add_pair(phrase, "", measure->of(a), measure->of(b), measure->unit);
    if (measure->of != devices_of)
        add_other(phrase, "", a->devices, b->devices, "devices");
    add_other(phrase, "", a->usd_per_hour, b->usd_per_hour, "USD per hour");
    if (measure->of != output_of)
        add_other(phrase, "output ", a->output_tok_s, b->output_tok_s, "tokens/s");
    if (a->tpot_ms > b->tpot_ms)
        add_tpot(mine, other, phrase);
    else if (a->ttft_ms > b->ttft_ms)
        add_other(phrase, "TTFT ", a->ttft_ms, b->ttft_ms, "ms");
}

void search_lost_by(const struct search_answer *answer, int item, struct phrase *phrase)
{
    const struct search_item *mine = &answer->items[item], *other = &answer->items[item - 1];
    const struct measure *measure = &MEASURES[answer->space->objective];
    double a = measure->of(&mine->point), b = measure->of(&other->point);
    double worse = measure->less ? a / b - 1.0 : 1.0 - a / b;

    phrase_begin(phrase);
    if (isnan(a) && !isnan(b)) {
        phrase_add(phrase, "its part has no price on record");
        return;
    }
    if (worse > 0.0) {
        phrase_percent(phrase, worse);
        phrase_add(phrase, measure->less ? " more " : " less ");
        phrase_add(phrase, measure->what);
        phrase_add(phrase, ": ");
        add_reasons(measure, mine, other, phrase);
        return;
    }
    phrase_add(phrase, isnan(a) ? "neither has a price on record: " : "the same ");
    if (!isnan(a)) {
        phrase_add(phrase, measure->what);
        phrase_add(phrase, ": ");
    }
    add_tie(mine, other, phrase);
}

void search_price_words(const struct part_price *price, struct phrase *phrase)
{
    phrase_begin(phrase);
    if (price->basis == PRICE_NONE) {
        phrase_add(phrase, "no price of this part is on record");
        return;
    }
    if (price->basis == PRICE_GIVEN) {
        phrase_add(phrase, "the request gives it");
        return;
    }
    phrase_add(phrase, price->basis == PRICE_LISTED
                           ? "median of on-demand list prices per device and hour: "
                           : "no list price is on record; median of marketplace and doubtful "
                             "offers: ");
    phrase_whole(phrase, price->rows);
    phrase_add(phrase, price->rows == 1 ? " row" : " rows");
    if (price->low < price->high) {
        phrase_add(phrase, ", ");
        phrase_plain(phrase, price->low, 4);
        phrase_add(phrase, " to ");
        phrase_plain(phrase, price->high, 4);
    }
}

void search_binding_words(const struct search_item *nearest, struct phrase *phrase)
{
    const struct search_point *point = &nearest->point;
    const struct plan *plan = &nearest->plan;
    const struct slo *slo = &plan->problem.slo;
    const struct memory_plan *memory = &plan->memory;
    enum search_limit limit;
    double by = search_excess(point, &limit);

    phrase_begin(phrase);
    switch (limit) {
    case LIMIT_MEMORY:
        phrase_add(phrase, "a device has ");
        phrase_bytes(phrase, memory->usable_bytes);
        phrase_add(phrase, " for weights of ");
        phrase_bytes(phrase, memory->weights_bytes);
        phrase_add(phrase, ", activations, overhead and one request");
        break;
    case LIMIT_LENGTH:
        add_pair(phrase, "a request has ",
                 plan->problem.load.input_tokens + plan->problem.load.output_tokens,
                 plan->problem.dep.max_model_len, "tokens");
        break;
    case LIMIT_TTFT:
        add_pair(phrase, "time to first token ", point->ttft_ms, slo->ttft_ms, "ms");
        break;
    case LIMIT_TPOT:
        add_pair(phrase, "time per output token ", point->tpot_ms, slo->tpot_ms, "ms");
        break;
    case LIMIT_OUTPUT:
        add_pair(phrase, "output ", point->output_tok_s, slo->output_tok_s, "tokens/s");
        break;
    case LIMIT_RATE:
        add_pair(phrase, "finishes ", plan->requests_s.expected, plan->problem.load.request_rate,
                 "requests/s");
        break;
    case LIMIT_COUNT:
        break;
    }
    phrase_add(phrase, ": ");
    phrase_percent(phrase, by);
    phrase_add(phrase, " beyond, at the nearest candidate");
}

/* "tp 4" where it is not 1. */
static void add_ways(struct phrase *phrase, const char *name, double ways)
{
    if (!(ways > 1.0))
        return;
    phrase_add(phrase, ", ");
    phrase_add(phrase, name);
    phrase_add(phrase, " ");
    phrase_plain(phrase, ways, 6);
}

void search_deployment_words(const struct plan_request *request, struct phrase *phrase)
{
    const struct problem *problem = &request->problem;
    const struct deployment *dep = &problem->dep;

    phrase_begin(phrase);
    phrase_add(phrase, problem->model->id);
    phrase_add(phrase, " on ");
    phrase_plain(phrase, search_devices(dep), 6);
    phrase_add(phrase, " x ");
    phrase_add(phrase, problem->hw->id);
    phrase_add(phrase, ": ");
    phrase_add(phrase, dep->engine->id);
    phrase_add(phrase, ", ");
    phrase_add(phrase, dep->weights->id);
    phrase_add(phrase, ", KV ");
    phrase_add(phrase, dep->kv_cache->id);
    add_ways(phrase, "tp", dep->tp);
    add_ways(phrase, "pp", dep->pp);
    add_ways(phrase, "dp", dep->dp);
    add_ways(phrase, "ep", dep->ep);
    add_ways(phrase, "replicas", dep->replicas);
    if (dep->disaggregated)
        add_ways(phrase, "prefill on", dep->disagg_prefill_devices + 1e-9);
    if (dep->spec_method != SPEC_NONE)
        phrase_add(phrase, ", drafts");
    if (request->given[FIELD_ID_CHUNKED_PREFILL])
        add_ways(phrase, "chunks of", dep->chunked_prefill_tokens);
    if (request->given[FIELD_ID_MAX_NUM_SEQS])
        add_ways(phrase, "slots", dep->max_num_seqs);
}
