/*
 * profile_columns.c - the heads of tables: which column is what.
 *
 * A head's words are compared in small letters, everything between them as one '_', a unit at the
 * end taken off: "Total Time (ns)" is total_time in nanoseconds.
 */
#include <string.h>
#include <strings.h>

#include "profile_lines.h"

#define HEAD_MAX 64

struct head {
    char text[HEAD_MAX];
    enum cell_unit unit;
    bool is_percent;
};

/* Takes a word off the end of a head or off its beginning. */
static bool take_off(char *text, const char *word)
{
    size_t length = strlen(text), size = strlen(word);

    if (length > size + 1 && strcmp(text + length - size, word) == 0 &&
        text[length - size - 1] == '_') {
        text[length - size - 1] = '\0';
        return true;
    }
    if (length > size + 1 && strncmp(text, word, size) == 0 && text[size] == '_') {
        memmove(text, text + size + 1, length - size);
        return true;
    }
    return false;
}

static struct head head_of(struct slice cell)
{
    static const struct {
        const char *word;
        enum cell_unit unit;
    } UNITS[] = {{"ns", UNIT_NS}, {"us", UNIT_US}, {"ms", UNIT_MS}, {"s", UNIT_S}, {"sec", UNIT_S}};
    struct head head = {.unit = UNIT_NONE};
    size_t n = 0;

    for (size_t i = 0; i < cell.length && n < HEAD_MAX - 1; i++) {
        char c = cell.text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (c >= 'A' && c <= 'Z')
            head.text[n++] = (char)(c + ('a' - 'A'));
        else if (letter)
            head.text[n++] = c;
        else if (c == '%')
            head.is_percent = true;
        else if (n > 0 && head.text[n - 1] != '_')
            head.text[n++] = '_';
    }
    while (n > 0 && head.text[n - 1] == '_')
        n--;
    head.text[n] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(UNITS); i++)
        if (take_off(head.text, UNITS[i].word))
            head.unit = UNITS[i].unit;
    head.is_percent = take_off(head.text, "pct") || take_off(head.text, "percent") ||
                      head.is_percent || strcmp(head.text, "percentage") == 0 ||
                      strcmp(head.text, "percent") == 0 || strcmp(head.text, "pct") == 0 ||
                      strcmp(head.text, "share") == 0;
    return head;
}

/* A head, the column it is, and its unit where the word has it inside. */
static const struct {
    const char *text;
    enum column_role role;
    enum cell_unit unit;
    bool percent; /* the same word with a percent sign */
    bool is_step, names_calls;
} HEADS[] = {
    {"name", COLUMN_NAME, UNIT_NONE, false, false, false},
    {"kernel", COLUMN_NAME, UNIT_NONE, false, false, false},
    {"kernel_name", COLUMN_NAME, UNIT_NONE, false, false, false},
    {"operation", COLUMN_NAME, UNIT_NONE, false, false, false},
    {"op", COLUMN_NAME, UNIT_NONE, false, false, false},
    {"op_name", COLUMN_NAME, UNIT_NONE, false, false, false},
    {"api", COLUMN_NAME, UNIT_NONE, false, false, true},
    {"api_name", COLUMN_NAME, UNIT_NONE, false, false, true},
    {"total_time", COLUMN_TIME, UNIT_NONE, false, false, false},
    {"totaldurationns", COLUMN_TIME, UNIT_NS, false, false, false},
    {"total_duration", COLUMN_TIME, UNIT_NONE, false, false, false},
    {"gpu_time", COLUMN_TIME, UNIT_NONE, false, false, false},
    {"cuda_time", COLUMN_TIME, UNIT_NONE, false, false, false},
    {"device_time", COLUMN_TIME, UNIT_NONE, false, false, false},
    {"time", COLUMN_TIME, UNIT_NONE, false, false, false},
    {"total", COLUMN_TIME, UNIT_NONE, false, false, false},
    {"duration", COLUMN_TIME, UNIT_NONE, false, false, false},
    {"time_per_step", COLUMN_TIME, UNIT_NONE, false, true, false},
    {"time_per_prefill", COLUMN_TIME, UNIT_NONE, false, true, false},
    {"time_per_token", COLUMN_TIME, UNIT_NONE, false, true, false},
    {"time_step", COLUMN_TIME, UNIT_NONE, false, true, false},
    {"self_cuda", COLUMN_TIME, UNIT_NONE, false, false, false},
    {"self_device", COLUMN_TIME, UNIT_NONE, false, false, false},
    {"self_xpu", COLUMN_TIME, UNIT_NONE, false, false, false},
    {"self_cpu", COLUMN_CPU_TIME, UNIT_NONE, false, false, false},
    {"self_cpu", COLUMN_CPU_PERCENT, UNIT_PERCENT, true, false, false},
    {"self_cuda", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"self_device", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"self_xpu", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"time", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"share", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"percentage", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"percent", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"pct", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"gpu", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"gpu_time", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"of_gpu", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"", COLUMN_PERCENT, UNIT_PERCENT, true, false, false},
    {"instances", COLUMN_LAUNCHES, UNIT_NONE, false, false, false},
    {"instances_in_trace", COLUMN_LAUNCHES, UNIT_NONE, false, false, false},
    {"calls", COLUMN_LAUNCHES, UNIT_NONE, false, false, false},
    {"num_calls", COLUMN_LAUNCHES, UNIT_NONE, false, false, false},
    {"of_calls", COLUMN_LAUNCHES, UNIT_NONE, false, false, false},
    {"total_calls_in_trace", COLUMN_LAUNCHES, UNIT_NONE, false, false, false},
    {"count", COLUMN_LAUNCHES, UNIT_NONE, false, false, false},
    {"count_per_step", COLUMN_LAUNCHES, UNIT_NONE, false, false, false},
    {"launches", COLUMN_LAUNCHES, UNIT_NONE, false, false, false},
    {"invocations", COLUMN_LAUNCHES, UNIT_NONE, false, false, false},
    {"avg", COLUMN_AVERAGE, UNIT_NONE, false, false, false},
    {"avg_each", COLUMN_AVERAGE, UNIT_NONE, false, false, false},
    {"average", COLUMN_AVERAGE, UNIT_NONE, false, false, false},
    {"averagens", COLUMN_AVERAGE, UNIT_NS, false, false, false},
    {"mean", COLUMN_AVERAGE, UNIT_NONE, false, false, false},
    {"stage", COLUMN_STAGE, UNIT_NONE, false, false, false},
    {"phase", COLUMN_STAGE, UNIT_NONE, false, false, false},
    {"wall", COLUMN_WALL, UNIT_NONE, false, false, false},
    {"clean_wall", COLUMN_WALL, UNIT_NONE, false, false, false},
    {"wall_time", COLUMN_WALL, UNIT_NONE, false, false, false},
    {"kernel_time", COLUMN_BUSY, UNIT_NONE, false, false, false},
    {"gpu_kernel_time", COLUMN_BUSY, UNIT_NONE, false, false, false},
    {"busy", COLUMN_BUSY, UNIT_NONE, false, false, false},
    {"gpu_busy", COLUMN_BUSY, UNIT_NONE, false, false, false},
};

static void take_head(const struct head *head, int column, struct table_columns *columns)
{
    for (size_t i = 0; i < ARRAY_LEN(HEADS); i++) {
        if (HEADS[i].percent != head->is_percent || strcmp(HEADS[i].text, head->text) != 0)
            continue;
        enum column_role role = HEADS[i].role;
        if (columns->at[role] >= 0)
            return;
        columns->at[role] = column;
        columns->unit[role] = HEADS[i].unit != UNIT_NONE ? HEADS[i].unit : head->unit;
        columns->is_step = columns->is_step || HEADS[i].is_step;
        columns->names_calls = columns->names_calls || HEADS[i].names_calls;
        columns->stage =
            strcmp(head->text, "time_per_prefill") == 0 ? STAGE_PREFILL : columns->stage;
        return;
    }
}

bool table_head(const struct cells *cells, struct table_columns *ret_columns)
{
    struct table_columns columns = {.n = cells->n};

    for (int i = 0; i < COLUMN_COUNT; i++)
        columns.at[i] = -1;
    for (int i = 0; i < cells->n; i++) {
        struct head head = head_of(cells->cell[i]);
        take_head(&head, i, &columns);
    }
    bool timed = columns.at[COLUMN_TIME] >= 0 || columns.at[COLUMN_PERCENT] >= 0 ||
                 columns.at[COLUMN_CPU_TIME] >= 0 ||
                 (columns.at[COLUMN_AVERAGE] >= 0 && columns.at[COLUMN_LAUNCHES] >= 0);
    bool arms = columns.at[COLUMN_WALL] >= 0 && columns.at[COLUMN_BUSY] >= 0;
    if (!arms && !(timed && columns.at[COLUMN_NAME] >= 0))
        return false;
    *ret_columns = columns;
    return true;
}
