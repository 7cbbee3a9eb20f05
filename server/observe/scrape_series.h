/*
 * scrape_series.h - one scrape as series of the families that mean something.
 *
 * Purpose: collect a text's samples by family and label set, so that two scrapes can be compared
 *          series by series; count what was not understood.
 * Ownership: everything lies in the arena.
 * Errors:  false when the arena's memory ran out; past its maxima a set counts what it left out.
 */
#ifndef REGIME_SCRAPE_SERIES_H
#define REGIME_SCRAPE_SERIES_H

#include <stdint.h>

#include "arena.h"
#include "observed.h"
#include "scrape_families.h"

#define SCRAPE_SERIES_MAX 4096
#define SCRAPE_SERIES_SLOTS 8192 /* of the hash table: a power of two above the maximum */
#define SCRAPE_BUCKETS_MAX 128
#define SCRAPE_MODELS_MAX 32

struct scrape_bucket {
    double bound, count; /* cumulative, as written */
    struct scrape_bucket *next;
};

/* The part or draft position that a series is of. */
struct scrape_item {
    int index; /* -1 = not said */
    const char *uuid, *name;
};

struct scrape_series {
    const struct scrape_family *family;
    const struct scrape_prefix *prefix;
    const char *name;  /* of the family as written, without a histogram's ending */
    uint64_t key;      /* of its labels but those of a bucket and of replicated ranks */
    uint64_t rank;     /* of the ranks that repeat the same requests */
    int model;         /* index into the set's models, -1 = not said */
    double value;      /* NAN = histogram */
    double sum, count; /* of a histogram, NAN = not written */
    struct scrape_bucket *buckets;
    int n_buckets;
    struct scrape_item item;
    struct scrape_series *next; /* in the order of the text */
};

/* What labels of cache_config_info and lora_requests_info say. */
struct scrape_settings {
    double kv_blocks, kv_block_tokens, kv_tokens, memory_fraction;
    double lora_running, lora_waiting, lora_max, lora_time;
    const char *kv_dtype;
    bool prefix_off;
};

struct scrape_set {
    struct arena *arena;
    struct scrape_series *first, *last;
    struct scrape_series *slots[SCRAPE_SERIES_SLOTS];
    int n_series, series_dropped;
    const char *models[SCRAPE_MODELS_MAX];
    int model_series[SCRAPE_MODELS_MAX];
    int n_models;
    int declared;             /* HELP and TYPE lines of families of an engine */
    int engine_samples;       /* samples of them */
    const char *engine;       /* the first engine that a prefix tells */
    const char *other_engine; /* another one */
    int version;              /* rank of the newest sign, -1 = none */
    bool has_engine_label;    /* vLLM V1 since 0.9 */
    bool replicated;          /* ranks repeated the same requests and were counted once */
    bool repeated;            /* a series stands twice in the text */
    const char *prefix_unit;  /* of HELP lines */
    double start_s, time_s;   /* when the process began and the scrape was made; NAN */
    double stamp_ms;          /* the last timestamp on a sample; NAN */
    unsigned throttle;
    struct scrape_settings settings;
    struct observed_reading reading;
};

/* Reads text[0..length) into a set; NULL when memory ran out. */
struct scrape_set *scrape_set_read(struct arena *arena, const char *text, size_t length);

/* The series of a family with those labels; NULL when there is none. */
struct scrape_series *scrape_set_find(const struct scrape_set *set,
                                      const struct scrape_family *family, uint64_t key);

#endif
