/*
 * token_command.h - "regimed token": adds, lists and revokes tokens of a store.
 */
#ifndef REGIME_TOKEN_COMMAND_H
#define REGIME_TOKEN_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

struct store;

/*
 * `verb` is add, list or revoke; `name` a token's name, or id to revoke; scopes and how long it
 * lasts ("90d", NULL = for ever) are of add. Prints to `out`; what is wrong goes to stderr, then it
 * is false.
 */
bool token_command(struct store *store, const char *verb, const char *name, const char *scope,
                   const char *expires, FILE *out);

#endif
