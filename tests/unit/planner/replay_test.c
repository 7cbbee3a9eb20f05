/* A load replayed: what follows from its rules without a computation of steps. */
#include "replay.h"

#include "check.h"
#include "sample_rig.h"
#include "surface.h"
#include "units.h"

static struct replay replay_of(struct problem problem, bool brief)
{
    struct prepared prep;
    struct core core;
    struct replay replay;
    double rate = problem.load.request_rate;
    prepare(&problem, NULL, &prep);
    core_evaluate(&prep, &core);
    replay_run(&prep, &core, rate > 0 ? rate / US_PER_S : (double)NAN, brief, &replay);
    assert_true(replay.done);
    return replay;
}

static struct problem loaded(const struct rig *rig, double concurrency, double input, double output)
{
    struct problem problem = rig_llama(rig);
    problem.load.concurrency = concurrency;
    problem.load.input_tokens = input;
    problem.load.output_tokens = output;
    return problem;
}

/* Alone nothing waits: the first token is the prompt's step, the others a step each. */
static void alone(void **state)
{
    struct problem problem = loaded(*state, 1, 2048, 256);
    struct core core = rig_core(problem);
    struct replay replay = replay_of(problem, false);
    assert_near(replay.ttft_us, core.prefill.time_us, 1e-6);
    /* the context grows from 2,049: its mean is the closed form's 2,176 within a token */
    assert_near(replay.tpot_us, core.decode.time_us, 1e-4);
    assert_near(replay.e2e_us, replay.ttft_us + 255 * replay.tpot_us, 1e-9);
    assert_near(replay.requests_us * replay.e2e_us, 1, 1e-9);
}

/* Little's law, and that a mean is of the same requests as the others. */
static void steady(void **state)
{
    for (double n = 2; n <= 128; n *= 4) {
        struct problem problem = loaded(*state, n, 1000, 200);
        struct replay replay = replay_of(problem, false);
        assert_near(replay.requests_us * replay.e2e_us, n, 1e-9);
        assert_near(replay.e2e_us, replay.ttft_us + 199 * replay.tpot_us, 1e-6);
        assert_near(replay.output_tokens, 200, 1e-12);
        /* everything in flight runs or waits for its prompt */
        assert_true(replay.running <= n && replay.running > 0.5 * n);
    }
}

/* One slot: requests run one after the other, each waits for the lives of all others: TTFT of n in
 * flight is that of one and n - 1 whole lives. */
static void one_slot(void **state)
{
    struct problem problem = loaded(*state, 1, 500, 100);
    struct replay single = replay_of(problem, false);
    problem.load.concurrency = 5;
    problem.dep.max_num_seqs = 1;
    struct replay five = replay_of(problem, false);
    assert_near(five.tpot_us, single.tpot_us, 1e-9);
    assert_near(five.ttft_us, single.ttft_us + 4 * single.e2e_us, 0.02);
    assert_near(five.requests_us, single.requests_us, 0.02);
}

/* A burst of all at once: the last prompt waits for all before it, so the mean of one wave of n is
 * about (n + 1)/2 prompts where each fills a step of its own. */
static void burst(void **state)
{
    struct problem problem = loaded(*state, 8, 8192, 64);
    problem.dep.chunked_prefill_tokens = 8192;
    problem.dep.prefill_priority = true;
    problem.load.requests = 8;
    struct core core = rig_core(problem);
    struct replay replay = replay_of(problem, false);
    assert_near(replay.ttft_us, 4.5 * core.prefill.time_us, 0.01);
    /* no decode runs before the last prompt is in: the first sequence waits for seven of them */
    assert_true(replay.tpot_us * 63 > 3.5 * core.prefill.time_us);
    /* a steady state spreads the same prompts: nobody waits for all */
    problem.load.requests = NAN;
    assert_true(replay_of(problem, false).ttft_us < replay.ttft_us);
}

/* The engine looks at its socket every 30th step: an arrival waits 15 of them in the mean. */
static void looks(void **state)
{
    struct problem problem = loaded(*state, 4, 256, 512);
    problem.load.length_range_ratio = 0.8; /* equal lives would keep one phase to the looks */
    problem.load.requests = 400;
    struct replay often = replay_of(problem, false);
    problem.dep.receive_interval = 30;
    struct replay seldom = replay_of(problem, false);
    double steps = (seldom.ttft_us - often.ttft_us) / often.tpot_us;
    assert_true(steps > 8 && steps < 22);
}

/* Prompts held for others to come: up to 20 steps, and not at all once enough have come. */
static void holds(void **state)
{
    struct problem problem = loaded(*state, 4, 256, 512);
    problem.dep.chunked_prefill_tokens = 8192;
    struct replay plain = replay_of(problem, false);
    problem.dep.batch_wait_steps = 20;
    problem.dep.batch_wait_share = 0.9;
    struct replay held = replay_of(problem, false);
    double steps = (held.ttft_us - plain.ttft_us) / plain.tpot_us;
    assert_true(steps > 10 && steps <= 21);
    problem.dep.batch_wait_share = 0.001; /* 8 tokens: one prompt is enough */
    assert_near(replay_of(problem, false).ttft_us, plain.ttft_us, 1e-9);
}

/* Lengths uniform in 0.8 to 1: the mean of the replayed ones is 0.9 of the nominal. */
static void lengths(void **state)
{
    struct problem problem = loaded(*state, 16, 1000, 500);
    problem.load.length_range_ratio = 0.8;
    problem.load.requests = 160;
    assert_near(replay_of(problem, false).output_tokens, 450, 0.01);
}

/* A long run is its ends and a repeated middle: 10,000 requests have the means of 640 within 3 %
 * once the first wave is a hundredth of them. */
static void long_runs(void **state)
{
    struct problem problem = loaded(*state, 64, 1000, 200);
    problem.load.requests = 6400;
    struct replay cut = replay_of(problem, false);
    assert_near(cut.requests, 6400, 1e-9);
    problem.load.requests = NAN;
    assert_near(replay_of(problem, false).tpot_us, cut.tpot_us, 0.03);
}

/* An open loop far below saturation is one user's time; near it a queue grows. */
static void arrivals(void **state)
{
    struct problem problem = loaded(*state, 1, 1000, 50);
    struct replay single = replay_of(problem, false);
    problem.load.request_rate = 0.05;
    assert_near(replay_of(problem, false).ttft_us, single.ttft_us, 0.1);
    problem.load.request_rate = 20;
    assert_true(replay_of(problem, false).ttft_us > 1.1 * single.ttft_us);
}

/* A brief replay tells the same, roughly; the same problem gives the same figures. */
static void brief(void **state)
{
    struct problem problem = loaded(*state, 32, 1000, 200);
    problem.load.requests = 320;
    struct replay whole = replay_of(problem, false), again = replay_of(problem, false);
    assert_near(whole.tpot_us, again.tpot_us, 0);
    assert_near(whole.ttft_us, again.ttft_us, 0);
    assert_near(replay_of(problem, true).tpot_us, whole.tpot_us, 0.1);
}

/* A surface is the step itself where it was evaluated: 64 sequences are a point of the grid. */
static void surface(void **state)
{
    struct problem problem = loaded(*state, 64, 1000, 200);
    struct prepared prep;
    struct surface surface;
    struct step step;
    prepare(&problem, NULL, &prep);
    surface_begin(&prep, 64, 8192, &surface);
    step_decode(&prep, 64, 1100, &step);
    assert_near(surface_decode(&surface, 64, 64 * 1100.0), step.time_us, 1e-3);
    step_prefill(&prep, 1000, 0, &step);
    double alone = surface_mixed(&surface, 0, 0, 1000, surface_piece(&surface, 1000, 0));
    double once = 0;
    for (int i = 0; i < CLASS_COUNT; i++)
        if (surface_is_once((enum class_id)i) && step.classes[i].present)
            once += step.classes[i].time_us;
    assert_near(alone, step.time_us - once, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone),   cmocka_unit_test(steady),    cmocka_unit_test(one_slot),
        cmocka_unit_test(burst),   cmocka_unit_test(looks),     cmocka_unit_test(holds),
        cmocka_unit_test(lengths), cmocka_unit_test(long_runs), cmocka_unit_test(arrivals),
        cmocka_unit_test(brief),   cmocka_unit_test(surface),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
