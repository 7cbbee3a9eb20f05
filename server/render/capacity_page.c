/* capacity_page.c - memory against engine logs on the page of the backtest. */
#include <math.h>

#include "capacity_page.h"
#include "compiler.h"

#define PERCENT 100.0

/* What a reader asks first; the others stand in the text. */
static const enum capacity_figure SHOWN[] = {CAPACITY_TOKENS_GIVEN, CAPACITY_WEIGHTS,
                                             CAPACITY_KV_BYTES, CAPACITY_TOKENS};

static void put_percent(struct page *page, double share)
{
    page_put(page, "<td>");
    if (isnan(share))
        page_put(page, "-");
    else
        out_printf(page->out, "%.*f", share < 0.1 ? 2 : 1, PERCENT * share);
    page_put(page, "</td>");
}

static void put_group(struct page *page, const struct capacity_group *group)
{
    page_put(page, "<tr><td class=\"l\">");
    page_text(page, group->engine != NULL ? group->engine : "all");
    page_put(page, "</td><td class=\"l\">");
    if (group->kind >= 0)
        page_put(page, capacity_kind_name((enum capacity_kind)group->kind));
    out_printf(page->out, "</td><td>%d</td><td>%d</td><td>%d</td>", group->n, group->within_1,
               group->within_5);
    put_percent(page, group->median);
    put_percent(page, group->p90);
    page_put(page, "</tr>\n");
}

static void put_figure(struct page *page, const struct capacity_group *groups, int n,
                       enum capacity_figure figure)
{
    page_put(page, "<details><summary>");
    page_put(page, capacity_figure_title(figure));
    page_put(page, "</summary><table><tr><th>engine</th><th>kind</th><th>n</th><th>within 1 "
                   "%</th><th>5 %</th><th>median %</th><th>p90 %</th></tr>\n");
    for (int i = 0; i < n; i++)
        if (groups[i].figure == figure)
            put_group(page, &groups[i]);
    page_put(page, "</table></details>\n");
}

static void put_verdicts(struct page *page, const struct capacity_score *score)
{
    int counts[3][3];
    capacity_verdicts(score, NULL, counts);
    const int *failed = counts[CAPACITY_FAILS], *started = counts[CAPACITY_FITS];
    out_printf(page->out,
               "<p>Of %d starts that ran out of memory %d are planned not to fit (%d over the "
               "whole range, %d unknown); of %d that started %d are (%d over the whole range, %d "
               "unknown).</p>\n",
               failed[0] + failed[1] + failed[2], capacity_not_fitting(score, NULL, CAPACITY_FAILS),
               failed[CAPACITY_FAILS], failed[CAPACITY_UNKNOWN],
               started[0] + started[1] + started[2],
               capacity_not_fitting(score, NULL, CAPACITY_FITS), started[CAPACITY_FAILS],
               started[CAPACITY_UNKNOWN]);
}

void capacity_page_write(struct page *page, const struct capacity_score *score)
{
    int n = 0;
    const struct capacity_group *groups = capacity_groups(score, page->out->arena, &n);
    page_put(page, "<h3 id=\"memory\">Memory against engine logs</h3>\n<p class=\"m\">");
    page_put(page, CAPACITY_NOTE);
    page_put(page, "</p>\n");
    put_verdicts(page, score);
    for (size_t i = 0; groups != NULL && i < ARRAY_LEN(SHOWN); i++)
        put_figure(page, groups, n, SHOWN[i]);
    page_put(page, "<p class=\"m\"><a href=\"/v1/backtest?set=memory&amp;format=text\">Every "
                   "figure, the farthest off and why</a>, <a href=\"/v1/capacity\">the "
                   "logs</a>.</p>\n");
}
