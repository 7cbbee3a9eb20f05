/*
 * spans.h - stretches of time of a trace: their union, and the part of it that is one step.
 *
 * Purpose: kernels on several streams overlap, so that busy time is the length of their union and
 *          not the sum of their durations; what the host did while the device was idle is the
 *          difference of two unions.
 * Units:   nanoseconds.
 * Ownership: the caller's array, sorted in place.
 * Threads: pure.
 */
#ifndef REGIME_SPANS_H
#define REGIME_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a span is of: bits, so that several can be asked for at once. */
enum span_kind {
    SPAN_DEVICE = 1,      /* a kernel, copy or fill on the device */
    SPAN_HOST_COPY = 2,   /* the host is in a call that copies or fills */
    SPAN_HOST_SYNC = 4,   /* the host waits for the device */
    SPAN_HOST_LAUNCH = 8, /* the host is in a call that launches */
    SPAN_ASIDE = 16,      /* work of the device that is not looked at */
};

#define SPAN_KIND_BITS 5
#define SPAN_DURATION_MAX_NS UINT32_MAX

/* Sixteen bytes: a trace has a million of them. */
struct span {
    int64_t start_ns;
    uint32_t duration_ns;
    uint32_t what; /* name << SPAN_KIND_BITS | kind */
};

struct window {
    int64_t from_ns, to_ns;
};

static inline unsigned span_kind(const struct span *span)
{
    return span->what & ((1u << SPAN_KIND_BITS) - 1);
}

static inline uint32_t span_name(const struct span *span)
{
    return span->what >> SPAN_KIND_BITS;
}

static inline int64_t span_end_ns(const struct span *span)
{
    return span->start_ns + span->duration_ns;
}

/* Sorts by start, in place; quick where the spans are nearly sorted already. */
void spans_sort(struct span *spans, size_t n);

/* Length of the union of those of the asked kinds inside the window; the spans are sorted. */
int64_t spans_union_ns(const struct span *spans, size_t n, unsigned kinds,
                       const struct window *window);

/* From the first start to the last end of those kinds; false when there is none. */
bool spans_extent(const struct span *spans, size_t n, unsigned kinds, struct window *ret_window);

/* Sets device spans aside that begin in none of n windows; both are sorted by their beginnings, and
 * the windows do not overlap. */
void spans_set_aside(struct span *spans, size_t n_spans, const struct window *windows, size_t n);

/* The longest stretch without any of those kinds between two that have some. */
struct gap {
    int64_t length_ns;
    int64_t end_ns;                        /* where it ends and time goes on */
    int64_t start_ns;                      /* where it begins */
    int64_t busy_before_ns, busy_after_ns; /* of the union, on either side of it */
};

/* False when the spans leave no gap. */
bool spans_largest_gap(const struct span *spans, size_t n, unsigned kinds,
                       const struct window *window, struct gap *ret_gap);

/* Time of the window outside those kinds, in stretches of `long_ns` and more. */
int64_t spans_long_gaps_ns(const struct span *spans, size_t n, unsigned kinds,
                           const struct window *window, int64_t long_ns);

/*
 * The rule of the largest gap: while the largest gap is at least GAP_SHARE of the window and one
 * side of it holds at most STRAY_SHARE of the busy time, that side is cut off. A recording that
 * waits for a request, or that begins with stray kernels of an earlier step, would otherwise count
 * the wait as idle time of the step. Returns how many sides were cut.
 */
int spans_cut_strays(const struct span *spans, size_t n, unsigned kinds, struct window *window);

#endif
