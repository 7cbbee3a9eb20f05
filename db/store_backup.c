/*
 * store_backup.c - a copy gets its name only when it is whole: it is made under another name beside
 * it, checked, brought to the disk and linked.
 *
 * A plain copy of the file of a running daemon lacks what stands in its log (PATH-wal), and a log
 * that is left beside another file is applied to it: that is why copies are made and put back here.
 */
#include "store_backup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "embedded.h"
#include "migrate.h"
#include "sql.h"
#include "store_connect.h"
#include "store_file.h"

#define ASIDE_MAX 1000
/* Where SQLite's locks lie in a database file (its os.h): one byte, one byte and 510. */
#define LOCKS_BEGIN 0x40000000
#define LOCKS_BYTES 512
#define RIGHTS 0777

/* ---- sound or not ---- */

static bool pages_ok(sqlite3 *db, const char *path, char ret_error[STORE_ERROR_MAX])
{
    char why[STORE_ERROR_MAX / 2];
    char *found = sql_text(db, "PRAGMA integrity_check(1)");
    if (!found) {
        sql_explain(db, path, ret_error, STORE_ERROR_MAX);
        return false;
    }
    bool good = strcmp(found, "ok") == 0;
    if (!good) {
        (void)text_print(why, sizeof(why), "is damaged (%.120s): restore a backup", found);
    }
    free(found);
    if (!good) {
        return store_refuse(ret_error, path, why);
    }
    return sql_number(db, "SELECT count(*) FROM pragma_foreign_key_check", -1) == 0 ||
           store_refuse(ret_error, path, "has rows that refer to none: restore a backup");
}

static bool file_there(const char *path, long long *ret_bytes, char ret_error[STORE_ERROR_MAX])
{
    struct stat there;
    if (stat(path, &there) != 0) {
        return store_refuse(ret_error, path,
                            errno == ENOENT ? "there is no such file" : "cannot be looked at");
    }
    if (!S_ISREG(there.st_mode)) {
        return store_refuse(ret_error, path, "is no file");
    }
    *ret_bytes = (long long)there.st_size;
    return there.st_size > 0 || store_refuse(ret_error, path, "is empty");
}

bool store_verify(const char *path, struct store_state *ret_state, char ret_error[STORE_ERROR_MAX])
{
    const struct migrations known = {MIGRATIONS, N_MIGRATIONS};
    char uri[STORE_PATH_MAX];
    struct store_state state = {0};
    bool writable = false;
    if (!file_there(path, &state.bytes, ret_error)) {
        return false;
    }
    sqlite3 *db = store_connect(path, &writable, uri, ret_error);
    if (!db) {
        return false;
    }
    bool good =
        migrate_check(db, path, &known, &state.version, ret_error) && pages_ok(db, path, ret_error);
    sqlite3_close(db);
    if (good) {
        *ret_state = state;
    }
    return good;
}

/* ---- copies ---- */

/* Brings the folder of a path to the disk: its new names. */
static bool folder_sync(const char *path)
{
    char folder[STORE_PATH_MAX];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + 1 : 1;
    if (!text_print(folder, sizeof(folder), "%.*s", length, slash ? path : ".")) {
        return false;
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;
    return (fd < 0 || close(fd) == 0) && done;
}

static bool file_sync(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;
    return (fd < 0 || close(fd) == 0) && done;
}

/* One file without a log: what was copied out of a store has its setting. */
static bool log_drop(const char *path, char ret_error[STORE_ERROR_MAX])
{
    sqlite3 *db = sql_open(path, SQLITE_OPEN_READWRITE);
    bool done = db && sql_exec(db, "PRAGMA journal_mode=DELETE");
    if (!done) {
        (void)store_refuse(ret_error, path, db ? sqlite3_errmsg(db) : "cannot be opened");
    }
    return sqlite3_close(db) == SQLITE_OK && done;
}

/* A verified copy of the store at `from` in the file `fresh`, on the disk. */
static bool copy_make(const char *from, const char *fresh, struct store_state *ret_state,
                      char ret_error[STORE_ERROR_MAX])
{
    const struct migrations known = {MIGRATIONS, N_MIGRATIONS};
    char uri[STORE_PATH_MAX];
    bool writable = false;
    int version = 0;
    long long bytes = 0;
    sqlite3 *db =
        file_there(from, &bytes, ret_error) ? store_connect(from, &writable, uri, ret_error) : NULL;
    if (!db) {
        return false;
    }
    bool good =
        migrate_check(db, from, &known, &version, ret_error) && store_copy(db, fresh, ret_error);
    sqlite3_close(db);
    return good && log_drop(fresh, ret_error) && store_verify(fresh, ret_state, ret_error) &&
           (file_sync(fresh) || store_refuse(ret_error, fresh, "cannot be brought to the disk"));
}

/* PATH.new-PID, which a later opening of the store clears away should this process die. */
static bool fresh_name(const char *path, char ret_fresh[STORE_PATH_MAX],
                       char ret_error[STORE_ERROR_MAX])
{
    return text_print(ret_fresh, STORE_PATH_MAX, "%s" STORE_FRESH_INFIX "%ld", path,
                      (long)getpid()) ||
           store_refuse(ret_error, path, "its name is too long");
}

static bool copy_link(const char *fresh, const char *path, char ret_error[STORE_ERROR_MAX])
{
    if (link(fresh, path) != 0) {
        return store_refuse(ret_error, path,
                            errno == EEXIST ? "is there already: a backup overwrites nothing"
                                            : "cannot be created there");
    }
    return folder_sync(path) || store_refuse(ret_error, path, "cannot be brought to the disk");
}

bool store_backup(const char *from, const char *to, struct store_state *ret_state,
                  char ret_error[STORE_ERROR_MAX])
{
    char fresh[STORE_PATH_MAX];
    struct stat there;
    if (lstat(to, &there) == 0) {
        return store_refuse(ret_error, to, "is there already: a backup overwrites nothing");
    }
    if (!fresh_name(to, fresh, ret_error)) {
        return false;
    }
    bool done = copy_make(from, fresh, ret_state, ret_error) && copy_link(fresh, to, ret_error);
    (void)unlink(fresh);
    return done;
}

/* ---- putting back ---- */

/* Whether a process has the database open: one that has holds a lock of SQLite's. */
static bool in_use(const char *path)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCKS_BEGIN, .l_len = LOCKS_BYTES};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool used = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    if (fd >= 0) {
        (void)close(fd);
    }
    return used;
}

/* Renames PATH + `suffix` to ASIDE + `suffix`; true where there is none. */
static bool move_aside(const char *path, const char *aside, const char *suffix)
{
    char old[STORE_ASIDE_MAX];
    char kept[STORE_ASIDE_MAX + 8];
    return text_print(old, sizeof(old), "%s%s", path, suffix) &&
           text_print(kept, sizeof(kept), "%s%s", aside, suffix) &&
           (rename(old, kept) == 0 || errno == ENOENT);
}

/* Gives what is at the path another name; the index of shared memory says nothing without it. */
static bool keep_aside(const char *path, char ret_aside[STORE_ASIDE_MAX],
                       char ret_error[STORE_ERROR_MAX])
{
    char shared[STORE_ASIDE_MAX];
    struct stat there;
    bool is_free = false;
    ret_aside[0] = '\0';
    if (lstat(path, &there) != 0) {
        return errno == ENOENT || store_refuse(ret_error, path, "cannot be looked at");
    }
    if (in_use(path)) {
        return store_refuse(ret_error, path, "is open in another process: stop the daemon first");
    }
    for (int i = 1; i < ASIDE_MAX && !is_free; i++) {
        is_free = text_print(ret_aside, STORE_ASIDE_MAX, "%s.replaced-%d", path, i) &&
                  lstat(ret_aside, &there) != 0 && errno == ENOENT;
    }
    if (!is_free || !move_aside(path, ret_aside, "-wal") || !move_aside(path, ret_aside, "")) {
        return store_refuse(ret_error, path, "cannot be renamed to make room");
    }
    if (text_print(shared, sizeof(shared), "%s-shm", path)) {
        (void)unlink(shared);
    }
    return true;
}

/* Gives the copy the owner and the rights of the file whose place it takes, as far as the process
 * may: what served that one must be able to serve this one. */
static void rights_take(const char *fresh, const char *from)
{
    struct stat there;
    if (stat(from, &there) != 0) {
        return;
    }
    bool owned = chown(fresh, there.st_uid, there.st_gid) == 0;
    if (owned || there.st_uid == geteuid()) {
        (void)chmod(fresh, there.st_mode & RIGHTS);
    }
}

bool store_restore(const char *from, const char *to, struct store_state *ret_state,
                   char ret_aside[STORE_ASIDE_MAX], char ret_error[STORE_ERROR_MAX])
{
    char fresh[STORE_PATH_MAX];
    if (!fresh_name(to, fresh, ret_error)) {
        return false;
    }
    bool done = copy_make(from, fresh, ret_state, ret_error);
    if (done) {
        rights_take(fresh, to);
    }
    done = done && keep_aside(to, ret_aside, ret_error) && copy_link(fresh, to, ret_error);
    (void)unlink(fresh);
    return done;
}
