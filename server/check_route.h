/*
 * check_route.h - POST and GET /v1/check: may this deployment roll out.
 */
#ifndef REGIME_CHECK_ROUTE_H
#define REGIME_CHECK_ROUTE_H

#include "check_report.h"
#include "gate.h"
#include "routes.h"

void check_handler(struct context *ctx);

/* A cure search whose changed deployments find their own measured runs. */
int check_route_cures(const struct context *ctx, const struct plan *plan,
                      const struct check_list *checks, const struct check_asked *asked,
                      struct check_cure *ret_cures);

/* Writes a verdict in a format of build servers, named by the suite; false for JSON and plain
 * text, which the caller writes. */
bool check_route_write_ci(struct context *ctx, struct json_out *out,
                          const struct check_report *report, const char *suite);

/* What the request says besides its plan: the devices that its command or manifest hands over to a
 * replica; else those that the part's name speaks of ("4x H100", a cloud's instance), of which some
 * may stay idle. */
struct check_asked check_route_asked(const struct plan_request *request);

#endif
