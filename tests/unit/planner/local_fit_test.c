/* Keys of the local engines' constants: families, formats, back ends, look-up. */
#include "local_fit.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "compiler.h"

#define NO_FAMILY "none"

static const struct {
    struct hardware part;
    enum backend backend;
    const char *family;
} FAMILIES[] = {
    {{.id = "rtx-3090", .vendor = "nvidia", .arch = "ampere", .class = HW_CONSUMER},
     BACKEND_CUDA,
     "ampere-c"},
    {{.id = "a40", .vendor = "nvidia", .arch = "ampere", .class = HW_DATACENTER},
     BACKEND_CUDA,
     "ampere-c"},
    {{.id = "a100-sxm-80gb", .vendor = "nvidia", .arch = "ampere", .class = HW_DATACENTER},
     BACKEND_CUDA,
     "ampere-dc"},
    {{.id = "jetson-agx-orin-64gb", .vendor = "nvidia", .arch = "ampere", .class = HW_SOC},
     BACKEND_CUDA,
     "jetson"},
    {{.id = "gtx-1660", .vendor = "nvidia", .arch = "turing", .class = HW_CONSUMER},
     BACKEND_CUDA,
     "turing-nt"},
    {{.id = "l40s", .vendor = "nvidia", .arch = "ada", .class = HW_DATACENTER},
     BACKEND_CUDA,
     "ada"},
    {{.id = "dgx-spark-gb10", .vendor = "nvidia", .arch = "blackwell", .class = HW_SOC},
     BACKEND_CUDA,
     "gb10"},
    {{.id = "dgx-spark-gb10", .vendor = "nvidia", .arch = "blackwell", .class = HW_SOC},
     BACKEND_CPU,
     NO_FAMILY},
    {{.id = "rtx-pro-6000", .vendor = "nvidia", .arch = "blackwell", .class = HW_WORKSTATION},
     BACKEND_VULKAN,
     "blackwell-c"},
    {{.id = "b300-sxm", .vendor = "nvidia", .arch = "blackwell-ultra", .class = HW_DATACENTER},
     BACKEND_CUDA,
     "blackwell-dc"},
    {{.id = "strix-halo-395", .vendor = "amd", .arch = "rdna3.5", .class = HW_SOC},
     BACKEND_HIP,
     "rdna3.5"},
    {{.id = "strix-halo-395", .vendor = "amd", .arch = "rdna3.5", .class = HW_SOC},
     BACKEND_CPU,
     NO_FAMILY},
    {{.id = "rx-7900-xtx", .vendor = "amd", .arch = "rdna3", .class = HW_CONSUMER},
     BACKEND_HIP,
     "rdna3"},
    {{.id = "rx-7900-xtx", .vendor = "amd", .arch = "rdna3", .class = HW_CONSUMER},
     BACKEND_CPU,
     NO_FAMILY},
    {{.id = "arc-b580", .vendor = "intel", .arch = "xe2-hpg", .class = HW_CONSUMER},
     BACKEND_SYCL,
     "xe2"},
    {{.id = "arc-a770-16gb", .vendor = "intel", .arch = "xe-hpg", .class = HW_CONSUMER},
     BACKEND_VULKAN,
     "xe"},
    {{.id = "m4-max-40c", .vendor = "apple", .arch = "apple-silicon", .class = HW_SOC},
     BACKEND_METAL,
     "m4"},
    {{.id = "m4-max-40c", .vendor = "apple", .arch = "apple-silicon", .class = HW_SOC},
     BACKEND_CPU,
     NO_FAMILY},
    {{.id = "cpu-m2-max", .vendor = "apple", .arch = "arm64", .class = HW_CPU}, BACKEND_CPU, "arm"},
    {{.id = "cpu-2x-epyc-9654", .vendor = "amd", .arch = "x86-64", .class = HW_CPU},
     BACKEND_CPU,
     "x86"},
    {{.id = "tpu-v6e", .vendor = "google", .arch = "v6e", .class = HW_TPU},
     BACKEND_CUDA,
     NO_FAMILY},
    {{.class = HW_CONSUMER}, BACKEND_CUDA, NO_FAMILY},
};

/* Which chip a part has: GA100 and GA102, AD102, GB202 and GB203, GB10, as the makers say. */
static void families(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(FAMILIES); i++) {
        enum local_family family = local_family_of(&FAMILIES[i].part, FAMILIES[i].backend);
        assert_string_equal(family == LOCAL_FAMILY_COUNT ? NO_FAMILY : local_family_name(family),
                            FAMILIES[i].family);
    }
}

static void formats(void **state)
{
    static const struct {
        const char *id, *class;
    } ROWS[] = {
        {"bf16", "f16"},        {"q8_0", "q8"},        {"q4_0", "q4_0"},
        {"q5_1", "q4_0"},       {"q4_k_m", "k456"},    {"q6_k", "k456"},
        {"q3_k_s", "k23"},      {"iq4_xs", "iq4+"},    {"iq2_xxs", "iq123"},
        {"mxfp4_moe", "fp4"},   {"awq", "int4"},       {"mlx_q4_g64", "mlx4"},
        {"mlx_q8_g64", "mlx8"}, {"mlx_mxfp4", "mlx4"}, {"ik_iq5_ks", "iq4+"},
        {"ik_iq2_kl", "iq123"}, {"exl2_4", "other"},   {"gguf_nvfp4", "fp4"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
        assert_string_equal(local_format_name(local_format_of(ROWS[i].id)), ROWS[i].class);
}

static void names_come_back(void **state)
{
    (void)state;
    for (int i = 0; i < LOCAL_CONSTANT_COUNT; i++)
        assert_int_equal(local_constant_parse(local_constant_name((enum local_constant)i)), i);
    for (int i = 0; i < BACKEND_COUNT; i++)
        assert_int_equal(backend_parse(backend_name((enum backend)i)), i);
    assert_int_equal(local_constant_parse("decode"), LOCAL_CONSTANT_COUNT);
    assert_int_equal(local_family_parse(NULL), LOCAL_FAMILY_COUNT);
}

/* Rows are found by their whole scope, whatever the order they came in. */
static void look_up(void **state)
{
    struct local_fit fits[] = {
        {.constant = LOCAL_F_W, .scope = {BACKEND_CUDA, 0, FAMILY_ADA, LOCAL_Q8, LOCAL_ANY}},
        {.constant = LOCAL_E, .scope = {BACKEND_CUDA, 0, FAMILY_ADA, LOCAL_Q8, LOCAL_ANY}},
        {.constant = LOCAL_F_W,
         .scope = {BACKEND_CUDA, LOCAL_ANY, LOCAL_ANY, LOCAL_ANY, LOCAL_ANY}},
        {.constant = LOCAL_F_W, .scope = {BACKEND_CUDA, 0, FAMILY_ADA, LOCAL_ANY, 7}},
        {.constant = LOCAL_F_W, .scope = {BACKEND_HIP, 0, FAMILY_RDNA3, LOCAL_ANY, LOCAL_ANY}},
    };
    struct local_fit asked[ARRAY_LEN(fits)];
    int n = (int)ARRAY_LEN(fits);

    (void)state;
    memcpy(asked, fits, sizeof(fits));
    for (int i = 0; i < n; i++)
        fits[i].value = asked[i].value = i;
    local_fits_sort(fits, n);
    for (int i = 0; i < n; i++) {
        const struct local_fit *found = local_fit_find(fits, n, asked[i].constant, &asked[i].scope);
        assert_non_null(found);
        assert_near(found->value, asked[i].value, 0);
    }
    struct local_scope absent = {BACKEND_CUDA, 0, FAMILY_ADA, LOCAL_Q8, 7};
    assert_null(local_fit_find(fits, n, LOCAL_F_W, &absent));
    assert_null(local_fit_find(NULL, 0, LOCAL_F_W, &absent));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families),
        cmocka_unit_test(formats),
        cmocka_unit_test(names_come_back),
        cmocka_unit_test(look_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
