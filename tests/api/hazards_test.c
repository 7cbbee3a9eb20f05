/* What libmicrohttpd lets through or answers badly, sent byte by byte to the real daemon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "harness.h"

#define TEXT_MAX 200000
#define HOST "Host: localhost\r\n"
#define JSON "Content-Type: application/json\r\n"
#define REQUEST_TIMEOUT_S 2

static int start(void **state)
{
    static struct daemon daemon;
    static const char *const FLAGS[] = {"--request-timeout", "2", "--idle-timeout", "5", NULL};

    curl_global_init(CURL_GLOBAL_DEFAULT);
    daemon_start(&daemon, FLAGS);
    *state = &daemon;
    return 0;
}

static int stop(void **state)
{
    return daemon_stop(*state);
}

/* The daemon is well: it answers a request on a new connection. */
static void assert_well(void *daemon)
{
    struct http_reply reply;

    http_get(daemon, "/healthz", &reply);
    assert_int_equal(reply.status, 200);
    reply_done(&reply);
}

static const struct {
    const char *what, *bytes;
    int status;
    bool closes; /* the connection must not be used any further */
} ROWS[] = {
    {"a space before the colon",
     "POST /v1/plan HTTP/1.1\r\n" HOST "Content-Length : 5\r\n\r\nhello", 400, true},
    {"a tab in a name", "GET /healthz HTTP/1.1\r\n" HOST "X\ty: 1\r\n\r\n", 400, true},
    {"a parenthesis in a name", "GET /healthz HTTP/1.1\r\n" HOST "X(y): 1\r\n\r\n", 400, true},
    {"two lengths",
     "POST /v1/plan HTTP/1.1\r\n" HOST "Content-Length: 2\r\nContent-Length: 7\r\n\r\n{}", 400,
     true},
    {"the same length twice",
     "POST /v1/plan HTTP/1.1\r\n" HOST "Content-Length: 2\r\ncontent-length: 2\r\n\r\n{}", 400,
     true},
    {"two hosts", "GET /healthz HTTP/1.1\r\n" HOST HOST "\r\n", 400, true},
    {"two codings",
     "POST /v1/plan HTTP/1.1\r\n" HOST
     "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     400, true},
    {"a length and a coding",
     "POST /v1/plan HTTP/1.1\r\n" HOST
     "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     400, true},
    {"a coding that is not chunked",
     "POST /v1/plan HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip\r\n\r\nxx", 501, true},
    {"two codings in one",
     "POST /v1/plan HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501,
     true},
    {"another expectation",
     "POST /v1/plan HTTP/1.1\r\n" HOST "Expect: magic\r\nContent-Length: 2\r\n\r\n{}", 417, true},
    {"no host", "GET /healthz HTTP/1.1\r\n\r\n", 400, true},
    {"a NUL in the path", "GET /healthz%00x HTTP/1.1\r\n" HOST "\r\n", 400, true},
    {"a NUL in a value", "GET /v1/plan?model=llama%00x HTTP/1.1\r\n" HOST "\r\n", 400, true},
    {"an argument without a value", "GET /v1/plan?model HTTP/1.1\r\n" HOST "\r\n", 422, false},
    {"an argument without a name", "GET /v1/plan?=x&&&= HTTP/1.1\r\n" HOST "\r\n", 422, false},
    {"a query of one question mark", "GET /healthz?? HTTP/1.1\r\n" HOST "\r\n", 200, false},
    {"an empty query", "GET /healthz? HTTP/1.1\r\n" HOST "\r\n", 200, false},
    {"a slash in a segment", "GET /v1%2Fplan HTTP/1.1\r\n" HOST "\r\n", 404, false},
    {"the absolute form", "GET http://localhost/healthz HTTP/1.1\r\n" HOST "\r\n", 200, false},
    {"the absolute form without a path", "GET http://localhost HTTP/1.1\r\n" HOST "\r\n", 200,
     false},
    {"a target that is no path", "GET healthz HTTP/1.1\r\n" HOST "\r\n", 400, true},
    {"all of the server", "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", 204, false},
    {"a folded header", "GET /healthz HTTP/1.1\r\n" HOST "X-Y: a\r\n b\r\n\r\n", 200, false},
    {"bare line feeds", "GET /healthz HTTP/1.1\nHost: localhost\n\n", 200, false},
    {"a newer minor version", "GET /healthz HTTP/1.2\r\n" HOST "\r\n", 200, false},
    {"an old version", "GET /healthz HTTP/1.0\r\n\r\n", 200, true},
    {"a method of its own", "BREW /healthz HTTP/1.1\r\n" HOST "\r\n", 405, false},
    {"no length for a body", "POST /v1/plan HTTP/1.1\r\n" HOST JSON "\r\n", 411, false},
    {"an empty body", "POST /v1/plan HTTP/1.1\r\n" HOST JSON "Content-Length: 0\r\n\r\n", 400,
     false},
    {"a body in chunks",
     "POST /v1/plan HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: "
     "chunked\r\n\r\n5\r\n{\"mod\r\n10\r\nel\":\"llama-3.1-8\r\n19\r\nb\",\"hardware\":\"h100-"
     "sxm\"}\r\n0\r\n\r\n",
     200, false},
    {"a bad chunk",
     "POST /v1/plan HTTP/1.1\r\n" HOST JSON
     "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
     400, true},
    {"chunks for a path that takes none",
     "POST /healthz HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
     405, true},
    {"a length beyond all bounds",
     "POST /v1/plan HTTP/1.1\r\n" HOST JSON "Content-Length: 99999999999\r\n\r\n{}", 413, true},
    {"a long body of a wrong type",
     "POST /v1/models/gguf HTTP/1.1\r\n" HOST
     "Content-Length: 2000000\r\nContent-Type: a/b\r\n\r\n{",
     415, true},
    {"an expectation for a wrong path",
     "POST /nope HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 10\r\n\r\n", 404,
     true},
    {"an identity with line ends", "GET /healthz HTTP/1.1\r\n" HOST "X-Request-Id: a\rb\r\n\r\n", 0,
     false},
    {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0, true},
    {"no HTTP at all", "\x16\x03\x01\x02\x01\x01\xfc\x03\x03\r\n\r\n", 0, false},
};

static void every_trap_is_closed(void **state)
{
    char *text = malloc(TEXT_MAX);

    assert_non_null(text);
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        double begin = seconds_now();
        bool closed = raw_exchange(*state, ROWS[i].bytes, text, TEXT_MAX);
        int status = raw_status(text);
        if (ROWS[i].status && status != ROWS[i].status)
            fail_msg("%s: %d, expected %d: %s", ROWS[i].what, status, ROWS[i].status, text);
        if (ROWS[i].status && ROWS[i].closes && !closed)
            fail_msg("%s: the connection stays open", ROWS[i].what);
        if (ROWS[i].status && seconds_now() - begin > 1.5)
            fail_msg("%s: answered only after %.1f s", ROWS[i].what, seconds_now() - begin);
        if (status >= 500 && status != 501 && status != 505)
            fail_msg("%s: %s", ROWS[i].what, text);
        assert_well(*state);
    }
    free(text);
}

/* The second of two requests in one packet must not be read when the first is refused. */
static void nothing_is_smuggled_behind_a_refusal(void **state)
{
    static const char BYTES[] =
        "POST /v1/plan HTTP/1.1\r\n" HOST "Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}"
        "GET /version HTTP/1.1\r\n" HOST "\r\n";
    char *text = malloc(TEXT_MAX);

    assert_non_null(text);
    raw_exchange(*state, BYTES, text, TEXT_MAX);
    assert_int_equal(raw_status(text), 400);
    assert_null(strstr(text, "\"version\""));
    free(text);
}

static void many_arguments_are_refused_and_never_hang(void **state)
{
    static const int COUNTS[] = {257, 420, 421, 1000, 3000};
    char *bytes = malloc(TEXT_MAX), *text = malloc(TEXT_MAX);

    assert_true(bytes && text);
    for (size_t i = 0; i < sizeof(COUNTS) / sizeof(COUNTS[0]); i++) {
        int n = snprintf(bytes, TEXT_MAX, "GET /v1/plan?");
        for (int k = 0; k < COUNTS[i]; k++)
            n += snprintf(bytes + n, (size_t)(TEXT_MAX - n), "a=1&");
        snprintf(bytes + n, (size_t)(TEXT_MAX - n), "b HTTP/1.1\r\n" HOST "\r\n");
        double begin = seconds_now();
        raw_exchange(*state, bytes, text, TEXT_MAX);
        if (raw_status(text) != 414)
            fail_msg("%d arguments: %.200s", COUNTS[i], text);
        assert_true(seconds_now() - begin < 1.5);
    }
    assert_well(*state);
    free(bytes);
    free(text);
}

static void long_heads_are_refused(void **state)
{
    static char filler[40001], bytes[50000], text[50000];

    memset(filler, 'x', sizeof(filler) - 1);
    snprintf(bytes, sizeof(bytes), "GET /%s HTTP/1.1\r\n" HOST "\r\n", filler);
    raw_exchange(*state, bytes, text, sizeof(text));
    assert_true(raw_status(text) == 414 || raw_status(text) == 431);
    snprintf(bytes, sizeof(bytes), "GET /healthz HTTP/1.1\r\n" HOST "X: %s\r\n\r\n", filler);
    raw_exchange(*state, bytes, text, sizeof(text));
    assert_int_equal(raw_status(text), 431);
    assert_well(*state);
}

/* Sends a chunked POST of `n` chunks of 8,000 spaces. */
static void send_chunks(int fd, int n)
{
    static const char HEAD[] =
        "POST /v1/plan HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\n\r\n";
    char chunk[8100];

    memset(chunk, ' ', sizeof(chunk));
    snprintf(chunk, 7, "1f40\r\n");
    chunk[6] = ' ';
    chunk[6 + 8000] = '\r';
    chunk[6 + 8001] = '\n';
    raw_send(fd, HEAD, sizeof(HEAD) - 1);
    for (int i = 0; i < n; i++)
        raw_send(fd, chunk, 8008);
    raw_send(fd, "0\r\n\r\n", 5);
}

static void a_chunked_body_over_the_limit_is_read_and_refused(void **state)
{
    char *text = malloc(TEXT_MAX);
    bool closed;

    assert_non_null(text);
    int fd = raw_connect(*state);
    send_chunks(fd, 100); /* 800 kB, the limit is 256 KiB */
    raw_read(fd, 1000, text, TEXT_MAX, &closed);
    assert_int_equal(raw_status(text), 413);
    assert_non_null(strstr(text, "application/problem+json"));
    assert_true(closed);
    close(fd);
    /* one that never ends is cut off */
    fd = raw_connect(*state);
    send_chunks(fd, 2000);
    raw_read(fd, 1000, text, TEXT_MAX, &closed);
    assert_true(closed);
    close(fd);
    assert_well(*state);
    free(text);
}

static void a_long_body_is_refused_before_it_is_read(void **state)
{
    static const char HEAD[] =
        "POST /v1/plan HTTP/1.1\r\n" HOST JSON "Content-Length: 4000000\r\n\r\n";
    char text[4000];
    bool closed;
    int fd = raw_connect(*state);

    raw_send(fd, HEAD, sizeof(HEAD) - 1);
    raw_read(fd, 1000, text, sizeof(text), &closed);
    assert_int_equal(raw_status(text), 413);
    assert_non_null(strstr(text, "262144 bytes"));
    close(fd);
}

/* A body of the largest size, one byte per value: as many values as the limit lets in, or a clear
 * no. */
static void a_body_of_the_largest_size_is_answered(void **state)
{
    static const char *const HEADERS[] = {"Content-Type: application/json", NULL};
    size_t length = 256 * 1024;
    char *body = malloc(length + 1);
    struct http_reply reply;

    assert_non_null(body);
    for (size_t i = 0; i < length; i++)
        body[i] = i % 2 ? '1' : ',';
    body[0] = '[';
    body[length - 1] = ']';
    body[length] = '\0';
    http_request(*state, "POST", "/v1/plan", HEADERS, body, &reply);
    assert_problem(&reply, 400);
    assert_non_null(strstr(reply.body, "too many values"));
    reply_done(&reply);
    memset(body, ' ', length);
    memcpy(body, PLAN_BODY, strlen(PLAN_BODY));
    http_request(*state, "POST", "/v1/plan", HEADERS, body, &reply);
    assert_int_equal(reply.status, 200);
    reply_done(&reply);
    free(body);
}

static void continue_is_sent_before_the_body(void **state)
{
    static const char HEAD[] = "POST /v1/plan HTTP/1.1\r\n" HOST JSON
                               "Expect: 100-continue\r\nContent-Length: %zu\r\n\r\n";
    char bytes[300], text[64000];
    bool closed;
    int fd = raw_connect(*state);

    raw_send(fd, bytes, (size_t)snprintf(bytes, sizeof(bytes), HEAD, strlen(PLAN_BODY)));
    raw_read(fd, 300, text, sizeof(text), &closed);
    assert_int_equal(raw_status(text), 100);
    raw_send(fd, PLAN_BODY, strlen(PLAN_BODY));
    raw_read(fd, 500, text, sizeof(text), &closed);
    assert_int_equal(raw_status(text), 200);
    close(fd);
}

/* A byte now and then keeps the connection busy, so only the deadline ends it. */
static void a_slow_body_meets_its_deadline(void **state)
{
    static const char HEAD[] =
        "POST /v1/plan HTTP/1.1\r\n" HOST JSON "Content-Length: 1000\r\n\r\n";
    char text[4000];
    bool closed = false;
    int fd = raw_connect(*state);
    double begin = seconds_now();

    raw_send(fd, HEAD, sizeof(HEAD) - 1);
    while (!closed && seconds_now() - begin < REQUEST_TIMEOUT_S + 3) {
        raw_send(fd, " ", 1);
        raw_read(fd, 200, text, sizeof(text), &closed);
    }
    assert_true(closed);
    assert_true(seconds_now() - begin >= REQUEST_TIMEOUT_S - 0.5);
    close(fd);
    assert_well(*state);
}

static void an_idle_connection_is_closed(void **state)
{
    char text[4000];
    bool closed;
    int fd = raw_connect(*state);

    raw_read(fd, 8000, text, sizeof(text), &closed);
    assert_true(closed);
    close(fd);
}

/* A client that leaves in the middle of its request or its reply harms nobody. */
static void clients_may_leave_at_any_time(void **state)
{
    static const char BYTES[] =
        "POST /v1/plan HTTP/1.1\r\n" HOST JSON "Content-Length: 46\r\n\r\n" PLAN_BODY;

    for (size_t cut = 0; cut <= sizeof(BYTES) - 1; cut += 7) {
        int fd = raw_connect(*state);
        raw_send(fd, BYTES, cut);
        close(fd);
    }
    assert_well(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trap_is_closed),
        cmocka_unit_test(nothing_is_smuggled_behind_a_refusal),
        cmocka_unit_test(many_arguments_are_refused_and_never_hang),
        cmocka_unit_test(long_heads_are_refused),
        cmocka_unit_test(a_chunked_body_over_the_limit_is_read_and_refused),
        cmocka_unit_test(a_long_body_is_refused_before_it_is_read),
        cmocka_unit_test(a_body_of_the_largest_size_is_answered),
        cmocka_unit_test(continue_is_sent_before_the_body),
        cmocka_unit_test(a_slow_body_meets_its_deadline),
        cmocka_unit_test(an_idle_connection_is_closed),
        cmocka_unit_test(clients_may_leave_at_any_time),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
