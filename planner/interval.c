#include "interval.h"

#include <stddef.h>
#include <string.h>

#define X(ID, NAME) [ID] = NAME,
static const char *const METRIC_NAMES[] = {INTERVAL_METRIC_LIST(X)};
static const char *const TIER_NAMES[] = {INTERVAL_TIER_LIST(X)};
#undef X

const char *interval_metric_name(enum interval_metric metric)
{
    return metric < INTERVAL_METRIC_COUNT ? METRIC_NAMES[metric] : NULL;
}

const char *interval_tier_name(enum interval_tier tier)
{
    return tier < INTERVAL_TIER_COUNT ? TIER_NAMES[tier] : NULL;
}

enum interval_metric interval_metric_parse(const char *name)
{
    int i = 0;
    while (i < INTERVAL_METRIC_COUNT && (name == NULL || strcmp(METRIC_NAMES[i], name) != 0))
        i++;
    return (enum interval_metric)i;
}

enum interval_tier interval_tier_parse(const char *name)
{
    int i = 0;
    while (i < INTERVAL_TIER_COUNT && (name == NULL || strcmp(TIER_NAMES[i], name) != 0))
        i++;
    return (enum interval_tier)i;
}
