/* What the pool holds at its low end, as expected, and at its high end. */
#include "check_memory.h"

#include <math.h>

#include "load.h"
#include "memory.h"
#include "units.h"

static double request_tokens(const struct problem *problem)
{
    return problem->load.input_tokens + problem->load.output_tokens;
}

/* The same memory with a pool of that many bytes. */
static struct memory_plan with_pool(const struct memory_plan *memory, double bytes)
{
    struct memory_plan other = *memory;
    double unit = memory->layout.unit_bytes;
    other.kv_bytes = bytes;
    if (bytes != memory->kv_bytes && unit > 0.0)
        other.layout.units = floor(bytes / unit);
    return other;
}

/* Bytes that one sequence of that many tokens takes of the pool. */
static double sequence_bytes(const struct problem *problem, const struct memory_plan *memory,
                             double tokens)
{
    struct memory_plan one = *memory;
    one.layout.units = 1.0;
    double held = memory_sequences(problem, &one, tokens);
    return isinf(held) ? 0.0 : memory->layout.unit_bytes / held;
}

double check_longest_context(const struct problem *problem, const struct memory_plan *memory)
{
    struct memory_plan low = with_pool(memory, memory->kv_bytes_low);
    return memory_longest_context(problem, &low);
}

/* What takes of the memory that the pool is made of; `end` -1 at the low end, 1 at the high. */
static double spent(const struct memory_plan *memory, int end)
{
    double sum = 0.0;
    for (int i = 0; i < MEMORY_TERM_COUNT; i++) {
        const struct memory_term *term = &memory->terms[i];
        if (term->in_budget)
            sum += end < 0 ? term->low : end > 0 ? term->high : term->bytes;
    }
    return sum;
}

double check_used_bytes(const struct plan *plan)
{
    return spent(&plan->memory, 0) +
           sequence_bytes(&plan->problem, &plan->memory, request_tokens(&plan->problem));
}

static const char *fits_detail(const struct memory_plan *memory, enum check_verdict verdict)
{
    bool allocates = memory->layout.least_bytes > 0.0;
    if (memory->layout.refused && !allocates)
        return "the engine cannot lay out these layers' caches in one pool: it refuses to start";
    if (verdict == CHECK_PASS)
        return "{bA} of weights and overhead and {bB} for {ss} ({wE} tokens) fit the {bC} "
               "usable of {bD} on each device";
    if (verdict == CHECK_FAIL)
        return "{bA} of weights and overhead and {bB} for {ss} ({wE} tokens) do not fit the "
               "{bC} usable of {bD} on each device";
    return "{bA} of weights and overhead, give or take their range, and {bB} for {ss} ({wE} "
           "tokens): whether the {bC} usable of {bD} on each device hold them nobody can say";
}

/* Whose the bytes are that must fit. */
static const char *needed_by(const struct problem *problem, const struct memory_plan *memory)
{
    double least = memory->layout.least_bytes;
    if (least > 0.0 && least >= memory->needed_bytes)
        return "the cache allocated at the start";
    return memory->needed_tokens > request_tokens(problem) ? "one request of max_model_len"
                                                           : "one request";
}

void check_memory_fits(const struct plan *plan, struct check *check)
{
    static const enum check_verdict VERDICTS[MEMORY_VERDICT_COUNT] = {
        [MEMORY_DOES_NOT_FIT] = CHECK_FAIL,
        [MEMORY_FITS] = CHECK_PASS,
        [MEMORY_MAY_FIT] = CHECK_UNKNOWN};

    const struct memory_plan *memory = &plan->memory;
    double fixed = spent(memory, 0);
    double request = memory->needed_bytes;
    check->verdict = VERDICTS[memory->verdict];
    check->limit = memory->usable_bytes;
    check->predicted = fixed + request;
    check->low = spent(memory, -1) + request;
    check->high = spent(memory, 1) + request;
    check->basis = memory->basis;
    check->figure[0] = fixed;
    check->figure[1] = request;
    check->figure[2] = memory->usable_bytes;
    check->figure[3] = memory->total_bytes;
    check->figure[4] = memory->needed_tokens;
    check->name[0] = needed_by(&plan->problem, memory);
    check->detail = fits_detail(memory, check->verdict);
}

bool check_is_saturated(const struct plan *plan)
{
    for (int i = 0; i < plan->n_warnings; i++)
        if (plan->warnings[i].id == WARN_SATURATED)
            return true;
    return false;
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

/* Sequences that all ranks hold: at their end in the low pool, at their mean length in the high. */
static void hold(const struct plan *plan, struct check *check)
{
    const struct problem *problem = &plan->problem;
    const struct memory_plan *memory = &plan->memory;
    double ranks = problem->dep.dp * fmax(problem->dep.replicas, 1.0);
    struct memory_plan low = with_pool(memory, memory->kv_bytes_low);
    struct memory_plan high = with_pool(memory, memory->kv_bytes_high);
    double at_end = memory_sequences(problem, &low, request_tokens(problem));
    double at_mean =
        memory_held(problem, &high, problem->load.input_tokens, problem->load.output_tokens);
    check->predicted = floor(memory->held_sequences) * ranks;
    check->low = fmin(floor(at_end) * ranks, check->predicted);
    check->high = fmax(floor(at_mean) * ranks, check->predicted);
}

static const char *hold_detail(enum check_verdict verdict)
{
    if (verdict == CHECK_PASS)
        return "the KV pool holds {wC} sequences of {wD} tokens even at its low end, expected "
               "{wE}; in flight: {nB}";
    if (verdict == CHECK_FAIL)
        return "even at its high end the KV pool holds {wA} sequences of {wD} tokens, expected "
               "{wE}; in flight: {nB}, the rest wait";
    return "the KV pool holds {wC} to {wA} sequences of {wD} tokens, expected {wE}; in flight: "
           "{nB}";
}

void check_kv_holds(const struct plan *plan, struct check *check)
{
    bool saturated = check_is_saturated(plan);
    check->limit = saturated ? (double)NAN : in_flight(plan);
    hold(plan, check);
    check->basis = plan->memory.basis;
    check->figure[0] = check->high;
    check->figure[1] = check->limit;
    check->figure[2] = check->low;
    check->figure[3] = request_tokens(&plan->problem);
    check->figure[4] = check->predicted;
    if (isnan(check->limit)) {
        check->verdict = saturated ? CHECK_FAIL : CHECK_UNKNOWN;
        check->detail = saturated
                            ? "more arrives than finishes: the pool of {wA} sequences fills up"
                            : "the pool holds {wC} sequences of {wD} tokens; how many are in "
                              "flight at this rate nobody can say without a record";
        return;
    }
    double accepted =
        plan->problem.dep.max_concurrent_requests * fmax(plan->problem.dep.replicas, 1.0);
    if (accepted > 0.0 && check->limit > accepted) {
        check->figure[0] = accepted;
        check->verdict = CHECK_FAIL;
        check->detail = "{wB} requests are in flight, max_concurrent_requests is {wA}: the others "
                        "are refused";
        return;
    }
    check->verdict = check->low >= check->limit   ? CHECK_PASS
                     : check->high < check->limit ? CHECK_FAIL
                                                  : CHECK_UNKNOWN;
    check->detail = hold_detail(check->verdict);
}

/* Whether what a sequence keeps grows with its length. */
static bool grows(const struct plan *plan)
{
    return plan->memory.kv_bytes_per_token_beyond_window > 0.0;
}

void check_max_model_len(const struct plan *plan, struct check *check)
{
    const struct problem *problem = &plan->problem;
    struct memory_plan high = with_pool(&plan->memory, plan->memory.kv_bytes_high);
    check->limit = problem->dep.max_model_len;
    check->predicted = memory_longest_context(problem, &plan->memory);
    check->low = check_longest_context(problem, &plan->memory);
    check->high = memory_longest_context(problem, &high);
    check->basis = plan->memory.basis;
    check->verdict = check->low >= check->limit   ? CHECK_PASS
                     : check->high < check->limit ? CHECK_FAIL
                                                  : CHECK_UNKNOWN;
    check->figure[0] = check->low;
    check->figure[1] = check->limit;
    check->figure[2] = check->high;
    check->figure[3] = check->predicted;
    if (check->verdict == CHECK_FAIL)
        check->detail =
            "max_model_len is {wB} tokens, but even at its high end the KV pool holds a "
            "sequence of {wC}, expected {wD}";
    else if (check->verdict == CHECK_UNKNOWN)
        check->detail = "max_model_len is {wB} tokens, and the KV pool holds a sequence of {wA} to "
                        "{wC}, expected {wD}";
    else if (!grows(plan))
        check->detail = "max_model_len is {wB} tokens, and what a sequence keeps stops growing "
                        "before";
    else
        check->detail = "one sequence may have {wA} tokens in the KV pool, max_model_len is {wB}";
}

void check_request_length(const struct plan *plan, struct check *check)
{
    const struct problem *problem = &plan->problem;
    double longest = problem->dep.max_input_tokens;
    if (longest > 0.0 && problem->load.input_tokens > longest) {
        check->limit = check->figure[1] = longest;
        check->predicted = check->figure[0] = problem->load.input_tokens;
        check->basis = BASIS_DERIVED;
        check->verdict = CHECK_FAIL;
        check->detail = "a prompt is {wA} tokens, max_input_tokens is {wB}: the request is refused";
        return;
    }
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
}
