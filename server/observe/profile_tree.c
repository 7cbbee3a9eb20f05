/*
 * profile_tree.c - vLLM's layerwise profile: modules with their kernels below them.
 *
 * The time of a row contains that of the rows below it, so that only rows without any are taken. A
 * row waits for the next one, which is deeper when it is a child. "|-- " before a name tells the
 * depth by its dashes.
 */
#include <math.h>
#include <string.h>

#include "profile_lines.h"

#define TREE_COLUMNS 3 /* time, share, invocations; the name has the rest */

/* Takes the last cell off a line; false when it has no bar. */
static bool last_cell(struct slice *line, struct slice *ret_cell)
{
    size_t at = line->length;

    while (at > 0 && line->text[at - 1] != '|')
        at--;
    if (at == 0)
        return false;
    *ret_cell = slice_trimmed((struct slice){line->text + at, line->length - at});
    line->length = at - 1;
    return true;
}

/* The dashes before a name; the name is what is left. */
static int take_depth(struct slice *name)
{
    int depth = 0;

    if (name->length == 0 || name->text[0] != '|')
        return 0;
    name->text++;
    name->length--;
    while (name->length > 0 && name->text[0] == '-') {
        name->text++;
        name->length--;
        depth++;
    }
    *name = slice_trimmed(*name);
    return depth;
}

/* The row that waits has no children: its time is its own. */
static void settle(struct lines_state *state)
{
    if (state->waiting >= 0)
        profile_add(state->profile, state->waiting, state->waiting_us, state->waiting_percent,
                    state->waiting_launches);
    state->waiting = -1;
}

void tree_line(struct lines_state *state, struct slice line)
{
    struct slice cells[TREE_COLUMNS], rest = slice_trimmed(line);

    if (rest.length == 0 || line_is_rule(rest) || !memchr(rest.text, '|', rest.length) ||
        slice_holds(rest, "cuda_time_us"))
        return;
    for (int i = TREE_COLUMNS - 1; i >= 0; i--)
        if (!last_cell(&rest, &cells[i])) {
            state->profile->cut_rows++;
            return;
        }
    double us = cell_number_of(cells[0]).value, percent = cell_number_of(cells[1]).value;
    double launches = cell_number_of(cells[2]).value;
    if (isnan(us) || isnan(percent) || isnan(launches)) {
        state->profile->cut_rows++;
        return;
    }
    rest = slice_trimmed(rest);
    int depth = take_depth(&rest);
    if (state->waiting >= 0 && depth > state->waiting_depth)
        state->waiting = -1;
    settle(state);
    state->waiting = profile_name(state->profile, rest.text, rest.length, STAGE_ANY);
    state->waiting_depth = depth;
    state->waiting_us = us;
    state->waiting_percent = percent;
    state->waiting_launches = launches;
}

void tree_end(struct lines_state *state)
{
    settle(state);
}
