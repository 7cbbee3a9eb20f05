/*
 * plausible.h - can what a request says of memory be so?
 *
 * Purpose: figures of a log, or of somebody who read one, stand in the place of what is computed:
 *          what no device holds is refused, and what is far from the computed figure is pointed at.
 * Units:   bytes and tokens, as the fields have them.
 * Errors:  faults, and notes in request->described.
 */
#ifndef REGIME_PLAUSIBLE_H
#define REGIME_PLAUSIBLE_H

#include "plan_request.h"

/* Holds measured_memory and checkpoint_bytes of a request, whose defaults are filled in, against
 * the device's memory and against what is computed without them. */
void plausible_memory(const struct intake *intake, struct plan_request *request);

#endif
