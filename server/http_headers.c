#include "http_headers.h"

#include <string.h>
#include <strings.h>

/* Where a header goes; a list may be repeated, anything else may not. */
static const struct row {
    const char *name;
    size_t length;
    bool framing; /* a member of struct header_state, else of struct request */
    bool list;
    size_t offset;
} ROWS[] = {

#define IN_REQUEST(NAME, LIST, FIELD)                                                              \
    {                                                                                              \
        NAME, sizeof(NAME) - 1, false, LIST, offsetof(struct request, FIELD)                       \
    }
#define IN_STATE(NAME, FIELD)                                                                      \
    {                                                                                              \
        NAME, sizeof(NAME) - 1, true, false, offsetof(struct header_state, FIELD)                  \
    }
    IN_REQUEST("Host", false, host),
    IN_REQUEST("Accept", true, accept),
    IN_REQUEST("Content-Type", false, content_type),
    IN_STATE("Content-Length", content_length),
    IN_STATE("Transfer-Encoding", transfer_encoding),
    IN_STATE("Expect", expect),
    IN_REQUEST("If-None-Match", true, if_none_match),
    IN_REQUEST("If-Match", true, if_match),
    IN_REQUEST("Idempotency-Key", false, idempotency_key),
    IN_REQUEST("Origin", false, origin),
    IN_REQUEST("Authorization", false, authorization),
    IN_REQUEST("X-Request-Id", false, request_id),
    IN_REQUEST("traceparent", true, traceparent),
    IN_REQUEST("Content-Encoding", false, content_encoding),
    IN_REQUEST("Accept-Encoding", true, accept_encoding),
#undef IN_REQUEST
#undef IN_STATE
};

static void refuse(struct request *request, int status, const char *why)
{
    if (request->refusal)
        return;
    request->refusal_status = status;
    request->refusal = why;
}

/* RFC 9110 section 5.6.2: the characters of a token. */
static bool is_token(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
        if (!letter && (!c || !strchr("!#$%&'*+.^_`|~", c)))
            return false;
    }
    return length > 0;
}

static void put(struct header_state *state, const struct row *row, const char *value)
{
    char *base = row->framing ? (char *)state : (char *)state->request;
    const char **place = (const char **)(void *)(base + row->offset);

    if (!*place) {
        *place = value;
        return;
    }
    if (!row->list) {
        refuse(state->request, 400, "a header that may stand once is repeated");
        return;
    }
    const char *joined = arena_printf(state->request->arena, "%s, %s", *place, value);
    *place = joined ? joined : *place;
}

/* RFC 9110 section 5.5: blanks behind a value are not part of it. */
static const char *without_blanks(struct arena *arena, const char *value)
{
    size_t length = strlen(value), kept = length;

    while (kept > 0 && (value[kept - 1] == ' ' || value[kept - 1] == '\t'))
        kept--;
    const char *copy = kept < length ? arena_copy(arena, value, kept) : value;
    return copy ? copy : value;
}

void header_take(struct header_state *state, const char *name, size_t name_length,
                 const char *value)
{
    if (!is_token(name, name_length)) {
        refuse(state->request, 400, "the name of a header is not a token");
        return;
    }
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        if (ROWS[i].length == name_length && strncasecmp(ROWS[i].name, name, name_length) == 0) {
            /* how the library frames a body it sees by itself: that stays as it came */
            put(state, &ROWS[i],
                ROWS[i].framing ? value : without_blanks(state->request->arena, value));
            return;
        }
}

/* Decimal digits only; false for anything else and for more than a size_t holds. */
static bool parse_length(const char *text, size_t *ret_length)
{
    size_t length = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || length > (BODY_UNKNOWN - 10) / 10)
            return false;
        length = length * 10 + (size_t)(*text - '0');
    }
    *ret_length = length;
    return true;
}

enum framing header_framing(struct header_state *state, size_t *ret_length)
{
    struct request *request = state->request;

    *ret_length = 0;
    if (state->expect && strcasecmp(state->expect, "100-continue") != 0)
        refuse(request, 417, "the only expectation that is met is 100-continue");
    if (state->content_length && state->transfer_encoding)
        refuse(request, 400, "Content-Length and Transfer-Encoding exclude each other");
    if (state->transfer_encoding) {
        if (strcasecmp(state->transfer_encoding, "chunked") != 0)
            refuse(request, 501, "the only transfer coding that is read is chunked");
        return FRAMING_CHUNKED;
    }
    if (!state->content_length)
        return FRAMING_NONE;
    if (!parse_length(state->content_length, ret_length))
        refuse(request, 400, "Content-Length is not a number of bytes");
    return FRAMING_LENGTH;
}
