/* Migrations: applied once and whole, and every way in which a file can be another than it should.
 */
#include "migrate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"
#include "scratch.h"
#include "sql.h"

static const char FIRST[] =
    "CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT, "
    "sha256 TEXT) STRICT; CREATE TABLE part (id TEXT PRIMARY KEY) STRICT;";
static const char SECOND[] = "CREATE TABLE peak (part TEXT REFERENCES part (id)) STRICT;";
static const char DANGLING[] = "INSERT INTO peak VALUES ('nobody');";
static const char BROKEN[] = "CREATE TABLE half (a TEXT) STRICT; CREATE NONSENSE;";

#define MIGRATION(NUMBER, SQL)                                                                     \
    {                                                                                              \
        (NUMBER), #SQL, SQL, sizeof(SQL) - 1                                                       \
    }

static const struct migration ITEMS[] = {MIGRATION(1, FIRST), MIGRATION(2, SECOND),
                                         MIGRATION(3, DANGLING)};
static const struct migration BAD_SECOND[] = {MIGRATION(1, FIRST), MIGRATION(2, BROKEN)};

static sqlite3 *memory(void)
{
    sqlite3 *db = sql_open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    assert_non_null(db);
    return db;
}

static sqlite3 *migrated(int n)
{
    const struct migrations all = {ITEMS, n};
    char error[STORE_ERROR_MAX];
    sqlite3 *db = memory();
    assert_true(migrate_apply(db, "test", &all, error));
    return db;
}

static void all_are_applied_once(void **state)
{
    const struct migrations all = {ITEMS, 2};
    char error[STORE_ERROR_MAX];
    int version = 0;
    sqlite3 *db = migrated(2);
    (void)state;
    assert_true(migrate_apply(db, "test", &all, error));
    assert_true(migrate_check(db, "test", &all, &version, error));
    assert_int_equal(version, 2);
    assert_int_equal(sql_number(db, "PRAGMA user_version", -1), 2);
    assert_int_equal(sql_number(db, "PRAGMA application_id", -1), REGIME_APPLICATION_ID);
    assert_int_equal(sql_number(db, "PRAGMA foreign_keys", -1), 1);
    sqlite3_close(db);
}

static void a_failing_one_leaves_nothing(void **state)
{
    const struct migrations bad = {BAD_SECOND, 2};
    const struct migrations dangling = {ITEMS, 3};
    char error[STORE_ERROR_MAX];
    sqlite3 *db = migrated(1);
    (void)state;
    assert_false(migrate_apply(db, "test", &bad, error));
    assert_non_null(strstr(error, "BROKEN failed"));
    assert_int_equal(sql_number(db, "PRAGMA user_version", -1), 1);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'", -1),
                     0);
    assert_false(migrate_apply(db, "test", &dangling, error));
    assert_non_null(strstr(error, "without what they refer to"));
    assert_int_equal(sql_number(db, "PRAGMA user_version", -1), 2);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM peak", -1), 0);
    sqlite3_close(db);
}

/* What is done to a good file, and a word of the sentence that refuses it. */
static const struct tampering {
    const char *sql, *word;
} TAMPERINGS[] = {
    {"PRAGMA application_id=7", "another program"},
    {"UPDATE schema_migrations SET sha256 = replace(sha256, substr(sha256, 1, 1), 'x') WHERE "
     "number = 2",
     "SECOND was applied in another form"},
    {"DELETE FROM schema_migrations WHERE number = 1", "0001 is missing"},
    {"INSERT INTO schema_migrations VALUES (3, 'future', 'x')",
     "newer version: it has migration 0003"},
    {"PRAGMA user_version=9", "user_version"},
    {"DROP TABLE schema_migrations", "no such table"},
};

static void tampered_files_are_refused(void **state)
{
    const struct migrations all = {ITEMS, 2};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(TAMPERINGS); i++) {
        char error[STORE_ERROR_MAX] = "";
        int version = -1;
        sqlite3 *db = migrated(2);
        assert_true(sql_exec(db, TAMPERINGS[i].sql));
        assert_false(migrate_check(db, "my.db", &all, &version, error));
        assert_int_equal(version, -1);
        assert_int_equal(strncmp(error, "my.db: ", 7), 0);
        if (!strstr(error, TAMPERINGS[i].word)) {
            fail_msg("%s: %s", TAMPERINGS[i].sql, error);
        }
        sqlite3_close(db);
    }
}

static void copies_are_numbered(void **state)
{
    struct scratch scratch = scratch_new();
    char path[SCRATCH_PATH_MAX];
    char copy[SCRATCH_PATH_MAX];
    char error[STORE_ERROR_MAX];
    const struct migrations all = {ITEMS, 2};
    (void)state;
    scratch_path(&scratch, "my.db", path);
    sqlite3 *db = sql_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    assert_true(migrate_apply(db, path, &all, error));
    assert_true(sql_exec(db, "INSERT INTO part VALUES ('kept')"));
    assert_true(migrate_copy_aside(db, path, 3, error));
    assert_true(migrate_copy_aside(db, path, 3, error));
    sqlite3_close(db);
    assert_int_equal(access(scratch_path(&scratch, "my.db.before-0003.1", copy), F_OK), 0);
    db = sql_open(scratch_path(&scratch, "my.db.before-0003", copy), SQLITE_OPEN_READWRITE);
    int version = 0;
    assert_true(migrate_check(db, copy, &all, &version, error));
    assert_int_equal(sql_number(db, "SELECT count(*) FROM part WHERE id = 'kept'", -1), 1);
    sqlite3_close(db);
    scratch_remove(&scratch);
}

/* The program's own: every one applies, and a second run changes nothing. */
static void the_programs_own_migrations_apply(void **state)
{
    const struct migrations own = {MIGRATIONS, N_MIGRATIONS};
    char error[STORE_ERROR_MAX];
    int version = 0;
    sqlite3 *db = memory();
    (void)state;
    if (!migrate_apply(db, "own", &own, error)) {
        fail_msg("%s", error);
    }
    assert_true(migrate_check(db, "own", &own, &version, error));
    assert_int_equal(version, N_MIGRATIONS);
    assert_false(sql_exec(db, "SELECT \"nosuch\" FROM records"));
    assert_false(sql_exec(db, "INSERT INTO model_extras VALUES ('nobody', 0, 'x', 1, 1)"));
    assert_true(sql_exec(db,
                         "INSERT INTO revisions (kind, record_id, revision, action, at, author, "
                         "digest) VALUES ('model', 'm', 1, 'add', 'now', 'me', 'd')"));
    assert_false(sql_exec(db, "UPDATE revisions SET author = 'you'"));
    assert_false(sql_exec(db, "DELETE FROM revisions"));
    sqlite3_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_applied_once),
        cmocka_unit_test(a_failing_one_leaves_nothing),
        cmocka_unit_test(tampered_files_are_refused),
        cmocka_unit_test(copies_are_numbered),
        cmocka_unit_test(the_programs_own_migrations_apply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
