#include "check_text.h"

#include <string.h>

#include "request_json.h"
#include "text_layout.h"
#include "verdict.h"

#define INDENT 8
#define CURES_SHOWN 2
/* Of warnings and of what was assumed. */
#define NOTES_SHOWN 4

static const char *const MARKS[CHECK_VERDICT_COUNT] = {
    [CHECK_PASS] = "  pass  ", [CHECK_FAIL] = "  FAIL  ", [CHECK_UNKNOWN] = "  ????  "};

/* What the text has said so far. */
struct text {
    struct json_out *out;
    const struct check_report *report;
    const struct check_cure *said[CHECK_CURES_MAX]; /* cures whose effect stands above */
    int n_said;
};

/* A phrase as a paragraph behind a beginning. */
static void paragraph(struct json_out *out, const char *beginning, struct phrase *phrase)
{
    out_text(out, beginning);
    text_wrap(out, phrase_text(phrase), text_columns(beginning), INDENT);
}

/* Whether the cure's effect stands above; from now on it does. */
static bool is_said(struct text *text, const struct check_cure *cure)
{
    for (int i = 0; i < text->n_said; i++)
        if (text->said[i] == cure)
            return true;
    if (text->n_said < CHECK_CURES_MAX)
        text->said[text->n_said++] = cure;
    return false;
}

static void write_cure(struct text *text, const struct check *check, const struct check_cure *cure)
{
    struct json_out *out = text->out;
    const char *flags = check_cure_flags(out->arena, text->report, cure);
    struct phrase line, effect;

    phrase_begin(&line);
    phrase_add(&line, flags ? flags : cure->id);
    phrase_add(&line, check_cure_passes(cure, check->id) ? " -> passes" : " -> still no pass");
    if (is_said(text, cure)) {
        phrase_add(&line, ", as above");
        paragraph(out, "        fix: ", &line);
        return;
    }
    check_cure_effect(cure, &effect);
    phrase_add(&line, "; ");
    phrase_add_n(&line, effect.text, effect.length);
    if (cure->basis == BASIS_ASSUMED)
        phrase_add(&line, " (rests on an assumption)");
    paragraph(out, "        fix: ", &line);
}

static void write_check(struct text *text, const struct check *check)
{
    struct phrase line, sentence;

    check_sentence(check, &sentence);
    phrase_begin(&line);
    phrase_add(&line, check_name(check->id));
    phrase_add(&line, ": ");
    phrase_add_n(&line, sentence.text, sentence.length);
    paragraph(text->out, MARKS[check->verdict], &line);
    if (check->verdict == CHECK_PASS)
        return;
    for (int i = 0; i < CURES_SHOWN; i++) {
        const struct check_cure *cure = check_cure_for(text->report, check, i);
        if (cure)
            write_cure(text, check, cure);
        else if (i == 0)
            out_text(text->out, "        fix: " CHECK_NO_CURE "\n");
    }
}

static void write_verdict(struct text *text, enum check_verdict verdict)
{
    const struct check_list *checks = text->report->checks;

    for (int i = 0; i < checks->n; i++)
        if (checks->items[i].verdict == verdict)
            write_check(text, &checks->items[i]);
}

/* Shapes that pass are worth one line together. */
static void write_passing(struct text *text)
{
    const struct check_list *checks = text->report->checks;
    struct phrase line;
    int shapes = 0;

    phrase_begin(&line);
    for (int i = 0; i < checks->n; i++) {
        const struct check *check = &checks->items[i];
        if (check->verdict != CHECK_PASS)
            continue;
        if (!check_info(check->id)->is_shape) {
            write_check(text, check);
            continue;
        }
        phrase_add(&line, shapes++ ? ", " : "");
        phrase_add(&line, check_name(check->id));
    }
    if (shapes)
        paragraph(text->out, MARKS[CHECK_PASS], &line);
}

void check_text_checks(struct json_out *out, const struct check_report *report)
{
    struct text text = {.out = out, .report = report};

    write_verdict(&text, CHECK_FAIL);
    write_verdict(&text, CHECK_UNKNOWN);
    write_passing(&text);
}

const char *check_text_verdict(enum check_verdict verdict)
{
    static const char *const HEADS[CHECK_VERDICT_COUNT] = {
        [CHECK_PASS] = "PASS", [CHECK_FAIL] = "FAIL", [CHECK_UNKNOWN] = "UNKNOWN"};

    return HEADS[verdict];
}

static void write_head(struct json_out *out, const struct check_report *report)
{
    struct phrase line, rest;

    phrase_begin(&line);
    phrase_add(&line, check_text_verdict(report->checks->verdict));
    phrase_add(&line, "  ");
    verdict_deployment(report->request, &rest);
    phrase_add_n(&line, rest.text, rest.length);
    paragraph(out, "", &line);
    verdict_load(&report->plan->problem.load, &line);
    paragraph(out, "      ", &line);
}

static void write_warnings(struct json_out *out, const struct check_report *report)
{
    const struct described_note *note = report->request->described.notes;
    struct phrase line;
    int shown = 0;

    for (; note && shown < NOTES_SHOWN; note = note->next, shown++) {
        phrase_begin(&line);
        phrase_add(&line, note->detail);
        paragraph(out, "  !     ", &line);
    }
    for (int i = 0; i < report->plan->n_warnings && shown < NOTES_SHOWN; i++, shown++) {
        verdict_warning(&report->plan->warnings[i], &line);
        paragraph(out, "  !     ", &line);
    }
}

static void write_ignored(struct json_out *out, const struct check_report *report)
{
    const struct described_flag *flag = report->request->described.flags;
    struct phrase line;

    if (!flag)
        return;
    phrase_begin(&line);
    phrase_add(&line, "ignored flags:");
    for (; flag; flag = flag->next) {
        phrase_add(&line, " ");
        phrase_add(&line, flag->flag);
    }
    paragraph(out, "  ", &line);
}

/* What decides most of a verdict, with its value where nobody gave it. */
static void write_assumed(struct json_out *out, const struct check_report *report)
{
    static const enum field_id SHOWN[] = {
        FIELD_ID_ENGINE,
        FIELD_ID_ENGINE_VERSION,
        FIELD_ID_WEIGHTS,
        FIELD_ID_KV_CACHE,
        FIELD_ID_TP,
        FIELD_ID_MAX_NUM_SEQS,
        FIELD_ID_MAX_MODEL_LEN,
        FIELD_ID_MEMORY_UTILIZATION,
        FIELD_ID_CHUNKED_PREFILL,
        FIELD_ID_CONCURRENCY,
        FIELD_ID_INPUT_TOKENS,
        FIELD_ID_OUTPUT_TOKENS,
    };

    const struct plan_request *request = report->request;
    struct json_out values;
    int all = 0, shown = 0;

    json_out_init(&values, out->arena, 512, 4096);
    for (int i = 0; i < FIELD_ID_COUNT; i++)
        all += request->assumed[i];
    for (size_t i = 0; i < ARRAY_LEN(SHOWN); i++) {
        if (!request->assumed[SHOWN[i]])
            continue;
        out_text(&values, shown++ ? ", " : "assumed: ");
        request_text_leaf(&values, request, SHOWN[i]);
    }
    if (all > shown)
        out_printf(&values, shown ? ", and %d more" : "assumed: %d leaves", all - shown);
    out_bytes(&values, "", 1);
    if (!all || !json_out_ok(&values))
        return;
    out_text(out, "  ");
    text_wrap(out, values.text, 2, INDENT);
}

/* Build servers read a line that begins with "::", and "##[" anywhere in it, as a command: a name
 * in a request must not give one. https://docs.github.com/actions/reference/workflow-commands */
static void defuse_commands(struct json_out *out, size_t from)
{
    bool begins = true;

    for (size_t i = from; i + 1 < out->length; i++) {
        const char *at = out->text + i;
        bool command = (begins && memcmp(at, "::", 2) == 0) ||
                       (i + 2 < out->length && memcmp(at, "##[", 3) == 0);
        begins = *at == '\n' || (begins && *at == ' ');
        if (command)
            out->text[i] = '?';
    }
}

void check_text_finish(struct json_out *out, size_t from)
{
    static const char CUT[] = "  ...   more is in the JSON reply\n";
    int lines = 0;

    text_clean(out, from, true);
    if (!json_out_ok(out))
        return;
    defuse_commands(out, from);
    for (size_t i = from; i < out->length; i++) {
        lines += out->text[i] == '\n';
        if (lines == CHECK_TEXT_LINES - 1 && i + 1 < out->length &&
            memchr(out->text + i + 1, '\n', out->length - i - 2)) {
            out->length = i + 1;
            out_text(out, CUT);
            return;
        }
    }
}

void check_text_write(struct json_out *out, const struct check_report *report)
{
    size_t from = out->length;

    write_head(out, report);
    check_text_checks(out, report);
    write_warnings(out, report);
    write_ignored(out, report);
    write_assumed(out, report);
    check_text_finish(out, from);
}
