#include "utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "compiler.h"

/* RFC 3629 section 4: for each range of the first byte, the range of the second. */
static const struct lead {
    unsigned char from, to, second_from, second_to;
    unsigned char length;
} LEADS[] = {
    {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

/* Whether the bytes behind a first one of that row are right; the text is long enough. */
static bool continues(const struct lead *lead, const char *text)
{
    if (lead->length == 1)
        return true;
    unsigned char second = (unsigned char)text[1];
    if (second < lead->second_from || second > lead->second_to)
        return false;
    for (size_t i = 2; i < lead->length; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return false;
    return true;
}

size_t utf8_character(const char *text, size_t length)
{
    if (!length)
        return 0;
    unsigned char first = (unsigned char)text[0];
    for (size_t i = 0; i < ARRAY_LEN(LEADS); i++)
        if (first >= LEADS[i].from && first <= LEADS[i].to)
            return length >= LEADS[i].length && continues(&LEADS[i], text) ? LEADS[i].length : 0;
    return 0;
}

/* Eight bytes at once: none has its top bit set. */
static bool is_ascii8(const char *text)
{
    uint64_t word;

    memcpy(&word, text, sizeof(word));
    return !(word & 0x8080808080808080u);
}

size_t utf8_check(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length) {
        if (length - at >= 8 && is_ascii8(text + at)) {
            at += 8;
            continue;
        }
        size_t step = utf8_character(text + at, length - at);
        if (!step)
            return at;
        at += step;
    }
    return length;
}
