/* The table of kernel names over the API, and what one name is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "app_kit.h"
#include "kernel_names.h"
#include "sql.h"

static int count_rows(void)
{
    int n = 0;

    while (kernel_row_at((size_t)n)) {
        n++;
    }
    return n;
}

/* Names in an address: percent-encoded where they must be. */
static void one_name(void **state)
{
    static const struct {
        const char *target, *class, *budget;
        bool ambiguous;
    } ROWS[] = {
        {"/v1/kernels?name=nvjet_tst_128x8_64x12_4x1_v_bz_TNT", "dense_gemm", "dense_gemm", false},
        {"/v1/kernels?name=Memcpy%20HtoD%20(Pageable%20-%3E%20Device)", "memcpy_h2d", NULL, false},
        {"/v1/kernels?name=_fwd_kernel", "attention", "decode_attention", true},
        {"/v1/kernels?name=zzz", "unclassified", NULL, false},
        {"/v1/kernels?name=", "unclassified", NULL, false},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        cJSON *reply = app_kit_json(*state, ROWS[i].target, 200);
        const cJSON *row = app_kit_at(reply, "row");
        assert_string_equal(app_kit_text(reply, "class"), ROWS[i].class);
        assert_int_equal(cJSON_IsString(app_kit_at(reply, "ambiguous")), ROWS[i].ambiguous);
        const cJSON *budget = cJSON_GetArrayItem(app_kit_at(reply, "compared_with"), 0);
        assert_int_equal(budget != NULL, ROWS[i].budget != NULL);
        if (budget) {
            assert_string_equal(budget->valuestring, ROWS[i].budget);
        }
        assert_int_equal(cJSON_IsNull(row), strcmp(ROWS[i].class, "unclassified") == 0);
        if (!cJSON_IsNull(row)) {
            assert_string_equal(app_kit_text(row, "class"), ROWS[i].class);
            assert_true(strncmp(app_kit_text(row, "source"), "https://", 8) == 0);
        }
        cJSON_Delete(reply);
    }
}

static void filters_narrow(void **state)
{
    int classes = 0;

    for (int i = 0; i < KERNEL_CLASS_COUNT; i++) {
        char target[200];
        const char *class = kernel_class_name((enum kernel_class)i);
        assert_true(text_print(target, sizeof target, "/v1/kernels?limit=1000&class=%s", class));
        cJSON *reply = app_kit_json(*state, target, 200);
        const cJSON *item = NULL;
        cJSON_ArrayForEach(item, app_kit_at(reply, "items"))
        {
            assert_string_equal(app_kit_text(item, "class"), class);
        }
        classes += (int)app_kit_number(reply, "total");
        cJSON_Delete(reply);
    }
    assert_int_equal(classes, count_rows());

    cJSON *reply = app_kit_json(*state, "/v1/kernels?engine=llama.CPP&limit=1", 200);
    assert_string_equal(app_kit_text(cJSON_GetArrayItem(app_kit_at(reply, "items"), 0), "engine"),
                        "llama.cpp");
    cJSON_Delete(reply);
    reply = app_kit_json(*state, "/v1/kernels?q=NVJET&class=&engine=", 200);
    assert_int_equal((int)app_kit_number(reply, "total"), 1);
    cJSON_Delete(reply);
}

static void pages_join(void **state)
{
    char target[300] = "/v1/kernels?limit=100";
    int n = 0;

    while (*target) {
        cJSON *page = app_kit_json(*state, target, 200);
        const cJSON *item = NULL;
        assert_int_equal((int)app_kit_number(page, "total"), count_rows());
        cJSON_ArrayForEach(item, app_kit_at(page, "items"))
        {
            assert_string_equal(app_kit_text(item, "pattern"), kernel_row_at((size_t)n)->pattern);
            n++;
        }
        const char *next = app_kit_text(page, "next_cursor");
        assert_true(text_print(target, sizeof target, "%s%s",
                               *next ? "/v1/kernels?limit=100&cursor=" : "", next));
        cJSON_Delete(page);
    }
    assert_int_equal(n, count_rows());
}

static void tables(void **state)
{
    int status = 0;
    const char *body = app_kit_get(*state, "/v1/kernels?limit=1&format=csv", &status);

    assert_int_equal(status, 200);
    assert_non_null(strstr(body, "pattern,class,engine,source,example,ambiguous,"
                                 "compared_with\r\n"));
    body = app_kit_get(*state, "/v1/kernels?name=nvjet_tst&format=csv", &status);
    assert_non_null(strstr(body, "\r\nnvjet,dense_gemm,"));
    assert_non_null(strstr(body, ",dense_gemm lm_head\r\n"));
}

static void faults(void **state)
{
    static const struct {
        const char *target, *says;
    } ROWS[] = {
        {"/v1/kernels?class=gemm", "no class of kernels"},
        {"/v1/kernels?class=dense_gem", "\"suggestion\":\"dense_gemm\""},
        {"/v1/kernels?engine=vlm", "\"suggestion\":\"vLLM\""},
        {"/v1/kernels?limit=0", "?limit"},
        {"/v1/kernels?cursor=zz", "is not a next_cursor"},
        {"/v1/kernels?cursor=7a7a", "is not a next_cursor"},
        {"/v1/kernels?nane=x", "unknown argument"},
        {"/v1/kernels?name=x&class=other", "does not go with ?name="},
        {"/v1/kernels?name=x&name=y", "stands twice"},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        int status = 0;
        const char *body = app_kit_get(*state, ROWS[i].target, &status);
        assert_int_equal(status, 422);
        if (!strstr(body, ROWS[i].says)) {
            fail_msg("%s: %s", ROWS[i].target, body);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_name), cmocka_unit_test(filters_narrow), cmocka_unit_test(pages_join),
        cmocka_unit_test(tables),   cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
