/* capacity_text.c - memory against engine logs for a terminal. */
#include <math.h>
#include <string.h>

#include "capacity_view.h"
#include "text_layout.h"

#define PERCENT 100.0
#define WORST_SHOWN 25
#define NOT_FAR 0.01

const char CAPACITY_NOTE[] =
    "Engine logs, each planned from its own flags. Errors are predicted/printed - 1; a figure "
    "given "
    "the cache is computed from the size of the KV cache that the log prints, and is exact when a "
    "cache that rounds to that size gives what is printed.";

static void put_percent(struct json_out *out, double share, int width)
{
    if (isnan(share))
        text_cell(out, "-", width, true);
    else
        out_printf(out, "%*.*f", width, share < 0.1 ? 2 : 1, PERCENT * share);
}

static void put_groups(struct json_out *out, const struct capacity_score *score)
{
    int n = 0;
    const struct capacity_group *groups = capacity_groups(score, out->arena, &n);
    out_printf(out, "\n%-32s %-14s %-8s %5s %6s %6s %9s %9s\n", "FIGURE", "engine", "kind", "n",
               "<=1 %", "<=5 %", "median %", "p90 %");
    for (int i = 0; groups != NULL && i < n; i++) {
        const struct capacity_group *group = &groups[i];
        bool first = group->engine == NULL;
        text_cell(out, first ? capacity_figure_title(group->figure) : "", 33, false);
        text_cell(out, first ? "all" : group->kind < 0 ? group->engine : "", 15, false);
        text_cell(out, group->kind < 0 ? "" : capacity_kind_name((enum capacity_kind)group->kind),
                  8, false);
        out_printf(out, " %5d %6d %6d", group->n, group->within_1, group->within_5);
        put_percent(out, group->median, 10);
        put_percent(out, group->p90, 10);
        out_text(out, "\n");
    }
}

static void put_verdict_line(struct json_out *out, const struct capacity_score *score,
                             const char *engine)
{
    int counts[3][3];
    capacity_verdicts(score, engine, counts);
    const int *failed = counts[CAPACITY_FAILS], *started = counts[CAPACITY_FITS];
    int n = failed[0] + failed[1] + failed[2] + started[0] + started[1] + started[2];
    if (n == 0)
        return;
    out_printf(out, "%-22s %5d %7d %7d %7d %7d %7d %7d %7d %7d\n", engine != NULL ? engine : "all",
               n, capacity_not_fitting(score, engine, CAPACITY_FAILS), failed[CAPACITY_FAILS],
               failed[CAPACITY_UNKNOWN], failed[CAPACITY_FITS],
               capacity_not_fitting(score, engine, CAPACITY_FITS), started[CAPACITY_FAILS],
               started[CAPACITY_UNKNOWN], started[CAPACITY_FITS]);
}

static void put_verdicts(struct json_out *out, const struct capacity_score *score)
{
    const char *before = "";
    out_printf(out, "\n%-22s %5s %31s %31s\n", "OUT OF MEMORY AT START", "",
               "it failed; fits:   over the range", "it started; fits:   over the range");
    out_printf(out, "%-22s %5s %7s %7s %7s %7s %7s %7s %7s %7s\n", "", "n", "false", "fails",
               "unknown", "fits", "false", "fails", "unknown", "fits");
    put_verdict_line(out, score, NULL);
    for (int i = 0; i < score->n_cases; i++) {
        const char *engine = score->cases[i].engine;
        bool is_new = engine[0] != '\0' && strcmp(engine, before) != 0;
        for (int j = 0; is_new && j < i; j++)
            is_new = strcmp(engine, score->cases[j].engine) != 0;
        before = engine;
        if (!is_new)
            continue;
        put_verdict_line(out, score, engine);
    }
}

static const char *verdict_text(enum capacity_verdict verdict)
{
    static const char *const TEXTS[] = {"unknown", "fits", "fails"};
    return TEXTS[verdict];
}

static void put_wrong_verdicts(struct json_out *out, const struct capacity_score *score)
{
    bool any = false;
    for (int i = 0; i < score->n_cases; i++) {
        const struct capacity_case *one = &score->cases[i];
        if (!one->is_judged || one->said == one->seen)
            continue;
        if (!any)
            out_text(out, "\nVERDICTS THAT ARE NOT WHAT WAS SEEN\n");
        any = true;
        out_printf(out, "  %s: %s, planned: %s\n", one->id,
                   one->seen == CAPACITY_FITS ? "it started" : "it failed",
                   verdict_text(one->said));
    }
}

static void put_row(struct json_out *out, const struct capacity_score *score,
                    const struct capacity_row *row)
{
    const struct capacity_case *one = &score->cases[row->of];
    out_printf(out, "\n%s\n    %s: printed %.6g, predicted %.6g (%+.1f %%)\n", one->id,
               capacity_figure_title(row->figure), row->printed, row->predicted,
               PERCENT * row->error);
    if (one->notes != NULL) {
        out_text(out, "    ");
        text_wrap(out, one->notes, 4, 4);
    }
}

static void put_worst(struct json_out *out, const struct capacity_score *score)
{
    const int *worst = capacity_worst(score, out->arena);
    out_text(out, "\nFARTHEST OFF, AS A FACTOR\n");
    for (int i = 0; worst != NULL && i < score->n_rows && i < WORST_SHOWN; i++)
        if (fabs(score->rows[worst[i]].error) > NOT_FAR)
            put_row(out, score, &score->rows[worst[i]]);
}

/* Logs that are not compared as a whole, and why. */
static void put_others(struct json_out *out, const struct capacity_score *score)
{
    out_text(out, "\nNOT COMPARED WITH A PLAN OF THEIR FLAGS\n");
    for (int i = 0; i < score->n_cases; i++) {
        const struct capacity_case *one = &score->cases[i];
        const char *why = one->status_reason != NULL ? one->status_reason : one->fault;
        if (why == NULL)
            continue;
        out_printf(out, "  %s (%s)\n      ", one->id,
                   one->status_reason != NULL ? one->status : "fault");
        text_wrap(out, why, 6, 6);
    }
}

void capacity_text_write(struct json_out *out, const struct capacity_score *score)
{
    size_t from = out->length;
    int usable = 0;
    for (int i = 0; i < score->n_cases; i++)
        usable += score->cases[i].is_judged;
    out_printf(out, "MEMORY AGAINST ENGINE LOGS  %d logs, %d planned from their flags\n",
               score->n_cases, usable);
    text_wrap(out, CAPACITY_NOTE, 0, 0);
    put_groups(out, score);
    put_verdicts(out, score);
    put_wrong_verdicts(out, score);
    put_worst(out, score);
    put_others(out, score);
    text_clean(out, from, false);
}
