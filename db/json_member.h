/*
 * json_member.h - a member of a JSON object by its name.
 *
 * Ownership: what is returned belongs to the tree.
 */
#ifndef REGIME_JSON_MEMBER_H
#define REGIME_JSON_MEMBER_H

#include <cjson/cJSON.h>

/* NULL when the object has none of that name, is no object, or is NULL. */
static inline const cJSON *json_member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

#endif
