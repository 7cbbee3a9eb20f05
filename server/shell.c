#include "shell.h"

#include <string.h>
#include <strings.h>

#include "assets.h"
#include "index.h"
#include "negotiate.h"
#include "page.h"
#include "problem.h"

#define DOCUMENT "index.html"
#define POLICY                                                                                     \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "        \
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "

/* Whether a list of codings (RFC 9110 section 12.5.3) allows gzip; absent means no here. */
static bool takes_gzip(const char *accept_encoding)
{
    const char *at = accept_encoding;

    while (at && *at) {
        at += strspn(at, " \t,");
        size_t length = strcspn(at, ";, \t");
        const char *end = at + strcspn(at, ",");
        if (length == 4 && strncasecmp(at, "gzip", length) == 0) {
            const char *q = at + length + strspn(at + length, " \t;");
            return q >= end || strncasecmp(q, "q=0", 3) != 0 ||
                   (q[3] == '.' && strspn(q + 4, "0") < (size_t)(end - q - 4));
        }
        at = end;
    }
    return false;
}

static void send_document(struct context *ctx, const struct asset *document, int status)
{
    const char *embed = request_argument(ctx->request, "embed");
    bool embedded = embed && strcmp(embed, "1") == 0;

    /* A dashboard may frame a chart; nothing else is framed. */
    reply_header(ctx->reply, "Content-Security-Policy", embedded ? POLICY "*" : POLICY "'none'");
    ctx->reply->status = status;
    ctx->reply->content_type = document->media_type;
    ctx->reply->body = document->bytes;
    ctx->reply->body_length = document->length;
}

void front_handler(struct context *ctx)
{
    const struct asset *document = asset_find(DOCUMENT);

    if (strcmp(ctx->format, MEDIA_HTML) != 0)
        index_handler(ctx);
    else if (document)
        send_document(ctx, document, 200);
    else
        page_handler(ctx);
}

void shell_handler(struct context *ctx)
{
    const struct asset *document = asset_find(DOCUMENT);

    if (document)
        send_document(ctx, document, 200);
    else
        problem_not_found(ctx,
                          "page here (this program was built without Node.js, and so without "
                          "the pages that it bundles)",
                          "/plain");
}

bool shell_no_such_page(struct context *ctx)
{
    static const char *const TYPES[] = {MEDIA_JSON, MEDIA_HTML, NULL};
    const struct asset *document = asset_find(DOCUMENT);
    const char *liked = negotiate_accept(ctx->request->accept, TYPES);

    if (!document || strncmp(ctx->request->raw_path, "/v1/", 4) == 0 || !liked ||
        strcmp(liked, MEDIA_HTML) != 0)
        return false;
    send_document(ctx, document, 404);
    return true;
}

void asset_handler(struct context *ctx)
{
    const struct asset *asset = asset_find(ctx->id);
    struct reply *reply = ctx->reply;

    if (!asset || strcmp(asset->name, DOCUMENT) == 0) {
        problem_not_found(ctx, "such file", NULL);
        return;
    }
    bool gzip = asset->gzip_length < asset->length && takes_gzip(ctx->request->accept_encoding);
    reply_header(reply, "Cache-Control", "public, max-age=31536000, immutable");
    reply_header(reply, "Vary", "Accept-Encoding");
    if (gzip)
        reply_header(reply, "Content-Encoding", "gzip");
    reply->status = 200;
    reply->content_type = asset->media_type;
    reply->body = gzip ? asset->gzip : asset->bytes;
    reply->body_length = gzip ? asset->gzip_length : asset->length;
}
