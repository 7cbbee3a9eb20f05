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

bool observe_line_next(const char **at, const char *end, char ret_line[OBSERVE_LINE_MAX])
{
    while (*at < end) {
        const char *text = *at, *line_end = memchr(text, '\n', (size_t)(end - text));
        size_t used = 0;
        if (!line_end)
            line_end = end;
        *at = line_end + (line_end < end);
        while (text < line_end && used + 1 < OBSERVE_LINE_MAX) {
            const char *behind = behind_colour(text, line_end);
            bool control = (unsigned char)*text < ' ';
            if (behind == text)
                ret_line[used++] = *behind++;
            if (behind == text + 1 && control)
                ret_line[used - 1] = ' ';
            text = behind;
        }
        ret_line[used] = '\0';
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
