#include "plan_text.h"

#include <math.h>
#include <string.h>

#include "anchors.h"
#include "load.h"
#include "memory_json.h"
#include "request_json.h"
#include "text_layout.h"
#include "units.h"
#include "verdict.h"

/* Shares below this are summed into one line. */
#define SHARE_LISTED 0.001

struct report {
    struct json_out *out;
    const struct plan_request *request;
    const struct plan *plan;
    bool ascii;
    struct phrase phrase; /* scratch of the line being written */
};

static void line(struct report *report)
{
    out_text(report->out, "\n");
}

static void heading(struct report *report, const char *text)
{
    line(report);
    out_text(report->out, text);
    line(report);
}

/* A finished phrase as a cell. */
static void cell(struct report *report, int width)
{
    text_cell_phrase(report->out, &report->phrase, width, true);
}

/* Head ----------------------------------------------------------------------------------------- */

static void write_head(struct report *report)
{
    verdict_deployment(report->request, &report->phrase);
    text_wrap(report->out, phrase_text(&report->phrase), 0, 2);
    verdict_load(&report->plan->problem.load, &report->phrase);
    text_wrap(report->out, phrase_text(&report->phrase), 0, 2);
}

static void write_verdict(struct report *report)
{
    const struct plan *plan = report->plan;
    struct phrase *phrase = &report->phrase;

    line(report);
    phrase_begin(phrase);
    phrase_add(phrase, regime_info(plan->regime)->title);
    phrase_add(phrase, "  [");
    phrase_add(phrase, regime_name(plan->regime));
    phrase_add(phrase, "]");
    text_wrap(report->out, phrase_text(phrase), 0, 0);
    verdict_sentence(plan, phrase);
    text_wrap(report->out, phrase_text(phrase), 0, 0);
}

/* Latency and throughput ----------------------------------------------------------------------- */

struct figure_row {
    const char *title;
    size_t offset;     /* of its struct estimate in struct plan */
    bool milliseconds; /* else a rate */
};

static const struct figure_row FIGURE_ROWS[] = {
    {"time to first token", offsetof(struct plan, ttft_ms), true},
    {"time per output token", offsetof(struct plan, tpot_ms), true},
    {"whole answer", offsetof(struct plan, e2e_ms), true},
    {"tokens/s per user", offsetof(struct plan, per_user_tok_s), false},
    {"tokens/s in all", offsetof(struct plan, output_tok_s), false},
    {"requests/s", offsetof(struct plan, requests_s), false},
    {"requests/s at most", offsetof(struct plan, max_request_rate), false},
};

static void figure_cell(struct report *report, double value, bool milliseconds, const char *none)
{
    phrase_begin(&report->phrase);
    if (isnan(value))
        phrase_add(&report->phrase, none);
    else if (milliseconds)
        phrase_time(&report->phrase, value * US_PER_MS);
    else
        phrase_number(&report->phrase, value, 3);
    cell(report, 12);
}

static const struct estimate *estimate_of(const struct report *report, const struct figure_row *row)
{
    return (const struct estimate *)(const void *)((const char *)report->plan + row->offset);
}

/* An interval needs measured errors; without any the columns are left out. */
static bool has_intervals(const struct report *report)
{
    for (size_t i = 0; i < ARRAY_LEN(FIGURE_ROWS); i++) {
        if (!isnan(estimate_of(report, &FIGURE_ROWS[i])->low))
            return true;
    }
    return false;
}

static void write_figures(struct report *report)
{
    bool intervals = has_intervals(report);

    line(report);
    text_cell(report->out, "", 26, false);
    text_cell(report->out, "bound", 12, true);
    text_cell(report->out, "expected", 12, true);
    if (intervals) {
        text_cell(report->out, "low", 12, true);
        text_cell(report->out, "high", 12, true);
    }
    out_text(report->out, "   basis\n");
    for (size_t i = 0; i < ARRAY_LEN(FIGURE_ROWS); i++) {
        const struct figure_row *row = &FIGURE_ROWS[i];
        const struct estimate *estimate = estimate_of(report, row);
        out_text(report->out, "  ");
        text_cell(report->out, row->title, 24, false);
        figure_cell(report, estimate->floor, row->milliseconds, "-");
        figure_cell(report, estimate->expected, row->milliseconds, "no record");
        if (intervals) {
            figure_cell(report, estimate->low, row->milliseconds, "-");
            figure_cell(report, estimate->high, row->milliseconds, "-");
        }
        out_text(report->out, "   ");
        out_text(report->out, basis_name(estimate->basis));
        line(report);
    }
}

static void write_nearness(struct report *report)
{
    if (!verdict_nearness(report->plan, &report->phrase))
        return;
    out_text(report->out, "  ");
    text_wrap(report->out, phrase_text(&report->phrase), 2, 4);
}

/* Steps ---------------------------------------------------------------------------------------- */

#define NAME_COLUMNS 23
#define BAR_COLUMNS 14

static void write_class_head(struct report *report)
{
    text_cell(report->out, "", 2 + NAME_COLUMNS + 1 + BAR_COLUMNS, false);
    text_cell(report->out, "share", 7, true);
    text_cell(report->out, "expected", 10, true);
    text_cell(report->out, "floor", 9, true);
    text_cell(report->out, "bytes", 9, true);
    text_cell(report->out, "FLOP", 12, true);
    out_text(report->out, " basis\n");
}

static void write_class(struct report *report, enum class_id id, const struct class_cost *cost)
{
    struct phrase *phrase = &report->phrase;
    double moved = cost->bytes + cost->link_bytes + cost->host_bytes;

    out_text(report->out, "  ");
    text_cell(report->out, class_name(id), NAME_COLUMNS + 1, false);
    text_bar(report->out, cost->share, BAR_COLUMNS, report->ascii);
    phrase_begin(phrase);
    phrase_percent(phrase, cost->share);
    cell(report, 7);
    phrase_begin(phrase);
    if (cost->basis == BASIS_NO_RECORD)
        phrase_add(phrase, "no record");
    else
        phrase_time(phrase, cost->time_us);
    cell(report, 10);
    phrase_begin(phrase);
    phrase_time(phrase, cost->floor_us);
    cell(report, 9);
    phrase_begin(phrase);
    phrase_bytes(phrase, moved);
    cell(report, 9);
    phrase_begin(phrase);
    phrase_flops(phrase, cost->flops);
    cell(report, 12);
    out_text(report->out, " ");
    out_text(report->out, basis_name(cost->basis));
    line(report);
}

static void write_classes(struct report *report, const struct step *step)
{
    enum class_id order[CLASS_COUNT];
    int n = verdict_order(step, order);
    bool first = true;

    write_class_head(report);
    for (int i = 0; i < n; i++) {
        if (step->classes[order[i]].share >= SHARE_LISTED)
            write_class(report, order[i], &step->classes[order[i]]);
    }
    phrase_begin(&report->phrase);
    for (int i = 0; i < n; i++) {
        if (step->classes[order[i]].share >= SHARE_LISTED)
            continue;
        phrase_add(&report->phrase, first ? "  under 0.1 %: " : ", ");
        phrase_add(&report->phrase, class_name(order[i]));
        first = false;
    }
    if (!first)
        text_wrap(report->out, phrase_text(&report->phrase), 0, 4);
}

static void add_step_time(struct phrase *phrase, const struct step *step)
{
    if (isnan(step->expected_us))
        phrase_add(phrase, "no record, floor ");
    else {
        phrase_time(phrase, step->expected_us);
        phrase_add(phrase, " expected (");
        phrase_add(phrase, basis_name(step->basis));
        phrase_add(phrase, "), floor ");
    }
    phrase_time(phrase, step->floor_us);
}

static void write_roofline(struct report *report, const struct step *step)
{
    struct phrase *phrase = &report->phrase;
    double ridge = verdict_ridge(step);
    bool below = step->arithmetic_intensity < ridge;
    double apart = below ? ridge / step->arithmetic_intensity : step->arithmetic_intensity / ridge;

    phrase_begin(phrase);
    phrase_add(phrase, "  roofline: ");
    phrase_flops(phrase, step->flops);
    phrase_add(phrase, " over ");
    phrase_bytes(phrase, step->bytes);
    phrase_add(phrase, " = ");
    phrase_number(phrase, step->arithmetic_intensity, 3);
    phrase_add(phrase, " FLOP/B, ");
    if (isnan(ridge)) {
        phrase_add(phrase, "no ridge: the part states no peak");
    } else if (isfinite(apart)) {
        phrase_number(phrase, apart, 3);
        phrase_add(phrase, below ? "x below the ridge of " : "x above the ridge of ");
        phrase_fixed(phrase, ridge, 1);
    } else {
        phrase_add(phrase, "ridge ");
        phrase_fixed(phrase, ridge, 1);
    }
    text_wrap(report->out, phrase_text(phrase), 0, 4);
    phrase_begin(phrase);
    phrase_add(phrase, "  device ");
    phrase_time(phrase, step->device_us);
    phrase_add(phrase, ", host ");
    phrase_time(phrase, step->host_us);
    phrase_add(phrase, ", of it exposed ");
    phrase_time(phrase, step->exposed_host_us);
    text_wrap(report->out, phrase_text(phrase), 0, 4);
}

static void write_decode(struct report *report)
{
    const struct step *step = &report->plan->decode;
    struct phrase *phrase = &report->phrase;

    phrase_begin(phrase);
    phrase_add(phrase, "DECODE STEP  ");
    add_step_time(phrase, step);
    phrase_add(phrase, "; ");
    phrase_whole(phrase, step->batch);
    phrase_add(phrase, step->batch == 1 ? " sequence at " : " sequences at ");
    phrase_whole(phrase, step->context_tokens);
    phrase_add(phrase, " tokens, one device");
    heading(report, phrase_text(phrase));
    write_classes(report, step);
    write_roofline(report, step);
}

static void write_prefill(struct report *report)
{
    const struct step *step = &report->plan->prefill;
    struct phrase *phrase = &report->phrase;

    phrase_begin(phrase);
    phrase_add(phrase, "PREFILL  ");
    add_step_time(phrase, step);
    phrase_add(phrase, "; ");
    phrase_whole(phrase, load_new_tokens(&report->plan->problem));
    phrase_add(phrase, " new tokens in ");
    phrase_whole(phrase, step->chunks);
    phrase_add(phrase, step->chunks == 1 ? " chunk" : " chunks");
    heading(report, phrase_text(phrase));
    write_classes(report, step);
    write_roofline(report, step);
    phrase_begin(phrase);
    phrase_add(phrase, "  linears ");
    phrase_flops(phrase, step->linear_flops);
    phrase_add(phrase, ", attention ");
    phrase_flops(phrase, step->attention_flops);
    if (step->crossover_tokens > 0 && isfinite(step->crossover_tokens)) {
        phrase_add(phrase, "; attention overtakes the linears at ");
        phrase_whole(phrase, step->crossover_tokens);
        phrase_add(phrase, " tokens");
    }
    text_wrap(report->out, phrase_text(phrase), 0, 4);
}

/* Moves and cures ------------------------------------------------------------------------------ */

/* Units of the axes, for people. */
struct axis_unit {
    const char *axis, *unit;
};

static const struct axis_unit AXIS_UNITS[] = {
    {"concurrency", "requests"}, {"context", "tokens in"},       {"output_tokens", "tokens out"},
    {"bandwidth", "GB/s"},       {"model_size", "B parameters"}, {"tp", "ways"},
};

static const char *axis_unit(const char *axis)
{
    for (size_t i = 0; i < ARRAY_LEN(AXIS_UNITS); i++) {
        if (strcmp(AXIS_UNITS[i].axis, axis) == 0)
            return AXIS_UNITS[i].unit;
    }
    return "";
}

static void add_axis_value(struct phrase *phrase, const char *text, double value)
{
    if (text)
        phrase_add(phrase, text);
    else
        phrase_plain(phrase, value, 4);
}

static void write_moves(struct report *report)
{
    const struct plan *plan = report->plan;
    struct phrase *phrase = &report->phrase;
    int shown = 0;

    heading(report,
            "WHERE IT MOVES  the nearest value of each axis at which another regime begins");
    for (int i = 0; i < plan->n_moves; i++) {
        const struct move *move = &plan->moves[i];
        if (!move->to_text && !isfinite(move->at))
            continue;
        shown++;
        out_text(report->out, "  ");
        text_cell(report->out, move->axis, 16, false);
        phrase_begin(phrase);
        add_axis_value(phrase, move->from_text, move->from);
        cell(report, 10);
        out_text(report->out, report->ascii ? " -> " : " \u2192 ");
        phrase_begin(phrase);
        add_axis_value(phrase, move->to_text, move->at);
        text_cell_phrase(report->out, phrase, 8, false);
        text_cell(report->out, axis_unit(move->axis), 14, false);
        text_cell(report->out, regime_name(move->to_regime), 20, false);
        out_text(report->out, class_name(move->to_class));
        line(report);
    }
    if (!shown)
        out_text(report->out, "  nowhere within 1/64 to 64 times any axis\n");
}

static void change_cell(struct report *report, double change)
{
    phrase_begin(&report->phrase);
    if (isnan(change))
        phrase_add(&report->phrase, "-");
    else
        phrase_change(&report->phrase, change);
    cell(report, 9);
}

static void add_change(struct phrase *phrase, const struct cure_change *change)
{
    const char *name = strrchr(change->pointer, '/');

    phrase_add(phrase, name ? name + 1 : change->pointer);
    phrase_add(phrase, " ");
    if (change->text)
        phrase_add(phrase, change->text);
    else if (change->is_bool)
        phrase_add(phrase, change->number != 0 ? "on" : "off");
    else
        phrase_plain(phrase, change->number, 4);
}

static void write_cure(struct report *report, const struct cure_result *result)
{
    const struct cure_info *info = cure_info(result->cure);
    struct phrase *phrase = &report->phrase;

    phrase_begin(phrase);
    if (result->is_cure)
        phrase_whole(phrase, result->rank);
    cell(report, 4);
    out_text(report->out, info->anchors[0] ? "*" : " ");
    text_cell(report->out, info->id, 24, false);
    change_cell(report, result->tpot);
    change_cell(report, result->ttft);
    change_cell(report, result->output_tok_s);
    change_cell(report, result->memory);
    out_text(report->out, "  ");
    phrase_begin(phrase);
    for (int i = 0; i < result->n_changes; i++) {
        phrase_add(phrase, i ? ", " : "");
        add_change(phrase, &result->changes[i]);
    }
    if (result->devices > 0) {
        phrase_add(phrase, " (");
        phrase_change(phrase, result->devices);
        phrase_add(phrase, " devices)");
    }
    if (result->basis == BASIS_ASSUMED)
        phrase_add(phrase, " ~");
    text_wrap(report->out, phrase_text(phrase), 67, 67);
}

static void write_cures(struct report *report, bool cures, const char *title)
{
    const struct plan *plan = report->plan;
    bool any = false;

    heading(report, title);
    for (int i = 0; i < plan->n_results; i++) {
        if (plan->results[i].is_cure != cures)
            continue;
        if (!any) {
            text_cell(report->out, "", 29, false);
            text_cell(report->out, "TPOT", 9, true);
            text_cell(report->out, "TTFT", 9, true);
            text_cell(report->out, "tok/s", 9, true);
            text_cell(report->out, "memory", 9, true);
            out_text(report->out, "  change\n");
        }
        any = true;
        write_cure(report, &plan->results[i]);
    }
    if (!any)
        out_text(report->out, "  none\n");
}

/* Warnings and assumptions --------------------------------------------------------------------- */

static void write_warnings(struct report *report)
{
    const struct plan *plan = report->plan;
    const struct described_note *note = report->request->described.notes;

    if (!plan->n_warnings && !note)
        return;
    heading(report, "WARNINGS");
    for (int i = 0; i < plan->n_warnings; i++) {
        out_text(report->out, "  ! ");
        verdict_warning(&plan->warnings[i], &report->phrase);
        text_wrap(report->out, phrase_text(&report->phrase), 4, 4);
    }
    for (; note; note = note->next) {
        out_text(report->out, "  ! ");
        text_wrap(report->out, note->detail, 4, 4);
    }
}

/* One launch record that gave defaults, with the fields from `first` on that are its. */
static void write_launch(struct report *report, const struct launch *launch, int first)
{
    const struct plan_request *request = report->request;
    struct json_out line;

    json_out_init(&line, report->out->arena, 512, 4096);
    out_printf(&line, "%s: %s", launch->id, PLAN_FIELDS.rows[first].query);
    for (int i = first + 1; i < FIELD_ID_COUNT; i++)
        if (request->launches[i] == launch)
            out_printf(&line, ", %s", PLAN_FIELDS.rows[i].query);
    out_bytes(&line, "", 1);
    if (!json_out_ok(&line))
        return;
    out_text(report->out, "  < ");
    text_wrap(report->out, line.text, 4, 4);
}

/* Which launch records gave defaults, each with its fields. */
static void write_launches(struct report *report)
{
    const struct launch *const *launches = report->request->launches;

    for (int i = 0; i < FIELD_ID_COUNT; i++) {
        bool known = false;
        for (int j = 0; j < i && !known; j++)
            known = launches[j] == launches[i];
        if (launches[i] && !known)
            write_launch(report, launches[i], i);
    }
}

static void write_assumed(struct report *report)
{
    const struct plan_request *request = report->request;
    struct json_out values;
    bool first = true;

    json_out_init(&values, report->out->arena, 2048, 16384);
    for (int i = 0; i < FIELD_ID_COUNT; i++) {
        if (!request->assumed[i])
            continue;
        out_text(&values, first ? "" : ", ");
        request_text_leaf(&values, request, (enum field_id)i);
        first = false;
    }
    out_bytes(&values, "", 1);
    if (first || !json_out_ok(&values))
        return;
    heading(report, "ASSUMED  what the request left out");
    out_text(report->out, "  ");
    text_wrap(report->out, values.text, 2, 2);
    write_launches(report);
}

/* The nearest measurements, and those of exactly this. */
static void write_measured(struct report *report, const struct plan_evidence *evidence)
{
    struct json_out table;

    if (!evidence)
        return;
    json_out_init(&table, report->out->arena, 4096, 65536);
    if (!anchors_render_text(&table, evidence->catalogue, &report->plan->problem) ||
        !json_out_ok(&table))
        return;
    heading(report, "MEASURED  nearest first; see /v1/anchors");
    out_bytes(report->out, table.text, table.length);
}

/* What nobody measured and this plan would need. */
static void write_gaps(struct report *report, const struct plan_evidence *evidence)
{
    if (!evidence || !evidence->gaps.n)
        return;
    heading(report, "NO RECORD  what nobody measured; see /v1/gaps");
    for (int i = 0; i < evidence->gaps.n; i++) {
        out_text(report->out, "  ? ");
        text_wrap(report->out, evidence->gaps.items[i].question, 4, 4);
    }
}

void plan_text_write(struct json_out *out, const struct plan_request *request,
                     const struct plan *plan, const struct plan_evidence *evidence, bool ascii)
{
    struct report report = {.out = out, .request = request, .plan = plan, .ascii = ascii};
    size_t start = out->length;

    write_head(&report);
    write_verdict(&report);
    write_figures(&report);
    write_nearness(&report);
    write_decode(&report);
    write_prefill(&report);
    memory_text_write(out, request, plan, ascii);
    write_moves(&report);
    write_cures(&report, true,
                "CURES  each applied alone and planned again; * measured elsewhere, ~ rests on an "
                "assumption");
    write_cures(&report, false, "NOT CURES  nothing better by 3 % here");
    write_warnings(&report);
    write_measured(&report, evidence);
    write_gaps(&report, evidence);
    write_assumed(&report);
    text_clean(out, start, ascii);
}
