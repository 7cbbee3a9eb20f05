#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "intake_kit.h"

/* The table ------------------------------------------------------------------------------------ */

static void every_row_has_its_place_and_a_line_for_people(void **state)
{
    (void)state;
    for (int i = 0; i < PLAN_FIELDS.n; i++) {
        const struct field *field = &PLAN_FIELDS.rows[i];
        const struct field_section *section = &PLAN_FIELDS.sections[field->section];
        char pointer[128];
        snprintf(pointer, sizeof(pointer), "%s/%s", section->pointer, field->name);
        assert_string_equal(field->pointer, pointer);
        assert_true(i >= section->first && i < section->first + section->n);
        assert_non_null(field->doc);
        assert_int_equal(field_by_pointer(&PLAN_FIELDS, pointer), i);
        if (field->kind == FIELD_NUMBER || field->kind == FIELD_WHOLE)
            assert_true(field->min < field->max);
        if (field->kind == FIELD_NAME || field->kind == FIELD_NAMES)
            assert_non_null(field->names);
        if (field->fallback == DEFAULT_RULE)
            assert_non_null(field->rule);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(field->query, PLAN_FIELDS.rows[j].query);
    }
}

/* Faults --------------------------------------------------------------------------------------- */

#define BASE "\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\""
#define DEPLOYED(FIELDS) "{" BASE ",\"deployment\":{" FIELDS "}}"
#define LOADED(FIELDS) "{" BASE ",\"workload\":{" FIELDS "}}"

struct refusal {
    const char *json, *pointers, *suggestion; /* of the first fault */
};

static const struct refusal REFUSALS[] = {
    {"5", "(whole)", NULL},
    {"[]", "(whole)", NULL},
    {"\"model\"", "(whole)", NULL},
    {"{}", "/model /hardware", NULL},
    {"{\"model\":null,\"hardware\":null}", "/model /hardware", NULL},
    {"{\"hardware\":\"h100-sxm\"}", "/model", NULL},
    /* names of records */
    {"{\"model\":\"lama-3.1-8b\",\"hardware\":\"h100-sxm\"}", "/model", "llama-3.1-8b"},
    {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxn\"}", "/hardware", "h100-sxm"},
    {"{\"model\":5,\"hardware\":true}", "/model /hardware", NULL},
    {"{\"model\":[\"llama-3.1-8b\"],\"hardware\":[]}", "/model /hardware", NULL},
    {"{\"model\":{},\"hardware\":\"h100-sxm\"}", "/model/hf_config", NULL},
    {"{\"model\":{\"hf_config\":{},\"x\":1},\"hardware\":\"h100-sxm\"}", "/model/x", NULL},
    {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"V100\"}", "/hardware", NULL},
    {DEPLOYED("\"engine\":\"vlm\""), "/deployment/engine", "vllm"},
    {DEPLOYED("\"engine\":7"), "/deployment/engine", NULL},
    {DEPLOYED("\"weights\":\"fp9\""), "/deployment/weights", NULL},
    {DEPLOYED("\"kv_cache\":{}"), "/deployment/kv_cache", NULL},
    /* names of fields */
    {DEPLOYED("\"wieghts\":\"fp8\""), "/deployment/wieghts", "weights"},
    {LOADED("\"concurency\":4"), "/workload/concurency", "concurrency"},
    {"{" BASE ",\"concurrency\":4}", "/concurrency", "/workload/concurrency"},
    {"{" BASE ",\"a/b~c\":4}", "/a~1b~0c", NULL},
    {"{" BASE ",\"\":4}", "/", NULL},
    {"{" BASE ",\"Workload\":{}}", "/Workload", "workload"},
    {DEPLOYED("\"tp\":2,\"tp\":4"), "/deployment/tp", NULL},
    {"{" BASE ",\"slo\":{},\"slo\":{}}", "/slo", NULL},
    /* every wrong name of a list */
    {DEPLOYED("\"logit_processors\":[\"top-p\",\"min-q\",5,\"top_q\"]"),
     "/deployment/logit_processors/1 /deployment/logit_processors/2 "
     "/deployment/logit_processors/3",
     "min_p"},
    {DEPLOYED("\"logit_processors\":\"top_p,min-q,zzzzzzzz\""),
     "/deployment/logit_processors /deployment/logit_processors", "min_p"},
    {DEPLOYED("\"logit_processors\":7"), "/deployment/logit_processors", NULL},
    /* wrong types */
    {"{" BASE ",\"deployment\":[]}", "/deployment", NULL},
    {"{" BASE ",\"workload\":7}", "/workload", NULL},
    {LOADED("\"concurrency\":\"32\""), "/workload/concurrency", NULL},
    {LOADED("\"concurrency\":true"), "/workload/concurrency", NULL},
    {LOADED("\"concurrency\":[1]"), "/workload/concurrency", NULL},
    {LOADED("\"concurrency\":{\"a\":1}"), "/workload/concurrency", NULL},
    {DEPLOYED("\"cuda_graphs\":1"), "/deployment/cuda_graphs", NULL},
    {DEPLOYED("\"cuda_graphs\":\"true\""), "/deployment/cuda_graphs", NULL},
    {DEPLOYED("\"engine_version\":0.19"), "/deployment/engine_version", NULL},
    {DEPLOYED("\"sampler\":\"hosst\""), "/deployment/sampler", "host"},
    {DEPLOYED("\"sampler\":0"), "/deployment/sampler", NULL},
    {DEPLOYED("\"logit_processors\":[\"min_p\",\"minp\"]"), "/deployment/logit_processors/1",
     "min_p"},
    {DEPLOYED("\"logit_processors\":[[]]"), "/deployment/logit_processors/0", NULL},
    {DEPLOYED("\"logit_processors\":{}"), "/deployment/logit_processors", NULL},
    {DEPLOYED("\"speculative\":\"eagle3\""), "/deployment/speculative", NULL},
    /* ranges, fractions, sizes without a meaning */
    {LOADED("\"concurrency\":0"), "/workload/concurrency", NULL},
    {LOADED("\"concurrency\":-1"), "/workload/concurrency", NULL},
    {LOADED("\"concurrency\":1e9"), "/workload/concurrency", NULL},
    {LOADED("\"concurrency\":1.5"), "/workload/concurrency", NULL},
    {LOADED("\"concurrency\":1e308"), "/workload/concurrency", NULL},
    {LOADED("\"concurrency\":1e999"), "/workload/concurrency", NULL},
    {LOADED("\"input_tokens\":0"), "/workload/input_tokens", NULL},
    {LOADED("\"output_tokens\":0"), "/workload/output_tokens", NULL},
    {LOADED("\"request_rate\":0"), "/workload/request_rate", NULL},
    {LOADED("\"length_range_ratio\":1.1"), "/workload/length_range_ratio", NULL},
    {DEPLOYED("\"tp\":0"), "/deployment/tp", NULL},
    {DEPLOYED("\"tp\":3.5"), "/deployment/tp", NULL},
    {DEPLOYED("\"memory_utilization\":1.2"), "/deployment/memory_utilization", NULL},
    {DEPLOYED("\"memory_utilization\":90"), "/deployment/memory_utilization", NULL},
    {DEPLOYED("\"kv_tier\":{\"kind\":\"tape\",\"gbps\":-1}"),
     "/deployment/kv_tier/kind /deployment/kv_tier/gbps", NULL},
    {DEPLOYED("\"speculative\":{\"method\":\"eagle3\",\"tokens\":3,\"acceptance\":70}"),
     "/deployment/speculative/acceptance", NULL},
    {"{" BASE ",\"slo\":{\"ttft_ms\":0}}", "/slo/ttft_ms", NULL},
    /* fields against each other */
    {LOADED("\"input_tokens\":100,\"cached_prefix_tokens\":101"), "/workload/cached_prefix_tokens",
     NULL},
    {LOADED("\"cached_prefix_tokens\":1025"), "/workload/cached_prefix_tokens", NULL},
    {LOADED("\"input_tokens\":\"x\",\"cached_prefix_tokens\":5000"), "/workload/input_tokens",
     NULL},
    {DEPLOYED("\"ep\":8,\"tp\":2,\"dp\":2"), "/deployment/ep", NULL},
    {DEPLOYED("\"ep\":2"), "/deployment/ep", NULL},
    {DEPLOYED("\"speculative\":{\"tokens\":3}"), "/deployment/speculative/method", NULL},
    {DEPLOYED("\"tp\":2,\"device_memory_gib\":\"80,forty\""), "/deployment/device_memory_gib",
     NULL},
    {DEPLOYED("\"tp\":2,\"device_memory_gib\":\"80,0\""), "/deployment/device_memory_gib", NULL},
    {DEPLOYED("\"tp\":2,\"device_memory_gib\":\"80,-40\""), "/deployment/device_memory_gib", NULL},
    {DEPLOYED("\"tp\":2,\"device_memory_gib\":\"80,40,\""), "/deployment/device_memory_gib", NULL},
    {DEPLOYED("\"tp\":2,\"device_memory_gib\":\"\""), "/deployment/device_memory_gib", NULL},
    {DEPLOYED("\"tp\":2,\"device_memory_gib\":\"80\""), "/deployment/device_memory_gib", NULL},
    {DEPLOYED("\"device_memory_gib\":\"80,40\""), "/deployment/device_memory_gib", NULL},
    {DEPLOYED("\"pp\":2,\"pp_layers\":\"16,sixteen\""), "/deployment/pp_layers", NULL},
    {DEPLOYED("\"pp\":2,\"pp_layers\":\"32,0\""), "/deployment/pp_layers", NULL},
    {DEPLOYED("\"swa_full_tokens_ratio\":0"), "/deployment/swa_full_tokens_ratio", NULL},
    {DEPLOYED("\"graph_max_batch\":0,\"cuda_graphs\":true"), "/deployment/graph_max_batch", NULL},
    {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"9999x H100\"}", "/hardware", NULL},
    /* an H100 has 80 GB; of 131,072 bytes each it holds 650,000 KV tokens; the 8B is 16 GB */
    {DEPLOYED("\"measured_memory\":{\"weights_bytes\":1e12,\"kv_bytes\":2e11,\"graph_bytes\":1e9}"),
     "/deployment/measured_memory/weights_bytes /deployment/measured_memory/kv_bytes", NULL},
    {DEPLOYED("\"measured_memory\":{\"total_bytes\":1e12}"),
     "/deployment/measured_memory/total_bytes", NULL},
    {DEPLOYED("\"measured_memory\":{\"kv_tokens\":1000000}"),
     "/deployment/measured_memory/kv_tokens", NULL},
    {DEPLOYED("\"checkpoint_bytes\":1.4e11"), "/deployment/checkpoint_bytes", NULL},
    {DEPLOYED("\"speculative\":{\"acceptance\":0.5}"), "/deployment/speculative/method", NULL},
    /* every fault at once */
    {"{\"model\":\"lama-3.1-8b\",\"hardware\":\"h100-sxn\",\"deployment\":{\"wieghts\":\"fp8\","
     "\"tp\":3.5,\"sampler\":\"x\"},"
     "\"workload\":{\"concurrency\":\"32\",\"input_tokens\":0},\"slo\":7,\"concurrency\":3}",
     "/model /hardware /deployment/wieghts /deployment/tp /deployment/sampler "
     "/workload/concurrency "
     "/workload/input_tokens /slo /concurrency",
     "llama-3.1-8b"},
};

static void each_fault_points_at_its_field(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    for (size_t i = 0; i < ARRAY_LEN(REFUSALS); i++) {
        const struct refusal *row = &REFUSALS[i];
        kit_read_json(kit, row->json, &reading);
        const char *pointers = kit_fault_pointers(kit, &reading);
        if (strcmp(pointers, row->pointers) != 0)
            fail_msg("%s\n  faults at %s\n  expected %s", row->json, pointers, row->pointers);
        assert_false(reading.complete);
        const char *suggestion = reading.faults.items[0].suggestion;
        if (row->suggestion && (!suggestion || strcmp(suggestion, row->suggestion) != 0))
            fail_msg("%s\n  suggests %s, not %s", row->json, suggestion ? suggestion : "nothing",
                     row->suggestion);
        assert_true(strlen(reading.faults.items[0].detail) > 8);
    }
}

/* No batch is captured: none of the graphs' memory, and steps launch kernel by kernel. */
static void a_graph_of_no_batch_is_no_graph(void **state)
{
    struct reading reading;

    kit_read_json(*state, DEPLOYED("\"graph_max_batch\":0"), &reading);
    assert_true(reading.complete);
    assert_false(reading.request.problem.dep.cuda_graphs);
    assert_false(reading.request.assumed[FIELD_ID_CUDA_GRAPHS]);
    kit_read_json(*state, DEPLOYED("\"graph_max_batch\":8"), &reading);
    assert_true(reading.request.problem.dep.cuda_graphs);
}

/* What the log of another deployment would say: possible, and worth a second look. */
static void doubtful_memory_is_pointed_at(void **state)
{
    static const struct {
        const char *json, *pointer;
    } ROWS[] = {
        {DEPLOYED("\"measured_memory\":{\"weights_bytes\":40e9}"),
         "/deployment/measured_memory/weights_bytes"},
        {DEPLOYED("\"measured_memory\":{\"kv_tokens\":50000}"),
         "/deployment/measured_memory/kv_tokens"},
        {DEPLOYED("\"checkpoint_bytes\":5e9"), "/deployment/checkpoint_bytes"},
        {DEPLOYED("\"measured_memory\":{\"weights_bytes\":15e9,\"kv_tokens\":400000}"), NULL},
        {DEPLOYED("\"checkpoint_bytes\":16.1e9"), NULL},
    };
    struct reading reading;

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        kit_read_json(*state, ROWS[i].json, &reading);
        const struct described_note *note = reading.request.described.notes;
        assert_true(reading.complete);
        assert_int_equal(note != NULL, ROWS[i].pointer != NULL);
        if (note)
            assert_string_equal(note->pointer, ROWS[i].pointer);
    }
}

static void an_ambiguous_alias_lists_what_it_could_mean(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    kit_read_json(kit, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"V100\"}", &reading);
    assert_int_equal(reading.faults.n, 1);
    assert_non_null(strstr(reading.faults.items[0].detail, "v100-sxm-16gb"));
    assert_non_null(strstr(reading.faults.items[0].detail, "v100-sxm-32gb"));
}

static void a_fault_says_what_was_expected_and_what_came(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    kit_read_json(kit, LOADED("\"concurrency\":\"32\""), &reading);
    assert_string_equal(reading.faults.items[0].detail,
                        "expected a whole number from 1 to 1000000 requests, got \"32\"");
    kit_read_json(kit, DEPLOYED("\"sampler\":[]"), &reading);
    assert_string_equal(reading.faults.items[0].detail, "expected one of device, host, got a list");
}

static void faults_past_the_maximum_are_counted(void **state)
{
    struct kit *kit = *state;
    struct reading reading;
    char body[8000] = "{" BASE;
    size_t length = strlen(body);

    for (int i = 0; i < 300; i++)
        length += (size_t)snprintf(body + length, sizeof(body) - length, ",\"zz%d\":1", i);
    snprintf(body + length, sizeof(body) - length, "}");
    kit_read_json(kit, body, &reading);
    assert_int_equal(reading.faults.n, FAULTS_MAX);
    assert_int_equal(reading.faults.dropped, 300 - FAULTS_MAX);
}

/* A body full of unknown names costs little more than its first hundred: the others are not looked
 * for. */
static void faults_past_the_maximum_cost_nothing(void **state)
{
    enum { KEYS = 10200, KEY_ROOM = 32 };

    struct kit *kit = *state;
    struct reading reading = {0};
    struct arena *small = arena_new((size_t)256 << 10);
    const struct intake intake = {kit->catalogue, small, &reading.faults, ""};
    cJSON *body = cJSON_CreateObject();

    for (int i = 0; i < KEYS; i++) {
        char name[KEY_ROOM];
        snprintf(name, sizeof(name), "concurrent_tokens%d", i);
        cJSON_AddTrueToObject(body, name);
    }
    faults_init(&reading.faults, small);
    plan_request_read_json(&intake, body, &reading.request);
    assert_int_equal(reading.faults.n, FAULTS_MAX);
    assert_int_equal(reading.faults.dropped, KEYS - FAULTS_MAX);
    assert_non_null(arena_alloc(small, (size_t)64 << 10));
    cJSON_Delete(body);
    arena_free(small);
}

/* The same leaves from a query -------------------------------------------------------------------
 */

struct pair {
    const char *json, *query;
};

#define ASKED "model=llama-3.1-8b&hardware=h100-sxm"

static const struct pair PAIRS[] = {
    {"{" BASE "}", ASKED},
    {"{" BASE ",\"deployment\":{\"weights\":\"fp8\"},\"workload\":{\"concurrency\":32,\"input_"
     "tokens\":2048}}",
     ASKED "&concurrency=32&input_tokens=2048&weights=fp8"},
    {DEPLOYED("\"tp\":4,\"sampler\":\"host\",\"cuda_graphs\":false"),
     ASKED "&tp=4&sampler=host&cuda_graphs=false"},
    {DEPLOYED("\"tp\":4,\"cuda_graphs\":true"), ASKED "&deployment.tp=4&/deployment/cuda_graphs=1"},
    {DEPLOYED("\"speculative\":{\"method\":\"eagle3\",\"tokens\":4,\"acceptance\":0.65}"), ASKED
     "&speculative.method=eagle3&speculative.tokens=4&deployment.speculative.acceptance=0.65"},
    {DEPLOYED("\"tp\":2,\"pp\":2,\"device_memory_gib\":\"80,80,40,39.5\""),
     ASKED "&tp=2&pp=2&device_memory_gib=80,80,40,39.5"},
    {DEPLOYED("\"kv_tier\":{\"kind\":\"host\",\"gbps\":50}"),
     ASKED "&kv_tier.kind=host&kv_tier.gbps=50"},
    {DEPLOYED("\"disaggregation\":{\"prefill_devices\":2}"),
     ASKED "&disaggregation.prefill_devices=2"},
    {DEPLOYED("\"logit_processors\":[\"penalties\",\"min_p\"]"),
     ASKED "&logit_processors=penalties,min_p"},
    {DEPLOYED("\"logit_processors\":[]"), ASKED "&logit_processors=none"},
    {"{" BASE ",\"workload\":{\"request_rate\":2.5,\"requests\":100},\"slo\":{\"ttft_ms\":500}}",
     ASKED "&request_rate=2.5&requests=100&ttft_ms=500"},
    {"{" BASE "}",
     ASKED "&tp=&weights=&view=summary&format=json"}, /* an empty form field is absent */
    {DEPLOYED("\"tp\":null,\"speculative\":null,\"kv_tier\":{\"gbps\":null}"), ASKED},
    {LOADED("\"concurrency\":1e2"), ASKED "&concurrency=100"},
};

static void a_query_and_a_body_give_the_same_request(void **state)
{
    struct kit *kit = *state;
    struct reading posted, asked;

    for (size_t i = 0; i < ARRAY_LEN(PAIRS); i++) {
        kit_read_json(kit, PAIRS[i].json, &posted);
        if (!posted.complete)
            fail_msg("%s: %s", PAIRS[i].json, posted.faults.items[0].detail);
        char *text = strdup(kit_request_text(kit, &posted));
        kit_read_query(kit, PAIRS[i].query, &asked);
        if (!asked.complete)
            fail_msg("%s: %s", PAIRS[i].query, asked.faults.items[0].detail);
        assert_string_equal(kit_request_text(kit, &asked), text);
        assert_memory_equal(posted.request.given, asked.request.given, sizeof(asked.request.given));
        assert_memory_equal(posted.request.assumed, asked.request.assumed,
                            sizeof(asked.request.assumed));
        free(text);
    }
}

static const struct refusal QUERY_REFUSALS[] = {
    {"", "?model ?hardware", NULL},
    {ASKED "&tp=2&tp=4", "?tp", NULL},
    {ASKED "&tp=2&deployment.tp=4", "?deployment.tp", NULL},
    {ASKED "&concurency=2", "?concurency", "concurrency"},
    {ASKED "&concurrency=0x10", "?concurrency", NULL},
    {ASKED "&concurrency=inf", "?concurrency", NULL},
    {ASKED "&concurrency=nan", "?concurrency", NULL},
    {ASKED "&concurrency=1e", "?concurrency", NULL},
    {ASKED "&concurrency= 4", "?concurrency", NULL},
    {ASKED "&concurrency=4x", "?concurrency", NULL},
    {ASKED "&cuda_graphs=maybe", "?cuda_graphs", NULL},
    {ASKED "&logit_processors=min_p,minp", "?logit_processors", NULL},
    {ASKED "&cached_prefix_tokens=2000", "?cached_prefix_tokens", NULL},
    {ASKED "&ep=2", "?ep", NULL},
    {"model=lama-3.1-8b&hardware=h100-sxm", "?model", "llama-3.1-8b"},
};

static void faults_of_a_query_name_the_argument(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    for (size_t i = 0; i < ARRAY_LEN(QUERY_REFUSALS); i++) {
        const struct refusal *row = &QUERY_REFUSALS[i];
        kit_read_query(kit, row->json, &reading);
        const char *pointers = kit_fault_pointers(kit, &reading);
        if (strcmp(pointers, row->pointers) != 0)
            fail_msg("%s\n  faults at %s\n  expected %s", row->json, pointers, row->pointers);
        if (row->suggestion)
            assert_string_equal(reading.faults.items[0].suggestion, row->suggestion);
    }
}

/* One leaf by its pointer -----------------------------------------------------------------------
 */

static void a_leaf_is_set_by_its_pointer(void **state)
{
    struct kit *kit = *state;
    struct reading reading;
    const struct intake intake = {kit->catalogue, kit->arena, &reading.faults, ""};
    cJSON *eight = cJSON_CreateNumber(8), *text = cJSON_CreateString("eight"),
          *null = cJSON_CreateNull();

    arena_reset(kit->arena);
    memset(&reading, 0, sizeof(reading));
    faults_init(&reading.faults, kit->arena);
    cJSON_Delete(kit->body);
    kit->body =
        cJSON_Parse("{" BASE ",\"deployment\":{\"tp\":2},\"workload\":{\"concurrency\":4}}");
    plan_request_read_json(&intake, kit->body, &reading.request);
    assert_true(field_set_by_pointer(&intake, &reading.request, "/workload/concurrency", eight));
    assert_true(field_set_by_pointer(&intake, &reading.request, "/deployment/tp", null));
    assert_int_equal(reading.faults.n, 0);
    assert_false(field_set_by_pointer(&intake, &reading.request, "/workload/input_tokens", text));
    assert_false(field_set_by_pointer(&intake, &reading.request, "/workload/concurency", eight));
    assert_int_equal(reading.faults.n, 2);
    assert_string_equal(reading.faults.items[1].suggestion, "/workload/concurrency");
    reading.faults.n = 0;
    assert_true(plan_request_resolve(&intake, &reading.request));
    assert_true(reading.request.problem.load.concurrency == 8);
    assert_true(reading.request.problem.dep.tp == 1);
    assert_true(reading.request.assumed[FIELD_ID_TP]);
    cJSON_Delete(eight);
    cJSON_Delete(text);
    cJSON_Delete(null);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_its_place_and_a_line_for_people),
        cmocka_unit_test(each_fault_points_at_its_field),
        cmocka_unit_test(a_graph_of_no_batch_is_no_graph),
        cmocka_unit_test(doubtful_memory_is_pointed_at),
        cmocka_unit_test(an_ambiguous_alias_lists_what_it_could_mean),
        cmocka_unit_test(a_fault_says_what_was_expected_and_what_came),
        cmocka_unit_test(faults_past_the_maximum_are_counted),
        cmocka_unit_test(faults_past_the_maximum_cost_nothing),
        cmocka_unit_test(a_query_and_a_body_give_the_same_request),
        cmocka_unit_test(faults_of_a_query_name_the_argument),
        cmocka_unit_test(a_leaf_is_set_by_its_pointer),
    };
    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
