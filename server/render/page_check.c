#include <string.h>

#include "check_report.h"
#include "check_route.h"
#include "page_parts.h"

/* What the section is made of, too large for the stack of a handler. */
struct work {
    struct check_list checks;
    struct check_cure cures[CHECK_CURES_MAX];
};

/* The first cure: its flags and what they do. */
static void put_fix(struct page *page, const struct check_report *report, const struct check *check)
{
    const struct check_cure *cure = check_cure_for(report, check, 0);

    if (check->verdict == CHECK_PASS)
        return;
    if (!cure) {
        page_text(page, CHECK_NO_CURE);
        return;
    }
    const char *flags = check_cure_flags(page->ctx->request->arena, report, cure);
    page_put(page, "<code>");
    page_text(page, flags ? flags : cure->id);
    page_put(page, "</code> ");
    page_put(page, check_cure_passes(cure, check->id) ? "passes; " : "not enough alone; ");
    check_cure_effect(cure, &page->phrase);
    page_phrase(page);
}

static void put_row(struct page *page, const struct check_report *report, const struct check *check)
{
    page_put(page, "<tr><td>");
    page_put(page, check->verdict == CHECK_PASS ? "" : "<strong>");
    page_put(page, check_verdict_name(check->verdict));
    page_put(page, check->verdict == CHECK_PASS ? "" : "</strong>");
    page_put(page, "</td><td>");
    page_text(page, check_info(check->id)->title);
    page_put(page, "<br><small>");
    check_sentence(check, &page->phrase);
    page_phrase(page);
    page_put(page, "</small></td><td>");
    put_fix(page, report, check);
    page_put(page, "</td></tr>\n");
}

void page_check(struct page *page)
{
    static const enum check_verdict ORDER[] = {CHECK_FAIL, CHECK_UNKNOWN, CHECK_PASS};

    const struct check_asked asked = check_route_asked(page->request);
    struct work *work = arena_alloc_raw(page->ctx->request->arena, sizeof(*work));

    if (!work)
        return;
    check_plan(page->plan, &asked, &work->checks);
    int n = check_route_cures(page->ctx, page->plan, &work->checks, &asked, work->cures);
    const struct check_report report = {.request = page->request,
                                        .plan = page->plan,
                                        .checks = &work->checks,
                                        .cures = work->cures,
                                        .n_cures = n,
                                        .unknown_fails = true};
    page_put(page, "<h3>May it roll out? <code>");
    page_put(page, check_verdict_name(work->checks.verdict));
    page_put(page, "</code></h3>\n<div class=\"s\"><table><thead><tr><th "
                   "scope=\"col\">Verdict</th><th scope=\"col\">Check</th>"
                   "<th scope=\"col\">What makes it pass</th></tr></thead><tbody>\n");
    for (size_t k = 0; k < ARRAY_LEN(ORDER); k++)
        for (int i = 0; i < work->checks.n; i++)
            if (work->checks.items[i].verdict == ORDER[k])
                put_row(page, &report, &work->checks.items[i]);
    page_put(page, "</tbody></table></div>\n<p>As a gate for pipelines: ");
    page_link(page, "/v1/check", "text", "the verdict in text");
    page_put(page, ", ");
    page_link(page, "/v1/check", "junit", "as JUnit");
    page_put(page, ".</p>\n");
}
