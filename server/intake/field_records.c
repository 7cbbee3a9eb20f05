#include "field_records.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "device_names.h"
#include "inline_model.h"
#include "inline_part.h"

/* Says that a name has no record, or several. */
static void refuse_name(struct field_reader *reader, const struct field *field,
                        const struct field_value *value, const char *what,
                        const struct name_match *match)
{
    const char *pointer = field_fault_pointer(reader, field, value);
    const char *name = field_quote(reader->arena, field_value_text(value));
    char ids[300];
    size_t length = 0;

    if (!match->ambiguous[0]) {
        fault_add(reader->faults, pointer, match->nearest[0], "no %s is called \"%s\"", what, name);
        return;
    }
    ids[0] = '\0';
    for (int i = 0; i < CATALOGUE_MATCHES_MAX && match->ambiguous[i]; i++) {
        int more = snprintf(ids + length, sizeof(ids) - length, "%s%s", i ? " or " : "",
                            match->ambiguous[i]);
        if (more < 0 || (size_t)more >= sizeof(ids) - length)
            break;
        length += (size_t)more;
    }
    fault_add(reader->faults, pointer, match->ambiguous[0], "\"%s\" means %s: say which", name,
              ids);
}

static bool set_inline_model(struct field_reader *reader, const struct field *field,
                             const struct field_value *value, const struct model **place)
{
    const struct model *model =
        inline_model_read(reader->catalogue, reader->arena, reader->faults,
                          field_fault_pointer(reader, field, value), value->json);
    if (!model)
        return false;
    *place = model;
    reader->inline_model = value->json;
    return true;
}

bool field_set_model(struct field_reader *reader, const struct field *field,
                     const struct field_value *value, void *place)
{
    const char *name = field_value_text(value);
    struct name_match match;

    reader->stripped_format = NULL;
    reader->max_positions = 0;
    reader->inline_model = NULL;
    if (!name && cJSON_IsObject(value->json))
        return set_inline_model(reader, field, value, place);
    if (!name) {
        field_refuse(reader, field, value, NULL);
        return false;
    }
    catalogue_find_model(reader->catalogue, name, &match);
    if (match.index < 0) {
        refuse_name(reader, field, value, "model", &match);
        return false;
    }
    *(const struct model **)place = &reader->catalogue->lib.models[match.index];
    reader->stripped_format = match.stripped_format;
    reader->max_positions = match.max_positions;
    return true;
}

/* A slice, two parts in one list, or a name that is none. */
static void refuse_part(struct field_reader *reader, const struct field *field,
                        const struct field_value *value, const struct device_asked *asked)
{
    const char *pointer = field_fault_pointer(reader, field, value);

    if (asked->slice)
        fault_add(reader->faults, pointer, NULL,
                  "\"%s\" is a slice of a part (MIG %s), which has no record: give an object with "
                  "the slice's memory and bandwidth",
                  field_quote(reader->arena, asked->name), asked->slice);
    else if (asked->other)
        fault_add(reader->faults, pointer, NULL,
                  "two parts are listed, \"%s\" and \"%s\": one deployment runs on one kind",
                  field_quote(reader->arena, asked->name),
                  field_quote(reader->arena, asked->other));
    else
        refuse_name(reader, field, value, "part", &asked->match);
}

bool field_set_hardware(struct field_reader *reader, const struct field *field,
                        const struct field_value *value, void *place)
{
    const char *name = field_value_text(value);
    const struct hardware *part;
    struct device_asked asked;

    if (!name && cJSON_IsObject(value->json)) {
        part = inline_part_read(reader->catalogue, reader->arena, reader->faults,
                                field_fault_pointer(reader, field, value), value->json);
        if (part)
            *(const struct hardware **)place = part;
        reader->named_devices = 0;
        return part != NULL;
    }
    if (!name) {
        field_refuse(reader, field, value, NULL);
        return false;
    }
    device_read(reader->catalogue, reader->arena, name, &asked);
    if (asked.match.index < 0 || asked.other) {
        refuse_part(reader, field, value, &asked);
        return false;
    }
    if (asked.n_devices > NAMED_DEVICES_MAX) {
        fault_add(reader->faults, field_fault_pointer(reader, field, value), NULL,
                  "%d devices are named, more than the %d of one deployment", asked.n_devices,
                  NAMED_DEVICES_MAX);
        return false;
    }
    *(const struct hardware **)place = &reader->catalogue->lib.hardware[asked.match.index];
    reader->named_devices = asked.n_devices;
    return true;
}

/* Names without a record of their own to disambiguate: engines and formats. */
typedef int find_fn(const struct catalogue *catalogue, const char *name);
typedef const char *const *names_fn(const struct catalogue *catalogue, int *ret_n);

/* Index of the record that the value names, -1 after a fault. */
static int find_named(struct field_reader *reader, const struct field *field,
                      const struct field_value *value, const char *what, find_fn *find,
                      names_fn *names)
{
    const char *name = field_value_text(value);
    int n = 0;

    if (!name) {
        field_refuse(reader, field, value, NULL);
        return -1;
    }
    int found = find(reader->catalogue, name);
    if (found >= 0)
        return found;
    const char *const *candidates = names(reader->catalogue, &n);
    fault_add(reader->faults, field_fault_pointer(reader, field, value),
              fault_nearest(name, candidates, n), "no %s is called \"%s\"", what,
              field_quote(reader->arena, name));
    return -1;
}

bool field_set_engine(struct field_reader *reader, const struct field *field,
                      const struct field_value *value, void *place)
{
    int found =
        find_named(reader, field, value, "engine", catalogue_find_engine, catalogue_engine_names);

    if (found >= 0)
        *(const struct engine **)place = &reader->catalogue->lib.engines[found];
    return found >= 0;
}

bool field_set_weights(struct field_reader *reader, const struct field *field,
                       const struct field_value *value, void *place)
{
    int found = find_named(reader, field, value, "weight format", catalogue_find_weight_format,
                           catalogue_weight_format_names);

    if (found < 0)
        return false;
    *(const struct weight_format **)place = &reader->catalogue->lib.weight_formats[found];
    reader->weights_are_fp4 = strcasecmp(field_value_text(value), "fp4") == 0;
    return true;
}

bool field_set_kv_cache(struct field_reader *reader, const struct field *field,
                        const struct field_value *value, void *place)
{
    int found = find_named(reader, field, value, "KV cache format", catalogue_find_kv_format,
                           catalogue_kv_format_names);

    if (found >= 0)
        *(const struct kv_format **)place = &reader->catalogue->lib.kv_formats[found];
    return found >= 0;
}

/* A text of a query becomes a node as well. */
bool field_set_tree(struct field_reader *reader, const struct field *field,
                    const struct field_value *value, void *place)
{
    const char *text = field_value_text(value);
    cJSON *node = NULL;

    if (value->json && (cJSON_IsString(value->json) || cJSON_IsObject(value->json) ||
                        cJSON_IsArray(value->json))) {
        *(const cJSON **)place = value->json;
        return true;
    }
    if (text)
        node = arena_alloc(reader->arena, sizeof(*node));
    if (!node) {
        field_refuse(reader, field, value, NULL);
        return false;
    }
    *node =
        (cJSON){.type = cJSON_String, .valuestring = arena_copy(reader->arena, text, strlen(text))};
    *(const cJSON **)place = node;
    return node->valuestring != NULL;
}
