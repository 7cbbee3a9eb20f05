/*
 * store.c - opens a store in one of three ways: from memory, from a file, or from a file that it
 * makes.
 *
 *   path NULL          the embedded database, read in place
 *   path missing       a copy of the embedded database is made beside it and linked in its place
 *   path present       checked, migrated (after a copy aside), bundled records refreshed; WAL
 *   path unwritable    checked and read as it is; when even the -shm file cannot be made, immutable
 *
 * The catalogue is swapped by one atomic store. A reader counts itself into the snapshot and looks
 * whether that is still the current one; the small headers of old snapshots live as long as the
 * store, so that a late reader finds a counter and not freed memory. What a snapshot holds is freed
 * when it is no longer current and its last reader let go.
 */
#include "store.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "catalogue_data.h"
#include "migrate.h"
#include "readers.h"
#include "sql.h"
#include "store_connect.h"
#include "store_file.h"
#include "store_pages.h"
#include "store_refresh.h"

#define NS_PER_S INT64_C(1000000000)
/* What another process gets between two writes: twice as long as it sleeps (sql_wait_busy). */
#define PAUSE_NS 2000000

struct snapshot {
    struct catalogue_data *data; /* NULL once freed */
    atomic_long readers;
    struct snapshot *next;
};

struct store {
    char *path;
    char *uri; /* how readers open it; NULL = embedded */
    struct store_file file;
    bool writable;
    sqlite3 *writer; /* keeps the file open; NULL = embedded */
    int version;
    struct readers readers;
    pthread_mutex_t writing; /* guards `writer` and `released_ns` once the store is open */
    int64_t released_ns;     /* when the last write ended, on the monotonic clock */
    pthread_mutex_t lock;    /* guards `snapshots` and their freeing */
    struct snapshot *snapshots;
    _Atomic(struct snapshot *) current;
};

/* ---- snapshots ---- */

/* Frees what nobody reads any more. The lock is held. */
static void snapshots_sweep(struct store *store)
{
    for (struct snapshot *old = store->snapshots; old; old = old->next) {
        if (old != atomic_load(&store->current) && old->data && atomic_load(&old->readers) == 0) {
            catalogue_free(old->data);
            old->data = NULL;
        }
    }
}

bool store_publish(struct store *store, struct catalogue_data *data)
{
    struct snapshot *snapshot = calloc(1, sizeof(*snapshot));
    if (!snapshot) {
        catalogue_free(data);
        return false;
    }
    snapshot->data = data;
    data->holder = snapshot;
    pthread_mutex_lock(&store->lock);
    snapshot->next = store->snapshots;
    store->snapshots = snapshot;
    atomic_store(&store->current, snapshot);
    snapshots_sweep(store);
    pthread_mutex_unlock(&store->lock);
    return true;
}

const struct catalogue *store_catalogue(struct store *store)
{
    for (;;) {
        struct snapshot *snapshot = atomic_load(&store->current);
        atomic_fetch_add(&snapshot->readers, 1);
        if (snapshot == atomic_load(&store->current)) {
            return &snapshot->data->shown;
        }
        atomic_fetch_sub(&snapshot->readers, 1);
    }
}

void store_release(struct store *store, const struct catalogue *catalogue)
{
    struct snapshot *snapshot = ((const struct catalogue_data *)catalogue)->holder;
    if (atomic_fetch_sub(&snapshot->readers, 1) == 1 && snapshot != atomic_load(&store->current)) {
        pthread_mutex_lock(&store->lock);
        snapshots_sweep(store);
        pthread_mutex_unlock(&store->lock);
    }
}

bool store_reload(struct store *store, char ret_error[STORE_ERROR_MAX])
{
    sqlite3 *db = store->writer ? store->writer : embedded_open();
    struct catalogue_data *data = db ? catalogue_build(db, ret_error) : NULL;
    if (!db) {
        (void)text_print(ret_error, STORE_ERROR_MAX, "the embedded records cannot be opened");
    }
    if (db != store->writer) {
        sqlite3_close(db);
    }
    if (data && !store_publish(store, data)) {
        (void)text_print(ret_error, STORE_ERROR_MAX, "out of memory");
        return false;
    }
    return data != NULL;
}

/* ---- the writer ---- */

/* Gives a transaction up that is still open: one whose ROLLBACK had no memory would fail every
 * write from then on. */
static void writer_settle(const struct store *store)
{
    if (!sqlite3_get_autocommit(store->writer)) {
        sql_rollback(store->writer);
    }
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Between two writes that follow each other at once another process finds the file unlocked for
 * some microseconds, and one that wants to revoke a token would not come in: it gets longer. */
static void let_others_in(const struct store *store)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    if (now_ns() - store->released_ns < PAUSE_NS) {
        (void)nanosleep(&pause, NULL);
    }
}

struct sqlite3 *store_writer_lock(struct store *store, char ret_error[STORE_ERROR_MAX])
{
    if (!store->path) {
        (void)text_print(ret_error, STORE_ERROR_MAX,
                         "the embedded records are read-only: start with --db FILE to write");
        return NULL;
    }
    if (!store->writable) {
        (void)store_refuse(ret_error, store->path, "cannot be written");
        return NULL;
    }
    const char *trouble = store_trouble(store);
    if (trouble) {
        /* what went into a file without a name, or under another's, would be lost */
        (void)text_print(ret_error, STORE_ERROR_MAX, "%s: %s: put it back or start again",
                         store->path, trouble);
        return NULL;
    }
    pthread_mutex_lock(&store->writing);
    writer_settle(store);
    let_others_in(store);
    bool waits = sql_wait_busy(store->writer);
    (void)waits; /* it can be told to */
    return store->writer;
}

struct sqlite3 *store_writer_try(struct store *store)
{
    if (!store->writable || pthread_mutex_trylock(&store->writing) != 0) {
        return NULL;
    }
    writer_settle(store);
    (void)sqlite3_busy_timeout(store->writer, 0);
    return store->writer;
}

void store_writer_unlock(struct store *store)
{
    writer_settle(store);
    store->released_ns = now_ns();
    pthread_mutex_unlock(&store->writing);
}

/* ---- files ---- */

/* Makes the file from the embedded records: whole or not at all, and never over one that is there.
 */
static bool file_create(const char *path, char ret_error[STORE_ERROR_MAX])
{
    char fresh[STORE_PATH_MAX];
    if (!text_print(fresh, sizeof(fresh), "%s" STORE_FRESH_INFIX "%ld", path, (long)getpid())) {
        return store_refuse(ret_error, path, "its name is too long");
    }
    (void)store_refuse(ret_error, path, "cannot be created there");
    sqlite3 *embedded = embedded_open();
    bool copied = embedded && store_copy(embedded, fresh, ret_error);
    sqlite3_close(embedded);
    embedded_pages_drop();
    if (!copied) {
        (void)unlink(fresh);
        return false;
    }
    bool linked = link(fresh, path) == 0 || errno == EEXIST || rename(fresh, path) == 0;
    (void)unlink(fresh);
    return linked || store_refuse(ret_error, path, "cannot be created there");
}

/* Whether the file is there; makes it when it is not. */
static bool file_ensure(const char *path, char ret_error[STORE_ERROR_MAX])
{
    struct stat there;
    store_file_clear_fresh(path);
    if (stat(path, &there) != 0) {
        return errno == ENOENT ? file_create(path, ret_error)
                               : store_refuse(ret_error, path, "cannot be looked at");
    }
    if (S_ISDIR(there.st_mode)) {
        return store_refuse(ret_error, path, "is a directory");
    }
    if (there.st_size == 0) {
        return store_refuse(ret_error, path, "is empty: remove it to have a new store made there");
    }
    return true;
}

/* Brings the open file to this program's schema and records. */
static bool file_upgrade(struct store *store, char ret_error[STORE_ERROR_MAX])
{
    const struct migrations known = {MIGRATIONS, N_MIGRATIONS};
    int version = 0;
    if (!migrate_check(store->writer, store->path, &known, &version, ret_error)) {
        return false;
    }
    if (!store->writable) {
        store->version = version;
        return version == known.n ||
               store_refuse(ret_error, store->path, "is of an older version and cannot be written");
    }
    if (version < known.n &&
        (!migrate_copy_aside(store->writer, store->path, version + 1, ret_error) ||
         !migrate_apply(store->writer, store->path, &known, ret_error))) {
        return false;
    }
    store->version = known.n;
    if (!sql_exec(store->writer, "PRAGMA journal_mode=WAL")) {
        return store_refuse(ret_error, store->path, sqlite3_errmsg(store->writer));
    }
    return store_refresh(store->writer, store->path, ret_error);
}

static bool open_path(struct store *store, const char *path, char ret_error[STORE_ERROR_MAX])
{
    char uri[STORE_PATH_MAX];
    if (!file_ensure(path, ret_error)) {
        return false;
    }
    store->path = strdup(path);
    store->writer = store_connect(path, &store->writable, uri, ret_error);
    if (!store->writer) {
        return false;
    }
    store->uri = strdup(uri);
    if (!store->path || !store->uri) {
        return store_refuse(ret_error, path, "out of memory");
    }
    return file_upgrade(store, ret_error) && (store_file_note(&store->file, path) ||
                                              store_refuse(ret_error, path, "cannot be looked at"));
}

/* ---- the store ---- */

static sqlite3 *open_reader(void *ctx)
{
    const struct store *store = ctx;
    return store->uri
               ? sql_open(store->uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX)
               : embedded_open();
}

static struct store *store_new(void)
{
    struct store *store = calloc(1, sizeof(*store));
    if (!store) {
        return NULL;
    }
    if (pthread_mutex_init(&store->lock, NULL) != 0) {
        free(store);
        return NULL;
    }
    if (pthread_mutex_init(&store->writing, NULL) != 0) {
        pthread_mutex_destroy(&store->lock);
        free(store);
        return NULL;
    }
    if (!readers_init(&store->readers, open_reader, store)) {
        pthread_mutex_destroy(&store->writing);
        pthread_mutex_destroy(&store->lock);
        free(store);
        return NULL;
    }
    store->version = N_MIGRATIONS;
    store->file.fd = -1;
    return store;
}

bool store_open(const char *path, struct store **ret_store, char ret_error[STORE_ERROR_MAX])
{
    struct store *store = store_new();
    if (!store) {
        return store_refuse(ret_error, path ? path : "store", "out of memory");
    }
    if ((path && !open_path(store, path, ret_error)) || !store_reload(store, ret_error)) {
        store_close(store);
        return false;
    }
    *ret_store = store;
    return true;
}

void store_close(struct store *store)
{
    if (!store) {
        return;
    }
    readers_done(&store->readers);
    sqlite3_close(store->writer);
    store_file_done(&store->file);
    while (store->snapshots) {
        struct snapshot *snapshot = store->snapshots;
        store->snapshots = snapshot->next;
        catalogue_free(snapshot->data);
        free(snapshot);
    }
    pthread_mutex_destroy(&store->writing);
    pthread_mutex_destroy(&store->lock);
    free(store->path);
    free(store->uri);
    free(store);
}

const char *store_path(const struct store *store)
{
    return store->path;
}

const char *store_trouble(struct store *store)
{
    return store->path ? store_file_trouble(&store->file, store->path) : NULL;
}

int store_schema_version(const struct store *store)
{
    return store->version;
}

struct sqlite3_stmt *store_read(struct store *store, const char *sql)
{
    return readers_statement(&store->readers, sql);
}

void store_done(struct sqlite3_stmt *statement)
{
    if (statement) {
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
    }
}
