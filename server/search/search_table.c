/*
 * search_table.c - a search's answer as a report for a terminal, and its items as CSV.
 */
#include <math.h>
#include <stddef.h>

#include "csv_cells.h"
#include "search_answer.h"
#include "search_words.h"
#include "text_layout.h"
#include "verdict.h"

/* CSV ----------------------------------------------------------------------------------------- */

static double ttft_low(const struct search_item *item)
{
    return item->plan.ttft_ms.low;
}

static double ttft_high(const struct search_item *item)
{
    return item->plan.ttft_ms.high;
}

static double tpot_low(const struct search_item *item)
{
    return item->plan.tpot_ms.low;
}

static double tpot_high(const struct search_item *item)
{
    return item->plan.tpot_ms.high;
}

static double prefill_devices(const struct search_item *item)
{
    const struct deployment *dep = &item->plan.problem.dep;

    return dep->disaggregated ? dep->disagg_prefill_devices : 0.0;
}

static double upper_bound_w(const struct search_item *item)
{
    double tdp = item->plan.problem.hw->tdp_w;

    return tdp > 0.0 ? tdp * item->point.devices : (double)NAN;
}

static const char *slo_verdict(const struct search_item *item)
{
    return search_slo_verdict(item);
}

static const char *command(const struct search_item *item)
{
    return item->commands.n > 0 ? item->commands.parts[0].command : NULL;
}

static const char *model(const struct search_item *item)
{
    return item->plan.problem.model->id;
}

static const char *hardware(const struct search_item *item)
{
    return item->plan.problem.hw->id;
}

static const char *engine(const struct search_item *item)
{
    return item->plan.problem.dep.engine->id;
}

static const char *weights(const struct search_item *item)
{
    return item->plan.problem.dep.weights->id;
}

static const char *kv_cache(const struct search_item *item)
{
    return item->plan.problem.dep.kv_cache->id;
}

static const char *regime(const struct search_item *item)
{
    return regime_name(item->plan.regime);
}

/* A column of the table of items: a text, a number, or a number at a place of the item. */
static const struct item_column {
    const char *name;
    const char *(*text)(const struct search_item *item);
    double (*number)(const struct search_item *item);
    size_t offset;
} COLUMNS[] = {

#define AT(PLACE) .offset = offsetof(struct search_item, PLACE)
    {"model", .text = model},
    {"hardware", .text = hardware},
    {"devices", AT(point.devices)},
    {"engine", .text = engine},
    {"weights", .text = weights},
    {"kv_cache", .text = kv_cache},
    {"tp", AT(plan.problem.dep.tp)},
    {"pp", AT(plan.problem.dep.pp)},
    {"dp", AT(plan.problem.dep.dp)},
    {"ep", AT(plan.problem.dep.ep)},
    {"replicas", AT(plan.problem.dep.replicas)},
    {"prefill_devices", .number = prefill_devices},
    {"chunked_prefill_tokens", AT(plan.problem.dep.chunked_prefill_tokens)},
    {"max_num_seqs", AT(plan.problem.dep.max_num_seqs)},
    {"regime", .text = regime},
    {"ttft_ms", AT(point.ttft_ms)},
    {"ttft_ms_low", .number = ttft_low},
    {"ttft_ms_high", .number = ttft_high},
    {"tpot_ms", AT(point.tpot_ms)},
    {"tpot_ms_low", .number = tpot_low},
    {"tpot_ms_high", .number = tpot_high},
    {"e2e_ms", AT(point.e2e_ms)},
    {"output_tok_s", AT(point.output_tok_s)},
    {"per_user_tok_s", AT(point.per_user_tok_s)},
    {"per_device_tok_s", AT(point.per_device_tok_s)},
    {"usd_per_hour", AT(point.usd_per_hour)},
    {"usd_per_million_output_tokens", AT(point.usd_per_million_output_tokens)},
    {"upper_bound_w", .number = upper_bound_w},
    {"slo_verdict", .text = slo_verdict},
    {"command", .text = command},
#undef AT
};

void search_csv_write(struct json_out *out, const struct search_answer *answer)
{
    out_text(out, "rank");
    for (size_t i = 0; i < ARRAY_LEN(COLUMNS); i++)
        csv_text(out, COLUMNS[i].name);
    out_text(out, "\n");
    for (int k = 0; k < answer->n_items; k++) {
        const struct search_item *item = &answer->items[k];
        out_number(out, k + 1);
        for (size_t i = 0; i < ARRAY_LEN(COLUMNS); i++) {
            const struct item_column *column = &COLUMNS[i];
            const void *place = (const char *)item + column->offset;
            if (column->text)
                csv_text(out, column->text(item));
            else
                csv_number(out, column->number ? column->number(item) : *(const double *)place);
        }
        out_text(out, "\n");
    }
}

/* Text ---------------------------------------------------------------------------------------- */

/* Columns of figures, behind the deployment. */
#define FIGURE_WIDTH 11
#define NUMBER_WIDTH 4

static void put_figure(struct json_out *out, double value, int digits)
{
    struct phrase phrase;

    phrase_begin(&phrase);
    if (isnan(value))
        phrase_add(&phrase, "-");
    else
        phrase_number(&phrase, value, digits);
    text_cell_phrase(out, &phrase, FIGURE_WIDTH, true);
}

static void put_line(struct json_out *out, const char *label, const char *text)
{
    if (!text)
        return;
    text_spaces(out, NUMBER_WIDTH);
    out_text(out, label);
    text_wrap(out, text, NUMBER_WIDTH + text_columns(label), NUMBER_WIDTH + 2);
}

static void write_item(struct json_out *out, const struct search_answer *answer, int at)
{
    const struct search_item *item = &answer->items[at];
    const struct search_point *point = &item->point;
    const double figures[] = {point->usd_per_million_output_tokens,
                              point->usd_per_hour,
                              point->tpot_ms,
                              point->ttft_ms,
                              point->output_tok_s,
                              point->per_device_tok_s};
    struct phrase phrase;

    phrase_begin(&phrase);
    phrase_whole(&phrase, at + 1);
    text_cell_phrase(out, &phrase, NUMBER_WIDTH - 1, true);
    out_text(out, " ");
    search_deployment_words(&item->request, &phrase);
    out_text(out, phrase_text(&phrase));
    out_text(out, "\n");
    text_spaces(out, NUMBER_WIDTH);
    for (size_t i = 0; i < ARRAY_LEN(figures); i++)
        put_figure(out, figures[i], 3);
    out_text(out, "  ");
    out_text(out, search_slo_verdict(item) ? search_slo_verdict(item) : "");
    out_text(out, "\n");
    for (int i = 0; i < item->commands.n; i++)
        put_line(out, "$ ", item->commands.parts[i].command);
    if (at > 0) {
        search_lost_by(answer, at, &phrase);
        put_line(out, "behind: ", phrase_text(&phrase));
    }
    out_text(out, "\n");
}

static void write_counts(struct json_out *out, const struct search_answer *answer)
{
    const struct search_found *found = answer->found;
    struct phrase phrase;

    phrase_begin(&phrase);
    phrase_whole(&phrase, (double)answer->space->n_candidates + answer->space->n_dropped);
    phrase_add(&phrase, " candidates, ");
    phrase_whole(&phrase, (double)found->planned);
    phrase_add(&phrase, " planned, ");
    phrase_whole(&phrase, (double)found->tally.feasible);
    phrase_add(&phrase, " keep every limit; ranked by ");
    phrase_add(&phrase, search_objective_name(answer->space->objective));
    if (answer->space->n_dropped > 0) {
        phrase_add(&phrase, "; devices: ");
        phrase_whole(&phrase, answer->space->n_dropped);
    }
    for (int i = 0; i < FILTER_COUNT; i++) {
        if (found->filtered[i] == 0)
            continue;
        phrase_add(&phrase, "; ");
        phrase_add(&phrase, search_filter_name(i));
        phrase_add(&phrase, ": ");
        phrase_whole(&phrase, (double)found->filtered[i]);
    }
    text_wrap(out, phrase_text(&phrase), 0, 2);
    out_text(out, "\n");
}

static void write_front(struct json_out *out, const struct search_answer *answer)
{
    struct phrase phrase;
    enum search_limit limit;

    if (answer->n_pareto == 0)
        return;
    out_text(out,
             "FRONT  no other deployment is faster per user and gives more per device; * keeps "
             "every limit\n");
    out_text(out, "   tok/s user     device\n");
    for (int i = 0; i < answer->n_pareto; i++) {
        const struct front_item *item = &answer->pareto[i];
        out_text(out, search_excess(&item->point, &limit) > 0.0 ? "  " : " *");
        put_figure(out, item->point.per_user_tok_s, 3);
        put_figure(out, item->point.per_device_tok_s, 3);
        out_text(out, "  ");
        search_deployment_words(&item->request, &phrase);
        out_text(out, phrase_text(&phrase));
        out_text(out, "\n");
    }
    out_text(out, "\n");
}

static void write_prices(struct json_out *out, const struct search_answer *answer)
{
    const struct space *space = answer->space;
    struct phrase phrase, words;

    out_text(out, "PRICES  US dollars per device and hour\n");
    for (int i = 0; i < space->lists[SPACE_HARDWARE].n; i++) {
        const struct part_price price = space_price(space, space->hardware[i]);
        phrase_begin(&phrase);
        phrase_add(&phrase, space->hardware[i]->id);
        phrase_add(&phrase, "  ");
        phrase_plain(&phrase, price.usd_per_device_hour, 4);
        phrase_add(&phrase, "  ");
        search_price_words(&price, &words);
        phrase_add(&phrase, phrase_text(&words));
        text_spaces(out, 2);
        text_wrap(out, phrase_text(&phrase), 2, 4);
    }
}

void search_text_write(struct json_out *out, const struct search_answer *answer)
{
    const struct search_item *any = answer->n_items > 0 ? &answer->items[0] : answer->nearest;
    struct phrase phrase;
    size_t from = out->length;

    if (any) {
        verdict_load(&any->plan.problem.load, &phrase);
        out_text(out, phrase_text(&phrase));
        out_text(out, "\n");
    }
    write_counts(out, answer);
    if (answer->n_items > 0)
        out_text(out,
                 "       USD/Mtok      USD/h    TPOT ms    TTFT ms      tok/s  per device  SLO\n");
    for (int i = 0; i < answer->n_items; i++)
        write_item(out, answer, i);
    if (answer->nearest) {
        search_binding_words(answer->nearest, &phrase);
        out_text(out, "NOTHING keeps every limit. ");
        text_wrap(out, phrase_text(&phrase), 27, 2);
        search_deployment_words(&answer->nearest->request, &phrase);
        put_line(out, "nearest: ", phrase_text(&phrase));
        out_text(out, "\n");
    } else if (answer->n_items == 0) {
        out_text(out, "NOTHING could be ranked: see the counts above.\n\n");
    }
    write_front(out, answer);
    write_prices(out, answer);
    text_clean(out, from, false);
}
