/*
 * attribute_work.h - what the routes of profiles share; for attribute_*.c only.
 */
#ifndef REGIME_ATTRIBUTE_WORK_H
#define REGIME_ATTRIBUTE_WORK_H

#include "attribute_query.h"

struct attribute_work {
    struct attribution *attribution;
    struct run run;
    bool ascii;
};

/* Reads body and query; the faults found so far are the caller's to answer. `keeps` tells whether
 * the arguments of a record are read too. False when the reply is written. */
bool attribute_read(struct context *ctx, bool keeps, struct faults *ret_faults,
                    struct attribute_work *ret_work);

#endif
