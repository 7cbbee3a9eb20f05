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

const struct rule *rule_at(int index)
{
    const struct {
        const struct rule *rules;
        int n;
    } tables[] = {
        {RULES_CAPACITY, N_RULES_CAPACITY},
        {RULES_DEVICE, N_RULES_DEVICE},
        {RULES_HOST, N_RULES_HOST},
    };

    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        if (index < tables[i].n)
            return &tables[i].rules[index];
        index -= tables[i].n;
    }
    return NULL;
}
