#include "trace_step.h"

#include <string.h>

/* Text that is read from left to right. */
struct reader {
    const char *at, *end;
};

static bool take_text(struct reader *reader, const char *text)
{
    size_t length = strlen(text);

    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, text, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static bool take_number(struct reader *reader, double *ret_number)
{
    const char *from = reader->at;
    double number = 0;

    for (; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9'; reader->at++)
        number = number * 10 + (*reader->at - '0');
    if (reader->at == from)
        return false;
    *ret_number = number;
    return true;
}

/* Behind the first `text` from here on. */
static bool find_text(struct reader *reader, const char *text)
{
    for (; reader->at < reader->end; reader->at++)
        if (take_text(reader, text))
            return true;
    return false;
}

/* "9(sq8155sk8430...)" or "9(8155_7475785)": sequences, new tokens, tokens attended. */
static bool take_side(struct reader *reader, double *ret_sequences, double *ret_tokens,
                      double *ret_attended)
{
    double attended = 0;

    if (!take_number(reader, ret_sequences) || !take_text(reader, "("))
        return false;
    bool later_form = take_text(reader, "sq");
    if (!take_number(reader, ret_tokens))
        return false;
    if (later_form && (!take_text(reader, "sk") || !take_number(reader, &attended)))
        return false;
    *ret_attended = attended;
    return find_text(reader, ")");
}

static bool read_vllm(struct reader reader, struct profile_step *step)
{
    double decode_tokens;

    if (!take_text(&reader, "execute_") || !find_text(&reader, "context_") ||
        !take_side(&reader, &step->prompts, &step->prompt_tokens, &step->prompt_context) ||
        !take_text(&reader, "_generation_") ||
        !take_side(&reader, &step->sequences, &decode_tokens, &step->context))
        return false;
    if (step->prompt_context < step->prompt_tokens) /* the earlier form has none */
        step->prompt_context = step->prompt_tokens;
    step->kind = STEP_ENGINE;
    return true;
}

/* "step[EXTEND bs=15 toks=15360]", "step[DECODE bs=32]", "step[MIXED bs=40 toks=8192]". */
static bool read_sglang(struct reader reader, struct profile_step *step)
{
    double batch = 0, tokens = 0;

    if (!take_text(&reader, "step["))
        return false;
    bool decodes = take_text(&reader, "DECODE"), extends = take_text(&reader, "EXTEND");
    if (!find_text(&reader, "bs=") || !take_number(&reader, &batch))
        return false;
    if (find_text(&reader, "toks="))
        (void)take_number(&reader, &tokens);
    if (decodes) {
        step->sequences = batch;
    } else {
        step->prompts = batch;
        step->prompt_tokens = step->prompt_context = tokens;
        step->sequences = extends ? 0 : batch;
    }
    step->kind = STEP_MODE;
    return true;
}

bool trace_step_read(const char *name, size_t length, struct profile_step *ret_step)
{
    struct reader reader = {name, name + length}, numbered = reader;
    double number;

    if (read_vllm(reader, ret_step) || read_sglang(reader, ret_step))
        return true;
    if (take_text(&reader, "capture_") || take_text(&reader, "graph_capture")) {
        ret_step->kind = STEP_CAPTURE;
        return true;
    }
    ret_step->kind = STEP_PROFILER;
    return take_text(&numbered, "ProfilerStep#") && take_number(&numbered, &number);
}
