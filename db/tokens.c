#include "tokens.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gnutls/crypto.h>

#include "sql.h"

#define PREFIX "rgm_"
#define ID_PREFIX "tok-"
#define SECRET_BYTES 32
#define HASH_BYTES 32
#define ID_BYTES 5
#define USE_SECONDS 60

static const char HEX[] = "0123456789abcdef";

static const struct scope_word {
    const char *word;
    unsigned scope;
} SCOPES[] = {{"read", TOKEN_READ}, {"contribute", TOKEN_CONTRIBUTE}, {"admin", TOKEN_ADMIN}};

unsigned token_scopes_parse(const char *text)
{
    static const char BETWEEN[] = ", ";
    unsigned scopes = 0;
    for (const char *at = text + strspn(text, BETWEEN); *at; at += strspn(at, BETWEEN)) {
        size_t length = strcspn(at, BETWEEN);
        unsigned found = 0;
        for (size_t i = 0; i < ARRAY_LEN(SCOPES); i++) {
            if (strlen(SCOPES[i].word) == length && memcmp(SCOPES[i].word, at, length) == 0) {
                found = SCOPES[i].scope;
            }
        }
        if (!found) {
            return 0;
        }
        scopes |= found;
        at += length;
    }
    return scopes;
}

void token_scopes_text(unsigned scopes, char ret_text[TOKEN_SCOPES_MAX])
{
    size_t used = 0;
    ret_text[0] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(SCOPES); i++) {
        if (scopes & SCOPES[i].scope) {
            (void)text_print(ret_text + used, TOKEN_SCOPES_MAX - used, "%s%s", used ? " " : "",
                             SCOPES[i].word);
            used = strlen(ret_text);
        }
    }
}

/* Random bytes as text behind a prefix; `to` holds both and a NUL. */
static bool random_text(const char *prefix, size_t n_bytes, char *to)
{
    unsigned char bytes[SECRET_BYTES];
    size_t at = strlen(prefix);
    if (gnutls_rnd(GNUTLS_RND_KEY, bytes, n_bytes) < 0) {
        return false;
    }
    memcpy(to, prefix, at);
    for (size_t i = 0; i < n_bytes; i++) {
        to[at++] = HEX[bytes[i] >> 4];
        to[at++] = HEX[bytes[i] & 0xf];
    }
    to[at] = '\0';
    gnutls_memset(bytes, 0, sizeof(bytes));
    return true;
}

static bool is_name(const char *name)
{
    static const char KNOWN[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";
    size_t length = strlen(name);
    return length > 0 && length < TOKEN_NAME_MAX && strspn(name, KNOWN) == length;
}

/* ---- the hash ---- */

/* The store's key; false when it has none yet. */
static bool key_read(struct store *store, unsigned char ret_key[SECRET_BYTES], bool *ret_asked)
{
    struct sqlite3_stmt *row = store_read(store, "SELECT key FROM token_key");
    *ret_asked = row != NULL;
    bool found =
        row && sqlite3_step(row) == SQLITE_ROW && sqlite3_column_bytes(row, 0) == SECRET_BYTES;
    if (found) {
        memcpy(ret_key, sqlite3_column_blob(row, 0), SECRET_BYTES);
    }
    store_done(row);
    return found;
}

static bool hash_make(const unsigned char key[SECRET_BYTES], const char *text,
                      unsigned char ret_hash[HASH_BYTES])
{
    return gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, SECRET_BYTES, text, strlen(text), ret_hash) >=
           0;
}

/* ---- writing ---- */

static bool refuse(char ret_error[STORE_ERROR_MAX], const char *what, const char *why)
{
    (void)text_print(ret_error, STORE_ERROR_MAX, "%s: %s", what, why);
    return false;
}

static bool bind_blob(sqlite3_stmt *row, int at, const unsigned char *bytes)
{
    return sqlite3_bind_blob(row, at, bytes, HASH_BYTES, SQLITE_STATIC) == SQLITE_OK;
}

static bool bind_time(sqlite3_stmt *row, int at, int64_t seconds)
{
    return (seconds ? sqlite3_bind_int64(row, at, seconds) : sqlite3_bind_null(row, at)) ==
           SQLITE_OK;
}

/* Makes the store's key when it has none. */
static bool key_ensure(sqlite3 *db)
{
    unsigned char key[SECRET_BYTES];
    sqlite3_stmt *row = NULL;
    bool done = gnutls_rnd(GNUTLS_RND_KEY, key, sizeof(key)) >= 0 &&
                sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO token_key VALUES (1, ?1)", -1, &row,
                                   NULL) == SQLITE_OK &&
                bind_blob(row, 1, key) && sqlite3_step(row) == SQLITE_DONE;
    sqlite3_finalize(row);
    gnutls_memset(key, 0, sizeof(key));
    return done;
}

static bool row_insert(sqlite3 *db, const struct token *token, const unsigned char *hash)
{
    char scopes[TOKEN_SCOPES_MAX];
    sqlite3_stmt *row = NULL;
    token_scopes_text(token->scopes, scopes);
    bool done =
        sqlite3_prepare_v2(db,
                           "INSERT INTO tokens (id, name, hash, scopes, created_s, expires_s) "
                           "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                           -1, &row, NULL) == SQLITE_OK &&
        sqlite3_bind_text(row, 1, token->id, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_text(row, 2, token->name, -1, SQLITE_STATIC) == SQLITE_OK &&
        bind_blob(row, 3, hash) &&
        sqlite3_bind_text(row, 4, scopes, -1, SQLITE_STATIC) == SQLITE_OK &&
        bind_time(row, 5, token->created_s) && bind_time(row, 6, token->expires_s) &&
        sqlite3_step(row) == SQLITE_DONE;
    sqlite3_finalize(row);
    return done;
}

static bool name_is_used(sqlite3 *db, const char *name)
{
    sqlite3_stmt *row = NULL;
    bool used = sqlite3_prepare_v2(db, "SELECT 1 FROM tokens WHERE name = ?1 AND revoked_s IS NULL",
                                   -1, &row, NULL) == SQLITE_OK &&
                sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return used;
}

/* Adds the token under the writer's lock, its key at hand. */
static bool add_locked(struct store *store, sqlite3 *db, const char *text,
                       const struct token *token, char ret_error[STORE_ERROR_MAX])
{
    unsigned char key[SECRET_BYTES];
    unsigned char hash[HASH_BYTES];
    bool asked = false;
    if (name_is_used(db, token->name)) {
        return refuse(ret_error, token->name, "is the name of a token in use; revoke it first");
    }
    bool done = key_ensure(db) && key_read(store, key, &asked) && hash_make(key, text, hash) &&
                row_insert(db, token, hash);
    gnutls_memset(key, 0, sizeof(key));
    if (!done) {
        sql_explain(db, store_path(store), ret_error, STORE_ERROR_MAX);
    }
    return done;
}

bool token_add(struct store *store, const struct token *wanted, char ret_text[TOKEN_TEXT_MAX],
               struct token *ret_token, char ret_error[STORE_ERROR_MAX])
{
    struct token token = *wanted;
    char text[TOKEN_TEXT_MAX];
    if (!is_name(token.name)) {
        return refuse(ret_error, token.name, "is no name: 1 to 64 letters, digits and ._@-");
    }
    if (!token.scopes) {
        return refuse(ret_error, token.name, "has no scope: read, contribute or admin");
    }
    token.created_s = (int64_t)time(NULL);
    token.last_used_s = 0;
    token.revoked_s = 0;
    if (!random_text(PREFIX, SECRET_BYTES, text) || !random_text(ID_PREFIX, ID_BYTES, token.id)) {
        return refuse(ret_error, token.name, "the system gives no random numbers");
    }
    sqlite3 *db = store_writer_lock(store, ret_error);
    if (!db) {
        return false;
    }
    bool done = add_locked(store, db, text, &token, ret_error);
    store_writer_unlock(store);
    if (done) {
        memcpy(ret_text, text, sizeof(text));
        *ret_token = token;
    }
    gnutls_memset(text, 0, sizeof(text));
    return done;
}

bool token_revoke(struct store *store, const char *name_or_id, char ret_error[STORE_ERROR_MAX])
{
    sqlite3 *db = store_writer_lock(store, ret_error);
    if (!db) {
        return false;
    }
    bool done = sql_run(db,
                        "UPDATE tokens SET revoked_s = CAST(strftime('%s', 'now') AS INTEGER) "
                        "WHERE (id = ?1 OR name = ?1) AND revoked_s IS NULL",
                        "t", name_or_id);
    bool found = done && sqlite3_changes(db) > 0;
    if (!done) {
        sql_explain(db, store_path(store), ret_error, STORE_ERROR_MAX);
    } else if (!found) {
        (void)refuse(ret_error, name_or_id, "no token in use has that name or id");
    }
    store_writer_unlock(store);
    return found;
}

/* ---- reading ---- */

#define COLUMNS "id, name, scopes, created_s, expires_s, last_used_s, revoked_s"

/* A row of COLUMNS. */
static void row_read(sqlite3_stmt *row, struct token *ret_token)
{
    (void)text_print(ret_token->id, TOKEN_ID_MAX, "%s", (const char *)sqlite3_column_text(row, 0));
    (void)text_print(ret_token->name, TOKEN_NAME_MAX, "%s",
                     (const char *)sqlite3_column_text(row, 1));
    ret_token->scopes = token_scopes_parse((const char *)sqlite3_column_text(row, 2));
    ret_token->created_s = sqlite3_column_int64(row, 3);
    ret_token->expires_s = sqlite3_column_int64(row, 4);
    ret_token->last_used_s = sqlite3_column_int64(row, 5);
    ret_token->revoked_s = sqlite3_column_int64(row, 6);
}

bool tokens_each(struct store *store, token_each_fn *each, void *ctx)
{
    sqlite3_stmt *row = store_read(store, "SELECT " COLUMNS " FROM tokens ORDER BY created_s, id");
    int rc = SQLITE_ERROR;
    while (row && (rc = sqlite3_step(row)) == SQLITE_ROW) {
        struct token token;
        row_read(row, &token);
        each(ctx, &token);
    }
    store_done(row);
    return rc == SQLITE_DONE;
}

/* Notes the use; a store that is busy or cannot be written goes without. */
static void note_use(struct store *store, const char *id)
{
    sqlite3 *db = store_writer_try(store);
    if (!db) {
        return;
    }
    bool noted = sql_run(db,
                         "UPDATE tokens SET last_used_s = CAST(strftime('%s', 'now') AS INTEGER) "
                         "WHERE id = ?1",
                         "t", id);
    (void)noted;
    store_writer_unlock(store);
}

static enum token_verdict verdict_of(const struct token *token, int64_t now_s)
{
    if (token->revoked_s) {
        return TOKEN_REVOKED;
    }
    return token->expires_s && token->expires_s <= now_s ? TOKEN_EXPIRED : TOKEN_GOOD;
}

/* The token of that hash. */
static enum token_verdict find(struct store *store, const unsigned char hash[HASH_BYTES],
                               struct token *ret_token)
{
    sqlite3_stmt *row = store_read(store, "SELECT " COLUMNS ", hash FROM tokens WHERE hash = ?1");
    enum token_verdict verdict = TOKEN_UNREADABLE;
    if (row && bind_blob(row, 1, hash)) {
        int rc = sqlite3_step(row);
        verdict = rc == SQLITE_DONE ? TOKEN_UNKNOWN : TOKEN_UNREADABLE;
        if (rc == SQLITE_ROW) {
            bool same = sqlite3_column_bytes(row, 7) == HASH_BYTES &&
                        gnutls_memcmp(sqlite3_column_blob(row, 7), hash, HASH_BYTES) == 0;
            row_read(row, ret_token);
            verdict = same ? TOKEN_GOOD : TOKEN_UNKNOWN;
        }
    }
    store_done(row);
    return verdict;
}

enum token_verdict token_check(struct store *store, const char *text, struct token *ret_token)
{
    unsigned char key[SECRET_BYTES];
    unsigned char hash[HASH_BYTES];
    struct token token;
    bool asked = false;
    int64_t now_s = (int64_t)time(NULL);
    if (strlen(text) != TOKEN_TEXT_MAX - 1 || strncmp(text, PREFIX, strlen(PREFIX)) != 0) {
        return TOKEN_UNKNOWN;
    }
    if (!key_read(store, key, &asked)) {
        return asked ? TOKEN_UNKNOWN : TOKEN_UNREADABLE;
    }
    bool hashed = hash_make(key, text, hash);
    gnutls_memset(key, 0, sizeof(key));
    enum token_verdict verdict = hashed ? find(store, hash, &token) : TOKEN_UNREADABLE;
    if (verdict != TOKEN_GOOD) {
        return verdict;
    }
    verdict = verdict_of(&token, now_s);
    if (verdict == TOKEN_GOOD && now_s - token.last_used_s >= USE_SECONDS) {
        note_use(store, token.id);
    }
    *ret_token = token;
    return verdict;
}
