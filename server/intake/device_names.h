/*
 * device_names.h - parts as tools, node labels and clouds name them.
 *
 * Purpose: what people have is the output of nvidia-smi, rocm-smi, amd-smi, lspci, a framework's
 *          device list, a node label or an instance type. One name becomes a part of the catalogue,
 *          a pasted output the part and how many of it there are.
 * Ownership: results point into static tables or the request's arena.
 * Errors:  none; what is not understood is left to the caller.
 * Threads: tables are constant.
 */
#ifndef REGIME_DEVICE_NAMES_H
#define REGIME_DEVICE_NAMES_H

#include <stdbool.h>

#include "arena.h"
#include "catalogue.h"

/* Devices that a name may speak of where a part is asked for. */
#define NAMED_DEVICES_MAX 4096

/* What a name or text stands for. */
struct device_found {
    int index;     /* of the part in the library */
    int n_devices; /* of it; 0 = the name does not say */
};

/* One name: of a part, with a share or slice behind it ("-SHARED", "-MIG-1g.10gb"), with a count
 * ("8x H100", "H100:8"), or an instance type of a cloud. False when it names no part for sure. */
bool device_name_find(const struct catalogue *catalogue, const char *name,
                      struct device_found *ret_found);

/* The output of a tool, or a list of names. */
struct device_text {
    const char *name;  /* of the first part as the text has it; NULL when no line names one */
    int n_devices;     /* lines, or counts, of that name */
    const char *other; /* a second part that the text names, or NULL */
};

/* Looks for the lines of a text that name a device. */
void device_text_read(const struct catalogue *catalogue, struct arena *arena, const char *text,
                      struct device_text *ret_text);

/* The same for the log of a program: only lines that say what device they speak of count. */
void device_log_read(const struct catalogue *catalogue, struct arena *arena, const char *text,
                     struct device_text *ret_text);

/* What somebody wrote where a part is expected. */
struct device_asked {
    struct name_match match; /* as catalogue_find_hardware() tells it */
    int n_devices;           /* that the text speaks of; 0 = it does not say */
    const char *name;        /* the part's name in the text */
    const char *other;       /* a second part that the text names, or NULL */
    const char *slice;       /* of a part ("3g.40gb"), and no match then; or NULL */
};

/* A name of the catalogue, one that device_name_find() knows, or the output of a tool. */
void device_read(const struct catalogue *catalogue, struct arena *arena, const char *text,
                 struct device_asked *ret_asked);

#endif
