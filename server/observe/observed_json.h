/*
 * observed_json.h - what was observed, as JSON: every quantity with its origin.
 *
 * Purpose: let a client see what was read of the texts that it posted, and what was not.
 */
#ifndef REGIME_OBSERVED_JSON_H
#define REGIME_OBSERVED_JSON_H

#include "json_out.h"
#include "observed.h"

/* Writes one object: texts, states, "values" (name to value, from, over, where, samples), "series",
 * "gpus", "signals", "notes" and "readings". What was not observed is left out. */
void observed_put_json(struct json_out *out, const struct observed *observed);

/* Writes the member "readings" alone: what became of each text, in the order of reading. */
void observed_put_readings(struct json_out *out, const struct observed *observed);

#endif
