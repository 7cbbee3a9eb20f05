/* What a kernel does, told from its name in the forms that profilers print. */
#include <string.h>

#include "check.h"
#include "kernel_names.h"
#include "kernel_text.h"

static struct kernel_match match_of(const char *name)
{
    return kernel_class_of(name, strlen(name));
}

/* Names as profiles of each kind hold them; the classes are what the kernels' sources do. */
static void forms_of_names(void **state)
{
    (void)state;

    static const struct {
        const char *name, *class;
    } ROWS[] = {
        /* Kineto: return type, template arguments, parameters. */
        {"void vllm::reshape_and_cache_flash_kernel<__hip_bfloat16, __hip_bfloat16, "
         "(vllm::Fp8KVCacheDataType)0>(__hip_bfloat16 const*, __hip_bfloat16 const*, long)",
         "kv_write"},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
         "namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}>(int)",
         "norm_elementwise"},
        {"std::enable_if<!(false), void>::type "
         "vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*)",
         "norm_elementwise"},
        /* nsys: arguments as T1, T2, cut at a column. */
        {"void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel<T1>, (bool)1>(T1 *, ...",
         "norm_elementwise"},
        {"void "
         "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::Col…",
         "attention"},
        {"void <unnamed>::multimem_all_reduce_kernel<c10::BFloat16, (int)16>(T1 *, unsigned long)",
         "collective"},
        /* Mangled, whole and cut. */
        {"_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipeli", "norm_elementwise"},
        {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16EEEvPT0_PT_PfS4_S4_S4_diiiiiiib",
         "norm_elementwise"},
        {"_ZN5aiter42f4gemm_bf16_per1x32Fp4_BpreShuffle_128x512E.kd", "dense_gemm"},
        {"_ZN5aiter27pa_bf16_noquant_gqa8_1tg_4wE [clone .kd]", "attention"},
        /* The runtime's own words. */
        {"Memcpy HtoD (Pageable -> Device)", "memcpy_h2d"},
        {"[CUDA memcpy DtoH]", "memcpy_d2h"},
        {"Memset (Device)", "memset"},
        /* Libraries whose names are codes. */
        {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT16x16x256_MI16x16", "dense_gemm"},
        {"nvjet_tst_128x8_64x12_4x1_v_bz_TNT", "dense_gemm"},
        {"bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3", "moe_experts"},
        {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
         "collective"},
        /* Nothing known. */
        {"", "unclassified"},
        {"zzz", "unclassified"},
        {"void <<<(((", "unclassified"},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        const char *class = kernel_class_name(match_of(ROWS[i].name).class);
        if (strcmp(class, ROWS[i].class) != 0) {
            fail_msg("%s: %s, expected %s", ROWS[i].name, class, ROWS[i].class);
        }
    }
}

/* Letters that meet by chance across words make no match. */
static void words_have_edges(void **state)
{
    (void)state;

    static const struct {
        const char *name, *is_not;
    } ROWS[] = {
        {"small_reduce_kernel", "collective"},
        {"small_gather_kernel", "collective"},
        {"batch_combine_rows", "collective"},
        {"qkv_transpose_kernel", "collective"},
        {"tensors_aggregate", "collective"},
        {"offset_rows_kernel", "kv_write"},
        {"mask_data_kernel", "linear_attention"},
        {"grow_kv_blocks", "linear_attention"},
        {"format_id_kernel", "moe_experts"},
        {"comm_id_kernel", "moe_experts"},
        {"num_indices_kernel", "moe_gating"},
        {"data_max_kernel", "quantise"},
        {"upsample_nearest", "sampling"},
        {"post_pre_split_kernel", "dense_gemm"},
        {"masked_multihead_at", "norm_elementwise"},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        if (strcmp(kernel_class_name(match_of(ROWS[i].name).class), ROWS[i].is_not) == 0) {
            fail_msg("%s: %s", ROWS[i].name, ROWS[i].is_not);
        }
    }
}

/* No row stands in the shadow of another: each is the one that its example finds. */
static void rows_are_reached(void **state)
{
    (void)state;
    size_t n = 0;

    for (const struct kernel_row *row; (row = kernel_row_at(n)) != NULL; n++) {
        struct kernel_match match = match_of(row->example);
        if (match.row != row) {
            fail_msg("%s: %s finds %s", row->pattern, row->example,
                     match.row ? match.row->pattern : "nothing");
        }
        assert_int_equal(match.class, row->class);
        assert_int_equal(match.ambiguous, row->ambiguous != NULL);
        assert_true(strncmp(row->source, "https://", 8) == 0);
        assert_true(strlen(row->engine) > 0);
        assert_true(
            row->pattern[strspn(row->pattern, "^$*_abcdefghijklmnopqrstuvwxyz0123456789")] == '\0');
    }
    assert_true(n > 0);
}

static void class_names(void **state)
{
    (void)state;
    enum kernel_class class = KERNEL_CLASS_COUNT;

    for (int i = 0; i < KERNEL_CLASS_COUNT; i++) {
        assert_true(kernel_class_named(kernel_class_name((enum kernel_class)i), &class));
        assert_int_equal(class, i);
    }
    assert_false(kernel_class_named("gemm", &class));
    assert_int_equal(class, KERNEL_CLASS_COUNT - 1);
}

/* A device class of the plan stands beside at least one measured class, unless it is a part of
 * others' time (drafting) or of the links between pools. */
static void budgets(void **state)
{
    (void)state;
    bool seen[CLASS_COUNT] = {false};

    for (int i = 0; i < KERNEL_CLASS_COUNT; i++) {
        size_t n = 0;
        const enum class_id *ids = kernel_class_budgets((enum kernel_class)i, &n);
        for (size_t j = 0; j < n; j++) {
            seen[ids[j]] = true;
        }
    }
    for (int id = CLASS_DENSE_GEMM; id <= CLASS_PROCESSORS_DEVICE; id++) {
        assert_int_equal(seen[id], id != CLASS_KV_TRANSFER);
    }
    for (int id = CLASS_SPECULATIVE_DRAFT; id < CLASS_COUNT; id++) {
        assert_false(seen[id]);
    }
}

/* A name longer than what is kept is read as far as that goes. */
static void long_names(void **state)
{
    (void)state;
    static char name[3 * KERNEL_LETTERS_MAX];

    memset(name, 'a', sizeof name);
    memcpy(name, "gemm_", sizeof "gemm_");
    assert_int_equal(kernel_class_of(name, sizeof name).class, KERNEL_DENSE_GEMM);
    memset(name, '<', sizeof name);
    assert_int_equal(kernel_class_of(name, sizeof name).class, KERNEL_UNCLASSIFIED);
    memset(name, '9', sizeof name);
    name[0] = '_';
    name[1] = 'Z';
    assert_int_equal(kernel_class_of(name, sizeof name).class, KERNEL_UNCLASSIFIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_names),   cmocka_unit_test(words_have_edges),
        cmocka_unit_test(rows_are_reached), cmocka_unit_test(class_names),
        cmocka_unit_test(budgets),          cmocka_unit_test(long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
