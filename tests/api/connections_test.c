/* Many connections, many requests on one, and their limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "harness.h"

#define HOST "Host: localhost\r\n"
#define MANY 1000
#define PIPELINED 200

/* Sanitizers shadow every byte several times. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define RESIDENT_MAX 1000000000
#else
#define RESIDENT_MAX 100000000
#endif

static const char GET[] = "GET /healthz HTTP/1.1\r\n" HOST "\r\n";

static int raise_limit(void **state)
{
    struct rlimit limit;

    (void)state;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

static void expect_200(int fd)
{
    char text[1000] = "";
    bool closed = false;
    size_t length = 0;

    for (int i = 0; i < 5000 && !closed && !strstr(text, "\"ok\"}\n"); i++)
        length += raw_read(fd, 1, text + length, sizeof(text) - length, &closed);
    if (raw_status(text) != 200)
        fail_msg("no 200 but %zu bytes%s", length, closed ? ", closed" : "");
}

static void a_thousand_connections_are_kept_alive(void **state)
{
    static int fds[MANY];
    struct daemon daemon;
    struct http_reply reply;

    (void)state;
    daemon_start(&daemon, NULL);
    for (int i = 0; i < MANY; i++)
        fds[i] = raw_connect(&daemon);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++)
            raw_send(fds[i], GET, sizeof(GET) - 1);
        for (int i = 0; i < MANY; i++)
            expect_200(fds[i]);
    }
    http_get(&daemon, "/metrics", &reply);
    const char *line = strstr(reply.body, "\nregime_http_connections ");
    assert_non_null(line);
    assert_in_range(strtol(line + 25, NULL, 10), MANY, MANY + 10);
    /* a kept connection holds its 16 KiB buffer and no request */
    line = strstr(reply.body, "\nprocess_resident_memory_bytes ");
    assert_in_range(strtol(line + 31, NULL, 10), 1, RESIDENT_MAX);
    reply_done(&reply);
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
    assert_int_equal(daemon_stop(&daemon), 0);
}

static void pipelined_requests_are_answered_in_order(void **state)
{
    struct daemon daemon;
    char *bytes = malloc(PIPELINED * 100), *text = malloc(PIPELINED * 1000);
    bool closed;
    size_t length = 0;

    (void)state;
    assert_true(bytes && text);
    daemon_start(&daemon, NULL);
    for (int i = 0; i < PIPELINED; i++)
        length += (size_t)snprintf(bytes + length, 100,
                                   "GET /healthz HTTP/1.1\r\n" HOST "X-Request-Id: r%d\r\n\r\n", i);
    int fd = raw_connect(&daemon);
    raw_send(fd, bytes, length);
    raw_read(fd, 500, text, PIPELINED * 1000, &closed);
    const char *at = text;
    for (int i = 0; i < PIPELINED; i++) {
        char id[40];
        snprintf(id, sizeof(id), "X-Request-Id: r%d\r\n", i);
        at = strstr(at, id);
        assert_non_null(at);
    }
    assert_false(closed);
    close(fd);
    assert_int_equal(daemon_stop(&daemon), 0);
    free(bytes);
    free(text);
}

/* Requests with and without bodies alternate on one connection; refusals of short bodies keep it.
 */
static void a_connection_survives_refusals(void **state)
{
    static const char *const BYTES[] = {
        "POST /healthz HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\n{}",
        "POST /v1/plan HTTP/1.1\r\n" HOST "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
        "POST /v1/plan HTTP/1.1\r\n" HOST
        "Content-Type: application/json\r\nContent-Length: 1\r\n\r\n{",
        "GET /nope HTTP/1.1\r\n" HOST "\r\n",
        "GET /healthz?format=csv HTTP/1.1\r\n" HOST "\r\n",
    };
    static const int STATUSES[] = {405, 415, 400, 404, 406};
    struct daemon daemon;
    char text[4000];
    bool closed;

    (void)state;
    daemon_start(&daemon, NULL);
    int fd = raw_connect(&daemon);
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof(BYTES) / sizeof(BYTES[0]); i++) {
            raw_send(fd, BYTES[i], strlen(BYTES[i]));
            raw_read(fd, 100, text, sizeof(text), &closed);
            assert_int_equal(raw_status(text), STATUSES[i]);
            assert_false(closed);
        }
    raw_send(fd, GET, sizeof(GET) - 1);
    expect_200(fd);
    close(fd);
    assert_int_equal(daemon_stop(&daemon), 0);
}

static void one_client_gets_no_more_than_its_connections(void **state)
{
    static const char *const FLAGS[] = {"--max-connections-per-ip", "10", NULL};
    struct daemon daemon;
    int fds[30], answered = 0;

    (void)state;
    daemon_start(&daemon, FLAGS);
    for (int i = 0; i < 30; i++) {
        fds[i] = raw_connect(&daemon);
        raw_send(fds[i], GET, sizeof(GET) - 1);
    }
    for (int i = 0; i < 30; i++) {
        char text[1000];
        bool closed;
        raw_read(fds[i], 200, text, sizeof(text), &closed);
        answered += raw_status(text) == 200;
    }
    assert_in_range(answered, 5, 10);
    for (int i = 0; i < 30; i++)
        close(fds[i]);
    assert_int_equal(daemon_stop(&daemon), 0);
}

static void the_access_log_has_a_line_per_request(void **state)
{
    static const char *const FLAGS[] = {"--access-log", NULL};
    struct daemon daemon;
    struct http_reply reply;
    char log[2000];
    bool closed;

    (void)state;
    daemon_start(&daemon, FLAGS);
    http_get(&daemon, "/healthz?secret=1", &reply);
    reply_done(&reply);
    raw_exchange(&daemon, "GET /a\"b\x01%0a HTTP/1.1\r\n" HOST "\r\n", log, sizeof(log));
    raw_read(daemon.log_fd, 300, log, sizeof(log), &closed);
    assert_non_null(strstr(log, "127.0.0.1 GET /healthz 200 "));
    assert_non_null(strstr(log, "127.0.0.1 GET /a?b?%0a 404 "));
    assert_null(strstr(log, "secret"));
    assert_int_equal(daemon_stop(&daemon), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_connections_are_kept_alive),
        cmocka_unit_test(pipelined_requests_are_answered_in_order),
        cmocka_unit_test(a_connection_survives_refusals),
        cmocka_unit_test(one_client_gets_no_more_than_its_connections),
        cmocka_unit_test(the_access_log_has_a_line_per_request),
    };

    return cmocka_run_group_tests(tests, raise_limit, NULL);
}
