/*
 * bench_http - CPU of the daemon per request, user and system, beside its own static reply.
 *
 *   bench_http [ROUNDS]
 *
 * Starts the real daemon on core 0 and loads it from core 1, 16 keep-alive connections. The cases
 * take turns within each round, so that a noisy machine disturbs all of them alike: read the
 * ratios, not the microseconds. No request is asked twice.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "compiler.h"
#include "cpu_clock.h"
#include "http_load.h"
#include "servers.h"
#include "workbench.h"

#define ROUNDS_MAX 200
#define REQUESTS_PER_ROUND 1000
#define NS_PER_US 1e3

struct http_case {
    const char *name, *path;
    bool post, plans; /* plans: the planner runs, at that depth */
    enum plan_depth depth;
};

/* The first row is what the others are compared with. */
static const struct http_case CASES[] = {
    {.name = "static reply, GET /healthz", .path = "/healthz"},
    {"POST /v1/plan?view=summary", "/v1/plan?view=summary", true, true, PLAN_SUMMARY},
    {"POST /v1/plan", "/v1/plan", true, true, PLAN_FULL},
    {"POST /v1/plan?format=text", "/v1/plan?format=text", true, true, PLAN_FULL},
    {.name = "GET /v1/models/llama-3.1-8b", .path = "/v1/models/llama-3.1-8b"},
};

/* What is known of a case, one value per round. */
struct result {
    double total_ns[ROUNDS_MAX];   /* the daemon's CPU time per request */
    double planner_ns[ROUNDS_MAX]; /* of the planner alone, in this process, on the same core */
    size_t bytes;                  /* of a reply */
};

/* The two processes that are measured against each other, and what drives them. */
struct rig {
    struct workbench bench;
    struct load load;
    pid_t daemon, spinner;
};

/* A process that does nothing on core 1 as fast as it can, stopped until it gets SIGCONT: the
 * client's core may be the other half of the daemon's, and the planner is to be timed under the
 * same load. */
static pid_t start_spinner(void)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin_to_core(1);
    raise(SIGSTOP);
    for (volatile unsigned turns = 0;; turns++)
        ;
}

/* CPU time of one plan at that depth, on the daemon's core while the daemon is idle. */
static double planner_ns(struct rig *rig, enum plan_depth depth)
{
    workbench_ask(&rig->bench, rig->load.asked, 1);
    pin_to_core(0);
    kill(rig->spinner, SIGCONT);
    double before = clock_thread_ns();
    for (unsigned i = 0; i < BATCH_QUESTIONS; i++) {
        struct question *question = &rig->bench.questions[i];
        plan_compute(&question->plan_request.problem, depth, &question->plan);
    }
    double spent = clock_thread_ns() - before;
    kill(rig->spinner, SIGSTOP);
    pin_to_core(1);
    return spent / BATCH_QUESTIONS;
}

static bool measure(struct rig *rig, int rounds, struct result results[ARRAY_LEN(CASES)])
{
    /* Round -1 warms up: caches, allocator, connections. */
    for (int round = -1; round < rounds; round++) {
        int slot = round < 0 ? 0 : round;
        for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
            double before = clock_process_ns(rig->daemon);
            if (!load_run(&rig->load, CASES[i].path, CASES[i].post, REQUESTS_PER_ROUND)) {
                fprintf(stderr, "%s failed\n", CASES[i].name);
                return false;
            }
            results[i].total_ns[slot] =
                (clock_process_ns(rig->daemon) - before) / REQUESTS_PER_ROUND;
            results[i].planner_ns[slot] = CASES[i].plans ? planner_ns(rig, CASES[i].depth) : 0;
            results[i].bytes = rig->load.reply_bytes;
        }
    }
    return true;
}

static void report(int rounds, struct result results[ARRAY_LEN(CASES)])
{
    double ratio[ARRAY_LEN(CASES)][ROUNDS_MAX];
    size_t n = (size_t)rounds;

    for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
        for (size_t round = 0; round < n; round++)
            ratio[i][round] = (results[i].total_ns[round] - results[i].planner_ns[round]) /
                              results[0].total_ns[round];
    }
    printf("%-30s %9s %9s %9s %9s %8s %9s\n", "daemon CPU per request, us", "best", "median",
           "planner", "outside", "ratio", "bytes");
    for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
        double middle = median(results[i].total_ns, n) / NS_PER_US;
        double planner = median(results[i].planner_ns, n) / NS_PER_US;
        printf("%-30s %9.1f %9.1f %9.1f %9.1f %8.2f %9zu\n", CASES[i].name,
               results[i].total_ns[0] / NS_PER_US, middle, planner, middle - planner,
               median(ratio[i], n), results[i].bytes);
    }
    puts("outside = median - planner; ratio = what is outside over the static reply, median of "
         "rounds");
}

int main(int argc, char **argv)
{
    static struct rig rig;
    static struct result results[ARRAY_LEN(CASES)];
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 20;
    int port = server_free_port();

    if (rounds < 1 || rounds > ROUNDS_MAX || port < 0) {
        fprintf(stderr, "usage: bench_http [ROUNDS, 1 to %d]\n", ROUNDS_MAX);
        return 2;
    }
    workbench_open(&rig.bench);
    rig.daemon = server_start_daemon(port, NULL, 1);
    rig.spinner = start_spinner();
    pin_to_core(1);
    bool ok = rig.daemon > 0 && rig.spinner > 0 && server_wait(&rig.load, port) &&
              measure(&rig, (int)rounds, results);
    if (ok) {
        report((int)rounds, results);
        server_print_memory(rig.daemon);
        load_close(&rig.load);
    }
    server_end(rig.spinner, SIGKILL);
    server_end(rig.daemon, SIGTERM);
    workbench_close(&rig.bench);
    return ok ? 0 : 1;
}
