/*
 * records_extra.h - what the planner computes for a record, beside what the record says.
 */
#ifndef REGIME_RECORDS_EXTRA_H
#define REGIME_RECORDS_EXTRA_H

#include "records_kinds.h"

record_extra_fn record_model_extra, record_hardware_extra, record_calibration_extra,
    record_source_extra;

#endif
