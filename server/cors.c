#include "cors.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SEPARATORS ", \t"

struct cors {
    struct cors *replaced;
    bool any;
    char origins[]; /* with separators between */
};

struct cors *cors_new(const char *origins, struct cors *replaced)
{
    size_t size = strlen(origins) + 1;
    struct cors *cors = calloc(1, sizeof(*cors) + size);

    if (!cors)
        return NULL;
    memcpy(cors->origins, origins, size);
    cors->any = strcmp(origins, "*") == 0;
    cors->replaced = replaced;
    return cors;
}

void cors_free(struct cors *cors)
{
    while (cors) {
        struct cors *replaced = cors->replaced;
        free(cors);
        cors = replaced;
    }
}

const char *cors_allowed(const struct cors *cors, const char *origin)
{
    if (cors->any)
        return "*";
    size_t wanted = origin ? strlen(origin) : 0;
    for (const char *at = cors->origins; wanted && *at;) {
        at += strspn(at, SEPARATORS);
        size_t length = strcspn(at, SEPARATORS);
        if (length == wanted && strncasecmp(at, origin, length) == 0)
            return origin;
        at += length;
    }
    return NULL;
}

bool cors_varies(const struct cors *cors)
{
    return !cors->any;
}
