/*
 * observed_check.h - what holds for observations out of any text; for the fuzz targets of
 * server/observe.
 */
#ifndef REGIME_OBSERVED_CHECK_H
#define REGIME_OBSERVED_CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json_check.h"
#include "observe.h"
#include "observed_json.h"
#include "request_limits.h"
#include "utf8.h"

/* Texts come as JSON strings: well-formed, without NUL. */
#define TEXT_MAX (64 * KIB)

static inline void require(int condition)
{
    if (!condition)
        abort();
}

/* Every value is finite, shares are shares, every line is accounted for. */
static inline void check_observed(const struct observed *observed)
{
    for (int id = 0; id < OBSERVED_COUNT; id++) {
        double value = observed->q[id].value;
        bool share = observed_quantity((enum observed_id)id)->unit == UNIT_FRACTION;
        if (!isnan(value))
            require(isfinite(value) && observed->q[id].from != FROM_NOWHERE);
        if (share && !isnan(value) && observed->q[id].from == FROM_METRICS && id < OBS_GPUS)
            require(value >= 0 && value <= 1);
    }
    for (int i = 0; i < observed->n_readings; i++) {
        const struct observed_reading *reading = &observed->readings[i];
        require(reading->used + reading->ignored + reading->unknown == reading->lines);
    }
    require(observed->n_gpus <= OBSERVED_GPUS_MAX && observed->n_notes <= OBSERVED_NOTES_MAX);
}

/* The observations as JSON: valid, and the same for the same text. */
static inline void check_json(struct arena *arena, const struct observed *observed,
                              struct json_out *ret_out)
{
    struct json_fault fault;

    json_out_init(ret_out, arena, 4096, REPLY_MAX_BYTES);
    observed_put_json(ret_out, observed);
    require(json_out_ok(ret_out));
    require(json_check(ret_out->text, ret_out->length, JSON_NESTING_MAX, JSON_VALUES_MAX, &fault));
}

typedef bool observe_reader(struct arena *arena, const char *text, size_t length,
                            struct observed *observed);

/* Reads a text twice and checks it. -1 = the text is none that can be posted. */
static inline int check_reader(observe_reader *reader, const uint8_t *data, size_t size)
{
    static struct arena *arenas[2];
    static struct observed observed[2];
    struct json_out out[2];
    char text[TEXT_MAX];

    if (size >= sizeof(text) || utf8_check((const char *)data, size) != size ||
        memchr(data, '\0', size))
        return -1;
    memcpy(text, data, size);
    for (int i = 0; i < 2; i++) {
        if (!arenas[i])
            arenas[i] = arena_new(REQUEST_ARENA_MAX);
        require(arenas[i] != NULL);
        arena_reset(arenas[i]);
        observed_init(&observed[i]);
        require(reader(arenas[i], text, size, &observed[i]));
        check_observed(&observed[i]);
        check_json(arenas[i], &observed[i], &out[i]);
    }
    require(out[0].length == out[1].length && memcmp(out[0].text, out[1].text, out[0].length) == 0);
    return 0;
}

#endif
