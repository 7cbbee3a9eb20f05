/*
 * Command lines of SGLang, TensorRT-LLM and text-generation-inference, and the leaves they set.
 *
 * The lines are written after https://docs.sglang.io (server arguments),
 * https://nvidia.github.io/TensorRT-LLM (trtllm-serve) and
 * https://huggingface.co/docs/text-generation-inference (launcher). SGLang's --tp counts the ranks
 * of DP attention, its --dp without that are whole copies; TGI shards over all devices it sees.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "command_kit.h"

static const struct command_row ROWS[] = {
    {"python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 16 "
     "--dist-init-addr 10.0.0.1:5000 --nnodes 2 --node-rank 0 --trust-remote-code",
     "model=deepseek-v3&engine=sglang&tp=16",
     "--dist-init-addr --nnodes --node-rank --trust-remote-code", NULL},
    {"python -m sglang.launch_server --model deepseek-ai/DeepSeek-V3.2 --tp 8 --dp 4 "
     "--enable-dp-attention",
     "model=deepseek-v3.2&engine=sglang&tp=2&dp=4", NULL, NULL},
    {"python3 -m sglang.launch_server \\\n"
     "    --model-path ${MODEL_PATH} \\\n"
     "    --served-model-name deepseek-v3 \\\n"
     "    --tp 16 \\\n"
     "    --trust-remote-code \\\n"
     "    --attention-backend ascend \\\n"
     "    --device npu \\\n"
     "    --quantization modelslim \\\n"
     "    --watchdog-timeout 9000 \\\n"
     "    --cuda-graph-bs 8 16 24 28 32 \\\n"
     "    --mem-fraction-static 0.68 \\\n"
     "    --max-running-requests 128 \\\n"
     "    --context-length 8188 \\\n"
     "    --disable-radix-cache \\\n"
     "    --chunked-prefill-size -1 \\\n"
     "    --max-prefill-tokens 16384 \\\n"
     "    --moe-a2a-backend deepep \\\n"
     "    --deepep-mode auto \\\n"
     "    --enable-dp-attention \\\n"
     "    --dp-size 4 \\\n"
     "    --enable-dp-lm-head \\\n"
     "    --speculative-algorithm NEXTN \\\n"
     "    --speculative-num-steps 3 \\\n"
     "    --speculative-eagle-topk 1 \\\n"
     "    --speculative-num-draft-tokens 4 \\\n"
     "    --dtype bfloat16",
     "model=deepseek-v3&engine=sglang&dtype=bfloat16&kv_cache=bf16&tp=4&dp=4&ep=16&"
     "prefix_caching=false&chunked_prefill_tokens=0&max_num_seqs=32&"
     "max_model_len=8188&memory_utilization=0.68&ep_backend=all_to_all&"
     "graph_max_batch=32&speculative.method=mtp&speculative.tokens=3",
     "--served-model-name --trust-remote-code --attention-backend --device "
     "--watchdog-timeout --max-prefill-tokens --deepep-mode --enable-dp-lm-head "
     "--speculative-eagle-topk",
     "model_by_other_name flags_not_modelled"},
    {"python -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B-Instruct "
     "--port 30000 --host 0.0.0.0 --mem-fraction-static 0.8 --kv-cache-dtype fp8_e5m2 "
     "--schedule-conservativeness 0.3 --max-total-tokens 200000",
     "model=llama-3.1-8b&engine=sglang&kv_cache=fp8&memory_utilization=0.8&"
     "reserve_output_share=0.21&kv_cache_tokens=200000",
     "--port --host", NULL},
    {"python -m sglang.launch_server --model-path "
     "meta-llama/Meta-Llama-3.1-8B-Instruct --speculative-algorithm EAGLE3 "
     "--speculative-draft-model-path jamesliu1/sglang-EAGLE3-Llama-3.1-Instruct-8B "
     "--speculative-num-steps 5 --speculative-eagle-topk 8 "
     "--speculative-num-draft-tokens 32 --mem-fraction 0.6 --cuda-graph-max-bs 2 "
     "--dtype float16",
     "model=llama-3.1-8b&engine=sglang&weights=fp16&kv_cache=fp16&"
     "memory_utilization=0.6&graph_max_batch=2&speculative.method=eagle3&"
     "speculative.tokens=5",
     "--speculative-eagle-topk", "flags_not_modelled"},
    {"docker run --gpus all --shm-size 32g -p 30000:30000 -v "
     "~/.cache/huggingface:/root/.cache/huggingface --env \"HF_TOKEN=<secret>\" "
     "--ipc=host lmsysorg/sglang:v0.5.3-cu126 python3 -m sglang.launch_server "
     "--model-path Qwen/Qwen2.5-72B-Instruct-AWQ --tp 4 --host 0.0.0.0 --port 30000",
     "model=qwen2.5-72b&engine=sglang&engine_version=0.5.3&weights=awq&tp=4", "--host --port",
     NULL},
    {"sglang serve --model-path Qwen/Qwen3-30B-A3B --tp-size 4 --ep-size 4 "
     "--enable-torch-compile --torch-compile-max-bs 8 --page-size 64",
     "model=qwen3-30b-a3b&engine=sglang&tp=4&ep=4&block_size=64",
     "--enable-torch-compile --torch-compile-max-bs", "flags_not_modelled"},
    {"python -m sglang.launch_server --model-path openai/gpt-oss-120b --tp 4 "
     "--tool-call-parser gpt-oss --reasoning-parser gpt-oss --disable-cuda-graph "
     "--disable-overlap-schedule",
     "model=gpt-oss-120b&engine=sglang&tp=4&cuda_graphs=false&async_scheduling=false",
     "--tool-call-parser --reasoning-parser", NULL},
    {"python3 -m sglang.launch_server --model-path meta-llama/Llama-3.3-70B-Instruct "
     "--quantization w8a8_int8 --tp 4 --dp 2 --enable-mixed-chunk",
     "model=llama-3.3-70b&engine=sglang&weights=int8&tp=4&replicas=2&"
     "prefill_priority=false",
     NULL, NULL},
    {"python3 -m sglang_router.launch_server --model-path "
     "meta-llama/Meta-Llama-3.1-8B-Instruct --dp-size 4 --host 0.0.0.0",
     "model=llama-3.1-8b&engine=sglang&replicas=4", "--host", NULL},
    {"SGLANG_ENABLE_JIT_DEEPGEMM=1 python3 -m sglang.launch_server "
     "--model-path=moonshotai/Kimi-K2-Instruct --tp=16 --enable-hierarchical-cache "
     "--hicache-ratio 2 --lora-paths a=/x b=/y --max-loras-per-batch 4",
     "model=kimi-k2&engine=sglang&tp=16&max_loras=4&max_lora_rank=16&kv_tier.kind=host",
     "--hicache-ratio --lora-paths", NULL},
    {"trtllm-serve deepseek-ai/DeepSeek-R1 --host localhost --port 8000 --backend "
     "pytorch --max_batch_size 128 --max_num_tokens 2048 --tp_size 8 --ep_size 8 "
     "--pp_size 1 --kv_cache_free_gpu_memory_fraction 0.9 --extra_llm_api_options "
     "./extra-llm-api-config.yml --reasoning_parser deepseek-r1",
     "model=deepseek-r1&engine=tensorrt-llm&tp=8&pp=1&ep=8&"
     "chunked_prefill_tokens=2048&max_num_seqs=128&memory_utilization=0.9",
     "--host --port --backend --extra_llm_api_options --reasoning_parser", "config_file_unread"},
    {"cat >./config.yml <<EOF\n"
     "cuda_graph_config:\n"
     "    enable_padding: true\n"
     "    max_batch_size: 256\n"
     "enable_attention_dp: true\n"
     "kv_cache_config:\n"
     "    dtype: fp8\n"
     "    free_gpu_memory_fraction: 0.75\n"
     "stream_interval: 20\n"
     "moe_config:\n"
     "    backend: DEEPGEMM\n"
     "EOF\n"
     "\n"
     "trtllm-serve \\\n"
     "    deepseek-ai/DeepSeek-R1 \\\n"
     "    --host localhost --port 8000 \\\n"
     "    --trust_remote_code \\\n"
     "    --max_batch_size 512 --max_num_tokens 4096 \\\n"
     "    --tp_size 8 --ep_size 8 --pp_size 1 \\\n"
     "    --config ./config.yml \\\n"
     "    --reasoning_parser deepseek-r1",
     "model=deepseek-r1&engine=tensorrt-llm&kv_cache=fp8&pp=1&dp=8&ep=8&"
     "chunked_prefill_tokens=4096&max_num_seqs=512&memory_utilization=0.75&"
     "stream_interval=20&graph_max_batch=256",
     "--host --port --trust_remote_code --config cuda_graph_config.enable_padding "
     "moe_config.backend --reasoning_parser",
     "flags_not_modelled"},
    {"cat >./config.yml <<EOF\n"
     "cuda_graph_config: {enable_padding: true, max_batch_size: 256} # graphs\n"
     "kv_cache_config: {\n"
     "    dtype: fp8, free_gpu_memory_fraction: 0.75}\n"
     "stream_interval: 20\n"
     "EOF\n"
     "trtllm-serve deepseek-ai/DeepSeek-R1 --tp_size 8 --config ./config.yml",
     "model=deepseek-r1&engine=tensorrt-llm&kv_cache=fp8&tp=8&memory_utilization=0.75&"
     "stream_interval=20&graph_max_batch=256",
     "--config cuda_graph_config.enable_padding", NULL},
    {"trtllm-serve serve nvidia/Llama-3.3-70B-Instruct-FP4 --tp_size 2 --max_seq_len "
     "8192",
     "model=llama-3.3-70b&engine=tensorrt-llm&weights=nvfp4&tp=2&max_model_len=8192", NULL, NULL},
    {"trtllm-serve meta-llama/Llama-3.1-8B-Instruct --free_gpu_memory_fraction 0.85 "
     "--max_beam_width 1 --num_postprocess_workers 4",
     "model=llama-3.1-8b&engine=tensorrt-llm&memory_utilization=0.85",
     "--max_beam_width --num_postprocess_workers", NULL},
    {"mpirun -n 16 --allow-run-as-root trtllm-llmapi-launch trtllm-serve "
     "nvidia/DeepSeek-R1-FP4 --tp_size 16 --ep_size 4",
     "model=deepseek-r1&engine=tensorrt-llm&weights=nvfp4&tp=16&ep=4", NULL, NULL},
    {"docker run --rm -it --gpus all --ipc host -p 8000:8000 "
     "nvcr.io/nvidia/tensorrt-llm/release:1.1.0 trtllm-serve "
     "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
     "model=tinyllama-1.1b&engine=tensorrt-llm&engine_version=1.1.0", NULL, NULL},
    {"docker run --gpus all --shm-size 1g -p 8080:80 -v $PWD/data:/data "
     "ghcr.io/huggingface/text-generation-inference:3.3.4 --model-id "
     "HuggingFaceH4/zephyr-7b-beta",
     "model=mistral-7b-v0.1&engine=tgi&engine_version=3.0.1", NULL, "engine_version_unknown"},
    {"vllm serve Qwen/Qwen3-8B & python -m sglang.launch_server --model-path Qwen/Qwen3-32B",
     "model=qwen3-8b&engine=vllm", NULL, "several_servers"},
    {"vllm serve Qwen/Qwen3-8B & sleep 60; vllm bench serve --model Qwen/Qwen3-8B",
     "model=qwen3-8b&engine=vllm", NULL, NULL},
    {"text-generation-launcher --model-id Qwen/Qwen2.5-7B-Instruct --max-input-length 4096 "
     "--max-total-tokens 8192 --max-concurrent-requests 4",
     "model=qwen2.5-7b&engine=tgi&max_model_len=8192&max_input_tokens=4096&"
     "max_concurrent_requests=4",
     NULL, NULL},
    {"docker run --gpus all -p 8080:80 "
     "ghcr.io/huggingface/text-generation-inference:latest --model-id "
     "meta-llama/Llama-3.1-70B-Instruct --num-shard 4 --quantize bitsandbytes-nf4",
     "model=llama-3.1-70b&engine=tgi&weights=nf4&tp=4", NULL, NULL},
    {"CUDA_VISIBLE_DEVICES=0,1 text-generation-launcher --model-id "
     "TheBloke/Mistral-7B-Instruct-v0.2-AWQ --quantize awq --kv-cache-dtype "
     "fp8_e4m3fn --speculate 3",
     "model=mistral-7b-v0.2&engine=tgi&weights=awq&kv_cache=fp8&tp=2&"
     "speculative.method=ngram&speculative.tokens=3",
     NULL, NULL},
    {"docker run -e MODEL_ID=mistralai/Mistral-7B-Instruct-v0.3 -e NUM_SHARD=2 -e "
     "MAX_TOTAL_TOKENS=8192 --gpus 2 "
     "ghcr.io/huggingface/text-generation-inference:2.4.0",
     "model=mistral-7b-v0.3&engine=tgi&engine_version=2.4.0&tp=2&max_model_len=8192", NULL, NULL},
    {"python -m sglang.launch_server --model-path Qwen/Qwen3-8B "
     "--tensor-parallel-size 2 --context-len 8192 --max-running-requests 64 "
     "--log-level debug",
     "model=qwen3-8b&engine=sglang&tp=2&max_num_seqs=64&max_model_len=8192", "--log-level", NULL},
    {"python -m sglang.launch_server --model-path Qwen/Qwen3-235B-A22B-FP8 --tp 8 "
     "--ep 8 --moe-a2a-backend none --enable-eplb --cuda-graph-max-bs 256 "
     "--max-queued-requests 100",
     "model=qwen3-235b-a22b&engine=sglang&weights=fp8_block&tp=8&ep=8&"
     "graph_max_batch=256",
     "--enable-eplb --max-queued-requests", "flags_not_modelled"},
    {"python -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B-Instruct "
     "--enable-deterministic-inference --attention-backend fa3 --random-seed 1",
     "model=llama-3.1-8b&engine=sglang&batch_invariant=true", "--attention-backend --random-seed",
     "flags_not_modelled"},
    {"python -m sglang.launch_server --model-path google/gemma-3-27b-it "
     "--swa-full-tokens-ratio 0.5 --disable-hybrid-swa-memory",
     "model=gemma-3-27b&engine=sglang&swa_full=true&swa_full_tokens_ratio=0.5", NULL, NULL},
    {"trtllm-serve meta-llama/Llama-3.1-70B-Instruct --tp-size 4 --max-batch-size 64 "
     "--kv_cache_dtype fp8",
     "model=llama-3.1-70b&engine=tensorrt-llm&kv_cache=fp8&tp=4&max_num_seqs=64", NULL, NULL},
    {"trtllm-serve Qwen/Qwen3-30B-A3B --tp_size 2 --moe_cluster_parallel_size 1 "
     "--extra_llm_api_options x.yaml --log_level verbose",
     "model=qwen3-30b-a3b&engine=tensorrt-llm&tp=2",
     "--moe_cluster_parallel_size --extra_llm_api_options --log_level",
     "config_file_unread flags_not_modelled"},
    {"text-generation-launcher --model-id=tiiuae/falcon-40b-instruct --sharded true "
     "--num-shard 2 --quantize=bitsandbytes --dtype float16",
     "model=falcon-40b&engine=tgi&weights=llm_int8&dtype=float16&kv_cache=fp16&tp=2", NULL, NULL},
    {"text-generation-launcher --model-id meta-llama/Llama-3.1-8B-Instruct "
     "--max-batch-total-tokens 100000 --cuda-graphs 1,2,4,8 --max-batch-size 16 "
     "--waiting-served-ratio 1.2",
     "model=llama-3.1-8b&engine=tgi&max_num_seqs=16&kv_cache_tokens=100000&"
     "graph_max_batch=8",
     "--waiting-served-ratio", NULL},
    {"docker run --gpus '\"device=0,1\"' -e QUANTIZE=gptq "
     "ghcr.io/huggingface/text-generation-inference:3.0.1 --model-id "
     "TheBloke/Llama-2-70B-Chat-GPTQ",
     "model=llama-2-70b&engine=tgi&engine_version=3.0.1&weights=gptq&tp=2", NULL, NULL},
    {"bash -lc 'source /x; exec python3 -m sglang.launch_server --model-path "
     "Qwen/Qwen3-8B'",
     "model=qwen3-8b&engine=sglang", NULL, NULL},
    {"python -m sglang.launch_server --model-path Qwen/Qwen3-8B --quantization fp8 "
     "--torchao-config int4wo-128",
     "model=qwen3-8b&engine=sglang&weights=fp8_block", "--torchao-config", "flags_not_modelled"},
    {"python -m sglang.launch_server --model-path Qwen/Qwen3-Next-80B-A3B-Instruct "
     "--tp 4 --mamba-full-memory-ratio 0.8 --max-mamba-cache-size 64 "
     "--mamba-ssm-dtype bfloat16",
     "model=qwen3-next-80b-a3b&engine=sglang&tp=4&state_dtype=bf16&max_state_slots=64&"
     "state_memory_ratio=0.8",
     NULL, NULL},
    {"python3 -m sglang.launch_server --model-path zai-org/GLM-4.5-Air --tp-size 4 "
     "--tool-call-parser glm45 --reasoning-parser glm45 --speculative-algorithm EAGLE "
     "--speculative-num-steps 3 --speculative-eagle-topk 1 "
     "--speculative-num-draft-tokens 4 --mem-fraction-static 0.7",
     "model=glm-4.5-air&engine=sglang&tp=4&memory_utilization=0.7&"
     "speculative.method=mtp&speculative.tokens=3",
     "--tool-call-parser --reasoning-parser --speculative-eagle-topk", "flags_not_modelled"},
    {"python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 "
     "--disaggregation-mode prefill --disaggregation-ib-device mlx5_0 --tp-size 8",
     "model=deepseek-r1&engine=sglang&tp=8", "--disaggregation-mode --disaggregation-ib-device",
     "disaggregated"},
    {"python3 -m sglang.launch_server --config config.yaml --model-path Qwen/Qwen3-8B",
     "model=qwen3-8b&engine=sglang", "--config", "config_file_unread"},
    {"python3 -m sglang.launch_server --model-path Qwen/Qwen2.5-VL-7B-Instruct "
     "--enable-multimodal --mm-attention-backend fa3 --chat-template qwen2-vl",
     "model=qwen2.5-vl-7b&engine=sglang",
     "--enable-multimodal --mm-attention-backend --chat-template", "flags_not_modelled"},
    {"trtllm-serve nvidia/Qwen3-235B-A22B-FP4 --tp_size 8 --ep_size 8 "
     "--max_num_tokens 16384 --trust_remote_code --extra_llm_api_options <(echo \"x: "
     "1\")",
     "model=qwen3-235b-a22b&engine=tensorrt-llm&weights=nvfp4&tp=8&ep=8&"
     "chunked_prefill_tokens=16384",
     "--trust_remote_code --extra_llm_api_options", "config_file_unread"},
    {"trtllm-bench --model meta-llama/Llama-3.1-8B throughput --dataset x "
     "--engine_dir y --concurrency 64 --kv_cache_free_gpu_mem_fraction 0.9",
     "model=llama-3.1-8b&engine=tensorrt-llm&memory_utilization=0.9&concurrency=64",
     "--dataset --engine_dir", NULL},
    {"text-generation-launcher --model-id Qwen/Qwen2.5-7B-Instruct --max-input-tokens "
     "4096 --disable-custom-kernels --rope-scaling linear --rope-factor 2 "
     "--json-output --otlp-endpoint x --cuda-graphs 0 --lora-adapters a/b",
     "model=qwen2.5-7b&engine=tgi&cuda_graphs=false&max_input_tokens=4096",
     "--disable-custom-kernels --rope-scaling --rope-factor "
     "--json-output --otlp-endpoint --lora-adapters",
     "flags_not_modelled"},
    {"docker run --gpus all -e SM_NUM_GPUS=4 -e "
     "HF_MODEL_ID=meta-llama/Llama-3.1-70B-Instruct "
     "ghcr.io/huggingface/text-generation-inference:3.0.0",
     "model=llama-3.1-70b&engine=tgi&engine_version=3.0.0&tp=4", NULL, NULL},
    {"docker run lmsysorg/sglang:latest bash -c \"pip install x && python3 -m "
     "sglang.launch_server --model-path Qwen/Qwen3-8B\"",
     "model=qwen3-8b&engine=sglang", NULL, NULL},
};

static void every_line_sets_its_leaves(void **state)
{
    command_rows_hold(state, ROWS, ARRAY_LEN(ROWS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_sets_its_leaves),
    };

    return cmocka_run_group_tests_name("command_servers", tests, kit_setup, kit_teardown);
}
