#include "store_command.h"

#include "store_backup.h"

static bool fail(const char *what)
{
    fprintf(stderr, "regimed: %s\n", what);
    return false;
}

static void print_state(FILE *out, const char *path, const struct store_state *state)
{
    fprintf(out, "%s: sound, schema %d, %lld bytes\n", path, state->version, state->bytes);
}

bool backup_command(const char *db, const char *file, FILE *out)
{
    char error[STORE_ERROR_MAX];
    struct store_state state;

    if (!store_backup(db, file, &state, error))
        return fail(error);
    print_state(out, file, &state);
    return true;
}

bool restore_command(const char *db, const char *file, FILE *out)
{
    char error[STORE_ERROR_MAX], aside[STORE_ASIDE_MAX];
    struct store_state state;

    if (!store_restore(file, db, &state, aside, error))
        return fail(error);
    print_state(out, db, &state);
    if (aside[0])
        fprintf(out, "%s: what was there before\n", aside);
    return true;
}

bool verify_command(const char *db, FILE *out)
{
    char error[STORE_ERROR_MAX];
    struct store_state state;

    if (!store_verify(db, &state, error))
        return fail(error);
    print_state(out, db, &state);
    return true;
}
