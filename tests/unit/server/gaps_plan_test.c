/* Which gaps a plan touches, and that asking counts. */
#include "gaps_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "gaps_width.h"
#include "intake_kit.h"
#include "nearness.h"

struct world {
    struct kit *kit;
    struct gap_links *links;
    struct gaps *gaps;
};

static struct world world_open(void **state)
{
    struct kit *kit = *state;
    struct world world = {kit, gap_links_load(kit->store),
                          gaps_open(&(struct gaps_options){.path = NULL})};
    assert_non_null(world.links);
    assert_non_null(world.gaps);
    return world;
}

static void world_close(struct world *world)
{
    gaps_close(world->gaps);
    gap_links_free(world->links);
}

/* The gaps of a plan of that body. */
static void find(struct world *world, const char *json, struct plan_gaps *ret_gaps)
{
    static struct plan plan;
    struct reading reading;
    kit_read_json(world->kit, json, &reading);
    assert_true(reading.complete);
    plan_compute(&reading.request.problem, PLAN_FULL, &plan);
    plan_gaps_find(world->links, world->gaps, &plan, NULL, world->kit->arena, ret_gaps);
}

static const struct plan_gap *gap_of(const struct plan_gaps *gaps, const char *id)
{
    for (int i = 0; i < gaps->n; i++) {
        if (strcmp(gaps->items[i].id, id) == 0) {
            return &gaps->items[i];
        }
    }
    return NULL;
}

static void plans_touch_the_gaps_they_should(void **state)
{
    static const struct {
        const char *body, *gap;
        bool touched;
    } ROWS[] = {
        /* a part without any kernel fit */
        {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"gaudi3\",\"workload\":{\"input_tokens\":2000}"
         "}",
         "llama-3.1-8b~gaudi3~vllm~tpot_ms~in-1024~conc-any", true},
        {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"gaudi3\",\"workload\":{\"input_tokens\":2000}"
         "}",
         "llama-3.1-8b~gaudi3~vllm~ttft_ms~in-1024~conc-any", true},
        {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"gaudi3\"}", "parts-without-kernel-fit", true},
        {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}", "parts-without-kernel-fit",
         false},
        /* expert dispatch: its CPU sync was never measured */
        {"{\"model\":\"deepseek-v3\",\"hardware\":\"h200-sxm\",\"deployment\":{\"dp\":8,\"ep\":8},"
         "\"workload\":{\"concurrency\":64}}",
         "deepep-cpu-sync-latency", true},
        {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}", "deepep-cpu-sync-latency",
         false},
        /* a long prompt */
        {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"workload\":{\"input_tokens\":"
         "32768}}",
         "rag-ttft-with-retrieval", true},
        {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"workload\":{\"input_tokens\":"
         "32767}}",
         "rag-ttft-with-retrieval", false},
        /* classes that rest on an assumed constant, where they weigh */
        {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}", "small-kernels-per-layer", true},
        {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}", "grammar-mask-cost", false},
        {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":{"
         "\"structured_output\":true,\"async_scheduling\":false},\"workload\":{\"concurrency\":"
         "64}}",
         "grammar-mask-cost", true},
        /* an answered gap is none */
        {"{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"workload\":{\"input_tokens\":"
         "32768}}",
         "ttft-at-32k", false},
    };
    struct world world = world_open(state);
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct plan_gaps gaps;
        find(&world, ROWS[i].body, &gaps);
        const struct plan_gap *gap = gap_of(&gaps, ROWS[i].gap);
        if ((gap != NULL) != ROWS[i].touched) {
            fail_msg("%s: %s", ROWS[i].gap, ROWS[i].body);
        }
        if (gap) {
            assert_string_equal(gap->status, "no record");
            assert_true(*gap->question);
        }
    }
    world_close(&world);
}

static void every_plan_counts(void **state)
{
    static const char BODY[] = "{\"model\":\"llama-3.1-8b\",\"hardware\":\"gaudi3\"}";
    struct world world = world_open(state);
    struct plan_gaps gaps;
    for (int i = 1; i <= 3; i++) {
        struct gap_count count;
        find(&world, BODY, &gaps);
        assert_true(gaps_count(world.gaps, gaps.items[0].id, &count));
        assert_int_equal((int)count.asked, i);
        /* Within a minute the same request gets the same bytes. */
        assert_true(gaps.items[0].asked < i);
    }
    assert_string_equal(gaps.items[0].question,
                        "What is the time per output token of llama-3.1-8b on gaudi3 with vllm, "
                        "1024 to 2047 input tokens?");
    world_close(&world);
}

static double width_of(struct world *world, const char *id)
{
    struct gap_count count;
    assert_true(gaps_count(world->gaps, id, &count));
    assert_int_equal((int)count.asked, 1);
    return count.width_sum;
}

/* What each gap of a plan would narrow: classes by their share, a length its TTFT, a part without
 * records everything. */
static void a_question_keeps_its_width(void **state)
{
    static struct plan plan;
    struct world world = world_open(state);
    struct reading reading;
    struct problem *problem = &reading.request.problem;
    struct plan_gaps gaps;
    kit_read_json(world.kit,
                  "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"workload\":{"
                  "\"input_tokens\":32768}}",
                  &reading);
    nearness_find(world.kit->catalogue, problem, NULL, NULL, &problem->near);
    plan_compute(problem, PLAN_FULL, &plan);
    plan_gaps_find(world.links, world.gaps, &plan, NULL, world.kit->arena, &gaps);
    double tpot = log(plan.tpot_ms.high / plan.tpot_ms.low);
    double ttft = log(plan.ttft_ms.high / plan.ttft_ms.low);
    assert_true(fabs(width_of(&world, "rag-ttft-with-retrieval") - ttft) < 1e-5);
    double norms = width_of(&world, "small-kernels-per-layer");
    double decode = plan.decode.classes[CLASS_NORM_ELEMENTWISE].share,
           prefill = plan.prefill.classes[CLASS_NORM_ELEMENTWISE].share;
    assert_true(norms > 0 && norms < tpot + ttft);
    assert_true(norms <= decode * tpot + prefill * ttft + 1e-5);
    /* gaudi3 has no record: the widest of vLLM's intervals, ln(1.3871/0.7409) + ln(2.3019/0.5854)
     */
    find(&world, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"gaudi3\"}", &gaps);
    assert_true(fabs(width_of(&world, "parts-without-kernel-fit") - 1.996300) < 1e-5);
    assert_true(fabs(width_of(&world, "llama-3.1-8b~gaudi3~vllm~tpot_ms~in-1024~conc-any") -
                     0.627105) < 1e-5);
    world_close(&world);
}

static void an_inline_model_is_any_model(void **state)
{
    static const char BODY[] =
        "{\"model\":{\"hf_config\":{\"architectures\":[\"LlamaForCausalLM\"],\"hidden_size\":4096,"
        "\"num_hidden_layers\":32,\"num_attention_heads\":32,\"num_key_value_heads\":8,"
        "\"intermediate_size\":14336,\"vocab_size\":128256}},\"hardware\":\"gaudi3\"}";
    struct world world = world_open(state);
    struct plan_gaps gaps;
    find(&world, BODY, &gaps);
    assert_non_null(gap_of(&gaps, "any~gaudi3~vllm~tpot_ms~in-1024~conc-any"));
    world_close(&world);
}

static void without_links_or_counters_nothing_breaks(void **state)
{
    static struct plan plan;
    struct kit *kit = *state;
    struct reading reading;
    struct plan_gaps gaps;
    kit_read_json(kit, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"gaudi3\"}", &reading);
    plan_compute(&reading.request.problem, PLAN_FULL, &plan);
    plan_gaps_find(NULL, NULL, &plan, NULL, kit->arena, &gaps);
    assert_int_equal(gaps.n, 2);
    assert_int_equal((int)gaps.items[0].asked, 0);
}

static void gaps_are_written_as_the_api_says(void **state)
{
    const struct kit *kit = *state;
    const struct plan_gaps gaps = {.items = {{"a", "no record", "Why?", 12}}, .n = 1};
    struct json_out out;
    json_out_init(&out, kit->arena, 256, 4096);
    gaps_render(&out, &gaps);
    gaps_render(&out, NULL);
    out_bytes(&out, "", 1);
    assert_true(json_out_ok(&out));
    assert_string_equal(out.text, "[{\"id\":\"a\",\"status\":\"no record\",\"question\":\"Why?\","
                                  "\"asked\":12}],[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_touch_the_gaps_they_should),
        cmocka_unit_test(every_plan_counts),
        cmocka_unit_test(a_question_keeps_its_width),
        cmocka_unit_test(an_inline_model_is_any_model),
        cmocka_unit_test(without_links_or_counters_nothing_breaks),
        cmocka_unit_test(gaps_are_written_as_the_api_says),
    };
    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
