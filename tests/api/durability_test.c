/* Killed at any moment: what was acknowledged is there, and the file is sound.
 *
 * REGIME_KILLS in the environment says how often it is killed; a dozen times without it. */
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>
#include <sqlite3.h>

#include "harness.h"
#include "writes_kit.h"

#define KILLS 12
#define WRITERS 3
#define WRITES_MAX 20000
/* A kill comes after so many writes, and so long after the last of them, at most. */
#define MORE_MAX 6
#define WAIT_MAX_MS 100
#define WRITES_WAIT_S 30
/* Of a start that is killed: about as long as one takes. */
#define START_MAX_MS 700

/* Each writes sources with titles of its own, one after the other, until its daemon is gone. */
struct writer {
    const struct world *world;
    atomic_int *done; /* by all writers */
    int number, begun;
    bool acknowledged[WRITES_MAX];
};

static size_t ignore(const char *data, size_t size, size_t n, void *cls)
{
    (void)data;
    (void)cls;
    return size * n;
}

/* Whether the write was acknowledged. */
static bool post(CURL *curl, const struct writer *writer, int i)
{
    char body[200];
    long status = 0;

    snprintf(body, sizeof(body),
             "{\"title\":\"durable %d-%d\",\"kind\":\"documentation\","
             "\"url\":\"https://a.example/%d/%d\"}",
             writer->number, i, writer->number, i);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return code == CURLE_OK && (status == 200 || status == 201);
}

static void *write_on(void *argument)
{
    struct writer *writer = argument;
    char url[100];
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, writer->world->token);
    bool alive = true;

    headers = curl_slist_append(headers, JSON_TYPE);
    snprintf(url, sizeof(url), "%s/v1/sources", writer->world->daemon.url);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    while (alive && writer->begun < WRITES_MAX) {
        int i = writer->begun++;
        alive = writer->acknowledged[i] = post(curl, writer, i);
        atomic_fetch_add(writer->done, alive);
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return NULL;
}

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* A number below that, another each time (the constants of Numerical Recipes' "quick" generator).
 */
static int some(uint32_t *seed, int below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (int)((*seed >> 8) % (uint32_t)below);
}

static uint32_t new_seed(void)
{
    return (uint32_t)(seconds_now() * 1e6);
}

static void wait_for_writes(atomic_int *done, int more)
{
    int until = atomic_load(done) + more;
    double deadline = seconds_now() + WRITES_WAIT_S;

    while (atomic_load(done) < until && seconds_now() < deadline)
        wait_ms(1);
}

/* How many titles of a writer are in the file, and that each acknowledged one is. */
static int check_writer(sqlite3 *db, const struct writer *writer)
{
    sqlite3_stmt *row;
    int acknowledged = 0;

    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT count(*) FROM sources WHERE title=?1", -1, &row, NULL),
        SQLITE_OK);
    for (int i = 0; i < writer->begun; i++) {
        char title[40];
        snprintf(title, sizeof(title), "durable %d-%d", writer->number, i);
        sqlite3_bind_text(row, 1, title, -1, SQLITE_STATIC);
        assert_int_equal(sqlite3_step(row), SQLITE_ROW);
        int found = sqlite3_column_int(row, 0);
        if (found > 1 || (writer->acknowledged[i] && !found))
            fail_msg("%s: acknowledged %d, found %d times", title, writer->acknowledged[i], found);
        acknowledged += writer->acknowledged[i];
        sqlite3_reset(row);
    }
    sqlite3_finalize(row);
    return acknowledged;
}

static void assert_sound(const struct daemon *daemon)
{
    char db[100], output[1000];

    world_db(daemon, db);
    if (run_program((const char *[]){"verify", db, NULL}, output, sizeof(output)) != 0)
        fail_msg("%s", output);
}

static int kills(void)
{
    const char *text = getenv("REGIME_KILLS");

    return text ? (int)strtol(text, NULL, 10) : KILLS;
}

static void no_acknowledged_write_is_lost(void **state)
{
    static struct writer writers[WRITERS];
    static const char *const FLAGS[] = {"--write-rate", "0", NULL};
    struct world world;
    pthread_t threads[WRITERS];
    char path[100];
    sqlite3 *db;
    atomic_int done = 0;
    int acknowledged = 0, n = kills();
    uint32_t seed = new_seed();

    (void)state;
    world_start(&world);
    for (int i = 0; i < WRITERS; i++)
        writers[i] = (struct writer){.world = &world, .done = &done, .number = i};
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < WRITERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, write_on, &writers[i]), 0);
        wait_for_writes(&done, 1 + some(&seed, MORE_MAX));
        wait_ms(some(&seed, WAIT_MAX_MS));
        kill(world.daemon.pid, SIGKILL);
        for (int i = 0; i < WRITERS; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(daemon_again(&world.daemon, FLAGS), -SIGKILL);
    }
    assert_sound(&world.daemon);
    world_db(&world.daemon, path);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (int i = 0; i < WRITERS; i++)
        acknowledged += check_writer(db, &writers[i]);
    sqlite3_close(db);
    print_message("%d kills, %d acknowledged writes, none lost\n", n, acknowledged);
    assert_true(acknowledged >= n);
    assert_int_equal(daemon_stop(&world.daemon), 0);
}

/* Starts the program on a store and kills it so long after. */
static void start_and_kill(const char *db, long after_ms)
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        /* execl() takes what it is given as it is */
        if (freopen("/dev/null", "w", stderr))
            execl(REGIMED, "regimed", "--db", db, "--listen", "127.0.0.1:0", (char *)NULL);
        _exit(127);
    }
    wait_ms(after_ms);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

/* A store that is being made, or opened, when the program is killed is whole or not there. */
static void a_killed_start_leaves_a_store_that_starts(void **state)
{
    struct daemon daemon;
    char folder[] = "/tmp/regime-api-XXXXXX", db[100];
    uint32_t seed = new_seed();

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(db, sizeof(db), "%s/regime.db", folder);
    for (int i = 0; i < KILLS; i++) {
        if (i < KILLS / 2)
            unlink(db);
        start_and_kill(db, some(&seed, START_MAX_MS));
    }
    daemon_start_in(&daemon, folder, NULL, -1);
    assert_sound(&daemon);
    assert_int_equal(daemon_stop(&daemon), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_acknowledged_write_is_lost),
        cmocka_unit_test(a_killed_start_leaves_a_store_that_starts),
    };

    curl_global_init(CURL_GLOBAL_DEFAULT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
