#include "calibrate_local.h"

#include <string.h>

#include "local_report.h"
#include "sql.h"

#define PATH_TEXT_MAX 4096
#define FILE_NAME "local.csv"

static bool write_records(const struct library *lib, const struct local_folds *folds,
                          const struct local_bands *bands, const char *folder)
{
    char path[PATH_TEXT_MAX];
    if (!text_print(path, sizeof(path), "%s/" FILE_NAME, folder)) {
        fprintf(stderr, "regimed: %s: the path is too long\n", folder);
        return false;
    }
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        fprintf(stderr, "regimed: %s cannot be written\n", path);
        return false;
    }
    bool done = local_records_write(lib, folds, bands, out);
    done = fclose(out) == 0 && done;
    if (!done)
        fprintf(stderr, "regimed: %s cannot be written\n", path);
    return done;
}

bool calibrate_local(struct store *store, const char *out, FILE *report)
{
    struct local_runs runs;
    struct local_folds folds;
    struct local_bands bands;
    const struct catalogue *catalogue = store_catalogue(store);
    const struct library *lib = &catalogue->lib;
    if (!local_runs_read(store, catalogue, &runs)) {
        fprintf(stderr, "regimed: the measured speeds cannot be read\n");
        store_release(store, catalogue);
        return false;
    }
    fprintf(report, "%d measured speeds of local engines, %d sources\n", runs.n, runs.n_sources);
    bool done = local_folds_make(&runs, &folds) && local_bands_make(&folds, &bands) &&
                local_report_print(lib, &folds, &bands, report);
    if (!done)
        fprintf(stderr, "regimed: out of memory\n");
    if (done && out != NULL)
        done = write_records(lib, &folds, &bands, out);
    local_folds_free(&folds);
    local_runs_free(&runs);
    store_release(store, catalogue);
    return done;
}
