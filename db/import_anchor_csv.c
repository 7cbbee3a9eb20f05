/*
 * import_anchor_csv.c - a table of measurements, one per line.
 *
 *   # a comment
 *   @source,KEY,KIND,DATE,LICENSE,URL,TITLE       a source of the file; rows name it by its key
 *   @all,COLUMN,VALUE                             a column that has one value in the whole file
 *   id,source,model,...,ttft_ms.mean,notes        the header: texts, conditions, metric.statistic
 *   ...                                           a row per anchor; an empty cell is not stated
 *
 * A cell with a comma, a quote or a line end is quoted, a quote in it doubled (RFC 4180).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import_anchor.h"
#include "import_files.h"
#include "sql.h"

#define COLUMNS_MAX 96
#define SOURCES_MAX 320
#define SOURCE_CELLS 7
#define FILES_MAX 512
#define PATH_TEXT_MAX 4096

enum column_kind {
    COLUMN_TEXT,
    COLUMN_SOURCE,
    COLUMN_NUMBER,
    COLUMN_CONDITION,
    COLUMN_METRIC,
    COLUMN_UNKNOWN /* a fault was added */
};

struct column {
    enum column_kind kind;
    unsigned index; /* of its list */
    struct draft_metric metric;
};

struct file_source {
    const char *key;
    cJSON *object; /* {"sources": [...]} */
};

struct table {
    struct import *import;
    struct file_source sources[SOURCES_MAX];
    int n_sources;
    struct column columns[COLUMNS_MAX];
    int n_columns;
    struct anchor_draft common; /* what @all says */
    const char *source;         /* key that @all says, NULL */
};

/* Takes the quotes off a cell that begins with one, in place. Returns what stands behind it. */
static char *unquote(char *cell)
{
    char *to = cell;
    char *at = cell + 1;
    while (*at && (*at != '"' || at[1] == '"')) {
        at += *at == '"' ? 1 : 0;
        *to++ = *at++;
    }
    at += *at ? 1 : 0;
    *to = '\0'; /* on or before the closing quote */
    return at;
}

/* Cuts one record of the table into cells, in place; moves *text behind it. Returns their number.
 */
static int split_record(char **text, const char **ret_cells, int max)
{
    char *at = *text;
    int n = 0;
    char mark = ',';
    while (mark == ',') {
        char *cell = at;
        at = *cell == '"' ? unquote(cell) : cell;
        at += strcspn(at, ",\n");
        mark = *at;
        *at = '\0';
        at += mark ? 1 : 0;
        if (n < max) {
            ret_cells[n] = cell;
        }
        n++;
    }
    *text = at;
    return n;
}

static bool column_parse(struct import *import, const char *name, struct column *ret_column)
{
    *ret_column = (struct column){.kind = COLUMN_TEXT, .index = draft_text_parse(name)};
    if (ret_column->index < DRAFT_TEXT_COUNT) {
        return true;
    }
    if (strcmp(name, "source") == 0) {
        ret_column->kind = COLUMN_SOURCE;
        return true;
    }
    ret_column->kind = COLUMN_NUMBER;
    ret_column->index = condition_parse(name);
    if (ret_column->index < CONDITION_COUNT) {
        return true;
    }
    ret_column->kind = COLUMN_CONDITION;
    ret_column->index = anchor_text_parse(name);
    if (ret_column->index < ANCHOR_TEXT_COUNT) {
        return true;
    }
    bool known = draft_metric_parse(import, name, &ret_column->metric);
    ret_column->kind = known ? COLUMN_METRIC : COLUMN_UNKNOWN;
    return known;
}

static double number_of(struct import *import, const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) {
        import_fault(import, "'%s' is no number", text);
        return NAN;
    }
    return value;
}

/* Puts a cell into the draft; *source takes the key of a source. */
static void take_cell(struct import *import, const struct column *column, const char *cell,
                      struct anchor_draft *draft, const char **source)
{
    struct draft_metric metric = column->metric;
    switch (column->kind) {
    case COLUMN_TEXT:
        draft->texts[column->index] = cell;
        return;
    case COLUMN_SOURCE:
        *source = cell;
        return;
    case COLUMN_CONDITION:
        draft->conditions[column->index] = cell;
        return;
    case COLUMN_NUMBER:
        draft_number_set(import, draft, (enum anchor_condition)column->index,
                         number_of(import, cell));
        return;
    case COLUMN_UNKNOWN:
        return;
    case COLUMN_METRIC:
        break;
    }
    metric.value = number_of(import, cell);
    draft_metric_add(import, draft, metric);
}

static void put_cell(cJSON *object, const char *name, const char *cell)
{
    if (*cell) {
        cJSON_AddStringToObject(object, name, cell);
    }
}

/* @source,KEY,KIND,DATE,LICENSE,URL,TITLE */
static void take_source(struct table *table, const char *const *cells, int n)
{
    if (n != SOURCE_CELLS || table->n_sources == SOURCES_MAX) {
        import_fault(table->import, "an @source has not %d cells, or there are more than %d",
                     SOURCE_CELLS, SOURCES_MAX);
        return;
    }
    cJSON *source = cJSON_CreateObject();
    cJSON *list = cJSON_CreateArray();
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(source, "field", "metrics");
    put_cell(source, "title", cells[6]);
    put_cell(source, "kind", cells[2]);
    put_cell(source, "url", cells[5]);
    put_cell(source, "date", cells[3]);
    put_cell(source, "license", cells[4]);
    cJSON_AddItemToArray(list, source);
    cJSON_AddItemToObject(object, "sources", list);
    table->sources[table->n_sources++] = (struct file_source){cells[1], object};
}

/* @all,COLUMN,VALUE */
static void take_common(struct table *table, const char *const *cells, int n)
{
    struct column column;
    if (n != 3 || !column_parse(table->import, cells[1], &column)) {
        import_fault(table->import, "an @all has not a known column and a value");
        return;
    }
    take_cell(table->import, &column, cells[2], &table->common, &table->source);
}

static void take_header(struct table *table, const char *const *cells, int n)
{
    for (int i = 0; i < n; i++) {
        (void)column_parse(table->import, cells[i], &table->columns[i]);
    }
    table->n_columns = n;
}

static const cJSON *find_source(const struct table *table, const char *key)
{
    if (!key && table->n_sources == 1) {
        return table->sources[0].object;
    }
    for (int i = 0; key && i < table->n_sources; i++) {
        if (strcmp(table->sources[i].key, key) == 0) {
            return table->sources[i].object;
        }
    }
    return NULL;
}

static void take_row(struct table *table, const char *const *cells, int n)
{
    struct import *import = table->import;
    struct anchor_draft draft = table->common;
    const char *source = table->source;
    import->record = cells[0];
    if (n != table->n_columns) {
        import_fault(import, "the line has %d cells, its header %d", n, table->n_columns);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (*cells[i]) {
            take_cell(import, &table->columns[i], cells[i], &draft, &source);
        }
    }
    draft.sources = find_source(table, source);
    if (!draft.sources) {
        import_fault(import, "source '%s' is not one of the file's", source ? source : "");
        return;
    }
    import_anchor_draft(import, &draft);
}

static void take_record(struct table *table, const char *const *cells, int n)
{
    if (n > COLUMNS_MAX) {
        import_fault(table->import, "a line has more than %d cells", COLUMNS_MAX);
    } else if (strcmp(cells[0], "@source") == 0) {
        take_source(table, cells, n);
    } else if (strcmp(cells[0], "@all") == 0) {
        take_common(table, cells, n);
    } else if (table->n_columns == 0) {
        take_header(table, cells, n);
    } else {
        take_row(table, cells, n);
        table->import->position++;
    }
    table->import->record = NULL;
}

static void import_table(struct import *import, char *text)
{
    const char *cells[COLUMNS_MAX];
    struct table *table = calloc(1, sizeof(*table));
    if (!table) {
        import_fault(import, "out of memory");
        return;
    }
    table->import = import;
    draft_init(&table->common);
    while (*text) {
        if (*text == '#' || *text == '\n') {
            text += strcspn(text, "\n");
            text += *text ? 1 : 0;
            continue;
        }
        int n = split_record(&text, cells, COLUMNS_MAX);
        take_record(table, cells, n);
    }
    for (int i = 0; i < table->n_sources; i++) {
        cJSON_Delete(table->sources[i].object);
    }
    free(table);
}

void import_anchors(struct import *import, const char *folder)
{
    char path[PATH_TEXT_MAX];
    char *names[FILES_MAX];
    (void)text_print(path, sizeof(path), "%s/anchors", folder);
    int n = import_files_list(path, ".csv", names, FILES_MAX);
    for (int i = 0; i < n; i++) {
        size_t length = 0;
        char *text = import_file_read(names[i], &length);
        import->file = names[i];
        if (text) {
            import_table(import, text);
        } else {
            import_fault(import, "%s", import_file_trouble(names[i]));
        }
        free(text);
        free(names[i]);
    }
    import_anchors_finish(import);
}
