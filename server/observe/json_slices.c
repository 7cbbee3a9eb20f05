#include "json_slices.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 64
#define NS_PER_US 1000
#define DECIMALS_OF_US 3
#define WHOLE_MAX (INT64_MAX / 4 / NS_PER_US)

/* A number that stands in quotes, without them. */
static struct slice without_quotes(struct slice value)
{
    if (value.length >= 2 && value.text[0] == '"')
        return (struct slice){value.text + 1, value.length - 2};
    return value;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

/* Behind the closing quote of a string whose first quote is at `at`; NULL when it does not close.
 */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end; at++) {
        if (*at == '\\')
            at++;
        else if (*at == '"')
            return at + 1;
    }
    return NULL;
}

/* Behind the bracket that closes the one at `at`. */
static const char *skip_nested(const char *at, const char *end)
{
    int depth = 0;

    while (at < end) {
        char c = *at;
        if (c == '"') {
            at = skip_string(at, end);
            if (!at)
                return NULL;
            continue;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        at++;
        if (depth == 0)
            return at;
    }
    return NULL;
}

static const char *skip_value(const char *at, const char *end)
{
    if (at == end)
        return NULL;
    if (*at == '"')
        return skip_string(at, end);
    if (*at == '{' || *at == '[')
        return skip_nested(at, end);
    while (at < end && !strchr(",}] \n\r\t", *at))
        at++;
    return at;
}

bool slice_members(struct slice object, const char **ret_at)
{
    if (object.length < 2 || object.text[0] != '{')
        return false;
    *ret_at = object.text + 1;
    return true;
}

bool slice_member_next(const char **at, const char *end, struct slice_member *ret_member)
{
    const char *name = skip_blanks(*at, end);

    if (name < end && *name == ',')
        name = skip_blanks(name + 1, end);
    if (name == end || *name != '"')
        return false;
    const char *stop = skip_string(name, end);
    if (!stop)
        return false;
    const char *value = skip_blanks(stop, end);
    if (value == end || *value != ':')
        return false;
    value = skip_blanks(value + 1, end);
    const char *behind = skip_value(value, end);
    if (!behind || behind == value)
        return false;
    *ret_member = (struct slice_member){{name + 1, (size_t)(stop - name) - 2},
                                        {value, (size_t)(behind - value)}};
    *at = behind;
    return true;
}

bool slice_element_next(const char **at, const char *end, struct slice *ret_value)
{
    const char *value = skip_blanks(*at, end);

    if (value < end && *value == ',')
        value = skip_blanks(value + 1, end);
    if (value == end || *value == ']')
        return false;
    const char *behind = skip_value(value, end);
    if (!behind || behind == value)
        return false;
    *ret_value = (struct slice){value, (size_t)(behind - value)};
    *at = behind;
    return true;
}

bool slice_is(struct slice slice, const char *text)
{
    return strlen(text) == slice.length &&
           (slice.length == 0 || memcmp(slice.text, text, slice.length) == 0);
}

struct slice slice_string(struct slice value, char *room, size_t size)
{
    if (value.length < 2 || value.text[0] != '"')
        return (struct slice){NULL, 0};
    if (!memchr(value.text, '\\', value.length))
        return (struct slice){value.text + 1, value.length - 2};
    cJSON *tree = cJSON_ParseWithLength(value.text, value.length);
    const char *text = tree ? cJSON_GetStringValue(tree) : NULL;
    size_t length = text ? strnlen(text, size) : 0;
    if (text)
        memcpy(room, text, length);
    cJSON_Delete(tree);
    return (struct slice){text ? room : NULL, length};
}

double slice_number(struct slice value)
{
    char text[NUMBER_MAX], *end;

    value = without_quotes(value);
    if (value.length == 0 || value.length >= sizeof(text))
        return NAN;
    memcpy(text, value.text, value.length);
    text[value.length] = '\0';
    double number = strtod(text, &end);
    return *end == '\0' && isfinite(number) ? number : (double)NAN;
}

bool slice_us_to_ns(struct slice value, int64_t *ret_ns)
{
    value = without_quotes(value);
    if (value.length == 0)
        return false;
    const char *at = value.text, *end = at + value.length;
    bool negative = at < end && *at == '-';
    int64_t whole = 0, part = 0;
    int decimals = 0;

    at += negative;
    if (at == end || *at < '0' || *at > '9')
        return false;
    for (; at < end && *at >= '0' && *at <= '9' && whole < WHOLE_MAX; at++)
        whole = whole * 10 + (*at - '0');
    if (at < end && *at == '.')
        for (at++; at < end && *at >= '0' && *at <= '9'; at++)
            if (decimals < DECIMALS_OF_US) {
                part = part * 10 + (*at - '0');
                decimals++;
            }
    for (; decimals < DECIMALS_OF_US; decimals++)
        part *= 10;
    int64_t ns = whole * NS_PER_US + part;
    if (at < end) { /* an exponent: rare, and never of a long number */
        double number = slice_number(value);
        if (!(fabs(number) < (double)WHOLE_MAX))
            return false;
        ns = (int64_t)(fabs(number) * NS_PER_US);
    }
    *ret_ns = negative ? -ns : ns;
    return whole < WHOLE_MAX;
}
