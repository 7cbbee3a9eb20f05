/* The daemon's life: how it starts, what it says when it cannot, and how it ends. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "harness.h"

#define HOST "Host: localhost\r\n"
#define CLIENTS 8

static void the_start_is_announced_in_one_line(void **state)
{
    struct daemon daemon;
    char expected[100];

    (void)state;
    daemon_start(&daemon, NULL);
    snprintf(expected, sizeof(expected), "listening on %s (records ", daemon.url);
    assert_true(strncmp(daemon.log, "regimed: ", 9) == 0);
    assert_non_null(strstr(daemon.log, expected));
    assert_non_null(strstr(daemon.log, ", ready in "));
    assert_ptr_equal(strchr(daemon.log, '\n'), daemon.log + strlen(daemon.log) - 1);
    assert_int_equal(daemon_stop(&daemon), 0);
}

/* Arguments that end the program at once. */
static const struct {
    const char *arguments[4];
    int status;
    const char *says;
} RUNS[] = {
    {{"--version"}, 0, "regimed "},
    {{"--help"}, 0, "--listen ADDRESS"},
    {{"--lisen", ":0"}, 2, "did you mean --listen?"},
    {{"--threads", "many"}, 2, "whole number"},
    {{"--listen", "nonsense"}, 2, "HOST:PORT"},
    {{"--listen", "127.0.0.1:99999"}, 2, "HOST:PORT"},
    {{"--listen", "127.0.0.1:0", "--listen=:x"}, 2, "HOST:PORT"},
    {{"--listen", "unix:/tmp"}, 2, "it is a folder: name a socket in it"},
    {{"--listen", "unix:/etc/passwd"}, 2, "a file that is no socket is there"},
    {{"--listen", "unix:"}, 2, "the path behind unix: is missing"},
    {{"--listen", "unix:/no/such/folder/"}, 2, "names a folder"},
    {{"--listen", "192.0.2.1:0"}, 1, "no such address"}, /* TEST-NET-1, RFC 5737 */
    {{"--listen", "unix:/no/such/folder/socket"}, 1, "no such file"},
    {{"--listen", "127.0.0.1:0", "--db", "/no/such/folder/x.db"}, 1, "/no/such/folder/x.db"},
    {{"--listen", "127.0.0.1:0", "--db", "/etc/passwd"}, 1, "/etc/passwd"},
    {{"--healthcheck", "127.0.0.1:1"}, 1, "nobody listens"},
    {{"--healthcheck", "unix:/no/such/socket"}, 1, "no such file"},
};

static void a_start_that_fails_says_why_in_one_line(void **state)
{
    char output[8000];

    (void)state;
    for (size_t i = 0; i < sizeof(RUNS) / sizeof(RUNS[0]); i++) {
        const char *arguments[5] = {0};
        memcpy(arguments, RUNS[i].arguments, sizeof(RUNS[i].arguments));
        int status = run_program(arguments, output, sizeof(output));
        if (status != RUNS[i].status || !strstr(output, RUNS[i].says))
            fail_msg("%s %s: status %d: %s", arguments[0], arguments[1] ? arguments[1] : "", status,
                     output);
        if (status)
            assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);
    }
}

static void a_busy_port_is_named(void **state)
{
    struct daemon daemon;
    char address[40], output[1000];

    (void)state;
    daemon_start(&daemon, NULL);
    snprintf(address, sizeof(address), "127.0.0.1:%d", daemon.port);
    const char *arguments[] = {"--listen", address, NULL};
    assert_int_equal(run_program(arguments, output, sizeof(output)), 1);
    assert_non_null(strstr(output, address));
    assert_non_null(strstr(output, "another process listens on it"));
    assert_int_equal(daemon_stop(&daemon), 0);
}

static void the_health_check_asks_a_running_daemon(void **state)
{
    static const char *const FLAGS[] = {"--listen", "unix:@/socket", NULL};
    struct daemon daemon;
    char target[200], output[1000];
    const char *arguments[] = {"--healthcheck", target, NULL};

    (void)state;
    daemon_start(&daemon, FLAGS);
    snprintf(target, sizeof(target), "127.0.0.1:%d", daemon.port);
    assert_int_equal(run_program(arguments, output, sizeof(output)), 0);
    snprintf(target, sizeof(target), "%s/readyz", daemon.url);
    assert_int_equal(run_program(arguments, output, sizeof(output)), 0);
    snprintf(target, sizeof(target), "unix:%s/socket", daemon.folder);
    assert_int_equal(run_program(arguments, output, sizeof(output)), 0);
    snprintf(target, sizeof(target), "%s/nope", daemon.url);
    assert_int_equal(run_program(arguments, output, sizeof(output)), 1);
    assert_non_null(strstr(output, "404"));
    assert_int_equal(daemon_stop(&daemon), 0);
}

static int connect_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static void a_unix_socket_serves_and_is_removed(void **state)
{
    static const char *const FLAGS[] = {"--listen", "unix:@/socket", NULL};
    static const char BYTES[] = "GET /healthz HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n";
    struct daemon daemon;
    struct stat info;
    char path[100], text[2000];
    bool closed;

    (void)state;
    daemon_start(&daemon, FLAGS);
    snprintf(path, sizeof(path), "%s/socket", daemon.folder);
    int fd = connect_unix(path);
    raw_send(fd, BYTES, sizeof(BYTES) - 1);
    raw_read(fd, 1000, text, sizeof(text), &closed);
    close(fd);
    assert_int_equal(raw_status(text), 200);
    /* a second daemon does not take it away */
    char address[130], output[1000];
    snprintf(address, sizeof(address), "unix:%s", path);
    const char *arguments[] = {"--listen", address, NULL};
    assert_int_equal(run_program(arguments, output, sizeof(output)), 1);
    assert_int_equal(stat(path, &info), 0);
    kill(daemon.pid, SIGTERM);
    for (int i = 0; i < 100 && stat(path, &info) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    assert_int_equal(stat(path, &info), -1);
    assert_int_equal(daemon_wait(&daemon), 0);
}

static void a_stale_socket_file_is_replaced(void **state)
{
    static const char *const FLAGS[] = {"--listen", "unix:@/socket", NULL};
    struct daemon daemon, again;
    char path[100], address[130];

    (void)state;
    daemon_start(&daemon, FLAGS);
    snprintf(path, sizeof(path), "%s/socket", daemon.folder);
    snprintf(address, sizeof(address), "unix:%s", path);
    kill(daemon.pid, SIGKILL);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    const char *flags[] = {"--listen", address, NULL};
    daemon_start(&again, flags);
    close(connect_unix(path));
    assert_int_equal(daemon_stop(&again), 0);
    assert_int_equal(daemon_wait(&daemon), -SIGKILL);
}

/* Plans over one connection until the daemon closes it; counts what was asked and what was
 * answered. */
struct client {
    const struct daemon *daemon;
    int asked, answered;
    bool broken; /* a reply was cut off */
};

static _Atomic bool stopping;

static bool read_reply(int fd, char *text, size_t size)
{
    bool closed;
    size_t length = 0;

    for (int i = 0; i < 500; i++) {
        length += raw_read(fd, 5, text + length, size - length, &closed);
        const char *end = strstr(text, "\r\n\r\n"), *announced = strstr(text, "Content-Length: ");
        if (end && announced &&
            length >= (size_t)(end + 4 - text) + (size_t)strtol(announced + 16, NULL, 10))
            return true;
        if (closed)
            return false;
    }
    return false;
}

static void *ask_until_closed(void *argument)
{
    static const char FORM[] = "POST /v1/plan HTTP/1.1\r\n" HOST
                               "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s";
    struct client *client = argument;
    char bytes[400], *text = malloc(400000);
    size_t length = (size_t)snprintf(bytes, sizeof(bytes), FORM, strlen(PLAN_BODY), PLAN_BODY);
    int fd = raw_connect(client->daemon);

    while (text && send(fd, bytes, length, MSG_NOSIGNAL) == (ssize_t)length) {
        client->asked++;
        if (!read_reply(fd, text, 400000)) {
            client->broken = text[0] != '\0';
            break;
        }
        client->answered++;
        if (strstr(text, "Connection: close"))
            break;
        if (client->answered > 100 && !atomic_load(&stopping))
            atomic_store(&stopping, true);
    }
    close(fd);
    free(text);
    return NULL;
}

static void sigterm_under_load_answers_what_is_under_way(void **state)
{
    struct daemon daemon;
    struct client clients[CLIENTS];
    pthread_t threads[CLIENTS];

    (void)state;
    daemon_start(&daemon, NULL);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){.daemon = &daemon};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_until_closed, &clients[i]), 0);
    }
    while (!atomic_load(&stopping))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    double begin = seconds_now();
    assert_int_equal(daemon_stop(&daemon), 0);
    assert_true(seconds_now() - begin < 5);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(clients[i].answered > 0);
        assert_false(clients[i].broken);
        /* one request may have reached a connection that was just closed after its last reply */
        assert_in_range(clients[i].asked - clients[i].answered, 0, 1);
    }
}

/* A request that began before the signal is answered after it, and told that the connection ends.
 */
static void a_request_begun_before_the_stop_is_answered(void **state)
{
    static const char HEAD[] = "POST /v1/plan HTTP/1.1\r\n" HOST
                               "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n";
    struct daemon daemon;
    char bytes[300], *text = malloc(400000);
    bool closed;

    (void)state;
    assert_non_null(text);
    daemon_start(&daemon, NULL);
    int fd = raw_connect(&daemon);
    raw_send(fd, bytes, (size_t)snprintf(bytes, sizeof(bytes), HEAD, strlen(PLAN_BODY)));
    raw_read(fd, 200, text, 100, &closed);
    kill(daemon.pid, SIGTERM);
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    raw_send(fd, PLAN_BODY, strlen(PLAN_BODY));
    raw_read(fd, 1000, text, 400000, &closed);
    assert_int_equal(raw_status(text), 200);
    assert_non_null(strstr(text, "Connection: close"));
    assert_true(closed);
    close(fd);
    assert_int_equal(daemon_wait(&daemon), 0);
    free(text);
}

/* Starts a request that never ends, then stops the daemon; how long that takes. */
static double stop_time(const char *const *flags, int signals)
{
    static const char HEAD[] = "POST /v1/plan HTTP/1.1\r\n" HOST
                               "Content-Type: application/json\r\nContent-Length: 90\r\n\r\n";
    struct daemon daemon;
    char text[100];
    bool closed;

    daemon_start(&daemon, flags);
    int fd = raw_connect(&daemon);
    raw_send(fd, HEAD, sizeof(HEAD) - 1);
    raw_read(fd, 200, text, sizeof(text), &closed);
    double begin = seconds_now();
    for (int i = 0; i < signals; i++) {
        kill(daemon.pid, i ? SIGINT : SIGTERM);
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    }
    assert_int_equal(daemon_wait(&daemon), 0);
    close(fd);
    return seconds_now() - begin;
}

static void a_stop_ends_at_its_deadline_or_at_a_second_signal(void **state)
{
    static const char *const SHORT[] = {"--drain-timeout", "1", NULL}, *const LONG[] = {
                                                                           "--drain-timeout", "60",
                                                                           NULL};

    (void)state;
    assert_in_range((uintmax_t)(1000 * stop_time(SHORT, 1)), 900, 4000);
    assert_in_range((uintmax_t)(1000 * stop_time(LONG, 2)), 200, 4000);
}

static void readiness_ends_with_the_signal(void **state)
{
    struct daemon daemon;
    static const char BYTES[] = "GET /readyz HTTP/1.1\r\n" HOST "\r\n";
    static const char HALF[] = "POST /v1/plan HTTP/1.1\r\n" HOST "Content-Length: 9\r\n\r\n";
    char text[2000];
    bool closed;

    (void)state;
    daemon_start(&daemon, NULL);
    int fd = raw_connect(&daemon), busy = raw_connect(&daemon);
    raw_send(fd, BYTES, sizeof(BYTES) - 1);
    raw_read(fd, 200, text, sizeof(text), &closed);
    assert_int_equal(raw_status(text), 200);
    /* a request under way keeps the daemon from ending */
    raw_send(busy, HALF, sizeof(HALF) - 1);
    raw_read(busy, 200, text, sizeof(text), &closed);
    kill(daemon.pid, SIGTERM);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    raw_send(fd, BYTES, sizeof(BYTES) - 1);
    raw_read(fd, 500, text, sizeof(text), &closed);
    assert_int_equal(raw_status(text), 503);
    assert_non_null(strstr(text, "Retry-After: "));
    assert_non_null(strstr(text, "application/problem+json"));
    assert_true(closed);
    close(fd);
    close(busy);
    assert_int_equal(daemon_wait(&daemon), 0);
}

/* A store that is pulled away ends the readiness, and gives it back when it returns. */
static void readiness_needs_the_file(void **state)
{
    static const char *const FLAGS[] = {"--db", "@/my.db", NULL};
    struct daemon daemon;
    struct http_reply reply;
    char path[100], aside[110];

    (void)state;
    daemon_start(&daemon, FLAGS);
    snprintf(path, sizeof(path), "%s/my.db", daemon.folder);
    snprintf(aside, sizeof(aside), "%s.aside", path);
    assert_int_equal(rename(path, aside), 0);
    http_get(&daemon, "/readyz", &reply);
    assert_problem(&reply, 503);
    assert_non_null(strstr(reply.body, "removed"));
    reply_done(&reply);
    assert_int_equal(rename(aside, path), 0);
    http_get(&daemon, "/readyz", &reply);
    assert_int_equal(reply.status, 200);
    reply_done(&reply);
    assert_int_equal(truncate(path, 8192), 0);
    http_get(&daemon, "/readyz", &reply);
    assert_problem(&reply, 503);
    assert_non_null(strstr(reply.body, "cut"));
    reply_done(&reply);
    http_get(&daemon, "/healthz", &reply);
    assert_int_equal(reply.status, 200);
    reply_done(&reply);
    (void)daemon_stop(&daemon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_is_announced_in_one_line),
        cmocka_unit_test(a_start_that_fails_says_why_in_one_line),
        cmocka_unit_test(a_busy_port_is_named),
        cmocka_unit_test(the_health_check_asks_a_running_daemon),
        cmocka_unit_test(a_unix_socket_serves_and_is_removed),
        cmocka_unit_test(a_stale_socket_file_is_replaced),
        cmocka_unit_test(sigterm_under_load_answers_what_is_under_way),
        cmocka_unit_test(a_request_begun_before_the_stop_is_answered),
        cmocka_unit_test(a_stop_ends_at_its_deadline_or_at_a_second_signal),
        cmocka_unit_test(readiness_ends_with_the_signal),
        cmocka_unit_test(readiness_needs_the_file),
    };

    curl_global_init(CURL_GLOBAL_DEFAULT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
