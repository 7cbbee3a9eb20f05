/*
 * What reports of a cause speak of: groups of words, the first of which must be there and of the
 * others one at least. The more groups, the better a report fits.
 */
#include "report_words.h"

#include <string.h>

#include "compiler.h"

static const struct {
    enum cause_id cause;
    const char *groups; /* with blanks between; each is one element of words_find() */
} REPORTS[] = {
    {CAUSE_KV_QUEUEING,
     "kv|cache|pool|blocks full|exhaust*|limit*|room|capacity|small|insufficient|oversubscri* "
     "queue*|wait*|pending|admission|admitted ttft|first_token|concurren*|long_context"},
    {CAUSE_KV_PREEMPTION,
     "preempt*|retract*|evict*|recompute*|paused|thrash* kv|cache|pool|memory|blocks "
     "full|exhaust*|pressure|oversubscri*|runs_out|space|repeated* "
     "request|sequence|running|throughput|speed"},
    {CAUSE_KV_WORKSPACE,
     "workspace|scratch|buffer|temporary oom|out_of_memory|alloc*|memory "
     "backend|kernel|attention|pool after|beyond|uncounted|unaccounted|counted|accounted"},
    {CAUSE_KV_ACTIVATION,
     "activation*|peak|batched_tokens|mnbt kv|cache|pool|memory gib|gb|tokens|room|fewer "
     "smaller|less|lower|half|shrink*|shrank|takes|costs"},
    {CAUSE_GRAPH_MEMORY,
     "graph|graphs|cudagraph*|capture|capturing memory|gib|gb|oom|out_of_memory|kv|pool "
     "less|lower*|shrink*|shrank|fail*|estimat*|reserve*|takes|startup"},
    {CAUSE_GRAPH_COVERAGE,
     "graph|graphs|cudagraph*|captured|capture|stride|padding|padded|eager|bucket* "
     "batch|size|shape|seqs|rows not|off|beyond|above|falls|fallback|miss*|exceed*|larger|outside "
     "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|overhead|regress*|"
     "reduc*|fall*|decreas*"},
    {CAUSE_EAGER, "eager*|compile*|fused|unfused|fusion|graphs|launch|launches "
                  "off|disabled|without|not|no|many|small|overhead slow*|instead|expected|faster"},
    {CAUSE_MAX_NUM_SEQS,
     "max_num_seqs|max_seqs|max_running*|slots|parallel|concurren* "
     "limit*|cap|capped|only|stuck|at_most|never queue*|wait*|pending unused|free|idle|room"},
    {CAUSE_SATURATION,
     "queue*|wait*|backlog|pending grow*|increase*|explode*|unbounded|rise*|climb* "
     "rate|rps|qps|load|requests|burst|arriv* ttft|latency|first_token"},
    {CAUSE_PREFILL_INTERFERENCE,
     "prefill*|prompt|long_input|big_prompts "
     "peaks|while|stall*|pause*|starv*|block*|interrupt*|freez*|collapse*|spike*|lag|delay*|hiccup*"
     "|interfer*|"
     "jitter* "
     "decode*|running|streaming|others|other|itl|inter_token|tpot|generation|in_flight|tokens"},
    {CAUSE_PREFILL_COMPUTE,
     "prefill*|prompt|pp slow*|low|takes|long|seconds|minutes|tok compute|gemm|flops|chunk*|bound"},
    {CAUSE_PREFIX_MISS, "prefix|cache|cached|reuse*|history|turn|session|radix|repeat*|identical "
                        "miss*|0|zero|low|never|again|reprocess*|full|invalid*|evict*|no "
                        "prefill*|prompt|ttft|slow*|context|hit"},
    {CAUSE_BANDWIDTH, "bandwidth|memory_bound|hbm|dram decode|generation|tg|token "
                      "flat|constant|limit*|bound|same|saturat*|no_faster|unchanged"},
    {CAUSE_KV_READ, "context|length|conversation|long decode|generation|tg|tpot|token "
                    "slow*|degrad*|drop*|fall*|decreas*|grow*"},
    {CAUSE_KV_LAYOUT, "slot|unified|cells|defrag*|fragment*|sequences slow*|degrad*|drop* "
                      "after|finished|idle|stale|many|parallel"},
    {CAUSE_ATTENTION_KERNEL, "attention|flash*|fa2|fa3|fmha|sdpa|triton_attn|fp8_kv|kv_cache|kv "
                             "backend|kernel|fallback|fp8|dtype|implementation|int8|q8_0 "
                             "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|"
                             "cost*|overhead|regress*|reduc*|fall*|decreas*"},
    {CAUSE_QUANT_BATCH, "awq|gptq|int4|int8|fp8|w4a16|quant*|marlin|nf4|fp4|nvfp4|mxfp4|bnb "
                        "batch|concurren*|throughput|large|high "
                        "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|"
                        "overhead|regress*|reduc*|fall*|decreas*"},
    {CAUSE_QUANT_PREFILL, "awq|gptq|int4|int8|fp8|w4a16|quant*|marlin|nf4|fp4|nvfp4|mxfp4|bnb "
                          "prefill|prompt|ttft|long|input "
                          "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|"
                          "cost*|overhead|regress*|reduc*|fall*|decreas*"},
    {CAUSE_QUANT_EMULATED,
     "fp8|fp4|nvfp4|mxfp4|int8|bf16|weights "
     "fallback|falls|fall|emulat*|unsupported|support*|dequant*|software|upcast*|native "
     "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|overhead|regress*|"
     "reduc*|fall*|decreas*|ampere|older|turing|volta"},
    {CAUSE_MOE_CONFIG, "moe|expert|fused_moe config*|tuned|tuning|json|default "
                       "missing|default|warning|found|optimal|slow*"},
    {CAUSE_EXPERT_IMBALANCE,
     "expert|moe|ep|eplb|routing|routed imbalanc*|uneven*|skew*|hot|unbalanc*|overload*|straggler* "
     "rank|gpu|token|load"},
    {CAUSE_LORA, "lora*|adapter "
                 "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|"
                 "overhead|regress*|reduc*|fall*|decreas*"},
    {CAUSE_SPEC_COST,
     "spec*|draft*|eagle*|mtp|medusa|ngram|lookahead|n_gram "
     "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|overhead|regress*|"
     "reduc*|fall*|decreas*|accept*|speedup|speed_up|gain|faster|speed"},
    {CAUSE_SPEC_BATCH,
     "spec*|draft*|eagle*|mtp|medusa|ngram|lookahead|n_gram batch|concurren*|load|qps|users "
     "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|overhead|regress*|"
     "reduc*|fall*|decreas*|only|disappear*|gain"},
    {CAUSE_PCIE_ALLREDUCE, "all_reduce|allreduce|tp|tensor_parallel*|tensor_split|multi_gpu|row|"
                           "gpus pcie|p2p|nvlink|3090|4090|5090|consumer "
                           "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|"
                           "cost*|overhead|regress*|reduc*|fall*|decreas*|bound"},
    {CAUSE_ALLREDUCE_LATENCY,
     "tp|tensor_parallel*|all_reduce|allreduce|nccl|multi_gpu|gpus "
     "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|overhead|regress*|"
     "reduc*|fall*|decreas*|improve*|better|same|latency|gain|single"},
    {CAUSE_PIPELINE_BUBBLE,
     "pp#|pp|pipeline*|stage "
     "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|overhead|regress*|"
     "reduc*|fall*|decreas*|bubble*|idle|times|slower|utili*|throughput"},
    {CAUSE_RANK_SKEW, "rank|worker|straggler*|skew wait*|late|slow*|stall*|imbalanc*|differ* "
                      "collective|all_reduce|allreduce|nccl|barrier|sync*"},
    {CAUSE_KV_TRANSFER,
     "transfer*|nixl|mooncake|disagg*|pd|1p1d|kv_connector|rdma|ucx "
     "slow*|ttft|latency|takes|seconds|ms|high|tcp|timeout kv|cache|network|decode|prefill"},
    {CAUSE_HOST_LINK, "pcie|host_to_device|h2d|d2h|swap*|memcpy|copies|pinned "
                      "slow*|bandwidth|x1|x4|x8|gen1|gen2|gen3|bound|wait*"},
    {CAUSE_OFFLOAD, "cpu|ram|offload*|layers|vram|host_memory gpu|vram|split|model|fit|experts "
                    "slow*|low|partial*|spill*|half|only|full|instead|not"},
    {CAUSE_POWER_CAP, "power|watt|tdp limit*|cap|capped|throttl*|low"},
    {CAUSE_THERMAL,
     "thermal*|temperature|heat*|hot|cooling|fan|throttl* gpu|clock|slow*|drop*|after"},
    {CAUSE_CLOCKS, "clock|mhz|frequency|pstate|p8 low|stuck|idle|drop*|locked"},
    {CAUSE_SHARED_GPU, "other|another|shared|sharing|neighbor*|mps|mig|tenant*|desktop "
                       "process|job|container|workload|gpu same|also|use|memory|slow*"},
    {CAUSE_SCHEDULER,
     "scheduler|scheduling|host|cpu|python|overhead|gpu_util*|input_prep*|loop|gil gpu|device "
     "idle|gap|bubble*|wait*|starv*|underutil*|low|grow* "
     "step|iteration|between|decode|overlap*|batch|small*"},
    {CAUSE_GC, "gc|garbage|collector|pause*|stall*|hang*|spike*|outlier*|hiccup* "
               "regular*|every|period*|interval|p99|tail|growing|grow*|hours|worker "
               "python|latency|itl|server|ranks|lockstep|heap"},
    {CAUSE_PENALTIES_HOST,
     "penalt* "
     "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|overhead|regress*|"
     "reduc*|fall*|decreas*|cpu|sampler|sampling|tpot"},
    {CAUSE_PENALTIES_DEVICE,
     "penalt* "
     "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|overhead|regress*|"
     "reduc*|fall*|decreas*|sampler|sampling|tpot|kernel"},
    {CAUSE_VOCAB_SORT, "top_k|top_p|min_p|sort*|nucleus|vocab* "
                       "cpu|slow*|halve*|half|full|whole|disabled|0|sampler|sampling"},
    {CAUSE_LOGPROBS,
     "logprob* "
     "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|overhead|regress*|"
     "reduc*|fall*|decreas*|cpu|memory|bytes|size|serial*|throughput"},
    {CAUSE_GUIDED_COMPILE,
     "grammar|grammars|schema|schemas|regex|guided*|structured|json|xgrammar|outlines|constrained "
     "compil*|ttft|first|seconds|new|build*|slow*|timeout"},
    {CAUSE_GUIDED_MASK,
     "grammar|grammars|schema|schemas|regex|guided*|structured|json|xgrammar|outlines|constrained "
     "mask*|bitmask|per_token|tpot|throughput|gpu|batch|slow*|drop*|worse|lower|low|half|halve*|"
     "degrad*|collapse*|poor|loss|cost*|overhead|regress*|reduc*|fall*|decreas*"},
    {CAUSE_DETOKENIZATION,
     "detok*|decode_ids|incremental*|stop_string|streaming|token_history|text|decoded|history "
     "slow*|low|cpu|overhead|every|each|per_token|grow*|quadratic|bottleneck|drain*|degrad*"},
    {CAUSE_TOKENIZER, "tokeniz*|tokenis*|preprocess*|chat_template "
                      "slow*|cpu|long|ttft|queue|wait*|bottleneck|single|seconds|thread|core|100"},
    {CAUSE_MULTIMODAL, "image|video|vision|audio|multimodal|frames|pixel* "
                       "cpu|slow*|idle|preprocess*|decode|decoding|resize|low"},
    {CAUSE_GATEWAY,
     "proxy|gateway|ingress|nginx|router|serve|envoy|litellm|sidecar|balancer|batcher "
     "ttft|latency|delay*|buffer*|slow*|overhead|ms|stream*|burst*|added|behind"},
    {CAUSE_API_SERVER,
     "api|http|frontend|front_end|uvicorn|fastapi|asyncio|event_loop|zmq|serializ*|manager "
     "cpu|core|bottleneck|single|100|busy|drain*|saturat*|gil|thread|process "
     "gpu|engine|idle|gap|concurren*|requests|streaming"},
    {CAUSE_NUMA, "numa|socket|cross_socket|affinity|numactl "
                 "memory|node|bind*|cpu|slow*|latency|vary|varies|variance|differ*|speedup"},
    {CAUSE_CPU_LIMIT,
     "cores|core|vcpu*|cpu_limit|cpus|quota|cgroup|omp|threads "
     "few|limit*|only|container|pod|enough|oversubscri* slow*|gpu|idle|latency|throttl*"},
    {CAUSE_COLD_START, "first|cold|warm*|jit|compil*|autotun*|boot request|inference|serving|call "
                       "slow*|takes|minutes|seconds|latency|spike*|during|ttft"},
    {CAUSE_LEAK,
     "leak*|memory|rss|ram grow*|increas*|climb*|leak*|unbounded|rise*|oom_killed|oomkilled|killed "
     "time|hours|days|until|continuous*|cpu|host|worker|each|over"},
    {CAUSE_REGRESSION, "regress*|version|upgrad*|updat*|downgrad*|since|commit|release|@ "
                       "slow*|drop*|worse|lower|low|half|halve*|degrad*|collapse*|poor|loss|cost*|"
                       "overhead|regress*|reduc*|fall*|decreas*|lost|from"},
    {CAUSE_CLIENT, "client|benchmark*|generator|script|locust|aiohttp|harness "
                   "bottleneck|limit*|slow*|single|cpu|saturat*|enough"},
    {CAUSE_ENVIRONMENT, "environment|env|variable|flag|setting|configuration "
                        "differ*|only|missing|wrong|set|unset|default|proxy"},
    {CAUSE_PROFILING,
     "profil*|py_spy|trace|flame*|nsys "
     "sync*|cpu|item|copy|tolist|wait*|cudastreamsync*|memcpy|blame*|misleading|async*"},
};

/* Whether one of the group's words stands anywhere. */
static bool has_group(struct arena *arena, const struct words *words, const char *group,
                      size_t length)
{
    char *element = arena_copy(arena, group, length);
    bool found = element && words_find(words, element) >= 0;

    if (element)
        arena_release(arena, element);
    return found;
}

/* How far a report fits the groups: all of them is 1. */
static double fit(struct arena *arena, const struct words *words, const char *groups)
{
    int n = 0, hits = 0;

    while (*groups) {
        size_t length = strcspn(groups, " ");
        bool found = has_group(arena, words, groups, length);
        if (n == 0 && !found)
            return 0.0;
        hits += found;
        n++;
        groups += length + strspn(groups + length, " ");
    }
    return hits > 1 ? (double)hits / n : 0.0;
}

void report_words_read(struct arena *arena, const char *text, struct symptoms *symptoms)
{
    const struct words words = words_read(arena, text);

    for (size_t i = 0; words.n > 0 && i < ARRAY_LEN(REPORTS); i++) {
        double told = fit(arena, &words, REPORTS[i].groups);
        if (told > symptoms->told[REPORTS[i].cause])
            symptoms->told[REPORTS[i].cause] = told;
    }
}
