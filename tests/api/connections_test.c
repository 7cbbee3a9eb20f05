/* Many connections, many requests on one, and their limits. */
#include <poll.h>
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
#define PIPELINED 200

/* Sanitizers shadow every byte several times. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define RESIDENT_MAX 1000000000
#define MANY 1000
#else
/* A kept connection holds its 16 KiB buffer, which the library rounds up, and no request. */
#define RESIDENT_MAX 300000000
#define MANY 10000
#endif
/* Descriptors of a test besides its connections. */
#define OTHERS 100

static const char GET[] = "GET /healthz HTTP/1.1\r\n" HOST "\r\n";

static int raise_limit(void **state)
{
    struct rlimit limit;

    (void)state;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    getrlimit(RLIMIT_NOFILE, &limit);
    rlim_t want = MANY + OTHERS;
    limit.rlim_cur = limit.rlim_max < want ? limit.rlim_max : want;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

static void expect_200(int fd)
{
    char text[1000] = "";
    size_t length = 0;
    ssize_t n = 1;

    while (n > 0 && !strstr(text, "\"ok\"}\n")) {
        struct pollfd poller = {.fd = fd, .events = POLLIN};
        n = poll(&poller, 1, 5000) > 0 ? read(fd, text + length, sizeof(text) - 1 - length) : -1;
        length += n > 0 ? (size_t)n : 0;
    }
    if (raw_status(text) != 200)
        fail_msg("no 200 but %zu bytes", length);
}

/* As many as this machine lets a process have open, up to MANY. */
static int many(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur < MANY + OTHERS ? (int)limit.rlim_cur - OTHERS : MANY;
}

static long metric(const struct daemon *daemon, const char *name)
{
    struct http_reply reply;
    char line[100];

    snprintf(line, sizeof(line), "\n%s ", name);
    http_get(daemon, "/metrics", &reply);
    const char *found = strstr(reply.body, line);
    assert_non_null(found);
    long value = strtol(found + strlen(line), NULL, 10);
    reply_done(&reply);
    return value;
}

static void ten_thousand_connections_are_kept_alive(void **state)
{
    static const char *const FLAGS[] = {"--max-connections", "12000", "--max-connections-per-ip",
                                        "0", NULL};
    static int fds[MANY];
    struct daemon daemon;
    int n = many();

    (void)state;
    daemon_start(&daemon, FLAGS);
    for (int i = 0; i < n; i++)
        fds[i] = raw_connect(&daemon);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < n; i++)
            raw_send(fds[i], GET, sizeof(GET) - 1);
        for (int i = 0; i < n; i++)
            expect_200(fds[i]);
    }
    assert_in_range(metric(&daemon, "regime_http_connections"), n, n + 10);
    assert_in_range(metric(&daemon, "process_resident_memory_bytes"), 1, RESIDENT_MAX);
    for (int i = 0; i < n; i++)
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
        cmocka_unit_test(ten_thousand_connections_are_kept_alive),
        cmocka_unit_test(pipelined_requests_are_answered_in_order),
        cmocka_unit_test(a_connection_survives_refusals),
        cmocka_unit_test(one_client_gets_no_more_than_its_connections),
        cmocka_unit_test(the_access_log_has_a_line_per_request),
    };

    return cmocka_run_group_tests(tests, raise_limit, NULL);
}
