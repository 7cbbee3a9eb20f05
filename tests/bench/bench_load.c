/*
 * bench_load - what one core of the daemon bears: requests a second when it is full, latency when
 * it is nearly full, beside its own static reply and nginx's static file of the same size.
 *
 *   bench_load [rates] [ROUNDS]  rates and latencies
 *   bench_load start [TIMES]     from exec to the first reply of /readyz
 *   bench_load cores [ROUNDS]    a thread on 1, 2, ... cores: requests a second and the daemon's
 * CPU time of each; where the client has no core of its own, only the CPU time tells whether
 * threads are in each other's way
 *
 * The servers run on core 0 and the client on core 1; the cases take turns within each round, so
 * that a noisy machine disturbs all of them alike: read the ratios. No plan is asked twice.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"
#include "cpu_clock.h"
#include "servers.h"

#define ROUNDS_MAX 50
#define FULL_REQUESTS 20000  /* of a round, when the server is full */
#define PACED_REQUESTS 20000 /* of a round, at LOAD_SHARE of that */
#define LOAD_SHARE 0.8
#define PATH_ROOM 160
#define NS_PER_S 1e9
#define NS_PER_US 1e3
#define NS_PER_MS 1e6

/* ---- rates and latencies ---- */

enum server { DAEMON, NGINX, SERVER_COUNT };

static const struct load_case {
    const char *name, *path;
    bool post;
    enum server server;
} CASES[] = {
    {"nginx, static file", "/summary.json", false, NGINX},
    {"GET /healthz", "/healthz", false, DAEMON},
    {"POST /v1/plan?view=summary", "/v1/plan?view=summary", true, DAEMON},
    {"POST /v1/plan", "/v1/plan", true, DAEMON},
};

struct outcome {
    double rate[ROUNDS_MAX];    /* requests a second, full */
    double mean_ns[ROUNDS_MAX]; /* of the paced ones */
    double p50_ns[ROUNDS_MAX], p99_ns[ROUNDS_MAX], p999_ns[ROUNDS_MAX];
    size_t bytes;
};

struct rig {
    char folder[64];
    struct load load; /* opened for each case: a server closes what is idle */
    pid_t pids[SERVER_COUNT];
    int ports[SERVER_COUNT];
};

static void path_in(const struct rig *rig, const char *name, char ret_path[PATH_ROOM])
{
    snprintf(ret_path, PATH_ROOM, "%s/%s", rig->folder, name);
}

static bool write_file(const struct rig *rig, const char *name, const char *text)
{
    char path[PATH_ROOM];
    path_in(rig, name, path);
    FILE *file = fopen(path, "w");
    bool written = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && written;
}

/* One worker that sends a file as nginx is told to when it is to be fast. */
static bool start_nginx(struct rig *rig)
{
    char config[2000], path[PATH_ROOM];
    snprintf(config, sizeof config,
             "daemon off; master_process off; pid %s/pid; error_log %s/error.log;\n"
             "events { worker_connections 256; }\n"
             "http {\n"
             "  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;\n"
             "  open_file_cache max=10; types { application/json json; }\n"
             "  client_body_temp_path %s; proxy_temp_path %s; fastcgi_temp_path %s;\n"
             "  uwsgi_temp_path %s; scgi_temp_path %s;\n"
             "  server { listen 127.0.0.1:%d; root %s; }\n}\n",
             rig->folder, rig->folder, rig->folder, rig->folder, rig->folder, rig->folder,
             rig->folder, rig->ports[NGINX], rig->folder);
    if (!write_file(rig, "nginx.conf", config))
        return false;
    path_in(rig, "nginx.conf", path);
    rig->pids[NGINX] = server_start((const char *[]){"nginx", "-c", path, NULL}, 1);
    if (rig->pids[NGINX] <= 0 || !server_wait(&rig->load, rig->ports[NGINX]))
        return false;
    load_close(&rig->load);
    return true;
}

/* What the daemon answers to a plan becomes nginx's file. */
static bool keep_summary(struct rig *rig)
{
    struct load *load = &rig->load;
    if (!server_wait(load, rig->ports[DAEMON]))
        return false;
    bool good = load_run(load, "/v1/plan?view=summary", true, LOAD_CONNECTIONS);
    const char *body = good ? strstr(load->connections[0].reply, "\r\n\r\n") : NULL;
    good = body && write_file(rig, "summary.json", body + 4);
    load_close(load);
    return good;
}

static bool rig_open(struct rig *rig)
{
    snprintf(rig->folder, sizeof rig->folder, "/tmp/bench_load.XXXXXX");
    if (!mkdtemp(rig->folder) || chmod(rig->folder, 0755) != 0)
        return false;
    for (int i = 0; i < SERVER_COUNT; i++)
        rig->ports[i] = server_free_port();
    rig->pids[DAEMON] = server_start_daemon(rig->ports[DAEMON], NULL, 1);
    pin_to_core(1);
    if (!keep_summary(rig))
        return false;
    if (!start_nginx(rig)) {
        fputs("nginx cannot be started (package nginx-light): its row is left out\n", stderr);
        rig->ports[NGINX] = 0;
    }
    return true;
}

static void rig_close(struct rig *rig)
{
    for (int i = 0; i < SERVER_COUNT; i++)
        server_end(rig->pids[i], SIGTERM);
    if (!server_folder_remove(rig->folder))
        fprintf(stderr, "%s stays\n", rig->folder);
}

static bool measure(struct load *load, const struct load_case *what, int slot,
                    struct outcome *outcome)
{
    static double latency_ns[PACED_REQUESTS];
    double sum = 0, begin = clock_wall_ns();
    load->latency_ns = latency_ns;
    if (!load_run(load, what->path, what->post, FULL_REQUESTS))
        return false;
    double rate = FULL_REQUESTS * NS_PER_S / (clock_wall_ns() - begin);
    if (!load_run_paced(load, what->path, what->post, PACED_REQUESTS, LOAD_SHARE * rate))
        return false;
    for (int i = 0; i < PACED_REQUESTS; i++)
        sum += latency_ns[i];
    outcome->rate[slot] = rate;
    outcome->mean_ns[slot] = sum / PACED_REQUESTS;
    outcome->p50_ns[slot] = median(latency_ns, PACED_REQUESTS); /* which sorts them */
    outcome->p99_ns[slot] = latency_ns[PACED_REQUESTS / 100 * 99];
    outcome->p999_ns[slot] = latency_ns[PACED_REQUESTS / 1000 * 999];
    outcome->bytes = load->reply_bytes;
    return true;
}

static bool measure_case(struct rig *rig, size_t which, int slot, struct outcome *outcome)
{
    int port = rig->ports[CASES[which].server];
    if (port == 0)
        return true;
    if (!load_open(&rig->load, port))
        return false;
    bool good = measure(&rig->load, &CASES[which], slot, outcome);
    load_close(&rig->load);
    return good;
}

static void report(const struct rig *rig, int rounds, struct outcome outcomes[ARRAY_LEN(CASES)])
{
    double to_nginx[ARRAY_LEN(CASES)], tail[ARRAY_LEN(CASES)];
    size_t n = (size_t)rounds;
    for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
        double ratio[ROUNDS_MAX], slow[ROUNDS_MAX];
        for (size_t round = 0; round < n; round++) {
            ratio[round] = outcomes[i].rate[round] / outcomes[0].rate[round];
            slow[round] = outcomes[i].p99_ns[round] * outcomes[i].rate[round] / NS_PER_S;
        }
        to_nginx[i] = median(ratio, n);
        tail[i] = median(slow, n);
    }
    printf("%-28s %9s %8s %9s %9s %9s %9s %12s %7s\n", "one core", "req/s", "/ nginx", "mean us",
           "p50 us", "p99 us", "p99.9 us", "p99/service", "bytes");
    for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
        if (rig->ports[CASES[i].server] == 0)
            continue;
        printf("%-28s %9.0f %8.3f %9.0f %9.0f %9.0f %9.0f %12.1f %7zu\n", CASES[i].name,
               median(outcomes[i].rate, n), to_nginx[i], median(outcomes[i].mean_ns, n) / NS_PER_US,
               median(outcomes[i].p50_ns, n) / NS_PER_US, median(outcomes[i].p99_ns, n) / NS_PER_US,
               median(outcomes[i].p999_ns, n) / NS_PER_US, tail[i], outcomes[i].bytes);
    }
    printf("latencies at %.0f %% of the rate, from when a request was due; service = 1 / rate; "
           "medians of %d rounds\n",
           100 * LOAD_SHARE, rounds);
}

static bool run_load(int rounds)
{
    static struct rig rig;
    static struct outcome outcomes[ARRAY_LEN(CASES)];
    bool good = rig_open(&rig);
    /* round -1 warms up */
    for (int round = -1; good && round < rounds; round++) {
        for (size_t i = 0; good && i < ARRAY_LEN(CASES); i++)
            good = measure_case(&rig, i, round < 0 ? 0 : round, &outcomes[i]);
    }
    if (good) {
        report(&rig, rounds, outcomes);
        server_print_memory(rig.pids[DAEMON]);
    }
    rig_close(&rig);
    return good;
}

/* ---- starting ---- */

static bool run_start(int times)
{
    static struct load load;
    double ns[ROUNDS_MAX];
    pin_to_core(1);
    for (int i = 0; i < times; i++) {
        int port = server_free_port();
        double begin = clock_wall_ns();
        pid_t pid = server_start_daemon(port, NULL, 1);
        bool good = server_wait(&load, port) && load_run(&load, "/readyz", false, 1);
        ns[i] = clock_wall_ns() - begin;
        if (load.n > 0)
            load_close(&load);
        server_end(pid, SIGTERM);
        if (!good)
            return false;
    }
    printf("from exec to the first reply of /readyz: median %.0f ms of %d (looked every 10 ms)\n",
           median(ns, (size_t)times) / NS_PER_MS, times);
    return true;
}

/* ---- cores ---- */

#define CORES_MAX 64

struct growth {
    double rate[ROUNDS_MAX], cpu_ns[ROUNDS_MAX];
};

/* One round on that many cores, with a daemon of its own. */
static bool measure_cores(size_t cores, int slot, struct growth *growth)
{
    static struct load load;
    int port = server_free_port();
    pid_t pid = server_start_daemon(port, NULL, cores);
    bool good = server_wait(&load, port) &&
                load_run(&load, "/v1/plan?view=summary", true, FULL_REQUESTS / 10);
    double cpu_ns = clock_process_ns(pid), begin = clock_wall_ns();
    good = good && load_run(&load, "/v1/plan?view=summary", true, FULL_REQUESTS);
    growth->rate[slot] = FULL_REQUESTS * NS_PER_S / (clock_wall_ns() - begin);
    growth->cpu_ns[slot] = (clock_process_ns(pid) - cpu_ns) / FULL_REQUESTS;
    if (load.n > 0)
        load_close(&load);
    server_end(pid, SIGTERM);
    return good;
}

static bool run_cores(int rounds)
{
    static struct growth growth[CORES_MAX];
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = online < 1 ? 1 : online > CORES_MAX ? CORES_MAX : (size_t)online, n = 0;
    for (int round = 0; round < rounds; round++) {
        n = 0;
        for (size_t cores = 1; cores <= most; cores *= 2, n++) {
            pin_to_core(most - 1);
            if (!measure_cores(cores, round, &growth[n]))
                return false;
        }
    }
    printf("%5s %9s %18s\n", "cores", "req/s", "daemon CPU us each");
    for (size_t i = 0; i < n; i++)
        printf("%5zu %9.0f %18.1f\n", (size_t)1 << i, median(growth[i].rate, (size_t)rounds),
               median(growth[i].cpu_ns, (size_t)rounds) / NS_PER_US);
    return true;
}

static const struct mode {
    const char *name;
    long usual; /* how often when nothing is said */
    bool (*run)(int times);
} MODES[] = {{"rates", 5, run_load}, {"start", 20, run_start}, {"cores", 5, run_cores}};

int main(int argc, char **argv)
{
    const struct mode *mode = &MODES[0];
    int named = 0;
    for (size_t i = 0; argc > 1 && i < ARRAY_LEN(MODES); i++) {
        if (strcmp(argv[1], MODES[i].name) == 0) {
            mode = &MODES[i];
            named = 1;
        }
    }
    long n = argc > 1 + named ? strtol(argv[1 + named], NULL, 10) : mode->usual;
    if (n < 1 || n > ROUNDS_MAX) {
        fprintf(stderr, "usage: bench_load [rates|start|cores] [TIMES], 1 to %d\n", ROUNDS_MAX);
        return 2;
    }
    return mode->run((int)n) ? 0 : 1;
}
