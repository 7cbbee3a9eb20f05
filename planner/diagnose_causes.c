/* The table of causes: what each is, how likely before anything was seen, what to run, what to
 * change. The figures of priors are judgement: how often threads about slow deployments end there.
 */
#include "diagnose.h"

#include <stddef.h>

#define VLLM(PATH) "https://github.com/vllm-project/vllm/" PATH
#define SGLANG(PATH) "https://github.com/sgl-project/sglang/" PATH
#define LLAMA(PATH) "https://github.com/ggml-org/llama.cpp/" PATH

static const struct cause_info CAUSES[CAUSE_COUNT] = {
    [CAUSE_KV_QUEUEING] =
        {CAUSE_KV_QUEUEING,
         "the KV cache holds fewer sequences than were asked for: the rest queue", PASS_DEVICE,
         CLASS_DECODE_ATTENTION, -2.6,
         "watch KV usage, running and waiting under load; read \"Maximum concurrency\" in the log",
         "more room for the cache: fp8 KV, fewer or quantised weights per device, a larger memory "
         "share, more devices (attention DP or context parallelism for one shared latent), or "
         "admit "
         "less",
         "fp8_kv", "https://github.com/ai-dynamo/aiconfigurator/issues/1396"},
    [CAUSE_KV_PREEMPTION] =
        {CAUSE_KV_PREEMPTION, "running requests are thrown out of a full KV cache and start again",
         PASS_DEVICE, CLASS_DECODE_ATTENTION, -3.0,
         "count preemptions over a minute of load (vllm:num_preemptions_total, SGLang \"retract\")",
         "lower max_num_seqs to what the pool holds at full length, enlarge the pool, or reserve "
         "more of the output (SGLang --schedule-conservativeness); on hybrid models a larger state "
         "block",
         "fp8_kv", "https://docs.vllm.ai/en/latest/configuration/optimization.html"},
    [CAUSE_KV_WORKSPACE] =
        {CAUSE_KV_WORKSPACE,
         "a backend's workspace is not counted when the KV pool is sized, so memory runs out later",
         PASS_DEVICE, CLASS_DECODE_ATTENTION, -3.4,
         "compare free memory after the pool in the log with the failed allocation's size",
         "a smaller memory share, or another attention backend; report it to the engine",
         "more_memory_share", SGLANG("pull/18263")},
    [CAUSE_KV_ACTIVATION] =
        {CAUSE_KV_ACTIVATION, "the activation peak of a large step takes the room of the KV cache",
         PASS_DEVICE, CLASS_PREFILL_ATTENTION, -3.4,
         "start twice, with max_num_batched_tokens as it is and with 2048, and compare KV tokens",
         "a smaller max_num_batched_tokens (chunked prefill size): prefill keeps its speed from "
         "about 2048 tokens on",
         NULL, "https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-One-DGX-Spark/issues/4"},
    [CAUSE_GRAPH_MEMORY] =
        {CAUSE_GRAPH_MEMORY, "captured graphs need memory that the KV pool already took",
         PASS_DEVICE, CLASS_KERNEL_LAUNCH, -3.6,
         "read the size of graph capture in the log, and start once with fewer captured sizes",
         "a lower memory share by the size of the graphs, or fewer captured sizes (max_num_seqs, "
         "--cuda-graph-sizes, --cuda-graph-max-bs)",
         NULL, "https://github.com/deepjavalibrary/djl-serving/pull/3055"},
    [CAUSE_GRAPH_COVERAGE] =
        {CAUSE_GRAPH_COVERAGE,
         "some batches fall outside the captured graphs and are launched kernel by kernel",
         PASS_HOST, CLASS_KERNEL_LAUNCH, -3.2,
         "compare the captured sizes in the log with the running batch at its fullest",
         "capture the exact largest batch (cudagraph_capture_sizes, --cuda-graph-max-bs), or set "
         "max_num_seqs and max_num_batched_tokens to captured sizes",
         "cuda_graphs", VLLM("pull/40734")},
    [CAUSE_EAGER] =
        {CAUSE_EAGER, "kernels run one by one: no graphs, or no compilation and fusion",
         PASS_DEVICE, CLASS_KERNEL_LAUNCH, -3.0,
         "run once with graphs (without --enforce-eager, --disable-cuda-graph) or torch.compile",
         "CUDA graphs on, torch.compile on, a kernel that fuses the dequantisation", "cuda_graphs",
         "https://github.com/meta-pytorch/gpt-fast/issues/207"},
    [CAUSE_MAX_NUM_SEQS] =
        {CAUSE_MAX_NUM_SEQS, "max_num_seqs admits fewer sequences than memory would hold",
         PASS_HOST, CLASS_SCHEDULER, -2.8,
         "compare the running gauge with max_num_seqs and with KV usage under load",
         "raise max_num_seqs (--max-running-requests, --parallel) to what the pool holds",
         "more_slots",
         "https://github.com/NVIDIA-AI-Blueprints/video-search-and-summarization/pull/1649"},
    [CAUSE_SATURATION] =
        {CAUSE_SATURATION, "more requests arrive than the deployment can finish", PASS_DEVICE,
         CLASS_PREFILL_ATTENTION, -3.0,
         "compare requests/s sent with requests/s finished over five minutes: does the queue grow?",
         "more replicas, or less load; then what makes a request cheaper (prefix caching, fp8)",
         "fp8_weights", "physics: Little's law, /v1/plan throughput.max_request_rate"},
    [CAUSE_PREFILL_INTERFERENCE] =
        {CAUSE_PREFILL_INTERFERENCE, "arriving prompts interrupt the tokens of running requests",
         PASS_DEVICE, CLASS_PREFILL_ATTENTION, -2.8,
         "measure p90 inter-token latency with prompts arriving and with none",
         "chunked prefill with smaller chunks, prefills delayed and batched, or prefill on other "
         "devices",
         "disaggregation", "https://github.com/ROCm/ATOM/pull/2238"},
    [CAUSE_PREFILL_COMPUTE] =
        {CAUSE_PREFILL_COMPUTE, "prefill is at the speed that the part's arithmetic allows",
         PASS_DEVICE, CLASS_PREFILL_ATTENTION, -3.2,
         "time one long prompt alone and compare with /v1/plan latency.ttft_ms",
         "fewer tokens to prefill (prefix caching), faster arithmetic (fp8), more devices",
         "prefix_caching", "physics: 2 flops per parameter and prompt token, /v1/classes"},
    [CAUSE_PREFIX_MISS] =
        {CAUSE_PREFIX_MISS, "a prompt's prefix is processed again although it was seen before",
         PASS_DEVICE, CLASS_PREFILL_ATTENTION, -3.0,
         "send the same long prompt twice and compare the cached tokens and the first-token times",
         "switch prefix caching on for this kind of model (checkpoints for windowed and recurrent "
         "layers: --swa-full, MambaRadixCache, align mode), keep the prompt's beginning constant, "
         "route a session to one replica",
         "prefix_caching", LLAMA("pull/13194")},
    [CAUSE_BANDWIDTH] =
        {CAUSE_BANDWIDTH, "decode is at the speed of reading weights and cache from memory",
         PASS_DEVICE, CLASS_DENSE_GEMM, -2.8,
         "compare time per token with the floor of /v1/plan, or lower the SM clock: decode keeps "
         "its speed",
         "fewer bytes per token (quantised weights and cache, speculative decoding), more batch, "
         "or "
         "faster memory; more compute does nothing",
         "fp8_weights", "physics: bytes read per step over memory bandwidth, /v1/regimes"},
    [CAUSE_KV_READ] =
        {CAUSE_KV_READ, "each token reads a cache that grows with the context", PASS_DEVICE,
         CLASS_DECODE_ATTENTION, -3.2,
         "time per token at 1k and at 32k tokens of context, one request",
         "fp8 KV, a model with fewer KV heads, a latent or a window; shorter contexts", "fp8_kv",
         "physics: kv_bytes_per_token x context, /v1/regimes/kv_bandwidth"},
    [CAUSE_KV_LAYOUT] =
        {CAUSE_KV_LAYOUT, "attention walks over cells of other or finished sequences", PASS_DEVICE,
         CLASS_DECODE_ATTENTION, -3.6,
         "time per token with one busy slot: after a restart, and after all slots were used",
         "a cache per slot (no --kv-unified), fewer slots, cleared slots, a newer build", NULL,
         LLAMA("issues/10860")},
    [CAUSE_ATTENTION_KERNEL] =
        {CAUSE_ATTENTION_KERNEL, "the attention backend is slow for this part, type or shape",
         PASS_DEVICE, CLASS_DECODE_ATTENTION, -3.4,
         "run once with another attention backend (VLLM_ATTENTION_BACKEND, --attention-backend)",
         "the backend that is fastest here; flash attention on", "flash_attention",
         "https://docs.vllm.ai/en/latest/design/attention_backends.html"},
    [CAUSE_QUANT_BATCH] =
        {CAUSE_QUANT_BATCH,
         "at a large batch the arithmetic decides, and dequantising weights only adds to it",
         PASS_DEVICE, CLASS_DENSE_GEMM, -3.2,
         "tokens/s of the quantised and of the 16-bit weights at batch 1, 32 and 256",
         "16-bit weights, or a format that computes narrow (fp8, W8A8, nvfp4) for throughput",
         "fp8_weights", "https://github.com/casper-hansen/AutoAWQ/issues/106"},
    [CAUSE_QUANT_PREFILL] =
        {CAUSE_QUANT_PREFILL, "prefill computes, and the weight-only kernel dequantises on top",
         PASS_DEVICE, CLASS_DENSE_GEMM, -3.3,
         "time to first token of one long prompt with quantised and with 16-bit weights",
         "a kernel that dequantises once for many tokens (Marlin, dequantise + GEMM from 256 "
         "tokens "
         "on), or a format that computes narrow (fp8, W8A8)",
         "fp8_weights", VLLM("pull/2566")},
    [CAUSE_QUANT_EMULATED] =
        {CAUSE_QUANT_EMULATED, "the part has no arithmetic of the weights' type: it is emulated",
         PASS_DEVICE, CLASS_DENSE_GEMM, -3.8,
         "tokens/s with the format of this part's own arithmetic (the part's peaks: /v1/hardware)",
         "a format that the part computes in", NULL, "physics: peaks by type, /v1/hardware"},
    [CAUSE_MOE_CONFIG] =
        {CAUSE_MOE_CONFIG, "the expert kernel runs with a default configuration", PASS_DEVICE,
         CLASS_MOE_EXPERT_GEMM, -3.6,
         "look for \"Using default MoE config\" in the log; time the kernel with benchmark_moe.py",
         "tune the kernel for this shape and part (benchmark_moe.py --tune) and keep the file",
         NULL, VLLM("pull/54500")},
    [CAUSE_EXPERT_IMBALANCE] =
        {CAUSE_EXPERT_IMBALANCE, "a few experts get most tokens, their ranks decide the step",
         PASS_DEVICE, CLASS_MOE_EXPERT_GEMM, -3.6,
         "count tokens per expert and rank over a minute (expert distribution recorder)",
         "expert load balancing with redundant experts (EPLB)", "expert_parallel",
         "https://github.com/deepseek-ai/EPLB"},
    [CAUSE_LORA] =
        {CAUSE_LORA, "the adapters' low-rank multiplies cost a part of each step", PASS_DEVICE,
         CLASS_DENSE_GEMM, -3.2, "the same load against the base model, without adapters",
         "a newer LoRA kernel, a smaller max_lora_rank, fewer adapters a batch, or merged weights",
         NULL, VLLM("issues/2829")},
    [CAUSE_SPEC_COST] = {CAUSE_SPEC_COST, "drafted tokens cost more than the accepted ones gain",
                         PASS_DEVICE, CLASS_SPECULATIVE_DRAFT, -3.2,
                         "accepted tokens per step and tokens/s at 1, 2 and 4 drafted tokens",
                         "fewer drafted tokens, a draft that is accepted more often, or none",
                         "no_speculation", VLLM("pull/16035")},
    [CAUSE_SPEC_BATCH] = {CAUSE_SPEC_BATCH,
                          "with a batch the verification computes what used to be idle",
                          PASS_DEVICE, CLASS_SPECULATIVE_DRAFT, -3.3,
                          "tokens/s with and without drafting at 1, 8 and 32 concurrent requests",
                          "drafting only at low load (disable above a batch), fewer drafted tokens",
                          "no_speculation", VLLM("pull/24322")},
    [CAUSE_PCIE_ALLREDUCE] =
        {CAUSE_PCIE_ALLREDUCE, "tensor parallel all-reduces cross PCIe", PASS_LINK,
         CLASS_COLLECTIVE, -3.1,
         "nvidia-smi topo -m, and the share of all-reduce kernels in a profile of a prefill",
         "layers split by stages (pp) or replicas instead of tensor parallelism, NVLink bridges, "
         "peer-to-peer on",
         "replicas_for_tp", "https://github.com/turboderp-org/exllamav2/issues/734"},
    [CAUSE_ALLREDUCE_LATENCY] =
        {CAUSE_ALLREDUCE_LATENCY,
         "small steps: the latency of all-reduces and launches outweighs what more ranks save",
         PASS_LINK, CLASS_COLLECTIVE, -3.2,
         "tokens/s of one request at tp 1 and tp 2, and the time of one all-reduce in a profile",
         "fewer ranks and more replicas for single streams; a custom all-reduce, fused with the "
         "norm",
         "replicas_for_tp", VLLM("issues/22331")},
    [CAUSE_PIPELINE_BUBBLE] =
        {CAUSE_PIPELINE_BUBBLE, "pipeline stages wait for each other", PASS_DEVICE,
         CLASS_COLLECTIVE, -3.7,
         "GPU utilisation of each stage, at one and at many concurrent requests",
         "more concurrent micro-batches, even stages, or tensor parallelism", "tensor_parallel",
         "physics: one sequence is in one stage at a time"},
    [CAUSE_RANK_SKEW] =
        {CAUSE_RANK_SKEW, "one rank is late and the others wait in a collective", PASS_LINK,
         CLASS_COLLECTIVE, -3.6,
         "a profile of all ranks: which one enters the all-reduce last, and what did it do before?",
         "take the late rank's own work away (host work, another process, a slower part)", NULL,
         "physics: a collective ends when its last rank arrives"},
    [CAUSE_KV_TRANSFER] =
        {CAUSE_KV_TRANSFER, "the KV cache crosses a slow network between prefill and decode",
         PASS_LINK, CLASS_KV_TRANSFER, -3.6,
         "time from the end of a prefill to the first decode step, beside bytes over link speed",
         "RDMA (UCX over InfiniBand or RoCE, not TCP), layer-wise transfer, fp8 KV, or prefill "
         "beside decode",
         "fp8_kv", "physics: kv_bytes_per_token x prompt over link bandwidth"},
    [CAUSE_HOST_LINK] = {CAUSE_HOST_LINK, "copies between host and GPU wait for a narrow PCIe link",
                         PASS_LINK, CLASS_KV_TRANSFER, -3.7,
                         "nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.width.current "
                         "--format=csv under load",
                         "the full slot (x16, its generation), pinned memory, less traffic over it",
                         NULL, "physics: bytes over the host link, /v1/hardware"},
    [CAUSE_OFFLOAD] =
        {CAUSE_OFFLOAD, "part of the model lies in host memory or runs on the CPU", PASS_HOST,
         CLASS_DENSE_GEMM, -3.2,
         "the loader's log (layers offloaded, CPU buffer size), or ollama ps: is it 100 % GPU?",
         "a smaller format or model, a shorter context, more GPU layers, experts alone on the CPU",
         "int4_weights", "https://github.com/ollama/ollama/issues/15634"},
    [CAUSE_POWER_CAP] =
        {CAUSE_POWER_CAP, "the power limit holds the clocks down", PASS_DEVICE, CLASS_DENSE_GEMM,
         -3.7,
         "nvidia-smi -q -d PERFORMANCE,POWER under load: SW Power Cap, and the limit in force",
         "raise the limit (nvidia-smi -pl) where power and cooling allow", NULL,
         "https://docs.nvidia.com/deploy/nvidia-smi/"},
    [CAUSE_THERMAL] = {CAUSE_THERMAL, "heat holds the clocks down", PASS_DEVICE, CLASS_DENSE_GEMM,
                       -3.7, "nvidia-smi -q -d TEMPERATURE,PERFORMANCE after ten minutes of load",
                       "cooling, airflow, a lower power limit or clock that is then held", NULL,
                       "https://docs.nvidia.com/deploy/nvidia-smi/"},
    [CAUSE_CLOCKS] =
        {CAUSE_CLOCKS, "the GPU runs at low clocks", PASS_DEVICE, CLASS_DENSE_GEMM, -3.8,
         "nvidia-smi --query-gpu=clocks.sm,clocks.max.sm,clocks_event_reasons.active --format=csv",
         "persistence mode, no locked application clocks (nvidia-smi -rgc), a power profile for "
         "work",
         NULL, "https://docs.nvidia.com/deploy/nvidia-smi/"},
    [CAUSE_SHARED_GPU] = {CAUSE_SHARED_GPU, "other processes use the same GPU", PASS_DEVICE,
                          CLASS_DENSE_GEMM, -3.9, "nvidia-smi pmon -c 5 while the load runs",
                          "the GPU alone for the server, or MIG", NULL,
                          "https://docs.nvidia.com/deploy/mps/"},
    [CAUSE_SCHEDULER] = {CAUSE_SCHEDULER, "the host's work of a step runs in series with the GPU",
                         PASS_HOST, CLASS_SCHEDULER, -2.5,
                         "nsys over ten steps: how long is the GPU idle between them, and is one "
                         "host core at 100 %?",
                         "asynchronous (overlap) scheduling, several steps a schedule, a newer "
                         "engine with separate "
                         "processes, faster cores, more work a step",
                         "async_scheduling", VLLM("issues/6854")},
    [CAUSE_GC] =
        {CAUSE_GC, "Python's garbage collector stops the server over a large heap", PASS_HOST,
         CLASS_SCHEDULER, -3.2,
         "log gc.callbacks with times (or run once with gc.disable() after warm-up): do pauses "
         "agree?",
         "gc.freeze() after warm-up, in every process and rank; find what leaks if they still grow",
         NULL, SGLANG("pull/9241")},
    [CAUSE_PENALTIES_HOST] = {CAUSE_PENALTIES_HOST,
                              "penalties walk over the vocabulary on the CPU for every token",
                              PASS_HOST, CLASS_HOST_SAMPLING, -3.3,
                              "the same run without penalties",
                              "no penalties, or sampling on the device", "device_sampling",
                              LLAMA("issues/24871")},
    [CAUSE_PENALTIES_DEVICE] = {CAUSE_PENALTIES_DEVICE,
                                "penalties are several passes over [batch, vocabulary] on the GPU",
                                PASS_DEVICE, CLASS_PROCESSORS_DEVICE, -3.3,
                                "the same run without penalties, at the same batch",
                                "a fused penalty kernel (newer engine), or no penalties",
                                "drop_logit_processors", VLLM("pull/18437")},
    [CAUSE_VOCAB_SORT] = {CAUSE_VOCAB_SORT,
                          "the sampler sorts the whole vocabulary on the CPU for every token",
                          PASS_HOST, CLASS_HOST_SAMPLING, -3.3,
                          "the same run with top_k 40 as the first sampler, or greedy",
                          "a finite top_k before top_p and min_p, or sampling on the device",
                          "device_sampling", LLAMA("issues/13171")},
    [CAUSE_SORT_DEVICE] = {CAUSE_SORT_DEVICE, "top-p or top-k sorts [batch, vocabulary] on the GPU",
                           PASS_DEVICE, CLASS_SAMPLING, -3.7,
                           "the same run greedy, at the same batch",
                           "a sampler without a sort (FlashInfer), or no top-p",
                           "drop_logit_processors",
                           "https://flashinfer.ai/2025/03/10/sampling.html"},
    [CAUSE_LOGPROBS] =
        {CAUSE_LOGPROBS, "an object per token for log probabilities is built and serialised",
         PASS_HOST, CLASS_DETOKENIZATION, -3.2,
         "the same run without logprobs; bytes of a reply and CPU of the API process",
         "no logprobs, fewer of them, or an engine with a fast path for the sampled token", NULL,
         VLLM("pull/57442")},
    [CAUSE_GUIDED_COMPILE] =
        {CAUSE_GUIDED_COMPILE, "grammars are compiled on the request's path", PASS_HOST,
         CLASS_STRUCTURED_OUTPUT, -3.3,
         "the same schema twice: is the second first token fast? And a request without a schema",
         "a cache of compiled grammars, fewer different schemas, another backend or version", NULL,
         VLLM("issues/12122")},
    [CAUSE_GUIDED_MASK] =
        {CAUSE_GUIDED_MASK, "token masks are built on the host for every step", PASS_HOST,
         CLASS_STRUCTURED_OUTPUT, -3.5,
         "time per token with and without the schema, at the same batch",
         "a backend that overlaps masks with the GPU (xgrammar, llguidance), simpler schemas", NULL,
         "https://arxiv.org/abs/2411.15100"},
    [CAUSE_DETOKENIZATION] =
        {CAUSE_DETOKENIZATION, "turning ids into text costs the host more than it should",
         PASS_HOST, CLASS_DETOKENIZATION, -3.4,
         "py-spy top of the API or detokeniser process under load",
         "bounded priming of the detokeniser, a stream interval above 1, more API processes",
         "bounded_detokenization", VLLM("issues/51281")},
    [CAUSE_TOKENIZER] =
        {CAUSE_TOKENIZER, "tokenising prompts takes the time before the queue", PASS_HOST,
         CLASS_TOKENIZATION, -3.5,
         "time AutoTokenizer on one such prompt; is it a fast tokenizer? py-spy of the API process",
         "a fast tokenizer, tokens instead of text, more API or tokenizer processes", NULL,
         "physics: about 0.4 us a prompt token for a fast tokenizer, /v1/classes/tokenization"},
    [CAUSE_MULTIMODAL] =
        {CAUSE_MULTIMODAL, "images or video are decoded and prepared on the CPU", PASS_HOST,
         CLASS_TOKENIZATION, -3.0,
         "the same load with text alone; py-spy of the API process under load",
         "smaller media (max_pixels before decoding), the fast processor, decoded inputs, more API "
         "processes",
         NULL, VLLM("issues/15869")},
    [CAUSE_GATEWAY] =
        {CAUSE_GATEWAY, "a proxy, gateway or batcher before the engine holds tokens back",
         PASS_HOST, CLASS_SERVER_LOOP, -3.2,
         "the same request straight to the engine's port and through the gateway (curl -N)",
         "no buffering of streams in the proxy, no batching timer (0 ms), streaming end to end",
         "native_control_plane", "https://github.com/ray-project/ray/issues/59681"},
    [CAUSE_API_SERVER] =
        {CAUSE_API_SERVER, "the API process, not the engine, is the limit", PASS_HOST,
         CLASS_SERVER_LOOP, -3.4,
         "top -H of the API and engine processes: which one stands at 100 %, is the engine idle?",
         "more API processes (--api-server-count, tokenizer workers), uvloop, a native front end",
         "native_control_plane", VLLM("pull/40459")},
    [CAUSE_NUMA] = {CAUSE_NUMA, "host threads run far from their GPU or memory", PASS_HOST,
                    CLASS_SCHEDULER, -3.8,
                    "nvidia-smi topo -m beside taskset -cp and numastat -p of the processes",
                    "numactl --cpunodebind --membind to the GPU's node, numa_balancing off", NULL,
                    "physics: memory of another socket"},
    [CAUSE_CPU_LIMIT] =
        {CAUSE_CPU_LIMIT, "the server has too few CPU cores, or its quota throttles it", PASS_HOST,
         CLASS_SCHEDULER, -3.4,
         "nproc and throttled_usec of /sys/fs/cgroup/cpu.stat inside the container, under load",
         "more cores and no CPU quota: one per engine process and rank, and some for the API", NULL,
         "https://docs.vllm.ai/en/latest/configuration/optimization.html"},
    [CAUSE_COLD_START] =
        {CAUSE_COLD_START, "kernels or graphs are compiled when a shape comes the first time",
         PASS_HOST, CLASS_KERNEL_LAUNCH, -3.4,
         "send the same load twice after a start; look for compile or autotune lines in the log",
         "warm up all shapes before traffic, keep the compile cache on a volume", NULL,
         "https://docs.vllm.ai/en/latest/design/torch_compile.html"},
    [CAUSE_LEAK] = {CAUSE_LEAK, "memory leaks until the server stalls or dies", PASS_HOST,
                    CLASS_SERVER_LOOP, -3.7,
                    "resident memory of each process over an hour at constant load",
                    "a version without the leak; restarts by schedule until then", NULL,
                    "physics: what is not freed adds up"},
    [CAUSE_REGRESSION] =
        {CAUSE_REGRESSION, "the newer version is slower", PASS_HOST, CLASS_SCHEDULER, -3.5,
         "the same command and load on both versions, then a bisection of what changed",
         "the version before, until the part that changed is known", NULL,
         "physics: nothing else differs between the runs"},
    [CAUSE_CLIENT] =
        {CAUSE_CLIENT, "the load generator or the network before the server is the limit",
         PASS_HOST, CLASS_SERVER_LOOP, -3.5,
         "run a second load generator beside the first: does the server's throughput rise?",
         "more client processes, connections kept alive, generators near the server", NULL,
         "physics: a server cannot finish what is not sent"},
    [CAUSE_ENVIRONMENT] = {CAUSE_ENVIRONMENT,
                           "two launches differ in an environment variable or a flag", PASS_DEVICE,
                           CLASS_DENSE_GEMM, -3.4,
                           "diff of /proc/PID/environ and of the command line of both processes",
                           "one launch for both; remove the variable", NULL,
                           "https://github.com/mostlygeek/llama-swap/issues/484"},
    [CAUSE_PROFILING] =
        {CAUSE_PROFILING, "the profile's hot line is where the host waits for the GPU", PASS_DEVICE,
         CLASS_DENSE_GEMM, -3.6, "an nsys timeline: do kernels run while that call waits?",
         "leave that line alone; look at what the GPU does meanwhile (POST /v1/attribute)", NULL,
         VLLM("issues/3384")},
};

const struct cause_info *cause_info(enum cause_id id)
{
    return &CAUSES[id];
}
