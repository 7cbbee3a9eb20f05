/* Launches: which one speaks of a case, and what its flags come to. */
#include "launch.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "compiler.h"

static const struct engine VLLM = {.id = "vllm"};
static const struct engine SGLANG = {.id = "sglang"};
static const struct model MODEL = {.id = "m"};
static const struct hardware PART = {.id = "p", .arch = "blackwell"};
static const struct weight_format FP8 = {.id = "fp8"};

static struct launch_case sample_case(void)
{
    static const int VERSION[3] = {0, 17, 0};
    return (struct launch_case){.generator = LOAD_INFERENCEX,
                                .engine = &VLLM,
                                .version = VERSION,
                                .version_text = "0.17.0rc1",
                                .model = &MODEL,
                                .hw = &PART,
                                .weights = &FP8,
                                .range = {4, 1, 1024, 512, 16},
                                .draft_tokens = (double)NAN};
}

static struct launch sample_launch(void)
{
    struct launch launch = {.id = "l"};
    for (int i = 0; i < LAUNCH_RANGE_COUNT; i++) {
        launch.min[i] = launch.max[i] = (double)NAN;
    }
    return launch;
}

static const struct rule_row {
    const char *rule;
    double concurrency, input, ranks, drafts, want;
} RULES[] = {
    {"concurrency", 48, 1024, 1, 0, 48},
    {"concurrency_per_rank", 100, 1024, 8, 0, 13},
    {"max_concurrency_128", 48, 1024, 1, 0, 128},
    {"max_concurrency_128", 256, 1024, 1, 0, 256},
    {"10_concurrency", 48, 1024, 1, 0, 480},
    {"2_input", 4, 8192, 1, 0, 16384},
    /* (64 + 1024 + 64 + 63) / 64 * 64 in whole numbers: 1215 / 64 = 18 */
    {"ceil64_concurrency_input", 64, 1024, 1, 0, 1152},
    {"ceil64_concurrency_input", 4, 1024, 1, 0, 1152}, /* 1155 / 64 = 18 */
    {"max8192_ceil64_concurrency_input", 64, 1024, 1, 0, 8192},
    {"max8192_ceil64_concurrency_input", 64, 8192, 1, 0, 8320},
    /* ((3 + 1) 32 + 1024 + 64 + 63) / 64 * 64 = 1279 / 64 = 19 */
    {"ceil64_draft_input", 32, 1024, 1, 3, 1216},
    /* 256 requests on 8 ranks: ((1 + 1) 32 + 1024 + 127) / 64 = 1215 / 64 = 18 */
    {"ceil64_draft_input", 256, 1024, 8, 1, 1152},
    {"30_from_16_else_10", 15, 1024, 1, 0, 10},
    {"30_from_16_else_10", 16, 1024, 1, 0, 30},
};

static void rules_follow_the_load(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(RULES); i++) {
        struct launch_case asked = sample_case();
        const struct launch_value value = {.stated = true,
                                           .rule = launch_rule_parse(RULES[i].rule)};
        assert_true(value.rule < LAUNCH_RULE_COUNT);
        asked.range[RANGE_CONCURRENCY] = RULES[i].concurrency;
        asked.range[RANGE_INPUT_TOKENS] = RULES[i].input;
        asked.range[RANGE_DP] = RULES[i].ranks;
        asked.draft_tokens = RULES[i].drafts;
        assert_near(launch_number(&value, &asked), RULES[i].want, 0);
    }
    struct launch_case open = sample_case();
    const struct launch_value value = {.stated = true, .rule = RULE_30_FROM_16};
    open.range[RANGE_CONCURRENCY] = (double)NAN;
    assert_true(isnan(launch_number(&value, &open)));
}

static const char *const OURS[] = {"other", "m", NULL};
static const char *const OTHERS[] = {"other", NULL};
static const char *const HERE[] = {"p", NULL};
static const char *const ARCH[] = {"blackwell", NULL};
static const char *const BF16[] = {"bf16", NULL};

static const struct condition_row {
    struct launch launch; /* ranges are opened first */
    enum launch_range range;
    double min, max; /* 0 = open */
    bool matches;
    int n_conditions;
} CONDITIONS[] = {
    {{.id = "any"}, 0, 0, 0, true, 0},
    {{.generator = LOAD_INFERENCEX}, 0, 0, 0, true, 1},
    {{.generator = LOAD_ENGINE_BENCH}, 0, 0, 0, false, 1},
    {{.engine = &VLLM}, 0, 0, 0, true, 1},
    {{.engine = &SGLANG}, 0, 0, 0, false, 1},
    {{.version_min = {0, 17, 0}}, 0, 0, 0, true, 1},
    {{.version_min = {0, 17, 1}}, 0, 0, 0, false, 1},
    {{.version_max = {0, 17, 0}}, 0, 0, 0, true, 1},
    {{.version_max = {0, 16, 9}}, 0, 0, 0, false, 1},
    {{.version_min = {0, 16, 0}, .version_max = {0, 18, 0}}, 0, 0, 0, true, 2},
    {{.build = "0.17.0rc1"}, 0, 0, 0, true, 1},
    {{.build = "0.17.0"}, 0, 0, 0, false, 1},
    {{.subjects = {[SUBJECT_MODEL] = OURS}}, 0, 0, 0, true, 1},
    {{.subjects = {[SUBJECT_MODEL] = OTHERS}}, 0, 0, 0, false, 1},
    {{.subjects = {[SUBJECT_HARDWARE] = HERE, [SUBJECT_ARCH] = ARCH}}, 0, 0, 0, true, 2},
    {{.subjects = {[SUBJECT_WEIGHTS] = BF16}}, 0, 0, 0, false, 1},
    {{.drafts = DRAFTS_NO}, 0, 0, 0, true, 1},
    {{.drafts = DRAFTS_YES}, 0, 0, 0, false, 1},
    {{.id = "tp"}, RANGE_TP, 4, 4, true, 2},
    {{.id = "tp"}, RANGE_TP, 5, 0, false, 1},
    {{.id = "tp"}, RANGE_TP, 0, 3, false, 1},
    {{.id = "conc"}, RANGE_CONCURRENCY, 16, 0, true, 1},
};

static struct launch condition_launch(const struct condition_row *row)
{
    struct launch launch = row->launch;
    const struct launch open = sample_launch();
    memcpy(launch.min, open.min, sizeof(launch.min));
    memcpy(launch.max, open.max, sizeof(launch.max));
    if (row->min > 0) {
        launch.min[row->range] = row->min;
    }
    if (row->max > 0) {
        launch.max[row->range] = row->max;
    }
    return launch;
}

static void every_condition_is_looked_at(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(CONDITIONS); i++) {
        const struct launch_case asked = sample_case();
        const struct launch launch = condition_launch(&CONDITIONS[i]);
        if (launch_matches(&launch, &asked) != CONDITIONS[i].matches ||
            launch_conditions(&launch) != CONDITIONS[i].n_conditions) {
            fail_msg("row %zu: %d conditions", i, launch_conditions(&launch));
        }
    }
    /* What is not settled satisfies no limit; a part without an id (an inline one) no list. */
    struct launch_case asked = sample_case();
    asked.range[RANGE_CONCURRENCY] = (double)NAN;
    struct launch limited = sample_launch();
    limited.max[RANGE_CONCURRENCY] = 1e9;
    assert_false(launch_matches(&limited, &asked));
    const struct hardware inline_part = {.id = NULL};
    asked.hw = &inline_part;
    struct launch listed = sample_launch();
    listed.subjects[SUBJECT_HARDWARE] = HERE;
    assert_false(launch_matches(&listed, &asked));
}

/* Three launches of the same engine: any model, this model, this model with few devices. */
static void the_launch_with_most_conditions_gives_each_flag(void **state)
{
    struct launch launches[3];
    struct launch_choice choices[LAUNCH_FLAG_COUNT];
    struct launch_case asked = sample_case();
    (void)state;
    for (int i = 0; i < 3; i++) {
        launches[i] = sample_launch();
        launches[i].engine = &VLLM;
        launches[i].position = i;
    }
    launches[0].values[LAUNCH_MEMORY_UTILIZATION] = (struct launch_value){true, .number = 0.9};
    launches[0].values[LAUNCH_STREAM_INTERVAL] = (struct launch_value){true, .number = 20};
    launches[1].subjects[SUBJECT_MODEL] = OURS;
    launches[1].values[LAUNCH_MEMORY_UTILIZATION] = (struct launch_value){true, .number = 0.85};
    launches[2].subjects[SUBJECT_MODEL] = OURS;
    launches[2].max[RANGE_TP] = 4;
    launches[2].values[LAUNCH_MEMORY_UTILIZATION] = (struct launch_value){true, .number = 0.8};
    launches[2].values[LAUNCH_STREAM_INTERVAL] =
        (struct launch_value){.stated = true, .rule = RULE_CONCURRENCY};
    for (int i = 0; i < 3; i++) {
        launches[i].n_conditions = launch_conditions(&launches[i]);
    }
    qsort(launches, 3, sizeof(launches[0]), launch_order);
    assert_int_equal(launches[0].n_conditions, 3);
    launch_choose(launches, 3, &asked, choices);
    assert_near(choices[LAUNCH_MEMORY_UTILIZATION].number, 0.8, 0);
    assert_near(choices[LAUNCH_STREAM_INTERVAL].number, 16, 0);
    assert_null(choices[LAUNCH_KV_CACHE].launch);

    asked.range[RANGE_CONCURRENCY] = (double)NAN; /* the rule says nothing: the next launch does */
    launch_choose(launches, 3, &asked, choices);
    assert_near(choices[LAUNCH_STREAM_INTERVAL].number, 20, 0);
    asked.range[RANGE_TP] = 8;
    launch_choose(launches, 3, &asked, choices);
    assert_near(choices[LAUNCH_MEMORY_UTILIZATION].number, 0.85, 0);
}

static void names_are_read_back(void **state)
{
    (void)state;
    for (int i = LAUNCH_NOTHING + 1; i < LAUNCH_FLAG_COUNT; i++) {
        assert_int_equal(launch_flag_parse(launch_flag_name((enum launch_flag)i)), i);
    }
    for (int i = LOAD_INFERENCEX; i < LOAD_GENERATOR_COUNT; i++) {
        assert_int_equal(load_generator_parse(load_generator_name((enum load_generator)i)), i);
    }
    assert_int_equal(launch_flag_parse("colour"), LAUNCH_FLAG_COUNT);
    assert_int_equal(launch_rule_parse("guess"), LAUNCH_RULE_COUNT);
    assert_int_equal(load_generator_parse("wrk"), LOAD_GENERATOR_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_follow_the_load),
        cmocka_unit_test(every_condition_is_looked_at),
        cmocka_unit_test(the_launch_with_most_conditions_gives_each_flag),
        cmocka_unit_test(names_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
