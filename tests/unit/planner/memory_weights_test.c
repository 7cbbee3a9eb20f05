/* What of the weights lies on one rank. */
#include "check.h"
#include "memory.h"
#include "sample_rig.h"

#define GIB BYTES_PER_GIB

static struct memory_plan memory_of(struct problem problem)
{
    struct memory_plan memory;
    memory_compute(&problem, 1, &memory);
    return memory;
}

/*
 * vLLM keeps, of a latent's up-projection kv_b in a quantised checkpoint, a 16-bit copy for each
 * half: DeepSeek-V3 with 128 heads / tp 8 x (128 + 128) x 512 x 2 B x 61 layers = 255,852,544 B
 * over a plan without the copy. The whole 671,026,419,200 parameters over eight ranks would be
 * 83.9 GB of one byte each; embedding and head stay in 16 bits.
 */
static void latents_absorbed(void **state)
{
    struct rig *rig = *state;
    struct problem problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H200);
    problem.dep.tp = 8;
    double plain = memory_of(problem).terms[TERM_WEIGHTS].bytes;
    problem.dep.weights = &rig->sample->weights[SAMPLE_FP8_BLOCK];
    double fp8 = memory_of(problem).terms[TERM_WEIGHTS].bytes;
    /* 671,026,404,352 parameters less 2 x 129,280 x 7,168, each on 1/8, near half the bytes. */
    double ends = 2 * 129280.0 * 7168 * 2 / 8;
    assert_near(plain, 671026404352.0 * 2 / 8, 0.02);
    assert_near(fp8, (671026404352.0 - 2 * 129280.0 * 7168) / 8 + ends + 255852544.0, 0.02);
    /* How far off recipes of a quantised name are: -3 % to +6 %. */
    const struct memory_plan memory = memory_of(problem);
    assert_near(memory.terms[TERM_WEIGHTS].low, 0.97 * fp8, 1e-12);
    assert_near(memory.terms[TERM_WEIGHTS].high, 1.06 * fp8, 1e-12);
}

/* gpt-oss in MXFP4: kernels that pad 2,880 to multiples of 256 and of 128 make the experts (3072 x
 * 2944)/2880^2 = 1.0904 of their size (Marlin's: create_weights of vLLM's mxfp4.py); a second copy
 * of the scales is a byte for 32 weights more. */
static void padded_experts(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_problem(rig, SHAPE_GPT_OSS);
    struct weight_format mxfp4 = rig->sample->weights[SAMPLE_FP8];
    for (int i = 0; i < ROLE_COUNT; i++)
        mxfp4.bytes[i] = i == ROLE_EXPERT ? 17.0 / 32 : 2;
    problem.dep.weights = &mxfp4;
    double plain = memory_of(problem).terms[TERM_WEIGHTS].bytes;
    sample_memory_add(rig->sample, sample_constant(RULE_EXPERT_PAD, 256));
    sample_memory_add(rig->sample, sample_constant(RULE_EXPERT_PAD_INNER, 128));
    double padded = memory_of(problem).terms[TERM_WEIGHTS].bytes;
    double weights = 24 * 32 * 3 * 2880.0 * 2880;
    assert_near(padded - plain, weights * 17 / 32 * (3072.0 * 2944 / 2880 / 2880 - 1), 1e-9);
    sample_memory_add(rig->sample, sample_constant(RULE_EXPERT_SCALE_COPIES, 1));
    double copied = memory_of(problem).terms[TERM_WEIGHTS].bytes;
    assert_near(copied - padded, weights / 32, 1e-9);
}

/* Bytes that the files state stand in the place of the model's own count, shared out alike. */
static void stated_checkpoint(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.checkpoint_bytes = 9e9;
    const struct memory_plan memory = memory_of(problem);
    assert_near(memory.terms[TERM_WEIGHTS].bytes, 9e9, 1e-12);
    problem.dep.tp = 2;
    assert_near(memory_of(problem).terms[TERM_WEIGHTS].bytes, 4.5e9, 1e-3);
}

/* A tied matrix is the embedding of the first stage and the head of the last: Mamba-2.8B's 50,280 x
 * 2,560, rows padded to 64, lies twice. A model that learns its positions has no rotary table. */
static void ends_of_stages(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_problem(rig, SHAPE_MAMBA);
    double whole = memory_of(problem).terms[TERM_WEIGHTS].bytes;
    problem.dep.pp = 2;
    double half = memory_of(problem).terms[TERM_WEIGHTS].bytes;
    double table = ceil(50280 / 64.0) * 64 * 2560 * 2;
    assert_near(half, (whole - table) / 2 + table, 1e-9);

    struct model learned = rig->models[SHAPE_MISTRAL];
    learned.learned_positions = 2048;
    problem = rig_llama(rig);
    problem.model = &learned;
    assert_near(memory_of(problem).terms[TERM_ROPE].bytes, 0, 0);
    problem.model = &rig->models[SHAPE_MISTRAL];
    assert_near(memory_of(problem).terms[TERM_ROPE].bytes, 131072 * 128 * 2.0, 1e-12);
}

/* Of Llama-3.1-8B: an EAGLE layer of 4 h^2 of attention, 3 h I of FFN, 2 h^2 that join two states;
 * EAGLE-3 joins three and has 32,000 words; another model of a tenth. */
static void drafts(void **state)
{
    const double h = 4096, layer = 4 * h * h + 3 * h * 14336;
    struct rig *rig = *state;
    double target = memory_of(rig_llama(rig)).terms[TERM_WEIGHTS].bytes;

    const struct {
        enum speculative_method method;
        double bytes;
    } rows[] = {
        {SPEC_NONE, 0},
        {SPEC_NGRAM, 0},
        {SPEC_EAGLE, 2 * (layer + 2 * h * h)},
        {SPEC_EAGLE3, 2 * (layer + 3 * h * h + 32000 * h)},
        {SPEC_DRAFT_MODEL, 0.1 * target},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct problem problem = rig_llama(rig);
        problem.dep.spec_method = rows[i].method;
        problem.dep.spec_tokens = 3;
        const struct memory_plan memory = memory_of(problem);
        const struct memory_term *term = &memory.terms[TERM_DRAFT];
        assert_near(term->bytes, rows[i].bytes, 1e-12);
        assert_true(term->low <= term->bytes && term->bytes <= term->high);
        /* An EAGLE head keeps one layer more of the same cache. */
        bool keeps = rows[i].method == SPEC_EAGLE || rows[i].method == SPEC_EAGLE3;
        assert_near(memory.layout.unit_bytes, (keeps ? 33 : 32) * 16 * 4096.0, 1e-12);
    }
}

/* An MTP layer of the target's shape: its weights over tp, and its cache. */
static void mtp_layers(void **state)
{
    struct rig *rig = *state;
    struct layer_group layer = rig->groups[SHAPE_MIXTRAL][0];
    layer.count = 1;
    struct model model = rig->models[SHAPE_MIXTRAL];
    model.mtp = &layer;
    struct model_fault fault;
    assert_true(model_derive(&model, &fault));
    struct problem problem = rig_problem(rig, SHAPE_MIXTRAL);
    problem.model = &model;
    problem.dep.tp = 4;
    problem.dep.spec_method = SPEC_MTP;
    problem.dep.spec_tokens = 1;
    const struct memory_plan memory = memory_of(problem);
    /* 4,096 x (2 x 4,096 + 2 x 1,024) of attention, a router of 8, 8 experts of 3 x 4,096 x 14,336,
     * two norms. */
    double params = 4096.0 * (10240 + 8) + 8 * 3 * 4096.0 * 14336 + 8192;
    assert_near(memory.terms[TERM_DRAFT].bytes, params * 2 / 4, 1e-9);
    assert_near(memory.layout.unit_bytes, 33 * 16 * 1024.0, 1e-12);
}

/* A tower of 1e9 parameters, unless only text is served; tables of M-RoPE hold four times the
 * positions; the encoder's largest input may be the peak, half of it on every rank. */
static void towers(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct model model = *problem.model;
    double text_peak = memory_of(problem).activation_bytes;
    model.vision_params = 1e9;
    problem.model = &model;
    problem.dep.tp = 2;
    sample_memory_add(rig->sample, sample_constant(RULE_ENCODER_PEAK, 8 * GIB));
    struct memory_plan memory = memory_of(problem);
    assert_near(memory.terms[TERM_VISION].bytes, 1e9, 1e-12);
    assert_near(memory.terms[TERM_ROPE].bytes, 4 * 33554432.0, 1e-12);
    assert_near(memory.activation_bytes, 8 * GIB * (1 + 1 / 2.0) / 2, 1e-12);
    problem.dep.text_only = true;
    memory = memory_of(problem);
    assert_near(memory.terms[TERM_VISION].bytes, 0, 0);
    assert_near(memory.activation_bytes, text_peak, 1e-12);
}

/*
 * Adapters of rank 16 in two slots on every matrix of Llama-3.1-8B: packed projections have an A
 * each: qkv 3 x 4,096 + 6,144, o 4,096 + 4,096, gate and up 2 x 4,096 + 28,672, down 14,336 +
 * 4,096.
 */
static void adapters(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.max_loras = 2;
    problem.dep.max_lora_rank = (double)NAN; /* 16 where nobody says */
    double width = 3 * 4096 + 6144 + 8192 + 2 * 4096 + 28672 + 14336 + 4096;
    assert_near(memory_of(problem).terms[TERM_LORA].bytes, 2 * 16 * 32 * width * 2, 1e-12);
}

/* What is offloaded is not here; not more than there is. */
static void offloaded(void **state)
{
    struct problem problem = rig_llama(*state);
    double before = memory_of(problem).weights_bytes;
    problem.dep.cpu_offload_bytes = 4 * GIB;
    assert_near(memory_of(problem).weights_bytes, before - 4 * GIB, 1e-12);
    problem.dep.cpu_offload_bytes = 400 * GIB;
    assert_near(memory_of(problem).weights_bytes, 33554432, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(latents_absorbed, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(padded_experts, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(stated_checkpoint, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(ends_of_stages, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(drafts, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(mtp_layers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(towers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(adapters, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(offloaded, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
