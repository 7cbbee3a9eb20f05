#include "trace_reader.h"

#include <math.h>
#include <string.h>

#include "trace_step.h"
#include "trace_text.h"

/* What is wanted of an event. */
struct event {
    struct slice phase, category, name, args;
    struct slice start, duration, process, thread;
};

enum category { OF_DEVICE, OF_RUNTIME, OF_HOST_NOTE, OF_DEVICE_NOTE, OF_OPERATOR, OF_NOTHING };

struct trace_reader {
    struct profile *profile;
    struct trace_text text;
    double events, unread; /* seen; with a time that cannot be read */
    char name[PROFILE_NAME_MAX];
};

/* Categories as Kineto prints them, before 1.13 with capitals. */
static enum category category_of(struct slice name)
{
    static const struct {
        const char *name;
        enum category category;
    } CATEGORIES[] = {
        {"kernel", OF_DEVICE},
        {"cuda_runtime", OF_RUNTIME},
        {"cuda_driver", OF_RUNTIME},
        {"gpu_memcpy", OF_DEVICE},
        {"gpu_memset", OF_DEVICE},
        {"cpu_op", OF_OPERATOR},
        {"user_annotation", OF_HOST_NOTE},
        {"gpu_user_annotation", OF_DEVICE_NOTE},
        {"hip_runtime", OF_RUNTIME},
        {"hip_driver", OF_RUNTIME},
        {"privateuse1_runtime", OF_RUNTIME},
        {"xpu_runtime", OF_RUNTIME},
        {"Kernel", OF_DEVICE},
        {"Memcpy", OF_DEVICE},
        {"Memset", OF_DEVICE},
        {"Runtime", OF_RUNTIME},
    };

    for (size_t i = 0; i < ARRAY_LEN(CATEGORIES); i++)
        if (slice_is(name, CATEGORIES[i].name))
            return CATEGORIES[i].category;
    return OF_NOTHING;
}

static void read_event(struct slice text, struct event *ret_event)
{
    const struct {
        const char *name;
        struct slice *place;
    } wanted[] = {{"ph", &ret_event->phase},     {"cat", &ret_event->category},
                  {"name", &ret_event->name},    {"ts", &ret_event->start},
                  {"dur", &ret_event->duration}, {"args", &ret_event->args},
                  {"pid", &ret_event->process},  {"tid", &ret_event->thread}};

    const char *at, *end = text.text + text.length;
    struct slice_member member;

    if (!slice_members(text, &at))
        return;
    while (slice_member_next(&at, end, &member))
        for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
            if (slice_is(member.name, wanted[i].name)) {
                *wanted[i].place = member.value;
                break;
            }
}

/* The member of an object; {NULL, 0} when it has none. */
static struct slice member_of(struct slice object, const char *name)
{
    const char *at;
    struct slice_member member;

    if (object.length > 0 && slice_members(object, &at))
        while (slice_member_next(&at, object.text + object.length, &member))
            if (slice_is(member.name, name))
                return member.value;
    return (struct slice){NULL, 0};
}

static void take_device(struct trace_reader *reader, const struct event *event, int64_t start_ns,
                        int64_t duration_ns)
{
    struct profile *profile = reader->profile;
    struct slice name = slice_string(event->name, reader->name, sizeof(reader->name));
    double stream = slice_number(member_of(event->args, "stream"));
    double device = slice_number(member_of(event->args, "device"));

    if (!name.text)
        return;
    profile_note_stream(profile, (int64_t)(isnan(stream) ? slice_number(event->thread) : stream));
    profile_note_device(profile, (int64_t)(isnan(device) ? 0 : device));
    profile_span(profile, start_ns, duration_ns,
                 profile_name(profile, name.text, name.length, STAGE_ANY), SPAN_DEVICE);
}

static void take_runtime(struct trace_reader *reader, const struct event *event, int64_t start_ns,
                         int64_t duration_ns)
{
    static const enum span_kind KINDS[CALL_COUNT] = {
        [CALL_LAUNCH] = SPAN_HOST_LAUNCH,
        [CALL_GRAPH_LAUNCH] = SPAN_HOST_LAUNCH,
        [CALL_COPY] = SPAN_HOST_COPY,
        [CALL_SYNC] = SPAN_HOST_SYNC,
    };
    struct profile *profile = reader->profile;
    enum host_call call = host_call_of(event->name.text, event->name.length);

    profile->has_calls = true;
    profile->calls[call].calls++;
    profile->calls[call].us += (double)duration_ns / 1e3;
    if (call != CALL_OTHER)
        profile_span(profile, start_ns, duration_ns, -1, KINDS[call]);
}

static void take_note(struct trace_reader *reader, const struct event *event, bool on_device,
                      const struct window *window)
{
    struct profile *profile = reader->profile;
    struct slice name = slice_string(event->name, reader->name, sizeof(reader->name));
    struct profile_step found = {.on_device = on_device, .window = *window};

    if (!name.text || !trace_step_read(name.text, name.length, &found))
        return;
    struct profile_step *step = profile_step(profile);
    if (!step)
        return;
    *step = found;
    step->text = arena_copy(profile->arena, name.text, name.length);
}

/* The input of a matrix product whose rows are tokens: of "aten::addmm" the second; -1: none is. */
static int input_of(struct slice name)
{
    static const char *const PRODUCTS[] = {"\"aten::mm\"", "\"aten::linear\"", "\"aten::addmm\""};

    for (size_t i = 0; i < ARRAY_LEN(PRODUCTS); i++)
        if (slice_is(name, PRODUCTS[i]))
            return i == 2 ? 1 : 0;
    return -1;
}

/* The n-th element of a list; {NULL, 0} when it has not as many. */
static struct slice element_of(struct slice list, int n)
{
    struct slice element = {NULL, 0};

    if (list.length < 2 || list.text[0] != '[')
        return element;
    const char *at = list.text + 1, *end = list.text + list.length;
    for (int i = 0; i <= n; i++)
        if (!slice_element_next(&at, end, &element))
            return (struct slice){NULL, 0};
    return element;
}

/* The rows of a matrix product: the first dimension of its input. */
static void take_operator(struct trace_reader *reader, const struct event *event)
{
    struct profile *profile = reader->profile;
    int input = input_of(event->name);

    if (input < 0)
        return;
    struct slice shapes = member_of(event->args, "Input Dims");
    if (shapes.length == 0)
        shapes = member_of(event->args, "Input dims");
    double rows = slice_number(element_of(element_of(shapes, input), 0));
    if (rows > profile->tokens || isnan(profile->tokens))
        profile->tokens = rows;
}

static void take_event(void *context, struct slice text)
{
    struct trace_reader *reader = context;
    struct event event = {0};
    int64_t start_ns, duration_ns;

    reader->events++;
    read_event(text, &event);
    if (!slice_is(event.phase, "\"X\"") || event.category.length < 2)
        return;
    struct slice category = {event.category.text + 1, event.category.length - 2};
    enum category of = category_of(category);
    if (of == OF_NOTHING)
        return;
    if (!slice_us_to_ns(event.start, &start_ns) || !slice_us_to_ns(event.duration, &duration_ns) ||
        duration_ns < 0) {
        reader->unread++;
        return;
    }
    const struct window window = {start_ns, start_ns + duration_ns};
    switch (of) {
    case OF_DEVICE:
        take_device(reader, &event, start_ns, duration_ns);
        return;
    case OF_RUNTIME:
        take_runtime(reader, &event, start_ns, duration_ns);
        return;
    case OF_HOST_NOTE:
    case OF_DEVICE_NOTE:
        take_note(reader, &event, of == OF_DEVICE_NOTE, &window);
        return;
    case OF_OPERATOR:
        take_operator(reader, &event);
        return;
    case OF_NOTHING:
        return;
    }
}

/* deviceProperties: [{"name": "NVIDIA B200", ...}, ...]: all are alike but in rare machines. */
static void take_properties(struct trace_reader *reader, struct slice list)
{
    struct profile *profile = reader->profile;
    const char *at = list.text + 1, *end = list.text + list.length;
    struct slice first;

    if (list.text[0] != '[' || !slice_element_next(&at, end, &first))
        return;
    struct slice name = slice_string(member_of(first, "name"), reader->name, sizeof(reader->name));
    if (name.text && name.length > 0)
        profile->device_name = arena_copy(profile->arena, name.text, name.length);
    double memory = slice_number(member_of(first, "totalGlobalMem"));
    profile->device_memory_bytes = isnan(memory) ? 0 : memory;
}

static void take_member(void *context, const char *name, struct slice value)
{
    struct trace_reader *reader = context;

    if (strcmp(name, "deviceProperties") == 0)
        take_properties(reader, value);
    if (strcmp(name, "distributedInfo") == 0) {
        reader->profile->world_size = slice_number(member_of(value, "world_size"));
        reader->profile->rank = slice_number(member_of(value, "rank"));
    }
}

struct trace_reader *trace_reader_new(struct profile *profile)
{
    struct trace_reader *reader = arena_alloc(profile->arena, sizeof(*reader));

    if (!reader)
        return NULL;
    reader->profile = profile;
    trace_text_init(&reader->text, profile->arena, reader);
    reader->text.event = take_event;
    reader->text.member = take_member;
    return reader;
}

void trace_reader_feed(struct trace_reader *reader, const char *piece, size_t size)
{
    trace_text_feed(&reader->text, piece, size);
    if (reader->text.error)
        profile_fail(reader->profile, reader->text.error);
}

void trace_reader_end(struct trace_reader *reader)
{
    struct profile *profile = reader->profile;

    if (!reader->text.ended) {
        profile->is_cut = true;
        profile_warn(profile, "the trace is cut: its JSON text does not end; %.0f events were read",
                     reader->events);
    }
    if (reader->unread > 0)
        profile_warn(profile, "%.0f events have no time that can be read", reader->unread);
    if (reader->text.skipped > 0)
        profile_warn(profile, "%.0f parts of more than %zu bytes were passed over",
                     reader->text.skipped, TRACE_ELEMENT_MAX);
    if (reader->events == 0)
        profile_fail(profile, "it is JSON without the events of a trace: {\"traceEvents\": [...]}");
}
