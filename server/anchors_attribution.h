/*
 * anchors_attribution.h - the planner's shares beside those of a measured decode step.
 *
 * Purpose: an attribution says which part of a step which kernels took; the planner computes the
 *          same step at the same batch and context, and sums its classes by the same parts.
 * Units:   shares of the device's time; milliseconds.
 * Errors:  nothing is written where the model, the part, the batch or the context is not known.
 */
#ifndef REGIME_ANCHORS_ATTRIBUTION_H
#define REGIME_ANCHORS_ATTRIBUTION_H

#include "json_out.h"
#include "routes.h"

/* Writes the member "planned": {"step_ms", "dominant_class", "agrees", "parts": [{"label",
 * "classes", "measured", "planned"}]} of an attribution. */
void anchor_put_planned(struct context *ctx, struct json_out *out, int anchor);

#endif
