#include "profile_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NUMBER_MAX 48

struct slice slice_trimmed(struct slice slice)
{
    while (slice.length > 0 && (*slice.text == ' ' || *slice.text == '\t')) {
        slice.text++;
        slice.length--;
    }
    while (slice.length > 0 && strchr(" \t\r\n", slice.text[slice.length - 1]))
        slice.length--;
    return slice;
}

bool slice_holds(struct slice slice, const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i + length <= slice.length; i++)
        if (strncasecmp(slice.text + i, text, length) == 0)
            return true;
    return false;
}

bool line_is_rule(struct slice line)
{
    bool any = false;

    for (size_t i = 0; i < line.length; i++) {
        if (!line.text[i] || !strchr("-=+|: \t\r", line.text[i]))
            return false;
        any = any || strchr("-=", line.text[i]);
    }
    return any;
}

enum cell_style cell_style_of(struct slice line)
{
    if (memchr(line.text, '|', line.length))
        return CELLS_BARS;
    if (memchr(line.text, '\t', line.length))
        return CELLS_TABS;
    if (memchr(line.text, ',', line.length))
        return CELLS_COMMAS;
    return memchr(line.text, ';', line.length) ? CELLS_SEMICOLONS : CELLS_BLANKS;
}

/* The length of the cell at text[0..length); *ret_skip is where the next one begins. */
static size_t cell_length(const char *text, size_t length, enum cell_style style, size_t *ret_skip)
{
    static const char MARKS[] = {
        [CELLS_BARS] = '|', [CELLS_COMMAS] = ',', [CELLS_SEMICOLONS] = ';', [CELLS_TABS] = '\t'};
    bool quoted = false;
    size_t i = 0;

    if (style != CELLS_BLANKS) {
        bool quotes = style != CELLS_BARS;
        for (; i < length && (quoted || text[i] != MARKS[style]); i++)
            quoted = text[i] == '"' && quotes ? !quoted : quoted;
        *ret_skip = i + (i < length);
        return i;
    }
    while (i < length && !(text[i] == ' ' && i + 1 < length && text[i + 1] == ' '))
        i++;
    size_t skip = i;
    while (skip < length && text[skip] == ' ')
        skip++;
    *ret_skip = skip;
    return i;
}

static struct slice unquoted(struct slice cell)
{
    if (cell.length >= 2 && cell.text[0] == '"' && cell.text[cell.length - 1] == '"')
        return (struct slice){cell.text + 1, cell.length - 2};
    return cell;
}

void cells_cut(struct slice line, enum cell_style style, int max, struct cells *ret_cells)
{
    line = slice_trimmed(line);
    ret_cells->n = 0;
    if (style == CELLS_BARS && line.length > 0 && line.text[0] == '|') {
        line.text++;
        line.length--;
        if (line.length > 0 && line.text[line.length - 1] == '|')
            line.length--;
    }
    max = max < CELLS_MAX ? max : CELLS_MAX;
    while (ret_cells->n < max) {
        size_t skip = line.length, length = line.length;
        if (ret_cells->n + 1 < max)
            length = cell_length(line.text, line.length, style, &skip);
        ret_cells->cell[ret_cells->n++] =
            unquoted(slice_trimmed((struct slice){line.text, length}));
        bool more = skip < line.length || (skip > length && style != CELLS_BLANKS);
        line.text += skip;
        line.length -= skip;
        if (!more)
            return;
    }
}

/* The separators of a number. */
struct separators {
    size_t used; /* characters of digits and separators */
    size_t commas, points;
    size_t last_comma, last_point; /* places */
};

static struct separators separators_of(const char *text, size_t length)
{
    struct separators found = {0};

    for (; found.used < length && text[found.used]; found.used++) {
        char c = text[found.used];
        if (c == ',') {
            found.commas++;
            found.last_comma = found.used;
        } else if (c == '.') {
            found.points++;
            found.last_point = found.used;
        } else if (c < '0' || c > '9') {
            break;
        }
    }
    return found;
}

/* Digits with separators as strtod() reads them: of two kinds the last is the decimal point; of
 * commas alone each group of three makes thousands, anything else is a decimal comma. */
static size_t plain_number(const char *text, size_t length, char ret_number[NUMBER_MAX])
{
    struct separators found = separators_of(text, length);
    size_t n = 0, tail = found.used - found.last_comma - 1;
    bool alone = found.points == 0 && tail != 3;
    bool decimal =
        found.commas == 1 && (alone || (found.points > 0 && found.last_comma > found.last_point));
    char point = decimal ? ',' : '.';

    for (size_t i = 0; i < found.used && n < NUMBER_MAX - 8; i++) {
        if (text[i] == point)
            ret_number[n++] = '.';
        else if (text[i] != ',' && text[i] != '.')
            ret_number[n++] = text[i];
    }
    ret_number[n] = '\0';
    return found.used;
}

/* "e+06" behind a number; returns how long it is. */
static size_t exponent_of(const char *text, size_t length, char *number)
{
    size_t i = 1, n = strlen(number);

    if (length < 2 || (text[0] != 'e' && text[0] != 'E'))
        return 0;
    i += text[1] == '+' || text[1] == '-';
    size_t digits = i;
    while (i < length && i < digits + 3 && text[i] >= '0' && text[i] <= '9')
        i++;
    if (i == digits)
        return 0;
    memcpy(number + n, text, i);
    number[n + i] = '\0';
    return i;
}

static enum cell_unit unit_of(struct slice text)
{
    static const struct {
        const char *text;
        enum cell_unit unit;
    } UNITS[] = {{"ns", UNIT_NS}, {"us", UNIT_US}, {"\xce\xbcs", UNIT_US}, {"\xc2\xb5s", UNIT_US},
                 {"ms", UNIT_MS}, {"s", UNIT_S},   {"sec", UNIT_S},        {"%", UNIT_PERCENT}};

    for (size_t i = 0; i < ARRAY_LEN(UNITS); i++)
        if (slice_is(text, UNITS[i].text))
            return UNITS[i].unit;
    return UNIT_NONE;
}

struct cell_number cell_number_of(struct slice cell)
{
    struct cell_number none = {.value = NAN}, found = none;
    char number[NUMBER_MAX];

    cell = slice_trimmed(cell);
    while (cell.length > 0 && (strchr("~<>$ ", *cell.text) || (unsigned char)*cell.text >= 0xe0)) {
        found.is_bound = found.is_bound || *cell.text == '<' || *cell.text == '>';
        size_t skip = (unsigned char)*cell.text >= 0xe0 ? 3 : 1; /* "≈", "≤", "—" */
        skip = skip < cell.length ? skip : cell.length;
        cell.text += skip;
        cell.length -= skip;
    }
    if (cell.length == 0 || *cell.text < '0' || *cell.text > '9')
        return none;
    size_t used = plain_number(cell.text, cell.length, number);
    used += exponent_of(cell.text + used, cell.length - used, number);
    found.value = strtod(number, NULL);
    struct slice rest = slice_trimmed((struct slice){cell.text + used, cell.length - used});
    size_t word = 0;
    while (word < rest.length && rest.text[word] != ' ' && rest.text[word] != '-')
        word++;
    found.unit = unit_of((struct slice){rest.text, word});
    rest = (struct slice){rest.text + word, rest.length - word};
    found.is_bound = found.is_bound || slice_holds(rest, "to ") || slice_holds(rest, "-");
    return isfinite(found.value) ? found : none;
}

double cell_us(double value, enum cell_unit unit)
{
    switch (unit) {
    case UNIT_NS:
        return value / 1e3;
    case UNIT_US:
        return value;
    case UNIT_MS:
        return value * 1e3;
    case UNIT_S:
        return value * 1e6;
    case UNIT_NONE:
    case UNIT_PERCENT:
        break;
    }
    return NAN;
}
