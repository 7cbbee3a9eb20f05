/*
 * json_look.h - looking into replies. NULL objects have no members.
 */
#ifndef REGIME_JSON_LOOK_H
#define REGIME_JSON_LOOK_H

#include <cjson/cJSON.h>

/* A member by name; NULL when it is not there. */
static inline const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* The text of a member; "" when it is none. */
static inline const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(member(object, name));
    return text ? text : "";
}

#endif
