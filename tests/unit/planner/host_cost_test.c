/* The host classes of a step and what crosses links: times and bytes computed by hand. */
#include "check.h"
#include "sample_rig.h"

/* vLLM with a figure for every host constant, each with another basis. */
static struct engine engine_of(const struct rig *rig)
{
    struct engine engine = rig->sample->engines[SAMPLE_VLLM];
    engine.host[HOST_DETOKENIZE_US_PER_TOKEN] = (struct host_constant){3, "assumed", NULL};
    engine.host[HOST_PRIMING_US_PER_TOKEN] = (struct host_constant){0.6, "derived", "priming"};
    engine.host[HOST_PRIMING_BOUNDED_US] = (struct host_constant){7, "measured", "bounded"};
    engine.host[HOST_TOKENIZE_US_PER_TOKEN] = (struct host_constant){0.5, "assumed", NULL};
    engine.host[HOST_LOGPROBS_US_PER_ROW] = (struct host_constant){850, "measured", "logprobs"};
    engine.host[HOST_MASK_US_PER_ROW] = (struct host_constant){10, "no record", NULL};
    engine.host[HOST_PREDICATE_US_PER_TOKEN] = (struct host_constant){0.09, "derived", "scan"};
    engine.host[HOST_PREDICATE_BOUNDED_US] = (struct host_constant){0.52, "measured", "scan"};
    engine.host[HOST_SCHEDULER_US_PER_SEQ].basis = "measured";
    return engine;
}

static const struct class_cost *decode_cost(struct problem problem, double batch, double context,
                                            enum class_id id, struct step *ret_step)
{
    *ret_step = rig_decode(problem, batch, context);
    return &ret_step->classes[id];
}

static const struct class_cost *prefill_cost(struct problem problem, double tokens, double cached,
                                             enum class_id id, struct step *ret_step)
{
    *ret_step = rig_prefill(problem, tokens, cached);
    return &ret_step->classes[id];
}

/* Trap: the sampler on the host costs rows x vocabulary: 2.84 ns an entry and 4 B over the link of
 * 63 GB/s; nothing samples on the device beside it. */
static void host_sampling(void **state)
{
    struct problem problem = rig_llama(*state);
    struct step step;
    problem.dep.sampler = SAMPLER_HOST;
    const struct class_cost *cost = decode_cost(problem, 8, 1000, CLASS_HOST_SAMPLING, &step);
    double entries = 8 * 128256.0;
    assert_near(cost->host_bytes, 4 * entries, 0);
    assert_near(cost->time_us, entries * 2.84e-3 + 4 * entries / 63e3, 1e-12);
    assert_int_equal(cost->bound, BOUND_HOST_PIPELINE);
    assert_false(step.classes[CLASS_SAMPLING].present);
    /* A host twice as slow; the copy is the link's. */
    problem.dep.host_cpu_factor = 2;
    cost = decode_cost(problem, 8, 1000, CLASS_HOST_SAMPLING, &step);
    assert_near(cost->time_us, 2 * entries * 2.84e-3 + 4 * entries / 63e3, 1e-12);
    /* A part whose record states no host link: the copy is counted and not timed. */
    struct hardware unlinked = *problem.hw;
    unlinked.host_bytes_us = 0;
    problem.hw = &unlinked;
    cost = decode_cost(problem, 8, 1000, CLASS_HOST_SAMPLING, &step);
    assert_near(cost->host_bytes, 4 * entries, 0);
    assert_near(cost->time_us, 2 * entries * 2.84e-3, 1e-12);
}

/* Penalties rebuild and upload each sequence's ids, padded to the longest output: 256 x 8 x 8 B. */
static void processors(void **state)
{
    struct engine engine = engine_of(*state);
    struct problem problem = rig_llama(*state);
    struct step step;
    problem.dep.engine = &engine;
    problem.dep.logit_processors = PROCESSOR_PENALTIES;
    const struct class_cost *cost = decode_cost(problem, 8, 1000, CLASS_PROCESSORS_HOST, &step);
    assert_near(cost->host_bytes, 16384, 0);
    assert_near(cost->time_us, 2048 * 0.052 + 16384 / 63e3, 1e-12);
    problem.dep.logprobs = 5;
    cost = decode_cost(problem, 8, 1000, CLASS_PROCESSORS_HOST, &step);
    assert_near(cost->time_us, 2048 * 0.052 + 16384 / 63e3 + 8 * 850, 1e-12);
    assert_string_equal(cost->anchor, "logprobs");
    assert_int_equal(cost->basis, BASIS_ASSUMED); /* the worse of the two */
    problem.dep.logit_processors = PROCESSOR_MIN_P;
    cost = decode_cost(problem, 8, 1000, CLASS_PROCESSORS_HOST, &step);
    assert_near(cost->time_us, 8 * 850, 1e-12);
    assert_int_equal(cost->basis, BASIS_MEASURED);
    /* A host sampler has them in its own chain. */
    problem.dep.sampler = SAMPLER_HOST;
    assert_false(decode_cost(problem, 8, 1000, CLASS_PROCESSORS_HOST, &step)->present);
}

/* Per token in decode; priming per prompt token, cached ones too, or bounded. */
static void text(void **state)
{
    struct engine engine = engine_of(*state);
    struct problem problem = rig_llama(*state);
    struct step step;
    problem.dep.engine = &engine;
    assert_near(decode_cost(problem, 8, 1000, CLASS_DETOKENIZATION, &step)->time_us, 24, 1e-12);
    problem.dep.priming = PRIMING_FULL;
    const struct class_cost *cost = prefill_cost(problem, 1000, 0, CLASS_DETOKENIZATION, &step);
    assert_near(cost->time_us, 600, 1e-12);
    assert_int_equal(cost->basis, BASIS_DERIVED);
    assert_string_equal(cost->anchor, "priming");
    cost = prefill_cost(problem, 1000, 9000, CLASS_DETOKENIZATION, &step);
    assert_near(cost->time_us, 6000, 1e-12);
    problem.dep.priming = PRIMING_BOUNDED;
    cost = prefill_cost(problem, 1000, 9000, CLASS_DETOKENIZATION, &step);
    assert_near(cost->time_us, 7, 1e-12);
    assert_int_equal(cost->basis, BASIS_MEASURED);
    assert_near(prefill_cost(problem, 1000, 9000, CLASS_TOKENIZATION, &step)->time_us, 5000, 1e-12);
    /* Once a prompt, in however many chunks. */
    problem.dep.chunked_prefill_tokens = 300;
    assert_near(prefill_cost(problem, 1000, 9000, CLASS_TOKENIZATION, &step)->time_us, 5000, 1e-12);
    assert_near(prefill_cost(problem, 900, 9100, CLASS_TOKENIZATION, &step)->time_us, 5000, 1e-12);
    assert_near(prefill_cost(problem, 1000, 9000, CLASS_DETOKENIZATION, &step)->time_us, 7, 1e-12);
    /* Text work stands before and after the forward pass: nothing hides it. */
    assert_true(step.exposed_host_us >= 5007);
    /* Speculation: 2.533 tokens of each sequence a step. */
    problem.dep.spec_method = SPEC_NGRAM;
    problem.dep.spec_tokens = 3;
    assert_near(decode_cost(problem, 8, 1000, CLASS_DETOKENIZATION, &step)->time_us, 24 * 2.533,
                1e-12);
}

/* A mask per row; a reasoning-end scan of the sequence, or of the new tokens alone. */
static void structured_output(void **state)
{
    struct engine engine = engine_of(*state);
    struct problem problem = rig_llama(*state);
    struct step step;
    problem.dep.engine = &engine;
    assert_false(decode_cost(problem, 8, 1000, CLASS_STRUCTURED_OUTPUT, &step)->present);
    problem.dep.predicate = PREDICATE_FULL_SCAN;
    const struct class_cost *cost = decode_cost(problem, 8, 1000, CLASS_STRUCTURED_OUTPUT, &step);
    assert_near(cost->time_us, 8 * 1000 * 0.09, 1e-12);
    assert_int_equal(cost->basis, BASIS_DERIVED);
    problem.dep.predicate = PREDICATE_BOUNDED;
    cost = decode_cost(problem, 8, 1000, CLASS_STRUCTURED_OUTPUT, &step);
    assert_near(cost->time_us, 8 * 0.52, 1e-12);
    problem.dep.structured_output = true;
    cost = decode_cost(problem, 8, 1000, CLASS_STRUCTURED_OUTPUT, &step);
    assert_near(cost->time_us, 8 * 10.52, 1e-12);
    assert_int_equal(cost->basis, BASIS_NO_RECORD);
    /* A constant without a basis is no record either. */
    engine.host[HOST_MASK_US_PER_ROW].basis = NULL;
    cost = decode_cost(problem, 8, 1000, CLASS_STRUCTURED_OUTPUT, &step);
    assert_int_equal(cost->basis, BASIS_NO_RECORD);
}

/* 150 us and 8.65 us a sequence; a native control plane halves both where the engine has Python. */
static void scheduler(void **state)
{
    struct problem problem = rig_llama(*state);
    struct step step;
    assert_near(decode_cost(problem, 100, 1000, CLASS_SCHEDULER, &step)->time_us, 1015, 1e-12);
    assert_near(prefill_cost(problem, 100, 0, CLASS_SCHEDULER, &step)->time_us, 158.65, 1e-12);
    problem.dep.control_plane = CONTROL_NATIVE;
    assert_near(decode_cost(problem, 100, 1000, CLASS_SCHEDULER, &step)->time_us, 507.5, 1e-12);
    struct engine native = *problem.dep.engine;
    native.python_control_plane = false;
    problem.dep.engine = &native;
    assert_near(decode_cost(problem, 100, 1000, CLASS_SCHEDULER, &step)->time_us, 1015, 1e-12);
    problem.dep.engine = &((struct rig *)*state)->sample->engines[SAMPLE_LLAMACPP];
    assert_near(decode_cost(problem, 32, 1000, CLASS_SERVER_LOOP, &step)->time_us, 9600, 1e-12);
    assert_false(decode_cost(rig_llama(*state), 32, 1000, CLASS_SERVER_LOOP, &step)->present);
}

/*
 * Trap: a graph replays with one launch, eager kernels are issued one by one at 10 us. Of an 8B
 * decode step: 128 GEMMs, 32 attentions, 128 small ones, the head and 4 of the sampler: 293.
 * A prefill is eager whatever the setting; it samples nothing.
 */
static void launches(void **state)
{
    struct problem problem = rig_llama(*state);
    struct step step;
    const struct class_cost *cost = decode_cost(problem, 4, 1000, CLASS_KERNEL_LAUNCH, &step);
    assert_near(cost->launches, 293, 1e-12);
    assert_near(cost->time_us, 10, 1e-12);
    problem.dep.cuda_graphs = false;
    cost = decode_cost(problem, 4, 1000, CLASS_KERNEL_LAUNCH, &step);
    assert_near(cost->time_us, 2930, 1e-12);
    problem.dep.cuda_graphs = true;
    cost = prefill_cost(problem, 100, 0, CLASS_KERNEL_LAUNCH, &step);
    assert_near(cost->time_us, 2890, 1e-12);
    problem.dep.chunked_prefill_tokens = 50;
    /* Two chunks of 288 kernels, one head. */
    cost = prefill_cost(problem, 100, 0, CLASS_KERNEL_LAUNCH, &step);
    assert_near(cost->time_us, 5770, 1e-12);
}

/*
 * Trap: two all-reduces a layer, one behind the sharded embedding, a gather of the logits. Two
 * devices, four rows: 65 x 4 x 8,192 x 2 x 1/2 and 4 x 128,256 x 2 x 1/2.
 * vLLM's custom kernel in a graph: (32,768/136,200)^0.9 + 4.21^0.9 = 0.277425 + 3.646312, to the
 * power 1/0.9: 4.56738 us; the gather 3.298867 + 3.646312: 8.61397 us.
 */
static void all_reduce(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct step step;
    problem.lib = &rig->linked;
    problem.dep.tp = 2;
    const struct class_cost *cost = decode_cost(problem, 4, 1000, CLASS_COLLECTIVE, &step);
    assert_near(cost->link_bytes, 65 * 32768.0 + 513024, 1e-12);
    assert_near(cost->launches, 66, 0);
    assert_near(cost->floor_us, cost->link_bytes / 450e3, 1e-12);
    assert_near(cost->time_us, 65 * 4.567375 + 8.613973, 1e-5);
    assert_int_equal(cost->basis, BASIS_CALIBRATED);
    assert_ptr_equal(cost->comm, &rig->comms[0]);
    assert_int_equal(cost->bound, BOUND_INTERCONNECT);
    assert_near(step.link_bytes, cost->link_bytes, 0);
    /* Trap: a small message costs its latency, not bytes over the ring. */
    assert_true(cost->time_us > 66 * 4.21);
    /* In a prompt the gather runs once, whatever the chunks: 2 x 65 + 1. */
    problem.dep.chunked_prefill_tokens = 500;
    cost = prefill_cost(problem, 1000, 0, CLASS_COLLECTIVE, &step);
    assert_near(cost->launches, 131, 1e-12);
    assert_near(cost->link_bytes, 130 * 500 * 8192.0 + 128256, 1e-12);
    cost = prefill_cost(problem, 1200, 0, CLASS_COLLECTIVE, &step);
    assert_near(cost->launches, 196, 1e-12);
    /* Trap: one device exchanges nothing. */
    problem.dep.tp = 1;
    assert_false(decode_cost(problem, 4, 1000, CLASS_COLLECTIVE, &step)->present);
}

/* Without a fit: bytes over the link over 0.7, assumed, and the step's prediction gone. Without a
 * link bandwidth nothing is known, however short it came out. */
static void collective_without_record(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct step step;
    problem.dep.tp = 2;
    const struct class_cost *cost = decode_cost(problem, 64, 1000, CLASS_COLLECTIVE, &step);
    assert_near(cost->time_us, cost->link_bytes / 450e3 / 0.7, 1e-12);
    assert_int_equal(cost->basis, BASIS_ASSUMED);
    problem.hw = &rig->parts[RIG_NO_LINK];
    cost = decode_cost(problem, 64, 1000, CLASS_COLLECTIVE, &step);
    assert_near(cost->time_us, 0, 0);
    assert_int_equal(cost->basis, BASIS_NO_RECORD);
    assert_true(isnan(step.expected_us));
    assert_true(step.time_us > 0);
}

/* Mixtral: no shared expert whose matrix would reduce, so the experts' reduce is counted: two a
 * layer as for a dense model. With a shared expert both sums travel in one. */
static void expert_reduce(void **state)
{
    struct rig *rig = *state;
    struct step step;
    struct problem problem = rig_problem(rig, SHAPE_MIXTRAL);
    problem.dep.tp = 2;
    assert_near(decode_cost(problem, 4, 1000, CLASS_COLLECTIVE, &step)->launches, 66, 0);
    problem.dep.ep = 2; /* inside a tensor-parallel group experts keep the all-reduce */
    assert_near(decode_cost(problem, 4, 1000, CLASS_COLLECTIVE, &step)->launches, 66, 0);
    problem = rig_problem(rig, SHAPE_SCOUT);
    problem.dep.tp = 2;
    assert_near(decode_cost(problem, 4, 1000, CLASS_COLLECTIVE, &step)->launches, 98, 0);
}

/*
 * Trap: dispatch and combine under attention DP, one each way and MoE layer: top-k copies of a row
 * (32 x 8 x 7,168 x 2 = 3,670,016 B) to all-to-all, dp copies to all-gather back ends; and none
 * without attention DP.
 */
static void expert_exchange(void **state)
{
    static const struct {
        enum ep_backend backend;
        int engine; /* -1: vLLM */
        double top_k, bytes;
    } ROWS[] = {
        {EP_BACKEND_ALL_TO_ALL, -1, 8, 116 * 3670016.0},
        {EP_BACKEND_ALL_GATHER, -1, 8, 116 * 4 * 458752.0},
        {EP_BACKEND_AUTO, -1, 8, 116 * 4 * 458752.0},
        {EP_BACKEND_AUTO, RIG_TRTLLM, 8, 116 * 3670016.0},
    };
    struct rig *rig = *state;
    struct step step;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
        problem.dep.dp = problem.dep.ep = 4;
        problem.dep.ep_backend = ROWS[i].backend;
        if (ROWS[i].engine >= 0)
            problem.dep.engine = &rig->engines[ROWS[i].engine];
        const struct class_cost *cost = decode_cost(problem, 32, 1000, CLASS_COLLECTIVE, &step);
        assert_near(cost->link_bytes, ROWS[i].bytes, 1e-12);
        assert_near(cost->launches, 116, 0);
    }
    struct problem problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
    problem.dep.ep = 1;
    assert_false(decode_cost(problem, 32, 1000, CLASS_COLLECTIVE, &step)->present);
    /* Attention DP of a dense model has nothing to exchange. */
    problem = rig_llama(rig);
    problem.dep.dp = 4;
    assert_false(decode_cost(problem, 32, 1000, CLASS_COLLECTIVE, &step)->present);
}

/* A dispatch that asks the host for its sizes waits for it in each MoE layer; one without a fit has
 * the recorded latency. */
static void dispatch_latency(void **state)
{
    struct rig *rig = *state;
    struct engine engine = engine_of(rig);
    engine.host[HOST_DISPATCH_US] = (struct host_constant){100, "assumed", NULL};
    engine.host[HOST_CPU_SYNC_US] = (struct host_constant){30, "assumed", NULL};
    struct step step;
    struct problem problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H100);
    problem.dep.engine = &engine;
    problem.dep.dp = problem.dep.ep = 8;
    const struct class_cost *cost = decode_cost(problem, 1, 1000, CLASS_COLLECTIVE, &step);
    /* Of eight copies one stays. */
    double wire = 116 * 7 * 7168 * 2 / 450e3;
    assert_near(cost->time_us, wire / 0.7 + 58 * 100, 1e-9);
    problem.dep.ep_cpu_sync = true;
    cost = decode_cost(problem, 1, 1000, CLASS_COLLECTIVE, &step);
    assert_near(cost->time_us, wire / 0.7 + 58 * 130, 1e-9);
    /* With a fit the latency is in it: 116 messages of 7/8 x 114,688 B, (0.424501^0.54 +
     * 4.6^0.54)^1.85. */
    problem.lib = &rig->linked;
    cost = decode_cost(problem, 1, 1000, CLASS_COLLECTIVE, &step);
    double message = pow(pow(100352 / 236400.0, 0.54) + pow(4.6, 0.54), 1 / 0.54);
    assert_near(cost->time_us, 116 * message + 58 * 30, 1e-9);
}

/* Pipeline: rows x hidden x 2 at each of p - 1 boundaries; of one stage the mean. */
static void pipeline(void **state)
{
    struct problem problem = rig_llama(*state);
    struct step step;
    problem.dep.pp = 4;
    const struct class_cost *cost = decode_cost(problem, 6, 1000, CLASS_COLLECTIVE, &step);
    assert_near(cost->link_bytes, 6 * 8192 * 0.75, 1e-12);
    /* Trap: a pipeline does not shorten a token's way: four stages of a quarter each. */
    problem.dep.pp = 1;
    struct step whole = rig_decode(problem, 6, 1000);
    assert_near(step.floor_us, whole.floor_us + 3 * 6 * 8192 / 450e3, 1e-9);
}

/* Disaggregated: the prompt's whole cache, 131,072 B a token, over a link; a tier: the cached part
 * over the host link. Once, with the last chunk. */
static void kv_transfer(void **state)
{
    struct problem problem = rig_llama(*state);
    struct step step;
    problem.dep.chunked_prefill_tokens = 300;
    assert_false(prefill_cost(problem, 1000, 0, CLASS_KV_TRANSFER, &step)->present);
    problem.dep.disaggregated = true;
    const struct class_cost *cost = prefill_cost(problem, 1000, 0, CLASS_KV_TRANSFER, &step);
    assert_near(cost->link_bytes, 131072e3, 1e-12);
    assert_near(cost->floor_us, 131072e3 / 450e3, 1e-12);
    assert_near(cost->time_us, 131072e3 / 450e3 / 0.7, 1e-12);
    problem.dep.disagg_link_bytes_us = 50e3;
    cost = prefill_cost(problem, 400, 600, CLASS_KV_TRANSFER, &step);
    assert_near(cost->floor_us, 131072e3 / 50e3, 1e-12);
    problem.dep.disaggregated = false;
    problem.dep.kv_tier = KV_TIER_HOST;
    assert_false(prefill_cost(problem, 1000, 0, CLASS_KV_TRANSFER, &step)->present);
    problem.load.cached_prefix_tokens = 600;
    cost = prefill_cost(problem, 400, 600, CLASS_KV_TRANSFER, &step);
    assert_near(cost->link_bytes, 600 * 131072.0, 1e-12);
    assert_near(cost->floor_us, 600 * 131072 / 63e3, 1e-12);
    problem.dep.kv_tier_bytes_us = 5e3;
    cost = prefill_cost(problem, 400, 600, CLASS_KV_TRANSFER, &step);
    assert_near(cost->floor_us, 600 * 131072 / 5e3, 1e-12);
    assert_near(step.classes[CLASS_KV_TRANSFER].share, cost->time_us / step.time_us, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_sampling),
        cmocka_unit_test(processors),
        cmocka_unit_test(text),
        cmocka_unit_test(structured_output),
        cmocka_unit_test(scheduler),
        cmocka_unit_test(launches),
        cmocka_unit_test(all_reduce),
        cmocka_unit_test(collective_without_record),
        cmocka_unit_test(expert_reduce),
        cmocka_unit_test(expert_exchange),
        cmocka_unit_test(dispatch_latency),
        cmocka_unit_test(pipeline),
        cmocka_unit_test(kv_transfer),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
