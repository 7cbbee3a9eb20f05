/*
 * config.json files against the golden figures of the models they belong to, and what is refused.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../figures.h"
#include "../files.h"
#include "hf_config.h"

#define ARENA_MAX (16u << 20)
#define CONFIGS TESTS_DIR "/golden/hf-configs"
#define ENDING ".config.json"

struct reading {
    struct arena *arena;
    struct faults faults;
    struct model *model;
};

static struct reading read_config(const char *text)
{
    struct reading reading = {.arena = arena_new(ARENA_MAX)};
    assert_non_null(reading.arena);
    faults_init(&reading.faults, reading.arena);
    cJSON *config = cJSON_Parse(text);
    assert_non_null(config);
    if (!hf_config_model(config, reading.arena, &reading.faults, "/model/hf_config",
                         &reading.model)) {
        assert_null(reading.model);
        assert_true(reading.faults.n > 0);
    } else {
        assert_int_equal(reading.faults.n, 0);
    }
    cJSON_Delete(config);
    return reading;
}

/* Infinity is not JSON: a client must write a number, as here. */
static void replace_infinity(char *text)
{
    for (char *at = strstr(text, "Infinity"); at != NULL; at = strstr(at, "Infinity")) {
        for (int i = 0; i < 8; i++) {
            at[i] = "1e9     "[i];
        }
    }
}

/* The golden row of `id`: its seven figures. */
static void golden(const char *id, double want[7])
{
    char *text = read_file(TESTS_DIR "/golden/models.tsv");
    size_t length = strlen(id);
    const char *row = text;
    while (row != NULL && !(strncmp(row, id, length) == 0 && row[length] == '\t')) {
        row = strchr(row, '\n');
        row = row != NULL ? row + 1 : NULL;
    }
    if (row == NULL) {
        fail_msg("no golden row of %s", id);
    }
    assert_int_equal(sscanf(row + length, "%lf %lf %lf %lf %lf %lf %lf", &want[0], &want[1],
                            &want[2], &want[3], &want[4], &want[5], &want[6]),
                     7);
    free(text);
}

static void check_golden(const char *id, const char *text)
{
    struct reading reading = read_config(text);
    double want[7];
    golden(id, want);
    if (reading.model == NULL) {
        fail_msg("%s: %s %s", id, reading.faults.items[0].pointer, reading.faults.items[0].detail);
    }
    const double got[7] = {reading.model->params_total,
                           want[1],
                           reading.model->params_active,
                           reading.model->params_matmul_per_token,
                           reading.model->kv_bytes_per_token,
                           reading.model->kv_bytes_per_token_beyond_window,
                           reading.model->state_bytes_per_sequence};
    for (int i = 0; i < 7; i++) {
        if (fabs(got[i] - want[i]) > 0) {
            fail_msg("%s, column %d: %.0f, golden %.0f (%+.0f)", id, i + 2, got[i], want[i],
                     got[i] - want[i]);
        }
    }
    arena_free(reading.arena);
}

static void published_files_give_the_golden_figures(void **state)
{
    (void)state;
    DIR *folder = opendir(CONFIGS);
    assert_non_null(folder);
    int n = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        if (length <= strlen(ENDING)) {
            continue;
        }
        char path[1024];
        char id[256];
        snprintf(path, sizeof(path), "%s/%s", CONFIGS, entry->d_name);
        snprintf(id, sizeof(id), "%.*s", (int)(length - strlen(ENDING)), entry->d_name);
        char *text = read_file(path);
        replace_infinity(text);
        check_golden(id, text);
        free(text);
        n++;
    }
    closedir(folder);
    assert_int_equal(n, 87);
}

/* Further architectures: the fields of the published config.json that decide the geometry. */
static const struct config_row {
    const char *id, *config;
} CONFIG_ROWS[] = {
    {"gemma-7b",
     "{'model_type':'gemma','hidden_size':3072,'num_hidden_layers':28,'vocab_size':256000,"
     "'num_attention_heads':16,'num_key_value_heads':16,'head_dim':256,"
     "'intermediate_size':24576}"},
    {"gemma-3-4b", "{'architectures':['Gemma3ForConditionalGeneration'],'model_type':'gemma3',"
                   "'text_config':{'hidden_size':2560,'intermediate_size':10240,"
                   "'model_type':'gemma3_text','num_hidden_layers':34,'sliding_window':1024}}"},
    {"gemma-3-27b", "{'model_type':'gemma3','text_config':{'head_dim':128,'hidden_size':5376,"
                    "'intermediate_size':21504,'model_type':'gemma3_text','num_attention_heads':32,"
                    "'num_hidden_layers':62,'num_key_value_heads':16,'sliding_window':1024}}"},
    {"gemma-4-e2b",
     "{'model_type':'gemma4','text_config':{'attention_k_eq_v':false,'enable_moe_block':false,"
     "'global_head_dim':512,'head_dim':256,'hidden_size':1536,'hidden_size_per_layer_input':256,"
     "'intermediate_size':6144,'num_attention_heads':8,'num_hidden_layers':35,"
     "'num_key_value_heads':1,'num_kv_shared_layers':20,'sliding_window':512,"
     "'sliding_window_pattern':5,'use_double_wide_mlp':true,'vocab_size':262144}}"},
    {"qwen1.5-moe-a2.7b",
     "{'model_type':'qwen2_moe','hidden_size':2048,'num_hidden_layers':24,'vocab_size':151936,"
     "'num_attention_heads':16,'num_key_value_heads':16,'intermediate_size':5632,"
     "'moe_intermediate_size':1408,'num_experts':60,'num_experts_per_tok':4,"
     "'shared_expert_intermediate_size':5632,'decoder_sparse_step':1,'max_window_layers':21,"
     "'sliding_window':32768,'use_sliding_window':false,'tie_word_embeddings':false}"},
    {"qwen3-coder-next",
     "{'model_type':'qwen3_next','full_attention_interval':4,'head_dim':256,'hidden_size':2048,"
     "'intermediate_size':5120,'linear_conv_kernel_dim':4,'linear_key_head_dim':128,"
     "'linear_num_key_heads':16,'linear_num_value_heads':32,'linear_value_head_dim':128,"
     "'mlp_only_layers':[],'moe_intermediate_size':512,'num_attention_heads':16,'num_experts':512,"
     "'num_experts_per_tok':10,'num_hidden_layers':48,'num_key_value_heads':2,"
     "'shared_expert_intermediate_size':512,'vocab_size':151936}"},
    {"qwen2.5-vl-7b", "{'model_type':'qwen2_5_vl','hidden_size':3584,'num_hidden_layers':28,"
                      "'num_attention_heads':28,'num_key_value_heads':4,'intermediate_size':18944,"
                      "'vocab_size':152064,'tie_word_embeddings':false,'use_sliding_window':false,"
                      "'sliding_window':32768,'max_window_layers':28,'vision_config':{}}"},
    {"mistral-7b-v0.1", "{'model_type':'mistral','hidden_size':4096,'intermediate_size':14336,"
                        "'num_attention_heads':32,'num_hidden_layers':32,'num_key_value_heads':8,"
                        "'sliding_window':4096,'vocab_size':32000,'tie_word_embeddings':false}"},
    {"olmo-2-7b", "{'model_type':'olmo2','hidden_size':4096,'intermediate_size':11008,"
                  "'num_attention_heads':32,'num_hidden_layers':32,'num_key_value_heads':32,"
                  "'vocab_size':100352,'attention_bias':false,'tie_word_embeddings':false}"},
    {"olmo-3-7b", "{'model_type':'olmo3','hidden_size':4096,'intermediate_size':11008,"
                  "'num_attention_heads':32,'num_hidden_layers':32,'num_key_value_heads':32,"
                  "'sliding_window':4096,'vocab_size':100278}"},
    {"olmoe-1b-7b", "{'model_type':'olmoe','hidden_size':2048,'intermediate_size':1024,"
                    "'num_attention_heads':16,'num_hidden_layers':16,'num_key_value_heads':16,"
                    "'num_experts':64,'num_experts_per_tok':8,'vocab_size':50304}"},
    {"command-r-35b", "{'model_type':'cohere','hidden_size':8192,'intermediate_size':22528,"
                      "'num_attention_heads':64,'num_hidden_layers':40,'num_key_value_heads':64,"
                      "'vocab_size':256000}"},
    {"command-r7b", "{'model_type':'cohere2','hidden_size':4096,'intermediate_size':14336,"
                    "'num_attention_heads':32,'num_hidden_layers':32,'num_key_value_heads':8,"
                    "'sliding_window':4096,'sliding_window_pattern':4,'vocab_size':256000}"},
    {"glm-4.5-air",
     "{'model_type':'glm4_moe','attention_bias':true,'head_dim':128,'hidden_size':4096,"
     "'intermediate_size':10944,'first_k_dense_replace':1,'moe_intermediate_size':1408,"
     "'n_routed_experts':128,'n_shared_experts':1,'num_attention_heads':96,"
     "'num_experts_per_tok':8,'num_hidden_layers':46,'num_key_value_heads':8,"
     "'num_nextn_predict_layers':1,'use_qk_norm':false,'vocab_size':151552}"},
    {"smollm3-3b", "{'model_type':'smollm3','hidden_size':2048,'intermediate_size':11008,"
                   "'num_attention_heads':16,'num_hidden_layers':36,'num_key_value_heads':4,"
                   "'vocab_size':128256}"},
    {"seed-oss-36b", "{'model_type':'seed_oss','attention_bias':true,'attention_out_bias':false,"
                     "'head_dim':128,'hidden_size':5120,'intermediate_size':27648,"
                     "'num_attention_heads':80,'num_hidden_layers':64,'num_key_value_heads':8,"
                     "'vocab_size':155136,'tie_word_embeddings':false}"},
    {"dots.llm1", "{'model_type':'dots1','hidden_size':4096,'intermediate_size':10944,"
                  "'moe_intermediate_size':1408,'num_attention_heads':32,'num_hidden_layers':62,"
                  "'num_key_value_heads':32,'n_routed_experts':128,'n_shared_experts':2,"
                  "'num_experts_per_tok':6,'first_k_dense_replace':1,'topk_method':'noaux_tc',"
                  "'vocab_size':152064}"},
    {"ernie-4.5-300b-a47b",
     "{'model_type':'ernie4_5_moe','hidden_size':8192,'intermediate_size':28672,"
     "'num_attention_heads':64,'num_key_value_heads':8,'num_hidden_layers':54,"
     "'moe_num_experts':64,'moe_k':8,'moe_layer_start_index':3,'moe_layer_interval':1,"
     "'moe_num_shared_experts':0,'moe_intermediate_size':3584,'moe_use_aux_free':true,"
     "'use_bias':false,'vocab_size':103424,'tie_word_embeddings':false}"},
    {"ling-flash-2.0",
     "{'architectures':['BailingMoeV2ForCausalLM'],'first_k_dense_replace':1,'head_dim':128,"
     "'hidden_size':4096,'intermediate_size':9216,'moe_intermediate_size':1024,"
     "'moe_router_enable_expert_bias':true,'num_attention_heads':32,'num_experts':256,"
     "'num_experts_per_tok':8,'num_hidden_layers':32,'num_key_value_heads':4,"
     "'num_shared_experts':1,'use_qk_norm':true,'use_qkv_bias':false,'vocab_size':157184}"},
    {"exaone-3.5-7.8b", "{'model_type':'exaone','hidden_size':4096,'intermediate_size':14336,"
                        "'num_attention_heads':32,'num_key_value_heads':8,'num_layers':32,"
                        "'vocab_size':102400,'tie_word_embeddings':false}"},
    {"granite-3-8b", "{'model_type':'granite','hidden_size':4096,'intermediate_size':12800,"
                     "'num_attention_heads':32,'num_key_value_heads':8,'num_hidden_layers':40,"
                     "'vocab_size':49155,'tie_word_embeddings':true}"},
    {"internlm2-20b", "{'model_type':'internlm2','hidden_size':6144,'intermediate_size':16384,"
                      "'num_attention_heads':48,'num_key_value_heads':8,'num_hidden_layers':48,"
                      "'vocab_size':92544,'bias':false}"},
    {"phi-3.5-moe", "{'model_type':'phimoe','attention_bias':true,'lm_head_bias':true,"
                    "'hidden_size':4096,'intermediate_size':6400,'num_attention_heads':32,"
                    "'num_key_value_heads':8,'num_hidden_layers':32,'num_local_experts':16,"
                    "'num_experts_per_tok':2,'sliding_window':131072,'vocab_size':32064}"},
    {"starcoder2-3b", "{'model_type':'starcoder2','hidden_size':3072,'intermediate_size':12288,"
                      "'num_attention_heads':24,'num_key_value_heads':2,'num_hidden_layers':30,"
                      "'sliding_window':4096,'use_bias':true,'vocab_size':49152}"},
    {"nemotron-4-340b", "{'model_type':'nemotron','hidden_size':18432,'intermediate_size':73728,"
                        "'num_attention_heads':96,'num_key_value_heads':8,"
                        "'num_hidden_layers':96,'vocab_size':256000}"},
    {"gpt2", "{'model_type':'gpt2','n_embd':768,'n_layer':12,'n_head':12,'n_positions':1024,"
             "'n_ctx':1024,'vocab_size':50257}"},
    {"gpt-neox-20b", "{'model_type':'gpt_neox','hidden_size':6144,'intermediate_size':24576,"
                     "'num_attention_heads':64,'num_hidden_layers':44,'vocab_size':50432,"
                     "'tie_word_embeddings':false,'max_position_embeddings':2048}"},
    {"gpt-j-6b", "{'model_type':'gptj','n_embd':4096,'n_layer':28,'n_head':16,'n_inner':null,"
                 "'n_positions':2048,'vocab_size':50400,'tie_word_embeddings':false}"},
    {"opt-125m", "{'model_type':'opt','hidden_size':768,'ffn_dim':3072,'num_attention_heads':12,"
                 "'num_hidden_layers':12,'vocab_size':50272,'word_embed_proj_dim':768,"
                 "'max_position_embeddings':2048,'do_layer_norm_before':true}"},
    {"opt-350m", "{'model_type':'opt','hidden_size':1024,'ffn_dim':4096,'num_attention_heads':16,"
                 "'num_hidden_layers':24,'vocab_size':50272,'word_embed_proj_dim':512,"
                 "'max_position_embeddings':2048,'do_layer_norm_before':false}"},
    {"bloom-176b", "{'model_type':'bloom','n_embed':14336,'n_layer':70,"
                   "'num_attention_heads':112,'vocab_size':250880,'seq_length':2048}"},
    {"mamba-2.8b", "{'model_type':'mamba','hidden_size':2560,'intermediate_size':5120,"
                   "'num_hidden_layers':64,'state_size':16,'conv_kernel':4,'expand':2,"
                   "'time_step_rank':160,'vocab_size':50280}"},
    {"falcon-mamba-7b", "{'model_type':'falcon_mamba','hidden_size':4096,"
                        "'intermediate_size':8192,'num_hidden_layers':64,'state_size':16,"
                        "'conv_kernel':4,'expand':16,'time_step_rank':256,'vocab_size':65024,"
                        "'tie_word_embeddings':false}"},
    {"codestral-mamba-7b", "{'model_type':'mamba2','hidden_size':4096,'num_hidden_layers':64,"
                           "'state_size':128,'conv_kernel':4,'n_groups':8,'num_heads':128,"
                           "'head_dim':64,'vocab_size':32768,'tie_word_embeddings':false}"},
    {"stablelm-3b-4e1t", "{'model_type':'stablelm','hidden_size':2560,'intermediate_size':6912,"
                         "'num_attention_heads':32,'num_key_value_heads':32,'num_hidden_layers':32,"
                         "'vocab_size':50304,'tie_word_embeddings':false,'use_qkv_bias':false}"},
    {"stablelm-2-1.6b", "{'model_type':'stablelm','hidden_size':2048,'intermediate_size':5632,"
                        "'num_attention_heads':32,'num_key_value_heads':32,'num_hidden_layers':24,"
                        "'vocab_size':100352,'tie_word_embeddings':false,'use_qkv_bias':true}"},
    {"stablelm-2-12b",
     "{'architectures':['StableLmForCausalLM'],'hidden_size':5120,'intermediate_size':13824,"
     "'num_attention_heads':32,'num_key_value_heads':8,'num_hidden_layers':40,"
     "'vocab_size':100352,'tie_word_embeddings':false,'use_qkv_bias':false,"
     "'qk_layernorm':true,'use_parallel_residual':true}"},
    {"minicpm-2b",
     "{'architectures':['MiniCPMForCausalLM'],'model_type':'minicpm','hidden_size':2304,"
     "'intermediate_size':5760,'max_position_embeddings':65536,'num_attention_heads':36,"
     "'num_hidden_layers':40,'num_key_value_heads':36,'vocab_size':122760,'scale_emb':12,"
     "'dim_model_base':256,'scale_depth':1.4}"},
    {"starcoder-15b",
     "{'model_type':'gpt_bigcode','attention_softmax_in_fp32':true,'multi_query':true,"
     "'n_embd':6144,'n_head':48,'n_inner':24576,'n_layer':40,'n_positions':8192,"
     "'vocab_size':49152}"},
    {"falcon-7b",
     "{'model_type':'falcon','alibi':false,'bias':false,'hidden_size':4544,'multi_query':true,"
     "'new_decoder_architecture':false,'num_attention_heads':71,'num_hidden_layers':32,"
     "'num_kv_heads':71,'parallel_attn':true,'vocab_size':65024}"},
    {"falcon-40b",
     "{'model_type':'falcon','alibi':false,'bias':false,'hidden_size':8192,"
     "'new_decoder_architecture':true,'num_attention_heads':128,'num_hidden_layers':60,"
     "'num_kv_heads':8,'parallel_attn':true,'vocab_size':65024}"},
    {"falcon-180b",
     "{'model_type':'falcon','alibi':false,'bias':false,'hidden_size':14848,"
     "'multi_query':true,'new_decoder_architecture':true,'num_attention_heads':232,"
     "'num_hidden_layers':80,'num_kv_heads':8,'parallel_attn':true,'vocab_size':65024}"},
    {"mpt-7b",
     "{'model_type':'mpt','architectures':['MPTForCausalLM'],'d_model':4096,"
     "'expansion_ratio':4,'learned_pos_emb':true,'max_seq_len':2048,'n_heads':32,"
     "'n_layers':32,'no_bias':true,'vocab_size':50432,"
     "'attn_config':{'alibi':true,'alibi_bias_max':8,'attn_type':'multihead_attention'}}"},
    {"mpt-30b",
     "{'model_type':'mpt','d_model':7168,'expansion_ratio':4,'max_seq_len':8192,'n_heads':64,"
     "'n_layers':48,'no_bias':true,'vocab_size':50432,'attn_config':{'alibi':true}}"},
    {"chatglm3-6b",
     "{'architectures':['ChatGLMModel'],'model_type':'chatglm','add_bias_linear':false,"
     "'add_qkv_bias':true,'ffn_hidden_size':13696,'hidden_size':4096,'kv_channels':128,"
     "'multi_query_attention':true,'multi_query_group_num':2,'num_attention_heads':32,"
     "'num_layers':28,'padded_vocab_size':65024,'rmsnorm':true,'seq_length':8192,"
     "'tie_word_embeddings':false}"},
    {"glm-4-9b",
     "{'model_type':'chatglm','add_bias_linear':false,'add_qkv_bias':true,"
     "'ffn_hidden_size':13696,'hidden_size':4096,'kv_channels':128,'multi_query_attention':true,"
     "'multi_query_group_num':2,'num_attention_heads':32,'num_layers':40,"
     "'padded_vocab_size':151552,'vocab_size':151552,'tie_word_embeddings':false}"},
    {"glm-4-9b", "{'model_type':'glm','attention_bias':true,'head_dim':128,'hidden_size':4096,"
                 "'intermediate_size':13696,'num_attention_heads':32,'num_hidden_layers':40,"
                 "'num_key_value_heads':2,'vocab_size':151552,'tie_word_embeddings':false}"},
    {"grok-1", "{'model_type':'grok-1','hidden_size':6144,'intermediate_size':32768,"
               "'num_attention_heads':48,'num_key_value_heads':8,'num_hidden_layers':64,"
               "'num_experts':8,'num_experts_per_tok':2,'vocab_size':131072}"},
    {"grok-2",
     "{'architectures':['Grok1ForCausalLM'],'model_type':'git','head_dim':128,"
     "'hidden_size':8192,'intermediate_size':32768,'moe_intermediate_size':16384,"
     "'num_attention_heads':64,'num_key_value_heads':8,'num_hidden_layers':64,"
     "'num_local_experts':8,'num_experts_per_tok':2,'residual_moe':true,'vocab_size':131072}"},
    {"arctic-480b", "{'model_type':'arctic','hidden_size':7168,'intermediate_size':4864,"
                    "'num_attention_heads':56,'num_key_value_heads':8,'num_hidden_layers':35,"
                    "'num_local_experts':128,'num_experts_per_tok':2,'moe_layer_frequency':1,"
                    "'parallel_attn_mlp_res':true,'use_residual':true,'vocab_size':32000}"},
    {"step-3-321b",
     "{'architectures':['Step3VLForConditionalGeneration'],'model_type':'step3_vl','text_config':{"
     "'model_type':'step3_text','hidden_size':7168,'intermediate_size':18432,"
     "'num_attention_heads':64,'num_attention_groups':1,'num_hidden_layers':61,'head_dim':256,"
     "'share_q_dim':2048,'moe_num_experts':48,'moe_top_k':3,'moe_intermediate_size':5120,"
     "'share_expert_dim':5120,'moe_layers_enum':'4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,"
     "21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,"
     "51,52,53,54,55,56,57,58,59','vocab_size':128815}}"},
    {"longcat-flash-560b",
     "{'model_type':'longcat_flash','hidden_size':6144,'ffn_hidden_size':12288,"
     "'expert_ffn_hidden_size':2048,'n_routed_experts':512,'moe_topk':12,'zero_expert_num':256,"
     "'num_layers':28,'num_attention_heads':64,'q_lora_rank':1536,'kv_lora_rank':512,"
     "'qk_nope_head_dim':128,'qk_rope_head_dim':64,'v_head_dim':128,'vocab_size':131072}"},
    {"jamba-mini", "{'model_type':'jamba','attn_layer_offset':4,'attn_layer_period':8,"
                   "'expert_layer_offset':1,'expert_layer_period':2,'hidden_size':4096,"
                   "'intermediate_size':14336,'mamba_conv_bias':true,'mamba_d_conv':4,"
                   "'mamba_d_state':16,'mamba_dt_rank':'auto','mamba_expand':2,"
                   "'num_attention_heads':32,'num_experts':16,'num_experts_per_tok':2,"
                   "'num_hidden_layers':32,'num_key_value_heads':8,'vocab_size':65536,"
                   "'tie_word_embeddings':false}"},
    {"bamba-9b", "{'model_type':'bamba','attn_layer_indices':[9,18,27],'hidden_size':4096,"
                 "'intermediate_size':14336,'mamba_d_conv':4,'mamba_d_head':64,"
                 "'mamba_d_state':128,'mamba_n_groups':1,'mamba_n_heads':128,"
                 "'num_attention_heads':32,'num_key_value_heads':8,'num_hidden_layers':32,"
                 "'vocab_size':128256,'tie_word_embeddings':false}"},
    {"lfm2-1.2b", "{'model_type':'lfm2','block_auto_adjust_ff_dim':true,'block_multiple_of':256,"
                  "'block_ffn_dim_multiplier':1.0,'conv_L_cache':3,'hidden_size':2048,"
                  "'intermediate_size':12288,'num_attention_heads':32,'num_key_value_heads':8,"
                  "'num_hidden_layers':16,'vocab_size':65536,'layer_types':['conv','conv',"
                  "'full_attention','conv','conv','full_attention','conv','conv',"
                  "'full_attention','conv','full_attention','conv','full_attention','conv',"
                  "'full_attention','conv']}"},
    {"granite-4.0-h-micro",
     "{'model_type':'granitemoehybrid','hidden_size':2048,'intermediate_size':8192,"
     "'layer_types':['mamba','mamba','mamba','mamba','mamba','attention','mamba','mamba',"
     "'mamba','mamba','mamba','mamba','mamba','mamba','mamba','attention','mamba','mamba',"
     "'mamba','mamba','mamba','mamba','mamba','mamba','mamba','attention','mamba','mamba',"
     "'mamba','mamba','mamba','mamba','mamba','mamba','mamba','attention','mamba','mamba',"
     "'mamba','mamba'],'mamba_d_conv':4,'mamba_d_head':64,'mamba_d_state':128,"
     "'mamba_n_groups':1,'mamba_n_heads':64,'num_attention_heads':32,'num_experts_per_tok':0,"
     "'num_hidden_layers':40,'num_key_value_heads':8,'num_local_experts':0,"
     "'shared_intermediate_size':8192,'tie_word_embeddings':true,'vocab_size':100352}"},
};

/* Rows write ' for ". */
static char *quoted(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = calloc(size, 1);
    assert_non_null(copy);
    for (size_t i = 0; i < size; i++) {
        copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    }
    return copy;
}

static void further_architectures_give_the_golden_figures(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(CONFIG_ROWS); i++) {
        char *text = quoted(CONFIG_ROWS[i].config);
        check_golden(CONFIG_ROWS[i].id, text);
        free(text);
    }
}

static char *read_published(const char *id)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s%s", CONFIGS, id, ENDING);
    char *text = read_file(path);
    replace_infinity(text);
    return text;
}

/* MTP parameters: the published count less the main model (and less vision and stored scales where
 * it has them), as db/records/models give them. */
static const struct mtp_row {
    const char *id;
    double layers, params;
} MTP_ROWS[] = {
    {"deepseek-v3", 1, 684489845504.0 - 671026419200.0},
    {"deepseek-v3.2", 1, 685355329792.0 - 671877944064.0},
    {"deepseek-v4-flash", 1, 290944616402.0 - 284334567511.0},
    {"deepseek-v4-pro", 1, 1598839674782.0 - 1572999528803.0},
    {"glm-5", 1, 753864139008.0 - 743911218432.0},
    {"mimo-7b", 1, 7833409536.0 - 7622619136.0},
    {"mimo-v2-flash", 0, 0}, /* the file does not count its three MTP layers */
    {"nemotron-3-super-120b-a12b", 1, 123611012096.0 + 20992 - 120668707840.0},
    {"step-3.7-flash", 3, 199384301376.0 - 196956130368.0}, /* as in Step 3.5 Flash */
    {"llama-3.1-8b", 0, 0},
};

static void mtp_layers_are_those_published(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(MTP_ROWS); i++) {
        char *text = read_published(MTP_ROWS[i].id);
        struct reading reading = read_config(text);
        if (fabs(reading.model->mtp_params - MTP_ROWS[i].params) > 0) {
            fail_msg("%s: %.0f, published %.0f", MTP_ROWS[i].id, reading.model->mtp_params,
                     MTP_ROWS[i].params);
        }
        assert_figure(reading.model->mtp_layers, MTP_ROWS[i].layers);
        arena_free(reading.arena);
        free(text);
    }
}

static const struct format_row {
    const char *id; /* a published file, or */
    const char *quantization;
    const char *format;
    bool experts_only;
    const char *expert_format;
} FORMAT_ROWS[] = {
    {.id = "llama-3.1-8b", .format = "bf16"},
    {.id = "phi-2", .format = "fp16"},
    {.id = "deepseek-v3", .format = "fp8_block"},
    {.id = "minimax-m2", .format = "fp8_block"},
    {.id = "gpt-oss-20b", .format = "mxfp4", .experts_only = true},
    {.id = "kimi-k2.5", .format = "int4", .experts_only = true},
    {.id = "kimi-k3", .format = "mxfp4", .experts_only = true},
    {.id = "deepseek-v4-flash", .format = "fp8_block", .expert_format = "mxfp4"},
    {.id = "gemma-4-31b", .format = "nvfp4"},
    {.id = "qwen3.6-35b-a3b", .format = "fp8", .expert_format = "nvfp4"},
    {.quantization = "{'quant_method':'awq','bits':4,'group_size':128}", .format = "awq"},
    {.quantization = "{'quant_method':'gptq','bits':4,'group_size':128}", .format = "gptq"},
    {.quantization = "{'quant_method':'gptq','bits':8}", .format = "int8"},
    {.quantization = "{'quant_method':'bitsandbytes','load_in_4bit':true}", .format = "nf4"},
    {.quantization = "{'quant_method':'bitsandbytes','load_in_8bit':true}", .format = "int8"},
    {.quantization = "{'quant_method':'modelopt','quant_algo':'NVFP4'}", .format = "nvfp4"},
    {.quantization = "{'quant_method':'modelopt','quant_algo':'FP8'}", .format = "fp8"},
    {.quantization = "{'quant_method':'fp8','activation_scheme':'static'}", .format = "fp8"},
    {.quantization = "{'quant_method':'compressed-tensors','config_groups':{'group_0':"
                     "{'weights':{'num_bits':8,'type':'int'}}}}",
     .format = "int8"},
    {.quantization = "null", .format = "bf16"},
};

#define SMALL                                                                                      \
    "'model_type':'llama','hidden_size':64,'num_hidden_layers':2,'num_attention_heads':4,"         \
    "'intermediate_size':128,'vocab_size':100"

static void native_formats_are_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(FORMAT_ROWS); i++) {
        const struct format_row *row = &FORMAT_ROWS[i];
        char config[1024];
        char *text = NULL;
        if (row->id != NULL) {
            text = read_published(row->id);
        } else {
            snprintf(config, sizeof(config), "{" SMALL ",'quantization_config':%s}",
                     row->quantization);
            text = quoted(config);
        }
        struct reading reading = read_config(text);
        assert_non_null(reading.model);
        assert_string_equal(reading.model->native_format, row->format);
        assert_int_equal(reading.model->native_experts_only, row->experts_only);
        if (row->expert_format == NULL) {
            assert_null(reading.model->native_expert_format);
        } else {
            assert_string_equal(reading.model->native_expert_format, row->expert_format);
        }
        arena_free(reading.arena);
        free(text);
    }
}

/* One faulty input, the fault that must be among those found. */
static const struct fault_row {
    const char *config, *pointer, *detail, *suggestion;
} FAULT_ROWS[] = {
    {"[]", "", "must be the object", NULL},
    {"{}", "/model_type", "must name the architecture", NULL},
    {"{'model_type':'lama'}", "/model_type", "'lama' is not an architecture", "llama"},
    {"{'model_type':'t5'}", "/model_type", "'t5' is not an architecture", NULL},
    {"{'architectures':['LamaForCausalLM']}", "/architectures/0", "not an architecture",
     "LlamaForCausalLM"},
    {"{'model_type':7}", "/model_type", "must name", NULL},
    {"{'model_type':'llama'}", "/hidden_size", "is required", NULL},
    {"{'model_type':'llama'}", "/num_hidden_layers", "is required", NULL},
    {"{'model_type':'llama'}", "/num_attention_heads", "is required", NULL},
    {"{'model_type':'llama'}", "/vocab_size", "is required", NULL},
    {"{" SMALL ",'hidden_size':64,'num_key_value_heads':8}", "/num_key_value_heads",
     "must not exceed", NULL},
    {"{'model_type':'llama','hidden_size':-5}", "/hidden_size", "must be a whole number from 0",
     NULL},
    {"{'model_type':'llama','hidden_size':1e400}", "/hidden_size", "must be a whole number", NULL},
    {"{'model_type':'llama','hidden_size':0}", "/hidden_size", "at least 1", NULL},
    {"{'model_type':'llama','hidden_size':10.5}", "/hidden_size", "whole number", NULL},
    {"{'model_type':'llama','hidden_size':'64'}", "/hidden_size", "must be a whole number", NULL},
    {"{'model_type':'llama','num_hidden_layers':10001}", "/num_hidden_layers", "from 0 to 10000",
     NULL},
    {"{" SMALL ",'attention_bias':1}", "/attention_bias", "must be true or false", NULL},
    {"{" SMALL ",'layer_types':['full_attention']}", "/layer_types", "fewer entries", NULL},
    {"{" SMALL ",'layer_types':['full_attention','x']}", "/layer_types", "not known", NULL},
    {"{" SMALL ",'quantization_config':{'quant_method':'magic'}}",
     "/quantization_config/quant_method", "'magic' is not a quantisation", NULL},
    {"{'model_type':'llama','hidden_size':64,'num_hidden_layers':2,'num_attention_heads':4,"
     "'vocab_size':100}",
     "/intermediate_size", "is required", NULL},
    {"{'model_type':'llama','hidden_size':2,'num_hidden_layers':2,'num_attention_heads':4,"
     "'vocab_size':100,'intermediate_size':8}",
     "/head_dim", "the hidden width over the attention heads", NULL},
    {"{'model_type':'qwen3_vl','text_config':{'hidden_size':8}}", "/text_config/vocab_size",
     "is required", NULL},
    {"{'model_type':'mixtral','num_local_experts':8,'num_experts_per_tok':9,'hidden_size':64,"
     "'num_hidden_layers':2,'num_attention_heads':4,'intermediate_size':128,'vocab_size':100}",
     "/num_experts_per_tok", "must not exceed", NULL},
    {"{'model_type':'mllama','hidden_size':64,'num_hidden_layers':2,'num_attention_heads':4,"
     "'intermediate_size':128,'vocab_size':100,'cross_attention_layers':[2]}",
     "/cross_attention_layers", "does not have", NULL},
    {"{'model_type':'nemotron_h','hidden_size':64,'num_hidden_layers':2,'num_attention_heads':4,"
     "'vocab_size':100,'hybrid_override_pattern':'MX'}",
     "/hybrid_override_pattern", "not known", NULL},
};

/* Everything that is wrong is said at once, each at the name that the file uses, each once. */
static const struct {
    const char *config, *pointers;
} ALL_FAULTS[] = {
    {"{'model_type':'llama'}", "/hidden_size /vocab_size /num_hidden_layers /num_attention_heads"},
    {"{'model_type':'gpt2','n_embd':-1,'n_layer':2,'n_head':'x','vocab_size':0.5}",
     "/n_embd /vocab_size /n_head"},
    {"{'model_type':'deepseek_v3','hidden_size':64,'vocab_size':0,'num_hidden_layers':2,"
     "'num_attention_heads':4,'intermediate_size':8,'moe_intermediate_size':8,"
     "'n_routed_experts':4,'num_experts_per_tok':5,'q_lora_rank':-1}",
     "/vocab_size /num_experts_per_tok /q_lora_rank /kv_lora_rank /qk_nope_head_dim "
     "/qk_rope_head_dim /v_head_dim"},
    {"{'model_type':'jamba','hidden_size':64,'vocab_size':9,'num_hidden_layers':2,"
     "'num_attention_heads':4,'num_key_value_heads':8,'intermediate_size':8,'num_experts':4,"
     "'num_experts_per_tok':2,'expert_layer_period':0}",
     "/num_key_value_heads /expert_layer_period /attn_layer_period"},
    {"{'model_type':'qwen3_vl','text_config':{'n_embd':8,'n_head':16,'n_layer':1,"
     "'intermediate_size':1e300}}",
     "/text_config/vocab_size /text_config/head_dim /text_config/intermediate_size"},
    {"{'model_type':'nemotron-nas','hidden_size':64,'vocab_size':100,'num_hidden_layers':1,"
     "'block_configs':[{'attention':{'n_heads_in_group':4},'ffn':{'intermediate_size':8}}]}",
     "/num_attention_heads"},
};

static void faults_come_in_one_round(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ALL_FAULTS); i++) {
        char *text = quoted(ALL_FAULTS[i].config);
        struct reading reading = read_config(text);
        char pointers[1024] = "";
        size_t length = 0;
        for (int j = 0; j < reading.faults.n; j++) {
            length += (size_t)snprintf(
                pointers + length, sizeof(pointers) - length, "%s%s", j > 0 ? " " : "",
                reading.faults.items[j].pointer + strlen("/model/hf_config"));
        }
        if (strcmp(pointers, ALL_FAULTS[i].pointers) != 0) {
            fail_msg("%s\n  faults at %s\n  expected %s", text, pointers, ALL_FAULTS[i].pointers);
        }
        arena_free(reading.arena);
        free(text);
    }
}

static bool found(const struct faults *faults, const struct fault_row *row)
{
    char pointer[256];
    snprintf(pointer, sizeof(pointer), "/model/hf_config%s", row->pointer);
    for (int i = 0; i < faults->n; i++) {
        const struct fault *fault = &faults->items[i];
        bool same_suggestion =
            row->suggestion == NULL
                ? fault->suggestion == NULL
                : fault->suggestion != NULL && strcmp(fault->suggestion, row->suggestion) == 0;
        if (strcmp(fault->pointer, pointer) == 0 && strstr(fault->detail, row->detail) != NULL &&
            same_suggestion) {
            return true;
        }
    }
    return false;
}

static void faults_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(FAULT_ROWS); i++) {
        char *text = quoted(FAULT_ROWS[i].config);
        struct reading reading = read_config(text);
        assert_null(reading.model);
        if (!found(&reading.faults, &FAULT_ROWS[i])) {
            fail_msg("%s: first fault %s %s", text, reading.faults.items[0].pointer,
                     reading.faults.items[0].detail);
        }
        arena_free(reading.arena);
        free(text);
    }
}

/* 65 layers of 65 widths are more shapes than a model may have. */
static void too_many_shapes_are_refused(void **state)
{
    (void)state;
    char *text = calloc(1, 16384);
    assert_non_null(text);
    int n = snprintf(text, 16384,
                     "{\"model_type\":\"nemotron-nas\",\"hidden_size\":64,\"vocab_size\":100,"
                     "\"num_attention_heads\":4,\"num_hidden_layers\":65,\"block_configs\":[");
    for (int i = 0; i < 65; i++) {
        n += snprintf(text + n, (size_t)(16384 - n),
                      "%s{\"attention\":{\"n_heads_in_group\":4},"
                      "\"ffn\":{\"intermediate_size\":%d}}",
                      i > 0 ? "," : "", i + 1);
    }
    snprintf(text + n, (size_t)(16384 - n), "]}");
    struct reading reading = read_config(text);
    assert_null(reading.model);
    assert_non_null(strstr(reading.faults.items[0].detail, "more than 64 different shapes"));
    arena_free(reading.arena);
    free(text);
}

/* An arena that is full is a fault, not a crash. */
static void a_full_arena_is_a_fault(void **state)
{
    (void)state;
    char *text = read_published("deepseek-v3");
    cJSON *config = cJSON_Parse(text);
    for (size_t size = 512; size < 400000; size *= 2) {
        struct arena *arena = arena_new(size);
        struct faults faults;
        struct model *model = NULL;
        assert_non_null(arena);
        faults_init(&faults, arena);
        bool went = hf_config_model(config, arena, &faults, "", &model);
        assert_true(went ? model != NULL : faults.n > 0);
        arena_free(arena);
    }
    cJSON_Delete(config);
    free(text);
}

/* What a value is replaced with: each is wrong for most fields and absurd for some. */
static const char *const ABSURD[] = {"null",  "-1",    "0",  "0.5",   "3",    "1e7", "1e15",
                                     "1e308", "\"x\"", "[]", "[1,2]", "[[]]", "{}",  "true"};

static void try_absurd(struct arena *arena, const cJSON *config, cJSON *object, const char *name,
                       const char *value)
{
    cJSON *kept = cJSON_DetachItemFromObjectCaseSensitive(object, name);
    cJSON_AddItemToObject(object, name, cJSON_Parse(value));
    arena_reset(arena);
    struct faults faults;
    struct model *model = NULL;
    faults_init(&faults, arena);
    if (hf_config_model(config, arena, &faults, "", &model)) {
        assert_true(isfinite(model->params_total) && model->params_total > 0);
        assert_true(isfinite(model->kv_bytes_per_token) && model->kv_bytes_per_token >= 0);
        assert_true(isfinite(model->state_bytes_per_sequence));
        assert_true(model->params_active <= model->params_total);
    } else if (faults.n == 0) {
        fail_msg("%s = %s is refused without a fault", name, value);
    }
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    cJSON_AddItemToObject(object, name, kept);
}

static void try_object(struct arena *arena, const cJSON *config, cJSON *object)
{
    /* Replacing moves a member to the end: names are taken first. */
    const char *names[256];
    int n = 0;
    for (const cJSON *item = object->child; item != NULL && n < 256; item = item->next) {
        names[n++] = item->string;
    }
    for (int i = 0; i < n; i++) {
        char name[128];
        snprintf(name, sizeof(name), "%s", names[i]);
        for (size_t a = 0; a < ARRAY_LEN(ABSURD); a++) {
            try_absurd(arena, config, object, name, ABSURD[a]);
        }
        cJSON *inner = cJSON_GetObjectItemCaseSensitive(object, name);
        names[i] = inner->string;
        if (cJSON_IsObject(inner)) {
            try_object(arena, config, inner);
        }
    }
}

static void no_absurd_value_crashes_or_passes_silently(void **state)
{
    (void)state;
    const char *const ids[] = {
        "llama-3.1-8b",
        "deepseek-v3.2",
        "deepseek-v4-flash",
        "gemma-4-26b-a4b",
        "kimi-k3",
        "mimo-v2-flash",
        "minimax-m1",
        "minimax-m3",
        "falcon-h1-34b",
        "hunyuan-a13b",
        "dbrx-132b",
        "qwen3.5-35b-a3b",
        "step-3.7-flash",
        "llama-4-scout",
        "nemotron-h-56b",
        "llama-3.2-90b-vision",
        "gpt-oss-20b",
        "exaone-4.0-32b",
        "nemotron-3-super-120b-a12b",
        "llama-3.3-nemotron-super-49b",
    };
    struct arena *arena = arena_new(ARENA_MAX);
    assert_non_null(arena);
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        char *text = read_published(ids[i]);
        cJSON *config = cJSON_Parse(text);
        assert_non_null(config);
        try_object(arena, config, config);
        cJSON_Delete(config);
        free(text);
    }
    for (size_t i = 0; i < ARRAY_LEN(CONFIG_ROWS); i++) {
        char *text = quoted(CONFIG_ROWS[i].config);
        cJSON *config = cJSON_Parse(text);
        assert_non_null(config);
        try_object(arena, config, config);
        cJSON_Delete(config);
        free(text);
    }
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_files_give_the_golden_figures),
        cmocka_unit_test(further_architectures_give_the_golden_figures),
        cmocka_unit_test(mtp_layers_are_those_published),
        cmocka_unit_test(native_formats_are_understood),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(faults_come_in_one_round),
        cmocka_unit_test(too_many_shapes_are_refused),
        cmocka_unit_test(a_full_arena_is_a_fault),
        cmocka_unit_test(no_absurd_value_crashes_or_passes_silently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
