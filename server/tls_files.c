#include "tls_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <gnutls/gnutls.h>

#define FILE_MAX_BYTES ((size_t)262144)

static bool refuse(char error[TLS_ERROR_MAX], const char *path, const char *why)
{
    snprintf(error, TLS_ERROR_MAX, "%.200s: %s", path, why);
    return false;
}

static struct tls_stamp stamp_of(const struct stat *there)
{
    return (struct tls_stamp){there->st_dev, there->st_ino, there->st_size, there->st_mtim};
}

/* A whole file as a text of the caller's; NULL and a sentence. */
static char *read_text(const char *path, struct tls_stamp *ret_stamp, char error[TLS_ERROR_MAX])
{
    struct stat there;
    size_t length = 0;
    FILE *file = fopen(path, "rb");
    char *text = file ? calloc(1, FILE_MAX_BYTES + 1) : NULL;
    bool good = false;

    if (file) {
        good = text && fstat(fileno(file), &there) == 0;
        if (good)
            length = fread(text, 1, FILE_MAX_BYTES, file);
        good = good && !ferror(file) && length > 0 && length < FILE_MAX_BYTES;
        fclose(file);
    }
    if (good) {
        *ret_stamp = stamp_of(&there);
        return text;
    }
    free(text);
    (void)refuse(error, path, "cannot be read");
    return NULL;
}

static gnutls_datum_t datum_of(char *text)
{
    return (gnutls_datum_t){(unsigned char *)text, (unsigned)strlen(text)};
}

static bool belong_together(const struct tls_files *files, const char *path,
                            char error[TLS_ERROR_MAX])
{
    gnutls_certificate_credentials_t credentials;
    gnutls_datum_t cert = datum_of(files->cert), key = datum_of(files->key);

    if (gnutls_certificate_allocate_credentials(&credentials) < 0)
        return refuse(error, path, "no memory");
    int rc = gnutls_certificate_set_x509_key_mem(credentials, &cert, &key, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(credentials);
    return rc >= 0 || refuse(error, path, gnutls_strerror(rc));
}

bool tls_files_read(const char *cert, const char *key, struct tls_files *ret_files,
                    char ret_error[TLS_ERROR_MAX])
{
    struct tls_files files = {0};

    files.cert = read_text(cert, &files.cert_stamp, ret_error);
    files.key = files.cert ? read_text(key, &files.key_stamp, ret_error) : NULL;
    if (!files.key || !belong_together(&files, cert, ret_error)) {
        tls_files_done(&files);
        return false;
    }
    *ret_files = files;
    return true;
}

void tls_files_seen(struct tls_files *files, const char *cert, const char *key)
{
    struct stat there;

    if (stat(cert, &there) == 0)
        files->cert_stamp = stamp_of(&there);
    if (stat(key, &there) == 0)
        files->key_stamp = stamp_of(&there);
}

static bool differs(const char *path, const struct tls_stamp *known)
{
    struct stat there;

    if (stat(path, &there) != 0)
        return false;
    struct tls_stamp stamp = stamp_of(&there);
    return stamp.device != known->device || stamp.inode != known->inode ||
           stamp.bytes != known->bytes || stamp.changed.tv_sec != known->changed.tv_sec ||
           stamp.changed.tv_nsec != known->changed.tv_nsec;
}

bool tls_files_changed(const struct tls_files *files, const char *cert, const char *key)
{
    return differs(cert, &files->cert_stamp) || differs(key, &files->key_stamp);
}

void tls_files_done(struct tls_files *files)
{
    if (files->key)
        gnutls_memset(files->key, 0, strlen(files->key));
    free(files->cert);
    free(files->key);
    files->cert = NULL;
    files->key = NULL;
}
