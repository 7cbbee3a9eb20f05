#include <math.h>

#include "diagnose_json.h"
#include "diagnose_words.h"
#include "text_layout.h"
#include "units.h"

/* Causes that are written out; the others are named. */
#define WRITTEN_OUT 3
#define FINDINGS_SHOWN 4
/* A gap above this share of the budget is worth a sentence. */
#define GAP_NOTED 0.15
/* Below this share of its floor a time was not measured on what was stated. */
#define FLOOR_DOUBTED 0.95

static void paragraph(struct json_out *out, const char *lead, const char *text)
{
    out_text(out, lead);
    text_wrap(out, text, text_columns(lead), text_columns(lead));
}

static void write_findings(struct json_out *out, const char *lead, const struct finding *findings,
                           int n, const struct symptoms *symptoms)
{
    struct phrase phrase;

    for (int i = 0; i < n && i < FINDINGS_SHOWN; i++) {
        phrase_begin(&phrase);
        diagnose_finding_words(&findings[i], symptoms, &phrase);
        paragraph(out, lead, phrase_text(&phrase));
    }
}

static void write_cause(struct json_out *out, int rank, const struct ranked_cause *cause,
                        const struct symptoms *symptoms)
{
    const struct cause_info *info = cause_info(cause->id);
    struct phrase phrase;

    phrase_begin(&phrase);
    phrase_whole(&phrase, rank);
    phrase_add(&phrase, ". ");
    phrase_add(&phrase, info->title);
    phrase_add(&phrase, "  [");
    phrase_add(&phrase, cause_name(cause->id));
    phrase_add(&phrase, ", ");
    phrase_add(&phrase, pass_name(info->pass));
    phrase_add(&phrase, ", ");
    phrase_percent(&phrase, cause->score);
    phrase_add(&phrase, "]");
    out_text(out, "\n");
    text_wrap(out, phrase_text(&phrase), 0, 3);
    write_findings(out, "   for:     ", cause->for_it, cause->n_for, symptoms);
    write_findings(out, "   against: ", cause->against, cause->n_against, symptoms);
    paragraph(out, "   run:     ", info->check_next);
    paragraph(out, "   change:  ", info->cure);
}

/* The load that the budget is of, and whether it was given. */
static void add_load(struct phrase *phrase, const struct plan_request *deployment)
{
    const struct workload *load = &deployment->problem.load;

    phrase_whole(phrase, load->concurrency);
    phrase_add(phrase, " at once, ");
    phrase_whole(phrase, load->input_tokens);
    phrase_add(phrase, " tokens in, ");
    phrase_whole(phrase, load->output_tokens);
    phrase_add(phrase, " out");
    if (!deployment->given[FIELD_ID_CONCURRENCY] || !deployment->given[FIELD_ID_INPUT_TOKENS] ||
        !deployment->given[FIELD_ID_OUTPUT_TOKENS])
        phrase_add(phrase, "; what \"workload\" leaves out is assumed");
}

static void write_budget(struct json_out *out, const struct diagnose_request *request)
{
    const struct plan *plan = request->plan;
    struct phrase phrase;

    phrase_begin(&phrase);
    phrase_add(&phrase, "The budget: time per token ");
    phrase_time(&phrase, plan->tpot_ms.expected * US_PER_MS);
    phrase_add(&phrase, " (floor ");
    phrase_time(&phrase, plan->tpot_ms.floor * US_PER_MS);
    phrase_add(&phrase, "), time to first token ");
    phrase_time(&phrase, plan->ttft_ms.expected * US_PER_MS);
    phrase_add(&phrase, ", device ");
    phrase_time(&phrase, plan->decode.device_us);
    phrase_add(&phrase, " and host ");
    phrase_time(&phrase, plan->decode.host_us);
    phrase_add(&phrase, " a step, room for ");
    phrase_number(&phrase, plan->memory.max_concurrency, 3);
    phrase_add(&phrase, " such sequences (");
    add_load(&phrase, &request->deployment);
    phrase_add(&phrase, ").");
    out_text(out, "\n");
    text_wrap(out, phrase_text(&phrase), 0, 2);
}

/* What was seen beside the budget: how much of it is explained, and who has the rest. */
static void write_gap(struct json_out *out, const struct diagnose_request *request)
{
    const struct plan *plan = request->plan;
    struct phrase phrase;

    if (!plan || isnan(request->seen_tpot_us) || isnan(plan->tpot_ms.expected))
        return;
    double budget = plan->tpot_ms.expected * US_PER_MS, gap = request->seen_tpot_us - budget;
    phrase_begin(&phrase);
    phrase_add(&phrase, "Time per token is ");
    phrase_time(&phrase, request->seen_tpot_us);
    phrase_add(&phrase, ", the budget gives ");
    phrase_time(&phrase, budget);
    phrase_add(&phrase, " and the physical floor is ");
    phrase_time(&phrase, plan->tpot_ms.floor * US_PER_MS);
    if (gap > GAP_NOTED * budget) {
        phrase_add(&phrase, ": ");
        phrase_time(&phrase, gap);
        phrase_add(&phrase, " of each token are not the device's work as it is planned.");
    } else if (request->seen_tpot_us < FLOOR_DOUBTED * plan->tpot_ms.floor * US_PER_MS) {
        phrase_add(&phrase, ": less than the floor. Check the figure's unit, and that model, part, "
                            "weights, speculation and load are those of the run.");
    } else {
        phrase_add(&phrase, ": nothing is left to explain.");
    }
    text_wrap(out, phrase_text(&phrase), 0, 2);
}

static void write_verdict(struct json_out *out, const struct diagnose_report *report)
{
    const struct diagnosis *diagnosis = report->diagnosis;

    if (diagnosis->healthy)
        text_wrap(out, "Healthy: the speeds that were measured are what the budget gives.", 0, 2);
    else if (diagnosis->n == 0)
        text_wrap(out, "Nothing that was said points to a cause.", 0, 2);
    else if (diagnosis->causes[0].score < 0.5)
        text_wrap(out, "Not sure: the likeliest cause has less than even odds.", 0, 2);
    else
        text_wrap(out, cause_info(diagnosis->causes[0].id)->title, 0, 2);
}

void diagnose_text_write(struct json_out *out, const struct diagnose_report *report)
{
    const struct diagnosis *diagnosis = report->diagnosis;
    const struct symptoms *symptoms = &report->request->symptoms;
    size_t from = out->length;
    const char *missing, *separate = diagnose_separate(report);

    write_verdict(out, report);
    write_gap(out, report->request);
    for (int i = 0; i < diagnosis->n && i < WRITTEN_OUT; i++)
        write_cause(out, i + 1, &diagnosis->causes[i], symptoms);
    for (int i = WRITTEN_OUT; i < diagnosis->n; i++) {
        out_text(out, i == WRITTEN_OUT ? "\nLess likely: " : ", ");
        out_text(out, cause_name(diagnosis->causes[i].id));
    }
    if (diagnosis->n > WRITTEN_OUT)
        out_text(out, "\n");
    for (int i = 0; i < diagnosis->n_ruled_out; i++) {
        out_text(out, "\nRuled out: ");
        out_text(out, cause_name(diagnosis->ruled_out[i].id));
        out_text(out, "\n");
        write_findings(out, "   because: ", diagnosis->ruled_out[i].against,
                       diagnosis->ruled_out[i].n_against, symptoms);
    }
    if (separate) {
        out_text(out, "\n");
        paragraph(out, "To tell the first two apart: ", separate);
    }
    for (int i = 0; (missing = diagnose_missing(report, i)) != NULL; i++)
        paragraph(out, i == 0 ? "\nNot enough yet: " : "                ", missing);
    if (report->request->plan)
        write_budget(out, report->request);
    if (report->request->no_plan)
        text_wrap(out, report->request->no_plan, 0, 2);
    for (int i = 0; i < report->request->n_notes; i++)
        paragraph(out, "Note: ", report->request->notes[i]);
    for (int i = 0; i < report->request->observed.n_notes; i++)
        paragraph(out, "Read: ", report->request->observed.notes[i].text);
    text_clean(out, from, false);
}
