/*
 * import_price.c - what a device costs per hour at one provider.
 */
#include <math.h>
#include <string.h>

#include "import.h"
#include "price.h"
#include "sql.h"

#define USD_MIN 0.001
#define USD_MAX 10000

/* A price may be the middle of the range that a provider asks, by size of the instance or by day.
 */
static void check_range(struct import *import, double usd, double low, double high)
{
    if (isnan(low) != isnan(high)) {
        import_fault(import, "'usd_low' and 'usd_high' stand together");
    } else if (!isnan(low) && !(low <= usd && usd <= high)) {
        import_fault(import, "'usd_per_device_hour' is outside usd_low to usd_high");
    }
}

static void check_standing(struct import *import, const cJSON *record, const char *standing)
{
    bool weak = strcmp(standing, "weak") == 0;
    if (!weak && strcmp(standing, "listed") != 0) {
        import_fault(import, "standing '%s' is neither listed nor weak", standing);
    }
    if (weak != (field_text_or_null(import, record, "standing_reason") != NULL)) {
        import_fault(import, "a weak price says why it is weak, and only such a one");
    }
}

void import_price(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"id",          "title",
                                        "hardware",    "provider",
                                        "kind",        "date",
                                        "standing",    "page",
                                        "devices_min", "usd_per_device_hour",
                                        "usd_low",     "standing_reason",
                                        "usd_high",    "notes",
                                        "sources",     "disputes",
                                        NULL};
    const char *id = field_text(import, record, "id");
    const char *offer = field_text(import, record, "kind");
    const char *standing = field_text(import, record, "standing");
    double usd = field_number(import, record, "usd_per_device_hour", USD_MIN, USD_MAX);
    double low = field_number_or_nan(import, record, "usd_low", USD_MIN, USD_MAX);
    double high = field_number_or_nan(import, record, "usd_high", USD_MIN, USD_MAX);
    field_known(import, record, KNOWN);
    (void)field_text_or_null(import, record, "page");
    if (price_kind_parse(offer) == PRICE_KIND_COUNT) {
        import_fault(import, "kind '%s' is unknown", offer);
    }
    check_range(import, usd, low, high);
    check_standing(import, record, standing);
    import_record(import, "price", id, field_text(import, record, "title"), record, doc);
    import_check(
        import,
        sql_run(import->db,
                "INSERT INTO prices (id, hardware_id, provider, offer, standing, "
                "usd_per_device_hour, usd_low, usd_high, devices_min, date) VALUES (?1, ?2, ?3, "
                "?4, ?5, ?6, ?7, ?8, CAST(?9 AS INTEGER), ?10)",
                "tttttddddt", id, field_text(import, record, "hardware"),
                field_text(import, record, "provider"), offer, standing, usd, low, high,
                field_number_or_nan(import, record, "devices_min", 1, 1e4),
                field_text_or_null(import, record, "date")),
        "prices");
}
