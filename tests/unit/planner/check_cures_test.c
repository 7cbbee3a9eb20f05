/* What makes a failed check pass: each cure is applied by hand and held against the checks. */
#include "check_cures.h"

#include <string.h>

#include "check.h"
#include "check_apply.h"
#include "check_changes.h"
#include "sample_rig.h"

struct found {
    struct plan plan;
    struct check_list checks;
    struct check_cure cures[CHECK_CURES_MAX];
    int n;
};

static void find(struct problem problem, double devices, struct found *found)
{
    const struct check_asked asked = {.devices = devices};
    plan_compute(&problem, PLAN_CHECK, &found->plan);
    check_plan(&found->plan, &asked, &found->checks);
    found->n = check_cures_find(&found->plan, &found->checks, &asked, NULL, found->cures);
}

static const struct check_cure *cure_of(const struct found *found, const char *id)
{
    for (int i = 0; i < found->n; i++)
        if (strcmp(found->cures[i].id, id) == 0)
            return &found->cures[i];
    return NULL;
}

/* The number that a cure sets a leaf to; NAN where it leaves it alone. */
static double set_to(const struct check_cure *cure, const char *pointer)
{
    for (int i = 0; cure != NULL && i < cure->n_changes; i++)
        if (strcmp(cure->changes[i].pointer, pointer) == 0)
            return cure->changes[i].number;
    return NAN;
}

/* tp 3 of 32 heads and 8 KV heads: two below, four above divide everything. */
static void a_layout_that_divides(void **state)
{
    struct problem problem = rig_llama(*state);
    struct found found;
    bool two = false, four = false;
    problem.dep.tp = 3;
    find(problem, NAN, &found);
    assert_int_equal(found.checks.verdict, CHECK_FAIL);
    for (int i = 0; i < found.n; i++) {
        double tp = set_to(&found.cures[i], "/deployment/tp");
        two |= tp == 2;
        four |= tp == 4;
        assert_int_equal(found.cures[i].after[CHECK_HEADS], CHECK_PASS);
    }
    assert_true(two && four);
    assert_near(found.cures[0].devices, -1.0 / 3, 1e-12); /* the fewest devices first */
}

/* 70.6e9 parameters in bf16 are 141 GB: two of the H100's 79 GiB do not hold them, four do. */
static void weights_that_do_not_fit(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct found found;
    problem.model = &rig->sample->models[SAMPLE_LLAMA_70B];
    find(problem, NAN, &found);
    assert_int_equal(check_find(&found.checks, CHECK_MEMORY_FITS)->verdict, CHECK_FAIL);
    assert_true(found.n > 0);
    bool any = false;
    for (int i = 0; i < found.n; i++) {
        const struct check_cure *cure = &found.cures[i];
        double tp = set_to(cure, "/deployment/tp");
        if (cure->after[CHECK_MEMORY_FITS] != CHECK_PASS || isnan(tp) || cure->n_changes > 1)
            continue;
        any = true;
        problem.dep.tp = tp;
        struct found after;
        find(problem, NAN, &after);
        assert_int_equal(check_find(&after.checks, CHECK_MEMORY_FITS)->verdict, CHECK_PASS);
        assert_near(cure->predicted[CHECK_MEMORY_FITS],
                    check_find(&after.checks, CHECK_MEMORY_FITS)->predicted, 1e-12);
        assert_near(cure->devices, tp - 1, 1e-12);
    }
    assert_true(any);
}

/* The smallest change of the memory stands among the cures, with its rank and its reason. */
static void the_smallest_changes_of_memory(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct found found;
    problem.hw = &rig->sample->hardware[SAMPLE_RTX5090];
    problem.dep.longest_is_stated = true; /* of 131,072 tokens, 17.2 GB: the pool has about 10 */
    find(problem, NAN, &found);
    assert_int_equal(check_find(&found.checks, CHECK_MEMORY_FITS)->verdict, CHECK_FAIL);
    const struct check_cure *cure = cure_of(&found, "shorter_max_model_len");
    assert_non_null(cure);
    assert_true(cure->memory_rank > 0);
    assert_string_equal(cure->title, "A shorter longest request");
    assert_string_equal(cure->why, "Longer requests are refused.");
    assert_int_equal(cure->after[CHECK_MEMORY_FITS], CHECK_PASS);
}

/* Every kind of change of a memory reaches its leaf; experts over all ranks stay so. */
static void changes_of_memory_apply(void **state)
{
    const struct rig *rig = *state;
    const struct cure_change changes[] = {
        {.pointer = "/deployment/memory_utilization", .number = 0.95},
        {.pointer = "/deployment/cuda_graphs", .is_bool = true},
        {.pointer = "/deployment/kv_cache", .text = "fp8"},
        {.pointer = "/deployment/weights", .text = "fp8"},
        {.pointer = "/deployment/tp", .number = 4},
        {.pointer = "/deployment/no_such_leaf", .number = 4},
        {.pointer = "/deployment/no_such_leaf", .is_bool = true},
        {.pointer = "/deployment/no_such_leaf", .text = "fp8"},
        {.pointer = "/deployment/kv_cache", .text = "no such format"},
        {.pointer = "/deployment/weights", .text = "no such format"},
    };

    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        struct trial trial = {.problem = rig_llama(rig), .scale = {1, 1, 1}};
        struct memory_change change = {.id = "two_flags", .changes = {changes[i]}, .n_changes = 1};
        const struct deployment *dep = &trial.problem.dep;
        trial.problem.dep.tp = trial.problem.dep.ep = 2;
        trial.problem.lib = &rig->linked;
        assert_int_equal(check_apply_memory(&change, &trial), i < 5);
        assert_near(dep->memory_utilization, i == 0 ? 0.95 : rig_llama(rig).dep.memory_utilization,
                    0);
        assert_int_equal(dep->cuda_graphs, i != 1);
        assert_string_equal(dep->kv_cache->id, i == 2 ? "fp8" : rig_llama(rig).dep.kv_cache->id);
        assert_string_equal(dep->weights->id, i == 3 ? "fp8" : rig_llama(rig).dep.weights->id);
        assert_near(dep->ep, i == 4 ? 4 : 2, 0);
        assert_int_equal(trial.n_changes, i == 4 ? 2 : 1);
        assert_string_equal(check_apply_title(&change), "Less memory taken");
    }
    struct trial trial = {.problem = rig_llama(rig)};
    assert_false(check_apply_memory(&(struct memory_change){.n_changes = 0}, &trial));
    /* A command with that flag states the length: an engine then holds room for it. */
    trial.problem.dep.longest_is_stated = false;
    const struct memory_change shorter = {
        .changes = {{.pointer = "/deployment/max_model_len", .number = 4096}}, .n_changes = 1};
    assert_true(check_apply_memory(&shorter, &trial));
    assert_near(trial.problem.dep.max_model_len, 4096, 0);
    assert_true(trial.problem.dep.longest_is_stated);
}

/* One device for four ranks: the ranks may shrink, or three more devices are handed over. */
static void devices_of_the_layout(void **state)
{
    struct problem problem = rig_llama(*state);
    struct found found;
    problem.dep.tp = 4;
    find(problem, 1, &found);
    assert_int_equal(check_find(&found.checks, CHECK_DEVICES)->verdict, CHECK_FAIL);
    const struct check_cure *cure = cure_of(&found, "devices_of_layout");
    assert_non_null(cure);
    assert_near(cure->given, 4, 0);
    assert_near(cure->devices, 3, 0);
    assert_int_equal(cure->n_changes, 0);
    assert_int_equal(cure->verdict, CHECK_PASS);
}

/* Worse is more of what may be at most a limit, less of what must be at least one. */
static void what_is_worse(void **state)
{
    static const struct {
        enum check_id id;
        enum check_verdict before, after;
        double predicted;
        bool worse;
    } ROWS[] = {
        {CHECK_TPOT, CHECK_FAIL, CHECK_FAIL, 120, true},
        {CHECK_TPOT, CHECK_FAIL, CHECK_FAIL, 80, false},
        {CHECK_TPOT, CHECK_FAIL, CHECK_PASS, 120, false},
        {CHECK_TPOT, CHECK_UNKNOWN, CHECK_FAIL, 120, false},
        {CHECK_KV_HOLDS, CHECK_FAIL, CHECK_FAIL, 80, true},
        {CHECK_KV_HOLDS, CHECK_FAIL, CHECK_FAIL, 120, false},
        {CHECK_KV_HOLDS, CHECK_FAIL, CHECK_FAIL, 99.5, false}, /* within a hundredth */
        {CHECK_TPOT, CHECK_FAIL, CHECK_FAIL, NAN, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        const struct check before = {.id = ROWS[i].id, .verdict = ROWS[i].before, .predicted = 100};
        if (check_is_worse(&before, ROWS[i].after, ROWS[i].predicted) != ROWS[i].worse)
            fail_msg("row %zu", i);
    }
}

/* A request of 4,096 + 256 tokens under a limit of 2,048 needs 4,352. */
static void lengths(void **state)
{
    struct problem problem = rig_llama(*state);
    struct found found;
    problem.dep.max_model_len = 2048;
    problem.load.input_tokens = 4096;
    find(problem, NAN, &found);
    const struct check_cure *cure = cure_of(&found, "longer_max_model_len");
    assert_non_null(cure);
    assert_near(set_to(cure, "/deployment/max_model_len"), 4352, 0);
    assert_int_equal(cure->verdict, CHECK_PASS);
    /* Llama-3.1-8B on 31 GiB: 16 GB of weights leave about 80,000 tokens of the 131,072. */
    const struct rig *rig = *state;
    problem = rig_llama(rig);
    problem.hw = &rig->sample->hardware[SAMPLE_RTX5090];
    find(problem, NAN, &found);
    cure = cure_of(&found, "shorter_max_model_len");
    assert_non_null(cure);
    double length = set_to(cure, "/deployment/max_model_len");
    assert_true(length >= 1280 && length < 131072 && fmod(length, 16) == 0);
    assert_int_equal(cure->after[CHECK_MAX_MODEL_LEN], CHECK_PASS);
}

/* 8 devices for tp 4: twice the ranks take them. */
static void devices(void **state)
{
    struct problem problem = rig_llama(*state);
    struct found found;
    problem.dep.tp = 4;
    find(problem, 8, &found);
    assert_non_null(cure_of(&found, "layout_of_devices"));
    assert_near(set_to(cure_of(&found, "layout_of_devices"), "/deployment/tp"), 8, 0);
    problem.dep.tp = 8;
    find(problem, 8, &found);
    assert_int_equal(found.checks.verdict, CHECK_PASS);
    assert_int_equal(found.n, 0);
}

/* Devices that suffice do not forbid a cure that takes more of them. */
static void more_devices_than_given(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct found found;
    bool more = false;
    problem.model = &rig->sample->models[SAMPLE_LLAMA_70B];
    find(problem, 1, &found);
    assert_int_equal(check_find(&found.checks, CHECK_DEVICES)->verdict, CHECK_PASS);
    for (int i = 0; i < found.n; i++)
        more |= set_to(&found.cures[i], "/deployment/tp") > 1;
    assert_true(more);
}

/* Mixtral's experts: vLLM launches ep 4 on no 8 ranks, 8 and 1 it does. */
static void experts(void **state)
{
    struct problem problem = rig_problem(*state, SHAPE_MIXTRAL);
    struct found found;
    bool all = false, none = false;
    problem.dep.tp = 8;
    problem.dep.ep = 4;
    find(problem, NAN, &found);
    for (int i = 0; i < found.n; i++) {
        all |= set_to(&found.cures[i], "/deployment/ep") == 8;
        none |= set_to(&found.cures[i], "/deployment/ep") == 1;
    }
    assert_true(all && none);
    /* tp that does not divide takes the spread experts along */
    problem.dep.tp = problem.dep.ep = 3;
    find(problem, NAN, &found);
    const struct check_cure *cure = cure_of(&found, "dividing_tp");
    assert_non_null(cure);
    assert_near(set_to(cure, "/deployment/ep"), set_to(cure, "/deployment/tp"), 0);
}

/* More stages than layers. */
static void stages(void **state)
{
    struct problem problem = rig_llama(*state);
    struct found found;
    problem.dep.pp = 33;
    find(problem, NAN, &found);
    assert_near(set_to(cure_of(&found, "one_stage"), "/deployment/pp"), 1, 0);
}

/* Q4_K_M on TensorRT-LLM: formats that it reads. */
static void formats(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct found found;
    problem.dep.engine = &rig->engines[RIG_TRTLLM];
    problem.dep.weights = &rig->sample->weights[SAMPLE_Q4];
    find(problem, NAN, &found);
    const struct check_cure *cure = cure_of(&found, "other_format");
    assert_non_null(cure);
    assert_string_equal(cure->changes[0].pointer, "/deployment/weights");
    assert_int_equal(cure->after[CHECK_FORMAT], CHECK_PASS);
}

/* 64 places for 512 requests in flight make the first token wait: as many places as requests. */
static void places(void **state)
{
    struct problem problem = rig_llama(*state);
    struct found found;
    problem.dep.max_num_seqs = 64;
    problem.load.concurrency = 512;
    problem.slo.ttft_ms = 8000;
    find(problem, NAN, &found);
    assert_int_not_equal(check_find(&found.checks, CHECK_TTFT)->verdict, CHECK_PASS);
    for (int i = 0; i < found.n; i++)
        if (strcmp(found.cures[i].id, "more_sequences") == 0) {
            assert_near(set_to(&found.cures[i], "/deployment/max_num_seqs"), 512, 0);
            assert_true(found.cures[i].ttft < 0);
        }
}

/*
 * Two H100s hold four sequences of Llama-3.1-70B, for which nobody can tell whether 30 ms are kept;
 * eight hold all 256, for which they are not: the cure of the one failure shows the other.
 */
static void an_unknown_that_turns_out_to_fail(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct found found;
    problem.lib = &rig->linked;
    problem.model = &rig->sample->models[SAMPLE_LLAMA_70B];
    problem.dep.tp = 2;
    problem.dep.memory_utilization = 0.95;
    problem.load = (struct workload){.concurrency = 256,
                                     .input_tokens = 4096,
                                     .output_tokens = 512,
                                     .length_range_ratio = 1,
                                     .request_rate = NAN,
                                     .requests = NAN};
    problem.slo.tpot_ms = 30;
    find(problem, NAN, &found);
    assert_int_equal(check_find(&found.checks, CHECK_KV_HOLDS)->verdict, CHECK_FAIL);
    assert_int_equal(check_find(&found.checks, CHECK_TPOT)->verdict, CHECK_UNKNOWN);
    bool eight = false;
    for (int i = 0; i < found.n; i++) {
        if (set_to(&found.cures[i], "/deployment/tp") != 8)
            continue;
        eight = true;
        assert_near(found.cures[i].dep.tp, 8, 0);
        assert_int_equal(found.cures[i].after[CHECK_KV_HOLDS], CHECK_PASS);
    }
    assert_true(eight);
}

/* A change outside the table of checks' own never breaks what passed. */
static void nothing_gets_worse(void **state)
{
    struct problem problem = rig_llama(*state);
    struct found found;
    problem.load.concurrency = 100; /* of 8,448 tokens: the pool holds about 50 */
    problem.load.input_tokens = 8192;
    problem.slo.tpot_ms = 100;
    find(problem, NAN, &found);
    assert_int_equal(check_find(&found.checks, CHECK_KV_HOLDS)->verdict, CHECK_FAIL);
    assert_true(found.n > 1);
    for (int i = 0; i < found.n; i++)
        for (int k = 0; k < found.checks.n; k++) {
            const struct check *before = &found.checks.items[k];
            bool fails = found.cures[i].applies[before->id] &&
                         found.cures[i].after[before->id] == CHECK_FAIL;
            assert_false(fails && before->verdict == CHECK_PASS);
            assert_int_equal(fails && before->verdict == CHECK_UNKNOWN,
                             (found.cures[i].fails & 1u << before->id) != 0);
        }
}

/* Lengths, steps and formats that vLLM refuses of a launch: each is told what it takes. */
static void launches(void **state)
{
    static const struct {
        double length, seqs;
        const char *checkpoint;
        bool is_launch, allowed;
        enum check_id id;
        int verdict; /* CHECK_COUNT: it does not apply */
        const char *cure;
    } ROWS[] = {
        {262144, 64, NULL, true, false, CHECK_POSITIONS, CHECK_FAIL, "max_model_len_of_model"},
        {262144, 64, NULL, true, true, CHECK_POSITIONS, CHECK_PASS, NULL},
        {262144, 64, NULL, false, false, CHECK_POSITIONS, CHECK_UNKNOWN, "max_model_len_of_model"},
        {131072, 64, NULL, true, false, CHECK_POSITIONS, CHECK_PASS, NULL},
        {131072, 9000, NULL, true, false, CHECK_STEP_HOLDS, CHECK_FAIL, "step_and_sequences"},
        {131072, 512, NULL, true, false, CHECK_STEP_HOLDS, CHECK_PASS, NULL},
        {131072, 64, "AWQ", true, false, CHECK_CHECKPOINT, CHECK_FAIL, "checkpoint_format"},
        {131072, 64, "FP8", true, false, CHECK_CHECKPOINT, CHECK_PASS, NULL},
        {131072, 64, "bf16", true, false, CHECK_CHECKPOINT, CHECK_COUNT, NULL},
    };

    const struct rig *rig = *state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = rig_llama(rig);
        struct found found;
        const struct check_asked asked = {.devices = NAN,
                                          .is_launch = ROWS[i].is_launch,
                                          .may_exceed_positions = ROWS[i].allowed,
                                          .checkpoint = ROWS[i].checkpoint,
                                          .quantization = "fp8"};
        problem.lib = &rig->linked;
        problem.dep.longest_is_stated = problem.dep.slots_are_stated = true;
        problem.dep.max_model_len = ROWS[i].length;
        problem.dep.max_num_seqs = ROWS[i].seqs;
        problem.dep.chunked_prefill_tokens = 2048;
        plan_compute(&problem, PLAN_CHECK, &found.plan);
        check_plan(&found.plan, &asked, &found.checks);
        const struct check *check = check_find(&found.checks, ROWS[i].id);
        if ((check == NULL ? (int)CHECK_COUNT : (int)check->verdict) != ROWS[i].verdict)
            fail_msg("row %zu", i);
        found.n = check_cures_find(&found.plan, &found.checks, &asked, NULL, found.cures);
        if (ROWS[i].cure != NULL && cure_of(&found, ROWS[i].cure) == NULL)
            fail_msg("row %zu: no %s", i, ROWS[i].cure);
    }
}

/* The problem, altered so that the row has something to change. */
static struct problem suited(const char *id, struct problem problem)
{
    static const struct {
        const char *id;
        size_t offset;
        double value;
    } ALTERED[] = {
        {"longer_max_model_len", offsetof(struct deployment, max_model_len), 512},
        {"layout_of_devices", offsetof(struct deployment, tp), 4},
        {"wider_tp", offsetof(struct deployment, tp), 1},
        {"fewer_sequences", offsetof(struct deployment, max_num_seqs), 4000},
    };

    for (size_t i = 0; i < ARRAY_LEN(ALTERED); i++)
        if (strcmp(ALTERED[i].id, id) == 0)
            memcpy((char *)&problem.dep + ALTERED[i].offset, &ALTERED[i].value, sizeof(double));
    return problem;
}

/* Every row applies where its check fails, at least once over all variants. */
static void every_row_applies(void **state)
{
    const struct rig *rig = *state;
    struct problem problem = rig_problem(rig, SHAPE_MIXTRAL);
    const struct check_asked asked = {.devices = 2, .checkpoint = "fp8"};
    struct plan plan;
    struct check_list checks;
    problem.dep.pp = 2;
    problem.dep.ep = 4;
    problem.dep.tp = 3;
    problem.dep.max_num_seqs = 8;
    problem.load.concurrency = 2000;
    problem.slo.output_tok_s = 1e6;
    plan_compute(&problem, PLAN_CHECK, &plan);
    check_plan(&plan, &asked, &checks);
    plan.memory.fits = true; /* more copies are for what fits */
    for (int i = 0; i < N_CHANGES; i++) {
        int applied = 0;
        if (strcmp(CHANGES[i].id, "shorter_max_model_len") == 0)
            plan.memory.kv_bytes_low = 1e9; /* some 8,000 tokens */
        for (int j = 0; j < CHANGES[i].variants; j++) {
            const struct change_asked change = {&plan, &checks, &asked, j};
            struct trial trial = {.problem = suited(CHANGES[i].id, problem), .scale = {1, 1, 1}};
            if (!CHANGES[i].apply(&change, &trial))
                continue;
            applied++;
            assert_in_range(trial.n_changes, 1, CURE_CHANGES_MAX);
        }
        if (!applied)
            fail_msg("%s applies nowhere", CHANGES[i].id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layout_that_divides),
        cmocka_unit_test(weights_that_do_not_fit),
        cmocka_unit_test(lengths),
        cmocka_unit_test(the_smallest_changes_of_memory),
        cmocka_unit_test(changes_of_memory_apply),
        cmocka_unit_test(devices_of_the_layout),
        cmocka_unit_test(what_is_worse),
        cmocka_unit_test(launches),
        cmocka_unit_test(devices),
        cmocka_unit_test(experts),
        cmocka_unit_test(more_devices_than_given),
        cmocka_unit_test(stages),
        cmocka_unit_test(formats),
        cmocka_unit_test(places),
        cmocka_unit_test(nothing_gets_worse),
        cmocka_unit_test(an_unknown_that_turns_out_to_fail),
        cmocka_unit_test(every_row_applies),
    };

    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
