/*
 * profile_table.c - rows of tables: nsys stats, rocprofv3, torch key_averages, SGLang's triage,
 * and tables that people made.
 */
#include <math.h>
#include <string.h>

#include "profile_lines.h"

static struct slice cell_at(const struct lines_state *state, const struct cells *cells,
                            enum column_role role)
{
    int at = state->columns.at[role];

    return at >= 0 && at < cells->n ? cells->cell[at] : (struct slice){"", 0};
}

/* Microseconds of a time; the cell's own unit goes before that of the head. */
static double time_at(const struct lines_state *state, const struct cells *cells,
                      enum column_role role)
{
    struct cell_number number = cell_number_of(cell_at(state, cells, role));
    enum cell_unit unit = number.unit != UNIT_NONE ? number.unit : state->columns.unit[role];

    return number.is_bound ? (double)NAN : cell_us(number.value, unit);
}

static double number_at(const struct lines_state *state, const struct cells *cells,
                        enum column_role role)
{
    struct cell_number number = cell_number_of(cell_at(state, cells, role));

    return number.is_bound ? (double)NAN : number.value;
}

/* Marks of Markdown around a name. */
static struct slice name_of(struct slice cell)
{
    while (cell.length > 1 && strchr("*`", cell.text[0])) {
        cell.text++;
        cell.length--;
    }
    while (cell.length > 1 && strchr("*`", cell.text[cell.length - 1]))
        cell.length--;
    return cell;
}

static enum profile_stage stage_of(struct slice cell)
{
    if (slice_holds(cell, "decode"))
        return STAGE_DECODE;
    return slice_holds(cell, "prefill") || slice_holds(cell, "extend") ? STAGE_PREFILL : STAGE_ANY;
}

/* "cudaLaunchKernel", "cuMemAllocAsync", "hipGraphLaunch": a call and no kernel. */
static bool is_call(struct slice name)
{
    static const char *const PREFIXES[] = {"cuda", "cu", "hip"};

    if (memchr(name.text, '<', name.length) || memchr(name.text, '(', name.length) ||
        memchr(name.text, ' ', name.length))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(PREFIXES); i++) {
        size_t length = strlen(PREFIXES[i]);
        if (name.length > length && memcmp(name.text, PREFIXES[i], length) == 0 &&
            name.text[length] >= 'A' && name.text[length] <= 'Z')
            return true;
    }
    return false;
}

static bool is_total(struct slice name)
{
    return slice_is(name, "Total") || slice_is(name, "TOTAL") || slice_is(name, "total") ||
           slice_is(name, "Sum") || slice_is(name, "sum");
}

/* A row for all that is not listed by name. */
static bool is_rest(struct slice name)
{
    return slice_is(name, "other") || slice_is(name, "Other") || slice_is(name, "others") ||
           slice_is(name, "Others") || slice_is(name, "misc");
}

static void add_call(struct lines_state *state, struct slice name, double us, double calls)
{
    struct profile *profile = state->profile;
    struct call_sum *sum = &profile->calls[host_call_of(name.text, name.length)];

    profile->has_calls = true;
    sum->us += isnan(us) ? 0 : us;
    sum->calls += isnan(calls) ? 0 : calls;
}

/*
 * A row of torch's table. An operator and the kernels that it launches show the same device time:
 * the kernels, which take no time of the CPU, are taken; the operators stand aside for a table that
 * shows no kernel.
 */
static void torch_row(struct lines_state *state, const struct cells *cells, struct slice name)
{
    struct profile *profile = state->profile;
    double cpu_us = time_at(state, cells, COLUMN_CPU_TIME);
    double us = time_at(state, cells, COLUMN_TIME);
    double launches = number_at(state, cells, COLUMN_LAUNCHES);
    bool has_device = state->columns.at[COLUMN_TIME] >= 0;

    if (isnan(has_device ? us : cpu_us)) {
        profile->cut_rows++;
        return;
    }
    if (is_call(name)) {
        add_call(state, name, cpu_us, launches);
        return;
    }
    if (has_device && us <= 0)
        return;
    enum column_role share = has_device ? COLUMN_PERCENT : COLUMN_CPU_PERCENT;
    int index = profile_name(profile, name.text, name.length, STAGE_ANY);
    profile_add(profile, index, has_device ? us : cpu_us, number_at(state, cells, share), launches);
    if (index >= 0)
        profile->names[index].on_host = !has_device || cpu_us > 0;
}

static void kernel_row(struct lines_state *state, const struct cells *cells, struct slice name)
{
    struct profile *profile = state->profile;
    double us = time_at(state, cells, COLUMN_TIME);
    double percent = number_at(state, cells, COLUMN_PERCENT);
    double launches = number_at(state, cells, COLUMN_LAUNCHES);

    if (isnan(us) && state->columns.at[COLUMN_TIME] < 0)
        us = time_at(state, cells, COLUMN_AVERAGE) * launches;
    if (isnan(us) && isnan(percent)) { /* "<0.1%" is too little to be told */
        profile->cut_rows += cell_number_of(cell_at(state, cells, COLUMN_PERCENT)).is_bound ? 0 : 1;
        return;
    }
    if (state->kernel_tables > 1) /* of another table's sum */
        percent = NAN;
    int index = profile_name(profile, name.text, name.length,
                             stage_of(cell_at(state, cells, COLUMN_STAGE)));
    profile_add(profile, index, us, percent, launches);
    if (index >= 0 && is_rest(name)) {
        profile->names[index].class = KERNEL_OTHER;
        profile->names[index].fixed = true;
    }
}

static void arm_row(struct lines_state *state, const struct cells *cells)
{
    struct profile *profile = state->profile;
    struct slice label = cells->cell[0];

    if (profile->n_arms == PROFILE_ARMS_MAX)
        return;
    double wall_us = time_at(state, cells, COLUMN_WALL),
           busy_us = time_at(state, cells, COLUMN_BUSY);
    const char *text = arena_copy(profile->arena, label.text, label.length);
    if (!(busy_us <= wall_us) || !text) {
        profile->cut_rows++;
        return;
    }
    profile->arms[profile->n_arms++] =
        (struct profile_arm){text, wall_us, busy_us, number_at(state, cells, COLUMN_LAUNCHES)};
}

/* What the rows under this head are, also by the section that it stands in. */
static enum table_rows rows_of(const struct lines_state *state)
{
    static const char *const PASSED_OVER[] = {"osrt", "OS Runtime", "nvtx",
                                              "NVTX", "by Size",    "mem_size"};
    struct slice section = {state->section, strlen(state->section)};

    if (state->columns.at[COLUMN_WALL] >= 0 && state->columns.at[COLUMN_BUSY] >= 0)
        return ROWS_OF_ARMS;
    for (size_t i = 0; i < ARRAY_LEN(PASSED_OVER); i++)
        if (slice_holds(section, PASSED_OVER[i]))
            return ROWS_OF_NOTHING;
    return state->columns.names_calls || slice_holds(section, "api_sum") ||
                   slice_holds(section, "API Summary") || slice_holds(section, "API Statistics")
               ? ROWS_OF_CALLS
               : ROWS_OF_KERNELS;
}

static void table_row(struct lines_state *state, const struct cells *cells)
{
    if (state->rows == ROWS_OF_ARMS) {
        arm_row(state, cells);
        return;
    }
    struct slice name = name_of(cell_at(state, cells, COLUMN_NAME));
    if (name.length == 0) {
        state->profile->cut_rows++;
        return;
    }
    if (is_total(name) || state->rows == ROWS_OF_NOTHING)
        return;
    if (state->columns.at[COLUMN_CPU_TIME] >= 0) {
        torch_row(state, cells, name);
        return;
    }
    double us = time_at(state, cells, COLUMN_TIME);
    double calls = number_at(state, cells, COLUMN_LAUNCHES);
    if (isnan(us))
        us = time_at(state, cells, COLUMN_AVERAGE) * calls;
    if (state->rows == ROWS_OF_CALLS || is_call(name))
        add_call(state, name, us, calls);
    else
        kernel_row(state, cells, name);
}

static void begin_table(struct lines_state *state, enum cell_style style,
                        const struct table_columns *columns)
{
    state->in_table = true;
    state->style = style;
    state->columns = *columns;
    state->rows = rows_of(state);
    state->kernel_tables += state->rows == ROWS_OF_KERNELS;
    if (columns->is_step)
        state->profile->steps_counted = 1;
    if (columns->stage != STAGE_ANY)
        state->profile->stage = columns->stage;
}

/* "Self CUDA time total: 5.283ms" */
static void take_total(struct lines_state *state, struct slice line)
{
    const char *colon = memchr(line.text, ':', line.length);

    if (!colon || !(slice_holds(line, "CUDA time total") || slice_holds(line, "device time total")))
        return;
    struct slice rest = {colon + 1, (size_t)(line.text + line.length - colon) - 1};
    struct cell_number number = cell_number_of(rest);
    state->profile->device_total_us = cell_us(number.value, number.unit);
}

void table_line(struct lines_state *state, struct slice line)
{
    struct table_columns columns;
    struct cells cells;

    line = slice_trimmed(line);
    if (line.length == 0 || line_is_rule(line))
        return;
    enum cell_style style = cell_style_of(line);
    cells_cut(line, style, CELLS_MAX, &cells);
    if (cells.n > 1 && table_head(&cells, &columns)) {
        begin_table(state, style, &columns);
        return;
    }
    if (state->in_table) {
        cells_cut(line, state->style, state->columns.n, &cells);
        state->in_table = cells.n > 1;
    }
    if (state->in_table) {
        table_row(state, &cells);
        return;
    }
    size_t length = line.length < SECTION_MAX - 1 ? line.length : SECTION_MAX - 1;
    memcpy(state->section, line.text, length);
    state->section[length] = '\0';
    take_total(state, line);
}
