#include "compare_json.h"

#include <math.h>
#include <string.h>

#include "check_json.h"
#include "memory_json.h"
#include "plan_json.h"
#include "request_json.h"

#define VALUE_MAX ((size_t)4096)

const struct compare_figure COMPARE_FIGURES[] = {
    {"ttft_ms", "latency", offsetof(struct plan, ttft_ms)},
    {"tpot_ms", "latency", offsetof(struct plan, tpot_ms)},
    {"e2e_ms", "latency", offsetof(struct plan, e2e_ms)},
    {"output_tok_s", "throughput", offsetof(struct plan, output_tok_s)},
    {"per_user_tok_s", "throughput", offsetof(struct plan, per_user_tok_s)},
    {"requests_s", "throughput", offsetof(struct plan, requests_s)},
    {"max_request_rate", "throughput", offsetof(struct plan, max_request_rate)},
};

const int N_COMPARE_FIGURES = (int)ARRAY_LEN(COMPARE_FIGURES);

double compare_change(double before, double after)
{
    return (after - before) / before;
}

double compare_class_us(const struct step *step, enum class_id id)
{
    const struct class_cost *cost = &step->classes[id];

    return cost->present && cost->basis != BASIS_NO_RECORD ? cost->time_us : (double)NAN;
}

/* Inputs --------------------------------------------------------------------------------------- */

bool compare_leaf_differs(struct arena *arena, const struct compare_report *report,
                          enum field_id id)
{
    struct json_out before, after;

    json_out_init(&before, arena, 64, VALUE_MAX * 64);
    request_json_leaf(&before, report->baseline, id);
    json_out_init(&after, arena, 64, VALUE_MAX * 64);
    request_json_leaf(&after, report->candidate, id);
    return before.length != after.length || memcmp(before.text, after.text, before.length) != 0;
}

static void write_changes(struct json_out *out, const struct compare_report *report)
{
    json_key(out, "changes");
    json_begin_array(out);
    for (int i = 0; i < FIELD_ID_COUNT; i++) {
        enum field_id id = (enum field_id)i;
        if (!compare_leaf_differs(out->arena, report, id))
            continue;
        json_begin_object(out);
        json_put_text(out, "pointer", PLAN_FIELDS.rows[i].pointer);
        json_key(out, "baseline");
        request_json_leaf(out, report->baseline, id);
        json_key(out, "candidate");
        request_json_leaf(out, report->candidate, id);
        json_put_bool(out, "baseline_assumed", report->baseline->assumed[i]);
        json_put_bool(out, "candidate_assumed", report->candidate->assumed[i]);
        json_end_object(out);
    }
    json_end_array(out);
}

/* Deltas --------------------------------------------------------------------------------------- */

static void put_pair(struct json_out *out, const char *name, double before, double after)
{
    json_key(out, name);
    json_begin_object(out);
    json_put_number(out, "baseline", before);
    json_put_number(out, "candidate", after);
    json_put_number(out, "change", compare_change(before, after));
    json_end_object(out);
}

static double share_of(const struct step *step, enum class_id id)
{
    return step->classes[id].present ? step->classes[id].share : 0;
}

static double bytes_of(const struct step *step, enum class_id id)
{
    const struct class_cost *cost = &step->classes[id];

    return cost->present ? cost->bytes + cost->link_bytes + cost->host_bytes : 0;
}

/* A class that does not occur takes no time: 0 there, null where it has no record. */
static double time_of(const struct step *step, enum class_id id)
{
    return step->classes[id].present ? compare_class_us(step, id) : 0;
}

static void write_class(struct json_out *out, const struct step *before, const struct step *after,
                        enum class_id id)
{
    json_begin_object(out);
    json_put_text(out, "class", class_name(id));
    json_put_bool(out, "in_baseline", before->classes[id].present);
    json_put_bool(out, "in_candidate", after->classes[id].present);
    json_put_number(out, "baseline_us", time_of(before, id));
    json_put_number(out, "candidate_us", time_of(after, id));
    json_put_number(out, "delta_us", time_of(after, id) - time_of(before, id));
    json_put_number(out, "baseline_bytes", bytes_of(before, id));
    json_put_number(out, "candidate_bytes", bytes_of(after, id));
    json_put_number(out, "delta_bytes", bytes_of(after, id) - bytes_of(before, id));
    json_put_number(out, "baseline_share", share_of(before, id));
    json_put_number(out, "candidate_share", share_of(after, id));
    json_put_number(out, "delta_share", share_of(after, id) - share_of(before, id));
    json_end_object(out);
}

static void write_step(struct json_out *out, const char *name, const struct step *before,
                       const struct step *after)
{
    json_key(out, name);
    json_begin_object(out);
    put_pair(out, "expected_us", before->expected_us, after->expected_us);
    put_pair(out, "floor_us", before->floor_us, after->floor_us);
    put_pair(out, "bytes", before->bytes, after->bytes);
    put_pair(out, "flops", before->flops, after->flops);
    json_key(out, "dominant");
    json_begin_object(out);
    json_put_text(out, "baseline", class_name(before->dominant.class));
    json_put_text(out, "candidate", class_name(after->dominant.class));
    json_put_bool(out, "moved", before->dominant.class != after->dominant.class);
    json_end_object(out);
    json_key(out, "classes");
    json_begin_array(out);
    for (int i = 0; i < CLASS_COUNT; i++)
        if (before->classes[i].present || after->classes[i].present)
            write_class(out, before, after, (enum class_id)i);
    json_end_array(out);
    json_end_object(out);
}

static const struct estimate *estimate_at(const struct plan *plan, size_t offset)
{
    return (const struct estimate *)(const void *)((const char *)plan + offset);
}

static void write_section(struct json_out *out, const struct compare_report *report,
                          const char *section)
{
    json_key(out, section);
    json_begin_object(out);
    for (int i = 0; i < N_COMPARE_FIGURES; i++) {
        const struct compare_figure *figure = &COMPARE_FIGURES[i];
        if (strcmp(figure->section, section) == 0)
            put_pair(out, figure->name, estimate_at(report->before, figure->offset)->expected,
                     estimate_at(report->after, figure->offset)->expected);
    }
    json_end_object(out);
}

struct memory_row {
    const char *name;
    size_t offset;
};

static const struct memory_row MEMORY_ROWS[] = {
    {"weights_bytes", offsetof(struct memory_plan, weights_bytes)},
    {"activation_bytes", offsetof(struct memory_plan, activation_bytes)},
    {"overhead_bytes", offsetof(struct memory_plan, overhead_bytes)},
    {"usable_bytes", offsetof(struct memory_plan, usable_bytes)},
    {"kv_bytes", offsetof(struct memory_plan, kv_bytes)},
    {"kv_bytes_per_token", offsetof(struct memory_plan, kv_bytes_per_token)},
    {"kv_token_capacity", offsetof(struct memory_plan, kv_token_capacity)},
    {"max_concurrency", offsetof(struct memory_plan, max_concurrency)},
};

static void write_memory(struct json_out *out, const struct compare_report *report)
{
    const char *before = (const char *)&report->before->memory;
    const char *after = (const char *)&report->after->memory;

    json_key(out, "memory");
    json_begin_object(out);
    for (size_t i = 0; i < ARRAY_LEN(MEMORY_ROWS); i++) {
        double a, b;
        memcpy(&a, before + MEMORY_ROWS[i].offset, sizeof(a));
        memcpy(&b, after + MEMORY_ROWS[i].offset, sizeof(b));
        put_pair(out, MEMORY_ROWS[i].name, a, b);
    }
    json_end_object(out);
}

static void write_moved(struct json_out *out, const struct compare_report *report)
{
    const struct dominant *before = &report->before->dominant, *after = &report->after->dominant;

    json_key(out, "regime");
    json_begin_object(out);
    json_put_text(out, "baseline", regime_name(report->before->regime));
    json_put_text(out, "candidate", regime_name(report->after->regime));
    json_put_bool(out, "moved", report->before->regime != report->after->regime);
    json_end_object(out);
    json_key(out, "dominant");
    json_begin_object(out);
    json_put_text(out, "baseline", class_name(before->class));
    json_put_text(out, "candidate", class_name(after->class));
    json_put_bool(out, "moved", before->class != after->class || before->phase != after->phase);
    json_end_object(out);
}

/* One of the two plans, in short. */
static void write_side(struct json_out *out, const char *name, const struct plan_request *request,
                       const struct plan *plan)
{
    json_key(out, name);
    json_begin_object(out);
    json_key(out, "request");
    request_json_write(out, request);
    json_key(out, "assumed");
    request_json_assumed(out, request);
    plan_json_ignored_flags(out, &request->described);
    plan_json_regime(out, plan);
    plan_json_dominant(out, &plan->dominant);
    plan_json_latency(out, plan);
    plan_json_throughput(out, plan);
    memory_json_write(out, request, plan);
    plan_json_warnings(out, plan, &request->described);
    json_end_object(out);
}

void compare_json_write(struct json_out *out, const struct compare_report *report)
{
    json_begin_object(out);
    check_json_members(out, &report->check);
    write_changes(out, report);
    write_moved(out, report);
    write_section(out, report, "latency");
    write_section(out, report, "throughput");
    write_memory(out, report);
    write_step(out, "decode", &report->before->decode, &report->after->decode);
    write_step(out, "prefill", &report->before->prefill, &report->after->prefill);
    write_side(out, "baseline", report->baseline, report->before);
    write_side(out, "candidate", report->candidate, report->after);
    json_end_object(out);
}
