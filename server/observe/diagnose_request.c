#include "diagnose_request.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "field.h"
#include "nearness.h"
#include "observe.h"
#include "observed_request.h"
#include "phrases.h"
#include "report_words.h"

/* Members of a diagnosis beside those of a plan. */
enum own { OBSERVED, ARMS, FEATURES, FLAGS, METRICS, LOG, SMI, CHANGED, SYMPTOM, TITLE, OWN_COUNT };

static const char *const OWN[OWN_COUNT] = {
    [OBSERVED] = "observed", [ARMS] = "arms",   [FEATURES] = "features", [FLAGS] = "flags",
    [METRICS] = "metrics",   [LOG] = "log",     [SMI] = "smi",           [CHANGED] = "changed",
    [SYMPTOM] = "symptom",   [TITLE] = "title",
};

/* Leaves whose values are names that may be unknown here. */
static const char *const NAMED[] = {"/model",
                                    "/hardware",
                                    "/command",
                                    "/manifest",
                                    "/deployment/engine",
                                    "/deployment/engine_version",
                                    "/deployment/weights",
                                    "/deployment/kv_cache",
                                    "/deployment/backend",
                                    "/deployment/speculative/method"};

static void add_note(struct diagnose_request *request, const char *note)
{
    if (note && request->n_notes < DIAGNOSE_NOTES_MAX)
        request->notes[request->n_notes++] = note;
}

static const cJSON *take(struct faults *faults, cJSON *body, const char *name)
{
    const cJSON *member = cJSON_DetachItemFromObjectCaseSensitive(body, name);
    const char *pointer = arena_printf(faults->arena, "/%s", name);

    while (cJSON_GetObjectItemCaseSensitive(body, name)) {
        fault_add(faults, pointer ? pointer : "", NULL, "given twice");
        (void)cJSON_DetachItemFromObjectCaseSensitive(body, name);
    }
    return member && !cJSON_IsNull(member) ? member : NULL;
}

/* Texts ---------------------------------------------------------------------------------------- */

typedef void text_fn(struct context *ctx, struct diagnose_request *request, const char *text);

/* Calls for a text or for each text of a list. */
static void for_texts(struct context *ctx, struct faults *faults, const cJSON *value,
                      const char *name, text_fn *each, struct diagnose_request *request)
{
    bool list = cJSON_IsArray(value);

    for (const cJSON *item = list ? value->child : value; item; item = list ? item->next : NULL) {
        if (cJSON_IsString(item)) {
            each(ctx, request, item->valuestring);
            continue;
        }
        const char *pointer = arena_printf(faults->arena, "/%s", name);
        fault_add(faults, pointer ? pointer : "", NULL, "expected a text or a list of texts");
        return;
    }
}

/* A text of any length is read to its first words; more texts than these are not. */
#define TEXTS_MAX 48
#define REPORT_MAX_BYTES ((size_t)8 << 10)

static void read_text(struct context *ctx, struct diagnose_request *request, const char *text,
                      enum phrase_channel channel)
{
    if (request->n_texts++ == TEXTS_MAX)
        add_note(request, "more texts than are read: the last ones are left out");
    if (request->n_texts > TEXTS_MAX)
        return;
    if (!phrases_read(ctx->request->arena, text, channel, &request->symptoms) && *text &&
        request->n_unread < DIAGNOSE_NOTES_MAX)
        request->unread[request->n_unread++] = field_quote(ctx->request->arena, text);
}

/* Keeps a text for what the report as a whole says. */
static void tell(struct context *ctx, struct diagnose_request *request, const char *text)
{
    const char *longer =
        arena_printf(ctx->request->arena, "%s%s . ", request->report ? request->report : "", text);

    request->report = longer ? longer : request->report;
}

static void read_statement(struct context *ctx, struct diagnose_request *request, const char *text)
{
    read_text(ctx, request, text, CHANNEL_STATEMENT);
    tell(ctx, request, text);
}

static void read_setup(struct context *ctx, struct diagnose_request *request, const char *text)
{
    read_text(ctx, request, text, CHANNEL_SETUP);
}

/* Tools' output -------------------------------------------------------------------------------- */

/* Reads the scrapes, a text or a list of them, into what was observed. */
static void read_scrapes(struct context *ctx, struct faults *faults, const cJSON *value,
                         struct diagnose_request *request)
{
    struct observe_scrape scrapes[OBSERVE_SCRAPES_MAX];
    struct observed *seen = arena_alloc(ctx->request->arena, sizeof(*seen));
    bool list = cJSON_IsArray(value);
    int n = 0;

    for (const cJSON *item = list ? value->child : value; item; item = list ? item->next : NULL) {
        if (!cJSON_IsString(item) || n == OBSERVE_SCRAPES_MAX) {
            fault_add(faults, "/metrics", NULL, "expected a scrape as text, or at most %d of them",
                      OBSERVE_SCRAPES_MAX);
            return;
        }
        scrapes[n++] = (struct observe_scrape){item->valuestring, strlen(item->valuestring), NAN};
    }
    if (!seen)
        return;
    observed_init(seen);
    if (!observe_scrapes(ctx->request->arena, scrapes, n, NAN, seen)) {
        add_note(request, "the scrapes need more memory than one request may use");
        return;
    }
    observed_merge(&request->observed, seen);
}

typedef bool tool_fn(struct arena *arena, const char *text, size_t length,
                     struct observed *observed);

/* Reads each text by a reader of a tool's output into what was observed. */
static void read_tool(struct context *ctx, struct faults *faults, const cJSON *value,
                      const char *name, tool_fn *reader, struct diagnose_request *request)
{
    struct observed *seen = arena_alloc(ctx->request->arena, sizeof(*seen));
    bool list = cJSON_IsArray(value);

    for (const cJSON *item = list ? value->child : value; seen && item;
         item = list ? item->next : NULL) {
        if (!cJSON_IsString(item)) {
            const char *pointer = arena_printf(faults->arena, "/%s", name);
            fault_add(faults, pointer ? pointer : "", NULL, "expected a text or a list of texts");
            return;
        }
        observed_init(seen);
        if (!reader(ctx->request->arena, item->valuestring, strlen(item->valuestring), seen)) {
            add_note(request, "a text needs more memory to be read than one request may use");
            return;
        }
        observed_merge(&request->observed, seen);
    }
}

/* The deployment ------------------------------------------------------------------------------- */

static bool is_named(const struct fault *fault)
{
    for (size_t i = 0; i < ARRAY_LEN(NAMED); i++)
        if (strcmp(fault->pointer, NAMED[i]) == 0)
            return true;
    return false;
}

/* The member that a fault is about where it can still be read as words: a flag by the engine's own
 * name, or a text where a number stands ("8 / 4"); NULL when there is none. */
static const cJSON *loose_member(const cJSON *body, const char *pointer)
{
    static const char *const PARTS[] = {"deployment", "workload"};

    for (size_t i = 0; i < ARRAY_LEN(PARTS); i++) {
        size_t length = strlen(PARTS[i]);
        if (strncmp(pointer + 1, PARTS[i], length) != 0 || pointer[length + 1] != '/')
            continue;
        const cJSON *member = cJSON_GetObjectItemCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(body, PARTS[i]), pointer + length + 2);
        bool known = field_by_pointer(&PLAN_FIELDS, pointer) >= 0;
        if (!member || cJSON_IsString(member))
            return member;
        return !known && (cJSON_IsNumber(member) || cJSON_IsBool(member)) ? member : NULL;
    }
    return NULL;
}

/* Reads a member of a deployment as what was said of it: "attention_backend aiter". */
static void read_loosely(struct arena *arena, const cJSON *member, struct symptoms *symptoms)
{
    const char *text = cJSON_IsString(member) ? member->valuestring : "off";

    if (cJSON_IsTrue(member))
        text = "";
    if (cJSON_IsNumber(member))
        text = arena_printf(arena, "%.9g", member->valuedouble);
    const char *words = text ? arena_printf(arena, "%s %s", member->string, text) : NULL;
    if (words)
        (void)phrases_read(arena, words, CHANNEL_SETUP, symptoms);
}

/* Faults of names become notes, so do those of members that are read as words; all others are
 * handed on. */
static void sort_faults(struct diagnose_request *request, const cJSON *body,
                        const struct faults *own, struct faults *faults)
{
    for (int i = 0; i < own->n; i++) {
        const struct fault *fault = &own->items[i];
        const cJSON *loose = *fault->pointer ? loose_member(body, fault->pointer) : NULL;
        if (!is_named(fault) && !loose) {
            fault_add(faults, fault->pointer, fault->suggestion, "%s", fault->detail);
            continue;
        }
        add_note(request, arena_printf(faults->arena, "%s: %s%s%s%s", fault->pointer, fault->detail,
                                       loose && !is_named(fault) ? "; it is read as words" : "",
                                       fault->suggestion ? "; the nearest name here is " : "",
                                       fault->suggestion ? fault->suggestion : ""));
        if (loose)
            read_loosely(faults->arena, loose, &request->symptoms);
    }
}

/* What is deployed, as words: names may be unknown to the records and still say something. */
static void read_names(struct context *ctx, const cJSON *body, struct diagnose_request *request)
{
    static const char *const NAMES[] = {"model", "hardware", "command"};
    static const char *const INNER[] = {"engine", "engine_version", "weights"};
    const cJSON *deployment = cJSON_GetObjectItemCaseSensitive(body, "deployment");
    const char *all = "";

    for (size_t i = 0; i < ARRAY_LEN(NAMES) + ARRAY_LEN(INNER); i++) {
        const cJSON *value =
            i < ARRAY_LEN(NAMES)
                ? cJSON_GetObjectItemCaseSensitive(body, NAMES[i])
                : cJSON_GetObjectItemCaseSensitive(deployment, INNER[i - ARRAY_LEN(NAMES)]);
        if (!value || !cJSON_IsString(value))
            continue;
        const char *longer =
            arena_printf(ctx->request->arena, "%s%s%s", all, *all ? " " : "", value->valuestring);
        all = longer ? longer : all;
    }
    (void)phrases_read(ctx->request->arena, all, CHANNEL_SETUP, &request->symptoms);
}

/* Resolves and plans it where that can be done. */
static void plan_deployment(struct context *ctx, struct diagnose_request *request)
{
    struct plan_request *deployment = &request->deployment;
    struct faults unheard;
    const struct intake intake = {ctx->catalogue, ctx->request->arena, &unheard, ""};
    double running = observed_value(&request->observed, OBS_CONCURRENCY);

    if (!deployment->given[FIELD_ID_MODEL] || !deployment->given[FIELD_ID_HARDWARE]) {
        request->no_plan = deployment->given[FIELD_ID_MODEL]
                               ? "no known part: the reasoning goes without the planner's budget"
                               : "no known model: the reasoning goes without the planner's budget";
        return;
    }
    if (!deployment->given[FIELD_ID_CONCURRENCY] && running >= 1.0) {
        deployment->problem.load.concurrency = running;
        deployment->given[FIELD_ID_CONCURRENCY] = true;
    }
    faults_init(&unheard, ctx->request->arena);
    struct plan *plan = arena_alloc_raw(ctx->request->arena, sizeof(*plan));
    if (!plan || !plan_request_resolve(&intake, deployment)) {
        request->no_plan = "the deployment does not resolve: the reasoning goes without the budget";
        for (int i = 0; i < unheard.n; i++)
            add_note(request, arena_printf(ctx->request->arena, "%s: %s", unheard.items[i].pointer,
                                           unheard.items[i].detail));
        return;
    }
    nearness_find(ctx->catalogue, &deployment->problem, NULL, NULL, &deployment->problem.near);
    plan_compute(&deployment->problem, PLAN_FULL, plan);
    request->plan = plan;
}

static double given_number(const struct plan_request *deployment, enum field_id id, double value)
{
    return deployment->given[id] ? value : (double)NAN;
}

/* How many devices work together, and whether in lockstep. */
static void add_ranks(const struct plan_request *of, struct setup *setup)
{
    const struct deployment *dep = &of->problem.dep;
    const double ranks[] = {given_number(of, FIELD_ID_TP, dep->tp),
                            given_number(of, FIELD_ID_PP, dep->pp),
                            given_number(of, FIELD_ID_DP, dep->dp)};
    double ep = given_number(of, FIELD_ID_EP, dep->ep);

    setup->devices = of->named_devices > 0 ? of->named_devices : 1.0;
    for (size_t i = 0; i < ARRAY_LEN(ranks); i++)
        setup->devices = fmax(setup->devices, ranks[i]);
    setup->lockstep = ranks[0] > 1.0 || ranks[2] > 1.0 || ep > 1.0;
}

/* Where samplers and schedulers run, and what they do besides. */
static void add_host(const struct diagnose_request *request, struct setup *setup)
{
    const struct plan_request *of = &request->deployment;
    const struct deployment *dep = &of->problem.dep;
    unsigned processors = of->given[FIELD_ID_LOGIT_PROCESSORS] ? dep->logit_processors : 0;
    bool asynchronous = of->given[FIELD_ID_ASYNC_SCHEDULING] || (request->plan && setup->engine);
    bool sampler = of->given[FIELD_ID_SAMPLER] || (request->plan && setup->engine);
    bool defaults = setup->engine && setup->engine->n_defaults > 0;

    setup->penalties = (processors & PROCESSOR_PENALTIES) != 0;
    setup->sorting = (processors & (PROCESSOR_MIN_P | PROCESSOR_TOP_P)) != 0;
    setup->serial_host = asynchronous && !dep->async_scheduling;
    setup->host_sampler = sampler ? dep->sampler == SAMPLER_HOST
                                  : defaults && setup->engine->defaults[0].sampler_on_host;
}

/* What is known of the deployment, whether it is planned or not. */
static struct setup setup_of(const struct diagnose_request *request)
{
    const struct plan_request *of = &request->deployment;
    const struct deployment *dep = &of->problem.dep;
    const struct workload *load = &of->problem.load;
    bool engine = of->given[FIELD_ID_ENGINE]; /* a plan's default says nothing of this one */
    struct setup setup = {
        .plan = request->plan,
        .engine = engine ? dep->engine : NULL,
        .hw = of->given[FIELD_ID_HARDWARE] ? of->problem.hw : NULL,
        .tp = given_number(of, FIELD_ID_TP, dep->tp),
        .concurrency = given_number(of, FIELD_ID_CONCURRENCY, load->concurrency),
        .max_num_seqs = given_number(of, FIELD_ID_MAX_NUM_SEQS, dep->max_num_seqs),
        .step_tokens = given_number(of, FIELD_ID_CHUNKED_PREFILL, dep->chunked_prefill_tokens),
        .input_tokens = given_number(of, FIELD_ID_INPUT_TOKENS, load->input_tokens),
        .output_tokens = given_number(of, FIELD_ID_OUTPUT_TOKENS, load->output_tokens),
        .gpu_layers = given_number(of, FIELD_ID_GPU_LAYERS, dep->gpu_layers),
        .spec_tokens = given_number(of, FIELD_ID_SPEC_TOKENS, dep->spec_tokens),
        .logprobs = given_number(of, FIELD_ID_LOGPROBS, dep->logprobs),
        .graphs_off = of->given[FIELD_ID_CUDA_GRAPHS] && !dep->cuda_graphs,
        .graphs_on = of->given[FIELD_ID_GRAPH_MAX_BATCH] ||
                     (of->given[FIELD_ID_CUDA_GRAPHS] && dep->cuda_graphs),
        .guided = of->given[FIELD_ID_STRUCTURED_OUTPUT] && dep->structured_output,
        .adapters = of->given[FIELD_ID_MAX_LORAS],
    };

    add_ranks(of, &setup);
    add_host(request, &setup);
    return setup;
}

/* The load that is asked about: of the workload, of what was seen, or the highest of a series. */
static void settle_load(struct diagnose_request *request)
{
    struct observed *observed = &request->observed;
    double stated = given_number(&request->deployment, FIELD_ID_CONCURRENCY,
                                 request->deployment.problem.load.concurrency);
    double seen = observed_value(observed, OBS_CONCURRENCY);

    double load = observed_at_load(observed, isnan(stated) ? seen : stated);
    if (isnan(stated) && isnan(seen) && !isnan(load))
        (void)observed_state(observed, OBS_CONCURRENCY, load);
}

bool diagnose_request_read(struct context *ctx, cJSON *body, struct faults *faults,
                           struct diagnose_request *request)
{
    struct arena *arena = ctx->request->arena;
    const cJSON *own[OWN_COUNT];
    struct faults of_deployment;
    const struct intake intake = {ctx->catalogue, arena, &of_deployment, ""};
    const struct observed_reader reader = {arena, faults, &request->observed, &request->figures,
                                           &request->symptoms};

    for (int i = 0; i < OWN_COUNT; i++)
        own[i] = take(faults, body, OWN[i]);
    observed_init(&request->observed);
    faults_init(&of_deployment, arena);
    plan_request_read_json(&intake, body, &request->deployment);
    sort_faults(request, body, &of_deployment, faults);
    read_names(ctx, body, request);
    for (int i = FEATURES; i <= FLAGS; i++)
        for_texts(ctx, faults, own[i], OWN[i], read_setup, request);
    for (int i = CHANGED; i <= TITLE; i++)
        for_texts(ctx, faults, own[i], OWN[i], read_statement, request);
    if (own[OBSERVED])
        observed_request_read(&reader, own[OBSERVED]);
    if (own[ARMS])
        observed_request_arms(&reader, own[ARMS]);
    if (own[METRICS])
        read_scrapes(ctx, faults, own[METRICS], request);
    if (own[LOG])
        read_tool(ctx, faults, own[LOG], OWN[LOG], observe_log, request);
    if (own[SMI])
        read_tool(ctx, faults, own[SMI], OWN[SMI], observe_smi, request);
    if (faults->n)
        return false;
    for (int i = 0; i < request->figures.n; i++)
        tell(ctx, request, request->figures.items[i].name);
    if (request->report)
        report_words_read(arena, request->report, &request->symptoms);
    figures_compare(arena, &request->figures, &request->symptoms);
    settle_load(request);
    plan_deployment(ctx, request);
    const struct setup setup = setup_of(request);
    request->seen_tpot_us = symptoms_seen_tpot_us(&setup, &request->observed);
    symptoms_of_observed(&request->observed, &request->symptoms);
    symptoms_of_setup(&setup, &request->observed, &request->symptoms);
    return true;
}
