#include "diagnose_json.h"

#include <math.h>
#include <string.h>

#include "diagnose_words.h"
#include "observed_json.h"
#include "plan_json.h"
#include "units.h"

/* Below this score a cause wants more evidence. */
#define SETTLED 0.75

/* What to ask for when nothing was seen: each tells several causes apart. */
static const enum sign_id FIRST_QUESTIONS[] = {SIGN_TPOT_HIGH, SIGN_GPU_UNDERUSED, SIGN_KV_FULL,
                                               SIGN_WAITING,   SIGN_CPU_SATURATED, SIGN_TTFT_HIGH};

const char *diagnose_separate(const struct diagnose_report *report)
{
    const struct diagnosis *diagnosis = report->diagnosis;

    if (diagnosis->n < 2)
        return NULL;
    enum sign_id sign = diagnose_separator(&report->request->symptoms, diagnosis->causes[0].id,
                                           diagnosis->causes[1].id);
    return sign != SIGN_COUNT ? sign_measure(sign)
                              : cause_info(diagnosis->causes[0].id)->check_next;
}

/* Whether a cause still wants evidence. */
static bool is_open(const struct ranked_cause *cause)
{
    return cause->n_independent < 2 || cause->score < SETTLED;
}

/* The n-th of the first questions that is not answered yet. */
static const char *first_question(const struct symptoms *symptoms, int n)
{
    for (size_t i = 0; i < ARRAY_LEN(FIRST_QUESTIONS); i++)
        if (!(symptoms->signs[FIRST_QUESTIONS[i]].strength > 0) && n-- == 0)
            return sign_measure(FIRST_QUESTIONS[i]);
    return NULL;
}

const char *diagnose_missing(const struct diagnose_report *report, int n)
{
    const struct diagnosis *diagnosis = report->diagnosis;

    if (diagnosis->n == 0)
        return first_question(&report->request->symptoms, n);
    for (int i = 0; i < diagnosis->n && i < 2; i++) {
        const struct ranked_cause *cause = &diagnosis->causes[i];
        if (!is_open(cause) || n-- != 0)
            continue;
        enum sign_id sign = diagnose_separator(&report->request->symptoms, cause->id, CAUSE_COUNT);
        return sign != SIGN_COUNT ? sign_measure(sign) : cause_info(cause->id)->check_next;
    }
    return NULL;
}

/* Causes --------------------------------------------------------------------------------------- */

static void write_findings(struct json_out *out, const char *name, const char *sources,
                           const struct finding *findings, int n, const struct symptoms *symptoms)
{
    struct phrase phrase;

    json_key(out, name);
    json_begin_array(out);
    for (int i = 0; i < n; i++) {
        phrase_begin(&phrase);
        diagnose_finding_words(&findings[i], symptoms, &phrase);
        json_text(out, phrase_text(&phrase));
    }
    json_end_array(out);
    json_key(out, sources);
    json_begin_array(out);
    for (int i = 0; i < n; i++)
        json_text(out, findings[i].rule->source);
    json_end_array(out);
}

/* The planner's own cure of that kind for this deployment. */
static void write_planner_cure(struct json_out *out, const char *id, const struct plan *plan)
{
    json_key(out, "planner_cure");
    for (int i = 0; id && plan && i < plan->n_results; i++) {
        const struct cure_result *result = &plan->results[i];
        if (strcmp(cure_info(result->cure)->id, id) != 0)
            continue;
        json_begin_object(out);
        json_put_text(out, "id", id);
        json_put_bool(out, "helps", result->is_cure);
        json_put_number(out, "tpot", result->tpot);
        json_put_number(out, "ttft", result->ttft);
        json_put_number(out, "output_tok_s", result->output_tok_s);
        json_put_number(out, "memory", result->memory);
        json_end_object(out);
        return;
    }
    json_null(out);
}

static void write_cause(struct json_out *out, const struct ranked_cause *cause,
                        const struct diagnose_request *request)
{
    const struct cause_info *info = cause_info(cause->id);

    json_begin_object(out);
    json_put_text(out, "class", cause_name(cause->id));
    json_put_text(out, "title", info->title);
    json_put_text(out, "pass", pass_name(info->pass));
    json_put_text(out, "planner_class", class_name(info->class));
    json_put_number(out, "score", cause->score);
    json_put_text(out, "basis", basis_name(diagnose_basis(cause, &request->symptoms)));
    write_findings(out, "for", "for_sources", cause->for_it, cause->n_for, &request->symptoms);
    write_findings(out, "against", "against_sources", cause->against, cause->n_against,
                   &request->symptoms);
    json_put_text(out, "check_next", info->check_next);
    json_put_text(out, "cure", info->cure);
    json_put_text(out, "cure_source", info->source);
    write_planner_cure(out, info->planner_cure, request->plan);
    json_end_object(out);
}

static void write_causes(struct json_out *out, const char *name, const struct ranked_cause *causes,
                         int n, const struct diagnose_request *request)
{
    json_key(out, name);
    json_begin_array(out);
    for (int i = 0; i < n; i++)
        write_cause(out, &causes[i], request);
    json_end_array(out);
}

/* What it rests on ----------------------------------------------------------------------------- */

static void write_expected(struct json_out *out, const struct diagnose_request *request)
{
    const struct plan *plan = request->plan;

    json_key(out, "expected");
    if (!plan) {
        json_null(out);
        return;
    }
    json_begin_object(out);
    json_put_text(out, "regime", regime_name(plan->regime));
    json_put_text(out, "dominant", class_name(plan->dominant.class));
    plan_json_estimate(out, "tpot_ms", &plan->tpot_ms);
    plan_json_estimate(out, "ttft_ms", &plan->ttft_ms);
    plan_json_estimate(out, "output_tok_s", &plan->output_tok_s);
    json_put_number(out, "step_us", plan->decode.expected_us);
    json_put_number(out, "device_us", plan->decode.device_us);
    json_put_number(out, "host_us", plan->decode.host_us);
    json_put_number(out, "exposed_host_us", plan->decode.exposed_host_us);
    json_put_number(out, "seen_tpot_ms", request->seen_tpot_us / US_PER_MS);
    json_put_number(out, "gap_ms", request->seen_tpot_us / US_PER_MS - plan->tpot_ms.expected);
    json_put_number(out, "kv_token_capacity", plan->memory.kv_token_capacity);
    json_put_number(out, "max_concurrency", plan->memory.max_concurrency);
    json_end_object(out);
}

static void write_quantities(struct json_out *out, const struct observed *observed)
{
    json_key(out, "quantities");
    json_begin_array(out);
    for (int i = 0; i < OBSERVED_COUNT; i++) {
        if (!observed_has(observed, (enum observed_id)i))
            continue;
        json_begin_object(out);
        json_put_text(out, "name", observed_quantity((enum observed_id)i)->name);
        json_put_number(out, "value", observed->q[i].value);
        json_put_text(out, "from", observed_from_name(observed->q[i].from));
        json_put_text(out, "over", observed_over_name(observed->q[i].over));
        json_end_object(out);
    }
    json_end_array(out);
}

static void write_signs(struct json_out *out, const struct symptoms *symptoms)
{
    struct phrase phrase;

    json_key(out, "signs");
    json_begin_array(out);
    for (int i = 0; i < SIGN_COUNT; i++) {
        const struct sign *sign = &symptoms->signs[i];
        if (!(sign->strength > 0))
            continue;
        json_begin_object(out);
        json_put_text(out, "id", sign_name((enum sign_id)i));
        phrase_begin(&phrase);
        diagnose_sign_words((enum sign_id)i, sign, &phrase);
        json_put_text(out, "text", phrase_text(&phrase));
        json_put_number(out, "strength", sign->strength);
        json_put_text(out, "origin", origin_name(sign->origin));
        json_end_object(out);
    }
    json_end_array(out);
}

static void write_topics(struct json_out *out, const struct symptoms *symptoms)
{
    static const char *const EFFECTS[] = {"worse", "better", "same"};

    json_key(out, "topics");
    json_begin_array(out);
    for (int i = 0; i < TOPIC_COUNT; i++) {
        const struct topic *topic = &symptoms->topics[i];
        const struct difference *differences[] = {&topic->worse, &topic->better, &topic->same};
        bool differs = false;
        for (size_t j = 0; j < ARRAY_LEN(differences); j++)
            differs = differs || differences[j]->strength > 0;
        if (!differs && !(topic->use > 0))
            continue;
        json_begin_object(out);
        json_put_text(out, "topic", topic_name((enum topic_id)i));
        json_put_text(out, "origin", origin_name(differs ? ORIGIN_ARMS : topic->origin));
        json_key(out, "with_it");
        json_begin_array(out);
        for (size_t j = 0; j < ARRAY_LEN(differences); j++)
            if (differences[j]->strength > 0)
                json_text(out, EFFECTS[j]);
        json_end_array(out);
        json_end_object(out);
    }
    json_end_array(out);
}

static void write_observed(struct json_out *out, const struct diagnose_request *request)
{
    json_key(out, "observed");
    json_begin_object(out);
    write_quantities(out, &request->observed);
    write_signs(out, &request->symptoms);
    write_topics(out, &request->symptoms);
    observed_put_readings(out, &request->observed);
    json_end_object(out);
}

static void write_unused(struct json_out *out, const struct diagnose_request *request)
{
    json_key(out, "not_used");
    json_begin_array(out);
    for (int i = 0; i < request->figures.n; i++)
        if (!request->figures.items[i].used)
            json_text(out, request->figures.items[i].name);
    for (int i = 0; i < request->n_unread; i++)
        json_text(out, request->unread[i]);
    json_end_array(out);
}

/* A note as a sentence; of a contradiction its reader gives the quantity alone. */
static void write_note(struct json_out *out, const struct observed_note *note)
{
    struct phrase phrase;

    phrase_begin(&phrase);
    phrase_add(&phrase, note->text);
    if (strcmp(note->code, "differs") == 0)
        phrase_add(&phrase, ": two sources differ by more than half, the more reliable one stands");
    json_text(out, phrase_text(&phrase));
}

static void write_notes(struct json_out *out, const struct diagnose_request *request)
{
    json_key(out, "notes");
    json_begin_array(out);
    if (request->no_plan)
        json_text(out, request->no_plan);
    for (int i = 0; i < request->n_notes; i++)
        json_text(out, request->notes[i]);
    for (int i = 0; i < request->observed.n_notes; i++)
        write_note(out, &request->observed.notes[i]);
    json_end_array(out);
}

void diagnose_json_write(struct json_out *out, const struct diagnose_report *report)
{
    const struct diagnosis *diagnosis = report->diagnosis;
    const char *missing;

    json_begin_object(out);
    json_put_bool(out, "healthy", diagnosis->healthy);
    write_causes(out, "causes", diagnosis->causes, diagnosis->n, report->request);
    write_causes(out, "ruled_out", diagnosis->ruled_out, diagnosis->n_ruled_out, report->request);
    json_put_text(out, "separate", diagnose_separate(report));
    json_key(out, "not_enough");
    json_begin_array(out);
    for (int i = 0; (missing = diagnose_missing(report, i)) != NULL; i++)
        json_text(out, missing);
    json_end_array(out);
    write_expected(out, report->request);
    write_observed(out, report->request);
    write_unused(out, report->request);
    write_notes(out, report->request);
    json_end_object(out);
}
