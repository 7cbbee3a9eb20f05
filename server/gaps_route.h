/*
 * gaps_route.h - GET /v1/gaps: what nobody measured, stated and asked.
 *
 * Purpose: stated gaps are records; asked ones are the counters of gaps.h, put into words. The list
 *          is ordered by rank (gaps_width.h), then by how often a gap was asked, then by id.
 * Errors:  as the other record endpoints.
 */
#ifndef REGIME_GAPS_ROUTE_H
#define REGIME_GAPS_ROUTE_H

#include "records_kinds.h"

/* ?status= &kind=stated|asked &model= &hardware= &engine= &metric= &q= &limit= &cursor= */
handler_fn gaps_list_handler;

/* The id of a stated gap or of an asked question. */
handler_fn gaps_item_handler;

/* Counters and subjects of a stated gap, beside its text. */
record_extra_fn record_gap_extra;

#endif
