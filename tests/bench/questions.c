#include "questions.h"

#include <stdio.h>

#include "compiler.h"

struct kind {
    const char *name, *model, *hardware, *deployment;
};

static const struct kind KINDS[] = {
    {"8B dense, bf16, vLLM, H100", "llama-3.1-8b", "h100-sxm",
     "\"engine\": \"vllm\", \"engine_version\": \"0.19.0\", \"weights\": \"bf16\", "
     "\"kv_cache\": \"bf16\", \"tp\": 1, \"max_num_seqs\": 256, \"max_model_len\": 16384, "
     "\"prefix_caching\": true, \"chunked_prefill_tokens\": 2048"},
    {"MoE with MLA, fp8, SGLang, 8 H200", "deepseek-v3", "h200-sxm",
     "\"engine\": \"sglang\", \"weights\": \"fp8_block\", \"tp\": 8, \"ep\": 8, "
     "\"max_num_seqs\": 512, \"max_model_len\": 16384, \"memory_utilization\": 0.9"},
    {"windowed MoE, mxfp4, TensorRT-LLM, B200", "gpt-oss-120b", "b200-sxm",
     "\"engine\": \"tensorrt-llm\", \"weights\": \"mxfp4\", \"kv_cache\": \"fp8\", \"tp\": 2, "
     "\"max_num_seqs\": 256, \"logit_processors\": [\"penalties\", \"min_p\"]"},
    {"hybrid state space, fp8, vLLM, H100", "nemotron-h-47b", "h100-sxm",
     "\"engine\": \"vllm\", \"weights\": \"fp8\", \"tp\": 2, \"structured_output\": true, "
     "\"logprobs\": 5, \"max_num_seqs\": 128"},
    {"7B, Q4_K_M, llama.cpp with the host's sampler, RTX 5090", "qwen2.5-7b", "rtx-5090",
     "\"engine\": \"llama.cpp\", \"backend\": \"cuda\", \"weights\": \"q4_k_m\", "
     "\"sampler\": \"host\", \"max_num_seqs\": 32, \"max_model_len\": 16384"},
};

unsigned question_kinds(void)
{
    return (unsigned)ARRAY_LEN(KINDS);
}

const char *question_kind(unsigned kind)
{
    return KINDS[kind % ARRAY_LEN(KINDS)].name;
}

size_t question_write(unsigned i, char ret_body[QUESTION_MAX])
{
    const struct kind *kind = &KINDS[i % ARRAY_LEN(KINDS)];
    unsigned round = i / (unsigned)ARRAY_LEN(KINDS);

    /* 251 and 7919 are primes: the pair repeats after 2 million rounds. */
    int length = snprintf(ret_body, QUESTION_MAX,
                          "{\"model\": \"%s\", \"hardware\": \"%s\", \"deployment\": {%s}, "
                          "\"workload\": {\"concurrency\": %u, \"input_tokens\": %u, "
                          "\"output_tokens\": 256, \"cached_prefix_tokens\": 0}, "
                          "\"slo\": {\"ttft_ms\": 500, \"tpot_ms\": 30}}",
                          kind->model, kind->hardware, kind->deployment, 1 + round % 251,
                          128 + round % 7919);
    return (size_t)length;
}
