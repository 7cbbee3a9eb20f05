/* A step: chunks, critical path, shares, parts, what dominates, what is known. */
#include "step.h"

#include "check.h"
#include "sample_rig.h"

/* Chunks do the same multiplications, read the weights once each, and the head once. */
static void chunks_add_up(void **state)
{
    static const double CHUNKS[] = {1, 100, 333, 512, 1000, 2048, 8192};
    struct rig *rig = *state;
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t i = 0; i < ARRAY_LEN(CHUNKS); i++) {
            struct problem problem = rig_problem(rig, shape);
            problem.dep.chunked_prefill_tokens = 0;
            struct step whole = rig_prefill(problem, 3000, 700);
            problem.dep.chunked_prefill_tokens = CHUNKS[i];
            struct step parts = rig_prefill(problem, 3000, 700);
            double chunks = ceil(3000 / CHUNKS[i]);
            assert_near(parts.chunks, chunks, 0);
            assert_near(parts.linear_flops, whole.linear_flops, 1e-9);
            assert_near(parts.attention_flops, whole.attention_flops, 1e-9);
            assert_near(parts.kv_write_bytes, whole.kv_write_bytes, 1e-9);
            assert_near(parts.flops, whole.flops, 1e-9);
            assert_near(parts.classes[CLASS_DENSE_GEMM].weight_bytes,
                        chunks * whole.classes[CLASS_DENSE_GEMM].weight_bytes, 1e-9);
            assert_near(parts.classes[CLASS_LM_HEAD].bytes, whole.classes[CLASS_LM_HEAD].bytes,
                        1e-9);
            assert_near(parts.tokens, 3000, 0);
            assert_true(parts.time_us >= whole.time_us * (1 - 1e-9));
        }
}

/* 2,048 + 2,048 + 904 tokens of Mixtral touch all eight experts in each chunk. */
static void chunks_touch_experts(void **state)
{
    struct problem problem = rig_problem(*state, SHAPE_MIXTRAL);
    problem.dep.chunked_prefill_tokens = 2048;
    struct step step = rig_prefill(problem, 5000, 0);
    assert_near(step.classes[CLASS_MOE_EXPERT_GEMM].weight_bytes,
                3 * 32 * 8 * 2 * 3 * 4096.0 * 14336, 1e-9);
    /* Two attention-DP ranks prefill beside each other: a last chunk of one token each is two that
     * touch 3.5 of 8; each rank holds half of them. */
    problem.dep.dp = problem.dep.ep = 2;
    step = rig_prefill(problem, 2049, 0);
    assert_near(step.classes[CLASS_MOE_EXPERT_GEMM].weight_bytes,
                32 * (8 + 3.5) / 2 * 2 * 3 * 4096.0 * 14336, 1e-9);
}

/* The bound is the sum's: one token behind 8,192 reads as much weight and computes nothing. */
static void bound_of_a_sum(void **state)
{
    struct step step = rig_prefill(rig_llama(*state), 8193, 0);
    assert_near(step.chunks, 2, 0);
    assert_int_equal(step.classes[CLASS_DENSE_GEMM].bound, BOUND_COMPUTE);
    assert_int_equal(step.classes[CLASS_PREFILL_ATTENTION].bound, BOUND_COMPUTE);
    assert_int_equal(step.classes[CLASS_LM_HEAD].bound, BOUND_HBM);
    assert_int_equal(step.dominant.bound, BOUND_COMPUTE);
}

static double shares_of(const struct step *step)
{
    double sum = 0;
    for (int i = 0; i < CLASS_COUNT; i++)
        sum += step->classes[i].share;
    return sum;
}

/*
 * Host work hides behind a longer device step when the engine schedules ahead, and adds to it when
 * it does not; eager launches run beside the device either way. Qwen3-0.6B, whose step is short:
 * 150 + 8.65 B of scheduling.
 */
static void exposed_host(void **state)
{
    struct rig *rig = *state;

    const struct {
        bool async, graphs;
        double batch;
    } rows[] = {
        {true, true, 1}, {true, false, 1}, {false, true, 1}, {false, false, 1}, {true, true, 1000},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct problem problem = sample_problem(rig->sample, SAMPLE_QWEN3_06B, SAMPLE_H100);
        problem.dep.async_scheduling = rows[i].async;
        problem.dep.cuda_graphs = rows[i].graphs;
        struct step step = rig_decode(problem, rows[i].batch, 100);
        double work = 150 + 8.65 * rows[i].batch;
        double launch = step.classes[CLASS_KERNEL_LAUNCH].time_us;
        double exposed = rows[i].async ? fmax(work + launch - step.device_us, 0)
                                       : work + fmax(launch - step.device_us, 0);
        assert_near(step.host_us, work + launch, 1e-12);
        assert_near(step.exposed_host_us, exposed, 1e-9);
        assert_near(step.time_us, step.device_us + exposed, 1e-12);
        assert_near(shares_of(&step), 1, 1e-12);
        double host_share = step.classes[CLASS_SCHEDULER].share +
                            step.classes[CLASS_DETOKENIZATION].share +
                            step.classes[CLASS_KERNEL_LAUNCH].share;
        assert_near(host_share, exposed / step.time_us, 1e-9);
    }
}

/* A pipeline's step passes all stages; shares are of one rank's path. */
static void pipeline_step(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.pp = 4;
    struct step step = rig_decode(problem, 8, 1000);
    assert_near(step.time_us, 4 * (step.device_us + step.exposed_host_us), 1e-12);
    assert_near(shares_of(&step), 1, 1e-12);
}

/* Sums over the classes; host classes have no flops and their bytes are not the device's. */
static void sums(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.sampler = SAMPLER_HOST;
    struct step step = rig_decode(problem, 8, 1000);
    double bytes = 0, flops = 0, weights = 0, floor = 0;
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct class_cost *cost = &step.classes[i];
        bytes += cost->bytes;
        flops += cost->flops;
        weights += cost->weight_bytes;
        if (class_info((enum class_id)i)->pass != PASS_HOST)
            floor += cost->floor_us;
    }
    assert_near(step.bytes, bytes, 1e-12);
    assert_near(step.flops, flops, 1e-12);
    assert_near(step.weight_read_bytes, weights, 1e-12);
    assert_near(step.floor_us, floor, 1e-12);
    assert_near(step.arithmetic_intensity, flops / bytes, 1e-12);
    /* The copy of the logits is in the host class and not among the device's bytes. */
    assert_near(step.classes[CLASS_HOST_SAMPLING].bytes, 0, 0);
}

/* A step is predicted when what carries it rests on records. */
static void what_is_known(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct step step = rig_decode(problem, 1, 1000);
    assert_near(step.expected_us, step.time_us, 0);
    assert_int_equal(step.basis, BASIS_CALIBRATED);
    assert_int_equal(step.classes[CLASS_DENSE_GEMM].basis, BASIS_CALIBRATED);
    assert_int_equal(step.classes[CLASS_DENSE_GEMM].match, FIT_EXACT);
    /* No kernel was measured on an inline part: the floor stands alone. */
    problem.hw = &rig->parts[RIG_A100];
    step = rig_decode(problem, 1, 1000);
    assert_true(isnan(step.expected_us));
    assert_int_equal(step.basis, BASIS_NO_RECORD);
    assert_int_equal(step.classes[CLASS_DENSE_GEMM].basis, BASIS_ASSUMED);
    assert_near(step.classes[CLASS_DENSE_GEMM].time_us,
                step.classes[CLASS_DENSE_GEMM].floor_us / ASSUMED_EFFICIENCY, 1e-12);
    /* fp8 KV has no fit among the sample's. 65,536 B a token at 0.7 x 3,350 GB/s are 1 % of a step
     * of 5.6 ms at 2,000 tokens, 5 % at 10,000: below 2 % it hardly counts. */
    problem = rig_llama(rig);
    problem.dep.kv_cache = &rig->sample->kv[1];
    assert_true(!isnan(rig_decode(problem, 1, 2000).expected_us));
    assert_true(isnan(rig_decode(problem, 1, 10000).expected_us));
    /* Another version of the engine is a record, said to be another's. */
    problem = rig_llama(rig);
    problem.dep.version[1] = 19;
    step = rig_decode(problem, 1, 1000);
    assert_int_equal(step.classes[CLASS_DENSE_GEMM].match, FIT_OTHER_VERSION);
    assert_true(!isnan(step.expected_us));
}

/* Trap: nothing beats its floor. A fit that promises more than the memory delivers is lifted, and
 * the step says so. */
static void lifted_to_the_floor(void **state)
{
    struct rig *rig = *state;
    struct op_fit fits[] = {{.id = 1,
                             .hardware = SAMPLE_H100,
                             .engine = SAMPLE_VLLM,
                             .version = {0, 24, 0},
                             .op = FIT_GEMM,
                             .dtype = FIT_BF16,
                             .e_m = 1.1,
                             .e_c = 1.3,
                             .q = 12}};
    struct library lib = rig->sample->lib;
    lib.op_fits = fits;
    lib.n_op_fits = 1;
    struct problem problem = rig_llama(rig);
    problem.lib = &lib;
    struct step step = rig_decode(problem, 1, 1000);
    assert_true(step.clamped);
    for (int i = 0; i < CLASS_COUNT; i++)
        assert_true(step.classes[i].time_us >= step.classes[i].floor_us);
    assert_near(step.classes[CLASS_DENSE_GEMM].time_us, step.classes[CLASS_DENSE_GEMM].floor_us, 0);
    assert_false(rig_decode(rig_llama(rig), 1, 1000).clamped);
}

/* A message larger than any that the collective was measured with: 512 MiB are 65,536 rows. */
static void beyond_the_records(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    problem.lib = &rig->linked;
    problem.dep.tp = 2;
    problem.dep.chunked_prefill_tokens = 0;
    assert_false(rig_decode(problem, 64, 1000).extrapolated);
    assert_false(rig_prefill(problem, 65536, 0).extrapolated);
    assert_true(rig_prefill(problem, 65537, 0).extrapolated);
    problem.dep.chunked_prefill_tokens = 8192;
    assert_false(rig_prefill(problem, 65537, 0).extrapolated);
    /* 8 copies of a row of 7,168 x 2 B: 4,681 rows. */
    problem.model = &rig->sample->models[SAMPLE_DEEPSEEK_V3];
    problem.dep.tp = 1;
    problem.dep.dp = problem.dep.ep = 8;
    assert_false(rig_decode(problem, 4681, 10).extrapolated);
    assert_true(rig_decode(problem, 4682, 10).extrapolated);
}

/*
 * Crossover and ridge exist where full attention does, and a peak. Cross-attention is none: 40
 * layers of 218,103,808 over the 32 that attend: 40/32 x 53,248. Windows and top-k never cross.
 */
static void landmarks(void **state)
{
    struct rig *rig = *state;
    struct step step = rig_prefill(rig_problem(rig, SHAPE_MLLAMA), 100, 0);
    assert_near(step.crossover_tokens, 66560, 1e-12);
    assert_near(step.attention_ridge_tokens, 738.4, 1e-3);

    static const int NONE[] = {SHAPE_MAMBA, SHAPE_MISTRAL, SHAPE_V32};

    for (size_t i = 0; i < ARRAY_LEN(NONE); i++) {
        step = rig_prefill(rig_problem(rig, NONE[i]), 100, 0);
        assert_true(isnan(step.crossover_tokens));
        assert_true(isnan(step.attention_ridge_tokens));
        assert_true(isnan(step.attention_ridge_kv_only_tokens));
    }
    struct problem problem = rig_llama(rig);
    problem.hw = &rig->parts[RIG_NO_PEAK];
    step = rig_prefill(problem, 100, 0);
    assert_near(step.crossover_tokens, 53248, 0);
    assert_true(isnan(step.attention_ridge_tokens));
    assert_near(step.ridge, 0, 0);
}

/* Mixed windows: gpt-oss has full attention in half of its layers; its experts count top-k times.
 * A layer: 2,880 x 64 x (64 + 16 + 64) + 2,880 x 32 + 4 x 3 x 2,880 x 2,880; 12 x 32,768/2 pairs.
 */
static void crossover_of_experts(void **state)
{
    struct step step = rig_prefill(rig_problem(*state, SHAPE_GPT_OSS), 100, 0);
    double layer = 2880.0 * 64 * 144 + 2880 * 32 + 12 * 2880.0 * 2880;
    assert_near(step.crossover_tokens, 4 * 24 * layer / (12 * 16384), 1e-12);
}

/* The largest part names the regime; ties within 2 % go to the earlier one; rest never wins. */
static void largest_part(void **state)
{
    (void)state;

    static const struct {
        double parts[PART_COUNT];
        enum phase phase;
        enum part want;
    } ROWS[] = {
        {{[PART_WEIGHT] = 10, [PART_KV] = 5}, PHASE_DECODE, PART_WEIGHT},
        {{[PART_WEIGHT] = 5, [PART_KV] = 10}, PHASE_DECODE, PART_KV},
        {{[PART_WEIGHT] = 10, [PART_KV] = 10.1}, PHASE_DECODE, PART_WEIGHT},
        {{[PART_WEIGHT] = 10, [PART_KV] = 10.3}, PHASE_DECODE, PART_KV},
        {{[PART_HOST_PER_SEQUENCE] = 10, [PART_WEIGHT] = 10.1},
         PHASE_DECODE,
         PART_HOST_PER_SEQUENCE},
        {{[PART_REST] = 99, [PART_FIXED] = 1}, PHASE_DECODE, PART_FIXED},
        {{[PART_LINK] = 10, [PART_COMPUTE] = 10}, PHASE_DECODE, PART_COMPUTE},
        {{[PART_FIXED] = 10, [PART_COMPUTE] = 10}, PHASE_DECODE, PART_FIXED},
        {{[PART_FIXED] = 10, [PART_COMPUTE] = 10}, PHASE_PREFILL, PART_COMPUTE},
        {{[PART_LINK] = 10, [PART_COMPUTE] = 9}, PHASE_PREFILL, PART_LINK},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct step step = {0};
        for (int j = 0; j < PART_COUNT; j++)
            step.parts_us[j] = ROWS[i].parts[j];
        assert_int_equal(step_largest_part(&step, ROWS[i].phase), ROWS[i].want);
    }
}

/* A weight or KV class whose multiply takes longer than its bytes is compute. */
static void part_of_a_class(void **state)
{
    (void)state;
    struct class_cost memory = {.memory_us = 2, .compute_us = 1};
    struct class_cost compute = {.memory_us = 1, .compute_us = 2};

    static const struct {
        enum class_id id;
        enum part memory, compute;
    } ROWS[] = {
        {CLASS_DENSE_GEMM, PART_WEIGHT, PART_COMPUTE},
        {CLASS_MOE_EXPERT_GEMM, PART_WEIGHT, PART_COMPUTE},
        {CLASS_DECODE_ATTENTION, PART_KV, PART_COMPUTE},
        {CLASS_STATE_UPDATE, PART_KV, PART_COMPUTE},
        {CLASS_COLLECTIVE, PART_LINK, PART_LINK},
        {CLASS_HOST_SAMPLING, PART_HOST_PER_SEQUENCE, PART_HOST_PER_SEQUENCE},
        {CLASS_SCHEDULER, PART_FIXED, PART_FIXED},
        {CLASS_SAMPLING, PART_REST, PART_REST},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        assert_int_equal(class_part(ROWS[i].id, &memory), ROWS[i].memory);
        assert_int_equal(class_part(ROWS[i].id, &compute), ROWS[i].compute);
    }
}

/* Inside the fixed part the scheduler stands alone and all the rest under kernel_launch; inside
 * another the class with the largest share, its fixed part apart; an empty part has none. */
static void dominant(void **state)
{
    (void)state;
    struct step step = {.parts_us = {[PART_FIXED] = 60, [PART_WEIGHT] = 40}};
    step.classes[CLASS_SCHEDULER] =
        (struct class_cost){.present = true, .share = 0.4, .bound = BOUND_HOST_PIPELINE};
    step.classes[CLASS_DENSE_GEMM] = (struct class_cost){
        .present = true, .share = 0.35, .fixed_us = 20, .memory_us = 1, .bound = BOUND_HBM};
    step.classes[CLASS_LM_HEAD] =
        (struct class_cost){.present = true, .share = 0.25, .memory_us = 1, .bound = BOUND_HBM};
    struct dominant got = step_dominant(&step, PHASE_DECODE, PART_FIXED);
    assert_int_equal(got.class, CLASS_SCHEDULER);
    assert_near(got.share, 0.4, 1e-12);
    assert_int_equal(got.pass, PASS_HOST);
    step.classes[CLASS_SCHEDULER].share = 0.1;
    got = step_dominant(&step, PHASE_DECODE, PART_FIXED);
    assert_int_equal(got.class, CLASS_KERNEL_LAUNCH);
    assert_near(got.share, 0.5, 1e-12);
    assert_int_equal(got.bound, BOUND_LAUNCH);
    got = step_dominant(&step, PHASE_PREFILL, PART_WEIGHT);
    assert_int_equal(got.class, CLASS_LM_HEAD); /* 0.25 against 0.35 - 0.2 */
    assert_int_equal(got.phase, PHASE_PREFILL);
    got = step_dominant(&step, PHASE_DECODE, PART_KV);
    assert_near(got.share, 0, 0);
    struct step empty = {0};
    assert_near(step_dominant(&empty, PHASE_DECODE, PART_FIXED).share, 0, 0);
}

/* More shapes than the tables hold are folded, their sums kept: 64 groups of MoE layers, each of
 * another width, beside 64 attentions of another window. */
static void many_shapes(void **state)
{
    struct rig *rig = *state;
    struct layer_group groups[MODEL_GROUPS_MAX];
    struct model model = rig->models[SHAPE_MIXTRAL];
    double params = 0, flops = 0, kv = 0;
    for (int i = 0; i < MODEL_GROUPS_MAX; i++) {
        groups[i] = (struct layer_group){.count = 1, .n_mixers = 1, .n_ffns = 2};
        groups[i].mixers[0] = rig_attention(MIXER_WINDOW, 32, 8, 128, 100 + i);
        groups[i].ffns[0] = rig_moe(8, 2, 1024 + 16 * i, 0);
        groups[i].ffns[1] = rig_dense(2048 + 32 * i);
        params += 4096.0 * 128 * (32 + 16 + 32) + 3 * 4096.0 * (2048 + 32 * i);
        flops += 2 * 2 * 3 * 4096.0 * (1024 + 16 * i);
        kv += 4096;
    }
    model.groups = groups;
    model.n_groups = MODEL_GROUPS_MAX;
    struct model_fault fault;
    assert_true(model_derive(&model, &fault));
    struct problem problem = rig_llama(rig);
    problem.model = &model;
    struct step step = rig_decode(problem, 1, 50);
    assert_near(step.classes[CLASS_DENSE_GEMM].weight_bytes, 2 * params, 1e-9);
    assert_near(step.classes[CLASS_MOE_EXPERT_GEMM].flops, flops, 1e-9);
    /* One row touches two experts in each layer. */
    assert_near(step.classes[CLASS_MOE_EXPERT_GEMM].weight_bytes, flops, 1e-9);
    assert_near(step.classes[CLASS_DECODE_ATTENTION].bytes, 50 * kv, 1e-9);
    assert_near(step.classes[CLASS_KV_WRITE].bytes, kv, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_add_up),      cmocka_unit_test(chunks_touch_experts),
        cmocka_unit_test(bound_of_a_sum),     cmocka_unit_test(exposed_host),
        cmocka_unit_test(pipeline_step),      cmocka_unit_test(sums),
        cmocka_unit_test(what_is_known),      cmocka_unit_test(lifted_to_the_floor),
        cmocka_unit_test(beyond_the_records), cmocka_unit_test(landmarks),
        cmocka_unit_test(largest_part),       cmocka_unit_test(crossover_of_experts),
        cmocka_unit_test(part_of_a_class),    cmocka_unit_test(dominant),
        cmocka_unit_test(many_shapes),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
