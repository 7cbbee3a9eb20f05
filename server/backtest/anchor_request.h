/*
 * anchor_request.h - the plan request that a measured run stands for.
 *
 * Purpose: what an anchor states of its model, part, engine, layout and load becomes a request like
 *          any other, so that predicted and measured are compared under the same conditions.
 * Ownership: the request borrows from the catalogue and the intake's arena.
 */
#ifndef REGIME_ANCHOR_REQUEST_H
#define REGIME_ANCHOR_REQUEST_H

#include "catalogue.h"
#include "plan_request.h"

/* Why an anchor cannot be planned. */
enum anchor_lack {
    LACK_NOTHING,
    LACK_MODEL,   /* not of the catalogue, or its part or engine */
    LACK_LOAD,    /* concurrency or arrival rate */
    LACK_LENGTHS, /* input or output tokens */
    LACK_RANGE,   /* a condition that a request may not have */
};

/*
 * Fills *ret_request from an anchor and resolves it. Returns LACK_NOTHING when its problem can be
 * planned; faults of the resolution count as LACK_RANGE.
 */
enum anchor_lack anchor_request(const struct intake *intake, int anchor,
                                struct plan_request *ret_request);

/* What a lack means, for a report. */
const char *anchor_lack_text(enum anchor_lack lack);

#endif
