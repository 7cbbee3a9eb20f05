#include "phrase.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "units.h"
#include "utf8.h"

#define NO_RECORD "no record"
#define DIGITS_MAX 20

void phrase_begin(struct phrase *phrase)
{
    phrase->length = 0;
}

const char *phrase_text(struct phrase *phrase)
{
    phrase->text[phrase->length] = '\0';
    return phrase->text;
}

void phrase_add_n(struct phrase *phrase, const char *text, size_t length)
{
    size_t room = sizeof(phrase->text) - 1 - phrase->length;

    if (length > room) {
        size_t kept = 0, step;
        while ((step = utf8_character(text + kept, length - kept)) != 0 && kept + step <= room)
            kept += step;
        length = kept;
    }
    memcpy(phrase->text + phrase->length, text, length);
    phrase->length += length;
}

void phrase_add(struct phrase *phrase, const char *text)
{
    phrase_add_n(phrase, text, strlen(text));
}

/* 10^n for n in -30..30. */
static double power_of_ten(int n)
{
    static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23,
                                    1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30};
    int most = (int)(sizeof(POWERS) / sizeof(POWERS[0])) - 1;
    int size = n < 0 ? -n : n;

    if (size > most)
        return n < 0 ? 0 : INFINITY;
    return n < 0 ? 1 / POWERS[size] : POWERS[size];
}

/* Decimal digits of a whole number, `least` at the least; returns the length. */
static size_t digits_of(uint64_t value, int least, char *ret_digits)
{
    char reversed[DIGITS_MAX];
    size_t n = 0;

    do {
        reversed[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value || n < (size_t)least);
    for (size_t i = 0; i < n; i++)
        ret_digits[i] = reversed[n - 1 - i];
    return n;
}

/* True when the value was no number and has been written in words. */
static bool add_odd(struct phrase *phrase, double *value)
{
    if (isnan(*value)) {
        phrase_add(phrase, NO_RECORD);
        return true;
    }
    if (*value < 0) {
        phrase_add(phrase, "-");
        *value = -*value;
    }
    if (isinf(*value)) {
        phrase_add(phrase, "unbounded");
        return true;
    }
    return false;
}

static void add_grouped(struct phrase *phrase, const char *digits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            phrase_add(phrase, ",");
        phrase_add_n(phrase, &digits[i], 1);
    }
}

/* Largest value whose whole part is written out. */
#define PLAIN_MAX 1e15

void phrase_fixed(struct phrase *phrase, double value, int decimals)
{
    char digits[DIGITS_MAX + 4];

    if (add_odd(phrase, &value))
        return;
    if (value >= PLAIN_MAX) {
        phrase_number(phrase, value, 3);
        return;
    }
    uint64_t scaled = (uint64_t)llround(value * power_of_ten(decimals));
    size_t n = digits_of(scaled, decimals + 1, digits);
    size_t whole = n - (size_t)decimals;
    add_grouped(phrase, digits, whole);
    if (!decimals)
        return;
    phrase_add(phrase, ".");
    phrase_add_n(phrase, digits + whole, (size_t)decimals);
}

void phrase_whole(struct phrase *phrase, double value)
{
    phrase_fixed(phrase, value, 0);
}

/* "6.98e9": digits and their power of ten. */
static void add_scientific(struct phrase *phrase, double value, int exponent, int digits)
{
    char text[DIGITS_MAX];
    uint64_t scaled = (uint64_t)llround(value / power_of_ten(exponent) * power_of_ten(digits - 1));

    if (scaled >= (uint64_t)power_of_ten(digits)) {
        scaled /= 10;
        exponent++;
    }
    size_t n = digits_of(scaled, digits, text);
    while (n > 1 && text[n - 1] == '0')
        n--;
    phrase_add_n(phrase, text, 1);
    if (n > 1)
        phrase_add(phrase, ".");
    phrase_add_n(phrase, text + 1, n - 1);
    phrase_add(phrase, exponent < 0 ? "e-" : "e");
    n = digits_of((uint64_t)(exponent < 0 ? -exponent : exponent), 1, text);
    phrase_add_n(phrase, text, n);
}

/* floor(log10(value)) for a positive value. */
static int exponent_of(double value)
{
    int twos;

    (void)frexp(value, &twos);
    /* 2^(twos - 1) <= value: log10(2) is a little over 0.30103 */
    int exponent = (int)floor((twos - 1) * 0.30103);
    return value >= power_of_ten(exponent + 1) ? exponent + 1 : exponent;
}

void phrase_number(struct phrase *phrase, double value, int digits)
{
    if (add_odd(phrase, &value))
        return;
    if (value == 0) {
        phrase_add(phrase, "0");
        return;
    }
    int exponent = exponent_of(value);
    if (exponent >= 6 || exponent < -3) {
        add_scientific(phrase, value, exponent, digits);
        return;
    }
    int decimals = digits - 1 - exponent;
    /* 99.96 rounds into the next decade */
    if (value + 0.5 * power_of_ten(-decimals) >= power_of_ten(exponent + 1))
        decimals--;
    if (decimals <= 0 || value == floor(value)) {
        phrase_whole(phrase, value);
        return;
    }
    phrase_fixed(phrase, value, decimals);
}

void phrase_plain(struct phrase *phrase, double value, int digits)
{
    size_t start = phrase->length;

    phrase_number(phrase, value, digits);
    if (!memchr(phrase->text + start, '.', phrase->length - start) ||
        memchr(phrase->text + start, 'e', phrase->length - start))
        return;
    while (phrase->text[phrase->length - 1] == '0')
        phrase->length--;
    phrase->length -= phrase->text[phrase->length - 1] == '.';
}

/* A unit and the smallest value that is told in it. */
struct unit {
    double least, size;
    const char *name;
};

/* To three digits in the largest unit that the value reaches; the last row takes the rest. */
static void add_in_units(struct phrase *phrase, double value, const struct unit *units)
{
    if (add_odd(phrase, &value))
        return;
    while (value < units->least * units->size && units->least > 0)
        units++;
    phrase_number(phrase, value / units->size, 3);
    phrase_add(phrase, units->name);
}

void phrase_bytes(struct phrase *phrase, double bytes)
{
    static const struct unit UNITS[] = {{0.9995, 1e12, " TB"},
                                        {0.9995, 1e9, " GB"},
                                        {0.9995, 1e6, " MB"},
                                        {0.9995, 1e3, " kB"},
                                        {0, 1, " B"}};

    add_in_units(phrase, bytes, UNITS);
}

void phrase_time(struct phrase *phrase, double us)
{
    static const struct unit UNITS[] = {
        {0.9995, US_PER_S, " s"}, {0.9995, US_PER_MS, " ms"}, {0, 1, " us"}};

    add_in_units(phrase, us, UNITS);
}

void phrase_flops(struct phrase *phrase, double flops)
{
    static const struct unit UNITS[] = {{0.9995, 1e15, " PFLOP"},
                                        {0.9995, 1e12, " TFLOP"},
                                        {0.9995, 1e9, " GFLOP"},
                                        {0.9995, 1e6, " MFLOP"},
                                        {0, 1, " FLOP"}};

    add_in_units(phrase, flops, UNITS);
}

void phrase_percent(struct phrase *phrase, double share)
{
    double percent = share * 100;

    phrase_fixed(phrase, percent, fabs(percent) < 9.95 && percent != 0 ? 1 : 0);
    if (!isnan(share))
        phrase_add(phrase, " %");
}

void phrase_change(struct phrase *phrase, double change)
{
    double percent = fabs(change * 100);
    int decimals = percent < 9.95 ? 1 : 0;

    if (isnan(change)) {
        phrase_add(phrase, NO_RECORD);
        return;
    }
    if (percent < 0.05)
        decimals = 0;
    else
        phrase_add(phrase, change < 0 ? "-" : "+");
    phrase_fixed(phrase, percent, decimals);
    phrase_add(phrase, " %");
}

void phrase_version(struct phrase *phrase, const int version[3])
{
    char digits[DIGITS_MAX];

    for (int i = 0; i < 3; i++) {
        if (i)
            phrase_add(phrase, ".");
        phrase_add_n(phrase, digits,
                     digits_of((uint64_t)(version[i] > 0 ? version[i] : 0), 1, digits));
    }
}

/* Templates ------------------------------------------------------------------------------------ */

static size_t figure_index(char letter)
{
    return (size_t)(unsigned char)letter - 'A';
}

void figure_set(struct figures *figures, char letter, double value)
{
    if (figure_index(letter) < FIGURES)
        figures->number[figure_index(letter)] = value;
}

void figure_name(struct figures *figures, char letter, const char *text)
{
    if (figure_index(letter) < FIGURES)
        figures->text[figure_index(letter)] = text;
}

static void add_hole(struct phrase *phrase, char kind, const struct figures *figures, size_t index)
{
    switch (kind) {
    case 'n':
        phrase_number(phrase, figures->number[index], 3);
        break;
    case 'w':
        phrase_whole(phrase, figures->number[index]);
        break;
    case 'f':
        phrase_fixed(phrase, figures->number[index], 1);
        break;
    case 'b':
        phrase_bytes(phrase, figures->number[index]);
        break;
    case 't':
        phrase_time(phrase, figures->number[index]);
        break;
    case 'p':
        phrase_percent(phrase, figures->number[index]);
        break;
    default:
        phrase_add(phrase, figures->text[index] ? figures->text[index] : NO_RECORD);
    }
}

void phrase_fill(struct phrase *phrase, const char *template, const struct figures *figures)
{
    const char *hole;

    while ((hole = strchr(template, '{')) != NULL && hole[1] && hole[2] && hole[3] == '}' &&
           figure_index(hole[2]) < FIGURES) {
        phrase_add_n(phrase, template, (size_t)(hole - template));
        add_hole(phrase, hole[1], figures, figure_index(hole[2]));
        template = hole + 4;
    }
    phrase_add(phrase, template);
}
