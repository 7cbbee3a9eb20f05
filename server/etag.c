#include "etag.h"

#include <stdint.h>
#include <string.h>

#include "assets.h"

/* FNV-1a, 64 bits, by Fowler, Noll and Vo: offset basis and prime. */
#define FNV_BASIS UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

/* Takes the NUL in, so that "ab" + "c" and "a" + "bc" differ. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    do {
        hash = (hash ^ (unsigned char)*text) * FNV_PRIME;
    } while (*text++);
    return hash;
}

void etag_make(const struct context *ctx, char ret_tag[ETAG_MAX])
{
    static const char HEX[] = "0123456789abcdef";
    const struct request *request = ctx->request;
    uint64_t hash = hash_text(FNV_BASIS, REGIME_VERSION);
    size_t at = 0;

    hash = hash_text(hash, ASSETS_VERSION);
    hash = hash_text(hash, ctx->catalogue->revision);
    hash = hash_text(hash, ctx->format);
    hash = hash_text(hash, request->raw_path);
    for (int i = 0; i < request->n_arguments; i++) {
        hash = hash_text(hash, request->arguments[i].name);
        hash = hash_text(hash, request->arguments[i].value);
    }
    ret_tag[at++] = '"';
    for (int shift = 60; shift >= 0; shift -= 4)
        ret_tag[at++] = HEX[hash >> shift & 15];
    ret_tag[at++] = '"';
    ret_tag[at] = '\0';
}

bool etag_is_any(const char *if_none_match)
{
    return strcmp(if_none_match, "*") == 0;
}

bool etag_listed(const char *if_none_match, const char *tag)
{
    size_t length = strlen(tag);

    for (const char *at = if_none_match; *at;) {
        at += strspn(at, " \t,");
        if (at[0] == 'W' && at[1] == '/')
            at += 2;
        if (*at != '"')
            return false;
        const char *end = strchr(at + 1, '"');
        if (!end)
            return false;
        if ((size_t)(end + 1 - at) == length && memcmp(at, tag, length) == 0)
            return true;
        at = end + 1;
    }
    return false;
}
