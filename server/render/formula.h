/*
 * formula.h - the formula of a class with its own numbers in it.
 *
 * Purpose: "2 B x 6.98e9 linear parameters, read once per step, ..." for each class of a step, from
 * one table of templates. Units:   as printed. Threads: pure.
 */
#ifndef REGIME_FORMULA_H
#define REGIME_FORMULA_H

#include "phrase.h"
#include "plan.h"

/* Figures that all classes of one step share. */
void formula_step(const struct plan *plan, enum phase phase, struct figures *ret_figures);

/* Replaces the phrase by the class's formula; `figures` come from formula_step() of the same phase.
 */
void formula_class(const struct plan *plan, enum phase phase, enum class_id id,
                   struct figures *figures, struct phrase *phrase);

/* Routed experts that the first MoE layer of the model meets for that many tokens, E(1-(1-k/E)^T).
 */
double formula_experts_touched(const struct model *model, double tokens);

#endif
