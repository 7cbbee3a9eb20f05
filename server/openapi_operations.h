/*
 * openapi_operations.h - what an operation takes and gives: parameters and replies of a route.
 *
 * Purpose: one row per handler; the walk over ROUTES finds it by the route's handler.
 * Errors:  the writer's.
 */
#ifndef REGIME_OPENAPI_OPERATIONS_H
#define REGIME_OPENAPI_OPERATIONS_H

#include "json_out.h"
#include "routes.h"

struct operation {
    const struct route *route;
    enum method method;
    struct store *store;
    const char *plan_example, *summary_example; /* replies of the example request; NULL = none */
};

/* A small request, as people write it. */
#define OPENAPI_REQUEST_EXAMPLE                                                                    \
    "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":{\"weights\":\"fp8\"},"  \
    "\"workload\":{\"concurrency\":32,\"input_tokens\":2048,\"output_tokens\":256},"               \
    "\"slo\":{\"tpot_ms\":30}}"

/* The same deployment as people start it. */
#define OPENAPI_COMMAND_EXAMPLE                                                                    \
    "vllm serve meta-llama/Llama-3.1-8B-Instruct --quantization fp8 --max-model-len 16k"

/* The same in a cluster. */
#define OPENAPI_MANIFEST_EXAMPLE                                                                   \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: chat}\nspec:\n"                                   \
    "  nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}\n  containers:\n"             \
    "    - name: vllm\n      image: vllm/vllm-openai:v0.11.0\n"                                    \
    "      args: [--model, meta-llama/Llama-3.1-8B-Instruct, --max-model-len, 16k]\n"              \
    "      resources: {limits: {nvidia.com/gpu: 1}}\n"

/* Two deployments that share model, part and load. */
#define OPENAPI_COMPARE_EXAMPLE                                                                    \
    "{\"baseline\":{\"deployment\":{\"weights\":\"fp8\"}},"                                        \
    "\"candidate\":{\"deployment\":{\"weights\":\"bf16\"}},"                                       \
    "\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"workload\":{\"concurrency\":32,"       \
    "\"input_tokens\":2048,\"output_tokens\":256},\"slo\":{\"tpot_ms\":30}}"

/* A run of a benchmark. */
#define OPENAPI_ANCHOR_EXAMPLE                                                                     \
    "{\"model\":\"llama-3.1-8b\",\"hardware\":\"l4\",\"engine\":\"vllm\",\"engine_version\":\"0."  \
    "11.0\","                                                                                      \
    "\"weights\":\"bf16\",\"workload\":{\"input_tokens\":1024,\"output_tokens\":128,"              \
    "\"concurrency\":4},"                                                                          \
    "\"metrics\":{\"tpot_ms\":81.5,\"ttft_ms_p50\":700},\"source\":{\"title\":\"our own run\","    \
    "\"kind\":\"measurement\"}}"

/* A part that no data sheet is of. */
#define OPENAPI_PART_EXAMPLE                                                                       \
    "{\"id\":\"lab-card\",\"name\":\"Lab "                                                         \
    "card\",\"vendor\":\"Lab\",\"class\":\"datacenter\",\"arch\":"                                 \
    "\"lab\",\"memory_gb\":48,\"mem_bw_gbps\":900,\"peak_dense_tflops\":{\"bf16\":120},"           \
    "\"interconnect\":{\"kind\":\"none\",\"max_domain\":1},\"pcie\":\"gen4x16\","                  \
    "\"source\":{\"title\":\"its data sheet\",\"kind\":\"datasheet\"}}"

/* What another source says. */
#define OPENAPI_DISPUTE_EXAMPLE                                                                    \
    "{\"kind\":\"hardware\",\"id\":\"l4\",\"field\":\"tdp_w\",\"value\":75,\"source\":{\"title\":" \
    "\"the card's own label\",\"kind\":\"datasheet\"},\"why\":\"the label says 75 W\"}"

/* A line of llama-bench -o jsonl, in part; the file's name has the model and its format. */
#define OPENAPI_BENCHMARK_EXAMPLE                                                                  \
    "{\"build_number\":5432,\"gpu_info\":\"NVIDIA GeForce RTX 4090\",\"backends\":\"CUDA\","       \
    "\"model_filename\":\"Llama-3.1-8B-Instruct-Q4_K_M.gguf\",\"n_prompt\":0,\"n_gen\":128,"       \
    "\"avg_ts\":121.5,\"stddev_ts\":0.4}"

/* Two loads on two parts. */
#define OPENAPI_SWEEP_EXAMPLE                                                                      \
    "{\"base\":{\"model\":\"llama-3.1-8b\",\"deployment\":{\"weights\":\"fp8\"}},"                 \
    "\"axes\":{\"/hardware\":[\"h100-sxm\",\"l4\"],\"/workload/concurrency\":[1,64]},"             \
    "\"columns\":[\"regime\",\"dominant_class\",\"tpot_ms\",\"output_tok_s\",\"fits\"]}"

/* The cheapest deployment of two parts that answers fast enough. */
#define OPENAPI_SEARCH_EXAMPLE                                                                     \
    "{\"model\":\"llama-3.1-70b\",\"hardware\":[\"h100-sxm\",\"h200-sxm\"],"                       \
    "\"workload\":{\"concurrency\":64,\"input_tokens\":2048,\"output_tokens\":256},"               \
    "\"slo\":{\"ttft_ms\":2000,\"tpot_ms\":30},\"space\":{\"devices\":[4,8],"                      \
    "\"engine\":[\"vllm\",\"sglang\"]},\"objective\":\"cost\",\"limit\":3}"

#define OPENAPI_DIAGNOSE_EXAMPLE                                                                   \
    "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":{\"engine\":\"vllm\"},"  \
    "\"workload\":{\"concurrency\":64,\"input_tokens\":1024,\"output_tokens\":256},\"observed\":{" \
    "\"tpot_ms\":24,\"gpu_utilization\":0.35,\"cpu_utilization\":1.0,\"waiting\":0},\"arms\":["    \
    "{\"name\":\"with logprobs\",\"output_tok_s\":2600},{\"name\":\"without logprobs\","           \
    "\"output_tok_s\":4100}],\"symptom\":\"one core at 100 %, the GPU mostly idle\"}"

/* Whether every route's handler has its row. */
bool operations_complete(void);

/* Writes the operation object. */
void operation_write(struct json_out *out, const struct operation *operation);

#endif
