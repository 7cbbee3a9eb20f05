/* backtest_plot.c - predicted over measured as an inline drawing (SVG). */
#include <math.h>
#include <string.h>

#include "backtest_page.h"

/* Of the drawing, in its own units; the plot is a square. */
#define WIDTH 352.0
#define HEIGHT 336.0
#define LEFT 44.0
#define TOP 8.0
#define SIDE 290.0
#define QUARTER 0.25
#define COLOURS 6
#define MARGIN 1.1

const char BACKTEST_PLOT_STYLE[] =
    ":root{--e3:#8a5fb8;--e4:#8f7a1e;--e5:#b0477f}"
    "@media(prefers-color-scheme:dark){:root{--e3:#b694e0;--e4:#cdb653;--e5:#e388b9}}"
    ".e0{--c:var(--dev)}.e1{--c:var(--host)}.e2{--c:var(--link)}.e3{--c:var(--e3)}"
    ".e4{--c:var(--e4)}.e5{--c:var(--e5)}"
    "svg{display:block;width:100%;height:auto}svg text{font-size:11px;fill:var(--mute)}"
    "svg .g{stroke:var(--line)}svg .x{stroke:var(--mute)}svg .y{stroke:var(--mute);"
    "stroke-dasharray:3 3}"
    "svg .d{stroke:var(--c);stroke-width:3.2;stroke-linecap:round;stroke-opacity:.55;fill:none}";

/* Both axes reach from `least` to `most`, as decimal logarithms. */
struct plot {
    double least, most;
};

const char *backtest_colour(int engine)
{
    static const char *const CLASSES[COLOURS] = {"e0", "e1", "e2", "e3", "e4", "e5"};
    return CLASSES[engine % COLOURS];
}

static double place(const struct plot *plot, double value)
{
    return SIDE * (log10(value) - plot->least) / (plot->most - plot->least);
}

static double across(const struct plot *plot, double value)
{
    return LEFT + place(plot, value);
}

static double down(const struct plot *plot, double value)
{
    return TOP + SIDE - place(plot, value);
}

static bool is_drawn(const struct backtest_view *view, int row, enum anchor_metric metric)
{
    return view->page.chosen[row] && view->backtest->rows[row].metric == metric &&
           (double)view->backtest->rows[row].by[view->query->holdout].predicted > 0.0 &&
           view->backtest->rows[row].measured > 0.0;
}

/* Both axes hold all figures. False when there are none. */
static bool find_range(const struct backtest_view *view, enum anchor_metric metric,
                       struct plot *ret_plot)
{
    double least = HUGE_VAL, most = 0.0;
    for (int i = 0; i < view->backtest->n; i++) {
        const struct backtest_row *row = &view->backtest->rows[i];
        if (!is_drawn(view, i, metric))
            continue;
        double predicted = (double)row->by[view->query->holdout].predicted;
        least = fmin(least, fmin(predicted, row->measured));
        most = fmax(most, fmax(predicted, row->measured));
    }
    if (most <= 0.0)
        return false;
    *ret_plot = (struct plot){log10(least / MARGIN), log10(most * MARGIN)};
    return true;
}

static void put_line(struct page *page, const char *class, double x1, double y1, double x2,
                     double y2)
{
    out_printf(page->out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>", class, x1, y1, x2, y2);
}

static void put_tick(struct page *page, const struct plot *plot, double value)
{
    double x = across(plot, value), y = down(plot, value);
    bool thousands = value >= 1e4;
    double shown = thousands ? value / 1e3 : value;
    const char *suffix = thousands ? "k" : "";
    put_line(page, "g", x, TOP, x, TOP + SIDE);
    put_line(page, "g", LEFT, y, LEFT + SIDE, y);
    out_printf(page->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g%s</text>", x,
               TOP + SIDE + 14.0, shown, suffix);
    out_printf(page->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g%s</text>", LEFT - 5.0,
               y + 4.0, shown, suffix);
}

/* Ticks at 1, 2 and 5 of every decade, or at the decades alone where there are many. */
static void put_ticks(struct page *page, const struct plot *plot)
{
    static const double STEPS[] = {1.0, 2.0, 5.0};
    bool wide = plot->most - plot->least > 2.5;
    for (int decade = (int)floor(plot->least); decade <= (int)ceil(plot->most); decade++)
        for (size_t i = 0; i < (wide ? 1 : ARRAY_LEN(STEPS)); i++) {
            double value = STEPS[i] * pow(10.0, decade);
            if (log10(value) >= plot->least && log10(value) <= plot->most)
                put_tick(page, plot, value);
        }
}

/* The line where predicted is `factor` times measured, within the square. */
static void put_factor_line(struct page *page, const struct plot *plot, const char *class,
                            double factor)
{
    double least = pow(10.0, plot->least), most = pow(10.0, plot->most);
    double from = factor < 1.0 ? least / factor : least;
    double to = factor > 1.0 ? most / factor : most;
    put_line(page, class, across(plot, from), down(plot, from * factor), across(plot, to),
             down(plot, to * factor));
}

/* The dots of one engine, as one path. */
static void put_dots(struct page *page, const struct backtest_view *view, enum anchor_metric metric,
                     const struct plot *plot, int engine)
{
    bool any = false;
    for (int i = 0; i < view->backtest->n; i++) {
        const struct backtest_row *row = &view->backtest->rows[i];
        if (row->value[BY_ENGINE] != engine || !is_drawn(view, i, metric))
            continue;
        if (!any)
            out_printf(page->out, "<path class=\"d %s\" d=\"", backtest_colour(engine));
        any = true;
        out_printf(page->out, "M%.1f %.1fh0", across(plot, row->measured),
                   down(plot, (double)row->by[view->query->holdout].predicted));
    }
    if (any)
        page_put(page, "\"/>\n");
}

void backtest_plot_write(struct page *page, const struct backtest_view *view,
                         enum anchor_metric metric)
{
    const struct metric_info *info = metric_info(metric);
    struct plot plot;
    if (!find_range(view, metric, &plot))
        return;
    out_printf(page->out,
               "<figure><svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"%s: predicted over "
               "measured, both logarithmic\">",
               WIDTH, HEIGHT, info->name);
    put_ticks(page, &plot);
    put_factor_line(page, &plot, "x", 1.0);
    put_factor_line(page, &plot, "y", 1.0 + QUARTER);
    put_factor_line(page, &plot, "y", 1.0 - QUARTER);
    for (int engine = 0; engine < view->catalogue->lib.n_engines; engine++)
        put_dots(page, view, metric, &plot, engine);
    out_printf(page->out,
               "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">measured, %s</text>"
               "<text x=\"%.1f\" y=\"%.1f\">predicted</text></svg><figcaption><code>%s</code>; "
               "dashed: a quarter more and less</figcaption></figure>\n",
               LEFT + SIDE, HEIGHT - 4.0, info->unit, LEFT + 6.0, TOP + 14.0, info->name);
}
