#include "check_junit.h"

#include <string.h>

#include "text_layout.h"
#include "verdict.h"

/* Text or an attribute's value: markup escaped, the two characters that are none of XML 1.0 beside
 * those that text_clean() replaces are '?'. */
static void put_escaped(struct json_out *out, const char *text)
{
    static const struct {
        char character;
        const char *entity;
    } ENTITIES[] = {{'&', "&amp;"},
                    {'<', "&lt;"},
                    {'>', "&gt;"},
                    {'"', "&quot;"},
                    {'\'', "&apos;"},
                    /* a parser makes spaces of these in an attribute */
                    {'\n', "&#10;"},
                    {'\r', "&#13;"},
                    {'\t', "&#9;"}};

    while (*text) {
        size_t plain = strcspn(text, "&<>\"'\n\r\t\xEF");
        out_bytes(out, text, plain);
        text += plain;
        if (*text == '\xEF') {
            bool none =
                strncmp(text, "\xEF\xBF\xBE", 3) == 0 || strncmp(text, "\xEF\xBF\xBF", 3) == 0;
            out_bytes(out, none ? "?" : text, 1);
            text += none ? 3 : 1;
        }
        for (size_t i = 0; *text && i < ARRAY_LEN(ENTITIES); i++) {
            if (*text != ENTITIES[i].character)
                continue;
            out_text(out, ENTITIES[i].entity);
            text++;
            break;
        }
    }
}

static void put_attribute(struct json_out *out, const char *name, const char *text)
{
    out_printf(out, " %s=\"", name);
    put_escaped(out, text);
    out_text(out, "\"");
}

static void put_counts(struct json_out *out, const struct check_report *report)
{
    const struct check_list *checks = report->checks;
    int unknown = check_count(checks, CHECK_UNKNOWN);
    int failures = check_count(checks, CHECK_FAIL) + (report->unknown_fails ? unknown : 0);

    out_printf(out, " tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"0\"",
               checks->n, failures, report->unknown_fails ? 0 : unknown);
}

static void write_cures(struct json_out *out, const struct check_report *report,
                        const struct check *check)
{
    struct phrase effect;
    const struct check_cure *cure;

    if (!check_cure_for(report, check, 0))
        out_text(out, "\nfix: " CHECK_NO_CURE);
    for (int i = 0; (cure = check_cure_for(report, check, i)) != NULL; i++) {
        const char *flags = check_cure_flags(out->arena, report, cure);
        check_cure_effect(cure, &effect);
        out_text(out, "\nfix: ");
        put_escaped(out, flags ? flags : cure->id);
        out_text(out, check_cure_passes(cure, check->id) ? " (passes; " : " (still no pass; ");
        put_escaped(out, phrase_text(&effect));
        out_text(out, ")");
    }
}

static void write_case(struct json_out *out, const struct check_report *report,
                       const struct check *check, const char *suite)
{
    bool skips = check->verdict == CHECK_UNKNOWN && !report->unknown_fails;
    const char *element = skips ? "skipped" : "failure";
    struct phrase sentence;

    check_sentence(check, &sentence);
    out_text(out, "    <testcase");
    out_printf(out, " classname=\"regime.%s\" name=\"%s\" time=\"0\">\n", suite,
               check_name(check->id));
    if (check->verdict == CHECK_PASS) {
        out_text(out, "      <system-out>");
        put_escaped(out, phrase_text(&sentence));
        out_text(out, "</system-out>\n    </testcase>\n");
        return;
    }
    out_printf(out, "      <%s", element);
    if (!skips)
        put_attribute(out, "type", check_verdict_name(check->verdict));
    put_attribute(out, "message", phrase_text(&sentence));
    out_text(out, ">");
    put_escaped(out, phrase_text(&sentence));
    write_cures(out, report, check);
    out_printf(out, "</%s>\n    </testcase>\n", element);
}

void check_junit_write(struct json_out *out, const struct check_report *report, const char *suite)
{
    size_t from = out->length;
    struct phrase deployment;

    verdict_deployment(report->request, &deployment);
    out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"regime\"");
    put_counts(out, report);
    out_text(out, ">\n  <testsuite");
    put_attribute(out, "name", phrase_text(&deployment));
    put_counts(out, report);
    out_text(out, ">\n    <properties>\n      <property name=\"verdict\"");
    put_attribute(out, "value", check_verdict_name(report->checks->verdict));
    out_text(out, "/>\n    </properties>\n");
    for (int i = 0; i < report->checks->n; i++)
        write_case(out, report, &report->checks->items[i], suite);
    out_text(out, "  </testsuite>\n</testsuites>\n");
    text_clean(out, from, false);
}
