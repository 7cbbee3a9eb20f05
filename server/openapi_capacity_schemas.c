/* openapi_capacity_schemas.c - schemas of memory against engine logs. */
#include "capacity.h"
#include "openapi_rows.h"

static const char *figure_at(int index)
{
    return capacity_figure_name((enum capacity_figure)index);
}

static const char *kind_at(int index)
{
    return capacity_kind_name((enum capacity_kind)index);
}

static const char *seen_at(int index)
{
    return capacity_verdict_name((enum capacity_verdict)index);
}

static const char *memory_at(int index)
{
    (void)index;
    return "memory";
}

static const struct schema_member MEMORY_GROUP[] = {
    ENUM("figure", 0, figure_at, CAPACITY_FIGURE_COUNT, "what a log prints"),
    TEXT("engine", NULLABLE, "null: all of them"),
    ENUM("kind", NULLABLE, kind_at, CAPACITY_KIND_COUNT, "of model; null: all of them"),
    NUMBER("n", 0, "logs that print the figure"),
    NUMBER("within_1_percent", 0, NULL),
    NUMBER("within_5_percent", 0, NULL),
    NUMBER("median", NULLABLE, "of the size of predicted/printed - 1"),
    NUMBER("p90", NULLABLE, "the same, 90th percentile"),
};

static const struct schema_member MEMORY_VERDICTS[] = {
    NUMBER("found", 0, "failed at start, and so planned over the whole range"),
    NUMBER("missed", 0, "failed at start, planned to fit over the whole range"),
    NUMBER("unknown", 0, "failed at start, planned either way"),
    NUMBER("found_expected", 0, "failed at start, fits: false by the expected figures"),
    NUMBER("started", 0, "started, and so planned"),
    NUMBER("false_alarms", 0, "started, planned to fail over the whole range"),
    NUMBER("started_unknown", 0, "started, planned either way"),
    NUMBER("false_alarms_expected", 0, "started, fits: false by the expected figures"),
};

static const struct schema_member MEMORY_FIGURE[] = {
    ENUM("figure", 0, figure_at, CAPACITY_FIGURE_COUNT, NULL),
    NUMBER("printed", 0, NULL),
    NUMBER("predicted", 0, NULL),
    NUMBER("error", 0, "0 where the printed figure is what some cache of that print gives"),
};

static const struct schema_member MEMORY_LOG[] = {
    TEXT("id", 0, "of a record under /v1/capacity"),
    TEXT("title", 0, NULL),
    TEXT("engine", NULLABLE, NULL),
    ENUM("kind", NULLABLE, kind_at, CAPACITY_KIND_COUNT, "of model"),
    TEXT("status", 0, "how much of it can be compared"),
    TEXT("status_reason", NULLABLE, NULL),
    TEXT("fault", NULLABLE, "why it is not planned"),
    ENUM("seen", NULLABLE, seen_at, 3, "how it started"),
    ENUM("planned", NULLABLE, seen_at, 3, NULL),
    OBJECT("figures", LIST, "MemoryFigure"),
    TEXT("notes", NULLABLE, NULL),
    TEXT("source_url", NULLABLE, NULL),
};

static const struct schema_member MEMORY_BACKTEST[] = {
    ENUM("set", 0, memory_at, 1, NULL),
    TEXT("note", 0, "what is compared"),
    OBJECT("groups", LIST, "MemoryGroup"),
    OBJECT("out_of_memory", 0, "MemoryVerdicts"),
    OBJECT("items", LIST, "MemoryLog"),
    NUMBER("total", 0, NULL),
    TEXT("next_cursor", NULLABLE, "always null: all logs are there"),
};

const struct schema CAPACITY_SCHEMAS[] = {
    CLOSED("MemoryBacktest", MEMORY_BACKTEST, "memory as planned against engine logs"),
    CLOSED("MemoryGroup", MEMORY_GROUP, "errors of one figure by engine and kind of model"),
    CLOSED("MemoryVerdicts", MEMORY_VERDICTS, "logs by whether they started and what was planned"),
    CLOSED("MemoryLog", MEMORY_LOG, "one log"),
    CLOSED("MemoryFigure", MEMORY_FIGURE, "a figure that it prints"),
};

const int N_CAPACITY_SCHEMAS = (int)ARRAY_LEN(CAPACITY_SCHEMAS);
