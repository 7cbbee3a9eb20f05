/*
 * device_tables.c - a new label, instance type or tool is a row here.
 *
 * Sources: cloud.google.com/kubernetes-engine/docs/how-to/gpus and /docs/concepts/tpus (accelerator
 * labels), /compute/docs/gpus (machine types); aws.amazon.com/ec2/instance-types, accelerated
 * computing; learn.microsoft.com/azure/virtual-machines/sizes/overview, GPU accelerated;
 * docs.oracle.com, compute shapes; docs.coreweave.com and docs.digitalocean.com, GPU instances;
 * AMD's PCI device ids from the PCI ID repository (pci-ids.ucw.cz).
 */
#include "device_tables.h"

#include "compiler.h"

const struct device_synonym DEVICE_SYNONYMS[] = {
    {"nvidia-h100-mega-80gb", "h100-sxm"},
    {"nvidia-a100-80gb", "a100-sxm-80gb"},
    {"nvidia-tesla-a100", "a100-sxm-40gb"},
    {"nvidia-tesla-v100", "v100-sxm-16gb"},
    {"h100_nvlink_80gb", "h100-sxm"},
    {"h100_nvlink", "h100-sxm"},
    {"a100_nvlink_80gb", "a100-sxm-80gb"},
    {"a100_nvlink", "a100-sxm-40gb"},
    {"tpu-v4-podslice", "tpu-v4"},
    {"tpu-v5-lite-podslice", "tpu-v5e"},
    {"tpu-v5-lite-device", "tpu-v5e"},
    {"tpu-v5p-slice", "tpu-v5p"},
    {"tpu-v6e-slice", "tpu-v6e"},
    {"amd instinct mi250x / mi250", "mi250x-gcd"},
    {"amd instinct mi250x/mi250", "mi250x-gcd"},
    {"instinct mi250x/mi250", "mi250x-gcd"},
    {"amd instinct mi300x hf", "mi300x"},
    {"hl-225", "gaudi2"},
    {"hl-225b", "gaudi2"},
    {"hl-225c", "gaudi2"},
    {"hl-325", "gaudi3"},
    {"ascend910b1", "ascend-910b"},
    {"ascend910b2", "ascend-910b"},
    {"ascend910b3", "ascend-910b"},
    {"ascend910b4", "ascend-910b"},
    {"ascend910_9392", "ascend-910c"},
    {"orin (nvgpu)", "jetson-agx-orin-64gb"},
    {"738c", "mi100"},
    {"740f", "mi210"},
    {"7408", "mi250x-gcd"},
    {"740c", "mi250x-gcd"},
    {"74a0", "mi300a"},
    {"74a1", "mi300x"},
    {"74a2", "mi308x"},
    {"74a5", "mi325x"},
    {"74b5", "mi300x"},
    {"74b9", "mi325x"},
    {"75a0", "mi350x"},
    {"75a3", "mi355x"},
};

const int DEVICE_SYNONYMS_COUNT = ARRAY_LEN(DEVICE_SYNONYMS);

#define G_SIZES "xlarge:1 2xlarge:1 4xlarge:1 8xlarge:1 16xlarge:1 12xlarge:4 24xlarge:4 48xlarge:8"

const struct device_instance DEVICE_INSTANCES[] = {
    {"p3.", "v100-sxm-16gb", "2xlarge:1 8xlarge:4 16xlarge:8"},
    {"p3dn.", "v100-sxm-32gb", "24xlarge:8"},
    {"p4d.", "a100-sxm-40gb", "24xlarge:8"},
    {"p4de.", "a100-sxm-80gb", "24xlarge:8"},
    {"p5.", "h100-sxm", "4xlarge:1 48xlarge:8"},
    {"p5e.", "h200-sxm", "48xlarge:8"},
    {"p5en.", "h200-sxm", "48xlarge:8"},
    {"p6-b200.", "b200-sxm", "48xlarge:8"},
    {"p6-b300.", "b300-sxm", "48xlarge:8"},
    {"p6e-gb200.", "gb200", "36xlarge:4"},
    {"g4dn.", "t4", "xlarge:1 2xlarge:1 4xlarge:1 8xlarge:1 16xlarge:1 12xlarge:4 metal:8"},
    {"g5.", "a10g", G_SIZES},
    {"g6.", "l4", G_SIZES},
    {"gr6.", "l4", "4xlarge:1 8xlarge:1"},
    {"g6e.", "l40s", G_SIZES},
    {"g7e.", "rtx-pro-6000-server",
     "2xlarge:1 4xlarge:1 8xlarge:1 12xlarge:2 24xlarge:4 48xlarge:8"},
    {"trn1.", "trainium1", "2xlarge:1 32xlarge:16"},
    {"trn1n.", "trainium1", "32xlarge:16"},
    {"trn2.", "trainium2", "3xlarge:1 48xlarge:16"},
    {"trn2u.", "trainium2", "48xlarge:16"},
    {"inf2.", "inferentia2", "xlarge:1 8xlarge:1 24xlarge:6 48xlarge:12"},
    {"a2-highgpu-", "a100-sxm-40gb", "1g:1 2g:2 4g:4 8g:8"},
    {"a2-megagpu-", "a100-sxm-40gb", "16g:16"},
    {"a2-ultragpu-", "a100-sxm-80gb", "1g:1 2g:2 4g:4 8g:8"},
    {"a3-highgpu-", "h100-sxm", "1g:1 2g:2 4g:4 8g:8"},
    {"a3-megagpu-", "h100-sxm", "8g:8"},
    {"a3-edgegpu-", "h100-sxm", "8g:8"},
    {"a3-ultragpu-", "h200-sxm", "8g:8"},
    {"a4-highgpu-", "b200-sxm", "8g:8"},
    {"a4x-highgpu-", "gb200", "4g:4"},
    {"a4x-maxgpu-", "gb300", "4g:4"},
    {"g2-standard-", "l4", "4:1 8:1 12:1 16:1 32:1 24:2 48:4 96:8"},
    {"g4-standard-", "rtx-pro-6000-server", "48:1 96:2 192:4 384:8"},
    {"ct5lp-hightpu-", "tpu-v5e", "1t:1 4t:4 8t:8"},
    {"ct5p-hightpu-", "tpu-v5p", "1t:1 2t:2 4t:4"},
    {"ct6e-standard-", "tpu-v6e", "1t:1 4t:4 8t:8"},
    {"tpu7x-standard-", "tpu-v7x", "4t:4"},
    {"standard_nd96", "a100-sxm-40gb", "asr_v4:8"},
    {"standard_nd96", "a100-sxm-80gb", "amsr_a100_v4:8"},
    {"standard_nd96", "h100-sxm", "isr_h100_v5:8"},
    {"standard_nd96", "h200-sxm", "isr_h200_v5:8"},
    {"standard_nd96", "mi300x", "isr_mi300x_v5:8"},
    {"standard_nd128isr_", "gb200", "ndr_gb200_v6:4 gb200_v6:4"},
    {"standard_nd128isr_", "gb300", "gb300_v6:4"},
    {"standard_nd40rs_", "v100-sxm-32gb", "v2:8"},
    {"standard_nc", "a100-pcie-80gb", "24ads_a100_v4:1 48ads_a100_v4:2 96ads_a100_v4:4"},
    {"standard_nc", "h100-nvl", "40ads_h100_v5:1 80adis_h100_v5:2 cc40ads_h100_v5:1"},
    {"standard_nc", "t4", "4as_t4_v3:1 8as_t4_v3:1 16as_t4_v3:1 64as_t4_v3:4"},
    {"standard_nc", "v100-pcie-16gb", "6s_v3:1 12s_v3:2 24s_v3:4 24rs_v3:4"},
    {"standard_nv", "a10", "36ads_a10_v5:1 36adms_a10_v5:1 72ads_a10_v5:2"},
    {"bm.gpu.", "h100-sxm", "h100.8:8"},
    {"bm.gpu.", "h200-sxm", "h200.8:8"},
    {"bm.gpu.", "b200-sxm", "b200.8:8"},
    {"bm.gpu.", "gb200", "gb200.4:4"},
    {"bm.gpu.", "mi300x", "mi300x.8:8"},
    {"bm.gpu.", "a100-sxm-80gb", "a100-v2.8:8"},
    {"bm.gpu.", "l40s", "l40s.4:4 l40s-nc.4:4"},
    {"bm.gpu.", "a10", "a10.4:4"},
    {"bm.gpu4.", "a100-sxm-40gb", "8:8"},
    {"vm.gpu.", "a10", "a10.1:1 a10.2:2"},
    {"gd-8x", "h100-sxm", "h100ib-i128:8"},
    {"gd-8x", "h200-sxm", "h200ib-i128:8"},
    {"gd-8x", "l40s", "l40s-i128:8"},
    {"gpu-h100x", "h100-sxm", "1-80gb:1 8-640gb:8"},
    {"gpu-h200x", "h200-sxm", "1-141gb:1 8-1128gb:8"},
    {"gpu-mi300x", "mi300x", "1-192gb:1 8-1536gb:8"},
};

const int DEVICE_INSTANCES_COUNT = ARRAY_LEN(DEVICE_INSTANCES);

const struct device_line DEVICE_LINES[] = {
    {"GPU ", .numbered = true, .stops = "(,"},       /* nvidia-smi -L, torch.utils.collect_env */
    {"Device ", .numbered = true, .stops = ",("},    /* llama.cpp with CUDA or HIP */
    {"using device ", .behind = '(', .stops = "()"}, /* llama.cpp: CUDA0 (NVIDIA L4) */
    {"ggml_vulkan: ", .behind = '=', .stops = "(|"}, /* 0 = NVIDIA L4 (NVIDIA) | uma: 0 */
    {"GPU name:", .behind = '(', .stops = ")"},      /* ... MTL0 (Apple M4) */
    {"found device", .behind = ':', .stops = ""},
    {"Card Series", .behind = ':', .stops = ""}, /* rocm-smi */
    {"Card series", .behind = ':', .stops = ""},
    {"MARKET_NAME", .behind = ':', .stops = ""}, /* amd-smi static */
    {"Marketing Name", .behind = ':', .stops = ""},
    {"Product Name", .behind = ':', .stops = ""}, /* nvidia-smi -q, hl-smi -Q */
    {"Device Name", .behind = ':', .stops = "|"}, /* xpu-smi */
    {"Properties(name='", .stops = "'"},          /* torch.cuda.get_device_properties */
    {"controller: ", .stops = "("},               /* lspci */
    {"controller [0302]: ", .stops = "("},
    {"accelerators: ", .stops = "("},
};

const int DEVICE_LINES_COUNT = ARRAY_LEN(DEVICE_LINES);
