#include "price_load.h"

#include "sql.h"

static const char SQL[] =
    "SELECT id, hardware_id, provider, offer, standing = 'weak', usd_per_device_hour, "
    "coalesce(usd_low, usd_per_device_hour), coalesce(usd_high, usd_per_device_hour), date FROM "
    "prices ORDER BY hardware_id, usd_per_device_hour, id";

static const char *text(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

/* False for a row of a part or kind that this program does not know. */
static bool read_row(const struct library *lib, sqlite3_stmt *row, struct block *block,
                     struct price *ret_price)
{
    const struct hardware *part = library_hardware(lib, text(row, 1));
    enum price_kind kind = price_kind_parse(text(row, 3));
    if (!part || kind == PRICE_KIND_COUNT) {
        return false;
    }
    *ret_price = (struct price){.id = block_text(block, text(row, 0)),
                                .provider = block_text(block, text(row, 2)),
                                .date = block_text(block, text(row, 8)),
                                .hardware = part->index,
                                .kind = kind,
                                .weak = sqlite3_column_int(row, 4) != 0,
                                .usd_per_device_hour = sqlite3_column_double(row, 5),
                                .low = sqlite3_column_double(row, 6),
                                .high = sqlite3_column_double(row, 7)};
    return true;
}

const struct part_price *prices_load(sqlite3 *db, struct block *block, const struct library *lib)
{
    long long max = sql_number(db, "SELECT count(*) FROM prices", -1);
    struct price *rows = max < 0 ? NULL : block_alloc(block, ((size_t)max + 1) * sizeof(*rows));
    struct part_price *settled =
        block_alloc(block, ((size_t)lib->n_hardware + 1) * sizeof(*settled));
    sqlite3_stmt *row = NULL;
    int n = 0;
    if (!rows || !settled || sqlite3_prepare_v2(db, SQL, -1, &row, NULL) != SQLITE_OK) {
        return NULL;
    }
    int rc = sqlite3_step(row);
    for (; rc == SQLITE_ROW && n < max; rc = sqlite3_step(row)) {
        n += read_row(lib, row, block, &rows[n]) ? 1 : 0;
    }
    (void)sqlite3_finalize(row);
    for (int i = 0; i < lib->n_hardware; i++) {
        price_settle(NULL, 0, &settled[i]);
    }
    for (int first = 0, end = 0; first < n; first = end) {
        while (end < n && rows[end].hardware == rows[first].hardware) {
            end++;
        }
        price_settle(&rows[first], end - first, &settled[rows[first].hardware]);
    }
    return rc == SQLITE_DONE ? settled : NULL;
}
