/* Which fit is taken, in a small library where every row's e_m tells it apart. */
#include "library.h"

#include <stdlib.h>

#include "check.h"
#include "compiler.h"

enum { VLLM, SGLANG, TRTLLM };

static const struct hardware PARTS[] = {{.id = "a", .index = 0}, {.id = "b", .index = 1}};
/* Part "b" stands for "a", and not the other way round. */
static const struct neighbours NEAR[] = {{.part = {1}, .n = 1}, {.n = 0}};
static const struct engine ENGINES[] = {{.id = "vllm", .index = VLLM},
                                        {.id = "sglang", .index = SGLANG},
                                        {.id = "trtllm", .index = TRTLLM}};
static const struct hardware INLINE_PART = {.index = -1};

static struct library sample(struct op_fit *fits, int n, struct comm_fit *comms, int n_comms)
{
    if (fits) {
        qsort(fits, (size_t)n, sizeof(*fits), fit_order);
    }
    if (comms) {
        qsort(comms, (size_t)n_comms, sizeof(*comms), comm_order);
    }
    return (struct library){.hardware = PARTS,
                            .n_hardware = (int)ARRAY_LEN(PARTS),
                            .engines = ENGINES,
                            .n_engines = (int)ARRAY_LEN(ENGINES),
                            .op_fits = fits,
                            .n_op_fits = n,
                            .comm_fits = comms,
                            .n_comm_fits = n_comms};
}

#define FIT(HW, ENGINE, MAJOR, OP, TYPE, NAME, STATUS)                                             \
    {                                                                                              \
        .hardware = (HW), .engine = (ENGINE), .version = {0, (MAJOR), 0}, .op = (OP),              \
        .dtype = (TYPE), .e_m = (NAME), .status = (STATUS)                                         \
    }

static const struct look_up {
    int part, engine, minor;
    enum fit_op op;
    enum fit_dtype types[2];
    double e_m; /* the fit wanted; 0 = none */
    enum fit_match match;
} LOOK_UPS[] = {
    {0, VLLM, 24, FIT_GEMM, {FIT_BF16, FIT_DTYPE_COUNT}, 1, FIT_EXACT},
    /* 0.20 lies nearer to 0.24 than to 0.14 */
    {0, VLLM, 20, FIT_GEMM, {FIT_BF16, FIT_DTYPE_COUNT}, 1, FIT_OTHER_VERSION},
    {0, VLLM, 12, FIT_GEMM, {FIT_BF16, FIT_DTYPE_COUNT}, 2, FIT_OTHER_VERSION},
    {0, TRTLLM, 0, FIT_GEMM, {FIT_BF16, FIT_DTYPE_COUNT}, 1, FIT_OTHER_ENGINE},
    /* its own fit is rejected: another engine's */
    {0, VLLM, 24, FIT_GEMM, {FIT_FP8_BLOCK, FIT_FP8}, 3, FIT_OTHER_ENGINE},
    /* nothing of the first type on this part: the second */
    {1, VLLM, 24, FIT_GEMM, {FIT_FP8_BLOCK, FIT_FP8}, 5, FIT_OTHER_TYPE},
    /* a neighbour's first type goes before the part's own second */
    {0, VLLM, 24, FIT_GEMM, {FIT_FP8, FIT_BF16}, 5, FIT_OTHER_PART},
    {0, SGLANG, 5, FIT_GEMM, {FIT_NVFP4, FIT_FP8}, 5, FIT_OTHER_PART},
    {0, VLLM, 24, FIT_GEMM, {FIT_NVFP4, FIT_BF16}, 1, FIT_OTHER_TYPE},
    /* a form of its own goes before the plain one, in the own engine and in another */
    {0, SGLANG, 5, FIT_MOE_BALANCED, {FIT_BF16, FIT_DTYPE_COUNT}, 11, FIT_OTHER_VERSION},
    {0, TRTLLM, 1, FIT_MOE_BALANCED, {FIT_BF16, FIT_DTYPE_COUNT}, 11, FIT_OTHER_ENGINE},
    {0, SGLANG, 5, FIT_GEMM, {FIT_INT8_WO, FIT_DTYPE_COUNT}, 13, FIT_EXACT},
    {0, TRTLLM, 1, FIT_GEMM, {FIT_INT8_WO, FIT_DTYPE_COUNT}, 13, FIT_OTHER_ENGINE},
    /* the own fallback goes before another engine's used fit, which goes before a third's fallback
     */
    {0, VLLM, 24, FIT_PREFILL_ATTENTION, {FIT_KV_BF16, FIT_DTYPE_COUNT}, 6, FIT_EXACT},
    {0, TRTLLM, 1, FIT_PREFILL_ATTENTION, {FIT_KV_BF16, FIT_DTYPE_COUNT}, 7, FIT_OTHER_ENGINE},
    {1, VLLM, 24, FIT_PREFILL_ATTENTION, {FIT_KV_BF16, FIT_DTYPE_COUNT}, 8, FIT_EXACT},
    {1, VLLM, 24, FIT_DECODE_MLA, {FIT_KV_BF16, FIT_DTYPE_COUNT}, 0, FIT_NONE},
};

static void fits_are_found_in_order(void **state)
{
    struct op_fit fits[] = {
        FIT(0, VLLM, 24, FIT_GEMM, FIT_BF16, 1, FIT_USED),
        FIT(0, VLLM, 14, FIT_GEMM, FIT_BF16, 2, FIT_USED),
        FIT(0, SGLANG, 5, FIT_GEMM, FIT_FP8_BLOCK, 3, FIT_USED),
        FIT(0, VLLM, 24, FIT_GEMM, FIT_FP8_BLOCK, 4, FIT_REJECTED),
        FIT(1, VLLM, 24, FIT_GEMM, FIT_FP8, 5, FIT_USED),
        FIT(0, VLLM, 24, FIT_PREFILL_ATTENTION, FIT_KV_BF16, 6, FIT_FALLBACK),
        FIT(0, SGLANG, 5, FIT_PREFILL_ATTENTION, FIT_KV_BF16, 7, FIT_USED),
        FIT(1, VLLM, 24, FIT_PREFILL_ATTENTION, FIT_KV_BF16, 8, FIT_FALLBACK),
        FIT(0, SGLANG, 5, FIT_GEMM, FIT_INT8_WO, 12, FIT_USED),
        FIT(0, SGLANG, 5, FIT_GEMM, FIT_INT8_WO, 13, FIT_USED),
        FIT(0, SGLANG, 5, FIT_MOE_BALANCED, FIT_BF16, 10, FIT_USED),
        FIT(0, SGLANG, 4, FIT_MOE_BALANCED, FIT_BF16, 11, FIT_USED),
    };
    fits[ARRAY_LEN(fits) - 1].form = FIT_FORM_PADDED_EXPERTS;
    fits[ARRAY_LEN(fits) - 3].form = FIT_FORM_SHAPES;
    struct library lib = sample(fits, (int)ARRAY_LEN(fits), NULL, 0);
    lib.neighbours = NEAR;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(LOOK_UPS); i++) {
        const struct look_up *row = &LOOK_UPS[i];
        const int version[3] = {0, row->minor, 0};
        enum fit_match match = FIT_EXACT;
        const struct fit_query query = {row->op, row->types, 2, true};
        const struct op_fit *fit =
            library_op_fit(&lib, &PARTS[row->part], &ENGINES[row->engine], version, &query, &match);
        assert_near(fit ? fit->e_m : 0, row->e_m, 0);
        assert_int_equal(match, row->match);
    }
    const enum fit_dtype bf16 = FIT_BF16;
    const struct fit_query query = {FIT_GEMM, &bf16, 1, true};
    const int version[3] = {0, 24, 0};
    enum fit_match match = FIT_EXACT;
    assert_null(library_op_fit(&lib, &INLINE_PART, &ENGINES[VLLM], version, &query, &match));
    assert_int_equal(match, FIT_NONE);
}

#define COMM(HW, ENGINE, DEVICES, GRAPH, NAME)                                                     \
    {                                                                                              \
        .hardware = (HW), .engine = (ENGINE), .devices = (DEVICES), .graph = (GRAPH),              \
        .t0_us = (NAME)                                                                            \
    }

static const struct comm_row {
    int part, engine;
    double devices;
    bool graph;
    double t0_us;
    enum fit_match match;
} COMM_ROWS[] = {
    {0, VLLM, 2, true, 1, FIT_EXACT},          {0, VLLM, 2, false, 2, FIT_EXACT},
    {0, VLLM, 3, true, 3, FIT_OTHER_VERSION}, /* four devices stand for three */
    {0, VLLM, 4, false, 3, FIT_EXACT},        /* the only variant there is */
    {0, VLLM, 8, true, 5, FIT_OTHER_ENGINE},  /* the vendor's library reaches eight */
    {0, SGLANG, 2, true, 4, FIT_OTHER_ENGINE}, {0, VLLM, 16, true, 0, FIT_NONE},
    {1, VLLM, 2, true, 0, FIT_NONE},
};

/*
 * NVLink 4 of 450 GB/s one way on "nv-a", the same without fits on "nv-b" (200 GB/s, eight joined),
 * a bridge of two, a PCIe card of the family, and another generation.
 */
static const struct hardware LINKED[] = {
#define PART(INDEX, ARCH, KIND, FABRIC, LINK, DOMAIN, BW, PEAK)                                    \
    {                                                                                              \
        .id = KIND, .vendor = "nvidia", .arch = (ARCH), .memory_type = "HBM3", .index = (INDEX),   \
        .link_kind = (KIND), .link_is_fabric = (FABRIC), .link_bytes_us = (LINK),                  \
        .link_domain = (DOMAIN), .bw_bytes_us = (BW), .peak_flops_us = {                           \
            [DTYPE_BF16] = (PEAK)                                                                  \
        }                                                                                          \
    }
    PART(0, "hopper", "NVLink4", true, 450e3, 8, 3.35e6, 989e6),
    PART(1, "hopper", "NVLink4", true, 200e3, 8, 4e6, 148e6),
    PART(2, "hopper", "NVLink4-bridge", true, 300e3, 2, 3.9e6, 835e6),
    PART(3, "hopper", "PCIe5", false, 63e3, 8, 2e6, 756e6),
    PART(4, "blackwell", "NVLink5", true, 900e3, 8, 8e6, 2250e6),
    PART(5, "hopper", "NVLink4", true, 450e3, 8, 4.8e6, 989e6),
#undef PART
};

static void families_and_links(void **state)
{
    static const struct {
        int a, b;
        bool family, link;
    } ROWS[] = {
        {0, 1, true, true},   {0, 2, true, false}, {0, 3, true, false},
        {0, 4, false, false}, {3, 2, true, false}, {0, 5, true, true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        const struct hardware *a = &LINKED[ROWS[i].a], *b = &LINKED[ROWS[i].b];
        assert_int_equal(hardware_same_family(a, b), ROWS[i].family);
        assert_int_equal(hardware_same_family(b, a), ROWS[i].family);
        assert_int_equal(hardware_same_link(a, b), ROWS[i].link);
    }
    /* A refresh is of its generation; another maker, memory or an unstated one is not. */
    struct hardware a = LINKED[4], b = LINKED[4];
    b.arch = "blackwell-ultra";
    b.memory_type = "HBM3e";
    assert_true(hardware_same_family(&a, &b));
    b.memory_type = "GDDR7";
    assert_false(hardware_same_family(&a, &b));
    b.memory_type = NULL;
    assert_false(hardware_same_family(&a, &b));
    b = a;
    b.vendor = "amd";
    assert_false(hardware_same_family(&a, &b));
    a.class = b.class = HW_TPU;
    b.vendor = a.vendor;
    assert_false(hardware_same_family(&a, &b));
}

/*
 * Nearest first, by |log| of bandwidth and peak ratio; parts without a usable fit stand for nobody.
 * Of part 1 (4,000 GB/s, 148 TFLOP/s): part 0 ln(4/3.35) + ln(989/148) = 0.177 + 1.900 = 2.077,
 * part 5 ln(4.8/4) + 1.900 = 2.082. Of part 2 (3,900; 835): 0.152 + 0.169 and 0.208 + 0.169. Of
 * part 3 (2,000; 756): 0.516 + 0.269 = 0.785 and 0.875 + 0.269.
 */
static void neighbours_are_the_nearest(void **state)
{
    struct op_fit fits[] = {
        FIT(0, VLLM, 24, FIT_GEMM, FIT_BF16, 1, FIT_USED),
        FIT(5, VLLM, 24, FIT_GEMM, FIT_BF16, 2, FIT_FALLBACK),
        FIT(2, VLLM, 24, FIT_GEMM, FIT_BF16, 3, FIT_REJECTED),
        FIT(4, VLLM, 24, FIT_GEMM, FIT_BF16, 4, FIT_USED),
    };
    struct library lib = sample(fits, (int)ARRAY_LEN(fits), NULL, 0);
    lib.hardware = LINKED;
    lib.n_hardware = (int)ARRAY_LEN(LINKED);
    (void)state;
    static const struct neighbours WANT[] = {
        {{5}, 1}, {{0, 5}, 2}, {{0, 5}, 2}, {{0, 5}, 2}, {{0}, 0}, {{0}, 1},
    };
    for (int i = 0; i < lib.n_hardware; i++) {
        struct neighbours near = library_neighbours(&lib, i);
        assert_int_equal(near.n, WANT[i].n);
        for (int j = 0; j < near.n; j++) {
            assert_int_equal(near.part[j], WANT[i].part[j]);
        }
    }
}

/* A neighbour's collective runs at its share of this part's link: 200 of 450 GB/s. */
static void collectives_of_a_neighbour(void **state)
{
    struct comm_fit comms[] = {COMM(0, VLLM, 4, true, 1), COMM(0, -1, 8, false, 2)};
    const struct neighbours near[] = {{.n = 0}, {{0}, 1}, {{0}, 1}, {{0}, 1}, {{0}, 1}, {{0}, 1}};

    static const struct {
        int part;
        double devices, t0_us;
    } ROWS[] = {
        {1, 4, 1}, {1, 8, 2}, {1, 16, 0}, {2, 2, 0}, {3, 2, 0}, {4, 2, 0}, {5, 3, 1},
    };
    struct library lib = sample(NULL, 0, comms, (int)ARRAY_LEN(comms));
    lib.hardware = LINKED;
    lib.n_hardware = (int)ARRAY_LEN(LINKED);
    lib.neighbours = near;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        enum fit_match match = FIT_EXACT;
        const struct comm_fit *fit =
            library_comm_fit(&lib, &LINKED[ROWS[i].part], &ENGINES[VLLM], COMM_ALL_REDUCE,
                             ROWS[i].devices, true, &match);
        assert_near(fit ? fit->t0_us : 0, ROWS[i].t0_us, 0);
        assert_int_equal(match, fit ? FIT_OTHER_PART : FIT_NONE);
    }
    assert_near(comm_fit_scale(&lib, &comms[0], &LINKED[1]), 200.0 / 450, 1e-12);
    assert_near(comm_fit_scale(&lib, &comms[0], &LINKED[0]), 1, 0);
}

static void weaker_matches(void **state)
{
    static const enum fit_match ORDER[] = {FIT_EXACT,      FIT_OTHER_VERSION, FIT_OTHER_ENGINE,
                                           FIT_OTHER_TYPE, FIT_OTHER_PART,    FIT_NONE};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ORDER); i++) {
        for (size_t j = 0; j < ARRAY_LEN(ORDER); j++) {
            assert_int_equal(fit_match_is_weaker(ORDER[i], ORDER[j]), i > j);
        }
    }
}

static void collectives_are_found_in_order(void **state)
{
    struct comm_fit comms[] = {
        COMM(0, VLLM, 2, true, 1), COMM(0, VLLM, 2, false, 2), COMM(0, VLLM, 4, true, 3),
        COMM(0, -1, 2, false, 4),  COMM(0, -1, 8, false, 5),
    };
    const struct library lib = sample(NULL, 0, comms, (int)ARRAY_LEN(comms));
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(COMM_ROWS); i++) {
        const struct comm_row *row = &COMM_ROWS[i];
        enum fit_match match = FIT_EXACT;
        const struct comm_fit *fit =
            library_comm_fit(&lib, &PARTS[row->part], &ENGINES[row->engine], COMM_ALL_REDUCE,
                             row->devices, row->graph, &match);
        assert_near(fit ? fit->t0_us : 0, row->t0_us, 0);
        assert_int_equal(match, row->match);
    }
    enum fit_match match = FIT_EXACT;
    assert_null(
        library_comm_fit(&lib, &INLINE_PART, &ENGINES[VLLM], COMM_ALL_REDUCE, 2, true, &match));
}

static void records_are_found_by_id(void **state)
{
    static const struct model MODELS[] = {{.id = "m"}};
    static const struct weight_format WEIGHTS[] = {{.id = "bf16"}};
    static const struct kv_format KV[] = {{.id = "fp8"}};
    const struct library lib = {.models = MODELS,
                                .n_models = 1,
                                .hardware = PARTS,
                                .n_hardware = 2,
                                .weight_formats = WEIGHTS,
                                .n_weight_formats = 1,
                                .kv_formats = KV,
                                .n_kv_formats = 1,
                                .engines = ENGINES,
                                .n_engines = 3};
    (void)state;
    assert_ptr_equal(library_model(&lib, "m"), &MODELS[0]);
    assert_ptr_equal(library_hardware(&lib, "b"), &PARTS[1]);
    assert_ptr_equal(library_weight_format(&lib, "bf16"), &WEIGHTS[0]);
    assert_ptr_equal(library_kv_format(&lib, "fp8"), &KV[0]);
    assert_ptr_equal(library_engine(&lib, "trtllm"), &ENGINES[TRTLLM]);
    assert_null(library_model(&lib, "x"));
    assert_null(library_hardware(&lib, "x"));
    assert_null(library_weight_format(&lib, "x"));
    assert_null(library_kv_format(&lib, "x"));
    assert_null(library_engine(&lib, "x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_found_in_order),
        cmocka_unit_test(collectives_are_found_in_order),
        cmocka_unit_test(families_and_links),
        cmocka_unit_test(neighbours_are_the_nearest),
        cmocka_unit_test(collectives_of_a_neighbour),
        cmocka_unit_test(weaker_matches),
        cmocka_unit_test(records_are_found_by_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
