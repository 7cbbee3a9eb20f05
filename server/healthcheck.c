#include "healthcheck.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gnutls/gnutls.h>

#include "compiler.h"

#define TIMEOUT_S 5
#define REQUEST_MAX 512

/* The address and the path of a target. */
struct target {
    char address[LISTENER_TEXT_MAX];
    const char *path;
    bool secure;
};

static bool parse(const char *text, struct target *ret_target)
{
    static const char *const SCHEMES[] = {"http://", "https://"};

    ret_target->path = "/healthz";
    ret_target->secure = false;
    for (size_t i = 0; i < ARRAY_LEN(SCHEMES); i++)
        if (strncmp(text, SCHEMES[i], strlen(SCHEMES[i])) == 0) {
            ret_target->secure = i > 0;
            text += strlen(SCHEMES[i]);
            break;
        }
    size_t length = strlen(text);
    if (strncmp(text, "unix:", 5) != 0) {
        length = strcspn(text, "/");
        if (text[length] == '/' && text[length + 1])
            ret_target->path = text + length;
    }
    if (length >= sizeof(ret_target->address))
        return false;
    memcpy(ret_target->address, text, length);
    ret_target->address[length] = '\0';
    return true;
}

/* A connection, with TLS around it or without. */
struct line {
    int fd;
    gnutls_session_t session; /* NULL = plain */
};

static ssize_t line_write(const struct line *line, const char *bytes, size_t length)
{
    return line->session ? gnutls_record_send(line->session, bytes, length)
                         : write(line->fd, bytes, length);
}

static ssize_t line_read(const struct line *line, char *bytes, size_t size)
{
    return line->session ? gnutls_record_recv(line->session, bytes, size)
                         : read(line->fd, bytes, size);
}

/* Sends the request and reads the first bytes of the reply. */
static bool ask(const struct line *line, const struct target *target, char *ret_reply, size_t size)
{
    char request[REQUEST_MAX];
    int length =
        snprintf(request, sizeof(request),
                 "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nConnection: close\r\n\r\n",
                 target->path);
    size_t got = 0;

    if (length < 0 || (size_t)length >= sizeof(request) ||
        line_write(line, request, (size_t)length) != length)
        return false;
    while (got < size - 1) {
        ssize_t n = line_read(line, ret_reply + got, size - 1 - got);
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    ret_reply[got] = '\0';
    return got > 0;
}

/* The same over TLS. Whose certificate it is nobody asks: the address says who is meant. */
static bool ask_secretly(int fd, const struct target *target, char *ret_reply, size_t size)
{
    struct line line = {.fd = fd};
    gnutls_certificate_credentials_t credentials;

    if (gnutls_certificate_allocate_credentials(&credentials) < 0)
        return false;
    bool answered = gnutls_init(&line.session, GNUTLS_CLIENT) >= 0;
    if (answered) {
        gnutls_transport_set_int(line.session, fd);
        answered = gnutls_set_default_priority(line.session) >= 0 &&
                   gnutls_credentials_set(line.session, GNUTLS_CRD_CERTIFICATE, credentials) >= 0 &&
                   gnutls_handshake(line.session) >= 0 && ask(&line, target, ret_reply, size);
        gnutls_deinit(line.session);
    }
    gnutls_certificate_free_credentials(credentials);
    return answered;
}

bool healthcheck(const char *text, char ret_error[LISTENER_ERROR_MAX])
{
    struct target target;
    char reply[64];

    if (!parse(text, &target)) {
        snprintf(ret_error, LISTENER_ERROR_MAX, "the address is too long");
        return false;
    }
    int fd = listener_connect(target.address, TIMEOUT_S, ret_error);
    if (fd < 0)
        return false;
    bool answered = target.secure ? ask_secretly(fd, &target, reply, sizeof(reply))
                                  : ask(&(struct line){.fd = fd}, &target, reply, sizeof(reply));
    close(fd);
    if (!answered) {
        snprintf(ret_error, LISTENER_ERROR_MAX, "%s gave no answer in %d s", target.address,
                 TIMEOUT_S);
        return false;
    }
    if (strncmp(reply, "HTTP/1.1 200 ", 13) == 0)
        return true;
    reply[strcspn(reply, "\r\n")] = '\0';
    snprintf(ret_error, LISTENER_ERROR_MAX, "%s%s answers %s", target.address, target.path, reply);
    return false;
}
