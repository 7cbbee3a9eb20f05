/*
 * intake_kit.h - the bundled catalogue and readings of requests for unit tests; include after
 * cmocka.h.
 */
#ifndef REGIME_INTAKE_KIT_H
#define REGIME_INTAKE_KIT_H

#include <cjson/cJSON.h>
#include <string.h>

#include "arena.h"
#include "json_out.h"
#include "plan_request.h"
#include "request_json.h"
#include "store.h"

#define KIT_ARENA_MAX ((size_t)64 << 20)

/* One test program's world: kept in cmocka's state. */
struct kit {
    struct store *store;
    const struct catalogue *catalogue;
    struct arena *arena;
    cJSON *body;
};

/* One reading. */
struct reading {
    struct plan_request request;
    struct faults faults;
    bool complete;
};

static inline int kit_setup(void **state)
{
    static struct kit kit;
    char error[STORE_ERROR_MAX] = "";

    kit = (struct kit){0};
    if (!store_open(NULL, &kit.store, error)) {
        print_error("%s\n", error);
        return -1;
    }
    kit.catalogue = store_catalogue(kit.store);
    kit.arena = arena_new(KIT_ARENA_MAX);
    *state = &kit;
    return kit.arena ? 0 : -1;
}

static inline int kit_teardown(void **state)
{
    struct kit *kit = *state;

    cJSON_Delete(kit->body);
    arena_free(kit->arena);
    store_release(kit->store, kit->catalogue);
    store_close(kit->store);
    return 0;
}

/* Reads and resolves a body; the reading lives until the next one. */
static inline void kit_read_json(struct kit *kit, const char *json, struct reading *ret_reading)
{
    const struct intake intake = {kit->catalogue, kit->arena, &ret_reading->faults, ""};

    arena_reset(kit->arena);
    cJSON_Delete(kit->body);
    memset(ret_reading, 0, sizeof(*ret_reading));
    faults_init(&ret_reading->faults, kit->arena);
    kit->body = cJSON_Parse(json);
    if (!kit->body)
        fail_msg("the test's own body is not JSON: %s", json);
    plan_request_read_json(&intake, kit->body, &ret_reading->request);
    ret_reading->complete = plan_request_resolve(&intake, &ret_reading->request);
}

/* The same for a query without escapes, "model=x&tp=2". */
static inline void kit_read_query(struct kit *kit, const char *query, struct reading *ret_reading)
{
    static const char *const OTHERS[] = {"view", "format"};
    const struct intake intake = {kit->catalogue, kit->arena, &ret_reading->faults, "?"};
    struct argument arguments[ARGUMENTS_MAX];
    int n = 0;

    arena_reset(kit->arena);
    memset(ret_reading, 0, sizeof(*ret_reading));
    faults_init(&ret_reading->faults, kit->arena);
    while (*query) {
        size_t length = strcspn(query, "&");
        char *name = arena_copy(kit->arena, query, length);
        char *equals = strchr(name, '=');
        if (equals)
            *equals = '\0';
        arguments[n++] = (struct argument){name, equals ? equals + 1 : ""};
        query += length + (query[length] == '&');
    }
    plan_request_read_query(&intake, arguments, n, OTHERS, 2, &ret_reading->request);
    ret_reading->complete = plan_request_resolve(&intake, &ret_reading->request);
}

/* The resolved request as the reply shows it; from the arena. */
static inline const char *kit_request_text(struct kit *kit, const struct reading *reading)
{
    struct json_out out;

    json_out_init(&out, kit->arena, 4096, 1 << 20);
    request_json_write(&out, &reading->request);
    out_bytes(&out, "", 1);
    return out.text;
}

/* Pointers of the faults, in order, separated by a blank; from the arena. */
static inline const char *kit_fault_pointers(struct kit *kit, const struct reading *reading)
{
    struct json_out out;

    json_out_init(&out, kit->arena, 4096, 1 << 20);
    for (int i = 0; i < reading->faults.n; i++) {
        out_text(&out, i ? " " : "");
        out_text(&out, reading->faults.items[i].pointer[0] ? reading->faults.items[i].pointer
                                                           : "(whole)");
    }
    out_bytes(&out, "", 1);
    return out.text;
}

#endif
