/*
 * hardware.h - a part: memory, bandwidth, dense peaks, links.
 *
 * Units:   bytes, bytes per microsecond, flops per microsecond.
 * Ownership: plain data; strings are borrowed from the catalogue.
 */
#ifndef REGIME_HARDWARE_H
#define REGIME_HARDWARE_H

#include <stdbool.h>

#include "dtype.h"

/* What a part is sold as; the names are those of the records. */
#define HARDWARE_CLASS_LIST(X)                                                                     \
    X(HW_DATACENTER, "datacenter")                                                                 \
    X(HW_WORKSTATION, "workstation")                                                               \
    X(HW_CONSUMER, "consumer")                                                                     \
    X(HW_SOC, "soc")                                                                               \
    X(HW_TPU, "tpu")                                                                               \
    X(HW_CPU, "cpu")

#define X(ID, NAME) ID,

enum hardware_class { HARDWARE_CLASS_LIST(X) HW_CLASS_COUNT };

#undef X

struct hardware {
    const char *id, *name, *vendor, *arch;
    const char *memory_type; /* "HBM3e"; NULL where nobody said */
    enum hardware_class class;
    int index;           /* position in the library, -1 for an inline part */
    double memory_bytes; /* what the driver reports; nominal where nobody stated it */
    bool memory_is_nominal;
    double bw_bytes_us;                /* device memory */
    double peak_flops_us[DTYPE_COUNT]; /* dense; 0 = the part has no such path */
    bool link_is_fabric;               /* NVLink, xGMI, ICI: not PCIe */
    const char *link_kind;
    double link_bytes_us; /* one direction, per device; 0 = unknown or none */
    double link_domain;   /* devices that the fabric joins */
    double host_bytes_us; /* PCIe or C2C, one direction */
    bool host_bytes_us_assumed;
    double tdp_w;
};

/* The record's name of a class of parts, and back (HW_CLASS_COUNT when unknown). */
const char *hardware_class_name(enum hardware_class class);
enum hardware_class hardware_class_parse(const char *name);

/*
 * Whether kernels measured on one part say something of the other: one maker, one generation (an
 * "-ultra" is its generation's) and one kind of memory, which tells the two dies of a generation
 * apart (HBM: A100, B200; GDDR: A10, RTX 5090; LPDDR: GB10). A part of an unstated kind, a TPU and
 * a CPU have no family.
 */
bool hardware_same_family(const struct hardware *a, const struct hardware *b);

/* Whether collectives of one part say something of the other: of one family, over links of one
 * technology (NVLink4, PCIe); a bridge of two parts is no switched fabric. */
bool hardware_same_link(const struct hardware *a, const struct hardware *b);

/*
 * The peak in flops per microsecond for a compute type. A part without that path converts the
 * operands and multiplies in 16 bits (fp8, fp4, int8, int4 -> bf16 -> fp16 -> fp32); *ret_used says
 * in which type. Returns 0 when the part states no peak at all.
 */
double hardware_peak(const struct hardware *hw, enum dtype want, enum dtype *ret_used);

#endif
