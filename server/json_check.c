#include "json_check.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

/* A shorter number without an exponent is within a double's range. */
#define SAFE_NUMBER_LENGTH 300
#define NUMBER_LENGTH_MAX 1000

struct scan {
    const char *text;
    size_t length, at;
    const char *what; /* the fault; NULL = none */
    int nesting_max;
    long values_left;
    int depth;
    bool in_object[JSON_CHECK_DEPTH_MAX];
};

static bool fail(struct scan *scan, const char *what)
{
    if (!scan->what)
        scan->what = what;
    return false;
}

/* The byte here; 0 at the end (a NUL inside the text is no byte of JSON either). */
static unsigned char peek(const struct scan *scan)
{
    return scan->at < scan->length ? (unsigned char)scan->text[scan->at] : 0;
}

static void skip_space(struct scan *scan)
{
    for (;; scan->at++) {
        unsigned char byte = peek(scan);
        if (byte != ' ' && byte != '\n' && byte != '\t' && byte != '\r')
            return;
    }
}

static bool is_digit(unsigned char byte)
{
    return byte >= '0' && byte <= '9';
}

static int hex_value(unsigned char byte)
{
    if (is_digit(byte))
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F')
        return byte - 'A' + 10;
    return -1;
}

/* Four hexadecimal digits; -1 when they are not. */
static int scan_hex4(struct scan *scan)
{
    int value = 0;

    for (int i = 0; i < 4; i++, scan->at++) {
        int digit = hex_value(peek(scan));
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* Behind "\u". */
static bool scan_unicode_escape(struct scan *scan)
{
    int unit = scan_hex4(scan);

    if (unit < 0)
        return fail(scan, "\\u needs four hexadecimal digits");
    if (unit == 0)
        return fail(scan, "\\u0000 in a string");
    if (unit < 0xd800 || unit > 0xdfff)
        return true;
    if (unit > 0xdbff || peek(scan) != '\\')
        return fail(scan, "half of a surrogate pair");
    scan->at++;
    if (peek(scan) != 'u')
        return fail(scan, "half of a surrogate pair");
    scan->at++;
    unit = scan_hex4(scan);
    return (unit >= 0xdc00 && unit <= 0xdfff) || fail(scan, "half of a surrogate pair");
}

/* Behind a backslash. */
static bool scan_escape(struct scan *scan)
{
    unsigned char byte = peek(scan);

    if (!byte || !strchr("\"\\/bfnrtu", byte))
        return fail(scan, "an unknown escape in a string");
    scan->at++;
    return byte != 'u' || scan_unicode_escape(scan);
}

static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/* One character inside a string that is no plain one and not the closing quote. */
static bool scan_special(struct scan *scan)
{
    unsigned char byte = peek(scan);

    if (scan->at >= scan->length)
        return fail(scan, "the text ends inside a string");
    if (byte < 0x20)
        return fail(scan, "a control character in a string: write it as an escape");
    if (byte == '\\') {
        scan->at++;
        return scan_escape(scan);
    }
    size_t step = utf8_character(scan->text + scan->at, scan->length - scan->at);
    scan->at += step;
    return step || fail(scan, "a byte that is not UTF-8");
}

static bool scan_string(struct scan *scan)
{
    scan->at++;
    for (;;) {
        while (is_plain(peek(scan)))
            scan->at++;
        if (peek(scan) == '"') {
            scan->at++;
            return true;
        }
        if (!scan_special(scan))
            return false;
    }
}

static bool scan_digits(struct scan *scan)
{
    if (!is_digit(peek(scan)))
        return fail(scan, "a digit is missing");
    while (is_digit(peek(scan)))
        scan->at++;
    return true;
}

/* Whether text[0..length), a number by the grammar, is a finite double. */
static bool is_finite_number(const char *text, size_t length)
{
    char copy[NUMBER_LENGTH_MAX + 1];

    memcpy(copy, text, length);
    copy[length] = '\0';
    return isfinite(strtod(copy, NULL));
}

static bool take(struct scan *scan, unsigned char byte)
{
    bool here = peek(scan) == byte;

    scan->at += here;
    return here;
}

/* Sign and digits before the point. */
static bool scan_whole(struct scan *scan)
{
    (void)take(scan, '-');
    if (!take(scan, '0'))
        return scan_digits(scan);
    return !is_digit(peek(scan)) || fail(scan, "a number begins with 0");
}

/* What may stand behind the digits and the fraction; *ret_present tells whether it does. */
static bool scan_exponent(struct scan *scan, bool *ret_present)
{
    *ret_present = take(scan, 'e') || take(scan, 'E');
    if (!*ret_present)
        return true;
    if (!take(scan, '+'))
        (void)take(scan, '-');
    return scan_digits(scan);
}

static bool scan_number(struct scan *scan)
{
    size_t start = scan->at;
    bool has_exponent;

    if (!scan_whole(scan) || (take(scan, '.') && !scan_digits(scan)) ||
        !scan_exponent(scan, &has_exponent))
        return false;
    size_t length = scan->at - start;
    if (length > NUMBER_LENGTH_MAX)
        return fail(scan, "a number of more than 1000 characters");
    if ((has_exponent || length > SAFE_NUMBER_LENGTH) &&
        !is_finite_number(scan->text + start, length))
        return fail(scan, "a number beyond the range of a double");
    return true;
}

static bool scan_word(struct scan *scan, const char *word)
{
    size_t length = strlen(word);

    if (scan->length - scan->at < length || memcmp(scan->text + scan->at, word, length) != 0)
        return fail(scan, "not a JSON value");
    scan->at += length;
    return true;
}

static bool scan_scalar(struct scan *scan)
{
    unsigned char byte = peek(scan);

    if (byte == '"')
        return scan_string(scan);
    if (byte == '-' || is_digit(byte))
        return scan_number(scan);
    if (byte == 't')
        return scan_word(scan, "true");
    if (byte == 'f')
        return scan_word(scan, "false");
    if (byte == 'n')
        return scan_word(scan, "null");
    return fail(scan, scan->at < scan->length ? "not a JSON value"
                                              : "the text ends where a value should be");
}

/* A member's name and its colon. */
static bool scan_name(struct scan *scan)
{
    skip_space(scan);
    if (peek(scan) != '"')
        return fail(scan, "the name of a member should be here, in double quotes");
    if (!scan_string(scan))
        return false;
    skip_space(scan);
    if (peek(scan) != ':')
        return fail(scan, "a ':' should be here");
    scan->at++;
    return true;
}

/* Opens an object or array; *ret_empty tells that it was closed again at once. */
static bool scan_open(struct scan *scan, bool *ret_empty)
{
    bool object = peek(scan) == '{';

    if (scan->depth == scan->nesting_max)
        return fail(scan, "nested too deeply");
    scan->in_object[scan->depth++] = object;
    scan->at++;
    skip_space(scan);
    *ret_empty = peek(scan) == (object ? '}' : ']');
    if (*ret_empty) {
        scan->at++;
        scan->depth--;
        return true;
    }
    return !object || scan_name(scan);
}

/* Behind a value: closes what ends here; true in *ret_more when another value follows. */
static bool scan_behind(struct scan *scan, bool *ret_more)
{
    *ret_more = false;
    for (;;) {
        skip_space(scan);
        if (!scan->depth)
            return true;
        bool object = scan->in_object[scan->depth - 1];
        unsigned char byte = peek(scan);
        if (byte == ',') {
            scan->at++;
            *ret_more = true;
            return !object || scan_name(scan);
        }
        if (byte != (object ? '}' : ']'))
            return fail(scan,
                        object ? "a ',' or '}' should be here" : "a ',' or ']' should be here");
        scan->at++;
        scan->depth--;
    }
}

static bool scan_values(struct scan *scan)
{
    bool more = true;

    while (more) {
        bool opened = false, empty = false;
        skip_space(scan);
        if (scan->values_left-- == 0)
            return fail(scan, "too many values");
        if (peek(scan) == '{' || peek(scan) == '[') {
            opened = true;
            if (!scan_open(scan, &empty))
                return false;
        } else if (!scan_scalar(scan)) {
            return false;
        }
        if (opened && !empty)
            continue;
        if (!scan_behind(scan, &more))
            return false;
    }
    return true;
}

static bool scan_text(struct scan *scan)
{
    if (scan->length >= 3 && memcmp(scan->text, "\xef\xbb\xbf", 3) == 0)
        return fail(scan, "a byte order mark: send UTF-8 without it");
    skip_space(scan);
    if (scan->at == scan->length)
        return fail(scan, "the text is empty");
    if (!scan_values(scan))
        return false;
    return scan->at == scan->length || fail(scan, "text behind the JSON value");
}

bool json_check(const char *text, size_t length, int nesting_max, long values_max,
                struct json_fault *ret_fault)
{
    struct scan scan = {
        .text = text, .length = length, .nesting_max = nesting_max, .values_left = values_max};

    assert(nesting_max <= JSON_CHECK_DEPTH_MAX);
    if (scan_text(&scan))
        return true;
    struct json_fault fault = {.what = scan.what, .offset = scan.at, .line = 1, .column = 1};
    for (size_t i = 0; i < scan.at; i++) {
        fault.column++;
        if (text[i] == '\n') {
            fault.line++;
            fault.column = 1;
        }
    }
    *ret_fault = fault;
    return false;
}
