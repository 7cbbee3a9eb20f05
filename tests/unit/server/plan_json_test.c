#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "../figures.h"
#include "plan_json.h"
#include "plan_sample.h"

/* The reply as a tree; the caller deletes it. */
static cJSON *reply_of(struct arena *arena, const struct sample *sample, bool summary)
{
    struct json_out out;

    arena_reset(arena);
    json_out_init(&out, arena, 1024, 1 << 20);
    if (summary)
        plan_json_summary(&out, &sample->request, &sample->plan);
    else
        plan_json_full(&out, &sample->request, &sample->plan, NULL);
    out_bytes(&out, "", 1);
    assert_true(json_out_ok(&out));
    cJSON *tree = cJSON_ParseWithOpts(out.text, NULL, true);
    if (!tree)
        fail_msg("not JSON: %s", out.text);
    return tree;
}

/* The value at "a.b.0.c"; fails when it is not there. */
static const cJSON *at(const cJSON *tree, const char *path)
{
    const char *rest = path;

    while (*rest) {
        char name[64];
        size_t length = strcspn(rest, ".");
        memcpy(name, rest, length);
        name[length] = '\0';
        tree = cJSON_IsArray(tree) ? cJSON_GetArrayItem(tree, name[0] - '0')
                                   : cJSON_GetObjectItemCaseSensitive(tree, name);
        if (!tree)
            fail_msg("no %s", path);
        rest += length + (rest[length] == '.');
    }
    return tree;
}

static void check_members(const cJSON *object, const char *expected)
{
    char names[600] = "";
    size_t length = 0;
    const cJSON *member;

    cJSON_ArrayForEach(member, object)
    {
        length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                   length ? " " : "", member->string);
        assert_true(length < sizeof(names));
    }
    assert_string_equal(names, expected);
}

/* Names and order of the API's description; additions stand where they belong. */
static void members_stand_in_the_order_of_the_api(void **state)
{
    struct arena *arena = *state;
    static struct sample sample;

    sample_fill(&sample);
    cJSON *tree = reply_of(arena, &sample, false);
    check_members(
        tree, "request assumed assumed_from ignored_flags regime dominant decode prefill latency "
              "throughput memory moves "
              "cures non_cures measured anchors gaps warnings");
    check_members(at(tree, "regime"), "id seed_regime title because answers");
    check_members(at(tree, "regime.answers"),
                  "concurrent_requests model_bytes context_tokens sampler");
    check_members(at(tree, "dominant"), "phase class pass bound share");
    check_members(at(tree, "decode"), "batch context_tokens tokens_per_step bytes flops link_bytes "
                                      "weight_read_bytes arithmetic_intensity "
                                      "ridge floor_us expected_us low_us high_us basis device_us "
                                      "host_us exposed_host_us dominant classes");
    check_members(at(tree, "decode.classes.0"),
                  "class pass bound bytes flops link_bytes host_bytes weight_bytes launches "
                  "floor_us expected_us "
                  "fixed_us memory_us compute_us share of_weight_read formula basis fit anchor");
    check_members(
        at(tree, "decode.classes.0.fit"),
        "id hardware engine engine_version op dtype match kernels median_error p90_error");
    check_members(at(tree, "latency"), "ttft_ms tpot_ms e2e_ms nearness");
    check_members(at(tree, "latency.ttft_ms"), "floor expected low high basis");
    check_members(at(tree, "throughput"),
                  "output_tok_s per_user_tok_s requests_s max_request_rate");
    check_members(
        at(tree, "memory"),
        "fits verdict short_by_bytes per_device pool_formula terms layout kv_bytes_per_token "
        "kv_bytes_per_token_beyond_window state_bytes_per_sequence kv_token_capacity "
        "max_concurrency max_concurrency_at_max_model_len longest_context_tokens held_sequences "
        "changes assumed basis");
    check_members(at(tree, "memory.per_device"),
                  "total_bytes usable_bytes weights_bytes kv_bytes kv_bytes_low kv_bytes_high "
                  "activation_bytes overhead_bytes");
    check_members(at(tree, "memory.terms.0"),
                  "term title bytes low_bytes high_bytes in_budget formula basis rule");
    check_members(at(tree, "memory.layout"), "unit unit_bytes units groups");
    check_members(at(tree, "memory.layout.groups.0"),
                  "kind layers tables bytes_per_token state_bytes window_tokens block_tokens "
                  "page_bytes");
    check_members(at(tree, "moves.0"), "axis direction from at to_regime to_class");
    check_members(
        at(tree, "cures.0"),
        "id title rank change why when_not effect regime_after basis evidence evidence_status");
    check_members(at(tree, "warnings.0"), "id pointer detail");
    cJSON_Delete(tree);
}

static void the_summary_keeps_what_a_pipeline_reads(void **state)
{
    struct arena *arena = *state;
    static struct sample sample;

    sample_fill(&sample);
    for (int i = 2; i < 6; i++) {
        sample.plan.results[i] = sample.plan.results[0];
        sample.plan.results[i].rank = i;
    }
    sample.plan.n_results = 6;
    cJSON *tree = reply_of(arena, &sample, true);
    check_members(tree, "regime dominant latency throughput memory cures warnings");
    check_members(at(tree, "memory"), "fits kv_token_capacity max_concurrency");
    assert_int_equal(cJSON_GetArraySize(at(tree, "cures")), 3);
    cJSON_Delete(tree);
}

struct text_row {
    const char *path, *text; /* NULL = null */
};

static const struct text_row TEXTS[] = {
    {"request.model", "llama-3.1-8b"},
    {"request.deployment.engine_version", NULL}, /* neither given nor assumed in the sample */
    {"assumed.0", "/deployment/engine"},
    {"regime.id", "weight_bandwidth"},
    {"regime.seed_regime", "b"},
    {"regime.because",
     "every decode step reads 15.0 GB of weights, 5.10 ms of its 6.10 ms (84 %), for 4 sequences: "
     "dense_gemm leads"},
    {"dominant.pass", "device"},
    {"decode.classes.0.class", "dense_gemm"},
    {"decode.classes.0.bound", "hbm_bandwidth"},
    /* 55,834,574,848 flops over 2 x 4 rows are 6.98e9 parameters, 13,958,643,712 B of them 2 B each
     */
    {"decode.classes.0.formula",
     "2 B x 6.98e9 linear parameters, read once per step, + activations of 4 rows; 2 FLOP x "
     "6.98e9 x 4 rows"},
    {"decode.classes.0.basis", "calibrated"},
    {"decode.classes.0.fit.engine_version", "0.24.0"},
    {"decode.classes.0.fit.match", "same version"},
    {"decode.classes.0.anchor", NULL},
    /* 1,140,850,688 B over 4 sequences */
    {"decode.classes.1.formula",
     "4 sequences x 285 MB of K and V, read at a context of 2,176 tokens"},
    {"decode.classes.1.fit", NULL},
    {"decode.classes.2.formula", "150 us + 4 sequences x 8.50 us"},
    {"decode.classes.2.anchor", "step-cost"},
    {"decode.classes.3.formula", "one launch of the captured step, 20 us"},
    {"decode.low_us", NULL},
    {"prefill.expected_us", NULL},
    {"prefill.basis", "no record"},
    {"prefill.classes.1.formula",
     "per layer 2 FLOP x heads x (d_k + d_v) x (n c + n^2/2), n = 1,536 new tokens after c "
     "= 512 cached, each layer within its window"},
    {"latency.ttft_ms.expected", NULL},
    {"latency.ttft_ms.basis", "no record"},
    {"moves.0.to_regime", "kv_bandwidth"},
    {"moves.1.at", NULL},
    {"moves.1.to_regime", NULL},
    {"moves.2.at", "host"},
    {"cures.0.id", "fp8_weights"},
    {"cures.0.change./deployment/weights", "fp8"},
    {"non_cures.0.rank", NULL},
    {"non_cures.0.effect.ttft", NULL},
    {"warnings.0.id", "longer_than_max_model_len"},
    {"warnings.0.pointer", "/deployment/max_model_len"},
    {"warnings.0.detail", "input + output is 2,304 tokens, max_model_len is 2,048"},
    {"warnings.1.detail",
     "no kernel record for prefill_attention on this part: floor only, shares at floor/0.7"},
};

static void texts_say_what_the_plan_says(void **state)
{
    struct arena *arena = *state;
    static struct sample sample;

    sample_fill(&sample);
    cJSON *tree = reply_of(arena, &sample, false);
    for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
        const cJSON *value = at(tree, TEXTS[i].path);
        if (!TEXTS[i].text) {
            if (!cJSON_IsNull(value))
                fail_msg("%s is not null", TEXTS[i].path);
            continue;
        }
        if (!cJSON_IsString(value) || strcmp(value->valuestring, TEXTS[i].text) != 0)
            fail_msg("%s is %s", TEXTS[i].path,
                     cJSON_IsString(value) ? value->valuestring : "no text");
    }
    cJSON_Delete(tree);
}

struct number_row {
    const char *path;
    double value;
};

static const struct number_row NUMBERS[] = {
    {"regime.answers.concurrent_requests", 4},
    {"regime.answers.model_bytes", 16060522496.0},  /* 2 B x 8,030,261,248 */
    {"decode.classes.0.of_weight_read", 0.931421},  /* 13.98e9 / 15,009,316,864 */
    {"decode.classes.1.of_weight_read", 0.0760095}, /* 1,140,850,688 / 15,009,316,864 */
    {"decode.classes.0.expected_us", 5000},
    {"decode.classes.0.fixed_us", 300},
    {"decode.classes.0.memory_us", 4700},
    {"decode.classes.0.compute_us", 70},
    {"decode.exposed_host_us", 100},
    {"prefill.crossover_tokens", 53248},
    {"memory.kv_token_capacity", 456848},
    {"latency.tpot_ms.expected", 6.6},
    {"throughput.max_request_rate.floor", 30},
    {"moves.0.at", 61},
    {"cures.0.rank", 1},
    {"cures.0.effect.output_tok_s", 0.71},
    {"non_cures.0.change./deployment/max_num_seqs", 512},
};

static void numbers_are_those_of_the_plan(void **state)
{
    struct arena *arena = *state;
    static struct sample sample;

    sample_fill(&sample);
    cJSON *tree = reply_of(arena, &sample, false);
    for (size_t i = 0; i < ARRAY_LEN(NUMBERS); i++) {
        const cJSON *value = at(tree, NUMBERS[i].path);
        if (!cJSON_IsNumber(value) || fabs(value->valuedouble / NUMBERS[i].value - 1) > 1e-5)
            fail_msg("%s is %.12g", NUMBERS[i].path, value->valuedouble);
    }
    assert_true(cJSON_IsFalse(at(tree, "non_cures.0.change./deployment/cuda_graphs")));
    assert_true(cJSON_IsNull(at(tree, "decode.classes.2.of_weight_read"))); /* streams nothing */
    assert_true(cJSON_IsNull(at(tree, "decode.classes.3.expected_us")));    /* no record */
    cJSON_Delete(tree);
}

/* Every class in both phases has a formula without a hole left open. */
/* Without a peak there is no ridge: null, not 0. */
static void a_part_without_peaks_has_no_ridge(void **state)
{
    struct arena *arena = arena_new(4 << 20);
    static struct sample sample;

    (void)state;
    sample_fill(&sample);
    sample.plan.decode.ridge = sample.plan.prefill.ridge = 0;
    cJSON *tree = reply_of(arena, &sample, false);
    assert_true(cJSON_IsNull(at(tree, "decode.ridge")));
    assert_true(cJSON_IsNull(at(tree, "prefill.ridge")));
    cJSON_Delete(tree);
    arena_free(arena);
}

static void every_class_has_a_formula(void **state)
{
    struct arena *arena = *state;
    static struct sample sample;

    sample_fill(&sample);
    for (int i = 0; i < CLASS_COUNT; i++)
        sample.plan.decode.classes[i].present = sample.plan.prefill.classes[i].present = true;
    sample.request.problem.dep.tp = sample.plan.problem.dep.tp = 2;
    cJSON *tree = reply_of(arena, &sample, false);
    static const char *const STEPS[] = {"decode", "prefill"};
    for (size_t i = 0; i < ARRAY_LEN(STEPS); i++) {
        const cJSON *class;
        cJSON_ArrayForEach(class, at(at(tree, STEPS[i]), "classes"))
        {
            const char *formula = at(class, "formula")->valuestring;
            assert_null(strpbrk(formula, "{}\"\\"));
        }
        assert_int_equal(cJSON_GetArraySize(at(at(tree, STEPS[i]), "classes")), CLASS_COUNT);
    }
    cJSON_Delete(tree);
}

/* Every regime explains itself, and every warning is a sentence. */
static void every_regime_and_warning_has_its_sentence(void **state)
{
    struct arena *arena = *state;
    static struct sample sample;

    sample_fill(&sample);
    for (int i = 0; i < REGIME_COUNT; i++) {
        sample.plan.regime = (enum regime_id)i;
        sample.plan.dominant.phase = i % 2 ? PHASE_PREFILL : PHASE_DECODE;
        cJSON *tree = reply_of(arena, &sample, true);
        const char *because = at(tree, "regime.because")->valuestring;
        assert_true(strlen(because) > 40);
        assert_null(strpbrk(because, "{}"));
        cJSON_Delete(tree);
    }
    sample.plan.n_warnings = 1;
    for (int i = 0; i < WARNING_COUNT; i++) {
        sample.plan.warnings[0] =
            (struct warning){.id = (enum warning_id)i, .value = {1, 2}, .name = "lm_head"};
        cJSON *tree = reply_of(arena, &sample, true);
        assert_null(strchr(at(tree, "warnings.0.detail")->valuestring, '%'));
        cJSON_Delete(tree);
    }
}

static void a_writer_without_room_fails_whole(void **state)
{
    struct arena *arena = *state;
    static struct sample sample;
    struct json_out out;

    sample_fill(&sample);
    for (size_t max = 300; max < 12000; max += 97) {
        arena_reset(arena);
        json_out_init(&out, arena, 256, max);
        plan_json_full(&out, &sample.request, &sample.plan, NULL);
        assert_true(out.length <= max);
        if (max < 5000)
            assert_false(json_out_ok(&out));
    }
}

static int setup(void **state)
{
    *state = arena_new(4 << 20);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    arena_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_stand_in_the_order_of_the_api),
        cmocka_unit_test(the_summary_keeps_what_a_pipeline_reads),
        cmocka_unit_test(texts_say_what_the_plan_says),
        cmocka_unit_test(numbers_are_those_of_the_plan),
        cmocka_unit_test(a_part_without_peaks_has_no_ridge),
        cmocka_unit_test(every_class_has_a_formula),
        cmocka_unit_test(every_regime_and_warning_has_its_sentence),
        cmocka_unit_test(a_writer_without_room_fails_whole),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
