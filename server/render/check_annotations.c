#include "check_annotations.h"

#include <inttypes.h>
#include <string.h>

#include "text_layout.h"
#include "verdict.h"

/* The file of a report that nobody named one for. */
#define NO_FILE "deployment"

/* FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
#define FNV_OFFSET UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

/* The sentence and the first cure, one line. */
static void message_of(struct json_out *out, const struct check_report *report,
                       const struct check *check, struct phrase *phrase)
{
    const struct check_cure *cure = check_cure_for(report, check, 0);

    check_sentence(check, phrase);
    if (!cure) {
        phrase_add(phrase, ". Fix: " CHECK_NO_CURE);
        return;
    }
    const char *flags = check_cure_flags(out->arena, report, cure);
    struct phrase effect;
    check_cure_effect(cure, &effect);
    phrase_add(phrase, ". Fix: ");
    phrase_add(phrase, flags ? flags : cure->id);
    phrase_add(phrase, check_cure_passes(cure, check->id) ? " (" : " (not enough alone; ");
    phrase_add_n(phrase, effect.text, effect.length);
    phrase_add(phrase, ")");
}

/* GitHub ----------------------------------------------------------------------------------------
 */

/* Data of a workflow command; a property escapes its own delimiters too. */
static void put_data(struct json_out *out, const char *text, bool property)
{
    for (; *text; text++) {
        if (*text == '%' || *text == '\r' || *text == '\n' ||
            (property && (*text == ':' || *text == ',')))
            out_printf(out, "%%%02X", (unsigned)(unsigned char)*text);
        else
            out_bytes(out, text, 1);
    }
}

static void put_command(struct json_out *out, const struct check_report *report,
                        const char *command, const char *title, const char *message)
{
    out_printf(out, "::%s ", command);
    if (report->file) {
        out_text(out, "file=");
        put_data(out, report->file, true);
        out_text(out, ",line=1,");
    }
    out_text(out, "title=");
    put_data(out, title, true);
    out_text(out, "::");
    put_data(out, message, false);
    out_text(out, "\n");
}

static void put_summary(struct json_out *out, const struct check_report *report)
{
    const struct check_list *checks = report->checks;
    struct phrase line, deployment;

    verdict_deployment(report->request, &deployment);
    phrase_begin(&line);
    phrase_add_n(&line, deployment.text, deployment.length);
    phrase_add(&line, ": ");
    phrase_whole(&line, check_count(checks, CHECK_PASS));
    phrase_add(&line, " checks pass, ");
    phrase_whole(&line, check_count(checks, CHECK_FAIL));
    phrase_add(&line, " fail, ");
    phrase_whole(&line, check_count(checks, CHECK_UNKNOWN));
    phrase_add(&line, " unknown");
    const char *title = arena_printf(out->arena, "regime %s", check_verdict_name(checks->verdict));
    put_command(out, report, "notice", title ? title : "regime", phrase_text(&line));
}

void check_github_write(struct json_out *out, const struct check_report *report)
{
    size_t from = out->length;
    struct phrase message;

    for (int i = 0; i < report->checks->n; i++) {
        const struct check *check = &report->checks->items[i];
        if (check->verdict == CHECK_PASS)
            continue;
        bool fails = check->verdict == CHECK_FAIL || report->unknown_fails;
        const char *title = arena_printf(out->arena, "regime %s %s", check_name(check->id),
                                         check_verdict_name(check->verdict));
        message_of(out, report, check, &message);
        put_command(out, report, fails ? "error" : "warning", title ? title : "regime",
                    phrase_text(&message));
    }
    put_summary(out, report);
    text_clean(out, from, false);
}

/* GitLab ----------------------------------------------------------------------------------------
 */

static uint64_t hash(uint64_t from, const char *text)
{
    for (; *text; text++)
        from = (from ^ (unsigned char)*text) * FNV_PRIME;
    return from;
}

/* The same check of the same deployment in the same file has the same fingerprint. */
static const char *fingerprint(struct arena *arena, const struct check_report *report,
                               const struct check *check)
{
    struct phrase deployment;
    uint64_t value = hash(FNV_OFFSET, report->file ? report->file : NO_FILE);

    verdict_deployment(report->request, &deployment);
    value = hash(value, phrase_text(&deployment));
    value = hash(value, check_name(check->id));
    return arena_printf(arena, "%016" PRIx64, value);
}

/* What stops a start is worse than what misses an objective. */
static const char *severity(const struct check *check)
{
    if (check->verdict == CHECK_UNKNOWN)
        return "minor";
    return check_info(check->id)->is_shape || check->id == CHECK_MEMORY_FITS ? "blocker" : "major";
}

static void write_entry(struct json_out *out, const struct check_report *report,
                        const struct check *check)
{
    struct phrase message;

    message_of(out, report, check, &message);
    json_begin_object(out);
    json_put_text(out, "description", phrase_text(&message));
    const char *name = arena_printf(out->arena, "regime/%s", check_name(check->id));
    json_put_text(out, "check_name", name);
    json_put_text(out, "fingerprint", fingerprint(out->arena, report, check));
    json_put_text(out, "severity", severity(check));
    json_key(out, "location");
    json_begin_object(out);
    json_put_text(out, "path", report->file ? report->file : NO_FILE);
    json_key(out, "lines");
    json_begin_object(out);
    json_put_number(out, "begin", 1);
    json_end_object(out);
    json_end_object(out);
    json_end_object(out);
}

void check_gitlab_write(struct json_out *out, const struct check_report *report)
{
    json_begin_array(out);
    for (int i = 0; i < report->checks->n; i++)
        if (report->checks->items[i].verdict != CHECK_PASS)
            write_entry(out, report, &report->checks->items[i]);
    json_end_array(out);
}
