#include "symptoms.h"

#include <math.h>
#include <stddef.h>

#include "compiler.h"

/* Speeds within this share of each other are the same: runs repeat no better. */
#define SAME_WITHIN 0.03

struct sign_row {
    const char *name, *text, *measure;
};

#define X(ID, NAME, TEXT, MEASURE) {NAME, TEXT, MEASURE},

static const struct sign_row SIGNS[] = {SIGN_LIST(X)};

#undef X
#define X(ID, NAME) NAME,

static const char *const TOPICS[] = {TOPIC_LIST(X)};
static const char *const ORIGINS[] = {ORIGIN_LIST(X)};

#undef X

const char *sign_name(enum sign_id id)
{
    return SIGNS[id].name;
}

const char *sign_text(enum sign_id id)
{
    return SIGNS[id].text;
}

const char *sign_measure(enum sign_id id)
{
    return SIGNS[id].measure;
}

const char *topic_name(enum topic_id id)
{
    return TOPICS[id];
}

const char *origin_name(enum origin origin)
{
    return ORIGINS[origin];
}

void symptoms_sign(struct symptoms *symptoms, enum sign_id id, const struct sign *sign)
{
    struct sign *kept = &symptoms->signs[id];
    bool better = sign->strength > kept->strength ||
                  (sign->strength == kept->strength && sign->origin > kept->origin);

    if (better)
        *kept = *sign;
}

void symptoms_use(struct symptoms *symptoms, enum topic_id id, double sure, enum origin origin,
                  const char *words)
{
    struct topic *topic = &symptoms->topics[id];

    topic->told |= origin != ORIGIN_DEPLOYMENT && origin != ORIGIN_PLAN;
    if (sure <= topic->use)
        return;
    topic->use = sure;
    topic->origin = origin;
    topic->words = words;
}

/* The comparison that says more: the surer one, then the larger effect. */
static void keep_difference(struct difference *kept, const struct difference *difference)
{
    bool larger = fabs(log(difference->ratio)) > fabs(log(kept->ratio > 0 ? kept->ratio : 1.0));

    if (difference->strength > kept->strength || (difference->strength == kept->strength && larger))
        *kept = *difference;
}

void symptoms_differ(struct symptoms *symptoms, enum topic_id id,
                     const struct difference *difference)
{
    struct topic *topic = &symptoms->topics[id];

    if (!(difference->ratio > 0) || !(difference->strength > 0))
        return;
    if (difference->ratio < 1.0 - SAME_WITHIN)
        keep_difference(&topic->worse, difference);
    else if (difference->ratio > 1.0 + SAME_WITHIN)
        keep_difference(&topic->better, difference);
    else
        keep_difference(&topic->same, difference);
}

bool symptoms_any(const struct symptoms *symptoms)
{
    for (int i = 0; i < CAUSE_COUNT; i++)
        if (symptoms->told[i] > 0)
            return true;
    for (int i = 0; i < SIGN_COUNT; i++)
        if (symptoms->signs[i].strength > 0 && symptoms->signs[i].origin != ORIGIN_DEPLOYMENT &&
            symptoms->signs[i].origin != ORIGIN_PLAN)
            return true;
    for (int i = 0; i < TOPIC_COUNT; i++) {
        const struct topic *topic = &symptoms->topics[i];
        if (topic->worse.strength > 0 || topic->better.strength > 0 || topic->same.strength > 0)
            return true;
        if (topic->told)
            return true;
    }
    return false;
}
