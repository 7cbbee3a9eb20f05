#include "command_text.h"

#include <ctype.h>

const char *command_closing(const char *from, char open, char close)
{
    int depth = 1;

    for (; *from; from++) {
        if (*from == '\\' && from[1])
            from++;
        else if (*from == open)
            depth++;
        else if (*from == close && --depth == 0)
            return from;
    }
    return NULL;
}

size_t command_name_length(const char *text, const char *end)
{
    size_t length = 0;

    while (text + length < end && (isalnum((unsigned char)text[length]) || text[length] == '_'))
        length++;
    return length;
}
