/* Command lines over HTTP: as "command" of a request, as a bare body, on both sides of a
 * comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <curl/curl.h>

#include "harness.h"

#define JSON_TYPE "Content-Type: application/json"
#define TEXT_TYPE "Content-Type: text/plain"

/* POSTs a body; the reply's tree is the caller's. */
static cJSON *post(const struct daemon *daemon, const char *target, const char *type,
                   const char *body, long status)
{
    const char *headers[] = {type, NULL};
    struct http_reply reply;

    http_request(daemon, "POST", target, headers, body, &reply);
    if (reply.status != status)
        fail_msg("%s: %ld, expected %ld: %s", target, reply.status, status, reply.body);
    cJSON *tree = cJSON_Parse(reply.body);
    if (!tree)
        fail_msg("%s: no JSON: %.200s", target, reply.body);
    reply_done(&reply);
    return tree;
}

/* The leaf at a path of names, "request/deployment/tp", printed; the text is the caller's. */
static char *leaf(const cJSON *tree, const char *path)
{
    char name[64];

    while (tree && *path) {
        size_t length = strcspn(path, "/");
        assert_true(length < sizeof(name));
        memcpy(name, path, length);
        name[length] = '\0';
        tree = cJSON_IsArray(tree) ? cJSON_GetArrayItem(tree, name[0] - '0')
                                   : cJSON_GetObjectItemCaseSensitive(tree, name);
        path += length;
        path += *path == '/';
    }
    return tree ? cJSON_PrintUnformatted(tree) : NULL;
}

static void assert_leaf(const cJSON *tree, const char *path, const char *expected)
{
    char *got = leaf(tree, path);

    if (!got || strcmp(got, expected) != 0)
        fail_msg("%s: %s, expected %s", path, got ? got : "nothing", expected);
    cJSON_free(got);
}

/* What was read is in the reply: leaves, flags that change nothing, what was contradicted; the
 * command itself is not. */
static void the_reply_says_what_was_read(void **state)
{
    cJSON *tree = post(*state, "/v1/plan", JSON_TYPE,
                       "{\"hardware\":\"h100-sxm\",\"command\":\"HF_TOKEN=hf_secret vllm serve "
                       "meta-llama/Llama-3.1-70B-Instruct -tp 4 --max-model-len 16k "
                       "--disable-log-requests\",\"deployment\":{\"max_model_len\":8192}}",
                       200);

    assert_leaf(tree, "request/model", "\"llama-3.1-70b\"");
    assert_leaf(tree, "request/deployment/engine", "\"vllm\"");
    assert_leaf(tree, "request/deployment/tp", "4");
    assert_leaf(tree, "request/deployment/max_model_len", "8192");
    assert_leaf(tree, "request/command", "null");
    assert_leaf(tree, "ignored_flags", "[\"--disable-log-requests\"]");
    char *text = cJSON_PrintUnformatted(tree);
    assert_non_null(strstr(text, "\"id\":\"command_contradicted\",\"pointer\":\"/command\""));
    assert_null(strstr(text, "hf_secret"));
    cJSON_free(text);
    cJSON_Delete(tree);
}

/* A body of text/plain is the command, the query says the rest. */
static void a_bare_command_is_a_body(void **state)
{
    static const char COMMAND[] = "docker run --gpus all -p 8000:8000 vllm/vllm-openai:v0.10.1 \\\n"
                                  "    --model Qwen/Qwen3-32B-AWQ --tensor-parallel-size 2 \\\n"
                                  "    --max-model-len 32768\n";
    cJSON *tree = post(*state, "/v1/plan?hardware=a100-sxm-80gb&concurrency=16&input_tokens=2048",
                       TEXT_TYPE "; charset=utf-8", COMMAND, 200);

    assert_leaf(tree, "request/model", "\"qwen3-32b\"");
    assert_leaf(tree, "request/hardware", "\"a100-sxm-80gb\"");
    assert_leaf(tree, "request/deployment/engine_version", "\"0.10.1\"");
    assert_leaf(tree, "request/deployment/weights", "\"awq\"");
    assert_leaf(tree, "request/deployment/tp", "2");
    assert_leaf(tree, "request/workload/concurrency", "16");
    assert_leaf(tree, "request/workload/input_tokens", "2048");
    cJSON_Delete(tree);
    tree = post(*state, "/v1/check?hardware=h100-sxm&gate=1", TEXT_TYPE,
                "vllm serve meta-llama/Llama-3.1-405B-Instruct -tp 2", 409);
    assert_leaf(tree, "verdict", "\"fail\"");
    cJSON_Delete(tree);
}

static void faults_name_the_flag_and_the_place(void **state)
{
    cJSON *tree = post(*state, "/v1/check", TEXT_TYPE,
                       "vllm serve Qwen/Qwen3-8B --gpu-memory-utilisation 0.9 -tp two", 422);

    assert_leaf(tree, "errors/0/pointer", "\"\"");
    assert_leaf(tree, "errors/0/detail", "\"--gpu-memory-utilisation is not a flag of vLLM\"");
    assert_leaf(tree, "errors/0/suggestion", "\"--gpu-memory-utilization\"");
    assert_leaf(tree, "errors/1/detail", "\"-tp: expected a number, got \\\"two\\\"\"");
    assert_leaf(tree, "errors/2/pointer", "\"?hardware\"");
    cJSON_Delete(tree);
    tree = post(*state, "/v1/plan?hardware=h100-sxm&command=x", TEXT_TYPE, "vllm serve gpt2", 422);
    assert_leaf(tree, "errors/0/pointer", "\"?command\"");
    cJSON_Delete(tree);
    tree = post(*state, "/v1/compare", JSON_TYPE,
                "{\"hardware\":\"h100-sxm\",\"baseline\":{\"command\":\"vllm serve gpt2\"},"
                "\"candidate\":{\"command\":\"vllm serve gpt2 --tq 2\"}}",
                422);
    assert_leaf(tree, "errors/0/pointer", "\"/candidate/command\"");
    cJSON_Delete(tree);
}

/* A side's own command goes before what both share, its own leaves before its command. */
static void both_sides_may_be_commands(void **state)
{
    cJSON *tree =
        post(*state, "/v1/compare", JSON_TYPE,
             "{\"hardware\":\"h100-sxm\",\"workload\":{\"concurrency\":8},"
             "\"command\":\"vllm serve Qwen/Qwen3-32B -tp 2 --seed 1\","
             "\"baseline\":{},"
             "\"candidate\":{\"command\":\"vllm serve Qwen/Qwen3-32B-FP8 -tp 4 --port 1\","
             "\"deployment\":{\"tp\":1}}}",
             200);
    char *changes = leaf(tree, "changes");

    assert_non_null(changes);
    assert_non_null(strstr(changes, "{\"pointer\":\"/deployment/tp\",\"baseline\":2,"
                                    "\"candidate\":1,"));
    assert_non_null(strstr(changes, "\"pointer\":\"/deployment/weights\",\"baseline\":\"bf16\","
                                    "\"candidate\":\"fp8_block\""));
    cJSON_free(changes);
    cJSON_Delete(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reply_says_what_was_read),
        cmocka_unit_test(a_bare_command_is_a_body),
        cmocka_unit_test(faults_name_the_flag_and_the_place),
        cmocka_unit_test(both_sides_may_be_commands),
    };

    return cmocka_run_group_tests_name("command", tests, daemon_setup, daemon_teardown);
}
