/* The linter of measurements: a table or a study with a fault each, and the word its line must
 * hold. */
#include "import_anchor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler.h"
#include "migrate.h"
#include "scratch.h"
#include "sql.h"

#define LOG_MAX 16384
#define SOURCE "@source,s,paper,2026-01,,https://example.org/x,\"A paper, with a comma\"\n"
#define KIND "@all,kind,serving\n"
#define LOADED "@all,concurrency,4\n@all,input_tokens,128\n"

static const struct table_row {
    const char *text, *word; /* word NULL = no fault */
} TABLES[] = {
    {"# note\n" SOURCE KIND LOADED "id,ttft_ms.mean,notes\na,12.5,\"says \"\"so\"\"\"\n", NULL},
    {SOURCE KIND LOADED "id,ttft_ms.mean\n\na,12.5", NULL},
    {KIND LOADED "id,ttft_ms.mean\na,1\n", "is not one of the file's"},
    {SOURCE KIND LOADED "id,source,ttft_ms.mean\na,t,1\n", "source 't' is not one"},
    {SOURCE "@all,kind,rumour\n" LOADED "id,ttft_ms.mean\na,1\n", "'kind' is 'rumour'"},
    {SOURCE KIND LOADED "id,ttft_s.mean\na,1\n", "'ttft_s.mean' is no metric.statistic"},
    {SOURCE KIND LOADED "id,ttft_ms.median\na,1\n", "is no metric.statistic"},
    {SOURCE KIND LOADED "id,ttft_ms\na,1\n", "is no metric.statistic"},
    {SOURCE KIND LOADED "id,ttft_ms.mean\na,fast\n", "'fast' is no number"},
    {SOURCE KIND LOADED "id,ttft_ms.mean\na,nan\n", "'nan' is no number"},
    {SOURCE KIND LOADED "id,ttft_ms.mean\na,-1\n", "ttft_ms is -1"},
    {SOURCE KIND LOADED "id,ttft_ms.mean,ttft_ms.mean\na,1,2\n", "stands twice"},
    {SOURCE KIND LOADED "id,ttft_ms.mean\na,\n", "measures nothing"},
    {SOURCE KIND "@all,concurrency,4\nid,ttft_ms.mean\na,1\n", "without the length"},
    {SOURCE KIND "@all,input_tokens,4\nid,tpot_ms.mean\na,1\n", "without its load"},
    {SOURCE KIND "id,host_us.mean\na,1\n", "without what it is of"},
    {SOURCE KIND LOADED "id,tp,ttft_ms.mean\na,1e9,1\n", "tp is 1e+09, outside"},
    {SOURCE KIND LOADED "id,memory_utilization,ttft_ms.mean\na,1.5,1\n",
     "memory_utilization is 1.5"},
    {SOURCE KIND LOADED "id,ttft_ms.mean\na b,1\n", "'id' is missing or holds"},
    {SOURCE KIND LOADED "id,ttft_ms.mean\n,1\n", "'id' is missing"},
    {SOURCE KIND LOADED "id,ttft_ms.mean\na,1\na,2\n", "UNIQUE"},
    {SOURCE KIND LOADED "id,ttft_ms.mean\na,1\nb,1\n", "are the same measurement"},
    {SOURCE KIND LOADED "id,ttft_ms.mean,disputed,flag\na,1,,\nb,1,copied,same_run\n", NULL},
    {SOURCE KIND LOADED "id,ttft_ms.mean,disputed\na,1,copied\n", "stand together"},
    {SOURCE KIND LOADED "id,ttft_ms.mean,flag\na,1,odd\n", "stand together"},
    {SOURCE KIND LOADED "id,ttft_ms.mean,disputed,flag\na,1,x,strange\n", "flag is 'strange'"},
    {SOURCE KIND LOADED "id,ttft_ms.mean\na,1,2\n", "the line has 3 cells, its header 2"},
    {SOURCE KIND LOADED "id,model_id,ttft_ms.mean\na,m,1\n", "model 'm' is not in the catalogue"},
    {SOURCE KIND LOADED "id,hardware_id,ttft_ms.mean\na,h,1\n", "hardware 'h' is not"},
    {SOURCE KIND LOADED "id,load_profile,ttft_ms.mean\na,calm,1\n", "load_profile is 'calm'"},
    {SOURCE KIND LOADED "id,sampler,ttft_ms.mean\na,moon,1\n", "sampler is 'moon'"},
    {"@source,s,paper\n" KIND LOADED "id,ttft_ms.mean\na,1\n", "has not 7 cells"},
    {SOURCE "@all,colour,red\n", "not a known column"},
    {"@source,s,paper,2026,,ftp://x,T\n" KIND LOADED "id,ttft_ms.mean\na,1\n", "is not a url"},
};

#define STUDY(MORE)                                                                                \
    "{\"id\":\"s\",\"kind\":\"study\",\"title\":\"S\",\"model\":\"m\",\"engine\":\"e\","           \
    "\"conditions\":{\"concurrency\":1,\"input_tokens\":8},\"metrics\":{}," MORE                   \
    "\"sources\":[{\"field\":\"metrics\",\"title\":\"t\",\"kind\":\"paper\",\"url\":\"https://x\"" \
    "}]}"
#define ROW(MORE) "\"rows\":[{\"row\":3,\"kind\":\"serving\"," MORE "}],"
#define SHARE(CLASS, SHARE) "{\"label\":\"l\",\"classes\":[\"" CLASS "\"],\"share\":" SHARE "}"

static const struct table_row STUDIES[] = {
    {STUDY(ROW("\"metrics\":{\"ttft_ms.mean\":5}")), NULL},
    {STUDY(ROW("\"conditions\":{\"input_tokens\":null},\"metrics\":{\"ttft_ms.mean\":5}")),
     "without the length"},
    {STUDY(ROW("\"metrics\":{\"ttft_ms.mean\":\"5\"}")), "ttft_ms is"},
    {STUDY(ROW("\"conditions\":{\"tp\":\"two\"},\"metrics\":{\"ttft_ms.mean\":5}")),
     "'tp' is no condition, or not of its type"},
    {STUDY(ROW("\"conditions\":{\"moon\":1},\"metrics\":{\"ttft_ms.mean\":5}")), "'moon'"},
    {STUDY(ROW("\"colour\":1,\"metrics\":{\"ttft_ms.mean\":5}")), "unknown field 'colour'"},
    {STUDY("\"rows\":[{\"kind\":\"serving\",\"metrics\":{\"ttft_ms.mean\":5}}],"),
     "'row' is missing"},
    {STUDY(ROW("\"shares\":[" SHARE("dense_gemm", "0.9") "]")), NULL},
    {STUDY(ROW("\"shares\":[" SHARE("gemm", "0.9") "]")), "'gemm' is no cost class"},
    {STUDY(ROW("\"shares\":[" SHARE("dense_gemm", "1.5") "]")), "'share' is 1.5"},
    {STUDY(ROW("\"shares\":[" SHARE("dense_gemm", "0.6") "," SHARE("sampling", "0.6") "]")),
     "add up to 1.2"},
    {STUDY(ROW("\"metrics\":{}")), "measures nothing"},
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

static void judge(const struct table_row *row, size_t at, const struct import *import,
                  const char *log)
{
    if (row->word ? !strstr(log, row->word) || import->faults == 0 : import->faults > 0) {
        fail_msg("row %zu, expected \"%s\": %s", at, row->word ? row->word : "no fault", log);
    }
}

static void tables_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(TABLES); i++) {
        char log[LOG_MAX] = "";
        char folder[SCRATCH_PATH_MAX];
        char path[SCRATCH_PATH_MAX];
        struct scratch scratch = scratch_new();
        struct import import = {.db = empty_store(), .log = fmemopen(log, sizeof(log), "w")};
        assert_non_null(import.log);
        assert_int_equal(mkdir(scratch_path(&scratch, "anchors", folder), 0700), 0);
        scratch_write(scratch_path(&scratch, "anchors/t.csv", path), TABLES[i].text,
                      strlen(TABLES[i].text));
        import_anchors(&import, scratch.folder);
        fclose(import.log);
        sqlite3_close(import.db);
        unlink(path);
        rmdir(folder);
        scratch_remove(&scratch);
        judge(&TABLES[i], i, &import, log);
    }
}

static void studies_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(STUDIES); i++) {
        char log[LOG_MAX] = "";
        struct import import = {.db = empty_store(), .log = fmemopen(log, sizeof(log), "w")};
        cJSON *record = cJSON_Parse(STUDIES[i].text);
        assert_non_null(import.log);
        assert_non_null(record);
        import_anchor_json(&import, record, STUDIES[i].text);
        cJSON_Delete(record);
        fclose(import.log);
        sqlite3_close(import.db);
        judge(&STUDIES[i], i, &import, log);
    }
}

/* A row takes what its study says and its own words win. */
static void rows_take_from_their_study(void **state)
{
    static const char TEXT[] =
        STUDY("\"notes\":\"of the study\"," ROW("\"conditions\":{\"input_tokens\":16,\"test\":"
                                                "\"x\"},\"metrics\":{\"ttft_ms.p99\":5}"));
    char log[LOG_MAX] = "";
    struct import import = {.db = empty_store(), .log = fmemopen(log, sizeof(log), "w")};
    cJSON *record = cJSON_Parse(TEXT);
    (void)state;
    import_anchor_json(&import, record, TEXT);
    cJSON_Delete(record);
    fclose(import.log);
    assert_int_equal(import.faults, 0);
    assert_int_equal(sql_number(import.db, "SELECT count(*) FROM anchors", -1), 2);
    assert_int_equal(sql_number(import.db,
                                "SELECT concurrency * 1000 + input_tokens FROM anchors WHERE id = "
                                "'s-row-3'",
                                -1),
                     1016);
    assert_int_equal(sql_number(import.db,
                                "SELECT count(*) FROM records WHERE id = 's-row-3' AND notes = '' "
                                "AND json_extract(doc, '$.conditions.test') = 'x' AND "
                                "json_extract(doc, '$.model') = 'm' AND json_extract(doc, "
                                "'$.model_id') IS NULL",
                                -1),
                     1);
    assert_int_equal(sql_number(import.db,
                                "SELECT value FROM anchor_metrics WHERE anchor_id = 's-row-3' AND "
                                "statistic = 'p99'",
                                -1),
                     5);
    sqlite3_close(import.db);
}

/* Beside the bundle: a figure that no H100 reaches is a fault unless it is disputed. */
static void impossible_figures_are_refused(void **state)
{
    static const char TEXT[] =
        SOURCE KIND "@all,model_id,llama-3.1-8b\n@all,hardware_id,h100-sxm\n@all,weights,bf16\n"
                    "@all,n_devices,1\n@all,concurrency,1\n@all,input_tokens,2048\n"
                    "@all,output_tokens,1\nid,tpot_ms.mean,disputed,flag\nslow,6.5,,\nfast,3.9,,\n"
                    "doubted,3.8,too fast,beyond_bound\n";
    char log[LOG_MAX] = "";
    char folder[SCRATCH_PATH_MAX];
    char path[SCRATCH_PATH_MAX];
    struct scratch scratch = scratch_new();
    struct import import = {.db = empty_store(), .log = fmemopen(log, sizeof(log), "w")};
    (void)state;
    assert_true(import_records(import.db, SOURCE_DIR "/db/records", import.log));
    rewind(import.log);
    assert_int_equal(mkdir(scratch_path(&scratch, "anchors", folder), 0700), 0);
    scratch_write(scratch_path(&scratch, "anchors/t.csv", path), TEXT, strlen(TEXT));
    import_anchors(&import, scratch.folder);
    fclose(import.log);
    sqlite3_close(import.db);
    unlink(path);
    rmdir(folder);
    scratch_remove(&scratch);
    if (import.faults != 1 || !strstr(log, "fast: tpot_ms is 3.9, its physical bound 4.4")) {
        fail_msg("%d faults: %s", import.faults, log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_checked),
        cmocka_unit_test(studies_are_checked),
        cmocka_unit_test(rows_take_from_their_study),
        cmocka_unit_test(impossible_figures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
