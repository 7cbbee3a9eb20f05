/* The shapes of the memory part of plans. */
#include "openapi_rows.h"
#include "plan.h"

static const char *basis_at(int index)
{
    return basis_name((enum basis)index);
}

static const struct schema_member DEVICE_MEMORY[] = {
    NUMBER("total_bytes", NULLABLE, "as the driver reports it"),
    NUMBER("usable_bytes", NULLABLE, "what the engine's rule lets it take"),
    NUMBER("weights_bytes", NULLABLE, NULL),
    NUMBER("kv_bytes", NULLABLE, "the pool"),
    NUMBER("kv_bytes_low", NULLABLE, "the pool when every term is at its high end"),
    NUMBER("kv_bytes_high", NULLABLE, "the pool when every term is at its low end"),
    NUMBER("activation_bytes", NULLABLE, NULL),
    NUMBER("overhead_bytes", NULLABLE, NULL),
};

static const char *memory_term_at(int index)
{
    return memory_term_name((enum memory_term_id)index);
}

static const char *kv_kind_at(int index)
{
    return kv_kind_name((enum kv_kind)index);
}

static const char *memory_verdict_at(int index)
{
    return memory_verdict_name((enum memory_verdict)index);
}

static const struct schema_member MEMORY_TERM[] = {
    ENUM("term", 0, memory_term_at, MEMORY_TERM_COUNT, NULL),
    TEXT("title", 0, NULL),
    NUMBER("bytes", 0, NULL),
    NUMBER("low_bytes", 0, NULL),
    NUMBER("high_bytes", 0, NULL),
    BOOLEAN("in_budget", 0, "whether it makes the pool smaller, or takes what the budget leaves"),
    TEXT("formula", NULLABLE, NULL),
    ENUM("basis", 0, basis_at, BASIS_COUNT, NULL),
    TEXT("rule", NULLABLE, "GET /v1/memory-rules/{id} shows its constant, versions and source"),
};

static const struct schema_member KV_GROUP[] = {
    ENUM("kind", 0, kv_kind_at, KV_KIND_COUNT, NULL),
    NUMBER("layers", 0, NULL),
    NUMBER("tables", 0, "block tables that these layers are split over"),
    NUMBER("bytes_per_token", 0, "of one layer"),
    NUMBER("state_bytes", 0, "of one layer and sequence"),
    NUMBER("window_tokens", 0, NULL),
    NUMBER("block_tokens", 0, NULL),
    NUMBER("page_bytes", 0, "of one layer, padding included"),
};

static const struct schema_member KV_LAYOUT[] = {
    TEXT("unit", NULLABLE, "what the engine counts its pool in"),
    NUMBER("unit_bytes", NULLABLE, NULL),
    NUMBER("units", NULLABLE, NULL),
    OBJECT("groups", LIST, "KvGroup"),
};

static const struct schema_member MEMORY_CHANGE[] = {
    TEXT("id", 0, NULL),
    ANYTHING("change", 0, "JSON pointers into the request and their new values"),
    TEXT("why", 0, NULL),
    BOOLEAN("fits", 0, "with the change, as memory.fits"),
    ENUM("verdict", 0, memory_verdict_at, MEMORY_VERDICT_COUNT, NULL),
    NUMBER("kv_bytes", NULLABLE, NULL),
    NUMBER("kv_token_capacity", NULLABLE, NULL),
    NUMBER("max_concurrency", NULLABLE, NULL),
    NUMBER("devices", NULLABLE, NULL),
};

static const struct schema_member MEMORY[] = {
    BOOLEAN("fits", 0, "weights, overhead and one request of these lengths fit on each device"),
    ENUM("verdict", 0, memory_verdict_at, MEMORY_VERDICT_COUNT,
         "the same over the range of the pool: unknown when it straddles what is needed"),
    NUMBER("short_by_bytes", 0, "what the pool of one device lacks; 0 when it fits"),
    OBJECT("per_device", 0, "DeviceMemory"),
    TEXT("pool_formula", 0, NULL),
    OBJECT("terms", LIST, "MemoryTerm"),
    OBJECT("layout", 0, "KvLayout"),
    NUMBER("kv_bytes_per_token", NULLABLE, NULL),
    NUMBER("kv_bytes_per_token_beyond_window", NULLABLE, NULL),
    NUMBER("state_bytes_per_sequence", NULLABLE, NULL),
    NUMBER("kv_token_capacity", NULLABLE, "of one engine core"),
    NUMBER("max_concurrency", NULLABLE, "at input and output of this workload"),
    NUMBER("max_concurrency_at_max_model_len", NULLABLE, NULL),
    NUMBER("longest_context_tokens", NULLABLE, "of one sequence, up to what the model states"),
    NUMBER("held_sequences", NULLABLE, NULL),
    OBJECT("changes", LIST, "MemoryChange"),
    ANYTHING("assumed", 0, "JSON pointers of defaults that enter memory, and their values"),
    ENUM("basis", 0, basis_at, BASIS_COUNT, NULL),
};

static const struct schema_member MEMORY_SUMMARY[] = {
    BOOLEAN("fits", 0, NULL),
    NUMBER("kv_token_capacity", NULLABLE, NULL),
    NUMBER("max_concurrency", NULLABLE, NULL),
};

const struct schema MEMORY_SCHEMAS[] = {
    CLOSED("Memory", MEMORY, "what fits"),
    CLOSED("MemorySummary", MEMORY_SUMMARY, "what fits, in short"),
    CLOSED("DeviceMemory", DEVICE_MEMORY, "bytes of one device"),
    CLOSED("MemoryTerm", MEMORY_TERM, "what takes memory beside the caches"),
    CLOSED("KvLayout", KV_LAYOUT, "how the pool is cut into pages"),
    CLOSED("KvGroup", KV_GROUP, "layers that keep the same"),
    CLOSED("MemoryChange", MEMORY_CHANGE, "a change with which the memory fits, smallest first"),
};

const int N_MEMORY_SCHEMAS = (int)ARRAY_LEN(MEMORY_SCHEMAS);
