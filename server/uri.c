#include "uri.h"

#include <string.h>

#include "utf8.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The byte that "%XY" at text[0..length) stands for; -1 when it is cut off, no hexadecimal or NUL.
 */
static int escaped_byte(const char *text, size_t length)
{
    if (length < 3)
        return -1;
    int high = hex_digit(text[1]), low = hex_digit(text[2]);
    return high < 0 || low < 0 || high + low == 0 ? -1 : high * 16 + low;
}

/* Decodes text[0..length) in place and ends it with a NUL; false for bad escapes and no UTF-8. */
static bool decode(char *text, size_t length, bool plus_is_space)
{
    size_t to = 0;

    for (size_t from = 0; from < length; from++) {
        char c = text[from];
        if (c == '%') {
            int byte = escaped_byte(text + from, length - from);
            if (byte < 0)
                return false;
            c = (char)byte;
            from += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        text[to++] = c;
    }
    text[to] = '\0';
    return utf8_check(text, to) == to;
}

static void refuse(struct request *request, int status, const char *why)
{
    if (request->refusal)
        return;
    request->refusal_status = status;
    request->refusal = why;
}

/* "/" has no segment, "/a/" has two of which the second is empty. */
static void parse_path(struct request *request)
{
    char *at = arena_copy(request->arena, request->raw_path, strlen(request->raw_path));

    if (!at) {
        refuse(request, 414, "the path needs more memory than a request may use");
        return;
    }
    if (*at != '/' || !at[1])
        return;
    for (bool more = true; more;) {
        char *segment = at + 1;
        at = segment + strcspn(segment, "/");
        more = *at == '/';
        if (request->n_segments == SEGMENTS_MAX) {
            request->n_segments = -1;
            return;
        }
        if (!decode(segment, (size_t)(at - segment), false))
            refuse(request, 400,
                   "the path has a percent escape that is cut off, a NUL or not UTF-8");
        request->segments[request->n_segments++] = segment;
    }
}

/* "name=value" in place; a missing '=' gives the value "". */
static void parse_argument(char *text, size_t length, struct argument *ret_argument,
                           struct request *request)
{
    char *equals = memchr(text, '=', length);
    size_t name_length = equals ? (size_t)(equals - text) : length;
    bool good = true;

    ret_argument->value = "";
    if (equals) {
        good = decode(equals + 1, length - name_length - 1, true);
        ret_argument->value = equals + 1;
    }
    ret_argument->name = text;
    if (!decode(text, name_length, true) || !good)
        refuse(request, 400, "the query has a percent escape that is cut off, a NUL or not UTF-8");
}

static int count_arguments(const char *query)
{
    int n = 0;

    for (const char *at = query; *at; at += strcspn(at, "&")) {
        at += strspn(at, "&");
        n += *at != '\0';
    }
    return n;
}

static void parse_query(char *query, struct request *request)
{
    int n = count_arguments(query);

    if (n == 0)
        return;
    if (n > ARGUMENTS_MAX) {
        refuse(request, 414, "the query has more than 256 arguments");
        return;
    }
    struct argument *arguments = arena_alloc(request->arena, (size_t)n * sizeof(*arguments));
    if (!arguments) {
        refuse(request, 414, "the query needs more memory than a request may use");
        return;
    }
    request->arguments = arguments;
    for (char *at = query + strspn(query, "&"); *at;) {
        size_t length = strcspn(at, "&");
        char *next = at + length + strspn(at + length, "&");
        parse_argument(at, length, &arguments[request->n_arguments++], request);
        at = next;
    }
}

/* The path of "http://host/path": behind the authority. */
static char *strip_authority(char *target)
{
    char *scheme = strstr(target, "://");

    if (*target == '/' || !scheme)
        return target;
    char *path = scheme + 3 + strcspn(scheme + 3, "/?");
    if (*path == '/')
        return path;
    /* no path means "/": it replaces the last byte of the authority */
    *--path = '/';
    return path;
}

void uri_parse(char *target, struct request *request)
{
    target = strip_authority(target);
    char *query = strchr(target, '?');

    if (query)
        *query++ = '\0';
    request->raw_path = target;
    request->n_segments = 0;
    request->n_arguments = 0;
    if (*target != '/' && strcmp(target, "*") != 0)
        refuse(request, 400, "the request target is neither a path nor a URL");
    parse_path(request);
    if (query)
        parse_query(query, request);
}
