#include "compare_text.h"

#include <math.h>
#include <string.h>

#include "check_text.h"
#include "request_json.h"
#include "text_layout.h"
#include "units.h"
#include "verdict.h"

#define NAME_COLUMNS 26
#define FIGURE_COLUMNS 12
#define CLASSES_SHOWN 4
#define CHANGES_SHOWN 8

static void head(struct json_out *out, const struct compare_report *report)
{
    struct phrase line, rest;

    phrase_begin(&line);
    phrase_add(&line, check_text_verdict(report->check.checks->verdict));
    phrase_add(&line, " ");
    verdict_deployment(report->candidate, &rest);
    phrase_add_n(&line, rest.text, rest.length);
    text_wrap(out, phrase_text(&line), 0, 8);
    verdict_deployment(report->baseline, &rest);
    out_text(out, "  was: ");
    text_wrap(out, phrase_text(&rest), 7, 8);
}

/* "tp 4 (was 2)": the leaf after, and its value before. */
static void write_changes(struct json_out *out, const struct compare_report *report)
{
    struct json_out line;
    int shown = 0, more = 0;

    json_out_init(&line, out->arena, 512, 8192);
    for (int i = 0; i < FIELD_ID_COUNT; i++) {
        enum field_id id = (enum field_id)i;
        if (!compare_leaf_differs(out->arena, report, id))
            continue;
        if (shown == CHANGES_SHOWN) {
            more++;
            continue;
        }
        out_text(&line, shown++ ? ", " : "changed: ");
        request_text_leaf(&line, report->candidate, id);
        out_text(&line, report->candidate->assumed[i] ? " (assumed; was " : " (was ");
        size_t name = strlen(PLAN_FIELDS.rows[i].query) + 1, from = line.length;
        request_text_leaf(&line, report->baseline, id);
        if (line.length >= from + name) {
            memmove(line.text + from, line.text + from + name, line.length - from - name);
            line.length -= name;
        }
        out_text(&line, ")");
    }
    if (!shown)
        out_text(&line, "nothing changed in the inputs");
    if (more)
        out_printf(&line, ", and %d more", more);
    out_bytes(&line, "", 1);
    if (!json_out_ok(&line))
        return;
    out_text(out, "  ");
    text_wrap(out, line.text, 2, 8);
}

static void figure_cell(struct json_out *out, double value, bool is_time)
{
    struct phrase phrase;

    phrase_begin(&phrase);
    if (is_time && !isnan(value))
        phrase_time(&phrase, value);
    else
        phrase_number(&phrase, value, 3);
    text_cell_phrase(out, &phrase, FIGURE_COLUMNS, true);
}

/* A line of the table: name, before, after, change. */
static void write_row(struct json_out *out, const char *name, double before, double after,
                      bool is_time)
{
    struct phrase phrase;

    out_text(out, "  ");
    text_cell(out, name, NAME_COLUMNS, false);
    figure_cell(out, before, is_time);
    figure_cell(out, after, is_time);
    phrase_begin(&phrase);
    if (before > 0)
        phrase_change(&phrase, compare_change(before, after));
    else
        phrase_add(&phrase, after > 0 ? "new" : "-");
    text_cell_phrase(out, &phrase, FIGURE_COLUMNS, true);
    out_text(out, "\n");
}

static double expected_at(const struct plan *plan, size_t offset)
{
    struct estimate estimate;

    memcpy(&estimate, (const char *)plan + offset, sizeof(estimate));
    return estimate.expected;
}

static void write_figures(struct json_out *out, const struct compare_report *report)
{
    text_cell(out, "", 2 + NAME_COLUMNS, false);
    text_cell(out, "baseline", FIGURE_COLUMNS, true);
    text_cell(out, "candidate", FIGURE_COLUMNS, true);
    text_cell(out, "change", FIGURE_COLUMNS, true);
    out_text(out, "\n");
    for (int i = 0; i < N_COMPARE_FIGURES; i++) {
        const struct compare_figure *figure = &COMPARE_FIGURES[i];
        bool is_time = strcmp(figure->section, "latency") == 0;
        double scale = is_time ? US_PER_MS : 1;
        write_row(out, figure->name, expected_at(report->before, figure->offset) * scale,
                  expected_at(report->after, figure->offset) * scale, is_time);
    }
    write_row(out, "kv_token_capacity", report->before->memory.kv_token_capacity,
              report->after->memory.kv_token_capacity, false);
}

static double moved_us(const struct compare_report *report, enum class_id id)
{
    const struct step *before = &report->before->decode, *after = &report->after->decode;
    double was = before->classes[id].present ? compare_class_us(before, id) : 0;
    double is = after->classes[id].present ? compare_class_us(after, id) : 0;

    return isnan(is - was) ? 0 : fabs(is - was);
}

/* The classes of the decode step whose time moved most. */
static void write_classes(struct json_out *out, const struct compare_report *report)
{
    bool shown[CLASS_COUNT] = {false};

    for (int n = 0; n < CLASSES_SHOWN; n++) {
        int most = -1;
        for (int i = 0; i < CLASS_COUNT; i++) {
            double moved = moved_us(report, (enum class_id)i);
            if (!shown[i] && moved > 0 &&
                (most < 0 || moved > moved_us(report, (enum class_id)most)))
                most = i;
        }
        if (most < 0)
            return;
        shown[most] = true;
        struct phrase name;
        phrase_begin(&name);
        phrase_add(&name, "decode ");
        phrase_add(&name, class_name((enum class_id)most));
        write_row(out, phrase_text(&name),
                  compare_class_us(&report->before->decode, (enum class_id)most),
                  compare_class_us(&report->after->decode, (enum class_id)most), true);
    }
}

static void write_moved(struct json_out *out, const struct compare_report *report)
{
    const struct plan *before = report->before, *after = report->after;
    bool moved = before->regime != after->regime || before->dominant.class != after->dominant.class;
    struct phrase line;

    phrase_begin(&line);
    phrase_add(&line, moved ? "the regime moved: " : "the regime stays: ");
    phrase_add(&line, regime_name(before->regime));
    phrase_add(&line, " / ");
    phrase_add(&line, class_name(before->dominant.class));
    if (moved) {
        phrase_add(&line, " -> ");
        phrase_add(&line, regime_name(after->regime));
        phrase_add(&line, " / ");
        phrase_add(&line, class_name(after->dominant.class));
    }
    out_text(out, "  ");
    text_wrap(out, phrase_text(&line), 2, 8);
}

void compare_text_write(struct json_out *out, const struct compare_report *report)
{
    size_t from = out->length;

    head(out, report);
    write_changes(out, report);
    write_moved(out, report);
    write_figures(out, report);
    write_classes(out, report);
    check_text_checks(out, &report->check);
    check_text_finish(out, from);
}
