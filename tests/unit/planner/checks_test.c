/* The checks of memory, lengths, objectives, devices and regressions, at both sides of each limit.
 */
#include "checks.h"

#include <string.h>

#include "check.h"
#include "memory.h"
#include "sample_rig.h"

#define NOBODY_SAID ((struct check_asked){.devices = (double)NAN})
/* Llama-3.1-8B: 2 x 32 layers x 8 KV heads x 128 x 2 B. */
#define TOKEN_BYTES 131072.0

static struct check_list evaluate(const struct plan *plan, struct check_asked asked)
{
    struct check_list checks;
    check_plan(plan, &asked, &checks);
    return checks;
}

static const struct check *of(const struct check_list *checks, enum check_id id)
{
    const struct check *check = check_find(checks, id);
    if (check == NULL)
        fail_msg("no check %s", check_name(id));
    return check;
}

/* The pool of vLLM in whole blocks of 16 tokens, its range besides. */
static void set_pool(struct plan *plan, double tokens, double low, double high)
{
    struct memory_plan *memory = &plan->memory;
    memory->kv_bytes = tokens * TOKEN_BYTES;
    memory->kv_bytes_low = low * TOKEN_BYTES;
    memory->kv_bytes_high = high * TOKEN_BYTES;
    memory->layout.units = tokens / 16;
    memory->kv_token_capacity = tokens;
    memory->max_concurrency = tokens / 1280;
    memory->held_sequences = floor(tokens / 1168); /* 1,024 + 0.55 x 256 = 1,164.8: 73 blocks */
}

/* A plan of one request of 1,024 + 256 tokens and a pool of 200,000. */
static struct plan plan_of(struct problem problem)
{
    struct plan plan = {.problem = problem};
    memory_compute(&problem, 1, &plan.memory);
    plan.memory.verdict = MEMORY_FITS;
    set_pool(&plan, 200000, 200000, 200000);
    plan.ttft_ms = (struct estimate){50, 100, 80, 130, BASIS_CALIBRATED};
    plan.tpot_ms = (struct estimate){5, 10, 8, 13, BASIS_CALIBRATED};
    plan.e2e_ms = (struct estimate){1325, 2650, 2120, 3445, BASIS_CALIBRATED};
    plan.output_tok_s = (struct estimate){2000, 1000, 800, 1250, BASIS_CALIBRATED};
    plan.max_request_rate = (struct estimate){20, 10, 8, 12, BASIS_CALIBRATED};
    return plan;
}

/* The memory's own verdict, and the sum that it rests on. */
static void fitting(void **state)
{
    static const struct {
        enum memory_verdict memory;
        enum check_verdict verdict;
        const char *says;
    } ROWS[] = {{MEMORY_FITS, CHECK_PASS, " fit the"},
                {MEMORY_DOES_NOT_FIT, CHECK_FAIL, "do not fit"},
                {MEMORY_MAY_FIT, CHECK_UNKNOWN, "nobody can say"}};

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct plan plan = plan_of(rig_llama(*state));
        plan.memory.verdict = ROWS[i].memory;
        struct check_list checks = evaluate(&plan, NOBODY_SAID);
        const struct check *check = of(&checks, CHECK_MEMORY_FITS);
        assert_int_equal(check->verdict, ROWS[i].verdict);
        assert_int_equal(checks.verdict, ROWS[i].verdict);
        assert_non_null(strstr(check->detail, ROWS[i].says));
        assert_near(check->limit, plan.memory.usable_bytes, 0);
        /* 1,280 tokens are 80 whole blocks. */
        assert_near(check->figure[1], 1280 * TOKEN_BYTES, 1e-12);
        assert_near(check->predicted, check->figure[0] + check->figure[1], 1e-12);
        assert_true(check->low <= check->predicted && check->predicted <= check->high);
    }
    /* The sum and the pool make up what is usable. */
    struct problem problem = rig_llama(*state);
    struct plan plan = {.problem = problem};
    memory_compute(&problem, 1, &plan.memory);
    struct check_list checks = evaluate(&plan, NOBODY_SAID);
    assert_near(of(&checks, CHECK_MEMORY_FITS)->figure[0],
                plan.memory.usable_bytes - plan.memory.kv_bytes, 1e-9);
    /* What the engine wants before it starts: one request of max_model_len. */
    problem.dep.longest_is_stated = true;
    problem.dep.max_model_len = 40000;
    plan = plan_of(problem);
    checks = evaluate(&plan, NOBODY_SAID);
    assert_near(of(&checks, CHECK_MEMORY_FITS)->figure[1], 40000 * TOKEN_BYTES, 1e-12);
    assert_near(of(&checks, CHECK_MEMORY_FITS)->figure[4], 40000, 0);
    assert_string_equal(of(&checks, CHECK_MEMORY_FITS)->name[0], "one request of max_model_len");
    plan.memory.layout.refused = true;
    checks = evaluate(&plan, NOBODY_SAID);
    assert_non_null(strstr(of(&checks, CHECK_MEMORY_FITS)->detail, "refuses to start"));
}

/* The request's own bytes, where the weights alone are far too many: Llama-3.1-70B in bf16 on one
 * H100 lacks some 70 GB, a request of 1,280 tokens takes 2 x 80 x 8 x 128 x 2 B of each. */
static void a_request_is_not_the_shortage(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    problem.model = &rig->sample->models[SAMPLE_LLAMA_70B];
    struct plan plan = {.problem = problem};
    memory_compute(&problem, 1, &plan.memory);
    assert_true(plan.memory.short_by_bytes > 60e9);
    struct check_list checks = evaluate(&plan, NOBODY_SAID);
    const struct check *check = of(&checks, CHECK_MEMORY_FITS);
    assert_int_equal(check->verdict, CHECK_FAIL);
    assert_near(check->figure[1], 1280 * 327680.0, 1e-12);
    assert_near(check->figure[4], 1280, 0);
    assert_string_equal(check->name[0], "one request");
}

/* The pool of 171 sequences at their mean length, 156 at their end, on each of dp x replicas ranks;
 * in an open loop Little's law gives rate x time in flight: 50/s x 2.65 s = 132.5. */
static void pool(void **state)
{
    static const struct {
        double concurrency, rate, dp, replicas;
        bool saturated;
        enum check_verdict verdict;
        double limit;
    } ROWS[] = {
        {156, NAN, 1, 1, false, CHECK_PASS, 156},    {157, NAN, 1, 1, false, CHECK_UNKNOWN, 157},
        {171, NAN, 1, 1, false, CHECK_UNKNOWN, 171}, {172, NAN, 1, 1, false, CHECK_FAIL, 172},
        {312, NAN, 2, 1, false, CHECK_PASS, 312},    {624, NAN, 2, 2, false, CHECK_PASS, 624},
        {1, 50, 1, 1, false, CHECK_PASS, 132.5},     {1, 100, 1, 1, false, CHECK_FAIL, 265},
        {1, 100, 1, 1, true, CHECK_FAIL, NAN},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct plan plan = plan_of(rig_llama(*state));
        plan.problem.load.concurrency = ROWS[i].concurrency;
        plan.problem.load.request_rate = ROWS[i].rate;
        plan.problem.dep.dp = ROWS[i].dp;
        plan.problem.dep.replicas = ROWS[i].replicas;
        plan.n_warnings = ROWS[i].saturated;
        plan.warnings[0].id = WARN_SATURATED;
        struct check_list checks = evaluate(&plan, NOBODY_SAID);
        const struct check *check = of(&checks, CHECK_KV_HOLDS);
        if (check->verdict != ROWS[i].verdict)
            fail_msg("row %zu: %s", i, check_verdict_name(check->verdict));
        if (isnan(ROWS[i].limit))
            assert_true(isnan(check->limit));
        else
            assert_near(check->limit, ROWS[i].limit, 1e-12);
    }
    struct plan plan = plan_of(rig_llama(*state));
    plan.problem.load.request_rate = 50;
    plan.e2e_ms.expected = NAN; /* nothing was measured: nobody knows what is in flight */
    struct check_list checks = evaluate(&plan, NOBODY_SAID);
    assert_int_equal(of(&checks, CHECK_KV_HOLDS)->verdict, CHECK_UNKNOWN);
}

/* The pool's range decides where the expected pool alone would: 100 to 200 thousand tokens are 78
 * to 171 sequences, and one of 131,072 may fit. */
static void a_pool_with_a_range(void **state)
{
    static const struct {
        double concurrency;
        enum check_verdict verdict;
    } ROWS[] = {{78, CHECK_PASS}, {79, CHECK_UNKNOWN}, {171, CHECK_UNKNOWN}, {172, CHECK_FAIL}};

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct plan plan = plan_of(rig_llama(*state));
        plan.problem.load.concurrency = ROWS[i].concurrency;
        set_pool(&plan, 150000, 100000, 200000);
        struct check_list checks = evaluate(&plan, NOBODY_SAID);
        assert_int_equal(of(&checks, CHECK_KV_HOLDS)->verdict, ROWS[i].verdict);
        assert_int_equal(of(&checks, CHECK_MAX_MODEL_LEN)->verdict, CHECK_UNKNOWN);
        assert_near(of(&checks, CHECK_MAX_MODEL_LEN)->low, 100000, 1e-3);
        assert_near(of(&checks, CHECK_MAX_MODEL_LEN)->high, 131072, 0); /* the model's own */
    }
}

static void lengths(void **state)
{
    struct rig *rig = *state;
    struct plan plan = plan_of(rig_llama(rig));
    struct check_list checks = evaluate(&plan, NOBODY_SAID);
    assert_int_equal(of(&checks, CHECK_MAX_MODEL_LEN)->verdict, CHECK_PASS);
    assert_int_equal(of(&checks, CHECK_REQUEST_LENGTH)->verdict, CHECK_PASS);
    set_pool(&plan, 100000, 100000, 100000); /* of the 131,072 asked */
    plan.problem.load.input_tokens = 131072;
    checks = evaluate(&plan, NOBODY_SAID);
    assert_int_equal(of(&checks, CHECK_MAX_MODEL_LEN)->verdict, CHECK_FAIL);
    assert_near(of(&checks, CHECK_MAX_MODEL_LEN)->predicted, 100000, 1e-3);
    assert_int_equal(of(&checks, CHECK_REQUEST_LENGTH)->verdict, CHECK_FAIL);
    assert_near(of(&checks, CHECK_REQUEST_LENGTH)->predicted, 131072 + 256, 0);
    set_pool(&plan, 0, 0, 0);
    assert_near(check_longest_context(&plan.problem, &plan.memory), 0, 0);
    /* A state of a fixed size takes any length. */
    struct problem problem = rig_problem(rig, SHAPE_MAMBA);
    plan = (struct plan){.problem = problem};
    memory_compute(&problem, 1, &plan.memory);
    checks = evaluate(&plan, NOBODY_SAID);
    assert_int_equal(of(&checks, CHECK_MAX_MODEL_LEN)->verdict, CHECK_PASS);
    assert_non_null(strstr(of(&checks, CHECK_MAX_MODEL_LEN)->detail, "stops growing"));
}

/* What a server accepts at most: --max-input-tokens and --max-concurrent-requests of
 * text-generation-launcher, whose router refuses the rest. 0 is not stated. */
static void what_a_server_accepts(void **state)
{
    static const struct {
        double longest, most, replicas;
        enum check_verdict length, held;
    } ROWS[] = {
        {0, 0, 1, CHECK_PASS, CHECK_PASS},    {NAN, NAN, 1, CHECK_PASS, CHECK_PASS},
        {1024, 8, 1, CHECK_PASS, CHECK_PASS}, {1023, 7, 1, CHECK_FAIL, CHECK_FAIL},
        {1024, 4, 2, CHECK_PASS, CHECK_PASS}, {1024, 3, 2, CHECK_PASS, CHECK_FAIL},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct plan plan = plan_of(rig_llama(*state));
        plan.problem.load.concurrency = 8;
        plan.problem.dep.max_input_tokens = ROWS[i].longest;
        plan.problem.dep.max_concurrent_requests = ROWS[i].most;
        plan.problem.dep.replicas = ROWS[i].replicas;
        struct check_list checks = evaluate(&plan, NOBODY_SAID);
        assert_int_equal(of(&checks, CHECK_REQUEST_LENGTH)->verdict, ROWS[i].length);
        assert_int_equal(of(&checks, CHECK_KV_HOLDS)->verdict, ROWS[i].held);
    }
}

/* An objective against the interval's two ends and the physical floor: 8..13 ms, floor 5 ms; 800 ..
 * 1,250 tokens/s, 2,000 at most; 8..12 requests/s. */
static void objectives(void **state)
{
    static const struct {
        enum check_id id;
        double limit;
        enum check_verdict verdict;
        const char *says; /* part of the sentence */
    } ROWS[] = {
        {CHECK_TPOT, 13, CHECK_PASS, "whole 80 %"},
        {CHECK_TPOT, 12.9, CHECK_UNKNOWN, "straddles"},
        {CHECK_TPOT, 8, CHECK_UNKNOWN, "straddles"},
        {CHECK_TPOT, 7.9, CHECK_FAIL, "even the good end"},
        {CHECK_TPOT, 4, CHECK_FAIL, "physics"},
        {CHECK_TTFT, 130, CHECK_PASS, "whole 80 %"},
        {CHECK_TTFT, 79, CHECK_FAIL, "even the good end"},
        {CHECK_OUTPUT_RATE, 800, CHECK_PASS, "at least"},
        {CHECK_OUTPUT_RATE, 801, CHECK_UNKNOWN, "straddles"},
        {CHECK_OUTPUT_RATE, 1251, CHECK_FAIL, "even the good end"},
        {CHECK_OUTPUT_RATE, 2001, CHECK_FAIL, "physics"},
        {CHECK_ARRIVALS, 8, CHECK_PASS, "at least"},
        {CHECK_ARRIVALS, 13, CHECK_FAIL, "even the good end"},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct plan plan = plan_of(rig_llama(*state));
        double *const limits[] = {[CHECK_TTFT] = &plan.problem.slo.ttft_ms,
                                  [CHECK_TPOT] = &plan.problem.slo.tpot_ms,
                                  [CHECK_OUTPUT_RATE] = &plan.problem.slo.output_tok_s,
                                  [CHECK_ARRIVALS] = &plan.problem.load.request_rate};
        *limits[ROWS[i].id] = ROWS[i].limit;
        struct check_list checks = evaluate(&plan, NOBODY_SAID);
        const struct check *check = of(&checks, ROWS[i].id);
        if (check->verdict != ROWS[i].verdict || strstr(check->detail, ROWS[i].says) == NULL)
            fail_msg("row %zu: %s, %s", i, check_verdict_name(check->verdict), check->detail);
        assert_near(check->limit, ROWS[i].limit, 0);
        assert_string_equal(check->name[0], check_info(ROWS[i].id)->unit);
    }
}

/* Without a record there is a floor at most. */
static void unmeasured(void **state)
{
    struct plan plan = plan_of(rig_llama(*state));
    plan.problem.slo.tpot_ms = 20;
    plan.tpot_ms = (struct estimate){5, NAN, NAN, NAN, BASIS_NO_RECORD};
    struct check_list checks = evaluate(&plan, NOBODY_SAID);
    assert_int_equal(of(&checks, CHECK_TPOT)->verdict, CHECK_UNKNOWN);
    assert_non_null(strstr(of(&checks, CHECK_TPOT)->detail, "no record"));
    assert_int_equal(checks.verdict, CHECK_UNKNOWN);
    plan.tpot_ms.expected = 10;
    checks = evaluate(&plan, NOBODY_SAID);
    assert_int_equal(of(&checks, CHECK_TPOT)->verdict, CHECK_UNKNOWN);
    assert_non_null(strstr(of(&checks, CHECK_TPOT)->detail, "no interval"));
    plan.problem.slo.tpot_ms = 4; /* the floor decides alone */
    checks = evaluate(&plan, NOBODY_SAID);
    assert_int_equal(of(&checks, CHECK_TPOT)->verdict, CHECK_FAIL);
    /* A wait without end has no interval, and fails all the same. */
    plan.problem.slo.ttft_ms = 1000;
    plan.ttft_ms = (struct estimate){50, NAN, NAN, NAN, BASIS_CALIBRATED};
    plan.n_warnings = 1;
    plan.warnings[0].id = WARN_SATURATED;
    checks = evaluate(&plan, NOBODY_SAID);
    assert_int_equal(of(&checks, CHECK_TTFT)->verdict, CHECK_FAIL);
}

static void nothing_asked(void **state)
{
    struct plan plan = plan_of(rig_llama(*state));
    struct check_list checks = evaluate(&plan, NOBODY_SAID);
    for (enum check_id id = CHECK_TTFT; id <= CHECK_ARRIVALS; id++)
        assert_null(check_find(&checks, id));
    for (enum check_id id = CHECK_DEVICES; id < CHECK_COUNT; id++)
        assert_null(check_find(&checks, id));
    assert_null(check_find(&checks, CHECK_EXPERTS)); /* a dense model */
}

/* tp 2 x pp 2 x dp 2 are the 8 devices of each replica. */
static void devices(void **state)
{
    static const struct {
        double given;
        bool may_idle;
        enum check_verdict verdict;
        const char *says;
    } ROWS[] = {{8, false, CHECK_PASS, "are given"},
                {4, false, CHECK_FAIL, "does not start"},
                {16, false, CHECK_FAIL, "stay idle"},
                {4, true, CHECK_FAIL, "does not start"},
                {16, true, CHECK_PASS, "are given"}};

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct plan plan = plan_of(rig_llama(*state));
        plan.problem.dep.tp = plan.problem.dep.pp = plan.problem.dep.dp = 2;
        plan.problem.dep.replicas = 3;
        struct check_list checks = evaluate(
            &plan, (struct check_asked){.devices = ROWS[i].given, .may_idle = ROWS[i].may_idle});
        const struct check *check = of(&checks, CHECK_DEVICES);
        assert_int_equal(check->verdict, ROWS[i].verdict);
        assert_non_null(strstr(check->detail, ROWS[i].says));
        assert_near(check->predicted, 8, 0);
    }
}

/* 5 % are allowed: 10 -> 10.5 ms passes, 10.6 not; 1,000 -> 950 tokens/s passes, 940 not. */
static void regressions(void **state)
{
    static const struct {
        enum check_id id;
        double after;
        enum check_verdict verdict;
    } ROWS[] = {
        {CHECK_TPOT_KEPT, 10.49, CHECK_PASS},      {CHECK_TPOT_KEPT, 10.6, CHECK_FAIL},
        {CHECK_TPOT_KEPT, 9, CHECK_PASS},          {CHECK_TPOT_KEPT, NAN, CHECK_UNKNOWN},
        {CHECK_TTFT_KEPT, 104, CHECK_PASS},        {CHECK_TTFT_KEPT, 106, CHECK_FAIL},
        {CHECK_OUTPUT_KEPT, 951, CHECK_PASS},      {CHECK_OUTPUT_KEPT, 940, CHECK_FAIL},
        {CHECK_CAPACITY_KEPT, 191000, CHECK_PASS}, {CHECK_CAPACITY_KEPT, 189000, CHECK_FAIL},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct plan before = plan_of(rig_llama(*state)), after = before;
        double *const figures[] = {[CHECK_TTFT_KEPT] = &after.ttft_ms.expected,
                                   [CHECK_TPOT_KEPT] = &after.tpot_ms.expected,
                                   [CHECK_OUTPUT_KEPT] = &after.output_tok_s.expected,
                                   [CHECK_CAPACITY_KEPT] = &after.memory.kv_token_capacity};
        *figures[ROWS[i].id] = ROWS[i].after;
        struct check_list checks = evaluate(
            &after, (struct check_asked){.devices = NAN, .baseline = &before, .tolerance = 0.05});
        if (of(&checks, ROWS[i].id)->verdict != ROWS[i].verdict)
            fail_msg("row %zu", i);
        for (enum check_id id = CHECK_TTFT_KEPT; id <= CHECK_CAPACITY_KEPT; id++)
            assert_true(id == ROWS[i].id || of(&checks, id)->verdict == CHECK_PASS);
    }
}

/* Every row is complete, and ids name one check each. */
static void the_table(void **state)
{
    (void)state;
    for (int i = 0; i < CHECK_COUNT; i++) {
        const struct check_info *info = check_info((enum check_id)i);
        assert_true(info->title[0] && info->unit && info->pointer[0] == '/');
        for (int j = 0; j < i; j++)
            assert_string_not_equal(check_name((enum check_id)i), check_name((enum check_id)j));
    }
    assert_string_equal(check_verdict_name(CHECK_UNKNOWN), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fitting),
        cmocka_unit_test(a_request_is_not_the_shortage),
        cmocka_unit_test(pool),
        cmocka_unit_test(lengths),
        cmocka_unit_test(what_a_server_accepts),
        cmocka_unit_test(a_pool_with_a_range),
        cmocka_unit_test(objectives),
        cmocka_unit_test(unmeasured),
        cmocka_unit_test(nothing_asked),
        cmocka_unit_test(devices),
        cmocka_unit_test(regressions),
        cmocka_unit_test(the_table),
    };

    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
