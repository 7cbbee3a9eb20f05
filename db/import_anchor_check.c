/*
 * import_anchor_check.c - what can only be judged once every anchor is there.
 */
#include <math.h>
#include <string.h>

#include "anchor_bound.h"
#include "catalogue_data.h"
#include "import_anchor.h"
#include "sql.h"

/* Two runs with the same latencies to six digits on the same part, at the same lengths and
 * concurrency, are one run, whatever else is said about them. */
static const char SAME_RUN[] =
    "SELECT min(a.id), max(a.id), count(DISTINCT a.id) AS n FROM anchors a JOIN anchor_metrics f "
    "ON f.anchor_id = a.id AND f.metric = 'ttft_ms' JOIN anchor_metrics t ON t.anchor_id = a.id "
    "AND t.metric IN ('tpot_ms', 'itl_ms') AND t.statistic = f.statistic WHERE a.disputed IS NULL "
    "AND a.hardware_id IS NOT NULL AND f.statistic <> 'stddev' GROUP BY a.hardware_id, "
    "a.input_tokens, a.output_tokens, a.concurrency, f.statistic, f.value, t.metric, t.value "
    "HAVING n > 1";

/* The same record under two ids, whatever its source. */
static const char SAME_RECORD[] =
    "SELECT min(a.id), max(a.id), count(*) FROM anchors a JOIN records r ON r.kind = 'anchor' AND "
    "r.id = a.id WHERE a.disputed IS NULL AND a.anchor_kind NOT IN ('study', 'statement') GROUP BY "
    "r.doc HAVING count(*) > 1";

static void check_twice(struct import *import, const char *sql)
{
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(import->db, sql, -1, &row, NULL) != SQLITE_OK) {
        import_check(import, false, "anchors");
    }
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        import_fault(import, "%s and %s are the same measurement (%d records)",
                     (const char *)sqlite3_column_text(row, 0),
                     (const char *)sqlite3_column_text(row, 1), sqlite3_column_int(row, 2));
    }
    sqlite3_finalize(row);
}

/* Faults of one anchor whose figures no machine of its conditions can reach. */
static void check_bounds(struct import *import, const struct catalogue *cat, int anchor)
{
    const struct anchor_index *index = &cat->anchors;
    const struct anchor_point *point = &index->points[anchor];
    const struct library *lib = &cat->lib;
    double numbers[CONDITION_COUNT];
    struct anchor_bounds bounds;
    anchor_numbers(index, anchor, numbers);
    struct anchor_setting setting = {
        .lib = lib,
        .model = &lib->models[point->model],
        .hw = &lib->hardware[point->hardware],
        .engine = point->engine >= 0 ? &lib->engines[point->engine] : NULL,
        .weights = &lib->weight_formats[point->weights],
        .kv_cache = point->kv_cache >= 0 ? &lib->kv_formats[point->kv_cache] : NULL,
        .conditions = numbers,
        .load = (enum load_profile)index->loads[anchor],
        .speculative = point->speculative,
        .disaggregated = point->disaggregated,
        .prefix_cached = index->flags[anchor] & ANCHOR_PREFIX_CACHED,
    };
    if (!anchor_bounds_compute(&setting, &bounds)) {
        return;
    }
    for (int i = index->metric_start[anchor]; i < index->metric_start[anchor + 1]; i++) {
        enum anchor_metric metric = (enum anchor_metric)index->metric_what[i];
        if (index->metric_statistic[i] != STATISTIC_STDDEV &&
            anchor_is_impossible(&bounds, metric, index->metric_value[i])) {
            import_fault_at(
                import, "metrics", "%s is %g, its physical bound %.6g: faster than the part can be",
                metric_info(metric)->name, index->metric_value[i], anchor_bound(&bounds, metric));
        }
    }
}

void import_anchor_check_bound(struct import *import, const struct catalogue *cat, int anchor)
{
    const struct anchor_index *index = &cat->anchors;
    const struct anchor_point *point = &index->points[anchor];
    import->record = index->ids[anchor];
    if (!(index->flags[anchor] & ANCHOR_DISPUTED) && point->model >= 0 && point->hardware >= 0 &&
        point->weights >= 0) {
        check_bounds(import, cat, anchor);
    }
    import->record = NULL;
}

bool import_anchor_twin(struct import *import, const char *id, char ret_twin[DRAFT_NAME_MAX])
{
    static const char *const TWINS[] = {
        "SELECT o.id FROM records r JOIN records o ON o.kind = 'anchor' AND o.digest = r.digest "
        "AND o.id <> r.id JOIN anchors a ON a.id = o.id WHERE r.kind = 'anchor' AND r.id = ?1 AND "
        "a.disputed IS NULL",
        "SELECT o.id FROM anchors a JOIN anchor_metrics f ON f.anchor_id = a.id AND f.metric = "
        "'ttft_ms' AND f.statistic <> 'stddev' JOIN anchor_metrics t ON t.anchor_id = a.id AND "
        "t.metric IN ('tpot_ms', 'itl_ms') AND t.statistic = f.statistic JOIN anchors o ON "
        "o.hardware_id = a.hardware_id AND o.input_tokens IS a.input_tokens AND o.output_tokens IS "
        "a.output_tokens AND o.concurrency IS a.concurrency AND o.id <> a.id AND o.disputed IS "
        "NULL JOIN anchor_metrics g ON g.anchor_id = o.id AND g.metric = f.metric AND g.statistic "
        "= f.statistic AND g.value = f.value JOIN anchor_metrics u ON u.anchor_id = o.id AND "
        "u.metric = t.metric AND u.statistic = t.statistic AND u.value = t.value WHERE a.id = ?1"};
    bool found = false;
    for (size_t i = 0; !found && i < ARRAY_LEN(TWINS); i++) {
        sqlite3_stmt *row = NULL;
        found =
            sqlite3_prepare_v2(import->db, TWINS[i], -1, &row, NULL) == SQLITE_OK &&
            sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC) == SQLITE_OK &&
            sqlite3_step(row) == SQLITE_ROW &&
            text_print(ret_twin, DRAFT_NAME_MAX, "%s", (const char *)sqlite3_column_text(row, 0));
        sqlite3_finalize(row);
    }
    return found;
}

static void check_all_bounds(struct import *import)
{
    char error[STORE_ERROR_MAX];
    struct catalogue_data *data = catalogue_build(import->db, error);
    if (!data) {
        import_fault(import, "%s", error);
        return;
    }
    const struct anchor_index *index = &data->shown.anchors;
    for (int i = 0; i < index->n; i++) {
        import_anchor_check_bound(import, &data->shown, i);
    }
    catalogue_free(data);
}

void import_anchors_finish(struct import *import)
{
    import->file = "anchors";
    check_twice(import, SAME_RECORD);
    check_twice(import, SAME_RUN);
    check_all_bounds(import);
    import_check(import,
                 sql_exec(import->db, "INSERT INTO anchor_search(anchor_search) VALUES "
                                      "('rebuild')"),
                 "anchor_search");
}
