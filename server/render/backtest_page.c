#include "backtest_page.h"

#include <math.h>
#include <string.h>

#include "backtest_keeper.h"
#include "body.h"
#include "capacity_page.h"
#include "page_style.h"
#include "problem.h"
#include "request_query.h"
#include "units.h"

#define ROWS_OF_A_PAGE 20
#define PERCENT 100.0

static const char SECURITY_POLICY[] =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

static const char STYLE[] =
    ".p{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(19rem,100%),1fr));gap:1rem}"
    "figure{margin:0;max-width:32rem;background:var(--card);border:1px solid "
    "var(--line);border-radius:.5rem;"
    "padding:.6rem}figcaption{font-size:.82rem;color:var(--mute)}"
    ".n{font-size:.92rem;line-height:1.9}.n b{font-weight:500;color:var(--mute);display:inline-"
    "block;min-width:6.2rem}.n a{margin-right:.7rem;white-space:nowrap}"
    ".n a[aria-current]{color:inherit;font-weight:600;text-decoration:none}"
    "td.l{white-space:normal}.h td:first-child{white-space:normal;min-width:7.5rem}"
    ".h th[colspan]{padding-top:.8rem;color:inherit}.k i.c{background:var(--c)}"
    ".c{display:inline-block;width:.7rem;height:.7rem;border-radius:50%;background:var(--c);"
    "margin-right:.3rem}"
    "ol{padding:0;list-style:none}ol li{background:var(--card);border:1px solid var(--line);"
    "border-radius:.5rem;padding:.6rem .8rem;margin:.6rem 0;overflow-wrap:anywhere}ol p{margin:"
    ".25rem 0}ol .m{font-size:.88rem}";

/* ---- links: the query with one thing changed ---- */

static void put_pair(struct page *page, const char *name, const char *value, bool *first)
{
    page_put(page, *first ? "?" : "&amp;");
    *first = false;
    page_put(page, name);
    page_put(page, "=");
    page_encoded(page, value);
}

static void put_target(struct page *page, const struct backtest_view *view,
                       const struct backtest_query *query, const char *cursor)
{
    const struct backtest_choice *choice = &query->choice;
    enum holdout usual = backtest_set_holdout(choice->set);
    bool first = true;
    page_put(page, "/backtest");
    if (choice->set != SET_CALIBRATED)
        put_pair(page, "set", backtest_set_name(choice->set), &first);
    if (choice->metric != ANCHOR_METRIC_COUNT)
        put_pair(page, "metric", metric_info(choice->metric)->name, &first);
    for (int i = BY_ENGINE; i < DIMENSION_COUNT; i++) {
        enum backtest_dimension by = (enum backtest_dimension)i;
        if (choice->value[by] >= 0)
            put_pair(page, backtest_dimension_name(by),
                     backtest_value_name(view->backtest, view->catalogue, by, choice->value[by]),
                     &first);
    }
    if (query->holdout != usual)
        put_pair(page, "left_out", holdout_name(query->holdout), &first);
    if (cursor != NULL)
        put_pair(page, "cursor", cursor, &first);
}

static void put_link(struct page *page, const struct backtest_view *view,
                     const struct backtest_query *query, const char *text, bool current)
{
    page_put(page, current ? "<a aria-current=\"true\" href=\"" : "<a href=\"");
    put_target(page, view, query, NULL);
    page_put(page, "\">");
    page_text(page, text);
    page_put(page, "</a> ");
}

static void put_words(struct page *page, const char *title)
{
    page_put(page, "<b>");
    page_put(page, title);
    page_put(page, "</b> ");
}

/* The values that rows of the set have, each a link that keeps the other filters. */
static void put_dimension(struct page *page, const struct backtest_view *view,
                          enum backtest_dimension by, const char *title)
{
    struct backtest_choice all = view->query->choice;
    struct backtest_query changed = *view->query;
    unsigned char *chosen = arena_alloc_raw(view->arena, (size_t)view->backtest->n + 1);
    int n = 0;
    all.value[by] = -1;
    all.metric = ANCHOR_METRIC_COUNT;
    if (chosen == NULL)
        return;
    backtest_choose(view->backtest, &all, chosen);
    const struct backtest_group *groups =
        backtest_groups(view->backtest, chosen, by, view->arena, &n);
    page_put(page, "<div>");
    put_words(page, title);
    changed.choice.value[by] = -1;
    put_link(page, view, &changed, "all", view->query->choice.value[by] < 0);
    for (int i = 0; groups != NULL && i < n; i++) {
        bool shown = false; /* under an earlier metric */
        for (int j = 0; j < i && !shown; j++)
            shown = groups[j].value == groups[i].value;
        if (shown)
            continue;
        changed.choice.value[by] = groups[i].value;
        put_link(page, view, &changed,
                 backtest_value_name(view->backtest, view->catalogue, by, groups[i].value),
                 view->query->choice.value[by] == groups[i].value);
    }
    page_put(page, "</div>\n");
}

/* The metrics that rows of the set have. */
static void put_metrics(struct page *page, const struct backtest_view *view)
{
    struct backtest_query changed = *view->query;
    bool present[FORECAST_METRICS] = {false};
    for (int i = 0; i < view->backtest->n; i++)
        for (int j = 0; j < FORECAST_METRICS; j++)
            present[j] = present[j] || (view->backtest->rows[i].set == view->query->choice.set &&
                                        view->backtest->rows[i].metric == forecast_metric(j));
    page_put(page, "<div>");
    put_words(page, "Figure");
    changed.choice.metric = ANCHOR_METRIC_COUNT;
    put_link(page, view, &changed, "all", view->query->choice.metric == ANCHOR_METRIC_COUNT);
    for (int i = 0; i < FORECAST_METRICS; i++) {
        changed.choice.metric = forecast_metric(i);
        if (present[i])
            put_link(page, view, &changed, metric_info(forecast_metric(i))->name,
                     view->query->choice.metric == forecast_metric(i));
    }
    page_put(page, "</div>\n");
}

static void put_sets(struct page *page, const struct backtest_view *view)
{
    static const char *const TITLES[] = {[SET_CALIBRATED] = "those calibrated on",
                                         [SET_OTHER] = "other sources",
                                         [SET_LOCAL] = "local engines"};
    page_put(page, "<div>");
    put_words(page, "Runs");
    for (int i = 0; i < SET_COUNT; i++) {
        const struct backtest_query changed =
            backtest_query_default((enum backtest_set)i, ROWS_OF_A_PAGE);
        put_link(page, view, &changed, TITLES[i], view->query->choice.set == (enum backtest_set)i);
    }
    page_put(page, "</div>\n");
}

static void put_holdouts(struct page *page, const struct backtest_view *view)
{
    struct backtest_query changed = *view->query;
    if (view->query->choice.set != SET_CALIBRATED)
        return;
    page_put(page, "<div>");
    put_words(page, "Drawn, sorted");
    for (int i = 0; i < HOLDOUT_COUNT; i++) {
        changed.holdout = (enum holdout)i;
        put_link(page, view, &changed, holdout_title((enum holdout)i),
                 view->query->holdout == (enum holdout)i);
    }
    page_put(page, "</div>\n");
}

static void put_filters(struct page *page, const struct backtest_view *view)
{
    static const struct {
        enum backtest_dimension by;
        const char *title;
    } SHOWN[] = {{BY_ENGINE, "Engine"},   {BY_HARDWARE, "Hardware"},     {BY_MODEL, "Model"},
                 {BY_WEIGHTS, "Weights"}, {BY_CONCURRENCY, "In flight"}, {BY_INPUT, "Tokens in"}};

    page_put(page, "<nav class=\"n\" aria-label=\"Filters\">\n");
    put_sets(page, view);
    put_metrics(page, view);
    put_holdouts(page, view);
    for (size_t i = 0; i < ARRAY_LEN(SHOWN); i++)
        put_dimension(page, view, SHOWN[i].by, SHOWN[i].title);
    page_put(page, "</nav>\n");
}

/* ---- tables ---- */

static void put_percent(struct page *page, double share, bool sign)
{
    /* what rounds to zero has no sign */
    double percent = fabs(PERCENT * share) < 0.05 ? 0.0 : PERCENT * share;
    if (isnan(share))
        page_put(page, "<td>–</td>");
    else
        out_printf(page->out, sign ? "<td>%+.1f %%</td>" : "<td>%.1f %%</td>", percent);
}

static void put_errors(struct page *page, const struct backtest_errors *errors, bool inside)
{
    put_percent(page, errors->median, false);
    put_percent(page, errors->p90, false);
    put_percent(page, errors->bias, true);
    if (inside)
        put_percent(page, errors->inside, false);
    put_percent(page, errors->covered, false);
}

static void put_headline(struct page *page, const struct backtest_view *view)
{
    int n = 0;
    const struct backtest_group *groups =
        backtest_groups(view->backtest, view->page.chosen, BY_ALL, view->arena, &n);
    page_put(page, "<div class=\"s h\"><table><tr><th>Left out</th><th>n</th><th>median</th><th>p90"
                   "</th><th>bias</th><th>inside</th><th>covered</th></tr>\n");
    for (int i = 0; groups != NULL && i < n; i++) {
        out_printf(page->out, "<tr><th colspan=\"7\"><code>%s</code></th></tr>\n",
                   metric_info(groups[i].metric)->name);
        for (int j = 0; j < HOLDOUT_COUNT; j++) {
            const struct backtest_errors *errors = &groups[i].errors[j];
            if (errors->n == 0)
                continue;
            out_printf(page->out, "<tr><td>%s</td><td>%d</td>", holdout_title((enum holdout)j),
                       errors->n);
            put_errors(page, errors, true);
            page_put(page, "</tr>\n");
        }
    }
    page_put(page, "</table></div>\n<p class=\"m\">Errors are predicted/measured − 1: median and "
                   "90th percentile of their size, bias the median with its sign. Inside: in the "
                   "80 % interval that a plan shows; covered: in one drawn without the run’s own "
                   "cell (model, part, engine, weight format).</p>\n");
}

static void put_group(struct page *page, const struct backtest_view *view,
                      const struct backtest_group *group, const enum holdout *shown, int n_shown)
{
    page_put(page, "<tr><td>");
    if (group->by == BY_ENGINE)
        out_printf(page->out, "<i class=\"c %s\"></i>", backtest_colour(group->value));
    page_text(page, backtest_value_name(view->backtest, view->catalogue, group->by, group->value));
    out_printf(page->out, "</td><td class=\"l\"><code>%s</code></td><td>%d</td>",
               metric_info(group->metric)->name, group->n);
    for (int i = 0; i < n_shown; i++)
        put_errors(page, &group->errors[shown[i]], false);
    page_put(page, "</tr>\n");
}

static void put_group_table(struct page *page, const struct backtest_view *view,
                            enum backtest_dimension by)
{
    static const enum holdout BOTH[] = {HOLDOUT_RUN, HOLDOUT_CELL};
    const enum holdout usual = backtest_set_holdout(view->query->choice.set);
    bool calibrated = view->query->choice.set == SET_CALIBRATED;
    const enum holdout *shown = calibrated ? BOTH : &usual;
    int n = 0, n_shown = calibrated ? (int)ARRAY_LEN(BOTH) : 1;
    const struct backtest_group *groups =
        backtest_groups(view->backtest, view->page.chosen, by, view->arena, &n);
    if (groups == NULL || n == 0)
        return;
    page_put(page, by == BY_ENGINE ? "<details open><summary>By " : "<details><summary>By ");
    page_put(page, backtest_dimension_name(by));
    page_put(page, "</summary><div class=\"s\"><table><tr><th></th><th class=\"l\">Figure</th><th>n"
                   "</th>");
    for (int i = 0; i < n_shown; i++)
        out_printf(page->out,
                   "<th>%s left out:<br>median</th><th>p90</th><th>bias</th><th>covered</th>",
                   holdout_name(shown[i]));
    page_put(page, "</tr>\n");
    for (int i = 0; i < n; i++)
        put_group(page, view, &groups[i], shown, n_shown);
    page_put(page, "</table></div></details>\n");
}

/* ---- rows ---- */

static void put_anchor(struct page *page, const char *id)
{
    page_put(page, "<a href=\"/v1/anchors/");
    page_encoded(page, id);
    page_put(page, "\">");
    page_text(page, id);
    page_put(page, "</a>");
}

/* "25.3 ms", "1,830 tok/s". */
static void put_figure(struct page *page, enum anchor_metric metric, double value)
{
    const char *unit = metric_info(metric)->unit;
    phrase_begin(&page->phrase);
    if (strcmp(unit, "ms") == 0) {
        phrase_time(&page->phrase, value * US_PER_MS);
    } else {
        phrase_number(&page->phrase, value, 3);
        phrase_add(&page->phrase, " ");
        phrase_add(&page->phrase, unit);
    }
    page_phrase(page);
}

static void put_figures(struct page *page, const struct backtest_row *row, enum holdout holdout)
{
    const struct backtest_value *value = &row->by[holdout];
    out_printf(page->out, "<p><code>%s</code> measured ", metric_info(row->metric)->name);
    put_figure(page, row->metric, row->measured);
    page_put(page, ", predicted <strong>");
    put_figure(page, row->metric, (double)value->predicted);
    page_put(page, "</strong> (");
    phrase_begin(&page->phrase);
    phrase_change(&page->phrase, backtest_error(row, holdout));
    page_phrase(page);
    page_put(page, ")");
    if (!isnan((double)value->low)) {
        page_put(page, ", 80 % interval ");
        put_figure(page, row->metric, (double)value->low);
        page_put(page, " to ");
        put_figure(page, row->metric, (double)value->high);
    }
    page_put(page, "</p>");
}

static void put_note(struct page *page, const struct backtest_note *note)
{
    if (note == NULL) {
        page_put(page, "<p class=\"m\">Nobody looked why.</p>");
        return;
    }
    page_put(page, "<p>");
    page_put(page, strcmp(note->cause, "known") == 0      ? "Known: "
                   : strcmp(note->cause, "inferred") == 0 ? "Inferred: "
                                                          : "Not known: ");
    page_text(page, note->why);
    if (note->url != NULL) {
        page_put(page, " <a href=\"");
        page_text(page, note->url);
        page_put(page, "\">");
        page_text(page, note->title);
        page_put(page, "</a>");
    }
    page_put(page, "</p>");
}

static void put_row(struct page *page, struct backtest_view *view, const struct backtest_row *row)
{
    const struct backtest_source *source = &view->backtest->sources[row->value[BY_SOURCE]];
    const char *link = backtest_plan_link(view, row);
    page_put(page, "<li><p>");
    put_anchor(page, view->catalogue->anchors.ids[row->anchor]);
    page_put(page, "</p>");
    put_figures(page, row, view->query->holdout);
    page_put(page, "<p class=\"m\"><i class=\"c ");
    page_put(page, backtest_colour(row->value[BY_ENGINE]));
    page_put(page, "\"></i>");
    page_text(page, backtest_conditions(view, row));
    page_put(page, "</p>");
    put_note(page, row->note >= 0 ? &view->backtest->notes[row->note] : NULL);
    page_put(page, "<p class=\"m\">");
    if (link != NULL) {
        page_put(page, "<a href=\"/");
        page_text(page, link + strcspn(link, "?"));
        page_put(page, "\">Plan it</a> · ");
    }
    if (source->url != NULL) {
        page_put(page, "<a href=\"");
        page_text(page, source->url);
        page_put(page, "\">");
        page_text(page, source->title);
        page_put(page, "</a>");
    }
    page_put(page, "</p></li>\n");
}

static void put_rows(struct page *page, struct backtest_view *view)
{
    page_put(page, "<h3>Farthest off, as a factor: ");
    page_put(page, holdout_title(view->query->holdout));
    out_printf(page->out, "</h3>\n<p class=\"m\">%d of %d</p><ol>\n", view->page.n,
               view->page.total);
    for (int i = 0; i < view->page.n; i++)
        put_row(page, view, &view->backtest->rows[view->page.rows[i]]);
    page_put(page, "</ol>\n");
    if (view->page.cursor != NULL) {
        page_put(page, "<p><a rel=\"next\" href=\"");
        put_target(page, view, view->query, view->page.cursor);
        page_put(page, "\">The next ones</a></p>\n");
    }
}

/* ---- the whole ---- */

static void put_legend(struct page *page, const struct backtest_view *view)
{
    int n = 0;
    const struct backtest_group *groups =
        backtest_groups(view->backtest, view->page.chosen, BY_ENGINE, view->arena, &n);
    page_put(page, "<p class=\"k m\">");
    for (int i = 0; groups != NULL && i < n; i++) {
        if (groups[i].metric != groups[0].metric)
            break;
        out_printf(page->out, "<span><i class=\"c %s\"></i>", backtest_colour(groups[i].value));
        page_text(page, view->catalogue->lib.engines[groups[i].value].id);
        page_put(page, "</span>");
    }
    page_put(page, "</p>\n");
}

static void put_memory(struct page *page)
{
    const struct context *ctx = page->ctx;
    const struct capacity_score *score =
        capacity_score_new(app_store(ctx->app), ctx->catalogue, ctx->request->arena);
    if (score != NULL)
        capacity_page_write(page, score);
}

static void put_page(struct page *page, struct backtest_view *view)
{
    static const enum backtest_dimension TABLES[] = {
        BY_ENGINE, BY_HARDWARE, BY_MODEL, BY_WEIGHTS, BY_CONCURRENCY, BY_INPUT, BY_NEARNESS};

    page_put(page, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
                   "name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>"
                   "Predicted against measured - Regime</title><style>");
    page_put(page, PAGE_STYLE);
    page_put(page, BACKTEST_PLOT_STYLE);
    page_put(page, STYLE);
    page_put(page, "</style></head><body><header><h1><a href=\"/\">Regime</a></h1><p><a "
                   "href=\"/docs\">Reference</a></p></header>\n<main><h2>Predicted against "
                   "measured</h2>\n<p>");
    page_text(page, backtest_set_note(view->query->choice.set));
    page_put(page, "</p>\n");
    put_headline(page, view);
    page_put(page, "<h3>");
    page_put(page, holdout_title(view->query->holdout));
    page_put(page, "</h3>\n");
    put_legend(page, view);
    page_put(page, "<div class=\"p\">\n");
    for (int i = 0; i < FORECAST_METRICS; i++)
        backtest_plot_write(page, view, forecast_metric(i));
    page_put(page, "</div>\n<h3>Filters</h3>\n");
    put_filters(page, view);
    page_put(page, "<h3>Errors by group</h3>\n");
    for (size_t i = 0; i < ARRAY_LEN(TABLES); i++)
        put_group_table(page, view, TABLES[i]);
    put_rows(page, view);
    put_memory(page);
    page_put(page, "</main><footer>The same for programs: <a href=\"/v1/backtest\">/v1/backtest</a>"
                   ", <a href=\"/v1/backtest?format=text\">as text</a>, <a href=\"/v1/backtest?"
                   "format=csv\">as CSV</a>.</footer></body></html>\n");
}

static void answer(struct context *ctx, const struct backtest *backtest)
{
    struct backtest_query query;
    struct backtest_view view;
    struct faults faults;
    struct json_out out;
    struct page page = {.out = &out, .ctx = ctx, .faults = &faults};

    faults_init(&faults, ctx->request->arena);
    if (!backtest_query_read(ctx, backtest, ROWS_OF_A_PAGE, &faults, &query)) {
        problem_faults(ctx, &faults);
        return;
    }
    reply_begin(ctx, &out);
    if (backtest_view_make(backtest, ctx->catalogue, &query, ctx->request->arena, &view))
        put_page(&page, &view);
    else
        out.failed = true;
    backtest_view_done(&view);
    reply_header(ctx->reply, "Content-Security-Policy", SECURITY_POLICY);
    reply_write(ctx, 200, &out);
}

void backtest_page_handler(struct context *ctx)
{
    struct backtest_keeper *keeper = app_backtest(ctx->app);
    const struct backtest *backtest = backtest_hold(keeper, app_store(ctx->app), ctx->catalogue);

    if (backtest)
        answer(ctx, backtest);
    else
        problem_status(ctx, 503, "the store cannot be read at the moment; try again");
    backtest_let_go(keeper, backtest);
}
