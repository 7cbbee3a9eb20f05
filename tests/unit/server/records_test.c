/* The read endpoints as whole requests: lists, filters, pages, one record, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "app.h"
#include "compiler.h"
#include "store.h"
#include "uri.h"

#define ARENA_BYTES ((size_t)64 << 20)

struct world {
    struct store *store;
    struct app *app;
    struct arena *arena;
};

static int setup(void **state)
{
    static struct world world;
    char error[STORE_ERROR_MAX] = "";
    if (!store_open(NULL, &world.store, error)) {
        print_error("%s\n", error);
        return -1;
    }
    world.app = app_new(&(struct app_options){.store = world.store});
    world.arena = arena_new(ARENA_BYTES);
    *state = &world;
    return world.app && world.arena ? 0 : -1;
}

static int teardown(void **state)
{
    const struct world *world = *state;
    arena_free(world->arena);
    app_free(world->app);
    store_close(world->store);
    return 0;
}

/* The body of GET target, NUL-terminated, in the arena; the status goes to *ret_status. */
static const char *get(const struct world *world, const char *target, int *ret_status)
{
    struct request request = {.method = METHOD_GET, .host = "localhost", .peer = "test"};
    struct reply reply = {0};
    arena_reset(world->arena);
    request.arena = world->arena;
    char *copy = arena_copy(world->arena, target, strlen(target));
    assert_non_null(copy);
    uri_parse(copy, &request);
    app_handle(world->app, &request, &reply);
    *ret_status = reply.status;
    return arena_copy(world->arena, reply.body, reply.body_length);
}

/* The reply as a tree of the caller's; fails the test unless its status is `status`. */
static cJSON *get_json(const struct world *world, const char *target, int status)
{
    int got = 0;
    const char *body = get(world, target, &got);
    cJSON *tree = cJSON_Parse(body);
    if (got != status || !tree) {
        fail_msg("%s: %d %.300s", target, got, body);
    }
    return tree;
}

static double number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return item && cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static const char *text_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return item && cJSON_IsString(item) ? item->valuestring : "";
}

static const char *const KINDS[] = {"models",       "hardware", "formats",  "engines",
                                    "launches",     "classes",  "regimes",  "cures",
                                    "calibrations", "sources",  "capacity", "prices"};

/* Follows next_cursor to the end: every record once, as many as `total` says, trail and all. */
static void pages_reach_every_record_once(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
        char target[1200];
        char last[400] = "";
        int n = 0;
        double total = 0;
        (void)snprintf(target, sizeof(target), "/v1/%s?limit=37", KINDS[i]);
        while (target[0]) {
            cJSON *page = get_json(*state, target, 200);
            const cJSON *item = NULL;
            total = number_of(page, "total");
            cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(page, "items"))
            {
                n++;
                assert_string_not_equal(text_of(item, "id"), last);
                (void)snprintf(last, sizeof(last), "%s", text_of(item, "id"));
                assert_true(cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(item, "provenance")));
                assert_true(cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(item, "disputes")));
                assert_true(number_of(item, "revision") >= 1);
            }
            const char *next = text_of(page, "next_cursor");
            target[0] = '\0';
            if (*next) {
                (void)snprintf(target, sizeof(target), "/v1/%s?limit=37&cursor=%s", KINDS[i], next);
            }
            cJSON_Delete(page);
        }
        assert_true(n > 0);
        assert_true(fabs(total - n) < 0.5);
    }
}

/* Published: Meta-Llama-3.1-8B has 8,030,261,248 parameters, 32 layers, 32 heads, 8 KV heads of
 * 128. */
static void a_model_shows_its_figures(void **state)
{
    static const char *const NAMES[] = {"llama-3.1-8b", "meta-llama%2FLlama-3.1-8B-Instruct",
                                        "Llama-3.1-8B-Instruct-FP8"};

    static const struct {
        const char *name;
        double value;
    } FIGURES[] = {
        {"params_total", 8030261248.0},
        {"params_checkpoint", 8030261248.0},
        {"params_active", 8030261248.0},
        {"kv_bytes_per_token", 2 * 2 * 32 * 8 * 128},
        {"hidden_size", 4096},
        {"n_layers", 32},
        {"n_heads", 32},
        {"n_kv_heads", 8},
        {"head_dim", 128},
        {"vocab_size", 128256},
        {"state_bytes_per_sequence", 0},
        {"kv_bytes_per_token_beyond_window", 131072},
        {"intermediate_size", 14336},
    };

    for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
        char target[200];
        (void)snprintf(target, sizeof(target), "/v1/models/%s", NAMES[i]);
        cJSON *model = get_json(*state, target, 200);
        assert_string_equal(text_of(model, "id"), "llama-3.1-8b");
        for (size_t j = 0; j < ARRAY_LEN(FIGURES); j++) {
            if (!(fabs(number_of(model, FIGURES[j].name) - FIGURES[j].value) < 0.5)) {
                fail_msg("%s", FIGURES[j].name);
            }
        }
        assert_int_equal(
            cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(model, "layer_groups")), 1);
        assert_true(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(model, "aliases")) > 0);
        cJSON_Delete(model);
    }
}

/* Published: 989.5 TFLOPS over 3,350 GB/s. */
static void a_part_shows_its_ridge_and_its_disputes(void **state)
{
    cJSON *part = get_json(*state, "/v1/hardware/NVIDIA%20H100%2080GB%20HBM3", 200);
    assert_string_equal(text_of(part, "id"), "h100-sxm");
    assert_true(fabs(number_of(part, "ridge") - 295.4) < 0.05);
    assert_true(fabs(number_of(part, "mem_bw_gbps") - 3350) < 0.5);
    assert_true(fabs(number_of(part, "link_gbps_one_way") - 450) < 0.5);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(part, "disputes")) >= 3);
    bool assumed = false;
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(part, "provenance"))
    {
        bool recalled = strcmp(text_of(row, "kind"), "recall") == 0;
        assert_int_equal(recalled, strcmp(text_of(row, "basis"), "assumed") == 0);
        assumed = assumed || recalled;
    }
    assert_true(assumed);
    cJSON_Delete(part);
}

static void fits_show_their_verdict(void **state)
{
    cJSON *list = get_json(*state,
                           "/v1/calibrations?hardware=H100&engine=vllm&op=gemm&dtype=fp8_block&"
                           "status=rejected",
                           200);
    const cJSON *fit = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(list, "items"), 0);
    assert_true(number_of(list, "total") > 0.5);
    assert_string_equal(text_of(fit, "hardware"), "h100-sxm");
    assert_string_equal(text_of(fit, "status"), "rejected");
    assert_non_null(strstr(text_of(fit, "reason"), "t0"));
    const cJSON *source =
        cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(fit, "provenance"), 0);
    assert_string_equal(text_of(source, "license"), "Apache-2.0");
    cJSON_Delete(list);
}

static void two_formats_of_one_name_are_told_apart(void **state)
{
    cJSON *weights = get_json(*state, "/v1/formats/FP8", 200);
    cJSON *cache = get_json(*state, "/v1/formats/fp8?use=kv_cache", 200);
    assert_string_equal(text_of(weights, "use"), "weights");
    assert_string_equal(text_of(cache, "use"), "kv_cache");
    cJSON_Delete(weights);
    cJSON_Delete(cache);
}

/* What full text finds; a question is words, never a query language. */
static const struct search_row {
    const char *target;
    double least, most;
} SEARCHES[] = {
    {"/v1/models?q=llama-3.1", 3, 20},
    {"/v1/models?q=deepseek", 5, 40},
    {"/v1/models?q=%22", -1, -1},
    {"/v1/models?q=*", -1, -1},
    {"/v1/models?q=a%20AND", 0, 400},
    {"/v1/models?q=NEAR(llama", 0, 400},
    {"/v1/models?q=llama%22%20OR%20%22qwen", 0, 400},
    {"/v1/hardware?q=hopper%20nvidia", 0, 20},
    {"/v1/sources?q=aiconfigurator", 1, 700},
    {"/v1/models?q=zzzzzz", 0, 0},
    {"/v1/models?family=llama&q=3.1", 1, 40},
    {"/v1/models?family=LLAMA", 20, 60},
    {"/v1/hardware?vendor=nvidia", 84, 84},
    {"/v1/formats?use=kv_cache", 20, 40},
    {"/v1/calibrations?type=op_fit", 878, 878},
    {"/v1/calibrations?type=collective_fit", 263, 263},
    {"/v1/classes?pass=host", 5, 23},
    {"/v1/regimes?seed_regime=c", 2, 2},
    {"/v1/cures?control=true", 1, 30},
    {"/v1/regimes", 8, 8},
};

static void filters_and_words_narrow_a_list(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(SEARCHES); i++) {
        bool fault = SEARCHES[i].most < 0;
        cJSON *list = get_json(*state, SEARCHES[i].target, fault ? 422 : 200);
        double total = number_of(list, "total");
        if (!fault && !(total >= SEARCHES[i].least && total <= SEARCHES[i].most)) {
            fail_msg("%s: %g", SEARCHES[i].target, total);
        }
        cJSON_Delete(list);
    }
}

static const struct refusal {
    const char *target;
    int status;
    const char *word;
} REFUSALS[] = {
    {"/v1/models/lama-3.1-8b", 404, "llama-3.1-8b"},
    {"/v1/hardware/h10-sxm", 404, "h100-sxm"},
    {"/v1/cures/device_samplin", 404, "device_sampling"},
    {"/v1/hardware/V100", 422, "v100-sxm-32gb"},
    {"/v1/models/mistral-7b", 422, "mistral-7b-v0.3"},
    {"/v1/calibrations?hardware=v100", 422, "ambiguous"},
    {"/v1/calibrations?engine=vlm", 422, "vllm"},
    {"/v1/hardware?vendor=nvidea", 422, "nvidia"},
    {"/v1/models?famly=llama", 422, "family"},
    {"/v1/models?limit=0", 422, "1000"},
    {"/v1/models?limit=1001", 422, "1000"},
    {"/v1/models?limit=1e3", 422, "1000"},
    {"/v1/models?limit=5&limit=6", 422, "twice"},
    {"/v1/models?cursor=xyz", 422, "next_cursor"},
    {"/v1/models?cursor=00", 422, "next_cursor"},
    {"/v1/models/llama-3.1-8b?view=x", 422, "unknown argument"},
    {"/v1/formats/fp8?use=shoes", 422, "kv_cache"},
    {"/v1/sources/src-nothing", 404, "source"},
};

static void wrong_names_and_arguments_are_refused(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(REFUSALS); i++) {
        int status = 0;
        const char *body = get(*state, REFUSALS[i].target, &status);
        if (status != REFUSALS[i].status || !strstr(body, REFUSALS[i].word)) {
            fail_msg("%s: %d %s", REFUSALS[i].target, status, body);
        }
    }
}

static void every_fault_of_a_list_is_said_at_once(void **state)
{
    cJSON *problem = get_json(*state, "/v1/hardware?vendor=x&limit=0&cursor=zz&foo=1&q=-", 422);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(problem, "errors")), 5);
    cJSON_Delete(problem);
}

static void lists_are_tables_too(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
        char target[100];
        int status = 0;
        int lines = 0;
        (void)snprintf(target, sizeof(target), "/v1/%s?format=csv&limit=2", KINDS[i]);
        const char *body = get(*state, target, &status);
        assert_int_equal(status, 200);
        for (const char *at = strstr(body, "\r\n"); at; at = strstr(at + 2, "\r\n")) {
            lines++;
        }
        assert_int_equal(lines, 3);
        assert_int_equal(strncmp(body, "id,", 3), 0);
    }
    int status = 0;
    const char *body = get(*state, "/v1/models?format=csv&q=llama-3.1-8b&limit=1", &status);
    assert_non_null(strstr(body, ",8030261248,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_reach_every_record_once),
        cmocka_unit_test(a_model_shows_its_figures),
        cmocka_unit_test(a_part_shows_its_ridge_and_its_disputes),
        cmocka_unit_test(fits_show_their_verdict),
        cmocka_unit_test(two_formats_of_one_name_are_told_apart),
        cmocka_unit_test(filters_and_words_narrow_a_list),
        cmocka_unit_test(wrong_names_and_arguments_are_refused),
        cmocka_unit_test(every_fault_of_a_list_is_said_at_once),
        cmocka_unit_test(lists_are_tables_too),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
