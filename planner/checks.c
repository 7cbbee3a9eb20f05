/* The table of checks: objectives, devices and regressions; memory is in check_memory.c, shapes in
 * check_shape.c. */
#include "checks.h"

#include <math.h>
#include <string.h>

#include "check_launch.h"
#include "check_memory.h"
#include "check_shape.h"
#include "local.h"

/* Memory --------------------------------------------------------------------------------------- */

#define OF_MEMORY(NAME)                                                                            \
    static bool memory_##NAME(const struct plan *plan, const struct check_asked *asked,            \
                              struct check *check)                                                 \
    {                                                                                              \
        (void)asked;                                                                               \
        check_##NAME(plan, check);                                                                 \
        return true;                                                                               \
    }

OF_MEMORY(memory_fits)
OF_MEMORY(kv_holds)
OF_MEMORY(max_model_len)
OF_MEMORY(request_length)
#undef OF_MEMORY

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
    if (check->verdict == CHECK_UNKNOWN && check_is_saturated(plan)) {
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

typedef bool shape_fn(const struct problem *problem, struct check *check);

/* Layers of a local engine lie on its devices in a row: nothing has to divide. */
#define SHAPE(NAME)                                                                                \
    static bool shape_##NAME(const struct problem *problem, struct check *check)                   \
    {                                                                                              \
        return !local_is_engine(problem->dep.engine) && check_##NAME(problem, check);              \
    }

SHAPE(heads)
SHAPE(kv_heads)
SHAPE(vocabulary)
SHAPE(width)
SHAPE(expert_width)
SHAPE(blocks)
SHAPE(layers)
SHAPE(experts)
SHAPE(context)
#undef SHAPE

static bool check_devices(const struct plan *plan, const struct check_asked *asked,
                          struct check *check)
{
    const struct deployment *dep = &plan->problem.dep;
    if (isnan(asked->devices))
        return false;
    check->limit = asked->devices;
    check->predicted = dep->tp * dep->pp * dep->dp;
    check->basis = BASIS_DERIVED;
    bool passes =
        check->predicted == check->limit || (asked->may_idle && check->predicted < check->limit);
    check->verdict = passes ? CHECK_PASS : CHECK_FAIL;
    check->figure[0] = check->predicted;
    check->figure[1] = check->limit;
    if (passes)
        check->detail = "tp x pp x dp is {wA}, and {wB} devices are given";
    else if (check->predicted > check->limit)
        check->detail = "tp x pp x dp is {wA}, but {wB} devices are given: it does not "
                        "start";
    else
        check->detail = "tp x pp x dp is {wA}, but {wB} devices are given: the rest "
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
    shape_fn *shape;    /* in its place where only the deployment counts */
} ROWS[CHECK_COUNT] = {
    [CHECK_MEMORY_FITS] = {{"weights and one request fit", "bytes", "/deployment", false},
                           .evaluate = memory_memory_fits},
    [CHECK_KV_HOLDS] = {{"the KV pool holds the load", "requests", "/workload/concurrency", false},
                        .evaluate = memory_kv_holds},
    [CHECK_MAX_MODEL_LEN] = {{"the longest request fits the KV pool", "tokens",
                              "/deployment/max_model_len", false},
                             .evaluate = memory_max_model_len},
    [CHECK_REQUEST_LENGTH] = {{"the load's requests are admitted", "tokens",
                               "/deployment/max_model_len", false},
                              .evaluate = memory_request_length},
    [CHECK_TTFT] = {{"time to first token", "ms", "/slo/ttft_ms", false}, .evaluate = check_ttft},
    [CHECK_TPOT] = {{"time per output token", "ms", "/slo/tpot_ms", false}, .evaluate = check_tpot},
    [CHECK_OUTPUT_RATE] = {{"output of the whole deployment", "tokens/s", "/slo/output_tok_s",
                            false},
                           .evaluate = check_output_rate},
    [CHECK_ARRIVALS] = {{"the arrivals are served", "requests/s", "/workload/request_rate", false},
                        .evaluate = check_arrivals},
    [CHECK_HEADS] = {{"tp divides the heads", "", "/deployment/tp", true}, .shape = shape_heads},
    [CHECK_KV_HEADS] = {{"tp divides or multiplies the KV heads", "", "/deployment/tp", true},
                        .shape = shape_kv_heads},
    [CHECK_VOCABULARY] = {{"tp divides the vocabulary", "", "/deployment/tp", true},
                          .shape = shape_vocabulary},
    [CHECK_WIDTH] = {{"tp divides the intermediate width", "", "/deployment/tp", true},
                     .shape = shape_width},
    [CHECK_EXPERT_WIDTH] = {{"tp divides an expert's width", "", "/deployment/tp", true},
                            .shape = shape_expert_width},
    [CHECK_BLOCKS] = {{"shards hold whole quantisation blocks", "", "/deployment/tp", true},
                      .shape = shape_blocks},
    [CHECK_LAYERS] = {{"pp divides the layers", "", "/deployment/pp", true}, .shape = shape_layers},
    [CHECK_EXPERTS] = {{"ep divides the experts", "", "/deployment/ep", true},
                       .shape = shape_experts},
    [CHECK_FORMAT] = {{"the engine runs the format on the part", "", "/deployment/weights", true},
                      .shape = check_format},
    [CHECK_DEVICES] = {{"the layout takes the devices given", "devices", "/deployment/tp", true},
                       .evaluate = check_devices},
    [CHECK_TTFT_KEPT] = {{"time to first token is kept", "ms", "/candidate", false},
                         .evaluate = check_ttft_kept},
    [CHECK_TPOT_KEPT] = {{"time per output token is kept", "ms", "/candidate", false},
                         .evaluate = check_tpot_kept},
    [CHECK_OUTPUT_KEPT] = {{"output is kept", "tokens/s", "/candidate", false},
                           .evaluate = check_output_kept},
    [CHECK_CAPACITY_KEPT] = {{"KV capacity is kept", "tokens", "/candidate", false},
                             .evaluate = check_capacity_kept},
    [CHECK_POSITIONS] = {{"the model takes the longest request", "tokens",
                          "/deployment/max_model_len", true},
                         .evaluate = check_positions},
    [CHECK_STEP_HOLDS] = {{"a step has a token of each sequence", "tokens",
                           "/deployment/max_num_seqs", true},
                          .shape = check_step_holds},
    [CHECK_CHECKPOINT] = {{"the quantisation is the checkpoint's", "", "/deployment/weights", true},
                          .evaluate = check_checkpoint},
    [CHECK_CONTEXT] = {{"dcp shares the KV cache of tp ranks", "", "/deployment/dcp", true},
                       .shape = shape_context},
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

static void begin(int row, struct check *ret_check)
{
    *ret_check = (struct check){.id = (enum check_id)row,
                                .limit = NAN,
                                .predicted = NAN,
                                .low = NAN,
                                .high = NAN,
                                .basis = BASIS_DERIVED};
}

/* One row held against a plan; false where it does not apply. */
static bool evaluate(int row, const struct plan *plan, const struct check_asked *asked,
                     struct check *ret_check)
{
    begin(row, ret_check);
    return ROWS[row].shape ? ROWS[row].shape(&plan->problem, ret_check)
                           : ROWS[row].evaluate(plan, asked, ret_check);
}

void check_plan(const struct plan *plan, const struct check_asked *asked,
                struct check_list *ret_checks)
{
    ret_checks->n = 0;
    ret_checks->verdict = CHECK_PASS;
    for (int i = 0; i < CHECK_COUNT; i++) {
        struct check *check = &ret_checks->items[ret_checks->n];
        if (!evaluate(i, plan, asked, check))
            continue;
        ret_checks->verdict = worse_of(ret_checks->verdict, check->verdict);
        ret_checks->n++;
    }
}

bool check_shape_refused(const struct problem *problem, struct check *ret_check)
{
    for (int i = 0; i < CHECK_COUNT; i++) {
        if (!ROWS[i].shape)
            continue;
        begin(i, ret_check);
        if (ROWS[i].shape(problem, ret_check) && ret_check->verdict == CHECK_FAIL)
            return true;
    }
    return false;
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
