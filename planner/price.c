#include "price.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "compiler.h"

static bool is_listed(const struct price *row)
{
    return row->kind == PRICE_ON_DEMAND && !row->weak;
}

bool price_counts(const struct part_price *settled, const struct price *row)
{
    return settled->basis == PRICE_WEAK || (settled->basis == PRICE_LISTED && is_listed(row));
}

/* Widens the settled price's range and dates by a row. */
static void take_row(struct part_price *settled, const struct price *row)
{
    const char *date = row->date;

    settled->low = fmin(settled->low, row->low);
    settled->high = fmax(settled->high, row->high);
    if (date && (!settled->oldest || strcmp(date, settled->oldest) < 0))
        settled->oldest = date;
    if (date && (!settled->newest || strcmp(date, settled->newest) > 0))
        settled->newest = date;
}

/* The rank-th (from 0) of the rows that count. */
static double nth(const struct part_price *settled, int rank)
{
    int i = 0;

    while (!price_counts(settled, &settled->prices[i]) || rank-- > 0)
        i++;
    return settled->prices[i].usd_per_device_hour;
}

void price_settle(const struct price *prices, int n, struct part_price *ret_price)
{
    struct part_price settled = {.basis = n > 0 ? PRICE_WEAK : PRICE_NONE,
                                 .usd_per_device_hour = NAN,
                                 .low = NAN,
                                 .high = NAN,
                                 .prices = prices,
                                 .n = n};

    for (int i = 0; i < n; i++)
        if (is_listed(&prices[i]))
            settled.basis = PRICE_LISTED;
    for (int i = 0; i < n; i++) {
        if (!price_counts(&settled, &prices[i]))
            continue;
        settled.rows++;
        take_row(&settled, &prices[i]);
    }
    if (settled.rows > 0)
        settled.usd_per_device_hour =
            (nth(&settled, (settled.rows - 1) / 2) + nth(&settled, settled.rows / 2)) / 2.0;
    *ret_price = settled;
}

#define X(ID, NAME) [ID] = NAME,
static const char *const KIND_NAMES[PRICE_KIND_COUNT] = {PRICE_KIND_LIST(X)};
#undef X

const char *price_kind_name(enum price_kind kind)
{
    return KIND_NAMES[kind];
}

enum price_kind price_kind_parse(const char *name)
{
    int i = 0;

    while (i < PRICE_KIND_COUNT && strcmp(KIND_NAMES[i], name) != 0)
        i++;
    return (enum price_kind)i;
}

const char *price_basis_name(enum price_basis basis)
{
    static const char *const NAMES[] = {[PRICE_NONE] = "no record",
                                        [PRICE_LISTED] = "list prices",
                                        [PRICE_WEAK] = "weak offers",
                                        [PRICE_GIVEN] = "given"};

    return NAMES[basis];
}
