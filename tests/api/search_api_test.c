/* Searches over the wire: progress that ends in a result, who leaves gives its place back, who
 * comes too many is told so. */
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

/* Some ten thousand candidates. */
static const char MANY[] =
    "{\"models\":[\"llama-3.1-70b\"],\"hardware\":[\"h100-sxm\",\"h200-sxm\"],"
    "\"workload\":{\"concurrency\":64,\"input_tokens\":2048,\"output_tokens\":256},"
    "\"space\":{\"devices\":{\"max\":32},\"chunked_prefill_tokens\":[1024,2048,4096,8192],"
    "\"max_num_seqs\":[16,32,64,128,256,512,1024]},\"limit\":3}";

static void search(const struct daemon *daemon, const char *query, const char *body,
                   struct http_reply *ret_reply)
{
    static const char *const HEADERS[] = {JSON_TYPE, NULL};
    char target[100];

    snprintf(target, sizeof(target), "/v1/search%s", query);
    http_request(daemon, "POST", target, HEADERS, body, ret_reply);
}

/* Every line is progress that does not go back, and the last one the reply as JSON gives it. */
static void progress_ends_in_the_result(void **state)
{
    struct http_reply lines, whole;
    double before = 0, of = 0;
    int n = 0;

    search(*state, "?format=ndjson", MANY, &lines);
    search(*state, "", MANY, &whole);
    assert_int_equal(lines.status, 200);
    assert_int_equal(whole.status, 200);
    assert_string_equal(reply_value(&lines, "Content-Type"), "application/x-ndjson");
    cJSON *result = NULL;
    for (const char *at = lines.body; *at;) {
        const char *end = NULL;
        cJSON *line = cJSON_ParseWithOpts(at, &end, false);
        assert_non_null(line);
        assert_null(result);
        const cJSON *progress = cJSON_GetObjectItemCaseSensitive(line, "progress");
        if (progress) {
            double done = cJSON_GetObjectItemCaseSensitive(progress, "done")->valuedouble;
            of = cJSON_GetObjectItemCaseSensitive(progress, "of")->valuedouble;
            assert_true(done > before && done <= of);
            before = done;
            n++;
        } else {
            result = cJSON_DetachItemFromObjectCaseSensitive(line, "result");
        }
        cJSON_Delete(line);
        at = end + strspn(end, "\n");
    }
    cJSON *reply = cJSON_Parse(whole.body);
    assert_non_null(reply);
    assert_non_null(result);
    assert_true(n > 20 && before == of);
    assert_true(cJSON_Compare(result, reply, 1));
    cJSON_Delete(result);
    cJSON_Delete(reply);
    reply_done(&lines);
    reply_done(&whole);
}

/* The same question has the same answer, however its work was shared. */
static void answers_are_the_same_again(void **state)
{
    struct http_reply first, second;

    search(*state, "?format=csv", MANY, &first);
    search(*state, "?format=csv", MANY, &second);
    assert_int_equal(first.status, 200);
    assert_string_equal(first.body, second.body);
    reply_done(&first);
    reply_done(&second);
}

/* Four hundred thousand candidates: minutes of work. */
static const char HUGE_BODY[] =
    "{\"model\":\"llama-3.1-70b\",\"hardware\":[\"h100-sxm\",\"h200-sxm\"],"
    "\"space\":{\"devices\":{\"max\":128},\"engine\":[\"vllm\",\"sglang\"],"
    "\"weights\":[\"bf16\",\"fp8\"],\"kv_cache\":[\"bf16\",\"fp8\"],\"tp\":[1,2,4,8],\"pp\":[1],"
    "\"replicas\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],"
    "\"chunked_prefill_tokens\":[512,600,700,800,900,1024,1100,1200,1300,1400,1500,1600,1700,"
    "1800,1900,2048,3000,4096,8192,16384],"
    "\"max_num_seqs\":[16,20,24,28,32,40,48,56,64,80,96,112,128,160,192,224,256,320,384,512]}}";

#define SEARCHES 4
#define WAIT_S 20.0

/* Begins a long search and reads the beginning of the reply: its status. */
static int begin_long(const struct daemon *daemon, const char *format, int *ret_fd)
{
    char request[2000], text[200];
    bool closed;
    int length = snprintf(request, sizeof(request),
                          "POST /v1/search?format=%s HTTP/1.1\r\nHost: localhost\r\n" JSON_TYPE
                          "\r\nContent-Length: %zu\r\n\r\n%s",
                          format, strlen(HUGE_BODY), HUGE_BODY);

    *ret_fd = raw_connect(daemon);
    raw_send(*ret_fd, request, (size_t)length);
    raw_read(*ret_fd, (int)(WAIT_S * 1e3), text, 40, &closed);
    return raw_status(text);
}

/* A search that nobody waits for any more stops, and its place is free. */
static void who_leaves_frees_the_place(void **state)
{
    const struct daemon *daemon = *state;
    double deadline;
    int fds[SEARCHES], fd, status = 0;

    for (int i = 0; i < SEARCHES; i++)
        assert_int_equal(begin_long(daemon, i % 2 ? "json" : "ndjson", &fds[i]), 200);
    assert_int_equal(begin_long(daemon, "ndjson", &fd), 503);
    close(fd);
    for (int i = 0; i < SEARCHES; i++)
        close(fds[i]);
    deadline = seconds_now() + WAIT_S;
    while (status != 200 && seconds_now() < deadline) {
        status = begin_long(daemon, "ndjson", &fd);
        close(fd);
        poll(NULL, 0, 50);
    }
    assert_int_equal(status, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_ends_in_the_result),
        cmocka_unit_test(answers_are_the_same_again),
        cmocka_unit_test(who_leaves_frees_the_place),
    };
    return cmocka_run_group_tests(tests, daemon_setup, daemon_teardown);
}
