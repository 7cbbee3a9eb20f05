/*
 * regime_records.c - build step: db/records/ and migrations/ into the database that regimed
 * carries.
 *
 *   regime_records OUT RECORDS      OUT is replaced; nothing is written when a record has a fault
 */
#include <stdio.h>
#include <stdlib.h>

#include "digest.h"
#include "import.h"
#include "migrate.h"
#include "sql.h"

/* Names the bundle by the digest of everything in it, before the name itself goes in. */
static bool name_bundle(sqlite3 *db)
{
    char hex[DIGEST_HEX_MAX];
    sqlite3_int64 size = 0;
    unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
    if (!image) {
        return false;
    }
    digest_text((const char *)image, (size_t)size, hex);
    sqlite3_free(image);
    return sql_run(db, "INSERT INTO store_info VALUES ('records_digest', ?1)", "t", hex);
}

/* How many measurements of which kind there are. */
static void print_counts(sqlite3 *db)
{
    sqlite3_stmt *row = NULL;
    (void)sqlite3_prepare_v2(
        db,
        "SELECT anchor_kind, count(*), count(disputed), count(*) FILTER (WHERE model_id IS NULL OR "
        "hardware_id IS NULL) FROM anchors GROUP BY 1 ORDER BY 1",
        -1, &row, NULL);
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        (void)fprintf(stderr, "anchors: %5d %-14s %4d disputed, %4d of an unknown model or part\n",
                      sqlite3_column_int(row, 1), (const char *)sqlite3_column_text(row, 0),
                      sqlite3_column_int(row, 2), sqlite3_column_int(row, 3));
    }
    sqlite3_finalize(row);
}

static bool build(sqlite3 *db, const char *out, const char *records)
{
    const struct migrations all = {MIGRATIONS, N_MIGRATIONS};
    char error[STORE_ERROR_MAX];
    if (!migrate_apply(db, "migrations", &all, error)) {
        (void)fprintf(stderr, "%s\n", error);
        return false;
    }
    if (!import_records(db, records, stderr)) {
        return false;
    }
    print_counts(db);
    if (!sql_exec(db, "INSERT INTO search(search) VALUES ('optimize')") || !name_bundle(db) ||
        !sql_run(db, "VACUUM INTO ?1", "t", out)) {
        (void)fprintf(stderr, "%s: %s\n", out, sqlite3_errmsg(db));
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        (void)fprintf(stderr, "usage: regime_records OUT RECORDS\n");
        return EXIT_FAILURE;
    }
    (void)remove(argv[1]);
    sqlite3 *db = sql_open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    bool good = db && build(db, argv[1], argv[2]);
    sqlite3_close(db);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
