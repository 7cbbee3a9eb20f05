#include "observed_json.h"

#include <math.h>

static void put_known_text(struct json_out *out, const char *name, const char *text)
{
    if (text)
        json_put_text(out, name, text);
}

static void put_known_number(struct json_out *out, const char *name, double value)
{
    if (!isnan(value))
        json_put_number(out, name, value);
}

static void put_texts(struct json_out *out, const struct observed *observed)
{
    put_known_text(out, "engine", observed->engine);
    put_known_text(out, "engine_version", observed->engine_version);
    if (observed->engine_version)
        json_put_bool(out, "engine_version_guessed", observed->version_guessed);
    put_known_text(out, "model", observed->model);
    put_known_text(out, "attention_backend", observed->attention_backend);
    put_known_text(out, "kv_cache_dtype", observed->kv_cache_dtype);
    put_known_text(out, "weights", observed->weights);
    put_known_text(out, "prefix_unit", observed->prefix_unit);
    put_known_number(out, "engines", observed->engines > 0 ? observed->engines : (double)NAN);
    json_put_bool(out, "idle", observed->idle);
    json_put_bool(out, "never_used", observed->never_used);
    json_put_bool(out, "no_samples", observed->no_samples);
    json_put_bool(out, "restarted", observed->restarted);
    put_known_number(out, "window_s", observed->window_s);
}

static void put_values(struct json_out *out, const struct observed *observed)
{
    json_key(out, "values");
    json_begin_object(out);
    for (int id = 0; id < OBSERVED_COUNT; id++) {
        const struct observation *observation = &observed->q[id];
        if (isnan(observation->value))
            continue;
        json_key(out, observed_quantity((enum observed_id)id)->name);
        json_begin_object(out);
        json_put_number(out, "value", observation->value);
        json_put_text(out, "from", observed_from_name(observation->from));
        json_put_text(out, "over", observed_over_name(observation->over));
        put_known_text(out, "where", observation->where);
        json_put_number(out, "samples", observation->samples);
        json_end_object(out);
    }
    json_end_object(out);
}

static void put_series(struct json_out *out, const struct observed *observed)
{
    json_key(out, "series");
    json_begin_object(out);
    for (int s = 0; s < SERIES_COUNT; s++) {
        if (observed->n_series[s] == 0)
            continue;
        json_key(out, observed_series_name((enum observed_series)s));
        json_begin_array(out);
        for (int i = 0; i < observed->n_series[s]; i++) {
            json_begin_object(out);
            json_put_number(out, "concurrency", observed->series[s][i].concurrency);
            json_put_number(out, "value", observed->series[s][i].value);
            json_end_object(out);
        }
        json_end_array(out);
    }
    json_end_object(out);
}

static void put_throttle(struct json_out *out, const struct observed_gpu *gpu)
{
    const char *name = NULL;
    unsigned bit;

    json_key(out, "throttle");
    json_begin_array(out);
    for (int i = 0; (bit = observed_throttle_at(i, &name)) != 0; i++)
        if (gpu->throttle & bit)
            json_text(out, name);
    json_end_array(out);
}

static void put_gpus(struct json_out *out, const struct observed *observed)
{
    json_key(out, "gpus");
    json_begin_array(out);
    for (int i = 0; i < observed->n_gpus; i++) {
        const struct observed_gpu *gpu = &observed->gpus[i];
        json_begin_object(out);
        put_known_number(out, "index", gpu->index >= 0 ? gpu->index : (double)NAN);
        put_known_text(out, "name", gpu->name);
        put_known_text(out, "uuid", gpu->uuid);
        for (int column = 0; column < OBSERVED_GPU_COLUMNS; column++)
            put_known_number(out, observed_gpu_column_name((enum observed_gpu_column)column),
                             gpu->values[column]);
        if (gpu->throttle_known)
            put_throttle(out, gpu);
        json_end_object(out);
    }
    json_end_array(out);
    if (observed->link_worst != LINK_UNKNOWN) {
        json_put_text(out, "link_best", observed_link_name(observed->link_best));
        json_put_text(out, "link_worst", observed_link_name(observed->link_worst));
        json_put_number(out, "numa_nodes", observed->numa_nodes);
    }
}

static void put_signals(struct json_out *out, const struct observed *observed)
{
    json_key(out, "signals");
    json_begin_array(out);
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        const struct observed_sign *sign = &observed->signs[i];
        const struct observed_signal_row *row = observed_signal_row((enum observed_signal)i);
        if (sign->count == 0)
            continue;
        json_begin_object(out);
        json_put_text(out, "signal", row->name);
        json_put_text(out, "meaning", row->meaning);
        json_put_number(out, "count", sign->count);
        json_put_text(out, "from", observed_from_name(sign->from));
        put_known_text(out, "line", sign->line);
        put_known_text(out, "source", sign->source);
        json_end_object(out);
    }
    json_end_array(out);
}

void observed_put_readings(struct json_out *out, const struct observed *observed)
{
    json_key(out, "readings");
    json_begin_array(out);
    for (int i = 0; i < observed->n_readings; i++) {
        const struct observed_reading *reading = &observed->readings[i];
        json_begin_object(out);
        json_put_text(out, "from", observed_from_name(reading->from));
        json_put_text(out, "format", reading->format);
        json_put_number(out, "lines", (double)reading->lines);
        json_put_number(out, "used", (double)reading->used);
        json_put_number(out, "ignored", (double)reading->ignored);
        json_put_number(out, "unknown", (double)reading->unknown);
        json_key(out, "unknown_names");
        json_begin_array(out);
        for (int k = 0; k < OBSERVED_UNKNOWN_MAX && reading->unknown_names[k]; k++)
            json_text(out, reading->unknown_names[k]);
        json_end_array(out);
        json_put_bool(out, "truncated", reading->truncated);
        json_end_object(out);
    }
    json_end_array(out);
}

void observed_put_json(struct json_out *out, const struct observed *observed)
{
    json_begin_object(out);
    put_texts(out, observed);
    put_values(out, observed);
    put_series(out, observed);
    put_gpus(out, observed);
    put_signals(out, observed);
    json_key(out, "notes");
    json_begin_array(out);
    for (int i = 0; i < observed->n_notes; i++) {
        json_begin_object(out);
        json_put_text(out, "code", observed->notes[i].code);
        json_put_text(out, "text", observed->notes[i].text);
        json_end_object(out);
    }
    json_end_array(out);
    observed_put_readings(out, observed);
    json_end_object(out);
}
