#include "upload_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "anchor.h"
#include "field.h"

#define DRY_RUN "dry_run"
#define FORMAT "format"
#define NAMES_MAX 160

const struct upload_argument UPLOAD_ARGUMENTS[] = {
    {"model", "an id or any name; llama-bench's is read from the name of the file", false},
    {"hardware", "an id, any name, or what a tool prints", false},
    {"engine", "vllm, sglang, ...; the client that measured does not know it", false},
    {"engine_version", NULL, false},
    {"backend", "compute back end of a local engine", false},
    {"weights", "the format that they are stored in, unless the model's name ends in it", false},
    {"kv_cache", NULL, false},
    {"kind", "of the measurement; serving, or speed for llama-bench", false},
    {"id", "of the record, where the file holds one run", false},
    {"title", NULL, false},
    {"measured_on", "a date, where the file has none", false},
    {"notes", NULL, false},
    {"why", "kept with the revision", false},
    {"source.title", "the tool and who posted it when it is not said", false},
    {"source.kind", "measurement when it is not said", false},
    {"source.url", "http or https", false},
    {"source.date", NULL, false},
    {"source.license", NULL, false},
    {0},
};

struct upload_argument upload_condition(int index)
{
    struct upload_argument argument = {0};

    if (index < CONDITION_COUNT) {
        argument.name = condition_info((enum anchor_condition)index)->name;
        argument.number = true;
    } else if (index < CONDITION_COUNT + ANCHOR_TEXT_COUNT) {
        argument.name = anchor_text_name((enum anchor_text)(index - CONDITION_COUNT));
    }
    return argument;
}

/* What a name is; *ret_condition whether it is a condition. */
static bool find_argument(const char *name, struct upload_argument *ret_argument,
                          bool *ret_condition)
{
    for (int i = 0; UPLOAD_ARGUMENTS[i].name; i++) {
        if (strcmp(UPLOAD_ARGUMENTS[i].name, name) == 0) {
            *ret_argument = UPLOAD_ARGUMENTS[i];
            *ret_condition = false;
            return true;
        }
    }
    *ret_condition = true;
    for (int i = 0; upload_condition(i).name; i++) {
        if (strcmp(upload_condition(i).name, name) == 0) {
            *ret_argument = upload_condition(i);
            return true;
        }
    }
    return false;
}

static const char *nearest(const char *name)
{
    const char *names[NAMES_MAX] = {DRY_RUN};
    int n = 1;

    for (int i = 0; UPLOAD_ARGUMENTS[i].name; i++)
        names[n++] = UPLOAD_ARGUMENTS[i].name;
    for (int i = 0; upload_condition(i).name && n < NAMES_MAX; i++)
        names[n++] = upload_condition(i).name;
    return fault_nearest(name, names, n);
}

/* The object that a member goes into, and its name there. */
static cJSON *holder(cJSON *given, const char *name, bool condition, const char **ret_name)
{
    const char *dot = strchr(name, '.');
    const char *object = condition ? UPLOAD_CONDITIONS : dot ? UPLOAD_SOURCE : NULL;
    cJSON *to = object ? cJSON_GetObjectItemCaseSensitive(given, object) : given;

    *ret_name = dot ? dot + 1 : name;
    return to ? to : cJSON_AddObjectToObject(given, object);
}

static void read_one(const struct argument *argument, const char *pointer, cJSON *given,
                     struct faults *faults)
{
    struct upload_argument what;
    bool condition = false;
    const char *name = NULL;
    char *end = NULL;

    if (!find_argument(argument->name, &what, &condition)) {
        fault_add(faults, pointer, nearest(argument->name), "unknown argument");
        return;
    }
    cJSON *to = holder(given, what.name, condition, &name);
    if (cJSON_HasObjectItem(to, name)) {
        fault_add(faults, pointer, NULL, "given twice");
        return;
    }
    if (!what.number) {
        if (argument->value[0])
            cJSON_AddStringToObject(to, name, argument->value);
        return;
    }
    double number = strtod(argument->value, &end);
    if (end == argument->value || *end || !isfinite(number))
        fault_add(faults, pointer, NULL, "expected a number, got \"%s\"",
                  field_quote(faults->arena, argument->value));
    else
        cJSON_AddNumberToObject(to, name, number);
}

cJSON *upload_query_read(const struct request *request, struct faults *faults)
{
    cJSON *given = cJSON_CreateObject();

    for (int i = 0; i < request->n_arguments; i++) {
        const struct argument *argument = &request->arguments[i];
        const char *pointer =
            arena_printf(request->arena, "?%s", field_quote(request->arena, argument->name));
        if (strcmp(argument->name, DRY_RUN) != 0 && strcmp(argument->name, FORMAT) != 0)
            read_one(argument, pointer ? pointer : "?", given, faults);
    }
    return given;
}

const char *upload_argument_of(struct arena *arena, const char *pointer)
{
    static const char SOURCE[] = "/" UPLOAD_SOURCE "/";
    static const char CONDITION[] = "/" UPLOAD_CONDITIONS "/";
    const char *name = NULL;
    struct upload_argument what;
    bool condition = false;

    if (strncmp(pointer, SOURCE, sizeof(SOURCE) - 1) == 0)
        name = arena_printf(arena, UPLOAD_SOURCE ".%s", pointer + sizeof(SOURCE) - 1);
    else if (strncmp(pointer, CONDITION, sizeof(CONDITION) - 1) == 0)
        name = pointer + sizeof(CONDITION) - 1;
    else if (*pointer == '/')
        name = pointer + 1;
    return name && find_argument(name, &what, &condition) ? name : NULL;
}
