/* The tables of a diagnosis: every row is whole and can be reached, and how scores add up. */
#include "diagnose.h"

#include <string.h>

#include "check.h"
#include "compiler.h"

/* Large: outside the stack of a test. */
static struct symptoms symptoms;
static struct diagnosis diagnosis;

static void clear(void)
{
    memset(&symptoms, 0, sizeof(symptoms));
}

static void see(enum sign_id id, double strength)
{
    const struct sign sign = {.strength = strength, .origin = ORIGIN_FIELDS};
    symptoms_sign(&symptoms, id, &sign);
}

static void differ(enum topic_id id, double ratio)
{
    const struct difference difference = {.strength = 1.0, .ratio = ratio, .origin = ORIGIN_ARMS};
    symptoms_differ(&symptoms, id, &difference);
}

/* Makes a condition hold. */
static void meet(const struct condition *when)
{
    switch (when->kind) {
    case WHEN_SIGN:
        see((enum sign_id)when->subject, 1.0);
        break;
    case WHEN_USES:
        symptoms_use(&symptoms, (enum topic_id)when->subject, 1.0, ORIGIN_FIELDS, NULL);
        break;
    case WHEN_WORSE:
        differ((enum topic_id)when->subject, 0.5);
        break;
    case WHEN_BETTER:
        differ((enum topic_id)when->subject, 2.0);
        break;
    case WHEN_SAME:
        differ((enum topic_id)when->subject, 1.0);
        break;
    case WHEN_TOLD:
        symptoms.told[when->subject] = 1.0;
        break;
    case WHEN_ABSENT:
    case WHEN_END:
        break;
    }
}

static void every_rule_is_reached_by_its_conditions(void **state)
{
    (void)state;
    const struct rule *rule;
    for (int i = 0; (rule = rule_at(i)) != NULL; i++) {
        clear();
        assert_near(rule_holds(rule, &symptoms), 0.0, 0);
        for (int j = 0; j < RULE_CONDITIONS; j++)
            meet(&rule->when[j]);
        if (rule_holds(rule, &symptoms) < 1.0)
            fail_msg("rule %d of %s does not hold", i, cause_name(rule->cause));
        /* A condition less, and it does not hold. */
        clear();
        for (int j = 1; j < RULE_CONDITIONS; j++)
            meet(&rule->when[j]);
        assert_near(rule_holds(rule, &symptoms), 0.0, 0);
    }
}

static void every_rule_says_why_and_whence(void **state)
{
    (void)state;
    const struct rule *rule;
    for (int i = 0; (rule = rule_at(i)) != NULL; i++) {
        assert_true(rule->weight != 0.0 && fabs(rule->weight) <= 5.0);
        assert_true(strlen(rule->because) > 5);
        assert_true(strncmp(rule->source, "https://", 8) == 0 ||
                    strncmp(rule->source, "physics: ", 9) == 0);
        /* A negative or absent first condition would speak of nothing. */
        assert_true(rule->when[0].kind != WHEN_END && rule->when[0].kind != WHEN_ABSENT);
    }
}

static void every_cause_is_whole(void **state)
{
    (void)state;
    for (int i = 0; i < CAUSE_COUNT; i++) {
        const struct cause_info *info = cause_info((enum cause_id)i);
        int n = 0;
        assert_int_equal(info->id, i);
        assert_true(info->prior < 0.0);
        assert_true(strlen(info->title) > 10 && strlen(info->check_next) > 10);
        assert_true(strlen(info->cure) > 10 && strlen(info->source) > 10);
        for (int j = 0; rule_at(j); j++)
            n += rule_at(j)->cause == (enum cause_id)i && rule_at(j)->weight > 0;
        if (n == 0)
            fail_msg("nothing speaks for %s", cause_name((enum cause_id)i));
        /* The planner's cure is a row of its table. */
        bool found = info->planner_cure == NULL;
        for (int j = 0; cure_info(j); j++)
            found = found || strcmp(cure_info(j)->id, info->planner_cure) == 0;
        assert_true(found);
    }
}

/* Meets the conditions of all rules for a cause that ask for no absence. */
static void meet_all(enum cause_id id)
{
    const struct rule *rule;
    for (int i = 0; (rule = rule_at(i)) != NULL; i++) {
        bool absent = rule->cause != id || rule->weight < 0;
        for (int j = 0; j < RULE_CONDITIONS; j++)
            absent = absent || rule->when[j].kind == WHEN_ABSENT;
        for (int j = 0; j < RULE_CONDITIONS && !absent; j++)
            meet(&rule->when[j]);
    }
}

/* The place of a cause, from 0; -1 where it is not named. */
static int place_of(enum cause_id id)
{
    for (int i = 0; i < diagnosis.n; i++)
        if (diagnosis.causes[i].id == id)
            return i;
    return -1;
}

/* Every cause is among the first when all that speaks for it, and nothing else, is seen. */
static void every_cause_can_be_found(void **state)
{
    (void)state;
    for (int i = 0; i < CAUSE_COUNT; i++) {
        clear();
        meet_all((enum cause_id)i);
        diagnose(&symptoms, &diagnosis);
        int place = place_of((enum cause_id)i);
        if (place < 0 || place > 2)
            fail_msg("%s: place %d", cause_name((enum cause_id)i), place + 1);
    }
}

/* One sign never makes a cause sure: 0.6 at most; one comparison 0.85. */
static void a_lone_sign_is_not_sufficient(void **state)
{
    (void)state;
    for (int i = 0; i < SIGN_COUNT; i++) {
        clear();
        see((enum sign_id)i, 1.0);
        diagnose(&symptoms, &diagnosis);
        for (int j = 0; j < diagnosis.n; j++)
            assert_true(diagnosis.causes[j].score <= 0.6);
    }
    for (int i = 0; i < TOPIC_COUNT; i++) {
        clear();
        differ((enum topic_id)i, 0.5);
        diagnose(&symptoms, &diagnosis);
        for (int j = 0; j < diagnosis.n; j++)
            assert_true(diagnosis.causes[j].score <= 0.85);
    }
}

static void scores_fall_and_stay_in_range(void **state)
{
    (void)state;
    clear();
    for (int i = 0; i < SIGN_COUNT; i += 3)
        see((enum sign_id)i, 1.0);
    diagnose(&symptoms, &diagnosis);
    assert_true(diagnosis.n > 1 && diagnosis.n <= DIAGNOSIS_CAUSES_MAX);
    for (int i = 0; i < diagnosis.n; i++) {
        const struct ranked_cause *cause = &diagnosis.causes[i];
        assert_true(cause->score > 0.0 && cause->score < 1.0);
        assert_true(i == 0 || cause->odds <= diagnosis.causes[i - 1].odds);
        for (int j = 1; j < cause->n_for; j++)
            assert_true(cause->for_it[j].weight <= cause->for_it[j - 1].weight);
        for (int j = 1; j < cause->n_against; j++)
            assert_true(cause->against[j].weight >= cause->against[j - 1].weight);
    }
}

/* Half as sure, half the weight: the prior of kv-preemption and the weights of its rules. */
static void weights_add_up(void **state)
{
    (void)state;
    double prior = cause_info(CAUSE_KV_PREEMPTION)->prior, sum = prior;
    clear();
    see(SIGN_PREEMPTED, 0.5);
    see(SIGN_KV_FULL, 1.0);
    for (int i = 0; rule_at(i); i++)
        if (rule_at(i)->cause == CAUSE_KV_PREEMPTION)
            sum += rule_at(i)->weight * rule_holds(rule_at(i), &symptoms);
    diagnose(&symptoms, &diagnosis);
    for (int i = 0; i < diagnosis.n; i++)
        if (diagnosis.causes[i].id == CAUSE_KV_PREEMPTION)
            assert_near(diagnosis.causes[i].odds, sum, 1e-12);
    assert_true(sum > prior);
}

/* Tuning gives parity: the suspected kernel is ruled out, not merely unlikely. */
static void what_is_refuted_is_ruled_out(void **state)
{
    (void)state;
    clear();
    see(SIGN_MOE_CONFIG_MISSING, 1.0);
    symptoms_use(&symptoms, TOPIC_TUNED_MOE, 1.0, ORIGIN_ARMS, NULL);
    differ(TOPIC_TUNED_MOE, 1.0);
    diagnose(&symptoms, &diagnosis);
    assert_int_equal(diagnosis.n_ruled_out, 1);
    assert_int_equal(diagnosis.ruled_out[0].id, CAUSE_MOE_CONFIG);
    for (int i = 0; i < diagnosis.n; i++)
        assert_true(diagnosis.causes[i].id != CAUSE_MOE_CONFIG);
}

/* The better sighting of a sign stays, whatever the order. */
static void the_surer_sighting_stays(void **state)
{
    const struct sign words = {.strength = 0.7, .a = 1, .origin = ORIGIN_WORDS};
    const struct sign field = {.strength = 1.0, .a = 2, .origin = ORIGIN_FIELDS};
    const struct sign metric = {.strength = 1.0, .a = 3, .origin = ORIGIN_METRICS};
    (void)state;
    clear();
    symptoms_sign(&symptoms, SIGN_KV_FULL, &metric);
    symptoms_sign(&symptoms, SIGN_KV_FULL, &words);
    symptoms_sign(&symptoms, SIGN_KV_FULL, &field);
    assert_near(symptoms.signs[SIGN_KV_FULL].a, 3, 0);
    assert_true(symptoms_any(&symptoms));
}

/* What a deployment is is no symptom. */
static void a_deployment_is_no_symptom(void **state)
{
    const struct sign setup = {.strength = 1.0, .origin = ORIGIN_DEPLOYMENT};
    (void)state;
    clear();
    symptoms_sign(&symptoms, SIGN_SMALL_MODEL, &setup);
    symptoms_use(&symptoms, TOPIC_LORA, 1.0, ORIGIN_DEPLOYMENT, NULL);
    assert_false(symptoms_any(&symptoms));
    diagnose(&symptoms, &diagnosis);
    assert_int_equal(diagnosis.n, 0);
    differ(TOPIC_LORA, 0.0); /* no speed: no comparison */
    assert_false(symptoms_any(&symptoms));
    differ(TOPIC_LORA, 1.02);
    assert_true(symptoms.topics[TOPIC_LORA].same.strength > 0);
    assert_true(symptoms_any(&symptoms));
}

/* Between a full cache and a limit of slots, the cache's usage decides. */
static void the_separator_moves_the_two_apart(void **state)
{
    (void)state;
    clear();
    see(SIGN_WAITING, 1.0);
    enum sign_id sign = diagnose_separator(&symptoms, CAUSE_KV_QUEUEING, CAUSE_MAX_NUM_SEQS);
    assert_true(sign == SIGN_KV_FREE || sign == SIGN_KV_FULL || sign == SIGN_RUNNING_AT_CAP);
    assert_true(diagnose_separator(&symptoms, CAUSE_GC, CAUSE_COUNT) != SIGN_COUNT);
    for (int i = 0; i < SIGN_COUNT; i++)
        see((enum sign_id)i, 1.0);
    assert_int_equal(diagnose_separator(&symptoms, CAUSE_GC, CAUSE_COUNT), SIGN_COUNT);
}

static void every_sign_and_topic_has_words(void **state)
{
    (void)state;
    for (int i = 0; i < SIGN_COUNT; i++) {
        assert_true(strlen(sign_name((enum sign_id)i)) > 1);
        assert_true(strlen(sign_text((enum sign_id)i)) > 5);
        assert_true(strlen(sign_measure((enum sign_id)i)) > 5);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(sign_name((enum sign_id)i), sign_name((enum sign_id)j));
    }
    for (int i = 0; i < TOPIC_COUNT; i++)
        assert_true(strlen(topic_name((enum topic_id)i)) > 1);
    for (int i = 0; i < ORIGIN_COUNT; i++)
        assert_true(strlen(origin_name((enum origin)i)) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_reached_by_its_conditions),
        cmocka_unit_test(every_rule_says_why_and_whence),
        cmocka_unit_test(every_cause_is_whole),
        cmocka_unit_test(every_cause_can_be_found),
        cmocka_unit_test(a_lone_sign_is_not_sufficient),
        cmocka_unit_test(scores_fall_and_stay_in_range),
        cmocka_unit_test(weights_add_up),
        cmocka_unit_test(what_is_refuted_is_ruled_out),
        cmocka_unit_test(the_surer_sighting_stays),
        cmocka_unit_test(a_deployment_is_no_symptom),
        cmocka_unit_test(the_separator_moves_the_two_apart),
        cmocka_unit_test(every_sign_and_topic_has_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
