/* Words that say little: asked when nothing else in a name is known. */
#include "compiler.h"
#include "kernel_rows.h"

#define AITER "https://github.com/ROCm/aiter/blob/e4048607a535/"
#define FLASHINFER "https://github.com/flashinfer-ai/flashinfer/blob/fb28d7242b35/"
#define VLLM "https://github.com/local-inference-lab/vllm/blob/28be48fa944d/"
#define TRACES "https://github.com/AMD-AGI/TraceLens/blob/171dd74721ca/tests/"
#define TGI "https://github.com/huggingface/text-generation-inference/blob/db931fcf42da/"
#define KTRANSFORMERS "https://github.com/kvcache-ai/ktransformers/blob/95009ea6856c/"
#define GITHUB "https://github.com/"

static const struct kernel_row ROWS[] = {
    /* weak */
    {"^triton_", KERNEL_NORM_ELEMENTWISE, "any",
     TGI "server/text_generation_server/models/metadata_kernels.py", "triton_slots_filtering",
     "a Triton kernel without a word that tells"},
    {"elementwisekernel", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native", "elementwise_kernel",
     "the functor says what it does and is cut off or unknown"},
    {"reducekernel", KERNEL_NORM_ELEMENTWISE, "any",
     FLASHINFER "flashinfer/moe_ep/kernel_src/sm90/push_style_megamoe/src/a2a/sm90_push_a2a_ops.cu",
     "combine_reduce_kernel", "a generic reduction: norm, sum or argmax by its functor"},
    {"^marlin", KERNEL_DENSE_GEMM, "any",
     KTRANSFORMERS "archive/csrc/custom_marlin/gptq_marlin/gptq_marlin.cu", "Marlin",
     "the namespace says whether it is the kernel of experts"},
    {"cutlass", KERNEL_DENSE_GEMM, "any",
     GITHUB "NVIDIA/cutlass/blob/main/include/cutlass/device_kernel.h",
     "void cutlass::device_kernel<cut...",
     "a wrapper: its template arguments say what it computes"},
    {"^prepare", KERNEL_INDEX_COPY, "any", VLLM "vllm/v1/worker/gpu/input_batch.py",
     "_prepare_pos_seq_lens_kernel", "a step's inputs are laid out: positions, lengths, ids"},
    {"_position", KERNEL_INDEX_COPY, "any",
     TRACES "traces/inference/sglang_prefilldecode/sglang_Qwen3-8B_prefilldecode.json.gz",
     "compute_position_kernel", "a step's inputs are laid out: positions, lengths, ids"},
    {"seqlens", KERNEL_INDEX_COPY, "any",
     GITHUB "sgl-project/sglang/tree/main/python/sglang/srt/layers", "seqlens_expand_kernel",
     "a step's inputs are laid out: positions, lengths, ids"},
    {"_mapping_", KERNEL_INDEX_COPY, "any", VLLM "vllm/v1/worker/gpu/input_batch.py",
     "_expand_idx_mapping_kernel", "a step's inputs are laid out: positions, lengths, ids"},
    {"_cast_", KERNEL_INDEX_COPY, "any", FLASHINFER "csrc/trtllm_fused_moe_kernel_launcher.cu",
     "cast_fp32_to_bf16_kernel", "a change of type: a move, or the end of a quantised product"},
    {"_cat_", KERNEL_INDEX_COPY, "any",
     AITER "aiter/ops/triton/_triton_kernels/fusions/fused_qk_concat.py", "_qk_cat_kernel",
     "a move"},
    {"^wait_", KERNEL_MOE_EXPERTS, "any",
     FLASHINFER "flashinfer/moe_ep/kernel_src/sm90/push_style_megamoe/src/a2a/sm90_push_a2a_ops.cu",
     "wait_acks_kernel", "a signal between the parts of a fused expert pass, or between devices"},
    {"_convert_", KERNEL_QUANTISE, "any",
     FLASHINFER "csrc/nv_internal/tensorrt_llm/kernels/cutlass_kernels/fp8_blockscale_gemm/"
                "fp8_blockscale_gemm_kernel.cuh",
     "convert_kernel", "a change of type"},
    {"_decode_", KERNEL_ATTENTION, "any", VLLM "vllm/v1/attention/ops/triton_turboquant_decode.py",
     "_tq_decode_stage1", "a phase's kernel without its layer"},
    {"_prefill_", KERNEL_ATTENTION, "any", VLLM "vllm/v1/attention/backends/mla/sparse_swa.py",
     "_compute_prefill_metadata_kernel", "a phase's kernel without its layer"},
    {"at_native", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native", "void at::native::vectorized_el...",
     "a kernel of PyTorch whose name is cut before what it does"},
    {"^dispatch$", KERNEL_COLLECTIVE, "any", GITHUB "deepseek-ai/DeepEP/tree/main/csrc/kernels",
     "dispatch", "the exchange of expert parallelism, when no namespace says of what"},
    {"^combine$", KERNEL_COLLECTIVE, "any", GITHUB "deepseek-ai/DeepEP/tree/main/csrc/kernels",
     "combine", "the exchange of expert parallelism, when no namespace says of what"},
    {"transferpage", KERNEL_KV_WRITE, "any",
     GITHUB "sgl-project/sglang/blob/1243cf3da37c/sgl-kernel/csrc/kvcacheio/transfer.cu",
     "transfer_page_head_kernel_impl", "pages of a cache go from one store to another"},
    {"_kv_", KERNEL_KV_WRITE, "any",
     GITHUB "InternLM/lmdeploy/blob/374121ac967a/lmdeploy/pytorch/kernels/cuda/v4_flatten_kv.py",
     "_flatten_v4_kv_kernel", "keys and values are laid out, kept or fetched"},
    {"^fill_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "fill_f32", "a fill: of a state, a mask or a buffer"},
    {"^step_f", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "step_f32", "an activation by its short name"},
    {"^trunc", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "trunc_f32", "a rounding by its short name"},
    {"^add1", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "add1_f16_f32", "an addition of one number"},
    {"hadamard", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB
     "Dao-AILab/fast-hadamard-transform/blob/0902fc652982/csrc/fast_hadamard_transform_cuda.cu",
     "fast_hadamard_transform_kernel",
     "a rotation of activations, often before they are quantised"},
    {"_pack_", KERNEL_INDEX_COPY, "any",
     GITHUB "flashinfer-ai/flashinfer/blob/4c81154aca87/flashinfer/triton/vdn.py",
     "_pack_query_value", "a move"},
};

const struct kernel_table KERNEL_ROWS_WEAK = {ROWS, ARRAY_LEN(ROWS)};
