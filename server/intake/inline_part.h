/*
 * inline_part.h - a part described in the request instead of named.
 *
 * Purpose: an object with a hardware record's fields becomes a struct hardware with index -1.
 * Units:   GB = 1e9 bytes, GiB = 2^30, GB/s = 1e9 bytes per second, TFLOPS are dense.
 * Ownership: the part lives in the arena.
 * Errors:  faults below `pointer`; memory and bandwidth are required, everything else is optional.
 */
#ifndef REGIME_INLINE_PART_H
#define REGIME_INLINE_PART_H

#include "field.h"
#include "hardware.h"

extern const struct field_table PART_FIELDS;

/* Reads the object; NULL when it has faults or memory ran out. */
const struct hardware *inline_part_read(const struct catalogue *catalogue, struct arena *arena,
                                        struct faults *faults, const char *pointer,
                                        const struct cJSON *object);

/* Speed of a host link named as records name it ("gen5x16", "NVLink-C2C 900"), one direction, in
 * bytes per microsecond; 0 when the text is not understood. */
double host_link_bytes_us(const char *pcie);

#endif
