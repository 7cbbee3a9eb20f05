/*
 * sweep_route.h - POST /v1/sweep: a table of plans.
 */
#ifndef REGIME_SWEEP_ROUTE_H
#define REGIME_SWEEP_ROUTE_H

#include "routes.h"

handler_fn sweep_handler;

#endif
