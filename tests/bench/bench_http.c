/*
 * bench_http - CPU of the daemon per request, user and system, beside its own static reply.
 *
 *   bench_http [ROUNDS]
 *
 * Starts the real daemon on core 0 and loads it from core 1, 16 keep-alive connections. The cases
 * take turns within each round, so that a noisy machine disturbs all of them alike: read the
 * ratios, not the microseconds. No request is asked twice.
 */
#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compiler.h"
#include "cpu_clock.h"
#include "http_load.h"

#define ROUNDS_MAX 200
#define REQUESTS_PER_ROUND 1000
#define START_TRIES 200
#define NS_PER_US 1e3

struct http_case {
    const char *name, *path;
    bool post;
};

/* The first row is what the others are compared with. */
static const struct http_case CASES[] = {
    {"static reply, GET /healthz", "/healthz", false},
    {"POST /v1/plan?view=summary", "/v1/plan?view=summary", true},
    {"POST /v1/plan", "/v1/plan", true},
    {"POST /v1/plan?format=text", "/v1/plan?format=text", true},
    {"GET /v1/models/llama-3.1-8b", "/v1/models/llama-3.1-8b", false},
};

/* A port that is free now. */
static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int port = -1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        port = ntohs(address.sin_port);
    close(fd);
    return port;
}

static pid_t start_daemon(int port)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    char listen[32];
    snprintf(listen, sizeof listen, "127.0.0.1:%d", port);
    pin_to_core(0);
    execl(REGIMED, "regimed", "--listen", listen, (char *)NULL);
    _exit(127);
}

static bool wait_until_ready(struct load *load, int port)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    for (int i = 0; i < START_TRIES; i++) {
        if (load_open(load, port))
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* Resident memory, its peak, as the kernel prints it. */
static void print_memory(pid_t pid)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *status = fopen(path, "r");
    if (!status)
        return;
    while (fgets(line, sizeof line, status)) {
        if (strncmp(line, "VmHWM:", 6) == 0 || strncmp(line, "VmRSS:", 6) == 0)
            fputs(line, stdout);
    }
    fclose(status);
}

static bool measure(struct load *load, pid_t pid, int rounds,
                    double ns[ARRAY_LEN(CASES)][ROUNDS_MAX], size_t bytes[ARRAY_LEN(CASES)])
{
    /* Round -1 warms up: caches, allocator, connections. */
    for (int round = -1; round < rounds; round++) {
        for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
            double before = clock_process_ns(pid);
            if (!load_run(load, CASES[i].path, CASES[i].post, REQUESTS_PER_ROUND)) {
                fprintf(stderr, "%s failed\n", CASES[i].name);
                return false;
            }
            if (round >= 0)
                ns[i][round] = (clock_process_ns(pid) - before) / REQUESTS_PER_ROUND;
            bytes[i] = load->reply_bytes;
        }
    }
    return true;
}

static void report(int rounds, double ns[ARRAY_LEN(CASES)][ROUNDS_MAX],
                   const size_t bytes[ARRAY_LEN(CASES)])
{
    double ratios[ARRAY_LEN(CASES)];
    for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
        double ratio[ROUNDS_MAX];
        for (int round = 0; round < rounds; round++)
            ratio[round] = ns[i][round] / ns[0][round];
        ratios[i] = median(ratio, (size_t)rounds);
    }
    printf("%-32s %12s %12s %10s %12s\n", "daemon CPU per request", "best us", "median us", "ratio",
           "reply bytes");
    for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
        double middle = median(ns[i], (size_t)rounds);
        printf("%-32s %12.1f %12.1f %10.2f %12zu\n", CASES[i].name, ns[i][0] / NS_PER_US,
               middle / NS_PER_US, ratios[i], bytes[i]);
    }
}

int main(int argc, char **argv)
{
    static struct load load;
    static double ns[ARRAY_LEN(CASES)][ROUNDS_MAX];
    size_t bytes[ARRAY_LEN(CASES)] = {0};
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 20;
    int port = free_port();

    if (rounds < 1 || rounds > ROUNDS_MAX || port < 0) {
        fprintf(stderr, "usage: bench_http [ROUNDS, 1 to %d]\n", ROUNDS_MAX);
        return 2;
    }
    pid_t pid = start_daemon(port);
    pin_to_core(1);
    bool ok =
        pid > 0 && wait_until_ready(&load, port) && measure(&load, pid, (int)rounds, ns, bytes);
    if (ok) {
        report((int)rounds, ns, bytes);
        print_memory(pid);
        load_close(&load);
    }
    if (pid > 0) {
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
    }
    return ok ? 0 : 1;
}
