/* Defaults that launch records give: what an InferenceX run was started with, and what engines do
 * by themselves. Expected values are those of the scripts that the records cite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../figures.h"
#include "compiler.h"
#include "intake_kit.h"

#define INFERENCEX "load_generator=inferencex"

static const struct default_row {
    const char *query;
    const char *leaves; /* of the resolved request, comma between */
} DEFAULTS[] = {
    /* dsr1_fp4_b200.sh: recv interval 30 from 16 users */
    {"model=deepseek-r1&hardware=b200-sxm&engine=sglang&weights=fp4&tp=4&concurrency=16&input_"
     "tokens=1024&output_tokens=1024&" INFERENCEX,
     "kv_cache fp8,chunked_prefill_tokens 16384,max_num_seqs 256,memory_utilization 0.85,"
     "stream_interval 10,receive_interval 30,prefix_caching false,requests 160,"
     "length_range_ratio 0.8"},
    {"model=deepseek-r1&hardware=b200-sxm&engine=sglang&weights=fp4&tp=4&concurrency=8&" INFERENCEX,
     "receive_interval 10,requests 80"},
    /* dsr1_fp8_h200.sh: 512 running at 1k/1k, 256 else; no receive interval; KV auto */
    {"model=deepseek-r1&hardware=h200-sxm&engine=sglang&weights=fp8_block&tp=8&concurrency=64&"
     "input_tokens=1024&output_tokens=1024&" INFERENCEX,
     "kv_cache bf16,chunked_prefill_tokens 32768,max_num_seqs 512,memory_utilization 0.82,"
     "receive_interval 1"},
    {"model=deepseek-r1&hardware=h200-sxm&engine=sglang&weights=fp8_block&tp=8&concurrency=64&"
     "input_tokens=8192&output_tokens=1024&" INFERENCEX,
     "max_num_seqs 256"},
    /* dsr1_fp8_b300.sh: TP8 and TP4 */
    {"model=deepseek-v3&hardware=b300-sxm&engine=sglang&weights=fp8_block&tp=8&concurrency=32&"
     "input_tokens=8192&output_tokens=1024&" INFERENCEX,
     "chunked_prefill_tokens 32768,max_num_seqs 128,memory_utilization 0.82,receive_interval 30"},
    {"model=deepseek-v3&hardware=b300-sxm&engine=sglang&weights=fp8_block&tp=4&concurrency=32&"
     "input_tokens=8192&output_tokens=1024&" INFERENCEX,
     "chunked_prefill_tokens 8192,max_num_seqs 32,memory_utilization 0.95,receive_interval 10,"
     "kv_cache fp8,stream_interval 30"},
    /* 70b_fp4_b200_trt_slurm.sh: the batch wait at 1k/1k below TP8 only */
    {"model=llama-3.1-70b&hardware=b200-sxm&engine=tensorrt-llm&weights=nvfp4&tp=2&concurrency=4&"
     "input_tokens=1024&output_tokens=1024&" INFERENCEX,
     "kv_cache fp8,chunked_prefill_tokens 16384,batch_wait_steps 20,batch_wait_share 0.9,"
     "stream_interval 10,prefix_caching false"},
    {"model=llama-3.1-70b&hardware=b200-sxm&engine=tensorrt-llm&weights=nvfp4&tp=8&concurrency=4&"
     "input_tokens=1024&output_tokens=1024&" INFERENCEX,
     "batch_wait_steps 0,batch_wait_share 0"},
    /* dsr1_fp8_b200_trt: one prompt in a step until 1.1, at least 8192 tokens from 1.2 */
    {"model=deepseek-r1&hardware=b200-sxm&engine=tensorrt-llm&engine_version=1.1.0rc2.post2&"
     "weights=fp8_block&tp=8&ep=8&concurrency=64&input_tokens=1024&output_tokens=8192&" INFERENCEX,
     "chunked_prefill_tokens 1152,batch_wait_steps 0,kv_cache fp8,memory_utilization 0.8"},
    {"model=deepseek-r1&hardware=b200-sxm&engine=tensorrt-llm&engine_version=1.2.0rc6.post2&"
     "weights=fp8_block&tp=8&ep=8&concurrency=64&input_tokens=1024&output_tokens=1024&" INFERENCEX,
     "chunked_prefill_tokens 8192,batch_wait_steps 40,batch_wait_share 0.8"},
    /* 1.2.0rc6.post3 is the image of the MTP runs: ((3 + 1) 32 + 1024 + 127) / 64 * 64 */
    {"model=deepseek-r1&hardware=b200-sxm&engine=tensorrt-llm&engine_version=1.2.0rc6.post3&"
     "weights=fp8_block&tp=8&ep=8&concurrency=32&input_tokens=1024&output_tokens=1024&" INFERENCEX,
     "speculative.method mtp,speculative.tokens 3,chunked_prefill_tokens 1216,max_num_seqs 32"},
    {"model=deepseek-r1&hardware=b200-sxm&engine=tensorrt-llm&engine_version=1.2.0rc6.post3&"
     "weights=fp8_block&tp=1&dp=8&ep=8&concurrency=256&input_tokens=1024&output_tokens="
     "1024&" INFERENCEX,
     "speculative.method mtp,speculative.tokens 1"},
    /* gptoss_fp4_b200.sh: fp8 KV from vLLM 0.11.2 */
    {"model=gpt-oss-120b&hardware=b200-sxm&engine=vllm&engine_version=0.11.0&tp=1&" INFERENCEX,
     "kv_cache bf16,max_num_seqs 512,async_scheduling true"},
    {"model=gpt-oss-120b&hardware=b200-sxm&engine=vllm&engine_version=0.15.1&tp=1&" INFERENCEX,
     "kv_cache fp8,max_num_seqs 512,chunked_prefill_tokens 8192"},
    {"model=gpt-oss-120b&hardware=h100-sxm&engine=vllm&engine_version=0.18.0&tp=2&concurrency="
     "48&" INFERENCEX,
     "kv_cache bf16,max_num_seqs 48"},
    /* minimaxm2.5_fp8_b200.sh: the recipe of 0.19 */
    {"model=minimax-m2&hardware=b200-sxm&engine=vllm&engine_version=0.17.0&tp=4&ep=4&"
     "input_tokens=8192&" INFERENCEX,
     "kv_cache bf16,chunked_prefill_tokens 8192,memory_utilization 0.95,stream_interval 1"},
    {"model=minimax-m2&hardware=b200-sxm&engine=vllm&engine_version=0.19.0&tp=4&ep=4&"
     "input_tokens=8192&" INFERENCEX,
     "kv_cache fp8,chunked_prefill_tokens 16384,memory_utilization 0.9,stream_interval 20"},
    /* qwen3.5_fp4_b200.sh: running requests = max(concurrency, 128) */
    {"model=qwen3.5-397b-a17b&hardware=b200-sxm&engine=sglang&weights=nvfp4&tp=4&concurrency="
     "256&" INFERENCEX,
     "max_num_seqs 256,receive_interval 30"},
    {"model=qwen3.5-397b-a17b&hardware=b300-sxm&engine=sglang&engine_version=0.5.9&"
     "weights=fp8_block&tp=4&concurrency=8&" INFERENCEX,
     "stream_interval 30,max_num_seqs 128,receive_interval 10,chunked_prefill_tokens 32768"},
    {"model=qwen3.5-397b-a17b&hardware=b300-sxm&engine=sglang&engine_version=0.5.10.post1&"
     "weights=fp8_block&tp=4&concurrency=8&" INFERENCEX,
     "stream_interval 50,max_num_seqs 8,receive_interval 10,chunked_prefill_tokens 16384"},
    /* no script of the model: the generation's */
    {"model=qwen3-32b&hardware=b200-sxm&engine=sglang&weights=fp8&tp=2&concurrency=64&" INFERENCEX,
     "kv_cache fp8,receive_interval 30,stream_interval 30"},
    {"model=qwen3-32b&hardware=mi300x&engine=vllm&tp=2&" INFERENCEX,
     "memory_utilization 0.95,kv_cache bf16"},
    /* without a generator: what engines do by themselves */
    {"model=llama-3.1-8b&hardware=h100-sxm&engine=tensorrt-llm&weights=fp8", "kv_cache fp8"},
    {"model=llama-3.1-8b&hardware=b200-sxm&engine=tensorrt-llm&weights=nvfp4", "kv_cache fp8"},
    {"model=llama-3.1-8b&hardware=h100-sxm&engine=tensorrt-llm", "kv_cache bf16"},
    {"model=llama-3.1-8b&hardware=h100-sxm&engine=vllm&weights=fp8", "kv_cache bf16"},
    {"model=llama-3.1-8b&hardware=b200-sxm&engine=vllm&weights=nvfp4", "kv_cache fp8"},
    {"model=llama-3.1-8b&hardware=b200-sxm&engine=vllm&engine_version=0.9.0&weights=nvfp4",
     "kv_cache bf16"},
    {"model=llama-3.1-8b&hardware=h100-sxm&engine=sglang&weights=fp8", "kv_cache bf16"},
    {"model=deepseek-v3.2&hardware=b200-sxm&engine=sglang", "kv_cache fp8"},
    {"model=deepseek-v3.2&hardware=h200-sxm&engine=sglang", "kv_cache bf16"},
    {"model=llama-3.1-8b&hardware=rtx-4090", "kv_cache fp16"},
    {"model=llama-2-7b&hardware=h100-sxm&engine=vllm", "kv_cache fp16"},
    /* fp8 is block-scaled where the model's checkpoints are; fp4 is what the model is made in */
    {"model=deepseek-v3&hardware=h200-sxm&weights=fp8", "weights fp8_block"},
    {"model=minimax-m2&hardware=h200-sxm&weights=fp8", "weights fp8_block"},
    {"model=qwen3-235b-a22b&hardware=h200-sxm&weights=fp8", "weights fp8_block"},
    {"model=Qwen3-30B-A3B-FP8&hardware=h200-sxm", "weights fp8_block"},
    {"model=llama-3.1-8b&hardware=h200-sxm&weights=fp8", "weights fp8"},
    {"model=llama-3.1-8b&hardware=h200-sxm&weights=fp8_block", "weights fp8_block"},
    {"model=gpt-oss-120b&hardware=b200-sxm&weights=fp4", "weights mxfp4"},
    {"model=gpt-oss-120b&hardware=b200-sxm&weights=nvfp4", "weights nvfp4"},
    {"model=deepseek-v3&hardware=b200-sxm&weights=fp4", "weights nvfp4"},
    {"model=deepseek-v4-flash&hardware=b200-sxm&weights=fp4", "weights fp8_block"},
    /* whose load it is */
    {"model=llama-3.1-8b&hardware=h100-sxm&concurrency=8&length_range_ratio=0.9",
     "load_generator inferencex,requests 80,length_range_ratio 0.9"},
    {"model=llama-3.1-8b&hardware=h100-sxm&concurrency=8&load_generator=engine_bench",
     "requests 80,length_range_ratio 1"},
    {"model=llama-3.1-8b&hardware=h100-sxm&concurrency=8&requests=7", "load_generator engine_bench,"
                                                                      "requests 7"},
};

static const char *leaf_text(struct kit *kit, const struct reading *reading, enum field_id id)
{
    struct json_out out;
    json_out_init(&out, kit->arena, 256, 4096);
    request_text_leaf(&out, &reading->request, id);
    out_bytes(&out, "", 1);
    return out.text;
}

/* Whether the request has that leaf ("kv_cache fp8"). */
static bool has_leaf(struct kit *kit, const struct reading *reading, const char *leaf,
                     size_t length)
{
    for (int i = 0; i < FIELD_ID_COUNT; i++) {
        const struct plan_request *request = &reading->request;
        if (!request->given[i] && !request->assumed[i]) {
            continue;
        }
        const char *text = leaf_text(kit, reading, (enum field_id)i);
        if (strlen(text) == length && strncmp(text, leaf, length) == 0) {
            return true;
        }
    }
    return false;
}

static void launches_give_defaults(void **state)
{
    struct kit *kit = *state;
    struct reading reading;
    for (size_t i = 0; i < ARRAY_LEN(DEFAULTS); i++) {
        kit_read_query(kit, DEFAULTS[i].query, &reading);
        if (!reading.complete) {
            fail_msg("%s: %s", DEFAULTS[i].query, reading.faults.items[0].detail);
        }
        for (const char *at = DEFAULTS[i].leaves; *at;) {
            size_t length = strcspn(at, ",");
            if (!has_leaf(kit, &reading, at, length)) {
                fail_msg("%s: not %.*s", DEFAULTS[i].query, (int)length, at);
            }
            at += length + (at[length] == ',');
        }
    }
}

/* What is asked as fp8 and as fp8_block of a block-scaled model is one question. */
static void fp8_of_a_block_scaled_model_is_one_question(void **state)
{
    static const char *const MODELS[] = {"deepseek-r1", "qwen3-coder-480b-a35b", "glm-5"};
    struct kit *kit = *state;
    struct reading reading;
    char query[200], *plain;
    for (size_t i = 0; i < ARRAY_LEN(MODELS); i++) {
        (void)snprintf(query, sizeof(query),
                       "model=%s&hardware=h200-sxm&engine=sglang&tp=8&weights=fp8&" INFERENCEX,
                       MODELS[i]);
        kit_read_query(kit, query, &reading);
        assert_true(reading.complete);
        plain = strdup(kit_request_text(kit, &reading));
        (void)snprintf(
            query, sizeof(query),
            "model=%s&hardware=h200-sxm&engine=sglang&tp=8&weights=fp8_block&" INFERENCEX,
            MODELS[i]);
        kit_read_query(kit, query, &reading);
        assert_string_equal(kit_request_text(kit, &reading), plain);
        free(plain);
    }
}

/* Measured runs that their source calls fp8 count as the model's own fp8. */
static void measured_fp8_is_the_models_own(void **state)
{
    struct kit *kit = *state;
    const struct library *lib = &kit->catalogue->lib;
    const struct anchor_index *index = &kit->catalogue->anchors;
    int n = 0;
    for (int i = 0; i < index->n; i++) {
        const struct anchor_point *point = &index->points[i];
        if (point->model >= 0 && point->weights >= 0 &&
            strcmp(lib->models[point->model].id, "deepseek-r1") == 0) {
            assert_string_not_equal(lib->weight_formats[point->weights].id, "fp8");
            n += strcmp(lib->weight_formats[point->weights].id, "fp8_block") == 0;
        }
    }
    assert_true(n > 50);
}

static void the_source_of_a_default_is_named(void **state)
{
    struct kit *kit = *state;
    struct reading reading;
    struct json_out out;
    kit_read_query(kit,
                   "model=deepseek-r1&hardware=b200-sxm&engine=sglang&weights=fp4&tp=4&"
                   "memory_utilization=0.5&" INFERENCEX,
                   &reading);
    assert_true(reading.complete);
    json_out_init(&out, kit->arena, 1024, 65536);
    request_json_assumed_from(&out, &reading.request);
    out_bytes(&out, "", 1);
    assert_non_null(strstr(out.text, "\"/deployment/kv_cache\":"
                                     "\"inferencex-sglang-deepseek-r1-b200-fp4\""));
    assert_non_null(strstr(out.text, "\"/workload/requests\":\"inferencex-client\""));
    /* what was given is no default, what no launch speaks of has none */
    assert_null(strstr(out.text, "memory_utilization"));
    assert_null(strstr(out.text, "block_size"));
    assert_near(reading.request.problem.dep.memory_utilization, 0.5, 1e-12);
}

/* An open loop has no concurrency that a launch could have been started for. */
static void an_open_loop_has_no_flags_of_its_concurrency(void **state)
{
    struct kit *kit = *state;
    struct reading reading;
    kit_read_query(kit,
                   "model=gpt-oss-120b&hardware=h100-sxm&engine=vllm&engine_version=0.18.0&tp=2&"
                   "request_rate=5&" INFERENCEX,
                   &reading);
    assert_true(reading.complete);
    assert_true(isnan(reading.request.problem.load.requests));
    assert_near(reading.request.problem.dep.max_num_seqs, 1024, 0); /* the engine's own */
    assert_near(reading.request.problem.dep.memory_utilization, 0.9, 1e-12);
}

static void speculation_is_refused_by_name(void **state)
{
    struct kit *kit = *state;
    struct reading reading;
    kit_read_query(kit,
                   "model=deepseek-r1&hardware=b200-sxm&engine=tensorrt-llm&"
                   "engine_version=1.2.0rc6.post3&weights=fp8_block&tp=8&ep=8&"
                   "speculative.method=none&" INFERENCEX,
                   &reading);
    assert_true(reading.complete);
    assert_int_equal(reading.request.problem.dep.spec_method, SPEC_NONE);
    assert_near(reading.request.problem.dep.spec_tokens, 0, 0);
    assert_false(reading.request.assumed[FIELD_ID_SPEC_TOKENS]);
}

static bool names_id(const char *const *ids, const char *id)
{
    while (ids && *ids && strcmp(*ids, id) != 0) {
        ids++;
    }
    return ids && *ids;
}

static bool has_launch(const struct library *lib, const struct anchor_point *point)
{
    for (int i = 0; i < lib->n_launches; i++) {
        const struct launch *launch = &lib->launches[i];
        if (names_id(launch->subjects[SUBJECT_MODEL], lib->models[point->model].id) &&
            names_id(launch->subjects[SUBJECT_HARDWARE], lib->hardware[point->hardware].id) &&
            launch->engine == &lib->engines[point->engine]) {
            return true;
        }
    }
    return false;
}

/* Each measured InferenceX run of one node has a launch of its own model and part. */
static void every_measured_cell_has_a_launch(void **state)
{
    struct kit *kit = *state;
    const struct library *lib = &kit->catalogue->lib;
    const struct anchor_index *index = &kit->catalogue->anchors;
    int n = 0;
    for (int i = 0; i < index->n; i++) {
        const struct anchor_point *point = &index->points[i];
        if (!index->generators[i] || strcmp(index->generators[i], "inferencex") != 0 ||
            point->model < 0 || point->hardware < 0 || point->engine < 0 || point->disaggregated) {
            continue;
        }
        bool found = has_launch(lib, point);
        if (!found && strcmp(lib->hardware[point->hardware].id, "gb200") != 0) {
            fail_msg("%s has no launch", index->ids[i]);
        }
        n += found;
    }
    assert_true(n > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_give_defaults),
        cmocka_unit_test(fp8_of_a_block_scaled_model_is_one_question),
        cmocka_unit_test(measured_fp8_is_the_models_own),
        cmocka_unit_test(the_source_of_a_default_is_named),
        cmocka_unit_test(an_open_loop_has_no_flags_of_its_concurrency),
        cmocka_unit_test(speculation_is_refused_by_name),
        cmocka_unit_test(every_measured_cell_has_a_launch),
    };
    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
