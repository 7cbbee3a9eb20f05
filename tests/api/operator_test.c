/* What an operator does with the file of a daemon that serves it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "harness.h"
#include "writes_kit.h"

#define WORDS_MAX 6

/* Runs the program; "@" at the start of a word is the daemon's folder. */
static void expect_run(const struct daemon *daemon, const char *const *words, int status,
                       const char *says)
{
    char texts[WORDS_MAX][200], output[4000];
    const char *arguments[WORDS_MAX + 1] = {0};

    for (int i = 0; words[i]; i++) {
        assert_true(i < WORDS_MAX);
        snprintf(texts[i], sizeof(texts[i]), "%s%s", *words[i] == '@' ? daemon->folder : "",
                 words[i] + (*words[i] == '@'));
        arguments[i] = texts[i];
    }
    int got = run_program(arguments, output, sizeof(output));
    if (got != status || !strstr(output, says))
        fail_msg("%s %s: %d, expected %d and \"%s\": %s", words[0], words[1] ? words[1] : "", got,
                 status, says, output);
}

static void a_served_store_is_backed_up_and_not_replaced(void **state)
{
    struct daemon *daemon = *state;
    struct http_reply reply;

    expect_run(daemon, (const char *[]){"verify", "@/regime.db", NULL}, 0, "sound");
    expect_run(daemon, (const char *[]){"backup", "@/copy.db", "--db", "@/regime.db", NULL}, 0,
               "sound");
    expect_run(daemon, (const char *[]){"verify", "@/copy.db", NULL}, 0, "sound");
    expect_run(daemon, (const char *[]){"backup", "@/copy.db", "--db", "@/regime.db", NULL}, 1,
               "overwrites nothing");
    expect_run(daemon, (const char *[]){"restore", "@/copy.db", "--db", "@/regime.db", NULL}, 1,
               "stop the daemon first");
    http_get(daemon, "/readyz", &reply);
    assert_int_equal(reply.status, 200);
    reply_done(&reply);
    expect_run(daemon, (const char *[]){"restore", "@/copy.db", "--db", "@/new.db", NULL}, 0,
               "sound");
}

static void wrong_words_are_refused(void **state)
{
    struct daemon *daemon = *state;

    expect_run(daemon, (const char *[]){"backup", NULL}, 2, "regimed backup FILE --db DB");
    expect_run(daemon, (const char *[]){"backup", "@/x.db", NULL}, 2, "regimed backup FILE");
    expect_run(daemon, (const char *[]){"verify", NULL}, 2, "regimed verify DB");
    expect_run(daemon, (const char *[]){"verify", "@/none.db", NULL}, 1, "no such file");
    expect_run(daemon, (const char *[]){"backup", "@/x.db", "--db", "@/none.db", NULL}, 1,
               "no such file");
    expect_run(daemon, (const char *[]){"restore", "@/none.db", "--db", "@/x.db", NULL}, 1,
               "no such file");
}

/* The status of a backup that is asked for; the file's name, "" when there is none. */
static long ask_backup(const struct daemon *daemon, const char *header, char ret_file[64])
{
    struct http_reply reply;
    const char *name;

    ret_file[0] = '\0';
    http_request(daemon, "POST", "/v1/admin/backup", (const char *[]){header, NULL}, NULL, &reply);
    long status = reply.status;
    name = strstr(reply.body, "\"file\":\"");
    if (status == 201) {
        assert_non_null(name);
        snprintf(ret_file, 64, "@/%.*s", (int)strcspn(name + 8, "\""), name + 8);
    } else {
        assert_problem(&reply, status);
    }
    reply_done(&reply);
    return status;
}

static void backups_are_asked_for_over_http(void **state)
{
    static const char *const FLAGS[] = {"--backup-dir", "@", "--backup-keep", "2", NULL};
    struct daemon daemon;
    char admin[TOKEN_HEADER_MAX], writer[TOKEN_HEADER_MAX], first[64], second[64], third[64];

    (void)state;
    daemon_start(&daemon, FLAGS);
    token_add(&daemon, "boss", "admin", admin);
    token_add(&daemon, "writer", "contribute", writer);
    assert_int_equal(ask_backup(&daemon, "X-None: 1", first), 401);
    assert_int_equal(ask_backup(&daemon, writer, first), 403);
    assert_int_equal(ask_backup(&daemon, admin, first), 201);
    expect_run(&daemon, (const char *[]){"verify", first, NULL}, 0, "sound");
    assert_int_equal(ask_backup(&daemon, admin, second), 201);
    assert_int_equal(ask_backup(&daemon, admin, third), 201);
    expect_run(&daemon, (const char *[]){"verify", first, NULL}, 1, "no such file");
    expect_run(&daemon, (const char *[]){"verify", second, NULL}, 0, "sound");
    expect_run(&daemon, (const char *[]){"verify", third, NULL}, 0, "sound");
    assert_int_equal(daemon_stop(&daemon), 0);
}

static void a_daemon_without_a_folder_makes_none(void **state)
{
    struct daemon *daemon = *state;
    char admin[TOKEN_HEADER_MAX], file[64];

    token_add(daemon, "boss", "admin", admin);
    assert_int_equal(ask_backup(daemon, admin, file), 409);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_served_store_is_backed_up_and_not_replaced),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(backups_are_asked_for_over_http),
        cmocka_unit_test(a_daemon_without_a_folder_makes_none),
    };

    return cmocka_run_group_tests(tests, daemon_setup, daemon_teardown);
}
