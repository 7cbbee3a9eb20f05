#include "text_layout.h"

#include <math.h>
#include <string.h>

int text_columns(const char *text)
{
    int columns = 0;

    for (; *text; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}

void text_repeat(struct json_out *out, const char *character, int n)
{
    size_t length = strlen(character);

    for (; n > 0; n--)
        out_bytes(out, character, length);
}

void text_spaces(struct json_out *out, int n)
{
    text_repeat(out, " ", n);
}

void text_cell(struct json_out *out, const char *text, int width, bool right)
{
    int padding = width - text_columns(text);

    if (right)
        text_spaces(out, padding);
    out_text(out, text);
    if (!right)
        text_spaces(out, padding);
}

void text_cell_phrase(struct json_out *out, struct phrase *phrase, int width, bool right)
{
    text_cell(out, phrase_text(phrase), width, right);
}

void text_bar(struct json_out *out, double share, int width, bool ascii)
{
    static const char *const EIGHTHS[] = {"",       "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    int steps = ascii ? 1 : 8;
    double bounded = isnan(share) ? 0 : fmin(fmax(share, 0), 1);
    int filled = (int)lround(bounded * width * steps);
    int whole = filled / steps, rest = filled % steps;

    text_repeat(out, ascii ? "#" : "\u2588", whole);
    out_text(out, EIGHTHS[rest]);
    text_repeat(out, ascii ? "." : " ", width - whole - (rest > 0));
}

void text_wrap(struct json_out *out, const char *text, int column, int indent)
{
    bool fresh = true;
    size_t lead = strspn(text, " ");

    out_bytes(out, text, lead);
    text += lead;
    column += (int)lead;
    while (*text) {
        size_t length = strcspn(text, " ");
        int columns = 0;
        for (size_t i = 0; i < length; i++)
            columns += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (!fresh && column + 1 + columns > TEXT_COLUMNS) {
            out_text(out, "\n");
            text_spaces(out, indent);
            column = indent;
            fresh = true;
        }
        if (!fresh)
            out_text(out, " ");
        column += columns + !fresh;
        out_bytes(out, text, length);
        fresh = false;
        text += length;
        text += strspn(text, " ");
    }
    out_text(out, "\n");
}
