#include "docs.h"

#include <string.h>

#include "body.h"
#include "columns.h"
#include "docs_parts.h"
#include "fields.h"
#include "index.h"
#include "inline_part.h"
#include "openapi_fields.h"
#include "openapi_operations.h"
#include "openapi_schemas.h"
#include "page_style.h"

static const char SECURITY_POLICY[] =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/* ---- parts ---- */

void docs_begin(struct page *page, const char *title)
{
    page_put(page, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
                   "name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>");
    page_text(page, title);
    page_put(page, " - Regime</title><style>");
    page_put(page, PAGE_STYLE);
    page_put(page, "th,td{text-align:left;vertical-align:top}td{white-space:normal;overflow-wrap:"
                   "anywhere}</style></head><body><header><h1><a href=\"/\">Regime</a></h1><p><a "
                   "href=\"/docs\">Reference</a></p></header>\n<main><h2>");
    page_text(page, title);
    page_put(page, "</h2>\n");
}

void docs_send(struct context *ctx, struct page *page)
{
    page_put(page, "</main><footer>The same for programs: <a "
                   "href=\"/openapi.json\">/openapi.json</a></footer></body></html>\n");
    reply_header(ctx->reply, "Content-Security-Policy", SECURITY_POLICY);
    reply_write(ctx, 200, page->out);
}

void docs_link(struct page *page, const char *kind, const char *id)
{
    page_put(page, "<a href=\"/docs/");
    page_put(page, kind);
    page_put(page, "/");
    page_encoded(page, id);
    page_put(page, "\">");
    page_text(page, id);
    page_put(page, "</a>");
}

void docs_heading(struct page *page, const char *text)
{
    page_put(page, "<h3>");
    page_text(page, text);
    page_put(page, "</h3>\n");
}

void docs_paragraph(struct page *page, const char *text)
{
    if (text && text[0]) {
        page_put(page, "<p>");
        page_text(page, text);
        page_put(page, "</p>\n");
    }
}

void docs_fact(struct page *page, const char *name, const char *text)
{
    if (text && text[0]) {
        page_put(page, "<tr><th>");
        page_text(page, name);
        page_put(page, "</th><td>");
        page_text(page, text);
        page_put(page, "</td></tr>\n");
    }
}

static void table_begin(struct page *page, const char *const *names)
{
    page_put(page, "<div class=\"s\"><table><tr>");
    for (; *names; names++) {
        page_put(page, "<th>");
        page_text(page, *names);
        page_put(page, "</th>");
    }
    page_put(page, "</tr>\n");
}

static void table_end(struct page *page)
{
    page_put(page, "</table></div>\n");
}

static void cell(struct page *page, const char *text)
{
    page_put(page, "<td>");
    page_text(page, text ? text : "");
    page_put(page, "</td>");
}

static void code_cell(struct page *page, const char *text)
{
    page_put(page, "<td><code>");
    page_text(page, text);
    page_put(page, "</code></td>");
}

/* ---- routes ---- */

static void put_route(struct page *page, const struct route *route)
{
    bool is_link = !(route->methods & 1u << METHOD_POST) && !strchr(route->path, '{');
    page_put(page, "<tr><td>");
    if (is_link) {
        page_put(page, "<a href=\"");
        page_text(page, route->path);
        page_put(page, "\">");
    }
    page_text(page, route->path);
    page_put(page, is_link ? "</a></td>" : "</td>");
    cell(page, route_allow(route));
    page_put(page, "<td>");
    for (const char *const *type = route->media_types; *type; type++) {
        page_text(page, *type);
        page_put(page, type[1] ? "<br>" : "");
    }
    page_put(page, "</td>");
    cell(page, route->summary);
    page_put(page, "</tr>\n");
}

static void put_routes(struct page *page)
{
    static const char *const NAMES[] = {"Path", "Methods", "Replies", "What it is", NULL};
    docs_heading(page, "Routes");
    table_begin(page, NAMES);
    for (size_t i = 0; i < N_ROUTES; i++) {
        if (!ROUTES[i].page) {
            put_route(page, &ROUTES[i]);
        }
    }
    table_end(page);
    docs_paragraph(page, "?format= goes before the header Accept. Refusals are problem documents "
                         "that list every fault with its place and the nearest known name.");
}

/* ---- requests ---- */

static void put_field(struct page *page, const struct field *field)
{
    struct arena *arena = page->ctx->request->arena;
    page_put(page, "<tr>");
    code_cell(page, field->pointer);
    cell(page, field_expectation(arena, field, false));
    cell(page, openapi_field_default(arena, field));
    cell(page, field->doc);
    page_put(page, "</tr>\n");
}

static void put_table(struct page *page, const char *title, const struct field_table *table)
{
    static const char *const NAMES[] = {"Field", "Value", "When absent", "Meaning", NULL};
    docs_heading(page, title);
    table_begin(page, NAMES);
    for (int i = 0; i < table->n; i++) {
        if (table->rows[i].kind != FIELD_UNUSED) {
            put_field(page, &table->rows[i]);
        }
    }
    table_end(page);
}

static void put_columns(struct page *page)
{
    static const char *const NAMES[] = {"Column", "Meaning", NULL};
    docs_heading(page, "Columns of a sweep");
    table_begin(page, NAMES);
    for (int i = 0; column_name(i); i++) {
        page_put(page, "<tr>");
        code_cell(page, column_name(i));
        cell(page, column_doc(i));
        page_put(page, "</tr>\n");
    }
    table_end(page);
}

/* ---- replies ---- */

static void put_member(struct page *page, const struct schema_member *member)
{
    static const char *const SHAPES[] = {[SHAPE_TEXT] = "text",
                                         [SHAPE_NUMBER] = "number",
                                         [SHAPE_BOOL] = "true or false",
                                         [SHAPE_ANY] = "",
                                         [SHAPE_OBJECT] = ""};
    page_put(page, "<tr>");
    code_cell(page, member->name);
    page_put(page, "<td>");
    page_put(page, member->flags & SCHEMA_LIST ? "list of " : "");
    if (member->of) {
        page_put(page, "<a href=\"#");
        page_put(page, member->of);
        page_put(page, "\">");
        page_put(page, member->of);
        page_put(page, "</a>");
    } else {
        page_put(page, SHAPES[member->shape]);
    }
    page_put(page, member->flags & (SCHEMA_NULL | SCHEMA_NULL_LIST) ? " or null" : "");
    page_put(page, member->flags & SCHEMA_OPTIONAL ? ", may be absent</td>" : "</td>");
    cell(page, member->doc);
    page_put(page, "</tr>\n");
}

static void put_shapes(struct page *page)
{
    docs_heading(page, "Replies and other bodies");
    for (int i = 0; schema_at(i); i++) {
        const struct schema *schema = schema_at(i);
        page_put(page, "<details id=\"");
        page_put(page, schema->name);
        page_put(page, "\"><summary>");
        page_put(page, schema->name);
        page_put(page, ": ");
        page_text(page, schema->doc);
        page_put(page, "</summary><div class=\"s\"><table>\n");
        for (int j = 0; j < schema->n; j++) {
            put_member(page, &schema->members[j]);
        }
        page_put(page, "</table></div></details>\n");
    }
}

/* ---- explanations ---- */

static void put_explained(struct page *page, const char *kind, const char *id, const char *title)
{
    page_put(page, "<li>");
    docs_link(page, kind, id);
    page_put(page, ": ");
    page_text(page, title);
    page_put(page, "</li>\n");
}

static void put_explanations(struct page *page)
{
    docs_heading(page, "Cost classes");
    page_put(page, "<ul>\n");
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct class_info *info = class_info((enum class_id)i);
        put_explained(page, "classes", class_name(info->id), info->title);
    }
    page_put(page, "</ul>\n");
    docs_heading(page, "Regimes");
    page_put(page, "<ul>\n");
    for (int i = 0; i < REGIME_COUNT; i++) {
        const struct regime_info *info = regime_info((enum regime_id)i);
        put_explained(page, "regimes", regime_name(info->id), info->title);
    }
    page_put(page, "</ul>\n");
    docs_heading(page, "Cures");
    page_put(page, "<ul>\n");
    for (int i = 0; cure_info(i); i++) {
        put_explained(page, "cures", cure_info(i)->id, cure_info(i)->title);
    }
    page_put(page, "</ul>\n");
}

void docs_handler(struct context *ctx)
{
    struct json_out out;
    struct page page = {.out = &out, .ctx = ctx};
    reply_begin(ctx, &out);
    docs_begin(&page, "Reference");
    docs_paragraph(&page, "Post a serving configuration to /v1/plan, or put its leaves into a "
                          "query; only the model and the part are required.");
    page_put(&page, "<p><code>curl -s localhost:8080/v1/plan -H 'Content-Type: application/json' "
                    "-d '");
    page_text(&page, OPENAPI_REQUEST_EXAMPLE);
    page_put(&page, "'</code></p>\n");
    page_put(&page, "<p><a href=\"/backtest\">Predicted against measured</a>: how far off the "
                    "predictions are, by engine, part and model, and where they fail.</p>\n");
    put_explanations(&page);
    put_routes(&page);
    put_table(&page, "Fields of a plan", &PLAN_FIELDS);
    put_table(&page, "Fields of a part described in the request", &PART_FIELDS);
    put_columns(&page);
    put_shapes(&page);
    docs_send(ctx, &page);
}
