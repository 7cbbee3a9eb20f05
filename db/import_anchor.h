/*
 * import_anchor.h - one measurement on its way from a record file into the store.
 *
 * Purpose: what the readers of CSV and JSON files fill, and the checks and rows both have in
 * common. Units:   conditions and metrics in those of planner/anchor.h; NAN = not stated.
 * Ownership: texts are borrowed from the file being read.
 * Errors:  faults of the import.
 */
#ifndef REGIME_IMPORT_ANCHOR_H
#define REGIME_IMPORT_ANCHOR_H

#include "anchor.h"
#include "catalogue.h"
#include "import.h"

#define DRAFT_METRICS_MAX 32
#define DRAFT_SHARES_MAX 24
#define DRAFT_CLASSES_MAX 12

/* Texts of an anchor that are no conditions. `also` lists further ids, space between. */
#define DRAFT_TEXT_LIST(X)                                                                         \
    X(DRAFT_ID, "id")                                                                              \
    X(DRAFT_ALSO, "also")                                                                          \
    X(DRAFT_KIND, "kind")                                                                          \
    X(DRAFT_TITLE, "title")                                                                        \
    X(DRAFT_MODEL, "model")                                                                        \
    X(DRAFT_MODEL_ID, "model_id")                                                                  \
    X(DRAFT_HARDWARE, "hardware")                                                                  \
    X(DRAFT_HARDWARE_ID, "hardware_id")                                                            \
    X(DRAFT_ENGINE, "engine")                                                                      \
    X(DRAFT_ENGINE_VERSION, "engine_version")                                                      \
    X(DRAFT_BACKEND, "backend")                                                                    \
    X(DRAFT_WEIGHTS, "weights")                                                                    \
    X(DRAFT_KV_CACHE, "kv_cache")                                                                  \
    X(DRAFT_MEASURED, "measured")                                                                  \
    X(DRAFT_DISPUTED, "disputed")                                                                  \
    X(DRAFT_FLAG, "flag") /* one word of ANCHOR_DOUBT_LIST */                                      \
    X(DRAFT_NOTES, "notes")

#define X(ID, NAME) ID,

enum draft_text { DRAFT_TEXT_LIST(X) DRAFT_TEXT_COUNT };

#undef X

struct draft_metric {
    enum anchor_metric metric;
    enum statistic statistic;
    double value;
};

/* A part of a measured step: the classes it is made of, its share of the whole. */
struct draft_share {
    const char *label;
    const char *classes[DRAFT_CLASSES_MAX];
    int n_classes;
    double share, ms; /* ms NAN = not stated */
};

struct anchor_draft {
    const char *texts[DRAFT_TEXT_COUNT]; /* NULL = not stated */
    double numbers[CONDITION_COUNT];
    const char *conditions[ANCHOR_TEXT_COUNT]; /* NULL = not stated */
    struct draft_metric metrics[DRAFT_METRICS_MAX];
    int n_metrics;
    struct draft_share shares[DRAFT_SHARES_MAX];
    int n_shares;
    const cJSON *sources; /* object with the member "sources" */
};

/* A draft that states nothing. */
void draft_init(struct anchor_draft *draft);

/* The text of that name, DRAFT_TEXT_COUNT when unknown. */
enum draft_text draft_text_parse(const char *name);

/* Takes "ttft_ms.mean" apart; false, and a fault, when the metric or the statistic is unknown. */
bool draft_metric_parse(struct import *import, const char *name, struct draft_metric *ret_metric);

/* Adds a metric; a fault when it has no finite value or stands twice. */
void draft_metric_add(struct import *import, struct anchor_draft *draft,
                      struct draft_metric metric);

/* Sets a numeric condition, a fault when it is out of range. */
void draft_number_set(struct import *import, struct anchor_draft *draft,
                      enum anchor_condition condition, double value);

/* What a draft's names resolve to; NULL = no alias of exactly one record. */
#define DRAFT_NAME_MAX 200

struct draft_names {
    const char *engine, *weights, *kv_cache;
    char engine_id[DRAFT_NAME_MAX], weights_id[DRAFT_NAME_MAX], kv_cache_id[DRAFT_NAME_MAX];
};

/* The record as the API shows it, less what stands in columns: id, title, notes, sources, revision.
 * To be freed; NULL when out of memory. */
char *draft_doc(const struct anchor_draft *draft, const struct draft_names *names);

/* "deepseek-r1 on 8 x b200_sxm, sglang 0.5.9, 1024 in, 1024 out, concurrency 64". */
#define DRAFT_TITLE_MAX 300
void draft_title(const struct anchor_draft *draft, char ret_title[DRAFT_TITLE_MAX]);

/* Checks the draft and writes its rows. */
void import_anchor_draft(struct import *import, const struct anchor_draft *draft);

/*
 * What can only be judged once everything is there: an anchor that stands twice, one that beats its
 * physical bound (planner/anchor_bound.h) and is not disputed. Builds the full-text index and
 * prints the counts of every kind to the log.
 */
void import_anchors_finish(struct import *import);

/* The same of one anchor: a fault when it beats its bound. */
void import_anchor_check_bound(struct import *import, const struct catalogue *cat, int anchor);

/* The undisputed record that is the same measurement as the anchor of that id. */
bool import_anchor_twin(struct import *import, const char *id, char ret_twin[DRAFT_NAME_MAX]);

#endif
