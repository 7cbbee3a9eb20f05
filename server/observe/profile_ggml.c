/*
 * profile_ggml.c - ggml's own logs: the Vulkan back end's (GGML_VK_PERF_LOGGER, once
 * GGML_VULKAN_PERF) and the print of a graph's nodes of 2023.
 *
 * "MUL_MAT_VEC q8_0 m=512 n=1 k=2048: 46116 x 125.336 us = 5.78e+06 us (401 GFLOPS/s)"; the form
 * before late 2025 ends behind the mean. Its first versions say "ms" of microseconds: they divide
 * nanoseconds by 1000 (ggml-vulkan.cpp of 2025-02 to 2025-05).
 * " - 12: [ 4096, 1, 1]  MUL_MAT   (  1) cpu =  0.1 /  0.1 ms, wall =  0.2 /  0.2 ms"
 */
#include <math.h>
#include <string.h>

#include "profile_lines.h"

/* Behind `text` in the line; {NULL, 0} where it does not stand. */
static struct slice behind(struct slice line, const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i + length <= line.length; i++)
        if (memcmp(line.text + i, text, length) == 0)
            return (struct slice){line.text + i + length, line.length - i - length};
    return (struct slice){NULL, 0};
}

/* The last ": " of a line parts the operator from its times: shapes may hold colons. */
static bool part_operator(struct slice line, struct slice *ret_name, struct slice *ret_times)
{
    for (size_t i = line.length; i-- > 1;)
        if (line.text[i - 1] == ':' && line.text[i] == ' ') {
            *ret_name = slice_trimmed((struct slice){line.text, i - 1});
            *ret_times = slice_trimmed((struct slice){line.text + i, line.length - i});
            return ret_name->length > 0;
        }
    return false;
}

static void vulkan_line(struct lines_state *state, struct slice line)
{
    struct slice name, times;

    if (!part_operator(line, &name, &times))
        return;
    struct slice mean = behind(times, " x ");
    double count = cell_number_of(times).value;
    struct cell_number average = cell_number_of(mean);
    if (!mean.text || isnan(count) || isnan(average.value)) {
        state->profile->cut_rows += slice_holds(line, "MUL_MAT") ? 1 : 0;
        return;
    }
    struct cell_number total = cell_number_of(behind(mean, " = "));
    double us = cell_us(total.value, total.unit);
    if (isnan(us)) {
        us = average.value * count;
        if (average.unit == UNIT_MS)
            profile_warn(state->profile,
                         "the times are labelled ms and taken as the microseconds that they are");
    }
    struct cell_number experts = cell_number_of(behind(name, "n_expert="));
    if (!isnan(experts.value))
        state->n_experts = experts.value;
    profile_add(state->profile, profile_name(state->profile, name.text, name.length, STAGE_ANY), us,
                NAN, count);
}

/* " - 12: [ 4096, 1, 1]  MUL_MAT ... wall = 0.2 / 0.2 ms" */
static void node_line(struct lines_state *state, struct slice line)
{
    struct slice rest = slice_trimmed(behind(line, "]"));
    struct slice wall = behind(rest, "wall =");
    size_t length = 0;

    while (length < rest.length && rest.text[length] != ' ')
        length++;
    struct cell_number time = cell_number_of(wall);
    if (!wall.text || isnan(time.value) || length == 0)
        return;
    state->has_nodes = true;
    profile_add(state->profile, profile_name(state->profile, rest.text, length, STAGE_ANY),
                time.value * 1e3, NAN, 1);
}

/* "perf_total_per_op_us[         MUL_MAT] =  12.345 ms": of nodes that were printed before. */
static void summary_line(struct lines_state *state, struct slice line)
{
    struct slice name = slice_trimmed(behind(line, "["));
    size_t length = 0;

    while (length < name.length && name.text[length] != ']')
        length++;
    double ms = cell_number_of(behind(line, "] =")).value;
    if (!state->has_nodes && !isnan(ms) && ms > 0)
        profile_add(state->profile, profile_name(state->profile, name.text, length, STAGE_ANY),
                    ms * 1e3, NAN, NAN);
}

void ggml_line(struct lines_state *state, struct slice line)
{
    line = slice_trimmed(line);
    if (line.length == 0)
        return;
    if (slice_holds(line, "perf_total_per_op_us["))
        summary_line(state, line);
    else if (line.text[0] == '-' && behind(line, "wall =").text)
        node_line(state, line);
    else
        vulkan_line(state, line);
}

/* The router of a mixture of experts is the matrix with a row for each expert, kept in 32 bits. */
static bool is_router(const struct lines_state *state, const struct profile_name *name)
{
    struct slice text = {name->text, name->length};

    return state->n_experts > 0 && slice_holds(text, "MUL_MAT") && !slice_holds(text, "_ID") &&
           slice_holds(text, " f32 ") &&
           cell_number_of(behind(text, " m=")).value == state->n_experts;
}

/* Products of a matrix and single vectors are what a decode step has; of prompts it has none. */
static enum profile_stage stage_of(const struct profile *profile)
{
    double vectors = 0, products = 0;

    for (int i = 0; i < profile->n_names; i++) {
        struct slice text = {profile->names[i].text, profile->names[i].length};
        double us = profile->names[i].us;
        if (!slice_holds(text, "MUL_MAT") || isnan(us))
            continue;
        products += us;
        vectors += slice_holds(text, "_VEC") ? us : 0;
    }
    return vectors > 0 && vectors == products ? STAGE_DECODE : STAGE_ANY;
}

void ggml_end(struct lines_state *state)
{
    struct profile *profile = state->profile;

    profile->stage = stage_of(profile);
    profile->engine = "llama.cpp";
    for (int i = 0; i < profile->n_names; i++)
        if (is_router(state, &profile->names[i])) {
            profile->names[i].class = KERNEL_MOE_GATING;
            profile->names[i].fixed = true;
        }
}
