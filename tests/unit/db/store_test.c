/* Opening a store: from memory, made, kept, upgraded, refreshed, read-only, and refused. */
#include "store.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "compiler.h"
#include "migrate.h"
#include "scratch.h"
#include "sql.h"

#define RSS_MAX_KB 40000
#define N_THREADS 4
#define ROUNDS 2000

struct place {
    struct scratch scratch;
    char path[SCRATCH_PATH_MAX];
};

static int make_place(void **state)
{
    static struct place place;
    place.scratch = scratch_new();
    scratch_path(&place.scratch, "my.db", place.path);
    *state = &place;
    return 0;
}

static int remove_place(void **state)
{
    const struct place *place = *state;
    scratch_remove(&place->scratch);
    return 0;
}

static struct store *opened(const char *path)
{
    char error[STORE_ERROR_MAX] = "";
    struct store *store = NULL;
    if (!store_open(path, &store, error)) {
        fail_msg("%s", error);
    }
    return store;
}

static void refused(const char *path, const char *word)
{
    char error[STORE_ERROR_MAX] = "";
    struct store *store = NULL;
    assert_false(store_open(path, &store, error));
    assert_null(store);
    if (!strstr(error, word) || strncmp(error, path, strlen(path)) != 0) {
        fail_msg("expected \"%s\": %s", word, error);
    }
}

/* Runs SQL on the file behind the store's back. */
static void tamper(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static long long number_in(struct store *store, const char *sql)
{
    struct sqlite3_stmt *row = store_read(store, sql);
    assert_non_null(row);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    long long value = sqlite3_column_int64(row, 0);
    store_done(row);
    return value;
}

/* Resident kilobytes of this process. */
static long rss_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long total = 0;
    long resident = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &total, &resident), 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void memory_serves_and_takes_nothing(void **state)
{
    struct store *store = opened(NULL);
    (void)state;
    assert_null(store_path(store));
    assert_int_equal(store_schema_version(store), N_MIGRATIONS);
    assert_int_equal(number_in(store, "SELECT count(*) FROM hardware"), 158);
    print_message("%ld kB resident\n", rss_kb());
#ifndef __SANITIZE_ADDRESS__
    assert_true(rss_kb() < RSS_MAX_KB);
#endif
    /* Nothing can be written. */
    struct sqlite3_stmt *row = store_read(store, "DELETE FROM hardware");
    assert_true(!row || sqlite3_step(row) != SQLITE_DONE);
    store_done(row);
    store_close(store);
}

/* What happens to the file of an open store, and the word that says so. */
static void trouble_with_the_file_is_noticed(void **state)
{
    const struct place *place = *state;
    char aside[SCRATCH_PATH_MAX];
    char text[16] = "";
    struct store *memory = opened(NULL);
    assert_null(store_trouble(memory));
    store_close(memory);
    struct store *store = opened(place->path);
    assert_null(store_trouble(store));
    tamper(place->path,
           "CREATE TABLE more AS SELECT zeroblob(100000); PRAGMA wal_checkpoint(FULL)");
    assert_null(store_trouble(store));
    struct stat whole;
    assert_int_equal(stat(place->path, &whole), 0);
    assert_int_equal(rename(place->path, scratch_path(&place->scratch, "aside", aside)), 0);
    assert_non_null(strstr(store_trouble(store), "removed"));
    scratch_write(place->path, "another", 7);
    assert_non_null(strstr(store_trouble(store), "replaced"));
    assert_int_equal(rename(aside, place->path), 0);
    assert_null(store_trouble(store));
    FILE *file = fopen(place->path, "r+b");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof(text), file), sizeof(text));
    rewind(file);
    assert_int_equal(fwrite("no database here", 1, 16, file), 16);
    assert_int_equal(fflush(file), 0);
    assert_non_null(strstr(store_trouble(store), "no database"));
    rewind(file);
    assert_int_equal(fwrite(text, 1, sizeof(text), file), sizeof(text));
    assert_int_equal(fclose(file), 0);
    assert_null(store_trouble(store));
    assert_int_equal(truncate(place->path, whole.st_size - 4096), 0);
    assert_non_null(strstr(store_trouble(store), "cut"));
    assert_int_equal(truncate(place->path, 0), 0);
    assert_non_null(strstr(store_trouble(store), "cut"));
    store_close(store);
}

/* A creation that was killed leaves its file; the next start clears it away, and no other's. */
static void leftovers_of_a_creation_are_cleared(void **state)
{
    const struct place *place = *state;
    char gone[SCRATCH_PATH_MAX];
    char journal[SCRATCH_PATH_MAX];
    char alive[SCRATCH_PATH_MAX];
    char other[SCRATCH_PATH_MAX];
    char name[64];
    struct stat there;
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)snprintf(name, sizeof(name), "my.db.new-%ld", (long)child);
    scratch_write(scratch_path(&place->scratch, name, gone), "half", 4);
    (void)snprintf(name, sizeof(name), "my.db.new-%ld-journal", (long)child);
    scratch_write(scratch_path(&place->scratch, name, journal), "half", 4);
    (void)snprintf(name, sizeof(name), "my.db.new-%ld", (long)getppid());
    scratch_write(scratch_path(&place->scratch, name, alive), "half", 4);
    scratch_write(scratch_path(&place->scratch, "my.db.new-notes", other), "mine", 4);
    for (int start = 0; start < 2; start++) { /* making the file, and with it there */
        store_close(opened(place->path));
        assert_int_not_equal(stat(gone, &there), 0);
        assert_int_not_equal(stat(journal, &there), 0);
        assert_int_equal(stat(alive, &there), 0);
        assert_int_equal(stat(other, &there), 0);
        scratch_write(gone, "half", 4);
    }
}

static void a_missing_file_is_made_and_kept(void **state)
{
    const struct place *place = *state;
    struct store *store = opened(place->path);
    char revision[17];
    const struct catalogue *cat = store_catalogue(store);
    memcpy(revision, cat->revision, sizeof(revision));
    store_release(store, cat);
    assert_string_equal(store_path(store), place->path);
    store_close(store);
    store = opened(place->path);
    cat = store_catalogue(store);
    assert_string_equal(cat->revision, revision);
    assert_int_equal(cat->lib.n_hardware, 158);
    store_release(store, cat);
    store_close(store);
    sqlite3 *db = sql_open(place->path, SQLITE_OPEN_READONLY);
    char *mode = sql_text(db, "PRAGMA journal_mode");
    assert_string_equal(mode, "wal");
    free(mode);
    sqlite3_close(db);
}

static void an_older_file_is_copied_aside_and_migrated(void **state)
{
    const struct place *place = *state;
    const struct migrations first = {MIGRATIONS, 1};
    char error[STORE_ERROR_MAX];
    char copy[SCRATCH_PATH_MAX];
    sqlite3 *db = sql_open(place->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    assert_true(migrate_apply(db, place->path, &first, error));
    assert_true(
        sql_exec(db, "INSERT INTO records VALUES ('gap', 'mine', 'Mine', 0, 3, 'd', '', '{}')"));
    sqlite3_close(db);
    struct store *store = opened(place->path);
    assert_int_equal(store_schema_version(store), N_MIGRATIONS);
    assert_int_equal(number_in(store, "SELECT revision FROM records WHERE id = 'mine'"), 3);
    /* It had no records: those of the bundle came in. */
    assert_int_equal(number_in(store, "SELECT count(*) FROM hardware"), 158);
    store_close(store);
    db = sql_open(scratch_path(&place->scratch, "my.db.before-0002", copy), SQLITE_OPEN_READONLY);
    assert_non_null(db);
    assert_int_equal(sql_number(db, "PRAGMA user_version", -1), 1);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM records", -1), 1);
    sqlite3_close(db);
}

/* A file of an older bundle: a changed record, one that the bundle lacks, one of the user's own. */
static void bundled_records_are_refreshed(void **state)
{
    const struct place *place = *state;
    store_close(opened(place->path));
    tamper(place->path,
           "UPDATE store_info SET value = 'older' WHERE key = 'records_digest';"
           "UPDATE records SET doc = '{\"id\":\"h100-sxm\"}', digest = 'old' WHERE id = 'h100-sxm';"
           "DELETE FROM hardware_peaks WHERE hardware_id = 'h100-sxm';"
           "UPDATE hardware SET mem_bw_gbps = 1 WHERE id = 'h100-sxm';"
           "INSERT INTO records VALUES ('gap', 'gone', 'Gone', 1, 1, 'd', '', '{}');"
           "UPDATE records SET bundled = 0, doc = '{\"id\":\"mine\"}' WHERE kind = 'hardware' AND "
           "id = "
           "'a100-sxm-80gb';");
    struct store *store = opened(place->path);
    assert_int_equal(number_in(store, "SELECT mem_bw_gbps FROM hardware WHERE id = 'h100-sxm'"),
                     3350);
    assert_int_equal(
        number_in(store, "SELECT count(*) FROM hardware_peaks WHERE hardware_id = 'h100-sxm'"), 6);
    assert_int_equal(number_in(store,
                               "SELECT revision FROM records WHERE kind = 'hardware' AND id = "
                               "'h100-sxm'"),
                     2);
    assert_int_equal(number_in(store,
                               "SELECT count(*) FROM revisions WHERE record_id = 'h100-sxm' AND "
                               "action = 'refresh' AND previous_doc = '{\"id\":\"h100-sxm\"}'"),
                     1);
    /* Untouched records have no new revision. */
    assert_int_equal(number_in(store, "SELECT count(*) FROM revisions WHERE action = 'refresh'"),
                     1);
    assert_int_equal(number_in(store, "SELECT bundled FROM records WHERE id = 'gone'"), 0);
    assert_int_equal(number_in(store,
                               "SELECT count(*) FROM records WHERE kind = 'hardware' AND id = "
                               "'a100-sxm-80gb' AND doc = '{\"id\":\"mine\"}'"),
                     1);
    assert_int_equal(number_in(store, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    store_close(store);
    /* The second time there is nothing to do. */
    store = opened(place->path);
    assert_int_equal(number_in(store, "SELECT count(*) FROM revisions WHERE action = 'refresh'"),
                     1);
    store_close(store);
}

/* Every table that the bundle fills is refreshed: a migration that adds one is noticed here. The
 * rows of a virtual table are counted through itself, not through its shadow tables. */
static void no_table_is_forgotten(void **state)
{
    static const char TABLES[] =
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') "
        "AND "
        "name NOT LIKE 'sqlite_%' AND name NOT IN ('records', 'store_info', 'schema_migrations', "
        "'revisions', 'gap_counters')";
    const struct place *place = *state;
    char sql[200];
    store_close(opened(place->path));
    struct store *fresh = opened(NULL);
    struct sqlite3_stmt *table = store_read(fresh, TABLES);
    tamper(place->path, "UPDATE store_info SET value = 'older' WHERE key = 'records_digest'");
    while (sqlite3_step(table) == SQLITE_ROW) {
        (void)text_print(sql, sizeof(sql), "PRAGMA foreign_keys=OFF; DELETE FROM %s",
                         (const char *)sqlite3_column_text(table, 0));
        tamper(place->path, sql);
    }
    store_done(table);
    struct store *store = opened(place->path);
    table = store_read(fresh, TABLES);
    while (sqlite3_step(table) == SQLITE_ROW) {
        (void)text_print(sql, sizeof(sql), "SELECT count(*) FROM %s",
                         (const char *)sqlite3_column_text(table, 0));
        if (number_in(store, sql) != number_in(fresh, sql)) {
            fail_msg("%s is not refreshed", (const char *)sqlite3_column_text(table, 0));
        }
    }
    store_done(table);
    store_close(store);
    store_close(fresh);
}

/* Records of a later bundle stay: an older program does not turn them back. */
static void a_newer_bundle_stays(void **state)
{
    const struct place *place = *state;
    store_close(opened(place->path));
    tamper(place->path, "UPDATE store_info SET value = 'newer' WHERE key = 'records_digest';"
                        "UPDATE store_info SET value = '999999' WHERE key = 'records_serial';"
                        "UPDATE hardware SET mem_bw_gbps = 3351 WHERE id = 'h100-sxm';");
    struct store *store = opened(place->path);
    assert_int_equal(number_in(store, "SELECT mem_bw_gbps FROM hardware WHERE id = 'h100-sxm'"),
                     3351);
    store_close(store);
}

static const struct refusal {
    const char *sql, *word;
} REFUSALS[] = {
    {"PRAGMA application_id=1", "another program"},
    {"INSERT INTO schema_migrations VALUES (9999, 'x', printf('%064d', 0))", "is missing"},
    {"UPDATE schema_migrations SET sha256 = printf('%064d', 0) WHERE number = 1",
     "in another form"},
};

static void foreign_and_tampered_files_are_refused(void **state)
{
    const struct place *place = *state;
    for (size_t i = 0; i < ARRAY_LEN(REFUSALS); i++) {
        (void)unlink(place->path);
        store_close(opened(place->path));
        tamper(place->path, REFUSALS[i].sql);
        refused(place->path, REFUSALS[i].word);
    }
}

static void a_newer_file_is_refused(void **state)
{
    const struct place *place = *state;
    char sql[200];
    store_close(opened(place->path));
    (void)text_print(sql, sizeof(sql),
                     "INSERT INTO schema_migrations VALUES (%d, 'x', printf('%%064d', 0))",
                     N_MIGRATIONS + 1);
    tamper(place->path, sql);
    refused(place->path, "newer version");
}

static void what_is_no_database_is_refused(void **state)
{
    const struct place *place = *state;
    char big[20000];
    memset(big, 'x', sizeof(big));
    scratch_write(place->path, big, sizeof(big));
    refused(place->path, "not a SQLite database");
    scratch_write(place->path, "", 0);
    refused(place->path, "is empty");
    refused(place->scratch.folder, "is a directory");
    refused("/nonexistent/folder/my.db", "cannot be created");
}

static void a_truncated_file_is_refused(void **state)
{
    const struct place *place = *state;
    store_close(opened(place->path));
    assert_int_equal(truncate(place->path, 100000), 0);
    refused(place->path, "damaged");
}

/* Another process holds the file: it says so, after waiting, and works again afterwards. */
static void a_locked_file_is_said_to_be(void **state)
{
    const struct place *place = *state;
    const struct migrations first = {MIGRATIONS, 1};
    char error[STORE_ERROR_MAX];
    sqlite3 *db = sql_open(place->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    assert_true(migrate_apply(db, place->path, &first, error));
    assert_true(sql_exec(db, "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE"));
    refused(place->path, "locked");
    sqlite3_close(db);
    store_close(opened(place->path));
}

/* The image with the database in it: neither the file nor its folder can be written. Root may write
 * everywhere, so a child that is nobody tries. */
static void a_read_only_file_is_served(void **state)
{
    const struct place *place = *state;
    store_close(opened(place->path));
    assert_int_equal(chmod(place->path, 0444), 0);
    assert_int_equal(chmod(place->scratch.folder, 0555), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char error[STORE_ERROR_MAX];
        struct store *store = NULL;
        bool good = (getuid() != 0 || setuid(65534) == 0) && store_open(place->path, &store, error);
        if (good) {
            struct sqlite3_stmt *row = store_read(store, "SELECT count(*) FROM hardware");
            good = row && sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0) == 158;
            store_done(row);
            store_close(store);
        } else {
            (void)fprintf(stderr, "%s\n", error);
        }
        _exit(good ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(place->scratch.folder, 0755), 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Readers hold snapshots while another thread swaps them. */
struct reading {
    struct store *store;
    int bad;
};

static void *read_snapshots(void *ctx)
{
    struct reading *reading = ctx;
    struct store *store = reading->store;
    int bad = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const struct catalogue *cat = store_catalogue(store);
        bad += cat->lib.n_hardware != 158 || strcmp(cat->lib.hardware[0].id, "a10") != 0;
        store_release(store, cat);
    }
    struct sqlite3_stmt *row = store_read(store, "SELECT count(*) FROM hardware");
    bad += !row || sqlite3_step(row) != SQLITE_ROW || sqlite3_column_int(row, 0) != 158;
    store_done(row);
    reading->bad = bad;
    return NULL;
}

static void snapshots_are_swapped_under_readers(void **state)
{
    struct store *store = opened(NULL);
    pthread_t threads[N_THREADS];
    struct reading readings[N_THREADS];
    char error[STORE_ERROR_MAX];
    const struct catalogue *held = store_catalogue(store);
    (void)state;
    for (int i = 0; i < N_THREADS; i++) {
        readings[i] = (struct reading){store, -1};
        assert_int_equal(pthread_create(&threads[i], NULL, read_snapshots, &readings[i]), 0);
    }
    for (int i = 0; i < 10; i++) {
        assert_true(store_reload(store, error));
    }
    for (int i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(readings[i].bad, 0);
    }
    /* The one held since before is still whole, and is not the current one. */
    const struct catalogue *now = store_catalogue(store);
    assert_ptr_not_equal(held, now);
    assert_string_equal(held->lib.hardware[0].id, "a10");
    store_release(store, now);
    store_release(store, held);
    store_close(store);
}

/* A thread's connection goes to the next thread; statements are reset whatever was left of them. */
static void statements_are_reset(void **state)
{
    struct store *store = opened(NULL);
    (void)state;
    struct sqlite3_stmt *row =
        store_read(store, "SELECT id FROM hardware WHERE id > ?1 ORDER BY id");
    assert_int_equal(sqlite3_bind_text(row, 1, "h100", -1, SQLITE_STATIC), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    store_done(row);
    row = store_read(store, "SELECT id FROM hardware WHERE id > ?1 ORDER BY id");
    assert_int_equal(sqlite3_step(row), SQLITE_DONE);
    store_done(row);
    store_done(NULL);
    assert_null(store_read(store, "SELECT nonsense FROM nowhere"));
    /* More statements than a connection keeps. */
    for (int i = 0; i < 200; i++) {
        char sql[60];
        (void)text_print(sql, sizeof(sql), "SELECT %d", i);
        assert_int_equal(number_in(store, sql), i);
    }
    /* A query without an end is stopped. */
    row =
        store_read(store, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
                          "count(*) FROM n");
    assert_int_equal(sqlite3_step(row), SQLITE_INTERRUPT);
    store_done(row);
    store_close(store);
    store_close(NULL);
}

/* A thread asks for more statements than are kept while it reads from one of them, and from one
 * that it has not stepped yet. */
static void a_statement_in_use_outlives_many_others(void **state)
{
    struct store *store = opened(NULL);
    struct sqlite3_stmt *row = store_read(store, "SELECT id FROM hardware ORDER BY id");
    int n = 0;
    (void)state;
    assert_non_null(row);
    while (sqlite3_step(row) == SQLITE_ROW) {
        char sql[60];
        snprintf(sql, sizeof(sql), "SELECT %d", n);
        struct sqlite3_stmt *fresh = store_read(store, "SELECT 7");
        assert_int_equal(number_in(store, sql), n);
        assert_int_equal(sqlite3_step(fresh), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(fresh, 0), 7);
        store_done(fresh);
        n++;
    }
    store_done(row);
    assert_int_equal(n, 158);
    assert_int_equal(number_in(store, "SELECT 3"), 3);
    store_close(store);
}

#define IN_PLACE(TEST) cmocka_unit_test_setup_teardown(TEST, make_place, remove_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_serves_and_takes_nothing),
        IN_PLACE(trouble_with_the_file_is_noticed),
        IN_PLACE(leftovers_of_a_creation_are_cleared),
        IN_PLACE(a_missing_file_is_made_and_kept),
        IN_PLACE(an_older_file_is_copied_aside_and_migrated),
        IN_PLACE(bundled_records_are_refreshed),
        IN_PLACE(no_table_is_forgotten),
        IN_PLACE(a_newer_bundle_stays),
        IN_PLACE(foreign_and_tampered_files_are_refused),
        IN_PLACE(a_newer_file_is_refused),
        IN_PLACE(what_is_no_database_is_refused),
        IN_PLACE(a_truncated_file_is_refused),
        IN_PLACE(a_locked_file_is_said_to_be),
        IN_PLACE(a_read_only_file_is_served),
        cmocka_unit_test(snapshots_are_swapped_under_readers),
        cmocka_unit_test(statements_are_reset),
        cmocka_unit_test(a_statement_in_use_outlives_many_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
