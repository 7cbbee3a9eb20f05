#include "store_connect.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sql.h"

bool store_refuse(char ret_error[STORE_ERROR_MAX], const char *path, const char *why)
{
    (void)text_print(ret_error, STORE_ERROR_MAX, "%s: %s", path, why);
    return false;
}

/* The path as a URI, with `query` behind. */
static bool uri_write(const char *path, const char *query, char *ret_uri, size_t max)
{
    static const char HEX[] = "0123456789ABCDEF";
    size_t used = 5;
    if (!text_print(ret_uri, max, "file:")) {
        return false;
    }
    for (; *path && used + 4 < max; path++) {
        if (strchr("?#%", *path)) {
            ret_uri[used++] = '%';
            ret_uri[used++] = HEX[((unsigned char)*path) >> 4];
            ret_uri[used++] = HEX[((unsigned char)*path) & 0xf];
        } else {
            ret_uri[used++] = *path;
        }
    }
    return !*path && text_print(ret_uri + used, max - used, "%s", query);
}

sqlite3 *store_connect(const char *path, bool *ret_writable, char ret_uri[STORE_PATH_MAX],
                       char ret_error[STORE_ERROR_MAX])
{
    const int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    sqlite3 *db = NULL;
    if (!uri_write(path, "", ret_uri, STORE_PATH_MAX)) {
        (void)store_refuse(ret_error, path, "its name is too long");
        return NULL;
    }
    int rc = sqlite3_open_v2(ret_uri, &db, SQLITE_OPEN_READWRITE | flags, NULL);
    if (rc == SQLITE_OK && sql_configure(db) && sql_number(db, "PRAGMA schema_version", -1) >= 0) {
        *ret_writable = sqlite3_db_readonly(db, "main") == 0;
        return db;
    }
    rc = sqlite3_errcode(db) & 0xff;
    sql_explain(db, path, ret_error, STORE_ERROR_MAX);
    sqlite3_close(db);
    *ret_writable = false;
    if ((rc != SQLITE_CANTOPEN && rc != SQLITE_READONLY) ||
        !uri_write(path, "?immutable=1", ret_uri, STORE_PATH_MAX)) {
        return NULL;
    }
    return sql_open(ret_uri, SQLITE_OPEN_READONLY | flags);
}

#define RIGHTS 0666

/* Makes an empty file that whoever may read or write the database may read or write, and nobody
 * else. A database without a file leaves that to the mask of the process. */
static bool file_make(sqlite3 *like, const char *path)
{
    struct stat there;
    const char *name = sqlite3_db_filename(like, "main");
    if (!name || !*name || stat(name, &there) != 0) {
        return true;
    }
    (void)unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool done = fd >= 0 && fchmod(fd, (there.st_mode & RIGHTS) | S_IWUSR) == 0;
    return (fd < 0 || close(fd) == 0) && done;
}

bool store_copy(sqlite3 *from, const char *path, char ret_error[STORE_ERROR_MAX])
{
    sqlite3 *to =
        file_make(from, path) ? sql_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) : NULL;
    if (!to) {
        return store_refuse(ret_error, path, "cannot be created there");
    }
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    bool done = backup && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
    done = sqlite3_backup_finish(backup) == SQLITE_OK && done;
    if (!done) {
        sql_explain(to, path, ret_error, STORE_ERROR_MAX);
    }
    return sqlite3_close(to) == SQLITE_OK && done;
}
