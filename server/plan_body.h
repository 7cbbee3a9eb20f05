/*
 * plan_body.h - a plan request from whatever a client sent: a JSON body, the query, or a
 *               command line, a manifest or a log as the body and the query beside it.
 *
 * Purpose: the routes that plan a deployment read it here.
 * Ownership: what is read lies in the request's arena and borrows from the body.
 * Errors:  faults become a problem reply that lists every one.
 */
#ifndef REGIME_PLAN_BODY_H
#define REGIME_PLAN_BODY_H

#include "plan_request.h"
#include "routes.h"

struct cJSON;

/*
 * Reads and resolves the request's deployment; `own` are the n_own arguments of the route itself,
 * `faults` may already hold some. False when a reply has been written.
 */
MUST_USE bool plan_body_read(struct context *ctx, struct faults *faults, const char *const *own,
                             int n_own, struct plan_request *ret_request);

/*
 * Reads and resolves one deployment out of a JSON object that stands at `base` ("" or "/baseline")
 * in the body. Leaves that *request already has stay unless the object gives them. False when there
 * are faults; no reply is written.
 */
MUST_USE bool plan_body_read_object(struct context *ctx, struct faults *faults, const char *base,
                                    const struct cJSON *object, struct plan_request *request);

/* A JSON body carries the whole request: a fault for each argument of the query that is not one of
 * the route's own. */
void plan_body_refuse_leaves(const struct request *request, const char *const *own, int n_own,
                             struct faults *faults);

#endif
