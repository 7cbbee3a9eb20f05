/*
 * attribution_refuse.c - files that cannot tell where a serving step's time goes.
 */
#include <math.h>
#include <string.h>

#include "attribution.h"

/* Launches of which a recording shows hardly any kernel: from so many on, by so much. */
#define CAPTURE_LAUNCHES_MIN 20
#define CAPTURE_KERNELS_SHARE 0.25
/* Graph launches that matter beside the others. */
#define GRAPH_LAUNCHES_SHARE 0.01
/* Of the device time that the rows hold: below, they tell nothing of the whole. */
#define LISTED_SHARE_MIN 0.05
#define TRAINING_NAMES_MIN 2

/* Kernels of the whole recording, as its calls are. */
static double device_launches(const struct profile *profile)
{
    double sum = 0;

    for (size_t i = 0; i < profile->n_spans; i++)
        sum += (span_kind(&profile->spans[i]) & (SPAN_DEVICE | SPAN_ASIDE)) != 0;
    for (int i = 0; i < profile->n_names && !profile->spans; i++)
        sum += profile->names[i].on_host ? 0 : profile->names[i].launches;
    return sum;
}

static const char *refuse_capture(const struct attribution *attribution,
                                  const struct profile *profile)
{
    double launches = profile->calls[CALL_LAUNCH].calls;
    double graphs = profile->calls[CALL_GRAPH_LAUNCH].calls;
    double kernels = device_launches(profile);
    bool captures = false;

    (void)attribution;
    for (int i = 0; i < profile->n_steps; i++)
        captures = captures || profile->steps[i].kind == STEP_CAPTURE;
    if (!profile->spans || launches < CAPTURE_LAUNCHES_MIN || graphs > 0 ||
        kernels > CAPTURE_KERNELS_SHARE * launches)
        return NULL;
    return arena_printf(profile->arena,
                        "a graph is captured here, not run: %.0f launches, %.0f kernels%s. Record "
                        "steps after start-up",
                        launches, kernels, captures ? ", and the annotation says capture" : "");
}

static const char *refuse_graphs(const struct attribution *attribution,
                                 const struct profile *profile)
{
    double launches = profile->calls[CALL_LAUNCH].calls;
    double graphs = profile->calls[CALL_GRAPH_LAUNCH].calls;
    double kernels = device_launches(profile);

    (void)attribution;
    if (profile->spans_dropped > 0 || graphs <= GRAPH_LAUNCHES_SHARE * launches || kernels <= 0 ||
        kernels >= launches + graphs)
        return NULL;
    return arena_printf(profile->arena,
                        "the kernels inside CUDA graphs are not in it: %.0f graph launches, and "
                        "fewer kernels (%.0f) than launches outside of graphs (%.0f). What is "
                        "listed ran between the graphs. Record with --cuda-graph-trace=node",
                        graphs, kernels, launches);
}

/* Names that only a backward pass or an optimizer has. */
static bool is_training(const char *name)
{
    static const char *const WORDS[] = {
        "backward", "Backward",  "_bwd",       "bwd_",
        "_grad",    "wrw",       "GammaBeta",  "adam",
        "Adam",     "dgrad",     "wgrad",      "bwd_data",
        "BwdData",  "BwdWeight", "fused_lamb", "cross_entropy_loss"};

    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
        if (strstr(name, WORDS[i]))
            return true;
    return false;
}

static const char *refuse_training(const struct attribution *attribution,
                                   const struct profile *profile)
{
    const char *example = NULL;
    int found = 0;

    for (int i = 0; i < attribution->n_names; i++)
        if (is_training(attribution->names[i].text)) {
            example = example ? example : attribution->names[i].text;
            found++;
        }
    if (found < TRAINING_NAMES_MIN)
        return NULL;
    return arena_printf(profile->arena,
                        "it is not an LLM serving step: %d kernels belong to training (%.60s%s)",
                        found, example, strlen(example) > 60 ? "..." : "");
}

static const char *refuse_little(const struct attribution *attribution,
                                 const struct profile *profile)
{
    double listed = attribution->listed_share;

    if (isnan(listed) || listed >= LISTED_SHARE_MIN)
        return NULL;
    return arena_printf(profile->arena,
                        "the rows hold %.1f %% of the device time: the rest of the table is needed",
                        100 * listed);
}

static const char *refuse_empty(const struct attribution *attribution,
                                const struct profile *profile)
{
    if (attribution->n_names > 0 || profile->n_parts > 0 || profile->n_arms > 0)
        return NULL;
    return profile->spans || profile->has_calls
               ? "no kernel ran on a device: record with the device's activities"
               : "no row with a name and a time was found";
}

void attribution_refuse(struct attribution *attribution, struct profile *profile)
{
    static const char *(*const RULES[])(const struct attribution *, const struct profile *) = {
        refuse_capture, refuse_empty, refuse_graphs, refuse_training, refuse_little};

    for (size_t i = 0; i < ARRAY_LEN(RULES) && !attribution->refused; i++)
        attribution->refused = RULES[i](attribution, profile);
    if (profile->cut_rows > 0)
        profile_warn(profile, "%.0f rows end too early to be read", profile->cut_rows);
    if (profile->names_dropped > 0)
        profile_warn(profile, "%.0f names beyond %d are one unclassified row",
                     profile->names_dropped, PROFILE_NAMES_MAX);
}
