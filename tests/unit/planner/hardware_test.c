/* The peak that a compute type runs at on a part. */
#include "hardware.h"

#include "check.h"
#include "compiler.h"

/* Peaks in TFLOPS as the makers state them, dense. */
static const struct hardware H100 = {.peak_flops_us = {[DTYPE_FP32] = 67,
                                                       [DTYPE_TF32] = 494.5,
                                                       [DTYPE_FP16] = 989.5,
                                                       [DTYPE_BF16] = 989.5,
                                                       [DTYPE_FP8] = 1979,
                                                       [DTYPE_INT8] = 1979}};
static const struct hardware T4 = {
    .peak_flops_us = {[DTYPE_FP32] = 8.1, [DTYPE_FP16] = 65, [DTYPE_INT8] = 130}};
static const struct hardware TPU_V5E = {.peak_flops_us = {[DTYPE_BF16] = 197, [DTYPE_INT8] = 394}};
static const struct hardware DDR4 = {.peak_flops_us = {[DTYPE_FP32] = 1}};
static const struct hardware NOTHING = {.index = -1};

static const struct peak_row {
    const struct hardware *part;
    enum dtype want, used;
    double peak;
} PEAKS[] = {
    {&H100, DTYPE_BF16, DTYPE_BF16, 989.5},
    {&H100, DTYPE_FP8, DTYPE_FP8, 1979},
    /* vLLM runs fp4 weights on Hopper through Marlin, in 16 bits. */
    {&H100, DTYPE_FP4, DTYPE_BF16, 989.5},
    {&H100, DTYPE_INT4, DTYPE_BF16, 989.5},
    {&T4, DTYPE_BF16, DTYPE_FP16, 65},
    {&T4, DTYPE_FP8, DTYPE_FP16, 65},
    {&T4, DTYPE_INT8, DTYPE_INT8, 130},
    {&TPU_V5E, DTYPE_FP16, DTYPE_BF16, 197},
    {&DDR4, DTYPE_BF16, DTYPE_FP32, 1},
    {&NOTHING, DTYPE_BF16, DTYPE_BF16, 0},
};

static void peaks_fall_back_to_sixteen_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(PEAKS); i++) {
        enum dtype used = DTYPE_COUNT;
        assert_near(hardware_peak(PEAKS[i].part, PEAKS[i].want, &used), PEAKS[i].peak, 0);
        assert_int_equal(used, PEAKS[i].used);
    }
}

static void classes_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < HW_CLASS_COUNT; i++) {
        assert_int_equal(hardware_class_parse(hardware_class_name((enum hardware_class)i)), i);
    }
    assert_int_equal(hardware_class_parse("toaster"), HW_CLASS_COUNT);
    assert_null(hardware_class_name(HW_CLASS_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peaks_fall_back_to_sixteen_bits),
        cmocka_unit_test(classes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
