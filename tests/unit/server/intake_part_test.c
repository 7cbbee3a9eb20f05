#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../figures.h"
#include "inline_part.h"
#include "intake_kit.h"

#define GOOD "\"memory_gb\":80,\"mem_bw_gbps\":3350,"
#define ASKED(PART) "{\"model\":\"llama-3.1-8b\",\"hardware\":{" PART "}}"

static void figures_are_converted_once(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    kit_read_json(
        kit,
        ASKED("\"id\":\"mine\",\"class\":\"workstation\",\"memory_gb\":48,\"mem_bw_gbps\":900,"
              "\"peak_dense_tflops\":{\"bf16\":300,\"fp8\":600},\"pcie\":\"gen5x16\",\"tdp_w\":350,"
              "\"interconnect\":{\"kind\":\"NVLink4\",\"gbps_per_gpu_total_bidir\":400,\"max_"
              "domain\":4}"),
        &reading);
    assert_true(reading.complete);
    const struct hardware *hw = reading.request.problem.hw;
    assert_int_equal(hw->index, -1);
    assert_string_equal(hw->id, "mine");
    assert_figure(hw->memory_bytes, 48e9);
    assert_true(hw->memory_is_nominal);
    assert_figure(hw->bw_bytes_us, 900e3);               /* 900 GB/s */
    assert_figure(hw->peak_flops_us[DTYPE_BF16], 300e6); /* 300 TFLOP/s */
    assert_figure(hw->peak_flops_us[DTYPE_FP8], 600e6);
    assert_figure(hw->peak_flops_us[DTYPE_FP16], 0);
    assert_figure(hw->link_bytes_us, 200e3); /* half of both directions */
    assert_figure(hw->link_domain, 4);
    assert_true(hw->link_is_fabric);
    assert_near(hw->host_bytes_us, 63e3, 0.1e3); /* PCI Express 5.0 x16: 63.0 GB/s one way */
    assert_false(hw->host_bytes_us_assumed);
    assert_string_equal(reading.request.problem.dep.engine->id, "vllm");
}

static void what_the_driver_reports_wins_over_the_nominal_size(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    kit_read_json(kit, ASKED("\"memory_gb\":80,\"memory_usable_gib\":79.1,\"mem_bw_gbps\":3350"),
                  &reading);
    assert_true(reading.complete);
    assert_near(reading.request.problem.hw->memory_bytes, 79.1 * 1073741824.0, 1);
    assert_false(reading.request.problem.hw->memory_is_nominal);
    kit_read_json(
        kit, ASKED("\"memory_bytes\":85000000000,\"memory_usable_gib\":79.1,\"mem_bw_gbps\":3350"),
        &reading);
    assert_figure(reading.request.problem.hw->memory_bytes, 85e9);
    assert_true(reading.request.problem.hw->host_bytes_us_assumed);
    assert_figure(reading.request.problem.hw->link_domain, 1);
}

/* A record as GET /v1/hardware/{id} shows it, its texts included, may be posted back. */
static void a_record_may_be_posted_back(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    kit_read_json(
        kit,
        ASKED("\"id\":\"mi100\",\"name\":\"AMD Instinct MI100 "
              "32GB\",\"aliases\":[\"gfx908\"],\"vendor\":\"amd\","
              "\"class\":\"datacenter\",\"arch\":\"cdna\",\"release\":\"2020-11\",\"memory_gb\":32,"
              "\"memory_usable_gib\":null,\"memory_type\":\"HBM2\",\"mem_bw_gbps\":1228.8,"
              "\"peak_dense_tflops\":{\"fp16\":184.6,\"bf16\":92.3},\"supports\":[\"fp16\"],"
              "\"interconnect\":"
              "{\"kind\":\"xGMI2\",\"gbps_per_gpu_total_bidir\":276,\"max_domain\":4},\"pcie\":"
              "\"gen4x16\","
              "\"tdp_w\":300,\"l2_cache_mb\":8,\"sm_or_cu\":120,\"notes\":\"\",\"sources\":[{}],"
              "\"disputes\":[],"
              "\"provenance\":[],\"revision\":1"),
        &reading);
    if (!reading.complete)
        fail_msg("%s %s", reading.faults.items[0].pointer, reading.faults.items[0].detail);
}

static const struct {
    const char *json, *pointers;
} REFUSALS[] = {
    {ASKED(""), "/hardware/memory_gb /hardware/mem_bw_gbps"},
    {ASKED("\"memory_gb\":80"), "/hardware/mem_bw_gbps"},
    {ASKED("\"memory_gb\":\"80\",\"mem_bw_gbps\":0"), "/hardware/memory_gb /hardware/mem_bw_gbps"},
    {ASKED("\"memory_gb\":80,\"mem_bw_gbps\":3350,\"flops\":1"), "/hardware/flops"},
    {ASKED("\"memory_gb\":80,\"mem_bw_gbps\":3350,\"peak_dense_tflops\":{\"bf17\":1}"),
     "/hardware/peak_dense_tflops/bf17"},
    {ASKED("\"memory_gb\":80,\"mem_bw_gbps\":3350,\"peak_dense_tflops\":989"),
     "/hardware/peak_dense_tflops"},
    {ASKED("\"memory_gb\":80,\"mem_bw_gbps\":3350,\"interconnect\":{\"max_domain\":0.5}"),
     "/hardware/interconnect/max_domain"},
    {ASKED("\"memory_gb\":80,\"mem_bw_gbps\":3350,\"class\":\"gpu\""), "/hardware/class"},
    {ASKED("\"memory_gb\":80,\"mem_bw_gbps\":1e999"), "/hardware/mem_bw_gbps"},
    {ASKED("\"memory_gb\":80,\"mem_bw_gbps\":1e-320"), "/hardware/mem_bw_gbps"},
    {ASKED("\"memory_gb\":1e-320,\"mem_bw_gbps\":-5"), "/hardware/memory_gb /hardware/mem_bw_gbps"},
    {ASKED(GOOD "\"peak_dense_tflops\":{\"bf16\":1e-320,\"fp8\":0,\"fp4\":-1,\"fp16\":1e7}"),
     "/hardware/peak_dense_tflops/bf16 /hardware/peak_dense_tflops/fp8 "
     "/hardware/peak_dense_tflops/fp4 /hardware/peak_dense_tflops/fp16"},
    {ASKED(GOOD "\"interconnect\":{\"gbps_per_gpu_total_bidir\":1e-320}"),
     "/hardware/interconnect/gbps_per_gpu_total_bidir"},
    {ASKED(GOOD "\"interconnect\":{\"gbps_per_gpu_total_bidir\":1e300}"),
     "/hardware/interconnect/gbps_per_gpu_total_bidir"},
    {ASKED(GOOD "\"host_gbps\":1e-320"), "/hardware/host_gbps"},
    {ASKED(GOOD "\"pcie\":\"NVLink-C2C inf\""), "/hardware/pcie"},
    {ASKED(GOOD "\"pcie\":\"NVLink-C2C nan\""), "/hardware/pcie"},
    {ASKED(GOOD "\"pcie\":\"NVLink-C2C -900\""), "/hardware/pcie"},
    {ASKED(GOOD "\"pcie\":\"NVLink-C2C 1e300\""), "/hardware/pcie"},
    {ASKED(GOOD "\"pcie\":\"gen5x1e1\""), "/hardware/pcie"},
    {ASKED(GOOD "\"pcie\":\"fast\""), "/hardware/pcie"},
};

static void faults_point_into_the_part(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    for (size_t i = 0; i < ARRAY_LEN(REFUSALS); i++) {
        kit_read_json(kit, REFUSALS[i].json, &reading);
        const char *pointers = kit_fault_pointers(kit, &reading);
        if (strcmp(pointers, REFUSALS[i].pointers) != 0)
            fail_msg("%s\n  faults at %s\n  expected %s", REFUSALS[i].json, pointers,
                     REFUSALS[i].pointers);
    }
}

/* PCI-SIG: 8, 16, 32 and 64 GT/s a lane; x16 one way 15.75, 31.5, 63.0 and 126 GB/s. */
static const struct {
    const char *text;
    double gbps;
} LINKS[] = {
    {"gen3x16", 15.75},    {"gen4x16", 31.5},       {"gen5x16", 63.0}, {"gen6x16", 126.0},
    {"gen4x8", 15.75},     {"NVLink-C2C 900", 450}, {"soc", 0},        {"gen9x16", 0},
    {"gen4x", 0},          {"gen4x99", 0},          {"", 0},           {"gen4x0", 0},
    {"gen4x16 ", 0},       {"NVLink-C2C inf", 0},   {"NVLink-C2C", 0}, {"NVLink-C2C 999999", 0},
    {"NVLink-C2C 1e2", 0},
};

/* The words of a refusal say what would do. */
static void refusals_state_their_bounds(void **state)
{
    struct kit *kit = *state;
    struct reading reading;

    kit_read_json(kit,
                  ASKED(GOOD "\"pcie\":\"NVLink-C2C inf\",\"peak_dense_tflops\":{\"bf16\":0},"
                             "\"interconnect\":{\"gbps_per_gpu_total_bidir\":0.01}"),
                  &reading);
    assert_int_equal(reading.faults.n, 3);
    assert_non_null(strstr(reading.faults.items[0].detail, "from 0.001 to 1000000 TFLOPS"));
    assert_non_null(strstr(reading.faults.items[1].detail, "1 to 100000 GB/s"));
    assert_non_null(strstr(reading.faults.items[2].detail, "from 0.1 to 1000000 GB/s"));
}

static void host_links_are_read_by_their_names(void **state)
{
    (void)state;
    assert_figure(host_link_bytes_us(NULL), 0);
    for (size_t i = 0; i < ARRAY_LEN(LINKS); i++)
        assert_near(host_link_bytes_us(LINKS[i].text), LINKS[i].gbps * 1e3, LINKS[i].gbps * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_converted_once),
        cmocka_unit_test(what_the_driver_reports_wins_over_the_nominal_size),
        cmocka_unit_test(a_record_may_be_posted_back),
        cmocka_unit_test(faults_point_into_the_part),
        cmocka_unit_test(refusals_state_their_bounds),
        cmocka_unit_test(host_links_are_read_by_their_names),
    };
    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
