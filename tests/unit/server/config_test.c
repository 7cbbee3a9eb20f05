#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config.h"

#define ARGUMENTS_MAX 8

static bool read_settings(const char *const *argv, const char *const *environment,
                          struct config *config, char error[CONFIG_ERROR_MAX])
{
    return config_read(1, argv, environment, config, error);
}

static void defaults_serve_on_localhost_from_memory(void **state)
{
    static const char *const ARGV[] = {"regimed", NULL};
    struct config config;
    char error[CONFIG_ERROR_MAX];

    (void)state;
    assert_true(read_settings(ARGV, NULL, &config, error));
    assert_int_equal(config.n_listen, 1);
    assert_string_equal(config.listen[0], "127.0.0.1:8080");
    assert_null(config.db);
    assert_null(config.healthcheck);
    assert_int_equal(config.threads, 0);
    assert_false(config.access_log);
    assert_int_equal(config.log_format, 0);
}

static void flags_win_over_the_environment(void **state)
{
    static const char *const ARGV[] = {"regimed",          "--listen",     ":80", "--threads=3",
                                       "--listen=unix:/s", "--access-log", NULL};
    static const char *const ENVIRONMENT[] = {"REGIME_LISTEN=1.2.3.4:5",
                                              "REGIME_THREADS=7",
                                              "REGIME_DB=a.db",
                                              "REGIME_IDLE_TIMEOUT=9",
                                              "REGIME_DBX=no",
                                              "REGIME_LOG_FORMAT=json",
                                              NULL};
    struct config config;
    char error[CONFIG_ERROR_MAX];

    (void)state;
    assert_true(read_settings(ARGV, ENVIRONMENT, &config, error));
    assert_int_equal(config.n_listen, 2);
    assert_string_equal(config.listen[0], ":80");
    assert_string_equal(config.listen[1], "unix:/s");
    assert_int_equal(config.threads, 3);
    assert_int_equal(config.idle_timeout_s, 9);
    assert_string_equal(config.db, "a.db");
    assert_true(config.access_log);
    assert_int_equal(config.log_format, 1);
}

static const struct {
    const char *argv[ARGUMENTS_MAX];
    const char *error;
} FAULTS[] = {
    {{"--lisen", "x"}, "unknown argument \"--lisen\"; did you mean --listen?"},
    {{"--Threads=3"}, "unknown argument \"--Threads=3\"; did you mean --threads?"},
    {{"-h"}, "unknown argument \"-h\" (see --help)"},
    {{"serve"}, "unknown argument \"serve\" (see --help)"},
    {{""}, "unknown argument \"\" (see --help)"},
    {{"--"}, "unknown argument \"--\" (see --help)"},
    {{"--db"}, "--db needs a value: FILE"},
    {{"--db="}, "--db is empty"},
    {{"--threads", "x"}, "--threads takes a whole number from 0 to 256, not \"x\""},
    {{"--threads", "-1"}, "--threads takes a whole number from 0 to 256, not \"-1\""},
    {{"--threads", ""}, "--threads takes a whole number from 0 to 256, not \"\""},
    {{"--threads=99999999999999999999"},
     "--threads takes a whole number from 0 to 256, not \"99999999999999999999\""},
    {{"--log-format", "xml"}, "--log-format takes text|json, not \"xml\""},
    {{"--log-format", "jso"}, "--log-format takes text|json, not \"jso\""},
    {{"--log-format="}, "--log-format takes text|json, not \"\""},
    {{"--access-log=maybe"}, "--access-log is 1 or 0, not \"maybe\""},
};

static void a_fault_is_one_clear_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(FAULTS); i++) {
        const char *argv[ARGUMENTS_MAX + 2] = {"regimed"};
        struct config config;
        char error[CONFIG_ERROR_MAX] = "";
        memcpy(argv + 1, FAULTS[i].argv, sizeof(FAULTS[i].argv));
        assert_false(read_settings(argv, NULL, &config, error));
        assert_string_equal(error, FAULTS[i].error);
    }
}

/* A file's text as a path. */
static const char *file_with(const char *text)
{
    static char path[] = "/tmp/regime-config-test";
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void a_file_is_overruled_by_environment_and_flags(void **state)
{
    const char *argv[] = {"regimed", "--config",
                          file_with("# limits\n\n threads = 5\r\nlisten = :1\nlisten=:2\n"
                                    "write-rate=7\nidle-timeout = 8\naccess-log = yes\n"
                                    "cors-origin = https://a.example https://b.example"),
                          "--threads=6", NULL};
    static const char *const ENVIRONMENT[] = {"REGIME_IDLE_TIMEOUT=9", "REGIME_THREADS=1", NULL};
    struct config config;
    char error[CONFIG_ERROR_MAX];

    (void)state;
    assert_true(read_settings(argv, ENVIRONMENT, &config, error));
    assert_int_equal(config.threads, 6);
    assert_int_equal(config.idle_timeout_s, 9);
    assert_int_equal(config.write_rate, 7);
    assert_int_equal(config.n_listen, 2);
    assert_string_equal(config.listen[1], ":2");
    assert_true(config.access_log);
    assert_string_equal(config.cors_origin, "https://a.example https://b.example");
    config_done(&config);
}

static const struct {
    const char *text, *says;
} FILE_FAULTS[] = {
    {"# a\n\nthread = 5\n", ":3: unknown argument \"thread\"; did you mean --threads?"},
    {"threads = many\n", ":1: threads takes a whole number from 0 to 256, not \"many\""},
    {"threads 5\n", ":1: a line is \"name = value\""},
    {"help = 1\n", ":1: unknown argument \"help\""},
    {"tls-cert = a.pem\n", "--tls-cert and --tls-key need each other"},
    {"read-tokens-required = 1\n", "needs --db FILE"},
};

static void a_fault_of_a_file_names_its_line(void **state)
{
    struct config config;
    char error[CONFIG_ERROR_MAX];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(FILE_FAULTS); i++) {
        const char *argv[] = {"regimed", "--config", file_with(FILE_FAULTS[i].text), NULL};
        assert_false(read_settings(argv, NULL, &config, error));
        if (!strstr(error, FILE_FAULTS[i].says))
            fail_msg("expected \"%s\": %s", FILE_FAULTS[i].says, error);
    }
    const char *argv[] = {"regimed", "--config", "/no/such/file", NULL};
    assert_false(read_settings(argv, NULL, &config, error));
    assert_string_equal(error, "/no/such/file: cannot be read");
}

static void too_many_addresses_are_refused(void **state)
{
    const char *argv[LISTEN_MAX + 3] = {"regimed"};
    struct config config;
    char error[CONFIG_ERROR_MAX];

    (void)state;
    for (int i = 0; i < LISTEN_MAX; i++)
        argv[1 + i] = "--listen=:0";
    assert_true(read_settings(argv, NULL, &config, error));
    assert_int_equal(config.n_listen, LISTEN_MAX);
    argv[1 + LISTEN_MAX] = "--listen=:0";
    assert_false(read_settings(argv, NULL, &config, error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_serve_on_localhost_from_memory),
        cmocka_unit_test(flags_win_over_the_environment),
        cmocka_unit_test(a_fault_is_one_clear_sentence),
        cmocka_unit_test(a_file_is_overruled_by_environment_and_flags),
        cmocka_unit_test(a_fault_of_a_file_names_its_line),
        cmocka_unit_test(too_many_addresses_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
