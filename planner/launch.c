/*
 * launch.c - which launch speaks of a deployment, and what its flags come to.
 */
#include "launch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "compiler.h"

#define ROUNDED_TO 64.0
#define SPARE_TOKENS 64.0

#define X(ID, NAME) [ID] = NAME,
static const char *const GENERATOR_NAMES[] = {LOAD_GENERATOR_LIST(X)};
static const char *const RULE_NAMES[] = {LAUNCH_RULE_LIST(X)};
static const char *const RANGE_NAMES[] = {LAUNCH_RANGE_LIST(X)};
static const char *const SUBJECT_NAMES[] = {LAUNCH_SUBJECT_LIST(X)};
#undef X

static const struct flag_info {
    const char *name;
    double max;
} FLAGS[] = {

#define X(ID, NAME, MAX) [ID] = {NAME, MAX},
    LAUNCH_FLAG_LIST(X)
#undef X
};

static int name_at(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++) {
        if (names[i] && strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return n;
}

const char *load_generator_name(enum load_generator generator)
{
    return generator < LOAD_GENERATOR_COUNT ? GENERATOR_NAMES[generator] : NULL;
}

enum load_generator load_generator_parse(const char *name)
{
    return (enum load_generator)name_at(GENERATOR_NAMES, LOAD_GENERATOR_COUNT, name);
}

const char *launch_flag_name(enum launch_flag flag)
{
    return flag < LAUNCH_FLAG_COUNT ? FLAGS[flag].name : NULL;
}

enum launch_flag launch_flag_parse(const char *name)
{
    int i = LAUNCH_NOTHING + 1;
    while (i < LAUNCH_FLAG_COUNT && strcmp(FLAGS[i].name, name) != 0) {
        i++;
    }
    return (enum launch_flag)i;
}

double launch_flag_max(enum launch_flag flag)
{
    return FLAGS[flag].max;
}

bool launch_flag_is_switch(enum launch_flag flag)
{
    return flag == LAUNCH_PREFIX_CACHING || flag == LAUNCH_ASYNC_SCHEDULING;
}

enum launch_rule launch_rule_parse(const char *name)
{
    return (enum launch_rule)name_at(RULE_NAMES, LAUNCH_RULE_COUNT, name);
}

const char *launch_range_name(enum launch_range range)
{
    return RANGE_NAMES[range];
}

const char *launch_subject_name(enum launch_subject subject)
{
    return SUBJECT_NAMES[subject];
}

static bool version_is_open(const int version[3])
{
    return !version[0] && !version[1] && !version[2];
}

int launch_conditions(const struct launch *launch)
{
    int n = (launch->generator != LOAD_STEADY) + (launch->engine != NULL) +
            !version_is_open(launch->version_min) + !version_is_open(launch->version_max) +
            (launch->build != NULL) + (launch->drafts != DRAFTS_ANY);
    for (int i = 0; i < LAUNCH_SUBJECT_COUNT; i++) {
        n += launch->subjects[i] != NULL;
    }
    for (int i = 0; i < LAUNCH_RANGE_COUNT; i++) {
        n += !isnan(launch->min[i]) + !isnan(launch->max[i]);
    }
    return n;
}

int launch_order(const void *a, const void *b)
{
    const struct launch *left = a;
    const struct launch *right = b;
    if (left->n_conditions != right->n_conditions) {
        return left->n_conditions > right->n_conditions ? -1 : 1;
    }
    return left->position < right->position ? -1 : left->position > right->position;
}

static bool version_matches(const struct launch *launch, const struct launch_case *asked)
{
    if (launch->build &&
        !(asked->version_text && strcmp(launch->build, asked->version_text) == 0)) {
        return false;
    }
    return (version_is_open(launch->version_min) ||
            engine_version_compare(asked->version, launch->version_min) >= 0) &&
           (version_is_open(launch->version_max) ||
            engine_version_compare(asked->version, launch->version_max) <= 0);
}

static bool is_listed(const char *const *ids, const char *id)
{
    while (*ids && !(id && strcmp(*ids, id) == 0)) {
        ids++;
    }
    return *ids != NULL;
}

static const char *subject_of(const struct launch_case *asked, enum launch_subject subject)
{
    switch (subject) {
    case SUBJECT_MODEL:
        return asked->model->id;
    case SUBJECT_HARDWARE:
        return asked->hw->id;
    case SUBJECT_ARCH:
        return asked->hw->arch;
    case SUBJECT_WEIGHTS:
        return asked->weights->id;
    case LAUNCH_SUBJECT_COUNT:
        break;
    }
    return NULL;
}

static bool subjects_match(const struct launch *launch, const struct launch_case *asked)
{
    for (int i = 0; i < LAUNCH_SUBJECT_COUNT; i++) {
        if (launch->subjects[i] &&
            !is_listed(launch->subjects[i], subject_of(asked, (enum launch_subject)i))) {
            return false;
        }
    }
    return true;
}

static bool ranges_match(const struct launch *launch, const struct launch_case *asked)
{
    for (int i = 0; i < LAUNCH_RANGE_COUNT; i++) {
        if ((!isnan(launch->min[i]) && !(asked->range[i] >= launch->min[i])) ||
            (!isnan(launch->max[i]) && !(asked->range[i] <= launch->max[i]))) {
            return false;
        }
    }
    return true;
}

bool launch_matches(const struct launch *launch, const struct launch_case *asked)
{
    return (launch->generator == LOAD_STEADY || launch->generator == asked->generator) &&
           (!launch->engine || launch->engine == asked->engine) &&
           (launch->drafts == DRAFTS_ANY || (launch->drafts == DRAFTS_YES) == asked->drafts) &&
           ranges_match(launch, asked) && version_matches(launch, asked) &&
           subjects_match(launch, asked);
}

static double round_up(double tokens)
{
    return ceil(tokens / ROUNDED_TO) * ROUNDED_TO;
}

double launch_number(const struct launch_value *value, const struct launch_case *asked)
{
    double concurrency = asked->range[RANGE_CONCURRENCY];
    double input = asked->range[RANGE_INPUT_TOKENS];
    switch (value->rule) {
    case RULE_NUMBER:
    case LAUNCH_RULE_COUNT:
        break;
    case RULE_CONCURRENCY:
        return concurrency;
    case RULE_PER_RANK:
        return ceil(concurrency / asked->range[RANGE_DP]);
    case RULE_AT_LEAST_128:
        return concurrency < 128.0 ? 128.0 : concurrency;
    case RULE_10_CONCURRENCY:
        return 10.0 * concurrency;
    case RULE_2_INPUT:
        return 2.0 * input;
    case RULE_CEIL64:
        return round_up(concurrency + input + SPARE_TOKENS);
    case RULE_CEIL64_8192: {
        double tokens = round_up(concurrency + input + SPARE_TOKENS);
        return tokens < 8192.0 ? 8192.0 : tokens;
    }
    case RULE_CEIL64_DRAFT:
        return round_up((asked->draft_tokens + 1.0) * ceil(concurrency / asked->range[RANGE_DP]) +
                        input + SPARE_TOKENS);
    case RULE_30_FROM_16:
        return isnan(concurrency) ? concurrency : concurrency >= 16.0 ? 30.0 : 10.0;
    }
    return value->number;
}

void launch_choose(const struct launch *launches, int n, const struct launch_case *asked,
                   struct launch_choice ret_choices[LAUNCH_FLAG_COUNT])
{
    memset(ret_choices, 0, LAUNCH_FLAG_COUNT * sizeof(*ret_choices));
    for (int i = 0; i < n; i++) {
        if (!launch_matches(&launches[i], asked)) {
            continue;
        }
        struct launch_case here = *asked;
        if (isnan(here.draft_tokens) && launches[i].values[LAUNCH_SPECULATIVE_TOKENS].stated) {
            here.draft_tokens = launches[i].values[LAUNCH_SPECULATIVE_TOKENS].number;
        }
        for (int flag = LAUNCH_NOTHING + 1; flag < LAUNCH_FLAG_COUNT; flag++) {
            const struct launch_value *value = &launches[i].values[flag];
            if (!value->stated || ret_choices[flag].launch) {
                continue;
            }
            double number = launch_number(value, &here);
            if (!isnan(number)) {
                ret_choices[flag] =
                    (struct launch_choice){&launches[i], number, value->text, value->kv};
            }
        }
    }
}
