#include "plan_json.h"

#include <math.h>
#include <string.h>

#include "formula.h"
#include "member.h"
#include "memory_json.h"
#include "request_json.h"
#include "verdict.h"

#define SUMMARY_CURES 3

static void put_phrase(struct json_out *out, const char *name, const struct phrase *phrase)
{
    json_key(out, name);
    json_text_n(out, phrase->text, phrase->length);
}

static void put_text_or_null(struct json_out *out, const char *name, const char *text)
{
    json_key(out, name);
    json_text(out, text && text[0] ? text : NULL);
}

/* Regime and dominant class -------------------------------------------------------------------- */

static void write_answers(struct json_out *out, const struct plan *plan)
{
    json_key(out, "answers");
    json_begin_object(out);
    json_put_number(out, "concurrent_requests", plan->problem.load.concurrency);
    json_put_number(out, "model_bytes", verdict_model_bytes(&plan->problem));
    json_put_number(out, "context_tokens", plan->decode.context_tokens);
    json_put_text(out, "sampler", plan->problem.dep.sampler == SAMPLER_HOST ? "host" : "device");
    json_end_object(out);
}

void plan_json_regime(struct json_out *out, const struct plan *plan)
{
    struct phrase because;

    verdict_because(plan, &because);
    json_key(out, "regime");
    json_begin_object(out);
    json_put_text(out, "id", regime_name(plan->regime));
    put_text_or_null(out, "seed_regime", regime_seed_letter(plan->regime));
    json_put_text(out, "title", regime_info(plan->regime)->title);
    put_phrase(out, "because", &because);
    write_answers(out, plan);
    json_end_object(out);
}

void plan_json_dominant(struct json_out *out, const struct dominant *dominant)
{
    json_key(out, "dominant");
    json_begin_object(out);
    json_put_text(out, "phase", dominant->phase == PHASE_DECODE ? "decode" : "prefill");
    json_put_text(out, "class", class_name(dominant->class));
    json_put_text(out, "pass", pass_name(dominant->pass));
    json_put_text(out, "bound", bound_name(dominant->bound));
    json_put_number(out, "share", dominant->share);
    json_end_object(out);
}

/* Classes -------------------------------------------------------------------------------------- */

static const char *match_name(enum fit_match match)
{
    switch (match) {
    case FIT_EXACT:
        return "same version";
    case FIT_OTHER_VERSION:
        return "nearest version";
    case FIT_OTHER_ENGINE:
        return "another engine";
    case FIT_OTHER_TYPE:
        return "another type";
    case FIT_OTHER_PART:
        return "another part of the family";
    case FIT_NONE:
        break;
    }
    return "none";
}

static void put_version_behind(struct json_out *out, const int version[3])
{
    struct phrase phrase;

    phrase_begin(&phrase);
    phrase_version(&phrase, version);
    MEMBER_TEXT(out, "engine_version", phrase_text(&phrase));
}

static const struct member OP_FIT_NUMBERS[] = {
    MEMBER("kernels", op_fit, n),
    MEMBER("median_error", op_fit, median_abs_err),
    MEMBER("p90_error", op_fit, p90_abs_err),
};

static void write_op_fit(struct json_out *out, const struct plan *plan,
                         const struct class_cost *cost)
{
    const struct op_fit *fit = cost->fit;

    json_begin_object(out);
    json_put_text(out, "id", fit->record);
    MEMBER_TEXT(out, "hardware", plan->problem.lib->hardware[fit->hardware].id);
    MEMBER_TEXT(out, "engine", plan->problem.lib->engines[fit->engine].id);
    put_version_behind(out, fit->version);
    MEMBER_TEXT(out, "op", fit_op_name(fit->op));
    MEMBER_TEXT(out, "dtype", fit_dtype_name(fit->dtype));
    MEMBER_TEXT(out, "match", match_name(cost->match));
    member_numbers(out, OP_FIT_NUMBERS, ARRAY_LEN(OP_FIT_NUMBERS), fit);
    json_end_object(out);
}

static void write_comm_fit(struct json_out *out, const struct plan *plan,
                           const struct class_cost *cost)
{
    const struct comm_fit *fit = cost->comm;

    json_begin_object(out);
    json_put_text(out, "id", fit->record);
    MEMBER_TEXT(out, "hardware", plan->problem.lib->hardware[fit->hardware].id);
    put_text_or_null(out, "engine",
                     fit->engine >= 0 ? plan->problem.lib->engines[fit->engine].id : NULL);
    put_version_behind(out, fit->version);
    json_put_text(out, "op", "collective");
    json_put_number(out, "devices", fit->devices);
    json_put_bool(out, "graph", fit->graph);
    json_put_text(out, "match", match_name(cost->match));
    json_put_number(out, "kernels", fit->n);
    json_put_number(out, "median_error", fit->median_abs_err);
    json_end_object(out);
}

/* What names the constant's engine where the row speaks of one. */
static void write_local_fit(struct json_out *out, const struct plan *plan,
                            const struct class_cost *cost)
{
    const struct local_fit *fit = cost->local;

    json_begin_object(out);
    json_put_text(out, "id", fit->record);
    put_text_or_null(out, "engine",
                     fit->scope.engine >= 0 ? plan->problem.lib->engines[fit->scope.engine].id
                                            : NULL);
    json_put_text(out, "op", local_constant_name(fit->constant));
    json_put_text(out, "match", local_tier_name(cost->tier));
    json_put_number(out, "kernels", fit->n);
    json_put_number(out, "median_error", fit->median_abs_err);
    json_put_number(out, "p90_error", fit->p90_abs_err);
    json_end_object(out);
}

static void write_fit(struct json_out *out, const struct plan *plan, const struct class_cost *cost)
{
    json_key(out, "fit");
    if (cost->fit)
        write_op_fit(out, plan, cost);
    else if (cost->comm)
        write_comm_fit(out, plan, cost);
    else if (cost->local)
        write_local_fit(out, plan, cost);
    else
        json_null(out);
}

static const struct member CLASS_AMOUNTS[] = {
    MEMBER("bytes", class_cost, bytes),
    MEMBER("flops", class_cost, flops),
    MEMBER("link_bytes", class_cost, link_bytes),
    MEMBER("host_bytes", class_cost, host_bytes),
    MEMBER("weight_bytes", class_cost, weight_bytes),
    MEMBER("launches", class_cost, launches),
    MEMBER("floor_us", class_cost, floor_us),
};

static const struct member CLASS_TIMES[] = {
    MEMBER("fixed_us", class_cost, fixed_us),
    MEMBER("memory_us", class_cost, memory_us),
    MEMBER("compute_us", class_cost, compute_us),
    MEMBER("share", class_cost, share),
};

static void write_class(struct json_out *out, const struct plan *plan, enum phase phase,
                        enum class_id id, struct figures *figures)
{
    const struct step *step = phase == PHASE_DECODE ? &plan->decode : &plan->prefill;
    const struct class_cost *cost = &step->classes[id];
    bool streams = cost->bytes > 0 && step->weight_read_bytes > 0;
    struct phrase formula;

    formula_class(plan, phase, id, figures, &formula);
    json_begin_object(out);
    json_put_text(out, "class", class_name(id));
    MEMBER_TEXT(out, "pass", pass_name(class_info(id)->pass));
    MEMBER_TEXT(out, "bound", bound_name(cost->bound));
    member_numbers(out, CLASS_AMOUNTS, ARRAY_LEN(CLASS_AMOUNTS), cost);
    json_put_number(out, "expected_us",
                    cost->basis == BASIS_NO_RECORD ? (double)NAN : cost->time_us);
    member_numbers(out, CLASS_TIMES, ARRAY_LEN(CLASS_TIMES), cost);
    json_put_number(out, "of_weight_read",
                    streams ? cost->bytes / step->weight_read_bytes : (double)NAN);
    MEMBER_TEXT(out, "formula", phrase_text(&formula));
    MEMBER_TEXT(out, "basis", basis_name(cost->basis));
    write_fit(out, plan, cost);
    json_put_text(out, "anchor", cost->anchor);
    json_end_object(out);
}

static void write_classes(struct json_out *out, const struct plan *plan, enum phase phase)
{
    const struct step *step = phase == PHASE_DECODE ? &plan->decode : &plan->prefill;
    struct figures figures;

    formula_step(plan, phase, &figures);
    json_key(out, "classes");
    json_begin_array(out);
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (step->classes[i].present)
            write_class(out, plan, phase, (enum class_id)i, &figures);
    }
    json_end_array(out);
}

/* Steps ---------------------------------------------------------------------------------------- */

static void write_step_figures(struct json_out *out, const struct step *step,
                               const double factors[2])
{
    json_put_number(out, "bytes", step->bytes);
    json_put_number(out, "flops", step->flops);
    json_put_number(out, "link_bytes", step->link_bytes);
    json_put_number(out, "weight_read_bytes", step->weight_read_bytes);
    json_put_number(out, "arithmetic_intensity", step->arithmetic_intensity);
    json_put_number(out, "ridge", verdict_ridge(step));
    json_put_number(out, "floor_us", step->floor_us);
    json_put_number(out, "expected_us", step->expected_us);
    double low = step->expected_us * factors[0];
    json_put_number(out, "low_us", low < step->floor_us ? step->floor_us : low);
    json_put_number(out, "high_us", step->expected_us * factors[1]);
    json_put_text(out, "basis", basis_name(step->basis));
    json_put_number(out, "device_us", step->device_us);
    json_put_number(out, "host_us", step->host_us);
    json_put_number(out, "exposed_host_us", step->exposed_host_us);
}

static void write_decode(struct json_out *out, const struct plan *plan)
{
    json_key(out, "decode");
    json_begin_object(out);
    json_put_number(out, "batch", plan->decode.batch);
    json_put_number(out, "context_tokens", plan->decode.context_tokens);
    json_put_number(out, "tokens_per_step", plan->decode.tokens_per_step);
    write_step_figures(out, &plan->decode, plan->decode_factors);
    plan_json_dominant(out, &plan->decode.dominant);
    write_classes(out, plan, PHASE_DECODE);
    json_end_object(out);
}

static void write_prefill(struct json_out *out, const struct plan *plan)
{
    const struct step *step = &plan->prefill;

    json_key(out, "prefill");
    json_begin_object(out);
    json_put_number(out, "tokens", step->tokens);
    json_put_number(out, "chunks", step->chunks);
    write_step_figures(out, step, plan->prefill_factors);
    json_put_number(out, "linear_flops", step->linear_flops);
    json_put_number(out, "attention_flops", step->attention_flops);
    json_put_number(out, "kv_write_bytes", step->kv_write_bytes);
    json_put_number(out, "crossover_tokens", step->crossover_tokens);
    json_put_number(out, "attention_ridge_tokens", step->attention_ridge_tokens);
    json_put_number(out, "attention_ridge_kv_only_tokens", step->attention_ridge_kv_only_tokens);
    plan_json_dominant(out, &step->dominant);
    write_classes(out, plan, PHASE_PREFILL);
    json_end_object(out);
}

/* Latency, throughput, memory ------------------------------------------------------------------ */

void plan_json_estimate(struct json_out *out, const char *name, const struct estimate *estimate)
{
    json_key(out, name);
    json_begin_object(out);
    json_put_number(out, "floor", estimate->floor);
    json_put_number(out, "expected", estimate->expected);
    json_put_number(out, "low", estimate->low);
    json_put_number(out, "high", estimate->high);
    json_put_text(out, "basis", basis_name(estimate->basis));
    json_end_object(out);
}

/* What was measured near, and the factors that it puts on the model's times. */
static void write_nearness(struct json_out *out, const struct nearness *near)
{
    json_key(out, "nearness");
    json_begin_object(out);
    json_put_text(out, "tier", interval_tier_name(near->tier));
    json_put_number(out, "anchors", near->n);
    json_put_number(out, "tpot_factor", near->n > 0 ? near->factor[INTERVAL_TPOT] : 1.0);
    json_put_number(out, "ttft_factor", near->n > 0 ? near->factor[INTERVAL_TTFT] : 1.0);
    json_end_object(out);
}

void plan_json_latency(struct json_out *out, const struct plan *plan)
{
    json_key(out, "latency");
    json_begin_object(out);
    plan_json_estimate(out, "ttft_ms", &plan->ttft_ms);
    plan_json_estimate(out, "tpot_ms", &plan->tpot_ms);
    plan_json_estimate(out, "e2e_ms", &plan->e2e_ms);
    write_nearness(out, &plan->problem.near);
    json_end_object(out);
}

void plan_json_throughput(struct json_out *out, const struct plan *plan)
{
    json_key(out, "throughput");
    json_begin_object(out);
    plan_json_estimate(out, "output_tok_s", &plan->output_tok_s);
    plan_json_estimate(out, "per_user_tok_s", &plan->per_user_tok_s);
    plan_json_estimate(out, "requests_s", &plan->requests_s);
    plan_json_estimate(out, "max_request_rate", &plan->max_request_rate);
    json_end_object(out);
}

static void write_memory_summary(struct json_out *out, const struct memory_plan *memory)
{
    json_key(out, "memory");
    json_begin_object(out);
    json_put_bool(out, "fits", memory->fits);
    json_put_number(out, "kv_token_capacity", memory->kv_token_capacity);
    json_put_number(out, "max_concurrency", memory->max_concurrency);
    json_end_object(out);
}

/* Moves and cures ------------------------------------------------------------------------------ */

static void write_move(struct json_out *out, const struct move *move)
{
    bool found = move->to_text || isfinite(move->at);

    json_begin_object(out);
    json_put_text(out, "axis", move->axis);
    json_put_text(out, "direction", move->to_text ? "other" : move->upward ? "up" : "down");
    json_key(out, "from");
    if (move->from_text)
        json_text(out, move->from_text);
    else
        json_number(out, move->from);
    json_key(out, "at");
    if (move->to_text)
        json_text(out, move->to_text);
    else
        json_number(out, move->at);
    json_put_text(out, "to_regime", found ? regime_name(move->to_regime) : NULL);
    json_put_text(out, "to_class", found ? class_name(move->to_class) : NULL);
    json_end_object(out);
}

static void write_moves(struct json_out *out, const struct plan *plan)
{
    json_key(out, "moves");
    json_begin_array(out);
    for (int i = 0; i < plan->n_moves; i++)
        write_move(out, &plan->moves[i]);
    json_end_array(out);
}

static void write_change(struct json_out *out, const struct cure_result *result)
{
    json_key(out, "change");
    json_begin_object(out);
    for (int i = 0; i < result->n_changes; i++) {
        const struct cure_change *change = &result->changes[i];
        json_key(out, change->pointer);
        if (change->text)
            json_text(out, change->text);
        else if (change->is_bool)
            json_bool(out, change->number != 0);
        else
            json_number(out, change->number);
    }
    json_end_object(out);
}

static void write_evidence(struct json_out *out, const struct cure_info *info)
{
    json_key(out, "evidence");
    json_begin_array(out);
    for (const char *const *anchor = info->anchors; *anchor; anchor++) {
        json_begin_object(out);
        json_put_text(out, "anchor", *anchor);
        json_end_object(out);
    }
    json_end_array(out);
    json_put_text(out, "evidence_status", info->anchors[0] ? "measured" : "no record");
}

static const struct member EFFECT_NUMBERS[] = {
    MEMBER("ttft", cure_result, ttft),
    MEMBER("output_tok_s", cure_result, output_tok_s),
    MEMBER("memory", cure_result, memory),
    MEMBER("devices", cure_result, devices),
};

static void write_cure(struct json_out *out, const struct cure_result *result)
{
    const struct cure_info *info = cure_info(result->cure);

    json_begin_object(out);
    json_put_text(out, "id", info->id);
    MEMBER_TEXT(out, "title", info->title);
    json_put_number(out, "rank", result->is_cure ? (double)result->rank : (double)NAN);
    write_change(out, result);
    MEMBER_TEXT(out, "why", result->why ? result->why : info->why);
    MEMBER_TEXT(out, "when_not", info->when_not);
    json_key(out, "effect");
    json_begin_object(out);
    json_put_number(out, "tpot", result->tpot);
    member_numbers(out, EFFECT_NUMBERS, ARRAY_LEN(EFFECT_NUMBERS), result);
    json_end_object(out);
    MEMBER_TEXT(out, "regime_after", regime_name(result->regime_after));
    MEMBER_TEXT(out, "basis", basis_name(result->basis));
    write_evidence(out, info);
    json_end_object(out);
}

/* Cures or non-cures, at most `most` of them. */
static void write_cures(struct json_out *out, const char *name, const struct plan *plan, bool cures,
                        int most)
{
    json_key(out, name);
    json_begin_array(out);
    for (int i = 0; i < plan->n_results && most > 0; i++) {
        if (plan->results[i].is_cure != cures)
            continue;
        write_cure(out, &plan->results[i]);
        most--;
    }
    json_end_array(out);
}

void plan_json_notes(struct json_out *out, const struct described *described)
{
    const struct described_note *note = described ? described->notes : NULL;

    for (; note; note = note->next) {
        json_begin_object(out);
        json_put_text(out, "id", note->id);
        json_put_text(out, "pointer", note->pointer);
        json_put_text(out, "detail", note->detail);
        json_end_object(out);
    }
}

void plan_json_warnings(struct json_out *out, const struct plan *plan,
                        const struct described *described)
{
    struct phrase detail;

    json_key(out, "warnings");
    json_begin_array(out);
    for (int i = 0; i < plan->n_warnings; i++) {
        const struct warning *warning = &plan->warnings[i];
        verdict_warning(warning, &detail);
        json_begin_object(out);
        json_put_text(out, "id", verdict_warning_id(warning));
        json_put_text(out, "pointer", verdict_warning_pointer(warning));
        put_phrase(out, "detail", &detail);
        json_end_object(out);
    }
    plan_json_notes(out, described);
    json_end_array(out);
}

void plan_json_ignored_flags(struct json_out *out, const struct described *described)
{
    json_key(out, "ignored_flags");
    json_begin_array(out);
    for (const struct described_flag *flag = described->flags; flag; flag = flag->next)
        json_text(out, flag->flag);
    json_end_array(out);
}

void plan_json_full(struct json_out *out, const struct plan_request *request,
                    const struct plan *plan, const struct plan_evidence *evidence)
{
    json_begin_object(out);
    json_key(out, "request");
    request_json_write(out, request);
    json_key(out, "assumed");
    request_json_assumed(out, request);
    json_key(out, "assumed_from");
    request_json_assumed_from(out, request);
    plan_json_ignored_flags(out, &request->described);
    plan_json_regime(out, plan);
    plan_json_dominant(out, &plan->dominant);
    write_decode(out, plan);
    write_prefill(out, plan);
    plan_json_latency(out, plan);
    plan_json_throughput(out, plan);
    memory_json_write(out, request, plan);
    write_moves(out, plan);
    write_cures(out, "cures", plan, true, CURES_MAX);
    write_cures(out, "non_cures", plan, false, CURES_MAX);
    plan_evidence_write(out, plan, evidence);
    json_key(out, "gaps");
    gaps_render(out, evidence ? &evidence->gaps : NULL);
    plan_json_warnings(out, plan, &request->described);
    json_end_object(out);
}

void plan_json_summary(struct json_out *out, const struct plan_request *request,
                       const struct plan *plan)
{
    json_begin_object(out);
    plan_json_regime(out, plan);
    plan_json_dominant(out, &plan->dominant);
    plan_json_latency(out, plan);
    plan_json_throughput(out, plan);
    write_memory_summary(out, &plan->memory);
    write_cures(out, "cures", plan, true, SUMMARY_CURES);
    plan_json_warnings(out, plan, &request->described);
    json_end_object(out);
}
