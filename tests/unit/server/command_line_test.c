/*
 * Command lines in a request: what beside them wins, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "command_kit.h"

#define TWO_GPUS "CUDA_VISIBLE_DEVICES=0,1 vllm serve meta-llama/Llama-3.1-70B-Instruct -tp 2"

/* What a request says itself goes before its command; the difference is noted. */
static void leaves_beside_a_command_win(void **state)
{
    static const struct {
        const char *more, *command, *leaves, *notes;
    } ROWS[] = {
        {NULL, TWO_GPUS, "model=llama-3.1-70b&engine=vllm&tp=2", ""},
        {"{\"deployment\":{\"tp\":4}}", TWO_GPUS, "model=llama-3.1-70b&engine=vllm&tp=4",
         "command_contradicted too_few_devices"},
        {"{\"deployment\":{\"tp\":2}}", TWO_GPUS, "model=llama-3.1-70b&engine=vllm&tp=2", ""},
        {"{\"model\":\"qwen3-8b\"}", "vllm serve /models/ours --served-model-name bot",
         "model=qwen3-8b&engine=vllm", ""},
        {"{\"model\":\"qwen3-8b\"}", "vllm serve Qwen/Qwen3-14B", "model=qwen3-8b&engine=vllm",
         "command_contradicted"},
        {"{\"deployment\":{\"engine\":\"sglang\"}}", "vllm serve Qwen/Qwen3-8B",
         "model=qwen3-8b&engine=sglang", "command_contradicted"},
        {"{\"workload\":{\"concurrency\":64},\"slo\":{\"tpot_ms\":30}}", "vllm serve Qwen/Qwen3-8B",
         "model=qwen3-8b&engine=vllm&concurrency=64&tpot_ms=30", ""},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct kit *kit = *state;
        struct reading reading;
        char *body = command_body("h100-sxm", ROWS[i].command, ROWS[i].more);
        kit_read_json(kit, body, &reading);
        cJSON_free(body);
        if (!reading.complete)
            fail_msg("row %zu: %s", i, command_faults(kit, &reading));
        const char *leaves = command_leaves(kit, &reading), *notes = command_notes(kit, &reading);
        if (strcmp(leaves, ROWS[i].leaves) != 0 || strcmp(notes, ROWS[i].notes) != 0)
            fail_msg("row %zu: %s; %s", i, leaves, notes);
    }
}

static const struct {
    const char *part, *command, *faults;
} BAD[] = {
    {"h100-sxm", "vllm serve Qwen/Qwen3-8B --tensor-paralel-size 2",
     "/command: --tensor-paralel-size is not a flag of vLLM [--tensor-parallel-size]"},
    {"h100-sxm", "vllm serve Qwen/Qwen3-8B --enforce-eagr Qwen/Qwen3-8B",
     "/command: --enforce-eagr is not a flag of vLLM [--enforce-eager]\n"
     "/command: Qwen/Qwen3-8B: a second model, or a value without its flag"},
    {NULL, "vllm serve Qwen/Qwen3-8B --max-model-len abc --kv-cache-dtype fp9 -tp 0",
     "/command: --max-model-len: expected a number, as 8192 or 8k, got \"abc\"\n"
     "/command: --kv-cache-dtype: no KV cache type of vLLM is called \"fp9\" [fp8]\n"
     "/command: -tp: expected a whole number from 1 to 1024, got 0\n"
     "/hardware: required: id or alias of a part, or an object with its figures"},
    {"h100-sxm", "vllm serve Qwen/Qwen3-8B --max-model-len",
     "/command: --max-model-len: its value is missing"},
    {"h100-sxm", "vllm serve 'Qwen/Qwen3-8B", "/command: a single quote is not closed"},
    {"h100-sxm", "nginx -g 'daemon off;'",
     "/command: no engine is started here: vllm serve, python -m sglang.launch_server, "
     "llama-server, trtllm-serve, text-generation-launcher, mlx_lm.server and ollama are "
     "understood, also inside docker run"},
    {"h100-sxm", "vllm serve acme/Unheard-Of-9000B",
     "/command: model: no model is called \"acme/Unheard-Of-9000B\": give \"model\" beside it, "
     "by a name, or in JSON as {\"hf_config\": its config.json}"},
    {"h100-sxm", "vllm serve",
     "/command: vllm: the command names no model: give \"model\" beside it"},
    {"h100-sxm", "vllm serve $MODEL -tp $N",
     "/command: -tp: $N is not set before the command\n"
     "/command: model: $MODEL is not set before the command"},
    {"h100-sxm",
     "vllm serve Qwen/Qwen3-8B --tensor-parallel-size two --gpu-memory-utilization 1.5 -dp 0",
     "/command: --tensor-parallel-size: expected a number, got \"two\"\n"
     "/command: --gpu-memory-utilization: expected a number from 0.01 to 1, got 1.5\n"
     "/command: -dp: expected a whole number from 1 to 1024, got 0"},
    {"h100-sxm",
     "vllm serve Qwen/Qwen3-8B --speculative-config '{\"method\": \"eagle3\", \"n\": }'",
     "/command: --speculative-config: not JSON: not a JSON value at byte 26"},
    {"h100-sxm", "vllm serve Qwen/Qwen3-8B \xe2\x80\x93tensor-parallel-size 2",
     "/command: \xe2\x80\x93tensor-parallel-size: begins with a dash that is no hyphen "
     "[--tensor-parallel-size]"},
    {"h100-sxm", "vllm serve Qwen/Qwen3-8B --quantization foo",
     "/command: --quantization: no quantisation of vLLM is called \"foo\""},
    {"h100-sxm", "vllm serve Qwen/Qwen3-8B --max-num 4",
     "/command: --max-num: may be --max-num-batched-tokens or --max-num-seqs"},
    {"h100-sxm", "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --mem-fraction 0.8x",
     "/command: --mem-fraction: expected a number, got \"0.8x\""},
    {"h100-sxm",
     "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 8 --dp 3 "
     "--enable-dp-attention",
     "/command: --dp: under --enable-dp-attention 3 ranks do not divide --tp 8"},
    {"h100-sxm", "llama-server -m Qwen3-8B-Q4_K_M.gguf -ctk foo",
     "/command: -ctk: no KV cache format is called \"foo\""},
    {"h100-sxm", "llama-server -m model.gguf",
     "/command: -m: no model is called \"model.gguf\": give \"model\" beside it, by a name, "
     "or in JSON as {\"hf_config\": its config.json}"},
    {"h100-sxm", "trtllm-serve Qwen/Qwen3-8B --tp_sise 2",
     "/command: --tp_sise is not a flag of TensorRT-LLM [--tp_size]"},
    {"h100-sxm", "text-generation-launcher --model-id gpt2 --num_shard 2",
     "/command: --num_shard is not a flag of text-generation-inference [--num-shard]"},
    {"h100-sxm", "ollama run mistral:$TAG", "/command: model: $TAG is not set before the command"},
    {"h100-sxm", "OLLAMA_NUM_PARALLEL=four ollama run llama3.1",
     "/command: OLLAMA_NUM_PARALLEL: expected a number, got \"four\""},
    {"h100-sxm", "ollama serve",
     "/command: ollama: the command names no model: give \"model\" "
     "beside it"},
    {"h100-sxm", "lmdeploy serve api_server Qwen/Qwen3-8B",
     "/command: lmdeploy: LMDeploy's flags are not known here"},
    {"h100-sxm", "vllm bench serve --model Qwen/Qwen3-8B",
     "/command: vllm: a client or a benchmark, not the server that is planned: give the "
     "command "
     "that starts the server"},
};

/* All faults of a command are found at once, and those of the request around it. */
static void every_fault_is_listed(void **state)
{
    int bad = 0;

    for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
        struct kit *kit = *state;
        struct reading reading;
        char *body = command_body(BAD[i].part, BAD[i].command, NULL);
        kit_read_json(kit, body, &reading);
        cJSON_free(body);
        const char *faults = command_faults(kit, &reading);
        if (strcmp(faults, BAD[i].faults) == 0)
            continue;
        print_error("%s\n got: %s\n expected: %s\n", BAD[i].command, faults, BAD[i].faults);
        bad++;
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_beside_a_command_win),
        cmocka_unit_test(every_fault_is_listed),
    };

    return cmocka_run_group_tests_name("command_line", tests, kit_setup, kit_teardown);
}
