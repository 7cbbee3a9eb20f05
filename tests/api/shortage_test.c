/* No room, no leave to write, no lock, no descriptor: a clear word, and reads go on. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>
#include <sqlite3.h>

#include "harness.h"
#include "writes_kit.h"

#define DISK_BYTES "120m"
#define PIECE_BYTES 65536
#define DESCRIPTORS 64
#define CLIENTS 100

static const char PLAN[] = "/v1/plan?model=llama-3.1-8b&hardware=l4&view=summary";

static long status_of(const struct daemon *daemon, const char *target)
{
    struct http_reply reply;

    http_get(daemon, target, &reply);
    long status = reply.status;
    reply_done(&reply);
    return status;
}

/* Posts a source with a title of its own; what the refusal says has to hold that word. */
static long post_source(const struct world *world, int i, const char *says)
{
    struct http_reply reply;
    char body[200];
    const char *const headers[] = {world->token, JSON_TYPE, NULL};

    snprintf(body, sizeof(body),
             "{\"title\":\"short %d\",\"kind\":\"documentation\",\"url\":\"https://a.example/%d\"}",
             i, i);
    http_request(&world->daemon, "POST", "/v1/sources", headers, body, &reply);
    long status = reply.status;
    if (status >= 400) {
        assert_problem(&reply, status);
        if (!strstr(reply.body, says))
            fail_msg("expected \"%s\": %s", says, reply.body);
        assert_true(status != 503 || reply_value(&reply, "Retry-After"));
    }
    reply_done(&reply);
    return status;
}

/* A small disk of its own, which only root may make. */
static bool mount_disk(char folder[32])
{
    snprintf(folder, 32, "/tmp/regime-disk-XXXXXX");
    assert_non_null(mkdtemp(folder));
    if (mount("tmpfs", folder, "tmpfs", 0, "size=" DISK_BYTES) == 0)
        return true;
    rmdir(folder);
    return false;
}

static void unmount_disk(const char *folder)
{
    assert_int_equal(umount2(folder, MNT_DETACH), 0);
    rmdir(folder);
}

static void start_world_in(struct world *world, const char *folder)
{
    static const char *const FLAGS[] = {"--write-rate", "0", NULL};

    daemon_start_in(&world->daemon, folder, FLAGS, -1);
    world_token(world);
}

/* Takes all the room that is left. */
static void fill(const char *path)
{
    static char piece[PIECE_BYTES];
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    size_t size = sizeof(piece);

    assert_true(fd >= 0);
    while (size > 0)
        if (write(fd, piece, size) != (ssize_t)size)
            size /= 2;
    close(fd);
}

static void a_full_disk_refuses_writes_and_nothing_else(void **state)
{
    struct world world;
    char folder[32], path[60];

    (void)state;
    if (!mount_disk(folder))
        skip();
    start_world_in(&world, folder);
    assert_int_equal(post_source(&world, 0, ""), 201);
    snprintf(path, sizeof(path), "%s/filler", folder);
    fill(path);
    int i = 1;
    while (post_source(&world, i, "full") == 201) /* the log has room of its own for a few */
        i++;
    assert_int_equal(post_source(&world, i, "full"), 503);
    assert_int_equal(status_of(&world.daemon, PLAN), 200);
    assert_int_equal(status_of(&world.daemon, "/v1/sources?limit=5"), 200);
    assert_int_equal(status_of(&world.daemon, "/readyz"), 200);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(post_source(&world, i, ""), 201);
    world.daemon.folder[0] = '\0';
    assert_int_equal(daemon_stop(&world.daemon), 0);
    snprintf(path, sizeof(path), "%s/regime.db", folder);
    char output[1000];
    assert_int_equal(run_program((const char *[]){"verify", path, NULL}, output, sizeof(output)),
                     0);
    unmount_disk(folder);
}

static void a_start_on_a_full_disk_says_so(void **state)
{
    char folder[32], path[60], output[2000];

    (void)state;
    if (!mount_disk(folder))
        skip();
    snprintf(path, sizeof(path), "%s/filler", folder);
    fill(path);
    snprintf(path, sizeof(path), "%s/regime.db", folder);
    assert_int_equal(run_program((const char *[]){"--db", path, "--listen", "127.0.0.1:0", NULL},
                                 output, sizeof(output)),
                     1);
    if (!strstr(output, "full"))
        fail_msg("%s", output);
    unmount_disk(folder);
}

static void a_read_only_disk_is_served_from(void **state)
{
    struct world world;
    char folder[32];

    (void)state;
    if (!mount_disk(folder))
        skip();
    start_world_in(&world, folder);
    world.daemon.folder[0] = '\0';
    assert_int_equal(daemon_stop(&world.daemon), 0);
    assert_int_equal(mount("tmpfs", folder, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
    daemon_start_in(&world.daemon, folder, NULL, -1);
    assert_int_equal(status_of(&world.daemon, PLAN), 200);
    assert_int_equal(status_of(&world.daemon, "/readyz"), 200);
    assert_int_equal(status_of(&world.daemon, "/v1/sources?limit=5"), 200);
    assert_int_equal(post_source(&world, 1, "cannot be written"), 409);
    world.daemon.folder[0] = '\0';
    assert_int_equal(daemon_stop(&world.daemon), 0);
    unmount_disk(folder);
}

/* Somebody else holds the lock of writers for longer than one waits. */
static void a_locked_store_is_read_on(void **state)
{
    struct world world;
    sqlite3 *db;
    char path[100];

    (void)state;
    /* waiting for the lock is no fault of the request */
    daemon_start(&world.daemon,
                 (const char *[]){"--write-rate", "0", "--request-timeout", "1", NULL});
    world_token(&world);
    world_db(&world.daemon, path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(post_source(&world, 1, "locked by another process"), 503);
    assert_int_equal(status_of(&world.daemon, PLAN), 200);
    assert_int_equal(status_of(&world.daemon, "/v1/sources?limit=5"), 200);
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(post_source(&world, 1, ""), 201);
    assert_int_equal(daemon_stop(&world.daemon), 0);
}

/* More clients than descriptors: who is in goes on, the others come in when some leave. */
static void too_few_descriptors_end_nothing(void **state)
{
    static const char BYTES[] = "GET /version HTTP/1.1\r\nHost: a\r\n\r\n";
    struct daemon daemon;
    int fds[CLIENTS], answered = 0;

    (void)state;
    daemon_start_limited(&daemon, RLIMIT_NOFILE, DESCRIPTORS);
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = raw_connect(&daemon);
        raw_send(fds[i], BYTES, sizeof(BYTES) - 1);
    }
    for (int i = 0; i < CLIENTS; i++) {
        answered += raw_answered(fds[i], 30000);
        close(fds[i]);
    }
    assert_int_equal(answered, CLIENTS);
    assert_int_equal(status_of(&daemon, PLAN), 200);
    assert_int_equal(status_of(&daemon, "/v1/sources?limit=5"), 200);
    assert_int_equal(daemon_stop(&daemon), 0);
}

/* A limit on the size of files is an error like another, not a signal that kills. */
static void a_limit_of_file_size_kills_nobody(void **state)
{
    struct daemon daemon = {.folder = "/tmp/regime-api-XXXXXX"};
    char path[100], output[2000] = "";

    (void)state;
    assert_non_null(mkdtemp(daemon.folder));
    snprintf(path, sizeof(path), "%s/regime.db", daemon.folder);
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 1000000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int status = run_program((const char *[]){"--db", path, "--listen", "127.0.0.1:0", NULL},
                             output, sizeof(output));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    if (status != 1 || !strstr(output, path))
        fail_msg("%d: %s", status, output);
    daemon_remove_folder(&daemon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_refuses_writes_and_nothing_else),
        cmocka_unit_test(a_start_on_a_full_disk_says_so),
        cmocka_unit_test(a_read_only_disk_is_served_from),
        cmocka_unit_test(a_locked_store_is_read_on),
        cmocka_unit_test(too_few_descriptors_end_nothing),
        cmocka_unit_test(a_limit_of_file_size_kills_nobody),
    };

    curl_global_init(CURL_GLOBAL_DEFAULT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
