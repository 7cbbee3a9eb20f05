/*
 * bench_soak - plans as fast as they go and a posted measurement every second: memory, failed
 * reads.
 *
 *   bench_soak [SECONDS]          600 of them when nothing is said
 *   bench_soak reads [MILLIONS]   10 of them when nothing is said
 *
 * The daemon has a store of its own and runs on core 0, the client on core 1.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curl/curl.h>

#include "cpu_clock.h"
#include "servers.h"

#define PATH_ROOM 160
#define NS_PER_S 1e9
#define NS_PER_MS 1e6
#define SOAK_CHUNK 2000
#define SOAK_TOKEN_MAX 120

struct soak {
    struct load load;
    pid_t daemon;
    CURL *curl;
    FILE *replies; /* of writes, which nobody reads */
    struct curl_slist *headers;
    char url[80];
    double reads;
    unsigned writes, refused;
    double slowest_write_ns, slowest_chunk_ns;
};

/* A measurement that nobody posted before: 16 GB of weights at 300 GB/s are more than 53 ms. */
static void write_one(struct soak *soak)
{
    char body[800];
    long status = 0;
    double begin = clock_wall_ns();
    snprintf(body, sizeof body,
             "{\"model\":\"llama-3.1-8b\",\"hardware\":\"l4\",\"engine\":\"vllm\",\"weights\":"
             "\"bf16\",\"workload\":{\"input_tokens\":%u,\"output_tokens\":128,\"concurrency\":4},"
             "\"metrics\":{\"tpot_ms\":%.4f},\"source\":{\"title\":\"soak\",\"kind\":"
             "\"measurement\"}}",
             1000 + soak->writes, 90 + soak->writes * 1e-3);
    curl_easy_setopt(soak->curl, CURLOPT_POSTFIELDS, body);
    if (curl_easy_perform(soak->curl) == CURLE_OK)
        curl_easy_getinfo(soak->curl, CURLINFO_RESPONSE_CODE, &status);
    soak->writes++;
    soak->refused += status != 201;
    if (clock_wall_ns() - begin > soak->slowest_write_ns)
        soak->slowest_write_ns = clock_wall_ns() - begin;
}

/* A token of the store, through the program itself; "" when it gives none. */
static void make_token(const char *db, char ret_token[SOAK_TOKEN_MAX])
{
    const char *argv[] = {REGIMED,      "token", "add", "soak", "--scope",
                          "contribute", "--db",  db,    NULL};
    if (!server_run(argv, ret_token, SOAK_TOKEN_MAX))
        ret_token[0] = '\0';
    ret_token[strcspn(ret_token, "\n")] = '\0';
}

static bool soak_open(struct soak *soak, const char *folder)
{
    char db[PATH_ROOM], token[SOAK_TOKEN_MAX], header[SOAK_TOKEN_MAX + 40];
    int port = server_free_port();
    snprintf(db, sizeof db, "%s/soak.db", folder);
    make_token(db, token);
    soak->daemon = server_start_daemon(port, db, 1);
    pin_to_core(1);
    snprintf(header, sizeof header, "Authorization: Bearer %s", token);
    snprintf(soak->url, sizeof soak->url, "http://127.0.0.1:%d/v1/anchors", port);
    soak->headers =
        curl_slist_append(curl_slist_append(NULL, header), "Content-Type: application/json");
    soak->curl = curl_easy_init();
    curl_easy_setopt(soak->curl, CURLOPT_URL, soak->url);
    curl_easy_setopt(soak->curl, CURLOPT_HTTPHEADER, soak->headers);
    soak->replies = fopen("/dev/null", "w");
    curl_easy_setopt(soak->curl, CURLOPT_WRITEDATA, soak->replies);
    return token[0] && soak->replies && soak->daemon > 0 && server_wait(&soak->load, port);
}

static bool soak_read(struct soak *soak)
{
    double begin = clock_wall_ns();
    bool good = load_run(&soak->load, "/v1/plan?view=summary", true, SOAK_CHUNK);
    if (clock_wall_ns() - begin > soak->slowest_chunk_ns)
        soak->slowest_chunk_ns = clock_wall_ns() - begin;
    soak->reads += good ? SOAK_CHUNK : 0.0;
    return good;
}

static void soak_say(const struct soak *soak, double passed_s)
{
    printf("%8.0f %12.0f %8u %8u %10ld %14.0f\n", passed_s, soak->reads, soak->writes,
           soak->refused, server_rss_kb(soak->daemon), soak->slowest_write_ns / NS_PER_MS);
    fflush(stdout);
}

/* The share of the work that is done: of the seconds or of the reads, whichever was asked. */
static double soak_done(const struct soak *soak, double begin_ns, double seconds, double reads)
{
    return reads > 0 ? soak->reads / reads : (clock_wall_ns() - begin_ns) / (seconds * NS_PER_S);
}

static bool run_soak(double seconds, double reads)
{
    static struct soak soak;
    char folder[64] = "/tmp/bench_soak.XXXXXX";
    bool good = mkdtemp(folder) && soak_open(&soak, folder);
    double begin = clock_wall_ns(), next_write = begin, next_line = 0;
    printf("%8s %12s %8s %8s %10s %14s\n", "s", "reads", "writes", "refused", "RSS kB",
           "slowest write ms");
    while (good && soak_done(&soak, begin, seconds, reads) < 1) {
        good = soak_read(&soak);
        if (clock_wall_ns() >= next_write) {
            write_one(&soak);
            next_write += NS_PER_S;
        }
        if (soak_done(&soak, begin, seconds, reads) >= next_line) {
            soak_say(&soak, (clock_wall_ns() - begin) / NS_PER_S);
            next_line += 0.1;
        }
    }
    soak_say(&soak, (clock_wall_ns() - begin) / NS_PER_S);
    printf("%s; %d reads took %.0f ms at most\n", good ? "no read failed" : "a read failed",
           SOAK_CHUNK, soak.slowest_chunk_ns / NS_PER_MS);
    if (soak.load.n > 0)
        load_close(&soak.load);
    server_end(soak.daemon, SIGTERM);
    curl_easy_cleanup(soak.curl);
    curl_slist_free_all(soak.headers);
    if (soak.replies)
        fclose(soak.replies);
    return server_folder_remove(folder) && good && soak.refused == 0;
}

int main(int argc, char **argv)
{
    bool counts = argc > 1 && strcmp(argv[1], "reads") == 0;
    const char *number = argc > 1 + counts ? argv[1 + counts] : NULL;
    double n = number ? strtod(number, NULL) : counts ? 10 : 600;
    if (!(n >= 1)) {
        fputs("usage: bench_soak [SECONDS] | reads [MILLIONS], 1 or more\n", stderr);
        return 2;
    }
    return run_soak(n, counts ? 1e6 * n : 0) ? 0 : 1;
}
