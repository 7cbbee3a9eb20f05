/*
 * Command lines of llama.cpp, Ollama and MLX, and the leaves that they set.
 *
 * The lines are written after tools/server/README.md of https://github.com/ggml-org/llama.cpp,
 * https://docs.ollama.com (FAQ, Modelfile) and https://github.com/ml-explore/mlx-lm. llama-server
 * parts its context among -np slots, unless they share it; Ollama's has 4096 tokens unless set.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "command_kit.h"

static const struct command_row ROWS[] = {
    {"llama-server -hf ggml-org/gpt-oss-20b-GGUF --ctx-size 0 --jinja -ub 2048 -b 2048",
     "model=gpt-oss-20b&engine=llama.cpp&chunked_prefill_tokens=2048&"
     "micro_batch_tokens=2048",
     "--jinja", NULL},
    {"./build/bin/llama-server -m models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf -c "
     "32768 -ngl 99 -np 4 -fa on --host 0.0.0.0 --port 8080",
     "model=llama-3.1-8b&engine=llama.cpp&weights=q4_k_m&max_num_seqs=4&"
     "max_model_len=8192&flash_attention=true&gpu_layers=99",
     "--host --port", NULL},
    {"start \"\" /High /B /Wait llama-server.exe ^\n"
     " -m \"E:\\gguf\\air\\GLM-4.5-Air-Q5_K_M-00001-of-00003.gguf\" ^\n"
     " -c 49152 ^\n"
     " -t 12 ^\n"
     " -fa on --prio 2 -ub 1024 -b 4096 ^\n"
     " -ctk q8_0 -ctv q8_0 ^\n"
     " -ngl 999 ^\n"
     " -ot \"blk.[0-3]\\.ffn_.*_exps\\.=CUDA0\" ^\n"
     " --cpu-moe ^\n"
     " --no-context-shift ^\n"
     " --no-mmap",
     "model=glm-4.5-air&engine=llama.cpp&weights=q5_k_m&kv_cache=q8_0&"
     "chunked_prefill_tokens=1024&max_model_len=49152&flash_attention=true&"
     "cpu_threads=12&micro_batch_tokens=1024&kv_unified=true&gpu_layers=999&"
     "cpu_moe_layers=46",
     "--prio -ot --no-context-shift --no-mmap", "flags_not_modelled"},
    {"server=\"$HOME/llama.cpp/build/bin/llama-server\"\n"
     "models=/srv/gguf\n"
     "ctx=12288\n"
     "numactl --cpunodebind=0 \"$server\" -m \"$models/qwen3-30b-a3b-q4_k_m.gguf\" "
     "--cpu-moe -ngl 0 --threads 24 --ctx-size \"$ctx\" -ctk q4_0 -ctv q4_0",
     "model=qwen3-30b-a3b&engine=llama.cpp&weights=q4_k_m&kv_cache=q4_0&"
     "max_model_len=12288&cpu_threads=24&kv_unified=true&gpu_layers=0&"
     "cpu_moe_layers=48",
     NULL, NULL},
    {"llama-server -hf unsloth/Qwen3-30B-A3B-GGUF:UD-Q4_K_XL -ngl 99 --n-cpu-moe 20 "
     "-c 65536 -fa -ctk q8_0 -ctv q8_0 --temp 0.7 --top-p 0.8 --top-k 20",
     "model=qwen3-30b-a3b&engine=llama.cpp&weights=ud_q4_k_xl&kv_cache=q8_0&"
     "max_model_len=65536&flash_attention=true&kv_unified=true&gpu_layers=99&"
     "cpu_moe_layers=20",
     "--temp --top-p --top-k", NULL},
    {"llama-server -m /models/llama-3.3-70b-instruct-q5_k_m.gguf --tensor-split 3,1 "
     "--main-gpu 0 -sm layer -ngl 81 -c 8192 --no-kv-offload",
     "model=llama-3.3-70b&engine=llama.cpp&weights=q5_k_m&pp=2&max_model_len=8192&"
     "kv_unified=true&gpu_layers=81&pp_layers=60%2C20",
     "--main-gpu --no-kv-offload", "flags_not_modelled"},
    {"docker run --gpus all -v /models:/models -p 8000:8000 "
     "ghcr.io/ggml-org/llama.cpp:server-cuda -m "
     "/models/mistral-7b-instruct-v0.2.Q5_K_M.gguf --port 8000 --host 0.0.0.0 -n 512 "
     "-ngl 99",
     "model=mistral-7b-v0.2&engine=llama.cpp&weights=q5_k_m&backend=cuda&gpu_layers=99",
     "--port --host -n", NULL},
    {"llama-server --hf-repo ggml-org/gemma-3-4b-it-GGUF --hf-file "
     "gemma-3-4b-it-Q8_0.gguf --mmproj mmproj.gguf -c 16384 --parallel 2 "
     "--cont-batching",
     "model=gemma-3-4b&engine=llama.cpp&weights=q8_0&max_num_seqs=2&"
     "max_model_len=8192&text_only=false",
     "--cont-batching", NULL},
    {"llama-server -m Qwen2.5-Coder-32B-Instruct-Q4_K_M.gguf -md "
     "Qwen2.5-Coder-0.5B-Instruct-Q8_0.gguf --draft-max 16 --draft-min 4 -ngl 99 "
     "-ngld 99 -c 32768",
     "model=qwen2.5-32b&engine=llama.cpp&weights=q4_k_m&max_model_len=32768&"
     "kv_unified=true&gpu_layers=99&speculative.method=draft_model&"
     "speculative.tokens=16",
     "--draft-min -ngld", NULL},
    {"llama-bench -m llama-2-7b.Q4_0.gguf -p 512 -n 128 -ngl 99 -fa 1",
     "model=llama-2-7b&engine=llama.cpp&weights=q4_0&flash_attention=true&"
     "gpu_layers=99&input_tokens=512&output_tokens=128&load_generator=engine_bench",
     NULL, NULL},
    {"LLAMA_ARG_MODEL=/models/qwen2.5-7b-instruct-q8_0.gguf LLAMA_ARG_CTX_SIZE=8192 "
     "LLAMA_ARG_N_GPU_LAYERS=99 LLAMA_ARG_N_PARALLEL=4 llama-server",
     "model=qwen2.5-7b&engine=llama.cpp&weights=q8_0&max_num_seqs=4&"
     "max_model_len=2048&gpu_layers=99",
     NULL, NULL},
    {"mlx_lm.server --model mlx-community/Meta-Llama-3.1-8B-Instruct-4bit --port 8080",
     "model=llama-3.1-8b&engine=mlx&weights=mlx_q4_g64", "--port", NULL},
    {"python -m mlx_lm.server --model mlx-community/Qwen3-30B-A3B-4bit --max-tokens "
     "4096 --draft-model mlx-community/Qwen3-0.6B-4bit --num-draft-tokens 4",
     "model=qwen3-30b-a3b&engine=mlx&weights=mlx_q4_g64&"
     "speculative.method=draft_model&speculative.tokens=4",
     "--max-tokens", NULL},
    {"mlx_lm.generate --model mlx-community/Mistral-7B-Instruct-v0.3-8bit --prompt "
     "\"hello\" --max-kv-size 4096 --kv-bits 8",
     "model=mistral-7b-v0.3&engine=mlx&weights=mlx_q8_g64&kv_cache=mlx_kv8&"
     "max_model_len=4096",
     "--prompt", NULL},
    {"OLLAMA_NUM_PARALLEL=2 ollama run llama3.1:8b",
     "model=llama-3.1-8b&engine=ollama&weights=q4_k_m&max_num_seqs=2&"
     "max_model_len=4096",
     NULL, "weights_assumed context_assumed"},
    {"ollama run qwen3:30b-a3b-q4_K_M",
     "model=qwen3-30b-a3b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "context_assumed"},
    {"ollama run deepseek-r1:70b",
     "model=llama-3.3-70b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"FROM llama3.1:70b-instruct-q4_K_M\n"
     "PARAMETER num_ctx 8192\n"
     "PARAMETER num_gpu 60\n"
     "PARAMETER temperature 0.7\n"
     "SYSTEM \"\"\"You are helpful\"\"\"",
     "model=llama-3.1-70b&engine=ollama&weights=q4_k_m&max_model_len=8192&"
     "gpu_layers=60",
     NULL, NULL},
    {"FROM ./Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf\n"
     "PARAMETER num_ctx 4096\n"
     "TEMPLATE \"\"\"{{ .Prompt }}\"\"\"",
     "model=llama-3.1-8b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL, NULL},
    {"ollama run hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M",
     "model=llama-3.2-3b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL, "context_assumed"},
    {"ollama run deepseek-r1:32b-qwen-distill-q4_K_M",
     "model=qwen2.5-32b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL, "context_assumed"},
    {"ollama run deepseek-r1", "model=qwen3-8b&engine=ollama&weights=q4_k_m&max_model_len=4096",
     NULL, "weights_assumed context_assumed"},
    {"ollama run deepseek-r1:671b",
     "model=deepseek-r1&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run gemma3:27b-it-qat",
     "model=gemma-3-27b&engine=ollama&weights=q4_0&max_model_len=4096", NULL, "context_assumed"},
    {"ollama run gpt-oss:20b", "model=gpt-oss-20b&engine=ollama&max_model_len=4096", NULL,
     "context_assumed"},
    {"ollama run qwen2.5-coder:32b",
     "model=qwen2.5-32b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run phi4:14b", "model=phi-4&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run mistral", "model=mistral-7b-v0.3&engine=ollama&weights=q4_k_m&max_model_len=4096",
     NULL, "weights_assumed context_assumed"},
    {"ollama run mistral:7b-instruct-v0.2-q4_0",
     "model=mistral-7b-v0.2&engine=ollama&weights=q4_0&max_model_len=4096", NULL,
     "context_assumed"},
    {"ollama run mixtral:8x7b",
     "model=mixtral-8x7b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run llama3.2", "model=llama-3.2-3b&engine=ollama&weights=q4_k_m&max_model_len=4096",
     NULL, "weights_assumed context_assumed"},
    {"ollama run llama3.3", "model=llama-3.3-70b&engine=ollama&weights=q4_k_m&max_model_len=4096",
     NULL, "weights_assumed context_assumed"},
    {"ollama run llama3", "model=llama-3-8b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run gemma3", "model=gemma-3-4b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run qwen3", "model=qwen3-8b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run qwen3:8b", "model=qwen3-8b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run llama3.2:1b-instruct-fp16",
     "model=llama-3.2-1b&engine=ollama&weights=fp16&max_model_len=4096", NULL, "context_assumed"},
    {"ollama run codellama:34b",
     "model=codellama-34b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run qwq", "model=qwq-32b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run llama2:13b", "model=llama-2-13b&engine=ollama&weights=q4_k_m&max_model_len=4096",
     NULL, "weights_assumed context_assumed"},
    {"ollama run phi3:mini", "model=phi-3-mini&engine=ollama&weights=q4_k_m&max_model_len=4096",
     NULL, "weights_assumed context_assumed"},
    {"ollama run gemma2:9b-instruct-q8_0",
     "model=gemma-2-9b&engine=ollama&weights=q8_0&max_model_len=4096", NULL, "context_assumed"},
    {"ollama run llama3.1:latest",
     "model=llama-3.1-8b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run command-r", "model=command-r-35b&engine=ollama&weights=q4_k_m&max_model_len=4096",
     NULL, "weights_assumed context_assumed"},
    {"ollama run qwen3-coder:30b",
     "model=qwen3-coder-30b-a3b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run gemma3n:e4b", "model=gemma-3n-e4b&engine=ollama&weights=q4_k_m&max_model_len=4096",
     NULL, "weights_assumed context_assumed"},
    {"ollama run mistral-small:24b",
     "model=mistral-small-24b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama run llama4:scout",
     "model=llama-4-scout&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"ollama pull llama3.1 && ollama serve",
     "model=llama-3.1-8b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"llama-server -m /models/llama-3.1-8b-instruct.Q4_K_M.gguf -c 16384 --parallel 4 "
     "--kv-unified -b 1024 -ub 256",
     "model=llama-3.1-8b&engine=llama.cpp&weights=q4_k_m&chunked_prefill_tokens=256&"
     "max_num_seqs=4&max_model_len=16384&micro_batch_tokens=256&kv_unified=true",
     NULL, NULL},
    {"llama-server -m /models/gpt-oss-120b-mxfp4-00001-of-00003.gguf -ngl 99 "
     "--n-cpu-moe 28 -c 0 -fa auto --threads 16",
     "model=gpt-oss-120b&engine=llama.cpp&weights=mxfp4&cpu_threads=16&gpu_layers=99&"
     "cpu_moe_layers=28",
     NULL, NULL},
    {"llama-server -m /models/Qwen3-Coder-30B-A3B-Instruct-UD-Q4_K_XL.gguf -ot "
     "\".ffn_.*_exps.=CPU\" -ngl 99 -c 65536",
     "model=qwen3-coder-30b-a3b&engine=llama.cpp&weights=ud_q4_k_xl&"
     "max_model_len=65536&kv_unified=true&gpu_layers=99&cpu_moe_layers=48",
     NULL, NULL},
    {"llama-server -m /models/gemma-3-27b-it-Q4_0.gguf --swa-full -ngl 999 -sm row "
     "-ts 1,1",
     "model=gemma-3-27b&engine=llama.cpp&weights=q4_0&tp=2&swa_full=true&"
     "gpu_layers=999&text_only=true",
     NULL, NULL},
    {"llama-server --model DeepSeek-R1-Distill-Llama-70B-Q4_K_M.gguf --n-gpu-layers "
     "40 --split-mode none --no-warmup --mlock",
     "model=llama-3.3-70b&engine=llama.cpp&weights=q4_k_m&gpu_layers=40", "--no-warmup --mlock",
     NULL},
    {"llama-cli -m Llama-3.2-3B-Instruct-Q8_0.gguf -p \"Hello world\" -n 64 -t 8",
     "model=llama-3.2-3b&engine=llama.cpp&weights=q8_0&cpu_threads=8", "-p -n", NULL},
    {"llama-server -m Qwen3-8B-Q4_K_M.gguf --ctx_size 4096",
     "model=qwen3-8b&engine=llama.cpp&weights=q4_k_m&max_model_len=4096&"
     "kv_unified=true",
     NULL, NULL},
    {"./server -m llama-2-13b-chat.Q4_K_M.gguf -c 4096 --host 0.0.0.0",
     "model=llama-2-13b&engine=llama.cpp&weights=q4_k_m&max_model_len=4096&"
     "kv_unified=true",
     "--host", NULL},
    {"CUDA_VISIBLE_DEVICES=0,1 ./llama-server -m Llama-3.3-70B-Instruct-Q4_K_M.gguf "
     "-ngl 99 -c 8192",
     "model=llama-3.3-70b&engine=llama.cpp&weights=q4_k_m&pp=2&max_model_len=8192&"
     "kv_unified=true&gpu_layers=99",
     NULL, NULL},
    {"GGML_CUDA_ENABLE_UNIFIED_MEMORY=1 llama-server -hf "
     "bartowski/Meta-Llama-3.1-70B-Instruct-GGUF:IQ2_M -ngl 99",
     "model=llama-3.1-70b&engine=llama.cpp&weights=iq2_m&gpu_layers=99", NULL, NULL},
    {"mlx_lm.server --model mlx-community/gemma-3-27b-it-8bit --host 0.0.0.0",
     "model=gemma-3-27b&engine=mlx&weights=mlx_q8_g64", "--host", NULL},
    {"mlx_lm server --model mlx-community/Qwen3-8B-6bit",
     "model=qwen3-8b&engine=mlx&weights=mlx_q6_g64", NULL, NULL},
    {"OLLAMA_GPU_OVERHEAD=1073741824 ollama run mixtral:8x22b-instruct-v0.1-q4_0",
     "model=mixtral-8x22b&engine=ollama&weights=q4_0&max_model_len=4096&"
     "other_processes_bytes=1073741824",
     NULL, "context_assumed"},
    {"set CUDA_VISIBLE_DEVICES=0\n"
     "llama-server.exe -m D:\\gguf\\phi-4-Q6_K.gguf -c 16384",
     "model=phi-4&engine=llama.cpp&weights=q6_k&max_model_len=16384&kv_unified=true", NULL, NULL},
    {"llama-server -m Qwen3-8B-Q4_K_M.gguf -ctk q8_0",
     "model=qwen3-8b&engine=llama.cpp&weights=q4_k_m&kv_cache=fp16", NULL, "cache_types_differ"},
    {"llama-server -m Qwen3-8B-Q4_K_M.gguf -np 0 -c -5",
     "model=qwen3-8b&engine=llama.cpp&weights=q4_k_m", NULL, NULL},
    {"llama-server --model /m/Qwen3-235B-A22B-UD-Q2_K_XL-00001-of-00002.gguf "
     "--threads 32 --ctx-size 16384 --n-gpu-layers 99 -ot \".ffn_.*_exps.=CPU\" "
     "--prio 3 --temp 0.6 --min-p 0.0 --seed 3407",
     "model=qwen3-235b-a22b&engine=llama.cpp&weights=ud_q2_k_xl&max_model_len=16384&"
     "cpu_threads=32&kv_unified=true&gpu_layers=99&cpu_moe_layers=94",
     "--prio --temp --min-p --seed", NULL},
    {"llama-server -hf Qwen/Qwen3-8B-GGUF:Q8_0 --jinja --reasoning-format deepseek "
     "-ngl 99 -fa on -sm row --temp 0.6 -c 40960 -n 32768 --no-context-shift "
     "--chat-template-kwargs '{\"enable_thinking\":false}'",
     "model=qwen3-8b&engine=llama.cpp&weights=q8_0&max_model_len=40960&"
     "flash_attention=true&kv_unified=true&gpu_layers=99",
     "--jinja --reasoning-format --temp -n --no-context-shift --chat-template-kwargs", NULL},
    {"llama-server -m phi-4-Q4_K_M.gguf --rope-scaling yarn --rope-scale 4 "
     "--yarn-orig-ctx 4096 --lora a.gguf --slots --metrics --slot-save-path /x "
     "--cache-reuse 256 --embedding --pooling mean",
     "model=phi-4&engine=llama.cpp&weights=q4_k_m",
     "--rope-scaling --rope-scale --yarn-orig-ctx --lora --slots --metrics "
     "--slot-save-path --cache-reuse --embedding --pooling",
     "flags_not_modelled"},
    {"llama-server -m Llama-3.3-70B-Instruct-Q4_K_M.gguf --rpc "
     "192.168.1.2:50052,192.168.1.3:50052 -ngl 99",
     "model=llama-3.3-70b&engine=llama.cpp&weights=q4_k_m&gpu_layers=99", "--rpc",
     "flags_not_modelled"},
    {"llama-server -m gpt-oss-20b-MXFP4.gguf -np 4 --ctx-size 131072 --kv-unified "
     "--cache-ram 8192 --swa-full",
     "model=gpt-oss-20b&engine=llama.cpp&weights=mxfp4&max_num_seqs=4&"
     "max_model_len=131072&kv_unified=true&swa_full=true",
     "--cache-ram", NULL},
    {"llama-server -m Qwen3-8B-Q4_K_M.gguf --spec-type ngram-simple --draft-max 8",
     "model=qwen3-8b&engine=llama.cpp&weights=q4_k_m&speculative.method=ngram&"
     "speculative.tokens=8",
     NULL, NULL},
    {"docker run -p 8080:8080 -v ./models:/models "
     "ghcr.io/ggml-org/llama.cpp:server-vulkan -m /models/gemma-2-9b-it-Q4_K_M.gguf "
     "-c 8192 -ngl 99",
     "model=gemma-2-9b&engine=llama.cpp&weights=q4_k_m&max_model_len=8192&"
     "backend=vulkan&kv_unified=true&gpu_layers=99",
     NULL, NULL},
    {"mlx_lm.server --model mlx-community/Llama-3.3-70B-Instruct-4bit --adapter-path "
     "a --prompt-cache-size 4 --decode-concurrency 8 --chat-template-args '{}'",
     "model=llama-3.3-70b&engine=mlx&weights=mlx_q4_g64&max_num_seqs=8",
     "--adapter-path --prompt-cache-size --chat-template-args", NULL},
    {"OLLAMA_HOST=0.0.0.0 OLLAMA_KEEP_ALIVE=-1 OLLAMA_MAX_LOADED_MODELS=1 "
     "OLLAMA_SCHED_SPREAD=1 ollama run llama3.3:70b-instruct-q8_0 --verbose \"hi "
     "there\"",
     "model=llama-3.3-70b&engine=ollama&weights=q8_0&max_model_len=4096", "--verbose",
     "context_assumed"},
    {"ollama serve & sleep 2 && ollama run qwen3:32b",
     "model=qwen3-32b&engine=ollama&weights=q4_k_m&max_model_len=4096", NULL,
     "weights_assumed context_assumed"},
    {"FROM qwen3:14b\n"
     "PARAMETER num_ctx 32768\n"
     "PARAMETER num_batch 1024\n"
     "PARAMETER num_thread 8",
     "model=qwen3-14b&engine=ollama&weights=q4_k_m&chunked_prefill_tokens=1024&"
     "max_model_len=32768&cpu_threads=8&micro_batch_tokens=1024",
     NULL, "weights_assumed"},
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

    return cmocka_run_group_tests_name("command_local", tests, kit_setup, kit_teardown);
}
