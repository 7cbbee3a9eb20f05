#include "field.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field_records.h"
#include "utf8.h"

/* What a message quotes of an input. */
#define QUOTE_MAX 60
#define POINTER_MAX 160
/* Doubles hold every whole number below 2^53. */
#define WHOLE_MAX 9007199254740992.0

static const char OUT_OF_MEMORY[] = "out of memory";

static const char *or_no_memory(const char *text)
{
    return text ? text : OUT_OF_MEMORY;
}

/* Values --------------------------------------------------------------------------------------- */

const char *field_value_text(const struct field_value *value)
{
    if (value->text)
        return value->text;
    return value->json && cJSON_IsString(value->json) ? value->json->valuestring : NULL;
}

const char *field_quote(struct arena *arena, const char *text)
{
    size_t length = strlen(text), kept = 0;

    if (length <= QUOTE_MAX)
        return text;
    while (kept < QUOTE_MAX) {
        size_t step = utf8_character(text + kept, length - kept);
        kept += step ? step : 1;
    }
    return or_no_memory(arena_printf(arena, "%.*s...", (int)kept, text));
}

/* A value as a message names it. */
static const char *value_describe(struct arena *arena, const struct field_value *value)
{
    const char *text = field_value_text(value);

    if (text)
        return or_no_memory(arena_printf(arena, "\"%s\"", field_quote(arena, text)));
    if (!value->json || cJSON_IsNull(value->json))
        return "nothing";
    if (cJSON_IsNumber(value->json))
        return or_no_memory(arena_printf(arena, "%.12g", value->json->valuedouble));
    if (cJSON_IsBool(value->json))
        return cJSON_IsTrue(value->json) ? "true" : "false";
    return cJSON_IsArray(value->json) ? "a list" : "an object";
}

static bool value_is_absent(const struct field_value *value)
{
    return value->json ? cJSON_IsNull(value->json) : !value->text || !value->text[0];
}

/* A decimal number and nothing else: no hexadecimal, no "inf", no trailing text. */
static bool parse_decimal(const char *text, double *ret_number)
{
    char *end = NULL;

    if (!text[0] || strspn(text, "0123456789+-.eE") != strlen(text))
        return false;
    double number = strtod(text, &end);
    if (end == text || *end)
        return false;
    *ret_number = number;
    return true;
}

static bool value_number(const struct field_value *value, double *ret_number)
{
    if (!value->json)
        return parse_decimal(value->text, ret_number);
    if (!cJSON_IsNumber(value->json))
        return false;
    *ret_number = value->json->valuedouble;
    return true;
}

/* Messages ------------------------------------------------------------------------------------- */

static const char *number_range(struct arena *arena, const struct field *field, const char *what)
{
    const char *unit = field->unit ? field->unit : "";
    const char *space = field->unit ? " " : "";

    return or_no_memory(
        arena_printf(arena, "%s from %.9g to %.9g%s%s", what, field->min, field->max, space, unit));
}

static const char *name_list(struct arena *arena, const struct field *field, const char *what)
{
    char list[256];
    size_t length = 0;

    list[0] = '\0';
    for (const struct field_name *name = field->names; name->name; name++) {
        int more =
            snprintf(list + length, sizeof(list) - length, "%s%s", length ? ", " : "", name->name);
        if (more < 0 || (size_t)more >= sizeof(list) - length)
            break;
        length += (size_t)more;
    }
    return or_no_memory(arena_printf(arena, "%s %s", what, list));
}

const char *field_expectation(struct arena *arena, const struct field *field, bool element)
{
    switch (field->kind) {
    case FIELD_NUMBER:
        return number_range(arena, field, "a number");
    case FIELD_WHOLE:
        return number_range(arena, field, "a whole number");
    case FIELD_BOOL:
        return "true or false";
    case FIELD_NAME:
        return name_list(arena, field, "one of");
    case FIELD_NAMES:
        return name_list(arena, field, element ? "one of" : "a list of names out of");
    case FIELD_TEXT:
        return "a text";
    case FIELD_TREE:
        return "a text, an object or a list of objects";
    case FIELD_MODEL:
        return "a model's id or alias, or {\"hf_config\": {...}}";
    case FIELD_HARDWARE:
        return "a part's id or alias, or an object with its figures";
    case FIELD_ENGINE:
        return "an engine's name";
    case FIELD_WEIGHTS:
        return "the name of a weight format";
    case FIELD_KV_CACHE:
        return "the name of a KV cache format";
    case FIELD_UNUSED:
    case FIELD_KIND_COUNT:
        break;
    }
    return "anything";
}

const char *field_fault_pointer(const struct field_reader *reader, const struct field *field,
                                const struct field_value *value)
{
    if (value && value->argument)
        return or_no_memory(arena_printf(reader->arena, "?%s", value->argument));
    if (reader->base[0] == '?')
        return or_no_memory(arena_printf(reader->arena, "?%s", field->query));
    if (value && value->element)
        return or_no_memory(arena_printf(reader->arena, "%s%s/%d", reader->base, field->pointer,
                                         value->element - 1));
    if (!reader->base[0])
        return field->pointer;
    return or_no_memory(arena_printf(reader->arena, "%s%s", reader->base, field->pointer));
}

void field_refuse(struct field_reader *reader, const struct field *field,
                  const struct field_value *value, const char *suggestion)
{
    if (faults_full(reader->faults)) {
        reader->faults->dropped++;
        return;
    }
    fault_add(reader->faults, field_fault_pointer(reader, field, value), suggestion,
              "expected %s, got %s", field_expectation(reader->arena, field, value->element > 0),
              value_describe(reader->arena, value));
}

bool field_is_refused(const struct field_reader *reader, int row)
{
    const struct field *field = &reader->table->rows[row];
    const char *pointer = field_fault_pointer(reader, field, NULL);

    for (int i = 0; i < reader->faults->n; i++) {
        const char *at = reader->faults->items[i].pointer;
        size_t length = strlen(at), own = strlen(pointer);
        size_t common = length < own ? length : own;
        if (at[0] == '?' && strcmp(at + 1, field->query) == 0)
            return true;
        if (strncmp(at, pointer, common) == 0 &&
            (length == own || (length < own ? pointer : at)[common] == '/'))
            return true;
    }
    return false;
}

/* Setters, one per kind ------------------------------------------------------------------------ */

typedef bool setter_fn(struct field_reader *reader, const struct field *field,
                       const struct field_value *value, void *place);

static bool set_number(struct field_reader *reader, const struct field *field,
                       const struct field_value *value, void *place)
{
    double number;
    bool suits = value_number(value, &number) && isfinite(number) && number >= field->min &&
                 number <= field->max;

    if (suits && field->kind == FIELD_WHOLE)
        suits = fabs(number) < WHOLE_MAX && number == floor(number);
    if (!suits) {
        field_refuse(reader, field, value, NULL);
        return false;
    }
    *(double *)place = field->scale != 0 ? number * field->scale : number;
    return true;
}

static bool set_bool(struct field_reader *reader, const struct field *field,
                     const struct field_value *value, void *place)
{
    static const char *const WORDS[] = {"false", "0", "no", "off", "true", "1", "yes", "on"};

    if (value->json && cJSON_IsBool(value->json)) {
        *(bool *)place = cJSON_IsTrue(value->json);
        return true;
    }
    for (size_t i = 0; value->text && i < ARRAY_LEN(WORDS); i++) {
        if (strcmp(value->text, WORDS[i]) == 0) {
            *(bool *)place = i >= ARRAY_LEN(WORDS) / 2;
            return true;
        }
    }
    field_refuse(reader, field, value, NULL);
    return false;
}

static bool is_name(const char *name, const char *text, size_t length)
{
    for (size_t at = 0; at < length; at++) {
        int c = text[at] == '-' ? '_' : text[at];
        if (c >= 'A' && c <= 'Z')
            c += 'a' - 'A';
        if (!name[at] || c != name[at])
            return false;
    }
    return !name[length];
}

/* A name of the row's table in any case, '-' and '_' equal; -1 when there is none. */
static int find_name(const struct field_name *names, const char *text, size_t length)
{
    for (int i = 0; names[i].name; i++) {
        if (is_name(names[i].name, text, length))
            return i;
    }
    return -1;
}

static const char *nearest_name(const struct field *field, const char *text)
{
    const char *candidates[32];
    int n = 0;

    for (const struct field_name *name = field->names; name->name && n < (int)ARRAY_LEN(candidates);
         name++)
        candidates[n++] = name->name;
    return fault_nearest(text, candidates, n);
}

static bool set_name(struct field_reader *reader, const struct field *field,
                     const struct field_value *value, void *place)
{
    const char *text = field_value_text(value);
    int found = text ? find_name(field->names, text, strlen(text)) : -1;

    if (found < 0) {
        field_refuse(reader, field, value, text ? nearest_name(field, text) : NULL);
        return false;
    }
    /* every enum of a FIELD_NAME is as wide as an int: asserted beside the table */
    memcpy(place, &field->names[found].value, sizeof(int));
    return true;
}

/* Adds the bit of one name of a list; a fault and false for an unknown one. */
static bool read_listed_name(struct field_reader *reader, const struct field *field,
                             const struct field_value *element, unsigned *bits)
{
    const char *text = field_value_text(element);
    int found = text ? find_name(field->names, text, strlen(text)) : -1;

    if (found < 0) {
        bool searched = text && !faults_full(reader->faults);
        field_refuse(reader, field, element, searched ? nearest_name(field, text) : NULL);
        return false;
    }
    *bits |= (unsigned)field->names[found].value;
    return true;
}

/* Bits of a comma list, "none" for an empty one; a fault for every unknown name. */
static bool read_name_list(struct field_reader *reader, const struct field *field,
                           const struct field_value *value, const char *text, unsigned *bits)
{
    bool good = true;

    while (*text && strcmp(text, "none") != 0) {
        size_t length = strcspn(text, ",");
        struct field_value element = *value;
        element.json = NULL;
        element.text = or_no_memory(arena_copy(reader->arena, text, length));
        good = read_listed_name(reader, field, &element, bits) && good;
        text += length;
        text += *text == ',';
    }
    return good;
}

static bool set_names(struct field_reader *reader, const struct field *field,
                      const struct field_value *value, void *place)
{
    unsigned bits = 0;
    int n = 0;
    bool good = true;
    const cJSON *item;

    const char *list = field_value_text(value);

    if (list) {
        good = read_name_list(reader, field, value, list, &bits);
    } else if (cJSON_IsArray(value->json)) {
        cJSON_ArrayForEach(item, value->json)
        {
            const struct field_value element = {.json = item, .element = ++n};
            good = read_listed_name(reader, field, &element, &bits) && good;
        }
    } else {
        field_refuse(reader, field, value, NULL);
        good = false;
    }
    if (good)
        *(unsigned *)place = bits;
    return good;
}

static bool set_text(struct field_reader *reader, const struct field *field,
                     const struct field_value *value, void *place)
{
    const char *text = field_value_text(value);

    if (!text) {
        field_refuse(reader, field, value, NULL);
        return false;
    }
    *(const char **)place = text;
    return true;
}

static bool set_nothing(struct field_reader *reader, const struct field *field,
                        const struct field_value *value, void *place)
{
    (void)reader;
    (void)field;
    (void)value;
    (void)place;
    return true;
}

static setter_fn *const SETTERS[FIELD_KIND_COUNT] = {
    [FIELD_NUMBER] = set_number,
    [FIELD_WHOLE] = set_number,
    [FIELD_BOOL] = set_bool,
    [FIELD_NAME] = set_name,
    [FIELD_NAMES] = set_names,
    [FIELD_TEXT] = set_text,
    [FIELD_TREE] = field_set_tree,
    [FIELD_MODEL] = field_set_model,
    [FIELD_HARDWARE] = field_set_hardware,
    [FIELD_ENGINE] = field_set_engine,
    [FIELD_WEIGHTS] = field_set_weights,
    [FIELD_KV_CACHE] = field_set_kv_cache,
    [FIELD_UNUSED] = set_nothing,
};

const char *field_name_of(const struct field_name *names, int value)
{
    for (; names->name; names++) {
        if (names->value == value)
            return names->name;
    }
    return NULL;
}

bool field_set(struct field_reader *reader, int row, const struct field_value *value)
{
    const struct field *field = &reader->table->rows[row];

    if (value_is_absent(value)) {
        reader->given[row] = false;
        return true;
    }
    if (!SETTERS[field->kind](reader, field, value, (char *)reader->target + field->offset))
        return false;
    reader->given[row] = true;
    return true;
}

/* Look-ups ------------------------------------------------------------------------------------- */

int field_by_pointer(const struct field_table *table, const char *pointer)
{
    for (int i = 0; i < table->n; i++) {
        if (strcmp(table->rows[i].pointer, pointer) == 0)
            return i;
    }
    return -1;
}

static int find_row(const struct field_table *table, int section, const char *name)
{
    const struct field_section *part = &table->sections[section];

    for (int i = part->first; i < part->first + part->n; i++) {
        if (strcmp(table->rows[i].name, name) == 0)
            return i;
    }
    return -1;
}

static int find_section(const struct field_table *table, int parent, const char *name)
{
    for (int i = 0; i < table->n_sections; i++) {
        if (table->sections[i].parent == parent && strcmp(table->sections[i].name, name) == 0)
            return i;
    }
    return -1;
}

/* Unknown names -------------------------------------------------------------------------------- */

/* The pointer of a leaf or object of that name anywhere in the table: a field in the wrong object.
 */
static const char *elsewhere(const struct field_table *table, const char *name)
{
    for (int i = 0; i < table->n; i++) {
        if (strcmp(table->rows[i].name, name) == 0)
            return table->rows[i].pointer;
    }
    for (int i = 1; i < table->n_sections; i++) {
        if (strcmp(table->sections[i].name, name) == 0)
            return table->sections[i].pointer;
    }
    return NULL;
}

/* Names of a section's fields and inner objects; returns their number. */
static int section_names(const struct field_table *table, int section, const char **ret_names)
{
    const struct field_section *part = &table->sections[section];
    int n = 0;

    for (int i = part->first; i < part->first + part->n; i++)
        ret_names[n++] = table->rows[i].name;
    for (int i = 0; i < table->n_sections; i++) {
        if (table->sections[i].parent == section)
            ret_names[n++] = table->sections[i].name;
    }
    return n;
}

/* The name nearest by spelling, else one that begins with what was written ("mem_bw"). */
static const char *nearest_in_section(const struct field_table *table, int section,
                                      const char *name)
{
    const char *names[FIELDS_MAX + FIELD_SECTIONS_MAX] = {NULL};
    int n = section_names(table, section, names);
    const char *nearest = fault_nearest(name, names, n);
    size_t length = strlen(name);

    for (int i = 0; i < n && !nearest && length >= 3; i++) {
        if (strncmp(names[i], name, length) == 0)
            nearest = names[i];
    }
    return nearest;
}

/* base + section + "/" + name, with "~" and "/" of the name escaped (RFC 6901). */
static const char *member_pointer(const struct field_reader *reader, int section, const char *name)
{
    char escaped[POINTER_MAX];
    size_t n = 0;

    for (const char *c = field_quote(reader->arena, name); *c && n + 3 < sizeof(escaped); c++) {
        if (*c != '~' && *c != '/') {
            escaped[n++] = *c;
            continue;
        }
        escaped[n++] = '~';
        escaped[n++] = *c == '~' ? '0' : '1';
    }
    escaped[n] = '\0';
    return or_no_memory(arena_printf(reader->arena, "%s%s/%s", reader->base,
                                     reader->table->sections[section].pointer, escaped));
}

static void refuse_unknown(struct field_reader *reader, int section, const char *name)
{
    const struct field_table *table = reader->table;
    if (faults_full(reader->faults)) {
        reader->faults->dropped++;
        return;
    }
    const char *suggestion = nearest_in_section(table, section, name);
    const char *object = table->sections[section].pointer;

    if (!suggestion)
        suggestion = elsewhere(table, name);
    fault_add(reader->faults, member_pointer(reader, section, name), suggestion,
              "unknown field \"%s\"%s%s", field_quote(reader->arena, name), object[0] ? " in " : "",
              object);
}

/* JSON ----------------------------------------------------------------------------------------- */

struct seen {
    bool rows[FIELDS_MAX], sections[FIELD_SECTIONS_MAX];
};

static void read_section(struct field_reader *reader, int section, const cJSON *object,
                         struct seen *seen);

/* An inner object; its own depth is bounded by the table's. */
static void read_inner(struct field_reader *reader, int section, const cJSON *value,
                       struct seen *seen)
{
    const struct field_section *part = &reader->table->sections[section];

    if (cJSON_IsNull(value))
        return;
    if (!cJSON_IsObject(value)) {
        const struct field_value got = {.json = value};
        fault_add(reader->faults,
                  or_no_memory(arena_printf(reader->arena, "%s%s", reader->base, part->pointer)),
                  NULL, "expected an object, got %s", value_describe(reader->arena, &got));
        return;
    }
    if (part->present)
        *((bool *)reader->target + part->present) = true;
    read_section(reader, section, value, seen);
}

static bool first_time(struct field_reader *reader, bool *seen, int section, const char *name)
{
    if (!*seen) {
        *seen = true;
        return true;
    }
    fault_add(reader->faults, member_pointer(reader, section, name), NULL, "given twice");
    return false;
}

static void read_section(struct field_reader *reader, int section, const cJSON *object,
                         struct seen *seen)
{
    const cJSON *member;

    cJSON_ArrayForEach(member, object)
    {
        const char *name = member->string ? member->string : "";
        int row = find_row(reader->table, section, name);
        if (row >= 0) {
            const struct field_value value = {.json = member};
            if (first_time(reader, &seen->rows[row], section, name))
                field_set(reader, row, &value);
            continue;
        }
        int inner = find_section(reader->table, section, name);
        if (inner < 0)
            refuse_unknown(reader, section, name);
        else if (first_time(reader, &seen->sections[inner], section, name))
            read_inner(reader, inner, member, seen);
    }
}

void field_read_json(struct field_reader *reader, const cJSON *object)
{
    struct seen seen = {0};

    if (!object || !cJSON_IsObject(object)) {
        const struct field_value got = {.json = object};
        fault_add(reader->faults, reader->base, NULL, "expected an object, got %s",
                  value_describe(reader->arena, &got));
        return;
    }
    read_section(reader, 0, object, &seen);
}

/* Query ---------------------------------------------------------------------------------------- */

/* "deployment.tp" names "/deployment/tp". */
static bool is_dotted(const char *name, const char *pointer)
{
    for (pointer++; *name && *pointer; name++, pointer++) {
        if (*name != *pointer && !(*name == '.' && *pointer == '/'))
            return false;
    }
    return !*name && !*pointer;
}

static int find_argument(const struct field_table *table, const char *name)
{
    for (int i = 0; i < table->n; i++) {
        if (strcmp(table->rows[i].query, name) == 0)
            return i;
    }
    for (int i = 0; i < table->n; i++) {
        if (strcmp(table->rows[i].pointer, name) == 0 || is_dotted(name, table->rows[i].pointer))
            return i;
    }
    return -1;
}

static void refuse_argument(struct field_reader *reader, const char *name,
                            const char *const *others, int n_others)
{
    const char *candidates[FIELDS_MAX + 16];
    if (faults_full(reader->faults)) {
        reader->faults->dropped++;
        return;
    }
    const char *quoted = field_quote(reader->arena, name);
    int n = 0;

    for (int i = 0; i < reader->table->n; i++)
        candidates[n++] = reader->table->rows[i].query;
    for (int i = 0; i < n_others && n < (int)ARRAY_LEN(candidates); i++)
        candidates[n++] = others[i];
    fault_add(reader->faults, or_no_memory(arena_printf(reader->arena, "?%s", quoted)),
              fault_nearest(name, candidates, n), "unknown argument \"%s\"", quoted);
}

static bool is_one_of(const char *name, const char *const *names, int n)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Objects around a leaf that a query names are there. */
static void mark_present(struct field_reader *reader, int row)
{
    size_t present = reader->table->sections[reader->table->rows[row].section].present;

    if (present)
        *((bool *)reader->target + present) = true;
}

static void read_argument(struct field_reader *reader, int row, const struct argument *argument,
                          bool *seen)
{
    const struct field_value value = {.text = argument->value ? argument->value : "",
                                      .argument = argument->name};

    if (*seen) {
        fault_add(reader->faults, or_no_memory(arena_printf(reader->arena, "?%s", argument->name)),
                  NULL, "given twice");
        return;
    }
    *seen = true;
    if (field_set(reader, row, &value) && reader->given[row])
        mark_present(reader, row);
}

void field_read_query(struct field_reader *reader, const struct argument *arguments, int n,
                      const char *const *others, int n_others)
{
    struct seen seen = {0};

    for (int i = 0; i < n; i++) {
        int row = find_argument(reader->table, arguments[i].name);
        if (row >= 0)
            read_argument(reader, row, &arguments[i], &seen.rows[row]);
        else if (!is_one_of(arguments[i].name, others, n_others))
            refuse_argument(reader, arguments[i].name, others, n_others);
    }
}
