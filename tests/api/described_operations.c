#include "described_operations.h"

#include <stdio.h>
#include <string.h>

#include <curl/curl.h>

int world_open(void **state)
{
    static struct world world;
    struct http_reply reply;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    daemon_start(&world.daemon, NULL);
    http_get(&world.daemon, "/openapi.json", &reply);
    world.document = cJSON_Parse(reply.body);
    reply_done(&reply);
    *state = &world;
    return world.document ? 0 : -1;
}

int world_close(void **state)
{
    struct world *world = *state;
    cJSON_Delete(world->document);
    return daemon_stop(&world->daemon);
}

/* Whether an operation is refused without a token: no empty object among its alternatives. */
static bool takes_token(const cJSON *it)
{
    const cJSON *security = member(it, "security");
    const cJSON *way = NULL;
    cJSON_ArrayForEach(way, security)
    {
        if (!way->child) {
            return false;
        }
    }
    return security != NULL;
}

void visit_all(struct world *world, visit_fn *visit)
{
    const cJSON *path = NULL, *it = NULL;
    cJSON_ArrayForEach(path, member(world->document, "paths"))
    {
        cJSON_ArrayForEach(it, path)
        {
            if (!strstr(path->string, "/gguf") && !strstr(path->string, "/attribute") &&
                !takes_token(it)) {
                visit(&(struct operation){world, path, it});
            }
        }
    }
}

void fill_path(const struct operation *operation, const char *id, char ret_target[TARGET_MAX])
{
    const char *path = operation->path->string;
    const char *hole = strchr(path, '{');
    const cJSON *parameter = NULL;
    cJSON_ArrayForEach(parameter, member(operation->it, "parameters"))
    {
        if (!id && strcmp(text_of(parameter, "in"), "path") == 0) {
            id = text_of(parameter, "example");
            id = id[0] ? id : "dense_gemm";
        }
    }
    if (hole) {
        char *escaped = curl_easy_escape(NULL, id, 0);
        snprintf(ret_target, TARGET_MAX, "%.*s%.1000s", (int)(hole - path), path, escaped);
        curl_free(escaped);
    } else {
        snprintf(ret_target, TARGET_MAX, "%s", path);
    }
}

bool wants_model(const struct operation *operation)
{
    const cJSON *parameter = NULL;
    cJSON_ArrayForEach(parameter, member(operation->it, "parameters"))
    {
        if (strcmp(text_of(parameter, "name"), "model") == 0) {
            return cJSON_IsTrue(member(parameter, "required"));
        }
    }
    return false;
}

char *example_body(const struct operation *operation)
{
    const cJSON *content = member(member(operation->it, "requestBody"), "content");
    return cJSON_PrintUnformatted(member(member(content, "application/json"), "example"));
}
