#include "cure_table.h"

#include <math.h>

/* What a speculative head is taken to accept when nobody measured it. */
#define ASSUMED_ACCEPTANCE 0.7
#define ASSUMED_DRAFT_TOKENS 3.0
/* Share of a prompt taken as common when the request names none. */
#define ASSUMED_SHARED_PROMPT 0.5
#define FASTER_PART 1.5
#define LARGE_CHUNK 8192.0
#define HIGH_UTILIZATION 0.95
/* A format must save a tenth of the bytes to be worth a change. */
#define SMALLER 0.9
/* What a request may ask for. */
#define MOST_SLOTS 1e6
#define GQA_GROUP 4.0
/* DeepSeek's latent: 512 + 64 elements a layer. */
#define MLA_ELEMENTS 576.0

static struct cure_change *note(struct trial *trial, const char *pointer)
{
    struct cure_change *change = &trial->changes[trial->n_changes++];
    change->pointer = pointer;
    return change;
}

static void note_text(struct trial *trial, const char *pointer, const char *text)
{
    note(trial, pointer)->text = text;
}

static void note_number(struct trial *trial, const char *pointer, double number)
{
    note(trial, pointer)->number = number;
}

static void note_bool(struct trial *trial, const char *pointer, bool value)
{
    struct cure_change *change = note(trial, pointer);
    change->is_bool = true;
    change->number = value ? 1.0 : 0.0;
}

static bool device_sampling(struct trial *trial)
{
    if (trial->problem.dep.sampler == SAMPLER_DEVICE)
        return false;
    trial->problem.dep.sampler = SAMPLER_DEVICE;
    note_text(trial, "/deployment/sampler", "device");
    return true;
}

static bool cuda_graphs(struct trial *trial)
{
    if (trial->problem.dep.cuda_graphs)
        return false;
    trial->problem.dep.cuda_graphs = true;
    note_bool(trial, "/deployment/cuda_graphs", true);
    return true;
}

static bool async_scheduling(struct trial *trial)
{
    const struct deployment *dep = &trial->problem.dep;
    if (dep->async_scheduling || dep->engine->memory_rule == MEMORY_LLAMACPP)
        return false;
    trial->problem.dep.async_scheduling = true;
    note_bool(trial, "/deployment/async_scheduling", true);
    return true;
}

static bool is_llamacpp(const struct trial *trial)
{
    return trial->problem.dep.engine->memory_rule == MEMORY_LLAMACPP;
}

static bool set_weights(struct trial *trial, const char *id)
{
    const struct weight_format *now = trial->problem.dep.weights;
    const struct weight_format *format = library_weight_format(trial->problem.lib, id);
    if (format != NULL)
        format = library_model_format(trial->problem.lib, trial->problem.model, format);
    if (format == NULL || format->bytes[ROLE_DENSE_FFN] > SMALLER * now->bytes[ROLE_DENSE_FFN] ||
        (now->is_quantized && trial->problem.model->native_experts_only))
        return false;
    trial->problem.dep.weights = format;
    if (trial->problem.dep.expert_weights != NULL &&
        format->bytes[ROLE_EXPERT] < trial->problem.dep.expert_weights->bytes[ROLE_EXPERT])
        trial->problem.dep.expert_weights = NULL;
    note_text(trial, "/deployment/weights", format->id);
    return true;
}

static bool fp8_weights(struct trial *trial)
{
    return set_weights(trial, is_llamacpp(trial) ? "q8_0" : "fp8");
}

static bool int4_weights(struct trial *trial)
{
    return set_weights(trial, is_llamacpp(trial) ? "q4_k_m" : "awq");
}

static bool fp8_kv(struct trial *trial)
{
    const struct kv_format *format =
        library_kv_format(trial->problem.lib, is_llamacpp(trial) ? "q8_0" : "fp8");
    if (format == NULL ||
        format->bytes_per_element >= trial->problem.dep.kv_cache->bytes_per_element ||
        trial->here->memory.kv_bytes_per_token <= 0.0)
        return false;
    trial->problem.dep.kv_cache = format;
    note_text(trial, "/deployment/kv_cache", format->id);
    return true;
}

/* The attention mixer with the most cached elements, or NULL. */
static const struct mixer *widest_cache(const struct model *model)
{
    const struct mixer *widest = NULL;
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_mixers; j++) {
            const struct mixer *mixer = &model->groups[i].mixers[j];
            if (mixer->cached_per_token > 0.0 &&
                (widest == NULL || mixer->cached_per_token > widest->cached_per_token))
                widest = mixer;
        }
    return widest;
}

/* Another model: the same with a narrower cache, expressed as bytes per element. */
static bool narrow_cache(struct trial *trial, double factor, const char *text)
{
    if (factor >= 1.0)
        return false;
    trial->kv = *trial->problem.dep.kv_cache;
    trial->kv.bytes_per_element *= factor;
    trial->problem.dep.kv_cache = &trial->kv;
    trial->hypothetical = true;
    note_text(trial, "/model", text);
    return true;
}

static bool gqa_model(struct trial *trial)
{
    const struct mixer *mixer = widest_cache(trial->problem.model);
    if (mixer == NULL || mixer->kv_replicated || mixer->n_heads / mixer->n_kv_heads >= GQA_GROUP)
        return false;
    return narrow_cache(trial, mixer->n_heads / mixer->n_kv_heads / GQA_GROUP,
                        "a model like this one with four query heads per KV head");
}

static bool mla_model(struct trial *trial)
{
    const struct mixer *mixer = widest_cache(trial->problem.model);
    if (mixer == NULL || trial->problem.model->has_mla || mixer->kv_replicated)
        return false;
    /* The latent is whole on every rank, where the heads were divided. */
    double now = mixer->cached_per_token * mixer_cache_share(mixer, trial->problem.dep.tp);
    return narrow_cache(trial, MLA_ELEMENTS / now,
                        "a model like this one with a latent cache (MLA, 576 elements a layer)");
}

static bool heads_divide(const struct model *model, double tp)
{
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_mixers; j++)
            if (fmod(model->groups[i].mixers[j].n_heads, tp) != 0.0)
                return false;
    return true;
}

static bool tensor_parallel(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double tp = dep->tp * 2.0;
    if (tp * dep->dp > fmax(trial->problem.hw->link_domain, 1.0) ||
        !heads_divide(trial->problem.model, tp))
        return false;
    dep->tp = tp;
    note_number(trial, "/deployment/tp", tp);
    return true;
}

static bool replicas_for_tp(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (dep->tp < 2.0 || fmod(dep->tp, 2.0) != 0.0 || dep->ep > dep->tp * dep->dp / 2.0)
        return false;
    dep->tp /= 2.0;
    dep->replicas *= 2.0;
    note_number(trial, "/deployment/tp", dep->tp);
    note_number(trial, "/deployment/replicas", dep->replicas);
    return true;
}

static bool attention_dp(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (!trial->problem.model->has_mla || !trial->problem.model->has_moe || dep->tp < 2.0 ||
        dep->dp > 1.0)
        return false;
    dep->dp = dep->tp;
    dep->tp = 1.0;
    dep->ep = dep->dp;
    note_number(trial, "/deployment/dp", dep->dp);
    note_number(trial, "/deployment/tp", 1.0);
    note_number(trial, "/deployment/ep", dep->ep);
    return true;
}

static bool expert_parallel(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    double devices = dep->tp * dep->dp;
    if (!trial->problem.model->has_moe || devices < 2.0 || dep->ep >= devices)
        return false;
    dep->ep = devices;
    note_number(trial, "/deployment/ep", devices);
    return true;
}

static bool ep_no_cpu_sync(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (!dep->ep_cpu_sync || dep->dp < 2.0 || !trial->problem.model->has_moe)
        return false;
    dep->ep_cpu_sync = false;
    note_bool(trial, "/deployment/ep_cpu_sync", false);
    return true;
}

static void share_prompt(struct trial *trial)
{
    struct workload *load = &trial->problem.load;
    if (load->cached_prefix_tokens > 0.0)
        return;
    load->cached_prefix_tokens = floor(load->input_tokens * ASSUMED_SHARED_PROMPT);
    trial->hypothetical = true;
    note_number(trial, "/workload/cached_prefix_tokens", load->cached_prefix_tokens);
}

static bool prefix_caching(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (dep->prefix_caching && trial->problem.load.cached_prefix_tokens > 0.0)
        return false;
    if (!dep->prefix_caching) {
        dep->prefix_caching = true;
        note_bool(trial, "/deployment/prefix_caching", true);
    }
    share_prompt(trial);
    return true;
}

static bool kv_tiering(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (dep->kv_tier != KV_TIER_NONE || is_llamacpp(trial) ||
        trial->here->memory.kv_bytes_per_token <= 0.0)
        return false;
    if (dep->prefix_caching && trial->problem.load.cached_prefix_tokens > 0.0)
        return false;
    dep->kv_tier = KV_TIER_HOST;
    note_text(trial, "/deployment/kv_tier/kind", "host");
    share_prompt(trial);
    return true;
}

static bool shared_prefix_kernel(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (dep->shared_prefix_kernel || load_reused_tokens(&trial->problem) <= 0.0)
        return false;
    dep->shared_prefix_kernel = true;
    note_bool(trial, "/deployment/shared_prefix_kernel", true);
    return true;
}

static bool bounded_detokenization(struct trial *trial)
{
    if (trial->problem.dep.priming == PRIMING_BOUNDED)
        return false;
    trial->problem.dep.priming = PRIMING_BOUNDED;
    note_text(trial, "/deployment/detokenizer_priming", "bounded");
    return true;
}

static bool native_control_plane(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (dep->control_plane == CONTROL_NATIVE || !dep->engine->python_control_plane)
        return false;
    dep->control_plane = CONTROL_NATIVE;
    note_text(trial, "/deployment/control_plane", "native");
    return true;
}

static bool bounded_predicate(struct trial *trial)
{
    if (trial->problem.dep.predicate != PREDICATE_FULL_SCAN)
        return false;
    trial->problem.dep.predicate = PREDICATE_BOUNDED;
    note_text(trial, "/deployment/reasoning_predicate", "bounded");
    return true;
}

static bool drop_logit_processors(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (dep->logit_processors == 0 && dep->logprobs <= 0.0)
        return false;
    dep->logit_processors = 0;
    dep->logprobs = 0.0;
    note_text(trial, "/deployment/logit_processors", "none");
    return true;
}

static bool speculative_decoding(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (dep->spec_method != SPEC_NONE)
        return false;
    bool mtp = trial->problem.model->mtp_layers > 0.0;
    dep->spec_method = mtp ? SPEC_MTP : SPEC_EAGLE3;
    dep->spec_tokens = ASSUMED_DRAFT_TOKENS;
    dep->spec_acceptance = ASSUMED_ACCEPTANCE;
    trial->hypothetical = true;
    note_text(trial, "/deployment/speculative/method", mtp ? "mtp" : "eagle3");
    note_number(trial, "/deployment/speculative/tokens", dep->spec_tokens);
    note_number(trial, "/deployment/speculative/acceptance", dep->spec_acceptance);
    return true;
}

static bool no_speculation(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (dep->spec_method == SPEC_NONE)
        return false;
    dep->spec_method = SPEC_NONE;
    note_text(trial, "/deployment/speculative/method", "none");
    return true;
}

static bool no_batch_invariance(struct trial *trial)
{
    if (!trial->problem.dep.batch_invariant)
        return false;
    trial->problem.dep.batch_invariant = false;
    note_bool(trial, "/deployment/batch_invariant", false);
    return true;
}

static bool larger_chunks(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (dep->chunked_prefill_tokens <= 0.0 || dep->chunked_prefill_tokens >= LARGE_CHUNK ||
        trial->problem.load.input_tokens <= dep->chunked_prefill_tokens)
        return false;
    dep->chunked_prefill_tokens = LARGE_CHUNK;
    note_number(trial, "/deployment/chunked_prefill_tokens", LARGE_CHUNK);
    return true;
}

static bool disaggregation(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (dep->disaggregated || trial->problem.load.concurrency < 2.0 || is_llamacpp(trial))
        return false;
    dep->disaggregated = true;
    dep->disagg_prefill_devices = dep->tp * dep->pp * dep->dp;
    dep->disagg_tp = dep->tp;
    dep->disagg_dp = dep->dp;
    dep->disagg_ep = dep->ep;
    note_number(trial, "/deployment/disaggregation/prefill_devices", dep->disagg_prefill_devices);
    return true;
}

static bool more_memory_share(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    if (is_llamacpp(trial) || dep->memory_utilization >= HIGH_UTILIZATION ||
        trial->here->regime != REGIME_CAPACITY)
        return false;
    dep->memory_utilization = HIGH_UTILIZATION;
    note_number(trial, "/deployment/memory_utilization", HIGH_UTILIZATION);
    return true;
}

static bool more_slots(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    dep->max_num_seqs = fmin(dep->max_num_seqs * 2.0, MOST_SLOTS);
    note_number(trial, "/deployment/max_num_seqs", dep->max_num_seqs);
    return true;
}

static bool flash_attention(struct trial *trial)
{
    struct deployment *dep = &trial->problem.dep;
    dep->flash_attention = !dep->flash_attention;
    note_bool(trial, "/deployment/flash_attention", dep->flash_attention);
    return true;
}

static bool http_threads(struct trial *trial)
{
    trial->problem.dep.http_threads_factor *= 2.0;
    note_number(trial, "/deployment/http_threads_factor", trial->problem.dep.http_threads_factor);
    return true;
}

static bool faster_gpu(struct trial *trial)
{
    trial->scale.bandwidth = FASTER_PART;
    trial->scale.compute = FASTER_PART;
    trial->hypothetical = true;
    note_text(trial, "/hardware", "a part with 1.5 times the bandwidth and the peaks");
    return true;
}

const struct cure_row CURES[] = {
    {{"device_sampling",
      "Sample on the device",
      "/deployment/sampler",
      "No logits row crosses to the host and no CPU chain runs per row and vocabulary entry.",
      "At one slot it changes little, and was measured 2 to 13 % slower on some parts.",
      false,
      {"llamacpp-27050-32slot-host-sampling", "imp-974-batched-sampling-readback",
       "gpullama3-129-on-device-sampling", "llamacpp-17004-backend-sampling-runtime", NULL}},
     device_sampling},
    {{"cuda_graphs",
      "Capture the step in a graph",
      "/deployment/cuda_graphs",
      "One launch replaces one per kernel, and programmatic launch hides part of each kernel's own "
      "start.",
      "A step that waits for bandwidth hides its launches already.",
      false,
      {"nvidia-cuda-graphs-v100", "launch-overhead-secondary-set", NULL}},
     cuda_graphs},
    {{"async_scheduling",
      "Schedule the next step while the device runs",
      "/deployment/async_scheduling",
      "Host work moves behind the device's instead of adding to it.",
      "Nothing hides when the host takes longer than the device.",
      false,
      {NULL}},
     async_scheduling},
    {{"fp8_weights",
      "8-bit weights",
      "/deployment/weights",
      "Half the bytes of every weight read.",
      "A part without an 8-bit multiply gains bandwidth only; KV reads are unchanged.",
      false,
      {NULL}},
     fp8_weights},
    {{"int4_weights",
      "4-bit weights",
      "/deployment/weights",
      "A quarter of the bytes of every weight read.",
      "The multiply stays 16-bit: prefill and large batches do not gain.",
      false,
      {NULL}},
     int4_weights},
    {{"fp8_kv",
      "8-bit KV cache",
      "/deployment/kv_cache",
      "Half the bytes of every cached token, read and stored.",
      "Short contexts at small batches read little KV; below 7,000 tokens it was measured slower.",
      false,
      {"vllm-h100-llama31-8b-itl-ttft-fp8kv", "vllm-h100-load-20k", "vllm-b200-llama31-8b-itl-ttft",
       NULL}},
     fp8_kv},
    {{"gqa_model",
      "A model with grouped KV heads",
      "/model",
      "Fewer KV heads, each read for several queries.",
      "It is another model.",
      false,
      {NULL}},
     gqa_model},
    {{"mla_model",
      "A model with a latent cache",
      "/model",
      "One latent of 576 elements a layer serves every head.",
      "It is another model; tensor parallelism copies the latent.",
      false,
      {NULL}},
     mla_model},
    {{"tensor_parallel",
      "Twice the tensor parallelism",
      "/deployment/tp",
      "Each device holds and reads half of the weights and heads.",
      "All-reduces grow, launches stay; it takes twice the devices.",
      false,
      {"databricks-mpt7b-ttft", NULL}},
     tensor_parallel},
    {{"replicas_for_tp",
      "Two replicas at half the tensor parallelism",
      "/deployment/tp",
      "The same devices without half of the all-reduces, each serving half of the load.",
      "Every device reads twice the weights.",
      false,
      {NULL}},
     replicas_for_tp},
    {{"attention_dp",
      "Attention data parallelism",
      "/deployment/dp",
      "The latent cache is divided by sequence instead of being copied on every tensor-parallel "
      "rank.",
      "A single sequence uses one rank's attention.",
      false,
      {"lmsys-large-scale-ep", NULL}},
     attention_dp},
    {{"expert_parallel",
      "Whole experts per device",
      "/deployment/ep",
      "Fewer, wider expert matrices on each device.",
      "The busiest device decides the step.",
      false,
      {"lmsys-large-scale-ep", NULL}},
     expert_parallel},
    {{"ep_no_cpu_sync",
      "Expert dispatch without a host round trip",
      "/deployment/ep_cpu_sync",
      "The grouped GEMM finds its ranges on the device.",
      "Nobody published the latency difference.",
      false,
      {NULL}},
     ep_no_cpu_sync},
    {{"prefix_caching",
      "Reuse the KV of shared prompts",
      "/deployment/prefix_caching",
      "Cached prompt tokens skip their prefill.",
      "It leaves decode as it was, and gives nothing without shared prefixes.",
      false,
      {"vllm-apc-limits", "pegaflow-h800-10k-ttft", NULL}},
     prefix_caching},
    {{"kv_tiering",
      "Keep KV in host memory",
      "/deployment/kv_tier",
      "A prefix that left the device is copied back instead of computed again.",
      "The copy takes the host link; decode is unchanged.",
      false,
      {"vllm-h100-llama31-8b-ttft-vs-length", "pegaflow-h800-10k-ttft", NULL}},
     kv_tiering},
    {{"shared_prefix_kernel",
      "Read a shared prefix once per batch",
      "/deployment/shared_prefix_kernel",
      "A cascade kernel reads the common part of the cache once for all sequences.",
      "Only the shared part of the context gains.",
      false,
      {NULL}},
     shared_prefix_kernel},
    {{"bounded_detokenization",
      "Prime the detokeniser with the last ids only",
      "/deployment/detokenizer_priming",
      "Priming costs the last 32 ids instead of the whole prompt.",
      "It touches TTFT alone.",
      false,
      {"vllm-51281-decodestream-priming", "vllm-57330-decodestream-998k", NULL}},
     bounded_detokenization},
    {{"native_control_plane",
      "A control plane that is not Python",
      "/deployment/control_plane",
      "The scheduler's fixed and per-sequence cost shrinks.",
      "Measured gains were small where the scheduler was a tenth of the step.",
      false,
      {"vllm-40459-rust-control-plane", "trtllm-10273-scheduler-share",
       "vllm-rust-frontend-inferencex-1634", NULL}},
     native_control_plane},
    {{"bounded_predicate",
      "O(1) host predicates",
      "/deployment/reasoning_predicate",
      "The reasoning-end test looks at the new tokens instead of the whole sequence.",
      "It matters with reasoning parsers and structured output only.",
      false,
      {"vllm-54453-muse-glimmer-reasoning-end", "vllm-55223-reasoning-scan", NULL}},
     bounded_predicate},
    {{"drop_logit_processors",
      "Without penalties, masks and logprobs",
      "/deployment/logit_processors",
      "No per-request lists are rebuilt on the host and no extra pass runs over the logits.",
      "It changes what is sampled.",
      false,
      {"vllm-13247-penalties-tpot", "vllm-penalties-primerl-2772",
       "vllm-47540-persistent-penalty-state", "pegainfer-719-logprobs-host-reduction", NULL}},
     drop_logit_processors},
    {{"speculative_decoding",
      "Speculative decoding",
      "/deployment/speculative",
      "One weight read verifies several tokens.",
      "At large batches the verify step becomes compute-bound; the acceptance decides.",
      false,
      {"trtllm-deepseek-r1-minlatency", "llamacpp-28196-5090-mtp", NULL}},
     speculative_decoding},
    {{"no_speculation",
      "Without speculative decoding",
      "/deployment/speculative",
      "No draft passes and one row per sequence.",
      "Where acceptance is high it is slower.",
      false,
      {NULL}},
     no_speculation},
    {{"no_batch_invariance",
      "Without batch-invariant kernels",
      "/deployment/batch_invariant",
      "Kernels may split and tile for speed again.",
      "Results depend on the batch.",
      false,
      {"thinkingmachines-batch-invariant", NULL}},
     no_batch_invariance},
    {{"larger_chunks",
      "Larger prefill chunks",
      "/deployment/chunked_prefill_tokens",
      "Weights are read once per larger chunk.",
      "Decode steps that carry a chunk take longer.",
      false,
      {NULL}},
     larger_chunks},
    {{"disaggregation",
      "Prefill on devices of its own",
      "/deployment/disaggregation",
      "Prompts no longer interrupt decode steps.",
      "It takes more devices and moves the KV over a link.",
      false,
      {NULL}},
     disaggregation},
    {{"more_memory_share",
      "A larger share of the memory for KV",
      "/deployment/memory_utilization",
      "The pool holds more sequences.",
      "Less room is left for activations and other processes.",
      false,
      {NULL}},
     more_memory_share},
    {{"more_slots",
      "Twice the slots",
      "/deployment/max_num_seqs",
      "More sequences share each weight read.",
      "It admits nobody when fewer are in flight, and multiplies host work per sequence.",
      true,
      {"llamacpp-27050-32slot-host-sampling", NULL}},
     more_slots},
    {{"flash_attention",
      "The other attention kernel",
      "/deployment/flash_attention",
      "The fused kernel writes no score matrix.",
      "Decode reads the same cache either way.",
      true,
      {"llamacpp-27050-32slot-host-sampling", NULL}},
     flash_attention},
    {{"http_threads",
      "Twice the HTTP threads",
      "/deployment/http_threads_factor",
      "Requests are parsed and streamed on more threads.",
      "They are not on the step's critical path.",
      true,
      {"llamacpp-27050-32slot-host-sampling", NULL}},
     http_threads},
    {{"faster_gpu",
      "A faster part",
      "/hardware",
      "1.5 times the bandwidth and the compute.",
      "Host work and launches do not shrink with it.",
      true,
      {NULL}},
     faster_gpu},
};

const int N_CURES = (int)ARRAY_LEN(CURES);

const struct cure_info *cure_info(int index)
{
    return index >= 0 && index < N_CURES ? &CURES[index].info : NULL;
}
