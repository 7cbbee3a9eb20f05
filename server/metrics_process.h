/*
 * metrics_process.h - what the process itself uses, under the names Prometheus clients agree on.
 */
#ifndef REGIME_METRICS_PROCESS_H
#define REGIME_METRICS_PROCESS_H

#include "json_out.h"

/* Writes CPU time, memory, descriptors and start time out of /proc/self; leaves out what it cannot
 * read. */
void metrics_write_process(struct json_out *out);

#endif
