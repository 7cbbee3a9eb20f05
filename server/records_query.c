#include "records_query.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "device_names.h"
#include "store.h"

#define WORDS_MAX 16
#define MATCH_EXTRA ((size_t)4 * WORDS_MAX) /* quotes, spaces, the star */
#define VALUES_MAX 200
#define CURSOR_MAX 512

/* Arguments that every list has. */
static const char *const COMMON[] = {"limit", "cursor", "q", "format"};

static const char HEX[] = "0123456789abcdef";

const char *cursor_write(struct arena *arena, const char *sort)
{
    size_t length = strlen(sort);
    char *text = arena_alloc(arena, 2 * length + 1);
    for (size_t i = 0; text && i < length; i++) {
        text[2 * i] = HEX[((unsigned char)sort[i]) >> 4];
        text[2 * i + 1] = HEX[((unsigned char)sort[i]) & 0xf];
    }
    return text;
}

static int hex_value(char c)
{
    const char *at = c ? strchr(HEX, c) : NULL;
    return at ? (int)(at - HEX) : -1;
}

/* The sort key inside a cursor; NULL when it is none of ours. */
static const char *cursor_read(struct arena *arena, const char *cursor)
{
    size_t length = strlen(cursor);
    char *sort = arena_alloc(arena, length / 2 + 1);
    if (length == 0 || length % 2 || length > CURSOR_MAX || !sort) {
        return NULL;
    }
    for (size_t i = 0; i < length / 2; i++) {
        int high = hex_value(cursor[2 * i]);
        int low = hex_value(cursor[2 * i + 1]);
        if (high < 0 || low < 0 || (high == 0 && low == 0)) {
            return NULL;
        }
        sort[i] = (char)(high * 16 + low);
    }
    return sort;
}

static bool word_counts(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)word[i];
        if (isalnum(c) || c >= 0x80) {
            return true;
        }
    }
    return false;
}

/* Adds a word as a quoted phrase; quotes inside are doubled. */
static char *phrase_add(char *to, const char *word, size_t length)
{
    *to++ = '"';
    for (size_t i = 0; i < length; i++) {
        if (word[i] == '"') {
            *to++ = '"';
        }
        *to++ = word[i];
    }
    *to++ = '"';
    return to;
}

/* The words of a question as an FTS5 expression: all of them, the last as a beginning. NULL = no
 * word. */
static const char *match_write(struct arena *arena, const char *text)
{
    char *match = arena_alloc(arena, 2 * strlen(text) + MATCH_EXTRA);
    char *to = match;
    int n = 0;
    while (match && *text && n < WORDS_MAX) {
        size_t length = strcspn(text, " \t\r\n");
        if (word_counts(text, length)) {
            if (n++) {
                *to++ = ' ';
            }
            to = phrase_add(to, text, length);
        }
        text += length;
        text += strspn(text, " \t\r\n");
    }
    if (n == 0) {
        return NULL;
    }
    *to++ = '*';
    *to = '\0';
    return match;
}

static void read_limit(const char *value, struct faults *faults, struct list_query *query)
{
    char *end = NULL;
    long limit = strtol(value, &end, 10);
    if (!isdigit((unsigned char)*value) || *end || limit < 1 || limit > LIST_LIMIT_MAX) {
        fault_add(faults, "?limit", NULL, "must be a whole number from 1 to %d", LIST_LIMIT_MAX);
        return;
    }
    query->limit = (int)limit;
}

bool list_common_read(struct context *ctx, const struct argument *argument, struct faults *faults,
                      struct list_query *query)
{
    struct arena *arena = ctx->request->arena;
    if (strcmp(argument->name, "limit") == 0) {
        read_limit(argument->value, faults, query);
    } else if (strcmp(argument->name, "cursor") == 0) {
        query->cursor = cursor_read(arena, argument->value);
        if (!query->cursor) {
            fault_add(faults, "?cursor", NULL, "is not a next_cursor of this list");
        }
    } else if (strcmp(argument->name, "q") == 0 && argument->value[0]) {
        query->match = match_write(arena, argument->value);
        if (!query->match) {
            fault_add(faults, "?q", NULL, "has no word to look for");
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(COMMON); i++) {
        if (strcmp(COMMON[i], argument->name) == 0) {
            return true;
        }
    }
    return false;
}

void fault_ambiguous(struct faults *faults, const char *pointer, const char *name,
                     const struct name_match *match)
{
    const char *list = "";
    for (int i = 0; i < CATALOGUE_MATCHES_MAX && match->ambiguous[i]; i++) {
        const char *more =
            arena_printf(faults->arena, "%s%s%s", list, i ? ", " : "", match->ambiguous[i]);
        list = more ? more : list;
    }
    fault_add(faults, pointer, match->ambiguous[0], "\"%.100s\" is ambiguous: %s", name, list);
}

const char *list_model(struct context *ctx, const char *value, struct faults *faults)
{
    struct name_match match;
    catalogue_find_model(ctx->catalogue, value, &match);
    if (match.index >= 0) {
        return ctx->catalogue->lib.models[match.index].id;
    }
    if (match.ambiguous[0]) {
        fault_ambiguous(faults, "?model", value, &match);
    } else {
        fault_add(faults, "?model", match.nearest[0], "no model is called \"%.100s\"", value);
    }
    return NULL;
}

const char *list_part(struct context *ctx, const char *value, struct faults *faults)
{
    struct device_asked asked;
    device_read(ctx->catalogue, ctx->request->arena, value, &asked);
    struct name_match match = asked.match;
    if (match.index >= 0) {
        return ctx->catalogue->lib.hardware[match.index].id;
    }
    if (match.ambiguous[0]) {
        fault_ambiguous(faults, "?hardware", value, &match);
    } else {
        fault_add(faults, "?hardware", match.nearest[0], "no part is called \"%.100s\"", value);
    }
    return NULL;
}

const char *list_engine(struct context *ctx, const char *value, struct faults *faults)
{
    int n = 0;
    int index = catalogue_find_engine(ctx->catalogue, value);
    if (index >= 0) {
        return ctx->catalogue->lib.engines[index].id;
    }
    const char *const *names = catalogue_engine_names(ctx->catalogue, &n);
    fault_add(faults, "?engine", fault_nearest(value, names, n), "no engine is called \"%.100s\"",
              value);
    return NULL;
}

/* The value itself when it occurs, whatever its case; else a fault with the nearest that does. */
static const char *resolve_text(struct context *ctx, const struct record_filter *filter,
                                const char *value, struct faults *faults)
{
    struct arena *arena = ctx->request->arena;
    const char *values[VALUES_MAX];
    const char *found = NULL;
    int n = 0;
    sqlite3_stmt *row = store_read(app_store(ctx->app), filter->values_sql);
    while (row && !found && n < VALUES_MAX && sqlite3_step(row) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(row, 0);
        values[n] = text ? arena_copy(arena, text, strlen(text)) : NULL;
        if (values[n] && sqlite3_stricmp(values[n], value) == 0) {
            found = values[n];
        }
        n += values[n] != NULL;
    }
    store_done(row);
    if (!found) {
        const char *pointer = arena_printf(arena, "?%s", filter->name);
        fault_add(faults, pointer ? pointer : "?", fault_nearest(value, values, n),
                  "no record has \"%.100s\"", value);
    }
    return found;
}

static const char *resolve_filter(struct context *ctx, const struct record_filter *filter,
                                  const char *value, struct faults *faults)
{
    switch (filter->value) {
    case FILTER_TEXT:
        return resolve_text(ctx, filter, value, faults);
    case FILTER_MODEL:
        return list_model(ctx, value, faults);
    case FILTER_HARDWARE:
        return list_part(ctx, value, faults);
    case FILTER_ENGINE:
        return list_engine(ctx, value, faults);
    }
    return NULL;
}

static void fault_unknown(const struct record_kind *kind, const char *name, struct faults *faults)
{
    if (faults_full(faults)) {
        faults->dropped++;
        return;
    }
    const char *names[ARRAY_LEN(COMMON) + FILTERS_MAX];
    int n = 0;
    for (size_t i = 0; i < ARRAY_LEN(COMMON); i++) {
        names[n++] = COMMON[i];
    }
    for (int i = 0; i < FILTERS_MAX && kind->filters[i].name; i++) {
        names[n++] = kind->filters[i].name;
    }
    const char *pointer = arena_printf(faults->arena, "?%.100s", name);
    fault_add(faults, pointer ? pointer : "?", fault_nearest(name, names, n),
              "unknown argument of this list");
}

bool list_is_repeated(const struct request *request, int at)
{
    for (int i = 0; i < at; i++) {
        if (strcmp(request->arguments[i].name, request->arguments[at].name) == 0) {
            return true;
        }
    }
    return false;
}

static void read_argument(struct context *ctx, const struct record_kind *kind, int at,
                          struct faults *faults, struct list_query *query)
{
    const struct argument *argument = &ctx->request->arguments[at];
    if (list_is_repeated(ctx->request, at)) {
        const char *pointer = arena_printf(faults->arena, "?%.100s", argument->name);
        fault_add(faults, pointer ? pointer : "?", NULL, "stands twice");
        return;
    }
    if (list_common_read(ctx, argument, faults, query)) {
        return;
    }
    for (int i = 0; i < FILTERS_MAX && kind->filters[i].name; i++) {
        if (strcmp(kind->filters[i].name, argument->name) == 0) {
            query->filters[i] =
                argument->value[0] ? resolve_filter(ctx, &kind->filters[i], argument->value, faults)
                                   : NULL;
            return;
        }
    }
    fault_unknown(kind, argument->name, faults);
}

bool list_query_read(struct context *ctx, const struct record_kind *kind, struct faults *faults,
                     struct list_query *ret_query)
{
    *ret_query = (struct list_query){.limit = LIST_LIMIT_DEFAULT};
    for (int i = 0; i < ctx->request->n_arguments; i++) {
        read_argument(ctx, kind, i, faults, ret_query);
    }
    return faults->n == 0;
}
