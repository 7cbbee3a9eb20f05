#include "token_command.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gnutls/gnutls.h>

#include "compiler.h"
#include "tokens.h"

#define TIME_TEXT_MAX 24
#define COUNT_MAX 100000

static bool fail(const char *what)
{
    fprintf(stderr, "regimed: %s\n", what);
    return false;
}

/* "90d" in seconds from now, 0 for NULL; false when it is no such text. */
static bool expiry_parse(const char *text, int64_t *ret_expires_s)
{
    static const struct {
        const char *unit;
        long seconds;
    } UNITS[] = {{"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}};

    char *end = NULL;
    if (!text) {
        *ret_expires_s = 0;
        return true;
    }
    long count = strtol(text, &end, 10);
    for (size_t i = 0; i < ARRAY_LEN(UNITS); i++)
        if (end != text && strcmp(end, UNITS[i].unit) == 0 && count > 0 && count <= COUNT_MAX) {
            *ret_expires_s = (int64_t)time(NULL) + count * UNITS[i].seconds;
            return true;
        }
    return false;
}

static bool add(struct store *store, const char *name, const char *scope, const char *expires,
                FILE *out)
{
    char error[STORE_ERROR_MAX];
    char text[TOKEN_TEXT_MAX];
    struct token wanted = {.scopes = scope ? token_scopes_parse(scope) : 0};
    struct token made;

    if (!name || strlen(name) >= TOKEN_NAME_MAX)
        return fail("token add needs a name of at most 64 characters");
    if (!wanted.scopes)
        return fail("token add needs --scope contribute, read or admin, a comma between");
    if (!expiry_parse(expires, &wanted.expires_s))
        return fail("--expires is a number with m, h, d or w behind it, \"90d\"");
    memcpy(wanted.name, name, strlen(name) + 1);
    if (!token_add(store, &wanted, text, &made, error))
        return fail(error);
    fprintf(out, "%s\n", text);
    gnutls_memset(text, 0, sizeof(text));
    return true;
}

static const char *time_text(int64_t seconds, const char *never, char to[TIME_TEXT_MAX])
{
    time_t at = (time_t)seconds;
    struct tm parts;

    if (!seconds || !gmtime_r(&at, &parts) ||
        !strftime(to, TIME_TEXT_MAX, "%Y-%m-%dT%H:%MZ", &parts))
        return never;
    return to;
}

static void print_row(void *ctx, const struct token *token)
{
    FILE *out = ctx;
    char scopes[TOKEN_SCOPES_MAX], created[TIME_TEXT_MAX], expires[TIME_TEXT_MAX];
    char used[TIME_TEXT_MAX];
    const char *state = "in use";

    if (token->expires_s && token->expires_s <= (int64_t)time(NULL))
        state = "expired";
    if (token->revoked_s)
        state = "revoked";
    token_scopes_text(token->scopes, scopes);
    fprintf(out, "%-14s  %-20s  %-21s  %-17s  %-17s  %-17s  %s\n", token->id, token->name, scopes,
            time_text(token->created_s, "-", created),
            time_text(token->expires_s, "never", expires),
            time_text(token->last_used_s, "never", used), state);
}

static bool list(struct store *store, FILE *out)
{
    fprintf(out, "%-14s  %-20s  %-21s  %-17s  %-17s  %-17s  %s\n", "ID", "NAME", "SCOPES",
            "CREATED", "EXPIRES", "LAST USED", "STATE");
    return tokens_each(store, print_row, out) || fail("the tokens cannot be read");
}

static bool revoke(struct store *store, const char *name)
{
    char error[STORE_ERROR_MAX];

    if (!name)
        return fail("token revoke needs a name or an id");
    return token_revoke(store, name, error) || fail(error);
}

bool token_command(struct store *store, const char *verb, const char *name, const char *scope,
                   const char *expires, FILE *out)
{
    if (strcmp(verb, "add") == 0)
        return add(store, name, scope, expires, out);
    if (strcmp(verb, "list") == 0)
        return list(store, out);
    if (strcmp(verb, "revoke") == 0)
        return revoke(store, name);
    return fail("token takes add, list or revoke");
}
