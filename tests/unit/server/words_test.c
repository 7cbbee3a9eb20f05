/* Words and patterns, phrases of symptoms, names of figures read apart and compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "compiler.h"
#include "free_figures.h"
#include "phrases.h"
#include "report_words.h"

static struct symptoms symptoms;
static struct free_figures figures;

static int setup(void **state)
{
    *state = arena_new((size_t)16 << 20);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    arena_free(*state);
    return 0;
}

static void clear(void)
{
    memset(&symptoms, 0, sizeof(symptoms));
    memset(&figures, 0, sizeof(figures));
}

static void patterns_are_found(void **state)
{
    static const struct {
        const char *text, *pattern;
        bool found;
    } ROWS[] = {
        {"The GPU is mostly idle", "gpu idl*", true},
        {"GPUs idle", "gpu idl*", true}, /* a plural */
        {"KV cache full", "kv_cache", true},
        {"cache KV full", "kv_cache", false},
        {"tp=4", "tp#", true},
        {"tp4", "tp#", true},
        {"tp", "tp#", false},
        {"no preemptions", "preempt*", false}, /* denied */
        {"preemptions", "preempt*", true},
        {"without lora", "lora|adapter", false},
        {"an adapter", "lora|adapter", true},
        {"since 0.4.18 it is slow", "@ slow*", true},
        {"since 4.18 it is slow", "@ slow*", false}, /* a number */
        {"b4338", "@", true},
        {"v1.2.3", "@", true},
        {"gpu one two three four five six seven eight nine ten idle", "gpu idle", false},
        {"", "gpu", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        const struct words words = words_read(*state, ROWS[i].text);
        if ((words_find(&words, ROWS[i].pattern) >= 0) != ROWS[i].found)
            fail_msg("\"%s\" in \"%s\"", ROWS[i].pattern, ROWS[i].text);
    }
}

static void words_have_their_numbers(void **state)
{
    const struct words words = words_read(*state, "tp=4 bs256, 3.5h; 45%");
    int tp = words_find(&words, "tp#"), bs = words_find(&words, "bs#");

    assert_true(words_number(&words, tp) == 4.0);
    assert_true(words_number(&words, bs) == 256.0);
    assert_true(words_find(&words, "%") >= 0);
    assert_true(isnan(words_number(&words, words_find(&words, "%"))));
}

/* A sentence and one sign that it sets. */
static void sentences_set_signs(void **state)
{
    static const struct {
        const char *text;
        enum sign_id sign;
    } ROWS[] = {
        {"GPU idle 5-13 ms between decode steps", SIGN_GPU_GAPS},
        {"one core pegged at 100 %", SIGN_CPU_SATURATED},
        {"server stalls every 1.5 s", SIGN_STALLS_REGULAR},
        {"health check fails after hours", SIGN_STALLS},
        {"the whole prompt is reprocessed each call", SIGN_REPROCESSED},
        {"throughput is flat above 32 users", SIGN_THROUGHPUT_FLAT},
        {"p99 ITL spikes", SIGN_ITL_SPIKES},
        {"TTFT is high", SIGN_TTFT_HIGH},
        {"memory grows over hours until the pod is OOMKilled", SIGN_HOST_MEMORY_GROWS},
        {"first request takes 25 s", SIGN_FIRST_IS_SLOW},
        {"after the upgrade", SIGN_AFTER_UPGRADE},
        {"runs out of memory after allocating the KV pool", SIGN_OOM_AFTER_POOL},
        {"startup fails while capturing graphs", SIGN_OOM_AT_CAPTURE},
        {"Using default MoE config", SIGN_MOE_CONFIG_MISSING},
        {"tokens arrive in bursts when streaming", SIGN_BURSTY_STREAM},
        {"the GPU is thermally throttled", SIGN_HOT},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        clear();
        (void)phrases_read(*state, ROWS[i].text, CHANNEL_STATEMENT, &symptoms);
        if (!(symptoms.signs[ROWS[i].sign].strength > 0))
            fail_msg("\"%s\": no %s", ROWS[i].text, sign_name(ROWS[i].sign));
        assert_int_equal(symptoms.signs[ROWS[i].sign].origin, ORIGIN_WORDS);
    }
    clear();
    assert_false(phrases_read(*state, "hello", CHANNEL_STATEMENT, &symptoms));
    assert_false(symptoms_any(&symptoms));
}

/* Which way a sentence compares. */
static void sentences_compare(void **state)
{
    static const struct {
        const char *text;
        enum topic_id topic;
        int effect; /* -1 slower, 0 the same, 1 faster */
    } ROWS[] = {
        {"40 % drop with LoRA", TOPIC_LORA, -1},
        {"TP=2 slower than TP=1", TOPIC_TP, -1},
        {"overlap scheduler gains 10 %", TOPIC_OVERLAP, 1},
        {"tensor parallel is not better", TOPIC_TP, 0},
        {"speculative decoding doesn't speed up anything", TOPIC_DRAFT, 0},
        {"decoding is slower with speculation, tp=1", TOPIC_DRAFT, -1},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        clear();
        (void)phrases_read(*state, ROWS[i].text, CHANNEL_STATEMENT, &symptoms);
        const struct topic *topic = &symptoms.topics[ROWS[i].topic];
        const struct difference *of[] = {&topic->worse, &topic->same, &topic->better};
        if (!(of[ROWS[i].effect + 1]->strength > 0))
            fail_msg("\"%s\"", ROWS[i].text);
    }
}

/* Names that differ in a word are runs; what they are of decides which way is better. */
static void names_are_compared(void **state)
{
    static const struct {
        const char *a, *b;
        double of_a, of_b;
        enum topic_id topic;
        int effect; /* of more of the topic */
    } ROWS[] = {
        {"tok_s_no_penalty", "tok_s_repeat_penalty", 33.1, 27.5, TOPIC_PENALTIES, -1},
        {"prefill_tok_s_no_tp", "prefill_tok_s_tp", 1045.8, 378.9, TOPIC_TP, -1},
        {"tps_tp1", "tps_tp2", 90, 77.5, TOPIC_TP, -1},
        {"tps_tp4", "tps_tp2", 140, 77.5, TOPIC_TP, 1},
        {"k2_tok_s", "k4_tok_s", 175.5, 165.7, TOPIC_DRAFT_TOKENS, -1},
        {"default_us_b1", "tuned_us_b1", 23.52, 23.49, TOPIC_TUNED_MOE, 0},
        {"itl_ms_base", "itl_ms_lora", 10, 20, TOPIC_LORA, -1},
        {"tok_s_0.4.18", "tok_s_0.4.21", 160.8, 103.2, TOPIC_VERSION, -1},
        {"pp_direct", "pp_proxy", 410.7, 52, TOPIC_PROXY, -1},
        {"tok_s_eager", "tok_s_graph", 5452, 6139, TOPIC_GRAPHS, 1},
        {"total_s_fp16", "total_s_awq", 1468, 2025, TOPIC_QUANTIZATION, -1},
        {"total_min_plain", "total_min_grammar", 26, 270, TOPIC_GUIDED, -1},
        {"ttft_p50_ms_bf16", "ttft_p50_ms_fp8", 547, 1010, TOPIC_QUANTIZATION, -1},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        clear();
        assert_true(figures_add(*state, &figures, ROWS[i].a, NULL, ROWS[i].of_a, NULL));
        assert_true(figures_add(*state, &figures, ROWS[i].b, NULL, ROWS[i].of_b, NULL));
        figures_compare(*state, &figures, &symptoms);
        const struct topic *topic = &symptoms.topics[ROWS[i].topic];
        const struct difference *of[] = {&topic->worse, &topic->same, &topic->better};
        if (!(of[ROWS[i].effect + 1]->strength > 0))
            fail_msg("%s, %s", ROWS[i].a, ROWS[i].b);
        assert_true(figures.items[0].used && figures.items[1].used);
    }
}

/* Pauses that grow, layers that are left, a delay that stays, a gain that goes. */
static void names_set_signs(void **state)
{
    clear();
    (void)figures_add(*state, &figures, "pause_s", NULL, NAN, "0.4 -> 9");
    (void)figures_add(*state, &figures, "layers", NULL, NAN, "42/43");
    (void)figures_add(*state, &figures, "ttft_ms_bare_c1", NULL, 17, NULL);
    (void)figures_add(*state, &figures, "ttft_ms_serve_c1", NULL, 65, NULL);
    (void)figures_add(*state, &figures, "ttft_ms_bare_c32", NULL, 84, NULL);
    (void)figures_add(*state, &figures, "ttft_ms_serve_c32", NULL, 158, NULL);
    (void)figures_add(*state, &figures, "gain_b1_pct", NULL, 14.7, NULL);
    (void)figures_add(*state, &figures, "gain_b32_pct", NULL, 0, NULL);
    assert_false(figures_add(*state, &figures, "nothing", NULL, NAN, "no number"));
    figures_compare(*state, &figures, &symptoms);
    assert_true(symptoms.signs[SIGN_STALLS_GROW].strength > 0);
    assert_true(symptoms.signs[SIGN_LAYERS_ON_CPU].strength > 0);
    assert_true(symptoms.signs[SIGN_CONSTANT_DELAY].strength > 0);
    assert_true(symptoms.signs[SIGN_GAIN_ONLY_ALONE].strength > 0);
}

/* Shares of runs with names of their own, in percent, as a range or as a fraction. */
static void shares_of_runs_set_signs(void **state)
{
    static const struct {
        const char *name, *text;
        double value;
        enum sign_id sign;
        bool seen;
    } ROWS[] = {
        {"gpu_util_pct_grammar", NULL, 10, SIGN_GPU_UNDERUSED, true},
        {"gpu_util_pct_no_grammar", ">70", NAN, SIGN_GPU_UNDERUSED, false},
        {"gpu_usage_at_peak", NULL, 0.2, SIGN_GPU_UNDERUSED, true},
        {"cpu_util_pct_video", NULL, 100, SIGN_CPU_SATURATED, true},
        {"kv_usage_pct_peak", "98-100", NAN, SIGN_KV_FULL, true},
        {"kv_usage_pct_start", NULL, 12, SIGN_KV_FULL, false},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        clear();
        assert_true(figures_add(*state, &figures, ROWS[i].name, NULL, ROWS[i].value, ROWS[i].text));
        figures_compare(*state, &figures, &symptoms);
        if ((symptoms.signs[ROWS[i].sign].strength > 0) != ROWS[i].seen)
            fail_msg("%s", ROWS[i].name);
    }
}

/* What a deployment has is no complaint; what the report speaks of is one, though it has it. */
static void a_topic_is_told_beside_its_use(void **state)
{
    (void)state;
    clear();
    symptoms_use(&symptoms, TOPIC_GUIDED, 1.0, ORIGIN_DEPLOYMENT, NULL);
    assert_false(symptoms_any(&symptoms));
    symptoms_use(&symptoms, TOPIC_GUIDED, 0.5, ORIGIN_WORDS, NULL);
    assert_true(symptoms_any(&symptoms));
    assert_true(symptoms.topics[TOPIC_GUIDED].use == 1.0);
}

/* A figure that is a comparison by itself speaks of the only topic there is. */
static void a_slowdown_is_of_the_only_topic(void **state)
{
    clear();
    symptoms_use(&symptoms, TOPIC_LORA, 0.7, ORIGIN_WORDS, NULL);
    (void)figures_add(*state, &figures, "slowdown_pct", NULL, NAN, "-8.4 to -23.9");
    figures_compare(*state, &figures, &symptoms);
    assert_true(symptoms.topics[TOPIC_LORA].worse.strength > 0);
}

static void reports_read_as_a_whole(void **state)
{
    clear();
    report_words_read(*state, "long prompts pause the tokens of other running requests", &symptoms);
    assert_true(symptoms.told[CAUSE_PREFILL_INTERFERENCE] > 0.9);
    clear();
    report_words_read(*state, "it is slow", &symptoms);
    for (int i = 0; i < CAUSE_COUNT; i++)
        assert_true(symptoms.told[i] == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_found),
        cmocka_unit_test(words_have_their_numbers),
        cmocka_unit_test(sentences_set_signs),
        cmocka_unit_test(sentences_compare),
        cmocka_unit_test(names_are_compared),
        cmocka_unit_test(names_set_signs),
        cmocka_unit_test(shares_of_runs_set_signs),
        cmocka_unit_test(a_topic_is_told_beside_its_use),
        cmocka_unit_test(a_slowdown_is_of_the_only_topic),
        cmocka_unit_test(reports_read_as_a_whole),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
