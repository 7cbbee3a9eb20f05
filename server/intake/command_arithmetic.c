#include "command_arithmetic.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "command_text.h"

/* Of parentheses and signs. */
#define DEPTH_MAX 16
/* Larger numbers are no sizes; products of two stay inside a long. */
#define NUMBER_MAX 1000000000L

struct sum {
    const char *at, *end;
    arithmetic_value_fn *value;
    const void *context;
    int depth;
    bool failed;
};

static long read_sum(struct sum *sum);

static long fail(struct sum *sum)
{
    sum->failed = true;
    sum->at = sum->end;
    return 0;
}

static char next(struct sum *sum)
{
    while (sum->at < sum->end && isspace((unsigned char)*sum->at))
        sum->at++;
    return (char)(sum->at < sum->end ? *sum->at : '\0');
}

static long number_of(struct sum *sum, const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    return end == text || *end || number > NUMBER_MAX || number < -NUMBER_MAX ? fail(sum) : number;
}

/* A number or a name. */
static long read_word(struct sum *sum)
{
    char digits[16];
    size_t length = command_name_length(sum->at, sum->end);
    const char *name = sum->at;

    if (length == 0)
        return fail(sum);
    sum->at += length;
    if (!isdigit((unsigned char)*name)) {
        const char *value = sum->value(sum->context, name, length);
        return value ? number_of(sum, value) : fail(sum);
    }
    if (length >= sizeof(digits))
        return fail(sum);
    memcpy(digits, name, length);
    digits[length] = '\0';
    return number_of(sum, digits);
}

/* What stands behind "${": a name, perhaps with ":-" and a number for when it is unknown. */
static long read_braced(struct sum *sum)
{
    const char *name = sum->at;
    size_t length = command_name_length(sum->at, sum->end);
    const char *value = length ? sum->value(sum->context, name, length) : NULL;
    long number = 0;

    sum->at += length;
    bool has_default = sum->end - sum->at > 2 && sum->at[0] == ':' && sum->at[1] == '-';
    if (has_default) {
        sum->at += 2;
        number = read_word(sum);
    }
    if (value)
        number = number_of(sum, value);
    else if (!has_default)
        return fail(sum);
    if (next(sum) != '}')
        return fail(sum);
    sum->at++;
    return number;
}

static long read_factor(struct sum *sum)
{
    long number;

    switch (next(sum)) {
    case '(':
        sum->at++;
        number = read_sum(sum);
        if (next(sum) != ')')
            return fail(sum);
        sum->at++;
        return number;
    case '$':
        sum->at++;
        if (sum->at < sum->end && *sum->at == '{') {
            sum->at++;
            return read_braced(sum);
        }
        return read_word(sum);
    case '-':
        sum->at++;
        if (++sum->depth > DEPTH_MAX)
            return fail(sum);
        number = -read_factor(sum);
        sum->depth--;
        return number;
    default:
        return read_word(sum);
    }
}

static long bounded(struct sum *sum, long number)
{
    return number > NUMBER_MAX || number < -NUMBER_MAX ? fail(sum) : number;
}

static long read_product(struct sum *sum)
{
    long number = read_factor(sum);

    for (char sign = next(sum); sign == '*' || sign == '/' || sign == '%'; sign = next(sum)) {
        sum->at++;
        long other = read_factor(sum);
        if (sign == '*')
            number = bounded(sum, number * other);
        else if (other == 0)
            return fail(sum);
        else
            number = sign == '/' ? number / other : number % other;
    }
    return number;
}

static long read_sum(struct sum *sum)
{
    if (++sum->depth > DEPTH_MAX)
        return fail(sum);
    long number = read_product(sum);

    for (char sign = next(sum); sign == '+' || sign == '-'; sign = next(sum)) {
        sum->at++;
        long other = read_product(sum);
        number = bounded(sum, sign == '+' ? number + other : number - other);
    }
    sum->depth--;
    return number;
}

bool command_arithmetic(const char *text, size_t length, arithmetic_value_fn *value,
                        const void *context, long *ret_number)
{
    struct sum sum = {.at = text, .end = text + length, .value = value, .context = context};
    long number = read_sum(&sum);

    if (sum.failed || next(&sum))
        return false;
    *ret_number = number;
    return true;
}

const char *command_sum(struct arena *arena, const char *text, size_t length,
                        arithmetic_value_fn *value, const void *context)
{
    long number;

    if (length <= 4 || strncmp(text, "((", 2) != 0 || strncmp(text + length - 2, "))", 2) != 0 ||
        !command_arithmetic(text + 2, length - 4, value, context, &number))
        return NULL;
    return arena_printf(arena, "%ld", number);
}
