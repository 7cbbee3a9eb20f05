/* Each allocation of a handful of requests fails once, and all from there on: nothing crashes,
 * nothing hangs, and the next request is answered as ever. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "failing_malloc.h"
#include "harness.h"
#include "writes_kit.h"

/* Of one request one after the other; a write, which reads the records anew, in growing steps. */
#define FAILURES_MAX 60
#define WRITE_FAILURES_MAX 60000
#define WRITE_STEP 1.5
#define TEXT_MAX 400000
#define WAIT_S 5
/* Growing steps through the allocations of a start, which has some ten thousand. */
#define START_STEP 1.35

static struct allocations *shared_with(char ret_path[40])
{
    snprintf(ret_path, 40, "/tmp/regime-alloc-XXXXXX");
    int fd = mkstemp(ret_path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, sizeof(struct allocations)), 0);
    void *memory =
        mmap(NULL, sizeof(struct allocations), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(memory != MAP_FAILED);
    close(fd);
    struct allocations *allocations = memory;
    atomic_store(&allocations->good, -1);
    return allocations;
}

static void preload(const char *path)
{
    setenv("LD_PRELOAD", FAILING_MALLOC, 1);
    setenv("REGIME_ALLOCATIONS", path, 1);
}

static void preload_no_more(void)
{
    unsetenv("LD_PRELOAD");
    unsetenv("REGIME_ALLOCATIONS");
}

/* Whole requests but for the token; each on a connection of its own. */
static const struct {
    const char *head, *body;
    bool writes;
} REQUESTS[] = {
    {"GET /version", "", false},
    {"GET /no/such/path?a=b", "", false},
    {"GET /plain", "", false},
    {"GET /v1/models?q=llama&limit=3", "", false},
    {"GET /v1/sources?limit=3", "", false},
    {"GET /v1/anchors?model=llama-3.1-8b&hardware=h100-sxm&limit=2", "", false},
    {"GET /metrics", "", false},
    {"POST /v1/plan", PLAN_BODY, false},
    {"POST /v1/plan?view=summary",
     "{\"command\":\"vllm serve meta-llama/Llama-3.1-8B-Instruct\",\"hardware\":\"l4\"}", false},
    {"POST /v1/check", PLAN_BODY, false},
    {"POST /v1/diagnose",
     "{\"title\":\"GPU idle between "
     "steps\",\"observed\":{\"other\":{\"tok_s_tp1\":90,\"tok_s_tp2\":77}},"
     "\"arms\":[{\"name\":\"lora\",\"tok_s\":1}],\"log\":\"x\",\"metrics\":[\"x 1\"]}",
     false},
    {"POST /v1/sweep", "{\"base\":" PLAN_BODY ",\"axes\":{\"/workload/concurrency\":[1,2,4]}}",
     false},
    {"POST /v1/sources", "", true},
};

struct scene {
    struct world world;
    struct allocations *allocations;
    int written;
    char text[TEXT_MAX];
};

/* The status of a reply; 0 when the connection ended without one. */
static int ask(struct scene *scene, size_t i)
{
    char bytes[1000], body[200];

    snprintf(body, sizeof(body), "%s", REQUESTS[i].body);
    if (REQUESTS[i].writes)
        snprintf(body, sizeof(body), "{\"title\":\"short %d\",\"kind\":\"documentation\"}",
                 scene->written++);
    snprintf(bytes, sizeof(bytes),
             "%s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n%s%s" JSON_TYPE
             "\r\nContent-Length: %zu\r\n\r\n%s",
             REQUESTS[i].head, REQUESTS[i].writes ? scene->world.token : "",
             REQUESTS[i].writes ? "\r\n" : "", strlen(body), body);
    if (strncmp(REQUESTS[i].head, "GET", 3) == 0)
        snprintf(bytes, sizeof(bytes), "%s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                 REQUESTS[i].head);
    if (!raw_exchange(&scene->world.daemon, bytes, scene->text, TEXT_MAX) && !scene->text[0])
        fail_msg("%s hangs", REQUESTS[i].head);
    return raw_status(scene->text);
}

static bool is_alive(const struct scene *scene)
{
    return waitpid(scene->world.daemon.pid, NULL, WNOHANG) == 0;
}

/* Asks with a failure after so many allocations, then without; whether there was one. */
static bool fail_after(struct scene *scene, size_t i, long good, bool all, int usual)
{
    atomic_store(&scene->allocations->failed, 0);
    atomic_store(&scene->allocations->all, all);
    atomic_store(&scene->allocations->good, good);
    (void)ask(scene, i);
    atomic_store(&scene->allocations->good, -1);
    bool failed = atomic_load(&scene->allocations->failed) > 0;
    if (!is_alive(scene))
        fail_msg("%s: dead after %ld allocations", REQUESTS[i].head, good);
    int status = ask(scene, i);
    if (status != usual)
        fail_msg("%s: %d after %ld allocations, usually %d: %.900s", REQUESTS[i].head, status, good,
                 usual, scene->text);
    return failed;
}

/* The next allocation to fail. */
static long next_of(size_t i, long good)
{
    return REQUESTS[i].writes && good > 10 ? (long)((double)good * WRITE_STEP) : good + 1;
}

/* What a request holds is given back whatever failed; connections that have just ended may still be
 * counted for a moment. */
static void assert_nothing_is_held(const struct scene *scene)
{
    double deadline = seconds_now() + WAIT_S;
    bool held = true;

    while (held && seconds_now() < deadline) {
        struct http_reply reply;
        http_get(&scene->world.daemon, "/metrics", &reply);
        held = !strstr(reply.body, "\nregime_http_requests_in_flight 1\n") ||
               !strstr(reply.body, "\nregime_http_connections 1\n");
        reply_done(&reply);
    }
    assert_false(held);
}

static void requests_survive_every_failure(void **state)
{
    static struct scene scene;
    char path[40];

    (void)state;
    if (IS_SANITIZED)
        skip();
    scene.allocations = shared_with(path);
    preload(path);
    daemon_start(&scene.world.daemon, (const char *[]){"--write-rate", "0", NULL});
    preload_no_more();
    world_token(&scene.world);
    for (size_t i = 0; i < sizeof(REQUESTS) / sizeof(REQUESTS[0]); i++) {
        int usual = ask(&scene, i), failures = 0;
        long most = REQUESTS[i].writes ? WRITE_FAILURES_MAX : FAILURES_MAX;
        for (int all = 0; all <= 1; all++)
            for (long good = 0; good < most; good = next_of(i, good))
                failures += fail_after(&scene, i, good, all, usual);
        print_message("%s: %d failures survived\n", REQUESTS[i].head, failures);
    }
    assert_nothing_is_held(&scene);
    assert_int_equal(daemon_stop(&scene.world.daemon), 0);
    unlink(path);
}

/* A start that gets no memory ends with a word, or serves; it does not crash. */
static void a_start_survives_every_failure(void **state)
{
    char path[40], output[4000];
    int starts = 0;

    (void)state;
    if (IS_SANITIZED)
        skip();
    struct allocations *allocations = shared_with(path);
    preload(path);
    for (double good = 0; starts < 40; good = good * START_STEP + 1, starts++) {
        atomic_store(&allocations->all, starts % 2);
        atomic_store(&allocations->failed, 0);
        atomic_store(&allocations->good, (long)good);
        /* an address of nobody: the start ends there at the latest */
        int status =
            run_program((const char *[]){"--listen", "192.0.2.1:0", NULL}, output, sizeof(output));
        if (status != 1 && status != 2 && status != 127)
            fail_msg("%d after %ld allocations: %s", status, (long)good, output);
    }
    preload_no_more();
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_survive_every_failure),
        cmocka_unit_test(a_start_survives_every_failure),
    };

    curl_global_init(CURL_GLOBAL_DEFAULT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
