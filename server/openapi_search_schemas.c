/* The shapes of searches. */
#include "openapi_rows.h"
#include "search_work.h"

static const char *objective_at(int index)
{
    return search_objective_name((enum search_objective)index);
}

static const char *limit_at(int index)
{
    return search_limit_name((enum search_limit)index);
}

static const char *verdict_at(int index)
{
    return check_verdict_name((enum check_verdict)index);
}

static const char *basis_at(int index)
{
    return price_basis_name((enum price_basis)index);
}

static const char *price_kind_at(int index)
{
    return price_kind_name((enum price_kind)index);
}

static const char *regime_at(int index)
{
    return regime_name((enum regime_id)index);
}

static const char *class_at(int index)
{
    return class_name((enum class_id)index);
}

#define PRICE_BASES 4

static const struct schema_member SEARCH_REQUEST[] = {
    ANYTHING("model", OPTIONAL,
             "a model as in a plan, or a list of them; required, here or as "
             "`models`"),
    ANYTHING("models", OPTIONAL, "the same"),
    ANYTHING("hardware", OPTIONAL,
             "a part as in a plan, or a list of them; required, here or in the space"),
    ANYTHING("workload", OPTIONAL | NULLABLE, "the whole service's load, as in a plan"),
    ANYTHING("slo", OPTIONAL | NULLABLE, "objectives, as in a plan"),
    ANYTHING("deployment", OPTIONAL | NULLABLE, "leaves that are fixed, as in a plan"),
    OBJECT("space", OPTIONAL | NULLABLE, "SearchSpace"),
    ENUM("objective", OPTIONAL | NULLABLE, objective_at, OBJECTIVE_COUNT,
         "what the items are ranked by: cost (per output token), output of the whole deployment, "
         "time of a whole answer, or devices; cost when absent"),
    OBJECT("prices", OPTIONAL | NULLABLE, "SearchPrices"),
    NUMBER("limit", OPTIONAL | NULLABLE, "items, from 1 to 100; 10 when absent"),
};

static const struct schema_member SEARCHED[] = {
    ANYTHING("models", LIST, NULL),    ANYTHING("workload", 0, "with its defaults"),
    ANYTHING("slo", 0, NULL),          ANYTHING("deployment", 0, "leaves that are fixed"),
    OBJECT("space", 0, "SearchSpace"), ENUM("objective", 0, objective_at, OBJECTIVE_COUNT, NULL),
    NUMBER("limit", 0, NULL),
};

static const struct schema_member SEARCH[] = {
    OBJECT("request", 0, "Searched"),
    ENUM("objective", 0, objective_at, OBJECTIVE_COUNT, NULL),
    OBJECT("candidates", 0, "SearchCounts"),
    OBJECT("items", LIST, "SearchItem"),
    OBJECT("pareto", LIST, "SearchFront"),
    OBJECT("infeasible", NULLABLE, "SearchInfeasible"),
    OBJECT("assumed", LIST, "SearchAssumed"),
    OBJECT("warnings", LIST, "Warning"),
    OBJECT("prices", LIST, "SearchPrice"),
};

static const struct schema_member SEARCH_COUNTS[] = {
    NUMBER("total", 0, "candidates of the space"),
    OBJECT("filtered", 0, "SearchFiltered"),
    NUMBER("planned", 0, NULL),
    NUMBER("feasible", 0, "that keep every limit by their expected figures under a steady load"),
};

static const struct schema_member SEARCH_ITEM[] = {
    NUMBER("rank", 0, NULL),
    TEXT("model", 0, NULL),
    TEXT("hardware", 0, NULL),
    NUMBER("devices", 0, "of the whole deployment"),
    TEXT("engine", 0, NULL),
    TEXT("title", 0, "the deployment in a line"),
    ANYTHING("deployment", 0, "the leaves that make it, as a plan takes them"),
    ENUM("regime", 0, regime_at, REGIME_COUNT, NULL),
    ENUM("dominant_class", 0, class_at, CLASS_COUNT, NULL),
    OBJECT("latency", 0, "Latency"),
    OBJECT("throughput", 0, "Throughput"),
    NUMBER("per_device_tok_s", 0, "output tokens per second of one device"),
    OBJECT("memory", 0, "SearchMemory"),
    ENUM("slo_verdict", NULLABLE, verdict_at, CHECK_VERDICT_COUNT,
         "unknown where an interval straddles its limit; null without objectives"),
    OBJECT("cost", 0, "SearchCost"),
    OBJECT("energy", 0, "SearchEnergy"),
    TEXT("command", NULLABLE, "starts one replica, in the engine's own flags"),
    OBJECT("commands", NULL_LIST, "SearchCommand"),
    TEXT("not_in_command", LIST, "pointers of leaves that the engine has no flag for"),
    TEXT("plan", NULLABLE, "the path and query of its plan; null where it would be too long"),
    NUMBER("equals", 0, "candidates that it stands for: they differ by knobs without an effect"),
    TEXT("lost_by", NULLABLE, "why it ranks behind the one before it"),
};

static const struct schema_member SEARCH_MEMORY[] = {
    BOOLEAN("fits", 0, NULL),
    NUMBER("kv_token_capacity", NULLABLE, "of one engine core"),
    NUMBER("max_concurrency", NULLABLE, NULL),
    ANYTHING("per_device", 0, "bytes, as in a plan"),
};

static const struct schema_member SEARCH_COST[] = {
    NUMBER("usd_per_hour", NULLABLE, "of the whole deployment"),
    NUMBER("usd_per_million_output_tokens", NULLABLE, NULL),
    NUMBER("usd_per_million_tokens", NULLABLE, "input and output"),
    ENUM("basis", 0, basis_at, PRICE_BASES, NULL),
    OBJECT("price", 0, "SearchRate"),
};

static const struct schema_member SEARCH_RATE[] = {
    NUMBER("usd_per_device_hour", NULLABLE, NULL), TEXT("source", 0, "how it came about"),
    TEXT("date", NULLABLE, "of the newest row"),   NUMBER("rows", 0, "that it rests on"),
    NUMBER("low", NULLABLE, "of those rows"),      NUMBER("high", NULLABLE, NULL),
};

static const struct schema_member SEARCH_ENERGY[] = {
    NUMBER("upper_bound_w", NULLABLE, NULL),
    NUMBER("upper_bound_j_per_output_token", NULLABLE, NULL),
    TEXT("formula", 0, NULL),
    TEXT("basis", 0, "derived, or no record where the part states no TDP"),
};

static const struct schema_member SEARCH_COMMAND[] = {
    TEXT("role", 0, "replica, prefill or decode"),
    NUMBER("count", 0, "how many are started so"),
    TEXT("command", 0, NULL),
};

static const struct schema_member SEARCH_FRONT[] = {
    TEXT("model", 0, NULL),
    TEXT("hardware", 0, NULL),
    NUMBER("devices", 0, NULL),
    TEXT("engine", 0, NULL),
    TEXT("title", 0, NULL),
    ANYTHING("deployment", 0, NULL),
    NUMBER("per_user_tok_s", 0, NULL),
    NUMBER("per_device_tok_s", 0, NULL),
    NUMBER("ttft_ms", 0, NULL),
    NUMBER("tpot_ms", 0, NULL),
    NUMBER("usd_per_hour", NULLABLE, NULL),
    NUMBER("usd_per_million_output_tokens", NULLABLE, NULL),
    BOOLEAN("feasible", 0, "whether it keeps every limit"),
    NUMBER("rank", NULLABLE, "of its item"),
    TEXT("plan", NULLABLE, NULL),
};

static const struct schema_member SEARCH_INFEASIBLE[] = {
    ENUM("binding", NULLABLE, limit_at, LIMIT_COUNT, "the limit that the nearest exceeds most"),
    TEXT("detail", 0, NULL),
    OBJECT("nearest", NULLABLE, "SearchNearest"),
    ANYTHING("counts", 0, "candidates by the limits that they exceed"),
};

static const struct schema_member SEARCH_NEAREST[] = {
    TEXT("model", 0, NULL),
    TEXT("hardware", 0, NULL),
    NUMBER("devices", 0, NULL),
    TEXT("engine", 0, NULL),
    TEXT("title", 0, NULL),
    ANYTHING("deployment", 0, NULL),
    OBJECT("latency", 0, "Latency"),
    OBJECT("throughput", 0, "Throughput"),
    NUMBER("per_device_tok_s", NULLABLE, NULL),
    OBJECT("memory", 0, "SearchMemory"),
    NUMBER("by", 0, "the share by which it exceeds the binding limit"),
    TEXT("plan", NULLABLE, NULL),
};

static const struct schema_member SEARCH_ASSUMED[] = {
    TEXT("pointer", 0, NULL),
    TEXT("rule", 0, "what stands in the place of what the request left out"),
};

static const struct schema_member SEARCH_PRICE[] = {
    TEXT("hardware", 0, NULL),        ENUM("basis", 0, basis_at, PRICE_BASES, NULL),
    OBJECT("price", 0, "SearchRate"), TEXT("oldest", NULLABLE, NULL),
    TEXT("newest", NULLABLE, NULL),   OBJECT("records", LIST, "SearchPriceRow"),
};

static const struct schema_member SEARCH_PRICE_ROW[] = {
    TEXT("id", 0, "of a record under /v1/prices"),
    TEXT("provider", 0, NULL),
    ENUM("kind", 0, price_kind_at, PRICE_KIND_COUNT, NULL),
    NUMBER("usd_per_device_hour", 0, NULL),
    TEXT("date", NULLABLE, NULL),
    BOOLEAN("counts", 0, "whether the price shown rests on it"),
};

static const struct schema_member SEARCH_LINE[] = {
    OBJECT("progress", OPTIONAL, "SearchProgress"),
    OBJECT("result", OPTIONAL, "Search"),
};

static const struct schema_member SEARCH_PROGRESS[] = {
    NUMBER("done", 0, "candidates"),
    NUMBER("of", 0, NULL),
};

const struct schema SEARCH_SCHEMAS[] = {
    CLOSED("SearchRequest", SEARCH_REQUEST, "what is searched for, and where"),
    {"SearchSpace",
     "lists of values by the name of a field of a deployment (hardware, engine, weights, kv_cache, "
     "tp, pp, dp, ep, replicas, prefill_devices, chunked_prefill_tokens, max_num_seqs, "
     "speculative), and devices: a list of numbers or {\"min\", \"max\"}",
     true, NULL, 0},
    {"SearchPrices", "US dollars per device and hour by part; they go before those on record", true,
     NULL, 0},
    CLOSED("Search", SEARCH, "the best deployments"),
    CLOSED("Searched", SEARCHED, "what was asked"),
    CLOSED("SearchCounts", SEARCH_COUNTS, "candidates by what became of them"),
    {"SearchFiltered", "candidates that were refused before they were planned, by the reason", true,
     NULL, 0},
    CLOSED("SearchItem", SEARCH_ITEM, "a deployment that keeps every limit"),
    CLOSED("SearchMemory", SEARCH_MEMORY, "of one device"),
    CLOSED("SearchCost", SEARCH_COST, "in US dollars; null where no price is on record"),
    CLOSED("SearchRate", SEARCH_RATE, "the price of a device and what it rests on"),
    CLOSED("SearchEnergy", SEARCH_ENERGY, "what the devices draw at most"),
    CLOSED("SearchCommand", SEARCH_COMMAND, "how a part of the deployment is started"),
    CLOSED("SearchFront", SEARCH_FRONT,
           "a deployment that no other exceeds in both speed per user and output per device"),
    CLOSED("SearchInfeasible", SEARCH_INFEASIBLE, "why nothing keeps every limit"),
    CLOSED("SearchNearest", SEARCH_NEAREST, "the candidate that misses by the least"),
    CLOSED("SearchAssumed", SEARCH_ASSUMED, "a default that was taken"),
    CLOSED("SearchPrice", SEARCH_PRICE, "the price of a part, and every row on record"),
    CLOSED("SearchPriceRow", SEARCH_PRICE_ROW, "a price on record"),
    CLOSED("SearchLine", SEARCH_LINE, "a line: how far the search is; the last one is its result"),
    CLOSED("SearchProgress", SEARCH_PROGRESS, "how far a search is"),
};

const int N_SEARCH_SCHEMAS = (int)ARRAY_LEN(SEARCH_SCHEMAS);
