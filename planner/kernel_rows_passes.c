/* Words of many engines: sampling, norms, elementwise passes, moves of activations. */
#include "compiler.h"
#include "kernel_rows.h"

#define AITER "https://github.com/ROCm/aiter/blob/e4048607a535/"
#define FLASHINFER "https://github.com/flashinfer-ai/flashinfer/blob/fb28d7242b35/"
#define LLAMA "https://github.com/JohannesGaessler/llama.cpp/blob/173442644d17/ggml/src/"
#define VLLM "https://github.com/local-inference-lab/vllm/blob/28be48fa944d/"
#define TRACES "https://github.com/AMD-AGI/TraceLens/blob/171dd74721ca/tests/"
#define TRTLLM                                                                                     \
    "https://github.com/WhiteD2125/TensorRT-LLM/blob/39756de02643/cpp/tensorrt_llm/kernels/"
#define LIGHTLLM "https://github.com/ModelTC/lightllm/blob/fc72ffab9a34/lightllm/"
#define EXLLAMA "https://github.com/turboderp-org/exllamav2/blob/da07facd10b5/exllamav2/"
#define BBUF "https://github.com/BBuf/how-to-optim-algorithm-in-cuda/blob/10a3a8d24303/"
#define TGI "https://github.com/huggingface/text-generation-inference/blob/db931fcf42da/"
#define GITHUB "https://github.com/"

static const struct kernel_row ROWS[] = {
    /* sampling */
    {"embeddinglookup", KERNEL_INDEX_COPY, "any",
     GITHUB "ROCm/aiter/blob/4a6be0fc50a2/aiter/ops/triton/_triton_kernels/fusions/engram.py",
     "_engram_embedding_lookup_kernel", NULL},
    {"upsample", KERNEL_OTHER, "any", GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native/cuda",
     "upsample_nearest2d_out_frame", NULL},
    {"gumbel", KERNEL_SAMPLING, "any", VLLM "vllm/v1/worker/gpu/sample/gumbel.py",
     "_gumbel_sample_kernel", NULL},
    {"speculative", KERNEL_SAMPLING, "any", FLASHINFER "include/flashinfer/sampling.cuh",
     "ChainSpeculativeSampling", NULL},
    {"resampl", KERNEL_SAMPLING, "any",
     VLLM "vllm/v1/worker/gpu/spec_decode/rejection_sampler_utils.py", "_resample_kernel", NULL},
    {"sampl", KERNEL_SAMPLING, "any", TRTLLM "samplingTopPKernels.cu", "topPSsampling", NULL},
    {"topp", KERNEL_SAMPLING, "any", TRTLLM "samplingTopPKernels.cu", "topPInitialize", NULL},
    {"topk", KERNEL_SAMPLING, "any", TRTLLM "samplingTopKKernels.cu", "topKStage1", NULL},
    {"argmax", KERNEL_SAMPLING, "any",
     GITHUB "xiaguan/pegainfer/blob/aade0c3a583f/docs/models/qwen35/optimization.md", "argmax",
     NULL},
    {"argmin", KERNEL_SAMPLING, "any", GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native/cuda",
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::ArgMinOps<float>>>(int)",
     NULL},
    {"penalt", KERNEL_SAMPLING, "any",
     LIGHTLLM "common/basemodel/triton_kernel/apply_penalty_gpu_cache.py", "_eos_penalty", NULL},
    {"bitmask", KERNEL_SAMPLING, "any", VLLM "vllm/v1/worker/gpu/structured_outputs.py",
     "_apply_grammar_bitmask_kernel", NULL},
    {"reject", KERNEL_SAMPLING, "any",
     VLLM "vllm/v1/worker/gpu/spec_decode/rejection_sampler_utils.py", "_rejection_kernel", NULL},
    {"_minp", KERNEL_SAMPLING, "any", VLLM "vllm/v1/worker/gpu/sample/min_p.py", "_min_p_kernel",
     NULL},
    {"exponential", KERNEL_SAMPLING, "any", AITER "csrc/kernels/sample_kernels.cu",
     "exponential_kernel", NULL},
    {"radix", KERNEL_SAMPLING, "any", AITER "csrc/kernels/topk_per_row_kernels.cu", "radix_kernel",
     NULL},
    {"segmentedsort", KERNEL_SAMPLING, "any",
     GITHUB "NVIDIA/cccl/tree/main/cub/cub/device/dispatch", "DeviceSegmentedSortKernelLarge",
     NULL},
    {"eagle", KERNEL_SAMPLING, "any", VLLM "vllm/v1/worker/gpu/spec_decode/eagle/speculator.py",
     "_prepare_eagle_decode_kernel", NULL},
    {"logprob", KERNEL_SAMPLING, "any", VLLM "vllm/v1/worker/gpu/sample/logprob.py",
     "_fill_logprob_token_ids_kernel", NULL},
    {"random", KERNEL_SAMPLING, "any",
     GITHUB "WhiteD2125/TensorRT-LLM/blob/39756de02643/cpp/tensorrt_llm/common/memoryUtils.cu",
     "cuda_random_uniform_kernel", NULL},
    {"curand", KERNEL_SAMPLING, "any",
     GITHUB "NVIDIA/TensorRT-LLM/tree/main/cpp/tensorrt_llm/kernels", "curandInitialize", NULL},
    {"distributionelementwise", KERNEL_SAMPLING, "any",
     GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native",
     "void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, "
     "4>(long)",
     NULL},
    {"verify", KERNEL_SAMPLING, "any",
     GITHUB "sgl-project/sglang/blob/0e6ed14d1473/sgl-kernel/csrc/speculative/eagle_utils.cu",
     "VerifyTreeGreedy", NULL},
    {"cacheloc", KERNEL_INDEX_COPY, "any",
     GITHUB
     "sgl-project/sglang/blob/15b72bd8c716/python/sglang/kernels/ops/speculative/cache_locs.py",
     "assign_extend_cache_locs", NULL},
    {"reqtotoken", KERNEL_INDEX_COPY, "any",
     GITHUB
     "sgl-project/sglang/blob/15b72bd8c716/python/sglang/kernels/ops/speculative/cache_locs.py",
     "rebuild_compact_draft_req_to_token", NULL},
    {"draft", KERNEL_SAMPLING, "any",
     GITHUB "NVIDIA/TensorRT-LLM/tree/main/cpp/tensorrt_llm/kernels", "acceptDraftTokensByIds",
     NULL},
    {"buildtree", KERNEL_SAMPLING, "any",
     GITHUB "sgl-project/sglang/blob/0e6ed14d1473/sgl-kernel/csrc/speculative/eagle_utils.cu",
     "build_tree_efficient_partial_packed", NULL},
    {"temperature", KERNEL_SAMPLING, "any", VLLM "vllm/v1/worker/gpu/sample/gumbel.py",
     "_temperature_kernel", NULL},
    {"stopword", KERNEL_SAMPLING, "any",
     GITHUB "NVIDIA/TensorRT-LLM/tree/main/cpp/tensorrt_llm/kernels", "stopWordsCriterion", NULL},
    {"criterion", KERNEL_SAMPLING, "any",
     GITHUB "NVIDIA/TensorRT-LLM/tree/main/cpp/tensorrt_llm/kernels", "lengthCriterion", NULL},
    {"_ngram", KERNEL_SAMPLING, "any", TRTLLM "banRepeatNgram.cu", "ban_repeat_ngram", NULL},
    {"scaninnermost", KERNEL_SAMPLING, "any",
     GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native",
     "void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float>>(float*)", NULL},
    {"devicescan", KERNEL_SAMPLING, "any", GITHUB "NVIDIA/cccl/tree/main/cub/cub/device/dispatch",
     "DeviceScanKernel", NULL},
    {"wrappedscan", KERNEL_SAMPLING, "any",
     TRACES "traces/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz",
     "void "
     "rocprim::ROCPRIM_400200_NS::detail::trampoline_kernel<rocprim::ROCPRIM_400200_NS::detail::"
     "wrapped_scan_config<rocprim::ROCPRIM_400200_NS::default_config, long>, "
     "(rocprim::ROCPRIM_400200_NS::detail::target_arch)942, "
     "rocprim::ROCPRIM_400200_NS::detail::scan_impl<(rocprim::ROCPRIM_400200_NS::detail::lookback_"
     "scan_determinism)0, false, false, rocprim::ROCPRIM_400200_NS::default_config, long const*, "
     "long*, long, std::plus<long>, long>(void*, unsigned long&, long const*, long*, long, "
     "unsigned long, std::plus<long>, ihipStream_t*, bool)::{lambda(auto:1, "
     "auto:2)#1}::operator()<std::integral_constant<bool, false>, std::integral_constant<bool, "
     "true> >(std::integral_constant<bool, false>, std::integral_constant<bool, true>) "
     "const::{lambda(auto:1)#2}, "
     "rocprim::ROCPRIM_400200_NS::detail::default_config_selector>(rocprim::ROCPRIM_400200_NS::"
     "detail::scan_impl<(rocprim::ROCPRIM_400200_NS::detail::lookback_scan_determinism)0, false, "
     "false, rocprim::ROCPRIM_400200_NS::default_config, long const*, long*, long, "
     "std::plus<long>, long>(void*, unsigned long&, long const*, long*, long, unsigned long, "
     "std::plus<long>, ihipStream_t*, bool)::{lambda(auto:1, "
     "auto:2)#1}::operator()<std::integral_constant<bool, false>, std::integral_constant<bool, "
     "true> >(std::integral_constant<bool, false>, std::integral_constant<bool, true>) "
     "const::{lambda(auto:1)#2})",
     NULL},
    {"lookbackscan", KERNEL_SAMPLING, "any", GITHUB "ROCm/rocPRIM",
     "void rocprim::detail::init_lookback_scan_state_kernel<int>(int)", NULL},
    {"bitonicsort", KERNEL_SAMPLING, "any", GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native",
     "bitonicSortKVInPlace", NULL},
    {"accept", KERNEL_SAMPLING, "any",
     GITHUB "NVIDIA/TensorRT-LLM/tree/main/cpp/tensorrt_llm/kernels", "packAcceptedPaths", NULL},
    {"unfinished", KERNEL_SAMPLING, "any",
     GITHUB "NVIDIA/TensorRT-LLM/tree/main/cpp/tensorrt_llm/kernels", "insertUnfinishedPathKernel",
     NULL},
    {"cumsum", KERNEL_SAMPLING, "any", LLAMA "ggml-cuda/cumsum.cu", "cumsum_kernel", NULL},
    {"badwords", KERNEL_SAMPLING, "any", TRTLLM "banBadWords.cu", "ban_bad_words", NULL},
    {"tokenid", KERNEL_SAMPLING, "any",
     LIGHTLLM "common/basemodel/triton_kernel/gen_sampling_params.py", "_token_id_counter_kernel",
     NULL},
    /* norm */
    {"silu", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "xiaguan/pegainfer/blob/aade0c3a583f/docs/models/qwen35/optimization.md", "silu_mul",
     NULL},
    {"gelu", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-opencl/kernels/gelu.cl", "kernel_gelu",
     NULL},
    {"swiglu", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-opencl/kernels/glu.cl", "kernel_swiglu",
     NULL},
    {"actandmul", KERNEL_NORM_ELEMENTWISE, "any", AITER "csrc/kernels/activation_kernels.cu",
     "act_and_mul_kernel", NULL},
    {"activation", KERNEL_NORM_ELEMENTWISE, "any",
     FLASHINFER "csrc/fused_moe/trtllm_backend/trtllm_fused_moe_dev_kernel.cu", "activationKernel",
     NULL},
    {"softcap", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-cuda/softcap.cu", "softcap_f32", NULL},
    {"relu", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-opencl/kernels/relu.cl", "kernel_relu",
     NULL},
    {"sigmoid", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-opencl/kernels/sigmoid.cl",
     "kernel_sigmoid_f16", NULL},
    {"tanh", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-opencl/kernels/tanh.cl", "kernel_tanh_f16",
     NULL},
    {"xielu", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-cuda/unary.cu", "xielu_kernel", NULL},
    {"^act_", KERNEL_NORM_ELEMENTWISE, "any", EXLLAMA "exllamav2_ext/cuda/q_mlp_activation.cuh",
     "act_kernel", NULL},
    {"reducerows", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-cuda/reduce_rows.cuh",
     "reduce_rows_f32", NULL},
    {"sinkhorn", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB
     "InternLM/lmdeploy/blob/9140d372bbf4/lmdeploy/pytorch/kernels/cuda/dsv4/hc_split_sinkhorn.py",
     "hc_split_sinkhorn_kernel_", NULL},
    {"geglu", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "geglu_f32", NULL},
    {"reglu", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "reglu_f16", NULL},
    {"_rms", KERNEL_NORM_ELEMENTWISE, "any",
     AITER "aiter/ops/triton/_triton_kernels/normalization/fused_rmsnorm_add.py",
     "_triton_fused_rms_kernel", NULL},
    {"mhc_", KERNEL_NORM_ELEMENTWISE, "any", AITER "csrc/kernels/mhc_kernels.cu", "mhc_post_kernel",
     NULL},
    {"rowwisemoments", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native",
     "void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float>(long)", NULL},
    {"_where_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native", "where_kernel_impl", NULL},
    {"_pow_", KERNEL_NORM_ELEMENTWISE, "any",
     TRACES "traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
     "namespace)::pow_tensor_scalar_kernel_impl<float, float>(at::TensorIteratorBase&, "
     "float)::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::(anonymous "
     "namespace)::pow_tensor_scalar_kernel_impl<float, float>(at::TensorIteratorBase&, "
     "float)::{lambda(float)#1}, std::array<char*, 2ul>)",
     NULL},
    {"_div_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "div_f32", NULL},
    {"_sub_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "sub_f32", NULL},
    {"_sqr", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "sqr_f32", NULL},
    {"compare", KERNEL_NORM_ELEMENTWISE, "any",
     TRACES "traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<long, long, "
     "bool, at::native::(anonymous namespace)::CompareEqFunctor<long> >, std::array<char*, 2ul> "
     ">(int, at::native::AUnaryFunctor<long, long, bool, at::native::(anonymous "
     "namespace)::CompareEqFunctor<long> >, std::array<char*, 2ul>)",
     NULL},
    {"bitwise", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native", "bitwise_not_kernel_cuda", NULL},
    {"rsqrt", KERNEL_NORM_ELEMENTWISE, "any",
     TRACES "traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::rsqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int, "
     "at::native::rsqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>)",
     NULL},
    {"_sin_", KERNEL_NORM_ELEMENTWISE, "any",
     TRACES "traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::sin_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int, "
     "at::native::sin_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>)",
     NULL},
    {"_cos_", KERNEL_NORM_ELEMENTWISE, "any",
     TRACES "traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::cos_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int, "
     "at::native::cos_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
     "const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>)",
     NULL},
    {"_abs_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "abs_f32", NULL},
    {"_log_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "log_f32", NULL},
    {"softplus", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "softplus_f32", NULL},
    {"_mean", KERNEL_NORM_ELEMENTWISE, "any",
     TRACES "traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::MeanOps<float, float, float, float>, unsigned int, float, 4> "
     ">(at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, "
     "float, 4>)",
     NULL},
    {"expm1", KERNEL_NORM_ELEMENTWISE, "any", GITHUB "ggml-org/llama.cpp/tree/master/ggml/src",
     "kernel_expm1_f32", NULL},
    {"hardswish", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "hardswish_f16", NULL},
    {"_elu", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native/cuda", "elu_kernel", NULL},
    {"_ceil", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "ceil_f32", NULL},
    {"_floor", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "floor_f32", NULL},
    {"_round", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "round_f16", NULL},
    {"maskedfill", KERNEL_NORM_ELEMENTWISE, "any", TRACES "traces/b200/eager_trace.json.gz",
     "void at::native::elementwise_kernel<128, 4, "
     "at::native::gpu_kernel_impl_nocast<at::native::(anonymous "
     "namespace)::masked_fill_kernel(at::TensorIterator&, c10::Scalar "
     "const&)::{lambda()#1}::operator()() const::{lambda()#12}::operator()() "
     "const::{lambda(c10::BFloat16, bool)#1}>(at::TensorIteratorBase&, at::native::(anonymous "
     "namespace)::masked_fill_kernel(at::TensorIterator&, c10::Scalar "
     "const&)::{lambda()#1}::operator()() const::{lambda()#12}::operator()() "
     "const::{lambda(c10::BFloat16, bool)#1} const&)::{lambda(int)#1}>(int, "
     "at::native::gpu_kernel_impl_nocast<at::native::(anonymous "
     "namespace)::masked_fill_kernel(at::TensorIterator&, c10::Scalar "
     "const&)::{lambda()#1}::operator()() const::{lambda()#12}::operator()() "
     "const::{lambda(c10::BFloat16, bool)#1}>(at::TensorIteratorBase&, at::native::(anonymous "
     "namespace)::masked_fill_kernel(at::TensorIterator&, c10::Scalar "
     "const&)::{lambda()#1}::operator()() const::{lambda()#12}::operator()() "
     "const::{lambda(c10::BFloat16, bool)#1} const&)::{lambda(int)#1})",
     NULL},
    {"qknorm", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "sgl-project/sglang/tree/main/python/sglang/jit_kernel",
     "void (anonymous namespace)::fused_qknorm_warp<128>(int)", NULL},
    {"^acc_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "acc_f32", NULL},
    {"_diag_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "diag_f32", NULL},
    {"countequal", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "count_equal_i32", NULL},
    {"bcast", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-cuda/binbcast.cu", "k_bin_bcast", NULL},
    {"^operator_contiguous", KERNEL_NORM_ELEMENTWISE, "any",
     AITER "csrc/include/binary_operator.cuh", "operator_contiguous_kernel", NULL},
    {"^operator_tn", KERNEL_NORM_ELEMENTWISE, "any", AITER "csrc/include/binary_operator.cuh",
     "operator_tn_big_tile_kernel", NULL},
    {"^operator_element", KERNEL_NORM_ELEMENTWISE, "any", AITER "csrc/include/binary_operator.cuh",
     "operator_element_kernel", NULL},
    {"unary", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-cuda/unary.cu", "unary_op_kernel", NULL},
    {"binfuse", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-metal/ggml-metal.metal",
     "kernel_bin_fuse_impl", NULL},
    /* copies */
    {"directcopy", KERNEL_INDEX_COPY, "any",
     BBUF
     "large-language-model/sglang/"
     "%E9%9D%A2%E5%90%91%20SGLang%20%E7%9A%84%20Profile%20Analysis%20SKILL%EF%BC%9A3%20%E5%BC%A0%"
     "E8%A1%A8%E5%AE%9A%E4%BD%8D%20Kernel%20Fuse%20%E5%92%8C%20Overlap%20%E6%9C%BA%E4%BC%9A.md",
     "void at::native::elementwise_kernel<128, 4, "
     "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::"
     "TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() "
     "const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&, "
     "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
     "const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1} "
     "const&)::{lambda(int)#1}>",
     "a cast, a transpose, or a move of keys and values"},
    {"copykernelcuda", KERNEL_INDEX_COPY, "any",
     TRACES "traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, "
     "std::array<char*, 2ul> >(int, "
     "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, "
     "std::array<char*, 2ul>)",
     "a cast, a transpose, or a move of keys and values"},
    {"fillfunctor", KERNEL_INDEX_COPY, "any",
     TRACES "traces/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>, "
     "std::array<char*, 1ul> >(int, at::native::FillFunctor<int>, std::array<char*, 1ul>)",
     NULL},
    {"memcpykernel", KERNEL_INDEX_COPY, "any", VLLM "vllm/v1/worker/mamba_utils.py",
     "batch_memcpy_kernel", NULL},
    {"allocextend", KERNEL_INDEX_COPY, "any",
     GITHUB "sgl-project/sglang/tree/main/python/sglang/srt/layers", "alloc_extend_kernel", NULL},
    {"allocdecode", KERNEL_INDEX_COPY, "any",
     GITHUB "sgl-project/sglang/tree/main/python/sglang/srt/layers", "alloc_decode_kernel", NULL},
    {"route*indexed", KERNEL_MOE_GATING, "any",
     GITHUB "ROCm/aiter/blob/0bc4855cf3df/csrc/kernels/iq2r/iq2r_moe_aux_gfx950.cu",
     "iq2r_route_gather_indexed_kernel", NULL},
    {"lastloc", KERNEL_INDEX_COPY, "any",
     GITHUB "sgl-project/sglang/blob/0057abea41fc/python/sglang/srt/mem_cache/common.py",
     "get_last_loc_kernel", NULL},
    {"index", KERNEL_INDEX_COPY, "any",
     TRACES "traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned "
     "int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, "
     "at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, "
     "at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned "
     "int, long)",
     NULL},
    {"gather", KERNEL_INDEX_COPY, "any", TRTLLM "decodingKernels.cu", "gatherTree", NULL},
    {"scatter", KERNEL_INDEX_COPY, "any", TRTLLM "decodingCommon.cu", "scatterDecodingParamsKernel",
     NULL},
    {"catarray", KERNEL_INDEX_COPY, "any",
     TRACES "traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous "
     "namespace)::OpaqueType<2u>, unsigned int, 4, 64, 64>(at::native::(anonymous "
     "namespace)::OpaqueType<2u>*, at::native::(anonymous "
     "namespace)::CatArrInputTensorMetadata<at::native::(anonymous namespace)::OpaqueType<2u>, "
     "unsigned int, 64, 64>, at::native::(anonymous namespace)::TensorSizeStride<unsigned int, "
     "4u>, int, unsigned int)",
     NULL},
    {"copy", KERNEL_INDEX_COPY, "any", TRTLLM "decodingKernels.cu", "copyNextStepIds", NULL},
    {"_cpy", KERNEL_INDEX_COPY, "any", LLAMA "ggml-cuda/cpy.cu", "cpy_f32_q", NULL},
    {"concat", KERNEL_INDEX_COPY, "any", GITHUB "ggml-org/llama.cpp/pull/18467", "CONCAT", NULL},
    {"transpose", KERNEL_INDEX_COPY, "any",
     GITHUB "WhiteD2125/TensorRT-LLM/blob/39756de02643/cpp/tensorrt_llm/common/memoryUtils.cu",
     "transpose", NULL},
    {"permute", KERNEL_INDEX_COPY, "any",
     FLASHINFER "csrc/fused_moe/trtllm_backend/trtllm_fused_moe_dev_kernel.cu", "permuteKernel",
     NULL},
    {"embedding", KERNEL_INDEX_COPY, "any", LIGHTLLM "models/llama/triton_kernel/embedding.py",
     "embedding_kernel", NULL},
    {"_lookup_", KERNEL_INDEX_COPY, "any",
     GITHUB "NVIDIA/TensorRT-LLM/tree/main/cpp/tensorrt_llm/kernels", "lookup_kernel", NULL},
    {"_getrows", KERNEL_INDEX_COPY, "any", GITHUB "ggml-org/llama.cpp/pull/18467", "GET_ROWS",
     NULL},
    {"blocktables", KERNEL_INDEX_COPY, "any",
     TGI "server/text_generation_server/models/metadata_kernels.py",
     "triton_block_tables_to_padded", NULL},
    {"_pad", KERNEL_INDEX_COPY, "any", LLAMA "ggml-cuda/pad.cu", "pad_f32", NULL},
    {"repeat", KERNEL_INDEX_COPY, "any", LLAMA "ggml-metal/ggml-metal.metal", "kernel_repeat",
     NULL},
    {"_tril_", KERNEL_INDEX_COPY, "any", GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native",
     "triu_tril_kernel", NULL},
    {"transdata", KERNEL_INDEX_COPY, "any", GITHUB "vllm-project/vllm-ascend", "TransData", NULL},
    {"deviceselect", KERNEL_INDEX_COPY, "any",
     GITHUB "NVIDIA/cccl/tree/main/cub/cub/device/dispatch", "DeviceSelectSweepKernel", NULL},
    {"devicecompact", KERNEL_INDEX_COPY, "any",
     GITHUB "NVIDIA/cccl/tree/main/cub/cub/device/dispatch", "DeviceCompactInitKernel", NULL},
    {"_roll_", KERNEL_INDEX_COPY, "any", GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native",
     "roll_cuda_kernel", NULL},
    {"_flip_", KERNEL_INDEX_COPY, "any", GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native",
     "flip_kernel_impl", NULL},
    {"slotmapping", KERNEL_INDEX_COPY, "any", VLLM "vllm/v1/worker/block_table.py",
     "_compute_slot_mapping_kernel", NULL},
    {"arange", KERNEL_INDEX_COPY, "any", GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native",
     "arange_cuda_out", NULL},
    /* vocabulary */
    {"logits", KERNEL_SAMPLING, "any",
     GITHUB "NVIDIA/TensorRT-LLM/tree/main/cpp/tensorrt_llm/kernels", "maskTargetLogitsKernel",
     NULL},
    /* outside a step */
    {"im2col", KERNEL_OTHER, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "im2col_f32", NULL},
    {"depthwise", KERNEL_OTHER, "any", GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native",
     "conv_depthwise2d_forward_kernel", NULL},
    {"pool2d", KERNEL_OTHER, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "pool2d_f32", NULL},
    {"backward", KERNEL_OTHER, "any", GITHUB "pytorch/pytorch/tree/main/aten/src/ATen/native",
     "max_pool_backward_nchw", NULL},
    /* rest */
    {"_add_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "xiaguan/pegainfer/blob/aade0c3a583f/docs/models/qwen35/optimization.md", "add_kernel",
     NULL},
    {"_mul_", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-opencl/kernels/mul.cl", "kernel_mul",
     NULL},
    {"^vv_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ml-explore/mlx/tree/main/mlx/backend/metal/kernels", "vv_Addbfloat16", NULL},
    {"^sv_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ml-explore/mlx/tree/main/mlx/backend/metal/kernels", "sv_Multiplyfloat32", NULL},
    {"^vs_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ml-explore/mlx/tree/main/mlx/backend/metal/kernels", "vs_Multiplyfloat32", NULL},
    {"^v_", KERNEL_NORM_ELEMENTWISE, "any",
     GITHUB "ml-explore/mlx/tree/main/mlx/backend/metal/kernels", "v_Squarefloat32float32", NULL},
    {"upscale", KERNEL_OTHER, "any",
     GITHUB "ggml-org/llama.cpp/blob/0098fe6cf11c/ggml/src/ggml-vulkan/vulkan-shaders/"
            "vulkan-shaders-gen.cpp",
     "upscale_f32", NULL},
    {"scale", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-cuda/scale.cu", "scale_f32", NULL},
    {"_sum_", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-opencl/kernels/sum_rows.cl",
     "kernel_sum_rows_f32", NULL},
    {"clamp", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-opencl/kernels/clamp.cl", "kernel_clamp",
     NULL},
    {"_neg", KERNEL_NORM_ELEMENTWISE, "any",
     TRACES "traces/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz",
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::neg_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
     "const::{lambda()#4}::operator()() const::{lambda(long)#1}, std::array<char*, 2ul> >(int, "
     "at::native::neg_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
     "const::{lambda()#4}::operator()() const::{lambda(long)#1}, std::array<char*, 2ul>)",
     NULL},
    {"_exp_", KERNEL_NORM_ELEMENTWISE, "any", LLAMA "ggml-opencl/kernels/exp.cl", "kernel_exp_f16",
     NULL},
    {"functor", KERNEL_NORM_ELEMENTWISE, "any",
     TRACES "traces/inference/sglang_prefilldecode/sglang_Qwen3-8B_prefilldecode.json.gz",
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<long, "
     "at::native::func_wrapper_t<long, at::native::MaxNanFunctor<long> >, unsigned int, long, 4, "
     "4> >(at::native::ReduceOp<long, at::native::func_wrapper_t<long, "
     "at::native::MaxNanFunctor<long> >, unsigned int, long, 4, 4>)",
     NULL},
    {"reduceop", KERNEL_NORM_ELEMENTWISE, "any",
     TRACES "traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, "
     "at::native::func_wrapper_t<bool, "
     "at::native::and_kernel_cuda(at::TensorIterator&)::{lambda()#1}::operator()() "
     "const::{lambda()#12}::operator()() const::{lambda(bool, bool)#1}>, unsigned int, bool, 4> "
     ">(at::native::ReduceOp<bool, at::native::func_wrapper_t<bool, "
     "at::native::and_kernel_cuda(at::TensorIterator&)::{lambda()#1}::operator()() "
     "const::{lambda()#12}::operator()() const::{lambda(bool, bool)#1}>, unsigned int, bool, 4>)",
     "a generic reduction: the norm's mean, a sum, or a mask"},
    {"multitensor", KERNEL_NORM_ELEMENTWISE, "any",
     TRACES "traces/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz",
     "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
     "namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::UnaryOpFunctor<long, "
     "2, 1, 1>, at::native::Copy<long, long> >(at::native::(anonymous "
     "namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::UnaryOpFunctor<long, "
     "2, 1, 1>, at::native::Copy<long, long>)",
     NULL},
};

const struct kernel_table KERNEL_ROWS_PASSES = {ROWS, ARRAY_LEN(ROWS)};
