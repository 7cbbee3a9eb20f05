/*
 * routes.c - the table of routes. A new endpoint is a row here, its handler and a case in
 * tests/api.
 *
 * The order is that of the API's index; the first row whose path fits is taken.
 */
#include "routes.h"

#include "admin_route.h"
#include "anchors.h"
#include "attribute_route.h"
#include "backtest_page.h"
#include "backtest_route.h"
#include "check_route.h"
#include "compare_route.h"
#include "diagnose_route.h"
#include "docs.h"
#include "gaps_route.h"
#include "gguf_route.h"
#include "health.h"
#include "index.h"
#include "kernels_route.h"
#include "negotiate.h"
#include "openapi.h"
#include "page.h"
#include "plan_route.h"
#include "post_route.h"
#include "records.h"
#include "request_limits.h"
#include "search_route.h"
#include "shell.h"
#include "sweep_route.h"
#include "tokens.h"
#include "upload_route.h"

#define GET (1u << METHOD_GET)
#define POST (1u << METHOD_POST)

static const char *const JSON_TEXT[] = {MEDIA_JSON, MEDIA_TEXT, NULL};
static const char *const JSON_ONLY[] = {MEDIA_JSON, NULL};
static const char *const TABLE[] = {MEDIA_JSON, MEDIA_CSV, MEDIA_NDJSON, NULL};
static const char *const SEARCH[] = {MEDIA_JSON, MEDIA_TEXT, MEDIA_CSV, MEDIA_NDJSON, NULL};
static const char *const JSON_CSV[] = {MEDIA_JSON, MEDIA_CSV, NULL};
static const char *const JSON_TEXT_CSV[] = {MEDIA_JSON, MEDIA_TEXT, MEDIA_CSV, NULL};
static const char *const JSON_TEXT_HTML[] = {MEDIA_JSON, MEDIA_TEXT, MEDIA_HTML, NULL};
static const char *const HTML_JSON_TEXT[] = {MEDIA_HTML, MEDIA_JSON, MEDIA_TEXT, NULL};
static const char *const VERDICT[] = {MEDIA_JSON,     MEDIA_TEXT,   MEDIA_JUNIT,  MEDIA_XML,
                                      MEDIA_TEXT_XML, MEDIA_GITHUB, MEDIA_GITLAB, NULL};
/* What describes a deployment. */
static const char *const DESCRIPTIONS[] = {
    MEDIA_JSON, MEDIA_TEXT, MEDIA_YAML, MEDIA_X_YAML, MEDIA_TEXT_YAML, MEDIA_TEXT_X_YAML, NULL};
/* Results of load generators: an object, a list, or lines of objects. */
static const char *const RESULTS[] = {MEDIA_JSON, MEDIA_NDJSON, MEDIA_TEXT, NULL};
/* The first bytes of a file. */
static const char *const BINARY[] = {MEDIA_BINARY, NULL};
/* Profiles, whose own first bytes tell what they are, whatever the client calls them. */
static const char *const PROFILES[] = {MEDIA_JSON, MEDIA_TEXT,     MEDIA_CSV,
                                       MEDIA_GZIP, MEDIA_X_GZIP,   MEDIA_BINARY,
                                       MEDIA_FORM, MEDIA_MARKDOWN, NULL};
static const char *const HTML[] = {MEDIA_HTML, NULL};
static const char *const TEXT[] = {MEDIA_TEXT, NULL};
/* Files of the pages: each has a type of its own. */
static const char *const FILES[] = {MEDIA_ANY, NULL};

/* The list of a kind of record and one record of it, by id or alias. */
#define RECORD(KIND)                                                                               \
    {                                                                                              \
        .path = "/v1/" KIND "/{id}", .methods = GET, .media_types = JSON_ONLY, .cacheable = true,  \
        .handler = records_item_handler,                                                           \
        .summary = "one of them, by id or alias, with provenance and disputes",                    \
    }

#define RECORDS(KIND, WHAT)                                                                        \
    {                                                                                              \
        .path = "/v1/" KIND,                                                                       \
        .methods = GET,                                                                            \
        .media_types = JSON_CSV,                                                                   \
        .cacheable = true,                                                                         \
        .handler = records_list_handler,                                                           \
        .summary = WHAT,                                                                           \
    },                                                                                             \
        RECORD(KIND)

/* The same of a kind that records are added to. */
#define POSTED_RECORDS(KIND, WHAT)                                                                 \
    {                                                                                              \
        .path = "/v1/" KIND,                                                                       \
        .methods = GET | POST,                                                                     \
        .body_max_bytes = BODY_MAX_BYTES,                                                          \
        .media_types = JSON_CSV,                                                                   \
        .cacheable = true,                                                                         \
        .write_scope = TOKEN_CONTRIBUTE,                                                           \
        .handler = records_list_handler,                                                           \
        .writer = post_record_handler,                                                             \
        .summary = WHAT "; POST adds one (token)",                                                 \
    },                                                                                             \
        RECORD(KIND)

/* What one of the planner's own notions means, for people. */
#define EXPLAINED(KIND, WHAT)                                                                      \
    {                                                                                              \
        .path = "/docs/" KIND "/{id}", .methods = GET, .media_types = HTML, .cacheable = true,     \
        .handler = docs_item_handler, .summary = WHAT,                                             \
    }

#define PAGE(PATH, WHAT)                                                                           \
    {                                                                                              \
        .path = PATH, .methods = GET, .media_types = HTML, .cacheable = true,                      \
        .handler = shell_handler, .page = true, .summary = WHAT,                                   \
    }

const struct route ROUTES[] = {
    {
        .path = "/",
        .methods = GET,
        .media_types = HTML_JSON_TEXT,
        .cacheable = true,
        .handler = front_handler,
        .summary =
            "the first page: a configuration and its plan; this list where JSON is asked for",
    },
    PAGE("/map", "page: where the bottleneck moves, over two axes"),
    PAGE("/compare", "page: two configurations side by side"),
    PAGE("/search", "page: the deployments that meet an objective"),
    PAGE("/profile", "page: a measured profile beside its budget"),
    PAGE("/diagnose", "page: the symptoms of a deployment and their likely causes"),
    PAGE("/records", "page: the records, gaps, disputes and the backtest"),
    PAGE("/records/{id}", "page: the records of a kind"),
    {
        .path = "/plain",
        .methods = GET,
        .media_types = HTML,
        .cacheable = true,
        .handler = page_handler,
        .summary = "a form and its plan without scripts",
        .page = true,
    },
    {
        .path = "/assets/{id}",
        .methods = GET,
        .media_types = FILES,
        .handler = asset_handler,
        .summary = "files of the pages",
        .page = true,
    },
    {
        .path = "/v1/plan",
        .methods = GET | POST,
        .body_max_bytes = BODY_MAX_BYTES,
        .body_types = DESCRIPTIONS,
        .media_types = JSON_TEXT,
        .cacheable = true,
        .handler = plan_handler,
        .summary = "plan a deployment: dominant class, budgets, regime, cures",
    },
    {
        .path = "/v1/check",
        .methods = GET | POST,
        .body_max_bytes = BODY_MAX_BYTES,
        .body_types = DESCRIPTIONS,
        .media_types = VERDICT,
        .cacheable = true,
        .handler = check_handler,
        .summary = "may a deployment roll out: memory, shapes, objectives; ?gate=1 for a pipeline",
    },
    {
        .path = "/v1/compare",
        .methods = POST,
        .body_max_bytes = BODY_MAX_BYTES,
        .media_types = VERDICT,
        .handler = compare_handler,
        .summary = "what runs now against what shall run: changes, deltas by class, a verdict",
    },
    {
        .path = "/v1/diagnose",
        .methods = POST,
        .body_max_bytes = DIAGNOSE_BODY_MAX_BYTES,
        .media_types = JSON_TEXT,
        .handler = diagnose_handler,
        .summary = "symptoms of a slow deployment to its causes, the evidence and the next check",
    },
    {
        .path = "/v1/models/gguf",
        .methods = POST,
        .body_max_bytes = GGUF_BODY_MAX_BYTES,
        .body_types = BINARY,
        .sink = &GGUF_SINK,
        .media_types = JSON_ONLY,
        .handler = gguf_handler,
        .summary = "the first megabytes of a GGUF file: its exact bytes, and a model for a plan",
    },
    {
        .path = "/v1/sweep",
        .methods = POST,
        .body_max_bytes = BODY_MAX_BYTES,
        .media_types = TABLE,
        .handler = sweep_handler,
        .summary = "a table of plans over any fields: columns by name, streamed",
    },
    {
        .path = "/v1/search",
        .methods = POST,
        .body_max_bytes = BODY_MAX_BYTES,
        .media_types = SEARCH,
        .handler = search_handler,
        .summary = "the best deployments for models, load and objectives, with their commands",
    },
    {
        .path = "/v1/attribute",
        .methods = POST,
        .body_max_bytes = PROFILE_BODY_MAX_BYTES,
        .body_types = PROFILES,
        .sink = &PROFILE_SINK,
        .takes_gzip = true,
        .media_types = JSON_TEXT_CSV,
        .handler = attribute_handler,
        .summary = "a measured profile: time by class beside the budget, and the host's part",
    },
    {
        .path = "/v1/attributions",
        .methods = POST,
        .body_max_bytes = PROFILE_BODY_MAX_BYTES,
        .body_types = PROFILES,
        .sink = &PROFILE_SINK,
        .takes_gzip = true,
        .media_types = JSON_ONLY,
        .write_scope = TOKEN_CONTRIBUTE,
        .handler = attribute_keep_handler,
        .summary = "a measured profile becomes a measurement of kind attribution (token)",
    },
    POSTED_RECORDS("models", "models: geometry, parameters, KV bytes"),
    POSTED_RECORDS("hardware", "parts: memory, bandwidth, compute peaks, links"),
    RECORDS("formats", "formats of weights and of the KV cache"),
    RECORDS("engines", "engines, their versions and defaults"),
    RECORDS("memory-rules", "constants of the engines' memory accounting, by version and part"),
    RECORDS("launches", "flags that runs are started with, and under which conditions"),
    RECORDS("capacity", "what engines printed about memory at start, and whether they started"),
    RECORDS("prices", "what a device costs per hour, by provider, with source and date"),
    RECORDS("classes", "cost classes, their formulas and bounds"),
    RECORDS("regimes", "regimes and the signs of each"),
    {
        .path = "/v1/kernels",
        .methods = GET,
        .media_types = JSON_CSV,
        .cacheable = true,
        .handler = kernels_handler,
        .summary = "kernel names and their classes; ?name= tells what one kernel is, and why",
    },
    RECORDS("cures", "cures, when they help and when not"),
    {
        .path = "/v1/causes",
        .methods = GET,
        .media_types = JSON_ONLY,
        .cacheable = true,
        .handler = causes_handler,
        .summary = "causes of slow deployments: signs for and against, checks, cures, sources",
    },
    RECORDS("calibrations", "kernel and collective fits"),
    POSTED_RECORDS("sources", "where the figures come from"),
    RECORDS("claims", "claims of the seed document: verdict, derivation, value computed now"),
    {
        .path = "/v1/anchors",
        .methods = GET | POST,
        .body_max_bytes = ANCHOR_BODY_MAX_BYTES,
        .media_types = JSON_CSV,
        .cacheable = true,
        .write_scope = TOKEN_CONTRIBUTE,
        .handler = anchors_list_handler,
        .writer = post_anchor_handler,
        .summary = "measurements with their conditions, or the nearest; POST adds one (token)",
    },
    {
        .path = "/v1/anchors/{id}",
        .methods = GET,
        .media_types = JSON_ONLY,
        .cacheable = true,
        .handler = anchors_item_handler,
        .summary = "one of them, with its study or its rows",
    },
    {
        .path = "/v1/benchmarks",
        .methods = POST,
        .body_max_bytes = ANCHOR_BODY_MAX_BYTES,
        .body_types = RESULTS,
        .media_types = JSON_ONLY,
        .write_scope = TOKEN_CONTRIBUTE,
        .handler = post_benchmark_handler,
        .summary = "the result file of a load generator becomes measurements (token)",
    },
    {
        .path = "/v1/disputes",
        .methods = POST,
        .body_max_bytes = BODY_MAX_BYTES,
        .media_types = JSON_ONLY,
        .write_scope = TOKEN_CONTRIBUTE,
        .handler = post_dispute_handler,
        .summary = "doubts a field of a record, or a measurement (token)",
    },
    {
        .path = "/v1/admin/backup",
        .methods = POST,
        .media_types = JSON_ONLY,
        .write_scope = TOKEN_ADMIN,
        .handler = admin_backup_handler,
        .summary = "a verified copy of the store in the daemon's folder for backups (admin token)",
    },
    {
        .path = "/v1/backtest",
        .methods = GET,
        .media_types = JSON_TEXT_CSV,
        .cacheable = true,
        .handler = backtest_handler,
        .summary = "predicted against measured: errors by group, rows farthest off first",
    },
    {
        .path = "/v1/gaps",
        .methods = GET,
        .media_types = JSON_CSV,
        .cacheable = true,
        .handler = gaps_list_handler,
        .summary = "what nobody measured: stated, and asked (most asked first)",
    },
    {
        .path = "/v1/gaps/{id}",
        .methods = GET,
        .media_types = JSON_ONLY,
        .cacheable = true,
        .handler = gaps_item_handler,
        .summary = "one of them, stated or asked",
    },
    {
        .path = "/v1",
        .methods = GET,
        .media_types = JSON_TEXT_HTML,
        .cacheable = true,
        .handler = index_handler,
        .summary = "this list of routes",
    },
    {
        .path = "/openapi.json",
        .methods = GET,
        .media_types = JSON_ONLY,
        .cacheable = true,
        .handler = openapi_handler,
        .summary = "the API described for programs (OpenAPI 3.1)",
    },
    {
        .path = "/docs",
        .methods = GET,
        .media_types = HTML,
        .cacheable = true,
        .handler = docs_handler,
        .summary = "the API described for people",
    },
    {
        .path = "/backtest",
        .methods = GET,
        .media_types = HTML,
        .cacheable = true,
        .handler = backtest_page_handler,
        .summary = "predicted against measured as a page",
    },
    EXPLAINED("classes", "a cost class: formulas, regimes, cures, measured steps"),
    EXPLAINED("regimes", "a regime: signs, classes, cures, measured steps"),
    EXPLAINED("cures", "a cure: why, when not, where it was measured"),
    {
        .path = "/healthz",
        .methods = GET,
        .media_types = JSON_TEXT,
        .open = true,
        .handler = healthz_handler,
        .summary = "is the process alive",
    },
    {
        .path = "/readyz",
        .methods = GET,
        .media_types = JSON_TEXT,
        .open = true,
        .handler = readyz_handler,
        .summary = "is the store open and migrated, and is the process not stopping",
    },
    {
        .path = "/version",
        .methods = GET,
        .media_types = JSON_TEXT,
        .cacheable = true,
        .handler = version_handler,
        .summary = "versions of the program, the schema and the records",
    },
    {
        .path = "/metrics",
        .methods = GET,
        .media_types = TEXT,
        .open = true,
        .handler = metrics_handler,
        .summary = "counters in the text format of Prometheus",
    },
};

const size_t N_ROUTES = ARRAY_LEN(ROUTES);
