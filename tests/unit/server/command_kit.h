/*
 * command_kit.h - rows of command lines with the leaves that they set, for unit tests; include
 * after cmocka.h.
 */
#ifndef REGIME_COMMAND_KIT_H
#define REGIME_COMMAND_KIT_H

#include "intake_kit.h"
#include "request_query.h"

/* A command of a server, posted beside a part. */
struct command_row {
    const char *command;
    const char *leaves;  /* all that it sets, as a query */
    const char *ignored; /* flags listed as ignored, with blanks between; NULL = none */
    const char *notes;   /* ids of notes, with blanks between; NULL = none */
};

/* {"hardware": PART, "command": COMMAND} and what `more`, an object or NULL, adds; from the heap.
 */
static inline char *command_body(const char *part, const char *command, const char *more)
{
    cJSON *body = more ? cJSON_Parse(more) : cJSON_CreateObject();
    assert_non_null(body);
    if (part)
        cJSON_AddStringToObject(body, "hardware", part);
    cJSON_AddStringToObject(body, "command", command);
    char *text = cJSON_PrintUnformatted(body);
    cJSON_Delete(body);
    assert_non_null(text);
    return text;
}

/* Every leaf that was given, but the part, as a query; from the kit's arena. */
static inline const char *command_leaves(const struct kit *kit, struct reading *reading)
{
    struct json_out out;

    json_out_init(&out, kit->arena, 1024, 1 << 16);
    reading->request.given[FIELD_ID_HARDWARE] = false;
    request_query_write(&out, &reading->request);
    out_bytes(&out, "", 1);
    const char *from = out.text ? strchr(out.text, '?') : NULL;
    return from ? from + 1 : "";
}

static inline const char *command_ignored(const struct kit *kit, const struct reading *reading)
{
    struct json_out out;

    json_out_init(&out, kit->arena, 1024, 1 << 16);
    for (const struct described_flag *flag = reading->request.described.flags; flag;
         flag = flag->next)
        out_printf(&out, "%s%s", out.length ? " " : "", flag->flag);
    out_bytes(&out, "", 1);
    return out.text;
}

static inline const char *command_notes(const struct kit *kit, const struct reading *reading)
{
    struct json_out out;

    json_out_init(&out, kit->arena, 1024, 1 << 16);
    for (const struct described_note *note = reading->request.described.notes; note;
         note = note->next)
        out_printf(&out, "%s%s", out.length ? " " : "", note->id);
    out_bytes(&out, "", 1);
    return out.text;
}

/* Faults as "pointer: detail [suggestion]", one a line. */
static inline const char *command_faults(const struct kit *kit, const struct reading *reading)
{
    struct json_out out;

    json_out_init(&out, kit->arena, 1024, 1 << 16);
    for (int i = 0; i < reading->faults.n; i++) {
        const struct fault *fault = &reading->faults.items[i];
        out_printf(&out, "%s%s: %s", i ? "\n" : "", fault->pointer, fault->detail);
        if (fault->suggestion)
            out_printf(&out, " [%s]", fault->suggestion);
    }
    out_bytes(&out, "", 1);
    return out.text;
}

/* One row; false, with what differs printed, when it is read otherwise. */
static inline bool command_row_holds(struct kit *kit, const struct command_row *row)
{
    struct reading reading;
    char *body = command_body("h100-sxm", row->command, NULL);

    kit_read_json(kit, body, &reading);
    cJSON_free(body);
    if (!reading.complete) {
        print_error("%s\n  refused: %s\n", row->command, command_faults(kit, &reading));
        return false;
    }

    const struct {
        const char *what, *got, *expected;
    } SIDES[] = {
        {"leaves", command_leaves(kit, &reading), row->leaves},
        {"ignored", command_ignored(kit, &reading), row->ignored ? row->ignored : ""},
        {"notes", command_notes(kit, &reading), row->notes ? row->notes : ""},
    };

    bool good = true;
    for (size_t i = 0; i < ARRAY_LEN(SIDES); i++) {
        if (strcmp(SIDES[i].got, SIDES[i].expected) == 0)
            continue;
        print_error("%s%s\n  %s\n  got      %s\n  expected %s\n",
                    good ? "" : "  also: ", good ? row->command : "", SIDES[i].what, SIDES[i].got,
                    SIDES[i].expected);
        good = false;
    }
    return good;
}

static inline void command_rows_hold(void **state, const struct command_row *rows, size_t n)
{
    int bad = 0;

    for (size_t i = 0; i < n; i++)
        bad += !command_row_holds(*state, &rows[i]);
    if (bad)
        fail_msg("%d of %zu commands are read otherwise", bad, n);
}

#endif
