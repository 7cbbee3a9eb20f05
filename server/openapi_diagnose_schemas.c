/* The shapes of diagnoses. */
#include "diagnose.h"
#include "observed_request.h"
#include "openapi_rows.h"

static const char *cause_at(int index)
{
    return cause_name((enum cause_id)index);
}

static const char *pass_at(int index)
{
    return pass_name((enum pass)index);
}

static const char *class_at(int index)
{
    return class_name((enum class_id)index);
}

static const char *basis_at(int index)
{
    return basis_name((enum basis)index);
}

static const char *regime_at(int index)
{
    return regime_name((enum regime_id)index);
}

static const char *origin_at(int index)
{
    return origin_name((enum origin)index);
}

static const struct schema_member DIAGNOSE_REQUEST[] = {
    ANYTHING("model", SCHEMA_OPTIONAL, "as of a plan; an unknown one is a note of the reply"),
    ANYTHING("hardware", SCHEMA_OPTIONAL, "as of a plan; an unknown one is a note of the reply"),
    ANYTHING("command", SCHEMA_OPTIONAL, "as of a plan"),
    ANYTHING("manifest", SCHEMA_OPTIONAL, "as of a plan"),
    ANYTHING("container", SCHEMA_OPTIONAL, "as of a plan"),
    ANYTHING("deployment", SCHEMA_OPTIONAL,
             "as of a plan; members by an engine's own names and texts in place of numbers are "
             "read as words and noted"),
    ANYTHING("workload", SCHEMA_OPTIONAL, "as of a plan"),
    ANYTHING("slo", SCHEMA_OPTIONAL, "as of a plan"),
    ANYTHING(
        "observed", SCHEMA_OPTIONAL,
        "quantities by name (those of a reply's observed.quantities, and tpot_ms, ttft_ms, "
        "itl_ms, prompt_tok_s, request_s, acceptance, sm_clock_mhz): a number, a text with one, "
        "of tpot_ms, ttft_ms and output_tok_s a list of {concurrency, value} as well; shares "
        "as fraction or percent; free names in \"other\""),
    ANYTHING("arms", SCHEMA_OPTIONAL,
             "runs that differ in something: a list of {name, change, figures by free names}"),
    ANYTHING("features", SCHEMA_OPTIONAL, "what is in use, in words: a text or a list of them"),
    ANYTHING("flags", SCHEMA_OPTIONAL, "flags of the launch, as text"),
    ANYTHING("metrics", SCHEMA_OPTIONAL, "scrapes of /metrics: a text or a list of them"),
    ANYTHING("log", SCHEMA_OPTIONAL, "lines of the engine's log"),
    ANYTHING("smi", SCHEMA_OPTIONAL, "what nvidia-smi or the like prints"),
    ANYTHING("changed", SCHEMA_OPTIONAL, "what changed before it began"),
    ANYTHING("symptom", SCHEMA_OPTIONAL, "what is seen, in words: weaker evidence than figures"),
    ANYTHING("title", SCHEMA_OPTIONAL, "the same"),
};

static const struct schema_member PLANNER_CURE[] = {
    TEXT("id", 0, "of /v1/cures"),
    BOOLEAN("helps", 0, "whether it gains 3 % somewhere for this deployment"),
    NUMBER("tpot", NULLABLE, "(after - before) / before"),
    NUMBER("ttft", NULLABLE, NULL),
    NUMBER("output_tok_s", NULLABLE, NULL),
    NUMBER("memory", NULLABLE, NULL),
};

static const struct schema_member RANKED_CAUSE[] = {
    ENUM("class", 0, cause_at, CAUSE_COUNT, NULL),
    TEXT("title", 0, NULL),
    ENUM("pass", 0, pass_at, PASS_COUNT, "where the time goes"),
    ENUM("planner_class", 0, class_at, CLASS_COUNT, "the budget's class that the time lies in"),
    NUMBER("score", 0,
           "0 to 1: the logistic of the prior and the weights of what holds; a lone sign "
           "caps it"),
    ENUM("basis", 0, basis_at, BASIS_COUNT,
         "of the heaviest evidence: measured (figures), derived (beside the budget), assumed "
         "(words)"),
    TEXT("for", LIST, "what speaks for it, heaviest first"),
    TEXT("for_sources", LIST, "what each of these rests on"),
    TEXT("against", LIST, "what speaks against it"),
    TEXT("against_sources", LIST, "what each of these rests on"),
    TEXT("check_next", 0, "the cheapest measurement or command that tells"),
    TEXT("cure", 0, "what to change"),
    TEXT("cure_source", 0, NULL),
    {"planner_cure", SHAPE_OBJECT, NULLABLE, "PlannerCure", NULL, 0, NULL},
};

static const struct schema_member BUDGET[] = {
    ENUM("regime", 0, regime_at, REGIME_COUNT, NULL),
    ENUM("dominant", 0, class_at, CLASS_COUNT, NULL),
    OBJECT("tpot_ms", 0, "Estimate"),
    OBJECT("ttft_ms", 0, "Estimate"),
    OBJECT("output_tok_s", 0, "Estimate"),
    NUMBER("step_us", NULLABLE, NULL),
    NUMBER("device_us", NULLABLE, NULL),
    NUMBER("host_us", NULLABLE, NULL),
    NUMBER("exposed_host_us", NULLABLE, NULL),
    NUMBER("seen_tpot_ms", NULLABLE, "time per token as it was seen; null where nobody said"),
    NUMBER("gap_ms", NULLABLE, "what was seen beyond the budget"),
    NUMBER("kv_token_capacity", NULLABLE, NULL),
    NUMBER("max_concurrency", NULLABLE, "sequences of these lengths that the pool holds"),
};

static const struct schema_member SEEN_QUANTITY[] = {
    TEXT("name", 0, NULL),
    NUMBER("value", 0, NULL),
    TEXT("from", 0, "field, metrics, log or smi"),
    TEXT("over", 0, "what it is a value of: stated, window, instant, lines, lifetime"),
};

static const struct schema_member SEEN_SIGN[] = {
    TEXT("id", 0, NULL),
    TEXT("text", 0, NULL),
    NUMBER("strength", 0, "0 to 1"),
    ENUM("origin", 0, origin_at, ORIGIN_COUNT, NULL),
};

static const struct schema_member SEEN_TOPIC[] = {
    TEXT("topic", 0, NULL),
    ENUM("origin", 0, origin_at, ORIGIN_COUNT, NULL),
    TEXT("with_it", LIST, "worse, better, same: how runs with more of it compare"),
};

static const char *from_at(int index)
{
    return observed_from_name((enum observed_from)index);
}

static const struct schema_member SEEN_READING[] = {
    ENUM("from", 0, from_at, FROM_COUNT, "which member of the request"),
    TEXT("format", NULLABLE, "what it was taken for; null when it is none that is known"),
    NUMBER("lines", 0, "that are not empty"),
    NUMBER("used", 0, "that gave a figure or a signal"),
    NUMBER("ignored", 0, "known, and of no meaning here"),
    NUMBER("unknown", 0, "not understood"),
    TEXT("unknown_names", LIST, "some of these"),
    BOOLEAN("truncated", 0, "it ends within a line or a family"),
};

static const struct schema_member SEEN[] = {
    OBJECT("quantities", LIST, "SeenQuantity"),
    OBJECT("signs", LIST, "SeenSign"),
    OBJECT("topics", LIST, "SeenTopic"),
    OBJECT("readings", LIST, "SeenReading"),
};

static const struct schema_member DIAGNOSIS[] = {
    BOOLEAN("healthy", 0, "measured speeds are what the budget gives, and nothing else was seen"),
    OBJECT("causes", LIST, "RankedCause"),
    OBJECT("ruled_out", LIST, "RankedCause"),
    TEXT("separate", NULLABLE, "the cheapest check that tells the first two apart"),
    TEXT("not_enough", LIST, "what would settle a cause that rests on too little"),
    {"expected", SHAPE_OBJECT, NULLABLE, "Budget", NULL, 0, NULL},
    OBJECT("observed", 0, "Seen"),
    TEXT("not_used", LIST, "figures and texts that no rule uses"),
    TEXT("notes", LIST, NULL),
};

static const struct schema_member CONDITION[] = {
    TEXT("is", 0, "sign, no sign, in use, worse with, better with, same with"),
    TEXT("of", 0, "the sign or the topic"),
};

static const struct schema_member CAUSE_SIGN[] = {
    OBJECT("when", LIST, "CauseCondition"),
    NUMBER("weight", 0, "logarithm of a likelihood ratio; below 0 it speaks against the cause"),
    TEXT("because", 0, NULL),
    TEXT("source", 0, "a url, or the physics it follows from"),
};

static const struct schema_member CAUSE[] = {
    ENUM("id", 0, cause_at, CAUSE_COUNT, NULL),
    TEXT("title", 0, NULL),
    ENUM("pass", 0, pass_at, PASS_COUNT, NULL),
    ENUM("planner_class", 0, class_at, CLASS_COUNT, NULL),
    NUMBER("prior", 0, "log odds before anything was seen"),
    TEXT("check_next", 0, NULL),
    TEXT("cure", 0, NULL),
    TEXT("planner_cure", NULLABLE, "of /v1/cures"),
    TEXT("source", 0, NULL),
    OBJECT("signs", LIST, "CauseSign"),
};

static const struct schema_member CAUSE_LIST_MEMBERS[] = {
    OBJECT("items", LIST, "Cause"),
    NUMBER("total", 0, NULL),
    TEXT("next_cursor", NULLABLE, "always null: the list is whole"),
};

const struct schema DIAGNOSE_SCHEMAS[] = {
    CLOSED("DiagnoseRequest", DIAGNOSE_REQUEST, "a deployment and what was seen of it"),
    CLOSED("Diagnosis", DIAGNOSIS, "causes, ranked, with the evidence"),
    CLOSED("RankedCause", RANKED_CAUSE, "a cause with what speaks for and against it"),
    CLOSED("PlannerCure", PLANNER_CURE, "the planner's own figures for that cure here"),
    CLOSED("Budget", BUDGET, "what the planner expects of the deployment"),
    CLOSED("Seen", SEEN, "what was understood of the request"),
    CLOSED("SeenQuantity", SEEN_QUANTITY, "a figure and where it is from"),
    CLOSED("SeenSign", SEEN_SIGN, "a sign and how sure it is"),
    CLOSED("SeenReading", SEEN_READING, "what became of a text of the request"),
    CLOSED("SeenTopic", SEEN_TOPIC, "what is in use, or what runs differ in"),
    CLOSED("CauseList", CAUSE_LIST_MEMBERS, "all causes that a diagnosis knows"),
    CLOSED("Cause", CAUSE, "a cause: its signs, check and cure"),
    CLOSED("CauseSign", CAUSE_SIGN, "what speaks for or against a cause, and how much"),
    CLOSED("CauseCondition", CONDITION, "what must hold for it"),
};

const int N_DIAGNOSE_SCHEMAS = (int)ARRAY_LEN(DIAGNOSE_SCHEMAS);
