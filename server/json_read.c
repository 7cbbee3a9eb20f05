/*
 * json_read.c - one pass over the text, nodes linked as it goes, no recursion.
 *
 * A decoded string is never longer than it stands in the text, so one block as long as the text
 * holds them all, each with the NUL that replaces a quote.
 */
#include "json_read.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "utf8.h"

#define NUMBER_LENGTH_MAX 1000
/* Integers below 2^53 and powers of ten to 10^22 are exact doubles, so one division of the two is
 * the correctly rounded number (Clinger 1990). */
#define EXACT_DIGITS 15
#define EXACT_POWER 22

struct scan {
    const char *text;
    size_t length, at;
    const char *what; /* the fault; NULL = none */
    bool no_memory;
    struct json_limits limits;
    struct arena *arena;
    char *strings; /* where the next decoded string goes */
    struct cJSON *root;
    char *name; /* of the member that comes next */
    int depth;
    struct cJSON *open[JSON_READ_DEPTH_MAX], *last[JSON_READ_DEPTH_MAX];
};

static bool fail(struct scan *scan, const char *what)
{
    if (!scan->what)
        scan->what = what;
    return false;
}

/* The byte here; 0 at the end (a NUL inside the text is no byte of JSON either). */
static inline unsigned char peek(const struct scan *scan)
{
    return scan->at < scan->length ? (unsigned char)scan->text[scan->at] : 0;
}

static bool take(struct scan *scan, unsigned char byte)
{
    bool here = peek(scan) == byte;

    scan->at += here;
    return here;
}

static inline void skip_space(struct scan *scan)
{
    for (;; scan->at++) {
        unsigned char byte = peek(scan);
        if (byte != ' ' && byte != '\n' && byte != '\t' && byte != '\r')
            return;
    }
}

/* A node behind those of the container that is open; NULL when there is no memory or no place left.
 */
static struct cJSON *add_node(struct scan *scan, int type)
{
    if (scan->limits.values-- <= 0) {
        fail(scan, "too many values");
        return NULL;
    }
    struct cJSON *node = arena_alloc_raw(scan->arena, sizeof(*node));
    if (!node) {
        scan->no_memory = true;
        fail(scan, "no memory");
        return NULL;
    }
    *node = (struct cJSON){.type = type, .string = scan->name};
    scan->name = NULL;
    if (!scan->depth) {
        scan->root = node;
        return node;
    }
    /* cJSON keeps the last child at the first one's prev */
    struct cJSON *parent = scan->open[scan->depth - 1], *last = scan->last[scan->depth - 1];
    node->prev = last ? last : node;
    if (last)
        last->next = node;
    else
        parent->child = node;
    parent->child->prev = node;
    scan->last[scan->depth - 1] = node;
    return node;
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

/* Writes a character as UTF-8 (RFC 3629 section 3). */
static char *put_utf8(char *to, int character)
{
    static const struct {
        int below, lead, shift;
    } FORMS[] = {{0x80, 0, 0}, {0x800, 0xc0, 6}, {0x10000, 0xe0, 12}, {0x110000, 0xf0, 18}};

    size_t form = 0;

    while (character >= FORMS[form].below)
        form++;
    *to++ = (char)(FORMS[form].lead | character >> FORMS[form].shift);
    for (int shift = FORMS[form].shift - 6; shift >= 0; shift -= 6)
        *to++ = (char)(0x80 | (character >> shift & 0x3f));
    return to;
}

/* Behind "\u"; the character, or -1. */
static int scan_unicode_escape(struct scan *scan)
{
    int unit = scan_hex4(scan);

    if (unit <= 0) {
        fail(scan, unit ? "\\u needs four hexadecimal digits" : "\\u0000 in a string");
        return -1;
    }
    if (unit < 0xd800 || unit > 0xdfff)
        return unit;
    bool pair = unit <= 0xdbff && take(scan, '\\') && take(scan, 'u');
    int low = pair ? scan_hex4(scan) : -1;
    if (low < 0xdc00 || low > 0xdfff) {
        fail(scan, "half of a surrogate pair");
        return -1;
    }
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

/* Behind a backslash; where the next byte goes, or NULL. */
static char *scan_escape(struct scan *scan, char *to)
{
    static const char NAMES[] = "\"\\/bfnrtu", VALUES[] = "\"\\/\b\f\n\r\t";
    unsigned char byte = peek(scan);
    const char *name = byte ? strchr(NAMES, byte) : NULL;

    if (!name) {
        fail(scan, "an unknown escape in a string");
        return NULL;
    }
    scan->at++;
    if (byte != 'u') {
        *to = VALUES[name - NAMES];
        return to + 1;
    }
    int character = scan_unicode_escape(scan);
    return character < 0 ? NULL : put_utf8(to, character);
}

static inline bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/* One character inside a string that is no plain one and not the closing quote. */
static char *scan_special(struct scan *scan, char *to)
{
    unsigned char byte = peek(scan);

    if (scan->at >= scan->length || byte < 0x20) {
        fail(scan, scan->at >= scan->length
                       ? "the text ends inside a string"
                       : "a control character in a string: write it as an escape");
        return NULL;
    }
    if (take(scan, '\\'))
        return scan_escape(scan, to);
    size_t step = utf8_character(scan->text + scan->at, scan->length - scan->at);
    if (!step) {
        fail(scan, "a byte that is not UTF-8");
        return NULL;
    }
    memcpy(to, scan->text + scan->at, step);
    scan->at += step;
    return to + step;
}

/* A string, the quote is here; its decoded text, or NULL. */
static char *scan_string(struct scan *scan)
{
    char *text = scan->strings, *to = text;

    scan->at++;
    for (;;) {
        while (is_plain(peek(scan)))
            *to++ = scan->text[scan->at++];
        if (take(scan, '"'))
            break;
        to = scan_special(scan, to);
        if (!to)
            return NULL;
    }
    *to = '\0';
    scan->strings = to + 1;
    return text;
}

/* The digits of a number as far as they make an exact double. */
struct digits {
    uint64_t value;
    int n, decimals;
};

static bool scan_digits(struct scan *scan, struct digits *digits)
{
    size_t start = scan->at;

    for (; is_digit(peek(scan)); scan->at++, digits->n++)
        if (digits->n < EXACT_DIGITS)
            digits->value = digits->value * 10 + (uint64_t)(peek(scan) - '0');
    return scan->at > start || fail(scan, "a digit is missing");
}

/* Sign and digits before the point. */
static bool scan_whole(struct scan *scan, struct digits *digits)
{
    (void)take(scan, '-');
    if (!take(scan, '0'))
        return scan_digits(scan, digits);
    return !is_digit(peek(scan)) || fail(scan, "a number begins with 0");
}

static bool scan_fraction(struct scan *scan, struct digits *digits)
{
    int whole = digits->n;

    if (!take(scan, '.'))
        return true;
    if (!scan_digits(scan, digits))
        return false;
    digits->decimals = digits->n - whole;
    return true;
}

/* What may stand behind the digits and the fraction; *ret_present tells whether it does. */
static bool scan_exponent(struct scan *scan, bool *ret_present)
{
    struct digits digits = {0};

    *ret_present = take(scan, 'e') || take(scan, 'E');
    if (!*ret_present)
        return true;
    if (!take(scan, '+'))
        (void)take(scan, '-');
    return scan_digits(scan, &digits);
}

/* text[0..length), a number by the grammar, by the C library; length is at most NUMBER_LENGTH_MAX.
 */
static double slow_number(const char *text, size_t length)
{
    char copy[NUMBER_LENGTH_MAX + 1];

    memcpy(copy, text, length);
    copy[length] = '\0';
    return strtod(copy, NULL);
}

static double fast_number(const struct digits *digits, bool negative)
{
    static const double POWERS[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double value = (double)digits->value / POWERS[digits->decimals];

    return negative ? -value : value;
}

static int saturated(double value)
{
    if (value >= INT_MAX)
        return INT_MAX;
    return value <= INT_MIN ? INT_MIN : (int)value;
}

static bool scan_number(struct scan *scan)
{
    size_t start = scan->at;
    struct digits digits = {0};
    bool has_exponent;

    if (!scan_whole(scan, &digits) || !scan_fraction(scan, &digits) ||
        !scan_exponent(scan, &has_exponent))
        return false;
    size_t length = scan->at - start;
    if (length > NUMBER_LENGTH_MAX)
        return fail(scan, "a number of more than 1000 characters");
    bool fast = !has_exponent && digits.n <= EXACT_DIGITS && digits.decimals <= EXACT_POWER;
    double value = fast ? fast_number(&digits, scan->text[start] == '-')
                        : slow_number(scan->text + start, length);
    if (!isfinite(value))
        return fail(scan, "a number beyond the range of a double");
    struct cJSON *node = add_node(scan, cJSON_Number);
    if (!node)
        return false;
    node->valuedouble = value;
    node->valueint = saturated(value);
    return true;
}

static bool scan_word(struct scan *scan)
{
    static const struct {
        const char *text;
        size_t length;
        int type, valueint;
    } WORDS[] = {
        {"true", 4, cJSON_True, 1}, {"false", 5, cJSON_False, 0}, {"null", 4, cJSON_NULL, 0}};

    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
        if (scan->length - scan->at < WORDS[i].length ||
            memcmp(scan->text + scan->at, WORDS[i].text, WORDS[i].length) != 0)
            continue;
        struct cJSON *node = add_node(scan, WORDS[i].type);
        if (!node)
            return false;
        node->valueint = WORDS[i].valueint;
        scan->at += WORDS[i].length;
        return true;
    }
    return fail(scan, scan->at < scan->length ? "not a JSON value"
                                              : "the text ends where a value should be");
}

static bool scan_scalar(struct scan *scan)
{
    unsigned char byte = peek(scan);

    if (byte == '-' || is_digit(byte))
        return scan_number(scan);
    if (byte != '"')
        return scan_word(scan);
    struct cJSON *node = add_node(scan, cJSON_String);
    if (node)
        node->valuestring = scan_string(scan);
    return node && node->valuestring;
}

/* A member's name and its colon. */
static bool scan_name(struct scan *scan)
{
    skip_space(scan);
    if (peek(scan) != '"')
        return fail(scan, "the name of a member should be here, in double quotes");
    scan->name = scan_string(scan);
    if (!scan->name)
        return false;
    skip_space(scan);
    return take(scan, ':') || fail(scan, "a ':' should be here");
}

/* Opens an object or array; *ret_empty tells that it was closed again at once. */
static bool scan_open(struct scan *scan, bool *ret_empty)
{
    bool object = peek(scan) == '{';

    if (scan->depth == scan->limits.nesting)
        return fail(scan, "nested too deeply");
    struct cJSON *node = add_node(scan, object ? cJSON_Object : cJSON_Array);
    if (!node)
        return false;
    scan->at++;
    skip_space(scan);
    *ret_empty = take(scan, object ? '}' : ']');
    if (*ret_empty)
        return true;
    scan->open[scan->depth] = node;
    scan->last[scan->depth++] = NULL;
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
        bool object = scan->open[scan->depth - 1]->type == cJSON_Object;
        if (take(scan, ',')) {
            *ret_more = true;
            return !object || scan_name(scan);
        }
        if (!take(scan, object ? '}' : ']'))
            return fail(scan,
                        object ? "a ',' or '}' should be here" : "a ',' or ']' should be here");
        scan->depth--;
    }
}

static bool scan_values(struct scan *scan)
{
    for (bool more = true; more;) {
        bool empty = true;
        skip_space(scan);
        bool opens = peek(scan) == '{' || peek(scan) == '[';
        if (opens ? !scan_open(scan, &empty) : !scan_scalar(scan))
            return false;
        if (empty && !scan_behind(scan, &more))
            return false;
    }
    return true;
}

static bool scan_text(struct scan *scan)
{
    static const char MARK[] = "\xef\xbb\xbf";

    if (scan->length >= 3 && memcmp(scan->text, MARK, 3) == 0)
        return fail(scan, "a byte order mark: send UTF-8 without it");
    skip_space(scan);
    if (scan->at == scan->length)
        return fail(scan, "the text is empty");
    if (!scan_values(scan))
        return false;
    return scan->at == scan->length || fail(scan, "text behind the JSON value");
}

static struct json_fault fault_of(const struct scan *scan)
{
    struct json_fault fault = {scan->what, scan->at, 1, 1, scan->no_memory};

    for (size_t i = 0; i < scan->at; i++) {
        fault.column++;
        if (scan->text[i] == '\n') {
            fault.line++;
            fault.column = 1;
        }
    }
    return fault;
}

struct cJSON *json_read(const char *text, size_t length, struct json_limits limits,
                        struct arena *arena, struct json_fault *ret_fault)
{
    struct scan scan = {.text = text, .length = length, .limits = limits, .arena = arena};

    assert(limits.nesting <= JSON_READ_DEPTH_MAX);
    scan.strings = arena_alloc_raw(arena, length + 1);
    if (!scan.strings) {
        scan.no_memory = true;
        (void)fail(&scan, "no memory");
    } else if (scan_text(&scan)) {
        return scan.root;
    }
    *ret_fault = fault_of(&scan);
    return NULL;
}
