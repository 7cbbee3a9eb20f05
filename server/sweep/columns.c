#include "columns.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "compiler.h"
#include "search.h"

struct column_row {
    const char *name;
    enum cell_kind kind;
    enum plan_depth depth;
    size_t offset; /* of a double in the plan, where there is no function */
    double (*number)(const struct plan *plan, enum class_id class);
    enum class_id class; /* of the figures that exist once per cost class */
    const char *(*text)(const struct plan *plan);
    const char *doc;
};

static const char *regime_of(const struct plan *plan)
{
    return regime_name(plan->regime);
}

static const char *seed_regime_of(const struct plan *plan)
{
    return regime_seed_letter(plan->regime);
}

static const char *dominant_class_of(const struct plan *plan)
{
    return class_name(plan->dominant.class);
}

static const char *dominant_phase_of(const struct plan *plan)
{
    return plan->dominant.phase == PHASE_DECODE ? "decode" : "prefill";
}

static const char *dominant_pass_of(const struct plan *plan)
{
    return pass_name(plan->dominant.pass);
}

static const char *dominant_bound_of(const struct plan *plan)
{
    return bound_name(plan->dominant.bound);
}

static const char *basis_of(const struct plan *plan)
{
    return basis_name(plan->tpot_ms.basis);
}

static const char *first_cure_of(const struct plan *plan)
{
    for (int i = 0; i < plan->n_results; i++)
        if (plan->results[i].is_cure && plan->results[i].rank == 1)
            return cure_info(plan->results[i].cure)->id;
    return NULL;
}

static double first_gain_of(const struct plan *plan, enum class_id class)
{
    (void)class;
    for (int i = 0; i < plan->n_results; i++)
        if (plan->results[i].is_cure && plan->results[i].rank == 1)
            return plan->results[i].best;
    return NAN;
}

static double fits_of(const struct plan *plan, enum class_id class)
{
    (void)class;
    return plan->memory.fits ? 1.0 : 0.0;
}

static double devices_of(const struct plan *plan, enum class_id class)
{
    (void)class;
    return search_devices(&plan->problem.dep);
}

static double output_per_device_of(const struct plan *plan, enum class_id class)
{
    return plan->output_tok_s.expected / devices_of(plan, class);
}

static double class_us_of(const struct plan *plan, enum class_id class)
{
    const struct class_cost *cost = &plan->decode.classes[class];
    return cost->present ? cost->time_us : 0.0;
}

static double class_share_of(const struct plan *plan, enum class_id class)
{
    const struct class_cost *cost = &plan->decode.classes[class];
    return cost->present ? cost->share : 0.0;
}

#define AT(PLACE) .kind = CELL_NUMBER, .offset = offsetof(struct plan, PLACE)
#define ESTIMATE(NAME, PLACE, DOC)                                                                 \
    {NAME, AT(PLACE.expected), .doc = DOC},                                                        \
        {NAME "_low", AT(PLACE.low), .doc = DOC ", low end of the 80 % interval"},                 \
        {NAME "_high", AT(PLACE.high), .doc = DOC ", high end of the 80 % interval"},              \
    {                                                                                              \
        NAME "_floor", AT(PLACE.floor), .doc = DOC ", what physics allows"                         \
    }

#define X(ID, NAME)                                                                                \
    {NAME "_us", CELL_NUMBER, .number = class_us_of, .class = ID,                                  \
     .doc = "that class in a decode step"},                                                        \
        {NAME "_share", CELL_NUMBER, .number = class_share_of, .class = ID,                        \
         .doc = "its share of that step"},

static const struct column_row ROWS[] = {
    {"regime", CELL_TEXT, .text = regime_of, .doc = "regime"},
    {"seed_regime", CELL_TEXT, .text = seed_regime_of, .doc = "letter of the regime"},
    {"dominant_class", CELL_TEXT, .text = dominant_class_of, .doc = "class that costs most"},
    {"dominant_phase", CELL_TEXT, .text = dominant_phase_of, .doc = "phase of the dominant class"},
    {"dominant_pass", CELL_TEXT, .text = dominant_pass_of, .doc = "pass of the dominant class"},
    {"dominant_bound", CELL_TEXT, .text = dominant_bound_of, .doc = "what bounds that class"},
    {"dominant_share", AT(dominant.share), .doc = "share of the step that it takes"},
    {"basis", CELL_TEXT, .text = basis_of, .doc = "what the time per token rests on"},
    ESTIMATE("ttft_ms", ttft_ms, "time to first token"),
    ESTIMATE("tpot_ms", tpot_ms, "time per output token"),
    ESTIMATE("e2e_ms", e2e_ms, "time of a whole request"),
    ESTIMATE("output_tok_s", output_tok_s, "output tokens per second in all"),
    ESTIMATE("per_user_tok_s", per_user_tok_s, "output tokens per second of one request"),
    ESTIMATE("requests_s", requests_s, "requests finished per second"),
    {"max_request_rate", AT(max_request_rate.expected), .depth = PLAN_CHECK,
     .doc = "requests per second that saturate the deployment"},
    {"devices", CELL_NUMBER, .number = devices_of, .doc = "devices in all"},
    {"output_tok_s_per_device", CELL_NUMBER, .number = output_per_device_of,
     .doc = "output tokens per second of one device"},
    {"decode_us", AT(decode.expected_us), .doc = "a decode step"},
    {"decode_floor_us", AT(decode.floor_us), .doc = "its physical floor"},
    {"decode_device_us", AT(decode.device_us), .doc = "its device side"},
    {"decode_host_us", AT(decode.host_us), .doc = "its host side"},
    {"decode_exposed_host_us", AT(decode.exposed_host_us), .doc = "host work that nothing hides"},
    {"decode_batch", AT(decode.batch), .doc = "rows of one rank's decode step"},
    {"decode_bytes", AT(decode.bytes), .doc = "bytes that a decode step moves on one device"},
    {"decode_flops", AT(decode.flops), .doc = "flops of a decode step on one device"},
    {"arithmetic_intensity", AT(decode.arithmetic_intensity), .doc = "flops per byte of that step"},
    {"ridge", AT(decode.ridge), .doc = "flops per byte at which the part turns compute bound"},
    {"prefill_us", AT(prefill.expected_us), .doc = "the prefill of one request"},
    {"prefill_floor_us", AT(prefill.floor_us), .doc = "its physical floor"},
    {"prefill_flops", AT(prefill.flops), .doc = "flops of a prefill on one device"},
    {"fits", CELL_BOOL, .number = fits_of, .doc = "whether weights and one request fit the memory"},
    {"weights_bytes", AT(memory.weights_bytes), .doc = "weights on one device"},
    {"kv_bytes", AT(memory.kv_bytes), .doc = "what is left for KV on one device"},
    {"kv_token_capacity", AT(memory.kv_token_capacity), .doc = "tokens that the KV pool holds"},
    {"max_concurrency", AT(memory.max_concurrency), .doc = "requests of these lengths in the pool"},
    {"first_cure", CELL_TEXT, PLAN_SUMMARY, .text = first_cure_of, .doc = "the best cure"},
    {"first_cure_gain", CELL_NUMBER, PLAN_SUMMARY, .number = first_gain_of,
     .doc = "its best effect as a gain"},
    CLASS_LIST(X)};

#undef X

bool column_find(struct faults *faults, const char *pointer, const char *name,
                 struct column *ret_column)
{
    const char *candidates[ARRAY_LEN(ROWS)];

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        if (strcmp(ROWS[i].name, name) == 0) {
            *ret_column = (struct column){&ROWS[i], ROWS[i].name};
            return true;
        }
        candidates[i] = ROWS[i].name;
    }
    fault_add(faults, pointer, fault_nearest(name, candidates, (int)ARRAY_LEN(ROWS)),
              "no column has this name; /openapi.json lists them, under SweepRequest");
    return false;
}

enum cell_kind column_kind(const struct column *column)
{
    return column->row->kind;
}

enum plan_depth column_depth(const struct column *column)
{
    return column->row->depth;
}

union cell column_cell(const struct column *column, const struct plan *plan)
{
    const struct column_row *row = column->row;
    union cell cell;

    if (row->kind == CELL_TEXT)
        cell.text = row->text(plan);
    else if (row->number)
        cell.number = row->number(plan, row->class);
    else
        memcpy(&cell.number, (const char *)plan + row->offset, sizeof(cell.number));
    return cell;
}

union cell column_nothing(const struct column *column)
{
    union cell cell = {.number = NAN};

    if (column->row->kind == CELL_TEXT)
        cell.text = NULL;
    return cell;
}

const char *column_name(int index)
{
    return index < (int)ARRAY_LEN(ROWS) ? ROWS[index].name : NULL;
}

const char *column_doc(int index)
{
    return ROWS[index].doc;
}
