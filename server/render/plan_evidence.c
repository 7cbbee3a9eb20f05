#include "plan_evidence.h"

#include <math.h>

static const struct {
    const char *name;
    enum anchor_metric metric;
} FIGURES[MEASURED_FIGURES] = {
    [MEASURED_TTFT] = {"ttft_ms", METRIC_TTFT},
    [MEASURED_TPOT] = {"tpot_ms", METRIC_TPOT},
    [MEASURED_OUTPUT] = {"output_tok_s", METRIC_OUTPUT_RATE},
};

void plan_evidence_find(struct context *ctx, const struct plan *plan, bool summary,
                        struct plan_evidence *ret_evidence)
{
    struct anchor_measured *measured = ret_evidence->measured;
    bool known = !isnan(plan->decode.expected_us) && !isnan(plan->prefill.expected_us);
    ret_evidence->catalogue = ctx->catalogue;
    for (int i = 0; i < MEASURED_FIGURES; i++)
        measured[i] = (struct anchor_measured){FIGURES[i].metric, (double)NAN, NULL};
    if (!summary || !known)
        anchors_measured(ctx->catalogue, &plan->problem, measured, MEASURED_FIGURES);
    const struct plan_answers answers = {
        .ttft = !isnan(measured[MEASURED_TTFT].value),
        .tpot = !isnan(measured[MEASURED_TPOT].value),
    };
    plan_gaps_find(app_gap_links(ctx->app), app_gaps(ctx->app), plan, &answers, ctx->request->arena,
                   &ret_evidence->gaps);
}

void plan_evidence_write(struct json_out *out, const struct plan *plan,
                         const struct plan_evidence *evidence)
{
    json_key(out, "measured");
    json_begin_object(out);
    for (int i = 0; evidence && i < MEASURED_FIGURES; i++) {
        const struct anchor_measured *figure = &evidence->measured[i];
        if (isnan(figure->value))
            continue;
        json_key(out, FIGURES[i].name);
        json_begin_object(out);
        json_put_number(out, "value", figure->value);
        json_put_text(out, "anchor", figure->anchor);
        json_end_object(out);
    }
    json_end_object(out);
    json_key(out, "anchors");
    if (evidence) {
        anchors_render(out, evidence->catalogue, &plan->problem);
        return;
    }
    json_begin_array(out);
    json_end_array(out);
}
