/*
 * profile.h - what a profile file holds, whichever tool wrote it.
 *
 * Purpose: readers of formats fill it, attribution.h makes shares of it. Time by name (a table), or
 *          spans of time (a trace), and what the file says of the run: annotations, device, ranks.
 * Units:   microseconds in tables, nanoseconds in spans; percent of all device time, 0 .. 100.
 * Ownership: everything lies in the request's arena.
 * Errors:  what does not fit the limits is counted and said in a warning; `error` is why the file
 *          cannot be read at all.
 * Threads: one reader at a time.
 */
#ifndef REGIME_PROFILE_H
#define REGIME_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "kernel_names.h"
#include "spans.h"

/* Spans of one trace: 20 MB. */
#define PROFILE_SPANS_MAX 1250000
#define PROFILE_NAMES_MAX 16384
/* Of all names together; of one name, behind which it is cut. */
#define PROFILE_NAME_BYTES (2u << 20)
#define PROFILE_NAME_MAX 4096
#define PROFILE_STEPS_MAX 4096
#define PROFILE_WARNINGS_MAX 24
#define PROFILE_PARTS_MAX 16
#define PROFILE_ARMS_MAX 64

/* Part of a serving run that a row of a table is of. */
enum profile_stage { STAGE_ANY, STAGE_PREFILL, STAGE_DECODE, STAGE_COUNT };

/* The time of one name. */
struct profile_name {
    const char *text; /* NUL-terminated */
    uint32_t length, hash;
    enum profile_stage stage;
    bool fixed;              /* `class` is known from more than the name */
    bool on_host;            /* work of the CPU, in a profile without a device */
    enum kernel_class class; /* set by the attribution unless it is fixed */
    bool ambiguous;
    double us, percent; /* NAN: the file does not say */
    double launches;    /* 0: the file does not say */
};

/* Calls of the runtime, by what the host does in them. */
enum host_call { CALL_LAUNCH, CALL_GRAPH_LAUNCH, CALL_COPY, CALL_SYNC, CALL_OTHER, CALL_COUNT };

struct call_sum {
    double us, calls;
};

/* A step that the recording names. */
enum step_kind {
    STEP_PROFILER, /* ProfilerStep#3 */
    STEP_MODE,     /* the engine's own, with its mode and batch */
    STEP_ENGINE,   /* the engine's own: sequences, tokens and context */
    STEP_CAPTURE,  /* a graph is recorded, nothing runs */
};

struct profile_step {
    enum step_kind kind;
    bool on_device; /* timed on the device, so that it is a window of it */
    struct window window;
    double prompts, prompt_tokens, prompt_context; /* sequences, new tokens, tokens attended */
    double sequences, context;                     /* decoding ones and the tokens they attend */
    const char *text;
};

/* Time that a program prints of its own phases. */
struct profile_part {
    const char *label; /* "eval" */
    double us, count;  /* count: tokens or runs; NAN */
    bool is_device;    /* the model runs; else the host works */
};

/* One run of several that are compared: wall time and kernel time. */
struct profile_arm {
    const char *label;
    double wall_us, busy_us, launches;
};

struct profile {
    struct arena *arena;
    const char *format;   /* a name of PROFILE_FORMATS; NULL: none was recognised */
    const char *error;    /* why it cannot be read */
    const char *error_at; /* what stands there, or NULL */

    struct profile_name *names;
    int n_names, names_room;
    int32_t *slots;
    size_t name_bytes;
    double names_dropped;
    int further; /* the name that stands for those beyond the limits, from 1; 0: none yet */

    struct span *spans; /* NULL: no trace */
    size_t n_spans, spans_room, spans_dropped;
    struct profile_step *steps;
    int n_steps, steps_room;
    size_t steps_dropped;
    int64_t streams[64]; /* distinct ones, as far as they fit */
    int n_streams;
    int64_t devices[64];
    int n_devices;

    struct call_sum calls[CALL_COUNT];
    bool has_calls; /* calls are recorded at all */

    struct profile_part parts[PROFILE_PARTS_MAX];
    int n_parts;
    struct profile_arm arms[PROFILE_ARMS_MAX];
    int n_arms;

    const char *device_name; /* as the file has it; NULL */
    double device_memory_bytes;
    double world_size, rank;  /* NAN */
    double tokens;            /* rows of the widest matrix product that the file shows; NAN */
    double device_total_us;   /* what the file calls the total; NAN */
    double steps_counted;     /* steps that the times are of; NAN: unknown */
    double load_us;           /* that a program printed of loading; 0: none */
    bool is_cut;              /* the file ends too early */
    double cut_rows;          /* rows that end too early to be read */
    enum profile_stage stage; /* of the whole file, where a head or its operators tell it */
    const char *engine;       /* that the format belongs to; NULL */

    const char *warnings[PROFILE_WARNINGS_MAX];
    int n_warnings;
};

/* An empty one; NULL when out of memory. */
struct profile *profile_new(struct arena *arena);

/* The place of a name, added when it is new; beyond the limits one place for all; -1 without
 * memory. */
int profile_name(struct profile *profile, const char *text, size_t length,
                 enum profile_stage stage);

/* Adds time to a name; us and percent may be NAN. */
void profile_add(struct profile *profile, int name, double us, double percent, double launches);

/* Adds a span of a name (-1: none), the long ones in pieces. */
void profile_span(struct profile *profile, int64_t start_ns, int64_t duration_ns, int name,
                  enum span_kind kind);

/* A new step, zeroed; NULL when there is no room. */
struct profile_step *profile_step(struct profile *profile);

/* Notes a stream or device; their number is told up to 64. */
void profile_note_stream(struct profile *profile, int64_t stream);
void profile_note_device(struct profile *profile, int64_t device);

/* What the host does in a call of that name: "cudaLaunchKernel", "hipMemcpyAsync". */
enum host_call host_call_of(const char *name, size_t length);

/* Adds a warning once. */
void profile_warn(struct profile *profile, const char *format, ...) PRINTF_LIKE(2, 3);

/* Stops the reading for good. */
void profile_fail(struct profile *profile, const char *error);

#endif
