/* The shapes of verdicts and comparisons. */
#include "checks.h"
#include "openapi_rows.h"

static const char *verdict_at(int index)
{
    return check_verdict_name((enum check_verdict)index);
}

static const char *check_at(int index)
{
    return check_name((enum check_id)index);
}

static const char *basis_at(int index)
{
    return basis_name((enum basis)index);
}

static const char *regime_at(int index)
{
    return regime_name((enum regime_id)index);
}

static const char *class_at(int index)
{
    return class_name((enum class_id)index);
}

static const struct schema_member CURE_OF_CHECK[] = {
    TEXT("id", 0, "of one of the reply's cures"),
    BOOLEAN("passes", 0, "whether the check passes with it, planned again"),
    NUMBER("predicted", NULLABLE, "the check's figure with it"),
    TEXT("flags", LIST, "as the engine is told it; what to do, and the leaf, where it has no flag"),
};

static const struct schema_member CHECK_RESULT[] = {
    ENUM("id", 0, check_at, CHECK_COUNT, NULL),
    TEXT("title", 0, NULL),
    ENUM("verdict", 0, verdict_at, CHECK_VERDICT_COUNT,
         "unknown where the 80 % interval straddles the limit or nothing was measured"),
    NUMBER("limit", NULLABLE, NULL),
    NUMBER("predicted", NULLABLE, NULL),
    NUMBER("low", NULLABLE, NULL),
    NUMBER("high", NULLABLE, NULL),
    TEXT("unit", NULLABLE, "of limit and predicted"),
    ENUM("basis", 0, basis_at, BASIS_COUNT, NULL),
    TEXT("pointer", 0, "what of the request it is about"),
    TEXT("detail", 0, "the reason, with its figures"),
    OBJECT("cures", LIST, "CureOfCheck"),
};

static const struct schema_member CHECK_CURE[] = {
    TEXT("id", 0, NULL),
    NUMBER("rank", 0, "1 is best: most checks pass, fewest devices"),
    TEXT("title", 0, NULL),
    TEXT("why", 0, NULL),
    ANYTHING("change", 0, "JSON pointers into the request and their new values"),
    TEXT("flags", LIST, "as the engine is told it; what to do, and the leaf, where it has no flag"),
    ENUM("verdict", 0, verdict_at, CHECK_VERDICT_COUNT, "of all checks with the change"),
    ENUM("passes", LIST, check_at, CHECK_COUNT, "checks that pass with it and do not without"),
    ENUM("fails", LIST, check_at, CHECK_COUNT, "checks that fail with it and are unknown without"),
    OBJECT("effect", 0, "Effect"),
    ENUM("regime_after", 0, regime_at, REGIME_COUNT, NULL),
    ENUM("basis", 0, basis_at, BASIS_COUNT, NULL),
};

#define VERDICT_MEMBERS                                                                            \
    ENUM("verdict", 0, verdict_at, CHECK_VERDICT_COUNT,                                            \
         "fail if any check fails, else unknown if any is, else pass"),                            \
        OBJECT("checks", LIST, "CheckResult"), OBJECT("cures", LIST, "CheckCure")

static const struct schema_member CHECK[] = {
    VERDICT_MEMBERS,
    OBJECT("request", 0, "PlanRequest"),
    TEXT("assumed", LIST, "JSON pointers of the defaults taken"),
    ANYTHING("assumed_from", 0, "of these pointers, the launch that gave the value"),
    TEXT("ignored_flags", LIST, NULL),
    OBJECT("latency", 0, "Latency"),
    OBJECT("throughput", 0, "Throughput"),
    OBJECT("memory", 0, "Memory"),
    OBJECT("gaps", LIST, "Gap"),
    OBJECT("warnings", LIST, "Warning"),
};

static const struct schema_member COMPARE_REQUEST[] = {
    OBJECT("baseline", 0, "PlanPart"),
    OBJECT("candidate", 0, "PlanPart"),
    ANYTHING("model", OPTIONAL, "of both, unless a side says otherwise; as are the following"),
    ANYTHING("hardware", OPTIONAL, NULL),
    OBJECT("deployment", OPTIONAL | NULLABLE, "PlanPart"),
    OBJECT("workload", OPTIONAL | NULLABLE, "PlanPart"),
    OBJECT("slo", OPTIONAL | NULLABLE, "PlanPart"),
};

static const struct schema_member INPUT_CHANGE[] = {
    TEXT("pointer", 0, NULL),
    ANYTHING("baseline", 0, NULL),
    ANYTHING("candidate", 0, NULL),
    BOOLEAN("baseline_assumed", 0, "a default was taken"),
    BOOLEAN("candidate_assumed", 0, NULL),
};

static const struct schema_member PAIR[] = {
    NUMBER("baseline", NULLABLE, NULL),
    NUMBER("candidate", NULLABLE, NULL),
    NUMBER("change", NULLABLE, "(candidate - baseline) / baseline"),
};

static const struct schema_member REGIME_PAIR[] = {
    ENUM("baseline", 0, regime_at, REGIME_COUNT, NULL),
    ENUM("candidate", 0, regime_at, REGIME_COUNT, NULL),
    BOOLEAN("moved", 0, NULL),
};

static const struct schema_member CLASS_PAIR[] = {
    ENUM("baseline", 0, class_at, CLASS_COUNT, NULL),
    ENUM("candidate", 0, class_at, CLASS_COUNT, NULL),
    BOOLEAN("moved", 0, NULL),
};

static const struct schema_member CLASS_DELTA[] = {
    ENUM("class", 0, class_at, CLASS_COUNT, NULL),
    BOOLEAN("in_baseline", 0, "whether it occurs there"),
    BOOLEAN("in_candidate", 0, NULL),
    NUMBER("baseline_us", NULLABLE, NULL),
    NUMBER("candidate_us", NULLABLE, NULL),
    NUMBER("delta_us", NULLABLE, "candidate - baseline, as all deltas"),
    NUMBER("baseline_bytes", NULLABLE, "over memory, links and the host link together"),
    NUMBER("candidate_bytes", NULLABLE, NULL),
    NUMBER("delta_bytes", NULLABLE, NULL),
    NUMBER("baseline_share", NULLABLE, "of the step's critical path"),
    NUMBER("candidate_share", NULLABLE, NULL),
    NUMBER("delta_share", NULLABLE, NULL),
};

static const struct schema_member STEP_DELTA[] = {
    OBJECT("expected_us", 0, "Pair"),   OBJECT("floor_us", 0, "Pair"),
    OBJECT("bytes", 0, "Pair"),         OBJECT("flops", 0, "Pair"),
    OBJECT("dominant", 0, "ClassPair"), OBJECT("classes", LIST, "ClassDelta"),
};

static const struct schema_member LATENCY_PAIRS[] = {
    OBJECT("ttft_ms", 0, "Pair"),
    OBJECT("tpot_ms", 0, "Pair"),
    OBJECT("e2e_ms", 0, "Pair"),
};

static const struct schema_member THROUGHPUT_PAIRS[] = {
    OBJECT("output_tok_s", 0, "Pair"),
    OBJECT("per_user_tok_s", 0, "Pair"),
    OBJECT("requests_s", 0, "Pair"),
    OBJECT("max_request_rate", 0, "Pair"),
};

static const struct schema_member MEMORY_PAIRS[] = {
    OBJECT("weights_bytes", 0, "Pair"),     OBJECT("activation_bytes", 0, "Pair"),
    OBJECT("overhead_bytes", 0, "Pair"),    OBJECT("usable_bytes", 0, "Pair"),
    OBJECT("kv_bytes", 0, "Pair"),          OBJECT("kv_bytes_per_token", 0, "Pair"),
    OBJECT("kv_token_capacity", 0, "Pair"), OBJECT("max_concurrency", 0, "Pair"),
};

static const struct schema_member COMPARED_PLAN[] = {
    OBJECT("request", 0, "PlanRequest"),
    TEXT("assumed", LIST, "JSON pointers of the defaults taken"),
    TEXT("ignored_flags", LIST, NULL),
    OBJECT("regime", 0, "Regime"),
    OBJECT("dominant", 0, "Dominant"),
    OBJECT("latency", 0, "Latency"),
    OBJECT("throughput", 0, "Throughput"),
    OBJECT("memory", 0, "Memory"),
    OBJECT("warnings", LIST, "Warning"),
};

static const struct schema_member COMPARISON[] = {
    VERDICT_MEMBERS,
    OBJECT("changes", LIST, "InputChange"),
    OBJECT("regime", 0, "RegimePair"),
    OBJECT("dominant", 0, "ClassPair"),
    OBJECT("latency", 0, "LatencyPairs"),
    OBJECT("throughput", 0, "ThroughputPairs"),
    OBJECT("memory", 0, "MemoryPairs"),
    OBJECT("decode", 0, "StepDelta"),
    OBJECT("prefill", 0, "StepDelta"),
    OBJECT("baseline", 0, "ComparedPlan"),
    OBJECT("candidate", 0, "ComparedPlan"),
};

const struct schema CHECK_SCHEMAS[] = {
    CLOSED("Check", CHECK, "the verdict on a rollout"),
    CLOSED("CheckResult", CHECK_RESULT, "one check: its limit, what is predicted, the verdict"),
    CLOSED("CureOfCheck", CURE_OF_CHECK, "what a cure makes of one check"),
    CLOSED("CheckCure", CHECK_CURE, "a change that makes checks pass, planned again"),
    CLOSED("CompareRequest", COMPARE_REQUEST, "two deployments and what both share"),
    {"PlanPart", "a part of a PlanRequest", true, NULL, 0},
    CLOSED("Comparison", COMPARISON, "two plans and the verdict on the candidate"),
    CLOSED("ComparedPlan", COMPARED_PLAN, "one of the two plans, in short"),
    CLOSED("InputChange", INPUT_CHANGE, "a leaf of the request that is not the same"),
    CLOSED("Pair", PAIR, "a figure before and after"),
    CLOSED("RegimePair", REGIME_PAIR, "the regime before and after"),
    CLOSED("ClassPair", CLASS_PAIR, "the dominant class before and after"),
    CLOSED("ClassDelta", CLASS_DELTA, "one cost class before and after"),
    CLOSED("StepDelta", STEP_DELTA, "a step before and after"),
    CLOSED("LatencyPairs", LATENCY_PAIRS, "milliseconds"),
    CLOSED("ThroughputPairs", THROUGHPUT_PAIRS, "per second"),
    CLOSED("MemoryPairs", MEMORY_PAIRS, "of one device"),
};

const int N_CHECK_SCHEMAS = (int)ARRAY_LEN(CHECK_SCHEMAS);
