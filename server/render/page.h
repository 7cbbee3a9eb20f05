/*
 * page.h - the plain page: a form and, below it, its plan.
 *
 * Purpose: a page of its own without scripts, fonts or other hosts: a GET form whose fields are the
 * leaves of GET /v1/plan, the plan of what it says, faults beside their fields. Errors:  a request
 * with faults shows them with the form (422).
 */
#ifndef REGIME_PAGE_H
#define REGIME_PAGE_H

#include "routes.h"

/* GET /plain, and GET / of a program that was built without the pages with charts. */
void page_handler(struct context *ctx);

#endif
