/* Moves: each axis both ways, and that the regime really changes where a move says so. */
#include "moves.h"

#include <string.h>

#include "check.h"
#include "sample_rig.h"

static const char *const AXES[] = {"concurrency", "context",   "output_tokens",
                                   "model_size",  "bandwidth", "tp"};

struct found {
    struct move moves[MOVES_MAX];
    int n;
    enum regime_id from;
};

static struct found find_moves(const struct problem *problem)
{
    struct found found;
    struct prepared prep;
    struct core core;
    prepare(problem, NULL, &prep);
    core_evaluate(&prep, &core);
    found.n = moves_find(problem, &prep, &core, found.moves);
    found.from = core.regime;
    return found;
}

static const struct move *move_of(const struct found *found, const char *axis, bool upward)
{
    for (int i = 0; i < found->n; i++)
        if (strcmp(found->moves[i].axis, axis) == 0 && found->moves[i].upward == upward)
            return &found->moves[i];
    fail_msg("no move along %s", axis);
    return NULL;
}

/* The regime with one axis at another value, by changing the deployment itself. */
static enum regime_id regime_at(struct problem problem, const char *axis, double value)
{
    struct hardware part = *problem.hw;
    struct scale scale = {1, 1, 1};
    if (strcmp(axis, "concurrency") == 0)
        problem.load.concurrency = value;
    else if (strcmp(axis, "context") == 0)
        problem.load.input_tokens = value;
    else if (strcmp(axis, "output_tokens") == 0)
        problem.load.output_tokens = value;
    else if (strcmp(axis, "bandwidth") == 0)
        scale.bandwidth = value * BYTES_PER_US_PER_GBPS / part.bw_bytes_us;
    else if (strcmp(axis, "model_size") == 0)
        scale.model = value * 1e9 / problem.model->params_total;
    else
        problem.dep.tp = value;
    struct core core;
    core_compute(&problem, &scale, &core);
    return core.regime;
}

static bool is_whole(const char *axis)
{
    return strcmp(axis, "bandwidth") != 0 && strcmp(axis, "model_size") != 0;
}

/* One entry an axis and direction, and the sampler's other place. */
static void one_entry_each(void **state)
{
    struct problem problem = rig_llama(*state);
    struct found found = find_moves(&problem);
    assert_int_equal(found.n, 2 * ARRAY_LEN(AXES) + 1);
    assert_true(found.n <= MOVES_MAX);
    static const double FROM[] = {1, 1024, 256, 8.030261248, 3350, 1};
    for (size_t i = 0; i < ARRAY_LEN(AXES); i++) {
        assert_near(move_of(&found, AXES[i], true)->from, FROM[i], 1e-12);
        assert_near(move_of(&found, AXES[i], false)->from, FROM[i], 1e-12);
    }
}

static void expect_move(const struct problem *problem, const struct found *found,
                        const struct move *move)
{
    double ratio = move->upward ? move->at / move->from : move->from / move->at;
    assert_true(ratio > 1 && ratio <= 64 * (1 + 1e-9));
    assert_int_not_equal(move->to_regime, found->from);
    if (strcmp(move->axis, "model_size") == 0) {
        /* The compiled form scales no activations: two per cent behind it both agree. */
        double beyond = move->upward ? move->at * 1.02 : move->at / 1.02;
        double before = move->upward ? move->at / 1.02 : move->at * 1.02;
        assert_int_equal(regime_at(*problem, move->axis, beyond), move->to_regime);
        assert_int_equal(regime_at(*problem, move->axis, before), found->from);
        return;
    }
    assert_int_equal(regime_at(*problem, move->axis, move->at), move->to_regime);
    if (strcmp(move->axis, "tp") == 0)
        return;
    /* Two per cent before it nothing has changed yet. */
    double before = move->upward ? move->at / 1.02 : move->at * 1.02;
    if (is_whole(move->axis))
        before =
            move->upward ? fmin(floor(before), move->at - 1) : fmax(ceil(before), move->at + 1);
    assert_int_equal(regime_at(*problem, move->axis, before), found->from);
}

/* Problems in different regimes: where a move is named, the plan made there is in that regime. */
static void moves_hold_true(void **state)
{
    struct rig *rig = *state;
    struct problem problems[] = {
        rig_llama(rig),
        sample_problem(rig->sample, SAMPLE_QWEN3_06B, SAMPLE_H100),
        sample_problem(rig->sample, SAMPLE_LLAMA_8B, SAMPLE_H200),
        sample_problem(rig->sample, SAMPLE_LLAMA_70B, SAMPLE_H200),
        sample_llama_server(rig->sample, SAMPLE_QWEN25_7B, SAMPLE_RTX5090, 32),
        rig_problem(rig, SHAPE_MISTRAL),
        rig_problem(rig, SHAPE_MAMBA),
        rig_problem(rig, SHAPE_MIXTRAL),
    };
    problems[7].hw = &rig->sample->hardware[SAMPLE_H200];
    problems[2].load.concurrency = 200;
    problems[3].dep.tp = 4;
    problems[4].load.output_tokens = 128;
    problems[5].load.input_tokens = 30000;
    int changes[ARRAY_LEN(AXES)] = {0};
    for (size_t i = 0; i < ARRAY_LEN(problems); i++) {
        struct found found = find_moves(&problems[i]);
        for (size_t j = 0; j < ARRAY_LEN(AXES); j++)
            for (int up = 0; up < 2; up++) {
                const struct move *move = move_of(&found, AXES[j], up == 1);
                if (isnan(move->at))
                    continue;
                changes[j]++;
                expect_move(&problems[i], &found, move);
            }
    }
    /* Every axis but the shape of the deployment has been seen to move something. */
    for (size_t j = 0; j + 1 < ARRAY_LEN(AXES); j++)
        assert_true(changes[j] > 0);
}

/* The most that a request may ask along an axis, by the API's own limits; 0 = none. */
static const double MOST[] = {1e6, 1e8, 1e8, 0, 1e6, 1024};

/* Near the limits of a request no move leads past them: it is none, or it can be asked for. */
static void moves_stay_within_a_request(void **state)
{
    struct rig *rig = *state;
    struct hardware part = rig->sample->hardware[SAMPLE_H100];
    struct problem problems[] = {rig_llama(rig), rig_llama(rig), rig_llama(rig), rig_llama(rig)};
    problems[0].load.concurrency = 700000;
    problems[1].load.input_tokens = 9e7;
    problems[2].load.output_tokens = 1e8;
    part.bw_bytes_us = 9e5 * BYTES_PER_US_PER_GBPS;
    part.memory_bytes = 1e15;
    problems[3].hw = &part;
    problems[0].hw = problems[1].hw = problems[2].hw = &part;
    for (size_t i = 0; i < ARRAY_LEN(problems); i++) {
        struct found found = find_moves(&problems[i]);
        for (size_t j = 0; j < ARRAY_LEN(AXES); j++) {
            const struct move *move = move_of(&found, AXES[j], true);
            if (MOST[j] > 0 && move->at > MOST[j])
                fail_msg("%s moves at %g", AXES[j], move->at);
        }
    }
}

/*
 * A larger model takes more memory, not only more time: on an H100 the pool ends where weights of
 * 16.06 GB x f, 2.017 GB of activations and 0.27 GB reach 76.53 GB less one request's 1,280 tokens:
 * f = 4.613, so 37.0 billion parameters.
 */
static void model_size_meets_memory(void **state)
{
    struct problem problem = rig_llama(*state);
    struct found found = find_moves(&problem);
    const struct move *larger = move_of(&found, "model_size", true);
    assert_int_equal(larger->to_regime, REGIME_CAPACITY);
    assert_near(larger->at, 8.030261248 * 4.613, 0.015);
    /* A much smaller one no longer outruns its launches. */
    const struct move *smaller = move_of(&found, "model_size", false);
    assert_int_equal(smaller->to_regime, REGIME_SMALL_MODEL_HOST);
    assert_int_equal(smaller->to_class, CLASS_KERNEL_LAUNCH);
    /* Experts shrink with the model: a small Mixtral is bound by its launches too. */
    problem = rig_problem(*state, SHAPE_MIXTRAL);
    problem.hw = &((struct rig *)*state)->sample->hardware[SAMPLE_H200];
    found = find_moves(&problem);
    assert_int_equal(move_of(&found, "model_size", false)->to_regime, REGIME_SMALL_MODEL_HOST);
    assert_true(move_of(&found, "model_size", false)->at < 46.7);
}

/* Ranks: powers of two within the fabric, where heads divide and experts still spread. */
static void ranks(void **state)
{
    struct rig *rig = *state;
    /* 70B in bf16: 141 GB on one H100 do not fit; on two 70.6 GB, 2.1 GB of activations and 2.3 GB
     * of buffers leave 1.6 of 76.5 GB. */
    struct problem problem = sample_problem(rig->sample, SAMPLE_LLAMA_70B, SAMPLE_H100);
    struct found found = find_moves(&problem);
    assert_int_equal(found.from, REGIME_CAPACITY);
    assert_near(move_of(&found, "tp", true)->at, 2, 0);
    /* A card that stands alone has no more ranks. */
    problem = sample_problem(rig->sample, SAMPLE_QWEN3_06B, SAMPLE_RTX5090);
    found = find_moves(&problem);
    assert_true(isnan(move_of(&found, "tp", true)->at));
    assert_true(isnan(move_of(&found, "tp", false)->at));
    /* 28 heads do not divide by eight; fewer ranks than parts of the experts cannot be. */
    problem = sample_problem(rig->sample, SAMPLE_QWEN25_7B, SAMPLE_H100);
    problem.dep.tp = 4;
    found = find_moves(&problem);
    assert_true(isnan(move_of(&found, "tp", true)->at));
    problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8_BLOCK];
    problem.dep.tp = problem.dep.ep = 8;
    found = find_moves(&problem);
    assert_true(isnan(move_of(&found, "tp", false)->at));
}

/* The sampler has two places. 32 slots of llama-server: on the device the regime is another. */
static void sampler(void **state)
{
    struct rig *rig = *state;
    struct problem problem = sample_llama_server(rig->sample, SAMPLE_QWEN25_7B, SAMPLE_RTX5090, 32);
    problem.dep.engine = &rig->sample->engines[SAMPLE_VLLM]; /* its server loop is not charged */
    problem.load.input_tokens = 512;
    problem.load.output_tokens = 512;
    struct found found = find_moves(&problem);
    assert_int_equal(found.from, REGIME_HOST_BOUND_BATCH);
    const struct move *move = move_of(&found, "sampler", false);
    assert_string_equal(move->from_text, "host");
    assert_string_equal(move->to_text, "device");
    assert_int_not_equal(move->to_regime, REGIME_HOST_BOUND_BATCH);
    assert_true(isnan(move->at));
    problem.dep.sampler = SAMPLER_DEVICE;
    found = find_moves(&problem);
    move = move_of(&found, "sampler", true);
    assert_string_equal(move->from_text, "device");
    assert_string_equal(move->to_text, "host");
    assert_int_equal(move->to_regime, REGIME_HOST_BOUND_BATCH);
}

/* An open loop has in flight what arrives and stays, and its moves start there. */
static void open_loop(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.load.request_rate = 8;
    struct core core = rig_core(problem);
    assert_true(core.cycle.concurrency > 10);
    struct found found = find_moves(&problem);
    const struct move *more = move_of(&found, "concurrency", true);
    assert_near(more->from, round(core.cycle.concurrency), 0);
    /* The other value is a closed loop's: that many in flight. */
    struct problem closed = problem;
    closed.load.request_rate = (double)NAN;
    assert_int_equal(more->to_regime, regime_at(closed, "concurrency", more->at));
    assert_int_not_equal(more->to_regime, core.regime);
    /* Replicas share the arrivals: all of what is in flight counts. */
    problem.dep.replicas = 4;
    core = rig_core(problem);
    found = find_moves(&problem);
    assert_near(move_of(&found, "concurrency", true)->from, round(4 * core.cycle.concurrency), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_entry_each),
        cmocka_unit_test(moves_hold_true),
        cmocka_unit_test(moves_stay_within_a_request),
        cmocka_unit_test(model_size_meets_memory),
        cmocka_unit_test(ranks),
        cmocka_unit_test(sampler),
        cmocka_unit_test(open_loop),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
