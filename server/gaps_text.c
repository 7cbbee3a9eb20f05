#include "gaps_text.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define TIME_MAX 32

static const char *metric_words(const char *metric)
{
    static const struct {
        const char *metric, *words;
    } WORDS[] = {
        {"ttft_ms", "the time to first token"},
        {"tpot_ms", "the time per output token"},
        {"itl_ms", "the time between tokens"},
        {"e2e_ms", "the time of a whole request"},
        {"output_tok_s", "the output rate"},
        {"total_tok_s", "the rate of input and output tokens"},
        {"requests_s", "the rate of requests"},
    };

    for (size_t i = 0; metric && i < ARRAY_LEN(WORDS); i++) {
        if (strcmp(WORDS[i].metric, metric) == 0) {
            return WORDS[i].words;
        }
    }
    return metric ? metric : "any figure";
}

/* ", 1024 to 2047 input tokens"; "" for any. */
static const char *range_words(struct arena *arena, double from, const char *unit)
{
    if (isnan(from)) {
        return "";
    }
    if (from < 2) {
        return arena_printf(arena, ", 1 %s", unit);
    }
    return arena_printf(arena, ", %.0f to %.0f %s", from, 2 * from - 1, unit);
}

static const char *subject_words(struct arena *arena, const struct gap_key *key)
{
    const char *input = range_words(arena, key->input_tokens, "input tokens");
    const char *concurrency = range_words(arena, key->concurrency, "in flight");
    if (!input || !concurrency) {
        return NULL;
    }
    return arena_printf(arena, "%s on %s with %s%s%s", key->model_id ? key->model_id : "any model",
                        key->hardware_id ? key->hardware_id : "any part",
                        key->engine_id ? key->engine_id : "any engine", input, concurrency);
}

const char *gap_question(struct arena *arena, const struct gap_key *key)
{
    const char *subject = subject_words(arena, key);
    return subject ? arena_printf(arena, "What is %s of %s?", metric_words(key->metric), subject)
                   : NULL;
}

const char *gap_conditions(struct arena *arena, const struct gap_key *key)
{
    const char *subject = subject_words(arena, key);
    return subject ? arena_printf(arena,
                                  "a measured run of %s; engine version, formats, lengths and "
                                  "concurrency stated",
                                  subject)
                   : NULL;
}

const char *gap_time(struct arena *arena, int64_t seconds)
{
    time_t when = (time_t)seconds;
    struct tm utc;
    char text[TIME_MAX];
    if (seconds == 0 || !gmtime_r(&when, &utc) ||
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        return NULL;
    }
    return arena_copy(arena, text, strlen(text));
}
