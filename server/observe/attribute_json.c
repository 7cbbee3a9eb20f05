#include <math.h>
#include <string.h>

#include "attribute_reply.h"

#define NAMES_SHOWN 5
#define UNCLASSIFIED_SHOWN 20

const char *host_part_name(enum host_part part)
{
    static const char *const NAMES[HOST_PARTS] = {"memcpy", "sync", "launch_gaps",
                                                  "scheduler_or_other"};

    return NAMES[part];
}

const char *attribute_dominant(const struct attribution *attribution)
{
    bool known = attribution->n_shares > 0 && !attribution->refused &&
                 attribution->shares[0].share >= attribution->unclassified_share;

    return known ? kernel_class_name(attribution->shares[0].class) : NULL;
}

static void put_classes(struct json_out *out, const char *name, const enum class_id *classes,
                        size_t n)
{
    json_key(out, name);
    json_begin_array(out);
    for (size_t i = 0; i < n; i++)
        json_text(out, class_name(classes[i]));
    json_end_array(out);
}

static void put_members(struct json_out *out, const char *name, const struct budget_group *group)
{
    json_key(out, name);
    json_begin_array(out);
    for (int i = 0; i < group->n_members; i++)
        json_text(out, kernel_class_name(group->members[i]));
    json_end_array(out);
}

/* The largest kernels of a class. */
static void put_names(struct json_out *out, const struct attribution *attribution,
                      enum kernel_class class)
{
    int shown = 0;

    json_key(out, "names");
    json_begin_array(out);
    for (int i = 0; i < attribution->n_names && shown < NAMES_SHOWN; i++) {
        const struct name_share *name = &attribution->names[i];
        if (name->class != class)
            continue;
        shown++;
        json_begin_object(out);
        json_put_text(out, "name", name->text);
        json_put_number(out, "us", name->us);
        json_put_number(out, "share", name->share);
        json_put_number(out, "launches", name->launches > 0 ? name->launches : (double)NAN);
        json_put_bool(out, "ambiguous", name->ambiguous);
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_budget_of(struct json_out *out, const struct attribution_budget *budget,
                          enum kernel_class class)
{
    const struct budget_group *group = budget->no_record ? NULL : budget_group_of(budget, class);
    size_t n;
    const enum class_id *classes = kernel_class_budgets(class, &n);

    json_put_number(out, "budget_us", group ? group->budget_us : (double)NAN);
    json_put_number(out, "budget_share", group ? group->budget_share : (double)NAN);
    put_classes(out, "budget_classes", classes, n);
    if (group && group->n_members > 1)
        put_members(out, "budget_with", group);
    else
        json_put_null(out, "budget_with");
}

static void put_shares(struct json_out *out, const struct attribute_reply *reply)
{
    const struct attribution *attribution = reply->attribution;

    json_key(out, "shares");
    json_begin_array(out);
    for (int i = 0; i < attribution->n_shares && !attribution->refused; i++) {
        const struct class_share *share = &attribution->shares[i];
        json_begin_object(out);
        json_put_text(out, "class", kernel_class_name(share->class));
        json_put_number(out, "us", share->us);
        json_put_number(out, "share", share->share);
        json_put_number(out, "kernels", share->launches > 0 ? share->launches : (double)NAN);
        put_names(out, attribution, share->class);
        put_budget_of(out, reply->budget, share->class);
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_unclassified(struct json_out *out, const struct attribution *attribution)
{
    int shown = 0;

    json_key(out, "unclassified");
    json_begin_array(out);
    for (int i = 0; i < attribution->n_names && shown < UNCLASSIFIED_SHOWN; i++) {
        const struct name_share *name = &attribution->names[i];
        if (name->class != KERNEL_UNCLASSIFIED || attribution->refused)
            continue;
        shown++;
        json_begin_object(out);
        json_put_text(out, "name", name->text);
        json_put_number(out, "us", name->us);
        json_put_number(out, "share", name->share);
        json_end_object(out);
    }
    json_end_array(out);
    json_put_number(out, "unclassified_share",
                    attribution->refused ? (double)NAN : attribution->unclassified_share);
}

static void put_calls(struct json_out *out, const struct profile *profile)
{
    static const char *const NAMES[CALL_COUNT] = {"launch", "graph_launch", "memcpy", "sync",
                                                  "other"};

    json_key(out, "calls");
    json_begin_array(out);
    for (int i = 0; i < CALL_COUNT && profile->has_calls; i++) {
        if (profile->calls[i].calls <= 0)
            continue;
        json_begin_object(out);
        json_put_text(out, "call", NAMES[i]);
        json_put_number(out, "calls", profile->calls[i].calls);
        json_put_number(out, "us", profile->calls[i].us);
        json_end_object(out);
    }
    json_end_array(out);
}

static const char *why_no_parts(const struct attribution *attribution)
{
    if (attribution->has_host_parts)
        return NULL;
    return attribution->profile->spans ? "the trace has no calls of the runtime"
                                       : "only a trace tells when the device waited";
}

static void put_host(struct json_out *out, const struct attribute_reply *reply)
{
    const struct attribution *attribution = reply->attribution;

    json_key(out, "host");
    json_begin_object(out);
    json_put_number(out, "idle_us", attribution->idle_us);
    json_put_number(out, "share", attribution->idle_us / attribution->span_us);
    json_put_number(out, "budget_us",
                    reply->budget->no_record ? (double)NAN : reply->budget->host_us);
    json_key(out, "parts");
    json_begin_array(out);
    for (int i = 0; i < HOST_PARTS && attribution->has_host_parts; i++) {
        json_begin_object(out);
        json_put_text(out, "part", host_part_name((enum host_part)i));
        json_put_number(out, "us", attribution->host_us[i]);
        json_put_number(out, "share", attribution->host_us[i] / attribution->span_us);
        json_end_object(out);
    }
    json_end_array(out);
    json_put_text(out, "no_record", why_no_parts(attribution));
    put_calls(out, attribution->profile);
    json_end_object(out);
}

static void put_budget(struct json_out *out, const struct attribution_budget *budget)
{
    json_key(out, "budget");
    json_begin_object(out);
    json_put_text(out, "no_record", budget->no_record);
    json_put_text(out, "of", budget->how);
    json_put_number(out, "step_us", budget->step_us);
    json_put_number(out, "device_us", budget->device_us);
    json_put_text(out, "basis", budget->no_record ? NULL : basis_name(budget->basis));
    json_put_text(out, "ratios_are_of", budget->by_share ? "shares" : "times");
    json_key(out, "compared");
    json_begin_array(out);
    for (int i = 0; i < budget->n_groups && !budget->no_record; i++) {
        const struct budget_group *group = &budget->groups[i];
        json_begin_object(out);
        put_members(out, "classes", group);
        put_classes(out, "budget_classes", group->classes, group->n_classes);
        json_put_number(out, "us", budget->by_share ? (double)NAN : group->us / budget->steps);
        json_put_number(out, "share", group->share);
        json_put_number(out, "budget_us", group->budget_us);
        json_put_number(out, "budget_share", group->budget_share);
        json_put_number(out, "ratio", group->ratio);
        json_end_object(out);
    }
    json_end_array(out);
    json_end_object(out);
}

static void put_parts(struct json_out *out, const struct attribute_reply *reply)
{
    const struct profile *profile = reply->attribution->profile;
    const struct attribution_budget *budget = reply->budget;

    json_key(out, "parts");
    json_begin_array(out);
    for (int i = 0; i < profile->n_parts; i++) {
        const struct profile_part *part = &profile->parts[i];
        bool eval = strcmp(part->label, "eval") == 0;
        bool prompt = strcmp(part->label, "prompt eval") == 0;
        json_begin_object(out);
        json_put_text(out, "part", part->label);
        json_put_text(out, "on", part->is_device ? "device" : "host");
        json_put_number(out, "us", part->us);
        json_put_number(out, "share", part->us / reply->attribution->span_us);
        json_put_number(out, "tokens", part->count);
        json_put_number(out, "us_per_token", part->us / part->count);
        json_put_number(out, "budget_us",
                        eval     ? budget->eval_us
                        : prompt ? budget->prompt_us
                                 : (double)NAN);
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_arms(struct json_out *out, const struct profile *profile)
{
    json_key(out, "runs");
    json_begin_array(out);
    for (int i = 0; i < profile->n_arms; i++) {
        const struct profile_arm *arm = &profile->arms[i];
        double idle_us = arm->wall_us - arm->busy_us;
        json_begin_object(out);
        json_put_text(out, "run", arm->label);
        json_put_number(out, "span_us", arm->wall_us);
        json_put_number(out, "busy_us", arm->busy_us);
        json_put_number(out, "idle_us", idle_us);
        json_put_number(out, "idle_share", idle_us / arm->wall_us);
        json_put_number(out, "launches", arm->launches);
        json_put_number(out, "idle_us_per_launch", idle_us / arm->launches);
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_conditions(struct json_out *out, const struct run *run)
{
    json_key(out, "conditions");
    json_begin_object(out);
    for (int i = 0; i < RUN_CONDITIONS; i++) {
        const struct condition *condition = &run->conditions[i];
        json_key(out, condition->name);
        json_begin_object(out);
        if (condition->text)
            json_put_text(out, "value", condition->text);
        else
            json_put_number(out, "value", condition->number);
        json_put_text(out, "from", condition->from);
        json_end_object(out);
    }
    json_end_object(out);
}

static void put_window(struct json_out *out, const struct attribution *attribution)
{
    json_key(out, "window");
    json_begin_object(out);
    json_put_text(out, "from", attribution->window_from);
    json_put_text(out, "step", attribution->file_step);
    json_put_number(out, "recorded_span_us", attribution->whole_span_us);
    json_put_number(out, "recorded_busy_us", attribution->whole_busy_us);
    json_put_number(out, "outside_us",
                    attribution->profile->spans ? attribution->outside_us : (double)NAN);
    json_put_number(out, "streams",
                    attribution->profile->spans ? attribution->profile->n_streams : (double)NAN);
    json_put_number(out, "gemm_rows", attribution->profile->tokens);
    json_end_object(out);
}

void attribute_json_write(struct json_out *out, const struct attribute_reply *reply)
{
    const struct attribution *attribution = reply->attribution;
    const struct profile *profile = attribution->profile;
    double overlap = 1 - attribution->busy_us / attribution->sum_us;

    json_begin_object(out);
    json_put_text(out, "format", profile->format);
    json_put_text(out, "phase", run_phase_name(attribution->phase));
    json_put_text(out, "refused", attribution->refused);
    json_put_number(out, "span_us", attribution->span_us);
    json_put_number(out, "busy_us", attribution->busy_us);
    json_put_number(out, "idle_us", attribution->idle_us);
    json_put_number(out, "sum_us", attribution->sum_us);
    json_put_number(out, "overlap_share", profile->spans ? overlap : (double)NAN);
    json_put_number(out, "steps", attribution->steps);
    json_put_text(out, "dominant", attribute_dominant(attribution));
    json_put_number(out, "covered_share",
                    attribution->refused ? (double)NAN : attribution->covered_share);
    json_put_number(out, "listed_share", attribution->listed_share);
    json_put_number(out, "excluded_us", attribution->excluded_us);
    put_shares(out, reply);
    put_unclassified(out, attribution);
    put_host(out, reply);
    put_budget(out, reply->budget);
    put_parts(out, reply);
    put_arms(out, profile);
    put_window(out, attribution);
    put_conditions(out, reply->run);
    json_key(out, "warnings");
    json_begin_array(out);
    for (int i = 0; i < profile->n_warnings; i++)
        json_text(out, profile->warnings[i]);
    json_end_array(out);
    json_end_object(out);
}
