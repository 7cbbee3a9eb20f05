/*
 * scrape_fuzz - scrapes of /metrics out of any text; a form feed ends a scrape.
 *
 * Properties: observed_check.h.
 */
#include "observed_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_scrapes(struct arena *arena, const char *text, size_t length,
                         struct observed *observed)
{
    struct observe_scrape scrapes[OBSERVE_SCRAPES_MAX + 1];
    const char *end = text + length;
    int n = 0;

    while (text <= end && n <= OBSERVE_SCRAPES_MAX) {
        const char *mark = memchr(text, '\f', (size_t)(end - text));
        const char *scrape_end = mark ? mark : end;
        double at_s = n % 2 ? 1700000000.0 + n : (double)NAN;
        scrapes[n++] = (struct observe_scrape){text, (size_t)(scrape_end - text), at_s};
        text = scrape_end + 1;
    }
    return observe_scrapes(arena, scrapes, n, length % 2 ? 60 : (double)NAN, observed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_reader(read_scrapes, data, size);
}
