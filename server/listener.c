#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define UNIX_PREFIX "unix:"
#define HOST_MAX 100

/* An address taken apart: host "" means every address. */
struct endpoint {
    char host[HOST_MAX];
    const char *port;
};

static void say(char error[LISTENER_ERROR_MAX], const char *address, const char *what)
{
    snprintf(error, LISTENER_ERROR_MAX, "cannot use the address %.100s: %s", address, what);
}

/* errno's own sentence; strerror() is not safe beside threads, and these are all that matter here.
 */
static const char *why(int error)
{
    static const struct {
        int error;
        const char *text;
    } REASONS[] = {
        {EADDRINUSE, "another process listens on it (take a free one with port 0)"},
        {EADDRNOTAVAIL, "this machine has no such address"},
        {EACCES, "no permission (ports below 1024 need a privilege)"},
        {ECONNREFUSED, "nobody listens on it"},
        {ENOENT, "there is no such file or folder"},
        {ENAMETOOLONG, "the path is too long for a socket"},
        {ETIMEDOUT, "no answer in time"},
        {EAFNOSUPPORT, "this machine does not speak that protocol"},
        {EMFILE, "too many open files"},
        {EROFS, "the file system is read-only"},
    };

    for (size_t i = 0; i < ARRAY_LEN(REASONS); i++)
        if (REASONS[i].error == error)
            return REASONS[i].text;
    return "the system refuses it";
}

static bool is_port(const char *text)
{
    size_t length = strlen(text);

    return length > 0 && length <= 5 && strspn(text, "0123456789") == length &&
           (length < 5 || strcmp(text, "65535") <= 0);
}

static bool split(const char *address, struct endpoint *ret_endpoint)
{
    const char *colon = strrchr(address, ':');
    const char *host = address;

    if (!colon || !is_port(colon + 1))
        return false;
    size_t length = (size_t)(colon - address);
    if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
        host++;
        length -= 2;
    } else if (memchr(host, ':', length)) {
        return false;
    }
    if (length >= HOST_MAX)
        return false;
    memcpy(ret_endpoint->host, host, length);
    ret_endpoint->host[length] = '\0';
    ret_endpoint->port = colon + 1;
    return true;
}

static bool make_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

static int open_unix(const char *path, struct sockaddr_un *ret_address)
{
    size_t length = strlen(path);

    *ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (length == 0 || length >= sizeof(ret_address->sun_path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(ret_address->sun_path, path, length + 1);
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

/* Removes a socket file that a process left behind; leaves one that somebody listens on, and any
 * file that is no socket. */
static void remove_stale(const struct sockaddr_un *address)
{
    struct stat status;
    int fd;

    if (lstat(address->sun_path, &status) != 0 || !S_ISSOCK(status.st_mode))
        return;
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 &&
        errno == ECONNREFUSED)
        unlink(address->sun_path);
    close(fd);
}

static bool listen_unix(const char *path, struct listener *listener)
{
    struct sockaddr_un address;
    int fd = open_unix(path, &address);

    if (fd < 0)
        return false;
    remove_stale(&address);
    if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
        listen(fd, SOMAXCONN) == 0 && make_nonblocking(fd)) {
        listener->fd = fd;
        listener->local = true;
        snprintf(listener->path, sizeof(listener->path), "%s", path);
        snprintf(listener->shown, sizeof(listener->shown), UNIX_PREFIX "%s", path);
        return true;
    }
    int error = errno;
    close(fd);
    errno = error;
    return false;
}

/* The bound address as a URL, with the port that the system chose. */
static void show(struct listener *listener)
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof(bound);
    char host[HOST_MAX], port[16];

    if (getsockname(listener->fd, (struct sockaddr *)&bound, &size) != 0 ||
        getnameinfo((const struct sockaddr *)&bound, size, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    snprintf(listener->shown, sizeof(listener->shown),
             strchr(host, ':') ? "http://[%s]:%s" : "http://%s:%s", host, port);
}

static int bind_one(const struct addrinfo *info)
{
    int on = 1;
    int fd = socket(info->ai_family, info->ai_socktype, info->ai_protocol);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0 &&
        make_nonblocking(fd))
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static const char FORM[] = "it is not HOST:PORT, [IPV6]:PORT, :PORT or unix:PATH";

/* Why no socket can be at that path; NULL when one can. */
static const char *path_trouble(const char *path)
{
    struct sockaddr_un address;
    struct stat status;
    size_t length = strlen(path);

    if (length == 0)
        return "the path behind unix: is missing";
    if (length >= sizeof(address.sun_path))
        return "the path is too long for a socket";
    if (stat(path, &status) != 0)
        return path[length - 1] == '/' ? "the path names a folder, not a socket in it" : NULL;
    if (S_ISDIR(status.st_mode))
        return "it is a folder: name a socket in it, as unix:FOLDER/regimed.sock";
    return S_ISSOCK(status.st_mode) ? NULL : "a file that is no socket is there";
}

bool listener_check(const char *address, char ret_error[LISTENER_ERROR_MAX])
{
    bool local = strncmp(address, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0;
    struct endpoint endpoint;
    const char *trouble = split(address, &endpoint) ? NULL : FORM;

    if (local)
        trouble = path_trouble(address + strlen(UNIX_PREFIX));
    if (trouble)
        say(ret_error, address, trouble);
    return !trouble;
}

static bool resolve(const char *address, int flags, struct addrinfo **ret_list,
                    char error[LISTENER_ERROR_MAX])
{
    struct endpoint endpoint;
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags};

    if (!split(address, &endpoint)) {
        say(error, address, FORM);
        return false;
    }
    int failure =
        getaddrinfo(endpoint.host[0] ? endpoint.host : NULL, endpoint.port, &hints, ret_list);
    if (failure)
        say(error, address, gai_strerror(failure));
    return failure == 0;
}

bool listener_open(const char *address, struct listener *ret_listener,
                   char ret_error[LISTENER_ERROR_MAX])
{
    struct listener listener = {.fd = -1};
    struct addrinfo *list;

    if (strncmp(address, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0) {
        if (!listen_unix(address + strlen(UNIX_PREFIX), &listener)) {
            say(ret_error, address, why(errno));
            return false;
        }
        *ret_listener = listener;
        return true;
    }
    if (!resolve(address, AI_PASSIVE, &list, ret_error))
        return false;
    errno = EADDRNOTAVAIL;
    for (const struct addrinfo *info = list; info && listener.fd < 0; info = info->ai_next)
        listener.fd = bind_one(info);
    int error = errno;
    freeaddrinfo(list);
    if (listener.fd < 0) {
        say(ret_error, address, why(error));
        return false;
    }
    show(&listener);
    *ret_listener = listener;
    return true;
}

static bool is_listening(int fd)
{
    int on = 0, type = 0;
    socklen_t size = sizeof(on), type_size = sizeof(type);

    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) == 0 && on &&
           getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 && type == SOCK_STREAM;
}

/* A unix socket's path; one of the abstract name space begins with '@'. */
static void show_path(struct listener *listener, const struct sockaddr_un *address, socklen_t size)
{
    size_t at = offsetof(struct sockaddr_un, sun_path);
    size_t length = size > at ? size - at : 0;
    bool abstract = length > 0 && !address->sun_path[0];

    snprintf(listener->shown, sizeof(listener->shown), UNIX_PREFIX "%s%.*s", abstract ? "@" : "",
             (int)(length - abstract), address->sun_path + abstract);
}

bool listener_adopt(int fd, struct listener *ret_listener, char ret_error[LISTENER_ERROR_MAX])
{
    struct listener listener = {.fd = fd, .adopted = true};
    struct sockaddr_storage bound;
    socklen_t size = sizeof(bound);

    if (!is_listening(fd) || getsockname(fd, (struct sockaddr *)&bound, &size) != 0 ||
        !make_nonblocking(fd)) {
        snprintf(ret_error, LISTENER_ERROR_MAX,
                 "descriptor %d, which was handed over, is no listening socket", fd);
        return false;
    }
    listener.local = bound.ss_family == AF_UNIX;
    if (listener.local)
        show_path(&listener, (const struct sockaddr_un *)(const void *)&bound, size);
    else
        show(&listener);
    *ret_listener = listener;
    return true;
}

void listener_refuse(struct listener *listener)
{
    if (listener->fd < 0 || listener->adopted)
        return;
    (void)shutdown(listener->fd, SHUT_RDWR);
    if (listener->path[0])
        unlink(listener->path);
    listener->path[0] = '\0';
}

void listener_close(struct listener *listener)
{
    listener_refuse(listener);
    if (listener->fd >= 0)
        close(listener->fd);
    listener->fd = -1;
}

static bool set_timeout(int fd, int timeout_s)
{
    struct timeval timeout = {.tv_sec = timeout_s};

    return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) == 0 &&
           setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) == 0;
}

static int connect_tcp(const char *address, int timeout_s, char error[LISTENER_ERROR_MAX])
{
    struct addrinfo *list;
    int connected = -1, failure = EADDRNOTAVAIL;

    if (!resolve(address, 0, &list, error))
        return -1;
    for (const struct addrinfo *info = list; info && connected < 0; info = info->ai_next) {
        int fd = socket(info->ai_family, info->ai_socktype, info->ai_protocol);
        if (fd < 0)
            continue;
        if (set_timeout(fd, timeout_s) && connect(fd, info->ai_addr, info->ai_addrlen) == 0) {
            connected = fd;
        } else {
            failure = errno;
            close(fd);
        }
    }
    freeaddrinfo(list);
    if (connected < 0)
        say(error, address, why(failure));
    return connected;
}

int listener_connect(const char *address, int timeout_s, char ret_error[LISTENER_ERROR_MAX])
{
    struct sockaddr_un local;

    if (strncmp(address, UNIX_PREFIX, strlen(UNIX_PREFIX)) != 0)
        return connect_tcp(address, timeout_s, ret_error);
    int fd = open_unix(address + strlen(UNIX_PREFIX), &local);
    if (fd >= 0 && set_timeout(fd, timeout_s) &&
        connect(fd, (const struct sockaddr *)&local, sizeof(local)) == 0)
        return fd;
    say(ret_error, address, why(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}
