#include "kernels_route.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "body.h"
#include "csv_cells.h"
#include "kernel_names.h"
#include "negotiate.h"
#include "problem.h"
#include "query_words.h"
#include "records_query.h"

#define ENGINES_MAX 128

const struct kernels_argument KERNELS_ARGUMENTS[] = {
    {"name", "a kernel's name as a profile prints it: what it is, and the row that says so"},
    {"class", "rows of this class"},
    {"engine", "rows of this engine, in any case; \"any\" has the words of many"},
    {NULL, NULL},
};

struct kernels_query {
    struct list_query page;
    const char *name, *engine, *words;
    enum kernel_class class; /* KERNEL_CLASS_COUNT = any */
    size_t from;             /* the first row of the page */
};

/* ---- arguments ---- */

/* The engines of the table, each once. */
static int engine_names(const char *names[ENGINES_MAX])
{
    const struct kernel_row *row = NULL;
    int n = 0;

    for (size_t i = 0; (row = kernel_row_at(i)) != NULL; i++) {
        int at = 0;
        while (at < n && strcmp(names[at], row->engine) != 0) {
            at++;
        }
        if (at == n && n < ENGINES_MAX) {
            names[n++] = row->engine;
        }
    }
    return n;
}

static void read_engine(const char *value, struct faults *faults, struct kernels_query *query)
{
    const char *names[ENGINES_MAX];
    int n = engine_names(names);

    for (int i = 0; i < n; i++) {
        if (!*value || strcasecmp(names[i], value) == 0) {
            query->engine = *value ? names[i] : NULL;
            return;
        }
    }
    fault_add(faults, "?engine", fault_nearest(value, names, n),
              "no row of the table is of an engine \"%.100s\"", value);
}

static void read_class(const char *value, struct faults *faults, struct kernels_query *query)
{
    const char *names[KERNEL_CLASS_COUNT];

    if (!*value || kernel_class_named(value, &query->class)) {
        return;
    }
    for (int i = 0; i < KERNEL_CLASS_COUNT; i++) {
        names[i] = kernel_class_name((enum kernel_class)i);
    }
    fault_add(faults, "?class", fault_nearest(value, names, KERNEL_CLASS_COUNT),
              "no class of kernels is called \"%.100s\"", value);
}

/* The place of a page in the table, which stands in a cursor as digits. */
static void read_place(const char *sort, struct faults *faults, struct kernels_query *query)
{
    char *end = NULL;
    unsigned long from = strtoul(sort, &end, 10);

    if (!isdigit((unsigned char)*sort) || *end) {
        fault_add(faults, "?cursor", NULL, "is not a next_cursor of this list");
        return;
    }
    query->from = from;
}

static void read_argument(struct context *ctx, const struct argument *argument,
                          struct faults *faults, struct kernels_query *query)
{
    if (strcmp(argument->name, "name") == 0) {
        query->name = argument->value;
    } else if (strcmp(argument->name, "class") == 0) {
        read_class(argument->value, faults, query);
    } else if (strcmp(argument->name, "engine") == 0) {
        read_engine(argument->value, faults, query);
    } else if (!list_common_read(ctx, argument, faults, &query->page)) {
        const char *pointer = arena_printf(faults->arena, "?%.100s", argument->name);
        fault_add(faults, pointer ? pointer : "?", NULL, "unknown argument of this list");
    }
}

/* ?name= asks for one kernel: nothing else narrows that. */
static void refuse_beside_name(const struct request *request, struct faults *faults)
{
    for (int i = 0; i < request->n_arguments; i++) {
        const char *name = request->arguments[i].name;
        if (strcmp(name, "name") != 0 && strcmp(name, "format") != 0) {
            const char *pointer = arena_printf(faults->arena, "?%.100s", name);
            fault_add(faults, pointer ? pointer : "?", NULL, "does not go with ?name=");
        }
    }
}

static bool read_query(struct context *ctx, struct faults *faults, struct kernels_query *ret_query)
{
    const struct request *request = ctx->request;
    struct kernels_query query = {.page.limit = LIST_LIMIT_DEFAULT, .class = KERNEL_CLASS_COUNT};

    for (int i = 0; i < request->n_arguments; i++) {
        if (list_is_repeated(request, i)) {
            const char *pointer =
                arena_printf(faults->arena, "?%.100s", request->arguments[i].name);
            fault_add(faults, pointer ? pointer : "?", NULL, "stands twice");
        } else {
            read_argument(ctx, &request->arguments[i], faults, &query);
        }
    }
    if (query.page.cursor) {
        read_place(query.page.cursor, faults, &query);
    }
    if (query.name && faults->n == 0) {
        refuse_beside_name(request, faults);
    }
    query.words = query.page.match ? request_argument(request, "q") : NULL;
    *ret_query = query;
    return faults->n == 0;
}

static bool row_fits(const struct kernel_row *row, const struct kernels_query *query)
{
    static const size_t TEXTS[] = {
        offsetof(struct kernel_row, pattern), offsetof(struct kernel_row, engine),
        offsetof(struct kernel_row, source), offsetof(struct kernel_row, example)};

    if ((query->class != KERNEL_CLASS_COUNT && row->class != query->class) ||
        (query->engine && strcmp(row->engine, query->engine) != 0)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
        const char *text = NULL;
        memcpy(&text, (const char *)row + TEXTS[i], sizeof text);
        if (text_holds_words(text, query->words)) {
            return true;
        }
    }
    return text_holds_words(kernel_class_name(row->class), query->words);
}

/* ---- replies ---- */

static void put_budgets(struct json_out *out, enum kernel_class class)
{
    size_t n = 0;
    const enum class_id *ids = kernel_class_budgets(class, &n);

    json_key(out, "compared_with");
    json_begin_array(out);
    for (size_t i = 0; i < n; i++) {
        json_text(out, class_name(ids[i]));
    }
    json_end_array(out);
}

static void put_row(struct json_out *out, const struct kernel_row *row)
{
    json_begin_object(out);
    json_put_text(out, "pattern", row->pattern);
    json_put_text(out, "class", kernel_class_name(row->class));
    json_put_text(out, "engine", row->engine);
    json_put_text(out, "source", row->source);
    json_put_text(out, "example", row->example);
    json_put_text(out, "ambiguous", row->ambiguous);
    put_budgets(out, row->class);
    json_end_object(out);
}

static void put_name(struct json_out *out, const char *name)
{
    struct kernel_match match = kernel_class_of(name, strlen(name));

    json_begin_object(out);
    json_put_text(out, "name", name);
    json_put_text(out, "class", kernel_class_name(match.class));
    put_budgets(out, match.class);
    json_put_text(out, "ambiguous", match.row ? match.row->ambiguous : NULL);
    json_key(out, "row");
    if (match.row) {
        put_row(out, match.row);
    } else {
        json_null(out);
    }
    json_end_object(out);
}

static void put_csv_row(struct json_out *out, const struct kernel_row *row)
{
    struct arena *arena = out->arena;
    size_t n = 0;
    const enum class_id *ids = kernel_class_budgets(row->class, &n);
    const char *budgets = "";

    for (size_t i = 0; i < n && budgets; i++) {
        budgets = arena_printf(arena, "%s%s%s", budgets, i ? " " : "", class_name(ids[i]));
    }
    out_text(out, row->pattern); /* patterns need no quotes */
    csv_text(out, kernel_class_name(row->class));
    csv_text(out, row->engine);
    csv_text(out, row->source);
    csv_text(out, row->example);
    csv_text(out, row->ambiguous);
    csv_text(out, budgets);
    out_text(out, "\r\n");
}

static void put_row_as(struct json_out *out, const struct kernel_row *row, bool csv)
{
    if (csv) {
        put_csv_row(out, row);
    } else {
        put_row(out, row);
    }
}

/* The rows of the page; *ret_total counts those of all pages. Returns the place of the next page, 0
 * when there is none. */
static size_t put_page(struct json_out *out, const struct kernels_query *query, bool csv,
                       int *ret_total)
{
    const struct kernel_row *row = NULL;
    size_t next = 0;
    int total = 0;
    int shown = 0;

    for (size_t i = 0; (row = kernel_row_at(i)) != NULL; i++) {
        if (!row_fits(row, query)) {
            continue;
        }
        total++;
        if (i >= query->from && shown < query->page.limit) {
            shown++;
            put_row_as(out, row, csv);
        } else if (i >= query->from && next == 0) {
            next = i;
        }
    }
    *ret_total = total;
    return next;
}

static void put_list(struct context *ctx, struct json_out *out, const struct kernels_query *query)
{
    struct arena *arena = ctx->request->arena;
    int total = 0;

    json_begin_object(out);
    json_key(out, "items");
    json_begin_array(out);
    size_t next = put_page(out, query, false, &total);
    json_end_array(out);
    json_put_number(out, "total", total);
    const char *sort = next ? arena_printf(arena, "%zu", next) : NULL;
    json_put_text(out, "next_cursor", sort ? cursor_write(arena, sort) : NULL);
    json_end_object(out);
}

static void put_csv(struct json_out *out, const struct kernels_query *query)
{
    int total = 0;

    out_text(out, "pattern,class,engine,source,example,ambiguous,compared_with\r\n");
    if (!query->name) {
        (void)put_page(out, query, true, &total);
        return;
    }
    struct kernel_match match = kernel_class_of(query->name, strlen(query->name));
    if (match.row) {
        put_csv_row(out, match.row);
    }
}

void kernels_handler(struct context *ctx)
{
    struct kernels_query query;
    struct faults faults;
    struct json_out out;

    faults_init(&faults, ctx->request->arena);
    if (!read_query(ctx, &faults, &query)) {
        problem_faults(ctx, &faults);
        return;
    }
    reply_begin(ctx, &out);
    if (strcmp(ctx->format, MEDIA_CSV) == 0) {
        put_csv(&out, &query);
    } else if (query.name) {
        put_name(&out, query.name);
    } else {
        put_list(ctx, &out, &query);
    }
    reply_write(ctx, 200, &out);
}
