#include "openapi_schemas.h"

#include "anchor.h"
#include "backtest.h"
#include "openapi_rows.h"
#include "plan.h"

static const char *class_at(int index)
{
    return class_name((enum class_id)index);
}

static const char *pass_at(int index)
{
    return pass_name((enum pass)index);
}

static const char *bound_at(int index)
{
    return bound_name((enum bound)index);
}

static const char *tier_at(int index)
{
    return interval_tier_name((enum interval_tier)index);
}

static const char *basis_at(int index)
{
    return basis_name((enum basis)index);
}

static const char *regime_at(int index)
{
    return regime_name((enum regime_id)index);
}

static const char *phase_at(int index)
{
    return index == PHASE_DECODE ? "decode" : "prefill";
}

static const char *sampler_at(int index)
{
    static const char *const NAMES[] = {"device", "host"};
    return NAMES[index];
}

static const char *evidence_at(int index)
{
    static const char *const NAMES[] = {"measured", "no record"};
    return NAMES[index];
}

static const char *gap_status_at(int index)
{
    static const char *const NAMES[] = {"no record", "answered"};
    return NAMES[index];
}

static const char *direction_at(int index)
{
    static const char *const NAMES[] = {"up", "down", "other"};
    return NAMES[index];
}

static const struct schema_member PROBLEM[] = {
    TEXT("type", 0, "about:blank"),
    TEXT("title", 0, "the phrase of the status"),
    NUMBER("status", 0, NULL),
    TEXT("detail", 0, "what is wrong and what to do instead"),
    OBJECT("errors", LIST | OPTIONAL, "Fault"),
    NUMBER("errors_not_shown", OPTIONAL, "faults beyond the first hundred"),
};

static const struct schema_member FAULT[] = {
    TEXT("pointer", 0, "JSON pointer into the body, \"\" for the whole; ?name for an argument"),
    TEXT("detail", 0, "what was expected and what was found"),
    TEXT("suggestion", OPTIONAL, "the nearest known name"),
};

static const struct schema_member ESTIMATE[] = {
    NUMBER("floor", NULLABLE, "what physics allows at best"),
    NUMBER("expected", NULLABLE, "null where there is no record"),
    NUMBER("low", NULLABLE, "10th percentile by the errors seen"),
    NUMBER("high", NULLABLE, "90th percentile by the errors seen"),
    ENUM("basis", 0, basis_at, BASIS_COUNT, "where the expected value comes from"),
};

static const struct schema_member NEARNESS[] = {
    ENUM(
        "tier", 0, tier_at, INTERVAL_TIER_COUNT,
        "how near the nearest measured runs are; a cell is a model, part, engine and weight "
        "format. "
        "anchored: runs of the cell in the same layout and version correct the times; same_cell: "
        "runs of the cell in other layouts or versions do; same_model: the model on this engine in "
        "another cell; same_engine: other models alone, the interval is that of models never seen; "
        "neighbour_part: the part has no measured kernels, the interval is wider; unknown: nobody "
        "looked"),
    NUMBER("anchors", 0, "measured runs that the factors rest on"),
    NUMBER("tpot_factor", 0, "measured over predicted of those runs; it is in tpot_ms"),
    NUMBER("ttft_factor", 0, "the same of ttft_ms"),
};

static const struct schema_member ANSWERS[] = {
    NUMBER("concurrent_requests", NULLABLE, NULL),
    NUMBER("model_bytes", NULLABLE, NULL),
    NUMBER("context_tokens", NULLABLE, "input and half the output"),
    ENUM("sampler", 0, sampler_at, 2, NULL),
};

static const struct schema_member REGIME[] = {
    ENUM("id", 0, regime_at, REGIME_COUNT, "GET /v1/regimes/{id} explains it"),
    TEXT("seed_regime", NULLABLE, "letter of the seed document's regime"),
    TEXT("title", 0, NULL),
    TEXT("because", 0, "the reason, with its figures"),
    OBJECT("answers", 0, "Answers"),
};

static const struct schema_member DOMINANT[] = {
    ENUM("phase", 0, phase_at, 2, NULL),
    ENUM("class", 0, class_at, CLASS_COUNT, "GET /v1/classes/{id} explains it"),
    ENUM("pass", 0, pass_at, PASS_COUNT, NULL),
    ENUM("bound", 0, bound_at, BOUND_COUNT, NULL),
    NUMBER("share", NULLABLE, "of the step's critical path"),
};

static const struct schema_member FIT[] = {
    TEXT("id", 0, "GET /v1/calibrations/{id} shows it"),
    TEXT("hardware", OPTIONAL, "the part it was measured on"),
    TEXT("engine", NULLABLE, NULL),
    TEXT("engine_version", OPTIONAL, NULL),
    TEXT("op", 0, NULL),
    TEXT("dtype", OPTIONAL, NULL),
    TEXT("match", 0, "how near the fit is to what was asked: version, engine, type or part"),
    NUMBER("kernels", NULLABLE, "measured kernels behind it"),
    NUMBER("median_error", NULLABLE, NULL),
    NUMBER("p90_error", NULLABLE | OPTIONAL, NULL),
    NUMBER("devices", NULLABLE | OPTIONAL, NULL),
    BOOLEAN("graph", OPTIONAL, NULL),
};

static const struct schema_member CLASS[] = {
    ENUM("class", 0, class_at, CLASS_COUNT, NULL),
    ENUM("pass", 0, pass_at, PASS_COUNT, NULL),
    ENUM("bound", 0, bound_at, BOUND_COUNT, NULL),
    NUMBER("bytes", NULLABLE, "of one device's step, as all figures of a class"),
    NUMBER("flops", NULLABLE, NULL),
    NUMBER("link_bytes", NULLABLE, NULL),
    NUMBER("host_bytes", NULLABLE, NULL),
    NUMBER("weight_bytes", NULLABLE, NULL),
    NUMBER("launches", NULLABLE, NULL),
    NUMBER("floor_us", NULLABLE, NULL),
    NUMBER("expected_us", NULLABLE, NULL),
    NUMBER("fixed_us", NULLABLE, "launches and latencies that no bandwidth shortens"),
    NUMBER("memory_us", NULLABLE, NULL),
    NUMBER("compute_us", NULLABLE, NULL),
    NUMBER("share", NULLABLE, "of the step's critical path"),
    NUMBER("of_weight_read", NULLABLE, NULL),
    TEXT("formula", 0, "with the numbers of this plan"),
    ENUM("basis", 0, basis_at, BASIS_COUNT, NULL),
    OBJECT("fit", NULLABLE, "Fit"),
    TEXT("anchor", NULLABLE, "the measurement it rests on: GET /v1/anchors/{id}"),
};

#define STEP_FIGURES                                                                               \
    NUMBER("bytes", NULLABLE, NULL), NUMBER("flops", NULLABLE, NULL),                              \
        NUMBER("link_bytes", NULLABLE, NULL), NUMBER("weight_read_bytes", NULLABLE, NULL),         \
        NUMBER("arithmetic_intensity", NULLABLE, "flops per byte"),                                \
        NUMBER("ridge", NULLABLE, "flops per byte where compute begins to bind"),                  \
        NUMBER("floor_us", NULLABLE, NULL), NUMBER("expected_us", NULLABLE, NULL),                 \
        NUMBER("low_us", NULLABLE, NULL), NUMBER("high_us", NULLABLE, NULL),                       \
        ENUM("basis", 0, basis_at, BASIS_COUNT, NULL), NUMBER("device_us", NULLABLE, NULL),        \
        NUMBER("host_us", NULLABLE, NULL),                                                         \
        NUMBER("exposed_host_us", NULLABLE, "host time that the device waits for")

static const struct schema_member DECODE[] = {
    NUMBER("batch", NULLABLE, "rows of one rank in a step"),
    NUMBER("context_tokens", NULLABLE, "mean over the answer"),
    NUMBER("tokens_per_step", NULLABLE, NULL),
    STEP_FIGURES,
    OBJECT("dominant", 0, "Dominant"),
    OBJECT("classes", LIST, "Class"),
};

static const struct schema_member PREFILL[] = {
    NUMBER("tokens", NULLABLE, "new tokens of one request"),
    NUMBER("chunks", NULLABLE, NULL),
    STEP_FIGURES,
    NUMBER("linear_flops", NULLABLE, NULL),
    NUMBER("attention_flops", NULLABLE, NULL),
    NUMBER("kv_write_bytes", NULLABLE, NULL),
    NUMBER("crossover_tokens", NULLABLE, "where attention takes as many flops as the matrices"),
    NUMBER("attention_ridge_tokens", NULLABLE, NULL),
    NUMBER("attention_ridge_kv_only_tokens", NULLABLE, NULL),
    OBJECT("dominant", 0, "Dominant"),
    OBJECT("classes", LIST, "Class"),
};

static const struct schema_member LATENCY[] = {
    OBJECT("ttft_ms", 0, "Estimate"),
    OBJECT("tpot_ms", 0, "Estimate"),
    OBJECT("e2e_ms", 0, "Estimate"),
    OBJECT("nearness", 0, "Nearness"),
};

static const struct schema_member THROUGHPUT[] = {
    OBJECT("output_tok_s", 0, "Estimate"),
    OBJECT("per_user_tok_s", 0, "Estimate"),
    OBJECT("requests_s", 0, "Estimate"),
    OBJECT("max_request_rate", 0, "Estimate"),
};

static const struct schema_member MOVE[] = {
    TEXT("axis", 0, NULL),
    ENUM("direction", 0, direction_at, 3, NULL),
    ANYTHING("from", 0, "a number, or a name where the axis has names"),
    ANYTHING("at", 0, "where the regime changes; null when it does not within 1/64 to 64 times"),
    ENUM("to_regime", NULLABLE, regime_at, REGIME_COUNT, NULL),
    ENUM("to_class", NULLABLE, class_at, CLASS_COUNT, NULL),
};

static const struct schema_member EFFECT[] = {
    NUMBER("tpot", NULLABLE, "(after - before) / before, as all effects"),
    NUMBER("ttft", NULLABLE, NULL),
    NUMBER("output_tok_s", NULLABLE, NULL),
    NUMBER("memory", NULLABLE, NULL),
    NUMBER("devices", NULLABLE, NULL),
};

static const struct schema_member EVIDENCE[] = {
    TEXT("anchor", 0, "GET /v1/anchors/{id} shows it"),
};

static const struct schema_member CURE[] = {
    TEXT("id", 0, "GET /v1/cures/{id} explains it"),
    TEXT("title", 0, NULL),
    NUMBER("rank", NULLABLE, "1 helps most; null for what does not help"),
    ANYTHING("change", 0, "JSON pointers into the request and their new values"),
    TEXT("why", 0, NULL),
    TEXT("when_not", 0, NULL),
    OBJECT("effect", 0, "Effect"),
    ENUM("regime_after", 0, regime_at, REGIME_COUNT, NULL),
    ENUM("basis", 0, basis_at, BASIS_COUNT, NULL),
    OBJECT("evidence", LIST, "Evidence"),
    ENUM("evidence_status", 0, evidence_at, 2, NULL),
};

static const struct schema_member MEASURED_FIGURE[] = {
    NUMBER("value", 0, NULL),
    TEXT("anchor", 0, "GET /v1/anchors/{id} shows it"),
};

static const struct schema_member MEASURED[] = {
    OBJECT("ttft_ms", OPTIONAL, "MeasuredFigure"),
    OBJECT("tpot_ms", OPTIONAL, "MeasuredFigure"),
    OBJECT("output_tok_s", OPTIONAL, "MeasuredFigure"),
};

static const char *anchor_kind_at(int index)
{
    return anchor_kind_name((enum anchor_kind)index);
}

static const struct schema_member NEAR_ANCHOR[] = {
    TEXT("id", 0, "GET /v1/anchors/{id} shows it"),
    NUMBER("distance", 0, "0 is the same deployment and load"),
    BOOLEAN("exact", 0, "whether it was measured for what was planned"),
    ENUM("kind", 0, anchor_kind_at, ANCHOR_KIND_COUNT, NULL),
    ANYTHING("conditions", 0, "what it was measured under"),
    ANYTHING("metrics", 0, "its figures"),
};

static const struct schema_member GAP[] = {
    TEXT("id", 0, "GET /v1/gaps/{id} shows it"),
    ENUM("status", 0, gap_status_at, 2, NULL),
    TEXT("question", 0, "what nobody measured"),
    NUMBER("asked", 0, "times that it was asked"),
};

static const struct schema_member WARNING[] = {
    TEXT("id", 0, NULL),
    TEXT("pointer", NULLABLE, "JSON pointer into the request"),
    TEXT("detail", 0, NULL),
};

static const struct schema_member PLAN[] = {
    OBJECT("request", 0, "PlanRequest"),
    TEXT("assumed", LIST, "JSON pointers of the defaults taken"),
    ANYTHING("assumed_from", 0,
             "of these pointers, the launch that gave the value: GET "
             "/v1/launches/{id} shows it"),
    TEXT("ignored_flags", LIST, NULL),
    OBJECT("regime", 0, "Regime"),
    OBJECT("dominant", 0, "Dominant"),
    OBJECT("decode", 0, "Decode"),
    OBJECT("prefill", 0, "Prefill"),
    OBJECT("latency", 0, "Latency"),
    OBJECT("throughput", 0, "Throughput"),
    OBJECT("memory", 0, "Memory"),
    OBJECT("moves", LIST, "Move"),
    OBJECT("cures", LIST, "Cure"),
    OBJECT("non_cures", LIST, "Cure"),
    OBJECT("measured", 0, "Measured"),
    OBJECT("anchors", LIST, "NearAnchor"),
    OBJECT("gaps", LIST, "Gap"),
    OBJECT("warnings", LIST, "Warning"),
};

static const struct schema_member PLAN_SUMMARY_MEMBERS[] = {
    OBJECT("regime", 0, "Regime"),        OBJECT("dominant", 0, "Dominant"),
    OBJECT("latency", 0, "Latency"),      OBJECT("throughput", 0, "Throughput"),
    OBJECT("memory", 0, "MemorySummary"), OBJECT("cures", LIST, "Cure"),
    OBJECT("warnings", LIST, "Warning"),
};

static const struct schema_member PROVENANCE[] = {
    TEXT("field", 0, "the fields that the source states, * for all"),
    TEXT("source", NULLABLE, NULL),
    TEXT("kind", NULLABLE, NULL),
    TEXT("basis", OPTIONAL | NULLABLE, NULL),
    TEXT("url", NULLABLE, NULL),
    TEXT("date", NULLABLE, NULL),
    TEXT("license", OPTIONAL | NULLABLE, NULL),
    TEXT("source_id", OPTIONAL | NULLABLE, "GET /v1/sources/{id} shows it"),
};

static const struct schema_member RECORD[] = {
    TEXT("id", 0, NULL),
    OBJECT("provenance", LIST, "Provenance"),
    ANYTHING("disputes", LIST, "where sources disagree"),
    NUMBER("revision", 0, NULL),
};

#define PAGE_OF(NAME)                                                                              \
    OBJECT("items", LIST, NAME), NUMBER("total", 0, "of all pages"),                               \
        TEXT("next_cursor", NULLABLE, "?cursor= of the next page")

static const struct schema_member RECORD_LIST[] = {PAGE_OF("Record")};

static const char *prediction_at(int index)
{
    static const char *const NAMES[] = {"stored", "computed"};
    return NAMES[index];
}

static const struct schema_member ANCHOR_METRIC[] = {
    TEXT("metric", 0, NULL),
    TEXT("statistic", 0, NULL),
    NUMBER("value", 0, NULL),
    TEXT("unit", 0, NULL),
    NUMBER("predicted", OPTIONAL, "by the planner, the run itself left out"),
    NUMBER("low", OPTIONAL | NULLABLE, "10th percentile by the errors seen"),
    NUMBER("high", OPTIONAL | NULLABLE, "90th percentile by the errors seen"),
    NUMBER("residual", OPTIONAL, "measured/predicted - 1"),
    BOOLEAN("beyond_interval", OPTIONAL | NULLABLE, "a wrong record, or a wrong planner"),
    ENUM("prediction", OPTIONAL, prediction_at, 2, "recorded by the calibration, or planned now"),
};

static const struct schema_member ANCHOR[] = {
    TEXT("id", 0, NULL),
    TEXT("title", 0, NULL),
    TEXT("kind", 0, NULL),
    NUMBER("distance", OPTIONAL, "from what was asked, where nothing matched"),
    TEXT("model", NULLABLE, "as the source writes it"),
    TEXT("model_id", NULLABLE, "null when it is not in the catalogue"),
    TEXT("hardware", NULLABLE, "as the source writes it"),
    TEXT("hardware_id", NULLABLE, NULL),
    TEXT("engine", NULLABLE, NULL),
    TEXT("engine_id", NULLABLE, NULL),
    ANYTHING("conditions", 0, "what was measured under"),
    OBJECT("metrics", LIST, "AnchorMetric"),
    ANYTHING("disputed", 0, "why it is used for nothing; null when it is not disputed"),
    TEXT("flag", NULLABLE, "the same as one word, for programs"),
    OBJECT("provenance", LIST, "Provenance"),
    NUMBER("revision", 0, NULL),
};

static const struct schema_member ANCHOR_LIST[] = {
    TEXT("status", OPTIONAL, "no record, when nothing matches"),
    PAGE_OF("Anchor"),
    OBJECT("nearest", LIST | OPTIONAL, "Anchor"),
    OBJECT("gap", NULLABLE | OPTIONAL, "Gap"),
};

static const char *set_at(int index)
{
    return backtest_set_name((enum backtest_set)index);
}

static const char *holdout_at(int index)
{
    return holdout_name((enum holdout)index);
}

static const char *dimension_at(int index)
{
    return backtest_dimension_name((enum backtest_dimension)index);
}

static const char *cause_at(int index)
{
    static const char *const NAMES[] = {"known", "inferred", "unknown"};
    return NAMES[index];
}

static const struct schema_member BACKTEST_ERRORS[] = {
    NUMBER("n", 0, "figures with that prediction"),
    NUMBER("median", NULLABLE, "of the size of predicted/measured - 1"),
    NUMBER("p90", NULLABLE, "the same, 90th percentile"),
    NUMBER("bias", NULLABLE, "median of predicted/measured - 1"),
    NUMBER("inside", NULLABLE, "share inside the 80 % interval of the rows"),
    NUMBER("covered", NULLABLE, "share inside one drawn without the run's own cell"),
};

static const struct schema_member BACKTEST_GROUP_ERRORS[] = {
    OBJECT("nothing", OPTIONAL, "BacktestErrors"),
    OBJECT("run", OPTIONAL, "BacktestErrors"),
    OBJECT("cell", OPTIONAL, "BacktestErrors"),
    OBJECT("model", OPTIONAL, "BacktestErrors"),
};

static const struct schema_member BACKTEST_GROUP[] = {
    ENUM("by", 0, dimension_at, DIMENSION_COUNT, NULL),
    TEXT("value", 0, NULL),
    TEXT("metric", 0, NULL),
    NUMBER("n", 0, NULL),
    OBJECT("left_out", 0, "BacktestGroupErrors"),
};

static const struct schema_member BACKTEST_VALUE[] = {
    NUMBER("predicted", 0, NULL),
    NUMBER("error", 0, "predicted/measured - 1"),
    NUMBER("low", NULLABLE, "10th percentile by the errors of its tier"),
    NUMBER("high", NULLABLE, "90th percentile"),
    BOOLEAN("inside", NULLABLE, "whether the measured figure lies between them"),
    ENUM("tier", 0, tier_at, INTERVAL_TIER_COUNT, "how near the nearest runs are"),
};

static const struct schema_member BACKTEST_ROW_VALUES[] = {
    OBJECT("nothing", OPTIONAL, "BacktestValue"),
    OBJECT("run", OPTIONAL, "BacktestValue"),
    OBJECT("cell", OPTIONAL, "BacktestValue"),
    OBJECT("model", OPTIONAL, "BacktestValue"),
};

static const struct schema_member BACKTEST_SOURCE[] = {
    TEXT("id", NULLABLE, "GET /v1/sources/{id} shows it; null of an explanation"),
    TEXT("title", NULLABLE, NULL),
    TEXT("url", NULLABLE, NULL),
};

static const struct schema_member BACKTEST_EXPLANATION[] = {
    ENUM("cause", 0, cause_at, 3, "known by a source, inferred from other rows, or not known"),
    TEXT("why", 0, NULL),
    OBJECT("source", NULLABLE, "BacktestSource"),
};

static const struct schema_member BACKTEST_LINKS[] = {
    TEXT("anchor", NULLABLE, "the measurement"),
    TEXT("plan", NULLABLE, "GET /v1/plan under the same conditions"),
};

static const struct schema_member BACKTEST_ROW[] = {
    TEXT("anchor", 0, NULL),
    TEXT("metric", 0, NULL),
    TEXT("unit", 0, NULL),
    NUMBER("measured", 0, NULL),
    OBJECT("left_out", 0, "BacktestRowValues"),
    ANYTHING("conditions", 0, "what it was measured under"),
    OBJECT("explanation", NULLABLE, "BacktestExplanation"),
    OBJECT("links", 0, "BacktestLinks"),
    OBJECT("source", 0, "BacktestSource"),
};

static const struct schema_member BACKTEST_OTHERS[] = {
    ENUM("set", 0, set_at, SET_COUNT, NULL), TEXT("note", 0, NULL), NUMBER("total", 0, NULL),
    OBJECT("groups", LIST, "BacktestGroup"), TEXT("link", 0, NULL),
};

static const struct schema_member BACKTEST[] = {
    ENUM("set", 0, set_at, SET_COUNT, NULL),
    TEXT("note", 0, "what the predictions of the set are"),
    OBJECT("groups", LIST, "BacktestGroup"),
    OBJECT("other_sets", LIST, "BacktestOthers"),
    TEXT("sorted_by", 0, NULL),
    ENUM("left_out", 0, holdout_at, HOLDOUT_COUNT, "whose errors rows are sorted by"),
    PAGE_OF("BacktestRow"),
};

static const struct schema_member GAP_RECORD[] = {
    TEXT("id", 0, NULL),
    TEXT("kind", 0, "stated, or asked of this service"),
    ENUM("status", 0, gap_status_at, 2, NULL),
    TEXT("question", 0, NULL),
    ANYTHING("answer", 0, "the measurement that would close it"),
    NUMBER("asked", 0, NULL),
    NUMBER("width", NULLABLE,
           "the mean of ln(high/low) of what an answer would fix; null of what "
           "nobody asked"),
    NUMBER("rank", 0, "asked * width; 0 once answered"),
    TEXT("first_asked", NULLABLE, NULL),
    TEXT("last_asked", NULLABLE, NULL),
    ANYTHING("answered_by", OPTIONAL, "the anchor that closed it, or a list of records"),
};

static const struct schema_member GAP_LIST[] = {
    PAGE_OF("GapRecord"),
    TEXT("rank_formula", 0, "what rank and width are"),
};

static const struct schema_member INDEX_ROW[] = {
    TEXT("path", 0, NULL),
    TEXT("methods", 0, NULL),
    TEXT("summary", 0, NULL),
    TEXT("media_types", LIST, NULL),
};

static const struct schema_member INDEX[] = {PAGE_OF("IndexRow")};

static const struct schema_member HEALTH[] = {TEXT("status", 0, NULL)};

static const struct schema_member READINESS[] = {
    TEXT("status", 0, NULL),         TEXT("store", 0, NULL),    NUMBER("schema_version", 0, NULL),
    TEXT("records", NULLABLE, NULL), TEXT("revision", 0, NULL),
};

static const struct schema_member VERSION[] = {
    TEXT("name", 0, NULL),           TEXT("version", 0, NULL),  TEXT("api", 0, NULL),
    TEXT("compiler", 0, NULL),       TEXT("store", 0, NULL),    NUMBER("schema_version", 0, NULL),
    TEXT("records", NULLABLE, NULL), TEXT("revision", 0, NULL),
};

static const struct schema_member DESCRIPTION[] = {
    TEXT("openapi", 0, NULL),
    ANYTHING("info", 0, NULL),
    ANYTHING("paths", 0, NULL),
    ANYTHING("components", 0, NULL),
};

static const struct schema_member GGUF_TYPE_SUM[] = {
    TEXT("type", 0, "of ggml"), NUMBER("tensors", 0, NULL),         NUMBER("elements", 0, NULL),
    NUMBER("bytes", 0, NULL),   NUMBER("bits_per_weight", 0, NULL),
};

static const struct schema_member GGUF_ROLE_SUM[] = {
    TEXT("role", 0, NULL),    NUMBER("tensors", 0, NULL),         NUMBER("elements", 0, NULL),
    NUMBER("bytes", 0, NULL), NUMBER("bits_per_weight", 0, NULL),
};

static const struct schema_member GGUF_MODEL[] = {
    TEXT("architecture", 0, "general.architecture"),
    TEXT("name", NULLABLE, "general.name"),
    NUMBER("gguf_version", 0, NULL),
    TEXT("weights", 0, "the weight format"),
    NUMBER("tensors", 0, NULL),
    NUMBER("params_total", 0, "elements of all tensors, without towers and MTP layers"),
    NUMBER("weights_bytes", 0, "from the first tensor to the last"),
    NUMBER("header_bytes", 0, NULL),
    NUMBER("file_bytes", 0, NULL),
    OBJECT("by_type", LIST, "GgufTypeSum"),
    OBJECT("by_role", LIST, "GgufRoleSum"),
    ANYTHING("model", 0, "what /v1/plan takes as its model"),
    TEXT("warnings", LIST, NULL),
};

const struct schema SCHEMAS[] = {
    CLOSED("GgufModel", GGUF_MODEL, "a GGUF file by its header"),
    CLOSED("GgufTypeSum", GGUF_TYPE_SUM, "its tensors of one type"),
    CLOSED("GgufRoleSum", GGUF_ROLE_SUM, "its tensors of one role"),
    CLOSED("Problem", PROBLEM, "what cannot be answered (RFC 9457)"),
    CLOSED("Fault", FAULT, "one fault of a request"),
    CLOSED("Plan", PLAN, "a deployment, computed"),
    CLOSED("PlanSummary", PLAN_SUMMARY_MEMBERS, "what a pipeline reads of a plan"),
    CLOSED("Regime", REGIME, "which kind of limit the deployment runs into"),
    CLOSED("Answers", ANSWERS, "the questions that decide a regime"),
    CLOSED("Dominant", DOMINANT, "the class that takes most"),
    CLOSED("Decode", DECODE, "one decode step of one device"),
    CLOSED("Prefill", PREFILL, "the prefill of one request"),
    CLOSED("Class", CLASS, "one cost class of a step"),
    CLOSED("Fit", FIT, "the measured kernels or collectives behind a time"),
    CLOSED("Latency", LATENCY, "milliseconds"),
    CLOSED("Throughput", THROUGHPUT, "per second"),
    CLOSED("Nearness", NEARNESS, "measured runs near the deployment"),
    CLOSED("Estimate", ESTIMATE, "a figure with its floor, its spread and its basis"),
    CLOSED("Move", MOVE, "the nearest change of regime along one axis"),
    CLOSED("Cure", CURE, "a change and what it would do"),
    CLOSED("Effect", EFFECT, "relative changes; 0.1 is a tenth more"),
    CLOSED("Evidence", EVIDENCE, "a measurement of the cure"),
    CLOSED("Measured", MEASURED, "what was measured for exactly this plan"),
    CLOSED("MeasuredFigure", MEASURED_FIGURE, "a figure and its measurement"),
    CLOSED("NearAnchor", NEAR_ANCHOR, "a measurement near this plan"),
    CLOSED("Gap", GAP, "what nobody measured"),
    CLOSED("Warning", WARNING, "what the plan had to bend or could not know"),
    OPEN("Record", RECORD, "one record; its other members depend on its kind"),
    CLOSED("RecordList", RECORD_LIST, "a page of records"),
    CLOSED("Provenance", PROVENANCE, "which source states which fields"),
    OPEN("Anchor", ANCHOR, "a measurement with its conditions"),
    CLOSED("AnchorMetric", ANCHOR_METRIC, "one measured figure"),
    CLOSED("AnchorList", ANCHOR_LIST, "a page of measurements, or the nearest ones"),
    CLOSED("Backtest", BACKTEST, "predicted against measured"),
    CLOSED("BacktestGroup", BACKTEST_GROUP, "rows of one value of a dimension, of one metric"),
    CLOSED("BacktestGroupErrors", BACKTEST_GROUP_ERRORS, "by what had no part in a prediction"),
    CLOSED("BacktestErrors", BACKTEST_ERRORS, "how far predictions lie from measurements"),
    CLOSED("BacktestRow", BACKTEST_ROW, "one measured figure and what is predicted of it"),
    CLOSED("BacktestRowValues", BACKTEST_ROW_VALUES, "by what had no part in a prediction"),
    CLOSED("BacktestValue", BACKTEST_VALUE, "a prediction and its 80 % interval"),
    CLOSED("BacktestExplanation", BACKTEST_EXPLANATION, "why a figure is so far off"),
    CLOSED("BacktestLinks", BACKTEST_LINKS, "where to read on"),
    CLOSED("BacktestSource", BACKTEST_SOURCE, "where it is from"),
    CLOSED("BacktestOthers", BACKTEST_OTHERS, "another set, in short"),
    OPEN("GapRecord", GAP_RECORD, "a question without a record"),
    CLOSED("GapList", GAP_LIST, "a page of gaps: by rank, then most asked first"),
    CLOSED("IndexRow", INDEX_ROW, "one route"),
    CLOSED("Index", INDEX, "the routes"),
    CLOSED("Health", HEALTH, "the process answers"),
    CLOSED("Readiness", READINESS, "the store is open and migrated"),
    CLOSED("Version", VERSION, "what runs here"),
    OPEN("Description", DESCRIPTION, "this document"),
};

const int N_SCHEMAS = (int)ARRAY_LEN(SCHEMAS);
