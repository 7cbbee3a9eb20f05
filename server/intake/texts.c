#include "texts.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "command_line.h"
#include "log_text.h"
#include "manifest.h"

const char *texts_pointer(const struct intake *intake, enum field_id id)
{
    const struct field *field = &PLAN_FIELDS.rows[id];
    const char *pointer = strcmp(intake->base, "?") == 0
                              ? arena_printf(intake->arena, "?%s", field->query)
                              : arena_printf(intake->arena, "%s%s", intake->base, field->pointer);

    return pointer ? pointer : field->pointer;
}

const char *texts_way_to_give(const struct intake *intake, enum field_id id)
{
    const struct field *field = &PLAN_FIELDS.rows[id];
    const char *way = strcmp(intake->base, "?") == 0
                          ? arena_printf(intake->arena, "?%s= in the query", field->name)
                          : arena_printf(intake->arena, "\"%s\" beside it", field->name);

    return way ? way : field->name;
}

static bool take(struct plan_request *request, enum field_id id)
{
    bool given = request->given[id];

    request->given[id] = false;
    return given;
}

static bool read_command(const struct intake *intake, const char *text, const char *origin,
                         const bool *own, struct plan_request *request)
{
    const char *const argv[] = {"sh", "-c", text};
    const struct command_line line = {
        .argc = ARRAY_LEN(argv), .argv = argv, .origin = origin, .kept = own};

    return command_apply(intake, &line, request, &request->described);
}

static bool read_manifest(const struct intake *intake, const cJSON *manifest,
                          const struct manifest_source *source, struct plan_request *request)
{
    if (cJSON_IsString(manifest))
        return manifest_read(intake, manifest->valuestring, strlen(manifest->valuestring), source,
                             request);
    return manifest_apply(intake, manifest, source, request);
}

bool texts_are_given(const struct plan_request *request)
{
    return request->given[FIELD_ID_COMMAND] || request->given[FIELD_ID_MANIFEST] ||
           request->given[FIELD_ID_LOG];
}

void texts_read(const struct intake *intake, const bool *own, struct plan_request *request)
{
    bool command = take(request, FIELD_ID_COMMAND), manifest = take(request, FIELD_ID_MANIFEST);
    bool container = take(request, FIELD_ID_CONTAINER), log = take(request, FIELD_ID_LOG);
    const struct manifest_source source = {
        .origin = texts_pointer(intake, FIELD_ID_MANIFEST),
        .container = container ? request->container : NULL,
        .asked = texts_pointer(intake, FIELD_ID_CONTAINER),
        .kept = own,
    };
    bool good = true;

    request->is_described = true;
    if (!request->described.arena)
        described_init(&request->described, intake->arena);
    if (manifest && command) {
        fault_add(intake->faults, texts_pointer(intake, FIELD_ID_COMMAND), NULL,
                  "the manifest has its own command: give one of the two");
        good = false;
    } else if (manifest) {
        good = read_manifest(intake, request->manifest, &source, request);
        request->part_refused = !good;
    } else if (command) {
        good = read_command(intake, request->command, texts_pointer(intake, FIELD_ID_COMMAND), own,
                            request);
    }
    if (log && good)
        good = log_read(intake, request->log, texts_pointer(intake, FIELD_ID_LOG), own, request);
    request->command = request->log = request->container = NULL;
    request->manifest = NULL;
    request->text_refused = !good;
}

/* What the body says comes behind the query's own leaves. */
static struct manifest_source source_of_body(struct plan_request *request)
{
    bool asked = take(request, FIELD_ID_CONTAINER);

    return (struct manifest_source){
        .origin = "", .container = asked ? request->container : NULL, .asked = "?container"};
}

void texts_read_body(const struct intake *intake, const char *text, size_t length,
                     struct plan_request *request)
{
    bool good;

    request->is_described = true;
    if (!request->described.arena)
        described_init(&request->described, intake->arena);
    if (manifest_looks_like(text)) {
        const struct manifest_source source = source_of_body(request);
        good = manifest_read(intake, text, length, &source, request);
        request->part_refused = !good;
    } else if (log_looks_like(text)) {
        good = log_read(intake, text, "", NULL, request);
    } else {
        good = read_command(intake, text, "", NULL, request);
    }
    request->text_refused = !good;
}

void texts_read_manifest(const struct intake *intake, const struct cJSON *documents,
                         struct plan_request *request)
{
    const struct manifest_source source = source_of_body(request);

    request->is_described = true;
    request->text_refused = !manifest_apply(intake, documents, &source, request);
    request->part_refused = request->text_refused;
}
