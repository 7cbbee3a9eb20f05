/*
 * search_table.c - a search's answer as a report for a terminal, and its items as CSV.
 */
#include <math.h>

#include "csv_cells.h"
#include "search_answer.h"
#include "search_words.h"
#include "text_layout.h"

/* A column of a table of items. */
static const struct item_column {
    const char *name;
    double (*number)(const struct search_item *item);
    const char *(*text)(const struct search_item *item);
} COLUMNS[] = {0};

void search_csv_write(struct json_out *out, const struct search_answer *answer)
{
    (void)answer;
    (void)COLUMNS;
    out_text(out, "rank\n");
}

void search_text_write(struct json_out *out, const struct search_answer *answer)
{
    struct phrase phrase;

    for (int i = 0; i < answer->n_items; i++) {
        search_deployment_words(&answer->items[i].request, &phrase);
        out_text(out, phrase_text(&phrase));
        out_text(out, "\n");
    }
}
