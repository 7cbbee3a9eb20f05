/* Writers that come at once, that leave before their reply, and a daemon that is told to stop while
 * they write: what was acknowledged is there, and nobody waits for ever. */
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
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <curl/curl.h>

#include "harness.h"
#include "json_look.h"
#include "writes_kit.h"

#define N_WRITERS 12
#define N_EACH 3
#define N_LEAVING 8

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

/* A writer of anchors from `first` on, each with a concurrency of its own. */
struct writer {
    const struct world *world;
    int first, n;
    int added, refused, lost; /* 201, 503, no reply */
    atomic_int *started;
};

/* 0 without a reply. */
static long try_post(const struct world *world, const char *body)
{
    CURL *curl = curl_easy_init();
    char url[100];
    long status = 0;
    struct curl_slist *headers = curl_slist_append(NULL, world->token);
    headers = curl_slist_append(headers, JSON_TYPE);
    snprintf(url, sizeof(url), "%s/v1/anchors", world->daemon.url);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_COPYPOSTFIELDS, body);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 60L);
    FILE *nowhere = fopen("/dev/null", "w");
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, nowhere);
    if (curl_easy_perform(curl) == CURLE_OK) {
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    }
    fclose(nowhere);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return status;
}

static void *write_anchors(void *argument)
{
    struct writer *writer = argument;
    for (int i = 0; i < writer->n; i++) {
        char body[ANCHOR_BODY_MAX];
        world_anchor(writer->first + i, 100 + writer->first + i, body);
        atomic_fetch_add(writer->started, 1);
        long status = try_post(writer->world, body);
        writer->added += status == 201;
        writer->refused += status == 503;
        writer->lost += status == 0;
    }
    return NULL;
}

static void start_writers(const struct world *world, struct writer *writers, pthread_t *threads,
                          int first, atomic_int *started)
{
    for (int i = 0; i < N_WRITERS; i++) {
        writers[i] = (struct writer){
            .world = world, .first = first + i * N_EACH, .n = N_EACH, .started = started};
        assert_int_equal(pthread_create(&threads[i], NULL, write_anchors, &writers[i]), 0);
    }
}

/* Anchors with a measured concurrency in the range. */
static int anchors_between(const struct world *world, int low, int high)
{
    struct http_reply reply;
    char target[200];
    snprintf(target, sizeof(target),
             "/v1/anchors?model=llama-3.1-8b&hardware=l4&input_tokens_min=5000&input_tokens_max="
             "5000&concurrency_min=%d&concurrency_max=%d",
             low, high);
    http_get(&world->daemon, target, &reply);
    cJSON *tree = cJSON_Parse(reply.body);
    const cJSON *total = member(tree, "total");
    int n = total ? total->valueint : 0;
    cJSON_Delete(tree);
    reply_done(&reply);
    return n;
}

static void many_writers_are_served_in_turn(void **state)
{
    const struct world *world = *state;
    struct writer writers[N_WRITERS];
    pthread_t threads[N_WRITERS];
    atomic_int started = 0;
    start_writers(world, writers, threads, 1000, &started);
    for (int i = 0; i < N_WRITERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(writers[i].added, N_EACH);
    }
    assert_int_equal(anchors_between(world, 1000, 1999), N_WRITERS * N_EACH);
}

/* Sends a whole request and goes away: closed, or reset. */
static void post_and_leave(const struct world *world, int concurrency, bool reset)
{
    char body[ANCHOR_BODY_MAX], request[2 * ANCHOR_BODY_MAX];
    world_anchor(concurrency, 100 + concurrency, body);
    int length = snprintf(request, sizeof(request),
                          "POST /v1/anchors HTTP/1.1\r\nHost: a\r\n%s\r\n" JSON_TYPE
                          "\r\nContent-Length: %zu\r\n\r\n%s",
                          world->token, strlen(body), body);
    int fd = raw_connect(&world->daemon);
    raw_send(fd, request, (size_t)length);
    const struct linger at_once = {.l_onoff = 1};
    if (reset) {
        wait_ms(20);
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    }
    close(fd);
}

/* Until the request for the metrics is the only one under way. */
static void wait_until_alone(const struct world *world)
{
    static const char NAME[] = "\nregime_http_requests_in_flight ";
    double deadline = seconds_now() + 20, n = 0;
    while (n != 1 && seconds_now() < deadline) {
        struct http_reply reply;
        http_get(&world->daemon, "/metrics", &reply);
        const char *line = strstr(reply.body, NAME);
        assert_non_null(line);
        n = strtod(line + sizeof(NAME) - 1, NULL);
        reply_done(&reply);
        wait_ms(10);
    }
    assert_true(n == 1);
}

static void who_leaves_holds_nobody_up(void **state)
{
    const struct world *world = *state;
    char body[ANCHOR_BODY_MAX];
    for (int i = 0; i < N_LEAVING; i++) {
        post_and_leave(world, 2000 + i, i % 2);
    }
    /* it waits for those before */
    world_anchor(2500, 2600, body);
    assert_int_equal(world_post_status(world, "/v1/anchors", NULL, body), 201);
    /* a request whose body was complete is done, unless its reset came first */
    int n = anchors_between(world, 2000, 2499);
    assert_true(n >= N_LEAVING / 2 && n <= N_LEAVING);
    wait_until_alone(world);
}

/* Two requests at once on one connection are answered in their order. */
static void writes_behind_each_other_are_answered_in_order(void **state)
{
    const struct world *world = *state;
    char bytes[3 * ANCHOR_BODY_MAX], text[16000] = "";
    size_t length = 0;
    bool closed = false;
    for (int i = 0; i < 2; i++) {
        char body[ANCHOR_BODY_MAX];
        world_anchor(2600 + i, 2700 + i, body);
        length +=
            (size_t)snprintf(bytes + length, sizeof(bytes) - length,
                             "POST /v1/anchors HTTP/1.1\r\nHost: a\r\n%s\r\n" JSON_TYPE
                             "\r\nX-Request-Id: nr-%d\r\nContent-Length: %zu\r\n%s\r\n%s",
                             world->token, i, strlen(body), i ? "Connection: close\r\n" : "", body);
    }
    int fd = raw_connect(&world->daemon);
    raw_send(fd, bytes, length);
    for (size_t n = 0, more = 1; !closed && more; n += more) {
        more = raw_read(fd, 10000, text + n, sizeof(text) - n, &closed);
    }
    close(fd);
    const char *first = strstr(text, "X-Request-Id: nr-0");
    assert_non_null(first);
    assert_non_null(strstr(first, "X-Request-Id: nr-1"));
    assert_int_equal(raw_status(text), 201);
}

/* Whatever was acknowledged is in the store when the daemon is told to stop. */
static void stopping_loses_no_reply(void **state)
{
    struct world world;
    struct writer writers[N_WRITERS];
    pthread_t threads[N_WRITERS];
    atomic_int started = 0;
    int added = 0;
    (void)state;
    world_start(&world);
    start_writers(&world, writers, threads, 3000, &started);
    while (atomic_load(&started) < N_WRITERS + 2) {
        wait_ms(1);
    }
    kill(world.daemon.pid, SIGTERM);
    for (int i = 0; i < N_WRITERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(writers[i].added + writers[i].refused + writers[i].lost, N_EACH);
        added += writers[i].added;
    }
    assert_true(added > 0);
    assert_int_equal(daemon_again(&world.daemon, NULL), 0);
    assert_true(anchors_between(&world, 3000, 3999) >= added);
    assert_int_equal(daemon_stop(&world.daemon), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_writers_are_served_in_turn),
        cmocka_unit_test(who_leaves_holds_nobody_up),
        cmocka_unit_test(writes_behind_each_other_are_answered_in_order),
        cmocka_unit_test(stopping_loses_no_reply),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
