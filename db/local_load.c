#include "local_load.h"

#include <math.h>
#include <stdlib.h>

#include "sql.h"

static const char SQL[] =
    "SELECT c.id, c.op, f.backend, c.engine_id, f.family, f.format, c.hardware_id, f.value, f.n, "
    "f.median_abs_err, f.p90_abs_err FROM local_fits f JOIN calibrations c ON c.id = "
    "f.calibration_id ORDER BY c.id";

static const char *text(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

static double number(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? (double)NAN
                                                           : sqlite3_column_double(row, column);
}

/* What is NULL speaks of all; a name that this program does not know leaves its list's end, which
 * nothing asks for. */
static struct local_scope read_scope(const struct library *lib, sqlite3_stmt *row)
{
    struct local_scope scope = {.backend = LOCAL_ANY,
                                .engine = LOCAL_ANY,
                                .family = LOCAL_ANY,
                                .format = LOCAL_ANY,
                                .part = LOCAL_ANY};
    if (text(row, 2)) {
        scope.backend = (int)backend_parse(text(row, 2));
    }
    if (text(row, 3)) {
        const struct engine *engine = library_engine(lib, text(row, 3));
        scope.engine = engine ? engine->index : lib->n_engines;
    }
    if (text(row, 4)) {
        scope.family = (int)local_family_parse(text(row, 4));
    }
    if (text(row, 5)) {
        scope.format = (int)local_format_parse(text(row, 5));
    }
    if (text(row, 6)) {
        const struct hardware *part = library_hardware(lib, text(row, 6));
        scope.part = part ? part->index : lib->n_hardware;
    }
    return scope;
}

bool local_fits_load(sqlite3 *db, struct block *block, struct library *lib)
{
    sqlite3_stmt *row = NULL;
    long long max = sql_number(db, "SELECT count(*) FROM local_fits", -1);
    struct local_fit *fits = max < 0 ? NULL : block_alloc(block, ((size_t)max + 1) * sizeof(*fits));
    if (!fits || sqlite3_prepare_v2(db, SQL, -1, &row, NULL) != SQLITE_OK) {
        return false;
    }
    int n = 0;
    int rc = sqlite3_step(row);
    for (; rc == SQLITE_ROW && n < max; rc = sqlite3_step(row)) {
        struct local_fit fit = {.record = block_text(block, text(row, 0)),
                                .constant = local_constant_parse(text(row, 1)),
                                .scope = read_scope(lib, row),
                                .value = number(row, 7),
                                .n = number(row, 8),
                                .median_abs_err = number(row, 9),
                                .p90_abs_err = number(row, 10)};
        if (fit.constant != LOCAL_CONSTANT_COUNT) {
            fits[n++] = fit;
        }
    }
    sqlite3_finalize(row);
    local_fits_sort(fits, n);
    lib->local_fits = fits;
    lib->n_local_fits = n;
    return rc == SQLITE_DONE || rc == SQLITE_ROW;
}
