/* The first megabytes of a GGUF file over a socket: read as they come, refused with what is needed,
 * and planned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "../unit/gguf_sample.h"
#include "harness.h"

#define REPLY_MAX 65536
/* Longer than what comes whole: the route's reader takes it piece by piece. */
#define WORDS 100000

static int start(void **state)
{
    static struct daemon daemon;
    daemon_start(&daemon, NULL);
    *state = &daemon;
    return 0;
}

static int stop(void **state)
{
    return daemon_stop(*state);
}

/* Posts `sent` bytes, announced as `announced`; the reply's text goes to `reply`. */
static int upload(const struct daemon *daemon, const unsigned char *bytes, size_t sent,
                  size_t announced, char reply[REPLY_MAX])
{
    char head[300];
    bool closed = false;
    int fd = raw_connect(daemon);
    int length = snprintf(head, sizeof(head),
                          "POST /v1/models/gguf HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                          "Content-Type: application/octet-stream\r\nContent-Length: %zu\r\n\r\n",
                          announced);
    raw_send(fd, head, (size_t)length);
    if (sent)
        raw_send(fd, (const char *)bytes, sent);
    size_t n = raw_read(fd, 10000, reply, REPLY_MAX - 1, &closed);
    reply[n] = '\0';
    close(fd);
    return raw_status(reply);
}

static void a_file_is_read_as_it_comes(void **state)
{
    static char reply[REPLY_MAX];
    struct gguf_sample sample;
    gguf_llama(&sample, WORDS);
    assert_int_equal(upload(*state, sample.bytes, sample.length, sample.length, reply), 200);
    const char *body = strstr(reply, "\r\n\r\n");
    assert_non_null(body);
    cJSON *tree = cJSON_Parse(body);
    /* what llama.cpp prints of the file: 4,403.49 + 281.81 MiB */
    assert_true(cJSON_GetObjectItem(tree, "weights_bytes")->valuedouble == 4912898304.0);

    cJSON *request = cJSON_CreateObject();
    cJSON_AddItemToObject(request, "model", cJSON_DetachItemFromObject(tree, "model"));
    cJSON_AddStringToObject(request, "hardware", "rtx-4090");
    char *text = cJSON_PrintUnformatted(request);
    static const char *const JSON[] = {"Content-Type: application/json", NULL};
    struct http_reply plan;
    http_request(*state, "POST", "/v1/plan", JSON, text, &plan);
    assert_int_equal(plan.status, 200);
    assert_non_null(strstr(plan.body, "\"weights\":\"q4_k_m\""));
    reply_done(&plan);
    free(text);
    cJSON_Delete(request);
    cJSON_Delete(tree);
    free(sample.bytes);
}

/* The end of a file changes nothing: the header is in front. */
static void more_than_the_header_is_welcome(void **state)
{
    static char reply[REPLY_MAX];
    struct gguf_sample sample;
    gguf_llama(&sample, WORDS);
    memset(sample.bytes + sample.length, 0x5a, 100000);
    size_t length = sample.length + 100000;
    assert_int_equal(upload(*state, sample.bytes, length, length, reply), 200);
    free(sample.bytes);
}

static void a_cut_off_file_is_told_what_it_needs(void **state)
{
    static char reply[REPLY_MAX];
    struct gguf_sample sample;
    gguf_llama(&sample, WORDS);
    assert_int_equal(upload(*state, sample.bytes, 500000, 500000, reply), 422);
    assert_non_null(strstr(reply, "the header goes on behind the 500000 bytes sent"));
    assert_non_null(strstr(reply, "tokenizer.ggml.tokens"));
    assert_non_null(strstr(reply, "send the first "));
    free(sample.bytes);
}

static void other_files_are_refused(void **state)
{
    static char reply[REPLY_MAX];
    unsigned char *bytes = calloc(1, 200000);
    assert_non_null(bytes);
    assert_int_equal(upload(*state, bytes, 200000, 200000, reply), 422);
    assert_non_null(strstr(reply, "not a GGUF file"));
    assert_int_equal(upload(*state, bytes, 0, (size_t)65 << 20, reply), 413);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_as_it_comes),
        cmocka_unit_test(more_than_the_header_is_welcome),
        cmocka_unit_test(a_cut_off_file_is_told_what_it_needs),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
