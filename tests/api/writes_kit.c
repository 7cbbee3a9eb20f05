#include "writes_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <curl/curl.h>

void world_db(const struct daemon *daemon, char ret_path[100])
{
    snprintf(ret_path, 100, "%s/regime.db", daemon->folder);
}

void token_add(const struct daemon *daemon, const char *name, const char *scope,
               char ret_header[TOKEN_HEADER_MAX])
{
    char db[100], output[200] = "";
    world_db(daemon, db);
    const char *arguments[] = {"token", "add", name, "--scope", scope, "--db", db, NULL};
    assert_int_equal(run_program(arguments, output, sizeof(output)), 0);
    output[strcspn(output, "\n")] = '\0';
    snprintf(ret_header, TOKEN_HEADER_MAX, "Authorization: Bearer %.70s", output);
}

void world_start(struct world *world)
{
    daemon_start(&world->daemon, (const char *[]){"--write-rate", "0", NULL});
    world_token(world);
}

void world_token(struct world *world)
{
    token_add(&world->daemon, "tester", "contribute", world->token);
}

int world_setup(void **state)
{
    static struct world world;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    world_start(&world);
    *state = &world;
    return 0;
}

int world_teardown(void **state)
{
    struct world *world = *state;
    return daemon_stop(&world->daemon);
}

cJSON *world_post(const struct world *world, const char *path, const char *header, const char *body,
                  long status, struct http_reply *ret_reply)
{
    const char *const headers[] = {world->token, JSON_TYPE, header, NULL};
    http_request(&world->daemon, "POST", path, headers, body, ret_reply);
    if (ret_reply->status != status) {
        fail_msg("%s %s: %ld %s", path, body, ret_reply->status, ret_reply->body);
    }
    return cJSON_Parse(ret_reply->body);
}

long world_post_status(const struct world *world, const char *path, const char *header,
                       const char *body)
{
    struct http_reply reply;
    const char *const headers[] = {world->token, JSON_TYPE, header, NULL};
    http_request(&world->daemon, "POST", path, headers, body, &reply);
    long status = reply.status;
    if (status >= 400) {
        assert_problem(&reply, status);
    }
    reply_done(&reply);
    return status;
}

void world_anchor(int concurrency, double tpot_ms, char ret_body[ANCHOR_BODY_MAX])
{
    snprintf(ret_body, ANCHOR_BODY_MAX,
             "{\"model\":\"meta-llama/Llama-3.1-8B-Instruct\",\"hardware\":\"NVIDIA L4\","
             "\"engine\":\"vllm\",\"engine_version\":\"0.11.0\",\"weights\":\"bf16\","
             "\"workload\":{\"input_tokens\":5000,\"output_tokens\":128,\"concurrency\":%d},"
             "\"metrics\":{\"tpot_ms\":%g,\"ttft_ms_p99\":9000.5},\"source\":{\"title\":\"a run\","
             "\"kind\":\"measurement\",\"date\":\"2026-11-30\"},\"why\":\"asked for\"}",
             concurrency, tpot_ms);
}
