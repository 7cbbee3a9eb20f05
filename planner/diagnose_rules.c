/*
 * The tables of rules as one: what speaks for or against a cause, how much, and what it rests on.
 *
 * A weight of 0.7 doubles the odds, 1.6 makes five of one, 3 twenty. Comparisons of two runs that
 * differ in one thing weigh most; words weigh less, because readers of words set weaker signs.
 * Weights of rules that look at the same sign through different conditions add up, so each is kept
 * small enough that a single sign stays under one half.
 */
#include <stddef.h>

#include "diagnose_rows.h"

/* One rule for each cause: the report as a whole reads like it. */
#define X(ID, NAME)                                                                                \
    {ID, TOLD_WEIGHT, {{WHEN_TOLD, ID}}, "such reports have ended there before", TOLD_SOURCE},
#define TOLD_SOURCE "physics: none; the words of reports, weaker than any figure"

static const struct rule RULES_TOLD[] = {CAUSE_LIST(X)};

#undef X

const struct rule *rule_at(int index)
{
    const struct {
        const struct rule *rules;
        int n;
    } tables[] = {
        {RULES_CAPACITY, N_RULES_CAPACITY},
        {RULES_DEVICE, N_RULES_DEVICE},
        {RULES_HOST, N_RULES_HOST},
        {RULES_TOLD, (int)ARRAY_LEN(RULES_TOLD)},
    };

    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        if (index < tables[i].n)
            return &tables[i].rules[index];
        index -= tables[i].n;
    }
    return NULL;
}
