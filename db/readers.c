#include "readers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define STATEMENTS_MAX 64
#define STEPS_PER_CALL 100000
#define CALLS_MAX 500 /* 50 million steps of the virtual machine: seconds, not minutes */

struct reader {
    struct readers *pool;
    struct reader *next;
    sqlite3 *db;
    bool taken;
    int calls; /* of the progress handler, since the last statement was asked for */
    int n;

    unsigned long long asked; /* statements so far */

    struct cached {
        char *sql;
        sqlite3_stmt *statement;
        unsigned long long asked; /* when it was asked for last */
    } cached[STATEMENTS_MAX];
};

/* Stops a query that takes too long. */
static int reader_progress(void *ctx)
{
    struct reader *reader = ctx;
    return ++reader->calls > CALLS_MAX;
}

static void reader_forget(struct reader *reader)
{
    for (int i = 0; i < reader->n; i++) {
        sqlite3_finalize(reader->cached[i].statement);
        free(reader->cached[i].sql);
    }
    reader->n = 0;
}

/* A thread ended: its connection waits for another. */
static void reader_leave(void *value)
{
    struct reader *reader = value;
    struct readers *pool = reader->pool;
    pthread_mutex_lock(&pool->lock);
    reader->taken = false;
    pthread_mutex_unlock(&pool->lock);
}

bool readers_init(struct readers *readers, reader_open_fn *open, void *ctx)
{
    *readers = (struct readers){.open = open, .ctx = ctx};
    if (pthread_mutex_init(&readers->lock, NULL) != 0) {
        return false;
    }
    if (pthread_key_create(&readers->key, reader_leave) != 0) {
        pthread_mutex_destroy(&readers->lock);
        return false;
    }
    return true;
}

void readers_done(struct readers *readers)
{
    pthread_key_delete(readers->key);
    while (readers->all) {
        struct reader *reader = readers->all;
        readers->all = reader->next;
        reader_forget(reader);
        sqlite3_close(reader->db);
        free(reader);
    }
    pthread_mutex_destroy(&readers->lock);
}

/* A free connection of the pool, or NULL. The lock is held. */
static struct reader *reader_idle(struct readers *readers)
{
    struct reader *reader = readers->all;
    while (reader && reader->taken) {
        reader = reader->next;
    }
    return reader;
}

static struct reader *reader_new(struct readers *readers)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    if (!reader) {
        return NULL;
    }
    reader->pool = readers;
    reader->db = readers->open(readers->ctx);
    if (!reader->db) {
        free(reader);
        return NULL;
    }
    sqlite3_progress_handler(reader->db, STEPS_PER_CALL, reader_progress, reader);
    reader->next = readers->all;
    readers->all = reader;
    return reader;
}

/* This thread's connection. */
static struct reader *reader_mine(struct readers *readers)
{
    struct reader *reader = pthread_getspecific(readers->key);
    if (reader) {
        return reader;
    }
    pthread_mutex_lock(&readers->lock);
    reader = reader_idle(readers);
    reader = reader ? reader : reader_new(readers);
    if (reader && pthread_setspecific(readers->key, reader) == 0) {
        reader->taken = true;
    } else {
        reader = NULL;
    }
    pthread_mutex_unlock(&readers->lock);
    return reader;
}

/* A place for one more statement: a free one, or that of the statement asked for longest ago which
 * nobody is reading from. Callers nest a few deep: one that was just handed out is among the last.
 */
static struct cached *reader_room(struct reader *reader)
{
    struct cached *oldest = NULL;
    if (reader->n < STATEMENTS_MAX) {
        return &reader->cached[reader->n++];
    }
    for (int i = 0; i < reader->n; i++) {
        struct cached *cached = &reader->cached[i];
        if (!sqlite3_stmt_busy(cached->statement) && (!oldest || cached->asked < oldest->asked)) {
            oldest = cached;
        }
    }
    if (oldest) {
        sqlite3_finalize(oldest->statement);
        free(oldest->sql);
    }
    return oldest;
}

static sqlite3_stmt *reader_prepare(struct reader *reader, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    char *copy = strdup(sql);
    if (!copy || sqlite3_prepare_v3(reader->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                                    NULL) != SQLITE_OK) {
        free(copy);
        return NULL;
    }
    struct cached *cached = reader_room(reader);
    if (!cached) {
        sqlite3_finalize(statement);
        free(copy);
        return NULL;
    }
    *cached = (struct cached){copy, statement, reader->asked};
    return statement;
}

sqlite3_stmt *readers_statement(struct readers *readers, const char *sql)
{
    struct reader *reader = reader_mine(readers);
    if (!reader) {
        return NULL;
    }
    reader->calls = 0;
    reader->asked++;
    for (int i = 0; i < reader->n; i++) {
        sqlite3_stmt *statement = reader->cached[i].statement;
        if (strcmp(reader->cached[i].sql, sql) == 0) {
            assert(!sqlite3_stmt_busy(statement));
            sqlite3_reset(statement);
            sqlite3_clear_bindings(statement);
            reader->cached[i].asked = reader->asked;
            return statement;
        }
    }
    return reader_prepare(reader, sql);
}
