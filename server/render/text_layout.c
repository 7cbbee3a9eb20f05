#include "text_layout.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "compiler.h"
#include "utf8.h"

/* Where a word of a paragraph ends. */
#define BLANKS " \t\r\n\v\f"

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

/* Characters that a terminal obeys instead of showing: C0 and C1 controls, marks and overrides of
 * direction, separators of lines and paragraphs, the byte order mark (Unicode 15, Cc, Zl, Zp and
 * Bidi_Control). */
static const struct {
    uint32_t first, last;
} OBEYED[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c}, {0x200e, 0x200f},
              {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}};

/* The code point of a well-formed character. */
static uint32_t code_point(const char *text, size_t length)
{
    static const unsigned char LEAD_BITS[] = {0x7f, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)text[0] & LEAD_BITS[length];

    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

static bool is_shown(const char *text, size_t length, bool ascii)
{
    uint32_t code = code_point(text, length);

    if (!length || (ascii && length > 1))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(OBEYED); i++)
        if (code >= OBEYED[i].first && code <= OBEYED[i].last)
            return false;
    return true;
}

void text_clean(struct json_out *out, size_t from, bool ascii)
{
    size_t to = from;

    while (json_out_ok(out) && from < out->length) {
        char c = out->text[from];
        if (c == '\n' || (c >= ' ' && c <= '~')) {
            out->text[to++] = c;
            from++;
            continue;
        }
        size_t length = utf8_character(out->text + from, out->length - from);
        bool shown = is_shown(out->text + from, length, ascii);
        size_t step = length ? length : 1;
        if (shown)
            memmove(out->text + to, out->text + from, step);
        else
            out->text[to] = '?';
        to += shown ? step : 1;
        from += step;
    }
    if (json_out_ok(out))
        out->length = to;
}

void text_wrap(struct json_out *out, const char *text, int column, int indent)
{
    bool fresh = true;
    size_t lead = strspn(text, " ");

    out_bytes(out, text, lead);
    text += lead;
    column += (int)lead;
    while (*text) {
        size_t length = strcspn(text, BLANKS);
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
        text += strspn(text, BLANKS);
    }
    out_text(out, "\n");
}
