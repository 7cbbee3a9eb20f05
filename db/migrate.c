#include "migrate.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "digest.h"
#include "sql.h"

#define COPIES_MAX 100
#define PATH_TEXT_MAX 4096

static bool refuse(char ret_error[STORE_ERROR_MAX], const char *name, const char *why)
{
    (void)text_print(ret_error, STORE_ERROR_MAX, "%s: %s", name, why);
    return false;
}

static bool refuse_sqlite(char ret_error[STORE_ERROR_MAX], const char *name, sqlite3 *db)
{
    sql_explain(db, name, ret_error, STORE_ERROR_MAX);
    return false;
}

static void migration_digest(const struct migration *migration, char ret_hex[DIGEST_HEX_MAX])
{
    digest_text(migration->sql, migration->length, ret_hex);
}

/* One applied migration against the one known by that number. */
static bool check_applied(sqlite3_stmt *row, const struct migrations *known, int expected,
                          const char *name, char ret_error[STORE_ERROR_MAX])
{
    char why[STORE_ERROR_MAX / 2];
    char hex[DIGEST_HEX_MAX];
    int number = sqlite3_column_int(row, 0);
    if (number != expected) {
        (void)text_print(why, sizeof(why), "migration %04d is missing from its history", expected);
        return refuse(ret_error, name, why);
    }
    if (number > known->n) {
        (void)text_print(
            why, sizeof(why),
            "was written by a newer version: it has migration %04d, this program knows "
            "%04d at most",
            number, known->n);
        return refuse(ret_error, name, why);
    }
    const struct migration *migration = &known->items[number - 1];
    migration_digest(migration, hex);
    const char *applied = (const char *)sqlite3_column_text(row, 1);
    if (!applied || strcmp(applied, hex) != 0) {
        (void)text_print(why, sizeof(why),
                         "migration %s was applied in another form than this program has it",
                         migration->name);
        return refuse(ret_error, name, why);
    }
    return true;
}

bool migrate_check(sqlite3 *db, const char *name, const struct migrations *known, int *ret_version,
                   char ret_error[STORE_ERROR_MAX])
{
    long long id = sql_number(db, "PRAGMA application_id", -1);
    if (id < 0) {
        return refuse_sqlite(ret_error, name, db);
    }
    if (id != REGIME_APPLICATION_ID) {
        return refuse(ret_error, name, "is a database of another program");
    }
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(db, "SELECT number, sha256 FROM schema_migrations ORDER BY number", -1,
                           &row, NULL) != SQLITE_OK) {
        return refuse_sqlite(ret_error, name, db);
    }
    int version = 0;
    bool good = true;
    int rc = sqlite3_step(row);
    for (; good && rc == SQLITE_ROW; rc = sqlite3_step(row)) {
        good = check_applied(row, known, ++version, name, ret_error);
        if (!good) {
            break;
        }
    }
    if (good && rc != SQLITE_DONE) {
        good = refuse_sqlite(ret_error, name, db);
    }
    sqlite3_finalize(row);
    if (good && sql_number(db, "PRAGMA user_version", -1) != version) {
        good = refuse(ret_error, name, "its user_version and its history of migrations differ");
    }
    if (good) {
        *ret_version = version;
    }
    return good;
}

/* Inside a transaction: the statements of one migration and its entry. */
static bool apply_statements(sqlite3 *db, const struct migration *migration)
{
    char hex[DIGEST_HEX_MAX];
    char pragma[80];
    migration_digest(migration, hex);
    (void)text_print(pragma, sizeof(pragma), "PRAGMA user_version=%d;PRAGMA application_id=%d",
                     migration->number, REGIME_APPLICATION_ID);
    return sql_exec(db, migration->sql) &&
           sql_run(db, "INSERT INTO schema_migrations VALUES (?1, ?2, ?3)", "itt",
                   migration->number, migration->name, hex) &&
           sql_exec(db, pragma);
}

static bool apply_one(sqlite3 *db, const char *name, const struct migration *migration,
                      char ret_error[STORE_ERROR_MAX])
{
    if (!sql_exec(db, "BEGIN IMMEDIATE")) {
        return refuse_sqlite(ret_error, name, db);
    }
    bool good = sql_number(db, "PRAGMA user_version", 0) >= migration->number;
    if (!good && !apply_statements(db, migration)) {
        char why[STORE_ERROR_MAX / 2];
        (void)text_print(why, sizeof(why), "migration %s failed: %s", migration->name,
                         sqlite3_errmsg(db));
        sql_rollback(db);
        return refuse(ret_error, name, why);
    }
    if (sql_number(db, "SELECT count(*) FROM pragma_foreign_key_check", 0) != 0) {
        sql_rollback(db);
        return refuse(ret_error, name, "a migration would leave rows without what they refer to");
    }
    if (!sql_exec(db, "COMMIT")) {
        (void)refuse_sqlite(ret_error, name, db);
        sql_rollback(db);
        return false;
    }
    return true;
}

bool migrate_apply(sqlite3 *db, const char *name, const struct migrations *known,
                   char ret_error[STORE_ERROR_MAX])
{
    bool good = sql_exec(db, "PRAGMA foreign_keys=OFF") || refuse_sqlite(ret_error, name, db);
    int version = (int)sql_number(db, "PRAGMA user_version", 0);
    for (int i = version; good && i < known->n; i++) {
        good = apply_one(db, name, &known->items[i], ret_error);
    }
    return sql_exec(db, "PRAGMA foreign_keys=ON") && good;
}

bool migrate_copy_aside(sqlite3 *db, const char *path, int next, char ret_error[STORE_ERROR_MAX])
{
    char copy[PATH_TEXT_MAX];
    struct stat there;
    for (int i = 0; i < COPIES_MAX; i++) {
        bool fits = i ? text_print(copy, sizeof(copy), "%s.before-%04d.%d", path, next, i)
                      : text_print(copy, sizeof(copy), "%s.before-%04d", path, next);
        if (!fits) {
            return refuse(ret_error, path, "its name is too long for a copy beside it");
        }
        if (stat(copy, &there) != 0) {
            return sql_run(db, "VACUUM INTO ?1", "t", copy) || refuse_sqlite(ret_error, path, db);
        }
    }
    return refuse(ret_error, path, "too many copies lie beside it already");
}
