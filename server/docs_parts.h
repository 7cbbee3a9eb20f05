/*
 * docs_parts.h - what the pages of the reference share.
 *
 * Errors:  the writer's.
 */
#ifndef REGIME_DOCS_PARTS_H
#define REGIME_DOCS_PARTS_H

#include "page_parts.h"

/* The beginning and the end of a page. */
void docs_begin(struct page *page, const char *title);
void docs_send(struct context *ctx, struct page *page);

/* <a href="/docs/KIND/ID">ID</a> */
void docs_link(struct page *page, const char *kind, const char *id);

/* <h3>TEXT</h3>, a paragraph, and one with a name before it; a NULL text is left out. */
void docs_heading(struct page *page, const char *text);
void docs_paragraph(struct page *page, const char *text);
void docs_fact(struct page *page, const char *name, const char *text);

#endif
