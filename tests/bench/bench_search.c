/*
 * bench_search - candidates per second of a search, in process: no socket.
 *
 *   bench_search          the rows below, each once
 *
 * CPU seconds are those of all threads: what one core would take.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler.h"
#include "cpu_clock.h"
#include "reply_stream.h"
#include "workbench.h"

#define PIECE_BYTES 16384

static const struct row {
    const char *name, *body;
} ROWS[] = {
    {"dense, layouts, chunks and slots",
     "{\"model\":\"llama-3.1-70b\",\"hardware\":[\"h100-sxm\",\"h200-sxm\",\"b200-sxm\"],"
     "\"workload\":{\"concurrency\":64,\"input_tokens\":2048,\"output_tokens\":256},"
     "\"slo\":{\"ttft_ms\":2000,\"tpot_ms\":30},\"space\":{\"devices\":{\"max\":64},"
     "\"engine\":[\"vllm\",\"sglang\",\"tensorrt-llm\"],\"weights\":[\"bf16\",\"fp8\",\"nvfp4\"],"
     "\"kv_cache\":[\"bf16\",\"fp8\"],\"tp\":[1,2,4,8],\"pp\":[1],"
     "\"replicas\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],"
     "\"chunked_prefill_tokens\":[1024,2048,4096,8192,16384],"
     "\"max_num_seqs\":[32,64,128,256,512,1024]}}"},
    {"MoE, every way of sharding",
     "{\"model\":\"deepseek-v3\",\"hardware\":[\"h200-sxm\",\"b200-sxm\",\"h100-sxm\"],"
     "\"workload\":{\"concurrency\":512,\"input_tokens\":4096,\"output_tokens\":512},"
     "\"slo\":{\"tpot_ms\":50},\"space\":{\"devices\":{\"max\":64},"
     "\"engine\":[\"vllm\",\"sglang\"],\"tp\":[1,2,4,8,16],\"dp\":[1,2,4,8,16],"
     "\"ep\":[1,2,4,8,16,32],\"pp\":[1,2,4],\"kv_cache\":[\"bf16\",\"fp8\"],"
     "\"chunked_prefill_tokens\":[2048,8192],\"max_num_seqs\":[128,256,512]}}"},
};

/* The reply as a text of its own. */
static char *run(struct workbench *bench, const char *body)
{
    struct request request = {.method = METHOD_POST,
                              .raw_path = "/v1/search",
                              .segments = {"v1", "search"},
                              .n_segments = 2,
                              .content_type = "application/json",
                              .body = body,
                              .body_length = strlen(body),
                              .arena = bench->questions[0].request.arena};
    struct reply reply = {0};
    size_t length = 0, room = (size_t)4 << 20;
    char *text = malloc(room);
    long n;

    arena_reset(request.arena);
    app_handle(bench->app, &request, &reply);
    if (!reply.stream || !text)
        bench_fail("no stream", reply.body ? reply.body : "no body");
    while ((n = reply.stream->read(reply.stream, text + length, room - length - 1)) >= 0)
        length += (size_t)n;
    if (n != STREAM_END)
        bench_fail("the stream broke", body);
    reply_stream_end(reply.stream);
    text[length] = '\0';
    return text;
}

/* A count of the reply. */
static double count(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at ? strtod(at + strlen(name), NULL) : 0;
}

int main(void)
{
    static struct workbench bench;

    workbench_open(&bench);
    printf("%-34s %10s %10s %8s %8s %14s\n", "search", "candidates", "planned", "wall s", "CPU s",
           "per CPU second");
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        double wall = clock_wall_ns(), cpu = clock_process_ns(getpid());
        char *text = run(&bench, ROWS[i].body);
        wall = (clock_wall_ns() - wall) / 1e9;
        cpu = (clock_process_ns(getpid()) - cpu) / 1e9;
        double total = count(text, "\"total\":");
        printf("%-34s %10.0f %10.0f %8.2f %8.2f %14.0f\n", ROWS[i].name, total,
               count(text, "\"planned\":"), wall, cpu, total / cpu);
        free(text);
    }
    workbench_close(&bench);
    return 0;
}
