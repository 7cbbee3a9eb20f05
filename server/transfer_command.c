#include "transfer_command.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <sqlite3.h>

#include "record_diff.h"
#include "store_image.h"
#include "store_transfer.h"

/* Of a value in text; --format json has all of it. */
#define SHOWN_MAX 160

static void complain(const char *what)
{
    fprintf(stderr, "regimed: %s\n", what);
}

bool export_command(const char *db, const char *folder, FILE *out)
{
    char error[STORE_ERROR_MAX];
    struct export_count count;

    if (!store_export(db, folder, &count, error)) {
        complain(error);
        return false;
    }
    fprintf(out, "%s: %d records in %d files\n", folder, count.records, count.files);
    return true;
}

bool import_command(const char *db, const char *folder, FILE *out)
{
    char error[STORE_ERROR_MAX];
    struct import_count count;

    if (!store_import(db, folder, stderr, &count, error)) {
        complain(error);
        return false;
    }
    if (count.made)
        fprintf(out, "%s: made of %lld records\n", db, count.added);
    else
        fprintf(out, "%s: %lld added, %lld changed, %lld the same, %lld of its own kept\n", db,
                count.added, count.changed, count.same, count.kept);
    return true;
}

/* ---- diff ---- */

/* What was found so far; of JSON the lists that are printed at the end. */
struct comparison {
    FILE *out;
    cJSON *added, *removed, *changed; /* NULL: text */
    cJSON *fields;                    /* of the record at hand */
    int n_added, n_removed, n_changed;
};

static void print_value(FILE *out, const cJSON *value)
{
    char *text = value ? cJSON_PrintUnformatted(value) : NULL;

    if (!text)
        fputs("(none)", out);
    else if (strlen(text) > SHOWN_MAX)
        fprintf(out, "%.*s...", SHOWN_MAX, text);
    else
        fputs(text, out);
    free(text);
}

static void print_field(void *ctx, const char *pointer, const cJSON *a, const cJSON *b)
{
    const struct comparison *comparison = ctx;

    fprintf(comparison->out, "    %s: ", pointer);
    print_value(comparison->out, a);
    fputs(" -> ", comparison->out);
    print_value(comparison->out, b);
    fputc('\n', comparison->out);
}

static void add_value(cJSON *object, const char *name, const cJSON *value)
{
    if (value)
        cJSON_AddItemToObject(object, name, cJSON_Duplicate(value, 1));
}

static void keep_field(void *ctx, const char *pointer, const cJSON *a, const cJSON *b)
{
    const struct comparison *comparison = ctx;
    cJSON *field = cJSON_CreateObject();

    cJSON_AddStringToObject(field, "pointer", pointer);
    add_value(field, "a", a);
    add_value(field, "b", b);
    cJSON_AddItemToArray(comparison->fields, field);
}

static void keep_record(struct comparison *comparison, const char *kind, const char *id,
                        const cJSON *a, const cJSON *b)
{
    cJSON *record = cJSON_CreateObject();

    cJSON_AddStringToObject(record, "kind", kind);
    cJSON_AddStringToObject(record, "id", id);
    cJSON_AddItemToArray(!a   ? comparison->added
                         : !b ? comparison->removed
                              : comparison->changed,
                         record);
    if (a && b) {
        comparison->fields = cJSON_AddArrayToObject(record, "fields");
        field_diff(a, b, keep_field, comparison);
    }
}

static void take_record(void *ctx, const char *kind, const char *id, const cJSON *a, const cJSON *b)
{
    struct comparison *comparison = ctx;

    comparison->n_added += !a;
    comparison->n_removed += !b;
    comparison->n_changed += a && b;
    if (comparison->added) {
        keep_record(comparison, kind, id, a, b);
        return;
    }
    fprintf(comparison->out, "%c %s %s\n", !a ? '+' : !b ? '-' : '~', kind, id);
    if (a && b)
        field_diff(a, b, print_field, comparison);
}

static void print_json(const struct comparison *comparison, const char *a, const char *b)
{
    cJSON *whole = cJSON_CreateObject();

    cJSON_AddStringToObject(whole, "a", a);
    cJSON_AddStringToObject(whole, "b", b);
    cJSON_AddItemToObject(whole, "added", comparison->added);
    cJSON_AddItemToObject(whole, "removed", comparison->removed);
    cJSON_AddItemToObject(whole, "changed", comparison->changed);
    char *text = cJSON_PrintUnformatted(whole);
    cJSON_Delete(whole);
    fprintf(comparison->out, "%s\n", text ? text : "");
    free(text);
}

static bool compare_images(const char *a, const char *b, struct comparison *comparison)
{
    char error[STORE_ERROR_MAX];
    sqlite3 *left = store_image_open(a, stderr, error);
    sqlite3 *right = left ? store_image_open(b, stderr, error) : NULL;
    bool done = right && record_diff(left, right, take_record, comparison);

    if (!right)
        complain(error);
    else if (!done)
        complain("out of memory, or a store that cannot be read");
    sqlite3_close(left);
    sqlite3_close(right);
    return done;
}

int diff_command(const char *a, const char *b, const char *format, FILE *out)
{
    enum { SAME, DIFFERENT, TROUBLE };
    struct comparison comparison = {.out = out};
    bool json = format && strcmp(format, "json") == 0;

    if (format && !json && strcmp(format, "text") != 0) {
        complain("--format is text or json");
        return TROUBLE;
    }
    if (json) {
        comparison.added = cJSON_CreateArray();
        comparison.removed = cJSON_CreateArray();
        comparison.changed = cJSON_CreateArray();
    }
    bool done = compare_images(a, b, &comparison);
    if (json && done) {
        print_json(&comparison, a, b);
    } else if (json) {
        cJSON_Delete(comparison.added);
        cJSON_Delete(comparison.removed);
        cJSON_Delete(comparison.changed);
    } else if (done) {
        fprintf(out, "%d added, %d removed, %d changed\n", comparison.n_added, comparison.n_removed,
                comparison.n_changed);
    }
    if (!done)
        return TROUBLE;
    return comparison.n_added + comparison.n_removed + comparison.n_changed ? DIFFERENT : SAME;
}
