/*
 * symptoms.h - what was seen of a deployment, as signs and topics.
 *
 * Purpose: the vocabulary of a diagnosis. A sign is one thing that can be seen (GPU utilisation is
 *          low; the KV cache is full; stalls come at regular intervals); a topic is something that
 *          a deployment has more or less of (LoRA, CUDA graphs, tensor parallelism, a proxy) and in
 *          which two runs may differ. Rules name both, readers set them.
 * Units:   a sign's figures are those its text has holes for.
 * Ownership: plain data; texts are borrowed.
 * Threads: pure; tables are constant.
 */
#ifndef REGIME_SYMPTOMS_H
#define REGIME_SYMPTOMS_H

#include <stdbool.h>

#include "causes.h"

/* Where a sign is from, the most reliable last. */
#define ORIGIN_LIST(X)                                                                             \
    X(ORIGIN_NONE, "none")                                                                         \
    X(ORIGIN_WORDS, "words")           /* a phrase of a title, a symptom, what changed */          \
    X(ORIGIN_DEPLOYMENT, "deployment") /* the model, the part, flags, features */                  \
    X(ORIGIN_LOG, "log")               /* lines of an engine's log */                              \
    X(ORIGIN_FIELDS, "fields")         /* figures of the request */                                \
    X(ORIGIN_METRICS, "metrics")       /* scrapes, nvidia-smi */                                   \
    X(ORIGIN_ARMS, "arms")             /* runs that differ in something */                         \
    X(ORIGIN_PLAN, "plan")             /* figures beside the planner's budget */

#define X(ID, NAME) ID,

enum origin { ORIGIN_LIST(X) ORIGIN_COUNT };

#undef X

/*
 * Signs: id, name, the sentence with its figures ({nA}, {pA}, {tA}, {wA}, {sS}: phrase.h), and how
 * it is looked for. Append only.
 */
#define SIGN_LIST(X)                                                                               \
    X(SIGN_GPU_UNDERUSED, "gpu_underused", "GPU utilisation is {pA}",                              \
      "nvidia-smi dmon -s pucvt while the load runs")                                              \
    X(SIGN_GPU_BUSY, "gpu_busy", "the GPU is {pA} busy",                                           \
      "nvidia-smi dmon -s pucvt while the load runs")                                              \
    X(SIGN_CPU_SATURATED, "cpu_saturated", "a host core is {pA} busy",                             \
      "top -H -p $(pgrep -f EngineCore): does one thread stand at 100 %?")                         \
    X(SIGN_CPU_IDLE, "cpu_idle", "the host is only {pA} busy",                                     \
      "top -H -p $(pgrep -f EngineCore): does one thread stand at 100 %?")                         \
    X(SIGN_GPU_GAPS, "gpu_gaps", "the GPU idles between steps{sS}",                                \
      "nsys profile -t cuda -d 10: how long are the gaps between the kernels of two steps?")       \
    X(SIGN_POWER_LOW, "power_low", "the GPU draws {wA} W of its {wB} W",                           \
      "nvidia-smi --query-gpu=power.draw,power.limit,clocks.sm --format=csv -l 1")                 \
    X(SIGN_POWER_CAPPED, "power_capped", "the GPU stands at its power limit{sS}",                  \
      "nvidia-smi -q -d PERFORMANCE,POWER: is SW Power Cap active?")                               \
    X(SIGN_CLOCKS_LOW, "clocks_low", "the SM clock is low{sS}",                                    \
      "nvidia-smi --query-gpu=clocks.sm,clocks.max.sm,clocks_event_reasons.active --format=csv")   \
    X(SIGN_HOT, "hot", "the GPU is hot or throttles for heat{sS}",                                 \
      "nvidia-smi -q -d TEMPERATURE,PERFORMANCE: is a thermal slowdown active?")                   \
    X(SIGN_KV_FULL, "kv_full", "the KV cache is {pA} full",                                        \
      "the engine's KV usage metric (vllm:kv_cache_usage_perc, sglang:token_usage) under load")    \
    X(SIGN_KV_FREE, "kv_free", "the KV cache is only {pA} full",                                   \
      "the engine's KV usage metric (vllm:kv_cache_usage_perc, sglang:token_usage) under load")    \
    X(SIGN_WAITING, "waiting", "{wA} requests wait while {wB} run",                                \
      "the engine's waiting and running gauges under load")                                        \
    X(SIGN_NOBODY_WAITS, "nobody_waits", "no request waits",                                       \
      "the engine's waiting and running gauges under load")                                        \
    X(SIGN_PREEMPTED, "preempted", "running requests were preempted{sS}",                          \
      "vllm:num_preemptions_total (SGLang: retractions in the log) over a minute")                 \
    X(SIGN_NO_PREEMPTION, "no_preemption", "no request was preempted",                             \
      "vllm:num_preemptions_total (SGLang: retractions in the log) over a minute")                 \
    X(SIGN_RUNNING_AT_CAP, "running_at_cap", "{wA} requests run and max_num_seqs is {wB}",         \
      "the running gauge beside max_num_seqs")                                                     \
    X(SIGN_RUNNING_BELOW_ASKED, "running_below_asked",                                             \
      "{nA} sequences run where {nB} were asked for", "the running gauge beside the concurrency")  \
    X(SIGN_SEQS_CAPPED, "seqs_capped", "max_num_seqs admits {wA} sequences, {wB} were asked for",  \
      "max_num_seqs of the launch beside the concurrency")                                         \
    X(SIGN_KV_CANNOT_HOLD, "kv_cannot_hold",                                                       \
      "the budget's KV pool holds {nA} sequences of these lengths, {wB} were asked for",           \
      "the engine's log at start: GPU KV cache size, Maximum concurrency")                         \
    X(SIGN_KV_HOLDS, "kv_holds",                                                                   \
      "the budget's KV pool holds {nA} sequences of these lengths, {wB} were asked for",           \
      "the engine's log at start: GPU KV cache size, Maximum concurrency")                         \
    X(SIGN_KV_SMALLER_THAN_LOGGED, "kv_smaller_than_logged",                                       \
      "the pool was full with fewer tokens alive than the log promised{sS}",                       \
      "KV tokens alive at the first preemption beside the log's GPU KV cache size")                \
    X(SIGN_KV_POOL_SHRANK, "kv_pool_shrank", "the KV pool came out small{sS}",                     \
      "the engine's log at start: memory of weights, activation peak, graphs, KV")                 \
    X(SIGN_TTFT_HUGE, "ttft_huge", "time to first token is {tA}{sS}",                              \
      "queue time beside prefill time (vllm:request_queue_time_seconds)")                          \
    X(SIGN_TTFT_HIGH, "ttft_high", "time to first token is high{sS}",                              \
      "queue time beside prefill time (vllm:request_queue_time_seconds)")                          \
    X(SIGN_TTFT_GROWS, "ttft_grows", "time to first token grows with the load{sS}",                \
      "time to first token at 1, 8 and 32 concurrent requests")                                    \
    X(SIGN_TTFT_AT_BUDGET, "ttft_at_budget", "time to first token is {tA}, the budget gives {tB}", \
      "time to first token, unloaded")                                                             \
    X(SIGN_TPOT_HIGH, "tpot_high", "time per token is {tA}, {nB} times what the budget gives{sS}", \
      "time per output token at this load")                                                        \
    X(SIGN_TPOT_AT_BUDGET, "tpot_at_budget", "time per token is {tA}, the budget gives {tB}",      \
      "time per output token at this load")                                                        \
    X(SIGN_TPOT_AT_FLOOR, "tpot_at_floor",                                                         \
      "time per token is {tA}, {nB} times the floor of reading weights and cache once",            \
      "time per output token at one request")                                                      \
    X(SIGN_TPOT_SUPERLINEAR, "tpot_superlinear",                                                   \
      "time per token grows faster than the concurrency{sS}",                                      \
      "time per output token at 1, 8 and 32 concurrent requests")                                  \
    X(SIGN_THROUGHPUT_FLAT, "throughput_flat", "throughput stops growing with the load{sS}",       \
      "output tokens/s at 1, 8, 32 and 64 concurrent requests")                                    \
    X(SIGN_THROUGHPUT_FALLS, "throughput_falls", "throughput falls as the load rises{sS}",         \
      "output tokens/s at 1, 8, 32 and 64 concurrent requests")                                    \
    X(SIGN_UTILIZATION_FALLS, "utilization_falls", "GPU utilisation falls as the load rises",      \
      "GPU utilisation at 1, 8 and 32 concurrent requests")                                        \
    X(SIGN_ITL_SPIKES, "itl_spikes", "single tokens take far longer than most{sS}",                \
      "p50 and p99 of the inter-token latency")                                                    \
    X(SIGN_STALLS, "stalls", "the server stalls now and then{sS}",                                 \
      "a timeline of inter-token latencies: when do the pauses come?")                             \
    X(SIGN_STALLS_REGULAR, "stalls_regular", "the pauses come at regular intervals{sS}",           \
      "a timeline of inter-token latencies: do the pauses come at regular intervals?")             \
    X(SIGN_STALLS_GROW, "stalls_grow", "the pauses grow with time{sS}",                            \
      "the longest pause of the first and of the third hour")                                      \
    X(SIGN_ONE_RANK_STALLS, "one_rank_stalls", "one rank stands still while its peers wait busy",  \
      "py-spy dump of each rank during a pause: which one is not in a collective?")                \
    X(SIGN_LOCKSTEP, "lockstep", "the ranks run in lockstep",                                      \
      "the launch: tensor, expert or data parallel ranks that share collectives")                  \
    X(SIGN_GC_SEEN, "gc_seen", "garbage collection is on the timeline{sS}",                        \
      "gc.callbacks or PYTHONGC logging: how long does a gen-2 collection take?")                  \
    X(SIGN_PREFIX_MISSES, "prefix_misses", "the prefix cache hits {pA} of the tokens",             \
      "prefix cache hits over queries (vllm:prefix_cache_hits_total)")                             \
    X(SIGN_PREFIX_HITS, "prefix_hits", "the prefix cache hits {pA} of the tokens",                 \
      "prefix cache hits over queries (vllm:prefix_cache_hits_total)")                             \
    X(SIGN_REPROCESSED, "reprocessed", "a prompt seen before is processed again{sS}",              \
      "cached tokens in the usage of the second of two equal prompts")                             \
    X(SIGN_ACCEPTANCE_LOW, "acceptance_low", "few drafted tokens are accepted{sS}",                \
      "accepted over drafted tokens (vllm:spec_decode_num_accepted_tokens_total)")                 \
    X(SIGN_ACCEPTANCE_DIMINISHES, "acceptance_diminishes",                                         \
      "more drafted tokens are hardly accepted more often{sS}",                                    \
      "accepted tokens per step at 2 and 4 drafted tokens")                                        \
    X(SIGN_GAIN_ONLY_ALONE, "gain_only_alone", "the gain is there at batch 1 and gone above{sS}",  \
      "the same comparison at 1 and at 32 concurrent requests")                                    \
    X(SIGN_OOM, "oom", "memory runs out{sS}", "the last lines of the log before the failure")      \
    X(SIGN_OOM_AT_CAPTURE, "oom_at_capture", "the start fails while graphs are captured",          \
      "the last lines of the log before the failure: is it capturing graphs?")                     \
    X(SIGN_OOM_AFTER_POOL, "oom_after_pool", "memory runs out after the KV pool was allocated",    \
      "free memory after the KV pool in the log beside what the backend then asks for")            \
    X(SIGN_OOM_AT_PREFILL, "oom_at_prefill", "memory runs out at a long prompt",                   \
      "the last lines of the log before the failure: how many tokens was the step?")               \
    X(SIGN_BACKEND_WORKSPACE, "backend_workspace", "an attention backend with a workspace{sS}",    \
      "the attention backend's workspace in the log")                                              \
    X(SIGN_LARGE_STEP, "large_step", "a step may hold {wA} tokens for {wB} sequences",             \
      "the launch: max_num_batched_tokens, chunked prefill size")                                  \
    X(SIGN_ACTIVATION_LARGE, "activation_large", "the activation peak is large{sS}",               \
      "the engine's log at start: peak activation memory")                                         \
    X(SIGN_AFTER_UPGRADE, "after_upgrade", "it began with another version{sS}",                    \
      "the same load on the version before")                                                       \
    X(SIGN_GROWS_WITH_UPTIME, "grows_with_uptime", "it gets worse with the hours{sS}",             \
      "the same load after a restart")                                                             \
    X(SIGN_HOST_MEMORY_GROWS, "host_memory_grows", "host memory grows without end{sS}",            \
      "resident memory of the server's processes over an hour")                                    \
    X(SIGN_FIRST_IS_SLOW, "first_is_slow", "only the first requests are slow",                     \
      "the same request twice after a start")                                                      \
    X(SIGN_SLOWS_WITH_CONTEXT, "slows_with_context",                                               \
      "tokens take longer as the context grows{sS}",                                               \
      "time per token at 1k and at 32k tokens of context")                                         \
    X(SIGN_SLOWS_WITH_SLOTS, "slows_with_slots",                                                   \
      "it slows with each finished request or with idle slots",                                    \
      "time per token with one slot and with all of them, one of them busy")                       \
    X(SIGN_UNIFIED_KV, "unified_kv", "many slots share one KV buffer",                             \
      "the launch: slots and context of llama-server")                                             \
    X(SIGN_DROP_AT_BATCH, "drop_at_batch", "speed drops at certain batch sizes{sS}",               \
      "tokens/s at batch sizes around the captured ones")                                          \
    X(SIGN_OFF_STRIDE, "off_stride", "{sS} is {wA}, no multiple of the captured batch sizes",      \
      "the captured sizes in the log beside max_num_seqs and max_num_batched_tokens")              \
    X(SIGN_BATCH_PAST_GRAPHS, "batch_past_graphs", "graphs are captured to {wA} rows, {wB} run",   \
      "the captured sizes in the log beside the running batch")                                    \
    X(SIGN_GRAPHS_OFF, "graphs_off", "steps run without CUDA graphs{sS}",                          \
      "the launch: --enforce-eager, --disable-cuda-graph, torch.compile")                          \
    X(SIGN_LOCAL_ENGINE, "local_engine", "this engine leaves to the CPU what does not fit",        \
      "the loader's log: layers offloaded, CPU buffer size; ollama ps")                            \
    X(SIGN_TOO_LARGE, "too_large", "the weights need {nA} GB where {nB} GB are usable",            \
      "the size of the model file beside the memory of the part")                                  \
    X(SIGN_EAGER_ENGINE, "eager_engine",                                                           \
      "this engine runs kernel by kernel unless it is compiled",                                   \
      "the launch: --enforce-eager, --disable-cuda-graph, torch.compile")                          \
    X(SIGN_MODE_SWITCHED, "mode_switched", "decode runs in another mode than at its start",        \
      "the captured sizes in the log beside what runs now")                                        \
    X(SIGN_EAGER_FITS, "eager_fits",                                                               \
      "without graphs the budget gives {tA}, which is what is seen{sS}",                           \
      "the same run with graphs captured or torch.compile")                                        \
    X(SIGN_SYNC_FITS, "sync_fits",                                                                 \
      "with the host's work in series the budget gives {tA}, which is what is seen",               \
      "the same run with asynchronous (overlap) scheduling")                                       \
    X(SIGN_HOST_SAMPLER_FITS, "host_sampler_fits",                                                 \
      "with sampling on the host the budget gives {tA}, which is what is seen",                    \
      "the same run with greedy sampling")                                                         \
    X(SIGN_SERIAL_HOST, "serial_host",                                                             \
      "this engine runs the host's work in series with the GPU{sS}",                               \
      "the launch: asynchronous (overlap) scheduling, steps scheduled at once")                    \
    X(SIGN_SMALL_MODEL, "small_model", "the model is small{sS}", "the model's parameters")         \
    X(SIGN_MOE_MODEL, "moe_model", "the model has experts{sS}", "the model's config.json")         \
    X(SIGN_HYBRID_MODEL, "hybrid_model", "the model has recurrent or windowed layers{sS}",         \
      "the model's config.json")                                                                   \
    X(SIGN_LATENT_MODEL, "latent_model",                                                           \
      "the cache is one latent, whole on each of {wA} tensor-parallel ranks",                      \
      "the model's config.json")                                                                   \
    X(SIGN_WEIGHT_ONLY, "weight_only", "the weights are quantised, the arithmetic is 16 bits{sS}", \
      "the checkpoint's quantization_config")                                                      \
    X(SIGN_NO_NATIVE_PATH, "no_native_path", "the part has no arithmetic of that type{sS}",        \
      "the part's peak by type")                                                                   \
    X(SIGN_NO_FABRIC, "no_fabric", "{wA} devices are joined by PCIe alone",                        \
      "nvidia-smi topo -m: NV# or PHB/PIX/SYS between the devices?")                               \
    X(SIGN_FABRIC, "fabric", "the devices are joined by {sS}",                                     \
      "nvidia-smi topo -m: NV# or PHB/PIX/SYS between the devices?")                               \
    X(SIGN_CONSUMER_PART, "consumer_part", "the part is a consumer or workstation card",           \
      "nvidia-smi -L")                                                                             \
    X(SIGN_LINK_SHARE, "link_share", "the budget spends {pA} of a step on links",                  \
      "a profile: the share of all-reduce kernels")                                                \
    X(SIGN_WEIGHT_SHARE, "weight_share", "the budget spends {pA} of a step reading weights",       \
      "a profile: the share of GEMM kernels")                                                      \
    X(SIGN_KV_SHARE, "kv_share", "the budget spends {pA} of a step reading the cache",             \
      "a profile: the share of attention kernels")                                                 \
    X(SIGN_HOST_SHARE, "host_share", "the budget leaves {pA} of a step to the host",               \
      "a profile: how much of a step the GPU idles")                                               \
    X(SIGN_PREFILL_SHARE, "prefill_share", "prefills take {pA} of the budget's cycle",             \
      "prompt tokens/s beside output tokens/s")                                                    \
    X(SIGN_SATURATED, "saturated", "{nA} requests/s are sent, the budget finishes {nB}",           \
      "requests/s sent beside requests/s finished")                                                \
    X(SIGN_LONG_PROMPTS, "long_prompts", "prompts are long{sS}", "the lengths of the requests")    \
    X(SIGN_LONG_CONTEXT, "long_context", "contexts are long{sS}", "the lengths of the requests")   \
    X(SIGN_LARGE_BATCH, "large_batch", "the batch is large{sS}", "the running gauge")              \
    X(SIGN_SINGLE_STREAM, "single_stream", "one request runs at a time", "the running gauge")      \
    X(SIGN_PREFILL_SLOW, "prefill_slow", "prompts are processed slowly{sS}",                       \
      "prompt tokens/s of one long prompt alone")                                                  \
    X(SIGN_DECODE_SLOW, "decode_slow", "tokens come slowly{sS}", "tokens/s of one request alone")  \
    X(SIGN_DECODE_INSENSITIVE, "decode_insensitive",                                               \
      "decode keeps its speed while the clock or compute changes{sS}",                             \
      "decode and prefill speed at two SM clocks")                                                 \
    X(SIGN_PREFILL_SENSITIVE, "prefill_sensitive", "prefill follows the clock or compute",         \
      "decode and prefill speed at two SM clocks")                                                 \
    X(SIGN_PREFILL_INTERRUPTS, "prefill_interrupts", "prefills run between decode steps{sS}",      \
      "inter-token latency with and without arriving prompts")                                     \
    X(SIGN_LAYERS_ON_CPU, "layers_on_cpu", "part of the model runs on the CPU{sS}",                \
      "the loader's log: layers offloaded, CPU buffer size; ollama ps")                            \
    X(SIGN_FULL_SORT, "full_sort", "the sampler sorts the whole vocabulary{sS}",                   \
      "the same run with a finite top_k as the first sampler, or greedy")                          \
    X(SIGN_HOST_SAMPLER, "host_sampler", "this engine samples on the CPU{sS}",                     \
      "the engine: where its sampler runs")                                                        \
    X(SIGN_DEVICE_SAMPLER, "device_sampler", "this engine samples on the GPU",                     \
      "the engine: where its sampler runs")                                                        \
    X(SIGN_MOE_CONFIG_MISSING, "moe_config_missing",                                               \
      "the engine runs its experts with a default kernel configuration",                           \
      "the log: Using default MoE config. Performance might be sub-optimal")                       \
    X(SIGN_PROFILER_BLAMES_WAIT, "profiler_blames_wait",                                           \
      "a host profile puts the time into a copy or a synchronisation{sS}",                         \
      "a GPU timeline (nsys) beside the host profile: does the GPU work while the call waits?")    \
    X(SIGN_CONSTANT_DELAY, "constant_delay", "the delay is about the same at any load{sS}",        \
      "the added time at 1 and at 32 concurrent requests")                                         \
    X(SIGN_BURSTY_STREAM, "bursty_stream", "tokens reach the client in bursts",                    \
      "curl -N straight to the engine's port: do single tokens come?")                             \
    X(SIGN_BYTES_GROW, "bytes_grow", "a reply has many times the bytes{sS}",                       \
      "bytes of a reply with and without the feature")                                             \
    X(SIGN_API_CPU_GROWS, "api_cpu_grows", "the server's processes need more CPU{sS}",             \
      "CPU of the API process with and without the feature")                                       \
    X(SIGN_BARE_MODEL_FASTER, "bare_model_faster",                                                 \
      "the model alone is faster than the model being served{sS}",                                 \
      "time of a step of the model alone, without the server")                                     \
    X(SIGN_ENVIRONMENT_DIFFERS, "environment_differs",                                             \
      "the two runs start with other settings{sS}",                                                \
      "/proc/PID/environ and the command line of both processes")                                  \
    X(SIGN_MEDIA, "media", "requests carry images, video or audio{sS}",                            \
      "the same load with text alone")                                                             \
    X(SIGN_TRANSFER, "transfer", "prefill and decode run on other devices{sS}",                    \
      "time between the end of a prefill and the first decode step")                               \
    X(SIGN_EXPERTS_UNEVEN, "experts_uneven", "experts or ranks are loaded unevenly{sS}",           \
      "tokens per expert and rank over a minute")                                                  \
    X(SIGN_NUMA_SPLIT, "numa_split", "host threads and GPU sit on different sockets{sS}",          \
      "nvidia-smi topo -m (CPU affinity) beside taskset -p of the processes")                      \
    X(SIGN_FEW_CORES, "few_cores", "the host has few cores{sS}",                                   \
      "nproc and cpu.stat (throttled_usec) inside the container")                                  \
    X(SIGN_CPU_THROTTLED, "cpu_throttled", "the container's CPU quota is exhausted",               \
      "nproc and cpu.stat (throttled_usec) inside the container")                                  \
    X(SIGN_HOST_LINK_BUSY, "host_link_busy", "the host link is busy or narrow{sS}",                \
      "nvidia-smi -q -d PERFORMANCE | dmon -s t: PCIe generation, width and throughput")           \
    X(SIGN_OTHER_PROCESS, "other_process", "other processes use the GPU", "nvidia-smi pmon -c 5")  \
    X(SIGN_CLIENT_LIMIT, "client_limit", "the load generator may be the limit{sS}",                \
      "two load generators at once: does throughput rise?")                                        \
    X(SIGN_CPU_TEXT_WORK, "cpu_text_work", "text work per token or prompt is on the host{sS}",     \
      "py-spy top of the API process: tokenise, detokenise, JSON?")                                \
    X(SIGN_TEXT_ENGINE_IDLE, "engine_idle", "the engine has no work while requests are in flight", \
      "the running gauge while clients wait")                                                      \
    X(SIGN_RANKS_WAIT, "ranks_wait", "ranks wait for each other in collectives{sS}",               \
      "a profile of all ranks: which one enters the all-reduce last?")                             \
    X(SIGN_MANY_LAUNCHES, "many_launches", "the GPU runs many short kernels{sS}",                  \
      "nsys stats --report cuda_gpu_kern_sum: calls and mean time of a kernel")                    \
    X(SIGN_TIME_PER_DRAFT, "time_per_draft", "drafting and verifying cost time{sS}",               \
      "time of a step with and without drafting")                                                  \
    X(SIGN_GRAPHS_PARTLY, "graphs_partly", "only {pA} of the steps ran as a captured graph",       \
      "the captured sizes in the log beside the running batch")                                    \
    X(SIGN_GRAMMAR_SLOW_FIRST, "grammar_slow_first", "a grammar's first use is slow{sS}",          \
      "the same schema twice: is the second first token fast?")

#define X(ID, NAME, TEXT, MEASURE) ID,

enum sign_id { SIGN_LIST(X) SIGN_COUNT };

#undef X

/*
 * Topics: what a deployment has more or less of. Of two runs, the one that has more of it (or has
 * it at all) is said to be worse, better or the same. Append only.
 */
#define TOPIC_LIST(X)                                                                              \
    X(TOPIC_LORA, "LoRA")                                                                          \
    X(TOPIC_PENALTIES, "sampling penalties")                                                       \
    X(TOPIC_LOGPROBS, "logprobs")                                                                  \
    X(TOPIC_GUIDED, "guided decoding")                                                             \
    X(TOPIC_SORTING, "top-p/min-p without a small top-k")                                          \
    X(TOPIC_SAMPLING, "non-greedy sampling")                                                       \
    X(TOPIC_GRAPHS, "CUDA graphs")                                                                 \
    X(TOPIC_COMPILE, "compilation and fusion")                                                     \
    X(TOPIC_QUANTIZATION, "quantised weights")                                                     \
    X(TOPIC_KV_QUANTIZATION, "a quantised cache")                                                  \
    X(TOPIC_TP, "tensor parallelism")                                                              \
    X(TOPIC_PP, "pipeline stages")                                                                 \
    X(TOPIC_DP, "data parallelism")                                                                \
    X(TOPIC_EP, "expert parallelism")                                                              \
    X(TOPIC_DCP, "context parallelism")                                                            \
    X(TOPIC_DRAFT, "speculative decoding")                                                         \
    X(TOPIC_DRAFT_TOKENS, "drafted tokens")                                                        \
    X(TOPIC_VERSION, "the newer version")                                                          \
    X(TOPIC_PROXY, "a proxy or gateway")                                                           \
    X(TOPIC_BATCH, "batch or concurrency")                                                         \
    X(TOPIC_CONTEXT, "context length")                                                             \
    X(TOPIC_PREFIX_CACHE, "prefix caching")                                                        \
    X(TOPIC_OVERLAP, "asynchronous scheduling")                                                    \
    X(TOPIC_STEP_TOKENS, "tokens a step may hold")                                                 \
    X(TOPIC_CHUNKING, "chunked prefill")                                                           \
    X(TOPIC_GC, "garbage collection")                                                              \
    X(TOPIC_API_SERVERS, "API server processes")                                                   \
    X(TOPIC_MEDIA, "images, video or audio")                                                       \
    X(TOPIC_CLOCK, "clock speed")                                                                  \
    X(TOPIC_POWER, "power limit")                                                                  \
    X(TOPIC_TUNED_MOE, "a tuned MoE kernel configuration")                                         \
    X(TOPIC_MAX_SEQS, "max_num_seqs")                                                              \
    X(TOPIC_MEMORY_SHARE, "memory utilisation")                                                    \
    X(TOPIC_OFFLOAD, "layers or experts on the CPU")                                               \
    X(TOPIC_STREAMING, "streaming")                                                                \
    X(TOPIC_DISAGGREGATION, "disaggregated prefill")                                               \
    X(TOPIC_NUMA, "NUMA binding")                                                                  \
    X(TOPIC_CPU_CORES, "host cores")                                                               \
    X(TOPIC_WARM, "a warm server")                                                                 \
    X(TOPIC_SPREAD_ARRIVALS, "delayed prefills")                                                   \
    X(TOPIC_SERVER, "the server around the model")                                                 \
    X(TOPIC_ATTENTION_BACKEND, "the attention backend")                                            \
    X(TOPIC_FLASH_ATTENTION, "flash attention")                                                    \
    X(TOPIC_SLOTS, "slots")                                                                        \
    X(TOPIC_STOP_STRINGS, "stop strings")                                                          \
    X(TOPIC_UNIFIED_MEMORY, "unified memory")                                                      \
    X(TOPIC_CLIENT, "another load generator")                                                      \
    X(TOPIC_REASONING, "a reasoning parser")

#define X(ID, NAME) ID,

enum topic_id { TOPIC_LIST(X) TOPIC_COUNT };

#undef X

/* A sign as it was seen. */
struct sign {
    double strength;  /* 0 = not seen, 1 = certain */
    double a, b;      /* figures of its text */
    const char *text; /* {sS}, begins with a blank or is empty; NULL = empty */
    enum origin origin;
};

/* How runs that differ in a topic compare. */
enum difference_effect { EFFECT_NONE, EFFECT_WORSE, EFFECT_BETTER, EFFECT_SAME };

/* What a comparison measured. */
enum metric_kind {
    ABOUT_DECODE,  /* tokens/s or time of a token */
    ABOUT_PREFILL, /* prompt tokens/s */
    ABOUT_TTFT,
    ABOUT_THROUGHPUT, /* requests/s, tokens/s in all */
    ABOUT_TAIL,       /* high percentiles, pauses */
    ABOUT_MEMORY,
    ABOUT_KERNEL,
    ABOUT_HOST, /* CPU, bytes of a reply */
    ABOUT_ACCEPTANCE,
    ABOUT_KIND_COUNT
};

/* A comparison of two runs in one figure. */
struct difference {
    double strength; /* 0 = none */
    double ratio;    /* with over without, as a speed: below 1 is slower */
    double with, without;
    const char *metric; /* as the request named it */
    const char *name_with, *name_without;
    enum metric_kind kind;
    enum origin origin;
};

struct topic {
    double use; /* how surely it is in use, 0 to 1 */
    bool told;  /* the report speaks of it, whether or not the deployment has it too */
    enum origin origin;
    const char *words; /* what said so; NULL */
    struct difference worse, better, same;
};

struct symptoms {
    struct sign signs[SIGN_COUNT];
    struct topic topics[TOPIC_COUNT];
    double told[CAUSE_COUNT]; /* how far the words of the report fit a cause, 0 to 1 */
};

const char *sign_name(enum sign_id id);
const char *sign_text(enum sign_id id);    /* the template */
const char *sign_measure(enum sign_id id); /* how it is looked for */
const char *topic_name(enum topic_id id);
const char *origin_name(enum origin origin);

/* Notes a sign; of two sightings the surer one stays, of equally sure ones the more reliable. */
void symptoms_sign(struct symptoms *symptoms, enum sign_id id, const struct sign *sign);

/* Notes that a topic is in use. */
void symptoms_use(struct symptoms *symptoms, enum topic_id id, double sure, enum origin origin,
                  const char *words);

/* Notes a comparison; the effect follows from its ratio: within 3 % it is the same. */
void symptoms_differ(struct symptoms *symptoms, enum topic_id id,
                     const struct difference *difference);

/* Whether anything was seen besides what the deployment is. */
bool symptoms_any(const struct symptoms *symptoms);

#endif
