/*
 * tokens.h - who may write, and who may read where reading is closed.
 *
 * Purpose: random tokens of 256 bits, of which the file holds the keyed hash alone (HMAC-SHA-256
 *          under a random key of the store): a copy of the file opens nothing.
 * Units:   seconds since 1970 (UTC); 0 = never.
 * Errors:  functions that write return false and one sentence.
 * Threads: any; what one process adds or revokes holds at once for all that have the file open.
 */
#ifndef REGIME_TOKENS_H
#define REGIME_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "store.h"

enum token_scope {
    TOKEN_READ = 1 << 0,
    TOKEN_CONTRIBUTE = 1 << 1,
    TOKEN_ADMIN = 1 << 2 /* holds the others */
};

#define TOKEN_NAME_MAX 65 /* with its NUL */
#define TOKEN_ID_MAX 20
/* "rgm_" and 64 hexadecimal digits. */
#define TOKEN_TEXT_MAX 69
/* Of the words of every scope. */
#define TOKEN_SCOPES_MAX 40

struct token {
    char id[TOKEN_ID_MAX], name[TOKEN_NAME_MAX];
    unsigned scopes; /* enum token_scope */
    int64_t created_s, expires_s, last_used_s, revoked_s;
};

/* The scopes of a list, "read,contribute" (comma or blank between); 0 when one is none. */
unsigned token_scopes_parse(const char *text);

/* Their words, a blank between. */
void token_scopes_text(unsigned scopes, char ret_text[TOKEN_SCOPES_MAX]);

/*
 * Makes a token of `wanted` (name, scopes, expires_s); a name is 1 to 64 letters, digits and
 * "._@-", and that of one token in use at most. The text is returned here and never again.
 */
MUST_USE bool token_add(struct store *store, const struct token *wanted,
                        char ret_text[TOKEN_TEXT_MAX], struct token *ret_token,
                        char ret_error[STORE_ERROR_MAX]);

/* Revokes the token of that id, or the one in use of that name, for good. */
MUST_USE bool token_revoke(struct store *store, const char *name_or_id,
                           char ret_error[STORE_ERROR_MAX]);

/* Calls `each` for every token, oldest first. */
typedef void token_each_fn(void *ctx, const struct token *token);
MUST_USE bool tokens_each(struct store *store, token_each_fn *each, void *ctx);

enum token_verdict {
    TOKEN_GOOD,
    TOKEN_UNKNOWN,
    TOKEN_EXPIRED,
    TOKEN_REVOKED,
    TOKEN_UNREADABLE /* the store cannot be asked */
};

/*
 * Who shows the text. It is looked up by its keyed hash, so that the time it takes says nothing of
 * any other token. *ret_token is written unless it is unknown or unreadable. A token in use is
 * noted as such, at most once a minute.
 */
enum token_verdict token_check(struct store *store, const char *text, struct token *ret_token);

#endif
