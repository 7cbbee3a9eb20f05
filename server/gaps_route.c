#include "gaps_route.h"

#include <ctype.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "body.h"
#include "gaps_text.h"
#include "gaps_width.h"
#include "negotiate.h"
#include "problem.h"
#include "query_switch.h"
#include "query_words.h"
#include "records.h"
#include "records_query.h"
#include "store.h"

#define ASKED_MAX 5000
#define STATED_MAX 1000
#define RANK_UNITS 1e3 /* ranks are whole thousandths */
#define STATUS_ANSWERED "answered"

/* The filters in the order of their row in records_kinds.c. */
enum {
    FILTER_OF_STATUS,
    FILTER_OF_KIND,
    FILTER_OF_MODEL,
    FILTER_OF_PART,
    FILTER_OF_ENGINE,
    FILTER_OF_METRIC
};

/* A gap of the list; `key` is that of an asked one. */
struct gap_item {
    const char *id, *status, *question;
    struct gap_count count;
    double width, rank; /* NAN and 0 of what was never asked */
    bool stated;
    struct gap_key key;
};

struct gap_list {
    struct gap_item *items;
    size_t n, max;
};

static const struct record_kind *kind_of_gaps(void)
{
    static const char SEGMENT[] = "gaps";
    return record_kind_of(SEGMENT, sizeof(SEGMENT) - 1);
}

/* ---- one gap ---- */

/* The rank in thousandths, whole: what a cursor names is what the order is by. */
static void item_rank(struct context *ctx, struct gap_item *item)
{
    const struct library *lib = &ctx->catalogue->lib;
    const struct engine *engine =
        item->key.engine_id ? library_engine(lib, item->key.engine_id) : NULL;
    double widest = gap_width_widest(lib, engine ? engine->index : -1, item->key.metric);
    item->width = gap_width_mean(&item->count, widest);
    item->rank = 0;
    if (item->count.asked > 0 && strcmp(item->status, STATUS_ANSWERED) != 0) {
        item->rank = round((double)item->count.asked * item->width * RANK_UNITS) / RANK_UNITS;
    }
}

static void put_counts(struct context *ctx, struct json_out *out, const struct gap_item *item)
{
    struct arena *arena = ctx->request->arena;
    const struct gap_count *count = &item->count;
    json_put_number(out, "asked", (double)count->asked);
    json_put_number(out, "width", item->width);
    json_put_number(out, "rank", item->rank);
    json_put_text(out, "first_asked", gap_time(arena, count->first_asked_s));
    json_put_text(out, "last_asked", gap_time(arena, count->last_asked_s));
}

/* What a gap is about, looked up now: NULL when it names its subjects itself. */
static const char *subjects_sql(const char *subjects)
{
    static const struct {
        const char *subjects, *sql;
    } LOOKUPS[] = {
        {"hardware without kernel fit",
         "SELECT id FROM hardware WHERE id NOT IN (SELECT hardware_id FROM calibrations WHERE type "
         "= 'op_fit' AND status <> 'rejected' AND hardware_id IS NOT NULL) ORDER BY id"},
        {"engines without anchor",
         "SELECT id FROM engines WHERE id NOT IN (SELECT engine_id FROM anchors WHERE engine_id IS "
         "NOT NULL) ORDER BY id"},
    };

    for (size_t i = 0; subjects && i < ARRAY_LEN(LOOKUPS); i++) {
        if (strcmp(LOOKUPS[i].subjects, subjects) == 0) {
            return LOOKUPS[i].sql;
        }
    }
    return NULL;
}

static void put_subjects(struct context *ctx, struct json_out *out, const char *subjects)
{
    const char *sql = subjects_sql(subjects);
    sqlite3_stmt *row = sql ? store_read(app_store(ctx->app), sql) : NULL;
    if (!row) {
        return;
    }
    json_key(out, "subjects");
    json_begin_object(out);
    json_put_text(out, "of", subjects);
    json_key(out, "ids");
    json_begin_array(out);
    while (sqlite3_step(row) == SQLITE_ROW) {
        json_text(out, (const char *)sqlite3_column_text(row, 0));
    }
    json_end_array(out);
    json_end_object(out);
    store_done(row);
}

void record_gap_extra(struct context *ctx, struct json_out *out, const char *kind, const char *id)
{
    struct gap_item item = {.id = id, .status = "", .stated = true};
    (void)kind;
    (void)gaps_count(app_gaps(ctx->app), id, &item.count);
    json_put_text(out, "kind", "stated");
    sqlite3_stmt *row = store_read(app_store(ctx->app),
                                   "SELECT json_extract(r.doc, '$.subjects'), g.status FROM "
                                   "records r JOIN gaps g ON g.id = r.id WHERE r.kind = 'gap' AND "
                                   "r.id = ?1");
    bool found = row && sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_step(row) == SQLITE_ROW;
    if (found) {
        item.status = (const char *)sqlite3_column_text(row, 1);
    }
    item_rank(ctx, &item);
    put_counts(ctx, out, &item);
    if (found) {
        put_subjects(ctx, out, (const char *)sqlite3_column_text(row, 0));
    }
    store_done(row);
}

static void put_range(struct json_out *out, const char *name, double from)
{
    json_key(out, name);
    if (isnan(from)) {
        json_null(out);
        return;
    }
    json_begin_object(out);
    json_put_number(out, "min", from);
    json_put_number(out, "max", 2 * from - 1);
    json_end_object(out);
}

static void put_asked(struct context *ctx, struct json_out *out, const struct gap_item *item)
{
    const struct gap_key *key = &item->key;
    json_begin_object(out);
    json_put_text(out, "id", item->id);
    json_put_text(out, "kind", "asked");
    json_put_text(out, "status", item->status);
    json_put_text(out, "question", item->question);
    json_put_text(out, "answered_by", item->count.answered ? item->count.answered_by : NULL);
    json_key(out, "key");
    json_begin_object(out);
    json_put_text(out, "model", key->model_id);
    json_put_text(out, "hardware", key->hardware_id);
    json_put_text(out, "engine", key->engine_id);
    json_put_text(out, "metric", key->metric);
    put_range(out, "input_tokens", key->input_tokens);
    put_range(out, "concurrency", key->concurrency);
    json_end_object(out);
    json_key(out, "answer");
    json_begin_object(out);
    json_put_text(out, "metric", key->metric);
    json_put_text(out, "conditions", gap_conditions(ctx->request->arena, key));
    json_end_object(out);
    put_counts(ctx, out, item);
    json_end_object(out);
}

/* An asked gap out of its counter; false for what is none, or without memory. */
static bool asked_item(struct context *ctx, const struct gap_count *count,
                       struct gap_item *ret_item)
{
    struct arena *arena = ctx->request->arena;
    char *memory = arena_alloc_raw(arena, GAP_ID_MAX);
    const char *id = arena_copy(arena, count->id, strlen(count->id));
    const char *status = count->answered ? STATUS_ANSWERED : "no record";
    struct gap_item item = {.id = id, .status = status, .count = *count};
    if (!memory || !id || !gap_key_parse(id, memory, &item.key)) {
        return false;
    }
    item.question = gap_question(arena, &item.key);
    item_rank(ctx, &item);
    *ret_item = item;
    return item.question != NULL;
}

static bool refuse_arguments(struct context *ctx)
{
    struct faults faults;
    faults_init(&faults, ctx->request->arena);
    query_refuse_others(ctx->request, &faults, NULL, 0, "unknown argument of a record");
    if (faults.n) {
        problem_faults(ctx, &faults);
    }
    return faults.n > 0;
}

void gaps_item_handler(struct context *ctx)
{
    struct gap_count count;
    struct gap_item item;
    struct json_out out;
    if (!ctx->id || !strchr(ctx->id, '~')) {
        records_item_handler(ctx);
        return;
    }
    if (refuse_arguments(ctx)) {
        return;
    }
    if (!gaps_count(app_gaps(ctx->app), ctx->id, &count) || !asked_item(ctx, &count, &item)) {
        const char *what = arena_printf(ctx->request->arena, "gap \"%.200s\"", ctx->id);
        problem_not_found(ctx, what ? what : "gap", NULL);
        return;
    }
    reply_begin(ctx, &out);
    put_asked(ctx, &out, &item);
    reply_write(ctx, 200, &out);
}

/* ---- the list ---- */

static void list_add(struct gap_list *list, const struct gap_item *item)
{
    if (list->n < list->max) {
        list->items[list->n++] = *item;
    }
}

static bool same(const char *filter, const char *value)
{
    return !filter || (value && strcmp(filter, value) == 0);
}

static bool asked_fits(const struct gap_item *item, const struct list_query *query,
                       const char *words)
{
    const char *const *filters = query->filters;
    return same(filters[FILTER_OF_STATUS], item->status) &&
           same(filters[FILTER_OF_KIND], "asked") &&
           same(filters[FILTER_OF_MODEL], item->key.model_id) &&
           same(filters[FILTER_OF_PART], item->key.hardware_id) &&
           same(filters[FILTER_OF_ENGINE], item->key.engine_id) &&
           same(filters[FILTER_OF_METRIC], item->key.metric) &&
           (!query->match || text_holds_words(item->question, words) ||
            text_holds_words(item->id, words));
}

static void collect_asked(struct context *ctx, const struct list_query *query,
                          struct gap_list *list)
{
    struct arena *arena = ctx->request->arena;
    struct gaps *gaps = app_gaps(ctx->app);
    size_t n = gaps_snapshot(gaps, NULL, 0);
    size_t max = n < ASKED_MAX ? n : ASKED_MAX;
    struct gap_count *counts = max ? arena_alloc_raw(arena, max * sizeof(*counts)) : NULL;
    if (!counts) {
        return;
    }
    n = gaps_snapshot(gaps, counts, max);
    for (size_t i = 0; i < n && i < max; i++) {
        struct gap_item item;
        if (asked_item(ctx, &counts[i], &item) &&
            asked_fits(&item, query, request_argument(ctx->request, "q"))) {
            list_add(list, &item);
        }
    }
}

/* Whether the filters leave room for stated gaps, which name no model, part or engine. */
static bool wants_stated(const struct list_query *query)
{
    return same(query->filters[FILTER_OF_KIND], "stated") && !query->filters[FILTER_OF_MODEL] &&
           !query->filters[FILTER_OF_PART] && !query->filters[FILTER_OF_ENGINE];
}

/* A row (id, status, question, metric) of a stated gap. */
static void stated_row(struct context *ctx, sqlite3_stmt *row, const char *metric,
                       struct gap_list *list)
{
    struct arena *arena = ctx->request->arena;
    const char *texts[4];
    for (int i = 0; i < (int)ARRAY_LEN(texts); i++) {
        const char *text = (const char *)sqlite3_column_text(row, i);
        texts[i] = text ? arena_copy(arena, text, strlen(text)) : NULL;
        if (!texts[i]) {
            return;
        }
    }
    struct gap_item item = {
        .id = texts[0], .status = texts[1], .question = texts[2], .stated = true};
    if (!metric || strstr(texts[3], metric)) {
        (void)gaps_count(app_gaps(ctx->app), item.id, &item.count);
        item_rank(ctx, &item);
        list_add(list, &item);
    }
}

static bool collect_stated(struct context *ctx, const struct list_query *query,
                           struct gap_list *list)
{
    static const char SQL[] =
        "SELECT g.id, g.status, g.question, json_extract(r.doc, '$.answer.metric') FROM gaps g "
        "JOIN records r ON r.kind = 'gap' AND r.id = g.id WHERE (?1 IS NULL OR g.status = ?1) AND "
        "(?2 IS NULL OR g.id IN (SELECT record_id FROM search WHERE kind = 'gap' AND search MATCH "
        "?2)) ORDER BY g.id";
    if (!wants_stated(query)) {
        return true;
    }
    sqlite3_stmt *row = store_read(app_store(ctx->app), SQL);
    if (!row) {
        return false;
    }
    (void)sqlite3_bind_text(row, 1, query->filters[FILTER_OF_STATUS], -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(row, 2, query->match, -1, SQLITE_STATIC);
    int rc = SQLITE_ROW;
    while ((rc = sqlite3_step(row)) == SQLITE_ROW) {
        stated_row(ctx, row, query->filters[FILTER_OF_METRIC], list);
    }
    store_done(row);
    return rc == SQLITE_DONE;
}

/* By rank, then the most asked first, then by id. */
static int item_order(const void *a, const void *b)
{
    const struct gap_item *one = a;
    const struct gap_item *other = b;
    if (one->rank != other->rank) {
        return one->rank < other->rank ? 1 : -1;
    }
    if (one->count.asked != other->count.asked) {
        return one->count.asked < other->count.asked ? 1 : -1;
    }
    return strcmp(one->id, other->id);
}

/* The place that a cursor names: behind the gap of that rank, count and id. */
static bool cursor_place(const char *cursor, struct gap_item *ret_place)
{
    char *end = NULL;
    *ret_place = (struct gap_item){.id = ""};
    ret_place->rank = (double)strtoull(cursor, &end, 10) / RANK_UNITS;
    if (!isdigit((unsigned char)*cursor) || *end != ':' || !isdigit((unsigned char)end[1])) {
        return false;
    }
    ret_place->count.asked = strtoull(end + 1, &end, 10);
    ret_place->id = end + 1;
    return *end == ':';
}

static const char *cursor_of(struct arena *arena, const struct gap_item *item)
{
    const char *sort = arena_printf(arena, "%.0f:%llu:%s", item->rank * RANK_UNITS,
                                    (unsigned long long)item->count.asked, item->id);
    return sort ? cursor_write(arena, sort) : NULL;
}

static bool put_item(struct context *ctx, struct json_out *out, const struct gap_item *item)
{
    if (!item->stated) {
        put_asked(ctx, out, item);
        return true;
    }
    return record_write(ctx, out, kind_of_gaps(), "gap", item->id);
}

static bool put_page(struct context *ctx, struct json_out *out, const struct gap_list *list,
                     size_t from, size_t limit)
{
    size_t end = from + limit < list->n ? from + limit : list->n;
    json_begin_object(out);
    json_key(out, "items");
    json_begin_array(out);
    for (size_t i = from; i < end; i++) {
        if (!put_item(ctx, out, &list->items[i])) {
            return false;
        }
    }
    json_end_array(out);
    json_put_text(out, "rank_formula", GAP_RANK_FORMULA);
    json_put_number(out, "total", (double)list->n);
    json_put_text(out, "next_cursor",
                  end < list->n ? cursor_of(ctx->request->arena, &list->items[end - 1]) : NULL);
    json_end_object(out);
    return true;
}

/* Texts of gaps hold no line ends; quotes are doubled. */
static void put_csv_text(struct json_out *out, const char *text)
{
    out_text(out, "\"");
    for (; text && *text; text++) {
        out_bytes(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    }
    out_text(out, "\"");
}

static void put_csv(struct context *ctx, struct json_out *out, const struct gap_list *list,
                    size_t from, size_t limit)
{
    struct arena *arena = ctx->request->arena;
    out_text(out, "id,kind,status,asked,width,rank,first_asked,last_asked,question\r\n");
    for (size_t i = from; i < list->n && i < from + limit; i++) {
        const struct gap_item *item = &list->items[i];
        const char *first = gap_time(arena, item->count.first_asked_s);
        const char *last = gap_time(arena, item->count.last_asked_s);
        out_printf(out, "%s,%s,%s,", item->id, item->stated ? "stated" : "asked", item->status);
        out_number(out, (double)item->count.asked);
        out_text(out, ",");
        if (!isnan(item->width)) {
            out_number(out, item->width);
        }
        out_text(out, ",");
        out_number(out, item->rank);
        out_printf(out, ",%s,%s,", first ? first : "", last ? last : "");
        put_csv_text(out, item->question);
        out_text(out, "\r\n");
    }
}

/* Everything that the filters leave, in order; false when a reply has been written. */
static bool collect(struct context *ctx, const struct list_query *query, struct gap_list *ret_list)
{
    size_t max = STATED_MAX + gaps_snapshot(app_gaps(ctx->app), NULL, 0);
    *ret_list = (struct gap_list){
        .items = arena_alloc_raw(ctx->request->arena, max * sizeof(struct gap_item)), .max = max};
    if (!ret_list->items || !collect_stated(ctx, query, ret_list)) {
        problem_status(ctx, 503, "the store cannot be read at the moment; try again");
        return false;
    }
    collect_asked(ctx, query, ret_list);
    qsort(ret_list->items, ret_list->n, sizeof(struct gap_item), item_order);
    return true;
}

/* Where the page begins; false, with a fault, for a cursor of another list. */
static bool page_start(const struct gap_list *list, const char *cursor, struct faults *faults,
                       size_t *ret_from)
{
    struct gap_item place;
    size_t from = 0;
    if (!cursor) {
        *ret_from = 0;
        return true;
    }
    if (!cursor_place(cursor, &place)) {
        fault_add(faults, "?cursor", NULL, "is not a next_cursor of this list");
        return false;
    }
    while (from < list->n && item_order(&list->items[from], &place) <= 0) {
        from++;
    }
    *ret_from = from;
    return true;
}

void gaps_list_handler(struct context *ctx)
{
    struct list_query query;
    struct gap_list list;
    struct faults faults;
    struct json_out out;
    size_t from = 0;
    faults_init(&faults, ctx->request->arena);
    if (!list_query_read(ctx, kind_of_gaps(), &faults, &query)) {
        problem_faults(ctx, &faults);
        return;
    }
    if (!collect(ctx, &query, &list)) {
        return;
    }
    if (!page_start(&list, query.cursor, &faults, &from)) {
        problem_faults(ctx, &faults);
        return;
    }
    reply_begin(ctx, &out);
    if (strcmp(ctx->format, MEDIA_CSV) == 0) {
        put_csv(ctx, &out, &list, from, (size_t)query.limit);
    } else if (!put_page(ctx, &out, &list, from, (size_t)query.limit)) {
        problem_status(ctx, 503, "the store cannot be read at the moment; try again");
        return;
    }
    reply_write(ctx, 200, &out);
}
