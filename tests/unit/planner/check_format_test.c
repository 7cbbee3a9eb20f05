/* Which formats an engine runs on a part: rows of the engines' own support tables. */
#include <string.h>

#include "check.h"
#include "check_shape.h"
#include "sample_rig.h"

enum { ENGINE_VLLM, ENGINE_LLAMACPP, ENGINE_SGLANG, ENGINE_TRTLLM, ENGINE_TGI, ENGINE_MLX };

struct format_row {
    int engine;
    const char *format, *vendor, *arch;
    int verdict;
};

/*
 * docs.vllm.ai (supported hardware: FP8 W8A8 from Ada, weights alone through Marlin from Turing;
 * bfloat16 from compute capability 8.0), docs.sglang.ai, nvidia.github.io/TensorRT-LLM (NVIDIA
 * alone; FP8 from Ada, NVFP4 on Blackwell), the GGUF files of github.com/ggml-org/llama.cpp, the
 * converted weights of github.com/ml-explore/mlx-lm.
 */
static const struct format_row ROWS[] = {
    {ENGINE_VLLM, "bf16", "nvidia", "hopper", CHECK_PASS},
    {ENGINE_VLLM, "bf16", "nvidia", "turing", CHECK_FAIL},
    {ENGINE_VLLM, "fp16", "nvidia", "turing", CHECK_PASS},
    {ENGINE_VLLM, "bf16", "nvidia", NULL, CHECK_PASS}, /* of no generation nothing is known */
    {ENGINE_VLLM, "fp8", "nvidia", "volta", CHECK_FAIL},
    {ENGINE_VLLM, "fp8", "nvidia", "ampere", CHECK_PASS},
    {ENGINE_SGLANG, "fp8", "nvidia", "turing", CHECK_FAIL},
    {ENGINE_SGLANG, "fp8_block", "nvidia", "ampere", CHECK_PASS},
    {ENGINE_TRTLLM, "fp8", "nvidia", "ampere", CHECK_FAIL},
    {ENGINE_TRTLLM, "fp8", "nvidia", "ada", CHECK_PASS},
    {ENGINE_TRTLLM, "bf16", "amd", "cdna3", CHECK_FAIL},
    {ENGINE_TRTLLM, "q4_k_m", "nvidia", "hopper", CHECK_FAIL},
    {ENGINE_TRTLLM, "mxfp4", "nvidia", "ampere", CHECK_FAIL},
    {ENGINE_VLLM, "mxfp4", "nvidia", "turing", CHECK_FAIL},
    {ENGINE_VLLM, "mxfp4", "nvidia", "hopper", CHECK_PASS},
    {ENGINE_VLLM, "nvfp4", "nvidia", "turing", CHECK_FAIL},
    {ENGINE_VLLM, "nvfp4", "nvidia", "hopper", CHECK_PASS},
    {ENGINE_TRTLLM, "nvfp4", "nvidia", "hopper", CHECK_FAIL},
    {ENGINE_TRTLLM, "nvfp4", "nvidia", "blackwell", CHECK_PASS},
    {ENGINE_SGLANG, "nvfp4", "nvidia", "hopper", CHECK_UNKNOWN},
    {ENGINE_VLLM, "nvfp4", "amd", "cdna3", CHECK_UNKNOWN},
    {ENGINE_VLLM, "fp8", "amd", "cdna2", CHECK_FAIL}, /* no 8-bit float path */
    {ENGINE_VLLM, "awq", "amd", "cdna3", CHECK_UNKNOWN},
    {ENGINE_VLLM, "awq", "nvidia", "volta", CHECK_UNKNOWN},
    {ENGINE_VLLM, "awq", "google", "tpu", CHECK_UNKNOWN},
    {ENGINE_VLLM, "q4_k_m", "nvidia", "ada", CHECK_PASS},
    {ENGINE_VLLM, "q4_k_m", "intel", "xe", CHECK_UNKNOWN},
    {ENGINE_VLLM, "mlx_4bit", "nvidia", "ada", CHECK_FAIL},
    {ENGINE_VLLM, "no_such_format", "nvidia", "ada", CHECK_FAIL},
    {ENGINE_TGI, "exl2", "nvidia", "ada", CHECK_PASS},
    {ENGINE_TGI, "q4_k_m", "nvidia", "ada", CHECK_UNKNOWN},
    {ENGINE_LLAMACPP, "q4_k_m", "nvidia", "ada", CHECK_PASS},
    {ENGINE_LLAMACPP, "bf16", "apple", "m4", CHECK_PASS},
    {ENGINE_LLAMACPP, "awq", "nvidia", "ada", CHECK_FAIL},
    {ENGINE_LLAMACPP, "mxfp4", "nvidia", "ada", CHECK_PASS}, /* a GGUF type of its own */
    {ENGINE_MLX, "mlx_4bit", "apple", "m4", CHECK_PASS},
    {ENGINE_MLX, "q4_k_m", "apple", "m4", CHECK_FAIL},
    {ENGINE_MLX, "mlx_4bit", "nvidia", "ada", CHECK_UNKNOWN},
    {ENGINE_VLLM, "awq", NULL, NULL, CHECK_PASS}, /* an inline part without a vendor */
};

/* vLLM checks a stated bfloat16 whatever the weights are in (vllm/platforms/cuda.py,
 * check_if_supports_dtype); left to itself it takes float16. */
static void a_stated_type_is_checked_beside_quantised_weights(void **state)
{
    static const struct {
        enum stated_dtype dtype;
        const char *arch;
        enum check_verdict verdict;
    } STATED[] = {{STATED_BF16, "turing", CHECK_FAIL},
                  {STATED_BF16, "ampere", CHECK_PASS},
                  {STATED_FP16, "turing", CHECK_PASS},
                  {STATED_AUTO, "turing", CHECK_PASS}};
    struct hardware part = {.id = "part", .vendor = "nvidia", .class = HW_DATACENTER};
    const struct weight_format fp8 = {.id = "fp8"};

    for (size_t i = 0; i < ARRAY_LEN(STATED); i++) {
        struct problem problem = rig_llama(*state);
        struct check check = {0};
        part.arch = STATED[i].arch;
        problem.hw = &part;
        problem.dep.weights = &fp8;
        problem.dep.dtype = STATED[i].dtype;
        assert_true(check_format(&problem, &check));
        assert_int_equal(check.verdict, STATED[i].verdict);
    }
}

static void formats_on_parts(void **state)
{
    const struct rig *rig = *state;
    struct engine mlx = rig->sample->engines[SAMPLE_LLAMACPP];
    const struct engine *engines[] = {
        [ENGINE_VLLM] = &rig->sample->engines[SAMPLE_VLLM],
        [ENGINE_LLAMACPP] = &rig->sample->engines[SAMPLE_LLAMACPP],
        [ENGINE_SGLANG] = &rig->engines[RIG_SGLANG],
        [ENGINE_TRTLLM] = &rig->engines[RIG_TRTLLM],
        [ENGINE_TGI] = &rig->engines[RIG_TGI],
        [ENGINE_MLX] = &mlx,
    };

    mlx.id = "mlx";
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct problem problem = rig_llama(rig);
        struct hardware part = {.vendor = ROWS[i].vendor, .arch = ROWS[i].arch};
        struct weight_format format = {.id = ROWS[i].format,
                                       .gguf = strcmp(ROWS[i].format, "q4_k_m") == 0};
        struct check check = {0};
        problem.hw = &part;
        problem.dep.engine = engines[ROWS[i].engine];
        problem.dep.weights = &format;
        assert_true(check_format(&problem, &check));
        if ((int)check.verdict != ROWS[i].verdict)
            fail_msg("row %zu: %s under %s on %s: %s", i, ROWS[i].format, problem.dep.engine->id,
                     ROWS[i].arch ? ROWS[i].arch : "?", check.detail);
        assert_int_equal(check.basis,
                         check.verdict == CHECK_UNKNOWN ? BASIS_NO_RECORD : BASIS_DERIVED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_on_parts),
        cmocka_unit_test(a_stated_type_is_checked_beside_quantised_weights),
    };

    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
