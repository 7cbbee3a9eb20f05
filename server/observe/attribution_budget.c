#include "attribution_budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "prepare.h"
#include "step.h"

/* Classes whose work grows with each prompt's own length, and not with all rows alone. */
static const enum class_id OF_ONE_PROMPT[] = {CLASS_PREFILL_ATTENTION, CLASS_SPARSE_INDEXER,
                                              CLASS_STATE_UPDATE};

/*
 * The prefill of several prompts in one step: their rows pass the matrices together, and each
 * attends to its own tokens alone.
 */
static void plan_prefills(const struct prepared *prep, double prompts, double new_tokens,
                          double cached_tokens, struct step *one, struct step *ret_step)
{
    step_prefill(prep, new_tokens, cached_tokens, one);
    step_prefill(prep, prompts * new_tokens, cached_tokens, ret_step);
    for (size_t i = 0; i < ARRAY_LEN(OF_ONE_PROMPT); i++) {
        struct class_cost *all = &ret_step->classes[OF_ONE_PROMPT[i]];
        double time_us = prompts * one->classes[OF_ONE_PROMPT[i]].time_us;
        if (!all->present)
            continue;
        ret_step->time_us += time_us - all->time_us;
        all->time_us = time_us;
    }
}

/* The planned step of what ran; how, for the reply. */
static const char *plan_step(struct arena *arena, const struct attribution *attribution,
                             const struct run *run, struct step *ret_step)
{
    const struct problem *problem = &run->request->problem;
    struct prepared *prep = arena_alloc_raw(arena, sizeof(*prep));
    struct step *one = arena_alloc_raw(arena, sizeof(*one));
    double batch = run->conditions[RUN_BATCH].number;
    double context = run->conditions[RUN_CONTEXT].number;

    if (!prep || !one)
        return NULL;
    prepare(problem, NULL, prep);
    double per_rank = batch / problem->dep.dp;
    if (attribution->phase == RUN_PREFILL) {
        double new_tokens = isnan(run->new_tokens) ? context : run->new_tokens;
        plan_prefills(prep, per_rank, new_tokens, context - new_tokens, one, ret_step);
        return arena_printf(arena, "one prefill step of %.6g prompts, each of %.0f new tokens",
                            per_rank, new_tokens);
    }
    step_decode(prep, per_rank, context, ret_step);
    return arena_printf(arena, "one decode step of %.6g sequences at %.0f tokens of context",
                        per_rank, context);
}

static double class_us(const struct step *step, enum class_id id)
{
    const struct class_cost *cost = &step->classes[id];

    return cost->present && class_info(id)->pass != PASS_HOST ? cost->time_us : 0;
}

static bool same_budget(const struct budget_group *group, enum kernel_class class)
{
    size_t n;
    const enum class_id *classes = kernel_class_budgets(class, &n);

    return n == group->n_classes && memcmp(classes, group->classes, n * sizeof(*classes)) == 0;
}

static struct budget_group *group_of(struct attribution_budget *budget, enum kernel_class class)
{
    for (int i = 0; i < budget->n_groups; i++)
        if (same_budget(&budget->groups[i], class))
            return &budget->groups[i];
    struct budget_group *group = &budget->groups[budget->n_groups++];
    *group = (struct budget_group){0};
    group->classes = kernel_class_budgets(class, &group->n_classes);
    return group;
}

const struct budget_group *budget_group_of(const struct attribution_budget *budget,
                                           enum kernel_class class)
{
    size_t n;

    (void)kernel_class_budgets(class, &n);
    for (int i = 0; n > 0 && i < budget->n_groups; i++)
        if (same_budget(&budget->groups[i], class))
            return &budget->groups[i];
    return NULL;
}

static const struct class_share *share_of(const struct attribution *attribution,
                                          enum kernel_class class)
{
    for (int i = 0; i < attribution->n_shares; i++)
        if (attribution->shares[i].class == class)
            return &attribution->shares[i];
    return NULL;
}

/* Measured time by budget. */
static void make_groups(struct attribution_budget *budget, const struct attribution *attribution)
{
    for (int i = 0; i < KERNEL_UNCLASSIFIED; i++) {
        enum kernel_class class = (enum kernel_class)i;
        size_t n;
        const struct class_share *share = share_of(attribution, class);
        (void)kernel_class_budgets(class, &n);
        if (n == 0)
            continue;
        struct budget_group *group = group_of(budget, class);
        if (!share)
            continue;
        group->members[group->n_members++] = class;
        group->us += share->us;
        group->share += share->share;
    }
}

/* How far from 1 a ratio is, either way. */
static double distance(const struct budget_group *group)
{
    return group->ratio > 0 ? fabs(log(group->ratio)) : 0;
}

/* What is measured far above its budget weighs as much as it takes of the whole. */
static double weight_of(const struct budget_group *group)
{
    return distance(group) * fmax(group->share, group->budget_share);
}

static int by_weight(const void *left, const void *right)
{
    double a = weight_of(left), b = weight_of(right);

    return (a < b) - (a > b);
}

static void compare(struct attribution_budget *budget, const struct step *step)
{
    int n = 0;

    for (int i = 0; i < budget->n_groups; i++) {
        struct budget_group *group = &budget->groups[i];
        for (size_t j = 0; j < group->n_classes; j++)
            group->budget_us += class_us(step, group->classes[j]);
        group->budget_share = group->budget_us / budget->device_us;
        double measured = budget->by_share ? group->share : group->us / budget->steps;
        double planned = budget->by_share ? group->budget_share : group->budget_us;
        group->ratio = planned > 0 ? measured / planned : (double)NAN;
        if (group->n_members > 0 || group->budget_us > 0)
            budget->groups[n++] = *group;
    }
    budget->n_groups = n;
    qsort(budget->groups, (size_t)n, sizeof(budget->groups[0]), by_weight);
}

/* What a program's own parts would take: a step for each token, a prefill of all prompts. */
static void plan_parts(struct arena *arena, const struct attribution *attribution,
                       const struct run *run, struct attribution_budget *budget)
{
    struct prepared *prep = arena_alloc_raw(arena, sizeof(*prep));
    struct step *step = arena_alloc_raw(arena, sizeof(*step));

    if (!prep || !step)
        return;
    prepare(&run->request->problem, NULL, prep);
    for (int i = 0; i < attribution->profile->n_parts; i++) {
        const struct profile_part *part = &attribution->profile->parts[i];
        if (!part->is_device || isnan(part->count) || part->count <= 0)
            continue;
        if (strcmp(part->label, "eval") == 0) {
            step_decode(prep, run->conditions[RUN_BATCH].number,
                        run->conditions[RUN_CONTEXT].number, step);
            budget->eval_us = part->count * step->time_us;
        } else {
            step_prefill(prep, part->count, 0, step);
            budget->prompt_us = step->time_us;
        }
    }
}

static const char *why_none(const struct attribution *attribution, const struct run *run)
{
    if (attribution->refused)
        return "the profile is refused";
    if (run->no_plan)
        return run->no_plan;
    if (!run->request)
        return "the deployment cannot be planned";
    if (attribution->profile->n_parts > 0)
        return NULL;
    if (attribution->phase == RUN_MIXED)
        return "a step that mixes prefill and decode has no budget of its own";
    return attribution->phase == RUN_UNKNOWN ? "the phase is not known: ?phase=decode or prefill"
                                             : NULL;
}

struct attribution_budget *attribution_budget_new(struct arena *arena,
                                                  const struct attribution *attribution,
                                                  const struct run *run)
{
    struct attribution_budget *budget = arena_alloc(arena, sizeof(*budget));
    struct step *step = arena_alloc(arena, sizeof(*step));

    if (!budget || !step)
        return NULL;
    budget->eval_us = budget->prompt_us = NAN;
    budget->step_us = budget->device_us = budget->host_us = NAN;
    budget->steps = attribution->steps;
    budget->no_record = why_none(attribution, run);
    if (budget->no_record)
        return budget;
    if (attribution->profile->n_parts > 0) {
        plan_parts(arena, attribution, run, budget);
        budget->how = "a step for each token that was generated, one prefill of the prompt";
        return budget;
    }
    budget->how = plan_step(arena, attribution, run, step);
    if (!budget->how)
        return NULL;
    budget->by_share = isnan(attribution->steps) || isnan(attribution->sum_us);
    budget->step_us = step->time_us;
    budget->host_us = step->exposed_host_us;
    budget->basis = step->basis;
    budget->device_us = 0;
    for (int i = 0; i < CLASS_COUNT; i++)
        budget->device_us += class_us(step, (enum class_id)i);
    make_groups(budget, attribution);
    compare(budget, step);
    return budget;
}
