/* backtest_text.c - a backtest as a report for a terminal of 100 columns. */
#include <math.h>
#include <string.h>

#include "backtest_view.h"
#include "text_layout.h"

#define NAME_COLUMNS 21
#define WORST_SHOWN 20
#define GROUPS_SHOWN 40
#define PERCENT 100.0

/* A share in percent, "-" where there is none. */
static void put_percent(struct json_out *out, double share, int width, bool sign)
{
    if (isnan(share)) {
        text_cell(out, "-", width, true);
        return;
    }
    /* what rounds to zero has no sign */
    double percent = fabs(PERCENT * share) < 0.05 ? 0.0 : PERCENT * share;
    int decimals = fabs(percent) < 99.95 ? 1 : 0;
    out_printf(out, sign ? "%+*.*f" : "%*.*f", width, decimals, percent);
}

static void put_whole_percent(struct json_out *out, double share, int width)
{
    if (isnan(share))
        text_cell(out, "-", width, true);
    else
        out_printf(out, "%*.0f", width, PERCENT * share);
}

/* ---- groups ---- */

/* Every prediction of a metric, a line each. */
static void put_headline(struct json_out *out, const struct backtest_view *view,
                         const unsigned char *chosen)
{
    int n = 0;
    const struct backtest_group *groups =
        backtest_groups(view->backtest, chosen, BY_ALL, view->arena, &n);
    out_printf(out, "%-15s %-37s %6s %7s %7s %7s %7s %7s\n", "  figure", "", "n", "median", "p90",
               "bias", "inside", "covered");
    for (int i = 0; groups != NULL && i < n; i++)
        for (int j = 0; j < HOLDOUT_COUNT; j++) {
            const struct backtest_errors *errors = &groups[i].errors[j];
            if (errors->n == 0)
                continue;
            out_printf(out, "  %-13s %-37s %6d", metric_info(groups[i].metric)->name,
                       holdout_title((enum holdout)j), errors->n);
            put_percent(out, errors->median, 8, false);
            put_percent(out, errors->p90, 8, false);
            put_percent(out, errors->bias, 8, true);
            put_whole_percent(out, errors->inside, 8);
            put_whole_percent(out, errors->covered, 8);
            out_text(out, "\n");
        }
}

/* What a line of a group shows of each prediction. */
static void put_short(struct json_out *out, const struct backtest_errors *errors)
{
    put_percent(out, errors->median, 8, false);
    put_percent(out, errors->p90, 7, false);
    put_percent(out, errors->bias, 8, true);
    put_whole_percent(out, errors->covered, 5);
}

static void put_groups(struct json_out *out, const struct backtest_view *view,
                       const unsigned char *chosen, enum backtest_dimension by,
                       const enum holdout *shown, int n_shown)
{
    int n = 0;
    const struct backtest_group *groups =
        backtest_groups(view->backtest, chosen, by, view->arena, &n);
    if (groups == NULL || n == 0)
        return;
    out_printf(out, "\n%-43s", "");
    for (int j = 0; j < n_shown; j++) {
        out_text(out, "   ");
        text_cell(out, shown[j] == HOLDOUT_RUN ? "run out, corrected" : holdout_title(shown[j]), 25,
                  true);
    }
    out_printf(out, "\n  by %-18s %-13s %5s", backtest_dimension_name(by), "figure", "n");
    for (int j = 0; j < n_shown; j++)
        out_printf(out, "%8s%7s%8s%5s", "median", "p90", "bias", "cov");
    out_text(out, "\n");
    for (int i = 0; i < n && i < GROUPS_SHOWN; i++) {
        out_text(out, "  ");
        text_cell(out, backtest_value_name(view->backtest, view->catalogue, by, groups[i].value),
                  NAME_COLUMNS, false);
        out_printf(out, " %-13s %5d", metric_info(groups[i].metric)->name, groups[i].n);
        for (int j = 0; j < n_shown; j++)
            put_short(out, &groups[i].errors[shown[j]]);
        out_text(out, "\n");
    }
}

/* ---- rows ---- */

static void put_row(struct json_out *out, const struct backtest_view *view,
                    const struct backtest_row *row, int number)
{
    const struct backtest_value *value = &row->by[view->query->holdout];
    const struct backtest_note *note = row->note >= 0 ? &view->backtest->notes[row->note] : NULL;
    out_printf(out, "\n%3d %s\n    %s measured %.6g, predicted %.6g (", number,
               view->catalogue->anchors.ids[row->anchor], metric_info(row->metric)->name,
               row->measured, (double)value->predicted);
    put_percent(out, backtest_error(row, view->query->holdout), 0, true);
    out_text(out, " %)");
    if (!isnan((double)value->low))
        out_printf(out, ", 80 %% interval %.6g to %.6g", (double)value->low, (double)value->high);
    out_text(out, "\n    ");
    text_wrap(out, backtest_conditions(view, row), 4, 4);
    out_text(out, "    ");
    const char *why =
        note != NULL ? arena_printf(view->arena, "%s: %s", note->cause, note->why) : NULL;
    text_wrap(out, why != NULL ? why : "nobody looked why", 4, 4);
}

static void put_rows(struct json_out *out, const struct backtest_view *view)
{
    if (view->page.n == 0)
        return;
    out_printf(out, "\n%s, %s; %d of %d\n",
               view->query->by_id ? "ROWS BY ID" : "FARTHEST OFF, AS A FACTOR",
               holdout_title(view->query->holdout),
               view->page.n < WORST_SHOWN ? view->page.n : WORST_SHOWN, view->page.total);
    for (int i = 0; i < view->page.n && i < WORST_SHOWN; i++)
        put_row(out, view, &view->backtest->rows[view->page.rows[i]], i + 1);
}

/* ---- the whole ---- */

static void put_other_set(struct json_out *out, const struct backtest_view *view,
                          enum backtest_set set)
{
    const enum holdout shown = backtest_set_holdout(set);
    struct backtest_choice choice = view->query->choice;
    unsigned char *chosen = arena_alloc_raw(view->arena, (size_t)view->backtest->n + 1);
    choice.set = set;
    if (chosen == NULL || backtest_choose(view->backtest, &choice, chosen) == 0)
        return;
    out_printf(out, "\nOTHER SETS  %s\n", backtest_set_name(set));
    text_wrap(out, backtest_set_note(set), 0, 0);
    put_headline(out, view, chosen);
    put_groups(out, view, chosen, BY_ENGINE, &shown, 1);
}

void backtest_text_write(struct json_out *out, struct backtest_view *view)
{
    static const enum holdout BOTH[] = {HOLDOUT_RUN, HOLDOUT_CELL};
    enum backtest_set set = view->query->choice.set;
    const enum holdout usual = backtest_set_holdout(set);
    bool calibrated = set == SET_CALIBRATED;
    size_t from = out->length;
    out_printf(out, "PREDICTED AGAINST MEASURED  %d figures\n", view->page.n_chosen);
    text_wrap(out, backtest_set_note(set), 0, 0);
    text_wrap(
        out,
        "Errors are predicted/measured - 1 in percent: median and p90 of their size, bias the "
        "median with its sign. Inside: share in the 80 % interval shown; covered: in one drawn "
        "without the run's own cell (model, part, engine, weight format).",
        0, 0);
    out_text(out, "\n");
    put_headline(out, view, view->page.chosen);
    for (int by = BY_ENGINE; by < DIMENSION_COUNT; by++)
        if (by != BY_SOURCE || !calibrated)
            put_groups(out, view, view->page.chosen, (enum backtest_dimension)by,
                       calibrated ? BOTH : &usual, calibrated ? (int)ARRAY_LEN(BOTH) : 1);
    put_rows(out, view);
    for (int other = SET_OTHER; calibrated && other < SET_COUNT; other++)
        put_other_set(out, view, (enum backtest_set)other);
    text_clean(out, from, false);
}
