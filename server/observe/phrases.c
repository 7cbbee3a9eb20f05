#include "phrases.h"

#include <math.h>
#include <string.h>

#include "compiler.h"

#define SAID 0.8     /* a statement names the sign itself */
#define HINTED 0.5   /* words that fit it among others */
#define KNOWN 1.0    /* a setting or a model's name says so */
#define COMPARED 0.6 /* a sentence says which is faster */

struct sign_phrase {
    const char *pattern;
    unsigned channels;
    enum sign_id sign;
    double strength;
};

#define SAYS CHANNEL_STATEMENT
#define SETUP CHANNEL_SETUP
#define BOTH (CHANNEL_STATEMENT | CHANNEL_SETUP)

static const struct sign_phrase SIGNS[] = {
    /* GPU and host */
    {"gpu|device|sm|npu idl*", SAYS, SIGN_GPU_UNDERUSED, SAID},
    {"gpu|device|npu low|lower|under utili*|usage", SAYS, SIGN_GPU_UNDERUSED, SAID},
    {"gpu|device underutili*|starv*|waiting|unused", SAYS, SIGN_GPU_UNDERUSED, SAID},
    {"gpu|npu utili* drop*|fluctuat*|falls|below", SAYS, SIGN_GPU_UNDERUSED, HINTED},
    {"gpu|device bubble|gap", SAYS, SIGN_GPU_GAPS, SAID},
    {"bubble ms|us|step|decode|batch|iteration", SAYS, SIGN_GPU_GAPS, SAID},
    {"gpu|device active|busy only|just|barely", SAYS, SIGN_GPU_UNDERUSED, SAID},
    {"gpu|device headroom|spare", SAYS, SIGN_GPU_UNDERUSED, SAID},
    {"only gpu|device utili*|usage|util", SAYS, SIGN_GPU_UNDERUSED, SAID},
    {"gpu|device idl* between|step", SAYS, SIGN_GPU_GAPS, SAID},
    {"idl*|gap|bubble between decode|step|iteration|forward", SAYS, SIGN_GPU_GAPS, SAID},
    {"cpu 100|100.0 %", SAYS, SIGN_CPU_SATURATED, SAID},
    {"cpu|host overhead|work grow*|increas*|rises|high|large", SAYS, SIGN_CPU_SATURATED, SAID},
    {"cpu bound|bottleneck|saturat*|pegged|maxed|bottlenecked", SAYS, SIGN_CPU_SATURATED, SAID},
    {"single|one core|thread 100|busy|bound|pegged|full", SAYS, SIGN_CPU_SATURATED, SAID},
    {"utili* falls|drops|decreas*|declin* concurren*|load|batch|user", SAYS, SIGN_UTILIZATION_FALLS,
     SAID},
    {"power|watt cap|limit|capped|throttl*|limited", SAYS, SIGN_POWER_CAPPED, SAID},
    {"thermal*|temperature|overheat*|heat|hot throttl*|slow*|clock|gpu", SAYS, SIGN_HOT, SAID},
    {"clock|frequency|sclk|mhz low|drop*|stuck|idle|down", SAYS, SIGN_CLOCKS_LOW, SAID},
    {"numa|cross_socket|remote_node|two_sockets|dual_socket", BOTH, SIGN_NUMA_SPLIT, HINTED},
    {"numa wrong|remote|cross|unbound|not|mismatch|affinity|unpinned", SAYS, SIGN_NUMA_SPLIT, SAID},
    {"cpu throttled|throttling|quota|cfs", SAYS, SIGN_CPU_THROTTLED, SAID},
    {"few|2|4|limited|one|single|1 vcpu|cpu_core|cpus|cores", BOTH, SIGN_FEW_CORES, HINTED},
    {"pcie x1|x2|x4|x8|gen1|gen2|gen3|riser|narrow|saturat*|bandwidth", BOTH, SIGN_HOST_LINK_BUSY,
     HINTED},
    {"host_to_device|h2d|d2h|host_link|memcpy slow|copy|copies|dominat*|bound|transfer", SAYS,
     SIGN_HOST_LINK_BUSY, HINTED},
    {"other|another|second process|workload|job|model same|shared gpu", SAYS, SIGN_OTHER_PROCESS,
     SAID},
    {"cpu full|maxed|100|high|busy instead|not gpu", SAYS, SIGN_LAYERS_ON_CPU, SAID},
    {"gpu usage|utilization|load zero|0|2|1|3|almost|barely|nothing|nearly", SAYS,
     SIGN_GPU_UNDERUSED, SAID},
    /* cache and queue */
    {"kv full|100|99|exhaust*|saturat*", SAYS, SIGN_KV_FULL, SAID},
    {"kv|cache limited|limit|bound|insufficient|not_enough|enough", SAYS, SIGN_KV_FULL, HINTED},
    {"kv|cache|pool|memory unused|mostly_unused|free|empty|underused|idle", SAYS, SIGN_KV_FREE,
     SAID},
    {"request|prompt queue|queues|queued|queueing|queuing|pending|waiting|wait", SAYS, SIGN_WAITING,
     SAID},
    {"preempt*|retract*|evicted|recomput*", SAYS, SIGN_PREEMPTED, SAID},
    {"fewer|less|below|under|low effective|concurren*|running|batch|sequences "
     "expected|asked|configured|assumed",
     SAYS, SIGN_RUNNING_BELOW_ASKED, SAID},
    {"effective concurren*|batch", SAYS, SIGN_RUNNING_BELOW_ASKED, HINTED},
    {"over_predict*|overpredict*|overestimat*|over_estimat*|optimistic "
     "throughput|capacity|planner|concurren*",
     SAYS, SIGN_RUNNING_BELOW_ASKED, HINTED},
    {"log|reported|promis*|claims|says tokens although|but|actual|only", SAYS,
     SIGN_KV_SMALLER_THAN_LOGGED, HINTED},
    {"costs|takes|eats|less|smaller|shrink*|shrank|lower|fewer kv|cache|pool "
     "gib|gb|tokens|size|memory",
     SAYS, SIGN_KV_POOL_SHRANK, SAID},
    /* latency */
    {"ttft|first_token high|slow*|long|regress*|increase*|jump*|delay*|seconds|worse|grew", SAYS,
     SIGN_TTFT_HIGH, SAID},
    {"ttft|first_token + ms|s", SAYS, SIGN_TTFT_HIGH, HINTED},
    {"ttft|first_token grow*|rises|climb*|explod* load|concurren*|rate|queue", SAYS,
     SIGN_TTFT_GROWS, SAID},
    {"itl|tpot|inter_token|latency|tail|token|p99|p95 spike*|spiky|peaks|outlier|jitter*|hiccup",
     SAYS, SIGN_ITL_SPIKES, SAID},
    {"p99|p95|tail itl|tpot|latency", SAYS, SIGN_ITL_SPIKES, HINTED},
    {"stall*|freez*|hang*|hiccup|pause*|stop* every|period*|regular*|interval", SAYS,
     SIGN_STALLS_REGULAR, SAID},
    {"spike*|outlier*|slow every|period*|regular*|interval", SAYS, SIGN_STALLS_REGULAR, SAID},
    {"spike*|stall*|pause*|hang* every s|sec|second|minute|steps|requests|ms", SAYS,
     SIGN_STALLS_REGULAR, SAID},
    {"stall*|freez*|hang|hangs|hung|pause*|hiccup*|unresponsive", SAYS, SIGN_STALLS, SAID},
    {"health_check|healthcheck|liveness|heartbeat|watchdog fail*|timeout|times", SAYS, SIGN_STALLS,
     SAID},
    {"after|over several|hours|days|time|uptime|long degrad*|slow*|worse|fail*|stall*|hang*|grow*",
     SAYS, SIGN_GROWS_WITH_UPTIME, SAID},
    {"after thousands|million|many|while|hundreds|tens "
     "increas*|slow*|grow*|degrad*|stuck|recover*|jump*",
     SAYS, SIGN_GROWS_WITH_UPTIME, SAID},
    {"restart fixes|helps|recover*|restores|fast", SAYS, SIGN_GROWS_WITH_UPTIME, SAID},
    {"pause*|stall*|spike* grow*|longer|increas*|worse", SAYS, SIGN_STALLS_GROW, SAID},
    {"peer|other rank|gpu 100|busy|spin*|wait*", SAYS, SIGN_ONE_RANK_STALLS, SAID},
    {"one|single rank|worker stall*|hang*|slow|late|lag*|straggl*", SAYS, SIGN_ONE_RANK_STALLS,
     SAID},
    {"all_reduce|allreduce|nccl|collective|rccl takes|time|us|dominat*|most|slow*|share|more|half",
     SAYS, SIGN_RANKS_WAIT, SAID},
    {"straggler|skew|imbalanc*|uneven* rank|gpu|worker|tp|allreduce|all_reduce", SAYS,
     SIGN_RANKS_WAIT, SAID},
    {"wide_ep|lockstep|tp_dp|large_scale_ep|expert_parallel", BOTH, SIGN_LOCKSTEP, KNOWN},
    {"gc|garbage|gen2|gen_2|collector", SAYS, SIGN_GC_SEEN, SAID},
    {"memory|rss|ram|host leak*|grow*|climb*|increas* host|cpu|rss|process|hours|time|unbounded",
     SAYS, SIGN_HOST_MEMORY_GROWS, SAID},
    {"memory|rss|ram increas*|grow*|climb*|rise* "
     "continuous*|until|limit|steadily|constantly|over|keeps|each|every|window",
     SAYS, SIGN_HOST_MEMORY_GROWS, SAID},
    {"memory_leak|leaks_memory|leaking|oom_killed|oomkilled", SAYS, SIGN_HOST_MEMORY_GROWS, SAID},
    {"first|initial request|few|requests|batch slow*|minutes|seconds|long then|after|later|warm*",
     SAYS, SIGN_FIRST_IS_SLOW, SAID},
    {"first|initial request|call|prompt|inference "
     "takes|high|ttft|minutes|after_boot|startup|repeat|second|identical",
     SAYS, SIGN_FIRST_IS_SLOW, SAID},
    {"cold_start|warm_up|warmup|jit|autotun*|recompil* slow*|request|first|while|during|every",
     SAYS, SIGN_FIRST_IS_SLOW, HINTED},
    {"after|since upgrad*|updat*|version|release|bump", SAYS, SIGN_AFTER_UPGRADE, SAID},
    {"regress*", SAYS, SIGN_AFTER_UPGRADE, SAID},
    {"downgrad*|rollback|roll_back|revert*|previous_version|older_version|old_version|last_good|"
     "used_to",
     SAYS, SIGN_AFTER_UPGRADE, SAID},
    {"@ vs|than|since|to|from|after slow*|slowdown|slower|drop*|worse|regress*|down", SAYS,
     SIGN_AFTER_UPGRADE, SAID},
    {"throughput|tok|tokens flat|plateau*|stops|saturat*|scal* "
     "above|beyond|past|concurren*|users|load|batch",
     SAYS, SIGN_THROUGHPUT_FLAT, SAID},
    {"throughput|tok drop*|falls|decreas*|degrad* concurren*|users|load|batch", SAYS,
     SIGN_THROUGHPUT_FALLS, HINTED},
    {"tpot|itl superlinear*|explod*|grows|rises concurren*|load|batch|slots|users", SAYS,
     SIGN_TPOT_SUPERLINEAR, HINTED},
    /* prompts and contexts */
    {"prefill|prompt|pp slow*|slower|drop*|low|only|bad|speed|to", SAYS, SIGN_PREFILL_SLOW, SAID},
    {"decode|generation|tg|token slow*|slower|low|only|bad|instead", SAYS, SIGN_DECODE_SLOW,
     HINTED},
    {"tok instead_of|expected|should", SAYS, SIGN_DECODE_SLOW, SAID},
    {"tpot|itl|inter_token poor|bad|high|worse|slow*|long", SAYS, SIGN_DECODE_SLOW, HINTED},
    {"prefill* interrupt*|interleav*|block*|stall*|insert*|preempt*|delay* "
     "decode|token*|generation",
     SAYS, SIGN_PREFILL_INTERRUPTS, SAID},
    {"itl|inter_token|tpot|decode*|stream* prefill* while|during|mixed", SAYS,
     SIGN_PREFILL_INTERRUPTS, SAID},
    {"output_tokens_1|output_len_1|max_output_len_1|max_tokens_1|osl_1", BOTH, SIGN_PREFILL_SLOW,
     HINTED},
    {"reuse*|cached_tokens only|never|less|fewer|partly|nothing", SAYS, SIGN_REPROCESSED, SAID},
    {"no|zero hit", SAYS, SIGN_REPROCESSED, SAID},
    {"second|repeat*|identical|consecutive request|prompt|prefix|requests "
     "equally|as_slow|no_faster|same_time|as_long|slow",
     SAYS, SIGN_REPROCESSED, HINTED},
    {"hit_rate|cache_hit|cache_hits 0|zero|low|0.0|drops|none", SAYS, SIGN_REPROCESSED, SAID},
    {"whole|full|entire|same prompt|context|history reprocess*|recomput*|again|re", SAYS,
     SIGN_REPROCESSED, SAID},
    {"prompt|context|prefix reprocess*|re_processing|re_evaluat*|reevaluat*|recomput*", SAYS,
     SIGN_REPROCESSED, SAID},
    {"cold|full prefill each|every turn|call|request|time", SAYS, SIGN_REPROCESSED, SAID},
    {"prefix|cache miss*|invalidat*|zero_hits|0|never", SAYS, SIGN_REPROCESSED, SAID},
    {"multi_turn|each_turn|agent*|every_turn slow*|prefill|ttft|prompt", SAYS, SIGN_REPROCESSED,
     HINTED},
    {"slow* context|length|conversation|longer grow*|longer|increas*|long", SAYS,
     SIGN_SLOWS_WITH_CONTEXT, SAID},
    {"long_context|long_prompt|long_prompts|large_context|128k|64k|100k|200k|256k|1m", BOTH,
     SIGN_LONG_CONTEXT, SAID},
    {"long_prompt|long_prompts|15k|16k|32k|64k|128k|long_input|long_inputs|prefill_heavy|rag", BOTH,
     SIGN_LONG_PROMPTS, SAID},
    {"slow* after|each|with finish*|slots|completed|idle|previous request|slot|slots", SAYS,
     SIGN_SLOWS_WITH_SLOTS, SAID},
    {"slow*|degrad* parallel|slots|np number|many|more", SAYS, SIGN_SLOWS_WITH_SLOTS, HINTED},
    {"np#|parallel#|slots#", SETUP, SIGN_UNIFIED_KV, HINTED},
    {"batch_1|batch_size_1|bs1|bs_1|b1|single_stream|single_user|single_request|concurrency_1",
     BOTH, SIGN_SINGLE_STREAM, SAID},
    {"batch_64|batch_128|batch_256|bs256|bs128|bs64|large_batch|peak_batch|high_batch|big_batch|"
     "high_concurrency|batch_size_256",
     BOTH, SIGN_LARGE_BATCH, SAID},
    /* graphs, batches */
    {"drop*|cliff|slower|slow|falls peak|largest|full|fullest|certain|some|specific|max "
     "batch|batches|size|sizes",
     SAYS, SIGN_DROP_AT_BATCH, SAID},
    {"off_stride|not_multiple|multiple_of|odd batch|seqs|max|size|tokens", SAYS, SIGN_OFF_STRIDE,
     SAID},
    {"off_stride|not_a_multiple|stride", SAYS, SIGN_OFF_STRIDE, SAID},
    {"enforce_eager|eager_mode|eager|disable_cuda_graph|graphs_off|no_cuda_graph|cuda_graph_false",
     BOTH, SIGN_GRAPHS_OFF, SAID},
    {"not_compiled|uncompiled|without_compile|unfused", BOTH, SIGN_GRAPHS_OFF, SAID},
    {"gpt_fast|transformers|huggingface|hf_generate|autoawq|autogptq|webui|pytorch|fastchat|load_"
     "in_8bit|"
     "load_8bit|load_in_4bit",
     SETUP, SIGN_EAGER_ENGINE, KNOWN},
    {"disabl*|off|disabled|switch* spec*|draft*|speculation|mode", SAYS, SIGN_MODE_SWITCHED, SAID},
    {"disabling_spec*|disabled_spec*|disable_spec*|disabling_draft*|target_only", SAYS,
     SIGN_MODE_SWITCHED, SAID},
    {"above|beyond threshold|captured|largest", SAYS, SIGN_DROP_AT_BATCH, HINTED},
    {"many|thousands|small|tiny kernel launch*|launches|kernels", SAYS, SIGN_MANY_LAUNCHES, HINTED},
    {"launch* kernel|op every|each|per|individual*|separate*|overhead", SAYS, SIGN_MANY_LAUNCHES,
     SAID},
    /* memory */
    {"fail*|unable|cannot allocate|alloc|allocation memory|buffer|bytes", SAYS, SIGN_OOM, SAID},
    {"out_of_memory|oom|runs_out|ran_out|cudamalloc|hip_out", SAYS, SIGN_OOM, SAID},
    {"start*|startup|launch|boot|init* fail*|crash*|dies", SAYS, SIGN_OOM, HINTED},
    {"fail*|oom|out_of_memory|crash*|memory captur* graph", SAYS, SIGN_OOM_AT_CAPTURE, SAID},
    {"fail*|oom|out|crash* after allocat*|pool kv|pool|cache", SAYS, SIGN_OOM_AFTER_POOL, SAID},
    {"fail*|oom|out_of_memory|crash* long|large prompt|prefill|input", SAYS, SIGN_OOM_AT_PREFILL,
     SAID},
    {"workspace", BOTH, SIGN_BACKEND_WORKSPACE, SAID},
    {"aiter|flashinfer|trtllm_mla|cutlass_mla|flashmla", SETUP, SIGN_BACKEND_WORKSPACE, HINTED},
    {"activation peak|large|memory|gib|gb|costs", SAYS, SIGN_ACTIVATION_LARGE, SAID},
    {"layers|layer|offload*|split cpu", SAYS, SIGN_LAYERS_ON_CPU, SAID},
    {"offload* layers gpu", SAYS, SIGN_LAYERS_ON_CPU, HINTED},
    {"vram full|insufficient|not_enough|small|exceed*|ram", SAYS, SIGN_LAYERS_ON_CPU, HINTED},
    {"ram|system_memory|host_memory|shared_memory spill*|full|swap*|fallback", SAYS,
     SIGN_LAYERS_ON_CPU, HINTED},
    {"ollama_ps|processor cpu", SAYS, SIGN_LAYERS_ON_CPU, SAID},
    {"does_not_fit|not_fit|partly_offloaded|partially_offloaded|cpu_gpu|gpu_cpu", SAYS,
     SIGN_LAYERS_ON_CPU, SAID},
    {"ngl#|n_gpu_layers#|n_cpu_moe#|cpu_offload*|cpu_moe", SETUP, SIGN_LAYERS_ON_CPU, HINTED * 0.3},
    /* model and part */
    {"awq|gptq|w4a16|int4|q4|marlin|bitsandbytes|nf4|w8a16|int8_weight|weight_only", BOTH,
     SIGN_WEIGHT_ONLY, KNOWN},
    {"8_bit|4_bit|8bit|4bit", BOTH, SIGN_WEIGHT_ONLY, SAID},
    {"int8", BOTH, SIGN_WEIGHT_ONLY, SAID},
    {"moe|a3b|a22b|mixtral|deepseek|gpt_oss|gptoss|expert|minimax|kimi|a10b|a35b|hy3", BOTH,
     SIGN_MOE_MODEL, SAID},
    {"mamba|hybrid|ssm|swa|sliding_window|gated_delta|gdn|jamba|nemotron_h|nemotron_nano|gpt_oss|"
     "gemma|qwen3.5|qwen3.6|qwen3_next|falcon_h1",
     BOTH, SIGN_HYBRID_MODEL, SAID},
    {"0.5b|0.6b|1b|1.5b|1.7b|0.8b|135m|350m|500m|125m|tiny|small_model|smaller_model|2b|3b", BOTH,
     SIGN_SMALL_MODEL, SAID},
    {"nvlink|nvswitch|sxm|nvl72|xgmi|infinity_fabric", BOTH, SIGN_FABRIC, SAID},
    {"no_nvlink|pcie_only|without_nvlink|no_p2p|p2p_disabled", BOTH, SIGN_NO_FABRIC, SAID},
    {"pcie all_reduce|allreduce|tp|tensor_parallel*", SAYS, SIGN_NO_FABRIC, SAID},
    {"rtx|3090|4090|5090|a4000|geforce|7900|radeon|2080|3080|5080|4080|4070|5070", SETUP,
     SIGN_CONSUMER_PART, KNOWN},
    {"not_overlapped|non_overlapped|not_hidden|serial|blocking|blocks "
     "overlap*|scheduler|worker|host",
     SAYS, SIGN_SERIAL_HOST, SAID},
    {"v0|vllm_0.2|vllm_0.3|vllm_0.4|vllm_0.5|vllm_0.6", SETUP, SIGN_SERIAL_HOST, SAID},
    {"llama.cpp|llamacpp|llama_cpp|llama_server|llama_cli|llama_bench|gguf|ollama|candle|exllama*|"
     "mlx|ik_llama|koboldcpp|gpt_"
     "fast|ctransformers|llamafile|mistral.rs|lm_studio",
     SETUP, SIGN_HOST_SAMPLER, SAID},
    {"llama.cpp|llamacpp|llama_cpp|llama_server|llama_cli|llama_bench|gguf|ollama|ik_llama|"
     "koboldcpp|lm_studio|llamafile|"
     "llama_swap",
     SETUP, SIGN_LOCAL_ENGINE, KNOWN},
    {"vllm|sglang|trtllm|tensorrt_llm|tgi|lmdeploy|text_generation_inference|dynamo|nim", SETUP,
     SIGN_DEVICE_SAMPLER, SAID},
    {"default|missing|no|not_found|tuned moe|fused_moe config|configuration|json", BOTH,
     SIGN_MOE_CONFIG_MISSING, SAID},
    {"missing config e|n|tuned|json|kernel", SAYS, SIGN_MOE_CONFIG_MISSING, SAID},
    {"default moe warning|message", SAYS, SIGN_MOE_CONFIG_MISSING, SAID},
    {"no|missing|lacks|without config* e#|n#|moe|expert|fused_moe", SAYS, SIGN_MOE_CONFIG_MISSING,
     SAID},
    {"using_default_moe|sub_optimal|suboptimal config|moe|performance", BOTH,
     SIGN_MOE_CONFIG_MISSING, SAID},
    {"expert* imbalanc*|uneven*|hot|skew*|unbalanced|overload*", SAYS, SIGN_EXPERTS_UNEVEN, SAID},
    {"image|images|video|videos|vision|audio|multimodal|frames|picture|pixel*|ocr|paddleocr|speech",
     BOTH, SIGN_MEDIA, SAID},
    {"vl|vlm|llava|whisper|omni|pixtral|internvl", SETUP, SIGN_MEDIA, HINTED * 0.7},
    {"nixl|mooncake|kv_transfer|disaggregat*|pd_disagg*|prefill_decode_separation "
     "slow*|ttft|latency|tcp|transfer|network",
     SAYS, SIGN_TRANSFER, SAID},
    {"kv|cache transfer* slow*|time|network|tcp|dominat*|between|takes|s|ms|long", SAYS,
     SIGN_TRANSFER, SAID},
    {"tcp|ethernet|socket instead|over|not|rdma|infiniband", SAYS, SIGN_TRANSFER, SAID},
    /* sampling, text, servers */
    {"top_k 0|disabled|off|unlimited", BOTH, SIGN_FULL_SORT, SAID},
    {"sort* vocab*|full|whole|logits|candidates", SAYS, SIGN_FULL_SORT, SAID},
    {"cpu|host sampl* bound|slow*|expensive|dominat*|heavy", SAYS, SIGN_HOST_SAMPLER, SAID},
    {"acceptance|accept* low|poor|drops|bad|below|only", SAYS, SIGN_ACCEPTANCE_LOW, SAID},
    {"only|just helps|gain*|speedup|faster|benefit "
     "batch_1|batch_size_1|bs1|single|low_concurrency|low_batch",
     SAYS, SIGN_GAIN_ONLY_ALONE, SAID},
    {"helps|gain*|speedup|benefit only batch_1|batch_size_1|bs1|single|low", SAYS,
     SIGN_GAIN_ONLY_ALONE, SAID},
    {"gain*|speedup|benefit|advantage vanish*|disappear*|lost|gone|shrinks batch|concurren*|load",
     SAYS, SIGN_GAIN_ONLY_ALONE, SAID},
    {"profil*|py_spy|trace|torch_profiler blame*|shows|points|says|attribut* "
     "cpu|copy|item|sync*|tolist|nonzero|cudastreamsynchronize|memcpy",
     SAYS, SIGN_PROFILER_BLAMES_WAIT, SAID},
    {"sampl* takes|most|90|dominat* time|iteration|step", SAYS, SIGN_PROFILER_BLAMES_WAIT, HINTED},
    {"cpu|item|tolist|synchroniz*|nonzero|d2h|memcpy takes|dominat*|90|most|hot "
     "profil*|time|trace|flame*",
     SAYS, SIGN_PROFILER_BLAMES_WAIT, HINTED},
    {"burst*|chunk*|clump*|batched tokens|stream*|sse", SAYS, SIGN_BURSTY_STREAM, HINTED},
    {"versus|vs|than|gap|over bare|raw|standalone|kernel|model_only|alone model", SAYS,
     SIGN_BARE_MODEL_FASTER, SAID},
    {"environment|env variable|var|differ*|only|set", SAYS, SIGN_ENVIRONMENT_DIFFERS, SAID},
    {"same server another|other|different|second "
     "load_generator|client|tool|generator|benchmark|fine",
     SAYS, SIGN_CLIENT_LIMIT, SAID},
    {"client|benchmark|load_generator|generator|locust|aiohttp "
     "bottleneck|limit*|bound|slow|saturat*|cpu",
     SAYS, SIGN_CLIENT_LIMIT, SAID},
    {"detoken*|decodestream|incremental_detok*", SAYS, SIGN_CPU_TEXT_WORK, SAID},
    {"tokeniz* slow*|time|cpu|bound|bottleneck|dominat*|seconds", SAYS, SIGN_CPU_TEXT_WORK, SAID},
    {"serializ*|json|pickl*|zmq|ipc slow*|overhead|cpu|bound|dominat*|bottleneck", SAYS,
     SIGN_API_CPU_GROWS, HINTED},
    {"api|frontend|fastapi|uvicorn|http server|process cpu|100|bottleneck|saturat*|bound|single",
     SAYS, SIGN_API_CPU_GROWS, SAID},
    {"decode|generation|tg flat|constant|unchanged|same|independent", SAYS, SIGN_DECODE_INSENSITIVE,
     SAID},
    {"first|new|each schema|grammar|regex|json_schema slow*|compil*|seconds|delay", SAYS,
     SIGN_GRAMMAR_SLOW_FIRST, SAID},
    {"constant|fixed|flat overhead|delay|latency|ms added|extra|every|per", SAYS,
     SIGN_CONSTANT_DELAY, HINTED},
};

struct topic_phrase {
    const char *pattern; /* one element: alternatives of words that follow each other */
    enum topic_id topic;
    int polarity; /* 1 has it, -1 has it not, 2 has as much as its number says */
};

static const struct topic_phrase TOPICS[] = {
    {"lora#|lora|loras|adapter|adapters|qlora|punica|bgmv|sgmv", TOPIC_LORA, 1},
    {"base|base_model|merged", TOPIC_LORA, -1},
    {"penalty|penalties|repeat_penalty|repetition_penalty|presence_penalty|frequency_penalty|dry",
     TOPIC_PENALTIES, 1},
    {"logprobs#|logprob|logprobs|top_logprobs|prompt_logprobs", TOPIC_LOGPROBS, 1},
    {"guided|guided_decoding|grammar|guided_grammar|guided_json|json_schema|structured|structured_"
     "output|structured_outputs|xgrammar|outlines|llguidance|json_mode|regex|gbnf|constrained",
     TOPIC_GUIDED, 1},
    {"plain_text|unconstrained|non_guided", TOPIC_GUIDED, -1},
    {"top_p|topp|nucleus|min_p|minp|typical_p|mirostat|top_k_0|top_n_sigma", TOPIC_SORTING, 1},
    {"top_k_20|top_k_40|top_k_50", TOPIC_SORTING, -1},
    {"sampling|temperature|random|stochastic", TOPIC_SAMPLING, 1},
    {"greedy|temperature_0|argmax", TOPIC_SAMPLING, -1},
    {"cuda_graph|cuda_graphs|cudagraph|cudagraphs|graph|graphs|acl_graph|hip_graph|full_graph|"
     "piecewise",
     TOPIC_GRAPHS, 1},
    {"eager|enforce_eager|disable_cuda_graph|no_graph", TOPIC_GRAPHS, -1},
    {"compile|compiled|torch_compile|inductor|fused|fusion", TOPIC_COMPILE, 1},
    {"uncompiled|unfused", TOPIC_COMPILE, -1},
    {"awq|gptq|int4|int8|w4a16|w8a16|w8a8|fp8|nvfp4|mxfp4|fp4|q4|q8|q4_k_m|8_bit|4_bit|quantized|"
     "quantised|"
     "quant|quantization|bnb|nf4|marlin|q4_0|q8_0|4bit|8bit",
     TOPIC_QUANTIZATION, 1},
    {"bf16|fp16|f16|unquantized|bfloat16|half_precision|16bit", TOPIC_QUANTIZATION, -1},
    {"kv_cache_quantization|quantized_kv_cache|kv_quantization|kv_quant|kv_cache_quant|quantised_"
     "kv|fp8_kv|kv_fp8|kv_cache_dtype|kv_int8|ctk|ctv|q8_kv|kv_q8|kv_q4|quantized_kv|int8_kv",
     TOPIC_KV_QUANTIZATION, 1},
    {"tp#", TOPIC_TP, 2},
    {"tensor_parallel#|tensor_parallel_size#", TOPIC_TP, 2},
    {"multi_gpu|multi_gpus|multiple_gpus|two_gpus|2_gpus|4_gpus|8_gpus|multiple_cards|dual_gpu|"
     "tensor_split|2_gpu|4_gpu|two_cards",
     TOPIC_TP, 1},
    {"tp|tensor_parallel|tensor_parallelism|split_mode_row|row_split|sm_row|sm_graph", TOPIC_TP, 1},
    {"layer_split|sm_layer|single_gpu|one_gpu|1_gpu|single_card|one_card", TOPIC_TP, -1},
    {"pp#", TOPIC_PP, 2},
    {"pipeline_parallel|pipeline|pipeline_parallelism", TOPIC_PP, 1},
    {"dp#|data_parallel#", TOPIC_DP, 2},
    {"ep#", TOPIC_EP, 2},
    {"ep|expert_parallel|expert_parallelism|wide_ep|deepep", TOPIC_EP, 1},
    {"dcp#|cp#", TOPIC_DCP, 2},
    {"dcp|context_parallel|decode_context_parallel", TOPIC_DCP, 1},
    {"spec|specdec|speculative|speculation|speculative_decoding|draft|drafting|draft_model|eagle|"
     "eagle3|mtp|medusa|ngram|nextn|lookahead|dflash|suffix_decoding",
     TOPIC_DRAFT, 1},
    {"vanilla|autoregressive|no_spec|nospec|target_only", TOPIC_DRAFT, -1},
    {"k#", TOPIC_DRAFT_TOKENS, 2},
    {"num_speculative_tokens#|spec_tokens#|draft_max#|draft_tokens#|num_steps#", TOPIC_DRAFT_TOKENS,
     2},
    {"version|upgrade|upgraded|update|updated|new_version|newer|after|regression|regressed|release",
     TOPIC_VERSION, 1},
    {"before|older|old|previous|downgrade|pinned", TOPIC_VERSION, -1},
    {"proxy|proxied|gateway|router|nginx|envoy|litellm|llama_swap|serve|ray_serve|ingress|istio|"
     "openwebui|sidecar|load_balancer|frontend|triton|kserve",
     TOPIC_PROXY, 1},
    {"direct|directly|bare|straight|localhost|native|raw", TOPIC_PROXY, -1},
    {"bs#|batch#|b#|c#|batch_size#|concurrency#|conc#|users#|bsz#", TOPIC_BATCH, 2},
    {"ctx#|context#|isl#|in#|input#|len#|kv#", TOPIC_CONTEXT, 2},
    {"prefix|prefix_cache|prefix_caching|apc|radix|radix_cache|prompt_cache|cached|cache_hit|"
     "mambaradixcache",
     TOPIC_PREFIX_CACHE, 1},
    {"disable_radix|disable_radix_cache|cold|uncached|cache_off", TOPIC_PREFIX_CACHE, -1},
    {"overlap|overlap_schedule|async_scheduling|async|enable_overlap|asynchronous|multi_step|"
     "multistep|zero_overhead|num_scheduler_steps",
     TOPIC_OVERLAP, 1},
    {"disable_overlap|disable_overlap_schedule|sync_scheduling", TOPIC_OVERLAP, -1},
    {"mnbt#|max_num_batched_tokens#|chunked_prefill_size#|ub#|ubatch#", TOPIC_STEP_TOKENS, 2},
    {"mnbt|max_num_batched_tokens|batched_tokens", TOPIC_STEP_TOKENS, 1},
    {"chunked|chunked_prefill|chunking", TOPIC_CHUNKING, 1},
    {"gc_freeze|freeze_gc|gc_disabled|freeze|gc.freeze|no_gc", TOPIC_GC, 1},
    {"api_server_count#|api_servers#|workers#|processes#|tokenizer_workers#", TOPIC_API_SERVERS, 2},
    {"api_server_count|multi_process|multiprocess|more_workers", TOPIC_API_SERVERS, 1},
    {"image|images|video|videos|vision|audio|multimodal|mm|vl|frames", TOPIC_MEDIA, 1},
    {"text_only|text", TOPIC_MEDIA, -1},
    {"client|bench|benchmark_tool|tool|load_generator|harness", TOPIC_CLIENT, 1},
    {"sclk#|mhz#|clock#", TOPIC_CLOCK, 2},
    {"sclk|clock|clocks|overclock|boost|frequency", TOPIC_CLOCK, 1},
    {"power#|pl#|watt#|tdp#", TOPIC_POWER, 2},
    {"tuned|tuned_config|tuning|moe_config|fused_moe_config", TOPIC_TUNED_MOE, 1},
    {"default_moe|untuned|default_config", TOPIC_TUNED_MOE, -1},
    {"max_num_seqs#|max_seqs#|max_running_requests#|mns#|num_seqs#", TOPIC_MAX_SEQS, 2},
    {"gpu_memory_utilization#|mem_fraction#|mem_fraction_static#|utilization#", TOPIC_MEMORY_SHARE,
     2},
    {"ngl#|n_gpu_layers#", TOPIC_OFFLOAD, -1},
    {"offload|offloaded|offloading|cpu_moe|n_cpu_moe#|cpu_offload_gb#|ncmoe#|partial_offload",
     TOPIC_OFFLOAD, 1},
    {"full_gpu|all_gpu|gpu_only|fully_gpu", TOPIC_OFFLOAD, -1},
    {"stream|streaming|streamed|sse", TOPIC_STREAMING, 1},
    {"non_stream|nonstream|no_stream|non_streaming", TOPIC_STREAMING, -1},
    {"disagg|disaggregated|pd|pd_disagg|1p1d|2p1d|disaggregation", TOPIC_DISAGGREGATION, 1},
    {"aggregated|colocated|agg|mixed", TOPIC_DISAGGREGATION, -1},
    {"numactl|numa_bound|numa|numa_bind|membind|cpunodebind|pinned_cores", TOPIC_NUMA, 1},
    {"cores#|cpus#|vcpu#|threads#", TOPIC_CPU_CORES, 2},
    {"more_cores|more_cpu|faster_cpu|newer_cpu|better_cpu|i9|ryzen|faster_host", TOPIC_CPU_CORES,
     1},
    {"slower_cpu|older_cpu|xeon", TOPIC_CPU_CORES, -1},
    {"warm|warmed|second|second_run|warmup|repeat|repeated|turn2|turn_2|hot|run2|run_2|req2",
     TOPIC_WARM, 1},
    {"cold|first|turn1|turn_1|run1|run_1|req1|initial", TOPIC_WARM, -1},
    {"interval#|delay_prefill|delayed_prefill|prefill_delay|coalesce*|prefill_interval#",
     TOPIC_SPREAD_ARRIVALS, 1},
    {"attention_backend|flashinfer|triton_attn|fa3|fa2|xformers|flex_attention|trtllm_"
     "gen|aiter",
     TOPIC_ATTENTION_BACKEND, 1},
    {"fa|fa_on|flash_attention|flash_attn", TOPIC_FLASH_ATTENTION, 1},
    {"np#|slots#|parallel#", TOPIC_SLOTS, 2},
    {"slots|unified_kv|kv_unified", TOPIC_SLOTS, 1},
    {"stop|stop_string|stop_strings|stop_sequences", TOPIC_STOP_STRINGS, 1},
    {"unified_memory|ggml_cuda_enable_unified_memory|uvm|managed_memory", TOPIC_UNIFIED_MEMORY, 1},
    {"reasoning_parser|reasoning|thinking", TOPIC_REASONING, 1},
};

/* Words that say slower, faster, the same. */
static const char SLOWER[] = "slower|slow|slows|slowdown|longer|drop|dropped|halves|halved|half|"
                             "costs|cost|regressed|regression|"
                             "worse|"
                             "degrades|degradation|degraded|loses|hurts|reduces|overhead|dominates|"
                             "penalizes|lower|poor|low_throughput|low_performance|low_speed";
static const char FASTER[] = "improve|improvement|speed_up|speedups|benefit|faster|gain|gains|"
                             "improves|improved|helps|speedup|speeds|fixes|fixed|"
                             "better|doubles|recovers";

/* Topics that are the circumstances of a comparison rather than what differs. */
static bool is_circumstance(enum topic_id topic)
{
    return topic == TOPIC_BATCH || topic == TOPIC_CONTEXT || topic == TOPIC_VERSION ||
           topic == TOPIC_STEP_TOKENS || topic == TOPIC_SLOTS || topic == TOPIC_REASONING ||
           topic == TOPIC_DP || topic == TOPIC_SAMPLING;
}

/* Whether "off" or the like stands right behind what was found. */
static bool is_switched_off(const struct words *words, int at)
{
    static const char *const OFF[] = {"off", "disabled", "false", "none", "removed"};

    for (int i = at + 1; i < words->n && i <= at + 2; i++)
        for (size_t j = 0; j < ARRAY_LEN(OFF); j++)
            if (strcmp(words->items[i], OFF[j]) == 0)
                return true;
    return false;
}

/* Said and denied: "no LoRA", "without graphs". */
static int denied_topic(const struct words *words, enum topic_id topic)
{
    for (int i = 1; i < words->n; i++) {
        const struct words tail = {words->items + i, words->n - i};
        if (!words_negated(words, i))
            continue;
        for (size_t j = 0; j < ARRAY_LEN(TOPICS); j++)
            if (TOPICS[j].topic == topic && words_find(&tail, TOPICS[j].pattern) == 0)
                return TOPICS[j].polarity > 0 ? -1 : 1;
    }
    return 0;
}

int phrases_topic(const struct words *words, enum topic_id topic, double *ret_amount)
{
    int denied = denied_topic(words, topic);

    *ret_amount = NAN;
    if (denied != 0)
        return denied;
    for (size_t i = 0; i < ARRAY_LEN(TOPICS); i++) {
        if (TOPICS[i].topic != topic)
            continue;
        int at = words_find(words, TOPICS[i].pattern);
        if (at < 0)
            continue;
        if (TOPICS[i].polarity == 2) {
            *ret_amount = words_number(words, at);
            return 1;
        }
        return is_switched_off(words, at) ? -TOPICS[i].polarity : TOPICS[i].polarity;
    }
    return 0;
}

static bool read_signs(const struct words *words, enum phrase_channel channel,
                       struct symptoms *symptoms)
{
    bool any = false;

    for (size_t i = 0; i < ARRAY_LEN(SIGNS); i++) {
        const struct sign_phrase *row = &SIGNS[i];
        if (!(row->channels & (unsigned)channel) || words_find(words, row->pattern) < 0)
            continue;
        const struct sign sign = {.strength = row->strength,
                                  .a = NAN,
                                  .b = NAN,
                                  .origin =
                                      channel == CHANNEL_SETUP ? ORIGIN_DEPLOYMENT : ORIGIN_WORDS};
        symptoms_sign(symptoms, row->sign, &sign);
        any = true;
    }
    return any;
}

/* Ranks of one are none at all. */
static bool is_single(enum topic_id topic, double amount)
{
    return amount == 1.0 && (topic == TOPIC_TP || topic == TOPIC_PP || topic == TOPIC_DP ||
                             topic == TOPIC_EP || topic == TOPIC_DCP);
}

static bool read_topics(const struct words *words, enum phrase_channel channel,
                        struct symptoms *symptoms)
{
    bool any = false;

    for (size_t i = 0; i < ARRAY_LEN(TOPICS); i++) {
        int at = TOPICS[i].polarity > 0 ? words_find(words, TOPICS[i].pattern) : -1;
        if (at < 0 || is_switched_off(words, at) ||
            (TOPICS[i].polarity == 2 && is_single(TOPICS[i].topic, words_number(words, at))))
            continue;
        symptoms_use(symptoms, TOPICS[i].topic, channel == CHANNEL_SETUP ? KNOWN : SAID,
                     channel == CHANNEL_SETUP ? ORIGIN_DEPLOYMENT : ORIGIN_WORDS, words->items[at]);
        any = true;
    }
    return any;
}

#define COMPARED_MAX 2

/* Whether the words compare the topic: they speak of it, as more than one rank, and not of another
 * one whose name has its word in it ("a quantised cache"). */
static bool is_compared(const struct words *words, enum topic_id topic)
{
    double amount, of_cache;

    if (phrases_topic(words, topic, &amount) == 0 || is_single(topic, amount))
        return false;
    return topic != TOPIC_QUANTIZATION ||
           phrases_topic(words, TOPIC_KV_QUANTIZATION, &of_cache) == 0;
}

/* The topics that a statement compares, those that are no circumstances; without any, the first
 * circumstance. How many they are, 0 when they are too many to tell which one it is. */
static int compared_topics(const struct words *words, enum topic_id ret_topics[COMPARED_MAX])
{
    enum topic_id circumstance = TOPIC_COUNT;
    int n = 0;

    for (int i = 0; i < TOPIC_COUNT; i++) {
        enum topic_id topic = (enum topic_id)i;
        if (!is_compared(words, topic))
            continue;
        if (is_circumstance(topic))
            circumstance = circumstance == TOPIC_COUNT ? topic : circumstance;
        else if (n == COMPARED_MAX)
            return 0;
        else
            ret_topics[n++] = topic;
    }
    if (n == 0 && circumstance != TOPIC_COUNT)
        ret_topics[n++] = circumstance;
    return n;
}

/* Whether one of the few words before a place denies it: "is not any better". */
static bool is_denied(const struct words *words, int at)
{
    static const char *const NO[] = {"no",  "not",    "doesn", "don",    "didn",    "cannot",
                                     "isn", "hardly", "never", "barely", "without", "nothing"};

    for (int i = at > 4 ? at - 4 : 0; i < at; i++)
        for (size_t j = 0; j < ARRAY_LEN(NO); j++)
            if (strcmp(words->items[i], NO[j]) == 0)
                return true;
    return false;
}

/* Where a word of a list stands, denied or not. */
static int find_word(const struct words *words, const char *list)
{
    for (int i = 0; i < words->n; i++) {
        const struct words one = {words->items + i, words->n - i};
        if (words_find(&one, list) == 0)
            return i;
    }
    return -1;
}

static bool read_comparison(const struct words *words, struct symptoms *symptoms)
{
    int slower = words_find(words, SLOWER), faster = find_word(words, FASTER);
    enum topic_id topics[COMPARED_MAX];
    bool denied = faster >= 0 && is_denied(words, faster);
    int n = slower >= 0 || faster >= 0 ? compared_topics(words, topics) : 0;

    if (slower >= 0 && faster >= 0 && !denied)
        return false;
    const struct difference difference = {.strength = n > 1 ? COMPARED / n : COMPARED,
                                          .ratio = slower >= 0 ? 0.7
                                                   : denied    ? 1.0
                                                               : 1.3,
                                          .with = NAN,
                                          .without = NAN,
                                          .kind = ABOUT_THROUGHPUT,
                                          .origin = ORIGIN_WORDS};
    for (int i = 0; i < n; i++)
        symptoms_differ(symptoms, topics[i], &difference);
    return n > 0;
}

bool phrases_read(struct arena *arena, const char *text, enum phrase_channel channel,
                  struct symptoms *symptoms)
{
    const struct words words = words_read(arena, text);
    bool any = read_signs(&words, channel, symptoms);

    any = read_topics(&words, channel, symptoms) || any;
    if (channel == CHANNEL_STATEMENT)
        any = read_comparison(&words, symptoms) || any;
    return any;
}
