#include "supervisor.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "environment.h"

#define US_PER_S UINT64_C(1000000)
#define NS_PER_US 1000
#define SOCKETS_MAX 64
#define MESSAGE_MAX 300

/* A whole number; 0 for anything else. */
static uint64_t number_of(const char *text)
{
    char *end = NULL;
    unsigned long long number = text ? strtoull(text, &end, 10) : 0;

    return text && end != text && !*end ? number : 0;
}

static bool is_ours(const char *pid)
{
    return !pid || number_of(pid) == (uint64_t)getpid();
}

int supervisor_sockets(const char *const *environment)
{
    const char *pid = environment_find(environment, "LISTEN_PID");
    uint64_t n = number_of(environment_find(environment, "LISTEN_FDS"));

    return pid && is_ours(pid) && n <= SOCKETS_MAX ? (int)n : 0;
}

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * US_PER_S + (uint64_t)(now.tv_nsec / NS_PER_US);
}

void supervisor_init(struct supervisor *ret_supervisor, const char *const *environment)
{
    *ret_supervisor = (struct supervisor){.socket = environment_find(environment, "NOTIFY_SOCKET")};
    if (ret_supervisor->socket && is_ours(environment_find(environment, "WATCHDOG_PID")))
        ret_supervisor->watchdog_us = number_of(environment_find(environment, "WATCHDOG_USEC"));
}

/* Sends lines such as "READY=1". */
static void tell(const struct supervisor *supervisor, const char *lines)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = supervisor->socket ? strlen(supervisor->socket) : 0;

    if (length < 2 || length > sizeof(address.sun_path) || !strchr("/@", *supervisor->socket))
        return;
    memcpy(address.sun_path, supervisor->socket, length);
    if (address.sun_path[0] == '@') /* of the abstract name space */
        address.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0)
        return;
    /* a supervisor that does not listen is not waited for */
    (void)sendto(fd, lines, strlen(lines), MSG_NOSIGNAL | MSG_DONTWAIT,
                 (const struct sockaddr *)&address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
    (void)close(fd);
}

void supervisor_ready(const struct supervisor *supervisor, const char *status)
{
    char lines[MESSAGE_MAX];

    snprintf(lines, sizeof(lines), "READY=1\nSTATUS=%.200s", status);
    tell(supervisor, lines);
}

void supervisor_reloading(const struct supervisor *supervisor)
{
    char lines[MESSAGE_MAX];

    snprintf(lines, sizeof(lines), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now_us());
    tell(supervisor, lines);
}

void supervisor_stopping(const struct supervisor *supervisor)
{
    tell(supervisor, "STOPPING=1");
}

void supervisor_ping(struct supervisor *supervisor)
{
    uint64_t now = now_us();

    if (!supervisor->watchdog_us || now < supervisor->next_ping_us)
        return;
    tell(supervisor, "WATCHDOG=1");
    supervisor->next_ping_us = now + supervisor->watchdog_us / 2;
}
