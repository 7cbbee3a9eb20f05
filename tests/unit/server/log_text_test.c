/* log_text: the logs of tests/golden/logs, typed in the form that each engine prints, each with
 * what it says in comments (remarks.h). A GiB is 1073741824 bytes, a MiB 1048576. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"
#include "log_text.h"
#include "remarks.h"

#define LOGS_MIN 12

static void read_log(struct kit *kit, const char *text, struct reading *ret_reading)
{
    const struct intake intake = {kit->catalogue, kit->arena, &ret_reading->faults, ""};

    arena_reset(kit->arena);
    memset(ret_reading, 0, sizeof(*ret_reading));
    faults_init(&ret_reading->faults, kit->arena);
    remark_set_beside(&intake, text, &ret_reading->request);
    ret_reading->complete = log_read(&intake, text, "/log", NULL, &ret_reading->request) &&
                            plan_request_resolve(&intake, &ret_reading->request);
}

static void test_logs(void **state)
{
    int n = remark_check_folder(*state, TESTS_DIR "/golden/logs", read_log);

    assert_true(n >= LOGS_MIN);
}

static const struct {
    const char *text;
    bool log;
} LOOKS[] = {
    {"INFO 07-01 12:00:00 [gpu_worker.py:227] Available KV cache memory: 50.10 GiB", true},
    {"[2025-08-01 10:00:00 TP0] Load weight end. type=X, avail mem=63.05 GB, mem usage=15.06 GB.",
     true},
    {"llama_kv_cache: size = 1152.00 MiB ( 8192 cells, 36 layers, 4/1 seqs)", true},
    {"vllm serve Qwen/Qwen3-8B --max-model-len 8192", false},
    {"docker run --gpus all vllm/vllm-openai --model x", false},
    {"llama-server -m model.gguf -c 8192", false},
    {"Available KV cache memory: unknown", false},
    {"", false},
};

static void test_looks(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(LOOKS); i++)
        if (log_looks_like(LOOKS[i].text) != LOOKS[i].log)
            fail_msg("\"%s\"", LOOKS[i].text);
}

/* A text that is longer than a log may be, and the longest one of one phrase. */
static void test_bounds(void **state)
{
    struct kit *kit = *state;
    struct reading reading;
    static const char PHRASE[] = "# beside: model=x\nKV Cache is allocated. ";
    char *text = calloc(LOG_TEXT_MAX + 2, 1);

    assert_non_null(text);
    memset(text, '#', LOG_TEXT_MAX + 1);
    read_log(kit, text, &reading);
    assert_false(reading.complete);
    assert_non_null(strstr(reading.faults.items[0].detail, "at most"));
    for (size_t i = 0; i + sizeof(PHRASE) < LOG_TEXT_MAX; i += sizeof(PHRASE) - 1)
        memcpy(text + i, PHRASE + 18, sizeof(PHRASE) - 19);
    text[LOG_TEXT_MAX] = '\0';
    read_log(kit, text, &reading);
    assert_false(reading.complete);
    free(text);
}

/* A text set as a leaf is read as well. */
static void test_pointer(void **state)
{
    struct kit *kit = *state;
    struct plan_request request = {0};
    struct faults faults;
    const struct intake intake = {kit->catalogue, kit->arena, &faults, ""};
    cJSON *log = cJSON_CreateString("GPU KV cache size: 1,024 tokens");
    cJSON *nothing = cJSON_CreateString("hello");

    arena_reset(kit->arena);
    faults_init(&faults, kit->arena);
    assert_true(field_set_by_pointer(&intake, &request, "/log", log));
    assert_true(request.problem.dep.measured.kv_tokens == 1024);
    assert_false(field_set_by_pointer(&intake, &request, "/log", nothing));
    assert_int_equal(faults.n, 1);
    cJSON_Delete(log);
    cJSON_Delete(nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logs),
        cmocka_unit_test(test_looks),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_pointer),
    };

    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
