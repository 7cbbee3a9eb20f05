/*
 * Command lines of vLLM, bare, in containers and in shell texts, and the leaves that they set.
 *
 * The lines are written after https://docs.vllm.ai (engine arguments, recipes) and the
 * cards of the models. "16k" is 16,000 and "1K" is 1,024 there; an expert-parallel server spreads
 * its experts over tp x dp ranks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "command_kit.h"

static const struct command_row ROWS[] = {
    {"vllm serve zai-org/GLM-4.6-FP8 -tp 8 --speculative-config.method mtp "
     "--speculative-config.num_speculative_tokens 2 --tool-call-parser glm45 "
     "--reasoning-parser glm45 --enable-auto-tool-choice --served-model-name glm",
     "model=glm-4.6&engine=vllm&weights=fp8&tp=8&speculative.method=mtp&"
     "speculative.tokens=2",
     "--tool-call-parser --reasoning-parser --enable-auto-tool-choice "
     "--served-model-name",
     NULL},
    {"vllm serve meta-llama/Llama-3.2-1B-Instruct --data-parallel-size 4 "
     "--data-parallel-size-local 2 --data-parallel-address 10.99.48.128 "
     "--data-parallel-rpc-port 13345",
     "model=llama-3.2-1b&engine=vllm&dp=4",
     "--data-parallel-size-local --data-parallel-address --data-parallel-rpc-port", NULL},
    {"python -m vllm.entrypoints.openai.api_server --model "
     "mistralai/Mixtral-8x7B-Instruct-v0.1 --tensor-parallel-size 2 --dtype bfloat16 "
     "--max-model-len 32768 --enforce-eager --swap-space 16 --disable-log-requests",
     "model=mixtral-8x7b&engine=vllm&weights=bf16&kv_cache=bf16&tp=2&"
     "cuda_graphs=false&max_model_len=32768",
     "--swap-space --disable-log-requests", NULL},
    {"vllm serve Qwen/Qwen2.5-VL-7B-Instruct --limit-mm-per-prompt '{\"image\": 0, "
     "\"video\": 0}' --max-model-len 8192",
     "model=qwen2.5-vl-7b&engine=vllm&max_model_len=8192&text_only=true", NULL, NULL},
    {"vllm serve Qwen/Qwen2.5-VL-7B-Instruct --limit-mm-per-prompt image=5,video=2 "
     "--mm-processor-kwargs '{\"min_pixels\": 784}'",
     "model=qwen2.5-vl-7b&engine=vllm", "--limit-mm-per-prompt --mm-processor-kwargs",
     "flags_not_modelled"},
    {"docker run --runtime nvidia --gpus all -v "
     "~/.cache/huggingface:/root/.cache/huggingface --env "
     "\"HUGGING_FACE_HUB_TOKEN=<secret>\" -p 8000:8000 --ipc=host "
     "vllm/vllm-openai:v0.8.5 --model mistralai/Mistral-7B-Instruct-v0.3 "
     "--max-model-len 16384",
     "model=mistral-7b-v0.3&engine=vllm&engine_version=0.8.5&max_model_len=16384", NULL, NULL},
    {"sudo docker run -d --gpus '\"device=2,3\"' --shm-size=16g -p8000:8000 -e "
     "HF_TOKEN=$HF_TOKEN -e VLLM_ATTENTION_BACKEND=FLASHINFER --name llm --restart "
     "unless-stopped vllm/vllm-openai:latest --model=Qwen/Qwen3-30B-A3B-FP8 "
     "--tensor-parallel-size=2 --gpu-memory-utilization=.88 --max-num-seqs=128",
     "model=qwen3-30b-a3b&engine=vllm&weights=fp8_block&tp=2&max_num_seqs=128&"
     "memory_utilization=0.88",
     NULL, NULL},
    {"nohup python3 -m vllm.entrypoints.openai.api_server --model "
     "/data/models/Meta-Llama-3.1-8B-Instruct --served-model-name llama --port 8001 "
     "--max-num-batched-tokens 4096 --enable-chunked-prefill > vllm.log 2>&1 &",
     "model=llama-3.1-8b&engine=vllm&chunked_prefill_tokens=4096", "--served-model-name --port",
     NULL},
    {"vllm serve google/gemma-3-27b-it --tensor-parallel-size 2 --quantization fp8 "
     "--kv-cache-dtype fp8_e5m2 --disable-hybrid-kv-cache-manager",
     "model=gemma-3-27b&engine=vllm&weights=fp8&kv_cache=fp8&tp=2&swa_full=true", NULL, NULL},
    {"vllm serve openai/gpt-oss-120b --tensor-parallel-size 4 --async-scheduling "
     "--max-cudagraph-capture-size 2048 --stream-interval 20 "
     "--no-enable-prefix-caching",
     "model=gpt-oss-120b&engine=vllm&tp=4&async_scheduling=true&prefix_caching=false&"
     "stream_interval=20&graph_max_batch=2048",
     NULL, NULL},
    {"vllm serve deepseek-ai/DeepSeek-R1-0528 --data-parallel-size 8 "
     "--enable-expert-parallel --all2all-backend deepep_low_latency --enable-eplb "
     "--max-model-len 32768",
     "model=deepseek-r1&engine=vllm&dp=8&ep=8&max_model_len=32768&"
     "ep_backend=all_to_all",
     "--enable-eplb", "flags_not_modelled"},
    {"vllm serve meta-llama/Llama-3.3-70B-Instruct --tensor-parallel-size 2 "
     "--pipeline-parallel-size 4 --distributed-executor-backend ray --max-model-len "
     "128000",
     "model=llama-3.3-70b&engine=vllm&tp=2&pp=4&max_model_len=128000",
     "--distributed-executor-backend", NULL},
    {"vllm serve meta-llama/Llama-3.1-8B-Instruct --enable-lora --lora-modules "
     "sql=/loras/sql chat=/loras/chat --max-loras 4 --max-lora-rank 64 "
     "--max-cpu-loras 8",
     "model=llama-3.1-8b&engine=vllm&max_loras=4&max_lora_rank=64",
     "--lora-modules --max-cpu-loras", NULL},
    {"vllm serve Qwen/Qwen2.5-7B-Instruct --kv-transfer-config "
     "'{\"kv_connector\":\"LMCacheConnectorV1\",\"kv_role\":\"kv_both\"}' "
     "--no-enable-chunked-prefill",
     "model=qwen2.5-7b&engine=vllm&chunked_prefill_tokens=0&kv_tier.kind=host",
     "--kv-transfer-config", NULL},
    {"vllm serve meta-llama/Meta-Llama-3-8B-Instruct --speculative-config "
     "'{\"model\": \"yuhuili/EAGLE-LLaMA3-Instruct-8B\", "
     "\"draft_tensor_parallel_size\": 1, \"num_speculative_tokens\": 2, \"method\": "
     "\"eagle\"}'",
     "model=llama-3-8b&engine=vllm&speculative.method=eagle&speculative.tokens=2", NULL, NULL},
    {"vllm serve facebook/opt-6.7b --speculative_config '{\"method\": \"ngram\", "
     "\"num_speculative_tokens\": 5, \"prompt_lookup_max\": 4}'",
     "model=opt-6.7b&engine=vllm&speculative.method=ngram&speculative.tokens=5", NULL, NULL},
    {"vllm serve neuralmagic/Meta-Llama-3.1-70B-Instruct-quantized.w4a16 -tp 2 -O3 "
     "--cpu-offload-gb 10 --block-size 32",
     "model=llama-3.1-70b&engine=vllm&weights=int4&tp=2&block_size=32&"
     "cpu_offload_bytes=10737418240",
     "-O", NULL},
    {"vllm serve nvidia/Llama-3.1-405B-Instruct-FP8 -tp 8 -pp 2 --compilation-config "
     "'{\"cudagraph_mode\": \"FULL_DECODE_ONLY\", \"cudagraph_capture_sizes\": "
     "[1,2,4,8,16]}'",
     "model=llama-3.1-405b&engine=vllm&weights=fp8&tp=8&pp=2&cuda_graphs=true&"
     "graph_max_batch=16",
     "--compilation-config", NULL},
    {"vllm serve nvidia/NVIDIA-Nemotron-Nano-9B-v2 --mamba_ssm_cache_dtype float32 "
     "--max-num-seqs 64 --trust-remote-code",
     "model=nemotron-nano-9b-v2&engine=vllm&max_num_seqs=64&state_dtype=f32", "--trust-remote-code",
     NULL},
    {"vllm serve \"Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8\" --max-model-len 262144 "
     "--enable-expert-parallel --data-parallel-size 8 --enable-auto-tool-choice "
     "--tool-call-parser qwen3_coder",
     "model=qwen3-coder-480b-a35b&engine=vllm&weights=fp8_block&dp=8&ep=8&"
     "max_model_len=262144",
     "--enable-auto-tool-choice --tool-call-parser", NULL},
    {"vllm serve moonshotai/Kimi-K2-Instruct --port 8000 --served-model-name kimi-k2 "
     "--trust-remote-code --tensor-parallel-size 16 --enable-auto-tool-choice "
     "--tool-call-parser kimi_k2",
     "model=kimi-k2&engine=vllm&tp=16",
     "--port --served-model-name --trust-remote-code --enable-auto-tool-choice "
     "--tool-call-parser",
     NULL},
    {"vllm serve unsloth/Llama-3.2-3B-Instruct-bnb-4bit --quantization bitsandbytes "
     "--load-format bitsandbytes",
     "model=llama-3.2-3b&engine=vllm&weights=nf4", NULL, NULL},
    {"vllm serve bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M --tokenizer "
     "meta-llama/Llama-3.2-3B-Instruct",
     "model=llama-3.2-3b&engine=vllm&weights=q4_k_m", "--tokenizer", NULL},
    {"vllm serve ./tinyllama-1.1b-chat-v1.0.Q4_K_M.gguf --tokenizer "
     "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
     "model=tinyllama-1.1b&engine=vllm&weights=q4_k_m", "--tokenizer", NULL},
    {"vllm serve meta-llama/Llama-4-Scout-17B-16E-Instruct -tp 8 --max-model-len "
     "1000000 --override-generation-config='{\"attn_temperature_tuning\": true}'",
     "model=llama-4-scout&engine=vllm&tp=8&max_model_len=1000000", "--override-generation-config",
     NULL},
    {"vllm serve casperhansen/llama-3-70b-instruct-awq --quantization awq_marlin "
     "--dtype half --num-gpu-blocks-override 4096",
     "model=llama-3-70b&engine=vllm&weights=awq&dtype=float16&kv_cache=fp16&kv_cache_tokens=65536",
     NULL, NULL},
    {"export VLLM_USE_V1=1\n"
     "export MODEL=\"Qwen/Qwen3-32B-AWQ\"\n"
     "exec vllm serve \"${MODEL}\" --host 0.0.0.0 \\\n"
     "    --port 8000 `# comment` \\\n"
     "    --max-model-len 32768",
     "model=qwen3-32b&engine=vllm&weights=awq&max_model_len=32768", "--host --port", NULL},
    {"bash -c \"vllm serve Qwen/Qwen3-8B --reasoning-parser qwen3 --rope-scaling "
     "'{\\\"rope_type\\\":\\\"yarn\\\",\\\"factor\\\":4.0,\\\"original_max_position_em"
     "beddings\\\":32768}' --max-model-len 131072\"",
     "model=qwen3-8b&engine=vllm&max_model_len=131072", "--reasoning-parser --rope-scaling",
     "flags_not_modelled"},
    {"kubectl exec -it pod -- vllm serve Qwen/Qwen3-8B --seed 42", "model=qwen3-8b&engine=vllm",
     "--seed", NULL},
    {"uv run --with vllm vllm serve Qwen/Qwen3-0.6B", "model=qwen3-0.6b&engine=vllm", NULL, NULL},
    {"srun -N 2 --gpus-per-node=8 vllm serve meta-llama/Llama-3.1-405B-Instruct -tp 16",
     "model=llama-3.1-405b&engine=vllm&tp=16", NULL, NULL},
    {"conda run -n vllm python -m vllm.entrypoints.openai.api_server "
     "--model=Qwen/Qwen2.5-Coder-32B-Instruct-GPTQ-Int4",
     "model=qwen2.5-32b&engine=vllm&weights=gptq", NULL, NULL},
    {"vllm serve "
     "/srv/hub/models--Qwen--Qwen3-14B/snapshots/40c069824f4251a91eefaf281ebe4c544efd3"
     "e18 --hf-overrides '{\"num_hidden_layers\": 20}'",
     "model=qwen3-14b&engine=vllm", "--hf-overrides", "model_overridden"},
    {"vllm serve Qwen/Qwen3-235B-A22B-Thinking-2507-FP8 -tp 8 -dcp 4 "
     "--kv-cache-memory-bytes 40G --max-long-partial-prefills 2",
     "model=qwen3-235b-a22b&engine=vllm&weights=fp8_block&tp=8&"
     "kv_cache_memory_bytes=42949672960&dcp=4",
     "--max-long-partial-prefills", "flags_not_modelled"},
    {"vllm serve Qwen/Qwen3-Next-80B-A3B-Instruct -tp 4 --max-model-len auto "
     "--speculative-config='{\"method\":\"qwen3_next_mtp\",\"num_speculative_tokens\":"
     "2}' --tokenizer-mode auto  --gpu-memory-utilization 0.8",
     "model=qwen3-next-80b-a3b&engine=vllm&tp=4&memory_utilization=0.8&"
     "speculative.method=mtp&speculative.tokens=2",
     "--tokenizer-mode", "length_auto"},
    {"vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len=1K --max-num-seqs "
     "256 --max-num-batched-tokens 2k",
     "model=llama-3.1-8b&engine=vllm&chunked_prefill_tokens=2000&max_num_seqs=256&"
     "max_model_len=1024",
     NULL, NULL},
    {"vllm serve Qwen/Qwen3-8B --max_model_len 40960 --gpu_memory_utilization 0.7 "
     "--no_enable_prefix_caching --enforce_eager",
     "model=qwen3-8b&engine=vllm&cuda_graphs=false&prefix_caching=false&"
     "max_model_len=40960&memory_utilization=0.7",
     NULL, NULL},
    {"vllm serve Qwen/Qwen3-8B --compilation-config 0",
     "model=qwen3-8b&engine=vllm&cuda_graphs=false", "--compilation-config", NULL},
    {"vllm serve Qwen/Qwen3-8B -cc.cudagraph_mode=NONE -cc.mode=3",
     "model=qwen3-8b&engine=vllm&cuda_graphs=false", "-cc.cudagraph_mode -cc.mode", NULL},
    {"vllm serve Qwen/Qwen3-8B -O.cudagraph_mode=FULL",
     "model=qwen3-8b&engine=vllm&cuda_graphs=true", "-O", NULL},
    {"vllm serve meta-llama/Llama-3.3-70B-Instruct --kv-cache-dtype nvfp4 -tp 4",
     "model=llama-3.3-70b&engine=vllm&kv_cache=nvfp4&tp=4", NULL, NULL},
    {"vllm serve meta-llama/Llama-3.1-8B-Instruct --speculative-model "
     "meta-llama/Llama-3.2-1B-Instruct --num-speculative-tokens 5",
     "model=llama-3.1-8b&engine=vllm&speculative.method=draft_model&"
     "speculative.tokens=5",
     NULL, NULL},
    {"vllm serve mistralai/Mistral-Small-3.1-24B-Instruct-2503 --tokenizer_mode "
     "mistral --config_format mistral --load_format mistral --limit_mm_per_prompt "
     "'image=10' -tp 2",
     "model=mistral-small-3.2-24b&engine=vllm&tp=2",
     "--tokenizer_mode --config_format --limit_mm_per_prompt", NULL},
    {"vllm serve --model Qwen/Qwen3-8B --port 8000", "model=qwen3-8b&engine=vllm", "--port", NULL},
    {"env VLLM_USE_V1=1 CUDA_VISIBLE_DEVICES=4,5,6,7 vllm serve "
     "Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 4",
     "model=qwen2.5-72b&engine=vllm&tp=4", NULL, NULL},
    {"python3 -m vllm.entrypoints.openai.api_server --model lmsys/vicuna-13b-v1.5 "
     "--tensor-parallel-size 2 --trust-remote-code --worker-use-ray",
     "model=llama-2-13b&engine=vllm&tp=2", "--trust-remote-code --worker-use-ray", NULL},
    {"torchrun --nproc-per-node=2 -m vllm.entrypoints.openai.api_server --model "
     "Qwen/Qwen3-8B",
     "model=qwen3-8b&engine=vllm", NULL, NULL},
    {"docker run --rm --entrypoint bash vllm/vllm-openai:v0.10.1.1 -c \"vllm serve "
     "openai/gpt-oss-20b --max-model-len 8192\"",
     "model=gpt-oss-20b&engine=vllm&engine_version=0.10.1.1&max_model_len=8192", NULL, NULL},
    {"docker run --device /dev/kfd --device /dev/dri --group-add video "
     "rocm/vllm:rocm6.3.1_vllm_0.8.5_20250521 vllm serve "
     "meta-llama/Llama-3.1-405B-Instruct-FP8 -tp 8",
     "model=llama-3.1-405b&engine=vllm&engine_version=0.8.5&weights=fp8&tp=8", NULL, NULL},
    {"docker run --gpus=4 --ipc=host vllm/vllm-openai:latest Qwen/Qwen3-32B "
     "--tensor-parallel-size 4",
     "model=qwen3-32b&engine=vllm&tp=4", NULL, NULL},
    {"podman run --device nvidia.com/gpu=all docker.io/vllm/vllm-openai:v0.11.0 "
     "--model ibm-granite/granite-3.3-8b-instruct",
     "model=granite-3-8b&engine=vllm&engine_version=0.11.0", NULL, NULL},
    {"vllm serve Qwen/Qwen3-30B-A3B -dp 2 -tp 2 --enable-expert-parallel "
     "--data-parallel-backend ray --api-server-count 2",
     "model=qwen3-30b-a3b&engine=vllm&tp=2&dp=2&ep=4", "--data-parallel-backend --api-server-count",
     NULL},
    {"vllm serve deepseek-ai/DeepSeek-V3.1 --tensor-parallel-size 8 "
     "--enable-expert-parallel --no-enable-expert-parallel",
     "model=deepseek-v3.1&engine=vllm&tp=8", NULL, NULL},
    {"vllm serve Qwen/Qwen3-8B --cuda-graph 1", "model=qwen3-8b&engine=vllm&graph_max_batch=1",
     NULL, NULL},
    {"$ vllm serve Qwen/Qwen3-8B", "model=qwen3-8b&engine=vllm", NULL, NULL},
    {"!vllm serve Qwen/Qwen2.5-1.5B-Instruct --dtype half --max-model-len 4096 &",
     "model=qwen2.5-1.5b&engine=vllm&weights=fp16&kv_cache=fp16&max_model_len=4096", NULL, NULL},
    {"ssh gpu01 'vllm serve Qwen/Qwen3-8B -tp 2'", "model=qwen3-8b&engine=vllm&tp=2", NULL, NULL},
    {"tmux new-session -d -s llm \"vllm serve Qwen/Qwen3-8B -tp 2\"",
     "model=qwen3-8b&engine=vllm&tp=2", NULL, NULL},
    {"source /opt/venv/bin/activate && cd /srv && vllm serve Qwen/Qwen3-8B --port "
     "8000 2>&1 | tee /var/log/vllm.log",
     "model=qwen3-8b&engine=vllm", "--port", NULL},
    {"if [ -z \"$X\" ]; then vllm serve Qwen/Qwen3-8B; fi", "model=qwen3-8b&engine=vllm", NULL,
     NULL},
    {"args=(--tensor-parallel-size 2 --max-model-len 8192)\n"
     "vllm serve Qwen/Qwen3-8B \"${args[@]}\"",
     "model=qwen3-8b&engine=vllm&tp=2&max_model_len=8192", NULL, NULL},
    {"vllm serve Qwen/Qwen3-8B -tp=2 -pp=2", "model=qwen3-8b&engine=vllm&tp=2&pp=2", NULL, NULL},
    {"vllm serve Qwen/Qwen3-8B --tensor-parallel 2", "model=qwen3-8b&engine=vllm&tp=2", NULL, NULL},
    {"ssh gpu01 \"cd /srv && CUDA_VISIBLE_DEVICES=0,1 vllm serve Qwen/Qwen3-8B -tp 2\"",
     "model=qwen3-8b&engine=vllm&tp=2", NULL, NULL},
    {"screen -dmS llm bash -c 'vllm serve Qwen/Qwen3-8B -tp 2'", "model=qwen3-8b&engine=vllm&tp=2",
     NULL, NULL},
    {"su - llm -c \"vllm serve Qwen/Qwen3-8B -tp 2\"", "model=qwen3-8b&engine=vllm&tp=2", NULL,
     NULL},
    {"docker exec -it box vllm serve Qwen/Qwen3-8B", "model=qwen3-8b&engine=vllm", NULL, NULL},
    {"sudo -E env \"PATH=$PATH\" vllm serve Qwen/Qwen3-8B", "model=qwen3-8b&engine=vllm", NULL,
     NULL},
    {"vllm serve meta-llama/Llama-3.1-8B-Instruct --kv-cache-dtype auto "
     "--quantization None --seed 0",
     "model=llama-3.1-8b&engine=vllm", "--seed", NULL},
    {"vllm serve Qwen/Qwen3-32B --quantization compressed-tensors", "model=qwen3-32b&engine=vllm",
     NULL, "weights_unknown"},
    {"vllm serve Qwen/Qwen3-32B --quantization gptq_marlin",
     "model=qwen3-32b&engine=vllm&weights=gptq", NULL, NULL},
    {"vllm serve Qwen/Qwen3-32B --dtype float16",
     "model=qwen3-32b&engine=vllm&weights=fp16&kv_cache=fp16", NULL, NULL},
    {"vllm serve nvidia/DeepSeek-R1-0528-NVFP4 --quantization modelopt_fp4 -tp 8",
     "model=deepseek-r1&engine=vllm&weights=nvfp4&tp=8", NULL, NULL},
    {"vllm serve Qwen/Qwen3-8B --max-num-seqs=8 --max-num-seqs=16",
     "model=qwen3-8b&engine=vllm&max_num_seqs=16", NULL, NULL},
    {"vllm serve Qwen/Qwen3-8B --mamba-cache-mode none --mamba-ssm-cache-dtype auto",
     "model=qwen3-8b&engine=vllm&state_cache_mode=none", NULL, NULL},
    {"python -m vllm.entrypoints.openai.api_server --model facebook/opt-13b "
     "--max-num-seqs 512 --max-paddings 256 --disable-log-stats",
     "model=opt-13b&engine=vllm&max_num_seqs=512", "--max-paddings --disable-log-stats", NULL},
    {"vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 4 "
     "--kv-cache-dtype fp8_e4m3 --calculate-kv-scales --attention-backend FLASHINFER "
     "--max-seq-len-to-capture 8192 --guided-decoding-backend xgrammar "
     "--use-v2-block-manager --multi-step-stream-outputs --num-scheduler-steps 8 "
     "--preemption-mode swap",
     "model=llama-3.1-70b&engine=vllm&kv_cache=fp8&tp=4",
     "--calculate-kv-scales --attention-backend --max-seq-len-to-capture "
     "--guided-decoding-backend --use-v2-block-manager --multi-step-stream-outputs "
     "--num-scheduler-steps --preemption-mode",
     "flags_not_modelled"},
    {"vllm serve ibm-granite/granite-4.0-h-small --mamba-block-size 1024 "
     "--enable-prefix-caching",
     "model=granite-4.0-h-small&engine=vllm&prefix_caching=true", "--mamba-block-size",
     "flags_not_modelled"},
    {"vllm serve google/gemma-3-4b-it --hf-token x --no-enable-log-requests "
     "--mm-encoder-tp-mode data --skip-mm-profiling --mm-processor-cache-gb 0",
     "model=gemma-3-4b&engine=vllm",
     "--hf-token --no-enable-log-requests --mm-encoder-tp-mode --skip-mm-profiling "
     "--mm-processor-cache-gb",
     "flags_not_modelled"},
    {"vllm serve Qwen/Qwen3-VL-8B-Instruct --limit-mm-per-prompt.image 1 "
     "--limit-mm-per-prompt.video 0 --mm-encoder-attn-backend FLASH_ATTN",
     "model=qwen3-vl-8b&engine=vllm&text_only=true",
     "--limit-mm-per-prompt.image --mm-encoder-attn-backend", "flags_not_modelled"},
    {"vllm serve Qwen/Qwen3-8B --config config.yaml", "model=qwen3-8b&engine=vllm", "--config",
     "config_file_unread"},
    {"cat > config.yaml <<'EOF'\n"
     "model: Qwen/Qwen3-8B\n"
     "tensor-parallel-size: 2\n"
     "max-model-len: 16384\n"
     "gpu-memory-utilization: 0.85\n"
     "enable-prefix-caching: false\n"
     "EOF\n"
     "vllm serve --config config.yaml",
     "model=qwen3-8b&engine=vllm&tp=2&prefix_caching=false&max_model_len=16384&"
     "memory_utilization=0.85",
     "--config", NULL},
    {"vllm serve Qwen/Qwen3-8B --swap-space 4 --uvicorn-log-level info --ssl-keyfile "
     "k --root-path /x --middleware m --allowed-origins '[\"*\"]'",
     "model=qwen3-8b&engine=vllm",
     "--swap-space --uvicorn-log-level --ssl-keyfile --root-path --middleware "
     "--allowed-origins",
     NULL},
    {"vllm serve Qwen/Qwen3-8B --kv-offloading-size 32 --kv-offloading-backend native "
     "--optimization-level 2 --performance-mode throughput",
     "model=qwen3-8b&engine=vllm&kv_tier.kind=host",
     "--kv-offloading-backend --optimization-level --performance-mode", "flags_not_modelled"},
    {"vllm serve Qwen/Qwen3-8B --override-pooler-config '{}' --task generate --runner "
     "generate",
     "model=qwen3-8b&engine=vllm", "--override-pooler-config --task --runner", NULL},
    {"VLLM_ATTENTION_BACKEND=FLASHMLA VLLM_ALL2ALL_BACKEND=deepep_low_latency "
     "VLLM_USE_DEEP_GEMM=1 vllm serve deepseek-ai/DeepSeek-V3 -dp 16 "
     "--enable-expert-parallel --enable-dbo --data-parallel-size-local 8",
     "model=deepseek-v3&engine=vllm&dp=16&ep=16&ep_backend=all_to_all",
     "--enable-dbo --data-parallel-size-local", "flags_not_modelled"},
    {"docker run --rm --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=0,1 -e "
     "VLLM_API_KEY=x --cap-add SYS_PTRACE --ulimit memlock=-1 vllm/vllm-openai:v0.9.2 "
     "--model deepseek-ai/DeepSeek-R1-Distill-Qwen-14B -tp 2",
     "model=qwen2.5-14b&engine=vllm&engine_version=0.9.2&tp=2", NULL, NULL},
    {"docker run --gpus all nvcr.io/nvidia/vllm:25.09-py3 vllm serve Qwen/Qwen3-32B",
     "model=qwen3-32b&engine=vllm", NULL, NULL},
    {"accelerate launch -m vllm.entrypoints.openai.api_server --model gpt2",
     "model=gpt2&engine=vllm", NULL, NULL},
    {"ray job submit -- vllm serve Qwen/Qwen3-8B -tp 2", "model=qwen3-8b&engine=vllm&tp=2", NULL,
     NULL},
    {"CUDA_VISIBLE_DEVICES=\"0,1,2,3\" python3 -m vllm.entrypoints.openai.api_server "
     "--model \"/mnt/models/Qwen2.5-72B-Instruct-GPTQ-Int8\" --tensor-parallel-size 4 "
     "--quantization gptq --dtype float16",
     "model=qwen2.5-72b&engine=vllm&weights=gptq_int8&dtype=float16&kv_cache=fp16&tp=4", NULL,
     NULL},
    {"vllm serve RedHatAI/Qwen3-30B-A3B-quantized.w4a16 -tp 2",
     "model=qwen3-30b-a3b&engine=vllm&weights=int4&tp=2", NULL, NULL},
    {"vllm serve cyankiwi/Qwen3-Coder-30B-A3B-Instruct-AWQ-4bit",
     "model=qwen3-coder-30b-a3b&engine=vllm&weights=awq", NULL, NULL},
    {"vllm serve Intel/Qwen3-Next-80B-A3B-Instruct-int4-AutoRound",
     "model=qwen3-next-80b-a3b&engine=vllm&weights=int4", NULL, NULL},
    {"vllm serve QuantTrio/DeepSeek-V3.2-AWQ -tp 8",
     "model=deepseek-v3.2&engine=vllm&weights=awq&tp=8", NULL, NULL},
    {"vllm serve nvidia/Llama-3.1-70B-Instruct-NVFP4 -tp 2",
     "model=llama-3.1-70b&engine=vllm&weights=nvfp4&tp=2", NULL, NULL},
    {"vllm serve unsloth/Qwen3-32B-FP8 --served-model-name a b c",
     "model=qwen3-32b&engine=vllm&weights=fp8_block", "--served-model-name", NULL},
    {"vllm serve Qwen/Qwen3-30B-A3B-Instruct-2507-FP8 --max-model-len 262144",
     "model=qwen3-30b-a3b&engine=vllm&weights=fp8_block&max_model_len=262144", NULL, NULL},
    {"vllm serve RedHatAI/DeepSeek-R1-0528-quantized.w4a16 -tp 8",
     "model=deepseek-r1&engine=vllm&weights=int4&tp=8", NULL, NULL},
    {"vllm serve /models/llama3-8b-instruct", "model=llama-3-8b&engine=vllm", NULL, NULL},
    {"vllm serve s3://bucket/models/Qwen3-8B --load-format runai_streamer",
     "model=qwen3-8b&engine=vllm", NULL, NULL},
    {"vllm serve HuggingFaceH4/zephyr-7b-beta", "model=mistral-7b-v0.1&engine=vllm", NULL, NULL},
    {"vllm serve google/gemma-1.1-7b-it", "model=gemma-7b&engine=vllm", NULL, NULL},
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

    return cmocka_run_group_tests_name("command_vllm", tests, kit_setup, kit_teardown);
}
