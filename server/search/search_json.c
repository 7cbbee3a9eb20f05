/*
 * search_json.c - a search's answer as JSON.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "load.h"
#include "plan_json.h"
#include "request_json.h"
#include "request_query.h"
#include "search_answer.h"
#include "search_words.h"
#include "verdict.h"

/* A path and query that every client and proxy takes. */
#define LINK_MAX 2000
#define LINK_ROOM 16384
#define TOKENS_PER_MILLION 1e6
#define SECONDS_PER_HOUR 3600.0

static void put_phrase(struct json_out *out, const char *name, struct phrase *phrase)
{
    json_put_text(out, name, phrase_text(phrase));
}

/* The request --------------------------------------------------------------------------------- */

static void write_list(struct json_out *out, const struct space_list *list, bool whole)
{
    json_begin_array(out);
    for (int i = 0; i < list->n; i++) {
        if (whole)
            json_number(out, list->values[i].number);
        else if (list->values[i].json)
            request_json_tree(out, list->values[i].json);
        else
            json_null(out);
    }
    json_end_array(out);
}

static void write_devices(struct json_out *out, const struct space_devices *devices)
{
    json_key(out, "devices");
    if (devices->list) {
        json_begin_array(out);
        for (int i = 0; i < devices->n; i++)
            json_number(out, devices->list[i]);
        json_end_array(out);
        return;
    }
    json_begin_object(out);
    json_put_number(out, "min", devices->least);
    json_put_number(out, "max", devices->most);
    json_end_object(out);
}

/* Leaves of a section that are given or defaults of a workload. */
static void write_leaves(struct json_out *out, const struct plan_request *request,
                         enum section_id section, bool assumed)
{
    const struct field_section *part = &PLAN_FIELDS.sections[section];

    json_begin_object(out);
    for (int i = part->first; i < part->first + part->n; i++) {
        if (!request->given[i] && !(assumed && request->assumed[i]))
            continue;
        json_key(out, PLAN_FIELDS.rows[i].name);
        request_json_leaf(out, request, (enum field_id)i);
    }
    json_end_object(out);
}

/* The request of any candidate that was planned: its workload has the defaults in. */
static const struct plan_request *any_request(const struct search_answer *answer)
{
    if (answer->n_items > 0)
        return &answer->items[0].request;
    return answer->nearest ? &answer->nearest->request : &answer->space->base;
}

static void write_request(struct json_out *out, const struct search_answer *answer)
{
    const struct space *space = answer->space;
    const struct plan_request *request = any_request(answer);

    json_key(out, "request");
    json_begin_object(out);
    json_key(out, "models");
    write_list(out, &space->lists[SPACE_MODEL], false);
    json_key(out, "workload");
    write_leaves(out, request, SECTION_WORKLOAD, true);
    json_key(out, "slo");
    write_leaves(out, request, SECTION_SLO, false);
    json_key(out, "deployment");
    write_leaves(out, &space->base, SECTION_DEPLOYMENT, false);
    json_key(out, "space");
    json_begin_object(out);
    write_devices(out, &space->devices);
    for (int i = SPACE_HARDWARE; i < SPACE_COUNT; i++) {
        const struct space_list *list = &space->lists[i];
        bool fixed = space->base.given[SPACE_ROWS[i].field];
        if (!list->given || fixed)
            continue;
        json_key(out, SPACE_ROWS[i].name);
        write_list(out, list, SPACE_ROWS[i].whole_from >= 0);
    }
    json_end_object(out);
    json_put_text(out, "objective", search_objective_name(space->objective));
    json_put_number(out, "limit", space->limit);
    json_end_object(out);
}

/* Dimensions that the request left to their defaults. */
static void write_assumed(struct json_out *out, const struct search_answer *answer)
{
    const struct plan_request *request = any_request(answer);
    const struct field_section *load = &PLAN_FIELDS.sections[SECTION_WORKLOAD];

    json_key(out, "assumed");
    json_begin_array(out);
    for (int i = SPACE_ENGINE; i < SPACE_COUNT; i++) {
        if (answer->space->lists[i].given)
            continue;
        json_begin_object(out);
        json_put_text(out, "pointer", arena_printf(answer->arena, "/space/%s", SPACE_ROWS[i].name));
        json_put_text(out, "rule", SPACE_ROWS[i].doc);
        json_end_object(out);
    }
    for (int i = load->first; i < load->first + load->n; i++) {
        if (!request->assumed[i])
            continue;
        json_begin_object(out);
        json_put_text(out, "pointer", PLAN_FIELDS.rows[i].pointer);
        json_put_text(out, "rule", PLAN_FIELDS.rows[i].doc);
        json_end_object(out);
    }
    json_end_array(out);
}

static void write_candidates(struct json_out *out, const struct search_answer *answer)
{
    const struct search_found *found = answer->found;

    json_key(out, "candidates");
    json_begin_object(out);
    json_put_number(out, "total", (double)answer->space->n_candidates + answer->space->n_dropped);
    json_key(out, "filtered");
    json_begin_object(out);
    if (answer->space->n_dropped > 0)
        json_put_number(out, "devices", answer->space->n_dropped);
    for (int i = 0; i < FILTER_COUNT; i++)
        if (found->filtered[i] > 0)
            json_put_number(out, search_filter_name(i), (double)found->filtered[i]);
    json_end_object(out);
    json_put_number(out, "planned", (double)found->planned);
    json_put_number(out, "feasible", (double)found->tally.feasible);
    json_end_object(out);
}

/* An item ------------------------------------------------------------------------------------- */

/* Leaves that are shown whether or not they were set: the formats and the layout. */
static bool is_always_shown(enum field_id id)
{
    static const enum field_id ALWAYS[] = {FIELD_ID_ENGINE,  FIELD_ID_ENGINE_VERSION,
                                           FIELD_ID_WEIGHTS, FIELD_ID_KV_CACHE,
                                           FIELD_ID_TP,      FIELD_ID_PP,
                                           FIELD_ID_DP,      FIELD_ID_EP,
                                           FIELD_ID_REPLICAS};

    for (size_t i = 0; i < ARRAY_LEN(ALWAYS); i++)
        if (ALWAYS[i] == id)
            return true;
    return false;
}

/* Writes the shown leaves of a section, in an object of its own where it has any. */
static void write_shown(struct json_out *out, const struct plan_request *request, int section)
{
    const struct field_section *part = &PLAN_FIELDS.sections[section];
    bool inner = section != SECTION_DEPLOYMENT, opened = false;

    for (int i = part->first; i < part->first + part->n; i++) {
        if (!request->given[i] && !is_always_shown((enum field_id)i))
            continue;
        if (inner && !opened) {
            json_key(out, part->name);
            json_begin_object(out);
            opened = true;
        }
        json_key(out, PLAN_FIELDS.rows[i].name);
        request_json_leaf(out, request, (enum field_id)i);
    }
    if (opened)
        json_end_object(out);
}

/* The leaves that make a deployment, as a plan takes them. */
static void write_deployment(struct json_out *out, const struct plan_request *request)
{
    json_key(out, "deployment");
    json_begin_object(out);
    for (int section = SECTION_DEPLOYMENT; section < SECTION_WORKLOAD; section++)
        write_shown(out, request, section);
    json_end_object(out);
}

static void write_head(struct json_out *out, const struct plan_request *request,
                       const struct search_point *point)
{
    json_put_text(out, "model", request->problem.model->id);
    json_put_text(out, "hardware", request->problem.hw->id);
    json_put_number(out, "devices", point->devices);
    json_put_text(out, "engine", request->problem.dep.engine->id);
}

static void write_memory(struct json_out *out, const struct plan *plan)
{
    const struct memory_plan *memory = &plan->memory;

    json_key(out, "memory");
    json_begin_object(out);
    json_put_bool(out, "fits", memory->fits);
    json_put_number(out, "kv_token_capacity", memory->kv_token_capacity);
    json_put_number(out, "max_concurrency", memory->max_concurrency);
    json_key(out, "per_device");
    json_begin_object(out);
    json_put_number(out, "total_bytes", memory->total_bytes);
    json_put_number(out, "usable_bytes", memory->usable_bytes);
    json_put_number(out, "weights_bytes", memory->weights_bytes);
    json_put_number(out, "kv_bytes", memory->kv_bytes);
    json_put_number(out, "activation_bytes", memory->activation_bytes);
    json_put_number(out, "overhead_bytes", memory->overhead_bytes);
    json_end_object(out);
    json_end_object(out);
}

static void write_price(struct json_out *out, const struct part_price *price)
{
    struct phrase phrase;

    search_price_words(price, &phrase);
    json_key(out, "price");
    json_begin_object(out);
    json_put_number(out, "usd_per_device_hour", price->usd_per_device_hour);
    put_phrase(out, "source", &phrase);
    json_put_text(out, "date", price->newest);
    json_put_number(out, "rows", price->rows);
    json_put_number(out, "low", price->low);
    json_put_number(out, "high", price->high);
    json_end_object(out);
}

static void write_cost(struct json_out *out, const struct space *space,
                       const struct search_item *item)
{
    const struct part_price price = space_price(space, item->request.problem.hw);
    const struct workload *load = &item->plan.problem.load;
    const struct search_point *point = &item->point;
    double tokens = load_mean_input(load) + load_mean_output(load);
    double tokens_hour = item->plan.requests_s.expected * tokens * SECONDS_PER_HOUR;

    json_key(out, "cost");
    json_begin_object(out);
    json_put_number(out, "usd_per_hour", point->usd_per_hour);
    json_put_number(out, "usd_per_million_output_tokens", point->usd_per_million_output_tokens);
    json_put_number(out, "usd_per_million_tokens",
                    point->usd_per_hour / tokens_hour * TOKENS_PER_MILLION);
    json_put_text(out, "basis", price_basis_name(price.basis));
    write_price(out, &price);
    json_end_object(out);
}

/* No part draws more than its TDP for long: an upper bound of the devices alone. */
static void write_energy(struct json_out *out, const struct search_item *item)
{
    double tdp = item->plan.problem.hw->tdp_w;
    double watts = tdp > 0.0 ? tdp * item->point.devices : (double)NAN;

    json_key(out, "energy");
    json_begin_object(out);
    json_put_number(out, "upper_bound_w", watts);
    json_put_number(out, "upper_bound_j_per_output_token", watts / item->point.output_tok_s);
    json_put_text(
        out, "formula",
        "TDP x devices, over output tokens per second: devices alone, no host, no cooling");
    json_put_text(out, "basis", isnan(watts) ? "no record" : "derived");
    json_end_object(out);
}

static void write_link(struct json_out *out, struct arena *arena,
                       const struct plan_request *request)
{
    struct json_out text;

    json_out_init(&text, arena, 512, LINK_ROOM);
    if (!request->inline_model && request->problem.hw->index >= 0)
        request_query_write(&text, request);
    bool fits = json_out_ok(&text) && text.length > 0 && text.length <= LINK_MAX;
    json_key(out, "plan");
    if (fits)
        json_text_n(out, text.text, text.length);
    else
        json_null(out);
}

static void write_throughput(struct json_out *out, const struct search_item *item)
{
    plan_json_throughput(out, &item->plan);
    json_put_number(out, "per_device_tok_s", item->point.per_device_tok_s);
}

static void write_parts(struct json_out *out, const struct launch_commands *commands)
{
    json_begin_array(out);
    for (int i = 0; i < commands->n; i++) {
        json_begin_object(out);
        json_put_text(out, "role", commands->parts[i].role);
        json_put_number(out, "count", commands->parts[i].count);
        json_put_text(out, "command", commands->parts[i].command);
        json_end_object(out);
    }
    json_end_array(out);
}

static void write_commands(struct json_out *out, const struct search_item *item)
{
    const struct launch_commands *commands = &item->commands;
    bool several = commands->n > 1 || (commands->n == 1 && commands->parts[0].count > 1);

    json_put_text(out, "command", commands->n > 0 ? commands->parts[0].command : NULL);
    json_key(out, "commands");
    if (several)
        write_parts(out, commands);
    else
        json_null(out);
    json_key(out, "not_in_command");
    json_begin_array(out);
    for (int i = 0; i < commands->n_left; i++)
        json_text(out, commands->left[i]);
    json_end_array(out);
}

static void write_item(struct json_out *out, const struct search_answer *answer, int at)
{
    const struct search_item *item = &answer->items[at];
    struct phrase phrase;

    json_begin_object(out);
    json_put_number(out, "rank", at + 1);
    write_head(out, &item->request, &item->point);
    search_deployment_words(&item->request, &phrase);
    put_phrase(out, "title", &phrase);
    write_deployment(out, &item->request);
    json_put_text(out, "regime", regime_name(item->plan.regime));
    json_put_text(out, "dominant_class", class_name(item->plan.dominant.class));
    plan_json_latency(out, &item->plan);
    write_throughput(out, item);
    write_memory(out, &item->plan);
    json_put_text(out, "slo_verdict", search_slo_verdict(item));
    write_cost(out, answer->space, item);
    write_energy(out, item);
    write_commands(out, item);
    write_link(out, answer->arena, &item->request);
    json_put_number(out, "equals", (double)item->point.equals);
    json_key(out, "lost_by");
    if (at > 0) {
        search_lost_by(answer, at, &phrase);
        json_text(out, phrase_text(&phrase));
    } else {
        json_null(out);
    }
    json_end_object(out);
}

/* The rest ------------------------------------------------------------------------------------ */

/* Which item a point of the front is, counted from 1; 0 = none of them. */
static int rank_of(const struct search_answer *answer, long index)
{
    for (int i = 0; i < answer->n_items; i++)
        if (answer->items[i].point.index == index)
            return i + 1;
    return 0;
}

static void write_pareto(struct json_out *out, const struct search_answer *answer)
{
    struct phrase phrase;

    json_key(out, "pareto");
    json_begin_array(out);
    for (int i = 0; i < answer->n_pareto; i++) {
        const struct front_item *item = &answer->pareto[i];
        const struct search_point *point = &item->point;
        enum search_limit limit;
        int rank = rank_of(answer, point->index);
        json_begin_object(out);
        write_head(out, &item->request, point);
        search_deployment_words(&item->request, &phrase);
        put_phrase(out, "title", &phrase);
        write_deployment(out, &item->request);
        json_put_number(out, "per_user_tok_s", point->per_user_tok_s);
        json_put_number(out, "per_device_tok_s", point->per_device_tok_s);
        json_put_number(out, "ttft_ms", point->ttft_ms);
        json_put_number(out, "tpot_ms", point->tpot_ms);
        json_put_number(out, "usd_per_hour", point->usd_per_hour);
        json_put_number(out, "usd_per_million_output_tokens", point->usd_per_million_output_tokens);
        json_put_bool(out, "feasible", !(search_excess(point, &limit) > 0.0));
        json_put_number(out, "rank", rank > 0 ? rank : (double)NAN);
        write_link(out, answer->arena, &item->request);
        json_end_object(out);
    }
    json_end_array(out);
}

static void write_counts(struct json_out *out, const struct search_tally *tally)
{
    json_key(out, "counts");
    json_begin_object(out);
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (tally->fails[i] > 0)
            json_put_number(out, search_limit_name((enum search_limit)i), (double)tally->fails[i]);
    json_end_object(out);
}

static void write_infeasible(struct json_out *out, const struct search_answer *answer)
{
    const struct search_item *nearest = answer->nearest;
    struct phrase phrase;
    enum search_limit limit = LIMIT_COUNT;

    json_key(out, "infeasible");
    if (answer->n_items > 0) {
        json_null(out);
        return;
    }
    double by = nearest ? search_excess(&nearest->point, &limit) : (double)NAN;
    json_begin_object(out);
    json_put_text(out, "binding", nearest ? search_limit_name(limit) : NULL);
    if (nearest)
        search_binding_words(nearest, &phrase);
    json_put_text(out, "detail",
                  nearest ? phrase_text(&phrase)
                          : "no candidate could be planned: see candidates.filtered");
    json_key(out, "nearest");
    if (nearest) {
        json_begin_object(out);
        write_head(out, &nearest->request, &nearest->point);
        search_deployment_words(&nearest->request, &phrase);
        put_phrase(out, "title", &phrase);
        write_deployment(out, &nearest->request);
        plan_json_latency(out, &nearest->plan);
        write_throughput(out, nearest);
        write_memory(out, &nearest->plan);
        json_put_number(out, "by", by);
        write_link(out, answer->arena, &nearest->request);
        json_end_object(out);
    } else {
        json_null(out);
    }
    write_counts(out, &answer->found->tally);
    json_end_object(out);
}

static void write_price_rows(struct json_out *out, const struct part_price *price)
{
    json_key(out, "records");
    json_begin_array(out);
    for (int i = 0; i < price->n; i++) {
        const struct price *row = &price->prices[i];
        json_begin_object(out);
        json_put_text(out, "id", row->id);
        json_put_text(out, "provider", row->provider);
        json_put_text(out, "kind", price_kind_name(row->kind));
        json_put_number(out, "usd_per_device_hour", row->usd_per_device_hour);
        json_put_text(out, "date", row->date);
        json_put_bool(out, "counts", price_counts(price, row));
        json_end_object(out);
    }
    json_end_array(out);
}

/* One entry for each part of the space. */
static void write_prices(struct json_out *out, const struct search_answer *answer)
{
    const struct space *space = answer->space;

    json_key(out, "prices");
    json_begin_array(out);
    for (int i = 0; i < space->n_groups; i++) {
        const struct space_group *group = &space->groups[i];
        bool first =
            group->model == 0 && (i == 0 || space->groups[i - 1].hardware != group->hardware);
        if (!first)
            continue;
        const struct hardware *hw = space->hardware[group->hardware];
        const struct part_price price = space_price(space, hw);
        json_begin_object(out);
        json_put_text(out, "hardware", hw->id);
        json_put_text(out, "basis", price_basis_name(price.basis));
        write_price(out, &price);
        json_put_text(out, "oldest", price.oldest);
        json_put_text(out, "newest", price.newest);
        write_price_rows(out, &price);
        json_end_object(out);
    }
    json_end_array(out);
}

/* Parts of which candidates could not be ranked: nobody measured what they would take. */
static void write_no_record(struct json_out *out, const struct search_answer *answer)
{
    const struct search_found *found = answer->found;

    for (int i = 0; i < found->n_parts; i++) {
        if (found->no_record[i] == 0)
            continue;
        json_begin_object(out);
        json_put_text(out, "id", "no_record");
        json_put_text(out, "pointer", "/space/hardware");
        json_put_text(out, "detail",
                      arena_printf(answer->arena,
                                   "%ld candidates on %s rest on nothing that was measured: they "
                                   "are planned down to their floors, and not ranked",
                                   found->no_record[i], answer->space->hardware[i]->id));
        json_end_object(out);
    }
}

static void write_warnings(struct json_out *out, const struct search_answer *answer)
{
    static const struct {
        const char *id, *pointer, *detail;
    } ALWAYS[] = {
        {"quality_not_judged", "/space/weights",
         "formats of fewer bits change answers: whether they are good enough is not judged here, "
         "nor whether a checkpoint in that format is published"},
        {"workload_is_the_service", "/workload/concurrency",
         "the load is the whole service's: replicas share it evenly"},
    };

    json_key(out, "warnings");
    json_begin_array(out);
    for (size_t i = 0; i < ARRAY_LEN(ALWAYS); i++) {
        json_begin_object(out);
        json_put_text(out, "id", ALWAYS[i].id);
        json_put_text(out, "pointer", ALWAYS[i].pointer);
        json_put_text(out, "detail", ALWAYS[i].detail);
        json_end_object(out);
    }
    write_no_record(out, answer);
    plan_json_notes(out, &answer->space->base.described);
    json_end_array(out);
}

void search_json_write(struct json_out *out, const struct search_answer *answer)
{
    json_begin_object(out);
    write_request(out, answer);
    json_put_text(out, "objective", search_objective_name(answer->space->objective));
    write_candidates(out, answer);
    json_key(out, "items");
    json_begin_array(out);
    for (int i = 0; i < answer->n_items; i++)
        write_item(out, answer, i);
    json_end_array(out);
    write_pareto(out, answer);
    write_infeasible(out, answer);
    write_assumed(out, answer);
    write_warnings(out, answer);
    write_prices(out, answer);
    json_end_object(out);
}
