/*
 * device_tables.h - names of parts beside the catalogue's, instance types, and lines of tools.
 */
#ifndef REGIME_DEVICE_TABLES_H
#define REGIME_DEVICE_TABLES_H

#include <stdbool.h>

/* A name, in lower case, of one part. */
struct device_synonym {
    const char *name, *part;
};

/* Instance types "family" + "size"; sizes are "xlarge:1 12xlarge:4", the devices behind the colon.
 */
struct device_instance {
    const char *family, *part, *sizes;
};

/* How a tool begins a device's name on a line, and what ends it. */
struct device_line {
    const char *begin;
    bool numbered; /* a device number and a colon follow */
    char behind;   /* the name stands behind the next of these; '\0' = at once */
    const char *stops;
};

extern const struct device_synonym DEVICE_SYNONYMS[];
extern const int DEVICE_SYNONYMS_COUNT;
extern const struct device_instance DEVICE_INSTANCES[];
extern const int DEVICE_INSTANCES_COUNT;
extern const struct device_line DEVICE_LINES[];
extern const int DEVICE_LINES_COUNT;

#endif
