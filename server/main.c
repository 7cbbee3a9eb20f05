/*
 * main.c - what the program is asked to do: a command, a word about itself, or to serve.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "config.h"
#include "healthcheck.h"
#include "service.h"

#define EXIT_USAGE 2

extern char **environ;

static int check(const char *target)
{
    char error[LISTENER_ERROR_MAX];

    if (healthcheck(target, error))
        return EXIT_SUCCESS;
    fprintf(stderr, "regimed: %s\n", error);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    const struct service_sources sources = {argc, (const char *const *)argv,
                                            (const char *const *)environ, service_now_ms()};
    struct config config;
    char error[CONFIG_ERROR_MAX];

    (void)signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error like another */
    if (command_is_named(argc, argv))
        return command_run(argc, argv);
    if (!config_read(argc, sources.argv, sources.environment, &config, error)) {
        fprintf(stderr, "regimed: %s\n", error);
        return EXIT_USAGE;
    }
    if (config.help) {
        config_help(stdout);
        command_help(stdout);
        return EXIT_SUCCESS;
    }
    if (config.version) {
        puts("regimed " REGIME_VERSION);
        return EXIT_SUCCESS;
    }
    return config.healthcheck ? check(config.healthcheck) : service_run(&config, &sources);
}
