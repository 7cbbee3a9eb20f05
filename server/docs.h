/*
 * docs.h - the reference for people: GET /docs and a page for each class, regime and cure.
 *
 * Purpose: the tables of routes, request fields and reply shapes as one page, and what each class,
 *          regime and cure means, with its formulas, signs, cures and measurements.
 * Errors:  404 with the nearest id; a reader of the store that fails shows no measurements.
 */
#ifndef REGIME_DOCS_H
#define REGIME_DOCS_H

#include "routes.h"

/* GET /docs */
handler_fn docs_handler;

/* GET /docs/classes/{id}, /docs/regimes/{id}, /docs/cures/{id} */
handler_fn docs_item_handler;

#endif
