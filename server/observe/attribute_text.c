/*
 * attribute_text.c - the report for a terminal: measured beside budget, the worst ratio first, what
 * it means and what to look at next.
 */
#include <math.h>
#include <string.h>

#include "attribute_reply.h"
#include "csv_cells.h"
#include "text_layout.h"

#define INDENT 2
#define CLASS_WIDTH 34
#define FIGURE_WIDTH 11
#define NAMES_SHOWN 3
#define NAME_SHOWN 78
/* A class above its budget by so much, with so much of the time, is worth a sentence. */
#define RATIO_NOTED 1.25
#define SHARE_NOTED 0.03
#define IDLE_NOTED 0.05
/* Rows that hold less of the stated device time than this are not all of it. */
#define LISTED_WHOLE 0.99
/* Every class so far above its budget: steps, batch or context are doubtful, not the kernels. */
#define RATIO_DOUBTED 3.0

/* What a class above its budget may mean, and the cheapest look that tells. */
static const struct {
    enum kernel_class class;
    const char *next;
} NEXT[] = {
    {KERNEL_DENSE_GEMM,
     "look at the names of its kernels: a 16-bit GEMM under quantised weights, or "
     "a tile made for another batch"},
    {KERNEL_ATTENTION, "check the context that sequences really had, and which attention backend "
                       "the engine's log names"},
    {KERNEL_MOE_EXPERTS, "check whether the engine's log misses a tuned MoE configuration for this "
                         "part, and whether experts are loaded evenly"},
    {KERNEL_MOE_GATING, "count its launches per layer: sorting and aligning by separate kernels "
                        "instead of a fused router"},
    {KERNEL_LINEAR_ATTENTION, "count its launches: a state that is updated token by token in place "
                              "of chunks"},
    {KERNEL_NORM_ELEMENTWISE,
     "count its launches per layer: unfused operations and copies; compare "
     "with compilation or fused kernels on"},
    {KERNEL_KV_WRITE, "check the cache's type against the model's: a conversion in each write"},
    {KERNEL_SAMPLING, "count its launches per step: logit processors, top-p by sorting, "
                      "speculative verification"},
    {KERNEL_COLLECTIVE, "compare the traces of all ranks: a collective's time holds the wait for "
                        "the slowest one"},
};

static const struct {
    enum host_part part;
    const char *next;
} HOST_NEXT[] = {
    {HOST_COPY, "copies between host and device stop the step: pinned memory, fewer and larger "
                "copies"},
    {HOST_SYNC, "the host waits for the device before it goes on: asynchronous scheduling"},
    {HOST_LAUNCH_GAPS, "kernels are launched one by one more slowly than they run: CUDA graphs "
                       "(enforce_eager off), or a graph captured for this batch"},
    {HOST_OTHER, "the host does something else between launches: py-spy dump of the engine's "
                 "process tells what"},
};

static void paragraph(struct json_out *out, struct phrase *phrase)
{
    text_wrap(out, phrase_text(phrase), 0, INDENT);
}

static void write_known(struct json_out *out, const struct run *run)
{
    struct phrase phrase;
    bool any = false;

    phrase_begin(&phrase);
    for (int i = 0; i < RUN_CONDITIONS; i++) {
        const struct condition *condition = &run->conditions[i];
        if (!condition->from)
            continue;
        phrase_add(&phrase, any ? ", " : "");
        phrase_add(&phrase, condition->name);
        phrase_add(&phrase, " ");
        if (condition->text)
            phrase_add(&phrase, condition->text);
        else
            phrase_whole(&phrase, condition->number);
        phrase_add(&phrase, " (");
        phrase_add(&phrase, condition->from);
        phrase_add(&phrase, ")");
        any = true;
    }
    if (any)
        paragraph(out, &phrase);
}

static void write_times(struct json_out *out, const struct attribution *attribution)
{
    struct phrase phrase;

    if (isnan(attribution->span_us))
        return;
    phrase_begin(&phrase);
    phrase_add(&phrase, "Window ");
    phrase_time(&phrase, attribution->span_us);
    phrase_add(&phrase, ": device busy ");
    phrase_time(&phrase, attribution->busy_us);
    phrase_add(&phrase, ", idle ");
    phrase_time(&phrase, attribution->idle_us);
    phrase_add(&phrase, " (");
    phrase_percent(&phrase, attribution->idle_us / attribution->span_us);
    phrase_add(&phrase, "). Chosen by ");
    phrase_add(&phrase, attribution->window_from ? attribution->window_from : "the table");
    phrase_add(&phrase, ".");
    paragraph(out, &phrase);
}

/* Shares are of the rows: says how much of the device time those are. */
static void write_listed(struct json_out *out, const struct attribution *attribution)
{
    struct phrase phrase;

    if (isnan(attribution->listed_share) || attribution->listed_share >= LISTED_WHOLE)
        return;
    phrase_begin(&phrase);
    phrase_add(&phrase, "The rows hold ");
    phrase_percent(&phrase, attribution->listed_share);
    phrase_add(&phrase, " of the device time that the file states: shares are of the rows, the "
                        "rest may be of any class.");
    paragraph(out, &phrase);
}

static void cell_time(struct json_out *out, double us)
{
    struct phrase phrase;

    phrase_begin(&phrase);
    if (isnan(us))
        phrase_add(&phrase, "-");
    else
        phrase_time(&phrase, us);
    text_cell_phrase(out, &phrase, FIGURE_WIDTH, true);
}

static void cell_percent(struct json_out *out, double share)
{
    struct phrase phrase;

    phrase_begin(&phrase);
    if (isnan(share))
        phrase_add(&phrase, "-");
    else
        phrase_percent(&phrase, share);
    text_cell_phrase(out, &phrase, FIGURE_WIDTH, true);
}

static void cell_ratio(struct json_out *out, double ratio)
{
    struct phrase phrase;

    phrase_begin(&phrase);
    if (isnan(ratio))
        phrase_add(&phrase, "-");
    else
        phrase_number(&phrase, ratio, 3);
    text_cell_phrase(out, &phrase, FIGURE_WIDTH, true);
}

static void heads(struct json_out *out, const char *first, const char *const *others)
{
    out_text(out, "\n");
    text_cell(out, first, CLASS_WIDTH, false);
    for (; *others; others++)
        text_cell(out, *others, FIGURE_WIDTH, true);
    out_text(out, "\n");
}

static const char *group_name(struct json_out *out, const struct budget_group *group)
{
    const char *name = NULL;

    for (int i = 0; i < group->n_members; i++)
        name = name ? arena_printf(out->arena, "%s+%s", name, kernel_class_name(group->members[i]))
                    : kernel_class_name(group->members[i]);
    if (!name)
        name = arena_printf(out->arena, "(%s)", class_name(group->classes[0]));
    return name ? name : "";
}

static void write_compared(struct json_out *out, const struct attribution_budget *budget)
{
    static const char *const HEADS[] = {"measured", "share", "budget", "share", "ratio", NULL};

    heads(out,
          budget->by_share ? "measured beside budget, by share"
                           : "measured beside budget, per step",
          HEADS);
    for (int i = 0; i < budget->n_groups; i++) {
        const struct budget_group *group = &budget->groups[i];
        const char *name = group_name(out, group);
        text_cell(out, name, CLASS_WIDTH, false);
        if (text_columns(name) >= CLASS_WIDTH) {
            out_text(out, "\n");
            text_spaces(out, CLASS_WIDTH);
        }
        cell_time(out, budget->by_share ? (double)NAN : group->us / budget->steps);
        cell_percent(out, group->share);
        cell_time(out, group->budget_us);
        cell_percent(out, group->budget_share);
        cell_ratio(out, group->ratio);
        out_text(out, "\n");
    }
}

static void write_shares(struct json_out *out, const struct attribute_reply *reply)
{
    static const char *const HEADS[] = {"measured", "share", "kernels", NULL};
    const struct attribution *attribution = reply->attribution;

    heads(out, "class", HEADS);
    for (int i = 0; i < attribution->n_shares; i++) {
        const struct class_share *share = &attribution->shares[i];
        struct phrase count;
        text_cell(out, kernel_class_name(share->class), CLASS_WIDTH, false);
        cell_time(out, share->us);
        cell_percent(out, share->share);
        phrase_begin(&count);
        if (share->launches > 0)
            phrase_whole(&count, share->launches);
        else
            phrase_add(&count, "-");
        text_cell_phrase(out, &count, FIGURE_WIDTH, true);
        out_text(out, "  ");
        text_bar(out, share->share, 20, reply->ascii);
        out_text(out, "\n");
    }
}

static void write_unclassified(struct json_out *out, const struct attribution *attribution)
{
    int shown = 0;

    if (attribution->unclassified_share <= 0)
        return;
    struct phrase phrase;
    phrase_begin(&phrase);
    phrase_percent(&phrase, attribution->unclassified_share);
    phrase_add(&phrase, " is of kernels that no name tells apart:");
    out_text(out, "\n");
    paragraph(out, &phrase);
    for (int i = 0; i < attribution->n_names && shown < NAMES_SHOWN; i++)
        if (attribution->names[i].class == KERNEL_UNCLASSIFIED) {
            out_printf(out, "  %5.1f %%  %.*s\n", 100 * attribution->names[i].share, NAME_SHOWN,
                       attribution->names[i].text);
            shown++;
        }
}

/* What the plan gives for all tokens of a part; NAN: it plans no such part. */
static double part_budget_us(const struct attribute_reply *reply, const struct profile_part *part)
{
    if (strcmp(part->label, "eval") == 0)
        return reply->budget->eval_us;
    return strcmp(part->label, "prompt eval") == 0 ? reply->budget->prompt_us : (double)NAN;
}

static void write_parts(struct json_out *out, const struct attribute_reply *reply)
{
    static const char *const HEADS[] = {"measured", "budget", "share", "per token", NULL};
    const struct profile *profile = reply->attribution->profile;

    if (profile->n_parts == 0)
        return;
    heads(out, "part", HEADS);
    for (int i = 0; i < profile->n_parts; i++) {
        const struct profile_part *part = &profile->parts[i];
        text_cell(out, part->label, CLASS_WIDTH, false);
        cell_time(out, part->us);
        cell_time(out, part_budget_us(reply, part));
        cell_percent(out, part->us / reply->attribution->span_us);
        cell_time(out, part->us / part->count);
        out_text(out, "\n");
    }
}

static void write_host(struct json_out *out, const struct attribution *attribution)
{
    static const char *const HEADS[] = {"idle", "of window", NULL};

    if (!attribution->has_host_parts || attribution->idle_us <= 0)
        return;
    heads(out, "while the device was idle, the host", HEADS);
    for (int i = 0; i < HOST_PARTS; i++) {
        text_cell(out, host_part_name((enum host_part)i), CLASS_WIDTH, false);
        cell_time(out, attribution->host_us[i]);
        cell_percent(out, attribution->host_us[i] / attribution->span_us);
        out_text(out, "\n");
    }
}

static void write_sentence(struct json_out *out, const char *what, double figure, bool is_ratio,
                           const char *next)
{
    struct phrase phrase;

    phrase_begin(&phrase);
    phrase_add(&phrase, "- ");
    phrase_add(&phrase, what);
    if (is_ratio) {
        phrase_add(&phrase, " takes ");
        phrase_number(&phrase, figure, 3);
        phrase_add(&phrase, " times its budget: ");
    } else {
        phrase_add(&phrase, " is ");
        phrase_percent(&phrase, figure);
        phrase_add(&phrase, " of the window: ");
    }
    phrase_add(&phrase, next);
    phrase_add(&phrase, ".");
    paragraph(out, &phrase);
}

static const char *next_of(enum kernel_class class)
{
    for (size_t i = 0; i < ARRAY_LEN(NEXT); i++)
        if (NEXT[i].class == class)
            return NEXT[i].next;
    return NULL;
}

static void write_next_of_host(struct json_out *out, const struct attribution *attribution)
{
    for (size_t i = 0; i < ARRAY_LEN(HOST_NEXT); i++) {
        double share = attribution->host_us[HOST_NEXT[i].part] / attribution->span_us;
        if (share >= IDLE_NOTED)
            write_sentence(out, host_part_name(HOST_NEXT[i].part), share, false, HOST_NEXT[i].next);
    }
}

static void write_next_of_classes(struct json_out *out, const struct attribution_budget *budget)
{
    for (int i = 0; i < budget->n_groups; i++) {
        const struct budget_group *group = &budget->groups[i];
        bool stands_out = group->ratio >= RATIO_NOTED && group->share >= SHARE_NOTED;
        const char *next = stands_out ? next_of(group->members[0]) : NULL;
        if (next)
            write_sentence(out, group_name(out, group), group->ratio, true, next);
    }
}

static void write_next_of_parts(struct json_out *out, const struct attribute_reply *reply)
{
    const struct profile *profile = reply->attribution->profile;

    for (int i = 0; i < profile->n_parts; i++) {
        const struct profile_part *part = &profile->parts[i];
        double ratio = part->us / part_budget_us(reply, part);
        if (ratio >= RATIO_NOTED)
            write_sentence(out, part->label, ratio, true,
                           "check in the program's log how many layers are on the device, and "
                           "that the query's part, engine and format are those of the run");
    }
}

/* Whether all that has a share worth a sentence lies far above its budget, and is more than one. */
static bool all_far_above(const struct attribution_budget *budget)
{
    int n = 0;

    for (int i = 0; i < budget->n_groups; i++) {
        const struct budget_group *group = &budget->groups[i];
        if (group->n_members == 0 || !(group->share >= SHARE_NOTED))
            continue;
        if (!(group->ratio >= RATIO_DOUBTED))
            return false;
        n++;
    }
    return n > 1;
}

/* What stands out, and where to look. */
static void write_next(struct json_out *out, const struct attribute_reply *reply)
{
    size_t from = out->length;

    out_text(out, "\nWhat to look at next\n");
    size_t head = out->length;
    if (reply->attribution->has_host_parts)
        write_next_of_host(out, reply->attribution);
    if (!reply->budget->no_record) {
        if (!reply->budget->by_share && all_far_above(reply->budget))
            text_wrap(out,
                      "- every class is far above its budget: make sure first that steps, batch, "
                      "context and the weights' format are those of the run.",
                      0, INDENT);
        write_next_of_classes(out, reply->budget);
        write_next_of_parts(out, reply);
    }
    if (out->length == head && !out->failed)
        out->length = from;
}

static void write_warnings(struct json_out *out, const struct attribute_reply *reply)
{
    const struct profile *profile = reply->attribution->profile;
    struct phrase phrase;

    out_text(out, "\n");
    if (reply->budget->no_record) {
        phrase_begin(&phrase);
        phrase_add(&phrase, "No budget: ");
        phrase_add(&phrase, reply->budget->no_record);
        phrase_add(&phrase, ".");
        paragraph(out, &phrase);
    }
    for (int i = 0; i < profile->n_warnings; i++) {
        phrase_begin(&phrase);
        phrase_add(&phrase, "! ");
        phrase_add(&phrase, profile->warnings[i]);
        paragraph(out, &phrase);
    }
}

void attribute_text_write(struct json_out *out, const struct attribute_reply *reply)
{
    const struct attribution *attribution = reply->attribution;
    size_t from = out->length;
    struct phrase phrase;

    phrase_begin(&phrase);
    phrase_add(&phrase, attribution->profile->format);
    phrase_add(&phrase, ", phase ");
    phrase_add(&phrase, run_phase_name(attribution->phase));
    if (attribute_dominant(attribution)) {
        phrase_add(&phrase, ": most time in ");
        phrase_add(&phrase, attribute_dominant(attribution));
        phrase_add(&phrase, " (");
        phrase_percent(&phrase, attribution->shares[0].share);
        phrase_add(&phrase, ")");
    }
    paragraph(out, &phrase);
    write_known(out, reply->run);
    write_times(out, attribution);
    if (attribution->refused) {
        phrase_begin(&phrase);
        phrase_add(&phrase, "REFUSED: ");
        phrase_add(&phrase, attribution->refused);
        phrase_add(&phrase, ".");
        paragraph(out, &phrase);
    } else {
        write_listed(out, attribution);
        if (!reply->budget->no_record && reply->budget->n_groups > 0)
            write_compared(out, reply->budget);
        if (attribution->n_shares > 0)
            write_shares(out, reply);
        write_parts(out, reply);
        write_unclassified(out, attribution);
        write_host(out, attribution);
        write_next(out, reply);
    }
    write_warnings(out, reply);
    text_clean(out, from, reply->ascii);
}

void attribute_csv_write(struct json_out *out, const struct attribute_reply *reply)
{
    const struct attribution *attribution = reply->attribution;
    const struct attribution_budget *budget = reply->budget;

    out_text(out, "class,us,share,kernels,budget_us,budget_share,ratio\n");
    for (int i = 0; i < attribution->n_shares && !attribution->refused; i++) {
        const struct class_share *share = &attribution->shares[i];
        const struct budget_group *group =
            budget->no_record ? NULL : budget_group_of(budget, share->class);
        out_text(out, kernel_class_name(share->class));
        csv_number(out, share->us);
        csv_number(out, share->share);
        csv_number(out, share->launches > 0 ? share->launches : (double)NAN);
        csv_number(out, group ? group->budget_us : (double)NAN);
        csv_number(out, group ? group->budget_share : (double)NAN);
        csv_number(out, group ? group->ratio : (double)NAN);
        out_text(out, "\n");
    }
}
