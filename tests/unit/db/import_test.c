/* The linter: a record with a fault each, and the word that its fault line must hold. */
#include "import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"
#include "engine.h"
#include "migrate.h"
#include "sql.h"

#define SOURCE                                                                                     \
    "\"sources\":[{\"field\":\"all\",\"title\":\"t\",\"kind\":\"datasheet\",\"url\":\"https://"    \
    "x\"}]"
#define PART_BUT_MEMORY                                                                            \
    "{\"id\":\"p\",\"name\":\"P\",\"vendor\":\"v\",\"class\":\"datacenter\",\"arch\":\"a\","       \
    "\"mem_bw_gbps\":100,\"peak_dense_tflops\":{\"bf16\":10},\"interconnect\":{\"kind\":\"none\"," \
    "\"gbps_per_gpu_total_bidir\":0,\"max_domain\":1},\"pcie\":\"gen4x16\","
#define PART PART_BUT_MEMORY "\"memory_gb\":16,"
#define FORMAT                                                                                     \
    "{\"id\":\"f\",\"title\":\"F\",\"family\":\"x\",\"deployable\":false,\"multiply\":\"bf16\","   \
    "\"weight_only\":false,\"activation_bytes\":2,\"quantized\":false,\"gguf\":false,"

#define EXPLAINED(METRIC, CAUSE)                                                                   \
    "{\"anchor\":\"a\",\"metric\":\"" METRIC "\",\"cause\":\"" CAUSE "\""
#define LAUNCH "{\"id\":\"l\",\"title\":\"L\","
#define WHEN(CONDITION) "\"when\":{" CONDITION "},\"flags\":{\"requests\":1}," SOURCE
#define FLAGS(FLAG) "\"when\":{},\"flags\":{" FLAG "}," SOURCE

static const struct row {
    import_fn *read;
    const char *record, *word; /* word NULL = the record is good */
} ROWS[] = {
    {import_hardware, PART SOURCE "}", NULL},
    {import_hardware, PART "\"colour\":1," SOURCE "}", "unknown field 'colour'"},
    {import_hardware, PART "\"tdp_w\":-3," SOURCE "}", "'tdp_w' is -3"},
    {import_hardware, PART "\"tdp_w\":\"much\"," SOURCE "}", "'tdp_w' must be a finite number"},
    {import_hardware, PART_BUT_MEMORY SOURCE "}", "'memory_gb' is missing"},
    {import_hardware, PART "\"aliases\":[\"x\",\"x\"]," SOURCE "}", "alias 'x' stands twice"},
    {import_hardware, PART "\"aliases\":[7]," SOURCE "}", "not a text"},
    {import_hardware, PART "\"aliases\":[\" - \"]," SOURCE "}", "is no name"},
    {import_hardware, PART "\"notes\":7," SOURCE "}", "'notes' must be a text"},
    {import_hardware,
     PART "\"sources\":[{\"field\":\"a\",\"title\":\"t\",\"kind\":\"k\",\"url\":\"ftp\"}]}",
     "is not a url"},
    {import_hardware, PART "\"sources\":[{\"field\":\"a\",\"kind\":\"k\"}]}", "'title' is missing"},
    {import_hardware, PART "\"disputes\":[{\"field\":\"a\"}]," SOURCE "}", "no 'value_a'"},
    {import_explained, EXPLAINED("tpot_ms", "inferred") ",\"why\":\"so\"}", NULL},
    {import_explained, EXPLAINED("tpot_ms", "inferred") "}", "'why' is missing"},
    {import_explained, EXPLAINED("tpot", "inferred") ",\"why\":\"so\"}",
     "metric 'tpot' is unknown"},
    {import_explained, EXPLAINED("tpot_ms", "guessed") ",\"why\":\"so\"}", "cause 'guessed'"},
    {import_explained, EXPLAINED("tpot_ms", "known") ",\"why\":\"so\",\"who\":\"me\"}",
     "unknown field 'who'"},
    {import_explained,
     EXPLAINED("tpot_ms", "known") ",\"why\":\"so\",\"source\":{\"title\":\"t\"}}",
     "'url' is missing"},
    {import_weight_format, FORMAT "\"bytes_per_weight\":{\"hair\":1}," SOURCE "}",
     "no tensor role"},
    {import_weight_format, FORMAT "\"bytes_per_weight\":{\"norm\":99}," SOURCE "}", "not within"},
    {import_weight_format, FORMAT "\"gemm_fits\":[\"fp7\"]," SOURCE "}", "kernel type"},
    {import_weight_format, "{\"id\":\"f\",\"multiply\":\"fp7\"," SOURCE "}", "no compute type"},
    {import_engine,
     "{\"id\":\"e\",\"title\":\"E\",\"memory_rule\":\"guess\",\"latest\":\"1.0\"," SOURCE "}",
     "memory rule 'guess' is unknown"},
    {import_engine,
     "{\"id\":\"e\",\"title\":\"E\",\"memory_rule\":\"vllm\",\"latest\":\"new\"," SOURCE "}",
     "is no version"},
    {import_host_cost, "{\"id\":\"h\",\"engine\":\"e\",\"constant\":\"patience\"," SOURCE "}",
     "constant 'patience' is unknown"},
    {import_launch, LAUNCH "\"when\":{},\"flags\":{\"kv_cache\":\"fp8\"}," SOURCE "}", NULL},
    {import_launch, LAUNCH "\"flags\":{\"kv_cache\":\"fp8\"}," SOURCE "}", "'when' must be"},
    {import_launch, LAUNCH "\"when\":{}," SOURCE "}", "'flags' says nothing"},
    {import_launch, LAUNCH "\"when\":{},\"flags\":{}," SOURCE "}", "'flags' says nothing"},
    {import_launch, LAUNCH "\"when\":{\"moon\":1},\"flags\":{\"requests\":1}," SOURCE "}",
     "unknown field 'moon'"},
    {import_launch, LAUNCH WHEN("\"load_generator\":\"wrk\"") "}", "no load generator"},
    {import_launch, LAUNCH WHEN("\"version_min\":\"new\"") "}", "'new' is no version"},
    {import_launch, LAUNCH WHEN("\"tp_min\":0") "}", "'tp_min' is 0"},
    {import_launch, LAUNCH WHEN("\"tp_min\":4,\"tp_max\":2") "}", "no tp is 4 to 2"},
    {import_launch, LAUNCH WHEN("\"models\":[]") "}", "'models' must be a list"},
    {import_launch, LAUNCH WHEN("\"models\":\"m\"") "}", "'models' must be a list"},
    {import_launch, LAUNCH WHEN("\"weights\":[7]") "}", "not a text"},
    {import_launch, LAUNCH WHEN("\"speculative\":3") "}", "true or false"},
    {import_launch, LAUNCH FLAGS("\"colour\":1") "}", "'colour' is no flag"},
    {import_launch, LAUNCH FLAGS("\"stream_interval\":-1") "}", "must be a number of 0"},
    {import_launch, LAUNCH FLAGS("\"memory_utilization\":90") "}", "must be a number of 0 to 1"},
    {import_launch, LAUNCH FLAGS("\"prefix_caching\":1") "}", "must be a number"},
    {import_launch, LAUNCH FLAGS("\"kv_cache\":8") "}", "must be a number"},
    {import_launch, LAUNCH FLAGS("\"max_num_seqs\":\"many\"") "}", "no rule 'many'"},
    {import_launch, LAUNCH FLAGS("\"speculative_method\":\"dice\"") "}", "no way to draft"},
    {import_model, "{\"id\":\"m\",\"name\":\"M\"," SOURCE "}", "are required"},
};

static sqlite3 *empty_store(void)
{
    const struct migrations own = {MIGRATIONS, N_MIGRATIONS};
    char error[STORE_ERROR_MAX];
    sqlite3 *db = sql_open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    assert_true(db && migrate_apply(db, "test", &own, error));
    assert_true(sql_exec(db, "PRAGMA foreign_keys=OFF"));
    return db;
}

static void faults_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char log[8192] = "";
        struct import import = {.db = empty_store(), .log = fmemopen(log, sizeof(log), "w")};
        cJSON *record = cJSON_Parse(ROWS[i].record);
        assert_non_null(import.log);
        assert_non_null(record);
        import.file = "test.json";
        import.record = "x";
        ROWS[i].read(&import, record, ROWS[i].record);
        cJSON_Delete(record);
        fclose(import.log);
        sqlite3_close(import.db);
        if (ROWS[i].word ? !strstr(log, ROWS[i].word) || import.faults == 0 : import.faults > 0) {
            fail_msg("row %zu: %s", i, log);
        }
        assert_true(!ROWS[i].word || strncmp(log, "test.json: x: ", 14) == 0);
    }
}

/* The whole bundle: everything the facts held, without a fault, and twice the same bytes. */
static void the_bundle_is_clean_and_deterministic(void **state)
{
    unsigned char *images[2];
    sqlite3_int64 sizes[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        char log[8192] = "";
        FILE *file = fmemopen(log, sizeof(log), "w");
        sqlite3 *db = empty_store();
        bool good = import_records(db, SOURCE_DIR "/db/records", file);
        fclose(file);
        if (!good) {
            fail_msg("%s", log);
        }
        images[i] = sqlite3_serialize(db, "main", &sizes[i], 0);
        assert_non_null(images[i]);
        if (i == 0) {
            assert_true(sql_number(db, "SELECT count(*) FROM models", 0) >= 267);
            assert_int_equal(sql_number(db, "SELECT count(*) FROM hardware", 0), 158);
            assert_int_equal(sql_number(db, "SELECT count(*) FROM op_fits", 0),
                             621 + 132 + 92 + 33);
            /* H100, vLLM, fp8: the fit of shapes is used, the plain one stands behind it. */
            assert_int_equal(
                sql_number(db,
                           "SELECT count(*) FROM calibrations WHERE (id = "
                           "'h100-sxm-vllm-0.24.0-gemm-fp8-shapes' AND status = 'used') OR (id = "
                           "'h100-sxm-vllm-0.24.0-gemm-fp8' AND status = 'fallback')",
                           0),
                2);
            assert_int_equal(sql_number(db, "SELECT count(*) FROM collective_fits", 0), 188 + 75);
            assert_true(
                sql_number(db, "SELECT count(*) FROM disputes WHERE kind = 'hardware'", 0) >= 178);
            /* What was recalled is assumed. */
            assert_int_equal(
                sql_number(db,
                           "SELECT count(*) FROM provenance p JOIN sources s ON s.id = "
                           "p.source_id WHERE s.source_kind = 'recall' AND p.basis <> "
                           "'assumed'",
                           -1),
                0);
            /* Every engine has every constant. */
            assert_int_equal(sql_number(db, "SELECT count(*) FROM host_costs", 0),
                             8 * HOST_COST_COUNT);
        }
        sqlite3_close(db);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(images[0], images[1], (size_t)sizes[0]);
    sqlite3_free(images[0]);
    sqlite3_free(images[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(the_bundle_is_clean_and_deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
