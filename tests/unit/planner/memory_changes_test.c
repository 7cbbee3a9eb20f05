/* The smallest changes with which a deployment fits: what is found, in which order, and that each
 * does what it says. */
#include "memory_changes.h"

#include "check.h"
#include "sample_rig.h"

#define GIB BYTES_PER_GIB

struct found {
    struct memory_plan memory;
    struct memory_change changes[MEMORY_CHANGES_MAX];
    int n;
};

static struct found find(const struct problem *problem)
{
    struct found found;
    memory_compute(problem, 1, &found.memory);
    found.n = memory_changes_find(problem, &found.memory, found.changes);
    return found;
}

static const struct memory_change *change_of(const struct found *found, const char *id)
{
    for (int i = 0; i < found->n; i++)
        if (strcmp(found->changes[i].id, id) == 0)
            return &found->changes[i];
    return NULL;
}

static void nothing_to_change(void **state)
{
    struct problem problem = rig_llama(*state);
    const struct found found = find(&problem);
    assert_int_equal(found.memory.verdict, MEMORY_FITS);
    assert_int_equal(found.n, 0);
}

/* Llama-3.1-70B in 16 bits, 141.1 GB: one H100 of 85 GB needs 4 bits, or two devices (70.6 GB of
 * weights and 4.3 beside them in 76.5). */
static void weights_too_large(void **state)
{
    struct rig *rig = *state;
    struct problem problem = sample_problem(rig->sample, SAMPLE_LLAMA_70B, SAMPLE_H100);
    const struct found found = find(&problem);
    assert_true(found.memory.short_by_bytes > 141.1e9 + 0.42e9 - 0.9 * 79.19 * GIB);
    const struct memory_change *bits = change_of(&found, "smaller_weights");
    assert_non_null(bits);
    assert_string_equal(bits->changes[0].pointer, "/deployment/weights");
    assert_string_equal(bits->changes[0].text, "awq");
    const struct memory_change *wide = change_of(&found, "wider_tp");
    assert_non_null(wide);
    assert_near(wide->changes[0].number, 2, 0);
    assert_near(wide->devices, 2, 0);
    assert_true(bits < wide); /* cheaper: it stands first */
    assert_null(change_of(&found, "memory_share"));
    assert_null(change_of(&found, "offload")); /* more than a quarter of the weights */
}

/* What a change says of the pool is what the memory of the changed deployment is. */
static void says_what_is(void **state)
{
    struct rig *rig = *state;
    struct problem problem = sample_problem(rig->sample, SAMPLE_LLAMA_70B, SAMPLE_H100);
    const struct found found = find(&problem);
    const struct memory_change *wide = change_of(&found, "wider_tp");
    assert_non_null(wide);
    struct memory_plan after;
    problem.dep.tp = wide->changes[0].number;
    memory_compute(&problem, 1, &after);
    assert_int_equal(after.verdict, wide->verdict);
    assert_near(after.kv_bytes, wide->kv_bytes, 0);
    assert_near(after.kv_token_capacity, wide->kv_token_capacity, 0);
    assert_near(after.max_concurrency, wide->max_concurrency, 0);
}

/* The 8B in 0.25 of an H100 that is to serve 131,072 tokens: the share that is enough, hundredths
 * up (16 GiB of cache, 15 of weights and 2.1 beside need 0.42); a shorter longest request; fp8
 * alone does not do. */
static void flags_one_after_the_other(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    problem.dep.memory_utilization = 0.25;
    problem.dep.longest_is_stated = true;
    const struct found found = find(&problem);
    assert_false(found.memory.fits);
    const struct memory_change *share = change_of(&found, "memory_share");
    assert_non_null(share);
    double needed =
        (16 * GIB + 16060522496.0 + 33554432 + 0.25 * GIB + 14.85 * 1024 * 128256 + 8192 * 8192.0) /
        (79.19 * GIB);
    assert_true(share->changes[0].number >= needed);
    assert_true(share->changes[0].number <= needed + 0.03);
    const struct memory_change *shorter = change_of(&found, "shorter_max_model_len");
    assert_non_null(shorter);
    assert_true(shorter->changes[0].number <= memory_longest_context(&problem, &found.memory));
    assert_near(fmod(shorter->changes[0].number, 16), 0, 0);
    assert_ptr_equal(change_of(&found, "smaller_kv"), NULL);
}

/* Peaks of the activations: fewer tokens a step, fewer sequences. */
static void peaks(void **state)
{
    struct problem problem = rig_llama(*state);
    problem.dep.max_num_seqs = 4096;            /* 14.85 x 4,096 x 128,256 B: 7.3 GiB */
    problem.dep.chunked_prefill_tokens = 65536; /* 9,126,805,504 B: 8.5 GiB */
    problem.dep.memory_utilization = 0.3;
    struct found found = find(&problem);
    assert_false(found.memory.fits);
    const struct memory_change *steps = change_of(&found, "smaller_steps");
    assert_non_null(steps);
    assert_true(steps->changes[0].number >= 4096);
    problem.dep.chunked_prefill_tokens = 8192;
    problem.dep.max_num_seqs = 8192; /* 14.5 GiB */
    found = find(&problem);
    assert_null(change_of(&found, "smaller_steps"));
    const struct memory_change *sequences = change_of(&found, "fewer_sequences");
    assert_non_null(sequences);
    assert_true(sequences->verdict == MEMORY_FITS && sequences->changes[0].number < 8192);
}

/* Graphs in the budget, a vision tower, weights left to the host. */
static void what_can_be_left_out(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct model model = *problem.model;
    model.vision_params = 4e9;
    problem.model = &model;
    problem.dep.memory_utilization = 0.3; /* 23.8 GiB: 22.5 of weights, 2.1 beside */
    sample_memory_add(rig->sample, sample_constant(RULE_GRAPH_FIXED, 1.5 * GIB));
    sample_memory_add(rig->sample, sample_constant(RULE_GRAPHS_IN_BUDGET, 1));
    const struct found found = find(&problem);
    assert_false(found.memory.fits);
    const struct memory_change *text = change_of(&found, "text_only");
    assert_non_null(text);
    assert_true(text->changes[0].is_bool && text->changes[0].number == 1);
    const struct memory_change *offload = change_of(&found, "offload");
    assert_non_null(offload);
    assert_near(fmod(offload->changes[0].number, GIB), 0, 0);
    assert_true(offload->changes[0].number >= found.memory.short_by_bytes);
    model.vision_params = 2.9e9;
    const struct found less = find(&problem);
    const struct memory_change *graphs = change_of(&less, "no_graphs");
    assert_non_null(graphs);
    assert_true(graphs->changes[0].is_bool && graphs->changes[0].number == 0);
}

/* Where no single flag is enough, two are: DeepSeek-V3's 1.3 TB in 16 bits on one H200 wants both
 * fewer bits and more devices. */
static void two_flags(void **state)
{
    struct rig *rig = *state;
    struct problem problem = sample_problem(rig->sample, SAMPLE_DEEPSEEK_V3, SAMPLE_H100);
    const struct found found = find(&problem);
    assert_true(found.n > 0);
    for (int i = 0; i < found.n; i++) {
        assert_string_equal(found.changes[i].id, "two_flags");
        assert_int_equal(found.changes[i].n_changes, 2);
        assert_true(found.changes[i].fits);
        assert_string_not_equal(found.changes[i].changes[0].pointer,
                                found.changes[i].changes[1].pointer);
    }
}

/* Where a range straddles, what makes it certain; at the head what fits over its range. */
static void ranges(void **state)
{
    struct rig *rig = *state;
    struct memory_constant row = sample_constant(RULE_GRAPH_FIXED, 1 * GIB);
    row.low = 0;
    row.high = 40 * GIB;
    sample_memory_add(rig->sample, row);
    sample_memory_add(rig->sample, sample_constant(RULE_GRAPHS_IN_BUDGET, 1));
    struct problem problem = rig_llama(rig);
    problem.dep.memory_utilization = 0.6;
    const struct found found = find(&problem);
    assert_int_equal(found.memory.verdict, MEMORY_MAY_FIT);
    assert_true(found.memory.fits && found.n > 0);
    bool certain = true;
    for (int i = 0; i < found.n; i++) {
        assert_true(certain || found.changes[i].verdict != MEMORY_FITS);
        certain = found.changes[i].verdict == MEMORY_FITS;
    }
    assert_non_null(change_of(&found, "no_graphs"));
}

/* Local engines have their own formats, and no share. */
static void local_engines(void **state)
{
    struct rig *rig = *state;
    struct problem problem = sample_llama_server(rig->sample, SAMPLE_LLAMA_70B, SAMPLE_RTX5090, 4);
    struct found found = find(&problem);
    assert_false(found.memory.fits);
    assert_null(change_of(&found, "memory_share"));
    problem = sample_llama_server(rig->sample, SAMPLE_LLAMA_8B, SAMPLE_RTX5090, 1);
    problem.load.input_tokens = 128000; /* 16.8 GB beside 16.1 of weights in 33.7 */
    problem.dep.max_model_len = 131072;
    found = find(&problem);
    const struct memory_change *bits = change_of(&found, "smaller_weights");
    assert_non_null(bits);
    assert_string_equal(bits->changes[0].text, "q8_0");
}

/* Four slots of 32,768 tokens of the 8B, 4.29 GB each beside 16.1 GB of weights (less 1.05 of
 * embedding) in 34.2: contexts that are allocated, and the longest of four that are; fewer layers
 * on the device. One step of 256 cells more would not fit. */
static void allocated_contexts(void **state)
{
    struct rig *rig = *state;
    struct problem problem = sample_llama_server(rig->sample, SAMPLE_LLAMA_8B, SAMPLE_RTX5090, 4);
    problem.dep.max_model_len = 65536;
    problem.dep.longest_is_stated = true;
    const struct found found = find(&problem);
    assert_false(found.memory.fits);
    const struct memory_change *shorter = change_of(&found, "shorter_context");
    assert_non_null(shorter);
    assert_null(change_of(&found, "shorter_max_model_len"));
    assert_int_equal(shorter->verdict, MEMORY_FITS);
    assert_string_equal(shorter->changes[0].pointer, "/deployment/max_model_len");
    double length = shorter->changes[0].number;
    assert_near(fmod(length, 256), 0, 0);
    /* Room: the device less weights, buffer and what is found beside; 131,072 B a token. */
    double room = found.memory.total_bytes;
    for (int i = 0; i < MEMORY_TERM_COUNT; i++)
        room -= found.memory.terms[i].bytes;
    assert_true(4 * length * 131072 <= room && 4 * (length + 1024) * 131072 > room - 2 * GIB);
    problem.dep.max_model_len = length;
    assert_int_equal(find(&problem).memory.verdict, MEMORY_FITS);
    assert_near(find(&problem).memory.longest_context, 0, 0); /* of a plan alone */

    problem.dep.max_model_len = 65536;
    const struct memory_change *layers = change_of(&found, "fewer_gpu_layers");
    assert_non_null(layers);
    problem.dep.gpu_layers = layers->changes[0].number;
    assert_int_equal(find(&problem).memory.verdict, MEMORY_FITS);
    problem.dep.gpu_layers += 1;
    assert_int_not_equal(find(&problem).memory.verdict, MEMORY_FITS);
    assert_null(change_of(&found, "experts_on_host"));
}

/* Mixtral 8x7B in 16 bits is 93 GB, 90 of them experts: 2.8 GB a layer stay on the host until the
 * rest fits 34 GB. */
static void experts_on_the_host(void **state)
{
    struct rig *rig = *state;
    struct problem problem = sample_llama_server(rig->sample, SAMPLE_LLAMA_8B, SAMPLE_RTX5090, 1);
    problem.model = &rig->models[SHAPE_MIXTRAL];
    problem.dep.max_model_len = 4096;
    problem.dep.longest_is_stated = true;
    const struct found found = find(&problem);
    assert_false(found.memory.fits);
    const struct memory_change *experts = change_of(&found, "experts_on_host");
    assert_non_null(experts);
    assert_string_equal(experts->changes[0].pointer, "/deployment/cpu_moe_layers");
    double layer = 8 * 3 * 4096.0 * 14336 * 2;
    double least = ceil(found.memory.short_by_bytes / layer);
    assert_true(experts->changes[0].number >= least && experts->changes[0].number <= least + 1);
    problem.dep.cpu_moe_layers = experts->changes[0].number;
    assert_int_equal(find(&problem).memory.verdict, MEMORY_FITS);
    problem.dep.cpu_moe_layers -= 1;
    assert_int_not_equal(find(&problem).memory.verdict, MEMORY_FITS);
}

/* More changes than there is room for: what fits for certain stays. */
static void a_full_list(void **state)
{
    struct rig *rig = *state;
    struct problem problem = rig_llama(rig);
    struct model model = *problem.model;
    model.vision_params = 1e9;
    problem.model = &model;
    problem.dep.max_num_seqs = 4096;
    problem.dep.chunked_prefill_tokens = 65536;
    problem.dep.memory_utilization = 0.33;
    problem.dep.longest_is_stated = true;
    problem.dep.max_model_len = 4096;
    sample_memory_add(rig->sample, sample_constant(RULE_GRAPH_FIXED, 2 * GIB));
    sample_memory_add(rig->sample, sample_constant(RULE_GRAPHS_IN_BUDGET, 1));
    const struct found found = find(&problem);
    assert_true(found.n <= MEMORY_CHANGES_MAX);
    for (int i = 1; i < found.n; i++)
        assert_true(found.changes[i].verdict != MEMORY_FITS ||
                    found.changes[i - 1].verdict == MEMORY_FITS);
}

int main(void)
{
#define TEST(FUNCTION) cmocka_unit_test_setup_teardown(FUNCTION, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        TEST(nothing_to_change),
        TEST(weights_too_large),
        TEST(says_what_is),
        TEST(flags_one_after_the_other),
        TEST(peaks),
        TEST(what_can_be_left_out),
        TEST(two_flags),
        TEST(ranges),
        TEST(local_engines),
        TEST(allocated_contexts),
        TEST(experts_on_the_host),
        TEST(a_full_list),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
