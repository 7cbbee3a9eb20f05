/*
 * attribution.h - where the time of a profile went.
 *
 * Purpose: a profile becomes time by class of kernel inside one window: which window and why, busy
 *          as the union of spans, idle as the rest of the window split by what the host did, what
 *          the recording itself says of the run, and whether it can be told at all.
 * Units:   microseconds; shares 0 .. 1 of the time that the shares are of (`sum_us`, or what a
 *          table of percents is of).
 * Ownership: the arena's; names and texts point into the profile.
 * Errors:  `refused` is why no shares are given; `warnings` of the profile are added to.
 */
#ifndef REGIME_ATTRIBUTION_H
#define REGIME_ATTRIBUTION_H

#include "profile.h"

enum run_phase { RUN_UNKNOWN, RUN_DECODE, RUN_PREFILL, RUN_MIXED, RUN_PHASES };

const char *run_phase_name(enum run_phase phase);

/* What was said beside the file; NAN and RUN_UNKNOWN: nothing. */
struct attribution_asked {
    enum run_phase phase;
    double steps;   /* that a table is of */
    double ranks;   /* whose times a table adds */
    double wall_us; /* of the same work, measured without the profiler */
};

struct name_share {
    const char *text;
    enum kernel_class class;
    bool ambiguous;
    double us, share, launches; /* us is NAN where the file has only shares */
};

struct class_share {
    enum kernel_class class;
    double us, share, launches;
};

/* Where the host's part of idle time went. */
enum host_part { HOST_COPY, HOST_SYNC, HOST_LAUNCH_GAPS, HOST_OTHER, HOST_PARTS };

struct attribution {
    const struct profile *profile;
    const char *refused;

    enum run_phase phase;
    const char *phase_from; /* "query", "file", or NULL: not known */
    /* What the file says of its steps; NAN: nothing. */
    double file_batch, file_context, file_new_tokens;
    enum run_phase file_phase;
    const char *file_step; /* the first annotation that says so */
    double steps;          /* NAN: unknown */

    struct window window;
    const char *window_from;             /* the rule that chose it */
    double span_us, busy_us, idle_us;    /* NAN: the file does not tell */
    double sum_us;                       /* NAN: a table of percents */
    double whole_span_us, whole_busy_us; /* of all that was recorded */
    double picked_us;                    /* of steps of one phase among others; NAN */
    double outside_us;                   /* device time outside the window */
    bool has_host_parts;
    double host_us[HOST_PARTS];

    struct class_share shares[KERNEL_CLASS_COUNT]; /* those that occur, the largest first */
    int n_shares;
    struct name_share *names; /* all, the largest first */
    int n_names;
    double unclassified_share;
    double listed_share;  /* of the device time that the rows hold; NAN: the file does not tell */
    double covered_share; /* ... that got a class */
    double excluded_us;   /* load-time kernels, in no share */
    enum profile_stage stage; /* the one that the shares are of, where a table has several */
    bool has_stages[STAGE_COUNT];
};

/* Reads `profile` for the asked one; NULL when out of memory. */
struct attribution *attribution_new(struct arena *arena, struct profile *profile,
                                    const struct attribution_asked *asked);

/* Sets `refused` where no shares can be told. */
void attribution_refuse(struct attribution *attribution, struct profile *profile);

/* Takes what annotations say: phase, batch, context, steps; chooses the window of a trace. */
void attribution_window(struct attribution *attribution, struct profile *profile,
                        const struct attribution_asked *asked);

/* The host's part of a trace's idle time. */
void attribution_host(struct attribution *attribution, const struct profile *profile);

#endif
