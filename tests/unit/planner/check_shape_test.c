/* What must divide: rows of published geometries and layouts, and what engines say of them. */
#include "check_shape.h"

#include <string.h>

#include "check.h"
#include "sample_rig.h"

enum { OF_SAMPLE = 100 };

/* Geometry of the rig beside a format of the sample library. */
static struct problem problem_of(const struct rig *rig, int model, int format)
{
    struct problem problem = rig_llama(rig);
    problem.model =
        model >= OF_SAMPLE ? &rig->sample->models[model - OF_SAMPLE] : &rig->models[model];
    problem.dep.weights = &rig->sample->weights[format];
    return problem;
}

typedef bool shape_fn(const struct problem *problem, struct check *check);

enum { NOT_THERE = -1 };

struct shape_row {
    shape_fn *shape;
    int model, format;
    double tp;
    int verdict;
    const char *says;
};

static void judge_rows(const struct rig *rig, const struct shape_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct problem problem = problem_of(rig, rows[i].model, rows[i].format);
        struct check check = {.verdict = CHECK_UNKNOWN};
        problem.dep.tp = rows[i].tp;
        bool applies = rows[i].shape(&problem, &check);
        if (!applies && rows[i].verdict == NOT_THERE)
            continue;
        if (!applies || (int)check.verdict != rows[i].verdict ||
            strstr(check.detail, rows[i].says) == NULL)
            fail_msg("row %zu: applies %d, %s: %s", i, applies,
                     applies ? check_verdict_name(check.verdict) : "",
                     check.detail ? check.detail : "");
    }
}

#define LLAMA8 (OF_SAMPLE + SAMPLE_LLAMA_8B)
#define LLAMA2 (OF_SAMPLE + SAMPLE_LLAMA2_7B)
#define QWEN (OF_SAMPLE + SAMPLE_QWEN25_7B)
#define DEEPSEEK (OF_SAMPLE + SAMPLE_DEEPSEEK_V3)

/* Llama-3.1-8B: 32 heads, 8 KV heads, width 14,336, 128,256 rows of vocabulary (64 x 2,004);
 * Qwen2.5 7B: 28, 4, 18,944, 152,064; DeepSeek-V3: 128 heads over one latent; Mamba-2.8b: 5,120
 * channels, 50,280 rows, 50,304 when padded to 64. */
static void tensor_parallel(void **state)
{
    static const struct shape_row ROWS[] = {
        {check_heads, LLAMA8, SAMPLE_BF16, 4, CHECK_PASS, "divides"},
        {check_heads, LLAMA8, SAMPLE_BF16, 3, CHECK_FAIL, "refuses to start"},
        {check_heads, QWEN, SAMPLE_BF16, 8, CHECK_FAIL, "refuses to start"},
        {check_heads, QWEN, SAMPLE_BF16, 7, CHECK_PASS, "divides"},
        {check_heads, DEEPSEEK, SAMPLE_BF16, 16, CHECK_PASS, "divides"},
        {check_heads, SHAPE_MAMBA, SAMPLE_BF16, 8, CHECK_PASS, "divides"},
        {check_heads, SHAPE_MAMBA, SAMPLE_BF16, 3, CHECK_FAIL, "does not divide"},
        {check_kv_heads, LLAMA8, SAMPLE_BF16, 8, CHECK_PASS, "divides"},
        {check_kv_heads, LLAMA8, SAMPLE_BF16, 16, CHECK_PASS, "copied"},
        {check_kv_heads, LLAMA8, SAMPLE_BF16, 12, CHECK_FAIL, "neither divides"},
        {check_kv_heads, QWEN, SAMPLE_BF16, 7, CHECK_FAIL, "neither divides"},
        {check_kv_heads, DEEPSEEK, SAMPLE_BF16, 8, CHECK_PASS, "one latent"},
        {check_kv_heads, SHAPE_MAMBA, SAMPLE_BF16, 8, NOT_THERE, ""},
        {check_vocabulary, LLAMA8, SAMPLE_BF16, 3, CHECK_PASS, "divides"},
        {check_vocabulary, LLAMA8, SAMPLE_BF16, 5, CHECK_FAIL, "does not divide"},
        {check_vocabulary, QWEN, SAMPLE_BF16, 7, CHECK_FAIL, "does not divide"},
        {check_vocabulary, SHAPE_MAMBA, SAMPLE_BF16, 16, CHECK_PASS, "pads"},
        {check_width, LLAMA8, SAMPLE_BF16, 7, CHECK_PASS, "cuts"},
        {check_width, LLAMA8, SAMPLE_BF16, 3, CHECK_FAIL, "does not divide"},
        {check_width, SHAPE_MIXTRAL, SAMPLE_BF16, 3, NOT_THERE, ""}, /* no dense width */
        {check_width, SHAPE_SCOUT, SAMPLE_BF16, 3, CHECK_FAIL, "does not divide"},
        {check_expert_width, LLAMA8, SAMPLE_BF16, 2, NOT_THERE, ""},
        {check_expert_width, SHAPE_MIXTRAL, SAMPLE_BF16, 1, CHECK_PASS, "whole"},
        {check_expert_width, SHAPE_MIXTRAL, SAMPLE_BF16, 8, CHECK_PASS, "is cut"},
        {check_expert_width, SHAPE_MIXTRAL, SAMPLE_BF16, 3, CHECK_FAIL, "does not divide"},
    };

    judge_rows(*state, ROWS, ARRAY_LEN(ROWS));
}

/*
 * Groups and blocks: Llama-2-7B's 11,008 in AWQ groups of 128 is 86 of them, halves but not
 * quarters (11,008 / 4 = 21.5 groups); DeepSeek-V3's experts of 2,048 are 16 blocks of 128 and its
 * dense width of 18,432 is 144.
 */
static void quantisation_blocks(void **state)
{
    static const struct shape_row ROWS[] = {
        {check_blocks, LLAMA2, SAMPLE_BF16, 4, NOT_THERE, ""},
        {check_blocks, LLAMA2, SAMPLE_AWQ, 2, CHECK_PASS, "multiple"},
        {check_blocks, LLAMA2, SAMPLE_AWQ, 4, CHECK_FAIL, "refuses the weights"},
        {check_blocks, DEEPSEEK, SAMPLE_FP8_BLOCK, 16, CHECK_PASS, "multiple"},
        {check_blocks, DEEPSEEK, SAMPLE_FP8_BLOCK, 32, CHECK_FAIL, "refuses the weights"},
        {check_blocks, LLAMA8, SAMPLE_FP8_BLOCK, 8, CHECK_PASS, "multiple"},
        {check_blocks, SHAPE_GPT_OSS, SAMPLE_AWQ, 8, CHECK_FAIL, "refuses the weights"},
    };

    judge_rows(*state, ROWS, ARRAY_LEN(ROWS));
}

/* Qwen3-235B-A22B in fp8 blocks on 8 ranks: experts of 1,536 are cut to 192, no multiple of 128;
 * whole experts per rank are what its model card asks for. */
static void experts_in_blocks(void **state)
{
    struct rig *rig = *state;
    struct problem problem = problem_of(rig, SHAPE_MIXTRAL, SAMPLE_FP8_BLOCK);
    struct model model = *problem.model;
    struct layer_group group = model.groups[0];
    struct check check = {0};
    group.ffns[0] = rig_moe(128, 8, 1536, 0);
    model.groups = &group;
    problem.model = &model;
    problem.dep.tp = 8;
    assert_true(check_blocks(&problem, &check));
    assert_int_equal(check.verdict, CHECK_FAIL);
    assert_near(check.predicted, 192, 0);
    assert_near(check.limit, 128, 0);
    assert_string_equal(check.name[1], "fp8_block");
    problem.dep.ep = 8;
    assert_true(check_blocks(&problem, &check));
    assert_int_equal(check.verdict, CHECK_PASS);
    /* mxfp4 kernels pad what an odd cut leaves: gpt-oss, 2,880 on 7 ranks */
    struct weight_format mxfp4 = rig->sample->weights[SAMPLE_AWQ];
    problem = problem_of(rig, SHAPE_GPT_OSS, SAMPLE_BF16);
    mxfp4.id = "mxfp4";
    problem.dep.weights = &mxfp4;
    problem.dep.tp = 7;
    assert_true(check_expert_width(&problem, &check));
    assert_int_equal(check.verdict, CHECK_PASS);
    assert_non_null(strstr(check.detail, "pad"));
}

/* Hybrids: Qwen3-Next's delta net has 16 key and 32 value heads, Mamba-2 heads count too. */
static void state_mixers(void **state)
{
    struct rig *rig = *state;
    struct problem problem = problem_of(rig, SHAPE_MAMBA, SAMPLE_BF16);
    struct model model = *problem.model;
    struct layer_group group = model.groups[0];
    struct check check = {0};
    model.groups = &group;
    problem.model = &model;
    group.mixers[0] = (struct mixer){.kind = MIXER_GATED_DELTA, .k_heads = 16, .v_heads = 32};
    problem.dep.tp = 16;
    assert_true(check_heads(&problem, &check) && check.verdict == CHECK_PASS);
    problem.dep.tp = 32;
    assert_true(check_heads(&problem, &check) && check.verdict == CHECK_FAIL);
    assert_string_equal(check.name[0], "key heads of the delta net");
    group.mixers[0] = (struct mixer){.kind = MIXER_MAMBA2, .n_heads = 128};
    assert_true(check_heads(&problem, &check) && check.verdict == CHECK_PASS);
    group.mixers[0] = (struct mixer){.kind = MIXER_SHORT_CONV};
    assert_false(check_heads(&problem, &check));
}

/* TensorRT-LLM pads the vocabulary to the ranks, TGI cuts it unevenly, SGLang pads to 64; layers of
 * llama.cpp lie in a row. */
static void engines(void **state)
{
    const struct rig *rig = *state;

    const struct {
        const struct engine *engine;
        int verdict;
    } rows[] = {
        {&rig->engines[RIG_SGLANG], CHECK_FAIL},
        {&rig->engines[RIG_TRTLLM], CHECK_PASS},
        {&rig->engines[RIG_TGI], CHECK_PASS},
        {&rig->sample->engines[SAMPLE_LLAMACPP], NOT_THERE},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct problem problem = rig_llama(rig);
        struct check check = {0};
        problem.dep.engine = rows[i].engine;
        problem.dep.tp = 5; /* of 128,256 rows */
        assert_int_equal(check_vocabulary(&problem, &check), rows[i].verdict != NOT_THERE);
        if (rows[i].verdict != NOT_THERE)
            assert_int_equal(check.verdict, rows[i].verdict);
    }
}

/* 32 layers: four stages are even, five hold 7 at most, 33 leave one empty. */
static void stages(void **state)
{
    static const struct {
        double pp;
        int verdict;
        const char *says;
    } ROWS[] = {{4, CHECK_PASS, "divides"},
                {5, CHECK_PASS, "uneven"},
                {33, CHECK_FAIL, "a stage would be empty"}};

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = rig_llama(*state);
        struct check check = {0};
        problem.dep.pp = ROWS[i].pp;
        assert_true(check_layers(&problem, &check));
        assert_int_equal(check.verdict, ROWS[i].verdict);
        assert_non_null(strstr(check.detail, ROWS[i].says));
    }
}

/* The same as stated: one number a stage, 32 in all. */
static void stated_stages(void **state)
{
    static const struct {
        const char *layers;
        int verdict;
        const char *says;
    } ROWS[] = {{"9,8,8,7", CHECK_PASS, "the longest holds"},
                {"16,16", CHECK_FAIL, "and pp is {wA}: the engine refuses"},
                {"8,8,8,9", CHECK_FAIL, "layers in all"}};

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = rig_llama(*state);
        struct check check = {0};
        problem.dep.pp = 4;
        problem.dep.pp_layers = ROWS[i].layers;
        assert_true(check_layers(&problem, &check));
        assert_int_equal(check.verdict, ROWS[i].verdict);
        assert_non_null(strstr(check.detail, ROWS[i].says));
    }
}

/* vLLM: dcp divides tp, and is at most the copies that tp makes of the KV heads (Llama-3.1-8B has
 * 8, DeepSeek-V3 one latent that every rank keeps). Other engines have no such flag. */
static void context_parallel(void **state)
{
    struct rig *rig = *state;

    static const struct {
        int model;
        double tp, dcp;
        int verdict;
    } ROWS[] = {
        {LLAMA8, 8, 1, NOT_THERE},    {LLAMA8, 8, 2, CHECK_FAIL},    {LLAMA8, 16, 2, CHECK_PASS},
        {LLAMA8, 16, 4, CHECK_FAIL},  {LLAMA8, 16, 3, CHECK_FAIL},   {DEEPSEEK, 8, 8, CHECK_PASS},
        {DEEPSEEK, 8, 3, CHECK_FAIL}, {DEEPSEEK, 8, 16, CHECK_FAIL},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = problem_of(rig, ROWS[i].model, SAMPLE_BF16);
        struct check check = {0};
        problem.dep.tp = ROWS[i].tp;
        problem.dep.dcp = ROWS[i].dcp;
        assert_int_equal(check_context(&problem, &check), ROWS[i].verdict != NOT_THERE);
        if (ROWS[i].verdict != NOT_THERE)
            assert_int_equal(check.verdict, ROWS[i].verdict);
        problem.dep.engine = &rig->engines[RIG_SGLANG];
        assert_false(check_context(&problem, &check));
    }
}

/* Mixtral's 8 experts: vLLM spreads them over every rank or none, the others need ep to divide. */
static void expert_parallel(void **state)
{
    static const struct {
        int sglang;
        double tp, dp, ep;
        int verdict;
        const char *says;
    } ROWS[] = {
        {0, 8, 1, 8, CHECK_PASS, "divides"},
        {0, 8, 1, 1, CHECK_PASS, "divides"},
        {0, 8, 1, 4, CHECK_FAIL, "cannot be"},
        {0, 3, 1, 3, CHECK_PASS, "uneven"},
        {0, 8, 2, 16, CHECK_FAIL, "would hold"},
        {1, 8, 1, 4, CHECK_PASS, "divides"},
        {1, 6, 1, 3, CHECK_FAIL, "does not divide the {wB}"},
        {1, 6, 1, 4, CHECK_FAIL, "ranks"},
    };

    const struct rig *rig = *state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = rig_problem(rig, SHAPE_MIXTRAL);
        struct check check = {0};
        if (ROWS[i].sglang)
            problem.dep.engine = &rig->engines[RIG_SGLANG];
        problem.dep.tp = ROWS[i].tp;
        problem.dep.dp = ROWS[i].dp;
        problem.dep.ep = ROWS[i].ep;
        assert_true(check_experts(&problem, &check));
        if ((int)check.verdict != ROWS[i].verdict || strstr(check.detail, ROWS[i].says) == NULL)
            fail_msg("row %zu: %s: %s", i, check_verdict_name(check.verdict), check.detail);
    }
    struct problem dense = rig_llama(rig);
    struct check check = {0};
    assert_false(check_experts(&dense, &check));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensor_parallel),   cmocka_unit_test(quantisation_blocks),
        cmocka_unit_test(experts_in_blocks), cmocka_unit_test(state_mixers),
        cmocka_unit_test(engines),           cmocka_unit_test(stages),
        cmocka_unit_test(stated_stages),     cmocka_unit_test(context_parallel),
        cmocka_unit_test(expert_parallel),
    };

    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
