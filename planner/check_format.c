/*
 * check_format.c - which weight formats an engine runs on a part.
 *
 * Purpose: a table of rules, the first that matches decides; what no rule speaks of passes.
 * Sources: docs.vllm.ai/en/latest/features/quantization (supported hardware; FP8: compute
 * capability 7.5 weight-only, 8.9 in full; NVFP4 weight-only through Marlin before Blackwell),
 *          docs.sglang.ai/advanced_features/quantization.html,
 *          nvidia.github.io/TensorRT-LLM (support matrix: FP8 from Ada, NVFP4 on Blackwell),
 *          huggingface.co/docs/text-generation-inference/conceptual/quantization,
 *          github.com/ggml-org/llama.cpp (GGUF), github.com/ml-explore/mlx-lm.
 */
#include <string.h>

#include "check_shape.h"

/* Families of formats. */
enum family {
    FAMILY_PLAIN_BF16 = 1 << 0,
    FAMILY_PLAIN = 1 << 1, /* fp16, fp32 */
    FAMILY_FP8 = 1 << 2,
    FAMILY_MXFP8 = 1 << 3, /* mxfp8, mxfp6 */
    FAMILY_NVFP4 = 1 << 4,
    FAMILY_MXFP4 = 1 << 5,
    FAMILY_INT4 = 1 << 6, /* AWQ, GPTQ, compressed-tensors */
    FAMILY_INT8 = 1 << 7,
    FAMILY_BNB = 1 << 8,
    FAMILY_GGUF = 1 << 9,
    FAMILY_MLX = 1 << 10,
    FAMILY_EXL = 1 << 11,
    FAMILY_OTHER = 1 << 12,
};

#define FAMILIES_SAFETENSORS                                                                       \
    (FAMILY_FP8 | FAMILY_MXFP8 | FAMILY_NVFP4 | FAMILY_INT4 | FAMILY_INT8 | FAMILY_BNB)
#define FAMILIES_FOREIGN (FAMILY_MLX | FAMILY_EXL | FAMILY_OTHER)

struct family_row {
    const char *beginning; /* of the format's id */
    unsigned family;
};

static const struct family_row FAMILY_ROWS[] = {
    {"bf16", FAMILY_PLAIN_BF16}, {"fp16", FAMILY_PLAIN},  {"fp32", FAMILY_PLAIN},
    {"fp8", FAMILY_FP8},         {"mxfp8", FAMILY_MXFP8}, {"mxfp6", FAMILY_MXFP8},
    {"nvfp4", FAMILY_NVFP4},     {"mxfp4", FAMILY_MXFP4}, {"int4", FAMILY_INT4},
    {"awq", FAMILY_INT4},        {"gptq", FAMILY_INT4},   {"hqq", FAMILY_INT4},
    {"int8", FAMILY_INT8},       {"nf4", FAMILY_BNB},     {"llm_int8", FAMILY_BNB},
    {"mlx_", FAMILY_MLX},        {"exl", FAMILY_EXL},
};

static unsigned family_of(const struct weight_format *format)
{
    if (format->gguf)
        return FAMILY_GGUF;
    for (size_t i = 0; i < ARRAY_LEN(FAMILY_ROWS); i++)
        if (strncmp(format->id, FAMILY_ROWS[i].beginning, strlen(FAMILY_ROWS[i].beginning)) == 0)
            return FAMILY_ROWS[i].family;
    return FAMILY_OTHER;
}

/* Which parts a rule is about. */
enum parts {
    PARTS_ANY,
    PARTS_NVIDIA_BEFORE_TURING,
    PARTS_NVIDIA_BEFORE_AMPERE,
    PARTS_NVIDIA_BEFORE_ADA,
    PARTS_NVIDIA_BEFORE_HOPPER,
    PARTS_NVIDIA_BEFORE_BLACKWELL,
    PARTS_AMD,
    PARTS_AMD_WITHOUT_FP8,
    PARTS_NOT_NVIDIA,
    PARTS_NOT_APPLE,
    PARTS_NO_GPU /* neither NVIDIA nor AMD */
};

/* Generations of NVIDIA parts, oldest first. */
static const char *const NVIDIA_ARCHS[] = {"pascal", "volta",  "turing",    "ampere",
                                           "ada",    "hopper", "blackwell", "blackwell-ultra"};

static bool is_vendor(const struct hardware *hw, const char *vendor)
{
    return hw->vendor != NULL && strcmp(hw->vendor, vendor) == 0;
}

/* Whether a part is of an NVIDIA generation before the named one; of an unstated one nothing is
 * known. */
static bool is_before(const struct hardware *hw, const char *arch)
{
    if (!is_vendor(hw, "nvidia") || hw->arch == NULL)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(NVIDIA_ARCHS) && strcmp(NVIDIA_ARCHS[i], arch) != 0; i++)
        if (strcmp(NVIDIA_ARCHS[i], hw->arch) == 0)
            return true;
    return false;
}

static bool is_amd_gpu(const struct hardware *hw)
{
    return is_vendor(hw, "amd") && hw->class != HW_CPU;
}

static bool is_among(const struct hardware *hw, enum parts parts)
{
    switch (parts) {
    case PARTS_ANY:
        return true;
    case PARTS_NVIDIA_BEFORE_TURING:
        return is_before(hw, "turing");
    case PARTS_NVIDIA_BEFORE_AMPERE:
        return is_before(hw, "ampere");
    case PARTS_NVIDIA_BEFORE_ADA:
        return is_before(hw, "ada");
    case PARTS_NVIDIA_BEFORE_HOPPER:
        return is_before(hw, "hopper");
    case PARTS_NVIDIA_BEFORE_BLACKWELL:
        return is_before(hw, "blackwell");
    case PARTS_AMD:
        return is_amd_gpu(hw);
    case PARTS_AMD_WITHOUT_FP8:
        return is_amd_gpu(hw) && hw->peak_flops_us[DTYPE_FP8] <= 0.0;
    case PARTS_NOT_NVIDIA:
        return hw->vendor != NULL && !is_vendor(hw, "nvidia");
    case PARTS_NOT_APPLE:
        return hw->vendor != NULL && !is_vendor(hw, "apple");
    case PARTS_NO_GPU:
        return hw->vendor != NULL && !is_vendor(hw, "nvidia") && !is_amd_gpu(hw);
    }
    return false;
}

enum engines {
    ENGINE_VLLM = 1 << 0,
    ENGINE_SGLANG = 1 << 1,
    ENGINE_TRTLLM = 1 << 2,
    ENGINE_TGI = 1 << 3,
    ENGINE_LLAMACPP = 1 << 4, /* and Ollama */
    ENGINE_MLX = 1 << 5
};

#define ENGINES_SERVERS (ENGINE_VLLM | ENGINE_SGLANG | ENGINE_TRTLLM | ENGINE_TGI)

static unsigned engine_of(const struct engine *engine)
{
    static const unsigned BY_RULE[MEMORY_RULE_COUNT] = {[MEMORY_VLLM] = ENGINE_VLLM,
                                                        [MEMORY_SGLANG] = ENGINE_SGLANG,
                                                        [MEMORY_TRTLLM] = ENGINE_TRTLLM,
                                                        [MEMORY_LLAMACPP] = ENGINE_LLAMACPP,
                                                        [MEMORY_TGI] = ENGINE_TGI};

    if (strcmp(engine->id, "mlx") == 0)
        return ENGINE_MLX;
    return engine->memory_rule < MEMORY_RULE_COUNT ? BY_RULE[engine->memory_rule] : 0;
}

struct format_rule {
    unsigned engines, families;
    enum parts parts;
    enum check_verdict verdict;
    const char *detail; /* {ss} the engine, {st} the format */
};

#define ALL_FAMILIES (~0u)
#define WEIGHT_ONLY "{ss} runs {st} here as weights alone: the multiply stays 16-bit"
#define NO_READER "{ss} reads no {st} checkpoint"

static const struct format_rule RULES[] = {
    {ENGINE_TRTLLM, ALL_FAMILIES, PARTS_NOT_NVIDIA, CHECK_FAIL,
     "TensorRT-LLM runs on NVIDIA parts alone"},
    {ENGINE_MLX, ALL_FAMILIES, PARTS_NOT_APPLE, CHECK_UNKNOWN,
     "nobody recorded which formats MLX runs beside Apple's parts"},
    {ENGINE_TGI, FAMILY_EXL, PARTS_ANY, CHECK_PASS, "{ss} runs {st}"},
    {ENGINES_SERVERS, FAMILIES_FOREIGN, PARTS_ANY, CHECK_FAIL, NO_READER},
    {ENGINE_TRTLLM, FAMILY_GGUF, PARTS_ANY, CHECK_FAIL, NO_READER},
    {ENGINE_TGI, FAMILY_GGUF, PARTS_ANY, CHECK_UNKNOWN,
     "{ss} reads GGUF files through its llama.cpp back end alone, which nobody recorded"},
    {ENGINE_VLLM | ENGINE_SGLANG, FAMILY_GGUF, PARTS_NO_GPU, CHECK_UNKNOWN,
     "{ss} documents GGUF files on NVIDIA and AMD parts alone"},
    {ENGINE_LLAMACPP, FAMILIES_SAFETENSORS | FAMILIES_FOREIGN, PARTS_ANY, CHECK_FAIL,
     "{ss} reads GGUF files: {st} weights must be converted and quantised to a GGUF type"},
    {ENGINE_MLX, FAMILY_GGUF | FAMILIES_SAFETENSORS | FAMILY_EXL | FAMILY_OTHER, PARTS_ANY,
     CHECK_FAIL, "{ss} reads its own quantised weights: convert {st} with mlx_lm.convert"},
    {ENGINES_SERVERS, FAMILY_PLAIN_BF16, PARTS_NVIDIA_BEFORE_AMPERE, CHECK_FAIL,
     "bfloat16 needs compute capability 8.0, this part is older: {ss} refuses to start"},
    {ENGINE_VLLM | ENGINE_SGLANG | ENGINE_TGI, FAMILY_FP8, PARTS_NVIDIA_BEFORE_TURING, CHECK_FAIL,
     "8-bit floats need compute capability 7.5, this part is older"},
    {ENGINE_VLLM, FAMILY_FP8, PARTS_NVIDIA_BEFORE_ADA, CHECK_PASS, WEIGHT_ONLY},
    {ENGINE_SGLANG | ENGINE_TGI, FAMILY_FP8, PARTS_NVIDIA_BEFORE_AMPERE, CHECK_FAIL,
     "8-bit floats need compute capability 8.0 under {ss}, this part is older"},
    {ENGINE_SGLANG | ENGINE_TGI, FAMILY_FP8, PARTS_NVIDIA_BEFORE_ADA, CHECK_PASS, WEIGHT_ONLY},
    {ENGINE_TRTLLM, FAMILY_FP8, PARTS_NVIDIA_BEFORE_ADA, CHECK_FAIL,
     "8-bit floats need an Ada part or newer under {ss}"},
    {ENGINES_SERVERS, FAMILY_FP8 | FAMILY_MXFP8, PARTS_AMD_WITHOUT_FP8, CHECK_FAIL,
     "the part has no 8-bit float path: {ss} supports {st} from MI300 on"},
    {ENGINE_VLLM, FAMILY_NVFP4, PARTS_NVIDIA_BEFORE_AMPERE, CHECK_FAIL,
     "nvfp4 weights need compute capability 8.0, this part is older"},
    {ENGINE_VLLM, FAMILY_NVFP4, PARTS_NVIDIA_BEFORE_BLACKWELL, CHECK_PASS, WEIGHT_ONLY},
    {ENGINE_TRTLLM | ENGINE_TGI, FAMILY_NVFP4, PARTS_NVIDIA_BEFORE_BLACKWELL, CHECK_FAIL,
     "nvfp4 needs a Blackwell part under {ss}"},
    {ENGINE_SGLANG, FAMILY_NVFP4, PARTS_NVIDIA_BEFORE_BLACKWELL, CHECK_UNKNOWN,
     "{ss} documents nvfp4 on Blackwell parts"},
    {ENGINES_SERVERS, FAMILY_NVFP4, PARTS_AMD, CHECK_UNKNOWN,
     "nobody recorded {st} weights under {ss} on an AMD part"},
    {ENGINE_TRTLLM, FAMILY_MXFP4, PARTS_NVIDIA_BEFORE_HOPPER, CHECK_FAIL,
     "mxfp4 needs a Hopper part or newer under {ss}"},
    {ENGINES_SERVERS, FAMILY_MXFP4, PARTS_NVIDIA_BEFORE_AMPERE, CHECK_FAIL,
     "mxfp4 weights need compute capability 8.0, this part is older"},
    {ENGINES_SERVERS, FAMILY_INT4 | FAMILY_BNB | FAMILY_INT8, PARTS_NVIDIA_BEFORE_TURING,
     CHECK_UNKNOWN, "{ss} documents few quantised kernels for parts before Turing"},
    {ENGINE_VLLM | ENGINE_SGLANG, FAMILY_INT4 | FAMILY_BNB, PARTS_AMD, CHECK_UNKNOWN,
     "the kernels that {ss} documents for {st} are NVIDIA's"},
    {ENGINES_SERVERS, FAMILIES_SAFETENSORS | FAMILY_MXFP4, PARTS_NO_GPU, CHECK_UNKNOWN,
     "nobody recorded {st} weights under {ss} on this kind of part"},
};

bool check_format(const struct problem *problem, struct check *check)
{
    const struct weight_format *format = problem->dep.weights;
    unsigned engine = engine_of(problem->dep.engine), family = family_of(format);

    check->verdict = CHECK_PASS;
    check->detail = "{ss} runs {st} weights on this part";
    check->basis = BASIS_DERIVED;
    check->name[0] = problem->dep.engine->id;
    check->name[1] = format->id;
    if (engine == ENGINE_VLLM && problem->dep.dtype == STATED_BF16)
        family |= FAMILY_PLAIN_BF16; /* what is not quantised is in that type */
    for (size_t i = 0; i < ARRAY_LEN(RULES); i++) {
        const struct format_rule *rule = &RULES[i];
        if (!(rule->engines & engine) || !(rule->families & family) ||
            !is_among(problem->hw, rule->parts))
            continue;
        check->verdict = rule->verdict;
        check->detail = rule->detail;
        if (rule->verdict == CHECK_UNKNOWN)
            check->basis = BASIS_NO_RECORD;
        return true;
    }
    return true;
}
