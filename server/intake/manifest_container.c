/*
 * manifest_container.c - a container's command as the kubelet would start it.
 *
 * References to variables are expanded as kubernetes/third_party/forked/golang/expansion does:
 * $(NAME) with a known name is its value, with an unknown one stays; $$ is a dollar.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "command_words.h"
#include "manifest_parts.h"
#include "yaml_tree.h"

/* Variables and words of one container while they are read. */
struct building {
    struct manifest *manifest;
    struct command_env env[UNIT_ENV_MAX];
    int n_env;
    const char *unset[UNIT_ENV_MAX]; /* names whose value the manifest does not hold */
    int n_unset;
    const char *words[UNIT_WORDS_MAX];
    int n_words;
    size_t text;
};

static const char *env_value(const struct building *building, const char *name, size_t length)
{
    for (int i = building->n_env - 1; i >= 0; i--)
        if (strncmp(building->env[i].name, name, length) == 0 &&
            building->env[i].name[length] == '\0')
            return building->env[i].value;
    return NULL;
}

static void env_add(struct building *building, const char *name, const char *value)
{
    if (name && value && building->n_env < UNIT_ENV_MAX)
        building->env[building->n_env++] = (struct command_env){name, value};
}

static void unset_add(struct building *building, const char *name)
{
    if (name && building->n_unset < UNIT_ENV_MAX)
        building->unset[building->n_unset++] = name;
}

/* A piece of a text: what it stands for and how long it is. */
struct piece {
    const char *value;
    size_t value_length, length;
};

/* "$(NAME)" with a known name, "$$", or one character that is itself. */
static struct piece piece_at(const struct building *building, const char *at)
{
    const struct piece itself = {at, 1, 1};

    if (at[0] != '$')
        return itself;
    if (at[1] == '$')
        return (struct piece){at, 1, 2};
    if (at[1] != '(')
        return itself;
    /* no name has a '$': each reference is looked through once */
    size_t length = strcspn(at + 2, "$)");
    const char *value = at[2 + length] == ')' ? env_value(building, at + 2, length) : NULL;
    return value ? (struct piece){value, strlen(value), length + 3} : itself;
}

/* Length of the expanded text, which is written when `to` is not NULL. */
static size_t expand_into(const struct building *building, const char *text, char *to)
{
    size_t used = 0;

    while (*text) {
        struct piece piece = piece_at(building, text);
        if (to)
            memcpy(to + used, piece.value, piece.value_length);
        used += piece.value_length;
        text += piece.length;
    }
    return used;
}

/* The text with its references replaced; the text itself when there are none or too much. */
static const char *expand(struct building *building, const char *text)
{
    if (!strchr(text, '$'))
        return text;
    size_t length = expand_into(building, text, NULL);
    building->text += length;
    if (building->text > UNIT_TEXT_MAX)
        return text;
    char *to = arena_alloc(building->manifest->intake->arena, length + 1);
    if (to)
        expand_into(building, text, to);
    return to ? to : text;
}

/* Environment -----------------------------------------------------------------------------------
 */

/* Variables of a whole ConfigMap. */
static void env_of_map(struct building *building, const cJSON *from)
{
    const struct manifest *manifest = building->manifest;
    const char *name = tree_text(manifest, from, "configMapRef/name");
    const char *prefix = tree_text(manifest, from, "prefix");
    const cJSON *map = name ? tree_object(manifest, "ConfigMap", name) : NULL;
    const cJSON *data = tree_at(map, "data");

    for (const cJSON *entry = data ? data->child : NULL; entry; entry = entry->next) {
        const char *value = yaml_text(manifest->intake->arena, entry);
        const char *key = prefix
                              ? arena_printf(manifest->intake->arena, "%s%s", prefix, entry->string)
                              : entry->string;
        env_add(building, key, value);
    }
}

/* The value that one variable takes from a ConfigMap of the stream, or NULL. */
static const char *value_of_map(const struct manifest *manifest, const cJSON *variable)
{
    const char *name = tree_text(manifest, variable, "valueFrom/configMapKeyRef/name");
    const char *key = tree_text(manifest, variable, "valueFrom/configMapKeyRef/key");
    const cJSON *map = name && key ? tree_object(manifest, "ConfigMap", name) : NULL;
    const cJSON *data = tree_at(map, "data");

    return cJSON_IsObject(data)
               ? yaml_text(manifest->intake->arena, cJSON_GetObjectItemCaseSensitive(data, key))
               : NULL;
}

static void env_of_container(struct building *building, const cJSON *container)
{
    const struct manifest *manifest = building->manifest;
    const cJSON *maps = tree_at(container, "envFrom");
    const cJSON *variables = tree_at(container, "env");

    for (const cJSON *from = maps ? maps->child : NULL; from; from = from->next)
        env_of_map(building, from);
    for (const cJSON *one = variables ? variables->child : NULL; one; one = one->next) {
        const char *name = tree_text(manifest, one, "name");
        const char *value = yaml_text(manifest->intake->arena, tree_at(one, "value"));
        if (tree_at(one, "valueFrom")) {
            value = value_of_map(manifest, one);
            if (!value)
                unset_add(building, name);
        } else if (!value) {
            value = "";
        }
        env_add(building, name, value ? expand(building, value) : NULL);
    }
}

/* Words -----------------------------------------------------------------------------------------
 */

/* A list of words, or one word where a list is expected. */
static void words_of(struct building *building, const cJSON *list)
{
    const cJSON *first = cJSON_IsArray(list) ? list->child : list;

    for (const cJSON *item = first; item; item = cJSON_IsArray(list) ? item->next : NULL) {
        const char *word = yaml_text(building->manifest->intake->arena, item);
        if (word && building->n_words < UNIT_WORDS_MAX)
            building->words[building->n_words++] = expand(building, word);
    }
}

/* Whether the word names the variable: "$(NAME)", "$NAME" or "${NAME". */
static bool word_uses(const char *word, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strchr(word, '$'); at; at = strchr(at + 1, '$')) {
        const char *from = at + 1 + (at[1] == '(' || at[1] == '{');
        if (strncmp(from, name, length) == 0 && strcspn(from + length, ")}: /'\"\n") == 0)
            return true;
    }
    return false;
}

static const char *used_without_value(const struct building *building)
{
    for (int i = 0; i < building->n_unset; i++)
        for (int j = 0; j < building->n_words; j++)
            if (word_uses(building->words[j], building->unset[i]))
                return building->unset[i];
    return NULL;
}

/* A script that a ConfigMap of the stream holds under the name of the file that is run. */
static const char *script_of_map(const struct manifest *manifest, const char *path)
{
    const char *slash = strrchr(path, '/');
    const cJSON *documents = manifest->documents;

    if (!slash || !slash[1] || strlen(slash) < 4 || !cJSON_IsArray(documents))
        return NULL;
    for (const cJSON *document = documents->child; document; document = document->next) {
        const char *kind = tree_text(manifest, document, "kind");
        const cJSON *data = tree_at(document, "data");
        if (!kind || strcmp(kind, "ConfigMap") != 0 || !cJSON_IsObject(data))
            continue;
        const cJSON *script = cJSON_GetObjectItemCaseSensitive(data, slash + 1);
        if (cJSON_IsString(script))
            return script->valuestring;
    }
    return NULL;
}

/* A file of the stream is read as "sh -c". */
static void inline_script(struct building *building)
{
    static const char *const SHELL[] = {"sh", "-c"};

    for (int i = 0; i < building->n_words && i < 2; i++) {
        const char *script = script_of_map(building->manifest, building->words[i]);
        if (!script || building->n_words + 2 > UNIT_WORDS_MAX)
            continue;
        memmove(building->words + 2, building->words + i,
                (size_t)(building->n_words - i) * sizeof(building->words[0]));
        building->n_words += 2 - i;
        memcpy(building->words, SHELL, sizeof(SHELL));
        building->words[2] = script;
        return;
    }
}

static void *copy_array(struct arena *arena, const void *items, int n, size_t size)
{
    void *copy = arena_alloc(arena, (size_t)n * size + 1);

    if (copy)
        memcpy(copy, items, (size_t)n * size);
    return copy;
}

void unit_command(struct manifest *manifest, const struct pod *pod, const struct cJSON *container,
                  const struct cJSON *more, struct unit *unit)
{
    struct arena *arena = manifest->intake->arena;
    struct building *building = arena_alloc(arena, sizeof(*building));

    if (!building)
        return;
    building->manifest = manifest;
    for (int i = 0; i < pod->n_env; i++)
        env_add(building, pod->env[i].name, pod->env[i].value);
    env_of_container(building, container);
    env_of_container(building, more);
    words_of(building,
             tree_at(more, "command") ? tree_at(more, "command") : tree_at(container, "command"));
    words_of(building, tree_at(container, "args"));
    words_of(building, tree_at(more, "args"));
    unit->without_value = used_without_value(building);
    inline_script(building);
    const char *image = tree_text(manifest, more, "image");
    unit->line = (struct command_line){
        .argc = building->n_words,
        .argv = copy_array(arena, building->words, building->n_words, sizeof(building->words[0])),
        .n_env = building->n_env,
        .env = copy_array(arena, building->env, building->n_env, sizeof(building->env[0])),
        .image = image ? image : tree_text(manifest, container, "image"),
        .origin = manifest->origin,
    };
    if (!unit->line.argv || !unit->line.env)
        unit->line.argc = unit->line.n_env = 0;
}

/* Units -----------------------------------------------------------------------------------------
 */

struct unit *unit_add(struct manifest *manifest, const struct pod *pod, const char *container)
{
    if (manifest->n_units == UNITS_MAX) {
        manifest->too_many = true;
        return NULL;
    }
    struct unit *unit = &manifest->units[manifest->n_units++];
    *unit = (struct unit){
        .kind = pod->kind,
        .workload = pod->workload ? pod->workload : "",
        .container = container ? container : "",
        .devices = NAN,
        .replicas = pod->replicas,
        .pods = pod->pods,
        .model = pod->model,
        .model_from = pod->model_from,
        .model_name = pod->model_name,
        .tp = pod->tp > 0 ? pod->tp : (double)NAN,
        .pp = pod->pp > 0 ? pod->pp : (double)NAN,
    };
    return unit;
}

void units_of_pod(struct manifest *manifest, const struct pod *pod)
{
    const cJSON *containers = tree_at(pod->spec, "containers");

    if (!cJSON_IsArray(containers))
        return;
    for (const cJSON *one = containers->child; one; one = one->next) {
        struct unit *unit = unit_add(manifest, pod, tree_text(manifest, one, "name"));
        if (!unit)
            return;
        unit_command(manifest, pod, one, NULL, unit);
        unit_huggingface(manifest, unit);
        unit_devices(manifest, pod->spec, one, unit);
    }
}
