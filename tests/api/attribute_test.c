/* Profiles over a socket: plain, packed, longer than what comes whole, cut, and wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness.h"
#include "json_look.h"
#include "schema_check.h"

#define REPLY_MAX ((size_t)1 << 20)
#define FILE_MAX ((size_t)1 << 20)
#define EVENTS 40000

/* Bytes to send. */
struct bytes {
    char *at;
    size_t n;
};

static struct bytes golden(const char *name)
{
    char path[512];
    struct bytes bytes = {malloc(FILE_MAX), 0};

    (void)snprintf(path, sizeof(path), "%s/golden/profiles/%s", TESTS_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(bytes.at);
    bytes.n = fread(bytes.at, 1, FILE_MAX, file);
    (void)fclose(file);
    return bytes;
}

/* Posts the bytes and frees them; the reply's text goes to `reply`, its JSON is returned. */
static cJSON *post(const struct daemon *daemon, const char *target, const char *headers,
                   struct bytes bytes, char *reply, int *ret_status)
{
    char head[600];
    bool closed = false;
    int fd = raw_connect(daemon);
    int length = snprintf(head, sizeof(head),
                          "POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s"
                          "Content-Length: %zu\r\n\r\n",
                          target, headers, bytes.n);

    raw_send(fd, head, (size_t)length);
    raw_send(fd, bytes.at, bytes.n);
    size_t n = raw_read(fd, 10000, reply, REPLY_MAX - 1, &closed);
    reply[n] = '\0';
    (void)close(fd);
    free(bytes.at);
    *ret_status = raw_status(reply);
    const char *body = strstr(reply, "\r\n\r\n");
    return body ? cJSON_Parse(body) : NULL;
}

static double number_in(const cJSON *object, const char *name)
{
    const cJSON *item = member(object, name);

    return item ? item->valuedouble : -1;
}

/* The description's schema of the reply, for files that fill its different parts. */
static void replies_are_as_described(void **state)
{
    static const char *const FILES[] = {
        "vllm-gptoss120b-b200-tp8-prefill888-eager.trace.json.gz",
        "llamacpp-print-timings-llama1-7b-h100pcie.txt",
        "vllm-omni-host-idle-three-arms.csv",
        "vllm-gptoss120b-gb10-percent.csv",
        "vllm-llama70b-b200-nsys-graphs-collapsed.txt",
    };
    static char reply[REPLY_MAX];
    char where[SCHEMA_WHERE_MAX];
    struct http_reply description;
    int status = 0;

    http_get(*state, "/openapi.json", &description);
    cJSON *document = cJSON_Parse(description.body);
    const cJSON *schema = member(member(member(document, "components"), "schemas"), "Attribution");
    assert_non_null(schema);
    for (size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
        cJSON *tree = post(*state, "/v1/attribute?model=gpt-oss-120b&hardware=b200", "",
                           golden(FILES[i]), reply, &status);
        assert_int_equal(status, 200);
        if (!schema_fits(document, schema, tree, where))
            fail_msg("%s: %s", FILES[i], where);
        cJSON_Delete(tree);
    }
    cJSON_Delete(document);
    reply_done(&description);
}

/* A prefill step of 84.044 ms of which 11.575 are kernels, by TraceLens of the same trace; the file
 * says part, ranks, batch and context itself. */
static void a_packed_trace_stands_beside_its_budget(void **state)
{
    static char reply[REPLY_MAX];
    int status = 0;
    cJSON *tree =
        post(*state, "/v1/attribute?model=gpt-oss-120b", "Content-Encoding: gzip\r\n",
             golden("vllm-gptoss120b-b200-tp8-prefill888-eager.trace.json.gz"), reply, &status);
    const cJSON *conditions = member(tree, "conditions");

    assert_int_equal(status, 200);
    assert_true(number_in(tree, "busy_us") > 11570 && number_in(tree, "busy_us") < 11580);
    assert_string_equal(text_of(tree, "phase"), "prefill");
    assert_string_equal(text_of(tree, "dominant"), "moe_experts");
    assert_string_equal(text_of(member(conditions, "hardware"), "value"), "b200-sxm");
    assert_true(number_in(member(conditions, "tp"), "value") == 8);
    assert_true(number_in(member(conditions, "context"), "value") == 888);
    assert_true(cJSON_IsNull(member(member(tree, "budget"), "no_record")));
    assert_true(number_in(member(tree, "host"), "share") > 0.85);
    cJSON_Delete(tree);
}

/* Kernels of 2 us every 3 us, some 6 MB of them: the reader takes them piece by piece. */
static struct bytes long_trace(void)
{
    size_t room = (size_t)EVENTS * 180;
    struct bytes bytes = {malloc(room), 0};
    int n = snprintf(bytes.at, room, "{\"traceEvents\": [");

    for (int i = 0; i < EVENTS; i++)
        n += snprintf(bytes.at + n, room - (size_t)n,
                      "%s\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void "
                      "vllm::rms_norm_kernel<%d>(float *)\", \"pid\": 0, \"tid\": 7, \"ts\": "
                      "%d.000, \"dur\": 2.000, \"args\": {\"stream\": 7}}",
                      i ? "," : "", i % 10, 3 * i);
    n += snprintf(bytes.at + n, room - (size_t)n, "]}");
    bytes.n = (size_t)n;
    return bytes;
}

static void a_long_trace_is_read_as_it_comes(void **state)
{
    static char reply[REPLY_MAX];
    int status = 0;
    cJSON *tree = post(*state, "/v1/attribute", "Content-Type: application/json\r\n", long_trace(),
                       reply, &status);

    assert_int_equal(status, 200);
    assert_true(number_in(tree, "busy_us") == 2.0 * EVENTS);
    assert_true(number_in(tree, "span_us") == 3.0 * EVENTS - 1);
    assert_string_equal(text_of(tree, "dominant"), "norm_elementwise");
    assert_string_equal(text_of(member(tree, "budget"), "no_record"),
                        "no model was given: ?model=");
    cJSON_Delete(tree);
}

static void cut_files_are_read_as_far_as_they_go(void **state)
{
    static char reply[REPLY_MAX];
    int status = 0;
    struct bytes packed = golden("sglang-qwen3-8b-mi300x-decode-b32.trace.json.gz");
    struct bytes plain = long_trace();

    packed.n /= 2;
    plain.n /= 2;
    cJSON *tree = post(*state, "/v1/attribute", "", packed, reply, &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(reply, "the gzip stream is cut"));
    cJSON_Delete(tree);
    tree = post(*state, "/v1/attribute", "", plain, reply, &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(reply, "the trace is cut"));
    cJSON_Delete(tree);
}

static void what_is_wrong_is_listed_at_once(void **state)
{
    static char reply[REPLY_MAX];
    int status = 0;
    struct bytes bytes = {strdup("no profile at all\n"), 18};
    cJSON *tree = post(*state, "/v1/attribute?modle=x&batch=-1&phase=both&model=nosuch-7b", "",
                       bytes, reply, &status);

    assert_int_equal(status, 422);
    assert_int_equal(cJSON_GetArraySize(member(tree, "errors")), 5);
    cJSON_Delete(tree);
    bytes = (struct bytes){strdup("x"), 1};
    cJSON_Delete(post(*state, "/v1/attribute", "Content-Encoding: br\r\n", bytes, reply, &status));
    assert_int_equal(status, 415);
    bytes = (struct bytes){strdup("x"), 1};
    cJSON_Delete(
        post(*state, "/v1/attribute", "Content-Type: image/png\r\n", bytes, reply, &status));
    assert_int_equal(status, 415);
}

static void it_reads_as_text_and_as_a_table(void **state)
{
    static char reply[REPLY_MAX];
    int status = 0;

    cJSON_Delete(post(*state, "/v1/attribute?format=text&ascii=1&phase=prefill", "",
                      golden("sglang-gptoss20b-h100-kernel-table.csv"), reply, &status));
    assert_int_equal(status, 200);
    assert_non_null(strstr(reply, "most time in moe_experts (64 %)"));
    assert_non_null(strstr(reply, "No budget: no model was given"));
    cJSON_Delete(post(*state, "/v1/attribute?format=csv", "",
                      golden("sglang-gptoss20b-h100-kernel-table.csv"), reply, &status));
    assert_non_null(strstr(reply, "\r\n\r\nclass,us,share,kernels,budget_us,budget_share,ratio\n"
                                  "dense_gemm,8630,"));
}

static struct bytes bytes_of(const char *text)
{
    struct bytes bytes = {strdup(text), strlen(text)};

    assert_non_null(bytes.at);
    return bytes;
}

/* The table names 600 ms of device time and lists 550: 92 %. The 99.6 ms a token of
 * the timings are more than any plan of that part: the reading of 16 GB takes it 4.8 ms. */
static void the_text_says_what_it_does_not_hold(void **state)
{
    static const char TORCH[] =
        "-----------------------------  ------------  ------------  ------------\n"
        "                         Name     Self CUDA    CUDA total    # of Calls\n"
        "-----------------------------  ------------  ------------  ------------\n"
        "                     aten::mm     400.000ms     400.000ms           400\n"
        "void flash_fwd_splitkv_kernel     150.000ms     150.000ms           100\n"
        "-----------------------------  ------------  ------------  ------------\n"
        "Self CPU time total: 1.000s\n"
        "Self CUDA time total: 600.000ms\n";
    static const char TIMINGS[] =
        "prompt eval time =    5021.10 ms /  1024 tokens (    4.90 ms per token,   203.94 tokens "
        "per second)\n"
        "       eval time =   25500.00 ms /   256 tokens (   99.61 ms per token,    10.04 tokens "
        "per second)\n"
        "      total time =   30521.10 ms /  1280 tokens\n";
    static char reply[REPLY_MAX];
    int status = 0;

    cJSON_Delete(post(*state, "/v1/attribute?format=text", "", bytes_of(TORCH), reply, &status));
    assert_int_equal(status, 200);
    assert_non_null(strstr(reply, "The rows hold 92 % of the device time"));
    cJSON_Delete(post(*state,
                      "/v1/attribute?model=llama-3.1-8b&hardware=h100-sxm&engine=llama.cpp&"
                      "phase=decode&format=text",
                      "", bytes_of(TIMINGS), reply, &status));
    assert_int_equal(status, 200);
    assert_non_null(strstr(reply, "- eval takes "));
    cJSON_Delete(post(*state, "/v1/attribute", "", bytes_of(""), reply, &status));
    assert_int_equal(status, 422);
}

/* Ten seconds for one step: the step is not one. */
static void classes_far_above_their_budget_are_doubted(void **state)
{
    static char reply[REPLY_MAX];
    int status = 0;

    cJSON_Delete(post(*state,
                      "/v1/attribute?model=llama-3.1-8b&hardware=h100-sxm&engine=vllm&batch=32&"
                      "context=2048&phase=decode&steps=1&format=text",
                      "",
                      bytes_of("Name,Total Time (ns)\nsm90_gemm,7000000000\n"
                               "flash_fwd_kernel,3000000000\n"),
                      reply, &status));
    assert_int_equal(status, 200);
    assert_non_null(strstr(reply, "- every class is far above its budget"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_are_as_described),
        cmocka_unit_test(a_packed_trace_stands_beside_its_budget),
        cmocka_unit_test(a_long_trace_is_read_as_it_comes),
        cmocka_unit_test(cut_files_are_read_as_far_as_they_go),
        cmocka_unit_test(what_is_wrong_is_listed_at_once),
        cmocka_unit_test(it_reads_as_text_and_as_a_table),
        cmocka_unit_test(the_text_says_what_it_does_not_hold),
        cmocka_unit_test(classes_far_above_their_budget_are_doubted),
    };
    return cmocka_run_group_tests(tests, daemon_setup, daemon_teardown);
}
