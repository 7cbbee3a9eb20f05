#include "dtype.h"

#include <string.h>

#define X(ID, NAME) [ID] = NAME,
static const char *const DTYPE_NAMES[DTYPE_COUNT] = {DTYPE_LIST(X)};
static const char *const ROLE_NAMES[ROLE_COUNT] = {ROLE_LIST(X)};
#undef X

/* The index of `name` in a table of n names, or n. */
static int name_index(const char *const *names, int n, const char *name)
{
    int i = 0;
    while (i < n && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

const char *dtype_name(enum dtype dtype)
{
    return DTYPE_NAMES[dtype];
}

enum dtype dtype_parse(const char *name)
{
    return (enum dtype)name_index(DTYPE_NAMES, DTYPE_COUNT, name);
}

const char *role_name(enum role role)
{
    return ROLE_NAMES[role];
}

enum role role_parse(const char *name)
{
    return (enum role)name_index(ROLE_NAMES, ROLE_COUNT, name);
}
