/*
 * units.h - the units of the planner and the conversions at its edge.
 *
 * Purpose: one unit inside (bytes, flops, microseconds, tokens), named constants at the edge.
 * Units:   1 GB = 1e9 bytes, 1 GiB = 2^30 bytes; bandwidth in bytes per microsecond inside,
 *          GB/s (1e9) at the edge; a multiply-add is 2 flops; peaks are dense.
 */
#ifndef REGIME_UNITS_H
#define REGIME_UNITS_H

#define BYTES_PER_GB 1e9
#define BYTES_PER_GIB 1073741824.0
#define BYTES_PER_MIB 1048576.0
#define US_PER_MS 1e3
#define US_PER_S 1e6
#define MS_PER_S 1e3
#define NS_PER_US 1e3
/* 1 GB/s = 1e9 bytes per 1e6 microseconds. */
#define BYTES_PER_US_PER_GBPS 1e3
/* 1 TFLOP/s = 1e12 flops per 1e6 microseconds. */
#define FLOPS_PER_US_PER_TFLOPS 1e6
#define FLOPS_PER_MULTIPLY_ADD 2.0

#endif
