/*
 * observed_request.h - the member "observed" of a diagnosis, and its runs ("arms").
 *
 * Purpose: figures by their names into struct observed; free ones ("other", runs) by what their
 *          names say (free_figures.h).
 * Units:   percent and fraction are both understood for shares; what was taken is a note.
 * Ownership: the request's arena.
 * Errors:  unknown members and values that are none are faults with the nearest name.
 */
#ifndef REGIME_OBSERVED_REQUEST_H
#define REGIME_OBSERVED_REQUEST_H

#include "fault.h"
#include "free_figures.h"
#include "observed.h"

struct cJSON;

/* What one reading gathers. */
struct observed_reader {
    struct arena *arena;
    struct faults *faults;
    struct observed *observed;
    struct free_figures *figures;
    struct symptoms *symptoms;
};

/* Reads the object at /observed. */
void observed_request_read(const struct observed_reader *reader, const struct cJSON *object);

/* Reads the list at /arms. */
void observed_request_arms(const struct observed_reader *reader, const struct cJSON *list);

/* The i-th name that "observed" takes, NULL past the end: quantities, their short names, "other".
 */
const char *observed_request_name(int i);

#endif
