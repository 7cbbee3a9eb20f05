/*
 * check_kit.h - verdicts asked as a pipeline asks them; include after cmocka.h.
 */
#ifndef REGIME_CHECK_KIT_H
#define REGIME_CHECK_KIT_H

#include <stdio.h>

#include "app_kit.h"
#include "negotiate.h"

/* POST of a JSON body, NUL-terminated reply; `accept` may be NULL. */
static inline const char *check_kit_post(const struct app_kit *kit, const char *target,
                                         const char *accept, const char *body,
                                         struct reply *ret_reply)
{
    struct request request = {.method = METHOD_POST,
                              .content_type = MEDIA_JSON,
                              .accept = accept,
                              .body = body,
                              .body_length = strlen(body)};
    app_kit_send(kit, target, &request, ret_reply);
    return arena_copy(kit->arena, ret_reply->body ? ret_reply->body : "", ret_reply->body_length);
}

/* The same where the status is known: fails the test otherwise. */
static inline const char *check_kit_reply(const struct app_kit *kit, const char *target,
                                          const char *body, int status)
{
    struct reply reply;
    const char *text = check_kit_post(kit, target, NULL, body, &reply);
    if (reply.status != status)
        fail_msg("%s: %d instead of %d: %.400s", target, reply.status, status, text);
    return text;
}

static inline cJSON *check_kit_json(const struct app_kit *kit, const char *target, const char *body,
                                    int status)
{
    const char *text = check_kit_reply(kit, target, body, status);
    cJSON *tree = cJSON_Parse(text);
    if (!tree)
        fail_msg("%s is no JSON: %.400s", target, text);
    return tree;
}

/* The member of a list whose "id" it is; NULL. */
static inline const cJSON *check_kit_find(const cJSON *list, const char *id)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list)
    {
        if (strcmp(app_kit_text(item, "id"), id) == 0)
            return item;
    }
    return NULL;
}

#endif
