/*
 * fields.c - the table of a plan request's fields.
 *
 * A new field is a row here, its id in fields.h and its place in struct plan_request.
 */
#include "fields.h"

#include "asked.h"
#include "defaults.h"
#include "plan_request.h"
#include "units.h"

#define TOKENS_MAX ASKED_TOKENS_MAX
#define RANKS_MAX ASKED_RANKS_MAX
#define GBPS_MAX ASKED_GBPS_MAX
#define BYTES_MAX 1e15

/* Enums are read and written as int. */
_Static_assert(sizeof(enum sampler_place) == sizeof(int), "an enum is as wide as an int");
_Static_assert(sizeof(enum speculative_method) == sizeof(int), "an enum is as wide as an int");

static const struct field_name SAMPLERS[] = {
    {"device", SAMPLER_DEVICE}, {"host", SAMPLER_HOST}, {NULL, 0}};

static const struct field_name PRIMINGS[] = {
    {"bounded", PRIMING_BOUNDED}, {"full", PRIMING_FULL}, {NULL, 0}};

static const struct field_name CONTROL_PLANES[] = {
    {"python", CONTROL_PYTHON}, {"native", CONTROL_NATIVE}, {NULL, 0}};

static const struct field_name PREDICATES[] = {{"none", PREDICATE_NONE},
                                               {"bounded", PREDICATE_BOUNDED},
                                               {"full_scan", PREDICATE_FULL_SCAN},
                                               {NULL, 0}};

/* Besides our two kinds, the names that engines give their back ends. */
static const struct field_name EP_BACKENDS[] = {
    {"auto", EP_BACKEND_AUTO},
    {"all_to_all", EP_BACKEND_ALL_TO_ALL},
    {"all_gather", EP_BACKEND_ALL_GATHER},
    {"deepep", EP_BACKEND_ALL_TO_ALL},
    {"deepep_low_latency", EP_BACKEND_ALL_TO_ALL},
    {"deepep_high_throughput", EP_BACKEND_ALL_TO_ALL},
    {"pplx", EP_BACKEND_ALL_TO_ALL},
    {"mori", EP_BACKEND_ALL_TO_ALL},
    {"allgather_reducescatter", EP_BACKEND_ALL_GATHER},
    {"naive", EP_BACKEND_ALL_GATHER},
    {NULL, 0},
};

static const struct field_name KV_TIERS[] = {{"none", KV_TIER_NONE},
                                             {"host", KV_TIER_HOST},
                                             {"disk", KV_TIER_DISK},
                                             {"remote", KV_TIER_REMOTE},
                                             {NULL, 0}};

#define X(ID, NAME) {NAME, ID},
static const struct field_name SPECULATIVE_METHODS[] = {SPECULATIVE_METHOD_LIST(X){NULL, 0}};
#undef X

static const struct field_name LOGIT_PROCESSORS[] = {
    {"penalties", PROCESSOR_PENALTIES},   {"min_p", PROCESSOR_MIN_P},
    {"top_p", PROCESSOR_TOP_P},           {"top_k", PROCESSOR_TOP_K},
    {"logit_bias", PROCESSOR_LOGIT_BIAS}, {"min_tokens", PROCESSOR_MIN_TOKENS},
    {"bad_words", PROCESSOR_BAD_WORDS},   {NULL, 0},
};

static const struct field_name BACKENDS[] = {
    {"cuda", BACKEND_CUDA},     {"metal", BACKEND_METAL},
    {"vulkan", BACKEND_VULKAN}, {"hip", BACKEND_HIP},
    {"sycl", BACKEND_SYCL},     {"cpu", BACKEND_CPU},
    {"rocm", BACKEND_HIP},      {NULL, 0},
};

static const struct field_name DTYPES[] = {
    {"auto", STATED_AUTO},    {"bfloat16", STATED_BF16}, {"float16", STATED_FP16},
    {"float32", STATED_FP32}, {"half", STATED_FP16},     {"bf16", STATED_BF16},
    {"fp16", STATED_FP16},    {"fp32", STATED_FP32},     {NULL, 0}};

static const struct field_name STATE_DTYPES[] = {
    {"bf16", STATE_BF16},   {"f16", STATE_F16},     {"f32", STATE_F32}, {"bfloat16", STATE_BF16},
    {"float16", STATE_F16}, {"float32", STATE_F32}, {NULL, 0},
};

static const struct field_name STATE_CACHE_MODES[] = {
    {"none", STATE_CACHE_NONE}, {"align", STATE_CACHE_ALIGN}, {"all", STATE_CACHE_ALL}, {NULL, 0}};

static const struct field_name LOAD_GENERATORS[] = {
    {"inferencex", LOAD_INFERENCEX}, {"engine_bench", LOAD_ENGINE_BENCH}, {NULL, 0}};

/* Where a row stands, where it goes, and what it falls back to. */
#define IN_ROOT(NAME) .section = SECTION_ROOT, .name = NAME, .pointer = "/" NAME, .query = NAME
#define IN_DEPLOYMENT(NAME)                                                                        \
    .section = SECTION_DEPLOYMENT, .name = NAME, .pointer = "/deployment/" NAME, .query = NAME
#define IN_WORKLOAD(NAME)                                                                          \
    .section = SECTION_WORKLOAD, .name = NAME, .pointer = "/workload/" NAME, .query = NAME
#define IN_SLO(NAME) .section = SECTION_SLO, .name = NAME, .pointer = "/slo/" NAME, .query = NAME
#define IN_INNER(SECTION, OBJECT, NAME)                                                            \
    .section = SECTION, .name = NAME, .pointer = "/deployment/" OBJECT "/" NAME,                   \
    .query = OBJECT "." NAME
#define TO(MEMBER) .offset = offsetof(struct plan_request, MEMBER)
#define TO_DEP(MEMBER) .offset = offsetof(struct plan_request, problem.dep.MEMBER)
#define TO_LOAD(MEMBER) .offset = offsetof(struct plan_request, problem.load.MEMBER)
#define RANGE(MIN, MAX) .min = (MIN), .max = (MAX)
#define OR_VALUE(VALUE) .fallback = DEFAULT_VALUE, .value = (VALUE)
#define OR_ENGINE(MEMBER)                                                                          \
    .fallback = DEFAULT_ENGINE, .engine_default = offsetof(struct engine_defaults, MEMBER)
#define OR_RULE(RULE, TEXT) .fallback = DEFAULT_RULE, .rule = (RULE), .absent = "when absent, " TEXT
#define OR_NOTHING .fallback = DEFAULT_NONE
#define BY_LAUNCH(FLAG) .launch = (FLAG)

static const struct field ROWS[] = {
    [FIELD_ID_MODEL] = {IN_ROOT("model"), .kind = FIELD_MODEL, TO(problem.model),
                        .fallback = DEFAULT_REQUIRED,
                        .doc =
                            "id, alias or Hugging Face repository name, or {\"hf_config\": {...}}"},
    [FIELD_ID_HARDWARE] = {IN_ROOT("hardware"), .kind = FIELD_HARDWARE, TO(problem.hw),
                           .fallback = DEFAULT_REQUIRED,
                           .doc = "id or alias of a part, or an object with its figures"},
    [FIELD_ID_COMMAND] = {IN_ROOT("command"), .kind = FIELD_TEXT, TO(command), OR_NOTHING,
                          .describes = true,
                          .doc = "the command line that starts the engine (vllm serve ..., docker "
                                 "run ...), whose flags become the deployment"},
    [FIELD_ID_MANIFEST] = {IN_ROOT("manifest"), .kind = FIELD_TREE, TO(manifest), OR_NOTHING,
                           .describes = true,
                           .doc = "a manifest of Kubernetes, KServe or compose, as YAML or JSON "
                                  "text or as an object, whose serving container becomes the "
                                  "deployment"},
    [FIELD_ID_CONTAINER] = {IN_ROOT("container"), .kind = FIELD_TEXT, TO(container), OR_NOTHING,
                            .doc = "which container of the manifest is planned: \"name\", "
                                   "\"workload\" or \"workload/name\"; when absent, of those that "
                                   "serve the one with the most devices"},
    [FIELD_ID_LOG] = {IN_ROOT("log"), .kind = FIELD_TEXT, TO(log), OR_NOTHING, .describes = true,
                      .doc = "what this very deployment's engine printed at its start: settings "
                             "become the deployment, memory lines its measured_memory"},
    [FIELD_ID_ENGINE] = {IN_DEPLOYMENT("engine"), .kind = FIELD_ENGINE, TO_DEP(engine),
                         OR_RULE(default_engine, "vllm on datacenter parts, workstations and TPUs, "
                                                 "llama.cpp on consumer, Apple and CPU parts"),
                         .doc = "serving engine"},
    [FIELD_ID_ENGINE_VERSION] = {IN_DEPLOYMENT("engine_version"), .kind = FIELD_TEXT,
                                 TO(engine_version), OR_RULE(default_version, "the newest known"),
                                 .doc =
                                     "any text; the newest known stands for one that is not known"},
    [FIELD_ID_WEIGHTS] = {IN_DEPLOYMENT("weights"), .kind = FIELD_WEIGHTS, TO_DEP(weights),
                          OR_RULE(default_weights, "the checkpoint's own"), .doc = "weight format"},
    [FIELD_ID_DTYPE] = {IN_DEPLOYMENT("dtype"), .kind = FIELD_NAME, TO_DEP(dtype), .names = DTYPES,
                        OR_NOTHING,
                        .doc = "type that quantised weights are computed in, as --dtype states it; "
                               "auto where it is left to the engine"},
    [FIELD_ID_KV_CACHE] =
        {IN_DEPLOYMENT("kv_cache"), BY_LAUNCH(LAUNCH_KV_CACHE), .kind = FIELD_KV_CACHE,
         TO_DEP(kv_cache),
         OR_RULE(default_kv_cache,
                 "what a launch record says, else the type that the model computes in"),
         .doc = "format of the KV cache"},
    [FIELD_ID_TP] = {IN_DEPLOYMENT("tp"), .kind = FIELD_WHOLE, TO_DEP(tp), RANGE(1, RANKS_MAX),
                     OR_VALUE(1),
                     .doc = "tensor parallel: attention and dense layers are cut this many ways"},
    [FIELD_ID_PP] = {IN_DEPLOYMENT("pp"), .kind = FIELD_WHOLE, TO_DEP(pp), RANGE(1, RANKS_MAX),
                     OR_VALUE(1), .doc = "pipeline stages"},
    [FIELD_ID_DP] = {IN_DEPLOYMENT("dp"), .kind = FIELD_WHOLE, TO_DEP(dp), RANGE(1, RANKS_MAX),
                     OR_VALUE(1),
                     .doc = "attention data parallel inside one engine: each rank has its own KV"},
    [FIELD_ID_EP] = {IN_DEPLOYMENT("ep"), .kind = FIELD_WHOLE, TO_DEP(ep), RANGE(1, RANKS_MAX),
                     OR_VALUE(1), .doc = "ways the experts are spread; at most tp x dp"},
    [FIELD_ID_SAMPLER] = {IN_DEPLOYMENT("sampler"), .kind = FIELD_NAME, TO_DEP(sampler),
                          .names = SAMPLERS, OR_RULE(default_sampler, "where the engine samples"),
                          .doc = "where tokens are sampled"},
    [FIELD_ID_CUDA_GRAPHS] = {IN_DEPLOYMENT("cuda_graphs"), .kind = FIELD_BOOL, TO_DEP(cuda_graphs),
                              OR_ENGINE(cuda_graphs), .doc = "decode steps run as captured graphs"},
    [FIELD_ID_ASYNC_SCHEDULING] =
        {IN_DEPLOYMENT("async_scheduling"), BY_LAUNCH(LAUNCH_ASYNC_SCHEDULING),
         .kind = FIELD_BOOL, TO_DEP(async_scheduling), OR_ENGINE(async_scheduling),
         .doc = "the host prepares the next step while the device runs this one"},
    [FIELD_ID_PREFIX_CACHING] = {IN_DEPLOYMENT("prefix_caching"), BY_LAUNCH(LAUNCH_PREFIX_CACHING),
                                 .kind = FIELD_BOOL, TO_DEP(prefix_caching),
                                 OR_ENGINE(prefix_caching),
                                 .doc = "cached prefixes are not computed again"},
    [FIELD_ID_CHUNKED_PREFILL] = {IN_DEPLOYMENT("chunked_prefill_tokens"),
                                  BY_LAUNCH(LAUNCH_CHUNKED_PREFILL), .kind = FIELD_WHOLE,
                                  TO_DEP(chunked_prefill_tokens), RANGE(0, TOKENS_MAX),
                                  OR_ENGINE(chunked_prefill_tokens), .unit = "tokens",
                                  .doc = "prompt tokens in one step; 0 = the whole prompt"},
    [FIELD_ID_MAX_NUM_SEQS] =
        {IN_DEPLOYMENT("max_num_seqs"), BY_LAUNCH(LAUNCH_MAX_NUM_SEQS),
         .kind = FIELD_WHOLE, TO_DEP(max_num_seqs), RANGE(1, 1e6),
         OR_RULE(default_max_num_seqs, "what a launch record says, else the engine's default"),
         .unit = "sequences",
         .doc = "sequences that run at once in one engine core (slots of llama-server)"},
    [FIELD_ID_MAX_MODEL_LEN] = {IN_DEPLOYMENT("max_model_len"), .kind = FIELD_WHOLE,
                                TO_DEP(max_model_len), RANGE(1, TOKENS_MAX),
                                OR_RULE(default_max_model_len, "the model's own limit"),
                                .unit = "tokens", .doc = "longest request, input and output"},
    [FIELD_ID_MEMORY_UTILIZATION] =
        {IN_DEPLOYMENT("memory_utilization"), BY_LAUNCH(LAUNCH_MEMORY_UTILIZATION),
         .kind = FIELD_NUMBER, TO_DEP(memory_utilization), RANGE(0.01, 1),
         OR_RULE(default_memory_utilization,
                 "what a launch record says, else the engine's default; SGLang's from the part, "
                 "chunk, ranks and graphs"),
         .doc = "the engine's memory fraction, as that engine means it"},
    [FIELD_ID_LOGIT_PROCESSORS] = {IN_DEPLOYMENT("logit_processors"), .kind = FIELD_NAMES,
                                   TO_DEP(logit_processors), .names = LOGIT_PROCESSORS, OR_VALUE(0),
                                   .doc = "processors that the traffic uses"},
    [FIELD_ID_STRUCTURED_OUTPUT] = {IN_DEPLOYMENT("structured_output"), .kind = FIELD_BOOL,
                                    TO_DEP(structured_output), OR_VALUE(0),
                                    .doc = "answers are held to a grammar or schema"},
    [FIELD_ID_BATCH_INVARIANT] = {IN_DEPLOYMENT("batch_invariant"), .kind = FIELD_BOOL,
                                  TO_DEP(batch_invariant), OR_VALUE(0),
                                  .doc = "kernels give the same bits at every batch size"},
    [FIELD_ID_DETOKENIZER_PRIMING] =
        {IN_DEPLOYMENT("detokenizer_priming"), .kind = FIELD_NAME, TO_DEP(priming),
         .names = PRIMINGS, OR_VALUE(PRIMING_BOUNDED),
         .doc = "what the detokenizer reads first: the prompt's tail or all of it"},
    [FIELD_ID_STREAM_INTERVAL] = {IN_DEPLOYMENT("stream_interval"),
                                  BY_LAUNCH(LAUNCH_STREAM_INTERVAL), .kind = FIELD_WHOLE,
                                  TO_DEP(stream_interval), RANGE(1, 1e6),
                                  OR_ENGINE(stream_interval), .unit = "tokens",
                                  .doc = "tokens between two messages of a stream"},
    [FIELD_ID_RECEIVE_INTERVAL] = {IN_DEPLOYMENT("receive_interval"),
                                   BY_LAUNCH(LAUNCH_RECEIVE_INTERVAL), .kind = FIELD_WHOLE,
                                   TO_DEP(receive_interval), RANGE(1, 1e6), OR_VALUE(1),
                                   .unit = "steps",
                                   .doc = "decode steps between two looks at the request socket "
                                          "(--scheduler-recv-interval of SGLang)"},
    [FIELD_ID_BATCH_WAIT_STEPS] = {IN_DEPLOYMENT("batch_wait_steps"),
                                   BY_LAUNCH(LAUNCH_BATCH_WAIT_STEPS), .kind = FIELD_WHOLE,
                                   TO_DEP(batch_wait_steps), RANGE(0, 1e6), OR_VALUE(0),
                                   .unit = "steps",
                                   .doc =
                                       "steps a prompt waits for others to prefill with; 0 = none "
                                       "(batch_wait_timeout_iters of TensorRT-LLM)"},
    [FIELD_ID_BATCH_WAIT_SHARE] = {IN_DEPLOYMENT("batch_wait_share"),
                                   BY_LAUNCH(LAUNCH_BATCH_WAIT_SHARE), .kind = FIELD_NUMBER,
                                   TO_DEP(batch_wait_share), RANGE(0, 1), OR_VALUE(0),
                                   .doc = "share of the step's tokens that ends that wait "
                                          "(batch_wait_max_tokens_ratio of TensorRT-LLM)"},
    [FIELD_ID_BACKEND] = {IN_DEPLOYMENT("backend"), .kind = FIELD_NAME, TO_DEP(backend),
                          .names = BACKENDS,
                          OR_RULE(default_backend, "the part's own for local engines, else none"),
                          .doc = "compute back end of llama.cpp, Ollama and MLX"},
    [FIELD_ID_BLOCK_SIZE] = {IN_DEPLOYMENT("block_size"), .kind = FIELD_WHOLE, TO_DEP(block_size),
                             RANGE(1, 65536), OR_ENGINE(block_size), .unit = "tokens",
                             .doc = "tokens of one KV block"},
    [FIELD_ID_REPLICAS] = {IN_DEPLOYMENT("replicas"), .kind = FIELD_WHOLE, TO_DEP(replicas),
                           RANGE(1, 1e6), OR_VALUE(1),
                           .doc = "independent copies that share the load"},
    [FIELD_ID_HOST_CPU_FACTOR] =
        {IN_DEPLOYMENT("host_cpu_factor"), .kind = FIELD_NUMBER, TO_DEP(host_cpu_factor),
         RANGE(0.01, 100), OR_VALUE(1),
         .doc = "time of host work over the measured hosts': 2 = twice as slow"},
    [FIELD_ID_CONTROL_PLANE] = {IN_DEPLOYMENT("control_plane"), .kind = FIELD_NAME,
                                TO_DEP(control_plane), .names = CONTROL_PLANES,
                                OR_RULE(default_control_plane, "as the engine is written"),
                                .doc = "what the scheduler and the output path are written in"},
    [FIELD_ID_REASONING_PREDICATE] = {IN_DEPLOYMENT("reasoning_predicate"), .kind = FIELD_NAME,
                                      TO_DEP(predicate), .names = PREDICATES,
                                      OR_VALUE(PREDICATE_NONE),
                                      .doc =
                                          "how the end of reasoning is looked for at each token"},
    [FIELD_ID_LOGPROBS] = {IN_DEPLOYMENT("logprobs"), .kind = FIELD_WHOLE, TO_DEP(logprobs),
                           RANGE(0, 1e5), OR_VALUE(0), .doc = "top log probabilities per token"},
    [FIELD_ID_EP_BACKEND] = {IN_DEPLOYMENT("ep_backend"), .kind = FIELD_NAME, TO_DEP(ep_backend),
                             .names = EP_BACKENDS, OR_NOTHING,
                             .doc = "how tokens reach their experts"},
    [FIELD_ID_EP_CPU_SYNC] = {IN_DEPLOYMENT("ep_cpu_sync"), .kind = FIELD_BOOL, TO_DEP(ep_cpu_sync),
                              OR_VALUE(1), .doc = "the dispatch waits for the host"},
    [FIELD_ID_SHARED_PREFIX_KERNEL] = {IN_DEPLOYMENT("shared_prefix_kernel"), .kind = FIELD_BOOL,
                                       TO_DEP(shared_prefix_kernel), OR_VALUE(0),
                                       .doc = "attention reads a common prefix once for all rows"},
    [FIELD_ID_RESERVE_OUTPUT_SHARE] = {IN_DEPLOYMENT("reserve_output_share"), .kind = FIELD_NUMBER,
                                       TO_DEP(reserve_output_share), RANGE(0, 1),
                                       OR_ENGINE(reserve_output_share),
                                       .doc = "share of an answer's KV that admission sets aside"},
    [FIELD_ID_FLASH_ATTENTION] = {IN_DEPLOYMENT("flash_attention"), .kind = FIELD_BOOL,
                                  TO_DEP(flash_attention), OR_VALUE(1),
                                  .doc = "attention in one fused kernel"},
    [FIELD_ID_PREFILL_PRIORITY] = {IN_DEPLOYMENT("prefill_priority"), .kind = FIELD_BOOL,
                                   TO_DEP(prefill_priority), OR_ENGINE(prefill_priority),
                                   .doc = "a waiting prefill runs alone, before decode"},
    [FIELD_ID_HTTP_THREADS_FACTOR] = {IN_DEPLOYMENT("http_threads_factor"), .kind = FIELD_NUMBER,
                                      TO_DEP(http_threads_factor), RANGE(0.01, 1000), OR_VALUE(1),
                                      .doc =
                                          "serving threads of the host over the engine's default"},
    [FIELD_ID_CPU_THREADS] = {IN_DEPLOYMENT("cpu_threads"), .kind = FIELD_WHOLE,
                              TO_DEP(cpu_threads), RANGE(1, 1e4), OR_NOTHING,
                              .doc = "threads of llama.cpp's CPU back end"},
    [FIELD_ID_KV_CACHE_MEMORY] = {IN_DEPLOYMENT("kv_cache_memory_bytes"), .kind = FIELD_NUMBER,
                                  TO_DEP(kv_cache_memory_bytes), RANGE(1, BYTES_MAX), OR_NOTHING,
                                  .unit = "bytes",
                                  .doc = "KV pool of a device as given, instead of a share of it"},
    [FIELD_ID_KV_CACHE_TOKENS] = {IN_DEPLOYMENT("kv_cache_tokens"), .kind = FIELD_WHOLE,
                                  TO_DEP(kv_cache_tokens), RANGE(1, 1e12), OR_NOTHING,
                                  .unit = "tokens", .doc = "most tokens that the KV pool may hold"},
    [FIELD_ID_GRAPH_MAX_BATCH] = {IN_DEPLOYMENT("graph_max_batch"), .kind = FIELD_WHOLE,
                                  TO_DEP(graph_max_batch), RANGE(0, 1e6), OR_NOTHING,
                                  .unit = "requests",
                                  .doc = "largest batch captured as a graph; 0 = none"},
    [FIELD_ID_MICRO_BATCH] = {IN_DEPLOYMENT("micro_batch_tokens"), .kind = FIELD_WHOLE,
                              TO_DEP(micro_batch_tokens), RANGE(1, 1e8), OR_NOTHING,
                              .unit = "tokens", .doc = "rows of one pass of llama.cpp (n_ubatch)"},
    [FIELD_ID_KV_UNIFIED] = {IN_DEPLOYMENT("kv_unified"), .kind = FIELD_BOOL, TO_DEP(kv_unified),
                             OR_NOTHING, .doc = "llama.cpp: all slots share one context"},
    [FIELD_ID_SWA_FULL] = {IN_DEPLOYMENT("swa_full"), .kind = FIELD_BOOL, TO_DEP(swa_full),
                           OR_NOTHING,
                           .doc = "windowed layers store the whole context all the same"},
    [FIELD_ID_SWA_FULL_RATIO] = {IN_DEPLOYMENT("swa_full_tokens_ratio"), .kind = FIELD_NUMBER,
                                 TO_DEP(swa_full_tokens_ratio), RANGE(0.001, 1), OR_NOTHING,
                                 .doc =
                                     "SGLang: tokens of the windowed pool over those of the full"},
    [FIELD_ID_STATE_DTYPE] = {IN_DEPLOYMENT("state_dtype"), .kind = FIELD_NAME, TO_DEP(state_dtype),
                              .names = STATE_DTYPES, OR_NOTHING,
                              .doc = "type of the recurrent state; the model's when absent"},
    [FIELD_ID_STATE_CACHE_MODE] = {IN_DEPLOYMENT("state_cache_mode"), .kind = FIELD_NAME,
                                   TO_DEP(state_cache_mode), .names = STATE_CACHE_MODES, OR_NOTHING,
                                   .doc = "which recurrent states vLLM's prefix cache keeps"},
    [FIELD_ID_MAX_STATE_SLOTS] = {IN_DEPLOYMENT("max_state_slots"), .kind = FIELD_WHOLE,
                                  TO_DEP(max_state_slots), RANGE(1, 1e6), OR_NOTHING,
                                  .unit = "requests",
                                  .doc = "SGLang: recurrent states kept (max_mamba_cache_size)"},
    [FIELD_ID_STATE_MEMORY_RATIO] = {IN_DEPLOYMENT("state_memory_ratio"), .kind = FIELD_NUMBER,
                                     TO_DEP(state_memory_ratio), RANGE(0.001, 1000), OR_NOTHING,
                                     .doc = "SGLang: memory of recurrent states over that of KV"},
    [FIELD_ID_DCP] = {IN_DEPLOYMENT("dcp"), .kind = FIELD_WHOLE, TO_DEP(dcp), RANGE(1, RANKS_MAX),
                      OR_NOTHING, .doc = "decode context parallel: ranks that share one KV cache"},
    [FIELD_ID_CPU_OFFLOAD] = {IN_DEPLOYMENT("cpu_offload_bytes"), .kind = FIELD_NUMBER,
                              TO_DEP(cpu_offload_bytes), RANGE(0, BYTES_MAX), OR_NOTHING,
                              .unit = "bytes", .doc = "weights of a device kept in host memory"},
    [FIELD_ID_GPU_LAYERS] = {IN_DEPLOYMENT("gpu_layers"), .kind = FIELD_WHOLE, TO_DEP(gpu_layers),
                             RANGE(0, 1e6), OR_NOTHING, .unit = "layers",
                             .doc = "llama.cpp: layers on the GPU, all when absent"},
    [FIELD_ID_CPU_MOE_LAYERS] = {IN_DEPLOYMENT("cpu_moe_layers"), .kind = FIELD_WHOLE,
                                 TO_DEP(cpu_moe_layers), RANGE(0, 1e6), OR_NOTHING,
                                 .unit = "layers",
                                 .doc = "llama.cpp: first layers whose experts stay on the host"},
    [FIELD_ID_TEXT_ONLY] = {IN_DEPLOYMENT("text_only"), .kind = FIELD_BOOL, TO_DEP(text_only),
                            OR_NOTHING, .doc = "a multimodal model without its encoders"},
    [FIELD_ID_MAX_LORAS] = {IN_DEPLOYMENT("max_loras"), .kind = FIELD_WHOLE, TO_DEP(max_loras),
                            RANGE(0, 1e5), OR_NOTHING, .doc = "LoRA adapters on the device"},
    [FIELD_ID_MAX_LORA_RANK] = {IN_DEPLOYMENT("max_lora_rank"), .kind = FIELD_WHOLE,
                                TO_DEP(max_lora_rank), RANGE(1, 4096), OR_NOTHING,
                                .doc = "rank that their buffers are made for"},
    [FIELD_ID_OTHER_PROCESSES] = {IN_DEPLOYMENT("other_processes_bytes"), .kind = FIELD_NUMBER,
                                  TO_DEP(other_processes_bytes), RANGE(0, BYTES_MAX), OR_NOTHING,
                                  .unit = "bytes",
                                  .doc = "memory of a device that other processes hold"},
    [FIELD_ID_CHECKPOINT_BYTES] = {IN_DEPLOYMENT("checkpoint_bytes"), .kind = FIELD_NUMBER,
                                   TO_DEP(checkpoint_bytes), RANGE(1, BYTES_MAX), OR_NOTHING,
                                   .unit = "bytes",
                                   .doc = "all weights of the checkpoint, exactly"},
    [FIELD_ID_MAX_INPUT_TOKENS] = {IN_DEPLOYMENT("max_input_tokens"), .kind = FIELD_WHOLE,
                                   TO_DEP(max_input_tokens), RANGE(1, TOKENS_MAX), OR_NOTHING,
                                   .unit = "tokens", .doc = "longest prompt that is accepted"},
    [FIELD_ID_MAX_REQUESTS] = {IN_DEPLOYMENT("max_concurrent_requests"), .kind = FIELD_WHOLE,
                               TO_DEP(max_concurrent_requests), RANGE(1, 1e6), OR_NOTHING,
                               .unit = "requests",
                               .doc = "requests accepted at once; those beyond are refused"},
    [FIELD_ID_PP_LAYERS] = {IN_DEPLOYMENT("pp_layers"), .kind = FIELD_TEXT, TO_DEP(pp_layers),
                            OR_NOTHING, .doc = "layers of each pipeline stage: \"20,20,21,19\""},
    [FIELD_ID_DEVICE_MEMORY] = {IN_DEPLOYMENT("device_memory_gib"), .kind = FIELD_TEXT,
                                TO_DEP(device_memory_gib), OR_NOTHING,
                                .doc = "memory of each device of one engine core where they "
                                       "differ, by rank: \"23.6,23.6,15.7\""},
    [FIELD_ID_KV_TIER_KIND] = {IN_INNER(SECTION_KV_TIER, "kv_tier", "kind"), .kind = FIELD_NAME,
                               TO_DEP(kv_tier), .names = KV_TIERS, OR_VALUE(KV_TIER_NONE),
                               .doc = "where evicted KV goes"},
    [FIELD_ID_KV_TIER_GBPS] = {IN_INNER(SECTION_KV_TIER, "kv_tier", "gbps"), .kind = FIELD_NUMBER,
                               TO_DEP(kv_tier_bytes_us), RANGE(0.001, GBPS_MAX),
                               .scale = BYTES_PER_US_PER_GBPS, OR_NOTHING, .unit = "GB/s",
                               .doc = "speed of that tier; the part's host link when absent"},
    [FIELD_ID_DISAGG_DEVICES] = {IN_INNER(SECTION_DISAGGREGATION, "disaggregation",
                                          "prefill_devices"),
                                 .kind = FIELD_WHOLE, TO_DEP(disagg_prefill_devices), RANGE(1, 1e6),
                                 OR_RULE(default_disagg_devices,
                                         "as many as one replica has for decode"),
                                 .doc = "devices that only prefill, of all replicas together"},
    [FIELD_ID_DISAGG_GBPS] = {IN_INNER(SECTION_DISAGGREGATION, "disaggregation", "gbps"),
                              .kind = FIELD_NUMBER, TO_DEP(disagg_link_bytes_us),
                              RANGE(0.001, GBPS_MAX), .scale = BYTES_PER_US_PER_GBPS,
                              OR_RULE(default_disagg_link, "the part's own link"), .unit = "GB/s",
                              .doc = "speed of the KV transfer"},
    [FIELD_ID_DISAGG_TP] = {IN_INNER(SECTION_DISAGGREGATION, "disaggregation", "prefill_tp"),
                            .kind = FIELD_WHOLE, TO_DEP(disagg_tp), RANGE(1, RANKS_MAX),
                            OR_RULE(default_disagg_tp, "decode's"),
                            .doc = "tensor parallel of a prefill worker"},
    [FIELD_ID_DISAGG_DP] = {IN_INNER(SECTION_DISAGGREGATION, "disaggregation", "prefill_dp"),
                            .kind = FIELD_WHOLE, TO_DEP(disagg_dp), RANGE(1, RANKS_MAX),
                            OR_RULE(default_disagg_dp, "decode's"),
                            .doc = "attention ranks of a prefill worker"},
    [FIELD_ID_DISAGG_EP] = {IN_INNER(SECTION_DISAGGREGATION, "disaggregation", "prefill_ep"),
                            .kind = FIELD_WHOLE, TO_DEP(disagg_ep), RANGE(1, RANKS_MAX),
                            OR_RULE(default_disagg_ep, "decode's, at most the worker's devices"),
                            .doc = "expert parallel of a prefill worker"},
    [FIELD_ID_MEASURED_TOTAL] = {IN_INNER(SECTION_MEASURED_MEMORY, "measured_memory",
                                          "total_bytes"),
                                 .kind = FIELD_NUMBER, TO_DEP(measured.total_bytes),
                                 RANGE(0, BYTES_MAX), OR_NOTHING, .unit = "bytes",
                                 .doc = "device memory as the engine saw it"},
    [FIELD_ID_MEASURED_WEIGHTS] = {IN_INNER(SECTION_MEASURED_MEMORY, "measured_memory",
                                            "weights_bytes"),
                                   .kind = FIELD_NUMBER, TO_DEP(measured.weights_bytes),
                                   RANGE(0, BYTES_MAX), OR_NOTHING, .unit = "bytes",
                                   .doc = "weights of a device"},
    [FIELD_ID_MEASURED_ACTIVATION] = {IN_INNER(SECTION_MEASURED_MEMORY, "measured_memory",
                                               "activation_bytes"),
                                      .kind = FIELD_NUMBER, TO_DEP(measured.activation_bytes),
                                      RANGE(0, BYTES_MAX), OR_NOTHING, .unit = "bytes",
                                      .doc = "activation peak"},
    [FIELD_ID_MEASURED_NON_TORCH] = {IN_INNER(SECTION_MEASURED_MEMORY, "measured_memory",
                                              "non_torch_bytes"),
                                     .kind = FIELD_NUMBER, TO_DEP(measured.non_torch_bytes),
                                     RANGE(0, BYTES_MAX), OR_NOTHING,
                                     .unit = "bytes", .doc = "memory outside the allocator"},
    [FIELD_ID_MEASURED_GRAPH] = {IN_INNER(SECTION_MEASURED_MEMORY, "measured_memory",
                                          "graph_bytes"),
                                 .kind = FIELD_NUMBER, TO_DEP(measured.graph_bytes),
                                 RANGE(0, BYTES_MAX), OR_NOTHING, .unit = "bytes",
                                 .doc = "captured graphs"},
    [FIELD_ID_MEASURED_KV] = {IN_INNER(SECTION_MEASURED_MEMORY, "measured_memory", "kv_bytes"),
                              .kind = FIELD_NUMBER, TO_DEP(measured.kv_bytes), RANGE(0, BYTES_MAX),
                              OR_NOTHING, .unit = "bytes", .doc = "KV pool of a device"},
    [FIELD_ID_MEASURED_KV_TOKENS] = {IN_INNER(SECTION_MEASURED_MEMORY, "measured_memory",
                                              "kv_tokens"),
                                     .kind = FIELD_WHOLE, TO_DEP(measured.kv_tokens),
                                     RANGE(0, 1e12), OR_NOTHING, .unit = "tokens",
                                     .doc = "tokens that the engine says its KV pool holds"},
    [FIELD_ID_MEASURED_OUT_OF_MEMORY] = {IN_INNER(SECTION_MEASURED_MEMORY, "measured_memory",
                                                  "out_of_memory"),
                                         .kind = FIELD_BOOL, TO_DEP(measured.out_of_memory),
                                         OR_NOTHING,
                                         .doc = "the engine ran out of memory at start"},
    [FIELD_ID_SPEC_METHOD] = {IN_INNER(SECTION_SPECULATIVE, "speculative", "method"),
                              BY_LAUNCH(LAUNCH_SPECULATIVE_METHOD), .kind = FIELD_NAME,
                              TO_DEP(spec_method), .names = SPECULATIVE_METHODS, OR_NOTHING,
                              .doc = "who drafts"},
    [FIELD_ID_SPEC_TOKENS] = {IN_INNER(SECTION_SPECULATIVE, "speculative", "tokens"),
                              BY_LAUNCH(LAUNCH_SPECULATIVE_TOKENS), .kind = FIELD_WHOLE,
                              TO_DEP(spec_tokens), RANGE(1, 64),
                              OR_RULE(default_spec_tokens,
                                      "what a launch record says, else 3, where something drafts"),
                              .unit = "tokens", .doc = "drafted tokens per step"},
    [FIELD_ID_SPEC_ACCEPTANCE] = {IN_INNER(SECTION_SPECULATIVE, "speculative", "acceptance"),
                                  .kind = FIELD_NUMBER, TO_DEP(spec_acceptance), RANGE(0, 1),
                                  OR_RULE(default_spec_acceptance, "0.7 where something drafts"),
                                  .doc = "chance that a drafted token is accepted"},
    [FIELD_ID_CONCURRENCY] = {IN_WORKLOAD("concurrency"), .kind = FIELD_WHOLE, TO_LOAD(concurrency),
                              RANGE(1, ASKED_CONCURRENCY_MAX), OR_VALUE(1), .unit = "requests",
                              .doc = "requests in flight, closed loop"},
    [FIELD_ID_INPUT_TOKENS] = {IN_WORKLOAD("input_tokens"), .kind = FIELD_WHOLE,
                               TO_LOAD(input_tokens), RANGE(1, TOKENS_MAX), OR_VALUE(1024),
                               .unit = "tokens", .doc = "prompt length"},
    [FIELD_ID_OUTPUT_TOKENS] = {IN_WORKLOAD("output_tokens"), .kind = FIELD_WHOLE,
                                TO_LOAD(output_tokens), RANGE(1, TOKENS_MAX), OR_VALUE(256),
                                .unit = "tokens", .doc = "answer length"},
    [FIELD_ID_CACHED_PREFIX_TOKENS] = {IN_WORKLOAD("cached_prefix_tokens"), .kind = FIELD_WHOLE,
                                       TO_LOAD(cached_prefix_tokens), RANGE(0, TOKENS_MAX),
                                       OR_VALUE(0), .unit = "tokens",
                                       .doc = "part of the input that the prefix cache holds"},
    [FIELD_ID_REQUEST_RATE] = {IN_WORKLOAD("request_rate"), .kind = FIELD_NUMBER,
                               TO_LOAD(request_rate), RANGE(1e-6, 1e6), OR_NOTHING,
                               .unit = "requests/s",
                               .doc = "open loop: arrivals; closed loop when absent"},
    [FIELD_ID_REQUESTS] = {IN_WORKLOAD("requests"), BY_LAUNCH(LAUNCH_REQUESTS), .kind = FIELD_WHOLE,
                           TO_LOAD(requests), RANGE(1, 1e9), OR_NOTHING, .unit = "requests",
                           .doc = "length of a benchmark; steady state when absent"},
    [FIELD_ID_LENGTH_RANGE_RATIO] =
        {IN_WORKLOAD("length_range_ratio"), BY_LAUNCH(LAUNCH_LENGTH_RANGE_RATIO),
         .kind = FIELD_NUMBER, TO_LOAD(length_range_ratio), RANGE(0.01, 1), OR_VALUE(1),
         .doc = "lengths are uniform between this share and all of the nominal"},
    [FIELD_ID_LOAD_GENERATOR] =
        {IN_WORKLOAD("load_generator"), .kind = FIELD_NAME, TO_LOAD(load_generator),
         .names = LOAD_GENERATORS,
         OR_RULE(
             default_load_generator,
             "inferencex where lengths vary, engine_bench where requests are counted, else none"),
         .doc = "whose benchmark the load is"},
    [FIELD_ID_SLO_TTFT] = {IN_SLO("ttft_ms"), .kind = FIELD_NUMBER, TO(problem.slo.ttft_ms),
                           RANGE(0.001, 1e9), OR_NOTHING, .unit = "ms",
                           .doc = "most time to the first token"},
    [FIELD_ID_SLO_TPOT] = {IN_SLO("tpot_ms"), .kind = FIELD_NUMBER, TO(problem.slo.tpot_ms),
                           RANGE(0.001, 1e9), OR_NOTHING, .unit = "ms",
                           .doc = "most time per output token"},
    [FIELD_ID_SLO_OUTPUT_TOK_S] = {IN_SLO("output_tok_s"), .kind = FIELD_NUMBER,
                                   TO(problem.slo.output_tok_s), RANGE(0.001, 1e12), OR_NOTHING,
                                   .unit = "tokens/s",
                                   .doc = "least output of the whole deployment"},
};

_Static_assert(ARRAY_LEN(ROWS) == FIELD_ID_COUNT, "every field has its row");
_Static_assert(FIELD_ID_COUNT <= FIELDS_MAX, "the walkers have room for every row");

#define ROWS_FROM(FIRST, LAST) .first = (FIRST), .n = (LAST) - (FIRST) + 1

static const struct field_section SECTIONS[SECTION_COUNT] = {
    [SECTION_ROOT] = {"", "", -1, ROWS_FROM(FIELD_ID_MODEL, FIELD_ID_LOG), .doc = "what to plan"},
    [SECTION_DEPLOYMENT] = {"deployment", "/deployment", SECTION_ROOT,
                            ROWS_FROM(FIELD_ID_ENGINE, FIELD_ID_DEVICE_MEMORY),
                            .doc = "the engine and its flags"},
    [SECTION_KV_TIER] = {"kv_tier", "/deployment/kv_tier", SECTION_DEPLOYMENT,
                         ROWS_FROM(FIELD_ID_KV_TIER_KIND, FIELD_ID_KV_TIER_GBPS),
                         .doc = "a second home of KV"},
    [SECTION_DISAGGREGATION] = {"disaggregation", "/deployment/disaggregation", SECTION_DEPLOYMENT,
                                ROWS_FROM(FIELD_ID_DISAGG_DEVICES, FIELD_ID_DISAGG_EP),
                                .present = offsetof(struct plan_request, problem.dep.disaggregated),
                                .doc = "prefill on devices of its own"},
    [SECTION_MEASURED_MEMORY] = {"measured_memory", "/deployment/measured_memory",
                                 SECTION_DEPLOYMENT,
                                 ROWS_FROM(FIELD_ID_MEASURED_TOTAL,
                                           FIELD_ID_MEASURED_OUT_OF_MEMORY),
                                 .doc = "what the engine's log says of this very deployment; it "
                                        "goes before what would be computed"},
    [SECTION_SPECULATIVE] = {"speculative", "/deployment/speculative", SECTION_DEPLOYMENT,
                             ROWS_FROM(FIELD_ID_SPEC_METHOD, FIELD_ID_SPEC_ACCEPTANCE),
                             .doc = "speculative decoding"},
    [SECTION_WORKLOAD] = {"workload", "/workload", SECTION_ROOT,
                          ROWS_FROM(FIELD_ID_CONCURRENCY, FIELD_ID_LOAD_GENERATOR),
                          .doc = "the load"},
    [SECTION_SLO] = {"slo", "/slo", SECTION_ROOT,
                     ROWS_FROM(FIELD_ID_SLO_TTFT, FIELD_ID_SLO_OUTPUT_TOK_S),
                     .doc = "what is promised"},
};

const struct field_table PLAN_FIELDS = {
    .rows = ROWS, .n = FIELD_ID_COUNT, .sections = SECTIONS, .n_sections = SECTION_COUNT};
