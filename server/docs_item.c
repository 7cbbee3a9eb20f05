/*
 * docs_item.c - the page of one class, regime or cure.
 */
#include <sqlite3.h>
#include <string.h>

#include "body.h"
#include "docs.h"
#include "docs_parts.h"
#include "problem.h"
#include "store.h"

#define ANCHORS_SHOWN 12
#define NAMES_MAX 96

/* Whether the words of a text, letters and underscores, hold this one. */
static bool names_word(const char *text, const char *word)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    size_t length = strlen(word);
    while (text && *text) {
        size_t run = strspn(text, LETTERS);
        if (run == length && strncmp(text, word, length) == 0) {
            return true;
        }
        text += run;
        text += strcspn(text, LETTERS);
    }
    return false;
}

/* ---- lists of links ---- */

static void item_begin(struct page *page, bool *any)
{
    page_put(page, *any ? "<li>" : "<ul>\n<li>");
    *any = true;
}

static void list_end(struct page *page, bool any)
{
    page_put(page, any ? "</ul>\n" : "<p class=\"m\">no record</p>\n");
}

static void put_signs(struct page *page, const struct regime_info *regime)
{
    bool any = false;
    for (size_t i = 0; i < ARRAY_LEN(regime->signs) && regime->signs[i]; i++) {
        item_begin(page, &any);
        page_text(page, regime->signs[i]);
        page_put(page, "</li>\n");
    }
    list_end(page, any);
}

static void put_cure(struct page *page, const struct cure_info *cure, bool *any)
{
    item_begin(page, any);
    docs_link(page, "cures", cure->id);
    page_put(page, ": ");
    page_text(page, cure->title);
    page_put(page, "</li>\n");
}

/* ---- measurements ---- */

static void put_anchor(struct page *page, const char *id, const char *title, bool *any)
{
    item_begin(page, any);
    page_put(page, "<a href=\"/v1/anchors/");
    page_encoded(page, id);
    page_put(page, "\">");
    page_text(page, title ? title : id);
    page_put(page, "</a>");
}

/* Measured steps by the share that the class has in them; `any` tells whether there was one. */
static void put_shares(struct page *page, const char *class, bool *any)
{
    static const char SQL[] =
        "SELECT s.anchor_id, r.title, s.classes, sum(s.share) FROM anchor_shares s JOIN records r "
        "ON r.kind = 'anchor' AND r.id = s.anchor_id WHERE instr('+' || s.classes || '+', '+' || "
        "?1 || '+') GROUP BY s.anchor_id ORDER BY 4 DESC, 1 LIMIT ?2";
    const struct context *ctx = page->ctx;
    sqlite3_stmt *row = store_read(app_store(ctx->app), SQL);
    bool bound = row && sqlite3_bind_text(row, 1, class, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_bind_int(row, 2, ANCHORS_SHOWN) == SQLITE_OK;
    while (bound && sqlite3_step(row) == SQLITE_ROW) {
        const char *id = (const char *)sqlite3_column_text(row, 0);
        const char *classes = (const char *)sqlite3_column_text(row, 2);
        if (!id) {
            continue;
        }
        put_anchor(page, id, (const char *)sqlite3_column_text(row, 1), any);
        page_put(page, ": ");
        phrase_begin(&page->phrase);
        phrase_percent(&page->phrase, sqlite3_column_double(row, 3));
        page_phrase(page);
        page_put(page, " of the step in ");
        page_text(page, classes ? classes : class);
        page_put(page, "</li>\n");
    }
    store_done(row);
}

static void put_evidence(struct page *page, const struct cure_info *cure)
{
    static const char SQL[] = "SELECT title FROM records WHERE kind = 'anchor' AND id = ?1";
    bool any = false;
    for (size_t i = 0; i < ARRAY_LEN(cure->anchors) && cure->anchors[i]; i++) {
        sqlite3_stmt *row = store_read(app_store(page->ctx->app), SQL);
        bool found = row &&
                     sqlite3_bind_text(row, 1, cure->anchors[i], -1, SQLITE_STATIC) == SQLITE_OK &&
                     sqlite3_step(row) == SQLITE_ROW;
        put_anchor(page, cure->anchors[i], found ? (const char *)sqlite3_column_text(row, 0) : NULL,
                   &any);
        page_put(page, "</li>\n");
        store_done(row);
    }
    list_end(page, any);
}

/* ---- one class ---- */

static void put_regimes_of(struct page *page, enum class_id id)
{
    bool any = false;
    docs_heading(page, "Regimes that it makes, and their signs");
    for (int i = 0; i < REGIME_COUNT; i++) {
        const struct regime_info *regime = regime_info((enum regime_id)i);
        if (!regime_has_class(regime->id, id)) {
            continue;
        }
        any = true;
        page_put(page, "<p>");
        docs_link(page, "regimes", regime_name(regime->id));
        page_put(page, ": ");
        page_text(page, regime->title);
        page_put(page, "</p>\n");
        put_signs(page, regime);
    }
    if (!any) {
        docs_paragraph(page, "None by itself: it adds to the step of any regime.");
    }
}

static void class_page(struct page *page, int index)
{
    const struct class_info *info = class_info((enum class_id)index);
    bool any = false;
    docs_begin(page, info->title);
    page_put(page, "<table>\n");
    docs_fact(page, "Id", class_name(info->id));
    docs_fact(page, "Pass", pass_name(info->pass));
    docs_fact(page, "Usual bound", bound_name(info->bound));
    docs_fact(page, "Bytes", info->bytes_formula);
    docs_fact(page, "FLOPs", info->flops_formula);
    docs_fact(page, "Time", info->time_formula);
    docs_fact(page, "Source", info->source);
    page_put(page, "</table>\n");
    put_regimes_of(page, info->id);
    docs_heading(page, "Cures");
    for (int i = 0; cure_info(i); i++) {
        if (names_word(info->cures, cure_info(i)->id)) {
            put_cure(page, cure_info(i), &any);
        }
    }
    list_end(page, any);
    docs_heading(page, "Measured steps it has a part in");
    any = false;
    put_shares(page, class_name(info->id), &any);
    list_end(page, any);
}

/* ---- one regime ---- */

static void put_cures_of(struct page *page, const struct regime_info *regime)
{
    bool any = false;
    docs_heading(page, "Cures");
    for (int i = 0; cure_info(i); i++) {
        bool helps = false;
        for (int j = 0; j < CLASS_COUNT; j++) {
            helps = helps || (regime_has_class(regime->id, (enum class_id)j) &&
                              names_word(class_info((enum class_id)j)->cures, cure_info(i)->id));
        }
        if (helps) {
            put_cure(page, cure_info(i), &any);
        }
    }
    if (any) {
        list_end(page, any);
    } else {
        docs_paragraph(page, "They depend on the plan: ask /v1/plan.");
    }
}

static void regime_page(struct page *page, int index)
{
    const struct regime_info *info = regime_info((enum regime_id)index);
    const char *letter = regime_seed_letter(info->id);
    bool any = false;
    docs_begin(page, info->title);
    docs_paragraph(page, info->meaning);
    page_put(page, "<table>\n");
    docs_fact(page, "Id", regime_name(info->id));
    docs_fact(page, "Regime of the seed document", letter);
    docs_fact(page, "Rule: the largest part of the critical path is", info->largest_part);
    page_put(page, "</table>\n");
    docs_heading(page, "Signs, none sufficient alone");
    put_signs(page, info);
    docs_heading(page, "Classes behind it");
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (regime_has_class(info->id, (enum class_id)i)) {
            item_begin(page, &any);
            docs_link(page, "classes", class_name((enum class_id)i));
            page_put(page, ": ");
            page_text(page, class_info((enum class_id)i)->time_formula);
            page_put(page, "</li>\n");
        }
    }
    if (any) {
        list_end(page, any);
    } else {
        docs_paragraph(page, "It is decided by memory or by a whole pass, not by one class.");
    }
    put_cures_of(page, info);
    docs_heading(page, "Measured steps of its classes");
    any = false;
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (regime_has_class(info->id, (enum class_id)i)) {
            put_shares(page, class_name((enum class_id)i), &any);
        }
    }
    list_end(page, any);
}

/* ---- one cure ---- */

static void cure_page(struct page *page, int index)
{
    const struct cure_info *info = cure_info(index);
    bool any = false;
    docs_begin(page, info->title);
    docs_paragraph(page, info->why);
    page_put(page, "<table>\n");
    docs_fact(page, "Id", info->id);
    docs_fact(page, "Changes", info->pointer);
    docs_fact(page, "Not when", info->when_not);
    docs_fact(page, "Effect", "the change is applied to the plan and planned again");
    page_put(page, "</table>\n");
    docs_heading(page, "Classes it helps");
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct class_info *class = class_info((enum class_id)i);
        if (names_word(class->cures, info->id)) {
            item_begin(page, &any);
            docs_link(page, "classes", class_name(class->id));
            page_put(page, ": ");
            page_text(page, class->title);
            page_put(page, "</li>\n");
        }
    }
    if (any) {
        list_end(page, any);
    } else {
        docs_paragraph(page, "None by rule; a plan says whether it helps.");
    }
    docs_heading(page, "Where it was measured");
    put_evidence(page, info);
}

/* ---- which one ---- */

static const char *class_at(int index)
{
    return index < CLASS_COUNT ? class_name((enum class_id)index) : NULL;
}

static const char *regime_at(int index)
{
    return index < REGIME_COUNT ? regime_name((enum regime_id)index) : NULL;
}

static const char *cure_at(int index)
{
    const struct cure_info *info = cure_info(index);
    return info ? info->id : NULL;
}

/* A kind of explanation: its segment, its ids and its page. */
static const struct explained {
    const char *path, *noun;
    const char *(*id_at)(int index); /* NULL past the end */
    void (*write)(struct page *page, int index);
} EXPLAINED[] = {
    {"/docs/classes/", "class", class_at, class_page},
    {"/docs/regimes/", "regime", regime_at, regime_page},
    {"/docs/cures/", "cure", cure_at, cure_page},
};

static void refuse_id(struct context *ctx, const struct explained *kind)
{
    const char *names[NAMES_MAX];
    int n = 0;
    while (n < NAMES_MAX && kind->id_at(n)) {
        names[n] = kind->id_at(n);
        n++;
    }
    const char *what = arena_printf(ctx->request->arena, "%s \"%.200s\"", kind->noun, ctx->id);
    problem_not_found(ctx, what ? what : kind->noun, fault_nearest(ctx->id, names, n));
}

void docs_item_handler(struct context *ctx)
{
    const struct explained *kind = EXPLAINED;
    struct json_out out;
    struct page page = {.out = &out, .ctx = ctx};
    int index = 0;
    while (strncmp(ctx->route->path, kind->path, strlen(kind->path)) != 0) {
        kind++;
    }
    while (kind->id_at(index) && strcmp(kind->id_at(index), ctx->id) != 0) {
        index++;
    }
    if (!kind->id_at(index)) {
        refuse_id(ctx, kind);
        return;
    }
    reply_begin(ctx, &out);
    kind->write(&page, index);
    docs_send(ctx, &page);
}
