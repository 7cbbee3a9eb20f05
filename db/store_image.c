#include "store_image.h"

#include <errno.h>
#include <sys/stat.h>

#include "import.h"
#include "migrate.h"
#include "sql.h"
#include "store_connect.h"

static bool folder_read(sqlite3 *db, const char *path, FILE *log, char ret_error[STORE_ERROR_MAX])
{
    const struct migrations known = {MIGRATIONS, N_MIGRATIONS};
    return migrate_apply(db, path, &known, ret_error) &&
           (import_records(db, path, log) ||
            store_refuse(ret_error, path, "is no folder of records without faults"));
}

static bool file_read(sqlite3 *db, const char *path, char ret_error[STORE_ERROR_MAX])
{
    const struct migrations known = {MIGRATIONS, N_MIGRATIONS};
    char uri[STORE_PATH_MAX];
    bool writable = false;
    int version = 0;
    sqlite3 *from = store_connect(path, &writable, uri, ret_error);
    if (!from) {
        return false;
    }
    bool good = migrate_check(from, path, &known, &version, ret_error);
    sqlite3_backup *backup = good ? sqlite3_backup_init(db, "main", from, "main") : NULL;
    bool copied = backup && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
    copied = sqlite3_backup_finish(backup) == SQLITE_OK && copied;
    if (good && !copied) {
        sql_explain(db, path, ret_error, STORE_ERROR_MAX);
    }
    sqlite3_close(from);
    return copied && migrate_apply(db, path, &known, ret_error);
}

sqlite3 *store_image_open(const char *path, FILE *log, char ret_error[STORE_ERROR_MAX])
{
    struct stat there;
    if (stat(path, &there) != 0) {
        (void)store_refuse(ret_error, path,
                           errno == ENOENT ? "there is no such file or folder"
                                           : "cannot be looked at");
        return NULL;
    }
    sqlite3 *db = sql_open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (!db) {
        (void)store_refuse(ret_error, path, "out of memory");
        return NULL;
    }
    bool good = S_ISDIR(there.st_mode) ? folder_read(db, path, log, ret_error)
                                       : file_read(db, path, ret_error);
    if (!good) {
        sqlite3_close(db);
        return NULL;
    }
    return db;
}
