/* capacity_json.c - memory against engine logs as JSON and as CSV. */
#include <math.h>
#include <string.h>

#include "capacity_view.h"
#include "csv_cells.h"
#include "number.h"

static void put_groups(struct json_out *out, const struct capacity_score *score)
{
    int n = 0;
    const struct capacity_group *groups = capacity_groups(score, out->arena, &n);
    json_key(out, "groups");
    json_begin_array(out);
    for (int i = 0; groups != NULL && i < n; i++) {
        const struct capacity_group *group = &groups[i];
        json_begin_object(out);
        json_put_text(out, "figure", capacity_figure_name(group->figure));
        json_put_text(out, "engine", group->engine);
        json_put_text(out, "kind",
                      group->kind < 0 ? NULL : capacity_kind_name((enum capacity_kind)group->kind));
        json_put_number(out, "n", group->n);
        json_put_number(out, "within_1_percent", group->within_1);
        json_put_number(out, "within_5_percent", group->within_5);
        json_put_number(out, "median", number_short(group->median));
        json_put_number(out, "p90", number_short(group->p90));
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_verdicts(struct json_out *out, const struct capacity_score *score)
{
    int counts[3][3];
    capacity_verdicts(score, NULL, counts);
    json_key(out, "out_of_memory");
    json_begin_object(out);
    json_put_number(out, "found", counts[CAPACITY_FAILS][CAPACITY_FAILS]);
    json_put_number(out, "missed", counts[CAPACITY_FAILS][CAPACITY_FITS]);
    json_put_number(out, "unknown", counts[CAPACITY_FAILS][CAPACITY_UNKNOWN]);
    json_put_number(out, "found_expected", capacity_not_fitting(score, NULL, CAPACITY_FAILS));
    json_put_number(out, "started", counts[CAPACITY_FITS][CAPACITY_FITS]);
    json_put_number(out, "false_alarms", counts[CAPACITY_FITS][CAPACITY_FAILS]);
    json_put_number(out, "started_unknown", counts[CAPACITY_FITS][CAPACITY_UNKNOWN]);
    json_put_number(out, "false_alarms_expected", capacity_not_fitting(score, NULL, CAPACITY_FITS));
    json_end_object(out);
}

static void put_rows_of(struct json_out *out, const struct capacity_score *score, int log, int *at)
{
    json_key(out, "figures");
    json_begin_array(out);
    for (; *at < score->n_rows && score->rows[*at].of == log; (*at)++) {
        const struct capacity_row *row = &score->rows[*at];
        json_begin_object(out);
        json_put_text(out, "figure", capacity_figure_name(row->figure));
        json_put_number(out, "printed", row->printed);
        json_put_number(out, "predicted", row->predicted);
        json_put_number(out, "error", number_short(row->error));
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_logs(struct json_out *out, const struct capacity_score *score)
{
    int at = 0;
    json_key(out, "items");
    json_begin_array(out);
    for (int i = 0; i < score->n_cases; i++) {
        const struct capacity_case *one = &score->cases[i];
        json_begin_object(out);
        json_put_text(out, "id", one->id);
        json_put_text(out, "title", one->title);
        json_put_text(out, "engine", one->engine[0] != '\0' ? one->engine : NULL);
        json_put_text(out, "kind", one->fault == NULL ? capacity_kind_name(one->kind) : NULL);
        json_put_text(out, "status", one->status);
        json_put_text(out, "status_reason", one->status_reason);
        json_put_text(out, "fault", one->fault);
        json_put_text(out, "seen", one->is_judged ? capacity_verdict_name(one->seen) : NULL);
        json_put_text(out, "planned", one->is_judged ? capacity_verdict_name(one->said) : NULL);
        put_rows_of(out, score, i, &at);
        json_put_text(out, "notes", one->notes);
        json_put_text(out, "source_url", one->source_url);
        json_end_object(out);
    }
    json_end_array(out);
}

void capacity_json_write(struct json_out *out, const struct capacity_score *score)
{
    json_begin_object(out);
    json_put_text(out, "set", "memory");
    json_put_text(out, "note", CAPACITY_NOTE);
    put_groups(out, score);
    put_verdicts(out, score);
    put_logs(out, score);
    json_put_number(out, "total", score->n_cases);
    json_put_null(out, "next_cursor");
    json_end_object(out);
    out_text(out, "\n");
}

void capacity_csv_write(struct json_out *out, const struct capacity_score *score)
{
    out_text(out, "log,engine,kind,figure,printed,predicted,error,seen,planned,source_url\r\n");
    for (int i = 0; i < score->n_rows; i++) {
        const struct capacity_row *row = &score->rows[i];
        const struct capacity_case *one = &score->cases[row->of];
        out_text(out, one->id);
        csv_text(out, one->engine);
        csv_text(out, capacity_kind_name(one->kind));
        csv_text(out, capacity_figure_name(row->figure));
        csv_number(out, row->printed);
        csv_number(out, row->predicted);
        csv_number(out, number_short(row->error));
        csv_text(out, one->is_judged ? capacity_verdict_name(one->seen) : NULL);
        csv_text(out, one->is_judged ? capacity_verdict_name(one->said) : NULL);
        csv_text(out, one->source_url);
        out_text(out, "\r\n");
    }
}
