/* What is posted, over the wire: once, against a revision, with every fault, and in the snapshot
 * before the reply; gaps close. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <curl/curl.h>

#include "harness.h"
#include "json_look.h"
#include "writes_kit.h"

static cJSON *get(const struct world *world, const char *target)
{
    struct http_reply reply;
    http_get(&world->daemon, target, &reply);
    assert_int_equal(reply.status, 200);
    cJSON *tree = cJSON_Parse(reply.body);
    reply_done(&reply);
    return tree;
}

static void an_anchor_is_added_and_closes_its_gap(void **state)
{
    static const char ASK[] =
        "/v1/anchors?model=llama-3.1-8b&hardware=l4&engine=vllm&metric=tpot_ms"
        "&input_tokens_min=4096&input_tokens_max=8191&concurrency=6";
    static const char GAP[] = "/v1/gaps/llama-3.1-8b~l4~vllm~tpot_ms~in-4096~conc-4";
    const struct world *world = *state;
    struct http_reply reply;
    char body[ANCHOR_BODY_MAX], location[200];
    cJSON *asked = get(world, ASK);
    assert_string_equal(text_of(asked, "status"), "no record");
    cJSON_Delete(asked);
    cJSON *gap = get(world, GAP);
    assert_string_equal(text_of(gap, "status"), "no record");
    cJSON_Delete(gap);
    world_anchor(6, 88.5, body);
    cJSON *made = world_post(world, "/v1/anchors", NULL, body, 201, &reply);
    snprintf(location, sizeof(location), "%s", reply_value(&reply, "Location"));
    assert_string_equal(reply_value(&reply, "ETag"), "\"1\"");
    assert_string_equal(text_of(made, "model_id"), "llama-3.1-8b");
    reply_done(&reply);
    char path[200];
    snprintf(path, sizeof(path), "/v1/anchors/%s", text_of(made, "id"));
    assert_string_equal(location, path);
    gap = get(world, GAP);
    assert_string_equal(text_of(gap, "status"), "answered");
    assert_string_equal(text_of(gap, "answered_by"), text_of(made, "id"));
    cJSON_Delete(gap);
    cJSON *shown = get(world, location);
    assert_string_equal(text_of(shown, "id"), text_of(made, "id"));
    cJSON_Delete(shown);
    cJSON_Delete(made);
    asked = get(world, ASK);
    assert_true(cJSON_GetObjectItem(asked, "total")->valuedouble == 1);
    cJSON_Delete(asked);
    /* the same measurement again */
    assert_int_equal(world_post_status(world, "/v1/anchors", NULL, body), 409);
}

static void a_key_is_done_once(void **state)
{
    const struct world *world = *state;
    struct http_reply first, again;
    char body[ANCHOR_BODY_MAX], other[ANCHOR_BODY_MAX];
    world_anchor(7, 90.5, body);
    world_anchor(8, 91.5, other);
    cJSON_Delete(world_post(world, "/v1/anchors", "Idempotency-Key: one", body, 201, &first));
    cJSON_Delete(world_post(world, "/v1/anchors", "Idempotency-Key: one", body, 201, &again));
    assert_string_equal(first.body, again.body);
    assert_null(strstr(first.headers, "Idempotent-Replayed"));
    assert_string_equal(reply_value(&again, "Idempotent-Replayed"), "true");
    reply_done(&first);
    reply_done(&again);
    assert_int_equal(world_post_status(world, "/v1/anchors", "Idempotency-Key: one", other), 409);
    assert_int_equal(world_post_status(world, "/v1/anchors", "Idempotency-Key: two words", other),
                     400);
}

/* What is refused, with the pointers that have to be named. */
static const struct {
    const char *path, *body;
    const char *pointers[6];
} FAULTS[] = {
    {"/v1/anchors",
     "{}",
     {"\"/model\"", "\"/hardware\"", "\"/engine\"", "\"/weights\"", "\"/workload\"",
      "\"/source\""}},
    {"/v1/anchors",
     "{\"model\":\"llama-3.1-8b\",\"hardware\":\"l4\",\"engine\":\"vlm\",\"weights\":\"bf61\","
     "\"workload\":{\"concurrency\":1e9,\"input_tokenz\":5},\"metrics\":{\"tpotms\":1,"
     "\"itl_ms\":\"x\"},\"source\":{\"title\":\"t\",\"kind\":\"measurement\"},\"y\":1}",
     {"\"/engine\"", "\"/weights\"", "\"/metrics/tpotms\"", "\"/metrics/itl_ms\"", "\"/y\""}},
    {"/v1/anchors",
     "{\"model\":\"llama-3.1-8b\",\"hardware\":\"l4\",\"engine\":\"vllm\",\"weights\":\"bf16\","
     "\"workload\":{\"concurrency\":1e9,\"input_tokenz\":5},\"metrics\":{\"ttft_ms\":1},"
     "\"source\":{\"title\":\"t\",\"url\":\"ftp:x\"}}",
     {"\"/workload/concurrency\"", "\"/workload/input_tokenz\"", "\"/source/kind\"",
      "\"/source/url\"", "length of the prompt"}},
    /* 16.06 GB in 5 ms are 3.2 TB/s of a part with 0.3 */
    {"/v1/anchors",
     "{\"model\":\"llama-3.1-8b\",\"hardware\":\"l4\",\"engine\":\"vllm\",\"weights\":\"bf16\","
     "\"workload\":{\"concurrency\":1,\"input_tokens\":100},\"metrics\":{\"tpot_ms\":5},"
     "\"source\":{\"title\":\"t\",\"kind\":\"measurement\"}}",
     {"\"/metrics\"", "faster than the part can be"}},
    /* both routes that would add what is not known */
    {"/v1/anchors",
     "{\"model\":\"qqqqqq\",\"hardware\":\"zzzzzz\",\"engine\":\"vllm\",\"weights\":\"bf16\"}",
     {"POST /v1/models adds it", "POST /v1/hardware adds it"}},
    {"/v1/hardware",
     "{\"id\":\"x y\",\"name\":3}",
     {"\"/id\"", "\"/name\"", "\"/memory_gb\"", "\"/interconnect/kind\"", "\"/sources\""}},
    {"/v1/models",
     "{\"id\":\"m\",\"groups\":[{\"count\":0}]}",
     {"\"/id\"", "\"/native_dtype\"", "\"/sources\""}},
    {"/v1/sources", "{\"title\":\"t\",\"url\":\"nowhere\"}", {"\"/url\""}},
    {"/v1/sources", "{\"title\":\"t\",\"url\":\"https://a/<b>\"}", {"\"/url\""}},
    /* what a terminal would obey, and what would feign a line of its own */
    {"/v1/sources",
     "{\"title\":\"a\\u001b[31m\",\"kind\":\"k\\u0085\",\"license\":\"x\\ny\"}",
     {"\"/title\"", "U+001B", "\"/kind\"", "U+0085", "\"/license\"", "U+000A"}},
    {"/v1/hardware", "{\"aliases\":[\"a\",\"b\\u007f\"]}", {"\"/aliases/1\"", "U+007F"}},
    /* an argument that nobody reads, "dry_run" above all, is not done without */
    {"/v1/anchors?dry_run=1", "{}", {"\"?dry_run\""}},
    {"/v1/models?x=1", "{}", {"\"?x\""}},
    {"/v1/hardware?x=1", "{}", {"\"?x\""}},
    {"/v1/sources?dry_run=1", "{\"title\":\"t\",\"kind\":\"k\"}", {"\"?dry_run\""}},
    {"/v1/disputes?x=1", "{}", {"\"?x\""}},
    {"/v1/disputes",
     "{\"kind\":\"hardware\",\"id\":\"l4\",\"flag\":\"odd\"}",
     {"\"/field\"", "\"/value\"", "\"/source\"", "\"/why\"", "\"/flag\""}},
    {"/v1/anchors", "[]", {"must be an object"}},
    {"/v1/anchors", "{\"model\":\"a\",\"model\":\"b\"}", {"given twice"}},
};

static void every_fault_is_named(void **state)
{
    const struct world *world = *state;
    for (size_t i = 0; i < sizeof(FAULTS) / sizeof(FAULTS[0]); i++) {
        struct http_reply reply;
        cJSON_Delete(world_post(world, FAULTS[i].path, NULL, FAULTS[i].body, 422, &reply));
        for (int j = 0; j < 6 && FAULTS[i].pointers[j]; j++) {
            if (!strstr(reply.body, FAULTS[i].pointers[j])) {
                fail_msg("%s: no %s in %s", FAULTS[i].body, FAULTS[i].pointers[j], reply.body);
            }
        }
        reply_done(&reply);
    }
}

#define PART(GB)                                                                                   \
    "{\"id\":\"lab-card\",\"name\":\"Lab card\",\"vendor\":\"Lab\",\"class\":\"datacenter\","      \
    "\"arch\":\"lab\",\"memory_gb\":" GB ",\"mem_bw_gbps\":900,\"peak_dense_tflops\":"             \
    "{\"bf16\":120},\"interconnect\":{\"kind\":\"none\",\"max_domain\":1},\"pcie\":\"gen4x16\","   \
    "\"source\":{\"title\":\"its data sheet\",\"kind\":\"datasheet\"}}"

static void a_part_is_planned_with_at_once_and_replaced_by_its_revision(void **state)
{
    static const char PLAN[] = "/v1/plan?model=llama-3.1-8b&hardware=lab-card";
    const struct world *world = *state;
    struct http_reply reply;
    cJSON_Delete(world_post(world, "/v1/hardware", NULL, PART("48"), 201, &reply));
    reply_done(&reply);
    cJSON_Delete(get(world, PLAN));
    assert_int_equal(world_post_status(world, "/v1/hardware", NULL, PART("64")), 409);
    assert_int_equal(world_post_status(world, "/v1/hardware", "If-Match: \"2\"", PART("64")), 412);
    assert_int_equal(world_post_status(world, "/v1/hardware", "If-Match: \"1\"", PART("64")), 200);
    assert_int_equal(world_post_status(world, "/v1/hardware", "If-Match: \"1\"", PART("80")), 412);
    /* the ETag that GET gives serves too */
    char header[200];
    http_get(&world->daemon, "/v1/hardware/lab-card", &reply);
    snprintf(header, sizeof(header), "If-Match: %s", reply_value(&reply, "ETag"));
    reply_done(&reply);
    cJSON *part = world_post(world, "/v1/hardware", header, PART("80"), 200, &reply);
    assert_true(cJSON_GetObjectItem(part, "revision")->valuedouble == 3);
    assert_true(cJSON_GetObjectItem(part, "memory_gb")->valuedouble == 80);
    cJSON_Delete(part);
    reply_done(&reply);
    assert_int_equal(world_post_status(world, "/v1/hardware", header, PART("96")), 412);
}

static void a_dispute_stands_beside_the_record(void **state)
{
    static const char BODY[] =
        "{\"kind\":\"hardware\",\"id\":\"l40s\",\"field\":\"tdp_w\",\"value\":300,\"source\":"
        "{\"title\":\"the label\",\"kind\":\"datasheet\"},\"why\":\"it says so\"}";
    const struct world *world = *state;
    struct http_reply reply;
    cJSON *record = world_post(world, "/v1/disputes", "If-Match: \"1\"", BODY, 201, &reply);
    const cJSON *disputes = cJSON_GetObjectItem(record, "disputes");
    const cJSON *last = cJSON_GetArrayItem(disputes, cJSON_GetArraySize(disputes) - 1);
    assert_string_equal(text_of(last, "field"), "tdp_w");
    assert_string_equal(text_of(last, "value_a"), "350"); /* NVIDIA's data sheet of the L40S */
    assert_string_equal(text_of(last, "value_b"), "300");
    assert_string_equal(reply_value(&reply, "ETag"), "\"2\"");
    cJSON_Delete(record);
    reply_done(&reply);
    assert_int_equal(world_post_status(world, "/v1/disputes", "If-Match: \"1\"", BODY), 412);
    assert_int_equal(
        world_post_status(
            world, "/v1/disputes", NULL,
            "{\"kind\":\"hardware\",\"id\":\"nix\",\"field\":\"a\",\"value\":1,\"source\":"
            "{\"title\":\"t\"},\"why\":\"w\"}"),
        404);
}

static void a_flagged_anchor_is_evidence_no_more(void **state)
{
    const struct world *world = *state;
    struct http_reply reply;
    char body[ANCHOR_BODY_MAX], dispute[ANCHOR_BODY_MAX];
    world_anchor(30, 120.25, body);
    cJSON *made = world_post(world, "/v1/anchors", NULL, body, 201, &reply);
    reply_done(&reply);
    snprintf(dispute, sizeof(dispute),
             "{\"kind\":\"anchor\",\"id\":\"%s\",\"field\":\"metrics\",\"value\":\"?\",\"source\":"
             "{\"title\":\"a second run\"},\"why\":\"not repeatable\",\"flag\":\"odd\"}",
             text_of(made, "id"));
    cJSON_Delete(made);
    cJSON *record = world_post(world, "/v1/disputes", NULL, dispute, 201, &reply);
    assert_string_equal(text_of(record, "disputed"), "not repeatable");
    assert_string_equal(text_of(record, "flag"), "odd");
    cJSON_Delete(record);
    reply_done(&reply);
}

static void a_stated_gap_is_closed_by_name(void **state)
{
    const struct world *world = *state;
    struct http_reply reply;
    char body[ANCHOR_BODY_MAX], with[ANCHOR_BODY_MAX + 60];
    world_anchor(31, 121.25, body);
    snprintf(with, sizeof(with), "{\"answers\":[\"databricks-figures\"],%s", body + 1);
    cJSON *made = world_post(world, "/v1/anchors", NULL, with, 201, &reply);
    reply_done(&reply);
    cJSON *gap = get(world, "/v1/gaps/databricks-figures");
    assert_string_equal(text_of(gap, "status"), "answered");
    const cJSON *by = cJSON_GetArrayItem(cJSON_GetObjectItem(gap, "answered_by"), 0);
    assert_string_equal(cJSON_GetStringValue(by), text_of(made, "id"));
    cJSON_Delete(gap);
    cJSON_Delete(made);
    world_anchor(32, 122.25, body);
    snprintf(with, sizeof(with), "{\"answers\":[\"no-such-gap\"],%s", body + 1);
    assert_int_equal(world_post_status(world, "/v1/anchors", NULL, with), 422);
}

static void a_token_is_asked_for(void **state)
{
    struct daemon daemon;
    struct http_reply reply;
    (void)state;
    char body[ANCHOR_BODY_MAX];
    world_anchor(1, 99, body);
    daemon_start(&daemon, NULL);
    http_request(&daemon, "POST", "/v1/anchors", (const char *[]){JSON_TYPE, NULL}, body, &reply);
    assert_problem(&reply, 401);
    assert_non_null(reply_value(&reply, "WWW-Authenticate"));
    reply_done(&reply);
    assert_int_equal(daemon_stop(&daemon), 0);
}

/* Plans that are asked while others write. */
struct reading {
    const struct daemon *daemon;
    atomic_bool stop;
    int n, failed;
};

static void *read_plans(void *argument)
{
    struct reading *reading = argument;
    while (!atomic_load(&reading->stop)) {
        struct http_reply reply;
        http_get(reading->daemon, "/v1/plan?model=llama-3.1-8b&hardware=l4&view=summary", &reply);
        reading->failed += reply.status != 200;
        reading->n++;
        reply_done(&reply);
    }
    return NULL;
}

static void reads_go_on_while_others_write(void **state)
{
    const struct world *world = *state;
    struct reading reading = {.daemon = &world->daemon};
    pthread_t thread;
    char body[ANCHOR_BODY_MAX];
    assert_int_equal(pthread_create(&thread, NULL, read_plans, &reading), 0);
    for (int i = 0; i < 8; i++) {
        world_anchor(40 + i, 130 + i, body);
        assert_int_equal(world_post_status(world, "/v1/anchors", NULL, body), 201);
    }
    atomic_store(&reading.stop, true);
    pthread_join(thread, NULL);
    assert_true(reading.n > 0);
    assert_int_equal(reading.failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_anchor_is_added_and_closes_its_gap),
        cmocka_unit_test(a_key_is_done_once),
        cmocka_unit_test(every_fault_is_named),
        cmocka_unit_test(a_part_is_planned_with_at_once_and_replaced_by_its_revision),
        cmocka_unit_test(a_dispute_stands_beside_the_record),
        cmocka_unit_test(a_flagged_anchor_is_evidence_no_more),
        cmocka_unit_test(a_stated_gap_is_closed_by_name),
        cmocka_unit_test(a_token_is_asked_for),
        cmocka_unit_test(reads_go_on_while_others_write),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
