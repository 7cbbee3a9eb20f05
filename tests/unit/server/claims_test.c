/*
 * The claims' figures, computed by the planner, against the audit's: a change of the planner that
 * moves one, or a claim that says something else, fails here.
 */
#include "claims_live.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app_kit.h"
#include "claim_verdict.h"

#define N_CLAIMS 95
#define N_LIVE_MIN 40

static cJSON *all_claims(const struct app_kit *kit)
{
    return app_kit_json(kit, "/v1/claims?limit=1000", 200);
}

static void every_figure_agrees_with_the_audit(void **state)
{
    cJSON *list = all_claims(*state);
    const cJSON *claim = NULL;
    const cJSON *live = NULL;
    int n_live = 0;
    int n_wrong = 0;
    cJSON_ArrayForEach(claim, app_kit_at(list, "items"))
    {
        n_live += cJSON_GetArraySize(app_kit_at(claim, "live")) > 0;
        cJSON_ArrayForEach(live, app_kit_at(claim, "live"))
        {
            if (!cJSON_IsTrue(app_kit_at(live, "agrees"))) {
                print_error("%s, %s: %.9g, the audit has %.9g\n", app_kit_text(claim, "id"),
                            app_kit_text(live, "label"), app_kit_number(live, "value"),
                            app_kit_number(live, "expect"));
                n_wrong++;
            }
        }
    }
    cJSON_Delete(list);
    assert_int_equal(n_wrong, 0);
    assert_true(n_live >= N_LIVE_MIN);
}

/* Figures that are published or follow by hand from the models' config.json, so that the table
 * above cannot agree with itself alone. */
static void figures_known_by_hand(void **state)
{
    static const struct {
        const char *id;
        double value, tolerance;
    } ROWS[] = {
        {"claim-01", 8030261248.0, 1e-9}, /* 32 x 218,103,808 + 2 x 525,336,576 + 65 x 4,096 */
        {"claim-11", 281.475, 1e-5},      /* 2 x 4,096 x 32,768^2 x 32 layers */
        {"claim-16", 295.373, 1e-5},      /* 989.5 / 3.35 */
        {"claim-17", 241.778, 1e-5},      /* 256 x 1,088 / 1,152 */
        {"claim-37", 608.256, 1e-6},      /* 4 x 152,064 */
        {"claim-53", 425.722, 1e-5},      /* 58 x 2 x 32 x 8 x 7,168 x 2 */
        {"claim-59", 53248, 1e-9},        /* 218,103,808 / 4,096 */
        {"claim-69", 114516, 1e-5},       /* 15,009,849,344 / 131,072 */
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char target[64] = "/v1/claims/";
        strncat(target, ROWS[i].id, sizeof(target) - strlen(target) - 1);
        cJSON *claim = app_kit_json(*state, target, 200);
        const cJSON *live = cJSON_GetArrayItem(app_kit_at(claim, "live"), 0);
        double value = app_kit_number(live, "value");
        if (!(fabs(value - ROWS[i].value) <= ROWS[i].tolerance * ROWS[i].value)) {
            fail_msg("%s is %.9g", ROWS[i].id, value);
        }
        cJSON_Delete(claim);
    }
}

static void every_link_leads_to_its_plan(void **state)
{
    cJSON *list = all_claims(*state);
    const cJSON *claim = NULL;
    const cJSON *live = NULL;
    const cJSON *plan = NULL;
    cJSON_ArrayForEach(claim, app_kit_at(list, "items"))
    {
        cJSON_ArrayForEach(live, app_kit_at(claim, "live"))
        {
            cJSON_ArrayForEach(plan, app_kit_at(live, "plans"))
            {
                cJSON *reply = app_kit_json(*state, app_kit_text(plan, "link"), 200);
                assert_string_equal(app_kit_text(reply, "request/model"),
                                    app_kit_text(plan, "request/model"));
                cJSON_Delete(reply);
            }
        }
    }
    cJSON_Delete(list);
}

/* What the link of claim-11 shows is what the claim says. */
static void a_link_gives_the_figure(void **state)
{
    cJSON *claim = app_kit_json(*state, "/v1/claims/claim-11", 200);
    const cJSON *live = cJSON_GetArrayItem(app_kit_at(claim, "live"), 0);
    const cJSON *plan = cJSON_GetArrayItem(app_kit_at(live, "plans"), 0);
    cJSON *reply = app_kit_json(*state, app_kit_text(plan, "link"), 200);
    double flops = app_kit_number(reply, "prefill/attention_flops");
    assert_true(fabs(flops * 1e-12 - app_kit_number(live, "value")) < 1e-6);
    cJSON_Delete(reply);
    cJSON_Delete(claim);
}

static void there_are_95_with_known_verdicts(void **state)
{
    cJSON *list = all_claims(*state);
    const cJSON *claim = NULL;
    int n = 0;
    assert_int_equal((int)app_kit_number(list, "total"), N_CLAIMS);
    cJSON_ArrayForEach(claim, app_kit_at(list, "items"))
    {
        const char *id = app_kit_text(claim, "id");
        n++;
        assert_int_equal((id[6] - '0') * 10 + (id[7] - '0'), n);
        assert_non_null(claim_verdict_find(app_kit_text(claim, "verdict")));
        assert_true(*app_kit_text(claim, "verdict_meaning"));
        assert_true(*app_kit_text(claim, "claimed"));
        assert_true(*app_kit_text(claim, "derivation"));
        assert_true(cJSON_GetArraySize(app_kit_at(claim, "provenance")) > 0);
    }
    assert_int_equal(n, N_CLAIMS);
    cJSON_Delete(list);
}

/* "No record of a 32k TTFT" and "no attribution of a measured step" are refuted by records. */
static void refuted_no_records_hold_their_records(void **state)
{
    static const char *const IDS[] = {"/v1/claims/claim-76", "/v1/claims/claim-93"};
    for (size_t i = 0; i < sizeof(IDS) / sizeof(IDS[0]); i++) {
        cJSON *claim = app_kit_json(*state, IDS[i], 200);
        const cJSON *item = NULL;
        int n = 0;
        assert_string_equal(app_kit_text(claim, "verdict"), "refuted");
        cJSON_ArrayForEach(item, app_kit_at(claim, "records"))
        {
            n += strcmp(app_kit_text(item, "kind"), "anchor") == 0 &&
                 strcmp(app_kit_text(item, "bears"), "refutes") == 0;
        }
        assert_true(n >= 9);
        cJSON_Delete(claim);
    }
}

static void filters_and_pages(void **state)
{
    static const struct {
        const char *target;
        int total;
    } ROWS[] = {
        {"/v1/claims?verdict=reproduced&section=3", 6},
        {"/v1/claims?verdict=opinion", 2},
        {"/v1/claims?record=databricks-mpt7b-ttft&verdict=measured", 1},
        {"/v1/claims?section=8", 4},
        {"/v1/claims?q=scheduler.py", 1},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        cJSON *list = app_kit_json(*state, ROWS[i].target, 200);
        if ((int)app_kit_number(list, "total") != ROWS[i].total) {
            fail_msg("%s: %g", ROWS[i].target, app_kit_number(list, "total"));
        }
        cJSON_Delete(list);
    }
    cJSON_Delete(app_kit_json(*state, "/v1/claims?verdict=wrong", 422));
    cJSON_Delete(app_kit_json(*state, "/v1/claims/claim-96", 404));
}

static void a_figure_that_is_not_there_is_no_number(void **state)
{
    static const char *const LIVES[] = {
        "{\"plans\":[{\"model\":\"nobody\",\"hardware\":\"h100-sxm\"}],\"sum\":[{\"pointer\":\"/"
        "decode/bytes\"}]}",
        "{\"plans\":[{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}],\"sum\":[{"
        "\"pointer\":\"/decode/nothing\"}]}",
        "{\"plans\":[{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}],\"sum\":[{"
        "\"pointer\":\"/decode/classes/none/bytes\"}]}",
        "{\"plans\":[{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}],\"sum\":[{"
        "\"pointer\":\"/regime/id\"}]}",
        "{\"plans\":[{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}],\"sum\":[{"
        "\"pointer\":\"/decode\"}]}",
        "{\"plans\":[],\"sum\":[{\"pointer\":\"/decode/bytes\"}]}",
        "{\"plans\":[],\"sum\":[{\"pointer\":\"/decode/bytes\",\"plan\":-1}]}",
        "{\"plans\":[],\"sum\":[{}]}",
    };
    const struct app_kit *kit = *state;
    const struct catalogue *catalogue = store_catalogue(kit->store);
    for (size_t i = 0; i < sizeof(LIVES) / sizeof(LIVES[0]); i++) {
        cJSON *live = cJSON_Parse(LIVES[i]);
        assert_non_null(live);
        double value = claim_live_value(catalogue, live);
        assert_true(isnan(value));
        assert_false(claim_live_agrees(live, value));
        cJSON_Delete(live);
    }
    store_release(kit->store, catalogue);
}

static void an_inline_model_has_no_link(void **state)
{
    const struct app_kit *kit = *state;
    cJSON *body = cJSON_Parse("{\"model\":{\"hf_config\":{}},\"hardware\":\"h100-sxm\"}");
    cJSON *plain = cJSON_Parse("{\"model\":\"a/b c\",\"hardware\":\"x\",\"deployment\":{"
                               "\"logit_processors\":[\"min_p\",\"top_k\"],\"cuda_graphs\":false,"
                               "\"speculative\":{\"tokens\":3}},\"workload\":{\"concurrency\":2}}");
    assert_null(claim_plan_link(kit->arena, body));
    assert_string_equal(claim_plan_link(kit->arena, plain),
                        "/v1/plan?model=a%2Fb%20c&hardware=x&logit_processors=min_p,top_k&"
                        "cuda_graphs=false&speculative.tokens=3&concurrency=2");
    cJSON_Delete(body);
    cJSON_Delete(plain);
}

/* The second time a claim is a copy of the first. */
static void what_is_kept_is_what_was_computed(void **state)
{
    static char first[1 << 19];
    int status = 0;
    const char *body = app_kit_get(*state, "/v1/claims?limit=1000", &status);
    assert_true(strlen(body) < sizeof(first));
    memcpy(first, body, strlen(body) + 1);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(app_kit_get(*state, "/v1/claims?limit=1000", &status), first);
        assert_int_equal(status, 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_agrees_with_the_audit),
        cmocka_unit_test(figures_known_by_hand),
        cmocka_unit_test(every_link_leads_to_its_plan),
        cmocka_unit_test(a_link_gives_the_figure),
        cmocka_unit_test(there_are_95_with_known_verdicts),
        cmocka_unit_test(refuted_no_records_hold_their_records),
        cmocka_unit_test(filters_and_pages),
        cmocka_unit_test(a_figure_that_is_not_there_is_no_number),
        cmocka_unit_test(an_inline_model_has_no_link),
        cmocka_unit_test(what_is_kept_is_what_was_computed),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
