#include "sql.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LENGTH_MAX (16 << 20)
#define SQL_LENGTH_MAX (1 << 20)
#define NS_PER_MS 1000000L

static const char SETTINGS[] = "PRAGMA foreign_keys=ON;"
                               "PRAGMA trusted_schema=OFF;"
                               "PRAGMA cell_size_check=ON;"
                               "PRAGMA temp_store=MEMORY;"
                               "PRAGMA synchronous=NORMAL;"
                               "PRAGMA cache_size=-512;"
                               "PRAGMA journal_size_limit=4194304;";

static int wait_a_little(void *ctx, int times)
{
    const struct timespec pause = {.tv_nsec = NS_PER_MS};
    (void)ctx;
    (void)nanosleep(&pause, NULL);
    return times < SQL_BUSY_MS;
}

bool sql_wait_busy(sqlite3 *db)
{
    return sqlite3_busy_handler(db, wait_a_little, NULL) == SQLITE_OK;
}

bool sql_configure(sqlite3 *db)
{
    static const int SWITCHES[][2] = {
        {SQLITE_DBCONFIG_DQS_DML, 0},
        {SQLITE_DBCONFIG_DQS_DDL, 0},
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(SWITCHES); i++) {
        if (sqlite3_db_config(db, SWITCHES[i][0], SWITCHES[i][1], (int *)NULL) != SQLITE_OK) {
            return false;
        }
    }
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_LENGTH_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 1);
    return sql_wait_busy(db) && sql_exec(db, SETTINGS);
}

sqlite3 *sql_open(const char *path, int flags)
{
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(path, &db, flags, NULL) == SQLITE_OK && sql_configure(db)) {
        return db;
    }
    sqlite3_close(db);
    return NULL;
}

bool sql_exec(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

void sql_rollback(sqlite3 *db)
{
    (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
}

bool text_print(char *to, size_t max, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(to, max, format, values);
    va_end(values);
    return length >= 0 && (size_t)length < max;
}

void sql_explain(sqlite3 *db, const char *name, char *ret_text, size_t max)
{
    static const struct {
        int rc;
        const char *why;
    } REASONS[] = {
        {SQLITE_NOTADB, "is not a SQLite database"},
        {SQLITE_CORRUPT, "is damaged (truncated or overwritten): restore a copy of it"},
        {SQLITE_BUSY, "is locked by another process"},
        {SQLITE_LOCKED, "is locked by another process"},
        {SQLITE_FULL, "cannot grow: the disk is full"},
    };

    const char *why = sqlite3_errmsg(db);
    if ((sqlite3_errcode(db) & 0xff) == SQLITE_CANTOPEN && sqlite3_system_errno(db) == EACCES) {
        why = "may not be opened by this user: look at the rights of the file and its folders";
    }
    for (size_t i = 0; i < ARRAY_LEN(REASONS); i++) {
        if (REASONS[i].rc == (sqlite3_errcode(db) & 0xff)) {
            why = REASONS[i].why;
        }
    }
    (void)text_print(ret_text, max, "%s: %s", name, why);
}

static int bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    return text ? sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC)
                : sqlite3_bind_null(statement, at);
}

static int bind_double(sqlite3_stmt *statement, int at, double value)
{
    return isnan(value) ? sqlite3_bind_null(statement, at)
                        : sqlite3_bind_double(statement, at, value);
}

bool sql_run(sqlite3 *db, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return false;
    }
    va_list values;
    va_start(values, types);
    int rc = SQLITE_OK;
    for (int i = 0; types[i] && rc == SQLITE_OK; i++) {
        if (types[i] == 't') {
            rc = bind_text(statement, i + 1, va_arg(values, const char *));
        } else if (types[i] == 'd') {
            rc = bind_double(statement, i + 1, va_arg(values, double));
        } else {
            rc = sqlite3_bind_int64(statement, i + 1, va_arg(values, int));
        }
    }
    va_end(values);
    if (rc == SQLITE_OK) {
        rc = sqlite3_step(statement);
    }
    int end = sqlite3_finalize(statement);
    return (rc == SQLITE_DONE || rc == SQLITE_ROW) && end == SQLITE_OK;
}

long long sql_number(sqlite3 *db, const char *sql, long long fallback)
{
    sqlite3_stmt *statement = NULL;
    long long value = fallback;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        value = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return value;
}

char *sql_text(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    char *text = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        text = strdup((const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return text;
}
