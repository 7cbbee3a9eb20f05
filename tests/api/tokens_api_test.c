/* Tokens over the wire: a closed service, tokens added and revoked while it runs, nothing told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "harness.h"

#define TOKEN_LENGTH 68

static void db_of(const struct daemon *daemon, char ret_path[100])
{
    snprintf(ret_path, 100, "%s/regime.db", daemon->folder);
}

/* Runs "regimed token ..." on the daemon's file; what it printed. */
static int run_token(const struct daemon *daemon, const char *const *words, char *ret_output,
                     size_t size)
{
    char db[100];
    const char *arguments[10] = {"token"};
    int n = 1;
    db_of(daemon, db);
    for (int i = 0; words[i]; i++)
        arguments[n++] = words[i];
    arguments[n++] = "--db";
    arguments[n++] = db;
    arguments[n] = NULL;
    return run_program(arguments, ret_output, size);
}

/* A new token as a header. */
static void add_token(const struct daemon *daemon, const char *name, const char *scope,
                      char ret_header[160])
{
    char output[4000] = "";
    assert_int_equal(run_token(daemon, (const char *[]){"add", name, "--scope", scope, NULL},
                               output, sizeof(output)),
                     0);
    assert_int_equal(strlen(output), TOKEN_LENGTH + 1);
    assert_int_equal(output[TOKEN_LENGTH], '\n');
    output[TOKEN_LENGTH] = '\0';
    snprintf(ret_header, 160, "Authorization: Bearer %.70s", output);
}

static long status_with(const struct daemon *daemon, const char *target, const char *header,
                        const char *authenticate)
{
    struct http_reply reply;
    http_request(daemon, "GET", target, (const char *[]){header, NULL}, NULL, &reply);
    long status = reply.status;
    if (status >= 400) {
        assert_problem(&reply, status);
        assert_null(strstr(reply.body, "rgm_"));
    }
    if (authenticate) {
        const char *value = reply_value(&reply, "WWW-Authenticate");
        assert_non_null(value);
        assert_non_null(strstr(value, authenticate));
    }
    reply_done(&reply);
    return status;
}

static void reading_can_be_closed(void **state)
{
    static const char *const FLAGS[] = {"--read-tokens-required", "--access-log", NULL};
    struct daemon daemon;
    char reader[160], writer[160], admin[160], log[20000];
    bool closed;

    (void)state;
    daemon_start(&daemon, FLAGS);
    assert_int_equal(status_with(&daemon, "/healthz", NULL, NULL), 200);
    assert_int_equal(status_with(&daemon, "/readyz", NULL, NULL), 200);
    assert_int_equal(status_with(&daemon, "/metrics", NULL, NULL), 200);
    assert_int_equal(status_with(&daemon, "/v1/models", NULL, "Bearer realm=\"regime\""), 401);
    assert_int_equal(status_with(&daemon, "/v1/models", "Authorization: Basic YTpi", "Bearer"),
                     401);
    assert_int_equal(
        status_with(&daemon, "/v1/models", "Authorization: Bearer rgm_x", "invalid_token"), 401);
    add_token(&daemon, "reader", "read", reader);
    add_token(&daemon, "writer", "contribute", writer);
    add_token(&daemon, "boss", "admin", admin);
    assert_int_equal(status_with(&daemon, "/v1/models", reader, NULL), 200);
    assert_int_equal(status_with(&daemon, "/v1/models", admin, NULL), 200);
    assert_int_equal(status_with(&daemon, "/v1/models", writer, "insufficient_scope"), 403);
    assert_int_equal(status_with(&daemon, "/v1/plan?model=llama-3.1-8b&hardware=l4", reader, NULL),
                     200);
    assert_int_equal(status_with(&daemon, "/v1/plan?model=llama-3.1-8b&hardware=l4", NULL, NULL),
                     401);
    char output[4000];
    assert_int_equal(
        run_token(&daemon, (const char *[]){"revoke", "reader", NULL}, output, sizeof(output)), 0);
    assert_int_equal(status_with(&daemon, "/v1/models", reader, "invalid_token"), 401);
    assert_int_equal(run_token(&daemon, (const char *[]){"list", NULL}, output, sizeof(output)), 0);
    assert_non_null(strstr(output, "reader"));
    assert_non_null(strstr(output, "revoked"));
    assert_non_null(strstr(output, "contribute"));
    assert_null(strstr(output, "rgm_"));
    log[raw_read(daemon.log_fd, 200, log, sizeof(log) - 1, &closed)] = '\0';
    assert_non_null(strstr(log, "GET /v1/models 401"));
    assert_null(strstr(log, "rgm_"));
    assert_int_equal(daemon_stop(&daemon), 0);
}

/* Wrong tokens from one address: as many as are allowed, then 429; a right one still passes. */
static void guessing_is_slowed(void **state)
{
    static const char *const FLAGS[] = {"--read-tokens-required", "--auth-failure-rate", "3", NULL};
    struct daemon daemon;
    struct http_reply reply;
    char reader[160];

    (void)state;
    daemon_start(&daemon, FLAGS);
    add_token(&daemon, "reader", "read", reader);
    for (int i = 0; i < 3; i++)
        assert_int_equal(status_with(&daemon, "/v1", "Authorization: Bearer none", NULL), 401);
    http_request(&daemon, "GET", "/v1", (const char *[]){"Authorization: Bearer none", NULL}, NULL,
                 &reply);
    assert_problem(&reply, 429);
    /* 3 a minute: the next in 20 s, what passed since then less */
    const char *wait = reply_value(&reply, "Retry-After");
    assert_non_null(wait);
    assert_in_range(atol(wait), 1, 20);
    reply_done(&reply);
    assert_int_equal(status_with(&daemon, "/v1", reader, NULL), 200);
    assert_int_equal(daemon_stop(&daemon), 0);
}

static const struct {
    const char *words[6];
    int status;
    const char *says;
} WRONG[] = {
    {{"add", "x"}, 1, "--scope"},
    {{"add"}, 1, "needs a name"},
    {{"add", "x", "--scope", "write"}, 1, "--scope"},
    {{"add", "x", "--scope", "read", "--expires=soon"}, 1, "90d"},
    {{"revoke", "nobody"}, 1, "no token in use"},
    {{"frob"}, 1, "add, list or revoke"},
    {{"add", "x", "y"}, 2, "unexpected word y"},
    {{"list", "--out", "x"}, 2, "unknown flag"},
};

static void wrong_commands_say_why(void **state)
{
    struct daemon *daemon = *state;
    char output[4000];
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        const char *words[7] = {0};
        memcpy(words, WRONG[i].words, sizeof(WRONG[i].words));
        int status = run_token(daemon, words, output, sizeof(output));
        if (status != WRONG[i].status || !strstr(output, WRONG[i].says))
            fail_msg("token %s %s: %d %s", words[0], words[1] ? words[1] : "", status, output);
    }
    assert_int_equal(run_program((const char *[]){"token", "list", NULL}, output, sizeof(output)),
                     2);
    assert_int_equal(
        run_program((const char *[]){"--read-tokens-required", NULL}, output, sizeof(output)), 2);
    assert_non_null(strstr(output, "needs --db"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_can_be_closed),
        cmocka_unit_test(guessing_is_slowed),
        cmocka_unit_test_setup_teardown(wrong_commands_say_why, daemon_setup, daemon_teardown),
    };
    curl_global_init(CURL_GLOBAL_DEFAULT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
