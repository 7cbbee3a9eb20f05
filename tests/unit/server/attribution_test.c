/* The profiles of tests/golden/profiles, each with what its own source and intervals say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "../files.h"
#include "attribution.h"
#include "profile_stream.h"

#define ARENA_BYTES ((size_t)32 << 20)
#define PIECE_BYTES 8139 /* as the HTTP library hands them on */
#define COLUMNS 8
/* Percent: one kernel of a fused pad (triton_poi_fused_constant_pad_nd_moe_forward_0, 1.15 % of a
 * step) counts as part of the experts by hand, as elementwise work by its name. */
#define SHARE_TOLERANCE 1.2
#define BUSY_TOLERANCE 0.001

enum column { FILE_NAME, ASKED, FORMAT, PHASE, REFUSED, SPAN, BUSY, SHARES };

static struct profile *read_profile(struct arena *arena, const char *name)
{
    static char piece[PIECE_BYTES];
    char path[512];
    size_t n;

    (void)snprintf(path, sizeof(path), "%s/golden/profiles/%s", TESTS_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct profile_stream *stream = profile_stream_open(arena);
    assert_non_null(stream);
    while ((n = fread(piece, 1, sizeof(piece), file)) > 0)
        profile_stream_feed(stream, piece, n);
    (void)fclose(file);
    return profile_stream_close(stream);
}

static enum run_phase phase_named(const char *name)
{
    for (int i = 0; i < RUN_PHASES; i++)
        if (strcmp(run_phase_name((enum run_phase)i), name) == 0)
            return (enum run_phase)i;
    return RUN_UNKNOWN;
}

static bool near(double got, const char *expected, double tolerance)
{
    double value = strtod(expected, NULL);

    return strcmp(expected, "-") == 0 || fabs(got / value - 1) <= tolerance;
}

/* The measured percent of the classes that share a budget with this one, and the expected one. */
static double percent_of(const struct attribution *attribution, enum kernel_class class)
{
    size_t n, m;
    const enum class_id *budget = kernel_class_budgets(class, &n);
    double sum = 0;

    for (int i = 0; i < attribution->n_shares; i++) {
        enum kernel_class other = attribution->shares[i].class;
        const enum class_id *others = kernel_class_budgets(other, &m);
        bool same =
            n > 0 ? n == m && memcmp(budget, others, n * sizeof(*budget)) == 0 : other == class;
        sum += same ? 100 * attribution->shares[i].share : 0;
    }
    return sum;
}

/* The same of "dense_gemm=59.13,attention=21.76". */
static double expected_percent(const char *shares, enum kernel_class class)
{
    size_t n, m;
    const enum class_id *budget = kernel_class_budgets(class, &n);
    double sum = 0;

    for (const char *at = shares; *at && *at != '-';) {
        char name[64] = "";
        const char *equals = strchr(at, '=');
        enum kernel_class other;
        memcpy(name, at, (size_t)(equals - at));
        assert_true(kernel_class_named(name, &other));
        const enum class_id *others = kernel_class_budgets(other, &m);
        bool same =
            n > 0 ? n == m && memcmp(budget, others, n * sizeof(*budget)) == 0 : other == class;
        sum += same ? strtod(equals + 1, NULL) : 0;
        at = equals + strcspn(equals, ",");
        at += *at == ',';
    }
    return sum;
}

static int wrong_shares(const struct attribution *attribution, const char *const *columns)
{
    int wrong = 0;

    for (int i = 0; i < KERNEL_UNCLASSIFIED && columns[SHARES][0] != '-'; i++) {
        double got = percent_of(attribution, (enum kernel_class)i);
        double expected = expected_percent(columns[SHARES], (enum kernel_class)i);
        if (fabs(got - expected) <= SHARE_TOLERANCE)
            continue;
        print_error("%s: %s %.2f %%, expected %.2f %%\n", columns[FILE_NAME],
                    kernel_class_name((enum kernel_class)i), got, expected);
        wrong++;
    }
    return wrong;
}

static int wrong_file(const char *const *columns)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct attribution_asked asked = {phase_named(columns[ASKED]), NAN, NAN, NAN};
    struct profile *profile = read_profile(arena, columns[FILE_NAME]);
    int wrong = 0;

    assert_null(profile->error);
    const struct attribution *attribution = attribution_new(arena, profile, &asked);
    assert_non_null(attribution);
    bool refused = attribution->refused && strstr(attribution->refused, columns[REFUSED]);
    if (strcmp(columns[REFUSED], "-") == 0)
        refused = !attribution->refused;
    if (!refused || strcmp(profile->format, columns[FORMAT]) != 0 ||
        attribution->phase != phase_named(columns[PHASE]) ||
        !near(attribution->span_us, columns[SPAN], BUSY_TOLERANCE) ||
        !near(attribution->busy_us, columns[BUSY], BUSY_TOLERANCE)) {
        print_error("%s: %s, phase %s, span %.3f, busy %.3f, refused: %s\n", columns[FILE_NAME],
                    profile->format, run_phase_name(attribution->phase), attribution->span_us,
                    attribution->busy_us, attribution->refused ? attribution->refused : "no");
        wrong++;
    }
    wrong += attribution->refused ? 0 : wrong_shares(attribution, columns);
    arena_free(arena);
    return wrong;
}

static void every_profile_gives_what_its_source_says(void **state)
{
    char *text = read_file(TESTS_DIR "/golden/profiles/expected.tsv"), *line, *rest = text;
    int rows = 0, wrong = 0;

    (void)state;
    while ((line = strtok_r(rest, "\n", &rest)) != NULL) {
        const char *columns[COLUMNS];
        char *cell = line;
        int n = 0;
        if (*line == '#')
            continue;
        while (n < COLUMNS && (columns[n] = strtok_r(cell, "\t", &cell)) != NULL)
            n++;
        assert_int_equal(n, COLUMNS);
        wrong += wrong_file(columns);
        rows++;
    }
    free(text);
    assert_int_equal(wrong, 0);
    assert_true(rows >= 29);
}

/* ---- texts ---- */

static struct profile *read_text(struct arena *arena, const char *text)
{
    struct profile_stream *stream = profile_stream_open(arena);

    for (const char *at = text; *at; at++) /* a byte at a time */
        profile_stream_feed(stream, at, 1);
    return profile_stream_close(stream);
}

/* Texts in each format, small enough to be added up by hand. */
static const struct {
    const char *format, *text;
    double sum_us; /* of what is counted */
    const char *dominant;
} SMALL_TEXTS[] = {
    /* nsys in CSV: 2 + 1 ms, and a copy of 0.5 ms in a table of its own */
    {"nsys_csv",
     "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
     "66.7,2000000,10,1,1,1,1,1,\"nvjet_tst_64x8_64x16_4x1_v_bz_TNT\"\n"
     "33.3,1000000,10,1,1,1,1,1,\"void vllm::rms_norm_kernel<float, 4>(float *, int)\"\n\n"
     "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
     "(ns),Operation\n"
     "100.0,500000,3,1,1,1,1,1,[CUDA memcpy Host-to-Device]\n",
     3500, "dense_gemm"},
    /* nsys with --timeunit ms */
    {"nsys_text",
     " Time (%)  Total Time (ms)  Instances  Name\n --------  ---------------  ---------  "
     "----\n"
     "     60.0              3.0         12  sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n\n"
     "     40.0              2.0         12  flash_fwd_kernel\n",
     5000, "dense_gemm"},
    /* torch: the operator's 3 us are the kernel's */
    {"torch_key_averages",
     "-------  ------------  ------------  ------------  ------------  ------------\n"
     "   Name    Self CPU %      Self CPU     Self CUDA   Self CUDA %    # of Calls\n"
     "-------  ------------  ------------  ------------  ------------  ------------\n"
     "aten::mm        90.00%       1.000ms       3.000us        75.00%             2\n"
     "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn         0.00%       0.000us"
     "       3.000us        75.00%             2\n"
     "Memcpy HtoD (Pageable -> Device)         0.00%       0.000us       1.000us        25.00%"
     "             1\n"
     "cudaLaunchKernel        10.00%       0.100ms       0.000us         0.00%             3\n"
     "Self CPU time total: 1.100ms\nSelf CUDA time total: 4.000us\n",
     4, "dense_gemm"},
    /* The first form of the Vulkan logger says ms and means us: 4 x 250 us. */
    {"ggml_vulkan_perf",
     "----------------\nVulkan Timings:\nMUL_MAT_VEC m=4096 n=1 k=4096: 4 x 250 ms\n"
     "RMS_NORM: 2 x 10 ms\nTotal time: 1020 ms.\n",
     1020, "dense_gemm"},
    /* The print of nodes of 2023. */
    {"ggml_nodes",
     "=== GRAPH ===\nn_nodes = 2\n"
     " -   0: [  4096,     1,     1]         RMS_NORM   (  1) cpu =   0.010 /   0.010 ms, wall "
     "="
     "   0.020 /   0.020 ms\n"
     " -   1: [  4096,     1,     1]          MUL_MAT   (  1) cpu =   0.300 /   0.300 ms, wall "
     "="
     "   0.500 /   0.500 ms\n"
     "perf_total_per_op_us[         MUL_MAT] =   0.500 ms\n",
     520, "dense_gemm"},
    {"table_markdown",
     "# What we saw\n\n| Kernel | Time | Count |\n|---|---|---|\n| `flash_fwd_kernel` | 1.5 ms "
     "| "
     "2 |\n| **Total** | 1.5 ms | 2 |\n",
     1500, "attention"},
    {"table_csv", "name;time_us\nflash_fwd_kernel;1500,5\n", 1500.5, "attention"},
    /* A tree: the module's 9 us are its children's. */
    {"vllm_layerwise",
     "name | cuda_time_us | pct_cuda_time | invocations\n====\n"
     "LlamaModel | 9.00 | 90.00 | 1.00\n|- Attention | 6.00 | 60.00 | 1.00\n"
     "|-- flash_fwd_kernel | 6.00 | 60.00 | 1.00\n|- rms_norm_kernel | 3.00 | 30.00 | 1.00\n"
     "Sampler | 1.00 | 10.00 | 1.00\n",
     10, "attention"},
    {"chrome_trace",
     "[{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"flash_fwd_kernel\",\"ts\":1,\"dur\":2},\n"
     " {\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"flash_fwd_\\u006bernel\",\"ts\":\"2.5\","
     "\"dur\":2}]",
     4, "attention"},
};

static void small_texts_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(SMALL_TEXTS); i++) {
        struct arena *arena = arena_new(ARENA_BYTES);
        struct attribution_asked asked = {RUN_UNKNOWN, NAN, NAN, NAN};
        struct profile *profile = read_text(arena, SMALL_TEXTS[i].text);
        assert_null(profile->error);
        assert_string_equal(profile->format, SMALL_TEXTS[i].format);
        const struct attribution *attribution = attribution_new(arena, profile, &asked);
        if (attribution->refused || fabs(attribution->sum_us - SMALL_TEXTS[i].sum_us) > 1e-6)
            fail_msg("%s: sum %.6f, refused: %s", SMALL_TEXTS[i].format, attribution->sum_us,
                     attribution->refused ? attribution->refused : "no");
        assert_string_equal(kernel_class_name(attribution->shares[0].class),
                            SMALL_TEXTS[i].dominant);
        arena_free(arena);
    }
}

/* Two streams: 0..10 and 5..15 us are 15 us busy and 20 us in sum; the host waits for a copy from
 * 15 to 18 and launches from 18 to 20, where the next kernel begins. */
static void overlap_counts_once_and_idle_is_the_hosts(void **state)
{
    static const char TRACE[] =
        "{\"traceEvents\": ["
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"flash_fwd_kernel\",\"ts\":0,\"dur\":10,"
        "\"args\":{\"stream\":7}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"rms_norm_kernel\",\"ts\":5,\"dur\":10,"
        "\"args\":{\"stream\":8}},"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaMemcpyAsync\",\"ts\":14,\"dur\":4},"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"ts\":18,\"dur\":1},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"rms_norm_kernel\",\"ts\":20,\"dur\":5,"
        "\"args\":{\"stream\":7}}]}";
    struct arena *arena = arena_new(ARENA_BYTES);
    struct attribution_asked asked = {RUN_UNKNOWN, NAN, NAN, NAN};
    const struct attribution *attribution = attribution_new(arena, read_text(arena, TRACE), &asked);

    (void)state;
    assert_true(fabs(attribution->span_us - 25) < 1e-9);
    assert_true(fabs(attribution->busy_us - 20) < 1e-9);
    assert_true(fabs(attribution->sum_us - 25) < 1e-9);
    assert_true(fabs(attribution->host_us[HOST_COPY] - 3) < 1e-9);
    assert_true(fabs(attribution->host_us[HOST_LAUNCH_GAPS] - 2) < 1e-9);
    assert_int_equal(attribution->profile->n_streams, 2);
    arena_free(arena);
}

/* Two decode steps of 10 us with 4 us of kernels each, a prefill of 20 us between them. */
static void steps_of_the_asked_phase_are_picked(void **state)
{
    static const char TRACE[] =
        "{\"traceEvents\": ["
        "{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"execute_4_context_0("
        "sq0sk0sqsq0sqsk0)"
        "_generation_4(sq4sk400sqsq4sqsk400)\",\"ts\":0,\"dur\":10},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"flash_fwd_kernel\",\"ts\":2,\"dur\":4},"
        "{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"execute_9_context_1("
        "sq9sk9sqsq81sqsk81)"
        "_generation_0(sq0sk0sqsq0sqsk0)\",\"ts\":20,\"dur\":20},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"rms_norm_kernel\",\"ts\":20,\"dur\":20},"
        "{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"execute_4_context_0("
        "sq0sk0sqsq0sqsk0)"
        "_generation_4(sq4sk404sqsq4sqsk404)\",\"ts\":50,\"dur\":10},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"flash_fwd_kernel\",\"ts\":55,\"dur\":4}]}";

    static const struct {
        enum run_phase asked, phase;
        double span_us, busy_us, steps, batch, context;
    } ROWS[] = {
        {RUN_DECODE, RUN_DECODE, 20, 8, 2, 4, 100.5},
        {RUN_PREFILL, RUN_PREFILL, 20, 20, 1, 1, 9},
        {RUN_UNKNOWN, RUN_MIXED, 60, 28, 3, 8.0 / 3, 100.5},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct arena *arena = arena_new(ARENA_BYTES);
        struct attribution_asked asked = {ROWS[i].asked, NAN, NAN, NAN};
        const struct attribution *attribution =
            attribution_new(arena, read_text(arena, TRACE), &asked);
        assert_int_equal(attribution->phase, ROWS[i].phase);
        assert_true(fabs(attribution->span_us - ROWS[i].span_us) < 1e-9);
        assert_true(fabs(attribution->busy_us - ROWS[i].busy_us) < 1e-9);
        assert_true(attribution->steps == ROWS[i].steps);
        assert_true(fabs(attribution->file_batch - ROWS[i].batch) < 1e-9);
        assert_true(fabs(attribution->file_context - ROWS[i].context) < 1e-9);
        arena_free(arena);
    }
}

/* A wall time from a run without the profiler tells what a table cannot: 669 ms of which 222 are
 * kernels (xiaguan/pegainfer, docs/models/qwen35/optimization.md: 67 % launch overhead). */
static void a_wall_time_tells_the_hosts_share(void **state)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct attribution_asked asked = {RUN_PREFILL, NAN, NAN, 669e3};
    struct profile *profile =
        read_profile(arena, "pegainfer-qwen3.5-4b-prefill128-launchbound.csv");
    const struct attribution *attribution = attribution_new(arena, profile, &asked);

    (void)state;
    assert_true(fabs(attribution->idle_us / attribution->span_us - 0.67) < 0.005);
    arena_free(arena);
}

static void what_is_no_profile_says_so(void **state)
{
    static const struct {
        const char *text, *error;
    } ROWS[] = {
        {"", "empty"},
        {"hello\nworld\n", "none of the formats"},
        {"{\"a\": 1}", "without the events"},
        {"{\"traceEvents\": [}", "bracket"},
        {"{\"traceEvents\": []} x{", "behind the end"},
        {"\x1f\x8b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "gzip"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct arena *arena = arena_new(ARENA_BYTES);
        const struct profile *profile = read_text(arena, ROWS[i].text);
        if (!profile->error || !strstr(profile->error, ROWS[i].error))
            fail_msg("%s: %s", ROWS[i].text, profile->error ? profile->error : "no error");
        arena_free(arena);
    }
}

/* 32 MB of blanks behind a bracket are 32 kB packed. */
static void a_text_that_unpacks_without_end_is_refused(void **state)
{
    static char blanks[1 << 20];
    struct arena *arena = arena_new(ARENA_BYTES);
    struct profile_stream *stream = profile_stream_open(arena);
    static unsigned char packed[1 << 20];
    z_stream zlib = {.next_out = packed, .avail_out = sizeof(packed)};

    (void)state;
    memset(blanks, ' ', sizeof(blanks));
    blanks[0] = '[';
    assert_int_equal(deflateInit2(&zlib, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    for (int i = 0; i < 32; i++) {
        zlib.next_in = (unsigned char *)blanks;
        zlib.avail_in = sizeof(blanks);
        assert_int_equal(deflate(&zlib, i < 31 ? Z_NO_FLUSH : Z_FINISH), i < 31 ? Z_OK : 1);
        blanks[0] = ' ';
    }
    profile_stream_feed(stream, (const char *)packed, zlib.total_out);
    (void)deflateEnd(&zlib);
    const struct profile *profile = profile_stream_close(stream);
    assert_non_null(profile->error);
    assert_non_null(strstr(profile->error, "200 times"));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_profile_gives_what_its_source_says),
        cmocka_unit_test(small_texts_are_read),
        cmocka_unit_test(overlap_counts_once_and_idle_is_the_hosts),
        cmocka_unit_test(steps_of_the_asked_phase_are_picked),
        cmocka_unit_test(a_wall_time_tells_the_hosts_share),
        cmocka_unit_test(what_is_no_profile_says_so),
        cmocka_unit_test(a_text_that_unpacks_without_end_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
