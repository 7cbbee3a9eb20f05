#include "spans.h"

#define GAP_SHARE 0.25
#define STRAY_SHARE 0.01
#define CUTS_MAX 8

/* Shell's method with Ciura's gaps, then a factor of 2.25: it needs no memory beside the array, and
 * spans that profilers write come nearly in order. */
void spans_sort(struct span *spans, size_t n)
{
    static const size_t STEPS[] = {1636185, 727193, 323197, 143643, 63841, 28374, 12611, 5605, 2491,
                                   1107,    492,    219,    97,     43,    19,    8,     3,    1};

    for (size_t s = 0; s < sizeof(STEPS) / sizeof(STEPS[0]); s++) {
        size_t step = STEPS[s];
        for (size_t i = step; i < n; i++) {
            struct span moved = spans[i];
            size_t at = i;
            for (; at >= step && spans[at - step].start_ns > moved.start_ns; at -= step)
                spans[at] = spans[at - step];
            spans[at] = moved;
        }
    }
}

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t earlier_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t spans_union_ns(const struct span *spans, size_t n, unsigned kinds,
                       const struct window *window)
{
    int64_t sum = 0, covered = window->from_ns;

    for (size_t i = 0; i < n && spans[i].start_ns < window->to_ns; i++) {
        if (!(span_kind(&spans[i]) & kinds))
            continue;
        int64_t from = later_of(spans[i].start_ns, covered);
        int64_t to = earlier_of(span_end_ns(&spans[i]), window->to_ns);
        if (to > from) {
            sum += to - from;
            covered = to;
        }
    }
    return sum;
}

int64_t spans_long_gaps_ns(const struct span *spans, size_t n, unsigned kinds,
                           const struct window *window, int64_t long_ns)
{
    int64_t sum = 0, covered = window->from_ns;

    for (size_t i = 0; i < n && spans[i].start_ns < window->to_ns; i++) {
        if (!(span_kind(&spans[i]) & kinds))
            continue;
        int64_t gap = spans[i].start_ns - covered;
        sum += gap >= long_ns ? gap : 0;
        covered = later_of(covered, span_end_ns(&spans[i]));
    }
    int64_t last = window->to_ns - covered;
    return sum + (last >= long_ns ? last : 0);
}

void spans_set_aside(struct span *spans, size_t n_spans, const struct window *windows, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < n_spans; i++) {
        while (at < n && windows[at].to_ns <= spans[i].start_ns)
            at++;
        bool inside = at < n && windows[at].from_ns <= spans[i].start_ns;
        if (span_kind(&spans[i]) == SPAN_DEVICE && !inside)
            spans[i].what += SPAN_ASIDE - SPAN_DEVICE;
    }
}

bool spans_extent(const struct span *spans, size_t n, unsigned kinds, struct window *ret_window)
{
    struct window window = {0};
    bool found = false;

    for (size_t i = 0; i < n; i++) {
        if (!(span_kind(&spans[i]) & kinds))
            continue;
        int64_t end = span_end_ns(&spans[i]);
        window.from_ns = found ? earlier_of(window.from_ns, spans[i].start_ns) : spans[i].start_ns;
        window.to_ns = found ? later_of(window.to_ns, end) : end;
        found = true;
    }
    if (found)
        *ret_window = window;
    return found;
}

bool spans_largest_gap(const struct span *spans, size_t n, unsigned kinds,
                       const struct window *window, struct gap *ret_gap)
{
    struct gap gap = {.length_ns = 0};
    int64_t covered = 0, busy = 0;
    bool begun = false;

    for (size_t i = 0; i < n && spans[i].start_ns < window->to_ns; i++) {
        int64_t from = later_of(spans[i].start_ns, window->from_ns);
        int64_t to = earlier_of(span_end_ns(&spans[i]), window->to_ns);
        if (!(span_kind(&spans[i]) & kinds) || to < from)
            continue;
        if (begun && from - covered > gap.length_ns)
            gap = (struct gap){from - covered, from, covered, busy, 0};
        if (!begun || to > covered) {
            busy += to - (begun ? later_of(from, covered) : from);
            covered = to;
        }
        begun = true;
    }
    gap.busy_after_ns = busy - gap.busy_before_ns;
    if (gap.length_ns > 0)
        *ret_gap = gap;
    return gap.length_ns > 0;
}

int spans_cut_strays(const struct span *spans, size_t n, unsigned kinds, struct window *window)
{
    int cuts = 0;

    for (; cuts < CUTS_MAX; cuts++) {
        struct gap gap;
        if (!spans_largest_gap(spans, n, kinds, window, &gap))
            break;
        double length = (double)(window->to_ns - window->from_ns);
        double stray = STRAY_SHARE * (double)(gap.busy_before_ns + gap.busy_after_ns);
        if ((double)gap.length_ns < GAP_SHARE * length)
            break;
        if ((double)gap.busy_before_ns <= stray)
            window->from_ns = gap.end_ns;
        else if ((double)gap.busy_after_ns <= stray)
            window->to_ns = gap.start_ns;
        else
            break;
    }
    return cuts;
}
