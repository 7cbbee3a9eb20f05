/*
 * catalogue.c - names to records, as people and tools write them.
 */
#include "catalogue.h"

#include <string.h>

#include "catalogue_data.h"
#include "name_key.h"
#include "name_words.h"
#include "units.h"

/* Of the size that people say, the least that a driver leaves. */
#define MEMORY_LEAST 0.93

static const struct catalogue_data *data_of(const struct catalogue *cat)
{
    return (const struct catalogue_data *)cat;
}

/* Trailing words of a model's name that change no geometry. */
static const char *const NOISE[] = {"instruct", "it",      "chat", "hf",  "gguf",   "mlx",
                                    "base",     "unsloth", "qat",  "mtp", "latest", "quantized"};

/* Owners of repositories, where a tool wrote '-' for the '/' behind them. */
static const char *const OWNERS[] = {"meta-llama-", "meta-",     "mistralai-",   "microsoft-",
                                     "google-",     "nvidia-",   "deepseek-ai-", "moonshotai-",
                                     "openai-",     "liquidai-", "ibm-granite-", "zai-org-",
                                     "qwen-",       "tencent-",  "baidu-",       "huggingfacetb-"};

/* What stands before a part's name in the output of tools. */
static const char *const MAKERS[] = {"nvidia-",   "geforce-", "tesla-", "amd-",    "radeon-",
                                     "instinct-", "intel-",   "apple-", "google-", "aws-"};

static const char *id_of(const struct catalogue_data *data, enum name_kind kind, int index)
{
    return kind == NAMES_MODEL ? data->shown.lib.models[index].id
                               : data->shown.lib.hardware[index].id;
}

/* Takes the entries of a key into the match; false when there are none. */
static bool match_key(const struct catalogue_data *data, enum name_kind kind,
                      const struct name_table *table, const char *key, struct name_match *match)
{
    const struct name_entry *first = NULL;
    int n = name_table_find(table, key, &first);
    if (n == 1) {
        match->index = first->index;
    }
    for (int i = 0; n > 1 && i < n && i < CATALOGUE_MATCHES_MAX - 1; i++) {
        match->ambiguous[i] = id_of(data, kind, first[i].index);
    }
    return n > 0;
}

/* The same without '-'; a name that is ambiguous that way counts as unknown. */
static bool match_squeezed(const struct catalogue_data *data, enum name_kind kind, const char *key,
                           struct name_match *match)
{
    char squeezed[NAME_KEY_MAX];
    const struct name_entry *first = NULL;
    (void)name_key(key, false, squeezed);
    name_squeeze(squeezed);
    if (name_table_find(&data->squeezed[kind], squeezed, &first) != 1) {
        return false;
    }
    match->index = first->index;
    return true;
}

static bool ends_at_separator(const char *key, const char *tail)
{
    return tail > key && (tail[-1] == '-' || tail[-1] == '.');
}

/* Cuts the key before the separator in front of `tail`. */
static void key_cut(char *key, const char *tail)
{
    key[tail - key - 1] = '\0';
}

/* Strips one trailing weight format, the longest that is one; false when there is none. */
static bool strip_format(const struct catalogue_data *data, char *key, struct name_match *match)
{
    for (const char *tail = key + 1; *tail; tail++) {
        const struct name_entry *first = NULL;
        if (!ends_at_separator(key, tail) ||
            name_table_find(&data->names[NAMES_WEIGHTS], tail, &first) != 1) {
            continue;
        }
        if (!match->stripped_format) {
            match->stripped_format = data->shown.lib.weight_formats[first->index].id;
        }
        key_cut(key, tail);
        return true;
    }
    return false;
}

static bool strip_noise(char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < ARRAY_LEN(NOISE); i++) {
        size_t n = strlen(NOISE[i]);
        if (length > n && ends_at_separator(key, key + length - n) &&
            strcmp(key + length - n, NOISE[i]) == 0) {
            key_cut(key, key + length - n);
            return true;
        }
    }
    return false;
}

/* Moves behind one of the prefixes; NULL when there is none. */
static const char *skip_prefix(const char *key, const char *const *prefixes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(key, prefixes[i], length) == 0 && key[length]) {
            return key + length;
        }
    }
    return NULL;
}

/* How exactly a name is compared, in the order tried. */
enum reading { READ_AS_WRITTEN, READ_DASHED, READ_SQUEEZED, READ_COUNT };

static bool match_model(const struct catalogue_data *data, const char *key, enum reading reading,
                        struct name_match *match)
{
    char dashed[NAME_KEY_MAX];
    switch (reading) {
    case READ_AS_WRITTEN:
        return match_key(data, NAMES_MODEL, &data->names[NAMES_MODEL], key, match);
    case READ_DASHED:
        (void)name_key(key, false, dashed);
        name_dash(dashed);
        return match_key(data, NAMES_MODEL, &data->dashed, dashed, match);
    case READ_SQUEEZED:
        return match_squeezed(data, NAMES_MODEL, key, match);
    case READ_COUNT:
        break;
    }
    return false;
}

/* The name, then the name behind each owner that it may begin with. */
static bool match_owned(const struct catalogue_data *data, const char *key, enum reading reading,
                        struct name_match *match)
{
    if (match_model(data, key, reading, match)) {
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(OWNERS); i++) {
        const char *bare = skip_prefix(key, &OWNERS[i], 1);
        if (bare && match_model(data, bare, reading, match)) {
            return true;
        }
    }
    return false;
}

/* Looks the name up whole, then with one more trailing word stripped each time. */
static bool match_stripping(const struct catalogue_data *data, const char *whole,
                            enum reading reading, struct name_match *match)
{
    char key[NAME_KEY_MAX];
    (void)name_key(whole, false, key);
    match->stripped_format = NULL;
    do {
        if (match_owned(data, key, reading, match)) {
            return true;
        }
    } while (strip_noise(key) || strip_format(data, key, match));
    match->stripped_format = NULL;
    return false;
}

static void match_nearest(const struct catalogue_data *data, enum name_kind kind, const char *key,
                          struct name_match *match)
{
    int indexes[3];
    int n = name_table_nearest(&data->names[kind], key, indexes, 3);
    for (int i = 0; i < n; i++) {
        match->nearest[i] = id_of(data, kind, indexes[i]);
    }
}

/* What the checkpoint of that name states: of the names that it begins with, the longest's. */
static double stated_positions(const struct model *model, const char *key)
{
    size_t longest = 0;
    double positions = 0.0;
    for (int i = 0; i < model->n_lengths; i++) {
        const struct model_length *length = &model->lengths[i];
        size_t n = strlen(length->key);
        if (n > longest && strncmp(key, length->key, n) == 0 && (!key[n] || key[n] == '-')) {
            longest = n;
            positions = length->max_positions;
        }
    }
    return positions;
}

void catalogue_find_model(const struct catalogue *cat, const char *name,
                          struct name_match *ret_match)
{
    const struct catalogue_data *data = data_of(cat);
    char key[NAME_KEY_MAX];
    *ret_match = (struct name_match){.index = -1};
    if (!name_key(name, true, key)) {
        return;
    }
    for (int i = 0; i < READ_COUNT; i++) {
        if (match_stripping(data, key, (enum reading)i, ret_match)) {
            if (ret_match->index >= 0) {
                ret_match->max_positions =
                    stated_positions(&data->shown.lib.models[ret_match->index], key);
            }
            return;
        }
    }
    match_nearest(data, NAMES_MODEL, key, ret_match);
}

/* Whether "80GB" may be said of the part: sizes are given in units of 10^9 and of 2^30 bytes, and a
 * driver reports a little less. */
static bool has_memory(const struct hardware *part, double memory_gb)
{
    return part->memory_bytes >= MEMORY_LEAST * memory_gb * BYTES_PER_GB &&
           part->memory_bytes <= memory_gb * BYTES_PER_GIB;
}

/* The parts of the same words, of that memory when the name states one. */
static bool match_words(const struct catalogue_data *data, const char *name,
                        struct name_match *match)
{
    char words[NAME_KEY_MAX];
    double memory_gb = 0.0;
    const struct name_entry *first = NULL;
    int found = -1;
    int kept = 0;
    if (!name_words(name, words, &memory_gb)) {
        return false;
    }
    int n = name_table_find(&data->words, words, &first);
    for (int i = 0; i < n && kept < CATALOGUE_MATCHES_MAX - 1; i++) {
        if (memory_gb == 0.0 || has_memory(&data->shown.lib.hardware[first[i].index], memory_gb)) {
            found = first[i].index;
            match->ambiguous[kept++] = id_of(data, NAMES_HARDWARE, found);
        }
    }
    if (kept == 1) {
        match->index = found;
        match->ambiguous[0] = NULL;
    }
    return kept > 0;
}

void catalogue_find_hardware(const struct catalogue *cat, const char *name,
                             struct name_match *ret_match)
{
    const struct catalogue_data *data = data_of(cat);
    char key[NAME_KEY_MAX];
    *ret_match = (struct name_match){.index = -1};
    if (!name_key(name, false, key)) {
        return;
    }
    for (const char *from = key; from; from = skip_prefix(from, MAKERS, ARRAY_LEN(MAKERS))) {
        if (match_key(data, NAMES_HARDWARE, &data->names[NAMES_HARDWARE], from, ret_match)) {
            return;
        }
    }
    for (const char *from = key; from; from = skip_prefix(from, MAKERS, ARRAY_LEN(MAKERS))) {
        if (match_squeezed(data, NAMES_HARDWARE, from, ret_match)) {
            return;
        }
    }
    if (!match_words(data, key, ret_match)) {
        match_nearest(data, NAMES_HARDWARE, key, ret_match);
    }
}

static int find_plain(const struct catalogue *cat, enum name_kind kind, const char *name)
{
    const struct catalogue_data *data = data_of(cat);
    const struct name_entry *first = NULL;
    char key[NAME_KEY_MAX];
    if (!name_key(name, false, key)) {
        return -1;
    }
    if (name_table_find(&data->names[kind], key, &first) == 1) {
        return first->index;
    }
    name_squeeze(key);
    return name_table_find(&data->squeezed[kind], key, &first) == 1 ? first->index : -1;
}

int catalogue_find_weight_format(const struct catalogue *cat, const char *name)
{
    return find_plain(cat, NAMES_WEIGHTS, name);
}

int catalogue_find_kv_format(const struct catalogue *cat, const char *name)
{
    return find_plain(cat, NAMES_KV, name);
}

int catalogue_find_engine(const struct catalogue *cat, const char *name)
{
    return find_plain(cat, NAMES_ENGINE, name);
}

static const char *const *ids_of(const struct catalogue *cat, enum name_kind kind, int *ret_n)
{
    *ret_n = data_of(cat)->ids[kind].n;
    return data_of(cat)->ids[kind].items;
}

const char *const *catalogue_model_ids(const struct catalogue *cat, int *ret_n)
{
    return ids_of(cat, NAMES_MODEL, ret_n);
}

const char *const *catalogue_hardware_ids(const struct catalogue *cat, int *ret_n)
{
    return ids_of(cat, NAMES_HARDWARE, ret_n);
}

const char *const *catalogue_weight_format_names(const struct catalogue *cat, int *ret_n)
{
    return ids_of(cat, NAMES_WEIGHTS, ret_n);
}

const char *const *catalogue_kv_format_names(const struct catalogue *cat, int *ret_n)
{
    return ids_of(cat, NAMES_KV, ret_n);
}

const char *const *catalogue_engine_names(const struct catalogue *cat, int *ret_n)
{
    return ids_of(cat, NAMES_ENGINE, ret_n);
}
