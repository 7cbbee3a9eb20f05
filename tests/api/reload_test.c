/* Other settings, another certificate, another process: on the same socket, and no request lost. */
#include <arpa/inet.h>
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
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "certificate.h"
#include "harness.h"

#define CLIENTS 4
#define REPLACEMENTS 3
#define WAIT_S 60
/* Requests that must have been answered between two replacements. */
#define REQUESTS_EACH 400

/* A socket that outlives the daemons: it listens, and they are handed it. */
static int listening_socket(int *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, SOMAXCONN), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *ret_port = ntohs(address.sin_port);
    return fd;
}

/* Clients that ask on and on, some over kept connections, some over new ones. */
struct client {
    const char *url;
    bool keeps;
    atomic_long answered;
    long failed;
    char why[CURL_ERROR_SIZE];
};

static _Atomic bool ended;

static size_t ignore(const char *data, size_t size, size_t n, void *cls)
{
    (void)data;
    (void)cls;
    return size * n;
}

static void *ask_on(void *argument)
{
    struct client *client = argument;
    CURL *curl = curl_easy_init();
    char error[CURL_ERROR_SIZE] = "";

    curl_easy_setopt(curl, CURLOPT_URL, client->url);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 10L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, (long)!client->keeps);
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, (long)!client->keeps);
    while (!atomic_load(&ended)) {
        long status = 0;
        CURLcode code = curl_easy_perform(curl);
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        if (code == CURLE_OK && status == 200) {
            atomic_fetch_add(&client->answered, 1);
            continue;
        }
        client->failed++;
        snprintf(client->why, sizeof(client->why), "%ld: %.200s", status, error);
    }
    curl_easy_cleanup(curl);
    return NULL;
}

static long answered_by(struct client *clients)
{
    long n = 0;

    for (int i = 0; i < CLIENTS; i++)
        n += atomic_load(&clients[i].answered);
    return n;
}

static void wait_for(struct client *clients, long more)
{
    long until = answered_by(clients) + more;
    double deadline = seconds_now() + WAIT_S;

    while (answered_by(clients) < until && seconds_now() < deadline)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    assert_true(answered_by(clients) >= until);
}

static void start_clients(struct client *clients, pthread_t *threads, const char *url)
{
    atomic_store(&ended, false);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){.url = url, .keeps = i % 2 == 0};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_on, &clients[i]), 0);
    }
}

static void end_clients(struct client *clients, pthread_t *threads)
{
    atomic_store(&ended, true);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        if (clients[i].failed)
            fail_msg("client %d: %ld requests failed, the last with %s", i, clients[i].failed,
                     clients[i].why);
    }
}

/* Each daemon is ended only when the next one serves: both accept on the one socket for a while. */
static void a_restart_behind_a_kept_socket_loses_no_request(void **state)
{
    struct daemon daemons[2];
    struct client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    char folder[] = "/tmp/regime-api-XXXXXX", url[80];
    int port, fd = listening_socket(&port);

    (void)state;
    assert_non_null(mkdtemp(folder));
    daemon_start_in(&daemons[0], folder, NULL, fd);
    assert_int_equal(daemons[0].port, port);
    snprintf(url, sizeof(url), "%s/healthz", daemons[0].url);
    start_clients(clients, threads, url);
    for (int i = 1; i <= REPLACEMENTS; i++) {
        struct daemon *old = &daemons[(i - 1) % 2], *fresh = &daemons[i % 2];
        wait_for(clients, REQUESTS_EACH);
        daemon_start_in(fresh, folder, NULL, fd);
        wait_for(clients, REQUESTS_EACH);
        old->folder[0] = '\0'; /* is still in use */
        assert_int_equal(daemon_stop(old), 0);
    }
    wait_for(clients, REQUESTS_EACH);
    end_clients(clients, threads);
    assert_int_equal(daemon_stop(&daemons[REPLACEMENTS % 2]), 0);
    close(fd);
}

/* Nobody accepts between the end of one daemon and the start of the next: clients wait, none fails.
 */
static void a_gap_between_two_daemons_is_bridged_by_the_socket(void **state)
{
    static const char BYTES[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    struct daemon daemon;
    char folder[] = "/tmp/regime-api-XXXXXX", text[1000];
    int port, fd = listening_socket(&port);
    bool closed;

    (void)state;
    assert_non_null(mkdtemp(folder));
    daemon_start_in(&daemon, folder, NULL, fd);
    daemon.folder[0] = '\0';
    assert_int_equal(daemon_stop(&daemon), 0);
    daemon.port = port;
    int client = raw_connect(&daemon);
    raw_send(client, BYTES, sizeof(BYTES) - 1);
    daemon_start_in(&daemon, folder, NULL, fd);
    raw_read(client, 3000, text, sizeof(text), &closed);
    assert_int_equal(raw_status(text), 200);
    close(client);
    assert_int_equal(daemon_stop(&daemon), 0);
    close(fd);
}

static void write_settings(const struct daemon *daemon, const char *text)
{
    char path[120];

    snprintf(path, sizeof(path), "%s/regime.conf", daemon->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Reads the daemon's messages until one says that. */
static void wait_said(const struct daemon *daemon, const char *what)
{
    char log[4000] = "";
    size_t length = 0;
    double deadline = seconds_now() + WAIT_S;
    bool closed = false;

    while (!strstr(log, what) && !closed && seconds_now() < deadline)
        length += raw_read(daemon->log_fd, 20, log + length, sizeof(log) - length, &closed);
    if (!strstr(log, what))
        fail_msg("expected \"%s\": %s", what, log);
}

static void start_with_settings(struct daemon *daemon, const char *text)
{
    static const char *const FLAGS[] = {"--config", "@/regime.conf", NULL};
    char folder[] = "/tmp/regime-api-XXXXXX";

    assert_non_null(mkdtemp(folder));
    snprintf(daemon->folder, sizeof(daemon->folder), "%s", folder);
    write_settings(daemon, text);
    daemon_start_in(daemon, folder, FLAGS, -1);
}

static int count_answered(const struct daemon *daemon, int n, long status)
{
    int answered = 0;

    for (int i = 0; i < n; i++) {
        struct http_reply reply;
        http_get(daemon, "/version", &reply);
        answered += reply.status == status;
        if (reply.status != 200) {
            assert_problem(&reply, 429);
            assert_int_equal(strtol(reply_value(&reply, "Retry-After"), NULL, 10), 1);
        }
        reply_done(&reply);
    }
    return answered;
}

static void limits_change_on_a_signal(void **state)
{
    struct daemon daemon;
    struct http_reply reply;

    (void)state;
    start_with_settings(&daemon, "request-rate = 1\n");
    assert_true(count_answered(&daemon, 20, 429) > 0);
    http_get(&daemon, "/healthz", &reply); /* probes are not counted */
    assert_int_equal(reply.status, 200);
    reply_done(&reply);
    write_settings(&daemon, "request-rate = 0 # none\n");
    kill(daemon.pid, SIGHUP);
    wait_said(&daemon, "request-rate takes a whole number");
    write_settings(&daemon, "# no limit\nrequest-rate = 0\nlisten = 127.0.0.1:1\n");
    kill(daemon.pid, SIGHUP);
    wait_said(&daemon, "the settings were read again");
    assert_int_equal(count_answered(&daemon, 20, 200), 20);
    assert_int_equal(daemon_stop(&daemon), 0);
}

static void a_reload_under_load_loses_no_request(void **state)
{
    struct daemon daemon;
    struct client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    char url[80];

    (void)state;
    start_with_settings(&daemon, "threads = 2\n");
    snprintf(url, sizeof(url), "%s/healthz", daemon.url);
    start_clients(clients, threads, url);
    for (int i = 0; i < 2 * REPLACEMENTS; i++) {
        wait_for(clients, REQUESTS_EACH);
        write_settings(&daemon, i % 2 ? "threads = 1\n" : "threads = 3\n");
        kill(daemon.pid, SIGHUP);
        wait_said(&daemon, "the settings were read again");
    }
    wait_for(clients, REQUESTS_EACH);
    end_clients(clients, threads);
    assert_int_equal(daemon_stop(&daemon), 0);
}

/* Whether a client that trusts the certificate in that file, and no other, is served. */
static bool is_trusted(const struct daemon *daemon, const char *cert)
{
    char url[80];
    CURL *curl = curl_easy_init();

    snprintf(url, sizeof(url), "%s/healthz", daemon->url);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_CAINFO, cert);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 10L);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_cleanup(curl);
    return code == CURLE_OK;
}

static void tls_is_spoken_and_its_certificate_replaced(void **state)
{
    static const char *const FLAGS[] = {"--tls-cert", "@/cert.pem",    "--tls-key", "@/key.pem",
                                        "--listen",   "unix:@/socket", NULL};
    struct daemon daemon;
    struct client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    char folder[] = "/tmp/regime-api-XXXXXX", cert[100], key[100], old[100], text[400], url[80];
    bool closed;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(cert, sizeof(cert), "%s/cert.pem", folder);
    snprintf(key, sizeof(key), "%s/key.pem", folder);
    snprintf(old, sizeof(old), "%s/old.pem", folder);
    certificate_write(cert, key);
    daemon_start_in(&daemon, folder, FLAGS, -1);
    assert_true(strncmp(daemon.url, "https:", 6) == 0);
    assert_true(is_trusted(&daemon, cert));
    snprintf(url, sizeof(url), "%s/healthz", daemon.url);
    start_clients(clients, threads, url);
    wait_for(clients, 20);
    assert_int_equal(rename(cert, old), 0);
    certificate_write(cert, key);
    wait_said(&daemon, "the certificate was read again");
    wait_for(clients, 20);
    end_clients(clients, threads);
    assert_true(is_trusted(&daemon, cert));
    assert_false(is_trusted(&daemon, old));
    assert_int_equal(
        run_program((const char *[]){"--healthcheck", daemon.url, NULL}, text, sizeof(text)), 0);
    /* what is no certificate changes nothing, and plain HTTP is not spoken here */
    FILE *file = fopen(cert, "w");
    assert_non_null(file);
    fputs("no certificate", file);
    fclose(file);
    wait_said(&daemon, "the certificate stays as it was");
    int fd = raw_connect(&daemon);
    raw_send(fd, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 35);
    raw_read(fd, 500, text, sizeof(text), &closed);
    assert_int_equal(raw_status(text), 0);
    close(fd);
    assert_int_equal(daemon_stop(&daemon), 0);
}

/* What sd_notify(3) would send. */
static void a_supervisor_hears_of_start_reload_and_end(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct daemon daemon;
    char folder[] = "/tmp/regime-api-XXXXXX", text[4000] = "";
    bool closed;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/notify", folder);
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    setenv("NOTIFY_SOCKET", address.sun_path, 1);
    setenv("WATCHDOG_USEC", "1000000", 1);
    daemon_start_in(&daemon, folder, NULL, -1);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    kill(daemon.pid, SIGHUP);
    wait_said(&daemon, "the settings were read again");
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 500000000}, NULL);
    assert_int_equal(daemon_stop(&daemon), 0);
    raw_read(fd, 100, text, sizeof(text), &closed);
    const char *ready = strstr(text, "READY=1\nSTATUS=records ");
    const char *reloading = ready ? strstr(ready, "RELOADING=1\nMONOTONIC_USEC=") : NULL;
    const char *again = reloading ? strstr(reloading, "READY=1") : NULL;
    const char *ping = again ? strstr(again, "WATCHDOG=1") : NULL;
    if (!ping || !strstr(ping, "STOPPING=1"))
        fail_msg("%s", text);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_behind_a_kept_socket_loses_no_request),
        cmocka_unit_test(a_gap_between_two_daemons_is_bridged_by_the_socket),
        cmocka_unit_test(limits_change_on_a_signal),
        cmocka_unit_test(a_reload_under_load_loses_no_request),
        cmocka_unit_test(tls_is_spoken_and_its_certificate_replaced),
        cmocka_unit_test(a_supervisor_hears_of_start_reload_and_end),
    };

    curl_global_init(CURL_GLOBAL_DEFAULT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
