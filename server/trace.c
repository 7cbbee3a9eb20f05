#include "trace.h"

#include <stddef.h>
#include <string.h>

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include "request_limits.h"

#define VERSION_LENGTH 2

static const char DIGITS[] = "0123456789abcdef";

/* Copies the field of so many digits at *at, and moves behind it. */
static bool take_digits(const char **at, size_t length, char *ret_digits)
{
    if (strspn(*at, DIGITS) < length)
        return false;
    memcpy(ret_digits, *at, length);
    ret_digits[length] = '\0';
    *at += length;
    return true;
}

static bool take_dash(const char **at)
{
    if (**at != '-')
        return false;
    (*at)++;
    return true;
}

static bool all_zero(const char *digits)
{
    return digits[strspn(digits, "0")] == '\0';
}

bool trace_read(const char *traceparent, struct trace *ret_trace)
{
    struct trace trace;
    char version[VERSION_LENGTH + 1];
    const char *at = traceparent;

    if (!at || !take_digits(&at, VERSION_LENGTH, version) || !take_dash(&at) ||
        !take_digits(&at, TRACE_ID_LENGTH, trace.trace_id) || !take_dash(&at) ||
        !take_digits(&at, SPAN_ID_LENGTH, trace.parent_id) || !take_dash(&at) ||
        !take_digits(&at, TRACE_FLAGS_LENGTH, trace.flags))
        return false;
    bool later = !all_zero(version);
    if (strcmp(version, "ff") == 0 || (*at && !(later && *at == '-')) || all_zero(trace.trace_id) ||
        all_zero(trace.parent_id))
        return false;
    *ret_trace = trace;
    return true;
}

bool request_id_ok(const char *id)
{
    static const char GOOD[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+/=:@";
    size_t length = id ? strspn(id, GOOD) : 0;

    return length > 0 && length <= REQUEST_ID_MAX && !id[length];
}

bool random_id(char *ret_id, unsigned length)
{
    unsigned char bytes[TRACE_ID_LENGTH / 2];
    char id[TRACE_ID_LENGTH + 1] = "";
    unsigned n = length / 2;

    if (n == 0 || n > sizeof(bytes))
        return false;
    do {
        if (gnutls_rnd(GNUTLS_RND_NONCE, bytes, n) < 0)
            return false;
        for (unsigned i = 0; i < n; i++) {
            id[(size_t)2 * i] = DIGITS[bytes[i] >> 4];
            id[(size_t)2 * i + 1] = DIGITS[bytes[i] & 15];
        }
        id[(size_t)2 * n] = '\0';
    } while (all_zero(id));
    memcpy(ret_id, id, (size_t)2 * n + 1);
    return true;
}
