/* Words that say little: asked when nothing else in a name is known. */
#include "compiler.h"
#include "kernel_rows.h"

#define FLASHINFER "https://github.com/flashinfer-ai/flashinfer/blob/fb28d7242b35/"
#define TRACES "https://github.com/AMD-AGI/TraceLens/blob/171dd74721ca/tests/"

static const struct kernel_row ROWS[] = {
    /* weak */
    {"elementwisekernel", KERNEL_NORM_ELEMENTWISE, "any",
     TRACES "traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
     "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
     "namespace)::pow_tensor_scalar_kernel_impl<float, float>(at::TensorIteratorBase&, "
     "float)::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::(anonymous "
     "namespace)::pow_tensor_scalar_kernel_impl<float, float>(at::TensorIteratorBase&, "
     "float)::{lambda(float)#1}, std::array<char*, 2ul>)",
     "the functor says what it does and is cut off or unknown"},
    {"reducekernel", KERNEL_NORM_ELEMENTWISE, "any",
     FLASHINFER "flashinfer/moe_ep/kernel_src/sm90/push_style_megamoe/src/a2a/sm90_push_a2a_ops.cu",
     "combine_reduce_kernel", "a generic reduction: norm, sum or argmax by its functor"},
};

const struct kernel_table KERNEL_ROWS_WEAK = {ROWS, ARRAY_LEN(ROWS)};
