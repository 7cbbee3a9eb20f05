#include "profile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SLOTS 32768 /* twice the names, a power of two */
#define NAMES_START 256
#define STEPS_START 16
#define SPANS_START 4096
#define WARNING_MAX 400

struct profile *profile_new(struct arena *arena)
{
    struct profile *profile = arena_alloc(arena, sizeof(*profile));

    if (!profile)
        return NULL;
    profile->arena = arena;
    profile->world_size = profile->rank = profile->tokens = NAN;
    profile->device_total_us = profile->steps_counted = NAN;
    return profile;
}

/* FNV-1a, the stage mixed in. */
static uint32_t hash_of(const char *text, size_t length, enum profile_stage stage)
{
    uint32_t hash = 2166136261u ^ (uint32_t)stage;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

/* Room for one more; the old rows stay behind in the arena. */
static void *grown(struct arena *arena, const void *rows, int n, int *room, int start, size_t size)
{
    int wider = *room ? *room * 2 : start;
    char *memory = arena_alloc_raw(arena, (size_t)wider * size);

    if (!memory)
        return NULL;
    if (n > 0)
        memcpy(memory, rows, (size_t)n * size);
    *room = wider;
    return memory;
}

static int add_name(struct profile *profile, const char *text, size_t length,
                    enum profile_stage stage, uint32_t hash)
{
    if (profile->n_names == PROFILE_NAMES_MAX)
        return -1;
    if (profile->n_names == profile->names_room) {
        struct profile_name *wider = grown(profile->arena, profile->names, profile->n_names,
                                           &profile->names_room, NAMES_START, sizeof(*wider));
        if (!wider)
            return -1;
        profile->names = wider;
    }
    const char *copy = arena_copy(profile->arena, text, length);
    if (!copy)
        return -1;
    profile->name_bytes += length;
    profile->names[profile->n_names] = (struct profile_name){
        .text = copy,
        .length = (uint32_t)length,
        .hash = hash,
        .stage = stage,
        .class = KERNEL_UNCLASSIFIED,
        .us = NAN,
        .percent = NAN,
    };
    return profile->n_names++;
}

/* Names beyond the limits are one, so that their time stays in the sum. */
static int further_name(struct profile *profile)
{
    static const char FURTHER[] = "(names beyond the limit)";

    profile->names_dropped++;
    if (!profile->further)
        profile->further = 1 + add_name(profile, FURTHER, sizeof(FURTHER) - 1, STAGE_ANY, 0);
    return profile->further - 1;
}

int profile_name(struct profile *profile, const char *text, size_t length, enum profile_stage stage)
{
    if (length > PROFILE_NAME_MAX)
        length = PROFILE_NAME_MAX;
    if (!profile->slots)
        profile->slots = arena_alloc(profile->arena, SLOTS * sizeof(*profile->slots));
    if (!profile->slots)
        return -1;
    uint32_t hash = hash_of(text, length, stage), at = hash % SLOTS;
    for (; profile->slots[at]; at = (at + 1) % SLOTS) {
        const struct profile_name *name = &profile->names[profile->slots[at] - 1];
        if (name->hash == hash && name->length == length && name->stage == stage &&
            memcmp(name->text, text, length) == 0)
            return profile->slots[at] - 1;
    }
    bool full = profile->n_names >= PROFILE_NAMES_MAX - 1 ||
                profile->name_bytes + length > PROFILE_NAME_BYTES;
    int index = full ? -1 : add_name(profile, text, length, stage, hash);
    if (index < 0)
        return further_name(profile);
    profile->slots[at] = index + 1;
    return index;
}

/* NAN is what is not known yet. */
static double sum_known(double sum, double more)
{
    if (isnan(more))
        return sum;
    return isnan(sum) ? more : sum + more;
}

void profile_add(struct profile *profile, int name, double us, double percent, double launches)
{
    if (name < 0)
        return;
    struct profile_name *row = &profile->names[name];
    row->us = sum_known(row->us, us);
    row->percent = sum_known(row->percent, percent);
    row->launches += isfinite(launches) && launches > 0 ? launches : 0;
}

/* Room for one more span: few of them, or as many as there may be. Untouched memory costs nothing;
 * growing by doubling would leave half of it behind in the arena. */
static bool has_span_room(struct profile *profile)
{
    if (profile->n_spans < profile->spans_room)
        return true;
    size_t room = profile->spans_room ? PROFILE_SPANS_MAX : SPANS_START;
    if (profile->n_spans == PROFILE_SPANS_MAX)
        return false;
    struct span *wider = arena_alloc_raw(profile->arena, room * sizeof(*wider));
    if (!wider)
        return false;
    if (profile->n_spans > 0)
        memcpy(wider, profile->spans, profile->n_spans * sizeof(*wider));
    profile->spans = wider;
    profile->spans_room = room;
    return true;
}

void profile_span(struct profile *profile, int64_t start_ns, int64_t duration_ns, int name,
                  enum span_kind kind)
{
    /* The first name stands for what has none: host calls are never asked for theirs. */
    uint32_t what = (uint32_t)(name < 0 ? 0 : name) << SPAN_KIND_BITS | (uint32_t)kind;

    do {
        int64_t piece = duration_ns > SPAN_DURATION_MAX_NS ? SPAN_DURATION_MAX_NS : duration_ns;
        if (!has_span_room(profile)) {
            profile->spans_dropped++;
            return;
        }
        profile->spans[profile->n_spans++] =
            (struct span){.start_ns = start_ns, .duration_ns = (uint32_t)piece, .what = what};
        start_ns += piece;
        duration_ns -= piece;
    } while (duration_ns > 0);
}

struct profile_step *profile_step(struct profile *profile)
{
    if (profile->n_steps == profile->steps_room && profile->steps_room < PROFILE_STEPS_MAX) {
        struct profile_step *wider = grown(profile->arena, profile->steps, profile->n_steps,
                                           &profile->steps_room, STEPS_START, sizeof(*wider));
        profile->steps = wider ? wider : profile->steps;
    }
    if (profile->n_steps == profile->steps_room) {
        profile->steps_dropped++;
        return NULL;
    }
    struct profile_step *step = &profile->steps[profile->n_steps++];
    *step = (struct profile_step){.kind = STEP_PROFILER};
    return step;
}

static void note_distinct(int64_t *values, int *n, int max, int64_t value)
{
    for (int i = 0; i < *n; i++)
        if (values[i] == value)
            return;
    if (*n < max)
        values[(*n)++] = value;
}

void profile_note_stream(struct profile *profile, int64_t stream)
{
    note_distinct(profile->streams, &profile->n_streams, (int)ARRAY_LEN(profile->streams), stream);
}

void profile_note_device(struct profile *profile, int64_t device)
{
    note_distinct(profile->devices, &profile->n_devices, (int)ARRAY_LEN(profile->devices), device);
}

static bool holds(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);

    for (size_t i = 0; i + size <= length; i++)
        if (memcmp(text + i, word, size) == 0)
            return true;
    return false;
}

enum host_call host_call_of(const char *name, size_t length)
{
    static const struct {
        const char *word;
        enum host_call call;
    } WORDS[] = {
        {"GraphLaunch", CALL_GRAPH_LAUNCH},
        {"LaunchKernel", CALL_LAUNCH},
        {"LaunchCooperative", CALL_LAUNCH},
        {"Memcpy", CALL_COPY},
        {"Memset", CALL_COPY},
        {"Synchronize", CALL_SYNC},
        {"StreamWaitEvent", CALL_OTHER},
        {"EventQuery", CALL_SYNC},
    };

    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
        if (holds(name, length, WORDS[i].word))
            return WORDS[i].call;
    return CALL_OTHER;
}

void profile_warn(struct profile *profile, const char *format, ...)
{
    char text[WARNING_MAX];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (length < 0 || profile->n_warnings == PROFILE_WARNINGS_MAX)
        return;
    for (int i = 0; i < profile->n_warnings; i++)
        if (strcmp(profile->warnings[i], text) == 0)
            return;
    const char *copy = arena_copy(profile->arena, text, strlen(text));
    if (copy)
        profile->warnings[profile->n_warnings++] = copy;
}

void profile_fail(struct profile *profile, const char *error)
{
    if (!profile->error)
        profile->error = error;
}
