/*
 * launches.h - what launch records say of the fields that a request leaves out.
 *
 * Purpose: a request becomes the case that launches are matched with; a field whose row names a
 *          flag takes the value that they give. Ownership: launches belong to the catalogue.
 * Errors:  none.
 */
#ifndef REGIME_LAUNCHES_H
#define REGIME_LAUNCHES_H

#include "launch.h"
#include "plan_request.h"

/* Whose load it is: as given, else inferencex where lengths vary, an engine's own benchmark where
 * requests are counted, a steady state with neither. */
enum load_generator load_generator_of(const struct plan_request *request);

/*
 * What launches say of each flag. Model, part, engine, version and weights are settled; of the rest
 * what was given counts, else its constant default.
 */
void launches_choose(const struct catalogue *catalogue, const struct plan_request *request,
                     struct launch_choice ret_choices[LAUNCH_FLAG_COUNT]);

/* Writes the choice of the field's flag, which it has, to its place and notes the launch. False
 * when no launch speaks of it. */
bool launch_take(const struct launch_choice *choices, enum field_id id,
                 struct plan_request *request);

#endif
