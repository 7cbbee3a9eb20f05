/* The API's description and its reference pages, in process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app_kit.h"
#include "fields.h"
#include "openapi_operations.h"
#include "openapi_schemas.h"
#include "plan.h"

#define PAGE_BYTES_MAX ((size_t)192 * 1024)

static void every_route_has_its_operation(void **state)
{
    (void)state;
    assert_true(operations_complete());
}

static void every_schema_that_is_named_exists(void **state)
{
    (void)state;
    for (int i = 0; schema_at(i); i++) {
        for (int j = 0; j < schema_at(i)->n; j++) {
            const char *of = schema_at(i)->members[j].of;
            bool found = !of || strcmp(of, "PlanRequest") == 0;
            for (int k = 0; schema_at(k) && !found; k++) {
                found = strcmp(schema_at(k)->name, of) == 0;
            }
            if (!found) {
                fail_msg("%s names %s", schema_at(i)->name, of);
            }
        }
    }
}

static void the_same_bytes_every_time(void **state)
{
    const struct app_kit *kit = *state;
    int status = 0;
    char *first = strdup(app_kit_get(kit, "/openapi.json", &status));
    assert_int_equal(status, 200);
    assert_string_equal(app_kit_get(kit, "/openapi.json", &status), first);
    free(first);
}

/* A leaf of the request's schema, by its section and name. */
static const cJSON *leaf(const cJSON *document, const char *path)
{
    char whole[200];
    snprintf(whole, sizeof(whole), "components/schemas/PlanRequest/properties/%s", path);
    return app_kit_at(document, whole);
}

/* Ranges, defaults and names as the reference of the API states them: tp 1 to 1024, fractions of
 * memory up to 1, the names of the control planes. */
static void fields_show_their_ranges(void **state)
{
    const struct app_kit *kit = *state;
    cJSON *document = app_kit_json(kit, "/openapi.json", 200);
    const cJSON *tp = leaf(document, "deployment/properties/tp");
    const cJSON *share = leaf(document, "deployment/properties/memory_utilization");
    const cJSON *plane = leaf(document, "deployment/properties/control_plane/enum");
    const cJSON *gbps = leaf(document, "deployment/properties/kv_tier/properties/gbps");
    assert_true(app_kit_number(tp, "minimum") == 1 && app_kit_number(tp, "maximum") == 1024);
    assert_true(app_kit_number(tp, "default") == 1);
    assert_true(app_kit_number(share, "maximum") == 1);
    assert_string_equal(cJSON_GetArrayItem(plane, 0)->valuestring, "python");
    assert_string_equal(cJSON_GetArrayItem(plane, 1)->valuestring, "native");
    assert_true(cJSON_IsNull(cJSON_GetArrayItem(plane, 2)));
    assert_true(app_kit_number(gbps, "maximum") == 1e6);
    assert_string_equal(app_kit_text(document, "openapi"), "3.1.0");
    cJSON_Delete(document);
}

/* Every leaf of the table is a parameter of GET /v1/plan; two of them are required. */
static void every_leaf_is_a_parameter(void **state)
{
    const struct app_kit *kit = *state;
    cJSON *document = app_kit_json(kit, "/openapi.json", 200);
    const cJSON *paths = app_kit_at(document, "paths");
    const cJSON *plan = cJSON_GetObjectItemCaseSensitive(paths, "/v1/plan");
    const cJSON *parameter = NULL;
    int leaves = 0;
    int required = 0;
    cJSON_ArrayForEach(parameter, app_kit_at(plan, "get/parameters"))
    {
        for (int i = 0; i < PLAN_FIELDS.n; i++) {
            leaves += strcmp(app_kit_text(parameter, "name"), PLAN_FIELDS.rows[i].query) == 0;
        }
        required += cJSON_IsTrue(app_kit_at(parameter, "required"));
    }
    assert_int_equal(leaves, PLAN_FIELDS.n);
    assert_int_equal(required, 2);
    cJSON_Delete(document);
}

/* The example of a reply is what its example of a request gives. */
static void the_example_is_a_real_plan(void **state)
{
    const struct app_kit *kit = *state;
    cJSON *document = app_kit_json(kit, "/openapi.json", 200);
    const cJSON *paths = app_kit_at(document, "paths");
    const cJSON *post = app_kit_at(cJSON_GetObjectItemCaseSensitive(paths, "/v1/plan"), "post");
    const cJSON *content = app_kit_at(post, "responses/200/content");
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(content, "application/json");
    cJSON *plan = app_kit_json(kit,
                               "/v1/plan?model=llama-3.1-8b&hardware=h100-sxm&weights=fp8&"
                               "concurrency=32&input_tokens=2048&output_tokens=256&tpot_ms=30",
                               200);
    const cJSON *full = app_kit_at(json, "examples/full/value");
    assert_true(cJSON_Compare(app_kit_at(plan, "decode"), app_kit_at(full, "decode"), 1));
    assert_true(cJSON_Compare(app_kit_at(plan, "request"), app_kit_at(full, "request"), 1));
    assert_non_null(app_kit_at(json, "examples/summary/value/regime"));
    cJSON_Delete(plan);
    cJSON_Delete(document);
}

static void check_page(const struct app_kit *kit, const char *target)
{
    int status = 0;
    const char *page = app_kit_get(kit, target, &status);
    if (status != 200 || strncmp(page, "<!doctype html>", 15) != 0 ||
        strlen(page) > PAGE_BYTES_MAX) {
        fail_msg("%s: %d, %zu bytes", target, status, strlen(page));
    }
    assert_null(strstr(page, "src="));
    assert_null(strstr(page, "href=\"http"));
    assert_null(strstr(page, "<script"));
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
}

/* Every link of the page to a page of this service leads somewhere. */
static void check_links(const struct app_kit *kit, const char *target)
{
    int status = 0;
    char *page = strdup(app_kit_get(kit, target, &status));
    for (const char *at = strstr(page, "href=\"/"); at; at = strstr(at + 1, "href=\"/")) {
        char link[300];
        at += 6;
        snprintf(link, sizeof(link), "%.*s", (int)strcspn(at, "\""), at);
        (void)app_kit_get(kit, link, &status);
        if (status != 200) {
            fail_msg("%s links to %s: %d", target, link, status);
        }
    }
    free(page);
}

static void check_item(const struct app_kit *kit, const char *kind, const char *id)
{
    char target[200];
    snprintf(target, sizeof(target), "/docs/%s/%s", kind, id);
    check_page(kit, target);
    check_links(kit, target);
}

static void every_page_is_whole_and_its_links_lead_somewhere(void **state)
{
    const struct app_kit *kit = *state;
    check_page(kit, "/docs");
    check_links(kit, "/docs");
    for (int i = 0; i < CLASS_COUNT; i++) {
        check_item(kit, "classes", class_name((enum class_id)i));
    }
    for (int i = 0; i < REGIME_COUNT; i++) {
        check_item(kit, "regimes", regime_name((enum regime_id)i));
    }
    for (int i = 0; cure_info(i); i++) {
        check_item(kit, "cures", cure_info(i)->id);
    }
}

static void pages_say_what_matters(void **state)
{
    static const struct {
        const char *target, *text;
    } ROWS[] = {
        {"/docs/classes/dense_gemm", "2 x parameters x rows"},
        {"/docs/classes/dense_gemm", "/docs/cures/fp8_weights"},
        {"/docs/classes/dense_gemm", "/docs/regimes/weight_bandwidth"},
        {"/docs/classes/decode_attention", "/v1/anchors/"},
        {"/docs/regimes/weight_bandwidth", "TPOT hardly moves with concurrency"},
        {"/docs/cures/device_sampling", "/v1/anchors/llamacpp-27050-32slot-host-sampling"},
        {"/docs/cures/fp8_weights", "no record"},
        {"/docs", "/workload/concurrency"},
        {"/docs", "a whole number from 1 to 1024"},
        {"/plain", "/docs"},
    };
    const struct app_kit *kit = *state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        int status = 0;
        if (!strstr(app_kit_get(kit, ROWS[i].target, &status), ROWS[i].text)) {
            fail_msg("%s lacks %s", ROWS[i].target, ROWS[i].text);
        }
    }
}

static void an_unknown_page_names_the_nearest(void **state)
{
    const struct app_kit *kit = *state;
    cJSON *problem = app_kit_json(kit, "/docs/classes/dense_gem", 404);
    assert_non_null(strstr(app_kit_text(problem, "detail"), "dense_gemm"));
    cJSON_Delete(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_has_its_operation),
        cmocka_unit_test(every_schema_that_is_named_exists),
        cmocka_unit_test(the_same_bytes_every_time),
        cmocka_unit_test(fields_show_their_ranges),
        cmocka_unit_test(every_leaf_is_a_parameter),
        cmocka_unit_test(the_example_is_a_real_plan),
        cmocka_unit_test(every_page_is_whole_and_its_links_lead_somewhere),
        cmocka_unit_test(pages_say_what_matters),
        cmocka_unit_test(an_unknown_page_names_the_nearest),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
