/*
 * import_calibration.c - what a calibration found: intervals, predictions beside measured runs,
 * and why some are far off.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "anchor.h"
#include "import.h"
#include "interval.h"
#include "sql.h"

#define FACTOR_MAX 1e6

void import_interval(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"id",   "engine", "metric", "tier",    "low",
                                        "high", "n",      "notes",  "sources", NULL};
    char title[200];
    const char *id = field_text(import, record, "id");
    const char *engine = field_text(import, record, "engine");
    const char *metric = field_text(import, record, "metric");
    const char *tier = field_text(import, record, "tier");
    double low = field_number(import, record, "low", 0, FACTOR_MAX);
    double high = field_number(import, record, "high", 0, FACTOR_MAX);
    field_known(import, record, KNOWN);
    if (interval_metric_parse(metric) == INTERVAL_METRIC_COUNT) {
        import_fault(import, "metric '%s' has no intervals", metric);
    }
    if (interval_tier_parse(tier) == INTERVAL_TIER_COUNT) {
        import_fault(import, "tier '%s' is unknown", tier);
    }
    if (low <= 0 || high < low) {
        import_fault(import, "%.9g .. %.9g is no interval", low, high);
    }
    (void)text_print(title, sizeof(title), "80 %% interval of %s, %s, %s", metric, engine, tier);
    import_record(import, "calibration", id, title, record, doc);
    import_check(
        import,
        sql_run(import->db,
                "INSERT INTO calibrations (id, type, engine_id, op, status, reason) VALUES "
                "(?1, 'interval', ?2, ?3, 'used', ?4)",
                "tttt", id, engine, metric, tier) &&
            sql_run(import->db, "INSERT INTO intervals VALUES (?1, ?2, ?3, ?4, ?5, ?6)", "tttddd",
                    id, metric, tier, low, high, field_number(import, record, "n", 1, 1e9)),
        "interval");
}

/* A column's figure; NAN, which is stored as NULL, where the cell is empty. */
static double figure(struct import *import, const char *const *names, const char *const *values,
                     int n, const char *name)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], name) != 0 || !*values[i]) {
            continue;
        }
        char *end = NULL;
        double value = strtod(values[i], &end);
        if (*end || !(value > 0)) {
            import_fault(import, "%s '%s' is no time", name, values[i]);
        }
        return value;
    }
    return (double)NAN;
}

void import_prediction(struct import *import, const char *const *names, const char *const *values,
                       int n)
{
    static const char *const FIGURES[] = {"tpot_ms", "tpot_ms_cell_out", "tpot_ms_model_out",
                                          "ttft_ms", "ttft_ms_cell_out", "ttft_ms_model_out"};
    double ms[6];
    const char *id = n > 0 && strcmp(names[0], "anchor") == 0 ? values[0] : "";
    import->record = id;
    for (int i = 0; i < 6; i++) {
        ms[i] = figure(import, names, values, n, FIGURES[i]);
    }
    import_check(import,
                 sql_run(import->db, "INSERT INTO predictions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                         "tdddddd", id, ms[0], ms[1], ms[2], ms[3], ms[4], ms[5]),
                 "prediction");
}

void import_explained(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"anchor", "metric", "cause", "why", "source", NULL};
    static const char *const KNOWN_OF_SOURCE[] = {"title", "url", NULL};
    const cJSON *source = cJSON_GetObjectItemCaseSensitive(record, "source");
    const char *anchor = field_text(import, record, "anchor");
    const char *metric = field_text(import, record, "metric");
    const char *cause = field_text(import, record, "cause");
    (void)doc;
    import->record = import->record ? import->record : anchor;
    field_known(import, record, KNOWN);
    field_known(import, source, KNOWN_OF_SOURCE);
    if (metric_parse(metric) == ANCHOR_METRIC_COUNT) {
        import_fault(import, "metric '%s' is unknown", metric);
    }
    if (strcmp(cause, "known") != 0 && strcmp(cause, "inferred") != 0 &&
        strcmp(cause, "unknown") != 0) {
        import_fault(import, "cause '%s' is not known, inferred or unknown", cause);
    }
    import_check(import,
                 sql_run(import->db, "INSERT INTO residual_notes VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                         "tttttt", anchor, metric, cause, field_text(import, record, "why"),
                         source ? field_text(import, source, "title") : NULL,
                         source ? field_text(import, source, "url") : NULL),
                 "explanation of a residual");
}
