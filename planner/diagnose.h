/*
 * diagnose.h - from signs of a slow deployment to its causes, ranked, with the evidence.
 *
 * Purpose: what was seen is a set of signs (a condition of the machine, of the load or of the
 *          words that people use) and of topics (what is in use, and what differed between two
 *          runs). A table of rules says how much each sign, alone or together with others, speaks
 *          for or against a cause. A cause's score is the logistic of its prior and of the weights
 *          of the rules that hold; a lone sign caps it, for none is sufficient.
 * Units:   weights are natural logarithms of likelihood ratios; figures as the sign's text says.
 * Ownership: plain data; texts are static or the caller's.
 * Errors:  none.
 * Threads: pure; tables are constant.
 */
#ifndef REGIME_DIAGNOSE_H
#define REGIME_DIAGNOSE_H

#include <stdbool.h>

#include "plan.h"
#include "symptoms.h"

/* A row of the table of causes. */
struct cause_info {
    enum cause_id id;
    const char *title;
    enum pass pass;
    enum class_id class;      /* the planner's class that the time lies in */
    double prior;             /* log odds before anything was seen */
    const char *check_next;   /* the cheapest measurement or command that tells */
    const char *cure;         /* what to change */
    const char *planner_cure; /* id of a row of the cures; NULL = none computes it */
    const char *source;       /* of the cure, or a case of the cause */
};

const char *cause_name(enum cause_id id);
const struct cause_info *cause_info(enum cause_id id);

/* What a rule looks at. */
enum condition_kind {
    WHEN_END,    /* ends the list */
    WHEN_SIGN,   /* the sign was seen */
    WHEN_ABSENT, /* the sign was not seen; only beside other conditions */
    WHEN_USES,   /* the topic is in use, or people speak of it */
    WHEN_WORSE,  /* two runs differ in the topic, and the one with more of it is slower */
    WHEN_BETTER, /* ... faster */
    WHEN_SAME,   /* ... as fast */
    WHEN_TOLD    /* the words of the report fit the cause, as a whole */
};

#define RULE_CONDITIONS 3

struct condition {
    enum condition_kind kind;
    int subject; /* enum sign_id, enum topic_id or enum cause_id */
};

struct rule {
    enum cause_id cause;
    double weight; /* against the cause where negative */
    struct condition when[RULE_CONDITIONS];
    const char *because; /* what the evidence means: follows it in a sentence */
    const char *source;  /* a url, or "physics: ..." */
};

/* The rule at that place of all tables, one behind the other; NULL past the end. */
const struct rule *rule_at(int index);

/* How far the conditions of a rule hold, 0 to 1: the weakest of them. */
double rule_holds(const struct rule *rule, const struct symptoms *symptoms);

#define DIAGNOSIS_RULES_MAX 12
#define DIAGNOSIS_CAUSES_MAX 6

/* A rule that holds. */
struct finding {
    const struct rule *rule;
    double weight; /* times how far it holds */
};

struct ranked_cause {
    enum cause_id id;
    double score; /* 0 to 1 */
    double odds;  /* log odds: what the order rests on */
    struct finding for_it[DIAGNOSIS_RULES_MAX], against[DIAGNOSIS_RULES_MAX]; /* heaviest first */
    int n_for, n_against;
    int n_independent; /* distinct signs and topics that speak for it */
};

struct diagnosis {
    struct ranked_cause causes[DIAGNOSIS_CAUSES_MAX]; /* likeliest first */
    int n;
    struct ranked_cause
        ruled_out[DIAGNOSIS_CAUSES_MAX]; /* looked likely, evidence speaks against */
    int n_ruled_out;
    bool healthy; /* measured speeds are what the budget gives, and nothing else was seen */
};

/* Ranks the causes; those that no rule speaks for are left out. */
void diagnose(const struct symptoms *symptoms, struct diagnosis *ret_diagnosis);

/*
 * The sign not seen yet whose presence moves `first` against `second` the most; with second
 * CAUSE_COUNT, the one that moves `first` the most. SIGN_COUNT when no rule tells them apart.
 */
enum sign_id diagnose_separator(const struct symptoms *symptoms, enum cause_id first,
                                enum cause_id second);

#endif
