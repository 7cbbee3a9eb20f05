#include "index.h"

#include <string.h>

#include "body.h"
#include "json_out.h"
#include "negotiate.h"

#define BIT(METHOD) (1u << (METHOD))

const char *route_allow(const struct route *route)
{
    bool get = route->methods & BIT(METHOD_GET), post = route->methods & BIT(METHOD_POST);

    if (get && post)
        return "GET, HEAD, POST, OPTIONS";
    return get ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
}

static void write_row_json(const struct route *route, struct json_out *out)
{
    json_begin_object(out);
    json_put_text(out, "path", route->path);
    json_put_text(out, "methods", route_allow(route));
    json_put_text(out, "summary", route->summary);
    json_key(out, "media_types");
    json_begin_array(out);
    for (const char *const *type = route->media_types; *type; type++)
        json_text(out, *type);
    json_end_array(out);
    json_end_object(out);
}

static void write_row_text(const struct route *route, struct json_out *out)
{
    out_printf(out, "%-28s %-26s %s\n", route->path, route_allow(route), route->summary);
}

static void write_row_html(const struct route *route, struct json_out *out)
{
    bool is_link = (route->methods & BIT(METHOD_GET)) && !strchr(route->path, '{');

    out_text(out, "<tr><td>");
    if (is_link)
        out_printf(out, "<a href=\"%s\">%s</a>", route->path, route->path);
    else
        out_text(out, route->path);
    out_printf(out, "</td><td>%s</td><td>%s</td></tr>\n", route_allow(route), route->summary);
}

/* Writes the rows of the API. Returns how many they are. */
static int write_rows(struct json_out *out,
                      void (*write_row)(const struct route *route, struct json_out *out))
{
    int n = 0;

    for (size_t i = 0; i < N_ROUTES; i++) {
        if (ROUTES[i].page)
            continue;
        write_row(&ROUTES[i], out);
        n++;
    }
    return n;
}

static void write_json(struct json_out *out)
{
    json_begin_object(out);
    json_key(out, "items");
    json_begin_array(out);
    int n = write_rows(out, write_row_json);
    json_end_array(out);
    json_put_number(out, "total", n);
    json_put_null(out, "next_cursor");
    json_end_object(out);
}

static void write_html(struct json_out *out)
{
    out_text(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<title>Regime API</title></head><body><h1>Regime API</h1>\n<table>\n");
    write_rows(out, write_row_html);
    out_text(out, "</table></body></html>\n");
}

void index_handler(struct context *ctx)
{
    struct json_out out;

    reply_begin(ctx, &out);
    if (strcmp(ctx->format, MEDIA_JSON) == 0)
        write_json(&out);
    else if (strcmp(ctx->format, MEDIA_HTML) == 0)
        write_html(&out);
    else
        write_rows(&out, write_row_text);
    reply_write(ctx, 200, &out);
}
