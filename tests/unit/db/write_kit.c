#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sql.h"
#include "store_refresh.h"
#include "write_kit.h"

const char MOST_CUT[] =
    "CREATE TEMP TABLE cut AS SELECT kind, id FROM records WHERE kind = 'anchor' AND id NOT IN "
    "(SELECT id FROM anchors WHERE anchor_kind IN ('attribution', 'host') OR number % 100 = 0) "
    "UNION ALL SELECT 'calibration', id FROM calibrations WHERE type IN ('local_fit', 'op_fit', "
    "'collective_fit') AND rowid % 20 > 0 UNION ALL SELECT 'price', id FROM prices WHERE rowid % 8 "
    "> 0;"
    "DELETE FROM predictions WHERE anchor_id IN (SELECT id FROM cut);"
    "DELETE FROM residual_notes WHERE anchor_id IN (SELECT id FROM cut);"
    "DELETE FROM anchor_metrics WHERE anchor_id IN (SELECT id FROM cut);"
    "DELETE FROM anchor_shares WHERE anchor_id IN (SELECT id FROM cut);"
    "DELETE FROM local_fits WHERE calibration_id IN (SELECT id FROM cut);"
    "DELETE FROM op_fits WHERE calibration_id IN (SELECT id FROM cut);"
    "DELETE FROM collective_fits WHERE calibration_id IN (SELECT id FROM cut);"
    "DELETE FROM calibrations WHERE id IN (SELECT id FROM cut);"
    "DELETE FROM prices WHERE id IN (SELECT id FROM cut);"
    "DELETE FROM anchors WHERE id IN (SELECT id FROM cut);"
    "INSERT INTO cut SELECT 'model', id FROM models WHERE id NOT IN (SELECT model_id FROM anchors "
    "WHERE model_id IS NOT NULL UNION SELECT model_id FROM capacity WHERE model_id IS NOT NULL "
    "UNION SELECT name FROM launch_subjects UNION SELECT record_id FROM claim_records);"
    "DELETE FROM model_layer_groups WHERE model_id IN (SELECT id FROM cut);"
    "DELETE FROM model_extras WHERE model_id IN (SELECT id FROM cut);"
    "DELETE FROM models WHERE id IN (SELECT id FROM cut);"
    "INSERT INTO cut SELECT 'hardware', id FROM hardware WHERE id NOT IN (SELECT hardware_id FROM "
    "anchors WHERE hardware_id IS NOT NULL UNION SELECT hardware_id FROM capacity WHERE "
    "hardware_id IS NOT NULL UNION SELECT hardware_id FROM prices UNION SELECT hardware_id FROM "
    "calibrations WHERE hardware_id IS NOT NULL UNION SELECT name FROM launch_subjects UNION "
    "SELECT record_id FROM claim_records);"
    "DELETE FROM hardware_peaks WHERE hardware_id IN (SELECT id FROM cut);"
    "DELETE FROM hardware WHERE id IN (SELECT id FROM cut);"
    "DELETE FROM disputes WHERE (kind, record_id) IN (SELECT kind, id FROM cut);"
    "DELETE FROM provenance WHERE (kind, record_id) IN (SELECT kind, id FROM cut);"
    "DELETE FROM sources WHERE id NOT IN (SELECT source_id FROM provenance);"
    "INSERT INTO cut SELECT kind, id FROM records WHERE kind = 'source' AND id NOT IN (SELECT id "
    "FROM sources);"
    "DELETE FROM aliases WHERE (kind, record_id) IN (SELECT kind, id FROM cut);"
    "DELETE FROM search WHERE (kind, record_id) IN (SELECT kind, id FROM cut);"
    "DELETE FROM records WHERE (kind, id) IN (SELECT kind, id FROM cut);";

int bench_make(void **state)
{
    struct bench *bench = calloc(1, sizeof(*bench));
    struct scratch scratch = scratch_new();
    char error[STORE_ERROR_MAX];
    assert_non_null(bench);
    snprintf(bench->folder, sizeof(bench->folder), "%s", scratch.folder);
    scratch_path(&scratch, "my.db", bench->path);
    if (!store_open(bench->path, &bench->store, error)) {
        fail_msg("%s", error);
    }
    *state = bench;
    return 0;
}

int bench_drop(void **state)
{
    struct bench *bench = *state;
    struct scratch scratch;
    store_close(bench->store);
    snprintf(scratch.folder, sizeof(scratch.folder), "%s", bench->folder);
    scratch_remove(&scratch);
    free(bench);
    return 0;
}

static void keep_fault(void *ctx, const char *pointer, const char *text)
{
    struct bench *bench = ctx;
    size_t used = strlen(bench->faults);
    snprintf(bench->faults + used, sizeof(bench->faults) - used, "%s %s\n", pointer, text);
}

void bench_write(struct bench *bench, const struct write *write, const char *record,
                 struct write_outcome *ret_outcome)
{
    struct write whole = *write;
    cJSON *tree = cJSON_Parse(record);
    assert_non_null(tree);
    bench->faults[0] = '\0';
    whole.record = tree;
    whole.doc = record;
    whole.author = "tester";
    whole.sink = keep_fault;
    whole.sink_ctx = bench;
    store_write(bench->store, &whole, ret_outcome);
    cJSON_Delete(tree);
}

bool bench_fault(const struct bench *bench, const char *pointer, const char *word)
{
    size_t length = strlen(pointer);
    for (const char *line = bench->faults; *line; line = strchr(line, '\n') + 1) {
        const char *found = strstr(line, word);
        if (strncmp(line, pointer, length) == 0 && line[length] == ' ' && found &&
            found < strchr(line, '\n') + 1) {
            return true;
        }
    }
    return false;
}

static sqlite3_stmt *first_row(struct bench *bench, const char *sql)
{
    sqlite3_stmt *row = store_read(bench->store, sql);
    if (!row || sqlite3_step(row) != SQLITE_ROW) {
        fail_msg("no row: %s", sql);
    }
    return row;
}

long long bench_number(struct bench *bench, const char *sql)
{
    sqlite3_stmt *row = first_row(bench, sql);
    long long value = sqlite3_column_int64(row, 0);
    store_done(row);
    return value;
}

void bench_text_of(struct bench *bench, const char *sql, char *ret_text, size_t size)
{
    sqlite3_stmt *row = first_row(bench, sql);
    const char *text = (const char *)sqlite3_column_text(row, 0);
    snprintf(ret_text, size, "%s", text ? text : "");
    store_done(row);
}

void bench_run(struct bench *bench, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(bench->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

sqlite3 *memory_copy(sqlite3 *from)
{
    sqlite3 *to = sql_open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    assert_non_null(backup);
    assert_int_equal(sqlite3_backup_step(backup, -1), SQLITE_DONE);
    assert_int_equal(sqlite3_backup_finish(backup), SQLITE_OK);
    return to;
}

sqlite3 *bundle_copy(void)
{
    sqlite3 *from = embedded_open();
    sqlite3 *to = memory_copy(from);
    sqlite3_close(from);
    return to;
}
