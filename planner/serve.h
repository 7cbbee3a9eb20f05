/*
 * serve.h - the means of a load: replayed, or by the closed cycle.
 *
 * Units: microseconds; requests per microsecond of one replica.
 */
#ifndef REGIME_SERVE_H
#define REGIME_SERVE_H

#include "core.h"

struct served {
    double ttft_us, tpot_us, e2e_us, requests_us;
    double output_tokens; /* of a request, mean */
    bool replayed;
};

/* Whether the load's times are predictions: both steps rest on records, and the deployment can run
 * at all. */
bool load_is_predicted(const struct core *core);

/* How a load's means are found: by the closed cycle, or replayed, briefly or at length. */
enum serve_way { SERVE_CYCLE, SERVE_BRIEF, SERVE_REPLAY };

/* The means of an evaluated problem's load: the closed cycle's, or those of the replay where it can
 * run (predicted, not saturated, within its limits). */
struct served load_serve(const struct prepared *prep, const struct core *core, enum serve_way way);

#endif
