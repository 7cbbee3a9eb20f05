#include "words.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

/* Words of a pattern stand within this many words of each other. */
#define NEAR 9
#define PATTERN_WORDS_MAX 8

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || ((unsigned char)c & 0x80) != 0;
}

/* Bytes of the word that begins here. */
static size_t word_length(const char *text)
{
    size_t n = 0;

    while (is_word_byte(text[n]) ||
           (text[n] == '.' && n > 0 && isdigit((unsigned char)text[n - 1]) &&
            isdigit((unsigned char)text[n + 1])))
        n++;
    return n;
}

struct words words_read(struct arena *arena, const char *text)
{
    const char **items = arena_alloc(arena, WORDS_MAX * sizeof(*items));
    struct words words = {items, 0};

    while (items && *text && words.n < WORDS_MAX) {
        size_t length = word_length(text);
        bool ends = (*text == '.' || *text == ';' || *text == '\n') && words.n > 0;
        if (length == 0 && !ends && *text != '%' && *text != '+') {
            text++;
            continue;
        }
        char *word = arena_copy(arena, ends ? "." : text, length > 0 ? length : 1);
        if (!word)
            break;
        for (char *c = word; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        items[words.n++] = word;
        text += length > 0 ? length : 1;
    }
    return words;
}

static bool is_number(const char *word)
{
    return isdigit((unsigned char)word[0]) != 0;
}

bool words_is_version(const char *word)
{
    bool build = word[0] == 'b';
    int dots = 0, digits = 0;

    word += build || word[0] == 'v';
    for (const char *c = word; *c; c++) {
        dots += *c == '.';
        digits += isdigit((unsigned char)*c) != 0;
        if (!isdigit((unsigned char)*c) && *c != '.')
            return false;
    }
    return dots >= 2 || (build && digits >= 4);
}

/* Whether one word is what form[0..length) says. */
static bool fits(const struct words *words, int at, const char *form, size_t length)
{
    const char *word = words->items[at];
    size_t n = strlen(word);

    if (length == 1 && form[0] == '@')
        return words_is_version(word);
    if (length > 0 && form[length - 1] == '*')
        return n >= length - 1 && strncmp(word, form, length - 1) == 0;
    if (length > 0 && form[length - 1] == '#') {
        if (n < length - 1 || strncmp(word, form, length - 1) != 0)
            return false;
        if (n == length - 1)
            return at + 1 < words->n && is_number(words->items[at + 1]);
        return is_number(word + length - 1);
    }
    bool plural = (n == length + 1 && word[n - 1] == 's') ||
                  (n == length + 2 && strcmp(word + length, "es") == 0);
    return (n == length || plural) && strncmp(word, form, length) == 0;
}

/* Words that follow each other from a place on; how many they are, 0 when they are not there. */
static int fits_sequence(const struct words *words, int at, const char *form, size_t length)
{
    int n = 0;

    while (length > 0) {
        size_t part = 0;
        while (part < length && form[part] != '_')
            part++;
        if (at + n >= words->n || !fits(words, at + n, form, part))
            return 0;
        n++;
        form += part;
        length -= part;
        if (length > 0) {
            form++;
            length--;
        }
    }
    return n;
}

/* One of the alternatives of an element at that place. */
static bool fits_element(const struct words *words, int at, const char *element, size_t length)
{
    while (length > 0) {
        size_t part = 0;
        while (part < length && element[part] != '|')
            part++;
        if (fits_sequence(words, at, element, part) > 0)
            return true;
        element += part;
        length -= part;
        if (length > 0) {
            element++;
            length--;
        }
    }
    return false;
}

bool words_negated(const struct words *words, int at)
{
    static const char *const NO[] = {"no",  "without", "not",     "non",      "never",
                                     "w/o", "zero",    "disable", "disabled", "disabling"};

    for (size_t i = 0; at > 0 && i < ARRAY_LEN(NO); i++)
        if (strcmp(words->items[at - 1], NO[i]) == 0)
            return true;
    return false;
}

/* Whether the element is there between two places and not denied. */
static bool stands_between(const struct words *words, int from, int to, const char *element,
                           size_t length)
{
    for (int i = from < 0 ? 0 : from; i < to && i < words->n; i++)
        if (fits_element(words, i, element, length) && !words_negated(words, i))
            return true;
    return false;
}

int words_find(const struct words *words, const char *pattern)
{
    size_t first = strcspn(pattern, " ");

    for (int i = 0; i < words->n; i++) {
        if (!fits_element(words, i, pattern, first) || words_negated(words, i))
            continue;
        const char *rest = pattern + first;
        bool all = true;
        while (all && *rest) {
            rest++;
            size_t length = strcspn(rest, " ");
            all = stands_between(words, i - NEAR, i + NEAR + 1, rest, length);
            rest += length;
        }
        if (all)
            return i;
    }
    return -1;
}

double words_number(const struct words *words, int at)
{
    const char *word = words->items[at];
    const char *digits = word + strcspn(word, "0123456789");

    if (!*digits && at + 1 < words->n)
        digits = words->items[at + 1];
    return is_number(digits) ? strtod(digits, NULL) : (double)NAN;
}
