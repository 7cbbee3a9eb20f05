/*
 * engine.c - names, versions and defaults of serving engines.
 */
#include "engine.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define VERSION_PARTS 3
#define VERSION_PART_MAX 100000000

#define X(ID, NAME) [ID] = NAME,
static const char *const HOST_COST_NAMES[] = {HOST_COST_LIST(X)};
static const char *const MEMORY_RULE_NAMES[] = {MEMORY_RULE_LIST(X)};
#undef X

static int name_index(const char *const *names, int n, const char *name)
{
    for (int i = 0; name && i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return n;
}

const char *memory_rule_name(enum memory_rule rule)
{
    return rule < MEMORY_RULE_COUNT ? MEMORY_RULE_NAMES[rule] : NULL;
}

enum memory_rule memory_rule_parse(const char *name)
{
    return (enum memory_rule)name_index(MEMORY_RULE_NAMES, MEMORY_RULE_COUNT, name);
}

const char *host_cost_name(enum host_cost cost)
{
    return cost < HOST_COST_COUNT ? HOST_COST_NAMES[cost] : NULL;
}

enum host_cost host_cost_parse(const char *name)
{
    return (enum host_cost)name_index(HOST_COST_NAMES, HOST_COST_COUNT, name);
}

static bool is_digit(char c)
{
    return isdigit((unsigned char)c) != 0;
}

/* Reads digits at *text and moves behind them; stays at the maximum past it. */
static int number_read(const char **text)
{
    int value = 0;
    for (; is_digit(**text); (*text)++) {
        value = value < VERSION_PART_MAX ? value * 10 + (**text - '0') : value;
    }
    return value;
}

bool engine_version_parse(const char *text, int ret_version[3])
{
    while (*text && !is_digit(*text)) {
        text++;
    }
    if (!*text) {
        return false;
    }
    for (int i = 0; i < VERSION_PARTS; i++) {
        ret_version[i] = number_read(&text);
        if (*text == '.') {
            text++;
        } else {
            while (++i < VERSION_PARTS) {
                ret_version[i] = 0;
            }
        }
    }
    return true;
}

int engine_version_compare(const int a[3], const int b[3])
{
    for (int i = 0; i < VERSION_PARTS; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool version_is_open(const int version[3])
{
    return !version[0] && !version[1] && !version[2];
}

static bool defaults_match(const struct engine_defaults *row, const int version[3],
                           double memory_bytes, const char *arch)
{
    bool new_enough =
        version_is_open(row->version_min) || engine_version_compare(version, row->version_min) >= 0;
    bool old_enough =
        version_is_open(row->version_max) || engine_version_compare(version, row->version_max) <= 0;
    bool excluded = row->excluded_arch && arch && strcmp(row->excluded_arch, arch) == 0;
    return new_enough && old_enough && !excluded && memory_bytes >= row->min_memory_bytes;
}

static const struct engine_defaults *defaults_find(const struct engine *engine,
                                                   const int version[3], double memory_bytes,
                                                   const char *arch)
{
    int last = engine->n_defaults - 1;
    for (int i = 0; i < last; i++) {
        if (defaults_match(&engine->defaults[i], version, memory_bytes, arch)) {
            return &engine->defaults[i];
        }
    }
    return &engine->defaults[last > 0 ? last : 0];
}

const struct engine_defaults *engine_defaults_for(const struct engine *engine, const int version[3],
                                                  double memory_bytes)
{
    return defaults_find(engine, version, memory_bytes, NULL);
}

const struct engine_defaults *engine_defaults_on(const struct engine *engine, const int version[3],
                                                 const struct hardware *hw)
{
    return defaults_find(engine, version, hw->memory_bytes, hw->arch);
}
