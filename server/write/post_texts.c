#include "post_texts.h"

#include <stdbool.h>
#include <string.h>

#include "compiler.h"

/* Members that may have several lines. */
static const char *const LINES[] = {"notes", "why", "command", "flags"};

static bool may_have_lines(const char *name)
{
    for (size_t i = 0; name && i < ARRAY_LEN(LINES); i++)
        if (strcmp(LINES[i], name) == 0)
            return true;
    return false;
}

/* The first control character of Unicode (C0, DEL, C1), "\n" and "\t" not counted where lines
 * are; 0 when there is none. The text is UTF-8. */
static unsigned control_in(const char *text, bool lines)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        bool blank = *at == '\n' || *at == '\t' || *at == '\r';
        if ((*at < 0x20 && !(lines && blank)) || *at == 0x7f)
            return *at;
        if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
            return at[1];
    }
    return 0;
}

static void check_text(const cJSON *item, const char *name, const char *pointer,
                       struct faults *faults)
{
    bool lines = may_have_lines(name);
    size_t most = lines ? POST_TEXT_MAX : POST_LINE_MAX;
    unsigned control = control_in(item->valuestring, lines);

    if (control)
        fault_add(faults, pointer, NULL, "holds the control character U+%04X", control);
    else if (strlen(item->valuestring) > most)
        fault_add(faults, pointer, NULL, "is longer than %zu bytes", most);
}

/* `name` is that of the member, or of the list that it is in; nesting was limited by the reader. */
static void check_below(const cJSON *item, const char *name, const char *pointer,
                        struct faults *faults)
{
    const cJSON *below = NULL;
    int n = 0;

    if (cJSON_IsString(item))
        check_text(item, name, pointer, faults);
    cJSON_ArrayForEach(below, item)
    {
        const char *at = below->string
                             ? arena_printf(faults->arena, "%s/%.100s", pointer, below->string)
                             : arena_printf(faults->arena, "%s/%d", pointer, n++);
        check_below(below, below->string ? below->string : name, at ? at : pointer, faults);
    }
}

void post_check_texts(const cJSON *body, struct faults *faults)
{
    check_below(body, NULL, "", faults);
}
