#include "store_transfer.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalogue_data.h"
#include "sql.h"
#include "store_connect.h"
#include "store_file.h"
#include "store_image.h"
#include "store_refresh.h"

#define FOLDER_LEVELS 2

/* ---- out ---- */

/* Removes a folder that an export made: files, and folders of files. */
static void folder_remove(const char *path, int levels)
{
    char below[STORE_PATH_MAX];
    struct dirent **entries = NULL;
    int n = scandir(path, &entries, NULL, NULL);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (name[0] != '.' && text_print(below, sizeof(below), "%s/%s", path, name) &&
            unlink(below) != 0 && levels > 1) {
            folder_remove(below, levels - 1);
        }
        free(entries[i]);
    }
    free(entries);
    (void)rmdir(path);
}

static bool export_into(const char *path, const char *folder, struct export_count *ret_count,
                        char ret_error[STORE_ERROR_MAX])
{
    sqlite3 *db = path ? store_image_open(path, NULL, ret_error) : embedded_open();
    bool good = db && export_records(db, folder, ret_count, ret_error);
    sqlite3_close(db);
    return good;
}

bool store_export(const char *path, const char *folder, struct export_count *ret_count,
                  char ret_error[STORE_ERROR_MAX])
{
    char fresh[STORE_PATH_MAX];
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') {
        length--;
    }
    if (!text_print(fresh, sizeof(fresh), "%.*s" STORE_FRESH_INFIX "%ld", (int)length, folder,
                    (long)getpid())) {
        return store_refuse(ret_error, folder, "its name is too long");
    }
    if (mkdir(fresh, 0777) != 0) {
        return store_refuse(ret_error, folder, "cannot be made there");
    }
    /* rename() takes the place of an empty folder and of no other */
    bool good = export_into(path, fresh, ret_count, ret_error) &&
                (rename(fresh, folder) == 0 ||
                 store_refuse(ret_error, folder,
                              errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR
                                  ? "is there and not an empty folder: name a new one"
                                  : "cannot be made there"));
    if (!good) {
        folder_remove(fresh, FOLDER_LEVELS);
    }
    return good;
}

/* ---- in ---- */

/* Of the folder's records those are bundled that the program carries word by word; and the file is
 * up to date with this program, which must not fill in what the folder left out. */
static const char MARK[] =
    "UPDATE main.records SET bundled = EXISTS (SELECT 1 FROM bundled.records b WHERE b.kind = "
    "records.kind AND b.id = records.id AND b.digest = records.digest);"
    "INSERT OR REPLACE INTO main.store_info SELECT * FROM bundled.store_info WHERE key = "
    "'records_digest';"
    "INSERT INTO main.search(search) VALUES ('optimize');";

static bool image_mark(sqlite3 *image, const char *folder, char ret_error[STORE_ERROR_MAX])
{
    bool good = embedded_attach(image) && sql_exec(image, MARK);
    if (!good) {
        sql_explain(image, folder, ret_error, STORE_ERROR_MAX);
    }
    return sql_exec(image, "DETACH bundled") && good;
}

/* Whether a snapshot can be made of what the database has. */
static bool is_catalogue(sqlite3 *db, char ret_error[STORE_ERROR_MAX])
{
    struct catalogue_data *data = catalogue_build(db, ret_error);
    catalogue_free(data);
    return data != NULL;
}

/* Makes the file of the image, whole or not at all, and never over one that is there. */
static bool file_make(sqlite3 *image, const char *path, char ret_error[STORE_ERROR_MAX])
{
    char fresh[STORE_PATH_MAX];
    if (!text_print(fresh, sizeof(fresh), "%s" STORE_FRESH_INFIX "%ld", path, (long)getpid())) {
        return store_refuse(ret_error, path, "its name is too long");
    }
    bool good = store_copy(image, fresh, ret_error) &&
                (link(fresh, path) == 0 || store_refuse(ret_error, path, "cannot be made there"));
    (void)unlink(fresh);
    return good;
}

/* What changes, and its trail; then the rows, by the same hand as those of the bundle. */
static const struct rows_replacement REPLACEMENT = {
    .before =
        "CREATE TEMP TABLE refreshed AS SELECT kind, id FROM bundled.records;"
        "INSERT INTO main.revisions (kind, record_id, revision, action, at, author, digest, "
        "previous_doc) SELECT b.kind, b.id, coalesce(m.revision, 0) + 1, iif(m.id IS NULL, 'add', "
        "'edit'), strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 'import', b.digest, m.doc FROM "
        "bundled.records b LEFT JOIN main.records m ON m.kind = b.kind AND m.id = b.id WHERE "
        "m.digest IS NOT b.digest;",
    .records =
        "INSERT INTO main.records SELECT * FROM bundled.records WHERE true ON CONFLICT (kind, id) "
        "DO UPDATE SET title = excluded.title, notes = excluded.notes, doc = excluded.doc, bundled "
        "= iif(records.digest = excluded.digest, records.bundled, excluded.bundled), revision = "
        "records.revision + (records.digest <> excluded.digest), digest = excluded.digest;",
    .after = "INSERT INTO main.anchor_search(anchor_search) VALUES ('rebuild');"
             "DROP TABLE temp.refreshed;",
};

static void count(sqlite3 *db, struct import_count *ret_count)
{
    static const char BOTH[] = "SELECT count(*) FROM bundled.records b JOIN main.records m ON "
                               "m.kind = b.kind AND m.id = b.id WHERE m.digest ";
    char sql[300];
    (void)text_print(sql, sizeof(sql), "%s = b.digest", BOTH);
    ret_count->same = sql_number(db, sql, 0);
    (void)text_print(sql, sizeof(sql), "%s <> b.digest", BOTH);
    ret_count->changed = sql_number(db, sql, 0);
    long long all = sql_number(db, "SELECT count(*) FROM bundled.records", 0);
    long long mine = sql_number(db, "SELECT count(*) FROM main.records", 0);
    ret_count->added = all - ret_count->same - ret_count->changed;
    ret_count->kept = mine - ret_count->same - ret_count->changed;
}

/* Attaches a copy of the image to the store's connection. */
static bool image_attach(sqlite3 *db, sqlite3 *image)
{
    sqlite3_int64 size = 0;
    unsigned char *bytes = sqlite3_serialize(image, "main", &size, 0);
    if (!bytes || !sql_exec(db, "ATTACH ':memory:' AS bundled")) {
        sqlite3_free(bytes);
        return false;
    }
    /* frees the bytes, also when it fails */
    return sqlite3_deserialize(db, "bundled", bytes, size, size,
                               SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) ==
           SQLITE_OK;
}

static bool rows_merge(sqlite3 *db, sqlite3 *image, const char *path,
                       struct import_count *ret_count, char ret_error[STORE_ERROR_MAX])
{
    bool good =
        sql_exec(db, "PRAGMA foreign_keys=OFF; PRAGMA synchronous=FULL") && image_attach(db, image);
    if (good) {
        count(db, ret_count);
        good = store_rows_replace(db, &REPLACEMENT);
    }
    if (!good) {
        sql_explain(db, path, ret_error, STORE_ERROR_MAX);
    }
    good = good && is_catalogue(db, ret_error);
    if (good && !sql_exec(db, "COMMIT")) {
        sql_explain(db, path, ret_error, STORE_ERROR_MAX);
        good = false;
    }
    if (!good) {
        sql_rollback(db);
    }
    return sql_exec(db, "DETACH bundled; PRAGMA foreign_keys=ON; PRAGMA synchronous=NORMAL") &&
           good;
}

static bool file_merge(sqlite3 *image, const char *path, struct import_count *ret_count,
                       char ret_error[STORE_ERROR_MAX])
{
    struct store *store = NULL;
    if (!store_open(path, &store, ret_error)) {
        return false;
    }
    sqlite3 *db = store_writer_lock(store, ret_error);
    bool good = db && rows_merge(db, image, path, ret_count, ret_error);
    if (db) {
        store_writer_unlock(store);
    }
    store_close(store);
    return good;
}

bool store_import(const char *path, const char *folder, FILE *log, struct import_count *ret_count,
                  char ret_error[STORE_ERROR_MAX])
{
    struct stat there;
    sqlite3 *image = store_image_open(folder, log, ret_error);
    *ret_count = (struct import_count){.made = stat(path, &there) != 0 && errno == ENOENT};
    if (!image) {
        return false;
    }
    bool good = image_mark(image, folder, ret_error) && is_catalogue(image, ret_error);
    if (good && ret_count->made) {
        ret_count->added = sql_number(image, "SELECT count(*) FROM records", 0);
        good = file_make(image, path, ret_error);
    } else if (good) {
        good = file_merge(image, path, ret_count, ret_error);
    }
    sqlite3_close(image);
    return good;
}
