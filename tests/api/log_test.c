/* What the daemon writes with --log-format json, read as a collector of logs reads it. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "harness.h"

#define HOST "Host: localhost\r\n"
#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN "00f067aa0ba902b7"
#define LOG_MAX 20000
#define LINES_MAX 20
#define PAUSE_MS 100
#define PATIENCE 100 /* pauses */

/* The lines of a log, each an object. */
struct lines {
    cJSON *line[LINES_MAX];
    int n;
};

static void read_lines(const char *log, struct lines *ret_lines)
{
    *ret_lines = (struct lines){0};
    while (*log) {
        size_t length = strcspn(log, "\n");
        const char *end = NULL;
        assert_int_equal(log[length], '\n');
        assert_true(ret_lines->n < LINES_MAX);
        cJSON *line = cJSON_ParseWithLengthOpts(log, length, &end, false);
        if (!line || end != log + length)
            fail_msg("no JSON: %s", log);
        ret_lines->line[ret_lines->n++] = line;
        log += length + 1;
    }
}

static void lines_done(struct lines *lines)
{
    for (int i = 0; i < lines->n; i++)
        cJSON_Delete(lines->line[i]);
}

/* What is written next, up to a whole line and a pause; a busy machine may take seconds. */
static void next_lines(const struct daemon *daemon, struct lines *ret_lines)
{
    char log[LOG_MAX];
    size_t length = 0;
    bool closed = false;

    for (int i = 0; i < PATIENCE && !closed && (!length || log[length - 1] != '\n'); i++)
        length += raw_read(daemon->log_fd, PAUSE_MS, log + length, sizeof(log) - length, &closed);
    read_lines(log, ret_lines);
}

static const char *text_of(const cJSON *line, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(line, name);
    return cJSON_GetStringValue(item);
}

static double number_of(const cJSON *line, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(line, name);
    if (!item || !cJSON_IsNumber(item))
        fail_msg("%s is no number", name);
    return item->valuedouble;
}

static void assert_text(const cJSON *line, const char *name, const char *value)
{
    const char *found = text_of(line, name);
    if (!found)
        fail_msg("%s is missing", name);
    assert_string_equal(found, value);
}

static int start_logging(void **state)
{
    static const char *const FLAGS[] = {"--access-log", "--log-format", "json", NULL};
    static struct daemon daemon;

    daemon_start(&daemon, FLAGS);
    *state = &daemon;
    return 0;
}

static void the_start_and_the_stop_are_objects(void **state)
{
    static const char *const FLAGS[] = {"--log-format=json", NULL};
    struct daemon daemon;
    struct lines lines;
    char log[LOG_MAX];
    bool closed;

    (void)state;
    daemon_start(&daemon, FLAGS);
    read_lines(daemon.log, &lines);
    assert_int_equal(lines.n, 1);
    assert_text(lines.line[0], "level", "info");
    assert_non_null(strstr(text_of(lines.line[0], "message"), daemon.url));
    /* 2026-01-02T03:04:05.678901Z */
    assert_int_equal(strlen(text_of(lines.line[0], "time")), 27);
    lines_done(&lines);
    assert_int_equal(kill(daemon.pid, SIGTERM), 0);
    log[raw_read(daemon.log_fd, 1000, log, sizeof(log) - 1, &closed)] = '\0';
    read_lines(log, &lines);
    assert_int_equal(lines.n, 2);
    assert_text(lines.line[0], "message", "stopping on SIGTERM");
    assert_text(lines.line[1], "message", "stopped");
    lines_done(&lines);
    assert_int_equal(daemon_wait(&daemon), 0);
    daemon_remove_folder(&daemon);
}

static void a_start_that_fails_is_an_object(void **state)
{
    static const char *const ARGUMENTS[] = {"--listen=127.0.0.1:0", "--db=/no/such/folder/x.db",
                                            "--log-format=json", NULL};
    struct lines lines;
    char output[4000];

    (void)state;
    assert_int_equal(run_program(ARGUMENTS, output, sizeof(output)), 1);
    read_lines(output, &lines);
    assert_int_equal(lines.n, 1);
    assert_text(lines.line[0], "level", "error");
    assert_non_null(strstr(text_of(lines.line[0], "message"), "/no/such/folder/x.db"));
    lines_done(&lines);
}

static void a_request_has_its_ids_and_its_trace(void **state)
{
    static const char *const HEADERS[] = {"X-Request-Id: r-1",
                                          "traceparent: 00-" TRACE "-" SPAN "-01", NULL};
    const struct daemon *daemon = *state;
    struct http_reply reply;
    struct lines lines;

    http_request(daemon, "GET", "/v1/models/llama-3.1-8b?secret=1", HEADERS, NULL, &reply);
    assert_string_equal(reply_value(&reply, "X-Request-Id"), "r-1");
    next_lines(daemon, &lines);
    assert_int_equal(lines.n, 1);
    const cJSON *line = lines.line[0];
    assert_text(line, "message", "request");
    assert_text(line, "peer", "127.0.0.1");
    assert_text(line, "method", "GET");
    assert_text(line, "path", "/v1/models/llama-3.1-8b");
    assert_text(line, "route", "/v1/models/{id}");
    assert_text(line, "request_id", "r-1");
    assert_text(line, "trace_id", TRACE);
    assert_text(line, "parent_span_id", SPAN);
    assert_text(line, "trace_flags", "01");
    assert_int_equal(strlen(text_of(line, "span_id")), 16);
    assert_string_not_equal(text_of(line, "span_id"), SPAN);
    assert_int_equal((int)number_of(line, "status"), reply.status);
    assert_int_equal((size_t)number_of(line, "reply_bytes"), reply.body_length);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(line, "aborted")));
    lines_done(&lines);
    reply_done(&reply);
}

/* Who sends no id, or none that may be echoed, finds one in the reply, and the log has the same. */
static void who_sends_no_id_gets_one(void **state)
{
    static const char *const SENT[][3] = {
        {NULL},
        {"X-Request-Id: a b", "traceparent: 00-" TRACE "-0000000000000000-01", NULL},
        {"traceparent: 00-" TRACE "-" SPAN "-01", "traceparent: 00-" TRACE "-" SPAN "-01", NULL},
    };
    const struct daemon *daemon = *state;

    for (size_t i = 0; i < sizeof(SENT) / sizeof(SENT[0]); i++) {
        struct http_reply reply;
        struct lines lines;
        http_request(daemon, "GET", "/nowhere", SENT[i], NULL, &reply);
        next_lines(daemon, &lines);
        assert_int_equal(lines.n, 1);
        const char *id = reply_value(&reply, "X-Request-Id");
        assert_non_null(id);
        assert_int_equal(strlen(id), 32);
        assert_text(lines.line[0], "request_id", id);
        assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(lines.line[0], "route")));
        assert_int_equal(strlen(text_of(lines.line[0], "trace_id")), 32);
        assert_string_not_equal(text_of(lines.line[0], "trace_id"), TRACE);
        assert_null(text_of(lines.line[0], "parent_span_id"));
        lines_done(&lines);
        reply_done(&reply);
    }
}

static void what_is_sent_cannot_forge_a_line(void **state)
{
    const struct daemon *daemon = *state;
    struct lines lines;
    char text[4000];

    raw_exchange(daemon, "GET /a\"},{\"\\x\x01\xff HTTP/1.1\r\n" HOST "\r\n", text, sizeof(text));
    next_lines(daemon, &lines);
    assert_int_equal(lines.n, 1);
    assert_text(lines.line[0], "path", "/a?},{??x??");
    lines_done(&lines);
}

static void a_streamed_reply_is_logged_with_its_bytes(void **state)
{
    static const char *const HEADERS[] = {"Content-Type: application/json", NULL};
    static const char BODY[] = "{\"base\":" PLAN_BODY ",\"axes\":{\"/workload/concurrency\":"
                               "{\"from\":1,\"to\":2000,\"steps\":2000}}}";
    const struct daemon *daemon = *state;
    struct http_reply reply;
    struct lines lines;

    http_request(daemon, "POST", "/v1/sweep?format=csv", HEADERS, BODY, &reply);
    assert_int_equal(reply.status, 200);
    next_lines(daemon, &lines);
    assert_int_equal(lines.n, 1);
    assert_int_equal((size_t)number_of(lines.line[0], "reply_bytes"), reply.body_length);
    assert_int_equal((size_t)number_of(lines.line[0], "request_bytes"), sizeof(BODY) - 1);
    lines_done(&lines);
    reply_done(&reply);
}

/* A client that leaves in the middle of its body got no reply. */
static void who_leaves_early_is_logged_as_aborted(void **state)
{
    static const char BYTES[] = "POST /v1/plan HTTP/1.1\r\n" HOST
                                "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{";
    const struct daemon *daemon = *state;
    struct lines lines;
    char text[10];
    bool closed;

    int fd = raw_connect(daemon);
    raw_send(fd, BYTES, sizeof(BYTES) - 1);
    raw_read(fd, 200, text, sizeof(text), &closed); /* an end in one packet with it waits unseen */
    close(fd);
    next_lines(daemon, &lines);
    assert_int_equal(lines.n, 1);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(lines.line[0], "aborted")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(lines.line[0], "status")));
    lines_done(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_and_the_stop_are_objects),
        cmocka_unit_test(a_start_that_fails_is_an_object),
        cmocka_unit_test(a_request_has_its_ids_and_its_trace),
        cmocka_unit_test(who_sends_no_id_gets_one),
        cmocka_unit_test(what_is_sent_cannot_forge_a_line),
        cmocka_unit_test(a_streamed_reply_is_logged_with_its_bytes),
        cmocka_unit_test(who_leaves_early_is_logged_as_aborted),
    };

    return cmocka_run_group_tests(tests, start_logging, daemon_teardown);
}
