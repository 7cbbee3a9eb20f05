/*
 * anchors.h - measurements: GET /v1/anchors, GET /v1/anchors/{id}, and those nearest to a plan.
 *
 * Purpose: lists filtered in the snapshot and paged by id, records with the rows of their study,
 * and what of it a plan shows beside its own figures. Units:   in the names of conditions and
 * metrics. Errors:  404 with a near id, 422 for a wrong argument, 503 when the store cannot be
 * read. A query that nothing answers is 200 with status "no record", the nearest anchors by
 *          anchor_distance(), and the gap that it was counted in.
 */
#ifndef REGIME_ANCHORS_H
#define REGIME_ANCHORS_H

#include "anchor_index.h"
#include "json_out.h"
#include "routes.h"

/* ?model= &hardware= &engine= &weights= &kv_cache= &kind= &metric= &statistic= &disputed= &source=
 * &backend= &q= &limit= &cursor=, and of every numeric condition NAME=, NAME_min=, NAME_max=. */
handler_fn anchors_list_handler;

/* An id, or a further id of the same measurement. */
handler_fn anchors_item_handler;

/* Replies with one anchor; 503 when the store cannot be read. */
void anchor_reply(struct context *ctx, int anchor, int status);

/* Anchors that a plan shows. */
#define PLAN_ANCHORS_MAX 5

/*
 * The value of a plan's `anchors`: up to PLAN_ANCHORS_MAX of them, nearest first, each {"id",
 * "distance", "exact", "kind", "conditions", "metrics"}. `metrics` names means plainly and other
 * statistics with their suffix ("ttft_ms_p99"). Reads the snapshot alone.
 */
void anchors_render(struct json_out *out, const struct catalogue *cat,
                    const struct problem *problem);

/* The same as a table of at most 100 columns for a report, without a line above or below. Writes
 * nothing and returns 0 when there is no anchor of the model or the part. */
int anchors_render_text(struct json_out *out, const struct catalogue *cat,
                        const struct problem *problem);

/* A figure of exactly what is asked: the mean (or, where the source does not say, its figure) of
 * the nearest exact anchor that has one. */
struct anchor_measured {
    enum anchor_metric metric; /* asked */
    double value;              /* NAN when nobody measured it */
    const char *anchor;        /* its id */
};

/* Fills in the values and anchors of figures[0..n). */
void anchors_measured(const struct catalogue *cat, const struct problem *problem,
                      struct anchor_measured *figures, int n);

/* Writes the conditions of an anchor as members of an object. */
void anchor_put_conditions(struct json_out *out, const struct catalogue *cat, int anchor);

/* Writes the anchors of a page as CSV, a line per metric; false when the store cannot be read.
 * `forecaster` may be NULL. */
struct anchor_query;
struct anchor_page;
struct forecaster;
bool anchors_write_csv(struct context *ctx, struct forecaster *forecaster,
                       const struct anchor_query *query, const struct anchor_page *page,
                       struct json_out *out);

#endif
