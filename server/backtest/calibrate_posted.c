#include "calibrate_posted.h"

#include <sqlite3.h>
#include <string.h>

#include "anchor_index.h"
#include "runs.h"

#define ARENA_MAX ((size_t)64 << 20)
#define REASONS_MAX 12

/* What runs lack, and the first of them. */
struct lacks {
    int n, n_fitted;

    struct {
        const char *why, *first;
        int n;
    } items[REASONS_MAX];
};

static void count_lack(struct lacks *lacks, const char *why, const char *id)
{
    int i = 0;
    while (i < lacks->n && strcmp(lacks->items[i].why, why) != 0)
        i++;
    if (i == REASONS_MAX)
        return;
    if (i == lacks->n) {
        lacks->n++;
        lacks->items[i].why = why;
        lacks->items[i].first = id;
    }
    lacks->items[i].n++;
}

static void print_lacks(const struct lacks *lacks, FILE *report)
{
    int n = lacks->n_fitted;
    for (int i = 0; i < lacks->n; i++)
        n += lacks->items[i].n;
    if (n == 0)
        return;
    fprintf(report, "\nruns that were added to the bundle: %d, of them in the fit %d\n", n,
            lacks->n_fitted);
    for (int i = 0; i < lacks->n; i++)
        fprintf(report, "%6d left out: %s (%s%s)\n", lacks->items[i].n, lacks->items[i].why,
                lacks->items[i].first, lacks->items[i].n > 1 ? ", ..." : "");
}

bool posted_runs_print(struct store *store, const struct catalogue *catalogue, FILE *report)
{
    static const char SQL[] =
        "SELECT id FROM records WHERE kind = 'anchor' AND bundled = 0 ORDER BY "
        "rowid";
    struct arena *arena = arena_new(ARENA_MAX);
    sqlite3_stmt *row = arena != NULL ? store_read(store, SQL) : NULL;
    struct lacks lacks = {.n = 0};
    int rc = SQLITE_ERROR;
    while (row != NULL && (rc = sqlite3_step(row)) == SQLITE_ROW) {
        const char *id = (const char *)sqlite3_column_text(row, 0);
        int anchor = anchor_find(&catalogue->anchors, id);
        struct faults faults;
        struct run run;
        faults_init(&faults, arena);
        const struct intake intake = {catalogue, arena, &faults, ""};
        const char *why = anchor < 0 ? "" : fit_run_read(&intake, anchor, &run);
        if (why == NULL)
            lacks.n_fitted++;
        else if (*why)
            count_lack(&lacks, why, catalogue->anchors.ids[anchor]);
    }
    store_done(row);
    arena_free(arena);
    if (rc != SQLITE_DONE)
        fprintf(stderr, "regimed: the added runs cannot be read\n");
    else
        print_lacks(&lacks, report);
    return rc == SQLITE_DONE;
}
