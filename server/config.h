/*
 * config.h - the settings of the daemon: one table of flags, environment variables and help.
 *
 * Purpose: a flag --max-connections is also the variable REGIME_MAX_CONNECTIONS and the line
 *          "max-connections = 100" of a file; the flag wins over the variable, that over the file.
 * Ownership: texts are borrowed from the arguments, the environment and the file's text, which a
 *          struct config holds until config_done().
 */
#ifndef REGIME_CONFIG_H
#define REGIME_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "compiler.h"
#include "config_file.h"

#define LISTEN_MAX 8

struct config {
    const char *listen[LISTEN_MAX];
    int n_listen;
    bool listen_given;              /* the addresses are no default */
    const char *db;                 /* NULL = the embedded records */
    const char *healthcheck;        /* an address to ask instead of serving; NULL */
    const char *config;             /* a file of settings; NULL */
    const char *tls_cert, *tls_key; /* files in PEM; both or neither */
    const char *cors_origin;        /* "*", or a list */
    const char *backup_dir;         /* NULL = none */
    long threads;                   /* 0 = one per core */
    long max_connections, max_connections_per_ip;
    long idle_timeout_s, request_timeout_s, drain_timeout_s;
    long write_rate, auth_failure_rate; /* a minute; 0 = no limit */
    long backup_keep;                   /* 0 = all */
    long request_rate;                  /* a second; 0 = no limit */
    bool read_tokens_required;
    int log_format; /* enum log_format */
    bool access_log, help, version;
    char *file_text; /* what the file's texts point into; NULL */
};

/*
 * Defaults, then the file, the environment and the flags (argv[1] on; "--flag value" or
 * "--flag=value";
 * --listen may be repeated). False and one sentence, with the nearest flag for an unknown one.
 */
MUST_USE bool config_read(int argc, const char *const *argv, const char *const *environment,
                          struct config *ret_config, char ret_error[CONFIG_ERROR_MAX]);

/* Gives the file's text back. */
void config_done(struct config *config);

/* Prints what --help prints. */
void config_help(FILE *out);

#endif
