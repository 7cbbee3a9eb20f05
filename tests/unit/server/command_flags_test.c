/*
 * Leaves as the flags that set them: written in the engine's own spelling, and read back to the
 * same leaf.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "command_kit.h"
#include "command_line.h"

/* Spellings by the engines' documentation, see the tests of their lines. */
static const struct {
    const char *engine, *deployment; /* what else the deployment says */
    const char *pointer, *value;
    const char *flag; /* NULL = none makes it so */
} ROWS[] = {
    {"vllm", "", "/deployment/tp", "4", "--tensor-parallel-size 4"},
    {"vllm", "", "/deployment/pp", "2", "--pipeline-parallel-size 2"},
    {"vllm", "", "/deployment/kv_cache", "fp8", "--kv-cache-dtype fp8"},
    {"vllm", "", "/deployment/prefix_caching", "false", "--no-enable-prefix-caching"},
    {"vllm", "", "/deployment/prefix_caching", "true", "--enable-prefix-caching"},
    {"vllm", "", "/deployment/cuda_graphs", "false", "--enforce-eager"},
    {"vllm", "", "/deployment/max_model_len", "8192", "--max-model-len 8192"},
    {"vllm", "", "/deployment/max_num_seqs", "64", "--max-num-seqs 64"},
    {"vllm", "", "/deployment/memory_utilization", "0.95", "--gpu-memory-utilization 0.95"},
    {"vllm", "", "/deployment/chunked_prefill_tokens", "4096", "--max-num-batched-tokens 4096"},
    {"vllm", "", "/deployment/weights", "fp8", "--quantization fp8"},
    {"vllm", "", "/deployment/weights", "awq", NULL},
    {"vllm", ",\"weights\":\"fp8\"", "/deployment/dtype", "fp16", "--dtype half"},
    {"vllm", ",\"block_size\":16", "/deployment/kv_cache_tokens", "65536",
     "--num-gpu-blocks-override 4096"},
    {"vllm", "", "/deployment/cpu_offload_bytes", "10737418240", "--cpu-offload-gb 10"},
    {"vllm", ",\"tp\":8", "/deployment/ep", "8", "--enable-expert-parallel"},
    {"vllm", "", "/workload/concurrency", "8", NULL},
    {"sglang", "", "/deployment/tp", "4", "--tensor-parallel-size 4"},
    {"sglang", "", "/deployment/max_model_len", "8192", "--context-length 8192"},
    {"sglang", "", "/deployment/memory_utilization", "0.8", "--mem-fraction-static 0.8"},
    {"sglang", "", "/deployment/prefix_caching", "false", "--disable-radix-cache"},
    {"sglang", "", "/deployment/chunked_prefill_tokens", "0", "--chunked-prefill-size -1"},
    {"sglang", ",\"tp\":2,\"dp\":4", "/deployment/max_num_seqs", "32",
     "--max-running-requests 128"},
    {"sglang", "", "/deployment/speculative/method", "eagle3", "--speculative-algorithm EAGLE3"},
    {"sglang", "", "/deployment/speculative/method", "eagle", "--speculative-algorithm EAGLE"},
    {"sglang", "", "/deployment/speculative/method", "mtp", "--speculative-algorithm NEXTN"},
    {"sglang", "", "/deployment/speculative/method", "medusa", NULL},
    {"tensorrt-llm", "", "/deployment/max_num_seqs", "64", "--max_batch_size 64"},
    {"tensorrt-llm", "", "/deployment/max_model_len", "8192", "--max_seq_len 8192"},
    {"tgi", "", "/deployment/tp", "4", "--num-shard 4"},
    {"tgi", "", "/deployment/max_model_len", "8192", "--max-total-tokens 8192"},
    {"tgi", "", "/deployment/prefix_caching", "true", NULL},
    {"tensorrt-llm", "", "/deployment/weights", "fp8", NULL},
    {"llama.cpp", ",\"max_num_seqs\":4,\"kv_unified\":false", "/deployment/max_model_len", "8192",
     "--ctx-size 32768"},
    {"llama.cpp", "", "/deployment/kv_cache", "q8_0", "--cache-type-k q8_0 --cache-type-v q8_0"},
    {"llama.cpp", "", "/deployment/gpu_layers", "20", "--n-gpu-layers 20"},
    {"llama.cpp", "", "/deployment/cpu_moe_layers", "12", "--n-cpu-moe 12"},
    {"ollama", "", "/deployment/max_num_seqs", "4", "OLLAMA_NUM_PARALLEL=4"},
    {"ollama", "", "/deployment/max_model_len", "8192", "OLLAMA_CONTEXT_LENGTH=8192"},
    {"ollama", "", "/deployment/kv_cache", "q8_0", "OLLAMA_KV_CACHE_TYPE=q8_0"},
};

/* Reads a deployment of that engine. */
static void read_deployment(struct kit *kit, const char *engine, const char *more,
                            struct reading *ret_reading)
{
    char body[400];

    snprintf(body, sizeof(body),
             "{\"model\":\"mixtral-8x7b\",\"hardware\":\"h100-sxm\",\"deployment\":{"
             "\"engine\":\"%s\"%s}}",
             engine, more);
    kit_read_json(kit, body, ret_reading);
    if (!ret_reading->complete)
        fail_msg("%s: %s", body, command_faults(kit, ret_reading));
}

static void leaves_are_written_in_the_engines_spelling(void **state)
{
    int bad = 0;

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct kit *kit = *state;
        struct reading reading;
        read_deployment(kit, ROWS[i].engine, ROWS[i].deployment, &reading);
        const char *flag = command_flag_for(kit->arena, &reading.request.problem.dep,
                                            ROWS[i].pointer, ROWS[i].value);
        const char *expected = ROWS[i].flag ? ROWS[i].flag : "(none)";
        if (strcmp(flag ? flag : "(none)", expected) == 0)
            continue;
        print_error("%s %s %s: %s, expected %s\n", ROWS[i].engine, ROWS[i].pointer, ROWS[i].value,
                    flag ? flag : "(none)", expected);
        bad++;
    }
    assert_int_equal(bad, 0);
}

/* How each engine is started: what stands before and behind a flag. */
static const struct {
    const char *engine, *before, *behind;
} STARTS[] = {
    {"vllm", "vllm serve", "--model mistralai/Mixtral-8x7B-Instruct-v0.1"},
    {"sglang", "python -m sglang.launch_server", "--model-path mistralai/Mixtral-8x7B-v0.1"},
    {"tensorrt-llm", "trtllm-serve", "mistralai/Mixtral-8x7B-v0.1"},
    {"tgi", "text-generation-launcher", "--model-id mistralai/Mixtral-8x7B-v0.1"},
    {"llama.cpp", "llama-server", "-m mixtral-8x7b-instruct-v0.1.Q4_K_M.gguf"},
    {"ollama", "", "ollama run mixtral:8x7b"},
};

/* Whether a leaf is among those of a query: "tp=4" of "/deployment/tp" and "4". */
static bool says(const char *leaves, const char *pointer, const char *value)
{
    char leaf[100];
    size_t length = (size_t)snprintf(leaf, sizeof(leaf), "%s=%s", strrchr(pointer, '/') + 1, value);
    const char *at = strstr(leaves, leaf);

    return at && (at == leaves || strchr("&.", at[-1])) && (!at[length] || at[length] == '&');
}

static void a_written_flag_is_read_as_its_leaf(void **state)
{
    int bad = 0;

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        const char *before = NULL, *behind = NULL;
        for (size_t k = 0; k < ARRAY_LEN(STARTS) && !before; k++) {
            if (strcmp(STARTS[k].engine, ROWS[i].engine) == 0) {
                before = STARTS[k].before;
                behind = STARTS[k].behind;
            }
        }
        /* a flag of a deployment that says more sets its leaf only beside the others */
        if (!before || !ROWS[i].flag || ROWS[i].deployment[0])
            continue;
        struct kit *kit = *state;
        struct reading reading;
        char command[200];
        snprintf(command, sizeof(command), "%s %s %s", before, ROWS[i].flag, behind);
        char *body = command_body("h100-sxm", command, NULL);
        kit_read_json(kit, body, &reading);
        cJSON_free(body);
        const char *leaves = command_leaves(kit, &reading);
        if (reading.complete && says(leaves, ROWS[i].pointer, ROWS[i].value))
            continue;
        print_error("%s: %s %s\n", ROWS[i].flag, leaves, command_faults(kit, &reading));
        bad++;
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_are_written_in_the_engines_spelling),
        cmocka_unit_test(a_written_flag_is_read_as_its_leaf),
    };

    return cmocka_run_group_tests_name("command_flags", tests, kit_setup, kit_teardown);
}
