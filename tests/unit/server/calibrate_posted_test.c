/* Runs that were added to a store: which a calibration takes, and what the others lack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "calibrate_posted.h"
#include "compiler.h"
#include "store_write.h"

/* A run of Llama 3.1 8B on an L4, whose 16.06 GB of weights take 53 ms at 300 GB/s. */
#define RUN(ID, TPOT_MS, CONDITION)                                                                \
    "{\"id\":\"" ID "\",\"kind\":\"serving\",\"model\":\"llama-3.1-8b\",\"model_id\":"             \
    "\"llama-3.1-8b\",\"hardware\":\"l4\",\"hardware_id\":\"l4\",\"engine\":\"vllm\","             \
    "\"engine_version\":\"0.11.0\",\"weights\":\"bf16\",\"conditions\":{\"n_devices\":1,\"tp\":1," \
    "\"concurrency\":5,\"input_tokens\":1500,\"output_tokens\":130" CONDITION                      \
    "},\"metrics\":{\"tpot_ms.mean\":" TPOT_MS                                                     \
    "},\"sources\":[{\"field\":\"*\",\"title\":\"ours\",\"kind\":\"measurement\"}]}"

static const char *const RUNS[] = {
    RUN("counts", "81.5", ",\"load_generator\":\"engine_bench\""),
    RUN("whose-load", "82.5", ""),
    RUN("whose-load-2", "83.5", ""),
    RUN("drafted", "84.5", ",\"load_generator\":\"engine_bench\",\"speculative\":\"ngram\""),
};

static void write_runs(struct store *store)
{
    struct write writes[ARRAY_LEN(RUNS)];
    struct write_outcome outcomes[ARRAY_LEN(RUNS)];
    cJSON *records[ARRAY_LEN(RUNS)];
    for (size_t i = 0; i < ARRAY_LEN(RUNS); i++) {
        records[i] = cJSON_Parse(RUNS[i]);
        assert_non_null(records[i]);
        writes[i] =
            (struct write){.kind = "anchor", .record = records[i], .doc = RUNS[i], .author = "lab"};
    }
    assert_true(store_write_all(store, writes, ARRAY_LEN(RUNS), false, outcomes));
    for (size_t i = 0; i < ARRAY_LEN(RUNS); i++)
        cJSON_Delete(records[i]);
}

static void printed(struct store *store, char *ret_text, size_t size)
{
    FILE *report = tmpfile();
    const struct catalogue *catalogue = store_catalogue(store);
    assert_non_null(report);
    assert_true(posted_runs_print(store, catalogue, report));
    store_release(store, catalogue);
    rewind(report);
    size_t length = fread(ret_text, 1, size - 1, report);
    ret_text[length] = '\0';
    fclose(report);
}

static void what_is_left_out_is_said(void **state)
{
    char folder[] = "/tmp/regime-test-XXXXXX", path[80], error[STORE_ERROR_MAX], text[2000];
    struct store *store = NULL;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/my.db", folder);
    if (!store_open(path, &store, error))
        fail_msg("%s", error);
    printed(store, text, sizeof(text));
    assert_string_equal(text, "");
    write_runs(store);
    printed(store, text, sizeof(text));
    assert_string_equal(text,
                        "\nruns that were added to the bundle: 4, of them in the fit 1\n"
                        "     2 left out: its load generator is not stated (whose-load, ...)\n"
                        "     1 left out: drafted tokens have no place in the fit (drafted)\n");
    store_close(store);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
