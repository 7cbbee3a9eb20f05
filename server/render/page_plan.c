#include "page_parts.h"

#include <math.h>

#include "units.h"
#include "verdict.h"

static void put_verdict(struct page *page)
{
    const struct plan *plan = page->plan;

    page_put(page, "<p class=\"m q\">");
    verdict_deployment(page->request, &page->phrase);
    page_phrase(page);
    page_put(page, "<br>");
    verdict_load(&plan->problem.load, &page->phrase);
    page_phrase(page);
    page_put(page, "</p>\n");
    page_put(page, plan->regime == REGIME_CAPACITY ? "<section class=\"v b\"><p class=\"m\"><code>"
                                                   : "<section class=\"v\"><p class=\"m\"><code>");
    page_put(page, regime_name(plan->regime));
    page_put(page, "</code></p><h2>");
    page_text(page, regime_info(plan->regime)->title);
    page_put(page, "</h2><p>");
    verdict_sentence(plan, &page->phrase);
    page_phrase(page);
    page_put(page, "</p><p class=\"m\">");
    page_text(page, regime_info(plan->regime)->meaning);
    page_put(page, "</p></section>\n");
}

static void add_estimate(struct phrase *phrase, double value, bool milliseconds)
{
    if (milliseconds)
        phrase_time(phrase, value * US_PER_MS);
    else
        phrase_number(phrase, value, 3);
}

static void put_tile(struct page *page, const char *title, const struct estimate *estimate,
                     bool milliseconds)
{
    page_put(page, "<div><dt>");
    page_put(page, title);
    page_put(page, "</dt><dd>");
    phrase_begin(&page->phrase);
    add_estimate(&page->phrase, estimate->expected, milliseconds);
    page_phrase(page);
    page_put(page, "<small>");
    if (!isnan(estimate->expected)) {
        page_put(page, basis_name(estimate->basis));
        page_put(page, ", ");
    }
    phrase_begin(&page->phrase);
    phrase_add(&page->phrase, milliseconds ? "no less than " : "no more than ");
    add_estimate(&page->phrase, estimate->floor, milliseconds);
    if (!isnan(estimate->low)) {
        phrase_add(&page->phrase, "; 80 %: ");
        add_estimate(&page->phrase, estimate->low, milliseconds);
        phrase_add(&page->phrase, " to ");
        add_estimate(&page->phrase, estimate->high, milliseconds);
    }
    page_phrase(page);
    page_put(page, "</small></dd></div>\n");
}

static void put_memory_tile(struct page *page)
{
    const struct memory_plan *memory = &page->plan->memory;
    const struct workload *load = &page->plan->problem.load;
    struct phrase *phrase = &page->phrase;

    page_put(page, "<div><dt>Sequences that memory holds</dt><dd>");
    phrase_begin(phrase);
    if (memory->fits)
        phrase_number(phrase, memory->max_concurrency, 3);
    else
        phrase_add(phrase, "does not fit");
    page_phrase(page);
    page_put(page, "<small>");
    phrase_begin(phrase);
    phrase_whole(phrase, memory->kv_token_capacity);
    phrase_add(phrase, " KV tokens, ");
    phrase_whole(phrase, load->input_tokens + load->output_tokens);
    phrase_add(phrase, " each; ");
    phrase_add(phrase, basis_name(memory->basis));
    page_phrase(page);
    page_put(page, "</small></dd></div>\n");
}

static void put_tiles(struct page *page)
{
    const struct plan *plan = page->plan;

    page_put(page, "<dl>\n");
    put_tile(page, "First token", &plan->ttft_ms, true);
    put_tile(page, "Each token", &plan->tpot_ms, true);
    put_tile(page, "Tokens/s per user", &plan->per_user_tok_s, false);
    put_tile(page, "Tokens/s in all", &plan->output_tok_s, false);
    put_memory_tile(page);
    page_put(page, "</dl>\n");
}

static void put_nearness(struct page *page)
{
    if (!verdict_nearness(page->plan, &page->phrase))
        return;
    page_put(page, "<p class=\"m\">");
    page_phrase(page);
    page_put(page, "</p>\n");
}

static void put_cell(struct page *page)
{
    page_put(page, "<td>");
    page_phrase(page);
    page_put(page, "</td>");
}

static void put_class(struct page *page, enum class_id id, const struct class_cost *cost)
{
    struct phrase *phrase = &page->phrase;
    double moved = cost->bytes + cost->link_bytes + cost->host_bytes;

    page_put(page, "<tr><td title=\"");
    page_text(page, class_info(id)->title);
    page_put(page, "\"><code>");
    page_put(page, class_name(id));
    page_put(page, "</code></td><td class=\"r ");
    page_put(page, pass_name(class_info(id)->pass));
    page_put(page, "\"><i style=\"width:");
    phrase_begin(phrase);
    phrase_fixed(phrase, fmin(fmax(cost->share, 0), 1) * 100, 1);
    page_phrase(page);
    page_put(page, "%\"></i></td>");
    phrase_begin(phrase);
    phrase_percent(phrase, cost->share);
    put_cell(page);
    phrase_begin(phrase);
    phrase_time(phrase, cost->basis == BASIS_NO_RECORD ? (double)NAN : cost->time_us);
    put_cell(page);
    phrase_begin(phrase);
    phrase_time(phrase, cost->floor_us);
    put_cell(page);
    phrase_begin(phrase);
    if (moved > 0)
        phrase_bytes(phrase, moved);
    put_cell(page);
    phrase_begin(phrase);
    if (cost->flops > 0)
        phrase_flops(phrase, cost->flops);
    put_cell(page);
    page_put(page, "<td class=\"l\">");
    page_put(page, basis_name(cost->basis));
    page_put(page, "</td></tr>\n");
}

static void put_step(struct page *page, const char *title, const struct step *step)
{
    struct phrase *phrase = &page->phrase;
    enum class_id order[CLASS_COUNT];
    int n = verdict_order(step, order);

    page_put(page, "<h3>");
    phrase_begin(phrase);
    phrase_add(phrase, title);
    phrase_add(phrase, ", ");
    phrase_time(phrase, step->expected_us);
    phrase_add(phrase, "; floor ");
    phrase_time(phrase, step->floor_us);
    page_phrase(page);
    page_put(page, "</h3><div class=\"s\"><table><thead><tr><th scope=\"col\">class</th><th "
                   "scope=\"col\" class=\"l\">share of "
                   "the step</th><th></th><th scope=\"col\">expected</th><th "
                   "scope=\"col\">floor</th><th scope=\"col\">bytes"
                   "</th><th scope=\"col\">work</th><th scope=\"col\" "
                   "class=\"l\">basis</th></tr></thead><tbody>\n");
    for (int i = 0; i < n; i++)
        put_class(page, order[i], &step->classes[order[i]]);
    page_put(page, "</tbody></table></div>\n");
}

static void put_change_cell(struct page *page, double change)
{
    phrase_begin(&page->phrase);
    if (!isnan(change))
        phrase_change(&page->phrase, change);
    put_cell(page);
}

static void put_cure(struct page *page, const struct cure_result *result)
{
    const struct cure_info *info = cure_info(result->cure);

    page_put(page, "<tr><td class=\"t\"><strong>");
    page_text(page, info->title);
    page_put(page, "</strong><br><small>");
    page_text(page, result->why ? result->why : info->why);
    page_put(page, "</small></td>");
    put_change_cell(page, result->tpot);
    put_change_cell(page, result->ttft);
    put_change_cell(page, result->output_tok_s);
    put_change_cell(page, result->memory);
    put_change_cell(page, result->devices);
    page_put(page, info->anchors[0] ? "<td class=\"l\">measured elsewhere</td></tr>\n"
                                    : "<td class=\"l\">no record</td></tr>\n");
}

static void put_cures(struct page *page, bool cures, const char *title)
{
    const struct plan *plan = page->plan;
    bool any = false;

    for (int i = 0; i < plan->n_results; i++)
        any = any || plan->results[i].is_cure == cures;
    if (!any)
        return;
    page_put(page, "<h3>");
    page_put(page, title);
    page_put(page, "</h3><div class=\"s\"><table><thead><tr><th scope=\"col\">change</th><th "
                   "scope=\"col\">each token</th>"
                   "<th scope=\"col\">first token</th><th scope=\"col\">tokens/s</th><th "
                   "scope=\"col\">memory</th><th scope=\"col\">devices</th>"
                   "<th scope=\"col\" class=\"l\">evidence</th></tr></thead><tbody>\n");
    for (int i = 0; i < plan->n_results; i++) {
        if (plan->results[i].is_cure == cures)
            put_cure(page, &plan->results[i]);
    }
    page_put(page, "</tbody></table></div>\n");
}

static void put_move(struct page *page, const struct move *move)
{
    struct phrase *phrase = &page->phrase;

    page_put(page, "<li>");
    phrase_begin(phrase);
    phrase_add(phrase, move->axis);
    phrase_add(phrase, " ");
    if (move->from_text)
        phrase_add(phrase, move->from_text);
    else
        phrase_plain(phrase, move->from, 4);
    phrase_add(phrase, " to ");
    if (move->to_text)
        phrase_add(phrase, move->to_text);
    else
        phrase_plain(phrase, move->at, 4);
    phrase_add(phrase, ": ");
    phrase_add(phrase, regime_info(move->to_regime)->title);
    page_phrase(page);
    page_put(page, "</li>\n");
}

static void put_moves(struct page *page)
{
    page_put(page, "<h3>Where it moves</h3><ul>\n");
    for (int i = 0; i < page->plan->n_moves; i++) {
        if (page->plan->moves[i].to_text || isfinite(page->plan->moves[i].at))
            put_move(page, &page->plan->moves[i]);
    }
    page_put(page, "</ul>\n");
}

static void put_warnings(struct page *page)
{
    const struct plan *plan = page->plan;

    if (!plan->n_warnings)
        return;
    page_put(page, "<h3>Warnings</h3><ul>\n");
    for (int i = 0; i < plan->n_warnings; i++) {
        page_put(page, "<li>");
        verdict_warning(&plan->warnings[i], &page->phrase);
        page_phrase(page);
        page_put(page, "</li>\n");
    }
    page_put(page, "</ul>\n");
}

void page_link(struct page *page, const char *route, const char *format, const char *text)
{
    const struct request *request = page->ctx->request;

    page_put(page, "<a href=\"");
    page_put(page, route);
    page_put(page, "?");
    for (int i = 0; i < request->n_arguments; i++) {
        if (!request->arguments[i].value || !request->arguments[i].value[0])
            continue;
        page_encoded(page, request->arguments[i].name);
        page_put(page, "=");
        page_encoded(page, request->arguments[i].value);
        page_put(page, "&amp;");
    }
    page_put(page, "format=");
    page_put(page, format);
    page_put(page, "\">");
    page_put(page, text);
    page_put(page, "</a>");
}

void page_plan(struct page *page)
{
    put_verdict(page);
    put_tiles(page);
    put_nearness(page);
    put_warnings(page);
    page_check(page);
    put_step(page, "A decode step", &page->plan->decode);
    put_step(page, "A prefill", &page->plan->prefill);
    page_put(page,
             "<p class=\"m k\"><span><i></i>device</span><span class=\"host\"><i></i>host</span>"
             "<span class=\"link\"><i></i>link</span></p>\n");
    put_cures(page, true, "What would help");
    put_cures(page, false, "What would not");
    put_moves(page);
    page_put(page, "<p>The same plan with every formula and source: ");
    page_link(page, "/v1/plan", "json", "as JSON");
    page_put(page, ", ");
    page_link(page, "/v1/plan", "text", "as a report in text");
    page_put(page, ".</p>\n");
}
