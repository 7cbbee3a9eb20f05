/* smi: the forms of nvidia-smi, rocm-smi and amd-smi, typed as the tools print them; values by
 * hand. A MiB is 1048576 bytes. */
#include "observe_kit.h"

static const char BOX[] =
    "Mon Sep  2 10:00:00 2024\n"
    "+-----------------------------------------------------------------------------------------+\n"
    "| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |\n"
    "|-----------------------------------------+------------------------+----------------------+\n"
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
    "|                                         |                        |               MIG M. |\n"
    "|=========================================+========================+======================|\n"
    "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |\n"
    "| N/A   34C    P0             119W / 700W |   74519MiB /  81559MiB |     98%      Default |\n"
    "|                                         |                        |             Disabled |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "|   1  NVIDIA H100 80GB HBM3          On  |   00000000:3B:00.0 Off |                    0 |\n"
    "| 30%   71C    P0             321W / 700W |    1000MiB /  81559MiB |      2%      Default |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "| Processes:                                                                              |\n"
    "|    0   N/A  N/A      1234      C   python                                     74510MiB |\n"
    "+-----------------------------------------------------------------------------------------+\n";

static const char CSV[] = "index, name, utilization.gpu [%], power.draw [W], power.limit [W], "
                          "clocks.sm [MHz], clocks.max.sm [MHz], memory.used [MiB], "
                          "clocks_throttle_reasons.active, pcie.link.gen.current\n"
                          "0, NVIDIA L4, 99 %, 71.90 W, 72.00 W, 810 MHz, 2040 MHz, 20000 MiB, "
                          "0x0000000000000004, 3\n"
                          "0, NVIDIA L4, 97 %, 72.10 W, 72.00 W, 790 MHz, 2040 MHz, 20000 MiB, "
                          "0x0000000000000004, 3\n"
                          "1, NVIDIA L4, [N/A], [N/A], 72.00 W, 2040 MHz, 2040 MHz, 10 MiB, "
                          "0x0000000000000001, 4\n";

static const char NO_HEADER[] =
    "$ nvidia-smi --query-gpu=index,utilization.gpu,utilization.memory,temperature.gpu "
    "--format=csv,noheader,nounits\n0, 40, 30, 66\n1, 60, 10, 50\n";

static const char DMON[] =
    "# gpu   pwr gtemp mtemp    sm   mem   enc   dec   jpg   ofa  mclk  pclk rxpci txpci\n"
    "# Idx     W     C     C     %     %     %     %     %     %   MHz   MHz  MB/s  MB/s\n"
    "    0   119    34    40    98    45     0     0     -     -  2619  1980  1200  3400\n"
    "    1   121    35     -   100    55     0     0     -     -  2619  1900   100   200\n"
    "    0   121    36    40   100    47     0     0     -     -  2619  1980  1400  3600\n";

static const char PMON[] = "# gpu         pid   type     sm    mem    enc    dec    command\n"
                           "# Idx           #    C/G      %      %      %      %    name\n"
                           "    0       1234     C     80     20      -      -    python -m x\n"
                           "    1          -     -      -      -      -      -    -\n";

static const char LONG[] = "==============NVSMI LOG==============\n"
                           "Driver Version                            : 550.54.15\n"
                           "Attached GPUs                             : 1\n"
                           "GPU 00000000:19:00.0\n"
                           "    Product Name                          : NVIDIA A100-SXM4-80GB\n"
                           "    GPU UUID                              : GPU-aaaa\n"
                           "    PCI\n"
                           "        GPU Link Info\n"
                           "            PCIe Generation\n"
                           "                Max                       : 4\n"
                           "                Current                   : 1\n"
                           "            Link Width\n"
                           "                Max                       : 16x\n"
                           "                Current                   : 8x\n"
                           "        Tx Throughput                     : 5000 KB/s\n"
                           "    Clocks Event Reasons\n"
                           "        Idle                              : Not Active\n"
                           "        SW Power Cap                      : Active\n"
                           "        HW Slowdown                       : Not Active\n"
                           "    FB Memory Usage\n"
                           "        Total                             : 81920 MiB\n"
                           "        Used                              : 70000 MiB\n"
                           "    Utilization\n"
                           "        Gpu                               : 87 %\n"
                           "        Memory                            : 43 %\n"
                           "    Temperature\n"
                           "        GPU Current Temp                  : 64 C\n"
                           "    GPU Power Readings\n"
                           "        Power Draw                        : 399.50 W\n"
                           "        Current Power Limit               : 400.00 W\n"
                           "    Clocks\n"
                           "        Graphics                          : 1200 MHz\n"
                           "        SM                                : 1200 MHz\n"
                           "        Memory                            : 1593 MHz\n"
                           "    Max Clocks\n"
                           "        SM                                : 1410 MHz\n";

static const char TOPO[] = "\tGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
                           "GPU0\t X \tNV4\tSYS\tPIX\t0-31,64-95\t0\t\tN/A\n"
                           "GPU1\tNV4\t X \tSYS\tPXB\t0-31,64-95\t0\t\tN/A\n"
                           "GPU2\tSYS\tSYS\t X \tSYS\t32-63\t1\t\tN/A\n"
                           "NIC0\tPIX\tPXB\tSYS\t X \t\t\t\t\n"
                           "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe as "
                           "well as the SMP interconnect\n";

static const char TOPO_PCIE[] = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                                "GPU0\t X \tPHB\t0-15\tN/A\nGPU1\tPHB\t X \t0-15\tN/A\n";

static const char ROCM[] =
    "======================== ROCm System Management Interface ========================\n"
    "Device  Node  IDs              Temp        Power     Partitions          SCLK    MCLK     Fan "
    " "
    "Perf  PwrCap  VRAM%  GPU%\n"
    "              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)\n"
    "0       2     0x74a1,   28851  42.0°C      735.0W    NPS1, SPX, 0        2100Mhz 1300Mhz  0%  "
    " "
    "auto  750.0W  93%    100%\n";

static const char ROCM_OLD[] = "GPU  Temp   AvgPwr  SCLK    MCLK     Fan     Perf  PwrCap  VRAM%  "
                               "GPU%\n0    45.0c  250.0W  1502Mhz 1000Mhz  0.0%    auto  300.0W  "
                               "  12%   99%\n";

static const char AMD[] =
    "GPU  POWER  GPU_T  MEM_T   GFX_CLK   GFX%   MEM%   ENC%   DEC%       VRAM_USED\n"
    "  0  135 W  42 °C  35 °C   132 MHz    7 %    2 %    N/A    N/A      285 MB\n"
    "  1  635 W  72 °C  55 °C  2100 MHz   99 %   40 %    N/A    N/A   180000 MB\n";

static const struct observe_row ROWS[] = {
    {BOX, OBS_GPUS, 2},
    {BOX, OBS_GPU_UTILIZATION, 0.5},
    {BOX, OBS_GPU_UTILIZATION_MIN, 0.02},
    {BOX, OBS_GPU_POWER_W, 220},
    {BOX, OBS_GPU_POWER_CAP_W, 700},
    {BOX, OBS_GPU_TEMPERATURE_C, 71},
    {BOX, OBS_GPU_MEMORY_USED_BYTES, 74519 * 1048576.0},
    {BOX, OBS_GPU_SM_CLOCK_MHZ, NAN},
    /* of the first part the mean of two rows, of the second nothing */
    {CSV, OBS_GPU_UTILIZATION, 0.98},
    {CSV, OBS_GPU_POWER_W, 72},
    {CSV, OBS_GPU_SM_CLOCK_MHZ, 800},
    {CSV, OBS_GPU_SM_CLOCK_MAX_MHZ, 2040},
    {CSV, OBS_GPU_PCIE_GEN, 3},
    {NO_HEADER, OBS_GPU_UTILIZATION, 0.5},
    {NO_HEADER, OBS_GPU_MEMORY_UTILIZATION, 0.2},
    {NO_HEADER, OBS_GPU_TEMPERATURE_C, 66},
    /* (98 + 100) / 2 and 100 */
    {DMON, OBS_GPU_UTILIZATION, 0.995},
    {DMON, OBS_GPU_POWER_W, 120.5},
    {DMON, OBS_GPU_PCIE_RX_MB_S, 1300},
    {DMON, OBS_GPU_PCIE_TX_MB_S, 3500},
    {DMON, OBS_GPU_SM_CLOCK_MHZ, 1900},
    {PMON, OBS_GPU_UTILIZATION, 0.8},
    {LONG, OBS_GPU_UTILIZATION, 0.87},
    {LONG, OBS_GPU_MEMORY_UTILIZATION, 0.43},
    {LONG, OBS_GPU_POWER_W, 399.5},
    {LONG, OBS_GPU_POWER_CAP_W, 400},
    {LONG, OBS_GPU_SM_CLOCK_MHZ, 1200},
    {LONG, OBS_GPU_SM_CLOCK_MAX_MHZ, 1410},
    {LONG, OBS_GPU_MEMORY_CLOCK_MHZ, 1593},
    {LONG, OBS_GPU_PCIE_GEN, 1},
    {LONG, OBS_GPU_PCIE_GEN_MAX, 4},
    {LONG, OBS_GPU_PCIE_WIDTH, 8},
    {LONG, OBS_GPU_PCIE_TX_MB_S, 5},
    {LONG, OBS_GPU_TEMPERATURE_C, 64},
    {ROCM, OBS_GPU_POWER_W, 735},
    {ROCM, OBS_GPU_POWER_CAP_W, 750},
    {ROCM, OBS_GPU_SM_CLOCK_MHZ, 2100},
    {ROCM, OBS_GPU_UTILIZATION, 1},
    {ROCM_OLD, OBS_GPU_TEMPERATURE_C, 45},
    {ROCM_OLD, OBS_GPU_UTILIZATION, 0.99},
    {AMD, OBS_GPU_UTILIZATION, 0.53},
    {AMD, OBS_GPU_POWER_W, 385},
    {AMD, OBS_GPU_MEMORY_USED_BYTES, 180000 * 1048576.0},
    {"hello\n", OBS_GPUS, NAN},
    {"", OBS_GPUS, NAN},
};

static const struct observed *read_text(struct observe_kit *kit, const char *text)
{
    observe_begin(kit);
    assert_true(observe_smi(kit->arena, text, strlen(text), &kit->observed));
    return &kit->observed;
}

static void tables_give_their_values(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
        observe_check(read_text(*state, ROWS[i].text), ROWS[i].text, ROWS[i].id, ROWS[i].value);
}

static const struct {
    const char *text, *format;
    size_t unknown;
} FORMATS[] = {
    {BOX, "nvidia-smi", 1}, /* the date above it */
    {CSV, "nvidia-smi --query-gpu", 0},
    {NO_HEADER, "nvidia-smi --query-gpu", 0},
    {DMON, "nvidia-smi dmon or pmon", 0},
    {LONG, "nvidia-smi -q", 0},
    {TOPO, "nvidia-smi topo -m", 0},
    {ROCM, "rocm-smi", 3},
    {AMD, "amd-smi monitor", 0},
};

static void tables_are_recognized(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(FORMATS); i++) {
        const struct observed *observed = read_text(*state, FORMATS[i].text);
        assert_string_equal(observed->readings[0].format, FORMATS[i].format);
        if (observed->readings[0].unknown != FORMATS[i].unknown)
            fail_msg("%s: %zu lines are unknown, such as \"%s\"", FORMATS[i].format,
                     observed->readings[0].unknown, observed->readings[0].unknown_names[0]);
    }
    assert_true(observe_noted(read_text(*state, "99, 12, 300\n"), "smi_not_understood"));
}

static void rows_are_kept(void **state)
{
    const struct observed *observed = read_text(*state, BOX);

    assert_int_equal(observed->n_gpus, 2);
    assert_string_equal(observed->gpus[0].name, "NVIDIA H100 80GB HBM3");
    assert_false(observed->gpus[0].throttle_known);
    observed = read_text(*state, CSV);
    assert_int_equal(observed->n_gpus, 2);
    assert_int_equal(observed->gpus[0].throttle, THROTTLE_POWER_CAP);
    assert_int_equal(observed->gpus[1].throttle, THROTTLE_IDLE);
    observed = read_text(*state, LONG);
    assert_string_equal(observed->gpus[0].uuid, "GPU-aaaa");
    assert_int_equal(observed->gpus[0].throttle, THROTTLE_POWER_CAP);
}

static void links_are_told_apart(void **state)
{
    const struct observed *observed = read_text(*state, TOPO);

    assert_int_equal(observed->link_best, LINK_NVLINK);
    assert_int_equal(observed->link_worst, LINK_SYS);
    assert_int_equal(observed->link_nvlinks, 4);
    assert_int_equal(observed->numa_nodes, 2);
    observed = read_text(*state, TOPO_PCIE);
    assert_int_equal(observed->link_best, LINK_PHB);
    assert_int_equal(observed->link_worst, LINK_PHB);
    assert_int_equal(observed->numa_nodes, 0);
}

/* Several outputs after each other, and text that is none. */
static void outputs_follow_each_other(void **state)
{
    struct observe_kit *kit = *state;
    static char text[sizeof(BOX) + sizeof(TOPO) + sizeof(DMON)];

    (void)snprintf(text, sizeof(text), "%s%s%s", BOX, TOPO, DMON);
    const struct observed *observed = read_text(kit, text);
    assert_int_equal(observed->link_best, LINK_NVLINK);
    assert_int_equal(observed->gpus[0].samples[OBS_GPU_ROW_UTILIZATION], 3);
    observe_check(observed, "all", OBS_GPU_SM_CLOCK_MHZ, 1900);
    observe_begin(kit);
    char *noise = arena_alloc(kit->arena, 60000);
    for (int i = 0; i < 60000; i++)
        noise[i] = "GPU0 |,:# X\n\033[\xffNV%"[i * 7 % 18];
    assert_true(observe_smi(kit->arena, noise, 60000, &kit->observed));
}

/* No device is used less than not at all. */
static void negative_figures_are_none(void **state)
{
    const struct observed *observed = read_text(*state, "# gpu   pwr    sm\n"
                                                        "# Idx     W     %\n"
                                                        "    0  -120   -34\n");

    for (int i = 0; i < observed->n_gpus; i++)
        assert_int_equal(observed->gpus[i].samples[OBS_GPU_ROW_UTILIZATION], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_give_their_values),
        cmocka_unit_test(tables_are_recognized),
        cmocka_unit_test(rows_are_kept),
        cmocka_unit_test(links_are_told_apart),
        cmocka_unit_test(outputs_follow_each_other),
        cmocka_unit_test(negative_figures_are_none),
    };
    return cmocka_run_group_tests(tests, observe_kit_open, observe_kit_close);
}
