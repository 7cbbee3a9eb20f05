#include "gaps_answer.h"

#include <math.h>

/* What a key names, as the index of anchors has it; -1 and COUNT = any. */
struct wanted {
    int model, hardware, engine;
    enum anchor_metric metric;
    double input_tokens, concurrency; /* lower ends; NAN = any */
};

/* False when the key names what the catalogue does not have: nothing can answer it. */
static bool find_wanted(const struct library *lib, const struct gap_key *key,
                        struct wanted *ret_wanted)
{
    const struct model *model = key->model_id ? library_model(lib, key->model_id) : NULL;
    const struct hardware *part = key->hardware_id ? library_hardware(lib, key->hardware_id) : NULL;
    const struct engine *engine = key->engine_id ? library_engine(lib, key->engine_id) : NULL;
    *ret_wanted = (struct wanted){
        .model = model ? (int)(model - lib->models) : -1,
        .hardware = part ? part->index : -1,
        .engine = engine ? engine->index : -1,
        .metric = key->metric ? metric_parse(key->metric) : ANCHOR_METRIC_COUNT,
        .input_tokens = key->input_tokens,
        .concurrency = key->concurrency,
    };
    return (model || !key->model_id) && (part || !key->hardware_id) &&
           (engine || !key->engine_id) &&
           (ret_wanted->metric != ANCHOR_METRIC_COUNT || !key->metric);
}

/* Whether a condition lies in the range that `from` is in: between two powers of 2. */
static bool is_in_range(const struct anchor_index *index, int anchor,
                        enum anchor_condition condition, double from)
{
    if (isnan(from)) {
        return true;
    }
    double value = anchor_number(index, anchor, condition);
    return value >= 1 && ilogb(value) == ilogb(fmax(from, 1));
}

static bool is_measured(const struct anchor_index *index, int anchor)
{
    return !(index->flags[anchor] & ANCHOR_DISPUTED) && index->kinds[anchor] != ANCHOR_STUDY &&
           index->kinds[anchor] != ANCHOR_STATEMENT;
}

static bool answers(const struct anchor_index *index, int anchor, const struct wanted *wanted)
{
    const struct anchor_point *point = &index->points[anchor];
    return (wanted->model < 0 || point->model == wanted->model) &&
           (wanted->hardware < 0 || point->hardware == wanted->hardware) &&
           (wanted->engine < 0 || point->engine == wanted->engine) && is_measured(index, anchor) &&
           (wanted->metric == ANCHOR_METRIC_COUNT ||
            !isnan(anchor_figure(index, anchor, wanted->metric))) &&
           is_in_range(index, anchor, CONDITION_INPUT_TOKENS, wanted->input_tokens) &&
           is_in_range(index, anchor, CONDITION_CONCURRENCY, wanted->concurrency);
}

int gap_answer(const struct catalogue *catalogue, const struct gap_key *key)
{
    const struct anchor_index *index = &catalogue->anchors;
    struct wanted wanted;
    bool known = find_wanted(&catalogue->lib, key, &wanted);
    for (int i = 0; known && i < index->n; i++) {
        if (answers(index, i, &wanted)) {
            return i;
        }
    }
    return -1;
}

bool gap_is_answered_by(const struct catalogue *catalogue, const struct gap_key *key, int anchor)
{
    struct wanted wanted;
    return find_wanted(&catalogue->lib, key, &wanted) &&
           answers(&catalogue->anchors, anchor, &wanted);
}
