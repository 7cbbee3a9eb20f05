#include "negotiate.h"

#include <string.h>
#include <strings.h>

#include "json_out.h"
#include "problem.h"

#define Q_MAX 1000

/* A media type in its places: header, ?format=, Content-Type. */
static const struct media {
    const char *word, *type, *content_type;
} MEDIA[] = {
    {"json", MEDIA_JSON, MEDIA_JSON},
    {"text", MEDIA_TEXT, MEDIA_TEXT "; charset=utf-8"},
    {"csv", MEDIA_CSV, MEDIA_CSV "; charset=utf-8; header=present"},
    {"html", MEDIA_HTML, MEDIA_HTML "; charset=utf-8"},
    {"ndjson", MEDIA_NDJSON, MEDIA_NDJSON},
    {"junit", MEDIA_JUNIT, MEDIA_JUNIT "; charset=utf-8"},
    {"github", MEDIA_GITHUB, MEDIA_GITHUB "; charset=utf-8"},
    {"gitlab", MEDIA_GITLAB, MEDIA_GITLAB},
};

const char *negotiate_format(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(MEDIA); i++)
        if (strcmp(MEDIA[i].word, word) == 0)
            return MEDIA[i].type;
    return NULL;
}

const char *negotiate_word(size_t n)
{
    return n < ARRAY_LEN(MEDIA) ? MEDIA[n].word : NULL;
}

const char *content_type_of(const char *media_type)
{
    for (size_t i = 0; i < ARRAY_LEN(MEDIA); i++)
        if (MEDIA[i].type == media_type || strcmp(MEDIA[i].type, media_type) == 0)
            return MEDIA[i].content_type;
    return media_type;
}

/* A piece of a header: text[0..length). */
struct piece {
    const char *text;
    size_t length;
};

static struct piece trimmed(const char *from, const char *to)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (from < to && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    return (struct piece){from, (size_t)(to - from)};
}

/* Where the piece that begins at `text` ends: at `delimiter` outside of quotes, or at the end. */
static const char *piece_end(const char *text, const char *end, char delimiter)
{
    bool quoted = false;

    for (; text < end; text++) {
        if (quoted && *text == '\\' && text + 1 < end)
            text++;
        else if (*text == '"')
            quoted = !quoted;
        else if (*text == delimiter && !quoted)
            return text;
    }
    return end;
}

/* "0.75" as 750; -1 when it is no qvalue: 0 or 1 with at most three decimals. */
static int parse_q(struct piece text)
{
    int q = 0, unit = Q_MAX;

    if (text.length == 0 || text.length > 5 || (text.text[0] != '0' && text.text[0] != '1'))
        return -1;
    if (text.length > 1 && text.text[1] != '.')
        return -1;
    for (size_t i = 0; i < text.length; i++) {
        if (i == 1)
            continue;
        if (text.text[i] < '0' || text.text[i] > '9')
            return -1;
        q += (text.text[i] - '0') * unit;
        unit /= 10;
    }
    return q <= Q_MAX ? q : -1;
}

/* The q parameter of a range; 1000 when there is none, -1 when it is unreadable. */
static int range_q(const char *parameters, const char *end)
{
    while (parameters < end) {
        const char *stop = piece_end(parameters, end, ';');
        struct piece parameter = trimmed(parameters, stop);
        if (parameter.length >= 2 && strncasecmp(parameter.text, "q=", 2) == 0)
            return parse_q((struct piece){parameter.text + 2, parameter.length - 2});
        parameters = stop + (stop < end);
    }
    return Q_MAX;
}

/* How exactly a range names a type: 0 not at all, 1 any type, 2 the same main type, 3 the type
 * itself. */
static int range_match(struct piece range, const char *type)
{
    size_t main_length = (size_t)(strchr(type, '/') - type) + 1;

    if (range.length == 3 && memcmp(range.text, "*/*", 3) == 0)
        return 1;
    if (range.length == main_length + 1 && range.text[main_length] == '*' &&
        strncasecmp(range.text, type, main_length) == 0)
        return 2;
    return range.length == strlen(type) && strncasecmp(range.text, type, range.length) == 0 ? 3 : 0;
}

/* The q that a header gives to a type; *ret_readable counts the ranges that could be read. */
static int type_q(const char *accept, const char *end, const char *type, int *ret_readable)
{
    int best_match = 0, best_q = 0;

    while (accept < end) {
        const char *stop = piece_end(accept, end, ',');
        const char *parameters = piece_end(accept, stop, ';');
        struct piece range = trimmed(accept, parameters);
        int q = range_q(parameters + (parameters < stop), stop);
        accept = stop + (stop < end);
        if (q < 0 || !memchr(range.text, '/', range.length))
            continue;
        ++*ret_readable;
        int match = range_match(range, type);
        if (match > best_match) {
            best_match = match;
            best_q = q;
        }
    }
    return best_q;
}

const char *negotiate_accept(const char *accept, const char *const *available)
{
    const char *best = NULL;
    int best_q = 0, readable = 0;

    if (!accept || strcmp(accept, "*/*") == 0)
        return available[0];
    const char *end = accept + strlen(accept);
    for (; *available; available++) {
        int q = type_q(accept, end, *available, &readable);
        if (readable == 0)
            return *available;
        if (q > best_q) {
            best_q = q;
            best = *available;
        }
    }
    return best;
}

bool is_json_type(const char *content_type)
{
    struct piece type = trimmed(content_type, content_type + strcspn(content_type, ";"));

    if (type.length == strlen(MEDIA_JSON) && strncasecmp(type.text, MEDIA_JSON, type.length) == 0)
        return true;
    return type.length > strlen("application/+json") &&
           strncasecmp(type.text, "application/", 12) == 0 &&
           strncasecmp(type.text + type.length - 5, "+json", 5) == 0;
}

bool is_taken_type(const char *content_type, const char *const *taken)
{
    struct piece type = trimmed(content_type, content_type + strcspn(content_type, ";"));

    bool json = is_json_type(content_type);

    if (!taken)
        return json;
    for (; *taken; taken++) {
        bool same =
            type.length == strlen(*taken) && strncasecmp(type.text, *taken, type.length) == 0;
        if (same || (json && strcmp(*taken, MEDIA_JSON) == 0))
            return true;
    }
    return false;
}

void refuse_format(struct context *ctx, const char *const *available)
{
    struct json_out list;

    json_out_init(&list, ctx->request->arena, 0, 1024);
    for (size_t i = 0; available[i]; i++) {
        out_text(&list, i ? ", " : "");
        out_text(&list, available[i]);
        for (size_t k = 0; k < ARRAY_LEN(MEDIA); k++)
            if (strcmp(MEDIA[k].type, available[i]) == 0)
                out_printf(&list, " (?format=%s)", MEDIA[k].word);
    }
    const char *detail = arena_printf(ctx->request->arena, "%s replies as %.*s",
                                      ctx->request->raw_path, (int)list.length, list.text);
    problem_status(ctx, 406, detail);
}

/* "application/json, text/plain" of what the route takes. */
static const char *taken_types(const struct context *ctx)
{
    const char *const *taken = ctx->route ? ctx->route->body_types : NULL;
    const char *list = taken ? *taken : MEDIA_JSON;

    for (taken += taken != NULL; list && taken && *taken; taken++)
        list = arena_printf(ctx->request->arena, "%s, %s", list, *taken);
    return list ? list : MEDIA_JSON;
}

void refuse_media_type(struct context *ctx)
{
    const struct request *request = ctx->request;
    const char *type =
        request->content_type ? request->content_type : "of no stated type and not JSON";
    const char *taken = taken_types(ctx);
    bool binary = ctx->route && ctx->route->sink;
    const char *detail = arena_printf(
        request->arena, "%s reads %s, this body is %.100s; with curl: curl %s http://%s%s",
        request->raw_path, taken, type,
        binary ? "-H 'Content-Type: " MEDIA_BINARY "' --data-binary @FILE" : "--json @request.json",
        request->host ? request->host : "127.0.0.1:8080", request->raw_path);

    reply_header(ctx->reply, "Accept", taken);
    problem_status(ctx, 415, detail);
}
