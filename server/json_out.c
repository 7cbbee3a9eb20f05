#include "json_out.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "utf8.h"

#define CAPACITY_MIN 256u

void json_out_init(struct json_out *out, struct arena *arena, size_t start, size_t max)
{
    memset(out, 0, sizeof(*out));
    out->arena = arena;
    out->max = max;
    out->capacity = start < CAPACITY_MIN ? CAPACITY_MIN : start;
    if (out->capacity > max)
        out->capacity = max;
    out->text = arena_alloc_raw(arena, out->capacity);
    if (!out->text) {
        out->capacity = 0;
        out->failed = true;
    }
}

bool json_out_ok(const struct json_out *out)
{
    return !out->failed;
}

/* Room for `more` bytes, by doubling, in place when the arena can. */
static bool grow(struct json_out *out, size_t more)
{
    if (out->failed || more > out->max - out->length) {
        out->failed = true;
        return false;
    }
    size_t capacity = out->capacity;
    while (capacity - out->length < more)
        capacity = capacity > out->max / 2 ? out->max : capacity * 2;
    if (!arena_extend(out->arena, out->text, out->capacity, capacity)) {
        char *text = arena_alloc_raw(out->arena, capacity);
        if (!text) {
            out->failed = true;
            return false;
        }
        memcpy(text, out->text, out->length);
        out->text = text;
    }
    out->capacity = capacity;
    return true;
}

static inline bool reserve(struct json_out *out, size_t more)
{
    if (!out->failed && out->capacity - out->length >= more)
        return true;
    return grow(out, more);
}

static inline void put_byte(struct json_out *out, char byte)
{
    out->text[out->length++] = byte;
}

/* Room for `more` bytes and, before a value or a name that follows another, its comma. */
static inline bool begin_item(struct json_out *out, size_t more)
{
    if (!reserve(out, more + 1))
        return false;
    if (out->needs_comma[out->depth])
        put_byte(out, ',');
    out->needs_comma[out->depth] = true;
    return true;
}

static void begin(struct json_out *out, char bracket)
{
    if (!begin_item(out, 1))
        return;
    if (out->depth + 1 == JSON_DEPTH_MAX) {
        out->failed = true;
        return;
    }
    put_byte(out, bracket);
    out->needs_comma[++out->depth] = false;
}

static void end(struct json_out *out, char bracket)
{
    if (!reserve(out, 1))
        return;
    if (out->depth == 0) {
        out->failed = true;
        return;
    }
    out->depth--;
    put_byte(out, bracket);
}

void json_begin_object(struct json_out *out)
{
    begin(out, '{');
}

void json_end_object(struct json_out *out)
{
    end(out, '}');
}

void json_begin_array(struct json_out *out)
{
    begin(out, '[');
}

void json_end_array(struct json_out *out)
{
    end(out, ']');
}

/* Name and colon, with room for `more` bytes behind them; the value is up to the caller. */
static inline bool begin_member(struct json_out *out, const char *name, size_t more)
{
    size_t length = strlen(name);

    if (!begin_item(out, length + 3 + more))
        return false;
    put_byte(out, '"');
    memcpy(out->text + out->length, name, length);
    out->length += length;
    put_byte(out, '"');
    put_byte(out, ':');
    return true;
}

void json_key(struct json_out *out, const char *name)
{
    if (begin_member(out, name, 0))
        out->needs_comma[out->depth] = false;
}

/* Bytes that stand in a string as they are: all but control characters, '"', '\\' and non-ASCII. */
static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

static void put_escape(struct json_out *out, unsigned char byte)
{
    static const char HEX[] = "0123456789abcdef";
    static const char SHORT[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

    put_byte(out, '\\');
    if (byte >= 0x20) {
        put_byte(out, (char)byte);
        return;
    }
    if (SHORT[byte]) {
        put_byte(out, SHORT[byte]);
        return;
    }
    memcpy(out->text + out->length, "u00", 3);
    out->length += 3;
    put_byte(out, HEX[byte >> 4]);
    put_byte(out, HEX[byte & 15]);
}

/* One character that is not plain; returns how many bytes of the input it took. */
static size_t put_special(struct json_out *out, const char *text, size_t length)
{
    static const char REPLACEMENT[] = "\xef\xbf\xbd"; /* U+FFFD for a byte that is not UTF-8 */
    unsigned char byte = (unsigned char)text[0];

    if (byte < 0x80) {
        put_escape(out, byte);
        return 1;
    }
    size_t step = utf8_character(text, length);
    memcpy(out->text + out->length, step ? text : REPLACEMENT, step ? step : 3);
    out->length += step ? step : 3;
    return step ? step : 1;
}

/*
 * How many bytes of value[0..length) are plain, eight at a time. A byte has its top bit set in the
 * sum below when it is a control character (b - 0x20 borrows), a quote or a backslash (b ^ c is
 * zero, so minus one borrows) or no ASCII. A borrow may spread to higher bytes only, so a clear
 * word has none of them.
 */
static size_t plain_length(const char *value, size_t length)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
    size_t at = 0;

    for (; length - at >= sizeof(ones); at += sizeof(ones)) {
        uint64_t word;
        memcpy(&word, value + at, sizeof(word));
        uint64_t special = (word - ones * 0x20) | ((word ^ ones * '"') - ones) |
                           ((word ^ ones * '\\') - ones) | word;
        if (special & tops)
            break;
    }
    while (at < length && is_plain((unsigned char)value[at]))
        at++;
    return at;
}

void json_text_n(struct json_out *out, const char *value, size_t length)
{
    size_t at = 0;

    if (!begin_item(out, length + 2))
        return;
    put_byte(out, '"');
    while (at < length) {
        size_t plain = plain_length(value + at, length - at);
        /* six bytes for the longest escape, the quote at the end */
        if (!reserve(out, plain + 7))
            return;
        memcpy(out->text + out->length, value + at, plain);
        out->length += plain;
        at += plain;
        if (at < length)
            at += put_special(out, value + at, length - at);
    }
    if (reserve(out, 1))
        put_byte(out, '"');
}

void json_text(struct json_out *out, const char *value)
{
    if (!value) {
        json_null(out);
        return;
    }
    json_text_n(out, value, strlen(value));
}

void json_number(struct json_out *out, double value)
{
    if (begin_item(out, NUMBER_TEXT_MAX))
        out->length += number_write(value, out->text + out->length);
}

void json_raw(struct json_out *out, const char *json, size_t length)
{
    if (!begin_item(out, length))
        return;
    memcpy(out->text + out->length, json, length);
    out->length += length;
}

void json_bool(struct json_out *out, bool value)
{
    if (value)
        json_raw(out, "true", 4);
    else
        json_raw(out, "false", 5);
}

void json_null(struct json_out *out)
{
    json_raw(out, "null", 4);
}

void json_put_text(struct json_out *out, const char *name, const char *value)
{
    json_key(out, name);
    json_text(out, value);
}

void json_put_number(struct json_out *out, const char *name, double value)
{
    if (begin_member(out, name, NUMBER_TEXT_MAX))
        out->length += number_write(value, out->text + out->length);
}

void json_put_bool(struct json_out *out, const char *name, bool value)
{
    json_key(out, name);
    json_bool(out, value);
}

void json_put_null(struct json_out *out, const char *name)
{
    json_key(out, name);
    json_null(out);
}

void out_bytes(struct json_out *out, const char *text, size_t length)
{
    if (!length || !reserve(out, length))
        return;
    memcpy(out->text + out->length, text, length);
    out->length += length;
}

void out_number(struct json_out *out, double value)
{
    if (reserve(out, NUMBER_TEXT_MAX))
        out->length += number_write(value, out->text + out->length);
}

void out_text(struct json_out *out, const char *text)
{
    out_bytes(out, text, strlen(text));
}

void out_printf(struct json_out *out, const char *format, ...)
{
    va_list arguments;
    size_t room = out->failed ? 0 : out->capacity - out->length;

    va_start(arguments, format);
    int length = vsnprintf(room ? out->text + out->length : NULL, room, format, arguments);
    va_end(arguments);
    if (length < 0) {
        out->failed = true;
        return;
    }
    if ((size_t)length >= room) {
        if (!reserve(out, (size_t)length + 1))
            return;
        va_start(arguments, format);
        vsnprintf(out->text + out->length, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    out->length += (size_t)length;
}
