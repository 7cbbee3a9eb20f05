/* Result files of load generators over the wire: asked for what they leave out, written together or
 * not at all, and once. */
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
#include "json_look.h"

#define JSON_TYPE "Content-Type: application/json"
#define LINES_TYPE "Content-Type: application/x-ndjson"

struct world {
    struct daemon daemon;
    char token[160]; /* as a header */
};

static int start(void **state)
{
    static struct world world;
    char db[100], output[200] = "";
    curl_global_init(CURL_GLOBAL_DEFAULT);
    daemon_start(&world.daemon, (const char *[]){"--write-rate", "0", NULL});
    snprintf(db, sizeof(db), "%s/regime.db", world.daemon.folder);
    const char *arguments[] = {"token", "add", "lab", "--scope", "contribute", "--db", db, NULL};
    assert_int_equal(run_program(arguments, output, sizeof(output)), 0);
    output[strcspn(output, "\n")] = '\0';
    snprintf(world.token, sizeof(world.token), "Authorization: Bearer %.70s", output);
    *state = &world;
    return 0;
}

static int stop(void **state)
{
    struct world *world = *state;
    return daemon_stop(&world->daemon);
}

/* The reply's tree, which is the caller's. */
static cJSON *upload(const struct world *world, const char *query, const char *type,
                     const char *key, const char *file, long status)
{
    const char *const headers[] = {world->token, type, key, NULL};
    char target[400];
    struct http_reply reply;
    snprintf(target, sizeof(target), "/v1/benchmarks%s", query);
    http_request(&world->daemon, "POST", target, headers, file, &reply);
    if (reply.status != status) {
        fail_msg("%s: %ld %s", target, reply.status, reply.body);
    }
    if (status >= 400) {
        assert_problem(&reply, status);
    }
    cJSON *tree = cJSON_Parse(reply.body);
    reply_done(&reply);
    assert_non_null(tree);
    return tree;
}

static double number_of(const cJSON *object, const char *name)
{
    return cJSON_GetNumberValue(member(object, name));
}

static const char *run_text(const cJSON *reply, int run, const char *name)
{
    return text_of(cJSON_GetArrayItem(member(reply, "items"), run), name);
}

/* A run of Llama 3.1 8B on an L4, whose 16.06 GB of weights take 53 ms at 300 GB/s. */
#define LINE(CONCURRENCY, TPOT)                                                                    \
    "{\"date\":\"20261130-101500\",\"backend\":\"vllm\",\"model_id\":\"meta-llama/"                \
    "Llama-3.1-8B-Instruct\",\"num_prompts\":64,\"request_rate\":\"inf\",\"max_"                   \
    "concurrency\":" CONCURRENCY                                                                   \
    ",\"completed\":64,\"total_input_tokens\":65536,\"total_output_tokens\":8192,"                 \
    "\"output_throughput\":20.5,\"mean_ttft_ms\":700.5,\"mean_tpot_ms\":" TPOT "}\n"

#define CONDITIONS_BUT_TP "?hardware=NVIDIA%20L4&engine=vllm&engine_version=0.11.0&weights=bf16"
#define CONDITIONS CONDITIONS_BUT_TP "&tp=1"

static void what_a_file_leaves_out_is_asked_for(void **state)
{
    static const char *const MISSING[] = {"?hardware", "?engine", "?weights", "?tp"};
    cJSON *problem = upload(*state, "", JSON_TYPE, NULL, LINE("3", "90.5"), 422);
    const cJSON *errors = member(problem, "errors");
    assert_int_equal(cJSON_GetArraySize(errors), 4);
    for (int i = 0; i < 4; i++) {
        const cJSON *error = cJSON_GetArrayItem(errors, i);
        assert_string_equal(text_of(error, "pointer"), MISSING[i]);
        assert_non_null(strstr(text_of(error, "detail"), "vllm bench serve"));
    }
    cJSON_Delete(problem);
}

static void a_dry_run_writes_nothing(void **state)
{
    const struct world *world = *state;
    cJSON *reply = upload(world, CONDITIONS "&dry_run=1", JSON_TYPE, NULL, LINE("4", "91.5"), 200);
    const cJSON *run = cJSON_GetArrayItem(member(reply, "items"), 0);
    const cJSON *record = member(run, "record");
    char path[200];
    struct http_reply gone;
    assert_string_equal(text_of(run, "status"), "would be added");
    assert_null(member(run, "url"));
    assert_string_equal(text_of(record, "model_id"), "llama-3.1-8b");
    assert_string_equal(text_of(record, "measured"), "2026-11-30");
    /* 65536 / 64 and 8192 / 64 */
    assert_true(number_of(member(record, "conditions"), "input_tokens") == 1024);
    assert_true(number_of(member(record, "conditions"), "output_tokens") == 128);
    snprintf(path, sizeof(path), "/v1/anchors/%s", text_of(run, "id"));
    http_get(&world->daemon, path, &gone);
    assert_problem(&gone, 404);
    reply_done(&gone);
    cJSON_Delete(reply);
}

/* A file that has grown is sent again: its new run is added, the others stay. */
static void a_file_that_grew_may_be_sent_again(void **state)
{
    const struct world *world = *state;
    static const char SHORT[] = LINE("5", "92.5") LINE("6", "93.5");
    static const char GROWN[] = LINE("5", "92.5") LINE("6", "93.5") LINE("7", "94.5");
    cJSON *reply = upload(world, CONDITIONS, LINES_TYPE, NULL, SHORT, 201);
    assert_true(number_of(reply, "added") == 2);
    cJSON_Delete(reply);
    reply = upload(world, CONDITIONS, LINES_TYPE, NULL, GROWN, 201);
    assert_true(number_of(reply, "added") == 1);
    assert_true(number_of(reply, "existing") == 2);
    assert_string_equal(run_text(reply, 1, "status"), "exists");
    assert_string_equal(run_text(reply, 2, "status"), "added");
    struct http_reply shown;
    http_get(&world->daemon, run_text(reply, 2, "url"), &shown);
    assert_int_equal(shown.status, 200);
    reply_done(&shown);
    cJSON_Delete(reply);
    reply = upload(world, CONDITIONS, LINES_TYPE, NULL, GROWN, 200);
    assert_true(number_of(reply, "added") == 0);
    cJSON_Delete(reply);
}

/* One run faster than the part can be: none is written, and the fault names it. */
static void a_file_is_written_whole_or_not_at_all(void **state)
{
    static const char FILE_OF_TWO[] = LINE("8", "95.5") LINE("9", "9.5");
    cJSON *problem = upload(*state, CONDITIONS, LINES_TYPE, NULL, FILE_OF_TWO, 422);
    const cJSON *error = cJSON_GetArrayItem(member(problem, "errors"), 0);
    assert_int_equal(cJSON_GetArraySize(member(problem, "errors")), 1);
    assert_int_equal(strncmp(text_of(error, "detail"), "run 2: metrics: tpot_ms is 9.5", 30), 0);
    cJSON_Delete(problem);
    cJSON *reply = upload(*state, CONDITIONS, JSON_TYPE, NULL, LINE("8", "95.5"), 201);
    assert_true(number_of(reply, "added") == 1);
    cJSON_Delete(reply);
}

/* The same run twice in a file is one measurement. */
static void a_run_counts_once(void **state)
{
    static const char TWICE[] = LINE("10", "96.5") LINE("10", "96.5");
    cJSON *reply = upload(*state, CONDITIONS, LINES_TYPE, NULL, TWICE, 201);
    assert_true(number_of(reply, "added") == 1);
    assert_string_equal(run_text(reply, 0, "id"), run_text(reply, 1, "id"));
    cJSON_Delete(reply);
}

static void a_key_is_done_once(void **state)
{
    static const char KEY[] = "Idempotency-Key: upload-1";
    cJSON *reply = upload(*state, CONDITIONS, JSON_TYPE, KEY, LINE("11", "97.5"), 201);
    cJSON_Delete(reply);
    reply = upload(*state, CONDITIONS, JSON_TYPE, KEY, LINE("11", "97.5"), 200);
    assert_true(number_of(reply, "existing") == 1);
    cJSON_Delete(reply);
    cJSON_Delete(upload(*state, CONDITIONS, JSON_TYPE, KEY, LINE("12", "98.5"), 409));
}

static void every_fault_is_listed(void **state)
{
    static const struct {
        const char *query, *body;
        long status;
        const char *pointers[3];
    } ROWS[] = {
        {"", "{\"model\":", 400, {""}},
        {"", "{\"a\":1}", 422, {""}},
        {"", "[]", 422, {""}},
        {CONDITIONS_BUT_TP "&tq=2&tp=x", LINE("3", "90.5"), 422, {"?tq", "?tp"}},
        {CONDITIONS "&hardware=l4", LINE("3", "90.5"), 422, {"?hardware"}},
        {"?hardware=l5&engine=vlm&weights=bf16&n_devices=1",
         LINE("3", "90.5"),
         422,
         {"?hardware", "?engine"}},
        {CONDITIONS "&id=mine", LINE("3", "90.5") LINE("4", "91.5"), 422, {"?id"}},
        {CONDITIONS "&source.url=nowhere", LINE("3", "90.5"), 422, {"?source.url"}},
        {CONDITIONS "&source.url=https://a%20b", LINE("3", "90.5"), 422, {"?source.url"}},
        {CONDITIONS "&title=%1b%5b31mred", LINE("3", "90.5"), 422, {"?title"}},
        {CONDITIONS_BUT_TP "&tp=0.5", LINE("3", "90.5"), 422, {"?tp"}},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        cJSON *problem =
            upload(*state, ROWS[i].query, LINES_TYPE, NULL, ROWS[i].body, ROWS[i].status);
        const cJSON *errors = member(problem, "errors");
        int n = 0;
        for (; n < 3 && ROWS[i].pointers[n]; n++) {
            const char *pointer = text_of(cJSON_GetArrayItem(errors, n), "pointer");
            if (strcmp(pointer, ROWS[i].pointers[n]) != 0) {
                fail_msg("%s: fault %d at \"%s\"", ROWS[i].query, n, pointer);
            }
        }
        assert_int_equal(cJSON_GetArraySize(errors), n);
        cJSON_Delete(problem);
    }
}

/* Llama 3.1 8B has 32 layers, and the output is one more: with 33 all of it is on the GPU. */
static void layers_on_the_processor_are_another_back_end(void **state)
{
    static const struct {
        const char *query, *layers, *backend;
    } ROWS[] = {
        {"?dry_run=1", "99", "cuda"},
        {"?dry_run=1", "33", "cuda"},
        {"?dry_run=1", "32", "cuda+cpu"},
        {"?dry_run=1", "0", "cuda+cpu"},
        {"?dry_run=1&backend=cuda", "0", "cuda"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char file[400];
        snprintf(file, sizeof(file),
                 "[{\"build_number\":6123,\"gpu_info\":\"NVIDIA GeForce RTX 4090\",\"backends\":"
                 "\"CUDA\",\"model_filename\":\"Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf\",\"n_gpu_"
                 "layers\":%s,\"n_prompt\":0,\"n_gen\":128,\"avg_ts\":9.1}]",
                 ROWS[i].layers);
        cJSON *reply = upload(*state, ROWS[i].query, JSON_TYPE, NULL, file, 200);
        const cJSON *run = cJSON_GetArrayItem(member(reply, "items"), 0);
        assert_string_equal(text_of(member(run, "record"), "backend"), ROWS[i].backend);
        cJSON_Delete(reply);
    }
}

/* The two places to post to name each other. */
static void a_file_among_anchors_is_told_its_place(void **state)
{
    const struct world *world = *state;
    const char *const headers[] = {world->token, JSON_TYPE, NULL};
    struct http_reply reply;
    http_request(&world->daemon, "POST", "/v1/anchors", headers, LINE("3", "90.5"), &reply);
    assert_problem(&reply, 422);
    assert_non_null(strstr(reply.body, "POST /v1/benchmarks"));
    reply_done(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_file_leaves_out_is_asked_for),
        cmocka_unit_test(a_dry_run_writes_nothing),
        cmocka_unit_test(a_file_that_grew_may_be_sent_again),
        cmocka_unit_test(a_file_is_written_whole_or_not_at_all),
        cmocka_unit_test(a_run_counts_once),
        cmocka_unit_test(a_key_is_done_once),
        cmocka_unit_test(every_fault_is_listed),
        cmocka_unit_test(layers_on_the_processor_are_another_back_end),
        cmocka_unit_test(a_file_among_anchors_is_told_its_place),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
