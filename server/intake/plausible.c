#include "plausible.h"

#include <math.h>
#include <string.h>

#include "local.h"
#include "memory.h"
#include "units.h"

/* Drivers report up to a twelfth more or less than a part's nominal size. */
#define MEMORY_SLACK 1.1
/* A board may have twice the memory of the part's record, no more. */
#define BOARD_SLACK 2.0
/* Beyond this factor, either way, a figure is worth a second look. */
#define DOUBTFUL_FACTOR 2.0
/* The widest weights (32 bits) over the narrowest (4 bits). */
#define IMPOSSIBLE_FACTOR 8.0

static const enum field_id PARTS_OF_DEVICE[] = {
    FIELD_ID_MEASURED_WEIGHTS, FIELD_ID_MEASURED_ACTIVATION, FIELD_ID_MEASURED_NON_TORCH,
    FIELD_ID_MEASURED_GRAPH,   FIELD_ID_MEASURED_KV,
};

static double number_of(const struct plan_request *request, enum field_id id)
{
    double number = NAN;

    if (request->given[id])
        memcpy(&number, (const char *)request + PLAN_FIELDS.rows[id].offset, sizeof(number));
    return number;
}

static const char *place_of(const struct intake *intake, enum field_id id)
{
    const char *pointer = PLAN_FIELDS.rows[id].pointer;
    const char *place = intake->base[0] == '?'
                            ? arena_printf(intake->arena, "?%s", PLAN_FIELDS.rows[id].query)
                            : arena_printf(intake->arena, "%s%s", intake->base, pointer);

    return place ? place : pointer;
}

/* Memory that a figure "of a device" may be of: a local engine prints those of all its devices. */
static double most_memory(const struct plan_request *request)
{
    const struct problem *problem = &request->problem;
    const struct deployment *dep = &problem->dep;
    double total = number_of(request, FIELD_ID_MEASURED_TOTAL);
    double memory = fmax(total > 0 ? total : 0, problem->hw->memory_bytes);

    if (dep->device_memory_gib || local_is_engine(dep->engine))
        return INFINITY; /* devices that differ, and host memory beside them */
    return memory * MEMORY_SLACK;
}

static void refuse_beyond(const struct intake *intake, const struct plan_request *request)
{
    double most = most_memory(request), board = request->problem.hw->memory_bytes * BOARD_SLACK;
    double total = number_of(request, FIELD_ID_MEASURED_TOTAL);

    if (total > board && !isinf(most))
        fault_add(intake->faults, place_of(intake, FIELD_ID_MEASURED_TOTAL), NULL,
                  "%.4g GB are more than twice the %.4g GB of the part", total / BYTES_PER_GB,
                  request->problem.hw->memory_bytes / BYTES_PER_GB);
    for (size_t i = 0; i < ARRAY_LEN(PARTS_OF_DEVICE); i++) {
        double bytes = number_of(request, PARTS_OF_DEVICE[i]);
        if (bytes > most)
            fault_add(intake->faults, place_of(intake, PARTS_OF_DEVICE[i]), NULL,
                      "%.4g GB are more than the %.4g GB that a device has", bytes / BYTES_PER_GB,
                      most / MEMORY_SLACK / BYTES_PER_GB);
    }
}

/* Whether a figure is more than twice or less than half of the computed one. */
static bool is_far(double stated, double computed, double factor)
{
    return stated > 0 && computed > 0 && (stated > computed * factor || stated * factor < computed);
}

static void note_far(const struct intake *intake, struct plan_request *request, enum field_id id,
                     double stated, double computed)
{
    if (!is_far(stated, computed, DOUBTFUL_FACTOR))
        return;
    if (!request->described.arena)
        described_init(&request->described, intake->arena);
    described_note(&request->described, "measured_differs", PLAN_FIELDS.rows[id].pointer,
                   "%.4g is stated and goes before what is computed, %.4g: is it of this model, "
                   "these formats and this layout?",
                   stated, computed);
}

/* A checkpoint scales the weights: by how much, the term of its bytes tells. */
static void hold_checkpoint(const struct intake *intake, struct plan_request *request,
                            const struct memory_plan *computed)
{
    struct problem stated = request->problem;
    struct memory_plan memory;
    double bytes = number_of(request, FIELD_ID_CHECKPOINT_BYTES);
    double without = computed->terms[TERM_WEIGHTS].bytes;

    if (!(bytes > 0) || !(without > 0))
        return;
    stated.dep.measured.weights_bytes = NAN;
    memory_compute(&stated, 1, &memory);
    double own = bytes * without / memory.terms[TERM_WEIGHTS].bytes;
    if (is_far(bytes, own, IMPOSSIBLE_FACTOR))
        fault_add(intake->faults, place_of(intake, FIELD_ID_CHECKPOINT_BYTES), NULL,
                  "%.4g GB cannot be %s in these formats, which has %.4g GB", bytes / BYTES_PER_GB,
                  request->problem.model->id ? request->problem.model->id : "the model",
                  own / BYTES_PER_GB);
    else
        note_far(intake, request, FIELD_ID_CHECKPOINT_BYTES, bytes, own);
}

/* Tokens of a pool that is the whole device. */
static double most_tokens(const struct plan_request *request, const struct memory_plan *computed)
{
    const struct deployment *dep = &request->problem.dep;
    double each = computed->kv_bytes_per_token_beyond_window / fmax(dep->pp, 1);

    return each > 0 ? most_memory(request) / each * fmax(dep->dcp, 1) : (double)INFINITY;
}

void plausible_memory(const struct intake *intake, struct plan_request *request)
{
    struct problem plain = request->problem;
    struct memory_plan computed;
    double tokens = number_of(request, FIELD_ID_MEASURED_KV_TOKENS);
    double weights = number_of(request, FIELD_ID_MEASURED_WEIGHTS);
    bool any = tokens > 0 || weights > 0 || request->given[FIELD_ID_CHECKPOINT_BYTES];

    refuse_beyond(intake, request);
    if (!any)
        return;
    plain.dep.checkpoint_bytes = NAN;
    plain.dep.measured.weights_bytes = plain.dep.measured.kv_bytes = NAN;
    plain.dep.measured.kv_tokens = NAN;
    plain.dep.measured.out_of_memory = false;
    memory_compute(&plain, 1, &computed);
    hold_checkpoint(intake, request, &computed);
    note_far(intake, request, FIELD_ID_MEASURED_WEIGHTS, weights, computed.weights_bytes);
    if (tokens > most_tokens(request, &computed))
        fault_add(intake->faults, place_of(intake, FIELD_ID_MEASURED_KV_TOKENS), NULL,
                  "%.9g tokens are more than the %.9g that a device holds with nothing else on it",
                  tokens, floor(most_tokens(request, &computed)));
    else
        note_far(intake, request, FIELD_ID_MEASURED_KV_TOKENS, tokens, computed.kv_token_capacity);
}
