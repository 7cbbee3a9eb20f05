#include "scrape_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that one name may match. */
#define ROWS_MAX 8
#define MODEL_NAME_MAX 256
#define NUMBER_MAX 40
/* Unix seconds of the years 2001 to 2286. */
#define TIME_MIN_S 1e9
#define TIME_MAX_S 1e10

/* The ending of a histogram's series. */
enum ending { NO_ENDING, BUCKET, SUM, COUNT };

static const char *const ENDINGS[] = {[BUCKET] = "_bucket", [SUM] = "_sum", [COUNT] = "_count"};

/* Labels that tell no series apart: a bucket's bound, and ranks that report the same requests. */
static const char *const NOT_KEYS[] = {"le", "tp_rank", "pp_rank", "moe_ep_rank", "pid"};
static const char *const RANKS[] = {"tp_rank", "pp_rank"};

/* Labels that name the model that is served. A Triton server's "model" is a step of its pipeline.
 */
static const struct {
    unsigned groups;
    const char *label;
} MODEL_LABELS[] = {
    {BY_VLLM | BY_SGLANG | BY_TGI | BY_LMDEPLOY | BY_TRTLLM | BY_LLAMA, "model_name"},
    {BY_SGLANG, "name"},
    {BY_DYNAMO | BY_VLLM, "model"}, /* vLLM within a Triton server */
};

/* What a part's exporters call it. */
static const char *const UUID_LABELS[] = {"UUID", "uuid", "gpu_uuid", "serial_number"};
static const char *const INDEX_LABELS[] = {"gpu", "gpu_id", "minor_number", "card", "position"};
static const char *const PART_LABELS[] = {"modelName", "name", "card_model", "gpu_name"};

/* Rows of the last name that was looked up: the samples of a family stand together. */
struct lookup {
    struct scrape_word name;
    const struct scrape_prefix *prefix;
    const struct scrape_family *rows[ROWS_MAX];
    int n_rows;
    enum ending ending;
    size_t family_length; /* of the name without the ending */
    bool known;
};

static uint64_t hash_text(uint64_t hash, struct scrape_word word)
{
    /* FNV-1a, 64 bits. */
    for (size_t i = 0; i < word.length; i++)
        hash = (hash ^ (unsigned char)word.text[i]) * 0x100000001b3u;
    return hash;
}

#define HASH_START 0xcbf29ce484222325u

static bool is_one_of(struct scrape_word word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (scrape_is(word, words[i]))
            return true;
    return false;
}

/* Of all labels in any order. */
static uint64_t key_of(const struct scrape_reader *reader)
{
    uint64_t key = 0;

    for (int i = 0; i < reader->n_labels; i++) {
        const struct scrape_label *label = &reader->labels[i];
        if (!is_one_of(label->name, NOT_KEYS, ARRAY_LEN(NOT_KEYS)))
            key += hash_text(hash_text(HASH_START, label->name) ^ '=', label->value);
    }
    return key;
}

static uint64_t rank_of(const struct scrape_reader *reader)
{
    uint64_t rank = HASH_START;

    for (size_t i = 0; i < ARRAY_LEN(RANKS); i++)
        rank = hash_text(rank ^ '/', scrape_label(reader, RANKS[i]));
    return rank;
}

/* A number in a label; NAN when it is none. */
static double label_number(const struct scrape_reader *reader, const char *name)
{
    struct scrape_word value = scrape_label(reader, name);
    char text[NUMBER_MAX];
    char *end;

    if (!value.text || value.length == 0 || value.length >= sizeof(text))
        return NAN;
    memcpy(text, value.text, value.length);
    text[value.length] = '\0';
    double number = strtod(text, &end);
    return *end == '\0' ? number : (double)NAN;
}

static const char *label_copy(struct arena *arena, const struct scrape_reader *reader,
                              const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct scrape_word value = scrape_label(reader, names[i]);
        if (value.length)
            return arena_copy(arena, value.text, value.length);
    }
    return NULL;
}

/* What was not understood ------------------------------------------------------------------------
 */

static void unknown(struct scrape_set *set, struct scrape_word name)
{
    struct observed_reading *reading = &set->reading;
    int n = 0;

    reading->unknown++;
    while (n < OBSERVED_UNKNOWN_MAX && reading->unknown_names[n]) {
        if (scrape_is(name, reading->unknown_names[n]))
            return;
        n++;
    }
    if (n < OBSERVED_UNKNOWN_MAX)
        reading->unknown_names[n] =
            arena_copy(set->arena, name.text, name.length < 80 ? name.length : 80);
}

/* Series ----------------------------------------------------------------------------------------
 */

struct scrape_series *scrape_set_find(const struct scrape_set *set,
                                      const struct scrape_family *family, uint64_t key)
{
    size_t slot = (size_t)(key ^ (scrape_family_index(family) * 0x9e3779b97f4a7c15u));

    for (;; slot++) {
        struct scrape_series *series = set->slots[slot % SCRAPE_SERIES_SLOTS];
        if (!series || (series->family == family && series->key == key))
            return series;
    }
}

static void add_series(struct scrape_set *set, struct scrape_series *series)
{
    size_t slot =
        (size_t)(series->key ^ (scrape_family_index(series->family) * 0x9e3779b97f4a7c15u));

    while (set->slots[slot % SCRAPE_SERIES_SLOTS])
        slot++;
    set->slots[slot % SCRAPE_SERIES_SLOTS] = series;
    if (set->last)
        set->last->next = series;
    else
        set->first = series;
    set->last = series;
    set->n_series++;
}

/* The index of the model that a sample names, -1 when it names none. */
static int model_of(struct scrape_set *set, const struct scrape_reader *reader,
                    enum scrape_group group)
{
    struct scrape_word name = {NULL, 0};

    for (size_t i = 0; i < ARRAY_LEN(MODEL_LABELS) && !name.length; i++)
        if (MODEL_LABELS[i].groups & (unsigned)group)
            name = scrape_label(reader, MODEL_LABELS[i].label);
    if (!name.length || name.length > MODEL_NAME_MAX)
        return -1;
    for (int i = 0; i < set->n_models; i++)
        if (scrape_is(name, set->models[i]))
            return i;
    if (set->n_models == SCRAPE_MODELS_MAX)
        return -1;
    set->models[set->n_models] = arena_copy(set->arena, name.text, name.length);
    return set->models[set->n_models] ? set->n_models++ : -1;
}

static struct scrape_item item_of(struct scrape_set *set, const struct scrape_reader *reader,
                                  enum scrape_kind kind)
{
    struct scrape_item item = {.index = -1};
    double index = NAN;

    if (kind == IS_POSITION) {
        index = label_number(reader, "position");
    } else if (kind == IS_GPU || kind == IS_THROTTLE) {
        for (size_t i = 0; i < ARRAY_LEN(INDEX_LABELS) && isnan(index); i++)
            index = label_number(reader, INDEX_LABELS[i]);
        item.uuid = label_copy(set->arena, reader, UUID_LABELS, ARRAY_LEN(UUID_LABELS));
        item.name = label_copy(set->arena, reader, PART_LABELS, ARRAY_LEN(PART_LABELS));
    }
    if (index >= 0 && index < 1e6)
        item.index = (int)index;
    return item;
}

static bool add_bucket(struct scrape_set *set, struct scrape_series *series,
                       const struct scrape_reader *reader)
{
    double bound = label_number(reader, "le");

    if (isnan(bound) || isnan(reader->value) || series->n_buckets == SCRAPE_BUCKETS_MAX)
        return true;
    struct scrape_bucket *bucket = arena_alloc(set->arena, sizeof(*bucket));
    if (!bucket)
        return false;
    *bucket = (struct scrape_bucket){bound, reader->value, series->buckets};
    series->buckets = bucket;
    series->n_buckets++;
    return true;
}

static bool put_value(struct scrape_set *set, struct scrape_series *series, enum ending ending,
                      const struct scrape_reader *reader)
{
    double *place = ending == SUM     ? &series->sum
                    : ending == COUNT ? &series->count
                                      : &series->value;

    if (ending == BUCKET)
        return add_bucket(set, series, reader);
    set->repeated = set->repeated || !isnan(*place);
    *place = reader->value;
    return true;
}

/* One sample for one row. */
static bool put_sample(struct scrape_set *set, const struct lookup *lookup,
                       const struct scrape_family *family, const struct scrape_reader *reader)
{
    uint64_t key = key_of(reader), rank = rank_of(reader);
    struct scrape_series *series = scrape_set_find(set, family, key);

    if (!series && set->n_series == SCRAPE_SERIES_MAX) {
        set->series_dropped++;
        return true;
    }
    if (!series) {
        series = arena_alloc(set->arena, sizeof(*series));
        if (!series)
            return false;
        *series = (struct scrape_series){
            .family = family,
            .prefix = lookup->prefix,
            .name = arena_copy(set->arena, reader->name.text, lookup->family_length),
            .key = key,
            .rank = rank,
            .model = model_of(set, reader, lookup->prefix->group),
            .value = NAN,
            .sum = NAN,
            .count = NAN,
            .item = item_of(set, reader, family->kind),
        };
        if (!series->name)
            return false;
        if (series->model >= 0)
            set->model_series[series->model]++;
        add_series(set, series);
    }
    if (series->rank != rank) {
        set->replicated = true;
        return true;
    }
    return put_value(set, series, lookup->ending, reader);
}

/* Settings in labels -----------------------------------------------------------------------------
 */

static double names_in(struct scrape_word list)
{
    double n = list.length > 0;

    for (size_t i = 0; i < list.length; i++)
        n += list.text[i] == ',';
    return n;
}

/* What each rank has of its own. */
static void add_setting(double *place, double value)
{
    if (value > 0)
        *place = isnan(*place) ? value : *place + value;
}

static void read_config(struct scrape_set *set, const struct scrape_reader *reader)
{
    struct scrape_settings *settings = &set->settings;
    static const char *const DTYPE[] = {"cache_dtype"};

    add_setting(&settings->kv_blocks, label_number(reader, "num_gpu_blocks"));
    add_setting(&settings->kv_tokens, label_number(reader, "kv_cache_size_tokens"));
    settings->kv_block_tokens = label_number(reader, "block_size");
    settings->memory_fraction = label_number(reader, "gpu_memory_utilization");
    settings->kv_dtype = label_copy(set->arena, reader, DTYPE, ARRAY_LEN(DTYPE));
    settings->prefix_off = scrape_is(scrape_label(reader, "enable_prefix_caching"), "False");
}

/* The value is when that was so: the newest series counts. */
static void read_adapters(struct scrape_set *set, const struct scrape_reader *reader)
{
    struct scrape_settings *settings = &set->settings;

    if (!isnan(settings->lora_time) && !(reader->value >= settings->lora_time))
        return;
    settings->lora_time = reader->value;
    settings->lora_max = label_number(reader, "max_lora");
    settings->lora_running = names_in(scrape_label(reader, "running_lora_adapters"));
    settings->lora_waiting = names_in(scrape_label(reader, "waiting_lora_adapters"));
}

/* Samples ----------------------------------------------------------------------------------------
 */

static enum ending ending_of(struct scrape_word name, size_t *ret_length)
{
    for (enum ending i = BUCKET; i <= COUNT; i++) {
        size_t length = strlen(ENDINGS[i]);
        if (name.length > length &&
            memcmp(name.text + name.length - length, ENDINGS[i], length) == 0) {
            *ret_length = name.length - length;
            return i;
        }
    }
    *ret_length = name.length;
    return NO_ENDING;
}

static bool is_created(struct scrape_word name)
{
    static const char CREATED[] = "_created";
    size_t length = sizeof(CREATED) - 1;

    return name.length > length && memcmp(name.text + name.length - length, CREATED, length) == 0;
}

static void find_rows(struct lookup *lookup, struct scrape_word rest, bool part)
{
    const struct scrape_family *row;
    size_t at = 0;

    while (lookup->n_rows < ROWS_MAX &&
           (row = scrape_family_next(lookup->prefix->group, rest, part, &at)) != NULL)
        lookup->rows[lookup->n_rows++] = row;
}

static void look_up(struct lookup *lookup, struct scrape_word name)
{
    struct scrape_word rest;
    size_t length;

    *lookup = (struct lookup){.name = name, .family_length = name.length};
    lookup->prefix = scrape_prefix_of(name, &rest);
    lookup->known = is_created(name);
    if (!lookup->prefix || lookup->known)
        return;
    enum ending ending = ending_of(rest, &length);
    if (ending != NO_ENDING) {
        find_rows(lookup, (struct scrape_word){rest.text, length}, true);
        lookup->known =
            scrape_family_known(lookup->prefix->group, (struct scrape_word){rest.text, length});
    }
    if (lookup->n_rows) {
        lookup->ending = ending;
        lookup->family_length -= rest.length - length;
        return;
    }
    find_rows(lookup, rest, false);
    lookup->known = lookup->known || scrape_family_known(lookup->prefix->group, rest);
}

/* What is read at once; true when the row's series is not kept. */
static bool read_special(struct scrape_set *set, const struct scrape_family *family,
                         const struct scrape_reader *reader)
{
    if (family->kind == IS_CONFIG)
        read_config(set, reader);
    else if (family->kind == IS_ADAPTERS)
        read_adapters(set, reader);
    else if (family->kind == IS_START)
        set->start_s = reader->value;
    else if (family->kind == IS_TIME)
        set->time_s = reader->value;
    else
        return false;
    return true;
}

/* A family of an engine is there: whose it is, and what version has it. */
static void note_family(struct scrape_set *set, struct scrape_word name)
{
    struct scrape_word rest;
    const struct scrape_prefix *prefix = scrape_prefix_of(name, &rest);

    if (!prefix)
        return;
    if (prefix->engine && !set->engine)
        set->engine = prefix->engine;
    else if (prefix->engine && strcmp(prefix->engine, set->engine) != 0)
        set->other_engine = prefix->engine;
    int rank = scrape_version_rank(prefix->group, rest);
    if (rank > set->version)
        set->version = rank;
}

/* Looks up a name unless it is the last one's. */
static void look_up_next(struct scrape_set *set, struct lookup *lookup,
                         const struct scrape_reader *reader)
{
    const char *name = reader->name.text;

    if (lookup->name.length == reader->name.length &&
        memcmp(lookup->name.text, name, lookup->name.length) == 0)
        return;
    look_up(lookup, reader->name);
    note_family(set, (struct scrape_word){name, lookup->family_length});
    /* A name in quotes is overwritten by the next line. */
    if (name >= reader->values && name < reader->values + sizeof(reader->values))
        lookup->name.length = 0;
}

static bool read_sample(struct scrape_set *set, struct lookup *lookup,
                        const struct scrape_reader *reader)
{
    bool used = false;

    look_up_next(set, lookup, reader);
    /* SGLang gives a total with an empty priority and the parts of it beside. */
    if (scrape_label(reader, "priority").length > 0) {
        set->reading.ignored++;
        return true;
    }
    if (!isnan(reader->at_ms))
        set->stamp_ms = reader->at_ms;
    set->has_engine_label = set->has_engine_label || scrape_label(reader, "engine").text;
    set->engine_samples += lookup->prefix && lookup->prefix->engine;
    for (int i = 0; i < lookup->n_rows; i++) {
        const struct scrape_family *row = lookup->rows[i];
        bool holds = scrape_family_holds(row, reader);
        used = used || holds;
        if (holds && !read_special(set, row, reader) && !put_sample(set, lookup, row, reader))
            return false;
    }
    set->reading.used += used;
    if (!used && (lookup->n_rows || lookup->known))
        set->reading.ignored++;
    else if (!used)
        unknown(set, reader->name);
    return true;
}

static bool has_text(struct scrape_word word, const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i + length <= word.length; i++)
        if (memcmp(word.text + i, text, length) == 0)
            return true;
    return false;
}

/* HELP and TYPE: a family is declared, and HELP may say in what a prefix is counted. */
static void read_declaration(struct scrape_set *set, const struct scrape_reader *reader,
                             enum scrape_line kind)
{
    struct scrape_word rest;
    const struct scrape_prefix *prefix = scrape_prefix_of(reader->name, &rest);

    set->reading.ignored++;
    if (!prefix)
        return;
    note_family(set, reader->name);
    set->declared += prefix->engine != NULL;
    if (kind != SCRAPE_HELP || !has_text(reader->name, "prefix_cache_") ||
        has_text(reader->name, "external"))
        return;
    if (has_text(reader->rest, "blocks"))
        set->prefix_unit = "blocks";
    else if (has_text(reader->rest, "tokens"))
        set->prefix_unit = "tokens";
}

/* A line, or a comment, that is unix seconds alone: "date +%s" above a scrape says when it was
 * made.
 */
static bool read_time(struct scrape_set *set, const struct scrape_reader *reader)
{
    char text[NUMBER_MAX];
    char *end;

    if (reader->rest.length == 0 || reader->rest.length >= sizeof(text))
        return false;
    memcpy(text, reader->rest.text, reader->rest.length);
    text[reader->rest.length] = '\0';
    double seconds = strtod(text, &end);
    if (*end != '\0' || !(seconds >= TIME_MIN_S && seconds < TIME_MAX_S))
        return false;
    set->time_s = seconds;
    set->reading.used++;
    return true;
}

static bool read_line(struct scrape_set *set, struct lookup *lookup,
                      const struct scrape_reader *reader, enum scrape_line kind)
{
    if ((kind == SCRAPE_UNKNOWN || kind == SCRAPE_COMMENT) && read_time(set, reader))
        return true;
    if (kind == SCRAPE_SAMPLE)
        return read_sample(set, lookup, reader);
    if (kind == SCRAPE_HELP || kind == SCRAPE_TYPE)
        read_declaration(set, reader, kind);
    else if (kind == SCRAPE_COMMENT)
        set->reading.ignored++;
    else if (kind == SCRAPE_UNKNOWN)
        unknown(set, reader->name);
    return true;
}

struct scrape_set *scrape_set_read(struct arena *arena, const char *text, size_t length)
{
    struct scrape_set *set = arena_alloc(arena, sizeof(*set));
    struct scrape_reader *reader = arena_alloc_raw(arena, sizeof(*reader));
    struct lookup lookup = {.name = {NULL, 0}};
    enum scrape_line kind, last = SCRAPE_BLANK;

    if (!set || !reader)
        return NULL;
    set->arena = arena;
    set->version = -1;
    set->start_s = set->time_s = set->stamp_ms = NAN;
    set->settings = (struct scrape_settings){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NULL, false};
    set->reading.from = FROM_METRICS;
    set->reading.format = "prometheus";
    scrape_begin(reader, text, length);
    while ((kind = scrape_next(reader)) != SCRAPE_END) {
        if (kind == SCRAPE_BLANK)
            continue;
        set->reading.lines++;
        last = kind;
        if (!read_line(set, &lookup, reader, kind))
            return NULL;
        /* A text that ends without a line's end may end within its last number. */
        set->reading.truncated = reader->cut && kind == SCRAPE_UNKNOWN;
    }
    set->reading.truncated = set->reading.truncated || last == SCRAPE_HELP;
    return set;
}
