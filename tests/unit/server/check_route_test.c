/* The gate as pipelines ask it: verdicts, statuses, flags of each engine, comparisons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check_kit.h"
#include "compiler.h"

/* Llama-3.1-8B on an H100 passes; Llama-3.1-70B in bf16 (141 GB) does not fit one; a part of the
 * request's own has a floor and no record. */
#define FITS "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}"
#define FITS_NOT "{\"model\":\"llama-3.1-70b\",\"hardware\":\"h100-sxm\"}"
#define NOBODY_KNOWS                                                                               \
    "{\"model\":\"llama-3.1-8b\",\"hardware\":{\"memory_gb\":80,\"mem_bw_gbps\":3000},\"slo\":{"   \
    "\"tpot_ms\":1000}}"

static void a_verdict_is_a_status(void **state)
{
    static const struct {
        const char *query, *body;
        int status;
    } ROWS[] = {
        {"", FITS, 200},
        {"", FITS_NOT, 200},
        {"?gate=0", FITS_NOT, 200},
        {"?gate=1", FITS, 200},
        {"?gate=1", FITS_NOT, 409},
        {"?gate=true&unknown=pass", FITS_NOT, 409},
        {"?gate=1", NOBODY_KNOWS, 409},
        {"?gate=1&unknown=fail", NOBODY_KNOWS, 409},
        {"?gate=1&unknown=pass", NOBODY_KNOWS, 200},
        {"?unknown=fail", NOBODY_KNOWS, 200},
        {"?gate=perhaps", FITS, 422},
        {"?gate", FITS, 422},
        {"?gate=", FITS, 422},
        {"?gate=1&unknown=", FITS, 422},
        {"?unknown=maybe", FITS, 422},
        {"?gate=1&gate=1", FITS, 422},
        {"?gates=1", FITS, 422},
        {"?tolerance=0.1", FITS, 422}, /* of a comparison */
        {"?gate=1", "{\"model\":\"no such model\",\"hardware\":\"h100-sxm\"}", 422},
        {"?gate=1", "{", 400},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char target[100];
        snprintf(target, sizeof(target), "/v1/check%s", ROWS[i].query);
        (void)check_kit_reply(*state, target, ROWS[i].body, ROWS[i].status);
    }
}

static void the_query_asks_the_same(void **state)
{
    int status = 0;
    cJSON *tree = app_kit_json(*state, "/v1/check?model=llama-3.1-70b&hardware=h100-sxm&tp=4", 200);
    assert_string_equal(app_kit_text(tree, "verdict"), "pass");
    cJSON_Delete(tree);
    (void)app_kit_get(*state, "/v1/check?model=llama-3.1-70b&hardware=h100-sxm&tp=3&gate=1",
                      &status);
    assert_int_equal(status, 409);
}

static void the_page_shows_the_verdict(void **state)
{
    int status = 0;
    const char *page = app_kit_get(
        *state, "/plain?format=html&model=llama-3.1-70b&hardware=h100-sxm&tp=3&tpot_ms=30",
        &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(page, "May it roll out? <code>fail</code>"));
    assert_non_null(strstr(page, "<code>--tensor-parallel-size 4</code> passes; devices +33 %"));
    assert_non_null(strstr(page, "/v1/check?"));
}

static void formats_follow_accept_and_query(void **state)
{
    static const struct {
        const char *accept, *query, *type, *beginning;
    } ROWS[] = {
        {NULL, "", "application/json", "{\"verdict\":\"fail\""},
        {"text/plain", "", "text/plain; charset=utf-8", "FAIL llama-3.1-70b"},
        {NULL, "?format=text", "text/plain; charset=utf-8", "FAIL llama-3.1-70b"},
        {NULL, "?format=junit", "application/junit+xml; charset=utf-8", "<?xml version=\"1.0\""},
        {"application/xml", "", "application/xml", "<?xml version=\"1.0\""},
        {"text/xml", "", "text/xml", "<?xml version=\"1.0\""},
        {NULL, "?format=github", "text/x.github-workflow-commands; charset=utf-8", "::error "},
        {NULL, "?format=gitlab", "application/x.gitlab-code-quality+json", "[{\"description\""},
        {"image/png", "", "application/problem+json", "{\"type\""},
        {NULL, "?format=csv", "application/problem+json", "{\"type\""},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char target[100];
        struct reply reply;
        snprintf(target, sizeof(target), "/v1/check%s", ROWS[i].query);
        const char *text = check_kit_post(*state, target, ROWS[i].accept, FITS_NOT, &reply);
        if (strcmp(reply.content_type, ROWS[i].type) != 0 ||
            strncmp(text, ROWS[i].beginning, strlen(ROWS[i].beginning)) != 0)
            fail_msg("row %zu: %s: %.80s", i, reply.content_type, text);
    }
}

#define BODY(MODEL, PART, DEPLOYMENT, LOAD, SLO)                                                   \
    "{\"model\":\"" MODEL "\",\"hardware\":\"" PART "\",\"deployment\":{" DEPLOYMENT               \
    "},\"workload\":{" LOAD "},\"slo\":{" SLO "}}"

#define TP3(ENGINE) BODY("llama-3.1-70b", "h100-sxm", "\"engine\":\"" ENGINE "\",\"tp\":3", "", "")
#define LONG_MODEL(ENGINE)                                                                         \
    BODY("llama-3.1-8b", "rtx-5090",                                                               \
         "\"engine\":\"" ENGINE "\",\"weights\":\"bf16\",\"max_model_len\":131072", "", "")

/*
 * The engines' own spelling: vllm serve --help; sglang.launch_server --help; trtllm-serve --help;
 * text-generation-launcher --help; llama-server --help.
 */
static void a_cure_is_a_flag_of_the_engine(void **state)
{
    static const struct {
        const char *body, *check, *flag;
    } ROWS[] = {
        {TP3("vllm"), "tp_divides_heads", "--tensor-parallel-size 4"},
        {TP3("sglang"), "tp_divides_heads", "--tensor-parallel-size 4"},
        {TP3("trtllm"), "tp_divides_heads", "--tensor_parallel_size 4"},
        {TP3("tgi"), "tp_divides_heads", "--num-shard 4"},
        {LONG_MODEL("vllm"), "max_model_len_servable", "--max-model-len "},
        {LONG_MODEL("sglang"), "max_model_len_servable", "--context-length "},
        {BODY("llama-3.1-8b", "h100-sxm", "\"max_model_len\":2048",
              "\"input_tokens\":4096,\"output_tokens\":256", ""),
         "request_fits_max_model_len", "--max-model-len 4352"},
        {BODY("mixtral-8x7b", "h100-sxm", "\"tp\":8,\"ep\":4", "", ""), "ep_divides_experts",
         "--enable-expert-parallel"},
        {BODY("llama-3.1-8b", "h100-sxm", "\"weights\":\"q4_k_m\",\"engine\":\"trtllm\"", "", ""),
         "engine_supports_format", "a checkpoint in "},
        {BODY("llama-3.2-3b", "t4",
              "\"engine\":\"vllm\",\"engine_version\":\"0.8.4\",\"max_model_len\":4096", "", ""),
         "engine_supports_format", "--dtype half"},
        {BODY("llama-3.1-8b", "h100-sxm", "\"pp\":33", "", ""), "pp_divides_layers",
         "--pipeline-parallel-size 1"},
        {BODY("llama-3.1-8b", "h100-sxm", "",
              "\"concurrency\":2000,\"input_tokens\":8192,\"output_tokens\":512", ""),
         "kv_holds_concurrency", "replicas (/deployment/replicas="},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        cJSON *tree = check_kit_json(*state, "/v1/check", ROWS[i].body, 200);
        const cJSON *check = check_kit_find(app_kit_at(tree, "checks"), ROWS[i].check);
        bool found = false;
        assert_non_null(check);
        assert_string_equal(app_kit_text(check, "verdict"), "fail");
        const cJSON *cure = NULL, *flag = NULL;
        cJSON_ArrayForEach(cure, app_kit_at(check, "cures"))
        {
            cJSON_ArrayForEach(flag, app_kit_at(cure, "flags")) found |=
                strstr(flag->valuestring, ROWS[i].flag) != NULL;
            /* Each stands in the reply's own list, with its effect. */
            assert_non_null(check_kit_find(app_kit_at(tree, "cures"), app_kit_text(cure, "id")));
        }
        if (!found) {
            char *shown = cJSON_Print(app_kit_at(check, "cures"));
            fail_msg("row %zu: no %s in %s", i, ROWS[i].flag, shown);
        }
        cJSON_Delete(tree);
    }
}

/* The deployment's leaves after a cure's change, as members of an object; false where one lies
 * deeper. tp is 2 unless the cure sets it. */
static bool write_leaves(const cJSON *cure, char *out, size_t size)
{
    const cJSON *change = NULL;
    bool tp = false;
    size_t length = 0;
    cJSON_ArrayForEach(change, app_kit_at(cure, "change"))
    {
        const char *name = change->string + strlen("/deployment/");
        char *value = cJSON_PrintUnformatted(change);
        bool deeper = strchr(name, '/') != NULL;
        tp |= strcmp(name, "tp") == 0;
        length += (size_t)snprintf(out + length, size - length, "\"%s\":%s,", name, value);
        cJSON_free(value);
        if (deeper)
            return false;
    }
    snprintf(out + length, size - length, tp ? "\"pp\":1" : "\"tp\":2");
    return true;
}

/* Two GPUs for four ranks do not start. */
static void devices_handed_over_are_checked(void **state)
{
    static const struct {
        int visible;
        const char *verdict;
    } ROWS[] = {{4, "pass"}, {2, "fail"}};

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char body[400];
        snprintf(body, sizeof(body),
                 "{\"command\":\"CUDA_VISIBLE_DEVICES=%s vllm serve "
                 "meta-llama/Llama-3.1-70B-Instruct -tp 4 --max-model-len 8192\","
                 "\"hardware\":\"h100-sxm\"}",
                 ROWS[i].visible == 4 ? "0,1,2,3" : "0,1");
        cJSON *tree = check_kit_json(*state, "/v1/check", body, 200);
        const cJSON *check = check_kit_find(app_kit_at(tree, "checks"), "devices_match");
        assert_string_equal(app_kit_text(check, "verdict"), ROWS[i].verdict);
        assert_true(app_kit_number(check, "limit") == ROWS[i].visible);
        assert_string_equal(app_kit_text(tree, "verdict"), ROWS[i].verdict);
        cJSON_Delete(tree);
    }
}

/* So do more ranks than the part's name has devices; a machine's devices may stay idle. AWS lists
 * four A10G in a g5.12xlarge. */
static void devices_of_a_name_are_checked(void **state)
{
    static const struct {
        const char *hardware;
        int tp, limit;
        const char *verdict;
    } ROWS[] = {
        {"4x H100", 8, 4, "fail"},
        {"g5.12xlarge", 8, 4, "fail"},
        {"4x H100", 4, 4, "pass"},
        {"g5.12xlarge", 2, 4, "pass"},
        {"h100-sxm", 8, 0, NULL},
        {"GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-a)\\nGPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-b)",
         4, 2, "fail"},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char body[400];
        snprintf(body, sizeof(body),
                 "{\"command\":\"vllm serve meta-llama/Llama-3.1-8B-Instruct -tp %d "
                 "--max-model-len 8192\",\"hardware\":\"%s\"}",
                 ROWS[i].tp, ROWS[i].hardware);
        bool fails = ROWS[i].verdict && strcmp(ROWS[i].verdict, "fail") == 0;
        cJSON *tree = check_kit_json(*state, "/v1/check?gate=1", body, fails ? 409 : 200);
        const cJSON *check = check_kit_find(app_kit_at(tree, "checks"), "devices_match");
        if (ROWS[i].verdict) {
            assert_non_null(check);
            assert_string_equal(app_kit_text(check, "verdict"), ROWS[i].verdict);
            assert_true(app_kit_number(check, "limit") == ROWS[i].limit);
        } else {
            assert_null(check);
        }
        cJSON_Delete(tree);
    }
}

/*
 * What engines refuse whatever the hardware. Positions: config.json of Qwen2.5-7B-Instruct, 32,768,
 * and of Llama-3.1-8B, 131,072; vLLM's own messages are in vllm/config/model.py (max_model_len,
 * quantization) and vllm/config/scheduler.py (max_num_batched_tokens).
 */
static void launches_that_engines_refuse(void **state)
{
    static const struct {
        const char *command, *check, *verdict, *flag;
    } ROWS[] = {
        {"vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 262144",
         "model_takes_max_model_len", "fail", "--max-model-len 131072"},
        {"vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 65536", "model_takes_max_model_len",
         "fail", "--max-model-len 32768"},
        {"VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len "
         "65536",
         "model_takes_max_model_len", "pass", NULL},
        {"vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 65536 --hf-overrides "
         "'{\\\"rope_scaling\\\":{\\\"factor\\\":4.0}}'",
         "model_takes_max_model_len", "pass", NULL},
        {"python -m sglang.launch_server --model-path Qwen/Qwen2.5-7B-Instruct --context-length "
         "65536",
         "model_takes_max_model_len", "fail", "--context-length 32768"},
        {"SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1 python -m sglang.launch_server --model-path "
         "Qwen/Qwen2.5-7B-Instruct --context-length 65536",
         "model_takes_max_model_len", "pass", NULL},
        {"vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 32768", "model_takes_max_model_len",
         "pass", NULL},
        {"vllm serve meta-llama/Llama-3.1-8B-Instruct --max-num-seqs 4096 "
         "--max-num-batched-tokens 1024",
         "step_holds_max_num_seqs", "fail", "--max-num-batched-tokens 4096"},
        {"vllm serve meta-llama/Llama-3.1-8B-Instruct --max-num-seqs 1024 "
         "--max-num-batched-tokens 1024",
         "step_holds_max_num_seqs", "pass", NULL},
        {"vllm serve Qwen/Qwen2.5-7B-Instruct-AWQ --quantization gptq",
         "quantization_of_checkpoint", "fail", "--quantization awq"},
        {"vllm serve Qwen/Qwen2.5-7B-Instruct-AWQ --quantization awq", "quantization_of_checkpoint",
         "pass", NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char body[500];
        snprintf(body, sizeof(body), "{\"command\":\"%s\",\"hardware\":\"h100-sxm\"}",
                 ROWS[i].command);
        cJSON *tree = check_kit_json(*state, "/v1/check", body, 200);
        const cJSON *check = check_kit_find(app_kit_at(tree, "checks"), ROWS[i].check);
        if (!check || strcmp(app_kit_text(check, "verdict"), ROWS[i].verdict) != 0)
            fail_msg("row %zu: %s", i, check ? app_kit_text(check, "verdict") : "no such check");
        bool found = !ROWS[i].flag;
        const cJSON *cure = NULL, *flag = NULL;
        cJSON_ArrayForEach(cure, app_kit_at(check, "cures"))
        {
            cJSON_ArrayForEach(flag, app_kit_at(cure, "flags")) found |=
                strstr(flag->valuestring, ROWS[i].flag) != NULL;
        }
        if (!found)
            fail_msg("row %zu: no %s in %s", i, ROWS[i].flag, cJSON_Print(check));
        cJSON_Delete(tree);
    }
}

/* An L4 holds 8 sequences of 4,608 tokens of Llama-3-8B in bf16, of 64; halves of bytes together on
 * two of them hold the 64. Eleven copies would too, and come behind. */
static void changes_are_combined(void **state)
{
    cJSON *tree =
        app_kit_json(*state,
                     "/v1/check?model=llama-3-8b&hardware=l4&concurrency=64&input_tokens=4096"
                     "&output_tokens=512&tpot_ms=50&max_model_len=8192",
                     200);
    const cJSON *check = check_kit_find(app_kit_at(tree, "checks"), "kv_holds_concurrency");
    const cJSON *first = app_kit_at(check, "cures")->child;
    assert_string_not_equal(app_kit_text(first, "id"), "more_replicas");
    const cJSON *cure = check_kit_find(app_kit_at(tree, "cures"), "fp8_and_tp");
    assert_true(app_kit_number(cure, "effect/devices") == 1);
    assert_true(cJSON_GetArraySize(app_kit_at(cure, "flags")) == 3);
    cJSON_Delete(tree);
}

#define A100_40(DEPLOYMENT, LOAD) BODY("qwen3-32b", "a100-sxm-40gb", DEPLOYMENT, LOAD, "")

/* A deployment that lacks memory for its longest request is told the flags that cost no device
 * first, and what they cost: longer requests are refused. */
static void memory_is_cured_by_flags_first(void **state)
{
    const char *text =
        check_kit_reply(*state, "/v1/check?format=text",
                        A100_40("\"tp\":2,\"max_model_len\":40960", "\"concurrency\":4"), 200);
    const char *at = strstr(text, "memory_fits: ");
    assert_non_null(at);
    const char *fix = strstr(at, "fix: ");
    assert_non_null(fix);
    assert_int_equal(strncmp(fix, "fix: --tensor", 13) == 0, 0);
    assert_non_null(strstr(at, "--max-model-len "));
    assert_non_null(strstr(at, "longer requests are refused"));
    assert_null(strstr(text, "no other effect"));
}

/* A cure that is applied to the request gives the verdict that it promised. */
static void a_cure_holds_what_it_promises(void **state)
{
    static const char BEFORE[] =
        "{\"model\":\"llama-3.1-70b\",\"hardware\":\"h100-sxm\",\"deployment\":{";
    static const char AFTER[] =
        "},\"workload\":{\"concurrency\":32,\"input_tokens\":4096},\"slo\":{\"ttft_ms\":5000}}";
    char body[900], leaves[400];
    const cJSON *cure = NULL;
    int n = 0;
    snprintf(body, sizeof(body), "%s\"tp\":2%s", BEFORE, AFTER);
    cJSON *promised = check_kit_json(*state, "/v1/check", body, 200);
    cJSON_ArrayForEach(cure, app_kit_at(promised, "cures"))
    {
        if (!write_leaves(cure, leaves, sizeof(leaves)))
            continue;
        snprintf(body, sizeof(body), "%s%s%s", BEFORE, leaves, AFTER);
        cJSON *after = check_kit_json(*state, "/v1/check", body, 200);
        assert_string_equal(app_kit_text(after, "verdict"), app_kit_text(cure, "verdict"));
        cJSON_Delete(after);
        n++;
    }
    assert_true(n > 0);
    cJSON_Delete(promised);
}

/* Comparisons ---------------------------------------------------------------------------------- */

#define TWO(BASELINE, CANDIDATE)                                                                   \
    "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"workload\":{\"concurrency\":32},"     \
    "\"baseline\":{\"deployment\":{" BASELINE "}},\"candidate\":{\"deployment\":{" CANDIDATE "}}}"

/* Half the bytes per weight are faster; fp8 KV holds twice the tokens. */
/* 57 ms per token of 64 requests at a limit of 40: sixteen of them at a time would keep it, and the
 * others would wait a hundred times as long. That comes behind what serves all of them. */
static void what_ruins_the_rest_is_not_the_first_advice(void **state)
{
    cJSON *tree = app_kit_json(
        *state,
        "/v1/check?model=llama-3.1-70b&hardware=h100-sxm&tp=4&concurrency=64&input_tokens=4000"
        "&output_tokens=500&tpot_ms=40&kv_cache=fp8&max_model_len=32768",
        200);
    const cJSON *cures = app_kit_at(tree, "cures"), *cure;
    int ruinous = 0;

    assert_string_equal(app_kit_text(tree, "verdict"), "fail");
    assert_true(app_kit_number(cures->child, "effect/output_tok_s") > -0.25);
    cJSON_ArrayForEach(cure, cures) ruinous += app_kit_number(cure, "effect/ttft") > 3;
    assert_true(ruinous > 0);
    cJSON_Delete(tree);
}

static void a_regression_closes_the_gate(void **state)
{
    static const struct {
        const char *query, *body;
        int status;
    } ROWS[] = {
        {"?gate=1", TWO("", ""), 200},
        {"?gate=1", TWO("\"weights\":\"bf16\"", "\"weights\":\"fp8\""), 200},
        {"?gate=1", TWO("\"weights\":\"fp8\"", "\"weights\":\"bf16\""), 409},
        {"?gate=1&tolerance=10", TWO("\"weights\":\"fp8\"", "\"weights\":\"bf16\""), 200},
        {"?gate=1&tolerance=0.0", TWO("\"kv_cache\":\"fp8\"", "\"kv_cache\":\"bf16\""), 409},
        {"", TWO("\"weights\":\"fp8\"", "\"weights\":\"bf16\""), 200},
        {"?gate=1&tolerance=11", TWO("", ""), 422},
        {"?gate=1&tolerance=-1", TWO("", ""), 422},
        {"?gate=1&tolerance=", TWO("", ""), 200},
        {"?gate=1&tolerance=1e3", TWO("", ""), 422},
        {"?gate=1", "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"baseline\":{}}", 422},
        {"?gate=1", "{\"baseline\":1,\"candidate\":{}}", 422},
        {"?gate=1", "[]", 422},
        {"?gate=1", TWO("\"tpp\":1", ""), 422},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char target[100];
        snprintf(target, sizeof(target), "/v1/compare%s", ROWS[i].query);
        (void)check_kit_reply(*state, target, ROWS[i].body, ROWS[i].status);
    }
}

static void a_comparison_shows_both(void **state)
{
    cJSON *tree = check_kit_json(*state, "/v1/compare",
                                 TWO("\"weights\":\"fp8\"", "\"weights\":\"bf16\""), 200);
    const cJSON *change = app_kit_at(tree, "changes")->child;
    assert_string_equal(app_kit_text(tree, "verdict"), "fail");
    assert_string_equal(app_kit_text(change, "pointer"), "/deployment/weights");
    assert_string_equal(app_kit_text(change, "baseline"), "fp8");
    assert_string_equal(app_kit_text(change, "candidate"), "bf16");
    double before = app_kit_number(tree, "latency/tpot_ms/baseline");
    double after = app_kit_number(tree, "latency/tpot_ms/candidate");
    assert_true(after > before * 1.2);
    assert_true(fabs(app_kit_number(tree, "latency/tpot_ms/change") - (after / before - 1)) < 1e-6);
    assert_true(app_kit_number(tree, "baseline/latency/tpot_ms/expected") == before);
    const cJSON *check = check_kit_find(app_kit_at(tree, "checks"), "tpot_no_regression");
    assert_string_equal(app_kit_text(check, "verdict"), "fail");
    assert_true(fabs(app_kit_number(check, "limit") / before - 1.05) < 1e-4);
    /* Going back is among the cures. */
    assert_non_null(strstr(check_kit_reply(*state, "/v1/compare?format=text",
                                           TWO("\"weights\":\"fp8\"", "\"weights\":\"bf16\""), 200),
                           "fp8"));
    cJSON_Delete(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verdict_is_a_status),
        cmocka_unit_test(the_query_asks_the_same),
        cmocka_unit_test(formats_follow_accept_and_query),
        cmocka_unit_test(the_page_shows_the_verdict),
        cmocka_unit_test(a_cure_is_a_flag_of_the_engine),
        cmocka_unit_test(devices_handed_over_are_checked),
        cmocka_unit_test(devices_of_a_name_are_checked),
        cmocka_unit_test(changes_are_combined),
        cmocka_unit_test(launches_that_engines_refuse),
        cmocka_unit_test(memory_is_cured_by_flags_first),
        cmocka_unit_test(a_cure_holds_what_it_promises),
        cmocka_unit_test(what_ruins_the_rest_is_not_the_first_advice),
        cmocka_unit_test(a_regression_closes_the_gate),
        cmocka_unit_test(a_comparison_shows_both),
    };

    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
