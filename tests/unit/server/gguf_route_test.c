/* POST /v1/models/gguf: a file's header as a model, and the plan of that model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../gguf_sample.h"
#include "app_kit.h"
#include "gguf_route.h"

/* The reply to a body, as a tree of the caller's. */
static cJSON *post(const struct app_kit *kit, const char *target, const char *type,
                   const void *body, size_t length, bool streamed, int *ret_status)
{
    struct request request = {.method = METHOD_POST, .host = "localhost", .peer = "test"};
    struct reply reply = {0};
    arena_reset(kit->arena);
    request.arena = kit->arena;
    uri_parse(arena_copy(kit->arena, target, strlen(target)), &request);
    request.content_type = type;
    request.body = body;
    request.body_length = length;
    if (streamed) {
        request.sunk = GGUF_SINK.open(kit->arena);
        for (size_t at = 0; at < length; at += 4000)
            GGUF_SINK.feed(request.sunk, (const char *)body + at,
                           length - at < 4000 ? length - at : 4000);
        request.body = "";
        request.body_length = 0;
    }
    app_handle(kit->app, &request, &reply);
    *ret_status = reply.status;
    return cJSON_ParseWithLength(reply.body, reply.body_length);
}

static cJSON *post_sample(const struct app_kit *kit, struct gguf_sample *sample, int *ret_status)
{
    cJSON *tree = post(kit, "/v1/models/gguf", "application/octet-stream", sample->bytes,
                       sample->length, true, ret_status);
    free(sample->bytes);
    return tree;
}

/* 4,912,898,304 bytes of tensors, which llama.cpp prints as 4,403.49 + 281.81 MiB. */
static void a_header_becomes_a_model_and_a_plan(void **state)
{
    const struct app_kit *kit = *state;
    struct gguf_sample sample;
    int status = 0;
    gguf_llama(&sample, 128256);
    cJSON *tree = post_sample(kit, &sample, &status);
    assert_int_equal(status, 200);
    assert_true(fabs(app_kit_number(tree, "weights_bytes") - 4912898304.0) < 0.5);
    assert_string_equal(app_kit_at(tree, "weights")->valuestring, "q4_k_m");
    assert_int_equal(cJSON_GetArraySize(app_kit_at(tree, "warnings")), 0);

    cJSON *body = cJSON_CreateObject();
    cJSON_AddItemToObject(body, "model", cJSON_Duplicate(app_kit_at(tree, "model"), true));
    cJSON_AddStringToObject(body, "hardware", "rtx-4090");
    cJSON_AddStringToObject(cJSON_AddObjectToObject(body, "deployment"), "engine", "llama.cpp");
    char *text = cJSON_PrintUnformatted(body);
    cJSON_Delete(body);
    cJSON_Delete(tree);
    tree = post(kit, "/v1/plan", "application/json", text, strlen(text), false, &status);
    free(text);
    assert_int_equal(status, 200);
    assert_string_equal(app_kit_at(tree, "request/deployment/weights")->valuestring, "q4_k_m");
    /* on the card: everything but the embedding, the 4,403.49 MiB */
    double weights = app_kit_number(tree, "memory/per_device/weights_bytes");
    assert_true(fabs(weights / 1048576 - 4403.49) < 0.005);
    cJSON_Delete(tree);
}

/* A body that came whole is read the same. */
static void a_short_body_comes_whole(void **state)
{
    const struct app_kit *kit = *state;
    struct gguf_sample sample;
    int status = 0;
    gguf_llama(&sample, 10);
    cJSON *tree = post(kit, "/v1/models/gguf", "application/octet-stream", sample.bytes,
                       sample.length, false, &status);
    free(sample.bytes);
    assert_int_equal(status, 200);
    assert_true(fabs(app_kit_number(tree, "params_total") - 8030261248.0 - 64) < 0.5);
    cJSON_Delete(tree);
}

/* The architecture's name and its own keys; a layer of each is enough for the reader. */
struct key_value {
    const char *key;
    uint32_t value;
};

static const struct architecture_row {
    const char *name, *type;
    const struct key_value keys[14];
} ARCHITECTURES[] = {
    {"qwen3moe",
     "qwen3_moe",
     {{"feed_forward_length", 6144},
      {"attention.key_length", 128},
      {"expert_count", 128},
      {"expert_used_count", 8},
      {"expert_feed_forward_length", 768}}},
    {"deepseek2",
     "deepseek_v3",
     {{"feed_forward_length", 18432},
      {"attention.q_lora_rank", 1536},
      {"attention.kv_lora_rank", 512},
      {"rope.dimension_count", 64},
      {"attention.key_length_mla", 192},
      {"attention.value_length_mla", 128},
      {"expert_count", 256},
      {"expert_used_count", 8},
      {"expert_feed_forward_length", 2048},
      {"expert_shared_count", 1},
      {"leading_dense_block_count", 1}}},
    {"gpt-oss",
     "gpt_oss",
     {{"feed_forward_length", 2880},
      {"attention.sliding_window", 128},
      {"expert_count", 32},
      {"expert_used_count", 4},
      {"expert_feed_forward_length", 2880}}},
    {"gemma3", "gemma3_text", {{"feed_forward_length", 6912}, {"attention.sliding_window", 512}}},
    {"qwen3next",
     "qwen3_next",
     {{"feed_forward_length", 5120},
      {"expert_count", 512},
      {"expert_used_count", 10},
      {"expert_feed_forward_length", 512},
      {"full_attention_interval", 4},
      {"ssm.inner_size", 4096},
      {"ssm.time_step_rank", 32},
      {"ssm.state_size", 128},
      {"ssm.group_count", 16},
      {"ssm.conv_kernel", 4}}},
    {"llama",
     "mixtral",
     {{"feed_forward_length", 14336}, {"expert_count", 8}, {"expert_used_count", 2}}},
};

static int count_keys(const struct key_value *keys)
{
    int n = 0;
    while (n < 14 && keys[n].key)
        n++;
    return n;
}

/* The model's config of a header with these keys and one embedding; the caller's. Without tensors
 * for the layers the bytes are not the model's, so the file says that it is one of several. */
static cJSON *describe(const struct app_kit *kit, const struct architecture_row *row,
                       int *ret_status)
{
    struct gguf_sample sample;
    char key[64];
    gguf_begin(&sample, 1, 8 + (uint64_t)count_keys(row->keys));
    gguf_put_name(&sample, "general.architecture", row->name);
    gguf_put_u32(&sample, "general.file_type", 15);
    gguf_put_u32(&sample, "split.count", 2);
    static const struct key_value SHARED[] = {{"block_count", 4},
                                              {"context_length", 4096},
                                              {"embedding_length", 2048},
                                              {"attention.head_count", 16},
                                              {"attention.head_count_kv", 4}};
    for (size_t i = 0; i < sizeof(SHARED) / sizeof(SHARED[0]); i++) {
        snprintf(key, sizeof(key), "%s.%s", row->name, SHARED[i].key);
        gguf_put_u32(&sample, key, SHARED[i].value);
    }
    for (int i = 0; i < count_keys(row->keys); i++) {
        snprintf(key, sizeof(key), "%s.%s", row->name, row->keys[i].key);
        gguf_put_u32(&sample, key, row->keys[i].value);
    }
    gguf_put_tensor(&sample, "token_embd.weight", GGUF_Q4_K, 2048, 1000);
    return post_sample(kit, &sample, ret_status);
}

static void architectures_are_those_of_their_configurations(void **state)
{
    for (size_t i = 0; i < sizeof(ARCHITECTURES) / sizeof(ARCHITECTURES[0]); i++) {
        int status = 0;
        cJSON *tree = describe(*state, &ARCHITECTURES[i], &status);
        if (status != 200)
            fail_msg("%s: %s", ARCHITECTURES[i].name, cJSON_PrintUnformatted(tree));
        const cJSON *config = app_kit_at(tree, "model/hf_config");
        assert_string_equal(app_kit_at(config, "model_type")->valuestring, ARCHITECTURES[i].type);
        assert_true(fabs(app_kit_number(config, "vocab_size") - 1000) < 0.5);
        assert_true(cJSON_IsTrue(app_kit_at(config, "tie_word_embeddings")));
        assert_null(app_kit_at(tree, "model/checkpoint/bytes"));
        assert_int_equal(cJSON_GetArraySize(app_kit_at(tree, "warnings")), 1);
        cJSON_Delete(tree);
    }
}

static void refusals_name_what_decided(void **state)
{
    const struct app_kit *kit = *state;
    static const struct architecture_row UNKNOWN = {"qwen9", "", {{NULL, 0}}};
    static const struct architecture_row BARE = {"qwen3moe", "", {{"expert_count", 8}}};
    int status = 0;
    cJSON *tree = describe(kit, &UNKNOWN, &status);
    assert_int_equal(status, 422);
    const cJSON *error = app_kit_at(tree, "errors")->child;
    assert_non_null(
        strstr(app_kit_at(error, "detail")->valuestring, "general.architecture is \"qwen9\""));
    assert_string_equal(app_kit_at(error, "suggestion")->valuestring, "qwen2");
    cJSON_Delete(tree);

    tree = describe(kit, &BARE, &status);
    assert_int_equal(status, 422);
    assert_non_null(strstr(app_kit_at(app_kit_at(tree, "errors")->child, "pointer")->valuestring,
                           "/model/hf_config/"));
    cJSON_Delete(tree);

    tree = post(kit, "/v1/models/gguf", "application/octet-stream", "GGU", 3, false, &status);
    assert_int_equal(status, 422);
    assert_non_null(strstr(app_kit_at(app_kit_at(tree, "errors")->child, "detail")->valuestring,
                           "it needs at least 24 bytes"));
    cJSON_Delete(tree);
    tree = post(kit, "/v1/models/gguf?tp=2", "application/octet-stream", "GGU", 3, false, &status);
    assert_int_equal(status, 422);
    assert_string_equal(app_kit_at(app_kit_at(tree, "errors")->child, "pointer")->valuestring,
                        "?tp");
    cJSON_Delete(tree);
    tree = post(kit, "/v1/models/gguf", "application/json", "{}", 2, false, &status);
    assert_int_equal(status, 415);
    assert_non_null(strstr(app_kit_at(tree, "detail")->valuestring,
                           "reads application/octet-stream, this body is application/json"));
    cJSON_Delete(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_becomes_a_model_and_a_plan),
        cmocka_unit_test(a_short_body_comes_whole),
        cmocka_unit_test(architectures_are_those_of_their_configurations),
        cmocka_unit_test(refusals_name_what_decided),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
