/*
 * profile_timings.c - what llama.cpp's programs print of a run: llama_print_timings (2023),
 * llama_perf_context_print and common_perf_print (2024 on), llama-server's print_timing and its
 * "timings" object.
 *
 * "eval time = 7777.90 ms / 1023 runs (...)", under some locales with a decimal comma. A run is
 * prompt, generation, sampling; what is left of its total is the program's own time. Loading is no
 * part of the total as most versions count it; where the rest is as long as loading took, it may
 * be.
 */
#include <math.h>
#include <string.h>

#include "profile_lines.h"

enum part_row { PART_SAMPLE, PART_PROMPT, PART_EVAL, PART_TOTAL, PART_UNACCOUNTED, PART_ROWS };

static const struct {
    const char *text, *label;
    bool is_device;
} PARTS[PART_ROWS] = {
    [PART_SAMPLE] = {"sample time", "sample", false},
    [PART_PROMPT] = {"prompt eval time", "prompt eval", true},
    [PART_EVAL] = {"eval time", "eval", true},
    [PART_TOTAL] = {"total time", "total", false},
    [PART_UNACCOUNTED] = {"unaccounted time", "unaccounted", false},
};

/* The newer sampler prints "sampling time". */
static bool find_part(struct slice line, enum part_row *ret_row, struct slice *ret_value)
{
    static const struct {
        const char *text;
        enum part_row row;
    } WORDS[] = {{"sampling time", PART_SAMPLE},    {"sample time", PART_SAMPLE},
                 {"prompt eval time", PART_PROMPT}, {"eval time", PART_EVAL},
                 {"total time", PART_TOTAL},        {"unaccounted time", PART_UNACCOUNTED}};

    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
        size_t length = strlen(WORDS[i].text);
        for (size_t at = 0; at + length <= line.length; at++)
            if (memcmp(line.text + at, WORDS[i].text, length) == 0) {
                *ret_row = WORDS[i].row;
                *ret_value = slice_trimmed(
                    (struct slice){line.text + at + length, line.length - at - length});
                return true;
            }
    }
    return false;
}

static struct profile_part *part_of(struct profile *profile, enum part_row row)
{
    for (int i = 0; i < profile->n_parts; i++)
        if (strcmp(profile->parts[i].label, PARTS[row].label) == 0)
            return &profile->parts[i];
    struct profile_part *part = &profile->parts[profile->n_parts++];
    *part = (struct profile_part){PARTS[row].label, 0, NAN, PARTS[row].is_device};
    return part;
}

static void add_part(struct profile *profile, enum part_row row, double us, double count)
{
    struct profile_part *part = part_of(profile, row);

    if (part->us > 0)
        profile_warn(profile, "several runs are printed: their times are added");
    part->us += us;
    if (!isnan(count))
        part->count = (isnan(part->count) ? 0 : part->count) + count;
}

/* A member of llama-server's "timings": "prompt_ms": 80.76. */
static double member_in(struct slice line, const char *name)
{
    size_t length = strlen(name);

    for (size_t at = 0; at + length <= line.length; at++)
        if (memcmp(line.text + at, name, length) == 0)
            return cell_number_of(slice_trimmed((struct slice){line.text + at + length,
                                                               line.length - at - length}))
                .value;
    return NAN;
}

static void take_object(struct profile *profile, struct slice line)
{
    double prompt_ms = member_in(line, "\"prompt_ms\":");
    double eval_ms = member_in(line, "\"predicted_ms\":");

    if (!isnan(prompt_ms))
        add_part(profile, PART_PROMPT, prompt_ms * 1e3, member_in(line, "\"prompt_n\":"));
    if (!isnan(eval_ms))
        add_part(profile, PART_EVAL, eval_ms * 1e3, member_in(line, "\"predicted_n\":"));
}

/* "load time = 1971.24 ms" */
static void take_load(struct profile *profile, struct slice line)
{
    double ms = member_in(line, "load time =");

    if (!isnan(ms))
        profile->load_us += ms * 1e3;
}

void timings_line(struct lines_state *state, struct slice line)
{
    enum part_row row;
    struct slice value;

    if (!find_part(line, &row, &value) || value.length == 0 || *value.text != '=') {
        take_load(state->profile, line);
        take_object(state->profile, line);
        return;
    }
    value = slice_trimmed((struct slice){value.text + 1, value.length - 1});
    struct cell_number time = cell_number_of(value);
    const char *bar = memchr(value.text, '/', value.length);
    double count = NAN;
    if (bar)
        count =
            cell_number_of((struct slice){bar + 1, (size_t)(value.text + value.length - bar) - 1})
                .value;
    if (isnan(time.value))
        state->profile->cut_rows++;
    else
        add_part(state->profile, row, time.value * 1e3, count);
}

void timings_end(struct lines_state *state)
{
    state->profile->engine = "llama.cpp";
}
