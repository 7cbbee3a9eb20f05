#include "check_json.h"

#include <math.h>

#include "memory_json.h"
#include "plan_json.h"
#include "request_json.h"

#define CURES_PER_CHECK 3

static void put_flags(struct json_out *out, const struct check_report *report,
                      const struct check_cure *cure)
{
    const char *flag;

    json_key(out, "flags");
    json_begin_array(out);
    for (int i = 0; (flag = check_cure_flag(out->arena, report, cure, i)) != NULL; i++)
        json_text(out, flag);
    json_end_array(out);
}

/* What the cure makes of this one check. */
static void write_cure_of_check(struct json_out *out, const struct check_report *report,
                                const struct check *check, const struct check_cure *cure)
{
    json_begin_object(out);
    json_put_text(out, "id", cure->id);
    json_put_bool(out, "passes", check_cure_passes(cure, check->id));
    json_put_number(out, "predicted",
                    cure->applies[check->id] ? cure->predicted[check->id] : (double)NAN);
    put_flags(out, report, cure);
    json_end_object(out);
}

static void write_check(struct json_out *out, const struct check_report *report,
                        const struct check *check)
{
    const struct check_info *info = check_info(check->id);
    struct phrase sentence;

    check_sentence(check, &sentence);
    json_begin_object(out);
    json_put_text(out, "id", check_name(check->id));
    json_put_text(out, "title", info->title);
    json_put_text(out, "verdict", check_verdict_name(check->verdict));
    json_put_number(out, "limit", check->limit);
    json_put_number(out, "predicted", check->predicted);
    json_put_number(out, "low", check->low);
    json_put_number(out, "high", check->high);
    json_put_text(out, "unit", info->unit[0] ? info->unit : NULL);
    json_put_text(out, "basis", basis_name(check->basis));
    json_put_text(out, "pointer", info->pointer);
    json_key(out, "detail");
    json_text_n(out, sentence.text, sentence.length);
    json_key(out, "cures");
    json_begin_array(out);
    for (int i = 0; check->verdict != CHECK_PASS && i < CURES_PER_CHECK; i++) {
        const struct check_cure *cure = check_cure_for(report, check, i);
        if (cure)
            write_cure_of_check(out, report, check, cure);
    }
    json_end_array(out);
    json_end_object(out);
}

static void write_change(struct json_out *out, const struct cure_change *change)
{
    json_key(out, change->pointer);
    if (change->text)
        json_text(out, change->text);
    else if (change->is_bool)
        json_bool(out, change->number != 0);
    else
        json_number(out, change->number);
}

static void write_cure(struct json_out *out, const struct check_report *report,
                       const struct check_cure *cure, int rank)
{
    json_begin_object(out);
    json_put_text(out, "id", cure->id);
    json_put_number(out, "rank", rank);
    json_put_text(out, "title", cure->title);
    json_put_text(out, "why", cure->why);
    json_key(out, "change");
    json_begin_object(out);
    for (int i = 0; i < cure->n_changes; i++)
        write_change(out, &cure->changes[i]);
    json_end_object(out);
    put_flags(out, report, cure);
    json_put_text(out, "verdict", check_verdict_name(cure->verdict));
    json_key(out, "passes");
    json_begin_array(out);
    for (int i = 0; i < report->checks->n; i++) {
        const struct check *check = &report->checks->items[i];
        if (check->verdict != CHECK_PASS && check_cure_passes(cure, check->id))
            json_text(out, check_name(check->id));
    }
    json_end_array(out);
    json_key(out, "fails");
    json_begin_array(out);
    for (int i = 0; i < CHECK_COUNT; i++)
        if (cure->fails & 1u << i)
            json_text(out, check_name((enum check_id)i));
    json_end_array(out);
    json_key(out, "effect");
    json_begin_object(out);
    json_put_number(out, "tpot", cure->tpot);
    json_put_number(out, "ttft", cure->ttft);
    json_put_number(out, "output_tok_s", cure->output_tok_s);
    json_put_number(out, "memory", cure->memory);
    json_put_number(out, "devices", cure->devices);
    json_end_object(out);
    json_put_text(out, "regime_after", regime_name(cure->regime_after));
    json_put_text(out, "basis", basis_name(cure->basis));
    json_end_object(out);
}

void check_json_members(struct json_out *out, const struct check_report *report)
{
    json_put_text(out, "verdict", check_verdict_name(report->checks->verdict));
    json_key(out, "checks");
    json_begin_array(out);
    for (int i = 0; i < report->checks->n; i++)
        write_check(out, report, &report->checks->items[i]);
    json_end_array(out);
    json_key(out, "cures");
    json_begin_array(out);
    for (int i = 0; i < report->n_cures; i++)
        write_cure(out, report, &report->cures[i], i + 1);
    json_end_array(out);
}

void check_json_write(struct json_out *out, const struct check_report *report,
                      const struct plan_gaps *gaps)
{
    json_begin_object(out);
    check_json_members(out, report);
    json_key(out, "request");
    request_json_write(out, report->request);
    json_key(out, "assumed");
    request_json_assumed(out, report->request);
    json_key(out, "assumed_from");
    request_json_assumed_from(out, report->request);
    plan_json_ignored_flags(out, &report->request->described);
    plan_json_latency(out, report->plan);
    plan_json_throughput(out, report->plan);
    memory_json_write(out, report->request, report->plan);
    json_key(out, "gaps");
    gaps_render(out, gaps);
    plan_json_warnings(out, report->plan, &report->request->described);
    json_end_object(out);
}
