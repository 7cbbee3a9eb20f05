/* The clock of the day jumps: what is due by it is due, and nothing else notices. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "harness.h"
#include "writes_kit.h"

#define WAIT_MS 30000
#define HOUR_S 3600
#define DAY_S (24L * HOUR_S)
#define YEAR_S (365 * DAY_S)

static const char GET[] = "GET /version HTTP/1.1\r\nHost: a\r\n\r\n";

/* A daemon whose clock is off by what is written to *ret_off_s. */
static void start_off(struct daemon *daemon, const char *const *flags, atomic_long **ret_off_s)
{
    char path[] = "/tmp/regime-clock-XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, sizeof(atomic_long)), 0);
    void *memory = mmap(NULL, sizeof(atomic_long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(memory != MAP_FAILED);
    close(fd);
    setenv("LD_PRELOAD", MOVED_CLOCK, 1);
    setenv("REGIME_CLOCK", path, 1);
    daemon_start(daemon, flags);
    unsetenv("LD_PRELOAD");
    unsetenv("REGIME_CLOCK");
    unlink(path);
    *ret_off_s = memory;
}

static long status_with(const struct daemon *daemon, const char *target, const char *header)
{
    struct http_reply reply;

    http_request(daemon, "GET", target, (const char *[]){header, NULL}, NULL, &reply);
    long status = reply.status;
    reply_done(&reply);
    return status;
}

static void a_token_lasts_by_the_clock_of_the_day(void **state)
{
    static const char *const FLAGS[] = {"--read-tokens-required", NULL};
    struct daemon daemon;
    atomic_long *off_s;
    char db[100], output[200] = "", header[160];

    (void)state;
    if (IS_SANITIZED)
        skip();
    start_off(&daemon, FLAGS, &off_s);
    world_db(&daemon, db);
    assert_int_equal(run_program((const char *[]){"token", "add", "brief", "--scope", "read",
                                                  "--expires", "1h", "--db", db, NULL},
                                 output, sizeof(output)),
                     0);
    output[strcspn(output, "\n")] = '\0';
    snprintf(header, sizeof(header), "Authorization: Bearer %.70s", output);
    assert_int_equal(status_with(&daemon, "/version", header), 200);
    atomic_store(off_s, 2L * HOUR_S);
    assert_int_equal(status_with(&daemon, "/version", header), 401);
    atomic_store(off_s, -DAY_S);
    assert_int_equal(status_with(&daemon, "/version", header), 200);
    assert_int_equal(daemon_stop(&daemon), 0);
}

static bool is_answered(int fd)
{
    raw_send(fd, GET, sizeof(GET) - 1);
    return raw_answered(fd, WAIT_MS);
}

/* Kept connections, limits of rates, writes and counters go by the clock that nobody sets. */
static void jumps_end_nothing(void **state)
{
    static const char *const FLAGS[] = {"--write-rate", "100", "--request-rate", "50", NULL};
    static const long JUMPS_S[] = {DAY_S, -DAY_S, 10 * YEAR_S, -10 * YEAR_S, 0};
    struct world world;
    atomic_long *off_s;

    (void)state;
    if (IS_SANITIZED)
        skip();
    start_off(&world.daemon, FLAGS, &off_s);
    world_token(&world);
    int fd = raw_connect(&world.daemon);
    assert_true(is_answered(fd));
    for (size_t i = 0; i < sizeof(JUMPS_S) / sizeof(JUMPS_S[0]); i++) {
        char body[100];
        atomic_store(off_s, JUMPS_S[i]);
        assert_true(is_answered(fd));
        snprintf(body, sizeof(body), "{\"title\":\"jump %zu\",\"kind\":\"documentation\"}", i);
        assert_int_equal(world_post_status(&world, "/v1/sources", NULL, body), 201);
        assert_int_equal(
            status_with(&world.daemon, "/v1/plan?model=llama-3.1-8b&hardware=l4", "X: 1"), 200);
        assert_int_equal(status_with(&world.daemon, "/v1/gaps?limit=5", "X: 1"), 200);
        assert_int_equal(status_with(&world.daemon, "/readyz", "X: 1"), 200);
    }
    close(fd);
    assert_int_equal(daemon_stop(&world.daemon), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_lasts_by_the_clock_of_the_day),
        cmocka_unit_test(jumps_end_nothing),
    };

    curl_global_init(CURL_GLOBAL_DEFAULT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
