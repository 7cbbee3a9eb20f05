/* Each point of a sweep is, to the bit, what the point is planned as alone: whatever was kept from
 * the points before it, and in whatever order they come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app_kit.h"
#include "checks.h"
#include "grid.h"
#include "json_memory.h"
#include "nearness.h"
#include "plan_request.h"

/* What differs in what is kept: engines with memory rules and slots of their own, models of every
 * kind of cache, parts with and without measured kernels, every field of a load. */
static const char *const BODIES[] = {
    "{\"axes\":{\"/model\":[\"llama-3.1-8b\",\"deepseek-v3\",\"gpt-oss-120b\",\"gemma-3-27b\","
    "\"qwen3-next-80b-a3b\",\"mistral-7b-v0.1\",\"falcon-7b\"],"
    "\"/deployment/engine\":[\"vllm\",\"sglang\",\"tensorrt-llm\",\"tgi\",\"llama.cpp\","
    "\"ollama\",\"mlx\"],\"/hardware\":[\"h100-sxm\",\"mi300x\",\"rtx-4090\"],"
    "\"/deployment/tp\":[1,8],\"/workload/concurrency\":[1,100],"
    "\"/workload/input_tokens\":[300,9000]}}",
    "{\"base\":{\"model\":\"llama-3.1-70b-fp8\",\"hardware\":\"h100-sxm\"},"
    "\"axes\":{\"/deployment/engine_version\":[\"0.6.0\",null],\"/deployment/tp\":[2,3,4],"
    "\"/workload/request_rate\":[null,2],\"/workload/cached_prefix_tokens\":[0,500],"
    "\"/workload/requests\":[null,200],\"/workload/length_range_ratio\":[null,0.8],"
    "\"/workload/output_tokens\":[1,300],\"/workload/input_tokens\":[1000,1001]}}",
    "{\"base\":{\"model\":\"deepseek-v3\",\"hardware\":\"h200-sxm\",\"deployment\":{"
    "\"engine\":\"sglang\",\"tp\":8}},"
    "\"axes\":{\"/workload/load_generator\":[null,\"inferencex\",\"engine_bench\"],"
    "\"/deployment/disaggregation/prefill_devices\":[null,16],\"/deployment/ep\":[1,8],"
    "\"/deployment/speculative/method\":[null,\"mtp\"],\"/deployment/kv_tier/kind\":[null,"
    "\"host\"],\"/workload/cached_prefix_tokens\":[0,100],\"/workload/concurrency\":[1,7,64,512]}}",
    "{\"base\":{\"model\":\"qwen2.5-7b\",\"hardware\":\"rtx-4090\",\"deployment\":{"
    "\"engine\":\"llama.cpp\"}},\"axes\":{\"/deployment/weights\":[\"q4_k_m\",\"f16\"],"
    "\"/workload/load_generator\":[null,\"engine_bench\"],\"/deployment/gpu_layers\":[null,5],"
    "\"/workload/concurrency\":[1,4,32],\"/workload/input_tokens\":[64,2000,2064]}}",
    "{\"base\":{\"hardware\":\"h100-sxm\"},\"axes\":{\"/command\":["
    "\"vllm serve meta-llama/Llama-3.1-8B --max-model-len 16k\","
    "\"vllm serve Qwen/Qwen2.5-7B-Instruct --max-num-seqs 8 --kv-cache-dtype fp8\"],"
    "\"/workload/concurrency\":[1,64],\"/workload/input_tokens\":[100,4000]}}",
};

/* A question and its reader. */
struct bench {
    const struct app_kit *kit;
    const struct catalogue *catalogue;
    struct arena *arena; /* of points planned alone */
    const cJSON *body;
    struct grid grid;
};

/* Sets the leaf of a pointer, "/deployment/kv_tier/kind". */
static void put(cJSON *object, const char *pointer, const cJSON *value)
{
    char name[64];

    for (pointer++;; pointer += strlen(name) + 1) {
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(pointer, "/"), pointer);
        if (!pointer[strlen(name)])
            break;
        cJSON *inner = cJSON_GetObjectItemCaseSensitive(object, name);
        object = inner ? inner : cJSON_AddObjectToObject(object, name);
    }
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    cJSON_AddItemToObject(object, name, cJSON_Duplicate(value, 1));
}

static cJSON *point_body(const struct bench *bench, long point)
{
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(bench->body, "base");
    cJSON *body = base ? cJSON_Duplicate(base, 1) : cJSON_CreateObject();

    for (int i = 0; i < bench->grid.n_axes; i++) {
        const struct axis *axis = &bench->grid.axes[i];
        const cJSON *value = axis->values[grid_index(&bench->grid, point, i)].json;
        if (!cJSON_IsNull(value)) /* absent; an empty object of a disaggregation is not */
            put(body, axis->pointer, value);
    }
    return body;
}

/* Plans the point alone; false where it cannot be. */
static bool plan_alone(const struct bench *bench, long point, struct plan *ret_plan)
{
    struct plan_request request = {0};
    struct faults faults;
    struct check check;
    cJSON *body = point_body(bench, point);
    const struct intake intake = {bench->catalogue, bench->arena, &faults, ""};

    arena_reset(bench->arena);
    faults_init(&faults, bench->arena);
    plan_request_read_json(&intake, body, &request);
    bool good =
        plan_request_resolve(&intake, &request) && !check_shape_refused(&request.problem, &check);
    if (good) {
        nearness_find(bench->catalogue, &request.problem, NULL, NULL, &request.problem.near);
        plan_compute(&request.problem, bench->grid.depth, ret_plan);
    }
    cJSON_Delete(body);
    return good;
}

static bool same_cell(const struct column *column, const union cell *a, const union cell *b)
{
    if (column_kind(column) == CELL_TEXT)
        return a->text == b->text || (a->text && b->text && strcmp(a->text, b->text) == 0);
    return memcmp(&a->number, &b->number, sizeof(a->number)) == 0 ||
           (isnan(a->number) && isnan(b->number));
}

static void compare_point(const struct bench *bench, struct grid_worker *worker, long point)
{
    union cell cells[GRID_COLUMNS_MAX];
    static struct plan plan;
    const char *why = grid_point(worker, point, cells);
    bool planned = plan_alone(bench, point, &plan);

    if (planned != !why)
        fail_msg("point %ld of %s: %s", point, cJSON_PrintUnformatted(bench->body),
                 why ? why : "planned, and not alone");
    for (int i = 0; planned && i < bench->grid.n_columns; i++) {
        const struct column *column = &bench->grid.columns[i];
        union cell alone = column_cell(column, &plan);
        if (!same_cell(column, &cells[i], &alone))
            fail_msg("point %ld of %s: %s differs", point, cJSON_PrintUnformatted(bench->body),
                     column->name);
    }
}

/* All columns of that depth from `first` on, as many as a sweep takes; the next one after them. */
static int take_columns(struct grid *grid, int first)
{
    struct faults none;
    grid->n_columns = 0;
    for (; column_name(first) && grid->n_columns < GRID_COLUMNS_MAX; first++) {
        struct column *column = &grid->columns[grid->n_columns];
        assert_true(column_find(&none, "", column_name(first), column));
        grid->n_columns += column_depth(column) <= grid->depth;
    }
    return first;
}

static void bench_open(const struct app_kit *kit, const char *text, struct bench *ret_bench)
{
    struct request request = {.method = METHOD_POST,
                              .arena = kit->arena,
                              .content_type = "application/json",
                              .body = text,
                              .body_length = strlen(text)};
    struct reply reply = {0};
    struct context ctx = {.app = kit->app,
                          .catalogue = store_catalogue(kit->store),
                          .request = &request,
                          .reply = &reply,
                          .format = "application/json"};
    struct faults faults;

    arena_reset(kit->arena);
    faults_init(&faults, kit->arena);
    *ret_bench = (struct bench){.kit = kit, .catalogue = ctx.catalogue, .body = cJSON_Parse(text)};
    ret_bench->arena = arena_new(APP_KIT_ARENA_MAX);
    assert_non_null(ret_bench->arena);
    json_memory_enter(kit->arena);
    bool good = grid_read(&ctx, &faults, NULL, 0, &ret_bench->grid);
    json_memory_leave();
    if (!good)
        fail_msg("%s: %.500s", text, reply.body);
}

static void bench_close(struct bench *bench)
{
    union {
        const cJSON *ours;
        cJSON *theirs;
    } body = {bench->body};

    cJSON_Delete(body.theirs);
    arena_free(bench->arena);
    store_release(bench->kit->store, bench->catalogue);
}

/* In their order, and then with strides that no axis has. */
static void compare_points(struct bench *bench, long most)
{
    struct grid_worker *worker = grid_worker_new(&bench->grid);
    long n = bench->grid.n_points;

    assert_non_null(worker);
    for (long i = 0; i < n && i < most; i++) {
        compare_point(bench, worker, i);
        if (i % 50 == 49)
            grid_worker_reset(worker);
    }
    grid_worker_reset(worker);
    for (long i = 0; i < 100; i++)
        compare_point(bench, worker, i * 37 % n);
    grid_worker_free(worker);
}

static void points_are_planned_as_alone(void **state)
{
    for (size_t i = 0; i < sizeof(BODIES) / sizeof(BODIES[0]); i++) {
        struct bench bench;
        bench_open(*state, BODIES[i], &bench);
        bench.grid.depth = PLAN_BARE;
        for (int first = 0; column_name(first);) {
            first = take_columns(&bench.grid, first);
            compare_points(&bench, 1200);
        }
        bench_close(&bench);
    }
}

/* Replays and cures as well. */
static void deep_points_are_planned_as_alone(void **state)
{
    struct bench bench;

    bench_open(*state,
               "{\"base\":{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"},\"axes\":{"
               "\"/deployment/tp\":[1,2],\"/workload/concurrency\":[1,32],"
               "\"/workload/input_tokens\":[200,3000]}}",
               &bench);
    bench.grid.depth = PLAN_SUMMARY;
    take_columns(&bench.grid, 0);
    compare_points(&bench, 8);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_planned_as_alone),
        cmocka_unit_test(deep_points_are_planned_as_alone),
    };
    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
