/*
 * manifest_compose.c - services of a compose file.
 *
 * Shapes: the Compose Specification (github.com/compose-spec/compose-spec): a command is a list or
 * a text in shell words, variables are ${NAME}, ${NAME:-default}; devices stand in
 * deploy.resources.reservations.devices or gpus.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "command_words.h"
#include "manifest_parts.h"
#include "yaml_tree.h"

struct service {
    struct manifest *manifest;
    struct command_env env[UNIT_ENV_MAX];
    int n_env;
    const char *words[UNIT_WORDS_MAX];
    int n_words;
    const char *without_value;
    size_t text;
};

/* Variables -------------------------------------------------------------------------------------
 */

/* A piece of a text: its length there, and what it stands for; value NULL = itself, since nobody
 * says. */
struct compose_reference {
    size_t length;
    const char *value;
    size_t value_length;
};

static size_t name_length(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
}

/* What stands at `at`: a reference, "$$" for a dollar, or one character that is itself. */
static struct compose_reference reference_at(const char *at)
{
    static const struct compose_reference ITSELF = {.length = 1};
    bool braced = at[0] == '$' && at[1] == '{';
    size_t name = at[0] == '$' ? name_length(at + 1 + braced) : 0;
    const char *behind = at + 1 + braced + name;

    if (at[0] == '$' && at[1] == '$')
        return (struct compose_reference){.length = 2, .value = at, .value_length = 1};
    if (name == 0)
        return ITSELF;
    if (!braced)
        return (struct compose_reference){.length = name + 1};
    const char *end = strchr(behind, '}');
    if (!end)
        return ITSELF;
    struct compose_reference found = {.length = (size_t)(end - at) + 1};
    if (behind[0] == '-' || (behind[0] == ':' && behind[1] == '-')) {
        found.value = behind + (behind[0] == ':' ? 2 : 1);
        found.value_length = (size_t)(end - found.value);
    }
    return found;
}

/* The text with defaults of its variables in their places; "$$" is a dollar. */
static const char *interpolate(struct service *service, const char *text)
{
    size_t size = strlen(text) + 1, used = 0;

    if (!strchr(text, '$') || (service->text += size) > UNIT_TEXT_MAX)
        return text;
    char *to = arena_alloc(service->manifest->intake->arena, size);
    if (!to)
        return text;
    while (*text) {
        struct compose_reference found = reference_at(text);
        const char *from = found.value ? found.value : text;
        size_t length = found.value ? found.value_length : found.length;
        memcpy(to + used, from, length);
        used += length;
        if (!found.value && length > 1)
            service->without_value = arena_copy(service->manifest->intake->arena, text, length);
        text += found.length;
    }
    to[used] = '\0';
    return to;
}

/* Parts of a service ----------------------------------------------------------------------------
 */

static void env_push(struct service *service, const char *name, const char *value)
{
    if (name && value && service->n_env < UNIT_ENV_MAX)
        service->env[service->n_env++] = (struct command_env){name, interpolate(service, value)};
}

/* A mapping, or a list of NAME=value. */
static void read_environment(struct service *service, const cJSON *environment)
{
    struct arena *arena = service->manifest->intake->arena;
    bool list = cJSON_IsArray(environment);

    if (!list && !cJSON_IsObject(environment))
        return;
    for (const cJSON *one = environment->child; one; one = one->next) {
        const char *text = yaml_text(arena, one);
        const char *equals = text && list ? strchr(text, '=') : NULL;
        if (!list)
            env_push(service, one->string, text);
        else if (equals)
            env_push(service, arena_copy(arena, text, (size_t)(equals - text)), equals + 1);
    }
}

static void word_push(struct service *service, const char *word)
{
    if (word && service->n_words < UNIT_WORDS_MAX)
        service->words[service->n_words++] = word;
}

/* A list of words, or a text that is cut into them. */
static void read_words(struct service *service, const cJSON *words)
{
    const struct manifest *manifest = service->manifest;
    struct shell shell;

    if (cJSON_IsArray(words)) {
        for (const cJSON *one = words->child; one; one = one->next) {
            const char *word = yaml_text(manifest->intake->arena, one);
            word_push(service, word ? interpolate(service, word) : NULL);
        }
        return;
    }
    const char *text = yaml_text(manifest->intake->arena, words);
    if (!text || !text[0] ||
        !shell_read(manifest->intake, interpolate(service, text), manifest->origin, service->env,
                    service->n_env, &shell))
        return;
    for (int i = 0; i < shell.n_commands; i++)
        for (int j = 0; j < shell.commands[i].n_words; j++)
            word_push(service, shell.commands[i].words[j]);
}

static bool lists_gpu(const struct manifest *manifest, const cJSON *device)
{
    const cJSON *capabilities = tree_at(device, "capabilities");
    const char *driver = tree_text(manifest, device, "driver");

    for (const cJSON *one = capabilities ? capabilities->child : NULL; one; one = one->next)
        if (cJSON_IsString(one) && strcmp(one->valuestring, "gpu") == 0)
            return true;
    return driver && (strcmp(driver, "nvidia") == 0 || strcmp(driver, "amd") == 0);
}

/* Devices of one reservation: their count or the number of their ids; "all" says nothing. */
static double reserved(const struct manifest *manifest, const cJSON *device)
{
    const cJSON *ids = tree_at(device, "device_ids");

    if (cJSON_IsArray(ids))
        return cJSON_GetArraySize(ids);
    return tree_number(manifest, device, "count");
}

static void read_devices(const struct manifest *manifest, const cJSON *object, struct unit *unit)
{
    const cJSON *devices = tree_at(object, "deploy/resources/reservations/devices");
    const cJSON *gpus = tree_at(object, "gpus");

    for (const cJSON *one = devices ? devices->child : NULL; one; one = one->next) {
        double count = reserved(manifest, one);
        if (!lists_gpu(manifest, one))
            continue;
        unit->resource = "deploy.resources.reservations.devices";
        if (count >= 1)
            unit->devices = isnan(unit->devices) ? count : unit->devices + count;
    }
    const cJSON *first = cJSON_IsArray(gpus) ? gpus->child : NULL;
    double count = first ? reserved(manifest, first) : tree_number(manifest, object, "gpus");
    if (unit->resource || !gpus)
        return;
    unit->resource = "gpus";
    if (count >= 1)
        unit->devices = count;
}

/* Services ---------------------------------------------------------------------------------------
 */

static void finish_service(struct service *service, const char *image, struct unit *unit)
{
    struct arena *arena = service->manifest->intake->arena;
    size_t words = (size_t)service->n_words * sizeof(service->words[0]);
    size_t env = (size_t)service->n_env * sizeof(service->env[0]);
    const char **argv = arena_alloc(arena, words + 1);
    struct command_env *variables = arena_alloc(arena, env + 1);

    if (!argv || !variables)
        return;
    memcpy(argv, service->words, words);
    memcpy(variables, service->env, env);
    unit->without_value = service->without_value;
    unit->line = (struct command_line){
        .argc = service->n_words,
        .argv = argv,
        .n_env = service->n_env,
        .env = variables,
        .image = image ? interpolate(service, image) : NULL,
        .origin = service->manifest->origin,
    };
}

static void read_service(struct manifest *manifest, const cJSON *object)
{
    struct service *service = arena_alloc(manifest->intake->arena, sizeof(*service));
    double replicas = tree_copies(manifest, object, "deploy/replicas");
    const struct pod pod = {
        .kind = "service",
        .workload = object->string,
        .replicas = isnan(replicas) ? tree_copies(manifest, object, "scale") : replicas,
        .pods = 1,
    };
    const char *name = tree_text(manifest, object, "container_name");
    struct unit *unit = service ? unit_add(manifest, &pod, name ? name : object->string) : NULL;

    if (!unit)
        return;
    service->manifest = manifest;
    read_environment(service, tree_at(object, "environment"));
    read_words(service, tree_at(object, "entrypoint"));
    read_words(service, tree_at(object, "command"));
    finish_service(service, tree_text(manifest, object, "image"), unit);
    read_devices(manifest, object, unit);
}

void read_compose(struct manifest *manifest, const struct cJSON *object)
{
    const cJSON *services = tree_at(object, "services");

    for (const cJSON *one = services->child; one; one = one->next)
        if (cJSON_IsObject(one))
            read_service(manifest, one);
}
