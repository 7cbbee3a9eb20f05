#include "memory_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "sql.h"

static const char SQL[] =
    "SELECT id, memory_rule, constant, version_min, version_max, arch, fabric, tp_min, tp_max, "
    "pp_min, pp_max, value, low, high, basis, formula, class FROM memory_rules ORDER BY position, "
    "id";

static const char *text(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

static double number(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? (double)NAN
                                                           : sqlite3_column_double(row, column);
}

static enum basis basis_of(const char *name)
{
    int i = 0;
    while (i < BASIS_NO_RECORD && (!name || strcmp(basis_name((enum basis)i), name) != 0)) {
        i++;
    }
    return (enum basis)i;
}

static void read_version(const char *version, int ret_version[3])
{
    if (version) {
        (void)engine_version_parse(version, ret_version);
    }
}

/* False for a row of an engine or a constant that this program does not know. */
static bool read_row(sqlite3_stmt *row, struct block *block, struct memory_constant *ret_row)
{
    enum memory_rule engine = memory_rule_parse(text(row, 1));
    enum memory_constant_id constant = memory_constant_parse(text(row, 2));
    if (engine == MEMORY_RULE_COUNT || constant == MEMORY_CONSTANT_COUNT) {
        return false;
    }
    *ret_row = (struct memory_constant){
        .id = block_text(block, text(row, 0)),
        .engine = engine,
        .constant = constant,
        .arch = block_text(block, text(row, 5)),
        .class = text(row, 16) ? hardware_class_parse(text(row, 16)) : HW_CLASS_COUNT,
        .fabric = sqlite3_column_type(row, 6) == SQLITE_NULL ? -1 : sqlite3_column_int(row, 6),
        .tp_min = number(row, 7),
        .tp_max = number(row, 8),
        .pp_min = number(row, 9),
        .pp_max = number(row, 10),
        .value = number(row, 11),
        .low = number(row, 12),
        .high = number(row, 13),
        .basis = basis_of(text(row, 14)),
        .formula = block_text(block, text(row, 15)),
    };
    read_version(text(row, 3), ret_row->version_min);
    read_version(text(row, 4), ret_row->version_max);
    return true;
}

bool memory_rules_load(sqlite3 *db, struct block *block, struct library *lib)
{
    long long max = sql_number(db, "SELECT count(*) FROM memory_rules", -1);
    struct memory_constants *constants = block_alloc(block, sizeof(*constants));
    struct memory_constant *rows =
        max < 0 ? NULL : block_alloc(block, ((size_t)max + 1) * sizeof(*rows));
    sqlite3_stmt *row = NULL;
    int n = 0;
    if (!constants || !rows || sqlite3_prepare_v2(db, SQL, -1, &row, NULL) != SQLITE_OK) {
        return false;
    }
    int rc = sqlite3_step(row);
    for (; rc == SQLITE_ROW && n < max; rc = sqlite3_step(row)) {
        if (read_row(row, block, &rows[n])) {
            rows[n].position = n;
            n++;
        }
    }
    (void)sqlite3_finalize(row);
    qsort(rows, (size_t)n, sizeof(*rows), memory_constant_order);
    *constants = (struct memory_constants){.rows = rows, .n = n};
    memory_constants_index(constants);
    lib->memory_constants = constants;
    return rc == SQLITE_DONE;
}
