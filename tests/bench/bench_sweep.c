/*
 * bench_sweep - points per second of a sweep, in process: all threads and every format, no socket.
 *
 *   bench_sweep           a million points of plain columns in each format
 *   bench_sweep STEPS     16 x STEPS x STEPS points, once as CSV, for a profiler
 *
 * The grid is load x load x tp x part; loads turn fastest, as in a map.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler.h"
#include "cpu_clock.h"
#include "reply_stream.h"
#include "workbench.h"

#define STEPS 250
#define BODY_MAX 1024
#define PIECE_BYTES 16384

static void write_body(unsigned steps, char ret_body[BODY_MAX])
{
    snprintf(ret_body, BODY_MAX,
             "{\"base\":{\"model\":\"llama-3.1-70b\",\"deployment\":{\"weights\":\"fp8\"}},"
             "\"axes\":{\"/hardware\":[\"h100-sxm\",\"h200-sxm\",\"b200-sxm\",\"l40s\"],"
             "\"/deployment/tp\":[1,2,4,8],"
             "\"/workload/concurrency\":{\"from\":1,\"to\":1000,\"steps\":%u},"
             "\"/workload/input_tokens\":{\"from\":128,\"to\":32768,\"steps\":%u}},"
             "\"columns\":[\"regime\",\"dominant_class\",\"tpot_ms\",\"ttft_ms\","
             "\"output_tok_s\",\"fits\"]}",
             steps, steps);
}

/* The bytes of the table. */
static size_t run(struct workbench *bench, const char *body, const char *format)
{
    static char piece[PIECE_BYTES];
    const struct argument argument = {"format", format};
    struct request request = {.method = METHOD_POST,
                              .raw_path = "/v1/sweep",
                              .segments = {"v1", "sweep"},
                              .n_segments = 2,
                              .arguments = &argument,
                              .n_arguments = 1,
                              .content_type = "application/json",
                              .body = body,
                              .body_length = strlen(body),
                              .arena = bench->questions[0].request.arena};
    struct reply reply = {0};
    size_t length = 0;
    long n;

    arena_reset(request.arena);
    app_handle(bench->app, &request, &reply);
    if (!reply.stream)
        bench_fail("no stream", reply.body ? reply.body : "no body");
    while ((n = reply.stream->read(reply.stream, piece, sizeof(piece))) > 0)
        length += (size_t)n;
    if (n != STREAM_END)
        bench_fail("the stream broke", format);
    reply_stream_end(reply.stream);
    return length;
}

static void measure(struct workbench *bench, unsigned steps, const char *format)
{
    char body[BODY_MAX];
    double points = 16.0 * steps * steps;

    write_body(steps, body);
    double wall = clock_wall_ns(), cpu = clock_process_ns(getpid());
    size_t length = run(bench, body, format);
    wall = (clock_wall_ns() - wall) / 1e9;
    cpu = (clock_process_ns(getpid()) - cpu) / 1e9;
    printf("%-8s %10.0f %12zu %8.2f %8.2f %14.0f %14.0f\n", format, points, length, wall, cpu,
           points / wall, points / cpu);
}

int main(int argc, char **argv)
{
    static const char *const FORMATS[] = {"csv", "ndjson", "json"};
    static struct workbench bench;

    workbench_open(&bench);
    printf("%-8s %10s %12s %8s %8s %14s %14s\n", "format", "points", "bytes", "wall s", "CPU s",
           "points/wall s", "points/CPU s");
    if (argc == 2)
        measure(&bench, (unsigned)strtoul(argv[1], NULL, 10), "csv");
    for (size_t i = 0; argc != 2 && i < ARRAY_LEN(FORMATS); i++)
        measure(&bench, STEPS, FORMATS[i]);
    workbench_close(&bench);
    return 0;
}
