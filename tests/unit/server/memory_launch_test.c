/* Launches as they are described, and what their memory holds: lengths of checkpoints, lengths that
 * an engine fits, weights as logs print them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check_kit.h"

#define GIB 1073741824.0

static cJSON *planned(const struct app_kit *kit, const char *body)
{
    return check_kit_json(kit, "/v1/plan", body, 200);
}

static double term_bytes(const cJSON *plan, const char *name)
{
    const cJSON *term = NULL;
    cJSON_ArrayForEach(term, app_kit_at(plan, "memory/terms"))
    {
        if (strcmp(app_kit_text(term, "term"), name) == 0)
            return app_kit_number(term, "bytes");
    }
    return 0;
}

/* Model cards: "The current config.json is set for context length up to 32,768 tokens" of the
 * instruct checkpoints, 131,072 of the base; 262,144 natively of the releases of 2507; quantised
 * names keep the length. */
static void checkpoints_state_their_lengths(void **state)
{
    static const struct {
        const char *model;
        double length;
    } ROWS[] = {
        {"Qwen/Qwen2.5-32B-Instruct", 32768},
        {"Qwen/Qwen2.5-Coder-32B-Instruct", 32768},
        {"Qwen/Qwen2.5-32B-Instruct-AWQ", 32768},
        {"qwen2.5-14b-instruct", 32768},
        {"Qwen/Qwen2.5-1.5B-Instruct", 32768},
        {"Qwen/Qwen2.5-32B", 131072},
        {"deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", 131072},
        {"deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", 131072},
        {"Qwen/Qwen2.5-7B-Instruct", 32768},
        {"Qwen/Qwen2.5-14B-Instruct-1M", 1010000},
        {"Qwen/Qwen3-30B-A3B", 40960},
        {"Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", 262144},
        {"Qwen/QwQ-32B-Preview", 32768},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char body[256];
        (void)snprintf(body, sizeof(body), "{\"model\":\"%s\",\"hardware\":\"b200-sxm\"}",
                       ROWS[i].model);
        cJSON *plan = planned(*state, body);
        double length = app_kit_number(plan, "request/deployment/max_model_len");
        if (length != ROWS[i].length)
            fail_msg("%s: %.0f instead of %.0f", ROWS[i].model, length, ROWS[i].length);
        cJSON_Delete(plan);
    }
}

/* 32,768 tokens of 64 layers x 8 heads x 256 x 2 B are 8.59 GB: they fit beside 65.5 GB of weights,
 * where 131,072 would not. */
static void the_instruct_length_fits(void **state)
{
    cJSON *check = check_kit_json(*state, "/v1/check",
                                  "{\"command\":\"vllm serve Qwen/Qwen2.5-32B-Instruct\","
                                  "\"hardware\":\"h100-sxm\"}",
                                  200);
    assert_string_equal(app_kit_text(check, "verdict"), "pass");
    cJSON_Delete(check);
}

/* The longest that fits is planned where the engine looks for it: 8 GB less than the model's limit
 * of 131,072 tokens (17.2 GB) leave a pass on an L4. */
static void lengths_that_are_fitted(void **state)
{
    static const char *const BODIES[] = {
        "{\"command\":\"vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len auto\","
        "\"hardware\":\"l4\"}",
        "{\"command\":\"vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len -1\","
        "\"hardware\":\"l4\"}",
    };

    for (size_t i = 0; i < sizeof(BODIES) / sizeof(BODIES[0]); i++) {
        cJSON *check = check_kit_json(*state, "/v1/check", BODIES[i], 200);
        assert_string_equal(app_kit_text(check, "verdict"), "pass");
        cJSON_Delete(check);
        cJSON *plan = planned(*state, BODIES[i]);
        double length = app_kit_number(plan, "request/deployment/max_model_len");
        double low = app_kit_number(plan, "memory/per_device/kv_bytes_low");
        /* 131,072 B a token, in pages of 16. */
        assert_true(length <= low / 131072 && length > low / 131072 - 32);
        cJSON_Delete(plan);
    }
    /* A model that fits whole has its own limit. */
    cJSON *plan = planned(*state, "{\"command\":\"vllm serve meta-llama/Llama-3.1-8B-Instruct "
                                  "--max-model-len auto\",\"hardware\":\"h200-sxm\"}");
    assert_true(app_kit_number(plan, "request/deployment/max_model_len") == 131072);
    cJSON_Delete(plan);
}

/* What engines print of gpt-oss on H100: 65.9651 GiB by Marlin's kernels under 0.10.1
 * (vllm-project/vllm issue 23278), 64.38 by Triton's under 0.14.1 (issue 33155), 13.47 of the small
 * one (llm-d-benchmark, empirical-vllm-memory-results.md). */
static void mxfp4_weights(void **state)
{
    static const struct {
        const char *model, *version;
        double gib;
    } ROWS[] = {
        {"gpt-oss-120b", "0.10.1", 65.9651},
        {"gpt-oss-120b", "0.14.1", 64.38},
        {"gpt-oss-20b", "0.14.1", 13.47},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char body[256];
        (void)snprintf(body, sizeof(body),
                       "{\"model\":\"%s\",\"hardware\":\"h100-sxm\",\"deployment\":{\"engine\":"
                       "\"vllm\",\"engine_version\":\"%s\"}}",
                       ROWS[i].model, ROWS[i].version);
        cJSON *plan = planned(*state, body);
        double gib = (term_bytes(plan, "weights") + term_bytes(plan, "rope")) / GIB;
        if (!(fabs(gib / ROWS[i].gib - 1) < 0.005))
            fail_msg("%s %s: %.3f GiB instead of %.3f", ROWS[i].model, ROWS[i].version, gib,
                     ROWS[i].gib);
        cJSON_Delete(plan);
    }
}

/* A refusal of vLLM names the length that did not fit: that one is planned, not the model's. */
static void logs_state_the_length(void **state)
{
    cJSON *plan = planned(
        *state,
        "{\"model\":\"Qwen/Qwen2.5-32B\",\"hardware\":\"h100-sxm\",\"log\":\"INFO Model loading "
        "took 61.04 GiB\\nValueError: The model's max seq len (32768) is larger than the "
        "maximum number of tokens that can be stored in KV cache (29120).\"}");
    assert_true(app_kit_number(plan, "request/deployment/max_model_len") == 32768);
    cJSON_Delete(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkpoints_state_their_lengths),
        cmocka_unit_test(the_instruct_length_fits),
        cmocka_unit_test(lengths_that_are_fitted),
        cmocka_unit_test(mxfp4_weights),
        cmocka_unit_test(logs_state_the_length),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
