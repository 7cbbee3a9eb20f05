#include "record_diff.h"

#include <stdlib.h>
#include <string.h>

#include "record_parts.h"
#include "sql.h"

#define POINTER_MAX 500

/* ---- fields ---- */

struct fields {
    field_diff_fn *take;
    void *ctx;
    int n;
    char pointer[POINTER_MAX];
};

static void compare(struct fields *fields, const cJSON *a, const cJSON *b);

/* A member or an element, with its name behind the pointer. */
static void compare_below(struct fields *fields, const char *name, int index, const cJSON *a,
                          const cJSON *b)
{
    size_t used = strlen(fields->pointer);
    (void)(name ? text_print(fields->pointer + used, POINTER_MAX - used, "/%s", name)
                : text_print(fields->pointer + used, POINTER_MAX - used, "/%d", index));
    compare(fields, a, b);
    fields->pointer[used] = '\0';
}

static void compare_objects(struct fields *fields, const cJSON *a, const cJSON *b)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, a)
    {
        compare_below(fields, item->string, 0, item,
                      cJSON_GetObjectItemCaseSensitive(b, item->string));
    }
    cJSON_ArrayForEach(item, b)
    {
        if (!cJSON_GetObjectItemCaseSensitive(a, item->string)) {
            compare_below(fields, item->string, 0, NULL, item);
        }
    }
}

static void compare_arrays(struct fields *fields, const cJSON *a, const cJSON *b)
{
    const cJSON *left = a->child;
    const cJSON *right = b->child;
    for (int i = 0; left || right; i++) {
        compare_below(fields, NULL, i, left, right);
        left = left ? left->next : NULL;
        right = right ? right->next : NULL;
    }
}

static void compare(struct fields *fields, const cJSON *a, const cJSON *b)
{
    if (a && b && cJSON_IsObject(a) && cJSON_IsObject(b)) {
        compare_objects(fields, a, b);
    } else if (a && b && cJSON_IsArray(a) && cJSON_IsArray(b)) {
        compare_arrays(fields, a, b);
    } else if (!a || !b || !cJSON_Compare(a, b, true)) {
        fields->n++;
        if (fields->take) {
            fields->take(fields->ctx, fields->pointer, a, b);
        }
    }
}

int field_diff(const cJSON *a, const cJSON *b, field_diff_fn *take, void *ctx)
{
    struct fields fields = {.take = take, .ctx = ctx};
    compare(&fields, a, b);
    return fields.n;
}

/* ---- records ---- */

struct row {
    char *id, *text;
};

/* A part of one store, by id. */
struct side {
    struct row *rows;
    size_t n, capacity;
};

static bool keep_row(void *ctx, const char *id, const char *text)
{
    struct side *side = ctx;
    if (side->n == side->capacity) {
        size_t capacity = side->capacity ? 2 * side->capacity : 64;
        struct row *rows = realloc(side->rows, capacity * sizeof(*rows));
        if (!rows) {
            return false;
        }
        side->rows = rows;
        side->capacity = capacity;
    }
    struct row *row = &side->rows[side->n++];
    *row = (struct row){strdup(id), strdup(text)};
    return row->id && row->text;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->id, ((const struct row *)b)->id);
}

static bool side_read(sqlite3 *db, const struct record_part *part, struct side *ret_side)
{
    *ret_side = (struct side){.n = 0};
    if (!record_part_walk(db, part, keep_row, ret_side)) {
        return false;
    }
    if (ret_side->n) {
        qsort(ret_side->rows, ret_side->n, sizeof(struct row), by_id);
    }
    return true;
}

static void side_done(struct side *side)
{
    for (size_t i = 0; i < side->n; i++) {
        free(side->rows[i].id);
        free(side->rows[i].text);
    }
    free(side->rows);
}

struct taker {
    record_diff_fn *take;
    void *ctx;
    const char *kind;
};

/* Either may be NULL; false without memory. */
static bool pair(const struct taker *taker, const struct row *a, const struct row *b)
{
    if (a && b && strcmp(a->text, b->text) == 0) {
        return true;
    }
    cJSON *left = a ? cJSON_Parse(a->text) : NULL;
    cJSON *right = b ? cJSON_Parse(b->text) : NULL;
    bool good = (left || !a) && (right || !b);
    if (good && (!left || !right || field_diff(left, right, NULL, NULL) > 0)) {
        taker->take(taker->ctx, taker->kind, a ? a->id : b->id, left, right);
    }
    cJSON_Delete(left);
    cJSON_Delete(right);
    return good;
}

/* Walks both sides, which are in order, together. */
static bool merge(const struct taker *taker, const struct side *a, const struct side *b)
{
    size_t i = 0;
    size_t j = 0;
    bool good = true;
    while (good && (i < a->n || j < b->n)) {
        int order = i == a->n ? 1 : j == b->n ? -1 : strcmp(a->rows[i].id, b->rows[j].id);
        good = pair(taker, order <= 0 ? &a->rows[i] : NULL, order >= 0 ? &b->rows[j] : NULL);
        i += order <= 0;
        j += order >= 0;
    }
    return good;
}

bool record_diff(sqlite3 *a, sqlite3 *b, record_diff_fn *take, void *ctx)
{
    int n = 0;
    const struct record_part *parts = record_parts(&n);
    bool good = true;
    for (int i = 0; good && i < n; i++) {
        const struct taker taker = {take, ctx, parts[i].kind};
        struct side left;
        struct side right = {.n = 0};
        good = side_read(a, &parts[i], &left) && side_read(b, &parts[i], &right) &&
               merge(&taker, &left, &right);
        side_done(&left);
        side_done(&right);
    }
    return good;
}
