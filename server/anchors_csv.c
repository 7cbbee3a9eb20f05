/*
 * anchors_csv.c - anchors as a table: a line per metric.
 */
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "anchors.h"
#include "anchors_forecast.h"
#include "anchors_query.h"
#include "csv_cells.h"
#include "number.h"
#include "store.h"

/* Names as they were found, and the source. */
static const char TEXTS[] =
    "SELECT json_extract(r.doc, '$.model'), json_extract(r.doc, '$.hardware'), json_extract(r.doc, "
    "'$.engine'), json_extract(r.doc, '$.weights'), json_extract(r.doc, '$.kv_cache'), a.disputed, "
    "s.url FROM records r JOIN anchors a ON a.id = r.id JOIN sources s ON s.id = a.source_id WHERE "
    "r.kind = 'anchor' AND r.id = ?1";

enum {
    TEXT_OF_MODEL,
    TEXT_OF_PART,
    TEXT_OF_ENGINE,
    TEXT_OF_WEIGHTS,
    TEXT_OF_KV,
    TEXT_OF_DISPUTE,
    TEXT_OF_URL,
    TEXTS_COUNT
};

/* Conditions that a line shows. */
static const enum anchor_condition SHOWN[] = {
    CONDITION_N_DEVICES,   CONDITION_TP,        CONDITION_PP,           CONDITION_DP,
    CONDITION_EP,          CONDITION_EXPERT_TP, CONDITION_INPUT_TOKENS, CONDITION_OUTPUT_TOKENS,
    CONDITION_CONCURRENCY, CONDITION_BATCH,     CONDITION_DEPTH,        CONDITION_REQUEST_RATE,
};

static void put_header(struct json_out *out)
{
    out_text(out, "id,kind,model_id,model,hardware_id,hardware,engine_id,engine,engine_version,"
                  "backend,weights_id,weights,kv_cache_id,kv_cache");
    for (size_t i = 0; i < ARRAY_LEN(SHOWN); i++) {
        out_text(out, ",");
        out_text(out, condition_info(SHOWN[i])->name);
    }
    out_text(out, ",load_profile,metric,statistic,value,unit,disputed,flag,source_url,"
                  "predicted,low,high,residual,beyond_interval,prediction\r\n");
}

/* What every line of an anchor begins with. */
static void put_start(struct json_out *out, const struct catalogue *cat, int anchor,
                      const char *const texts[TEXTS_COUNT])
{
    const struct anchor_index *index = &cat->anchors;
    const struct anchor_point *point = &index->points[anchor];
    const struct library *lib = &cat->lib;
    out_text(out, index->ids[anchor]);
    csv_text(out, anchor_kind_name((enum anchor_kind)index->kinds[anchor]));
    csv_text(out, point->model >= 0 ? lib->models[point->model].id : NULL);
    csv_text(out, texts[TEXT_OF_MODEL]);
    csv_text(out, point->hardware >= 0 ? lib->hardware[point->hardware].id : NULL);
    csv_text(out, texts[TEXT_OF_PART]);
    csv_text(out, point->engine >= 0 ? lib->engines[point->engine].id : NULL);
    csv_text(out, texts[TEXT_OF_ENGINE]);
    csv_text(out, index->versions[anchor]);
    csv_text(out, index->backends[anchor]);
    csv_text(out, point->weights >= 0 ? lib->weight_formats[point->weights].id : NULL);
    csv_text(out, texts[TEXT_OF_WEIGHTS]);
    csv_text(out, point->kv_cache >= 0 ? lib->kv_formats[point->kv_cache].id : NULL);
    csv_text(out, texts[TEXT_OF_KV]);
    for (size_t i = 0; i < ARRAY_LEN(SHOWN); i++) {
        csv_number(out, anchor_number(index, anchor, SHOWN[i]));
    }
    csv_text(out, load_profile_name((enum load_profile)index->loads[anchor]));
}

/* Empty cells where nothing is predicted. */
static void put_prediction(struct json_out *out, const struct forecast_figure *figure)
{
    if (!figure) {
        out_text(out, ",,,,,,");
        return;
    }
    const struct forecast_value *value = forecast_shown(figure);
    csv_number(out, number_short(value->predicted));
    csv_number(out, number_short(value->low));
    csv_number(out, number_short(value->high));
    csv_number(out, number_short(forecast_residual(figure)));
    csv_text(out, isnan(value->low) ? NULL : forecast_beyond(figure));
    csv_text(out, figure->origin == ORIGIN_STORED ? "stored" : "computed");
}

static void put_lines(struct json_out *out, const struct catalogue *cat,
                      const struct anchor_query *query, int anchor,
                      const char *const texts[TEXTS_COUNT], const struct forecast *forecast)
{
    const struct anchor_index *index = &cat->anchors;
    for (int i = index->metric_start[anchor]; i < index->metric_start[anchor + 1]; i++) {
        const struct metric_info *info = metric_info((enum anchor_metric)index->metric_what[i]);
        if ((query->metric != ANCHOR_METRIC_COUNT && index->metric_what[i] != query->metric) ||
            (query->statistic != STATISTIC_COUNT &&
             index->metric_statistic[i] != query->statistic)) {
            continue;
        }
        put_start(out, cat, anchor, texts);
        csv_text(out, info->name);
        csv_text(out, statistic_name((enum statistic)index->metric_statistic[i]));
        csv_number(out, index->metric_value[i]);
        csv_text(out, info->unit);
        csv_text(out, texts[TEXT_OF_DISPUTE]);
        csv_text(out, anchor_doubt_name((enum anchor_doubt)index->doubts[anchor]));
        csv_text(out, texts[TEXT_OF_URL]);
        put_prediction(out, forecast_find(forecast, (enum anchor_metric)index->metric_what[i],
                                          (enum statistic)index->metric_statistic[i],
                                          index->metric_value[i]));
        out_text(out, "\r\n");
    }
}

bool anchors_write_csv(struct context *ctx, struct forecaster *forecaster,
                       const struct anchor_query *query, const struct anchor_page *page,
                       struct json_out *out)
{
    put_header(out);
    for (int i = 0; i < page->n; i++) {
        const char *texts[TEXTS_COUNT];
        int anchor = page->anchors[i];
        sqlite3_stmt *row = store_read(app_store(ctx->app), TEXTS);
        bool good = row &&
                    sqlite3_bind_text(row, 1, ctx->catalogue->anchors.ids[anchor], -1,
                                      SQLITE_STATIC) == SQLITE_OK &&
                    sqlite3_step(row) == SQLITE_ROW;
        for (int j = 0; good && j < TEXTS_COUNT; j++) {
            texts[j] = (const char *)sqlite3_column_text(row, j);
        }
        struct forecast forecast = {.n = 0};
        if (forecaster) {
            forecast_anchor(forecaster, anchor, FORECAST_STORED | FORECAST_COMPUTED, &forecast);
        }
        if (good) {
            put_lines(out, ctx->catalogue, query, anchor, texts, &forecast);
        }
        store_done(row);
        if (!good) {
            return false;
        }
    }
    return true;
}
