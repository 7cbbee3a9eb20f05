/* Verdicts for build servers: well-formed whatever a request is called, and within one screen. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check_kit.h"
#include "check_text.h"
#include "compiler.h"
#include "text_layout.h"

/* A part whose name ends elements, attributes and lines, begins commands, and is no text. */
#define HOSTILE                                                                                    \
    "]]>\\\"'&amp;<x> %0A::error::a\\n::stop-commands::b\\r\\n ##[add-mask]c \\u0001\\u001b[2J"    \
    "\\uFFFE\\uFFFF\\u202E\\u2028 ,title=d"

static const char *const BODIES[] = {
    "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}",
    "{\"model\":\"llama-3.1-70b\",\"hardware\":\"h100-sxm\",\"deployment\":{\"tp\":3},\"workload\":"
    "{\"concurrency\":64,\"input_tokens\":4096,\"output_tokens\":512},\"slo\":{\"ttft_ms\":500,"
    "\"tpot_ms\":30,\"output_tok_s\":1e6}}",
    "{\"model\":\"llama-3.1-8b\",\"hardware\":{\"memory_gb\":24,\"mem_bw_gbps\":1000,\"id\":"
    "\"" HOSTILE "\",\"name\":\"" HOSTILE "\"},\"deployment\":{\"engine_version\":\"" HOSTILE
    "\",\"tp\":3},\"slo\":{\"tpot_ms\":5,\"ttft_ms\":1}}",
    "{\"model\":\"deepseek-v3\",\"hardware\":\"h100-sxm\",\"deployment\":{\"tp\":7,\"pp\":5,"
    "\"ep\":3,\"weights\":\"q4_k_m\",\"engine\":\"trtllm\",\"max_model_len\":1024},\"workload\":{"
    "\"concurrency\":5000,\"input_tokens\":100000,\"output_tokens\":20000},\"slo\":{\"ttft_ms\":1,"
    "\"tpot_ms\":1,\"output_tok_s\":1e8}}",
};

static const char *reply_of(const struct app_kit *kit, const char *format, const char *body)
{
    char target[200];
    snprintf(target, sizeof(target),
             "/v1/check?file=k8s/%%3Cllm%%3E%%0A%%2C%%3A%%3Ax.yaml&format=%s", format);
    return check_kit_reply(kit, target, body, 200);
}

/* XML ------------------------------------------------------------------------------------------ */

#define DEPTH_MAX 8
#define NAME_MAX_LENGTH 31

struct xml {
    const char *at;
    char open[DEPTH_MAX][NAME_MAX_LENGTH + 1];
    int depth, cases, failures, skipped;
};

static void expect(const struct xml *xml, bool good, const char *what)
{
    if (!good)
        fail_msg("%s at \"%.60s\"", what, xml->at);
}

/* A name of letters; into `ret_name`. */
static void read_name(struct xml *xml, char ret_name[NAME_MAX_LENGTH + 1])
{
    int n = 0;
    while ((isalpha((unsigned char)*xml->at) || *xml->at == '-') && n < NAME_MAX_LENGTH)
        ret_name[n++] = *xml->at++;
    ret_name[n] = '\0';
    expect(xml, n > 0, "no name");
}

/* Characters of XML 1.0, up to `end`: entities known, no markup, no control character; no end of a
 * line in an attribute, where it would be a space. */
static void read_text(struct xml *xml, char end)
{
    static const char *const ENTITIES[] = {"&amp;",  "&lt;",  "&gt;",  "&quot;",
                                           "&apos;", "&#10;", "&#13;", "&#9;"};

    for (; *xml->at && *xml->at != end; xml->at++) {
        unsigned char c = (unsigned char)*xml->at;
        bool entity = c != '&';
        for (size_t i = 0; c == '&' && i < ARRAY_LEN(ENTITIES); i++)
            entity |= strncmp(xml->at, ENTITIES[i], strlen(ENTITIES[i])) == 0;
        expect(xml, entity, "unknown entity");
        expect(xml, c != '<' && c != '"' && c != '\'', "markup in text");
        expect(xml, c >= ' ' || (c == '\n' && end != '"'), "control character");
        expect(xml, strncmp(xml->at, "\xEF\xBF\xBE", 3) != 0, "no XML character");
        expect(xml, strncmp(xml->at, "\xEF\xBF\xBF", 3) != 0, "no XML character");
    }
    expect(xml, *xml->at == end, "ends in text");
}

static void read_attributes(struct xml *xml)
{
    char name[NAME_MAX_LENGTH + 1];
    while (*xml->at == ' ') {
        xml->at++;
        read_name(xml, name);
        expect(xml, strncmp(xml->at, "=\"", 2) == 0, "no value");
        xml->at += 2;
        read_text(xml, '"');
        xml->at++;
    }
}

/* A start or end tag behind its '<'. */
static void read_tag(struct xml *xml)
{
    char name[NAME_MAX_LENGTH + 1];
    bool ends = *xml->at == '/';
    xml->at += ends;
    read_name(xml, name);
    if (ends) {
        expect(xml, xml->depth > 0 && strcmp(xml->open[xml->depth - 1], name) == 0, "bad nesting");
        xml->depth--;
    } else {
        read_attributes(xml);
        xml->cases += strcmp(name, "testcase") == 0;
        xml->failures += strcmp(name, "failure") == 0;
        xml->skipped += strcmp(name, "skipped") == 0;
        expect(xml, xml->depth < DEPTH_MAX, "too deep");
        if (*xml->at == '/')
            xml->at++;
        else
            memcpy(xml->open[xml->depth++], name, sizeof(name));
    }
    expect(xml, *xml->at == '>', "tag does not end");
    xml->at++;
}

static struct xml read_document(const char *text)
{
    static const char HEAD[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    struct xml xml = {.at = text};
    expect(&xml, strncmp(text, HEAD, sizeof(HEAD) - 1) == 0, "no declaration");
    xml.at += sizeof(HEAD) - 1;
    while (*xml.at) {
        if (*xml.at == '<') {
            xml.at++;
            read_tag(&xml);
        } else if (xml.depth == 0) {
            expect(&xml, *xml.at == '\n', "text outside");
            xml.at++;
        } else {
            read_text(&xml, '<');
        }
    }
    expect(&xml, xml.depth == 0, "element is open");
    return xml;
}

static int count_of(const char *text, const char *name)
{
    char attribute[40];
    snprintf(attribute, sizeof(attribute), " %s=\"", name);
    const char *at = strstr(text, attribute);
    assert_non_null(at);
    return (int)strtol(at + strlen(attribute), NULL, 10);
}

static void junit_is_well_formed(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(BODIES); i++)
        for (int k = 0; k < 2; k++) {
            const char *text = reply_of(*state, k ? "junit&unknown=pass" : "junit", BODIES[i]);
            struct xml xml = read_document(text);
            assert_int_equal(xml.cases, count_of(text, "tests"));
            assert_int_equal(xml.failures, count_of(text, "failures"));
            assert_int_equal(xml.skipped, count_of(text, "skipped"));
            assert_true(xml.cases > 5);
            assert_true(k || xml.skipped == 0);
        }
}

/* GitHub --------------------------------------------------------------------------------------- */

/* Behind the command that a line begins with; NULL where it begins with none. */
static const char *behind_command(const char *line)
{
    static const char *const COMMANDS[] = {"::error ", "::warning ", "::notice "};

    for (size_t k = 0; k < ARRAY_LEN(COMMANDS); k++)
        if (strncmp(line, COMMANDS[k], strlen(COMMANDS[k])) == 0)
            return line + strlen(COMMANDS[k]);
    return NULL;
}

/* One command per line, nothing of a name begins another or adds a property. */
static void github_gets_commands_alone(void **state)
{
    static const char FILE_PROPERTY[] = "file=k8s/<llm>%0A%2C%3A%3Ax.yaml,line=1,title=regime ";

    for (size_t i = 0; i < ARRAY_LEN(BODIES); i++) {
        const char *text = reply_of(*state, "github", BODIES[i]);
        while (*text) {
            const char *end = strchr(text, '\n'), *properties = behind_command(text);
            assert_non_null(end);
            if (!properties || strncmp(properties, FILE_PROPERTY, sizeof(FILE_PROPERTY) - 1) != 0)
                fail_msg("body %zu: %.120s", i, text);
            for (; text < end; text++)
                assert_true((unsigned char)*text >= ' ');
            text++;
        }
    }
}

/* GitLab --------------------------------------------------------------------------------------- */

/* https://docs.gitlab.com/ci/testing/code_quality: description, check_name, fingerprint, severity,
 * location.path, location.lines.begin. */
static void gitlab_gets_its_report(void **state)
{
    static const char *const SEVERITIES[] = {"info", "minor", "major", "critical", "blocker"};

    for (size_t i = 0; i < ARRAY_LEN(BODIES); i++) {
        cJSON *list = cJSON_Parse(reply_of(*state, "gitlab", BODIES[i]));
        const cJSON *entry = NULL;
        assert_true(cJSON_IsArray(list));
        assert_int_equal(cJSON_GetArraySize(list) > 0, i > 0);
        cJSON_ArrayForEach(entry, list)
        {
            bool known = false;
            for (size_t k = 0; k < ARRAY_LEN(SEVERITIES); k++)
                known |= strcmp(app_kit_text(entry, "severity"), SEVERITIES[k]) == 0;
            assert_true(known);
            assert_true(app_kit_text(entry, "description")[0]);
            assert_memory_equal(app_kit_text(entry, "check_name"), "regime/", 7);
            assert_int_equal(strlen(app_kit_text(entry, "fingerprint")), 16);
            assert_string_equal(app_kit_text(entry, "location/path"), "k8s/<llm>\n,::x.yaml");
            assert_true(app_kit_number(entry, "location/lines/begin") == 1);
            for (const cJSON *other = list->child; other != entry; other = other->next)
                assert_string_not_equal(app_kit_text(entry, "fingerprint"),
                                        app_kit_text(other, "fingerprint"));
        }
        cJSON_Delete(list);
    }
}

/* A log's screen ------------------------------------------------------------------------------- */

static void check_screen(const char *text)
{
    int lines = 0;
    assert_null(strstr(text, "##["));
    while (*text) {
        char line[TEXT_COLUMNS * 4];
        size_t length = strcspn(text, "\n");
        assert_true(length < sizeof(line));
        memcpy(line, text, length);
        line[length] = '\0';
        assert_true(text_columns(line) <= TEXT_COLUMNS);
        assert_true(strncmp(line + strspn(line, " "), "::", 2) != 0);
        for (size_t i = 0; i < length; i++)
            assert_true((unsigned char)line[i] >= ' ' && (unsigned char)line[i] < 0x7F);
        assert_int_equal(text[length], '\n');
        text += length + 1;
        lines++;
    }
    assert_in_range(lines, 5, CHECK_TEXT_LINES);
}

static void a_text_fits_a_screen(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(BODIES); i++) {
        char *body = NULL;
        size_t size = 2 * strlen(BODIES[i]) + 64;
        check_screen(reply_of(*state, "text", BODIES[i]));
        body = malloc(size);
        assert_non_null(body);
        snprintf(body, size, "{\"baseline\":%s,\"candidate\":%s}", BODIES[i], BODIES[i]);
        check_screen(check_kit_reply(*state, "/v1/compare?format=text", body, 200));
        (void)read_document(check_kit_reply(*state, "/v1/compare?format=junit", body, 200));
        free(body);
    }
}

/* What fails comes first, each with a cure. */
static void failures_come_first(void **state)
{
    const char *text = reply_of(*state, "text", BODIES[1]);
    const char *fail = strstr(text, "  FAIL  "), *pass = strstr(text, "  pass  ");
    assert_non_null(fail);
    assert_non_null(pass);
    assert_true(fail < pass);
    assert_non_null(strstr(text, "tp_divides_heads: tp 3 does not divide the 64 attention heads"));
    assert_non_null(strstr(text, "fix: --tensor-parallel-size 4 -> passes; devices +33 %"));
    assert_null(strstr(pass, "  FAIL  "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(junit_is_well_formed),   cmocka_unit_test(github_gets_commands_alone),
        cmocka_unit_test(gitlab_gets_its_report), cmocka_unit_test(a_text_fits_a_screen),
        cmocka_unit_test(failures_come_first),
    };

    return cmocka_run_group_tests(tests, app_kit_setup, app_kit_teardown);
}
