/* Copies of a store: made beside a writer, verified, put back, and refused. */
#include "store_backup.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"
#include "migrate.h"
#include "scratch.h"
#include "sql.h"

#define COPIES 5

struct place {
    struct scratch scratch;
    char db[SCRATCH_PATH_MAX], copy[SCRATCH_PATH_MAX];
};

static int make_place(void **state)
{
    static struct place place;
    place.scratch = scratch_new();
    scratch_path(&place.scratch, "my.db", place.db);
    scratch_path(&place.scratch, "copy.db", place.copy);
    *state = &place;
    return 0;
}

static int remove_place(void **state)
{
    const struct place *place = *state;
    scratch_remove(&place->scratch);
    return 0;
}

static void write_rows(sqlite3 *db, const char *sql)
{
    if (!sql_exec(db, sql)) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
}

static void closed(sqlite3 *db)
{
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* A store of this program's schema without a record, open as a daemon has it. */
static sqlite3 *made(const char *path)
{
    const struct migrations known = {MIGRATIONS, N_MIGRATIONS};
    char error[STORE_ERROR_MAX] = "";
    sqlite3 *db = sql_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    assert_non_null(db);
    if (!migrate_apply(db, path, &known, error)) {
        fail_msg("%s", error);
    }
    write_rows(db, "PRAGMA journal_mode=WAL");
    return db;
}

static long long number_of(const char *path, const char *sql)
{
    sqlite3 *db = sql_open(path, SQLITE_OPEN_READONLY);
    assert_non_null(db);
    long long number = sql_number(db, sql, -1);
    closed(db);
    return number;
}

static bool is_there(const char *path, const char *suffix)
{
    char name[STORE_ASIDE_MAX + 8];
    struct stat there;
    snprintf(name, sizeof(name), "%s%s", path, suffix);
    return stat(name, &there) == 0;
}

static void backed_up(const struct place *place)
{
    char error[STORE_ERROR_MAX] = "";
    struct store_state state;
    if (!store_backup(place->db, place->copy, &state, error)) {
        fail_msg("%s", error);
    }
    assert_int_equal(state.version, N_MIGRATIONS);
}

static void a_copy_has_what_stands_in_the_log(void **state)
{
    const struct place *place = *state;
    char error[STORE_ERROR_MAX] = "";
    struct store_state found;
    sqlite3 *store = made(place->db);
    write_rows(store, "CREATE TABLE kept(n INTEGER) STRICT");
    backed_up(place);
    closed(store);
    assert_int_equal(number_of(place->copy, "SELECT count(*) FROM kept"), 0);
    assert_false(is_there(place->copy, "-wal"));
    assert_false(store_backup(place->db, place->copy, &found, error));
    assert_non_null(strstr(error, "overwrites nothing"));
}

static atomic_bool ended;

/* Two rows per transaction: a copy of one moment has an even number of them. */
static void *write_on(void *store)
{
    while (!atomic_load(&ended)) {
        write_rows(store, "BEGIN IMMEDIATE; INSERT INTO pairs VALUES (1); INSERT INTO pairs VALUES "
                          "(2); COMMIT");
    }
    return NULL;
}

static void copies_beside_a_writer_are_of_one_moment(void **state)
{
    struct place place = *(struct place *)*state;
    sqlite3 *store = made(place.db);
    pthread_t writer;
    write_rows(store, "CREATE TABLE pairs(n INTEGER) STRICT");
    atomic_store(&ended, false);
    assert_int_equal(pthread_create(&writer, NULL, write_on, store), 0);
    for (int i = 0; i < COPIES; i++) {
        char name[20];
        snprintf(name, sizeof(name), "copy-%d.db", i);
        backed_up((scratch_path(&place.scratch, name, place.copy), &place));
        assert_int_equal(number_of(place.copy, "SELECT count(*) % 2 FROM pairs"), 0);
    }
    atomic_store(&ended, true);
    pthread_join(writer, NULL);
    closed(store);
}

static void a_copy_is_put_back_and_the_old_file_kept(void **state)
{
    const struct place *place = *state;
    char error[STORE_ERROR_MAX] = "", aside[STORE_ASIDE_MAX];
    struct store_state found;
    sqlite3 *store = made(place->db);
    write_rows(store, "CREATE TABLE kept(n INTEGER) STRICT; INSERT INTO kept VALUES (1)");
    backed_up(place);
    write_rows(store, "INSERT INTO kept VALUES (2)");
    closed(store);
    assert_true(store_restore(place->copy, place->db, &found, aside, error));
    assert_int_equal(number_of(place->db, "SELECT count(*) FROM kept"), 1);
    assert_int_equal(number_of(aside, "SELECT count(*) FROM kept"), 2);
    assert_true(is_there(place->copy, ""));
}

/* The log of another file would be applied to the one put back, were it left there. */
static void no_log_is_left_beside_what_is_put_back(void **state)
{
    const struct place *place = *state;
    char error[STORE_ERROR_MAX] = "", aside[STORE_ASIDE_MAX], log[SCRATCH_PATH_MAX + 8];
    struct store_state found;
    closed(made(place->db));
    backed_up(place);
    snprintf(log, sizeof(log), "%s-wal", place->db);
    scratch_write(log, "left by a killed process", 24);
    scratch_write(place->db, "destroyed", 9);
    assert_true(store_restore(place->copy, place->db, &found, aside, error));
    assert_false(is_there(place->db, "-wal"));
    assert_true(is_there(aside, "-wal"));
    assert_true(store_verify(place->db, &found, error));
    /* where nothing is, nothing is kept */
    assert_int_equal(unlink(place->db), 0);
    assert_true(store_restore(place->copy, place->db, &found, aside, error));
    assert_string_equal(aside, "");
}

/* A log that one great transaction made long is short again after the next ones: it is written from
 * its beginning once it was taken over, and cut to 4 MiB then. */
static void the_log_is_cut(void **state)
{
    const struct place *place = *state;
    char log[SCRATCH_PATH_MAX + 8];
    struct stat there;
    sqlite3 *db = made(place->db);
    snprintf(log, sizeof(log), "%s-wal", place->db);
    write_rows(db, "CREATE TABLE blobs(b BLOB) STRICT");
    write_rows(db, "BEGIN; INSERT INTO blobs VALUES (zeroblob(12000000)); COMMIT");
    assert_int_equal(stat(log, &there), 0);
    assert_true(there.st_size > 12000000);
    write_rows(db, "INSERT INTO blobs VALUES (x'00')");
    write_rows(db, "INSERT INTO blobs VALUES (x'01')");
    assert_int_equal(stat(log, &there), 0);
    assert_true(there.st_size <= 4194304);
    closed(db);
    assert_false(is_there(place->db, "-wal"));
}

/* What is done to a store, each to what the one before left. */
static void make_newer(const char *path)
{
    sqlite3 *db = sql_open(path, SQLITE_OPEN_READWRITE);
    assert_true(sql_exec(db, "PRAGMA user_version=9999"));
    closed(db);
}

static void overwrite_a_page(const char *path)
{
    char noise[4096];
    sqlite3 *db = sql_open(path, SQLITE_OPEN_READWRITE);
    long long page = sql_number(db, "SELECT rootpage FROM sqlite_master WHERE name='models'", 0);
    snprintf(noise, sizeof(noise), "PRAGMA user_version=%d", N_MIGRATIONS);
    assert_true(sql_exec(db, noise));
    closed(db);
    memset(noise, 0x5a, sizeof(noise));
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)((page - 1) * 4096), SEEK_SET), 0);
    assert_int_equal(fwrite(noise, 1, sizeof(noise), file), sizeof(noise));
    fclose(file);
}

static void cut_in_half(const char *path)
{
    struct stat there;
    assert_int_equal(stat(path, &there), 0);
    assert_int_equal(truncate(path, there.st_size / 2 / 4096 * 4096), 0);
}

static void make_a_text(const char *path)
{
    scratch_write(path, "no database, but a text of some length", 38);
}

static void make_empty(const char *path)
{
    assert_int_equal(truncate(path, 0), 0);
}

static void make_foreign(const char *path)
{
    sqlite3 *db = sql_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    assert_true(sql_exec(db, "CREATE TABLE t(a)"));
    closed(db);
}

static void make_none(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

static const struct {
    void (*make)(const char *path);
    const char *says;
} DAMAGES[] = {
    {make_newer, "user_version"}, {overwrite_a_page, "is damaged"},
    {cut_in_half, "is damaged"},  {make_a_text, "not a SQLite database"},
    {make_empty, "is empty"},     {make_foreign, "another program"},
    {make_none, "no such file"},
};

static void what_is_no_sound_store_is_neither_copied_nor_put_back(void **state)
{
    const struct place *place = *state;
    char error[STORE_ERROR_MAX], aside[STORE_ASIDE_MAX], other[SCRATCH_PATH_MAX];
    struct store_state found;
    scratch_path(&place->scratch, "other.db", other);
    closed(made(place->db));
    for (size_t i = 0; i < ARRAY_LEN(DAMAGES); i++) {
        DAMAGES[i].make(place->db);
        assert_false(store_verify(place->db, &found, error));
        if (!strstr(error, DAMAGES[i].says)) {
            fail_msg("expected \"%s\": %s", DAMAGES[i].says, error);
        }
        assert_false(store_backup(place->db, place->copy, &found, error));
        assert_false(store_restore(place->db, other, &found, aside, error));
        assert_false(is_there(place->copy, ""));
        assert_false(is_there(other, ""));
    }
    assert_false(store_backup(place->db, "/no/such/folder/copy.db", &found, error));
}

static unsigned rights_of(const char *path)
{
    struct stat there;
    assert_int_equal(stat(path, &there), 0);
    return there.st_mode & 0777;
}

/* A store that others may not read holds the hashes of tokens: nor may they read its copy. */
static void a_copy_is_for_those_of_its_store(void **state)
{
    const struct place *place = *state;
    char error[STORE_ERROR_MAX] = "", aside[STORE_ASIDE_MAX];
    struct store_state found;
    mode_t mask = umask(022);
    closed(made(place->db));
    assert_int_equal(chmod(place->db, 0600), 0);
    backed_up(place);
    assert_int_equal(rights_of(place->copy), 0600);
    /* what is put back is for those of what it replaces */
    assert_int_equal(chmod(place->db, 0660), 0);
    assert_true(store_restore(place->copy, place->db, &found, aside, error));
    assert_int_equal(rights_of(place->db), 0660);
    umask(mask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_copy_has_what_stands_in_the_log, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(copies_beside_a_writer_are_of_one_moment, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(a_copy_is_put_back_and_the_old_file_kept, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(no_log_is_left_beside_what_is_put_back, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(the_log_is_cut, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_copy_is_for_those_of_its_store, make_place, remove_place),
        cmocka_unit_test_setup_teardown(what_is_no_sound_store_is_neither_copied_nor_put_back,
                                        make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
