/* Manifests, logs and what stands beside them, against the real daemon over libcurl. Expected
 * leaves are those that the texts state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <curl/curl.h>

#include "harness.h"

#define YAML_TYPE "Content-Type: application/yaml"
#define TEXT_TYPE "Content-Type: text/plain"
#define JSON_TYPE "Content-Type: application/json"

#define POD                                                                                        \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: chat}\nspec:\n"                                   \
    "  nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}\n  containers:\n"             \
    "    - name: vllm\n      image: vllm/vllm-openai:v0.11.0\n"                                    \
    "      args: [--model, Qwen/Qwen3-8B, --max-model-len, \"16384\"]\n"                           \
    "      resources: {limits: {nvidia.com/gpu: 1}}\n"

#define POD_JSON                                                                                   \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"chat\"},\"spec\":"           \
    "{\"containers\":[{\"name\":\"vllm\",\"image\":\"vllm/vllm-openai:v0.11.0\",\"args\":"         \
    "[\"--model\",\"Qwen/Qwen3-8B\",\"--max-model-len\",\"16384\"]}]}}"

#define TWO_SERVICES                                                                               \
    "services:\n  a:\n    image: vllm/vllm-openai\n    command: --model Qwen/Qwen3-8B "            \
    "--max-model-len 16384\n"                                                                      \
    "  b:\n    image: vllm/vllm-openai\n    command: --model Qwen/Qwen3-8B --max-model-len 4096\n"

#define LOG                                                                                        \
    "INFO 11-03 05:51:44 [utils.py:233] non-default args: {'model': 'Qwen/Qwen3-8B', "             \
    "'max_model_len': 16384}\nINFO 11-03 05:52:51 [kv_cache_utils.py:1087] GPU KV cache size: "    \
    "191,424 tokens\n"

/* What is sent, its status, and a text of the reply. */
static const struct {
    const char *target, *type, *body;
    long status;
    const char *holds;
} ROWS[] = {
    {"/v1/plan", YAML_TYPE, POD, 200, "\"max_model_len\":16384"},
    {"/v1/plan", "Content-Type: application/x-yaml", POD, 200, "\"max_model_len\":16384"},
    {"/v1/plan", "Content-Type: text/yaml; charset=utf-8", POD, 200, "\"max_model_len\":16384"},
    {"/v1/check", "Content-Type: text/x-yaml", POD, 200, "\"verdict\":\"pass\""},
    {"/v1/plan", TEXT_TYPE, POD, 200, "\"max_model_len\":16384"},
    {"/v1/plan?hardware=l40s&concurrency=4", JSON_TYPE, POD_JSON, 200, "\"concurrency\":4"},
    {"/v1/plan?hardware=l40s", TEXT_TYPE, POD_JSON, 200, "\"max_model_len\":16384"},
    {"/v1/plan?hardware=l40s", YAML_TYPE, TWO_SERVICES, 200, "container_chosen"},
    {"/v1/plan?hardware=l40s&container=b", YAML_TYPE, TWO_SERVICES, 200, "\"max_model_len\":4096"},
    {"/v1/plan?hardware=l40s", TEXT_TYPE, LOG, 200, "\"kv_tokens\":191424"},
    {"/v1/check?hardware=l40s&format=text", TEXT_TYPE, LOG, 200, "PASS"},
    {"/v1/plan", YAML_TYPE, "model: qwen3-8b\nhardware: 1x NVIDIA L40S\n", 200, "\"l40s\""},
    {"/v1/plan", JSON_TYPE,
     "{\"hardware\":\"l40s\",\"container\":\"b\",\"manifest\":\"services:\\n  b:\\n    image: "
     "vllm/vllm-openai\\n    command: --model Qwen/Qwen3-8B --max-num-seqs 7\\n\"}",
     200, "\"max_num_seqs\":7"},
    {"/v1/plan", JSON_TYPE, "{\"hardware\":\"l40s\",\"manifest\":" POD_JSON "}", 200,
     "\"max_model_len\":16384"},
    {"/v1/plan", JSON_TYPE,
     "{\"hardware\":\"l40s\",\"model\":\"qwen3-8b\",\"log\":\"GPU KV cache size: 191,424 tokens\"}",
     200, "\"kv_tokens\":191424"},
    {"/v1/plan", JSON_TYPE,
     "{\"hardware\":\"l40s\",\"command\":\"vllm serve Qwen/Qwen3-8B\",\"log\":\"GPU KV cache size: "
     "191,424 tokens\"}",
     200, "\"kv_tokens\":191424"},
    {"/v1/compare", JSON_TYPE,
     "{\"hardware\":\"l40s\",\"baseline\":{\"manifest\":" POD_JSON "},\"candidate\":{\"manifest\":"
     "\"services: {b: {image: vllm/vllm-openai, command: --model Qwen/Qwen3-8B --max-num-seqs "
     "7}}\"}}",
     200, "max_num_seqs"},
    {"/v1/plan", YAML_TYPE, "kind: [Pod\n", 400, "at line"},
    {"/v1/plan", YAML_TYPE, "\xff", 400, "UTF-8"},
    {"/v1/plan", YAML_TYPE, "", 422, "no container in it"},
    {"/v1/plan", YAML_TYPE, "a: &a [*a]\n", 400, "at line"},
    {"/v1/plan", YAML_TYPE, "hello", 422, "no container in it"},
    {"/v1/plan", YAML_TYPE, "services: {a: {image: nginx}}", 422, "has a fault"},
    {"/v1/plan?manifest=x", YAML_TYPE, POD, 422, "?manifest"},
    {"/v1/plan", JSON_TYPE, POD_JSON, 422, "?hardware"},
    {"/v1/plan", JSON_TYPE, "{\"hardware\":\"l40s\",\"manifest\":\"kind: [Pod\"}", 422,
     "\"/manifest\""},
    {"/v1/plan", JSON_TYPE, "{\"hardware\":\"l40s\",\"manifest\":7}", 422, "a text, an object"},
    {"/v1/plan", JSON_TYPE,
     "{\"hardware\":\"l40s\",\"command\":\"vllm serve x\",\"manifest\":" POD_JSON "}", 422,
     "give one of the two"},
    {"/v1/plan", JSON_TYPE, "{\"hardware\":\"l40s\",\"model\":\"qwen3-8b\",\"log\":\"hello\"}", 422,
     "\"/log\""},
    {"/v1/compare", YAML_TYPE, POD, 415, "application/json"},
};

static void every_text_is_read(void **state)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const char *headers[] = {ROWS[i].type, NULL};
        struct http_reply reply;
        http_request(*state, "POST", ROWS[i].target, headers, ROWS[i].body, &reply);
        if (reply.status != ROWS[i].status || !strstr(reply.body, ROWS[i].holds))
            fail_msg("%s %s: %ld, expected %ld with %s: %.2000s", ROWS[i].target, ROWS[i].type,
                     reply.status, ROWS[i].status, ROWS[i].holds, reply.body);
        reply_done(&reply);
    }
}

/* A text's secrets are not shown again. */
static void no_text_is_echoed(void **state)
{
    static const char *const HEADERS[] = {JSON_TYPE, NULL};
    static const char BODY[] =
        "{\"hardware\":\"l40s\",\"manifest\":\"services: {b: {image: vllm/vllm-openai, "
        "environment: "
        "{HF_TOKEN: hf_secret}, command: --model Qwen/Qwen3-8B --api-key sk_secret}}\"}";
    struct http_reply reply;

    http_request(*state, "POST", "/v1/plan", HEADERS, BODY, &reply);
    assert_int_equal(reply.status, 200);
    assert_null(strstr(reply.body, "_secret"));
    reply_done(&reply);
}

/* Bytes that open lists without an end, as deep as a body may be long. */
static void deep_nesting_is_refused(void **state)
{
    static const char *const HEADERS[] = {YAML_TYPE, NULL};
    char body[20001];
    struct http_reply reply;

    memset(body, '[', sizeof(body) - 1);
    body[sizeof(body) - 1] = '\0';
    http_request(*state, "POST", "/v1/plan", HEADERS, body, &reply);
    assert_problem(&reply, 400);
    reply_done(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_is_read),
        cmocka_unit_test(no_text_is_echoed),
        cmocka_unit_test(deep_nesting_is_refused),
    };

    return cmocka_run_group_tests(tests, daemon_setup, daemon_teardown);
}
