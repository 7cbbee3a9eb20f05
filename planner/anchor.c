#include "anchor.h"

#include <math.h>
#include <string.h>

/* Weights of the distance; anchor.h says what they mean. */
#define WEIGHT_CONCURRENCY 0.5
#define WEIGHT_INPUT 0.5
#define WEIGHT_OUTPUT 0.25
#define WEIGHT_KV 0.5
#define OTHER_WEIGHTS 1.0
#define OTHER_ENGINE 1.0
#define OTHER_MAJOR 0.5
#define PER_MINOR 0.02
#define MINOR_MAX 0.3
#define OTHER_PATCH 0.01
#define OTHER_PART 4.0
#define OTHER_MODEL 8.0
#define OTHER_PHASES 2.0
#define OTHER_DRAFTING 1.0
#define UNSTATED 1.0
#define UNSTATED_MINOR 0.5
/* Two lengths or batches count as the same within one part in a hundred. */
#define SAME_LOG2 0.0144

#define X(ID, NAME, UNIT, ROOF, NEEDS) [ID] = {NAME, UNIT, ROOF, NEEDS},
static const struct metric_info METRICS[] = {ANCHOR_METRIC_LIST(X)};
#undef X
#define X(ID, NAME, MAX) [ID] = {NAME, MAX},
static const struct condition_info CONDITIONS[] = {ANCHOR_CONDITION_LIST(X)};
#undef X
#define X(ID, NAME) [ID] = NAME,
static const char *const KIND_NAMES[] = {ANCHOR_KIND_LIST(X)};
static const char *const STATISTIC_NAMES[] = {STATISTIC_LIST(X)};
static const char *const TEXT_NAMES[] = {ANCHOR_TEXT_LIST(X)};
static const char *const LOAD_NAMES[] = {LOAD_PROFILE_LIST(X)};
static const char *const DOUBT_NAMES[] = {ANCHOR_DOUBT_LIST(X)};
#undef X

static int name_index(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return n;
}

const struct metric_info *metric_info(enum anchor_metric metric)
{
    return &METRICS[metric];
}

const struct condition_info *condition_info(enum anchor_condition condition)
{
    return &CONDITIONS[condition];
}

const char *anchor_kind_name(enum anchor_kind kind)
{
    return KIND_NAMES[kind];
}

const char *statistic_name(enum statistic statistic)
{
    return STATISTIC_NAMES[statistic];
}

const char *anchor_text_name(enum anchor_text text)
{
    return TEXT_NAMES[text];
}

const char *load_profile_name(enum load_profile load)
{
    return LOAD_NAMES[load];
}

const char *anchor_doubt_name(enum anchor_doubt doubt)
{
    return DOUBT_NAMES[doubt];
}

enum anchor_doubt anchor_doubt_parse(const char *name)
{
    return (enum anchor_doubt)name_index(DOUBT_NAMES, ANCHOR_DOUBT_COUNT, name);
}

enum load_profile load_profile_parse(const char *name)
{
    return (enum load_profile)name_index(LOAD_NAMES, LOAD_PROFILE_COUNT, name);
}

enum anchor_kind anchor_kind_parse(const char *name)
{
    return (enum anchor_kind)name_index(KIND_NAMES, ANCHOR_KIND_COUNT, name);
}

enum statistic statistic_parse(const char *name)
{
    return (enum statistic)name_index(STATISTIC_NAMES, STATISTIC_COUNT, name);
}

enum anchor_text anchor_text_parse(const char *name)
{
    return (enum anchor_text)name_index(TEXT_NAMES, ANCHOR_TEXT_COUNT, name);
}

enum anchor_metric metric_parse(const char *name)
{
    int i = 0;
    while (i < ANCHOR_METRIC_COUNT && strcmp(METRICS[i].name, name) != 0) {
        i++;
    }
    return (enum anchor_metric)i;
}

enum anchor_condition condition_parse(const char *name)
{
    int i = 0;
    while (i < CONDITION_COUNT && strcmp(CONDITIONS[i].name, name) != 0) {
        i++;
    }
    return (enum anchor_condition)i;
}

/* A model's place in the library, -1 for one that came with the request. */
static short model_index(const struct library *lib, const struct model *model)
{
    for (int i = 0; i < lib->n_models; i++) {
        if (&lib->models[i] == model) {
            return (short)i;
        }
    }
    return -1;
}

static double log2_of(double value)
{
    return value > 0.0 ? log2(value) : (double)NAN;
}

void anchor_point_load(struct anchor_point *point, const struct problem *problem)
{
    const struct workload *load = &problem->load;
    /* an open loop is not compared by what happens to be in flight */
    point->log_concurrency = isnan(load->request_rate) ? log2_of(load->concurrency) : (double)NAN;
    point->log_input = log2_of(load->input_tokens);
    point->log_output = log2_of(load->output_tokens);
}

struct anchor_point anchor_point_of(const struct problem *problem)
{
    const struct deployment *dep = &problem->dep;
    struct anchor_point point = {
        .log_tp = log2_of(dep->tp),
        .log_pp = log2_of(dep->pp),
        .log_dp = log2_of(dep->dp),
        .log_ep = log2_of(dep->ep),
        .log_weight_bytes = log2_of(dep->weights->bytes[ROLE_DENSE_FFN]),
        .log_kv_bytes = log2_of(dep->kv_cache->bytes_per_element),
        .log_bandwidth = log2_of(problem->hw->bw_bytes_us),
        .log_active = log2_of(problem->model->params_active),
        .model = model_index(problem->lib, problem->model),
        .hardware = (short)problem->hw->index,
        .engine = (short)dep->engine->index,
        .weights = (short)dep->weights->index,
        .kv_cache = (short)dep->kv_cache->index,
        .disaggregated = dep->disaggregated,
        .speculative = dep->spec_method != SPEC_NONE,
    };
    anchor_point_load(&point, problem);
    memcpy(point.version, dep->version, sizeof(point.version));
    return point;
}

static double ratio_term(double asked, double anchor, double weight, double unstated)
{
    if (isnan(asked)) {
        return 0.0;
    }
    return isnan(anchor) ? unstated : weight * fabs(asked - anchor);
}

static double version_term(const int asked[3], const int anchor[3])
{
    if (asked[0] == 0 && asked[1] == 0 && asked[2] == 0) {
        return 0.0;
    }
    if (anchor[0] == 0 && anchor[1] == 0 && anchor[2] == 0) {
        return UNSTATED_MINOR;
    }
    if (asked[0] != anchor[0]) {
        return OTHER_MAJOR;
    }
    if (asked[1] != anchor[1]) {
        return fmin(PER_MINOR * fabs((double)asked[1] - anchor[1]), MINOR_MAX);
    }
    return asked[2] != anchor[2] ? OTHER_PATCH : 0.0;
}

static double engine_term(const struct anchor_point *asked, const struct anchor_point *anchor)
{
    if (asked->engine < 0) {
        return 0.0;
    }
    return asked->engine != anchor->engine ? OTHER_ENGINE
                                           : version_term(asked->version, anchor->version);
}

static double other_format(double unlike, double asked_log, double anchor_log)
{
    return isnan(asked_log) || isnan(anchor_log) ? unlike : unlike + fabs(asked_log - anchor_log);
}

static double format_term(const struct anchor_point *asked, const struct anchor_point *anchor)
{
    double sum = 0.0;
    if (asked->weights >= 0 && anchor->weights < 0) {
        sum += UNSTATED;
    } else if (asked->weights >= 0 && anchor->weights != asked->weights) {
        sum += other_format(OTHER_WEIGHTS, asked->log_weight_bytes, anchor->log_weight_bytes);
    }
    if (asked->kv_cache >= 0 && anchor->kv_cache < 0) {
        sum += UNSTATED_MINOR;
    } else if (asked->kv_cache >= 0 && anchor->kv_cache != asked->kv_cache) {
        sum += WEIGHT_KV * other_format(1.0, asked->log_kv_bytes, anchor->log_kv_bytes);
    }
    return sum;
}

/* The cost of another record; nothing when none was asked: neither its index nor its size is set.
 */
static double other_record(int asked, int anchor, double asked_log, double anchor_log,
                           double unlike)
{
    if (isnan(asked_log) || (asked >= 0 && asked == anchor)) {
        return 0.0;
    }
    return unlike + (isnan(anchor_log) ? UNSTATED : fabs(asked_log - anchor_log));
}

static double subject_term(const struct anchor_point *asked, const struct anchor_point *anchor)
{
    double sum = other_record(asked->hardware, anchor->hardware, asked->log_bandwidth,
                              anchor->log_bandwidth, OTHER_PART) +
                 other_record(asked->model, anchor->model, asked->log_active, anchor->log_active,
                              OTHER_MODEL);
    sum += anchor->disaggregated != asked->disaggregated ? OTHER_PHASES : 0.0;
    return sum + (anchor->speculative != asked->speculative ? OTHER_DRAFTING : 0.0);
}

double anchor_distance(const struct anchor_point *asked, const struct anchor_point *anchor)
{
    return ratio_term(asked->log_concurrency, anchor->log_concurrency, WEIGHT_CONCURRENCY,
                      UNSTATED) +
           ratio_term(asked->log_input, anchor->log_input, WEIGHT_INPUT, UNSTATED) +
           ratio_term(asked->log_output, anchor->log_output, WEIGHT_OUTPUT, UNSTATED) +
           ratio_term(asked->log_tp, anchor->log_tp, 1.0, UNSTATED_MINOR) +
           ratio_term(asked->log_pp, anchor->log_pp, 1.0, 0.0) +
           ratio_term(asked->log_dp, anchor->log_dp, 1.0, 0.0) +
           ratio_term(asked->log_ep, anchor->log_ep, 1.0, 0.0) + format_term(asked, anchor) +
           engine_term(asked, anchor) + subject_term(asked, anchor);
}

static bool same_or_one(double asked, double anchor)
{
    return fabs(asked - (isnan(anchor) ? 0.0 : anchor)) < SAME_LOG2;
}

bool anchor_is_exact(const struct anchor_point *asked, const struct anchor_point *anchor)
{
    return anchor->disaggregated == asked->disaggregated &&
           anchor->speculative == asked->speculative && anchor->model >= 0 &&
           anchor->model == asked->model && anchor->hardware >= 0 &&
           anchor->hardware == asked->hardware && anchor->engine == asked->engine &&
           anchor->weights == asked->weights &&
           (anchor->kv_cache < 0 || anchor->kv_cache == asked->kv_cache) &&
           fabs(asked->log_tp - anchor->log_tp) < SAME_LOG2 &&
           same_or_one(asked->log_pp, anchor->log_pp) &&
           same_or_one(asked->log_dp, anchor->log_dp) &&
           same_or_one(asked->log_ep, anchor->log_ep) &&
           fabs(asked->log_input - anchor->log_input) < SAME_LOG2 &&
           fabs(asked->log_output - anchor->log_output) < SAME_LOG2 &&
           fabs(asked->log_concurrency - anchor->log_concurrency) < SAME_LOG2;
}
