#include "hf_read.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define KEY_MAX 64

bool hf_failed(const struct hf *hf)
{
    return hf->faults->n + hf->faults->dropped > hf->first_fault;
}

void *hf_alloc(struct hf *hf, size_t size)
{
    void *memory = arena_alloc(hf->arena, size);
    if (memory == NULL) {
        fault_add(hf->faults, hf->root_pointer, NULL, "the configuration is too large");
    }
    return memory;
}

/* "a/b" is member b of member a. */
static const cJSON *find_path(const cJSON *object, const char *path)
{
    const char *slash = strchr(path, '/');
    if (slash == NULL) {
        return cJSON_GetObjectItemCaseSensitive(object, path);
    }
    char key[KEY_MAX];
    size_t length = (size_t)(slash - path);
    if (length >= sizeof(key)) {
        return NULL;
    }
    memcpy(key, path, length);
    key[length] = '\0';
    return find_path(cJSON_GetObjectItemCaseSensitive(object, key), slash + 1);
}

/* The first of `names` that is there and not null, and its value; the first of all and NULL. */
static const char *find_name(const struct hf *hf, const char *const *names, const cJSON **ret_item)
{
    *ret_item = NULL;
    for (int i = 0; names[i] != NULL; i++) {
        const cJSON *item = find_path(hf->text, names[i]);
        if (item != NULL && !cJSON_IsNull(item)) {
            *ret_item = item;
            return names[i];
        }
    }
    return names[0];
}

const cJSON *hf_find(const struct hf *hf, const char *const *names)
{
    const cJSON *item;
    (void)find_name(hf, names, &item);
    return item;
}

/* Whether `pointer` is the text configuration's, '/' and `name`. */
static bool is_place(const struct hf *hf, const char *pointer, const char *name)
{
    size_t length = strlen(hf->text_pointer);
    return strncmp(pointer, hf->text_pointer, length) == 0 && pointer[length] == '/' &&
           strcmp(pointer + length + 1, name) == 0;
}

bool hf_refused(const struct hf *hf, const char *const *names)
{
    const cJSON *item;
    const char *name = find_name(hf, names, &item);
    for (int i = hf->first_fault; i < hf->faults->n; i++) {
        if (is_place(hf, hf->faults->items[i].pointer, name)) {
            return true;
        }
    }
    return false;
}

void hf_fault(struct hf *hf, const char *const *names, const char *need)
{
    const cJSON *item;
    const char *name = find_name(hf, names, &item);
    if (hf_refused(hf, names)) {
        return;
    }
    const char *pointer = arena_printf(hf->arena, "%s/%s", hf->text_pointer, name);
    fault_add(hf->faults, pointer != NULL ? pointer : "", NULL, "%s", need);
}

/* The common value of a list of equal numbers, NAN when they differ or are none. */
static double equal_value(const cJSON *list)
{
    const cJSON *first = list->child;
    if (first == NULL || !cJSON_IsNumber(first)) {
        return (double)NAN;
    }
    for (const cJSON *item = first->next; item != NULL; item = item->next) {
        if (!cJSON_IsNumber(item) || item->valuedouble < first->valuedouble ||
            item->valuedouble > first->valuedouble) {
            return (double)NAN;
        }
    }
    return first->valuedouble;
}

/* The architecture's own default of a quantity, or `fallback`. */
static double default_of(const struct hf *hf, const char *name, double fallback)
{
    assert(name != NULL);
    const struct hf_default *row = hf->arch->defaults;
    while (row != NULL && row->name != NULL) {
        if (strcmp(row->name, name) == 0) {
            return row->value;
        }
        row++;
    }
    return fallback;
}

/* The number at `names`, `fallback` when absent or (with a fault) when it is none or over `max`. */
static double read_number(struct hf *hf, const char *const *names, double max, double fallback,
                          bool whole)
{
    const cJSON *item = hf_find(hf, names);
    if (item == NULL) {
        return default_of(hf, names[0], fallback);
    }
    double value = cJSON_IsArray(item) ? equal_value(item) : (double)NAN;
    if (cJSON_IsNumber(item)) {
        value = item->valuedouble;
    }
    bool fits = value >= 0 && value <= max && !(whole && value > floor(value));
    if (!fits) {
        const char *need = arena_printf(hf->arena, "must be a %snumber from 0 to %.0f",
                                        whole ? "whole " : "", max);
        hf_fault(hf, names, need != NULL ? need : "must be a number");
        return fallback;
    }
    return value;
}

double hf_number(struct hf *hf, const char *const *names, double max, double fallback)
{
    return read_number(hf, names, max, fallback, true);
}

double hf_factor(struct hf *hf, const char *const *names, double max, double fallback)
{
    return read_number(hf, names, max, fallback, false);
}

double hf_required(struct hf *hf, const char *const *names, double max)
{
    double value = hf_number(hf, names, max, 0);
    if (hf_refused(hf, names)) {
        return 1;
    }
    if (hf_find(hf, names) == NULL && !(value > 0)) {
        hf_fault(hf, names, "is required for this architecture");
        return 1;
    }
    if (!(value >= 1)) {
        hf_fault(hf, names, "must be at least 1");
        return 1;
    }
    return value;
}

bool hf_flag(struct hf *hf, const char *const *names, bool fallback)
{
    const cJSON *item = hf_find(hf, names);
    if (item == NULL) {
        return fallback;
    }
    if (!cJSON_IsBool(item)) {
        hf_fault(hf, names, "must be true or false");
        return fallback;
    }
    return cJSON_IsTrue(item) != 0;
}

const char *hf_text(const struct hf *hf, const char *const *names)
{
    const cJSON *item = hf_find(hf, names);
    return item != NULL && cJSON_IsString(item) ? item->valuestring : NULL;
}

const cJSON **hf_per_layer(struct hf *hf, const char *const *names)
{
    const cJSON *list = hf_find(hf, names);
    if (list == NULL || !cJSON_IsArray(list)) {
        return NULL;
    }
    const cJSON **items = hf_alloc(hf, (size_t)hf->n_layers * sizeof(const cJSON *));
    if (items == NULL) {
        return NULL;
    }
    const cJSON *item = list->child;
    for (int i = 0; i < hf->n_layers; i++, item = item->next) {
        if (item == NULL) {
            hf_fault(hf, names, "has fewer entries than the model has layers");
            return NULL;
        }
        items[i] = item;
    }
    return items;
}

bool *hf_listed_layers(struct hf *hf, const char *const *names, double base)
{
    const cJSON *list = hf_find(hf, names);
    if (list == NULL || !cJSON_IsArray(list)) {
        return NULL;
    }
    bool *marks = hf_alloc(hf, (size_t)hf->n_layers * sizeof(*marks));
    if (marks == NULL) {
        return NULL;
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        double layer = cJSON_IsNumber(item) ? item->valuedouble - base : -1;
        if (!(layer >= 0 && layer < hf->n_layers)) {
            hf_fault(hf, names, "lists a layer that the model does not have");
            return NULL;
        }
        marks[(int)layer] = true;
    }
    return marks;
}

void hf_add_extra(struct hf *hf, const char *what, double count, bool read_per_step)
{
    if (hf->model->n_extras < MODEL_EXTRAS_MAX) {
        hf->model->extras[hf->model->n_extras++] =
            (struct model_extra){.what = what, .count = count, .read_per_step = read_per_step};
    }
}
