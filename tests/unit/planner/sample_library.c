#include "sample_library.h"

struct memory_constant sample_constant(enum memory_constant_id id, double value)
{
    return (struct memory_constant){.id = "sample",
                                    .engine = MEMORY_VLLM,
                                    .constant = id,
                                    .class = HW_CLASS_COUNT,
                                    .fabric = -1,
                                    .tp_min = (double)NAN,
                                    .tp_max = (double)NAN,
                                    .pp_min = (double)NAN,
                                    .pp_max = (double)NAN,
                                    .value = value,
                                    .low = value,
                                    .high = value,
                                    .basis = BASIS_CALIBRATED};
}

void sample_memory_add(struct sample *s, struct memory_constant row)
{
    int n = s->memory_constants.n;
    row.position = n;
    s->memory_rows[n] = row;
    s->memory_constants.rows = s->memory_rows;
    s->memory_constants.n = n + 1;
    qsort(s->memory_rows, (size_t)n + 1, sizeof(row), memory_constant_order);
    memory_constants_index(&s->memory_constants);
    s->lib.memory_constants = &s->memory_constants;
}

void sample_memory_set(struct sample *s, enum memory_constant_id id, double value)
{
    for (int i = 0; i < s->memory_constants.n; i++)
        if (s->memory_rows[i].constant == id)
            s->memory_rows[i].value = s->memory_rows[i].low = s->memory_rows[i].high = value;
}

/* Constants as the records have them for current versions; captured graphs are left out. */
static void sample_memory(struct sample *s)
{
    static const struct {
        enum memory_constant_id constant;
        double tp_min, value;
    } ROWS[] = {
        {RULE_FORWARD_FFN_COPIES, 1, 3},
        {RULE_FORWARD_HIDDEN_COPIES, 1, 6.5},
        {RULE_SAMPLER_BYTES, 1, 14.85},
        {RULE_NON_TORCH, 2, 2.1 * BYTES_PER_GIB},
        {RULE_NON_TORCH, 1, 0.25 * BYTES_PER_GIB},
        {RULE_HYBRID_GROUPS, 1, 1},
        {RULE_GROUP_SPREAD, 1, 1.5},
        {RULE_CHUNKED_AS_FULL, 1, 1},
        {RULE_LOOKAHEAD_STEPS, 1, 2},
        {RULE_TOKENS_BY_CONCURRENCY, 1, 1},
        {RULE_STATE_SPARE_SLOTS, 1, 1},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct memory_constant row = sample_constant(ROWS[i].constant, ROWS[i].value);
        row.tp_min = ROWS[i].tp_min;
        sample_memory_add(s, row);
    }
}

static void sample_dense(struct sample *s, int index, const char *id, double hidden, double layers,
                         double heads, double kv_heads, double head_dim, double ffn, double vocab,
                         bool tied, bool qkv_bias)
{
    struct layer_group *group = &s->groups[index][0];
    *group = (struct layer_group){
        .count = layers, .n_mixers = 1, .n_ffns = 1, .norm_params = 2 * hidden};
    group->mixers[0] = (struct mixer){.kind = MIXER_FULL,
                                      .n_heads = heads,
                                      .n_kv_heads = kv_heads,
                                      .k_dim = head_dim,
                                      .v_dim = head_dim,
                                      .has_kv_projection = true,
                                      .qkv_bias = qkv_bias};
    group->ffns[0] = (struct ffn){.kind = FFN_DENSE, .matrices = 3, .width = ffn};
    s->models[index] = (struct model){.id = id,
                                      .name = id,
                                      .hidden = hidden,
                                      .vocab = vocab,
                                      .tied_embedding = tied,
                                      .final_norm_params = hidden,
                                      .max_positions = 131072,
                                      .native_dtype = DTYPE_BF16,
                                      .native_format = "bf16",
                                      .state_bytes_per_element = 4,
                                      .groups = group,
                                      .n_groups = 1};
}

/* DeepSeek-V3: 3 dense and 58 MoE layers, MLA 512 + 64, 256 experts of width 2,048, top 8, one
 * shared. */
static void sample_deepseek(struct sample *s)
{
    struct layer_group *groups = s->groups[SAMPLE_DEEPSEEK_V3];
    struct mixer mla = {.kind = MIXER_MLA,
                        .n_heads = 128,
                        .n_kv_heads = 128,
                        .q_lora_rank = 1536,
                        .kv_lora_rank = 512,
                        .rope_dim = 64,
                        .nope_dim = 128,
                        .k_dim = 192,
                        .v_dim = 128};
    groups[0] =
        (struct layer_group){.count = 3, .n_mixers = 1, .n_ffns = 1, .norm_params = 2 * 7168};
    groups[0].mixers[0] = mla;
    groups[0].ffns[0] = (struct ffn){.kind = FFN_DENSE, .matrices = 3, .width = 18432};
    groups[1] =
        (struct layer_group){.count = 58, .n_mixers = 1, .n_ffns = 1, .norm_params = 2 * 7168};
    groups[1].mixers[0] = mla;
    groups[1].ffns[0] = (struct ffn){.kind = FFN_MOE,
                                     .matrices = 3,
                                     .n_experts = 256,
                                     .top_k = 8,
                                     .expert_width = 2048,
                                     .shared_width = 2048,
                                     .router_bias = true};
    s->models[SAMPLE_DEEPSEEK_V3] = (struct model){.id = "deepseek-v3",
                                                   .name = "DeepSeek V3",
                                                   .hidden = 7168,
                                                   .vocab = 129280,
                                                   .final_norm_params = 7168,
                                                   .max_positions = 163840,
                                                   .native_dtype = DTYPE_BF16,
                                                   .native_format = "fp8_block",
                                                   .state_bytes_per_element = 4,
                                                   .groups = groups,
                                                   .n_groups = 2};
}

struct hardware sample_part(int index, const char *id, double gib, double gbps, double bf16,
                            double link_gbps, double domain)
{
    struct hardware hw = {
        .id = id, .name = id, .vendor = "nvidia", .class = HW_DATACENTER, .index = index};
    hw.memory_bytes = gib * BYTES_PER_GIB;
    hw.bw_bytes_us = gbps * BYTES_PER_US_PER_GBPS;
    hw.peak_flops_us[DTYPE_BF16] = bf16 * FLOPS_PER_US_PER_TFLOPS;
    hw.peak_flops_us[DTYPE_FP16] = bf16 * FLOPS_PER_US_PER_TFLOPS;
    hw.peak_flops_us[DTYPE_FP8] = 2 * bf16 * FLOPS_PER_US_PER_TFLOPS;
    hw.peak_flops_us[DTYPE_INT8] = 2 * bf16 * FLOPS_PER_US_PER_TFLOPS;
    hw.link_is_fabric = domain > 1;
    hw.link_bytes_us = link_gbps * BYTES_PER_US_PER_GBPS;
    hw.link_domain = domain;
    hw.host_bytes_us = 63 / 2.0 * 2 * BYTES_PER_US_PER_GBPS;
    return hw;
}

static void sample_format(struct sample *s, int index, const char *id, double bytes,
                          enum dtype compute, bool weight_only, enum fit_dtype gemm)
{
    struct weight_format *format = &s->weights[index];
    *format = (struct weight_format){.id = id, .title = id, .index = index, .compute = compute};
    for (int role = 0; role < ROLE_COUNT; role++)
        format->bytes[role] = 2;
    format->bytes[ROLE_ATTENTION] = format->bytes[ROLE_DENSE_FFN] = bytes;
    format->bytes[ROLE_SHARED_EXPERT] = format->bytes[ROLE_EXPERT] = bytes;
    format->weight_only = weight_only;
    format->activation_bytes = bytes < 2 && !weight_only ? 1 : 2;
    format->is_quantized = bytes < 2;
    format->gemm_fits[0] = gemm;
    format->gemm_fits[1] = format->gemm_fits[2] = FIT_DTYPE_COUNT;
    format->moe_fits[0] = gemm;
    format->moe_fits[1] = format->moe_fits[2] = format->moe_fits[3] = FIT_DTYPE_COUNT;
}

static void sample_fit(struct sample *s, int hardware, enum fit_op op, enum fit_dtype dtype,
                       double e_m, double e_c, double t0_us, double q)
{
    s->fits[s->lib.n_op_fits++] = (struct op_fit){.id = s->lib.n_op_fits + 1,
                                                  .hardware = hardware,
                                                  .engine = SAMPLE_VLLM,
                                                  .version = {0, 24, 0},
                                                  .op = op,
                                                  .dtype = dtype,
                                                  .e_m = e_m,
                                                  .e_c = e_c,
                                                  .t0_us = t0_us,
                                                  .q = q,
                                                  .n = 1000,
                                                  .median_abs_err = 0.1};
}

static void sample_engines(struct sample *s)
{
    struct engine *vllm = &s->engines[SAMPLE_VLLM];
    *vllm = (struct engine){
        .id = "vllm", .title = "vLLM", .index = SAMPLE_VLLM, .memory_rule = MEMORY_VLLM};
    vllm->python_control_plane = true;
    struct engine *llama = &s->engines[SAMPLE_LLAMACPP];
    *llama = (struct engine){.id = "llama.cpp", .title = "llama.cpp", .index = SAMPLE_LLAMACPP};
    llama->memory_rule = MEMORY_LLAMACPP;
    llama->static_slots = true;
    for (int i = 0; i < HOST_COST_COUNT; i++)
        vllm->host[i] = llama->host[i] = (struct host_constant){.basis = "assumed"};
    /* 907 + 572 ms over 626 steps of 256 sequences: 2.36 ms, 150 us of it fixed. */
    vllm->host[HOST_SCHEDULER_US].value = 150;
    vllm->host[HOST_SCHEDULER_US_PER_SEQ].value = 8.65;
    vllm->host[HOST_PENALTY_NS_PER_ELEMENT].value = 52;
    vllm->host[HOST_ISSUE_US].value = 10;
    vllm->host[HOST_GRAPH_LAUNCH_US].value = 10;
    vllm->host[HOST_NATIVE_FACTOR].value = 0.5;
    vllm->host[HOST_KAPPA].value = llama->host[HOST_KAPPA].value = 0.7;
    vllm->host[HOST_MODULE_KAPPA].value = llama->host[HOST_MODULE_KAPPA].value = 1;
    vllm->host[HOST_PREFILL_FACTOR].value = llama->host[HOST_PREFILL_FACTOR].value = 1;
    vllm->host[HOST_SMALL_US_PER_LAYER].value = llama->host[HOST_SMALL_US_PER_LAYER].value = 15;
    vllm->host[HOST_GATING_US_PER_LAYER].value = 20;
    vllm->host[HOST_SAMPLER_NS_PER_LOGIT].value = 2.84;
    /* llama-server with 32 slots: 13.8 ms / 32 rows / 152,064 entries; 0.30 ms a slot. */
    llama->host[HOST_SAMPLER_NS_PER_LOGIT] =
        (struct host_constant){2.84, "derived", "llamacpp-27050"};
    llama->host[HOST_SERVER_LOOP_US_PER_SEQ].value = 300;
}

static void sample_local(struct sample *s, enum local_constant constant, int engine, int family,
                         int format, int part, double value)
{
    s->locals[s->lib.n_local_fits++] =
        (struct local_fit){.record = "local-sample",
                           .constant = constant,
                           .scope = {BACKEND_CUDA, engine, family, format, part},
                           .value = value,
                           .n = 10,
                           .median_abs_err = 0.1,
                           .p90_abs_err = 0.2};
}

void sample_locals(struct sample *s)
{
    int engine = SAMPLE_LLAMACPP, any = LOCAL_ANY, family = FAMILY_BLACKWELL_C;
    sample_local(s, LOCAL_F_W, engine, any, any, any, 0.91);
    sample_local(s, LOCAL_F_W, engine, any, LOCAL_F16, any, 0.95);
    sample_local(s, LOCAL_F_W, engine, family, any, any, 0.92);
    sample_local(s, LOCAL_F_W, engine, family, LOCAL_K456, any, 0.88);
    sample_local(s, LOCAL_PART_MULT, engine, family, any, SAMPLE_RTX5090, 1.02);
    sample_local(s, LOCAL_UNPACK, engine, any, LOCAL_F16, any, 10.0);
    sample_local(s, LOCAL_UNPACK, engine, family, LOCAL_K456, any, 6.0);
    sample_local(s, LOCAL_ROW_MULT, any, any, any, any, 0.0146);
    sample_local(s, LOCAL_F_KV, engine, family, any, any, 0.475);
    sample_local(s, LOCAL_F_KV_NO_FA, any, any, any, any, 0.879);
    sample_local(s, LOCAL_LAYER_US, engine, family, any, any, 39.6);
    sample_local(s, LOCAL_MOE_US, engine, family, any, any, 45.6);
    sample_local(s, LOCAL_STEP_US, engine, any, any, any, 95.0);
    sample_local(s, LOCAL_E, engine, any, LOCAL_F16, any, 0.58);
    sample_local(s, LOCAL_E, engine, family, any, any, 0.59);
    sample_local(s, LOCAL_PAD, any, any, any, any, 0.58);
    sample_local(s, LOCAL_READ, any, any, any, any, 1.2);
    sample_local(s, LOCAL_E_ATTN, engine, family, any, any, 0.3);
    sample_local(s, LOCAL_E_ATTN_NO_FA, any, any, any, any, 0.57);
    sample_local(s, LOCAL_CHUNK_LAYER_US, any, any, any, any, 29.2);
    sample_local(s, LOCAL_PROMPT_MS, any, any, any, any, 1.3);
    local_fits_sort(s->locals, s->lib.n_local_fits);
    s->lib.local_fits = s->locals;
}

static void sample_tables(struct sample *s)
{
    s->hardware[SAMPLE_H100] = sample_part(SAMPLE_H100, "h100-sxm", 79.19, 3350, 989.5, 450, 8);
    s->hardware[SAMPLE_H200] = sample_part(SAMPLE_H200, "h200-sxm", 139.8, 4800, 989.5, 450, 8);
    s->hardware[SAMPLE_RTX5090] =
        sample_part(SAMPLE_RTX5090, "rtx-5090", 31.36, 1792, 209.5, 63, 1);
    /* A GeForce halves fp16 where sums are kept in fp32, int8 not. */
    s->hardware[SAMPLE_RTX5090].arch = "blackwell";
    s->hardware[SAMPLE_RTX5090].class = HW_CONSUMER;
    s->hardware[SAMPLE_RTX5090].peak_flops_us[DTYPE_INT8] = 838 * FLOPS_PER_US_PER_TFLOPS;
    sample_format(s, SAMPLE_BF16, "bf16", 2, DTYPE_BF16, false, FIT_BF16);
    sample_format(s, SAMPLE_FP8, "fp8", 1, DTYPE_FP8, false, FIT_FP8);
    sample_format(s, SAMPLE_FP8_BLOCK, "fp8_block", 1 + 4.0 / (128 * 128), DTYPE_FP8, false,
                  FIT_FP8_BLOCK);
    sample_format(s, SAMPLE_AWQ, "awq", 0.5 + 2.5 / 128, DTYPE_BF16, true, FIT_INT4_WO);
    sample_format(s, SAMPLE_Q8_0, "q8_0", 34.0 / 32, DTYPE_INT8, false, FIT_INT8_WO);
    sample_format(s, SAMPLE_Q4, "q4_k_m", 4.9 / 8, DTYPE_INT8, false, FIT_INT4_WO);
    s->weights[SAMPLE_Q8_0].gguf = s->weights[SAMPLE_Q4].gguf = true;
    s->kv[0] =
        (struct kv_format){"bf16", "bf16", 0, 2, DTYPE_BF16, {FIT_KV_BF16, FIT_DTYPE_COUNT}, 0};
    s->kv[1] = (struct kv_format){"fp8", "fp8", 1, 1, DTYPE_FP8, {FIT_KV_FP8, FIT_DTYPE_COUNT}, 0};
    s->kv[2] = (struct kv_format){
        "q8_0", "q8_0", 2, 34.0 / 32, DTYPE_INT8, {FIT_DTYPE_COUNT, FIT_DTYPE_COUNT}, 0};
    /* Rows of the bundled fits: vLLM 0.24.0; the MLA and fp8_block GEMM rows are SGLang's there. */
    for (int hw = SAMPLE_H100; hw <= SAMPLE_H200; hw++) {
        sample_fit(s, hw, FIT_GEMM, FIT_BF16, 0.862, 0.813, 3.45, 2.49);
        sample_fit(s, hw, FIT_GEMM, FIT_FP8, 0.895, 0.503, 7.36, 1.0);
        sample_fit(s, hw, FIT_GEMM, FIT_FP8_BLOCK, 0.859, 0.665, 5.62, 1.0);
        sample_fit(s, hw, FIT_MOE_SKEW_101, FIT_FP8_BLOCK, 0.968, 0.19, 43.02, 1.19);
        sample_fit(s, hw, FIT_DECODE_ATTENTION, FIT_KV_BF16, 0.78, 1.0, 12.72, 10.02);
        sample_fit(s, hw, FIT_PREFILL_ATTENTION, FIT_KV_BF16, 0.36, 0.626, 13.29, 1.0);
        sample_fit(s, hw, FIT_DECODE_MLA, FIT_KV_BF16, 0.816, 0.833, 13.69, 2.23);
        sample_fit(s, hw, FIT_PREFILL_MLA, FIT_KV_BF16, 0.374, 0.183, 12.75, 1.07);
    }
    qsort(s->fits, (size_t)s->lib.n_op_fits, sizeof(s->fits[0]), fit_order);
}

struct sample *sample_new(void)
{
    struct sample *s = calloc(1, sizeof(*s));
    if (s == NULL)
        abort();
    sample_dense(s, SAMPLE_LLAMA_8B, "llama-3.1-8b", 4096, 32, 32, 8, 128, 14336, 128256, false,
                 false);
    sample_dense(s, SAMPLE_LLAMA_70B, "llama-3.1-70b", 8192, 80, 64, 8, 128, 28672, 128256, false,
                 false);
    sample_dense(s, SAMPLE_QWEN25_7B, "qwen2.5-7b", 3584, 28, 28, 4, 128, 18944, 152064, false,
                 true);
    sample_dense(s, SAMPLE_QWEN3_06B, "qwen3-0.6b", 1024, 28, 16, 8, 128, 3072, 151936, true,
                 false);
    sample_dense(s, SAMPLE_LLAMA2_7B, "llama-2-7b", 4096, 32, 32, 32, 128, 11008, 32000, false,
                 false);
    sample_deepseek(s);
    sample_tables(s);
    sample_engines(s);
    sample_locals(s);
    for (int i = 0; i < SAMPLE_MODELS; i++) {
        struct model_fault fault = {0};
        if (!model_derive(&s->models[i], &fault))
            abort();
    }
    s->lib.models = s->models;
    s->lib.n_models = SAMPLE_MODELS;
    s->lib.hardware = s->hardware;
    s->lib.n_hardware = SAMPLE_HARDWARE;
    s->lib.engines = s->engines;
    s->lib.n_engines = SAMPLE_ENGINES;
    s->lib.weight_formats = s->weights;
    s->lib.n_weight_formats = SAMPLE_FORMATS;
    s->lib.kv_formats = s->kv;
    s->lib.n_kv_formats = 3;
    s->lib.op_fits = s->fits;
    s->lib.comm_fits = s->comms;
    sample_memory(s);
    return s;
}

struct problem sample_problem(const struct sample *s, int model, int hardware)
{
    struct problem problem = {
        .lib = &s->lib, .model = &s->models[model], .hw = &s->hardware[hardware]};
    problem.dep = (struct deployment){.engine = &s->engines[SAMPLE_VLLM],
                                      .version = {0, 24, 0},
                                      .weights = &s->weights[SAMPLE_BF16],
                                      .kv_cache = &s->kv[0],
                                      .tp = 1,
                                      .pp = 1,
                                      .dp = 1,
                                      .ep = 1,
                                      .replicas = 1,
                                      .cuda_graphs = true,
                                      .async_scheduling = true,
                                      .prefix_caching = true,
                                      .chunked_prefill_tokens = 8192,
                                      .max_num_seqs = 1024,
                                      .max_model_len = 131072,
                                      .memory_utilization = 0.9,
                                      .block_size = 16,
                                      .stream_interval = 1,
                                      .receive_interval = 1,
                                      .reserve_output_share = 0.55,
                                      .host_cpu_factor = 1,
                                      .http_threads_factor = 1,
                                      .flash_attention = true,
                                      .gpu_layers = (double)NAN,
                                      .spec_acceptance = 0.7};
    problem.load = (struct workload){.concurrency = 1, .input_tokens = 1024, .output_tokens = 256};
    problem.load.request_rate = problem.load.requests = (double)NAN;
    problem.load.length_range_ratio = 1;
    problem.slo.ttft_ms = problem.slo.tpot_ms = problem.slo.output_tok_s = (double)NAN;
    return problem;
}

struct problem sample_llama_server(const struct sample *s, int model, int hardware, double slots)
{
    struct problem problem = sample_problem(s, model, hardware);
    problem.dep.engine = &s->engines[SAMPLE_LLAMACPP];
    problem.dep.sampler = SAMPLER_HOST;
    problem.dep.async_scheduling = false;
    problem.dep.max_num_seqs = slots;
    problem.dep.max_model_len = 1024;
    problem.dep.block_size = 1;
    problem.load.concurrency = slots;
    return problem;
}
