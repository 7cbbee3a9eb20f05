/*
 * hf_config_rows.h - configurations of models by the fields that decide their geometry, with the
 * golden row (tests/golden/models.tsv) that each must give; ' stands for ".
 */
#ifndef REGIME_HF_CONFIG_ROWS_H
#define REGIME_HF_CONFIG_ROWS_H

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

#endif
