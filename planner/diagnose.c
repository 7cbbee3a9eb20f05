#include "diagnose.h"

#include <math.h>
#include <string.h>

/* One sign alone, however strong, leaves more than one cause open: gpt-oss-120b on an H100 shows
 * 24 to 55 % GPU utilisation without a fault of the sampler. Two runs that differ in one thing say
 * more. */
#define LONE_SIGN_CAP 0.6
#define LONE_COMPARISON_CAP 0.85
/* A cause below this is not named. */
#define LEAST_SCORE 0.03
/* What was suspected for this much and is refuted by more is ruled out in so many words. */
#define SUSPECTED 0.4
#define REFUTED 0.1

#define X(ID, NAME) NAME,

static const char *const NAMES[] = {CAUSE_LIST(X)};

#undef X

const char *cause_name(enum cause_id id)
{
    return NAMES[id];
}

static double condition_holds(const struct condition *when, const struct symptoms *symptoms)
{
    switch (when->kind) {
    case WHEN_SIGN:
        return symptoms->signs[when->subject].strength;
    case WHEN_ABSENT:
        return symptoms->signs[when->subject].strength > 0 ? 0.0 : 1.0;
    case WHEN_USES:
        return symptoms->topics[when->subject].use;
    case WHEN_WORSE:
        return symptoms->topics[when->subject].worse.strength;
    case WHEN_BETTER:
        return symptoms->topics[when->subject].better.strength;
    case WHEN_SAME:
        return symptoms->topics[when->subject].same.strength;
    case WHEN_TOLD:
        return symptoms->told[when->subject];
    case WHEN_END:
        break;
    }
    return 1.0;
}

double rule_holds(const struct rule *rule, const struct symptoms *symptoms)
{
    double least = 1.0;

    for (int i = 0; i < RULE_CONDITIONS && rule->when[i].kind != WHEN_END; i++)
        least = fmin(least, condition_holds(&rule->when[i], symptoms));
    return least;
}

/* Puts a finding among the heaviest. */
static void insert_finding(struct finding *list, int *n, struct finding finding)
{
    int at = *n;

    while (at > 0 && fabs(list[at - 1].weight) < fabs(finding.weight))
        at--;
    if (at >= DIAGNOSIS_RULES_MAX)
        return;
    int last = *n < DIAGNOSIS_RULES_MAX ? *n : DIAGNOSIS_RULES_MAX - 1;
    for (int i = last; i > at; i--)
        list[i] = list[i - 1];
    list[at] = finding;
    if (*n < DIAGNOSIS_RULES_MAX)
        (*n)++;
}

/* What of the evidence is independent: each sign and topic counts once. */
struct seen {
    bool signs[SIGN_COUNT], topics[TOPIC_COUNT];
    bool comparison;
    int n;
};

static void count_evidence(const struct rule *rule, struct seen *seen)
{
    for (int i = 0; i < RULE_CONDITIONS && rule->when[i].kind != WHEN_END; i++) {
        const struct condition *when = &rule->when[i];
        if (when->kind == WHEN_ABSENT || when->kind == WHEN_TOLD) {
            seen->n += when->kind == WHEN_TOLD && seen->n == 0;
            continue;
        }
        bool *mark =
            when->kind == WHEN_SIGN ? &seen->signs[when->subject] : &seen->topics[when->subject];
        seen->n += !*mark;
        *mark = true;
        seen->comparison |= when->kind == WHEN_WORSE || when->kind == WHEN_BETTER;
    }
}

static void weigh(enum cause_id id, const struct symptoms *symptoms, struct ranked_cause *ret_cause)
{
    struct seen seen = {0};
    double odds = cause_info(id)->prior;
    const struct rule *rule;

    *ret_cause = (struct ranked_cause){.id = id};
    for (int i = 0; (rule = rule_at(i)) != NULL; i++) {
        double holds = rule->cause == id ? rule_holds(rule, symptoms) : 0.0;
        if (!(holds > 0))
            continue;
        const struct finding finding = {rule, rule->weight * holds};
        odds += finding.weight;
        if (finding.weight > 0) {
            count_evidence(rule, &seen);
            insert_finding(ret_cause->for_it, &ret_cause->n_for, finding);
        } else {
            insert_finding(ret_cause->against, &ret_cause->n_against, finding);
        }
    }
    ret_cause->odds = odds;
    ret_cause->n_independent = seen.n;
    ret_cause->score = 1.0 / (1.0 + exp(-odds));
    if (seen.n < 2)
        ret_cause->score =
            fmin(ret_cause->score, seen.comparison ? LONE_COMPARISON_CAP : LONE_SIGN_CAP);
}

static void insert_cause(struct ranked_cause *list, int *n, const struct ranked_cause *cause)
{
    int at = *n;

    while (at > 0 && list[at - 1].odds < cause->odds)
        at--;
    if (at >= DIAGNOSIS_CAUSES_MAX)
        return;
    int last = *n < DIAGNOSIS_CAUSES_MAX ? *n : DIAGNOSIS_CAUSES_MAX - 1;
    for (int i = last; i > at; i--)
        list[i] = list[i - 1];
    list[at] = *cause;
    if (*n < DIAGNOSIS_CAUSES_MAX)
        (*n)++;
}

/* What the evidence for it would make of it, were nothing against it. */
static double suspicion(const struct ranked_cause *cause)
{
    double odds = cause->odds;

    for (int i = 0; i < cause->n_against; i++)
        odds -= cause->against[i].weight;
    return 1.0 / (1.0 + exp(-odds));
}

/* Speeds as the budget has them, and no cause that something speaks for strongly. */
static bool is_healthy(const struct symptoms *symptoms, const struct diagnosis *diagnosis)
{
    bool as_planned = symptoms->signs[SIGN_TPOT_AT_BUDGET].strength > 0 &&
                      !(symptoms->signs[SIGN_TTFT_HIGH].strength > 0) &&
                      !(symptoms->signs[SIGN_TTFT_HUGE].strength > 0);

    for (int i = 0; i < diagnosis->n && as_planned; i++)
        as_planned = diagnosis->causes[i].score < 0.5 || diagnosis->causes[i].id == CAUSE_BANDWIDTH;
    return as_planned;
}

void diagnose(const struct symptoms *symptoms, struct diagnosis *ret_diagnosis)
{
    *ret_diagnosis = (struct diagnosis){0};
    if (!symptoms_any(symptoms))
        return;
    for (int i = 0; i < CAUSE_COUNT; i++) {
        struct ranked_cause cause;
        weigh((enum cause_id)i, symptoms, &cause);
        if (cause.n_for == 0)
            continue;
        bool refuted =
            cause.n_against > 0 && suspicion(&cause) >= SUSPECTED && cause.score < REFUTED;
        if (refuted)
            insert_cause(ret_diagnosis->ruled_out, &ret_diagnosis->n_ruled_out, &cause);
        else if (cause.score >= LEAST_SCORE)
            insert_cause(ret_diagnosis->causes, &ret_diagnosis->n, &cause);
    }
    ret_diagnosis->healthy = is_healthy(symptoms, ret_diagnosis);
}

/* What a sign, were it seen, would add to a cause's odds beyond what is known. */
static double gain(const struct symptoms *symptoms, enum cause_id cause, enum sign_id sign)
{
    const struct rule *rule;
    double sum = 0;

    for (int i = 0; (rule = rule_at(i)) != NULL; i++) {
        bool asks = false, others = true;
        for (int j = 0; j < RULE_CONDITIONS && rule->when[j].kind != WHEN_END; j++) {
            const struct condition *when = &rule->when[j];
            if (when->kind == WHEN_SIGN && when->subject == (int)sign)
                asks = true;
            else
                others = others && condition_holds(when, symptoms) > 0;
        }
        if (asks && others && rule->cause == cause)
            sum += rule->weight;
    }
    return sum;
}

enum sign_id diagnose_separator(const struct symptoms *symptoms, enum cause_id first,
                                enum cause_id second)
{
    enum sign_id best = SIGN_COUNT;
    double most = 0.5;

    for (int i = 0; i < SIGN_COUNT; i++) {
        if (symptoms->signs[i].strength > 0)
            continue;
        double moves = gain(symptoms, first, (enum sign_id)i);
        if (second != CAUSE_COUNT)
            moves -= gain(symptoms, second, (enum sign_id)i);
        if (fabs(moves) <= most)
            continue;
        most = fabs(moves);
        best = (enum sign_id)i;
    }
    return best;
}
