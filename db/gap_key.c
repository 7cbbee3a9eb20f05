#include "gap_key.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "sql.h"

#define SEPARATOR '~'
#define ANY "any"

/* FNV-1a, 64 bits, by Fowler, Noll and Vo: offset basis and prime. */
#define FNV_BASIS UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

static const char *text_or_any(const char *text)
{
    return text && *text ? text : ANY;
}

/* The exponent of the range that holds `value`, of at most `most`; -1 = any. */
static int range_exponent(double value, double most)
{
    if (isnan(value)) {
        return -1;
    }
    if (value < 2) {
        return 0;
    }
    return ilogb(fmin(value, most));
}

static int input_exponent(const struct gap_key *key)
{
    return range_exponent(key->input_tokens, ASKED_TOKENS_MAX);
}

static int concurrency_exponent(const struct gap_key *key)
{
    return range_exponent(key->concurrency, ASKED_CONCURRENCY_MAX);
}

static void range_text(const char *name, int exponent, char *to, size_t max)
{
    if (exponent < 0) {
        (void)text_print(to, max, "%s-" ANY, name);
    } else {
        (void)text_print(to, max, "%s-%.0f", name, ldexp(1, exponent));
    }
}

bool gap_key_id(const struct gap_key *key, char ret_id[GAP_ID_MAX])
{
    char input[32];
    char concurrency[32];
    range_text("in", input_exponent(key), input, sizeof(input));
    range_text("conc", concurrency_exponent(key), concurrency, sizeof(concurrency));
    bool fits = text_print(ret_id, GAP_ID_MAX, "%s~%s~%s~%s~%s~%s", text_or_any(key->model_id),
                           text_or_any(key->hardware_id), text_or_any(key->engine_id),
                           text_or_any(key->metric), input, concurrency);
    if (!fits) {
        ret_id[0] = '\0';
    }
    return fits;
}

static bool range_parse(const char *text, const char *name, double *ret_value)
{
    size_t length = strlen(name);
    char *end = NULL;
    if (strncmp(text, name, length) != 0 || text[length] != '-') {
        return false;
    }
    const char *number = text + length + 1;
    if (strcmp(number, ANY) == 0) {
        *ret_value = NAN;
        return true;
    }
    double value = strtod(number, &end);
    *ret_value = value;
    return end != number && *end == '\0' && value >= 1;
}

bool gap_key_parse(const char *id, char memory[GAP_ID_MAX], struct gap_key *ret_key)
{
    enum { N_PARTS = 6 };

    const char *parts[N_PARTS] = {NULL};
    int n = 0;
    if (!text_print(memory, GAP_ID_MAX, "%s", id)) {
        return false;
    }
    for (char *at = memory; at && n < N_PARTS; n++) {
        char *separator = strchr(at, SEPARATOR);
        if (separator) {
            *separator++ = '\0';
        }
        parts[n] = strcmp(at, ANY) == 0 ? NULL : at;
        at = separator;
    }
    struct gap_key key = {
        .model_id = parts[0], .hardware_id = parts[1], .engine_id = parts[2], .metric = parts[3]};
    char round_trip[GAP_ID_MAX];
    if (n < N_PARTS || !range_parse(parts[4] ? parts[4] : "", "in", &key.input_tokens) ||
        !range_parse(parts[5] ? parts[5] : "", "conc", &key.concurrency) ||
        !gap_key_id(&key, round_trip) || strcmp(round_trip, id) != 0) {
        return false;
    }
    *ret_key = key;
    return true;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * FNV_PRIME;
    }
    return (hash ^ SEPARATOR) * FNV_PRIME;
}

/* Of a finished hash: its low bits, which choose the slot, take the high ones in; 0 is no hash. */
static uint64_t hash_end(uint64_t hash)
{
    hash ^= hash >> 32;
    return hash ? hash : 1;
}

uint64_t gap_key_hash(const struct gap_key *key)
{
    uint64_t hash = hash_text(FNV_BASIS, text_or_any(key->model_id));
    hash = hash_text(hash, text_or_any(key->hardware_id));
    hash = hash_text(hash, text_or_any(key->engine_id));
    hash = hash_text(hash, text_or_any(key->metric));
    hash = (hash ^ (unsigned char)input_exponent(key)) * FNV_PRIME;
    hash = (hash ^ (unsigned char)concurrency_exponent(key)) * FNV_PRIME;
    return hash_end(hash);
}

bool gap_id_is_stated(const char *id)
{
    return strchr(id, SEPARATOR) == NULL;
}

uint64_t gap_id_hash(const char *id)
{
    char memory[GAP_ID_MAX];
    struct gap_key key;
    if (gap_id_is_stated(id)) {
        return hash_end(hash_text(FNV_BASIS, id));
    }
    return gap_key_parse(id, memory, &key) ? gap_key_hash(&key) : 0;
}
