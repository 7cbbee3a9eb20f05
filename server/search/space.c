#include "space.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "body.h"
#include "plan_body.h"
#include "problem.h"
#include "request_limits.h"

#define LIST_MAX 256
#define LIMIT_DEFAULT 10
#define DEVICES_DEFAULT 8
#define DEVICES_MOST 100000
#define USD_MOST 100000

/* The order is that of documents. */
const struct space_row SPACE_ROWS[SPACE_COUNT] = {
    [SPACE_MODEL] = {"models", FIELD_ID_MODEL, -1,
                     "one model or more, as `model` or `models` beside `space`"},
    [SPACE_HARDWARE] = {"hardware", FIELD_ID_HARDWARE, -1,
                        "one part or more, here or beside `space`"},
    [SPACE_ENGINE] = {"engine", FIELD_ID_ENGINE, -1,
                      "engines; when absent, those that serve on the part"},
    [SPACE_WEIGHTS] = {"weights", FIELD_ID_WEIGHTS, -1,
                       "weight formats; when absent, the checkpoint's own, and fp8 and nvfp4 where "
                       "it is wider and the part multiplies in them (q8_0 and q4_k_m of local "
                       "engines)"},
    [SPACE_KV_CACHE] = {"kv_cache", FIELD_ID_KV_CACHE, -1,
                        "formats of the KV cache; when absent, the engine's default, and fp8 where "
                        "the part multiplies in it"},
    [SPACE_TP] = {"tp", FIELD_ID_TP, 1,
                  "tensor parallel; when absent, powers of two up to the devices that the part's "
                  "fabric joins"},
    [SPACE_PP] = {"pp", FIELD_ID_PP, 1,
                  "pipeline stages; when absent, 1, and powers of two where more devices are "
                  "allowed than the fabric joins"},
    [SPACE_DP] = {"dp", FIELD_ID_DP, 1,
                  "attention data parallel; when absent, 1, and for models with routed experts "
                  "powers of two while tp x dp is within the fabric"},
    [SPACE_EP] = {"ep", FIELD_ID_EP, 1,
                  "ways the experts are spread; when absent, 1, and tp x dp for models with routed "
                  "experts"},
    [SPACE_REPLICAS] = {"replicas", FIELD_ID_REPLICAS, 1,
                        "independent copies; when absent, what fills the allowed devices: powers "
                        "of two and the most that fit"},
    [SPACE_PREFILL] = {"prefill_devices", FIELD_ID_DISAGG_DEVICES, 0,
                       "devices that only prefill, of all replicas together; 0 = prefill and "
                       "decode on the same devices, the default"},
    [SPACE_CHUNK] = {"chunked_prefill_tokens", FIELD_ID_CHUNKED_PREFILL, 0,
                     "prompt tokens of one step; when absent, the engine's default"},
    [SPACE_SLOTS] = {"max_num_seqs", FIELD_ID_MAX_NUM_SEQS, 1,
                     "sequences of one engine core; when absent, the engine's default"},
    [SPACE_SPECULATIVE] = {"speculative", FIELD_ID_SPEC_METHOD, -1,
                           "ways of drafting: null or {\"method\", \"tokens\", \"acceptance\"}; "
                           "when absent, none"},
};

/* What reading needs at every step. */
struct reading {
    struct context *ctx;
    struct faults *faults;
    struct space *space;
    const cJSON *body;
};

static struct arena *arena_of(const struct reading *reading)
{
    return reading->ctx->request->arena;
}

static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *item = object ? cJSON_GetObjectItemCaseSensitive(object, name) : NULL;

    return item && !cJSON_IsNull(item) ? item : NULL;
}

static void fault_at(const struct reading *reading, const char *place, const char *name,
                     const char *detail)
{
    const char *pointer =
        arena_printf(arena_of(reading), "%s/%s", place, field_quote(arena_of(reading), name));

    fault_add(reading->faults, pointer ? pointer : place, NULL, "%s", detail);
}

/* Lists ---------------------------------------------------------------------------------------- */

static void refuse_names(const struct reading *reading, const cJSON *object, const char *place,
                         const char *const *names, int n)
{
    body_refuse_members(arena_of(reading), reading->faults, object, place, names, n,
                        "unknown member of a search");
}

/* Leaves of a way of drafting. */
static const enum field_id DRAFT_FIELDS[] = {FIELD_ID_SPEC_METHOD, FIELD_ID_SPEC_TOKENS,
                                             FIELD_ID_SPEC_ACCEPTANCE};

bool space_set_drafts(const struct intake *intake, const cJSON *object,
                      struct plan_request *request)
{
    bool good = true;

    for (size_t i = 0; i < ARRAY_LEN(DRAFT_FIELDS); i++) {
        const struct field *field = &PLAN_FIELDS.rows[DRAFT_FIELDS[i]];
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, field->name);
        if (item)
            good = plan_request_set(intake, request, (int)DRAFT_FIELDS[i], item) && good;
    }
    return good;
}

/* Holds a value against the field it is for; the faults point at its place in the list. */
static void try_value(const struct reading *reading, const struct space_row *row,
                      const cJSON *value, const char *place)
{
    struct faults own;
    struct plan_request scratch = {0};
    const struct intake intake = {reading->ctx->catalogue, arena_of(reading), &own, ""};
    bool good = true;

    faults_init(&own, intake.arena);
    if (row->field != FIELD_ID_SPEC_METHOD) {
        good = plan_request_set(&intake, &scratch, (int)row->field, value);
    } else if (cJSON_IsObject(value)) {
        static const char *const NAMES[] = {"method", "tokens", "acceptance"};
        refuse_names(reading, value, place, NAMES, (int)ARRAY_LEN(NAMES));
        good = space_set_drafts(&intake, value, &scratch);
        if (!scratch.given[FIELD_ID_SPEC_METHOD] && own.n == 0)
            fault_add(reading->faults, place, NULL, "a way of drafting has a method");
    } else {
        fault_add(reading->faults, place, NULL,
                  "expected null or {\"method\", \"tokens\", \"acceptance\"}");
    }
    if (!good && own.n == 0)
        fault_add(reading->faults, place, NULL, "this value does not suit");
    for (int i = 0; i < own.n; i++)
        fault_add(reading->faults, place, own.items[i].suggestion, "%s", own.items[i].detail);
}

/* A whole number of a list; 0 is allowed where the field itself starts at 1 but the row does not.
 */
static double read_whole(const struct reading *reading, const struct space_row *row,
                         const cJSON *value, const char *place)
{
    double most = PLAN_FIELDS.rows[row->field].max;
    bool good = cJSON_IsNumber(value) && floor(value->valuedouble) == value->valuedouble &&
                value->valuedouble >= row->whole_from && value->valuedouble <= most;

    if (good)
        return value->valuedouble;
    fault_add(reading->faults, place, NULL, "expected a whole number from %d to %.9g",
              row->whole_from, most);
    return row->whole_from;
}

/* One value of a list. */
static void read_value(const struct reading *reading, const struct space_row *row,
                       const cJSON *item, const char *place, struct space_value *ret_value)
{
    *ret_value = (struct space_value){cJSON_IsNull(item) ? NULL : item, 0};
    if (row->whole_from >= 0)
        ret_value->number = read_whole(reading, row, item, place);
    else if (!cJSON_IsNull(item))
        try_value(reading, row, item, place);
}

/* A list, or one value that stands for a list of it. */
static void read_list(const struct reading *reading, enum space_id id, const cJSON *list,
                      const char *where)
{
    struct arena *arena = arena_of(reading);
    bool single = !cJSON_IsArray(list);
    int n = single ? 1 : cJSON_GetArraySize(list), at = 0;

    if (n == 0 || n > LIST_MAX) {
        fault_add(reading->faults, where, NULL, "expected a list of 1 to %d values", LIST_MAX);
        return;
    }
    struct space_value *values = arena_alloc(arena, (size_t)n * sizeof(*values));
    if (!values)
        return;
    if (single)
        read_value(reading, &SPACE_ROWS[id], list, where, &values[0]);
    for (const cJSON *item = single ? NULL : list->child; item; item = item->next, at++) {
        const char *place = arena_printf(arena, "%s/%d", where, at);
        read_value(reading, &SPACE_ROWS[id], item, place ? place : where, &values[at]);
    }
    reading->space->lists[id] = (struct space_list){values, n, true};
}

/* A leaf that the deployment fixes is a list of the one. */
static void take_fixed(const struct reading *reading, enum space_id id)
{
    const struct space_row *row = &SPACE_ROWS[id];
    struct space *space = reading->space;
    const struct field *field = &PLAN_FIELDS.rows[row->field];

    if (id == SPACE_MODEL || id == SPACE_HARDWARE || !space->base.given[row->field])
        return;
    if (space->lists[id].given) {
        fault_at(reading, "/space", row->name, "given twice: the deployment fixes it");
        return;
    }
    struct space_value *value = arena_alloc(arena_of(reading), sizeof(*value));
    if (!value)
        return;
    if (row->whole_from >= 0)
        memcpy(&value->number, (const char *)&space->base + field->offset, sizeof(value->number));
    space->lists[id] = (struct space_list){value, 1, true};
}

/* {"min", "max"} */
static void read_device_range(const struct reading *reading, const cJSON *devices)
{
    static const char *const NAMES[] = {"min", "max"};
    struct space_devices *to = &reading->space->devices;
    const cJSON *most = member(devices, "max"), *least = member(devices, "min");

    refuse_names(reading, devices, "/space/devices", NAMES, (int)ARRAY_LEN(NAMES));
    to->least = least ? least->valuedouble : 1;
    to->most = most ? most->valuedouble : 0;
    if ((least && !cJSON_IsNumber(least)) || (most && !cJSON_IsNumber(most)))
        to->most = 0;
}

/* [1, 2, 4], or one number. */
static void read_device_list(const struct reading *reading, const cJSON *devices)
{
    struct space_devices *to = &reading->space->devices;
    bool single = cJSON_IsNumber(devices);
    int n = single ? 1 : cJSON_GetArraySize(devices), at = 0;
    double *list = arena_alloc(arena_of(reading), ((size_t)n + 1) * sizeof(*list));

    to->most = 0;
    if (!list || n == 0 || n > LIST_MAX)
        return;
    to->list = list;
    to->n = n;
    if (single)
        list[at++] = devices->valuedouble;
    for (const cJSON *item = single ? NULL : devices->child; item; item = item->next)
        list[at++] = cJSON_IsNumber(item) ? item->valuedouble : 0;
    for (int i = 0; i < n; i++)
        to->most = list[i] >= 1 ? fmax(to->most, list[i]) : (double)INFINITY;
}

static void read_devices(const struct reading *reading, const cJSON *devices)
{
    struct space_devices *to = &reading->space->devices;

    *to = (struct space_devices){.least = 1, .most = DEVICES_DEFAULT};
    if (!devices)
        return;
    if (cJSON_IsObject(devices))
        read_device_range(reading, devices);
    else if (cJSON_IsArray(devices) || cJSON_IsNumber(devices))
        read_device_list(reading, devices);
    else
        to->most = 0;
    if (!(to->least >= 1) || !(to->most >= to->least) || to->most > DEVICES_MOST)
        fault_add(reading->faults, "/space/devices", NULL,
                  "expected a list of numbers of devices, or {\"min\", \"max\"}, from 1 to %d",
                  DEVICES_MOST);
}

static void read_space(const struct reading *reading, const cJSON *object)
{
    const char *names[SPACE_COUNT + 1];

    for (int i = 0; i < SPACE_COUNT; i++)
        names[i] = SPACE_ROWS[i].name;
    names[SPACE_COUNT] = "devices";
    if (object && !cJSON_IsObject(object)) {
        fault_add(reading->faults, "/space", NULL, "expected an object of lists");
        object = NULL;
    }
    if (object)
        refuse_names(reading, object, "/space", names, SPACE_COUNT + 1);
    read_devices(reading, member(object, "devices"));
    for (int i = 0; i < SPACE_COUNT; i++) {
        const cJSON *list = member(object, names[i]);
        const char *where = arena_printf(arena_of(reading), "/space/%s", names[i]);
        if (list && where)
            read_list(reading, (enum space_id)i, list, where);
    }
}

/* Beside the space ----------------------------------------------------------------------------- */

/* "model", "models" and "hardware" stand beside the space too. */
static void read_beside(const struct reading *reading, enum space_id id, const char *name)
{
    const cJSON *list = member(reading->body, name);
    const char *where = arena_printf(arena_of(reading), "/%s", name);

    if (!list || !where)
        return;
    if (reading->space->lists[id].given)
        fault_add(reading->faults, where, NULL, "given twice");
    else
        read_list(reading, id, list, where);
}

static void require(const struct reading *reading, enum space_id id, const char *pointer)
{
    const struct space_list *list = &reading->space->lists[id];
    int before = reading->faults->n;

    for (int i = 0; i < before; i++)
        if (strncmp(reading->faults->items[i].pointer, pointer, strlen(pointer)) == 0)
            return;
    for (int i = 0; i < list->n; i++)
        if (!list->values[i].json)
            fault_add(reading->faults, pointer, NULL, "null names nothing");
    if (!list->given)
        fault_add(reading->faults, pointer, NULL, "required: %s", SPACE_ROWS[id].doc);
}

/* Workload, objectives and fixed leaves are read as a plan's. */
static void read_base(const struct reading *reading)
{
    static const char *const PARTS[] = {"deployment", "workload", "slo"};
    struct arena *arena = arena_of(reading);
    const struct intake intake = {reading->ctx->catalogue, arena, reading->faults, ""};
    cJSON *object = cJSON_CreateObject();

    for (size_t i = 0; object && i < ARRAY_LEN(PARTS); i++) {
        cJSON *part = cJSON_GetObjectItemCaseSensitive(reading->body, PARTS[i]);
        if (part && !cJSON_AddItemReferenceToObject(object, PARTS[i], part))
            return;
    }
    described_init(&reading->space->base.described, arena);
    if (object)
        plan_request_read_json(&intake, object, &reading->space->base);
}

static void read_prices(const struct reading *reading, const cJSON *prices)
{
    struct arena *arena = arena_of(reading);
    const struct library *lib = &reading->ctx->catalogue->lib;
    double *usd = arena_alloc(arena, ((size_t)lib->n_hardware + 1) * sizeof(*usd));

    for (int i = 0; usd && i < lib->n_hardware; i++)
        usd[i] = NAN;
    reading->space->usd_per_device_hour = usd;
    if (prices && !cJSON_IsObject(prices))
        fault_add(reading->faults, "/prices", NULL,
                  "expected an object of US dollars per device and hour: {\"h100-sxm\": 2.1}");
    if (!usd || !prices || !cJSON_IsObject(prices))
        return;
    for (const cJSON *item = prices->child; item; item = item->next) {
        struct name_match match;
        catalogue_find_hardware(reading->ctx->catalogue, item->string, &match);
        if (match.index < 0)
            fault_at(reading, "/prices", item->string, "no part of the catalogue has this name");
        else if (!cJSON_IsNumber(item) || !(item->valuedouble > 0) || item->valuedouble > USD_MOST)
            fault_at(reading, "/prices", item->string,
                     "expected US dollars per device and hour, above 0");
        else
            usd[match.index] = item->valuedouble;
    }
}

struct part_price space_price(const struct space *space, const struct hardware *hw)
{
    struct part_price price;

    price_settle(NULL, 0, &price);
    if (hw->index < 0)
        return price;
    price = space->catalogue->prices[hw->index];
    if (isnan(space->usd_per_device_hour[hw->index]))
        return price;
    price.basis = PRICE_GIVEN;
    price.usd_per_device_hour = space->usd_per_device_hour[hw->index];
    return price;
}

static void read_objective(const struct reading *reading)
{
    const cJSON *objective = member(reading->body, "objective");
    const cJSON *limit = member(reading->body, "limit");
    struct space *space = reading->space;

    if (objective && cJSON_IsString(objective))
        space->objective = search_objective_parse(objective->valuestring);
    if (objective && (!cJSON_IsString(objective) || space->objective == OBJECTIVE_COUNT)) {
        fault_add(reading->faults, "/objective", NULL,
                  "expected cost, throughput, latency or devices");
        space->objective = OBJECTIVE_COST;
    }
    space->limit = LIMIT_DEFAULT;
    if (!limit)
        return;
    if (!cJSON_IsNumber(limit) || !(limit->valuedouble >= 1) ||
        limit->valuedouble > SEARCH_ITEMS_MAX || floor(limit->valuedouble) != limit->valuedouble)
        fault_add(reading->faults, "/limit", NULL, "expected a whole number from 1 to %d",
                  SEARCH_ITEMS_MAX);
    else
        space->limit = (int)limit->valuedouble;
}

static void read_body(const struct reading *reading)
{
    static const char *const NAMES[] = {"model",      "models", "hardware",  "workload", "slo",
                                        "deployment", "space",  "objective", "prices",   "limit"};
    struct space *space = reading->space;

    refuse_names(reading, reading->body, "", NAMES, (int)ARRAY_LEN(NAMES));
    read_base(reading);
    read_space(reading, member(reading->body, "space"));
    read_beside(reading, SPACE_MODEL, "model");
    read_beside(reading, SPACE_MODEL, "models");
    read_beside(reading, SPACE_HARDWARE, "hardware");
    require(reading, SPACE_MODEL, "/model");
    require(reading, SPACE_HARDWARE, "/hardware");
    for (int i = 0; i < SPACE_COUNT; i++)
        take_fixed(reading, (enum space_id)i);
    if (space->base.problem.dep.disaggregated && !space->base.given[FIELD_ID_DISAGG_DEVICES])
        fault_add(reading->faults, "/deployment/disaggregation/prefill_devices", NULL,
                  "required here: the devices of a candidate are counted by it");
    read_prices(reading, member(reading->body, "prices"));
    read_objective(reading);
    space->catalogue = reading->ctx->catalogue;
}

bool space_read(struct context *ctx, struct faults *faults, const char *const *own, int n_own,
                struct space *space)
{
    const struct reading reading = {ctx, faults, space, body_json(ctx)};
    const struct intake intake = {ctx->catalogue, ctx->request->arena, faults, ""};

    if (!reading.body)
        return false;
    plan_body_refuse_leaves(ctx->request, own, n_own, faults);
    if (cJSON_IsObject(reading.body))
        read_body(&reading);
    else
        fault_add(faults, "", NULL, "expected an object with model, hardware, workload and slo");
    if (faults->n == 0 && space_expand(&intake, space))
        return true;
    problem_faults(ctx, faults);
    return false;
}
