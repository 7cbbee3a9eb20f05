/*
 * attribution_budget.h - the planner's budget beside a measured profile.
 *
 * Purpose: the same model, part, engine, batch and context planned as one step; its classes beside
 *          the kernel classes that they hold. Kernel classes finer than the planner's share one
 *          budget, and are compared by their sum.
 * Units:   microseconds of one step; shares of the device and link time, as the measured ones are.
 * Errors:  `no_record` says why there is none; nothing is guessed.
 */
#ifndef REGIME_ATTRIBUTION_BUDGET_H
#define REGIME_ATTRIBUTION_BUDGET_H

#include "attribute_query.h"

/* Kernel classes that share a budget, measured against it. */
struct budget_group {
    enum kernel_class members[KERNEL_CLASS_COUNT]; /* that occur in the profile or are its first */
    int n_members;
    const enum class_id *classes; /* of the planner */
    size_t n_classes;
    double us, share; /* measured, in the whole window */
    double budget_us; /* of one step */
    double budget_share;
    double ratio; /* measured over budget, per step; of the shares where steps are unknown */
};

struct attribution_budget {
    const char *no_record;
    double step_us;   /* the whole step, host included */
    double device_us; /* its device and link classes */
    double host_us;   /* what of the host's work is not hidden */
    double steps;     /* of the window; NAN: unknown */
    bool by_share;    /* ratios are of shares */
    enum basis basis;
    const char *how; /* how the step was planned */
    struct budget_group groups[KERNEL_CLASS_COUNT];
    int n_groups;              /* the worst ratio first */
    double eval_us, prompt_us; /* of a program's own parts: all tokens; NAN */
};

/* NULL when out of memory. */
struct attribution_budget *attribution_budget_new(struct arena *arena,
                                                  const struct attribution *attribution,
                                                  const struct run *run);

/* The group that holds a kernel class; NULL when no budget speaks of it. */
const struct budget_group *budget_group_of(const struct attribution_budget *budget,
                                           enum kernel_class class);

#endif
