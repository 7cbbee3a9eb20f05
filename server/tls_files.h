/*
 * tls_files.h - a certificate and its key, read, checked, and watched.
 *
 * Ownership: the texts belong to the struct; the key is wiped when they are given back.
 * Errors:  false and one sentence.
 */
#ifndef REGIME_TLS_FILES_H
#define REGIME_TLS_FILES_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "compiler.h"

#define TLS_ERROR_MAX 400

/* What a file is known by. */
struct tls_stamp {
    dev_t device;
    ino_t inode;
    off_t bytes;
    struct timespec changed;
};

struct tls_files {
    char *cert, *key; /* PEM, NUL-terminated */
    struct tls_stamp cert_stamp, key_stamp;
};

/* Reads both and looks whether they belong together. */
MUST_USE bool tls_files_read(const char *cert, const char *key, struct tls_files *ret_files,
                             char ret_error[TLS_ERROR_MAX]);

/* Whether a file is another one now, or written to; one that is gone is not. */
bool tls_files_changed(const struct tls_files *files, const char *cert, const char *key);

/* Takes note of the files as they are, without reading them: what was refused is not read again
 * until it changes. */
void tls_files_seen(struct tls_files *files, const char *cert, const char *key);

void tls_files_done(struct tls_files *files);

#endif
