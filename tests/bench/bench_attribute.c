/*
 * bench_attribute - seconds and memory of the daemon for long traces.
 *
 *   bench_attribute [MB ...]            100 and 500 without arguments
 *
 * Starts the real daemon and posts traces that are made while they are sent, as PyTorch's profiler
 * writes them with stacks off: of ten events one is a kernel, two are calls of the runtime, the
 * others operators of the host; 400 names. Prints the time of the whole exchange, which the making
 * of the trace may hold up, the daemon's own and its memory.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "cpu_clock.h"
#include "servers.h"

#define EVENT_MAX 2048
#define NAMES 400
#define NS_PER_S 1e9
#define EVENTS_PER_KERNEL 10

/* A trace on its way. */
struct trace {
    double sent, wanted; /* bytes */
    long event;
    char text[EVENT_MAX];
    size_t length, at;
    bool ended;
};

/* A kernel of 4 us every 5 us, the calls and operators that led to it. */
static int write_event(char *text, long event)
{
    static const char *const OPERATORS[] = {"aten::linear", "aten::mm", "aten::add", "aten::copy_"};
    const char *comma = event ? "," : "{\"schemaVersion\": 1, \"traceEvents\": [";
    long step = event / EVENTS_PER_KERNEL, place = event % EVENTS_PER_KERNEL;

    if (place == 0)
        return snprintf(text, EVENT_MAX,
                        "%s\n  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void "
                        "at::native::vectorized_elementwise_kernel<4, "
                        "at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, %ldul> "
                        ">(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, "
                        "3ul>)\", \"pid\": 0, \"tid\": 7,\n    \"ts\": %ld.500, \"dur\": 4.000,\n  "
                        "  \"args\": {\n      \"queued\": 0, \"device\": 0, \"context\": 1, "
                        "\"stream\": 7, \"correlation\": %ld, \"registers per thread\": 32, "
                        "\"shared memory\": 0, \"blocks per SM\": 15.5, \"warps per SM\": 62.1, "
                        "\"grid\": [2048, 1, 1], \"block\": [128, 1, 1], \"est. achieved occupancy "
                        "%%\": 97\n    }\n  }",
                        comma, step % NAMES, 1428625731000 + 5 * step, step);
    if (place < 3)
        return snprintf(text, EVENT_MAX,
                        "%s\n  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": "
                        "\"cudaLaunchKernel\", \"pid\": 25286, \"tid\": 25286,\n    \"ts\": "
                        "%ld.000, \"dur\": 2.000,\n    \"args\": {\n      \"External id\": %ld, "
                        "\"cbid\": 211, \"correlation\": %ld\n    }\n  }",
                        comma, 1428625731000 + 5 * step + 2 * place, event, step);
    return snprintf(text, EVENT_MAX,
                    "%s\n  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": "
                    "25286, \"tid\": 25286,\n    \"ts\": %ld.000, \"dur\": 3.000,\n    \"args\": "
                    "{\n      \"External id\": %ld, \"Record function id\": 0, \"Concrete "
                    "Inputs\": [\"\", \"\"], \"Input type\": [\"c10::BFloat16\", "
                    "\"c10::BFloat16\"], \"Input Strides\": [[2048, 1], [1, 2048]], \"Input "
                    "Dims\": [[32, 2048], [2048, 2048]], \"Ev Idx\": %ld\n    }\n  }",
                    comma, OPERATORS[place % 4], 1428625731000 + 5 * step, event, event);
}

static size_t read_trace(char *buffer, size_t size, size_t n, void *context)
{
    struct trace *trace = context;
    size_t room = size * n, done = 0;

    while (done < room) {
        if (trace->at == trace->length) {
            if (trace->ended)
                break;
            trace->ended = trace->sent >= trace->wanted;
            int length = trace->ended ? snprintf(trace->text, EVENT_MAX, "]}\n")
                                      : write_event(trace->text, trace->event++);
            trace->length = (size_t)length;
            trace->at = 0;
        }
        size_t piece = trace->length - trace->at;
        piece = piece < room - done ? piece : room - done;
        memcpy(buffer + done, trace->text + trace->at, piece);
        trace->at += piece;
        done += piece;
    }
    trace->sent += (double)done;
    return done;
}

/* The beginning of the reply. */
struct beginning {
    char text[400];
    size_t length;
};

static size_t take_reply(char *piece, size_t size, size_t n, void *context)
{
    struct beginning *beginning = context;
    size_t room = sizeof(beginning->text) - 1 - beginning->length;
    size_t taken = size * n < room ? size * n : room;

    memcpy(beginning->text + beginning->length, piece, taken);
    beginning->length += taken;
    beginning->text[beginning->length] = '\0';
    return size * n;
}

static bool post(int port, double megabytes, pid_t daemon)
{
    struct trace *trace = calloc(1, sizeof(*trace));
    struct beginning beginning = {.length = 0};
    char url[80];
    long status = 0;
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");

    if (!curl || !trace || !headers)
        return false;
    headers = curl_slist_append(headers, "Transfer-Encoding: chunked");
    headers = curl_slist_append(headers, "Expect:");
    trace->wanted = megabytes * 1e6;
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%d/v1/attribute", port);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, 2L << 20);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_trace);
    curl_easy_setopt(curl, CURLOPT_READDATA, trace);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_reply);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &beginning);
    double cpu_ns = clock_process_ns(daemon), begin_ns = clock_wall_ns();
    bool done = curl_easy_perform(curl) == CURLE_OK;
    double took_ns = clock_wall_ns() - begin_ns;
    cpu_ns = clock_process_ns(daemon) - cpu_ns;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    printf("%.0f MB, %ld events: %.2f s, of which the daemon computes %.2f s; status %ld, resident "
           "%.1f MB\n  %.160s\n",
           trace->sent / 1e6, trace->event, took_ns / NS_PER_S, cpu_ns / NS_PER_S, status,
           (double)server_rss_kb(daemon) / 1e3, beginning.text);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    free(trace);
    return done && status == 200;
}

int main(int argc, char **argv)
{
    static struct load load;
    const char *usual[] = {"", "100", "500"};
    const char *const *sizes = argc > 1 ? (const char *const *)argv : usual;
    int n = argc > 1 ? argc : 3, port = server_free_port();
    bool good = true;
    pid_t daemon = server_start_daemon(port, NULL, 1);

    if (!server_wait(&load, port)) {
        fprintf(stderr, "bench_attribute: the daemon does not answer\n");
        return EXIT_FAILURE;
    }
    load_close(&load);
    printf("before: resident %.1f MB\n", (double)server_rss_kb(daemon) / 1e3);
    for (int i = 1; i < n; i++)
        good = post(port, strtod(sizes[i], NULL), daemon) && good;
    server_print_memory(daemon);
    server_end(daemon, SIGTERM);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
