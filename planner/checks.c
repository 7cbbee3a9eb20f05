/* The table of checks: memory, lengths, objectives, regressions; the shapes are in check_shape.c.
 */
#include "checks.h"

#include <math.h>
#include <string.h>

#include "asked.h"
#include "check_shape.h"
#include "load.h"
#include "local.h"
#include "units.h"

/* A request's tokens are found by halving: 1e8 tokens to one. */
#define LENGTH_STEPS 28

/* Memory --------------------------------------------------------------------------------------- */

/* Bytes of one sequence of that many tokens on one device. */
static double sequence_bytes(const struct problem *problem, double tokens)
{
    return rank_kv_bytes(problem->model, &problem->dep, tokens) +
           rank_state_bytes(problem->model, &problem->dep);
}

double check_longest_context(const struct problem *problem, const struct memory_plan *memory)
{
    double low = 0.0, high = ASKED_TOKENS_MAX;
    if (sequence_bytes(problem, high) <= memory->kv_bytes)
        return INFINITY;
    for (int i = 0; i < LENGTH_STEPS; i++) {
        double middle = floor((low + high) / 2.0);
        if (sequence_bytes(problem, middle) <= memory->kv_bytes)
            low = middle;
        else
            high = middle;
    }
    return memory->kv_bytes > 0.0 ? low : 0.0;
}

static double request_tokens(const struct problem *problem)
{
    return problem->load.input_tokens + problem->load.output_tokens;
}

static bool check_memory_fits(const struct plan *plan, const struct check_asked *asked,
                              struct check *check)
{
    const struct memory_plan *memory = &plan->memory;
    const struct problem *problem = &plan->problem;
    (void)asked;
    /* SGLang's fraction covers weights and pool: activations live in the rest. */
    bool beside = problem->dep.engine->memory_rule == MEMORY_SGLANG;
    double fixed =
        memory->weights_bytes + (beside ? 0.0 : memory->activation_bytes + memory->overhead_bytes);
    double request = sequence_bytes(problem, request_tokens(problem));
    check->verdict = memory->fits ? CHECK_PASS : CHECK_FAIL;
    check->limit = memory->usable_bytes;
    check->predicted = fixed + request;
    check->basis = memory->basis;
    check->figure[0] = fixed;
    check->figure[1] = request;
    check->figure[2] = memory->usable_bytes;
    check->figure[3] = memory->total_bytes;
    check->detail = memory->fits
                        ? "{bA} of weights and overhead and {bB} of KV for one request fit the "
                          "{bC} usable of {bD} on each device"
                        : "{bA} of weights and overhead and {bB} of KV for one request do not fit "
                          "the {bC} usable of {bD} on each device";
    return true;
}

/* Requests in flight: as asked in a closed loop, by Little's law in an open one; NAN when unknown.
 */
static double in_flight(const struct plan *plan)
{
    const struct workload *load = &plan->problem.load;
    if (isnan(load->request_rate))
        return load_in_flight(load);
    return load->request_rate * plan->e2e_ms.expected / MS_PER_S;
}

static bool is_saturated(const struct plan *plan)
{
    for (int i = 0; i < plan->n_warnings; i++)
        if (plan->warnings[i].id == WARN_SATURATED)
            return true;
    return false;
}

static bool check_kv_holds(const struct plan *plan, const struct check_asked *asked,
                           struct check *check)
{
    const struct memory_plan *memory = &plan->memory;
    double ranks = plan->problem.dep.dp * fmax(plan->problem.dep.replicas, 1.0);
    (void)asked;
    check->limit = is_saturated(plan) ? (double)NAN : in_flight(plan);
    check->predicted = floor(memory->held_sequences) * ranks;
    check->low = fmin(floor(memory->max_concurrency) * ranks, check->predicted);
    check->high = check->predicted;
    check->basis = memory->basis;
    check->figure[0] = check->predicted;
    check->figure[1] = check->limit;
    check->figure[2] = check->low;
    check->figure[3] = request_tokens(&plan->problem);
    if (isnan(check->limit)) {
        check->verdict = is_saturated(plan) ? CHECK_FAIL : CHECK_UNKNOWN;
        check->detail = is_saturated(plan)
                            ? "more arrives than finishes: the pool of {wA} sequences fills up"
                            : "the pool holds {wA} sequences of {wD} tokens; how many are in "
                              "flight at this rate nobody can say without a record";
        return true;
    }
    if (check->low >= check->limit) {
        check->verdict = CHECK_PASS;
        check->detail = "the KV pool holds {wC} sequences of {wD} tokens at their end; in flight: "
                        "{nB}";
    } else if (check->high < check->limit) {
        check->verdict = CHECK_FAIL;
        check->detail =
            "the KV pool holds {wA} sequences of {wD} tokens; in flight: {nB}, the rest "
            "wait";
    } else {
        check->verdict = CHECK_UNKNOWN;
        check->detail = "the KV pool holds {wA} sequences of {wD} tokens at their mean length but "
                        "{wC} at their end; in flight: {nB}";
    }
    return true;
}

static bool check_max_model_len(const struct plan *plan, const struct check_asked *asked,
                                struct check *check)
{
    const struct problem *problem = &plan->problem;
    double longest = check_longest_context(problem, &plan->memory);
    (void)asked;
    check->limit = problem->dep.max_model_len;
    check->predicted = isinf(longest) ? (double)NAN : longest;
    check->basis = plan->memory.basis;
    check->verdict = longest >= check->limit ? CHECK_PASS : CHECK_FAIL;
    check->figure[0] = longest;
    check->figure[1] = check->limit;
    if (isinf(longest))
        check->detail = "max_model_len is {wB} tokens, and what a sequence caches does not grow "
                        "with it";
    else if (check->verdict == CHECK_PASS)
        check->detail = "one sequence may have {wA} tokens in the KV pool, max_model_len is {wB}";
    else
        check->detail = "max_model_len is {wB} tokens, but the KV pool holds a sequence of {wA} at "
                        "most";
    return true;
}

static bool check_request_length(const struct plan *plan, const struct check_asked *asked,
                                 struct check *check)
{
    (void)asked;
    check->limit = plan->problem.dep.max_model_len;
    check->predicted = request_tokens(&plan->problem);
    check->basis = BASIS_DERIVED;
    check->verdict = check->predicted <= check->limit ? CHECK_PASS : CHECK_FAIL;
    check->figure[0] = check->predicted;
    check->figure[1] = check->limit;
    check->detail = check->verdict == CHECK_PASS
                        ? "input + output is {wA} tokens, max_model_len is {wB}"
                        : "input + output is {wA} tokens, max_model_len is {wB}: the request is "
                          "refused or cut";
    return true;
}

/* Objectives ----------------------------------------------------------------------------------- */

/* What an objective is judged by. */
struct ends {
    double bad, good; /* of the interval; NAN without one */
    double floor;     /* what physics allows at best */
};

static bool is_inside(double value, double limit, bool at_most)
{
    return at_most ? value <= limit : value >= limit;
}

static const char *objective_detail(const struct check *check, const struct ends *ends,
                                    bool at_most)
{
    if (check->verdict == CHECK_PASS)
        return at_most
                   ? "{nC} to {nD} {ss}, expected {nB}: the whole 80 % interval is within {nA}"
                   : "{nC} to {nD} {ss}, expected {nB}: the whole 80 % interval is at least {nA}";
    if (!isnan(ends->floor) && !is_inside(ends->floor, check->limit, at_most))
        return at_most ? "physics alone takes {nC} {ss} here: {nA} is out of reach"
                       : "physics allows {nD} {ss} here at most: {nA} is out of reach";
    if (check->verdict == CHECK_FAIL)
        return at_most ? "{nC} to {nD} {ss}, expected {nB}: even the good end exceeds {nA}"
                       : "{nC} to {nD} {ss}, expected {nB}: even the good end is below {nA}";
    if (isnan(check->predicted))
        return "no record: nothing was measured that this could be predicted from";
    if (isnan(ends->bad))
        return "expected {nB} {ss}, but no errors are on record for such a deployment: no interval";
    return "{nC} to {nD} {ss}, expected {nB}: the 80 % interval straddles {nA}";
}

/* Judges an estimate: `at_most` for times, else a rate that must be reached. */
static bool judge(struct check *check, double limit, const struct estimate *estimate, bool at_most)
{
    const struct ends ends = {.bad = at_most ? estimate->high : estimate->low,
                              .good = at_most ? estimate->low : estimate->high,
                              .floor = estimate->floor};
    if (isnan(limit))
        return false;
    bool impossible = !isnan(ends.floor) && !is_inside(ends.floor, limit, at_most);
    check->limit = limit;
    check->predicted = estimate->expected;
    check->low = estimate->low;
    check->high = estimate->high;
    check->basis = estimate->basis;
    check->verdict = CHECK_UNKNOWN;
    if (impossible || (!isnan(ends.good) && !is_inside(ends.good, limit, at_most)))
        check->verdict = CHECK_FAIL;
    else if (!isnan(ends.bad) && is_inside(ends.bad, limit, at_most))
        check->verdict = CHECK_PASS;
    check->figure[0] = limit;
    check->figure[1] = estimate->expected;
    check->figure[2] = impossible && at_most ? ends.floor : estimate->low;
    check->figure[3] = impossible && !at_most ? ends.floor : estimate->high;
    check->name[0] = check_info(check->id)->unit;
    check->detail = objective_detail(check, &ends, at_most);
    return true;
}

static bool check_ttft(const struct plan *plan, const struct check_asked *asked,
                       struct check *check)
{
    (void)asked;
    if (!judge(check, plan->problem.slo.ttft_ms, &plan->ttft_ms, true))
        return false;
    if (check->verdict == CHECK_UNKNOWN && is_saturated(plan)) {
        check->verdict = CHECK_FAIL;
        check->detail = "more arrives than finishes: the wait grows without end";
    }
    return true;
}

static bool check_tpot(const struct plan *plan, const struct check_asked *asked,
                       struct check *check)
{
    (void)asked;
    return judge(check, plan->problem.slo.tpot_ms, &plan->tpot_ms, true);
}

static bool check_output_rate(const struct plan *plan, const struct check_asked *asked,
                              struct check *check)
{
    (void)asked;
    return judge(check, plan->problem.slo.output_tok_s, &plan->output_tok_s, false);
}

static bool check_arrivals(const struct plan *plan, const struct check_asked *asked,
                           struct check *check)
{
    (void)asked;
    return judge(check, plan->problem.load.request_rate, &plan->max_request_rate, false);
}

/* Shapes --------------------------------------------------------------------------------------- */

/* Layers of a local engine lie on its devices in a row: nothing has to divide. */
typedef bool shape_fn(const struct problem *problem, struct check *check);

static bool check_shape(const struct plan *plan, shape_fn *shape, struct check *check)
{
    return !local_is_engine(plan->problem.dep.engine) && shape(&plan->problem, check);
}

#define SHAPE(NAME)                                                                                \
    static bool shape_##NAME(const struct plan *plan, const struct check_asked *asked,             \
                             struct check *check)                                                  \
    {                                                                                              \
        (void)asked;                                                                               \
        return check_shape(plan, check_##NAME, check);                                             \
    }

SHAPE(heads)
SHAPE(kv_heads)
SHAPE(vocabulary)
SHAPE(width)
SHAPE(expert_width)
SHAPE(blocks)
SHAPE(layers)
SHAPE(experts)
#undef SHAPE

static bool shape_format(const struct plan *plan, const struct check_asked *asked,
                         struct check *check)
{
    (void)asked;
    return check_format(&plan->problem, check);
}

static bool check_devices(const struct plan *plan, const struct check_asked *asked,
                          struct check *check)
{
    const struct deployment *dep = &plan->problem.dep;
    if (isnan(asked->devices))
        return false;
    check->limit = asked->devices;
    check->predicted = dep->tp * dep->pp * dep->dp * fmax(dep->replicas, 1.0);
    check->basis = BASIS_DERIVED;
    check->verdict = check->predicted == check->limit ? CHECK_PASS : CHECK_FAIL;
    check->figure[0] = check->predicted;
    check->figure[1] = check->limit;
    if (check->verdict == CHECK_PASS)
        check->detail = "tp x pp x dp x replicas is {wA}, and {wB} devices are given";
    else if (check->predicted > check->limit)
        check->detail = "tp x pp x dp x replicas is {wA}, but {wB} devices are given: it does not "
                        "start";
    else
        check->detail = "tp x pp x dp x replicas is {wA}, but {wB} devices are given: the rest "
                        "stay idle";
    return true;
}

/* Regressions ---------------------------------------------------------------------------------- */

/* Both figures rest on one model, whose errors go the same way: the expected values are compared.
 */
static bool kept(const struct check_asked *asked, double before, double after, enum basis basis,
                 bool at_most, struct check *check)
{
    double worse = at_most ? after / before - 1.0 : 1.0 - after / before;
    check->limit = at_most ? before * (1.0 + asked->tolerance) : before * (1.0 - asked->tolerance);
    check->predicted = after;
    check->basis = basis;
    check->verdict = isnan(worse)               ? CHECK_UNKNOWN
                     : worse > asked->tolerance ? CHECK_FAIL
                                                : CHECK_PASS;
    check->name[0] = check_info(check->id)->unit;
    check->figure[0] = before;
    check->figure[1] = after;
    check->figure[2] = fabs(worse);
    check->figure[3] = asked->tolerance;
    if (check->verdict == CHECK_UNKNOWN)
        check->detail = "one of the two has no record: they cannot be compared";
    else if (worse > 0.0)
        check->detail = "{nA} before, {nB} {ss} after: worse by {pC}, {pD} are allowed";
    else
        check->detail = "{nA} before, {nB} {ss} after: better by {pC}";
    return true;
}

static bool check_ttft_kept(const struct plan *plan, const struct check_asked *asked,
                            struct check *check)
{
    return asked->baseline && kept(asked, asked->baseline->ttft_ms.expected, plan->ttft_ms.expected,
                                   plan->ttft_ms.basis, true, check);
}

static bool check_tpot_kept(const struct plan *plan, const struct check_asked *asked,
                            struct check *check)
{
    return asked->baseline && kept(asked, asked->baseline->tpot_ms.expected, plan->tpot_ms.expected,
                                   plan->tpot_ms.basis, true, check);
}

static bool check_output_kept(const struct plan *plan, const struct check_asked *asked,
                              struct check *check)
{
    return asked->baseline &&
           kept(asked, asked->baseline->output_tok_s.expected, plan->output_tok_s.expected,
                plan->output_tok_s.basis, false, check);
}

static double capacity(const struct plan *plan)
{
    return plan->memory.kv_token_capacity * plan->problem.dep.dp *
           fmax(plan->problem.dep.replicas, 1.0);
}

static bool check_capacity_kept(const struct plan *plan, const struct check_asked *asked,
                                struct check *check)
{
    return asked->baseline &&
           kept(asked, capacity(asked->baseline), capacity(plan), plan->memory.basis, false, check);
}

/* The table ------------------------------------------------------------------------------------ */

typedef bool check_fn(const struct plan *plan, const struct check_asked *asked,
                      struct check *check);

static const struct check_row {
    struct check_info info;
    check_fn *evaluate; /* false: the check does not apply */
} ROWS[CHECK_COUNT] = {
    [CHECK_MEMORY_FITS] = {{"weights and one request fit", "bytes", "/deployment", false},
                           check_memory_fits},
    [CHECK_KV_HOLDS] = {{"the KV pool holds the load", "requests", "/workload/concurrency", false},
                        check_kv_holds},
    [CHECK_MAX_MODEL_LEN] = {{"the longest request fits the KV pool", "tokens",
                              "/deployment/max_model_len", false},
                             check_max_model_len},
    [CHECK_REQUEST_LENGTH] = {{"the load's requests are admitted", "tokens",
                               "/deployment/max_model_len", false},
                              check_request_length},
    [CHECK_TTFT] = {{"time to first token", "ms", "/slo/ttft_ms", false}, check_ttft},
    [CHECK_TPOT] = {{"time per output token", "ms", "/slo/tpot_ms", false}, check_tpot},
    [CHECK_OUTPUT_RATE] = {{"output of the whole deployment", "tokens/s", "/slo/output_tok_s",
                            false},
                           check_output_rate},
    [CHECK_ARRIVALS] = {{"the arrivals are served", "requests/s", "/workload/request_rate", false},
                        check_arrivals},
    [CHECK_HEADS] = {{"tp divides the heads", "", "/deployment/tp", true}, shape_heads},
    [CHECK_KV_HEADS] = {{"tp divides or multiplies the KV heads", "", "/deployment/tp", true},
                        shape_kv_heads},
    [CHECK_VOCABULARY] = {{"tp divides the vocabulary", "", "/deployment/tp", true},
                          shape_vocabulary},
    [CHECK_WIDTH] = {{"tp divides the intermediate width", "", "/deployment/tp", true},
                     shape_width},
    [CHECK_EXPERT_WIDTH] = {{"tp divides an expert's width", "", "/deployment/tp", true},
                            shape_expert_width},
    [CHECK_BLOCKS] = {{"shards hold whole quantisation blocks", "", "/deployment/tp", true},
                      shape_blocks},
    [CHECK_LAYERS] = {{"pp divides the layers", "", "/deployment/pp", true}, shape_layers},
    [CHECK_EXPERTS] = {{"ep divides the experts", "", "/deployment/ep", true}, shape_experts},
    [CHECK_FORMAT] = {{"the engine runs the format on the part", "", "/deployment/weights", true},
                      shape_format},
    [CHECK_DEVICES] = {{"the layout takes the devices given", "devices", "/deployment/tp", true},
                       check_devices},
    [CHECK_TTFT_KEPT] = {{"time to first token is kept", "ms", "/candidate", false},
                         check_ttft_kept},
    [CHECK_TPOT_KEPT] = {{"time per output token is kept", "ms", "/candidate", false},
                         check_tpot_kept},
    [CHECK_OUTPUT_KEPT] = {{"output is kept", "tokens/s", "/candidate", false}, check_output_kept},
    [CHECK_CAPACITY_KEPT] = {{"KV capacity is kept", "tokens", "/candidate", false},
                             check_capacity_kept},
};

#define X(ID, NAME) [ID] = NAME,
static const char *const NAMES[CHECK_COUNT] = {CHECK_LIST(X)};
#undef X

static enum check_verdict worse_of(enum check_verdict a, enum check_verdict b)
{
    if (a == CHECK_FAIL || b == CHECK_FAIL)
        return CHECK_FAIL;
    return a == CHECK_UNKNOWN || b == CHECK_UNKNOWN ? CHECK_UNKNOWN : CHECK_PASS;
}

void check_plan(const struct plan *plan, const struct check_asked *asked,
                struct check_list *ret_checks)
{
    ret_checks->n = 0;
    ret_checks->verdict = CHECK_PASS;
    for (int i = 0; i < CHECK_COUNT; i++) {
        struct check *check = &ret_checks->items[ret_checks->n];
        *check = (struct check){.id = (enum check_id)i,
                                .limit = NAN,
                                .predicted = NAN,
                                .low = NAN,
                                .high = NAN,
                                .basis = BASIS_DERIVED};
        if (!ROWS[i].evaluate(plan, asked, check))
            continue;
        ret_checks->verdict = worse_of(ret_checks->verdict, check->verdict);
        ret_checks->n++;
    }
}

const struct check *check_find(const struct check_list *checks, enum check_id id)
{
    for (int i = 0; i < checks->n; i++)
        if (checks->items[i].id == id)
            return &checks->items[i];
    return NULL;
}

const struct check_info *check_info(enum check_id id)
{
    return &ROWS[id].info;
}

const char *check_name(enum check_id id)
{
    return NAMES[id];
}

const char *check_verdict_name(enum check_verdict verdict)
{
    static const char *const VERDICTS[CHECK_VERDICT_COUNT] = {"pass", "fail", "unknown"};

    return VERDICTS[verdict];
}
