/*
 * config.h - the settings of the daemon: one table of flags, environment variables and help.
 *
 * Purpose: a flag --max-connections is also the variable REGIME_MAX_CONNECTIONS; the flag wins.
 * Ownership: texts are borrowed from the arguments and the environment.
 */
#ifndef REGIME_CONFIG_H
#define REGIME_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "compiler.h"

#define LISTEN_MAX 8
#define CONFIG_ERROR_MAX 300

struct config {
    const char *listen[LISTEN_MAX];
    int n_listen;
    const char *db;          /* NULL = the embedded records */
    const char *healthcheck; /* an address to ask instead of serving; NULL */
    long threads;            /* 0 = one per core */
    long max_connections, max_connections_per_ip;
    long idle_timeout_s, request_timeout_s, drain_timeout_s;
    long write_rate, auth_failure_rate; /* a minute; 0 = no limit */
    bool read_tokens_required;
    int log_format; /* enum log_format */
    bool access_log, help, version;
};

/*
 * Defaults, then the environment, then the flags (argv[1] on; "--flag value" or "--flag=value";
 * --listen may be repeated). False and one sentence, with the nearest flag for an unknown one.
 */
MUST_USE bool config_read(int argc, const char *const *argv, const char *const *environment,
                          struct config *ret_config, char ret_error[CONFIG_ERROR_MAX]);

/* Prints what --help prints. */
void config_help(FILE *out);

#endif
