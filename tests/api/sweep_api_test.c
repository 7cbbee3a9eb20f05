/* Tables of plans over the wire: three formats, progress, who leaves, who comes too many, what is
 * refused, and memory that does not grow with the table. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "harness.h"

#define JSON_TYPE "Content-Type: application/json"
/* As many sweeps as a daemon computes at a time. */
#define SWEEPS 4
#define WAIT_S 20.0

/* Sanitizers keep freed memory for a while. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define GROWTH_KB_MAX 1000000
#else
#define GROWTH_KB_MAX 8192
#endif

#define BASE "\"base\":{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}"

/* A million points. */
static const char MILLION[] =
    "{" BASE ",\"axes\":{\"/workload/concurrency\":{\"from\":1,\"to\":1000,\"steps\":1000},"
    "\"/workload/input_tokens\":{\"from\":1,\"to\":1000,\"steps\":1000}},"
    "\"columns\":[\"tpot_ms\",\"fits\"]}";

static void sweep(const struct daemon *daemon, const char *query, const char *body,
                  struct http_reply *ret_reply)
{
    static const char *const HEADERS[] = {JSON_TYPE, NULL};
    char target[100];

    snprintf(target, sizeof(target), "/v1/sweep%s", query);
    http_request(daemon, "POST", target, HEADERS, body, ret_reply);
}

static cJSON *sweep_json(const struct daemon *daemon, const char *body, long status)
{
    struct http_reply reply;

    sweep(daemon, "", body, &reply);
    if (reply.status != status)
        fail_msg("%ld, expected %ld: %.500s", reply.status, status, reply.body);
    cJSON *tree = cJSON_Parse(reply.body);
    assert_non_null(tree);
    reply_done(&reply);
    return tree;
}

static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    if (!item)
        fail_msg("no member %s", name);
    return item;
}

/* The formats ---------------------------------------------------------------------------------- */

#define POINTS 24
#define COLUMNS 6

/* tp 3 divides nothing; of the mi300x nobody measured these kernels. */
static const char SMALL[] =
    "{\"base\":{\"model\":\"llama-3.1-70b\"},"
    "\"axes\":{\"/hardware\":[\"h100-sxm\",\"mi300x\"],\"/deployment/tp\":[2,3,8],"
    "\"/workload/concurrency\":[1,256],\"/workload/input_tokens\":[100,8000]},"
    "\"columns\":[\"regime\",\"tpot_ms\",\"ttft_ms_floor\",\"output_tok_s_high\",\"fits\"]}";
static const char *const NAMES[COLUMNS] = {
    "regime", "tpot_ms", "ttft_ms_floor", "output_tok_s_high", "fits", "why"};

/* A value as CSV writes it, up to the digits of a number. */
static void assert_csv_field(const char **at, const cJSON *value)
{
    char text[200] = "";
    bool quoted = **at == '"';
    size_t length = quoted ? strcspn(*at + 1, "\"") : strcspn(*at, ",\n");

    snprintf(text, sizeof(text), "%.*s", (int)length, *at + quoted);
    if (cJSON_IsNumber(value))
        assert_true(strtod(text, NULL) == value->valuedouble);
    else if (cJSON_IsString(value))
        assert_string_equal(text, value->valuestring);
    else
        assert_string_equal(text, cJSON_IsNull(value)   ? ""
                                  : cJSON_IsTrue(value) ? "true"
                                                        : "false");
    *at += length + (quoted ? 2 : 0) + 1;
}

/* The point as the daemon plans it alone. */
static void assert_as_planned(const struct daemon *daemon, const cJSON *line)
{
    static const char *const FIGURES[][4] = {
        {"tpot_ms", "latency", "tpot_ms", "expected"},
        {"ttft_ms_floor", "latency", "ttft_ms", "floor"},
        {"output_tok_s_high", "throughput", "output_tok_s", "high"},
    };
    struct http_reply reply;
    char target[300];

    if (!cJSON_IsNull(member(line, "why"))) {
        assert_int_equal(member(line, "/deployment/tp")->valueint, 3);
        return;
    }
    snprintf(target, sizeof(target),
             "/v1/plan?model=llama-3.1-70b&hardware=%s&tp=%d&concurrency=%d&input_tokens=%d",
             member(line, "/hardware")->valuestring, member(line, "/deployment/tp")->valueint,
             member(line, "/workload/concurrency")->valueint,
             member(line, "/workload/input_tokens")->valueint);
    http_get(daemon, target, &reply);
    cJSON *plan = cJSON_Parse(reply.body);
    for (size_t i = 0; i < sizeof(FIGURES) / sizeof(FIGURES[0]); i++) {
        const char *const *figure = FIGURES[i];
        const cJSON *expected = member(member(member(plan, figure[1]), figure[2]), figure[3]);
        if (!cJSON_Compare(expected, member(line, figure[0]), 1))
            fail_msg("%s: %s is %.17g, planned %.17g", target, figure[0],
                     member(line, figure[0])->valuedouble, expected->valuedouble);
    }
    assert_true(cJSON_Compare(member(member(plan, "regime"), "id"), member(line, "regime"), 1));
    assert_true(cJSON_Compare(member(member(plan, "memory"), "fits"), member(line, "fits"), 1));
    cJSON_Delete(plan);
    reply_done(&reply);
}

static void formats_agree_with_each_other_and_with_plans(void **state)
{
    static const char *const AXES[] = {"/hardware", "/deployment/tp", "/workload/concurrency",
                                       "/workload/input_tokens"};
    struct http_reply csv, lines;
    cJSON *table = sweep_json(*state, SMALL, 200);
    const cJSON *columns = member(table, "columns");

    sweep(*state, "?format=csv", SMALL, &csv);
    sweep(*state, "?format=ndjson", SMALL, &lines);
    assert_string_equal(reply_value(&csv, "Content-Type"),
                        "text/csv; charset=utf-8; header=present");
    assert_string_equal(reply_value(&lines, "Content-Type"), "application/x-ndjson");
    const char *row = strchr(csv.body, '\n') + 1, *at = lines.body;
    for (int i = 0; i < POINTS; i++) {
        const char *end = NULL;
        cJSON *line = cJSON_ParseWithOpts(at, &end, false);
        assert_non_null(line);
        for (int k = 0; k < 4 + COLUMNS; k++) {
            const char *name = k < 4 ? AXES[k] : NAMES[k - 4];
            const cJSON *value = cJSON_GetArrayItem(member(columns, name), i);
            assert_true(cJSON_Compare(value, member(line, name), 1));
            assert_csv_field(&row, value);
        }
        assert_as_planned(*state, line);
        cJSON_Delete(line);
        at = end + 1;
    }
    assert_string_equal(row, "");
    assert_string_equal(at, "");
    reply_done(&csv);
    reply_done(&lines);
    cJSON_Delete(table);
}

/* Counted up to the end, and between whole lines of points. */
static void progress_is_told(void **state)
{
    struct http_reply reply;
    double told = 0, points = 0;
    const char *end = NULL;

    sweep(*state, "?format=ndjson&progress=1",
          "{" BASE ",\"axes\":{\"/workload/concurrency\":{\"from\":1,\"to\":3000,"
          "\"steps\":3000}},\"columns\":[\"regime\"]}",
          &reply);
    for (const char *at = reply.body; *at; at = end + 1) {
        cJSON *line = cJSON_ParseWithOpts(at, &end, false);
        const cJSON *progress = cJSON_GetObjectItemCaseSensitive(line, "progress");
        assert_true(cJSON_IsObject(line) && *end == '\n');
        if (progress) {
            assert_true(member(progress, "points")->valuedouble > told);
            told = member(progress, "points")->valuedouble;
            assert_true(told == points);
            assert_true(member(progress, "of")->valuedouble == 3000);
        } else {
            points++;
            assert_true(member(line, "/workload/concurrency")->valuedouble == points);
        }
        cJSON_Delete(line);
    }
    assert_true(points == 3000 && told == 3000);
    reply_done(&reply);
}

/* Who leaves, who comes too many --------------------------------------------------------------- */

/* A figure of /proc/PID/status: threads, or resident kB. */
static long process_figure(const struct daemon *daemon, const char *name)
{
    char path[40], line[200];
    long value = -1;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)daemon->pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (value < 0 && fgets(line, sizeof(line), file))
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtol(line + strlen(name) + 1, NULL, 10);
    fclose(file);
    assert_true(value > 0);
    return value;
}

/* Asks for a million points and reads the beginning of the reply: its status. */
static int begin_million(const struct daemon *daemon, int *ret_fd)
{
    char request[1000], text[200];
    bool closed;
    int length = snprintf(request, sizeof(request),
                          "POST /v1/sweep?format=csv HTTP/1.1\r\nHost: localhost\r\n" JSON_TYPE
                          "\r\nContent-Length: %zu\r\n\r\n%s",
                          strlen(MILLION), MILLION);

    *ret_fd = raw_connect(daemon);
    raw_send(*ret_fd, request, (size_t)length);
    raw_read(*ret_fd, (int)(WAIT_S * 1e3), text, 40, &closed);
    return raw_status(text);
}

static void who_leaves_frees_the_place(void **state)
{
    const struct daemon *daemon = *state;
    long threads = process_figure(daemon, "Threads");
    double deadline = seconds_now() + WAIT_S;
    int fds[SWEEPS], fifth = -1;
    struct http_reply reply;

    for (int i = 0; i < SWEEPS; i++)
        assert_int_equal(begin_million(daemon, &fds[i]), 200);
    sweep(daemon, "", MILLION, &reply);
    assert_problem(&reply, 503);
    assert_true(strtol(reply_value(&reply, "Retry-After"), NULL, 10) > 0);
    reply_done(&reply);
    /* what is small needs no place */
    cJSON_Delete(sweep_json(daemon, "{" BASE ",\"axes\":{\"/deployment/tp\":[1,2]}}", 200));
    close(fds[0]);
    while (fifth < 0) {
        int status = begin_million(daemon, &fifth);
        if (status == 200)
            break;
        assert_int_equal(status, 503);
        assert_true(seconds_now() < deadline);
        close(fifth);
        fifth = -1;
        poll(NULL, 0, 20);
    }
    fds[0] = fifth;
    for (int i = 0; i < SWEEPS; i++)
        close(fds[i]);
    while (process_figure(daemon, "Threads") > threads) {
        assert_true(seconds_now() < deadline);
        poll(NULL, 0, 20);
    }
}

/* Resident memory after a twentieth of a long table and after all that is read of it. */
static void memory_is_steady(void **state)
{
    static char text[1 << 16];
    const struct daemon *daemon = *state;
    int fd;
    bool closed = false;
    size_t read = 0;
    long before = 0;

    assert_int_equal(begin_million(daemon, &fd), 200);
    while (read < (size_t)4 << 20 && !closed) {
        read += raw_read(fd, (int)(WAIT_S * 1e3), text, sizeof(text), &closed);
        if (!before && read > (size_t)200 << 10)
            before = process_figure(daemon, "VmRSS");
    }
    assert_false(closed);
    long growth = process_figure(daemon, "VmRSS") - before;
    if (growth > GROWTH_KB_MAX)
        fail_msg("%ld kB more", growth);
    close(fd);
}

/* Refusals ------------------------------------------------------------------------------------- */

/* Each body, and where its faults lie, in order. */
static const struct {
    const char *body;
    const char *pointers[5];
} FAULTY[] = {
    {"{" BASE ",\"axes\":{\"/deployment/tpp\":[1],\"/workload/concurrency\":[],"
     "\"/deployment/pp\":[\"two\",1],\"/slo\":[1]},\"columns\":[\"tpot_mss\"]}",
     {"/axes/~1deployment~1tpp", "/axes/~1workload~1concurrency", "/axes/~1deployment~1pp/0",
      "/axes/~1slo", "/columns/0"}},
    {"{" BASE ",\"axes\":{\"/workload/concurrency\":{\"from\":1,\"to\":1001,\"steps\":1001},"
     "\"/workload/input_tokens\":{\"from\":1,\"to\":1000,\"steps\":1000}}}",
     {"/axes"}},
    {"{" BASE ",\"axes\":{\"/deployment/tp\":[1],\"/deployment/pp\":[1],\"/deployment/dp\":[1],"
     "\"/deployment/ep\":[1],\"/deployment/replicas\":[1],\"/workload/concurrency\":[1],"
     "\"/workload/input_tokens\":[1],\"/workload/output_tokens\":[1],"
     "\"/deployment/max_num_seqs\":[1]}}",
     {"/axes/~1deployment~1max_num_seqs"}},
    {"{\"base\":{\"hardware\":\"h100-sxm\"},\"axes\":{\"/model\":[\"llama-3.1-8b\",\"lama\"]},"
     "\"replay\":\"no\"}",
     {"/axes/~1model/1", "/replay"}},
    {"{" BASE ",\"axes\":{\"/deployment/tp\":[1],\"/deployment/tp\":[2]}}",
     {"/axes/~1deployment~1tp"}},
};

static void every_fault_is_listed(void **state)
{
    for (size_t i = 0; i < sizeof(FAULTY) / sizeof(FAULTY[0]); i++) {
        cJSON *problem = sweep_json(*state, FAULTY[i].body, 422);
        const cJSON *errors = member(problem, "errors");
        int n = 0;
        while (n < 5 && FAULTY[i].pointers[n])
            n++;
        assert_int_equal(cJSON_GetArraySize(errors), n);
        for (int k = 0; k < n; k++)
            assert_string_equal(member(cJSON_GetArrayItem(errors, k), "pointer")->valuestring,
                                FAULTY[i].pointers[k]);
        cJSON_Delete(problem);
    }
}

/* A name that is near is suggested. */
static void names_are_suggested(void **state)
{
    cJSON *problem = sweep_json(*state, FAULTY[0].body, 422);
    const cJSON *errors = member(problem, "errors");

    assert_string_equal(member(cJSON_GetArrayItem(errors, 0), "suggestion")->valuestring,
                        "/deployment/tp");
    assert_string_equal(member(cJSON_GetArrayItem(errors, 4), "suggestion")->valuestring,
                        "tpot_ms");
    cJSON_Delete(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_agree_with_each_other_and_with_plans),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(who_leaves_frees_the_place),
        cmocka_unit_test(memory_is_steady),
        cmocka_unit_test(every_fault_is_listed),
        cmocka_unit_test(names_are_suggested),
    };
    return cmocka_run_group_tests(tests, daemon_setup, daemon_teardown);
}
