#include "csv_cells.h"

#include <math.h>
#include <string.h>

void csv_text(struct json_out *out, const char *text)
{
    out_text(out, ",");
    if (!text || !strpbrk(text, ",\"\r\n")) {
        out_text(out, text ? text : "");
        return;
    }
    out_text(out, "\"");
    for (; *text; text++)
        out_bytes(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    out_text(out, "\"");
}

void csv_number(struct json_out *out, double value)
{
    out_text(out, ",");
    if (!isnan(value))
        out_number(out, value);
}
