/* GET /backtest: complete in itself, filters that keep each other, what cannot be asked. */
#include "backtest_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app_kit.h"

#define PAGE_BYTES_MAX ((size_t)200 * 1024)

static int count(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        n++;
    return n;
}

static void a_page_is_complete_in_itself(void **state)
{
    int status = 0;
    const char *page = app_kit_get(*state, "/backtest", &status);
    assert_int_equal(status, 200);
    assert_true(strlen(page) < PAGE_BYTES_MAX);
    assert_true(strncmp(page, "<!doctype html>", 15) == 0);
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "src="));
    assert_null(strstr(page, "@import"));
    assert_int_equal(count(page, "<svg"), 2);
    assert_int_equal(count(page, "<li>"), 20);
    assert_int_equal(count(page, "<li>"), count(page, "</li>"));
    assert_int_equal(count(page, "<table>"), count(page, "</table>"));
    assert_int_equal(count(page, "<details"), count(page, "</details>"));
    assert_non_null(strstr(page, "cell left out"));
    assert_non_null(strstr(page, "rel=\"next\""));
}

/* Links change one filter and keep the others. */
static void filters_keep_each_other(void **state)
{
    int status = 0;
    const char *page = app_kit_get(*state, "/backtest?engine=vllm&metric=tpot_ms", &status);
    assert_int_equal(status, 200);
    assert_int_equal(count(page, "<svg"), 1);
    assert_non_null(
        strstr(page, "href=\"/backtest?metric=tpot_ms&amp;engine=vllm&amp;hardware=h100-sxm\""));
    assert_non_null(strstr(page, "aria-current=\"true\" href=\"/backtest?metric=tpot_ms&amp;"
                                 "engine=vllm\">vllm</a>"));
    assert_non_null(strstr(page, "href=\"/backtest?metric=tpot_ms\">all</a>"));
}

static void every_link_of_the_filters_is_answered(void **state)
{
    int status = 0, n = 0;
    char *page = strdup(app_kit_get(*state, "/backtest", &status));
    const char *at = strstr(page, "<nav");
    const char *end = strstr(page, "</nav>");
    while ((at = strstr(at, "href=\"")) != NULL && at < end) {
        char target[400];
        size_t length = 0;
        for (at += 6; *at != '"' && length < sizeof(target) - 1; at++) {
            target[length++] = *at;
            at += strncmp(at, "&amp;", 5) == 0 ? 4 : 0;
        }
        target[length] = '\0';
        (void)app_kit_get(*state, target, &status);
        if (status != 200)
            fail_msg("%s: %d", target, status);
        n++;
    }
    free(page);
    assert_true(n > 30);
}

static void other_sources_have_their_page(void **state)
{
    int status = 0;
    const char *page = app_kit_get(*state, "/backtest?set=other", &status);
    assert_int_equal(status, 200);
    assert_true(count(page, "<svg") >= 4);
    assert_non_null(strstr(page, "Runs of other sources"));
}

static void what_cannot_be_asked(void **state)
{
    int status = 0;
    const char *problem = app_kit_get(*state, "/backtest?engine=vlm", &status);
    assert_int_equal(status, 422);
    assert_non_null(strstr(problem, "\"suggestion\":\"vllm\""));
}

static void other_pages_lead_here(void **state)
{
    int status = 0;
    assert_non_null(strstr(app_kit_get(*state, "/plain", &status), "href=\"/backtest\""));
    assert_non_null(strstr(app_kit_get(*state, "/docs", &status), "href=\"/backtest\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_complete_in_itself),
        cmocka_unit_test(filters_keep_each_other),
        cmocka_unit_test(every_link_of_the_filters_is_answered),
        cmocka_unit_test(other_sources_have_their_page),
        cmocka_unit_test(what_cannot_be_asked),
        cmocka_unit_test(other_pages_lead_here),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
