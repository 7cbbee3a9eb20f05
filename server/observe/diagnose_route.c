#include "diagnose_route.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "body.h"
#include "diagnose_json.h"
#include "negotiate.h"
#include "plan_body.h"
#include "problem.h"

static const char *const OWN[] = {"format"};

/* What an answer is made of, too large for the stack of a handler. */
struct work {
    struct diagnose_request request;
    struct diagnosis diagnosis;
};

void diagnose_handler(struct context *ctx)
{
    struct faults faults;
    struct json_out out;

    faults_init(&faults, ctx->request->arena);
    plan_body_refuse_leaves(ctx->request, OWN, (int)ARRAY_LEN(OWN), &faults);
    cJSON *body = body_json(ctx);
    if (!body)
        return;
    struct work *work = arena_alloc(ctx->request->arena, sizeof(*work));
    if (!work) {
        problem_status(ctx, 413, "the request needs more memory than one request may use");
        return;
    }
    if (!cJSON_IsObject(body))
        fault_add(&faults, "", NULL,
                  "expected an object: a deployment and what was observed of it");
    if (!cJSON_IsObject(body) || !diagnose_request_read(ctx, body, &faults, &work->request)) {
        problem_faults(ctx, &faults);
        return;
    }
    diagnose(&work->request.symptoms, &work->diagnosis);
    const struct diagnose_report report = {&work->request, &work->diagnosis};
    reply_begin(ctx, &out);
    if (strcmp(ctx->format, MEDIA_TEXT) == 0)
        diagnose_text_write(&out, &report);
    else
        diagnose_json_write(&out, &report);
    reply_write(ctx, 200, &out);
}

/* The table ------------------------------------------------------------------------------------ */

static const char *const WHEN[] = {
    [WHEN_SIGN] = "sign",        [WHEN_ABSENT] = "no sign",     [WHEN_USES] = "in use",
    [WHEN_WORSE] = "worse with", [WHEN_BETTER] = "better with", [WHEN_SAME] = "same with",
    [WHEN_TOLD] = "told of",
};

static void write_conditions(struct json_out *out, const struct rule *rule)
{
    json_key(out, "when");
    json_begin_array(out);
    for (int i = 0; i < RULE_CONDITIONS && rule->when[i].kind != WHEN_END; i++) {
        const struct condition *when = &rule->when[i];
        bool sign = when->kind == WHEN_SIGN || when->kind == WHEN_ABSENT;
        json_begin_object(out);
        json_put_text(out, "is", WHEN[when->kind]);
        json_put_text(out, "of",
                      sign                      ? sign_name((enum sign_id)when->subject)
                      : when->kind == WHEN_TOLD ? cause_name((enum cause_id)when->subject)
                                                : topic_name((enum topic_id)when->subject));
        json_end_object(out);
    }
    json_end_array(out);
}

static void write_rules(struct json_out *out, enum cause_id id)
{
    const struct rule *rule;

    json_key(out, "signs");
    json_begin_array(out);
    for (int i = 0; (rule = rule_at(i)) != NULL; i++) {
        if (rule->cause != id)
            continue;
        json_begin_object(out);
        write_conditions(out, rule);
        json_put_number(out, "weight", rule->weight);
        json_put_text(out, "because", rule->because);
        json_put_text(out, "source", rule->source);
        json_end_object(out);
    }
    json_end_array(out);
}

static void write_info(struct json_out *out, enum cause_id id)
{
    const struct cause_info *info = cause_info(id);

    json_begin_object(out);
    json_put_text(out, "id", cause_name(id));
    json_put_text(out, "title", info->title);
    json_put_text(out, "pass", pass_name(info->pass));
    json_put_text(out, "planner_class", class_name(info->class));
    json_put_number(out, "prior", info->prior);
    json_put_text(out, "check_next", info->check_next);
    json_put_text(out, "cure", info->cure);
    json_put_text(out, "planner_cure", info->planner_cure);
    json_put_text(out, "source", info->source);
    write_rules(out, id);
    json_end_object(out);
}

void causes_handler(struct context *ctx)
{
    struct json_out out;

    reply_begin(ctx, &out);
    json_begin_object(&out);
    json_key(&out, "items");
    json_begin_array(&out);
    for (int i = 0; i < CAUSE_COUNT; i++)
        write_info(&out, (enum cause_id)i);
    json_end_array(&out);
    json_put_number(&out, "total", CAUSE_COUNT);
    json_put_null(&out, "next_cursor");
    json_end_object(&out);
    reply_write(ctx, 200, &out);
}
