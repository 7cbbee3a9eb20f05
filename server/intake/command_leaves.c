/*
 * command_leaves.c - what a flag's value becomes: leaves, kept numbers and texts, remarks.
 */
#include "command_parts.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_check.h"

#define KIB_BYTES 1024.0
#define MIB_BYTES 1048576.0
#define GIB_BYTES 1073741824.0
#define DETAIL_MAX 400
#define JSON_NESTING 16
#define JSON_VALUES 4096

/* Faults and notes ----------------------------------------------------------------------------- */

/* What is not known stands between two marks: shown as a shell writes it, "$NAME". */
static void show_unknown(char *text)
{
    bool opens = true;
    char *to = text;

    for (const char *from = text; *from; from++) {
        if (*from != WORD_UNKNOWN)
            *to++ = *from;
        else if (opens)
            *to++ = '$';
        opens = opens != (*from == WORD_UNKNOWN);
    }
    *to = '\0';
}

void reading_fault(struct reading *reading, const char *flag, const char *suggestion,
                   const char *format, ...)
{
    char detail[DETAIL_MAX] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);
    show_unknown(detail);
    fault_add(reading->intake->faults, reading->origin, suggestion, "%s: %s", flag, detail);
}

void reading_note(struct reading *reading, const char *id, const char *format, ...)
{
    char detail[DETAIL_MAX] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);
    show_unknown(detail);
    described_note(reading->described, id, reading->origin, "%s", detail);
}

/* Leaves --------------------------------------------------------------------------------------- */

/* Bytes of a leaf's place in the request. */
static size_t leaf_size(const struct field *field)
{
    switch (field->kind) {
    case FIELD_NUMBER:
    case FIELD_WHOLE:
        return sizeof(double);
    case FIELD_BOOL:
        return sizeof(bool);
    case FIELD_NAME:
    case FIELD_NAMES:
        return sizeof(int);
    case FIELD_TEXT:
    case FIELD_TREE:
    case FIELD_MODEL:
    case FIELD_HARDWARE:
    case FIELD_ENGINE:
    case FIELD_WEIGHTS:
    case FIELD_KV_CACHE:
        return sizeof(void *);
    case FIELD_UNUSED:
    case FIELD_KIND_COUNT:
        break;
    }
    return 0;
}

static bool leaf_differs(const struct plan_request *a, const struct plan_request *b, int row)
{
    const struct field *field = &PLAN_FIELDS.rows[row];
    const char *left = (const char *)a + field->offset, *right = (const char *)b + field->offset;

    if (field->kind == FIELD_TEXT) {
        const char *texts[2];
        memcpy(&texts[0], left, sizeof(texts[0]));
        memcpy(&texts[1], right, sizeof(texts[1]));
        return strcmp(texts[0], texts[1]) != 0;
    }
    return memcmp(left, right, leaf_size(field)) != 0;
}

/* The faults of one leaf become faults of the flag. */
static void pass_faults(struct reading *reading, const char *flag)
{
    for (int i = 0; i < reading->leaf_faults->n; i++) {
        const struct fault *fault = &reading->leaf_faults->items[i];
        reading_fault(reading, flag, fault->suggestion, "%s", fault->detail);
    }
}

static bool leaf_set(struct reading *reading, const char *flag, const char *pointer,
                     const cJSON *value)
{
    int row = field_by_pointer(&PLAN_FIELDS, pointer);
    bool beside = row >= 0 && reading->before[row];
    struct plan_request *target = reading->request;
    const struct intake intake = {reading->intake->catalogue, reading->intake->arena,
                                  reading->leaf_faults, ""};

    if (beside) {
        *reading->scratch = *reading->request;
        target = reading->scratch;
    }
    reading->leaf_faults->n = 0;
    if (!field_set_by_pointer(&intake, target, pointer, value)) {
        pass_faults(reading, flag);
        return false;
    }
    if (beside && leaf_differs(target, reading->request, row))
        reading_note(reading, "command_contradicted",
                     "%s says otherwise than %s, which was given beside the command and is kept",
                     flag, pointer);
    return true;
}

bool leaf_text(struct reading *reading, const char *flag, const char *pointer, const char *text)
{
    char *copy = arena_copy(reading->intake->arena, text, strlen(text));
    cJSON value = {.type = cJSON_String, .valuestring = copy};

    return copy && leaf_set(reading, flag, pointer, &value);
}

bool leaf_number(struct reading *reading, const char *flag, const char *pointer, double number)
{
    cJSON value = {.type = cJSON_Number, .valuedouble = number};

    return leaf_set(reading, flag, pointer, &value);
}

bool leaf_bool(struct reading *reading, const char *flag, const char *pointer, bool on)
{
    cJSON value = {.type = on ? cJSON_True : cJSON_False};

    return leaf_set(reading, flag, pointer, &value);
}

bool leaf_is_given(const struct reading *reading, const char *pointer)
{
    return plan_request_gives(reading->request, pointer);
}

/* Values --------------------------------------------------------------------------------------- */

bool command_number(const char *text, double *ret_number)
{
    char *end = NULL;

    if (!text[0] || strspn(text, "0123456789+-.eE") != strlen(text))
        return false;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number))
        return false;
    *ret_number = number;
    return true;
}

bool command_human(const char *text, double *ret_number)
{
    static const char SMALL[] = "kmgt", LARGE[] = "KMGT";
    size_t length = strspn(text, "0123456789.");
    const char *tail = text + length;
    char digits[32];

    if (!*tail || *tail == 'e' || *tail == 'E' || *tail == '-' || *tail == '+')
        return command_number(text, ret_number);
    if (!length || length >= sizeof(digits))
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    const char *small = strchr(SMALL, *tail), *large = strchr(LARGE, *tail);
    bool binary = large && (!tail[1] || strcmp(tail + 1, "i") == 0 || strcmp(tail + 1, "iB") == 0);
    bool decimal = (small && (!tail[1] || strcmp(tail + 1, "b") == 0)) ||
                   (large && strcmp(tail + 1, "B") == 0);
    if ((!binary && !decimal) || !command_number(digits, ret_number))
        return false;
    long power = 1 + (large ? large - LARGE : small - SMALL);
    for (long i = 0; i < power; i++)
        *ret_number *= binary ? KIB_BYTES : 1000.0;
    return true;
}

bool command_truth(const char *text, bool *ret_on)
{
    static const char *const WORDS[] = {"false", "0", "no",  "off", "disabled",
                                        "true",  "1", "yes", "on",  "enabled"};
    char word[10];
    size_t length = strlen(text);

    if (length >= sizeof(word))
        return false;
    for (size_t i = 0; i <= length; i++)
        word[i] = (char)tolower((unsigned char)text[i]);
    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
        if (strcmp(WORDS[i], word) == 0) {
            *ret_on = i >= ARRAY_LEN(WORDS) / 2;
            return true;
        }
    }
    return false;
}

static void refuse_value(struct reading *reading, const char *expected, const char *value)
{
    reading_fault(reading, reading->spelled, NULL, "expected %s, got \"%s\"", expected,
                  field_quote(reading->intake->arena, value));
}

static bool value_number(struct reading *reading, const char *value, double *ret_number)
{
    if (command_number(value, ret_number))
        return true;
    refuse_value(reading, "a number", value);
    return false;
}

static bool value_human(struct reading *reading, const char *value, double *ret_number)
{
    if (command_human(value, ret_number))
        return true;
    refuse_value(reading, "a number, as 8192 or 8k", value);
    return false;
}

static bool value_truth(struct reading *reading, const char *value, bool *ret_on)
{
    if (command_truth(value, ret_on))
        return true;
    refuse_value(reading, "true or false", value);
    return false;
}

struct cJSON *command_json(struct reading *reading, const char *value)
{
    struct json_fault fault;
    size_t length = strlen(value);

    if (!json_check(value, length, JSON_NESTING, JSON_VALUES, &fault)) {
        reading_fault(reading, reading->spelled, NULL, "not JSON: %s at byte %zu", fault.what,
                      fault.offset);
        return NULL;
    }
    return cJSON_ParseWithLength(value, length + 1);
}

/* Readers -------------------------------------------------------------------------------------- */

static bool is_numeric(const char *pointer)
{
    int row = field_by_pointer(&PLAN_FIELDS, pointer);

    return row >= 0 && (PLAN_FIELDS.rows[row].kind == FIELD_NUMBER ||
                        PLAN_FIELDS.rows[row].kind == FIELD_WHOLE);
}

void read_leaf(struct reading *reading, const struct flag *flag, const char *value)
{
    double number;
    bool set = true;

    if (!is_numeric(flag->pointer))
        set = leaf_text(reading, reading->spelled, flag->pointer, value);
    else if (value_number(reading, value, &number))
        set = leaf_number(reading, reading->spelled, flag->pointer, number);
    (void)set; /* its fault is noted */
}

static void read_scaled(struct reading *reading, const struct flag *flag, const char *value,
                        double scale)
{
    double number;

    if (value_number(reading, value, &number))
        leaf_number(reading, reading->spelled, flag->pointer, number * scale);
}

void read_human(struct reading *reading, const struct flag *flag, const char *value)
{
    double number;

    if (value_human(reading, value, &number))
        leaf_number(reading, reading->spelled, flag->pointer, number);
}

void read_gib(struct reading *reading, const struct flag *flag, const char *value)
{
    read_scaled(reading, flag, value, GIB_BYTES);
}

void read_mib(struct reading *reading, const struct flag *flag, const char *value)
{
    read_scaled(reading, flag, value, MIB_BYTES);
}

void read_on(struct reading *reading, const struct flag *flag, const char *value)
{
    bool on;

    if (value_truth(reading, value, &on))
        leaf_bool(reading, reading->spelled, flag->pointer, on);
}

void read_off(struct reading *reading, const struct flag *flag, const char *value)
{
    bool on;

    if (value_truth(reading, value, &on))
        leaf_bool(reading, reading->spelled, flag->pointer, !on);
}

void read_largest(struct reading *reading, const struct flag *flag, const char *value)
{
    double largest = NAN;

    while (*value) {
        char digits[32];
        value += strspn(value, " ,[]");
        size_t length = strcspn(value, " ,[]");
        double number;
        if (!length)
            break;
        if (length >= sizeof(digits)) {
            refuse_value(reading, "a list of numbers", value);
            return;
        }
        memcpy(digits, value, length);
        digits[length] = '\0';
        if (!command_number(digits, &number)) {
            refuse_value(reading, "a list of numbers", value);
            return;
        }
        largest = largest >= number ? largest : number;
        value += length;
    }
    if (isnan(largest)) {
        refuse_value(reading, "a list of numbers", value);
        return;
    }
    leaf_number(reading, reading->spelled, flag->pointer, largest);
}

const struct flag_name *flag_name_find(const struct flag_name *names, const char *theirs)
{
    for (; names && names->theirs; names++) {
        if (strcmp(names->theirs, theirs) == 0)
            return names;
    }
    return NULL;
}

void read_kv_name(struct reading *reading, const struct flag *flag, const char *value)
{
    const struct flag_name *name = flag_name_find(reading->engine->kv_names, value);
    const char *candidates[64];
    int n = 0;

    if (name && !name->ours)
        return;
    if (name || catalogue_find_kv_format(reading->intake->catalogue, value) >= 0) {
        leaf_text(reading, reading->spelled, flag->pointer, name ? name->ours : value);
        return;
    }
    for (name = reading->engine->kv_names; name->theirs && n < (int)ARRAY_LEN(candidates); name++)
        candidates[n++] = name->theirs;
    reading_fault(reading, reading->spelled, fault_nearest(value, candidates, n),
                  "no KV cache type of %s is called \"%s\"", reading->engine->label,
                  field_quote(reading->intake->arena, value));
}

static void keep_number(struct reading *reading, const struct flag *flag, double number)
{
    reading->slots[flag->slot] = number;
    reading->slot_flags[flag->slot] = reading->spelled;
}

void read_kept(struct reading *reading, const struct flag *flag, const char *value)
{
    double number;

    if (value_number(reading, value, &number))
        keep_number(reading, flag, number);
}

void read_kept_human(struct reading *reading, const struct flag *flag, const char *value)
{
    double number;

    if (value_human(reading, value, &number))
        keep_number(reading, flag, number);
}

void read_kept_on(struct reading *reading, const struct flag *flag, const char *value)
{
    bool on;

    if (value_truth(reading, value, &on))
        keep_number(reading, flag, on);
}

void read_kept_text(struct reading *reading, const struct flag *flag, const char *value)
{
    reading->texts[flag->slot] = value;
    reading->text_flags[flag->slot] = reading->spelled;
}

void read_name_hint(struct reading *reading, const struct flag *flag, const char *value)
{
    const char *known = reading->texts[TEXT_NAMES];

    (void)flag;
    described_ignore(reading->described, reading->spelled);
    if (strchr(value, WORD_UNKNOWN))
        return;
    reading->texts[TEXT_NAMES] =
        known ? arena_printf(reading->intake->arena, "%s\n%s", known, value) : value;
    reading->text_flags[TEXT_NAMES] = reading->spelled;
}

void read_draft_model(struct reading *reading, const struct flag *flag, const char *value)
{
    (void)flag;
    reading->texts[TEXT_SPEC_MODEL] = value;
    reading->text_flags[TEXT_SPEC_MODEL] = reading->spelled;
}

/* Names of back ends by what they do: each rank's tokens to their experts' ranks, or all to all. */
void read_ep_backend(struct reading *reading, const struct flag *flag, const char *value)
{
    static const char *const TO_ALL[] = {"deepep", "pplx",     "all2all",      "mori",
                                         "nixl",   "mooncake", "ascend_fuseep"};

    if (strcmp(value, "none") == 0 || strcmp(value, "auto") == 0)
        return;
    for (size_t i = 0; i < ARRAY_LEN(TO_ALL); i++) {
        if (strstr(value, TO_ALL[i])) {
            leaf_text(reading, reading->spelled, flag->pointer, "all_to_all");
            return;
        }
    }
    leaf_text(reading, reading->spelled, flag->pointer,
              strstr(value, "gather") || strcmp(value, "naive") == 0 ? "all_gather" : value);
}

void read_not_modelled(struct reading *reading, const struct flag *flag, const char *value)
{
    const char *known = reading->not_modelled;

    (void)flag;
    (void)value;
    described_ignore(reading->described, reading->spelled);
    reading->not_modelled =
        known ? arena_printf(reading->intake->arena, "%s, %s", known, reading->spelled)
              : reading->spelled;
}

void read_host_tier(struct reading *reading, const struct flag *flag, const char *value)
{
    bool on;
    double size;

    (void)flag;
    if (command_truth(value, &on) ? !on : command_number(value, &size) && size <= 0)
        return;
    leaf_text(reading, reading->spelled, "/deployment/kv_tier/kind", "host");
}

/* Slots ---------------------------------------------------------------------------------------- */

bool slot_said(const struct reading *reading, enum flag_slot slot)
{
    return !isnan(reading->slots[slot]);
}

double slot_or(const struct reading *reading, enum flag_slot slot, double otherwise)
{
    return slot_said(reading, slot) ? reading->slots[slot] : otherwise;
}

void slot_to_leaf(struct reading *reading, enum flag_slot slot, const char *pointer)
{
    if (slot_said(reading, slot))
        leaf_number(reading, reading->slot_flags[slot], pointer, reading->slots[slot]);
}
