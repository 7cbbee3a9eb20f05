/*
 * page_parts.h - what the parts of the page share.
 *
 * Purpose: the page being written, and text in it.
 * Errors:  the writer's.
 */
#ifndef REGIME_PAGE_PARTS_H
#define REGIME_PAGE_PARTS_H

#include "json_out.h"
#include "phrase.h"
#include "plan.h"
#include "plan_request.h"
#include "routes.h"

struct page {
    struct json_out *out;
    const struct context *ctx;
    const struct faults *faults;
    const struct plan_request *request;
    const struct plan *plan; /* NULL: nothing was asked, or it has faults */
    struct phrase phrase;    /* scratch */
};

/* Markup of ours, as it is. */
void page_put(struct page *page, const char *html);

/* Text, the characters of markup replaced. */
void page_text(struct page *page, const char *text);

/* The scratch phrase as text. */
void page_phrase(struct page *page);

/* Query text: everything but unreserved characters percent-encoded (RFC 3986). */
void page_encoded(struct page *page, const char *text);

/* The plan: verdict, figures, steps, cures, moves and links to its other formats. */
void page_plan(struct page *page);

/* The verdict of the checks, and what would make failed ones pass. */
void page_check(struct page *page);

/* A link to the same question under another route or in another format. */
void page_link(struct page *page, const char *route, const char *format, const char *text);

#endif
