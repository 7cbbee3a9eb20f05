#include "export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json_text.h"
#include "record_parts.h"
#include "sql.h"

#define PATH_TEXT_MAX 4096
#define TABLES_MAX 16
#define HEADER_MAX 1000

/* A file that is being written; of a table with its header. */
struct sheet {
    FILE *file;
    int rows;
    char header[HEADER_MAX];
};

struct exporting {
    const char *folder;
    const struct record_part *part;
    struct sheet sheets[TABLES_MAX];
    int n; /* sheets that were begun; of arrays the last one alone is open */
    struct export_count *count;
    char *error;
};

static bool fail(const struct exporting *exporting, const char *file, const char *why)
{
    (void)text_print(exporting->error, STORE_ERROR_MAX, "%s/%s: %s", exporting->folder, file, why);
    return false;
}

/* ---- files ---- */

/* The path of the part's file with `name` for '*'; makes the folder that it is in. */
static bool path_make(const struct exporting *exporting, const char *name,
                      char ret_path[PATH_TEXT_MAX])
{
    const char *file = exporting->part->file;
    const char *star = strchr(file, '*');
    const char *slash = strchr(file, '/');
    int before = star ? (int)(star - file) : (int)strlen(file);
    if (slash && (!text_print(ret_path, PATH_TEXT_MAX, "%s/%.*s", exporting->folder,
                              (int)(slash - file), file) ||
                  (mkdir(ret_path, 0777) != 0 && errno != EEXIST))) {
        return false;
    }
    return text_print(ret_path, PATH_TEXT_MAX, "%s/%.*s%s%s", exporting->folder, before, file,
                      star ? name : "", star ? star + 1 : "");
}

static bool sheet_begin(struct exporting *exporting, const char *name, const char *first)
{
    char path[PATH_TEXT_MAX];
    /* a store that somebody else made may hold any id: none leads out of the folder */
    if (strchr(name, '/') || name[0] == '.') {
        return fail(exporting, name, "cannot be the name of a file");
    }
    if (exporting->n == TABLES_MAX) {
        return fail(exporting, exporting->part->file, "has more sets of columns than it may have");
    }
    struct sheet *sheet = &exporting->sheets[exporting->n];
    sheet->rows = 0;
    sheet->file = path_make(exporting, name, path) ? fopen(path, "wbx") : NULL;
    if (!sheet->file || fputs(first, sheet->file) < 0) {
        return fail(exporting, exporting->part->file, "cannot be written");
    }
    exporting->n++;
    exporting->count->files++;
    return true;
}

static bool sheet_end(struct exporting *exporting, struct sheet *sheet, const char *last)
{
    bool good = fputs(last, sheet->file) >= 0;
    good = fclose(sheet->file) == 0 && good;
    sheet->file = NULL;
    return good || fail(exporting, exporting->part->file, "cannot be written: is the disk full?");
}

/* ---- arrays ---- */

/* Puts a value on one line, a space behind commas and colons. */
static void put_value(FILE *file, struct json_span value)
{
    bool quoted = false;
    for (size_t i = 0; i < value.length; i++) {
        char c = value.text[i];
        (void)fputc(c, file);
        if (quoted && c == '\\' && i + 1 < value.length) {
            (void)fputc(value.text[++i], file);
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == ',' || c == ':')) {
            (void)fputc(' ', file);
        }
    }
}

/* Lists of objects have a line for each. */
static void put_list(FILE *file, struct json_span list)
{
    struct json_walk walk = json_walk_start(list.text, list.length);
    struct json_span element;
    for (int i = 0; json_walk_element(&walk, &element); i++) {
        (void)fputs(i ? ",\n      " : "[\n      ", file);
        put_value(file, element);
    }
    (void)fputs("\n    ]", file);
}

static void put_record(FILE *file, const char *text)
{
    struct json_walk walk = json_walk_start(text, strlen(text));
    struct json_span name, value;
    for (int i = 0; json_walk_member(&walk, &name, &value); i++) {
        (void)fprintf(file, "%s    \"%.*s\": ", i ? ",\n" : "  {\n", (int)name.length, name.text);
        if (value.length > 2 && value.text[0] == '[' && value.text[1] == '{') {
            put_list(file, value);
        } else {
            put_value(file, value);
        }
    }
    (void)fputs("\n  }", file);
}

static bool array_row(void *ctx, const char *id, const char *text)
{
    struct exporting *exporting = ctx;
    const enum part_form form = exporting->part->form;
    struct sheet *sheet = exporting->n ? &exporting->sheets[exporting->n - 1] : NULL;
    char number[20];
    bool full =
        sheet && ((form == PART_BY_ID) || (form == PART_NUMBERED && sheet->rows == PART_ROWS_MAX));
    if (full && !sheet_end(exporting, sheet, "\n]\n")) {
        return false;
    }
    if (full) {
        exporting->n = 0; /* its place is free */
    }
    if (!sheet || full) {
        (void)text_print(number, sizeof(number), "%03d",
                         exporting->count->records / PART_ROWS_MAX + 1);
        if (!sheet_begin(exporting, form == PART_BY_ID ? id : number, "[\n")) {
            return false;
        }
        sheet = &exporting->sheets[exporting->n - 1];
    }
    if (sheet->rows++) {
        (void)fputs(",\n", sheet->file);
    }
    put_record(sheet->file, text);
    exporting->count->records++;
    return true;
}

/* ---- tables ---- */

/* The members' names but the id's, as a line. */
static bool header_of(const char *text, char ret_header[HEADER_MAX])
{
    struct json_walk walk = json_walk_start(text, strlen(text));
    struct json_span name, value;
    bool good = true;
    ret_header[0] = '\0';
    while (good && json_walk_member(&walk, &name, &value)) {
        size_t used = strlen(ret_header);
        if (!json_span_is(name, "id")) {
            good = text_print(ret_header + used, HEADER_MAX - used, "%s%.*s", used ? "," : "",
                              (int)name.length, name.text);
        }
    }
    return good;
}

static bool header_from(const char *const *columns, char ret_header[HEADER_MAX])
{
    bool good = true;
    ret_header[0] = '\0';
    for (int i = 0; good && columns[i]; i++) {
        size_t used = strlen(ret_header);
        good =
            text_print(ret_header + used, HEADER_MAX - used, "%s%s", used ? "," : "", columns[i]);
    }
    return good;
}

/* The member's value without its quotes, empty where there is none; false for what no cell holds.
 */
static bool put_cell(FILE *file, const char *text, const char *column, size_t length)
{
    struct json_walk walk = json_walk_start(text, strlen(text));
    struct json_span name, value;
    while (json_walk_member(&walk, &name, &value)) {
        if (name.length != length || memcmp(name.text, column, length) != 0) {
            continue;
        }
        size_t quotes = value.text[0] == '"' ? 1 : 0;
        value.text += quotes;
        value.length -= 2 * quotes;
        (void)fwrite(value.text, 1, value.length, file);
        return !memchr(value.text, ',', value.length) && !memchr(value.text, '\\', value.length);
    }
    return true;
}

/* The sheet with that header, begun when there is none. */
static struct sheet *sheet_of(struct exporting *exporting, const char *header)
{
    char number[20];
    for (int i = 0; i < exporting->n; i++) {
        if (strcmp(exporting->sheets[i].header, header) == 0) {
            return &exporting->sheets[i];
        }
    }
    (void)text_print(number, sizeof(number), "%02d", exporting->n + 1);
    if (!sheet_begin(exporting, number, header)) {
        return NULL;
    }
    struct sheet *sheet = &exporting->sheets[exporting->n - 1];
    (void)text_print(sheet->header, HEADER_MAX, "%s", header);
    (void)fputc('\n', sheet->file);
    return sheet;
}

static bool table_row(void *ctx, const char *id, const char *text)
{
    struct exporting *exporting = ctx;
    const struct record_part *part = exporting->part;
    char header[HEADER_MAX];
    bool good = part->columns ? header_from(part->columns, header) : header_of(text, header);
    if (!good || (part->form == PART_TABLE && exporting->n &&
                  strcmp(header, exporting->sheets[0].header) != 0)) {
        return fail(exporting, id, "has other columns than its table");
    }
    struct sheet *sheet = sheet_of(exporting, header);
    for (const char *at = header; sheet && good && *at;) {
        size_t length = strcspn(at, ",");
        good = put_cell(sheet->file, text, at, length);
        at += length;
        (void)fputc(*at ? ',' : '\n', sheet->file);
        at += *at ? 1 : 0;
    }
    exporting->count->records++;
    return sheet && (good || fail(exporting, id, "has a value that no cell holds"));
}

/* ---- the whole ---- */

/* A part without rows is an empty array, or a header alone. */
static bool part_empty(struct exporting *exporting)
{
    char header[HEADER_MAX] = "";
    const struct record_part *part = exporting->part;
    if (part->form == PART_ARRAY || part->form == PART_NUMBERED) {
        return sheet_begin(exporting, "001", "[");
    }
    return !part->columns || (header_from(part->columns, header) && sheet_of(exporting, header));
}

static bool part_write(sqlite3 *db, struct exporting *exporting)
{
    const struct record_part *part = exporting->part;
    bool table = part->form == PART_TABLE || part->form == PART_TABLES;
    struct export_count before = *exporting->count;
    exporting->n = 0;
    exporting->count->records = 0;
    bool good = record_part_walk(db, part, table ? table_row : array_row, exporting);
    if (good && exporting->n == 0 && !part->optional) {
        good = part_empty(exporting);
    }
    for (int i = 0; i < exporting->n; i++) {
        struct sheet *sheet = &exporting->sheets[i];
        good = sheet_end(exporting, sheet, table ? "" : sheet->rows ? "\n]\n" : "]\n") && good;
    }
    exporting->count->records += before.records;
    return good;
}

/* The bundle's date and serial. */
static bool bundle_write(sqlite3 *db, struct exporting *exporting)
{
    static const struct record_part BUNDLE = {"bundle", "bundle.json", PART_ARRAY, .sql = ""};
    char text[200];
    char *date = sql_text(db, "SELECT replace(value, 'records ', '') FROM store_info WHERE key = "
                              "'records_text'");
    exporting->part = &BUNDLE;
    exporting->n = 0;
    bool good =
        date &&
        text_print(text, sizeof(text), "{\n  \"date\": \"%.40s\",\n  \"serial\": %lld\n}\n", date,
                   sql_number(db,
                              "SELECT CAST(value AS INTEGER) FROM store_info WHERE key = "
                              "'records_serial'",
                              1)) &&
        sheet_begin(exporting, "", text) && sheet_end(exporting, &exporting->sheets[0], "");
    free(date);
    return good;
}

bool export_records(sqlite3 *db, const char *folder, struct export_count *ret_count,
                    char ret_error[STORE_ERROR_MAX])
{
    struct exporting *exporting = calloc(1, sizeof(*exporting));
    int n = 0;
    const struct record_part *parts = record_parts(&n);
    *ret_count = (struct export_count){0};
    ret_error[0] = '\0';
    bool good = exporting != NULL;
    if (good) {
        *exporting = (struct exporting){.folder = folder, .count = ret_count, .error = ret_error};
    }
    for (int i = 0; good && i < n; i++) {
        exporting->part = &parts[i];
        good = part_write(db, exporting);
    }
    good = good && bundle_write(db, exporting);
    if (!good && !ret_error[0]) {
        (void)text_print(ret_error, STORE_ERROR_MAX, "%s: the store cannot be read: %s", folder,
                         sqlite3_errmsg(db));
    }
    free(exporting);
    return good;
}
