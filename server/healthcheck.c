#include "healthcheck.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TIMEOUT_S 5
#define REQUEST_MAX 512
#define SCHEME "http://"

/* The address and the path of a target. */
struct target {
    char address[LISTENER_TEXT_MAX];
    const char *path;
};

static bool parse(const char *text, struct target *ret_target)
{
    ret_target->path = "/healthz";
    if (strncmp(text, SCHEME, strlen(SCHEME)) == 0)
        text += strlen(SCHEME);
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

/* Sends the request and reads the first bytes of the reply. */
static bool ask(int fd, const struct target *target, char *ret_reply, size_t size)
{
    char request[REQUEST_MAX];
    int length =
        snprintf(request, sizeof(request),
                 "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nConnection: close\r\n\r\n",
                 target->path);
    size_t got = 0;

    if (length < 0 || (size_t)length >= sizeof(request) ||
        write(fd, request, (size_t)length) != length)
        return false;
    while (got < size - 1) {
        ssize_t n = read(fd, ret_reply + got, size - 1 - got);
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    ret_reply[got] = '\0';
    return got > 0;
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
    bool answered = ask(fd, &target, reply, sizeof(reply));
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
