#include "http_load.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cpu_clock.h"

#define WAIT_MS 10000

static int connect_to(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

bool load_open(struct load *load, int port)
{
    load->n = 0;
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (load->epoll < 0)
        return false;
    for (unsigned i = 0; i < LOAD_CONNECTIONS; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        int fd = connect_to(port);
        if (fd < 0)
            goto fail;
        load->connections[load->n++].fd = fd;
        if (epoll_ctl(load->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
            goto fail;
    }
    return true;

fail:
    load_close(load);
    return false;
}

void load_close(struct load *load)
{
    while (load->n > 0)
        close(load->connections[--load->n].fd);
    close(load->epoll);
}

static bool ask(struct load *load, struct connection *connection, const char *path, bool post)
{
    char request[2 * QUESTION_MAX], body[QUESTION_MAX] = "";
    size_t body_length = post ? question_write(load->asked++, body) : 0;
    int length;

    if (post)
        length =
            snprintf(request, sizeof request,
                     "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     "Content-Length: %zu\r\n\r\n%s",
                     path, body_length, body);
    else
        length =
            snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    connection->received = 0;
    return send(connection->fd, request, (size_t)length, MSG_NOSIGNAL) == length;
}

/* Whole length of the reply once its headers are there, else 0. */
static size_t reply_length(const struct connection *connection)
{
    static const char FIELD[] = "\r\nContent-Length: ";
    const char *end = strstr(connection->reply, "\r\n\r\n");
    const char *field = strcasestr(connection->reply, FIELD);

    if (!end || !field || field > end)
        return 0;
    return (size_t)(end - connection->reply) + 4 + strtoul(field + sizeof FIELD - 1, NULL, 10);
}

/* Reads what came; 1 when the reply is whole, 0 when not yet, -1 on a failure. */
static int receive(struct connection *connection)
{
    size_t room = sizeof connection->reply - 1 - connection->received;
    ssize_t n = recv(connection->fd, connection->reply + connection->received, room, 0);
    if (n <= 0) {
        fputs("the daemon closed a connection\n", stderr);
        return -1;
    }
    connection->received += (size_t)n;
    connection->reply[connection->received] = '\0';
    size_t length = reply_length(connection);
    if (length == 0 || connection->received < length)
        return 0;
    if (strncmp(connection->reply, "HTTP/1.1 200", 12) != 0) {
        fprintf(stderr, "unexpected reply:\n%.2000s\n", connection->reply);
        return -1;
    }
    return 1;
}

/* A run under way. */
struct run {
    const char *path;
    bool post;
    unsigned n, sent, done;
};

/* Asks the next question on that connection, if one is left. */
static bool ask_next(struct load *load, struct connection *connection, struct run *run)
{
    if (run->sent == run->n)
        return true;
    run->sent++;
    return ask(load, connection, run->path, run->post);
}

/* Reads from a connection that has something, and goes on with it. */
static bool advance(struct load *load, struct connection *connection, struct run *run)
{
    int whole = receive(connection);
    if (whole <= 0)
        return whole == 0;
    load->reply_bytes = connection->received;
    run->done++;
    return ask_next(load, connection, run);
}

bool load_run(struct load *load, const char *path, bool post, unsigned n)
{
    struct run run = {.path = path, .post = post, .n = n};
    struct epoll_event events[LOAD_CONNECTIONS];

    for (unsigned i = 0; i < load->n; i++) {
        if (!ask_next(load, &load->connections[i], &run))
            return false;
    }
    while (run.done < n) {
        int ready = epoll_wait(load->epoll, events, LOAD_CONNECTIONS, WAIT_MS);
        if (ready <= 0)
            return false;
        for (int i = 0; i < ready; i++) {
            if (!advance(load, &load->connections[events[i].data.u32], &run))
                return false;
        }
    }
    return true;
}

/* A paced run under way: the connections that wait for a question are a stack. */
struct paced {
    struct run run;
    double begin_ns, step_ns;
    unsigned idle[LOAD_CONNECTIONS], n_idle;
};

/* Sends what is due, as long as a connection is idle. */
static bool send_due(struct load *load, struct paced *paced)
{
    while (paced->n_idle > 0 && paced->run.sent < paced->run.n) {
        double due = paced->begin_ns + paced->step_ns * paced->run.sent;
        if (due > clock_wall_ns())
            return true;
        struct connection *connection = &load->connections[paced->idle[--paced->n_idle]];
        connection->due_ns = due;
        if (!ask_next(load, connection, &paced->run))
            return false;
    }
    return true;
}

static bool receive_paced(struct load *load, struct paced *paced, unsigned which)
{
    struct connection *connection = &load->connections[which];
    int whole = receive(connection);
    if (whole <= 0)
        return whole == 0;
    load->reply_bytes = connection->received;
    load->latency_ns[paced->run.done++] = clock_wall_ns() - connection->due_ns;
    paced->idle[paced->n_idle++] = which;
    return true;
}

bool load_run_paced(struct load *load, const char *path, bool post, unsigned n, double per_s)
{
    struct epoll_event events[LOAD_CONNECTIONS];
    struct paced paced = {.run = {.path = path, .post = post, .n = n},
                          .begin_ns = clock_wall_ns(),
                          .step_ns = 1e9 / per_s};
    for (unsigned i = 0; i < load->n; i++)
        paced.idle[paced.n_idle++] = i;
    while (paced.run.done < n) {
        /* this core is the client's alone: it looks all the time, so that it sends in time */
        int ready = epoll_wait(load->epoll, events, LOAD_CONNECTIONS, 0);
        if (ready < 0 || !send_due(load, &paced))
            return false;
        for (int i = 0; i < ready; i++) {
            if (!receive_paced(load, &paced, events[i].data.u32))
                return false;
        }
    }
    return true;
}
