/* The shapes of tables of plans. */
#include "columns.h"
#include "openapi_rows.h"

static const struct schema_member SWEEP_REQUEST[] = {
    OBJECT("base", OPTIONAL | NULLABLE, "PlanPart"),
    OBJECT("axes", 0, "SweepAxes"),
    ENUM("columns", NULL_LIST | OPTIONAL, column_name, SCHEMA_UNTIL_NULL,
         "what is wanted of each point; when absent regime, dominant_class, ttft_ms, tpot_ms, "
         "output_tok_s, fits"),
    BOOLEAN("replay", OPTIONAL | NULLABLE,
            "whether each point's load is replayed request by request, as in a plan; when absent, "
            "up to 2,000 points are. Without it times under load are those of the closed cycle"),
};

static const struct schema_member SWEEP[] = {
    NUMBER("points", 0, "the product of the axes' lengths; the last axis turns fastest"),
    BOOLEAN("replayed", 0, "whether the loads were replayed, as in a plan"),
    OBJECT("axes", 0, "SweepAxes"),
    OBJECT("warnings", LIST, "Warning"),
    OBJECT("columns", 0, "SweepColumns"),
};

static const struct schema_member SWEEP_COLUMNS[] = {
    TEXT("why", LIST | NULLABLE, "the reason of a point that has no values"),
};

static const struct schema_member SWEEP_LINE[] = {
    TEXT("why", OPTIONAL | NULLABLE, "the reason of a point that has no values"),
    OBJECT("progress", OPTIONAL, "SweepProgress"),
};

static const struct schema_member SWEEP_PROGRESS[] = {
    NUMBER("points", 0, "sent so far"),
    NUMBER("of", 0, NULL),
};

const struct schema SWEEP_SCHEMAS[] = {
    CLOSED("SweepRequest", SWEEP_REQUEST, "what is varied, and what is wanted of each point"),
    {"SweepAxes",
     "values by the pointer of a request's field, such as /workload/concurrency: a list, or in a "
     "request a range {\"from\", \"to\", \"steps\", \"scale\": \"linear\" or \"log\"}",
     true, NULL, 0},
    CLOSED("Sweep", SWEEP, "a table of plans, by columns"),
    OPEN("SweepColumns", SWEEP_COLUMNS,
         "a list of one value per point by the pointer of each axis and the name of each column"),
    OPEN("SweepLine", SWEEP_LINE,
         "a line: a point, its values by the pointer of each axis and the name of each column; or, "
         "with ?progress=1, how far it is"),
    CLOSED("SweepProgress", SWEEP_PROGRESS, "how far a sweep is"),
};

const int N_SWEEP_SCHEMAS = (int)ARRAY_LEN(SWEEP_SCHEMAS);
