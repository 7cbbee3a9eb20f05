/* device_names: names as node labels, clouds and tools print them. Expected parts are the makers'
 * and clouds' own descriptions of the instance or label. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"
#include "device_names.h"
#include "intake_kit.h"

static const struct {
    const char *name, *part; /* NULL = not one part */
    int n_devices;
} NAMES[] = {
    {"NVIDIA H100 80GB HBM3", "h100-sxm", 0},
    {"NVIDIA-H100-80GB-HBM3", "h100-sxm", 0},
    {"NVIDIA-A100-SXM4-80GB-SHARED", "a100-sxm-80gb", 0},
    {"NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", NULL, 0},
    {"nvidia-h100-mega-80gb", "h100-sxm", 0},
    {"nvidia-tesla-a100", "a100-sxm-40gb", 0},
    {"nvidia-a100-80gb", "a100-sxm-80gb", 0},
    {"nvidia-l4", "l4", 0},
    {"tpu-v5-lite-podslice", "tpu-v5e", 0},
    {"AMD_Instinct_MI300X_OAM", "mi300x", 0},
    {"74a1", "mi300x", 0},
    {"H100_NVLINK_80GB", "h100-sxm", 0},
    {"p5.48xlarge", "h100-sxm", 8},
    {"p4d.24xlarge", "a100-sxm-40gb", 8},
    {"p4de.24xlarge", "a100-sxm-80gb", 8},
    {"p5en.48xlarge", "h200-sxm", 8},
    {"g5.12xlarge", "a10g", 4},
    {"g5.xlarge", "a10g", 1},
    {"g6.48xlarge", "l4", 8},
    {"g6e.12xlarge", "l40s", 4},
    {"p5", "h100-sxm", 0},
    {"trn1.32xlarge", "trainium1", 16},
    {"a3-highgpu-8g", "h100-sxm", 8},
    {"a3-ultragpu-8g", "h200-sxm", 8},
    {"a2-ultragpu-4g", "a100-sxm-80gb", 4},
    {"g2-standard-48", "l4", 4},
    {"a4-highgpu-8g", "b200-sxm", 8},
    {"Standard_ND96isr_H100_v5", "h100-sxm", 8},
    {"Standard_ND96isr_MI300X_v5", "mi300x", 8},
    {"Standard_NC24ads_A100_v4", "a100-pcie-80gb", 1},
    {"Standard_NC80adis_H100_v5", "h100-nvl", 2},
    {"Standard_NC4as_T4_v3", "t4", 1},
    {"BM.GPU.H100.8", "h100-sxm", 8},
    {"m5.large", NULL, 0},
    {"e2-standard-8", NULL, 0},
    {"8x H100", "h100-sxm", 8},
    {"8x NVIDIA H100 80GB HBM3", "h100-sxm", 8},
    {"4 x L40S", "l40s", 4},
    {"H100:8", "h100-sxm", 8},
    {"RTX 3090 x2", "rtx-3090", 2},
    {"GH100 [H100 SXM5 80GB]", "h100-sxm", 0},
    {"AD102 [GeForce RTX 4090]", "rtx-4090", 0},
    {"TU104GL [Tesla T4]", "t4", 0},
    {"'NVIDIA GeForce RTX 4090'", "rtx-4090", 0},
    {"A100-SXM4-80GB", "a100-sxm-80gb", 0},
    {"A100-SXM4-40GB", "a100-sxm-40gb", 0},
    {"NVIDIA A100-PCIE-40GB", "a100-pcie-40gb", 0},
    {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb", 0},
    {"NVIDIA-A100-80GB-PCIe", "a100-pcie-80gb", 0},
    {"H100 PCIe", "h100-pcie", 0},
    {"NVIDIA H100 PCIe", "h100-pcie", 0},
    {"NVIDIA-H100-PCIe", "h100-pcie", 0},
    {"H100 NVL", "h100-nvl", 0},
    {"NVIDIA H100 NVL", "h100-nvl", 0},
    {"NVIDIA H200 NVL", "h200-nvl", 0},
    {"NVIDIA H200", "h200-sxm", 0},
    {"NVIDIA B200", "b200-sxm", 0},
    {"NVIDIA GB200", "gb200", 0},
    {"NVIDIA GeForce RTX 4090", "rtx-4090", 0},
    {"NVIDIA-GeForce-RTX-4090", "rtx-4090", 0},
    {"NVIDIA GeForce RTX 5090", "rtx-5090", 0},
    {"NVIDIA RTX A6000", "rtx-a6000", 0},
    {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada", 0},
    {"NVIDIA L40S", "l40s", 0},
    {"NVIDIA-L40S", "l40s", 0},
    {"NVIDIA A10G", "a10g", 0},
    {"NVIDIA A10", "a10", 0},
    {"Tesla T4", "t4", 0},
    {"Tesla-T4", "t4", 0},
    {"Tesla V100-SXM2-16GB", "v100-sxm-16gb", 0},
    {"Tesla V100-SXM2-32GB", "v100-sxm-32gb", 0},
    {"nvidia-tesla-t4", "t4", 0},
    {"nvidia-h100-80gb", "h100-sxm", 0},
    {"nvidia-h200-141gb", "h200-sxm", 0},
    {"nvidia-b200", "b200-sxm", 0},
    {"AMD Instinct MI300X OAM", "mi300x", 0},
    {"AMD Instinct MI300X", "mi300x", 0},
    {"AMD Instinct MI325X OAM", "mi325x", 0},
    {"AMD Instinct MI355X", "mi355x", 0},
    {"AMD Radeon RX 7900 XTX", "rx-7900-xtx", 0},
    {"NVIDIA-H100-80GB-HBM3-MIG-3g.40gb", NULL, 0},
    {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", NULL, 0},
    {"A100", NULL, 0},
    {"", NULL, 0},
    {"x", NULL, 0},
};

static void test_names(void **state)
{
    const struct kit *kit = *state;

    for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
        struct device_found found = {-1, 0};
        bool known = device_name_find(kit->catalogue, NAMES[i].name, &found);
        const char *part = known ? kit->catalogue->lib.hardware[found.index].id : NULL;
        if (known != (NAMES[i].part != NULL) ||
            (known && (strcmp(part, NAMES[i].part) != 0 || found.n_devices != NAMES[i].n_devices)))
            fail_msg("\"%s\" is %s x %d", NAMES[i].name, part ? part : "nothing", found.n_devices);
    }
}

/* Outputs typed in the form that each tool prints, shortened. */
static const struct {
    const char *tool, *text, *part, *other;
    int n_devices;
} TEXTS[] = {
    {"nvidia-smi -L",
     "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0a1b2c3d-0000-1111-2222-333344445555)\n"
     "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-0a1b2c3d-0000-1111-2222-333344445556)\n",
     "NVIDIA H100 80GB HBM3", NULL, 2},
    {"nvidia-smi",
     "Fri Jan  9 10:00:00 2026\n"
     "+------------------------------------------------------------------------------+\n"
     "| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15     CUDA Version: 12.4     |\n"
     "|-------------------------------+----------------------+-----------------------+\n"
     "| GPU  Name       Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC  |\n"
     "| Fan  Temp  Perf Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M.  |\n"
     "|===============================+======================+=======================|\n"
     "|   0  NVIDIA A100-SXM4-80GB On | 00000000:07:00.0 Off |                    0  |\n"
     "| N/A   30C    P0    60W / 400W |      4MiB / 81920MiB |      0%      Default  |\n"
     "+-------------------------------+----------------------+-----------------------+\n"
     "|   1  NVIDIA A100-SXM4-80GB          On  | 00000000:0B:00.0 Off |          0  |\n"
     "| N/A   30C    P0    60W / 400W |      4MiB / 81920MiB |      0%      Default  |\n"
     "| Processes:                                                                   |\n"
     "|  GPU   GI   CI        PID   Type   Process name                   GPU Memory |\n"
     "|    0   N/A  N/A      1234      C   python3                          70000MiB |\n",
     "NVIDIA A100-SXM4-80GB", NULL, 2},
    {"nvidia-smi --query-gpu=name,memory.total --format=csv",
     "name, memory.total [MiB]\nNVIDIA L40S, 46068 MiB\nNVIDIA L40S, 46068 MiB\n"
     "NVIDIA L40S, 46068 MiB\nNVIDIA L40S, 46068 MiB\n",
     "NVIDIA L40S", NULL, 4},
    {"nvidia-smi --query-gpu=index,name,uuid",
     "0, NVIDIA GeForce RTX 3090, GPU-1\n1, NVIDIA GeForce RTX 4090, GPU-2\n",
     "NVIDIA GeForce RTX 3090", "NVIDIA GeForce RTX 4090", 1},
    {"nvidia-smi -q",
     "Attached GPUs                             : 1\nGPU 00000000:01:00.0\n"
     "    Product Name                          : NVIDIA GeForce RTX 4090\n"
     "    Product Brand                         : GeForce\n",
     "NVIDIA GeForce RTX 4090", NULL, 1},
    {"rocm-smi --showproductname",
     "============================ ROCm System Management Interface =================\n"
     "GPU[0]\t\t: Card Series: \t\tAMD Instinct MI300X\nGPU[0]\t\t: Card Model: \t\t0x74a1\n"
     "GPU[0]\t\t: Card Vendor: \t\tAdvanced Micro Devices, Inc. [AMD/ATI]\n"
     "GPU[1]\t\t: Card Series: \t\tAMD Instinct MI300X\nGPU[1]\t\t: Card Model: \t\t0x74a1\n",
     "AMD Instinct MI300X", NULL, 2},
    {"amd-smi static --asic",
     "GPU: 0\n    ASIC:\n        MARKET_NAME: AMD Instinct MI325X\n        VENDOR_ID: 0x1002\n"
     "GPU: 1\n    ASIC:\n        MARKET_NAME: AMD Instinct MI325X\n",
     "AMD Instinct MI325X", NULL, 2},
    {"rocm-smi",
     "Device  Node  IDs              Temp    Power  Partitions\n"
     "              (DID,     GUID)  (Edge)  (Avg)  (Mem, Compute, ID)\n"
     "0       2     0x74a1,   8554   46.0C   141.0W NPS1, SPX, 0\n"
     "1       3     0x74a1,   19011  42.0C   137.0W NPS1, SPX, 0\n",
     "74a1", NULL, 2},
    {"llama.cpp",
     "ggml_cuda_init: found 2 CUDA devices:\n"
     "  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes\n"
     "  Device 1: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes\n",
     "NVIDIA GeForce RTX 3090", NULL, 2},
    {"llama.cpp, the device it uses",
     "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce RTX 4090) "
     "(0000:01:00.0) - 23306 MiB free\n",
     "NVIDIA GeForce RTX 4090", NULL, 1},
    {"llama.cpp with Vulkan",
     "ggml_vulkan: Found 1 Vulkan devices:\n"
     "ggml_vulkan: 0 = NVIDIA GeForce RTX 3090 (NVIDIA) | uma: 0 | fp16: 1 | warp size: 32\n",
     "NVIDIA GeForce RTX 3090", NULL, 1},
    {"lspci",
     "00:1f.0 ISA bridge: Intel Corporation Device 7a04\n"
     "17:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)\n"
     "3d:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)\n",
     "NVIDIA Corporation GH100 [H100 SXM5 80GB]", NULL, 2},
    {"torch.cuda.get_device_properties",
     "_CudaDeviceProperties(name='NVIDIA H200', major=9, minor=0, total_memory=143167MB)",
     "NVIDIA H200", NULL, 1},
    {"instance type", "p5.48xlarge", "p5.48xlarge", NULL, 8},
    {"a list", "H100, H100, H100", "H100", NULL, 1},
    {"no device", "NVIDIA-SMI has failed because it couldn't communicate with the driver.\n", NULL,
     NULL, 0},
    {"ambiguous", "A100\nA100\n", "A100", NULL, 2},
};

static void test_texts(void **state)
{
    struct kit *kit = *state;

    for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
        struct device_text found;
        device_text_read(kit->catalogue, kit->arena, TEXTS[i].text, &found);
        bool same_name =
            found.name ? TEXTS[i].part && strcmp(found.name, TEXTS[i].part) == 0 : !TEXTS[i].part;
        bool same_other = found.other ? TEXTS[i].other && strcmp(found.other, TEXTS[i].other) == 0
                                      : !TEXTS[i].other;
        if (!same_name || !same_other || found.n_devices != TEXTS[i].n_devices)
            fail_msg("%s: %s x %d, %s", TEXTS[i].tool, found.name ? found.name : "nothing",
                     found.n_devices, found.other ? found.other : "nothing else");
    }
}

/* "hardware" of a request as people paste it: the part, or the fault. */
static const struct {
    const char *hardware, *part, *note, *fault;
} ASKED[] = {
    {"NVIDIA-A100-SXM4-80GB", "a100-sxm-80gb", NULL, NULL},
    {"p5.48xlarge", "h100-sxm", "devices_unused", NULL},
    {"1x L40S", "l40s", NULL, NULL},
    {"GPU 0: NVIDIA L4 (UUID: GPU-1)\\nGPU 1: NVIDIA L4 (UUID: GPU-2)\\n", "l4", "devices_unused",
     NULL},
    {"NVIDIA L40S, 46068 MiB", "l40s", NULL, NULL},
    {"NVIDIA-H100-80GB-HBM3-MIG-3g.40gb", NULL, NULL, "slice of a part (MIG 3g.40gb)"},
    {"GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-1)\\n  MIG 1g.5gb      Device  0: (UUID: MIG-2)\\n",
     NULL, NULL, "slice of a part (MIG 1g.5gb)"},
    {"GPU 0: NVIDIA L4 (UUID: GPU-1)\\nGPU 1: NVIDIA L40S (UUID: GPU-2)\\n", NULL, NULL,
     "two parts are listed"},
    {"A100", NULL, NULL, "means a100"},
    {"GPU 0: A100 (UUID: GPU-1)", NULL, NULL, "means a100"},
    {"Voodoo 2", NULL, NULL, "no part is called"},
};

static void test_asked(void **state)
{
    static const char BODY[] = "{\"model\": \"qwen3-8b\", \"hardware\": \"%s\"}";
    struct kit *kit = *state;
    struct reading reading;
    char body[512];

    for (size_t i = 0; i < ARRAY_LEN(ASKED); i++) {
        snprintf(body, sizeof(body), BODY, ASKED[i].hardware);
        kit_read_json(kit, body, &reading);
        const struct hardware *part = reading.request.problem.hw;
        const struct described_note *note = reading.request.described.notes;
        const char *fault = reading.faults.n ? reading.faults.items[0].detail : NULL;
        if (reading.complete != (ASKED[i].part != NULL) ||
            (ASKED[i].part && strcmp(part->id, ASKED[i].part) != 0) ||
            (ASKED[i].note ? !note || strcmp(note->id, ASKED[i].note) != 0 : note != NULL) ||
            (ASKED[i].fault && (!fault || !strstr(fault, ASKED[i].fault))))
            fail_msg("%s: %s, note %s, fault %s", ASKED[i].hardware, part ? part->id : "no part",
                     note ? note->id : "none", fault ? fault : "none");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_asked),
    };

    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
