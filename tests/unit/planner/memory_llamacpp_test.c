/* llama.cpp and Ollama: what is allocated for the context asked for, and which layers lie where. */
#include "check.h"
#include "memory_rows.h"

#define GIB BYTES_PER_GIB
#define MIB 1048576.0
#define CONTEXT (0.45 * GIB)
/* Llama-3.1-8B: a layer's matrices and norms, the output matrix and last norm. */
#define LAYER (2 * (2 * 4096.0 * 4096 + 2 * 4096 * 1024.0 + 3 * 4096.0 * 14336 + 2 * 4096))
#define OUTPUT (2 * 128256.0 * 4096)
/* A micro-batch of 512 rows of logits and of the hidden width in 32 bits. */
#define BUFFER (512 * 4.0 * (128256 + 4096))

struct local {
    struct rig *rig;
    struct memory_rows now, before;
};

static int set_up(void **state)
{
    static const struct memory_row ROWS[] = {{RULE_NON_TORCH, CONTEXT},
                                             {RULE_RESERVE, GIB},
                                             {RULE_WINDOW_KEEPS_BATCH, 1},
                                             {RULE_MLA_PER_HEAD, 1}};
    struct local *test = calloc(1, sizeof(*test));
    assert_non_null(test);
    test->rig = rig_new();
    memory_rows_fill(&test->now, &test->rig->sample->lib, MEMORY_LLAMACPP, ROWS, 2);
    memory_rows_fill(&test->before, &test->rig->sample->lib, MEMORY_LLAMACPP, ROWS, 4);
    *state = test;
    return 0;
}

static int tear_down(void **state)
{
    struct local *test = *state;
    rig_free(test->rig);
    free(test);
    return 0;
}

/* One slot of 8,192 tokens, stated, on an RTX 5090. */
static struct problem local_problem(const struct local *test, int model)
{
    struct problem problem = sample_llama_server(test->rig->sample, model, SAMPLE_RTX5090, 1);
    problem.dep.chunked_prefill_tokens = 512;
    problem.dep.max_model_len = 8192;
    problem.dep.longest_is_stated = true;
    return problem;
}

static struct problem local_shape(const struct local *test, int shape)
{
    struct problem problem = local_problem(test, SAMPLE_LLAMA_8B);
    problem.model = &test->rig->models[shape];
    return problem;
}

/* 8,192 cells of 131,072 B are 1 GiB a slot of its own, and once where slots share; 8,000 tokens
 * are padded to 8,192. */
static void contexts_are_allocated(void **state)
{
    const struct local *test = *state;
    struct problem problem = local_problem(test, SAMPLE_LLAMA_8B);
    struct memory_plan memory = memory_rows_plan(&test->now, problem);
    assert_near(memory.kv_bytes, GIB, 1e-12);
    assert_near(memory.kv_token_capacity, 8192, 0);
    assert_near(memory.activation_bytes, BUFFER, 1e-12);
    assert_near(memory.weights_bytes, 32 * LAYER + OUTPUT + 8192, 1e-9);
    assert_near(memory.max_concurrency, 1, 1e-12);
    assert_true(memory.fits);
    problem.dep.max_model_len = 8000;
    assert_near(memory_rows_plan(&test->now, problem).kv_bytes, GIB, 1e-12);
    problem.dep.max_num_seqs = 4;
    memory = memory_rows_plan(&test->now, problem);
    assert_near(memory.kv_bytes, 4 * GIB, 1e-12);
    assert_near(memory.max_concurrency, 4, 1e-12);
    problem.dep.kv_unified = true;
    assert_near(memory_rows_plan(&test->now, problem).kv_bytes, GIB, 1e-12);
    problem.dep.kv_cache = &test->rig->sample->kv[2];
    assert_near(memory_rows_plan(&test->now, problem).kv_bytes, GIB * 17 / 32, 1e-12);
}

/* 163,840 cells are 20 GiB beside 14 GiB of weights: more than 31.36 GiB hold. Where
 * the engine may choose its context, it takes what is free less 1 GiB. */
static void a_context_may_not_fit(void **state)
{
    const struct local *test = *state;
    struct problem problem = local_problem(test, SAMPLE_LLAMA_8B);
    problem.dep.max_model_len = 163840;
    struct memory_plan memory = memory_rows_plan(&test->now, problem);
    double rest = 31.36 * GIB - 32 * LAYER - OUTPUT - 8192 - BUFFER - CONTEXT;
    assert_false(memory.fits);
    assert_near(memory.kv_bytes, rest, 1e-9);
    assert_near(memory.short_by_bytes, 20 * GIB - rest, 1e-6);
    problem.dep.longest_is_stated = false;
    memory = memory_rows_plan(&test->now, problem);
    assert_true(memory.fits);
    assert_near(memory.kv_bytes, rest - GIB, 1e-9);
    problem.dep.longest_is_stated = true;
    problem.dep.gpu_layers = 16;
    assert_true(memory_rows_plan(&test->now, problem).fits);
    problem.dep.max_model_len = 8192;
    problem.dep.gpu_layers = (double)NAN;
    problem.dep.other_processes_bytes = 16 * GIB;
    assert_false(memory_rows_plan(&test->now, problem).fits);
}

/* The scores of 512 rows over 32 heads and 8,192 cells, and 3.3 hidden widths, in 32 bits: 545 MB,
 * more than the logits. */
static void scores_without_flash_attention(void **state)
{
    const struct local *test = *state;
    struct problem problem = local_problem(test, SAMPLE_LLAMA_8B);
    problem.dep.flash_attention = false;
    assert_near(memory_rows_plan(&test->now, problem).activation_bytes,
                512 * 4 * (32 * 8192 + 3.3 * 4096), 1e-12);
    problem.dep.max_model_len = 2048;
    assert_near(memory_rows_plan(&test->now, problem).activation_bytes, BUFFER, 1e-12);
    problem.dep.micro_batch_tokens = 1024;
    assert_near(memory_rows_plan(&test->now, problem).activation_bytes, 2 * BUFFER, 1e-12);
    problem.dep.micro_batch_tokens = problem.dep.chunked_prefill_tokens = 0;
    assert_near(memory_rows_plan(&test->now, problem).activation_bytes, BUFFER, 1e-12);
}

/* gpt-oss: 12 layers of 2,048 B a cell keep all 8,192 cells; 12 a window of 128 and a micro-batch
 * of 512, padded 768; before late 2025 a batch of 2,048, padded 2,304; four slots that share 1,024.
 */
static void windows_keep_a_batch(void **state)
{
    const struct local *test = *state;
    struct problem problem = local_shape(test, SHAPE_GPT_OSS);
    problem.hw = &test->rig->sample->hardware[SAMPLE_H100];
    const double each = 12 * 2048;
    assert_near(memory_rows_plan(&test->now, problem).kv_bytes, each * (8192 + 768), 1e-12);
    assert_near(memory_rows_plan(&test->before, problem).kv_bytes, each * (8192 + 2304), 1e-12);
    problem.dep.swa_full = true;
    assert_near(memory_rows_plan(&test->now, problem).kv_bytes, each * 16384, 1e-12);
    problem.dep.swa_full = false;
    problem.dep.max_num_seqs = 4;
    assert_near(memory_rows_plan(&test->now, problem).kv_bytes, each * 4 * (8192 + 768), 1e-12);
    problem.dep.kv_unified = true;
    assert_near(memory_rows_plan(&test->now, problem).kv_bytes, each * (8192 + 1024), 1e-12);
}

/* DeepSeek-V3: 61 latents of 576 in 16 bits a cell; before, keys of 128 x 192 and values of 128 x
 * 128, but not in ik_llama.cpp. Experts of the first layers on the host. */
static void latents(void **state)
{
    const struct local *test = *state;
    struct problem problem = local_problem(test, SAMPLE_DEEPSEEK_V3);
    problem.dep.gpu_layers = 1;
    assert_near(memory_rows_plan(&test->now, problem).kv_bytes, 1152 * 8192.0, 1e-12);
    assert_near(memory_rows_plan(&test->before, problem).kv_bytes, 81920 * 8192.0, 1e-12);
    struct engine ik = *problem.dep.engine;
    ik.id = "ik_llama.cpp";
    problem.dep.engine = &ik;
    assert_near(memory_rows_plan(&test->before, problem).kv_bytes, 1152 * 8192.0, 1e-12);
}

/* All 58 x 256 experts of 3 x 7,168 x 2,048 elements lie on the host, or those of half the layers
 * of Mixtral: 16 x 8 x 3 x 4,096 x 14,336. */
static void experts_on_the_host(void **state)
{
    const struct local *test = *state;
    struct problem problem = local_problem(test, SAMPLE_DEEPSEEK_V3);
    problem.dep.cpu_moe_layers = 100;
    struct memory_plan memory = memory_rows_plan(&test->now, problem);
    assert_near(memory.terms[TERM_OFFLOADED].bytes, -58 * 256 * 3 * 7168.0 * 2048 * 2, 1e-9);
    problem = local_shape(test, SHAPE_MIXTRAL);
    problem.dep.cpu_moe_layers = 16;
    memory = memory_rows_plan(&test->now, problem);
    assert_near(memory.terms[TERM_OFFLOADED].bytes, -16 * 8 * 3 * 4096.0 * 14336 * 2, 1e-9);
    /* The last 8 layers are on the device: their experts too. */
    problem.dep.gpu_layers = 8;
    memory = memory_rows_plan(&test->now, problem);
    assert_near(memory.terms[TERM_OFFLOADED].bytes, 0, 0);
}

/* A state of 22,937,600 B a slot; 6,404 entries of an image in 8 of 40 layers of 4,096 B. */
static void states_and_images(void **state)
{
    const struct local *test = *state;
    struct problem problem = local_shape(test, SHAPE_MAMBA);
    problem.dep.max_num_seqs = 3;
    struct memory_plan memory = memory_rows_plan(&test->now, problem);
    assert_near(memory.kv_bytes, 3 * 22937600.0, 1e-12);
    assert_true(isnan(memory.kv_token_capacity));
    problem = local_shape(test, SHAPE_MLLAMA);
    assert_near(memory_rows_plan(&test->now, problem).kv_bytes, (32 * 8192 + 8 * 6404) * 4096.0,
                1e-12);
    problem.dep.gpu_layers = 0;
    assert_near(memory_rows_plan(&test->now, problem).kv_bytes, 0, 0);
}

struct split {
    double devices, gpu_layers;
    const char *layers, *memory_gib;
    double stage, caches; /* layers with a cache of 1/32 GiB on the device that holds least */
    bool output;
};

/*
 * Layers and the output, 33 in all, are cut by the devices' shares; the device with the least room
 * is shown: of two equal parts of 31.36 GiB the first with ceil(16.5) = 17 layers (the other has 15
 * and the output matrix, as heavy as 2.4 layers, so it is the one); of four the last with 7 and the
 * output; by 24:8 GiB the small one with 33 - ceil(24.75) = 8 entries, 7 layers and the output; by
 * 24:24:8.5 the last with 33 - ceil(28.04) = 4.
 */
static void devices_hold_layers(void **state)
{
    const struct local *test = *state;
    static const struct split ROWS[] = {
        {2, NAN, NULL, NULL, 1, 15, true},       {4, NAN, NULL, NULL, 3, 7, true},
        {2, NAN, NULL, "24,8", 1, 7, true},      {2, NAN, "20,12", NULL, 0, 21, false},
        {2, 16, NULL, NULL, 0, 8, false},        {1, NAN, NULL, "24", 0, 32, true},
        {3, NAN, NULL, "24,24,8.5", 2, 3, true}, {2, NAN, "x,y", NULL, 1, 15, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = local_problem(test, SAMPLE_LLAMA_8B);
        problem.dep.pp = ROWS[i].devices;
        problem.dep.gpu_layers = ROWS[i].gpu_layers;
        problem.dep.pp_layers = ROWS[i].layers;
        problem.dep.device_memory_gib = ROWS[i].memory_gib;
        struct memory_plan memory = memory_rows_plan(&test->now, problem);
        double output = ROWS[i].output ? OUTPUT + 8192 : 0;
        assert_near(memory.stage, ROWS[i].stage, 0);
        assert_near(memory.kv_bytes, ROWS[i].caches / 32 * GIB, 1e-9);
        assert_near(memory.weights_bytes, ROWS[i].caches * LAYER + output, 1e-5);
        assert_near(memory.kv_bytes_per_token, 131072, 0);
    }
}

/* A local engine's devices are no tensor-parallel ranks, however they are given. */
static void ranks_are_devices(void **state)
{
    const struct local *test = *state;
    struct problem problem = local_problem(test, SAMPLE_LLAMA_8B);
    problem.dep.tp = 4;
    struct memory_plan memory = memory_rows_plan(&test->now, problem);
    assert_near(memory.kv_bytes_per_token, 131072, 0);
    assert_near(memory.kv_bytes, 7 / 32.0 * GIB, 1e-9);
    assert_near(memory.weights_bytes, 7 * LAYER + OUTPUT + 8192, 1e-5);
}

/* Of unequal devices of a pipeline each stage has the least of its own: 79 GiB in the first, 40 in
 * the second; of tensor-parallel ranks the least of all. */
static void unequal_devices(void **state)
{
    const struct local *test = *state;
    struct problem problem = rig_llama(test->rig);
    problem.dep.pp = 2;
    problem.dep.device_memory_gib = "79,40";
    struct memory_plan memory;
    memory_compute(&problem, 1, &memory);
    assert_near(memory.stage, 1, 0);
    assert_near(memory.total_bytes, 40 * GIB, 0);
    problem.dep.pp = 1;
    problem.dep.tp = 2;
    memory_compute(&problem, 1, &memory);
    assert_near(memory.total_bytes, 40 * GIB, 0);
    problem.dep.device_memory_gib = "79";
    memory_compute(&problem, 1, &memory);
    assert_near(memory.total_bytes, 79 * GIB, 0);
    /* Stated layers: 30 of 32 on the first stage. */
    problem.dep.device_memory_gib = NULL;
    problem.dep.tp = 1;
    problem.dep.pp = 2;
    problem.dep.pp_layers = "30,2";
    memory_compute(&problem, 1, &memory);
    assert_near(memory.stage, 0, 0);
    assert_near(memory.layout.groups[0].layers, 30, 1e-12);
}

/* What four slots with contexts of their own share is a quarter each; what they share unified is
 * one's whole. */
static void contexts_of_slots(void **state)
{
    const struct local *test = *state;
    struct problem problem = local_problem(test, SAMPLE_LLAMA_8B);
    problem.lib = &test->now.lib;
    problem.dep.max_num_seqs = 4;
    problem.dep.max_model_len = 131072;
    problem.dep.longest_is_stated = false;
    struct memory_plan memory = memory_rows_plan(&test->now, problem);
    double cells = memory.kv_bytes / 131072;
    assert_true(cells < 4 * 131072.0);
    assert_near(memory_longest_context(&problem, &memory), floor(cells / 4 / 256) * 256, 0);
    problem.dep.kv_unified = true;
    memory = memory_rows_plan(&test->now, problem);
    cells = memory.kv_bytes / 131072;
    assert_near(memory_longest_context(&problem, &memory), floor(cells / 256) * 256, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_are_allocated), cmocka_unit_test(contexts_of_slots),
        cmocka_unit_test(a_context_may_not_fit),  cmocka_unit_test(scores_without_flash_attention),
        cmocka_unit_test(windows_keep_a_batch),   cmocka_unit_test(latents),
        cmocka_unit_test(experts_on_the_host),    cmocka_unit_test(states_and_images),
        cmocka_unit_test(devices_hold_layers),    cmocka_unit_test(ranks_are_devices),
        cmocka_unit_test(unequal_devices),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
