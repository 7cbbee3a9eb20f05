/*
 * hf_architectures.c - the table of architectures: what each does differently from a plain decoder
 * with grouped attention, a gated FFN and two RMS norms per layer.
 *
 * A new architecture is a new row; a plan or a finish (hf_plans.c) only where its configuration
 * says something in a way of its own.
 */
#include <string.h>

#include "hf_read.h"

#define QWEN3_HYBRID (HF_QK_NORM_HEAD | HF_OUTPUT_GATE | HF_SHARED_GATE)
#define GPT_BIASES (HF_QKV_BIAS | HF_O_BIAS | HF_MLP_BIAS | HF_NORM_BIAS | HF_PLAIN_MLP)

static const struct hf_architecture ARCHITECTURES[] = {
    {.type = "llama", .class_name = "LlamaForCausalLM"},
    {.type = "mistral", .class_name = "MistralForCausalLM", .traits = HF_ALL_WINDOWED},
    {.type = "mixtral", .class_name = "MixtralForCausalLM", .traits = HF_ALL_WINDOWED},
    {.type = "qwen2", .class_name = "Qwen2ForCausalLM", .traits = HF_QKV_BIAS | HF_NO_O_BIAS},
    {.type = "qwen2_vl",
     .class_name = "Qwen2VLForConditionalGeneration",
     .traits = HF_QKV_BIAS | HF_NO_O_BIAS},
    {.type = "qwen2_5_vl",
     .class_name = "Qwen2_5_VLForConditionalGeneration",
     .traits = HF_QKV_BIAS | HF_NO_O_BIAS},
    {.type = "qwen2_moe",
     .class_name = "Qwen2MoeForCausalLM",
     .traits = HF_QKV_BIAS | HF_NO_O_BIAS | HF_SHARED_GATE},
    {.type = "qwen3", .class_name = "Qwen3ForCausalLM", .traits = HF_QK_NORM_HEAD},
    {.type = "qwen3_moe", .class_name = "Qwen3MoeForCausalLM", .traits = HF_QK_NORM_HEAD},
    {.type = "qwen3_vl",
     .class_name = "Qwen3VLForConditionalGeneration",
     .traits = HF_QK_NORM_HEAD},
    {.type = "qwen3_vl_moe",
     .class_name = "Qwen3VLMoeForConditionalGeneration",
     .traits = HF_QK_NORM_HEAD},
    {.type = "qwen3_next",
     .class_name = "Qwen3NextForCausalLM",
     .traits = QWEN3_HYBRID,
     .period = 4,
     .other = MIXER_GATED_DELTA},
    {.type = "qwen3_5",
     .class_name = "Qwen3_5ForConditionalGeneration",
     .traits = QWEN3_HYBRID | HF_MTP,
     .period = 4,
     .other = MIXER_GATED_DELTA},
    {.type = "qwen3_5_moe",
     .class_name = "Qwen3_5MoeForConditionalGeneration",
     .traits = QWEN3_HYBRID | HF_MTP,
     .period = 4,
     .other = MIXER_GATED_DELTA},
    {.type = "llama4",
     .class_name = "Llama4ForConditionalGeneration",
     .period = 4,
     .other = MIXER_CHUNKED},
    {.type = "mllama",
     .class_name = "MllamaForConditionalGeneration",
     .plan = hf_plan_mllama,
     .finish = hf_finish_mllama},
    {.type = "nemotron-nas", .class_name = "DeciLMForCausalLM", .plan = hf_plan_nemotron_nas},
    {.type = "nemotron_h",
     .class_name = "NemotronHForCausalLM",
     .traits = HF_PLAIN_MLP | HF_ROUTER_BIAS | HF_MTP,
     .norms = 1,
     .plan = hf_plan_nemotron_h},
    {.type = "gemma", .class_name = "GemmaForCausalLM", .traits = HF_TIED},
    {.type = "gemma2",
     .class_name = "Gemma2ForCausalLM",
     .traits = HF_TIED,
     .norms = 4,
     .period = 2,
     .other = MIXER_WINDOW},
    {.type = "gemma3",
     .class_name = "Gemma3ForConditionalGeneration",
     .traits = HF_TIED | HF_QK_NORM_HEAD,
     .norms = 4,
     .period = 6,
     .other = MIXER_WINDOW},
    {.type = "gemma3_text",
     .class_name = "Gemma3ForCausalLM",
     .traits = HF_TIED | HF_QK_NORM_HEAD,
     .norms = 4,
     .period = 6,
     .other = MIXER_WINDOW},
    {.type = "gemma4",
     .class_name = "Gemma4ForConditionalGeneration",
     .traits = HF_TIED | HF_QK_NORM_HEAD | HF_GLOBAL_NUMBERS,
     .period = 6,
     .other = MIXER_WINDOW,
     .plan = hf_plan_gemma4,
     .finish = hf_finish_gemma4},
    {.type = "phi",
     .class_name = "PhiForCausalLM",
     .traits = GPT_BIASES | HF_LM_HEAD_BIAS,
     .norms = 1},
    {.type = "phi3", .class_name = "Phi3ForCausalLM"},
    {.type = "gpt_oss",
     .class_name = "GptOssForCausalLM",
     .traits = HF_QKV_BIAS | HF_O_BIAS | HF_SINKS | HF_ROUTER_BIAS | HF_EXPERT_BIAS,
     .period = 2,
     .other = MIXER_WINDOW},
    {.type = "deepseek_v2", .class_name = "DeepseekV2ForCausalLM", .plan = hf_plan_mla},
    {.type = "deepseek_v3",
     .class_name = "DeepseekV3ForCausalLM",
     .traits = HF_MTP,
     .mtp_mixer = MIXER_MLA,
     .mtp_copies = 2,
     .plan = hf_plan_mla},
    {.type = "deepseek_v32",
     .class_name = "DeepseekV32ForCausalLM",
     .traits = HF_MTP,
     .mtp_mixer = MIXER_MLA,
     .mtp_copies = 2,
     .plan = hf_plan_mla},
    {.type = "deepseek_v4",
     .class_name = "DeepseekV4ForCausalLM",
     .traits = HF_MTP | HF_NO_ROUTER_BIAS,
     .mtp_mixer = MIXER_SWA_LATENT,
     .plan = hf_plan_deepseek_v4,
     .finish = hf_finish_deepseek_v4},
    {.type = "kimi_k2", .class_name = "KimiK2ForCausalLM", .plan = hf_plan_mla},
    {.type = "kimi_k25", .class_name = "KimiK25ForConditionalGeneration", .plan = hf_plan_mla},
    {.type = "kimi_linear",
     .class_name = "KimiLinearForCausalLM",
     .traits = HF_ROUTER_BIAS,
     .plan = hf_plan_kimi_linear,
     .finish = hf_finish_kimi_linear},
    {.type = "kimi_k3",
     .class_name = "KimiK3ForConditionalGeneration",
     .traits = HF_ROUTER_BIAS,
     .plan = hf_plan_kimi_linear,
     .finish = hf_finish_kimi_linear},
    {.type = "glm_moe_dsa",
     .class_name = "GlmMoeDsaForCausalLM",
     .traits = HF_MTP,
     .mtp_mixer = MIXER_MLA,
     .plan = hf_plan_mla},
    {.type = "glm4_moe_lite",
     .class_name = "Glm4MoeLiteForCausalLM",
     .traits = HF_ROUTER_BIAS,
     .plan = hf_plan_mla},
    {.type = "minimax_m1", .class_name = "MiniMaxM1ForCausalLM", .plan = hf_plan_minimax_m1},
    {.type = "minimax_m2", .class_name = "MiniMaxM2ForCausalLM", .traits = HF_QK_NORM_FULL},
    {.type = "minimax_m3",
     .class_name = "MiniMaxM3ForCausalLM",
     .traits = HF_QK_NORM_HEAD,
     .plan = hf_plan_minimax_m3},
    {.type = "mimo",
     .class_name = "MiMoForCausalLM",
     .traits = HF_QKV_BIAS | HF_NO_O_BIAS | HF_MTP},
    {.type = "mimo_v2_flash",
     .class_name = "MiMoV2FlashForCausalLM",
     .traits = HF_SWA_NUMBERS | HF_MTP | HF_MTP_DENSE,
     .mtp_mixer = MIXER_WINDOW,
     .plan = hf_plan_mimo_v2},
    {.type = "step3p5",
     .class_name = "Step3p5ForCausalLM",
     .traits = HF_QK_NORM_HEAD | HF_HEAD_GATE | HF_SWA_NUMBERS | HF_MTP | HF_MTP_DENSE,
     .mtp_mixer = MIXER_WINDOW,
     .mtp_copies = 1},
    {.type = "step3p7",
     .class_name = "Step3p7FlashForCausalLM",
     .traits = HF_QK_NORM_HEAD | HF_HEAD_GATE | HF_SWA_NUMBERS | HF_MTP | HF_MTP_DENSE,
     .mtp_mixer = MIXER_WINDOW,
     .mtp_copies = 1},
    {.type = "dbrx", .class_name = "DbrxForCausalLM"},
    {.type = "exaone4",
     .class_name = "Exaone4ForCausalLM",
     .traits = HF_QK_NORM_HEAD,
     .period = 4,
     .other = MIXER_WINDOW},
    {.type = "falcon_h1", .class_name = "FalconH1ForCausalLM", .plan = hf_plan_falcon_h1},
    {.type = "hunyuan",
     .class_name = "HunYuanMoEV1ForCausalLM",
     .traits = HF_TIED | HF_QK_NORM_HEAD,
     .plan = hf_plan_hunyuan},
    {.type = "bailing_moe", .class_name = "BailingMoeForCausalLM"},
};

static bool is_named(const struct hf_architecture *row, const char *name)
{
    return strcmp(row->type, name) == 0 || strcmp(row->class_name, name) == 0;
}

const struct hf_architecture *hf_architecture_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(ARCHITECTURES); i++) {
        if (is_named(&ARCHITECTURES[i], name)) {
            return &ARCHITECTURES[i];
        }
    }
    return NULL;
}

void hf_architecture_names(const char **names, int max, int *ret_n)
{
    int n = 0;
    for (size_t i = 0; i < ARRAY_LEN(ARCHITECTURES) && n + 1 < max; i++) {
        names[n++] = ARCHITECTURES[i].type;
        names[n++] = ARCHITECTURES[i].class_name;
    }
    *ret_n = n;
}
