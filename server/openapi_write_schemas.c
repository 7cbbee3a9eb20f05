/*
 * openapi_write_schemas.c - the shapes of what is posted.
 */
#include "anchor.h"
#include "openapi_rows.h"
#include "openapi_schemas.h"

static const char *anchor_kind_at(int index)
{
    return anchor_kind_name((enum anchor_kind)index);
}

static const char *doubt_at(int index)
{
    return anchor_doubt_name((enum anchor_doubt)(index + 1)); /* the first is "" */
}

static const struct schema_member POSTED_SOURCE[] = {
    TEXT("title", 0, NULL),
    TEXT("kind", 0, "measurement, repo, paper, blog, docs, log, recall, ..."),
    TEXT("url", OPTIONAL | NULLABLE, "http or https"),
    TEXT("date", OPTIONAL | NULLABLE, NULL),
    TEXT("license", OPTIONAL | NULLABLE, NULL),
    TEXT("why", OPTIONAL, "kept with the revision; of POST /v1/sources"),
};

static const struct schema_member POSTED_ANCHOR[] = {
    TEXT("model", 0, "an id or any name; a format at its end counts as weights"),
    TEXT("hardware", 0, "an id, any name, or what a tool prints"),
    TEXT("engine", 0, NULL),
    TEXT("engine_version", OPTIONAL | NULLABLE, NULL),
    TEXT("backend", OPTIONAL | NULLABLE, "of llama.cpp"),
    TEXT("weights", OPTIONAL, "needed unless the model's name ends in it"),
    TEXT("kv_cache", OPTIONAL | NULLABLE, NULL),
    NUMBER("n_devices", OPTIONAL | NULLABLE, "tp x pp x dp when it is not said"),
    ANYTHING("parallelism", OPTIONAL, "tp, pp, dp, ep, expert_tp"),
    ANYTHING("workload", 0, "input_tokens, output_tokens, concurrency or request_rate, ..."),
    ANYTHING("conditions", OPTIONAL, "any other condition that an anchor shows, by its name"),
    ANYTHING("metrics", 0,
             "means; with _p50, _p90, _p95, _p99, _min or _max behind it another "
             "statistic: tpot_ms, ttft_ms_p99, output_tok_s"),
    OBJECT("source", 0, "PostedSource"),
    ENUM("kind", OPTIONAL, anchor_kind_at, ANCHOR_KIND_COUNT, "serving when it is not said"),
    TEXT("id", OPTIONAL, "made of what the record says when it is not given"),
    TEXT("title", OPTIONAL, NULL),
    TEXT("measured_on", OPTIONAL, "a date"),
    TEXT("notes", OPTIONAL, NULL),
    TEXT("why", OPTIONAL, "kept with the revision"),
    TEXT("answers", LIST | OPTIONAL, "ids of stated gaps that it closes"),
};

static const struct schema_member POSTED_RECORD[] = {
    TEXT("id", 0, NULL),
    TEXT("name", 0, NULL),
    TEXT("why", OPTIONAL, "kept with the revision"),
};

static const struct schema_member POSTED_DISPUTE[] = {
    TEXT("kind", 0, "of the record: model, hardware, anchor, ..."),
    TEXT("id", 0, NULL),
    TEXT("field", 0, NULL),
    ANYTHING("value", 0, "what the source says instead"),
    OBJECT("source", 0, "PostedSource"),
    TEXT("why", 0, NULL),
    ENUM("flag", OPTIONAL, doubt_at, ANCHOR_DOUBT_COUNT - 1,
         "of an anchor: it is evidence for nothing any more"),
};

static const char *upload_status_at(int index)
{
    static const char *const STATUS[] = {"added", "exists", "would be added"};

    return STATUS[index];
}

static const struct schema_member UPLOADED_RUN[] = {
    TEXT("id", 0, "of the anchor"),
    ENUM("status", 0, upload_status_at, 3, NULL),
    TEXT("url", OPTIONAL, NULL),
    ANYTHING("record", 0, "how the run was read, in the language of the bundled records"),
};

static const struct schema_member UPLOAD[] = {
    TEXT("tool", 0, "that wrote the file"),
    BOOLEAN("dry_run", 0, NULL),
    NUMBER("added", 0, NULL),
    NUMBER("existing", 0, "runs that were there already"),
    OBJECT("items", LIST, "UploadedRun"),
};

static const struct schema_member BACKUP[] = {
    TEXT("file", 0, "its name in the daemon's folder; the time is UTC"),
    NUMBER("bytes", 0, NULL),
    NUMBER("schema_version", 0, NULL),
    NUMBER("seconds", 0, "that it took"),
    NUMBER("removed", 0, "older copies, beyond those that are kept"),
};

const struct schema WRITE_SCHEMAS[] = {
    CLOSED("Backup", BACKUP, "a copy of the store"),
    CLOSED("UploadedRun", UPLOADED_RUN, "a run of a file"),
    CLOSED("Upload", UPLOAD, "what became of a file"),
    CLOSED("PostedSource", POSTED_SOURCE, "where a figure is from"),
    CLOSED("PostedAnchor", POSTED_ANCHOR, "a measurement that is added"),
    OPEN("PostedRecord", POSTED_RECORD,
         "a model or a part in the language of its bundled records, "
         "with \"source\" or \"sources\""),
    CLOSED("PostedDispute", POSTED_DISPUTE, "a doubt about a record"),
};

const int N_WRITE_SCHEMAS = (int)ARRAY_LEN(WRITE_SCHEMAS);
