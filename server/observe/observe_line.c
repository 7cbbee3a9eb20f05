#include "observe_line.h"

#include <ctype.h>
#include <string.h>

#include "utf8.h"

/* Of a line that is not understood. */
#define BEGINNING_MAX 60

/* Where the colour that begins at text[0..length) ends; text when none does. */
static const char *behind_colour(const char *text, const char *end)
{
    if (end - text < 2 || text[0] != '\033' || text[1] != '[')
        return text;
    text += 2;
    while (text < end && !isalpha((unsigned char)*text))
        text++;
    return text + (text < end);
}

/* Copies text[0..line_end) as far as it fits; where the copy ends in the text. Of what does not fit
 * in one piece the next begins behind the last comma: lists of statistics are one long line. */
static const char *copy_line(const char *text, const char *line_end,
                             char ret_line[OBSERVE_LINE_MAX])
{
    const char *behind_comma = NULL;
    size_t used = 0, comma = 0;

    while (text < line_end && used + 1 < OBSERVE_LINE_MAX) {
        const char *behind = behind_colour(text, line_end);
        bool plain = behind == text;
        if (plain)
            ret_line[used++] = *behind++;
        if (plain && (unsigned char)*text < ' ')
            ret_line[used - 1] = ' ';
        if (plain && *text == ',') {
            comma = used;
            behind_comma = behind;
        }
        text = behind;
    }
    if (text < line_end && behind_comma) {
        used = comma;
        text = behind_comma;
    }
    ret_line[used] = '\0';
    return text;
}

bool observe_line_next(const char **at, const char *end, char ret_line[OBSERVE_LINE_MAX])
{
    while (*at < end) {
        const char *line_end = memchr(*at, '\n', (size_t)(end - *at));
        if (!line_end)
            line_end = end;
        *at = copy_line(*at, line_end, ret_line);
        if (*at == line_end && *at < end)
            (*at)++;
        if (ret_line[strspn(ret_line, " ")] != '\0')
            return true;
    }
    return false;
}

const char *observe_keep(struct arena *arena, const char *text, size_t max)
{
    size_t length = strlen(text);

    return arena_copy(arena, text, utf8_check(text, length < max ? length : max));
}

void observe_not_understood(struct arena *arena, struct observed_reading *reading, const char *line)
{
    size_t n = reading->unknown++;

    if (n < OBSERVED_UNKNOWN_MAX)
        reading->unknown_names[n] = observe_keep(arena, line, BEGINNING_MAX);
}
