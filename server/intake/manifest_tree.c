/*
 * manifest_tree.c - paths into the tree of a manifest.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "manifest_parts.h"
#include "yaml_tree.h"

#define STEP_MAX 64

const struct cJSON *tree_at(const struct cJSON *node, const char *path)
{
    while (node && *path) {
        char step[STEP_MAX];
        size_t length = strcspn(path, "/");
        if (length >= sizeof(step) || !cJSON_IsObject(node))
            return NULL;
        memcpy(step, path, length);
        step[length] = '\0';
        node = cJSON_GetObjectItemCaseSensitive(node, step);
        path += length + (path[length] == '/');
    }
    return node;
}

const char *tree_text(const struct manifest *manifest, const struct cJSON *node, const char *path)
{
    const char *text = yaml_text(manifest->intake->arena, tree_at(node, path));

    return text && text[0] ? text : NULL;
}

double tree_number(const struct manifest *manifest, const struct cJSON *node, const char *path)
{
    const char *text = tree_text(manifest, node, path);
    char *end = NULL;
    double number = text ? strtod(text, &end) : (double)NAN;

    return text && end != text && !*end && isfinite(number) ? number : (double)NAN;
}

double tree_copies(const struct manifest *manifest, const struct cJSON *node, const char *path)
{
    double number = tree_number(manifest, node, path);

    if (!tree_text(manifest, node, path))
        return NAN;
    return number >= 0 && number == floor(number) ? number : -1;
}

/* Looks below lists as well. */
static const struct cJSON *object_below(const struct manifest *manifest, const cJSON *object,
                                        const char *kind, const char *name, int depth)
{
    const char *its_kind = tree_text(manifest, object, "kind");
    const char *its_name = tree_text(manifest, object, "metadata/name");

    if (its_kind && its_name && strcmp(its_kind, kind) == 0 && strcmp(its_name, name) == 0)
        return object;
    const cJSON *items = depth > 0 ? tree_at(object, "items") : NULL;
    for (const cJSON *item = items ? items->child : NULL; item; item = item->next) {
        const cJSON *found = object_below(manifest, item, kind, name, depth - 1);
        if (found)
            return found;
    }
    return NULL;
}

const struct cJSON *tree_object(const struct manifest *manifest, const char *kind, const char *name)
{
    const cJSON *documents = manifest->documents;

    if (cJSON_IsObject(documents))
        return object_below(manifest, documents, kind, name, 1);
    for (const cJSON *document = documents->child; document; document = document->next) {
        const cJSON *found = object_below(manifest, document, kind, name, 1);
        if (found)
            return found;
    }
    return NULL;
}
