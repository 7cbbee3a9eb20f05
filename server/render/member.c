#include "member.h"

#include <string.h>

void member_numbers(struct json_out *out, const struct member *members, size_t n, const void *base)
{
    for (size_t i = 0; i < n; i++) {
        double value;
        memcpy(&value, (const char *)base + members[i].offset, sizeof(value));
        out_bytes(out, members[i].fragment, members[i].length);
        out_number(out, value);
    }
}

void member_text(struct json_out *out, const char *fragment, size_t length, const char *text)
{
    out_bytes(out, fragment, length);
    out_bytes(out, text, strlen(text));
    out_bytes(out, "\"", 1);
}
