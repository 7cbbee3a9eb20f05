/* backtest_json.c - a backtest as JSON and as CSV. */
#include <math.h>
#include <string.h>

#include "anchors.h"
#include "backtest_view.h"
#include "csv_cells.h"
#include "number.h"
#include "request_query.h"

static void put_rounded(struct json_out *out, const char *name, double value)
{
    json_put_number(out, name, number_short(value));
}

/* ---- groups ---- */

static void put_errors(struct json_out *out, const struct backtest_errors *errors)
{
    json_begin_object(out);
    json_put_number(out, "n", errors->n);
    put_rounded(out, "median", errors->median);
    put_rounded(out, "p90", errors->p90);
    put_rounded(out, "bias", errors->bias);
    put_rounded(out, "inside", errors->inside);
    put_rounded(out, "covered", errors->covered);
    json_end_object(out);
}

static void put_group(struct json_out *out, const struct backtest_view *view,
                      const struct backtest_group *group)
{
    json_begin_object(out);
    json_put_text(out, "by", backtest_dimension_name(group->by));
    json_put_text(out, "value",
                  backtest_value_name(view->backtest, view->catalogue, group->by, group->value));
    json_put_text(out, "metric", metric_info(group->metric)->name);
    json_put_number(out, "n", group->n);
    json_key(out, "left_out");
    json_begin_object(out);
    for (int i = 0; i < HOLDOUT_COUNT; i++) {
        if (group->errors[i].n == 0)
            continue;
        json_key(out, holdout_name((enum holdout)i));
        put_errors(out, &group->errors[i]);
    }
    json_end_object(out);
    json_end_object(out);
}

static void put_groups(struct json_out *out, const struct backtest_view *view,
                       const unsigned char *chosen, enum backtest_dimension by)
{
    int n = 0;
    const struct backtest_group *groups =
        backtest_groups(view->backtest, chosen, by, view->arena, &n);
    for (int i = 0; groups != NULL && i < n; i++)
        put_group(out, view, &groups[i]);
}

/* Another set in short, under the same filters. */
static void put_other_set(struct json_out *out, const struct backtest_view *view,
                          enum backtest_set set)
{
    struct backtest_choice choice = view->query->choice;
    unsigned char *chosen = arena_alloc_raw(view->arena, (size_t)view->backtest->n + 1);
    choice.set = set;
    json_begin_object(out);
    json_put_text(out, "set", backtest_set_name(set));
    json_put_text(out, "note", backtest_set_note(set));
    json_put_number(out, "total",
                    chosen != NULL ? backtest_choose(view->backtest, &choice, chosen) : 0);
    json_key(out, "groups");
    json_begin_array(out);
    if (chosen != NULL) {
        put_groups(out, view, chosen, BY_ALL);
        put_groups(out, view, chosen, BY_ENGINE);
    }
    json_end_array(out);
    json_put_text(out, "link",
                  arena_printf(view->arena, "/v1/backtest?set=%s", backtest_set_name(set)));
    json_end_object(out);
}

/* ---- rows ---- */

static const char *judged(unsigned char inside)
{
    return inside == JUDGED_INSIDE ? "true" : inside == JUDGED_OUTSIDE ? "false" : "null";
}

static void put_value(struct json_out *out, const struct backtest_row *row, enum holdout holdout)
{
    const struct backtest_value *value = &row->by[holdout];
    const char *inside = judged(row->inside[holdout]);
    json_begin_object(out);
    put_rounded(out, "predicted", (double)value->predicted);
    put_rounded(out, "error", backtest_error(row, holdout));
    put_rounded(out, "low", (double)value->low);
    put_rounded(out, "high", (double)value->high);
    json_key(out, "inside");
    json_raw(out, inside, strlen(inside));
    json_put_text(out, "tier", interval_tier_name(value->tier));
    json_end_object(out);
}

static void put_source(struct json_out *out, const struct backtest_source *source)
{
    json_begin_object(out);
    json_put_text(out, "id", source->id);
    json_put_text(out, "title", source->title);
    json_put_text(out, "url", source->url);
    json_end_object(out);
}

static void put_note(struct json_out *out, const struct backtest *backtest, int note)
{
    const struct backtest_note *why = note >= 0 ? &backtest->notes[note] : NULL;
    if (why == NULL) {
        json_null(out);
        return;
    }
    json_begin_object(out);
    json_put_text(out, "cause", why->cause);
    json_put_text(out, "why", why->why);
    json_key(out, "source");
    if (why->title != NULL)
        put_source(out, &(struct backtest_source){NULL, why->title, why->url});
    else
        json_null(out);
    json_end_object(out);
}

static const char *anchor_link(struct backtest_view *view, const struct backtest_row *row)
{
    struct json_out out;
    json_out_init(&out, view->arena, 128, 1024);
    out_text(&out, "/v1/anchors/");
    query_text_write(&out, view->catalogue->anchors.ids[row->anchor]);
    out_bytes(&out, "", 1);
    return json_out_ok(&out) ? out.text : NULL;
}

static void put_row(struct json_out *out, struct backtest_view *view,
                    const struct backtest_row *row)
{
    json_begin_object(out);
    json_put_text(out, "anchor", view->catalogue->anchors.ids[row->anchor]);
    json_put_text(out, "metric", metric_info(row->metric)->name);
    json_put_text(out, "unit", metric_info(row->metric)->unit);
    json_put_number(out, "measured", row->measured);
    json_key(out, "left_out");
    json_begin_object(out);
    for (int i = 0; i < HOLDOUT_COUNT; i++) {
        if (isnan((double)row->by[i].predicted))
            continue;
        json_key(out, holdout_name((enum holdout)i));
        put_value(out, row, (enum holdout)i);
    }
    json_end_object(out);
    json_key(out, "conditions");
    json_begin_object(out);
    anchor_put_conditions(out, view->catalogue, row->anchor);
    json_end_object(out);
    json_key(out, "explanation");
    put_note(out, view->backtest, row->note);
    json_key(out, "links");
    json_begin_object(out);
    json_put_text(out, "anchor", anchor_link(view, row));
    json_put_text(out, "plan", backtest_plan_link(view, row));
    json_end_object(out);
    json_key(out, "source");
    put_source(out, &view->backtest->sources[row->value[BY_SOURCE]]);
    json_end_object(out);
}

void backtest_json_write(struct json_out *out, struct backtest_view *view)
{
    enum backtest_set set = view->query->choice.set;
    json_begin_object(out);
    json_put_text(out, "set", backtest_set_name(set));
    json_put_text(out, "note", backtest_set_note(set));
    json_key(out, "groups");
    json_begin_array(out);
    for (int by = 0; by < DIMENSION_COUNT; by++)
        put_groups(out, view, view->page.chosen, (enum backtest_dimension)by);
    json_end_array(out);
    json_key(out, "other_sets");
    json_begin_array(out);
    for (int other = 0; other < SET_COUNT; other++)
        if (other != (int)set)
            put_other_set(out, view, (enum backtest_set)other);
    json_end_array(out);
    json_put_text(out, "sorted_by", view->query->by_id ? "id" : "worst");
    json_put_text(out, "left_out", holdout_name(view->query->holdout));
    json_key(out, "items");
    json_begin_array(out);
    for (int i = 0; i < view->page.n; i++)
        put_row(out, view, &view->backtest->rows[view->page.rows[i]]);
    json_end_array(out);
    json_put_number(out, "total", view->page.total);
    json_put_text(out, "next_cursor", view->page.cursor);
    json_end_object(out);
}

/* ---- as CSV ---- */

static void put_line(struct json_out *out, struct backtest_view *view,
                     const struct backtest_row *row)
{
    const struct backtest *backtest = view->backtest;
    out_text(out, view->catalogue->anchors.ids[row->anchor]);
    out_printf(out, ",%s,%s", metric_info(row->metric)->name, backtest_set_name(row->set));
    for (int by = BY_ENGINE; by < BY_SOURCE; by++)
        out_printf(out, ",%s",
                   backtest_value_name(backtest, view->catalogue, (enum backtest_dimension)by,
                                       row->value[by]));
    out_text(out, ",");
    out_number(out, row->measured);
    for (int i = 0; i < HOLDOUT_COUNT; i++) {
        csv_number(out, number_short((double)row->by[i].predicted));
        csv_number(out, number_short((double)row->by[i].low));
        csv_number(out, number_short((double)row->by[i].high));
        out_text(out, ",");
        if (row->inside[i] != JUDGED_NOT)
            out_text(out, judged(row->inside[i]));
    }
    csv_text(out, row->note >= 0 ? backtest->notes[row->note].why : NULL);
    csv_text(out, backtest_plan_link(view, row));
    csv_text(out, backtest->sources[row->value[BY_SOURCE]].url);
    out_text(out, "\r\n");
}

void backtest_csv_write(struct json_out *out, struct backtest_view *view)
{
    out_text(out, "anchor,metric,set");
    for (int by = BY_ENGINE; by < BY_SOURCE; by++)
        out_printf(out, ",%s", backtest_dimension_name((enum backtest_dimension)by));
    out_text(out, ",measured");
    for (int i = 0; i < HOLDOUT_COUNT; i++) {
        const char *name = holdout_name((enum holdout)i);
        out_printf(out, ",%s_predicted,%s_low,%s_high,%s_inside", name, name, name, name);
    }
    out_text(out, ",why,plan,source_url\r\n");
    for (int i = 0; i < view->page.n; i++)
        put_line(out, view, &view->backtest->rows[view->page.rows[i]]);
}
